// SPDX-License-Identifier: GPL-2.0
/* Private data of a CM message. Input: the private data. */
#include "fuzz.h"

#include "conn_wire.c"

static bool is_link_qpn(u32 qpn)
{
	return qpn > 1 && qpn < 0xffffff;
}

/* What was read is what was sent, but for the reserved octet and what we cannot. */
static void goes_round(const u8 *data, const struct ipoib_cm_peer *peer)
{
	struct ipoib_cm_private packed;
	struct ipoib_cm_peer again;
	u8 len;

	len = ipoib_cm_pack(&packed, peer->qpn, peer->mtu, peer->link_sums);
	expect(len == (peer->link_sums ? 16 : 8));
	expect(!memcmp((u8 *)&packed + 1, data + 1, peer->link_sums ? 11 : 7));
	expect(((u8 *)&packed)[0] == 0);
	expect(ipoib_cm_unpack(&packed, len, &again));
	expect(again.qpn == peer->qpn && again.mtu == peer->mtu);
	expect(again.link_sums == peer->link_sums);
}

int fuzz_one(const u8 *data, size_t len)
{
	struct ipoib_cm_peer peer, rounded;
	u8 *private = exact(data, len);
	bool sane;

	expect(!ipoib_cm_unpack(NULL, len, &peer));
	sane = ipoib_cm_unpack(private, len, &peer);
	free(private);
	if (!sane)
		return 0;

	expect(len >= 8);
	expect(is_link_qpn(peer.qpn));
	expect(ipoib_cm_mtu(peer.mtu, 65524) >= 68);
	expect(ipoib_cm_mtu(65524, peer.mtu) <= 65520);
	goes_round(data, &peer);

	/* The CM rounds up with zeros. */
	private = calloc(1, len + 100);
	expect(private);
	memcpy(private, data, len);
	expect(ipoib_cm_unpack(private, len + 100, &rounded));
	expect(rounded.qpn == peer.qpn && rounded.mtu == peer.mtu);
	expect(rounded.link_sums == peer.link_sums || len < 16);
	free(private);
	return 0;
}
