// SPDX-License-Identifier: GPL-2.0
#include "conn_rx.h"

#include <linux/iopoll.h>
#include <linux/rtnetlink.h>
#include <linux/vmalloc.h>

#include "conn_nd.h"
#include "conn_set.h"
#include "csum.h"
#include "device.h"
#include "qp.h"
#include "rx_skb.h"
#include "wire.h"

/*
 * Delay of a retry when there was no memory for buffers: with none posted, no completion would
 * cause another poll.
 */
#define RETRY_DELAY	(HZ / 10)

/*
 * How often ipoib_conn_rx_drain() checks whether the poll has emptied the queue, and for how
 * long.
 */
#define POLL_WAIT_US	500
#define DRAIN_TIMEOUT_US	(USEC_PER_SEC / 2)

/* Delay in jiffies until the limit event is armed again, because it may come at once. */
#define LIMIT_DELAY	1

/* Octets of a long message that are copied: headers, where the stack looks for them */
#define HEADERS_LEN	256u

bool ipoib_conn_rx_shared(const struct ib_device *ibdev)
{
	return ibdev->attrs.max_srq;
}

static unsigned int pages_of(const struct ib_device *ibdev)
{
	return min_t(unsigned int, ipoib_conn_rx_shared(ibdev) ?
			     ibdev->attrs.max_srq_sge :
			     ibdev->attrs.max_recv_sge,
		     IPOIB_CONN_RX_PAGES);
}

/**
 * ipoib_conn_rx_mtu - longest message that connections can receive
 * @ibdev: RDMA device
 *
 * Return: octets, encapsulation header included.
 * Context: Any.
 */
u32 ipoib_conn_rx_mtu(const struct ib_device *ibdev)
{
	return min_t(u32, pages_of(ibdev) * PAGE_SIZE, IPOIB_CONN_MAX_MESSAGE);
}

static struct ib_pd *pd_of(const struct ipoib_conn_rx *rx)
{
	return rx->set->idev->config.pd;
}

/*
 * ask_for_limit() arms the limit event, IBTA 10.2.9.5: the event says that half of the buffers are
 * used, when polls may be late. It comes once for each time that it was armed, and arming it may
 * sleep.
 */
static void ask_for_limit(struct ipoib_conn_rx *rx)
{
	struct ib_srq_attr attr = { .srq_limit = rx->nslots / 2 };

	mutex_lock(&rx->srq_lock);
	if (rx->srq)
		ib_modify_srq(rx->srq, &attr, IB_SRQ_LIMIT);
	mutex_unlock(&rx->srq_lock);
}

static void retry_work(struct work_struct *work)
{
	struct ipoib_conn_rx *rx = container_of(to_delayed_work(work),
						struct ipoib_conn_rx, retry);

	ipoib_poll_soon(&rx->napi);
	ask_for_limit(rx);
}

static void cq_error(struct ib_event *event, void *ctx)
{
	struct ipoib_conn_rx *rx = ctx;

	ipoib_conn_set_cq_failed(rx->set);
}

static void cq_event(struct ib_cq *cq, void *ctx)
{
	struct ipoib_conn_rx *rx = ctx;

	napi_schedule(&rx->napi);
}

static void srq_event(struct ib_event *event, void *ctx)
{
	struct ipoib_conn_rx *rx = ctx;

	switch (event->event) {
	case IB_EVENT_SRQ_LIMIT_REACHED:
		queue_delayed_work(rx->set->wq, &rx->retry, LIMIT_DELAY);
		break;
	case IB_EVENT_SRQ_ERR:
		ipoib_conn_set_cq_failed(rx->set);
		break;
	default:
		break;
	}
}

/*
 * slots_init() sets what never changes in a slot; no slot has pages yet.
 */
static void slots_init(struct ipoib_conn_rx *rx)
{
	int i, p;

	for (i = 0; i < rx->nslots; i++) {
		struct ipoib_conn_rx_slot *slot = &rx->slots[i];

		for (p = 0; p < rx->pages; p++)
			slot->sge[p].lkey = pd_of(rx)->local_dma_lkey;
		rx->free[i] = i;
	}
}

/* How many pages are, or were, the piece of a buffer that begins with page @i. */
static unsigned int piece_of(const struct ipoib_conn_rx_slot *slot, unsigned int i)
{
	return slot->blocks & BIT(i / IPOIB_CONN_RX_BLOCK) ? IPOIB_CONN_RX_BLOCK : 1;
}

/* Can page @i, which is missing, be the first of a block? Not if others of it are there. */
static bool may_be_block(const struct ipoib_conn_rx *rx, const struct ipoib_conn_rx_slot *slot,
			 unsigned int i)
{
	unsigned int n;

	if (!i || i % IPOIB_CONN_RX_BLOCK || i + IPOIB_CONN_RX_BLOCK > rx->pages)
		return false;
	for (n = 1; n < IPOIB_CONN_RX_BLOCK; n++)
		if (slot->page[i + n].page)
			return false;
	return true;
}

/* piece_fill() returns how many pages the piece has that begins with page @i; 0 without memory. */
static unsigned int piece_fill(struct ipoib_conn_rx *rx, struct ipoib_conn_rx_slot *slot,
			       unsigned int i)
{
	unsigned int block = BIT(i / IPOIB_CONN_RX_BLOCK);

	if (slot->page[i].page)
		return piece_of(slot, i);
	if (may_be_block(rx, slot, i)) {
		slot->blocks |= block;
		if (ipoib_rx_pool_get(&rx->pool, &slot->page[i], IPOIB_CONN_RX_BLOCK * PAGE_SIZE))
			return IPOIB_CONN_RX_BLOCK;
		slot->blocks &= ~block;
	}
	return ipoib_rx_pool_get(&rx->pool, &slot->page[i], PAGE_SIZE);
}

static noinline bool slot_complete(struct ipoib_conn_rx *rx, struct ipoib_conn_rx_slot *slot)
{
	struct ipoib_rx_stats *stats = this_cpu_ptr(rx->stats);
	unsigned int i, n;

	/* Each piece begins with its first page: one that is as long as a block is all of it. */
	slot->pieces = 0;
	for (i = 0; i < rx->pages; i += n) {
		n = piece_fill(rx, slot, i);
		if (unlikely(!n)) {
			u64_stats_update_begin(&stats->syncp);
			u64_stats_inc(&stats->alloc_failed);
			u64_stats_update_end(&stats->syncp);
			return false;
		}
		slot->sge[slot->pieces].addr = slot->page[i].dma;
		slot->sge[slot->pieces].length = n * PAGE_SIZE;
		slot->pieces++;
	}
	slot->complete = true;
	return true;
}

/*
 * Post up to one batch. Returns the number of buffers posted. Not inlined, because most polls post
 * nothing.
 */
static noinline unsigned int refill_batch(struct ipoib_conn_rx *rx)
{
	unsigned int want = min_t(unsigned int, rx->nfree, IPOIB_CONN_RX_BATCH);
	struct ipoib_rx_stats *stats = this_cpu_ptr(rx->stats);
	const struct ib_recv_wr *bad = NULL;
	unsigned int n, posted;

	for (n = 0; n < want; n++) {
		u16 number = rx->free[rx->nfree - 1 - n];
		struct ipoib_conn_rx_slot *slot = &rx->slots[number];

		if (!slot->complete && !slot_complete(rx, slot))
			break;
		rx->wr[n].wr_id = number;
		rx->wr[n].sg_list = slot->sge;
		rx->wr[n].num_sge = slot->pieces;
		rx->wr[n].next = n + 1 < want ? &rx->wr[n + 1] : NULL;
	}
	if (!n)
		return 0;

	/* Buffers that the HCA does not take keep their pages and are posted later. */
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

static void refill(struct ipoib_conn_rx *rx)
{
	if (rx->flushed)
		return;
	while (rx->nfree >= IPOIB_CONN_RX_BATCH)
		if (!refill_batch(rx))
			break;
	/* Hardly a buffer is posted, so perhaps no completion will cause another poll. */
	if (rx->nfree > rx->nslots - IPOIB_CONN_RX_BATCH)
		queue_delayed_work(rx->set->wq, &rx->retry, RETRY_DELAY);
}

/* What came from the wire is checked here and, if it is neighbour discovery, by is_believed(). */
static bool packet_ok(const struct ipoib_conn_rx *rx, const struct ib_wc *wc,
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
	/*
	 * RFC 4755 section 7: address resolution goes by UD. Opening a connection takes no
	 * privilege, and whoever has opened one could write into our ARP table.
	 */
	if (unlikely(hdr->proto == cpu_to_be16(ETH_P_ARP) ||
		     hdr->proto == cpu_to_be16(ETH_P_RARP))) {
		*reason = IPOIB_DROP_RX_CONN_ARP;
		return false;
	}
	return true;
}

/* Headers are copied; the rest of a long message goes up in its pages. */
static struct sk_buff *packet_take(struct ipoib_conn_rx *rx,
				   struct ipoib_conn_rx_slot *slot,
				   unsigned int len)
{
	unsigned int copy = len <= IPOIB_RX_COPY_LEN ? len : HEADERS_LEN;
	unsigned int at = copy;
	unsigned int i, n, frags = 0;
	struct sk_buff *skb;

	skb = ipoib_rx_pool_skb(&rx->pool, &rx->napi, INFINIBAND_ALEN + copy);
	if (unlikely(!skb))
		return NULL;

	skb_reserve(skb, INFINIBAND_ALEN);
	__skb_put_data(skb, page_address(slot->page[0].page), copy);
	if (at == len)
		return skb;

	skb_mark_for_recycle(skb);
	for (i = 0; at < len; i += n) {
		unsigned int off = at - i * PAGE_SIZE;
		unsigned int part;

		n = piece_of(slot, i);
		part = min_t(unsigned int, n * PAGE_SIZE - off, len - at);
		skb_add_rx_frag(skb, frags++, slot->page[i].page, off, part, n * PAGE_SIZE);
		ipoib_rx_pool_give(&rx->pool, &slot->page[i]);
		at += part;
	}
	slot->complete = false;
	return skb;
}

/* Only what the HCA has written is synced: @len by its word, which may be more than there is. */
static void slot_to_cpu(struct ipoib_conn_rx *rx, const struct ipoib_conn_rx_slot *slot,
			unsigned int len)
{
	const struct ib_sge *sge = slot->sge;
	unsigned int n;

	do {
		n = min(len, sge->length);
		ib_dma_sync_single_for_cpu(rx->pool.ibdev, sge->addr, n, DMA_FROM_DEVICE);
		len -= n;
	} while (unlikely(len) && ++sge < slot->sge + slot->pieces);
}

/*
 * slot_to_device() gives the pieces back to the HCA. If the message has gone up in its pieces there
 * are none that the HCA had written to.
 */
static void slot_to_device(struct ipoib_conn_rx *rx, const struct ipoib_conn_rx_slot *slot,
			   unsigned int len)
{
	const struct ib_sge *sge = slot->sge;
	unsigned int n;

	if (!slot->complete)
		return;
	do {
		n = min(len, sge->length);
		ib_dma_sync_single_for_device(rx->pool.ibdev, sge->addr, n, DMA_FROM_DEVICE);
		len -= n;
	} while (unlikely(len) && ++sge < slot->sge + slot->pieces);
}

/*
 * The peer has left the checksum to the link, which has kept the packet whole: the stack need not
 * look at it, and makes it where the packet goes on to others. take_unsummed() allows that only
 * where TCP and UDP have their checksums: wherever the stack makes one, it writes two octets, and
 * what is there has passed firewalls by then. take_unsummed() returns false if there is no
 * checksum; then the stack checks the packet like any other.
 */
static bool take_unsummed(struct sk_buff *skb)
{
	unsigned int start, offset;

	offset = ipoib_csum_find(skb->protocol, skb->data, skb_headlen(skb), &start);
	if (!offset || !skb_partial_csum_set(skb, start, offset))
		return false;
	/* A list of packets that GRO makes for a forwarder is taken apart without a look at it. */
	if (unlikely(skb->dev->features & NETIF_F_GRO_FRAGLIST))
		return !skb_checksum_help(skb);
	return true;
}

/*
 * A Q_Key that takes no privilege lets anybody send neighbour discovery in datagrams: then it
 * would be no use to mistrust what comes by connections.
 */
static bool is_believed(const struct ipoib_conn_rx *rx, const struct sk_buff *skb,
			const struct ipoib_hwaddr *from)
{
	return skb->protocol != cpu_to_be16(ETH_P_IPV6) ||
	       !(READ_ONCE(rx->set->idev->qkey) & IPOIB_QKEY_CONTROLLED) ||
	       ipoib_conn_nd_ok(skb, from);
}

static void packet_receive(struct ipoib_conn_rx *rx, const struct ib_wc *wc,
			   struct ipoib_conn_rx_slot *slot)
{
	struct ipoib_rx_stats *stats = this_cpu_ptr(rx->stats);
	enum ipoib_drop_reason reason;
	struct ipoib_hwaddr *from;
	struct sk_buff *skb;
	bool unsummed;

	/* The interface may be down already while its connections still close and receive. */
	if (unlikely(!netif_running(rx->napi.dev))) {
		ipoib_drop(&rx->set->idev->drops, IPOIB_DROP_RX_DOWN, wc->byte_len);
		return;
	}
	if (!packet_ok(rx, wc, page_address(slot->page[0].page), &reason)) {
		ipoib_drop(&rx->set->idev->drops, reason, wc->byte_len);
		return;
	}
	skb = packet_take(rx, slot, wc->byte_len);
	if (unlikely(!skb)) {
		ipoib_drop(&rx->set->idev->drops, IPOIB_DROP_RX_NO_MEMORY, wc->byte_len);
		return;
	}

	from = ipoib_rx_skb_header(skb);
	unsummed = ipoib_conn_set_heard(rx->set, wc->qp, from) &&
		   (wc->wc_flags & IB_WC_WITH_IMM) &&
		   wc->ex.imm_data == cpu_to_be32(IPOIB_IMM_LINK_SUM);
	skb->dev = rx->napi.dev;
	if (unlikely(!is_believed(rx, skb, from))) {
		ipoib_drop_skb(&rx->set->idev->drops, IPOIB_DROP_RX_CONN_ARP, skb);
		return;
	}
	if (unsummed)
		unsummed = take_unsummed(skb);
	skb->pkt_type = PACKET_HOST;

	u64_stats_update_begin(&stats->syncp);
	u64_stats_inc(&stats->packets);
	u64_stats_add(&stats->bytes, wc->byte_len);
	if (wc->byte_len <= IPOIB_RX_COPY_LEN)
		u64_stats_inc(&stats->copied);
	if (unsummed)
		u64_stats_inc(&stats->unsummed);
	u64_stats_update_end(&stats->syncp);

	ipoib_rx_skb_deliver(&rx->napi, skb, rx->alone);
}

static void rx_complete(struct ipoib_conn_rx *rx, const struct ib_wc *wc)
{
	struct ipoib_conn_rx_slot *slot = &rx->slots[wc->wr_id];

	if (likely(wc->status == IB_WC_SUCCESS)) {
		slot_to_cpu(rx, slot, wc->byte_len);
		packet_receive(rx, wc, slot);
		slot_to_device(rx, slot, wc->byte_len);
	} else {
		/* Post no more to a QP in error: it would flush the buffers for ever. */
		rx->flushed = rx->qp;
		if (wc->status != IB_WC_WR_FLUSH_ERR) {
			ipoib_drop(&rx->set->idev->drops, IPOIB_DROP_RX_ERROR, 0);
			ipoib_conn_set_qp_failed(rx->set, wc->qp);
		}
	}
	rx->free[rx->nfree] = wc->wr_id;
	WRITE_ONCE(rx->nfree, rx->nfree + 1);
}

static int rx_poll(struct napi_struct *napi, int budget)
{
	struct ipoib_conn_rx *rx = container_of(napi, struct ipoib_conn_rx, napi);
	struct ipoib_rx_stats *stats = this_cpu_ptr(rx->stats);
	u64 bytes = u64_stats_read(&stats->bytes);
	int work = 0;
	int i, n;

	do {
		n = ib_poll_cq(rx->cq, min(budget - work, IPOIB_POLL_BATCH), rx->wc);
		rx->alone = n == 1 && !work;
		for (i = 0; i < n; i++)
			rx_complete(rx, &rx->wc[i]);
		work += max(n, 0);
		/* A queue may have fewer buffers than a poll takes packets. */
		refill(rx);
	} while (n == IPOIB_POLL_BATCH && work < budget);

	if (work < budget)
		WRITE_ONCE(rx->emptied, rx->emptied + 1);
	u64_stats_update_begin(&stats->syncp);
	u64_stats_inc(&stats->polls);
	u64_stats_update_end(&stats->syncp);
	if (ipoib_moder_adapts(&rx->moder))
		ipoib_moder_sample(&rx->moder, work, u64_stats_read(&stats->bytes) - bytes,
				   work < budget);

	return ipoib_poll_end(napi, rx->cq, work, budget);
}

static int srq_new(struct ipoib_conn_rx *rx)
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

	srq = ib_create_srq(pd_of(rx), &attr);
	if (IS_ERR(srq))
		return PTR_ERR(srq);
	rx->srq = srq;
	return 0;
}

static int queues_new(struct ipoib_conn_rx *rx)
{
	struct ib_cq_init_attr attr = {
		.cqe = rx->nslots,
		.comp_vector = ipoib_qp_vector(pd_of(rx)->device),
	};
	int err = 0;

	rx->cq = ib_create_cq(pd_of(rx)->device, cq_event, cq_error, rx, &attr);
	if (IS_ERR(rx->cq))
		return PTR_ERR(rx->cq);

	if (ipoib_conn_rx_shared(pd_of(rx)->device))
		err = srq_new(rx);
	if (err)
		ib_destroy_cq(rx->cq);
	else
		ipoib_moder_set_cq(&rx->moder, rx->cq);
	return err;
}

/**
 * ipoib_conn_rx_slots - how many buffers a receive queue has
 * @set: the set of the connections
 *
 * Return: the number, which is the same for all queues of a set.
 * Context: Any.
 */
unsigned int ipoib_conn_rx_slots(const struct ipoib_conn_set *set)
{
	const struct ib_device *ibdev = set->idev->config.pd->device;
	unsigned int n;

	if (!ipoib_conn_rx_shared(ibdev))
		return IPOIB_CONN_RX_OWN_SLOTS;
	n = DIV_ROUND_UP(ipoib_conn_set_most(set), set->rx_count);
	n = clamp(round_up(n + IPOIB_CONN_RX_SPARE, IPOIB_CONN_RX_BATCH),
		  set->rx_count > 1 ? IPOIB_CONN_RX_SLOTS_MIN / 2 : IPOIB_CONN_RX_SLOTS_MIN,
		  IPOIB_CONN_RX_SLOTS_MAX);
	return round_down(min_t(unsigned int, n, ibdev->attrs.max_srq_wr),
			  IPOIB_CONN_RX_BATCH);
}

/*
 * A shared queue is filled and runs when ipoib_conn_rx_open() returns; any other one needs
 * ipoib_conn_rx_run(). @rx is zeroed but for @moder, or closed.
 */
int ipoib_conn_rx_open(struct ipoib_conn_rx *rx, struct ipoib_conn_set *set)
{
	int err;

	rx->set = set;
	rx->stats = set->idev->conn_rx;
	rx->pages = pages_of(pd_of(rx)->device);
	WRITE_ONCE(rx->nslots, ipoib_conn_rx_slots(set));
	WRITE_ONCE(rx->nfree, rx->nslots);
	rx->flushed = false;
	rx->slots = vcalloc(rx->nslots, sizeof(*rx->slots));
	if (!rx->slots)
		return -ENOMEM;

	err = ipoib_rx_pool_init(&rx->pool, pd_of(rx)->device, rx->nslots * rx->pages,
				 IPOIB_CONN_RX_BLOCK * PAGE_SIZE);
	if (err)
		goto err_slots;

	slots_init(rx);
	mutex_init(&rx->srq_lock);
	INIT_DELAYED_WORK(&rx->retry, retry_work);
	err = queues_new(rx);
	if (err)
		goto err_pool;

	rtnl_lock();
	netif_napi_add(set->idev->dev, &rx->napi, rx_poll);
	rtnl_unlock();
	if (rx->srq)
		ipoib_conn_rx_run(rx, NULL);
	return 0;

err_pool:
	ipoib_rx_pool_exit(&rx->pool);
err_slots:
	vfree(rx->slots);
	return err;
}

/*
 * @qp is in INIT and exists until ipoib_conn_rx_halt(); it is NULL if the queue is shared. When
 * ipoib_conn_rx_run() returns, buffers are posted, so peers may send from then on.
 */
void ipoib_conn_rx_run(struct ipoib_conn_rx *rx, struct ib_qp *qp)
{
	rx->qp = qp;
	local_bh_disable();
	refill(rx);
	local_bh_enable();

	napi_enable(&rx->napi);
	rx->running = true;
	ib_req_notify_cq(rx->cq, IB_CQ_NEXT_COMP);
	queue_delayed_work(rx->set->wq, &rx->retry, 0);
}

/*
 * ipoib_conn_rx_drain() waits until all that has arrived was polled. A provider drops the
 * completions of a QP when the QP is destroyed; the buffers of completions not polled until
 * then would be lost: neither posted to the shared queue nor free.
 */
void ipoib_conn_rx_drain(struct ipoib_conn_rx *rx)
{
	u32 seen, now;
	int i;

	/* Twice, because a poll that is running may have emptied the queue before the call. */
	for (i = 0; i < 2; i++) {
		seen = READ_ONCE(rx->emptied);
		ipoib_poll_soon(&rx->napi);
		read_poll_timeout(READ_ONCE, now, now != seen, POLL_WAIT_US,
				  DRAIN_TIMEOUT_US, false, rx->emptied);
	}
}

/**
 * ipoib_conn_rx_posted - how many buffers the HCA has
 * @rx: zeroed, open or closed
 *
 * Return: the number, only for display: it may be out of date.
 * Context: Any.
 */
unsigned int ipoib_conn_rx_posted(const struct ipoib_conn_rx *rx)
{
	unsigned int nfree = READ_ONCE(rx->nfree);
	unsigned int nslots = READ_ONCE(rx->nslots);

	/* The queue may be opened between the two reads. */
	return nslots - min(nfree, nslots);
}

void ipoib_conn_rx_halt(struct ipoib_conn_rx *rx)
{
	if (rx->running)
		napi_disable(&rx->napi);
	rx->running = false;
}

/* No QP uses the queue any more when ipoib_conn_rx_close() is called. */
void ipoib_conn_rx_close(struct ipoib_conn_rx *rx)
{
	int i, p;

	/* 1. No more polls: one that is scheduled from here on does not run. */
	ipoib_conn_rx_halt(rx);

	/* 2. No more events, and no work that an event has queued. */
	mutex_lock(&rx->srq_lock);
	if (rx->srq)
		ib_destroy_srq(rx->srq);
	rx->srq = NULL;
	mutex_unlock(&rx->srq_lock);
	cancel_delayed_work_sync(&rx->retry);
	rtnl_lock();
	netif_napi_del(&rx->napi);
	rtnl_unlock();
	ipoib_moder_set_cq(&rx->moder, NULL);
	ib_destroy_cq(rx->cq);

	/* 3. Free the buffers, posted or not. */
	local_bh_disable();
	for (i = 0; i < rx->nslots; i++)
		for (p = 0; p < rx->pages; p++)
			ipoib_rx_pool_put(&rx->pool, &rx->slots[i].page[p]);
	local_bh_enable();
	ipoib_rx_pool_exit(&rx->pool);
	vfree(rx->slots);
	WRITE_ONCE(rx->nfree, rx->nslots);
}
