// SPDX-License-Identifier: GPL-2.0
#include "migfsm.h"

#include <linux/kernel.h>
#include <rdma/ib_verbs.h>

/* An edge that is not here is IBDS_MIG_NOT. */
static const struct {
	u8 verdict;
	u8 next;
} edges[][IBDS_MIG_EVENTS] = {
	[IB_MIG_MIGRATED] = {
		[IBDS_MIG_EV_REARM]	= { IBDS_MIG_STAY, IB_MIG_REARM },
		[IBDS_MIG_EV_READY]	= { IBDS_MIG_STAY, IB_MIG_MIGRATED },
		/* A peer that has nothing ready says that in each packet. */
		[IBDS_MIG_EV_MOVED]	= { IBDS_MIG_STAY, IB_MIG_MIGRATED },
		[IBDS_MIG_EV_ASTRAY]	= { IBDS_MIG_STAY, IB_MIG_MIGRATED },
	},
	[IB_MIG_REARM] = {
		[IBDS_MIG_EV_REARM]	= { IBDS_MIG_STAY, IB_MIG_REARM },
		[IBDS_MIG_EV_READY]	= { IBDS_MIG_STAY, IB_MIG_ARMED },
		[IBDS_MIG_EV_MOVED]	= { IBDS_MIG_STAY, IB_MIG_REARM },
		[IBDS_MIG_EV_ASTRAY]	= { IBDS_MIG_STAY, IB_MIG_REARM },
	},
	[IB_MIG_ARMED] = {
		/* A new alternate path has been loaded. */
		[IBDS_MIG_EV_REARM]	= { IBDS_MIG_STAY, IB_MIG_REARM },
		[IBDS_MIG_EV_READY]	= { IBDS_MIG_STAY, IB_MIG_ARMED },
		[IBDS_MIG_EV_MOVE]	= { IBDS_MIG_GO, IB_MIG_MIGRATED },
		[IBDS_MIG_EV_MOVED]	= { IBDS_MIG_GO, IB_MIG_MIGRATED },
		[IBDS_MIG_EV_LOST]	= { IBDS_MIG_GO, IB_MIG_MIGRATED },
		[IBDS_MIG_EV_ASTRAY]	= { IBDS_MIG_REFUSE, IB_MIG_ARMED },
	},
};

/**
 * ibds_migfsm_step - where an event leads
 * @state: enum ib_mig_state now
 * @event: what happened
 * @next: result, the state that follows; @state if that is IBDS_MIG_NOT
 *
 * Return: what is to be done.
 * Context: Any; pure.
 */
enum ibds_mig_verdict ibds_migfsm_step(unsigned int state,
				       enum ibds_mig_event event, u8 *next)
{
	*next = state;
	if (state >= ARRAY_SIZE(edges) || event >= IBDS_MIG_EVENTS ||
	    edges[state][event].verdict == IBDS_MIG_NOT)
		return IBDS_MIG_NOT;
	*next = edges[state][event].next;
	return edges[state][event].verdict;
}
