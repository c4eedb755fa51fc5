/* SPDX-License-Identifier: GPL-2.0 */
/* All destinations of an interface, by link-layer address. */
#ifndef _IPOIB_PEERTABLE_H
#define _IPOIB_PEERTABLE_H

#include <linux/hashtable.h>
#include <linux/rhashtable.h>
#include <linux/workqueue.h>

#include "addr.h"
#include "peer.h"
#include "qp.h"
#include "stats.h"

/* Most peers of a table. One more evicts another one, see evict(). */
#define IPOIB_MAX_PEERS		16384

/* Base-2 logarithm of the number of lists of peers by GID. */
#define IPOIB_GID_BITS		8

/**
 * struct ipoib_peertable - all destinations of an interface
 * @hash: peers by link-layer address; readers use RCU
 * @staged_bytes: sum of the truesize of all staged packets, octets
 * @gc: work that removes idle peers and refreshes old paths
 * @paths: epoch of the paths: how often all of them came to be in doubt; any context
 * @gid_seed: secret seed of the GID hash, so that nobody can choose GIDs that all share one
 *	list of @by_gid; constant
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
	u32 gid_seed;
	spinlock_t lock;	/* open to by_gid */
	bool open;
	unsigned int count;
	struct list_head order;
	DECLARE_HASHTABLE(by_gid, IPOIB_GID_BITS);
};

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

/* Returns the peer with this address, or NULL. Under RCU; no reference is taken. */
static inline struct ipoib_peer *
ipoib_peertable_find(struct ipoib_peertable *table,
		     const struct ipoib_hwaddr *addr)
{
	return rhashtable_lookup(&table->hash, addr, ipoib_peer_params);
}

/*
 * Returns true if the path of the peer may lead elsewhere now and has not been asked for since
 * that became known.
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

#endif /* _IPOIB_PEERTABLE_H */
