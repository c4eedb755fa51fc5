// SPDX-License-Identifier: GPL-2.0
/*
 * What becomes of packets while their peer has no path, and which peers a table keeps: with a
 * fabric that answers when it is told to.
 */
#include <kunit/test.h>
#include <linux/netdevice.h>

#include "../device.h"
#include "../trace.h"

/* A table of that many is soon full. */
#undef IPOIB_MAX_PEERS
#define IPOIB_MAX_PEERS	80

static unsigned int timers, given_back, given_copies;

#define queue_delayed_work(_wq, _work, _delay)	(timers++)
#define trace_ipoib_peer_state(...)		((void)0)
/* What marks a question for a neighbour, and the copy that all others get. */
#define QUESTION	1
#define COPY		2

/* What has waited, and found a path and no room for it, goes to the stack once more. */
static void give_back(struct sk_buff *skb)
{
	given_back++;
	given_copies += skb->mark == COPY;
	kfree_skb(skb);
}

#define dev_queue_xmit(_skb)			give_back(_skb)

/* Bundles of connections, one for each queue. */
#define BUNDLES	4

#include "../peer.c"
#undef queue_delayed_work

#include "../addr.c"
#include "../backoff.c"
#include "../fsm.c"

/**
 * struct world - an interface with a table of peers, and what they have asked for
 * @idev: the interface
 * @dev: its net_device
 * @ops: its fabric
 * @asked: path requests so far
 * @fails: the fabric takes no request
 * @ended: requests that have ended
 * @req: the request that is open
 * @owner: who has asked for it
 * @answer: @owner has not been answered
 * @groups: groups that the set of groups was asked for
 * @forgotten: groups that are not wanted any more
 * @handles: address handles that there are
 * @no_handle: there is no memory for another one
 * @retired: handles that were replaced
 * @followed: the last path that connections were told of
 * @follower: the peer that it leads to
 * @room: packets that the ring has room for
 * @sent: packets that went out
 * @no_copy: there is no memory for a copy
 * @dropped: packets that did not, by reason
 * @peers: peers that there are
 */
static struct world {
	struct ipoib_dev *idev;
	struct net_device dev;
	struct ipoib_fabric_ops ops;
	unsigned int asked;
	bool fails;
	unsigned int ended;
	struct ipoib_request req;
	struct ipoib_request_owner owner;
	bool answer;
	unsigned int groups;
	unsigned int forgotten;
	int handles;
	bool no_handle;
	unsigned int retired;
	const struct sa_path_rec *followed;
	struct ipoib_hwaddr follower;
	unsigned int room;
	unsigned int sent;
	bool no_copy;
	unsigned int dropped[IPOIB_DROP_COUNT];
	int peers;
} *world;

/* ---- what peer.c calls of the driver ----------------------------------- */

void ipoib_object_created(enum ipoib_object kind)
{
	world->peers++;
}

void ipoib_object_destroyed(enum ipoib_object kind)
{
	world->peers--;
}

void ipoib_drop_skb(struct ipoib_drops *drops, enum ipoib_drop_reason reason,
		    struct sk_buff *skb)
{
	world->dropped[reason]++;
	kfree_skb(skb);
}

static struct ipoib_request *path(struct ipoib_fabric *fabric, const union ib_gid *gid,
				  const struct ipoib_request_owner *owner)
{
	if (world->fails)
		return ERR_PTR(-ENOMEM);
	world->asked++;
	world->owner = *owner;
	world->answer = true;
	return &world->req;
}

void ipoib_request_end(struct ipoib_request *req)
{
	world->ended++;
	world->owner.release(world->owner.ctx);
}

int ipoib_mcast_set_ask(struct ipoib_mcast_set *set, struct ipoib_peer *peer)
{
	world->groups++;
	return 0;
}

void ipoib_mcast_set_forget(struct ipoib_mcast_set *set, struct ipoib_peer *peer)
{
	world->forgotten++;
}

void ipoib_dev_conns_follow(struct ipoib_dev *idev, const struct ipoib_hwaddr *addr,
			    const struct sa_path_rec *path)
{
	world->followed = path;
	world->follower = *addr;
}

struct ipoib_ah *ipoib_ah_new(struct ib_pd *pd, struct rdma_ah_attr *attr)
{
	if (world->no_handle)
		return ERR_PTR(-ENOMEM);
	world->handles++;
	return kzalloc(sizeof(struct ipoib_ah), GFP_KERNEL);
}

void ipoib_ah_free(struct ipoib_ah *ah)
{
	world->handles -= !!ah;
	kfree(ah);
}

void ipoib_ah_retire(struct ipoib_ah_bin *bin, struct ipoib_ah *ah)
{
	world->retired++;
	ipoib_ah_free(ah);
}

void ipoib_xmit_lock(struct ipoib_dev *idev)
{
	local_bh_disable();
}

void ipoib_xmit_unlock(struct ipoib_dev *idev)
{
	local_bh_enable();
}

bool ipoib_xmit_staged(struct ipoib_dev *idev, struct sk_buff *skb, struct ipoib_ah *ah, u32 qpn)
{
	if (!world->room)
		return false;
	world->room--;
	world->sent++;
	kfree_skb(skb);
	return true;
}

struct sk_buff *ipoib_xmit_for_all(const struct ipoib_dev *idev, const struct sk_buff *skb)
{
	struct sk_buff *copy = NULL;

	if (skb->mark == QUESTION && !world->no_copy)
		copy = skb_copy(skb, GFP_ATOMIC);
	if (copy)
		copy->mark = COPY;
	return copy;
}

/* ---- peers and packets ------------------------------------------------- */

static int peer_test_init(struct kunit *test)
{
	struct ipoib_dev *idev = kunit_kzalloc(test, sizeof(*idev), GFP_KERNEL);

	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, idev);
	KUNIT_ASSERT_NOT_NULL(test, world);
	world->idev = idev;
	idev->dev = &world->dev;
	world->dev.num_tx_queues = BUNDLES;
	world->ops.path = path;
	world->room = UINT_MAX;
	given_back = 0;
	given_copies = 0;
	timers = 0;
	ipoib_usecnt_init(&idev->users);
	idev->fabric.ops = &world->ops;
	/* What the memory had before does not matter. */
	memset(&idev->peers, 0xff, sizeof(idev->peers));
	idev->peers.paths = 0;
	KUNIT_ASSERT_EQ(test, ipoib_peertable_init(&idev->peers), 0);
	ipoib_peertable_open(&idev->peers);
	KUNIT_EXPECT_EQ(test, timers, 1);
	return 0;
}

static struct ipoib_hwaddr address(unsigned int n)
{
	struct ipoib_hwaddr addr = { .flags_qpn = cpu_to_be32(0x100) };

	addr.gid[3] = cpu_to_be32(n);
	return addr;
}

static struct ipoib_peer *known(unsigned int n)
{
	struct ipoib_hwaddr addr = address(n);
	struct ipoib_peer *peer;

	rcu_read_lock();
	peer = ipoib_peertable_find(&world->idev->peers, &addr);
	rcu_read_unlock();
	return peer;
}

/* Nobody else takes peers out, so it is there until it is told to go. */
static struct ipoib_peer *peer(unsigned int n)
{
	struct ipoib_hwaddr addr = address(n);
	struct ipoib_peer *peer;

	rcu_read_lock();
	peer = ipoib_peertable_get(&world->idev->peers, &addr);
	rcu_read_unlock();
	return peer;
}

static struct ipoib_peer *group(void)
{
	struct ipoib_hwaddr addr = { .flags_qpn = cpu_to_be32(IB_MULTICAST_QPN) };
	struct ipoib_peer *peer;

	addr.gid[0] = cpu_to_be32(0xff12601b);
	rcu_read_lock();
	peer = ipoib_peertable_get(&world->idev->peers, &addr);
	rcu_read_unlock();
	return peer;
}

/* Is that a moment ago? What is old here is so by seconds. */
static bool is_now(unsigned long at)
{
	return time_after(at, jiffies - HZ);
}

static struct sk_buff *packet(unsigned int truesize)
{
	struct sk_buff *skb = alloc_skb(100, GFP_KERNEL);

	if (skb)
		skb->truesize = truesize;
	return skb;
}

static bool stage(struct ipoib_peer *peer)
{
	struct sk_buff *skb = packet(1000);
	bool taken = ipoib_peer_stage(peer, skb);

	if (!taken)
		kfree_skb(skb);
	return taken;
}

static void stage_question(struct ipoib_peer *peer)
{
	struct sk_buff *skb = packet(1000);

	skb->mark = QUESTION;
	ipoib_peer_stage(peer, skb);
}

static void answer(struct ipoib_peer *peer, int err)
{
	static const struct ipoib_route route = { .mtu = 1234 };

	ipoib_peer_answer(peer, err, err ? NULL : &route);
}

static unsigned int dropped(void)
{
	unsigned int i, sum = 0;

	for (i = 0; i < IPOIB_DROP_COUNT; i++)
		sum += world->dropped[i];
	return sum;
}

/* Nothing is left. */
static void peer_test_exit(struct kunit *test)
{
	if (!world || !world->idev->fabric.ops)
		return;
	ipoib_peertable_close(&world->idev->peers);
	KUNIT_EXPECT_EQ(test, world->peers, 0);
	KUNIT_EXPECT_EQ(test, world->idev->peers.count, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&world->idev->peers.staged_bytes), 0);
	KUNIT_EXPECT_EQ(test, world->handles, 0);
	KUNIT_EXPECT_EQ(test, world->ended, world->asked);
	KUNIT_EXPECT_EQ(test, world->groups, world->forgotten);
	KUNIT_EXPECT_EQ(test, refcount_read(&world->idev->users.count), 1);
	KUNIT_EXPECT_NULL(test, peer(1));
	ipoib_peertable_exit(&world->idev->peers);
}

/* ---- bundles ----------------------------------------------------------- */

static void a_peer_knows_the_bundle_of_its_connections(struct kunit *test)
{
	unsigned int n;

	for (n = 1; n < 32; n++)
		KUNIT_EXPECT_EQ(test, peer(n)->bundle, ipoib_bundle_of(&peer(n)->addr, BUNDLES));
}

/* ---- packets that wait ------------------------------------------------- */

static void packets_wait_for_the_path_and_go_by_it(struct kunit *test)
{
	struct ipoib_peer *to = peer(1);
	unsigned int i;

	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_TRUE(test, stage(to));
	KUNIT_EXPECT_EQ(test, world->asked, 1);
	KUNIT_EXPECT_EQ(test, world->sent, 0);
	KUNIT_EXPECT_EQ(test, to->staged_bytes, 3000);
	KUNIT_EXPECT_EQ(test, atomic_read(&to->table->staged_bytes), 3000);
	answer(to, 0);
	KUNIT_EXPECT_EQ(test, world->sent, 3);
	KUNIT_EXPECT_EQ(test, dropped(), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&to->table->staged_bytes), 0);
	KUNIT_EXPECT_EQ(test, world->ended, 1);
	KUNIT_EXPECT_EQ(test, rcu_access_pointer(to->ah)->mtu, 1234);
	/* The next one can be sent. */
	KUNIT_EXPECT_FALSE(test, stage(to));
}

static void packets_that_find_no_room_go_to_the_stack_again(struct kunit *test)
{
	struct ipoib_peer *to = peer(1);
	unsigned int i;

	for (i = 0; i < 3; i++)
		stage(to);
	world->room = 1;
	answer(to, 0);
	KUNIT_EXPECT_EQ(test, world->sent, 1);
	KUNIT_EXPECT_EQ(test, given_back, 2);
	KUNIT_EXPECT_EQ(test, dropped(), 0);
}

static void packets_without_a_path_are_dropped(struct kunit *test)
{
	struct ipoib_peer *to = peer(1);

	stage(to);
	answer(to, -ENOENT);
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_TX_NO_PATH], 1);
	KUNIT_EXPECT_EQ(test, given_back, 0);
	/* It is not asked for again before its time. */
	stage(to);
	KUNIT_EXPECT_EQ(test, world->asked, 1);
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_TX_NO_PATH], 2);
	to->retry_at = jiffies;
	stage(to);
	KUNIT_EXPECT_EQ(test, world->asked, 2);
	KUNIT_EXPECT_EQ(test, dropped(), 2);
	answer(to, -ENOENT);
	KUNIT_EXPECT_EQ(test, to->failures, 2);
	KUNIT_EXPECT_TRUE(test, time_after(to->retry_at, jiffies));
	/* Nor are there packets without memory for an address handle. */
	to->retry_at = jiffies;
	stage(to);
	world->no_handle = true;
	answer(to, 0);
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_TX_NO_PATH], 4);
	/* Success is the end of all that. */
	world->no_handle = false;
	to->retry_at = jiffies;
	stage(to);
	answer(to, 0);
	KUNIT_EXPECT_EQ(test, to->failures, 0);
	KUNIT_EXPECT_EQ(test, world->sent, 1);
}

static void a_request_that_cannot_be_made_has_failed(struct kunit *test)
{
	struct ipoib_peer *to = peer(1);

	world->fails = true;
	KUNIT_EXPECT_TRUE(test, stage(to));
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_TX_NO_PATH], 1);
	KUNIT_EXPECT_EQ(test, to->failures, 1);
	KUNIT_EXPECT_EQ(test, refcount_read(&to->refs), 1);
}

static void what_waits_for_groups_leaves_room_for_others(struct kunit *test)
{
	struct ipoib_peer *many = group(), *one = peer(1);

	atomic_set(&one->table->staged_bytes, STAGED_MAX_TABLE / 2 - 1000);
	stage(many);
	KUNIT_EXPECT_EQ(test, dropped(), 0);
	stage(many);
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_TX_QUEUE_FULL], 1);
	stage(one);
	KUNIT_EXPECT_EQ(test, dropped(), 1);
	atomic_set(&one->table->staged_bytes, 2000);
}

static void so_many_octets_wait_for_one_path(struct kunit *test)
{
	struct ipoib_peer *to = peer(1), *other = peer(2);

	/* To the octet, and then not one more. */
	ipoib_peer_stage(to, packet(STAGED_MAX_PEER - 1000));
	stage(to);
	KUNIT_EXPECT_EQ(test, dropped(), 0);
	ipoib_peer_stage(to, packet(1));
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_TX_QUEUE_FULL], 1);
	/* Another one has room of its own, while there is some for all. */
	atomic_set(&to->table->staged_bytes, STAGED_MAX_TABLE - 1000);
	answer(to, -ENOENT);
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_TX_NO_PATH], 2);
	atomic_set(&to->table->staged_bytes, STAGED_MAX_TABLE - 1000);
	stage(other);
	KUNIT_EXPECT_EQ(test, dropped(), 3);
	stage(other);
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_TX_QUEUE_FULL], 2);
	atomic_set(&to->table->staged_bytes, 1000);
}

static void packets_of_a_peer_that_goes_are_dropped(struct kunit *test)
{
	struct ipoib_peer *to = peer(1);

	stage(to);
	stage(to);
	ipoib_peer_hold(to);
	KUNIT_EXPECT_TRUE(test, ipoib_peertable_remove(to->table, to));
	KUNIT_EXPECT_FALSE(test, ipoib_peertable_remove(to->table, to));
	KUNIT_EXPECT_NULL(test, known(1));
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_TX_NO_PATH], 2);
	KUNIT_EXPECT_EQ(test, world->ended, 1);
	/* What comes late finds it dead. */
	answer(to, 0);
	KUNIT_EXPECT_EQ(test, world->handles, 0);
	ipoib_peer_put(to);
	KUNIT_EXPECT_EQ(test, world->peers, 0);
}

/* ---- groups ------------------------------------------------------------ */

static void nobody_may_have_joined_a_group(struct kunit *test)
{
	struct ipoib_peer *to = group();

	KUNIT_ASSERT_NOT_NULL(test, to);
	stage(to);
	KUNIT_EXPECT_EQ(test, world->groups, 1);
	KUNIT_EXPECT_EQ(test, world->asked, 0);
	answer(to, -ENOENT);
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_TX_NO_MEMBER], 1);
	answer(to, -ETIMEDOUT);
	to->retry_at = jiffies + HZ;
	stage(to);
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_TX_NO_PATH], 1);
}

/* A packet and two questions wait for a group, which is joined, and perhaps known everywhere. */
static void joins(struct ipoib_peer *to, bool opening)
{
	const struct ipoib_route route = { .mtu = 1234, .opening = opening };

	stage(to);
	stage_question(to);
	stage_question(to);
	ipoib_peer_answer(to, 0, &route);
}

static void all_are_asked_while_switches_do_not_know_a_group(struct kunit *test)
{
	joins(group(), true);
	KUNIT_EXPECT_EQ(test, world->sent, 3);
	KUNIT_EXPECT_EQ(test, given_copies, 2);
	KUNIT_EXPECT_EQ(test, given_back, 2);
	KUNIT_EXPECT_EQ(test, dropped(), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&world->idev->peers.staged_bytes), 0);
}

static void nobody_else_is_asked_when_they_do(struct kunit *test)
{
	joins(group(), false);
	KUNIT_EXPECT_EQ(test, world->sent, 3);
	KUNIT_EXPECT_EQ(test, given_back, 0);
}

static void who_finds_no_room_or_memory_asks_the_group_alone(struct kunit *test)
{
	/* The first question is copied, and finds no room; the second one is behind it. */
	world->room = 1;
	joins(group(), true);
	KUNIT_EXPECT_EQ(test, world->sent, 1);
	KUNIT_EXPECT_EQ(test, given_copies, 1);
	KUNIT_EXPECT_EQ(test, given_back, 3);
	ipoib_peertable_flush(&world->idev->peers);
	world->room = UINT_MAX;
	world->no_copy = true;
	joins(group(), true);
	KUNIT_EXPECT_EQ(test, world->sent, 4);
	KUNIT_EXPECT_EQ(test, given_back, 3);
	KUNIT_EXPECT_EQ(test, dropped(), 0);
}

static void nobody_asks_for_a_group_that_goes(struct kunit *test)
{
	struct ipoib_peer *to = group();

	stage_question(to);
	ipoib_peer_hold(to);
	ipoib_peertable_remove(to->table, to);
	joins(to, true);
	ipoib_peer_put(to);
	KUNIT_EXPECT_EQ(test, world->sent, 0);
	KUNIT_EXPECT_EQ(test, given_back, 0);
	KUNIT_EXPECT_EQ(test, world->dropped[IPOIB_DROP_TX_NO_PATH], 4);
}

static void a_group_that_is_lost_has_no_path_any_more(struct kunit *test)
{
	struct ipoib_peer *to = group();

	stage(to);
	answer(to, 0);
	KUNIT_EXPECT_FALSE(test, stage(to));
	answer(to, -ENOENT);
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(to->ah));
	KUNIT_EXPECT_EQ(test, world->retired, 1);
	KUNIT_EXPECT_EQ(test, world->handles, 0);
	/* And if there is no memory for the new path, the old one may lead to another group. */
	answer(to, 0);
	world->no_handle = true;
	answer(to, 0);
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(to->ah));
}

/* ---- paths that are old, or in doubt ----------------------------------- */

static struct ipoib_peer *peer_with_path(unsigned int n)
{
	struct ipoib_peer *to = peer(n);

	stage(to);
	answer(to, 0);
	return to;
}

static void an_old_path_stays_until_there_is_a_new_one(struct kunit *test)
{
	struct ipoib_peer *to = peer_with_path(1);
	struct ipoib_ah *old = rcu_access_pointer(to->ah);

	ipoib_peer_refresh(to, HZ);
	KUNIT_EXPECT_EQ(test, world->asked, 1);
	to->answered_at = jiffies - HZ;
	ipoib_peer_refresh(to, HZ);
	KUNIT_EXPECT_EQ(test, world->asked, 2);
	KUNIT_EXPECT_FALSE(test, stage(to));
	answer(to, -ETIMEDOUT);
	KUNIT_EXPECT_PTR_EQ(test, rcu_access_pointer(to->ah), old);
	/* The next attempt need not wait for long. */
	to->retry_at = jiffies + HZ;
	ipoib_peer_refresh(to, 300 * HZ);
	KUNIT_EXPECT_EQ(test, world->asked, 2);
	to->retry_at = jiffies;
	ipoib_peer_refresh(to, 300 * HZ);
	KUNIT_EXPECT_EQ(test, world->asked, 3);
	answer(to, 0);
	KUNIT_EXPECT_EQ(test, world->retired, 1);
	KUNIT_EXPECT_EQ(test, world->handles, 1);
}

static void connections_are_told_of_a_path(struct kunit *test)
{
	struct sa_path_rec path;
	struct ipoib_route route = { .path = &path };

	KUNIT_EXPECT_TRUE(test, stage(peer(1)));
	answer(peer(1), -ETIMEDOUT);
	answer(peer(1), 0);
	KUNIT_EXPECT_NULL(test, world->followed);
	ipoib_peer_answer(peer(2), 0, &route);
	KUNIT_EXPECT_PTR_EQ(test, world->followed, &path);
	KUNIT_EXPECT_FALSE(test, memcmp(&world->follower, &peer(2)->addr, sizeof(world->follower)));
}

static void who_has_no_path_may_ask_at_once_when_something_has_changed(struct kunit *test)
{
	struct ipoib_peer *to = peer(1);

	stage(to);
	answer(to, -ENOENT);
	to->retry_at = jiffies + 100 * HZ;
	ipoib_peer_refresh(to, 0);
	KUNIT_EXPECT_EQ(test, world->asked, 1);
	stage(to);
	KUNIT_EXPECT_EQ(test, world->asked, 2);
	answer(to, -ENOENT);
	to->retry_at = jiffies + 100 * HZ;
	ipoib_peertable_doubt(to->table, NULL);
	stage(to);
	KUNIT_EXPECT_EQ(test, world->asked, 3);
}

/* @n packets in as many jiffies. */
static void use(struct ipoib_peer *peer, unsigned int n)
{
	while (n--) {
		peer->used = jiffies - 9 * HZ;
		ipoib_peer_touch(peer);
	}
}

static void a_path_in_doubt_is_asked_for_once(struct kunit *test)
{
	struct ipoib_peer *one = peer_with_path(1), *two = peer_with_path(2);
	union ib_gid gid = {};

	use(one, 2);
	KUNIT_EXPECT_TRUE(test, is_now(one->used));
	KUNIT_EXPECT_EQ(test, world->asked, 2);
	memcpy(&gid, one->addr.gid, sizeof(gid));
	ipoib_peertable_doubt(one->table, &gid);
	KUNIT_EXPECT_TRUE(test, ipoib_peer_in_doubt(one));
	KUNIT_EXPECT_FALSE(test, ipoib_peer_in_doubt(two));
	use(one, 3);
	use(two, 3);
	KUNIT_EXPECT_EQ(test, world->asked, 3);
	answer(one, 0);
	KUNIT_EXPECT_FALSE(test, ipoib_peer_in_doubt(one));
	ipoib_peertable_doubt(one->table, NULL);
	KUNIT_EXPECT_TRUE(test, ipoib_peer_in_doubt(one));
	KUNIT_EXPECT_TRUE(test, ipoib_peer_in_doubt(two));
	use(two, 2);
	KUNIT_EXPECT_EQ(test, world->asked, 4);
	answer(two, 0);
	/* One that has gone is not found by its GID, either. */
	ipoib_peer_hold(two);
	ipoib_peertable_remove(two->table, two);
	memcpy(&gid, two->addr.gid, sizeof(gid));
	ipoib_peertable_doubt(two->table, &gid);
	KUNIT_EXPECT_FALSE(test, ipoib_peer_in_doubt(two));
	ipoib_peer_put(two);
}

static void an_answer_that_was_asked_for_before_the_doubt_does_not_end_it(struct kunit *test)
{
	struct ipoib_peer *to = peer(1);

	stage(to);
	to->answered_at = jiffies;
	ipoib_peer_refresh(to, 0);
	answer(to, 0);
	KUNIT_EXPECT_TRUE(test, ipoib_peer_in_doubt(to));
	use(to, 1);
	KUNIT_EXPECT_EQ(test, world->asked, 2);
	answer(to, 0);
}

static void nothing_is_asked_for_a_group_in_doubt(struct kunit *test)
{
	struct ipoib_peer *to = group();

	stage(to);
	answer(to, 0);
	ipoib_peertable_doubt(to->table, NULL);
	use(to, 1);
	ipoib_peer_refresh(to, 0);
	KUNIT_EXPECT_EQ(test, world->asked, 0);
	KUNIT_EXPECT_EQ(test, world->groups, 1);
	KUNIT_EXPECT_FALSE(test, ipoib_peer_in_doubt(to));
}

/* ---- who is kept ------------------------------------------------------- */

static void an_address_has_one_peer(struct kunit *test)
{
	struct ipoib_hwaddr nobody = address(1), addr = address(1);

	KUNIT_ASSERT_NOT_NULL(test, peer(1));
	KUNIT_EXPECT_PTR_EQ(test, peer(1), known(1));
	KUNIT_EXPECT_PTR_NE(test, peer(2), known(1));
	KUNIT_EXPECT_EQ(test, world->idev->peers.count, 2);
	KUNIT_EXPECT_EQ(test, known(1)->qpn, 0x100);
	nobody.flags_qpn = cpu_to_be32(1);
	rcu_read_lock();
	KUNIT_EXPECT_NULL(test, ipoib_peertable_get(&world->idev->peers, &nobody));
	rcu_read_unlock();
	ipoib_peertable_forget(&world->idev->peers, &nobody);
	KUNIT_EXPECT_EQ(test, world->idev->peers.count, 2);
	ipoib_peertable_forget(&world->idev->peers, &addr);
	KUNIT_EXPECT_NULL(test, known(1));
	KUNIT_EXPECT_NOT_NULL(test, known(2));
	KUNIT_EXPECT_EQ(test, world->peers, 1);
}

static void a_full_table_lets_the_idlest_of_those_looked_at_go(struct kunit *test)
{
	unsigned int n;

	for (n = 1; n <= IPOIB_MAX_PEERS; n++)
		peer_with_path(n)->used = jiffies - 10 * HZ;
	KUNIT_EXPECT_EQ(test, world->peers, IPOIB_MAX_PEERS);
	/* Two of the first 32, and one behind them that is not looked at. */
	known(7)->used = jiffies - 30 * HZ;
	known(9)->used = jiffies - 20 * HZ;
	known(EVICT_SAMPLE + 1)->used = jiffies - 40 * HZ;
	KUNIT_ASSERT_NOT_NULL(test, peer(1001));
	KUNIT_EXPECT_NULL(test, known(7));
	KUNIT_EXPECT_EQ(test, world->peers, IPOIB_MAX_PEERS);
	/* The next ones are those behind. */
	peer(1002);
	KUNIT_EXPECT_NULL(test, known(EVICT_SAMPLE + 1));
	KUNIT_EXPECT_NOT_NULL(test, known(9));
	KUNIT_EXPECT_EQ(test, world->peers, IPOIB_MAX_PEERS);
	KUNIT_EXPECT_EQ(test, world->idev->peers.count, IPOIB_MAX_PEERS);
}

static void who_has_no_path_goes_before_who_has_one(struct kunit *test)
{
	unsigned int n;

	for (n = 1; n <= IPOIB_MAX_PEERS; n++)
		peer_with_path(n)->used = jiffies - (n == 5 ? 10 : 20) * HZ;
	known(5)->state = IPOIB_PEER_FAILED;
	ipoib_ah_free(rcu_replace_pointer(known(5)->ah, NULL, true));
	peer(1001);
	KUNIT_EXPECT_NULL(test, known(5));
	KUNIT_EXPECT_EQ(test, world->peers, IPOIB_MAX_PEERS);
}

static void count_one(void *ctx, const struct ipoib_peer *peer)
{
	++*(unsigned int *)ctx;
}

static void who_is_idle_goes_and_an_old_path_is_asked_for(struct kunit *test)
{
	unsigned int n, seen = 0, was = timers;

	for (n = 1; n <= GC_BATCH + 6; n++)
		peer_with_path(n);
	known(1)->used = jiffies - IDLE_AGE - 2;
	known(2)->used = jiffies - IDLE_AGE + HZ;
	known(GC_BATCH + 6)->used = jiffies - IDLE_AGE - 2;
	/* The age at which it is asked for is spread by a quarter. */
	known(3)->answered_at = jiffies - REFRESH_AGE / 2;
	known(4)->answered_at = jiffies - REFRESH_AGE * 3 / 2;
	world->asked = 0;
	world->ended = 0;
	peertable_gc_work(&world->idev->peers.gc.work);
	KUNIT_EXPECT_EQ(test, timers, was + 1);
	KUNIT_EXPECT_NULL(test, known(1));
	KUNIT_EXPECT_NULL(test, known(GC_BATCH + 6));
	KUNIT_EXPECT_NOT_NULL(test, known(2));
	KUNIT_EXPECT_EQ(test, known(3)->state, IPOIB_PEER_READY);
	KUNIT_EXPECT_EQ(test, known(4)->state, IPOIB_PEER_REFRESHING);
	KUNIT_EXPECT_EQ(test, world->asked, 1);
	KUNIT_EXPECT_EQ(test, world->peers, GC_BATCH + 4);
	ipoib_peertable_walk(&world->idev->peers, count_one, &seen);
	KUNIT_EXPECT_EQ(test, seen, GC_BATCH + 4);
	answer(known(4), 0);
}

static struct kunit_case peer_test_cases[] = {
	KUNIT_CASE(a_peer_knows_the_bundle_of_its_connections),
	KUNIT_CASE(packets_wait_for_the_path_and_go_by_it),
	KUNIT_CASE(packets_that_find_no_room_go_to_the_stack_again),
	KUNIT_CASE(packets_without_a_path_are_dropped),
	KUNIT_CASE(a_request_that_cannot_be_made_has_failed),
	KUNIT_CASE(what_waits_for_groups_leaves_room_for_others),
	KUNIT_CASE(so_many_octets_wait_for_one_path),
	KUNIT_CASE(packets_of_a_peer_that_goes_are_dropped),
	KUNIT_CASE(nobody_may_have_joined_a_group),
	KUNIT_CASE(all_are_asked_while_switches_do_not_know_a_group),
	KUNIT_CASE(nobody_else_is_asked_when_they_do),
	KUNIT_CASE(who_finds_no_room_or_memory_asks_the_group_alone),
	KUNIT_CASE(nobody_asks_for_a_group_that_goes),
	KUNIT_CASE(a_group_that_is_lost_has_no_path_any_more),
	KUNIT_CASE(an_old_path_stays_until_there_is_a_new_one),
	KUNIT_CASE(connections_are_told_of_a_path),
	KUNIT_CASE(who_has_no_path_may_ask_at_once_when_something_has_changed),
	KUNIT_CASE(a_path_in_doubt_is_asked_for_once),
	KUNIT_CASE(an_answer_that_was_asked_for_before_the_doubt_does_not_end_it),
	KUNIT_CASE(nothing_is_asked_for_a_group_in_doubt),
	KUNIT_CASE(an_address_has_one_peer),
	KUNIT_CASE(a_full_table_lets_the_idlest_of_those_looked_at_go),
	KUNIT_CASE(who_has_no_path_goes_before_who_has_one),
	KUNIT_CASE(who_is_idle_goes_and_an_old_path_is_asked_for),
	{}
};

static struct kunit_suite peer_test_suite = {
	.name = "ipoib_peer",
	.init = peer_test_init,
	.exit = peer_test_exit,
	.test_cases = peer_test_cases,
};

kunit_test_suite(peer_test_suite);

MODULE_DESCRIPTION("Tests of the peers of an IPoIB interface");
MODULE_LICENSE("GPL");
