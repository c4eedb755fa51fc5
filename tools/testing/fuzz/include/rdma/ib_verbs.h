/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _FUZZ_RDMA_IB_VERBS_H
#define _FUZZ_RDMA_IB_VERBS_H

#include <linux/string.h>
#include <linux/types.h>
#include <asm/byteorder.h>

/* Destination QPN of every multicast packet, IBTA 10.5.2. */
#define IB_MULTICAST_QPN	0xffffff

union ib_gid {
	u8 raw[16];
	struct {
		__be64 subnet_prefix;
		__be64 interface_id;
	} global;
};

#endif /* _FUZZ_RDMA_IB_VERBS_H */
