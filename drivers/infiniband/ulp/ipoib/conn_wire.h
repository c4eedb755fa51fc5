/* SPDX-License-Identifier: GPL-2.0 */
/* Service IDs and private data of CM messages, RFC 4755 sections 3.3, 3.5 and 6. */
#ifndef _IPOIB_CONN_WIRE_H
#define _IPOIB_CONN_WIRE_H

#include <linux/build_bug.h>
#include <linux/types.h>

#include "wire.h"

/* Flags in octet 0 of the link-layer address, RFC 4755 section 3.1. */
#define IPOIB_FLAG_RC	0x80u
#define IPOIB_FLAG_UC	0x40u

/**
 * struct ipoib_cm_private - private data of every CM message, RFC 4755 section 6
 * @qpn: QPN of the sender's UD QP, below an octet of zeros
 * @mtu: longest message that it receives, octets
 * @more: IPOIB_CM_MORE, if the sender can do more than the RFC knows. Others read no further
 *	than @mtu
 * @can: what, bits of IPOIB_CM_CAN_*
 *
 * Without @can only the first IPOIB_CM_PRIVATE_RFC octets are sent.
 */
struct ipoib_cm_private {
	__be32 qpn;
	__be32 mtu;
	__be32 more;
	__be32 can;
};

#define IPOIB_CM_PRIVATE_RFC	8
static_assert(sizeof(struct ipoib_cm_private) == 16);

/* "IPoI": the CM fills up with zeros, so that it is never there by chance. */
#define IPOIB_CM_MORE		0x49506f49u

/*
 * Its peer may send TCP and UDP with no more of a checksum than that of the pseudo header, where
 * ipoib_csum_find() finds it, in messages that have this immediate data.
 */
#define IPOIB_CM_CAN_LINK_SUMS	0x00000001u
#define IPOIB_IMM_LINK_SUM	0x00000001u

/**
 * enum ipoib_service - kind of service ID that a REQ is sent to
 * @IPOIB_SERVICE_RFC: that of RFC 4755 section 3.5; both ends send packets
 * @IPOIB_SERVICE_LINUX: that of ib_ipoib, whose prefix has one zero digit less in front; only
 *	the end that sent the REQ sends packets, because the other end of ib_ipoib has no
 *	buffers
 * @IPOIB_SERVICE_NONE: neither
 */
enum ipoib_service {
	IPOIB_SERVICE_RFC,
	IPOIB_SERVICE_LINUX,
	IPOIB_SERVICE_NONE,
};

/**
 * struct ipoib_cm_peer - what private data tells about the sender
 * @qpn: number of its UD QP
 * @mtu: longest message that it receives, octets, encapsulation header included
 * @link_sums: it takes packets whose checksum was left to the link
 */
struct ipoib_cm_peer {
	u32 qpn;
	u32 mtu;
	bool link_sums;
};

__be64 ipoib_service_id(enum ipoib_service service, u32 qpn);
enum ipoib_service ipoib_service_parse(__be64 id, u32 *qpn);

u8 ipoib_cm_pack(struct ipoib_cm_private *data, u32 qpn, u32 mtu, bool link_sums);
bool ipoib_cm_unpack(const void *data, unsigned int len,
		     struct ipoib_cm_peer *peer);

bool ipoib_cm_yields(const struct ipoib_hwaddr *local,
		     const struct ipoib_hwaddr *remote);
unsigned int ipoib_cm_mtu(u32 local, u32 remote);

#endif /* _IPOIB_CONN_WIRE_H */
