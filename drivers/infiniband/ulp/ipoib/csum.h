/* SPDX-License-Identifier: GPL-2.0 */
/* Where a packet has its checksum. */
#ifndef _IPOIB_CSUM_H
#define _IPOIB_CSUM_H

#include <linux/types.h>

unsigned int ipoib_csum_find(__be16 proto, const u8 *ip, unsigned int len, unsigned int *start);

#endif /* _IPOIB_CSUM_H */
