/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that build, take apart and compare link-layer addresses (RFC 4391 section 9.1.1) and
 * multicast GIDs of a link (section 4).
 */
#ifndef _IPOIB_ADDR_H
#define _IPOIB_ADDR_H

#include <asm/byteorder.h>
#include <linux/in6.h>
#include <linux/string.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

#include "wire.h"

void ipoib_hwaddr_set(struct ipoib_hwaddr *addr, u8 flags, u32 qpn,
		      const union ib_gid *gid);
bool ipoib_hwaddr_is_unicast(const struct ipoib_hwaddr *addr);

static inline u32 ipoib_hwaddr_qpn(const struct ipoib_hwaddr *addr)
{
	return be32_to_cpu(addr->flags_qpn) & IPOIB_QPN_MASK;
}

static inline u8 ipoib_hwaddr_flags(const struct ipoib_hwaddr *addr)
{
	return be32_to_cpu(addr->flags_qpn) >> 24;
}

static inline void ipoib_hwaddr_gid(const struct ipoib_hwaddr *addr,
				    union ib_gid *gid)
{
	memcpy(gid->raw, addr->gid, sizeof(gid->raw));
}

static inline bool ipoib_hwaddr_is_mcast(const struct ipoib_hwaddr *addr)
{
	return be32_to_cpu(addr->gid[0]) >> 24 == 0xff;
}

/* Is it the address of a group: an MGID, no flags, and the multicast QPN (IBTA 10.5.2)? */
static inline bool ipoib_hwaddr_is_group(const struct ipoib_hwaddr *addr)
{
	return ipoib_hwaddr_is_mcast(addr) &&
	       addr->flags_qpn == cpu_to_be32(IB_MULTICAST_QPN);
}

static inline bool ipoib_hwaddr_equal(const struct ipoib_hwaddr *a,
				      const struct ipoib_hwaddr *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* Are both addresses of one queue pair? In their flags they may differ. */
static inline bool ipoib_hwaddr_same_qp(const struct ipoib_hwaddr *a,
					const struct ipoib_hwaddr *b)
{
	return ipoib_hwaddr_qpn(a) == ipoib_hwaddr_qpn(b) &&
	       !memcmp(a->gid, b->gid, sizeof(a->gid));
}

extern u64 ipoib_hwaddr_factors[5];

/*
 * A sum of products with numbers that nobody knows, of which the upper half is used: as long as
 * that is so, a peer that chooses its address does not choose the hash bucket, too, for any two
 * addresses are in one bucket hardly more often than by chance. All of the address counts: an
 * attacker could fill one bucket with addresses that differ in what is left out. Another @seed
 * parts those that are in one bucket all the same: their sums differ below the upper half, and
 * the product brings that up. An odd number loses no bit of the sum.
 */
static inline u32 ipoib_hwaddr_hash(const struct ipoib_hwaddr *addr, u32 seed)
{
	const u64 *factor = ipoib_hwaddr_factors;

	u64 sum = (__force u32)addr->flags_qpn * factor[0] +
		  (__force u32)addr->gid[0] * factor[1] +
		  (__force u32)addr->gid[1] * factor[2] +
		  (__force u32)addr->gid[2] * factor[3] +
		  (__force u32)addr->gid[3] * factor[4];

	return sum * (2ull * seed + 1) >> 32;
}

/*
 * Like ipoib_hwaddr_hash(), of what tells the nodes of a subnet apart. Addresses of one node may
 * differ in their flags. The first bits of the sum would keep nodes together whose numbers follow
 * each other in even steps, so all bits are mixed.
 */
static inline u32 ipoib_hwaddr_spread(const struct ipoib_hwaddr *addr)
{
	const u64 *factor = ipoib_hwaddr_factors;

	u64 sum = ipoib_hwaddr_qpn(addr) * factor[0] +
		  (__force u32)addr->gid[2] * factor[3] +
		  (__force u32)addr->gid[3] * factor[4];

	sum ^= sum >> 29;
	return sum * (factor[1] | 1) >> 32;
}

void ipoib_mgid_broadcast(union ib_gid *mgid, u8 scope, u16 pkey);
void ipoib_mgid_ipv6(union ib_gid *mgid, u8 scope, u16 pkey,
		     const struct in6_addr *group);
bool ipoib_mgid_is_broadcast(const union ib_gid *mgid, u16 pkey);
bool ipoib_mgid_on_link(const union ib_gid *mgid,
			const union ib_gid *broadcast);
bool ipoib_mgid_to_link(union ib_gid *mgid, const union ib_gid *broadcast);
void ipoib_mgid_all_routers(union ib_gid *routers, const union ib_gid *mgid);
u16 ipoib_mgid_pkey(const union ib_gid *mgid);
u8 ipoib_mgid_scope(const union ib_gid *mgid);

#endif /* _IPOIB_ADDR_H */
