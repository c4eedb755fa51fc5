// SPDX-License-Identifier: GPL-2.0
#include "loop_tcp.h"

#include <linux/if_ether.h>
#include <linux/string.h>

/**
 * loop_tcp_header - write headers in which no sum is right
 * @packet: to be written, but for its data
 * @seq: sequence number
 * @len: octets of data
 *
 * Context: Any.
 */
void loop_tcp_header(struct loop_tcp *packet, u32 seq, u32 len)
{
	memset(packet, 0, sizeof(*packet));
	packet->proto = htons(ETH_P_IP);
	packet->ip = (struct iphdr) {
		.version = 4,
		.ihl = 5,
		.ttl = 64,
		.protocol = IPPROTO_TCP,
		.tot_len = htons(len + sizeof(*packet) - 4),
		.check = LOOP_TCP_CHECK,
		.saddr = htonl(0x0a000001),
		.daddr = htonl(0x0a000002),
	};
	packet->tcp.seq = htonl(seq);
	packet->tcp.doff = sizeof(packet->tcp) / 4;
	packet->tcp.check = LOOP_TCP_CHECK;
}
