// SPDX-License-Identifier: GPL-2.0
#include "dev_rings.h"

#include <linux/netdevice.h>

#include "backoff.h"
#include "dev_chans.h"
#include "device.h"
#include "log.h"

/* Flushed work requests come back at once. The timeout is for an HCA that is gone. */
#define DRAIN_TIMEOUT		(5 * HZ)

/* For this long what is posted may be sent before rings are made anew. */
#define FINISH_TIMEOUT		(2 * HZ)

/* Recoveries closer together than this count as a series, which becomes ever slower. */
#define RECOVER_QUIET		(10 * HZ)

#define RECOVER_MAX_MS		5000

/*
 * While the queue is stopped ctl_work() waits for one of these at a time, and before each of the
 * two ipoib_ud_tx_stop() updates trans_start. So neither wait by itself is long enough for the
 * stack's watchdog. RTNL and commands of the HCA may take longer.
 */
static_assert(FINISH_TIMEOUT + DRAIN_TIMEOUT < IPOIB_TX_TIMEOUT);
static_assert(RECOVER_MAX_MS * HZ < IPOIB_TX_TIMEOUT * MSEC_PER_SEC);

static const struct ipoib_backoff recover_delay = {
	.min_ms = 20,
	.max_ms = RECOVER_MAX_MS,
};

/* The fabric of @idev has been described before ipoib_dev_qp_init() is called. */
int ipoib_dev_qp_init(struct ipoib_dev *idev)
{
	idev->rx.longest = ipoib_port_longest(idev->fabric.ibdev, idev->fabric.port);
	idev->tx.ring.max_sge = min_t(unsigned int, idev->fabric.ibdev->attrs.max_send_sge,
				      IPOIB_MAX_SGE);
	ipoib_moder_init(&idev->rx.moder, &idev->rx_moder, false);
	ipoib_moder_init(&idev->tx.moder, &idev->tx_moder, true);
	idev->qp.idev = idev;
	idev->qp.tx = &idev->tx;
	idev->qp.rx = &idev->rx;
	return ipoib_qp_init(&idev->qp);
}

int ipoib_dev_rings_init(struct ipoib_dev *idev)
{
	struct ipoib_ud_tx *tx = &idev->tx;
	struct ipoib_ud_rx *rx = &idev->rx;

	idev->rx_slots = IPOIB_UD_RX_SLOTS;
	idev->tx_slots = IPOIB_UD_TX_SLOTS;
	idev->ah_bin.users = &idev->users;
	idev->ah_bin.wq = idev->fabric.wq;
	ipoib_ah_bin_init(&idev->ah_bin);

	tx->dev = idev->dev;
	tx->txq = netdev_get_tx_queue(idev->dev, 0);
	tx->qp = &idev->qp;
	tx->drops = &idev->drops;
	tx->bin = &idev->ah_bin;
	tx->failure = IPOIB_DEV_QP_FAILED;
	ipoib_ud_tx_init(tx);

	rx->dev = idev->dev;
	rx->qp = &idev->qp;
	rx->drops = &idev->drops;
	rx->wq = idev->fabric.wq;
	ipoib_ud_rx_init(rx);
	return ipoib_dev_chans_init(idev);
}

void ipoib_dev_rings_exit(struct ipoib_dev *idev)
{
	ipoib_dev_chans_exit(idev);
	ipoib_ud_rx_exit(&idev->rx);
	ipoib_ud_tx_exit(&idev->tx);
	ipoib_ah_bin_exit(&idev->ah_bin);
}

static void own_addresses(struct ipoib_dev *idev, struct ipoib_ud_rx_self *self)
{
	self->qpn = idev->qp.qpn;
	self->gid = idev->fabric.link.gid;
	self->broadcast = idev->broadcast;
	self->max_len = ipoib_dev_rx_mtu(idev);
	self->lids = idev->fabric.link.lid;
}

/* rings_run() brings the QP from INIT to RTS and starts all rings. */
static int rings_run(struct ipoib_dev *idev)
{
	struct ipoib_ud_rx_self self;
	int err;

	err = ipoib_qp_start(&idev->qp, idev->fabric.link.pkey_index,
			     idev->qkey);
	if (err)
		return err;

	own_addresses(idev, &self);
	WRITE_ONCE(idev->max_len, ipoib_dev_link_mtu(idev));
	ipoib_ud_rx_start(&idev->rx, &self);
	ipoib_ud_tx_start(&idev->tx, idev->qkey);
	ipoib_dev_chans_start(idev);
	return 0;
}

/* If the provider refuses the reset, qp_restore() tries again before the QP is armed. */
void ipoib_dev_qp_disarm(struct ipoib_dev *idev)
{
	lockdep_assert_held(&idev->lock);

	if (!idev->armed)
		return;
	idev->armed = false;
	idev->reset_due = ipoib_qp_move(&idev->qp, IB_QPS_RESET);
}

/* rings_halt() stops all rings and leaves the QP in the RESET state. */
static void rings_halt(struct ipoib_dev *idev)
{
	unsigned long deadline = jiffies + DRAIN_TIMEOUT;
	bool drained;

	/* 1. Post nothing new. */
	ipoib_dev_chans_stop(idev);
	ipoib_ud_tx_stop(&idev->tx);
	ipoib_ud_rx_stop(&idev->rx);

	/* 2. Wait for what was posted, unless a CQ has failed and nothing would tell of it. */
	drained = !ipoib_qp_move(&idev->qp, IB_QPS_ERR) && !idev->renewal_due &&
		  ipoib_ud_tx_drain(&idev->tx, deadline) &&
		  ipoib_ud_rx_drain(&idev->rx, deadline);
	if (!drained && !idev->renewal_due && ipoib_may_log())
		netdev_warn(idev->dev, "QP did not give its packets back\n");
	ipoib_ud_tx_halt(&idev->tx);
	ipoib_ud_rx_halt(&idev->rx);

	/*
	 * 3. Reset the QP and free what did not come back; keep that if the reset was refused,
	 * because the HCA may still use it.
	 */
	ipoib_dev_qp_disarm(idev);
	if (idev->reset_due) {
		idev->rings_held = true;
	} else {
		ipoib_ud_tx_purge(&idev->tx);
		ipoib_ud_rx_purge(&idev->rx);
	}

	/* 4. A failure from before this point is dealt with. */
	clear_bit(IPOIB_DEV_QP_FAILED, &idev->pending);
}

static void rings_free(struct ipoib_dev *idev)
{
	idev->rings = false;
	if (idev->rings_held)
		return;
	ipoib_ud_rx_free(&idev->rx);
	ipoib_ud_tx_free(&idev->tx);
}

/*
 * rings_release() frees what rings_halt() has kept. The QP was reset or replaced, so the HCA does
 * not use that any more.
 */
static void rings_release(struct ipoib_dev *idev)
{
	if (!idev->rings_held)
		return;
	ipoib_ud_tx_purge(&idev->tx);
	ipoib_ud_rx_purge(&idev->rx);
	idev->rings_held = false;
	rings_free(idev);
}

/*
 * qp_restore() resets the QP, or replaces it if the reset fails or if the QP or one of its CQs is
 * of no more use.
 */
static int qp_restore(struct ipoib_dev *idev)
{
	int err = -EIO;

	lockdep_assert_held(&idev->lock);

	if (!idev->renewal_due)
		err = ipoib_qp_move(&idev->qp, IB_QPS_RESET);
	if (err) {
		err = ipoib_qp_renew(&idev->qp);
		if (err)
			return err;
		idev->renewed = true;
	}
	idev->reset_due = false;
	idev->renewal_due = false;
	rings_release(idev);
	return 0;
}

/*
 * rings_release() comes after ipoib_qp_exit(), because the HCA may use what rings_halt() has
 * kept until the QP is destroyed.
 */
void ipoib_dev_qp_exit(struct ipoib_dev *idev)
{
	ipoib_qp_exit(&idev->qp);
	rings_release(idev);
}

static int arm(struct ipoib_dev *idev)
{
	int err;

	err = ipoib_qp_arm(&idev->qp, idev->fabric.link.pkey_index);
	idev->armed = !err;
	/* After a refusal the QP may be in any state. */
	idev->reset_due = err;
	return err;
}

/* The QP is in no group when ipoib_dev_qp_arm() is called, and may be replaced by another one. */
int ipoib_dev_qp_arm(struct ipoib_dev *idev)
{
	int err;

	lockdep_assert_held(&idev->lock);

	if (idev->reset_due || idev->renewal_due) {
		err = qp_restore(idev);
		if (err)
			return err;
	}
	err = arm(idev);
	if (err != -EINVAL)
		return err;

	/* irdma resets a QP that was used, but says then that it is in no state to go on. */
	idev->renewal_due = true;
	err = qp_restore(idev);
	return err ?: arm(idev);
}

int ipoib_dev_rings_start(struct ipoib_dev *idev)
{
	int err;

	lockdep_assert_held(&idev->lock);

	err = ipoib_ud_tx_alloc(&idev->tx, idev->tx_slots);
	if (err)
		return err;
	err = ipoib_ud_rx_alloc(&idev->rx, idev->rx_slots);
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

/* ipoib_dev_rings_stop() sleeps until the HCA has given its packets back, with a deadline. */
void ipoib_dev_rings_stop(struct ipoib_dev *idev)
{
	lockdep_assert_held(&idev->lock);

	if (!idev->rings)
		return;
	rings_halt(idev);
	rings_free(idev);
}

/*
 * remake() frees all rings and makes them anew. What is posted is sent first; the HCA drops what
 * comes while the QP, which stays in its groups, has no buffers.
 */
static int remake(struct ipoib_dev *idev)
{
	unsigned long deadline = jiffies + FINISH_TIMEOUT;
	int err;

	ipoib_ud_tx_stop(&idev->tx);
	ipoib_dev_chans_finish(idev, deadline);
	ipoib_ud_tx_drain(&idev->tx, deadline);

	/* No QP can be attached to a group between its reset and arm(). */
	mutex_lock(&idev->mcast.attach_lock);
	ipoib_dev_rings_stop(idev);
	err = idev->rings_held ? -EIO : arm(idev);
	mutex_unlock(&idev->mcast.attach_lock);
	return err ?: ipoib_dev_rings_start(idev);
}

/*
 * Without memory the rings are as they were, if there is memory for those. Otherwise, and where the
 * QP cannot be used again, there are none any more.
 */
int ipoib_dev_rings_resize(struct ipoib_dev *idev, u32 rx_slots, u32 tx_slots)
{
	u32 old_rx = idev->rx_slots, old_tx = idev->tx_slots;
	int err;

	lockdep_assert_held(&idev->lock);

	if (rx_slots == old_rx && tx_slots == old_tx)
		return 0;
	/* A QP that has failed is brought back in its time, and not because of this. */
	if (idev->rings && test_bit(IPOIB_DEV_QP_FAILED, &idev->pending))
		return -EBUSY;
	idev->rx_slots = rx_slots;
	idev->tx_slots = tx_slots;
	if (!idev->rings)
		return 0;
	err = remake(idev);
	if (err != -ENOMEM)
		return 0;

	idev->rx_slots = old_rx;
	idev->tx_slots = old_tx;
	if (idev->armed)
		ipoib_dev_rings_start(idev);
	return err;
}

/*
 * recover() brings the QP back from the error state. Paths are queried again, because on
 * soft-RoCE a send without a route puts the QP there. Groups stay attached.
 */
static int recover(struct ipoib_dev *idev)
{
	int err;

	mutex_lock(&idev->mcast.attach_lock);
	rings_halt(idev);
	ipoib_peertable_flush(&idev->peers);

	/* The QP is attached to groups here, and so it cannot be replaced. */
	err = idev->rings_held ? -EIO : arm(idev);
	mutex_unlock(&idev->mcast.attach_lock);
	if (!err)
		err = rings_run(idev);
	if (!err)
		return 0;

	/* No NAPI instance runs now, so freeing the slots is all that is left to do. */
	rings_free(idev);
	return err;
}

/*
 * resume() recovers sending alone. If the HCA refused a send, for its address handle perhaps,
 * there is no reason to forget all peers and to drop what is being received: only the peer that
 * it went to is forgotten. resume() returns false if that is not possible.
 */
static bool resume(struct ipoib_dev *idev)
{
	struct ipoib_ud_tx *tx = &idev->tx;

	if (!ipoib_qp_only_sends_failed(&idev->qp))
		return false;

	/* 1. Post nothing more, and wait for what was posted. */
	ipoib_ud_tx_stop(tx);
	if (!ipoib_ud_tx_drain(tx, jiffies + DRAIN_TIMEOUT))
		return false;

	/* 2. A failure from before this point is dealt with, a later one is new. */
	clear_bit(IPOIB_DEV_QP_FAILED, &idev->pending);
	/* Pairs with ipoib_dev_kick(): a ring has stopped before it says so. */
	smp_mb__after_atomic();
	/*
	 * Packets that no completion covers may be in the hands of the HCA, and what was received
	 * may have failed as well: neither is over without a reset.
	 */
	if (ipoib_ring_used(&tx->ring.ring) || !READ_ONCE(idev->rx.running))
		return false;
	if (ipoib_qp_resume(&idev->qp))
		return false;

	/* 3. Send again. */
	ipoib_ud_tx_halt(tx);
	ipoib_ud_tx_purge(tx);
	ipoib_peertable_forget(&idev->peers, &tx->ring.culprit);
	ipoib_ud_tx_start(tx, idev->qkey);
	return true;
}

/*
 * A QP that fails again and again is recovered ever more slowly. If must_wait() returns true, the
 * control work will try again.
 */
static bool must_wait(struct ipoib_dev *idev, enum ipoib_dev_pending what)
{
	lockdep_assert_held(&idev->lock);

	if (!time_in_range(jiffies, idev->recover_at - msecs_to_jiffies(recover_delay.max_ms),
			   idev->recover_at - 1))
		return false;
	ipoib_dev_kick_later(idev, what, idev->recover_at - jiffies);
	return true;
}

static void count_recovery(struct ipoib_dev *idev)
{
	u32 ms;

	lockdep_assert_held(&idev->lock);

	if (time_after(jiffies, idev->recover_at + RECOVER_QUIET))
		idev->recover_failures = 0;
	idev->recover_failures++;
	ms = ipoib_backoff_ms(&recover_delay, idev->recover_failures,
			      get_random_u32());
	idev->recover_at = jiffies + msecs_to_jiffies(ms);
	WRITE_ONCE(idev->recoveries, idev->recoveries + 1);
}

/* Nothing is sent while ipoib_dev_rings_must_wait() returns true. */
bool ipoib_dev_rings_must_wait(struct ipoib_dev *idev)
{
	ipoib_ud_tx_stop(&idev->tx);
	return must_wait(idev, IPOIB_DEV_QP_FAILED);
}

/* After an error of ipoib_dev_rings_recover() there are no rings any more. */
int ipoib_dev_rings_recover(struct ipoib_dev *idev)
{
	count_recovery(idev);
	return resume(idev) ? 0 : recover(idev);
}

/* The other channels, and what is received, go on meanwhile. */
void ipoib_dev_rings_recover_chans(struct ipoib_dev *idev)
{
	if (ipoib_dev_chans_hold(idev)) {
		if (must_wait(idev, IPOIB_DEV_CHAN_FAILED))
			return;
		count_recovery(idev);
	}
	ipoib_dev_chans_recover(idev);
}
