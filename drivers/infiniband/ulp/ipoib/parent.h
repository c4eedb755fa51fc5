/* SPDX-License-Identifier: GPL-2.0 */
/* Interfaces that the driver makes unasked, one for each InfiniBand port. */
#ifndef _IPOIB_PARENT_H
#define _IPOIB_PARENT_H

#include "port.h"

int ipoib_parent_add(struct ipoib_port *port);
bool ipoib_is_parent(const struct ipoib_dev *idev);

#endif /* _IPOIB_PARENT_H */
