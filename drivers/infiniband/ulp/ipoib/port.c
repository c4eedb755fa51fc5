// SPDX-License-Identifier: GPL-2.0
#include "port.h"

#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/if_inet6.h>

#include "debugfs.h"
#include "event.h"
#include "fabric_ib.h"
#include "fabric_roce.h"
#include "netdev.h"
#include "parent.h"

/*
 * All ports. Changed under RTNL and @ports_lock, as are the ports' lists of
 * interfaces: events come with neither and take the lock.
 */
static LIST_HEAD(ports);
static DEFINE_SPINLOCK(ports_lock);

/*
 * Requests, control and multicast work of all interfaces. Some of it waits for
 * RTNL; nobody who holds RTNL waits for work that has not started yet.
 */
static struct workqueue_struct *wq;
static struct workqueue_struct *conn_wq;

/* Bounds how many workers a thousand groups that are left at once occupy. */
#define WQ_MAX_WORKERS	16

static struct ib_client ib_client;

/**
 * struct ipoib_hca - one RDMA device
 * @handler: tells us of its events
 * @ports: those that can carry interfaces; fixed while @handler is registered
 */
struct ipoib_hca {
	struct ib_event_handler handler;
	struct list_head ports;
};

/**
 * ipoib_port_find - the port that an Ethernet device is
 * @lower: any net_device
 *
 * Return: the port, or NULL if @lower carries no RDMA device.
 * Context: Process context, RTNL held, which keeps the port.
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
 * ipoib_port_find_dev - the interface of a partition
 * @port: the port
 * @pkey: P_Key of the partition
 *
 * Return: the interface or NULL.
 * Context: Process context, RTNL held, which keeps the interface.
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

static void port_acquire(void *ctx)
{
	struct ipoib_port *port = ctx;

	ipoib_users_get(&port->users);
}

static void port_detach(void *ctx, struct ipoib_dev *idev)
{
	ASSERT_RTNL();
	spin_lock_bh(&ports_lock);
	list_del_init(&idev->on_port);
	spin_unlock_bh(&ports_lock);
}

static bool port_claim(void *ctx, struct ipoib_dev *idev, u16 pkey)
{
	const struct ipoib_port *port = ctx;
	struct ipoib_dev *other;
	bool taken = false;

	spin_lock_bh(&ports_lock);
	list_for_each_entry(other, &port->devs, on_port)
		taken |= other != idev && READ_ONCE(other->fabric.pkey) == pkey;
	spin_unlock_bh(&ports_lock);
	if (!taken)
		ipoib_debugfs_rename(idev, pkey);
	return !taken;
}

static void port_release(void *ctx)
{
	struct ipoib_port *port = ctx;

	ipoib_users_put(&port->users);
}

/**
 * ipoib_port_describe - start the description of an interface on a port
 * @port: the port
 * @config: result; @lower, P_Key, GID and scope are still missing
 *
 * Context: Process context, RTNL held.
 */
void ipoib_port_describe(struct ipoib_port *port,
			 struct ipoib_dev_config *config)
{
	ASSERT_RTNL();
	memset(config, 0, sizeof(*config));
	config->fabric_ops = port->fabric_ops;
	config->fabric.ibdev = port->ibdev;
	config->fabric.port = port->num;
	config->fabric.shared = port->shared;
	config->fabric.wq = wq;
	config->conn_wq = conn_wq;
	config->pd = port->pd;
	config->acquire = port_acquire;
	config->detach = port_detach;
	config->claim = port_claim;
	config->release = port_release;
	config->port = port;
}

/**
 * ipoib_port_dress - what the stack shows of the port
 * @port: the port
 * @dev: net_device that is to be registered on it
 *
 * Context: Process context.
 */
void ipoib_port_dress(const struct ipoib_port *port, struct net_device *dev)
{
	SET_NETDEV_DEV(dev, port->ibdev->dev.parent);
	dev->dev_port = port->num - 1;
	/* Programs older than dev_port look here. */
	if (!port->fabric_ops->is_on)
		dev->dev_id = port->num - 1;
}

/**
 * ipoib_port_attach - an interface was registered: tell it of events
 * @port: the port
 * @idev: the interface
 *
 * Context: Process context, RTNL held.
 */
void ipoib_port_attach(struct ipoib_port *port, struct ipoib_dev *idev)
{
	ASSERT_RTNL();
	spin_lock_bh(&ports_lock);
	list_add_tail(&idev->on_port, &port->devs);
	spin_unlock_bh(&ports_lock);

	/* Whatever happened before, and the MTU, which was guessed. */
	ipoib_dev_kick(idev, IPOIB_DEV_LOOK);
}

static void port_event(const struct ipoib_port *port,
		       const struct ib_event *event)
{
	struct ipoib_dev *idev;

	lockdep_assert_held(&ports_lock);

	if (port->fabric_ops->port_event)
		port->fabric_ops->port_event(port->shared, event->event);
	list_for_each_entry(idev, &port->devs, on_port) {
		ipoib_dev_kick(idev, IPOIB_DEV_LOOK);
		if (ipoib_event_of_paths(event))
			ipoib_dev_kick(idev, IPOIB_DEV_PATHS);
	}
}

static void look_at_those_on(const struct net_device *lower)
{
	struct ipoib_port *port;
	struct ipoib_dev *idev;

	spin_lock_bh(&ports_lock);
	list_for_each_entry(port, &ports, node) {
		list_for_each_entry(idev, &port->devs, on_port) {
			if (idev->config.fabric.lower == lower)
				ipoib_dev_kick(idev, IPOIB_DEV_LOOK);
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
		if (ipoib_event_of_port(event, port->num))
			port_event(port, event);
	}
	spin_unlock_bh(&ports_lock);
}

/* One that is going already, in the same batch as @lower, is left alone. */
static void lower_gone(struct net_device *lower)
{
	struct ipoib_port *port;
	struct ipoib_dev *idev;
	LIST_HEAD(kill);

	list_for_each_entry(port, &ports, node) {
		list_for_each_entry(idev, &port->devs, on_port) {
			if (idev->config.fabric.lower == lower &&
			    idev->dev->reg_state == NETREG_REGISTERED)
				unregister_netdevice_queue(idev->dev, &kill);
		}
	}
	unregister_netdevice_many(&kill);
}

static int netdev_event(struct notifier_block *nb, unsigned long event,
			void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);

	if (ipoib_netdev_is_ours(dev)) {
		/* The stack has taken notice of a carrier, or of none. */
		if (event == NETDEV_CHANGE && netif_carrier_ok(dev))
			ipoib_dev_kick(netdev_priv(dev), IPOIB_DEV_ANNOUNCE);
	} else if (event == NETDEV_UNREGISTER) {
		lower_gone(dev);
	} else if (ipoib_event_of_lower(event)) {
		look_at_those_on(dev);
	}
	return NOTIFY_DONE;
}

/* What is looked at is the RDMA device, which has to have taken notice before. */
static struct notifier_block netdev_notifier = {
	.notifier_call	= netdev_event,
	.priority	= INT_MIN,
};

/* GID 0 of a RoCE port stays when the stack drops the address: no event. */
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

/* NULL for one that can carry no IPoIB. */
static const struct ipoib_fabric_ops *fabric_of(struct ib_device *ibdev,
						u32 num)
{
	if (rdma_protocol_roce_udp_encap(ibdev, num))
		return &ipoib_fabric_roce_ops;
	if (rdma_protocol_ib(ibdev, num) && rdma_cap_ib_sa(ibdev, num))
		return &ipoib_fabric_ib_ops;
	return NULL;
}

static int port_open(struct ipoib_port *port)
{
	void *shared = NULL;

	port->pd = ib_alloc_pd(port->ibdev, 0);
	if (IS_ERR(port->pd))
		return PTR_ERR(port->pd);

	if (port->fabric_ops->open_port)
		shared = port->fabric_ops->open_port(port->ibdev, port->num);
	if (IS_ERR(shared)) {
		ib_dealloc_pd(port->pd);
		return PTR_ERR(shared);
	}
	port->shared = shared;
	return 0;
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
	ipoib_users_init(&port->users);
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

	/* 1. No new interfaces, and the end of those there are. */
	rtnl_lock();
	spin_lock_bh(&ports_lock);
	list_del(&port->node);
	spin_unlock_bh(&ports_lock);
	list_for_each_entry(idev, &port->devs, on_port)
		unregister_netdevice_queue(idev->dev, &kill);
	unregister_netdevice_many(&kill);
	rtnl_unlock();

	/* 2. Interfaces that somebody else is unregistering right now. */
	ipoib_users_wait(&port->users);

	/* 3. What they used. */
	if (port->fabric_ops->close_port)
		port->fabric_ops->close_port(port->shared);
	ib_dealloc_pd(port->pd);
	kfree(port);
}

static int hca_add(struct ib_device *ibdev)
{
	struct ipoib_port *port;
	struct ipoib_hca *hca;
	u32 num;

	hca = kzalloc(sizeof(*hca), GFP_KERNEL);
	if (!hca)
		return -ENOMEM;

	INIT_LIST_HEAD(&hca->ports);
	rdma_for_each_port(ibdev, num) {
		if (!fabric_of(ibdev, num))
			continue;

		port = port_new(ibdev, num);
		if (IS_ERR(port))
			dev_warn(&ibdev->dev, "no IPoIB on port %u: %pe\n",
				 num, port);
		else
			list_add_tail(&port->sibling, &hca->ports);
	}
	if (list_empty(&hca->ports)) {
		kfree(hca);
		return -EOPNOTSUPP;
	}

	INIT_IB_EVENT_HANDLER(&hca->handler, ibdev, ib_event);
	ib_register_event_handler(&hca->handler);
	ib_set_client_data(ibdev, &ib_client, hca);

	/* On a RoCE port nothing appears unasked. */
	list_for_each_entry(port, &hca->ports, sibling) {
		if (!port->fabric_ops->is_on)
			ipoib_parent_add(port);
	}
	return 0;
}

static void hca_remove(struct ib_device *ibdev, void *client_data)
{
	struct ipoib_hca *hca = client_data;
	struct ipoib_port *port, *next;

	ib_unregister_event_handler(&hca->handler);
	list_for_each_entry_safe(port, next, &hca->ports, sibling)
		port_free(port);
	kfree(hca);
}

static struct net_device *find_by_params(const struct ipoib_port *port,
					 u16 pkey, const union ib_gid *gid)
{
	const struct ipoib_hwaddr *own;
	struct ipoib_dev *idev;

	lockdep_assert_held(&ports_lock);

	list_for_each_entry(idev, &port->devs, on_port) {
		own = (const void *)idev->dev->dev_addr;
		if (READ_ONCE(idev->fabric.pkey) == (pkey | IPOIB_PKEY_FULL) &&
		    netif_running(idev->dev) &&
		    (!gid || !memcmp(own->gid, gid, sizeof(*gid))))
			return idev->dev;
	}
	return NULL;
}

/*
 * RDMA CM wants to know which interface a connection request is for. Of a bond
 * it is the bond, but not of a VRF. A port has one interface per P_Key, so its
 * address need not be looked at.
 */
static struct net_device *get_net_dev_by_params(struct ib_device *ibdev,
						u32 num, u16 pkey,
						const union ib_gid *gid,
						const struct sockaddr *addr,
						void *client_data)
{
	struct ipoib_hca *hca = client_data;
	struct net_device *dev = NULL;
	struct net_device *master;
	struct ipoib_port *port;

	if (!hca)
		return NULL;

	rcu_read_lock();
	spin_lock_bh(&ports_lock);
	list_for_each_entry(port, &hca->ports, sibling) {
		if (port->num != num)
			continue;
		dev = find_by_params(port, pkey, gid);
		break;
	}
	if (dev) {
		master = netdev_master_upper_dev_get_rcu(dev);
		if (master && !netif_is_l3_master(master))
			dev = master;
		dev_hold(dev);
	}
	spin_unlock_bh(&ports_lock);
	rcu_read_unlock();
	return dev;
}

static struct ib_client ib_client = {
	.add			= hca_add,
	.remove			= hca_remove,
	.get_net_dev_by_params	= get_net_dev_by_params,
};

/**
 * ipoib_port_init - follow RDMA devices and their Ethernet devices
 * @kind: what the RDMA core and the work queue call us
 *
 * Return: 0 or a negative error.
 * Context: Process context, module initialisation.
 */
int ipoib_port_init(const char *kind)
{
	int err;

	ib_client.name = kind;
	wq = alloc_workqueue("%s", WQ_UNBOUND, WQ_MAX_WORKERS, kind);
	if (!wq)
		return -ENOMEM;

	/* Many may be closed at a time, and each waits for a grace period. */
	err = -ENOMEM;
	conn_wq = alloc_workqueue("%s_conn", WQ_UNBOUND | WQ_MEM_RECLAIM, 0,
				  kind);
	if (!conn_wq)
		goto err_wq;

	err = register_netdevice_notifier(&netdev_notifier);
	if (err)
		goto err_conn_wq;

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
err_conn_wq:
	destroy_workqueue(conn_wq);
err_wq:
	destroy_workqueue(wq);
	return err;
}

/**
 * ipoib_port_exit - remove all interfaces and follow nobody
 *
 * Context: Process context, module exit.
 */
void ipoib_port_exit(void)
{
	ib_unregister_client(&ib_client);
	unregister_inet6addr_notifier(&inet6addr_notifier);
	unregister_netdevice_notifier(&netdev_notifier);
	destroy_workqueue(conn_wq);
	destroy_workqueue(wq);
}
