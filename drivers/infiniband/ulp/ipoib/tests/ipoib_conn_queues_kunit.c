// SPDX-License-Identifier: GPL-2.0
/* Which connections share a queue, and when it is made and closed: without queues. */
#include <kunit/test.h>

#include "../conn_queues.c"

/* Bundles, and receive queues: the bundle of a connection is its number. */
#define BUNDLES	4
#define RXS	2

/**
 * struct world - a set with connections
 * @idev: the interface
 * @pd: its protection domain
 * @ibdev: its device
 * @set: the set
 * @conns: a connection in each bundle
 * @shared: the device has shared receive queues
 * @rx_open: receive queues that are there
 * @tx_open: uses of what connections send with
 * @rx_error: no receive queue can be made, for this reason
 * @tx_error: nothing to send with can be made, for this reason
 * @modered: queues that follow the user's wish
 * @moderated: how often they were told to
 */
static struct world {
	struct ipoib_dev *idev;
	struct ib_pd pd;
	struct ib_device ibdev;
	struct ipoib_conn_set set;
	struct ipoib_conn conns[BUNDLES];
	bool shared;
	unsigned int rx_open;
	unsigned int tx_open;
	int rx_error;
	int tx_error;
	int modered;
	unsigned int moderated;
} *world;

/* ---- what conn_queues.c calls of the driver ---------------------------- */

void ipoib_moder_init(struct ipoib_moder *moder, const struct ipoib_coalesce *coalesce, bool tx)
{
	if (coalesce == &world->idev->rx_moder && !tx)
		world->modered++;
}

void ipoib_moder_exit(struct ipoib_moder *moder)
{
	world->modered--;
}

int ipoib_moder_apply(struct ipoib_moder *moder)
{
	world->moderated++;
	return world->rx_error;
}

bool ipoib_conn_rx_shared(const struct ib_device *ibdev)
{
	return world->shared;
}

unsigned int ipoib_conn_rx_posted(const struct ipoib_conn_rx *rx)
{
	return rx == &world->set.rxs[0] ? 100 : 7;
}

int ipoib_conn_rx_open(struct ipoib_conn_rx *rx, struct ipoib_conn_set *set)
{
	world->rx_open += !world->rx_error;
	return world->rx_error;
}

void ipoib_conn_rx_close(struct ipoib_conn_rx *rx)
{
	world->rx_open--;
}

int ipoib_conn_txs_init(struct ipoib_conn_set *set)
{
	set->bundles = BUNDLES;
	set->txs = kcalloc(BUNDLES, sizeof(*set->txs), GFP_KERNEL);
	return world->tx_error;
}

void ipoib_conn_txs_exit(struct ipoib_conn_set *set)
{
	kfree(set->txs);
}

int ipoib_conn_txs_moderate(struct ipoib_conn_set *set)
{
	world->moderated++;
	return world->tx_error;
}

int ipoib_conn_tx_get(struct ipoib_conn_tx *tx)
{
	world->tx_open += !world->tx_error;
	return world->tx_error;
}

void ipoib_conn_tx_put(struct ipoib_conn_tx *tx)
{
	world->tx_open--;
}

/* ---- a set with connections -------------------------------------------- */

static int conn_queues_test_init(struct kunit *test)
{
	struct ipoib_dev *idev = kunit_kzalloc(test, sizeof(*idev), GFP_KERNEL);

	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, idev);
	KUNIT_ASSERT_NOT_NULL(test, world);
	world->pd.device = &world->ibdev;
	world->shared = true;
	world->idev = idev;
	world->set.idev = idev;
	idev->config.pd = &world->pd;
	idev->chan_count = RXS;
	mutex_init(&idev->lock);
	return 0;
}

static int queues_init(void)
{
	int err;

	mutex_lock(&world->idev->lock);
	err = ipoib_conn_queues_init(&world->set);
	mutex_unlock(&world->idev->lock);
	return err;
}

static void start(struct kunit *test)
{
	unsigned int i;

	KUNIT_ASSERT_EQ(test, queues_init(), 0);
	KUNIT_ASSERT_NOT_NULL(test, world->set.txs);
	for (i = 0; i < BUNDLES; i++) {
		world->conns[i].set = &world->set;
		world->conns[i].tx = &world->set.txs[i];
	}
}

/* No queue is left, and none that would have to follow the user's wish. */
static void stop(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, world->rx_open, 0);
	KUNIT_EXPECT_EQ(test, world->tx_open, 0);
	ipoib_conn_queues_exit(&world->set);
	KUNIT_EXPECT_EQ(test, world->modered, 0);
}

static int get(unsigned int bundle)
{
	return ipoib_conn_queues_get(&world->conns[bundle]);
}

static void put(struct kunit *test, unsigned int bundle)
{
	ipoib_conn_queues_put(&world->conns[bundle]);
	KUNIT_EXPECT_NULL(test, world->conns[bundle].rx);
}

/* ---- receive queues that are shared ------------------------------------ */

static void queues_are_there_while_a_connection_needs_them(struct kunit *test)
{
	start(test);
	KUNIT_EXPECT_EQ(test, world->rx_open, 0);
	KUNIT_EXPECT_EQ(test, get(1) ?: get(2) ?: get(3), 0);
	KUNIT_EXPECT_PTR_EQ(test, world->conns[1].rx, &world->set.rxs[1]);
	KUNIT_EXPECT_PTR_EQ(test, world->conns[2].rx, &world->set.rxs[0]);
	KUNIT_EXPECT_PTR_EQ(test, world->conns[3].rx, &world->set.rxs[1]);
	KUNIT_EXPECT_EQ(test, world->rx_open, 2);
	KUNIT_EXPECT_EQ(test, world->tx_open, 3);
	put(test, 1);
	KUNIT_EXPECT_EQ(test, world->rx_open, 2);
	put(test, 3);
	KUNIT_EXPECT_EQ(test, world->rx_open, 1);
	KUNIT_EXPECT_EQ(test, world->tx_open, 1);
	put(test, 2);
	stop(test);
}

static void there_are_as_many_as_channels_but_few(struct kunit *test)
{
	world->idev->chan_count = IPOIB_CONN_RXS_MAX + 1;
	start(test);
	KUNIT_EXPECT_EQ(test, world->set.rx_count, IPOIB_CONN_RXS_MAX);
	KUNIT_EXPECT_EQ(test, world->modered, IPOIB_CONN_RXS_MAX);
	KUNIT_EXPECT_EQ(test, ipoib_conn_queues_posted(&world->set),
			100 + (IPOIB_CONN_RXS_MAX - 1) * 7);
	stop(test);
}

static void all_are_moderated_until_one_cannot_be(struct kunit *test)
{
	start(test);
	mutex_lock(&world->idev->lock);
	KUNIT_EXPECT_EQ(test, ipoib_conn_queues_moderate(&world->set), 0);
	KUNIT_EXPECT_EQ(test, world->moderated, RXS + 1);
	world->tx_error = -EOPNOTSUPP;
	KUNIT_EXPECT_EQ(test, ipoib_conn_queues_moderate(&world->set), -EOPNOTSUPP);
	world->tx_error = 0;
	world->rx_error = -EINVAL;
	world->moderated = 0;
	KUNIT_EXPECT_EQ(test, ipoib_conn_queues_moderate(&world->set), -EINVAL);
	KUNIT_EXPECT_EQ(test, world->moderated, 1);
	mutex_unlock(&world->idev->lock);
	stop(test);
}

/* ---- receive queues of their own --------------------------------------- */

static void each_has_its_own_where_none_is_shared(struct kunit *test)
{
	world->shared = false;
	start(test);
	KUNIT_EXPECT_EQ(test, world->set.rx_count, 0);
	KUNIT_EXPECT_EQ(test, get(1) ?: get(2), 0);
	KUNIT_EXPECT_PTR_NE(test, world->conns[1].rx, world->conns[2].rx);
	KUNIT_EXPECT_EQ(test, world->modered, 2);
	KUNIT_EXPECT_EQ(test, world->rx_open, 2);
	KUNIT_EXPECT_EQ(test, world->tx_open, 2);
	put(test, 1);
	put(test, 2);
	stop(test);
}

/* ---- no memory --------------------------------------------------------- */

static void queues_that_cannot_be_made_leave_nothing(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		world->shared = i;
		start(test);
		world->tx_error = -ENOMEM;
		KUNIT_EXPECT_EQ(test, get(1), -ENOMEM);
		world->tx_error = 0;
		world->rx_error = -ENODEV;
		KUNIT_EXPECT_EQ(test, get(1), -ENODEV);
		KUNIT_EXPECT_NULL(test, world->conns[1].rx);
		world->rx_error = 0;
		stop(test);
		world->set.rx_count = 0;
	}
}

static void a_set_without_anything_to_send_with_is_none(struct kunit *test)
{
	world->tx_error = -ENOMEM;
	KUNIT_EXPECT_EQ(test, queues_init(), -ENOMEM);
	KUNIT_EXPECT_EQ(test, world->modered, 0);
	kfree(world->set.txs);
}

static struct kunit_case conn_queues_test_cases[] = {
	KUNIT_CASE(queues_are_there_while_a_connection_needs_them),
	KUNIT_CASE(there_are_as_many_as_channels_but_few),
	KUNIT_CASE(all_are_moderated_until_one_cannot_be),
	KUNIT_CASE(each_has_its_own_where_none_is_shared),
	KUNIT_CASE(queues_that_cannot_be_made_leave_nothing),
	KUNIT_CASE(a_set_without_anything_to_send_with_is_none),
	{}
};

static struct kunit_suite conn_queues_test_suite = {
	.name = "ipoib_conn_queues",
	.init = conn_queues_test_init,
	.test_cases = conn_queues_test_cases,
};

kunit_test_suite(conn_queues_test_suite);

MODULE_DESCRIPTION("Tests of the queues of connections of an IPoIB interface");
MODULE_LICENSE("GPL");
