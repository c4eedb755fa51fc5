/* SPDX-License-Identifier: GPL-2.0 */
/* The way of a directed-route SMP through a switch (IBTA 14.2.2). */
#ifndef _IBDS_WALK_H
#define _IBDS_WALK_H

#include <linux/types.h>

struct ib_smp;

/**
 * enum ibds_hop - what a switch does with a directed-route SMP
 * @IBDS_HOP_DROP: discard it
 * @IBDS_HOP_FORWARD: send it out by a port
 * @IBDS_HOP_HERE: it is for the switch's own agent
 */
enum ibds_hop {
	IBDS_HOP_DROP,
	IBDS_HOP_FORWARD,
	IBDS_HOP_HERE,
};

enum ibds_hop ibds_walk(struct ib_smp *smp, u8 ingress, u8 ports, u8 *egress);
void ibds_walk_turn(struct ib_smp *smp);

#endif /* _IBDS_WALK_H */
