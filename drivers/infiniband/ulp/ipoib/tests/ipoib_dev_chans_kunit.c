// SPDX-License-Identifier: GPL-2.0
/* Channels of an interface: how many, which of them send, what becomes of one that fails. */
#include <kunit/test.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>

#include "../device.h"
#include "../log.h"

#define QUEUES	4

static int real_err;

/* How often CPUs were given to a queue, how many CPUs, and the last queue of each */
static unsigned int spreads, given, queue_of[NR_CPUS];

static void takes_cpus(const struct cpumask *mask, unsigned int queue)
{
	unsigned int cpu;

	spreads++;
	for_each_cpu(cpu, mask) {
		given++;
		queue_of[cpu] = queue;
	}
}

static int set_real(struct net_device *dev, unsigned int count)
{
	if (!real_err)
		dev->real_num_tx_queues = count;
	return real_err;
}

#define netif_set_real_num_tx_queues(_dev, _count)	set_real(_dev, _count)
#define netif_set_xps_queue(_dev, _mask, _queue)	takes_cpus(_mask, _queue)
/* No qdisc is there to be woken. */
#define netif_tx_wake_queue				netif_tx_start_queue
#undef ipoib_may_log
#define ipoib_may_log()					false
#include "../dev_chans.c"

/**
 * struct world - an interface with four queues
 * @dev: the net_device, whose private part is the interface
 * @idev: the interface
 * @ibdev: its device
 * @qps: queue pairs that there are
 * @no_qp: there can be no more
 * @no_arm: a queue pair is not armed
 * @no_memory: there is none for slots
 * @rings: rings that have slots
 * @later: how often another try was asked for
 * @forgotten: the peer that was forgotten last
 * @moderates: what the provider says to moderation
 * @moderated: how often it was told
 * @drains: what is posted is sent in time
 * @drained: how often that was waited for
 */
static struct world {
	struct net_device *dev;
	struct ipoib_dev *idev;
	struct ib_device ibdev;
	int qps;
	bool no_qp;
	bool no_arm;
	bool no_memory;
	int rings;
	unsigned int later;
	struct ipoib_hwaddr forgotten;
	int moderates;
	unsigned int moderated;
	bool drains;
	unsigned int drained;
} *world;

/* ---- what dev_chans.c calls of the driver ------------------------------------------------ */

void ipoib_moder_init(struct ipoib_moder *moder, const struct ipoib_coalesce *coalesce, bool tx)
{
}

int ipoib_moder_apply(struct ipoib_moder *moder)
{
	world->moderated++;
	return world->moderates;
}

void ipoib_dev_kick_later(struct ipoib_dev *idev, enum ipoib_dev_pending what, unsigned long delay)
{
	world->later += what == IPOIB_DEV_CHAN_FAILED;
}

void ipoib_peertable_forget(struct ipoib_peertable *table, const struct ipoib_hwaddr *addr)
{
	world->forgotten = *addr;
}

int ipoib_qp_init(struct ipoib_qp *qp)
{
	if (world->no_qp)
		return -ENOMEM;
	world->qps++;
	return 0;
}

void ipoib_qp_exit(struct ipoib_qp *qp)
{
	world->qps--;
}

int ipoib_qp_arm(struct ipoib_qp *qp, u16 pkey_index)
{
	return world->no_arm ? -EIO : 0;
}

int ipoib_qp_start(struct ipoib_qp *qp, u16 pkey_index, u32 qkey)
{
	return 0;
}

void ipoib_ud_tx_init(struct ipoib_ud_tx *tx)
{
}

void ipoib_ud_tx_exit(struct ipoib_ud_tx *tx)
{
}

int ipoib_ud_tx_alloc(struct ipoib_ud_tx *tx, u32 slots)
{
	if (world->no_memory)
		return -ENOMEM;
	world->rings++;
	return 0;
}

void ipoib_ud_tx_free(struct ipoib_ud_tx *tx)
{
	world->rings--;
}

void ipoib_ud_tx_start(struct ipoib_ud_tx *tx, u32 qkey)
{
	tx->running = true;
	netif_tx_start_queue(tx->txq);
}

void ipoib_ud_tx_stop(struct ipoib_ud_tx *tx)
{
	tx->running = false;
	netif_tx_stop_queue(tx->txq);
}

bool ipoib_ud_tx_drain(struct ipoib_ud_tx *tx, unsigned long deadline)
{
	world->drained++;
	return world->drains;
}

void ipoib_ud_tx_halt(struct ipoib_ud_tx *tx)
{
}

void ipoib_ud_tx_purge(struct ipoib_ud_tx *tx)
{
}

/* ---- the interface ------------------------------------------------------------------------- */

static void setup_dev(struct net_device *dev)
{
}

static int dev_chans_test_init(struct kunit *test)
{
	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world);
	world->dev = alloc_netdev_mqs(sizeof(*world->idev), "chans%d", NET_NAME_ENUM, setup_dev,
				      QUEUES, 1);
	KUNIT_ASSERT_NOT_NULL(test, world->dev);
	world->idev = netdev_priv(world->dev);
	world->idev->dev = world->dev;
	world->idev->fabric.ibdev = &world->ibdev;
	world->ibdev.num_comp_vectors = 16;
	mutex_init(&world->idev->lock);
	real_err = 0;
	spreads = 0;
	given = 0;
	return 0;
}

static void dev_chans_test_exit(struct kunit *test)
{
	if (!world || !world->dev)
		return;
	mutex_lock(&world->idev->lock);
	ipoib_dev_chans_stop(world->idev);
	mutex_unlock(&world->idev->lock);
	KUNIT_EXPECT_EQ(test, world->qps, 0);
	KUNIT_EXPECT_EQ(test, world->rings, 0);
	ipoib_dev_chans_exit(world->idev);
	free_netdev(world->dev);
}

/* An interface whose user wants so many. */
static void make(struct kunit *test, unsigned int count)
{
	world->idev->config.channels = count;
	rtnl_lock();
	KUNIT_EXPECT_EQ(test, ipoib_dev_chans_init(world->idev), 0);
	rtnl_unlock();
}

static void start(void)
{
	mutex_lock(&world->idev->lock);
	world->idev->rings = true;
	ipoib_dev_chans_start(world->idev);
	mutex_unlock(&world->idev->lock);
}

static void recover(void)
{
	mutex_lock(&world->idev->lock);
	if (ipoib_dev_chans_hold(world->idev))
		world->later++;
	ipoib_dev_chans_recover(world->idev);
	mutex_unlock(&world->idev->lock);
}

static int set(unsigned int count)
{
	int err;

	rtnl_lock();
	err = ipoib_dev_chans_set(world->idev, count);
	rtnl_unlock();
	return err;
}

/* Those but the first that send. */
static unsigned int sending(void)
{
	unsigned int i, n = 0;

	for (i = 1; i < QUEUES; i++)
		n += world->idev->txs[i]->running;
	return n;
}

/* The stack's watchdog would complain of these. */
static unsigned int stopped(void)
{
	unsigned int i, n = 0;

	for (i = 1; i < QUEUES; i++)
		n += netif_tx_queue_stopped(netdev_get_tx_queue(world->dev, i));
	return n;
}

static void there_are(struct kunit *test, unsigned int count)
{
	KUNIT_EXPECT_EQ(test, world->dev->real_num_tx_queues, count);
	KUNIT_EXPECT_EQ(test, world->idev->chan_count, count);
	KUNIT_EXPECT_EQ(test, sending(), world->idev->rings ? count - 1 : 0);
	KUNIT_EXPECT_EQ(test, world->qps, world->idev->rings ? count - 1 : 0);
	KUNIT_EXPECT_EQ(test, world->rings, world->qps);
}

/* ---- cases -------------------------------------------------------------------------------- */

static void the_user_says_how_many(struct kunit *test)
{
	make(test, 3);
	there_are(test, 3);
	KUNIT_EXPECT_PTR_EQ(test, world->idev->txs[0], &world->idev->tx);
	KUNIT_EXPECT_PTR_EQ(test, world->idev->txs[3]->txq, netdev_get_tx_queue(world->dev, 3));
	start();
	there_are(test, 3);
}

static void without_a_word_vectors_are_the_limit(struct kunit *test)
{
	world->ibdev.num_comp_vectors = 1;
	make(test, 0);
	there_are(test, 1);
}

static void their_number_changes_while_they_send(struct kunit *test)
{
	static const unsigned int counts[] = { 4, 1, 3, 2, 4 };
	int i;

	make(test, 2);
	start();
	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		KUNIT_EXPECT_EQ(test, set(counts[i]), 0);
		there_are(test, counts[i]);
		KUNIT_EXPECT_EQ(test, stopped(), 0);
	}
}

static void finish(void)
{
	world->drained = 0;
	mutex_lock(&world->idev->lock);
	ipoib_dev_chans_finish(world->idev, jiffies + HZ);
	mutex_unlock(&world->idev->lock);
}

static void they_finish_what_they_send(struct kunit *test)
{
	make(test, 4);
	start();
	world->drains = true;
	finish();
	KUNIT_EXPECT_EQ(test, sending(), 0);
	KUNIT_EXPECT_EQ(test, stopped(), 3);
	KUNIT_EXPECT_EQ(test, world->drained, 3);
	/* Who does not finish in time has had it all. */
	world->drains = false;
	finish();
	KUNIT_EXPECT_EQ(test, world->drained, 1);
}

static void their_number_changes_while_the_interface_is_down(struct kunit *test)
{
	make(test, 2);
	KUNIT_EXPECT_EQ(test, set(4), 0);
	there_are(test, 4);
	start();
	there_are(test, 4);
}

static void a_change_that_is_refused_changes_nothing(struct kunit *test)
{
	make(test, 2);
	start();
	real_err = -ENOMEM;
	KUNIT_EXPECT_EQ(test, set(4), -ENOMEM);
	there_are(test, 2);
	KUNIT_EXPECT_EQ(test, set(1), -ENOMEM);
	there_are(test, 2);
	real_err = 0;
	KUNIT_EXPECT_EQ(test, set(3), 0);
	there_are(test, 3);
}

static void cpus_are_spread_once_it_is_there(struct kunit *test)
{
	unsigned int cpu;

	make(test, 3);
	KUNIT_EXPECT_EQ(test, spreads, 0);
	rtnl_lock();
	ipoib_dev_chans_open(world->idev);
	KUNIT_EXPECT_EQ(test, spreads, 3);
	KUNIT_EXPECT_EQ(test, given, num_possible_cpus());
	for_each_possible_cpu(cpu)
		KUNIT_EXPECT_EQ(test, queue_of[cpu], cpu % 3);
	/* What the user has set since then stays. */
	ipoib_dev_chans_open(world->idev);
	rtnl_unlock();
	KUNIT_EXPECT_EQ(test, set(3), 0);
	KUNIT_EXPECT_EQ(test, spreads, 3);
	KUNIT_EXPECT_EQ(test, set(4), 0);
	KUNIT_EXPECT_EQ(test, spreads, 7);
	KUNIT_EXPECT_EQ(test, set(1), 0);
	KUNIT_EXPECT_EQ(test, spreads, 7);
}

static void one_that_gets_no_queue_pair_tries_again(struct kunit *test)
{
	make(test, 3);
	world->no_qp = true;
	start();
	KUNIT_EXPECT_EQ(test, sending(), 0);
	KUNIT_EXPECT_EQ(test, stopped(), 0);
	KUNIT_EXPECT_EQ(test, world->later, 2);
	world->no_qp = false;
	world->no_arm = true;
	recover();
	KUNIT_EXPECT_EQ(test, sending(), 0);
	KUNIT_EXPECT_EQ(test, world->qps, 0);
	KUNIT_EXPECT_EQ(test, world->later, 4);
	world->no_arm = false;
	world->no_memory = true;
	recover();
	KUNIT_EXPECT_EQ(test, world->later, 6);
	world->no_memory = false;
	recover();
	KUNIT_EXPECT_EQ(test, world->later, 6);
	there_are(test, 3);
}

static struct ipoib_ud_tx *one_of_four_fails(struct kunit *test)
{
	struct ipoib_ud_tx *tx;

	make(test, 4);
	start();
	tx = world->idev->txs[2];
	tx->failed = true;
	tx->ring.culprit.gid[3] = 7;
	return tx;
}

static void one_that_fails_gets_another_queue_pair(struct kunit *test)
{
	struct ipoib_ud_tx *tx = one_of_four_fails(test);

	recover();
	KUNIT_EXPECT_EQ(test, world->later, 1);
	KUNIT_EXPECT_FALSE(test, tx->failed);
	KUNIT_EXPECT_EQ(test, world->forgotten.gid[3], 7);
	there_are(test, 4);
	recover();
	KUNIT_EXPECT_EQ(test, world->later, 1);
}

/* However often it is tried to start the channel again: the peer may be well by then. */
static void the_peer_that_made_it_fail_is_forgotten_once(struct kunit *test)
{
	one_of_four_fails(test);
	world->no_memory = true;
	recover();
	KUNIT_EXPECT_EQ(test, world->forgotten.gid[3], 7);
	KUNIT_EXPECT_EQ(test, sending(), 2);
	recover();
	KUNIT_EXPECT_EQ(test, world->forgotten.gid[3], 0);
}

static void all_are_moderated(struct kunit *test)
{
	make(test, 2);
	mutex_lock(&world->idev->lock);
	KUNIT_EXPECT_EQ(test, ipoib_dev_chans_moderate(world->idev), 0);
	KUNIT_EXPECT_EQ(test, world->moderated, QUEUES - 1);
	world->moderates = -EIO;
	KUNIT_EXPECT_EQ(test, ipoib_dev_chans_moderate(world->idev), -EIO);
	KUNIT_EXPECT_EQ(test, world->moderated, QUEUES);
	mutex_unlock(&world->idev->lock);
}

static struct kunit_case dev_chans_test_cases[] = {
	KUNIT_CASE(the_user_says_how_many),
	KUNIT_CASE(without_a_word_vectors_are_the_limit),
	KUNIT_CASE(their_number_changes_while_they_send),
	KUNIT_CASE(they_finish_what_they_send),
	KUNIT_CASE(their_number_changes_while_the_interface_is_down),
	KUNIT_CASE(a_change_that_is_refused_changes_nothing),
	KUNIT_CASE(cpus_are_spread_once_it_is_there),
	KUNIT_CASE(one_that_gets_no_queue_pair_tries_again),
	KUNIT_CASE(one_that_fails_gets_another_queue_pair),
	KUNIT_CASE(the_peer_that_made_it_fail_is_forgotten_once),
	KUNIT_CASE(all_are_moderated),
	{}
};

static struct kunit_suite dev_chans_test_suite = {
	.name = "ipoib_dev_chans",
	.init = dev_chans_test_init,
	.exit = dev_chans_test_exit,
	.test_cases = dev_chans_test_cases,
};

kunit_test_suite(dev_chans_test_suite);

MODULE_DESCRIPTION("Tests of the channels of IPoIB");
MODULE_LICENSE("GPL");
