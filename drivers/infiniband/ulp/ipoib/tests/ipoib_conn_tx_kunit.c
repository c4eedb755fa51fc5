// SPDX-License-Identifier: GPL-2.0
/*
 * How connections share a batch, and what waits while a ring is full. The rings are no more than
 * their indices: what is on one completes when the test says so.
 */
#include <kunit/test.h>
#include <linux/netdevice.h>

#include "../conn_set.h"
#include "../device.h"
#include "../qp.h"
#include "false_cq.h"

static void meanwhile(void);

#define ipoib_poll_end(_napi, _cq, _work, _budget)	((void)(_napi), _work)
#undef smp_mb
/* At a barrier another CPU does something. */
#define smp_mb() meanwhile()
#include "../conn_tx.c"

#define LEN	100

/**
 * struct world - a set of connections and its HCA
 * @idev: the interface
 * @dev: its net_device
 * @bundle: the bundle of all connections
 * @tx: what they send with
 * @set: the set
 * @ibdev: the HCA
 * @cq: its completion queue
 * @posts: how often the doorbell rang
 * @posted: packets that were posted
 * @refuses: octets that the HCA refuses of each batch
 * @whole: it takes the last one of a batch
 * @no_room: no packet can be mapped
 * @dropped: packets that were dropped
 * @drained: connections whose ring was said to be empty
 * @sampled: packets that the moderation was told of
 * @polled: a ring whose packets complete on another CPU, at the next barrier
 */
static struct world {
	struct ipoib_dev *idev;
	struct net_device dev;
	struct ipoib_bundle bundle;
	struct ipoib_conn_tx *tx;
	struct ipoib_conn_set *set;
	struct ib_device ibdev;
	struct ib_cq cq;
	unsigned int posts;
	unsigned int posted;
	unsigned int refuses;
	bool whole;
	bool no_room;
	unsigned int dropped;
	unsigned int drained;
	unsigned int sampled;
	struct ipoib_ring *polled;
} *world;

static void meanwhile(void)
{
	if (world->polled)
		ipoib_ring_pop(world->polled, WAKE_SPACE);
	world->polled = NULL;
}

/* ---- what conn_tx.c calls of the driver -------------------------------- */

void ipoib_moder_init(struct ipoib_moder *moder, const struct ipoib_coalesce *coalesce, bool tx)
{
}

void ipoib_moder_exit(struct ipoib_moder *moder)
{
}

int ipoib_moder_apply(struct ipoib_moder *moder)
{
	return 0;
}

void ipoib_conn_close(struct ipoib_conn *conn, int err)
{
	conn->err = err;
}

void ipoib_conn_kick(struct ipoib_conn *conn, enum ipoib_conn_pending what)
{
	world->drained += what == IPOIB_CONN_PENDING_DRAINED;
}

void ipoib_conn_set_cq_failed(struct ipoib_conn_set *set)
{
	set->broken = true;
}

void ipoib_drop_skb(struct ipoib_drops *drops, enum ipoib_drop_reason reason, struct sk_buff *skb)
{
	world->dropped += reason == IPOIB_DROP_TX_STALLED;
	kfree_skb(skb);
}

void ipoib_moder_set_cq(struct ipoib_moder *moder, struct ib_cq *cq)
{
}

void ipoib_moder_sample(struct ipoib_moder *moder, unsigned int packets, u64 bytes, bool ended)
{
	world->sampled += packets;
}

u32 ipoib_qp_vector(const struct ib_device *ibdev)
{
	return 0;
}

bool ipoib_txring_add(struct ipoib_txring *tx, struct sk_buff *skb, const struct ipoib_tx_to *to)
{
	kfree_skb(skb);
	if (world->no_room)
		return false;
	ipoib_ring_push(&tx->ring, 1);
	tx->batch->count++;
	return true;
}

struct ipoib_tx_posted ipoib_txring_post(struct ipoib_txring *tx, bool ask)
{
	world->posts++;
	world->posted += tx->batch->count;
	tx->batch->count = 0;
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
	done->bad = wc->status != IB_WC_SUCCESS;
}

/* ---- connections ------------------------------------------------------- */

static void forget(struct ipoib_conn *conn)
{
	spin_lock_bh(&world->bundle.lock);
	ipoib_conn_tx_forget(conn);
	spin_unlock_bh(&world->bundle.lock);
}

static int conn_tx_test_init(struct kunit *test)
{
	struct ipoib_dev *idev = kunit_kzalloc(test, sizeof(*idev), GFP_KERNEL);
	struct ipoib_conn_set *set;

	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, idev);
	KUNIT_ASSERT_NOT_NULL(test, world);
	set = kunit_kzalloc(test, sizeof(*set), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, set);
	world->idev = idev;
	world->set = set;
	world->whole = true;
	false_cq_init(&world->ibdev, &world->cq);
	idev->dev = &world->dev;
	idev->bundles = &world->bundle;
	world->dev.num_tx_queues = 1;
	spin_lock_init(&world->bundle.lock);
	u64_stats_init(&world->bundle.stats.syncp);
	set->idev = idev;
	KUNIT_ASSERT_EQ(test, ipoib_conn_txs_init(set), 0);
	world->tx = &set->txs[0];
	world->tx->cq = &world->cq;
	world->tx->batch = kunit_kzalloc(test, sizeof(*world->tx->batch), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world->tx->batch);
	xa_init_flags(&set->ids, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_BH);
	return 0;
}

static void conn_tx_test_exit(struct kunit *test)
{
	struct ipoib_conn *conn;
	unsigned long id;

	if (!world || !world->set)
		return;
	xa_for_each(&world->set->ids, id, conn)
		forget(conn);
	KUNIT_EXPECT_EQ(test, atomic_read(&world->set->waiting_bytes), 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&world->tx->behind));
	xa_destroy(&world->set->ids);
	ipoib_conn_txs_exit(world->set);
}

static struct ipoib_conn *conn(struct kunit *test)
{
	struct ipoib_conn *it = kunit_kzalloc(test, sizeof(*it), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, it);
	it->set = world->set;
	it->tx = world->tx;
	it->type = IB_QPT_RC;
	it->state = IPOIB_CONN_ESTABLISHED;
	it->used = jiffies - 99 * HZ;
	it->alive = it->used;
	it->ring.batch = world->tx->batch;
	ipoib_ring_init(&it->ring.ring, IPOIB_CONN_SLOTS);
	__skb_queue_head_init(&it->backlog);
	INIT_LIST_HEAD(&it->behind);
	KUNIT_ASSERT_EQ(test, xa_alloc_bh(&world->set->ids, &it->id, it, xa_limit_32b,
					  GFP_KERNEL), 0);
	return it;
}

static void send_sized(struct ipoib_conn *conn, unsigned int n, unsigned int truesize)
{
	spin_lock_bh(&world->bundle.lock);
	while (n--) {
		struct sk_buff *skb = alloc_skb(LEN, GFP_ATOMIC);

		if (!skb)
			break;
		skb->truesize = truesize;
		ipoib_conn_tx_send(conn, skb);
	}
	spin_unlock_bh(&world->bundle.lock);
}

static void send(struct ipoib_conn *conn, unsigned int n)
{
	send_sized(conn, n, 1000);
}

static void flush(void)
{
	spin_lock_bh(&world->bundle.lock);
	ipoib_conn_tx_flush(world->tx);
	spin_unlock_bh(&world->bundle.lock);
}

static void complete_so_many(struct ipoib_conn *conn, unsigned int n, enum ib_wc_status status)
{
	while (n--)
		false_cq_add(&(struct ib_wc){ .wr_id = (u64)conn->id << 32, .status = status });
	local_bh_disable();
	tx_poll(&world->tx->napi, 64);
	local_bh_enable();
}

static bool is_now(unsigned long at)
{
	return time_after(at, jiffies - HZ);
}

/* ---- batches ----------------------------------------------------------- */

static void packets_of_one_connection_are_posted_together(struct kunit *test)
{
	struct ipoib_conn *one = conn(test), *two = conn(test);

	flush();
	KUNIT_EXPECT_EQ(test, world->posts, 0);
	send(one, 3);
	KUNIT_EXPECT_EQ(test, world->posts, 0);
	KUNIT_EXPECT_TRUE(test, is_now(one->used));
	KUNIT_EXPECT_EQ(test, one->sent, 3);
	/* The next one has a batch of its own. */
	send(two, 2);
	KUNIT_EXPECT_EQ(test, world->posts, 1);
	KUNIT_EXPECT_EQ(test, world->posted, 3);
	flush();
	KUNIT_EXPECT_EQ(test, world->posts, 2);
	KUNIT_EXPECT_EQ(test, world->posted, 5);
	flush();
	KUNIT_EXPECT_EQ(test, world->posts, 2);
	send(one, IPOIB_TX_BATCH);
	KUNIT_EXPECT_EQ(test, world->posts, 3);
	KUNIT_EXPECT_EQ(test, one->err, 0);
}

static void a_full_ring_is_posted(struct kunit *test)
{
	struct ipoib_conn *it = conn(test);

	it->ring.ring.head = it->ring.ring.tail + IPOIB_CONN_SLOTS - 2;
	send(it, 1);
	KUNIT_EXPECT_EQ(test, world->posts, 0);
	send(it, 1);
	KUNIT_EXPECT_EQ(test, world->posts, 1);
}

static void what_cannot_be_mapped_is_in_no_batch(struct kunit *test)
{
	struct ipoib_conn *it = conn(test);

	world->no_room = true;
	send(it, 1);
	KUNIT_EXPECT_EQ(test, it->sent, 0);
	flush();
	KUNIT_EXPECT_EQ(test, world->posts, 0);
	world->no_room = false;
	send(it, 1);
	world->no_room = true;
	send(it, 1);
	flush();
	KUNIT_EXPECT_EQ(test, world->posted, 1);
}

static void a_connection_whose_packets_are_refused_is_closed(struct kunit *test)
{
	struct ipoib_conn *one = conn(test), *two = conn(test);

	world->refuses = 1;
	send(one, 1);
	flush();
	KUNIT_EXPECT_EQ(test, one->err, -EIO);
	world->refuses = 0;
	world->whole = false;
	send(two, 1);
	flush();
	KUNIT_EXPECT_EQ(test, two->err, -EIO);
}

/* ---- a full ring ------------------------------------------------------- */

static void what_finds_no_room_waits_and_goes_in_its_order(struct kunit *test)
{
	struct ipoib_conn *it = conn(test);

	send(it, IPOIB_CONN_SLOTS + 3);
	KUNIT_EXPECT_EQ(test, world->posted, IPOIB_CONN_SLOTS);
	KUNIT_EXPECT_EQ(test, skb_queue_len(&it->backlog), 3);
	KUNIT_EXPECT_EQ(test, it->backlog_bytes, 3000);
	KUNIT_EXPECT_EQ(test, atomic_read(&world->set->waiting_bytes), 3000);
	KUNIT_EXPECT_EQ(test, u64_stats_read(&world->bundle.stats.stops), 1);
	/* A few free slots are not worth the while, and who comes later does not overtake. */
	complete_so_many(it, WAKE_SPACE - 1, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, skb_queue_len(&it->backlog), 3);
	send(it, 1);
	KUNIT_EXPECT_EQ(test, skb_queue_len(&it->backlog), 4);
	complete_so_many(it, 1, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, skb_queue_len(&it->backlog), 0);
	KUNIT_EXPECT_EQ(test, world->posted, IPOIB_CONN_SLOTS + 4);
	KUNIT_EXPECT_EQ(test, it->backlog_bytes, 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&it->behind));
	KUNIT_EXPECT_EQ(test, u64_stats_read(&world->bundle.stats.stops), 1);
}

static void more_waits_than_the_ring_takes_at_once(struct kunit *test)
{
	struct ipoib_conn *it = conn(test);

	send(it, IPOIB_CONN_SLOTS + WAKE_SPACE + 5);
	complete_so_many(it, WAKE_SPACE, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, skb_queue_len(&it->backlog), 5);
	KUNIT_EXPECT_EQ(test, ipoib_ring_space(&it->ring.ring), 0);
	KUNIT_EXPECT_FALSE(test, list_empty(&it->behind));
}

/* The poll has looked by then who waits, and found nobody. */
static void the_ring_gets_room_while_a_packet_begins_to_wait(struct kunit *test)
{
	struct ipoib_conn *it = conn(test);

	send(it, IPOIB_CONN_SLOTS);
	world->polled = &it->ring.ring;
	send(it, 1);
	KUNIT_EXPECT_EQ(test, skb_queue_len(&it->backlog), 0);
	KUNIT_EXPECT_EQ(test, world->posted, IPOIB_CONN_SLOTS + 1);
}

static void the_queue_of_the_interface_is_not_held_up(struct kunit *test)
{
	struct ipoib_conn *slow = conn(test), *other = conn(test);

	send(slow, IPOIB_CONN_SLOTS + BACKLOG_PACKETS);
	KUNIT_EXPECT_EQ(test, world->dropped, 0);
	send(slow, 1);
	KUNIT_EXPECT_EQ(test, world->dropped, 1);
	world->posted = 0;
	send(other, 1);
	flush();
	KUNIT_EXPECT_EQ(test, world->posted, 1);
}

static void so_many_octets_wait(struct kunit *test)
{
	struct ipoib_conn *it = conn(test), *other = conn(test);

	send(it, IPOIB_CONN_SLOTS);
	send_sized(it, 1, BACKLOG_BYTES);
	KUNIT_EXPECT_EQ(test, world->dropped, 0);
	send_sized(it, 1, 1);
	KUNIT_EXPECT_EQ(test, world->dropped, 1);
	/* Where all is full, each has its share. */
	atomic_add(WAITING_ALL, &world->set->waiting_bytes);
	send(other, IPOIB_CONN_SLOTS);
	send_sized(other, 1, WAITING_SHARE);
	KUNIT_EXPECT_EQ(test, world->dropped, 1);
	send_sized(other, 1, 1);
	KUNIT_EXPECT_EQ(test, world->dropped, 2);
	atomic_sub(WAITING_ALL, &world->set->waiting_bytes);
	forget(it);
	KUNIT_EXPECT_EQ(test, world->dropped, 3);
	KUNIT_EXPECT_EQ(test, atomic_read(&world->set->waiting_bytes), WAITING_SHARE);
}

static void a_ring_that_does_not_move_is_given_up(struct kunit *test)
{
	struct ipoib_conn *it = conn(test);

	send(it, IPOIB_CONN_SLOTS + 1);
	KUNIT_EXPECT_TRUE(test, is_now(it->full_since));
	it->full_since = jiffies - GIVE_UP_TIME + HZ;
	send(it, 1);
	KUNIT_EXPECT_EQ(test, it->err, 0);
	/* It moves: all is well for so long again. */
	complete_so_many(it, 1, IB_WC_SUCCESS);
	it->full_since = jiffies - GIVE_UP_TIME - HZ;
	send(it, 1);
	KUNIT_EXPECT_EQ(test, it->err, 0);
	KUNIT_EXPECT_TRUE(test, is_now(it->full_since));
	it->full_since = jiffies - GIVE_UP_TIME - HZ;
	send(it, 1);
	KUNIT_EXPECT_EQ(test, it->err, -ETIMEDOUT);
}

/* ---- completions ------------------------------------------------------- */

static void an_acknowledgment_says_that_the_peer_is_there(struct kunit *test)
{
	struct ipoib_conn *rc = conn(test), *uc = conn(test);

	uc->type = IB_QPT_UC;
	send(rc, 2);
	send(uc, 2);
	complete_so_many(uc, 1, IB_WC_SUCCESS);
	KUNIT_EXPECT_FALSE(test, is_now(uc->alive));
	complete_so_many(rc, 1, IB_WC_RETRY_EXC_ERR);
	KUNIT_EXPECT_FALSE(test, is_now(rc->alive));
	KUNIT_EXPECT_EQ(test, rc->err, -EIO);
	complete_so_many(rc, 1, IB_WC_SUCCESS);
	KUNIT_EXPECT_TRUE(test, is_now(rc->alive));
	KUNIT_EXPECT_EQ(test, uc->err, 0);
	KUNIT_EXPECT_EQ(test, world->drained, 0);
}

static void who_closes_is_told_when_the_ring_is_empty(struct kunit *test)
{
	struct ipoib_conn *it = conn(test);

	send(it, 2);
	it->state = IPOIB_CONN_DRAINING;
	complete_so_many(it, 1, IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, world->drained, 0);
	complete_so_many(it, 1, IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, world->drained, 1);
	KUNIT_EXPECT_EQ(test, it->err, 0);
	/* One that has left the set is nobody's. */
	xa_erase_bh(&world->set->ids, it->id);
	complete_so_many(it, 1, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, world->drained, 1);
}

static void all_that_has_completed_is_polled(struct kunit *test)
{
	struct ipoib_conn *it = conn(test);

	world->tx->moder.adaptive = true;
	send(it, IPOIB_CONN_SLOTS);
	complete_so_many(it, IPOIB_POLL_BATCH + 3, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, false_cq.waits, 0);
	KUNIT_EXPECT_EQ(test, world->sampled, IPOIB_POLL_BATCH + 3);
	KUNIT_EXPECT_EQ(test, ipoib_conn_tx_max(&world->ibdev), 0);
	world->ibdev.attrs.max_cqe = 10 * IPOIB_CONN_SLOTS + 5;
	KUNIT_EXPECT_EQ(test, ipoib_conn_tx_max(&world->ibdev), 10);
	KUNIT_EXPECT_FALSE(test, world->set->broken);
	cq_error(NULL, world->tx);
	KUNIT_EXPECT_TRUE(test, world->set->broken);
}

static struct kunit_case conn_tx_test_cases[] = {
	KUNIT_CASE(packets_of_one_connection_are_posted_together),
	KUNIT_CASE(a_full_ring_is_posted),
	KUNIT_CASE(what_cannot_be_mapped_is_in_no_batch),
	KUNIT_CASE(a_connection_whose_packets_are_refused_is_closed),
	KUNIT_CASE(what_finds_no_room_waits_and_goes_in_its_order),
	KUNIT_CASE(more_waits_than_the_ring_takes_at_once),
	KUNIT_CASE(the_ring_gets_room_while_a_packet_begins_to_wait),
	KUNIT_CASE(the_queue_of_the_interface_is_not_held_up),
	KUNIT_CASE(so_many_octets_wait),
	KUNIT_CASE(a_ring_that_does_not_move_is_given_up),
	KUNIT_CASE(an_acknowledgment_says_that_the_peer_is_there),
	KUNIT_CASE(who_closes_is_told_when_the_ring_is_empty),
	KUNIT_CASE(all_that_has_completed_is_polled),
	{}
};

static struct kunit_suite conn_tx_test_suite = {
	.name = "ipoib_conn_tx",
	.init = conn_tx_test_init,
	.exit = conn_tx_test_exit,
	.test_cases = conn_tx_test_cases,
};

kunit_test_suite(conn_tx_test_suite);

MODULE_DESCRIPTION("Tests of sending by IPoIB connections");
MODULE_LICENSE("GPL");
