/* SPDX-License-Identifier: GPL-2.0 */
/* The files that ib_ipoib has had under /sys/class/net/<interface>. */
#ifndef _IPOIB_SYSFS_H
#define _IPOIB_SYSFS_H

#include <linux/netdevice.h>

void ipoib_sysfs_setup(struct net_device *dev);

#endif /* _IPOIB_SYSFS_H */
