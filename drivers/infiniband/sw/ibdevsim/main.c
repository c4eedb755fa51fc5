// SPDX-License-Identifier: GPL-2.0
#include <linux/device.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "debugfs.h"
#include "device.h"
#include "fabric.h"
#include "hca.h"
#include "profile.h"
#include "smp.h"
#include "tap.h"

static unsigned short hcas = 2;
module_param(hcas, ushort, 0444);
MODULE_PARM_DESC(hcas, "HCAs to begin with (2)");

static char *profile = "plain";
module_param(profile, charp, 0444);
MODULE_PARM_DESC(profile, "what kind they are (plain), and those that are added without a word");

static unsigned short ports = 16;
module_param(ports, ushort, 0444);
MODULE_PARM_DESC(ports, "ports of the switch, up to 254 (16, or as many as HCAs)");

static struct ibds_fabric *fabric;
static struct device *parent;

/* The stack asks the bus how many virtual functions a device has. */
static int parent_num_vf(struct device *dev)
{
	return min_t(u32, READ_ONCE(fabric->vfs), IBDS_VFS_MAX);
}

static struct bus_type parent_bus = {
	.name = KBUILD_MODNAME,
	.num_vf = parent_num_vf,
};

static void parent_release(struct device *dev)
{
	kfree(dev);
}

/* /sys/devices/ibdevsim, the parent of all RDMA devices */
static struct device *parent_new(void)
{
	struct device *dev;
	int err;

	err = bus_register(&parent_bus);
	if (err)
		return ERR_PTR(err);
	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev) {
		err = -ENOMEM;
		goto err_bus;
	}
	device_initialize(dev);
	dev->bus = &parent_bus;
	dev->release = parent_release;
	err = dev_set_name(dev, KBUILD_MODNAME) ?: device_add(dev);
	if (!err)
		return dev;

	put_device(dev);
err_bus:
	bus_unregister(&parent_bus);
	return ERR_PTR(err);
}

static void parent_free(void)
{
	device_unregister(parent);
	bus_unregister(&parent_bus);
}

static const struct ibds_profile *usual;

/* "N", or "PROFILE N" */
static ssize_t new_hca_store(struct device *dev, struct device_attribute *attr,
			     const char *buf, size_t len)
{
	const struct ibds_profile *kind = usual;
	const char *space = strchr(buf, ' ');
	char name[16];
	unsigned int n;
	int err;

	if (space) {
		if (space - buf >= sizeof(name))
			return -EINVAL;
		strscpy(name, buf, space - buf + 1);
		kind = ibds_profile_find(name);
	}
	if (!kind)
		return -EINVAL;
	err = kstrtouint(space ? space + 1 : buf, 0, &n);
	if (err)
		return err;
	mutex_lock(&fabric->topology);
	while (n-- && err >= 0)
		err = ibds_device_new(fabric, parent, kind);
	mutex_unlock(&fabric->topology);
	return err < 0 ? err : len;
}
static DEVICE_ATTR_WO(new_hca);

static ssize_t del_hca_store(struct device *dev, struct device_attribute *attr,
			     const char *buf, size_t len)
{
	u8 n;
	int err = kstrtou8(buf, 0, &n);

	if (err)
		return err;
	mutex_lock(&fabric->topology);
	err = ibds_device_del(fabric, n + 1);
	mutex_unlock(&fabric->topology);
	return err ?: len;
}
static DEVICE_ATTR_WO(del_hca);

static struct attribute *ibdevsim_attrs[] = {
	&dev_attr_new_hca.attr,
	&dev_attr_del_hca.attr,
	NULL
};
ATTRIBUTE_GROUPS(ibdevsim);

static int add_hcas(void)
{
	int i, err = 0;

	mutex_lock(&fabric->topology);
	for (i = 0; i < hcas && err >= 0; i++)
		err = ibds_device_new(fabric, parent, usual);
	if (err < 0)
		ibds_device_del_all(fabric);
	mutex_unlock(&fabric->topology);
	return min(err, 0);
}

static int __init ibds_init(void)
{
	int err;

	ports = clamp_t(unsigned short, max(ports, hcas), 1, IBDS_PORTS_MAX);
	usual = ibds_profile_find(profile);
	if (hcas > ports || !usual)
		return -EINVAL;
	fabric = ibds_fabric_new(ports);
	if (IS_ERR(fabric))
		return PTR_ERR(fabric);
	fabric->sw.node.send = ibds_smp_send_switch;
	ibds_debugfs_init(fabric);

	err = ibds_tap_init();
	if (err)
		goto err_fabric;
	parent = parent_new();
	if (IS_ERR(parent)) {
		err = PTR_ERR(parent);
		goto err_tap;
	}
	err = add_hcas();
	if (err)
		goto err_parent;
	err = sysfs_create_groups(&parent->kobj, ibdevsim_groups);
	if (err)
		goto err_hcas;
	return 0;

err_hcas:
	mutex_lock(&fabric->topology);
	ibds_device_del_all(fabric);
	mutex_unlock(&fabric->topology);
err_parent:
	parent_free();
err_tap:
	ibds_tap_exit();
err_fabric:
	ibds_debugfs_exit(fabric);
	ibds_fabric_free(fabric);
	return err;
}

static void __exit ibds_exit(void)
{
	/* 1. Nobody adds or removes HCAs any more. */
	sysfs_remove_groups(&parent->kobj, ibdevsim_groups);

	/* 2. The HCAs go. */
	mutex_lock(&fabric->topology);
	ibds_device_del_all(fabric);
	mutex_unlock(&fabric->topology);
	parent_free();

	/* 3. The fabric goes that they stood on. */
	ibds_tap_exit();
	ibds_debugfs_exit(fabric);
	ibds_fabric_free(fabric);

	/* Group members are freed by RCU callbacks. */
	rcu_barrier();
}

module_init(ibds_init);
module_exit(ibds_exit);

MODULE_DESCRIPTION("InfiniBand fabric in software, for tests");
MODULE_LICENSE("GPL");
