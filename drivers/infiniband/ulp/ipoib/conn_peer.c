// SPDX-License-Identifier: GPL-2.0
#include "conn_set.h"

#include <linux/netdevice.h>

#include "addr.h"
#include "backoff.h"
#include "charge.h"
#include "device.h"
#include "peer.h"
#include "xmit.h"

/* Octets (truesize) that may wait for a connection until it is established. */
#define STAGED_MAX	(1024 * 1024)

/* Packets short enough for UD look for a connection to their peer at most this often. */
#define WANT_PERIOD	(HZ / 20)

/* The same, after there was no place for a connection. */
#define CROWDED_PERIOD	HZ

/* How many REQs in a row a peer gets that rejects them because it has another connection. */
#define STALE_TRIES	4

/*
 * For this long only the answer to our REQ is taken to be from a contested peer. The peer
 * repeats its own REQs for longer, STALE_TRIES times, in case ours does not come through.
 */
#define CONTEST_TIME	(4 * HZ)

/* A path that a REQ puts in doubt is queried at most this often. */
#define MOVED_AGE	HZ

/* A connection that failed after at least this long had worked: another is opened at once. */
#define PROVEN_AGE	(10 * HZ)

static const struct ipoib_backoff retry_delay = {
	.min_ms = 1000,
	.max_ms = 60000,
};

/*
 * next_peer() returns the next peer at the address of @conn, or NULL after the last one; @i
 * begins with 0. Addresses that differ only in the flags belong to one node. A peer without flags
 * takes no connections and is the last one.
 */
static struct ipoib_peer *next_peer(const struct ipoib_conn *conn, unsigned int *i)
{
	static const u8 flags[] = {
		IPOIB_FLAG_RC | IPOIB_FLAG_UC, IPOIB_FLAG_RC, IPOIB_FLAG_UC, 0,
	};
	struct ipoib_peer *peer = NULL;

	while (!peer && *i < ARRAY_SIZE(flags)) {
		struct ipoib_hwaddr addr = conn->addr;

		addr.flags_qpn |= cpu_to_be32((u32)flags[(*i)++] << 24);
		peer = ipoib_peertable_find(&conn->set->idev->peers, &addr);
	}
	return peer;
}

/*
 * next_taker() returns NULL for the peer that takes no connections, which is the last one of
 * next_peer().
 */
static struct ipoib_peer *next_taker(const struct ipoib_conn *conn, unsigned int *i)
{
	struct ipoib_peer *peer = next_peer(conn, i);

	return peer && ipoib_hwaddr_flags(&peer->addr) ? peer : NULL;
}

/* A peer with our subnet prefix is not behind a router. */
static bool is_on_subnet(const struct ipoib_conn *conn)
{
	return !memcmp(conn->addr.gid, conn->set->self.gid, 8);
}

/*
 * The sender of a REQ chooses where the connection leads, and in whose name it asks. That has
 * to be where datagrams for this peer go. All nodes of other subnets are reached by the LID of
 * a router, which tells nothing about them. Returns 0, -EHOSTUNREACH, or -EAGAIN if @peer has
 * no address handle yet.
 */
static int leads_to(struct ipoib_conn *conn, const struct ipoib_peer *peer)
{
	const struct ipoib_ah *ah = rcu_dereference(peer->ah);

	if (conn->active || !is_on_subnet(conn))
		return 0;
	if (!ah)
		return -EAGAIN;
	return ipoib_path_leads_to(&conn->set->idev->fabric, &conn->path, ah->dmac, ah->dlid) ?
	       0 : -EHOSTUNREACH;
}

/*
 * ipoib_conn_peer_check() says whether a REQ may have come from the peer that it names.
 * ib_ipoib does not know the service ID of RFC 4755: a REQ by that service ID, in the name of a
 * peer that runs ib_ipoib, does not come from the peer (-EPROTONOSUPPORT). Nor does ib_ipoib
 * know UC: a peer that takes UC needs no RC where RC is not wanted, whatever its service ID
 * (-EPROTOTYPE). The error is -EHOSTUNREACH if the peer is at another port than the sender.
 */
int ipoib_conn_peer_check(struct ipoib_conn *conn)
{
	bool unwanted = conn->type == IB_QPT_RC &&
			!(conn->set->offer & IPOIB_OFFER_RC);
	struct ipoib_peer *peer;
	unsigned int i = 0;
	int err = 0;

	rcu_read_lock();
	while (!err && (peer = next_peer(conn, &i))) {
		err = leads_to(conn, peer);
		conn->from_peer |= !err && is_on_subnet(conn);
		if (err == -EHOSTUNREACH) {
			/* The peer may have moved: query the path again. */
			ipoib_peer_refresh(peer, MOVED_AGE);
			break;
		}
		err = 0;
		if (conn->service == IPOIB_SERVICE_RFC &&
		    READ_ONCE(peer->conn_linux)) {
			err = -EPROTONOSUPPORT;
		} else if (unwanted && (ipoib_hwaddr_flags(&peer->addr) & IPOIB_FLAG_UC)) {
			err = -EPROTOTYPE;
		}
	}
	rcu_read_unlock();
	return err;
}

/*
 * The peer takes shorter packets by this connection than by UD: sending by it would lower the
 * path MTU for nothing.
 */
static bool is_narrow(const struct ipoib_conn *conn)
{
	return conn->mtu < READ_ONCE(conn->set->idev->max_len);
}

/*
 * @peer was found under RCU. If it is about to be freed, ipoib_peer_tryhold() fails and @peer
 * needs no connection.
 */
static void conn_peer_attach(struct ipoib_conn *conn, struct ipoib_peer *peer)
{
	if (conn->peer == peer || is_narrow(conn) || leads_to(conn, peer) ||
	    !ipoib_peer_tryhold(peer))
		return;

	ipoib_conn_peer_detach(conn);
	conn->peer = peer;
	peer->conn = conn;
	WRITE_ONCE(peer->conn_no_alt, false);
	WRITE_ONCE(peer->conn_linux, conn->service == IPOIB_SERVICE_LINUX);
	peer->conn_rfc = conn->service == IPOIB_SERVICE_RFC;
}

/*
 * The connection is established and leads to its peer for certain: either the fabric gave us
 * the path, or conn_peer_attach() has compared it.
 */
static bool may_send(const struct ipoib_conn *conn)
{
	return ipoib_conn_is_established(conn) && (conn->active || conn->peer);
}

/* The caller of ipoib_conn_peer_detach() holds the bundle's lock. */
void ipoib_conn_peer_detach(struct ipoib_conn *conn)
{
	lockdep_assert_held(&conn->tx->bundle->lock);

	if (!conn->peer)
		return;
	conn->peer->conn = NULL;
	ipoib_peer_put(conn->peer);
	conn->peer = NULL;
}

/* ---- packets that wait ----------------------------------------------------- */

static void send_waiting(struct ipoib_conn *conn, struct sk_buff *skb)
{
	struct ipoib_conn_set *set = conn->set;

	if (skb->len > IPOIB_HARD_LEN + conn->mtu) {
		ipoib_xmit_too_big(set->idev, skb, conn->mtu);
		return;
	}
	__skb_pull(skb, INFINIBAND_ALEN);
	ipoib_conn_tx_send(conn, skb);
}

static struct sk_buff *unstage(struct ipoib_conn *conn)
{
	struct sk_buff *skb = __skb_dequeue(&conn->staged);

	if (skb) {
		conn->staged_bytes -= skb->truesize;
		atomic_sub(skb->truesize, &conn->set->waiting_bytes);
	}
	return skb;
}

/* Staged packets go before newer ones, because the bundle's lock keeps other senders out. */
static void send_staged(struct ipoib_conn *conn)
{
	struct sk_buff *skb;

	if (skb_queue_empty(&conn->staged))
		return;
	while ((skb = unstage(conn)))
		send_waiting(conn, skb);
	ipoib_conn_tx_flush(conn->tx);
}

/* The peer has opened the connection, and lost its path meanwhile: nothing says who it leads to. */
static void drop_staged(struct ipoib_conn *conn)
{
	struct sk_buff *skb;

	while ((skb = unstage(conn)))
		ipoib_drop_skb(&conn->set->idev->drops, IPOIB_DROP_TX_NO_PATH, skb);
}

/* stage() consumes @skb. */
static void stage(struct ipoib_conn *conn, struct sk_buff *skb)
{
	struct ipoib_conn_set *set = conn->set;

	/* Stage no more packets than the ring takes at once when the connection is established. */
	if (conn->staged_bytes + skb->truesize > STAGED_MAX ||
	    skb_queue_len(&conn->staged) >= IPOIB_CONN_SLOTS ||
	    !ipoib_conn_tx_may_wait(conn->tx, conn->staged_bytes, skb->truesize)) {
		ipoib_drop_skb(&set->idev->drops, IPOIB_DROP_TX_QUEUE_FULL, skb);
		return;
	}
	ipoib_uncharge_waiting(skb);
	conn->staged_bytes += skb->truesize;
	atomic_add(skb->truesize, &set->waiting_bytes);
	__skb_queue_tail(&conn->staged, skb);
}

/* successor() returns another connection to the same peer, with a reference, or NULL. */
static struct ipoib_conn *successor(struct ipoib_conn *conn)
{
	struct ipoib_conn_set *set = conn->set;
	struct ipoib_conn *next;

	spin_lock(&set->lock);
	next = ipoib_conn_set_find(set, &conn->addr);
	if (next && ipoib_conn_is_established(next) && is_narrow(next))
		next = NULL;
	if (next)
		ipoib_conn_hold(next);
	spin_unlock(&set->lock);
	return next;
}

/* Attach the peer that the connection was opened for, or else any peer at this address. */
static void attach_somebody(struct ipoib_conn *conn)
{
	struct ipoib_peer *peer;
	unsigned int i = 0;

	if (conn->wanted && !conn->wanted->conn) {
		conn_peer_attach(conn, conn->wanted);
		return;
	}
	while ((peer = next_taker(conn, &i))) {
		/*
		 * Only the next packet shows which of these peers is used, so it looks for the
		 * connection at once.
		 */
		peer->conn_look_at = jiffies;
		if (!conn->peer && !peer->conn)
			conn_peer_attach(conn, peer);
	}
}

/*
 * The REQ of the peer crossed ours, or remember() has opened another connection: packets staged
 * on @conn go to that one. It is in the same bundle, and its ring is not freed while the
 * bundle's lock is held, because ipoib_conn_peer_unpublish() takes that lock before.
 */
static void pass_on_staged(struct ipoib_conn *conn)
{
	struct ipoib_conn_set *set = conn->set;
	struct ipoib_conn *next;
	struct sk_buff *skb;
	bool established;

	if (skb_queue_empty(&conn->staged))
		return;

	next = successor(conn);
	/* If it becomes established after that, ipoib_conn_peer_publish() sends what is staged. */
	established = next && ipoib_conn_is_established(next);
	if (established && READ_ONCE(set->open)) {
		rcu_read_lock();
		attach_somebody(next);
		rcu_read_unlock();
	}
	while ((skb = unstage(conn))) {
		if (next && !established)
			stage(next, skb);
		else if (next && may_send(next))
			send_waiting(next, skb);
		else if (!READ_ONCE(set->open))
			ipoib_drop_skb(&set->idev->drops, IPOIB_DROP_TX_DOWN,
				       skb);
		else if (next)
			ipoib_drop_skb(&set->idev->drops, IPOIB_DROP_TX_NO_PATH,
				       skb);
		else
			ipoib_xmit_too_big(set->idev, skb, 0);
	}
	ipoib_conn_tx_flush(conn->tx);
	if (next)
		ipoib_conn_put(next);
}

/* ---- opening, publishing and closing --------------------------------------- */

/* A peer that does not exist yet finds the connection with its first packet. */
void ipoib_conn_peer_publish(struct ipoib_conn *conn)
{
	struct ipoib_conn_set *set = conn->set;

	spin_lock_bh(&conn->tx->bundle->lock);
	rcu_read_lock();
	/*
	 * ipoib_conn_set_stop() clears @open before it takes this lock to detach all peers:
	 * either it is seen here, or the stop detaches this peer.
	 */
	if (READ_ONCE(set->open))
		attach_somebody(conn);
	rcu_read_unlock();
	if (conn->wanted)
		WRITE_ONCE(conn->wanted->conn_contested, 0);
	if (may_send(conn) || is_narrow(conn))
		send_staged(conn);
	else if (READ_ONCE(set->open))
		drop_staged(conn);
	spin_unlock_bh(&conn->tx->bundle->lock);
}

static enum ib_qp_type choose_type(const struct ipoib_conn_set *set, u8 flags)
{
	if ((flags & IPOIB_FLAG_RC) && (set->offer & IPOIB_OFFER_RC))
		return IB_QPT_RC;
	if ((flags & IPOIB_FLAG_UC) && (set->offer & IPOIB_OFFER_UC))
		return IB_QPT_UC;
	return IB_QPT_MAX;
}

/* ask() opens a connection to a peer that has none. */
static int ask(struct ipoib_conn_set *set, struct ipoib_peer *peer,
	       enum ib_qp_type type, enum ipoib_service service)
{
	struct ipoib_conn *conn;
	int err = -ENOMEM;

	if (ipoib_conn_set_is_crowded(set, &peer->addr))
		return -EUSERS;
	if (!ipoib_peer_tryhold(peer))
		return -ESTALE;
	conn = ipoib_conn_new(set, &peer->addr, type, service, true);
	if (!conn)
		goto err_peer;

	err = ipoib_conn_set_add(set, conn);
	if (err)
		goto err_conn;
	conn->wanted = peer;
	if (!READ_ONCE(peer->conn_no_alt))
		conn->alt_state = IPOIB_CONN_ALT_WANTED;
	ipoib_conn_kick(conn, IPOIB_CONN_PENDING_WANT);
	return 0;

err_conn:
	ipoib_conn_put(conn);
err_peer:
	ipoib_peer_put(peer);
	return err;
}

/* A peer that found all places taken looks again after a while. */
static void ask_now(struct ipoib_conn_set *set, struct ipoib_peer *peer, enum ib_qp_type type)
{
	enum ipoib_service service = peer->conn_linux ? IPOIB_SERVICE_LINUX : IPOIB_SERVICE_RFC;

	if (ask(set, peer, type, service) == -EUSERS)
		peer->conn_look_at = jiffies + CROWDED_PERIOD;
}

/*
 * ipoib_conn_peer_ask() opens a connection in place of @old, which the peer has opened and
 * which is leaving. Until ours is established, or for CONTEST_TIME, admit() accepts no REQ in
 * the name of the peer. Nothing happens if the peer does not exist here, because then nothing
 * was sent to it.
 */
void ipoib_conn_peer_ask(const struct ipoib_conn *old)
{
	struct ipoib_peer *peer;
	unsigned int i = 0;

	lockdep_assert_held(&old->set->lock);

	rcu_read_lock();
	while ((peer = next_taker(old, &i))) {
		if (ask(old->set, peer, old->type, old->service))
			continue;
		WRITE_ONCE(peer->conn_contested, (jiffies + CONTEST_TIME) ?: 1);
		break;
	}
	rcu_read_unlock();
}

/*
 * ipoib_conn_peer_is_contested() returns true while ipoib_conn_peer_ask() has opened a
 * connection that is not established, at most for CONTEST_TIME. As long as it does, only the
 * answer to our REQ is certain to be from the peer.
 */
bool ipoib_conn_peer_is_contested(const struct ipoib_conn *conn)
{
	struct ipoib_peer *peer;
	unsigned int i = 0;
	unsigned long end;
	bool is = false;

	rcu_read_lock();
	while (!is && (peer = next_taker(conn, &i))) {
		end = READ_ONCE(peer->conn_contested);
		is = end && time_in_range(jiffies, end - CONTEST_TIME, end - 1);
	}
	rcu_read_unlock();
	return is;
}

/*
 * After the failure of @conn: is there another kind of REQ that the peer may accept at once? What
 * the failure says of the peer, another_way() notes in @peer for later REQs as well.
 */
static bool another_way(const struct ipoib_conn *conn, struct ipoib_peer *peer,
			enum ib_qp_type *type, enum ipoib_service *service)
{
	*type = conn->type;
	*service = conn->service;
	switch (READ_ONCE(conn->err)) {
	case -EPROTOTYPE:
		/*
		 * RC is tried first: the flags say what the peer can take, not what it will. Who
		 * takes UC knows the service ID of the RFC.
		 */
		*type = IB_QPT_UC;
		*service = IPOIB_SERVICE_RFC;
		return conn->type == IB_QPT_RC &&
		       (ipoib_hwaddr_flags(&peer->addr) & IPOIB_FLAG_UC) &&
		       (conn->set->offer & IPOIB_OFFER_UC);
	case -EPROTONOSUPPORT:
		/*
		 * The Linux service ID is tried at once only after the RFC's was refused. If it
		 * was the Linux one that was refused, the next try begins with the RFC's. So does
		 * it if the peer has known the RFC's: it may listen to none just now, and if it
		 * took the Linux one a moment later, both ends would keep to that.
		 */
		WRITE_ONCE(peer->conn_linux, false);
		if (peer->conn_rfc) {
			peer->conn_rfc = false;
			return false;
		}
		*service = IPOIB_SERVICE_LINUX;
		return conn->service == IPOIB_SERVICE_RFC;
	case -ESTALE:
		/* The peer will notice some time that the connection it has is dead. */
		if (ipoib_conn_peer_is_contested(conn))
			return true;
		if (peer->conn_failures >= STALE_TRIES)
			return false;
		peer->conn_failures++;
		return true;
	case -EBUSY:
		/*
		 * If this is not the first failure, the peer may lack resources for an alternate
		 * path.
		 */
		if (ipoib_conn_alt_is_loaded(conn) && peer->conn_failures)
			WRITE_ONCE(peer->conn_no_alt, true);
		return false;
	case -ECONNREFUSED:
		/* RFC 4755 section 3.3: REQs have crossed. The peer does not object to ours. */
		if (conn->service == IPOIB_SERVICE_RFC)
			return false;
		fallthrough;
	case -ECONNABORTED:
		/* The peer may accept only a REQ without an alternate path. */
		if (!ipoib_conn_alt_is_loaded(conn) || peer->conn_no_alt)
			return false;
		WRITE_ONCE(peer->conn_no_alt, true);
		return true;
	default:
		return false;
	}
}

/*
 * ask_instead() returns false if no connection can be opened in place of @conn, whose place it
 * may have.
 */
static bool ask_instead(struct ipoib_conn *conn, struct ipoib_peer *peer,
			enum ib_qp_type type, enum ipoib_service service)
{
	struct ipoib_conn_set *set = conn->set;
	int err = 0;

	spin_lock(&set->lock);
	if (!ipoib_conn_set_find(set, &peer->addr)) {
		ipoib_conn_set_leave(set, conn, 0);
		err = ask(set, peer, type, service);
	}
	spin_unlock(&set->lock);
	/* A set that ends leaves nothing for the next one to remember. */
	return !err || err == -ESHUTDOWN;
}

/* After a failure packets go by UD for a while, unless another_way() sends another REQ at once. */
static void remember(struct ipoib_conn *conn, struct ipoib_peer *peer)
{
	enum ipoib_service service;
	enum ib_qp_type type;
	u32 ms = 0;

	if (another_way(conn, peer, &type, &service) &&
	    ask_instead(conn, peer, type, service))
		return;
	/* A connection that took no packets any more was not good, however old it is. */
	if (!conn->peer || READ_ONCE(conn->err) == -ETIMEDOUT ||
	    time_before(jiffies, conn->since + PROVEN_AGE))
		ms = ipoib_backoff_ms(&retry_delay, ++peer->conn_failures,
				      get_random_u32());
	else
		peer->conn_failures = 0;
	peer->conn_retry_at = jiffies + msecs_to_jiffies(ms);
}

/* When ipoib_conn_peer_unpublish() returns, no sender uses the connection. */
void ipoib_conn_peer_unpublish(struct ipoib_conn *conn)
{
	spin_lock_bh(&conn->tx->bundle->lock);
	ipoib_conn_tx_flush(conn->tx);
	if (conn->wanted && READ_ONCE(conn->err))
		remember(conn, conn->wanted);
	else if (conn->wanted)
		conn->wanted->conn_failures = 0;
	if (READ_ONCE(conn->err))
		ipoib_conn_tx_forget(conn);
	ipoib_conn_peer_detach(conn);
	pass_on_staged(conn);
	spin_unlock_bh(&conn->tx->bundle->lock);

	if (conn->wanted)
		ipoib_peer_put(conn->wanted);
	conn->wanted = NULL;
}

void ipoib_conn_peer_abandon(struct ipoib_conn *conn)
{
	spin_lock_bh(&conn->tx->bundle->lock);
	ipoib_conn_tx_forget(conn);
	spin_unlock_bh(&conn->tx->bundle->lock);
}

/* ---- packets of a peer without a connection -------------------------------- */

/**
 * ipoib_conn_peer_want - find or open a connection for a packet whose peer has none
 * @set: the set
 * @peer: a peer whose flags say that it takes connections, under RCU
 * @urgent: the packet is too long for UD
 *
 * An established connection is used even if the peer has opened it. If there is none, one is
 * opened, unless that failed a moment ago.
 *
 * Return: the connection if it takes packets, or NULL.
 * Context: The lock of its bundle is held, bottom halves are off.
 */
struct ipoib_conn *ipoib_conn_peer_want(struct ipoib_conn_set *set,
					struct ipoib_peer *peer, bool urgent)
{
	enum ib_qp_type type = choose_type(set, ipoib_hwaddr_flags(&peer->addr));
	bool due = !time_before(jiffies, peer->conn_look_at);
	struct ipoib_conn *conn;

	lockdep_assert_held(&set->txs[peer->bundle].bundle->lock);

	if (type == IB_QPT_MAX || (!due && !urgent))
		return NULL;

	/* Rate limit the look-up, whatever it finds. */
	if (due)
		peer->conn_look_at = jiffies + WANT_PERIOD;
	spin_lock(&set->lock);
	conn = ipoib_conn_set_find(set, &peer->addr);
	if (conn && leads_to(conn, peer) == -EHOSTUNREACH) {
		atomic_inc(&set->idev->refused.elsewhere);
		ipoib_conn_set_leave(set, conn, -EHOSTUNREACH);
		conn = NULL;
	}
	if (conn && ipoib_conn_is_established(conn))
		conn_peer_attach(conn, peer);
	else if (!conn && due && !time_before(jiffies, peer->conn_retry_at))
		ask_now(set, peer, type);
	spin_unlock(&set->lock);

	conn = peer->conn;
	if (conn)
		send_staged(conn);
	return conn;
}

/*
 * The connection may become ESTABLISHED while the packet is staged. It is not left behind:
 * ipoib_conn_peer_publish() waits for the bundle's lock, which the caller holds, and then sends
 * what is staged.
 */
static bool stage_or_send(struct ipoib_conn *conn, struct ipoib_peer *peer,
			  struct sk_buff *skb)
{
	/*
	 * When the path is known, the peer sends the packet again and it comes here once more,
	 * unless it became known just now.
	 */
	if (leads_to(conn, peer) == -EAGAIN && ipoib_peer_stage(peer, skb))
		return true;
	if (!ipoib_conn_is_established(conn)) {
		stage(conn, skb);
		return true;
	}
	conn_peer_attach(conn, peer);
	if (peer->conn != conn)
		return false;
	stage(conn, skb);
	send_staged(conn);
	return true;
}

/**
 * ipoib_conn_peer_stage - have a packet that is too long for UD wait for a connection
 * @set: the set
 * @peer: its peer, of which ipoib_conn_peer_want() has returned NULL
 * @skb: packet, link-layer header on; consumed if true is returned
 *
 * Return: true if there is a connection or a path to wait for: the packet waits, was sent, or
 * was dropped for want of room. false if there is none, or it takes no packets of @peer.
 * Context: The lock of its bundle is held, bottom halves are off.
 */
bool ipoib_conn_peer_stage(struct ipoib_conn_set *set, struct ipoib_peer *peer,
			   struct sk_buff *skb)
{
	struct ipoib_conn *conn;
	bool staged;

	lockdep_assert_held(&set->txs[peer->bundle].bundle->lock);

	spin_lock(&set->lock);
	conn = ipoib_conn_set_find(set, &peer->addr);
	if (conn)
		ipoib_conn_hold(conn);
	spin_unlock(&set->lock);
	if (!conn)
		return false;

	staged = stage_or_send(conn, peer, skb);
	ipoib_conn_put(conn);
	return staged;
}
