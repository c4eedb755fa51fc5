/* SPDX-License-Identifier: GPL-2.0 */
/* Channels of an interface: further queues of the stack, each with a UD QP that only sends. */
#ifndef _IPOIB_DEV_CHANS_H
#define _IPOIB_DEV_CHANS_H

#include "qp.h"
#include "ud_tx.h"

/**
 * struct ipoib_chan - a channel but the first
 * @tx: send ring
 * @qp: QP of @tx; exists while @up
 * @up: the channel sends
 *
 * The first channel is the QP that receives too, and its send ring, which are parts of the
 * interface. It alone sends to groups, and what no other channel can.
 *
 * Channels exist as long as the interface. The device starts and stops them, under its lock.
 */
struct ipoib_chan {
	struct ipoib_ud_tx tx;
	struct ipoib_qp qp;
	bool up;
};

unsigned int ipoib_dev_chans_max(void);
int ipoib_dev_chans_init(struct ipoib_dev *idev);
void ipoib_dev_chans_exit(struct ipoib_dev *idev);
void ipoib_dev_chans_open(struct ipoib_dev *idev);
void ipoib_dev_chans_start(struct ipoib_dev *idev);
void ipoib_dev_chans_stop(struct ipoib_dev *idev);
void ipoib_dev_chans_finish(struct ipoib_dev *idev, unsigned long deadline);
bool ipoib_dev_chans_hold(struct ipoib_dev *idev);
void ipoib_dev_chans_recover(struct ipoib_dev *idev);
int ipoib_dev_chans_moderate(struct ipoib_dev *idev);
int ipoib_dev_chans_set(struct ipoib_dev *idev, unsigned int count);

#endif /* _IPOIB_DEV_CHANS_H */
