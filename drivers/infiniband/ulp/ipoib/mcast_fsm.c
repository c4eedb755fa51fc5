// SPDX-License-Identifier: GPL-2.0
#include "mcast_fsm.h"

#define NEXT(_state)	(1 + IPOIB_MCAST_##_state)	/* + 1: an entry of 0 means no edge */

static const u8 edges[IPOIB_MCAST_STATES][IPOIB_MCAST_EVENTS] = {
	[IPOIB_MCAST_IDLE] = {
		[IPOIB_MCAST_EV_START]	= NEXT(JOINING),
		[IPOIB_MCAST_EV_LEAVE]	= NEXT(DEAD),
	},
	[IPOIB_MCAST_JOINING] = {
		[IPOIB_MCAST_EV_OK]	= NEXT(JOINED),
		[IPOIB_MCAST_EV_FAIL]	= NEXT(BACKOFF),
		[IPOIB_MCAST_EV_LEAVE]	= NEXT(DEAD),
	},
	[IPOIB_MCAST_BACKOFF] = {
		[IPOIB_MCAST_EV_START]	= NEXT(JOINING),
		[IPOIB_MCAST_EV_LEAVE]	= NEXT(DEAD),
	},
	[IPOIB_MCAST_JOINED] = {
		/* The membership was lost, or the group was deleted: it is asked for anew. */
		[IPOIB_MCAST_EV_FAIL]	= NEXT(BACKOFF),
		[IPOIB_MCAST_EV_LEAVE]	= NEXT(DEAD),
	},
};

static const char * const names[IPOIB_MCAST_STATES] = {
	[IPOIB_MCAST_IDLE]	= "idle",
	[IPOIB_MCAST_JOINING]	= "joining",
	[IPOIB_MCAST_BACKOFF]	= "backoff",
	[IPOIB_MCAST_JOINED]	= "joined",
	[IPOIB_MCAST_DEAD]	= "dead",
};

/**
 * ipoib_mcast_fsm_step - find the state that an event leads to
 * @state: present state
 * @event: what happened
 * @next: the next state, written if the function returns true
 *
 * Return: false if the table has no edge for @event in @state.
 * Context: Any; pure.
 */
bool ipoib_mcast_fsm_step(enum ipoib_mcast_state state,
			  enum ipoib_mcast_event event,
			  enum ipoib_mcast_state *next)
{
	u8 edge;

	if (state >= IPOIB_MCAST_STATES || event >= IPOIB_MCAST_EVENTS)
		return false;

	edge = edges[state][event];
	if (!edge)
		return false;

	*next = edge - 1;
	return true;
}

/**
 * ipoib_mcast_state_name - name of a state, for debugfs and traces
 * @state: any value
 *
 * Return: a constant string.
 */
const char *ipoib_mcast_state_name(enum ipoib_mcast_state state)
{
	return state < IPOIB_MCAST_STATES ? names[state] : "?";
}
