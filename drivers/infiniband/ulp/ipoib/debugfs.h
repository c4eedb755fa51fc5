/* SPDX-License-Identifier: GPL-2.0 */
/* Files for fault finding, and settings that cause faults for tests. */
#ifndef _IPOIB_DEBUGFS_H
#define _IPOIB_DEBUGFS_H

#include <linux/types.h>

struct ipoib_dev;

void ipoib_debugfs_init(const char *kind);
void ipoib_debugfs_exit(void);
void ipoib_debugfs_add(struct ipoib_dev *idev);
void ipoib_debugfs_rename(struct ipoib_dev *idev, u16 pkey);
void ipoib_debugfs_del(struct ipoib_dev *idev);

#endif /* _IPOIB_DEBUGFS_H */
