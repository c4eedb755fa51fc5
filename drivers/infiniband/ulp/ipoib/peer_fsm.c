// SPDX-License-Identifier: GPL-2.0
#include "peer_fsm.h"

#define NEXT(_state)	(1 + IPOIB_PEER_##_state)	/* 0 means that there is no edge */

static const u8 edges[IPOIB_PEER_STATES][IPOIB_PEER_EVENTS] = {
	[IPOIB_PEER_NEW] = {
		[IPOIB_PEER_EV_ASK]	= NEXT(RESOLVING),
		[IPOIB_PEER_EV_REMOVE]	= NEXT(DEAD),
	},
	[IPOIB_PEER_RESOLVING] = {
		[IPOIB_PEER_EV_OK]	= NEXT(READY),
		[IPOIB_PEER_EV_FAIL]	= NEXT(FAILED),
		[IPOIB_PEER_EV_LOST]	= NEXT(FAILED),
		[IPOIB_PEER_EV_REMOVE]	= NEXT(DEAD),
	},
	[IPOIB_PEER_READY] = {
		[IPOIB_PEER_EV_ASK]	= NEXT(REFRESHING),
		/*
		 * A group that is joined again calls ipoib_peer_answer() unasked. If a node's
		 * path was not found, the one in use stays.
		 */
		[IPOIB_PEER_EV_OK]	= NEXT(READY),
		[IPOIB_PEER_EV_FAIL]	= NEXT(READY),
		[IPOIB_PEER_EV_LOST]	= NEXT(FAILED),
		[IPOIB_PEER_EV_REMOVE]	= NEXT(DEAD),
	},
	[IPOIB_PEER_REFRESHING] = {
		[IPOIB_PEER_EV_OK]	= NEXT(READY),
		/* The old path is kept, because it may still work. */
		[IPOIB_PEER_EV_FAIL]	= NEXT(READY),
		[IPOIB_PEER_EV_REMOVE]	= NEXT(DEAD),
	},
	[IPOIB_PEER_FAILED] = {
		[IPOIB_PEER_EV_ASK]	= NEXT(RESOLVING),
		/* A group that is joined late calls ipoib_peer_answer() unasked. */
		[IPOIB_PEER_EV_OK]	= NEXT(READY),
		[IPOIB_PEER_EV_LOST]	= NEXT(FAILED),
		[IPOIB_PEER_EV_REMOVE]	= NEXT(DEAD),
	},
};

static const char * const names[IPOIB_PEER_STATES] = {
	[IPOIB_PEER_NEW]	= "new",
	[IPOIB_PEER_RESOLVING]	= "resolving",
	[IPOIB_PEER_READY]	= "ready",
	[IPOIB_PEER_REFRESHING]	= "refreshing",
	[IPOIB_PEER_FAILED]	= "failed",
	[IPOIB_PEER_DEAD]	= "dead",
};

/**
 * ipoib_peer_fsm_step - look up the state that follows an event
 * @state: present state
 * @event: what happened
 * @next: state that follows, valid if true is returned
 *
 * Return: false if @event cannot happen in @state.
 * Context: Any; pure.
 */
bool ipoib_peer_fsm_step(enum ipoib_peer_state state,
			 enum ipoib_peer_event event,
			 enum ipoib_peer_state *next)
{
	u8 edge;

	if (state >= IPOIB_PEER_STATES || event >= IPOIB_PEER_EVENTS)
		return false;

	edge = edges[state][event];
	if (!edge)
		return false;

	*next = edge - 1;
	return true;
}

/**
 * ipoib_peer_state_name - name a state for traces and debugfs
 * @state: any value
 *
 * Return: a constant string.
 */
const char *ipoib_peer_state_name(enum ipoib_peer_state state)
{
	return state < IPOIB_PEER_STATES ? names[state] : "?";
}
