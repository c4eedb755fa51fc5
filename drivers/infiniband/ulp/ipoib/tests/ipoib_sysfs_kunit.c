// SPDX-License-Identifier: GPL-2.0
/* The files of an interface in sysfs: who has which, what they take, and from whom. */
#include <kunit/test.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/sysfs.h>

#include "../netdev.h"
#include "../port.h"
#include "false_net.h"

static struct kernfs_node *leave_file(void);

#define ns_capable(_ns, _cap) \
	((_ns) == world->net->user_ns && world->capable)
#define rtnl_trylock()					(!world->rtnl_taken && ++world->rtnl)
#define rtnl_lock()					(world->rtnl++)
#define rtnl_unlock()					(world->rtnl--)
#define restart_syscall()				(-ERESTARTNOINTR)
#define sysfs_break_active_protection(_kobj, _attr)	leave_file()
#define sysfs_unbreak_active_protection(_kn)		(world->left--)

/**
 * struct world - an interface, its parent, and what it was told
 * @test: the case
 * @net: the network namespace of the interface
 * @dev: the net_device, whose private part is the interface
 * @idev: the interface
 * @parent: a net_device that may be its parent
 * @page: what a file says
 * @capable: who writes may administer it
 * @held: references of @dev while nobody is in a file
 * @rtnl_taken: somebody else has RTNL
 * @rtnl: this file has
 * @gone: the file is being removed
 * @left: it is not in use, although somebody is in its function
 * @modes: how often the mode was set
 * @synced: how often groups were looked at
 * @created: the P_Key of the child that was made
 * @deleted: or deleted
 * @error: what child.c says
 */
static struct world {
	struct kunit *test;
	struct net *net;
	struct net_device *dev;
	struct ipoib_dev *idev;
	struct net_device *parent;
	char *page;
	bool capable;
	int held;
	bool rtnl_taken;
	int rtnl;
	bool gone;
	int left;
	unsigned int modes;
	unsigned int synced;
	u16 created;
	u16 deleted;
	int error;
} *world;

#include "../sysfs.c"

static struct kernfs_node *leave_file(void)
{
	if (world->gone)
		return NULL;
	world->left++;
	return (struct kernfs_node *)world;
}

/* ---- what sysfs.c calls of the driver ---------------------------------- */

bool ipoib_is_parent(const struct ipoib_dev *idev)
{
	return idev->fabric.first_pkey;
}

void ipoib_dev_conns_set_mode(struct ipoib_dev *idev, bool connected)
{
	KUNIT_EXPECT_EQ(world->test, world->rtnl, 1);
	world->modes++;
	idev->connected = connected;
}

void ipoib_mcast_set_sync(struct ipoib_mcast_set *set)
{
	world->synced++;
}

/*
 * Whoever waits for RTNL may be waited for by who has it, unless the file is not in use. Then only
 * a reference keeps the interface.
 */
static int change_child(const struct ipoib_dev *parent, u16 *which, u16 pkey)
{
	KUNIT_EXPECT_PTR_EQ(world->test, parent, (const struct ipoib_dev *)world->idev);
	KUNIT_EXPECT_EQ(world->test, world->rtnl, 1);
	KUNIT_EXPECT_EQ(world->test, world->left, 1);
	KUNIT_EXPECT_EQ(world->test, netdev_refcnt_read(world->dev), world->held + 1);
	*which = pkey;
	return world->error;
}

int ipoib_child_create(struct ipoib_dev *parent, u16 pkey, struct netlink_ext_ack *extack)
{
	return change_child(parent, &world->created, pkey);
}

int ipoib_child_delete(struct ipoib_dev *parent, u16 pkey, struct netlink_ext_ack *extack)
{
	return change_child(parent, &world->deleted, pkey);
}

/* ---- the files --------------------------------------------------------- */

static void setup_dev(struct net_device *dev)
{
}

static int sysfs_test_init(struct kunit *test)
{
	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world);
	world->test = test;
	world->net = false_net(test);
	world->dev = alloc_netdev(sizeof(struct ipoib_dev), "sysfs%d", NET_NAME_ENUM, setup_dev);
	world->parent = alloc_netdev(sizeof(struct ipoib_dev), "mother", NET_NAME_ENUM, setup_dev);
	world->page = (char *)get_zeroed_page(GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world->dev);
	KUNIT_ASSERT_NOT_NULL(test, world->parent);
	KUNIT_ASSERT_NOT_NULL(test, world->page);
	world->dev->reg_state = NETREG_REGISTERED;
	dev_net_set(world->dev, world->net);
	world->held = netdev_refcnt_read(world->dev);
	world->idev = netdev_priv(world->dev);
	world->idev->dev = world->dev;
	world->capable = true;
	return 0;
}

static void sysfs_test_exit(struct kunit *test)
{
	if (!world)
		return;
	free_page((unsigned long)world->page);
	if (world->parent)
		free_netdev(world->parent);
	if (world->dev) {
		world->dev->reg_state = NETREG_UNINITIALIZED;
		dev_net_set(world->dev, &init_net);
		free_netdev(world->dev);
	}
}

static const char *read(struct device_attribute *attr)
{
	ssize_t len = attr->show(&world->dev->dev, attr, world->page);

	world->page[max_t(ssize_t, len, 0)] = '\0';
	return world->page;
}

static ssize_t write(struct device_attribute *attr, const char *what)
{
	return attr->store(&world->dev->dev, attr, what, strlen(what));
}

/* The names of the files that an interface gets */
static const char *names(void)
{
	const struct attribute_group *group;
	char *word = world->page;
	int i;

	ipoib_sysfs_setup(world->dev);
	group = world->dev->sysfs_groups[0];
	word[0] = '\0';
	for (i = 0; group->attrs[i]; i++)
		word += sprintf(word, "%s ", group->attrs[i]->name);
	return world->page;
}

/* ---- cases ------------------------------------------------------------- */

static void each_kind_of_interface_has_its_files(struct kunit *test)
{
	KUNIT_EXPECT_STREQ(test, names(), "pkey mode umcast ");
	world->idev->config.parent = world->parent;
	KUNIT_EXPECT_STREQ(test, names(), "pkey mode umcast parent ");
	KUNIT_EXPECT_STREQ(test, read(&dev_attr_parent), "mother\n");
	world->idev->config.parent = NULL;
	world->idev->fabric.first_pkey = true;
	KUNIT_EXPECT_STREQ(test, names(), "pkey mode umcast create_child delete_child ");
	world->idev->fabric.pkey = 0x8001;
	KUNIT_EXPECT_STREQ(test, read(&dev_attr_pkey), "0x8001\n");
	KUNIT_EXPECT_EQ(test, dev_attr_pkey.attr.mode, 0444);
	KUNIT_EXPECT_EQ(test, dev_attr_parent.attr.mode, 0444);
	KUNIT_EXPECT_EQ(test, dev_attr_mode.attr.mode, 0644);
	KUNIT_EXPECT_EQ(test, dev_attr_umcast.attr.mode, 0644);
	KUNIT_EXPECT_EQ(test, dev_attr_create_child.attr.mode, 0200);
	KUNIT_EXPECT_EQ(test, dev_attr_delete_child.attr.mode, 0200);
}

static void the_mode_is_one_of_two_words(struct kunit *test)
{
	KUNIT_EXPECT_STREQ(test, read(&dev_attr_mode), "datagram\n");
	KUNIT_EXPECT_EQ(test, write(&dev_attr_mode, "connected\n"), 10);
	KUNIT_EXPECT_STREQ(test, read(&dev_attr_mode), "connected\n");
	KUNIT_EXPECT_EQ(test, write(&dev_attr_mode, "connect"), -EINVAL);
	KUNIT_EXPECT_EQ(test, write(&dev_attr_mode, ""), -EINVAL);
	KUNIT_EXPECT_STREQ(test, read(&dev_attr_mode), "connected\n");
	KUNIT_EXPECT_EQ(test, write(&dev_attr_mode, "datagram"), 8);
	KUNIT_EXPECT_STREQ(test, read(&dev_attr_mode), "datagram\n");
	KUNIT_EXPECT_EQ(test, world->modes, 2);
	KUNIT_EXPECT_EQ(test, world->rtnl, 0);
}

static void a_writer_of_the_mode_does_not_wait_for_rtnl(struct kunit *test)
{
	world->rtnl_taken = true;
	KUNIT_EXPECT_EQ(test, write(&dev_attr_mode, "connected"), -ERESTARTNOINTR);
	KUNIT_EXPECT_EQ(test, world->modes, 0);
	KUNIT_EXPECT_EQ(test, world->rtnl, 0);
}

static void umcast_is_yes_or_no(struct kunit *test)
{
	KUNIT_EXPECT_STREQ(test, read(&dev_attr_umcast), "0\n");
	KUNIT_EXPECT_EQ(test, write(&dev_attr_umcast, "1\n"), 2);
	KUNIT_EXPECT_STREQ(test, read(&dev_attr_umcast), "1\n");
	KUNIT_EXPECT_EQ(test, world->synced, 1);
	KUNIT_EXPECT_EQ(test, write(&dev_attr_umcast, "7"), -EINVAL);
	KUNIT_EXPECT_STREQ(test, read(&dev_attr_umcast), "1\n");
	KUNIT_EXPECT_EQ(test, write(&dev_attr_umcast, "0"), 1);
	KUNIT_EXPECT_STREQ(test, read(&dev_attr_umcast), "0\n");
	KUNIT_EXPECT_EQ(test, world->synced, 2);
}

static void children_are_named_by_a_p_key(struct kunit *test)
{
	static const char * const refused[] = {
		"", "ipoib", "0", "0x8000", "32768", "0x10000", "-1", "0x12 0x13",
	};
	int i;

	KUNIT_EXPECT_EQ(test, write(&dev_attr_create_child, "0x0012\n"), 7);
	KUNIT_EXPECT_EQ(test, world->created, 0x12);
	KUNIT_EXPECT_EQ(test, write(&dev_attr_create_child, "65535"), 5);
	KUNIT_EXPECT_EQ(test, world->created, 0xffff);
	KUNIT_EXPECT_EQ(test, world->deleted, 0);
	KUNIT_EXPECT_EQ(test, write(&dev_attr_delete_child, "0x8001"), 6);
	KUNIT_EXPECT_EQ(test, world->deleted, 0x8001);
	world->created = 0;
	for (i = 0; i < ARRAY_SIZE(refused); i++)
		KUNIT_EXPECT_EQ(test, write(&dev_attr_create_child, refused[i]), -EINVAL);
	KUNIT_EXPECT_EQ(test, world->created, 0);
	world->error = -ENOTUNIQ;
	KUNIT_EXPECT_EQ(test, write(&dev_attr_create_child, "0x0012"), -ENOTUNIQ);
	KUNIT_EXPECT_EQ(test, world->rtnl, 0);
	KUNIT_EXPECT_EQ(test, world->left, 0);
	KUNIT_EXPECT_EQ(test, netdev_refcnt_read(world->dev), world->held);
}

static void an_interface_that_goes_gets_no_children(struct kunit *test)
{
	world->dev->reg_state = NETREG_UNREGISTERING;
	KUNIT_EXPECT_EQ(test, write(&dev_attr_create_child, "0x0012"), -ENODEV);
	world->dev->reg_state = NETREG_REGISTERED;
	world->gone = true;
	KUNIT_EXPECT_EQ(test, write(&dev_attr_create_child, "0x0012"), -ENODEV);
	KUNIT_EXPECT_EQ(test, world->created, 0);
	KUNIT_EXPECT_EQ(test, world->rtnl, 0);
	KUNIT_EXPECT_EQ(test, world->left, 0);
	KUNIT_EXPECT_EQ(test, netdev_refcnt_read(world->dev), world->held);
}

static void who_does_not_administer_the_namespace_changes_nothing(struct kunit *test)
{
	world->capable = false;
	KUNIT_EXPECT_EQ(test, write(&dev_attr_mode, "connected"), -EPERM);
	KUNIT_EXPECT_EQ(test, write(&dev_attr_umcast, "1"), -EPERM);
	KUNIT_EXPECT_EQ(test, write(&dev_attr_create_child, "0x0012"), -EPERM);
	KUNIT_EXPECT_EQ(test, write(&dev_attr_delete_child, "0x0012"), -EPERM);
	KUNIT_EXPECT_EQ(test, world->modes + world->synced, 0);
	KUNIT_EXPECT_EQ(test, world->created | world->deleted, 0);
	KUNIT_EXPECT_STREQ(test, read(&dev_attr_mode), "datagram\n");
}

static struct kunit_case sysfs_test_cases[] = {
	KUNIT_CASE(each_kind_of_interface_has_its_files),
	KUNIT_CASE(the_mode_is_one_of_two_words),
	KUNIT_CASE(a_writer_of_the_mode_does_not_wait_for_rtnl),
	KUNIT_CASE(umcast_is_yes_or_no),
	KUNIT_CASE(children_are_named_by_a_p_key),
	KUNIT_CASE(an_interface_that_goes_gets_no_children),
	KUNIT_CASE(who_does_not_administer_the_namespace_changes_nothing),
	{}
};

static struct kunit_suite sysfs_test_suite = {
	.name = "ipoib_sysfs",
	.init = sysfs_test_init,
	.exit = sysfs_test_exit,
	.test_cases = sysfs_test_cases,
};

kunit_test_suite(sysfs_test_suite);

MODULE_DESCRIPTION("Tests of IPoIB's files in sysfs");
MODULE_LICENSE("GPL");
