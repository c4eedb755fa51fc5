// SPDX-License-Identifier: GPL-2.0
/*
 * The receive ring of datagrams: what is posted, what becomes of a packet, and what is handed over
 * between HCA and CPU. The HCA is this file: it takes buffers and completes those it is told to.
 */
#include <kunit/test.h>
#include <linux/netdevice.h>

#include "../device.h"
#include "../qp.h"
#include "../rx_skb.h"
#include "false_cq.h"

static void to_stack(struct sk_buff *skb);
static void handed_over(u64 addr, unsigned int len, bool to_cpu);

/* How often another try was to come later. */
static unsigned int retries;
/* How often the slots were freed. */
static unsigned int freed;

#define ib_dma_sync_single_for_cpu(_ibdev, _addr, _len, _dir)	\
	((void)(_ibdev), handed_over(_addr, _len, true))
#define ib_dma_sync_single_for_device(_ibdev, _addr, _len, _dir) \
	((void)(_ibdev), handed_over(_addr, _len, false))
#define ipoib_rx_skb_deliver(_napi, _skb, _alone)		to_stack(_skb)
#define ipoib_poll_end(_napi, _cq, _work, _budget)		(_work)
#define ipoib_poll_soon(_napi)					((void)(_napi))
#define napi_enable(_napi)					((void)(_napi))
#define queue_delayed_work(_wq, _work, _delay)			(retries++)
#define vfree(_addr)						(freed++, (vfree)(_addr))
#include "../ud_rx.c"

#include "../addr.c"
#include "../snoop.c"

#define OWN_QPN		0x123
#define LINK_MTU	4092
/* A packet of this length does not fit into a page that is a head, whatever pages there are. */
#define TOO_LONG	(HEAD_LEN + 100)
#define HEADERS		(IPOIB_GRH_LEN + IPOIB_HDR_LEN)

/**
 * struct world - a ring and its HCA
 * @idev: the interface; the ring is part of it
 * @ibdev: the HCA
 * @pd: its protection domain
 * @qp: the queue pair
 * @cq: the completion queue
 * @rx: the ring
 * @posted: addresses of the buffers that the HCA got, in their order
 * @wr_id: their numbers
 * @count: how many they are
 * @first: how many of them it has filled
 * @takes: the HCA takes so many more
 * @sges: entries of the last one that it got
 * @too_short: how many had no room for the longest packet
 * @room: pages and pieces that there are
 * @scattered: there is no piece for a whole buffer
 * @refused: how often one was asked for then
 * @to_cpu: octets handed over to the CPU since the last packet
 * @to_hca: and to the HCA
 * @at: where the first of those for the CPU are
 * @taken: pages and pieces that were taken
 * @put: how many of them were put back
 * @got: packets that the stack got
 * @most_free: most buffers that the HCA did not have when it got one
 * @len: length of the last one, without headers
 * @truesize: memory that its socket is charged for
 * @type: for whom it was
 * @csum: what is known of its checksum
 * @nr_frags: its pages but the first
 * @from: its sender
 * @dropped: packets that were dropped, by reason
 * @failed: how often the queue pair was said to have failed
 * @heard: packets from the port that they name
 * @refreshed: how often a path was asked for again
 */
static struct world {
	struct ipoib_dev *idev;
	struct ib_device ibdev;
	struct ib_pd pd;
	struct ib_qp qp;
	struct ib_cq cq;
	struct ipoib_ud_rx *rx;
	u64 posted[IPOIB_UD_RX_SLOTS];
	u64 wr_id[IPOIB_UD_RX_SLOTS];
	unsigned int count;
	unsigned int first;
	unsigned int takes;
	unsigned int sges;
	unsigned int too_short;
	unsigned int room;
	bool scattered;
	unsigned int refused;
	unsigned int to_cpu;
	unsigned int to_hca;
	u64 at;
	unsigned int taken;
	unsigned int put;
	unsigned int got;
	unsigned int most_free;
	unsigned int len;
	unsigned int truesize;
	u8 type;
	u8 csum;
	unsigned int nr_frags;
	struct ipoib_hwaddr from;
	unsigned int dropped[IPOIB_DROP_COUNT];
	unsigned int failed;
	unsigned int heard;
	unsigned int refreshed;
} *world;

static void handed_over(u64 addr, unsigned int len, bool to_cpu)
{
	if (to_cpu && !world->to_cpu)
		world->at = addr;
	if (to_cpu)
		world->to_cpu += len;
	else
		world->to_hca += len;
}

static void to_stack(struct sk_buff *skb)
{
	world->got++;
	world->most_free = max(world->most_free, ipoib_ring_space(&world->rx->ring));
	world->len = skb->len;
	world->truesize = skb->truesize;
	world->type = skb->pkt_type;
	world->csum = skb->ip_summed;
	world->nr_frags = skb_shinfo(skb)->nr_frags;
	memcpy(&world->from, skb_mac_header(skb), sizeof(world->from));
	kfree_skb(skb);
}

/* ---- what ud_rx.c calls of the driver ---------------------------------- */

void ipoib_drop(struct ipoib_drops *drops, enum ipoib_drop_reason reason, unsigned int len)
{
	world->dropped[reason]++;
}

void ipoib_dev_kick(struct ipoib_dev *idev, enum ipoib_dev_pending what)
{
	world->failed += what == IPOIB_DEV_QP_FAILED;
}

void ipoib_fabric_heard(struct ipoib_fabric *fabric, const void *gid)
{
	world->heard++;
}

void ipoib_peer_refresh(struct ipoib_peer *peer, unsigned long age)
{
	world->refreshed++;
}

void ipoib_moder_exit(struct ipoib_moder *moder)
{
}

void ipoib_moder_sample(struct ipoib_moder *moder, unsigned int packets, u64 bytes, bool ended)
{
}

int ipoib_rx_pool_init(struct ipoib_rx_pool *pool, struct ib_device *ibdev, u32 pages,
		       unsigned int block)
{
	return pages * PAGE_SIZE >= IPOIB_UD_RX_SLOTS / 4 * world->rx->piece &&
	       block >= IPOIB_UD_RX_SHARE * world->rx->piece ? 0 : -EINVAL;
}

void ipoib_rx_pool_exit(struct ipoib_rx_pool *pool)
{
}

/* Each piece has pages of its own here, but does not begin with them. */
bool ipoib_rx_pool_get(struct ipoib_rx_pool *pool, struct ipoib_rx_page *out, unsigned int len)
{
	unsigned int at = len == PAGE_SIZE ? 0 : 4 * SMP_CACHE_BYTES;

	if (world->scattered && len == world->rx->piece) {
		world->refused++;
		return false;
	}
	if (!world->room)
		return false;
	out->page = alloc_pages(GFP_ATOMIC | __GFP_ZERO | __GFP_COMP, get_order(at + len));
	if (!out->page)
		return false;
	world->room--;
	world->taken++;
	out->offset = at;
	out->len = len;
	out->dma = (uintptr_t)page_address(out->page) + at;
	return true;
}

struct sk_buff *ipoib_rx_pool_skb(struct ipoib_rx_pool *pool, struct napi_struct *napi,
				  unsigned int len)
{
	return napi_alloc_skb(napi, len);
}

void ipoib_rx_pool_put(struct ipoib_rx_pool *pool, struct ipoib_rx_page *page)
{
	if (!page->page)
		return;
	put_page(page->page);
	page->page = NULL;
	world->put++;
}

/* ---- the HCA ----------------------------------------------------------- */

static unsigned int room_in(const struct ib_recv_wr *wr)
{
	unsigned int room = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++)
		room += wr->sg_list[i].length;
	return room;
}

static int post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr, const struct ib_recv_wr **bad)
{
	for (; wr; wr = wr->next) {
		if (!world->takes) {
			*bad = wr;
			return -ENOMEM;
		}
		world->takes--;
		world->sges = wr->num_sge;
		world->too_short += room_in(wr) < IPOIB_GRH_LEN + world->rx->longest;
		world->posted[world->count % IPOIB_UD_RX_SLOTS] = wr->sg_list[0].addr;
		world->wr_id[world->count % IPOIB_UD_RX_SLOTS] = wr->wr_id;
		world->count++;
	}
	return 0;
}

static void setup_dev(struct net_device *dev)
{
}

static void build(struct kunit *test, unsigned int longest)
{
	static const struct ipoib_ud_rx_self self = {
		.qpn = OWN_QPN,
		.gid.raw = { 0xfe, 0x80, [15] = 1 },
		.broadcast.raw = { 0xff, 0x12, 0x40, 0x1b, [15] = 0xff },
		.max_len = LINK_MTU,
		.lids = true,
	};
	struct ipoib_ud_rx *rx = world->rx;

	rx->longest = longest;
	ipoib_ud_rx_init(rx);
	KUNIT_ASSERT_EQ(test, ipoib_ud_rx_alloc(rx, IPOIB_UD_RX_SLOTS), 0);
	ipoib_ud_rx_start(rx, &self);
}

static int ud_rx_test_init(struct kunit *test)
{
	struct ipoib_dev *idev = kunit_kzalloc(test, sizeof(*idev), GFP_KERNEL);

	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, idev);
	KUNIT_ASSERT_NOT_NULL(test, world);
	idev->dev = alloc_netdev(0, "udrx%d", NET_NAME_ENUM, setup_dev);
	KUNIT_ASSERT_NOT_NULL(test, idev->dev);
	KUNIT_ASSERT_EQ(test, rhashtable_init(&idev->peers.hash, &ipoib_peer_params), 0);
	retries = 0;
	world->idev = idev;
	world->takes = UINT_MAX;
	world->room = UINT_MAX;
	world->ibdev.ops.post_recv = post_recv;
	world->pd.device = &world->ibdev;
	world->qp.device = &world->ibdev;
	false_cq_init(&world->ibdev, &world->cq);
	idev->qp.pd = &world->pd;
	idev->qp.ib = &world->qp;
	idev->qp.recv_cq = &world->cq;
	world->rx = &idev->rx;
	world->rx->dev = idev->dev;
	world->rx->qp = &idev->qp;
	world->rx->drops = &idev->drops;
	return 0;
}

/* The ring goes, and all of its memory went back or up. */
static void take_down(struct kunit *test)
{
	u64 *returned = &world->rx->pool.returned;

	ipoib_ud_rx_stop(world->rx);
	ipoib_ud_rx_purge(world->rx);
	ipoib_ud_rx_free(world->rx);
	ipoib_ud_rx_exit(world->rx);
	KUNIT_EXPECT_EQ(test, world->taken, world->put + *returned);
	world->taken = 0;
	world->put = 0;
	*returned = 0;
	world->count = 0;
	world->first = 0;
}

static void ud_rx_test_exit(struct kunit *test)
{
	if (!world || !world->idev)
		return;
	if (world->rx->slots)
		take_down(test);
	rhashtable_destroy(&world->idev->peers.hash);
	free_netdev(world->idev->dev);
}

static void poll(void)
{
	local_bh_disable();
	rx_poll(&world->rx->napi, 64);
	local_bh_enable();
}

/* The oldest buffer of those that the HCA has. */
static u8 *buffer(void)
{
	return (u8 *)(uintptr_t)world->posted[world->first % IPOIB_UD_RX_SLOTS];
}

/* The HCA has filled it, with a packet of @len octets of IP and what @wc says. */
static void receive(struct ib_wc wc, unsigned int len)
{
	world->to_cpu = 0;
	world->to_hca = 0;
	wc.wr_id = world->wr_id[world->first++ % IPOIB_UD_RX_SLOTS];
	wc.byte_len = HEADERS + len;
	false_cq_add(&wc);
	poll();
}

/* What is in the buffer: from node @sender, to @dgid. */
static void fill(u16 proto, u8 sender, const u8 *dgid)
{
	u8 *grh = buffer();
	struct ipoib_hdr *hdr = (void *)(grh + IPOIB_GRH_LEN);

	memset(grh, 0, IPOIB_GRH_LEN);
	grh[GRH_SGID] = 0xfe;
	grh[GRH_SGID + 1] = 0x80;
	grh[GRH_SGID + 15] = sender;
	memcpy(grh + GRH_DGID, dgid, 16);
	hdr->proto = cpu_to_be16(proto);
	hdr->reserved = 0;
}

static const u8 node[16] = { 0xfe, 0x80, [15] = 1 };
static const u8 all[16] = { 0xff, 0x12, 0x40, 0x1b, [15] = 0xff };
static const u8 some[16] = { 0xff, 0x12, 0x40, 0x1b, [15] = 0xfe };

/* A packet from node 2, of queue pair 0x222. */
static void receive_ip(const u8 *dgid, unsigned int len)
{
	fill(ETH_P_IP, 2, dgid);
	receive((struct ib_wc){ .src_qp = 0x222, .wc_flags = IB_WC_GRH }, len);
}

/* ---- buffers ----------------------------------------------------------- */

/* What a socket pays for a packet whose head has @len octets. */
static unsigned int charge_of(unsigned int len)
{
	return SKB_TRUESIZE(SKB_WITH_OVERHEAD(len));
}

static void a_buffer_is_one_piece(struct kunit *test)
{
	static const unsigned int longest[] = { IPOIB_MTU_IB, IPOIB_MTU_OPA };
	struct ipoib_rx_page *head;
	unsigned int i, len;

	for (i = 0; i < ARRAY_SIZE(longest); i++) {
		len = longest[i] - IPOIB_HDR_LEN;
		build(test, longest[i]);
		ipoib_ud_rx_set_max_len(world->rx, len);
		poll();
		ipoib_ud_rx_stop(world->rx);
		head = &world->rx->slots[0].page[0];
		KUNIT_EXPECT_EQ(test, world->sges, 1);
		KUNIT_EXPECT_EQ(test, world->too_short, 0);
		KUNIT_EXPECT_EQ(test, world->taken, IPOIB_UD_RX_SLOTS);
		KUNIT_EXPECT_EQ(test, world->posted[world->first], head->dma + HEAD_ROOM);
		receive_ip(node, len);
		KUNIT_EXPECT_EQ(test, world->len, len);
		KUNIT_EXPECT_EQ(test, world->nr_frags, 0);
		KUNIT_EXPECT_EQ(test, world->truesize, charge_of(world->rx->piece));
		KUNIT_EXPECT_EQ(test, world->from.gid[3], cpu_to_be32(2));
		KUNIT_EXPECT_EQ(test, world->at, head->dma + HEAD_ROOM);
		KUNIT_EXPECT_EQ(test, world->to_cpu, HEADERS + len);
		KUNIT_EXPECT_EQ(test, world->to_hca, 0);
		KUNIT_EXPECT_NULL(test, head->page);
		/* An HCA that says more than it can have written hands over the buffer only. */
		receive_ip(node, 4 * PAGE_SIZE);
		KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_RX_OVERSIZE], i + 1);
		KUNIT_EXPECT_EQ(test, world->to_cpu, HCA_LEN(world->rx->piece));
		KUNIT_EXPECT_EQ(test, world->to_hca, world->to_cpu);
		take_down(test);
	}
}

static void without_a_piece_it_is_a_page_and_what_does_not_fit(struct kunit *test)
{
	const unsigned int head = HEAD_LEN - IPOIB_GRH_LEN;
	unsigned int len[IPOIB_UD_RX_TAILS];

	KUNIT_EXPECT_EQ(test, ipoib_ud_rx_sges(2048), 1);
	KUNIT_EXPECT_EQ(test, ipoib_ud_rx_sges(head), 1);
	KUNIT_EXPECT_EQ(test, tails_of(head + 1, len), 1);
	KUNIT_EXPECT_EQ(test, len[0], 1);
	KUNIT_EXPECT_EQ(test, tails_of(head + PAGE_SIZE / 2, len), 1);
	KUNIT_EXPECT_EQ(test, len[0], PAGE_SIZE / 2);
	KUNIT_EXPECT_EQ(test, tails_of(head + PAGE_SIZE / 2 + 1, len), 1);
	KUNIT_EXPECT_EQ(test, len[0], PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, tails_of(head + PAGE_SIZE + 7, len), 2);
	KUNIT_EXPECT_EQ(test, len[0], PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, len[1], 7);
}

static void without_a_piece_there_are_pages(struct kunit *test)
{
	const unsigned int len = TOO_LONG - IPOIB_HDR_LEN;
	struct ipoib_ud_rx_slot *slot;
	unsigned int i;

	build(test, TOO_LONG);
	ipoib_ud_rx_set_max_len(world->rx, len);
	KUNIT_ASSERT_EQ(test, world->rx->tails, 1);
	world->scattered = true;
	poll();
	slot = &world->rx->slots[0];
	KUNIT_EXPECT_EQ(test, world->count, IPOIB_UD_RX_SLOTS);
	KUNIT_EXPECT_EQ(test, world->refused, 1);
	KUNIT_EXPECT_EQ(test, world->sges, 2);
	KUNIT_EXPECT_EQ(test, world->too_short, 0);
	KUNIT_EXPECT_EQ(test, u64_stats_read(&world->rx->stats.alloc_failed), 0);
	receive_ip(node, len);
	KUNIT_EXPECT_EQ(test, world->len, len);
	KUNIT_EXPECT_EQ(test, world->nr_frags, 1);
	KUNIT_EXPECT_EQ(test, world->to_cpu, HEADERS + len);
	KUNIT_EXPECT_EQ(test, world->to_hca, 0);
	/* Once there are pieces again, a buffer becomes one; a tail that is left is kept. */
	world->scattered = false;
	for (i = 1; i < IPOIB_UD_RX_BATCH; i++)
		receive_ip(node, IPOIB_RX_COPY_LEN + 1);
	KUNIT_EXPECT_EQ(test, world->count, IPOIB_UD_RX_SLOTS + IPOIB_UD_RX_BATCH);
	KUNIT_EXPECT_EQ(test, world->sges, 1);
	KUNIT_EXPECT_EQ(test, slot->page[0].len, world->rx->piece);
	KUNIT_EXPECT_NULL(test, slot->page[1].page);
	KUNIT_EXPECT_NOT_NULL(test, slot[1].page[1].page);
	KUNIT_EXPECT_EQ(test, world->too_short, 0);
	/* And pages once more, if there are none. */
	world->scattered = true;
	for (i = IPOIB_UD_RX_BATCH; world->count < 2 * IPOIB_UD_RX_SLOTS + IPOIB_UD_RX_BATCH; i++)
		receive_ip(node, len);
	KUNIT_EXPECT_EQ(test, world->sges, 2);
	KUNIT_EXPECT_EQ(test, slot->page[0].len, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, world->too_short, 0);
	take_down(test);
}

/* A slot that is filled in part is filled later, by what there is then. */
static void what_was_got_of_a_buffer_is_kept(struct kunit *test)
{
	build(test, IPOIB_MTU_OPA);
	world->scattered = true;
	world->room = world->rx->tails;
	poll();
	KUNIT_EXPECT_EQ(test, world->count, 0);
	KUNIT_EXPECT_EQ(test, u64_stats_read(&world->rx->stats.alloc_failed), 1);
	world->room = 1;
	poll();
	KUNIT_EXPECT_EQ(test, world->count, 1);
	KUNIT_EXPECT_EQ(test, world->sges, 1 + world->rx->tails);
	KUNIT_EXPECT_EQ(test, world->too_short, 0);
	take_down(test);
}

static void the_ring_is_filled(struct kunit *test)
{
	unsigned int i;

	build(test, IPOIB_MTU_IB);
	poll();
	KUNIT_EXPECT_EQ(test, world->count, IPOIB_UD_RX_SLOTS);
	KUNIT_EXPECT_EQ(test, retries, 0);
	for (i = 0; i < IPOIB_UD_RX_SLOTS; i++)
		KUNIT_EXPECT_EQ(test, world->wr_id[i], (u64)world->rx->epoch << 32 | i);
	KUNIT_EXPECT_EQ(test, u64_stats_read(&world->rx->stats.posts),
			IPOIB_UD_RX_SLOTS / IPOIB_UD_RX_BATCH);
	KUNIT_EXPECT_EQ(test, u64_stats_read(&world->rx->stats.polls), 1);
	/* A stopped one is not. */
	ipoib_ud_rx_stop(world->rx);
	ipoib_ud_rx_purge(world->rx);
	poll();
	KUNIT_EXPECT_EQ(test, world->count, IPOIB_UD_RX_SLOTS);
}

static void a_long_poll_posts_what_it_has_emptied(struct kunit *test)
{
	struct ib_wc wc = {
		.src_qp = 0x222,
		.wc_flags = IB_WC_GRH,
		.byte_len = HEADERS + 100,
	};
	unsigned int i;

	build(test, IPOIB_MTU_IB);
	poll();
	for (i = 0; i < 4 * IPOIB_POLL_BATCH - 1; i++) {
		fill(ETH_P_IP, 2, node);
		wc.wr_id = world->wr_id[world->first++];
		false_cq_add(&wc);
	}
	poll();
	KUNIT_EXPECT_EQ(test, world->got, 4 * IPOIB_POLL_BATCH - 1);
	KUNIT_EXPECT_LT(test, world->most_free, IPOIB_POLL_BATCH);
}

static void it_has_as_many_buffers_as_it_is_to_have(struct kunit *test)
{
	build(test, IPOIB_MTU_IB);
	poll();
	ipoib_ud_rx_stop(world->rx);
	ipoib_ud_rx_purge(world->rx);
	freed = 0;
	ipoib_ud_rx_free(world->rx);
	KUNIT_EXPECT_EQ(test, freed, 1);
	KUNIT_EXPECT_EQ(test, ipoib_ud_rx_alloc(world->rx, 64), 0);
	world->count = 0;
	world->rx->running = true;
	poll();
	KUNIT_EXPECT_EQ(test, world->count, 64);
	KUNIT_EXPECT_EQ(test, ipoib_ring_size(&world->rx->ring), 64);
}

static void a_device_says_how_many_that_may_be(struct kunit *test)
{
	struct ib_device *ibdev = &world->ibdev;

	ibdev->attrs.max_qp_wr = 4000;
	ibdev->attrs.max_cqe = 4000;
	KUNIT_EXPECT_EQ(test, ipoib_ud_rx_most(ibdev), IPOIB_UD_RX_SLOTS_MAX);
	ibdev->attrs.max_qp_wr = 1000;
	KUNIT_EXPECT_EQ(test, ipoib_ud_rx_most(ibdev), 512);
	ibdev->attrs.max_cqe = 511;
	KUNIT_EXPECT_EQ(test, ipoib_ud_rx_most(ibdev), 256);
	ibdev->attrs.max_cqe = 100;
	KUNIT_EXPECT_EQ(test, ipoib_ud_rx_most(ibdev), IPOIB_UD_RX_SLOTS);
}

static void what_the_hca_refuses_is_posted_later(struct kunit *test)
{
	build(test, IPOIB_MTU_IB);
	world->takes = 5;
	poll();
	KUNIT_EXPECT_EQ(test, world->count, 5);
	KUNIT_EXPECT_EQ(test, ipoib_ring_used(&world->rx->ring), 5);
	world->takes = UINT_MAX;
	poll();
	KUNIT_EXPECT_EQ(test, ipoib_ring_used(&world->rx->ring),
			round_down(IPOIB_UD_RX_SLOTS - 5, IPOIB_UD_RX_BATCH) + 5);
	KUNIT_EXPECT_EQ(test, world->wr_id[5], (u64)world->rx->epoch << 32 | 5);
	KUNIT_EXPECT_EQ(test, world->wr_id[5 + IPOIB_UD_RX_BATCH],
			(u64)world->rx->epoch << 32 | (5 + IPOIB_UD_RX_BATCH));
}

static void without_memory_it_is_tried_later(struct kunit *test)
{
	build(test, IPOIB_MTU_IB);
	world->room = 0;
	poll();
	KUNIT_EXPECT_EQ(test, retries, 1);
	KUNIT_EXPECT_EQ(test, u64_stats_read(&world->rx->stats.alloc_failed), 1);
	/* With a buffer there will be another poll anyway. */
	world->room = 3;
	poll();
	KUNIT_EXPECT_GT(test, world->count, 0);
	KUNIT_EXPECT_EQ(test, retries, 1);
	world->room = UINT_MAX;
	poll();
	KUNIT_EXPECT_LT(test, ipoib_ring_space(&world->rx->ring), IPOIB_UD_RX_BATCH);
}

/* ---- packets ----------------------------------------------------------- */

static void a_short_packet_is_copied_and_its_buffer_stays(struct kunit *test)
{
	build(test, IPOIB_MTU_IB);
	poll();
	receive_ip(node, PIECE_COPY_LEN);
	KUNIT_EXPECT_EQ(test, world->got, 1);
	KUNIT_EXPECT_EQ(test, world->len, PIECE_COPY_LEN);
	KUNIT_EXPECT_EQ(test, world->type, PACKET_HOST);
	KUNIT_EXPECT_EQ(test, world->from.flags_qpn, cpu_to_be32(0x222));
	KUNIT_EXPECT_EQ(test, world->from.gid[3], cpu_to_be32(2));
	KUNIT_EXPECT_EQ(test, u64_stats_read(&world->rx->stats.copied), 1);
	KUNIT_EXPECT_EQ(test, u64_stats_read(&world->rx->stats.packets), 1);
	KUNIT_EXPECT_EQ(test, u64_stats_read(&world->rx->stats.bytes),
			PIECE_COPY_LEN + IPOIB_HDR_LEN);
	KUNIT_EXPECT_EQ(test, u64_stats_read(&world->rx->stats.multicast), 0);
	KUNIT_EXPECT_EQ(test, world->to_cpu, HEADERS + PIECE_COPY_LEN);
	KUNIT_EXPECT_EQ(test, world->to_hca, HEADERS + PIECE_COPY_LEN);
	KUNIT_EXPECT_NOT_NULL(test, world->rx->slots[0].page[0].page);
}

static void what_is_dropped_leaves_its_buffer_to_the_hca(struct kunit *test)
{
	build(test, TOO_LONG);
	world->scattered = true;
	poll();
	ipoib_ud_rx_set_max_len(world->rx, 2044);
	receive_ip(node, 2045);
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_RX_OVERSIZE], 1);
	KUNIT_EXPECT_EQ(test, world->to_hca, HEADERS + 2045);
	receive_ip(node, HEAD_LEN);
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_RX_OVERSIZE], 2);
	KUNIT_EXPECT_EQ(test, world->to_cpu, HEADERS + HEAD_LEN);
	KUNIT_EXPECT_EQ(test, world->to_hca, HEADERS + HEAD_LEN);
	receive_ip(node, -1);
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_RX_RUNT], 1);
	fill(ETH_P_8021Q, 2, node);
	receive((struct ib_wc){ .wc_flags = IB_WC_GRH }, 100);
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_RX_UNKNOWN_PROTO], 1);
	fill(ETH_P_IP, 2, node);
	receive((struct ib_wc){
		.wc_flags = IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE,
		.network_hdr_type = RDMA_NETWORK_IPV4,
	}, 100);
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_RX_NO_GRH], 1);
	KUNIT_EXPECT_EQ(test, world->got, 0);
	KUNIT_EXPECT_EQ(test, world->failed, 0);
	/* The shortest and the longest are taken. */
	receive_ip(node, 0);
	receive_ip(node, 2044);
	KUNIT_EXPECT_EQ(test, world->got, 2);
}

static void own_multicast_is_dropped(struct kunit *test)
{
	struct ib_wc wc = { .src_qp = OWN_QPN, .wc_flags = IB_WC_GRH };

	build(test, IPOIB_MTU_IB);
	poll();
	fill(ETH_P_IP, 1, all);
	receive(wc, 100);
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_RX_OWN], 1);
	/* Another port may have such a queue pair, and this one others. */
	fill(ETH_P_IP, 2, all);
	receive(wc, 100);
	wc.src_qp++;
	fill(ETH_P_IP, 1, all);
	receive(wc, 100);
	KUNIT_EXPECT_EQ(test, world->got, 2);
}

static void a_long_packet_takes_its_piece_along(struct kunit *test)
{
	struct ipoib_ud_rx_slot *slot;

	build(test, IPOIB_MTU_IB);
	poll();
	ipoib_ud_rx_stop(world->rx);
	slot = &world->rx->slots[0];
	receive_ip(node, PIECE_COPY_LEN + 1);
	KUNIT_EXPECT_EQ(test, world->len, PIECE_COPY_LEN + 1);
	KUNIT_EXPECT_NULL(test, slot->page[0].page);
	KUNIT_EXPECT_EQ(test, world->to_cpu, HEADERS + PIECE_COPY_LEN + 1);
	KUNIT_EXPECT_EQ(test, world->to_hca, 0);
	receive_ip(node, LINK_MTU);
	KUNIT_EXPECT_EQ(test, world->len, LINK_MTU);
	KUNIT_EXPECT_NULL(test, slot[1].page[0].page);
	KUNIT_EXPECT_EQ(test, u64_stats_read(&world->rx->stats.copied), 0);
	take_down(test);
}

static void a_long_packet_takes_its_pages_along(struct kunit *test)
{
	const unsigned int head = HEAD_LEN - HEADERS;
	struct ipoib_ud_rx_slot *slot;

	build(test, TOO_LONG);
	ipoib_ud_rx_set_max_len(world->rx, TOO_LONG - IPOIB_HDR_LEN);
	world->scattered = true;
	poll();
	ipoib_ud_rx_stop(world->rx);
	slot = &world->rx->slots[0];
	receive_ip(node, IPOIB_RX_COPY_LEN + 1);
	KUNIT_EXPECT_NULL(test, slot->page[0].page);
	KUNIT_EXPECT_EQ(test, world->truesize, charge_of(PAGE_SIZE));
	slot++;
	receive_ip(node, head);
	KUNIT_EXPECT_EQ(test, world->len, head);
	KUNIT_EXPECT_EQ(test, world->nr_frags, 0);
	KUNIT_EXPECT_NULL(test, slot->page[0].page);
	KUNIT_EXPECT_NOT_NULL(test, slot->page[1].page);
	KUNIT_EXPECT_EQ(test, world->to_cpu, HEAD_LEN);
	KUNIT_EXPECT_EQ(test, world->to_hca, 0);
	slot++;
	receive_ip(node, head + 1);
	KUNIT_EXPECT_EQ(test, world->len, head + 1);
	KUNIT_EXPECT_EQ(test, world->nr_frags, 1);
	KUNIT_EXPECT_EQ(test, world->truesize, charge_of(PAGE_SIZE) + slot->page[1].len);
	KUNIT_EXPECT_NULL(test, slot->page[1].page);
	KUNIT_EXPECT_EQ(test, world->to_cpu, HEAD_LEN + 1);
	KUNIT_EXPECT_EQ(test, world->to_hca, 0);
	KUNIT_EXPECT_EQ(test, u64_stats_read(&world->rx->stats.copied), 0);
	take_down(test);
}

static void the_stack_is_told_for_whom_it_is_and_what_is_known(struct kunit *test)
{
	build(test, IPOIB_MTU_IB);
	poll();
	receive_ip(all, 100);
	KUNIT_EXPECT_EQ(test, world->type, PACKET_BROADCAST);
	receive_ip(some, 100);
	KUNIT_EXPECT_EQ(test, world->type, PACKET_MULTICAST);
	KUNIT_EXPECT_EQ(test, u64_stats_read(&world->rx->stats.multicast), 2);
	/* Without a GRH it is for this host, and nobody's in particular. */
	fill(ETH_P_IP, 2, all);
	receive((struct ib_wc){ .src_qp = 0x222 }, 100);
	KUNIT_EXPECT_EQ(test, world->type, PACKET_HOST);
	KUNIT_EXPECT_EQ(test, world->from.flags_qpn, 0);
	KUNIT_EXPECT_EQ(test, world->from.gid[3], 0);
	KUNIT_EXPECT_EQ(test, world->csum, CHECKSUM_NONE);
	fill(ETH_P_IP, 2, node);
	receive((struct ib_wc){ .wc_flags = IB_WC_GRH | IB_WC_IP_CSUM_OK }, 100);
	KUNIT_EXPECT_EQ(test, world->csum, CHECKSUM_NONE);
	world->idev->dev->features |= NETIF_F_RXCSUM;
	fill(ETH_P_IP, 2, node);
	receive((struct ib_wc){ .wc_flags = IB_WC_GRH | IB_WC_IP_CSUM_OK }, 100);
	KUNIT_EXPECT_EQ(test, world->csum, CHECKSUM_UNNECESSARY);
	receive_ip(node, 100);
	KUNIT_EXPECT_EQ(test, world->csum, CHECKSUM_NONE);
}

/* ARP in the name of node @named, from node @sender, by LID @slid. */
static void receive_arp(u8 named, u8 sender, u16 slid)
{
	u8 *arp;

	fill(ETH_P_ARP, sender, all);
	arp = buffer() + IPOIB_GRH_LEN + IPOIB_HDR_LEN;
	memset(arp, 0, 56);
	arp[1] = ARPHRD_INFINIBAND;
	arp[2] = ETH_P_IP >> 8;
	arp[4] = INFINIBAND_ALEN;
	arp[5] = 4;
	arp[7] = ARPOP_REQUEST;
	arp[8 + 2] = 2;
	arp[8 + 3] = 0x22;
	arp[8 + 4] = 0xfe;
	arp[8 + 5] = 0x80;
	arp[8 + 19] = named;
	receive((struct ib_wc){ .src_qp = 0x222, .wc_flags = IB_WC_GRH, .slid = slid }, 56);
}

static void who_sends_from_elsewhere_may_have_moved(struct kunit *test)
{
	struct ipoib_peer *peer = kunit_kzalloc(test, sizeof(*peer), GFP_KERNEL);
	struct ipoib_ah ah = { .dlid = 8 };

	KUNIT_ASSERT_NOT_NULL(test, peer);
	build(test, IPOIB_MTU_IB);
	poll();
	peer->table = &world->idev->peers;
	peer->addr.flags_qpn = cpu_to_be32(0x222);
	peer->addr.gid[0] = cpu_to_be32(0xfe800000);
	peer->addr.gid[3] = cpu_to_be32(2);
	KUNIT_ASSERT_EQ(test, rhashtable_insert_fast(&world->idev->peers.hash, &peer->node,
						     ipoib_peer_params), 0);
	receive_arp(2, 2, 9);
	KUNIT_EXPECT_EQ(test, world->heard, 1);
	KUNIT_EXPECT_EQ(test, world->refreshed, 0);
	rcu_assign_pointer(peer->ah, &ah);
	receive_arp(2, 2, 8);
	KUNIT_EXPECT_EQ(test, world->refreshed, 0);
	receive_arp(2, 2, 9);
	KUNIT_EXPECT_EQ(test, world->refreshed, 1);
	KUNIT_EXPECT_EQ(test, world->heard, 3);
	/* Somebody says so in its name: that port was not heard. */
	receive_arp(2, 3, 9);
	KUNIT_EXPECT_EQ(test, world->heard, 3);
	/* Where there are no LIDs, none is another one. */
	world->rx->self.lids = false;
	ah.dlid = 0;
	receive_arp(2, 2, 9);
	KUNIT_EXPECT_EQ(test, world->refreshed, 2);
	KUNIT_EXPECT_EQ(test, world->got, 5);
}

/* ---- completions that are none ----------------------------------------- */

static void complete_as(u64 wr_id, enum ib_wc_status status)
{
	false_cq_add(&(struct ib_wc){ .wr_id = wr_id, .status = status });
	poll();
}

static void a_completion_of_an_earlier_start_means_nothing(struct kunit *test)
{
	build(test, IPOIB_MTU_IB);
	poll();
	complete_as((u64)(world->rx->epoch - 1) << 32, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, ipoib_ring_used(&world->rx->ring), IPOIB_UD_RX_SLOTS);
	KUNIT_EXPECT_EQ(test, world->failed, 0);
	KUNIT_EXPECT_TRUE(test, world->rx->running);
}

static void a_completion_out_of_turn_ends_it(struct kunit *test)
{
	build(test, IPOIB_MTU_IB);
	poll();
	complete_as((u64)world->rx->epoch << 32 | 4, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, world->failed, 1);
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_RX_ERROR], 1);
	KUNIT_EXPECT_EQ(test, ipoib_ring_used(&world->rx->ring), IPOIB_UD_RX_SLOTS - 5);
	KUNIT_EXPECT_FALSE(test, world->rx->running);
	/* One of a buffer that the HCA does not have moves nothing. */
	complete_as((u64)world->rx->epoch << 32 | IPOIB_UD_RX_SLOTS, IB_WC_SUCCESS);
	complete_as((u64)world->rx->epoch << 32 | 3, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, ipoib_ring_used(&world->rx->ring), IPOIB_UD_RX_SLOTS - 5);
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_RX_ERROR], 3);
	KUNIT_EXPECT_EQ(test, world->failed, 1);
}

static void a_failed_one_ends_it_and_a_flushed_one_is_no_error(struct kunit *test)
{
	build(test, IPOIB_MTU_IB);
	poll();
	complete_as((u64)world->rx->epoch << 32, IB_WC_LOC_LEN_ERR);
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_RX_ERROR], 1);
	KUNIT_EXPECT_EQ(test, world->failed, 1);
	complete_as((u64)world->rx->epoch << 32 | 1, IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_RX_ERROR], 1);
	KUNIT_EXPECT_EQ(test, world->failed, 1);
	KUNIT_EXPECT_EQ(test, ipoib_ring_used(&world->rx->ring), IPOIB_UD_RX_SLOTS - 2);
	KUNIT_EXPECT_EQ(test, world->got, 0);
}

static void who_waits_for_the_last_one_is_told(struct kunit *test)
{
	build(test, IPOIB_MTU_IB);
	world->takes = 1;
	poll();
	ipoib_ud_rx_stop(world->rx);
	WRITE_ONCE(world->rx->draining, true);
	poll();
	KUNIT_EXPECT_FALSE(test, completion_done(&world->rx->drained));
	complete_as((u64)world->rx->epoch << 32, IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_TRUE(test, completion_done(&world->rx->drained));
	/* That is no failure of one that has been stopped. */
	KUNIT_EXPECT_EQ(test, world->failed, 0);
}

static struct kunit_case ud_rx_test_cases[] = {
	KUNIT_CASE(a_buffer_is_one_piece),
	KUNIT_CASE(without_a_piece_it_is_a_page_and_what_does_not_fit),
	KUNIT_CASE(without_a_piece_there_are_pages),
	KUNIT_CASE(what_was_got_of_a_buffer_is_kept),
	KUNIT_CASE(the_ring_is_filled),
	KUNIT_CASE(a_long_poll_posts_what_it_has_emptied),
	KUNIT_CASE(it_has_as_many_buffers_as_it_is_to_have),
	KUNIT_CASE(a_device_says_how_many_that_may_be),
	KUNIT_CASE(what_the_hca_refuses_is_posted_later),
	KUNIT_CASE(without_memory_it_is_tried_later),
	KUNIT_CASE(a_short_packet_is_copied_and_its_buffer_stays),
	KUNIT_CASE(what_is_dropped_leaves_its_buffer_to_the_hca),
	KUNIT_CASE(own_multicast_is_dropped),
	KUNIT_CASE(a_long_packet_takes_its_piece_along),
	KUNIT_CASE(a_long_packet_takes_its_pages_along),
	KUNIT_CASE(the_stack_is_told_for_whom_it_is_and_what_is_known),
	KUNIT_CASE(who_sends_from_elsewhere_may_have_moved),
	KUNIT_CASE(a_completion_of_an_earlier_start_means_nothing),
	KUNIT_CASE(a_completion_out_of_turn_ends_it),
	KUNIT_CASE(a_failed_one_ends_it_and_a_flushed_one_is_no_error),
	KUNIT_CASE(who_waits_for_the_last_one_is_told),
	{}
};

static struct kunit_suite ud_rx_test_suite = {
	.name = "ipoib_ud_rx",
	.init = ud_rx_test_init,
	.exit = ud_rx_test_exit,
	.test_cases = ud_rx_test_cases,
};

kunit_test_suite(ud_rx_test_suite);

MODULE_DESCRIPTION("Tests of the receive ring of IPoIB");
MODULE_LICENSE("GPL");
