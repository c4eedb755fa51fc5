/* SPDX-License-Identifier: GPL-2.0 */
/* RoCEv2 ports: no SA, so the answers come from the Ethernet side. */
#ifndef _IPOIB_FABRIC_ROCE_H
#define _IPOIB_FABRIC_ROCE_H

#include "fabric.h"

bool ipoib_roce_is_on(struct ib_device *ibdev, u32 port,
		      const struct net_device *lower);

extern const struct ipoib_fabric_ops ipoib_fabric_roce_ops;

#endif /* _IPOIB_FABRIC_ROCE_H */
