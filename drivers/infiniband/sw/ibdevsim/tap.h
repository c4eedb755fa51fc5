/* SPDX-License-Identifier: GPL-2.0 */
/* /dev/ibdevsim_tap: every packet on the links, as a capture file. */
#ifndef _IBDS_TAP_H
#define _IBDS_TAP_H

#include <linux/jump_label.h>

struct ibds_packet;

DECLARE_STATIC_KEY_FALSE(ibds_tap_open);

int ibds_tap_init(void);
void ibds_tap_exit(void);
void __ibds_tap(const struct ibds_packet *pkt);

/* ibds_tap() is nothing but a jump while nobody listens. */
static inline void ibds_tap(const struct ibds_packet *pkt)
{
	if (static_branch_unlikely(&ibds_tap_open))
		__ibds_tap(pkt);
}

#endif /* _IBDS_TAP_H */
