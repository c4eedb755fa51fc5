/* SPDX-License-Identifier: GPL-2.0 */
/* These functions turn a received packet into the skb that the stack expects. */
#ifndef _IPOIB_RX_SKB_H
#define _IPOIB_RX_SKB_H

#include <linux/netdevice.h>
#include <net/busy_poll.h>

#include "wire.h"

/*
 * A packet of up to this many octets is copied, and its buffer stays where it is: that is cheaper
 * than a page for the stack. A page that goes up is charged as a whole to the socket that gets
 * the packet, so where pages are large more is copied: a socket of 208 KiB would hold three
 * packets of connections in pages of 64 KiB.
 */
#define IPOIB_RX_COPY_LEN	((unsigned int)PAGE_SIZE / 16)

/*
 * Make room for the pseudo header of Linux in front of a received packet. Returns where the caller
 * has to write the address of the sender, for hard_header_parse(); zeros if the packet does not
 * say that. The packet has IPOIB_HDR_LEN octets, and INFINIBAND_ALEN in front of them.
 */
static inline struct ipoib_hwaddr *ipoib_rx_skb_header(struct sk_buff *skb)
{
	const struct ipoib_hdr *hdr = (const void *)skb->data;

	skb->protocol = hdr->proto;
	skb_set_mac_header(skb, -INFINIBAND_ALEN);
	__skb_pull(skb, IPOIB_HDR_LEN);
	return (struct ipoib_hwaddr *)skb_mac_header(skb);
}

/*
 * Give a packet to the stack. If it is @alone in its poll, GRO has nothing to merge it with and
 * would only delay it until the poll ends, so GRO is left out. If GRO still holds earlier
 * packets, or may hold them beyond a poll, this packet must not overtake them and goes
 * through GRO as well. Softirq, or bottom halves off.
 */
static inline void ipoib_rx_skb_deliver(struct napi_struct *napi,
					struct sk_buff *skb, bool alone)
{
	if (alone && !compat_napi_gro_waits(napi)) {
		skb_mark_napi_id(skb, napi);
		netif_receive_skb(skb);
	} else {
		napi_gro_receive(napi, skb);
	}
}

#endif /* _IPOIB_RX_SKB_H */
