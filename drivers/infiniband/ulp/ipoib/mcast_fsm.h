/* SPDX-License-Identifier: GPL-2.0 */
/* State table of one multicast group of an interface. */
#ifndef _IPOIB_MCAST_FSM_H
#define _IPOIB_MCAST_FSM_H

#include <linux/types.h>

/**
 * enum ipoib_mcast_state - state of a group
 * @IPOIB_MCAST_IDLE: in the set, the fabric has not been asked yet
 * @IPOIB_MCAST_JOINING: a request to join is open
 * @IPOIB_MCAST_BACKOFF: the last try failed, or the membership was lost; waits for the next
 *	try
 * @IPOIB_MCAST_JOINED: the route is known, and the QP attached unless the group is only
 *	sent to
 * @IPOIB_MCAST_DEAD: removed from the set; final
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
 * @IPOIB_MCAST_EV_START: the fabric is asked, for the first time or after a back-off
 * @IPOIB_MCAST_EV_OK: joined, and the QP attached unless the group is only sent to
 * @IPOIB_MCAST_EV_FAIL: refused, no answer, attaching failed, or the membership was lost
 * @IPOIB_MCAST_EV_LEAVE: the group has been removed from the set
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
