// SPDX-License-Identifier: GPL-2.0
#include "dev_chans.h"

#include <linux/cpumask.h>
#include <linux/netdevice.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "device.h"
#include "log.h"

/*
 * chans_drop() waits this long at most until the HCA has sent what is on the rings of channels that
 * are given up. It waits under RTNL, and a link that stands still must not hold that up for long.
 */
#define CHAN_DRAIN_TIMEOUT	(2 * HZ)

/* chan_start() has a channel that has got no QP try again after this time. */
#define CHAN_RETRY_DELAY	(10 * HZ)

/**
 * ipoib_dev_chans_max - how many channels an interface may get
 *
 * Return: one for each CPU, but at most IPOIB_MAX_CHANNELS.
 * Context: Any.
 */
unsigned int ipoib_dev_chans_max(void)
{
	return min_t(unsigned int, num_possible_cpus(), IPOIB_MAX_CHANNELS);
}

/* More channels than completion vectors would share interrupts, and gain nothing. */
static unsigned int chans_wanted(const struct ipoib_dev *idev)
{
	const struct ib_device *ibdev = idev->fabric.ibdev;
	unsigned int count = idev->config.channels;

	if (!count)
		count = min_t(unsigned int, num_online_cpus(), ibdev->num_comp_vectors);
	return clamp_t(unsigned int, count, 1, idev->dev->num_tx_queues);
}

/*
 * Each CPU sends by the channel of its number, so that CPUs share no queue that need not. Without
 * memory for that, and from CPUs that come later, the stack spreads flows by their hash.
 */
static void spread(struct ipoib_dev *idev, unsigned int count)
{
	unsigned int cpu, i;
	cpumask_var_t mask;

	if (count == 1 || !zalloc_cpumask_var(&mask, GFP_KERNEL))
		return;
	for (i = 0; i < count; i++) {
		cpumask_clear(mask);
		for_each_possible_cpu(cpu)
			if (cpu % count == i)
				cpumask_set_cpu(cpu, mask);
		netif_set_xps_queue(idev->dev, mask, i);
	}
	free_cpumask_var(mask);
}

static int set_count(struct ipoib_dev *idev, unsigned int count)
{
	int err;

	ASSERT_RTNL();
	err = netif_set_real_num_tx_queues(idev->dev, count);
	if (!err && idev->spread)
		spread(idev, count);
	return err;
}

/**
 * ipoib_dev_chans_open - have each CPU send by a channel of its own from now on
 * @idev: the interface, which goes up
 *
 * The first time only, so that what the user has set stays. An interface that was never registered
 * must not have XPS, because nothing would free that.
 *
 * Context: Process context, RTNL held.
 */
void ipoib_dev_chans_open(struct ipoib_dev *idev)
{
	ASSERT_RTNL();
	if (idev->spread)
		return;
	idev->spread = true;
	spread(idev, idev->dev->real_num_tx_queues);
}

static void chan_init(struct ipoib_dev *idev, struct ipoib_chan *chan, unsigned int queue)
{
	struct ipoib_ud_tx *tx = &chan->tx;

	chan->qp.idev = idev;
	chan->qp.tx = tx;
	chan->qp.pd = idev->config.pd;
	tx->ring.max_sge = idev->tx.ring.max_sge;
	tx->dev = idev->dev;
	tx->txq = netdev_get_tx_queue(idev->dev, queue);
	tx->qp = &chan->qp;
	tx->drops = &idev->drops;
	tx->bin = &idev->ah_bin;
	tx->failure = IPOIB_DEV_CHAN_FAILED;
	ipoib_moder_init(&tx->moder, &idev->tx_moder, true);
	ipoib_ud_tx_init(tx);
}

/**
 * ipoib_dev_chans_init - make the channels of an interface, which send nothing yet
 * @idev: the interface, with its own rings
 *
 * Return: 0 or -ENOMEM.
 * Context: Process context, RTNL held; the net_device is not registered.
 */
int ipoib_dev_chans_init(struct ipoib_dev *idev)
{
	unsigned int i, more = idev->dev->num_tx_queues - 1;

	idev->txs[0] = &idev->tx;
	idev->chan_count = chans_wanted(idev);
	if (more) {
		idev->chans = kvcalloc(more, sizeof(*idev->chans), GFP_KERNEL);
		if (!idev->chans)
			return -ENOMEM;
	}
	for (i = 0; i < more; i++) {
		chan_init(idev, &idev->chans[i], i + 1);
		idev->txs[i + 1] = &idev->chans[i].tx;
	}
	return set_count(idev, idev->chan_count);
}

/**
 * ipoib_dev_chans_exit - undo ipoib_dev_chans_init()
 * @idev: the interface, stopped; nothing uses its channels
 *
 * Context: Process context, may sleep.
 */
void ipoib_dev_chans_exit(struct ipoib_dev *idev)
{
	unsigned int i;

	for (i = 1; idev->chans && i < idev->dev->num_tx_queues; i++)
		ipoib_ud_tx_exit(idev->txs[i]);
	kvfree(idev->chans);
}

static int chan_try(struct ipoib_dev *idev, struct ipoib_chan *chan)
{
	u16 pkey_index = idev->fabric.link.pkey_index;
	int err;

	/* From here on a new QP may fail. */
	WRITE_ONCE(chan->tx.failed, false);
	err = ipoib_ud_tx_alloc(&chan->tx, idev->tx_slots);
	if (err)
		return err;
	err = ipoib_qp_init(&chan->qp);
	if (err)
		goto err_tx;
	err = ipoib_qp_arm(&chan->qp, pkey_index) ?:
	      ipoib_qp_start(&chan->qp, pkey_index, idev->qkey);
	if (err)
		goto err_qp;

	chan->up = true;
	ipoib_ud_tx_start(&chan->tx, idev->qkey);
	return 0;

err_qp:
	ipoib_qp_exit(&chan->qp);
err_tx:
	ipoib_ud_tx_free(&chan->tx);
	return err;
}

/*
 * chan_start() has a channel that gets no QP try again later. Its queue is started all the same:
 * packets go by the first channel then, and the watchdog would take a stopped queue for a dead one.
 */
static void chan_start(struct ipoib_dev *idev, struct ipoib_chan *chan)
{
	int err;

	if (chan->up)
		return;
	err = chan_try(idev, chan);
	if (!err)
		return;
	netif_tx_wake_queue(chan->tx.txq);
	ipoib_dev_kick_later(idev, IPOIB_DEV_CHAN_FAILED, CHAN_RETRY_DELAY);
	if (ipoib_may_log())
		netdev_warn(idev->dev, "no QP for channel %u: %pe\n",
			    (unsigned int)(chan - idev->chans) + 1, ERR_PTR(err));
}

static void chan_halt(struct ipoib_chan *chan)
{
	ipoib_ud_tx_stop(&chan->tx);
	ipoib_ud_tx_halt(&chan->tx);
}

/* What the HCA has not sent yet is dropped when the QP is gone. */
static void chan_free(struct ipoib_chan *chan)
{
	chan->up = false;
	ipoib_qp_exit(&chan->qp);
	ipoib_ud_tx_purge(&chan->tx);
	ipoib_ud_tx_free(&chan->tx);
}

/*
 * chans_stop() stops those channels from @first on of which @which is true, if they send. A poll
 * that has ended for napi_disable() may still be about to arm its completion queue, so these are
 * destroyed after a grace period.
 */
static void chans_stop(struct ipoib_dev *idev, unsigned int first,
		       bool (*which)(const struct ipoib_chan *chan))
{
	unsigned long stopped = 0;
	unsigned int i;

	lockdep_assert_held(&idev->lock);

	for (i = first; i < idev->chan_count; i++) {
		if (!which(&idev->chans[i - 1]))
			continue;
		chan_halt(&idev->chans[i - 1]);
		stopped |= BIT(i);
	}
	if (!stopped)
		return;
	synchronize_net();
	for_each_set_bit(i, &stopped, IPOIB_MAX_CHANNELS)
		chan_free(&idev->chans[i - 1]);
}

static bool is_up(const struct ipoib_chan *chan)
{
	return chan->up;
}

static bool has_failed(const struct ipoib_chan *chan)
{
	return chan->up && READ_ONCE(chan->tx.failed);
}

/* Has the HCA sent all of it? Waits for that until @deadline. */
static bool drained(struct ipoib_chan *chan, unsigned long deadline)
{
	return !chan->up || ipoib_ud_tx_drain(&chan->tx, deadline);
}

/* Nothing more is posted from channel @first on, and what was is waited for until @deadline. */
static void chans_finish(struct ipoib_dev *idev, unsigned int first, unsigned long deadline)
{
	unsigned int i;

	lockdep_assert_held(&idev->lock);

	for (i = first; i < idev->chan_count; i++)
		ipoib_ud_tx_stop(&idev->chans[i - 1].tx);
	for (i = first; i < idev->chan_count && drained(&idev->chans[i - 1], deadline); i++)
		;
}

/**
 * ipoib_dev_chans_finish - have the channels but the first send what they have, and nothing more
 * @idev: the interface
 * @deadline: until when that is waited for, jiffies
 *
 * Context: Process context, may sleep; the device's lock is held.
 */
void ipoib_dev_chans_finish(struct ipoib_dev *idev, unsigned long deadline)
{
	chans_finish(idev, 1, deadline);
}

/**
 * ipoib_dev_chans_start - have all channels send
 * @idev: the interface, whose own rings run
 *
 * Context: Process context, may sleep; the device's lock is held.
 */
void ipoib_dev_chans_start(struct ipoib_dev *idev)
{
	unsigned int i;

	lockdep_assert_held(&idev->lock);

	for (i = 1; i < idev->chan_count; i++)
		chan_start(idev, &idev->chans[i - 1]);
}

/**
 * ipoib_dev_chans_stop - have no channel send but the first
 * @idev: the interface
 *
 * The queues stay stopped. What was posted is not waited for, because the link is down or a QP has
 * failed.
 *
 * Context: Process context, may sleep; the device's lock is held.
 */
void ipoib_dev_chans_stop(struct ipoib_dev *idev)
{
	chans_stop(idev, 1, is_up);
}

/**
 * ipoib_dev_chans_hold - have channels that have failed send nothing more
 * @idev: the interface
 *
 * Return: false if none has failed.
 * Context: Process context, may sleep; the device's lock is held.
 */
bool ipoib_dev_chans_hold(struct ipoib_dev *idev)
{
	bool any = false;
	unsigned int i;

	lockdep_assert_held(&idev->lock);

	for (i = 1; i < idev->chan_count; i++) {
		if (!has_failed(&idev->chans[i - 1]))
			continue;
		ipoib_ud_tx_stop(&idev->chans[i - 1].tx);
		any = true;
	}
	return any;
}

/**
 * ipoib_dev_chans_recover - give QPs to the channels that have failed, or that could get none
 * @idev: the interface, whose own rings run
 *
 * The peer that the failed send went to is forgotten, because its path may be the cause.
 *
 * Context: Process context, may sleep; the device's lock is held.
 */
void ipoib_dev_chans_recover(struct ipoib_dev *idev)
{
	struct ipoib_chan *chan;
	unsigned int i;

	chans_stop(idev, 1, has_failed);
	for (i = 1; i < idev->chan_count; i++) {
		chan = &idev->chans[i - 1];
		if (chan->up)
			continue;
		ipoib_peertable_forget(&idev->peers, &chan->tx.ring.culprit);
		/* If the channel cannot be started, this comes again, and the peer may be well. */
		memset(&chan->tx.ring.culprit, 0, sizeof(chan->tx.ring.culprit));
		chan_start(idev, chan);
	}
}

/**
 * ipoib_dev_chans_moderate - have the completion queues follow the user's wish
 * @idev: the interface
 *
 * Return: 0 or what the provider says.
 * Context: Process context, may sleep; the device's lock is held.
 */
int ipoib_dev_chans_moderate(struct ipoib_dev *idev)
{
	unsigned int i;
	int err = 0;

	lockdep_assert_held(&idev->lock);

	for (i = 1; i < idev->dev->num_tx_queues && !err; i++)
		err = ipoib_moder_apply(&idev->txs[i]->moder);
	return err;
}

/* The stack uses the first @count queues only. */
static void chans_drop(struct ipoib_dev *idev, unsigned int count)
{
	unsigned int i;

	lockdep_assert_held(&idev->lock);

	chans_finish(idev, count, jiffies + CHAN_DRAIN_TIMEOUT);
	chans_stop(idev, count, is_up);
	/* The watchdog looks at queues that are not used, too. */
	for (i = count; i < idev->chan_count; i++)
		netif_tx_wake_queue(idev->chans[i - 1].tx.txq);
	idev->chan_count = count;
}

static void chans_raise(struct ipoib_dev *idev, unsigned int count)
{
	unsigned int i;

	lockdep_assert_held(&idev->lock);

	for (i = idev->chan_count; i < count && idev->rings; i++)
		chan_start(idev, &idev->chans[i - 1]);
	idev->chan_count = count;
}

static void chans_change(struct ipoib_dev *idev, unsigned int count)
{
	unsigned int noio;

	mutex_lock(&idev->lock);
	/* Packets of a block device may wait for the lock: no page may wait for those. */
	noio = memalloc_noio_save();
	if (count < idev->chan_count)
		chans_drop(idev, count);
	else
		chans_raise(idev, count);
	memalloc_noio_restore(noio);
	mutex_unlock(&idev->lock);
}

/**
 * ipoib_dev_chans_set - set the number of channels
 * @idev: the interface
 * @count: 1 to the number of queues that the net_device has
 *
 * Nothing else of the interface is touched. What is on the ring of a channel that is given up is
 * sent; the stack drops what waits in its queue.
 *
 * Return: 0 or -ENOMEM.
 * Context: Process context, RTNL held; the device's lock is not.
 */
int ipoib_dev_chans_set(struct ipoib_dev *idev, unsigned int count)
{
	unsigned int before = idev->dev->real_num_tx_queues;
	int err;

	ASSERT_RTNL();
	if (count == before)
		return 0;
	if (count > before)
		chans_change(idev, count);
	err = set_count(idev, count);
	if (!err && count < before)
		chans_change(idev, count);
	else if (err && count > before)
		chans_change(idev, before);
	return err;
}
