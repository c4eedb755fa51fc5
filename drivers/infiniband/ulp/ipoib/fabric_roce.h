/* SPDX-License-Identifier: GPL-2.0 */
/* Fabric operations of RoCE v2, which has no SA: neighbour discovery on Ethernet finds paths. */
#ifndef _IPOIB_FABRIC_ROCE_H
#define _IPOIB_FABRIC_ROCE_H

#include "fabric.h"

extern const struct ipoib_fabric_ops ipoib_fabric_roce_ops;

#endif /* _IPOIB_FABRIC_ROCE_H */
