// SPDX-License-Identifier: GPL-2.0
#include "sa_fsm.h"

#define NEXT(_state)	(1 + IPOIB_SA_##_state)	/* 0 means that there is no edge */

static const u8 edges[IPOIB_SA_STATES][IPOIB_SA_EVENTS] = {
	[IPOIB_SA_OFF] = {
		[IPOIB_SA_EV_WATCH]	= NEXT(SUBSCRIBING),
		[IPOIB_SA_EV_TAKEN]	= NEXT(POLLING),
	},
	[IPOIB_SA_SUBSCRIBING] = {
		[IPOIB_SA_EV_OK]	= NEXT(ON),
		[IPOIB_SA_EV_FAIL]	= NEXT(BACKOFF),
		/* Start over with the first trap, because the SM may be another one. */
		[IPOIB_SA_EV_RENEW]	= NEXT(SUBSCRIBING),
		[IPOIB_SA_EV_UNWATCH]	= NEXT(LEAVING),
	},
	[IPOIB_SA_ON] = {
		[IPOIB_SA_EV_RENEW]	= NEXT(SUBSCRIBING),
		[IPOIB_SA_EV_UNWATCH]	= NEXT(LEAVING),
	},
	[IPOIB_SA_BACKOFF] = {
		[IPOIB_SA_EV_RENEW]	= NEXT(SUBSCRIBING),
		[IPOIB_SA_EV_UNWATCH]	= NEXT(LEAVING),
	},
	[IPOIB_SA_POLLING] = {
		/* The MAD agent for reports could be registered this time. */
		[IPOIB_SA_EV_WATCH]	= NEXT(SUBSCRIBING),
		[IPOIB_SA_EV_UNWATCH]	= NEXT(OFF),
	},
	[IPOIB_SA_LEAVING] = {
		[IPOIB_SA_EV_LEFT]	= NEXT(OFF),
	},
};

static const char * const names[IPOIB_SA_STATES] = {
	[IPOIB_SA_OFF]		= "off",
	[IPOIB_SA_SUBSCRIBING]	= "subscribing",
	[IPOIB_SA_ON]		= "on",
	[IPOIB_SA_BACKOFF]	= "backoff",
	[IPOIB_SA_POLLING]	= "polling",
	[IPOIB_SA_LEAVING]	= "leaving",
};

/**
 * ipoib_sa_fsm_step - look up the state that follows an event
 * @state: present state
 * @event: what happened
 * @next: state that follows, valid if true is returned
 *
 * Return: false if @event cannot happen in @state.
 * Context: Any; pure.
 */
bool ipoib_sa_fsm_step(enum ipoib_sa_state state,
		       enum ipoib_sa_fsm_event event,
		       enum ipoib_sa_state *next)
{
	u8 edge;

	if (state >= IPOIB_SA_STATES || event >= IPOIB_SA_EVENTS)
		return false;

	edge = edges[state][event];
	if (!edge)
		return false;

	*next = edge - 1;
	return true;
}

/**
 * ipoib_sa_state_name - name a state for traces
 * @state: any value
 *
 * Return: a constant string.
 */
const char *ipoib_sa_state_name(enum ipoib_sa_state state)
{
	return state < IPOIB_SA_STATES ? names[state] : "?";
}
