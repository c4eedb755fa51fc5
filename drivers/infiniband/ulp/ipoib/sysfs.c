// SPDX-License-Identifier: GPL-2.0
#include "sysfs.h"

#include <linux/rtnetlink.h>
#include <linux/sysfs.h>

#include "child.h"
#include "dev_conns.h"
#include "parent.h"

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

/* Files know no extack: the log says why something is refused. */
static void refuse(struct net_device *dev, const char *what, int err)
{
	if (net_ratelimit())
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

	/* Whoever unregisters the interface holds RTNL and waits for us. */
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
	bool umcast;
	int err;

	err = kstrtobool(buf, &umcast);
	if (err)
		return err;

	WRITE_ONCE(to_idev(d)->umcast, umcast);
	return count;
}
static DEVICE_ATTR_RW(umcast);

static ssize_t parent_show(struct device *d, struct device_attribute *attr,
			   char *buf)
{
	/* Nobody can delete it before the child, but it may be renamed. */
	return sysfs_emit(buf, "%s\n", to_idev(d)->config.parent->name);
}
static DEVICE_ATTR_RO(parent);

/*
 * Create or delete a child. Whoever removes the parent waits for the users of
 * its files, and a child that is removed may wait for RTNL: so this is none
 * while it waits, but holds the parent itself.
 */
static ssize_t change_children(struct device *d, struct device_attribute *attr,
			       const char *buf, size_t count,
			       int (*change)(struct ipoib_dev *parent,
					     u16 pkey))
{
	struct ipoib_dev *parent = to_idev(d);
	struct net_device *dev = parent->dev;
	netdevice_tracker tracker;
	struct kernfs_node *kn;
	int err, pkey;

	if (!ns_capable(dev_net(dev)->user_ns, CAP_NET_ADMIN))
		return -EPERM;

	/* RFC 4391 section 4; 0x8000 is no partition at all. */
	err = kstrtoint(buf, 0, &pkey);
	if (err || pkey <= IPOIB_PKEY_FULL || pkey > 0xffff) {
		err = err ?: -EINVAL;
		refuse(dev, "P_Key must be a full member of a partition, 0x8001 to 0xffff",
		       err);
		return err;
	}

	netdev_hold(dev, &tracker, GFP_KERNEL);
	kn = sysfs_break_active_protection(&d->kobj, &attr->attr);
	err = -ENODEV;
	if (kn) {
		rtnl_lock();
		if (dev->reg_state == NETREG_REGISTERED)
			err = change(parent, pkey);
		rtnl_unlock();
		if (err)
			refuse(dev, attr->attr.name, err);
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

static struct attribute *attrs[] = {
	&dev_attr_pkey.attr,
	&dev_attr_mode.attr,
	&dev_attr_umcast.attr,
	&dev_attr_parent.attr,
	&dev_attr_create_child.attr,
	&dev_attr_delete_child.attr,
	NULL
};

static umode_t attr_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	const struct ipoib_dev *idev = to_idev(kobj_to_dev(kobj));

	if (attr == &dev_attr_parent.attr)
		return idev->config.parent ? attr->mode : 0;
	if (attr == &dev_attr_create_child.attr ||
	    attr == &dev_attr_delete_child.attr)
		return ipoib_is_parent(idev) ? attr->mode : 0;
	return attr->mode;
}

static const struct attribute_group group = {
	.attrs		= attrs,
	.is_visible	= attr_visible,
};

/**
 * ipoib_sysfs_setup - have a net_device show our files
 * @dev: a net_device that is not registered yet
 *
 * Context: Process context.
 */
void ipoib_sysfs_setup(struct net_device *dev)
{
	dev->sysfs_groups[0] = &group;
}
