// SPDX-License-Identifier: GPL-2.0
#include "conn_set.h"

#include <linux/jhash.h>
#include <linux/net.h>
#include <linux/slab.h>

#include "addr.h"
#include "device.h"

/* Period of conn_set_gc_work(), which looks for idle and for stuck connections. */
#define GC_PERIOD	(10 * HZ)

/* A UC connection that sent but received nothing for this many periods is closed by that. */
#define UNHEARD_PERIODS	3

/* A connection used more recently than this is not closed in favour of another. */
#define EVICT_AGE	HZ

/*
 * Number of connections from which evict() chooses one, however many there are. With the default
 * limit it looks at all.
 */
#define EVICT_SAMPLE	(IPOIB_CONN_LIMIT + IPOIB_CONN_SPARE)

/*
 * has_room_for() lets no port have more connections than this, however high the limit is. Fewer of
 * them may share one receive queue, see buffers_of_port().
 */
#define OF_PORT_MAX	(IPOIB_CONN_RX_SLOTS_MAX / 2)

/*
 * After all connections were found in use they are not looked at again for this long, however many
 * peers would like to have one.
 */
#define CROWDED_TIME	(HZ / 10)

/* Most connections of one port among those that were closed to make room. */
#define LEAVING_OF_PORT	(IPOIB_CONN_SPARE / 4)

/* Most sets of an interface: the one in use, and those whose connections are still closing. */
#define SETS_MAX	4

/* ---- reference counts ------------------------------------------------------ */

static void end_work(struct work_struct *work)
{
	struct ipoib_conn_set *set = container_of(work, struct ipoib_conn_set,
						  end);
	struct ipoib_usecnt *users = &set->idev->users;

	ipoib_conn_queues_exit(set);
	xa_destroy(&set->ids);
	kfree(set);
	ipoib_object_destroyed(IPOIB_OBJ_CONN_SET);
	ipoib_usecnt_put(users);
}

/**
 * ipoib_conn_set_hold - take a reference
 * @set: the set, of which the caller has one
 */
void ipoib_conn_set_hold(struct ipoib_conn_set *set)
{
	refcount_inc(&set->refs);
}

/**
 * ipoib_conn_set_put - give a reference back
 * @set: the set
 *
 * Context: Any but hard interrupt.
 */
void ipoib_conn_set_put(struct ipoib_conn_set *set)
{
	if (!refcount_dec_and_test(&set->refs))
		return;
	atomic_dec(&set->idev->conn_sets);
	queue_work(set->wq, &set->end);
}

/* ---- events of the receive queues ----------------------------------------- */

/* The pointer is only compared, because the QP may be gone by now. */
static struct ipoib_conn *find_by_qp(struct ipoib_conn_set *set,
				     const struct ib_qp *qp)
{
	struct ipoib_conn *conn;

	hash_for_each_possible_rcu(set->by_qp, conn, by_qp, (unsigned long)qp)
		if (conn->qp == qp)
			return conn;
	return NULL;
}

/**
 * ipoib_conn_set_heard - a message came by a connection
 * @set: the set
 * @qp: QP that it came by
 * @from: result: link-layer address of the sender, but for the flags; zeros if the connection is
 *	gone
 *
 * Return: true if the peer may leave checksums to the link.
 * Context: NAPI poll: that bottom halves are off keeps the connection, as RCU does.
 */
bool ipoib_conn_set_heard(struct ipoib_conn_set *set, const struct ib_qp *qp,
			  struct ipoib_hwaddr *from)
{
	struct ipoib_conn *conn;

	RCU_LOCKDEP_WARN(!rcu_read_lock_bh_held(), "no NAPI poll");
	conn = find_by_qp(set, qp);
	if (unlikely(!conn)) {
		memset(from, 0, sizeof(*from));
		return false;
	}
	*from = conn->addr;
	WRITE_ONCE(conn->received, conn->received + 1);
	ipoib_conn_touch(conn);
	ipoib_conn_heard(conn);
	if (unlikely(READ_ONCE(conn->state) == IPOIB_CONN_REP_SENT))
		ipoib_conn_kick(conn, IPOIB_CONN_PENDING_DATA);
	return READ_ONCE(conn->to.link_sums);
}

/**
 * ipoib_conn_set_qp_failed - a receive has failed, so its connection has to close
 * @set: the set
 * @qp: QP of the connection
 *
 * Context: NAPI poll.
 */
void ipoib_conn_set_qp_failed(struct ipoib_conn_set *set, const struct ib_qp *qp)
{
	struct ipoib_conn *conn;

	rcu_read_lock();
	conn = find_by_qp(set, qp);
	if (conn)
		ipoib_conn_close(conn, -EIO);
	rcu_read_unlock();
}

/**
 * ipoib_conn_set_cq_failed - a completion queue of the set has failed
 * @set: the set
 *
 * Connections that use the queue get no completions any more. The interface stops the set and
 * starts another one.
 *
 * Context: Any.
 */
void ipoib_conn_set_cq_failed(struct ipoib_conn_set *set)
{
	WRITE_ONCE(set->broken, true);
	ipoib_dev_kick(set->idev, IPOIB_DEV_CONNS);
}

/**
 * ipoib_conn_set_limit_max - how many connections an interface may have
 * @ibdev: RDMA device
 *
 * Without shared receive queues each connection needs many buffers of its own, so fewer are
 * allowed.
 *
 * Return: the highest limit.
 * Context: Any.
 */
unsigned int ipoib_conn_set_limit_max(const struct ib_device *ibdev)
{
	int max = min_t(int, ipoib_conn_tx_max(ibdev), ibdev->attrs.max_qp) -
		  IPOIB_CONN_SPARE;

	max = min(max, ipoib_conn_rx_shared(ibdev) ? IPOIB_CONN_LIMIT_MAX :
						   IPOIB_CONN_LIMIT_OWN);
	return max(max, 1);
}

/* ---- finding connections --------------------------------------------------- */

/*
 * forget_id() clears the number, so that it is erased only once: another connection may have it
 * afterwards.
 */
static void forget_id(struct ipoib_conn *conn)
{
	if (conn->id)
		xa_erase_bh(&conn->set->ids, conn->id);
	conn->id = 0;
}

/**
 * ipoib_conn_set_hash - let receive completions find the connection
 * @conn: connection with a QP
 */
void ipoib_conn_set_hash(struct ipoib_conn *conn)
{
	struct ipoib_conn_set *set = conn->set;

	spin_lock_bh(&set->lock);
	hash_add_rcu(set->by_qp, &conn->by_qp, (unsigned long)conn->qp);
	spin_unlock_bh(&set->lock);
}

/**
 * ipoib_conn_set_unhash - let completions find the connection no more
 * @conn: the connection; after a grace period nobody who found it uses it any more
 */
void ipoib_conn_set_unhash(struct ipoib_conn *conn)
{
	struct ipoib_conn_set *set = conn->set;

	spin_lock_bh(&set->lock);
	hash_del_rcu(&conn->by_qp);
	spin_unlock_bh(&set->lock);
	forget_id(conn);
}

/*
 * port_key() is the same for all addresses at one port. There are OF_PORT_MAX connections to these
 * at the most, which may_open() counts, and those of which it is not known who has opened them.
 */
static u32 port_key(const struct ipoib_hwaddr *addr)
{
	static u32 seed __read_mostly;

	/*
	 * The hash is seeded, because peers choose their addresses and could make all of them
	 * collide.
	 */
	net_get_random_once(&seed, sizeof(seed));
	return jhash(addr->gid, sizeof(addr->gid), seed);
}

/*
 * A port may ask in the name of as many GIDs as it likes, that of another one, too. So a connection
 * of which it is not known whether its REQ came from where the GID is belongs to the port that it
 * came from, as far as the REQ says. One of which that is known belongs to its GID: functions of
 * one HCA share its LID.
 */
static bool same_port(const struct ipoib_conn *conn, const struct ipoib_conn *other)
{
	bool same_gid = !memcmp(conn->addr.gid, other->addr.gid, sizeof(conn->addr.gid));

	if (conn->active || other->active || (conn->from_peer && other->from_peer))
		return same_gid;
	return ipoib_conn_same_way(conn, other) &&
	       (same_gid || (!conn->from_peer && !other->from_peer));
}

static bool is_to(const struct ipoib_conn *conn,
		  const struct ipoib_hwaddr *addr)
{
	return READ_ONCE(conn->state) < IPOIB_CONN_DRAINING && !conn->leaving &&
	       ipoib_hwaddr_same_qp(&conn->addr, addr);
}

/**
 * ipoib_conn_set_find - the connection by which packets to a peer may be sent
 * @set: the set
 * @addr: address of the peer; its flags are ignored
 *
 * Return: the connection, perhaps not ESTABLISHED yet; NULL if there is none.
 * Context: The set's lock is held.
 */
struct ipoib_conn *ipoib_conn_set_find(struct ipoib_conn_set *set,
				       const struct ipoib_hwaddr *addr)
{
	struct ipoib_conn *conn;

	lockdep_assert_held(&set->lock);

	hash_for_each_possible(set->by_addr, conn, by_addr, port_key(addr))
		if (ipoib_conn_set_sends_by(conn) && is_to(conn, addr))
			return conn;
	return NULL;
}

/**
 * ipoib_conn_set_find_theirs - the connections by which only the peer sends
 * @set: the set
 * @new: another connection that the peer opens
 * @found: the connections, by the same service ID
 *
 * Return: how many there are.
 * Context: The set's lock is held.
 */
unsigned int ipoib_conn_set_find_theirs(struct ipoib_conn_set *set, const struct ipoib_conn *new,
					struct ipoib_conn *found[IPOIB_CONN_THEIRS])
{
	struct ipoib_conn *conn;
	unsigned int n = 0;

	lockdep_assert_held(&set->lock);

	hash_for_each_possible(set->by_addr, conn, by_addr, port_key(&new->addr)) {
		if (n == IPOIB_CONN_THEIRS)
			break;
		if (!ipoib_conn_set_sends_by(conn) && conn->service == new->service &&
		    is_to(conn, &new->addr))
			found[n++] = conn;
	}
	return n;
}

/* ---- adding and removing --------------------------------------------------- */

static enum ipoib_conn_bound bound_of(const struct ipoib_conn *conn)
{
	bool linux_only = !conn->active && conn->service == IPOIB_SERVICE_LINUX;

	return linux_only && conn->set->rx_count ? IPOIB_CONN_LINUX : IPOIB_CONN_OURS;
}

static void count_one(struct ipoib_conn *conn, int n)
{
	enum ipoib_conn_bound bound = bound_of(conn);

	lockdep_assert_held(&conn->set->lock);

	conn->set->places[bound].count += n;
	if (bound == IPOIB_CONN_OURS)
		conn->tx->count += n;
	/* There is a place again. */
	if (n < 0)
		conn->set->crowded_until = jiffies;
}

/**
 * ipoib_conn_set_leave - close a connection in favour of another
 * @set: the set
 * @conn: a connection of it; another one may take its place at once
 * @err: a negative errno if it has failed, 0 if it is not wanted any more
 *
 * Context: The set's lock is held.
 */
void ipoib_conn_set_leave(struct ipoib_conn_set *set, struct ipoib_conn *conn, int err)
{
	lockdep_assert_held(&set->lock);

	if (!conn->leaving) {
		set->places[bound_of(conn)].leaving++;
		set->crowded_until = jiffies;
	}
	WRITE_ONCE(conn->leaving, true);
	ipoib_conn_close(conn, err);
}

static bool may_evict(const struct ipoib_conn *conn)
{
	return READ_ONCE(conn->state) == IPOIB_CONN_ESTABLISHED && !conn->leaving &&
	       !time_before(jiffies, READ_ONCE(conn->used) + EVICT_AGE);
}

/*
 * evict() closes one of the first connections with this bound: the one that was idle longest, if it
 * was not in use just now. It returns whether there was one. A sender may wait meanwhile, so it
 * looks at EVICT_SAMPLE connections only; those that cannot make room now go to the end of the
 * list, so that the next call looks at others. conn_set_gc_work() puts idle ones in front.
 */
static bool evict(struct ipoib_conn_set *set, enum ipoib_conn_bound bound)
{
	struct ipoib_conn_places *places = &set->places[bound];
	unsigned int looks = min_t(unsigned int, places->count, EVICT_SAMPLE);
	struct ipoib_conn *conn, *next, *victim = NULL;
	unsigned int left = looks;

	lockdep_assert_held(&set->lock);

	list_for_each_entry_safe(conn, next, &places->conns, in_places) {
		if (!left--)
			break;
		if (!may_evict(conn))
			list_move_tail(&conn->in_places, &places->conns);
		else if (!victim || time_before(READ_ONCE(conn->used), READ_ONCE(victim->used)))
			victim = conn;
	}
	places->in_vain = victim ? 0 : places->in_vain + looks;
	if (victim) {
		ipoib_conn_set_leave(set, victim, 0);
	} else if (bound == IPOIB_CONN_OURS && places->in_vain >= places->count) {
		places->in_vain = 0;
		set->crowded_until = jiffies + CROWDED_TIME;
	}
	return victim;
}

/* The part of all places that one port may have, or all half-made connections. */
static unsigned int share(const struct ipoib_conn_set *set, unsigned int parts)
{
	return max(set->places[IPOIB_CONN_OURS].limit / parts, 1u);
}

/* The REQ is the peer's, and neither its RTU nor a packet has come yet. */
static bool is_half_made(const struct ipoib_conn *conn)
{
	return !conn->active && READ_ONCE(conn->state) < IPOIB_CONN_ESTABLISHED;
}

/**
 * ipoib_conn_set_has_share - may the port of a peer have one more connection
 * @set: the set
 * @new: a connection that the peer opens, in no set yet
 *
 * A program at that port may send REQs in the name of as many interfaces as it likes, and as
 * fast as it likes. So there is a bound, too, on its connections that were closed to make room
 * and are still closing. Connections that we open are no part of it, see may_open().
 *
 * Return: true if peers at the port have opened fewer than a quarter of the limit, those to the
 * same address not counted, for @new replaces them but for IPOIB_CONN_THEIRS, and few of theirs
 * are closing to make room.
 * Context: The set's lock is held.
 */
bool ipoib_conn_set_has_share(const struct ipoib_conn_set *set,
			      const struct ipoib_conn *new)
{
	const struct ipoib_conn *conn;
	unsigned int n = 0, leaving = 0;

	lockdep_assert_held(&set->lock);

	list_for_each_entry(conn, &set->conns, node) {
		if (conn->active || !same_port(conn, new))
			continue;
		if (conn->leaving)
			leaving++;
		else if (!is_to(conn, &new->addr))
			n++;
	}
	return n < share(set, 4) && leaving < LEAVING_OF_PORT;
}

/*
 * A REQ costs its sender little, and holds a place for longer than an honest peer needs. So the
 * oldest half-made connection makes room, one of the same port if that has many. For each REQ
 * make_half_room(), ipoib_conn_set_has_share() and port_has_room() look at all connections, twice
 * IPOIB_CONN_LIMIT_MAX and few more at the most, and a sender may spin on the lock meanwhile.
 */
static void make_half_room(struct ipoib_conn_set *set, const struct ipoib_conn *new)
{
	struct ipoib_conn *conn, *oldest = NULL, *own = NULL;
	unsigned int all = 0, of_port = 0;

	lockdep_assert_held(&set->lock);

	list_for_each_entry(conn, &set->conns, node) {
		if (conn->leaving || !is_half_made(conn))
			continue;
		all++;
		oldest = oldest ?: conn;
		if (!same_port(conn, new))
			continue;
		of_port++;
		own = own ?: conn;
	}
	if (of_port >= share(set, 16))
		ipoib_conn_set_leave(set, own, 0);
	else if (all >= share(set, 4))
		ipoib_conn_set_leave(set, oldest, 0);
}

/* Have those with one bound all places, and so many that others may have while they close? */
static bool is_full(const struct ipoib_conn_places *places, unsigned int spare)
{
	return places->count >= places->limit + spare;
}

/**
 * ipoib_conn_set_is_full - are there too many connections to close one for another
 * @set: the set
 * @new: a connection that is in no set yet
 *
 * However fast peers send REQs, some places are left for connections that we open.
 *
 * Return: true if there are so many, closing ones included, that none should be closed in
 * favour of @new.
 * Context: The set's lock is held.
 */
bool ipoib_conn_set_is_full(const struct ipoib_conn_set *set, const struct ipoib_conn *new)
{
	lockdep_assert_held(&set->lock);

	return is_full(&set->places[bound_of(new)],
		       new->active ? IPOIB_CONN_SPARE : IPOIB_CONN_SPARE / 2);
}

/* Receive buffers that connections to one port may hold, of one queue: others have the rest. */
static unsigned int buffers_of_port(const struct ipoib_conn_set *set)
{
	unsigned int slots = ipoib_conn_rx_slots(set);

	return max(slots / 2, slots - min(slots, IPOIB_CONN_RX_SPARE));
}

/**
 * struct of_port - connections to one port
 * @all: how many there are
 * @by_rx: how many of them receive by one queue
 *
 * Either end may have opened them. Those that are closing count, too, because each may still have a
 * receive buffer.
 */
struct of_port {
	unsigned int all;
	unsigned int by_rx;
};

static bool shares_rx(const struct ipoib_conn *conn, const struct ipoib_conn_tx *tx)
{
	const struct ipoib_conn_set *set = conn->set;

	return ipoib_conn_set_rx(set, conn->tx) == ipoib_conn_set_rx(set, tx);
}

static bool has_room_for(const struct ipoib_conn_set *set, struct of_port n)
{
	unsigned int max = min(ipoib_conn_set_most(set), OF_PORT_MAX);
	unsigned int of_rx = set->rx_count ? buffers_of_port(set) : max;

	return n.all < max && n.by_rx < of_rx;
}

static bool port_has_room(const struct ipoib_conn_set *set, const struct ipoib_conn *new)
{
	const struct ipoib_conn *conn;
	struct of_port n = {};

	if (has_room_for(set, (struct of_port){ set->count, set->count }))
		return true;
	list_for_each_entry(conn, &set->conns, node) {
		if (!same_port(conn, new))
			continue;
		n.all++;
		n.by_rx += shares_rx(conn, new->tx);
	}
	return has_room_for(set, n);
}

static bool bundle_has_room(const struct ipoib_conn_set *set, const struct ipoib_conn_tx *tx)
{
	return tx->count < ipoib_conn_set_most_of_bundle(set);
}

static bool may_accept(const struct ipoib_conn_set *set, const struct ipoib_conn *new)
{
	return !ipoib_conn_set_is_full(set, new) && port_has_room(set, new) &&
	       (bound_of(new) == IPOIB_CONN_LINUX || bundle_has_room(set, new->tx));
}

/*
 * may_open() asks of a connection that we open what may_accept() asks of a peer's. A sender may
 * wait, so it looks at no more than one chain of the hash: same_port() would go by the GID alone,
 * too. What others may have opened in the name of the node keeps nobody from it, unless they hold
 * as many buffers of the queue as one port may.
 */
static bool may_open(const struct ipoib_conn_set *set, const struct ipoib_hwaddr *addr,
		     const struct ipoib_conn_tx *tx)
{
	const struct ipoib_conn *conn;
	struct of_port n = {};

	if (is_full(&set->places[IPOIB_CONN_OURS], IPOIB_CONN_SPARE) || !bundle_has_room(set, tx))
		return false;
	hash_for_each_possible(set->by_addr, conn, by_addr, port_key(addr)) {
		if (memcmp(conn->addr.gid, addr->gid, sizeof(addr->gid)))
			continue;
		n.all += conn->active || conn->from_peer;
		n.by_rx += shares_rx(conn, tx);
	}
	return has_room_for(set, n);
}

/**
 * ipoib_conn_set_is_crowded - is it known that there is no place for a connection that we open
 * @set: the set
 * @addr: address of the peer
 *
 * What many peers ask for costs no more than this look then: all connections were in use a moment
 * ago, and none has ended since; or there is no place that another could make.
 *
 * Return: false if ipoib_conn_set_add() may find one, or says that the set has ended.
 * Context: The set's lock is held.
 */
bool ipoib_conn_set_is_crowded(const struct ipoib_conn_set *set, const struct ipoib_hwaddr *addr)
{
	lockdep_assert_held(&set->lock);

	if (!set->open)
		return false;
	/* However long ago it was set: jiffies may have wrapped since. */
	return time_in_range_open(jiffies, set->crowded_until - CROWDED_TIME, set->crowded_until) ||
	       !may_open(set, addr, ipoib_conn_set_tx(set, addr));
}

static bool has_room(struct ipoib_conn_set *set, const struct ipoib_conn *new)
{
	const struct ipoib_conn_places *places = &set->places[bound_of(new)];

	return (new->active ? may_open(set, &new->addr, new->tx) : may_accept(set, new)) &&
	       (places->count - places->leaving < places->limit || evict(set, bound_of(new)));
}

/**
 * ipoib_conn_set_add - add a connection
 * @set: the set
 * @conn: a new connection; if 0 is returned, the set takes over the caller's reference
 *
 * At its bound one is closed that was idle for long, see evict(). Half-made connections of peers
 * have a quarter of all places, and the oldest of them makes room for a new one.
 *
 * Return: 0 or a negative errno; -EUSERS if all places are in use, or all that one port may
 * have, or if of many connections none was idle that were looked at.
 * Context: The set's lock is held.
 */
int ipoib_conn_set_add(struct ipoib_conn_set *set, struct ipoib_conn *conn)
{
	int err;

	lockdep_assert_held(&set->lock);

	if (!set->open)
		return -ESHUTDOWN;
	if (!conn->active)
		make_half_room(set, conn);
	if (!has_room(set, conn))
		return -EUSERS;
	/*
	 * The numbers are cyclic, so that late completions of a connection that is gone find no
	 * newer one.
	 */
	err = xa_alloc_cyclic_bh(&set->ids, &conn->id, conn, xa_limit_32b,
				 &set->next_id, GFP_ATOMIC);
	if (err < 0)
		return err;
	list_add_tail(&conn->node, &set->conns);
	list_add_tail(&conn->in_places, &set->places[bound_of(conn)].conns);
	hash_add(set->by_addr, &conn->by_addr, port_key(&conn->addr));
	WRITE_ONCE(set->count, set->count + 1);
	count_one(conn, 1);
	return 0;
}

/**
 * ipoib_conn_set_remove - take a connection that is over out of the set
 * @conn: DEAD connection; the set's reference is dropped
 *
 * Context: Process context.
 */
void ipoib_conn_set_remove(struct ipoib_conn *conn)
{
	struct ipoib_conn_set *set = conn->set;

	forget_id(conn);
	spin_lock_bh(&set->lock);
	list_del_init(&conn->node);
	list_del(&conn->in_places);
	hash_del(&conn->by_addr);
	WRITE_ONCE(set->count, set->count - 1);
	count_one(conn, -1);
	if (conn->leaving)
		set->places[bound_of(conn)].leaving--;
	spin_unlock_bh(&set->lock);
	ipoib_conn_put(conn);
}

/**
 * ipoib_conn_set_refuse - answer a REQ or a REP with a REJ
 * @set: the set
 * @cm_id: identifier of the REQ or REP
 * @reason: reason for the REJ
 *
 * RFC 4755 section 3.2: every CM message has our private data, a REJ too.
 *
 * Context: Process context.
 */
void ipoib_conn_set_refuse(struct ipoib_conn_set *set, struct ib_cm_id *cm_id,
			   enum ib_cm_rej_reason reason)
{
	struct ipoib_cm_private data;

	ipoib_cm_pack(&data, set->qpn, set->mtu, false);
	ib_send_cm_rej(cm_id, reason, NULL, 0, &data, IPOIB_CM_PRIVATE_RFC);
}

/* ---- start, stop and periodic work ----------------------------------------- */

/*
 * UC has no acknowledgments, so a peer that has forgotten the connection is not noticed. A
 * connection by which the peer never sends is replaced by another now and then.
 */
static bool hears_nothing(struct ipoib_conn *conn)
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
	return conn->unheard >= UNHEARD_PERIODS;
}

/*
 * A receiver may send RNR NAKs for ever. A sender that waits for its packets to come back does
 * not fill the ring, where still_full() would notice that earlier.
 */
static bool is_stuck(struct ipoib_conn *conn)
{
	u32 tail = READ_ONCE(conn->ring.ring.tail);

	if (!ipoib_txring_waits(&conn->ring))
		conn->unmoved = 0;
	else if (tail != conn->gc_tail)
		conn->unmoved = 1;
	else
		conn->unmoved++;
	conn->gc_tail = tail;
	return conn->unmoved > 1;
}

/*
 * If the paths of all peers change at a time, all of their connections are outdated at once. Each
 * that leaves has its place until it is closed, and the one that comes instead needs another: so
 * those that would leave too few places stay for now.
 */
static void leave_outdated(struct ipoib_conn_set *set, struct ipoib_conn *conn)
{
	const struct ipoib_conn_places *places = &set->places[IPOIB_CONN_OURS];

	lockdep_assert_held(&set->lock);

	if (places->count + places->leaving < places->limit + IPOIB_CONN_SPARE / 2)
		ipoib_conn_set_leave(set, conn, 0);
}

static void look_at(struct ipoib_conn_set *set, struct ipoib_conn *conn)
{
	unsigned long age = msecs_to_jiffies(READ_ONCE(set->idev->conn_idle_ms));

	if (is_stuck(conn))
		ipoib_conn_close(conn, -ETIMEDOUT);
	else if (hears_nothing(conn) ||
		 time_after(jiffies, READ_ONCE(conn->used) + age))
		ipoib_conn_close(conn, 0);
	else if (conn->outdated && !conn->leaving)
		leave_outdated(set, conn);
}

static void conn_set_gc_work(struct work_struct *work)
{
	struct ipoib_conn_set *set = container_of(to_delayed_work(work),
						  struct ipoib_conn_set, gc);
	struct ipoib_conn *conn;

	spin_lock_bh(&set->lock);
	list_for_each_entry(conn, &set->conns, node) {
		if (ipoib_conn_is_established(conn))
			look_at(set, conn);
		/* evict() looks at it first then. */
		if (may_evict(conn))
			list_move(&conn->in_places, &set->places[bound_of(conn)].conns);
	}
	if (set->open)
		queue_delayed_work(set->wq, &set->gc, GC_PERIOD);
	spin_unlock_bh(&set->lock);
}

/**
 * ipoib_conn_set_start - listen for connections, and allow to open some
 * @idev: the interface, whose link is up; how it is now is how the connections will be
 *
 * Each change of a setting stops one set and starts another, and one that peers do not answer
 * takes its time to end, with all of its memory. So there are few at a time.
 *
 * Return: the set or an ERR_PTR(); that of -EBUSY if too many have not ended yet.
 * Context: Process context, may sleep; the device's lock is held.
 */
struct ipoib_conn_set *ipoib_conn_set_start(struct ipoib_dev *idev)
{
	const struct ipoib_fabric *fabric = &idev->fabric;
	struct ib_device *ibdev = idev->config.pd->device;
	enum ipoib_conn_bound bound;
	struct ipoib_conn_set *set;
	int err;

	if (atomic_read(&idev->conn_sets) >= SETS_MAX)
		return ERR_PTR(-EBUSY);
	set = kzalloc(sizeof(*set), GFP_KERNEL);
	if (!set)
		return ERR_PTR(-ENOMEM);
	set->idev = idev;
	err = ipoib_conn_queues_init(set);
	if (err) {
		kfree(set);
		return ERR_PTR(err);
	}
	ipoib_object_created(IPOIB_OBJ_CONN_SET);

	set->qpn = idev->qp.qpn;
	set->pkey = fabric->pkey;
	set->pkey_index = fabric->link.pkey_index;
	set->gid_index = fabric->link.gid_attr->index;
	ipoib_hwaddr_set(&set->self, 0, set->qpn, &fabric->link.gid);
	set->offer = READ_ONCE(idev->offer);
	set->opens = READ_ONCE(idev->connected);
	set->opener_sends = READ_ONCE(idev->opener_sends);
	set->link_sums = READ_ONCE(idev->link_sums);
	set->mtu = ipoib_conn_rx_mtu(ibdev);
	set->wq = idev->config.conn_wq;
	INIT_DELAYED_WORK(&set->gc, conn_set_gc_work);
	INIT_WORK(&set->end, end_work);
	xa_init_flags(&set->ids, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_BH);
	hash_init(set->by_addr);
	hash_init(set->by_qp);
	refcount_set(&set->refs, 1);
	spin_lock_init(&set->lock);
	INIT_LIST_HEAD(&set->conns);
	for (bound = 0; bound < IPOIB_CONN_BOUNDS; bound++)
		INIT_LIST_HEAD(&set->places[bound].conns);
	set->open = true;
	set->crowded_until = jiffies;
	set->places[IPOIB_CONN_OURS].limit = READ_ONCE(idev->conn_limit);
	set->places[IPOIB_CONN_LINUX].limit = ipoib_conn_set_limit_max(ibdev);
	ipoib_usecnt_get(&idev->users);
	atomic_inc(&idev->conn_sets);

	err = ipoib_conn_listen(set);
	if (err) {
		ipoib_conn_set_stop(set);
		return ERR_PTR(err);
	}
	queue_delayed_work(set->wq, &set->gc, GC_PERIOD);
	return set;
}

static void leave_bundle(struct ipoib_conn_tx *tx)
{
	struct ipoib_conn *conn;

	spin_lock_bh(&tx->bundle->lock);
	ipoib_conn_tx_flush(tx);
	spin_lock(&tx->set->lock);
	list_for_each_entry(conn, &tx->set->conns, node)
		if (conn->tx == tx)
			ipoib_conn_peer_detach(conn);
	spin_unlock(&tx->set->lock);
	spin_unlock_bh(&tx->bundle->lock);
}

/**
 * ipoib_conn_set_stop - close all connections and allow no more
 * @set: the set; no sender uses it any more. It is freed when its last
 *	connection is over, for which nobody waits
 *
 * Context: Process context, may sleep; the device's lock is held.
 */
void ipoib_conn_set_stop(struct ipoib_conn_set *set)
{
	struct ipoib_conn *conn;
	unsigned int i;

	/* 1. No new connections. */
	spin_lock_bh(&set->lock);
	WRITE_ONCE(set->open, false);
	spin_unlock_bh(&set->lock);
	ipoib_conn_unlisten(set);
	cancel_delayed_work_sync(&set->gc);

	/* 2. No packet goes by a connection of this set, so that the next set may begin. */
	for (i = 0; i < set->bundles; i++)
		leave_bundle(&set->txs[i]);

	/* 3. Close all connections; their works run side by side. */
	spin_lock_bh(&set->lock);
	list_for_each_entry(conn, &set->conns, node)
		ipoib_conn_close(conn, 0);
	spin_unlock_bh(&set->lock);

	/* 4. Drop the reference of the interface. */
	ipoib_conn_set_put(set);
}

/**
 * ipoib_conn_set_refresh - close connections whose path may have changed
 * @set: the set
 * @gid: only connections to this port, or NULL for all
 * @age: younger connections are left alone, jiffies
 *
 * Only those over UC are closed: RC notices by itself if its path is gone, and
 * ipoib_conn_set_follow() closes it if there is another one.
 *
 * Context: Process context.
 */
void ipoib_conn_set_refresh(struct ipoib_conn_set *set, const union ib_gid *gid,
			    unsigned long age)
{
	struct ipoib_conn *conn;

	spin_lock_bh(&set->lock);
	list_for_each_entry(conn, &set->conns, node)
		if (conn->type == IB_QPT_UC && ipoib_conn_is_established(conn) &&
		    !time_before(jiffies, conn->since + age) &&
		    (!gid || !memcmp(conn->addr.gid, gid->raw, sizeof(*gid))))
			ipoib_conn_close(conn, 0);
	spin_unlock_bh(&set->lock);
}

/*
 * Would a connection that is opened now be another one? By which LID of a port its packets go
 * says nothing: HCAs migrate among these, and an SA may name them by turns.
 */
static bool is_outdated(const struct ipoib_conn *conn, const struct sa_path_rec *path)
{
	const struct ipoib_fabric *fabric = &conn->set->idev->fabric;
	const struct sa_path_rec *old = &conn->path;

	if (!ipoib_path_leads_to(fabric, path, old->roce.dmac, ipoib_path_dlid(old)))
		return true;
	/* The peer sends to the LID that our port had. */
	if (!fabric->lower &&
	    !ipoib_fabric_same_port(fabric, ipoib_path_slid(path), ipoib_path_slid(old)))
		return true;
	return path->sl != old->sl || path->rate != old->rate || path->mtu != old->mtu ||
	       path->traffic_class != old->traffic_class || path->hop_limit != old->hop_limit;
}

/**
 * ipoib_conn_set_follow - the fabric has answered how to reach a peer
 * @set: the set
 * @addr: address of the peer
 * @path: the path
 *
 * A connection keeps the path that it was opened with, which the SM may have changed since, with
 * its service level, rate and MTU. So it leaves, and the next packet opens another one. Those that
 * the peer has opened are left alone: their path is the peer's choice.
 *
 * Context: Process context.
 */
void ipoib_conn_set_follow(struct ipoib_conn_set *set, const struct ipoib_hwaddr *addr,
			   const struct sa_path_rec *path)
{
	struct ipoib_conn *conn;

	spin_lock_bh(&set->lock);
	hash_for_each_possible(set->by_addr, conn, by_addr, port_key(addr)) {
		if (!conn->active || !ipoib_conn_is_established(conn) || !is_to(conn, addr))
			continue;
		conn->outdated = is_outdated(conn, path);
		if (conn->outdated)
			leave_outdated(set, conn);
	}
	spin_unlock_bh(&set->lock);
}

/**
 * ipoib_conn_set_walk - call a function for every connection
 * @set: the set
 * @fn: called for each under the set's lock
 * @ctx: given to @fn
 *
 * Context: Process context.
 */
void ipoib_conn_set_walk(struct ipoib_conn_set *set,
			 void (*fn)(void *ctx, const struct ipoib_conn *conn),
			 void *ctx)
{
	struct ipoib_conn *conn;

	spin_lock_bh(&set->lock);
	list_for_each_entry(conn, &set->conns, node)
		fn(ctx, conn);
	spin_unlock_bh(&set->lock);
}
