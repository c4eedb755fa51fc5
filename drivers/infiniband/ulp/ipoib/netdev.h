/* SPDX-License-Identifier: GPL-2.0 */
/* net_device operations of an interface. */
#ifndef _IPOIB_NETDEV_H
#define _IPOIB_NETDEV_H

#include <linux/netdevice.h>

void ipoib_netdev_setup(struct net_device *dev);
bool ipoib_netdev_is_ours(const struct net_device *dev);

#endif /* _IPOIB_NETDEV_H */
