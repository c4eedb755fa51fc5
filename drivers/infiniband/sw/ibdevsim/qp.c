// SPDX-License-Identifier: GPL-2.0
#include "qp.h"

#include <linux/log2.h>
#include <linux/rculist.h>
#include <linux/vmalloc.h>

#include "cq.h"
#include "fabric.h"
#include "fault.h"
#include "mcast.h"
#include "mig.h"
#include "psn.h"
#include "wire.h"

/* The last two are for ibds_offload_post() to judge. */
#define SEND_FLAGS	(IB_SEND_FENCE | IB_SEND_SIGNALED | IB_SEND_SOLICITED | \
			 IB_SEND_IP_CSUM | IB_SEND_INLINE)

/**
 * ibds_first_qpn - the number that the first queue pair of an HCA gets
 * @index: the HCA's number
 *
 * It differs in each octet from its neighbours', and the upper bits are in use: who takes
 * one peer's number for another's, or has flags where bits of a number are, reaches nobody.
 *
 * Return: the number.
 */
u32 ibds_first_qpn(u8 index)
{
	return (0x8d0000 + index * 0x071311) %
	       (IBDS_QPN_MCAST - IBDS_QPN_LEAST) + IBDS_QPN_LEAST;
}

/**
 * ibds_qp_find - a queue pair by number
 * @hca: of this HCA
 * @qpn: number
 *
 * Return: the queue pair, not held, or NULL.
 * Context: RCU held.
 */
struct ibds_qp *ibds_qp_find(struct ibds_hca *hca, u32 qpn)
{
	struct ibds_qp *qp;

	if (qpn < ARRAY_SIZE(hca->special))
		return rcu_dereference(hca->special[qpn]);
	hlist_for_each_entry_rcu(qp, &hca->qps[qpn % IBDS_QP_HASH], hash)
		if (qp->ibqp.qp_num == qpn)
			return qp;
	return NULL;
}

/**
 * ibds_qp_kick - have the engine look at a queue pair
 * @qp: held, or found under RCU
 *
 * Context: Any.
 */
void ibds_qp_kick(struct ibds_qp *qp)
{
	if (test_and_set_bit(IBDS_TODO_QUEUED, &qp->todo))
		return;
	/* The queue pair is being destroyed: nobody waits for what it might still do. */
	if (!refcount_inc_not_zero(&qp->refs))
		return;
	if (llist_add(&qp->ready, &qp->hca->ready))
		tasklet_schedule(&qp->hca->engine);
}

/**
 * ibds_qp_put - drop a reference
 * @qp: the reference is consumed
 *
 * Context: Any.
 */
void ibds_qp_put(struct ibds_qp *qp)
{
	if (refcount_dec_and_test(&qp->refs))
		complete(&qp->released);
}

/**
 * ibds_qp_todo - leave something to the engine of a queue pair
 * @qp: held, or found under RCU
 * @todo: what
 *
 * For those who hold locks under which it cannot be done.
 *
 * Context: Any.
 */
void ibds_qp_todo(struct ibds_qp *qp, enum ibds_todo todo)
{
	set_bit(todo, &qp->todo);
	ibds_qp_kick(qp);
}

/**
 * ibds_qp_unheard - a completion has found no room in its queue
 * @qp: the queue pair, one of its locks held
 *
 * IBTA 10.10.2.3: a queue pair that cannot tell what it does fails, all of them that use
 * the queue, each as it tries.
 *
 * Context: Softirq or bottom halves off.
 */
void ibds_qp_unheard(struct ibds_qp *qp)
{
	/* Work that is flushed is not heard of either. */
	if (qp->state != IB_QPS_ERR && qp->state != IB_QPS_RESET)
		ibds_qp_todo(qp, IBDS_TODO_FATAL);
}

/**
 * ibds_qp_set_state - enter a state
 * @qp: the queue pair, its lock held
 * @state: the state
 *
 * Nothing is received any more in the old state once this returns.
 */
void ibds_qp_set_state(struct ibds_qp *qp, enum ib_qp_state state)
{
	lockdep_assert_held(&qp->lock);

	spin_lock(&qp->rsp.lock);
	WRITE_ONCE(qp->state, state);
	spin_unlock(&qp->rsp.lock);
	if (state == IB_QPS_RESET || state == IB_QPS_ERR)
		qp->spent = true;
}

static enum hrtimer_restart timer_done(struct hrtimer *timer)
{
	struct ibds_qp *qp = container_of(timer, struct ibds_qp, req.timer);

	ibds_qp_todo(qp, IBDS_TODO_TIMER);
	return HRTIMER_NORESTART;
}

static enum hrtimer_restart answer_arrives(struct hrtimer *timer)
{
	struct ibds_qp *qp = container_of(timer, struct ibds_qp, req.answer_timer);

	ibds_qp_kick(qp);
	return HRTIMER_NORESTART;
}

static int init_sq(struct ibds_sq *sq, u32 wr, u32 sge, u32 max_inline, bool offloads)
{
	u32 len = roundup_pow_of_two(max(wr, 1u));

	if (wr > IBDS_WR_MAX)
		return -EINVAL;
	spin_lock_init(&sq->lock);
	sq->max_sge = max(sge, 1u);
	sq->stride = sizeof(struct ibds_sqe) +
		     sq->max_sge * sizeof(struct ib_sge);
	sq->max_inline = max_inline;
	sq->extra = max_inline || offloads;
	if (sq->extra)
		sq->stride += ALIGN(sizeof(struct ibds_extra) +
				    max_t(u32, max_inline, IBDS_HEADER_MAX), 8);
	sq->mask = len - 1;
	sq->room = wr;
	sq->ring = vzalloc(array_size(len, sq->stride));
	return sq->ring ? 0 : -ENOMEM;
}

static int hash_special(struct ibds_qp *qp, u32 qpn)
{
	struct ibds_hca *hca = qp->hca;
	int err = 0;

	spin_lock_bh(&hca->table_lock);
	if (rcu_access_pointer(hca->special[qpn]))
		err = -EBUSY;
	else
		rcu_assign_pointer(hca->special[qpn], qp);
	spin_unlock_bh(&hca->table_lock);
	qp->ibqp.qp_num = qpn;
	return err;
}

static void hash_numbered(struct ibds_qp *qp)
{
	struct ibds_hca *hca = qp->hca;
	u32 qpn;

	rcu_read_lock();
	spin_lock_bh(&hca->table_lock);
	do {
		qpn = hca->next_qpn;
		hca->next_qpn = qpn + 1 < IBDS_QPN_MCAST ? qpn + 1 : IBDS_QPN_LEAST;
	} while (ibds_qp_find(hca, qpn));
	qp->ibqp.qp_num = qpn;
	hlist_add_head_rcu(&qp->hash, &hca->qps[qpn % IBDS_QP_HASH]);
	spin_unlock_bh(&hca->table_lock);
	rcu_read_unlock();
}

static void unhash(struct ibds_qp *qp)
{
	struct ibds_hca *hca = qp->hca;

	spin_lock_bh(&hca->table_lock);
	if (qp->ibqp.qp_num < ARRAY_SIZE(hca->special))
		RCU_INIT_POINTER(hca->special[qp->ibqp.qp_num], NULL);
	else
		hlist_del_rcu(&qp->hash);
	spin_unlock_bh(&hca->table_lock);
}

static int check_init(const struct ibds_profile *profile,
		      const struct ib_qp_init_attr *init)
{
	u32 flags = profile->block_loopback ? IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK : 0;

	if (profile->tso && init->qp_type == IB_QPT_UD)
		flags |= IB_QP_CREATE_IPOIB_UD_LSO;

	switch (init->qp_type) {
	case IB_QPT_UC:
		if (!profile->uc)
			return -EOPNOTSUPP;
		break;
	case IB_QPT_SMI:
	case IB_QPT_GSI:
	case IB_QPT_RC:
	case IB_QPT_UD:
		break;
	default:
		return -EOPNOTSUPP;
	}
	if (init->create_flags & ~flags)
		return -EOPNOTSUPP;
	if (init->cap.max_inline_data > profile->max_inline || !init->send_cq || !init->recv_cq ||
	    init->cap.max_send_sge > profile->sges ||
	    init->cap.max_recv_sge > profile->sges)
		return -EINVAL;
	return 0;
}

static bool fault_hits(const struct ibds_qp *qp, atomic_t *countdown)
{
	return ibds_fault_hits(&qp->hca->fab->faults, countdown,
			       qp->ibqp.pd->res.kern_name);
}

/**
 * ibds_create_qp - make a queue pair
 * @ibqp: result, zeroed by the core
 * @init: type and sizes; what it got is written back
 * @udata: unused
 *
 * Return: 0 or a negative errno.
 * Context: Process context, may sleep.
 */
int ibds_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		   struct ib_udata *udata)
{
	struct ibds_qp *qp = to_ibds_qp(ibqp);
	int err;

	qp->hca = to_ibds_hca(ibqp->device);
	err = ibds_command(qp->hca) ?: check_init(qp->hca->profile, init);
	if (err)
		return err;
	ibds_fault_count_io(&qp->hca->fab->faults, &qp->hca->faults.with_io,
			    ibqp->pd->res.kern_name);
	if (init->srq && init->srq->pd != ibqp->pd)
		return -EINVAL;
	if (fault_hits(qp, &qp->hca->faults.create_qp))
		return -ENOMEM;
	err = ibds_take(&qp->hca->limits, IBDS_OBJ_QP);
	if (err)
		return err;

	refcount_set(&qp->refs, 1);
	init_completion(&qp->released);
	mutex_init(&qp->modifying);
	spin_lock_init(&qp->lock);
	spin_lock_init(&qp->rsp.lock);
	hrtimer_setup(&qp->req.timer, timer_done, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_SOFT);
	hrtimer_setup(&qp->req.answer_timer, answer_arrives, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
	qp->state = IB_QPS_RESET;
	qp->sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->block_loopback = init->create_flags &
			     IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK;
	qp->lso = init->create_flags & IB_QP_CREATE_IPOIB_UD_LSO;
	/* An HCA that can cut wants to be told that the queue pair is for IPoIB. */
	qp->checks_sums = qp->hca->profile->csum && init->qp_type == IB_QPT_UD &&
			  (qp->lso || !qp->hca->profile->tso);
	/* The core sets this one only after we return. */
	ibqp->qp_type = init->qp_type;

	err = init_sq(&qp->sq, init->cap.max_send_wr, init->cap.max_send_sge,
		      init->cap.max_inline_data,
		      qp->hca->profile->csum && init->qp_type == IB_QPT_UD);
	if (!err && init->srq)
		qp->recv = &to_ibds_srq(init->srq)->rq;
	else if (!err)
		err = ibds_rq_init(&qp->rq, qp->hca, init->cap.max_recv_wr,
				   init->cap.max_recv_sge);
	if (err)
		goto err_queues;
	if (!init->srq) {
		qp->recv = &qp->rq;
		init->cap.max_recv_wr = ibds_rq_space(&qp->rq);
		init->cap.max_recv_sge = qp->rq.max_sge;
	}
	init->cap.max_send_wr = qp->sq.room;
	init->cap.max_send_sge = qp->sq.max_sge;
	qp->attr.cap = init->cap;

	if (init->qp_type == IB_QPT_SMI || init->qp_type == IB_QPT_GSI)
		err = hash_special(qp, init->qp_type == IB_QPT_GSI);
	else
		hash_numbered(qp);
	if (err)
		goto err_queues;
	return 0;

err_queues:
	ibds_rq_exit(&qp->rq);
	vfree(qp->sq.ring);
	ibds_give(&qp->hca->limits, IBDS_OBJ_QP);
	return err;
}

static void purge(struct ibds_qp *qp)
{
	ibds_cq_purge(to_ibds_cq(qp->ibqp.recv_cq), &qp->ibqp);
	if (qp->ibqp.send_cq != qp->ibqp.recv_cq)
		ibds_cq_purge(to_ibds_cq(qp->ibqp.send_cq), &qp->ibqp);
}

/*
 * forget_work() drops the work that will not be done; nobody posts now, and nothing is being
 * done.
 */
static void forget_work(struct ibds_qp *qp)
{
	struct ibds_sq *sq = &qp->sq;

	for (; sq->tail != sq->head; sq->tail++)
		ibds_sqe_done(ibds_sqe_at(sq, sq->tail));
	sq->cur = sq->head;
	sq->fresh = sq->head;
	if (qp->rsp.have_rqe)
		ibds_rq_give_back(qp->recv);
	qp->rsp.have_rqe = false;
	qp->rsp.in_message = false;
}

static void flush(struct ibds_cq *cq)
{
	ibds_vector_flush(cq->vector, cq);
}

/**
 * ibds_destroy_qp - destroy a queue pair
 * @ibqp: the queue pair
 * @udata: unused
 *
 * Return: 0.
 * Context: Process context, may sleep.
 */
int ibds_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct ibds_qp *qp = to_ibds_qp(ibqp);

	might_sleep();

	/* 1. No packet finds the queue pair any more. */
	unhash(qp);
	ibds_mcast_forget(qp);

	/* 2. Its engine does nothing more for it. */
	spin_lock_bh(&qp->lock);
	ibds_qp_set_state(qp, IB_QPS_RESET);
	spin_unlock_bh(&qp->lock);

	/*
	 * 3. The engines of others that have found it before (1) do nothing more for it either.
	 * The grace period is expedited here and elsewhere: a test destroys a thousand, one after
	 * the other, and there are no other users of the machine to be disturbed.
	 */
	synchronize_rcu_expedited();
	hrtimer_cancel(&qp->req.timer);
	hrtimer_cancel(&qp->req.answer_timer);

	/* 4. Nobody is left to kick it; the lists, that of a stalled HCA too, let go of it. */
	tasklet_schedule(&qp->hca->engine);
	ibds_qp_put(qp);
	wait_for_completion(&qp->released);

	/* 5. Its completions are not to be seen without it. */
	forget_work(qp);
	purge(qp);

	/*
	 * 6. Its consumer is not to hear of it afterwards: ib_free_cq() relies on that when it
	 * cancels the work that polls, before it destroys the queue.
	 */
	flush(to_ibds_cq(ibqp->send_cq));
	flush(to_ibds_cq(ibqp->recv_cq));

	ibds_rq_exit(&qp->rq);
	vfree(qp->sq.ring);
	ibds_give(&qp->hca->limits, IBDS_OBJ_QP);
	return 0;
}

static void reset(struct ibds_qp *qp)
{
	struct ibds_sq *sq = &qp->sq;
	unsigned long flags;
	int todo;

	/* The grace period waits for packets that were being received in the old state. */
	synchronize_rcu_expedited();
	hrtimer_cancel(&qp->req.timer);
	hrtimer_cancel(&qp->req.answer_timer);

	spin_lock_bh(&qp->lock);
	/* An error of its former life is not to end the next one. */
	for (todo = IBDS_TODO_ERROR; todo < IBDS_TODOS; todo++)
		clear_bit(todo, &qp->todo);
	spin_lock_irqsave(&sq->lock, flags);
	forget_work(qp);
	spin_unlock_irqrestore(&sq->lock, flags);
	qp->req.waiting = false;
	qp->req.timing = false;
	qp->req.delayed = false;
	qp->req.answer_tail = qp->req.answer_head;
	qp->rsp.nak_sent = false;
	qp->rsp.established = false;
	qp->rsp.failed = false;
	qp->rsp.msn = 0;
	ibds_mig_reset(qp);
	spin_unlock_bh(&qp->lock);
	if (!qp->ibqp.srq)
		ibds_rq_reset(&qp->rq);
	if (!qp->hca->profile->keeps_completions)
		purge(qp);
	/*
	 * Nothing is posted in this state, and no completion of it takes a slot any more: HCAs
	 * that keep completions free slots before that (@slot_at_poll).
	 */
	smp_store_release(&sq->polled, sq->head);
}

/* state_fault() returns an error if a knob says that the queue pair does not enter the state. */
static int state_fault(const struct ibds_qp *qp, enum ib_qp_state state)
{
	const struct ibds_hca_faults *faults = &qp->hca->faults;
	int err = 0;

	if (state == IB_QPS_RESET && READ_ONCE(faults->reset_fails))
		err = -EIO;
	else if (state == IB_QPS_INIT && READ_ONCE(faults->init_refused))
		err = -EINVAL;
	return err && ibds_fault_meant(&qp->hca->fab->faults, qp->ibqp.pd->res.kern_name) ?
	       err : 0;
}

/* too_large() says whether a value is more than a queue pair, or a packet, has room for. */
static bool too_large(const struct ib_qp_attr *attr, int mask)
{
	return (mask & IB_QP_TIMEOUT && attr->timeout > 31) ||
	       (mask & IB_QP_ALT_PATH && attr->alt_timeout > 31) ||
	       (mask & IB_QP_MIN_RNR_TIMER && attr->min_rnr_timer > 31) ||
	       (mask & IB_QP_RETRY_CNT && attr->retry_cnt > 7) ||
	       (mask & IB_QP_RNR_RETRY && attr->rnr_retry > 7) ||
	       (mask & IB_QP_MAX_QP_RD_ATOMIC && attr->max_rd_atomic > IBDS_RD_ATOMIC) ||
	       (mask & IB_QP_MAX_DEST_RD_ATOMIC &&
		attr->max_dest_rd_atomic > IBDS_RD_ATOMIC) ||
	       (mask & IB_QP_DEST_QPN && attr->dest_qp_num > IBDS_QPN_MASK);
}

static int check_attr(const struct ibds_qp *qp, const struct ib_qp_attr *attr,
		      int mask)
{
	u16 npkeys = qp->hca->port.npkeys;

	if ((mask & (IB_QP_ALT_PATH | IB_QP_PATH_MIG_STATE)) &&
	    !ibds_hca_migrates(qp->hca))
		return -EOPNOTSUPP;
	if (too_large(attr, mask))
		return -EINVAL;
	if ((mask & IB_QP_PKEY_INDEX) && attr->pkey_index >= npkeys)
		return -EINVAL;
	if ((mask & IB_QP_PORT) && attr->port_num != 1)
		return -EINVAL;
	if ((mask & IB_QP_ALT_PATH) &&
	    (attr->alt_port_num != 1 || attr->alt_pkey_index >= npkeys))
		return -EINVAL;
	if ((mask & IB_QP_PATH_MTU) &&
	    (attr->path_mtu < IB_MTU_256 ||
	     attr->path_mtu > READ_ONCE(qp->hca->port.mtu_cap)))
		return -EINVAL;
	return 0;
}

static void copy_attr(struct ibds_qp *qp, const struct ib_qp_attr *attr,
		      int mask)
{
	struct ib_qp_attr *to = &qp->attr;

	lockdep_assert_held(&qp->lock);

	if (mask & IB_QP_PKEY_INDEX)
		WRITE_ONCE(to->pkey_index, attr->pkey_index);
	if (mask & IB_QP_PORT)
		to->port_num = attr->port_num;
	if (mask & IB_QP_QKEY)
		WRITE_ONCE(to->qkey, attr->qkey);
	if (mask & IB_QP_ACCESS_FLAGS)
		to->qp_access_flags = attr->qp_access_flags;
	if (mask & IB_QP_PATH_MTU)
		to->path_mtu = attr->path_mtu;
	if (mask & IB_QP_RETRY_CNT)
		to->retry_cnt = attr->retry_cnt;
	if (mask & IB_QP_RNR_RETRY)
		to->rnr_retry = attr->rnr_retry;
	if (mask & IB_QP_RQ_PSN)
		to->rq_psn = attr->rq_psn;
	if (mask & IB_QP_SQ_PSN)
		to->sq_psn = attr->sq_psn;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		to->max_rd_atomic = attr->max_rd_atomic;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		to->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	if (mask & IB_QP_MIN_RNR_TIMER)
		to->min_rnr_timer = attr->min_rnr_timer;
	if (mask & IB_QP_DEST_QPN)
		to->dest_qp_num = attr->dest_qp_num;
	if (mask & IB_QP_EN_SQD_ASYNC_NOTIFY)
		to->en_sqd_async_notify = attr->en_sqd_async_notify;
}

/* Where there is an MTU that is no power of two, connections have the one before it. */
static u8 mtu_shift(enum ib_mtu mtu)
{
	return ilog2(opa_mtu_enum_to_int((enum opa_mtu)mtu));
}

/* apply_attr() sets what the data path has for its own. */
static void apply_attr(struct ibds_qp *qp, const struct ib_qp_attr *attr,
		       int mask)
{
	lockdep_assert_held(&qp->lock);

	if (mask & IB_QP_PATH_MTU)
		qp->mtu_shift = mtu_shift(attr->path_mtu);
	if (mask & IB_QP_RETRY_CNT)
		qp->req.retries = attr->retry_cnt;
	if (mask & IB_QP_RNR_RETRY)
		qp->req.rnr_retries = attr->rnr_retry;
	if (mask & IB_QP_SQ_PSN) {
		qp->req.psn = attr->sq_psn & IBDS_PSN_MASK;
		qp->req.una = qp->req.psn;
	}
	if (mask & IB_QP_RQ_PSN)
		qp->rsp.psn = attr->rq_psn & IBDS_PSN_MASK;
}

static void set_way(struct ibds_path *path, const struct ibds_av *av,
		    const struct rdma_ah_attr *attr)
{
	path->av = *av;
	path->attr = *attr;
	path->attr.grh.sgid_attr = NULL;
}

/* @av: of both paths, as far as they are meant */
static void set_paths(struct ibds_qp *qp, const struct ib_qp_attr *attr,
		      int mask, const struct ibds_av av[2])
{
	struct ibds_paths *paths = &qp->paths;
	struct ibds_path *now, *other;

	lockdep_assert_held(&qp->lock);

	/* An engine that receives a packet may be changing from one path to the other. */
	spin_lock(&qp->rsp.lock);
	now = &paths->path[paths->now];
	other = &paths->path[!paths->now];
	if (mask & IB_QP_PKEY_INDEX)
		now->pkey_index = attr->pkey_index;
	if (mask & IB_QP_TIMEOUT)
		now->timeout = attr->timeout;
	if (mask & IB_QP_AV)
		set_way(now, &av[0], &attr->ah_attr);
	if (mask & IB_QP_ALT_PATH) {
		set_way(other, &av[1], &attr->alt_ah_attr);
		other->pkey_index = attr->alt_pkey_index;
		other->timeout = attr->alt_timeout;
		WRITE_ONCE(paths->spare, true);
	}
	ibds_mig_set(qp, attr, mask);
	spin_unlock(&qp->rsp.lock);
}

static void query_paths(const struct ibds_qp *qp, struct ib_qp_attr *attr)
{
	const struct ibds_path *now = ibds_qp_path(qp), *other;

	lockdep_assert_held(&qp->lock);

	attr->ah_attr = now->attr;
	attr->pkey_index = now->pkey_index;
	attr->timeout = now->timeout;
	attr->path_mig_state = READ_ONCE(qp->paths.state);
	if (!READ_ONCE(qp->paths.spare))
		return;
	other = &qp->paths.path[now == qp->paths.path];
	attr->alt_ah_attr = other->attr;
	attr->alt_pkey_index = other->pkey_index;
	attr->alt_timeout = other->timeout;
	attr->alt_port_num = 1;
}

/* A connection leads to a port, and not to a group: rdmavt refuses its LID, too. */
static int path_init(struct ibds_av *av, const struct ibds_qp *qp,
		     const struct rdma_ah_attr *attr)
{
	int err = ibds_av_init(av, &qp->hca->port, attr);

	return err ?: (av->dlid && av->dlid < IBDS_LID_MCAST ? 0 : -EINVAL);
}

static int modify(struct ibds_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	enum ib_qp_state old, new;
	struct ibds_av av[2];
	int err;

	lockdep_assert_held(&qp->modifying);

	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	if (fault_hits(qp, &qp->hca->faults.modify_qp))
		return -EIO;
	err = mask & IB_QP_STATE ? state_fault(qp, attr->qp_state) : 0;
	if (!err)
		err = check_attr(qp, attr, mask);
	if (!err && (mask & IB_QP_AV))
		err = path_init(&av[0], qp, &attr->ah_attr);
	if (!err && (mask & IB_QP_ALT_PATH))
		err = path_init(&av[1], qp, &attr->alt_ah_attr);
	if (err)
		return err;

	spin_lock_bh(&qp->lock);
	old = qp->state;
	new = mask & IB_QP_STATE ? attr->qp_state : old;
	if ((mask & IB_QP_CUR_STATE && attr->cur_qp_state != old) ||
	    !ib_modify_qp_is_ok(old, new, qp->ibqp.qp_type, mask) ||
	    (new == IB_QPS_INIT && qp->spent && qp->hca->profile->one_life) ||
	    !ibds_mig_may(qp, attr, mask)) {
		spin_unlock_bh(&qp->lock);
		return -EINVAL;
	}
	set_paths(qp, attr, mask, av);
	copy_attr(qp, attr, mask);
	apply_attr(qp, attr, mask);
	ibds_qp_set_state(qp, new);
	if (new == IB_QPS_ERR && old != IB_QPS_ERR)
		set_bit(IBDS_TODO_LAST_WQE, &qp->todo);
	if (new == IB_QPS_SQD && old == IB_QPS_RTS &&
	    mask & IB_QP_EN_SQD_ASYNC_NOTIFY && attr->en_sqd_async_notify)
		set_bit(IBDS_TODO_SQ_DRAINED, &qp->todo);
	spin_unlock_bh(&qp->lock);

	if (new == IB_QPS_RESET)
		reset(qp);
	else
		ibds_qp_kick(qp);
	return 0;
}

/**
 * ibds_modify_qp - change the state or attributes of a queue pair
 * @ibqp: the queue pair
 * @attr: attributes
 * @mask: which of them are meant
 * @udata: unused
 *
 * Return: 0 or a negative errno.
 * Context: Process context, may sleep.
 */
int ibds_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		   struct ib_udata *udata)
{
	struct ibds_qp *qp = to_ibds_qp(ibqp);
	int err;

	err = ibds_command(qp->hca);
	if (err)
		return err;
	/* The core serialises none of it, and a reset takes its time. */
	mutex_lock(&qp->modifying);
	err = modify(qp, attr, mask);
	mutex_unlock(&qp->modifying);
	return err;
}

/**
 * ibds_query_qp - tell about a queue pair
 * @ibqp: the queue pair
 * @attr: result
 * @mask: unused, everything is told
 * @init: result
 *
 * Return: 0, or -EIO from a dead HCA.
 * Context: Process context, may sleep.
 */
int ibds_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_qp_init_attr *init)
{
	struct ibds_qp *qp = to_ibds_qp(ibqp);
	int err;

	err = ibds_command(qp->hca);
	if (err)
		return err;
	spin_lock_bh(&qp->lock);
	*attr = qp->attr;
	query_paths(qp, attr);
	attr->qp_state = qp->state;
	attr->cur_qp_state = qp->state;
	attr->sq_psn = qp->req.psn & IBDS_PSN_MASK;
	spin_lock(&qp->rsp.lock);
	attr->rq_psn = qp->rsp.psn;
	spin_unlock(&qp->rsp.lock);
	attr->sq_draining = qp->state == IB_QPS_SQD &&
			    qp->sq.tail != qp->sq.cur;
	spin_unlock_bh(&qp->lock);

	memset(init, 0, sizeof(*init));
	init->event_handler = ibqp->event_handler;
	init->qp_context = ibqp->qp_context;
	init->send_cq = ibqp->send_cq;
	init->recv_cq = ibqp->recv_cq;
	init->srq = ibqp->srq;
	init->cap = attr->cap;
	init->sq_sig_type = qp->sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	init->qp_type = ibqp->qp_type;
	if (qp->block_loopback)
		init->create_flags |= IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK;
	if (qp->lso)
		init->create_flags |= IB_QP_CREATE_IPOIB_UD_LSO;
	return 0;
}

/* Is a datagram longer than the MTU that an address of Omni-Path can have? */
static bool is_refused_length(const struct ibds_qp *qp, const struct ibds_sqe *sqe)
{
	return qp->hca->profile->opa &&
	       sqe->len > BIT(mtu_shift((enum ib_mtu)READ_ONCE(qp->hca->port.mtu)));
}

/* Its address, as the HCA has it until it has sent it. */
static void address(const struct ibds_qp *qp, struct ibds_sqe *sqe, struct ibds_ah *ah)
{
	sqe->av = ah->av;
	if (ah->ibah.pd != qp->ibqp.pd)
		sqe->fault = IB_WC_LOC_QP_OP_ERR;
	if (qp->hca->profile->ah_by_value)
		return;
	sqe->ah = ah;
	atomic_inc(&ah->sends);
}

static int fill_sqe(struct ibds_qp *qp, struct ibds_sqe *sqe,
		    const struct ib_send_wr *wr)
{
	int i, err;

	if (wr->opcode != IB_WR_SEND && wr->opcode != IB_WR_SEND_WITH_IMM &&
	    wr->opcode != IB_WR_LSO)
		return -EOPNOTSUPP;
	if (wr->num_sge < 0 || wr->num_sge > qp->sq.max_sge ||
	    wr->send_flags & ~SEND_FLAGS)
		return -EINVAL;

	sqe->wr_id = wr->wr_id;
	sqe->has_imm = wr->opcode == IB_WR_SEND_WITH_IMM;
	sqe->imm = wr->ex.imm_data;
	sqe->signaled = qp->sig_all || wr->send_flags & IB_SEND_SIGNALED;
	sqe->solicited = wr->send_flags & IB_SEND_SOLICITED;
	sqe->fault = IB_WC_SUCCESS;
	sqe->ah = NULL;
	sqe->len = 0;
	for (i = 0; i < wr->num_sge; i++) {
		sqe->sge[i] = wr->sg_list[i];
		sqe->len += wr->sg_list[i].length;
		/* As in post_one(): a piece of no octets is one of 2^31 for some. */
		if (wr->sg_list[i].lkey != qp->ibqp.device->local_dma_lkey ||
		    !wr->sg_list[i].length)
			sqe->fault = IB_WC_LOC_PROT_ERR;
	}
	err = ibds_offload_post(qp, sqe, wr);
	if (err)
		return err;

	if (qp->ibqp.qp_type != IB_QPT_RC && qp->ibqp.qp_type != IB_QPT_UC) {
		if (is_refused_length(qp, sqe))
			return -EINVAL;
		sqe->qpn = ud_wr(wr)->remote_qpn;
		if (sqe->qpn > IBDS_QPN_MASK)
			sqe->fault = IB_WC_LOC_QP_OP_ERR;
		sqe->qkey = ud_wr(wr)->remote_qkey;
		sqe->pkey_index = ud_wr(wr)->pkey_index;
		if (sqe->pkey_index >= qp->hca->port.npkeys)
			return -EINVAL;
		address(qp, sqe, to_ibds_ah(ud_wr(wr)->ah));
	}
	return 0;
}

/* first_taken() returns the oldest of the sends that take a slot. */
static u32 first_taken(const struct ibds_qp *qp)
{
	const u32 *taken = qp->hca->profile->slot_at_poll ? &qp->sq.polled :
							    &qp->sq.tail;

	/* The acquire pairs with the releases of sq->tail and of sq->polled. */
	return smp_load_acquire(taken);
}

/* A consumer whose queue has no room, or that sends what the HCA does not, counts wrong. */
static int take_send(struct ibds_qp *qp, u32 head, const struct ib_send_wr *wr)
{
	int err;

	if (unlikely(head - first_taken(qp) >= qp->sq.room))
		err = -ENOMEM;
	else
		err = fill_sqe(qp, ibds_sqe_at(&qp->sq, head), wr);
	return likely(!err) ? 0 : ibds_fault_blame(qp->ibqp.pd->res.kern_name, "sends", err);
}

/**
 * ibds_post_send - post sends
 * @ibqp: on this queue pair
 * @wr: chain of work requests
 * @bad_wr: result on failure, the first that was not posted
 *
 * Nothing completes before the engine runs, so callers may hold locks that
 * their completion handlers take.
 *
 * Return: 0 or a negative errno.
 * Context: Any.
 */
int ibds_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		   const struct ib_send_wr **bad_wr)
{
	struct ibds_qp *qp = to_ibds_qp(ibqp);
	struct ibds_sq *sq = &qp->sq;
	unsigned long flags;
	u32 head;
	int err = 0;

	spin_lock_irqsave(&sq->lock, flags);
	head = sq->head;
	for (; wr; wr = wr->next) {
		if (unlikely(!ibds_qp_may(qp, IBDS_QP_POST_SEND)))
			err = -EINVAL;
		else if (unlikely(READ_ONCE(qp->hca->faults.dead)))
			err = -EIO;
		else if (fault_hits(qp, &qp->hca->faults.post_send))
			err = -ENOMEM;
		else
			err = take_send(qp, head, wr);
		if (unlikely(err)) {
			*bad_wr = wr;
			break;
		}
		head++;
	}
	/* Pairs with the engine's acquire: entries before the index. */
	smp_store_release(&sq->head, head);
	spin_unlock_irqrestore(&sq->lock, flags);

	ibds_qp_kick(qp);
	return err;
}

/**
 * ibds_post_recv - post receive buffers
 * @ibqp: on this queue pair
 * @wr: chain of work requests
 * @bad_wr: result on failure, the first that was not posted
 *
 * Return: 0 or a negative errno.
 * Context: Any.
 */
int ibds_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		   const struct ib_recv_wr **bad_wr)
{
	struct ibds_qp *qp = to_ibds_qp(ibqp);
	int err;

	*bad_wr = wr;
	if (ibqp->srq || !ibds_qp_may(qp, IBDS_QP_POST_RECV))
		return -EINVAL;
	if (unlikely(READ_ONCE(qp->hca->faults.dead)))
		return -EIO;
	err = ibds_rq_post(&qp->rq, ibqp->pd, wr, bad_wr);

	/* Posted in the error state, it is flushed. */
	if (unlikely(ibds_qp_may(qp, IBDS_QP_FLUSH_RECV)))
		ibds_qp_kick(qp);
	return err;
}
