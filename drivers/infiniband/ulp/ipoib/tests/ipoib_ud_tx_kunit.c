// SPDX-License-Identifier: GPL-2.0
/*
 * A send ring of datagrams: when its queue stops and is woken, and what BQL is told. The ring is no
 * more than its indices.
 */
#include <kunit/test.h>
#include <linux/netdevice.h>

static unsigned int bql_sent, bql_done, wakes, reaps, polls;

/* ud_tx.h calls it, too. */
#define netdev_tx_sent_queue(_txq, _bytes)		(bql_sent += (_bytes))

#include "../device.h"
#include "../qp.h"
#include "false_cq.h"

static void stops(struct netdev_queue *txq);

#define ipoib_poll_end(_napi, _cq, _work, _budget)	((void)(_napi), _work)
#define ipoib_poll_soon(_napi)				((void)(_napi), polls++)
#define napi_enable(_napi)				((void)(_napi))
#define napi_disable(_napi)				((void)(_napi))
#define napi_schedule(_napi)				((void)(_napi), polls++)
#define netdev_tx_completed_queue(_txq, _n, _bytes)	(bql_done += (_bytes))
#define netdev_tx_reset_queue(_txq)			(bql_done = bql_sent)
#define netif_tx_wake_queue(_txq)			(wakes++, netif_tx_start_queue(_txq))
#define netif_tx_stop_queue(_txq)			stops(_txq)
#define mod_delayed_work(_wq, _work, _delay)		((void)(_work), reaps++)
#include "../ud_tx.c"

#define LEN	100

/**
 * struct world - a ring and its HCA
 * @idev: the interface; the ring is part of it
 * @txq: the queue of the stack
 * @tx: the ring
 * @ibdev: the HCA
 * @pd: its protection domain
 * @cq: the completion queue
 * @qp: the queue pair
 * @posts: how often the doorbell rang
 * @refuses: octets that the HCA refuses of each batch
 * @whole: it takes the last one of a batch
 * @dropped: packets that were dropped because the ring was stopped
 * @full: packets that were dropped because it was full
 * @failed: how often the queue pair was said to have failed
 * @ends_first: packets that complete just before the queue stops the next time
 * @sampled: packets that the moderation was told of
 * @asked: somebody waits for the end of the last batch
 */
static struct world {
	struct ipoib_dev *idev;
	struct netdev_queue txq;
	struct ipoib_ud_tx *tx;
	struct ib_device ibdev;
	struct ib_pd pd;
	struct ib_cq cq;
	struct ib_qp qp;
	unsigned int posts;
	unsigned int refuses;
	bool whole;
	unsigned int dropped;
	unsigned int full;
	unsigned int failed;
	unsigned int ends_first;
	unsigned int sampled;
	bool asked;
} *world;

/* ---- what ud_tx.c calls of the driver ---------------------------------- */

void ipoib_dev_kick(struct ipoib_dev *idev, enum ipoib_dev_pending what)
{
	world->failed += what == IPOIB_DEV_QP_FAILED;
}

void ipoib_drop_skb(struct ipoib_drops *drops, enum ipoib_drop_reason reason, struct sk_buff *skb)
{
	world->dropped += reason == IPOIB_DROP_TX_DOWN;
	world->full += reason == IPOIB_DROP_TX_QUEUE_FULL;
	kfree_skb(skb);
}

void ipoib_ah_bin_add_ring(struct ipoib_ah_bin *bin, const struct ipoib_txring *ring)
{
}

void ipoib_moder_exit(struct ipoib_moder *moder)
{
}

void ipoib_moder_sample(struct ipoib_moder *moder, unsigned int packets, u64 bytes, bool ended)
{
	world->sampled += packets;
}

int ipoib_txring_alloc(struct ipoib_txring *tx, u32 slots)
{
	ipoib_ring_resize(&tx->ring, slots);
	return 0;
}

void ipoib_txring_free(struct ipoib_txring *tx)
{
}

bool ipoib_txring_add(struct ipoib_txring *tx, struct sk_buff *skb, const struct ipoib_tx_to *to)
{
	tx->batch->bytes += skb->len;
	tx->batch->count++;
	ipoib_ring_push(&tx->ring, 1);
	kfree_skb(skb);
	return true;
}

struct ipoib_tx_posted ipoib_txring_post(struct ipoib_txring *tx, bool ask)
{
	world->posts++;
	world->asked = ask;
	if (world->refuses && !world->whole)
		ipoib_ring_unpush(&tx->ring, 1);
	tx->batch->count = 0;
	tx->batch->bytes = 0;
	return (struct ipoib_tx_posted) {
		.refused_bytes = world->refuses,
		.whole = world->whole,
	};
}

void ipoib_txring_complete(struct ipoib_txring *tx, const struct ib_wc *wc, int budget,
			   struct ipoib_tx_done *done)
{
	ipoib_ring_pop(&tx->ring, 1);
	done->packets++;
	done->bytes += LEN;
	done->bad |= wc->status != IB_WC_SUCCESS;
}

void ipoib_txring_purge(struct ipoib_txring *tx, struct ipoib_tx_done *done)
{
	ipoib_ring_pop(&tx->ring, ipoib_ring_used(&tx->ring));
}

/* ---- the ring ---------------------------------------------------------- */

static void setup_dev(struct net_device *dev)
{
}

static int ud_tx_test_init(struct kunit *test)
{
	struct ipoib_dev *idev = kunit_kzalloc(test, sizeof(*idev), GFP_KERNEL);
	struct ipoib_ud_tx *tx;

	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, idev);
	KUNIT_ASSERT_NOT_NULL(test, world);
	idev->dev = alloc_netdev(0, "udtx%d", NET_NAME_ENUM, setup_dev);
	KUNIT_ASSERT_NOT_NULL(test, idev->dev);
	bql_sent = 0;
	bql_done = 0;
	wakes = 0;
	reaps = 0;
	polls = 0;
	tx = &idev->tx;
	world->idev = idev;
	world->tx = tx;
	world->whole = true;
	false_cq_init(&world->ibdev, &world->cq);
	world->pd.device = &world->ibdev;
	spin_lock_init(&world->txq._xmit_lock);
	world->txq.dev = idev->dev;
	set_bit(__QUEUE_STATE_DRV_XOFF, &world->txq.state);
	INIT_LIST_HEAD(&idev->ah_bin.retired);
	idev->qp.pd = &world->pd;
	idev->qp.ib = &world->qp;
	idev->qp.send_cq = &world->cq;
	tx->dev = idev->dev;
	tx->txq = &world->txq;
	tx->qp = &idev->qp;
	tx->drops = &idev->drops;
	tx->bin = &idev->ah_bin;
	tx->failure = IPOIB_DEV_QP_FAILED;
	ipoib_ud_tx_init(tx);
	KUNIT_ASSERT_EQ(test, ipoib_ud_tx_alloc(tx, IPOIB_UD_TX_SLOTS), 0);
	ipoib_ud_tx_start(tx, 0xb1b);
	return 0;
}

static void ud_tx_test_exit(struct kunit *test)
{
	if (!world || !world->tx)
		return;
	ipoib_ud_tx_stop(world->tx);
	ipoib_ud_tx_halt(world->tx);
	ipoib_ud_tx_purge(world->tx);
	ipoib_ud_tx_free(world->tx);
	ipoib_ud_tx_exit(world->tx);
	free_netdev(world->idev->dev);
}

static void send(unsigned int n)
{
	struct ipoib_ah ah = {};

	local_bh_disable();
	while (n--) {
		struct sk_buff *skb = alloc_skb(LEN, GFP_ATOMIC);

		if (!skb)
			break;
		skb_put_zero(skb, LEN);
		ipoib_ud_tx_send(world->tx, skb, &ah, 0x222);
	}
	local_bh_enable();
}

static void flush(void)
{
	local_bh_disable();
	ipoib_ud_tx_flush(world->tx);
	local_bh_enable();
}

static void end(unsigned int n, enum ib_wc_status status)
{
	while (n--)
		false_cq_add(&(struct ib_wc){ .status = status });
	local_bh_disable();
	tx_poll(&world->tx->napi, 64);
	local_bh_enable();
}

static void stops(struct netdev_queue *txq)
{
	unsigned int n = world->ends_first;

	world->ends_first = 0;
	if (n)
		end(n, IB_WC_SUCCESS);
	set_bit(__QUEUE_STATE_DRV_XOFF, &txq->state);
}

static bool is_stopped(void)
{
	return netif_tx_queue_stopped(&world->txq);
}

/* ---- cases ------------------------------------------------------------- */

static void a_ring_that_starts_wakes_its_queue_and_looks_once(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, world->tx->running);
	KUNIT_EXPECT_FALSE(test, is_stopped());
	KUNIT_EXPECT_EQ(test, polls, 1);
	KUNIT_EXPECT_EQ(test, world->tx->to.qkey, 0xb1b);
	KUNIT_EXPECT_PTR_EQ(test, world->tx->ring.qp, &world->qp);
	KUNIT_EXPECT_EQ(test, world->tx->ring.epoch, 1);
	KUNIT_EXPECT_TRUE(test, ipoib_ud_tx_has_room(world->tx));
}

static void a_ring_that_starts_again_remembers_nothing(struct kunit *test)
{
	ipoib_ud_tx_stop(world->tx);
	ipoib_ud_tx_halt(world->tx);
	ipoib_ud_tx_purge(world->tx);
	world->tx->ring.unsignaled = 3;
	world->tx->ring.mute = 3;
	world->tx->ring.held = true;
	memset(&world->tx->ring.culprit, 7, sizeof(world->tx->ring.culprit));
	ipoib_ud_tx_start(world->tx, 0xb1b);
	KUNIT_EXPECT_EQ(test, world->tx->ring.unsignaled, 0);
	KUNIT_EXPECT_EQ(test, world->tx->ring.mute, 0);
	KUNIT_EXPECT_FALSE(test, world->tx->ring.held);
	KUNIT_EXPECT_NULL(test, memchr_inv(&world->tx->ring.culprit, 0,
					   sizeof(world->tx->ring.culprit)));
}

static void packets_are_posted_in_batches(struct kunit *test)
{
	flush();
	KUNIT_EXPECT_EQ(test, world->posts, 0);
	send(IPOIB_TX_BATCH - 1);
	KUNIT_EXPECT_EQ(test, world->posts, 0);
	send(1);
	KUNIT_EXPECT_EQ(test, world->posts, 1);
	send(3);
	KUNIT_EXPECT_EQ(test, world->posts, 1);
	flush();
	KUNIT_EXPECT_EQ(test, world->posts, 2);
	KUNIT_EXPECT_EQ(test, bql_sent, (IPOIB_TX_BATCH + 3) * LEN);
	end(2, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, bql_done, 2 * LEN);
}

static void a_ring_that_the_hca_takes_less_of_is_not_full(struct kunit *test)
{
	send(IPOIB_UD_TX_SLOTS - 1);
	world->refuses = LEN;
	world->whole = false;
	send(1);
	KUNIT_EXPECT_FALSE(test, is_stopped());
	KUNIT_EXPECT_TRUE(test, ipoib_ud_tx_has_room(world->tx));
	KUNIT_EXPECT_EQ(test, world->failed, 1);
	KUNIT_EXPECT_EQ(test, u64_stats_read(&world->tx->stats.stops), 0);
}

/* What the stack has queued meanwhile nobody else looks for. */
static void a_queue_that_stops_when_there_is_room_again_is_woken(struct kunit *test)
{
	wakes = 0;
	world->ends_first = IPOIB_UD_TX_SLOTS / 4 - 1;
	send(IPOIB_UD_TX_SLOTS);
	KUNIT_EXPECT_TRUE(test, is_stopped());
	end(1, IB_WC_SUCCESS);
	KUNIT_EXPECT_FALSE(test, is_stopped());
	KUNIT_EXPECT_EQ(test, wakes, 1);
	world->ends_first = IPOIB_UD_TX_SLOTS / 4;
	send(IPOIB_UD_TX_SLOTS / 4);
	KUNIT_EXPECT_FALSE(test, is_stopped());
	KUNIT_EXPECT_EQ(test, wakes, 2);
}

static void the_queue_stops_until_a_quarter_is_free(struct kunit *test, unsigned int slots)
{
	send(slots - 1);
	KUNIT_EXPECT_FALSE(test, is_stopped());
	send(1);
	KUNIT_EXPECT_TRUE(test, is_stopped());
	KUNIT_EXPECT_FALSE(test, ipoib_ud_tx_has_room(world->tx));
	KUNIT_EXPECT_EQ(test, u64_stats_read(&world->tx->stats.stops), 1);
	KUNIT_EXPECT_EQ(test, bql_sent, slots * LEN);
	/* Packets of other queues may come all the same. */
	send(1);
	KUNIT_EXPECT_EQ(test, world->full, 1);
	wakes = 0;
	end(slots / 4 - 1, IB_WC_SUCCESS);
	KUNIT_EXPECT_TRUE(test, is_stopped());
	end(1, IB_WC_SUCCESS);
	KUNIT_EXPECT_FALSE(test, is_stopped());
	KUNIT_EXPECT_EQ(test, wakes, 1);
	end(1, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, wakes, 1);
	KUNIT_EXPECT_EQ(test, world->dropped, 0);
}

static void a_full_ring_stops_its_queue(struct kunit *test)
{
	the_queue_stops_until_a_quarter_is_free(test, IPOIB_UD_TX_SLOTS);
}

static void a_short_ring_is_full_sooner(struct kunit *test)
{
	ipoib_ud_tx_stop(world->tx);
	ipoib_ud_tx_halt(world->tx);
	ipoib_ud_tx_free(world->tx);
	KUNIT_EXPECT_EQ(test, ipoib_ud_tx_alloc(world->tx, 64), 0);
	ipoib_ud_tx_start(world->tx, world->tx->to.qkey);
	the_queue_stops_until_a_quarter_is_free(test, 64);
}

static void a_stopped_ring_takes_nothing_and_is_not_woken(struct kunit *test)
{
	send(3);
	ipoib_ud_tx_stop(world->tx);
	KUNIT_EXPECT_TRUE(test, is_stopped());
	KUNIT_EXPECT_FALSE(test, ipoib_ud_tx_has_room(world->tx));
	flush();
	KUNIT_EXPECT_EQ(test, world->posts, 0);
	send(1);
	KUNIT_EXPECT_EQ(test, world->dropped, 1);
	/* What is flushed then is no failure. */
	end(3, IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_TRUE(test, is_stopped());
	KUNIT_EXPECT_EQ(test, world->failed, 0);
}

static void bql_is_told_of_what_the_hca_refuses(struct kunit *test)
{
	polls = 0;
	world->refuses = LEN;
	send(2);
	flush();
	KUNIT_EXPECT_EQ(test, polls, 1);
	KUNIT_EXPECT_EQ(test, world->failed, 0);
	end(1, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, bql_done, 2 * LEN);
	end(0, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, bql_done, 2 * LEN);
	/* Without a completion of the last one the queue pair has to start again. */
	world->whole = false;
	send(1);
	flush();
	KUNIT_EXPECT_EQ(test, world->failed, 1);
}

static void a_queue_that_bql_stops_waits_for_the_end(struct kunit *test)
{
	send(1);
	flush();
	KUNIT_EXPECT_FALSE(test, world->asked);
	set_bit(__QUEUE_STATE_STACK_XOFF, &world->txq.state);
	send(1);
	flush();
	KUNIT_EXPECT_TRUE(test, world->asked);
	clear_bit(__QUEUE_STATE_STACK_XOFF, &world->txq.state);
}

static void a_failed_one_ends_it(struct kunit *test)
{
	send(2);
	flush();
	end(1, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, world->failed, 0);
	end(1, IB_WC_LOC_QP_OP_ERR);
	KUNIT_EXPECT_EQ(test, world->failed, 1);
}

static void all_that_has_completed_is_polled(struct kunit *test)
{
	send(IPOIB_POLL_BATCH + 3);
	flush();
	end(IPOIB_POLL_BATCH + 3, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, false_cq.waits, 0);
	KUNIT_EXPECT_EQ(test, world->sampled, 0);
	world->tx->moder.adaptive = true;
	send(1);
	flush();
	end(1, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, world->sampled, 1);
}

static void who_waits_for_the_last_one_is_told(struct kunit *test)
{
	send(3);
	flush();
	ipoib_ud_tx_stop(world->tx);
	WRITE_ONCE(world->tx->draining, IPOIB_UD_TX_DRAIN_TOLD);
	/* One has asked for no completion, and need not have one. */
	world->tx->ring.mute = 1;
	end(1, IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_FALSE(test, completion_done(&world->tx->drained));
	end(1, IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_TRUE(test, completion_done(&world->tx->drained));
	reinit_completion(&world->tx->drained);
	WRITE_ONCE(world->tx->draining, IPOIB_UD_TX_DRAIN_ALL);
	end(0, IB_WC_SUCCESS);
	KUNIT_EXPECT_FALSE(test, completion_done(&world->tx->drained));
	end(1, IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_TRUE(test, completion_done(&world->tx->drained));
}

static void handles_are_looked_for_when_the_ring_is_emptied(struct kunit *test)
{
	send(1);
	flush();
	KUNIT_EXPECT_EQ(test, reaps, 0);
	ipoib_ud_tx_purge(world->tx);
	KUNIT_EXPECT_EQ(test, reaps, 1);
}

static struct kunit_case ud_tx_test_cases[] = {
	KUNIT_CASE(a_ring_that_starts_wakes_its_queue_and_looks_once),
	KUNIT_CASE(a_ring_that_starts_again_remembers_nothing),
	KUNIT_CASE(packets_are_posted_in_batches),
	KUNIT_CASE(a_queue_that_stops_when_there_is_room_again_is_woken),
	KUNIT_CASE(a_full_ring_stops_its_queue),
	KUNIT_CASE(a_short_ring_is_full_sooner),
	KUNIT_CASE(a_stopped_ring_takes_nothing_and_is_not_woken),
	KUNIT_CASE(bql_is_told_of_what_the_hca_refuses),
	KUNIT_CASE(a_ring_that_the_hca_takes_less_of_is_not_full),
	KUNIT_CASE(a_queue_that_bql_stops_waits_for_the_end),
	KUNIT_CASE(a_failed_one_ends_it),
	KUNIT_CASE(all_that_has_completed_is_polled),
	KUNIT_CASE(who_waits_for_the_last_one_is_told),
	KUNIT_CASE(handles_are_looked_for_when_the_ring_is_emptied),
	{}
};

static struct kunit_suite ud_tx_test_suite = {
	.name = "ipoib_ud_tx",
	.init = ud_tx_test_init,
	.exit = ud_tx_test_exit,
	.test_cases = ud_tx_test_cases,
};

kunit_test_suite(ud_tx_test_suite);

MODULE_DESCRIPTION("Tests of the send ring of IPoIB");
MODULE_LICENSE("GPL");
