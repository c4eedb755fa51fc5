// SPDX-License-Identifier: GPL-2.0
/* When an interface has a set of connections, and which settings make another one of it. */
#include <kunit/test.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>

#include "../device.h"

static unsigned int features, freed;

#define free_percpu(_pdata)		(freed++, (free_percpu)(_pdata))
#define netdev_update_features(_dev)	((void)(_dev), features++)
#include "../dev_conns.c"

/**
 * struct world - an interface and its sets
 * @dev: the net_device
 * @idev: the interface
 * @ibdev: its device
 * @txs: send rings of its two queues
 * @sets: sets that were made
 * @started: how many
 * @stopped: how many of them were stopped
 * @error: why none can be made
 * @holds: references of sets
 * @refreshed: how often paths of connections came to be in doubt
 * @followed: to so many peers a path has been found
 * @later: delay of another try, or -1
 * @follows: how often the mode was followed
 * @mtu: with this MTU
 */
static struct world {
	struct net_device *dev;
	struct ipoib_dev *idev;
	struct ib_device ibdev;
	struct ipoib_ud_tx txs[2];
	struct ipoib_conn_set *sets[16];
	unsigned int started;
	unsigned int stopped;
	int error;
	int holds;
	unsigned int refreshed;
	unsigned int followed;
	long later;
	unsigned int follows;
	unsigned int mtu;
} *world;

/* ---- what dev_conns.c calls of the driver ------------------------------ */

void ipoib_turn_share_init(struct ipoib_turn_share *share)
{
}

void ipoib_dev_kick_later(struct ipoib_dev *idev, enum ipoib_dev_pending what, unsigned long delay)
{
	if (what == IPOIB_DEV_CONNS)
		world->later = delay;
}

unsigned int ipoib_dev_link_mtu(const struct ipoib_dev *idev)
{
	return 2044;
}

void ipoib_dev_follow_mode(struct ipoib_dev *idev, unsigned int mtu)
{
	world->follows++;
	world->mtu = mtu;
}

unsigned int ipoib_conn_set_limit_max(const struct ib_device *ibdev)
{
	return 32;
}

struct ipoib_conn_set *ipoib_conn_set_start(struct ipoib_dev *idev)
{
	struct ipoib_conn_set *set = world->sets[world->started];

	if (world->error)
		return ERR_PTR(world->error);
	world->started++;
	set->opens = idev->connected;
	return set;
}

void ipoib_conn_set_stop(struct ipoib_conn_set *set)
{
	world->stopped++;
}

void ipoib_conn_set_hold(struct ipoib_conn_set *set)
{
	world->holds++;
}

void ipoib_conn_set_put(struct ipoib_conn_set *set)
{
	world->holds--;
}

void ipoib_conn_set_refresh(struct ipoib_conn_set *set, const union ib_gid *gid, unsigned long age)
{
	world->refreshed++;
}

void ipoib_conn_set_follow(struct ipoib_conn_set *set, const struct ipoib_hwaddr *addr,
			   const struct sa_path_rec *path)
{
	world->followed += set == world->sets[0] && addr->gid[3] == 7 && path->sl == 5;
}

/* ---- the interface ----------------------------------------------------- */

static void setup_dev(struct net_device *dev)
{
}

static int dev_conns_test_init(struct kunit *test)
{
	struct ipoib_dev *idev;
	unsigned int i;

	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world);
	idev = kunit_kzalloc(test, sizeof(*idev), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, idev);
	for (i = 0; i < ARRAY_SIZE(world->sets); i++) {
		world->sets[i] = kunit_kzalloc(test, sizeof(*world->sets[i]), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, world->sets[i]);
	}
	world->dev = alloc_netdev_mqs(0, "conns%d", NET_NAME_ENUM, setup_dev,
				      ARRAY_SIZE(world->txs), 1);
	KUNIT_ASSERT_NOT_NULL(test, world->dev);
	features = 0;
	world->later = -1;
	world->idev = idev;
	idev->dev = world->dev;
	for (i = 0; i < ARRAY_SIZE(world->txs); i++) {
		idev->txs[i] = &world->txs[i];
		idev->txs[i]->txq = netdev_get_tx_queue(world->dev, i);
	}
	idev->tx.txq = idev->txs[0]->txq;
	idev->fabric.ibdev = &world->ibdev;
	idev->config.uc = true;
	mutex_init(&idev->lock);
	return ipoib_dev_conns_init(idev);
}

static void dev_conns_test_exit(struct kunit *test)
{
	if (!world || !world->idev)
		return;
	KUNIT_EXPECT_EQ(test, world->holds, 0);
	freed = 0;
	ipoib_dev_conns_exit(world->idev);
	KUNIT_EXPECT_EQ(test, freed, 1);
	free_netdev(world->dev);
}

static void start(void)
{
	mutex_lock(&world->idev->lock);
	world->idev->rings = true;
	ipoib_dev_conns_start(world->idev);
	mutex_unlock(&world->idev->lock);
}

static void set_mode(bool connected)
{
	rtnl_lock();
	ipoib_dev_conns_set_mode(world->idev, connected);
	rtnl_unlock();
}

static int set_offer(unsigned int offer, bool opener_sends, bool link_sums)
{
	int err;

	rtnl_lock();
	err = ipoib_dev_conns_set_offer(world->idev, offer, opener_sends, link_sums);
	rtnl_unlock();
	return err;
}

static int set_limit(unsigned int limit)
{
	int err;

	rtnl_lock();
	err = ipoib_dev_conns_set_limit(world->idev, limit);
	rtnl_unlock();
	return err;
}

/* So many sets were made, and the last one is in use. */
static void sets_are(struct kunit *test, unsigned int n)
{
	KUNIT_EXPECT_EQ(test, world->started, n);
	KUNIT_EXPECT_EQ(test, world->stopped, n - 1);
	KUNIT_EXPECT_PTR_EQ(test, world->idev->conn_set, world->sets[n - 1]);
}

/* ---- cases ------------------------------------------------------------- */

static void it_begins_with_all_that_the_device_can(struct kunit *test)
{
	struct ipoib_dev *idev = world->idev;

	KUNIT_EXPECT_EQ(test, idev->offer, IPOIB_OFFER_RC | IPOIB_OFFER_UC);
	KUNIT_EXPECT_EQ(test, idev->conn_limit, 32);
	KUNIT_EXPECT_EQ(test, idev->conn_idle_ms, IPOIB_CONN_IDLE_MS);
	KUNIT_EXPECT_EQ(test, ipoib_dev_conns_flags(idev), IPOIB_FLAG_RC | IPOIB_FLAG_UC);
	idev->config.uc = false;
	KUNIT_EXPECT_EQ(test, ipoib_dev_conns_flags(idev), IPOIB_FLAG_RC);
	KUNIT_EXPECT_EQ(test, set_offer(IPOIB_OFFER_UC, false, false), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, idev->offer, IPOIB_OFFER_RC | IPOIB_OFFER_UC);
}

static void there_is_one_set_at_a_time_and_datagram_mode_sends_by_none(struct kunit *test)
{
	start();
	start();
	sets_are(test, 1);
	KUNIT_EXPECT_NULL(test, world->idev->conns);
	KUNIT_EXPECT_PTR_EQ(test, ipoib_dev_conns_hold(world->idev), world->sets[0]);
	ipoib_conn_set_put(world->sets[0]);
	ipoib_dev_conns_refresh(world->idev, NULL, 0);
	KUNIT_EXPECT_EQ(test, world->refreshed, 0);
	set_mode(true);
	sets_are(test, 2);
	KUNIT_EXPECT_PTR_EQ(test, world->idev->conns, world->sets[1]);
	ipoib_dev_conns_refresh(world->idev, NULL, 0);
	KUNIT_EXPECT_EQ(test, world->refreshed, 1);
	KUNIT_EXPECT_EQ(test, world->follows, 1);
	KUNIT_EXPECT_EQ(test, world->mtu, 2044);
	KUNIT_EXPECT_EQ(test, features, 1);
	set_mode(true);
	sets_are(test, 2);
	set_mode(false);
	sets_are(test, 3);
	KUNIT_EXPECT_EQ(test, features, 2);
	mutex_lock(&world->idev->lock);
	ipoib_dev_conns_stop(world->idev);
	ipoib_dev_conns_stop(world->idev);
	mutex_unlock(&world->idev->lock);
	KUNIT_EXPECT_EQ(test, world->stopped, 3);
	KUNIT_EXPECT_NULL(test, ipoib_dev_conns_hold(world->idev));
}

static void connections_follow_the_paths_of_peers(struct kunit *test)
{
	const struct ipoib_hwaddr addr = { .gid[3] = 7 };
	const struct sa_path_rec path = { .sl = 5 };

	ipoib_dev_conns_follow(world->idev, &addr, &path);
	KUNIT_EXPECT_EQ(test, world->followed, 0);
	start();
	ipoib_dev_conns_follow(world->idev, &addr, &path);
	KUNIT_EXPECT_EQ(test, world->followed, 1);
	mutex_lock(&world->idev->lock);
	ipoib_dev_conns_stop(world->idev);
	mutex_unlock(&world->idev->lock);
}

static void no_queue_remembers_a_set_that_stops(struct kunit *test)
{
	unsigned int i;

	start();
	for (i = 0; i < ARRAY_SIZE(world->txs); i++)
		world->txs[i].unflushed = (void *)world->sets[0];
	mutex_lock(&world->idev->lock);
	ipoib_dev_conns_stop(world->idev);
	mutex_unlock(&world->idev->lock);
	for (i = 0; i < ARRAY_SIZE(world->txs); i++)
		KUNIT_EXPECT_NULL(test, world->txs[i].unflushed);
}

static void while_it_is_down_settings_start_none(struct kunit *test)
{
	set_mode(true);
	KUNIT_EXPECT_EQ(test, set_limit(7), 0);
	KUNIT_EXPECT_EQ(test, world->started, 0);
	KUNIT_EXPECT_EQ(test, world->follows, 2);
}

static void with_no_kind_of_connection_there_are_none(struct kunit *test)
{
	start();
	KUNIT_EXPECT_EQ(test, set_offer(0, false, false), 0);
	KUNIT_EXPECT_EQ(test, world->stopped, 1);
	KUNIT_EXPECT_NULL(test, world->idev->conn_set);
	KUNIT_EXPECT_EQ(test, world->later, -1);
}

static void each_setting_that_changes_makes_another_set(struct kunit *test)
{
	const unsigned int both = IPOIB_OFFER_RC | IPOIB_OFFER_UC;

	start();
	KUNIT_EXPECT_EQ(test, set_offer(both, false, false), 0);
	sets_are(test, 1);
	KUNIT_EXPECT_EQ(test, set_offer(IPOIB_OFFER_RC, false, false), 0);
	sets_are(test, 2);
	KUNIT_EXPECT_EQ(test, set_offer(IPOIB_OFFER_RC, true, false), 0);
	sets_are(test, 3);
	KUNIT_EXPECT_FALSE(test, world->dev->hw_features & NETIF_F_HW_CSUM);
	KUNIT_EXPECT_EQ(test, set_offer(IPOIB_OFFER_RC, true, true), 0);
	sets_are(test, 4);
	KUNIT_EXPECT_TRUE(test, world->dev->hw_features & NETIF_F_HW_CSUM);
	KUNIT_EXPECT_TRUE(test, world->dev->wanted_features & NETIF_F_HW_CSUM);
	KUNIT_EXPECT_EQ(test, set_offer(IPOIB_OFFER_RC, true, true), 0);
	sets_are(test, 4);
	KUNIT_EXPECT_EQ(test, set_offer(IPOIB_OFFER_RC, true, false), 0);
	sets_are(test, 5);
	KUNIT_EXPECT_FALSE(test, world->dev->hw_features & NETIF_F_HW_CSUM);
	KUNIT_EXPECT_FALSE(test, world->dev->wanted_features & NETIF_F_HW_CSUM);
	KUNIT_EXPECT_EQ(test, features, 2);
	KUNIT_EXPECT_EQ(test, set_limit(0), -EINVAL);
	KUNIT_EXPECT_EQ(test, set_limit(33), -EINVAL);
	KUNIT_EXPECT_EQ(test, set_limit(32), 0);
	sets_are(test, 5);
	KUNIT_EXPECT_EQ(test, set_limit(1), 0);
	sets_are(test, 6);
	KUNIT_EXPECT_EQ(test, world->idev->conn_limit, 1);
}

static void a_set_that_cannot_be_started_is_tried_again(struct kunit *test)
{
	world->error = -ENOMEM;
	start();
	KUNIT_EXPECT_EQ(test, world->later, CONNS_RETRY);
	KUNIT_EXPECT_TRUE(test, world->idev->conns_failed);
	world->error = 0;
	start();
	sets_are(test, 1);
	KUNIT_EXPECT_FALSE(test, world->idev->conns_failed);
	/* One whose queue has failed is of no use. */
	mutex_lock(&world->idev->lock);
	ipoib_dev_conns_check(world->idev);
	sets_are(test, 1);
	world->sets[0]->broken = true;
	ipoib_dev_conns_check(world->idev);
	KUNIT_EXPECT_EQ(test, world->stopped, 1);
	KUNIT_EXPECT_NULL(test, world->idev->conn_set);
	ipoib_dev_conns_check(world->idev);
	mutex_unlock(&world->idev->lock);
}

static struct kunit_case dev_conns_test_cases[] = {
	KUNIT_CASE(it_begins_with_all_that_the_device_can),
	KUNIT_CASE(there_is_one_set_at_a_time_and_datagram_mode_sends_by_none),
	KUNIT_CASE(connections_follow_the_paths_of_peers),
	KUNIT_CASE(no_queue_remembers_a_set_that_stops),
	KUNIT_CASE(while_it_is_down_settings_start_none),
	KUNIT_CASE(with_no_kind_of_connection_there_are_none),
	KUNIT_CASE(each_setting_that_changes_makes_another_set),
	KUNIT_CASE(a_set_that_cannot_be_started_is_tried_again),
	{}
};

static struct kunit_suite dev_conns_test_suite = {
	.name = "ipoib_dev_conns",
	.init = dev_conns_test_init,
	.exit = dev_conns_test_exit,
	.test_cases = dev_conns_test_cases,
};

kunit_test_suite(dev_conns_test_suite);

MODULE_DESCRIPTION("Tests of settings of connected mode of IPoIB");
MODULE_LICENSE("GPL");
