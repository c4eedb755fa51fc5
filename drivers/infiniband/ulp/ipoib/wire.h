/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Formats that IPoIB nodes exchange: RFC 4391 (IP over InfiniBand) and
 * RFC 4755 (connected mode), and numbers that the subnet administrator (SA) reports by.
 */
#ifndef _IPOIB_WIRE_H
#define _IPOIB_WIRE_H

#include <asm/byteorder.h>
#include <linux/build_bug.h>
#include <linux/if_ether.h>
#include <linux/if_infiniband.h>
#include <linux/types.h>

enum {
	/* IBTA: the first 40 octets of a UD receive buffer are reserved for a GRH. */
	IPOIB_GRH_LEN		= 40,
	/* RFC 4391 section 6: EtherType and 16 reserved bits. */
	IPOIB_HDR_LEN		= 4,
	/* Header that Linux puts before a packet of an ARPHRD_INFINIBAND device. */
	IPOIB_HARD_LEN		= INFINIBAND_ALEN + IPOIB_HDR_LEN,
	/* RFC 2460 section 5: the smallest link MTU that IPv6 can use. */
	IPOIB_IPV6_MIN_MTU	= 1280,
	/* RFC 791: every IPv4 node forwards 68 octets without fragmenting them. */
	IPOIB_MIN_MTU		= 68,
	/* Largest payload of a packet: of InfiniBand by the IBTA, and of Omni-Path. */
	IPOIB_MTU_IB		= 4096,
	IPOIB_MTU_OPA		= 10240,
	/*
	 * Largest payload that is sent: an HCA of Omni-Path keeps the MTU of an address as a power
	 * of two, and refuses a datagram that is longer than that.
	 */
	IPOIB_MTU_SENT		= 8192,
	IPOIB_UD_MAX_MTU	= IPOIB_MTU_IB - IPOIB_HDR_LEN,
};

#define IPOIB_QPN_MASK		0xffffffu

/* IBTA 3.5.3: a Q_Key with this bit is a controlled one, which takes a privilege to send with. */
#define IPOIB_QKEY_CONTROLLED	0x80000000u

/* Full membership bit of a P_Key, which RFC 4391 section 4 requires for a link. */
#define IPOIB_PKEY_FULL		0x8000u

/* RFC 4391 section 4: the signature octets of an MGID. */
#define IPOIB_MGID_IPV4		0x401bu
#define IPOIB_MGID_IPV6		0x601bu

/* Scopes of RFC 2373 section 2.7, which RFC 4391 section 4 uses. */
#define IPOIB_SCOPE_LINK	0x2u
#define IPOIB_SCOPE_SITE	0x5u
#define IPOIB_SCOPE_ORG		0x8u
#define IPOIB_SCOPE_GLOBAL	0xeu

/*
 * Link-layer address, RFC 4391 section 9.1.1: the first octet holds the
 * connected mode flags of RFC 4755 section 3.1, then 24 bits of QPN, then the
 * GID. The GID is an array of words and not a union ib_gid, because in a packet it is aligned
 * to four octets only.
 */
struct ipoib_hwaddr {
	__be32 flags_qpn;
	__be32 gid[4];
};

/* Octets of a GUID, by which the GID of a port ends. */
#define IPOIB_GUID_LEN		8

/* RFC 4391 section 6; the sender zeroes @reserved, the receiver ignores it. */
struct ipoib_hdr {
	__be16 proto;
	__be16 reserved;
};

/* Header that dev_hard_header() builds. Only @hdr is sent. */
struct ipoib_hard_hdr {
	struct ipoib_hwaddr daddr;
	struct ipoib_hdr hdr;
};

/* Multicast GID, RFC 4391 section 4. */
struct ipoib_mgid {
	u8 prefix;
	u8 flags_scope;
	__be16 signature;
	__be16 pkey;
	u8 group[10];
};

static_assert(sizeof(struct ipoib_hwaddr) == INFINIBAND_ALEN);
static_assert(sizeof(struct ipoib_hdr) == IPOIB_HDR_LEN);
static_assert(sizeof(struct ipoib_hard_hdr) == IPOIB_HARD_LEN);
static_assert(sizeof(struct ipoib_mgid) == 16);

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

/**
 * enum ipoib_sa_trap - a generic trap of the subnet manager, IBTA 14.2.5.1
 * @IPOIB_SA_GID_IN: the port with the reported GID can be reached now
 * @IPOIB_SA_GID_OUT: the port with the reported GID cannot be reached any more
 * @IPOIB_SA_GROUP_CREATED: the group with the reported MGID exists now
 * @IPOIB_SA_GROUP_DELETED: the group with the reported MGID does not exist any more
 */
enum ipoib_sa_trap {
	IPOIB_SA_GID_IN		= 64,
	IPOIB_SA_GID_OUT	= 65,
	IPOIB_SA_GROUP_CREATED	= 66,
	IPOIB_SA_GROUP_DELETED	= 67,
};

#define IPOIB_SA_TRAP_FIRST	IPOIB_SA_GID_IN
#define IPOIB_SA_TRAP_LAST	IPOIB_SA_GROUP_DELETED
#define IPOIB_SA_TRAPS		(IPOIB_SA_TRAP_LAST - IPOIB_SA_TRAP_FIRST + 1)

#endif /* _IPOIB_WIRE_H */
