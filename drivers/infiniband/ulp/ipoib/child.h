/* SPDX-License-Identifier: GPL-2.0 */
/* Children: interfaces on other partitions of an InfiniBand port, beside its parent interface. */
#ifndef _IPOIB_CHILD_H
#define _IPOIB_CHILD_H

#include "port.h"

void ipoib_child_describe(struct ipoib_dev *parent, u16 pkey,
			  struct ipoib_dev_config *config);
int ipoib_child_check(const struct ipoib_dev *parent, u16 pkey,
		      struct netlink_ext_ack *extack);
int ipoib_child_create(struct ipoib_dev *parent, u16 pkey,
		       struct netlink_ext_ack *extack);
int ipoib_child_delete(struct ipoib_dev *parent, u16 pkey,
		       struct netlink_ext_ack *extack);

#endif /* _IPOIB_CHILD_H */
