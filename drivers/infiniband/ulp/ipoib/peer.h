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

struct ipoib_conn;
struct ipoib_peertable;

/**
 * struct ipoib_peer - one destination
 * @node: entry of the table's hash
 * @addr: link-layer address; constant
 * @qpn: QPN to send to; constant
 * @ah: address handle, RCU; NULL while there is no path
 * @used: jiffies of the last packet; written by senders without a lock, a
 *	lost update does no harm
 * @conn: connection that its packets go by, or NULL; TX lock
 * @conn_look_at: jiffies before which packets look for no connection; TX lock
 * @conn_retry_at: jiffies before which no connection is asked for; TX lock
 * @conn_failures: failed connections in a row; TX lock
 * @conn_plain: the next connection has no alternate path: that may have been why
 *	one was refused; TX lock
 * @conn_linux: it knows only the service ID of ib_ipoib; TX lock
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
	struct ipoib_conn *conn;
	unsigned long conn_look_at;
	unsigned long conn_retry_at;
	u32 conn_failures;
	bool conn_linux;
	bool conn_plain;

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

/* A reference of a peer that was found under RCU, if it is not about to go. */
static inline bool ipoib_peer_tryhold(struct ipoib_peer *peer)
{
	return refcount_inc_not_zero(&peer->refs);
}

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
