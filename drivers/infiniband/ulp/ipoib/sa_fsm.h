/* SPDX-License-Identifier: GPL-2.0 */
/* States of a port's subscription to reports of the subnet administrator. */
#ifndef _IPOIB_SA_FSM_H
#define _IPOIB_SA_FSM_H

#include <linux/types.h>

/**
 * enum ipoib_sa_state - state of the subscription
 * @IPOIB_SA_OFF: there is no watch, and no subscription
 * @IPOIB_SA_SUBSCRIBING: InformInfo is sent for one trap after the other
 * @IPOIB_SA_ON: the SA has agreed to report all traps
 * @IPOIB_SA_BACKOFF: the SA has refused or not answered; the next try waits for a timer
 * @IPOIB_SA_POLLING: the MAD agent for reports could not be registered, because another agent
 *	on the port has them or memory was short; the next try waits for a timer
 * @IPOIB_SA_LEAVING: the last watch is gone, and the subscriptions are being ended
 */
enum ipoib_sa_state {
	IPOIB_SA_OFF,
	IPOIB_SA_SUBSCRIBING,
	IPOIB_SA_ON,
	IPOIB_SA_BACKOFF,
	IPOIB_SA_POLLING,
	IPOIB_SA_LEAVING,
};

#define IPOIB_SA_STATES	(IPOIB_SA_LEAVING + 1)

/**
 * enum ipoib_sa_fsm_event - what can happen to the subscription
 * @IPOIB_SA_EV_WATCH: there is a watch, and the MAD agent for reports is registered
 * @IPOIB_SA_EV_TAKEN: there is a watch, but the MAD agent could not be registered
 * @IPOIB_SA_EV_OK: the SA has agreed to report all traps
 * @IPOIB_SA_EV_FAIL: the SA has refused a trap or not answered
 * @IPOIB_SA_EV_RENEW: the SA may have lost the subscription, or the back-off is over
 * @IPOIB_SA_EV_UNWATCH: the last watch has been deleted
 * @IPOIB_SA_EV_LEFT: the SA has ended all subscriptions, or it does not answer
 */
enum ipoib_sa_fsm_event {
	IPOIB_SA_EV_WATCH,
	IPOIB_SA_EV_TAKEN,
	IPOIB_SA_EV_OK,
	IPOIB_SA_EV_FAIL,
	IPOIB_SA_EV_RENEW,
	IPOIB_SA_EV_UNWATCH,
	IPOIB_SA_EV_LEFT,
};

#define IPOIB_SA_EVENTS	(IPOIB_SA_EV_LEFT + 1)

bool ipoib_sa_fsm_step(enum ipoib_sa_state state,
		       enum ipoib_sa_fsm_event event,
		       enum ipoib_sa_state *next);
const char *ipoib_sa_state_name(enum ipoib_sa_state state);

#endif /* _IPOIB_SA_FSM_H */
