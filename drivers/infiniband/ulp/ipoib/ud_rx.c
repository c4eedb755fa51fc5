// SPDX-License-Identifier: GPL-2.0
#include "ud_rx.h"

#include <linux/log2.h>
#include <linux/vmalloc.h>

#include "device.h"
#include "qp.h"
#include "rx_skb.h"
#include "snoop.h"
#include "wire.h"

/*
 * Delay until refill() is tried again if it could not post any buffer. Without a posted buffer
 * there is no completion that would cause a poll.
 */
#define RETRY_DELAY	(HZ / 10)

/* path_check() asks anew only for paths that were answered longer ago than this. */
#define SENDER_AGE	HZ

/*
 * The head holds headroom, the GRH, the packet or the beginning of it, and the skb_shared_info that
 * napi_build_skb() puts at the end. packet_from() overwrites the second half of the GRH with the
 * pseudo header of Linux. HCA_LEN() is what the HCA may use of a head of _len octets, and HEAD_LEN
 * what it may use of one that is a page.
 */
#define HEAD_ROOM	NET_SKB_PAD
#define HCA_LEN(_len)	((unsigned int)SKB_WITH_OVERHEAD(_len) - HEAD_ROOM)
#define HEAD_LEN	HCA_LEN(PAGE_SIZE)

/* Length of a head that has room for all of a packet of _longest octets. */
#define PIECE_LEN(_longest)							\
	((unsigned int)(SKB_DATA_ALIGN(HEAD_ROOM + IPOIB_GRH_LEN + (_longest)) + \
			SKB_DATA_ALIGN(sizeof(struct skb_shared_info))))

/* Longest packet that is copied if its buffer is one piece. */
#define PIECE_COPY_LEN	256u

/* Offsets into a GRH, or into the IPv6 header that RoCEv2 has instead. */
#define GRH_SGID	8
#define GRH_DGID	24

static int rx_poll(struct napi_struct *napi, int budget);
static void retry_work(struct work_struct *work);

static struct ipoib_dev *dev_of(struct ipoib_ud_rx *rx)
{
	return container_of(rx, struct ipoib_dev, rx);
}

/*
 * Divide what does not fit into the head page into tails: pages, and a last piece of any length.
 * Returns the number of tails.
 */
static unsigned int tails_of(unsigned int longest, unsigned int *len)
{
	unsigned int n, all = IPOIB_GRH_LEN + longest;
	unsigned int left = all > HEAD_LEN ? all - HEAD_LEN : 0;

	for (n = 0; left && n < IPOIB_UD_RX_TAILS; n++) {
		/* If more than half of a page is used, its rest is too small for another tail. */
		len[n] = left > PAGE_SIZE / 2 ? PAGE_SIZE : left;
		left -= min(left, len[n]);
	}
	return n;
}

/**
 * ipoib_ud_rx_sges - number of scatter/gather entries of a receive buffer
 * @longest: longest packet that the port can receive, octets
 *
 * Return: the number that the QP has to be created with.
 * Context: Any.
 */
unsigned int ipoib_ud_rx_sges(unsigned int longest)
{
	unsigned int len[IPOIB_UD_RX_TAILS];

	BUILD_BUG_ON(IPOIB_GRH_LEN + IPOIB_MTU_OPA > HEAD_LEN + IPOIB_UD_RX_TAILS * PAGE_SIZE);
	return 1 + tails_of(longest, len);
}

/**
 * ipoib_ud_rx_most - most buffers that a ring may have
 * @ibdev: RDMA device
 *
 * Return: a power of two, IPOIB_UD_RX_SLOTS at least.
 * Context: Any.
 */
u32 ipoib_ud_rx_most(const struct ib_device *ibdev)
{
	u32 most = min(ibdev->attrs.max_qp_wr, ibdev->attrs.max_cqe);

	most = clamp_t(u32, most, IPOIB_UD_RX_SLOTS, IPOIB_UD_RX_SLOTS_MAX);
	return rounddown_pow_of_two(most);
}

/**
 * ipoib_ud_rx_init - make a receive ring, stopped and without slots
 * @rx: @longest, @dev, @qp, @drops and @wq are set
 *
 * Context: Process context.
 */
void ipoib_ud_rx_init(struct ipoib_ud_rx *rx)
{
	rx->piece = PIECE_LEN(rx->longest);
	rx->tails = tails_of(rx->longest, rx->tail_len);
	ipoib_ring_init(&rx->ring, IPOIB_UD_RX_SLOTS);
	u64_stats_init(&rx->stats.syncp);
	init_completion(&rx->drained);
	INIT_DELAYED_WORK(&rx->retry, retry_work);
	netif_napi_add(rx->dev, &rx->napi, rx_poll);
}

/**
 * ipoib_ud_rx_exit - undo ipoib_ud_rx_init()
 * @rx: stopped, without slots
 *
 * Context: Process context, may sleep.
 */
void ipoib_ud_rx_exit(struct ipoib_ud_rx *rx)
{
	ipoib_moder_exit(&rx->moder);
	netif_napi_del(&rx->napi);
}

/* slots_init() sets what never changes in a slot, which has no memory yet. */
static void slots_init(struct ipoib_ud_rx *rx)
{
	u32 lkey = rx->qp->pd->local_dma_lkey;
	u32 i, j;

	for (i = 0; i < ipoib_ring_size(&rx->ring); i++) {
		struct ipoib_ud_rx_slot *slot = &rx->slots[i];

		for (j = 0; j < IPOIB_UD_RX_SGE; j++)
			slot->sge[j].lkey = lkey;
		slot->wr.sg_list = slot->sge;
		slot->wr.next = &rx->slots[ipoib_ring_slot(&rx->ring, i + 1)].wr;
	}
}

/**
 * ipoib_ud_rx_alloc - allocate the slots of a ring
 * @rx: stopped, without slots
 * @slots: how many: a power of two, ipoib_ud_rx_most() at most
 *
 * Buffers are allocated by the poll after ipoib_ud_rx_start().
 *
 * Return: 0 or -ENOMEM.
 * Context: Process context, may sleep; the device's lock is held.
 */
int ipoib_ud_rx_alloc(struct ipoib_ud_rx *rx, u32 slots)
{
	int err;

	rx->slots = vcalloc(slots, sizeof(*rx->slots));
	if (!rx->slots)
		return -ENOMEM;

	err = ipoib_rx_pool_init(&rx->pool, rx->qp->pd->device,
				 slots * DIV_ROUND_UP(rx->piece, PAGE_SIZE),
				 roundup_pow_of_two(IPOIB_UD_RX_SHARE * rx->piece));
	if (err) {
		vfree(rx->slots);
		rx->slots = NULL;
		return err;
	}
	ipoib_ring_resize(&rx->ring, slots);
	slots_init(rx);
	return 0;
}

/**
 * ipoib_ud_rx_free - free the slots and pages of a ring
 * @rx: stopped and purged
 *
 * Context: Process context, may sleep; the device's lock is held.
 */
void ipoib_ud_rx_free(struct ipoib_ud_rx *rx)
{
	u32 i, j;

	local_bh_disable();
	for (i = 0; i < ipoib_ring_size(&rx->ring); i++)
		for (j = 0; j < IPOIB_UD_RX_SGE; j++)
			ipoib_rx_pool_put(&rx->pool, &rx->slots[i].page[j]);
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

	/* The first poll fills the ring, because no completion comes before a buffer is posted. */
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
 * ipoib_ud_rx_drain - wait until all buffers have completed
 * @rx: stopped; its QP is in the error state, which flushes the buffers
 * @deadline: when to give up, jiffies
 *
 * Return: false if some buffers have not completed by @deadline.
 * Context: Process context, may sleep; the device's lock is held.
 */
bool ipoib_ud_rx_drain(struct ipoib_ud_rx *rx, unsigned long deadline)
{
	long left = deadline - jiffies;

	reinit_completion(&rx->drained);
	WRITE_ONCE(rx->draining, true);

	/* If no buffer is posted, this poll completes @drained. */
	ipoib_poll_soon(&rx->napi);
	return wait_for_completion_timeout(&rx->drained, max(left, 1L));
}

/**
 * ipoib_ud_rx_halt - stop polling for completions
 * @rx: stopped and drained as far as possible
 *
 * Context: Process context, may sleep; the device's lock is held.
 */
void ipoib_ud_rx_halt(struct ipoib_ud_rx *rx)
{
	/*
	 * NAPI first, because a poll may queue @retry. When @retry runs on a disabled NAPI, its
	 * napi_schedule() has no effect.
	 */
	napi_disable(&rx->napi);
	cancel_delayed_work_sync(&rx->retry);
}

/**
 * ipoib_ud_rx_purge - take back the buffers that never completed
 * @rx: halted; its QP is in the RESET state or has been destroyed
 *
 * Context: Process context; the ring must not be started meanwhile.
 */
void ipoib_ud_rx_purge(struct ipoib_ud_rx *rx)
{
	/* The pages stay in their slots for the next start, or until ipoib_ud_rx_free(). */
	ipoib_ring_pop(&rx->ring, ipoib_ring_used(&rx->ring));
}

/* head_fill() completes a slot by a head of @len octets, with which @tails are used. */
static bool head_fill(struct ipoib_ud_rx *rx, struct ipoib_ud_rx_slot *slot, unsigned int len,
		      unsigned int tails)
{
	struct ipoib_rx_page *head = &slot->page[0];

	if (unlikely(!ipoib_rx_pool_get(&rx->pool, head, len)))
		return false;
	slot->sge[0].addr = head->dma + HEAD_ROOM;
	slot->sge[0].length = HCA_LEN(head->len);
	slot->wr.num_sge = 1 + tails;
	return true;
}

/*
 * A packet that goes up takes the head, which comes last here: a slot that has a head has all that
 * it needs. Tails that a packet has left are used again the next time that there are only pages.
 */
static noinline bool slot_fill_pages(struct ipoib_ud_rx *rx, struct ipoib_ud_rx_slot *slot)
{
	unsigned int i;

	for (i = 0; i < rx->tails; i++) {
		struct ipoib_rx_page *tail = &slot->page[1 + i];

		if (!tail->page && !ipoib_rx_pool_get(&rx->pool, tail, rx->tail_len[i]))
			return false;
		slot->sge[1 + i].addr = tail->dma;
		slot->sge[1 + i].length = rx->tail_len[i];
	}
	return head_fill(rx, slot, PAGE_SIZE, rx->tails);
}

/* @pieces becomes false when there is no memory for one, and none is asked for then. */
static bool slot_fill(struct ipoib_ud_rx *rx, struct ipoib_ud_rx_slot *slot, bool *pieces)
{
	/* No packet has taken it: none has come, or it was copied or dropped. */
	if (slot->page[0].page)
		return true;
	*pieces = *pieces && head_fill(rx, slot, rx->piece, 0);
	if (likely(*pieces) || slot_fill_pages(rx, slot))
		return true;

	u64_stats_update_begin(&rx->stats.syncp);
	u64_stats_inc(&rx->stats.alloc_failed);
	u64_stats_update_end(&rx->stats.syncp);
	return false;
}

static struct ipoib_ud_rx_slot *slot_of(struct ipoib_ud_rx *rx, u32 index)
{
	return &rx->slots[ipoib_ring_slot(&rx->ring, index)];
}

/*
 * Post up to one batch of buffers. Returns the number of buffers posted. Not inlined, because most
 * polls post nothing.
 */
static noinline u32 refill_batch(struct ipoib_ud_rx *rx, bool *pieces)
{
	u32 space = min_t(u32, ipoib_ring_space(&rx->ring), IPOIB_UD_RX_BATCH);
	const struct ib_recv_wr *bad = NULL;
	struct ib_recv_wr *last = NULL;
	u32 head = rx->ring.head;
	struct ib_recv_wr *next;
	u32 n, posted;

	for (n = 0; n < space; n++) {
		struct ipoib_ud_rx_slot *slot = slot_of(rx, head + n);

		if (!slot_fill(rx, slot, pieces))
			break;
		last = &slot->wr;
		last->wr_id = (u64)rx->epoch << 32 | (head + n);
	}
	if (!last)
		return 0;

	/* A buffer that the HCA refuses keeps its memory and is posted by a later call. */
	posted = n;
	next = last->next;
	last->next = NULL;
	if (unlikely(ib_post_recv(rx->qp->ib, &slot_of(rx, head)->wr, &bad)))
		posted = bad ? lower_32_bits(bad->wr_id) - head : 0;
	last->next = next;

	ipoib_ring_push(&rx->ring, posted);
	u64_stats_update_begin(&rx->stats.syncp);
	u64_stats_inc(&rx->stats.posts);
	u64_stats_update_end(&rx->stats.syncp);
	return posted;
}

static void refill(struct ipoib_ud_rx *rx)
{
	bool pieces = true;

	while (READ_ONCE(rx->running) &&
	       ipoib_ring_space(&rx->ring) >= IPOIB_UD_RX_BATCH) {
		if (refill_batch(rx, &pieces))
			continue;

		/*
		 * While a buffer is posted, its completion causes a poll, which tries again. If
		 * none is posted, only the timer does.
		 */
		if (!ipoib_ring_used(&rx->ring))
			queue_delayed_work(rx->wq, &rx->retry, RETRY_DELAY);
		break;
	}
}

/*
 * packet_is_own() returns true for the interface's own multicast, which an HCA may loop back. GID
 * and QPN are compared: the LID does not identify a port on RoCE, where it is always 0, and two
 * ports may use the same QPN.
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
 * Check a received packet. All code after this relies on the length and the EtherType that are
 * checked here. Returns false, and a reason, if the packet has to be dropped.
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
	/*
	 * RoCE v2 over IPv4: the 20 octets of the IPv4 header leave the first half of the GRH
	 * undefined, so it must not be read as a GRH.
	 */
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

/*
 * The longest packet that is copied. A piece is charged for its own length only, however large a
 * page is, so a long datagram in one is not copied. A head that is a page is charged as a whole.
 */
static unsigned int copy_len(const struct ipoib_ud_rx_slot *slot)
{
	return slot->page[0].len == PAGE_SIZE ? IPOIB_RX_COPY_LEN : PIECE_COPY_LEN;
}

/* Copy a short packet, which is cheaper than giving its buffer to the stack. */
static struct sk_buff *packet_copy(struct ipoib_ud_rx *rx, const u8 *grh,
				   unsigned int len)
{
	struct sk_buff *skb;

	skb = ipoib_rx_pool_skb(&rx->pool, &rx->napi, IPOIB_GRH_LEN + len);
	if (unlikely(!skb))
		return NULL;

	skb_reserve(skb, IPOIB_GRH_LEN);
	__skb_put_data(skb, grh + IPOIB_GRH_LEN, len);
	return skb;
}

static void *head_of(const struct ipoib_ud_rx_slot *slot)
{
	return page_address(slot->page[0].page) + slot->page[0].offset;
}

/*
 * Build an skb out of the memory of a slot. The packet is @len octets long from its encapsulation
 * header on. What it uses leaves the slot, and is charged as a whole.
 */
static struct sk_buff *packet_take(struct ipoib_ud_rx *rx,
				   struct ipoib_ud_rx_slot *slot,
				   unsigned int len)
{
	unsigned int n = min(len, slot->sge[0].length - IPOIB_GRH_LEN), i;
	struct sk_buff *skb;

	skb = napi_build_skb(head_of(slot), slot->page[0].len);
	if (unlikely(!skb))
		return NULL;

	skb_mark_for_recycle(skb);
	skb_reserve(skb, HEAD_ROOM + IPOIB_GRH_LEN);
	skb_put(skb, n);
	ipoib_rx_pool_give(&rx->pool, &slot->page[0]);
	for (i = 1, len -= n; len; i++, len -= n) {
		struct ipoib_rx_page *tail = &slot->page[i];

		n = min(len, slot->sge[i].length);
		skb_add_rx_frag(skb, i - 1, tail->page, tail->offset, n, tail->len);
		ipoib_rx_pool_give(&rx->pool, tail);
	}
	return skb;
}

/*
 * Only what the HCA has written is synced: the rest of a buffer is a copy, or a loop, for nothing.
 * @len has the GRH in it, and is what the HCA says: it may be more than the buffer has.
 */
static void slot_to_cpu(struct ipoib_ud_rx *rx, const struct ipoib_ud_rx_slot *slot,
			unsigned int len)
{
	struct ib_device *ibdev = rx->qp->pd->device;
	unsigned int n;
	int i = 0;

	do {
		n = min(len, slot->sge[i].length);
		ib_dma_sync_single_for_cpu(ibdev, slot->sge[i].addr, n, DMA_FROM_DEVICE);
		len -= n;
	} while (unlikely(len) && ++i < slot->wr.num_sge);
}

/* slot_to_device() gives what has not gone up with the packet back to the HCA. */
static void slot_to_device(struct ipoib_ud_rx *rx, const struct ipoib_ud_rx_slot *slot,
			   unsigned int len)
{
	struct ib_device *ibdev = rx->qp->pd->device;
	unsigned int n;
	int i = 0;

	do {
		n = min(len, slot->sge[i].length);
		if (slot->page[i].page)
			ib_dma_sync_single_for_device(ibdev, slot->sge[i].addr, n,
						      DMA_FROM_DEVICE);
		len -= n;
	} while (unlikely(len) && ++i < slot->wr.num_sge);
}

/*
 * No SM tells us that another port has got a new LID, and packets to the old LID are lost without
 * an error. So if a packet came from another LID than the path to its sender leads to, the path
 * is asked for anew. RFC 4391 section 9.1.1: a node is named by its GID, not by its LID. @addr is
 * what the packet says, not verified; @from_there says that it came from the GID in @addr.
 */
static void path_check(struct ipoib_ud_rx *rx, const struct ipoib_hwaddr *addr, u32 slid,
		       bool from_there)
{
	struct ipoib_dev *idev = dev_of(rx);
	struct ipoib_peer *peer;
	struct ipoib_ah *ah;

	if (from_there)
		ipoib_fabric_heard(&idev->fabric, addr->gid);

	rcu_read_lock();
	peer = ipoib_peertable_find(&idev->peers, addr);
	ah = peer ? rcu_dereference(peer->ah) : NULL;
	/*
	 * If the LMC of the ports has just changed, this may ask for a path without need, or
	 * not ask for one until the next such packet: neither does harm.
	 */
	if (ah && !ipoib_fabric_same_port(&idev->fabric, ah->dlid, slid))
		ipoib_peer_refresh(peer, SENDER_AGE);
	rcu_read_unlock();
}

/*
 * If the packet names the link-layer address of its sender, the path there is looked at. The
 * packet still goes to the stack.
 */
static noinline void packet_overhear(struct ipoib_ud_rx *rx, const u8 *grh,
				     const struct ib_wc *wc)
{
	struct ipoib_hwaddr addr;
	bool from_there;

	if (!ipoib_snoop_sender(grh + IPOIB_GRH_LEN,
				min(wc->byte_len - IPOIB_GRH_LEN, IPOIB_SNOOP_LEN),
				&addr))
		return;

	from_there = (wc->wc_flags & IB_WC_GRH) &&
		     !memcmp(addr.gid, grh + GRH_SGID, sizeof(addr.gid));
	path_check(rx, &addr, rx->self.lids ? wc->slid : 0, from_there);
}

/*
 * The link-layer address that the packet came from, but for the flags; zeros without a GRH. If the
 * packet took the buffer, @from is the end of the GRH: its GID is that of the receiver there, and
 * its first word is the end of the sender's, which is copied before it is overwritten.
 */
static void packet_from(const u8 *grh, const struct ib_wc *wc, struct ipoib_hwaddr *from)
{
	if (wc->wc_flags & IB_WC_GRH) {
		memcpy(from->gid, grh + GRH_SGID, sizeof(from->gid));
		from->flags_qpn = cpu_to_be32(wc->src_qp);
	} else {
		memset(from, 0, sizeof(*from));
	}
}

static void packet_receive(struct ipoib_ud_rx *rx, const struct ib_wc *wc,
			   struct ipoib_ud_rx_slot *slot)
{
	const u8 *grh = head_of(slot) + HEAD_ROOM;
	const struct ipoib_hdr *hdr = (const void *)(grh + IPOIB_GRH_LEN);
	unsigned int len = wc->byte_len - IPOIB_GRH_LEN;
	enum ipoib_drop_reason reason;
	unsigned char type;
	struct sk_buff *skb;
	bool copy;

	slot_to_cpu(rx, slot, wc->byte_len);
	if (!packet_ok(rx, grh, wc, &reason)) {
		ipoib_drop(rx->drops, reason, wc->byte_len);
		return;
	}

	type = packet_type(rx, grh, wc);
	copy = len <= IPOIB_HDR_LEN + copy_len(slot);
	skb = copy ? packet_copy(rx, grh, len) : packet_take(rx, slot, len);
	if (unlikely(!skb)) {
		ipoib_drop(rx->drops, IPOIB_DROP_RX_NO_MEMORY, wc->byte_len);
		return;
	}

	/*
	 * packet_overhear() and packet_type() read the GRH and have to run before packet_from(),
	 * which overwrites part of it if the packet took the buffer.
	 */
	if (hdr->proto != cpu_to_be16(ETH_P_IP))
		packet_overhear(rx, grh, wc);
	packet_from(grh, wc, ipoib_rx_skb_header(skb));
	skb->dev = rx->dev;
	skb->pkt_type = type;
	if ((wc->wc_flags & IB_WC_IP_CSUM_OK) && (rx->dev->features & NETIF_F_RXCSUM))
		skb->ip_summed = CHECKSUM_UNNECESSARY;

	u64_stats_update_begin(&rx->stats.syncp);
	u64_stats_inc(&rx->stats.packets);
	u64_stats_add(&rx->stats.bytes, len);
	if (skb->pkt_type != PACKET_HOST)
		u64_stats_inc(&rx->stats.multicast);
	if (copy)
		u64_stats_inc(&rx->stats.copied);
	u64_stats_update_end(&rx->stats.syncp);

	ipoib_rx_skb_deliver(&rx->napi, skb, rx->alone);
}

/* Handle one completion. Returns false if the QP has to be started again. */
static bool rx_complete(struct ipoib_ud_rx *rx, const struct ib_wc *wc)
{
	u32 index = lower_32_bits(wc->wr_id);
	struct ipoib_ud_rx_slot *slot = slot_of(rx, index);

	/* The completion belongs to an earlier start, whose buffers have been purged. */
	if (unlikely(upper_32_bits(wc->wr_id) != rx->epoch))
		return true;

	/*
	 * Buffers have to complete in the order in which they were posted. After any other
	 * completion it is not known which buffers the HCA owns until the QP is reset.
	 */
	if (unlikely(index != rx->ring.tail)) {
		ipoib_drop(rx->drops, IPOIB_DROP_RX_ERROR, 0);
		if (index - rx->ring.tail < ipoib_ring_used(&rx->ring))
			ipoib_ring_pop(&rx->ring, index - rx->ring.tail + 1);
		return false;
	}

	if (likely(wc->status == IB_WC_SUCCESS)) {
		packet_receive(rx, wc, slot);
		slot_to_device(rx, slot, wc->byte_len);
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
	bool running = READ_ONCE(rx->running);
	bool alive = true;
	int work = 0;
	int i, n;

	do {
		n = ib_poll_cq(cq, min(budget - work, IPOIB_POLL_BATCH), rx->wc);
		rx->alone = n == 1 && !work;
		for (i = 0; i < n; i++)
			alive &= rx_complete(rx, &rx->wc[i]);
		work += max(n, 0);
		/*
		 * A buffer posted to a QP in the error state is flushed, and would be posted for
		 * ever.
		 */
		if (unlikely(!alive))
			WRITE_ONCE(rx->running, false);
		/* The ring may have fewer buffers than a poll takes packets. */
		refill(rx);
	} while (n == IPOIB_POLL_BATCH && work < budget);

	u64_stats_update_begin(&rx->stats.syncp);
	u64_stats_inc(&rx->stats.polls);
	u64_stats_update_end(&rx->stats.syncp);

	/* If the ring had been stopped, flushed buffers are expected and no failure. */
	if (unlikely(!alive && running))
		ipoib_dev_kick(dev_of(rx), IPOIB_DEV_QP_FAILED);
	if (unlikely(READ_ONCE(rx->draining) && !ipoib_ring_used(&rx->ring)))
		complete(&rx->drained);
	if (ipoib_moder_adapts(&rx->moder))
		ipoib_moder_sample(&rx->moder, work,
				   u64_stats_read(&rx->stats.bytes) - rx->moder.bytes,
				   work < budget);

	return ipoib_poll_end(napi, cq, work, budget);
}
