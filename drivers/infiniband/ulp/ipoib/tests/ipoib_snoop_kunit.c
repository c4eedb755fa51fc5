// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/prandom.h>

#include "../snoop.c"

#define RANDOM_TRIES	20000

/* Where the pieces of a packet stand, octets; RFC 4391 sections 6 and 9. */
enum {
	AT_PROTO	= 0,
	AT_PACKET	= 4,
	AT_ARP_SENDER	= AT_PACKET + 8,
	AT_NEXTHDR	= AT_PACKET + 6,
	AT_ND_TYPE	= AT_PACKET + 40,
	AT_ND_OPTIONS	= AT_PACKET + 40 + 24,
	ND_OPTION_LEN	= 24,
};

static const u8 address[INFINIBAND_ALEN] = {
	0x00, 0x12, 0x34, 0x56, 0xfe, 0x80, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x50, 0x54, 0x00, 0xff, 0xfe, 0x12, 0x34, 0x57,
};

struct packet {
	u8 data[IPOIB_SNOOP_LEN];
	unsigned int len;
} __aligned(4);

static void arp(struct packet *packet)
{
	static const u8 head[] = {
		0x08, 0x06, 0, 0,			/* encapsulation */
		0x00, 0x20, 0x08, 0x00, 20, 4, 0, 1,	/* request for IPv4 */
	};

	memset(packet, 0xa5, sizeof(*packet));
	memcpy(packet->data, head, sizeof(head));
	memcpy(packet->data + AT_ARP_SENDER, address, sizeof(address));
	packet->len = AT_PACKET + 8 + 2 * (20 + 4);
}

static void nd(struct packet *packet, u8 type, u8 option)
{
	u8 *at = packet->data + AT_ND_OPTIONS;

	memset(packet, 0, sizeof(*packet));
	packet->data[AT_PROTO] = 0x86;
	packet->data[AT_PROTO + 1] = 0xdd;
	packet->data[AT_PACKET] = 0x60;
	packet->data[AT_NEXTHDR] = IPPROTO_ICMPV6;
	packet->data[AT_ND_TYPE] = type;
	at[0] = option;
	at[1] = 3;
	memcpy(at + 4, address, sizeof(address));
	packet->len = AT_ND_OPTIONS + ND_OPTION_LEN;
}

static bool tells(const struct packet *packet)
{
	struct ipoib_hwaddr addr = {};

	return ipoib_snoop_sender(packet->data, packet->len, &addr) &&
	       !memcmp(&addr, address, sizeof(address));
}

static bool is_silent(const struct packet *packet)
{
	struct ipoib_hwaddr addr;

	return !ipoib_snoop_sender(packet->data, packet->len, &addr);
}

static void arp_names_its_sender(struct kunit *test)
{
	struct packet packet;

	arp(&packet);
	KUNIT_EXPECT_TRUE(test, tells(&packet));
}

/* Whom it is for does not matter here. */
static void arp_may_end_behind_its_sender(struct kunit *test)
{
	struct packet packet;

	arp(&packet);
	packet.len = AT_ARP_SENDER + 20;
	KUNIT_EXPECT_TRUE(test, tells(&packet));
}

static void arp_of_another_link_type_does_not(struct kunit *test)
{
	struct packet packet;

	arp(&packet);
	packet.data[AT_PACKET + 1] = 1;		/* Ethernet */
	KUNIT_EXPECT_TRUE(test, is_silent(&packet));

	arp(&packet);
	packet.data[AT_PACKET + 4] = 6;		/* length of an address */
	KUNIT_EXPECT_TRUE(test, is_silent(&packet));
}

static void solicitation_names_its_source(struct kunit *test)
{
	struct packet packet;

	nd(&packet, 135, 1);
	KUNIT_EXPECT_TRUE(test, tells(&packet));
	nd(&packet, 135, 2);
	KUNIT_EXPECT_TRUE(test, is_silent(&packet));
}

static void advertisement_names_its_target(struct kunit *test)
{
	struct packet packet;

	nd(&packet, 136, 2);
	KUNIT_EXPECT_TRUE(test, tells(&packet));
	nd(&packet, 136, 1);
	KUNIT_EXPECT_TRUE(test, is_silent(&packet));
}

static void other_options_are_passed_over(struct kunit *test)
{
	struct packet packet;
	u8 *at = packet.data + AT_ND_OPTIONS;

	nd(&packet, 136, 2);
	memmove(at + 8, at, ND_OPTION_LEN);
	at[0] = 14;				/* a nonce, RFC 3971 */
	at[1] = 1;
	packet.len += 8;
	KUNIT_EXPECT_TRUE(test, tells(&packet));
}

/* RFC 4861 section 4.6: such a packet is to be discarded. */
static void option_without_length_ends_the_search(struct kunit *test)
{
	struct packet packet;

	nd(&packet, 136, 2);
	packet.data[AT_ND_OPTIONS + 1] = 0;
	KUNIT_EXPECT_TRUE(test, is_silent(&packet));
}

static void other_packets_name_nobody(struct kunit *test)
{
	struct packet packet;

	nd(&packet, 128, 1);			/* echo request */
	KUNIT_EXPECT_TRUE(test, is_silent(&packet));

	nd(&packet, 135, 1);
	packet.data[AT_NEXTHDR] = IPPROTO_UDP;
	KUNIT_EXPECT_TRUE(test, is_silent(&packet));

	nd(&packet, 135, 1);
	packet.data[AT_PROTO] = 0x08;		/* IPv4 */
	packet.data[AT_PROTO + 1] = 0x00;
	KUNIT_EXPECT_TRUE(test, is_silent(&packet));
}

static void truncated_packets_name_nobody(struct kunit *test)
{
	struct packet packet;
	unsigned int whole;

	arp(&packet);
	for (packet.len = 0; packet.len < AT_ARP_SENDER + 20; packet.len++)
		KUNIT_EXPECT_TRUE(test, is_silent(&packet));

	nd(&packet, 135, 1);
	whole = packet.len;
	for (packet.len = 0; packet.len < whole; packet.len++)
		KUNIT_EXPECT_TRUE(test, is_silent(&packet));
}

/* KASAN, or the end of the memory, would tell. */
static void nonsense_is_read_no_further_than_its_end(struct kunit *test)
{
	struct rnd_state random;
	int i;

	prandom_seed_state(&random, 4861);
	for (i = 0; i < RANDOM_TRIES; i++) {
		unsigned int len = prandom_u32_state(&random) %
				   (IPOIB_SNOOP_LEN + 1);
		struct ipoib_hwaddr addr;
		struct packet packet;
		u8 *exact;

		nd(&packet, 135 + i % 2, 1 + i % 3);
		prandom_bytes_state(&random, packet.data + AT_ND_OPTIONS,
				    sizeof(packet.data) - AT_ND_OPTIONS);
		exact = kunit_kmalloc(test, len ?: 1, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, exact);
		memcpy(exact, packet.data, len);
		ipoib_snoop_sender(exact, len, &addr);
		kunit_kfree(test, exact);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(arp_names_its_sender),
	KUNIT_CASE(arp_may_end_behind_its_sender),
	KUNIT_CASE(arp_of_another_link_type_does_not),
	KUNIT_CASE(solicitation_names_its_source),
	KUNIT_CASE(advertisement_names_its_target),
	KUNIT_CASE(other_options_are_passed_over),
	KUNIT_CASE(option_without_length_ends_the_search),
	KUNIT_CASE(other_packets_name_nobody),
	KUNIT_CASE(truncated_packets_name_nobody),
	KUNIT_CASE(nonsense_is_read_no_further_than_its_end),
	{}
};

static struct kunit_suite suite = {
	.name = "ipoib_snoop",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("Tests of who sent an IPoIB packet");
MODULE_LICENSE("GPL");
