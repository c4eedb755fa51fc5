// SPDX-License-Identifier: GPL-2.0
/* What becomes of packets that are too long for their path, and what their senders are told. */
#include <kunit/test.h>
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <net/dst.h>
#include <net/gso.h>
#include <net/icmp.h>
#include <net/ip.h>

#include "../device.h"

static void told(struct sk_buff *skb, int type, int code, u32 mtu);
static int split(struct sk_buff *skb, int (*out)(struct net *, struct sock *, struct sk_buff *));
static struct sk_buff *segments_of(struct sk_buff *skb);
static int sent(struct sk_buff *skb);

#define icmp_ndo_send(_skb, _type, _code, _info)	told(_skb, _type, _code, ntohl(_info))
#define icmpv6_ndo_send(_skb, _type, _code, _info)	told(_skb, _type, _code, _info)
#define ip_do_fragment(_net, _sk, _skb, _out)		split(_skb, _out)
#define skb_gso_segment(_skb, _features)		segments_of(_skb)
#define dev_queue_xmit(_skb)				sent(_skb)
#define skb_dst_update_pmtu_no_confirm(_skb, _mtu)	(world->learned = (_mtu))
#define queue_work(_wq, _work)				((void)(_work), world->works++)
#define ktime_get_ns()					(world->now)
#define skb_cow_head(_skb, _room)			(world->room-- ? 0 : -ENOMEM)

/**
 * struct world - an interface, and what was done with packets
 * @test: the case
 * @dev: the net_device, whose private part is the interface
 * @pmtu: the queue
 * @dst: the route that packets have
 * @len: length of IP packets
 * @now: nanoseconds
 * @works: how often the work was queued
 * @learned: the MTU that the route has learned last
 * @told: how many senders were told
 * @type: of the ICMP message
 * @code: its code
 * @mtu: the MTU that it says
 * @split: how many packets were fragmented
 * @max_size: length that no fragment may exceed
 * @flags: frag_off of what was fragmented
 * @split_error: or why not
 * @segments: of a packet that is cut; none if it is whole
 * @cut_error: or why it cannot be
 * @room: for so many headers there is memory
 * @sent: how many fragments were sent
 * @header: the link-layer header of the last one
 * @drops: packets that were dropped
 */
static struct world {
	struct kunit *test;
	struct net_device *dev;
	struct ipoib_pmtu *pmtu;
	struct dst_entry dst;
	unsigned int len;
	u64 now;
	unsigned int works;
	unsigned int learned;
	unsigned int told;
	int type;
	int code;
	unsigned int mtu;
	unsigned int split;
	unsigned int max_size;
	u16 flags;
	int split_error;
	unsigned int segments;
	int cut_error;
	unsigned int room;
	unsigned int sent;
	struct ipoib_hard_hdr header;
	unsigned int drops[IPOIB_DROP_COUNT];
} *world;

#include "../pmtu.c"

/* IP takes what is in cb for options of the packet, and gets it without its link-layer header. */
static void expect_ip(struct sk_buff *skb)
{
	struct kunit *test = world->test;

	KUNIT_EXPECT_EQ(test, IPCB(skb)->opt.optlen, 0);
	KUNIT_EXPECT_EQ(test, IPCB(skb)->flags, 0);
	KUNIT_EXPECT_EQ(test, skb_network_offset(skb), 0);
	KUNIT_EXPECT_EQ(test, skb->len, world->len);
}

static void told(struct sk_buff *skb, int type, int code, u32 mtu)
{
	expect_ip(skb);
	KUNIT_EXPECT_NULL(world->test, memchr_inv(skb->cb, 0, sizeof(skb->cb)));
	KUNIT_EXPECT_EQ(world->test, skb->protocol,
			type == ICMPV6_PKT_TOOBIG ? htons(ETH_P_IPV6) : htons(ETH_P_IP));
	world->told++;
	world->type = type;
	world->code = code;
	world->mtu = mtu;
}

/* Two fragments of any packet, and no packet if there are none */
static int split(struct sk_buff *skb, int (*out)(struct net *, struct sock *, struct sk_buff *))
{
	int i, err = world->split_error;
	struct sk_buff *part;

	expect_ip(skb);
	world->split++;
	world->max_size = IPCB(skb)->frag_max_size;
	world->flags = ntohs(ip_hdr(skb)->frag_off);
	for (i = 0; i < 2 && !err; i++) {
		part = skb_copy(skb, GFP_ATOMIC);
		err = part ? out(&init_net, NULL, part) : -ENOMEM;
	}
	kfree_skb(skb);
	return err;
}

static struct sk_buff *segments_of(struct sk_buff *skb)
{
	struct sk_buff *first = NULL, *one;
	unsigned int i;

	if (world->cut_error)
		return ERR_PTR(world->cut_error);
	for (i = 0; i < world->segments; i++) {
		one = skb_copy(skb, GFP_ATOMIC);
		if (!one)
			break;
		skb_shinfo(one)->gso_size = 0;
		one->next = first;
		first = one;
	}
	return first;
}

static int sent(struct sk_buff *skb)
{
	world->sent++;
	memcpy(&world->header, skb_mac_header(skb), sizeof(world->header));
	kfree_skb(skb);
	return 0;
}

void ipoib_drop(struct ipoib_drops *drops, enum ipoib_drop_reason reason, unsigned int len)
{
	world->drops[reason]++;
}

void ipoib_drop_skb(struct ipoib_drops *drops, enum ipoib_drop_reason reason, struct sk_buff *skb)
{
	world->drops[reason]++;
	kfree_skb(skb);
}

/* ---- packets ----------------------------------------------------------- */

static void setup_dev(struct net_device *dev)
{
}

static int pmtu_test_init(struct kunit *test)
{
	struct ipoib_dev *idev;

	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world);
	world->dev = alloc_netdev(sizeof(*idev), "pmtu%d", NET_NAME_ENUM, setup_dev);
	KUNIT_ASSERT_NOT_NULL(test, world->dev);
	idev = netdev_priv(world->dev);
	world->pmtu = &idev->pmtu;
	world->pmtu->drops = &idev->drops;
	world->test = test;
	world->len = 2000;
	world->room = 100;
	world->now = NSEC_PER_SEC;
	ipoib_pmtu_init(world->pmtu);
	return 0;
}

static void pmtu_test_exit(struct kunit *test)
{
	if (!world || !world->dev)
		return;
	ipoib_pmtu_exit(world->pmtu);
	free_netdev(world->dev);
}

/* A packet of 2000 octets with its link-layer header, whose address is all 7 */
static struct sk_buff *packet(struct kunit *test, u16 proto)
{
	struct sk_buff *skb = alloc_skb(2100, GFP_KERNEL);
	struct ipoib_hard_hdr *hard;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_reserve(skb, 64);
	hard = skb_put_zero(skb, sizeof(*hard));
	memset(&hard->daddr, 7, sizeof(hard->daddr));
	hard->hdr.proto = htons(proto);
	skb_put_zero(skb, 2000);
	skb->dev = world->dev;
	memset(skb->cb, 0xee, sizeof(skb->cb));
	return skb;
}

/* One of IPv4 that has a route, and @frag_off in its header */
static struct sk_buff *ipv4(struct kunit *test, u16 frag_off)
{
	struct sk_buff *skb = packet(test, ETH_P_IP);
	struct iphdr *ip = (void *)skb->data + IPOIB_HARD_LEN;

	ip->frag_off = htons(frag_off);
	rcu_read_lock();
	skb_dst_set_noref(skb, &world->dst);
	rcu_read_unlock();
	return skb;
}

static void add(struct sk_buff *skb)
{
	ipoib_pmtu_add(world->pmtu, skb, 1480);
}

static void work(void)
{
	pmtu_work(&world->pmtu->work);
}

/* ---- cases ------------------------------------------------------------- */

static void the_sender_of_a_packet_that_must_not_be_cut_is_told(struct kunit *test)
{
	add(ipv4(test, IP_DF));
	KUNIT_EXPECT_EQ(test, world->works, 1);
	KUNIT_EXPECT_EQ(test, world->told, 0);
	work();
	KUNIT_EXPECT_EQ(test, world->told, 1);
	KUNIT_EXPECT_EQ(test, world->type, ICMP_DEST_UNREACH);
	KUNIT_EXPECT_EQ(test, world->code, ICMP_FRAG_NEEDED);
	KUNIT_EXPECT_EQ(test, world->mtu, 1480);
	KUNIT_EXPECT_EQ(test, world->learned, 1480);
	KUNIT_EXPECT_EQ(test, world->drops[IPOIB_DROP_TX_TOO_LONG], 1);
	KUNIT_EXPECT_EQ(test, world->split, 0);
	/* So is one whose packet nobody has routed: it is not ours to cut. */
	add(packet(test, ETH_P_IP));
	work();
	KUNIT_EXPECT_EQ(test, world->told, 2);
	KUNIT_EXPECT_EQ(test, world->split, 0);
}

static void a_packet_that_may_be_cut_goes_in_fragments(struct kunit *test)
{
	struct ipoib_hwaddr to;

	memset(&to, 7, sizeof(to));
	add(ipv4(test, 0));
	work();
	KUNIT_EXPECT_EQ(test, world->split, 1);
	KUNIT_EXPECT_EQ(test, world->max_size, 1480);
	KUNIT_EXPECT_EQ(test, world->learned, 1480);
	KUNIT_EXPECT_EQ(test, world->sent, 2);
	KUNIT_EXPECT_EQ(test, memcmp(&world->header.daddr, &to, sizeof(to)), 0);
	KUNIT_EXPECT_EQ(test, world->header.hdr.proto, htons(ETH_P_IP));
	KUNIT_EXPECT_EQ(test, world->header.hdr.reserved, 0);
	KUNIT_EXPECT_EQ(test, world->told, 0);
	KUNIT_EXPECT_EQ(test, world->drops[IPOIB_DROP_TX_TOO_LONG], 0);
}

static void a_socket_that_allows_fragments_has_said_so(struct kunit *test)
{
	struct sk_buff *skb = ipv4(test, IP_DF);

	skb->ignore_df = 1;
	add(skb);
	work();
	KUNIT_EXPECT_EQ(test, world->split, 1);
	KUNIT_EXPECT_EQ(test, world->flags, 0);
	KUNIT_EXPECT_EQ(test, world->told, 0);
	/* What cannot be cut is counted, once. */
	world->split_error = -EMSGSIZE;
	add(ipv4(test, 0));
	work();
	KUNIT_EXPECT_EQ(test, world->sent, 2);
	KUNIT_EXPECT_EQ(test, world->drops[IPOIB_DROP_TX_TOO_LONG], 1);
}

static void each_segment_goes_in_fragments(struct kunit *test)
{
	struct sk_buff *skb = ipv4(test, 0);

	skb_shinfo(skb)->gso_size = 1600;
	world->segments = 3;
	add(skb);
	work();
	KUNIT_EXPECT_EQ(test, world->split, 3);
	KUNIT_EXPECT_EQ(test, world->sent, 6);
	skb = ipv4(test, 0);
	skb_shinfo(skb)->gso_size = 1600;
	world->segments = 0;
	add(skb);
	work();
	KUNIT_EXPECT_EQ(test, world->drops[IPOIB_DROP_TX_NO_MEMORY], 1);
	skb = ipv4(test, 0);
	skb_shinfo(skb)->gso_size = 1600;
	world->cut_error = -ENOMEM;
	add(skb);
	work();
	KUNIT_EXPECT_EQ(test, world->split, 3);
	KUNIT_EXPECT_EQ(test, world->drops[IPOIB_DROP_TX_NO_MEMORY], 2);
}

static void without_memory_a_packet_is_dropped_once(struct kunit *test)
{
	world->room = 0;
	add(ipv4(test, 0));
	work();
	KUNIT_EXPECT_EQ(test, world->split, 0);
	KUNIT_EXPECT_EQ(test, world->drops[IPOIB_DROP_TX_NO_MEMORY], 1);
	KUNIT_EXPECT_EQ(test, world->drops[IPOIB_DROP_TX_TOO_LONG], 0);
	/* There is some for the packet, and not for the second fragment. */
	world->room = 2;
	add(ipv4(test, 0));
	work();
	KUNIT_EXPECT_EQ(test, world->sent, 1);
	KUNIT_EXPECT_EQ(test, world->drops[IPOIB_DROP_TX_NO_MEMORY] +
			      world->drops[IPOIB_DROP_TX_TOO_LONG], 2);
}

static void ipv6_and_other_packets_are_never_cut(struct kunit *test)
{
	add(packet(test, ETH_P_IPV6));
	work();
	KUNIT_EXPECT_EQ(test, world->told, 1);
	KUNIT_EXPECT_EQ(test, world->type, ICMPV6_PKT_TOOBIG);
	KUNIT_EXPECT_EQ(test, world->code, 0);
	KUNIT_EXPECT_EQ(test, world->mtu, 1480);
	KUNIT_EXPECT_EQ(test, world->learned, 1480);
	add(packet(test, ETH_P_ARP));
	work();
	KUNIT_EXPECT_EQ(test, world->told, 1);
	KUNIT_EXPECT_EQ(test, world->split, 0);
	KUNIT_EXPECT_EQ(test, world->drops[IPOIB_DROP_TX_TOO_LONG], 2);
}

static void a_packet_without_a_header_is_malformed(struct kunit *test)
{
	struct sk_buff *skb = packet(test, ETH_P_IP);

	skb_trim(skb, IPOIB_HARD_LEN + sizeof(struct iphdr) - 1);
	add(skb);
	work();
	KUNIT_EXPECT_EQ(test, world->drops[IPOIB_DROP_TX_MALFORMED], 1);
	KUNIT_EXPECT_EQ(test, world->told, 0);
	skb = packet(test, ETH_P_IP);
	world->len = sizeof(struct iphdr);
	skb_trim(skb, IPOIB_HARD_LEN + world->len);
	add(skb);
	work();
	KUNIT_EXPECT_EQ(test, world->told, 1);
}

static void senders_are_told_at_a_bounded_rate(struct kunit *test)
{
	int i;

	for (i = 0; i < 65; i++) {
		add(i % 2 ? packet(test, ETH_P_IPV6) : ipv4(test, IP_DF));
		work();
	}
	KUNIT_EXPECT_EQ(test, world->told, 64);
	KUNIT_EXPECT_EQ(test, world->drops[IPOIB_DROP_TX_TOO_LONG], 65);
	/* 200 in a second */
	world->now += 5 * NSEC_PER_MSEC;
	for (i = 0; i < 2; i++) {
		add(packet(test, ETH_P_IPV6));
		work();
	}
	KUNIT_EXPECT_EQ(test, world->told, 65);
}

static void sixty_four_packets_wait_at_most(struct kunit *test)
{
	int i;

	for (i = 0; i < 64; i++)
		add(ipv4(test, IP_DF));
	KUNIT_EXPECT_EQ(test, world->drops[IPOIB_DROP_TX_TOO_LONG], 0);
	add(ipv4(test, IP_DF));
	KUNIT_EXPECT_EQ(test, world->drops[IPOIB_DROP_TX_TOO_LONG], 1);
	KUNIT_EXPECT_EQ(test, world->works, 64);
	/* An interface that goes drops all of them, and tells nobody. */
	ipoib_pmtu_exit(world->pmtu);
	KUNIT_EXPECT_EQ(test, world->drops[IPOIB_DROP_TX_TOO_LONG], 65);
	KUNIT_EXPECT_EQ(test, world->told, 0);
}

static struct kunit_case pmtu_test_cases[] = {
	KUNIT_CASE(the_sender_of_a_packet_that_must_not_be_cut_is_told),
	KUNIT_CASE(a_packet_that_may_be_cut_goes_in_fragments),
	KUNIT_CASE(a_socket_that_allows_fragments_has_said_so),
	KUNIT_CASE(each_segment_goes_in_fragments),
	KUNIT_CASE(without_memory_a_packet_is_dropped_once),
	KUNIT_CASE(ipv6_and_other_packets_are_never_cut),
	KUNIT_CASE(a_packet_without_a_header_is_malformed),
	KUNIT_CASE(senders_are_told_at_a_bounded_rate),
	KUNIT_CASE(sixty_four_packets_wait_at_most),
	{}
};

static struct kunit_suite pmtu_test_suite = {
	.name = "ipoib_pmtu",
	.init = pmtu_test_init,
	.exit = pmtu_test_exit,
	.test_cases = pmtu_test_cases,
};

kunit_test_suite(pmtu_test_suite);

MODULE_DESCRIPTION("Tests of packets that are too long for their path");
MODULE_LICENSE("GPL");
