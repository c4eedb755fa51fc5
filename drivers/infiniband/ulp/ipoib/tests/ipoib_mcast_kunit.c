// SPDX-License-Identifier: GPL-2.0
/*
 * Which groups a set asks for, keeps and leaves, and how packets reach a group: with a fabric
 * that answers when it is told to.
 */
#include <kunit/test.h>
#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <net/addrconf.h>

#include "../device.h"
#include "../trace.h"

/* When the work would run next; 0 if it was told to run at once, -1 if it need not. */
static long next_run;

static bool queue(unsigned long delay)
{
	if (next_run >= 0)
		return false;
	next_run = delay;
	return true;
}

static bool requeue(unsigned long delay)
{
	bool pending = next_run >= 0;

	next_run = delay;
	return pending;
}

#define queue_delayed_work(_wq, _work, _delay)	queue(_delay)
#define mod_delayed_work(_wq, _work, _delay)	requeue(_delay)
#define trace_ipoib_mcast_state(...)		((void)0)
#define rdma_copy_ah_attr(_to, _from)		(*(_to) = *(_from))
#define rdma_replace_ah_attr(_to, _from)	(*(_to) = *(_from))
#define rdma_destroy_ah_attr(_attr)		((void)(_attr))
#include "../mcast.c"
#include "../mcast_set.c"

#include "../addr.c"
#include "../backoff.c"
#include "../fsm.c"

#define PKEY	0x8001
#define REQS	16

/* A request, which is answered when the test says so. */
struct req {
	struct ipoib_request base;
	struct ipoib_request_owner owner;
	union ib_gid mgid;
	enum ipoib_membership membership;
	bool create;
	bool is_find;
	bool is_list;
	bool open;
};

/**
 * struct world - an interface with a set, and what the set has asked for
 * @idev: the interface
 * @dev: its net_device
 * @ops: its fabric
 * @reqs: requests that have not ended
 * @asked: requests so far
 * @fails: no request can be made
 * @users: a program has joined all groups
 * @attached: groups to which the queue pair is attached
 * @groups: groups that there are
 * @kicks: how often the interface was told of the broadcast group
 * @answers: answers to senders
 * @answer: the last one
 * @mlid: what the last one leads to
 * @opening: to a group that switches may not know yet
 * @holds: references of senders
 */
static struct world {
	struct ipoib_dev *idev;
	struct net_device *dev;
	struct ipoib_fabric_ops ops;
	struct req reqs[REQS];
	unsigned int asked;
	bool fails;
	bool users;
	int attached;
	int groups;
	unsigned int kicks;
	unsigned int answers;
	int answer;
	u16 mlid;
	bool opening;
	int holds;
} *world;

static struct ipoib_mcast_set *set;

/* ---- what the two files call of the driver ----------------------------- */

void ipoib_object_created(enum ipoib_object kind)
{
	world->groups++;
}

void ipoib_object_destroyed(enum ipoib_object kind)
{
	world->groups--;
}

void ipoib_dev_kick(struct ipoib_dev *idev, enum ipoib_dev_pending what)
{
	world->kicks++;
}

void ipoib_peer_hold(struct ipoib_peer *peer)
{
	world->holds++;
}

void ipoib_peer_put(struct ipoib_peer *peer)
{
	world->holds--;
}

bool ipoib_peertable_remove(struct ipoib_peertable *table, struct ipoib_peer *peer)
{
	ipoib_mcast_set_forget(set, peer);
	return true;
}

void ipoib_peer_answer(struct ipoib_peer *peer, int err, const struct ipoib_route *route)
{
	world->answers++;
	world->answer = err;
	world->mlid = err ? 0 : route->mlid;
	world->opening = !err && route->opening;
}

int ipoib_qp_attach(struct ipoib_qp *qp, union ib_gid *mgid, u16 mlid)
{
	world->attached++;
	return 0;
}

int ipoib_qp_detach(struct ipoib_qp *qp, union ib_gid *mgid, u16 mlid)
{
	world->attached--;
	return 0;
}

static struct req *new_req(const struct ipoib_request_owner *owner)
{
	unsigned int i;

	if (world->fails)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < REQS && world->reqs[i].open; i++)
		;
	if (i == REQS)
		return ERR_PTR(-ENOMEM);
	world->asked++;
	world->reqs[i] = (struct req){ .owner = *owner, .open = true };
	return &world->reqs[i];
}

static struct ipoib_request *join(struct ipoib_fabric *fabric, const union ib_gid *mgid,
				  enum ipoib_membership membership, bool create,
				  const struct ipoib_request_owner *owner)
{
	struct req *req = new_req(owner);

	if (IS_ERR(req))
		return ERR_CAST(req);
	req->mgid = *mgid;
	req->membership = membership;
	req->create = create;
	return &req->base;
}

static struct ipoib_request *find_group(struct ipoib_fabric *fabric, const union ib_gid *mgid,
					const struct ipoib_request_owner *owner)
{
	struct req *req = new_req(owner);

	if (IS_ERR(req))
		return ERR_CAST(req);
	req->mgid = *mgid;
	req->is_find = true;
	return &req->base;
}

static struct ipoib_request *list_groups(struct ipoib_fabric *fabric,
					 const struct ipoib_request_owner *owner)
{
	struct req *req = new_req(owner);

	if (IS_ERR(req))
		return ERR_CAST(req);
	req->is_list = true;
	return &req->base;
}

/* Each is released as soon as it ends, by who has called us with a lock: after that. */
void ipoib_request_end(struct ipoib_request *base)
{
	struct req *req = container_of(base, struct req, base);

	req->open = false;
	req->owner.release(req->owner.ctx);
}

static bool is_users(struct ipoib_fabric *fabric, const union ib_gid *mgid)
{
	return world->users;
}

/* ---- groups, and what becomes of them ---------------------------------- */

/* Group @n of IPv6 on the link; 1 is that of all nodes, and 0 the broadcast group. */
static union ib_gid mgid_of(unsigned int n)
{
	struct in6_addr group = { .s6_addr = { 0xff, 0x02 } };
	union ib_gid mgid;

	group.s6_addr32[3] = cpu_to_be32(n);
	if (n)
		ipoib_mgid_ipv6(&mgid, IPOIB_SCOPE_LINK, PKEY, &group);
	else
		ipoib_mgid_broadcast(&mgid, IPOIB_SCOPE_LINK, PKEY);
	return mgid;
}

static struct ipoib_mcast *group_of(const union ib_gid *mgid)
{
	struct ipoib_mcast *group;

	spin_lock_bh(&set->lock);
	group = find(set, mgid);
	spin_unlock_bh(&set->lock);
	return group;
}

static struct ipoib_mcast *group(unsigned int n)
{
	union ib_gid mgid = mgid_of(n);

	return group_of(&mgid);
}

static void run(void)
{
	next_run = -1;
	mcast_set_work(&set->work.work);
}

/* The open request for a group, or for the list of all of them. */
static struct req *request(const union ib_gid *mgid, bool is_find)
{
	unsigned int i;

	for (i = 0; i < REQS; i++) {
		struct req *req = &world->reqs[i];

		if (req->open && !req->is_list && req->is_find == is_find &&
		    !memcmp(&req->mgid, mgid, sizeof(*mgid)))
			return req;
	}
	return NULL;
}

static struct req *list_request(void)
{
	unsigned int i;

	for (i = 0; i < REQS; i++)
		if (world->reqs[i].open && world->reqs[i].is_list)
			return &world->reqs[i];
	return NULL;
}

static void answer_req(struct kunit *test, struct req *req, int err,
		       const struct ipoib_route *route)
{
	KUNIT_ASSERT_NOT_NULL(test, req);
	req->owner.done(req->owner.ctx, err, err ? NULL : route);
	run();
}

/* The fabric answers, and the set takes notice of it; groups have the LID of their number. */
static void answer_gid(struct kunit *test, const union ib_gid *mgid, bool is_find, int err,
		       u16 mlid)
{
	const struct ipoib_route route = { .mlid = mlid, .mtu = 2044, .qkey = 0xb1b };

	answer_req(test, request(mgid, is_find), err, &route);
}

static void answer_route(struct kunit *test, const union ib_gid *mgid, bool is_find,
			 const struct ipoib_route *route)
{
	answer_req(test, request(mgid, is_find), 0, route);
}

static void answer(struct kunit *test, unsigned int n, int err)
{
	union ib_gid mgid = mgid_of(n);

	answer_gid(test, &mgid, false, err, 0xc000 + n);
}

static void start(struct kunit *test, bool search)
{
	union ib_gid broadcast = mgid_of(0);

	mutex_lock(&world->idev->lock);
	KUNIT_EXPECT_EQ(test, ipoib_mcast_set_start(set, &broadcast, search), 0);
	mutex_unlock(&world->idev->lock);
	run();
}

static void setup_dev(struct net_device *dev)
{
	dev->addr_len = INFINIBAND_ALEN;
}

static int mcast_test_init(struct kunit *test)
{
	struct ipoib_dev *idev = kunit_kzalloc(test, sizeof(*idev), GFP_KERNEL);

	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, idev);
	KUNIT_ASSERT_NOT_NULL(test, world);
	world->dev = alloc_netdev(0, "mcast%d", NET_NAME_ENUM, setup_dev);
	KUNIT_ASSERT_NOT_NULL(test, world->dev);
	spin_lock_init(&world->dev->addr_list_lock);
	world->idev = idev;
	world->ops.group = join;
	world->ops.find = find_group;
	world->ops.list = list_groups;
	world->ops.is_users = is_users;
	idev->dev = world->dev;
	idev->fabric.ops = &world->ops;
	mutex_init(&idev->lock);
	ipoib_usecnt_init(&idev->users);
	set = &idev->mcast;
	ipoib_mcast_set_init(set);
	return 0;
}

/* Nothing is left. */
static void mcast_test_exit(struct kunit *test)
{
	unsigned int i;

	if (!world || !world->dev)
		return;
	mutex_lock(&world->idev->lock);
	ipoib_mcast_set_stop(set);
	mutex_unlock(&world->idev->lock);
	ipoib_mcast_set_exit(set);
	for (i = 0; i < REQS; i++)
		KUNIT_EXPECT_FALSE(test, world->reqs[i].open);
	KUNIT_EXPECT_EQ(test, world->groups, 0);
	KUNIT_EXPECT_EQ(test, world->attached, 0);
	KUNIT_EXPECT_EQ(test, world->holds, 0);
	KUNIT_EXPECT_EQ(test, ipoib_mcast_set_count(set), 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&world->idev->users.count), 1);
	RCU_INIT_POINTER(world->dev->ip6_ptr, NULL);
	dev_mc_flush(world->dev);
	free_netdev(world->dev);
}

/* The interface listens to a group, or does no more. */
/* The stack puts a group on the multicast list, or takes it off. */
static void put_on_list(const union ib_gid *mgid, bool on)
{
	u8 addr[INFINIBAND_ALEN] = { 0, 0xff, 0xff, 0xff };

	memcpy(addr + 4, mgid, sizeof(*mgid));
	if (on)
		dev_mc_add(world->dev, addr);
	else
		dev_mc_del(world->dev, addr);
}

static void listen_to(const union ib_gid *mgid, bool on)
{
	put_on_list(mgid, on);
	run();
}

static void listen(unsigned int n, bool on)
{
	union ib_gid mgid = mgid_of(n);

	listen_to(&mgid, on);
}

/* Who sends to a group. */
static int send_gid(struct ipoib_peer *peer, const union ib_gid *mgid)
{
	int err;

	spin_lock_init(&peer->lock);
	peer->used = jiffies;
	peer->addr.flags_qpn = cpu_to_be32(IB_MULTICAST_QPN);
	memcpy(peer->addr.gid, mgid, sizeof(*mgid));
	spin_lock_bh(&peer->lock);
	err = ipoib_mcast_set_ask(set, peer);
	spin_unlock_bh(&peer->lock);
	if (!err)
		run();
	return err;
}

static int send(struct ipoib_peer *peer, unsigned int n)
{
	union ib_gid mgid = mgid_of(n);

	return send_gid(peer, &mgid);
}

static struct ipoib_peer *sender(struct kunit *test)
{
	struct ipoib_peer *peer = kunit_kzalloc(test, sizeof(*peer), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, peer);
	return peer;
}

/* The broadcast group is there. */
static void start_joined(struct kunit *test)
{
	start(test, false);
	answer(test, 0, 0);
}

/* Every retry is due. */
static void let_time_pass(void)
{
	struct ipoib_mcast *group;

	spin_lock_bh(&set->lock);
	list_for_each_entry(group, &set->groups, entry) {
		group->retry_at = jiffies;
		group->checked_at = jiffies - CHECK_DELAY;
	}
	set->list_at = jiffies;
	spin_unlock_bh(&set->lock);
	run();
}

/* ---- the broadcast group ----------------------------------------------- */

static void the_broadcast_group_is_first(struct kunit *test)
{
	struct ipoib_mcast_set_link link = {};

	listen(1, true);
	KUNIT_EXPECT_EQ(test, world->asked, 0);
	start(test, false);
	KUNIT_EXPECT_EQ(test, world->asked, 1);
	KUNIT_EXPECT_FALSE(test, ipoib_mcast_set_link(set, &link));
	answer(test, 0, 0);
	KUNIT_EXPECT_EQ(test, world->kicks, 1);
	KUNIT_EXPECT_TRUE(test, ipoib_mcast_set_link(set, &link));
	KUNIT_EXPECT_EQ(test, link.mtu, 2044);
	KUNIT_EXPECT_EQ(test, link.qkey, 0xb1b);
	KUNIT_EXPECT_EQ(test, link.broadcast.global.subnet_prefix,
			mgid_of(0).global.subnet_prefix);
	KUNIT_EXPECT_EQ(test, world->asked, 2);
	KUNIT_EXPECT_EQ(test, group(1)->state, IPOIB_MCAST_JOINING);
	KUNIT_EXPECT_EQ(test, world->attached, 1);
	answer(test, 1, 0);
	KUNIT_EXPECT_EQ(test, world->attached, 2);
	KUNIT_EXPECT_EQ(test, world->kicks, 1);
}

static void a_stopped_set_has_no_link(struct kunit *test)
{
	struct ipoib_mcast_set_link link;

	start_joined(test);
	mutex_lock(&world->idev->lock);
	ipoib_mcast_set_stop(set);
	mutex_unlock(&world->idev->lock);
	KUNIT_EXPECT_FALSE(test, ipoib_mcast_set_link(set, &link));
	KUNIT_EXPECT_EQ(test, world->attached, 0);
	/* It begins again from the beginning. */
	listen(1, true);
	start(test, false);
	KUNIT_EXPECT_EQ(test, group(1)->state, IPOIB_MCAST_IDLE);
}

static void why_it_is_not_joined_is_known(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ipoib_mcast_set_error(set), 0);
	start(test, false);
	KUNIT_EXPECT_EQ(test, ipoib_mcast_set_error(set), 0);
	answer(test, 0, -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, ipoib_mcast_set_error(set), -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, group(0)->failures, 1);
	KUNIT_EXPECT_GT(test, next_run, 0);
	let_time_pass();
	answer(test, 0, 0);
	KUNIT_EXPECT_EQ(test, ipoib_mcast_set_error(set), 0);
	KUNIT_EXPECT_EQ(test, group(0)->failures, 0);
}

static void scope_is(struct kunit *test, u8 scope)
{
	KUNIT_EXPECT_EQ(test, ipoib_mgid_scope(&set->broadcast), scope);
	KUNIT_EXPECT_EQ(test, world->groups, 1);
	KUNIT_EXPECT_NOT_NULL(test, request(&set->broadcast, false));
}

static void wider_scopes_are_tried_at_once_and_then_from_the_beginning(struct kunit *test)
{
	static const u8 order[] = {
		IPOIB_SCOPE_LINK, IPOIB_SCOPE_SITE, IPOIB_SCOPE_ORG, IPOIB_SCOPE_GLOBAL,
	};
	unsigned int i;

	start(test, true);
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		scope_is(test, order[i]);
		answer_gid(test, &set->broadcast, false, -ENOENT, 0);
	}
	KUNIT_EXPECT_EQ(test, ipoib_mgid_scope(&set->broadcast), IPOIB_SCOPE_GLOBAL);
	KUNIT_EXPECT_NULL(test, request(&set->broadcast, false));
	KUNIT_EXPECT_GT(test, next_run, 0);
	let_time_pass();
	scope_is(test, IPOIB_SCOPE_LINK);
	KUNIT_EXPECT_EQ(test, group_of(&set->broadcast)->failures, 4);
	/* Another failure is no reason to look elsewhere. */
	answer_gid(test, &set->broadcast, false, -ETIMEDOUT, 0);
	KUNIT_EXPECT_EQ(test, ipoib_mgid_scope(&set->broadcast), IPOIB_SCOPE_LINK);
	let_time_pass();
	answer_gid(test, &set->broadcast, false, 0, 0xc000);
	KUNIT_EXPECT_EQ(test, ipoib_mgid_scope(&set->broadcast), IPOIB_SCOPE_LINK);
}

static void a_scope_that_was_chosen_stays(struct kunit *test)
{
	start(test, false);
	answer(test, 0, -ENOENT);
	KUNIT_EXPECT_EQ(test, ipoib_mgid_scope(&set->broadcast), IPOIB_SCOPE_LINK);
	KUNIT_EXPECT_NULL(test, request(&set->broadcast, false));
}

/* ---- groups that are listened to --------------------------------------- */

static void a_group_is_left_when_nobody_listens_any_more(struct kunit *test)
{
	start_joined(test);
	listen(7, true);
	KUNIT_EXPECT_EQ(test, group(7)->membership, IPOIB_FULL_MEMBER);
	answer(test, 7, 0);
	KUNIT_EXPECT_EQ(test, world->attached, 2);
	listen(7, false);
	KUNIT_EXPECT_NULL(test, group(7));
	KUNIT_EXPECT_EQ(test, world->attached, 1);
	KUNIT_EXPECT_EQ(test, world->groups, 1);
	/* The answer comes too late for one that is left before. */
	listen(8, true);
	listen(8, false);
	KUNIT_EXPECT_EQ(test, world->groups, 1);
}

static void one_that_cannot_be_asked_for_is_asked_for_later(struct kunit *test)
{
	start_joined(test);
	world->fails = true;
	listen(7, true);
	KUNIT_EXPECT_EQ(test, group(7)->state, IPOIB_MCAST_BACKOFF);
	KUNIT_EXPECT_EQ(test, group(7)->open, 0);
	KUNIT_EXPECT_GT(test, next_run, 0);
	world->fails = false;
	let_time_pass();
	answer(test, 7, 0);
	KUNIT_EXPECT_EQ(test, group(7)->state, IPOIB_MCAST_JOINED);
}

static void with_umcast_a_group_is_left_to_the_program_that_joined_it(struct kunit *test)
{
	start_joined(test);
	listen(7, true);
	answer(test, 7, 0);
	world->idev->umcast = true;
	world->users = true;
	listen(8, true);
	KUNIT_EXPECT_NULL(test, group(8));
	KUNIT_EXPECT_EQ(test, next_run, LEFT_DELAY);
	/* What was joined before stays. */
	KUNIT_EXPECT_EQ(test, group(7)->state, IPOIB_MCAST_JOINED);
	world->users = false;
	run();
	KUNIT_EXPECT_NOT_NULL(test, group(8));
	KUNIT_EXPECT_EQ(test, next_run, -1);
	world->idev->umcast = false;
	world->users = true;
	listen(9, true);
	KUNIT_EXPECT_NOT_NULL(test, group(9));
}

static bool room_for(unsigned int n, enum ipoib_membership membership)
{
	union ib_gid mgid = mgid_of(n);
	bool has;

	spin_lock_bh(&set->lock);
	has = has_room(set, &mgid, membership);
	spin_unlock_bh(&set->lock);
	return has;
}

static void places_are_kept_for_low_groups_and_for_own_addresses(struct kunit *test)
{
	const unsigned int low = IPOIB_MAX_MEMBER_GROUPS - IPOIB_KEPT_OWN_GROUPS;
	struct inet6_dev *in6_dev = kunit_kzalloc(test, sizeof(*in6_dev), GFP_KERNEL);
	struct inet6_ifaddr *ifa = kunit_kzalloc(test, sizeof(*ifa), GFP_KERNEL);
	/* ff02::1:ff00:7 is the solicited-node group of fe80::7. */
	union ib_gid solicited = mgid_of(7);
	unsigned int *count = &set->count[IPOIB_FULL_MEMBER], was;

	KUNIT_ASSERT_NOT_NULL(test, in6_dev);
	KUNIT_ASSERT_NOT_NULL(test, ifa);
	start_joined(test);
	was = *count;
	*count = low - IPOIB_KEPT_LOW_GROUPS - 1;
	KUNIT_EXPECT_TRUE(test, room_for(0x100, IPOIB_FULL_MEMBER));
	++*count;
	KUNIT_EXPECT_FALSE(test, room_for(0x100, IPOIB_FULL_MEMBER));
	KUNIT_EXPECT_TRUE(test, room_for(0xff, IPOIB_FULL_MEMBER));
	*count = low - 1;
	KUNIT_EXPECT_TRUE(test, room_for(0xff, IPOIB_FULL_MEMBER));
	++*count;
	KUNIT_EXPECT_FALSE(test, room_for(0xff, IPOIB_FULL_MEMBER));
	KUNIT_EXPECT_TRUE(test, room_for(0, IPOIB_FULL_MEMBER));

	INIT_LIST_HEAD(&in6_dev->addr_list);
	ifa->addr.s6_addr[15] = 7;
	list_add(&ifa->if_list, &in6_dev->addr_list);
	solicited.raw[11] = 1;
	solicited.raw[12] = 0xff;
	spin_lock_bh(&set->lock);
	KUNIT_EXPECT_FALSE(test, has_room(set, &solicited, IPOIB_FULL_MEMBER));
	rcu_assign_pointer(world->dev->ip6_ptr, in6_dev);
	KUNIT_EXPECT_TRUE(test, has_room(set, &solicited, IPOIB_FULL_MEMBER));
	*count = IPOIB_MAX_MEMBER_GROUPS - 1;
	KUNIT_EXPECT_TRUE(test, has_room(set, &solicited, IPOIB_FULL_MEMBER));
	++*count;
	KUNIT_EXPECT_FALSE(test, has_room(set, &solicited, IPOIB_FULL_MEMBER));
	spin_unlock_bh(&set->lock);
	KUNIT_EXPECT_TRUE(test, room_for(0, IPOIB_FULL_MEMBER));
	*count = was;
}

static void there_is_room_for_so_many_of_each_kind(struct kunit *test)
{
	static const unsigned int most[] = {
		[IPOIB_SEND_ONLY] = IPOIB_MAX_SEND_GROUPS,
		[IPOIB_NON_MEMBER] = IPOIB_MAX_HEARD_GROUPS,
	};
	unsigned int i, was;

	start_joined(test);
	for (i = 0; i < ARRAY_SIZE(most); i++) {
		was = set->count[i];
		set->count[i] = most[i] - 1;
		KUNIT_EXPECT_TRUE(test, room_for(7, i));
		set->count[i]++;
		KUNIT_EXPECT_FALSE(test, room_for(7, i));
		set->count[i] = was;
	}
}

static void a_group_without_room_is_added_later(struct kunit *test)
{
	unsigned int was;

	start_joined(test);
	was = set->count[IPOIB_FULL_MEMBER];
	set->count[IPOIB_FULL_MEMBER] = IPOIB_MAX_MEMBER_GROUPS;
	listen(7, true);
	KUNIT_EXPECT_NULL(test, group(7));
	KUNIT_EXPECT_EQ(test, next_run, NO_ROOM_DELAY);
	set->count[IPOIB_FULL_MEMBER] = was;
	run();
	KUNIT_EXPECT_NOT_NULL(test, group(7));
	KUNIT_EXPECT_EQ(test, next_run, -1);
}

/* Any program can lengthen the list that is looked at. */
static void a_long_list_is_looked_at_now_and_then(struct kunit *test)
{
	start_joined(test);
	next_run = NO_ROOM_DELAY;
	world->dev->mc.count = MANY_LISTED + 1;
	set->swept_at = jiffies - HZ / 8;
	ipoib_mcast_set_sync(set);
	KUNIT_EXPECT_GT(test, next_run, 0);
	KUNIT_EXPECT_LE(test, next_run, MANY_DELAY - HZ / 8);
	set->swept_at = jiffies + 100 * HZ;
	ipoib_mcast_set_sync(set);
	KUNIT_EXPECT_EQ(test, next_run, MANY_DELAY);
	set->swept_at = jiffies - MANY_DELAY;
	ipoib_mcast_set_sync(set);
	KUNIT_EXPECT_EQ(test, next_run, 0);
	world->dev->mc.count = MANY_LISTED;
	set->swept_at = jiffies;
	ipoib_mcast_set_sync(set);
	KUNIT_EXPECT_EQ(test, next_run, 0);
	world->dev->mc.count = 0;
}

/* ---- groups that are sent to ------------------------------------------- */

static void a_sender_is_told_of_the_route(struct kunit *test)
{
	struct ipoib_peer *peer = sender(test);

	KUNIT_EXPECT_EQ(test, send(peer, 7), -ENETDOWN);
	start_joined(test);
	KUNIT_EXPECT_EQ(test, send(peer, 7), 0);
	KUNIT_EXPECT_EQ(test, group(7)->membership, IPOIB_SEND_ONLY);
	KUNIT_EXPECT_EQ(test, world->answers, 0);
	answer(test, 7, 0);
	KUNIT_EXPECT_EQ(test, world->answers, 1);
	KUNIT_EXPECT_EQ(test, world->mlid, 0xc007);
	KUNIT_EXPECT_EQ(test, world->attached, 1);
	/* Who asks again is told at once, and once. */
	KUNIT_EXPECT_EQ(test, send(peer, 7), 0);
	KUNIT_EXPECT_EQ(test, world->answers, 2);
	KUNIT_EXPECT_EQ(test, world->holds, 1);
	ipoib_mcast_set_forget(set, peer);
	run();
	KUNIT_EXPECT_NULL(test, group(7));
	KUNIT_EXPECT_EQ(test, world->holds, 0);
}

static void switches_learn_of_a_group_after_its_sender(struct kunit *test)
{
	struct ipoib_peer *peer = sender(test);

	world->ops.opens_late = true;
	start_joined(test);
	send(peer, 7);
	answer(test, 7, 0);
	KUNIT_EXPECT_TRUE(test, world->opening);
	group(7)->joined_at = jiffies - OPENING_TIME + HZ;
	send(peer, 7);
	KUNIT_EXPECT_TRUE(test, world->opening);
	group(7)->joined_at = jiffies - OPENING_TIME;
	send(peer, 7);
	KUNIT_EXPECT_EQ(test, world->answers, 3);
	KUNIT_EXPECT_FALSE(test, world->opening);
	/* They know the broadcast group, for it is there before all others. */
	send(sender(test), 0);
	KUNIT_EXPECT_EQ(test, world->mlid, 0xc000);
	KUNIT_EXPECT_FALSE(test, world->opening);
}

static void where_groups_open_at_once_they_are_open(struct kunit *test)
{
	start_joined(test);
	send(sender(test), 7);
	answer(test, 7, 0);
	KUNIT_EXPECT_EQ(test, world->answers, 1);
	KUNIT_EXPECT_FALSE(test, world->opening);
}

static void an_answer_is_not_given_to_who_has_gone(struct kunit *test)
{
	struct ipoib_peer *peer = sender(test);
	union ib_gid mgid = mgid_of(7);
	struct req *req;

	start_joined(test);
	send(peer, 7);
	req = request(&mgid, false);
	KUNIT_ASSERT_NOT_NULL(test, req);
	req->owner.done(req->owner.ctx, -ETIMEDOUT, NULL);
	ipoib_mcast_set_forget(set, sender(test));
	KUNIT_EXPECT_PTR_EQ(test, group(7)->peer, peer);
	ipoib_mcast_set_forget(set, peer);
	KUNIT_EXPECT_EQ(test, group(7)->pending, 0);
	run();
	KUNIT_EXPECT_EQ(test, world->answers, 0);
}

static void nobody_sends_to_a_group_of_another_link(struct kunit *test)
{
	union ib_gid mgid = mgid_of(7);

	start_joined(test);
	mgid.raw[4] = 0x12;
	KUNIT_EXPECT_EQ(test, send_gid(sender(test), &mgid), -EADDRNOTAVAIL);
	KUNIT_EXPECT_EQ(test, world->groups, 1);
}

static void who_listens_later_takes_the_sender_along(struct kunit *test)
{
	struct ipoib_peer *peer = sender(test);

	start_joined(test);
	send(peer, 7);
	answer(test, 7, 0);
	listen(7, true);
	KUNIT_EXPECT_EQ(test, group(7)->membership, IPOIB_FULL_MEMBER);
	KUNIT_EXPECT_PTR_EQ(test, group(7)->peer, peer);
	answer(test, 7, 0);
	KUNIT_EXPECT_EQ(test, world->answers, 2);
	KUNIT_EXPECT_EQ(test, world->attached, 2);
	listen(7, false);
	KUNIT_EXPECT_EQ(test, group(7)->membership, IPOIB_SEND_ONLY);
	KUNIT_EXPECT_EQ(test, world->attached, 1);
	KUNIT_EXPECT_EQ(test, world->holds, 1);
}

static void several_groups_are_replaced_at_once(struct kunit *test)
{
	static const unsigned int listened[] = { 7, 8, 10 };
	struct ipoib_mcast *one;
	struct ipoib_peer *peers[3];
	unsigned int i, groups = 0;
	union ib_gid mgid;

	start_joined(test);
	for (i = 0; i < 3; i++) {
		peers[i] = sender(test);
		send(peers[i], 7 + i);
		answer(test, 7 + i, 0);
	}
	for (i = 0; i < 3; i++) {
		mgid = mgid_of(listened[i]);
		put_on_list(&mgid, true);
	}
	run();
	KUNIT_EXPECT_EQ(test, group(7)->membership, IPOIB_FULL_MEMBER);
	KUNIT_EXPECT_EQ(test, group(8)->membership, IPOIB_FULL_MEMBER);
	KUNIT_EXPECT_EQ(test, group(9)->membership, IPOIB_SEND_ONLY);
	KUNIT_EXPECT_EQ(test, group(10)->membership, IPOIB_FULL_MEMBER);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_PTR_EQ(test, group(7 + i)->peer, peers[i]);
	KUNIT_EXPECT_EQ(test, set->count[IPOIB_FULL_MEMBER], 4);
	KUNIT_EXPECT_EQ(test, set->count[IPOIB_SEND_ONLY], 1);
	list_for_each_entry(one, &set->groups, entry)
		groups++;
	KUNIT_EXPECT_EQ(test, groups, 5);
}

static void what_does_not_exist_goes_to_all_routers_or_to_all(struct kunit *test)
{
	struct ipoib_peer *peer = sender(test);
	union ib_gid mgid = mgid_of(7), routers;

	ipoib_mgid_all_routers(&routers, &mgid);
	start_joined(test);
	send(peer, 7);
	answer(test, 7, -ENOENT);
	KUNIT_EXPECT_EQ(test, world->answer, -ENOENT);
	KUNIT_EXPECT_NOT_NULL(test, group_of(&routers));
	answer_gid(test, &routers, false, -ENOENT, 0);
	KUNIT_EXPECT_EQ(test, world->answer, -ENOENT);
	ipoib_mcast_set_to_broadcast(set, true);
	KUNIT_EXPECT_EQ(test, next_run, 0);
	run();
	KUNIT_EXPECT_EQ(test, world->answer, 0);
	KUNIT_EXPECT_EQ(test, world->mlid, 0xc000);
	ipoib_mcast_set_to_broadcast(set, false);
	run();
	KUNIT_EXPECT_EQ(test, world->answer, -ENOENT);
	/* Routers come. Who listens to no group is not asked by way of all others. */
	world->ops.opens_late = true;
	group(7)->joined_at = jiffies;
	let_time_pass();
	answer_gid(test, &routers, false, 0, 0xcaaa);
	KUNIT_EXPECT_EQ(test, world->answer, 0);
	KUNIT_EXPECT_EQ(test, world->mlid, 0xcaaa);
	KUNIT_EXPECT_FALSE(test, world->opening);
	/* Nobody needs them any more when there is the group itself. */
	answer(test, 7, 0);
	KUNIT_EXPECT_EQ(test, world->mlid, 0xc007);
	run();
	KUNIT_EXPECT_NULL(test, group_of(&routers));
}

static void a_refused_group_does_not_go_elsewhere(struct kunit *test)
{
	start_joined(test);
	ipoib_mcast_set_to_broadcast(set, true);
	send(sender(test), 7);
	answer(test, 7, -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, world->answer, -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, world->groups, 2);
}

static void the_idlest_senders_make_room(struct kunit *test)
{
	unsigned int n;

	start_joined(test);
	world->fails = true;
	for (n = 2; n < IPOIB_KEEP_SEND_GROUPS + 4; n++) {
		struct ipoib_peer *peer = sender(test);

		send(peer, n);
		peer->used = jiffies - 10 * HZ;
	}
	KUNIT_EXPECT_EQ(test, set->count[IPOIB_SEND_ONLY], IPOIB_KEEP_SEND_GROUPS);
	group(100)->peer->used = jiffies - 20 * HZ;
	group(200)->peer->used = jiffies - 30 * HZ;
	send(sender(test), 1000);
	KUNIT_EXPECT_EQ(test, set->count[IPOIB_SEND_ONLY], IPOIB_KEEP_SEND_GROUPS);
	KUNIT_EXPECT_NULL(test, group(200));
	KUNIT_EXPECT_NOT_NULL(test, group(100));
	/* Those whose group does not exist go first, and not the one that has just come. */
	group(300)->last_error = -ENOENT;
	send(sender(test), 1001);
	KUNIT_EXPECT_NULL(test, group(300));
	KUNIT_EXPECT_NOT_NULL(test, group(100));
	KUNIT_EXPECT_NOT_NULL(test, group(1001));
	KUNIT_EXPECT_EQ(test, set->count[IPOIB_SEND_ONLY], IPOIB_KEEP_SEND_GROUPS);
}

/* ---- groups that are joined anew --------------------------------------- */

static void a_report_of_deletion_is_not_believed_but_checked(struct kunit *test)
{
	union ib_gid mgid = mgid_of(7);

	start_joined(test);
	send(sender(test), 7);
	answer(test, 7, 0);
	ipoib_mcast_set_report(set, IPOIB_REPORT_NO_GROUP, &mgid);
	KUNIT_ASSERT_NOT_NULL(test, request(&mgid, true));
	KUNIT_EXPECT_EQ(test, group(7)->state, IPOIB_MCAST_JOINED);
	/* Nobody knows: it is asked once more, a second later. */
	answer_gid(test, &mgid, true, -ETIMEDOUT, 0);
	KUNIT_EXPECT_NULL(test, request(&mgid, true));
	KUNIT_EXPECT_GT(test, next_run, 0);
	KUNIT_EXPECT_LE(test, next_run, CHECK_DELAY);
	let_time_pass();
	answer_gid(test, &mgid, true, -ENOENT, 0);
	KUNIT_EXPECT_EQ(test, group(7)->state, IPOIB_MCAST_BACKOFF);
	KUNIT_EXPECT_NULL(test, group(7)->req);
	/* Its route stays for so long. */
	KUNIT_EXPECT_TRUE(test, group(7)->routed);
	KUNIT_EXPECT_EQ(test, world->answers, 1);
	let_time_pass();
	answer(test, 7, -ENOENT);
	KUNIT_EXPECT_FALSE(test, group(7)->routed);
	KUNIT_EXPECT_EQ(test, world->answer, -ENOENT);
}

static void a_group_that_has_another_lid_is_another_one(struct kunit *test)
{
	union ib_gid mgid = mgid_of(7);

	start_joined(test);
	listen(7, true);
	answer(test, 7, 0);
	/* A full member keeps it alive, so it was not deleted. */
	ipoib_mcast_set_report(set, IPOIB_REPORT_NO_GROUP, &mgid);
	answer_gid(test, &mgid, true, 0, 0xc007);
	KUNIT_EXPECT_EQ(test, group(7)->state, IPOIB_MCAST_JOINED);
	KUNIT_EXPECT_EQ(test, group(7)->pending, 0);
	let_time_pass();
	ipoib_mcast_set_report(set, IPOIB_REPORT_NO_GROUP, &mgid);
	answer_gid(test, &mgid, true, 0, 0xc888);
	KUNIT_EXPECT_EQ(test, group(7)->state, IPOIB_MCAST_BACKOFF);
	let_time_pass();
	KUNIT_EXPECT_EQ(test, world->attached, 2);
	answer_gid(test, &mgid, false, 0, 0xc888);
	KUNIT_EXPECT_EQ(test, world->attached, 2);
	KUNIT_EXPECT_EQ(test, group(7)->route.mlid, 0xc888);
}

static void a_group_of_which_the_sa_says_something_else_is_another_one(struct kunit *test)
{
	struct ipoib_route said = { .mlid = 0xc000, .mtu = 2044, .qkey = 0xb1b };
	struct ipoib_route now[7];
	union ib_gid mgid = mgid_of(0);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(now); i++)
		now[i] = said;
	now[0].mtu = 4092;
	now[1].qkey = 0x12345;
	rdma_ah_set_static_rate(&now[2].attr, IB_RATE_10_GBPS);
	rdma_ah_set_sl(&now[3].attr, 2);
	rdma_ah_retrieve_grh(&now[4].attr)->traffic_class = 32;
	rdma_ah_retrieve_grh(&now[5].attr)->flow_label = 77;
	rdma_ah_retrieve_grh(&now[6].attr)->hop_limit = 1;
	start_joined(test);
	for (i = 0; i < ARRAY_SIZE(now); i++) {
		let_time_pass();
		ipoib_mcast_set_report(set, IPOIB_REPORT_NO_GROUP, &mgid);
		answer_route(test, &mgid, true, &said);
		KUNIT_EXPECT_EQ(test, group(0)->state, IPOIB_MCAST_JOINED);
		let_time_pass();
		ipoib_mcast_set_report(set, IPOIB_REPORT_NO_GROUP, &mgid);
		answer_route(test, &mgid, true, &now[i]);
		KUNIT_EXPECT_EQ_MSG(test, group(0)->state, IPOIB_MCAST_BACKOFF, "%u", i);
		let_time_pass();
		answer_route(test, &mgid, false, &said);
	}
}

static void a_group_that_the_port_cannot_receive_any_more_is_another_one(struct kunit *test)
{
	union ib_gid mgid = mgid_of(7);

	start_joined(test);
	listen(7, true);
	answer(test, 7, 0);
	ipoib_mcast_set_report(set, IPOIB_REPORT_NO_GROUP, &mgid);
	answer_gid(test, &mgid, true, -EMSGSIZE, 0);
	KUNIT_EXPECT_EQ(test, group(7)->state, IPOIB_MCAST_BACKOFF);
	KUNIT_EXPECT_EQ(test, group(7)->pending, 0);
	KUNIT_EXPECT_NULL(test, group(7)->check);
}

/* The SA cannot tell the group's LID, as it has a record for each member. */
static void a_group_with_many_members_was_not_deleted(struct kunit *test)
{
	union ib_gid listened = mgid_of(7), sent = mgid_of(8);

	start_joined(test);
	listen(7, true);
	answer(test, 7, 0);
	send(sender(test), 8);
	answer(test, 8, 0);
	ipoib_mcast_set_report(set, IPOIB_REPORT_NO_GROUP, &listened);
	answer_gid(test, &listened, true, -E2BIG, 0);
	KUNIT_EXPECT_EQ(test, group(7)->state, IPOIB_MCAST_JOINED);
	KUNIT_EXPECT_EQ(test, group(7)->pending, 0);
	/* But who is no full member is none of the group that there is now. */
	ipoib_mcast_set_report(set, IPOIB_REPORT_NO_GROUP, &sent);
	answer_gid(test, &sent, true, -E2BIG, 0);
	KUNIT_EXPECT_EQ(test, group(8)->state, IPOIB_MCAST_BACKOFF);
}

static void others_wait_while_the_broadcast_group_is_joined_anew(struct kunit *test)
{
	union ib_gid mgid = mgid_of(7);

	start_joined(test);
	listen(7, true);
	answer(test, 7, 0);
	answer(test, 7, -ENETRESET);
	KUNIT_ASSERT_NOT_NULL(test, request(&mgid, false));
	answer(test, 7, 0);
	answer(test, 0, -ENETRESET);
	answer(test, 7, -ENETRESET);
	let_time_pass();
	KUNIT_EXPECT_NULL(test, request(&mgid, false));
	KUNIT_EXPECT_TRUE(test, group(7)->routed);
	answer(test, 0, 0);
	KUNIT_EXPECT_NOT_NULL(test, request(&mgid, false));
}

static void a_link_that_changes_has_its_members_join_anew(struct kunit *test)
{
	union ib_gid listened = mgid_of(7), another = mgid_of(9), joining = mgid_of(10);

	start_joined(test);
	listen(7, true);
	answer(test, 7, 0);
	listen(9, true);
	answer(test, 9, 0);
	send(sender(test), 8);
	answer(test, 8, 0);
	listen(10, true);
	KUNIT_ASSERT_NOT_NULL(test, request(&joining, false));
	ipoib_mcast_set_renew(set);
	KUNIT_EXPECT_EQ(test, group(0)->state, IPOIB_MCAST_JOINED);
	KUNIT_EXPECT_EQ(test, group(8)->state, IPOIB_MCAST_JOINED);
	KUNIT_EXPECT_EQ(test, group(7)->state, IPOIB_MCAST_BACKOFF);
	KUNIT_EXPECT_EQ(test, group(9)->state, IPOIB_MCAST_BACKOFF);
	KUNIT_EXPECT_EQ(test, group(10)->state, IPOIB_MCAST_BACKOFF);
	KUNIT_EXPECT_TRUE(test, group(7)->routed);
	/* Not before the RDMA core has told the SA that they were left. */
	KUNIT_EXPECT_TRUE(test, time_after(group(7)->retry_at, jiffies));
	KUNIT_EXPECT_NULL(test, request(&joining, false));
	let_time_pass();
	KUNIT_EXPECT_NOT_NULL(test, request(&listened, false));
	KUNIT_EXPECT_NOT_NULL(test, request(&another, false));
	KUNIT_EXPECT_EQ(test, group(8)->state, IPOIB_MCAST_JOINED);
}

/* Others may have made it, with another rate. */
static void a_group_that_cannot_be_created_is_joined_as_it_is(struct kunit *test)
{
	union ib_gid mgid = mgid_of(7);

	start_joined(test);
	listen(7, true);
	KUNIT_EXPECT_TRUE(test, request(&mgid, false)->create);
	answer(test, 7, -EINVAL);
	let_time_pass();
	KUNIT_ASSERT_NOT_NULL(test, request(&mgid, false));
	KUNIT_EXPECT_FALSE(test, request(&mgid, false)->create);
	/* It is gone meanwhile: now it is made. */
	answer(test, 7, -ENOENT);
	run();
	KUNIT_ASSERT_NOT_NULL(test, request(&mgid, false));
	KUNIT_EXPECT_TRUE(test, request(&mgid, false)->create);
}

static void a_group_that_exists_now_is_asked_for_at_once(struct kunit *test)
{
	union ib_gid mgid = mgid_of(7);

	start_joined(test);
	send(sender(test), 7);
	answer(test, 7, -ENOENT);
	KUNIT_EXPECT_NULL(test, request(&mgid, false));
	ipoib_mcast_set_report(set, IPOIB_REPORT_GROUP, &mgid);
	run();
	KUNIT_EXPECT_NOT_NULL(test, request(&mgid, false));
	answer(test, 7, 0);
	KUNIT_EXPECT_EQ(test, world->answer, 0);
}

static void when_reports_were_missed_those_that_are_no_members_are_checked(struct kunit *test)
{
	union ib_gid sent = mgid_of(7), listened = mgid_of(8);

	start_joined(test);
	send(sender(test), 7);
	answer(test, 7, 0);
	listen(8, true);
	answer(test, 8, 0);
	ipoib_mcast_set_report(set, IPOIB_REPORT_MISSED, NULL);
	KUNIT_EXPECT_NOT_NULL(test, request(&sent, true));
	KUNIT_EXPECT_NULL(test, request(&listened, true));
	answer_gid(test, &sent, true, 0, 0xc007);
	KUNIT_EXPECT_EQ(test, group(7)->state, IPOIB_MCAST_JOINED);
}

static void another_sm_is_asked_for_the_members_from_before(struct kunit *test)
{
	union ib_gid sent = mgid_of(7), before = mgid_of(8), after = mgid_of(9);
	unsigned long since = jiffies - HZ;

	start_joined(test);
	send(sender(test), 7);
	answer(test, 7, 0);
	listen(8, true);
	answer(test, 8, 0);
	group(7)->joined_at = since;
	group(8)->joined_at = since;
	listen(9, true);
	answer(test, 9, 0);
	ipoib_mcast_set_doubt(set, since);
	KUNIT_EXPECT_NULL(test, request(&sent, true));
	KUNIT_EXPECT_NULL(test, request(&after, true));
	KUNIT_EXPECT_NULL(test, request(&set->broadcast, true));
	/* It has the port in the group, and then it has not. */
	answer_gid(test, &before, true, 0, 0xc008);
	KUNIT_EXPECT_EQ(test, group(8)->state, IPOIB_MCAST_JOINED);
	let_time_pass();
	ipoib_mcast_set_doubt(set, since);
	answer_gid(test, &before, true, -ENOENT, 0);
	KUNIT_EXPECT_EQ(test, group(8)->state, IPOIB_MCAST_BACKOFF);
	KUNIT_EXPECT_TRUE(test, group(8)->routed);
	let_time_pass();
	answer(test, 8, 0);
	KUNIT_EXPECT_TRUE(test, time_after(group(8)->joined_at, since));
}

static void an_old_route_of_a_member_is_good_for_half_a_minute(struct kunit *test)
{
	struct ipoib_mcast_set_link link;
	struct ipoib_mcast *it;

	start_joined(test);
	it = group(0);
	/* It begins when the group is joined, whenever that was refused before. */
	KUNIT_EXPECT_LT(test, jiffies - it->refused_since, REFUSAL_LIMIT);
	/* The membership is lost, and then refused. */
	it->refused_since = jiffies - REFUSAL_LIMIT - HZ;
	answer(test, 0, -ENETRESET);
	KUNIT_EXPECT_EQ(test, it->state, IPOIB_MCAST_JOINING);
	KUNIT_EXPECT_EQ(test, it->failures, 0);
	KUNIT_EXPECT_EQ(test, it->last_error, 0);
	KUNIT_EXPECT_TRUE(test, ipoib_mcast_set_link(set, &link));
	answer(test, 0, -EINVAL);
	KUNIT_EXPECT_TRUE(test, ipoib_mcast_set_link(set, &link));
	it->refused_since = jiffies - REFUSAL_LIMIT - HZ;
	let_time_pass();
	answer(test, 0, -EINVAL);
	KUNIT_EXPECT_FALSE(test, ipoib_mcast_set_link(set, &link));
	KUNIT_EXPECT_EQ(test, it->failures, 2);
}

static void that_half_a_minute_ends_when_it_has_gone_by(struct kunit *test)
{
	struct ipoib_mcast *it;

	start_joined(test);
	it = group(0);
	answer(test, 0, -ENETRESET);
	/* The back-off alone would have it asked for after twelve seconds, or more. */
	it->failures = 10;
	it->refused_since = jiffies - REFUSAL_LIMIT + HZ;
	answer(test, 0, -EINVAL);
	KUNIT_EXPECT_TRUE(test, it->routed);
	KUNIT_EXPECT_TRUE(test, time_after(it->retry_at, jiffies + 2 * HZ));
	KUNIT_EXPECT_TRUE(test, time_before(it->retry_at, jiffies + 7 * HZ));
	/* Silence does not end it, nor does it have it asked for sooner. */
	let_time_pass();
	it->refused_since = jiffies - REFUSAL_LIMIT + HZ;
	answer(test, 0, -ETIMEDOUT);
	KUNIT_EXPECT_TRUE(test, time_after(it->retry_at, jiffies + 11 * HZ));
}

static void a_busy_sa_ends_no_route_of_a_sender(struct kunit *test)
{
	struct ipoib_mcast *it;

	start_joined(test);
	send(sender(test), 7);
	answer(test, 7, 0);
	it = group(7);
	answer(test, 7, -ENETRESET);
	/* The RDMA core has this for each status of the SA. */
	answer(test, 7, -EINVAL);
	KUNIT_EXPECT_TRUE(test, it->routed);
	KUNIT_EXPECT_EQ(test, world->answers, 1);
	it->refused_since = jiffies - REFUSAL_LIMIT - HZ;
	let_time_pass();
	answer(test, 7, -EINVAL);
	KUNIT_EXPECT_FALSE(test, it->routed);
	KUNIT_EXPECT_EQ(test, world->answer, -EINVAL);
	/* An answer that says what is wrong is believed at once. */
	let_time_pass();
	answer(test, 7, 0);
	answer(test, 7, -ENETRESET);
	answer(test, 7, -EPROTO);
	KUNIT_EXPECT_FALSE(test, it->routed);
	KUNIT_EXPECT_EQ(test, world->answer, -EPROTO);
}

/* ---- routers ----------------------------------------------------------- */

static void a_router_hears_all_groups_that_are_listed(struct kunit *test)
{
	union ib_gid seven = mgid_of(7), eight = mgid_of(8), foreign = mgid_of(9);
	struct req *req;

	foreign.raw[4] = 0x12;
	start_joined(test);
	world->dev->flags |= IFF_ALLMULTI;
	run();
	req = list_request();
	KUNIT_ASSERT_NOT_NULL(test, req);
	req->owner.each(req->owner.ctx, &seven);
	req->owner.each(req->owner.ctx, &eight);
	req->owner.each(req->owner.ctx, &foreign);
	req->owner.done(req->owner.ctx, 0, NULL);
	run();
	KUNIT_EXPECT_EQ(test, world->groups, 3);
	KUNIT_EXPECT_EQ(test, group(7)->membership, IPOIB_NON_MEMBER);
	answer(test, 7, 0);
	KUNIT_EXPECT_EQ(test, world->attached, 2);

	/* The next list is of one only; one that is not there any more goes. */
	ipoib_mcast_set_report(set, IPOIB_REPORT_MISSED, NULL);
	KUNIT_EXPECT_NULL(test, list_request());
	let_time_pass();
	req = list_request();
	KUNIT_ASSERT_NOT_NULL(test, req);
	req->owner.each(req->owner.ctx, &seven);
	req->owner.done(req->owner.ctx, 0, NULL);
	run();
	KUNIT_EXPECT_NOT_NULL(test, group(7));
	KUNIT_EXPECT_NULL(test, group(8));
	/* One that does not exist after all goes, too, and so do all when it is no router. */
	ipoib_mcast_set_report(set, IPOIB_REPORT_GROUP, &eight);
	run();
	answer(test, 8, -ENOENT);
	run();
	KUNIT_EXPECT_NULL(test, group(8));
	world->dev->flags &= ~IFF_ALLMULTI;
	run();
	KUNIT_EXPECT_EQ(test, world->groups, 1);
}

static void a_list_that_does_not_come_is_asked_for_again(struct kunit *test)
{
	struct req *req;

	start_joined(test);
	world->dev->flags |= IFF_ALLMULTI;
	run();
	req = list_request();
	KUNIT_ASSERT_NOT_NULL(test, req);
	req->owner.done(req->owner.ctx, -ETIMEDOUT, NULL);
	KUNIT_EXPECT_EQ(test, set->list_failures, 1);
	run();
	KUNIT_EXPECT_NULL(test, list_request());
	KUNIT_EXPECT_GT(test, next_run, 0);
	/* Who becomes a router anew asks at once, whatever there was before. */
	world->dev->flags &= ~IFF_ALLMULTI;
	run();
	world->dev->flags |= IFF_ALLMULTI;
	run();
	KUNIT_EXPECT_EQ(test, set->list_failures, 0);
	req = list_request();
	KUNIT_ASSERT_NOT_NULL(test, req);
	req->owner.done(req->owner.ctx, -ETIMEDOUT, NULL);
	let_time_pass();
	req = list_request();
	KUNIT_ASSERT_NOT_NULL(test, req);
	req->owner.done(req->owner.ctx, 0, NULL);
	KUNIT_EXPECT_EQ(test, set->list_failures, 0);
	let_time_pass();
	KUNIT_EXPECT_NULL(test, list_request());
	/* No room for all of them is a reason, too, when there is some again. */
	set->unheard = true;
	set->count[IPOIB_NON_MEMBER] += IPOIB_MAX_HEARD_GROUPS;
	let_time_pass();
	KUNIT_EXPECT_NULL(test, list_request());
	set->count[IPOIB_NON_MEMBER] -= IPOIB_MAX_HEARD_GROUPS;
	let_time_pass();
	KUNIT_EXPECT_NOT_NULL(test, list_request());
}

static void a_list_that_cannot_be_asked_for_is_asked_for_later(struct kunit *test)
{
	start_joined(test);
	world->fails = true;
	world->dev->flags |= IFF_ALLMULTI;
	run();
	KUNIT_EXPECT_FALSE(test, set->listing);
	KUNIT_EXPECT_TRUE(test, time_after(set->list_at, jiffies));
	KUNIT_EXPECT_GT(test, next_run, 0);
	world->fails = false;
	let_time_pass();
	KUNIT_EXPECT_NOT_NULL(test, list_request());
}

static struct kunit_case mcast_test_cases[] = {
	KUNIT_CASE(the_broadcast_group_is_first),
	KUNIT_CASE(a_stopped_set_has_no_link),
	KUNIT_CASE(why_it_is_not_joined_is_known),
	KUNIT_CASE(wider_scopes_are_tried_at_once_and_then_from_the_beginning),
	KUNIT_CASE(a_scope_that_was_chosen_stays),
	KUNIT_CASE(a_group_is_left_when_nobody_listens_any_more),
	KUNIT_CASE(one_that_cannot_be_asked_for_is_asked_for_later),
	KUNIT_CASE(with_umcast_a_group_is_left_to_the_program_that_joined_it),
	KUNIT_CASE(places_are_kept_for_low_groups_and_for_own_addresses),
	KUNIT_CASE(there_is_room_for_so_many_of_each_kind),
	KUNIT_CASE(a_group_without_room_is_added_later),
	KUNIT_CASE(a_long_list_is_looked_at_now_and_then),
	KUNIT_CASE(a_sender_is_told_of_the_route),
	KUNIT_CASE(switches_learn_of_a_group_after_its_sender),
	KUNIT_CASE(where_groups_open_at_once_they_are_open),
	KUNIT_CASE(an_answer_is_not_given_to_who_has_gone),
	KUNIT_CASE(nobody_sends_to_a_group_of_another_link),
	KUNIT_CASE(who_listens_later_takes_the_sender_along),
	KUNIT_CASE(several_groups_are_replaced_at_once),
	KUNIT_CASE(what_does_not_exist_goes_to_all_routers_or_to_all),
	KUNIT_CASE(a_refused_group_does_not_go_elsewhere),
	KUNIT_CASE(the_idlest_senders_make_room),
	KUNIT_CASE(a_report_of_deletion_is_not_believed_but_checked),
	KUNIT_CASE(a_group_that_has_another_lid_is_another_one),
	KUNIT_CASE(a_group_of_which_the_sa_says_something_else_is_another_one),
	KUNIT_CASE(a_group_that_the_port_cannot_receive_any_more_is_another_one),
	KUNIT_CASE(a_group_with_many_members_was_not_deleted),
	KUNIT_CASE(others_wait_while_the_broadcast_group_is_joined_anew),
	KUNIT_CASE(a_link_that_changes_has_its_members_join_anew),
	KUNIT_CASE(a_group_that_cannot_be_created_is_joined_as_it_is),
	KUNIT_CASE(a_group_that_exists_now_is_asked_for_at_once),
	KUNIT_CASE(when_reports_were_missed_those_that_are_no_members_are_checked),
	KUNIT_CASE(another_sm_is_asked_for_the_members_from_before),
	KUNIT_CASE(an_old_route_of_a_member_is_good_for_half_a_minute),
	KUNIT_CASE(that_half_a_minute_ends_when_it_has_gone_by),
	KUNIT_CASE(a_busy_sa_ends_no_route_of_a_sender),
	KUNIT_CASE(a_router_hears_all_groups_that_are_listed),
	KUNIT_CASE(a_list_that_does_not_come_is_asked_for_again),
	KUNIT_CASE(a_list_that_cannot_be_asked_for_is_asked_for_later),
	{}
};

static struct kunit_suite mcast_test_suite = {
	.name = "ipoib_mcast",
	.init = mcast_test_init,
	.exit = mcast_test_exit,
	.test_cases = mcast_test_cases,
};

kunit_test_suite(mcast_test_suite);

MODULE_DESCRIPTION("Tests of the multicast groups of an IPoIB interface");
MODULE_LICENSE("GPL");
