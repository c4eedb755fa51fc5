/* SPDX-License-Identifier: GPL-2.0 */
/* ethtool operations of an interface. */
#ifndef _IPOIB_ETHTOOL_H
#define _IPOIB_ETHTOOL_H

#include <linux/netdevice.h>

void ipoib_ethtool_setup(struct net_device *dev);

#endif /* _IPOIB_ETHTOOL_H */
