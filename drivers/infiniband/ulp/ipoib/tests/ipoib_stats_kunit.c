// SPDX-License-Identifier: GPL-2.0
/* Counters of all CPUs add up, each to its own sum. */
#include <kunit/test.h>
#include <linux/skbuff.h>

#include "../trace.h"

#define trace_ipoib_drop(...)	((void)0)
#include "../stats.c"

static void receive_counters_of_all_cpus_add_up(struct kunit *test)
{
	struct ipoib_rx_stats __percpu *stats = alloc_percpu(struct ipoib_rx_stats);
	u64 sum[IPOIB_RX_COUNTS] = {}, expected = 7;
	unsigned int cpu, i;

	KUNIT_ASSERT_NOT_NULL(test, stats);
	sum[IPOIB_RX_BYTES] = 7;
	for_each_possible_cpu(cpu) {
		struct ipoib_rx_stats *one = per_cpu_ptr(stats, cpu);

		u64_stats_init(&one->syncp);
		u64_stats_set(&one->bytes, 100 + cpu);
		u64_stats_set(&one->unsummed, 1);
		expected += 100 + cpu;
	}
	ipoib_rx_stats_add_cpus(stats, sum);
	for (i = 0; i < IPOIB_RX_COUNTS; i++)
		KUNIT_EXPECT_EQ(test, sum[i], i == IPOIB_RX_BYTES ? expected :
					      i == IPOIB_RX_UNSUMMED ? num_possible_cpus() : 0);
	free_percpu(stats);
}

static void counters_of_send_queues_add_up(struct kunit *test)
{
	struct ipoib_tx_stats stats = {};
	u64 sum[IPOIB_TX_COUNTS] = { [IPOIB_TX_PACKETS] = 1 };
	unsigned int i;

	u64_stats_init(&stats.syncp);
	u64_stats_set(&stats.packets, 2);
	u64_stats_set(&stats.segmented, 3);
	ipoib_tx_stats_add(&stats, sum);
	ipoib_tx_stats_add(&stats, sum);
	for (i = 0; i < IPOIB_TX_COUNTS; i++)
		KUNIT_EXPECT_EQ(test, sum[i], i == IPOIB_TX_PACKETS ? 5 :
					      i == IPOIB_TX_SEGMENTED ? 6 : 0);
}

static struct sk_buff *packet(struct kunit *test, unsigned int segments)
{
	struct sk_buff *skb = alloc_skb(100, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	if (segments) {
		skb_shinfo(skb)->gso_size = 10;
		skb_shinfo(skb)->gso_segs = segments;
	}
	return skb;
}

static void a_drop_counts_for_its_reason_as_often_as_it_would_be_sent(struct kunit *test)
{
	u64 sum[IPOIB_DROP_COUNT];
	struct ipoib_drops drops;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, ipoib_drops_init(&drops, "test"), 0);
	ipoib_drop(&drops, IPOIB_DROP_RX_OWN, 100);
	ipoib_drop_skb(&drops, IPOIB_DROP_TX_MAP, packet(test, 0));
	ipoib_drop_skb(&drops, IPOIB_DROP_TX_MAP, packet(test, 1));
	ipoib_drop_skb(&drops, IPOIB_DROP_TX_MAP, packet(test, 4));
	memset(sum, 0xff, sizeof(sum));
	ipoib_drops_read(&drops, sum);
	for (i = 0; i < IPOIB_DROP_COUNT; i++)
		KUNIT_EXPECT_EQ(test, sum[i], i == IPOIB_DROP_RX_OWN ? 1 :
					      i == IPOIB_DROP_TX_MAP ? 6 : 0);
	KUNIT_EXPECT_STREQ(test, ipoib_drop_name(IPOIB_DROP_RX_OWN), "rx_own");
	ipoib_drops_exit(&drops);
}

static void objects_are_counted_by_kind(struct kunit *test)
{
	const char *name;
	u64 made, gone;

	ipoib_object_created(IPOIB_OBJ_AH);
	ipoib_object_created(IPOIB_OBJ_AH);
	ipoib_object_destroyed(IPOIB_OBJ_AH);
	ipoib_objects_add(IPOIB_OBJ_RXPAGE, 9, 8);
	ipoib_objects_read(IPOIB_OBJ_AH, &name, &made, &gone);
	KUNIT_EXPECT_STREQ(test, name, "ah");
	KUNIT_EXPECT_EQ(test, made, 2);
	KUNIT_EXPECT_EQ(test, gone, 1);
	ipoib_objects_read(IPOIB_OBJ_RXPAGE, &name, &made, &gone);
	KUNIT_EXPECT_STREQ(test, name, "rxpage");
	KUNIT_EXPECT_EQ(test, made, 9);
	KUNIT_EXPECT_EQ(test, gone, 8);
	ipoib_objects_read(IPOIB_OBJ_QP, &name, &made, &gone);
	KUNIT_EXPECT_EQ(test, made, 0);
}

static struct kunit_case stats_test_cases[] = {
	KUNIT_CASE(receive_counters_of_all_cpus_add_up),
	KUNIT_CASE(counters_of_send_queues_add_up),
	KUNIT_CASE(a_drop_counts_for_its_reason_as_often_as_it_would_be_sent),
	KUNIT_CASE(objects_are_counted_by_kind),
	{}
};

static struct kunit_suite stats_test_suite = {
	.name = "ipoib_stats",
	.test_cases = stats_test_cases,
};

kunit_test_suite(stats_test_suite);

MODULE_DESCRIPTION("Tests of the counters of IPoIB");
MODULE_LICENSE("GPL");
