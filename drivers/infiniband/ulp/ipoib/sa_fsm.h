/* SPDX-License-Identifier: GPL-2.0 */
/* States of a port's subscription to reports of the subnet administrator. */
#ifndef _IPOIB_SA_FSM_H
#define _IPOIB_SA_FSM_H

#include <linux/types.h>

/**
 * enum ipoib_sa_state - state of the subscription
 * @IPOIB_SA_OFF: nobody wants reports
 * @IPOIB_SA_SUBSCRIBING: the SA is asked for them, trap by trap
 * @IPOIB_SA_ON: it reports
 * @IPOIB_SA_BACKOFF: refused or no answer; waits for the next try
 * @IPOIB_SA_POLLING: somebody else on the port gets them
 * @IPOIB_SA_LEAVING: nobody wants them any more, the SA is told
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
 * @IPOIB_SA_EV_WATCH: somebody wants reports
 * @IPOIB_SA_EV_TAKEN: they can, but somebody else on the port gets them
 * @IPOIB_SA_EV_OK: the SA agreed to all traps
 * @IPOIB_SA_EV_FAIL: it did not
 * @IPOIB_SA_EV_RENEW: it may have forgotten, or it is time to try again
 * @IPOIB_SA_EV_UNWATCH: nobody wants reports any more
 * @IPOIB_SA_EV_LEFT: the SA knows, or it does not answer
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
