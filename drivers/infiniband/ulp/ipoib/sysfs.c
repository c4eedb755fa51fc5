// SPDX-License-Identifier: GPL-2.0
#include "netdev.h"

#include <linux/rtnetlink.h>
#include <linux/sysfs.h>

#include "log.h"
#include "port.h"

static struct ipoib_dev *to_idev(struct device *d)
{
	return netdev_priv(to_net_dev(d));
}

static ssize_t pkey_show(struct device *d, struct device_attribute *attr,
			 char *buf)
{
	return sysfs_emit(buf, "0x%04x\n", READ_ONCE(to_idev(d)->fabric.pkey));
}
static DEVICE_ATTR_RO(pkey);

/* Log why a write was refused, because sysfs has no extack to return a message in. */
static void refuse(struct net_device *dev, const char *what, int err)
{
	if (ipoib_may_log())
		netdev_info(dev, "%s: %pe\n", what, ERR_PTR(err));
}

static ssize_t mode_show(struct device *d, struct device_attribute *attr,
			 char *buf)
{
	return sysfs_emit(buf, "%s\n", READ_ONCE(to_idev(d)->connected) ?
			  "connected" : "datagram");
}

static ssize_t mode_store(struct device *d, struct device_attribute *attr,
			  const char *buf, size_t count)
{
	struct ipoib_dev *idev = to_idev(d);
	bool connected;

	if (!ns_capable(dev_net(idev->dev)->user_ns, CAP_NET_ADMIN))
		return -EPERM;
	if (sysfs_streq(buf, "connected"))
		connected = true;
	else if (sysfs_streq(buf, "datagram"))
		connected = false;
	else
		return -EINVAL;

	/*
	 * Waiting for RTNL here would deadlock: a context that unregisters the interface holds
	 * RTNL while it waits for the users of this file.
	 */
	if (!rtnl_trylock())
		return restart_syscall();
	ipoib_dev_conns_set_mode(idev, connected);
	rtnl_unlock();
	return count;
}
static DEVICE_ATTR_RW(mode);

static ssize_t umcast_show(struct device *d, struct device_attribute *attr,
			   char *buf)
{
	return sysfs_emit(buf, "%d\n", READ_ONCE(to_idev(d)->umcast));
}

static ssize_t umcast_store(struct device *d, struct device_attribute *attr,
			    const char *buf, size_t count)
{
	struct ipoib_dev *idev = to_idev(d);
	bool umcast;
	int err;

	if (!ns_capable(dev_net(idev->dev)->user_ns, CAP_NET_ADMIN))
		return -EPERM;
	err = kstrtobool(buf, &umcast);
	if (err)
		return err;

	WRITE_ONCE(idev->umcast, umcast);
	ipoib_mcast_set_sync(&idev->mcast);
	return count;
}
static DEVICE_ATTR_RW(umcast);

static ssize_t parent_show(struct device *d, struct device_attribute *attr,
			   char *buf)
{
	/* The parent cannot be unregistered before the child, so the pointer stays valid. */
	return sysfs_emit(buf, "%s\n", to_idev(d)->config.parent->name);
}
static DEVICE_ATTR_RO(parent);

/*
 * Create or delete a child. A context that removes the parent holds RTNL while it waits for the
 * users of the parent's files. So before this function waits for RTNL it stops being a user of
 * the file, and holds a reference to the parent's net_device instead.
 */
static ssize_t change_children(struct device *d, struct device_attribute *attr,
			       const char *buf, size_t count,
			       int (*change)(struct ipoib_dev *parent, u16 pkey,
					     struct netlink_ext_ack *extack))
{
	struct netlink_ext_ack why = {};
	struct ipoib_dev *parent = to_idev(d);
	struct net_device *dev = parent->dev;
	netdevice_tracker tracker;
	struct kernfs_node *kn;
	int err = -ENODEV;
	u16 pkey;

	if (!ns_capable(dev_net(dev)->user_ns, CAP_NET_ADMIN))
		return -EPERM;

	if (kstrtou16(buf, 0, &pkey) || !(pkey & ~IPOIB_PKEY_FULL)) {
		refuse(dev, "not the P_Key of a partition, 1 to 0x7fff or 0x8001 to 0xffff",
		       -EINVAL);
		return -EINVAL;
	}

	netdev_hold(dev, &tracker, GFP_KERNEL);
	kn = sysfs_break_active_protection(&d->kobj, &attr->attr);
	if (kn) {
		rtnl_lock();
		if (dev->reg_state == NETREG_REGISTERED)
			err = change(parent, pkey, &why);
		rtnl_unlock();
		if (err)
			refuse(dev, why._msg ?: attr->attr.name, err);
		sysfs_unbreak_active_protection(kn);
	}
	netdev_put(dev, &tracker);
	return err ?: count;
}

static ssize_t create_child_store(struct device *d,
				  struct device_attribute *attr,
				  const char *buf, size_t count)
{
	return change_children(d, attr, buf, count, ipoib_child_create);
}
static DEVICE_ATTR_WO(create_child);

static ssize_t delete_child_store(struct device *d,
				  struct device_attribute *attr,
				  const char *buf, size_t count)
{
	return change_children(d, attr, buf, count, ipoib_child_delete);
}
static DEVICE_ATTR_WO(delete_child);

static struct attribute *common_attrs[] = {
	&dev_attr_pkey.attr,
	&dev_attr_mode.attr,
	&dev_attr_umcast.attr,
	NULL
};

static struct attribute *parent_attrs[] = {
	&dev_attr_pkey.attr,
	&dev_attr_mode.attr,
	&dev_attr_umcast.attr,
	&dev_attr_create_child.attr,
	&dev_attr_delete_child.attr,
	NULL
};

static struct attribute *child_attrs[] = {
	&dev_attr_pkey.attr,
	&dev_attr_mode.attr,
	&dev_attr_umcast.attr,
	&dev_attr_parent.attr,
	NULL
};

static const struct attribute_group common_group = { .attrs = common_attrs };
static const struct attribute_group parent_group = { .attrs = parent_attrs };
static const struct attribute_group child_group = { .attrs = child_attrs };

/**
 * ipoib_sysfs_setup - choose the sysfs files of a net_device
 * @dev: a net_device whose config is set and which is not registered yet
 *
 * The stack takes one attribute group from a driver, so there is one for each kind of interface.
 * No group may hide a file: when the interface moves to a namespace of another user, the
 * kernel changes the owner of all files of the group and warns of any that is missing.
 *
 * Context: Process context.
 */
void ipoib_sysfs_setup(struct net_device *dev)
{
	const struct ipoib_dev *idev = netdev_priv(dev);

	if (ipoib_is_parent(idev))
		dev->sysfs_groups[0] = &parent_group;
	else if (idev->config.parent)
		dev->sysfs_groups[0] = &child_group;
	else
		dev->sysfs_groups[0] = &common_group;
}
