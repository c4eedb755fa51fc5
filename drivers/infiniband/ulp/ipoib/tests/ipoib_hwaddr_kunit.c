// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/bitops.h>
#include <linux/prandom.h>

#include "../hwaddr.c"

#define RANDOM_TRIES	1000

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
	struct ipoib_hwaddr addr = address(0, IPOIB_MCAST_QPN, &broadcast_gid);

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
		addr = address(0xff, IPOIB_MCAST_QPN, &gid);
		KUNIT_EXPECT_EQ(test, ipoib_hwaddr_is_mcast(&addr),
				octet == 0xff);
	}
}

/* IBTA 10.5.2, RFC 4391 section 9.1.1: what is sent to a group has its QPN. */
static void a_group_has_the_multicast_qpn_and_no_flags(struct kunit *test)
{
	struct ipoib_hwaddr addr = address(0, IPOIB_MCAST_QPN, &broadcast_gid);

	KUNIT_EXPECT_TRUE(test, ipoib_hwaddr_is_group(&addr));
	addr = address(0x80, IPOIB_MCAST_QPN, &broadcast_gid);
	KUNIT_EXPECT_FALSE(test, ipoib_hwaddr_is_group(&addr));
	addr = address(0, 0x123456, &broadcast_gid);
	KUNIT_EXPECT_FALSE(test, ipoib_hwaddr_is_group(&addr));
	addr = address(0, IPOIB_MCAST_QPN, &port_gid);
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

/* Who does not know the seed cannot fill one bucket on purpose. */
static void another_seed_parts_colliding_addresses(struct kunit *test)
{
	unsigned int colliding = 0, parted = 0;
	struct ipoib_hwaddr addr;
	u32 qpn;

	for (qpn = 2; colliding < 64 && qpn < IPOIB_MCAST_QPN; qpn++) {
		addr = address(0, qpn, &port_gid);
		if (ipoib_hwaddr_hash(&addr, 1) % 256)
			continue;
		colliding++;
		if (ipoib_hwaddr_hash(&addr, 2) % 256)
			parted++;
	}

	KUNIT_EXPECT_EQ(test, colliding, 64u);
	KUNIT_EXPECT_GE(test, parted, 56u);
}

static struct kunit_case ipoib_hwaddr_cases[] = {
	KUNIT_CASE(octets_are_flags_qpn_gid),
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
	KUNIT_CASE(another_seed_parts_colliding_addresses),
	{}
};

static struct kunit_suite ipoib_hwaddr_suite = {
	.name = "ipoib_hwaddr",
	.test_cases = ipoib_hwaddr_cases,
};

kunit_test_suite(ipoib_hwaddr_suite);

MODULE_DESCRIPTION("Tests of IPoIB link-layer addresses");
MODULE_LICENSE("GPL");
