// SPDX-License-Identifier: GPL-2.0
/* What the stack gets of a received packet, and which way. */
#include <kunit/test.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/busy_poll.h>

/**
 * struct world - a NAPI instance, and what went up from it
 * @napi: the instance
 * @waits: GRO holds packets of it
 * @marked: what a packet that went past GRO says of where it came from
 * @up: packets that went up at once
 * @by_gro: packets that GRO got
 */
static struct world {
	struct napi_struct *napi;
	bool waits;
	const struct napi_struct *marked;
	unsigned int up;
	unsigned int by_gro;
} world;

#define skb_mark_napi_id(_skb, _napi)	((void)(_skb), world.marked = (_napi))
#define netif_receive_skb(_skb)		((void)(_skb), world.up++)
#define napi_gro_receive(_napi, _skb)	((void)(_skb), world.by_gro += (_napi) == world.napi)
#define compat_napi_gro_waits(_napi)	((_napi) == world.napi && world.waits)
#include "../rx_skb.h"

static int rx_skb_test_init(struct kunit *test)
{
	memset(&world, 0, sizeof(world));
	world.napi = kunit_kzalloc(test, sizeof(*world.napi), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world.napi);
	return 0;
}

static void a_packet_is_behind_the_address_of_its_sender(struct kunit *test)
{
	struct sk_buff *skb = alloc_skb(64, GFP_KERNEL);
	struct ipoib_hwaddr from;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	memset(&from, 7, sizeof(from));
	skb_reserve(skb, INFINIBAND_ALEN);
	skb_put_data(skb, "\x86\xdd\0\0packet", 10);
	*ipoib_rx_skb_header(skb) = from;
	KUNIT_EXPECT_EQ(test, skb->protocol, htons(ETH_P_IPV6));
	KUNIT_EXPECT_EQ(test, memcmp(skb_mac_header(skb), &from, sizeof(from)), 0);
	KUNIT_EXPECT_EQ(test, skb->len, 6);
	KUNIT_EXPECT_EQ(test, memcmp(skb->data, "packet", 6), 0);
	kfree_skb(skb);
}

static void one_alone_goes_up_at_once_and_says_where_it_came(struct kunit *test)
{
	ipoib_rx_skb_deliver(world.napi, NULL, true);
	KUNIT_EXPECT_EQ(test, world.up, 1);
	KUNIT_EXPECT_EQ(test, world.by_gro, 0);
	KUNIT_EXPECT_PTR_EQ(test, world.marked, (const struct napi_struct *)world.napi);
}

static void none_overtakes_what_gro_holds(struct kunit *test)
{
	world.waits = true;
	ipoib_rx_skb_deliver(world.napi, NULL, true);
	KUNIT_EXPECT_EQ(test, world.by_gro, 1);
	world.waits = false;
	ipoib_rx_skb_deliver(world.napi, NULL, false);
	KUNIT_EXPECT_EQ(test, world.by_gro, 2);
	KUNIT_EXPECT_EQ(test, world.up, 0);
}

/* Of a page that goes up a sixteenth is used at least, however large pages are. */
static void a_packet_is_not_charged_many_times_over(struct kunit *test)
{
	KUNIT_EXPECT_LT(test, PAGE_SIZE, 16 * (IPOIB_RX_COPY_LEN + 1));
}

static struct kunit_case rx_skb_test_cases[] = {
	KUNIT_CASE(a_packet_is_behind_the_address_of_its_sender),
	KUNIT_CASE(one_alone_goes_up_at_once_and_says_where_it_came),
	KUNIT_CASE(none_overtakes_what_gro_holds),
	KUNIT_CASE(a_packet_is_not_charged_many_times_over),
	{}
};

static struct kunit_suite rx_skb_test_suite = {
	.name = "ipoib_rx_skb",
	.init = rx_skb_test_init,
	.test_cases = rx_skb_test_cases,
};

kunit_test_suite(rx_skb_test_suite);

MODULE_DESCRIPTION("Tests of how IPoIB gives packets to the stack");
MODULE_LICENSE("GPL");
