/* SPDX-License-Identifier: GPL-2.0 */
/* Packets in more pieces than the HCA can gather. */
#ifndef _IPOIB_PIECES_H
#define _IPOIB_PIECES_H

#include <linux/types.h>

struct sk_buff;

bool ipoib_pieces_merge(struct sk_buff *skb, unsigned int most);

#endif /* _IPOIB_PIECES_H */
