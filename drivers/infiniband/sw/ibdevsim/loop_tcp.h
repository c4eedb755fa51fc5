/* SPDX-License-Identifier: GPL-2.0 */
/* Packets of TCP, for HCAs that make and check sums, and cut segments. */
#ifndef _LOOP_TCP_H
#define _LOOP_TCP_H

#include <linux/ip.h>
#include <linux/tcp.h>

/**
 * struct loop_tcp - TCP in IPv4 as IPoIB has it
 * @proto: EtherType
 * @reserved: 0
 * @ip: header without options
 * @tcp: likewise
 * @data: what is carried
 */
struct loop_tcp {
	__be16 proto;
	__be16 reserved;
	struct iphdr ip;
	struct tcphdr tcp;
	u8 data[];
};

/* It stands where the HCA is to put a sum. */
#define LOOP_TCP_CHECK	((__force __sum16)htons(0x1234))
/* Octets of data in a packet of 4096 */
#define LOOP_TCP_MSS	(4096 - (u32)sizeof(struct loop_tcp))

void loop_tcp_header(struct loop_tcp *packet, u32 seq, u32 len);

#endif /* _LOOP_TCP_H */
