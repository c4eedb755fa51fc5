// SPDX-License-Identifier: GPL-2.0
#include "device.h"

#include <linux/rtnetlink.h>

#include "addr.h"
#include "bundle.h"
#include "log.h"
#include "xmit.h"

/* Delay until another try if connections could not be started. */
#define CONNS_RETRY		HZ

static struct ipoib_bundle *bundles_new(unsigned int count)
{
	struct ipoib_bundle *bundles = kvcalloc(count, sizeof(*bundles), GFP_KERNEL);
	unsigned int i;

	for (i = 0; bundles && i < count; i++) {
		spin_lock_init(&bundles[i].lock);
		u64_stats_init(&bundles[i].stats.syncp);
	}
	return bundles;
}

/**
 * ipoib_dev_conns_init - set up settings and counters of connected mode
 * @idev: the interface that is being made; its fabric has been described
 *
 * The interface begins in datagram mode.
 *
 * Return: 0 or -ENOMEM.
 * Context: Process context, may sleep; RTNL held.
 */
int ipoib_dev_conns_init(struct ipoib_dev *idev)
{
	idev->offer = IPOIB_OFFER_RC | (idev->config.uc ? IPOIB_OFFER_UC : 0);
	idev->conn_limit = min_t(unsigned int, IPOIB_CONN_LIMIT,
				 ipoib_conn_set_limit_max(idev->fabric.ibdev));
	idev->conn_idle_ms = IPOIB_CONN_IDLE_MS;

	ipoib_turn_share_init(&idev->conn_share);
	idev->bundles = bundles_new(idev->dev->num_tx_queues);
	if (!idev->bundles)
		return -ENOMEM;
	idev->conn_rx = netdev_alloc_pcpu_stats(struct ipoib_rx_stats);
	if (idev->conn_rx)
		return 0;
	kvfree(idev->bundles);
	return -ENOMEM;
}

/**
 * ipoib_dev_conns_exit - undo ipoib_dev_conns_init()
 * @idev: the interface; it has no connections any more
 *
 * Context: Process context.
 */
void ipoib_dev_conns_exit(struct ipoib_dev *idev)
{
	free_percpu(idev->conn_rx);
	kvfree(idev->bundles);
}

/*
 * Datagram mode takes what peers send by connections, and sends datagrams only. When set_conn_set()
 * returns, no sender uses the set that there was before: who had it has given up its TX lock.
 */
static void set_conn_set(struct ipoib_dev *idev, struct ipoib_conn_set *set)
{
	unsigned int i;

	lockdep_assert_held(&idev->lock);

	__netif_tx_lock_bh(idev->tx.txq);
	idev->conn_set = set;
	/* Senders on other queues read it without this lock, and then what is in the set. */
	smp_store_release(&idev->conns, set && set->opens ? set : NULL);
	idev->txs[0]->unflushed = NULL;
	__netif_tx_unlock_bh(idev->tx.txq);
	for (i = 1; i < idev->dev->num_tx_queues; i++) {
		__netif_tx_lock_bh(idev->txs[i]->txq);
		idev->txs[i]->unflushed = NULL;
		__netif_tx_unlock_bh(idev->txs[i]->txq);
	}
}

/**
 * ipoib_dev_conns_start - allow connections
 * @idev: an interface whose rings run
 *
 * In either mode, because our address says so to peers. Nothing happens if they are started
 * already, or if the user wants none: then the CM rejects each REQ, because nobody listens.
 *
 * A link without connections still has UD, so an error does not stop the link. Whether memory
 * was short or the CM or the provider refused, ctl_work() tries again because of
 * IPOIB_DEV_CONNS.
 *
 * Context: Process context, may sleep; the device's lock is held.
 */
void ipoib_dev_conns_start(struct ipoib_dev *idev)
{
	struct ipoib_conn_set *set;
	bool again = idev->conns_failed;

	lockdep_assert_held(&idev->lock);

	/*
	 * Settings are changed before restart() stops and starts connections under idev->lock, so
	 * a stale value here is corrected by that.
	 */
	if (!READ_ONCE(idev->offer) || idev->conn_set)
		return;

	set = ipoib_conn_set_start(idev);
	idev->conns_failed = IS_ERR(set);
	if (!IS_ERR(set)) {
		set_conn_set(idev, set);
		return;
	}
	if (!again && ipoib_may_log())
		netdev_warn(idev->dev, "no connections: %pe\n", set);
	ipoib_dev_kick_later(idev, IPOIB_DEV_CONNS, CONNS_RETRY);
}

/**
 * ipoib_dev_conns_stop - end all connections
 * @idev: an interface; it may have none
 *
 * Packets sent from now on go as datagrams. The connections end by themselves, see
 * ipoib_conn_set_stop().
 *
 * Context: Process context, may sleep; the device's lock is held.
 */
void ipoib_dev_conns_stop(struct ipoib_dev *idev)
{
	struct ipoib_conn_set *set = idev->conn_set;

	lockdep_assert_held(&idev->lock);

	idev->conns_failed = false;
	if (!set)
		return;
	set_conn_set(idev, NULL);
	ipoib_conn_set_stop(set);
}

/**
 * ipoib_dev_conns_check - stop connections whose completion queues have failed
 * @idev: an interface
 *
 * A set with a failed completion queue is of no use: it is stopped, and ctl_work() starts
 * another one.
 *
 * Context: Process context, may sleep; the device's lock is held.
 */
void ipoib_dev_conns_check(struct ipoib_dev *idev)
{
	lockdep_assert_held(&idev->lock);

	if (idev->conn_set && READ_ONCE(idev->conn_set->broken))
		ipoib_dev_conns_stop(idev);
}

/**
 * ipoib_dev_conns_hold - find the connections of an interface
 * @idev: the interface
 *
 * Return: the set, which the caller has to give back with ipoib_conn_set_put(); NULL if there can
 * be no connections now.
 * Context: Any but hard interrupt; neither the TX lock nor a lock that nests in it may be held.
 */
struct ipoib_conn_set *ipoib_dev_conns_hold(struct ipoib_dev *idev)
{
	struct ipoib_conn_set *conns;

	/*
	 * ipoib_dev_conns_hold() takes the TX lock instead of idev->lock, because the device
	 * waits under idev->lock for ipoib_dev_report(), one of the callers, and others must not
	 * wait for an HCA that hangs.
	 */
	__netif_tx_lock_bh(idev->tx.txq);
	conns = idev->conn_set;
	if (conns)
		ipoib_conn_set_hold(conns);
	__netif_tx_unlock_bh(idev->tx.txq);
	return conns;
}

/**
 * ipoib_dev_conns_refresh - close connections whose path may have changed
 * @idev: the interface
 * @gid: only connections to this port, or NULL for all
 * @age: younger connections are left alone, jiffies
 *
 * In datagram mode none is closed: only acknowledgments go by their paths, and a peer that gets
 * none closes its connection itself.
 *
 * Context: Process context.
 */
void ipoib_dev_conns_refresh(struct ipoib_dev *idev, const union ib_gid *gid,
			     unsigned long age)
{
	struct ipoib_conn_set *conns = ipoib_dev_conns_hold(idev);

	if (!conns)
		return;
	if (conns->opens)
		ipoib_conn_set_refresh(conns, gid, age);
	ipoib_conn_set_put(conns);
}

/**
 * ipoib_dev_conns_follow - the fabric has answered how to reach a peer
 * @idev: the interface
 * @addr: address of the peer
 * @path: the path
 *
 * Context: Process context; no lock of the driver is held.
 */
void ipoib_dev_conns_follow(struct ipoib_dev *idev, const struct ipoib_hwaddr *addr,
			    const struct sa_path_rec *path)
{
	struct ipoib_conn_set *conns = ipoib_dev_conns_hold(idev);

	if (!conns)
		return;
	ipoib_conn_set_follow(conns, addr, path);
	ipoib_conn_set_put(conns);
}

/**
 * ipoib_dev_conns_flags - flags octet of the interface's own address
 * @idev: the interface
 *
 * RFC 4755 section 3.1: the flags name the transports that the interface can accept. They depend
 * on no setting. A bond keeps a copy of the address, and so do neighbours and others: a bond
 * takes another one at a failover only, whatever its port announces. Peers that ask for what
 * the user does not want are refused, and send datagrams.
 *
 * Return: IPOIB_FLAG_RC, and IPOIB_FLAG_UC if the RDMA device has such queue pairs.
 * Context: Any.
 */
u8 ipoib_dev_conns_flags(const struct ipoib_dev *idev)
{
	return IPOIB_FLAG_RC | (idev->config.uc ? IPOIB_FLAG_UC : 0);
}

/* restart() closes all connections; those that are made from then on have the new settings. */
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
 * ipoib_dev_conns_set_mode - set datagram mode or connected mode
 * @idev: the interface
 * @connected: true for connected mode, which opens connections and sends by them
 *
 * Packets go by UD meanwhile. Peers may open connections in either mode.
 *
 * Context: Process context, RTNL held.
 */
void ipoib_dev_conns_set_mode(struct ipoib_dev *idev, bool connected)
{
	ASSERT_RTNL();
	if (idev->connected == connected)
		return;

	WRITE_ONCE(idev->connected, connected);
	/* Packets that may go by a connection rely on the HCA for nothing: see xmit_connected(). */
	if (connected)
		netdev_update_features(idev->dev);
	restart(idev);
	if (!connected)
		netdev_update_features(idev->dev);
}

/*
 * In connected mode the stack leaves checksums to us: to the link where the peer agrees, else
 * they are made when the packet is sent.
 */
static void follow_link_sums(struct ipoib_dev *idev)
{
	struct net_device *dev = idev->dev;

	ASSERT_RTNL();
	/*
	 * If nothing changes here, the features that the user has set since with ethtool -K stay.
	 */
	if (idev->link_sums == !!(dev->hw_features & NETIF_F_HW_CSUM))
		return;
	if (idev->link_sums) {
		dev->hw_features |= NETIF_F_HW_CSUM;
		dev->wanted_features |= NETIF_F_HW_CSUM;
	} else {
		dev->hw_features &= ~NETIF_F_HW_CSUM;
		dev->wanted_features &= ~NETIF_F_HW_CSUM;
	}
	netdev_update_features(dev);
}

/**
 * ipoib_dev_conns_set_offer - set which connections there are, and how packets are sent by them
 * @idev: the interface
 * @offer: transports: IPOIB_OFFER_RC, IPOIB_OFFER_UC, both or none
 * @opener_sends: true: on RC packets are sent only by connections that we have opened
 * @link_sums: true: checksums are left to the link where the peer agrees
 *
 * With no transport there are no connections in either mode.
 *
 * Return: 0; -EOPNOTSUPP if the RDMA device has no such queue pairs.
 * Context: Process context, RTNL held.
 */
int ipoib_dev_conns_set_offer(struct ipoib_dev *idev, unsigned int offer, bool opener_sends,
			      bool link_sums)
{
	ASSERT_RTNL();
	if (idev->offer == offer && idev->opener_sends == opener_sends &&
	    idev->link_sums == link_sums)
		return 0;
	if ((offer & IPOIB_OFFER_UC) && !idev->config.uc)
		return -EOPNOTSUPP;

	WRITE_ONCE(idev->offer, offer);
	WRITE_ONCE(idev->opener_sends, opener_sends);
	WRITE_ONCE(idev->link_sums, link_sums);
	restart(idev);
	follow_link_sums(idev);
	return 0;
}

/**
 * ipoib_dev_conns_set_limit - set how many connections there may be
 * @idev: the interface
 * @limit: 1 to ipoib_conn_set_limit_max()
 *
 * Return: 0; -EINVAL if @limit is out of range.
 * Context: Process context, RTNL held.
 */
int ipoib_dev_conns_set_limit(struct ipoib_dev *idev, unsigned int limit)
{
	ASSERT_RTNL();
	if (!limit || limit > ipoib_conn_set_limit_max(idev->fabric.ibdev))
		return -EINVAL;
	if (idev->conn_limit == limit)
		return 0;

	WRITE_ONCE(idev->conn_limit, limit);
	restart(idev);
	return 0;
}
