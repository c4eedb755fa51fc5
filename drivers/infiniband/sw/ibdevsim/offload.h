/* SPDX-License-Identifier: GPL-2.0 */
/* HCAs do this for IPoIB: they make checksums, and cut long TCP segments into packets. */
#ifndef _IBDS_OFFLOAD_H
#define _IBDS_OFFLOAD_H

#include <linux/types.h>

struct ib_send_wr;
struct ibds_packet;
struct ibds_qp;
struct ibds_sqe;
struct sk_buff;

/* Lies of an HCA about the sums in a packet; the first one is none. */
enum ibds_csum_lies {
	IBDS_CSUM_TRUTH,
	IBDS_CSUM_NONE_RIGHT,
	IBDS_CSUM_ALL_RIGHT,
};

/* Of a send, behind its elements: copied when it was posted */
#define IBDS_HEADER_MAX		128

/**
 * struct ibds_extra - what a queue pair with offloads, or inline data, has of a send
 * @csum: have the checksums of IP, TCP and UDP made
 * @mss: octets of TCP in each packet, 0 for a send that is one packet
 * @hlen: octets of @data that each packet begins with
 * @data: header, or inline data
 */
struct ibds_extra {
	bool csum;
	u16 mss;
	u8 hlen;
	u8 data[];
};

int ibds_offload_post(struct ibds_qp *qp, struct ibds_sqe *sqe,
		      const struct ib_send_wr *wr);
struct sk_buff *ibds_offload_packets(const struct ibds_sqe *sqe,
				     const struct ibds_extra *extra, u32 mtu);
bool ibds_offload_says_right(const struct ibds_qp *qp, const struct ibds_packet *pkt);

#endif /* _IBDS_OFFLOAD_H */
