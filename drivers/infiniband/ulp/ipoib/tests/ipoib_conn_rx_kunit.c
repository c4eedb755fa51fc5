// SPDX-License-Identifier: GPL-2.0
/*
 * The receive queue of connections: what is posted, what becomes of a message, and what is handed
 * over between HCA and CPU. The HCA is this file: it takes buffers and completes those it is told
 * to.
 */
#include <kunit/test.h>
#include <linux/netdevice.h>

#include "../conn_set.h"
#include "../device.h"
#include "../qp.h"
#include "../rx_skb.h"
#include "false_cq.h"

static void to_stack(struct sk_buff *skb);
static void handed_over(unsigned int len, bool to_cpu);
static bool retry(unsigned long delay);
static void poll_later(void);
static void runs(bool on);
static void srq_goes(void);
static void cq_goes(void);

#define ib_dma_sync_single_for_cpu(_ibdev, _addr, _len, _dir)	\
	((void)(_ibdev), (void)(_addr), handed_over(_len, true))
#define ib_dma_sync_single_for_device(_ibdev, _addr, _len, _dir) \
	((void)(_ibdev), (void)(_addr), handed_over(_len, false))
#define ipoib_rx_skb_deliver(_napi, _skb, _alone)		to_stack(_skb)
#define ipoib_poll_end(_napi, _cq, _work, _budget)		(_work)
#define queue_delayed_work(_wq, _work, _delay)			retry(_delay)
#define ipoib_poll_soon(_napi)					((void)(_napi), poll_later())
#define napi_enable(_napi)					((void)(_napi), runs(true))
#define napi_disable(_napi)					((void)(_napi), runs(false))
#define ib_destroy_srq(_srq)					((void)(_srq), srq_goes())
#define ib_destroy_cq(_cq)					((void)(_cq), cq_goes())
#define netif_napi_del(_napi)					((void)(_napi))
#include "../conn_rx.c"

#include "../csum.c"

#define SLOTS	IPOIB_CONN_RX_SLOTS_MIN

/**
 * struct world - a queue and its HCA
 * @idev: the interface
 * @set: its connections
 * @rx: the queue
 * @ibdev: the HCA
 * @pd: its protection domain
 * @srq: the shared receive queue
 * @cq: the completion queue
 * @posted: numbers of the buffers that the HCA has
 * @count: how many
 * @takes: the HCA takes so many more
 * @room: pages that there are
 * @retries: how often the queue was to be looked at again
 * @retry_delay: after this time, the last time
 * @to_cpu: octets handed over to the CPU since the last packet
 * @to_hca: and to the HCA
 * @scattered: no two pages of it are in one piece
 * @got: packets that the stack got
 * @most_free: most buffers that the HCA did not have when it got one
 * @len: length of the last one, without headers
 * @nr_frags: its pages
 * @csum: what is known of its checksum
 * @from: its sender
 * @dropped: packets that were dropped, by reason
 * @link_sums: the peer may leave checksums to the link
 * @lies: it sends neighbour discovery that is not to be believed
 * @failed: connections that have failed
 * @broken: how often all of them were said to be broken
 * @running: polls may run
 * @posted_before: buffers that the HCA had when they could
 * @moderated: the completion queue whose events are
 * @gone: what has gone in its turn: 1 after the shared receive queue, 2 after the completion queue
 * @polls: how many were asked for
 * @later: the poll that was
 */
static struct world {
	struct ipoib_dev *idev;
	struct ipoib_conn_set *set;
	struct ipoib_conn_rx *rx;
	struct ib_device ibdev;
	struct ib_pd pd;
	struct ib_srq srq;
	struct ib_cq cq;
	u64 posted[2 * IPOIB_CONN_RX_SLOTS_MAX];
	unsigned int count;
	unsigned int takes;
	unsigned int room;
	bool scattered;
	unsigned int retries;
	unsigned long retry_delay;
	unsigned int to_cpu;
	unsigned int to_hca;
	unsigned int got;
	unsigned int most_free;
	unsigned int len;
	unsigned int nr_frags;
	u8 csum;
	struct ipoib_hwaddr from;
	unsigned int dropped[IPOIB_DROP_COUNT];
	bool link_sums;
	bool lies;
	unsigned int failed;
	unsigned int broken;
	bool running;
	unsigned int posted_before;
	struct ib_cq *moderated;
	unsigned int gone;
	unsigned int polls;
	struct delayed_work later;
} *world;

static void handed_over(unsigned int len, bool to_cpu)
{
	if (to_cpu)
		world->to_cpu += len;
	else
		world->to_hca += len;
}

static bool retry(unsigned long delay)
{
	world->retries++;
	world->retry_delay = delay;
	return true;
}

/* Another CPU is at it, and takes its time. */
static void poll_later(void)
{
	world->polls++;
	schedule_delayed_work(&world->later, 2);
}

static void later_work(struct work_struct *work)
{
	WRITE_ONCE(world->rx->emptied, world->rx->emptied + 1);
}

static void runs(bool on)
{
	world->running = on;
	world->posted_before = world->count;
}

static void srq_goes(void)
{
	world->gone += !world->running;
}

static void cq_goes(void)
{
	world->gone += world->gone == 1 && !world->rx->srq && !world->moderated;
}

static void to_stack(struct sk_buff *skb)
{
	world->got++;
	world->most_free = max(world->most_free, world->rx->nfree);
	world->len = skb->len;
	world->nr_frags = skb_shinfo(skb)->nr_frags;
	world->csum = skb->ip_summed;
	memcpy(&world->from, skb_mac_header(skb), sizeof(world->from));
	kfree_skb(skb);
}

/* ---- what conn_rx.c calls of the driver --------------------------------------------- */

void ipoib_drop(struct ipoib_drops *drops, enum ipoib_drop_reason reason, unsigned int len)
{
	world->dropped[reason]++;
}

void ipoib_drop_skb(struct ipoib_drops *drops, enum ipoib_drop_reason reason, struct sk_buff *skb)
{
	world->dropped[reason]++;
	kfree_skb(skb);
}

bool ipoib_conn_nd_ok(const struct sk_buff *skb, const struct ipoib_hwaddr *from)
{
	return from->gid[3] == cpu_to_be32(7) && !world->lies;
}

bool ipoib_conn_set_heard(struct ipoib_conn_set *set, const struct ib_qp *qp,
			  struct ipoib_hwaddr *from)
{
	from->gid[3] = cpu_to_be32(7);
	return world->link_sums;
}

void ipoib_conn_set_qp_failed(struct ipoib_conn_set *set, const struct ib_qp *qp)
{
	world->failed++;
}

void ipoib_conn_set_cq_failed(struct ipoib_conn_set *set)
{
	world->broken++;
}

void ipoib_moder_set_cq(struct ipoib_moder *moder, struct ib_cq *cq)
{
	world->moderated = cq;
}

void ipoib_moder_sample(struct ipoib_moder *moder, unsigned int packets, u64 bytes, bool ended)
{
}

u32 ipoib_qp_vector(const struct ib_device *ibdev)
{
	return 0;
}

int ipoib_rx_pool_init(struct ipoib_rx_pool *pool, struct ib_device *ibdev, u32 pages,
		       unsigned int block)
{
	return pages ? 0 : -EINVAL;
}

void ipoib_rx_pool_exit(struct ipoib_rx_pool *pool)
{
}

bool ipoib_rx_pool_get(struct ipoib_rx_pool *pool, struct ipoib_rx_page *out, unsigned int len)
{
	unsigned int pages = len / PAGE_SIZE;

	if (world->room < pages || (pages > 1 && world->scattered))
		return false;
	out->page = alloc_pages(GFP_ATOMIC | __GFP_ZERO | __GFP_COMP, get_order(len));
	if (!out->page)
		return false;
	world->room -= pages;
	out->dma = (uintptr_t)page_address(out->page);
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
	world->room += compound_nr(page->page);
	put_page(page->page);
	page->page = NULL;
}

/* ---- the HCA --------------------------------------------------------------------------- */

static int post_srq_recv(struct ib_srq *srq, const struct ib_recv_wr *wr,
			 const struct ib_recv_wr **bad)
{
	for (; wr; wr = wr->next) {
		if (!world->takes) {
			*bad = wr;
			return -ENOMEM;
		}
		world->takes--;
		world->posted[world->count++] = wr->wr_id;
	}
	return 0;
}

static void setup_dev(struct net_device *dev)
{
}

/* As ipoib_conn_rx_open(), which needs a real device, leaves it. */
static int conn_rx_test_init(struct kunit *test)
{
	struct ipoib_dev *idev = kunit_kzalloc(test, sizeof(*idev), GFP_KERNEL);
	struct ipoib_conn_rx *rx;

	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, idev);
	KUNIT_ASSERT_NOT_NULL(test, world);
	world->set = kunit_kzalloc(test, sizeof(*world->set), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world->set);
	rx = kunit_kzalloc(test, sizeof(*rx), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rx);
	world->set->rxs = rx;
	world->set->rx_count = 1;
	idev->dev = alloc_netdev(0, "connrx%d", NET_NAME_ENUM, setup_dev);
	KUNIT_ASSERT_NOT_NULL(test, idev->dev);
	set_bit(__LINK_STATE_START, &idev->dev->state);
	idev->conn_rx = alloc_percpu(struct ipoib_rx_stats);
	KUNIT_ASSERT_NOT_NULL(test, idev->conn_rx);
	world->idev = idev;
	world->rx = rx;
	world->takes = UINT_MAX;
	world->room = UINT_MAX;
	world->ibdev.ops.post_srq_recv = post_srq_recv;
	world->ibdev.attrs.max_srq = 1;
	world->ibdev.attrs.max_srq_sge = 32;
	world->ibdev.attrs.max_srq_wr = 1000;
	world->srq.device = &world->ibdev;
	false_cq_init(&world->ibdev, &world->cq);
	world->pd.device = &world->ibdev;
	idev->config.pd = &world->pd;
	world->set->idev = idev;
	rx->set = world->set;
	rx->stats = idev->conn_rx;
	rx->pages = pages_of(&world->ibdev);
	rx->nslots = ipoib_conn_rx_slots(world->set);
	rx->nfree = rx->nslots;
	rx->slots = vcalloc(rx->nslots, sizeof(*rx->slots));
	KUNIT_ASSERT_NOT_NULL(test, rx->slots);
	rx->srq = &world->srq;
	rx->cq = &world->cq;
	rx->napi.dev = idev->dev;
	slots_init(rx);
	mutex_init(&rx->srq_lock);
	INIT_DELAYED_WORK(&rx->retry, retry_work);
	world->moderated = rx->cq;
	INIT_DELAYED_WORK(&world->later, later_work);
	return 0;
}

static void conn_rx_test_exit(struct kunit *test)
{
	unsigned int i, p;

	if (!world || !world->rx)
		return;
	cancel_delayed_work_sync(&world->later);
	for (i = 0; world->rx->slots && i < world->rx->nslots; i++)
		for (p = 0; p < world->rx->pages; p++)
			ipoib_rx_pool_put(&world->rx->pool, &world->rx->slots[i].page[p]);
	vfree(world->rx->slots);
	free_percpu(world->idev->conn_rx);
	free_netdev(world->idev->dev);
}

static void poll(void)
{
	local_bh_disable();
	rx_poll(&world->rx->napi, 64);
	local_bh_enable();
}

static u64 counted(const u64_stats_t *count)
{
	return u64_stats_read(this_cpu_ptr(count));
}

/* The buffer that comes next. */
static struct ipoib_conn_rx_slot *slot(void)
{
	return &world->rx->slots[world->posted[0]];
}

static void end(struct ib_wc wc)
{
	wc.wr_id = world->posted[0];
	world->count--;
	memmove(world->posted, world->posted + 1, world->count * sizeof(world->posted[0]));
	false_cq_add(&wc);
	poll();
}

/* A message of @len octets, without its header, in the first buffer. */
static void receive(u16 proto, unsigned int len)
{
	struct ipoib_hdr *hdr = page_address(slot()->page[0].page);

	world->to_cpu = 0;
	world->to_hca = 0;
	hdr->proto = cpu_to_be16(proto);
	end((struct ib_wc){ .byte_len = IPOIB_HDR_LEN + len });
}

/* ---- buffers ---------------------------------------------------------------------------- */

static void a_buffer_has_room_for_the_longest_message(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ipoib_conn_rx_mtu(&world->ibdev), IPOIB_CONN_MAX_MESSAGE);
	KUNIT_EXPECT_EQ(test, pages_of(&world->ibdev), IPOIB_CONN_RX_PAGES);
	world->ibdev.attrs.max_srq_sge = 3;
	KUNIT_EXPECT_EQ(test, ipoib_conn_rx_mtu(&world->ibdev),
			min_t(u32, 3 * PAGE_SIZE, IPOIB_CONN_MAX_MESSAGE));
	/* Without a shared queue other limits count. */
	world->ibdev.attrs.max_srq = 0;
	world->ibdev.attrs.max_recv_sge = 2;
	KUNIT_EXPECT_EQ(test, ipoib_conn_rx_mtu(&world->ibdev),
			min_t(u32, 2 * PAGE_SIZE, IPOIB_CONN_MAX_MESSAGE));
	KUNIT_EXPECT_EQ(test, ipoib_conn_rx_slots(world->set), IPOIB_CONN_RX_OWN_SLOTS);
}

static void buffers_are_there_before_a_peer_may_send(struct kunit *test)
{
	ipoib_conn_rx_run(world->rx, NULL);
	KUNIT_EXPECT_TRUE(test, world->running);
	KUNIT_EXPECT_EQ(test, world->posted_before, world->rx->nslots);
	/* The HCA has still to be asked to say when half of them are used. */
	KUNIT_EXPECT_EQ(test, world->retries, 1);
	KUNIT_EXPECT_EQ(test, world->retry_delay, 0);
	ipoib_conn_rx_halt(world->rx);
	KUNIT_EXPECT_FALSE(test, world->running);
	/* Once is enough. */
	world->running = true;
	ipoib_conn_rx_halt(world->rx);
	KUNIT_EXPECT_TRUE(test, world->running);
}

static void what_has_arrived_is_waited_for(struct kunit *test)
{
	ipoib_conn_rx_drain(world->rx);
	KUNIT_EXPECT_EQ(test, world->polls, 2);
	KUNIT_EXPECT_EQ(test, READ_ONCE(world->rx->emptied), 2);
}

static void there_are_as_many_as_connections_may_need(struct kunit *test)
{
	unsigned int *limit = &world->set->places[IPOIB_CONN_OURS].limit;

	KUNIT_EXPECT_EQ(test, ipoib_conn_rx_slots(world->set), IPOIB_CONN_RX_SLOTS_MIN);
	*limit = 100;
	KUNIT_EXPECT_EQ(test, ipoib_conn_rx_slots(world->set),
			round_up(100 + IPOIB_CONN_SPARE + IPOIB_CONN_RX_SPARE,
				 IPOIB_CONN_RX_BATCH));
	/* Several queues have parts of the connections each. */
	world->set->rx_count = 2;
	KUNIT_EXPECT_EQ(test, ipoib_conn_rx_slots(world->set),
			round_up((100 + IPOIB_CONN_SPARE) / 2 + IPOIB_CONN_RX_SPARE,
				 IPOIB_CONN_RX_BATCH));
	*limit = 4096;
	KUNIT_EXPECT_EQ(test, ipoib_conn_rx_slots(world->set), IPOIB_CONN_RX_SLOTS_MAX);
	world->ibdev.attrs.max_srq_wr = 43;
	KUNIT_EXPECT_EQ(test, ipoib_conn_rx_slots(world->set), 40);
}

/* Piece @piece of a buffer begins with @page and has @pages. */
static void has_piece(struct kunit *test, const struct ipoib_conn_rx_slot *it, unsigned int piece,
		      unsigned int page, unsigned int pages)
{
	KUNIT_EXPECT_EQ(test, it->sge[piece].length, pages * PAGE_SIZE);
	KUNIT_ASSERT_NOT_NULL(test, it->page[page].page);
	KUNIT_EXPECT_EQ(test, it->sge[piece].addr,
			(uintptr_t)page_address(it->page[page].page));
}

static void the_queue_is_filled(struct kunit *test)
{
	unsigned int i, page;

	poll();
	KUNIT_EXPECT_EQ(test, world->count, SLOTS);
	KUNIT_EXPECT_EQ(test, world->rx->nfree, 0);
	KUNIT_EXPECT_EQ(test, world->retries, 0);
	KUNIT_EXPECT_EQ(test, counted(&world->rx->stats->posts), SLOTS / IPOIB_CONN_RX_BATCH);
	/* Pages first, then blocks. */
	for (i = 0; i < IPOIB_CONN_RX_BLOCK; i++)
		has_piece(test, slot(), i, i, 1);
	for (page = i; page < IPOIB_CONN_RX_PAGES; page += IPOIB_CONN_RX_BLOCK)
		has_piece(test, slot(), i++, page, IPOIB_CONN_RX_BLOCK);
	KUNIT_EXPECT_EQ(test, slot()->pieces, i);
}

static void a_block_that_there_is_no_memory_for_is_pages(struct kunit *test)
{
	struct ipoib_conn_rx_slot *it;
	unsigned int i, page;

	if (IPOIB_CONN_RX_PAGES < 3 * IPOIB_CONN_RX_BLOCK)
		kunit_skip(test, "a buffer has no blocks: its pages are large enough");
	world->scattered = true;
	poll();
	KUNIT_EXPECT_EQ(test, world->count, SLOTS);
	for (i = 0; i < IPOIB_CONN_RX_PAGES; i++)
		has_piece(test, slot(), i, i, 1);
	/* Of a block that is pages now some go; another one goes whole. */
	it = slot();
	receive(ETH_P_IP, (3 * IPOIB_CONN_RX_BLOCK - 1) * PAGE_SIZE - IPOIB_HDR_LEN);
	KUNIT_EXPECT_EQ(test, world->nr_frags, 3 * IPOIB_CONN_RX_BLOCK - 1);
	KUNIT_EXPECT_FALSE(test, it->complete);
	world->scattered = false;
	KUNIT_EXPECT_TRUE(test, slot_complete(world->rx, it));
	for (i = 0; i < IPOIB_CONN_RX_BLOCK; i++)
		has_piece(test, it, i, i, 1);
	has_piece(test, it, i++, IPOIB_CONN_RX_BLOCK, IPOIB_CONN_RX_BLOCK);
	for (page = 2 * IPOIB_CONN_RX_BLOCK; page < IPOIB_CONN_RX_PAGES; page++)
		has_piece(test, it, i++, page, 1);
	KUNIT_EXPECT_EQ(test, it->pieces, i);
}

static void an_hca_that_gathers_less_has_pages_at_the_end(struct kunit *test)
{
	struct ipoib_conn_rx_slot *it = &world->rx->slots[0];

	if (IPOIB_CONN_RX_PAGES < 3 * IPOIB_CONN_RX_BLOCK)
		kunit_skip(test, "a buffer has no blocks: its pages are large enough");
	world->rx->pages = 2 * IPOIB_CONN_RX_BLOCK + 1;
	local_bh_disable();
	KUNIT_EXPECT_TRUE(test, slot_complete(world->rx, it));
	local_bh_enable();
	has_piece(test, it, IPOIB_CONN_RX_BLOCK, IPOIB_CONN_RX_BLOCK, IPOIB_CONN_RX_BLOCK);
	has_piece(test, it, IPOIB_CONN_RX_BLOCK + 1, 2 * IPOIB_CONN_RX_BLOCK, 1);
	KUNIT_EXPECT_EQ(test, it->pieces, IPOIB_CONN_RX_BLOCK + 2);
	world->rx->pages = IPOIB_CONN_RX_PAGES;
}

static void a_batch_is_posted_when_it_is_whole(struct kunit *test)
{
	unsigned int i;

	poll();
	for (i = 1; i < IPOIB_CONN_RX_BATCH; i++) {
		receive(ETH_P_IP, 100);
		KUNIT_EXPECT_EQ(test, world->rx->nfree, i);
	}
	receive(ETH_P_IP, 100);
	KUNIT_EXPECT_EQ(test, world->rx->nfree, 0);
	KUNIT_EXPECT_EQ(test, world->count, SLOTS);
}

static void a_long_poll_posts_what_it_has_emptied(struct kunit *test)
{
	struct ib_wc wc = { .byte_len = IPOIB_HDR_LEN + 100 };
	unsigned int i;

	poll();
	for (i = 0; i < 4 * IPOIB_POLL_BATCH - 1; i++) {
		struct ipoib_hdr *hdr;

		wc.wr_id = world->posted[i];
		hdr = page_address(world->rx->slots[wc.wr_id].page[0].page);
		hdr->proto = cpu_to_be16(ETH_P_IP);
		false_cq_add(&wc);
	}
	poll();
	KUNIT_EXPECT_EQ(test, world->got, 4 * IPOIB_POLL_BATCH - 1);
	KUNIT_EXPECT_LT(test, world->most_free, IPOIB_POLL_BATCH);
}

static void what_the_hca_refuses_is_posted_later(struct kunit *test)
{
	world->takes = IPOIB_CONN_RX_BATCH + 3;
	poll();
	KUNIT_EXPECT_EQ(test, world->count, IPOIB_CONN_RX_BATCH + 3);
	KUNIT_EXPECT_EQ(test, world->rx->nfree, SLOTS - IPOIB_CONN_RX_BATCH - 3);
	KUNIT_EXPECT_EQ(test, world->retries, 0);
	world->takes = UINT_MAX;
	poll();
	KUNIT_EXPECT_LT(test, world->rx->nfree, IPOIB_CONN_RX_BATCH);
}

static void without_memory_it_is_tried_later(struct kunit *test)
{
	world->room = 0;
	poll();
	KUNIT_EXPECT_EQ(test, world->count, 0);
	KUNIT_EXPECT_EQ(test, world->retries, 1);
	KUNIT_EXPECT_EQ(test, world->retry_delay, RETRY_DELAY);
	KUNIT_EXPECT_EQ(test, counted(&world->rx->stats->alloc_failed), 1);
	/* What there was room for is used, and with a batch there will be another poll anyway. */
	world->room = IPOIB_CONN_RX_PAGES * (IPOIB_CONN_RX_BATCH + 2) +
		      IPOIB_CONN_RX_PAGES - 1;
	poll();
	KUNIT_EXPECT_EQ(test, world->count, IPOIB_CONN_RX_BATCH + 2);
	KUNIT_EXPECT_EQ(test, world->retries, 1);
	world->room = UINT_MAX;
	poll();
	KUNIT_EXPECT_LT(test, world->rx->nfree, IPOIB_CONN_RX_BATCH);
}

/* ---- messages ------------------------------------------------------------------------------ */

static void a_short_message_is_copied_and_its_buffer_stays(struct kunit *test)
{
	struct ipoib_conn_rx_slot *it;

	poll();
	it = slot();
	receive(ETH_P_IP, IPOIB_RX_COPY_LEN - IPOIB_HDR_LEN);
	KUNIT_EXPECT_EQ(test, world->got, 1);
	KUNIT_EXPECT_EQ(test, world->len, IPOIB_RX_COPY_LEN - IPOIB_HDR_LEN);
	KUNIT_EXPECT_EQ(test, world->nr_frags, 0);
	KUNIT_EXPECT_EQ(test, world->from.gid[3], cpu_to_be32(7));
	KUNIT_EXPECT_TRUE(test, it->complete);
	KUNIT_EXPECT_EQ(test, world->to_cpu, IPOIB_RX_COPY_LEN);
	KUNIT_EXPECT_EQ(test, world->to_hca, IPOIB_RX_COPY_LEN);
	KUNIT_EXPECT_EQ(test, counted(&world->rx->stats->copied), 1);
	KUNIT_EXPECT_EQ(test, counted(&world->rx->stats->packets), 1);
	KUNIT_EXPECT_EQ(test, counted(&world->rx->stats->bytes), IPOIB_RX_COPY_LEN);
	KUNIT_EXPECT_EQ(test, counted(&world->rx->stats->polls), 2);
}

static void a_long_message_takes_its_pages_along(struct kunit *test)
{
	static const unsigned int lengths[] = {
		IPOIB_RX_COPY_LEN + 1, PAGE_SIZE, PAGE_SIZE + 1, 2 * PAGE_SIZE,
		IPOIB_CONN_MAX_MESSAGE,
	};
	static const unsigned int frags[] = {
		1, 1, 2, 2, IPOIB_CONN_RX_BLOCK + IPOIB_CONN_RX_PAGES / IPOIB_CONN_RX_BLOCK - 1,
	};
	unsigned int i, sent = 0;

	poll();
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct ipoib_conn_rx_slot *it = slot();

		/* Where a page is as long as a message, there is none in two. */
		if (lengths[i] > IPOIB_CONN_RX_PAGES * PAGE_SIZE)
			continue;
		sent++;
		receive(ETH_P_IP, lengths[i] - IPOIB_HDR_LEN);
		KUNIT_EXPECT_EQ(test, world->len, lengths[i] - IPOIB_HDR_LEN);
		KUNIT_EXPECT_EQ(test, world->to_cpu, lengths[i]);
		KUNIT_EXPECT_FALSE(test, it->complete);
		KUNIT_EXPECT_EQ(test, world->nr_frags, frags[i]);
		/* The HCA has back what the stack has not got, which is nothing. */
		KUNIT_EXPECT_EQ(test, world->to_hca, 0);
	}
	KUNIT_EXPECT_EQ(test, world->got, sent);
	KUNIT_EXPECT_EQ(test, counted(&world->rx->stats->copied), 0);
}

static void what_connections_do_not_carry_is_dropped(struct kunit *test)
{
	const unsigned int pages = min_t(unsigned int, 2, IPOIB_CONN_RX_PAGES);

	poll();
	receive(ETH_P_IP, -1);
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_RX_RUNT], 1);
	receive(ETH_P_8021Q, 100);
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_RX_UNKNOWN_PROTO], 1);
	receive(ETH_P_ARP, 56);
	receive(ETH_P_RARP, 56);
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_RX_CONN_ARP], 2);
	world->rx->pages = pages;
	receive(ETH_P_IP, pages * PAGE_SIZE - IPOIB_HDR_LEN + 1);
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_RX_OVERSIZE], 1);
	receive(ETH_P_IP, pages * PAGE_SIZE - IPOIB_HDR_LEN);
	KUNIT_EXPECT_EQ(test, world->got, 1);
	world->rx->pages = IPOIB_CONN_RX_PAGES;
	receive(ETH_P_IP, 0);
	receive(ETH_P_IPV6, 100);
	receive(ETH_P_TIPC, 100);
	KUNIT_EXPECT_EQ(test, world->got, 4);
	/* Where anybody can send such datagrams all is believed. */
	world->lies = true;
	receive(ETH_P_IPV6, 100);
	KUNIT_EXPECT_EQ(test, world->got, 5);
	world->idev->qkey = 0x80000b1b;
	receive(ETH_P_IPV6, 100);
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_RX_CONN_ARP], 3);
	receive(ETH_P_IP, 100);
	world->lies = false;
	receive(ETH_P_IPV6, 100);
	KUNIT_EXPECT_EQ(test, world->got, 7);
	/* While the interface is down, its connections still receive. */
	clear_bit(__LINK_STATE_START, &world->idev->dev->state);
	receive(ETH_P_IP, 100);
	KUNIT_EXPECT_EQ(test, world->got, 7);
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_RX_DOWN], 1);
}

/* UDP over IPv4, without its checksum, and what the HCA says of it. */
static void receive_unsummed(unsigned int flags, u32 imm)
{
	u8 *ip = page_address(slot()->page[0].page) + IPOIB_HDR_LEN;

	memset(ip, 0, 100);
	ip[0] = 0x45;
	ip[9] = IPPROTO_UDP;
	((struct ipoib_hdr *)(ip - IPOIB_HDR_LEN))->proto = cpu_to_be16(ETH_P_IP);
	end((struct ib_wc){
		.byte_len = IPOIB_HDR_LEN + 100,
		.wc_flags = flags,
		.ex.imm_data = cpu_to_be32(imm),
	});
}

static void a_checksum_is_left_to_the_link_where_both_ends_agree(struct kunit *test)
{
	poll();
	world->link_sums = true;
	receive_unsummed(IB_WC_WITH_IMM, IPOIB_IMM_LINK_SUM);
	KUNIT_EXPECT_EQ(test, world->csum, CHECKSUM_PARTIAL);
	KUNIT_EXPECT_EQ(test, counted(&world->rx->stats->unsummed), 1);
	receive_unsummed(0, IPOIB_IMM_LINK_SUM);
	KUNIT_EXPECT_EQ(test, world->csum, CHECKSUM_NONE);
	receive_unsummed(IB_WC_WITH_IMM, IPOIB_IMM_LINK_SUM + 1);
	KUNIT_EXPECT_EQ(test, world->csum, CHECKSUM_NONE);
	world->link_sums = false;
	receive_unsummed(IB_WC_WITH_IMM, IPOIB_IMM_LINK_SUM);
	KUNIT_EXPECT_EQ(test, world->csum, CHECKSUM_NONE);
	KUNIT_EXPECT_EQ(test, counted(&world->rx->stats->unsummed), 1);
	/* GRO would make a list of it that nobody looks into. */
	world->link_sums = true;
	world->idev->dev->features |= NETIF_F_GRO_FRAGLIST;
	receive_unsummed(IB_WC_WITH_IMM, IPOIB_IMM_LINK_SUM);
	KUNIT_EXPECT_EQ(test, world->csum, CHECKSUM_NONE);
	KUNIT_EXPECT_EQ(test, world->got, 5);
}

static void a_failed_one_ends_its_connection(struct kunit *test)
{
	poll();
	end((struct ib_wc){ .status = IB_WC_WR_FLUSH_ERR });
	KUNIT_EXPECT_EQ(test, world->failed, 0);
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_RX_ERROR], 0);
	end((struct ib_wc){ .status = IB_WC_LOC_LEN_ERR });
	KUNIT_EXPECT_EQ(test, world->failed, 1);
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_RX_ERROR], 1);
	KUNIT_EXPECT_EQ(test, world->rx->nfree, 2);
	/* Others go on with a shared queue. */
	KUNIT_EXPECT_FALSE(test, world->rx->flushed);
}

static void whatever_is_posted_is_freed_after_both_queues(struct kunit *test)
{
	struct ipoib_conn_rx *rx = world->rx;

	ipoib_conn_rx_run(rx, NULL);
	KUNIT_EXPECT_EQ(test, ipoib_conn_rx_posted(rx), rx->nslots);
	KUNIT_EXPECT_LT(test, world->room, UINT_MAX);
	ipoib_conn_rx_close(rx);
	rx->slots = NULL;
	KUNIT_EXPECT_FALSE(test, world->running);
	KUNIT_EXPECT_EQ(test, world->gone, 2);
	KUNIT_EXPECT_NULL(test, rx->srq);
	KUNIT_EXPECT_EQ(test, world->room, UINT_MAX);
	KUNIT_EXPECT_EQ(test, ipoib_conn_rx_posted(rx), 0);
}

static void what_happens_to_the_shared_queue_is_noticed(struct kunit *test)
{
	struct ib_event event = { .event = IB_EVENT_SRQ_LIMIT_REACHED };

	srq_event(&event, world->rx);
	KUNIT_EXPECT_EQ(test, world->retries, 1);
	KUNIT_EXPECT_EQ(test, world->retry_delay, LIMIT_DELAY);
	KUNIT_EXPECT_EQ(test, world->broken, 0);
	event.event = IB_EVENT_SRQ_ERR;
	srq_event(&event, world->rx);
	KUNIT_EXPECT_EQ(test, world->broken, 1);
	cq_error(&event, world->rx);
	KUNIT_EXPECT_EQ(test, world->broken, 2);
	KUNIT_EXPECT_EQ(test, world->retries, 1);
}

static struct kunit_case conn_rx_test_cases[] = {
	KUNIT_CASE(a_buffer_has_room_for_the_longest_message),
	KUNIT_CASE(there_are_as_many_as_connections_may_need),
	KUNIT_CASE(buffers_are_there_before_a_peer_may_send),
	KUNIT_CASE(what_has_arrived_is_waited_for),
	KUNIT_CASE(the_queue_is_filled),
	KUNIT_CASE(a_block_that_there_is_no_memory_for_is_pages),
	KUNIT_CASE(an_hca_that_gathers_less_has_pages_at_the_end),
	KUNIT_CASE(a_batch_is_posted_when_it_is_whole),
	KUNIT_CASE(a_long_poll_posts_what_it_has_emptied),
	KUNIT_CASE(what_the_hca_refuses_is_posted_later),
	KUNIT_CASE(without_memory_it_is_tried_later),
	KUNIT_CASE(a_short_message_is_copied_and_its_buffer_stays),
	KUNIT_CASE(a_long_message_takes_its_pages_along),
	KUNIT_CASE(what_connections_do_not_carry_is_dropped),
	KUNIT_CASE(a_checksum_is_left_to_the_link_where_both_ends_agree),
	KUNIT_CASE(a_failed_one_ends_its_connection),
	KUNIT_CASE(whatever_is_posted_is_freed_after_both_queues),
	KUNIT_CASE(what_happens_to_the_shared_queue_is_noticed),
	{}
};

static struct kunit_suite conn_rx_test_suite = {
	.name = "ipoib_conn_rx",
	.init = conn_rx_test_init,
	.exit = conn_rx_test_exit,
	.test_cases = conn_rx_test_cases,
};

kunit_test_suite(conn_rx_test_suite);

MODULE_DESCRIPTION("Tests of the receive queue of IPoIB connections");
MODULE_LICENSE("GPL");
