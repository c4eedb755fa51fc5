// SPDX-License-Identifier: GPL-2.0
#include "dev_rings.h"

#include <linux/netdevice.h>

#include "backoff.h"
#include "dev_conns.h"
#include "device.h"
#include "event.h"

/* Flushed work requests come back at once; this is for an HCA that is gone. */
#define DRAIN_TIMEOUT		(5 * HZ)

/* A QP that fails again within this time is brought back ever more slowly. */
#define RECOVER_QUIET		(10 * HZ)

static const struct ipoib_backoff recover_delay = {
	.min_ms = 20,
	.max_ms = 5000,
};

static void qp_failed(void *ctx)
{
	ipoib_dev_kick(ctx, IPOIB_DEV_QP_FAILED);
}

/**
 * ipoib_dev_qp_init - make the UD QP of an interface
 * @idev: the interface that is being made; its fabric has been described
 *
 * Return: 0 or a negative errno of the provider's.
 * Context: Process context, may sleep.
 */
int ipoib_dev_qp_init(struct ipoib_dev *idev)
{
	const struct ib_device_attr *attrs = &idev->fabric.ibdev->attrs;
	struct ipoib_qp_config config = {
		.pd		= idev->config.pd,
		.port		= idev->fabric.port,
		.send_wr	= IPOIB_UD_TX_SLOTS,
		.recv_wr	= IPOIB_UD_RX_SLOTS,
		.recv_sge	= IPOIB_UD_RX_SGE,
		.send_napi	= &idev->tx.napi,
		.recv_napi	= &idev->rx.napi,
		.failed		= qp_failed,
		.failed_ctx	= idev,
	};

	config.max_send_sge = min_t(unsigned int, attrs->max_send_sge,
				    IPOIB_MAX_SGE);
	idev->tx.ring.max_sge = config.max_send_sge;
	return ipoib_qp_init(&idev->qp, &config);
}

/**
 * ipoib_dev_rings_init - tell both rings whose they are
 * @idev: the interface that is being made; its QP is there
 *
 * Context: Process context.
 */
void ipoib_dev_rings_init(struct ipoib_dev *idev)
{
	struct ipoib_ud_tx *tx = &idev->tx;
	struct ipoib_ud_rx *rx = &idev->rx;

	tx->dev = idev->dev;
	tx->txq = netdev_get_tx_queue(idev->dev, 0);
	tx->qp = &idev->qp;
	tx->drops = &idev->drops;
	tx->users = &idev->users;
	tx->wq = idev->fabric.wq;
	tx->held = ipoib_dev_conns_full;
	tx->failed = qp_failed;
	tx->ctx = idev;
	ipoib_ud_tx_init(tx);

	rx->dev = idev->dev;
	rx->qp = &idev->qp;
	rx->drops = &idev->drops;
	rx->wq = idev->fabric.wq;
	rx->heard = ipoib_event_heard;
	rx->failed = qp_failed;
	rx->ctx = idev;
	ipoib_ud_rx_init(rx);
}

/**
 * ipoib_dev_rings_exit - undo ipoib_dev_rings_init()
 * @idev: the interface; its rings are stopped
 *
 * Context: Process context, may sleep.
 */
void ipoib_dev_rings_exit(struct ipoib_dev *idev)
{
	ipoib_ud_rx_exit(&idev->rx);
	ipoib_ud_tx_exit(&idev->tx);
}

static void self_describe(struct ipoib_dev *idev, struct ipoib_ud_rx_self *self)
{
	self->qpn = idev->qp.ib->qp_num;
	self->gid = idev->fabric.link.gid;
	self->broadcast = idev->broadcast;
	self->max_len = ipoib_dev_link_mtu(idev);
	self->lids = idev->fabric.link.lid;
}

/* QP from INIT to RTS, and packets both ways. */
static int rings_run(struct ipoib_dev *idev)
{
	struct ipoib_ud_rx_self self;
	int err;

	err = ipoib_qp_start(&idev->qp, idev->fabric.link.pkey_index,
			     idev->qkey);
	if (err)
		return err;

	self_describe(idev, &self);
	WRITE_ONCE(idev->max_len, self.max_len);
	ipoib_ud_rx_start(&idev->rx, &self);
	ipoib_ud_tx_start(&idev->tx, idev->qkey);
	return 0;
}

/* No packets any more, QP in the RESET state. */
static void rings_halt(struct ipoib_dev *idev)
{
	unsigned long deadline = jiffies + DRAIN_TIMEOUT;
	bool drained;

	/* 1. Nothing new is posted. */
	ipoib_ud_tx_stop(&idev->tx);
	ipoib_ud_rx_stop(&idev->rx);

	/* 2. What was posted comes back. */
	drained = !ipoib_qp_error(&idev->qp) &&
		  ipoib_ud_tx_drain(&idev->tx, deadline) &&
		  ipoib_ud_rx_drain(&idev->rx, deadline);
	if (!drained && net_ratelimit())
		netdev_warn(idev->dev, "QP did not give its packets back\n");

	/* 3. What did not come back is taken. */
	ipoib_qp_reset(&idev->qp);
	idev->armed = false;
	ipoib_ud_tx_purge(&idev->tx);
	ipoib_ud_rx_purge(&idev->rx);

	/* 4. Whatever failed before this is over. */
	clear_bit(IPOIB_DEV_QP_FAILED, &idev->pending);
}

/**
 * ipoib_dev_qp_arm - have the QP take what comes, to be attached to groups
 * @idev: the interface
 *
 * Return: 0 or a negative errno of the provider's.
 * Context: Process context, may sleep; the device's lock is held.
 */
int ipoib_dev_qp_arm(struct ipoib_dev *idev)
{
	int err;

	lockdep_assert_held(&idev->lock);

	err = ipoib_qp_arm(&idev->qp, idev->fabric.link.pkey_index);
	idev->armed = !err;
	return err;
}

/**
 * ipoib_dev_rings_start - packets both ways
 * @idev: the interface; its QP is armed
 *
 * Return: 0; -ENOMEM; or what the provider says. Nothing runs then.
 * Context: Process context, may sleep; the device's lock is held.
 */
int ipoib_dev_rings_start(struct ipoib_dev *idev)
{
	int err;

	lockdep_assert_held(&idev->lock);

	err = ipoib_ud_tx_alloc(&idev->tx);
	if (err)
		return err;
	err = ipoib_ud_rx_alloc(&idev->rx);
	if (err)
		goto err_tx;
	err = rings_run(idev);
	if (err)
		goto err_rx;

	idev->rings = true;
	return 0;

err_rx:
	ipoib_ud_rx_free(&idev->rx);
err_tx:
	ipoib_ud_tx_free(&idev->tx);
	return err;
}

static void rings_free(struct ipoib_dev *idev)
{
	ipoib_ud_rx_free(&idev->rx);
	ipoib_ud_tx_free(&idev->tx);
	idev->rings = false;
}

/**
 * ipoib_dev_rings_stop - no packets any more
 * @idev: the interface, perhaps without rings
 *
 * Context: Process context, sleeps until the HCA has given its packets back, with a
 * deadline; the device's lock is held.
 */
void ipoib_dev_rings_stop(struct ipoib_dev *idev)
{
	lockdep_assert_held(&idev->lock);

	if (!idev->rings)
		return;
	rings_halt(idev);
	rings_free(idev);
}

/*
 * Back from the error state. Paths are asked for anew, because a send that
 * soft-RoCE cannot route is what brought the QP there; groups stay attached.
 */
static int recover(struct ipoib_dev *idev)
{
	int err;

	rings_halt(idev);
	ipoib_peertable_flush(&idev->peers);

	err = ipoib_dev_qp_arm(idev);
	if (!err)
		err = rings_run(idev);
	if (!err)
		return 0;

	/* No NAPI runs now: that is all that is left. */
	rings_free(idev);
	return err;
}

/**
 * ipoib_dev_rings_must_wait - the QP has failed: is it brought back now?
 * @idev: the interface; it has rings
 *
 * One that fails again and again is brought back ever more slowly. Nothing is sent
 * meanwhile.
 *
 * Return: true if not now; the control work tries again then.
 * Context: Process context; the device's lock is held.
 */
bool ipoib_dev_rings_must_wait(struct ipoib_dev *idev)
{
	lockdep_assert_held(&idev->lock);

	ipoib_ud_tx_stop(&idev->tx);
	if (time_in_range(jiffies, idev->recover_at -
				   msecs_to_jiffies(recover_delay.max_ms),
			  idev->recover_at - 1)) {
		ipoib_dev_kick_later(idev, IPOIB_DEV_QP_FAILED,
				     idev->recover_at - jiffies);
		return true;
	}
	return false;
}

/**
 * ipoib_dev_rings_recover - bring a QP back that has failed
 * @idev: the interface; it has rings
 *
 * Return: 0; or what the provider says, then there are no rings any more.
 * Context: Process context, may sleep; the device's lock is held.
 */
int ipoib_dev_rings_recover(struct ipoib_dev *idev)
{
	u32 ms;

	lockdep_assert_held(&idev->lock);

	if (time_after(jiffies, idev->recover_at + RECOVER_QUIET))
		idev->recover_failures = 0;
	idev->recover_failures++;
	ms = ipoib_backoff_ms(&recover_delay, idev->recover_failures,
			      get_random_u32());
	idev->recover_at = jiffies + msecs_to_jiffies(ms);
	idev->recoveries++;
	return recover(idev);
}
