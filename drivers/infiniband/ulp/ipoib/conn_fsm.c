// SPDX-License-Identifier: GPL-2.0
#include "conn_fsm.h"

#define NEXT(_state)	(1 + IPOIB_CONN_##_state)	/* 0 means: no such edge */

static const u8 edges[IPOIB_CONN_STATES][IPOIB_CONN_EVENTS] = {
	[IPOIB_CONN_NEW] = {
		[IPOIB_CONN_EV_WANT]	= NEXT(ROUTING),
		[IPOIB_CONN_EV_REQ]	= NEXT(ANSWERED),
		[IPOIB_CONN_EV_CLOSE]	= NEXT(CLOSING),
	},
	[IPOIB_CONN_ROUTING] = {
		[IPOIB_CONN_EV_ROUTE]	= NEXT(ASKED),
		[IPOIB_CONN_EV_CLOSE]	= NEXT(CLOSING),
	},
	[IPOIB_CONN_ASKED] = {
		[IPOIB_CONN_EV_REP]	= NEXT(LIVE),
		[IPOIB_CONN_EV_YIELD]	= NEXT(YIELDED),
		[IPOIB_CONN_EV_STALE]	= NEXT(STALE),
		[IPOIB_CONN_EV_CLOSE]	= NEXT(CLOSING),
	},
	[IPOIB_CONN_YIELDED] = {
		[IPOIB_CONN_EV_CLOSE]	= NEXT(CLOSING),
	},
	[IPOIB_CONN_STALE] = {
		[IPOIB_CONN_EV_CLOSE]	= NEXT(CLOSING),
	},
	[IPOIB_CONN_ANSWERED] = {
		[IPOIB_CONN_EV_RTU]	= NEXT(LIVE),
		[IPOIB_CONN_EV_CLOSE]	= NEXT(CLOSING),
	},
	[IPOIB_CONN_LIVE] = {
		/*
		 * A connection may get two of these events: for its first packet, then for the
		 * RTU.
		 */
		[IPOIB_CONN_EV_RTU]	= NEXT(LIVE),
		[IPOIB_CONN_EV_CLOSE]	= NEXT(CLOSING),
	},
	[IPOIB_CONN_CLOSING] = {
		[IPOIB_CONN_EV_DONE]	= NEXT(DEAD),
	},
};

static const char * const names[IPOIB_CONN_STATES] = {
	[IPOIB_CONN_NEW]	= "new",
	[IPOIB_CONN_ROUTING]	= "routing",
	[IPOIB_CONN_ASKED]	= "asked",
	[IPOIB_CONN_YIELDED]	= "yielded",
	[IPOIB_CONN_STALE]	= "stale",
	[IPOIB_CONN_ANSWERED]	= "answered",
	[IPOIB_CONN_LIVE]	= "live",
	[IPOIB_CONN_CLOSING]	= "closing",
	[IPOIB_CONN_DEAD]	= "dead",
};

/**
 * ipoib_conn_fsm_step - look up the state that follows an event
 * @state: state now
 * @event: what happened
 * @next: the state that follows, valid if true is returned
 *
 * Return: false if @event is ignored in @state.
 * Context: Any; pure.
 */
bool ipoib_conn_fsm_step(enum ipoib_conn_state state,
			 enum ipoib_conn_event event,
			 enum ipoib_conn_state *next)
{
	u8 edge;

	if (state >= IPOIB_CONN_STATES || event >= IPOIB_CONN_EVENTS)
		return false;

	edge = edges[state][event];
	if (!edge)
		return false;

	*next = edge - 1;
	return true;
}

/**
 * ipoib_conn_state_name - name of a state for traces and debugfs
 * @state: any value
 *
 * Return: a constant string.
 */
const char *ipoib_conn_state_name(enum ipoib_conn_state state)
{
	return state < IPOIB_CONN_STATES ? names[state] : "?";
}
