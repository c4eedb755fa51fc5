// SPDX-License-Identifier: GPL-2.0
/* Which neighbour discovery is believed though it came by a connection. */
#include <kunit/test.h>
#include <linux/netdevice.h>
#include <net/addrconf.h>
#include <net/ipv6.h>
#include <net/ndisc.h>

#include "../conn_wire.h"

/**
 * struct world - a node and what comes to it
 * @dev: its net_device
 * @known: a node at @known_ip that it knows
 * @known_ip: its IPv6 address
 * @own_ip: an IPv6 address of the interface
 * @bond: what it is part of, if it is, and where all that is known then
 * @disabled: there is no IPv6
 */
static struct world {
	struct net_device dev;
	struct neighbour known;
	struct in6_addr known_ip;
	struct in6_addr own_ip;
	struct net_device *bond;
	bool disabled;
} *world;

/* Whose addresses and neighbours are asked for? */
static bool is_ours(const struct net_device *dev)
{
	return dev == (world->bond ?: &world->dev);
}

static struct neighbour *look_up(const struct net_device *dev, const struct in6_addr *ip)
{
	return is_ours(dev) && ipv6_addr_equal(ip, &world->known_ip) ? &world->known : NULL;
}

/* Those that are tentative, too */
static bool has_address(const struct net_device *dev, const struct in6_addr *ip, bool any_dev,
			u32 banned)
{
	return is_ours(dev) && !any_dev && !banned && ipv6_addr_equal(ip, &world->own_ip);
}

#define ipv6_mod_enabled()				(!world->disabled)
#define netdev_master_upper_dev_get_rcu(_dev)		((void)(_dev), world->bond)
#define __ipv6_neigh_lookup_noref(_dev, _ip)		look_up(_dev, _ip)
#define ipv6_chk_addr_and_flags(_net, _ip, _dev, _any_dev, _strict, _banned) \
	((void)(_net), has_address(_dev, _ip, _any_dev, _banned))
#include "../conn_nd.c"

#include "../snoop.c"

#define SENDER	2
#define OTHER	3
#define PLACE	512

/* What a message is made of. */
struct message {
	u8 type;
	u8 option;
	u8 claims;
	const struct in6_addr *from;
	const struct in6_addr *target;
	u8 nexthdr;
	unsigned int more;
};

static struct ipoib_hwaddr address(u8 flags, u8 number)
{
	struct ipoib_hwaddr addr = {
		.flags_qpn = cpu_to_be32((u32)flags << 24 | number),
		.gid = { cpu_to_be32(0xfe800000), 0, 0, cpu_to_be32(number) },
	};

	return addr;
}

static struct in6_addr ip_of(u8 number)
{
	return (struct in6_addr){ .s6_addr = { 0xfd, [15] = number } };
}

/* An extension header of eight octets may be in between, or a fragment header. */
static struct sk_buff *packet(struct kunit *test, const struct message *of)
{
	struct ipoib_hwaddr lladdr = address(IPOIB_FLAG_RC, of->claims);
	struct sk_buff *skb = alloc_skb(PLACE, GFP_KERNEL);
	struct ipv6hdr *ip;
	struct nd_msg *msg;
	u8 *option;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb->dev = &world->dev;
	skb_reserve(skb, 64);
	ip = skb_put_zero(skb, sizeof(*ip));
	ip->version = 6;
	ip->saddr = of->from ? *of->from : ip_of(SENDER);
	ip->nexthdr = of->nexthdr ?: IPPROTO_ICMPV6;
	if (of->nexthdr)
		*(u8 *)skb_put_zero(skb, 8) = IPPROTO_ICMPV6;
	msg = skb_put_zero(skb, sizeof(*msg));
	msg->icmph.icmp6_type = of->type;
	msg->target = of->target ? *of->target : ip_of(SENDER);
	if (of->option) {
		option = skb_put_zero(skb, 24);
		option[0] = of->option;
		option[1] = 3;
		memcpy(option + 4, &lladdr, sizeof(lladdr));
	}
	skb_put_zero(skb, of->more);
	*(__be16 *)(skb->data - IPOIB_HDR_LEN) = cpu_to_be16(ETH_P_IPV6);
	return skb;
}

static bool ok(struct sk_buff *skb)
{
	struct ipoib_hwaddr from = address(0, SENDER);
	bool believed;

	local_bh_disable();
	believed = ipoib_conn_nd_ok(skb, &from);
	local_bh_enable();
	kfree_skb(skb);
	return believed;
}

static bool passes(struct kunit *test, const struct message *of)
{
	return ok(packet(test, of));
}

/* The node at that address is known to be this one. */
static void know(u8 number, u8 state)
{
	struct ipoib_hwaddr addr = address(IPOIB_FLAG_UC, number);

	memcpy(world->known.ha, &addr, sizeof(addr));
	world->known.nud_state = state;
}

static int conn_nd_test_init(struct kunit *test)
{
	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world);
	dev_net_set(&world->dev, &init_net);
	world->dev.addr_len = INFINIBAND_ALEN;
	world->own_ip = ip_of(1);
	world->known_ip = ip_of(OTHER);
	seqlock_init(&world->known.ha_lock);
	know(OTHER, NUD_STALE);
	return 0;
}

/* ---- what ib_ipoib sends ------------------------------------------------ */

static void a_node_says_who_it_is_itself(struct kunit *test)
{
	struct message ns = { NDISC_NEIGHBOUR_SOLICITATION, ND_OPT_SOURCE_LL_ADDR, SENDER };
	struct message na = { NDISC_NEIGHBOUR_ADVERTISEMENT, ND_OPT_TARGET_LL_ADDR, SENDER };
	struct in6_addr link_local = {
		.s6_addr = { 0xfe, 0x80, [8] = 2, [15] = SENDER },
	};

	/* It may be the answer to a question. */
	KUNIT_EXPECT_TRUE(test, passes(test, &na));
	world->known_ip = ip_of(SENDER);
	know(SENDER, NUD_REACHABLE);
	KUNIT_EXPECT_TRUE(test, passes(test, &na));
	KUNIT_EXPECT_TRUE(test, passes(test, &ns));
	/* Its link-local address need not be known. */
	ns.from = &link_local;
	KUNIT_EXPECT_TRUE(test, passes(test, &ns));
	link_local.s6_addr[8] = 0;
	KUNIT_EXPECT_FALSE(test, passes(test, &ns));
	ns.from = NULL;
	/* Without the option nothing new is said. */
	ns.option = 0;
	na.option = 0;
	KUNIT_EXPECT_TRUE(test, passes(test, &ns));
	KUNIT_EXPECT_TRUE(test, passes(test, &na));
}

static void all_else_is_no_matter_here(struct kunit *test)
{
	struct message echo = { ICMPV6_ECHO_REQUEST };
	struct message later = { NDISC_REDIRECT, .nexthdr = NEXTHDR_FRAGMENT };
	struct sk_buff *skb;

	KUNIT_EXPECT_TRUE(test, passes(test, &echo));
	echo.type = NDISC_ROUTER_SOLICITATION - 1;
	KUNIT_EXPECT_TRUE(test, passes(test, &echo));
	echo.type = NDISC_REDIRECT + 1;
	KUNIT_EXPECT_TRUE(test, passes(test, &echo));
	echo.nexthdr = NEXTHDR_DEST;
	KUNIT_EXPECT_TRUE(test, passes(test, &echo));
	/* UDP, not ICMPv6 */
	skb = packet(test, &later);
	((struct ipv6hdr *)skb->data)->nexthdr = IPPROTO_UDP;
	KUNIT_EXPECT_TRUE(test, ok(skb));
	/* Without its first fragment it is nothing. */
	skb = packet(test, &later);
	skb->data[sizeof(struct ipv6hdr) + 2] = 1;
	KUNIT_EXPECT_TRUE(test, ok(skb));
	/* Too short for IPv6: the stack sees to that. */
	skb = packet(test, &later);
	skb_trim(skb, sizeof(struct ipv6hdr) - 1);
	KUNIT_EXPECT_TRUE(test, ok(skb));
}

/* ---- what nobody is believed -------------------------------------------- */

static void nobody_is_a_router(struct kunit *test)
{
	static const u8 types[] = {
		NDISC_ROUTER_SOLICITATION, NDISC_ROUTER_ADVERTISEMENT, NDISC_REDIRECT,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		struct message it = { types[i], ND_OPT_SOURCE_LL_ADDR, SENDER };

		KUNIT_EXPECT_FALSE(test, passes(test, &it));
	}
}

static void nobody_speaks_for_another_link_layer_address(struct kunit *test)
{
	struct message ns = { NDISC_NEIGHBOUR_SOLICITATION, ND_OPT_SOURCE_LL_ADDR, OTHER };
	struct message na = { NDISC_NEIGHBOUR_ADVERTISEMENT, ND_OPT_TARGET_LL_ADDR, OTHER };

	KUNIT_EXPECT_FALSE(test, passes(test, &ns));
	KUNIT_EXPECT_FALSE(test, passes(test, &na));
}

static void nobody_takes_an_address_that_is_known(struct kunit *test)
{
	struct message ns = { NDISC_NEIGHBOUR_SOLICITATION, ND_OPT_SOURCE_LL_ADDR, SENDER,
			      .from = &world->known_ip };
	struct message na = { NDISC_NEIGHBOUR_ADVERTISEMENT, ND_OPT_TARGET_LL_ADDR, SENDER,
			      .target = &world->known_ip };
	struct net_device *bond = kunit_kzalloc(test, sizeof(*bond), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, bond);
	KUNIT_EXPECT_FALSE(test, passes(test, &ns));
	KUNIT_EXPECT_FALSE(test, passes(test, &na));
	/* The bond knows it, another kind of master would not. */
	world->bond = bond;
	dev_net_set(bond, &init_net);
	bond->addr_len = INFINIBAND_ALEN;
	bond->flags = IFF_MASTER;
	bond->priv_flags = IFF_BONDING;
	KUNIT_EXPECT_FALSE(test, passes(test, &na));
	bond->flags = 0;
	KUNIT_EXPECT_TRUE(test, passes(test, &na));
	world->bond = NULL;
	/* It has moved, and we ask where to: that is answered, but nobody else asks for it. */
	know(OTHER, NUD_INCOMPLETE);
	KUNIT_EXPECT_FALSE(test, passes(test, &ns));
	KUNIT_EXPECT_TRUE(test, passes(test, &na));
}

static void without_ipv6_nothing_is_looked_up(struct kunit *test)
{
	struct message ns = { NDISC_NEIGHBOUR_SOLICITATION };

	world->disabled = true;
	KUNIT_EXPECT_TRUE(test, passes(test, &ns));
}

static void nobody_disputes_our_own_address(struct kunit *test)
{
	struct in6_addr any = {};
	struct message ns = { NDISC_NEIGHBOUR_SOLICITATION, .from = &any };
	struct message na = { NDISC_NEIGHBOUR_ADVERTISEMENT, .target = &world->own_ip };

	KUNIT_EXPECT_FALSE(test, passes(test, &ns));
	KUNIT_EXPECT_FALSE(test, passes(test, &na));
}

static void nothing_is_hidden(struct kunit *test)
{
	struct message ns = { NDISC_NEIGHBOUR_SOLICITATION, ND_OPT_SOURCE_LL_ADDR, SENDER,
			      .nexthdr = NEXTHDR_DEST };
	struct sk_buff *skb;

	/* Behind an extension header, or in a first fragment. */
	KUNIT_EXPECT_FALSE(test, passes(test, &ns));
	ns.nexthdr = NEXTHDR_FRAGMENT;
	KUNIT_EXPECT_FALSE(test, passes(test, &ns));
	/* The type is in another fragment. */
	skb = packet(test, &ns);
	skb_trim(skb, sizeof(struct ipv6hdr) + 8);
	KUNIT_EXPECT_FALSE(test, ok(skb));
	/* Where ipoib_snoop_sender() does not look */
	world->known_ip = ip_of(SENDER);
	know(SENDER, NUD_REACHABLE);
	ns.nexthdr = 0;
	ns.more = MAX_LEN - sizeof(struct ipv6hdr) - sizeof(struct nd_msg) - 24;
	KUNIT_EXPECT_TRUE(test, passes(test, &ns));
	ns.more++;
	KUNIT_EXPECT_FALSE(test, passes(test, &ns));
	/* Not whole */
	ns.more = 0;
	ns.option = 0;
	skb = packet(test, &ns);
	skb_trim(skb, skb->len - 1);
	KUNIT_EXPECT_FALSE(test, ok(skb));
}

static struct kunit_case conn_nd_test_cases[] = {
	KUNIT_CASE(a_node_says_who_it_is_itself),
	KUNIT_CASE(all_else_is_no_matter_here),
	KUNIT_CASE(nobody_is_a_router),
	KUNIT_CASE(nobody_speaks_for_another_link_layer_address),
	KUNIT_CASE(nobody_takes_an_address_that_is_known),
	KUNIT_CASE(without_ipv6_nothing_is_looked_up),
	KUNIT_CASE(nobody_disputes_our_own_address),
	KUNIT_CASE(nothing_is_hidden),
	{}
};

static struct kunit_suite conn_nd_test_suite = {
	.name = "ipoib_conn_nd",
	.init = conn_nd_test_init,
	.test_cases = conn_nd_test_cases,
};

kunit_test_suite(conn_nd_test_suite);

MODULE_DESCRIPTION("Tests of neighbour discovery by IPoIB connections");
MODULE_LICENSE("GPL");
