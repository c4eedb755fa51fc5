// SPDX-License-Identifier: GPL-2.0
#include "keys.h"

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/errno.h>

/**
 * ibds_pkey_match - may owners of these two P_Keys talk to each other?
 * @a: one P_Key
 * @b: the other
 *
 * IBTA 10.9.3: the same partition, and not both limited members of it. The
 * partition 0 is no partition.
 *
 * Return: true if they may.
 */
bool ibds_pkey_match(u16 a, u16 b)
{
	return ((a ^ b) & IBDS_PKEY_BASE) == 0 && (a & IBDS_PKEY_BASE) &&
	       ((a | b) & IBDS_PKEY_FULL);
}

/**
 * ibds_pkey_find - the entry of a P_Key table that admits a packet
 * @table: P_Key table, may change while it is read
 * @len: its length
 * @pkey: P_Key in the packet
 *
 * A full membership wins over a limited one, wherever in the table they are.
 *
 * Return: index, or -ENOENT.
 */
int ibds_pkey_find(const u16 *table, unsigned int len, u16 pkey)
{
	unsigned int i;
	int found = -ENOENT;

	for (i = 0; i < len; i++) {
		u16 entry = READ_ONCE(table[i]);

		if (!ibds_pkey_match(entry, pkey))
			continue;
		if (entry & IBDS_PKEY_FULL)
			return i;
		if (found < 0)
			found = i;
	}
	return found;
}

/**
 * ibds_qkey_of_wr - the Q_Key that a datagram carries
 * @wr_qkey: Q_Key in the work request
 * @qp_qkey: Q_Key of the queue pair
 *
 * IBTA 10.2.5: with the most significant bit set, the one in the work request
 * is a privileged one, and the queue pair's own is sent.
 *
 * Return: the Q_Key.
 */
u32 ibds_qkey_of_wr(u32 wr_qkey, u32 qp_qkey)
{
	return wr_qkey & BIT(31) ? qp_qkey : wr_qkey;
}
