// SPDX-License-Identifier: GPL-2.0
#include "ud_rx.h"

#include <linux/rculist.h>

#include "cq.h"
#include "fabric.h"
#include "keys.h"
#include "mcast.h"
#include "offload.h"
#include "packet.h"
#include "qp.h"
#include "trap.h"
#include "wire.h"

/**
 * ibds_key_violation - count a packet with a wrong key, and tell of it
 * @hca: HCA that has received it
 * @pkt: the packet
 * @trap: IBDS_TRAP_PKEY or IBDS_TRAP_QKEY
 *
 * Context: Softirq or bottom halves off; the fabric's lock is not held.
 */
void ibds_key_violation(struct ibds_hca *hca, const struct ibds_packet *pkt,
			enum ibds_trap trap)
{
	struct ibds_violation what = {
		.key = trap == IBDS_TRAP_PKEY ? pkt->pkey : pkt->qkey,
		.lid1 = pkt->slid,
		.lid2 = pkt->dlid,
		.sl = pkt->sl,
		.qp1 = pkt->sqpn,
		.qp2 = pkt->dqpn,
	};
	u16 *count = trap == IBDS_TRAP_PKEY ? &hca->port.pkey_violations :
					      &hca->port.qkey_violations;

	spin_lock_bh(hca->port.lock);
	if (*count != U16_MAX)
		++*count;
	spin_unlock_bh(hca->port.lock);
	if (trap == IBDS_TRAP_PKEY)
		ibds_count(&hca->port, IBDS_RCV_CONSTRAINT);
	ibds_trap_raise(&hca->node, trap, &what);
}

/**
 * ibds_starved - does the fault knob hide the receive buffers?
 * @qp: the queue pair that receives
 *
 * Return: true if the queue is to be taken for empty.
 * Context: Any.
 */
bool ibds_starved(struct ibds_qp *qp)
{
	struct ibds_hca *hca = qp->hca;

	if (likely(!atomic_read(&hca->faults.rnr)))
		return false;
	return ibds_fault_meant(&hca->fab->faults, qp->ibqp.pd->res.kern_name) &&
	       atomic_dec_if_positive(&hca->faults.rnr) >= 0;
}

static void fill_wc(struct ib_wc *wc, struct ibds_qp *qp,
		    const struct ibds_packet *pkt)
{
	wc->opcode = IB_WC_RECV;
	wc->byte_len = IBDS_GRH_BYTES + pkt->len;
	wc->src_qp = pkt->sqpn;
	wc->slid = pkt->slid;
	wc->wc_flags = pkt->grh ? IB_WC_GRH : 0;
	wc->sl = pkt->sl;
	wc->dlid_path_bits = pkt->dlid < IBDS_LID_MCAST ?
			     pkt->dlid & ((1 << READ_ONCE(qp->hca->port.lmc)) - 1) : 0;
	wc->port_num = 1;
	if (qp->checks_sums && ibds_offload_says_right(qp, pkt))
		wc->wc_flags |= IB_WC_IP_CSUM_OK;
	if (pkt->opcode & 1) {
		wc->wc_flags |= IB_WC_WITH_IMM;
		wc->ex.imm_data = pkt->imm;
	}
}

/* Header first. Where there is none, nobody has said what its room holds (IBTA 11.4.1.2). */
static void copy_in(struct ibds_rqe_taken *rqe, const struct ibds_packet *pkt)
{
	struct ibds_cursor to = { .sge = rqe->sge };
	struct ibds_cursor from = pkt->payload;
	struct ib_grh grh;
	struct ib_sge sge = {
		.addr = (uintptr_t)&grh,
		.length = sizeof(grh),
		.lkey = IBDS_LKEY_OWN,
	};
	struct ibds_cursor at = { .sge = &sge };

	if (pkt->grh) {
		grh = *pkt->grh;
		/* The length is that of all that follows the GRH, ICRC included. */
		grh.paylen = cpu_to_be16(ALIGN(pkt->len, 4) +
					 IBDS_OVERHEAD_UD - IBDS_LRH_BYTES +
					 (pkt->opcode & 1) * 4);
	} else {
		memset(&grh, IBDS_RUBBISH, sizeof(grh));
	}
	ibds_sg_copy(&to, &at, sizeof(grh));
	ibds_sg_copy(&to, &from, pkt->len);
}

/* receive_one() returns false if there is no buffer, or none as long as that. */
static bool receive_one(struct ibds_qp *qp, const struct ibds_packet *pkt,
			u16 pkey_index, struct ibds_batch *batch)
{
	struct ibds_cq *cq = to_ibds_cq(qp->ibqp.recv_cq);
	struct ibds_rqe_taken rqe;
	enum ib_wc_status status;
	unsigned long flags;
	bool low = false;
	struct ib_wc *wc;

	lockdep_assert_held(&qp->rsp.lock);

	if (unlikely(ibds_starved(qp) ||
		     ibds_rq_take(qp->recv, IBDS_GRH_BYTES + pkt->len, &rqe, &low)))
		return false;
	if (unlikely(low))
		ibds_qp_todo(qp, IBDS_TODO_SRQ_LIMIT);

	status = rqe.bad ? IB_WC_LOC_PROT_ERR : IB_WC_SUCCESS;
	if (likely(!status))
		copy_in(&rqe, pkt);

	wc = ibds_cq_begin(cq, &qp->ibqp, rqe.wr_id, status, &flags);
	ibds_cq_frees_recv(wc, qp->recv);
	if (unlikely(!wc))
		ibds_qp_unheard(qp);
	if (likely(wc && !status)) {
		fill_wc(wc, qp, pkt);
		/* IBTA 11.4.2.1: of management datagrams only */
		if (pkt->dqpn < 2)
			wc->pkey_index = pkey_index;
	}
	ibds_cq_end(cq, wc, pkt->solicited, batch, flags);
	if (unlikely(status)) {
		qp->rsp.failed = true;
		ibds_qp_todo(qp, IBDS_TODO_ERROR);
	}
	return true;
}

/*
 * Datagrams of several senders arrive at once. Their buffers complete in the
 * order in which they were posted, as those of any receive queue. One for which there is
 * no buffer, or none that it fits into, is lost, and nothing else (IBTA 9.8.3.2.2).
 */
static void receive(struct ibds_qp *qp, const struct ibds_packet *pkt,
		    u16 pkey_index, struct ibds_batch *batch)
{
	bool received = true;

	spin_lock(&qp->rsp.lock);
	if (likely(ibds_qp_may(qp, IBDS_QP_RECEIVE) && !qp->rsp.failed &&
		   !ibds_qp_stuck(qp)))
		received = receive_one(qp, pkt, pkey_index, batch);
	spin_unlock(&qp->rsp.lock);

	if (unlikely(!received) && !pkt->dqpn)
		ibds_count(&qp->hca->port, IBDS_VL15_DROPPED);
}

/* Numbered queue pairs take one P_Key, the GSI all that the port has. */
static int pkey_index(const struct ibds_qp *qp, u16 pkey)
{
	const u16 *table = qp->hca->port.pkeys;
	u16 index;

	if (qp->ibqp.qp_type == IB_QPT_GSI)
		return ibds_pkey_find(table, IBDS_PKEYS, pkey);
	index = READ_ONCE(qp->attr.pkey_index);
	return ibds_pkey_match(READ_ONCE(table[index]), pkey) ? index : -ENOENT;
}

static u32 own_qkey(const struct ibds_qp *qp)
{
	return qp->ibqp.qp_type == IB_QPT_GSI ? IBDS_QKEY_GSI :
						READ_ONCE(qp->attr.qkey);
}

/* wrong_key() returns the trap of a violation, or 0 and the index of the P_Key. */
static int wrong_key(const struct ibds_qp *qp, const struct ibds_packet *pkt, int *index)
{
	*index = pkey_index(qp, pkt->pkey);
	if (unlikely(*index < 0))
		return IBDS_TRAP_PKEY;
	return likely(pkt->qkey == own_qkey(qp)) ? 0 : IBDS_TRAP_QKEY;
}

/*
 * IBTA 9.6.1.2.1: what comes to a queue pair that does not receive is dropped before its keys are
 * looked at. They have been, without a lock, and may be those that the queue pair has until it
 * receives again. The lock keeps its state, and in a state that receives the keys are its own.
 */
static void report_wrong_key(struct ibds_qp *qp, const struct ibds_packet *pkt)
{
	int index, trap = 0;

	spin_lock(&qp->rsp.lock);
	if (ibds_qp_may(qp, IBDS_QP_RECEIVE))
		trap = wrong_key(qp, pkt, &index);
	spin_unlock(&qp->rsp.lock);
	if (trap)
		ibds_key_violation(qp->hca, pkt, trap);
}

static bool takes_datagrams(const struct ibds_qp *qp)
{
	return qp->ibqp.qp_type == IB_QPT_UD || qp->ibqp.qp_type == IB_QPT_GSI ||
	       qp->ibqp.qp_type == IB_QPT_SMI;
}

/**
 * ibds_ud_rx - a datagram has arrived
 * @hca: at this HCA
 * @pkt: the datagram
 * @batch: takes the completion queue
 *
 * Context: RCU held, bottom halves off; the only lock held is one of the
 * sender's.
 */
void ibds_ud_rx(struct ibds_hca *hca, const struct ibds_packet *pkt,
		struct ibds_batch *batch)
{
	struct ibds_qp *qp = ibds_qp_find(hca, pkt->dqpn);
	int index = 0;

	if (unlikely(!qp || !takes_datagrams(qp)))
		return;
	/* SMPs have a lane of their own, from one QP0 to the other. */
	if (unlikely(!pkt->dqpn != !pkt->sqpn))
		return;
	/* IBTA 9.6.1.2.3: the LID alone does not make it ours. */
	if (unlikely(pkt->grh && !ibds_port_has_gid(&hca->port, &pkt->grh->dgid)))
		return;
	if (pkt->dqpn && unlikely(wrong_key(qp, pkt, &index))) {
		report_wrong_key(qp, pkt);
		return;
	}
	receive(qp, pkt, index, batch);
}

/**
 * ibds_ud_rx_mcast - a datagram to a group has arrived
 * @hca: at this HCA
 * @pkt: the datagram
 * @from: HCA that has sent it
 * @batch: takes the completion queues
 *
 * Each member gets a copy; with a wrong key it is not for that member, and no
 * violation.
 *
 * Context: as ibds_ud_rx().
 */
void ibds_ud_rx_mcast(struct ibds_hca *hca, const struct ibds_packet *pkt,
		      const struct ibds_hca *from, struct ibds_batch *batch)
{
	const union ib_gid *mgid = &pkt->grh->dgid;
	struct ibds_member *m;

	/* IBTA 9.6.1.4.1: to a group goes what goes to no queue pair. */
	if (unlikely(pkt->dqpn != IBDS_QPN_MCAST))
		return;
	hlist_for_each_entry_rcu(m, ibds_mcast_chain(hca, mgid), node) {
		struct ibds_qp *qp = m->qp;
		int index;

		if (memcmp(&m->mgid, mgid, sizeof(*mgid)) ||
		    (hca->profile->group_lid && m->lid != pkt->dlid))
			continue;
		if (qp->block_loopback && hca == from &&
		    qp->ibqp.qp_num == pkt->sqpn)
			continue;
		index = pkey_index(qp, pkt->pkey);
		if (index >= 0 && pkt->qkey == own_qkey(qp))
			receive(qp, pkt, index, batch);
	}
}
