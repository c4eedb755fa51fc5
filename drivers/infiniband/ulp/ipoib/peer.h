/* SPDX-License-Identifier: GPL-2.0 */
/* One destination of packets: a node of the link, or a group. */
#ifndef _IPOIB_PEER_H
#define _IPOIB_PEER_H

#include <linux/list.h>
#include <linux/rhashtable-types.h>
#include <linux/skbuff.h>

#include "ah.h"
#include "fabric.h"
#include "peer_fsm.h"
#include "wire.h"

struct ipoib_peertable;

/**
 * struct ipoib_peer - one destination
 * @node: entry of the table's hash
 * @addr: link-layer address; constant
 * @qpn: QPN to send to; constant
 * @ah: address handle, RCU; NULL while there is no path
 * @used: jiffies of the last packet; written by senders without a lock, a
 *	lost update does no harm
 * @table: the table that it is or was in; outlives it
 * @refs: one of the table, one of each question that is open
 * @rcu: frees it
 * @order: entry of the table's list, oldest first; table's lock
 * @lock: protects all that follows; nests inside the TX lock and the table's
 * @state: see peer_fsm.h
 * @req: open question about the path of a node; NULL otherwise
 * @again: the open question is to be asked once more when it is answered
 * @asked_mcast: a group was asked for; it answers through ipoib_peer_answer()
 * @staged: packets that wait for a path, link-layer header still on
 * @staged_bytes: their true size
 * @failures: failed tries in a row
 * @retry_at: jiffies before which the next try does not start
 * @answered_at: jiffies when the path in use was found
 *
 * Made by the first packet to an unknown address, removed when idle, when
 * the table is full, or when the interface stops. Look-ups run under RCU.
 */
struct ipoib_peer {
	struct rhash_head node;
	struct ipoib_hwaddr addr;
	u32 qpn;
	struct ipoib_ah __rcu *ah;
	unsigned long used;

	struct ipoib_peertable *table;
	refcount_t refs;
	struct rcu_head rcu;
	struct list_head order;
	spinlock_t lock;	/* all below */
	enum ipoib_peer_state state;
	struct ipoib_request *req;
	bool again;
	bool asked_mcast;
	struct sk_buff_head staged;
	unsigned int staged_bytes;
	u32 failures;
	unsigned long retry_at;
	unsigned long answered_at;
};

struct ipoib_peer *ipoib_peer_new(struct ipoib_peertable *table,
				  const struct ipoib_hwaddr *addr);
void ipoib_peer_hold(struct ipoib_peer *peer);
void ipoib_peer_put(struct ipoib_peer *peer);

bool ipoib_peer_stage(struct ipoib_peer *peer, struct sk_buff *skb);
void ipoib_peer_answer(struct ipoib_peer *peer, int err,
		       const struct ipoib_route *route);
void ipoib_peer_refresh(struct ipoib_peer *peer, unsigned long age);
void ipoib_peer_kill(struct ipoib_peer *peer);

/* A sender used the peer. Without the test the line would bounce. */
static inline void ipoib_peer_touch(struct ipoib_peer *peer)
{
	if (time_after(jiffies, READ_ONCE(peer->used)))
		WRITE_ONCE(peer->used, jiffies);
}

#endif /* _IPOIB_PEER_H */
