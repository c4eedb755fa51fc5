/* SPDX-License-Identifier: GPL-2.0 */
/* Connections of an interface: their settings, and when there may be some. */
#ifndef _IPOIB_DEV_CONNS_H
#define _IPOIB_DEV_CONNS_H

#include <linux/types.h>

struct ipoib_dev;
union ib_gid;

int ipoib_dev_conns_init(struct ipoib_dev *idev);
void ipoib_dev_conns_exit(struct ipoib_dev *idev);

void ipoib_dev_conns_start(struct ipoib_dev *idev);
void ipoib_dev_conns_stop(struct ipoib_dev *idev);
void ipoib_dev_conns_look(struct ipoib_dev *idev);
void ipoib_dev_conns_refresh(struct ipoib_dev *idev, const union ib_gid *gid,
			     unsigned long age);
u8 ipoib_dev_conns_flags(const struct ipoib_dev *idev);

void ipoib_dev_conns_set_mode(struct ipoib_dev *idev, bool connected);
int ipoib_dev_conns_set_offer(struct ipoib_dev *idev, unsigned int offer);
void ipoib_dev_conns_set_opener_sends(struct ipoib_dev *idev, bool opener_sends);
unsigned int ipoib_dev_conns_limit_max(const struct ipoib_dev *idev);
int ipoib_dev_conns_set_limit(struct ipoib_dev *idev, unsigned int limit);

#endif /* _IPOIB_DEV_CONNS_H */
