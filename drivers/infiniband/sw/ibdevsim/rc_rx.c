// SPDX-License-Identifier: GPL-2.0
#include "rc_rx.h"

#include "cq.h"
#include "keys.h"
#include "mig.h"
#include "packet.h"
#include "psn.h"
#include "qp.h"
#include "ud_rx.h"
#include "wire.h"

static bool is_first(u8 opcode)
{
	opcode &= 0x1f;
	return opcode == IBDS_OP_SEND_FIRST || opcode >= IBDS_OP_SEND_ONLY;
}

static bool is_last(u8 opcode)
{
	return (opcode & 0x1f) >= IBDS_OP_SEND_LAST;
}

static bool has_imm(u8 opcode)
{
	return is_last(opcode) && (opcode & 1);
}

/* fill_wc() does not say who has sent the message: a connection has one peer. */
static void fill_wc(struct ib_wc *wc, const struct ibds_qp *qp,
		    const struct ibds_packet *pkt)
{
	wc->opcode = IB_WC_RECV;
	wc->byte_len = qp->rsp.off;
	wc->wc_flags = 0;
	if (has_imm(pkt->opcode)) {
		wc->wc_flags = IB_WC_WITH_IMM;
		wc->ex.imm_data = pkt->imm;
	}
}

static void complete_recv(struct ibds_qp *qp, const struct ibds_packet *pkt,
			  enum ib_wc_status status, struct ibds_batch *batch)
{
	struct ibds_cq *cq = to_ibds_cq(qp->ibqp.recv_cq);
	unsigned long flags;
	struct ib_wc *wc;

	lockdep_assert_held(&qp->rsp.lock);

	qp->rsp.have_rqe = false;
	qp->rsp.in_message = false;
	wc = ibds_cq_begin(cq, &qp->ibqp, qp->rsp.rqe.wr_id, status, &flags);
	ibds_cq_frees_recv(wc, qp->recv);
	if (unlikely(!wc))
		ibds_qp_unheard(qp);
	if (likely(wc && !status))
		fill_wc(wc, qp, pkt);
	ibds_cq_end(cq, wc, pkt->solicited, batch, flags);
}

static bool take_rqe(struct ibds_qp *qp)
{
	struct ibds_responder *rsp = &qp->rsp;
	bool low = false;

	lockdep_assert_held(&rsp->lock);

	if (!rsp->have_rqe) {
		if (unlikely(ibds_starved(qp)) ||
		    ibds_rq_take(qp->recv, 0, &rsp->rqe, &low))
			return false;
		rsp->have_rqe = true;
		if (unlikely(low))
			ibds_qp_todo(qp, IBDS_TODO_SRQ_LIMIT);
	}
	rsp->in_message = true;
	rsp->off = 0;
	rsp->at = (struct ibds_cursor) { .sge = rsp->rqe.sge };
	return true;
}

static bool has_room(const struct ibds_responder *rsp,
		     const struct ibds_packet *pkt)
{
	return pkt->len <= rsp->rqe.len - rsp->off;
}

/* take_in() puts a packet where it belongs; the message may be complete then. */
static enum ib_wc_status take_in(struct ibds_qp *qp,
				 const struct ibds_packet *pkt,
				 struct ibds_batch *batch)
{
	struct ibds_responder *rsp = &qp->rsp;
	struct ibds_cursor from = pkt->payload;
	enum ib_wc_status status = IB_WC_SUCCESS;

	lockdep_assert_held(&rsp->lock);

	if (unlikely(rsp->rqe.bad))
		status = IB_WC_LOC_PROT_ERR;
	else if (unlikely(!has_room(rsp, pkt)))
		status = IB_WC_LOC_LEN_ERR;
	if (unlikely(status)) {
		complete_recv(qp, pkt, status, batch);
		rsp->failed = true;
		ibds_qp_todo(qp, IBDS_TODO_ERROR);
		return status;
	}

	ibds_sg_copy(&rsp->at, &from, pkt->len);
	rsp->off += pkt->len;
	if (is_last(pkt->opcode)) {
		rsp->msn = ibds_psn_add(rsp->msn, 1);
		complete_recv(qp, pkt, IB_WC_SUCCESS, batch);
	}
	return IB_WC_SUCCESS;
}

static bool is_ours(struct ibds_qp *qp, const struct ibds_packet *pkt)
{
	u16 index;

	lockdep_assert_held(&qp->rsp.lock);

	if (unlikely(!ibds_qp_may(qp, IBDS_QP_RECEIVE) || qp->rsp.failed ||
		     ibds_qp_stuck(qp)))
		return false;
	if (ibds_mig_news(qp, pkt->armed) && !ibds_mig_arrived(qp, pkt))
		return false;
	if (unlikely(!ibds_mig_fits(qp, pkt)))
		return false;
	index = ibds_qp_path(qp)->pkey_index;
	if (unlikely(!ibds_pkey_match(READ_ONCE(qp->hca->port.pkeys[index]),
				      pkt->pkey))) {
		ibds_key_violation(qp->hca, pkt, IBDS_TRAP_PKEY);
		return false;
	}
	if (unlikely(qp->state == IB_QPS_RTR && !qp->rsp.established)) {
		qp->rsp.established = true;
		ibds_qp_todo(qp, IBDS_TODO_COMM_EST);
	}
	return true;
}

/* IBTA 9.7.4.1.6: all packets of a message but the last are as long as the path's MTU. */
static bool is_cut_right(const struct ibds_qp *qp, const struct ibds_packet *pkt)
{
	u32 mtu = 1 << qp->mtu_shift;

	return is_last(pkt->opcode) ? pkt->len <= mtu : pkt->len == mtu;
}

/* An answer goes by the path in use, whichever the question came by. */
static void address(const struct ibds_qp *qp, struct ibds_answer *answer)
{
	const struct ibds_av *av = &ibds_qp_path(qp)->av;

	lockdep_assert_held(&qp->rsp.lock);

	answer->slid = ibds_port_slid(&qp->hca->port, av->path_bits);
	answer->dlid = av->dlid;
	answer->dqpn = qp->attr.dest_qp_num;
	answer->sl = av->sl;
	answer->armed = ibds_mig_armed(qp);
	answer->has_grh = av->has_grh;
	if (av->has_grh)
		answer->grh = av->grh;
}

static void refuse(struct ibds_qp *qp, enum ibds_syndrome syndrome,
		   struct ibds_answer *answer)
{
	answer->syndrome = syndrome;
	answer->psn = qp->rsp.psn;
}

static void in_order(struct ibds_qp *qp, const struct ibds_packet *pkt,
		     struct ibds_answer *answer, struct ibds_batch *batch)
{
	struct ibds_responder *rsp = &qp->rsp;

	rsp->nak_sent = false;
	if (unlikely(is_first(pkt->opcode) == rsp->in_message ||
		     !is_cut_right(qp, pkt))) {
		refuse(qp, IBDS_NAK_INVALID, answer);
		ibds_qp_todo(qp, IBDS_TODO_ACCESS);
		return;
	}
	if (!rsp->in_message && !take_rqe(qp)) {
		refuse(qp, IBDS_RNR | qp->attr.min_rnr_timer, answer);
		/* There is one refusal at a time: what follows is not told of as a gap. */
		rsp->nak_sent = true;
		return;
	}
	switch (take_in(qp, pkt, batch)) {
	case IB_WC_SUCCESS:
		break;
	case IB_WC_LOC_LEN_ERR:
		refuse(qp, IBDS_NAK_INVALID, answer);
		return;
	default:
		refuse(qp, IBDS_NAK_OPERATION, answer);
		return;
	}
	answer->psn = rsp->psn;
	rsp->psn = ibds_psn_add(rsp->psn, 1);
	if (pkt->ack_req)
		answer->syndrome = IBDS_ACK;
}

/**
 * ibds_rc_rx - a packet of a reliable connection has arrived
 * @qp: at this queue pair
 * @pkt: the packet
 * @answer: result, what to answer
 * @batch: takes the completion queue
 *
 * Context: RCU held, bottom halves off; the only lock held is the requester's.
 */
void ibds_rc_rx(struct ibds_qp *qp, const struct ibds_packet *pkt,
		struct ibds_answer *answer, struct ibds_batch *batch)
{
	struct ibds_responder *rsp = &qp->rsp;
	s32 diff;

	answer->syndrome = IBDS_NONE;
	spin_lock(&rsp->lock);
	if (unlikely(!is_ours(qp, pkt)))
		goto out;

	diff = ibds_psn_diff(pkt->psn, rsp->psn);
	if (likely(!diff)) {
		in_order(qp, pkt, answer, batch);
	} else if (diff < 0) {
		/* The packet was seen before: its acknowledgment was lost. */
		answer->syndrome = IBDS_ACK;
		answer->psn = ibds_psn_add(rsp->psn, -1);
	} else if (!rsp->nak_sent) {
		rsp->nak_sent = true;
		refuse(qp, IBDS_NAK_SEQUENCE, answer);
	}
out:
	answer->msn = rsp->msn;
	if (answer->syndrome != IBDS_NONE)
		address(qp, answer);
	spin_unlock(&rsp->lock);
}

/**
 * ibds_uc_rx - a packet of an unreliable connection has arrived
 * @qp: at this queue pair
 * @pkt: the packet
 * @batch: takes the completion queue
 *
 * A message with a gap, or one that is too long for its buffer, is lost as a whole; the
 * buffer serves the next one.
 *
 * Context: as ibds_rc_rx().
 */
void ibds_uc_rx(struct ibds_qp *qp, const struct ibds_packet *pkt,
		struct ibds_batch *batch)
{
	struct ibds_responder *rsp = &qp->rsp;

	spin_lock(&rsp->lock);
	if (unlikely(!is_ours(qp, pkt)))
		goto out;

	if (unlikely(pkt->psn != rsp->psn))
		rsp->in_message = false;
	rsp->psn = ibds_psn_add(pkt->psn, 1);
	if (is_first(pkt->opcode)) {
		if (!take_rqe(qp))
			rsp->in_message = false;
	}
	if (unlikely(!is_cut_right(qp, pkt) || !has_room(rsp, pkt)))
		rsp->in_message = false;
	if (rsp->in_message)
		take_in(qp, pkt, batch);
out:
	spin_unlock(&rsp->lock);
}
