// SPDX-License-Identifier: GPL-2.0
/* Link-layer addresses. Input: two of them. */
#include "fuzz.h"

#include "addr.c"
#include "conn_wire.c"

static void goes_round(const struct ipoib_hwaddr *addr)
{
	struct ipoib_hwaddr again;
	union ib_gid gid;

	ipoib_hwaddr_gid(addr, &gid);
	ipoib_hwaddr_set(&again, ipoib_hwaddr_flags(addr), ipoib_hwaddr_qpn(addr), &gid);
	expect(!memcmp(addr, &again, sizeof(again)));
}

static void is_of_one_kind(const struct ipoib_hwaddr *addr)
{
	u32 qpn = ipoib_hwaddr_qpn(addr);

	if (ipoib_hwaddr_is_group(addr))
		expect(ipoib_hwaddr_is_mcast(addr) && ipoib_hwaddr_flags(addr) == 0);
	if (ipoib_hwaddr_is_mcast(addr))
		expect(!ipoib_hwaddr_is_unicast(addr));
	if (ipoib_hwaddr_is_unicast(addr))
		expect(qpn > 1 && qpn < 0xffffff && (addr->gid[2] || addr->gid[3]));
}

/* Of two that differ in more than flags exactly one accepts. */
static void one_of_them_yields(const struct ipoib_hwaddr *a, const struct ipoib_hwaddr *b)
{
	bool same = !memcmp((const u8 *)a + 1, (const u8 *)b + 1, sizeof(*a) - 1);

	expect(ipoib_cm_yields(a, b) + ipoib_cm_yields(b, a) == !same);
}

int fuzz_one(const u8 *data, size_t len)
{
	struct ipoib_hwaddr a, b;

	take(&data, &len, &a, sizeof(a));
	take(&data, &len, &b, sizeof(b));
	goes_round(&a);
	is_of_one_kind(&a);
	one_of_them_yields(&a, &b);
	expect(ipoib_hwaddr_equal(&a, &b) == !memcmp(&a, &b, sizeof(a)));
	if (ipoib_hwaddr_equal(&a, &b))
		expect(ipoib_hwaddr_hash(&a, 1) == ipoib_hwaddr_hash(&b, 1));
	return 0;
}
