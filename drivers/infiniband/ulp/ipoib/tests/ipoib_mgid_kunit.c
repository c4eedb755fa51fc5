// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/bitops.h>
#include <linux/prandom.h>
#include <net/if_inet6.h>
#include <net/ip.h>

#include "../mgid.c"

#define RANDOM_TRIES	1000
#define SCOPES		16

/* The P_Key of the examples in RFC 4391 section 4. */
#define PKEY		0x8006

#define IPV4(_a, _b, _c, _d) \
	cpu_to_be32((_a) << 24 | (_b) << 16 | (_c) << 8 | (_d))

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
	static const union ib_gid port_gid = {
		.raw = { 0xfe, 0x80, [15] = 1 },
	};
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

static struct kunit_case ipoib_mgid_cases[] = {
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

static struct kunit_suite ipoib_mgid_suite = {
	.name = "ipoib_mgid",
	.test_cases = ipoib_mgid_cases,
};

kunit_test_suite(ipoib_mgid_suite);

MODULE_DESCRIPTION("Tests of IPoIB multicast GIDs");
MODULE_LICENSE("GPL");
