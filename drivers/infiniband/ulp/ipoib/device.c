// SPDX-License-Identifier: GPL-2.0
#include "device.h"

#include <linux/rtnetlink.h>

#include "backoff.h"
#include "dev_conns.h"
#include "dev_rings.h"
#include "event.h"
#include "hwaddr.h"
#include "mgid.h"
#include "trace.h"
#include "xmit.h"

/* A GID that is away for so long is gone; when it is looked for first. */
#define GID_AWAY_TIME		msecs_to_jiffies(300)
#define GID_AWAY_LOOK		msecs_to_jiffies(10)

static const struct ipoib_backoff look_delay = {
	.min_ms = 100,
	.max_ms = 8000,
};

static void ctl_work(struct work_struct *work);
static void later_work(struct work_struct *work);
static void group_news(void *ctx);

/* ---- making and taking apart ---------------------------------------- */

static int tables_init(struct ipoib_dev *idev)
{
	struct ipoib_mcastset *mcast = &idev->mcast;
	struct ipoib_peertable *peers = &idev->peers;

	mcast->dev = idev->dev;
	mcast->fabric = &idev->fabric;
	mcast->qp = &idev->qp;
	mcast->users = &idev->users;
	mcast->changed = group_news;
	mcast->ctx = idev;
	ipoib_mcastset_init(mcast);

	peers->dev = idev->dev;
	peers->fabric = &idev->fabric;
	peers->mcast = mcast;
	peers->qp = &idev->qp;
	peers->drops = &idev->drops;
	peers->users = &idev->users;
	peers->ops = &ipoib_xmit_peer_ops;
	peers->ctx = idev;
	return ipoib_peertable_init(peers);
}

/* Senders look at it under the TX lock. */
static void set_broadcast(struct ipoib_dev *idev, const union ib_gid *mgid)
{
	__netif_tx_lock_bh(idev->tx.txq);
	idev->broadcast = *mgid;
	__netif_tx_unlock_bh(idev->tx.txq);
}

static void set_addresses(struct ipoib_dev *idev, const union ib_gid *gid)
{
	struct ipoib_hwaddr addr;

	ipoib_hwaddr_set(&addr, ipoib_dev_conns_flags(idev),
			 idev->qp.ib->qp_num, gid);
	dev_addr_set(idev->dev, (const u8 *)&addr);
	ipoib_hwaddr_set(&addr, 0, IPOIB_MCAST_QPN, &idev->broadcast);
	memcpy(idev->dev->broadcast, &addr, sizeof(addr));
}

/**
 * ipoib_dev_init - make an interface
 * @idev: zeroed but for @dev, @config, @umcast and @user_mtu
 *
 * Nothing is asked of the fabric yet; the interface is down.
 *
 * Return: 0; -EADDRNOTAVAIL if the port has no GID to be named by; -ENOMEM;
 * or what the provider says.
 * Context: Process context, RTNL held.
 */
int ipoib_dev_init(struct ipoib_dev *idev)
{
	struct ipoib_link link;
	int err;

	ASSERT_RTNL();
	ipoib_users_init(&idev->users);
	mutex_init(&idev->lock);
	INIT_WORK(&idev->ctl, ctl_work);
	INIT_DELAYED_WORK(&idev->later, later_work);
	idev->state = IPOIB_DEV_DOWN;
	idev->recover_at = jiffies;
	INIT_LIST_HEAD(&idev->on_port);

	err = ipoib_drops_init(&idev->drops, idev->dev->name);
	if (err)
		return err;

	idev->config.fabric.report = ipoib_event_report;
	idev->config.fabric.report_ctx = idev;
	ipoib_fabric_init(&idev->fabric, idev->config.fabric_ops,
			  &idev->config.fabric, &idev->users);
	err = ipoib_dev_conns_init(idev);
	if (err)
		goto err_fabric;

	idev->fabric.ops->locate(&idev->fabric, &link);
	if (!link.gid_attr) {
		err = -EADDRNOTAVAIL;
		goto err_conns;
	}
	ipoib_mgid_broadcast(&idev->broadcast,
			     idev->config.scope ?: IPOIB_SCOPE_LINK,
			     idev->fabric.pkey);

	err = ipoib_dev_qp_init(idev);
	if (err)
		goto err_link;

	err = tables_init(idev);
	if (err)
		goto err_qp;

	ipoib_dev_rings_init(idev);
	idev->toobig.wq = idev->fabric.wq;
	idev->toobig.drops = &idev->drops;
	ipoib_toobig_init(&idev->toobig);
	set_addresses(idev, &link.gid);
	idev->max_len = link.mtu;
	if (!idev->user_mtu)
		idev->dev->mtu = link.mtu;
	else if (!idev->dev->mtu)
		idev->dev->mtu = min(idev->user_mtu, link.mtu);
	if (idev->tx.ring.max_sge > 1)
		idev->dev->features |= NETIF_F_SG;
	ipoib_link_put(&link);
	netdev_hold(idev->config.parent, &idev->parent_tracker, GFP_KERNEL);
	idev->config.acquire(idev->config.port);
	ipoib_object_created(IPOIB_OBJ_DEV);
	return 0;

err_qp:
	ipoib_qp_exit(&idev->qp);
err_link:
	ipoib_link_put(&link);
err_conns:
	ipoib_dev_conns_exit(idev);
err_fabric:
	ipoib_fabric_exit(&idev->fabric);
	ipoib_drops_exit(&idev->drops);
	return err;
}

/**
 * ipoib_dev_exit - take an interface apart
 * @idev: unregistered, no references left
 *
 * Context: Process context, may sleep; not under RTNL, unless the interface
 * was never registered.
 */
void ipoib_dev_exit(struct ipoib_dev *idev)
{
	/* 1. Peers, groups, questions and address handles that linger. */
	ipoib_users_wait(&idev->users);

	/* 2. What may have been queued by the last of them. */
	ipoib_mcastset_exit(&idev->mcast);

	/* 3. The QP and with it the last source of events. */
	ipoib_dev_rings_exit(idev);
	ipoib_qp_exit(&idev->qp);
	ipoib_toobig_exit(&idev->toobig);
	cancel_delayed_work_sync(&idev->later);
	/*
	 * Nobody queues it any more. With RTNL held it was never queued for
	 * anything that takes RTNL, which lockdep cannot know.
	 */
	if (work_busy(&idev->ctl))
		cancel_work_sync(&idev->ctl);

	/* 4. Memory. */
	ipoib_peertable_exit(&idev->peers);
	ipoib_dev_conns_exit(idev);
	ipoib_fabric_exit(&idev->fabric);
	ipoib_drops_exit(&idev->drops);
	ipoib_object_destroyed(IPOIB_OBJ_DEV);

	/* 5. The parent, for which the same is done afterwards. */
	netdev_put(idev->config.parent, &idev->parent_tracker);

	/* 6. The port, which may be waiting for us. */
	idev->config.release(idev->config.port);
}

/**
 * ipoib_dev_kick - have the control work see to something
 * @idev: an interface
 * @what: bit of ipoib_dev.pending
 *
 * Context: Any.
 */
void ipoib_dev_kick(struct ipoib_dev *idev, enum ipoib_dev_pending what)
{
	/* Paths that were found since then need not be asked for. */
	if (what == IPOIB_DEV_PATHS)
		WRITE_ONCE(idev->paths_at, jiffies);
	/* Who clears the bit sees what it is about. */
	smp_mb__before_atomic();
	set_bit(what, &idev->pending);
	queue_work(idev->fabric.wq, &idev->ctl);
}

/**
 * ipoib_dev_kick_later - have the control work try something again
 * @idev: an interface
 * @what: bit of ipoib_dev.pending
 * @delay: jiffies until then
 *
 * A kick for another reason may have it tried early, which does no harm; a dead
 * interface tries nothing.
 *
 * Context: Process context; the device's lock is held.
 */
void ipoib_dev_kick_later(struct ipoib_dev *idev, enum ipoib_dev_pending what,
			  unsigned long delay)
{
	lockdep_assert_held(&idev->lock);

	if (idev->state == IPOIB_DEV_DEAD)
		return;

	set_bit(what, &idev->pending);
	if (delayed_work_pending(&idev->later) &&
	    time_before_eq(idev->later_at, jiffies + delay))
		return;

	idev->later_at = jiffies + delay;
	mod_delayed_work(idev->fabric.wq, &idev->later, delay);
}

static void later_work(struct work_struct *work)
{
	struct ipoib_dev *idev = container_of(to_delayed_work(work),
					      struct ipoib_dev, later);

	queue_work(idev->fabric.wq, &idev->ctl);
}

/**
 * ipoib_dev_look_soon - look at the port, unless that was done just now
 * @idev: an interface
 *
 * For those who may ask as often as they like.
 *
 * Context: Any.
 */
void ipoib_dev_look_soon(struct ipoib_dev *idev)
{
	if (!time_in_range(jiffies, READ_ONCE(idev->looked_at),
			   READ_ONCE(idev->looked_at) + HZ))
		ipoib_dev_kick(idev, IPOIB_DEV_LOOK);
}

static void group_news(void *ctx)
{
	ipoib_dev_kick(ctx, IPOIB_DEV_GROUP);
}

/* ---- the actions of dev_fsm.h ---------------------------------------- */

/**
 * ipoib_dev_link_mtu - longest IP packet that goes as a datagram
 * @idev: an interface
 *
 * Return: octets, what port and broadcast group allow now; 0 if unknown.
 * Context: Process context; the device's lock is held.
 */
unsigned int ipoib_dev_link_mtu(const struct ipoib_dev *idev)
{
	unsigned int mtu = idev->fabric.link.mtu;

	lockdep_assert_held(&idev->lock);
	return idev->group_mtu ? min(mtu, idev->group_mtu) : mtu;
}

static int do_join(struct ipoib_dev *idev)
{
	const struct ipoib_fabric_ops *ops = idev->fabric.ops;
	u8 scope = idev->config.scope;
	union ib_gid broadcast;
	int err;

	if (ops->watch)
		ops->watch(&idev->fabric);
	err = ipoib_dev_qp_arm(idev);
	if (err)
		return err;

	idev->group_error = 0;
	ipoib_mgid_broadcast(&broadcast, scope ?: IPOIB_SCOPE_LINK,
			     idev->fabric.pkey);
	set_broadcast(idev, &broadcast);
	ipoib_peertable_open(&idev->peers);
	return ipoib_mcastset_start(&idev->mcast, &idev->broadcast, !scope);
}

static void do_leave(struct ipoib_dev *idev)
{
	const struct ipoib_fabric_ops *ops = idev->fabric.ops;

	if (ops->unwatch)
		ops->unwatch(&idev->fabric);
	ipoib_peertable_close(&idev->peers);
	ipoib_mcastset_stop(&idev->mcast);
	if (idev->armed)
		ipoib_qp_reset(&idev->qp);
	idev->armed = false;
	idev->group_mtu = 0;
}

static int do_carrier_on(struct ipoib_dev *idev)
{
	int err;

	err = ipoib_dev_rings_start(idev);
	if (err)
		return err;

	ipoib_dev_conns_start(idev);
	netif_carrier_on(idev->dev);
	return 0;
}

static void do_carrier_off(struct ipoib_dev *idev)
{
	netif_carrier_off(idev->dev);
	ipoib_dev_conns_stop(idev);
	ipoib_dev_rings_stop(idev);
}

static int run_actions(struct ipoib_dev *idev, unsigned int actions)
{
	int err = 0;

	lockdep_assert_held(&idev->lock);

	if (actions & IPOIB_DEV_DO_CARRIER_OFF)
		do_carrier_off(idev);
	if (actions & IPOIB_DEV_DO_LEAVE)
		do_leave(idev);
	if (actions & IPOIB_DEV_DO_LOOK)
		ipoib_dev_kick(idev, IPOIB_DEV_LOOK);
	if (actions & IPOIB_DEV_DO_JOIN)
		err = do_join(idev);
	if (!err && (actions & IPOIB_DEV_DO_CARRIER_ON))
		err = do_carrier_on(idev);
	return err;
}

static int dev_step(struct ipoib_dev *idev, enum ipoib_dev_event event)
{
	struct ipoib_dev_step step;

	lockdep_assert_held(&idev->lock);

	if (!ipoib_dev_fsm_step(idev->state, event, &step)) {
		WARN_ON_ONCE(1);
		return -EINVAL;
	}

	if (step.next != idev->state)
		trace_ipoib_dev_state(idev->dev->name,
				      ipoib_dev_state_name(idev->state),
				      ipoib_dev_state_name(step.next));
	WRITE_ONCE(idev->state, step.next);
	return run_actions(idev, step.actions);
}

/*
 * Something happened to the interface. What the provider refuses is undone by
 * going back to waiting.
 */
static void dev_event(struct ipoib_dev *idev, enum ipoib_dev_event event)
{
	int err;

	err = dev_step(idev, event);
	if (!err)
		return;

	if (net_ratelimit())
		netdev_warn(idev->dev, "cannot start the link: %pe\n",
			    ERR_PTR(err));
	dev_step(idev, IPOIB_DEV_EV_UNFIT);
}

/* Not everything that makes a port fit is an event: DAD's end is none. */
static void look_again_if_waiting(struct ipoib_dev *idev)
{
	u32 ms;

	lockdep_assert_held(&idev->lock);

	if (idev->state != IPOIB_DEV_WAITING)
		return;

	idev->retries++;
	ms = ipoib_backoff_ms(&look_delay, idev->retries, get_random_u32());
	ipoib_dev_kick_later(idev, IPOIB_DEV_LOOK, msecs_to_jiffies(ms));
}

/* ---- the control work ------------------------------------------------- */

/*
 * The core makes a new table entry of a GID whenever it reads the table, and
 * it reads it after every change of the port by an SM. What has a reference of
 * the old entry may go on with it.
 */
static bool link_moved(const struct ipoib_link *from,
		       const struct ipoib_link *to)
{
	return memcmp(&from->gid, &to->gid, sizeof(from->gid)) ||
	       from->gid_attr->index != to->gid_attr->index ||
	       from->pkey != to->pkey || from->pkey_index != to->pkey_index;
}

/* From a look at the port to the event that it means. */
static void adopt_link(struct ipoib_dev *idev, struct ipoib_link *link)
{
	const struct ipoib_link *old = &idev->fabric.link;
	enum ipoib_dev_event event = IPOIB_DEV_EV_FIT;

	lockdep_assert_held(&idev->lock);

	if (link->unfit != IPOIB_FIT)
		event = IPOIB_DEV_EV_UNFIT;
	else if (old->unfit == IPOIB_FIT && link_moved(old, link))
		event = IPOIB_DEV_EV_CHANGED;

	/* Each reason is logged once, not each look. */
	if (event != IPOIB_DEV_EV_UNFIT) {
		idev->unfit = IPOIB_FIT;
	} else if (idev->state != IPOIB_DEV_DOWN &&
		   idev->unfit != link->unfit && net_ratelimit()) {
		netdev_info(idev->dev, "no link: %s\n",
			    ipoib_unfit_text(link->unfit));
		idev->unfit = link->unfit;
	}

	ipoib_fabric_set_link(&idev->fabric, link);
	dev_event(idev, event);
	look_again_if_waiting(idev);
}

static void adopt_address(struct ipoib_dev *idev, const union ib_gid *gid)
{
	struct net_device *dev = idev->dev;
	struct ipoib_hwaddr addr;

	ASSERT_RTNL();
	ipoib_hwaddr_set(&addr, ipoib_dev_conns_flags(idev),
			 idev->qp.ib->qp_num, gid);
	if (dev->reg_state != NETREG_REGISTERED ||
	    !memcmp(dev->dev_addr, &addr, sizeof(addr)))
		return;
	dev_addr_set(dev, (const u8 *)&addr);
	call_netdevice_notifiers(NETDEV_CHANGEADDR, dev);
	WRITE_ONCE(idev->announce, true);
}

/*
 * The link-layer address names a GID of the port and follows it. Neighbours
 * are told when the link is up again.
 */
static void follow_gid(struct ipoib_dev *idev, const struct ipoib_link *link)
{
	if (!link->gid_attr)
		return;

	rtnl_lock();
	adopt_address(idev, &link->gid);
	rtnl_unlock();
}

/* @mtu: what datagrams may have; connections take more */
static void adopt_mtu(struct ipoib_dev *idev, unsigned int mtu)
{
	struct net_device *dev = idev->dev;
	unsigned int want;

	ASSERT_RTNL();
	if (!idev->connected && dev->max_mtu != mtu &&
	    mtu < IPOIB_IPV6_MIN_MTU && net_ratelimit())
		netdev_warn(dev, "MTU of the link is %u: no IPv6, it needs %u\n",
			    mtu, IPOIB_IPV6_MIN_MTU);
	if (idev->connected)
		mtu = ipoib_cm_rx_mtu(idev->fabric.ibdev) - IPOIB_HDR_LEN;
	dev->max_mtu = mtu;
	want = idev->user_mtu ? min(idev->user_mtu, mtu) : mtu;
	if (dev->mtu != want) {
		idev->mtu_is_ours = true;
		dev_set_mtu(dev, want);
		idev->mtu_is_ours = false;
	}
}

/* The MTU of IP is the link's, unless the user wants a smaller one. */
static void follow_mtu(struct ipoib_dev *idev)
{
	struct net_device *dev = idev->dev;
	unsigned int mtu;

	mutex_lock(&idev->lock);
	mtu = ipoib_dev_link_mtu(idev);
	if (mtu) {
		WRITE_ONCE(idev->max_len, mtu);
		ipoib_ud_rx_set_max_len(&idev->rx, mtu);
	}
	mutex_unlock(&idev->lock);
	if (!mtu)
		return;

	rtnl_lock();
	if (dev->reg_state == NETREG_REGISTERED)
		adopt_mtu(idev, mtu);
	rtnl_unlock();
}

/**
 * ipoib_dev_follow_mode - address and MTU as the mode of the interface wants them
 * @idev: the interface
 * @mtu: of ipoib_dev_link_mtu()
 *
 * Neighbours are told when the link is up.
 *
 * Context: Process context, RTNL held; the device's lock is not.
 */
void ipoib_dev_follow_mode(struct ipoib_dev *idev, unsigned int mtu)
{
	struct net_device *dev = idev->dev;
	union ib_gid gid;

	ipoib_hwaddr_gid((const struct ipoib_hwaddr *)dev->dev_addr, &gid);
	adopt_address(idev, &gid);
	ipoib_dev_kick(idev, IPOIB_DEV_ANNOUNCE);
	adopt_mtu(idev, mtu ?: READ_ONCE(idev->max_len));
}

/*
 * Under RTNL: whoever makes a child looks who has its P_Key and takes it. Until the
 * link is adopted, what is started has the P_Key of the one and the index of the
 * other; it is started again then, as a link with another index is another link.
 */
static void claim_pkey(struct ipoib_dev *idev, struct ipoib_link *link)
{
	rtnl_lock();
	if (!idev->config.claim(idev->config.port, idev, link->pkey)) {
		link->pkey = idev->fabric.pkey;
		link->unfit = IPOIB_UNFIT_TAKEN;
	}
	mutex_lock(&idev->lock);
	WRITE_ONCE(idev->fabric.pkey, link->pkey);
	mutex_unlock(&idev->lock);
	rtnl_unlock();
}

/*
 * When a subnet manager asks for reregistration, the RDMA core takes each GID out of
 * its table and puts it in again. It tells of other news meanwhile, as that there is
 * another subnet manager: what was so far stays until the GID has been away for a
 * while. It is looked for after as long again as it has been away, so that may be
 * twice the while.
 */
static bool gid_may_come_back(struct ipoib_dev *idev,
			      const struct ipoib_link *link)
{
	unsigned long away;

	lockdep_assert_held(&idev->lock);

	if (link->unfit != IPOIB_UNFIT_NO_GID ||
	    !idev->fabric.ops->rewrites_gids) {
		idev->gid_away = false;
		return false;
	}
	if (!idev->gid_away) {
		idev->gid_away = true;
		idev->gid_away_since = jiffies;
	}
	away = jiffies - idev->gid_away_since;
	if (away > GID_AWAY_TIME)
		return false;
	ipoib_dev_kick_later(idev, IPOIB_DEV_LOOK, max(away, GID_AWAY_LOOK));
	return true;
}

static void look_at_port(struct ipoib_dev *idev)
{
	struct ipoib_link link;
	bool keep;

	WRITE_ONCE(idev->looked_at, jiffies);
	idev->fabric.ops->look(&idev->fabric, &link);
	if (link.pkey != idev->fabric.pkey)
		claim_pkey(idev, &link);
	follow_gid(idev, &link);

	mutex_lock(&idev->lock);
	keep = gid_may_come_back(idev, &link);
	if (!keep)
		adopt_link(idev, &link);
	mutex_unlock(&idev->lock);

	if (keep)
		ipoib_link_put(&link);
	else
		follow_mtu(idev);
}

/*
 * The broadcast group is joined, for the first time or anew, and what it says
 * holds for the link. Another Q_Key takes a new start of the QP, another
 * scope one of its filters.
 */
static void adopt_group(struct ipoib_dev *idev,
			const struct ipoib_mcastset_link *news)
{
	bool changed = idev->state == IPOIB_DEV_UP &&
		       (idev->qkey != news->qkey ||
			memcmp(&idev->broadcast, &news->broadcast,
			       sizeof(idev->broadcast)));

	lockdep_assert_held(&idev->lock);

	set_broadcast(idev, &news->broadcast);
	idev->group_mtu = news->mtu;
	idev->qkey = news->qkey;
	idev->group_error = 0;
	dev_event(idev, changed ? IPOIB_DEV_EV_CHANGED : IPOIB_DEV_EV_JOINED);
	if (idev->state == IPOIB_DEV_UP)
		idev->retries = 0;
}

/* Each reason is logged once, not each try. */
static void no_group(struct ipoib_dev *idev)
{
	int err = ipoib_mcastset_error(&idev->mcast);

	lockdep_assert_held(&idev->lock);

	if (err && err != idev->group_error && net_ratelimit())
		netdev_info(idev->dev, "no link: broadcast group: %s\n",
			    ipoib_mcastset_error_text(err));
	idev->group_error = err;
	dev_event(idev, IPOIB_DEV_EV_LOST);
}

/*
 * Whoever makes a group address out of an IP address takes scope and P_Key
 * from here, and neighbours made before are forgotten.
 */
static void follow_broadcast(struct ipoib_dev *idev,
			     const union ib_gid *broadcast)
{
	struct net_device *dev = idev->dev;
	struct ipoib_hwaddr addr;

	ipoib_hwaddr_set(&addr, 0, IPOIB_MCAST_QPN, broadcast);
	rtnl_lock();
	if (dev->reg_state == NETREG_REGISTERED &&
	    memcmp(dev->broadcast, &addr, sizeof(addr))) {
		memcpy(dev->broadcast, &addr, sizeof(addr));
		call_netdevice_notifiers(NETDEV_CHANGEADDR, dev);
	}
	rtnl_unlock();
}

/* The report may be about a join that is over: only the set knows. */
static void look_at_group(struct ipoib_dev *idev)
{
	struct ipoib_mcastset_link news;
	union ib_gid broadcast;

	mutex_lock(&idev->lock);
	if (ipoib_mcastset_link(&idev->mcast, &news))
		adopt_group(idev, &news);
	else
		no_group(idev);
	look_again_if_waiting(idev);
	broadcast = idev->broadcast;
	mutex_unlock(&idev->lock);

	follow_broadcast(idev, &broadcast);
	follow_mtu(idev);
}

/* Not before the stack has seen the carrier: it would send into nothing. */
static void announce(struct ipoib_dev *idev)
{
	struct net_device *dev = idev->dev;

	if (!READ_ONCE(idev->announce) || READ_ONCE(idev->state) != IPOIB_DEV_UP)
		return;

	rtnl_lock();
	if (dev->reg_state == NETREG_REGISTERED) {
		call_netdevice_notifiers(NETDEV_NOTIFY_PEERS, dev);
		WRITE_ONCE(idev->announce, false);
	}
	rtnl_unlock();
}

static void recover_qp(struct ipoib_dev *idev)
{
	int err;

	lockdep_assert_held(&idev->lock);

	if (!idev->rings)
		return;
	if (ipoib_dev_rings_must_wait(idev))
		return;
	err = ipoib_dev_rings_recover(idev);
	if (err)
		dev_event(idev, IPOIB_DEV_EV_UNFIT);
	look_again_if_waiting(idev);

	/* It may be the first sign that the port has lost its addresses. */
	ipoib_dev_kick(idev, IPOIB_DEV_LOOK);
}

/**
 * ipoib_dev_refresh - paths may lead elsewhere now
 * @idev: the interface
 * @gid: only those to this port, or NULL
 * @age: leave younger ones alone, jiffies
 *
 * Context: Process context.
 */
void ipoib_dev_refresh(struct ipoib_dev *idev, const union ib_gid *gid,
		       unsigned long age)
{
	ipoib_peertable_refresh(&idev->peers, gid, age);
	ipoib_dev_conns_refresh(idev, gid, age);
}

static void ctl_work(struct work_struct *work)
{
	struct ipoib_dev *idev = container_of(work, struct ipoib_dev, ctl);

	if (READ_ONCE(idev->state) == IPOIB_DEV_DEAD)
		return;

	if (test_and_clear_bit(IPOIB_DEV_QP_FAILED, &idev->pending)) {
		mutex_lock(&idev->lock);
		recover_qp(idev);
		mutex_unlock(&idev->lock);
	}
	if (test_and_clear_bit(IPOIB_DEV_CONNS, &idev->pending)) {
		mutex_lock(&idev->lock);
		if (idev->rings)
			ipoib_dev_conns_start(idev);
		mutex_unlock(&idev->lock);
	}
	if (test_and_clear_bit(IPOIB_DEV_LOOK, &idev->pending))
		look_at_port(idev);
	if (test_and_clear_bit(IPOIB_DEV_GROUP, &idev->pending))
		look_at_group(idev);
	if (test_and_clear_bit(IPOIB_DEV_PATHS, &idev->pending))
		ipoib_dev_refresh(idev, NULL,
				  jiffies - READ_ONCE(idev->paths_at));
	if (test_and_clear_bit(IPOIB_DEV_ANNOUNCE, &idev->pending))
		announce(idev);
}

/* ---- what the stack asks for ------------------------------------------ */

/**
 * ipoib_dev_open - bring an interface up; carrier comes when the link is
 * @idev: an interface that is down
 *
 * Context: Process context, RTNL held.
 */
void ipoib_dev_open(struct ipoib_dev *idev)
{
	ASSERT_RTNL();
	mutex_lock(&idev->lock);
	idev->retries = 0;
	idev->unfit = IPOIB_FIT;
	dev_event(idev, IPOIB_DEV_EV_OPEN);
	mutex_unlock(&idev->lock);
}

/**
 * ipoib_dev_stop - bring an interface down
 * @idev: an interface that is up
 *
 * Waits for the HCA to give packets back, with a deadline, and for nobody on
 * the fabric.
 *
 * Context: Process context, RTNL held.
 */
void ipoib_dev_stop(struct ipoib_dev *idev)
{
	ASSERT_RTNL();
	mutex_lock(&idev->lock);
	dev_event(idev, IPOIB_DEV_EV_STOP);
	mutex_unlock(&idev->lock);
}

/**
 * ipoib_dev_kill - an interface is being unregistered
 * @idev: an interface that is down
 *
 * Context: Process context, RTNL held.
 */
void ipoib_dev_kill(struct ipoib_dev *idev)
{
	ASSERT_RTNL();
	idev->config.detach(idev->config.port, idev);
	mutex_lock(&idev->lock);
	dev_event(idev, IPOIB_DEV_EV_KILL);
	mutex_unlock(&idev->lock);
}

/**
 * ipoib_dev_change_mtu - somebody sets the MTU
 * @idev: the interface
 * @mtu: new MTU, within the limits of the net_device
 *
 * A user's choice is remembered: a link that shrinks and grows again gets it
 * back. The largest MTU possible means: follow the link.
 *
 * Return: 0.
 * Context: Process context, RTNL held.
 */
int ipoib_dev_change_mtu(struct ipoib_dev *idev, int mtu)
{
	ASSERT_RTNL();
	if (!idev->mtu_is_ours)
		WRITE_ONCE(idev->user_mtu,
			   mtu == idev->dev->max_mtu ? 0 : mtu);
	WRITE_ONCE(idev->dev->mtu, mtu);
	return 0;
}
