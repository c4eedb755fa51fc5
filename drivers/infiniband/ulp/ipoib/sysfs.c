// SPDX-License-Identifier: GPL-2.0
#include "sysfs.h"

#include <linux/rtnetlink.h>
#include <linux/sysfs.h>

#include "device.h"

static struct ipoib_dev *to_idev(struct device *d)
{
	return netdev_priv(to_net_dev(d));
}

static ssize_t pkey_show(struct device *d, struct device_attribute *attr,
			 char *buf)
{
	return sysfs_emit(buf, "0x%04x\n", to_idev(d)->config.fabric.pkey);
}
static DEVICE_ATTR_RO(pkey);

static ssize_t mode_show(struct device *d, struct device_attribute *attr,
			 char *buf)
{
	return sysfs_emit(buf, "datagram\n");
}

static ssize_t mode_store(struct device *d, struct device_attribute *attr,
			  const char *buf, size_t count)
{
	if (sysfs_streq(buf, "datagram"))
		return count;
	if (sysfs_streq(buf, "connected"))
		return -EOPNOTSUPP;
	return -EINVAL;
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

static struct attribute *attrs[] = {
	&dev_attr_pkey.attr,
	&dev_attr_mode.attr,
	&dev_attr_umcast.attr,
	NULL
};

static const struct attribute_group group = {
	.attrs = attrs,
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
