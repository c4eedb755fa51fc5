// SPDX-License-Identifier: GPL-2.0
#include "conn_peer.h"

#include <linux/netdevice.h>

#include "backoff.h"
#include "connset.h"
#include "hwaddr.h"
#include "peer.h"
#include "peertable.h"

/* What may wait for a connection that is being made, octets. */
#define STAGED_MAX	(1024 * 1024)

/* Packets of a peer without a connection look for one this often. */
#define WANT_PERIOD	(HZ / 20)

/* One that failed after so long is made again at once: it was good. */
#define PROVEN_AGE	(10 * HZ)

static const struct ipoib_backoff retry_delay = {
	.min_ms = 1000,
	.max_ms = 60000,
};

/* Found under RCU, @peer may be about to be freed: then it needs nothing. */
static void attach(struct ipoib_conn *conn, struct ipoib_peer *peer)
{
	if (conn->peer == peer || !ipoib_peer_tryhold(peer))
		return;

	ipoib_conn_peer_detach(conn);
	conn->peer = peer;
	peer->conn = conn;
	peer->conn_plain = false;
	peer->conn_linux = conn->service == IPOIB_SERVICE_LINUX;
}

/**
 * ipoib_conn_peer_detach - the peer's packets go by this connection no more
 * @conn: the connection
 *
 * Context: TX lock held, bottom halves off.
 */
void ipoib_conn_peer_detach(struct ipoib_conn *conn)
{
	if (!conn->peer)
		return;
	conn->peer->conn = NULL;
	ipoib_peer_put(conn->peer);
	conn->peer = NULL;
}

/* ---- packets that wait ----------------------------------------------------- */

static void send_waiting(struct ipoib_conn *conn, struct sk_buff *skb)
{
	struct ipoib_connset *set = conn->set;

	if (skb->len > IPOIB_HARD_LEN + conn->mtu) {
		set->config.too_big(set->config.ctx, skb, conn->mtu);
		return;
	}
	__skb_pull(skb, INFINIBAND_ALEN);
	ipoib_conn_tx_send(conn, skb);
}

/* Packets that waited go first: the TX lock keeps others out. */
static void send_staged(struct ipoib_conn *conn)
{
	struct sk_buff *skb;

	if (skb_queue_empty(&conn->staged))
		return;
	while ((skb = __skb_dequeue(&conn->staged)))
		send_waiting(conn, skb);
	conn->staged_bytes = 0;
	ipoib_conn_tx_flush(conn->set);
}

/* Consumes @skb. */
static void stage(struct ipoib_conn *conn, struct sk_buff *skb)
{
	/* No more than go at once, when it is there. */
	if (conn->staged_bytes + skb->truesize > STAGED_MAX ||
	    skb_queue_len(&conn->staged) >= IPOIB_CONN_SLOTS) {
		ipoib_drop_skb(conn->set->config.drops,
			       IPOIB_DROP_TX_QUEUE_FULL, skb);
		return;
	}
	conn->staged_bytes += skb->truesize;
	__skb_queue_tail(&conn->staged, skb);
}

/* The connection that there is to the same peer instead, with a reference. */
static struct ipoib_conn *successor(struct ipoib_conn *conn)
{
	struct ipoib_connset *set = conn->set;
	struct ipoib_conn *next;

	spin_lock(&set->lock);
	next = ipoib_connset_find(set, &conn->addr);
	if (next)
		ipoib_conn_hold(next);
	spin_unlock(&set->lock);
	return next;
}

/*
 * A request of the peer's crossed ours, or ours is made once more: packets wait
 * for that one. Its ring is there for as long as the TX lock is held, for it
 * goes away after unpublishing.
 */
static void pass_on_staged(struct ipoib_conn *conn)
{
	struct ipoib_connset *set = conn->set;
	struct ipoib_conn *next;
	struct sk_buff *skb;

	if (skb_queue_empty(&conn->staged))
		return;

	next = successor(conn);
	while ((skb = __skb_dequeue(&conn->staged))) {
		if (next && ipoib_conn_is_live(next))
			send_waiting(next, skb);
		else if (next)
			stage(next, skb);
		else if (!READ_ONCE(set->open))
			ipoib_drop_skb(set->config.drops, IPOIB_DROP_TX_DOWN,
				       skb);
		else
			set->config.too_big(set->config.ctx, skb, 0);
	}
	conn->staged_bytes = 0;
	ipoib_conn_tx_flush(set);
	if (next)
		ipoib_conn_put(next);
}

/* ---- a connection comes and goes ------------------------------------------- */

/* The peer whose packets are waiting, or else any that has this address. */
static void attach_somebody(struct ipoib_conn *conn)
{
	static const u8 flags[] = { IPOIB_FLAG_RC | IPOIB_FLAG_UC, IPOIB_FLAG_RC,
				    IPOIB_FLAG_UC };
	struct ipoib_hwaddr addr = conn->addr;
	struct ipoib_peer *peer;
	int i;

	if (conn->wanted && !conn->wanted->conn) {
		attach(conn, conn->wanted);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		addr.flags_qpn = conn->addr.flags_qpn |
				 cpu_to_be32((u32)flags[i] << 24);
		peer = ipoib_peertable_find(conn->set->config.peers, &addr);
		if (!peer)
			continue;
		/* Which of them has packets, the next packet tells. */
		peer->conn_look_at = jiffies;
		if (!conn->peer && !peer->conn)
			attach(conn, peer);
	}
}

/**
 * ipoib_conn_peer_publish - packets for the peer go by this connection now
 * @conn: LIVE connection
 *
 * A peer that nobody has sent anything to is found by its first packet.
 *
 * Context: Process context.
 */
void ipoib_conn_peer_publish(struct ipoib_conn *conn)
{
	struct ipoib_connset *set = conn->set;

	__netif_tx_lock_bh(set->config.txq);
	rcu_read_lock();
	/* Written before the stop takes the TX lock. */
	if (READ_ONCE(set->open))
		attach_somebody(conn);
	rcu_read_unlock();
	send_staged(conn);
	__netif_tx_unlock_bh(set->config.txq);
}

static enum ib_qp_type choose_type(const struct ipoib_connset *set, u8 flags)
{
	if ((flags & IPOIB_FLAG_RC) && (set->config.offer & IPOIB_OFFER_RC))
		return IB_QPT_RC;
	if ((flags & IPOIB_FLAG_UC) && (set->config.offer & IPOIB_OFFER_UC))
		return IB_QPT_UC;
	return IB_QPT_MAX;
}

/* Ask for a connection to a peer that has none. */
static int ask(struct ipoib_connset *set, struct ipoib_peer *peer,
	       enum ib_qp_type type, enum ipoib_service service)
{
	struct ipoib_conn *conn;
	int err = -ENOMEM;

	if (!ipoib_peer_tryhold(peer))
		return -ESTALE;
	conn = ipoib_conn_new(set, &peer->addr, type, service, true);
	if (!conn)
		goto err_peer;

	err = ipoib_connset_add(set, conn);
	if (err)
		goto err_conn;
	conn->wanted = peer;
	conn->plain = peer->conn_plain;
	ipoib_conn_kick(conn, IPOIB_CONN_NEWS_WANT);
	return 0;

err_conn:
	ipoib_conn_put(conn);
err_peer:
	ipoib_peer_put(peer);
	return err;
}

/* Is there another way to ask, which may be to the peer's liking? */
static bool another_way(const struct ipoib_conn *conn, struct ipoib_peer *peer,
			enum ib_qp_type *type, enum ipoib_service *service)
{
	*type = conn->type;
	*service = conn->service;
	switch (READ_ONCE(conn->err)) {
	case -EPROTOTYPE:
		/* RC, which is asked for first; its flags may be old. */
		*type = IB_QPT_UC;
		return conn->type == IB_QPT_RC &&
		       (ipoib_hwaddr_flags(&peer->addr) & IPOIB_FLAG_UC) &&
		       (conn->set->config.offer & IPOIB_OFFER_UC);
	case -EPROTONOSUPPORT:
		/* Who is asked by the other service ID has refused the first. */
		peer->conn_linux = false;
		*service = IPOIB_SERVICE_LINUX;
		return conn->service == IPOIB_SERVICE_RFC;
	case -ECONNREFUSED:
		/* RFC 4755 section 3.3: it has nothing against ours. */
		if (conn->service == IPOIB_SERVICE_RFC)
			return false;
		fallthrough;
	case -ECONNABORTED:
		/* A peer that can do without an alternate path, only. */
		if (!READ_ONCE(conn->spare) || peer->conn_plain)
			return false;
		peer->conn_plain = true;
		return true;
	default:
		return false;
	}
}

/* After a failure UD has to do for a while, unless there is another way to ask. */
static void remember(struct ipoib_conn *conn, struct ipoib_peer *peer)
{
	struct ipoib_connset *set = conn->set;
	enum ipoib_service service;
	enum ib_qp_type type;
	u32 ms = 0;

	if (another_way(conn, peer, &type, &service)) {
		spin_lock(&set->lock);
		if (!ipoib_connset_find(set, &peer->addr))
			ask(set, peer, type, service);
		spin_unlock(&set->lock);
		return;
	}
	/* One that took nothing any more was not that good. */
	if (!conn->peer || READ_ONCE(conn->err) == -ETIMEDOUT ||
	    time_before(jiffies, conn->since + PROVEN_AGE))
		ms = ipoib_backoff_ms(&retry_delay, ++peer->conn_failures,
				      get_random_u32());
	else
		peer->conn_failures = 0;
	peer->conn_retry_at = jiffies + msecs_to_jiffies(ms);
}

/**
 * ipoib_conn_peer_unpublish - no packet goes by this connection any more
 * @conn: CLOSING connection
 *
 * Context: Process context. When it returns no sender uses the connection.
 */
void ipoib_conn_peer_unpublish(struct ipoib_conn *conn)
{
	struct ipoib_connset *set = conn->set;

	__netif_tx_lock_bh(set->config.txq);
	ipoib_conn_tx_flush(set);
	if (conn->wanted && READ_ONCE(conn->err))
		remember(conn, conn->wanted);
	else if (conn->wanted)
		conn->wanted->conn_failures = 0;
	ipoib_conn_tx_forget(set, conn);
	ipoib_conn_peer_detach(conn);
	pass_on_staged(conn);
	__netif_tx_unlock_bh(set->config.txq);

	if (conn->wanted)
		ipoib_peer_put(conn->wanted);
	conn->wanted = NULL;
}

/* ---- packets of a peer without a connection -------------------------------- */

/**
 * ipoib_conn_peer_want - a packet goes to a peer without a connection
 * @set: the set
 * @peer: a peer whose flags say that it takes connections, under RCU
 * @urgent: the packet is too long for UD
 *
 * A connection that is there is used, for the peer may have asked for it. Otherwise
 * one is asked for, unless that failed a moment ago.
 *
 * Return: the connection if it takes packets, or NULL.
 * Context: TX lock held, bottom halves off.
 */
struct ipoib_conn *ipoib_conn_peer_want(struct ipoib_connset *set,
					struct ipoib_peer *peer, bool urgent)
{
	enum ib_qp_type type = choose_type(set, ipoib_hwaddr_flags(&peer->addr));
	bool due = !time_before(jiffies, peer->conn_look_at);
	struct ipoib_conn *conn;

	if (type == IB_QPT_MAX || (!due && !urgent))
		return NULL;

	/* Whatever comes of it: this is not for every packet. */
	if (due)
		peer->conn_look_at = jiffies + WANT_PERIOD;
	spin_lock(&set->lock);
	conn = ipoib_connset_find(set, &peer->addr);
	if (conn && ipoib_conn_is_live(conn))
		attach(conn, peer);
	else if (!conn && due && !time_before(jiffies, peer->conn_retry_at))
		ask(set, peer, type, peer->conn_linux ? IPOIB_SERVICE_LINUX :
							IPOIB_SERVICE_RFC);
	spin_unlock(&set->lock);

	conn = peer->conn;
	if (conn)
		send_staged(conn);
	return conn;
}

/**
 * ipoib_conn_peer_stage - a packet that is too long for UD
 * @set: the set
 * @peer: its peer, of which ipoib_conn_peer_want() has returned NULL
 * @skb: packet, link-layer header on; consumed if it returns true
 *
 * Return: whether a connection is being made, and the packet waits for it.
 * Context: TX lock held, bottom halves off.
 */
bool ipoib_conn_peer_stage(struct ipoib_connset *set, struct ipoib_peer *peer,
			   struct sk_buff *skb)
{
	struct ipoib_conn *conn;

	spin_lock(&set->lock);
	conn = ipoib_connset_find(set, &peer->addr);
	if (conn)
		ipoib_conn_hold(conn);
	spin_unlock(&set->lock);
	if (!conn)
		return false;

	stage(conn, skb);
	if (ipoib_conn_is_live(conn))
		send_staged(conn);
	ipoib_conn_put(conn);
	return true;
}
