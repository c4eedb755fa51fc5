// SPDX-License-Identifier: GPL-2.0
#include "ud_rx.h"

#include <linux/vmalloc.h>

#include "poll.h"
#include "proto.h"
#include "rx_skb.h"
#include "sender.h"
#include "wire.h"

/* Without memory for a single buffer nothing else would ever wake us. */
#define RETRY_DELAY	(HZ / 10)

/* Up to this many octets of IP packet are copied, the buffer stays. */
#define COPY_LEN	256

/*
 * The head page: room in front, GRH and packet, and the skb_shared_info that
 * build_skb() puts behind them. The GRH in front of the packet is what the
 * pseudo header of Linux is written over.
 */
#define HEAD_ROOM	NET_SKB_PAD
#define HEAD_LEN	((unsigned int)SKB_WITH_OVERHEAD(PAGE_SIZE) - HEAD_ROOM)

/* The rest of the largest packet that any port can receive. */
#define PACKET_LEN	(IPOIB_GRH_LEN + 4096u)
#define TAIL_LEN	(max(PACKET_LEN, HEAD_LEN) - HEAD_LEN)

/* Offsets into a GRH, or into the IPv6 header that RoCEv2 has instead. */
#define GRH_SGID	8
#define GRH_DGID	24

static int rx_poll(struct napi_struct *napi, int budget);
static void retry_work(struct work_struct *work);

/**
 * ipoib_ud_rx_init - make a receive ring, stopped and without slots
 * @rx: @dev, @qp, @drops, @wq, @heard, @failed and @ctx are set
 *
 * Context: Process context.
 */
void ipoib_ud_rx_init(struct ipoib_ud_rx *rx)
{
	ipoib_ring_init(&rx->ring, IPOIB_UD_RX_SLOTS);
	u64_stats_init(&rx->stats.syncp);
	init_completion(&rx->drained);
	INIT_DELAYED_WORK(&rx->retry, retry_work);
	netif_napi_add(rx->dev, &rx->napi, rx_poll);
}

/**
 * ipoib_ud_rx_exit - the end of a receive ring
 * @rx: stopped, without slots
 *
 * Context: Process context, may sleep.
 */
void ipoib_ud_rx_exit(struct ipoib_ud_rx *rx)
{
	netif_napi_del(&rx->napi);
}

/* All of a batch that is the same each time it is posted. */
static void batch_init(struct ipoib_ud_rx *rx)
{
	u32 lkey = rx->qp->pd->local_dma_lkey;
	int i;

	for (i = 0; i < IPOIB_UD_RX_BATCH; i++) {
		struct ib_recv_wr *wr = &rx->batch.wr[i];
		struct ib_sge *sge = rx->batch.sge[i];

		sge[0].length = HEAD_LEN;
		sge[0].lkey = lkey;
		sge[1].length = TAIL_LEN;
		sge[1].lkey = lkey;
		wr->sg_list = sge;
		wr->num_sge = TAIL_LEN ? 2 : 1;
		wr->next = i + 1 < IPOIB_UD_RX_BATCH ? wr + 1 : NULL;
	}
}

/**
 * ipoib_ud_rx_alloc - give a ring its slots; pages come when it starts
 * @rx: stopped, without slots
 *
 * Return: 0 or -ENOMEM.
 * Context: Process context, may sleep; the device's lock is held.
 */
int ipoib_ud_rx_alloc(struct ipoib_ud_rx *rx)
{
	int err;

	rx->slots = vcalloc(IPOIB_UD_RX_SLOTS, sizeof(*rx->slots));
	if (!rx->slots)
		return -ENOMEM;

	batch_init(rx);
	err = ipoib_rx_pool_init(&rx->pool, rx->qp->pd->device,
				 IPOIB_UD_RX_SLOTS);
	if (err) {
		vfree(rx->slots);
		rx->slots = NULL;
	}
	return err;
}

/**
 * ipoib_ud_rx_free - take a ring's slots and pages away
 * @rx: stopped and purged
 *
 * Context: Process context, may sleep; the device's lock is held.
 */
void ipoib_ud_rx_free(struct ipoib_ud_rx *rx)
{
	u32 i;

	local_bh_disable();
	for (i = 0; i < IPOIB_UD_RX_SLOTS; i++) {
		ipoib_rx_pool_put(&rx->pool, &rx->slots[i].head);
		ipoib_rx_pool_put(&rx->pool, &rx->slots[i].tail);
	}
	local_bh_enable();
	ipoib_rx_pool_exit(&rx->pool);
	vfree(rx->slots);
	rx->slots = NULL;
}

static void retry_work(struct work_struct *work)
{
	struct ipoib_ud_rx *rx = container_of(to_delayed_work(work),
					      struct ipoib_ud_rx, retry);

	ipoib_poll_soon(&rx->napi);
}

/**
 * ipoib_ud_rx_start - post buffers and receive
 * @rx: stopped, with slots; its QP can receive
 * @self: own addresses, for filters; copied
 *
 * Context: Process context, may sleep; the device's lock is held.
 */
void ipoib_ud_rx_start(struct ipoib_ud_rx *rx,
		       const struct ipoib_ud_rx_self *self)
{
	rx->self = *self;
	rx->epoch++;
	WRITE_ONCE(rx->draining, false);
	WRITE_ONCE(rx->running, true);
	napi_enable(&rx->napi);

	/* The first poll fills the ring. */
	ib_req_notify_cq(rx->qp->recv_cq, IB_CQ_NEXT_COMP);
	ipoib_poll_soon(&rx->napi);
}

/**
 * ipoib_ud_rx_stop - post no more buffers
 * @rx: running or stopped
 *
 * Context: Any; the device's lock is held.
 */
void ipoib_ud_rx_stop(struct ipoib_ud_rx *rx)
{
	WRITE_ONCE(rx->running, false);
}

/**
 * ipoib_ud_rx_drain - wait until all buffers have come back
 * @rx: stopped; its QP is in the error state, so they will
 * @deadline: jiffies
 *
 * Return: false if some have not by the deadline.
 * Context: Process context, may sleep; the device's lock is held.
 */
bool ipoib_ud_rx_drain(struct ipoib_ud_rx *rx, unsigned long deadline)
{
	long left = deadline - jiffies;

	reinit_completion(&rx->drained);
	WRITE_ONCE(rx->draining, true);

	/* The poll itself finds out if there is nothing to wait for. */
	ipoib_poll_soon(&rx->napi);
	return wait_for_completion_timeout(&rx->drained, max(left, 1L));
}

/**
 * ipoib_ud_rx_purge - take buffers back that never completed
 * @rx: stopped and drained as far as possible; its QP is in the RESET state
 *
 * Completions that come all the same are told by their epoch.
 *
 * Context: Process context, may sleep; the device's lock is held.
 */
void ipoib_ud_rx_purge(struct ipoib_ud_rx *rx)
{
	/* In this order: a poll may queue @retry, but not the reverse. */
	napi_disable(&rx->napi);
	cancel_delayed_work_sync(&rx->retry);

	/* The pages stay in their slots, for the next start or for free. */
	ipoib_ring_pop(&rx->ring, ipoib_ring_used(&rx->ring));
}

static bool page_fill(struct ipoib_ud_rx *rx, struct ipoib_rx_page *page,
		      unsigned int len)
{
	u32 fail = READ_ONCE(rx->fail_alloc);

	if (page->page)
		return true;
	if (unlikely(fail)) {
		WRITE_ONCE(rx->fail_alloc, fail - 1);
		return false;
	}
	return ipoib_rx_pool_get(&rx->pool, page, len);
}

static bool slot_fill(struct ipoib_ud_rx *rx, struct ipoib_ud_rx_slot *slot)
{
	if (likely(page_fill(rx, &slot->head, PAGE_SIZE) &&
		   (!TAIL_LEN || page_fill(rx, &slot->tail, TAIL_LEN))))
		return true;

	u64_stats_update_begin(&rx->stats.syncp);
	u64_stats_inc(&rx->stats.alloc_failed);
	u64_stats_update_end(&rx->stats.syncp);
	return false;
}

static void batch_set(struct ipoib_ud_rx *rx, u32 n)
{
	u32 index = rx->ring.head + n;
	u32 i = ipoib_ring_slot(&rx->ring, index);
	const struct ipoib_ud_rx_slot *slot = &rx->slots[i];

	rx->batch.sge[n][0].addr = slot->head.dma + HEAD_ROOM;
	rx->batch.sge[n][1].addr = slot->tail.dma;
	rx->batch.wr[n].wr_id = (u64)rx->epoch << 32 | index;
}

/* Post up to one batch. Returns the number of buffers posted. */
static u32 refill_batch(struct ipoib_ud_rx *rx)
{
	u32 space = min_t(u32, ipoib_ring_space(&rx->ring), IPOIB_UD_RX_BATCH);
	struct ib_recv_wr *wr = rx->batch.wr;
	const struct ib_recv_wr *bad = NULL;
	u32 n, posted;

	for (n = 0; n < space; n++) {
		u32 i = ipoib_ring_slot(&rx->ring, rx->ring.head + n);

		if (!slot_fill(rx, &rx->slots[i]))
			break;
		batch_set(rx, n);
	}
	if (!n)
		return 0;

	/* What the HCA does not take keeps its pages and is tried again. */
	posted = n;
	wr[n - 1].next = NULL;
	if (unlikely(ib_post_recv(rx->qp->ib, wr, &bad)))
		posted = bad ? bad - wr : 0;
	if (n < IPOIB_UD_RX_BATCH)
		wr[n - 1].next = &wr[n];

	ipoib_ring_push(&rx->ring, posted);
	u64_stats_update_begin(&rx->stats.syncp);
	u64_stats_inc(&rx->stats.posts);
	u64_stats_update_end(&rx->stats.syncp);
	return posted;
}

static void refill(struct ipoib_ud_rx *rx)
{
	while (READ_ONCE(rx->running) &&
	       ipoib_ring_space(&rx->ring) >= IPOIB_UD_RX_BATCH) {
		if (refill_batch(rx))
			continue;

		/* A poll that still comes tries again; if none can, a timer. */
		if (!ipoib_ring_used(&rx->ring))
			queue_delayed_work(rx->wq, &rx->retry, RETRY_DELAY);
		break;
	}
}

/*
 * The HCA need not keep a sender's own multicast from it. Compared are GID
 * and QPN: on RoCE all LIDs are zero, and QPNs of different ports agree.
 */
static bool packet_is_own(const struct ipoib_ud_rx *rx, const u8 *grh,
			  const struct ib_wc *wc)
{
	return wc->src_qp == rx->self.qpn &&
	       !memcmp(grh + GRH_SGID, rx->self.gid.raw, sizeof(union ib_gid));
}

static unsigned char packet_type(const struct ipoib_ud_rx *rx, const u8 *grh,
				 const struct ib_wc *wc)
{
	const u8 *dgid = grh + GRH_DGID;

	if (!(wc->wc_flags & IB_WC_GRH) || dgid[0] != 0xff)
		return PACKET_HOST;
	if (!memcmp(dgid, rx->self.broadcast.raw, sizeof(union ib_gid)))
		return PACKET_BROADCAST;
	return PACKET_MULTICAST;
}

/*
 * The one place where what came from the wire is checked. Returns false and a
 * reason if it cannot be an IPoIB packet for us.
 */
static bool packet_ok(const struct ipoib_ud_rx *rx, const u8 *grh,
		      const struct ib_wc *wc, enum ipoib_drop_reason *reason)
{
	const struct ipoib_hdr *hdr = (const void *)(grh + IPOIB_GRH_LEN);
	unsigned int max_len = READ_ONCE(rx->self.max_len);

	if (unlikely(wc->byte_len < IPOIB_GRH_LEN + IPOIB_HDR_LEN)) {
		*reason = IPOIB_DROP_RX_RUNT;
		return false;
	}
	if (unlikely(wc->byte_len > IPOIB_GRH_LEN + IPOIB_HDR_LEN + max_len)) {
		*reason = IPOIB_DROP_RX_OVERSIZE;
		return false;
	}
	/* An IPv4 GID leaves half of the room before its header undefined. */
	if (unlikely((wc->wc_flags & IB_WC_WITH_NETWORK_HDR_TYPE) &&
		     wc->network_hdr_type == RDMA_NETWORK_IPV4)) {
		*reason = IPOIB_DROP_RX_NO_GRH;
		return false;
	}
	if (unlikely((wc->wc_flags & IB_WC_GRH) && packet_is_own(rx, grh, wc))) {
		*reason = IPOIB_DROP_RX_OWN;
		return false;
	}
	if (unlikely(!ipoib_proto_known(hdr->proto))) {
		*reason = IPOIB_DROP_RX_UNKNOWN_PROTO;
		return false;
	}
	return true;
}

/* A short packet: a copy is cheaper than a page that carries nothing else. */
static struct sk_buff *packet_copy(struct ipoib_ud_rx *rx, const u8 *grh,
				   unsigned int len)
{
	struct sk_buff *skb;

	skb = napi_alloc_skb(&rx->napi, IPOIB_GRH_LEN + len);
	if (unlikely(!skb))
		return NULL;

	skb_reserve(skb, IPOIB_GRH_LEN);
	skb_put_data(skb, grh + IPOIB_GRH_LEN, len);
	return skb;
}

/* A long packet takes its pages along; @len octets after the GRH. */
static struct sk_buff *packet_take(struct ipoib_ud_rx *rx,
				   struct ipoib_ud_rx_slot *slot,
				   unsigned int len)
{
	unsigned int head = min(len, HEAD_LEN - IPOIB_GRH_LEN);
	struct sk_buff *skb;

	skb = napi_build_skb(page_address(slot->head.page), PAGE_SIZE);
	if (unlikely(!skb))
		return NULL;

	skb_mark_for_recycle(skb);
	skb_reserve(skb, HEAD_ROOM + IPOIB_GRH_LEN);
	skb_put(skb, head);
	ipoib_rx_pool_give(&rx->pool, &slot->head);
	if (len > head) {
		skb_add_rx_frag(skb, 0, slot->tail.page, slot->tail.offset,
				len - head, TAIL_LEN);
		ipoib_rx_pool_give(&rx->pool, &slot->tail);
	}
	return skb;
}

/* Pages that stay on the ring belong to the HCA again. */
static void slot_to_device(struct ipoib_ud_rx *rx,
			   const struct ipoib_ud_rx_slot *slot)
{
	struct ib_device *ibdev = rx->qp->pd->device;

	if (slot->head.page)
		ib_dma_sync_single_for_device(ibdev,
					      slot->head.dma + HEAD_ROOM,
					      HEAD_LEN, DMA_FROM_DEVICE);
	if (slot->tail.page)
		ib_dma_sync_single_for_device(ibdev, slot->tail.dma, TAIL_LEN,
					      DMA_FROM_DEVICE);
}

/* Only looked at; the packet itself is the stack's business. */
static void packet_overhear(struct ipoib_ud_rx *rx, const u8 *grh,
			    const struct ib_wc *wc)
{
	struct ipoib_hwaddr addr;

	if (rx->self.lids &&
	    ipoib_sender(grh + IPOIB_GRH_LEN,
			 min(wc->byte_len - IPOIB_GRH_LEN, IPOIB_SENDER_LEN),
			 &addr))
		rx->heard(rx->ctx, &addr, wc->slid);
}

static void packet_receive(struct ipoib_ud_rx *rx, const struct ib_wc *wc,
			   struct ipoib_ud_rx_slot *slot)
{
	const u8 *grh = page_address(slot->head.page) + HEAD_ROOM;
	unsigned int len = wc->byte_len - IPOIB_GRH_LEN;
	struct ib_device *ibdev = rx->qp->pd->device;
	enum ipoib_drop_reason reason;
	unsigned char type;
	struct sk_buff *skb;
	bool copy;

	ib_dma_sync_single_for_cpu(ibdev, slot->head.dma + HEAD_ROOM, HEAD_LEN,
				   DMA_FROM_DEVICE);
	if (!packet_ok(rx, grh, wc, &reason)) {
		ipoib_drop(rx->drops, reason, wc->byte_len);
		return;
	}

	/* Before the header of a packet that takes its page is written there. */
	type = packet_type(rx, grh, wc);
	copy = len <= IPOIB_HDR_LEN + COPY_LEN;
	if (wc->byte_len > HEAD_LEN)
		ib_dma_sync_single_for_cpu(ibdev, slot->tail.dma, TAIL_LEN,
					   DMA_FROM_DEVICE);
	skb = copy ? packet_copy(rx, grh, len) : packet_take(rx, slot, len);
	if (unlikely(!skb)) {
		ipoib_drop(rx->drops, IPOIB_DROP_RX_NO_MEMORY, wc->byte_len);
		return;
	}

	ipoib_rx_skb_header(skb);
	if (skb->protocol != cpu_to_be16(ETH_P_IP))
		packet_overhear(rx, grh, wc);
	skb->dev = rx->dev;
	skb->pkt_type = type;

	u64_stats_update_begin(&rx->stats.syncp);
	u64_stats_inc(&rx->stats.packets);
	u64_stats_add(&rx->stats.bytes, len);
	if (skb->pkt_type != PACKET_HOST)
		u64_stats_inc(&rx->stats.multicast);
	if (copy)
		u64_stats_inc(&rx->stats.copied);
	u64_stats_update_end(&rx->stats.syncp);

	napi_gro_receive(&rx->napi, skb);
}

/* Returns false if the completion says that the QP is dead. */
static bool rx_complete(struct ipoib_ud_rx *rx, const struct ib_wc *wc)
{
	u32 index = lower_32_bits(wc->wr_id);
	u32 i = ipoib_ring_slot(&rx->ring, index);

	/* Of an earlier start: nothing of ours. */
	if (unlikely(upper_32_bits(wc->wr_id) != rx->epoch))
		return true;

	/* The HCA has lost count: no way but to start the QP anew. */
	if (unlikely(index != rx->ring.tail)) {
		ipoib_drop(rx->drops, IPOIB_DROP_RX_ERROR, 0);
		if (index - rx->ring.tail < ipoib_ring_used(&rx->ring))
			ipoib_ring_pop(&rx->ring, index - rx->ring.tail + 1);
		return false;
	}

	if (likely(wc->status == IB_WC_SUCCESS)) {
		packet_receive(rx, wc, &rx->slots[i]);
		slot_to_device(rx, &rx->slots[i]);
	} else if (wc->status != IB_WC_WR_FLUSH_ERR) {
		ipoib_drop(rx->drops, IPOIB_DROP_RX_ERROR, 0);
	}

	ipoib_ring_pop(&rx->ring, 1);
	return wc->status == IB_WC_SUCCESS;
}

static int rx_poll(struct napi_struct *napi, int budget)
{
	struct ipoib_ud_rx *rx = container_of(napi, struct ipoib_ud_rx, napi);
	struct ib_cq *cq = rx->qp->recv_cq;
	struct ib_wc wc[IPOIB_POLL_BATCH];
	bool running = READ_ONCE(rx->running);
	bool alive = true;
	int work = 0;
	int i, n;

	do {
		n = ib_poll_cq(cq, min(budget - work, IPOIB_POLL_BATCH), wc);
		for (i = 0; i < n; i++)
			alive &= rx_complete(rx, &wc[i]);
		work += max(n, 0);
	} while (n == IPOIB_POLL_BATCH && work < budget);

	/* A buffer posted to a dead QP would come back at once, for ever. */
	if (unlikely(!alive))
		WRITE_ONCE(rx->running, false);
	refill(rx);

	u64_stats_update_begin(&rx->stats.syncp);
	u64_stats_inc(&rx->stats.polls);
	u64_stats_update_end(&rx->stats.syncp);

	/* A ring that was stopped gets its buffers back like this: no news. */
	if (unlikely(!alive && running))
		rx->failed(rx->ctx);
	if (unlikely(READ_ONCE(rx->draining) && !ipoib_ring_used(&rx->ring)))
		complete(&rx->drained);

	return ipoib_poll_end(napi, cq, work, budget);
}
