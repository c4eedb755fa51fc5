// SPDX-License-Identifier: GPL-2.0
/* What is told by netlink, and when: a message is read as who gets it would. */
#include <kunit/test.h>
#include <linux/netdevice.h>
#include <net/genetlink.h>
#include <rdma/ipoib_genl.h>

#include "../device.h"
#include "../netdev.h"

static struct sk_buff *new_message(void);
static void sent(struct sk_buff *skb);
static struct net_device *device(u32 ifindex);

#define genl_has_listeners(_family, _net, _group)	((void)(_net), world->listens)
#define genlmsg_new(_len, _gfp)				new_message()
#define genlmsg_multicast_netns(_family, _net, _skb, ...)	sent(_skb)
#define genlmsg_reply(_skb, _info)			(sent(_skb), 0)
#define genl_set_err(...)				(world->missed++)
#define dev_get_by_index(_net, _ifindex)		device(_ifindex)

/**
 * struct world - an interface, and what was told of it
 * @dev: the net_device, whose private part is the interface
 * @idev: the interface
 * @ibdev: its device
 * @ops: its fabric
 * @txq: the queue of the stack
 * @group_error: of its broadcast group
 * @all_are_ours: every net_device is an interface
 * @listens: somebody listens
 * @no_memory: there is none for a message
 * @missed: how often listeners were told that they have missed one
 * @messages: how many were sent
 * @header: of the last one
 * @attrs: what was in it
 * @last: the message
 */
static struct world {
	struct net_device *dev;
	struct ipoib_dev *idev;
	struct ib_device ibdev;
	struct ipoib_fabric_ops ops;
	struct netdev_queue txq;
	int group_error;
	bool all_are_ours;
	bool listens;
	bool no_memory;
	unsigned int missed;
	unsigned int messages;
	struct nlmsghdr *header;
	struct nlattr *attrs[IPOIB_GENL_INTERFACE_MAX + 1];
	struct sk_buff *last;
} *world;

#include "../genl.c"

#include "../fsm.c"

static struct sk_buff *new_message(void)
{
	return world->no_memory ? NULL : nlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
}

static void sent(struct sk_buff *skb)
{
	kfree_skb(world->last);
	world->last = skb;
	world->messages++;
	world->header = nlmsg_hdr(skb);
	nlmsg_parse_deprecated(world->header, GENL_HDRLEN, world->attrs,
			       IPOIB_GENL_INTERFACE_MAX, NULL, NULL);
}

static struct net_device *device(u32 ifindex)
{
	if (ifindex != world->dev->ifindex)
		return NULL;
	dev_hold(world->dev);
	return world->dev;
}

/* ---- what genl.c calls of the driver ----------------------------------- */

bool ipoib_netdev_is_ours(const struct net_device *dev)
{
	return world->all_are_ours;
}

const char *ipoib_dev_reason(struct ipoib_dev *idev)
{
	return "why";
}

bool ipoib_link_is_limited(const struct ipoib_link *link)
{
	return link->pkey_entry == 1;
}

struct ipoib_conn_set *ipoib_dev_conns_hold(struct ipoib_dev *idev)
{
	return idev->conn_set;
}

void ipoib_conn_set_put(struct ipoib_conn_set *set)
{
}

void ipoib_conn_set_walk(struct ipoib_conn_set *set,
			 void (*fn)(void *ctx, const struct ipoib_conn *conn), void *ctx)
{
}

int ipoib_mcast_set_error(struct ipoib_mcast_set *set)
{
	return world->group_error;
}

const char *ipoib_mcast_membership(const struct ipoib_mcast *group)
{
	return "member";
}

void ipoib_mcast_set_walk(struct ipoib_mcast_set *set,
			  void (*fn)(void *ctx, const struct ipoib_mcast *group), void *ctx)
{
}

void ipoib_peertable_walk(struct ipoib_peertable *table,
			  void (*fn)(void *ctx, const struct ipoib_peer *peer), void *ctx)
{
}

int ipoib_ethtool_walk(struct ipoib_dev *idev,
		       void (*fn)(void *ctx, const char *name, u64 value), void *ctx)
{
	return 0;
}

/* ---- the interface ----------------------------------------------------- */

static void setup_dev(struct net_device *dev)
{
}

static int genl_test_init(struct kunit *test)
{
	struct ipoib_conn_set *set = kunit_kzalloc(test, sizeof(*set), GFP_KERNEL);
	struct ipoib_dev *idev;

	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, set);
	KUNIT_ASSERT_NOT_NULL(test, world);
	world->dev = alloc_netdev(sizeof(*idev), "genl%d", NET_NAME_ENUM, setup_dev);
	KUNIT_ASSERT_NOT_NULL(test, world->dev);
	idev = netdev_priv(world->dev);
	world->idev = idev;
	world->listens = true;
	world->all_are_ours = true;
	world->ops.name = "InfiniBand";
	world->dev->ifindex = 77;
	spin_lock_init(&world->txq._xmit_lock);
	strscpy(world->ibdev.name, "mlx5_0", sizeof(world->ibdev.name));
	idev->dev = world->dev;
	idev->tx.txq = &world->txq;
	idev->fabric.ibdev = &world->ibdev;
	idev->fabric.ops = &world->ops;
	idev->fabric.port = 2;
	idev->fabric.pkey = 0x8001;
	idev->fabric.link.lid = 9;
	idev->fabric.link.speed = 100000;
	idev->fabric.link.gid.raw[15] = 3;
	idev->fabric.link.state = IPOIB_LINK_NO_SM;
	idev->fabric.link.pkey_entry = 1;
	idev->qp.qpn = 0x123;
	idev->connected = true;
	idev->state = IPOIB_DEV_WAITING;
	idev->broadcast.raw[0] = 0xff;
	idev->max_len = 2044;
	idev->peers.count = 4;
	idev->mcast.count[IPOIB_FULL_MEMBER] = 5;
	idev->conn_set = set;
	set->count = 6;
	idev->recoveries = 7;
	idev->told.state = IPOIB_DEV_WAITING;
	idev->told.link = IPOIB_LINK_NO_SM;
	spin_lock_init(&idev->fabric.lock);
	mutex_init(&idev->lock);
	return 0;
}

static void genl_test_exit(struct kunit *test)
{
	if (!world || !world->dev)
		return;
	kfree_skb(world->last);
	free_netdev(world->dev);
}

static void changed(void)
{
	mutex_lock(&world->idev->lock);
	ipoib_genl_changed(world->idev);
	mutex_unlock(&world->idev->lock);
}

static int get(u32 ifindex)
{
	struct {
		struct nlattr head;
		u32 ifindex;
	} attr = {
		{ .nla_len = nla_attr_size(sizeof(u32)), .nla_type = REQUEST_IFINDEX }, ifindex,
	};
	struct nlattr *attrs[ARRAY_SIZE(policy)] = { [REQUEST_IFINDEX] = &attr.head };
	struct genl_info info = { .attrs = attrs, .snd_portid = 42, .snd_seq = 43 };

	genl_info_net_set(&info, &init_net);
	return interface_get(NULL, &info);
}

static u32 number(unsigned int attr)
{
	const struct nlattr *nla = world->attrs[attr];

	return nla ? nla_get_u32(nla) : U32_MAX;
}

/* ---- cases ------------------------------------------------------------- */

static void all_of_an_interface_is_told(struct kunit *test)
{
	struct nlattr **attrs = world->attrs;

	KUNIT_ASSERT_EQ(test, get(77), 0);
	KUNIT_ASSERT_EQ(test, world->messages, 1);
	KUNIT_EXPECT_EQ(test, world->header->nlmsg_pid, 42);
	KUNIT_EXPECT_EQ(test, world->header->nlmsg_seq, 43);
	KUNIT_EXPECT_EQ(test, world->header->nlmsg_flags, 0);
	KUNIT_EXPECT_EQ(test, number(IPOIB_GENL_INTERFACE_IFINDEX), 77);
	KUNIT_ASSERT_NOT_NULL(test, attrs[IPOIB_GENL_INTERFACE_FABRIC]);
	KUNIT_EXPECT_STREQ(test, nla_data(attrs[IPOIB_GENL_INTERFACE_FABRIC]), "InfiniBand");
	KUNIT_ASSERT_NOT_NULL(test, attrs[IPOIB_GENL_INTERFACE_DEVICE]);
	KUNIT_EXPECT_STREQ(test, nla_data(attrs[IPOIB_GENL_INTERFACE_DEVICE]), "mlx5_0");
	KUNIT_EXPECT_EQ(test, number(IPOIB_GENL_INTERFACE_PORT), 2);
	KUNIT_ASSERT_NOT_NULL(test, attrs[IPOIB_GENL_INTERFACE_PKEY]);
	KUNIT_EXPECT_EQ(test, nla_get_u16(attrs[IPOIB_GENL_INTERFACE_PKEY]), 0x8001);
	KUNIT_ASSERT_NOT_NULL(test, attrs[IPOIB_GENL_INTERFACE_CONNECTED]);
	KUNIT_EXPECT_EQ(test, nla_get_u8(attrs[IPOIB_GENL_INTERFACE_CONNECTED]), 1);
	KUNIT_EXPECT_EQ(test, number(IPOIB_GENL_INTERFACE_QPN), 0x123);
	KUNIT_EXPECT_EQ(test, number(IPOIB_GENL_INTERFACE_FAULT), IPOIB_GENL_FAULT_NO_SM);
	KUNIT_ASSERT_NOT_NULL(test, attrs[IPOIB_GENL_INTERFACE_LIMITED]);
	KUNIT_EXPECT_EQ(test, nla_get_u8(attrs[IPOIB_GENL_INTERFACE_LIMITED]), 1);
	KUNIT_ASSERT_NOT_NULL(test, attrs[IPOIB_GENL_INTERFACE_GID]);
	KUNIT_EXPECT_EQ(test, ((u8 *)nla_data(attrs[IPOIB_GENL_INTERFACE_GID]))[15], 3);
	KUNIT_EXPECT_EQ(test, number(IPOIB_GENL_INTERFACE_LID), 9);
	KUNIT_EXPECT_EQ(test, number(IPOIB_GENL_INTERFACE_SPEED), 100000);
	KUNIT_ASSERT_NOT_NULL(test, attrs[IPOIB_GENL_INTERFACE_STATE]);
	KUNIT_EXPECT_STREQ(test, nla_data(attrs[IPOIB_GENL_INTERFACE_STATE]), "waiting");
	KUNIT_EXPECT_EQ(test, number(IPOIB_GENL_INTERFACE_GROUP_ERROR), 0);
	KUNIT_ASSERT_NOT_NULL(test, attrs[IPOIB_GENL_INTERFACE_REASON]);
	KUNIT_EXPECT_STREQ(test, nla_data(attrs[IPOIB_GENL_INTERFACE_REASON]), "why");
	KUNIT_ASSERT_NOT_NULL(test, attrs[IPOIB_GENL_INTERFACE_BROADCAST]);
	KUNIT_EXPECT_EQ(test, *(u8 *)nla_data(attrs[IPOIB_GENL_INTERFACE_BROADCAST]), 0xff);
	KUNIT_EXPECT_EQ(test, number(IPOIB_GENL_INTERFACE_MTU), 2044);
	KUNIT_EXPECT_EQ(test, number(IPOIB_GENL_INTERFACE_PEERS), 4);
	KUNIT_EXPECT_EQ(test, number(IPOIB_GENL_INTERFACE_GROUPS), 5);
	KUNIT_EXPECT_EQ(test, number(IPOIB_GENL_INTERFACE_CONNECTIONS), 6);
	KUNIT_EXPECT_EQ(test, number(IPOIB_GENL_INTERFACE_RECOVERIES), 7);
	/* With a carrier there is no reason why there is none, and there may be no connections. */
	world->idev->state = IPOIB_DEV_UP;
	world->idev->conn_set = NULL;
	KUNIT_EXPECT_EQ(test, get(77), 0);
	KUNIT_EXPECT_NULL(test, attrs[IPOIB_GENL_INTERFACE_REASON]);
	KUNIT_EXPECT_EQ(test, number(IPOIB_GENL_INTERFACE_CONNECTIONS), 0);
}

static void a_request_that_cannot_be_answered_says_why(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, get(78), -ENODEV);
	world->no_memory = true;
	KUNIT_EXPECT_EQ(test, get(77), -ENOMEM);
	world->no_memory = false;
	world->all_are_ours = false;
	KUNIT_EXPECT_EQ(test, get(77), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, world->messages, 0);
}

static void each_change_is_told_once(struct kunit *test)
{
	struct ipoib_dev *idev = world->idev;

	changed();
	KUNIT_EXPECT_EQ(test, world->messages, 0);
	idev->fabric.link.state = IPOIB_LINK_NO_GID;
	changed();
	changed();
	KUNIT_EXPECT_EQ(test, world->messages, 1);
	KUNIT_EXPECT_EQ(test, number(IPOIB_GENL_INTERFACE_FAULT), IPOIB_GENL_FAULT_NO_GID);
	idev->state = IPOIB_DEV_JOINING;
	changed();
	changed();
	KUNIT_EXPECT_EQ(test, world->messages, 2);
	world->group_error = -ETIMEDOUT;
	changed();
	changed();
	KUNIT_EXPECT_EQ(test, world->messages, 3);
	KUNIT_EXPECT_EQ(test, (int)number(IPOIB_GENL_INTERFACE_GROUP_ERROR), -ETIMEDOUT);
}

static void who_listens_knows_when_one_was_lost(struct kunit *test)
{
	world->no_memory = true;
	world->idev->state = IPOIB_DEV_JOINING;
	changed();
	KUNIT_EXPECT_EQ(test, world->missed, 1);
	/* Where nobody listens nothing is made. */
	world->listens = false;
	world->idev->state = IPOIB_DEV_UP;
	changed();
	KUNIT_EXPECT_EQ(test, world->missed, 1);
	KUNIT_EXPECT_EQ(test, world->messages, 0);
}

static void interfaces_are_told_in_the_order_of_their_numbers(struct kunit *test)
{
	struct net_device *dev, *next;
	unsigned int n = 0, all = 0;
	int last = 0;

	rcu_read_lock();
	for_each_netdev_rcu(&init_net, dev)
		all++;
	rcu_read_unlock();
	while ((next = hold_next(&init_net, last)) && n <= all) {
		KUNIT_EXPECT_GT(test, next->ifindex, last);
		last = next->ifindex;
		dev_put(next);
		n++;
	}
	KUNIT_EXPECT_NULL(test, next);
	KUNIT_EXPECT_EQ(test, n, all);
	world->all_are_ours = false;
	KUNIT_EXPECT_NULL(test, hold_next(&init_net, 0));
}

static void a_dump_goes_on_where_it_stopped(struct kunit *test)
{
	struct sk_buff *request = nlmsg_new(0, GFP_KERNEL);
	struct sk_buff *skb = nlmsg_new(500, GFP_KERNEL);
	struct nlmsghdr nlh = { .nlmsg_seq = 9 };
	struct netlink_callback cb = { .skb = request, .nlh = &nlh };
	struct dump dump = { .skb = skb, .cb = &cb, .cmd = IPOIB_GENL_CMD_PEER_GET, .ifindex = 77 };
	struct ipoib_ah ah = { .dlid = 5, .mtu = 1500 };
	struct ipoib_peer *peer = kunit_kzalloc(test, sizeof(*peer), GFP_KERNEL);
	struct nlattr *attrs[IPOIB_GENL_PEER_MAX + 1];
	long first;

	KUNIT_ASSERT_NOT_NULL(test, request);
	KUNIT_ASSERT_NOT_NULL(test, skb);
	KUNIT_ASSERT_NOT_NULL(test, peer);
	rcu_assign_pointer(peer->ah, &ah);
	rcu_read_lock();
	put_peer(&dump, peer);
	KUNIT_EXPECT_EQ(test, cb.args[0], 1);
	nlmsg_parse_deprecated(nlmsg_hdr(skb), GENL_HDRLEN, attrs, IPOIB_GENL_PEER_MAX, NULL, NULL);
	KUNIT_ASSERT_NOT_NULL(test, attrs[IPOIB_GENL_PEER_DLID]);
	KUNIT_EXPECT_EQ(test, nla_get_u32(attrs[IPOIB_GENL_PEER_DLID]), 5);
	KUNIT_EXPECT_NULL(test, attrs[IPOIB_GENL_PEER_DMAC]);
	KUNIT_ASSERT_NOT_NULL(test, attrs[IPOIB_GENL_PEER_MTU]);
	KUNIT_EXPECT_EQ(test, nla_get_u32(attrs[IPOIB_GENL_PEER_MTU]), 1500);
	while (!dump.full)
		put_peer(&dump, peer);
	first = cb.args[0];
	KUNIT_EXPECT_GT(test, first, 1);
	/* The next message has those that this one has not. */
	skb_trim(skb, 0);
	dump.full = false;
	dump.at = 0;
	while (cb.args[0] == first && dump.at <= first)
		put_peer(&dump, peer);
	KUNIT_EXPECT_EQ(test, cb.args[0], first + 1);
	KUNIT_EXPECT_EQ(test, nlmsg_hdr(skb)->nlmsg_len, skb->len);
	rcu_read_unlock();
	kfree_skb(skb);
	kfree_skb(request);
}

static struct kunit_case genl_test_cases[] = {
	KUNIT_CASE(all_of_an_interface_is_told),
	KUNIT_CASE(a_request_that_cannot_be_answered_says_why),
	KUNIT_CASE(each_change_is_told_once),
	KUNIT_CASE(who_listens_knows_when_one_was_lost),
	KUNIT_CASE(interfaces_are_told_in_the_order_of_their_numbers),
	KUNIT_CASE(a_dump_goes_on_where_it_stopped),
	{}
};

static struct kunit_suite genl_test_suite = {
	.name = "ipoib_genl",
	.init = genl_test_init,
	.exit = genl_test_exit,
	.test_cases = genl_test_cases,
};

kunit_test_suite(genl_test_suite);

MODULE_DESCRIPTION("Tests of what IPoIB tells by netlink");
MODULE_LICENSE("GPL");
