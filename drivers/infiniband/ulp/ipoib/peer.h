/* SPDX-License-Identifier: GPL-2.0 */
/* Destinations of packets, nodes of the link and groups, and the table of all of an interface. */
#ifndef _IPOIB_PEER_H
#define _IPOIB_PEER_H

#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/rhashtable.h>
#include <linux/skbuff.h>
#include <linux/workqueue.h>

#include "addr.h"
#include "ah.h"
#include "apart.h"
#include "fabric.h"
#include "fsm.h"
#include "stats.h"
#include "wire.h"

struct ipoib_conn;
struct ipoib_peertable;

/* Most peers of a table. One more evicts another one, see evict(). */
#define IPOIB_MAX_PEERS		16384

/* Base-2 logarithm of the number of lists of peers by GID. */
#define IPOIB_GID_BITS		8

/**
 * struct ipoib_peer - one destination
 * @node: entry of the table's hash
 * @addr: link-layer address; constant
 * @qpn: QPN to send to; constant
 * @bundle: number of the bundle that connections to the peer are in; constant
 * @ah: address handle, RCU; NULL while there is no path
 * @used: jiffies of the last packet; written by senders without a lock, because a
 *	lost update does no harm
 * @paths: @paths of the table when the path of this peer was last asked for, or one less
 *	if the path is in doubt; written under @lock, compared by senders without it
 * @by_gid: entry of the table's list of peers with the same GID hash; table's lock,
 *	readers use RCU
 * @conn: connection that carries packets to the peer, or NULL; bundle's lock
 * @conn_look_at: jiffies before which packets that fit UD look for no connection; bundle's lock
 * @conn_retry_at: jiffies before which no packet makes a new connection; bundle's lock
 * @conn_failures: failed connections in a row; bundle's lock
 * @conn_no_alt: the next REQ carries no alternate path, because the peer may have refused
 *	the last one for it; written under the bundle's lock
 * @conn_contested: others have sent REQs in the peer's name: until these jiffies only its
 *	answer to our own REQ is believed; 0 if nobody has; any context
 * @conn_linux: the last connection to the peer used the service ID of ib_ipoib; written
 *	under the bundle's lock
 * @conn_rfc: the last connection to the peer used the service ID of RFC 4755, which the peer
 *	has not refused since; bundle's lock
 * @table: the table that the peer is or was in; the table outlives the peer
 * @refs: one reference of the table; one of each open path request, of the group that the
 *	peer sends to, and of each connection that names the peer
 * @rcu: frees the peer after a grace period
 * @order: entry of @order of the table; table's lock
 * @no_member: it is a group that nobody had joined when the SA was asked last; written by
 *	ipoib_peer_answer()
 * @lock: protects all that follows; nests inside the TX lock, a bundle's lock and the table's
 * @state: see enum ipoib_peer_state
 * @req: open request for the path of a node; NULL otherwise
 * @asked_mcast: the mcast_set was asked for a group and answers by ipoib_peer_answer()
 * @staged: packets that wait for a path, link-layer header still on
 * @staged_bytes: sum of the truesize of @staged, octets
 * @failures: failed requests in a row
 * @retry_at: jiffies before which no new request is made
 * @answered_at: jiffies of the last answer, whether it brought a path or not
 *
 * Made by the first packet to an unknown address. Removed when idle, when the table is full,
 * or when the interface stops. Look-ups run under RCU.
 */
struct ipoib_peer {
	struct rhash_head node;
	struct ipoib_hwaddr addr;
	u32 qpn;
	u32 bundle;
	struct ipoib_ah __rcu *ah;
	unsigned long used;
	u32 paths;
	struct hlist_node by_gid;
	struct ipoib_conn *conn;
	unsigned long conn_look_at;
	unsigned long conn_retry_at;
	u32 conn_failures;
	unsigned long conn_contested;
	bool conn_linux;
	bool conn_rfc;
	bool conn_no_alt;

	struct ipoib_peertable *table;
	refcount_t refs;
	struct rcu_head rcu;
	struct list_head order;
	bool no_member;
	spinlock_t lock;	/* state to answered_at */
	enum ipoib_peer_state state;
	struct ipoib_request *req;
	bool asked_mcast;
	struct sk_buff_head staged;
	unsigned int staged_bytes;
	u32 failures;
	unsigned long retry_at;
	unsigned long answered_at;
};

/* All channels may send to one peer. For a packet none writes to it but, once in a jiffy, @used. */
static_assert(IPOIB_APART(struct ipoib_peer, addr, refs));
static_assert(IPOIB_APART(struct ipoib_peer, addr, lock));
static_assert(IPOIB_APART(struct ipoib_peer, ah, refs));
static_assert(IPOIB_APART(struct ipoib_peer, ah, lock));

/*
 * Take a reference to a peer that was found under RCU. Returns false if the last reference
 * has been put already, so that the peer is only waiting for its grace period.
 */
static inline bool ipoib_peer_tryhold(struct ipoib_peer *peer)
{
	return refcount_inc_not_zero(&peer->refs);
}

void ipoib_peer_hold(struct ipoib_peer *peer);
void ipoib_peer_put(struct ipoib_peer *peer);

bool ipoib_peer_stage(struct ipoib_peer *peer, struct sk_buff *skb);
void ipoib_peer_answer(struct ipoib_peer *peer, int err,
		       const struct ipoib_route *route);
void ipoib_peer_refresh(struct ipoib_peer *peer, unsigned long age);
void ipoib_peer_ask_anew(struct ipoib_peer *peer);

/**
 * struct ipoib_peertable - all destinations of an interface
 * @hash: peers by link-layer address; readers use RCU
 * @staged_bytes: sum of the truesize of all staged packets, octets
 * @gc: work that removes idle peers and refreshes old paths
 * @paths: epoch of the paths: how often all of them came to be in doubt; any context
 * @lock: protects @open, @count, @order, and insertion into @hash and @by_gid
 * @open: peers may be added
 * @count: peers in @hash
 * @order: peers in @hash in the order in which gc_batch() and evict() look at them; both move
 *	a peer that stays to the end, where new peers are added
 * @by_gid: peers in @hash, by GID; readers use RCU
 *
 * Part of an interface, see ipoib_peertable_dev(), whose lifetime it shares.
 */
struct ipoib_peertable {
	struct rhashtable hash;
	atomic_t staged_bytes;
	struct delayed_work gc;
	u32 paths;
	spinlock_t lock;	/* open to by_gid */
	bool open;
	unsigned int count;
	struct list_head order;
	DECLARE_HASHTABLE(by_gid, IPOIB_GID_BITS);
};

static_assert(IPOIB_APART(struct ipoib_peertable, hash.tbl, staged_bytes));
static_assert(IPOIB_APART(struct ipoib_peertable, hash.tbl, lock));

int ipoib_peertable_init(struct ipoib_peertable *table);
void ipoib_peertable_exit(struct ipoib_peertable *table);
void ipoib_peertable_open(struct ipoib_peertable *table);
void ipoib_peertable_close(struct ipoib_peertable *table);
void ipoib_peertable_flush(struct ipoib_peertable *table);
struct ipoib_peer *ipoib_peertable_get(struct ipoib_peertable *table,
				       const struct ipoib_hwaddr *addr);
void ipoib_peertable_forget(struct ipoib_peertable *table,
			    const struct ipoib_hwaddr *addr);
bool ipoib_peertable_remove(struct ipoib_peertable *table,
			    struct ipoib_peer *peer);

void ipoib_peertable_doubt(struct ipoib_peertable *table,
			   const union ib_gid *gid);

void ipoib_peertable_walk(struct ipoib_peertable *table,
			  void (*fn)(void *ctx, const struct ipoib_peer *peer),
			  void *ctx);

static inline u32 ipoib_peer_hash(const void *data, u32 len, u32 seed)
{
	return ipoib_hwaddr_hash(data, seed);
}

static inline int ipoib_peer_differs(struct rhashtable_compare_arg *arg,
				     const void *obj)
{
	const struct ipoib_peer *peer = obj;

	return !ipoib_hwaddr_equal(&peer->addr, arg->key);
}

/* Defined in the header so that the compiler can inline the look-up of the fast path. */
static const struct rhashtable_params ipoib_peer_params = {
	.head_offset		= offsetof(struct ipoib_peer, node),
	.key_offset		= offsetof(struct ipoib_peer, addr),
	.key_len		= sizeof_field(struct ipoib_peer, addr),
	.hashfn			= ipoib_peer_hash,
	.obj_cmpfn		= ipoib_peer_differs,
	.max_size		= IPOIB_MAX_PEERS,
	.automatic_shrinking	= true,
};

/*
 * ipoib_peertable_find() returns the peer with this address, or NULL. It is called under RCU and
 * takes no reference.
 */
static inline struct ipoib_peer *
ipoib_peertable_find(struct ipoib_peertable *table,
		     const struct ipoib_hwaddr *addr)
{
	return rhashtable_lookup(&table->hash, addr, ipoib_peer_params);
}

/*
 * ipoib_peer_in_doubt() returns true if the path of the peer may lead elsewhere now and has not
 * been asked for since that became known.
 */
static inline bool ipoib_peer_in_doubt(const struct ipoib_peer *peer)
{
	return READ_ONCE(peer->paths) != READ_ONCE(peer->table->paths);
}

/*
 * Note that a sender uses the peer. @used is written only when jiffies have advanced, so that
 * the cache line stays shared between CPUs. The same moment serves to ask again for a path in
 * doubt, so that only paths in use are asked for.
 */
static inline void ipoib_peer_touch(struct ipoib_peer *peer)
{
	if (!time_after(jiffies, READ_ONCE(peer->used)))
		return;
	WRITE_ONCE(peer->used, jiffies);
	if (unlikely(ipoib_peer_in_doubt(peer)))
		ipoib_peer_ask_anew(peer);
}

#endif /* _IPOIB_PEER_H */
