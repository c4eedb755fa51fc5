/* SPDX-License-Identifier: GPL-2.0 */
/* Automatic path migration of a connected queue pair (IBTA 17.2.8). */
#ifndef _IBDS_MIGFSM_H
#define _IBDS_MIGFSM_H

#include <linux/types.h>

/**
 * enum ibds_mig_event - what can happen to the path of a queue pair
 * @IBDS_MIG_EV_REARM: the consumer wants to have its alternate path ready
 * @IBDS_MIG_EV_MOVE: the consumer wants to use it
 * @IBDS_MIG_EV_READY: a packet came with MigReq 0, so the peer has one ready
 * @IBDS_MIG_EV_MOVED: one came with MigReq 1, by the alternate path
 * @IBDS_MIG_EV_ASTRAY: one came with MigReq 1, by another path
 * @IBDS_MIG_EV_LOST: nobody answers on the path in use
 */
enum ibds_mig_event {
	IBDS_MIG_EV_REARM,
	IBDS_MIG_EV_MOVE,
	IBDS_MIG_EV_READY,
	IBDS_MIG_EV_MOVED,
	IBDS_MIG_EV_ASTRAY,
	IBDS_MIG_EV_LOST,
};

#define IBDS_MIG_EVENTS	(IBDS_MIG_EV_LOST + 1)

/**
 * enum ibds_mig_verdict - what is to be done about it
 * @IBDS_MIG_NOT: it is not possible now
 * @IBDS_MIG_STAY: nothing but to enter the next state
 * @IBDS_MIG_GO: go on by the alternate path, and tell the consumer
 * @IBDS_MIG_REFUSE: lose the packet, and tell the consumer
 */
enum ibds_mig_verdict {
	IBDS_MIG_NOT,
	IBDS_MIG_STAY,
	IBDS_MIG_GO,
	IBDS_MIG_REFUSE,
};

enum ibds_mig_verdict ibds_migfsm_step(unsigned int state,
				       enum ibds_mig_event event, u8 *next);

#endif /* _IBDS_MIGFSM_H */
