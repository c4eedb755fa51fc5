/* SPDX-License-Identifier: GPL-2.0 */
/* The transmit function: finds the peer of a packet and the ring to send it on. */
#ifndef _IPOIB_XMIT_H
#define _IPOIB_XMIT_H

#include <linux/netdevice.h>

#include "peertable.h"

void ipoib_xmit_too_big(void *ctx, struct sk_buff *skb, unsigned int mtu);
netdev_tx_t ipoib_xmit(struct sk_buff *skb, struct net_device *dev);

extern const struct ipoib_peertable_ops ipoib_xmit_peer_ops;

#endif /* _IPOIB_XMIT_H */
