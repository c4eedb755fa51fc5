// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>

#include "../conn_wire.c"

/* RFC 4755 section 3.5, and the one of ib_ipoib, a digit longer. */
static void a_service_id_has_type_and_qpn(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ipoib_service_id(IPOIB_SERVICE_RFC, 0xabcdef),
			cpu_to_be64(0x0100000000abcdefull));
	KUNIT_EXPECT_EQ(test, ipoib_service_id(IPOIB_SERVICE_LINUX, 0xabcdef),
			cpu_to_be64(0x1000000000abcdefull));
	KUNIT_EXPECT_EQ(test, ipoib_service_id(IPOIB_SERVICE_RFC, 0xff000048),
			cpu_to_be64(0x0100000000000048ull));
}

static void a_service_id_is_taken_apart(struct kunit *test)
{
	u32 qpn = 0;

	KUNIT_EXPECT_EQ(test, (int)IPOIB_SERVICE_RFC,
			(int)ipoib_service_parse(cpu_to_be64(0x0100000000000048ull),
						 &qpn));
	KUNIT_EXPECT_EQ(test, qpn, 0x48);
	KUNIT_EXPECT_EQ(test, (int)IPOIB_SERVICE_LINUX,
			(int)ipoib_service_parse(cpu_to_be64(0x1000000000abcdefull),
						 &qpn));
	KUNIT_EXPECT_EQ(test, qpn, 0xabcdef);
	KUNIT_EXPECT_EQ(test, (int)IPOIB_SERVICE_NONE,
			(int)ipoib_service_parse(cpu_to_be64(0x0100000001000048ull),
						 &qpn));
	KUNIT_EXPECT_EQ(test, (int)IPOIB_SERVICE_NONE,
			(int)ipoib_service_parse(cpu_to_be64(0x48), &qpn));
}

/* RFC 4755 section 6: a reserved octet, the QPN, the receive MTU. */
static void private_data_is_qpn_and_mtu(struct kunit *test)
{
	static const u8 wire[] = { 0, 0x12, 0x34, 0x56, 0, 0, 0xff, 0xf4 };
	struct ipoib_cm_private data;

	KUNIT_EXPECT_EQ(test, ipoib_cm_pack(&data, 0xff123456, 65524, false), sizeof(wire));
	KUNIT_EXPECT_EQ(test, memcmp(&data, wire, sizeof(wire)), 0);
}

/* Who offers nothing beyond the RFC sends what the RFC says, to the octet. */
static void more_follows_what_the_rfc_knows(struct kunit *test)
{
	static const u8 wire[] = {
		0, 0x12, 0x34, 0x56, 0, 0, 0xff, 0xf4, 'I', 'P', 'o', 'I', 0, 0, 0, 1,
	};
	struct ipoib_cm_private data;

	KUNIT_EXPECT_EQ(test, ipoib_cm_pack(&data, 0x123456, 65524, true), sizeof(wire));
	KUNIT_EXPECT_EQ(test, memcmp(&data, wire, sizeof(wire)), 0);
}

static bool leaves_sums(u32 more, u32 can, unsigned int len)
{
	struct ipoib_cm_private data;
	struct ipoib_cm_peer peer = {};

	ipoib_cm_pack(&data, 0x48, 2048, true);
	data.more = cpu_to_be32(more);
	data.can = cpu_to_be32(can);
	return ipoib_cm_unpack(&data, len, &peer) && peer.link_sums;
}

static void more_is_read_where_it_is_meant(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, leaves_sums(IPOIB_CM_MORE, 1, 16));
	KUNIT_EXPECT_TRUE(test, leaves_sums(IPOIB_CM_MORE, 0xffffffff, 16));
	KUNIT_EXPECT_FALSE(test, leaves_sums(IPOIB_CM_MORE, 2, 16));
	KUNIT_EXPECT_FALSE(test, leaves_sums(IPOIB_CM_MORE, 1, 15));
	KUNIT_EXPECT_FALSE(test, leaves_sums(IPOIB_CM_MORE, 1, 8));
	KUNIT_EXPECT_FALSE(test, leaves_sums(IPOIB_CM_MORE + 1, 1, 16));
	KUNIT_EXPECT_FALSE(test, leaves_sums(0, 0, 16));
}

static void private_data_may_be_padded(struct kunit *test)
{
	static const u8 wire[92] = { 0xaa, 0, 0, 0x48, 0, 0, 8, 0 };
	struct ipoib_cm_peer peer;

	KUNIT_EXPECT_TRUE(test, ipoib_cm_unpack(wire, sizeof(wire), &peer));
	KUNIT_EXPECT_EQ(test, peer.qpn, 0x48);
	KUNIT_EXPECT_EQ(test, peer.mtu, 2048);
}

static bool accepted(u32 qpn, u32 mtu, unsigned int len)
{
	struct ipoib_cm_private data;
	struct ipoib_cm_peer peer;

	ipoib_cm_pack(&data, qpn, mtu, false);
	return ipoib_cm_unpack(&data, len, &peer);
}

static void garbage_is_refused(struct kunit *test)
{
	struct ipoib_cm_peer peer;

	KUNIT_EXPECT_FALSE(test, ipoib_cm_unpack(NULL, 8, &peer));
	KUNIT_EXPECT_FALSE(test, accepted(0x48, 2048, 7));
	KUNIT_EXPECT_FALSE(test, accepted(0, 2048, 8));
	KUNIT_EXPECT_FALSE(test, accepted(1, 2048, 8));
	KUNIT_EXPECT_FALSE(test, accepted(0xffffff, 2048, 8));
	KUNIT_EXPECT_FALSE(test, accepted(0x48, 0, 8));
	KUNIT_EXPECT_FALSE(test, accepted(0x48, 68 + 3, 8));
	KUNIT_EXPECT_TRUE(test, accepted(0x48, 68 + 4, 8));
	KUNIT_EXPECT_TRUE(test, accepted(2, U32_MAX, 8));
}

static struct ipoib_hwaddr address(u8 flags, u32 qpn, u32 low)
{
	struct ipoib_hwaddr addr = {
		.flags_qpn = cpu_to_be32((u32)flags << 24 | qpn),
		.gid = { cpu_to_be32(0xfe800000), 0, 0, cpu_to_be32(low) },
	};

	return addr;
}

/* RFC 4755 section 3.3 */
static void of_crossing_requests_one_stands(struct kunit *test)
{
	struct ipoib_hwaddr a = address(0xc0, 0x48, 1);
	struct ipoib_hwaddr b = address(0x80, 0x48, 2);
	struct ipoib_hwaddr c = address(0, 0x49, 1);

	KUNIT_EXPECT_TRUE(test, ipoib_cm_yields(&a, &b));
	KUNIT_EXPECT_FALSE(test, ipoib_cm_yields(&b, &a));
	/* The QPN comes before the GID, flags do not count. */
	KUNIT_EXPECT_TRUE(test, ipoib_cm_yields(&b, &c));
	KUNIT_EXPECT_FALSE(test, ipoib_cm_yields(&c, &b));
	KUNIT_EXPECT_FALSE(test, ipoib_cm_yields(&a, &a));
}

/* RFC 4755 section 5.1 */
static void the_smaller_end_decides_on_the_mtu(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ipoib_cm_mtu(65524, 65524), 65520);
	KUNIT_EXPECT_EQ(test, ipoib_cm_mtu(65524, 2048), 2044);
	KUNIT_EXPECT_EQ(test, ipoib_cm_mtu(4096, U32_MAX), 4092);
}

static struct kunit_case ipoib_conn_wire_cases[] = {
	KUNIT_CASE(a_service_id_has_type_and_qpn),
	KUNIT_CASE(a_service_id_is_taken_apart),
	KUNIT_CASE(private_data_is_qpn_and_mtu),
	KUNIT_CASE(more_follows_what_the_rfc_knows),
	KUNIT_CASE(more_is_read_where_it_is_meant),
	KUNIT_CASE(private_data_may_be_padded),
	KUNIT_CASE(garbage_is_refused),
	KUNIT_CASE(of_crossing_requests_one_stands),
	KUNIT_CASE(the_smaller_end_decides_on_the_mtu),
	{}
};

static struct kunit_suite ipoib_conn_wire_suite = {
	.name = "ipoib_conn_wire",
	.test_cases = ipoib_conn_wire_cases,
};

kunit_test_suite(ipoib_conn_wire_suite);

MODULE_DESCRIPTION("Tests of what connection requests carry");
MODULE_LICENSE("GPL");
