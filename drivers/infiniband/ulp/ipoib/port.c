// SPDX-License-Identifier: GPL-2.0
#include "port.h"

#include <linux/delay.h>
#include <linux/inetdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/if_inet6.h>
#include <rdma/ib_cache.h>

#include "backoff.h"
#include "fabric.h"
#include "netdev.h"
#include "netlink.h"
#include "qp.h"

/*
 * All ports. This list, and each port's list of interfaces, is changed under RTNL and
 * ports_lock together, so that either is enough to read it. Event handlers are called
 * without RTNL and take ports_lock.
 */
static LIST_HEAD(ports);
static DEFINE_SPINLOCK(ports_lock);

/*
 * Work items of a port that run at a time on @wq and on @ctl_wq. The limit bounds how many
 * worker threads a thousand groups that are left at once occupy, or a thousand interfaces
 * that wait for RTNL.
 */
#define WQ_MAX_WORKERS	16

/*
 * Paths are doubted after a random delay of up to this many milliseconds, because a new subnet
 * manager announces itself to all ports of the subnet at once, and all of them would ask then.
 */
#define PATHS_JITTER_MS	2000

/*
 * CM messages of a port that wait for an answer at a time, and how many more begin to wait in a
 * second. A port receives MADs into 512 buffers, 64 at the least, and drops those that come when
 * all are full: a thousand DREQs that leave together may all have gone to one port.
 */
#define CM_MAX_UNANSWERED	64
#define CM_RATE			640
#define CM_BURST		64

/* How often parent_add() waits for a GID, and how long each time. */
#define GID_TRIES	8
#define GID_WAIT_MS	50

static struct ib_client ib_client;

/* Delay until hca_fill() tries again to make the ports and interfaces that it could not. */
static const struct ipoib_backoff fill_delay = {
	.min_ms = 500,
	.max_ms = 60000,
};

/**
 * struct ipoib_hca - one RDMA device
 * @ibdev: the device
 * @handler: calls ib_event() for events of the device
 * @fill: calls hca_fill() again after it has failed
 * @failures: times in a row that hca_fill() has failed; only hca_fill() uses it
 * @ports: ports that can carry interfaces; only hca_fill() adds, under ports_lock
 */
struct ipoib_hca {
	struct ib_device *ibdev;
	struct ib_event_handler handler;
	struct delayed_work fill;
	u32 failures;
	struct list_head ports;
};

/**
 * ipoib_port_find - find the RoCE port of an Ethernet device
 * @lower: any net_device
 *
 * Return: the port, or NULL if @lower carries no RDMA device.
 * Context: Process context; RTNL is held and keeps the port.
 */
struct ipoib_port *ipoib_port_find(const struct net_device *lower)
{
	struct ipoib_port *port;

	ASSERT_RTNL();
	list_for_each_entry(port, &ports, node) {
		if (port->fabric_ops->is_on &&
		    port->fabric_ops->is_on(port->ibdev, port->num, lower))
			return port;
	}
	return NULL;
}

/**
 * ipoib_port_find_dev - find the interface of a partition
 * @port: the port
 * @pkey: P_Key of the partition
 *
 * Return: the interface or NULL.
 * Context: Process context; RTNL is held and keeps the interface.
 */
struct ipoib_dev *ipoib_port_find_dev(const struct ipoib_port *port, u16 pkey)
{
	struct ipoib_dev *idev;

	ASSERT_RTNL();
	list_for_each_entry(idev, &port->devs, on_port) {
		if (READ_ONCE(idev->fabric.pkey) == pkey)
			return idev;
	}
	return NULL;
}

/**
 * ipoib_is_parent - was an interface made by parent_add()
 * @idev: any interface
 *
 * Return: true if the interface lives as long as its port and no user can delete it.
 * Context: Any.
 */
bool ipoib_is_parent(const struct ipoib_dev *idev)
{
	return idev->fabric.first_pkey;
}

/**
 * ipoib_port_config - fill in what all interfaces on a port have in common
 * @port: the port
 * @idev: the interface, which is new; the caller has to add @lower, P_Key, GID and scope
 *
 * Context: Process context, RTNL held.
 */
void ipoib_port_config(struct ipoib_port *port, struct ipoib_dev *idev)
{
	ASSERT_RTNL();
	idev->fabric.ops = port->fabric_ops;
	idev->fabric.ibdev = port->ibdev;
	idev->fabric.port = port->num;
	idev->fabric.shared = port->shared;
	idev->fabric.wq = port->wq;
	idev->fabric.ctl_wq = port->ctl_wq;
	idev->config.conn_wq = port->conn_wq;
	idev->config.conn_turns = &port->conn_turns;
	idev->config.pd = port->pd;
	idev->config.uc = port->uc;
	idev->config.port = port;
}

/**
 * ipoib_port_register - register an interface, which then receives the events of its port
 * @idev: the interface; its configuration is complete
 *
 * Return: 0; or the error of register_netdevice(), and the caller frees the net_device.
 * Context: Process context, RTNL held.
 */
int ipoib_port_register(struct ipoib_dev *idev)
{
	int err;

	ASSERT_RTNL();
	ipoib_sysfs_setup(idev->dev);
	err = register_netdevice(idev->dev);
	if (err)
		return err;

	spin_lock_bh(&ports_lock);
	list_add_tail(&idev->on_port, &idev->config.port->devs);
	spin_unlock_bh(&ports_lock);

	/*
	 * Look at the port now, for the interface has missed all events until here, and its
	 * MTU is only a guess.
	 */
	ipoib_dev_kick(idev, IPOIB_DEV_QUERY_PORT);
	return 0;
}

/**
 * ipoib_port_detach - let an interface receive no more events of its port
 * @idev: the interface, which is going
 *
 * Context: Process context, RTNL held.
 */
void ipoib_port_detach(struct ipoib_dev *idev)
{
	ASSERT_RTNL();
	spin_lock_bh(&ports_lock);
	list_del_init(&idev->on_port);
	spin_unlock_bh(&ports_lock);
}

/*
 * May the event have changed the state of the port? The driver does not trust an event to say what
 * has changed: it queries the port, and acts on the result of the query. So events may come late,
 * twice or together.
 */
static bool is_of_port(const struct ib_event *event, u32 port)
{
	switch (event->event) {
	case IB_EVENT_DEVICE_FATAL:
		return true;
	case IB_EVENT_PORT_ACTIVE:
	case IB_EVENT_PORT_ERR:
	case IB_EVENT_LID_CHANGE:
	case IB_EVENT_PKEY_CHANGE:
	case IB_EVENT_SM_CHANGE:
	case IB_EVENT_CLIENT_REREGISTER:
	case IB_EVENT_GID_CHANGE:
		return event->element.port_num == port;
	default:
		return false;
	}
}

/*
 * May the event have changed where paths lead? A new subnet manager may have assigned other LIDs
 * and service levels.
 */
static bool is_of_paths(const struct ib_event *event)
{
	switch (event->event) {
	case IB_EVENT_LID_CHANGE:
	case IB_EVENT_SM_CHANGE:
	case IB_EVENT_CLIENT_REREGISTER:
		return true;
	default:
		return false;
	}
}

static void port_event(const struct ipoib_port *port,
		       const struct ib_event *event)
{
	struct ipoib_dev *idev;
	u32 ms;

	lockdep_assert_held(&ports_lock);

	if (port->fabric_ops->port_event)
		port->fabric_ops->port_event(port->shared, event->event);
	list_for_each_entry(idev, &port->devs, on_port) {
		ipoib_dev_kick(idev, IPOIB_DEV_QUERY_PORT);
		if (!is_of_paths(event))
			continue;
		ms = get_random_u32_below(PATHS_JITTER_MS);
		ipoib_dev_doubt_paths(idev, msecs_to_jiffies(ms));
	}
}

static void look_at_those_on(const struct net_device *lower)
{
	struct ipoib_port *port;
	struct ipoib_dev *idev;

	spin_lock_bh(&ports_lock);
	list_for_each_entry(port, &ports, node) {
		list_for_each_entry(idev, &port->devs, on_port) {
			if (idev->fabric.lower == lower)
				ipoib_dev_kick(idev, IPOIB_DEV_QUERY_PORT);
		}
	}
	spin_unlock_bh(&ports_lock);
}

static void ib_event(struct ib_event_handler *handler, struct ib_event *event)
{
	struct ipoib_hca *hca = container_of(handler, struct ipoib_hca,
					     handler);
	struct ipoib_port *port;

	spin_lock_bh(&ports_lock);
	list_for_each_entry(port, &hca->ports, sibling) {
		if (is_of_port(event, port->num))
			port_event(port, event);
	}
	spin_unlock_bh(&ports_lock);
}

/*
 * Unregister the interfaces on a RoCE port whose Ethernet device goes. An interface that is being
 * unregistered in the same batch as @lower must not be queued for it twice.
 */
static void lower_gone(struct net_device *lower)
{
	struct ipoib_port *port;
	struct ipoib_dev *idev;
	LIST_HEAD(kill);

	list_for_each_entry(port, &ports, node) {
		list_for_each_entry(idev, &port->devs, on_port) {
			if (idev->fabric.lower == lower &&
			    idev->dev->reg_state == NETREG_REGISTERED)
				unregister_netdevice_queue(idev->dev, &kill);
		}
	}
	unregister_netdevice_many(&kill);
}

/*
 * May the event of an Ethernet device have changed the state of its RoCE port? NETDEV_CHANGEMTU is
 * among them because soft-RoCE raises no event of its own when that MTU changes.
 */
static bool is_of_lower(unsigned long event)
{
	switch (event) {
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
	case NETDEV_CHANGEMTU:
	case NETDEV_CHANGEADDR:
		return true;
	default:
		return false;
	}
}

/* A tenant that was lent the parent has no say about children in the namespaces of others. */
static bool may_take(const struct ipoib_dev *parent, const struct ipoib_dev *child)
{
	const struct net *net = dev_net(parent->dev);

	return net->user_ns == &init_user_ns || net_eq(dev_net(child->dev), net);
}

/*
 * Take the children of a parent up or down with it, for whoever comes from ib_ipoib may have
 * nothing but the parent in a configuration file. One that cannot be opened stays down.
 */
static void take_children(const struct ipoib_dev *parent, bool up)
{
	struct ipoib_dev *idev;

	ASSERT_RTNL();
	list_for_each_entry(idev, &parent->config.port->devs, on_port) {
		if (idev->config.parent != parent->dev || !may_take(parent, idev) ||
		    idev->dev->reg_state != NETREG_REGISTERED)
			continue;
		if (up)
			dev_open(idev->dev, NULL);
		else
			dev_close(idev->dev);
	}
}

static int netdev_event(struct notifier_block *nb, unsigned long event,
			void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	struct ipoib_dev *idev;

	if (ipoib_netdev_is_ours(dev)) {
		idev = netdev_priv(dev);
		/*
		 * The stack reports a change of carrier with this event. Packets that announce
		 * the interface would be lost before it.
		 */
		if (event == NETDEV_CHANGE && netif_carrier_ok(dev))
			ipoib_dev_kick(idev, IPOIB_DEV_ANNOUNCE);
		if (!idev->children_stay && (event == NETDEV_UP || event == NETDEV_DOWN))
			take_children(idev, event == NETDEV_UP);
	} else if (event == NETDEV_UNREGISTER) {
		lower_gone(dev);
	} else if (is_of_lower(event)) {
		look_at_those_on(dev);
	}
	return NOTIFY_DONE;
}

/*
 * netdev_event() is called last: a query asks the RDMA device, whose own notifier must have run
 * before.
 */
static struct notifier_block netdev_notifier = {
	.notifier_call	= netdev_event,
	.priority	= INT_MIN,
};

/*
 * IPv6 addresses of the Ethernet device make the GIDs of a RoCE port. Not every change of an
 * address comes with an event of the RDMA device: GID 0 stays when the stack drops the address.
 */
static int inet6addr_event(struct notifier_block *nb, unsigned long event,
			   void *ptr)
{
	const struct inet6_ifaddr *ifa = ptr;

	look_at_those_on(ifa->idev->dev);
	return NOTIFY_DONE;
}

static struct notifier_block inet6addr_notifier = {
	.notifier_call = inet6addr_event,
};

/* fabric_of() returns NULL for a port that cannot carry IPoIB. */
static const struct ipoib_fabric_ops *fabric_of(struct ib_device *ibdev,
						u32 num)
{
	if (rdma_protocol_roce_udp_encap(ibdev, num))
		return &ipoib_fabric_roce_ops;
	if (rdma_cap_ib_sa(ibdev, num))
		return &ipoib_fabric_ib_ops;
	return NULL;
}

/* wqs_new() makes the workqueues of a port, and the turns of the works on one of them. */
static int wqs_new(struct ipoib_port *port)
{
	/* The name of a device is neither unique nor constant, and may be too long. */
	u32 device = port->ibdev->index;
	unsigned int flags = WQ_UNBOUND;

	/*
	 * The paths of a block device have to be found without memory for another worker. On RoCE
	 * they are not: rdma_addr_cancel() waits for a queue of the RDMA core that needs memory.
	 */
	if (!port->fabric_ops->is_on)
		flags |= WQ_MEM_RECLAIM;
	port->wq = alloc_workqueue("ipoib/%u.%u", flags, WQ_MAX_WORKERS,
				   device, port->num);
	if (!port->wq)
		return -ENOMEM;

	port->ctl_wq = alloc_workqueue("ipoib-ctl/%u.%u", flags,
				       WQ_MAX_WORKERS, device, port->num);
	if (!port->ctl_wq)
		goto err_wq;

	/*
	 * No WQ_MAX_WORKERS here: many connections may be closed at a time, and each waits for
	 * a grace period, or for an HCA that does not answer. The work of other connections
	 * must not wait behind them.
	 */
	port->conn_wq = alloc_workqueue("ipoib-conn/%u.%u",
					WQ_UNBOUND | WQ_MEM_RECLAIM, 0, device,
					port->num);
	if (!port->conn_wq)
		goto err_ctl_wq;
	ipoib_turns_init(&port->conn_turns, CM_MAX_UNANSWERED, port->conn_wq,
			 CM_RATE, CM_BURST);
	return 0;

err_ctl_wq:
	destroy_workqueue(port->ctl_wq);
err_wq:
	destroy_workqueue(port->wq);
	return -ENOMEM;
}

static void wqs_free(struct ipoib_port *port)
{
	ipoib_turns_exit(&port->conn_turns);
	destroy_workqueue(port->conn_wq);
	destroy_workqueue(port->ctl_wq);
	destroy_workqueue(port->wq);
}

static int port_open(struct ipoib_port *port)
{
	int err;

	err = wqs_new(port);
	if (err)
		return err;

	port->pd = ib_alloc_pd(port->ibdev, 0);
	if (IS_ERR(port->pd)) {
		err = PTR_ERR(port->pd);
		goto err_wqs;
	}
	port->uc = ipoib_qp_type_works(port->pd, IB_QPT_UC);

	if (port->fabric_ops->open_port) {
		port->shared = port->fabric_ops->open_port(port->ibdev,
							   port->num);
		if (IS_ERR(port->shared)) {
			err = PTR_ERR(port->shared);
			goto err_pd;
		}
	}
	return 0;

err_pd:
	ib_dealloc_pd(port->pd);
err_wqs:
	wqs_free(port);
	return err;
}

static void port_close(struct ipoib_port *port)
{
	if (port->fabric_ops->close_port)
		port->fabric_ops->close_port(port->shared);
	ib_dealloc_pd(port->pd);
	wqs_free(port);
}

static struct ipoib_port *port_new(struct ib_device *ibdev, u32 num)
{
	struct ipoib_port *port;
	int err;

	port = kzalloc(sizeof(*port), GFP_KERNEL);
	if (!port)
		return ERR_PTR(-ENOMEM);

	port->ibdev = ibdev;
	port->num = num;
	port->fabric_ops = fabric_of(ibdev, num);
	ipoib_usecnt_init(&port->users);
	INIT_LIST_HEAD(&port->devs);
	err = port_open(port);
	if (err) {
		kfree(port);
		return ERR_PTR(err);
	}

	rtnl_lock();
	spin_lock_bh(&ports_lock);
	list_add_tail(&port->node, &ports);
	spin_unlock_bh(&ports_lock);
	rtnl_unlock();
	return port;
}

static void port_free(struct ipoib_port *port)
{
	struct ipoib_dev *idev;
	LIST_HEAD(kill);

	/* 1. Let no interface be added, and unregister all of them. */
	rtnl_lock();
	spin_lock_bh(&ports_lock);
	list_del(&port->node);
	spin_unlock_bh(&ports_lock);
	list_for_each_entry(idev, &port->devs, on_port)
		unregister_netdevice_queue(idev->dev, &kill);
	unregister_netdevice_many(&kill);
	rtnl_unlock();

	/* 2. Wait for interfaces that another context is unregistering right now. */
	ipoib_usecnt_drain(&port->users);

	/* 3. Free what the interfaces used. */
	port_close(port);
	kfree(port);
}

/*
 * Before a subnet manager has set up the port, the first entry of the table may be missing or
 * invalid. The default P_Key is used until it has.
 */
static u16 first_pkey(const struct ipoib_port *port)
{
	u16 pkey;

	if (ib_get_cached_pkey(port->ibdev, port->num, 0, &pkey) ||
	    !(pkey & ~IPOIB_PKEY_FULL))
		return 0xffff;
	return pkey | IPOIB_PKEY_FULL;
}

/*
 * Only the parent stands for the port in sysfs and shows its device. Udev rules, and programs
 * that look for the interfaces of a device, would take whatever else showed it for a second
 * interface of the port. So what users make, children and interfaces on RoCE, is virtual.
 */
static void stand_for_port(const struct ipoib_port *port, struct net_device *dev)
{
	SET_NETDEV_DEV(dev, port->ibdev->dev.parent);
	dev->dev_port = port->num - 1;
	/* Programs that do not know dev_port read dev_id instead. */
	dev->dev_id = port->num - 1;
}

static int parent_register(struct net_device *dev, struct ipoib_port *port)
{
	struct ipoib_dev *idev = netdev_priv(dev);

	ipoib_port_config(port, idev);
	idev->fabric.first_pkey = true;
	idev->fabric.pkey = first_pkey(port);
	stand_for_port(port, dev);
	dev_net_set(dev, read_pnet(&port->ibdev->coredev.rdma_net));
	return ipoib_port_register(idev);
}

static int parent_try(struct ipoib_port *port)
{
	struct net_device *dev;
	int err;

	dev = alloc_netdev_mqs(sizeof(struct ipoib_dev), "ib%d", NET_NAME_ENUM,
			       ipoib_netlink_setup, ipoib_dev_chans_max(), 1);
	if (!dev)
		return -ENOMEM;

	rtnl_lock();
	err = parent_register(dev, port);
	rtnl_unlock();
	if (err)
		free_netdev(dev);
	return err;
}

/*
 * Make the interface of an InfiniBand port, which follows the first P_Key of the port's table and
 * is unregistered with the port. A device without multicast never gets one; the function logs that
 * and succeeds. It sleeps for some tenths of a second if the port has no GID.
 */
static int parent_add(struct ipoib_port *port)
{
	int err, tries;

	if (!ipoib_port_has_mcast(port)) {
		dev_warn(&port->ibdev->dev,
			 "no IPoIB on port %u: the device has no multicast\n",
			 port->num);
		return 0;
	}

	/*
	 * An InfiniBand port always has a GID, but the RDMA core's table lacks it for a moment
	 * while the core rewrites the entry.
	 */
	for (tries = 1;; tries++) {
		err = parent_try(port);
		if (err != -EADDRNOTAVAIL || tries == GID_TRIES)
			break;
		msleep(GID_WAIT_MS);
	}
	return err;
}

static struct ipoib_port *hca_port(const struct ipoib_hca *hca, u32 num)
{
	struct ipoib_port *port;

	list_for_each_entry(port, &hca->ports, sibling)
		if (port->num == num)
			return port;
	return NULL;
}

/*
 * Make a port, and on InfiniBand its parent interface. On RoCE an interface is made by netlink
 * only.
 */
static int hca_fill_port(struct ipoib_hca *hca, u32 num)
{
	struct ipoib_port *port = hca_port(hca, num);
	int err;

	if (!port) {
		port = port_new(hca->ibdev, num);
		if (IS_ERR(port))
			return PTR_ERR(port);
		spin_lock_bh(&ports_lock);
		list_add_tail(&port->sibling, &hca->ports);
		spin_unlock_bh(&ports_lock);
	}
	if (port->parent || port->fabric_ops->is_on)
		return 0;

	err = parent_add(port);
	port->parent = !err;
	return err;
}

/*
 * Make all ports of a device, and try again later if that has failed. Memory may be short, or
 * the RDMA core may be rewriting a GID. Such conditions pass, but no event tells when.
 */
static void hca_fill(struct ipoib_hca *hca)
{
	int err, failed = 0;
	u32 num;

	rdma_for_each_port(hca->ibdev, num) {
		err = fabric_of(hca->ibdev, num) ? hca_fill_port(hca, num) : 0;
		if (err && !hca->failures)
			dev_warn(&hca->ibdev->dev, "no IPoIB on port %u yet: %pe\n",
				 num, ERR_PTR(err));
		failed = err ?: failed;
	}
	if (!failed)
		return;

	hca->failures++;
	queue_delayed_work(system_dfl_wq, &hca->fill,
			   msecs_to_jiffies(ipoib_backoff_ms(&fill_delay, hca->failures,
							     get_random_u32())));
}

static void fill_work(struct work_struct *work)
{
	hca_fill(container_of(to_delayed_work(work), struct ipoib_hca, fill));
}

static bool carries_ipoib(struct ib_device *ibdev)
{
	bool any = false;
	u32 num;

	rdma_for_each_port(ibdev, num)
		any = any || fabric_of(ibdev, num);
	return any;
}

static int hca_add(struct ib_device *ibdev)
{
	struct ipoib_hca *hca;

	if (!carries_ipoib(ibdev))
		return -EOPNOTSUPP;

	/* The allocation must not fail, because @hca holds the work that tries again. */
	hca = kzalloc(sizeof(*hca), GFP_KERNEL | __GFP_NOFAIL);
	hca->ibdev = ibdev;
	INIT_DELAYED_WORK(&hca->fill, fill_work);
	INIT_LIST_HEAD(&hca->ports);
	INIT_IB_EVENT_HANDLER(&hca->handler, ibdev, ib_event);
	ib_register_event_handler(&hca->handler);
	ib_set_client_data(ibdev, &ib_client, hca);
	hca_fill(hca);
	return 0;
}

static void hca_remove(struct ib_device *ibdev, void *client_data)
{
	struct ipoib_hca *hca = client_data;
	struct ipoib_port *port, *next;

	/* 1. Let no port be added, and no event handler look at the list. */
	cancel_delayed_work_sync(&hca->fill);
	ib_unregister_event_handler(&hca->handler);

	/* 2. Free the ports. */
	list_for_each_entry_safe(port, next, &hca->ports, sibling)
		port_free(port);
	kfree(hca);
}

/*
 * The RDMA core lets no other device have the old name before hca_rename() has returned.
 */
static void hca_rename(struct ib_device *ibdev, void *client_data)
{
	const struct ipoib_port *port;
	struct ipoib_dev *idev;

	rtnl_lock();
	list_for_each_entry(port, &ports, node) {
		if (port->ibdev != ibdev)
			continue;
		list_for_each_entry(idev, &port->devs, on_port)
			ipoib_debugfs_rename(idev, idev->fabric.pkey);
	}
	rtnl_unlock();
}

static bool has_address(struct net_device *dev, const struct sockaddr *addr)
{
	const struct sockaddr_in6 *sin6 = (const void *)addr;
	const struct sockaddr_in *sin = (const void *)addr;
	struct in_device *in_dev;

	switch (addr ? addr->sa_family : AF_UNSPEC) {
	case AF_INET:
		in_dev = __in_dev_get_rcu(dev);
		return in_dev && inet_confirm_addr(dev_net(dev), in_dev, 0, sin->sin_addr.s_addr,
						   RT_SCOPE_HOST);
	case AF_INET6:
		return ipv6_chk_addr(dev_net(dev), &sin6->sin6_addr, dev, 1);
	default:
		return false;
	}
}

/*
 * For a slave of a bond the answer is the bond; the master of a VRF is not, for addresses are on
 * its slaves.
 */
static struct net_device *with_addresses(struct net_device *dev)
{
	struct net_device *master = netdev_master_upper_dev_get_rcu(dev);

	return master && !netif_is_l3_master(master) ? master : dev;
}

/*
 * Among several interfaces with one P_Key the one that has the address is chosen, or else the
 * first one.
 */
static struct net_device *find_by_params(const struct ipoib_port *port,
					 u16 pkey, const union ib_gid *gid,
					 const struct sockaddr *addr)
{
	const struct ipoib_hwaddr *own;
	struct net_device *dev, *first = NULL;
	struct ipoib_dev *idev;

	lockdep_assert_held(&ports_lock);

	list_for_each_entry(idev, &port->devs, on_port) {
		own = (const void *)idev->dev->dev_addr;
		if (READ_ONCE(idev->fabric.pkey) != (pkey | IPOIB_PKEY_FULL) ||
		    !netif_running(idev->dev))
			continue;
		/* One that changes just now is the old, the new one, or nobody's: no match. */
		if (gid && data_race(memcmp(own->gid, gid, sizeof(*gid))))
			continue;
		dev = with_addresses(idev->dev);
		if (has_address(dev, addr))
			return dev;
		first = first ?: dev;
	}
	return first;
}

/* RDMA CM asks which interface a REQ is for. */
static struct net_device *get_net_dev_by_params(struct ib_device *ibdev,
						u32 num, u16 pkey,
						const union ib_gid *gid,
						const struct sockaddr *addr,
						void *client_data)
{
	struct ipoib_hca *hca = client_data;
	struct net_device *dev = NULL;
	struct ipoib_port *port;

	if (!hca)
		return NULL;

	rcu_read_lock();
	spin_lock_bh(&ports_lock);
	list_for_each_entry(port, &hca->ports, sibling) {
		if (port->num != num)
			continue;
		dev = find_by_params(port, pkey, gid, addr);
		break;
	}
	if (dev)
		dev_hold(dev);
	spin_unlock_bh(&ports_lock);
	rcu_read_unlock();
	return dev;
}

static struct ib_client ib_client = {
	.add			= hca_add,
	.remove			= hca_remove,
	.rename			= hca_rename,
	.get_net_dev_by_params	= get_net_dev_by_params,
};

/**
 * ipoib_port_init - register for RDMA devices, Ethernet devices and IPv6 addresses
 * @kind: name of the client in the RDMA core
 *
 * Return: 0 or a negative error.
 * Context: Process context, module initialisation.
 */
int ipoib_port_init(const char *kind)
{
	int err;

	ib_client.name = kind;
	err = register_netdevice_notifier(&netdev_notifier);
	if (err)
		return err;

	err = register_inet6addr_notifier(&inet6addr_notifier);
	if (err)
		goto err_netdev;

	err = ib_register_client(&ib_client);
	if (err)
		goto err_inet6addr;
	return 0;

err_inet6addr:
	unregister_inet6addr_notifier(&inet6addr_notifier);
err_netdev:
	unregister_netdevice_notifier(&netdev_notifier);
	return err;
}

/**
 * ipoib_port_exit - remove all interfaces and undo ipoib_port_init()
 *
 * Context: Process context, module exit.
 */
void ipoib_port_exit(void)
{
	ib_unregister_client(&ib_client);
	unregister_inet6addr_notifier(&inet6addr_notifier);
	unregister_netdevice_notifier(&netdev_notifier);
}
