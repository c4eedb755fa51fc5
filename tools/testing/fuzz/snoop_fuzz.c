// SPDX-License-Identifier: GPL-2.0
/* Who sent a packet. Input: the packet, from its encapsulation header on. */
#include "fuzz.h"

#include "snoop.c"
#include "wire.h"
#include <linux/minmax.h>

static bool sender(const u8 *data, size_t len, struct ipoib_hwaddr *addr)
{
	u8 *packet = exact(data, len);
	bool found;

	memset(addr, 0xa5, sizeof(*addr));
	found = ipoib_snoop_sender(packet, len, addr);
	free(packet);
	return found;
}

/* Behind an ARP header or an option's, and nowhere else */
static bool is_within(const u8 *data, size_t len, const struct ipoib_hwaddr *addr)
{
	size_t at;

	for (at = 12; at + sizeof(*addr) <= len; at += 4)
		if (!memcmp(data + at, addr, sizeof(*addr)))
			return true;
	return false;
}

int fuzz_one(const u8 *data, size_t len)
{
	struct ipoib_hwaddr addr, shorter, untouched;
	__be16 proto = 0;
	bool known;

	memcpy(&proto, data, min(len, sizeof(proto)));
	known = ipoib_proto_known(proto);
	if (!sender(data, len, &addr)) {
		memset(&untouched, 0xa5, sizeof(untouched));
		expect(!memcmp(&addr, &untouched, sizeof(addr)));
		/* Nor is it found in less. */
		expect(!sender(data, len / 2, &shorter));
		return 0;
	}
	expect(known && is_within(data, len, &addr));
	/* What is behind it does not matter, nor whether that was looked at. */
	while (len && sender(data, len - 1, &shorter)) {
		expect(!memcmp(&addr, &shorter, sizeof(addr)));
		len--;
	}
	expect(is_within(data, len, &addr));
	return 0;
}
