// SPDX-License-Identifier: GPL-2.0
/*
 * Which requests of ip link are refused, with which words, and what the others make. Whatever a
 * request leads to is here, and only notes what it is told.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <kunit/test.h>
#include <linux/netdevice.h>
#include <net/rtnetlink.h>

#include "../netdev.h"
#include "../port.h"
#include "false_net.h"

/* Queues of the new interface */
#define QUEUES	4

static struct net_device *by_index(struct net *net, int ifindex);
static void unregister(struct net_device *dev);

#define capable(_cap)				(world->capable && (_cap) == CAP_NET_ADMIN)
#define __dev_get_by_index(_net, _ifindex)	by_index(_net, _ifindex)
#define unregister_netdevice_queue(_dev, _head)	((void)(_head), unregister(_dev))
#define unregister_netdevice_many(_head)	((void)(_head))
#define rtnl_link_register(_ops)		(world->kinds++, world->kind_error)
#define rtnl_link_unregister(_ops)		(world->kinds--)
#define register_pernet_device(_ops)		(world->pernet_error)
#define unregister_pernet_device(_ops)		((void)(_ops))
#undef pr_err
#define pr_err(_fmt, ...)			(world->complaints++)

/**
 * struct world - an interface to be made, what it may be made on, and what was done
 * @dev: the net_device, whose private part is the interface
 * @idev: the interface
 * @net: the namespace where the number of its link counts
 * @user_ns: that of a tenant
 * @link: the one that IFLA_LINK names by its number there, 7
 * @on_link: its private part, if it is one of ours
 * @port: the port of @link
 * @ibdev: its device
 * @ops: its fabric
 * @tb: attributes of the request
 * @data: those of the kind of link
 * @attrs: room for all of them
 * @used: how many octets are used
 * @extack: what the user is told
 * @capable: who asks is the host's administrator
 * @ours: @link is one of ours
 * @has_port: an RDMA device is on @link
 * @in_table: the P_Key is in the port's table
 * @has_gid: the GID is in the port's table
 * @taken: the P_Key of an interface that the port has
 * @longest: the longest datagram of the port
 * @child_error: what child.c says to a child
 * @error: what becomes of what is to be registered
 * @registered: how many were registered
 * @checked: P_Key of the child that child.c was asked about
 * @modes: how often the mode was set
 * @connected: to connected mode
 * @synced: how often groups were looked at
 * @deleted: what was unregistered last
 * @deletions: how many were
 * @kinds: how many kinds of links are registered
 * @kind_error: what becomes of one
 * @pernet_error: and of what hears of namespaces
 * @complaints: lines in the log
 */
static struct world {
	struct net_device *dev;
	struct ipoib_dev *idev;
	struct net *net;
	struct user_namespace *user_ns;
	struct net_device *link;
	struct ipoib_dev *on_link;
	struct ipoib_port port;
	struct ib_device ibdev;
	struct ipoib_fabric_ops ops;
	struct nlattr *tb[IFLA_MAX + 1];
	struct nlattr *data[IFLA_IPOIB_MAX + 1];
	u8 attrs[512] __aligned(NLA_ALIGNTO);
	unsigned int used;
	struct netlink_ext_ack extack;
	bool capable;
	bool ours;
	bool has_port;
	bool in_table;
	bool has_gid;
	u16 taken;
	u32 longest;
	int child_error;
	int error;
	unsigned int registered;
	u16 checked;
	unsigned int modes;
	bool connected;
	unsigned int synced;
	struct net_device *deleted;
	unsigned int deletions;
	int kinds;
	int kind_error;
	int pernet_error;
	unsigned int complaints;
} *world;

#include "../netlink.c"

#include "../addr.c"

static struct net_device *by_index(struct net *net, int ifindex)
{
	return net == world->net && ifindex == 7 ? world->link : NULL;
}

static void unregister(struct net_device *dev)
{
	world->deleted = dev;
	world->deletions++;
}

static int attach(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	return 0;
}

/* ---- what netlink.c calls of the driver -------------------------------- */

bool ipoib_netdev_is_ours(const struct net_device *dev)
{
	return dev == world->dev || (dev == world->link && world->ours);
}

void ipoib_netdev_setup(struct net_device *dev)
{
	dev->mtu = 2044;
}

unsigned int ipoib_dev_chans_max(void)
{
	return QUEUES;
}

struct ipoib_port *ipoib_port_find(const struct net_device *lower)
{
	return lower == world->link && world->has_port ? &world->port : NULL;
}

struct ipoib_dev *ipoib_port_find_dev(const struct ipoib_port *port, u16 pkey)
{
	return port == &world->port && pkey == world->taken ? world->on_link : NULL;
}

bool ipoib_is_parent(const struct ipoib_dev *idev)
{
	return idev->fabric.first_pkey;
}

void ipoib_port_config(struct ipoib_port *port, struct ipoib_dev *idev)
{
	idev->config.port = port;
	idev->fabric.ibdev = port->ibdev;
	idev->fabric.port = port->num;
}

int ipoib_port_register(struct ipoib_dev *idev)
{
	world->registered += !world->error;
	return world->error;
}

void ipoib_child_config(struct ipoib_dev *idev, struct ipoib_dev *parent, u16 pkey)
{
	ipoib_port_config(parent->config.port, idev);
	idev->config.parent = parent->dev;
	idev->fabric.pkey = pkey;
}

int ipoib_child_check(const struct ipoib_dev *parent, u16 pkey, struct netlink_ext_ack *extack)
{
	world->checked = pkey;
	return parent == world->on_link ? world->child_error : -ENXIO;
}

u16 ipoib_fabric_find_pkey(struct ib_device *ibdev, u32 port, u16 pkey, u16 *index)
{
	return ibdev == &world->ibdev && port == 2 && world->in_table ? pkey : 0;
}

bool ipoib_fabric_has_guid(struct ib_device *ibdev, u32 port, const union ib_gid *gid)
{
	return ibdev == &world->ibdev && port == 2 && gid->raw[15] == 5 && world->has_gid;
}

u32 ipoib_port_longest(struct ib_device *ibdev, u32 port)
{
	return ibdev == &world->ibdev && port == 2 ? world->longest : 0;
}

void ipoib_dev_conns_set_mode(struct ipoib_dev *idev, bool connected)
{
	world->modes++;
	world->connected = connected;
	idev->connected = connected;
}

void ipoib_mcast_set_sync(struct ipoib_mcast_set *set)
{
	world->synced++;
}

/* ---- requests ---------------------------------------------------------- */

static struct nlattr *attr(unsigned int type, const void *value, unsigned int len)
{
	struct nlattr *nla = (void *)world->attrs + world->used;

	if (WARN_ON(world->used + nla_total_size(len) > sizeof(world->attrs)))
		return NULL;
	world->used += nla_total_size(len);
	nla->nla_type = type;
	nla->nla_len = nla_attr_size(len);
	memcpy(nla_data(nla), value, len);
	return nla;
}

static void says(unsigned int type, u32 value)
{
	world->tb[type] = attr(type, &value, sizeof(value));
}

static void says_data(unsigned int type, u16 value)
{
	world->data[type] = attr(type, &value, sizeof(value));
}

/* An address of @len octets, with the first octet @first of its GID and the last one @id */
static void says_address(unsigned int type, unsigned int len, u8 first, u8 id)
{
	u8 addr[INFINIBAND_ALEN + 1] = { [4] = first, [19] = id };

	world->tb[type] = attr(type, addr, len);
}

/* The broadcast address of a scope and a P_Key */
static void says_broadcast(u8 scope, u16 pkey)
{
	struct ipoib_hwaddr addr;
	union ib_gid mgid;

	ipoib_mgid_broadcast(&mgid, scope, pkey);
	ipoib_hwaddr_set(&addr, 0, IB_MULTICAST_QPN, &mgid);
	world->tb[IFLA_BROADCAST] = attr(IFLA_BROADCAST, &addr, sizeof(addr));
}

/* A request that says nothing, about an interface that has nothing yet */
static void anew(void)
{
	memset(world->tb, 0, sizeof(world->tb));
	memset(world->data, 0, sizeof(world->data));
	memset(&world->extack, 0, sizeof(world->extack));
	memset(&world->idev->config, 0, sizeof(world->idev->config));
	memset(&world->idev->fabric, 0, sizeof(world->idev->fabric));
	world->idev->user_mtu = 0;
	world->idev->unsaid_mtu = 0;
	world->used = 0;
	world->dev->num_tx_queues = QUEUES;
	world->dev->num_rx_queues = 1;
	world->dev->mtu = 2044;
	world->dev->max_mtu = IPOIB_CONN_MAX_MESSAGE - IPOIB_HDR_LEN;
	says(IFLA_LINK, 7);
}

static int validate(void)
{
	return link_validate(world->tb, world->data, &world->extack);
}

static int make(void)
{
	return link_new(world->net, world->dev, world->tb, world->data, &world->extack);
}

static int change(void)
{
	return link_change(world->dev, world->tb, world->data, &world->extack);
}

/* The words have to say what is wrong: @word is the one that matters. */
static void expect_refused(struct kunit *test, int err, int expected, const struct nlattr *attr,
			   const char *word)
{
	KUNIT_EXPECT_EQ(test, err, expected);
	KUNIT_EXPECT_PTR_EQ(test, world->extack.bad_attr, attr);
	KUNIT_ASSERT_NOT_NULL(test, world->extack._msg);
	KUNIT_EXPECT_NOT_NULL(test, strstr(world->extack._msg, word));
}

static void setup_dev(struct net_device *dev)
{
}

static int netlink_test_init(struct kunit *test)
{
	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world);
	world->net = false_net(test);
	world->user_ns = world->net->user_ns;
	world->net->user_ns = &init_user_ns;
	world->dev = alloc_netdev_mqs(sizeof(struct ipoib_dev), "new%d", NET_NAME_ENUM, setup_dev,
				      QUEUES, 1);
	KUNIT_ASSERT_NOT_NULL(test, world->dev);
	world->link = alloc_netdev(sizeof(struct ipoib_dev), "link%d", NET_NAME_ENUM, setup_dev);
	KUNIT_ASSERT_NOT_NULL(test, world->link);
	world->idev = netdev_priv(world->dev);
	world->idev->dev = world->dev;
	world->on_link = netdev_priv(world->link);
	world->on_link->dev = world->link;
	world->on_link->config.port = &world->port;
	world->on_link->fabric.first_pkey = true;
	world->on_link->fabric.pkey = 0xffff;
	world->ibdev.ops.attach_mcast = attach;
	world->port.ibdev = &world->ibdev;
	world->port.num = 2;
	world->port.fabric_ops = &world->ops;
	world->capable = true;
	world->ours = true;
	world->has_port = true;
	world->in_table = true;
	world->has_gid = true;
	world->longest = IPOIB_MTU_IB;
	anew();
	return 0;
}

static void netlink_test_exit(struct kunit *test)
{
	if (!world || !world->dev)
		return;
	/* A case may have said that there are more queues than there are. */
	if (world->link) {
		anew();
		free_netdev(world->link);
	}
	free_netdev(world->dev);
}

/* ---- what is refused before anything is looked at ---------------------- */

static void an_address_that_no_port_has_is_refused(struct kunit *test)
{
	static const struct {
		unsigned int len;
		u8 first;
		u8 id;
		int err;
		const char *word;
	} cases[] = {
		{ INFINIBAND_ALEN - 1, 0xfe, 1, -EINVAL, "20 octets" },
		{ INFINIBAND_ALEN + 1, 0xfe, 1, -EINVAL, "20 octets" },
		{ INFINIBAND_ALEN - 1, 0, 0, -EINVAL, "20 octets" },
		{ INFINIBAND_ALEN, 0xfe, 0, -EADDRNOTAVAIL, "GID of no port" },
		{ INFINIBAND_ALEN, 0xff, 1, -EADDRNOTAVAIL, "GID of no port" },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		anew();
		says_address(IFLA_ADDRESS, cases[i].len, cases[i].first, cases[i].id);
		expect_refused(test, validate(), cases[i].err, world->tb[IFLA_ADDRESS],
			       cases[i].word);
	}
	for (i = -1; i <= 1; i += 2) {
		anew();
		says_address(IFLA_BROADCAST, INFINIBAND_ALEN + i, 0xff, 1);
		expect_refused(test, validate(), -EINVAL, world->tb[IFLA_BROADCAST], "20 octets");
	}
	/* The GID of a port, both halves of its interface ID, and the address of zeros */
	anew();
	says_address(IFLA_ADDRESS, INFINIBAND_ALEN, 0xfe, 1);
	says_address(IFLA_BROADCAST, INFINIBAND_ALEN, 0xff, 1);
	KUNIT_EXPECT_EQ(test, validate(), 0);
	((u8 *)nla_data(world->tb[IFLA_ADDRESS]))[19] = 0;
	((u8 *)nla_data(world->tb[IFLA_ADDRESS]))[12] = 1;
	KUNIT_EXPECT_EQ(test, validate(), 0);
	says_address(IFLA_ADDRESS, INFINIBAND_ALEN, 0, 0);
	KUNIT_EXPECT_EQ(test, validate(), 0);
	KUNIT_EXPECT_NULL(test, world->extack._msg);
}

static void settings_that_cannot_be_are_refused(struct kunit *test)
{
	static const struct {
		unsigned int type;
		u16 value;
		const char *word;
	} refused[] = {
		{ IFLA_IPOIB_PKEY, 0, "no partition" },
		{ IFLA_IPOIB_PKEY, 0x8000, "no partition" },
		{ IFLA_IPOIB_MODE, 2, "mode must be" },
		{ IFLA_IPOIB_UMCAST, 2, "umcast must be" },
	}, fine[] = {
		{ IFLA_IPOIB_PKEY, 1 },
		{ IFLA_IPOIB_PKEY, 0xffff },
		{ IFLA_IPOIB_MODE, IPOIB_MODE_DATAGRAM },
		{ IFLA_IPOIB_MODE, IPOIB_MODE_CONNECTED },
		{ IFLA_IPOIB_UMCAST, 0 },
		{ IFLA_IPOIB_UMCAST, 1 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		anew();
		says_data(refused[i].type, refused[i].value);
		expect_refused(test, validate(), -EINVAL, world->data[refused[i].type],
			       refused[i].word);
	}
	for (i = 0; i < ARRAY_SIZE(fine); i++) {
		anew();
		says_data(fine[i].type, fine[i].value);
		KUNIT_EXPECT_EQ(test, validate(), 0);
	}
	KUNIT_EXPECT_EQ(test, link_validate(world->tb, NULL, &world->extack), 0);
}

/* ---- making ------------------------------------------------------------ */

static void a_child_has_the_partition_of_its_parent_or_its_own(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, make(), 0);
	KUNIT_EXPECT_PTR_EQ(test, world->idev->config.parent, world->link);
	KUNIT_EXPECT_EQ(test, world->idev->fabric.pkey, 0xffff);
	KUNIT_EXPECT_EQ(test, world->checked, 0xffff);
	anew();
	says_data(IFLA_IPOIB_PKEY, 0x0012);
	KUNIT_EXPECT_EQ(test, make(), 0);
	KUNIT_EXPECT_EQ(test, world->idev->fabric.pkey, 0x8012);
	KUNIT_EXPECT_EQ(test, world->checked, 0x8012);
	KUNIT_EXPECT_EQ(test, world->registered, 2);
	KUNIT_EXPECT_EQ(test, world->modes, 0);
	KUNIT_EXPECT_EQ(test, world->idev->user_mtu, 0);
	KUNIT_EXPECT_EQ(test, world->idev->config.channels, 0);
	/* Without the attributes of the kind it is the parent's again. */
	anew();
	KUNIT_EXPECT_EQ(test, link_new(world->net, world->dev, world->tb, NULL, &world->extack), 0);
	KUNIT_EXPECT_EQ(test, world->idev->fabric.pkey, 0xffff);
}

static void a_link_that_carries_nothing_is_refused(struct kunit *test)
{
	world->tb[IFLA_LINK] = NULL;
	expect_refused(test, make(), -EINVAL, NULL, "is needed");
	anew();
	says(IFLA_LINK, 8);
	expect_refused(test, make(), -ENODEV, world->tb[IFLA_LINK], "no such link");
	anew();
	world->on_link->fabric.first_pkey = false;
	expect_refused(test, make(), -EINVAL, world->tb[IFLA_LINK], "cannot have children");
	anew();
	world->ours = false;
	world->has_port = false;
	expect_refused(test, make(), -ENODEV, world->tb[IFLA_LINK], "no RDMA device");
	anew();
	world->has_port = true;
	world->ibdev.ops.attach_mcast = NULL;
	expect_refused(test, make(), -EOPNOTSUPP, world->tb[IFLA_LINK], "no multicast");
	KUNIT_EXPECT_EQ(test, world->registered, 0);
}

static void on_ethernet_there_is_one_for_a_partition(struct kunit *test)
{
	world->ours = false;
	KUNIT_EXPECT_EQ(test, make(), 0);
	KUNIT_EXPECT_PTR_EQ(test, world->idev->fabric.lower, world->link);
	KUNIT_EXPECT_EQ(test, world->idev->fabric.port, 2);
	KUNIT_EXPECT_EQ(test, world->idev->fabric.pkey, 0xffff);
	anew();
	says_data(IFLA_IPOIB_PKEY, 0x0012);
	KUNIT_EXPECT_EQ(test, make(), 0);
	KUNIT_EXPECT_EQ(test, world->idev->fabric.pkey, 0x8012);
	anew();
	world->taken = 0xffff;
	expect_refused(test, make(), -EEXIST, NULL, "already has");
	anew();
	world->taken = 0x8001;
	world->capable = false;
	expect_refused(test, make(), -EPERM, NULL, "only the host's administrator");
	KUNIT_EXPECT_EQ(test, world->registered, 2);
}

static void who_makes_a_child_is_for_others_to_judge(struct kunit *test)
{
	world->capable = false;
	world->taken = 0xffff;
	KUNIT_EXPECT_EQ(test, make(), 0);
	anew();
	world->child_error = -ENOSPC;
	KUNIT_EXPECT_EQ(test, make(), -ENOSPC);
	KUNIT_EXPECT_EQ(test, world->registered, 1);
}

static void a_partition_has_to_be_there_unless_it_may_come(struct kunit *test)
{
	world->in_table = false;
	expect_refused(test, make(), -ENOENT, NULL, "not in the port's table");
	anew();
	world->ops.pkeys_come = true;
	KUNIT_EXPECT_EQ(test, make(), 0);
}

static void more_queues_than_channels_are_refused(struct kunit *test)
{
	says(IFLA_NUM_TX_QUEUES, IPOIB_MAX_CHANNELS);
	world->dev->num_tx_queues = IPOIB_MAX_CHANNELS;
	KUNIT_EXPECT_EQ(test, make(), 0);
	KUNIT_EXPECT_EQ(test, world->idev->config.channels, IPOIB_MAX_CHANNELS);
	anew();
	says(IFLA_NUM_TX_QUEUES, IPOIB_MAX_CHANNELS + 1);
	world->dev->num_tx_queues = IPOIB_MAX_CHANNELS + 1;
	expect_refused(test, make(), -EINVAL, world->tb[IFLA_NUM_TX_QUEUES], "numtxqueues");
	anew();
	says(IFLA_NUM_RX_QUEUES, 2);
	world->dev->num_rx_queues = 2;
	expect_refused(test, make(), -EINVAL, world->tb[IFLA_NUM_RX_QUEUES], "numrxqueues");
}

static int make_with_mtu(unsigned int mtu)
{
	says(IFLA_MTU, mtu);
	world->dev->mtu = mtu;
	return make();
}

static void expect_mtu_refused(struct kunit *test, unsigned int mtu, const char *limit)
{
	int err = make_with_mtu(mtu);

	expect_refused(test, err, -EINVAL, world->tb[IFLA_MTU], limit);
}

static void an_mtu_is_limited_by_the_mode(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, make_with_mtu(1500), 0);
	KUNIT_EXPECT_EQ(test, world->idev->user_mtu, 1500);
	KUNIT_EXPECT_EQ(test, world->idev->unsaid_mtu, 1500);
	/* The most there may be follows the link. */
	anew();
	KUNIT_EXPECT_EQ(test, make_with_mtu(4092), 0);
	KUNIT_EXPECT_EQ(test, world->idev->user_mtu, 0);
	KUNIT_EXPECT_EQ(test, world->idev->unsaid_mtu, 4092);
	anew();
	expect_mtu_refused(test, 4093, "4092");
	anew();
	says_data(IFLA_IPOIB_MODE, IPOIB_MODE_DATAGRAM);
	expect_mtu_refused(test, 4093, "4092");
	KUNIT_EXPECT_EQ(test, world->dev->max_mtu, 4092);
	anew();
	says_data(IFLA_IPOIB_MODE, IPOIB_MODE_CONNECTED);
	KUNIT_EXPECT_EQ(test, make_with_mtu(9000), 0);
	KUNIT_EXPECT_EQ(test, world->idev->user_mtu, 9000);
	anew();
	says_data(IFLA_IPOIB_MODE, IPOIB_MODE_CONNECTED);
	KUNIT_EXPECT_EQ(test, make_with_mtu(65520), 0);
	KUNIT_EXPECT_EQ(test, world->idev->user_mtu, 0);
	world->longest = IPOIB_MTU_OPA;
	anew();
	KUNIT_EXPECT_EQ(test, make_with_mtu(8188), 0);
	anew();
	expect_mtu_refused(test, 8189, "8188");
}

static void mode_and_umcast_are_those_of_the_request(struct kunit *test)
{
	says_data(IFLA_IPOIB_MODE, IPOIB_MODE_CONNECTED);
	says_data(IFLA_IPOIB_UMCAST, 1);
	KUNIT_EXPECT_EQ(test, make(), 0);
	KUNIT_EXPECT_EQ(test, world->modes, 1);
	KUNIT_EXPECT_TRUE(test, world->connected);
	KUNIT_EXPECT_TRUE(test, world->idev->umcast);
	/* Of what cannot be registered no mode is set. */
	anew();
	says_data(IFLA_IPOIB_MODE, IPOIB_MODE_DATAGRAM);
	world->error = -ENOMEM;
	KUNIT_EXPECT_EQ(test, make(), -ENOMEM);
	KUNIT_EXPECT_EQ(test, world->modes, 1);
}

static void a_chosen_gid_is_pinned(struct kunit *test)
{
	const union ib_gid *pinned = &world->idev->fabric.pinned_gid;

	says_address(IFLA_ADDRESS, INFINIBAND_ALEN, 0xfe, 5);
	KUNIT_EXPECT_EQ(test, make(), 0);
	KUNIT_EXPECT_EQ(test, pinned->raw[0], 0xfe);
	KUNIT_EXPECT_EQ(test, pinned->raw[15], 5);
	/* A child whose GID the port does not have gets the port's, and the user is told. */
	anew();
	says_address(IFLA_ADDRESS, INFINIBAND_ALEN, 0xfe, 5);
	world->has_gid = false;
	expect_refused(test, make(), 0, world->tb[IFLA_ADDRESS], "which has another");
	KUNIT_EXPECT_EQ(test, pinned->raw[0] | pinned->raw[15], 0);
	/* Zeros choose none. */
	anew();
	says_address(IFLA_ADDRESS, INFINIBAND_ALEN, 0, 0);
	KUNIT_EXPECT_EQ(test, make(), 0);
	KUNIT_EXPECT_NULL(test, world->extack._msg);
	/* On Ethernet it may come. */
	anew();
	world->ours = false;
	says_address(IFLA_ADDRESS, INFINIBAND_ALEN, 0xfe, 5);
	KUNIT_EXPECT_EQ(test, make(), 0);
	KUNIT_EXPECT_EQ(test, pinned->raw[15], 5);
	KUNIT_EXPECT_NULL(test, world->extack._msg);
}

static void a_scope_is_chosen_by_the_broadcast_address(struct kunit *test)
{
	static const u8 fine[] = { IPOIB_SCOPE_LINK, IPOIB_SCOPE_SITE, IPOIB_SCOPE_GLOBAL };
	static const u8 refused[] = { 0, 1, 15 };
	int i;

	KUNIT_EXPECT_EQ(test, make(), 0);
	KUNIT_EXPECT_EQ(test, world->idev->config.scope, 0);
	for (i = 0; i < ARRAY_SIZE(fine); i++) {
		anew();
		says_broadcast(fine[i], 0xffff);
		KUNIT_EXPECT_EQ(test, make(), 0);
		KUNIT_EXPECT_EQ(test, world->idev->config.scope, fine[i]);
	}
	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		anew();
		says_broadcast(refused[i], 0xffff);
		expect_refused(test, make(), -EINVAL, world->tb[IFLA_BROADCAST], "from 2 to 14");
	}
	anew();
	says_broadcast(IPOIB_SCOPE_LINK, 0x8001);
	expect_refused(test, make(), -EINVAL, world->tb[IFLA_BROADCAST], "not that of the P_Key");
}

static void who_has_no_gid_is_told_why(struct kunit *test)
{
	world->error = -EADDRNOTAVAIL;
	expect_refused(test, make(), -EADDRNOTAVAIL, NULL, "link-local GID");
	anew();
	says_address(IFLA_ADDRESS, INFINIBAND_ALEN, 0xfe, 5);
	expect_refused(test, make(), -EADDRNOTAVAIL, world->tb[IFLA_ADDRESS],
		       "not a GID of the port");
	anew();
	world->error = -ENFILE;
	KUNIT_EXPECT_EQ(test, make(), -ENFILE);
	KUNIT_EXPECT_NULL(test, world->extack._msg);
}

/* ---- changing, reading, deleting --------------------------------------- */

static void all_but_the_partition_may_be_changed(struct kunit *test)
{
	world->idev->fabric.pkey = 0x8012;
	says_data(IFLA_IPOIB_PKEY, 0x0012);
	says_data(IFLA_IPOIB_MODE, IPOIB_MODE_CONNECTED);
	says_data(IFLA_IPOIB_UMCAST, 1);
	KUNIT_EXPECT_EQ(test, change(), 0);
	KUNIT_EXPECT_TRUE(test, world->connected);
	KUNIT_EXPECT_TRUE(test, world->idev->umcast);
	KUNIT_EXPECT_EQ(test, world->synced, 1);
	anew();
	says_data(IFLA_IPOIB_MODE, IPOIB_MODE_DATAGRAM);
	KUNIT_EXPECT_EQ(test, change(), 0);
	KUNIT_EXPECT_FALSE(test, world->connected);
	KUNIT_EXPECT_TRUE(test, world->idev->umcast);
	KUNIT_EXPECT_EQ(test, world->synced, 1);
	/* A refusal changes nothing else. */
	says_data(IFLA_IPOIB_MODE, IPOIB_MODE_CONNECTED);
	says_data(IFLA_IPOIB_PKEY, 0x0013);
	expect_refused(test, change(), -EOPNOTSUPP, world->data[IFLA_IPOIB_PKEY],
		       "cannot be changed");
	KUNIT_EXPECT_FALSE(test, world->connected);
	KUNIT_EXPECT_EQ(test, link_change(world->dev, world->tb, NULL, &world->extack), 0);
	KUNIT_EXPECT_EQ(test, world->modes, 2);
}

static int value_of(const struct nlattr *attr)
{
	return attr ? nla_get_u16(attr) : -1;
}

static void what_is_read_is_what_was_set(struct kunit *test)
{
	struct sk_buff *skb = nlmsg_new(link_get_size(world->dev), GFP_KERNEL);
	struct nlattr *attrs[IFLA_IPOIB_MAX + 1];
	int i;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	for (i = 0; i <= 1; i++) {
		skb_trim(skb, 0);
		world->idev->fabric.pkey = 0x8012;
		world->idev->connected = i;
		world->idev->umcast = !i;
		KUNIT_EXPECT_EQ(test, link_fill_info(skb, world->dev), 0);
		KUNIT_EXPECT_EQ(test, skb->len, link_get_size(world->dev));
		KUNIT_EXPECT_EQ(test, nla_parse_deprecated(attrs, IFLA_IPOIB_MAX, (void *)skb->data,
							   skb->len, NULL, NULL), 0);
		KUNIT_EXPECT_EQ(test, value_of(attrs[IFLA_IPOIB_PKEY]), 0x8012);
		KUNIT_EXPECT_EQ(test, value_of(attrs[IFLA_IPOIB_MODE]),
				i ? IPOIB_MODE_CONNECTED : IPOIB_MODE_DATAGRAM);
		KUNIT_EXPECT_EQ(test, value_of(attrs[IFLA_IPOIB_UMCAST]), !i);
	}
	while (!nla_put_u16(skb, IFLA_IPOIB_PKEY, 0))
		;
	KUNIT_EXPECT_EQ(test, link_fill_info(skb, world->dev), -EMSGSIZE);
	kfree_skb(skb);
}

static void the_number_of_the_link_counts_where_the_link_is(struct kunit *test)
{
	KUNIT_EXPECT_PTR_EQ(test, link_get_net(world->dev), &init_net);
	dev_net_set(world->link, world->net);
	world->idev->config.parent = world->link;
	KUNIT_EXPECT_PTR_EQ(test, link_get_net(world->dev), world->net);
	world->idev->config.parent = NULL;
	world->idev->fabric.lower = world->link;
	KUNIT_EXPECT_PTR_EQ(test, link_get_net(world->dev), world->net);
	dev_net_set(world->link, &init_net);
}

static void no_user_deletes_the_interface_of_a_port(struct kunit *test)
{
	link_del(world->link, NULL);
	KUNIT_EXPECT_NULL(test, world->deleted);
	link_del(world->dev, NULL);
	KUNIT_EXPECT_PTR_EQ(test, world->deleted, world->dev);
}

/* What is unregistered of @idev when its namespace ends, of the host or of a tenant */
static unsigned int ended(const struct ipoib_dev *idev, bool tenant)
{
	LIST_HEAD(nets);

	world->deletions = 0;
	world->net->user_ns = tenant ? world->user_ns : &init_user_ns;
	INIT_LIST_HEAD(&world->net->dev_base_head);
	list_add_tail(&idev->dev->dev_list, &world->net->dev_base_head);
	list_add_tail(&world->net->exit_list, &nets);
	net_exit_batch(&nets);
	return world->deletions;
}

static void what_a_tenant_leaves_ends_with_its_namespace(struct kunit *test)
{
	/* The interface of a port goes back, a child does unless the namespace was a tenant's. */
	KUNIT_EXPECT_EQ(test, ended(world->on_link, true), 0);
	KUNIT_EXPECT_EQ(test, ended(world->on_link, false), 0);
	world->idev->config.parent = world->link;
	KUNIT_EXPECT_EQ(test, ended(world->idev, true), 1);
	KUNIT_EXPECT_PTR_EQ(test, world->deleted, world->dev);
	KUNIT_EXPECT_EQ(test, ended(world->idev, false), 0);
	/* On RoCE there is no port to go back to. */
	world->idev->config.parent = NULL;
	KUNIT_EXPECT_EQ(test, ended(world->idev, true), 1);
	KUNIT_EXPECT_EQ(test, ended(world->idev, false), 1);
	/* The devices of others are not ours to end. */
	world->on_link->fabric.first_pkey = false;
	world->ours = false;
	KUNIT_EXPECT_EQ(test, ended(world->on_link, true), 0);
}

static void a_kind_that_is_taken_is_said_to_be(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ipoib_netlink_init("ipoib"), 0);
	KUNIT_EXPECT_STREQ(test, link_ops.kind, "ipoib");
	KUNIT_EXPECT_EQ(test, world->kinds, 1);
	ipoib_netlink_exit();
	KUNIT_EXPECT_EQ(test, world->kinds, 0);
	world->pernet_error = -ENOMEM;
	KUNIT_EXPECT_EQ(test, ipoib_netlink_init("ipoib"), -ENOMEM);
	KUNIT_EXPECT_EQ(test, world->kinds, 0);
	KUNIT_EXPECT_EQ(test, world->complaints, 0);
	world->kind_error = -EEXIST;
	KUNIT_EXPECT_EQ(test, ipoib_netlink_init("ipoib"), -EEXIST);
	KUNIT_EXPECT_EQ(test, world->complaints, 1);
}

static void a_new_interface_may_become_connected(struct kunit *test)
{
	link_setup(world->dev);
	KUNIT_EXPECT_EQ(test, world->dev->max_mtu, 65520);
	KUNIT_EXPECT_EQ(test, world->dev->mtu, 2044);
	KUNIT_EXPECT_PTR_EQ(test, world->dev->rtnl_link_ops,
			    (const struct rtnl_link_ops *)&link_ops);
}

static struct kunit_case netlink_test_cases[] = {
	KUNIT_CASE(an_address_that_no_port_has_is_refused),
	KUNIT_CASE(settings_that_cannot_be_are_refused),
	KUNIT_CASE(a_child_has_the_partition_of_its_parent_or_its_own),
	KUNIT_CASE(a_link_that_carries_nothing_is_refused),
	KUNIT_CASE(on_ethernet_there_is_one_for_a_partition),
	KUNIT_CASE(who_makes_a_child_is_for_others_to_judge),
	KUNIT_CASE(a_partition_has_to_be_there_unless_it_may_come),
	KUNIT_CASE(more_queues_than_channels_are_refused),
	KUNIT_CASE(an_mtu_is_limited_by_the_mode),
	KUNIT_CASE(mode_and_umcast_are_those_of_the_request),
	KUNIT_CASE(a_chosen_gid_is_pinned),
	KUNIT_CASE(a_scope_is_chosen_by_the_broadcast_address),
	KUNIT_CASE(who_has_no_gid_is_told_why),
	KUNIT_CASE(all_but_the_partition_may_be_changed),
	KUNIT_CASE(what_is_read_is_what_was_set),
	KUNIT_CASE(the_number_of_the_link_counts_where_the_link_is),
	KUNIT_CASE(no_user_deletes_the_interface_of_a_port),
	KUNIT_CASE(what_a_tenant_leaves_ends_with_its_namespace),
	KUNIT_CASE(a_kind_that_is_taken_is_said_to_be),
	KUNIT_CASE(a_new_interface_may_become_connected),
	{}
};

static struct kunit_suite netlink_test_suite = {
	.name = "ipoib_netlink",
	.init = netlink_test_init,
	.exit = netlink_test_exit,
	.test_cases = netlink_test_cases,
};

kunit_test_suite(netlink_test_suite);

MODULE_DESCRIPTION("Tests of what IPoIB makes of requests by rtnetlink");
MODULE_LICENSE("GPL");
