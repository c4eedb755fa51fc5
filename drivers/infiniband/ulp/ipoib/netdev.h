/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stack and users see this of an interface: the operations of its net_device, those of
 * ethtool, the files in /sys/class/net/<interface> that ib_ipoib has, and those in debugfs.
 */
#ifndef _IPOIB_NETDEV_H
#define _IPOIB_NETDEV_H

#include <linux/netdevice.h>

struct ipoib_dev;

void ipoib_netdev_setup(struct net_device *dev);
bool ipoib_netdev_is_ours(const struct net_device *dev);

void ipoib_ethtool_setup(struct net_device *dev);
int ipoib_ethtool_walk(struct ipoib_dev *idev,
		       void (*fn)(void *ctx, const char *name, u64 value), void *ctx);

void ipoib_sysfs_setup(struct net_device *dev);

void ipoib_debugfs_init(const char *kind);
void ipoib_debugfs_exit(void);
void ipoib_debugfs_add(struct ipoib_dev *idev);
void ipoib_debugfs_rename(struct ipoib_dev *idev, u16 pkey);
void ipoib_debugfs_del(struct ipoib_dev *idev);

#endif /* _IPOIB_NETDEV_H */
