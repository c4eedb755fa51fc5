// SPDX-License-Identifier: GPL-2.0
#include "sq.h"

#include "cq.h"
#include "fabric.h"
#include "fault.h"
#include "qp.h"

/**
 * ibds_sq_complete - the oldest send is done
 * @qp: the queue pair, its lock held
 * @status: how it went
 * @batch: takes the completion queue
 *
 * Context: RCU held, bottom halves off.
 */
void ibds_sq_complete(struct ibds_qp *qp, enum ib_wc_status status,
		      struct ibds_batch *batch)
{
	struct ibds_cq *cq = to_ibds_cq(qp->ibqp.send_cq);
	struct ibds_sq *sq = &qp->sq;
	const struct ibds_sqe *sqe = ibds_sqe_at(sq, sq->tail);
	const struct ibds_extra *extra = ibds_sqe_extra(sq, sqe);
	unsigned long flags;
	struct ib_wc *wc;

	lockdep_assert_held(&qp->lock);

	ibds_sqe_done(sqe);
	if (!sqe->signaled && likely(!status)) {
		/*
		 * The release pairs with the acquire in first_taken() of qp.c: the entry is free.
		 */
		smp_store_release(&sq->tail, sq->tail + 1);
		return;
	}
	wc = ibds_cq_begin(cq, &qp->ibqp, sqe->wr_id, status, &flags);
	if (likely(wc))
		ibds_cq_frees(wc, &sq->polled, sq->tail + 1);
	else
		ibds_qp_unheard(qp);
	if (likely(wc && !status)) {
		wc->opcode = extra && extra->mss ? IB_WC_LSO : IB_WC_SEND;
		wc->wc_flags = 0;
	}
	/*
	 * This release pairs with first_taken(), too; and the entry is free before its owner can
	 * know.
	 */
	smp_store_release(&sq->tail, sq->tail + 1);
	ibds_cq_end(cq, wc, false, batch, flags);
}

/**
 * ibds_sq_fault - is the next send made to fail?
 * @qp: the queue pair
 *
 * Return: the status to complete it with, IB_WC_SUCCESS to do it.
 * Context: Any.
 */
enum ib_wc_status ibds_sq_fault(struct ibds_qp *qp)
{
	struct ibds_hca_faults *faults = &qp->hca->faults;

	if (likely(!ibds_fault_hits(&qp->hca->fab->faults, &faults->send_error,
				    qp->ibqp.pd->res.kern_name)))
		return IB_WC_SUCCESS;
	return READ_ONCE(faults->send_status);
}

/**
 * ibds_qp_fail - enter the error state
 * @qp: the queue pair, its lock held
 *
 * The engine flushes it, and afterwards tells of the last work request.
 */
void ibds_qp_fail(struct ibds_qp *qp)
{
	lockdep_assert_held(&qp->lock);

	if (qp->state == IB_QPS_ERR || qp->state == IB_QPS_RESET)
		return;
	ibds_qp_set_state(qp, IB_QPS_ERR);
	set_bit(IBDS_TODO_LAST_WQE, &qp->todo);
	ibds_qp_kick(qp);
}

/**
 * ibds_qp_send_failed - a send that nobody acknowledges has failed
 * @qp: the queue pair, its lock held
 *
 * IBTA 10.3.1.7: only the sending side is stuck. With irdma the queue pair is, and an event says
 * so, which may come after the completion.
 */
void ibds_qp_send_failed(struct ibds_qp *qp)
{
	lockdep_assert_held(&qp->lock);

	if (qp->hca->profile->one_life) {
		ibds_qp_fail(qp);
		ibds_qp_todo(qp, IBDS_TODO_FATAL);
	} else {
		ibds_qp_set_state(qp, IB_QPS_SQE);
	}
}

static void flush_recv(struct ibds_qp *qp, u64 wr_id, struct ibds_batch *batch)
{
	struct ibds_cq *cq = to_ibds_cq(qp->ibqp.recv_cq);
	unsigned long flags;
	struct ib_wc *wc = ibds_cq_begin(cq, &qp->ibqp, wr_id, IB_WC_WR_FLUSH_ERR,
					 &flags);

	ibds_cq_frees_recv(wc, qp->recv);
	ibds_cq_end(cq, wc, true, batch, flags);
}

/**
 * ibds_qp_flush - complete unsuccessfully what will not be done any more
 * @qp: the queue pair, its lock held
 * @batch: takes the completion queues
 *
 * What that is, its state says.
 *
 * Context: RCU held, bottom halves off.
 */
void ibds_qp_flush(struct ibds_qp *qp, struct ibds_batch *batch)
{
	struct ibds_sq *sq = &qp->sq;
	/* Pairs with the release in ibds_post_send(). */
	u32 head = smp_load_acquire(&sq->head);
	struct ibds_rqe_taken rqe;
	bool low;

	lockdep_assert_held(&qp->lock);

	while (sq->tail != head)
		ibds_sq_complete(qp, IB_WC_WR_FLUSH_ERR, batch);
	sq->cur = head;
	sq->fresh = head;
	qp->req.waiting = false;
	qp->req.answer_tail = qp->req.answer_head;
	qp->req.una = qp->req.psn;

	if (!ibds_qp_may(qp, IBDS_QP_FLUSH_RECV))
		return;
	spin_lock(&qp->rsp.lock);
	if (qp->rsp.have_rqe) {
		flush_recv(qp, qp->rsp.rqe.wr_id, batch);
		qp->rsp.have_rqe = false;
		qp->rsp.in_message = false;
	}
	while (!qp->ibqp.srq && !ibds_rq_take(&qp->rq, 0, &rqe, &low))
		flush_recv(qp, rqe.wr_id, batch);
	spin_unlock(&qp->rsp.lock);
}
