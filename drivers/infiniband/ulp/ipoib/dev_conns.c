// SPDX-License-Identifier: GPL-2.0
#include "dev_conns.h"

#include <linux/rtnetlink.h>

#include "device.h"
#include "hwaddr.h"
#include "xmit.h"

/* Connections that could not be started, for want of memory, are tried again. */
#define CONNS_RETRY		HZ

/**
 * ipoib_dev_conns_init - settings and counters of connected mode
 * @idev: the interface that is being made; its fabric has been described
 *
 * It is in datagram mode.
 *
 * Return: 0 or -ENOMEM.
 * Context: Process context, may sleep; RTNL held.
 */
int ipoib_dev_conns_init(struct ipoib_dev *idev)
{
	idev->offer = IPOIB_OFFER_RC | IPOIB_OFFER_UC;
	idev->conn_limit = min_t(unsigned int, IPOIB_CONN_LIMIT,
				 ipoib_dev_conns_limit_max(idev));
	idev->conn_idle_ms = IPOIB_CONN_IDLE_MS;

	u64_stats_init(&idev->conn_tx.syncp);
	idev->conn_rx = netdev_alloc_pcpu_stats(struct ipoib_rx_stats);
	return idev->conn_rx ? 0 : -ENOMEM;
}

/**
 * ipoib_dev_conns_exit - undo ipoib_dev_conns_init()
 * @idev: the interface; of its connections none is left
 *
 * Context: Process context.
 */
void ipoib_dev_conns_exit(struct ipoib_dev *idev)
{
	free_percpu(idev->conn_rx);
}

static void set_conns(struct ipoib_dev *idev, struct ipoib_connset *conns)
{
	__netif_tx_lock_bh(idev->tx.txq);
	idev->conns = conns;
	__netif_tx_unlock_bh(idev->tx.txq);
}

/**
 * ipoib_dev_conns_start - from now on there may be connections
 * @idev: an interface whose rings run
 *
 * Nothing is done in datagram mode, or if it was done before.
 *
 * Without connections UD has to do: that is no reason to have no link. So what
 * fails, for want of memory or because the CM or the provider says so, is tried
 * again by the control work, IPOIB_DEV_CONNS.
 *
 * Context: Process context, may sleep; the device's lock is held.
 */
void ipoib_dev_conns_start(struct ipoib_dev *idev)
{
	struct ipoib_connset_config config = {
		.dev		= idev->dev,
		.txq		= idev->tx.txq,
		.pd		= idev->config.pd,
		.fabric		= &idev->fabric,
		.peers		= &idev->peers,
		.drops		= &idev->drops,
		.rx_stats	= idev->conn_rx,
		.tx_stats	= &idev->conn_tx,
		.users		= &idev->users,
		.qpn		= idev->qp.ib->qp_num,
		.pkey		= idev->fabric.pkey,
		.pkey_index	= idev->fabric.link.pkey_index,
		.gid_index	= idev->fabric.link.gid_attr->index,
		.offer		= READ_ONCE(idev->offer),
		.limit		= READ_ONCE(idev->conn_limit),
		.idle_ms	= &idev->conn_idle_ms,
		.released	= ipoib_xmit_release,
		.too_big	= ipoib_xmit_too_big,
		.ctx		= idev,
		.wq		= idev->config.conn_wq,
		.fail_alloc	= &idev->rx.fail_alloc,
	};
	struct ipoib_connset *conns;
	bool again = idev->conns_failed;

	lockdep_assert_held(&idev->lock);

	/* Who changes it does so before, and starts them anew. */
	if (!READ_ONCE(idev->connected) || idev->conns)
		return;

	ipoib_hwaddr_set(&config.self, 0, config.qpn, &idev->fabric.link.gid);
	conns = ipoib_connset_start(&config);
	WRITE_ONCE(idev->conns_failed, IS_ERR(conns));
	if (!IS_ERR(conns)) {
		set_conns(idev, conns);
		return;
	}
	if (!again && net_ratelimit())
		netdev_warn(idev->dev, "no connections: %pe\n", conns);
	ipoib_dev_kick_later(idev, IPOIB_DEV_CONNS, CONNS_RETRY);
}

/**
 * ipoib_dev_conns_stop - there are no connections any more
 * @idev: an interface; it may have none
 *
 * What is sent from now on goes as datagrams. Nobody waits for the connections
 * to end, see ipoib_connset_stop().
 *
 * Context: Process context, may sleep; the device's lock is held.
 */
void ipoib_dev_conns_stop(struct ipoib_dev *idev)
{
	struct ipoib_connset *conns = idev->conns;

	lockdep_assert_held(&idev->lock);

	WRITE_ONCE(idev->conns_failed, false);
	if (!conns)
		return;
	set_conns(idev, NULL);
	ipoib_connset_stop(conns);
}

/**
 * ipoib_dev_conns_refresh - paths of connections may lead elsewhere now
 * @idev: the interface
 * @gid: only those to this port, or NULL
 * @age: leave younger ones alone, jiffies
 *
 * Context: Process context.
 */
void ipoib_dev_conns_refresh(struct ipoib_dev *idev, const union ib_gid *gid,
			     unsigned long age)
{
	struct ipoib_connset *conns;

	/* Who stops the connections may hold idev->lock and wait for us. */
	__netif_tx_lock_bh(idev->tx.txq);
	conns = idev->conns;
	if (conns)
		ipoib_connset_hold(conns);
	__netif_tx_unlock_bh(idev->tx.txq);
	if (!conns)
		return;
	ipoib_connset_refresh(conns, gid, age);
	ipoib_connset_put(conns);
}

/**
 * ipoib_dev_conns_full - does a connection hold the queue of the interface
 * @ctx: the interface
 *
 * Return: whether the ring of one is full, and the queue stopped for it.
 * Context: TX lock held.
 */
bool ipoib_dev_conns_full(void *ctx)
{
	struct ipoib_dev *idev = ctx;

	return idev->conns && idev->conns->tx.full;
}

/**
 * ipoib_dev_conns_flags - flags octet of the interface's own address
 * @idev: the interface
 *
 * RFC 4755 section 3.1: what is accepted now, and nothing else.
 *
 * Return: IPOIB_FLAG_RC, IPOIB_FLAG_UC, both; or 0 in datagram mode.
 * Context: Process context, RTNL held.
 */
u8 ipoib_dev_conns_flags(const struct ipoib_dev *idev)
{
	u8 flags = 0;

	if (!idev->connected)
		return 0;
	if (idev->offer & IPOIB_OFFER_RC)
		flags |= IPOIB_FLAG_RC;
	if (idev->offer & IPOIB_OFFER_UC)
		flags |= IPOIB_FLAG_UC;
	return flags;
}

/* Connections as they are wanted now; those there were are closed. */
static void restart(struct ipoib_dev *idev)
{
	unsigned int mtu;

	ASSERT_RTNL();
	mutex_lock(&idev->lock);
	ipoib_dev_conns_stop(idev);
	if (idev->rings)
		ipoib_dev_conns_start(idev);
	mtu = ipoib_dev_link_mtu(idev);
	mutex_unlock(&idev->lock);

	ipoib_dev_follow_mode(idev, mtu);
}

/**
 * ipoib_dev_conns_set_mode - datagrams only, or connections as well
 * @idev: the interface
 * @connected: whether connections are offered, and used
 *
 * Packets go on by UD meanwhile. The flags of the address change, and with
 * them what neighbours know.
 *
 * Context: Process context, RTNL held.
 */
void ipoib_dev_conns_set_mode(struct ipoib_dev *idev, bool connected)
{
	ASSERT_RTNL();
	if (idev->connected == connected)
		return;

	/*
	 * Who is told that a packet is too long is found by its route. A bond
	 * keeps routes if its slaves do, and looks when their features change.
	 */
	if (connected) {
		/* A sender that has not seen it drops one more route. */
		(void)data_race(({ netif_keep_dst(idev->dev); 0; }));
		netdev_features_change(idev->dev);
	}
	WRITE_ONCE(idev->connected, connected);
	restart(idev);
}

/**
 * ipoib_dev_conns_set_offer - which transports connections may have
 * @idev: the interface
 * @offer: IPOIB_OFFER_RC, IPOIB_OFFER_UC or both
 *
 * Return: 0; -EINVAL if none is left, which is what datagram mode is for.
 * Context: Process context, RTNL held.
 */
int ipoib_dev_conns_set_offer(struct ipoib_dev *idev, unsigned int offer)
{
	ASSERT_RTNL();
	if (!offer)
		return -EINVAL;
	if (idev->offer == offer)
		return 0;

	WRITE_ONCE(idev->offer, offer);
	if (idev->connected)
		restart(idev);
	return 0;
}

/**
 * ipoib_dev_conns_limit_max - the highest limit of connections
 * @idev: the interface
 *
 * Return: what the RDMA device has room for.
 * Context: Any.
 */
unsigned int ipoib_dev_conns_limit_max(const struct ipoib_dev *idev)
{
	return ipoib_connset_limit_max(idev->fabric.ibdev);
}

/**
 * ipoib_dev_conns_set_limit - how many connections there may be
 * @idev: the interface
 * @limit: up to ipoib_dev_conns_limit_max()
 *
 * Return: 0; -EINVAL if there may be none.
 * Context: Process context, RTNL held.
 */
int ipoib_dev_conns_set_limit(struct ipoib_dev *idev, unsigned int limit)
{
	ASSERT_RTNL();
	if (!limit || limit > ipoib_dev_conns_limit_max(idev))
		return -EINVAL;
	if (idev->conn_limit == limit)
		return 0;

	WRITE_ONCE(idev->conn_limit, limit);
	if (idev->connected)
		restart(idev);
	return 0;
}
