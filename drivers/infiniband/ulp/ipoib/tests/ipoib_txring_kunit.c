// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/skbuff.h>
#include <linux/skbuff_ref.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/sock.h>

/* Memory that a header would be pulled into */
static bool memory;

static bool may_pull(struct sk_buff *skb, unsigned int len)
{
	return (memory || len <= skb_headlen(skb)) && pskb_may_pull(skb, len);
}

static unsigned long clock;

#define pskb_may_pull may_pull
#define jiffies clock
#include "../csum.c"
#include "../tx_slot.c"
#include "../txring.c"
#undef jiffies
#undef pskb_may_pull

#define SLOTS	64
#define EPOCH	7
#define LEN	200

/* What the rest of the driver does: it counts. */
static unsigned int dropped[IPOIB_DROP_COUNT];
static int mapped;
static unsigned int pieces;
static bool room;

unsigned int ipoib_dma_map_skb(struct ib_device *ibdev, struct sk_buff *skb,
			       u64 *map)
{
	int i;

	if (!room)
		return 0;
	pieces = skb_shinfo(skb)->nr_frags + 1;
	for (i = 0; i < pieces; i++)
		map[i] = i;
	mapped++;
	return pieces;
}

void ipoib_dma_unmap_skb(struct ib_device *ibdev, struct sk_buff *skb,
			 const u64 *map)
{
	mapped--;
}

void ipoib_drop(struct ipoib_drops *drops, enum ipoib_drop_reason reason, unsigned int len)
{
	dropped[reason]++;
}

void ipoib_drop_skb(struct ipoib_drops *drops, enum ipoib_drop_reason reason,
		    struct sk_buff *skb)
{
	dropped[reason]++;
	kfree_skb(skb);
}

/* One fragment goes; the suite of pieces looks at what is in it. */
bool ipoib_pieces_merge(struct sk_buff *skb, unsigned int most)
{
	if (!memory)
		return false;
	while (skb_shinfo(skb)->nr_frags > most) {
		unsigned int last = skb_shinfo(skb)->nr_frags - 1;

		skb->len -= LEN;
		skb->data_len -= LEN;
		skb_frag_unref(skb, last);
		skb_shinfo(skb)->nr_frags = last;
	}
	return true;
}

/* An HCA that refuses some of what it is given, told by their numbers. */
struct hca {
	struct ib_device ibdev;
	struct ib_pd pd;
	struct ib_qp qp;
	struct ipoib_txring ring;
	struct ipoib_tx_stats stats;
	struct ipoib_tx_slot slots[SLOTS];
	struct ipoib_tx_cell cells[SLOTS];
	struct ipoib_tx_batch batch;
	u64 refuses;
	bool says_nothing;
	unsigned int seen;
	unsigned int taken;
	unsigned int signaled;
	u64 wr_id[IPOIB_TX_BATCH];
	struct ib_ud_wr last;
	struct ib_sge sge[IPOIB_MAX_SGE];
};

static int post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
		     const struct ib_send_wr **bad)
{
	struct hca *hca = container_of(qp, struct hca, qp);

	for (; wr; wr = wr->next) {
		if (hca->refuses & BIT_ULL(hca->seen++)) {
			*bad = hca->says_nothing ? NULL : wr;
			return -EINVAL;
		}
		hca->signaled += !!(wr->send_flags & IB_SEND_SIGNALED);
		hca->wr_id[hca->taken++] = wr->wr_id;
		hca->last = *ud_wr(wr);
		memcpy(hca->sge, wr->sg_list, wr->num_sge * sizeof(*hca->sge));
	}
	return 0;
}

static int txring_test_init(struct kunit *test)
{
	struct hca *hca = kunit_kzalloc(test, sizeof(*hca), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, hca);
	for (i = 0; i < SLOTS; i++) {
		hca->slots[i].cell = &hca->cells[i];
		hca->slots[i].cell_dma = (uintptr_t)&hca->cells[i];
	}
	memset(dropped, 0, sizeof(dropped));
	mapped = 0;
	room = true;
	memory = true;
	hca->ibdev.ops.post_send = post_send;
	hca->qp.device = &hca->ibdev;
	hca->qp.pd = &hca->pd;
	u64_stats_init(&hca->stats.syncp);
	ipoib_ring_init(&hca->ring.ring, SLOTS);
	/* The indices wrap in the middle of what follows. */
	hca->ring.ring.head = (u32)-3;
	hca->ring.ring.tail = (u32)-3;
	hca->ring.slots = hca->slots;
	hca->ring.batch = &hca->batch;
	hca->ring.max_sge = IPOIB_MAX_SGE;
	hca->ring.epoch = EPOCH;
	hca->ring.qp = &hca->qp;
	hca->ring.ibdev = hca->qp.device;
	hca->ring.stats = &hca->stats;
	test->priv = hca;
	return 0;
}

static unsigned int uncharged;

static void count_uncharged(struct sk_buff *skb)
{
	uncharged++;
}

/* What the HCA gets of the last packet. */
static const u8 *sent_data(const struct hca *hca)
{
	return (const void *)(uintptr_t)hca->sge[0].addr;
}

static struct sk_buff *packet(struct kunit *test, unsigned int len)
{
	struct sk_buff *skb = alloc_skb(INFINIBAND_ALEN + len, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	/* Whom it goes to has been pulled: his address begins with the length. */
	*(u8 *)skb_put_zero(skb, INFINIBAND_ALEN) = len;
	skb_pull(skb, INFINIBAND_ALEN);
	skb_put_zero(skb, len);
	return skb;
}

/* As the producer does, with bottom halves off. */
static bool put(struct hca *hca, struct sk_buff *skb, const struct ipoib_tx_to *to)
{
	bool added;

	local_bh_disable();
	added = ipoib_txring_add(&hca->ring, skb, to);
	local_bh_enable();
	return added;
}

/* Packet number i has LEN + i octets, in memory of a page_pool that wants it back if @lent. */
static void add_all(struct kunit *test, unsigned int n, bool lent)
{
	static const struct ipoib_tx_to to;
	struct hca *hca = test->priv;
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct sk_buff *skb = packet(test, LEN + i);

		skb->pp_recycle = lent;
		KUNIT_EXPECT_TRUE(test, put(hca, skb, &to));
	}
}

static void add(struct kunit *test, unsigned int n)
{
	add_all(test, n, true);
}

static void add_light(struct kunit *test, unsigned int n)
{
	add_all(test, n, false);
}

/* Returns how many of the batch ask for a completion. */
static unsigned int post(struct hca *hca)
{
	hca->seen = 0;
	hca->taken = 0;
	hca->signaled = 0;
	ipoib_txring_post(&hca->ring, false);
	return hca->signaled;
}

/* Octets of the packets from @from to @to - 1. */
static unsigned int octets(unsigned int from, unsigned int to)
{
	unsigned int sum = 0;

	for (; from < to; from++)
		sum += LEN + from;
	return sum;
}

/* Takes everything off the ring. */
static void empty(struct kunit *test)
{
	struct hca *hca = test->priv;
	struct ipoib_tx_done done = {};

	ipoib_txring_purge(&hca->ring, &done);
	KUNIT_EXPECT_EQ(test, mapped, 0);
	memset(&hca->stats, 0, sizeof(hca->stats));
	memset(dropped, 0, sizeof(dropped));
	hca->seen = 0;
	hca->taken = 0;
	hca->signaled = 0;
	hca->ring.mute = 0;
	hca->ring.unsignaled = 0;
	hca->ring.light_bytes = 0;
	hca->ring.held = false;
}

static void complete_one(struct hca *hca, u32 epoch, u32 index,
			 enum ib_wc_status status, struct ipoib_tx_done *done)
{
	const struct ib_wc wc = {
		.wr_id = (u64)epoch << 32 | index,
		.status = status,
	};

	ipoib_txring_complete(&hca->ring, &wc, 0, done);
}

static void batch_is_a_chain_whose_last_one_asks_for_a_completion(struct kunit *test)
{
	struct hca *hca = test->priv;
	struct ipoib_tx_posted posted;
	unsigned int n, i;

	for (n = 1; n <= IPOIB_TX_BATCH; n++) {
		u32 head = hca->ring.ring.head;

		add(test, n);
		posted = ipoib_txring_post(&hca->ring, false);
		KUNIT_EXPECT_TRUE(test, posted.whole);
		KUNIT_EXPECT_EQ(test, posted.refused_bytes, 0);
		KUNIT_EXPECT_EQ(test, hca->taken, n);
		KUNIT_EXPECT_EQ(test, hca->signaled, DIV_ROUND_UP(n, IPOIB_TX_SIGNAL));
		for (i = 0; i < n; i++)
			KUNIT_EXPECT_EQ(test, hca->wr_id[i], (u64)EPOCH << 32 | (head + i));
		KUNIT_EXPECT_EQ(test, u64_stats_read(&hca->stats.packets), n);
		KUNIT_EXPECT_EQ(test, u64_stats_read(&hca->stats.bytes), octets(0, n));
		KUNIT_EXPECT_EQ(test, u64_stats_read(&hca->stats.signaled), hca->signaled);
		KUNIT_EXPECT_EQ(test, u64_stats_read(&hca->stats.doorbells), 1);
		empty(test);
	}
}

static void what_is_refused_is_dropped_and_off_the_ring(struct kunit *test)
{
	struct hca *hca = test->priv;
	struct ipoib_tx_posted posted;
	unsigned int n, takes;

	for (n = 1; n <= IPOIB_TX_BATCH; n++) {
		for (takes = 0; takes < n; takes++) {
			hca->refuses = ~0ull << takes;
			add(test, n);
			posted = ipoib_txring_post(&hca->ring, false);
			KUNIT_EXPECT_EQ(test, posted.whole, !(takes % IPOIB_TX_SIGNAL));
			KUNIT_EXPECT_EQ(test, posted.refused_bytes, octets(takes, n));
			KUNIT_EXPECT_EQ(test, dropped[IPOIB_DROP_TX_POST], n - takes);
			KUNIT_EXPECT_EQ(test, mapped, takes);
			KUNIT_EXPECT_EQ(test, ipoib_ring_used(&hca->ring.ring), takes);
			/* Each 16th asks for a completion, and that of the last is lost. */
			KUNIT_EXPECT_EQ(test, hca->ring.mute, takes % IPOIB_TX_SIGNAL);
			KUNIT_EXPECT_EQ(test, u64_stats_read(&hca->stats.packets), takes);
			KUNIT_EXPECT_EQ(test, u64_stats_read(&hca->stats.bytes), octets(0, takes));
			KUNIT_EXPECT_EQ(test, u64_stats_read(&hca->stats.signaled),
					takes / IPOIB_TX_SIGNAL);
			empty(test);
		}
	}
}

static void next_batch_tells_of_those_before_it(struct kunit *test)
{
	struct hca *hca = test->priv;

	hca->refuses = ~0ull << 5;
	add(test, 8);
	post(hca);
	hca->refuses = ~0ull << 3;
	add(test, 8);
	post(hca);
	/* The first one of these tells of the five. */
	KUNIT_EXPECT_EQ(test, hca->ring.mute, 2);
	hca->refuses = 0;
	add(test, 1);
	post(hca);
	KUNIT_EXPECT_EQ(test, hca->ring.mute, 0);
	KUNIT_EXPECT_TRUE(test, ipoib_txring_waits(&hca->ring));
	empty(test);
}

static void only_what_is_refused_is_lost(struct kunit *test)
{
	struct hca *hca = test->priv;
	struct ipoib_tx_posted posted;
	unsigned int bad, i;

	for (bad = 0; bad < 8; bad++) {
		u32 head = hca->ring.ring.head;

		hca->refuses = BIT_ULL(bad);
		add(test, 8);
		posted = ipoib_txring_post(&hca->ring, false);
		/* The last one would have told of those before it. */
		KUNIT_EXPECT_EQ(test, posted.whole, bad < 7);
		KUNIT_EXPECT_EQ(test, hca->ring.mute, bad < 7 ? 0 : 7);
		KUNIT_EXPECT_EQ(test, posted.refused_bytes, LEN + bad);
		KUNIT_EXPECT_EQ(test, dropped[IPOIB_DROP_TX_POST], 1);
		KUNIT_EXPECT_EQ(test, mapped, 7);
		KUNIT_EXPECT_EQ(test, hca->taken, 7);
		KUNIT_EXPECT_EQ(test, u64_stats_read(&hca->stats.bytes), octets(0, 8) - LEN - bad);
		for (i = 0; i < 7; i++) {
			KUNIT_EXPECT_EQ(test, hca->wr_id[i], (u64)EPOCH << 32 | (head + i));
			KUNIT_EXPECT_EQ(test, slot_at(&hca->ring, head + i)->skb->len,
					LEN + i + (i >= bad));
		}
		empty(test);
	}
}

static void bql_is_not_left_without_an_end(struct kunit *test)
{
	struct hca *hca = test->priv;

	clock++;
	add_light(test, 1);
	post(hca);
	/* BQL has stopped the queue, and the one that would tell of the other is refused. */
	add_light(test, 2);
	hca->seen = 0;
	hca->refuses = BIT_ULL(1);
	KUNIT_EXPECT_FALSE(test, ipoib_txring_post(&hca->ring, true).whole);
	empty(test);
}

static void a_provider_need_not_say_which_one_it_refuses(struct kunit *test)
{
	struct hca *hca = test->priv;

	hca->says_nothing = true;
	hca->refuses = BIT_ULL(0) | BIT_ULL(1);
	add(test, 3);
	KUNIT_EXPECT_EQ(test, ipoib_txring_post(&hca->ring, false).refused_bytes, octets(0, 2));
	KUNIT_EXPECT_EQ(test, hca->taken, 1);
	KUNIT_EXPECT_EQ(test, mapped, 1);
	empty(test);
}

static void what_nobody_waits_for_ends_with_what_is_sent_later(struct kunit *test)
{
	struct hca *hca = test->priv;
	struct ipoib_tx_done done = {};
	unsigned int i;

	/* One in a jiffy tells that the ring moves. */
	clock++;
	add_light(test, 1);
	KUNIT_EXPECT_EQ(test, post(hca), 1);
	for (i = 1; i < IPOIB_TX_SIGNAL; i++) {
		add_light(test, 1);
		KUNIT_EXPECT_EQ(test, post(hca), 0);
		KUNIT_EXPECT_EQ(test, hca->ring.mute, i);
	}
	KUNIT_EXPECT_TRUE(test, ipoib_txring_waits(&hca->ring));
	complete_one(hca, EPOCH, hca->ring.ring.tail, IB_WC_SUCCESS, &done);
	KUNIT_EXPECT_FALSE(test, ipoib_txring_waits(&hca->ring));
	add_light(test, 1);
	KUNIT_EXPECT_EQ(test, post(hca), 1);
	KUNIT_EXPECT_TRUE(test, ipoib_txring_waits(&hca->ring));
	KUNIT_EXPECT_EQ(test, hca->ring.mute, 0);
	empty(test);
}

static void who_waits_is_told_of_all_before(struct kunit *test)
{
	struct hca *hca = test->priv;

	clock++;
	add_light(test, 1);
	post(hca);
	add_light(test, 3);
	KUNIT_EXPECT_EQ(test, post(hca), 0);
	add(test, 1);
	KUNIT_EXPECT_EQ(test, post(hca), 1);
	KUNIT_EXPECT_EQ(test, hca->ring.mute, 0);
	/* BQL waits for everything. */
	add_light(test, 1);
	ipoib_txring_post(&hca->ring, true);
	KUNIT_EXPECT_EQ(test, hca->ring.mute, 0);
	/* The first of two is waited for, and the second tells of it. */
	add(test, 1);
	add_light(test, 1);
	KUNIT_EXPECT_EQ(test, post(hca), 1);
	KUNIT_EXPECT_EQ(test, hca->ring.mute, 0);
	empty(test);
}

static void memory_that_stays_on_the_ring_has_a_bound(struct kunit *test)
{
	static const struct ipoib_tx_to to;
	struct hca *hca = test->priv;
	unsigned int bytes = 0;

	clock++;
	add_light(test, 1);
	post(hca);
	do {
		struct sk_buff *skb = packet(test, 3000);

		KUNIT_ASSERT_LT(test, bytes, IPOIB_TX_LIGHT_BYTES);
		bytes += skb->truesize;
		KUNIT_EXPECT_TRUE(test, put(hca, skb, &to));
	} while (!post(hca));
	KUNIT_EXPECT_GE(test, bytes, IPOIB_TX_LIGHT_BYTES);
	empty(test);
}

static void what_stays_on_the_ring_was_sent_if_nothing_waits(struct kunit *test)
{
	struct hca *hca = test->priv;
	struct ipoib_tx_done done = {};

	clock++;
	add_light(test, 1);
	post(hca);
	add_light(test, 2);
	post(hca);
	complete_one(hca, EPOCH, hca->ring.ring.tail, IB_WC_SUCCESS, &done);
	ipoib_txring_purge(&hca->ring, &done);
	KUNIT_EXPECT_EQ(test, done.packets, 3);
	KUNIT_EXPECT_EQ(test, dropped[IPOIB_DROP_TX_FLUSHED], 0);
	empty(test);
}

static void completion_stands_for_those_before_it(struct kunit *test)
{
	struct hca *hca = test->priv;
	u32 first = hca->ring.ring.tail;
	struct ipoib_tx_done done = {};

	add(test, 8);
	ipoib_txring_post(&hca->ring, false);
	complete_one(hca, EPOCH, first + 4, IB_WC_SUCCESS, &done);
	KUNIT_EXPECT_EQ(test, done.packets, 5);
	KUNIT_EXPECT_EQ(test, done.bytes, octets(0, 5));
	KUNIT_EXPECT_FALSE(test, done.bad);
	KUNIT_EXPECT_EQ(test, mapped, 3);
	KUNIT_EXPECT_EQ(test, ipoib_ring_used(&hca->ring.ring), 3);
	KUNIT_EXPECT_EQ(test, dropped[IPOIB_DROP_TX_FLUSHED], 0);
	empty(test);
}

static void completion_of_an_earlier_start_means_nothing(struct kunit *test)
{
	struct hca *hca = test->priv;
	u32 first = hca->ring.ring.tail;
	struct ipoib_tx_done done = {};

	add(test, 8);
	ipoib_txring_post(&hca->ring, false);
	complete_one(hca, EPOCH - 1, first + 7, IB_WC_WR_FLUSH_ERR, &done);
	KUNIT_EXPECT_EQ(test, done.packets, 0);
	KUNIT_EXPECT_FALSE(test, done.bad);
	KUNIT_EXPECT_EQ(test, ipoib_ring_used(&hca->ring.ring), 8);
	empty(test);
}

static void failed_one_is_dropped_and_those_before_it_are_not(struct kunit *test)
{
	struct hca *hca = test->priv;
	u32 first = hca->ring.ring.tail;
	struct ipoib_tx_done done = {};

	add(test, 8);
	ipoib_txring_post(&hca->ring, false);
	complete_one(hca, EPOCH, first + 4, IB_WC_LOC_QP_OP_ERR, &done);
	KUNIT_EXPECT_TRUE(test, done.bad);
	KUNIT_EXPECT_EQ(test, done.packets, 5);
	KUNIT_EXPECT_EQ(test, dropped[IPOIB_DROP_TX_FLUSHED], 1);

	ipoib_txring_purge(&hca->ring, &done);
	KUNIT_EXPECT_EQ(test, done.packets, 8);
	KUNIT_EXPECT_EQ(test, done.bytes, octets(0, 8));
	KUNIT_EXPECT_EQ(test, dropped[IPOIB_DROP_TX_FLUSHED], 4);
	KUNIT_EXPECT_EQ(test, mapped, 0);
}

/* The first octet of the address that is to blame. */
static unsigned int culprit(const struct hca *hca)
{
	return *(const u8 *)&hca->ring.culprit;
}

static void who_a_failed_one_went_to_is_known(struct kunit *test)
{
	struct hca *hca = test->priv;
	u32 first = hca->ring.ring.tail;
	struct ipoib_tx_done done = {};

	add(test, 8);
	ipoib_txring_post(&hca->ring, false);
	complete_one(hca, EPOCH, first + 1, IB_WC_SUCCESS, &done);
	KUNIT_EXPECT_EQ(test, culprit(hca), 0);
	complete_one(hca, EPOCH, first + 4, IB_WC_LOC_QP_OP_ERR, &done);
	KUNIT_EXPECT_EQ(test, culprit(hca), LEN + 4);
	/* Those after it did nothing wrong. */
	complete_one(hca, EPOCH, first + 7, IB_WC_WR_FLUSH_ERR, &done);
	KUNIT_EXPECT_EQ(test, culprit(hca), LEN + 4);
	/* One that is over is nobody's any more. */
	complete_one(hca, EPOCH, first + 2, IB_WC_LOC_QP_OP_ERR, &done);
	KUNIT_EXPECT_EQ(test, culprit(hca), LEN + 4);
}

static void packet_that_cannot_be_mapped_is_dropped(struct kunit *test)
{
	static const struct ipoib_tx_to to;
	struct hca *hca = test->priv;

	room = false;
	KUNIT_EXPECT_FALSE(test, put(hca, packet(test, LEN), &to));
	KUNIT_EXPECT_EQ(test, dropped[IPOIB_DROP_TX_MAP], 1);
	KUNIT_EXPECT_EQ(test, ipoib_ring_used(&hca->ring.ring), 0);
	KUNIT_EXPECT_EQ(test, hca->batch.count, 0);
}

static void packet_of_more_pieces_than_the_hca_gathers_has_fewer(struct kunit *test)
{
	static const struct ipoib_tx_to to;
	struct hca *hca = test->priv;
	unsigned int frags, i;

	hca->ring.max_sge = 3;
	for (frags = 0; frags < 5; frags++) {
		struct sk_buff *skb = packet(test, LEN);

		for (i = 0; i < frags; i++) {
			struct page *page = alloc_page(GFP_KERNEL);

			KUNIT_ASSERT_NOT_NULL(test, page);
			skb_add_rx_frag(skb, i, page, 0, LEN, PAGE_SIZE);
		}
		KUNIT_EXPECT_TRUE(test, put(hca, skb, &to));
		KUNIT_EXPECT_EQ(test, pieces, min(frags + 1, 3u));
	}
	empty(test);
}

/* TCP over IPv4, with headers of 44 octets and as much @linear data, for an HCA to cut. */
static struct sk_buff *long_packet(struct kunit *test, unsigned int linear)
{
	struct sk_buff *skb = packet(test, 44 + linear);
	struct page *page = alloc_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	skb_add_rx_frag(skb, 0, page, 0, 1000, PAGE_SIZE);
	skb_set_transport_header(skb, 24);
	tcp_hdr(skb)->doff = 5;
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb_shinfo(skb)->gso_type = SKB_GSO_TCPV4;
	skb_shinfo(skb)->gso_size = 300;
	skb_shinfo(skb)->gso_segs = 4;
	return skb;
}

/* Who has an address handle is sent datagrams. */
static struct ib_ah handle;

static void hca_gets_headers_and_data_of_what_it_cuts(struct kunit *test)
{
	static const struct ipoib_tx_to to = { .ah = &handle };
	struct hca *hca = test->priv;
	unsigned int linear;

	for (linear = 0; linear <= 8; linear += 8) {
		struct sk_buff *skb = long_packet(test, linear);
		const void *header = skb->data;

		KUNIT_ASSERT_TRUE(test, put(hca, skb, &to));
		KUNIT_EXPECT_TRUE(test, ipoib_txring_post(&hca->ring, false).whole);
		KUNIT_EXPECT_EQ(test, hca->last.wr.opcode, IB_WR_LSO);
		KUNIT_EXPECT_EQ(test, hca->last.wr.send_flags, IB_SEND_IP_CSUM | IB_SEND_SIGNALED);
		KUNIT_EXPECT_PTR_EQ(test, (const void *)hca->last.header, header);
		KUNIT_EXPECT_EQ(test, hca->last.hlen, 44);
		KUNIT_EXPECT_EQ(test, hca->last.mss, 300);
		KUNIT_EXPECT_EQ(test, hca->last.wr.num_sge, linear ? 2 : 1);
		/* ipoib_dma_map_skb() of this file has numbers for addresses. */
		KUNIT_EXPECT_EQ(test, hca->sge[0].addr, linear ? 44 : 1);
		KUNIT_EXPECT_EQ(test, hca->sge[0].length, linear ?: 1000);
		KUNIT_EXPECT_EQ(test, hca->sge[hca->last.wr.num_sge - 1].length, 1000);
		KUNIT_EXPECT_EQ(test, u64_stats_read(&hca->stats.segmented), 1);
		KUNIT_EXPECT_EQ(test, u64_stats_read(&hca->stats.packets), 4);
		KUNIT_EXPECT_EQ(test, u64_stats_read(&hca->stats.bytes), 4 * 44 + linear + 1000);
		empty(test);
	}
	add(test, 1);
	KUNIT_EXPECT_TRUE(test, ipoib_txring_post(&hca->ring, false).whole);
	KUNIT_EXPECT_EQ(test, hca->last.wr.opcode, IB_WR_SEND);
	KUNIT_EXPECT_EQ(test, hca->last.wr.send_flags, IB_SEND_SIGNALED);
	KUNIT_EXPECT_EQ(test, u64_stats_read(&hca->stats.packets), 1);
	empty(test);
}

/* UDP over IPv4, all of it zero but what tells; the stack has left its checksum to us. */
static struct sk_buff *unsummed(struct kunit *test, u8 protocol)
{
	static struct net_device dev = { .features = NETIF_F_IP_CSUM };
	struct sk_buff *skb = packet(test, LEN);
	struct ipoib_hdr *hdr = (void *)skb->data;
	u8 *ip = skb->data + IPOIB_HDR_LEN;

	hdr->proto = cpu_to_be16(ETH_P_IP);
	ip[0] = 0x45;
	ip[9] = protocol;
	skb->dev = &dev;
	skb->protocol = hdr->proto;
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_headroom(skb) + 24;
	skb->csum_offset = 6;
	return skb;
}

static void sent(struct kunit *test, struct sk_buff *skb, const struct ipoib_tx_to *to,
		 enum ib_wr_opcode opcode, int flags)
{
	struct hca *hca = test->priv;

	clock++;
	KUNIT_ASSERT_TRUE(test, put(hca, skb, to));
	KUNIT_EXPECT_TRUE(test, ipoib_txring_post(&hca->ring, false).whole);
	KUNIT_EXPECT_EQ(test, hca->last.wr.opcode, opcode);
	KUNIT_EXPECT_EQ(test, hca->last.wr.send_flags, IB_SEND_SIGNALED | flags);
	empty(test);
}

static void a_checksum_is_left_to_the_hca_or_to_the_link_or_made(struct kunit *test)
{
	static const struct ipoib_tx_to datagram = { .ah = &handle };
	static const struct ipoib_tx_to link = { .link_sums = true }, other;
	struct hca *hca = test->priv;
	struct sk_buff *skb;

	sent(test, unsummed(test, IPPROTO_UDP), &datagram, IB_WR_SEND, IB_SEND_IP_CSUM);
	sent(test, unsummed(test, IPPROTO_UDP), &link, IB_WR_SEND_WITH_IMM, 0);
	KUNIT_EXPECT_EQ(test, hca->last.wr.ex.imm_data, cpu_to_be32(1));
	sent(test, unsummed(test, IPPROTO_UDP), &other, IB_WR_SEND, 0);
	/* Nobody looks for one of GRE. */
	sent(test, unsummed(test, IPPROTO_GRE), &link, IB_WR_SEND, 0);
	/* The HCA makes those of IPv4 only. */
	skb = unsummed(test, IPPROTO_UDP);
	skb->protocol = cpu_to_be16(ETH_P_IPV6);
	sent(test, skb, &datagram, IB_WR_SEND, 0);
}

static void a_checksum_outside_of_the_packet_is_not_made(struct kunit *test)
{
	static const struct ipoib_tx_to other;
	struct hca *hca = test->priv;
	struct sk_buff *skb = unsummed(test, IPPROTO_UDP);

	skb->csum_start = skb_headroom(skb) - 4;
	KUNIT_EXPECT_FALSE(test, put(hca, skb, &other));
	KUNIT_EXPECT_EQ(test, dropped[IPOIB_DROP_TX_MALFORMED], 1);
}

static void segments_that_are_refused_do_not_count(struct kunit *test)
{
	static const struct ipoib_tx_to to;
	struct hca *hca = test->priv;
	struct ipoib_tx_posted posted;

	hca->refuses = BIT_ULL(1);
	KUNIT_ASSERT_TRUE(test, put(hca, long_packet(test, 8), &to));
	KUNIT_ASSERT_TRUE(test, put(hca, long_packet(test, 0), &to));
	posted = ipoib_txring_post(&hca->ring, false);
	KUNIT_EXPECT_FALSE(test, posted.whole);
	KUNIT_EXPECT_EQ(test, posted.refused_bytes, 1044);
	KUNIT_EXPECT_EQ(test, u64_stats_read(&hca->stats.segmented), 1);
	KUNIT_EXPECT_EQ(test, u64_stats_read(&hca->stats.packets), 4);
	KUNIT_EXPECT_EQ(test, u64_stats_read(&hca->stats.bytes), 4 * 44 + 1008);
	empty(test);
}

static void segments_without_headers_in_reach_are_dropped(struct kunit *test)
{
	static const struct ipoib_tx_to to;
	struct hca *hca = test->priv;
	struct sk_buff *skb = long_packet(test, 0);

	/* It says that its header goes on behind all that there is. */
	pskb_trim(skb, 44);
	tcp_hdr(skb)->doff = 15;
	KUNIT_EXPECT_FALSE(test, put(hca, skb, &to));
	KUNIT_EXPECT_EQ(test, dropped[IPOIB_DROP_TX_MALFORMED], 1);
	KUNIT_EXPECT_EQ(test, hca->batch.count, 0);
	empty(test);
}

static void segments_whose_headers_there_is_no_memory_for_are_not_malformed(struct kunit *test)
{
	static const struct ipoib_tx_to to;
	struct hca *hca = test->priv;
	struct sk_buff *skb = long_packet(test, 0);

	/* Its header goes on in the page. */
	tcp_hdr(skb)->doff = 15;
	memory = false;
	KUNIT_EXPECT_FALSE(test, put(hca, skb, &to));
	KUNIT_EXPECT_EQ(test, dropped[IPOIB_DROP_TX_NO_MEMORY], 1);
	KUNIT_EXPECT_EQ(test, dropped[IPOIB_DROP_TX_MALFORMED], 0);
	empty(test);
}

/* What is looked at of a socket */
struct sender {
	int family, type, protocol, state;
};

/* A packet that a socket is charged for */
static struct sk_buff *charged(struct kunit *test, const struct sender *sender)
{
	struct sock *sk = kunit_kzalloc(test, sizeof(*sk), GFP_KERNEL);
	struct sk_buff *skb = packet(test, LEN);

	KUNIT_ASSERT_NOT_NULL(test, sk);
	sk->sk_family = sender->family;
	sk->sk_type = sender->type;
	sk->sk_protocol = sender->protocol;
	sk->sk_state = sender->state;
	skb->sk = sk;
	skb->destructor = count_uncharged;
	uncharged = 0;
	return skb;
}

static void whoever_sent_it_is_uncharged_but_for_tcp_and_other_families(struct kunit *test)
{
	static const struct {
		struct sender sender;
		bool now;
	} senders[] = {
		{ { AF_INET, SOCK_DGRAM, IPPROTO_UDP, TCP_CLOSE }, true },
		{ { AF_INET, SOCK_RAW, IPPROTO_ICMP, TCP_CLOSE }, true },
		{ { AF_INET6, SOCK_RAW, IPPROTO_ICMPV6, TCP_CLOSE }, true },
		{ { AF_INET, SOCK_STREAM, IPPROTO_TCP, TCP_ESTABLISHED }, false },
		{ { AF_INET6, SOCK_STREAM, IPPROTO_TCP, TCP_ESTABLISHED }, false },
		/* Of a request for a connection there is less than a socket. */
		{ { AF_INET, SOCK_STREAM, IPPROTO_TCP, TCP_NEW_SYN_RECV }, false },
		{ { AF_PACKET, SOCK_RAW, 0, TCP_CLOSE }, false },
	};
	static const struct ipoib_tx_to to;
	struct hca *hca = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(senders); i++) {
		struct sk_buff *skb = charged(test, &senders[i].sender);

		skb->pp_recycle = true;
		KUNIT_EXPECT_TRUE(test, put(hca, skb, &to));
		KUNIT_EXPECT_EQ(test, uncharged, senders[i].now);
		empty(test);
		KUNIT_EXPECT_EQ(test, uncharged, 1);
		hca->batch.count = 0;
	}
}

static void short_packets_are_copied(struct kunit *test)
{
	static const struct ipoib_tx_to to;
	struct hca *hca = test->priv;
	struct ipoib_tx_done done = {};
	struct page *page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	struct sk_buff *skb = packet(test, IPOIB_TX_COPY - 2);
	u32 first = hca->ring.ring.head;

	KUNIT_ASSERT_NOT_NULL(test, page);
	clock++;
	memset(skb->data, 0x5a, skb->len);
	skb_add_rx_frag(skb, 0, page, 17, 2, PAGE_SIZE);
	skb->destructor = count_uncharged;
	uncharged = 0;
	KUNIT_EXPECT_TRUE(test, put(hca, skb, &to));
	/* Nobody waits for it any more. */
	KUNIT_EXPECT_EQ(test, uncharged, 1);
	KUNIT_EXPECT_EQ(test, mapped, 0);
	KUNIT_EXPECT_EQ(test, post(hca), 1);
	KUNIT_EXPECT_EQ(test, hca->last.wr.num_sge, 1);
	KUNIT_EXPECT_EQ(test, hca->sge[0].length, IPOIB_TX_COPY);
	KUNIT_EXPECT_NULL(test, memchr_inv(sent_data(hca), 0x5a, IPOIB_TX_COPY - 2));
	KUNIT_EXPECT_EQ(test, sent_data(hca)[IPOIB_TX_COPY - 1], 0);
	complete_one(hca, EPOCH, first, IB_WC_SUCCESS, &done);
	KUNIT_EXPECT_EQ(test, done.packets, 1);
	KUNIT_EXPECT_EQ(test, done.bytes, IPOIB_TX_COPY);
	KUNIT_EXPECT_EQ(test, ipoib_ring_used(&hca->ring.ring), 0);
}

static void longer_packets_are_not_copied(struct kunit *test)
{
	static const struct ipoib_tx_to to;
	struct hca *hca = test->priv;

	KUNIT_EXPECT_TRUE(test, put(hca, packet(test, IPOIB_TX_COPY + 1), &to));
	KUNIT_EXPECT_EQ(test, mapped, 1);
	post(hca);
	empty(test);
}

static void copies_that_fail_are_dropped_and_known(struct kunit *test)
{
	static const struct ipoib_tx_to to;
	struct hca *hca = test->priv;
	struct ipoib_tx_done done = {};
	u32 first = hca->ring.ring.head;
	unsigned int i;

	clock++;
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_TRUE(test, put(hca, packet(test, 50 + i), &to));
	post(hca);
	complete_one(hca, EPOCH, first + 1, IB_WC_LOC_QP_OP_ERR, &done);
	KUNIT_EXPECT_EQ(test, culprit(hca), 51);
	KUNIT_EXPECT_EQ(test, dropped[IPOIB_DROP_TX_FLUSHED], 1);
	empty(test);
}

static void copies_move_up_with_their_slots(struct kunit *test)
{
	static const struct ipoib_tx_to to;
	struct hca *hca = test->priv;
	u32 first = hca->ring.ring.head;
	unsigned int i;

	clock++;
	for (i = 0; i < 3; i++) {
		struct sk_buff *skb = packet(test, 50 + i);

		memset(skb->data, i, skb->len);
		KUNIT_EXPECT_TRUE(test, put(hca, skb, &to));
	}
	hca->refuses = BIT_ULL(0);
	KUNIT_EXPECT_TRUE(test, ipoib_txring_post(&hca->ring, false).whole);
	KUNIT_EXPECT_EQ(test, dropped[IPOIB_DROP_TX_POST], 1);
	KUNIT_EXPECT_EQ(test, sent_data(hca)[0], 2);
	KUNIT_EXPECT_EQ(test, slot_at(&hca->ring, first + 1)->cell->data[0], 2);
	KUNIT_EXPECT_EQ(test, slot_at(&hca->ring, first + 1)->len, 52);
	KUNIT_EXPECT_EQ(test, slot_at(&hca->ring, first)->cell->data[0], 1);
	empty(test);
}

static void what_stays_on_the_ring_keeps_nobody_waiting(struct kunit *test)
{
	static const struct sender sender = { AF_PACKET };
	static const struct ipoib_tx_to to;
	struct hca *hca = test->priv;
	struct sk_buff *skb = charged(test, &sender);

	KUNIT_EXPECT_TRUE(test, put(hca, skb, &to));
	KUNIT_EXPECT_EQ(test, uncharged, 1);
	KUNIT_EXPECT_NULL(test, skb->sk);
	empty(test);
}

static void who_waits_is_uncharged_if_he_sends_to_others_too(struct kunit *test)
{
	static const struct {
		struct sender sender;
		u8 stamps;
		bool now;
	} senders[] = {
		{ { AF_INET, SOCK_RAW, IPPROTO_ICMP, TCP_CLOSE }, 0, true },
		{ { AF_INET6, SOCK_RAW, IPPROTO_ICMPV6, TCP_CLOSE }, 0, true },
		{ { AF_INET, SOCK_DGRAM, IPPROTO_UDP, TCP_CLOSE }, 0, true },
		{ { AF_INET, SOCK_DGRAM, IPPROTO_UDP, TCP_CLOSE }, SKBTX_SW_TSTAMP, false },
		{ { AF_INET, SOCK_DGRAM, IPPROTO_UDP, TCP_ESTABLISHED }, 0, false },
		{ { AF_INET, SOCK_STREAM, IPPROTO_TCP, TCP_CLOSE }, 0, false },
		{ { AF_INET, SOCK_STREAM, IPPROTO_TCP, TCP_NEW_SYN_RECV }, 0, false },
		{ { AF_PACKET, SOCK_RAW, 0, TCP_CLOSE }, 0, false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(senders); i++) {
		struct sk_buff *skb = charged(test, &senders[i].sender);

		skb_shinfo(skb)->tx_flags = senders[i].stamps;
		ipoib_uncharge_waiting(skb);
		KUNIT_EXPECT_EQ(test, uncharged, senders[i].now);
		kfree_skb(skb);
	}
}

static struct kunit_case txring_test_cases[] = {
	KUNIT_CASE(batch_is_a_chain_whose_last_one_asks_for_a_completion),
	KUNIT_CASE(what_is_refused_is_dropped_and_off_the_ring),
	KUNIT_CASE(next_batch_tells_of_those_before_it),
	KUNIT_CASE(only_what_is_refused_is_lost),
	KUNIT_CASE(bql_is_not_left_without_an_end),
	KUNIT_CASE(a_provider_need_not_say_which_one_it_refuses),
	KUNIT_CASE(what_nobody_waits_for_ends_with_what_is_sent_later),
	KUNIT_CASE(who_waits_is_told_of_all_before),
	KUNIT_CASE(memory_that_stays_on_the_ring_has_a_bound),
	KUNIT_CASE(what_stays_on_the_ring_was_sent_if_nothing_waits),
	KUNIT_CASE(completion_stands_for_those_before_it),
	KUNIT_CASE(completion_of_an_earlier_start_means_nothing),
	KUNIT_CASE(failed_one_is_dropped_and_those_before_it_are_not),
	KUNIT_CASE(who_a_failed_one_went_to_is_known),
	KUNIT_CASE(packet_that_cannot_be_mapped_is_dropped),
	KUNIT_CASE(packet_of_more_pieces_than_the_hca_gathers_has_fewer),
	KUNIT_CASE(hca_gets_headers_and_data_of_what_it_cuts),
	KUNIT_CASE(a_checksum_is_left_to_the_hca_or_to_the_link_or_made),
	KUNIT_CASE(a_checksum_outside_of_the_packet_is_not_made),
	KUNIT_CASE(segments_that_are_refused_do_not_count),
	KUNIT_CASE(segments_without_headers_in_reach_are_dropped),
	KUNIT_CASE(segments_whose_headers_there_is_no_memory_for_are_not_malformed),
	KUNIT_CASE(whoever_sent_it_is_uncharged_but_for_tcp_and_other_families),
	KUNIT_CASE(short_packets_are_copied),
	KUNIT_CASE(longer_packets_are_not_copied),
	KUNIT_CASE(copies_that_fail_are_dropped_and_known),
	KUNIT_CASE(copies_move_up_with_their_slots),
	KUNIT_CASE(what_stays_on_the_ring_keeps_nobody_waiting),
	KUNIT_CASE(who_waits_is_uncharged_if_he_sends_to_others_too),
	{}
};

static struct kunit_suite txring_test_suite = {
	.name = "ipoib_txring",
	.init = txring_test_init,
	.test_cases = txring_test_cases,
};

kunit_test_suite(txring_test_suite);

MODULE_DESCRIPTION("Tests of IPoIB send rings");
MODULE_LICENSE("GPL");
