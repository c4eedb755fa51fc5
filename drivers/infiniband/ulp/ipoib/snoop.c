// SPDX-License-Identifier: GPL-2.0
#include "snoop.h"

#include <asm/byteorder.h>
#include <linux/icmpv6.h>
#include <linux/if_arp.h>
#include <linux/if_ether.h>
#include <linux/ipv6.h>
#include <linux/string.h>
#include <net/ndisc.h>

/*
 * Link-layer address option, RFC 4861 section 4.6.1 and RFC 4391 section 9.2: unit of its length
 * field in octets, its length in units, octets of padding before the address.
 */
#define ND_OPT_UNIT	8
#define ND_OPT_LEN	3
#define ND_OPT_PAD	2

/* ARP: RFC 826, with the lengths of RFC 4391 section 9.1. */
static bool arp_sender(const u8 *packet, unsigned int len,
		       struct ipoib_hwaddr *addr)
{
	const struct arphdr *arp = (const struct arphdr *)packet;

	if (len < sizeof(*arp) + sizeof(*addr) ||
	    arp->ar_hrd != cpu_to_be16(ARPHRD_INFINIBAND) ||
	    arp->ar_hln != sizeof(*addr))
		return false;

	memcpy(addr, packet + sizeof(*arp), sizeof(*addr));
	return true;
}

/*
 * nd_option() returns the option that holds the sender's address: the source in a neighbour
 * solicitation, the target in a neighbour advertisement; 0 for other types.
 */
static u8 nd_option(u8 type)
{
	switch (type) {
	case NDISC_NEIGHBOUR_SOLICITATION:
		return ND_OPT_SOURCE_LL_ADDR;
	case NDISC_NEIGHBOUR_ADVERTISEMENT:
		return ND_OPT_TARGET_LL_ADDR;
	default:
		return 0;
	}
}

static bool nd_sender(const u8 *packet, unsigned int len,
		      struct ipoib_hwaddr *addr)
{
	const struct ipv6hdr *ip = (const struct ipv6hdr *)packet;
	unsigned int at = sizeof(*ip) + sizeof(struct nd_msg);
	u8 want;

	if (len < at || ip->nexthdr != IPPROTO_ICMPV6)
		return false;

	want = nd_option(packet[sizeof(*ip)]);
	while (want && at + ND_OPT_LEN * ND_OPT_UNIT <= len && packet[at + 1]) {
		if (packet[at] == want && packet[at + 1] == ND_OPT_LEN) {
			memcpy(addr, packet + at + 2 + ND_OPT_PAD,
			       sizeof(*addr));
			return true;
		}
		at += packet[at + 1] * ND_OPT_UNIT;
	}
	return false;
}

/**
 * ipoib_snoop_sender - read the link-layer address of the sender out of a packet
 * @packet: packet from its encapsulation header on, aligned to four octets
 * @len: length of the packet, IPOIB_SNOOP_LEN if it is longer, octets
 * @addr: result
 *
 * The result is only a hint, because any node on the link can forge such a packet.
 *
 * Return: false if @packet is neither ARP nor neighbour discovery, or holds no address.
 */
bool ipoib_snoop_sender(const void *packet, unsigned int len,
			struct ipoib_hwaddr *addr)
{
	const struct ipoib_hdr *hdr = packet;

	if (len < sizeof(*hdr))
		return false;

	len -= sizeof(*hdr);
	switch (hdr->proto) {
	case cpu_to_be16(ETH_P_ARP):
		return arp_sender((const u8 *)(hdr + 1), len, addr);
	case cpu_to_be16(ETH_P_IPV6):
		return nd_sender((const u8 *)(hdr + 1), len, addr);
	default:
		return false;
	}
}
