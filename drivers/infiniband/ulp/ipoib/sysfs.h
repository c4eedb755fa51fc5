/* SPDX-License-Identifier: GPL-2.0 */
/* Files under /sys/class/net/<interface>, with the names and contents that ib_ipoib gave them. */
#ifndef _IPOIB_SYSFS_H
#define _IPOIB_SYSFS_H

#include <linux/netdevice.h>

void ipoib_sysfs_setup(struct net_device *dev);

#endif /* _IPOIB_SYSFS_H */
