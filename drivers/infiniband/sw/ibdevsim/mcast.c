// SPDX-License-Identifier: GPL-2.0
#include "mcast.h"

#include <linux/jhash.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "fabric.h"
#include "fault.h"
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

static unsigned int members(struct ibds_hca *hca, const union ib_gid *mgid)
{
	struct ibds_member *m;
	unsigned int n = 0;

	hlist_for_each_entry_rcu(m, ibds_mcast_chain(hca, mgid), node,
				 lockdep_is_held(&hca->table_lock))
		n += !memcmp(&m->mgid, mgid, sizeof(*mgid));
	return n;
}

/* A group has one LID, on HCAs for which it counts. */
static bool other_lid(struct ibds_hca *hca, const union ib_gid *mgid, u16 lid)
{
	struct ibds_member *m;

	hlist_for_each_entry_rcu(m, ibds_mcast_chain(hca, mgid), node,
				 lockdep_is_held(&hca->table_lock))
		if (m->lid != lid && !memcmp(&m->mgid, mgid, sizeof(*mgid)))
			return hca->profile->group_lid;
	return false;
}

/* The last member of a group takes the group along. */
static void member_free(struct ibds_member *m)
{
	struct ibds_hca *hca = m->qp->hca;

	lockdep_assert_held(&hca->table_lock);

	hlist_del_rcu(&m->node);
	if (!members(hca, &m->mgid))
		ibds_give(&hca->limits, IBDS_OBJ_GROUP);
	kfree_rcu(m, rcu);
}

/* The first member of a group brings the group. */
static int room_for_member(struct ibds_hca *hca, const union ib_gid *mgid)
{
	unsigned int n = members(hca, mgid);

	if (!n)
		return ibds_take(&hca->limits, IBDS_OBJ_GROUP);
	return n < hca->profile->group_qps ? 0 : -ENOMEM;
}

/**
 * ibds_attach_mcast - have a queue pair listen to a group
 * @ibqp: the queue pair
 * @mgid: the group
 * @lid: its LID; most HCAs tell packets apart by GID only
 *
 * Return: 0; -EINVAL if another queue pair has said another LID and it counts, or the state of
 * this one does; -ENOMEM, also for a group or a member too many; or -EIO from a dead HCA.
 * Context: Process context, may sleep.
 */
int ibds_attach_mcast(struct ib_qp *ibqp, union ib_gid *mgid, u16 lid)
{
	struct ibds_qp *qp = to_ibds_qp(ibqp);
	struct ibds_hca *hca = qp->hca;
	struct ibds_member *m;
	int err;

	err = ibds_command(hca);
	if (err)
		return err;
	ibds_hang(hca, &hca->faults.attach_hangs);
	if (ibds_fault_hits(&hca->fab->faults, &hca->faults.attach_mcast,
			    ibqp->pd->res.kern_name))
		return -ENOMEM;
	if (hca->profile->group_alive && READ_ONCE(qp->state) == IB_QPS_RESET)
		return -EINVAL;
	m = kzalloc(sizeof(*m), GFP_KERNEL);
	if (!m)
		return -ENOMEM;
	m->mgid = *mgid;
	m->lid = lid;
	m->qp = qp;

	spin_lock_bh(&hca->table_lock);
	if (other_lid(hca, mgid, lid)) {
		err = -EINVAL;
	} else if (!find_member(qp, mgid)) {
		err = room_for_member(hca, mgid);
		if (!err) {
			hlist_add_head_rcu(&m->node, ibds_mcast_chain(hca, mgid));
			m = NULL;
		}
	}
	spin_unlock_bh(&hca->table_lock);
	kfree(m);
	return err;
}

/**
 * ibds_detach_mcast - end that
 * @ibqp: the queue pair
 * @mgid: the group
 * @lid: its LID
 *
 * Return: 0; -EINVAL if it does not listen, or by another LID and it counts; -EIO if the HCA
 * refuses, and then it listens until it is destroyed.
 * Context: Process context, may sleep.
 */
int ibds_detach_mcast(struct ib_qp *ibqp, union ib_gid *mgid, u16 lid)
{
	struct ibds_qp *qp = to_ibds_qp(ibqp);
	struct ibds_hca *hca = qp->hca;
	struct ibds_member *m;

	might_sleep();
	if (ibds_fault_hits(&hca->fab->faults, &hca->faults.detach_mcast,
			    ibqp->pd->res.kern_name))
		return -EIO;
	spin_lock_bh(&hca->table_lock);
	m = find_member(qp, mgid);
	if (m && m->lid != lid && hca->profile->group_lid)
		m = NULL;
	if (m)
		member_free(m);
	spin_unlock_bh(&hca->table_lock);
	return m ? 0 : -EINVAL;
}

/**
 * ibds_mcast_forget - detach a queue pair that is being destroyed from all groups
 * @qp: the queue pair; only if it was refused to detach it from some does anything happen
 *
 * After a grace period no packet to a group finds it any more.
 *
 * Context: Process context.
 */
void ibds_mcast_forget(struct ibds_qp *qp)
{
	struct ibds_hca *hca = qp->hca;
	struct ibds_member *m;
	struct hlist_node *next;
	unsigned int i;

	spin_lock_bh(&hca->table_lock);
	for (i = 0; i < IBDS_MCAST_HASH; i++)
		hlist_for_each_entry_safe(m, next, &hca->mcast[i], node)
			if (m->qp == qp)
				member_free(m);
	spin_unlock_bh(&hca->table_lock);
}
