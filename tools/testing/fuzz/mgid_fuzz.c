// SPDX-License-Identifier: GPL-2.0
/*
 * Multicast GIDs. Input: an MGID and that of a link's broadcast group, of anybody; scope,
 * P_Key and a group of IPv4 and of IPv6, of the stack.
 */
#include "fuzz.h"

#include "addr.c"

static bool same(const union ib_gid *a, const union ib_gid *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* Any group and any link. */
static void moves_to_link(const union ib_gid *mgid, const union ib_gid *broadcast)
{
	union ib_gid moved = *mgid, again;

	if (!ipoib_mgid_to_link(&moved, broadcast)) {
		expect(same(&moved, mgid));
		expect(!ipoib_mgid_on_link(mgid, broadcast));
		return;
	}
	expect(ipoib_mgid_on_link(&moved, broadcast));
	expect(ipoib_mgid_on_link(mgid, broadcast) == same(&moved, mgid));
	expect(!memcmp(moved.raw + 6, mgid->raw + 6, 10));
	expect(ipoib_mgid_pkey(&moved) == ipoib_mgid_pkey(broadcast));
	expect(ipoib_mgid_scope(&moved) == ipoib_mgid_scope(broadcast));
	again = moved;
	expect(ipoib_mgid_to_link(&again, broadcast) && same(&again, &moved));
}

static void has_routers(const union ib_gid *mgid, const union ib_gid *broadcast)
{
	union ib_gid routers, again;

	ipoib_mgid_all_routers(&routers, mgid);
	expect(!memcmp(&routers, mgid, 6));
	expect(ipoib_mgid_on_link(&routers, broadcast) == ipoib_mgid_on_link(mgid, broadcast));
	ipoib_mgid_all_routers(&again, &routers);
	expect(same(&again, &routers));
}

/* One of the link. */
static void is_of_link(const union ib_gid *mgid, u8 scope, u16 pkey)
{
	union ib_gid broadcast;

	ipoib_mgid_broadcast(&broadcast, scope, pkey);
	expect(ipoib_mgid_is_broadcast(&broadcast, pkey));
	expect(ipoib_mgid_on_link(mgid, &broadcast));
	expect(ipoib_mgid_pkey(mgid) == (pkey | 0x8000));
	expect(ipoib_mgid_scope(mgid) == (scope & 0xf));
	expect(!ipoib_mgid_is_broadcast(mgid, pkey));
	has_routers(mgid, &broadcast);
}

int fuzz_one(const u8 *data, size_t len)
{
	union ib_gid mgid, broadcast;
	struct in6_addr ipv6;
	__be32 ipv4, low;
	__be16 pkey;
	u8 scope;

	take(&data, &len, &mgid, sizeof(mgid));
	take(&data, &len, &broadcast, sizeof(broadcast));
	take(&data, &len, &scope, sizeof(scope));
	take(&data, &len, &pkey, sizeof(pkey));
	take(&data, &len, &ipv4, sizeof(ipv4));
	take(&data, &len, &ipv6, sizeof(ipv6));

	moves_to_link(&mgid, &broadcast);
	has_routers(&mgid, &broadcast);
	if (ipoib_mgid_is_broadcast(&mgid, be16_to_cpu(pkey)))
		expect(ipoib_mgid_on_link(&mgid, &mgid));

	/* The stack makes these, from the broadcast address of the link. */
	ipoib_mgid_broadcast(&mgid, scope, be16_to_cpu(pkey));
	low = ipv4 & cpu_to_be32(0x0fffffff);
	memcpy(mgid.raw + 12, &low, sizeof(low));
	is_of_link(&mgid, scope, be16_to_cpu(pkey));

	ipoib_mgid_ipv6(&mgid, scope, be16_to_cpu(pkey), &ipv6);
	is_of_link(&mgid, scope, be16_to_cpu(pkey));
	expect(!memcmp(mgid.raw + 6, ipv6.s6_addr + 6, 10));
	return 0;
}
