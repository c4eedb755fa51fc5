// SPDX-License-Identifier: GPL-2.0
/* Who may have how many children, what each is made of, and which one sysfs means. */
#include <kunit/test.h>
#include <linux/capability.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>

#include "../netlink.h"
#include "../port.h"
#include "false_net.h"

static void unregister(struct net_device *dev);

#define capable(_cap)			(world->capable)
#define ns_capable(_ns, _cap)		((_ns) == &init_user_ns ? world->capable : world->tenant)
#define unregister_netdevice(_dev)	unregister(_dev)

/* Most children that there are in these cases, as many as there may be */
#define MANY	256

/**
 * struct world - a port, its interface, and children
 * @port: the port
 * @ibdev: its device
 * @parent: the interface of the port
 * @net: its namespace
 * @user_ns: that of a tenant, if he has @net
 * @children: its children
 * @count: how many there are
 * @capable: who asks is the host's administrator
 * @tenant: or that of the tenant's namespace
 * @in_table: the P_Key is in the port's table
 * @error: what becomes of what is to be registered
 * @made: the child that was registered last
 * @deleted: the one that was unregistered
 */
static struct world {
	struct ipoib_port port;
	struct ib_device ibdev;
	struct net_device *parent;
	struct net *net;
	struct user_namespace *user_ns;
	struct net_device *children[MANY];
	unsigned int count;
	bool capable;
	bool tenant;
	bool in_table;
	int error;
	struct net_device *made;
	struct net_device *deleted;
} *world;

#include "../child.c"

static void unregister(struct net_device *dev)
{
	world->deleted = dev;
}

/* ---- what child.c calls of the driver ---------------------------------- */

u16 ipoib_fabric_find_pkey(struct ib_device *ibdev, u32 port, u16 pkey, u16 *index)
{
	return world->in_table ? pkey : 0;
}

unsigned int ipoib_dev_chans_max(void)
{
	return 3;
}

void ipoib_netlink_setup(struct net_device *dev)
{
	struct ipoib_dev *idev = netdev_priv(dev);

	idev->dev = dev;
}

void ipoib_port_config(struct ipoib_port *port, struct ipoib_dev *idev)
{
	idev->config.port = port;
}

int ipoib_port_register(struct ipoib_dev *idev)
{
	if (world->error || WARN_ON(world->count == MANY))
		return world->error ?: -ENFILE;
	world->made = idev->dev;
	world->children[world->count++] = idev->dev;
	idev->dev->reg_state = NETREG_REGISTERED;
	list_add_tail(&idev->on_port, &world->port.devs);
	return 0;
}

/* ---- the port ---------------------------------------------------------- */

static struct ipoib_dev *parent(void)
{
	return netdev_priv(world->parent);
}

static int child_test_init(struct kunit *test)
{
	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world);
	world->net = false_net(test);
	world->user_ns = world->net->user_ns;
	world->net->user_ns = &init_user_ns;
	world->parent = alloc_netdev(sizeof(struct ipoib_dev), "a_name_of_15_ch", NET_NAME_ENUM,
				     ipoib_netlink_setup);
	KUNIT_ASSERT_NOT_NULL(test, world->parent);
	dev_net_set(world->parent, world->net);
	INIT_LIST_HEAD(&world->port.devs);
	world->port.ibdev = &world->ibdev;
	world->capable = true;
	world->tenant = true;
	world->in_table = true;
	parent()->config.port = &world->port;
	parent()->fabric.pkey = 0xffff;
	list_add_tail(&parent()->on_port, &world->port.devs);
	return 0;
}

static void child_test_exit(struct kunit *test)
{
	unsigned int i;

	if (!world || !world->parent)
		return;
	for (i = 0; i < world->count; i++) {
		world->children[i]->reg_state = NETREG_UNINITIALIZED;
		dev_net_set(world->children[i], &init_net);
		free_netdev(world->children[i]);
	}
	dev_net_set(world->parent, &init_net);
	free_netdev(world->parent);
}

/* A child as ip link makes one, or else as sysfs does */
static struct ipoib_dev *add(struct kunit *test, u16 pkey, bool by_sysfs)
{
	struct net_device *dev;
	struct ipoib_dev *idev;

	dev = alloc_netdev(sizeof(*idev), "child%d", NET_NAME_ENUM, ipoib_netlink_setup);
	KUNIT_ASSERT_NOT_NULL(test, dev);
	idev = netdev_priv(dev);
	ipoib_child_config(idev, parent(), pkey);
	idev->config.by_sysfs = by_sysfs;
	ipoib_port_register(idev);
	return idev;
}

static int check(struct netlink_ext_ack *why)
{
	int err;

	rtnl_lock();
	err = ipoib_child_check(parent(), 0x8001, why);
	rtnl_unlock();
	return err;
}

static int create(u16 pkey)
{
	int err;

	rtnl_lock();
	err = ipoib_child_create(parent(), pkey, NULL);
	rtnl_unlock();
	return err;
}

static int delete(u16 pkey, struct netlink_ext_ack *why)
{
	int err;

	rtnl_lock();
	err = ipoib_child_delete(parent(), pkey, why);
	rtnl_unlock();
	return err;
}

/* ---- cases ------------------------------------------------------------- */

static void a_port_has_256_children_and_16_of_tenants(struct kunit *test)
{
	struct netlink_ext_ack why = {};

	while (world->count < 15)
		add(test, 0x8001, false);
	world->capable = false;
	KUNIT_EXPECT_EQ(test, check(NULL), 0);
	add(test, 0x8001, false);
	KUNIT_EXPECT_EQ(test, check(&why), -EPERM);
	KUNIT_ASSERT_NOT_NULL(test, why._msg);
	KUNIT_EXPECT_NOT_NULL(test, strstr(why._msg, "a tenant may make"));
	world->capable = true;
	KUNIT_EXPECT_EQ(test, check(NULL), 0);
	while (world->count < 255)
		add(test, 0x8001, false);
	KUNIT_EXPECT_EQ(test, check(NULL), 0);
	add(test, 0x8001, false);
	KUNIT_EXPECT_EQ(test, check(&why), -ENOSPC);
	KUNIT_EXPECT_NOT_NULL(test, strstr(why._msg, "as there may be"));
}

static void a_tenant_uses_partitions_of_the_port_only(struct kunit *test)
{
	struct netlink_ext_ack why = {};

	world->in_table = false;
	KUNIT_EXPECT_EQ(test, check(NULL), 0);
	world->capable = false;
	KUNIT_EXPECT_EQ(test, check(&why), -EPERM);
	KUNIT_ASSERT_NOT_NULL(test, why._msg);
	KUNIT_EXPECT_NOT_NULL(test, strstr(why._msg, "not in the port's table"));
	KUNIT_EXPECT_EQ(test, create(0x8001), -EPERM);
	KUNIT_EXPECT_NULL(test, world->made);
}

static void sysfs_makes_a_child_named_by_its_p_key(struct kunit *test)
{
	struct ipoib_dev *idev;

	parent()->user_mtu = 1800;
	KUNIT_EXPECT_EQ(test, create(0x0012), 0);
	KUNIT_ASSERT_NOT_NULL(test, world->made);
	idev = netdev_priv(world->made);
	KUNIT_EXPECT_STREQ(test, world->made->name, "a_name_of_.0012");
	KUNIT_EXPECT_EQ(test, world->made->num_tx_queues, 3);
	KUNIT_EXPECT_EQ(test, world->made->num_rx_queues, 1);
	KUNIT_EXPECT_PTR_EQ(test, dev_net(world->made), world->net);
	KUNIT_EXPECT_TRUE(test, idev->config.by_sysfs);
	KUNIT_EXPECT_PTR_EQ(test, idev->config.parent, world->parent);
	KUNIT_EXPECT_PTR_EQ(test, idev->config.port, &world->port);
	KUNIT_EXPECT_EQ(test, idev->fabric.pkey, 0x8012);
	KUNIT_EXPECT_EQ(test, idev->user_mtu, 1800);
	/* The name has the P_Key as it was given. */
	KUNIT_EXPECT_EQ(test, create(0x8013), 0);
	KUNIT_EXPECT_STREQ(test, world->made->name, "a_name_of_.8013");
	world->error = -ENFILE;
	KUNIT_EXPECT_EQ(test, create(0x8014), -ENFILE);
}

static void by_sysfs_a_p_key_has_one_child(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, create(0x7fff), -ENOTUNIQ);
	add(test, 0x8012, false);
	KUNIT_EXPECT_EQ(test, create(0x0012), 0);
	KUNIT_EXPECT_EQ(test, create(0x8012), -ENOTUNIQ);
	KUNIT_EXPECT_EQ(test, create(0x0013), 0);
	/* One that is on its way out is none. */
	world->made->reg_state = NETREG_UNREGISTERING;
	KUNIT_EXPECT_EQ(test, create(0x0013), 0);
}

static void sysfs_deletes_what_sysfs_has_made_before_others(struct kunit *test)
{
	struct ipoib_dev *other = add(test, 0x8012, false), *ours = add(test, 0x8012, true);

	KUNIT_EXPECT_EQ(test, delete(0x0012, NULL), 0);
	KUNIT_EXPECT_PTR_EQ(test, world->deleted, ours->dev);
	ours->dev->reg_state = NETREG_UNREGISTERING;
	KUNIT_EXPECT_EQ(test, delete(0x8012, NULL), 0);
	KUNIT_EXPECT_PTR_EQ(test, world->deleted, other->dev);
	/* The parent is no child. */
	KUNIT_EXPECT_EQ(test, delete(0xffff, NULL), -ENODEV);
	KUNIT_EXPECT_EQ(test, delete(0x8013, NULL), -ENODEV);
}

static void nobody_deletes_the_child_of_another_namespace(struct kunit *test)
{
	struct ipoib_dev *idev = add(test, 0x8012, true);
	struct netlink_ext_ack why = {};

	world->net->user_ns = world->user_ns;
	dev_net_set(idev->dev, world->net);
	world->tenant = false;
	KUNIT_EXPECT_EQ(test, delete(0x8012, &why), -EPERM);
	KUNIT_ASSERT_NOT_NULL(test, why._msg);
	KUNIT_EXPECT_NOT_NULL(test, strstr(why._msg, "somebody else's"));
	KUNIT_EXPECT_NULL(test, world->deleted);
	world->tenant = true;
	world->capable = false;
	KUNIT_EXPECT_EQ(test, delete(0x8012, NULL), 0);
	KUNIT_EXPECT_PTR_EQ(test, world->deleted, idev->dev);
}

static struct kunit_case child_test_cases[] = {
	KUNIT_CASE(a_port_has_256_children_and_16_of_tenants),
	KUNIT_CASE(a_tenant_uses_partitions_of_the_port_only),
	KUNIT_CASE(sysfs_makes_a_child_named_by_its_p_key),
	KUNIT_CASE(by_sysfs_a_p_key_has_one_child),
	KUNIT_CASE(sysfs_deletes_what_sysfs_has_made_before_others),
	KUNIT_CASE(nobody_deletes_the_child_of_another_namespace),
	{}
};

static struct kunit_suite child_test_suite = {
	.name = "ipoib_child",
	.init = child_test_init,
	.exit = child_test_exit,
	.test_cases = child_test_cases,
};

kunit_test_suite(child_test_suite);

MODULE_DESCRIPTION("Tests of IPoIB's children");
MODULE_LICENSE("GPL");
