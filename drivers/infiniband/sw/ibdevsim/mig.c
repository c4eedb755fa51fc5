// SPDX-License-Identifier: GPL-2.0
#include "mig.h"

#include "migfsm.h"
#include "packet.h"

static enum ibds_mig_verdict step(struct ibds_qp *qp, enum ibds_mig_event event)
{
	struct ibds_paths *paths = &qp->paths;
	enum ibds_mig_verdict verdict;
	u8 next;

	lockdep_assert_held(&qp->rsp.lock);

	verdict = ibds_migfsm_step(paths->state, event, &next);
	if (verdict == IBDS_MIG_GO) {
		/*
		 * A sender that sees the one and not the other of these yet is
		 * no harm: its peer has moved before and takes both.
		 */
		WRITE_ONCE(paths->now, !paths->now);
		WRITE_ONCE(paths->spare, false);
		ibds_qp_todo(qp, IBDS_TODO_PATH_MIG);
	} else if (verdict == IBDS_MIG_REFUSE) {
		ibds_qp_todo(qp, IBDS_TODO_PATH_MIG_ERR);
	}
	WRITE_ONCE(paths->state, next);
	return verdict;
}

static enum ibds_mig_event event_of(const struct ib_qp_attr *attr)
{
	return attr->path_mig_state == IB_MIG_REARM ? IBDS_MIG_EV_REARM :
						      IBDS_MIG_EV_MOVE;
}

/**
 * ibds_mig_may - may a consumer change the migration state so?
 * @qp: the queue pair, its lock held
 * @attr: attributes of ib_modify_qp()
 * @mask: which of them are meant
 *
 * IBTA 17.2.8: a path has to be there before it is made ready, and only one that
 * both ends have ready, in RTS, can be moved to. It is the one that they agreed
 * on: another in its place has to be made ready as well.
 *
 * Return: true if it may, or does not want to.
 */
bool ibds_mig_may(const struct ibds_qp *qp, const struct ib_qp_attr *attr,
		  int mask)
{
	u8 state = READ_ONCE(qp->paths.state);
	u8 next;

	lockdep_assert_held(&qp->lock);

	if (!(mask & IB_QP_PATH_MIG_STATE))
		return !(mask & IB_QP_ALT_PATH) || state == IB_MIG_MIGRATED;
	if (attr->path_mig_state == IB_MIG_REARM)
		return (mask & IB_QP_ALT_PATH) || READ_ONCE(qp->paths.spare);
	if (attr->path_mig_state != IB_MIG_MIGRATED || (mask & IB_QP_ALT_PATH))
		return false;
	return qp->state == IB_QPS_RTS &&
	       ibds_migfsm_step(state, IBDS_MIG_EV_MOVE, &next) != IBDS_MIG_NOT;
}

/**
 * ibds_mig_set - change the migration state as a consumer says
 * @qp: the queue pair, its lock and its responder's held
 * @attr: attributes of ib_modify_qp(), which ibds_mig_may() has allowed
 * @mask: which of them are meant
 */
void ibds_mig_set(struct ibds_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	enum ibds_mig_event event = event_of(attr);

	if (!(mask & IB_QP_PATH_MIG_STATE))
		return;
	/* A packet may have come since it was allowed, and taken the path. */
	if (event == IBDS_MIG_EV_MOVE || qp->paths.spare)
		step(qp, event);
}

/**
 * ibds_mig_reset - begin with the first path and no other
 * @qp: the queue pair, its lock held
 */
void ibds_mig_reset(struct ibds_qp *qp)
{
	lockdep_assert_held(&qp->lock);

	spin_lock(&qp->rsp.lock);
	WRITE_ONCE(qp->paths.state, IB_MIG_MIGRATED);
	WRITE_ONCE(qp->paths.now, 0);
	WRITE_ONCE(qp->paths.spare, false);
	qp->req.path = 0;
	spin_unlock(&qp->rsp.lock);
}

static bool same(const union ib_gid *a, const union ib_gid *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/*
 * came_by() says whether the packet's path is this one, seen from the other end; IBTA 9.6.1.2.3,
 * 9.6.1.3.
 */
static bool came_by(const struct ibds_qp *qp, const struct ibds_path *path,
		    const struct ibds_packet *pkt)
{
	const struct ibds_av *av = &path->av;

	if (pkt->slid != av->dlid ||
	    pkt->dlid != ibds_port_slid(&qp->hca->port, av->path_bits) ||
	    !pkt->grh != !av->has_grh)
		return false;
	return !pkt->grh || (same(&pkt->grh->sgid, &av->grh.dgid) &&
			     same(&pkt->grh->dgid, &av->grh.sgid));
}

/**
 * ibds_mig_fits - has a packet come by the path in use?
 * @qp: queue pair that it has arrived at, its lock or its responder's held
 * @pkt: request or acknowledgment
 *
 * A connected packet does not say which queue pair has sent it, so that its addresses are
 * all that tells the peer from others.
 *
 * Return: false if the packet is to be lost.
 * Context: RCU held, bottom halves off.
 */
bool ibds_mig_fits(const struct ibds_qp *qp, const struct ibds_packet *pkt)
{
	return came_by(qp, ibds_qp_path(qp), pkt);
}

/**
 * ibds_mig_arrived - a packet says how its sender's path is
 * @qp: queue pair that it has arrived at, its responder's lock held
 * @pkt: request or acknowledgment
 *
 * Return: false if the packet is to be lost.
 * Context: RCU held, bottom halves off.
 */
bool ibds_mig_arrived(struct ibds_qp *qp, const struct ibds_packet *pkt)
{
	enum ibds_mig_event event = IBDS_MIG_EV_READY;

	if (!pkt->armed)
		event = came_by(qp, &qp->paths.path[!qp->paths.now], pkt) ?
			IBDS_MIG_EV_MOVED : IBDS_MIG_EV_ASTRAY;
	else if (!ibds_mig_fits(qp, pkt))
		return false;
	return step(qp, event) != IBDS_MIG_REFUSE;
}

/**
 * ibds_mig_lost - nobody answers any more
 * @qp: the queue pair, its lock held
 *
 * Return: true if there is another path, and it is used from now on.
 * Context: Bottom halves off.
 */
bool ibds_mig_lost(struct ibds_qp *qp)
{
	bool moved;

	lockdep_assert_held(&qp->lock);

	spin_lock(&qp->rsp.lock);
	moved = step(qp, IBDS_MIG_EV_LOST) == IBDS_MIG_GO;
	spin_unlock(&qp->rsp.lock);
	return moved;
}
