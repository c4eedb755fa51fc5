// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/bitops.h>
#include <linux/prandom.h>
#include <net/if_inet6.h>
#include <net/ip.h>

#include "../addr.c"

#define RANDOM_TRIES	1000
#define SCOPES		16

/* The P_Key of the examples in RFC 4391 section 4. */
#define PKEY		0x8006

#define IPV4(_a, _b, _c, _d) \
	cpu_to_be32((_a) << 24 | (_b) << 16 | (_c) << 8 | (_d))

static const union ib_gid port_gid = {
	.raw = { 0xfe, 0x80, [8] = 0x50, 0x54, 0x00, 0xff, 0xfe, 0x12, 0x34,
		 0x56 },
};

static const union ib_gid broadcast_gid = {
	.raw = { 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff,
		 [12] = 0xff, 0xff, 0xff, 0xff },
};

static struct ipoib_hwaddr address(u8 flags, u32 qpn, const union ib_gid *gid)
{
	struct ipoib_hwaddr addr;

	/* What was there before must not show through. */
	memset(&addr, 0xa5, sizeof(addr));
	ipoib_hwaddr_set(&addr, flags, qpn, gid);
	return addr;
}

static struct ipoib_hwaddr random_address(struct rnd_state *random)
{
	union ib_gid gid;

	prandom_bytes_state(random, gid.raw, sizeof(gid.raw));
	return address(prandom_u32_state(random), prandom_u32_state(random),
		       &gid);
}

static bool unicast(u8 flags, u32 qpn, const union ib_gid *gid)
{
	struct ipoib_hwaddr addr = address(flags, qpn, gid);

	return ipoib_hwaddr_is_unicast(&addr);
}

static void flags_do_not_make_another_queue_pair(struct kunit *test)
{
	struct ipoib_hwaddr addr = address(0, 0x123456, &port_gid), other;

	other = address(0xff, 0x123456, &port_gid);
	KUNIT_EXPECT_TRUE(test, ipoib_hwaddr_same_qp(&addr, &other));
	other = address(0, 0x923456, &port_gid);
	KUNIT_EXPECT_FALSE(test, ipoib_hwaddr_same_qp(&addr, &other));
	other = addr;
	other.gid[3] ^= cpu_to_be32(1);
	KUNIT_EXPECT_FALSE(test, ipoib_hwaddr_same_qp(&addr, &other));
}

static void octets_are_flags_qpn_gid(struct kunit *test)
{
	static const u8 want[INFINIBAND_ALEN] = {
		0x80, 0x12, 0x34, 0x56,
		0xfe, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x50, 0x54, 0x00, 0xff, 0xfe, 0x12, 0x34, 0x56,
	};
	struct ipoib_hwaddr addr = address(0x80, 0x123456, &port_gid);

	KUNIT_EXPECT_EQ(test, memcmp(&addr, want, sizeof(want)), 0);
}

static void broadcast_address_is_what_the_stack_expects(struct kunit *test)
{
	static const u8 want[INFINIBAND_ALEN] = {
		0x00, 0xff, 0xff, 0xff,
		0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff,
	};
	struct ipoib_hwaddr addr = address(0, IB_MULTICAST_QPN, &broadcast_gid);

	KUNIT_EXPECT_EQ(test, memcmp(&addr, want, sizeof(want)), 0);
}

static void qpn_does_not_spill_into_flags(struct kunit *test)
{
	struct ipoib_hwaddr addr = address(0x40, 0xff000012, &port_gid);

	KUNIT_EXPECT_EQ(test, ipoib_hwaddr_flags(&addr), 0x40);
	KUNIT_EXPECT_EQ(test, ipoib_hwaddr_qpn(&addr), 0x12u);
}

static void parts_read_back_as_they_were_set(struct kunit *test)
{
	struct ipoib_hwaddr addr;
	union ib_gid gid, got;
	struct rnd_state random;
	u32 qpn;
	u8 flags;
	int i;

	prandom_seed_state(&random, 4391);
	for (i = 0; i < RANDOM_TRIES; i++) {
		flags = prandom_u32_state(&random);
		qpn = prandom_u32_state(&random) & 0xffffff;
		prandom_bytes_state(&random, gid.raw, sizeof(gid.raw));

		addr = address(flags, qpn, &gid);
		ipoib_hwaddr_gid(&addr, &got);
		KUNIT_EXPECT_EQ(test, ipoib_hwaddr_flags(&addr), flags);
		KUNIT_EXPECT_EQ(test, ipoib_hwaddr_qpn(&addr), qpn);
		KUNIT_EXPECT_EQ(test, memcmp(&got, &gid, sizeof(gid)), 0);
	}
}

/* Only four: the address in a packet, and in a net_device, is no better. */
static void address_need_not_be_aligned_to_eight(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, __alignof__(struct ipoib_hwaddr), 4ul);
	KUNIT_EXPECT_EQ(test, __alignof__(struct ipoib_hard_hdr), 4ul);
}

static void unicast_takes_every_qpn_of_a_ud_qp(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, unicast(0, 2, &port_gid));
	KUNIT_EXPECT_TRUE(test, unicast(0, 0x123456, &port_gid));
	KUNIT_EXPECT_TRUE(test, unicast(0, 0xfffffe, &port_gid));
}

static void unicast_refuses_management_qpns(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, unicast(0, 0, &port_gid));
	KUNIT_EXPECT_FALSE(test, unicast(0, 1, &port_gid));
}

static void unicast_refuses_the_multicast_qpn(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, unicast(0, 0xffffff, &port_gid));
}

/* RFC 4755 section 3.1: a UD only sender ignores what a peer offers. */
static void unicast_does_not_depend_on_flags(struct kunit *test)
{
	int flags;

	for (flags = 0; flags <= U8_MAX; flags++) {
		KUNIT_EXPECT_TRUE(test, unicast(flags, 2, &port_gid));
		KUNIT_EXPECT_FALSE(test, unicast(flags, 1, &port_gid));
		KUNIT_EXPECT_FALSE(test, unicast(flags, 0xffffff, &port_gid));
	}
}

static void unicast_refuses_multicast_gids(struct kunit *test)
{
	union ib_gid gid = port_gid;

	KUNIT_EXPECT_FALSE(test, unicast(0, 2, &broadcast_gid));

	gid.raw[0] = 0xff;
	KUNIT_EXPECT_FALSE(test, unicast(0, 2, &gid));
}

static void unicast_needs_an_interface_id(struct kunit *test)
{
	union ib_gid gid = {};
	int octet;

	KUNIT_EXPECT_FALSE(test, unicast(0, 2, &gid));
	gid.raw[0] = 0xfe;
	gid.raw[1] = 0x80;
	KUNIT_EXPECT_FALSE(test, unicast(0, 2, &gid));

	for (octet = 8; octet < 16; octet++) {
		gid.raw[octet] = 1;
		KUNIT_EXPECT_TRUE(test, unicast(0, 2, &gid));
		gid.raw[octet] = 0;
	}
}

/* GIDs of RoCE ports may be IPv4 addresses, ::ffff:192.0.2.1. */
static void unicast_needs_no_subnet_prefix(struct kunit *test)
{
	static const union ib_gid gid = {
		.raw = { [10] = 0xff, 0xff, 192, 0, 2, 1 },
	};

	KUNIT_EXPECT_TRUE(test, unicast(0, 2, &gid));
}

static void multicast_is_told_by_the_first_gid_octet(struct kunit *test)
{
	union ib_gid gid = port_gid;
	struct ipoib_hwaddr addr;
	int octet;

	for (octet = 0; octet <= U8_MAX; octet++) {
		gid.raw[0] = octet;
		addr = address(0, 0x123456, &gid);
		KUNIT_EXPECT_EQ(test, ipoib_hwaddr_is_mcast(&addr),
				octet == 0xff);
		addr = address(0xff, IB_MULTICAST_QPN, &gid);
		KUNIT_EXPECT_EQ(test, ipoib_hwaddr_is_mcast(&addr),
				octet == 0xff);
	}
}

/* IBTA 10.5.2, RFC 4391 section 9.1.1: what is sent to a group has its QPN. */
static void a_group_has_the_multicast_qpn_and_no_flags(struct kunit *test)
{
	struct ipoib_hwaddr addr = address(0, IB_MULTICAST_QPN, &broadcast_gid);

	KUNIT_EXPECT_TRUE(test, ipoib_hwaddr_is_group(&addr));
	addr = address(0x80, IB_MULTICAST_QPN, &broadcast_gid);
	KUNIT_EXPECT_FALSE(test, ipoib_hwaddr_is_group(&addr));
	addr = address(0, 0x123456, &broadcast_gid);
	KUNIT_EXPECT_FALSE(test, ipoib_hwaddr_is_group(&addr));
	addr = address(0, IB_MULTICAST_QPN, &port_gid);
	KUNIT_EXPECT_FALSE(test, ipoib_hwaddr_is_group(&addr));
}

static void no_address_is_both_unicast_and_multicast(struct kunit *test)
{
	struct ipoib_hwaddr addr;
	struct rnd_state random;
	bool mcast;
	int i;

	prandom_seed_state(&random, 4391);
	for (i = 0; i < RANDOM_TRIES; i++) {
		addr = random_address(&random);
		if (i % 2)
			addr.gid[0] |= cpu_to_be32(0xff000000);
		mcast = ipoib_hwaddr_is_mcast(&addr);
		KUNIT_EXPECT_FALSE(test,
				   mcast && ipoib_hwaddr_is_unicast(&addr));
	}
}

static void equal_addresses_compare_and_hash_equal(struct kunit *test)
{
	struct ipoib_hwaddr a, b;
	struct rnd_state random;
	u32 seed;
	int i;

	prandom_seed_state(&random, 4391);
	for (i = 0; i < RANDOM_TRIES; i++) {
		a = random_address(&random);
		b = a;
		seed = prandom_u32_state(&random);
		KUNIT_EXPECT_TRUE(test, ipoib_hwaddr_equal(&a, &b));
		KUNIT_EXPECT_EQ(test, ipoib_hwaddr_hash(&a, seed),
				ipoib_hwaddr_hash(&b, seed));
	}
}

static void one_different_bit_makes_addresses_differ(struct kunit *test)
{
	struct ipoib_hwaddr a = address(0, 0x123456, &port_gid);
	struct ipoib_hwaddr b;
	int bit;

	for (bit = 0; bit < 8 * INFINIBAND_ALEN; bit++) {
		b = a;
		((u8 *)&b)[bit / 8] ^= BIT(bit % 8);
		KUNIT_EXPECT_FALSE_MSG(test, ipoib_hwaddr_equal(&a, &b),
				       "bit %d is not compared", bit);
	}
}

static void hash_depends_on_every_bit(struct kunit *test)
{
	struct ipoib_hwaddr a = address(0, 0x123456, &port_gid);
	struct ipoib_hwaddr b;
	int bit;

	for (bit = 0; bit < 8 * INFINIBAND_ALEN; bit++) {
		b = a;
		((u8 *)&b)[bit / 8] ^= BIT(bit % 8);
		KUNIT_EXPECT_NE_MSG(test, ipoib_hwaddr_hash(&a, 1),
				    ipoib_hwaddr_hash(&b, 1), "bit %d", bit);
	}
}

/* Whoever forges addresses may choose the prefix, too. */
static void hash_spreads_subnet_prefixes(struct kunit *test)
{
	struct ipoib_hwaddr addr = address(0, 0x123456, &port_gid);
	unsigned int fill[64] = {};
	unsigned int most = 0;
	u32 prefix;

	for (prefix = 0; prefix < 6400; prefix++) {
		addr.gid[1] = cpu_to_be32(prefix);
		most = max(most, ++fill[ipoib_hwaddr_hash(&addr, 1) % 64]);
	}
	KUNIT_EXPECT_LT(test, most, 200u);
}

static void hash_spreads_neighbouring_qpns(struct kunit *test)
{
	unsigned int fill[64] = {};
	struct ipoib_hwaddr addr;
	u32 qpn;
	int i;

	for (qpn = 0x100; qpn < 0x100 + 16 * ARRAY_SIZE(fill); qpn++) {
		addr = address(0, qpn, &port_gid);
		fill[ipoib_hwaddr_hash(&addr, 1) % ARRAY_SIZE(fill)]++;
	}

	/* 16 are due; 40 would be six standard deviations too many. */
	for (i = 0; i < ARRAY_SIZE(fill); i++)
		KUNIT_EXPECT_LT_MSG(test, fill[i], 40u, "bucket %d", i);
}

/* Flags are no part of what a node is, and neither is the subnet that all nodes are in. */
static void nodes_are_spread_by_what_tells_them_apart(struct kunit *test)
{
	struct ipoib_hwaddr a = address(0, 0x123456, &port_gid);
	unsigned int fill[8] = {};
	struct ipoib_hwaddr b;
	u32 n;
	int i;

	b = address(0xc0, 0x123456, &port_gid);
	KUNIT_EXPECT_EQ(test, ipoib_hwaddr_spread(&a), ipoib_hwaddr_spread(&b));
	for (i = 2; i < 4; i++) {
		b = a;
		b.gid[i] ^= cpu_to_be32(1);
		KUNIT_EXPECT_NE(test, ipoib_hwaddr_spread(&a), ipoib_hwaddr_spread(&b));
	}
	/* The same octets in the other half of the interface ID make another node. */
	b = a;
	swap(b.gid[2], b.gid[3]);
	KUNIT_EXPECT_NE(test, ipoib_hwaddr_spread(&a), ipoib_hwaddr_spread(&b));
	for (n = 0; n < 16 * ARRAY_SIZE(fill); n++) {
		a = address(0, 0x100 + n % 16, &port_gid);
		a.gid[3] = cpu_to_be32(n / 16);
		fill[reciprocal_scale(ipoib_hwaddr_spread(&a), ARRAY_SIZE(fill))]++;
	}
	for (i = 0; i < ARRAY_SIZE(fill); i++) {
		KUNIT_EXPECT_LT_MSG(test, fill[i], 40u, "bundle %d", i);
		KUNIT_EXPECT_GT_MSG(test, fill[i], 4u, "bundle %d", i);
	}
}

static void nodes_are_spread_whatever_the_step_between_their_numbers(struct kunit *test)
{
	struct ipoib_hwaddr addr = address(0, 0x123456, &port_gid);
	unsigned int i, n, shift;

	for (shift = 0; shift < 24; shift++) {
		unsigned int fill[8] = {};

		for (n = 0; n < 16 * ARRAY_SIZE(fill); n++) {
			addr.gid[3] = cpu_to_be32(n << shift);
			fill[reciprocal_scale(ipoib_hwaddr_spread(&addr), ARRAY_SIZE(fill))]++;
		}
		for (i = 0; i < ARRAY_SIZE(fill); i++) {
			KUNIT_EXPECT_LT_MSG(test, fill[i], 40u, "bundle %u, step 1 << %u", i,
					    shift);
			KUNIT_EXPECT_GT_MSG(test, fill[i], 2u, "bundle %u, step 1 << %u", i,
					    shift);
		}
	}
}

/* Sums alone would be as far apart as the numbers are, all of them, give or take a carry. */
static void even_steps_of_a_number_are_no_even_steps_of_the_spread(struct kunit *test)
{
	struct ipoib_hwaddr addr = address(0, 0x123456, &port_gid);
	u32 last = ipoib_hwaddr_spread(&addr);
	u32 first = 0, now, n;
	unsigned int same = 0;

	for (n = 1; n <= 16; n++) {
		addr.gid[3] = cpu_to_be32(be32_to_cpu(addr.gid[3]) + 1);
		now = ipoib_hwaddr_spread(&addr);
		if (n == 1)
			first = now - last;
		same += now - last - first + 1 <= 2;
		last = now;
	}
	KUNIT_EXPECT_LT(test, same, 16u);
}

/* The same octets in another part make another address. */
static void hash_tells_the_parts_of_an_address_apart(struct kunit *test)
{
	u32 hash[INFINIBAND_ALEN / 4];
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(hash); i++) {
		u32 words[ARRAY_SIZE(hash)] = {};
		struct ipoib_hwaddr addr;

		words[i] = 0x12345678;
		memcpy(&addr, words, sizeof(addr));
		hash[i] = ipoib_hwaddr_hash(&addr, 1);
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_NE_MSG(test, hash[i], hash[j], "words %u and %u", j, i);
	}
}

static void every_seed_uses_every_bit_of_the_hash(struct kunit *test)
{
	static const u32 seeds[] = { 0, 1, U32_MAX / 3, U32_MAX / 2, U32_MAX - 1, U32_MAX };
	struct ipoib_hwaddr addr;
	struct rnd_state random;
	unsigned int i, n;
	u32 hash;

	prandom_seed_state(&random, 4391);
	for (i = 0; i < ARRAY_SIZE(seeds); i++) {
		u32 ones = 0, zeros = 0;

		for (n = 0; n < RANDOM_TRIES; n++) {
			addr = random_address(&random);
			hash = ipoib_hwaddr_hash(&addr, seeds[i]);
			ones |= hash;
			zeros |= ~hash;
		}
		KUNIT_EXPECT_EQ_MSG(test, ones & zeros, U32_MAX, "seed 0x%08x", seeds[i]);
	}
}

/* A table whose bucket was filled nevertheless gets another seed. */
static void another_seed_parts_colliding_addresses(struct kunit *test)
{
	unsigned int colliding = 0, most = 0;
	unsigned int fill[256] = {};
	struct ipoib_hwaddr addr;
	u32 qpn;

	for (qpn = 2; colliding < 256 && qpn < IB_MULTICAST_QPN; qpn++) {
		addr = address(0, qpn, &port_gid);
		if (ipoib_hwaddr_hash(&addr, 0x12345678) % 256)
			continue;
		colliding++;
		most = max(most, ++fill[ipoib_hwaddr_hash(&addr, 0x9abcdef0) % 256]);
	}

	/* One is due in each. */
	KUNIT_EXPECT_EQ(test, colliding, 256u);
	KUNIT_EXPECT_LE(test, most, 8u);
}

/* An MGID the way it is written: eight groups of 16 bits. */
#define EXPECT_MGID(_test, _mgid, ...) \
do { \
	static const u16 _words[8] = { __VA_ARGS__ }; \
	expect_mgid(_test, _mgid, _words); \
} while (0)

static const struct in6_addr all_routers = {
	.s6_addr = { 0xff, 0x02, [15] = 2 },
};

static void expect_mgid(struct kunit *test, const union ib_gid *mgid,
			const u16 *words)
{
	union ib_gid want;
	int i;

	for (i = 0; i < 8; i++) {
		want.raw[2 * i] = words[i] >> 8;
		want.raw[2 * i + 1] = words[i];
	}
	KUNIT_EXPECT_EQ_MSG(test, memcmp(mgid, &want, sizeof(want)), 0,
			    "%pI6c instead of %pI6c", mgid, &want);
}

/* What was in the result before must not show through. */
static void poison(union ib_gid *mgid)
{
	memset(mgid, 0xa5, sizeof(*mgid));
}

static union ib_gid broadcast(u8 scope, u16 pkey)
{
	union ib_gid mgid;

	poison(&mgid);
	ipoib_mgid_broadcast(&mgid, scope, pkey);
	return mgid;
}

/* The stack makes these, from the broadcast address of the link. */
static union ib_gid ipv4(u8 scope, u16 pkey, __be32 group)
{
	unsigned char mapped[INFINIBAND_ALEN], bcast[INFINIBAND_ALEN] = {};
	union ib_gid mgid = broadcast(scope, pkey);

	memcpy(bcast + 4, &mgid, sizeof(mgid));
	ip_ib_mc_map(group, bcast, mapped);
	memcpy(&mgid, mapped + 4, sizeof(mgid));
	return mgid;
}

static union ib_gid ipv6(u8 scope, u16 pkey, const struct in6_addr *group)
{
	union ib_gid mgid;

	poison(&mgid);
	ipoib_mgid_ipv6(&mgid, scope, pkey, group);
	return mgid;
}

static void ipv6_all_routers_as_in_rfc4391(struct kunit *test)
{
	union ib_gid mgid = ipv6(IPOIB_SCOPE_LINK, PKEY, &all_routers);

	EXPECT_MGID(test, &mgid, 0xff12, 0x601b, 0x8006, 0, 0, 0, 0, 2);
}

static void broadcast_as_in_rfc4391(struct kunit *test)
{
	union ib_gid mgid = broadcast(IPOIB_SCOPE_LINK, PKEY);

	EXPECT_MGID(test, &mgid, 0xff12, 0x401b, 0x8006, 0, 0, 0, 0xffff,
		    0xffff);
}

static void ipv6_solicited_node(struct kunit *test)
{
	static const struct in6_addr group = {
		.s6_addr = { 0xff, 0x02, [11] = 1, 0xff, 0x12, 0x34, 0x56 },
	};
	union ib_gid mgid = ipv6(IPOIB_SCOPE_LINK, 0xffff, &group);

	EXPECT_MGID(test, &mgid, 0xff12, 0x601b, 0xffff, 0, 0, 1, 0xff12,
		    0x3456);
}

/* Its all-ones are 32 bits, so no group of 28 bits can be mistaken for it. */
static void broadcast_is_no_ipv4_group(struct kunit *test)
{
	union ib_gid highest = ipv4(IPOIB_SCOPE_LINK, PKEY,
				    IPV4(239, 255, 255, 255));
	union ib_gid all_ones = ipv4(IPOIB_SCOPE_LINK, PKEY,
				     IPV4(255, 255, 255, 255));

	KUNIT_EXPECT_FALSE(test, ipoib_mgid_is_broadcast(&highest, PKEY));
	KUNIT_EXPECT_FALSE(test, ipoib_mgid_is_broadcast(&all_ones, PKEY));
}

static void ipv6_keeps_the_low_80_bits(struct kunit *test)
{
	static const struct in6_addr group = {
		.s6_addr = { 0xff, 0x0e, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66,
			     0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee },
	};
	union ib_gid mgid = ipv6(IPOIB_SCOPE_LINK, PKEY, &group);

	EXPECT_MGID(test, &mgid, 0xff12, 0x601b, 0x8006, 0x5566, 0x7788,
		    0x99aa, 0xbbcc, 0xddee);
}

static void scope_is_that_of_the_link_not_of_the_group(struct kunit *test)
{
	static const struct in6_addr site_group = {
		.s6_addr = { 0xff, 0x05, [15] = 2 },
	};
	union ib_gid mgid = ipv6(IPOIB_SCOPE_LINK, PKEY, &site_group);

	EXPECT_MGID(test, &mgid, 0xff12, 0x601b, 0x8006, 0, 0, 0, 0, 2);

	mgid = ipv6(IPOIB_SCOPE_GLOBAL, PKEY, &all_routers);
	EXPECT_MGID(test, &mgid, 0xff1e, 0x601b, 0x8006, 0, 0, 0, 0, 2);
}

static void every_scope_is_kept(struct kunit *test)
{
	union ib_gid mgid;
	u8 scope;

	for (scope = 0; scope < SCOPES; scope++) {
		mgid = broadcast(scope, PKEY);
		KUNIT_EXPECT_EQ(test, ipoib_mgid_scope(&mgid), scope);
		KUNIT_EXPECT_EQ(test, mgid.raw[1], 0x10 | scope);

		mgid = ipv6(scope, PKEY, &all_routers);
		KUNIT_EXPECT_EQ(test, ipoib_mgid_scope(&mgid), scope);
		KUNIT_EXPECT_EQ(test, mgid.raw[1], 0x10 | scope);
	}
}

static void scope_does_not_spill_into_flags(struct kunit *test)
{
	union ib_gid mgid = broadcast(0xe2, PKEY);

	EXPECT_MGID(test, &mgid, 0xff12, 0x401b, 0x8006, 0, 0, 0, 0xffff,
		    0xffff);
}

static void membership_bit_of_the_pkey_is_added(struct kunit *test)
{
	union ib_gid mgid = broadcast(IPOIB_SCOPE_LINK, 0x0006);

	EXPECT_MGID(test, &mgid, 0xff12, 0x401b, 0x8006, 0, 0, 0, 0xffff,
		    0xffff);

	mgid = ipv6(IPOIB_SCOPE_LINK, 0x0006, &all_routers);
	EXPECT_MGID(test, &mgid, 0xff12, 0x601b, 0x8006, 0, 0, 0, 0, 2);

	mgid = broadcast(IPOIB_SCOPE_LINK, 0x8006);
	KUNIT_EXPECT_TRUE(test, ipoib_mgid_is_broadcast(&mgid, 0x0006));
}

/* The stack puts addresses it maps by itself on the multicast list. */
static void ipv6_agrees_with_the_stack(struct kunit *test)
{
	unsigned char mapped[INFINIBAND_ALEN], bcast[INFINIBAND_ALEN] = {};
	union ib_gid link, mgid;
	struct rnd_state random;
	struct in6_addr group;
	u16 pkey;
	int i;

	prandom_seed_state(&random, 4391);
	for (i = 0; i < RANDOM_TRIES; i++) {
		pkey = prandom_u32_state(&random) | IPOIB_PKEY_FULL;
		prandom_bytes_state(&random, &group, sizeof(group));
		group.s6_addr[0] = 0xff;
		link = broadcast(i % SCOPES, pkey);
		memcpy(bcast + 4, &link, sizeof(link));

		ipv6_ib_mc_map(&group, bcast, mapped);
		mgid = ipv6(i % SCOPES, pkey, &group);
		KUNIT_EXPECT_EQ_MSG(test,
				    memcmp(&mgid, mapped + 4, sizeof(mgid)), 0,
				    "%pI6c of P_Key 0x%04x", &group, pkey);
	}
}

static void broadcast_of_any_scope_is_known(struct kunit *test)
{
	union ib_gid mgid;
	u8 scope;

	for (scope = 0; scope < SCOPES; scope++) {
		mgid = broadcast(scope, PKEY);
		KUNIT_EXPECT_TRUE(test, ipoib_mgid_is_broadcast(&mgid, PKEY));
	}
}

static void broadcast_of_another_pkey_is_not_ours(struct kunit *test)
{
	union ib_gid mgid = broadcast(IPOIB_SCOPE_LINK, 0x8007);

	KUNIT_EXPECT_FALSE(test, ipoib_mgid_is_broadcast(&mgid, PKEY));
}

static void broadcast_with_one_wrong_bit_is_refused(struct kunit *test)
{
	union ib_gid mgid;
	bool in_scope;
	int bit;

	for (bit = 0; bit < 8 * sizeof(mgid); bit++) {
		mgid = broadcast(IPOIB_SCOPE_LINK, PKEY);
		mgid.raw[bit / 8] ^= BIT(bit % 8);
		in_scope = bit / 8 == 1 && bit % 8 < 4;
		KUNIT_EXPECT_EQ_MSG(test, ipoib_mgid_is_broadcast(&mgid, PKEY),
				    in_scope, "octet %d bit %d", bit / 8,
				    bit % 8);
	}
}

static void groups_of_the_link_are_on_the_link(struct kunit *test)
{
	union ib_gid link, mgid;
	u8 scope;

	for (scope = 0; scope < SCOPES; scope++) {
		link = broadcast(scope, PKEY);
		KUNIT_EXPECT_TRUE(test, ipoib_mgid_on_link(&link, &link));

		mgid = ipv4(scope, PKEY, IPV4(224, 0, 0, 251));
		KUNIT_EXPECT_TRUE(test, ipoib_mgid_on_link(&mgid, &link));

		mgid = ipv6(scope, PKEY, &all_routers);
		KUNIT_EXPECT_TRUE(test, ipoib_mgid_on_link(&mgid, &link));
	}
}

static void group_with_another_prefix_is_off_link(struct kunit *test)
{
	union ib_gid link = broadcast(IPOIB_SCOPE_LINK, PKEY);
	union ib_gid mgid = ipv6(IPOIB_SCOPE_LINK, PKEY, &all_routers);

	mgid.raw[0] = 0xfe;
	KUNIT_EXPECT_FALSE(test, ipoib_mgid_on_link(&mgid, &link));
}

static void group_with_other_flags_is_off_link(struct kunit *test)
{
	union ib_gid link = broadcast(IPOIB_SCOPE_LINK, PKEY);
	union ib_gid mgid = ipv6(IPOIB_SCOPE_LINK, PKEY, &all_routers);
	u8 flags;

	for (flags = 0; flags < 16; flags++) {
		mgid.raw[1] = flags << 4 | IPOIB_SCOPE_LINK;
		KUNIT_EXPECT_EQ_MSG(test, ipoib_mgid_on_link(&mgid, &link),
				    flags == 1, "flags %x", flags);
	}
}

static void group_of_another_scope_is_off_link(struct kunit *test)
{
	union ib_gid link = broadcast(IPOIB_SCOPE_LINK, PKEY);
	union ib_gid mgid;
	u8 scope;

	for (scope = 0; scope < SCOPES; scope++) {
		mgid = ipv4(scope, PKEY, IPV4(224, 0, 0, 1));
		KUNIT_EXPECT_EQ_MSG(test, ipoib_mgid_on_link(&mgid, &link),
				    scope == IPOIB_SCOPE_LINK, "scope %x",
				    scope);
	}
}

static void group_with_another_signature_is_off_link(struct kunit *test)
{
	union ib_gid link = broadcast(IPOIB_SCOPE_LINK, PKEY);
	union ib_gid mgid = ipv4(IPOIB_SCOPE_LINK, PKEY, IPV4(224, 0, 0, 1));
	unsigned int signature;

	for (signature = 0; signature <= U16_MAX; signature++) {
		mgid.raw[2] = signature >> 8;
		mgid.raw[3] = signature;
		KUNIT_EXPECT_EQ_MSG(test, ipoib_mgid_on_link(&mgid, &link),
				    signature == 0x401b || signature == 0x601b,
				    "signature 0x%04x", signature);
	}
}

static void group_of_another_pkey_is_off_link(struct kunit *test)
{
	union ib_gid link = broadcast(IPOIB_SCOPE_LINK, PKEY);
	union ib_gid mgid = ipv4(IPOIB_SCOPE_LINK, PKEY, IPV4(224, 0, 0, 1));
	unsigned int pkey;

	for (pkey = 0; pkey <= U16_MAX; pkey++) {
		mgid.raw[4] = pkey >> 8;
		mgid.raw[5] = pkey;
		KUNIT_EXPECT_EQ_MSG(test, ipoib_mgid_on_link(&mgid, &link),
				    pkey == PKEY, "P_Key 0x%04x", pkey);
	}
}

static void group_id_does_not_matter_to_the_link(struct kunit *test)
{
	union ib_gid link = broadcast(IPOIB_SCOPE_LINK, PKEY);
	union ib_gid mgid = ipv6(IPOIB_SCOPE_LINK, PKEY, &all_routers);
	int bit;

	for (bit = 8 * 6; bit < 8 * sizeof(mgid); bit++) {
		mgid.raw[bit / 8] ^= BIT(bit % 8);
		KUNIT_EXPECT_TRUE(test, ipoib_mgid_on_link(&mgid, &link));
	}
}

static void unicast_gid_is_off_link(struct kunit *test)
{
	static const union ib_gid zero_gid;
	union ib_gid link = broadcast(IPOIB_SCOPE_LINK, PKEY);

	KUNIT_EXPECT_FALSE(test, ipoib_mgid_on_link(&port_gid, &link));
	KUNIT_EXPECT_FALSE(test, ipoib_mgid_on_link(&zero_gid, &link));
	KUNIT_EXPECT_FALSE(test, ipoib_mgid_is_broadcast(&port_gid, PKEY));
	KUNIT_EXPECT_FALSE(test, ipoib_mgid_is_broadcast(&zero_gid, PKEY));
}

static void group_of_another_link_becomes_one_of_this(struct kunit *test)
{
	union ib_gid link = broadcast(IPOIB_SCOPE_SITE, PKEY);
	union ib_gid mgid = ipv4(IPOIB_SCOPE_LINK, 0xffff, IPV4(224, 0, 0, 2));

	KUNIT_EXPECT_TRUE(test, ipoib_mgid_to_link(&mgid, &link));
	EXPECT_MGID(test, &mgid, 0xff15, 0x401b, PKEY, 0, 0, 0, 0, 2);
	KUNIT_EXPECT_TRUE(test, ipoib_mgid_on_link(&mgid, &link));
	KUNIT_EXPECT_EQ(test, ipoib_mgid_pkey(&mgid), PKEY);
}

static void what_is_no_group_of_ours_stays(struct kunit *test)
{
	union ib_gid link = broadcast(IPOIB_SCOPE_SITE, PKEY);
	union ib_gid other = ipv4(IPOIB_SCOPE_LINK, 0xffff, IPV4(224, 0, 0, 2));
	union ib_gid before;

	other.raw[2] = 0x12;		/* signature of nobody */
	before = other;
	KUNIT_EXPECT_FALSE(test, ipoib_mgid_to_link(&other, &link));
	KUNIT_EXPECT_EQ(test, memcmp(&other, &before, sizeof(other)), 0);

	other.raw[0] = 0xfe;		/* no multicast */
	KUNIT_EXPECT_FALSE(test, ipoib_mgid_to_link(&other, &link));
}

/* The examples of RFC 4391 section 4. */
static void all_routers_of_both_families(struct kunit *test)
{
	union ib_gid mgid = ipv4(IPOIB_SCOPE_LINK, PKEY, IPV4(239, 1, 2, 3));
	union ib_gid routers;

	poison(&routers);
	ipoib_mgid_all_routers(&routers, &mgid);
	EXPECT_MGID(test, &routers, 0xff12, 0x401b, PKEY, 0, 0, 0, 0, 2);

	poison(&mgid);
	ipoib_mgid_ipv6(&mgid, IPOIB_SCOPE_LINK, PKEY, &all_routers);
	memset(mgid.raw + 6, 0x77, 10);
	ipoib_mgid_all_routers(&routers, &mgid);
	EXPECT_MGID(test, &routers, 0xff12, 0x601b, PKEY, 0, 0, 0, 0, 2);
}

static void an_mgid_has_16_octets_and_no_more(struct kunit *test)
{
	static const union ib_gid link = { .raw = { 0xff, 0x12, 0x40, 0x1b } };
	struct {
		union ib_gid mgid;
		u8 behind;
	} room;

	memset(&room, 0xa5, sizeof(room));
	ipoib_mgid_broadcast(&room.mgid, IPOIB_SCOPE_LINK, PKEY);
	KUNIT_EXPECT_EQ(test, room.behind, 0xa5);
	ipoib_mgid_ipv6(&room.mgid, IPOIB_SCOPE_LINK, PKEY, &all_routers);
	KUNIT_EXPECT_EQ(test, room.behind, 0xa5);
	ipoib_mgid_all_routers(&room.mgid, &link);
	KUNIT_EXPECT_EQ(test, room.behind, 0xa5);
}

static struct kunit_case ipoib_addr_cases[] = {
	KUNIT_CASE(octets_are_flags_qpn_gid),
	KUNIT_CASE(flags_do_not_make_another_queue_pair),
	KUNIT_CASE(broadcast_address_is_what_the_stack_expects),
	KUNIT_CASE(qpn_does_not_spill_into_flags),
	KUNIT_CASE(parts_read_back_as_they_were_set),
	KUNIT_CASE(address_need_not_be_aligned_to_eight),
	KUNIT_CASE(unicast_takes_every_qpn_of_a_ud_qp),
	KUNIT_CASE(unicast_refuses_management_qpns),
	KUNIT_CASE(unicast_refuses_the_multicast_qpn),
	KUNIT_CASE(unicast_does_not_depend_on_flags),
	KUNIT_CASE(unicast_refuses_multicast_gids),
	KUNIT_CASE(unicast_needs_an_interface_id),
	KUNIT_CASE(unicast_needs_no_subnet_prefix),
	KUNIT_CASE(multicast_is_told_by_the_first_gid_octet),
	KUNIT_CASE(a_group_has_the_multicast_qpn_and_no_flags),
	KUNIT_CASE(no_address_is_both_unicast_and_multicast),
	KUNIT_CASE(equal_addresses_compare_and_hash_equal),
	KUNIT_CASE(one_different_bit_makes_addresses_differ),
	KUNIT_CASE(hash_depends_on_every_bit),
	KUNIT_CASE(hash_spreads_subnet_prefixes),
	KUNIT_CASE(hash_spreads_neighbouring_qpns),
	KUNIT_CASE(nodes_are_spread_by_what_tells_them_apart),
	KUNIT_CASE(nodes_are_spread_whatever_the_step_between_their_numbers),
	KUNIT_CASE(even_steps_of_a_number_are_no_even_steps_of_the_spread),
	KUNIT_CASE(hash_tells_the_parts_of_an_address_apart),
	KUNIT_CASE(every_seed_uses_every_bit_of_the_hash),
	KUNIT_CASE(another_seed_parts_colliding_addresses),
	KUNIT_CASE(ipv6_all_routers_as_in_rfc4391),
	KUNIT_CASE(broadcast_as_in_rfc4391),
	KUNIT_CASE(ipv6_solicited_node),
	KUNIT_CASE(broadcast_is_no_ipv4_group),
	KUNIT_CASE(ipv6_keeps_the_low_80_bits),
	KUNIT_CASE(scope_is_that_of_the_link_not_of_the_group),
	KUNIT_CASE(every_scope_is_kept),
	KUNIT_CASE(scope_does_not_spill_into_flags),
	KUNIT_CASE(membership_bit_of_the_pkey_is_added),
	KUNIT_CASE(ipv6_agrees_with_the_stack),
	KUNIT_CASE(broadcast_of_any_scope_is_known),
	KUNIT_CASE(broadcast_of_another_pkey_is_not_ours),
	KUNIT_CASE(broadcast_with_one_wrong_bit_is_refused),
	KUNIT_CASE(groups_of_the_link_are_on_the_link),
	KUNIT_CASE(group_with_another_prefix_is_off_link),
	KUNIT_CASE(group_with_other_flags_is_off_link),
	KUNIT_CASE(group_of_another_scope_is_off_link),
	KUNIT_CASE(group_with_another_signature_is_off_link),
	KUNIT_CASE(group_of_another_pkey_is_off_link),
	KUNIT_CASE(group_id_does_not_matter_to_the_link),
	KUNIT_CASE(unicast_gid_is_off_link),
	KUNIT_CASE(group_of_another_link_becomes_one_of_this),
	KUNIT_CASE(what_is_no_group_of_ours_stays),
	KUNIT_CASE(all_routers_of_both_families),
	KUNIT_CASE(an_mgid_has_16_octets_and_no_more),
	{}
};

static struct kunit_suite ipoib_addr_suite = {
	.name = "ipoib_addr",
	.test_cases = ipoib_addr_cases,
};

kunit_test_suite(ipoib_addr_suite);

MODULE_DESCRIPTION("Tests of IPoIB link-layer addresses and multicast GIDs");
MODULE_LICENSE("GPL");
