// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>

#include "../csum.c"

#define LEN	100

/* Returns where the checksum is, from the IP header on, or 0. */
static unsigned int found(u16 proto, const u8 *ip, unsigned int len)
{
	unsigned int start = 0, offset;

	offset = ipoib_csum_find(cpu_to_be16(proto), ip, len, &start);
	return offset ? start + offset : 0;
}

static void behind_ipv4(struct kunit *test)
{
	u8 ip[LEN] = { 0x45, [9] = IPPROTO_TCP };

	KUNIT_EXPECT_EQ(test, found(ETH_P_IP, ip, LEN), 36);
	ip[9] = IPPROTO_UDP;
	KUNIT_EXPECT_EQ(test, found(ETH_P_IP, ip, LEN), 26);
	ip[0] = 0x4f;
	KUNIT_EXPECT_EQ(test, found(ETH_P_IP, ip, LEN), 66);
	ip[9] = IPPROTO_ICMP;
	KUNIT_EXPECT_EQ(test, found(ETH_P_IP, ip, LEN), 0);
}

static void behind_ipv6(struct kunit *test)
{
	u8 ip[LEN] = { 0x60, [6] = IPPROTO_TCP };

	KUNIT_EXPECT_EQ(test, found(ETH_P_IPV6, ip, LEN), 56);
	ip[6] = IPPROTO_UDP;
	KUNIT_EXPECT_EQ(test, found(ETH_P_IPV6, ip, LEN), 46);
	ip[6] = IPPROTO_HOPOPTS;
	KUNIT_EXPECT_EQ(test, found(ETH_P_IPV6, ip, LEN), 0);
}

static void not_in_a_fragment(struct kunit *test)
{
	u8 ip[LEN] = { 0x45, [6] = 0x20, [9] = IPPROTO_UDP };

	KUNIT_EXPECT_EQ(test, found(ETH_P_IP, ip, LEN), 0);
	ip[6] = 0;
	ip[7] = 1;
	KUNIT_EXPECT_EQ(test, found(ETH_P_IP, ip, LEN), 0);
	/* DF */
	ip[6] = 0x40;
	ip[7] = 0;
	KUNIT_EXPECT_EQ(test, found(ETH_P_IP, ip, LEN), 26);
}

static void not_in_what_is_no_ip(struct kunit *test)
{
	u8 ip[LEN] = { 0x45, [6] = IPPROTO_TCP, [9] = IPPROTO_TCP };

	KUNIT_EXPECT_EQ(test, found(ETH_P_ARP, ip, LEN), 0);
	KUNIT_EXPECT_EQ(test, found(ETH_P_IPV6, ip, LEN), 0);
	ip[0] = 0x65;
	ip[6] = 0;
	KUNIT_EXPECT_EQ(test, found(ETH_P_IP, ip, LEN), 0);
	ip[0] = 0x44;
	KUNIT_EXPECT_EQ(test, found(ETH_P_IP, ip, LEN), 0);
}

/* KASAN sees what is read behind the end. */
static void not_out_of_reach(struct kunit *test)
{
	static const struct {
		u16 proto;
		u8 version;
		unsigned int protocol, at;
	} cases[] = {
		{ ETH_P_IP, 0x45, 9, 36 },
		{ ETH_P_IPV6, 0x60, 6, 56 },
	};
	unsigned int i, len;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const unsigned int enough = cases[i].at + 2;

		for (len = 0; len <= enough; len++) {
			u8 *ip = kunit_kzalloc(test, len, GFP_KERNEL);

			KUNIT_ASSERT_NOT_NULL(test, ip);
			if (len)
				ip[0] = cases[i].version;
			if (len > cases[i].protocol)
				ip[cases[i].protocol] = IPPROTO_TCP;
			if (len == enough)
				KUNIT_EXPECT_EQ(test, found(cases[i].proto, ip, len), cases[i].at);
			else
				KUNIT_EXPECT_EQ(test, found(cases[i].proto, ip, len), 0);
			kunit_kfree(test, ip);
		}
	}
}

static struct kunit_case ipoib_csum_cases[] = {
	KUNIT_CASE(behind_ipv4),
	KUNIT_CASE(behind_ipv6),
	KUNIT_CASE(not_in_a_fragment),
	KUNIT_CASE(not_in_what_is_no_ip),
	KUNIT_CASE(not_out_of_reach),
	{}
};

static struct kunit_suite ipoib_csum_suite = {
	.name = "ipoib_csum",
	.test_cases = ipoib_csum_cases,
};

kunit_test_suite(ipoib_csum_suite);

MODULE_DESCRIPTION("KUnit tests of ipoib: where a packet has its checksum");
MODULE_LICENSE("GPL");
