// SPDX-License-Identifier: GPL-2.0
#include "garble.h"

#include <linux/slab.h>

#include "fabric.h"
#include "packet.h"
#include "ud_tx.h"

/* So many octets are altered, at most. */
#define OCTETS_MAX	8

/*
 * is_said() accepts what somebody in the place of the subnet administrator could say, not what
 * the administrator is asked.
 */
static bool is_said(enum ibds_class class, const u8 *data)
{
	const struct ib_mad_hdr *hdr = (const void *)data;

	if (class != IBDS_CLASS_SA)
		return true;
	return hdr->method == IB_MGMT_METHOD_REPORT ||
	       ((hdr->method & IB_MGMT_METHOD_RESP) &&
		hdr->method != (IB_MGMT_METHOD_REPORT | IB_MGMT_METHOD_RESP));
}

/*
 * A MAD keeps its header, by which the core finds whom it is for, and its length. Of other
 * datagrams every eighth gets shorter, too. Returns the length.
 */
static u32 alter(struct ibds_faults *faults, bool mad, u8 *data, u32 len)
{
	u32 from = mad ? sizeof(struct ib_mad_hdr) : 0;
	u64 dice = ibds_faults_random(faults);
	u32 n = 1 + (u32)dice % OCTETS_MAX;

	if (len <= from)
		return len;
	while (n--) {
		u64 r = ibds_faults_random(faults);
		u8 *octet = data + from + (u32)r % (len - from);

		switch (r >> 32 & 3) {
		case 0:
			*octet ^= 1 << (r >> 40 & 7);
			break;
		case 1:
			*octet = r & BIT_ULL(40) ? 0xff : 0;
			break;
		default:
			*octet = r >> 40;
		}
	}
	if (!mad && !(dice >> 32 & 7))
		len = (u32)(dice >> 35) % len;
	return len;
}

/**
 * ibds_garble - send a datagram as somebody would who means no good
 * @from: HCA that sends it
 * @pkt: the datagram; what it refers to stays as it is
 * @class: of what class it is
 * @batch: takes the completion queues
 *
 * Without memory it is lost.
 *
 * Context: Softirq or bottom halves off.
 */
void ibds_garble(struct ibds_hca *from, const struct ibds_packet *pkt,
		 enum ibds_class class, struct ibds_batch *batch)
{
	struct ibds_faults *faults = &from->fab->faults;
	struct ibds_packet altered = *pkt;
	struct ib_sge sge = { .lkey = IBDS_LKEY_OWN };
	u8 *data = kmalloc(pkt->len, GFP_ATOMIC);

	if (!data) {
		ibds_count(&from->port, IBDS_XMIT_DISCARDS);
		return;
	}
	ibds_sg_read(pkt->payload, data, pkt->len);
	if (is_said(class, data)) {
		altered.len = alter(faults, pkt->sqpn == 1, data, pkt->len);
		atomic_inc(&faults->garbled);
	}
	sge.addr = (uintptr_t)data;
	sge.length = altered.len;
	altered.payload = (struct ibds_cursor) { .sge = &sge };
	ibds_ud_tx_depart(from, &altered, batch);
	kfree(data);
}
