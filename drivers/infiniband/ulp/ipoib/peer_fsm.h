/* SPDX-License-Identifier: GPL-2.0 */
/* States of one destination, unicast or group, that packets are sent to. */
#ifndef _IPOIB_PEER_FSM_H
#define _IPOIB_PEER_FSM_H

#include <linux/types.h>

/**
 * enum ipoib_peer_state - state of a peer
 * @IPOIB_PEER_NEW: in the table, no path has been asked for yet
 * @IPOIB_PEER_RESOLVING: a path was asked for and none is known; packets are staged
 * @IPOIB_PEER_READY: has an address handle; packets are sent
 * @IPOIB_PEER_REFRESHING: as READY, while a request for a newer path is open
 * @IPOIB_PEER_FAILED: no path was found; packets are dropped until an answer brings one, or
 *	until the back-off is over and the next packet asks again
 * @IPOIB_PEER_DEAD: taken out of the table; no event leaves this state
 */
enum ipoib_peer_state {
	IPOIB_PEER_NEW,
	IPOIB_PEER_RESOLVING,
	IPOIB_PEER_READY,
	IPOIB_PEER_REFRESHING,
	IPOIB_PEER_FAILED,
	IPOIB_PEER_DEAD,
};

#define IPOIB_PEER_STATES	(IPOIB_PEER_DEAD + 1)

/**
 * enum ipoib_peer_event - what can happen to a peer
 * @IPOIB_PEER_EV_ASK: a path is asked for: first packet, back-off over, or path old
 * @IPOIB_PEER_EV_OK: a path was found and its address handle made
 * @IPOIB_PEER_EV_FAIL: no path was found
 * @IPOIB_PEER_EV_LOST: a group has no path, and the old one may lead to another group
 * @IPOIB_PEER_EV_REMOVE: taken out of the table
 */
enum ipoib_peer_event {
	IPOIB_PEER_EV_ASK,
	IPOIB_PEER_EV_OK,
	IPOIB_PEER_EV_FAIL,
	IPOIB_PEER_EV_LOST,
	IPOIB_PEER_EV_REMOVE,
};

#define IPOIB_PEER_EVENTS	(IPOIB_PEER_EV_REMOVE + 1)

bool ipoib_peer_fsm_step(enum ipoib_peer_state state,
			 enum ipoib_peer_event event,
			 enum ipoib_peer_state *next);
const char *ipoib_peer_state_name(enum ipoib_peer_state state);

#endif /* _IPOIB_PEER_FSM_H */
