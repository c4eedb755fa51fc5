// SPDX-License-Identifier: GPL-2.0
#include "txring.h"

#include <linux/tcp.h>
#include <linux/udp.h>

#include "charge.h"
#include "conn_wire.h"
#include "csum.h"
#include "pieces.h"

static struct ipoib_tx_slot *slot_at(struct ipoib_txring *tx, u32 index)
{
	return &tx->slots[ipoib_ring_slot(&tx->ring, index)];
}

/**
 * ipoib_txring_alloc - give a ring its slots
 * @tx: without slots; @ibdev is set
 * @slots: how many: a power of two
 *
 * Return: 0 or -ENOMEM.
 * Context: Process context, may sleep.
 */
int ipoib_txring_alloc(struct ipoib_txring *tx, u32 slots)
{
	tx->slots = ipoib_tx_slots_new(tx->ibdev, slots);
	if (!tx->slots)
		return -ENOMEM;
	ipoib_ring_resize(&tx->ring, slots);
	return 0;
}

/**
 * ipoib_txring_free - free the slots of a ring
 * @tx: empty, or without slots
 *
 * Context: Process context, may sleep.
 */
void ipoib_txring_free(struct ipoib_txring *tx)
{
	ipoib_tx_slots_free(tx->ibdev, tx->slots, ipoib_ring_size(&tx->ring));
	tx->slots = NULL;
}

static u64 wr_id(const struct ipoib_txring *tx, u32 index)
{
	return (u64)tx->epoch << 32 | index;
}

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

/*
 * Does nobody wait for the packet to be freed, once let_go() has been called? Memory that is lent
 * is given back by then: fragments of a file or a program, or the head of a page_pool whose
 * device may go.
 */
static bool is_light(struct sk_buff *skb)
{
	return !skb->data_len && !skb->pp_recycle && !skb_zcopy(skb);
}

/* A packet that stays on the ring for long keeps neither a socket, a route nor a connection. */
static void let_go(struct sk_buff *skb)
{
	skb_orphan(skb);
	skb_dst_drop(skb);
	nf_reset_ct(skb);
	skb_ext_reset(skb);
}

static void ask_for_completion(struct ipoib_txring *tx, struct ib_send_wr *wr)
{
	wr->send_flags |= IB_SEND_SIGNALED;
	tx->batch->signaled++;
	tx->unsignaled = 0;
	tx->light_bytes = 0;
	tx->held = false;
	tx->asked = jiffies;
}

static void batch_add(struct ipoib_txring *tx, struct sk_buff *skb,
		      const struct ipoib_tx_slot *slot, const struct ipoib_tx_to *to)
{
	const struct skb_shared_info *shinfo = skb_shinfo(skb);
	const u64 *map = slot->map;
	struct ipoib_tx_batch *batch = tx->batch;
	struct ipoib_tx_wr *wr = &batch->wr[batch->count];
	u32 lkey = tx->qp->pd->local_dma_lkey;
	struct ib_sge *sge = wr->sge;
	unsigned int hlen = 0;
	int i;

	if (batch->count)
		wr[-1].ud.wr.next = &wr->ud.wr;

	wr->ud.wr.wr_id = wr_id(tx, tx->ring.head);
	wr->ud.wr.opcode = IB_WR_SEND;
	wr->ud.wr.sg_list = wr->sge;
	wr->ud.wr.send_flags = 0;
	wr->ud.ah = to->ah;
	wr->ud.remote_qpn = to->qpn;
	wr->ud.remote_qkey = to->qkey;
	wr->held = slot->skb && !is_light(skb);
	if (wr->held) {
		ipoib_uncharge_sent(skb);
		tx->held = true;
	} else if (slot->skb) {
		let_go(skb);
		tx->light_bytes += skb->truesize;
	}
	if (++tx->unsignaled >= IPOIB_TX_SIGNAL || tx->light_bytes >= IPOIB_TX_LIGHT_BYTES)
		ask_for_completion(tx, &wr->ud.wr);
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

	if (!slot->skb) {
		sge_set(sge++, map[0], skb->len, lkey);
	} else {
		if (likely(skb_headlen(skb) > hlen))
			sge_set(sge++, map[0] + hlen, skb_headlen(skb) - hlen, lkey);
		for (i = 0; i < shinfo->nr_frags; i++)
			sge_set(sge++, map[i + 1], skb_frag_size(&shinfo->frags[i]), lkey);
	}
	wr->ud.wr.num_sge = sge - wr->sge;

	batch->count++;
	batch->bytes += skb->len;
	ipoib_ring_push(&tx->ring, 1);
}

static bool has_too_many_pieces(const struct ipoib_txring *tx, const struct sk_buff *skb)
{
	return unlikely(skb_shinfo(skb)->nr_frags >= tx->max_sge);
}

/*
 * A packet that the HCA does not take as it is gets fewer pieces, its headers in reach and its
 * checksum. Returns false if it was dropped because that cannot be. Not inlined, so that those that
 * need none of this do not pay for it.
 */
static noinline bool was_made_fit(struct ipoib_txring *tx, struct sk_buff *skb,
				  const struct ipoib_tx_to *to)
{
	enum ipoib_drop_reason reason = IPOIB_DROP_TX_NO_MEMORY;

	if ((!has_too_many_pieces(tx, skb) || ipoib_pieces_merge(skb, tx->max_sge - 1)) &&
	    (!skb_is_gso(skb) || pull_lso_header(skb, &reason)) &&
	    (skb->ip_summed != CHECKSUM_PARTIAL || sum_settled(skb, to, &reason)))
		return true;
	ipoib_drop_skb(tx->drops, reason, skb);
	return false;
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
	struct ipoib_tx_slot *slot;

	if ((has_too_many_pieces(tx, skb) || skb_is_gso(skb) ||
	     skb->ip_summed == CHECKSUM_PARTIAL) && unlikely(!was_made_fit(tx, skb, to)))
		return false;

	slot = slot_at(tx, tx->ring.head);
	if (unlikely(!ipoib_tx_slot_fill(slot, tx->ibdev, skb))) {
		ipoib_drop_skb(tx->drops, IPOIB_DROP_TX_MAP, skb);
		return false;
	}

	if (unlikely(skb_shinfo(skb)->tx_flags))
		skb_tx_timestamp(skb);
	batch_add(tx, skb, slot, to);
	/* With bottom halves off it can go where the CPU takes the next received one from. */
	if (!slot->skb)
		napi_consume_skb(skb, 1);
	return true;
}

static bool is_signaled(const struct ipoib_tx_wr *wr)
{
	return wr->ud.wr.send_flags & IB_SEND_SIGNALED;
}

/*
 * The HCA has refused the work request at position @at of the batch: drop its packet. Those of the
 * batch that come after it, @behind of them, move up on the ring. Returns the octets of the packet.
 */
static unsigned int refused_drop(struct ipoib_txring *tx, unsigned int at, unsigned int behind)
{
	struct ipoib_tx_batch *batch = tx->batch;
	u32 index = tx->ring.head - behind - 1;
	struct ipoib_tx_slot *slot = slot_at(tx, index);
	unsigned int bytes = slot->len;

	batch->bytes -= bytes;
	batch->signaled -= is_signaled(&batch->wr[at]);
	if (slot->skb && skb_is_gso(slot->skb))
		batch_count_segments(batch, slot->skb, -1);
	ipoib_tx_slot_drop(slot, tx->ibdev, tx->drops, IPOIB_DROP_TX_POST);
	for (; behind; behind--, index++) {
		batch->wr[++at].ud.wr.wr_id = wr_id(tx, index);
		swap(*slot_at(tx, index), *slot_at(tx, index + 1));
	}
	ipoib_ring_unpush(&tx->ring, 1);
	return bytes;
}

/* The HCA has taken the work requests of the batch from position @at to that before @end. */
static void count_taken(struct ipoib_txring *tx, unsigned int at, unsigned int end)
{
	for (; at < end; at++) {
		const struct ipoib_tx_wr *wr = &tx->batch->wr[at];

		tx->unsignaled = is_signaled(wr) ? 0 : tx->unsignaled + 1;
		tx->held = !is_signaled(wr) && (tx->held || wr->held);
	}
}

/*
 * The HCA refuses @bad, for its length perhaps. Drop that packet, and post those behind it. If it
 * was to ask for a completion, that of those before it is lost. Returns the octets of the packets
 * that were dropped.
 */
static unsigned int batch_refused(struct ipoib_txring *tx, const struct ib_send_wr *bad)
{
	struct ipoib_tx_batch *batch = tx->batch;
	unsigned int count = batch->count;
	unsigned int next = 0, bytes = 0;
	unsigned int at;

	tx->unsignaled = tx->mute;
	tx->held = false;
	do {
		/* A provider may not say which one it was. */
		at = bad ? container_of(bad, struct ipoib_tx_wr, ud.wr) - batch->wr : next;
		if (WARN_ON_ONCE(at < next || at >= count))
			at = next;
		count_taken(tx, next, at);
		bytes += refused_drop(tx, at, count - at - 1);
		batch->count--;
		next = at + 1;
		if (next == count)
			break;
		bad = &batch->wr[next].ud.wr;
	} while (ib_post_send(tx->qp, bad, &bad));
	count_taken(tx, next, count);
	/* How much memory these have is not known any more: so the next one asks. */
	tx->light_bytes = tx->unsignaled ? IPOIB_TX_LIGHT_BYTES : 0;
	return bytes;
}

/**
 * ipoib_txring_post - post the batch
 * @tx: the ring; its batch is not empty
 * @ask: somebody waits for its end
 *
 * The last of the batch asks for a completion if one of the packets that none covers is waited
 * for. If nobody waits there may be none, but there is one in each jiffy in which something is
 * posted: what is sent now and then completes at once, so that whatever looks whether the ring
 * moves or whether a peer answers can go by that.
 *
 * Return: what became of the batch.
 * Context: Lock of the producer held, bottom halves off.
 */
struct ipoib_tx_posted ipoib_txring_post(struct ipoib_txring *tx, bool ask)
{
	struct ipoib_tx_posted posted = { .whole = true };
	struct ipoib_tx_stats *stats = tx->stats;
	struct ipoib_tx_batch *batch = tx->batch;
	const struct ib_send_wr *bad = NULL;
	unsigned long now = jiffies;
	struct ib_send_wr *last;

	last = &batch->wr[batch->count - 1].ud.wr;
	last->next = NULL;
	if (tx->unsignaled && (ask || tx->held || tx->asked != now))
		ask_for_completion(tx, last);

	if (unlikely(ib_post_send(tx->qp, &batch->wr[0].ud.wr, &bad))) {
		posted.refused_bytes = batch_refused(tx, bad);
		posted.whole = !tx->unsignaled || !(ask || tx->held);
	}
	WRITE_ONCE(tx->mute, tx->unsignaled);

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

/* The packet of a slot has completed or been flushed. */
static void slot_done(struct ipoib_txring *tx, u32 index, bool flushed,
		      int budget, struct ipoib_tx_done *done)
{
	struct ipoib_tx_slot *slot = slot_at(tx, index);

	done->packets++;
	done->bytes += slot->len;
	if (unlikely(flushed))
		ipoib_tx_slot_drop(slot, tx->ibdev, tx->drops, IPOIB_DROP_TX_FLUSHED);
	else
		ipoib_tx_slot_sent(slot, tx->ibdev, budget);
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
		ipoib_tx_slot_daddr(slot_at(tx, index), &tx->culprit);
	while ((s32)(index - tail) >= 0) {
		slot_done(tx, tail, bad && index == tail, budget, done);
		tail++;
	}
	ipoib_ring_pop(&tx->ring, tail - tx->ring.tail);
	done->bad |= bad;
}

/**
 * ipoib_txring_purge - take off what never completed
 * @tx: the ring. No packet is added, no completion is handled, and the HCA owns no work request
 *	any more
 * @done: the packets are added here
 *
 * They are dropped, unless all that asked for a completion have got it: then the rest were sent, as
 * far as is known.
 *
 * Context: Process context.
 */
void ipoib_txring_purge(struct ipoib_txring *tx, struct ipoib_tx_done *done)
{
	bool lost = ipoib_txring_waits(tx) || tx->held;

	while (ipoib_ring_ready(&tx->ring)) {
		slot_done(tx, tx->ring.tail, lost, 0, done);
		ipoib_ring_pop(&tx->ring, 1);
	}
}
