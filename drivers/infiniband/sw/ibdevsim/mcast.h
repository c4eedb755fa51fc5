/* SPDX-License-Identifier: GPL-2.0 */
/* Which queue pairs of an HCA listen to which groups. */
#ifndef _IBDS_MCAST_H
#define _IBDS_MCAST_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <rdma/ib_verbs.h>

struct ibds_hca;
struct ibds_qp;

/**
 * struct ibds_member - a queue pair in a group
 * @node: entry of the HCA's table, RCU
 * @mgid: the group
 * @lid: its LID, as who attached the queue pair says
 * @qp: the queue pair, until it is destroyed
 * @rcu: frees it
 */
struct ibds_member {
	struct hlist_node node;
	union ib_gid mgid;
	u16 lid;
	struct ibds_qp *qp;
	struct rcu_head rcu;
};

struct hlist_head *ibds_mcast_chain(struct ibds_hca *hca,
				    const union ib_gid *mgid);
int ibds_attach_mcast(struct ib_qp *ibqp, union ib_gid *mgid, u16 lid);
int ibds_detach_mcast(struct ib_qp *ibqp, union ib_gid *mgid, u16 lid);
void ibds_mcast_forget(struct ibds_qp *qp);

#endif /* _IBDS_MCAST_H */
