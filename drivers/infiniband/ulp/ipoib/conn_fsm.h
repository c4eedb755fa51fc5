/* SPDX-License-Identifier: GPL-2.0 */
/* States of one connection of RFC 4755, whoever asked for it. */
#ifndef _IPOIB_CONN_FSM_H
#define _IPOIB_CONN_FSM_H

#include <linux/types.h>

/**
 * enum ipoib_conn_state - state of a connection
 * @IPOIB_CONN_NEW: nothing was done about it yet
 * @IPOIB_CONN_ROUTING: the way to the peer is being asked for
 * @IPOIB_CONN_ASKED: our REQ is being made, or on its way; packets go by UD
 * @IPOIB_CONN_YIELDED: refused, for the peer's own REQ has crossed ours and stands;
 *	until that comes packets wait here
 * @IPOIB_CONN_ANSWERED: our REP is being made, or on its way; packets may arrive
 *	already
 * @IPOIB_CONN_LIVE: packets may be sent
 * @IPOIB_CONN_CLOSING: packets come back, the peer is being told
 * @IPOIB_CONN_DEAD: nothing is left of it
 */
enum ipoib_conn_state {
	IPOIB_CONN_NEW,
	IPOIB_CONN_ROUTING,
	IPOIB_CONN_ASKED,
	IPOIB_CONN_YIELDED,
	IPOIB_CONN_ANSWERED,
	IPOIB_CONN_LIVE,
	IPOIB_CONN_CLOSING,
	IPOIB_CONN_DEAD,
};

#define IPOIB_CONN_STATES	(IPOIB_CONN_DEAD + 1)

/**
 * enum ipoib_conn_event - what can happen to a connection
 * @IPOIB_CONN_EV_WANT: packets are to be sent by it
 * @IPOIB_CONN_EV_ROUTE: the way to the peer is known, the REQ can be sent
 * @IPOIB_CONN_EV_REP: the peer has accepted, and was sent an RTU
 * @IPOIB_CONN_EV_YIELD: the peer has refused, and is to ask itself
 * @IPOIB_CONN_EV_REQ: the peer asks for it, a REP can be sent
 * @IPOIB_CONN_EV_RTU: the peer has our REP: an RTU or its first packet came
 * @IPOIB_CONN_EV_CLOSE: it failed, was refused or is not wanted any more
 * @IPOIB_CONN_EV_DONE: all packets are back, and the CM has let go of it
 */
enum ipoib_conn_event {
	IPOIB_CONN_EV_WANT,
	IPOIB_CONN_EV_ROUTE,
	IPOIB_CONN_EV_REP,
	IPOIB_CONN_EV_YIELD,
	IPOIB_CONN_EV_REQ,
	IPOIB_CONN_EV_RTU,
	IPOIB_CONN_EV_CLOSE,
	IPOIB_CONN_EV_DONE,
};

#define IPOIB_CONN_EVENTS	(IPOIB_CONN_EV_DONE + 1)

bool ipoib_conn_fsm_step(enum ipoib_conn_state state,
			 enum ipoib_conn_event event,
			 enum ipoib_conn_state *next);
const char *ipoib_conn_state_name(enum ipoib_conn_state state);

#endif /* _IPOIB_CONN_FSM_H */
