// SPDX-License-Identifier: GPL-2.0
/*
 * In which order rings and queue pair start, stop and recover: what each of them is told is a
 * letter, and a case looks at the word that they make.
 */
#include <kunit/test.h>
#include <linux/netdevice.h>

#include "../device.h"

/* A case begins and ends in different tasks, so none can hold the device's lock all the time. */
#undef lockdep_assert_held
#define lockdep_assert_held(_lock)	((void)(_lock))
#include "../dev_rings.c"

#include "../backoff.c"

/**
 * struct world - an interface, and what its parts were told
 * @dev: the net_device
 * @idev: the interface
 * @ibdev: its device
 * @word: what they were told, a letter each
 * @fails: the letter of what fails
 * @err: how
 * @sends_only: only the send queue has failed
 * @later: delay of another try, or -1
 * @self: what the receive ring was told of its interface
 * @forgotten: the peer that was forgotten
 * @rx_slots: size of the receive ring that was made last
 * @tx_slots: size of the send ring
 * @exits: parts that were taken apart
 */
static struct world {
	struct net_device *dev;
	struct ipoib_dev *idev;
	struct ib_device ibdev;
	char word[64];
	char fails;
	int err;
	bool sends_only;
	long later;
	struct ipoib_ud_rx_self self;
	struct ipoib_hwaddr forgotten;
	u32 rx_slots;
	u32 tx_slots;
	unsigned int exits;
} *world;

static int told(char what)
{
	size_t len = strlen(world->word);

	if (len + 1 < sizeof(world->word))
		world->word[len] = what;
	return what == world->fails ? world->err : 0;
}

/*
 * ---- the parts ----
 *
 * The queue pair is armed (A), started (S), brought into error (E), reset (R), replaced by a new
 * one (N), has its sends resumed (U) or is destroyed (X). The send ring is allocated (a), started
 * (t), stopped (-), drained (d), halted (h), purged (x) and freed (f); the receive ring likewise
 * is b, r, _, e, i, y and g. All peers are forgotten (p).
 */

u32 ipoib_port_longest(struct ib_device *ibdev, u32 port)
{
	return IPOIB_MTU_IB;
}

void ipoib_moder_init(struct ipoib_moder *moder, const struct ipoib_coalesce *coalesce, bool tx)
{
	moder->coalesce = coalesce;
	moder->tx = tx;
}

unsigned int ipoib_dev_rx_mtu(const struct ipoib_dev *idev)
{
	return 4092;
}

unsigned int ipoib_dev_link_mtu(const struct ipoib_dev *idev)
{
	return 2044;
}

void ipoib_dev_kick_later(struct ipoib_dev *idev, enum ipoib_dev_pending what, unsigned long delay)
{
	if (what == IPOIB_DEV_QP_FAILED)
		world->later = delay;
}

void ipoib_ah_bin_init(struct ipoib_ah_bin *bin)
{
}

void ipoib_ah_bin_exit(struct ipoib_ah_bin *bin)
{
	world->exits++;
}

/* Of the other channels it is only told when they are finished (c). */
int ipoib_dev_chans_init(struct ipoib_dev *idev)
{
	return 0;
}

void ipoib_dev_chans_exit(struct ipoib_dev *idev)
{
	world->exits++;
}

void ipoib_dev_chans_start(struct ipoib_dev *idev)
{
}

void ipoib_dev_chans_stop(struct ipoib_dev *idev)
{
}

void ipoib_dev_chans_finish(struct ipoib_dev *idev, unsigned long deadline)
{
	told('c');
}

bool ipoib_dev_chans_hold(struct ipoib_dev *idev)
{
	return false;
}

void ipoib_dev_chans_recover(struct ipoib_dev *idev)
{
}

void ipoib_peertable_flush(struct ipoib_peertable *table)
{
	told('p');
}

void ipoib_peertable_forget(struct ipoib_peertable *table, const struct ipoib_hwaddr *addr)
{
	world->forgotten = *addr;
}

int ipoib_qp_init(struct ipoib_qp *qp)
{
	return 0;
}

void ipoib_qp_exit(struct ipoib_qp *qp)
{
	told('X');
}

int ipoib_qp_arm(struct ipoib_qp *qp, u16 pkey_index)
{
	return told('A');
}

int ipoib_qp_start(struct ipoib_qp *qp, u16 pkey_index, u32 qkey)
{
	return told('S');
}

int ipoib_qp_move(struct ipoib_qp *qp, enum ib_qp_state state)
{
	return told(state == IB_QPS_ERR ? 'E' : state == IB_QPS_RESET ? 'R' : '?');
}

int ipoib_qp_renew(struct ipoib_qp *qp)
{
	return told('N');
}

bool ipoib_qp_only_sends_failed(struct ipoib_qp *qp)
{
	return world->sends_only;
}

int ipoib_qp_resume(struct ipoib_qp *qp)
{
	return told('U');
}

void ipoib_ud_tx_init(struct ipoib_ud_tx *tx)
{
}

void ipoib_ud_tx_exit(struct ipoib_ud_tx *tx)
{
	world->exits++;
}

int ipoib_ud_tx_alloc(struct ipoib_ud_tx *tx, u32 slots)
{
	world->tx_slots = slots;
	return told('a');
}

void ipoib_ud_tx_free(struct ipoib_ud_tx *tx)
{
	told('f');
}

void ipoib_ud_tx_start(struct ipoib_ud_tx *tx, u32 qkey)
{
	told('t');
}

void ipoib_ud_tx_stop(struct ipoib_ud_tx *tx)
{
	told('-');
}

bool ipoib_ud_tx_drain(struct ipoib_ud_tx *tx, unsigned long deadline)
{
	return !told('d');
}

void ipoib_ud_tx_halt(struct ipoib_ud_tx *tx)
{
	told('h');
}

void ipoib_ud_tx_purge(struct ipoib_ud_tx *tx)
{
	told('x');
}

void ipoib_ud_rx_init(struct ipoib_ud_rx *rx)
{
}

void ipoib_ud_rx_exit(struct ipoib_ud_rx *rx)
{
	world->exits++;
}

int ipoib_ud_rx_alloc(struct ipoib_ud_rx *rx, u32 slots)
{
	world->rx_slots = slots;
	return told('b');
}

void ipoib_ud_rx_free(struct ipoib_ud_rx *rx)
{
	told('g');
}

void ipoib_ud_rx_start(struct ipoib_ud_rx *rx, const struct ipoib_ud_rx_self *self)
{
	world->self = *self;
	rx->running = true;
	told('r');
}

void ipoib_ud_rx_stop(struct ipoib_ud_rx *rx)
{
	told('_');
}

bool ipoib_ud_rx_drain(struct ipoib_ud_rx *rx, unsigned long deadline)
{
	return !told('e');
}

void ipoib_ud_rx_halt(struct ipoib_ud_rx *rx)
{
	told('i');
}

void ipoib_ud_rx_purge(struct ipoib_ud_rx *rx)
{
	told('y');
}

/* ---- the interface ----------------------------------------------------- */

#define START	"abSrt"
#define HALT	"-_Edehi"
#define PURGE	"Rxy"
#define FREE	"gf"

static void setup_dev(struct net_device *dev)
{
}

static int dev_rings_test_init(struct kunit *test)
{
	struct ipoib_dev *idev;

	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world);
	idev = kunit_kzalloc(test, sizeof(*idev), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, idev);
	world->dev = alloc_netdev(0, "rings%d", NET_NAME_ENUM, setup_dev);
	KUNIT_ASSERT_NOT_NULL(test, world->dev);
	world->idev = idev;
	world->later = -1;
	world->ibdev.attrs.max_send_sge = 3;
	idev->dev = world->dev;
	idev->fabric.ibdev = &world->ibdev;
	idev->fabric.wq = system_wq;
	idev->fabric.link.lid = 9;
	idev->fabric.link.gid.raw[15] = 1;
	idev->qp.qpn = 0x123;
	idev->broadcast.raw[0] = 0xff;
	idev->recover_at = jiffies - HZ;
	mutex_init(&idev->lock);
	mutex_init(&idev->mcast.attach_lock);
	KUNIT_ASSERT_EQ(test, ipoib_dev_qp_init(idev), 0);
	KUNIT_ASSERT_EQ(test, ipoib_dev_rings_init(idev), 0);
	return 0;
}

static void dev_rings_test_exit(struct kunit *test)
{
	if (!world || !world->idev)
		return;
	ipoib_dev_rings_exit(world->idev);
	KUNIT_EXPECT_EQ(test, world->exits, 4);
	free_netdev(world->dev);
}

/* What they were told since the last look. */
static void word_is(struct kunit *test, const char *word)
{
	KUNIT_EXPECT_STREQ(test, world->word, word);
	memset(world->word, 0, sizeof(world->word));
}

static void fail(char what, int err)
{
	world->fails = what;
	world->err = err;
}

static void start(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ipoib_dev_qp_arm(world->idev), 0);
	word_is(test, "A");
	KUNIT_EXPECT_EQ(test, ipoib_dev_rings_start(world->idev), 0);
	word_is(test, START);
	KUNIT_EXPECT_TRUE(test, world->idev->rings);
}

/* ---- cases ------------------------------------------------------------- */

static void the_rings_know_their_interface(struct kunit *test)
{
	struct ipoib_dev *idev = world->idev;

	KUNIT_EXPECT_EQ(test, idev->rx.longest, IPOIB_MTU_IB);
	KUNIT_EXPECT_EQ(test, idev->tx.ring.max_sge, 3);
	KUNIT_EXPECT_PTR_EQ(test, idev->tx.dev, idev->dev);
	KUNIT_EXPECT_PTR_EQ(test, idev->tx.txq, netdev_get_tx_queue(idev->dev, 0));
	KUNIT_EXPECT_PTR_EQ(test, idev->tx.qp, &idev->qp);
	KUNIT_EXPECT_PTR_EQ(test, idev->tx.drops, &idev->drops);
	KUNIT_EXPECT_PTR_EQ(test, idev->tx.bin, &idev->ah_bin);
	KUNIT_EXPECT_EQ(test, idev->tx.failure, IPOIB_DEV_QP_FAILED);
	KUNIT_EXPECT_PTR_EQ(test, idev->ah_bin.users, &idev->users);
	KUNIT_EXPECT_PTR_EQ(test, idev->ah_bin.wq, idev->fabric.wq);
	KUNIT_EXPECT_PTR_EQ(test, idev->rx.dev, idev->dev);
	KUNIT_EXPECT_PTR_EQ(test, idev->rx.qp, &idev->qp);
	KUNIT_EXPECT_PTR_EQ(test, idev->rx.drops, &idev->drops);
	KUNIT_EXPECT_PTR_EQ(test, idev->rx.wq, idev->fabric.wq);
	KUNIT_EXPECT_PTR_EQ(test, idev->rx.moder.coalesce,
			    (const struct ipoib_coalesce *)&idev->rx_moder);
	KUNIT_EXPECT_PTR_EQ(test, idev->tx.moder.coalesce,
			    (const struct ipoib_coalesce *)&idev->tx_moder);
	KUNIT_EXPECT_TRUE(test, idev->tx.moder.tx);
	KUNIT_EXPECT_FALSE(test, idev->rx.moder.tx);
}

static void they_start_after_the_queue_pair_and_stop_before_it(struct kunit *test)
{
	start(test);
	KUNIT_EXPECT_EQ(test, world->self.qpn, 0x123);
	KUNIT_EXPECT_EQ(test, world->self.gid.raw[15], 1);
	KUNIT_EXPECT_EQ(test, world->self.broadcast.raw[0], 0xff);
	KUNIT_EXPECT_EQ(test, world->self.max_len, 4092);
	KUNIT_EXPECT_TRUE(test, world->self.lids);
	KUNIT_EXPECT_EQ(test, world->idev->max_len, 2044);
	set_bit(IPOIB_DEV_QP_FAILED, &world->idev->pending);
	ipoib_dev_rings_stop(world->idev);
	word_is(test, HALT PURGE FREE);
	KUNIT_EXPECT_FALSE(test, world->idev->rings);
	KUNIT_EXPECT_FALSE(test, world->idev->armed);
	KUNIT_EXPECT_EQ(test, world->idev->pending, 0);
	/* There is nothing more to stop. */
	ipoib_dev_rings_stop(world->idev);
	ipoib_dev_qp_disarm(world->idev);
	word_is(test, "");
	ipoib_dev_qp_exit(world->idev);
	word_is(test, "X");
}

static void what_cannot_be_started_leaves_nothing(struct kunit *test)
{
	fail('a', -ENOMEM);
	KUNIT_EXPECT_EQ(test, ipoib_dev_rings_start(world->idev), -ENOMEM);
	word_is(test, "a");
	fail('b', -ENOMEM);
	KUNIT_EXPECT_EQ(test, ipoib_dev_rings_start(world->idev), -ENOMEM);
	word_is(test, "abf");
	fail('S', -EIO);
	KUNIT_EXPECT_EQ(test, ipoib_dev_rings_start(world->idev), -EIO);
	word_is(test, "abSgf");
	KUNIT_EXPECT_FALSE(test, world->idev->rings);
}

static void an_hca_that_gives_nothing_back_is_not_waited_for_twice(struct kunit *test)
{
	start(test);
	fail('d', 1);
	ipoib_dev_rings_stop(world->idev);
	word_is(test, "-_Edhi" PURGE FREE);
	/* Nor at all if the queue pair does not go into error, or a CQ has failed. */
	fail(0, 0);
	start(test);
	fail('E', -EIO);
	ipoib_dev_rings_stop(world->idev);
	word_is(test, "-_Ehi" PURGE FREE);
	fail(0, 0);
	start(test);
	world->idev->renewal_due = true;
	ipoib_dev_rings_stop(world->idev);
	word_is(test, "-_Ehi" PURGE FREE);
}

static void what_the_hca_may_still_use_is_kept(struct kunit *test)
{
	start(test);
	fail('R', -EIO);
	ipoib_dev_rings_stop(world->idev);
	word_is(test, HALT "R");
	KUNIT_EXPECT_TRUE(test, world->idev->rings_held);
	KUNIT_EXPECT_TRUE(test, world->idev->reset_due);
	/* The next start tries to reset it again, and takes another queue pair if that fails. */
	KUNIT_EXPECT_EQ(test, ipoib_dev_qp_arm(world->idev), 0);
	word_is(test, "RNxy" FREE "A");
	KUNIT_EXPECT_TRUE(test, world->idev->renewed);
	KUNIT_EXPECT_FALSE(test, world->idev->rings_held);
	KUNIT_EXPECT_FALSE(test, world->idev->reset_due);
	/* Or it is given back when the queue pair is destroyed. */
	fail(0, 0);
	KUNIT_EXPECT_EQ(test, ipoib_dev_rings_start(world->idev), 0);
	fail('R', -EIO);
	word_is(test, START);
	ipoib_dev_rings_stop(world->idev);
	word_is(test, HALT "R");
	ipoib_dev_qp_exit(world->idev);
	word_is(test, "Xxy" FREE);
}

static void they_are_made_anew_in_other_sizes(struct kunit *test)
{
	struct ipoib_dev *idev = world->idev;

	KUNIT_EXPECT_EQ(test, idev->rx_slots, IPOIB_UD_RX_SLOTS);
	KUNIT_EXPECT_EQ(test, idev->tx_slots, IPOIB_UD_TX_SLOTS);
	KUNIT_EXPECT_EQ(test, ipoib_dev_rings_resize(idev, 512, 128), 0);
	word_is(test, "");
	start(test);
	KUNIT_EXPECT_EQ(test, world->rx_slots, 512);
	KUNIT_EXPECT_EQ(test, world->tx_slots, 128);
	KUNIT_EXPECT_EQ(test, ipoib_dev_rings_resize(idev, 512, 128), 0);
	word_is(test, "");
	/* What was sent has left before the queue pair stops. */
	KUNIT_EXPECT_EQ(test, ipoib_dev_rings_resize(idev, 1024, 128), 0);
	word_is(test, "-cd" HALT PURGE FREE "A" START);
	KUNIT_EXPECT_EQ(test, world->rx_slots, 1024);
	KUNIT_EXPECT_TRUE(test, idev->rings);
	KUNIT_EXPECT_EQ(test, idev->recover_failures, 0);
}

static void sizes_that_there_is_no_memory_for_are_not_kept(struct kunit *test)
{
	struct ipoib_dev *idev = world->idev;

	start(test);
	fail('b', -ENOMEM);
	KUNIT_EXPECT_EQ(test, ipoib_dev_rings_resize(idev, 1024, 64), -ENOMEM);
	/* Neither is there any for the old ones. */
	word_is(test, "-cd" HALT PURGE FREE "Aabfabf");
	KUNIT_EXPECT_EQ(test, idev->rx_slots, IPOIB_UD_RX_SLOTS);
	KUNIT_EXPECT_EQ(test, idev->tx_slots, IPOIB_UD_TX_SLOTS);
	KUNIT_EXPECT_FALSE(test, idev->rings);
	fail(0, 0);
	ipoib_dev_qp_disarm(idev);
	word_is(test, "R");
	start(test);
	fail('R', -EIO);
	KUNIT_EXPECT_EQ(test, ipoib_dev_rings_resize(idev, 1024, 64), 0);
	word_is(test, "-cd" HALT "R");
	KUNIT_EXPECT_TRUE(test, idev->rings_held);
	KUNIT_EXPECT_EQ(test, idev->rx_slots, 1024);
}

static void one_that_has_failed_is_not_brought_back_by_that(struct kunit *test)
{
	start(test);
	set_bit(IPOIB_DEV_QP_FAILED, &world->idev->pending);
	KUNIT_EXPECT_EQ(test, ipoib_dev_rings_resize(world->idev, 512, 64), -EBUSY);
	word_is(test, "");
	KUNIT_EXPECT_EQ(test, world->idev->rx_slots, IPOIB_UD_RX_SLOTS);
}

static void a_queue_pair_of_one_life_leaves_sizes_for_the_next(struct kunit *test)
{
	start(test);
	fail('A', -EINVAL);
	KUNIT_EXPECT_EQ(test, ipoib_dev_rings_resize(world->idev, 512, 64), 0);
	word_is(test, "-cd" HALT PURGE FREE "A");
	KUNIT_EXPECT_FALSE(test, world->idev->rings);
	KUNIT_EXPECT_EQ(test, world->idev->rx_slots, 512);
	KUNIT_EXPECT_EQ(test, world->idev->tx_slots, 64);
}

static void a_queue_pair_is_reset_or_replaced_if_it_has_to_be(struct kunit *test)
{
	struct ipoib_dev *idev = world->idev;

	idev->reset_due = true;
	KUNIT_EXPECT_EQ(test, ipoib_dev_qp_arm(idev), 0);
	word_is(test, "RA");
	KUNIT_EXPECT_FALSE(test, idev->renewed);
	idev->renewal_due = true;
	KUNIT_EXPECT_EQ(test, ipoib_dev_qp_arm(idev), 0);
	word_is(test, "NA");
	KUNIT_EXPECT_TRUE(test, idev->renewed);
	KUNIT_EXPECT_FALSE(test, idev->renewal_due);
	idev->renewal_due = true;
	fail('N', -ENOMEM);
	KUNIT_EXPECT_EQ(test, ipoib_dev_qp_arm(idev), -ENOMEM);
	word_is(test, "N");
	KUNIT_EXPECT_TRUE(test, idev->renewal_due);
	idev->renewal_due = false;
	/* A refusal is only that, but for one that says that the state is wrong. */
	fail('A', -EIO);
	KUNIT_EXPECT_EQ(test, ipoib_dev_qp_arm(idev), -EIO);
	word_is(test, "A");
	KUNIT_EXPECT_TRUE(test, idev->reset_due);
	KUNIT_EXPECT_FALSE(test, idev->armed);
	idev->reset_due = false;
	fail('A', -EINVAL);
	KUNIT_EXPECT_EQ(test, ipoib_dev_qp_arm(idev), -EINVAL);
	word_is(test, "ANA");
}

static void a_failed_queue_pair_is_started_again(struct kunit *test)
{
	start(test);
	world->idev->recover_failures = 3;
	KUNIT_EXPECT_EQ(test, ipoib_dev_rings_recover(world->idev), 0);
	word_is(test, HALT PURGE "pASrt");
	KUNIT_EXPECT_EQ(test, world->idev->recoveries, 1);
	KUNIT_EXPECT_EQ(test, world->idev->recover_failures, 4);
	KUNIT_EXPECT_TRUE(test, time_after(world->idev->recover_at, jiffies));
	/* After a while of quiet it counts from the beginning. */
	world->idev->recover_at = jiffies - RECOVER_QUIET - HZ;
	fail('S', -EIO);
	KUNIT_EXPECT_EQ(test, ipoib_dev_rings_recover(world->idev), -EIO);
	word_is(test, HALT PURGE "pAS" FREE);
	KUNIT_EXPECT_EQ(test, world->idev->recover_failures, 1);
	KUNIT_EXPECT_FALSE(test, world->idev->rings);
}

static void one_that_cannot_be_reset_is_not_started_again(struct kunit *test)
{
	start(test);
	fail('R', -EIO);
	KUNIT_EXPECT_EQ(test, ipoib_dev_rings_recover(world->idev), -EIO);
	word_is(test, HALT "Rp");
	KUNIT_EXPECT_FALSE(test, world->idev->rings);
	KUNIT_EXPECT_TRUE(test, world->idev->rings_held);
}

static void a_failed_send_ends_no_receiving(struct kunit *test)
{
	struct ipoib_dev *idev = world->idev;

	start(test);
	world->sends_only = true;
	idev->tx.ring.culprit.gid[3] = 7;
	set_bit(IPOIB_DEV_QP_FAILED, &idev->pending);
	KUNIT_EXPECT_EQ(test, ipoib_dev_rings_recover(idev), 0);
	word_is(test, "-dUhxt");
	KUNIT_EXPECT_EQ(test, world->forgotten.gid[3], 7);
	KUNIT_EXPECT_EQ(test, idev->pending, 0);
	/* If that does not work, all is started again. */
	fail('U', -EIO);
	KUNIT_EXPECT_EQ(test, ipoib_dev_rings_recover(idev), 0);
	word_is(test, "-dU" HALT PURGE "pASrt");
	fail('d', 1);
	KUNIT_EXPECT_EQ(test, ipoib_dev_rings_recover(idev), 0);
	word_is(test, "-d-_Edhi" PURGE "pASrt");
}

static void more_than_a_failed_send_takes_a_reset(struct kunit *test)
{
	struct ipoib_dev *idev = world->idev;

	start(test);
	world->sends_only = true;
	/* The HCA may still send what it will never report. */
	idev->tx.ring.ring.head++;
	KUNIT_EXPECT_EQ(test, ipoib_dev_rings_recover(idev), 0);
	word_is(test, "-d" HALT PURGE "pASrt");
	idev->tx.ring.ring.tail++;
	idev->rx.running = false;
	KUNIT_EXPECT_EQ(test, ipoib_dev_rings_recover(idev), 0);
	word_is(test, "-d" HALT PURGE "pASrt");
}

static void recoveries_become_ever_slower(struct kunit *test)
{
	struct ipoib_dev *idev = world->idev;

	KUNIT_EXPECT_FALSE(test, ipoib_dev_rings_must_wait(idev));
	word_is(test, "-");
	KUNIT_EXPECT_EQ(test, world->later, -1);
	idev->recover_at = jiffies + HZ;
	KUNIT_EXPECT_TRUE(test, ipoib_dev_rings_must_wait(idev));
	word_is(test, "-");
	KUNIT_EXPECT_GT(test, world->later, 0);
	KUNIT_EXPECT_LE(test, world->later, HZ);
	/* A time that is farther away than any is one of long ago. */
	idev->recover_at = jiffies + 100 * HZ;
	KUNIT_EXPECT_FALSE(test, ipoib_dev_rings_must_wait(idev));
}

static struct kunit_case dev_rings_test_cases[] = {
	KUNIT_CASE(the_rings_know_their_interface),
	KUNIT_CASE(they_start_after_the_queue_pair_and_stop_before_it),
	KUNIT_CASE(what_cannot_be_started_leaves_nothing),
	KUNIT_CASE(an_hca_that_gives_nothing_back_is_not_waited_for_twice),
	KUNIT_CASE(what_the_hca_may_still_use_is_kept),
	KUNIT_CASE(they_are_made_anew_in_other_sizes),
	KUNIT_CASE(sizes_that_there_is_no_memory_for_are_not_kept),
	KUNIT_CASE(one_that_has_failed_is_not_brought_back_by_that),
	KUNIT_CASE(a_queue_pair_of_one_life_leaves_sizes_for_the_next),
	KUNIT_CASE(a_queue_pair_is_reset_or_replaced_if_it_has_to_be),
	KUNIT_CASE(a_failed_queue_pair_is_started_again),
	KUNIT_CASE(one_that_cannot_be_reset_is_not_started_again),
	KUNIT_CASE(a_failed_send_ends_no_receiving),
	KUNIT_CASE(more_than_a_failed_send_takes_a_reset),
	KUNIT_CASE(recoveries_become_ever_slower),
	{}
};

static struct kunit_suite dev_rings_test_suite = {
	.name = "ipoib_dev_rings",
	.init = dev_rings_test_init,
	.exit = dev_rings_test_exit,
	.test_cases = dev_rings_test_cases,
};

kunit_test_suite(dev_rings_test_suite);

MODULE_DESCRIPTION("Tests of starting and stopping the rings of IPoIB");
MODULE_LICENSE("GPL");
