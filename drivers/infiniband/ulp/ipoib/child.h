/* SPDX-License-Identifier: GPL-2.0 */
/* Interfaces on other partitions of a port that has one by itself. */
#ifndef _IPOIB_CHILD_H
#define _IPOIB_CHILD_H

#include "port.h"

void ipoib_child_describe(struct ipoib_dev *parent, u16 pkey,
			  struct ipoib_dev_config *config);
int ipoib_child_create(struct ipoib_dev *parent, u16 pkey);
int ipoib_child_delete(struct ipoib_dev *parent, u16 pkey);

#endif /* _IPOIB_CHILD_H */
