// SPDX-License-Identifier: GPL-2.0
#include "txring.h"

#include <linux/tcp.h>
#include <linux/udp.h>

#include "charge.h"
#include "conn_wire.h"
#include "csum.h"
#include "pieces.h"

/*
 * Octets of the headers that each segment of a packet begins with which the HCA will cut, from the
 * encapsulation header on.
 */
static unsigned int lso_header(const struct sk_buff *skb)
{
	return skb_transport_offset(skb) + tcp_hdrlen(skb);
}

/* The HCA makes @sign times so much more of @skb than was posted: packets, each with headers. */
static void batch_count_segments(struct ipoib_tx_batch *batch, const struct sk_buff *skb, int sign)
{
	int more = sign * ((int)ipoib_skb_packets(skb) - 1);

	batch->segmented += sign;
	batch->more_packets += more;
	batch->more_bytes += more * (int)lso_header(skb);
}

/*
 * lso_header() reads the TCP header. The segments of a bridged packet need not have it in reach.
 * Returns false if @skb is shorter than its headers, or if memory was too short: @reason says.
 */
static bool pull_lso_header(struct sk_buff *skb, enum ipoib_drop_reason *reason)
{
	unsigned int need = skb_transport_offset(skb) + sizeof(struct tcphdr);

	if (pskb_may_pull(skb, need)) {
		need = lso_header(skb);
		if (pskb_may_pull(skb, need))
			return true;
	}
	*reason = skb->len < need ? IPOIB_DROP_TX_MALFORMED : IPOIB_DROP_TX_NO_MEMORY;
	return false;
}

static void sge_set(struct ib_sge *sge, u64 addr, unsigned int length, u32 lkey)
{
	sge->addr = addr;
	sge->length = length;
	sge->lkey = lkey;
}

/*
 * Is the checksum where the far end of a connection looks for it? @skb begins with the
 * encapsulation header.
 */
static bool is_found(const struct sk_buff *skb)
{
	const struct ipoib_hdr *hdr = (const void *)skb->data;
	unsigned int start, offset;

	offset = ipoib_csum_find(hdr->proto, skb->data + IPOIB_HDR_LEN,
				 skb_headlen(skb) - IPOIB_HDR_LEN, &start);
	return offset && offset == skb->csum_offset &&
	       start + IPOIB_HDR_LEN == skb_checksum_start_offset(skb);
}

/* The HCA makes checksums of IPv4 only, and only for who has left that turned on. */
static bool hca_sums(const struct sk_buff *skb)
{
	return (skb->dev->features & NETIF_F_IP_CSUM) && skb->protocol == htons(ETH_P_IP) &&
	       (skb->csum_offset == offsetof(struct tcphdr, check) ||
		skb->csum_offset == offsetof(struct udphdr, check));
}

/*
 * Make the checksum that the stack has left to us, unless who gets the packet makes it, or does
 * without. That is only known now: the mode, or what was agreed with the peer, may have changed
 * since. Returns false, and a reason, if it cannot be made. A packet socket may have asked for a
 * checksum of the link-layer address, which is off by now: skb_checksum_help() warns of that.
 */
static bool sum_settled(struct sk_buff *skb, const struct ipoib_tx_to *to,
			enum ipoib_drop_reason *reason)
{
	int err = -EINVAL;

	if (skb_is_gso(skb) || (to->ah ? hca_sums(skb) : to->link_sums && is_found(skb)))
		return true;
	if (skb_checksum_start_offset(skb) >= (int)IPOIB_HDR_LEN)
		err = skb_checksum_help(skb);
	*reason = err == -ENOMEM ? IPOIB_DROP_TX_NO_MEMORY : IPOIB_DROP_TX_MALFORMED;
	return !err;
}

/* By a connection the immediate data says that there is no checksum but the pseudo header's. */
static void leave_sum(struct ib_send_wr *wr, const struct ipoib_tx_to *to)
{
	if (to->ah) {
		wr->send_flags |= IB_SEND_IP_CSUM;
	} else {
		wr->opcode = IB_WR_SEND_WITH_IMM;
		wr->ex.imm_data = cpu_to_be32(IPOIB_IMM_LINK_SUM);
	}
}

static void batch_add(struct ipoib_txring *tx, struct sk_buff *skb,
		      const u64 *map, const struct ipoib_tx_to *to)
{
	const struct skb_shared_info *shinfo = skb_shinfo(skb);
	struct ipoib_tx_batch *batch = tx->batch;
	struct ipoib_tx_wr *wr = &batch->wr[batch->count];
	u32 lkey = tx->qp->pd->local_dma_lkey;
	struct ib_sge *sge = wr->sge;
	unsigned int hlen = 0;
	int i;

	if (batch->count)
		wr[-1].ud.wr.next = &wr->ud.wr;

	wr->ud.wr.wr_id = (u64)tx->epoch << 32 | tx->ring.head;
	wr->ud.wr.opcode = IB_WR_SEND;
	wr->ud.wr.sg_list = wr->sge;
	wr->ud.wr.send_flags = 0;
	wr->ud.ah = to->ah;
	wr->ud.remote_qpn = to->qpn;
	wr->ud.remote_qkey = to->qkey;
	if (++tx->unsignaled >= IPOIB_TX_SIGNAL) {
		wr->ud.wr.send_flags |= IB_SEND_SIGNALED;
		batch->signaled++;
		tx->unsignaled = 0;
	}
	if (skb->ip_summed == CHECKSUM_PARTIAL)
		leave_sum(&wr->ud.wr, to);
	if (skb_is_gso(skb)) {
		/* The HCA takes the headers from here, and the segments from the entries. */
		hlen = lso_header(skb);
		wr->ud.wr.opcode = IB_WR_LSO;
		wr->ud.header = skb->data;
		wr->ud.hlen = hlen;
		wr->ud.mss = shinfo->gso_size;
		batch_count_segments(batch, skb, 1);
	}

	if (likely(skb_headlen(skb) > hlen))
		sge_set(sge++, map[0] + hlen, skb_headlen(skb) - hlen, lkey);
	for (i = 0; i < shinfo->nr_frags; i++)
		sge_set(sge++, map[i + 1], skb_frag_size(&shinfo->frags[i]), lkey);
	wr->ud.wr.num_sge = sge - wr->sge;

	batch->count++;
	batch->bytes += skb->len;
	ipoib_ring_push(&tx->ring, 1);
}

/**
 * ipoib_txring_add - put a packet on the ring and into the batch
 * @tx: the ring; the ring and the batch have room
 * @skb: packet from its encapsulation header on; consumed
 * @to: destination of the packet. Its address handle stays valid until the packet completes
 *
 * Return: false if the packet was dropped instead.
 * Context: Lock of the producer held, bottom halves off.
 */
bool ipoib_txring_add(struct ipoib_txring *tx, struct sk_buff *skb,
		      const struct ipoib_tx_to *to)
{
	enum ipoib_drop_reason reason;
	struct ipoib_tx_slot *slot;

	if (unlikely(skb_shinfo(skb)->nr_frags >= tx->max_sge) &&
	    !ipoib_pieces_merge(skb, tx->max_sge - 1)) {
		ipoib_drop_skb(tx->drops, IPOIB_DROP_TX_NO_MEMORY, skb);
		return false;
	}

	if (skb_is_gso(skb) && unlikely(!pull_lso_header(skb, &reason))) {
		ipoib_drop_skb(tx->drops, reason, skb);
		return false;
	}

	if (skb->ip_summed == CHECKSUM_PARTIAL && unlikely(!sum_settled(skb, to, &reason))) {
		ipoib_drop_skb(tx->drops, reason, skb);
		return false;
	}

	slot = &tx->slots[ipoib_ring_slot(&tx->ring, tx->ring.head)];
	if (unlikely(!ipoib_dma_map_skb(tx->ibdev, skb, slot->map))) {
		ipoib_drop_skb(tx->drops, IPOIB_DROP_TX_MAP, skb);
		return false;
	}

	slot->skb = skb;
	if (unlikely(skb_shinfo(skb)->tx_flags))
		skb_tx_timestamp(skb);
	ipoib_uncharge_sent(skb);
	batch_add(tx, skb, slot->map, to);
	return true;
}

static bool is_signaled(const struct ipoib_tx_wr *wr)
{
	return wr->ud.wr.send_flags & IB_SEND_SIGNALED;
}

/*
 * The HCA has taken the batch only up to, but not including, @bad. Drop the rest and take it off
 * the ring. The request for a completion that the last work request carried is lost with
 * it, so the youngest packets that were taken may never complete. They are counted in @mute, and
 * stay on the ring until the QP is reset. Returns the octets of the dropped packets.
 */
static unsigned int batch_refused(struct ipoib_txring *tx,
				  const struct ib_send_wr *bad)
{
	struct ipoib_tx_batch *batch = tx->batch;
	struct ipoib_ring *ring = &tx->ring;
	const struct ipoib_tx_wr *wr;
	unsigned int bytes = 0;
	unsigned int taken, i;

	wr = container_of(bad, struct ipoib_tx_wr, ud.wr);
	taken = wr - batch->wr;
	for (i = taken; i < batch->count; i++) {
		u32 index = ring->head - batch->count + i;
		u32 n = ipoib_ring_slot(ring, index);
		struct ipoib_tx_slot *slot = &tx->slots[n];

		bytes += slot->skb->len;
		batch->signaled -= is_signaled(&batch->wr[i]);
		if (skb_is_gso(slot->skb))
			batch_count_segments(batch, slot->skb, -1);
		ipoib_dma_unmap_skb(tx->ibdev, slot->skb, slot->map);
		ipoib_drop_skb(tx->drops, IPOIB_DROP_TX_POST, slot->skb);
		slot->skb = NULL;
	}
	ipoib_ring_unpush(ring, batch->count - taken);
	batch->count = taken;
	batch->bytes -= bytes;

	/* Packets up to the last one that asks for a completion will be completed by that. */
	while (taken && !is_signaled(&batch->wr[taken - 1]))
		taken--;
	WRITE_ONCE(tx->mute, batch->count - taken + (taken ? 0 : tx->mute));
	return bytes;
}

/**
 * ipoib_txring_post - post the batch
 * @tx: the ring; its batch is not empty
 *
 * Return: what became of the batch.
 * Context: Lock of the producer held, bottom halves off.
 */
struct ipoib_tx_posted ipoib_txring_post(struct ipoib_txring *tx)
{
	struct ipoib_tx_posted posted = { .whole = true };
	struct ipoib_tx_stats *stats = tx->stats;
	struct ipoib_tx_batch *batch = tx->batch;
	const struct ib_send_wr *bad = NULL;
	struct ib_send_wr *last;

	last = &batch->wr[batch->count - 1].ud.wr;
	last->next = NULL;
	if (!(last->send_flags & IB_SEND_SIGNALED)) {
		last->send_flags |= IB_SEND_SIGNALED;
		batch->signaled++;
	}
	tx->unsignaled = 0;

	if (unlikely(ib_post_send(tx->qp, &batch->wr[0].ud.wr, &bad))) {
		posted.refused_bytes = batch_refused(tx, bad ?: &batch->wr[0].ud.wr);
		posted.whole = !batch->count;
	} else if (unlikely(tx->mute)) {
		WRITE_ONCE(tx->mute, 0);
	}

	u64_stats_update_begin(&stats->syncp);
	u64_stats_inc(&stats->doorbells);
	u64_stats_add(&stats->packets, batch->count);
	u64_stats_add(&stats->bytes, batch->bytes);
	u64_stats_add(&stats->signaled, batch->signaled);
	if (batch->segmented) {
		u64_stats_add(&stats->packets, batch->more_packets);
		u64_stats_add(&stats->bytes, batch->more_bytes);
		u64_stats_add(&stats->segmented, batch->segmented);
		batch->segmented = 0;
		batch->more_packets = 0;
		batch->more_bytes = 0;
	}
	u64_stats_update_end(&stats->syncp);
	batch->count = 0;
	batch->bytes = 0;
	batch->signaled = 0;
	return posted;
}

/* The packet of a slot has completed or been flushed: unmap and free it. */
static void slot_done(struct ipoib_txring *tx, u32 index, bool flushed,
		      int budget, struct ipoib_tx_done *done)
{
	u32 n = ipoib_ring_slot(&tx->ring, index);
	struct ipoib_tx_slot *slot = &tx->slots[n];
	struct sk_buff *skb = slot->skb;

	done->packets++;
	done->bytes += skb->len;
	ipoib_dma_unmap_skb(tx->ibdev, skb, slot->map);
	slot->skb = NULL;
	if (unlikely(flushed))
		ipoib_drop_skb(tx->drops, IPOIB_DROP_TX_FLUSHED, skb);
	else
		napi_consume_skb(skb, budget);
}

/*
 * Note the destination of a failed send. The link-layer address was pulled off the packet, but it
 * is still in the headroom, unless that has been replaced by a shorter one.
 */
static void accuse(struct ipoib_txring *tx, u32 index)
{
	const struct sk_buff *skb = tx->slots[ipoib_ring_slot(&tx->ring, index)].skb;

	if (skb_headroom(skb) >= INFINIBAND_ALEN)
		memcpy(&tx->culprit, skb->data - INFINIBAND_ALEN, INFINIBAND_ALEN);
}

/**
 * ipoib_txring_complete - handle a completion
 * @tx: the ring
 * @wc: the completion; ignored if it belongs to an earlier start of the ring
 * @budget: budget of the poll
 * @done: the packets that have completed are added here
 *
 * A completion also completes all sends before it, which did not ask for one.
 *
 * Context: NAPI.
 */
void ipoib_txring_complete(struct ipoib_txring *tx, const struct ib_wc *wc,
			   int budget, struct ipoib_tx_done *done)
{
	bool bad = wc->status != IB_WC_SUCCESS;
	u32 index = lower_32_bits(wc->wr_id);
	u32 tail = tx->ring.tail;

	if (unlikely(upper_32_bits(wc->wr_id) != tx->epoch))
		return;

	if (unlikely(bad && wc->status != IB_WC_WR_FLUSH_ERR && (s32)(index - tail) >= 0))
		accuse(tx, index);
	while ((s32)(index - tail) >= 0) {
		slot_done(tx, tail, bad && index == tail, budget, done);
		tail++;
	}
	ipoib_ring_pop(&tx->ring, tail - tx->ring.tail);
	done->bad |= bad;
}

/**
 * ipoib_txring_purge - drop the packets that never completed
 * @tx: the ring. No packet is added, no completion is handled, and the HCA owns no work request
 *	any more
 * @done: the dropped packets are added here
 *
 * Context: Process context.
 */
void ipoib_txring_purge(struct ipoib_txring *tx, struct ipoib_tx_done *done)
{
	while (ipoib_ring_ready(&tx->ring)) {
		slot_done(tx, tx->ring.tail, true, 0, done);
		ipoib_ring_pop(&tx->ring, 1);
	}
}
