/* SPDX-License-Identifier: GPL-2.0 */
/* Fabric operations of InfiniBand, where the subnet administrator (SA) knows paths and groups. */
#ifndef _IPOIB_FABRIC_IB_H
#define _IPOIB_FABRIC_IB_H

#include "fabric.h"

extern const struct ipoib_fabric_ops ipoib_fabric_ib_ops;

#endif /* _IPOIB_FABRIC_IB_H */
