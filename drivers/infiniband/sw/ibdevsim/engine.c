// SPDX-License-Identifier: GPL-2.0
#include "engine.h"

#include "fabric.h"
#include "qp.h"
#include "rc_tx.h"
#include "sq.h"
#include "ud_tx.h"
#include "vector.h"

/* Packets of one queue pair in a row, so that the others get their share. */
#define QUANTUM		16

static const struct {
	u8 todo;
	u8 event;
} qp_events[] = {
	{ IBDS_TODO_FATAL,	IB_EVENT_QP_FATAL },
	{ IBDS_TODO_ACCESS,	IB_EVENT_QP_REQ_ERR },
	{ IBDS_TODO_COMM_EST,	IB_EVENT_COMM_EST },
	{ IBDS_TODO_SQ_DRAINED,	IB_EVENT_SQ_DRAINED },
	{ IBDS_TODO_PATH_MIG,	IB_EVENT_PATH_MIG },
	{ IBDS_TODO_PATH_MIG_ERR,	IB_EVENT_PATH_MIG_ERR },
	{ IBDS_TODO_LAST_WQE,	IB_EVENT_QP_LAST_WQE_REACHED },
};

static void tell(struct ibds_qp *qp, enum ib_event_type type)
{
	struct ib_event event = {
		.device = qp->ibqp.device,
		.element.qp = &qp->ibqp,
		.event = type,
	};

	if (qp->ibqp.event_handler)
		qp->ibqp.event_handler(&event, qp->ibqp.qp_context);
}

static void tell_srq(struct ib_srq *srq)
{
	struct ib_event event = {
		.device = srq->device,
		.element.srq = srq,
		.event = IB_EVENT_SRQ_LIMIT_REACHED,
	};

	if (srq->event_handler)
		srq->event_handler(&event, srq->srq_context);
}

/* No lock is held: handlers post work and ask questions. */
static void events(struct ibds_qp *qp)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(qp_events); i++) {
		u8 todo = qp_events[i].todo;

		if (!test_bit(todo, &qp->todo))
			continue;
		/* Only a reset races with that, and it takes the news back. */
		if (todo == IBDS_TODO_SQ_DRAINED && data_race(qp->sq.tail != qp->sq.fresh))
			continue;
		clear_bit(todo, &qp->todo);
		/* Only a shared queue leaves anybody waiting for that. */
		if (todo != IBDS_TODO_LAST_WQE || qp->ibqp.srq)
			tell(qp, qp_events[i].event);
	}
	if (test_and_clear_bit(IBDS_TODO_SRQ_LIMIT, &qp->todo))
		tell_srq(qp->ibqp.srq);
}

static bool connected(const struct ibds_qp *qp)
{
	return qp->ibqp.qp_type == IB_QPT_RC || qp->ibqp.qp_type == IB_QPT_UC;
}

/* run() returns true if the queue pair has to run again. */
static bool run(struct ibds_qp *qp, struct ibds_batch *batch)
{
	unsigned int rights;
	bool more = false;

	spin_lock(&qp->lock);
	if (unlikely(READ_ONCE(qp->todo)) &&
	    (test_and_clear_bit(IBDS_TODO_ERROR, &qp->todo) ||
	     test_bit(IBDS_TODO_FATAL, &qp->todo) ||
	     test_bit(IBDS_TODO_ACCESS, &qp->todo)))
		ibds_qp_fail(qp);

	rights = ibds_qp_rights(qp->state);
	if (likely(rights & IBDS_QP_SEND) || qp->state == IB_QPS_SQD) {
		if (connected(qp))
			more = ibds_rc_tx(qp, QUANTUM, batch);
		else if (rights & IBDS_QP_SEND)
			more = ibds_ud_tx(qp, QUANTUM, batch);
	}
	/* The state may just have become one of these. */
	if (unlikely(ibds_qp_rights(qp->state) &
		     (IBDS_QP_FLUSH_SEND | IBDS_QP_FLUSH_RECV)))
		ibds_qp_flush(qp, batch);
	spin_unlock(&qp->lock);

	if (unlikely(READ_ONCE(qp->todo) & ~BIT(IBDS_TODO_QUEUED))) {
		unsigned long flags = ibds_irq_enter();

		events(qp);
		ibds_irq_exit(flags);
	}
	return more;
}

static void run_all(struct ibds_hca *hca, struct llist_head *from,
		    struct ibds_batch *batch)
{
	struct llist_node *list = llist_reverse_order(llist_del_all(from));
	struct ibds_qp *qp, *next;

	llist_for_each_entry_safe(qp, next, list, ready) {
		if (unlikely(ibds_qp_stuck(qp))) {
			/* Reference and bit stay: nobody queues it once more. */
			llist_add(&qp->ready, &hca->stuck);
			continue;
		}
		/* A kick that comes after this queues the queue pair again. */
		clear_bit(IBDS_TODO_QUEUED, &qp->todo);
		/* Pairs with test_and_set_bit() in ibds_qp_kick(). */
		smp_mb__after_atomic();
		if (run(qp, batch))
			ibds_qp_kick(qp);
		ibds_qp_put(qp);
	}
}

static void engine(struct tasklet_struct *t)
{
	struct ibds_hca *hca = from_tasklet(hca, t, engine);
	struct ibds_batch batch = { };

	rcu_read_lock();
	if (unlikely(!llist_empty(&hca->stuck)))
		run_all(hca, &hca->stuck, &batch);
	run_all(hca, &hca->ready, &batch);
	ibds_batch_finish(&batch);
	rcu_read_unlock();
}

/**
 * ibds_engine_init - make the engine of an HCA
 * @hca: the HCA
 */
void ibds_engine_init(struct ibds_hca *hca)
{
	init_llist_head(&hca->ready);
	init_llist_head(&hca->stuck);
	tasklet_setup(&hca->engine, engine);
}

/**
 * ibds_engine_stall - do nothing any more for numbered queue pairs, or go on
 * @hca: the HCA
 * @stalled: which
 *
 * Context: Any.
 */
void ibds_engine_stall(struct ibds_hca *hca, bool stalled)
{
	WRITE_ONCE(hca->faults.stalled, stalled);
	tasklet_schedule(&hca->engine);
}

static void dies(struct ibds_qp *qp)
{
	if (qp->ibqp.qp_num < ARRAY_SIZE(qp->hca->special) ||
	    qp->hca->profile->flush_dead)
		ibds_qp_todo(qp, IBDS_TODO_ERROR);
}

/**
 * ibds_engine_kill - the firmware of an HCA dies
 * @hca: the HCA
 *
 * Commands fail from now on. Work comes back flushed, as the kernel's drivers of some HCAs
 * see to, or never; that of the RDMA core in any case, which would wait for it without end.
 *
 * Context: Process context.
 */
void ibds_engine_kill(struct ibds_hca *hca)
{
	struct ibds_qp *qp;
	int i;

	WRITE_ONCE(hca->faults.dead, true);
	if (!hca->profile->flush_dead)
		ibds_engine_stall(hca, true);
	rcu_read_lock();
	for (i = 0; i < ARRAY_SIZE(hca->special); i++) {
		qp = rcu_dereference(hca->special[i]);
		if (qp)
			dies(qp);
	}
	for (i = 0; i < IBDS_QP_HASH; i++)
		hlist_for_each_entry_rcu(qp, &hca->qps[i], hash)
			dies(qp);
	rcu_read_unlock();
	ibds_hca_event(hca, IB_EVENT_DEVICE_FATAL);
}

/**
 * ibds_engine_exit - stop it
 * @hca: the HCA; has no queue pairs left
 *
 * Context: Process context, may sleep.
 */
void ibds_engine_exit(struct ibds_hca *hca)
{
	tasklet_kill(&hca->engine);
}
