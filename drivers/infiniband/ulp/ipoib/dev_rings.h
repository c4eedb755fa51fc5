/* SPDX-License-Identifier: GPL-2.0 */
/* The UD QPs of an interface and their rings: start, stop and recovery. */
#ifndef _IPOIB_DEV_RINGS_H
#define _IPOIB_DEV_RINGS_H

#include <linux/types.h>

struct ipoib_dev;

int ipoib_dev_qp_init(struct ipoib_dev *idev);
int ipoib_dev_qp_arm(struct ipoib_dev *idev);
void ipoib_dev_qp_disarm(struct ipoib_dev *idev);
void ipoib_dev_qp_exit(struct ipoib_dev *idev);

int ipoib_dev_rings_init(struct ipoib_dev *idev);
void ipoib_dev_rings_exit(struct ipoib_dev *idev);
int ipoib_dev_rings_start(struct ipoib_dev *idev);
int ipoib_dev_rings_resize(struct ipoib_dev *idev, u32 rx_slots, u32 tx_slots);
void ipoib_dev_rings_stop(struct ipoib_dev *idev);
bool ipoib_dev_rings_must_wait(struct ipoib_dev *idev);
int ipoib_dev_rings_recover(struct ipoib_dev *idev);
void ipoib_dev_rings_recover_chans(struct ipoib_dev *idev);

#endif /* _IPOIB_DEV_RINGS_H */
