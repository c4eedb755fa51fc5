/* SPDX-License-Identifier: GPL-2.0 */
/* ip link add ... type ipoib */
#ifndef _IPOIB_NETLINK_H
#define _IPOIB_NETLINK_H

int ipoib_netlink_init(void);
void ipoib_netlink_exit(void);

#endif /* _IPOIB_NETLINK_H */
