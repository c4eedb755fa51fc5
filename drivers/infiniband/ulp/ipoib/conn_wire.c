// SPDX-License-Identifier: GPL-2.0
#include "conn_wire.h"

#include <asm/byteorder.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

static const u64 prefixes[] = {
	[IPOIB_SERVICE_RFC]	= 0x0100000000000000ull,
	[IPOIB_SERVICE_LINUX]	= 0x1000000000000000ull,
};

/**
 * ipoib_service_id - the service ID at which an interface listens
 * @service: kind of service ID; not IPOIB_SERVICE_NONE
 * @qpn: number of its UD QP
 *
 * Return: the service ID.
 */
__be64 ipoib_service_id(enum ipoib_service service, u32 qpn)
{
	return cpu_to_be64(prefixes[service] | (qpn & IPOIB_QPN_MASK));
}

/**
 * ipoib_service_parse - take a service ID apart
 * @id: the service ID
 * @qpn: result: UD QPN of the interface that listens there
 *
 * Return: kind of service ID; IPOIB_SERVICE_NONE if it is none of IPoIB.
 */
enum ipoib_service ipoib_service_parse(__be64 id, u32 *qpn)
{
	u64 value = be64_to_cpu(id);
	int i;

	*qpn = value & IPOIB_QPN_MASK;
	for (i = 0; i < IPOIB_SERVICE_NONE; i++) {
		if (prefixes[i] == (value & ~(u64)IPOIB_QPN_MASK))
			return i;
	}
	return IPOIB_SERVICE_NONE;
}

/**
 * ipoib_cm_pack - fill in the private data of a CM message
 * @data: result
 * @qpn: number of our UD QP
 * @mtu: longest message that we receive, octets
 * @link_sums: say that we take packets whose checksum was left to the link
 *
 * Return: how many octets of @data to send.
 */
u8 ipoib_cm_pack(struct ipoib_cm_private *data, u32 qpn, u32 mtu, bool link_sums)
{
	data->qpn = cpu_to_be32(qpn & IPOIB_QPN_MASK);
	data->mtu = cpu_to_be32(mtu);
	data->more = cpu_to_be32(IPOIB_CM_MORE);
	data->can = cpu_to_be32(link_sums ? IPOIB_CM_CAN_LINK_SUMS : 0);
	return link_sums ? sizeof(*data) : IPOIB_CM_PRIVATE_RFC;
}

/**
 * ipoib_cm_unpack - read the private data of a CM message
 * @data: the private data, may be NULL
 * @len: length of @data, octets; the CM fills up with zeros
 * @peer: result
 *
 * The reserved octet is ignored. QPNs 0 and 1 are those of management, and the multicast QPN
 * belongs to no interface.
 *
 * Return: false if @data is too short, or if no peer can have this QPN or receive so little.
 */
bool ipoib_cm_unpack(const void *data, unsigned int len,
		     struct ipoib_cm_peer *peer)
{
	struct ipoib_cm_private private = {};

	if (!data || len < IPOIB_CM_PRIVATE_RFC)
		return false;

	memcpy(&private, data, min_t(unsigned int, len, sizeof(private)));
	peer->qpn = be32_to_cpu(private.qpn) & IPOIB_QPN_MASK;
	peer->mtu = be32_to_cpu(private.mtu);
	peer->link_sums = private.more == cpu_to_be32(IPOIB_CM_MORE) &&
			  (be32_to_cpu(private.can) & IPOIB_CM_CAN_LINK_SUMS);
	return peer->qpn > 1 && peer->qpn != IB_MULTICAST_QPN &&
	       peer->mtu >= IPOIB_MIN_MTU + IPOIB_HDR_LEN;
}

/**
 * ipoib_cm_yields - two REQs have crossed: does that of the peer stand
 * @local: our link-layer address
 * @remote: that of the peer
 *
 * RFC 4755 section 3.3: addresses are compared without flags, from the most significant octet
 * on; the end with the numerically smaller one accepts.
 *
 * Return: true if we accept the peer's REQ and give up our own.
 */
bool ipoib_cm_yields(const struct ipoib_hwaddr *local,
		     const struct ipoib_hwaddr *remote)
{
	return memcmp((const u8 *)local + 1, (const u8 *)remote + 1,
		      sizeof(*local) - 1) < 0;
}

/**
 * ipoib_cm_mtu - MTU of IP over a connection
 * @local: longest message that we receive, octets
 * @remote: longest message that the peer receives, octets
 *
 * RFC 4755 section 5.1.
 *
 * Return: octets.
 */
unsigned int ipoib_cm_mtu(u32 local, u32 remote)
{
	return min(local, remote) - IPOIB_HDR_LEN;
}
