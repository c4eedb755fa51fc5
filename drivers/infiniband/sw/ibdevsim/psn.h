/* SPDX-License-Identifier: GPL-2.0 */
/* Packet sequence numbers, segmentation and the timers of connected QPs. */
#ifndef _IBDS_PSN_H
#define _IBDS_PSN_H

#include <linux/types.h>

#define IBDS_PSN_MASK	0xffffff

/* Distance from @b to @a, signed, on the circle of 24 bits. */
static inline s32 ibds_psn_diff(u32 a, u32 b)
{
	return (s32)((a - b) << 8) >> 8;
}

static inline u32 ibds_psn_add(u32 psn, u32 n)
{
	return (psn + n) & IBDS_PSN_MASK;
}

/* An empty message takes a packet, too. */
static inline u32 ibds_packets(u32 len, u32 mtu_shift)
{
	return len ? ((len - 1) >> mtu_shift) + 1 : 1;
}

u64 ibds_rnr_nsec(u8 code);
u64 ibds_ack_nsec(u8 code);

#endif /* _IBDS_PSN_H */
