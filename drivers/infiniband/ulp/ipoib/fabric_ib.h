/* SPDX-License-Identifier: GPL-2.0 */
/* InfiniBand: a subnet administrator knows the groups and the paths. */
#ifndef _IPOIB_FABRIC_IB_H
#define _IPOIB_FABRIC_IB_H

#include "fabric.h"

extern const struct ipoib_fabric_ops ipoib_fabric_ib_ops;

#endif /* _IPOIB_FABRIC_IB_H */
