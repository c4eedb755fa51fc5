// SPDX-License-Identifier: GPL-2.0
#include "parent.h"

#include <linux/delay.h>
#include <linux/rtnetlink.h>
#include <rdma/ib_cache.h>

#include "netlink.h"

/* How often and how long a GID is waited for. */
#define GID_TRIES	8
#define GID_WAIT_MS	50

/* Before there is a subnet manager the first entry may be anything. */
static u16 first_pkey(const struct ipoib_port *port)
{
	u16 pkey;

	if (ib_get_cached_pkey(port->ibdev, port->num, 0, &pkey) ||
	    !(pkey & ~IPOIB_PKEY_FULL))
		return 0xffff;
	return pkey | IPOIB_PKEY_FULL;
}

static int parent_register(struct net_device *dev, struct ipoib_port *port)
{
	struct ipoib_dev *idev = netdev_priv(dev);
	int err;

	ASSERT_RTNL();
	ipoib_port_describe(port, &idev->config);
	idev->config.fabric.first_pkey = true;
	idev->config.fabric.pkey = first_pkey(port);
	ipoib_port_dress(port, dev);
	dev_net_set(dev, read_pnet(&port->ibdev->coredev.rdma_net));

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
 * It follows the first P_Key of the port's table and goes with the port.
 *
 * Context: Process context, may sleep for some tenths of a second, takes RTNL.
 */
void ipoib_parent_add(struct ipoib_port *port)
{
	int err, tries;

	/* An InfiniBand port has a GID, but while the RDMA core writes it anew. */
	for (tries = 1;; tries++) {
		err = try_to_add(port);
		if (err != -EADDRNOTAVAIL || tries == GID_TRIES)
			break;
		msleep(GID_WAIT_MS);
	}
	if (err)
		dev_warn(&port->ibdev->dev,
			 "no IPoIB interface on port %u: %pe\n", port->num,
			 ERR_PTR(err));
}

/**
 * ipoib_is_parent - did an interface appear by itself
 * @idev: any interface
 *
 * Return: true if it belongs to its port and nobody can delete it.
 * Context: Any.
 */
bool ipoib_is_parent(const struct ipoib_dev *idev)
{
	return idev->config.fabric.first_pkey;
}
