// SPDX-License-Identifier: GPL-2.0
#include "addr.h"

#include <linux/cache.h>

/* For ipoib_hwaddr_hash(). ipoib_init() makes them others, which nobody knows. */
u64 ipoib_hwaddr_factors[5] __ro_after_init = {
	0xb588e4d1d76f9e1b,
	0x9d0f9ea4375d9e87,
	0xfc839d1df50d69e9,
	0x36024dafa115d537,
	0xca68d6c47e08a363,
};

/**
 * ipoib_hwaddr_set - build a link-layer address
 * @addr: address to fill in
 * @flags: connected mode flags, RFC 4755 section 3.1
 * @qpn: QPN of the UD QP; only 24 bits are used
 * @gid: GID of the port, or an MGID with @qpn IB_MULTICAST_QPN
 *
 * Context: Any.
 */
void ipoib_hwaddr_set(struct ipoib_hwaddr *addr, u8 flags, u32 qpn,
		      const union ib_gid *gid)
{
	addr->flags_qpn = cpu_to_be32((u32)flags << 24 |
				      (qpn & IPOIB_QPN_MASK));
	memcpy(addr->gid, gid->raw, sizeof(addr->gid));
}

/**
 * ipoib_hwaddr_is_unicast - can a UD packet be sent to this address
 * @addr: address out of a neighbour entry, so any value that a peer may invent
 *
 * QPN 0 and 1 belong to management, 0xffffff means multicast (IBTA 3.5.3 and 10.5.2). This
 * function is the one place that refuses unicast addresses with one of them.
 *
 * Return: true if the QPN can be that of a UD QP, and the GID is no multicast GID and has an
 * interface ID.
 * Context: Any.
 */
bool ipoib_hwaddr_is_unicast(const struct ipoib_hwaddr *addr)
{
	u32 qpn = ipoib_hwaddr_qpn(addr);

	if (qpn < 2 || qpn == IB_MULTICAST_QPN)
		return false;

	return !ipoib_hwaddr_is_mcast(addr) && (addr->gid[2] | addr->gid[3]);
}

/* RFC 4391 section 4: IPoIB groups are transient, that is, the T flag of their MGID is set. */
#define MGID_TRANSIENT	0x10

static void mgid_fill(union ib_gid *gid, u8 scope, u16 signature, u16 pkey)
{
	struct ipoib_mgid *mgid = (struct ipoib_mgid *)gid->raw;

	memset(mgid, 0, sizeof(*mgid));
	mgid->prefix = 0xff;
	mgid->flags_scope = MGID_TRANSIENT | (scope & 0xf);
	mgid->signature = cpu_to_be16(signature);
	mgid->pkey = cpu_to_be16(pkey | IPOIB_PKEY_FULL);
}

/**
 * ipoib_mgid_broadcast - make the MGID of a link's broadcast group
 * @mgid: MGID to fill in
 * @scope: scope of the link, IPOIB_SCOPE_LINK if it is not known
 * @pkey: P_Key of the link; the membership bit is added
 *
 * RFC 4391 section 4: the broadcast MGID contains all 32 bits of 255.255.255.255, whereas
 * that of an IPv4 group contains 28 bits of the group address.
 */
void ipoib_mgid_broadcast(union ib_gid *mgid, u8 scope, u16 pkey)
{
	mgid_fill(mgid, scope, IPOIB_MGID_IPV4, pkey);
	memset(mgid->raw + 12, 0xff, 4);
}

/**
 * ipoib_mgid_ipv6 - make the MGID of an IPv6 group
 * @mgid: MGID to fill in
 * @scope: scope of the link, which need not be that of @group
 * @pkey: P_Key of the link; the membership bit is added
 * @group: group address, ff00::/8
 *
 * RFC 4391 section 4: the MGID contains the low 80 bits of @group.
 */
void ipoib_mgid_ipv6(union ib_gid *mgid, u8 scope, u16 pkey,
		     const struct in6_addr *group)
{
	mgid_fill(mgid, scope, IPOIB_MGID_IPV6, pkey);
	memcpy(mgid->raw + 6, group->s6_addr + 6, 10);
}

/**
 * ipoib_mgid_scope - get the scope of a group
 * @mgid: an MGID
 *
 * Return: the four scope bits.
 */
u8 ipoib_mgid_scope(const union ib_gid *mgid)
{
	return mgid->raw[1] & 0xf;
}

/**
 * ipoib_mgid_pkey - get the P_Key of a group
 * @mgid: MGID of an IPoIB group
 *
 * Return: the P_Key in @mgid, with its membership bit as it is there.
 */
u16 ipoib_mgid_pkey(const union ib_gid *mgid)
{
	const struct ipoib_mgid *m = (const struct ipoib_mgid *)mgid->raw;

	return be16_to_cpu(m->pkey);
}

/**
 * ipoib_mgid_is_broadcast - is this the broadcast group of a link
 * @mgid: any 16 octets, from a user perhaps
 * @pkey: P_Key of the link; the membership bit is added
 *
 * Return: true for a well-formed broadcast MGID of @pkey with any scope.
 */
bool ipoib_mgid_is_broadcast(const union ib_gid *mgid, u16 pkey)
{
	union ib_gid want;

	ipoib_mgid_broadcast(&want, ipoib_mgid_scope(mgid), pkey);
	return !memcmp(&want, mgid, sizeof(want));
}

/**
 * ipoib_mgid_on_link - does a group belong to a link
 * @mgid: MGID out of a packet or a multicast list
 * @broadcast: MGID of the link's broadcast group
 *
 * A link is a partition and a scope (RFC 4391 section 4). Bonding, and multicast lists from
 * before the link changed, may give the device groups of another link.
 *
 * Return: true if prefix, flags, scope and P_Key are the link's, and the
 * signature is that of IPv4 or IPv6.
 */
bool ipoib_mgid_on_link(const union ib_gid *mgid,
			const union ib_gid *broadcast)
{
	const struct ipoib_mgid *a = (const struct ipoib_mgid *)mgid->raw;
	const struct ipoib_mgid *b = (const struct ipoib_mgid *)broadcast->raw;

	return a->prefix == b->prefix && a->flags_scope == b->flags_scope &&
	       a->pkey == b->pkey &&
	       (a->signature == cpu_to_be16(IPOIB_MGID_IPV4) ||
		a->signature == cpu_to_be16(IPOIB_MGID_IPV6));
}

/**
 * ipoib_mgid_to_link - give an MGID the scope and the P_Key of a link
 * @mgid: MGID that the stack made; it may have another scope or P_Key if the stack made it
 *	before the link changed, or for a bond
 * @broadcast: MGID of the link's broadcast group
 *
 * RFC 4391 section 4: all groups of a link have its P_Key and its scope.
 *
 * Return: false if @mgid is not the MGID of an IPoIB group; @mgid is unchanged then.
 */
bool ipoib_mgid_to_link(union ib_gid *mgid, const union ib_gid *broadcast)
{
	struct ipoib_mgid *a = (struct ipoib_mgid *)mgid->raw;
	const struct ipoib_mgid *b = (const struct ipoib_mgid *)broadcast->raw;

	if (a->prefix != b->prefix ||
	    (a->signature != cpu_to_be16(IPOIB_MGID_IPV4) &&
	     a->signature != cpu_to_be16(IPOIB_MGID_IPV6)))
		return false;

	a->flags_scope = b->flags_scope;
	a->pkey = b->pkey;
	return true;
}

/**
 * ipoib_mgid_all_routers - make the MGID of the all-routers group of a link
 * @routers: MGID to fill in
 * @mgid: MGID of any group of the link
 *
 * The group is that of 224.0.0.2 if @mgid is an IPv4 group, of ff02::2 if it is an IPv6 group.
 */
void ipoib_mgid_all_routers(union ib_gid *routers, const union ib_gid *mgid)
{
	*routers = *mgid;
	memset(routers->raw + 6, 0, 10);
	routers->raw[15] = 2;
}
