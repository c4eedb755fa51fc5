// SPDX-License-Identifier: GPL-2.0
#include "child.h"

#include <linux/rtnetlink.h>

#include "netlink.h"

/* So much of a parent's name is left of it in that of a child. */
#define NAME_LEN	10

/**
 * ipoib_child_describe - start the description of a child
 * @parent: an interface that appeared by itself
 * @pkey: P_Key of the child, membership bit set
 * @config: result
 *
 * Context: Process context, RTNL held.
 */
void ipoib_child_describe(struct ipoib_dev *parent, u16 pkey,
			  struct ipoib_dev_config *config)
{
	ASSERT_RTNL();
	ipoib_port_describe(parent->config.port, config);
	config->parent = parent->dev;
	config->fabric.pkey = pkey;
}

/**
 * ipoib_child_create - make a child the way sysfs has it
 * @parent: an interface that appeared by itself
 * @pkey: P_Key of the child, membership bit set
 *
 * Its name is made of the parent's and the P_Key.
 *
 * Return: 0; -ENOTUNIQ if the port has an interface with this P_Key; -ENOMEM;
 * -EEXIST if the name is taken; or what the provider says.
 * Context: Process context, RTNL held.
 */
int ipoib_child_create(struct ipoib_dev *parent, u16 pkey)
{
	struct ipoib_port *port = parent->config.port;
	char name[IFNAMSIZ];
	struct net_device *dev;
	struct ipoib_dev *idev;
	int err;

	ASSERT_RTNL();
	if (ipoib_port_find_dev(port, pkey))
		return -ENOTUNIQ;

	snprintf(name, sizeof(name), "%.*s.%04x", NAME_LEN, parent->dev->name,
		 pkey);
	dev = alloc_netdev(sizeof(*idev), name, NET_NAME_PREDICTABLE,
			   ipoib_netlink_setup);
	if (!dev)
		return -ENOMEM;

	idev = netdev_priv(dev);
	ipoib_child_describe(parent, pkey, &idev->config);
	idev->user_mtu = parent->user_mtu;
	ipoib_port_dress(port, dev);
	dev_net_set(dev, dev_net(parent->dev));
	err = register_netdevice(dev);
	if (err) {
		free_netdev(dev);
		return err;
	}
	ipoib_port_attach(port, idev);
	return 0;
}

/**
 * ipoib_child_delete - remove a child
 * @parent: an interface that appeared by itself
 * @pkey: P_Key of the child, membership bit set
 *
 * Return: 0; -ENODEV if there is none.
 * Context: Process context, RTNL held.
 */
int ipoib_child_delete(struct ipoib_dev *parent, u16 pkey)
{
	struct ipoib_dev *idev;

	ASSERT_RTNL();
	idev = ipoib_port_find_dev(parent->config.port, pkey);
	if (!idev || !idev->config.parent ||
	    idev->dev->reg_state != NETREG_REGISTERED)
		return -ENODEV;

	unregister_netdevice(idev->dev);
	return 0;
}
