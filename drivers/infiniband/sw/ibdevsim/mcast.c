// SPDX-License-Identifier: GPL-2.0
#include "mcast.h"

#include <linux/jhash.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "hca.h"
#include "qp.h"

/**
 * ibds_mcast_chain - where the members of a group are
 * @hca: of this HCA
 * @mgid: the group
 *
 * Return: a list of members of this and perhaps other groups, RCU.
 */
struct hlist_head *ibds_mcast_chain(struct ibds_hca *hca,
				    const union ib_gid *mgid)
{
	return &hca->mcast[jhash(mgid, sizeof(*mgid), 0) % IBDS_MCAST_HASH];
}

static struct ibds_member *find_member(struct ibds_qp *qp,
				       const union ib_gid *mgid)
{
	struct ibds_member *m;

	hlist_for_each_entry_rcu(m, ibds_mcast_chain(qp->hca, mgid), node,
				 lockdep_is_held(&qp->hca->table_lock))
		if (m->qp == qp && !memcmp(&m->mgid, mgid, sizeof(*mgid)))
			return m;
	return NULL;
}

/**
 * ibds_attach_mcast - have a queue pair listen to a group
 * @ibqp: the queue pair
 * @mgid: the group
 * @lid: its LID; packets are told apart by GID
 *
 * Return: 0 or -ENOMEM.
 * Context: Process context, may sleep.
 */
int ibds_attach_mcast(struct ib_qp *ibqp, union ib_gid *mgid, u16 lid)
{
	struct ibds_qp *qp = to_ibds_qp(ibqp);
	struct ibds_member *m = kzalloc(sizeof(*m), GFP_KERNEL);

	if (!m)
		return -ENOMEM;
	m->mgid = *mgid;
	m->qp = qp;

	spin_lock_bh(&qp->hca->table_lock);
	if (find_member(qp, mgid))
		kfree(m);
	else
		hlist_add_head_rcu(&m->node, ibds_mcast_chain(qp->hca, mgid));
	spin_unlock_bh(&qp->hca->table_lock);
	return 0;
}

/**
 * ibds_detach_mcast - end that
 * @ibqp: the queue pair
 * @mgid: the group
 * @lid: its LID
 *
 * Return: 0, or -EINVAL if it does not listen.
 * Context: Process context, may sleep.
 */
int ibds_detach_mcast(struct ib_qp *ibqp, union ib_gid *mgid, u16 lid)
{
	struct ibds_qp *qp = to_ibds_qp(ibqp);
	struct ibds_member *m;

	spin_lock_bh(&qp->hca->table_lock);
	m = find_member(qp, mgid);
	if (m)
		hlist_del_rcu(&m->node);
	spin_unlock_bh(&qp->hca->table_lock);
	if (!m)
		return -EINVAL;
	kfree_rcu(m, rcu);
	return 0;
}
