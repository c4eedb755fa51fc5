/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An RC or UC connection to a peer (RFC 4755): opening, use and closing. Private to conn*:
 *
 * conn.c         states of a connection
 * conn_cm.c      messages of the CM: REQs of peers, which it listens for, checks, accepts or
 *                rejects; and what peers answer to ours
 * conn_qp.c      its QP: making it, bringing it to RTS, destroying it
 * conn_peer.c    which connection the packets of a peer go by, and what happens while there is none
 * conn_tx.c      sending: batch and completion queue of a bundle, and backlogs
 * conn_rx.c      receiving
 * conn_queues.c  which connections share the queues of both
 * conn_set.c     all connections of an interface
 * conn_wire.c    private data of CM messages, and service IDs
 */
#ifndef _IPOIB_CONN_H
#define _IPOIB_CONN_H

#include <linux/completion.h>
#include <linux/workqueue.h>
#include <rdma/ib_cm.h>
#include <rdma/ib_sa.h>

#include "apart.h"
#include "conn_rx.h"
#include "conn_wire.h"
#include "fabric.h"
#include "fsm.h"
#include "turns.h"
#include "txring.h"

/* Slots of a connection's send ring. The packet in a slot may be 64 KiB long. */
#define IPOIB_CONN_SLOTS	32

/*
 * RFC 4755 section 7.1: the HCA repeats a lost packet sooner than TCP would. An RNR retry count
 * of 7 is no limit: the sender waits for a receiver that has no buffer for a while.
 */
#define IPOIB_CONN_RETRIES	7
#define IPOIB_CONN_RNR_RETRIES	7

struct ipoib_conn_set;
struct ipoib_conn_tx;
struct ipoib_peer;

/* Bits of ipoib_conn.pending: events for conn_work(), in the order in which it handles them. */
enum ipoib_conn_pending {
	IPOIB_CONN_PENDING_CLOSE,	/* close the connection, see ipoib_conn.err */
	IPOIB_CONN_PENDING_WANT,	/* a connection to the peer is wanted */
	IPOIB_CONN_PENDING_ROUTE,	/* the fabric has answered a path request */
	IPOIB_CONN_PENDING_TURN,	/* its REQ or DREQ may be sent */
	IPOIB_CONN_PENDING_REQ,		/* the REQ of the peer has been admitted */
	IPOIB_CONN_PENDING_REP,		/* the peer has sent a REP */
	IPOIB_CONN_PENDING_YIELD,	/* REJ: the peer's REQ crossed ours and stands */
	IPOIB_CONN_PENDING_STALE,	/* REJ: the peer has another connection */
	IPOIB_CONN_PENDING_RTU,		/* an RTU came, or USER_ESTABLISHED */
	IPOIB_CONN_PENDING_DATA,	/* a packet came, perhaps before the RTU */
	IPOIB_CONN_PENDING_PATH,	/* the HCA uses the alternate path now */
	IPOIB_CONN_PENDING_DREQ,	/* the peer has sent a DREQ */
	IPOIB_CONN_PENDING_DISCONNECTED,	/* DREP came, DREQ given up, timewait over */
	IPOIB_CONN_PENDING_DRAINED,	/* the send ring is empty */
	IPOIB_CONN_PENDING_LATE,	/* the timer @late has expired */
};

/**
 * enum ipoib_conn_alt - what has become of the alternate path (IBTA 17.2.8)
 * @IPOIB_CONN_ALT_NONE: there is none; or the peer has refused it, or the HCA has migrated to it
 * @IPOIB_CONN_ALT_WANTED: our REQ is to have one. It is to have none if the peer may have refused
 *	the last REQ for that
 * @IPOIB_CONN_ALT_ASKED: it was requested of the fabric, which may have none
 * @IPOIB_CONN_ALT_FOUND: the fabric has one, but the connection may not be able to migrate to it
 * @IPOIB_CONN_ALT_LOADED: the REQ has one that neither end has refused
 * @IPOIB_CONN_ALT_REFUSED: the peer's REQ has one that we refuse
 */
enum ipoib_conn_alt {
	IPOIB_CONN_ALT_NONE,
	IPOIB_CONN_ALT_WANTED,
	IPOIB_CONN_ALT_ASKED,
	IPOIB_CONN_ALT_FOUND,
	IPOIB_CONN_ALT_LOADED,
	IPOIB_CONN_ALT_REFUSED,
};

/**
 * struct ipoib_conn - one connection
 * @ring: its send ring; ring.batch is that of @tx
 * @tx: what it shares with the others of its bundle, whose lock is meant by "bundle"; constant
 * @mtu: longest IP packet that the peer takes, octets; constant once ESTABLISHED
 * @to: what the ring is told of each packet: whether both ends leave checksums to the link;
 *	constant once ESTABLISHED
 * @used: jiffies of the last packet in either direction; any context, a lost update does no
 *	harm
 * @alive: jiffies when the peer was last known to have the connection: a packet came from it
 *	or, on RC, it acknowledged one; written like @used
 * @staged: packets too long for UD that wait until the connection is established; bundle
 * @staged_bytes: sum of the truesize of @staged; bundle
 * @backlog: packets that found the ring full, in their order; bundle
 * @backlog_bytes: sum of the truesize of @backlog; bundle
 * @behind: entry of ipoib_conn_tx.behind while @backlog is not empty; bundle
 * @full_tail: tail of the ring when @full_since was set; bundle
 * @full_since: jiffies when the ring, while it was full, was last seen to have moved; bundle
 * @set: the set that the connection belongs to, referenced
 * @refs: one reference of the set, one of each open path request, one for each time that @work
 *	is queued, and short ones of functions that looked the connection up
 * @rcu: for kfree_rcu()
 * @id: number of the connection in the set, upper half of the ring's wr_ids; constant until
 *	@work gives it up
 * @addr: link-layer address of the peer with the flags zero; constant
 * @type: IB_QPT_RC or IB_QPT_UC; constant
 * @service: kind of service ID in the REQ; constant
 * @active: the REQ is ours, not the peer's; constant
 * @from_peer: the REQ is the peer's, and came from the port to which its datagrams go; constant
 * @since: jiffies when the connection was made; constant
 * @accepted_at: jiffies when the peer's REP was handled; constant once ESTABLISHED
 * @node: entry of the set's list; set's lock
 * @in_places: entry of the list of those with the same bound; set's lock
 * @by_addr: entry of the set's hash by port; set's lock
 * @by_qp: entry of the set's hash by QP; set's lock, RCU
 * @leaving: ipoib_conn_set_leave() has closed it to make room for another; set's lock
 * @outdated: its path is not that of the peer any more; set's lock
 * @peer: the peer whose packets go by this connection, referenced; bundle
 * @qpn: number of its QP, 0 while it has none; only shown to users
 * @wanted: the peer that we open the connection for, referenced until it is closed; NULL if the
 *	REQ is the peer's
 * @received: packets received; NAPI
 * @gc_received: @received at the last run of conn_set_gc_work(), which alone uses it
 * @gc_sent: @sent then; likewise
 * @gc_tail: tail of the ring then; likewise
 * @unmoved: runs in a row at which the ring was not empty and had this tail; likewise
 * @unheard: runs in a row at which it had sent and not received; likewise
 * @sent: packets sent; bundle
 * @state: see enum ipoib_conn_state; written by @work
 * @pending: bits of enum ipoib_conn_pending
 * @work: conn_work(), which handles the bits of @pending in their order
 * @late: timeout of the current step; sets IPOIB_CONN_PENDING_LATE
 * @turn: place of its REQ, or of what tells the peer that it ends, in the turns of the port
 * @turn_work: sets IPOIB_CONN_PENDING_TURN when it has its turn
 * @unanswered: gives the turn back if no answer comes
 * @cm_id: its CM identifier; NULL before it is made and after it is destroyed; written before
 *	IPOIB_CONN_PENDING_REQ, then by @work
 * @theirs: QPN and longest message from the peer's private data; written before
 *	IPOIB_CONN_PENDING_REQ or IPOIB_CONN_PENDING_REP
 * @err: why it is closed: the first negative errno; 0 if it has not failed
 * @rx: receive queue of its packets: the set's, or its own; @work
 * @qp: its QP; @work
 * @last_wqe: completed when the QP takes no more buffers from a shared receive queue
 * @connected: the QP has been in RTR, so it may have taken some; @work
 * @path: path to the peer; written before IPOIB_CONN_PENDING_ROUTE, then by @work. If the REQ is
 *	the peer's, the primary path in it; constant
 * @req: the open path request, or NULL; @work
 * @disconnected: the peer knows that the connection ends, will not say so any more, or there is
 *	nobody to tell; @work
 * @lingers: packets that no completion tells of have had their moment, or have it now; @work
 * @alt: candidate for the alternate path; written before IPOIB_CONN_PENDING_ROUTE, then by @work
 * @alt_state: what has become of the alternate path, see enum ipoib_conn_alt; written before the
 *	event that it comes with, then by @work
 * @migrations: how often the HCA has migrated to the alternate path; @work
 *
 * ipoib_conn_peer_want() and ipoib_conn_peer_ask() make a connection to send by, req_came()
 * makes one for the REQ of a peer. Only @work changes the state; all others set a bit of @pending
 * and queue @work. A connection in a set is DEAD before the last reference frees it.
 */
struct ipoib_conn {
	struct ipoib_txring ring;

	/* Read for each packet by whoever sends, receives or polls, and written once in a jiffy. */
	struct ipoib_conn_tx *tx;
	unsigned int mtu;
	struct ipoib_tx_to to;
	enum ib_qp_type type;
	struct ipoib_hwaddr addr;
	unsigned long used;
	unsigned long alive;

	/* The sending CPU writes @sent with every packet. */
	u64 sent ____cacheline_aligned_in_smp;
	struct sk_buff_head backlog;
	unsigned int backlog_bytes;
	u32 full_tail;
	unsigned long full_since;
	struct list_head behind;
	struct sk_buff_head staged;
	unsigned int staged_bytes;

	/* The receiving CPU writes @received with every message. */
	u64 received ____cacheline_aligned_in_smp;
	struct ipoib_conn_set *set;
	refcount_t refs;
	struct rcu_head rcu;
	u32 id;
	enum ipoib_service service;
	bool active;
	bool from_peer;
	unsigned long since;
	unsigned long accepted_at;
	struct list_head node;
	struct list_head in_places;
	struct hlist_node by_addr;
	struct hlist_node by_qp;
	bool leaving;
	bool outdated;
	struct ipoib_peer *peer;
	struct ipoib_peer *wanted;
	u32 qpn;
	u64 gc_received;
	u64 gc_sent;
	u32 gc_tail;
	unsigned int unmoved;
	unsigned int unheard;

	enum ipoib_conn_state state;
	unsigned long pending;
	struct work_struct work;
	struct delayed_work late;
	struct ipoib_turn turn;
	struct work_struct turn_work;
	struct delayed_work unanswered;

	struct ib_cm_id *cm_id;
	struct ipoib_cm_peer theirs;
	int err;

	struct ipoib_conn_rx *rx;
	struct ib_qp *qp;
	struct completion last_wqe;
	bool connected;
	struct sa_path_rec path;
	struct ipoib_request *req;
	bool disconnected;
	bool lingers;
	struct sa_path_rec alt;
	enum ipoib_conn_alt alt_state;
	unsigned int migrations;
};

/* One CPU may send by a connection while another one receives by it, and a third one polls. */
static_assert(IPOIB_HAS_ITS_LINES(struct ipoib_conn));
static_assert(IPOIB_APART(struct ipoib_conn, sent, to));
static_assert(IPOIB_APART(struct ipoib_conn, sent, used));
static_assert(IPOIB_APART(struct ipoib_conn, sent, received));
static_assert(IPOIB_APART(struct ipoib_conn, received, to));
static_assert(IPOIB_APART(struct ipoib_conn, received, used));
static_assert(IPOIB_APART(struct ipoib_conn, received, state));

struct ipoib_conn *ipoib_conn_new(struct ipoib_conn_set *set,
				  const struct ipoib_hwaddr *addr,
				  enum ib_qp_type type,
				  enum ipoib_service service, bool active);
void ipoib_conn_put(struct ipoib_conn *conn);
void ipoib_conn_kick(struct ipoib_conn *conn, enum ipoib_conn_pending what);
void ipoib_conn_close(struct ipoib_conn *conn, int err);
bool ipoib_conn_same_way(const struct ipoib_conn *conn, const struct ipoib_conn *other);
bool ipoib_conn_can_migrate(const struct ipoib_conn *conn, const struct sa_path_rec *path,
			    const struct sa_path_rec *alt);

/* Take a reference; the caller has one, or found @conn in the set and holds the set's lock. */
static inline void ipoib_conn_hold(struct ipoib_conn *conn)
{
	refcount_inc(&conn->refs);
}

/* Words of debugfs and of generic netlink */
static inline const char *ipoib_conn_type_name(const struct ipoib_conn *conn)
{
	return conn->type == IB_QPT_RC ? "RC" : "UC";
}

static inline const char *ipoib_conn_service_name(const struct ipoib_conn *conn)
{
	return conn->service == IPOIB_SERVICE_RFC ? "rfc" : "linux";
}

/*
 * Note that a packet goes either way. Both directions write @used, and only when jiffies has
 * changed, so that the cache line stays shared.
 */
static inline void ipoib_conn_touch(struct ipoib_conn *conn)
{
	unsigned long now = jiffies;

	if (READ_ONCE(conn->used) != now)
		WRITE_ONCE(conn->used, now);
}

/* Note that the peer still has the connection. */
static inline void ipoib_conn_heard(struct ipoib_conn *conn)
{
	unsigned long now = jiffies;

	if (READ_ONCE(conn->alive) != now)
		WRITE_ONCE(conn->alive, now);
}

/* May packets be sent? If so, all that conn_work() has set up for them is visible. */
static inline bool ipoib_conn_is_established(const struct ipoib_conn *conn)
{
	/* Pairs with the release in conn_step(). */
	return smp_load_acquire(&conn->state) == IPOIB_CONN_ESTABLISHED;
}

static inline bool ipoib_conn_alt_is_loaded(const struct ipoib_conn *conn)
{
	return READ_ONCE(conn->alt_state) == IPOIB_CONN_ALT_LOADED;
}

int ipoib_conn_event(struct ib_cm_id *cm_id, const struct ib_cm_event *event);

int ipoib_conn_listen(struct ipoib_conn_set *set);
void ipoib_conn_unlisten(struct ipoib_conn_set *set);

int ipoib_conn_qp_new(struct ipoib_conn *conn);
int ipoib_conn_qp_connect(struct ipoib_conn *conn, struct ib_cm_id *cm_id,
			  bool answer, u32 rq_psn);
void ipoib_conn_qp_free(struct ipoib_conn *conn);

int ipoib_conn_peer_check(struct ipoib_conn *conn);
void ipoib_conn_peer_ask(const struct ipoib_conn *old);
bool ipoib_conn_peer_is_contested(const struct ipoib_conn *conn);
void ipoib_conn_peer_publish(struct ipoib_conn *conn);
void ipoib_conn_peer_unpublish(struct ipoib_conn *conn);
void ipoib_conn_peer_abandon(struct ipoib_conn *conn);
void ipoib_conn_peer_detach(struct ipoib_conn *conn);

#endif /* _IPOIB_CONN_H */
