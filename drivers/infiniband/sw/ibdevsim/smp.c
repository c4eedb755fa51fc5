// SPDX-License-Identifier: GPL-2.0
#include "smp.h"

#include <rdma/ib_smi.h>

#include "fabric.h"
#include "keys.h"
#include "packet.h"
#include "pma.h"
#include "sma.h"
#include "tap.h"
#include "ud_rx.h"
#include "vector.h"
#include "walk.h"
#include "wire.h"

#define WIRE_BYTES	(IBDS_OVERHEAD_UD + IBDS_MAD_BYTES)

/* A packet of the fabric's own, with a MAD in it that lies on the stack. */
struct own_packet {
	struct ibds_packet pkt;
	struct ib_sge sge;
};

static bool ruled_out(struct ibds_fabric *fab, u8 from, u16 dlid, void *mad)
{
	return ibds_rules_apply(&fab->rules, from, dlid, mad, IBDS_MAD_BYTES) ==
	       IBDS_DROP;
}

static struct ibds_packet *wrap(struct own_packet *own, const void *mad,
				u16 slid, u16 dlid)
{
	*own = (struct own_packet) {
		.pkt = {
			.slid = slid,
			.dlid = dlid,
			.pkey = IBDS_PKEY_FULL | IBDS_PKEY_BASE,
			.opcode = IBDS_OP_UD | IBDS_OP_SEND_ONLY,
			.len = IBDS_MAD_BYTES,
			.payload.sge = &own->sge,
		},
		.sge = {
			.addr = (uintptr_t)mad,
			.length = IBDS_MAD_BYTES,
			.lkey = IBDS_LKEY_OWN,
		},
	};
	return &own->pkt;
}

static void leave_switch(struct ibds_fabric *fab, u8 egress,
			 const struct ib_smp *smp, bool own,
			 struct ibds_batch *batch)
{
	struct ibds_port *out = ibds_switch_port(fab, egress);
	struct ibds_hca *hca = rcu_dereference(fab->hcas[egress]);
	struct own_packet buf;
	struct ibds_packet *pkt;

	if (!hca || !ibds_port_up(out)) {
		ibds_count(out, IBDS_XMIT_DISCARDS);
		return;
	}
	ibds_count_xmit(out, WIRE_BYTES, false);
	pkt = wrap(&buf, smp, IBDS_LID_PERMISSIVE, IBDS_LID_PERMISSIVE);
	if (own)
		ibds_tap(pkt);
	/* Others may have been lost on the link that they came by. */
	if (own && ibds_fault_lost(&fab->faults, IBDS_CLASS_SMP)) {
		ibds_count(&hca->port, IBDS_RCV_ERRORS);
		return;
	}
	ibds_count_rcv(&hca->port, WIRE_BYTES, false);
	ibds_ud_rx(hca, pkt, batch);
}

static bool ask_switch(struct ibds_fabric *fab, u8 ingress, u16 slid,
		       const struct ib_smp *in, struct ib_smp *out)
{
	struct ibds_sma sma = {
		.fab = fab,
		.node = &fab->sw.node,
		.in_port = ingress,
		.in = in,
		.out = out,
	};

	return ibds_sma(&sma) && !ruled_out(fab, IBDS_FROM_SWITCH, slid, out);
}

static void directed(struct ibds_fabric *fab, u8 ingress, struct ib_smp *smp,
		     struct ibds_batch *batch)
{
	u8 ports = fab->sw.node.nports, egress;
	struct ib_smp answer;

	switch (ibds_walk(smp, ingress, ports, &egress)) {
	case IBDS_HOP_FORWARD:
		leave_switch(fab, egress, smp, false, batch);
		return;
	case IBDS_HOP_HERE:
		break;
	default:
		return;
	}

	if (!ask_switch(fab, ingress, IBDS_LID_PERMISSIVE, smp, &answer))
		return;
	ibds_walk_turn(&answer);
	if (ibds_walk(&answer, 0, ports, &egress) == IBDS_HOP_FORWARD)
		leave_switch(fab, egress, &answer, true, batch);
}

static void to_switch(struct ibds_fabric *fab, u8 ingress,
		      const struct ibds_packet *req, const struct ib_smp *smp,
		      struct ibds_batch *batch)
{
	struct own_packet buf;
	struct ib_smp answer;
	struct ibds_packet *pkt;
	struct ibds_hca *hca;

	if (!ask_switch(fab, ingress, req->slid, smp, &answer))
		return;
	pkt = wrap(&buf, &answer, req->dlid, req->slid);
	hca = ibds_route_from_switch(fab, pkt, true);
	if (!hca)
		return;
	ibds_tap(pkt);
	ibds_ud_rx(hca, pkt, batch);
}

/**
 * ibds_smp_tx - send an SMP
 * @from: HCA that it leaves
 * @pkt: the packet, from QP0
 * @batch: takes the completion queue of the receiver
 *
 * Context: RCU held, bottom halves off; the only lock held is one of the
 * sender's.
 */
void ibds_smp_tx(struct ibds_hca *from, const struct ibds_packet *pkt,
		 struct ibds_batch *batch)
{
	struct ibds_fabric *fab = from->fab;
	struct ibds_packet ruled = *pkt;
	struct ib_sge sge = { .length = IBDS_MAD_BYTES, .lkey = IBDS_LKEY_OWN };
	struct ibds_hca *hca;
	struct ib_smp smp;
	bool here;

	if (pkt->len != IBDS_MAD_BYTES || pkt->dqpn)
		return;
	ibds_sg_read(pkt->payload, &smp, sizeof(smp));
	ibds_tap(pkt);
	if (ruled_out(fab, from->index, pkt->dlid, &smp))
		return;
	sge.addr = (uintptr_t)&smp;
	ruled.payload = (struct ibds_cursor) { .sge = &sge };
	pkt = &ruled;

	if (smp.mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE) {
		if (!ibds_port_up(&from->port)) {
			ibds_count(&from->port, IBDS_XMIT_DISCARDS);
			return;
		}
		ibds_count_xmit(&from->port, WIRE_BYTES, false);
		ibds_count_rcv(ibds_switch_port(fab, from->index), WIRE_BYTES,
			       false);
		if (ibds_fault_packet(&fab->faults, IBDS_CLASS_SMP,
				      pkt->dlid) == IBDS_DROP)
			return;
		directed(fab, from->index, &smp, batch);
		return;
	}

	hca = ibds_route_vl15(from, pkt, &here);
	if (ibds_fault_packet(&fab->faults, IBDS_CLASS_SMP, pkt->dlid) ==
	    IBDS_DROP)
		return;
	if (here)
		to_switch(fab, from->index, pkt, &smp, batch);
	else if (hca)
		ibds_ud_rx(hca, pkt, batch);
}

/**
 * ibds_gsi_switch - a datagram for the switch itself
 * @from: HCA that has sent it
 * @pkt: the datagram
 * @batch: takes the completion queue of the receiver of the answer
 *
 * Context: as ibds_smp_tx().
 */
void ibds_gsi_switch(struct ibds_hca *from, const struct ibds_packet *pkt,
		     struct ibds_batch *batch)
{
	struct ibds_fabric *fab = from->fab;
	struct own_packet buf;
	struct ibds_packet *answer;
	struct ib_mad in, out;
	struct ibds_hca *hca;

	if (pkt->dqpn != 1 || pkt->qkey != IBDS_QKEY_GSI ||
	    pkt->len != IBDS_MAD_BYTES)
		return;
	ibds_sg_read(pkt->payload, &in, sizeof(in));
	if (in.mad_hdr.mgmt_class != IB_MGMT_CLASS_PERF_MGMT ||
	    !ibds_pma(&fab->sw.node, &in, &out) ||
	    ruled_out(fab, IBDS_FROM_SWITCH, pkt->slid, &out))
		return;
	answer = wrap(&buf, &out, pkt->dlid, pkt->slid);
	hca = ibds_route_from_switch(fab, answer, false);
	if (!hca)
		return;
	answer->pkey = pkt->pkey;
	answer->sl = pkt->sl;
	answer->sqpn = 1;
	answer->dqpn = pkt->sqpn;
	answer->qkey = IBDS_QKEY_GSI;
	ibds_tap(answer);
	ibds_ud_rx(hca, answer, batch);
}

/**
 * ibds_smp_send_hca - send an SMP that an HCA has made itself, a trap
 * @node: the HCA's
 * @mad: the SMP, routed by LID, for the subnet manager
 *
 * Context: Process context, no lock held.
 */
void ibds_smp_send_hca(struct ibds_node *node, const struct ib_mad *mad)
{
	struct ibds_hca *hca = container_of(node, struct ibds_hca, node);
	u16 lid = READ_ONCE(hca->port.lid);
	u16 sm_lid = READ_ONCE(hca->port.sm_lid);
	struct ibds_batch batch = { };
	struct own_packet buf;

	if (!lid || !sm_lid)
		return;
	local_bh_disable();
	rcu_read_lock();
	ibds_smp_tx(hca, wrap(&buf, mad, lid, sm_lid), &batch);
	ibds_batch_finish(&batch);
	rcu_read_unlock();
	local_bh_enable();
}

/**
 * ibds_smp_send_switch - send an SMP that the switch has made itself, a trap
 * @node: the switch's
 * @mad: the SMP, routed by LID, for the subnet manager
 *
 * Context: Process context, no lock held.
 */
void ibds_smp_send_switch(struct ibds_node *node, const struct ib_mad *mad)
{
	struct ibds_fabric *fab = container_of(node, struct ibds_fabric,
					       sw.node);
	const struct ibds_port *port = ibds_node_port(node);
	u16 lid = READ_ONCE(port->lid), sm_lid = READ_ONCE(port->sm_lid);
	struct ibds_batch batch = { };
	struct ib_mad ruled = *mad;
	struct own_packet buf;
	struct ibds_packet *pkt;
	struct ibds_hca *hca;

	if (!lid || !sm_lid)
		return;
	local_bh_disable();
	rcu_read_lock();
	pkt = wrap(&buf, &ruled, lid, sm_lid);
	hca = ibds_route_from_switch(fab, pkt, true);
	if (hca && !ruled_out(fab, IBDS_FROM_SWITCH, sm_lid, &ruled)) {
		ibds_tap(pkt);
		ibds_ud_rx(hca, pkt, &batch);
	}
	ibds_batch_finish(&batch);
	rcu_read_unlock();
	local_bh_enable();
}
