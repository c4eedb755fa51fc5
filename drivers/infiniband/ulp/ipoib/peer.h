/* SPDX-License-Identifier: GPL-2.0 */
/* One destination of packets: a node of the link, or a group. */
#ifndef _IPOIB_PEER_H
#define _IPOIB_PEER_H

#include <linux/list.h>
#include <linux/rhashtable-types.h>
#include <linux/skbuff.h>

#include "fabric.h"
#include "fsm.h"
#include "qp.h"
#include "wire.h"

struct ipoib_conn;
struct ipoib_peertable;

/**
 * struct ipoib_peer - one destination
 * @node: entry of the table's hash
 * @addr: link-layer address; constant
 * @qpn: QPN to send to; constant
 * @ah: address handle, RCU; NULL while there is no path
 * @used: jiffies of the last packet; written by senders without a lock, because a
 *	lost update does no harm
 * @paths: @paths of the table when the path of this peer was last asked for, or one less
 *	if the path is in doubt; written under @lock, compared by senders without it
 * @by_gid: entry of the table's list of peers with the same GID hash; table's lock,
 *	readers use RCU
 * @conn: connection that carries packets to the peer, or NULL; TX lock
 * @conn_look_at: jiffies before which packets that fit UD look for no connection; TX lock
 * @conn_retry_at: jiffies before which no packet makes a new connection; TX lock
 * @conn_failures: failed connections in a row; TX lock
 * @conn_plain: the next REQ carries no alternate path, because the peer may have refused
 *	the last one for it; written under the TX lock
 * @conn_contested: others have sent REQs in the peer's name: until these jiffies only its
 *	answer to our own REQ is believed; 0 if nobody has; any context
 * @conn_linux: the last connection to the peer used the service ID of ib_ipoib; written
 *	under the TX lock
 * @table: the table that the peer is or was in; the table outlives the peer
 * @refs: one reference of the table; one of each open path request, of the group that the
 *	peer sends to, and of each connection that names the peer
 * @rcu: frees the peer after a grace period
 * @order: entry of @order of the table; table's lock
 * @lock: protects all that follows; nests inside the TX lock and the table's
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
	bool conn_plain;

	struct ipoib_peertable *table;
	refcount_t refs;
	struct rcu_head rcu;
	struct list_head order;
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

/*
 * Take a reference to a peer that was found under RCU. Returns false if the last reference
 * has been put already, so that the peer is only waiting for its grace period.
 */
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
void ipoib_peer_doubt(struct ipoib_peer *peer);
void ipoib_peer_ask_anew(struct ipoib_peer *peer);
void ipoib_peer_kill(struct ipoib_peer *peer);

#endif /* _IPOIB_PEER_H */
