/* SPDX-License-Identifier: GPL-2.0 */
/* The transmit function: finds the peer of a packet and the ring to send it on. */
#ifndef _IPOIB_XMIT_H
#define _IPOIB_XMIT_H

#include <linux/netdevice.h>

struct ipoib_ah;
struct ipoib_dev;

void ipoib_xmit_too_big(struct ipoib_dev *idev, struct sk_buff *skb, unsigned int mtu);
netdev_tx_t ipoib_xmit(struct sk_buff *skb, struct net_device *dev);
u16 ipoib_xmit_queue(struct net_device *dev, struct sk_buff *skb, struct net_device *sb_dev);

void ipoib_xmit_lock(struct ipoib_dev *idev);
void ipoib_xmit_unlock(struct ipoib_dev *idev);
bool ipoib_xmit_staged(struct ipoib_dev *idev, struct sk_buff *skb, struct ipoib_ah *ah, u32 qpn);
struct sk_buff *ipoib_xmit_for_all(const struct ipoib_dev *idev, const struct sk_buff *skb);

#endif /* _IPOIB_XMIT_H */
