/* SPDX-License-Identifier: GPL-2.0 */
/* P_Keys and Q_Keys: who may talk to whom. */
#ifndef _IBDS_KEYS_H
#define _IBDS_KEYS_H

#include <linux/types.h>

#define IBDS_PKEY_FULL	0x8000
#define IBDS_PKEY_BASE	0x7fff

bool ibds_pkey_match(u16 a, u16 b);
int ibds_pkey_find(const u16 *table, unsigned int len, u16 pkey);
u32 ibds_qkey_of_wr(u32 wr_qkey, u32 qp_qkey);

#endif /* _IBDS_KEYS_H */
