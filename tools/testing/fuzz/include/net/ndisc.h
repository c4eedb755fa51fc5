/* SPDX-License-Identifier: GPL-2.0 */
/* Neighbour discovery, RFC 4861 sections 4.3, 4.4 and 4.6.1. */
#ifndef _FUZZ_NET_NDISC_H
#define _FUZZ_NET_NDISC_H

#include <linux/icmpv6.h>
#include <linux/in.h>
#include <linux/in6.h>

#define NDISC_NEIGHBOUR_SOLICITATION	135
#define NDISC_NEIGHBOUR_ADVERTISEMENT	136

#define ND_OPT_SOURCE_LL_ADDR		1
#define ND_OPT_TARGET_LL_ADDR		2

/* What comes before the options of either message. */
struct nd_msg {
	struct icmp6hdr icmph;
	struct in6_addr target;
};

#endif /* _FUZZ_NET_NDISC_H */
