/* SPDX-License-Identifier: GPL-2.0 */
/* Multicast GIDs of an IPoIB link, RFC 4391 section 4. */
#ifndef _IPOIB_MGID_H
#define _IPOIB_MGID_H

#include <linux/in6.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

#include "wire.h"

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

#endif /* _IPOIB_MGID_H */
