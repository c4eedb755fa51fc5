// SPDX-License-Identifier: GPL-2.0
#include "cm_rx.h"

#include <linux/iopoll.h>
#include <linux/rtnetlink.h>
#include <linux/vmalloc.h>

#include "poll.h"
#include "proto.h"
#include "rx_skb.h"
#include "wire.h"

/* Without memory for a single buffer nothing else would ever wake us. */
#define RETRY_DELAY	(HZ / 10)

/* How often it is looked whether the poll has come so far, and for how long. */
#define POLL_WAIT_US	500
#define DRAIN_TIMEOUT_US	(USEC_PER_SEC / 2)

/* Until the limit event is asked for again: it may come at once. */
#define LIMIT_DELAY	1

/* So much of a message is copied; what is shorter leaves its buffer posted. */
#define COPY_LEN	256u

/**
 * ipoib_cm_rx_shared - has the device receive queues that connections share
 * @ibdev: RDMA device
 *
 * Return: whether one is enough for all connections of an interface.
 * Context: Any.
 */
bool ipoib_cm_rx_shared(const struct ib_device *ibdev)
{
	return ibdev->attrs.max_srq;
}

static unsigned int pages_of(const struct ib_device *ibdev)
{
	return min_t(unsigned int, ipoib_cm_rx_shared(ibdev) ?
			     ibdev->attrs.max_srq_sge :
			     ibdev->attrs.max_recv_sge,
		     IPOIB_CM_RX_PAGES);
}

/**
 * ipoib_cm_rx_mtu - longest message that connections can receive
 * @ibdev: RDMA device
 *
 * Return: octets, encapsulation header included.
 * Context: Any.
 */
u32 ipoib_cm_rx_mtu(const struct ib_device *ibdev)
{
	return min_t(u32, pages_of(ibdev) * PAGE_SIZE, IPOIB_CM_MAX_MESSAGE);
}

/*
 * IBA 10.2.9.5: the event says that half of the buffers are gone, and polls may be
 * late. It comes once each time that it was asked for, which may sleep.
 */
static void ask_for_limit(struct ipoib_cm_rx *rx)
{
	struct ib_srq_attr attr = { .srq_limit = rx->nslots / 2 };

	mutex_lock(&rx->srq_lock);
	if (rx->srq)
		ib_modify_srq(rx->srq, &attr, IB_SRQ_LIMIT);
	mutex_unlock(&rx->srq_lock);
}

static void retry_work(struct work_struct *work)
{
	struct ipoib_cm_rx *rx = container_of(to_delayed_work(work),
					      struct ipoib_cm_rx, retry);

	ipoib_poll_soon(&rx->napi);
	ask_for_limit(rx);
}

static void cq_event(struct ib_cq *cq, void *ctx)
{
	struct ipoib_cm_rx *rx = ctx;

	napi_schedule(&rx->napi);
}

static void srq_event(struct ib_event *event, void *ctx)
{
	struct ipoib_cm_rx *rx = ctx;

	if (event->event == IB_EVENT_SRQ_LIMIT_REACHED)
		queue_delayed_work(rx->wq, &rx->retry, LIMIT_DELAY);
}

/* All of a batch that is the same each time it is posted. */
static void batch_init(struct ipoib_cm_rx *rx)
{
	int i, p;

	for (i = 0; i < IPOIB_CM_RX_BATCH; i++) {
		for (p = 0; p < rx->pages; p++) {
			rx->sge[i][p].length = PAGE_SIZE;
			rx->sge[i][p].lkey = rx->pd->local_dma_lkey;
		}
		rx->wr[i].sg_list = rx->sge[i];
		rx->wr[i].num_sge = rx->pages;
	}
}

static bool page_get(struct ipoib_cm_rx *rx, struct ipoib_rx_page *page)
{
	u32 fail = READ_ONCE(*rx->fail_alloc);

	if (unlikely(fail)) {
		WRITE_ONCE(*rx->fail_alloc, fail - 1);
		return false;
	}
	return ipoib_rx_pool_get(&rx->pool, page, PAGE_SIZE);
}

static bool slot_fill(struct ipoib_cm_rx *rx, struct ipoib_cm_rx_slot *slot)
{
	struct ipoib_rx_stats *stats = this_cpu_ptr(rx->stats);
	int i;

	for (i = 0; i < rx->pages; i++) {
		if (slot->page[i].page || page_get(rx, &slot->page[i]))
			continue;
		u64_stats_update_begin(&stats->syncp);
		u64_stats_inc(&stats->alloc_failed);
		u64_stats_update_end(&stats->syncp);
		return false;
	}
	return true;
}

/* Post up to one batch. Returns the number of buffers posted. */
static unsigned int refill_batch(struct ipoib_cm_rx *rx)
{
	unsigned int want = min_t(unsigned int, rx->nfree, IPOIB_CM_RX_BATCH);
	struct ipoib_rx_stats *stats = this_cpu_ptr(rx->stats);
	const struct ib_recv_wr *bad = NULL;
	unsigned int n, posted, p;

	for (n = 0; n < want; n++) {
		u16 number = rx->free[rx->nfree - 1 - n];
		struct ipoib_cm_rx_slot *slot = &rx->slots[number];

		if (!slot_fill(rx, slot))
			break;
		for (p = 0; p < rx->pages; p++)
			rx->sge[n][p].addr = slot->page[p].dma;
		rx->wr[n].wr_id = number;
		rx->wr[n].next = n + 1 < want ? &rx->wr[n + 1] : NULL;
	}
	if (!n)
		return 0;

	/* What the HCA does not take keeps its pages and is tried again. */
	posted = n;
	rx->wr[n - 1].next = NULL;
	if (unlikely(rx->srq ? ib_post_srq_recv(rx->srq, rx->wr, &bad) :
			       ib_post_recv(rx->qp, rx->wr, &bad)))
		posted = bad ? bad - rx->wr : 0;
	u64_stats_update_begin(&stats->syncp);
	u64_stats_inc(&stats->posts);
	u64_stats_update_end(&stats->syncp);
	WRITE_ONCE(rx->nfree, rx->nfree - posted);
	return posted;
}

static void refill(struct ipoib_cm_rx *rx)
{
	if (rx->flushed)
		return;
	while (rx->nfree >= IPOIB_CM_RX_BATCH)
		if (!refill_batch(rx))
			break;
	/* Few are left, and what would bring more may never come. */
	if (rx->nfree > rx->nslots - IPOIB_CM_RX_BATCH)
		queue_delayed_work(rx->wq, &rx->retry, RETRY_DELAY);
}

/* What came from the wire is checked here and nowhere else. */
static bool packet_ok(const struct ipoib_cm_rx *rx, const struct ib_wc *wc,
		      const struct ipoib_hdr *hdr,
		      enum ipoib_drop_reason *reason)
{
	if (unlikely(wc->byte_len < IPOIB_HDR_LEN)) {
		*reason = IPOIB_DROP_RX_RUNT;
		return false;
	}
	if (unlikely(wc->byte_len > rx->pages * PAGE_SIZE)) {
		*reason = IPOIB_DROP_RX_OVERSIZE;
		return false;
	}
	if (unlikely(!ipoib_proto_known(hdr->proto))) {
		*reason = IPOIB_DROP_RX_UNKNOWN_PROTO;
		return false;
	}
	return true;
}

/* Headers are copied, the rest of a long message takes its pages along. */
static struct sk_buff *packet_take(struct ipoib_cm_rx *rx,
				   struct ipoib_cm_rx_slot *slot,
				   unsigned int len)
{
	unsigned int copy = min(len, COPY_LEN);
	unsigned int at = copy;
	struct sk_buff *skb;
	int i;

	skb = napi_alloc_skb(&rx->napi, INFINIBAND_ALEN + copy);
	if (unlikely(!skb))
		return NULL;

	skb_reserve(skb, INFINIBAND_ALEN);
	skb_put_data(skb, page_address(slot->page[0].page), copy);
	if (at == len)
		return skb;

	skb_mark_for_recycle(skb);
	for (i = 0; at < len; i++) {
		unsigned int off = offset_in_page(at);
		unsigned int part = min_t(unsigned int, PAGE_SIZE - off,
					  len - at);

		skb_add_rx_frag(skb, i, slot->page[i].page, off, part,
				PAGE_SIZE);
		ipoib_rx_pool_give(&rx->pool, &slot->page[i]);
		at += part;
	}
	return skb;
}

static void slot_sync(struct ipoib_cm_rx *rx, struct ipoib_cm_rx_slot *slot,
		      unsigned int len, bool for_cpu)
{
	int i;

	for (i = 0; i * PAGE_SIZE < len && i < rx->pages; i++) {
		if (!slot->page[i].page)
			continue;
		if (for_cpu)
			ib_dma_sync_single_for_cpu(rx->pd->device,
						   slot->page[i].dma,
						   PAGE_SIZE, DMA_FROM_DEVICE);
		else
			ib_dma_sync_single_for_device(rx->pd->device,
						      slot->page[i].dma,
						      PAGE_SIZE,
						      DMA_FROM_DEVICE);
	}
}

static void packet_receive(struct ipoib_cm_rx *rx, const struct ib_wc *wc,
			   struct ipoib_cm_rx_slot *slot)
{
	struct ipoib_rx_stats *stats = this_cpu_ptr(rx->stats);
	enum ipoib_drop_reason reason;
	struct sk_buff *skb;

	/* A connection that ends waits for its peer; the interface does not. */
	if (unlikely(!netif_running(rx->dev))) {
		ipoib_drop(rx->drops, IPOIB_DROP_RX_DOWN, wc->byte_len);
		return;
	}
	if (!packet_ok(rx, wc, page_address(slot->page[0].page), &reason)) {
		ipoib_drop(rx->drops, reason, wc->byte_len);
		return;
	}
	skb = packet_take(rx, slot, wc->byte_len);
	if (unlikely(!skb)) {
		ipoib_drop(rx->drops, IPOIB_DROP_RX_NO_MEMORY, wc->byte_len);
		return;
	}

	ipoib_rx_skb_header(skb);
	skb->dev = rx->dev;
	skb->pkt_type = PACKET_HOST;

	u64_stats_update_begin(&stats->syncp);
	u64_stats_inc(&stats->packets);
	u64_stats_add(&stats->bytes, wc->byte_len);
	if (wc->byte_len <= COPY_LEN)
		u64_stats_inc(&stats->copied);
	u64_stats_update_end(&stats->syncp);

	rx->heard(rx->ctx, wc->qp);
	napi_gro_receive(&rx->napi, skb);
}

static void rx_complete(struct ipoib_cm_rx *rx, const struct ib_wc *wc)
{
	struct ipoib_cm_rx_slot *slot = &rx->slots[wc->wr_id];

	if (likely(wc->status == IB_WC_SUCCESS)) {
		slot_sync(rx, slot, wc->byte_len, true);
		packet_receive(rx, wc, slot);
		slot_sync(rx, slot, wc->byte_len, false);
	} else {
		/* Posting again to a QP in error would flush for ever. */
		rx->flushed = rx->qp;
		if (wc->status != IB_WC_WR_FLUSH_ERR) {
			ipoib_drop(rx->drops, IPOIB_DROP_RX_ERROR, 0);
			rx->failed(rx->ctx, wc->qp);
		}
	}
	rx->free[rx->nfree] = wc->wr_id;
	WRITE_ONCE(rx->nfree, rx->nfree + 1);
}

static int rx_poll(struct napi_struct *napi, int budget)
{
	struct ipoib_cm_rx *rx = container_of(napi, struct ipoib_cm_rx, napi);
	struct ipoib_rx_stats *stats = this_cpu_ptr(rx->stats);
	struct ib_wc wc[IPOIB_POLL_BATCH];
	int work = 0;
	int i, n;

	do {
		n = ib_poll_cq(rx->cq, min(budget - work, IPOIB_POLL_BATCH), wc);
		for (i = 0; i < n; i++)
			rx_complete(rx, &wc[i]);
		work += max(n, 0);
	} while (n == IPOIB_POLL_BATCH && work < budget);

	if (work < budget)
		WRITE_ONCE(rx->emptied, rx->emptied + 1);
	refill(rx);
	u64_stats_update_begin(&stats->syncp);
	u64_stats_inc(&stats->polls);
	u64_stats_update_end(&stats->syncp);

	return ipoib_poll_end(napi, rx->cq, work, budget);
}

static int srq_new(struct ipoib_cm_rx *rx)
{
	struct ib_srq_init_attr attr = {
		.event_handler	= srq_event,
		.srq_context	= rx,
		.srq_type	= IB_SRQT_BASIC,
		.attr		= {
			.max_wr		= rx->nslots,
			.max_sge	= rx->pages,
		},
	};
	struct ib_srq *srq;

	srq = ib_create_srq(rx->pd, &attr);
	if (IS_ERR(srq))
		return PTR_ERR(srq);
	rx->srq = srq;
	return 0;
}

static int queues_new(struct ipoib_cm_rx *rx)
{
	struct ib_cq_init_attr attr = { .cqe = rx->nslots };
	int err = 0;

	rx->cq = ib_create_cq(rx->pd->device, cq_event, NULL, rx, &attr);
	if (IS_ERR(rx->cq))
		return PTR_ERR(rx->cq);

	if (ipoib_cm_rx_shared(rx->pd->device))
		err = srq_new(rx);
	if (err)
		ib_destroy_cq(rx->cq);
	return err;
}

/**
 * ipoib_cm_rx_open - make the queue; a shared one is filled and runs
 * @rx: zeroed but for @stats, @dev, @pd, @drops, @wq, @fail_alloc,
 *	@heard, @failed and @ctx; or closed
 *
 * Return: 0 or a negative errno.
 * Context: Process context, may sleep.
 */
int ipoib_cm_rx_open(struct ipoib_cm_rx *rx)
{
	int err, i;

	rx->pages = pages_of(rx->pd->device);
	WRITE_ONCE(rx->nslots, ipoib_cm_rx_shared(rx->pd->device) ?
		   IPOIB_CM_RX_SLOTS : IPOIB_CM_RX_OWN_SLOTS);
	WRITE_ONCE(rx->nfree, rx->nslots);
	rx->flushed = false;
	rx->slots = vcalloc(rx->nslots, sizeof(*rx->slots));
	if (!rx->slots)
		return -ENOMEM;

	err = ipoib_rx_pool_init(&rx->pool, rx->pd->device,
				 rx->nslots * rx->pages);
	if (err)
		goto err_slots;

	for (i = 0; i < rx->nslots; i++)
		rx->free[i] = i;
	batch_init(rx);
	mutex_init(&rx->srq_lock);
	INIT_DELAYED_WORK(&rx->retry, retry_work);
	err = queues_new(rx);
	if (err)
		goto err_pool;

	rtnl_lock();
	netif_napi_add(rx->dev, &rx->napi, rx_poll);
	rtnl_unlock();
	if (rx->srq)
		ipoib_cm_rx_run(rx, NULL);
	return 0;

err_pool:
	ipoib_rx_pool_exit(&rx->pool);
err_slots:
	vfree(rx->slots);
	return err;
}

/**
 * ipoib_cm_rx_run - fill the queue and receive
 * @rx: open
 * @qp: its QP, in INIT, which exists until ipoib_cm_rx_halt(); NULL if it is
 *	shared
 *
 * Buffers are there when it returns: peers may send from now on.
 *
 * Context: Process context.
 */
void ipoib_cm_rx_run(struct ipoib_cm_rx *rx, struct ib_qp *qp)
{
	rx->qp = qp;
	local_bh_disable();
	refill(rx);
	local_bh_enable();

	napi_enable(&rx->napi);
	rx->running = true;
	ib_req_notify_cq(rx->cq, IB_CQ_NEXT_COMP);
	queue_delayed_work(rx->wq, &rx->retry, 0);
}

/**
 * ipoib_cm_rx_drain - what has arrived until now is received
 * @rx: open and running
 *
 * The provider throws away the completions of a QP with the QP. The buffers of
 * those not seen before would be neither posted to a shared queue nor free.
 *
 * Context: Process context, may sleep.
 */
void ipoib_cm_rx_drain(struct ipoib_cm_rx *rx)
{
	u32 seen, now;
	int i;

	/* The poll that goes on just now may have looked before. */
	for (i = 0; i < 2; i++) {
		seen = READ_ONCE(rx->emptied);
		ipoib_poll_soon(&rx->napi);
		read_poll_timeout(READ_ONCE, now, now != seen, POLL_WAIT_US,
				  DRAIN_TIMEOUT_US, false, rx->emptied);
	}
}

/**
 * ipoib_cm_rx_posted - how many buffers the HCA has
 * @rx: zeroed, open or closed
 *
 * Return: as we know it; for show.
 * Context: Any.
 */
unsigned int ipoib_cm_rx_posted(const struct ipoib_cm_rx *rx)
{
	unsigned int nfree = READ_ONCE(rx->nfree);
	unsigned int nslots = READ_ONCE(rx->nslots);

	/* It may be opened in between. */
	return nslots - min(nfree, nslots);
}

/**
 * ipoib_cm_rx_halt - post no more, and look at no completions
 * @rx: open
 *
 * Context: Process context, may sleep.
 */
void ipoib_cm_rx_halt(struct ipoib_cm_rx *rx)
{
	if (rx->running)
		napi_disable(&rx->napi);
	rx->running = false;
}

/**
 * ipoib_cm_rx_close - free the queue
 * @rx: open; no QP uses it any more
 *
 * Context: Process context, may sleep.
 */
void ipoib_cm_rx_close(struct ipoib_cm_rx *rx)
{
	int i, p;

	/* 1. No polls: one that is asked for from here on does not run. */
	ipoib_cm_rx_halt(rx);

	/* 2. No events, and nothing that one has queued. */
	mutex_lock(&rx->srq_lock);
	if (rx->srq)
		ib_destroy_srq(rx->srq);
	rx->srq = NULL;
	mutex_unlock(&rx->srq_lock);
	cancel_delayed_work_sync(&rx->retry);
	rtnl_lock();
	netif_napi_del(&rx->napi);
	rtnl_unlock();
	ib_destroy_cq(rx->cq);

	/* 3. Buffers, posted or not. */
	local_bh_disable();
	for (i = 0; i < rx->nslots; i++)
		for (p = 0; p < rx->pages; p++)
			ipoib_rx_pool_put(&rx->pool, &rx->slots[i].page[p]);
	local_bh_enable();
	ipoib_rx_pool_exit(&rx->pool);
	vfree(rx->slots);
	WRITE_ONCE(rx->nfree, rx->nslots);
}
