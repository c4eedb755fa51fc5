// SPDX-License-Identifier: GPL-2.0
#include "ud_tx.h"

#include <linux/skbuff.h>
#include <linux/slab.h>

#include "delay.h"
#include "fabric.h"
#include "garble.h"
#include "keys.h"
#include "offload.h"
#include "packet.h"
#include "qp.h"
#include "smp.h"
#include "sq.h"
#include "tap.h"
#include "ud_rx.h"
#include "wire.h"

static void launch_mcast(struct ibds_hca *from, const struct ibds_packet *pkt,
			 struct ibds_batch *batch)
{
	struct ibds_fabric *fab = from->fab;
	struct ibds_port *in = ibds_switch_port(fab, from->index);
	u32 bytes = ibds_wire_bytes(pkt), mlid = pkt->dlid - IBDS_LID_MCAST;
	unsigned int word;

	if (unlikely(!pkt->grh || !ibds_port_active(&from->port) ||
		     !ibds_sl_passes(fab, pkt))) {
		ibds_count(&from->port, IBDS_XMIT_DISCARDS);
		return;
	}
	/* The switch does not send it back: the HCA has it for its own. */
	ibds_ud_rx_mcast(from, pkt, from, batch);
	ibds_count_xmit(&from->port, bytes, true);
	ibds_count_rcv(in, bytes, true);
	if (unlikely(mlid >= IBDS_MFT_LEN || !ibds_port_active(in)))
		return;

	for (word = 0; word <= fab->sw.node.nports / 16; word++) {
		unsigned long ports = READ_ONCE(fab->sw.mft[mlid][word]);
		int bit;

		for_each_set_bit(bit, &ports, 16) {
			u8 num = word * 16 + bit;
			struct ibds_port *out;
			struct ibds_hca *hca;

			if (!num || num == from->index ||
			    num > fab->sw.node.nports)
				continue;
			out = ibds_switch_port(fab, num);
			hca = rcu_dereference(fab->hcas[num]);
			if (!hca || !ibds_port_active(out) ||
			    !ibds_packet_fits(pkt, out)) {
				ibds_count(out, IBDS_XMIT_DISCARDS);
				continue;
			}
			ibds_count_xmit(out, bytes, true);
			if (!ibds_packet_fits(pkt, &hca->port) ||
			    ibds_fault_lost(&fab->faults, IBDS_CLASS_UD)) {
				ibds_count(&hca->port, IBDS_RCV_ERRORS);
				continue;
			}
			ibds_count_rcv(&hca->port, bytes, true);
			ibds_ud_rx_mcast(hca, pkt, from, batch);
		}
	}
}

static bool is_mcast(u16 dlid)
{
	return dlid >= IBDS_LID_MCAST && dlid != IBDS_LID_PERMISSIVE;
}

/**
 * ibds_ud_tx_launch - let a datagram go its way, past all faults
 * @from: HCA that sends it
 * @pkt: the datagram
 * @batch: takes the completion queues
 *
 * Context: Softirq or bottom halves off.
 */
void ibds_ud_tx_launch(struct ibds_hca *from, const struct ibds_packet *pkt,
		       struct ibds_batch *batch)
{
	struct ibds_hca *hca;
	bool to_switch;

	if (is_mcast(pkt->dlid)) {
		launch_mcast(from, pkt, batch);
		return;
	}
	hca = ibds_route(from, pkt, &to_switch);
	if (likely(hca))
		ibds_ud_rx(hca, pkt, batch);
	else if (to_switch)
		ibds_gsi_switch(from, pkt, batch);
}

/**
 * ibds_ud_tx_depart - let a datagram go its way, which takes as long as the fault knob says
 * @from: HCA that sends it, and is done with it meanwhile
 * @pkt: the datagram
 * @batch: takes the completion queues
 *
 * Context: Softirq or bottom halves off.
 */
void ibds_ud_tx_depart(struct ibds_hca *from, const struct ibds_packet *pkt,
		       struct ibds_batch *batch)
{
	u32 usec = READ_ONCE(from->fab->faults.wire_usec);

	if (likely(!usec))
		ibds_ud_tx_launch(from, pkt, batch);
	else
		ibds_delay(from, pkt, usec);
}

static enum ibds_class class_of(const struct ibds_packet *pkt)
{
	struct ib_mad_hdr hdr;

	if (pkt->sqpn != 1 || pkt->len < sizeof(hdr))
		return IBDS_CLASS_UD;
	ibds_sg_read(pkt->payload, &hdr, sizeof(hdr));
	switch (hdr.mgmt_class) {
	case IB_MGMT_CLASS_SUBN_ADM:
		return IBDS_CLASS_SA;
	case IB_MGMT_CLASS_CM:
		return IBDS_CLASS_CM;
	default:
		return IBDS_CLASS_UD;
	}
}

static void launch_or_not(struct ibds_hca *from, const struct ibds_packet *pkt,
			  struct ibds_batch *batch)
{
	struct ibds_faults *faults = &from->fab->faults;
	enum ibds_class class = class_of(pkt);

	switch (ibds_fault_packet(faults, class, pkt->dlid)) {
	case IBDS_DROP:
		/* Each link by itself loses packets to a group. */
		if (is_mcast(pkt->dlid)) {
			ibds_ud_tx_depart(from, pkt, batch);
			return;
		}
		ibds_count(ibds_switch_port(from->fab, from->index), IBDS_RCV_ERRORS);
		return;
	case IBDS_DELAY:
		ibds_delay(from, pkt, READ_ONCE(faults->delay_usec));
		return;
	case IBDS_GARBLE:
		ibds_garble(from, pkt, class, batch);
		return;
	case IBDS_DUP:
		ibds_ud_tx_depart(from, pkt, batch);
		fallthrough;
	default:
		ibds_ud_tx_depart(from, pkt, batch);
	}
}

/* send_back() has a packet go back to its sender, as if it had been answered. */
static void send_back(struct ibds_hca *from, const struct ibds_packet *pkt,
		      struct ibds_batch *batch)
{
	struct ibds_packet back = *pkt;

	back.slid = pkt->dlid;
	back.dlid = pkt->slid;
	back.sqpn = pkt->dqpn;
	back.dqpn = pkt->sqpn;
	/* It would have the GID of the sender for its source. */
	back.grh = NULL;
	ibds_tap(&back);
	ibds_ud_rx(from, &back, batch);
}

/* A MAD while there are rules; without memory it is lost. */
static void launch_ruled(struct ibds_hca *from, const struct ibds_packet *pkt,
			 struct ibds_batch *batch)
{
	struct ibds_fabric *fab = from->fab;
	struct ibds_packet ruled = *pkt;
	struct ib_sge sge = { .length = pkt->len, .lkey = IBDS_LKEY_OWN };
	void *mad = kmalloc(pkt->len, GFP_ATOMIC);

	if (!mad) {
		ibds_count(&from->port, IBDS_XMIT_DISCARDS);
		return;
	}
	ibds_sg_read(pkt->payload, mad, pkt->len);
	sge.addr = (uintptr_t)mad;
	ruled.payload = (struct ibds_cursor) { .sge = &sge };
	switch (ibds_rules_apply(&fab->rules, from->index, pkt->dlid, mad, pkt->len)) {
	case IBDS_DROP:
		ibds_count(ibds_switch_port(fab, from->index), IBDS_RCV_ERRORS);
		break;
	case IBDS_DELAY:
		ibds_delay(from, &ruled, READ_ONCE(fab->faults.delay_usec));
		break;
	case IBDS_ANSWER:
		send_back(from, &ruled, batch);
		break;
	case IBDS_DUP:
		launch_or_not(from, &ruled, batch);
		fallthrough;
	default:
		launch_or_not(from, &ruled, batch);
	}
	kfree(mad);
}

static void emit(struct ibds_hca *hca, const struct ibds_packet *pkt,
		 struct ibds_batch *batch)
{
	ibds_tap(pkt);
	if (unlikely(pkt->sqpn == 1 && ibds_rules_any(&hca->fab->rules)))
		launch_ruled(hca, pkt, batch);
	else if (likely(!READ_ONCE(hca->fab->faults.armed)))
		ibds_ud_tx_depart(hca, pkt, batch);
	else
		launch_or_not(hca, pkt, batch);
}

/* send_made() sends what the HCA makes packets of, several as the case may be. */
static enum ib_wc_status send_made(struct ibds_qp *qp, const struct ibds_sqe *sqe,
				   const struct ibds_extra *extra,
				   struct ibds_packet *pkt, struct ibds_batch *batch)
{
	struct ib_sge sge = { .lkey = IBDS_LKEY_OWN };
	struct sk_buff *list, *skb;

	list = ibds_offload_packets(sqe, extra, ibds_port_mtu(&qp->hca->port));
	if (list == ERR_PTR(-EINVAL))
		return IB_WC_LOC_QP_OP_ERR;
	if (IS_ERR(list)) {
		ibds_count(&qp->hca->port, IBDS_XMIT_DISCARDS);
		return IB_WC_SUCCESS;
	}
	for (skb = list; skb; skb = skb->next) {
		if (skb != list)
			pkt->psn = qp->req.psn++ & 0xffffff;
		sge.addr = (uintptr_t)skb->data;
		sge.length = skb->len;
		pkt->len = skb->len;
		pkt->payload = (struct ibds_cursor) { .sge = &sge };
		emit(qp->hca, pkt, batch);
	}
	kfree_skb_list(list);
	return IB_WC_SUCCESS;
}

static enum ib_wc_status send_one(struct ibds_qp *qp,
				  const struct ibds_sqe *sqe,
				  struct ibds_batch *batch)
{
	struct ibds_hca *hca = qp->hca;
	const struct ibds_port *port = &hca->port;
	const struct ibds_av *av = &sqe->av;
	const struct ibds_extra *extra = ibds_sqe_extra(&qp->sq, sqe);
	bool gsi = qp->ibqp.qp_type == IB_QPT_GSI;
	u16 pkey_index = gsi ? sqe->pkey_index : qp->attr.pkey_index;
	struct ibds_packet pkt;
	struct ib_grh grh;

	if (unlikely(sqe->fault))
		return sqe->fault;
	pkt.len = sqe->len;
	if (unlikely(!ibds_packet_fits(&pkt, port) && !(extra && extra->mss)))
		return IB_WC_LOC_LEN_ERR;

	pkt.slid = av->dlid == IBDS_LID_PERMISSIVE ? IBDS_LID_PERMISSIVE :
		   ibds_port_slid(port, av->path_bits);
	pkt.dlid = av->dlid;
	pkt.sl = av->sl;
	pkt.pkey = READ_ONCE(port->pkeys[pkey_index]);
	pkt.opcode = IBDS_OP_UD |
		     (sqe->has_imm ? IBDS_OP_SEND_ONLY_IMM : IBDS_OP_SEND_ONLY);
	pkt.solicited = sqe->solicited;
	pkt.ack_req = false;
	pkt.armed = false;
	pkt.dqpn = sqe->qpn;
	pkt.sqpn = qp->ibqp.qp_num;
	pkt.qkey = ibds_qkey_of_wr(sqe->qkey, gsi ? IBDS_QKEY_GSI :
						    qp->attr.qkey);
	pkt.psn = qp->req.psn++ & 0xffffff;
	pkt.imm = sqe->imm;
	pkt.aeth = 0;
	pkt.payload = (struct ibds_cursor) { .sge = sqe->sge };
	pkt.grh = NULL;
	if (av->has_grh) {
		ibds_av_source(&grh, av, port);
		pkt.grh = &grh;
	}

	if (unlikely(qp->ibqp.qp_type == IB_QPT_SMI)) {
		ibds_smp_tx(hca, &pkt, batch);
		return IB_WC_SUCCESS;
	}
	if (unlikely(extra && extra->csum))
		return send_made(qp, sqe, extra, &pkt, batch);
	emit(hca, &pkt, batch);
	return IB_WC_SUCCESS;
}

/**
 * ibds_ud_tx - send what a queue pair has been given
 * @qp: queue pair that may send, its lock held
 * @quantum: not more than so many datagrams
 * @batch: takes the completion queues
 *
 * Return: true if more is to be sent.
 * Context: RCU held, bottom halves off.
 */
bool ibds_ud_tx(struct ibds_qp *qp, unsigned int quantum,
		struct ibds_batch *batch)
{
	struct ibds_sq *sq = &qp->sq;
	/* Pairs with the release in ibds_post_send(). */
	u32 head = smp_load_acquire(&sq->head);

	lockdep_assert_held(&qp->lock);

	while (sq->tail != head) {
		enum ib_wc_status status;

		if (!quantum--)
			return true;
		status = ibds_sq_fault(qp);
		if (likely(!status))
			status = send_one(qp, ibds_sqe_at(sq, sq->tail), batch);
		ibds_sq_complete(qp, status, batch);
		sq->cur = sq->tail;
		sq->fresh = sq->tail;
		if (unlikely(status)) {
			ibds_qp_send_failed(qp);
			return true;
		}
	}
	return false;
}
