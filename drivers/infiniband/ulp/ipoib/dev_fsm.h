/* SPDX-License-Identifier: GPL-2.0 */
/* States of an interface: which event leads where, and what is to be done. */
#ifndef _IPOIB_DEV_FSM_H
#define _IPOIB_DEV_FSM_H

#include <linux/types.h>

/**
 * enum ipoib_dev_state - state of an interface
 * @IPOIB_DEV_DOWN: registered, administratively down
 * @IPOIB_DEV_WAITING: up, the port cannot carry the link yet
 * @IPOIB_DEV_JOINING: port is fit, broadcast group not joined yet
 * @IPOIB_DEV_UP: broadcast group joined: RFC 4391 section 5 lets it talk
 * @IPOIB_DEV_DEAD: being unregistered, never comes back
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
 * @IPOIB_DEV_EV_FIT: port looked at, the link can be started
 * @IPOIB_DEV_EV_UNFIT: port looked at, it cannot carry the link any more
 * @IPOIB_DEV_EV_CHANGED: port is fit, but for another address or P_Key
 * @IPOIB_DEV_EV_JOINED: broadcast group joined
 * @IPOIB_DEV_EV_LOST: broadcast group lost
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

/* Actions, executed in the order of their bits. */
enum ipoib_dev_action {
	IPOIB_DEV_DO_CARRIER_OFF	= 1 << 0,
	IPOIB_DEV_DO_LEAVE		= 1 << 1,	/* forget peers, leave groups */
	IPOIB_DEV_DO_LOOK		= 1 << 2,	/* look at the port */
	IPOIB_DEV_DO_JOIN		= 1 << 3,	/* join the broadcast group */
	IPOIB_DEV_DO_CARRIER_ON		= 1 << 4,
};

/**
 * struct ipoib_dev_step - one edge
 * @next: state that follows
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
