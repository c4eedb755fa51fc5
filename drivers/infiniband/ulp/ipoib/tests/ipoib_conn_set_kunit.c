// SPDX-License-Identifier: GPL-2.0
/*
 * Which connections a set admits, which of them make room, and which are idle or stuck: on
 * connections that are no more than an address, a state and an age.
 */
#include <kunit/test.h>
#include <linux/workqueue.h>

#include "../device.h"

static void run_at_once(struct work_struct *work);

/* No timer expires. */
#define queue_work(_wq, _work)			run_at_once(_work)
#define queue_delayed_work(_wq, _work, _delay)	(timers++)
#define cancel_delayed_work_sync(_work)		((void)(_work))
#define ib_send_cm_rej(...)			((void)0)

static unsigned int timers;

#include "../conn_set.c"

#include "../addr.c"
#include "../conn_wire.c"

/* Of a limit of 32 a quarter is 8, and the 16th part 2. */
#define LIMIT	32
#define MOST	(2 * EVICT_SAMPLE + 16)

/* Bundles, and receive queues: the bundle of a node is its number, modulo the former. */
#define BUNDLES	4
#define RXS	2

/**
 * struct world - a set, and connections for it
 * @idev: the interface
 * @pd: its protection domain
 * @ibdev: its device
 * @unshared: which has no shared receive queues
 * @tx_max: and whose completion queues have room for so many connections
 * @gid_attr: the GID of the port
 * @set: the set
 * @bundles: its bundles
 * @peer: a peer whose packets go by them
 * @conns: connections; those before @made are in use
 * @made: how many
 */
static struct world {
	struct ipoib_dev *idev;
	struct ib_pd pd;
	struct ib_device ibdev;
	bool unshared;
	unsigned int tx_max;
	struct ib_gid_attr gid_attr;
	struct ipoib_conn_set *set;
	struct ipoib_bundle bundles[BUNDLES];
	struct ipoib_peer peer;
	struct ipoib_conn conns[MOST];
	unsigned int made;
} *world;

static bool listens;
static unsigned int ended, flushed, slots;

/* ---- what conn_set.c calls of the driver ------------------------------- */

void ipoib_object_created(enum ipoib_object kind)
{
}

void ipoib_object_destroyed(enum ipoib_object kind)
{
	ended++;
}

void ipoib_dev_kick(struct ipoib_dev *idev, enum ipoib_dev_pending what)
{
}

/* It closes at once, and says why in its error. */
void ipoib_conn_close(struct ipoib_conn *conn, int err)
{
	conn->err = err;
	conn->state = IPOIB_CONN_DRAINING;
}

void ipoib_conn_kick(struct ipoib_conn *conn, enum ipoib_conn_pending what)
{
	conn->pending |= BIT(what);
}

void ipoib_conn_put(struct ipoib_conn *conn)
{
}

bool ipoib_conn_same_way(const struct ipoib_conn *conn, const struct ipoib_conn *other)
{
	return conn->path.dgid.global.interface_id == other->path.dgid.global.interface_id;
}

int ipoib_conn_listen(struct ipoib_conn_set *set)
{
	listens = true;
	return 0;
}

void ipoib_conn_unlisten(struct ipoib_conn_set *set)
{
	listens = false;
}

void ipoib_conn_peer_detach(struct ipoib_conn *conn)
{
	conn->peer = NULL;
}

bool ipoib_conn_rx_shared(const struct ib_device *ibdev)
{
	return !world->unshared;
}

unsigned int ipoib_conn_rx_slots(const struct ipoib_conn_set *set)
{
	return slots;
}

u32 ipoib_conn_rx_mtu(const struct ib_device *ibdev)
{
	return IPOIB_CONN_MAX_MESSAGE;
}

int ipoib_conn_queues_init(struct ipoib_conn_set *set)
{
	unsigned int i;

	set->txs = kcalloc(BUNDLES, sizeof(*set->txs), GFP_KERNEL);
	if (!set->txs)
		return -ENOMEM;
	set->bundles = BUNDLES;
	set->rx_count = RXS;
	for (i = 0; i < BUNDLES; i++) {
		set->txs[i].set = set;
		set->txs[i].bundle = &world->bundles[i];
	}
	return 0;
}

void ipoib_conn_queues_exit(struct ipoib_conn_set *set)
{
	kfree(set->txs);
}

unsigned int ipoib_conn_tx_max(const struct ib_device *ibdev)
{
	return world->tx_max;
}

void ipoib_conn_tx_flush(struct ipoib_conn_tx *tx)
{
	flushed++;
}

static void run_at_once(struct work_struct *work)
{
	work->func(work);
}

/* ---- connections ------------------------------------------------------- */

static int conn_set_test_init(struct kunit *test)
{
	struct ipoib_dev *idev = kunit_kzalloc(test, sizeof(*idev), GFP_KERNEL);
	int i;

	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, idev);
	KUNIT_ASSERT_NOT_NULL(test, world);
	slots = IPOIB_CONN_RX_SLOTS_MAX;
	flushed = 0;
	ended = 0;
	timers = 0;
	world->idev = idev;
	world->ibdev.attrs.max_qp = 1000;
	world->tx_max = 1000;
	world->pd.device = &world->ibdev;
	idev->config.pd = &world->pd;
	for (i = 0; i < BUNDLES; i++)
		spin_lock_init(&world->bundles[i].lock);
	idev->fabric.link.gid_attr = &world->gid_attr;
	idev->conn_limit = LIMIT;
	idev->conn_idle_ms = IPOIB_CONN_IDLE_MS;
	idev->connected = true;
	mutex_init(&idev->lock);
	ipoib_usecnt_init(&idev->users);
	world->set = ipoib_conn_set_start(idev);
	KUNIT_ASSERT_FALSE(test, IS_ERR(world->set));
	return 0;
}

/*
 * One that has been established, and unused for @idle seconds: to node @node, which the REQ came
 * from, and by the service ID of the RFC.
 */
static struct ipoib_conn *conn(unsigned int node, unsigned int idle)
{
	struct ipoib_conn *conn = &world->conns[world->made++];

	conn->set = world->set;
	conn->tx = &world->set->txs[node % BUNDLES];
	conn->type = IB_QPT_RC;
	conn->service = IPOIB_SERVICE_RFC;
	conn->state = IPOIB_CONN_ESTABLISHED;
	conn->addr.gid[3] = cpu_to_be32(node);
	conn->path.dgid.global.interface_id = cpu_to_be64(node);
	conn->peer = &world->peer;
	conn->used = jiffies - idle * HZ;
	return conn;
}

/* Is that a moment ago? What is old here is so by seconds. */
static bool is_now(unsigned long at)
{
	return time_after(at, jiffies - HZ);
}

static struct ipoib_conn *ours(unsigned int node, unsigned int idle)
{
	struct ipoib_conn *it = conn(node, idle);

	it->active = true;
	return it;
}

static struct ipoib_conn *half_made(unsigned int node)
{
	struct ipoib_conn *it = conn(node, 0);

	it->state = IPOIB_CONN_REP_SENT;
	return it;
}

static int add(struct ipoib_conn *conn)
{
	int err;

	spin_lock_bh(&world->set->lock);
	err = ipoib_conn_set_add(world->set, conn);
	spin_unlock_bh(&world->set->lock);
	return err;
}

/* Each to a node of its own, from the 100th on. */
static void add_ours(struct kunit *test, unsigned int n, unsigned int idle)
{
	while (n--)
		KUNIT_ASSERT_EQ(test, add(ours(100 + world->made, idle)), 0);
}

/* All are over, and so is the set. */
static void conn_set_test_exit(struct kunit *test)
{
	unsigned int i;

	if (!world || IS_ERR_OR_NULL(world->set))
		return;
	ipoib_conn_set_hold(world->set);
	flushed = 0;
	mutex_lock(&world->idev->lock);
	ipoib_conn_set_stop(world->set);
	mutex_unlock(&world->idev->lock);
	KUNIT_EXPECT_FALSE(test, listens);
	KUNIT_EXPECT_EQ(test, flushed, BUNDLES);
	for (i = 0; i < world->made; i++) {
		if (!world->conns[i].id)
			continue;
		KUNIT_EXPECT_EQ(test, world->conns[i].state, IPOIB_CONN_DRAINING);
		KUNIT_EXPECT_NULL(test, world->conns[i].peer);
		ipoib_conn_set_remove(&world->conns[i]);
	}
	KUNIT_EXPECT_EQ(test, world->set->count, 0);
	KUNIT_EXPECT_EQ(test, world->set->places[IPOIB_CONN_OURS].count, 0);
	KUNIT_EXPECT_EQ(test, world->set->places[IPOIB_CONN_OURS].leaving, 0);
	KUNIT_EXPECT_EQ(test, world->set->places[IPOIB_CONN_LINUX].count, 0);
	KUNIT_EXPECT_EQ(test, ended, 0);
	ipoib_conn_set_put(world->set);
	KUNIT_EXPECT_EQ(test, ended, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&world->idev->conn_sets), 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&world->idev->users.count), 1);
}

/* ---- who makes room ---------------------------------------------------- */

static void the_idlest_makes_room(struct kunit *test)
{
	struct ipoib_conn *idlest;

	add_ours(test, LIMIT - 2, 5);
	idlest = ours(1, 9);
	KUNIT_EXPECT_EQ(test, add(idlest), 0);
	KUNIT_EXPECT_EQ(test, add(ours(2, 7)), 0);
	KUNIT_EXPECT_FALSE(test, idlest->leaving);
	KUNIT_EXPECT_EQ(test, add(ours(3, 0)), 0);
	KUNIT_EXPECT_TRUE(test, idlest->leaving);
	KUNIT_EXPECT_EQ(test, idlest->state, IPOIB_CONN_DRAINING);
	KUNIT_EXPECT_EQ(test, idlest->err, 0);
	KUNIT_EXPECT_EQ(test, world->set->places[IPOIB_CONN_OURS].leaving, 1);
}

static void nobody_in_use_makes_room(struct kunit *test)
{
	unsigned int i;

	add_ours(test, LIMIT, 0);
	KUNIT_EXPECT_EQ(test, add(ours(1, 0)), -EUSERS);
	for (i = 0; i < LIMIT; i++)
		KUNIT_EXPECT_FALSE(test, world->conns[i].leaving);
}

static bool is_crowded_for(const struct ipoib_hwaddr *addr)
{
	bool is;

	spin_lock_bh(&world->set->lock);
	is = ipoib_conn_set_is_crowded(world->set, addr);
	spin_unlock_bh(&world->set->lock);
	return is;
}

static bool is_crowded(void)
{
	return is_crowded_for(&(const struct ipoib_hwaddr){ .gid[0] = 1 });
}

/* More than evict() looks at; the idlest is behind these. */
static struct ipoib_conn *add_many(struct kunit *test, unsigned int idle)
{
	struct ipoib_conn *idlest;

	world->set->places[IPOIB_CONN_OURS].limit = 2 * EVICT_SAMPLE;
	add_ours(test, EVICT_SAMPLE, idle);
	idlest = ours(1, 99);
	KUNIT_EXPECT_EQ(test, add(idlest), 0);
	add_ours(test, EVICT_SAMPLE - 1, 0);
	return idlest;
}

static void of_many_few_are_looked_at(struct kunit *test)
{
	struct ipoib_conn *idlest = add_many(test, 5);
	unsigned int i;

	world->conns[7].used -= HZ;
	world->conns[8].used += 5 * HZ;
	KUNIT_EXPECT_EQ(test, add(ours(2, 0)), 0);
	for (i = 0; i < world->made; i++)
		KUNIT_EXPECT_EQ(test, world->conns[i].leaving, i == 7);
	/* Where the 9th was, which could not go, there is another one. */
	KUNIT_EXPECT_EQ(test, add(ours(3, 0)), 0);
	KUNIT_EXPECT_TRUE(test, idlest->leaving);
	/* The others have kept their places. */
	KUNIT_EXPECT_EQ(test, add(ours(4, 0)), 0);
	KUNIT_EXPECT_TRUE(test, world->conns[0].leaving);
}

static void others_are_looked_at_when_these_were_in_use(struct kunit *test)
{
	struct ipoib_conn *idlest = add_many(test, 0);

	KUNIT_EXPECT_EQ(test, add(ours(2, 0)), -EUSERS);
	KUNIT_EXPECT_FALSE(test, idlest->leaving);
	KUNIT_EXPECT_FALSE(test, is_crowded());
	KUNIT_EXPECT_EQ(test, add(ours(2, 0)), 0);
	KUNIT_EXPECT_TRUE(test, idlest->leaving);
	/* No other one is idle, which is known when each has been looked at. */
	KUNIT_EXPECT_EQ(test, add(ours(2, 0)), -EUSERS);
	KUNIT_EXPECT_FALSE(test, is_crowded());
	KUNIT_EXPECT_EQ(test, add(ours(2, 0)), -EUSERS);
	KUNIT_EXPECT_EQ(test, add(ours(2, 0)), -EUSERS);
	KUNIT_EXPECT_TRUE(test, is_crowded());
}

static void idle_ones_are_found_at_once_after_a_while(struct kunit *test)
{
	struct ipoib_conn *idlest = add_many(test, 0);
	struct ipoib_conn *theirs;
	unsigned int i;

	/* What ib_ipoib has asked for is as idle, and has places of its own. */
	for (i = 0; i < 8; i++) {
		theirs = conn(200 + i, 98);
		theirs->service = IPOIB_SERVICE_LINUX;
		KUNIT_EXPECT_EQ(test, add(theirs), 0);
	}
	conn_set_gc_work(&world->set->gc.work);
	KUNIT_EXPECT_EQ(test, add(ours(2, 0)), 0);
	KUNIT_EXPECT_TRUE(test, idlest->leaving);
}

static void that_nobody_makes_room_is_known_for_a_while(struct kunit *test)
{
	add_ours(test, LIMIT, 0);
	KUNIT_EXPECT_FALSE(test, is_crowded());
	KUNIT_EXPECT_EQ(test, add(ours(1, 0)), -EUSERS);
	KUNIT_EXPECT_TRUE(test, is_crowded());
	KUNIT_EXPECT_TRUE(test, time_before_eq(world->set->crowded_until, jiffies + CROWDED_TIME));
	/* But for one that leaves, or ends. */
	spin_lock_bh(&world->set->lock);
	ipoib_conn_set_leave(world->set, &world->conns[1], 0);
	spin_unlock_bh(&world->set->lock);
	KUNIT_EXPECT_FALSE(test, is_crowded());
	KUNIT_EXPECT_EQ(test, add(ours(3, 0)), 0);
	KUNIT_EXPECT_EQ(test, add(ours(1, 0)), -EUSERS);
	KUNIT_EXPECT_TRUE(test, is_crowded());
	ipoib_conn_set_remove(&world->conns[0]);
	world->conns[0].id = 0;
	KUNIT_EXPECT_FALSE(test, is_crowded());
	KUNIT_EXPECT_EQ(test, add(ours(2, 0)), 0);
}

static void that_closing_another_is_no_help_is_known_at_once(struct kunit *test)
{
	struct ipoib_conn_places *places = &world->set->places[IPOIB_CONN_OURS];
	struct ipoib_conn *first = ours(7, 9);
	struct ipoib_conn_tx *tx = ipoib_conn_set_tx(world->set, &first->addr);
	unsigned int i;

	first->tx = tx;
	KUNIT_EXPECT_EQ(test, add(first), 0);
	/* Of a bundle there are as many as may be. */
	tx->count = ipoib_conn_set_most_of_bundle(world->set) - 1;
	KUNIT_EXPECT_FALSE(test, is_crowded_for(&first->addr));
	tx->count++;
	KUNIT_EXPECT_TRUE(test, is_crowded_for(&first->addr));
	/* A set that ends says so itself. */
	world->set->open = false;
	KUNIT_EXPECT_FALSE(test, is_crowded_for(&first->addr));
	world->set->open = true;
	tx->count = 1;
	/* They are still closing, all that may. */
	places->count += LIMIT + IPOIB_CONN_SPARE - 2;
	KUNIT_EXPECT_FALSE(test, is_crowded());
	places->count++;
	KUNIT_EXPECT_TRUE(test, is_crowded());
	places->count = 1;
	/* A port has as many as it may, by each queue. */
	slots = 2;
	KUNIT_EXPECT_TRUE(test, is_crowded_for(&first->addr));
	KUNIT_EXPECT_FALSE(test, is_crowded());
	for (i = 0; i < LIMIT; i++)
		KUNIT_EXPECT_FALSE(test, world->conns[i].leaving);
}

static void a_connection_that_was_used_just_now_stays(struct kunit *test)
{
	add_ours(test, LIMIT, 9);
	ipoib_conn_touch(&world->conns[0]);
	KUNIT_EXPECT_TRUE(test, is_now(world->conns[0].used));
	KUNIT_EXPECT_EQ(test, add(ours(1, 0)), 0);
	KUNIT_EXPECT_FALSE(test, world->conns[0].leaving);
}

static void who_leaves_already_makes_no_room_again(struct kunit *test)
{
	unsigned int i;

	add_ours(test, LIMIT, 9);
	for (i = 0; i < IPOIB_CONN_SPARE; i++)
		KUNIT_EXPECT_EQ(test, add(ours(1 + i, 0)), 0);
	KUNIT_EXPECT_EQ(test, world->set->places[IPOIB_CONN_OURS].leaving, IPOIB_CONN_SPARE);
	/* All spare places are taken by those that are still closing. */
	KUNIT_EXPECT_EQ(test, add(ours(99, 0)), -EUSERS);
}

static void who_is_not_established_makes_no_room(struct kunit *test)
{
	unsigned int i;

	add_ours(test, LIMIT, 9);
	for (i = 1; i < LIMIT; i++)
		world->conns[i].state = IPOIB_CONN_REQ_SENT;
	KUNIT_EXPECT_EQ(test, add(ours(1, 0)), 0);
	KUNIT_EXPECT_TRUE(test, world->conns[0].leaving);
	KUNIT_EXPECT_EQ(test, add(ours(2, 0)), -EUSERS);
}

static void peers_that_ib_ipoib_runs_have_a_bound_of_their_own(struct kunit *test)
{
	struct ipoib_conn *linux_peer = conn(1, 9), *other = conn(2, 9);

	linux_peer->service = IPOIB_SERVICE_LINUX;
	other->service = IPOIB_SERVICE_LINUX;
	KUNIT_EXPECT_EQ(test, add(linux_peer), 0);
	add_ours(test, LIMIT, 0);
	KUNIT_EXPECT_EQ(test, add(other), 0);
	KUNIT_EXPECT_EQ(test, world->set->places[IPOIB_CONN_LINUX].count, 2);
	/* They make no room for ours. */
	KUNIT_EXPECT_EQ(test, add(ours(3, 0)), -EUSERS);
	KUNIT_EXPECT_FALSE(test, linux_peer->leaving);
}

/* ---- half-made ones, and those of one port ----------------------------- */

static void the_oldest_half_made_one_makes_room(struct kunit *test)
{
	unsigned int i;

	/* One that is established does not count, nor does one of ours. */
	KUNIT_EXPECT_EQ(test, add(conn(50, 0)), 0);
	KUNIT_EXPECT_EQ(test, add(ours(51, 0)), 0);
	world->conns[1].state = IPOIB_CONN_REQ_SENT;
	for (i = 0; i < LIMIT / 4; i++)
		KUNIT_EXPECT_EQ(test, add(half_made(1 + i)), 0);
	for (i = 0; i < world->made; i++)
		KUNIT_EXPECT_FALSE(test, world->conns[i].leaving);

	KUNIT_EXPECT_EQ(test, add(half_made(40)), 0);
	KUNIT_EXPECT_EQ(test, add(half_made(41)), 0);
	for (i = 0; i < world->made; i++)
		KUNIT_EXPECT_EQ(test, world->conns[i].leaving, i == 2 || i == 3);
}

static void a_port_with_many_half_made_ones_makes_room_itself(struct kunit *test)
{
	unsigned int i;

	KUNIT_EXPECT_EQ(test, add(half_made(1)), 0);
	for (i = 0; i < LIMIT / 16; i++)
		KUNIT_EXPECT_EQ(test, add(half_made(7)), 0);
	KUNIT_EXPECT_FALSE(test, world->conns[1].leaving);
	KUNIT_EXPECT_EQ(test, add(half_made(7)), 0);
	for (i = 0; i < world->made; i++)
		KUNIT_EXPECT_EQ(test, world->conns[i].leaving, i == 1);
}

static bool has_share(const struct ipoib_conn *new)
{
	bool has;

	spin_lock_bh(&world->set->lock);
	has = ipoib_conn_set_has_share(world->set, new);
	spin_unlock_bh(&world->set->lock);
	return has;
}

static void a_port_has_a_quarter_of_all_places(struct kunit *test)
{
	unsigned int i;

	/* It asks in the name of as many GIDs, which lead all to it. */
	for (i = 0; i < LIMIT / 4; i++) {
		struct ipoib_conn *new = conn(1 + i, 0);

		new->path.dgid.global.interface_id = 0;
		KUNIT_EXPECT_TRUE(test, has_share(new));
		KUNIT_EXPECT_EQ(test, add(new), 0);
	}
	conn(40, 0)->path.dgid.global.interface_id = 0;
	KUNIT_EXPECT_FALSE(test, has_share(&world->conns[i]));

	/* Who is known to be where the REQ came from is somebody else, and so is any other. */
	world->conns[i].from_peer = true;
	KUNIT_EXPECT_TRUE(test, has_share(&world->conns[i]));
	world->conns[i].from_peer = false;
	world->conns[0].from_peer = true;
	KUNIT_EXPECT_TRUE(test, has_share(&world->conns[i]));
	world->conns[0].from_peer = false;
	KUNIT_EXPECT_TRUE(test, has_share(conn(41, 0)));
	/* What we open is nobody's share, and who replaces one of his needs no more. */
	world->conns[0].active = true;
	KUNIT_EXPECT_TRUE(test, has_share(&world->conns[i]));
	world->conns[0].active = false;
	KUNIT_EXPECT_TRUE(test, has_share(&world->conns[3]));
}

static void who_asks_in_the_name_of_a_port_has_none_of_its_share(struct kunit *test)
{
	struct ipoib_conn *new;
	unsigned int i;

	for (i = 0; i < LIMIT / 4; i++) {
		new = conn(7, 0);
		new->addr.flags_qpn = cpu_to_be32(1 + i);
		new->path.dgid.global.interface_id = 0;
		KUNIT_EXPECT_TRUE(test, has_share(new));
		KUNIT_EXPECT_EQ(test, add(new), 0);
	}
	/* Whether or not it is known where the port is. */
	new = conn(7, 0);
	KUNIT_EXPECT_TRUE(test, has_share(new));
	new->from_peer = true;
	KUNIT_EXPECT_TRUE(test, has_share(new));
	new->path.dgid.global.interface_id = 0;
	KUNIT_EXPECT_FALSE(test, has_share(new));
}

/* A port gets so many connections by a queue of that many buffers. */
static void port_gets(struct kunit *test, unsigned int buffers, unsigned int node, unsigned int n)
{
	slots = buffers;
	while (n--)
		KUNIT_EXPECT_EQ(test, add(conn(node, 0)), 0);
	KUNIT_EXPECT_EQ(test, add(conn(node, 0)), -EUSERS);
}

static void a_port_leaves_buffers_of_each_queue(struct kunit *test)
{
	struct ipoib_conn *new;

	port_gets(test, 12, 7, 6);
	/* Another queue has others, and these are for other ports, too. */
	new = conn(7, 0);
	new->tx = &world->set->txs[6 % BUNDLES];
	KUNIT_EXPECT_EQ(test, add(new), 0);
	port_gets(test, IPOIB_CONN_RX_SPARE + 12, 7 + BUNDLES, 14);
}

static void those_that_we_open_to_a_port_count_as_well(struct kunit *test)
{
	struct ipoib_conn *new;
	unsigned int i;

	port_gets(test, 12, 7, 6);
	/* By another address, whichever its bundle, but not at another port. */
	for (i = 0; i < 2; i++) {
		new = ours(7, 0);
		new->addr.flags_qpn = cpu_to_be32(1 + i);
		new->tx = &world->set->txs[(7 + i) % BUNDLES];
		KUNIT_EXPECT_EQ(test, add(new), i ? 0 : -EUSERS);
	}
	KUNIT_EXPECT_EQ(test, add(ours(7 + BUNDLES, 0)), 0);
}

static void a_port_has_few_of_a_large_set_where_each_has_its_own_queue(struct kunit *test)
{
	world->set->rx_count = 0;
	world->set->places[IPOIB_CONN_OURS].limit = 2 * OF_PORT_MAX;
	port_gets(test, 1, 7, OF_PORT_MAX);
	KUNIT_EXPECT_EQ(test, add(conn(8, 0)), 0);
}

static void who_asks_in_the_name_of_a_port_keeps_nobody_from_it(struct kunit *test)
{
	struct ipoib_conn *new;
	unsigned int i;

	slots = IPOIB_CONN_RX_SLOTS_MAX;
	world->set->places[IPOIB_CONN_OURS].limit = 4 * OF_PORT_MAX;
	for (i = 0; i < OF_PORT_MAX; i++) {
		new = conn(7, 0);
		new->path.dgid.global.interface_id = 0;
		KUNIT_EXPECT_EQ(test, add(new), 0);
	}
	KUNIT_EXPECT_EQ(test, add(ours(7, 0)), 0);
	/* Those that are known to be the port's count as well. */
	for (i = 0; i < OF_PORT_MAX - 1; i++)
		world->conns[i].from_peer = true;
	KUNIT_EXPECT_EQ(test, add(ours(7, 0)), -EUSERS);
}

static void there_are_as_many_as_the_device_has_room_for(struct kunit *test)
{
	struct ib_device *ibdev = &world->ibdev;

	KUNIT_EXPECT_EQ(test, ipoib_conn_set_limit_max(ibdev), 1000 - IPOIB_CONN_SPARE);
	world->tx_max = 500;
	KUNIT_EXPECT_EQ(test, ipoib_conn_set_limit_max(ibdev), 500 - IPOIB_CONN_SPARE);
	world->tx_max = INT_MAX;
	ibdev->attrs.max_qp = INT_MAX;
	KUNIT_EXPECT_EQ(test, ipoib_conn_set_limit_max(ibdev), IPOIB_CONN_LIMIT_MAX);
	world->unshared = true;
	KUNIT_EXPECT_EQ(test, ipoib_conn_set_limit_max(ibdev), IPOIB_CONN_LIMIT_OWN);
	/* One at the least, whatever the device says. */
	ibdev->attrs.max_qp = IPOIB_CONN_SPARE;
	KUNIT_EXPECT_EQ(test, ipoib_conn_set_limit_max(ibdev), 1);
}

static void a_bundle_has_twice_its_part(struct kunit *test)
{
	const unsigned int most = 2 * (LIMIT + IPOIB_CONN_SPARE) / BUNDLES + IPOIB_CONN_SPARE;
	struct ipoib_conn *theirs;

	KUNIT_EXPECT_EQ(test, ipoib_conn_set_most_of_bundle(world->set), most);
	world->set->txs[1].count = most - 1;
	KUNIT_EXPECT_EQ(test, add(conn(1, 0)), 0);
	KUNIT_EXPECT_EQ(test, add(conn(5, 0)), -EUSERS);
	KUNIT_EXPECT_EQ(test, add(conn(6, 0)), 0);
	/* By what ib_ipoib has asked for nothing is sent here. */
	theirs = conn(9, 0);
	theirs->service = IPOIB_SERVICE_LINUX;
	KUNIT_EXPECT_EQ(test, add(theirs), 0);
	KUNIT_EXPECT_EQ(test, world->set->txs[1].count, most);
	ipoib_conn_set_remove(&world->conns[0]);
	world->conns[0].id = 0;
	KUNIT_EXPECT_EQ(test, world->set->txs[1].count, most - 1);
}

static void few_of_one_port_are_closing_to_make_room(struct kunit *test)
{
	struct ipoib_conn *new;
	unsigned int i;

	for (i = 0; i < LEAVING_OF_PORT; i++) {
		new = conn(1, 0);
		KUNIT_EXPECT_TRUE(test, has_share(new));
		KUNIT_EXPECT_EQ(test, add(new), 0);
		spin_lock_bh(&world->set->lock);
		ipoib_conn_set_leave(world->set, new, 0);
		ipoib_conn_set_leave(world->set, new, 0);
		spin_unlock_bh(&world->set->lock);
		KUNIT_EXPECT_EQ(test, world->set->places[IPOIB_CONN_OURS].leaving, i + 1);
	}
	KUNIT_EXPECT_FALSE(test, has_share(conn(1, 0)));
	KUNIT_EXPECT_TRUE(test, has_share(conn(2, 0)));
}

/* ---- who is looked up -------------------------------------------------- */

static struct ipoib_conn *find(const struct ipoib_hwaddr *addr)
{
	struct ipoib_conn *found;

	spin_lock_bh(&world->set->lock);
	found = ipoib_conn_set_find(world->set, addr);
	spin_unlock_bh(&world->set->lock);
	return found;
}

static void what_may_be_sent_by_is_found(struct kunit *test)
{
	struct ipoib_conn *theirs = conn(1, 0);

	KUNIT_EXPECT_EQ(test, add(theirs), 0);
	KUNIT_EXPECT_PTR_EQ(test, find(&theirs->addr), theirs);
	KUNIT_EXPECT_NULL(test, find(&conn(2, 0)->addr));
	theirs->service = IPOIB_SERVICE_LINUX;
	KUNIT_EXPECT_NULL(test, find(&theirs->addr));
	theirs->service = IPOIB_SERVICE_RFC;
	world->set->opener_sends = true;
	KUNIT_EXPECT_NULL(test, find(&theirs->addr));
	theirs->type = IB_QPT_UC;
	KUNIT_EXPECT_PTR_EQ(test, find(&theirs->addr), theirs);
	/* In datagram mode nothing is sent by those of peers. */
	world->set->opens = false;
	KUNIT_EXPECT_NULL(test, find(&theirs->addr));
	world->set->opens = true;
	theirs->leaving = true;
	KUNIT_EXPECT_NULL(test, find(&theirs->addr));
	theirs->leaving = false;
}

static void a_receive_that_fails_closes_its_connection(struct kunit *test)
{
	struct ipoib_conn *theirs = conn(7, 0), *another = conn(8, 0);
	struct ib_qp qp, qp_of_other, unknown;

	theirs->qp = &qp;
	another->qp = &qp_of_other;
	ipoib_conn_set_hash(theirs);
	ipoib_conn_set_hash(another);
	ipoib_conn_set_qp_failed(world->set, &unknown);
	KUNIT_EXPECT_EQ(test, theirs->err, 0);
	ipoib_conn_set_qp_failed(world->set, &qp);
	KUNIT_EXPECT_EQ(test, theirs->err, -EIO);
	KUNIT_EXPECT_EQ(test, theirs->state, IPOIB_CONN_DRAINING);
	KUNIT_EXPECT_EQ(test, another->err, 0);
	ipoib_conn_set_unhash(theirs);
	ipoib_conn_set_unhash(another);
}

static bool heard(const struct ib_qp *qp, struct ipoib_hwaddr *from)
{
	bool link_sums;

	local_bh_disable();
	link_sums = ipoib_conn_set_heard(world->set, qp, from);
	local_bh_enable();
	return link_sums;
}

static void who_sent_it_is_known_and_whether_it_has_a_checksum(struct kunit *test)
{
	struct ipoib_conn *theirs = conn(7, 9);
	struct ipoib_hwaddr from = { .gid[3] = 1 };
	struct ib_qp qp, other;

	theirs->qp = &qp;
	ipoib_conn_set_hash(theirs);
	KUNIT_EXPECT_FALSE(test, heard(&other, &from));
	KUNIT_EXPECT_EQ(test, from.gid[3], 0);
	KUNIT_EXPECT_FALSE(test, heard(&qp, &from));
	KUNIT_EXPECT_EQ(test, from.gid[3], cpu_to_be32(7));
	KUNIT_EXPECT_EQ(test, theirs->used, theirs->alive);
	KUNIT_EXPECT_TRUE(test, time_after(theirs->used, jiffies - 9 * HZ));
	KUNIT_EXPECT_EQ(test, theirs->received, 1);
	KUNIT_EXPECT_EQ(test, theirs->pending, 0);
	theirs->to.link_sums = true;
	KUNIT_EXPECT_TRUE(test, heard(&qp, &from));
	/* A packet says that the peer has had our REP. */
	theirs->state = IPOIB_CONN_REP_SENT;
	heard(&qp, &from);
	KUNIT_EXPECT_EQ(test, theirs->pending, BIT(IPOIB_CONN_PENDING_DATA));
	ipoib_conn_set_unhash(theirs);
	KUNIT_EXPECT_FALSE(test, heard(&qp, &from));
	KUNIT_EXPECT_EQ(test, from.gid[3], 0);
}

/* ---- idle and stuck ones ----------------------------------------------- */

static void look(void)
{
	conn_set_gc_work(&world->set->gc.work);
}

static void who_is_idle_for_long_is_closed(struct kunit *test)
{
	unsigned int was = timers;

	KUNIT_EXPECT_EQ(test, add(ours(1, IPOIB_CONN_IDLE_MS / 1000 - 9)), 0);
	KUNIT_EXPECT_EQ(test, add(ours(2, IPOIB_CONN_IDLE_MS / 1000 + 9)), 0);
	KUNIT_EXPECT_EQ(test, add(ours(3, IPOIB_CONN_IDLE_MS / 1000 + 9)), 0);
	world->conns[2].state = IPOIB_CONN_REQ_SENT;
	look();
	KUNIT_EXPECT_EQ(test, timers, was + 1);
	KUNIT_EXPECT_EQ(test, world->conns[0].state, IPOIB_CONN_ESTABLISHED);
	KUNIT_EXPECT_EQ(test, world->conns[1].state, IPOIB_CONN_DRAINING);
	KUNIT_EXPECT_EQ(test, world->conns[1].err, 0);
	KUNIT_EXPECT_EQ(test, world->conns[2].state, IPOIB_CONN_REQ_SENT);
	/* After the end nobody looks again. */
	world->set->open = false;
	look();
	KUNIT_EXPECT_EQ(test, timers, was + 1);
}

static void whose_packets_do_not_go_is_closed(struct kunit *test)
{
	struct ipoib_conn *slow = ours(1, 0), *stuck = ours(2, 0);
	unsigned int i;

	KUNIT_EXPECT_EQ(test, add(slow), 0);
	KUNIT_EXPECT_EQ(test, add(stuck), 0);
	slow->ring.ring.head = 9;
	for (i = 0; i < 8; i++) {
		look();
		KUNIT_EXPECT_EQ(test, slow->state, IPOIB_CONN_ESTABLISHED);
		KUNIT_EXPECT_EQ(test, stuck->state, IPOIB_CONN_ESTABLISHED);
		slow->ring.ring.tail++;
	}
	stuck->ring.ring.head = 1;
	look();
	KUNIT_EXPECT_EQ(test, stuck->state, IPOIB_CONN_ESTABLISHED);
	look();
	KUNIT_EXPECT_EQ(test, stuck->state, IPOIB_CONN_DRAINING);
	KUNIT_EXPECT_EQ(test, stuck->err, -ETIMEDOUT);
}

static void who_is_not_heard_by_uc_is_closed(struct kunit *test)
{
	struct ipoib_conn *rc = ours(1, 0), *uc = ours(2, 0);
	unsigned int i;

	uc->type = IB_QPT_UC;
	KUNIT_EXPECT_EQ(test, add(rc), 0);
	KUNIT_EXPECT_EQ(test, add(uc), 0);
	for (i = 0; i < 4 * UNHEARD_PERIODS; i++) {
		rc->sent++;
		uc->sent++;
		/* Now and then a packet comes. */
		uc->received += i % UNHEARD_PERIODS == 0;
		look();
	}
	/* Nothing is sent, so nothing need come. */
	for (i = 0; i < 2 * UNHEARD_PERIODS; i++)
		look();
	KUNIT_EXPECT_EQ(test, uc->state, IPOIB_CONN_ESTABLISHED);
	for (i = 0; i < UNHEARD_PERIODS; i++) {
		KUNIT_EXPECT_EQ(test, uc->state, IPOIB_CONN_ESTABLISHED);
		uc->sent++;
		look();
	}
	KUNIT_EXPECT_EQ(test, uc->state, IPOIB_CONN_DRAINING);
	KUNIT_EXPECT_EQ(test, uc->err, 0);
	KUNIT_EXPECT_EQ(test, rc->state, IPOIB_CONN_ESTABLISHED);
}

static void connections_whose_path_may_have_changed_are_closed(struct kunit *test)
{
	struct ipoib_conn *rc = ours(1, 0), *uc = ours(1, 0), *young = ours(1, 0);
	struct ipoib_conn *other = ours(2, 0);
	union ib_gid gid = {};

	uc->type = IB_QPT_UC;
	young->type = IB_QPT_UC;
	other->type = IB_QPT_UC;
	rc->since = jiffies - 9 * HZ;
	uc->since = rc->since;
	other->since = rc->since;
	young->since = jiffies;
	KUNIT_EXPECT_EQ(test, add(rc) ?: add(uc) ?: add(young) ?: add(other), 0);
	memcpy(&gid, uc->addr.gid, sizeof(gid));
	ipoib_conn_set_refresh(world->set, &gid, 5 * HZ);
	KUNIT_EXPECT_EQ(test, uc->state, IPOIB_CONN_DRAINING);
	KUNIT_EXPECT_EQ(test, rc->state, IPOIB_CONN_ESTABLISHED);
	KUNIT_EXPECT_EQ(test, young->state, IPOIB_CONN_ESTABLISHED);
	KUNIT_EXPECT_EQ(test, other->state, IPOIB_CONN_ESTABLISHED);
	ipoib_conn_set_refresh(world->set, NULL, 0);
	KUNIT_EXPECT_EQ(test, young->state, IPOIB_CONN_DRAINING);
	KUNIT_EXPECT_EQ(test, other->state, IPOIB_CONN_DRAINING);
	KUNIT_EXPECT_EQ(test, rc->state, IPOIB_CONN_ESTABLISHED);
}

/* The fabric says that this is the path to node 7. */
static void path_is(const struct sa_path_rec *path)
{
	struct ipoib_hwaddr addr = { .flags_qpn = cpu_to_be32((u32)IPOIB_FLAG_RC << 24) };

	addr.gid[3] = cpu_to_be32(7);
	ipoib_conn_set_follow(world->set, &addr, path);
}

/* Ours to node 7, by that path. */
static struct ipoib_conn *by(struct kunit *test, const struct sa_path_rec *path)
{
	struct ipoib_conn *it = ours(7, 0);

	it->path = *path;
	KUNIT_EXPECT_EQ(test, add(it), 0);
	return it;
}

static const struct sa_path_rec way = {
	.rec_type = SA_PATH_REC_TYPE_IB,
	.ib = { .slid = cpu_to_be16(4), .dlid = cpu_to_be16(8) },
	.sl = 1, .mtu = IB_MTU_2048, .rate = IB_RATE_40_GBPS, .traffic_class = 2, .hop_limit = 3,
};

static void a_connection_leaves_when_its_path_is_another_one(struct kunit *test)
{
	struct sa_path_rec others[] = { way, way, way, way, way, way, way };
	struct ipoib_conn *it;
	unsigned int i;

	others[0].ib.dlid = cpu_to_be16(10);
	others[1].ib.slid = cpu_to_be16(6);
	others[2].sl = 0;
	others[3].mtu = IB_MTU_4096;
	others[4].rate = IB_RATE_20_GBPS;
	others[5].traffic_class = 0;
	others[6].hop_limit = 0;
	world->idev->fabric.link.lmc = 1;
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		it = by(test, &way);
		path_is(&way);
		KUNIT_EXPECT_FALSE(test, it->leaving);
		path_is(&others[i]);
		KUNIT_EXPECT_TRUE(test, it->leaving);
		KUNIT_EXPECT_EQ(test, it->err, 0);
	}
}

static void on_roce_the_mac_address_says_where_a_path_leads(struct kunit *test)
{
	struct sa_path_rec path = { .rec_type = SA_PATH_REC_TYPE_ROCE_V2 };
	static struct net_device lower;
	struct ipoib_conn *it;

	world->idev->fabric.lower = &lower;
	it = by(test, &path);
	path_is(&path);
	KUNIT_EXPECT_FALSE(test, it->leaving);
	path.roce.dmac[5] = 1;
	path_is(&path);
	KUNIT_EXPECT_TRUE(test, it->leaving);
}

static void nothing_else_makes_a_connection_leave_its_path(struct kunit *test)
{
	struct sa_path_rec other = way;
	struct ipoib_conn *it = by(test, &way), *theirs = conn(7, 0), *elsewhere = ours(8, 0);

	KUNIT_EXPECT_EQ(test, add(theirs) ?: add(elsewhere), 0);
	/* Another LID of the same port, or how long packets live. */
	world->idev->fabric.link.lmc = 1;
	other.ib.slid ^= cpu_to_be16(1);
	other.ib.dlid ^= cpu_to_be16(1);
	other.packet_life_time = 9;
	path_is(&other);
	KUNIT_EXPECT_FALSE(test, it->leaving);
	/* Nor is it known yet by what path one goes that is being opened. */
	it->state = IPOIB_CONN_REQ_SENT;
	other.sl = 5;
	path_is(&other);
	KUNIT_EXPECT_FALSE(test, it->leaving);
	KUNIT_EXPECT_FALSE(test, theirs->leaving);
	KUNIT_EXPECT_FALSE(test, elsewhere->leaving);
}

static void not_all_leave_their_paths_at_once(struct kunit *test)
{
	struct sa_path_rec other = way;
	unsigned int i;

	other.sl = 5;
	add_ours(test, LIMIT - 1, 0);
	by(test, &way);
	world->set->places[IPOIB_CONN_OURS].leaving = IPOIB_CONN_SPARE / 2;
	path_is(&other);
	look();
	KUNIT_EXPECT_FALSE(test, world->conns[LIMIT - 1].leaving);
	/* The path is as it was. */
	world->set->places[IPOIB_CONN_OURS].leaving--;
	path_is(&way);
	look();
	KUNIT_EXPECT_FALSE(test, world->conns[LIMIT - 1].leaving);
	world->set->places[IPOIB_CONN_OURS].leaving++;
	path_is(&other);
	world->set->places[IPOIB_CONN_OURS].leaving--;
	look();
	KUNIT_EXPECT_EQ(test, world->set->places[IPOIB_CONN_OURS].leaving, IPOIB_CONN_SPARE / 2);
	for (i = 0; i < LIMIT; i++)
		KUNIT_EXPECT_EQ(test, world->conns[i].leaving, i == LIMIT - 1);
	world->set->places[IPOIB_CONN_OURS].leaving = 1;
}

static void there_are_few_sets_at_a_time(struct kunit *test)
{
	struct ipoib_conn_set *sets[SETS_MAX];
	int i;

	mutex_lock(&world->idev->lock);
	for (i = 1; i < SETS_MAX; i++) {
		sets[i] = ipoib_conn_set_start(world->idev);
		KUNIT_ASSERT_FALSE(test, IS_ERR(sets[i]));
	}
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(ipoib_conn_set_start(world->idev)), -EBUSY);
	while (--i)
		ipoib_conn_set_stop(sets[i]);
	mutex_unlock(&world->idev->lock);
	KUNIT_EXPECT_EQ(test, ended, SETS_MAX - 1);
	ended = 0;
}

static struct kunit_case conn_set_test_cases[] = {
	KUNIT_CASE(the_idlest_makes_room),
	KUNIT_CASE(nobody_in_use_makes_room),
	KUNIT_CASE(of_many_few_are_looked_at),
	KUNIT_CASE(others_are_looked_at_when_these_were_in_use),
	KUNIT_CASE(idle_ones_are_found_at_once_after_a_while),
	KUNIT_CASE(that_nobody_makes_room_is_known_for_a_while),
	KUNIT_CASE(that_closing_another_is_no_help_is_known_at_once),
	KUNIT_CASE(a_connection_that_was_used_just_now_stays),
	KUNIT_CASE(who_leaves_already_makes_no_room_again),
	KUNIT_CASE(who_is_not_established_makes_no_room),
	KUNIT_CASE(peers_that_ib_ipoib_runs_have_a_bound_of_their_own),
	KUNIT_CASE(the_oldest_half_made_one_makes_room),
	KUNIT_CASE(a_port_with_many_half_made_ones_makes_room_itself),
	KUNIT_CASE(a_port_has_a_quarter_of_all_places),
	KUNIT_CASE(who_asks_in_the_name_of_a_port_has_none_of_its_share),
	KUNIT_CASE(a_port_leaves_buffers_of_each_queue),
	KUNIT_CASE(those_that_we_open_to_a_port_count_as_well),
	KUNIT_CASE(a_port_has_few_of_a_large_set_where_each_has_its_own_queue),
	KUNIT_CASE(who_asks_in_the_name_of_a_port_keeps_nobody_from_it),
	KUNIT_CASE(there_are_as_many_as_the_device_has_room_for),
	KUNIT_CASE(a_bundle_has_twice_its_part),
	KUNIT_CASE(few_of_one_port_are_closing_to_make_room),
	KUNIT_CASE(what_may_be_sent_by_is_found),
	KUNIT_CASE(a_receive_that_fails_closes_its_connection),
	KUNIT_CASE(who_sent_it_is_known_and_whether_it_has_a_checksum),
	KUNIT_CASE(who_is_idle_for_long_is_closed),
	KUNIT_CASE(whose_packets_do_not_go_is_closed),
	KUNIT_CASE(who_is_not_heard_by_uc_is_closed),
	KUNIT_CASE(connections_whose_path_may_have_changed_are_closed),
	KUNIT_CASE(a_connection_leaves_when_its_path_is_another_one),
	KUNIT_CASE(on_roce_the_mac_address_says_where_a_path_leads),
	KUNIT_CASE(nothing_else_makes_a_connection_leave_its_path),
	KUNIT_CASE(not_all_leave_their_paths_at_once),
	KUNIT_CASE(there_are_few_sets_at_a_time),
	{}
};

static struct kunit_suite conn_set_test_suite = {
	.name = "ipoib_conn_set",
	.init = conn_set_test_init,
	.exit = conn_set_test_exit,
	.test_cases = conn_set_test_cases,
};

kunit_test_suite(conn_set_test_suite);

MODULE_DESCRIPTION("Tests of the set of connections of an IPoIB interface");
MODULE_LICENSE("GPL");
