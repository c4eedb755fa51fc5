// SPDX-License-Identifier: GPL-2.0
#include "hwaddr.h"

/**
 * ipoib_hwaddr_set - build a link-layer address
 * @addr: address to fill in
 * @flags: connected mode flags, RFC 4755 section 3.1
 * @qpn: QPN of the UD QP; only 24 bits are used
 * @gid: GID of the port, or an MGID with @qpn IPOIB_MCAST_QPN
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

	if (qpn < 2 || qpn == IPOIB_MCAST_QPN)
		return false;

	return !ipoib_hwaddr_is_mcast(addr) && (addr->gid[2] | addr->gid[3]);
}
