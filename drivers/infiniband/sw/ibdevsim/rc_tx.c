// SPDX-License-Identifier: GPL-2.0
#include "rc_tx.h"

#include "fabric.h"
#include "mig.h"
#include "packet.h"
#include "psn.h"
#include "qp.h"
#include "rc_rx.h"
#include "sq.h"
#include "tap.h"
#include "wire.h"

#define RNR_FOREVER	7
/*
 * Packets without an answer: their numbers must tell before from after. Of a
 * peer that asks for packets before those that it has answered, there are
 * more than that: nothing is sent to it.
 */
#define WINDOW		BIT(22)
#define KIND(_syndrome)	((_syndrome) >> 5)

static bool is_stuck(const struct ibds_qp *qp)
{
	return qp->state == IB_QPS_ERR || qp->state == IB_QPS_SQE;
}

static bool is_uc(const struct ibds_qp *qp)
{
	return qp->ibqp.qp_type == IB_QPT_UC;
}

static void start_timer(struct ibds_qp *qp, u64 nsec)
{
	struct ibds_requester *req = &qp->req;

	req->timing = true;
	req->timed_una = req->una;
	hrtimer_start(&req->timer, ns_to_ktime(nsec), HRTIMER_MODE_REL_SOFT);
}

/* The oldest send ends with an error, and the connection with it. */
static void fail(struct ibds_qp *qp, enum ib_wc_status status,
		 struct ibds_batch *batch)
{
	if (qp->sq.tail != qp->sq.fresh)
		ibds_sq_complete(qp, status, batch);
	ibds_qp_fail(qp);
}

/* Go on from a packet that has been sent before. */
static void rewind_to(struct ibds_qp *qp, u32 psn)
{
	struct ibds_sq *sq = &qp->sq;
	u32 i = sq->tail;

	while (i != sq->fresh &&
	       ibds_psn_diff(ibds_sqe_at(sq, i)->last_psn, psn) < 0)
		i++;
	sq->cur = i;
	qp->req.psn = psn;
}

/* Everything up to @psn has arrived. */
static void acknowledged(struct ibds_qp *qp, u32 psn, struct ibds_batch *batch)
{
	struct ibds_requester *req = &qp->req;
	struct ibds_sq *sq = &qp->sq;

	if (ibds_psn_diff(psn, req->una) < 0)
		return;
	req->una = ibds_psn_add(psn, 1);
	req->retries = qp->attr.retry_cnt;
	req->rnr_retries = qp->attr.rnr_retry;
	while (sq->tail != sq->fresh &&
	       ibds_psn_diff(ibds_sqe_at(sq, sq->tail)->last_psn, psn) <= 0)
		ibds_sq_complete(qp, IB_WC_SUCCESS, batch);
	/* After going back too far, an answer can be ahead of us. */
	if (ibds_psn_diff(req->una, req->psn) > 0)
		rewind_to(qp, req->una);
}

/* begin_path() forgets what was counted on the other path. */
static void begin_path(struct ibds_qp *qp)
{
	struct ibds_requester *req = &qp->req;

	req->path = READ_ONCE(qp->paths.now);
	req->retries = qp->attr.retry_cnt;
	req->rnr_retries = qp->attr.rnr_retry;
}

static void retry(struct ibds_qp *qp, u32 psn, struct ibds_batch *batch)
{
	if (qp->req.retries) {
		qp->req.retries--;
	} else if (ibds_mig_lost(qp)) {
		/* The same packets are sent again: those that arrived are known there. */
		begin_path(qp);
	} else {
		fail(qp, IB_WC_RETRY_EXC_ERR, batch);
		return;
	}
	rewind_to(qp, psn);
}

static void receiver_not_ready(struct ibds_qp *qp,
			       const struct ibds_answer *answer,
			       struct ibds_batch *batch)
{
	struct ibds_requester *req = &qp->req;

	if (!req->rnr_retries) {
		fail(qp, IB_WC_RNR_RETRY_EXC_ERR, batch);
		return;
	}
	if (req->rnr_retries != RNR_FOREVER)
		req->rnr_retries--;
	rewind_to(qp, answer->psn);
	req->waiting = true;
	start_timer(qp, ibds_rnr_nsec(answer->syndrome));
}

static void handle(struct ibds_qp *qp, const struct ibds_answer *answer,
		   struct ibds_batch *batch)
{
	if (KIND(answer->syndrome) == KIND(IBDS_ACK)) {
		acknowledged(qp, answer->psn, batch);
		return;
	}

	/* A refusal acknowledges all that came before. */
	acknowledged(qp, ibds_psn_add(answer->psn, -1), batch);
	if (KIND(answer->syndrome) == KIND(IBDS_RNR)) {
		receiver_not_ready(qp, answer, batch);
		return;
	}
	switch (answer->syndrome) {
	case IBDS_NAK_SEQUENCE:
		retry(qp, answer->psn, batch);
		break;
	case IBDS_NAK_INVALID:
		fail(qp, IB_WC_REM_INV_REQ_ERR, batch);
		break;
	case IBDS_NAK_ACCESS:
		fail(qp, IB_WC_REM_ACCESS_ERR, batch);
		break;
	default:
		fail(qp, IB_WC_REM_OP_ERR, batch);
		break;
	}
}

static struct ibds_late_answer *answer_at(struct ibds_requester *req, u32 index)
{
	return &req->answers[index % IBDS_ANSWERS];
}

/* It is on the way for a while; where very many are, one tells for two of them. */
static void answer_later(struct ibds_qp *qp, const struct ibds_answer *answer,
			 u32 usec)
{
	struct ibds_requester *req = &qp->req;
	struct ibds_late_answer *late;

	if (req->answer_head - req->answer_tail == IBDS_ANSWERS) {
		late = answer_at(req, req->answer_head - 1);
		/* A refusal that is lost is one that is missed. */
		if (KIND(late->syndrome) == KIND(IBDS_ACK) &&
		    KIND(answer->syndrome) == KIND(IBDS_ACK))
			late->psn = answer->psn;
		return;
	}
	late = answer_at(req, req->answer_head++);
	late->due = ktime_add_us(ktime_get(), usec);
	late->psn = answer->psn;
	late->syndrome = answer->syndrome;
	if (req->answer_head - req->answer_tail == 1)
		hrtimer_start(&req->answer_timer, late->due, HRTIMER_MODE_ABS_SOFT);
}

/* None overtakes another, whatever has been written to the knob meanwhile. */
static void take_answer(struct ibds_qp *qp, const struct ibds_answer *answer,
			struct ibds_batch *batch)
{
	struct ibds_requester *req = &qp->req;
	u32 usec = READ_ONCE(qp->hca->fab->faults.wire_usec);

	if (likely(!usec && req->answer_head == req->answer_tail))
		handle(qp, answer, batch);
	else
		answer_later(qp, answer, usec);
}

static void late_answers(struct ibds_qp *qp, struct ibds_batch *batch)
{
	struct ibds_requester *req = &qp->req;
	ktime_t now = ktime_get();

	while (req->answer_head != req->answer_tail) {
		const struct ibds_late_answer *late = answer_at(req, req->answer_tail);
		struct ibds_answer answer = {
			.syndrome = late->syndrome,
			.psn = late->psn,
		};

		if (ktime_after(late->due, now)) {
			hrtimer_start(&req->answer_timer, late->due,
				      HRTIMER_MODE_ABS_SOFT);
			return;
		}
		req->answer_tail++;
		if (!is_stuck(qp))
			handle(qp, &answer, batch);
	}
}

/* answer_fits() says whether the requester takes the answer, by the path that it came by. */
static bool answer_fits(struct ibds_qp *qp, const struct ibds_packet *ack)
{
	bool told = true;

	if (unlikely(ibds_mig_news(qp, ack->armed))) {
		spin_lock(&qp->rsp.lock);
		told = ibds_mig_arrived(qp, ack);
		spin_unlock(&qp->rsp.lock);
	}
	return told && ibds_mig_fits(qp, ack);
}

/*
 * The answer goes the way back, and may be lost there as well. It is for the queue pair that the
 * responder takes for its peer.
 */
static bool answer_arrives(struct ibds_qp *peer, struct ibds_qp *qp,
			   const struct ibds_packet *pkt,
			   const struct ibds_answer *answer)
{
	struct ibds_fabric *fab = peer->hca->fab;
	struct ibds_packet ack = {
		.slid = answer->slid,
		.dlid = answer->dlid,
		.pkey = pkt->pkey,
		.sl = answer->sl,
		.opcode = IBDS_OP_ACK,
		.dqpn = answer->dqpn,
		.sqpn = peer->ibqp.qp_num,
		.psn = answer->psn,
		.aeth = answer->syndrome << 24 | answer->msn,
		.armed = answer->armed,
		.grh = answer->has_grh ? &answer->grh : NULL,
	};
	struct ibds_hca *back;
	bool to_switch;

	ibds_tap(&ack);
	back = ibds_route(peer->hca, &ack, &to_switch);
	if (ibds_fault_packet(&fab->faults, IBDS_CLASS_RC, ack.dlid) ==
	    IBDS_DROP)
		return false;
	return back == qp->hca && ack.dqpn == qp->ibqp.qp_num && answer_fits(qp, &ack);
}

/* exchange() sends one packet and fetches what comes back; it returns false if nothing does. */
static bool exchange(struct ibds_qp *qp, const struct ibds_packet *pkt,
		     bool twice, struct ibds_answer *answer,
		     struct ibds_batch *batch)
{
	struct ibds_answer ignored;
	struct ibds_hca *hca;
	struct ibds_qp *peer;
	bool to_switch;

	hca = ibds_route(qp->hca, pkt, &to_switch);
	if (unlikely(!hca))
		return false;
	peer = ibds_qp_find(hca, pkt->dqpn);
	if (unlikely(!peer || peer->ibqp.qp_type != qp->ibqp.qp_type))
		return false;

	if (is_uc(qp)) {
		ibds_uc_rx(peer, pkt, batch);
		if (unlikely(twice))
			ibds_uc_rx(peer, pkt, batch);
		return false;
	}
	ibds_rc_rx(peer, pkt, answer, batch);
	if (unlikely(twice))
		ibds_rc_rx(peer, pkt, &ignored, batch);
	return answer->syndrome != IBDS_NONE &&
	       answer_arrives(peer, qp, pkt, answer);
}

static u8 opcode_of(const struct ibds_sqe *sqe, u32 psn)
{
	bool first = psn == sqe->first_psn, last = psn == sqe->last_psn;

	if (first && last)
		return sqe->has_imm ? IBDS_OP_SEND_ONLY_IMM : IBDS_OP_SEND_ONLY;
	if (first)
		return IBDS_OP_SEND_FIRST;
	if (!last)
		return IBDS_OP_SEND_MIDDLE;
	return sqe->has_imm ? IBDS_OP_SEND_LAST_IMM : IBDS_OP_SEND_LAST;
}

static void make_packet(const struct ibds_qp *qp, const struct ibds_sqe *sqe,
			struct ibds_packet *pkt)
{
	const struct ibds_port *port = &qp->hca->port;
	const struct ibds_path *path = ibds_qp_path(qp);
	u32 psn = qp->req.psn;
	u32 off = ibds_psn_add(psn, -sqe->first_psn) << qp->mtu_shift;
	bool last = psn == sqe->last_psn;

	pkt->slid = ibds_port_slid(port, path->av.path_bits);
	pkt->dlid = path->av.dlid;
	pkt->sl = path->av.sl;
	pkt->pkey = READ_ONCE(port->pkeys[path->pkey_index]);
	pkt->opcode = opcode_of(sqe, psn) | (is_uc(qp) ? IBDS_OP_UC : IBDS_OP_RC);
	pkt->solicited = last && sqe->solicited;
	pkt->ack_req = last && !is_uc(qp);
	pkt->armed = ibds_mig_armed(qp);
	pkt->dqpn = qp->attr.dest_qp_num;
	pkt->sqpn = qp->ibqp.qp_num;
	pkt->qkey = 0;
	pkt->psn = psn;
	pkt->imm = sqe->imm;
	pkt->aeth = 0;
	pkt->len = min(sqe->len - off, 1U << qp->mtu_shift);
	pkt->payload = (struct ibds_cursor) { .sge = sqe->sge };
	if (off)
		ibds_sg_skip(&pkt->payload, off);
	pkt->grh = path->av.has_grh ? &path->av.grh : NULL;
}

static enum ibds_verdict verdict(struct ibds_qp *qp, u16 dlid)
{
	struct ibds_fabric *fab = qp->hca->fab;
	enum ibds_verdict v;

	v = ibds_fault_packet(&fab->faults,
			      is_uc(qp) ? IBDS_CLASS_UC : IBDS_CLASS_RC, dlid);
	if (v == IBDS_DELAY && qp->req.delayed)
		v = IBDS_PASS;
	qp->req.delayed = v == IBDS_DELAY;
	return v;
}

static void send_packet(struct ibds_qp *qp, struct ibds_batch *batch)
{
	struct ibds_requester *req = &qp->req;
	struct ibds_sq *sq = &qp->sq;
	const struct ibds_sqe *sqe = ibds_sqe_at(sq, sq->cur);
	struct ibds_fabric *fab = qp->hca->fab;
	struct ibds_answer answer;
	struct ibds_packet pkt;
	bool last, answered = false;
	enum ibds_verdict v;

	/* The path may change at any time: the verdict is on where this goes. */
	make_packet(qp, sqe, &pkt);
	v = verdict(qp, pkt.dlid);
	if (unlikely(v == IBDS_DELAY)) {
		/* A link keeps the order: what follows waits as well. */
		req->waiting = true;
		start_timer(qp, READ_ONCE(fab->faults.delay_usec) * 1000ULL);
		return;
	}

	last = pkt.psn == sqe->last_psn;
	ibds_tap(&pkt);
	if (likely(v != IBDS_DROP))
		answered = exchange(qp, &pkt, v == IBDS_DUP, &answer, batch);
	else
		ibds_count(ibds_switch_port(fab, qp->hca->index), IBDS_RCV_ERRORS);

	req->psn = ibds_psn_add(pkt.psn, 1);
	if (last)
		sq->cur++;
	if (answered)
		take_answer(qp, &answer, batch);
	else if (is_uc(qp))
		acknowledged(qp, pkt.psn, batch);
}

/* begin() gives the next work request its sequence numbers, or returns false if it cannot go. */
static bool begin(struct ibds_qp *qp, struct ibds_batch *batch)
{
	struct ibds_sq *sq = &qp->sq;
	struct ibds_sqe *sqe = ibds_sqe_at(sq, sq->fresh);
	enum ib_wc_status status = ibds_sq_fault(qp);

	if (unlikely(sqe->fault))
		status = sqe->fault;
	else if (unlikely(sqe->len > IBDS_MESSAGE_MAX))
		status = IB_WC_LOC_LEN_ERR;
	sqe->first_psn = qp->req.psn;
	sqe->last_psn = ibds_psn_add(qp->req.psn,
				     ibds_packets(sqe->len, qp->mtu_shift) - 1);
	sq->fresh++;
	if (likely(!status))
		return true;

	/* Sends that are still unanswered are lost with the connection. */
	while (sq->tail != sq->cur)
		ibds_sq_complete(qp, IB_WC_WR_FLUSH_ERR, batch);
	if (is_uc(qp)) {
		ibds_sq_complete(qp, status, batch);
		ibds_qp_send_failed(qp);
	} else {
		fail(qp, status, batch);
	}
	return false;
}

static void timer_expired(struct ibds_qp *qp, struct ibds_batch *batch)
{
	struct ibds_requester *req = &qp->req;

	/* It ran out just before it was started again. */
	if (hrtimer_is_queued(&req->timer))
		return;
	req->timing = false;
	if (req->waiting) {
		req->waiting = false;
		return;
	}
	/* Only the lack of any progress is a reason to send again. */
	if (req->una != req->psn && req->una == req->timed_una)
		retry(qp, req->una, batch);
}

/**
 * ibds_rc_tx - send what a connected queue pair has been given
 * @qp: queue pair that may send or finish sending, its lock held
 * @quantum: not more than so many packets
 * @batch: takes the completion queues
 *
 * Return: true if more is to be sent.
 * Context: RCU held, bottom halves off.
 */
bool ibds_rc_tx(struct ibds_qp *qp, unsigned int quantum,
		struct ibds_batch *batch)
{
	struct ibds_requester *req = &qp->req;
	struct ibds_sq *sq = &qp->sq;
	/* Pairs with the release in ibds_post_send(). */
	u32 head = smp_load_acquire(&sq->head);
	u64 nsec;

	lockdep_assert_held(&qp->lock);

	if (unlikely(test_bit(IBDS_TODO_TIMER, &qp->todo)) &&
	    test_and_clear_bit(IBDS_TODO_TIMER, &qp->todo))
		timer_expired(qp, batch);
	if (unlikely(req->answer_head != req->answer_tail))
		late_answers(qp, batch);
	/* The peer has moved, and we with it. */
	if (unlikely(req->path != READ_ONCE(qp->paths.now)))
		begin_path(qp);

	while (sq->cur != head && !req->waiting && !is_stuck(qp) &&
	       (u32)ibds_psn_diff(req->psn, req->una) < WINDOW) {
		if (!quantum--)
			return true;
		if (sq->cur == sq->fresh &&
		    (qp->state != IB_QPS_RTS || !begin(qp, batch)))
			break;
		send_packet(qp, batch);
	}

	/* All is sent and some of it not answered: that must not last. */
	nsec = ibds_ack_nsec(ibds_qp_path(qp)->timeout);
	if (unlikely(req->una != req->psn && !req->timing && nsec &&
		     !is_stuck(qp)))
		start_timer(qp, nsec);
	return false;
}
