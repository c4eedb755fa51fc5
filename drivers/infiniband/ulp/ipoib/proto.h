/* SPDX-License-Identifier: GPL-2.0 */
/* EtherTypes that may stand in an encapsulation header. */
#ifndef _IPOIB_PROTO_H
#define _IPOIB_PROTO_H

#include <linux/if_ether.h>
#include <linux/types.h>
#include <asm/byteorder.h>

/* RFC 4391 section 6 names IPv4, IPv6, ARP and RARP. TIPC is an addition of Linux. */
static inline bool ipoib_proto_known(__be16 proto)
{
	switch (proto) {
	case cpu_to_be16(ETH_P_IP):
	case cpu_to_be16(ETH_P_IPV6):
	case cpu_to_be16(ETH_P_ARP):
	case cpu_to_be16(ETH_P_RARP):
	case cpu_to_be16(ETH_P_TIPC):
		return true;
	default:
		return false;
	}
}

#endif /* _IPOIB_PROTO_H */
