/* SPDX-License-Identifier: GPL-2.0 */
/* From what came off the wire to what the stack is given. */
#ifndef _IPOIB_RX_SKB_H
#define _IPOIB_RX_SKB_H

#include <linux/skbuff.h>

#include "wire.h"

/* The link-layer header that the stack is shown has no sender: it is zero. */
static inline void ipoib_rx_skb_header(struct sk_buff *skb)
{
	const struct ipoib_hdr *hdr = (const void *)skb->data;

	skb->protocol = hdr->proto;
	memset(skb_push(skb, INFINIBAND_ALEN), 0, INFINIBAND_ALEN);
	skb_reset_mac_header(skb);
	__skb_pull(skb, IPOIB_HARD_LEN);
}

#endif /* _IPOIB_RX_SKB_H */
