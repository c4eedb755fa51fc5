// SPDX-License-Identifier: GPL-2.0
#include "device.h"

#include <linux/rtnetlink.h>
#include <linux/sched/mm.h>
#include <net/bonding.h>

#include "addr.h"
#include "backoff.h"
#include "dev_rings.h"
#include "genl.h"
#include "log.h"
#include "netdev.h"
#include "port.h"
#include "trace.h"
#include "xmit.h"

/* ipoib_dev_query_port() causes one query in this time. */
#define QUERY_PERIOD		HZ

/* A GID missing for GID_AWAY_TIME is gone. The first query for it is after GID_AWAY_QUERY. */
#define GID_AWAY_TIME		msecs_to_jiffies(300)
#define GID_AWAY_QUERY		msecs_to_jiffies(10)

/*
 * How often neighbours are told a new address: the SM may take seconds to route packets of a
 * port that has just joined the group. ANNOUNCE_DELAY is the first delay, each one twice the last.
 */
#define ANNOUNCEMENTS		4
#define ANNOUNCE_DELAY		HZ

/* A bond that has not noticed by then looks at no carrier, or looks too seldom. */
#define BOND_TIME		(5 * HZ)

static const struct ipoib_backoff query_delay = {
	.min_ms = 100,
	.max_ms = 8000,
};

static void ctl_work(struct work_struct *work);
static void dev_later_work(struct work_struct *work);
static void paths_work(struct work_struct *work);

/* ---- making and taking apart ---------------------------------------- */

/* set_broadcast() takes the TX lock, because senders read the MGID under it. */
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
			 idev->qp.qpn, gid);
	dev_addr_set(idev->dev, (const u8 *)&addr);
	ipoib_hwaddr_set(&addr, 0, IB_MULTICAST_QPN, &idev->broadcast);
	memcpy(idev->dev->broadcast, &addr, sizeof(addr));
}

/*
 * Longest IP packet that any link of the port could carry, in the mode of the interface. What the
 * link carries now has no say: it may not be known yet, so that the same setting would be taken
 * or refused depending on what was seen first.
 */
static unsigned int max_mtu(const struct ipoib_dev *idev)
{
	if (!READ_ONCE(idev->connected))
		return min_t(unsigned int, idev->rx.longest, IPOIB_MTU_SENT) - IPOIB_HDR_LEN;
	return ipoib_conn_rx_mtu(idev->fabric.ibdev) - IPOIB_HDR_LEN;
}

/*
 * set_features() offers what the HCA can do for datagrams. Verbs promise it for IPoIB, and IPv4,
 * only (IB_DEVICE_UD_IP_CSUM), so not on RoCE, where the HCA may look at the outer header, and
 * for no connection: ndo_fix_features() of netdev.c turns off in connected mode what concerns
 * sending.
 */
static void set_features(struct ipoib_dev *idev)
{
	const struct ib_device_attr *attrs = &idev->fabric.ibdev->attrs;
	netdev_features_t can = 0;

	if (idev->tx.ring.max_sge > 1)
		can |= NETIF_F_SG;
	if (!idev->fabric.lower) {
		if (attrs->device_cap_flags & IB_DEVICE_UD_IP_CSUM)
			can |= NETIF_F_IP_CSUM | NETIF_F_RXCSUM;
		if (attrs->kernel_cap_flags & IBK_UD_TSO)
			can |= NETIF_F_TSO;
	}
	idev->dev->hw_features |= can;
	idev->dev->features |= can;
}

/* prepare() does what cannot fail and needs nothing of the port. */
static void prepare(struct ipoib_dev *idev)
{
	ipoib_usecnt_init(&idev->users);
	mutex_init(&idev->lock);
	INIT_WORK(&idev->ctl, ctl_work);
	INIT_DELAYED_WORK(&idev->later, dev_later_work);
	INIT_DELAYED_WORK(&idev->paths, paths_work);
	idev->state = IPOIB_DEV_DOWN;
	idev->recover_at = jiffies;
	INIT_LIST_HEAD(&idev->on_port);
}

/* A new interface looks as its link does now, until ctl_work() has queried the port. */
static void adopt_first_link(struct ipoib_dev *idev, const struct ipoib_link *link)
{
	set_addresses(idev, &link->gid);
	idev->max_len = min_t(unsigned int, link->mtu, IPOIB_MTU_SENT - IPOIB_HDR_LEN);
	idev->dev->max_mtu = max_mtu(idev);
	if (!idev->user_mtu)
		idev->dev->mtu = idev->max_len;
	else if (!idev->dev->mtu)
		idev->dev->mtu = min(idev->user_mtu, idev->max_len);
	set_features(idev);
}

/**
 * ipoib_dev_init - make an interface
 * @idev: zeroed but for @dev, @config, @umcast, @user_mtu, @unsaid_mtu, and what the fabric is
 *	made of, see ipoib_fabric_init()
 *
 * The interface is down, and the fabric is not asked for anything yet.
 *
 * Return: 0; -EADDRNOTAVAIL if the port has no GID for the link-layer address; -ENOMEM; or what
 * the provider says.
 * Context: Process context, RTNL held.
 */
int ipoib_dev_init(struct ipoib_dev *idev)
{
	struct ipoib_link link;
	int err;

	ASSERT_RTNL();
	prepare(idev);
	err = ipoib_drops_init(&idev->drops, idev->dev->name);
	if (err)
		return err;

	ipoib_fabric_init(&idev->fabric, &idev->users);
	err = ipoib_dev_conns_init(idev);
	if (err)
		goto err_fabric;

	idev->fabric.ops->find_gid(&idev->fabric, &link);
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

	ipoib_mcast_set_init(&idev->mcast);
	err = ipoib_peertable_init(&idev->peers);
	if (err)
		goto err_qp;

	err = ipoib_dev_rings_init(idev);
	if (err)
		goto err_rings;
	idev->pmtu.wq = idev->fabric.wq;
	idev->pmtu.drops = &idev->drops;
	ipoib_pmtu_init(&idev->pmtu);
	adopt_first_link(idev, &link);
	ipoib_link_put(&link);
	netdev_hold(idev->config.parent, &idev->parent_tracker, GFP_KERNEL);
	ipoib_usecnt_get(&idev->config.port->users);
	ipoib_object_created(IPOIB_OBJ_DEV);
	return 0;

err_rings:
	/* The QP goes before the rings, as in ipoib_dev_exit(): it has their moderation. */
	ipoib_peertable_exit(&idev->peers);
	ipoib_qp_exit(&idev->qp);
	ipoib_dev_rings_exit(idev);
	goto err_link;
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
	/* 1. Destroy the QP: sends that the HCA has never given back hold address handles. */
	ipoib_dev_qp_exit(idev);

	/* 2. Wait for peers, groups, requests and address handles that are still used. */
	ipoib_usecnt_drain(&idev->users);

	/* 3. Cancel work that the last of them may have queued. */
	ipoib_mcast_set_exit(&idev->mcast);

	/* 4. Take the rings apart, which nothing uses any more, and cancel the other works. */
	ipoib_dev_rings_exit(idev);
	ipoib_pmtu_exit(&idev->pmtu);
	cancel_delayed_work_sync(&idev->later);
	cancel_delayed_work_sync(&idev->paths);
	/*
	 * ctl_work() is not queued any more. When RTNL is held here, the interface was never
	 * registered, and ctl_work() was queued for nothing that takes RTNL. lockdep cannot
	 * know that and would report a deadlock, so cancel_work_sync() is only called if the
	 * work is busy.
	 */
	if (work_busy(&idev->ctl))
		cancel_work_sync(&idev->ctl);

	/* 5. Free memory. */
	ipoib_peertable_exit(&idev->peers);
	ipoib_dev_conns_exit(idev);
	ipoib_fabric_exit(&idev->fabric);
	ipoib_drops_exit(&idev->drops);
	ipoib_object_destroyed(IPOIB_OBJ_DEV);

	/* 6. Drop the reference of the parent, which may be taken apart after its child. */
	netdev_put(idev->config.parent, &idev->parent_tracker);

	/* 7. Release the port, which may be waiting for the interface. */
	ipoib_usecnt_put(&idev->config.port->users);
}

/**
 * ipoib_dev_kick - set a bit of ipoib_dev.pending and queue the control work
 * @idev: an interface
 * @what: bit of ipoib_dev.pending
 *
 * Context: Any.
 */
void ipoib_dev_kick(struct ipoib_dev *idev, enum ipoib_dev_pending what)
{
	/* A running ctl_work() that clears the bit must see what the caller has written before. */
	smp_mb__before_atomic();
	set_bit(what, &idev->pending);
	queue_work(idev->fabric.ctl_wq, &idev->ctl);
}

/**
 * ipoib_dev_kick_later - have the control work try something again
 * @idev: an interface
 * @what: bit of ipoib_dev.pending
 * @delay: jiffies until then
 *
 * A kick for another reason may cause the try early, which does no harm. For a dead interface
 * nothing is done.
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
	mod_delayed_work(idev->fabric.ctl_wq, &idev->later, delay);
}

static void dev_later_work(struct work_struct *work)
{
	struct ipoib_dev *idev = container_of(to_delayed_work(work),
					      struct ipoib_dev, later);

	queue_work(idev->fabric.ctl_wq, &idev->ctl);
}

/**
 * ipoib_dev_query_port - query the port, unless that was done just now
 * @idev: an interface
 *
 * For callers that have no bound on how often they call: there is one query in QUERY_PERIOD.
 *
 * Context: Any.
 */
void ipoib_dev_query_port(struct ipoib_dev *idev)
{
	if (!time_in_range(jiffies, READ_ONCE(idev->queried_at),
			   READ_ONCE(idev->queried_at) + QUERY_PERIOD))
		ipoib_dev_kick(idev, IPOIB_DEV_QUERY_PORT);
}

/**
 * ipoib_dev_reason - why an interface has no carrier
 * @idev: an interface
 *
 * Return: a constant string; "none" if the interface has a carrier.
 * Context: Any but hard interrupt; the device's lock need not be held.
 */
const char *ipoib_dev_reason(struct ipoib_dev *idev)
{
	enum ipoib_dev_state dev_state = READ_ONCE(idev->state);
	int err = ipoib_mcast_set_error(&idev->mcast);
	enum ipoib_link_state state;

	switch (dev_state) {
	case IPOIB_DEV_DOWN:
		return "interface is administratively down";
	case IPOIB_DEV_JOINING:
		return err ? ipoib_mcast_set_error_text(err) : "broadcast group is being joined";
	default:
		spin_lock_bh(&idev->fabric.lock);
		state = idev->fabric.link.state;
		spin_unlock_bh(&idev->fabric.lock);
		if (dev_state == IPOIB_DEV_WAITING && state == IPOIB_LINK_READY)
			return "the link could not be started, it is tried again";
		return ipoib_link_state_text(state);
	}
}

/* ---- enum ipoib_dev_action ------------------------------------------- */

/**
 * ipoib_dev_rx_mtu - longest IP packet that may come as a datagram
 * @idev: an interface
 *
 * Return: octets, as the port and the broadcast group allow now; 0 if unknown.
 * Context: Process context; the device's lock is held.
 */
unsigned int ipoib_dev_rx_mtu(const struct ipoib_dev *idev)
{
	unsigned int mtu = idev->fabric.link.mtu;

	lockdep_assert_held(&idev->lock);
	return idev->group_mtu ? min(mtu, idev->group_mtu) : mtu;
}

/**
 * ipoib_dev_link_mtu - longest IP packet that goes as a datagram
 * @idev: an interface
 *
 * Return: octets, as ipoib_dev_rx_mtu(), and as many as an HCA sends; 0 if unknown.
 * Context: Process context; the device's lock is held.
 */
unsigned int ipoib_dev_link_mtu(const struct ipoib_dev *idev)
{
	return min_t(unsigned int, ipoib_dev_rx_mtu(idev), IPOIB_MTU_SENT - IPOIB_HDR_LEN);
}

static int do_join(struct ipoib_dev *idev)
{
	const struct ipoib_fabric_ops *ops = idev->fabric.ops;
	u8 scope = idev->config.scope;
	union ib_gid broadcast;
	int err;

	if (ops->subscribe)
		ops->subscribe(&idev->fabric);
	err = ipoib_dev_qp_arm(idev);
	if (err)
		return err;

	idev->group_error = 0;
	ipoib_mgid_broadcast(&broadcast, scope ?: IPOIB_SCOPE_LINK,
			     idev->fabric.pkey);
	set_broadcast(idev, &broadcast);
	ipoib_peertable_open(&idev->peers);
	err = ipoib_mcast_set_start(&idev->mcast, &idev->broadcast, !scope);
	if (err)
		return err;
	/*
	 * The number of the QP is part of the link-layer address, which has to follow. After an
	 * error that waits for the next try: a query now would be that, without a pause.
	 */
	if (idev->renewed)
		ipoib_dev_kick(idev, IPOIB_DEV_QUERY_PORT);
	return 0;
}

static void do_leave(struct ipoib_dev *idev)
{
	const struct ipoib_fabric_ops *ops = idev->fabric.ops;

	if (ops->unsubscribe)
		ops->unsubscribe(&idev->fabric);
	ipoib_peertable_close(&idev->peers);
	ipoib_mcast_set_stop(&idev->mcast);
	ipoib_dev_qp_disarm(idev);
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
	if (actions & IPOIB_DEV_DO_QUERY_PORT)
		ipoib_dev_kick(idev, IPOIB_DEV_QUERY_PORT);
	if (actions & IPOIB_DEV_DO_JOIN)
		err = do_join(idev);
	if (!err && (actions & IPOIB_DEV_DO_CARRIER_ON))
		err = do_carrier_on(idev);
	return err;
}

static int dev_step(struct ipoib_dev *idev, enum ipoib_dev_event event)
{
	const struct ipoib_fsm_edge *edge;

	lockdep_assert_held(&idev->lock);

	edge = ipoib_fsm_step(&ipoib_dev_fsm, idev->state, event);
	if (WARN_ON_ONCE(!edge))
		return -EINVAL;

	if (edge->next != idev->state)
		trace_ipoib_dev_state(idev->dev->name,
				      ipoib_fsm_name(&ipoib_dev_fsm, idev->state),
				      ipoib_fsm_name(&ipoib_dev_fsm, edge->next));
	WRITE_ONCE(idev->state, edge->next);
	return run_actions(idev, edge->actions);
}

/* If the provider refuses an action of the event, the interface goes back to waiting. */
static void dev_event(struct ipoib_dev *idev, enum ipoib_dev_event event)
{
	int err;

	err = dev_step(idev, event);
	if (err) {
		if (ipoib_may_log())
			netdev_warn(idev->dev, "cannot start the link: %pe\n",
				    ERR_PTR(err));
		dev_step(idev, IPOIB_DEV_EV_UNREADY);
	}
	ipoib_genl_changed(idev);
}

/*
 * A port may become ready without an event, for instance by the end of duplicate address
 * detection, so it is queried again.
 */
static void query_again_if_waiting(struct ipoib_dev *idev)
{
	u32 ms;

	lockdep_assert_held(&idev->lock);

	if (idev->state != IPOIB_DEV_WAITING)
		return;

	idev->retries++;
	ms = ipoib_backoff_ms(&query_delay, idev->retries, get_random_u32());
	ipoib_dev_kick_later(idev, IPOIB_DEV_QUERY_PORT, msecs_to_jiffies(ms));
}

/* ---- the control work ------------------------------------------------- */

/*
 * link_moved() compares the values of two links, not their GID table entries: the RDMA core makes
 * a new entry whenever it reads the table, which it does after every change of the port by an SM.
 * Holders of the old entry may go on with that.
 */
static bool link_moved(const struct ipoib_link *from,
		       const struct ipoib_link *to)
{
	return memcmp(&from->gid, &to->gid, sizeof(from->gid)) ||
	       from->gid_attr->index != to->gid_attr->index ||
	       from->pkey != to->pkey || from->pkey_index != to->pkey_index;
}

/*
 * adopt_membership() logs once that the port is a limited member, not at each query. The QP needs
 * nothing: it has the index of the P_Key, and the HCA sends what the entry there is.
 */
static void adopt_membership(struct ipoib_dev *idev, const struct ipoib_link *link)
{
	bool limited = link->state == IPOIB_LINK_READY && ipoib_link_is_limited(link);

	lockdep_assert_held(&idev->lock);

	if (idev->state == IPOIB_DEV_DOWN || limited == idev->limited)
		return;
	if (limited && !ipoib_may_log())
		return;
	if (limited)
		netdev_info(idev->dev, "limited member: %s\n", IPOIB_LIMITED_TEXT);
	idev->limited = limited;
}

/*
 * adopt_lid() has neighbours told if the port has another LID than it had: what they send is lost
 * until they hear from it, for no SM tells them. The first time is at random, because an SM may
 * give all ports of a subnet other LIDs at once, and whoever is told asks the SA.
 */
static void adopt_lid(struct ipoib_dev *idev, const struct ipoib_link *link)
{
	unsigned long delay = get_random_u32_below(ANNOUNCE_DELAY);

	lockdep_assert_held(&idev->lock);

	if (link->state != IPOIB_LINK_READY || link->lid == idev->lid)
		return;
	if (idev->lid) {
		idev->announce = ANNOUNCEMENTS;
		idev->announce_at = jiffies + delay;
		ipoib_dev_kick_later(idev, IPOIB_DEV_ANNOUNCE, delay);
	}
	idev->lid = link->lid;
}

/* adopt_link() takes the event that a query of the port means. */
static void adopt_link(struct ipoib_dev *idev, struct ipoib_link *link)
{
	const struct ipoib_link *old = &idev->fabric.link;
	enum ipoib_dev_event event = IPOIB_DEV_EV_READY;

	lockdep_assert_held(&idev->lock);

	if (link->state != IPOIB_LINK_READY)
		event = IPOIB_DEV_EV_UNREADY;
	else if (old->state == IPOIB_LINK_READY && link_moved(old, link))
		event = IPOIB_DEV_EV_CHANGED;

	/* Log each reason once, not at each query. */
	if (event != IPOIB_DEV_EV_UNREADY) {
		idev->logged = IPOIB_LINK_READY;
	} else if (idev->state != IPOIB_DEV_DOWN &&
		   idev->logged != link->state && ipoib_may_log()) {
		netdev_info(idev->dev, "no link: %s\n",
			    ipoib_link_state_text(link->state));
		idev->logged = link->state;
	}

	adopt_membership(idev, link);
	adopt_lid(idev, link);

	ipoib_fabric_set_link(&idev->fabric, link);
	dev_event(idev, event);
	query_again_if_waiting(idev);
}

static void leave_address(struct ipoib_dev *idev, const struct ipoib_hwaddr *next)
{
	/* A bond that has not noticed the last change still has the address from before that. */
	if (!idev->bond_due) {
		memcpy(&idev->left_addr, idev->dev->dev_addr, sizeof(idev->left_addr));
		idev->left_at = jiffies;
	}
	idev->bond_due = netif_is_bond_slave(idev->dev) &&
			 memcmp(next, &idev->left_addr, sizeof(*next));
}

static bool is_chosen_away(struct ipoib_dev *idev, const union ib_gid *gid)
{
	union ib_gid chosen;

	return ipoib_fabric_pinned_gid(&idev->fabric, &chosen) &&
	       chosen.global.interface_id != gid->global.interface_id;
}

/*
 * The link-layer address contains a GID of the port and the number of the UD QP, and has to
 * follow them. NETDEV_CHANGEADDR tells the stack, and bond_lags() is for those who do not listen
 * to that; neighbours are told when the link is up again.
 * The address is changed only here and by ipoib_dev_set_addr(), after which the port is queried
 * again. So it can be compared before waiting for RTNL, which others may hold for seconds.
 */
static void follow_gid(struct ipoib_dev *idev, const struct ipoib_link *link)
{
	struct net_device *dev = idev->dev;
	struct ipoib_hwaddr addr;

	if (!link->gid_attr)
		return;
	ipoib_hwaddr_set(&addr, ipoib_dev_conns_flags(idev), READ_ONCE(idev->qp.qpn),
			 &link->gid);
	/* If ipoib_dev_set_addr() changes it just now, whatever is read, another query follows. */
	if (!data_race(memcmp(dev->dev_addr, &addr, sizeof(addr)))) {
		idev->renewed = false;
		return;
	}

	rtnl_lock();
	/* The user may have chosen another GID since the port was queried, and it will be again. */
	if (dev->reg_state == NETREG_REGISTERED && !is_chosen_away(idev, &link->gid)) {
		idev->renewed = false;
		leave_address(idev, &addr);
		dev_addr_set(dev, (const u8 *)&addr);
		call_netdevice_notifiers(NETDEV_CHANGEADDR, dev);
		idev->announce = ANNOUNCEMENTS;
		idev->announce_at = jiffies;
	}
	rtnl_unlock();
}

/*
 * A bond takes the address of its active port when that becomes the active one, and ignores
 * NETDEV_CHANGEADDR. So the port has no carrier until the bond has noticed: then the active port
 * is another, or none. The carrier of the bond says less: it goes before that if the bond has a
 * downdelay. One that does not look at the carrier, or waits for longer than BOND_TIME, keeps
 * the old address until it fails over.
 */
static bool bond_lags(struct ipoib_dev *idev)
{
	struct net_device *bond;
	bool lags = false;

	if (!idev->bond_due)
		return false;
	rcu_read_lock();
	bond = netdev_master_upper_dev_get_rcu(idev->dev);
	if (bond && netif_is_bond_master(bond) &&
	    bond_option_active_slave_get_rcu(netdev_priv(bond)) == idev->dev) {
		/* If the address is being changed just now, the next query finds it changed. */
		lags = !data_race(memcmp(bond->dev_addr, &idev->left_addr,
					 sizeof(idev->left_addr)));
	}
	idev->bond_due = lags && time_before(jiffies, idev->left_at + BOND_TIME);
	if (lags && !idev->bond_due && ipoib_may_log())
		netdev_warn(idev->dev,
			    "%s keeps the address from before: look at its miimon and downdelay\n",
			    netdev_name(bond));
	rcu_read_unlock();
	return idev->bond_due;
}

/* MTU of IP if datagrams may have @mtu octets: connections take longer packets. */
static unsigned int wanted_mtu(const struct ipoib_dev *idev, unsigned int mtu)
{
	unsigned int limit = READ_ONCE(idev->connected) ? max_mtu(idev) : mtu;
	unsigned int user = READ_ONCE(idev->user_mtu);

	return user ? min(user, limit) : limit;
}

/*
 * say_if_too_much() says once for each setting that the link cannot do it. @used is what the link
 * can do.
 */
static void say_if_too_much(struct ipoib_dev *idev, unsigned int used)
{
	ASSERT_RTNL();
	if (idev->unsaid_mtu <= used || !ipoib_may_log())
		return;
	netdev_info(idev->dev, "MTU %u is set, and the link can do no more than %u\n",
		    idev->unsaid_mtu, used);
	idev->unsaid_mtu = 0;
}

/* @mtu is the longest IP packet that goes as a datagram. */
static void adopt_mtu(struct ipoib_dev *idev, unsigned int mtu)
{
	struct net_device *dev = idev->dev;
	unsigned int want = wanted_mtu(idev, mtu);

	ASSERT_RTNL();
	if (!idev->connected && idev->adopted_mtu != mtu &&
	    mtu < IPOIB_IPV6_MIN_MTU && ipoib_may_log())
		netdev_warn(dev, "MTU of the link is %u: no IPv6, it needs %u\n",
			    mtu, IPOIB_IPV6_MIN_MTU);
	say_if_too_much(idev, want);
	WRITE_ONCE(idev->adopted_mtu, mtu);
	WRITE_ONCE(dev->max_mtu, max_mtu(idev));
	if (dev->mtu != want) {
		idev->mtu_is_ours = true;
		dev_set_mtu(dev, want);
		idev->mtu_is_ours = false;
	}
}

/*
 * The MTU of IP is that of the link, unless the user wants a smaller one. Functions that change
 * mode or MTU write the new value before they read the MTU of the link under idev->lock: either
 * this function sees their value, or they see its MTU.
 */
static void follow_mtu(struct ipoib_dev *idev)
{
	struct net_device *dev = idev->dev;
	unsigned int mtu;

	mutex_lock(&idev->lock);
	mtu = ipoib_dev_link_mtu(idev);
	if (mtu) {
		WRITE_ONCE(idev->max_len, mtu);
		ipoib_ud_rx_set_max_len(&idev->rx, ipoib_dev_rx_mtu(idev));
	}
	mutex_unlock(&idev->lock);
	if (!mtu || (READ_ONCE(idev->adopted_mtu) == mtu &&
		     READ_ONCE(dev->mtu) == wanted_mtu(idev, mtu)))
		return;

	rtnl_lock();
	if (dev->reg_state == NETREG_REGISTERED)
		adopt_mtu(idev, mtu);
	rtnl_unlock();
}

/**
 * ipoib_dev_follow_mode - set the MTU for the mode of the interface
 * @idev: the interface
 * @mtu: as ipoib_dev_link_mtu() returned it
 *
 * Context: Process context, RTNL held; the device's lock is not.
 */
void ipoib_dev_follow_mode(struct ipoib_dev *idev, unsigned int mtu)
{
	adopt_mtu(idev, mtu ?: READ_ONCE(idev->max_len));
}

/*
 * Under RTNL, because who makes a child without a P_Key reads that of the parent under it. Until
 * the new link is adopted, what is started has the new P_Key and the old index. adopt_link()
 * starts it again, because a link with another index is another link.
 */
static void follow_pkey(struct ipoib_dev *idev, const struct ipoib_link *link)
{
	rtnl_lock();
	ipoib_debugfs_rename(idev, link->pkey);
	mutex_lock(&idev->lock);
	WRITE_ONCE(idev->fabric.pkey, link->pkey);
	mutex_unlock(&idev->lock);
	rtnl_unlock();
}

/*
 * When an SM asks for reregistration, the RDMA core removes each GID from its table and adds it
 * again. Meanwhile it reports other events, such as a change of the SM. So the link is left as
 * it is until the GID has been missing for GID_AWAY_TIME. Each query follows after as long again
 * as the GID has been missing, so the wait may be twice that time.
 */
static bool gid_may_come_back(struct ipoib_dev *idev,
			      const struct ipoib_link *link)
{
	unsigned long away;

	lockdep_assert_held(&idev->lock);

	if (link->state != IPOIB_LINK_NO_GID ||
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
	ipoib_dev_kick_later(idev, IPOIB_DEV_QUERY_PORT, max(away, GID_AWAY_QUERY));
	return true;
}

static void query_port(struct ipoib_dev *idev)
{
	struct ipoib_link link;
	bool keep;

	WRITE_ONCE(idev->queried_at, jiffies);
	idev->fabric.ops->query_port(&idev->fabric, &link);
	if (link.pkey != idev->fabric.pkey)
		follow_pkey(idev, &link);
	follow_gid(idev, &link);
	if (link.state == IPOIB_LINK_READY && bond_lags(idev))
		link.state = IPOIB_LINK_BOND;

	mutex_lock(&idev->lock);
	keep = gid_may_come_back(idev, &link);
	if (!keep)
		adopt_link(idev, &link);
	/* Other queries come ever later. */
	if (link.state == IPOIB_LINK_BOND)
		ipoib_dev_kick_later(idev, IPOIB_DEV_QUERY_PORT,
				     max_t(long, idev->left_at + BOND_TIME - jiffies, 0));
	mutex_unlock(&idev->lock);

	if (keep)
		ipoib_link_put(&link);
	else
		follow_mtu(idev);
}

/*
 * The broadcast group was joined, for the first time or anew, and its values hold for the link.
 * If the Q_Key or the MGID changed, the QP is started again.
 */
static void adopt_group(struct ipoib_dev *idev,
			const struct ipoib_mcast_set_link *link)
{
	bool changed = idev->state == IPOIB_DEV_UP &&
		       (idev->qkey != link->qkey ||
			memcmp(&idev->broadcast, &link->broadcast,
			       sizeof(idev->broadcast)));

	lockdep_assert_held(&idev->lock);

	set_broadcast(idev, &link->broadcast);
	idev->group_mtu = link->mtu;
	WRITE_ONCE(idev->qkey, link->qkey);
	idev->group_error = 0;
	dev_event(idev, changed ? IPOIB_DEV_EV_CHANGED : IPOIB_DEV_EV_JOINED);
	if (idev->state == IPOIB_DEV_UP)
		idev->retries = 0;
}

/*
 * no_group() logs each reason once, not at each try. It takes the event first: where the link was
 * up that runs do_join(), which forgets what has been logged.
 */
static void no_group(struct ipoib_dev *idev)
{
	int err = ipoib_mcast_set_error(&idev->mcast);

	lockdep_assert_held(&idev->lock);

	dev_event(idev, IPOIB_DEV_EV_LOST);
	if (!err) {
		idev->group_error = 0;
	} else if (err != idev->group_error && ipoib_may_log()) {
		netdev_info(idev->dev, "no link: %s\n", ipoib_mcast_set_error_text(err));
		idev->group_error = err;
	}
}

/*
 * The stack takes scope and P_Key of group addresses from dev->broadcast. Because of
 * NETDEV_CHANGEADDR it forgets neighbours made with the old ones.
 */
static void follow_broadcast(struct ipoib_dev *idev,
			     const union ib_gid *broadcast)
{
	struct net_device *dev = idev->dev;
	struct ipoib_hwaddr addr;

	ipoib_hwaddr_set(&addr, 0, IB_MULTICAST_QPN, broadcast);
	/* No other function of the driver changes the broadcast address. */
	if (!data_race(memcmp(dev->broadcast, &addr, sizeof(addr))))
		return;

	rtnl_lock();
	if (dev->reg_state == NETREG_REGISTERED &&
	    memcmp(dev->broadcast, &addr, sizeof(addr))) {
		memcpy(dev->broadcast, &addr, sizeof(addr));
		call_netdevice_notifiers(NETDEV_CHANGEADDR, dev);
	}
	rtnl_unlock();
}

/* The report may be about a join that is over, so ask the set for the current state. */
static void follow_group(struct ipoib_dev *idev)
{
	struct ipoib_mcast_set_link link;
	union ib_gid broadcast;

	mutex_lock(&idev->lock);
	if (ipoib_mcast_set_link(&idev->mcast, &link))
		adopt_group(idev, &link);
	else
		no_group(idev);
	query_again_if_waiting(idev);
	broadcast = idev->broadcast;
	mutex_unlock(&idev->lock);

	follow_broadcast(idev, &broadcast);
	follow_mtu(idev);
}

/*
 * The port of a bond has no IP addresses: the bond has. That tells its neighbours at a failover,
 * but once only, and Linux 6.1 forgets to if the bond had no carrier. A bond that has our address
 * goes by this port.
 */
static void tell_neighbours(struct net_device *dev)
{
	struct net_device *bond = netdev_master_upper_dev_get(dev);

	call_netdevice_notifiers(NETDEV_NOTIFY_PEERS, dev);
	if (bond && netif_is_bond_master(bond) &&
	    !memcmp(bond->dev_addr, dev->dev_addr, INFINIBAND_ALEN))
		call_netdevice_notifiers(NETDEV_NOTIFY_PEERS, bond);
}

/*
 * announce() tells neighbours our address. The notifier in port.c asks for that when the stack
 * has seen the carrier; the stack would drop packets sent before.
 */
static void announce(struct ipoib_dev *idev)
{
	struct net_device *dev = idev->dev;

	if (!idev->announce || READ_ONCE(idev->state) != IPOIB_DEV_UP)
		return;

	/* A kick for another reason may be early. */
	if (!time_before(jiffies, idev->announce_at)) {
		rtnl_lock();
		if (dev->reg_state == NETREG_REGISTERED)
			tell_neighbours(dev);
		rtnl_unlock();
		idev->announce_at = jiffies +
				    (ANNOUNCE_DELAY << (ANNOUNCEMENTS - idev->announce));
		idev->announce--;
	}
	if (!idev->announce)
		return;
	mutex_lock(&idev->lock);
	ipoib_dev_kick_later(idev, IPOIB_DEV_ANNOUNCE,
			     max_t(long, idev->announce_at - jiffies, 0));
	mutex_unlock(&idev->lock);
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
		dev_event(idev, IPOIB_DEV_EV_UNREADY);
	query_again_if_waiting(idev);

	/* The failure may be the first sign that the port has lost its addresses. */
	ipoib_dev_kick(idev, IPOIB_DEV_QUERY_PORT);
}

/*
 * A CQ has failed, so completions are lost. Take everything down; new CQs are made before the
 * interface joins a group again.
 */
static void replace_cqs(struct ipoib_dev *idev)
{
	lockdep_assert_held(&idev->lock);

	idev->renewal_due = true;
	dev_event(idev, IPOIB_DEV_EV_UNREADY);
	ipoib_dev_kick(idev, IPOIB_DEV_QUERY_PORT);
}

/*
 * Connections made after @paths_at use the new paths already, so they are left alone, and groups
 * joined after that are known.
 */
static void paths_work(struct work_struct *work)
{
	struct ipoib_dev *idev = container_of(to_delayed_work(work),
					      struct ipoib_dev, paths);

	ipoib_peertable_doubt(&idev->peers, NULL);
	ipoib_dev_conns_refresh(idev, NULL, jiffies - READ_ONCE(idev->paths_at));
	ipoib_mcast_set_doubt(&idev->mcast, READ_ONCE(idev->paths_at));
}

/**
 * ipoib_dev_report - handle a report of the fabric
 * @idev: an interface
 * @report: what happened
 * @gid: group or port that the report is about; NULL if it is about none
 *
 * Context: Process context; no lock of the driver is held but ipoib_sa_subscribers.mutex. Must not
 * wait for the interface.
 */
void ipoib_dev_report(struct ipoib_dev *idev, enum ipoib_report report,
		      const union ib_gid *gid)
{
	switch (report) {
	case IPOIB_REPORT_NODE:
		ipoib_peertable_doubt(&idev->peers, gid);
		ipoib_dev_conns_refresh(idev, gid, 0);
		break;
	case IPOIB_REPORT_LINK:
		/* Paths have the traffic class of the group, and perhaps its service level. */
		ipoib_dev_doubt_paths(idev, 0);
		ipoib_mcast_set_renew(&idev->mcast);
		break;
	default:
		ipoib_mcast_set_report(&idev->mcast, report, gid);
		break;
	}
}

/**
 * ipoib_dev_doubt_paths - all paths may have changed
 * @idev: the interface
 * @delay: jiffies until they are queried again, see ipoib_peertable_doubt()
 *
 * Context: Any.
 */
void ipoib_dev_doubt_paths(struct ipoib_dev *idev, unsigned long delay)
{
	WRITE_ONCE(idev->paths_at, jiffies);
	queue_delayed_work(idev->fabric.ctl_wq, &idev->paths, delay);
}

static void handle_pending(struct ipoib_dev *idev)
{
	/* First, for to recover a queue pair is to wait for completions. */
	if (test_and_clear_bit(IPOIB_DEV_CQ_FAILED, &idev->pending)) {
		mutex_lock(&idev->lock);
		replace_cqs(idev);
		mutex_unlock(&idev->lock);
	}
	if (test_and_clear_bit(IPOIB_DEV_CHAN_FAILED, &idev->pending)) {
		mutex_lock(&idev->lock);
		if (idev->rings)
			ipoib_dev_rings_recover_chans(idev);
		mutex_unlock(&idev->lock);
	}
	if (test_and_clear_bit(IPOIB_DEV_QP_FAILED, &idev->pending)) {
		mutex_lock(&idev->lock);
		recover_qp(idev);
		mutex_unlock(&idev->lock);
	}
	if (test_and_clear_bit(IPOIB_DEV_CONNS, &idev->pending)) {
		mutex_lock(&idev->lock);
		ipoib_dev_conns_check(idev);
		if (idev->rings)
			ipoib_dev_conns_start(idev);
		mutex_unlock(&idev->lock);
	}
	if (test_and_clear_bit(IPOIB_DEV_QUERY_PORT, &idev->pending))
		query_port(idev);
	/* The link must not come up with the address of a QP that is no more; a query is due. */
	if (!idev->renewed && test_and_clear_bit(IPOIB_DEV_GROUP, &idev->pending))
		follow_group(idev);
	if (test_and_clear_bit(IPOIB_DEV_ANNOUNCE, &idev->pending))
		announce(idev);
}

static void ctl_work(struct work_struct *work)
{
	struct ipoib_dev *idev = container_of(work, struct ipoib_dev, ctl);
	unsigned int noio;

	if (READ_ONCE(idev->state) == IPOIB_DEV_DEAD)
		return;

	/* Packets of a block device may wait for the recovery: no page may wait for those. */
	noio = memalloc_noio_save();
	handle_pending(idev);
	memalloc_noio_restore(noio);
}

/* ---- calls of the stack ----------------------------------------------- */

/**
 * ipoib_dev_open - bring an interface up; carrier comes when the link is
 * @idev: an interface that is down
 *
 * Context: Process context, RTNL held.
 */
void ipoib_dev_open(struct ipoib_dev *idev)
{
	ASSERT_RTNL();
	ipoib_dev_chans_open(idev);
	mutex_lock(&idev->lock);
	idev->retries = 0;
	idev->logged = IPOIB_LINK_READY;
	idev->limited = false;
	dev_event(idev, IPOIB_DEV_EV_OPEN);
	mutex_unlock(&idev->lock);
}

/**
 * ipoib_dev_stop - bring an interface down
 * @idev: an interface that is up
 *
 * Waits for the HCA to give packets back, with a deadline, but for no answer of the fabric.
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
 * ipoib_dev_set_addr - have an interface use another GID
 * @idev: the interface
 * @addr: its address with another GUID, which the port need not have yet
 *
 * The rest of the address is not the user's to choose: flags and QPN are what the queue pair is,
 * and the subnet prefix is the SM's.
 *
 * Return: 0; -EBUSY: it is up; -EINVAL: more differs than the GUID, or that is zero.
 * Context: Process context, RTNL held.
 */
int ipoib_dev_set_addr(struct ipoib_dev *idev, const struct ipoib_hwaddr *addr)
{
	struct net_device *dev = idev->dev;
	const size_t fixed = sizeof(*addr) - IPOIB_GUID_LEN;
	union ib_gid gid;

	ASSERT_RTNL();
	if (netif_running(dev))
		return -EBUSY;
	ipoib_hwaddr_gid(addr, &gid);
	if (memcmp(dev->dev_addr, addr, fixed) || !gid.global.interface_id)
		return -EINVAL;

	ipoib_fabric_pin_gid(&idev->fabric, &gid);
	dev_addr_set(dev, (const u8 *)addr);
	ipoib_dev_kick(idev, IPOIB_DEV_QUERY_PORT);
	return 0;
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
	ipoib_port_detach(idev);
	mutex_lock(&idev->lock);
	dev_event(idev, IPOIB_DEV_EV_KILL);
	mutex_unlock(&idev->lock);
}

/**
 * ipoib_dev_change_mtu - set the MTU
 * @idev: the interface
 * @mtu: new MTU, within the limits of the net_device
 *
 * The MTU that a user sets is remembered. As long as the link can do less, that is used: a link
 * that shrinks and grows again, or that comes later, gets the user's. The largest possible MTU
 * means that the MTU follows the link.
 *
 * Return: 0.
 * Context: Process context, RTNL held; the device's lock is not.
 */
int ipoib_dev_change_mtu(struct ipoib_dev *idev, int mtu)
{
	unsigned int link;

	ASSERT_RTNL();
	if (idev->mtu_is_ours) {
		WRITE_ONCE(idev->dev->mtu, mtu);
		return 0;
	}
	WRITE_ONCE(idev->user_mtu, mtu == idev->dev->max_mtu ? 0 : mtu);
	/* Connected mode can do whatever max_mtu allows, and its MTU says nothing of datagrams. */
	idev->unsaid_mtu = idev->connected ? 0 : mtu;

	mutex_lock(&idev->lock);
	link = ipoib_dev_link_mtu(idev);
	mutex_unlock(&idev->lock);

	WRITE_ONCE(idev->dev->mtu, wanted_mtu(idev, link ?: READ_ONCE(idev->max_len)));
	say_if_too_much(idev, idev->dev->mtu);
	return 0;
}

static void set_coalesce(struct ipoib_coalesce *to, const struct ipoib_coalesce *from)
{
	WRITE_ONCE(to->usecs, from->usecs);
	WRITE_ONCE(to->frames, from->frames);
	WRITE_ONCE(to->adaptive, from->adaptive);
}

/* A queue that is made meanwhile may see half of a change, and is corrected here. */
static int apply_coalesce(struct ipoib_dev *idev)
{
	int err;

	lockdep_assert_held(&idev->lock);

	err = ipoib_moder_apply(&idev->rx.moder) ?: ipoib_moder_apply(&idev->tx.moder) ?:
	      ipoib_dev_chans_moderate(idev);
	if (!err && idev->conn_set)
		err = ipoib_conn_queues_moderate(idev->conn_set);
	return err;
}

/**
 * ipoib_dev_resize_rings - set the sizes of the rings of datagrams
 * @idev: the interface
 * @rx_slots: receive buffers: a power of two, ipoib_ud_rx_most() at most
 * @tx_slots: packets on the send ring of each channel: likewise, IPOIB_UD_TX_SLOTS at most
 *
 * Rings that are there are replaced. The link stays up; addresses, groups, peers and connections
 * stay. But where the QP cannot be used again, or without memory, all is started anew.
 *
 * Return: 0; or -ENOMEM, or -EBUSY while the QP is brought back after a failure, and the sizes are
 * what they were.
 * Context: Process context, RTNL held; the device's lock is not.
 */
int ipoib_dev_resize_rings(struct ipoib_dev *idev, u32 rx_slots, u32 tx_slots)
{
	unsigned int noio;
	bool rings;
	int err;

	ASSERT_RTNL();
	mutex_lock(&idev->lock);
	rings = idev->rings;
	/* Packets of a block device may wait for the rings: no page may wait for those. */
	noio = memalloc_noio_save();
	err = ipoib_dev_rings_resize(idev, rx_slots, tx_slots);
	if (rings && !idev->rings) {
		dev_event(idev, IPOIB_DEV_EV_UNREADY);
		ipoib_dev_kick(idev, IPOIB_DEV_QUERY_PORT);
	}
	memalloc_noio_restore(noio);
	mutex_unlock(&idev->lock);
	return err;
}

/**
 * ipoib_dev_moderate - set the moderation of all completion queues
 * @idev: the interface; its HCA can moderate
 * @rx: for queues that packets are received by
 * @tx: for queues of sends
 *
 * Return: 0; or what the provider says, and the moderation is what it was, as far as the provider
 * takes that.
 * Context: Process context, RTNL held; the device's lock is not.
 */
int ipoib_dev_moderate(struct ipoib_dev *idev, const struct ipoib_coalesce *rx,
		       const struct ipoib_coalesce *tx)
{
	struct ipoib_coalesce old_rx = idev->rx_moder;
	struct ipoib_coalesce old_tx = idev->tx_moder;
	int err;

	ASSERT_RTNL();
	mutex_lock(&idev->lock);
	set_coalesce(&idev->rx_moder, rx);
	set_coalesce(&idev->tx_moder, tx);
	err = apply_coalesce(idev);
	if (err) {
		set_coalesce(&idev->rx_moder, &old_rx);
		set_coalesce(&idev->tx_moder, &old_tx);
		apply_coalesce(idev);
	}
	mutex_unlock(&idev->lock);
	return err;
}
