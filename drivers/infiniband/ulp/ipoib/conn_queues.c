// SPDX-License-Identifier: GPL-2.0
/*
 * The queues that packets of connections go and come by: which connections share them, and which
 * have one of their own.
 */
#include <linux/slab.h>

#include "conn_set.h"
#include "device.h"

static int rxs_init(struct ipoib_conn_set *set)
{
	struct ipoib_dev *idev = set->idev;
	unsigned int i;

	lockdep_assert_held(&idev->lock);

	if (!ipoib_conn_rx_shared(idev->config.pd->device))
		return 0;
	set->rx_count = min_t(unsigned int, idev->chan_count, IPOIB_CONN_RXS_MAX);
	set->rxs = kvcalloc(set->rx_count, sizeof(*set->rxs), GFP_KERNEL);
	if (!set->rxs)
		return -ENOMEM;
	for (i = 0; i < set->rx_count; i++)
		ipoib_moder_init(&set->rxs[i].moder, &idev->rx_moder, false);
	return 0;
}

static void rxs_exit(struct ipoib_conn_set *set)
{
	unsigned int i;

	for (i = 0; i < set->rx_count; i++)
		ipoib_moder_exit(&set->rxs[i].moder);
	kvfree(set->rxs);
}

/**
 * ipoib_conn_queues_init - prepare the queues of a set, which its connections will make
 * @set: the set, whose @idev is set
 *
 * Return: 0 or -ENOMEM.
 * Context: Process context, may sleep; the device's lock is held.
 */
int ipoib_conn_queues_init(struct ipoib_conn_set *set)
{
	int err;

	mutex_init(&set->rings_lock);
	err = rxs_init(set);
	if (err)
		return err;
	err = ipoib_conn_txs_init(set);
	if (err)
		rxs_exit(set);
	return err;
}

/**
 * ipoib_conn_queues_exit - undo ipoib_conn_queues_init()
 * @set: the set, which no connection uses any more
 *
 * Context: Process context, may sleep.
 */
void ipoib_conn_queues_exit(struct ipoib_conn_set *set)
{
	rxs_exit(set);
	ipoib_conn_txs_exit(set);
}

static int rx_get(struct ipoib_conn_rx *rx, struct ipoib_conn_set *set)
{
	int err;

	lockdep_assert_held(&set->rings_lock);

	if (!rx->users) {
		err = ipoib_conn_rx_open(rx, set);
		if (err)
			return err;
	}
	rx->users++;
	return 0;
}

static void rx_put(struct ipoib_conn_rx *rx, struct ipoib_conn_set *set)
{
	lockdep_assert_held(&set->rings_lock);

	if (!--rx->users)
		ipoib_conn_rx_close(rx);
}

/* shared_get() makes the queues that connections share, for the first one that needs them. */
static int shared_get(struct ipoib_conn *conn)
{
	struct ipoib_conn_set *set = conn->set;
	struct ipoib_conn_rx *rx = ipoib_conn_set_rx(set, conn->tx);
	int err;

	mutex_lock(&set->rings_lock);
	err = ipoib_conn_tx_get(conn->tx);
	if (!err && rx) {
		err = rx_get(rx, set);
		if (err)
			ipoib_conn_tx_put(conn->tx);
	}
	mutex_unlock(&set->rings_lock);
	return err;
}

static void shared_put(struct ipoib_conn *conn)
{
	struct ipoib_conn_set *set = conn->set;
	struct ipoib_conn_rx *rx = ipoib_conn_set_rx(set, conn->tx);

	mutex_lock(&set->rings_lock);
	if (rx)
		rx_put(rx, set);
	ipoib_conn_tx_put(conn->tx);
	mutex_unlock(&set->rings_lock);
}

static struct ipoib_conn_rx *own_rx(struct ipoib_conn_set *set)
{
	struct ipoib_conn_rx *rx;
	int err;

	rx = kvzalloc(sizeof(*rx), GFP_KERNEL);
	if (!rx)
		return ERR_PTR(-ENOMEM);
	ipoib_moder_init(&rx->moder, &set->idev->rx_moder, false);
	err = ipoib_conn_rx_open(rx, set);
	if (err) {
		ipoib_moder_exit(&rx->moder);
		kvfree(rx);
		return ERR_PTR(err);
	}
	return rx;
}

/**
 * ipoib_conn_queues_get - make the queues for a connection, or use those there are
 * @conn: the connection, whose @rx this sets
 *
 * Return: 0 or a negative errno.
 * Context: Process context, may sleep.
 */
int ipoib_conn_queues_get(struct ipoib_conn *conn)
{
	int err;

	err = shared_get(conn);
	if (err)
		return err;

	conn->rx = ipoib_conn_set_rx(conn->set, conn->tx) ?: own_rx(conn->set);
	if (IS_ERR(conn->rx)) {
		err = PTR_ERR(conn->rx);
		conn->rx = NULL;
		shared_put(conn);
	}
	return err;
}

/**
 * ipoib_conn_queues_put - give the queues of a connection back
 * @conn: the connection, without a QP
 *
 * Context: Process context, may sleep.
 */
void ipoib_conn_queues_put(struct ipoib_conn *conn)
{
	if (!ipoib_conn_set_rx(conn->set, conn->tx)) {
		ipoib_conn_rx_close(conn->rx);
		ipoib_moder_exit(&conn->rx->moder);
		kvfree(conn->rx);
	}
	conn->rx = NULL;
	shared_put(conn);
}

/**
 * ipoib_conn_queues_posted - how many receive buffers that connections share the HCA has
 * @set: the set
 *
 * Return: the number, only for display.
 * Context: Any.
 */
unsigned int ipoib_conn_queues_posted(const struct ipoib_conn_set *set)
{
	unsigned int i, n = 0;

	for (i = 0; i < set->rx_count; i++)
		n += ipoib_conn_rx_posted(&set->rxs[i]);
	return n;
}

/**
 * ipoib_conn_queues_moderate - follow a change of ipoib_dev.rx_moder or ipoib_dev.tx_moder
 * @set: the set
 *
 * Where a connection has a receive queue of its own, that is as it was when it was made. No HCA
 * that can moderate makes such connections.
 *
 * Return: 0 or what the provider says.
 * Context: Process context, may sleep; the device's lock is held.
 */
int ipoib_conn_queues_moderate(struct ipoib_conn_set *set)
{
	unsigned int i;
	int err = 0;

	lockdep_assert_held(&set->idev->lock);

	for (i = 0; i < set->rx_count && !err; i++)
		err = ipoib_moder_apply(&set->rxs[i].moder);
	return err ?: ipoib_conn_txs_moderate(set);
}
