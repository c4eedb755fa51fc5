/* SPDX-License-Identifier: GPL-2.0 */
/* Traps: what a node tells its subnet manager unasked, until that says stop. */
#ifndef _IBDS_TRAP_H
#define _IBDS_TRAP_H

#include "node.h"

struct ib_smp;

/* OtherLocalChanges of trap 144, IBTA 14.2.5.1 */
enum ibds_change {
	IBDS_CHANGE_NODE_DESC	= 0x01,
};

/**
 * struct ibds_violation - a packet with a wrong key, or what else a trap is about
 * @key: the P_Key or Q_Key
 * @lid1: source LID
 * @lid2: destination LID
 * @sl: service level
 * @qp1: source QPN
 * @qp2: destination QPN
 * @smp: of M_Keys: the SMP that had the wrong one, instead of all the above
 * @changes: of capabilities: what else has changed, enum ibds_change
 */
struct ibds_violation {
	u32 key;
	u16 lid1;
	u16 lid2;
	u8 sl;
	u32 qp1;
	u32 qp2;
	const struct ib_smp *smp;
	u8 changes;
};

void ibds_trap_init(struct ibds_node *node);
void ibds_trap_exit(struct ibds_node *node);
void ibds_trap_raise(struct ibds_node *node, enum ibds_trap trap,
		     const struct ibds_violation *what);
void ibds_trap_repress(struct ibds_node *node, const struct ib_mad *mad);

#endif /* _IBDS_TRAP_H */
