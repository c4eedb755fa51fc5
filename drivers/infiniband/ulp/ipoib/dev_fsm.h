/* SPDX-License-Identifier: GPL-2.0 */
/* States of an interface: the state that follows an event, and the actions it takes. */
#ifndef _IPOIB_DEV_FSM_H
#define _IPOIB_DEV_FSM_H

#include <linux/types.h>

/**
 * enum ipoib_dev_state - state of an interface
 * @IPOIB_DEV_DOWN: registered, administratively down
 * @IPOIB_DEV_WAITING: up, but the port cannot carry the link yet
 * @IPOIB_DEV_JOINING: the port is ready, the broadcast group is not joined yet
 * @IPOIB_DEV_UP: broadcast group joined; RFC 4391 section 5 allows traffic only now
 * @IPOIB_DEV_DEAD: being unregistered, for good
 */
enum ipoib_dev_state {
	IPOIB_DEV_DOWN,
	IPOIB_DEV_WAITING,
	IPOIB_DEV_JOINING,
	IPOIB_DEV_UP,
	IPOIB_DEV_DEAD,
};

#define IPOIB_DEV_STATES	(IPOIB_DEV_DEAD + 1)

/**
 * enum ipoib_dev_event - what can happen to an interface
 * @IPOIB_DEV_EV_OPEN: ndo_open
 * @IPOIB_DEV_EV_STOP: ndo_stop
 * @IPOIB_DEV_EV_FIT: a look at the port found that it can carry the link
 * @IPOIB_DEV_EV_UNFIT: a look at the port found that it cannot carry the link, or an action
 *	failed
 * @IPOIB_DEV_EV_CHANGED: the port can carry the link, but the GID, the P_Key, the index of one,
 *	or the Q_Key or MGID of the broadcast group is another one
 * @IPOIB_DEV_EV_JOINED: the broadcast group is joined
 * @IPOIB_DEV_EV_LOST: the broadcast group is lost, or joining it failed
 * @IPOIB_DEV_EV_KILL: ndo_uninit
 */
enum ipoib_dev_event {
	IPOIB_DEV_EV_OPEN,
	IPOIB_DEV_EV_STOP,
	IPOIB_DEV_EV_FIT,
	IPOIB_DEV_EV_UNFIT,
	IPOIB_DEV_EV_CHANGED,
	IPOIB_DEV_EV_JOINED,
	IPOIB_DEV_EV_LOST,
	IPOIB_DEV_EV_KILL,
};

#define IPOIB_DEV_EVENTS	(IPOIB_DEV_EV_KILL + 1)

/* Actions, taken in the order of their bits. */
enum ipoib_dev_action {
	IPOIB_DEV_DO_CARRIER_OFF	= 1 << 0,
	IPOIB_DEV_DO_LEAVE		= 1 << 1,	/* forget peers, leave groups */
	IPOIB_DEV_DO_LOOK		= 1 << 2,	/* look at the port */
	IPOIB_DEV_DO_JOIN		= 1 << 3,	/* join the broadcast group */
	IPOIB_DEV_DO_CARRIER_ON		= 1 << 4,
};

/**
 * struct ipoib_dev_step - what an event does in a state
 * @next: the state that follows
 * @actions: mask of enum ipoib_dev_action
 */
struct ipoib_dev_step {
	enum ipoib_dev_state next;
	unsigned int actions;
};

bool ipoib_dev_fsm_step(enum ipoib_dev_state state, enum ipoib_dev_event event,
			struct ipoib_dev_step *step);
const char *ipoib_dev_state_name(enum ipoib_dev_state state);

#endif /* _IPOIB_DEV_FSM_H */
