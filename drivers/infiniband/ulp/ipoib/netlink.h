/* SPDX-License-Identifier: GPL-2.0 */
/* rtnetlink operations: ip link add/set/del ... type ipoib. */
#ifndef _IPOIB_NETLINK_H
#define _IPOIB_NETLINK_H

struct net_device;

int ipoib_netlink_init(const char *kind);
void ipoib_netlink_exit(void);
void ipoib_netlink_setup(struct net_device *dev);

#endif /* _IPOIB_NETLINK_H */
