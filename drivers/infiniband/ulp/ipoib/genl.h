/* SPDX-License-Identifier: GPL-2.0 */
/* Generic netlink: what programs can read of interfaces, and are told when it changes. */
#ifndef _IPOIB_GENL_H
#define _IPOIB_GENL_H

struct ipoib_dev;

int ipoib_genl_init(void);
void ipoib_genl_exit(void);
void ipoib_genl_changed(struct ipoib_dev *idev);

#endif /* _IPOIB_GENL_H */
