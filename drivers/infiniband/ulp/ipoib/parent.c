// SPDX-License-Identifier: GPL-2.0
#include "parent.h"

#include <linux/delay.h>
#include <linux/rtnetlink.h>
#include <rdma/ib_cache.h>

#include "netlink.h"
#include "sysfs.h"

/* How often ipoib_parent_add() waits for a GID, and how long each time. */
#define GID_TRIES	8
#define GID_WAIT_MS	50

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
	int err;

	ASSERT_RTNL();
	ipoib_port_describe(port, &idev->config);
	idev->config.fabric.first_pkey = true;
	idev->config.fabric.pkey = first_pkey(port);
	stand_for_port(port, dev);
	dev_net_set(dev, read_pnet(&port->ibdev->coredev.rdma_net));

	ipoib_sysfs_setup(dev);
	err = register_netdevice(dev);
	if (!err)
		ipoib_port_attach(port, idev);
	return err;
}

static int try_to_add(struct ipoib_port *port)
{
	struct net_device *dev;
	int err;

	dev = alloc_netdev(sizeof(struct ipoib_dev), "ib%d", NET_NAME_ENUM,
			   ipoib_netlink_setup);
	if (!dev)
		return -ENOMEM;

	rtnl_lock();
	err = parent_register(dev, port);
	rtnl_unlock();
	if (err)
		free_netdev(dev);
	return err;
}

/**
 * ipoib_parent_add - make the interface of a port
 * @port: an InfiniBand port
 *
 * The interface follows the first P_Key of the port's table and is unregistered with the port.
 * A device without multicast never gets one; the function logs that and succeeds.
 *
 * Return: 0; -EADDRNOTAVAIL if the port has no GID; or the error of the stack or of the
 * provider.
 * Context: Process context, may sleep for some tenths of a second, takes RTNL.
 */
int ipoib_parent_add(struct ipoib_port *port)
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
		err = try_to_add(port);
		if (err != -EADDRNOTAVAIL || tries == GID_TRIES)
			break;
		msleep(GID_WAIT_MS);
	}
	return err;
}

/**
 * ipoib_is_parent - was an interface made by ipoib_parent_add()
 * @idev: any interface
 *
 * Return: true if the interface lives as long as its port and no user can delete it.
 * Context: Any.
 */
bool ipoib_is_parent(const struct ipoib_dev *idev)
{
	return idev->config.fabric.first_pkey;
}
