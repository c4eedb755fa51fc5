/* SPDX-License-Identifier: GPL-2.0 */
/* A node of the subnet as its management agents see it. */
#ifndef _IBDS_NODE_H
#define _IBDS_NODE_H

#include <linux/types.h>
#include <linux/workqueue.h>
#include <rdma/ib_mad.h>

struct ibds_port;

/* Traps that a node may have to repeat, by slot. */
enum ibds_trap {
	IBDS_TRAP_LINK,		/* 128, switch */
	IBDS_TRAP_CAP_MASK,	/* 144 */
	IBDS_TRAP_MKEY,		/* 256 */
	IBDS_TRAP_PKEY,		/* 257 */
	IBDS_TRAP_QKEY,		/* 258 */
	IBDS_TRAPS
};

/**
 * struct ibds_notice - one trap of a node
 * @tries: times that it is still sent, 0 when it is not on
 * @next_at: jiffies when it is sent the next time
 * @tid: transaction ID, the same in each repetition
 * @attr: what it says
 */
struct ibds_notice {
	unsigned int tries;
	unsigned long next_at;
	u64 tid;
	struct ib_mad_notice_attr attr;
};

/**
 * struct ibds_node - one node
 * @is_switch: switch, or else HCA
 * @guid: node GUID
 * @nports: number of its external ports
 * @ports: all its ports; the index is the port number. An HCA has no port 0
 * @desc: node description, not terminated if it is as long as that
 * @lock: the fabric's; protects @desc, @notices and @next_tid
 * @notices: traps
 * @next_tid: transaction ID of the next trap
 * @trap_work: sends and repeats them
 * @send: sends an SMP of the node's own making; set at creation
 */
struct ibds_node {
	bool is_switch;
	u64 guid;
	u8 nports;
	struct ibds_port **ports;
	char desc[64];
	spinlock_t *lock;	/* the fabric's: desc, notices, next_tid */
	struct ibds_notice notices[IBDS_TRAPS];
	u64 next_tid;
	struct delayed_work trap_work;
	void (*send)(struct ibds_node *node, const struct ib_mad *mad);
};

/* The port that speaks for the node: an HCA's only one, a switch's port 0. */
static inline struct ibds_port *ibds_node_port(const struct ibds_node *node)
{
	return node->ports[node->is_switch ? 0 : 1];
}

#endif /* _IBDS_NODE_H */
