/* SPDX-License-Identifier: GPL-2.0 */
/* States of one multicast group as this interface sees it. */
#ifndef _IPOIB_MCAST_FSM_H
#define _IPOIB_MCAST_FSM_H

#include <linux/types.h>

/**
 * enum ipoib_mcast_state - state of a group
 * @IPOIB_MCAST_IDLE: wanted, not asked for yet
 * @IPOIB_MCAST_JOINING: the fabric has been asked
 * @IPOIB_MCAST_BACKOFF: refused or no answer; waits for the next try
 * @IPOIB_MCAST_JOINED: parameters known, QP attached if we are a member
 * @IPOIB_MCAST_DEAD: left, off the interface's list, never comes back
 */
enum ipoib_mcast_state {
	IPOIB_MCAST_IDLE,
	IPOIB_MCAST_JOINING,
	IPOIB_MCAST_BACKOFF,
	IPOIB_MCAST_JOINED,
	IPOIB_MCAST_DEAD,
};

#define IPOIB_MCAST_STATES	(IPOIB_MCAST_DEAD + 1)

/**
 * enum ipoib_mcast_event - what can happen to a group
 * @IPOIB_MCAST_EV_START: ask the fabric, first time or after a back-off
 * @IPOIB_MCAST_EV_OK: joined, and attached if we are a member
 * @IPOIB_MCAST_EV_FAIL: not joined
 * @IPOIB_MCAST_EV_LEAVE: nobody wants the group any more
 */
enum ipoib_mcast_event {
	IPOIB_MCAST_EV_START,
	IPOIB_MCAST_EV_OK,
	IPOIB_MCAST_EV_FAIL,
	IPOIB_MCAST_EV_LEAVE,
};

#define IPOIB_MCAST_EVENTS	(IPOIB_MCAST_EV_LEAVE + 1)

bool ipoib_mcast_fsm_step(enum ipoib_mcast_state state,
			  enum ipoib_mcast_event event,
			  enum ipoib_mcast_state *next);
const char *ipoib_mcast_state_name(enum ipoib_mcast_state state);

#endif /* _IPOIB_MCAST_FSM_H */
