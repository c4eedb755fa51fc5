// SPDX-License-Identifier: GPL-2.0
#include "ud_tx.h"

#include "delay.h"
#include "fabric.h"
#include "keys.h"
#include "packet.h"
#include "qp.h"
#include "smp.h"
#include "sq.h"
#include "tap.h"
#include "ud_rx.h"
#include "wire.h"

static u32 wire_bytes(const struct ibds_packet *pkt)
{
	return IBDS_OVERHEAD_UD + (pkt->grh ? IBDS_GRH_BYTES : 0) +
	       ALIGN(pkt->len, 4);
}

static void launch_mcast(struct ibds_hca *from, const struct ibds_packet *pkt,
			 struct ibds_batch *batch)
{
	struct ibds_fabric *fab = from->fab;
	struct ibds_port *in = ibds_switch_port(fab, from->index);
	u32 bytes = wire_bytes(pkt), mlid = pkt->dlid - IBDS_LID_MCAST;
	unsigned int word;

	if (unlikely(!pkt->grh || !ibds_port_active(&from->port))) {
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
			if (!hca || !ibds_port_active(out)) {
				ibds_count(out, IBDS_XMIT_DISCARDS);
				continue;
			}
			ibds_count_xmit(out, bytes, true);
			ibds_count_rcv(&hca->port, bytes, true);
			ibds_ud_rx_mcast(hca, pkt, from, batch);
		}
	}
}

static bool is_mcast(u16 dlid)
{
	return dlid >= IBDS_LID_MCAST && dlid != IBDS_LID_PERMISSIVE;
}

/* Past all faults: the packet goes its way. */
static void launch(struct ibds_hca *from, const struct ibds_packet *pkt,
		   struct ibds_batch *batch)
{
	struct ibds_hca *hca;
	bool to_switch;

	if (is_mcast(pkt->dlid)) {
		launch_mcast(from, pkt, batch);
		return;
	}
	hca = ibds_route(from, pkt->dlid, wire_bytes(pkt), &to_switch);
	if (likely(hca))
		ibds_ud_rx(hca, pkt, batch);
	else if (to_switch)
		ibds_gsi_switch(from, pkt, batch);
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

	switch (ibds_fault_packet(faults, class_of(pkt), pkt->dlid)) {
	case IBDS_DROP:
		ibds_count(ibds_switch_port(from->fab, from->index), IBDS_RCV_ERRORS);
		return;
	case IBDS_DELAY:
		ibds_delay(from, pkt, launch);
		return;
	case IBDS_DUP:
		launch(from, pkt, batch);
		fallthrough;
	default:
		launch(from, pkt, batch);
	}
}

static enum ib_wc_status send_one(struct ibds_qp *qp,
				  const struct ibds_sqe *sqe,
				  struct ibds_batch *batch)
{
	struct ibds_hca *hca = qp->hca;
	const struct ibds_port *port = &hca->port;
	const struct ibds_av *av = &sqe->ah->av;
	bool gsi = qp->ibqp.qp_type == IB_QPT_GSI;
	u16 pkey_index = gsi ? sqe->pkey_index : qp->attr.pkey_index;
	struct ibds_packet pkt;

	if (unlikely(sqe->bad))
		return IB_WC_LOC_PROT_ERR;
	/* Octets are 128 to the left of the code. */
	if (unlikely(sqe->len > 128U << READ_ONCE(port->mtu)))
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
	pkt.len = sqe->len;
	pkt.payload = (struct ibds_cursor) { .sge = sqe->sge };
	pkt.grh = av->has_grh ? &av->grh : NULL;

	if (unlikely(qp->ibqp.qp_type == IB_QPT_SMI)) {
		ibds_smp_tx(hca, &pkt, batch);
		return IB_WC_SUCCESS;
	}
	ibds_tap(&pkt);
	if (likely(!READ_ONCE(hca->fab->faults.armed)))
		launch(hca, &pkt, batch);
	else
		launch_or_not(hca, &pkt, batch);
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
			/* IBA 10.3.1.7: only the sending side is stuck. */
			ibds_qp_set_state(qp, IB_QPS_SQE);
			return true;
		}
	}
	return false;
}
