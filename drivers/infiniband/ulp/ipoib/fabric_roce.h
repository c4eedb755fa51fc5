/* SPDX-License-Identifier: GPL-2.0 */
/* RoCE v2: no subnet administrator, neighbours are those of Ethernet. */
#ifndef _IPOIB_FABRIC_ROCE_H
#define _IPOIB_FABRIC_ROCE_H

#include "fabric.h"

extern const struct ipoib_fabric_ops ipoib_fabric_roce_ops;

#endif /* _IPOIB_FABRIC_ROCE_H */
