// SPDX-License-Identifier: GPL-2.0
/* Which connection the packets of a peer go by, and what happens while there is none. */
#include <kunit/test.h>
#include <linux/etherdevice.h>
#include <linux/netdevice.h>

#include "../conn_set.h"
#include "../device.h"

#include "../conn_peer.c"

#include "../addr.c"
#include "../backoff.c"

#define LINK_MTU	2044
#define LID		5

/* What was done with packets. */
static unsigned int sent, flushed, full, too_late, too_big, told, staged_on_peer, forgotten;
static unsigned int no_path;

/**
 * struct world - an interface with connections, and its peers
 * @idev: the interface
 * @tx: what connections send with
 * @bundle: the one that they are in
 * @set: its connections
 * @known: the connection that the set finds
 * @peers: peers at one address, by their flags
 * @ah: the path to them
 * @made: the connection that was made last
 * @asked: how many were made
 * @err: why none is added to the set
 * @no_memory: none is made
 * @crowded: it is known that there is no place for one to this address
 * @answered: the path to a peer becomes known just when a packet is to wait for it
 * @left: how many had to leave
 * @refreshed: how often a path of that age was asked for again
 * @puts: references of peers that were given back
 * @freed: connections that nobody has any more
 */
static struct world {
	struct ipoib_dev *idev;
	struct ipoib_conn_tx tx;
	struct ipoib_bundle bundle;
	struct ipoib_conn_set *set;
	struct ipoib_conn *known;
	struct ipoib_peer peers[4];
	struct ipoib_ah ah;
	struct ipoib_conn made;
	unsigned int asked;
	int err;
	bool no_memory;
	const struct ipoib_hwaddr *crowded;
	bool answered;
	unsigned int left;
	unsigned int refreshed;
	unsigned int puts;
	unsigned int freed;
} *world;

/* ---- what conn_peer.c calls of the driver ------------------------------ */

void ipoib_conn_kick(struct ipoib_conn *conn, enum ipoib_conn_pending what)
{
	conn->pending |= BIT(what);
}

struct ipoib_conn *ipoib_conn_new(struct ipoib_conn_set *set, const struct ipoib_hwaddr *addr,
				  enum ib_qp_type type, enum ipoib_service service, bool active)
{
	struct ipoib_conn *conn = &world->made;

	if (world->no_memory)
		return NULL;
	memset(conn, 0, sizeof(*conn));
	conn->set = set;
	conn->addr = *addr;
	conn->addr.flags_qpn &= cpu_to_be32(IPOIB_QPN_MASK);
	conn->type = type;
	conn->service = service;
	conn->active = active;
	refcount_set(&conn->refs, 1);
	__skb_queue_head_init(&conn->staged);
	return conn;
}

void ipoib_conn_put(struct ipoib_conn *conn)
{
	world->freed += refcount_dec_and_test(&conn->refs);
}

bool ipoib_conn_set_is_crowded(const struct ipoib_conn_set *set, const struct ipoib_hwaddr *addr)
{
	return world->crowded && ipoib_hwaddr_same_qp(addr, world->crowded);
}

int ipoib_conn_set_add(struct ipoib_conn_set *set, struct ipoib_conn *conn)
{
	if (world->err)
		return world->err;
	world->asked++;
	return 0;
}

struct ipoib_conn *ipoib_conn_set_find(struct ipoib_conn_set *set, const struct ipoib_hwaddr *addr)
{
	return world->known;
}

void ipoib_conn_set_leave(struct ipoib_conn_set *set, struct ipoib_conn *conn, int err)
{
	conn->err = conn->err ?: err;
	world->left++;
}

void ipoib_conn_tx_flush(struct ipoib_conn_tx *tx)
{
	lockdep_assert_held(&tx->bundle->lock);
	flushed++;
}

void ipoib_conn_tx_forget(struct ipoib_conn *conn)
{
	lockdep_assert_held(&conn->tx->bundle->lock);
	forgotten++;
}

bool ipoib_conn_tx_may_wait(const struct ipoib_conn_tx *tx, unsigned int own, unsigned int more)
{
	return true;
}

/* The header of the link is gone by then. */
void ipoib_conn_tx_send(struct ipoib_conn *conn, struct sk_buff *skb)
{
	lockdep_assert_held(&conn->tx->bundle->lock);
	sent += skb->len;
	kfree_skb(skb);
}

void ipoib_drop_skb(struct ipoib_drops *drops, enum ipoib_drop_reason reason, struct sk_buff *skb)
{
	full += reason == IPOIB_DROP_TX_QUEUE_FULL;
	too_late += reason == IPOIB_DROP_TX_DOWN;
	no_path += reason == IPOIB_DROP_TX_NO_PATH;
	kfree_skb(skb);
}

void ipoib_xmit_too_big(struct ipoib_dev *idev, struct sk_buff *skb, unsigned int mtu)
{
	too_big++;
	told = mtu;
	kfree_skb(skb);
}

void ipoib_peer_put(struct ipoib_peer *peer)
{
	world->puts++;
	refcount_dec(&peer->refs);
}

void ipoib_peer_refresh(struct ipoib_peer *peer, unsigned long age)
{
	world->refreshed += age == MOVED_AGE;
}

bool ipoib_peer_stage(struct ipoib_peer *peer, struct sk_buff *skb)
{
	if (world->answered) {
		rcu_assign_pointer(peer->ah, &world->ah);
		return false;
	}
	staged_on_peer++;
	kfree_skb(skb);
	return true;
}

/* ---- peers, connections and packets ------------------------------------ */

static struct ipoib_hwaddr address(u8 flags)
{
	struct ipoib_hwaddr addr = {
		.flags_qpn = cpu_to_be32((u32)flags << 24 | 0x100),
		.gid = { cpu_to_be32(0xfe800000), 0, 0, cpu_to_be32(7) },
	};

	return addr;
}

static int conn_peer_test_init(struct kunit *test)
{
	struct ipoib_dev *idev = kunit_kzalloc(test, sizeof(*idev), GFP_KERNEL);

	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, idev);
	KUNIT_ASSERT_NOT_NULL(test, world);
	world->set = kunit_kzalloc(test, sizeof(*world->set), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world->set);
	KUNIT_ASSERT_EQ(test, rhashtable_init(&idev->peers.hash, &ipoib_peer_params), 0);
	sent = 0;
	flushed = 0;
	full = 0;
	too_late = 0;
	too_big = 0;
	staged_on_peer = 0;
	forgotten = 0;
	no_path = 0;
	world->idev = idev;
	idev->max_len = LINK_MTU;
	spin_lock_init(&world->bundle.lock);
	world->tx.set = world->set;
	world->tx.bundle = &world->bundle;
	world->set->txs = &world->tx;
	world->set->bundles = 1;
	world->set->idev = idev;
	world->set->open = true;
	world->set->opens = true;
	world->set->offer = IPOIB_OFFER_RC | IPOIB_OFFER_UC;
	world->set->self.gid[0] = cpu_to_be32(0xfe800000);
	spin_lock_init(&world->set->lock);
	world->ah.dlid = LID;
	return 0;
}

static void conn_peer_test_exit(struct kunit *test)
{
	if (world && world->idev)
		rhashtable_destroy(&world->idev->peers.hash);
}

/* A peer with these flags and a path. */
static struct ipoib_peer *peer(struct kunit *test, u8 flags)
{
	struct ipoib_peer *it = &world->peers[flags >> 6];

	it->addr = address(flags);
	it->table = &world->idev->peers;
	it->conn_look_at = jiffies - HZ;
	it->conn_retry_at = jiffies - HZ;
	refcount_set(&it->refs, 1);
	rcu_assign_pointer(it->ah, &world->ah);
	KUNIT_ASSERT_EQ(test, rhashtable_insert_fast(&world->idev->peers.hash, &it->node,
						     ipoib_peer_params), 0);
	return it;
}

/* A connection of the peer, which has come from there, and is established. */
static struct ipoib_conn *conn(struct kunit *test)
{
	struct ipoib_conn *it = kunit_kzalloc(test, sizeof(*it), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, it);
	it->set = world->set;
	it->tx = &world->tx;
	it->addr = address(0);
	it->type = IB_QPT_RC;
	it->service = IPOIB_SERVICE_RFC;
	it->state = IPOIB_CONN_ESTABLISHED;
	it->mtu = 9000;
	it->since = jiffies;
	it->path.rec_type = SA_PATH_REC_TYPE_IB;
	sa_path_set_dlid(&it->path, LID);
	refcount_set(&it->refs, 1);
	__skb_queue_head_init(&it->staged);
	return it;
}

static struct sk_buff *packet(unsigned int len)
{
	struct sk_buff *skb = alloc_skb(IPOIB_HARD_LEN + len, GFP_KERNEL);

	skb_put_zero(skb, IPOIB_HARD_LEN + len);
	skb->truesize = 1000;
	return skb;
}

static void detach(struct ipoib_conn *conn)
{
	spin_lock_bh(&world->bundle.lock);
	ipoib_conn_peer_detach(conn);
	spin_unlock_bh(&world->bundle.lock);
}

static struct ipoib_conn *want(struct ipoib_peer *peer, bool urgent)
{
	struct ipoib_conn *conn;

	spin_lock_bh(&world->bundle.lock);
	rcu_read_lock();
	conn = ipoib_conn_peer_want(world->set, peer, urgent);
	rcu_read_unlock();
	spin_unlock_bh(&world->bundle.lock);
	return conn;
}

static bool wait_for(struct ipoib_peer *peer, unsigned int len)
{
	struct sk_buff *skb = packet(len);
	bool taken;

	spin_lock_bh(&world->bundle.lock);
	rcu_read_lock();
	taken = ipoib_conn_peer_stage(world->set, peer, skb);
	rcu_read_unlock();
	spin_unlock_bh(&world->bundle.lock);
	if (!taken)
		kfree_skb(skb);
	return taken;
}

/* ---- REQs -------------------------------------------------------------- */

static int checked(struct ipoib_conn *conn)
{
	conn->from_peer = false;
	return ipoib_conn_peer_check(conn);
}

static void a_req_comes_from_where_the_datagrams_go(struct kunit *test)
{
	struct ipoib_conn *it = conn(test);
	struct ipoib_peer *who = peer(test, IPOIB_FLAG_RC);

	KUNIT_EXPECT_EQ(test, checked(it), 0);
	KUNIT_EXPECT_TRUE(test, it->from_peer);
	sa_path_set_dlid(&it->path, LID + 1);
	KUNIT_EXPECT_EQ(test, checked(it), -EHOSTUNREACH);
	KUNIT_EXPECT_FALSE(test, it->from_peer);
	KUNIT_EXPECT_EQ(test, world->refreshed, 1);
	/* Without a path nobody knows. */
	RCU_INIT_POINTER(who->ah, NULL);
	KUNIT_EXPECT_EQ(test, checked(it), 0);
	KUNIT_EXPECT_FALSE(test, it->from_peer);
	/* All of another subnet come from the router. */
	rcu_assign_pointer(who->ah, &world->ah);
	world->set->self.gid[1] = cpu_to_be32(1);
	KUNIT_EXPECT_EQ(test, checked(it), 0);
	KUNIT_EXPECT_FALSE(test, it->from_peer);
	KUNIT_EXPECT_EQ(test, world->refreshed, 1);
}

static void on_roce_the_mac_address_tells(struct kunit *test)
{
	struct ipoib_conn *it = conn(test);

	peer(test, IPOIB_FLAG_RC);
	world->idev->fabric.lower = kunit_kzalloc(test, sizeof(struct net_device), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world->idev->fabric.lower);
	it->path.rec_type = SA_PATH_REC_TYPE_ROCE_V2;
	eth_broadcast_addr(sa_path_get_dmac(&it->path));
	KUNIT_EXPECT_EQ(test, checked(it), -EHOSTUNREACH);
	eth_broadcast_addr(world->ah.dmac);
	KUNIT_EXPECT_EQ(test, checked(it), 0);
	KUNIT_EXPECT_TRUE(test, it->from_peer);
}

static void a_req_fits_what_is_known_of_its_peer(struct kunit *test)
{
	struct ipoib_conn *it = conn(test);
	struct ipoib_peer *who = peer(test, IPOIB_FLAG_RC | IPOIB_FLAG_UC);

	/* Who runs ib_ipoib does not know the service ID of the RFC. */
	who->conn_linux = true;
	KUNIT_EXPECT_EQ(test, checked(it), -EPROTONOSUPPORT);
	it->service = IPOIB_SERVICE_LINUX;
	KUNIT_EXPECT_EQ(test, checked(it), 0);
	/* Who takes UC needs no RC where that is not wanted. */
	world->set->offer = IPOIB_OFFER_UC;
	KUNIT_EXPECT_EQ(test, checked(it), -EPROTOTYPE);
	it->type = IB_QPT_UC;
	KUNIT_EXPECT_EQ(test, checked(it), 0);
}

static void who_has_only_rc_may_ask_for_it(struct kunit *test)
{
	struct ipoib_conn *it = conn(test);

	peer(test, IPOIB_FLAG_RC);
	world->set->offer = IPOIB_OFFER_UC;
	KUNIT_EXPECT_EQ(test, checked(it), 0);
}

/* ---- asking for one ---------------------------------------------------- */

static void the_first_packet_asks_for_one_and_the_next_ones_do_not(struct kunit *test)
{
	struct ipoib_peer *who = peer(test, IPOIB_FLAG_RC | IPOIB_FLAG_UC);

	KUNIT_EXPECT_NULL(test, want(who, false));
	KUNIT_EXPECT_EQ(test, world->asked, 1);
	KUNIT_EXPECT_EQ(test, world->made.type, IB_QPT_RC);
	KUNIT_EXPECT_EQ(test, world->made.service, IPOIB_SERVICE_RFC);
	KUNIT_EXPECT_TRUE(test, world->made.active);
	KUNIT_EXPECT_EQ(test, world->made.alt_state, IPOIB_CONN_ALT_WANTED);
	KUNIT_EXPECT_EQ(test, world->made.pending, BIT(IPOIB_CONN_PENDING_WANT));
	KUNIT_EXPECT_PTR_EQ(test, world->made.wanted, who);
	KUNIT_EXPECT_EQ(test, refcount_read(&who->refs), 2);
	want(who, false);
	want(who, true);
	KUNIT_EXPECT_EQ(test, world->asked, 1);
	who->conn_look_at = jiffies;
	who->conn_retry_at = jiffies + HZ;
	want(who, true);
	KUNIT_EXPECT_EQ(test, world->asked, 1);
	who->conn_look_at = jiffies;
	who->conn_retry_at = jiffies;
	who->conn_linux = true;
	who->conn_no_alt = true;
	world->set->offer = IPOIB_OFFER_UC;
	want(who, false);
	KUNIT_EXPECT_EQ(test, world->asked, 2);
	KUNIT_EXPECT_EQ(test, world->made.type, IB_QPT_UC);
	KUNIT_EXPECT_EQ(test, world->made.service, IPOIB_SERVICE_LINUX);
	KUNIT_EXPECT_EQ(test, world->made.alt_state, IPOIB_CONN_ALT_NONE);
	/* With nothing in common there is none. */
	who->conn_look_at = jiffies;
	who->addr = address(IPOIB_FLAG_RC);
	want(who, true);
	KUNIT_EXPECT_EQ(test, world->asked, 2);
	who->addr = address(IPOIB_FLAG_RC | IPOIB_FLAG_UC);
}

static void one_that_cannot_be_made_leaves_nothing(struct kunit *test)
{
	struct ipoib_peer *who = peer(test, IPOIB_FLAG_RC);

	world->no_memory = true;
	want(who, true);
	KUNIT_EXPECT_EQ(test, refcount_read(&who->refs), 1);
	world->no_memory = false;
	world->err = -EUSERS;
	who->conn_look_at = jiffies;
	want(who, true);
	KUNIT_EXPECT_EQ(test, refcount_read(&who->refs), 1);
	KUNIT_EXPECT_EQ(test, world->puts, 2);
	KUNIT_EXPECT_EQ(test, world->freed, 1);
}

static void who_finds_no_place_looks_again_after_a_while(struct kunit *test)
{
	struct ipoib_peer *who = peer(test, IPOIB_FLAG_RC);

	world->err = -EUSERS;
	who->conn_look_at = jiffies;
	want(who, false);
	KUNIT_EXPECT_TRUE(test, time_after(who->conn_look_at, jiffies + CROWDED_PERIOD / 2));
	/* Where it is known, none is made for nothing. */
	world->err = 0;
	world->crowded = &who->addr;
	world->freed = 0;
	who->conn_look_at = jiffies;
	want(who, true);
	KUNIT_EXPECT_TRUE(test, time_after(who->conn_look_at, jiffies + CROWDED_PERIOD / 2));
	KUNIT_EXPECT_EQ(test, world->freed, 0);
	KUNIT_EXPECT_EQ(test, world->asked, 0);
	world->crowded = NULL;
	who->conn_look_at = jiffies;
	want(who, false);
	KUNIT_EXPECT_EQ(test, world->asked, 1);
}

static void one_that_the_peer_has_made_is_used(struct kunit *test)
{
	struct ipoib_peer *who = peer(test, IPOIB_FLAG_RC);
	struct ipoib_conn *it = conn(test);

	world->known = it;
	it->state = IPOIB_CONN_REP_SENT;
	KUNIT_EXPECT_NULL(test, want(who, true));
	it->state = IPOIB_CONN_ESTABLISHED;
	who->conn_no_alt = true;
	/* One that takes less than datagrams is of no use. */
	it->mtu = LINK_MTU - 1;
	KUNIT_EXPECT_NULL(test, want(who, true));
	it->mtu = LINK_MTU;
	KUNIT_EXPECT_PTR_EQ(test, want(who, true), it);
	KUNIT_EXPECT_PTR_EQ(test, it->peer, who);
	KUNIT_EXPECT_EQ(test, refcount_read(&who->refs), 2);
	KUNIT_EXPECT_FALSE(test, who->conn_linux);
	KUNIT_EXPECT_FALSE(test, who->conn_no_alt);
	KUNIT_EXPECT_EQ(test, world->asked, 0);
	detach(it);
	KUNIT_EXPECT_NULL(test, who->conn);
	KUNIT_EXPECT_EQ(test, refcount_read(&who->refs), 1);
	/* Nor is one that leads elsewhere now, and another one is asked for. */
	sa_path_set_dlid(&it->path, LID + 1);
	who->conn_look_at = jiffies;
	KUNIT_EXPECT_NULL(test, want(who, true));
	KUNIT_EXPECT_EQ(test, world->left, 1);
	KUNIT_EXPECT_EQ(test, it->err, -EHOSTUNREACH);
	KUNIT_EXPECT_EQ(test, atomic_read(&world->idev->refused.elsewhere), 1);
	KUNIT_EXPECT_EQ(test, world->asked, 1);
}

/* ---- packets that wait ------------------------------------------------- */

static void long_packets_wait_until_it_is_established(struct kunit *test)
{
	struct ipoib_peer *who = peer(test, IPOIB_FLAG_RC);
	struct ipoib_conn *it = conn(test);

	KUNIT_EXPECT_FALSE(test, wait_for(who, 3000));
	world->known = it;
	it->active = true;
	it->state = IPOIB_CONN_REQ_SENT;
	KUNIT_EXPECT_TRUE(test, wait_for(who, 3000));
	KUNIT_EXPECT_TRUE(test, wait_for(who, 9001));
	KUNIT_EXPECT_EQ(test, it->staged_bytes, 2000);
	KUNIT_EXPECT_EQ(test, atomic_read(&world->set->waiting_bytes), 2000);
	it->wanted = who;
	who->conn_contested = 1;
	it->state = IPOIB_CONN_ESTABLISHED;
	ipoib_conn_peer_publish(it);
	KUNIT_EXPECT_PTR_EQ(test, who->conn, it);
	KUNIT_EXPECT_EQ(test, who->conn_contested, 0);
	KUNIT_EXPECT_EQ(test, sent, IPOIB_HDR_LEN + 3000);
	KUNIT_EXPECT_EQ(test, too_big, 1);
	KUNIT_EXPECT_EQ(test, told, 9000);
	KUNIT_EXPECT_EQ(test, flushed, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&world->set->waiting_bytes), 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&it->refs), 1);
}

static void so_many_wait_as_the_ring_takes(struct kunit *test)
{
	struct ipoib_peer *who = peer(test, IPOIB_FLAG_RC);
	struct ipoib_conn *it = conn(test);
	unsigned int i;

	world->known = it;
	it->active = true;
	it->state = IPOIB_CONN_REQ_SENT;
	for (i = 0; i < IPOIB_CONN_SLOTS; i++)
		wait_for(who, 3000);
	KUNIT_EXPECT_EQ(test, full, 0);
	wait_for(who, 3000);
	KUNIT_EXPECT_EQ(test, full, 1);
	__skb_queue_purge(&it->staged);
	/* And so many octets. */
	it->staged_bytes = STAGED_MAX - 1000;
	wait_for(who, 3000);
	KUNIT_EXPECT_EQ(test, full, 1);
	wait_for(who, 3000);
	KUNIT_EXPECT_EQ(test, full, 2);
	__skb_queue_purge(&it->staged);
}

static void who_has_no_path_waits_for_that_first(struct kunit *test)
{
	struct ipoib_peer *who = peer(test, IPOIB_FLAG_RC);
	struct ipoib_conn *it = conn(test);

	world->known = it;
	RCU_INIT_POINTER(who->ah, NULL);
	KUNIT_EXPECT_TRUE(test, wait_for(who, 3000));
	KUNIT_EXPECT_EQ(test, staged_on_peer, 1);
	rcu_assign_pointer(who->ah, &world->ah);
	KUNIT_EXPECT_TRUE(test, wait_for(who, 3000));
	KUNIT_EXPECT_PTR_EQ(test, who->conn, it);
	KUNIT_EXPECT_EQ(test, sent, IPOIB_HDR_LEN + 3000);
	/* It comes just when the packet is to wait for it. */
	detach(it);
	RCU_INIT_POINTER(who->ah, NULL);
	world->answered = true;
	KUNIT_EXPECT_TRUE(test, wait_for(who, 3000));
	KUNIT_EXPECT_EQ(test, staged_on_peer, 1);
	KUNIT_EXPECT_EQ(test, sent, 2 * (IPOIB_HDR_LEN + 3000));
	/* One that takes less than a datagram does not take it. */
	detach(it);
	it->mtu = 1000;
	KUNIT_EXPECT_FALSE(test, wait_for(who, 3000));
}

static void what_still_waits_goes_by_the_next_one(struct kunit *test)
{
	struct ipoib_peer *who = peer(test, IPOIB_FLAG_RC);
	struct ipoib_conn *it = conn(test), *next = conn(test);

	it->active = true;
	it->state = IPOIB_CONN_REQ_SENT;
	next->active = true;
	world->known = it;
	wait_for(who, 3000);
	world->known = next;
	it->state = IPOIB_CONN_DRAINING;
	ipoib_conn_peer_unpublish(it);
	KUNIT_EXPECT_EQ(test, sent, IPOIB_HDR_LEN + 3000);
	KUNIT_EXPECT_EQ(test, refcount_read(&next->refs), 1);
	/* It waits there, too, if that is not established. */
	it->state = IPOIB_CONN_REQ_SENT;
	world->known = it;
	wait_for(who, 3000);
	world->known = next;
	next->state = IPOIB_CONN_REQ_SENT;
	ipoib_conn_peer_unpublish(it);
	KUNIT_EXPECT_EQ(test, skb_queue_len(&next->staged), 1);
	/* If there is none, or the next one takes less, it is too long, or comes too late. */
	next->state = IPOIB_CONN_ESTABLISHED;
	next->mtu = 1000;
	ipoib_conn_peer_unpublish(next);
	KUNIT_EXPECT_EQ(test, too_big, 1);
	KUNIT_EXPECT_EQ(test, told, 0);
	world->known = it;
	wait_for(who, 3000);
	world->known = NULL;
	world->set->open = false;
	ipoib_conn_peer_unpublish(it);
	KUNIT_EXPECT_EQ(test, too_late, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&world->set->waiting_bytes), 0);
}

/* A packet waits for @old, which ends when there is @next. */
static void passes_on(struct ipoib_peer *who, struct ipoib_conn *old, struct ipoib_conn *next)
{
	struct ipoib_ah *ah = rcu_dereference_protected(who->ah, true);

	rcu_assign_pointer(who->ah, &world->ah);
	old->state = IPOIB_CONN_REP_SENT;
	world->known = old;
	wait_for(who, 3000);
	RCU_INIT_POINTER(who->ah, ah);
	world->known = next;
	old->state = IPOIB_CONN_DRAINING;
	ipoib_conn_peer_unpublish(old);
}

static void who_loses_the_path_meanwhile_keeps_nothing_waiting(struct kunit *test)
{
	struct ipoib_peer *who = peer(test, IPOIB_FLAG_RC);
	struct ipoib_conn *it = conn(test), *old = conn(test);

	it->state = IPOIB_CONN_REP_SENT;
	world->known = it;
	wait_for(who, 3000);
	RCU_INIT_POINTER(who->ah, NULL);
	it->state = IPOIB_CONN_ESTABLISHED;
	ipoib_conn_peer_publish(it);
	KUNIT_EXPECT_NULL(test, it->peer);
	KUNIT_EXPECT_EQ(test, no_path, 1);
	/* Nor does what waited for another one wait for this. */
	passes_on(who, old, it);
	KUNIT_EXPECT_EQ(test, no_path, 2);
	/* It goes by it if the path is there again. */
	rcu_assign_pointer(who->ah, &world->ah);
	wait_for(who, 3000);
	passes_on(who, old, it);
	KUNIT_EXPECT_EQ(test, no_path, 2);
	KUNIT_EXPECT_EQ(test, sent, 2 * (IPOIB_HDR_LEN + 3000));
	KUNIT_EXPECT_EQ(test, atomic_read(&world->set->waiting_bytes), 0);
}

static void what_waits_for_the_ring_of_one_that_has_failed_is_dropped(struct kunit *test)
{
	struct ipoib_conn *it = conn(test);

	/* One that makes room still sends it. */
	it->state = IPOIB_CONN_DRAINING;
	ipoib_conn_peer_unpublish(it);
	KUNIT_EXPECT_EQ(test, forgotten, 0);
	it->err = -EIO;
	ipoib_conn_peer_unpublish(it);
	KUNIT_EXPECT_EQ(test, forgotten, 1);
	ipoib_conn_peer_abandon(it);
	KUNIT_EXPECT_EQ(test, forgotten, 2);
}

static void any_peer_at_the_address_may_use_what_a_peer_has_made(struct kunit *test)
{
	struct ipoib_peer *rc = peer(test, IPOIB_FLAG_RC), *uc = peer(test, IPOIB_FLAG_UC);
	struct ipoib_peer *neither = peer(test, 0);
	struct ipoib_conn *it = conn(test);

	rc->conn_look_at = jiffies + 100 * HZ;
	uc->conn_look_at = jiffies + 100 * HZ;
	neither->conn_look_at = jiffies + 100 * HZ;
	ipoib_conn_peer_publish(it);
	KUNIT_EXPECT_PTR_EQ(test, it->peer, rc);
	KUNIT_EXPECT_NULL(test, uc->conn);
	/* The next packet of the other one looks for it at once. */
	KUNIT_EXPECT_FALSE(test, time_after(rc->conn_look_at, jiffies));
	KUNIT_EXPECT_FALSE(test, time_after(uc->conn_look_at, jiffies));
	KUNIT_EXPECT_TRUE(test, time_after(neither->conn_look_at, jiffies));
	detach(it);
	/* Nobody does when the set is at its end. */
	world->set->open = false;
	ipoib_conn_peer_publish(it);
	KUNIT_EXPECT_NULL(test, it->peer);
}

/* ---- after a failure --------------------------------------------------- */

/* A connection that we have asked for ends with this error, after so long. */
static void ends(struct kunit *test, struct ipoib_peer *who, enum ib_qp_type type,
		 enum ipoib_service service, int err)
{
	struct ipoib_conn *it = conn(test);

	it->active = true;
	it->wanted = who;
	it->type = type;
	it->service = service;
	it->err = err;
	it->state = IPOIB_CONN_DRAINING;
	refcount_inc(&who->refs);
	world->asked = 0;
	ipoib_conn_peer_unpublish(it);
	KUNIT_EXPECT_NULL(test, it->wanted);
}

static bool waits_for_retry(const struct ipoib_peer *who)
{
	return time_after(who->conn_retry_at, jiffies);
}

static void who_fails_waits_before_the_next_try(struct kunit *test)
{
	struct ipoib_peer *who = peer(test, IPOIB_FLAG_RC);

	ends(test, who, IB_QPT_RC, IPOIB_SERVICE_RFC, -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, who->conn_failures, 1);
	KUNIT_EXPECT_TRUE(test, waits_for_retry(who));
	KUNIT_EXPECT_EQ(test, world->asked, 0);
	ends(test, who, IB_QPT_RC, IPOIB_SERVICE_RFC, -ECONNREFUSED);
	KUNIT_EXPECT_EQ(test, who->conn_failures, 2);
	ends(test, who, IB_QPT_RC, IPOIB_SERVICE_RFC, 0);
	KUNIT_EXPECT_EQ(test, who->conn_failures, 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&who->refs), 1);
}

static void one_that_was_good_for_long_is_made_again_at_once(struct kunit *test)
{
	static const struct {
		int err;
		unsigned int age;
		bool waits;
	} cases[] = {
		{ -EIO, PROVEN_AGE + HZ, false },
		{ -EIO, PROVEN_AGE - HZ, true },
		{ -ETIMEDOUT, PROVEN_AGE + HZ, true },
	};
	struct ipoib_peer *who = peer(test, IPOIB_FLAG_RC);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ipoib_conn *it = conn(test);
		unsigned int failures = 0;

		if (cases[i].waits)
			failures = 4;
		it->active = true;
		it->wanted = who;
		it->peer = who;
		refcount_add(2, &who->refs);
		who->conn_failures = 3;
		it->err = cases[i].err;
		it->since = jiffies - cases[i].age;
		ipoib_conn_peer_unpublish(it);
		KUNIT_EXPECT_EQ(test, waits_for_retry(who), cases[i].waits);
		KUNIT_EXPECT_EQ(test, who->conn_failures, failures);
		KUNIT_EXPECT_NULL(test, who->conn);
	}
	KUNIT_EXPECT_EQ(test, refcount_read(&who->refs), 1);
}

/* Where all places are taken the one that has failed makes room; if that is not enough, later. */
static void another_kind_of_req_needs_a_place(struct kunit *test)
{
	struct ipoib_peer *both = peer(test, IPOIB_FLAG_RC | IPOIB_FLAG_UC);

	world->err = -EUSERS;
	ends(test, both, IB_QPT_RC, IPOIB_SERVICE_RFC, -EPROTOTYPE);
	KUNIT_EXPECT_EQ(test, world->left, 1);
	KUNIT_EXPECT_TRUE(test, waits_for_retry(both));
	KUNIT_EXPECT_EQ(test, both->conn_failures, 1);
	KUNIT_EXPECT_EQ(test, refcount_read(&both->refs), 1);
	/* The next set need not wait. */
	both->conn_failures = 0;
	world->err = -ESHUTDOWN;
	ends(test, both, IB_QPT_RC, IPOIB_SERVICE_RFC, -EPROTOTYPE);
	KUNIT_EXPECT_EQ(test, both->conn_failures, 0);
}

static void another_kind_of_req_is_tried_at_once(struct kunit *test)
{
	struct ipoib_peer *both = peer(test, IPOIB_FLAG_RC | IPOIB_FLAG_UC);
	struct ipoib_peer *rc = peer(test, IPOIB_FLAG_RC);

	/* RC is refused: UC, by the service ID of the RFC. */
	ends(test, both, IB_QPT_RC, IPOIB_SERVICE_LINUX, -EPROTOTYPE);
	KUNIT_EXPECT_EQ(test, world->asked, 1);
	KUNIT_EXPECT_EQ(test, world->made.type, IB_QPT_UC);
	KUNIT_EXPECT_EQ(test, world->made.service, IPOIB_SERVICE_RFC);
	ends(test, both, IB_QPT_UC, IPOIB_SERVICE_RFC, -EPROTOTYPE);
	KUNIT_EXPECT_EQ(test, world->asked, 0);
	ends(test, rc, IB_QPT_RC, IPOIB_SERVICE_RFC, -EPROTOTYPE);
	KUNIT_EXPECT_EQ(test, world->asked, 0);
	/* The service ID is refused: that of ib_ipoib. */
	rc->conn_linux = true;
	ends(test, rc, IB_QPT_RC, IPOIB_SERVICE_RFC, -EPROTONOSUPPORT);
	KUNIT_EXPECT_EQ(test, world->asked, 1);
	KUNIT_EXPECT_EQ(test, world->made.type, IB_QPT_RC);
	KUNIT_EXPECT_EQ(test, world->made.service, IPOIB_SERVICE_LINUX);
	KUNIT_EXPECT_FALSE(test, rc->conn_linux);
	ends(test, rc, IB_QPT_RC, IPOIB_SERVICE_LINUX, -EPROTONOSUPPORT);
	KUNIT_EXPECT_EQ(test, world->asked, 0);
	/* There is another one by now. */
	world->known = conn(test);
	ends(test, rc, IB_QPT_RC, IPOIB_SERVICE_RFC, -EPROTONOSUPPORT);
	KUNIT_EXPECT_EQ(test, world->asked, 0);
}

/* Between two sets it listens to nothing. What it took after that both ends would keep to. */
static void who_has_known_the_rfcs_service_id_is_asked_by_it_again(struct kunit *test)
{
	struct ipoib_peer *who = peer(test, IPOIB_FLAG_RC);
	struct ipoib_conn *it = conn(test);

	world->known = it;
	KUNIT_ASSERT_PTR_EQ(test, want(who, true), it);
	detach(it);
	world->known = NULL;
	ends(test, who, IB_QPT_RC, IPOIB_SERVICE_RFC, -EPROTONOSUPPORT);
	KUNIT_EXPECT_EQ(test, world->asked, 0);
	KUNIT_EXPECT_TRUE(test, waits_for_retry(who));
	ends(test, who, IB_QPT_RC, IPOIB_SERVICE_RFC, -EPROTONOSUPPORT);
	KUNIT_EXPECT_EQ(test, world->asked, 1);
	KUNIT_EXPECT_EQ(test, world->made.service, IPOIB_SERVICE_LINUX);
}

static void who_has_a_dead_one_is_asked_so_often(struct kunit *test)
{
	struct ipoib_peer *who = peer(test, IPOIB_FLAG_RC);
	unsigned int i;

	for (i = 1; i <= STALE_TRIES; i++) {
		ends(test, who, IB_QPT_RC, IPOIB_SERVICE_RFC, -ESTALE);
		KUNIT_EXPECT_EQ(test, world->asked, 1);
		KUNIT_EXPECT_EQ(test, world->made.service, IPOIB_SERVICE_RFC);
		KUNIT_EXPECT_EQ(test, who->conn_failures, i);
	}
	ends(test, who, IB_QPT_RC, IPOIB_SERVICE_RFC, -ESTALE);
	KUNIT_EXPECT_EQ(test, world->asked, 0);
	KUNIT_EXPECT_TRUE(test, waits_for_retry(who));
	/* While others ask in its name, it is asked for as long as that. */
	who->conn_contested = jiffies + HZ;
	ends(test, who, IB_QPT_RC, IPOIB_SERVICE_RFC, -ESTALE);
	KUNIT_EXPECT_EQ(test, world->asked, 1);
}

/* A REQ with an alternate path fails with this error. */
static void ends_with_alt(struct kunit *test, struct ipoib_peer *who, enum ipoib_service service,
			  int err)
{
	struct ipoib_conn *it = conn(test);

	it->active = true;
	it->wanted = who;
	it->service = service;
	it->alt_state = IPOIB_CONN_ALT_LOADED;
	it->err = err;
	refcount_inc(&who->refs);
	world->asked = 0;
	ipoib_conn_peer_unpublish(it);
}

static void a_peer_may_refuse_the_alternate_path(struct kunit *test)
{
	struct ipoib_peer *who = peer(test, IPOIB_FLAG_RC);

	ends(test, who, IB_QPT_RC, IPOIB_SERVICE_RFC, -ECONNABORTED);
	KUNIT_EXPECT_EQ(test, world->asked, 0);
	ends_with_alt(test, who, IPOIB_SERVICE_RFC, -ECONNREFUSED);
	KUNIT_EXPECT_EQ(test, world->asked, 0);
	KUNIT_EXPECT_FALSE(test, who->conn_no_alt);
	ends_with_alt(test, who, IPOIB_SERVICE_LINUX, -ECONNREFUSED);
	KUNIT_EXPECT_EQ(test, world->asked, 1);
	KUNIT_EXPECT_TRUE(test, who->conn_no_alt);
	KUNIT_EXPECT_EQ(test, world->made.alt_state, IPOIB_CONN_ALT_NONE);
	ends_with_alt(test, who, IPOIB_SERVICE_RFC, -ECONNABORTED);
	KUNIT_EXPECT_EQ(test, world->asked, 0);
	/* A busy one may lack what that takes, but not at the first time. */
	who->conn_no_alt = false;
	who->conn_failures = 0;
	ends_with_alt(test, who, IPOIB_SERVICE_RFC, -EBUSY);
	KUNIT_EXPECT_FALSE(test, who->conn_no_alt);
	ends(test, who, IB_QPT_RC, IPOIB_SERVICE_RFC, -EBUSY);
	KUNIT_EXPECT_FALSE(test, who->conn_no_alt);
	ends_with_alt(test, who, IPOIB_SERVICE_RFC, -EBUSY);
	KUNIT_EXPECT_TRUE(test, who->conn_no_alt);
	KUNIT_EXPECT_EQ(test, world->asked, 0);
}

static void who_is_contested_is_so_for_a_while(struct kunit *test)
{
	struct ipoib_peer *who = peer(test, IPOIB_FLAG_RC);
	struct ipoib_conn *it = conn(test);

	KUNIT_EXPECT_FALSE(test, ipoib_conn_peer_is_contested(it));
	spin_lock_bh(&world->set->lock);
	ipoib_conn_peer_ask(it);
	spin_unlock_bh(&world->set->lock);
	KUNIT_EXPECT_EQ(test, world->asked, 1);
	KUNIT_EXPECT_EQ(test, world->made.type, it->type);
	KUNIT_EXPECT_TRUE(test, ipoib_conn_peer_is_contested(it));
	who->conn_contested = jiffies - HZ;
	KUNIT_EXPECT_FALSE(test, ipoib_conn_peer_is_contested(it));
	who->conn_contested = jiffies + CONTEST_TIME + HZ;
	KUNIT_EXPECT_FALSE(test, ipoib_conn_peer_is_contested(it));
}

static struct kunit_case conn_peer_test_cases[] = {
	KUNIT_CASE(a_req_comes_from_where_the_datagrams_go),
	KUNIT_CASE(on_roce_the_mac_address_tells),
	KUNIT_CASE(a_req_fits_what_is_known_of_its_peer),
	KUNIT_CASE(who_has_only_rc_may_ask_for_it),
	KUNIT_CASE(the_first_packet_asks_for_one_and_the_next_ones_do_not),
	KUNIT_CASE(one_that_cannot_be_made_leaves_nothing),
	KUNIT_CASE(who_finds_no_place_looks_again_after_a_while),
	KUNIT_CASE(one_that_the_peer_has_made_is_used),
	KUNIT_CASE(long_packets_wait_until_it_is_established),
	KUNIT_CASE(so_many_wait_as_the_ring_takes),
	KUNIT_CASE(who_has_no_path_waits_for_that_first),
	KUNIT_CASE(what_still_waits_goes_by_the_next_one),
	KUNIT_CASE(who_loses_the_path_meanwhile_keeps_nothing_waiting),
	KUNIT_CASE(what_waits_for_the_ring_of_one_that_has_failed_is_dropped),
	KUNIT_CASE(any_peer_at_the_address_may_use_what_a_peer_has_made),
	KUNIT_CASE(who_fails_waits_before_the_next_try),
	KUNIT_CASE(one_that_was_good_for_long_is_made_again_at_once),
	KUNIT_CASE(another_kind_of_req_needs_a_place),
	KUNIT_CASE(another_kind_of_req_is_tried_at_once),
	KUNIT_CASE(who_has_known_the_rfcs_service_id_is_asked_by_it_again),
	KUNIT_CASE(who_has_a_dead_one_is_asked_so_often),
	KUNIT_CASE(a_peer_may_refuse_the_alternate_path),
	KUNIT_CASE(who_is_contested_is_so_for_a_while),
	{}
};

static struct kunit_suite conn_peer_test_suite = {
	.name = "ipoib_conn_peer",
	.init = conn_peer_test_init,
	.exit = conn_peer_test_exit,
	.test_cases = conn_peer_test_cases,
};

kunit_test_suite(conn_peer_test_suite);

MODULE_DESCRIPTION("Tests of peers and their connections of IPoIB");
MODULE_LICENSE("GPL");
