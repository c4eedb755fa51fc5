// SPDX-License-Identifier: GPL-2.0
/* Where a packet has its checksum. Input: EtherType, and the packet from its IP header on. */
#include "fuzz.h"

#include "csum.c"

int fuzz_one(const u8 *data, size_t len)
{
	unsigned int start, offset;
	__be16 proto;
	u8 *ip;

	if (len < sizeof(proto))
		return 0;
	memcpy(&proto, data, sizeof(proto));
	len -= sizeof(proto);
	ip = exact(data + sizeof(proto), len);
	offset = ipoib_csum_find(proto, ip, len, &start);
	free(ip);
	if (!offset)
		return 0;

	expect(start >= 20 && start <= 60);
	expect(offset == 16 || offset == 6);
	expect(start + offset + 2 <= len);
	return 0;
}
