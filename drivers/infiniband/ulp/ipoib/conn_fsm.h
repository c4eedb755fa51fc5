/* SPDX-License-Identifier: GPL-2.0 */
/* States of a connection of RFC 4755, at the end that sends the REQ and at the other. */
#ifndef _IPOIB_CONN_FSM_H
#define _IPOIB_CONN_FSM_H

#include <linux/types.h>

/**
 * enum ipoib_conn_state - state of a connection
 * @IPOIB_CONN_NEW: made, and nothing done yet
 * @IPOIB_CONN_ROUTING: the fabric has been asked for the path to the peer
 * @IPOIB_CONN_ASKED: our REQ is being prepared or has been sent; packets go by UD
 * @IPOIB_CONN_YIELDED: our REQ was rejected because the peer's crossed it and stands; until
 *	that REQ comes packets wait here
 * @IPOIB_CONN_STALE: our REQ was rejected because the peer takes an older connection for alive;
 *	packets wait here until the next REQ
 * @IPOIB_CONN_ANSWERED: our REP is being prepared or has been sent; packets may arrive already
 * @IPOIB_CONN_LIVE: established: packets may be sent
 * @IPOIB_CONN_CLOSING: packets come back from the HCA, and the CM disconnects
 * @IPOIB_CONN_DEAD: the CM identifier and the QP are gone
 */
enum ipoib_conn_state {
	IPOIB_CONN_NEW,
	IPOIB_CONN_ROUTING,
	IPOIB_CONN_ASKED,
	IPOIB_CONN_YIELDED,
	IPOIB_CONN_STALE,
	IPOIB_CONN_ANSWERED,
	IPOIB_CONN_LIVE,
	IPOIB_CONN_CLOSING,
	IPOIB_CONN_DEAD,
};

#define IPOIB_CONN_STATES	(IPOIB_CONN_DEAD + 1)

/**
 * enum ipoib_conn_event - what can happen to a connection
 * @IPOIB_CONN_EV_WANT: a connection for sending is wanted
 * @IPOIB_CONN_EV_ROUTE: the path to the peer is known, the REQ can be sent
 * @IPOIB_CONN_EV_REP: the peer has sent a REP, and was sent an RTU
 * @IPOIB_CONN_EV_YIELD: the peer has rejected our REQ because its own crossed it
 * @IPOIB_CONN_EV_STALE: the peer has rejected our REQ because it has a connection
 * @IPOIB_CONN_EV_REQ: the REQ of the peer was admitted, a REP can be sent
 * @IPOIB_CONN_EV_RTU: the peer has our REP: an RTU or its first packet came
 * @IPOIB_CONN_EV_CLOSE: the connection failed, was rejected or is not wanted any more
 * @IPOIB_CONN_EV_DONE: closing is complete, or took too long
 */
enum ipoib_conn_event {
	IPOIB_CONN_EV_WANT,
	IPOIB_CONN_EV_ROUTE,
	IPOIB_CONN_EV_REP,
	IPOIB_CONN_EV_YIELD,
	IPOIB_CONN_EV_STALE,
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
