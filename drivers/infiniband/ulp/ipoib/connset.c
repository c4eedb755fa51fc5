// SPDX-License-Identifier: GPL-2.0
#include "connset.h"

#include <linux/jhash.h>
#include <linux/slab.h>

#include "conn_listen.h"
#include "conn_peer.h"
#include "hwaddr.h"

/* How often connections are looked through for idle and stuck ones. */
#define GC_PERIOD	(10 * HZ)

/* Periods of sending without hearing anything, until UC is given up. */
#define DEAF_PERIODS	3

/* One that was used later than that is not closed in favour of another. */
#define EVICT_AGE	HZ

/* ---- reference counts ------------------------------------------------------ */

static void end_work(struct work_struct *work)
{
	struct ipoib_connset *set = container_of(work, struct ipoib_connset,
						 end);
	struct ipoib_users *users = set->config.users;

	ipoib_conn_tx_exit(set);
	xa_destroy(&set->ids);
	kfree(set);
	ipoib_users_put(users);
}

/**
 * ipoib_connset_hold - take a reference
 * @set: the set, of which the caller has one
 */
void ipoib_connset_hold(struct ipoib_connset *set)
{
	refcount_inc(&set->refs);
}

/**
 * ipoib_connset_put - give a reference back
 * @set: the set
 *
 * Context: Any but hard interrupt.
 */
void ipoib_connset_put(struct ipoib_connset *set)
{
	if (refcount_dec_and_test(&set->refs))
		queue_work(set->wq, &set->end);
}

/* ---- what comes in -------------------------------------------------------- */

/* By a pointer that is only compared: the QP may be gone by now. */
static struct ipoib_conn *find_by_qp(struct ipoib_connset *set,
				     const struct ib_qp *qp)
{
	struct ipoib_conn *conn;

	hash_for_each_possible_rcu(set->by_qp, conn, by_qp, (unsigned long)qp)
		if (conn->qp == qp)
			return conn;
	return NULL;
}

static void heard(void *ctx, const struct ib_qp *qp)
{
	struct ipoib_conn *conn;

	rcu_read_lock();
	conn = find_by_qp(ctx, qp);
	if (conn) {
		WRITE_ONCE(conn->received, conn->received + 1);
		ipoib_conn_touch(conn);
		if (unlikely(READ_ONCE(conn->state) == IPOIB_CONN_ANSWERED))
			ipoib_conn_kick(conn, IPOIB_CONN_NEWS_HEARD);
	}
	rcu_read_unlock();
}

static void rx_failed(void *ctx, const struct ib_qp *qp)
{
	struct ipoib_conn *conn;

	rcu_read_lock();
	conn = find_by_qp(ctx, qp);
	if (conn)
		ipoib_conn_close(conn, -EIO);
	rcu_read_unlock();
}

/* ---- what connections share ------------------------------------------------ */

static void rx_init(struct ipoib_connset *set, struct ipoib_cm_rx *rx)
{
	rx->stats = set->config.rx_stats;
	rx->dev = set->config.dev;
	rx->pd = set->config.pd;
	rx->drops = set->config.drops;
	rx->wq = set->wq;
	rx->fail_alloc = set->config.fail_alloc;
	rx->heard = heard;
	rx->failed = rx_failed;
	rx->ctx = set;
}

static bool rx_shared(const struct ipoib_connset *set)
{
	return ipoib_cm_rx_shared(set->config.pd->device);
}

/* What all use is made for the first of them. */
static int shared_get(struct ipoib_connset *set)
{
	int err = 0;

	mutex_lock(&set->rings_lock);
	if (!set->rings_users) {
		err = ipoib_conn_tx_open(set);
		if (!err && rx_shared(set)) {
			err = ipoib_cm_rx_open(&set->rx);
			if (err)
				ipoib_conn_tx_close(set);
		}
	}
	if (!err)
		set->rings_users++;
	mutex_unlock(&set->rings_lock);
	return err;
}

static void shared_put(struct ipoib_connset *set)
{
	mutex_lock(&set->rings_lock);
	if (!--set->rings_users) {
		if (rx_shared(set))
			ipoib_cm_rx_close(&set->rx);
		ipoib_conn_tx_close(set);
	}
	mutex_unlock(&set->rings_lock);
}

static struct ipoib_cm_rx *own_rx(struct ipoib_connset *set)
{
	struct ipoib_cm_rx *rx;
	int err;

	rx = kvzalloc(sizeof(*rx), GFP_KERNEL);
	if (!rx)
		return ERR_PTR(-ENOMEM);
	rx_init(set, rx);
	err = ipoib_cm_rx_open(rx);
	if (err) {
		kvfree(rx);
		return ERR_PTR(err);
	}
	return rx;
}

/**
 * ipoib_connset_rings_get - a connection needs queues
 * @conn: the connection; its @rx is set
 *
 * Return: 0 or a negative errno.
 * Context: Process context, may sleep.
 */
int ipoib_connset_rings_get(struct ipoib_conn *conn)
{
	struct ipoib_connset *set = conn->set;
	int err;

	err = shared_get(set);
	if (err)
		return err;

	conn->rx = rx_shared(set) ? &set->rx : own_rx(set);
	if (IS_ERR(conn->rx)) {
		err = PTR_ERR(conn->rx);
		conn->rx = NULL;
		shared_put(set);
	}
	return err;
}

/**
 * ipoib_connset_rings_put - a connection needs them no more
 * @conn: the connection, without a QP
 *
 * Context: Process context, may sleep.
 */
void ipoib_connset_rings_put(struct ipoib_conn *conn)
{
	struct ipoib_connset *set = conn->set;

	if (conn->rx != &set->rx) {
		ipoib_cm_rx_close(conn->rx);
		kvfree(conn->rx);
	}
	conn->rx = NULL;
	shared_put(set);
}

/**
 * ipoib_connset_limit_max - how many connections an interface may have
 * @ibdev: RDMA device
 *
 * Receive buffers that nobody shares are many.
 *
 * Return: the highest limit.
 * Context: Any.
 */
unsigned int ipoib_connset_limit_max(const struct ib_device *ibdev)
{
	int max = min_t(int, ipoib_conn_tx_max(ibdev), ibdev->attrs.max_qp) -
		  IPOIB_CONN_SPARE;

	if (!ipoib_cm_rx_shared(ibdev))
		max = min(max, IPOIB_CONN_LIMIT_OWN);
	return max(max, 1);
}

/* ---- finding connections --------------------------------------------------- */

/* Once: another connection may get the number afterwards. */
static void forget_id(struct ipoib_conn *conn)
{
	if (conn->id)
		xa_erase_bh(&conn->set->ids, conn->id);
	conn->id = 0;
}

/**
 * ipoib_connset_hash - from now on completions find the connection
 * @conn: connection with a QP
 */
void ipoib_connset_hash(struct ipoib_conn *conn)
{
	struct ipoib_connset *set = conn->set;

	spin_lock_bh(&set->lock);
	hash_add_rcu(set->by_qp, &conn->by_qp, (unsigned long)conn->qp);
	conn->hashed = true;
	spin_unlock_bh(&set->lock);
}

/**
 * ipoib_connset_unhash - completions find the connection no more
 * @conn: the connection; finders are gone after a grace period
 */
void ipoib_connset_unhash(struct ipoib_conn *conn)
{
	struct ipoib_connset *set = conn->set;

	spin_lock_bh(&set->lock);
	if (conn->hashed)
		hash_del_rcu(&conn->by_qp);
	conn->hashed = false;
	spin_unlock_bh(&set->lock);
	forget_id(conn);
}

/* Flags do not count. */
static u32 addr_key(const struct ipoib_hwaddr *addr)
{
	return jhash((const u8 *)addr + 1, sizeof(*addr) - 1, 0);
}

static bool is_to(const struct ipoib_conn *conn,
		  const struct ipoib_hwaddr *addr)
{
	return READ_ONCE(conn->state) < IPOIB_CONN_CLOSING && !conn->leaving &&
	       !memcmp((const u8 *)&conn->addr + 1, (const u8 *)addr + 1,
		       sizeof(*addr) - 1);
}

/**
 * ipoib_connset_find - the connection by which packets to a peer may be sent
 * @set: the set
 * @addr: address of the peer, flags do not count
 *
 * Return: the connection, maybe not LIVE yet; NULL if there is none.
 * Context: The set's lock is held.
 */
struct ipoib_conn *ipoib_connset_find(struct ipoib_connset *set,
				      const struct ipoib_hwaddr *addr)
{
	struct ipoib_conn *conn;

	lockdep_assert_held(&set->lock);

	hash_for_each_possible(set->by_addr, conn, by_addr, addr_key(addr))
		if ((conn->active || conn->service == IPOIB_SERVICE_RFC) &&
		    is_to(conn, addr))
			return conn;
	return NULL;
}

/**
 * ipoib_connset_find_theirs - the connection by which an ib_ipoib peer sends
 * @set: the set
 * @addr: address of the peer, flags do not count
 *
 * Return: the connection; it has one at a time. NULL if there is none.
 * Context: The set's lock is held.
 */
struct ipoib_conn *ipoib_connset_find_theirs(struct ipoib_connset *set,
					     const struct ipoib_hwaddr *addr)
{
	struct ipoib_conn *conn;

	lockdep_assert_held(&set->lock);

	hash_for_each_possible(set->by_addr, conn, by_addr, addr_key(addr))
		if (!conn->active && conn->service == IPOIB_SERVICE_LINUX &&
		    is_to(conn, addr))
			return conn;
	return NULL;
}

/* ---- adding and removing --------------------------------------------------- */

/**
 * ipoib_connset_leave - close a connection in favour of another
 * @set: the set
 * @conn: a connection of it, which may come in its place at once
 *
 * Context: The set's lock is held.
 */
void ipoib_connset_leave(struct ipoib_connset *set, struct ipoib_conn *conn)
{
	lockdep_assert_held(&set->lock);

	if (!conn->leaving)
		set->leaving++;
	conn->leaving = true;
	ipoib_conn_close(conn, 0);
}

/* The one that has been idle longest makes room, if it was not in use just now. */
static bool evict(struct ipoib_connset *set)
{
	struct ipoib_conn *conn, *victim = NULL;

	lockdep_assert_held(&set->lock);

	list_for_each_entry(conn, &set->conns, node) {
		if (READ_ONCE(conn->state) != IPOIB_CONN_LIVE ||
		    conn->leaving ||
		    time_before(jiffies, READ_ONCE(conn->used) + EVICT_AGE))
			continue;
		if (!victim || time_before(READ_ONCE(conn->used),
					   READ_ONCE(victim->used)))
			victim = conn;
	}
	if (victim)
		ipoib_connset_leave(set, victim);
	return victim;
}

/**
 * ipoib_connset_is_full - would closing one make no room either
 * @set: the set
 *
 * Return: whether nobody should be closed in favour of another.
 * Context: The set's lock is held.
 */
bool ipoib_connset_is_full(const struct ipoib_connset *set)
{
	lockdep_assert_held(&set->lock);

	return set->count >= set->config.limit + IPOIB_CONN_SPARE;
}

static bool has_room(struct ipoib_connset *set)
{
	return !ipoib_connset_is_full(set) &&
	       (set->count - set->leaving < set->config.limit || evict(set));
}

/**
 * ipoib_connset_add - one more connection
 * @set: the set
 * @conn: a new connection; the caller's reference is the set's if it returns 0
 *
 * At the limit the one that was not used for longest makes room.
 *
 * Return: 0 or a negative errno; -EUSERS if all are in use.
 * Context: The set's lock is held.
 */
int ipoib_connset_add(struct ipoib_connset *set, struct ipoib_conn *conn)
{
	int err;

	lockdep_assert_held(&set->lock);

	if (!set->open)
		return -ESHUTDOWN;
	if (!has_room(set))
		return -EUSERS;
	/* Not that of the last one, whose completions may still come. */
	err = xa_alloc_cyclic_bh(&set->ids, &conn->id, conn, xa_limit_32b,
				 &set->next_id, GFP_ATOMIC);
	if (err < 0)
		return err;
	list_add_tail(&conn->node, &set->conns);
	hash_add(set->by_addr, &conn->by_addr, addr_key(&conn->addr));
	WRITE_ONCE(set->count, set->count + 1);
	return 0;
}

/**
 * ipoib_connset_remove - a connection is over
 * @conn: DEAD connection; the set's reference is given back
 *
 * Context: Process context.
 */
void ipoib_connset_remove(struct ipoib_conn *conn)
{
	struct ipoib_connset *set = conn->set;

	forget_id(conn);
	spin_lock_bh(&set->lock);
	list_del_init(&conn->node);
	hash_del(&conn->by_addr);
	WRITE_ONCE(set->count, set->count - 1);
	if (conn->leaving)
		set->leaving--;
	spin_unlock_bh(&set->lock);
	ipoib_conn_put(conn);
}

/**
 * ipoib_connset_refuse - answer a REQ or a REP with a REJ
 * @set: the set
 * @cm_id: identifier of the request
 * @reason: why
 *
 * RFC 4755 section 3.2: private data is in every message.
 *
 * Context: Process context.
 */
void ipoib_connset_refuse(struct ipoib_connset *set, struct ib_cm_id *cm_id,
			  enum ib_cm_rej_reason reason)
{
	struct ipoib_cm_private data;

	ipoib_cm_pack(&data, set->config.qpn, set->mtu);
	ib_send_cm_rej(cm_id, reason, NULL, 0, &data, sizeof(data));
}

/* ---- making, stopping, looking through ------------------------------------- */

/*
 * UC has no acknowledgments: a peer that has forgotten the connection is not
 * noticed. One that never says anything gets another connection now and then.
 */
static bool is_deaf(struct ipoib_conn *conn)
{
	u64 received = READ_ONCE(conn->received);
	u64 sent = READ_ONCE(conn->sent);

	if (conn->type != IB_QPT_UC || received != conn->gc_received ||
	    sent == conn->gc_sent)
		conn->unheard = 0;
	else
		conn->unheard++;
	conn->gc_received = received;
	conn->gc_sent = sent;
	return conn->unheard >= DEAF_PERIODS;
}

/*
 * A receiver may say for ever that it is not ready. Who sends and waits until that
 * has come back does not fill the ring, by which it would be noticed earlier.
 */
static bool is_stuck(struct ipoib_conn *conn)
{
	u32 tail = READ_ONCE(conn->ring.ring.tail);
	bool stuck = conn->gc_waiting && tail == conn->gc_tail;

	conn->gc_tail = tail;
	conn->gc_waiting = ipoib_ring_used(&conn->ring.ring);
	return stuck;
}

static void look_at(struct ipoib_connset *set, struct ipoib_conn *conn)
{
	unsigned long age = msecs_to_jiffies(READ_ONCE(*set->config.idle_ms));

	if (is_stuck(conn))
		ipoib_conn_close(conn, -ETIMEDOUT);
	else if (is_deaf(conn) ||
		 time_after(jiffies, READ_ONCE(conn->used) + age))
		ipoib_conn_close(conn, 0);
}

static void gc_work(struct work_struct *work)
{
	struct ipoib_connset *set = container_of(to_delayed_work(work),
						 struct ipoib_connset, gc);
	struct ipoib_conn *conn;

	spin_lock_bh(&set->lock);
	list_for_each_entry(conn, &set->conns, node)
		if (ipoib_conn_is_live(conn))
			look_at(set, conn);
	if (set->open)
		queue_delayed_work(set->wq, &set->gc, GC_PERIOD);
	spin_unlock_bh(&set->lock);
}

/**
 * ipoib_connset_start - take and make connections
 * @config: of which interface and how; copied
 *
 * Return: the set or an ERR_PTR().
 * Context: Process context, may sleep; the device's lock is held.
 */
struct ipoib_connset *
ipoib_connset_start(const struct ipoib_connset_config *config)
{
	struct ipoib_connset *set;
	int err;

	set = kzalloc(sizeof(*set), GFP_KERNEL);
	if (!set)
		return ERR_PTR(-ENOMEM);
	err = ipoib_conn_tx_init(set);
	if (err) {
		kfree(set);
		return ERR_PTR(err);
	}

	set->config = *config;
	set->mtu = ipoib_cm_rx_mtu(config->pd->device);
	set->wq = config->wq;
	INIT_DELAYED_WORK(&set->gc, gc_work);
	INIT_WORK(&set->end, end_work);
	xa_init_flags(&set->ids, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_BH);
	hash_init(set->by_addr);
	hash_init(set->by_qp);
	mutex_init(&set->rings_lock);
	refcount_set(&set->refs, 1);
	spin_lock_init(&set->lock);
	INIT_LIST_HEAD(&set->conns);
	set->open = true;
	rx_init(set, &set->rx);
	ipoib_users_get(config->users);

	err = ipoib_conn_listen(set);
	if (err) {
		ipoib_connset_stop(set);
		return ERR_PTR(err);
	}
	queue_delayed_work(set->wq, &set->gc, GC_PERIOD);
	return set;
}

/**
 * ipoib_connset_stop - close all connections and take no more
 * @set: the set; no sender uses it any more. It is freed when its last
 *	connection is over, for which nobody waits
 *
 * Context: Process context, may sleep; the device's lock is held.
 */
void ipoib_connset_stop(struct ipoib_connset *set)
{
	struct ipoib_conn *conn;

	/* 1. No new connections. */
	spin_lock_bh(&set->lock);
	WRITE_ONCE(set->open, false);
	spin_unlock_bh(&set->lock);
	ipoib_conn_listen_no_more(set);
	cancel_delayed_work_sync(&set->gc);

	/* 2. No packet goes by one: the next set may begin. */
	__netif_tx_lock_bh(set->config.txq);
	ipoib_conn_tx_flush(set);
	spin_lock(&set->lock);
	list_for_each_entry(conn, &set->conns, node)
		ipoib_conn_peer_detach(conn);
	spin_unlock(&set->lock);
	ipoib_conn_tx_forget(set, NULL);
	__netif_tx_unlock_bh(set->config.txq);

	/* 3. The end of each, side by side. */
	spin_lock_bh(&set->lock);
	list_for_each_entry(conn, &set->conns, node)
		ipoib_conn_close(conn, 0);
	spin_unlock_bh(&set->lock);

	/* 4. The interface's reference. */
	ipoib_connset_put(set);
}

/**
 * ipoib_connset_refresh - paths may have changed, make connections anew
 * @set: the set
 * @gid: only those to this port, or NULL
 * @age: leave younger ones alone, jiffies
 *
 * Unreliable ones: reliable ones notice by themselves, if they have to.
 *
 * Context: Process context.
 */
void ipoib_connset_refresh(struct ipoib_connset *set, const union ib_gid *gid,
			   unsigned long age)
{
	struct ipoib_conn *conn;

	spin_lock_bh(&set->lock);
	list_for_each_entry(conn, &set->conns, node)
		if (conn->type == IB_QPT_UC && ipoib_conn_is_live(conn) &&
		    !time_before(jiffies, conn->since + age) &&
		    (!gid || !memcmp(conn->addr.gid, gid->raw, sizeof(*gid))))
			ipoib_conn_close(conn, 0);
	spin_unlock_bh(&set->lock);
}

/**
 * ipoib_connset_walk - look at every connection
 * @set: the set
 * @fn: called for each under the set's lock
 * @ctx: given to @fn
 *
 * Context: Process context.
 */
void ipoib_connset_walk(struct ipoib_connset *set,
			void (*fn)(void *ctx, const struct ipoib_conn *conn),
			void *ctx)
{
	struct ipoib_conn *conn;

	spin_lock_bh(&set->lock);
	list_for_each_entry(conn, &set->conns, node)
		fn(ctx, conn);
	spin_unlock_bh(&set->lock);
}
