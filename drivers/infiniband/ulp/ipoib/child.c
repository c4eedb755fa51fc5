// SPDX-License-Identifier: GPL-2.0
#include "port.h"

#include <linux/capability.h>
#include <linux/rtnetlink.h>

#include "netlink.h"

/* How many characters of the parent's name the name of a child begins with. */
#define NAME_LEN	10

/*
 * Most children of a port. Each has a queue pair, two completion queues and buffers, which are
 * charged to nobody. The lower limit is for callers that administer only a network namespace
 * into which the parent was moved.
 */
#define MAX_CHILDREN		256
#define MAX_CHILDREN_OF_TENANT	16

/**
 * ipoib_child_config - fill in the configuration of a child
 * @idev: the child, which is new; it has the MTU that the user gave its parent
 * @parent: the parent interface of an InfiniBand port
 * @pkey: P_Key of the child, membership bit set
 *
 * Context: Process context, RTNL held.
 */
void ipoib_child_config(struct ipoib_dev *idev, struct ipoib_dev *parent, u16 pkey)
{
	ipoib_port_config(parent->config.port, idev);
	idev->config.parent = parent->dev;
	idev->fabric.pkey = pkey;
	idev->user_mtu = parent->user_mtu;
}

static unsigned int count_children(const struct ipoib_port *port)
{
	const struct ipoib_dev *idev;
	unsigned int n = 0;

	list_for_each_entry(idev, &port->devs, on_port)
		n += !!idev->config.parent;
	return n;
}

/**
 * ipoib_child_check - may there be a child, and may the caller make it
 * @parent: the parent interface of an InfiniBand port
 * @pkey: P_Key of the child, membership bit set
 * @extack: gets the reason of a refusal, or NULL
 *
 * A caller that administers only the network namespace of the parent may use the parent, but
 * the port is still the host's. Without CAP_NET_ADMIN in the host it may only use partitions
 * that the port is in, and only while the port has few children, whoever made those.
 *
 * Return: 0; -ENOSPC if the port has as many as there may be; -EPERM if the caller may not make
 * it.
 * Context: Process context, RTNL held.
 */
int ipoib_child_check(const struct ipoib_dev *parent, u16 pkey,
		      struct netlink_ext_ack *extack)
{
	const struct ipoib_port *port = parent->config.port;
	unsigned int n;
	u16 index;

	ASSERT_RTNL();
	n = count_children(port);
	if (n >= MAX_CHILDREN) {
		NL_SET_ERR_MSG_MOD(extack, "the port has as many children as there may be");
		return -ENOSPC;
	}
	if (!ipoib_fabric_find_pkey(port->ibdev, port->num, pkey, &index) &&
	    !capable(CAP_NET_ADMIN)) {
		NL_SET_ERR_MSG_MOD(extack, "the P_Key is not in the port's table");
		return -EPERM;
	}
	if (n >= MAX_CHILDREN_OF_TENANT && !capable(CAP_NET_ADMIN)) {
		NL_SET_ERR_MSG_MOD(extack,
				   "the port has as many children as a tenant may make");
		return -EPERM;
	}
	return 0;
}

/* The child that has the P_Key, and was made so: by sysfs there is at most one of each P_Key. */
static struct ipoib_dev *find_child(const struct ipoib_port *port, u16 pkey, bool by_sysfs)
{
	struct ipoib_dev *idev;

	list_for_each_entry(idev, &port->devs, on_port) {
		if (idev->config.parent && idev->config.by_sysfs == by_sysfs &&
		    idev->fabric.pkey == pkey && idev->dev->reg_state == NETREG_REGISTERED)
			return idev;
	}
	return NULL;
}

/**
 * ipoib_child_create - make a child as the sysfs file create_child does
 * @parent: the parent interface of an InfiniBand port
 * @pkey: P_Key of the child, with or without the membership bit
 * @extack: gets the reason of a refusal
 *
 * The name of the child is made of the parent's and of the P_Key as it was given, because the
 * caller looks for the child by that. The P_Key of a link has the membership bit
 * set (RFC 4391 section 4), whichever member the port is.
 *
 * Return: 0; -ENOTUNIQ if it is the parent's P_Key, or that of another such child; what
 * ipoib_child_check() says; -ENOMEM; -EEXIST if the name is taken; or what the
 * provider says.
 * Context: Process context, RTNL held.
 */
int ipoib_child_create(struct ipoib_dev *parent, u16 pkey,
		       struct netlink_ext_ack *extack)
{
	u16 full = pkey | IPOIB_PKEY_FULL;
	char name[IFNAMSIZ];
	struct net_device *dev;
	struct ipoib_dev *idev;
	int err;

	ASSERT_RTNL();
	if (full == parent->fabric.pkey || find_child(parent->config.port, full, true))
		return -ENOTUNIQ;
	err = ipoib_child_check(parent, full, extack);
	if (err)
		return err;

	snprintf(name, sizeof(name), "%.*s.%04x", NAME_LEN, parent->dev->name,
		 pkey);
	dev = alloc_netdev_mqs(sizeof(*idev), name, NET_NAME_PREDICTABLE,
			       ipoib_netlink_setup, ipoib_dev_chans_max(), 1);
	if (!dev)
		return -ENOMEM;

	idev = netdev_priv(dev);
	ipoib_child_config(idev, parent, full);
	idev->config.by_sysfs = true;
	dev_net_set(dev, dev_net(parent->dev));
	err = ipoib_port_register(idev);
	if (err)
		free_netdev(dev);
	return err;
}

/**
 * ipoib_child_delete - remove a child
 * @parent: the parent interface of an InfiniBand port
 * @pkey: P_Key of the child, with or without the membership bit
 * @extack: gets the reason of a refusal
 *
 * That is the one that create_child has made, or else any: users of sysfs have no other word for a
 * child than its P_Key, and must not take away what others have made beside theirs.
 *
 * A child that was made in another network namespace, or has moved there, does not belong to
 * those who administer the parent.
 *
 * Return: 0; -ENODEV if there is none; -EPERM if the caller may not administer
 * the network namespace of the child.
 * Context: Process context, RTNL held.
 */
int ipoib_child_delete(struct ipoib_dev *parent, u16 pkey,
		       struct netlink_ext_ack *extack)
{
	const struct ipoib_port *port = parent->config.port;
	struct ipoib_dev *idev;

	ASSERT_RTNL();
	pkey |= IPOIB_PKEY_FULL;
	idev = find_child(port, pkey, true) ?: find_child(port, pkey, false);
	if (!idev)
		return -ENODEV;
	if (!ns_capable(dev_net(idev->dev)->user_ns, CAP_NET_ADMIN)) {
		NL_SET_ERR_MSG_MOD(extack, "the child is in somebody else's network namespace");
		return -EPERM;
	}

	unregister_netdevice(idev->dev);
	return 0;
}
