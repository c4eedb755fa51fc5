// SPDX-License-Identifier: GPL-2.0
#include "csum.h"

#include <asm/byteorder.h>
#include <linux/if_ether.h>
#include <linux/in.h>

#define IPV4_MIN	20
#define IPV6_LEN	40

/* MF and the fragment offset, RFC 791 section 3.1: not DF. */
#define IPV4_FRAGMENT	0x3fff

/* Where TCP and UDP have their checksums (RFC 9293 section 3.1, RFC 768). */
static unsigned int field_of(u8 protocol)
{
	switch (protocol) {
	case IPPROTO_TCP:
		return 16;
	case IPPROTO_UDP:
		return 6;
	default:
		return 0;
	}
}

/*
 * behind_ip() returns the protocol behind the IP header, and where that begins; 0 if it is only a
 * part.
 */
static u8 behind_ip(__be16 proto, const u8 *ip, unsigned int len, unsigned int *start)
{
	if (proto == cpu_to_be16(ETH_P_IP) && len >= IPV4_MIN && ip[0] >> 4 == 4) {
		*start = (ip[0] & 0xf) * 4;
		return ((ip[6] << 8 | ip[7]) & IPV4_FRAGMENT) || *start < IPV4_MIN ? 0 : ip[9];
	}
	if (proto == cpu_to_be16(ETH_P_IPV6) && len >= IPV6_LEN && ip[0] >> 4 == 6) {
		*start = IPV6_LEN;
		return ip[6];
	}
	return 0;
}

/**
 * ipoib_csum_find - where TCP or UDP that follow an IP header at once have their checksum
 * @proto: EtherType of the packet
 * @ip: the packet from its IP header on, aligned or not
 * @len: octets of it that may be read
 * @start: result: where TCP or UDP begin, from @ip, if there is a checksum
 *
 * Not found are those behind extension headers of IPv6, in fragments, and inside of tunnels.
 *
 * Return: where the checksum is, from @start, in reach of @len; 0 if there is none.
 * Context: Any.
 */
unsigned int ipoib_csum_find(__be16 proto, const u8 *ip, unsigned int len, unsigned int *start)
{
	unsigned int offset = field_of(behind_ip(proto, ip, len, start));

	return offset && *start + offset + sizeof(u16) <= len ? offset : 0;
}
