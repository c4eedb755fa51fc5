/* SPDX-License-Identifier: GPL-2.0 */
/* All destinations of an interface, by link-layer address. */
#ifndef _IPOIB_PEERTABLE_H
#define _IPOIB_PEERTABLE_H

#include <linux/rhashtable.h>
#include <linux/workqueue.h>

#include "hwaddr.h"
#include "peer.h"
#include "qp.h"
#include "stats.h"

struct ipoib_mcastset;

/* More destinations than this and the idlest go. */
#define IPOIB_MAX_PEERS		16384

/**
 * struct ipoib_peertable_ops - what the device does for its peers
 * @alone: call @fn with @arg while nobody else sends: under the TX lock
 * @send: inside @fn: send a packet, link-layer header on; false if there is no
 *	room and the packet is still the caller's
 * @requeue: send a packet as if it came from the stack; consumes it. Process
 *	context, no lock held
 * @retire: take over an address handle that no new send can find; free it
 *	when the sends that use it are over. Any context but hard interrupt
 */
struct ipoib_peertable_ops {
	void (*alone)(void *ctx, void (*fn)(void *arg), void *arg);
	bool (*send)(void *ctx, struct sk_buff *skb, struct ipoib_ah *ah,
		     u32 qpn);
	void (*requeue)(void *ctx, struct sk_buff *skb);
	void (*retire)(void *ctx, struct ipoib_ah *ah);
};

/**
 * struct ipoib_peertable - all destinations of an interface
 * @hash: by link-layer address; readers use RCU
 * @dev: the interface; for traces
 * @fabric: knows paths to nodes
 * @mcast: knows groups
 * @qp: whose protection domain address handles are made in
 * @drops: drop counters of the interface
 * @users: of the interface; each peer is one
 * @ops: up-calls
 * @ctx: their context
 * @staged_bytes: true size of all staged packets
 * @gc: removes idle peers, refreshes old paths
 * @lock: protects @open, @count, @order and insertion into @hash
 * @open: peers may be added
 * @count: peers in @hash
 * @order: peers in @hash, oldest first
 *
 * Part of an interface and lives as long.
 */
struct ipoib_peertable {
	struct rhashtable hash;
	struct net_device *dev;
	struct ipoib_fabric *fabric;
	struct ipoib_mcastset *mcast;
	struct ipoib_qp *qp;
	struct ipoib_drops *drops;
	struct ipoib_users *users;
	const struct ipoib_peertable_ops *ops;
	void *ctx;
	atomic_t staged_bytes;
	struct delayed_work gc;
	spinlock_t lock;	/* all below */
	bool open;
	unsigned int count;
	struct list_head order;
};

int ipoib_peertable_init(struct ipoib_peertable *table);
void ipoib_peertable_exit(struct ipoib_peertable *table);
void ipoib_peertable_open(struct ipoib_peertable *table);
void ipoib_peertable_close(struct ipoib_peertable *table);
void ipoib_peertable_flush(struct ipoib_peertable *table);
struct ipoib_peer *ipoib_peertable_get(struct ipoib_peertable *table,
				       const struct ipoib_hwaddr *addr);
bool ipoib_peertable_remove(struct ipoib_peertable *table,
			    struct ipoib_peer *peer);

void ipoib_peertable_refresh(struct ipoib_peertable *table,
			     const union ib_gid *gid, unsigned long age);

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

/* Here, so that the compiler can open-code the look-up of the fast path. */
static const struct rhashtable_params ipoib_peer_params = {
	.head_offset		= offsetof(struct ipoib_peer, node),
	.key_offset		= offsetof(struct ipoib_peer, addr),
	.key_len		= sizeof_field(struct ipoib_peer, addr),
	.hashfn			= ipoib_peer_hash,
	.obj_cmpfn		= ipoib_peer_differs,
	.max_size		= IPOIB_MAX_PEERS,
	.automatic_shrinking	= true,
};

/* The peer with this address or NULL. RCU; no reference is taken. */
static inline struct ipoib_peer *
ipoib_peertable_find(struct ipoib_peertable *table,
		     const struct ipoib_hwaddr *addr)
{
	return rhashtable_lookup(&table->hash, addr, ipoib_peer_params);
}

#endif /* _IPOIB_PEERTABLE_H */
