/* SPDX-License-Identifier: GPL-2.0 */
/* All connections of an interface while it is up and takes some. */
#ifndef _IPOIB_CONN_SET_H
#define _IPOIB_CONN_SET_H

#include <linux/hashtable.h>
#include <linux/netdevice.h>
#include <linux/xarray.h>

#include "apart.h"
#include "bundle.h"
#include "conn.h"
#include "conn_rx.h"
#include "conn_tx.h"
#include "peer.h"
#include "usecnt.h"

/* Default limit of connections, which ethtool can change. */
#define IPOIB_CONN_LIMIT	64

/* Highest limit that can be set, whatever the RDMA device has room for. */
#define IPOIB_CONN_LIMIT_MAX	4096

/* A connection that carried nothing either way for this long is closed, ms. */
#define IPOIB_CONN_IDLE_MS	300000

/*
 * Slots for connections still closing while others have taken their place. The last half of the
 * slots only serves connections that we open.
 */
#define IPOIB_CONN_SPARE	16

/* Connections to one address, by one service ID, by which only the peer sends. */
#define IPOIB_CONN_THEIRS	2

/* Highest limit if each connection needs receive buffers of its own. */
#define IPOIB_CONN_LIMIT_OWN	32

/* Receive queues that connections share, at most: each has megabytes of buffers. */
#define IPOIB_CONN_RXS_MAX	4

/* Transports that we offer and use. */
#define IPOIB_OFFER_RC		BIT(0)
#define IPOIB_OFFER_UC		BIT(1)

/**
 * enum ipoib_conn_bound - what a connection counts against
 * @IPOIB_CONN_OURS: the limit that is set
 * @IPOIB_CONN_LINUX: the highest limit that may be set. Peers with ib_ipoib have opened these, and
 *	we send nothing by them. Such a peer sends no datagrams to an address that says RC, so it is
 *	cut off if it is refused; and without a send ring, and with shared receive buffers, its
 *	connection costs little
 * @IPOIB_CONN_BOUNDS: how many there are of these
 */
enum ipoib_conn_bound {
	IPOIB_CONN_OURS,
	IPOIB_CONN_LINUX,
	IPOIB_CONN_BOUNDS
};

/**
 * struct ipoib_conn_places - the connections that count against one bound
 * @limit: how many there may be at a time; constant
 * @count: how many there are, closing ones included
 * @leaving: how many of them were closed to make room
 * @conns: list of them, in the order in which evict() looks at them
 * @in_vain: how many it has looked at since one of them could go
 *
 * The set's lock protects it.
 */
struct ipoib_conn_places {
	unsigned int limit;
	unsigned int count;
	unsigned int leaving;
	struct list_head conns;
	unsigned int in_vain;
};

/**
 * struct ipoib_conn_set - the connections of an interface
 * @idev: the interface, which outlives the set: see @users of struct ipoib_dev; constant
 * @self: address of the interface, without flags; constant
 * @qpn: UD QP number of the interface, which is in the private data of REQ and REP; constant
 * @pkey: P_Key of the interface; constant
 * @pkey_index: index of the P_Key in the port's table; constant
 * @gid_index: index of the GID in the port's table; constant
 * @offer: IPOIB_OFFER_RC and IPOIB_OFFER_UC; constant
 * @opens: we open connections, which is connected mode. Otherwise peers open all of them, and we
 *	send by none; constant
 * @opener_sends: on RC we send only by connections that we have opened; constant
 * @link_sums: checksums are left to the link where the peer agrees; constant
 * @mtu: longest message that we receive, octets; constant
 * @wq: runs the works of the set and of its connections. They block for long, so requests and
 *	groups have another
 * @txs: what the connections send with, by their bundle; constant
 * @bundles: how many bundles there are; constant
 * @waiting_bytes: truesize of all packets in backlogs and of all staged ones; each change under the
 *	lock of a bundle
 * @ids: connections by their number; RCU
 * @next_id: number that the next allocation tries first; @lock
 * @by_addr: connections by the port of their peer; @lock
 * @by_qp: connections by the address of their QP; RCU, written under @lock
 * @rxs: receive queues that connections share; constant
 * @rx_count: how many of these there are: none if the device has no shared ones, so that each
 *	connection has its own; constant
 * @rings_lock: protects making and freeing of the queues of @rxs and @txs. RTNL is taken inside
 *	it, so it must not be taken under RTNL
 * @listens: CM identifiers that listen for REQs, one for each kind of service ID
 * @refs: one reference of the interface, one of each connection
 * @end: end_work(), which frees the set
 * @gc: conn_set_gc_work(), which closes idle and stuck connections, and outdated ones that had to
 *	stay for a while
 * @broken: a completion queue of the set has failed, or the shared receive queue
 * @lock: protects what follows, and the lists; BH off
 * @open: connections may be added
 * @conns: list of connections, the oldest first
 * @count: length of that list
 * @places: the same connections, by what they count against
 * @crowded_until: jiffies until which no place is looked for again for a connection that we open:
 *	all were taken, and none was idle
 *
 * ipoib_conn_set_start() makes the set when the link comes up. When the link goes down
 * ipoib_conn_set_stop() drops the reference of the interface, and the last connection frees the
 * set.
 */
struct ipoib_conn_set {
	struct ipoib_dev *idev;
	struct ipoib_hwaddr self;
	u32 qpn;
	u16 pkey;
	u16 pkey_index;
	u32 gid_index;
	unsigned int offer;
	bool opens;
	bool opener_sends;
	bool link_sums;
	u32 mtu;
	struct workqueue_struct *wq;
	struct ipoib_conn_tx *txs;
	unsigned int bundles;
	struct xarray ids;
	u32 next_id;
	DECLARE_HASHTABLE(by_addr, 7);
	DECLARE_HASHTABLE(by_qp, 7);

	struct ipoib_conn_rx *rxs;
	unsigned int rx_count;

	/* What stands before it is read for each packet, whatever its bundle. */
	atomic_t waiting_bytes ____cacheline_aligned_in_smp;
	struct mutex rings_lock;	/* queues of rxs and txs, and their users */

	struct ib_cm_id *listens[IPOIB_SERVICE_NONE];
	refcount_t refs;
	struct work_struct end;
	struct delayed_work gc;
	bool broken;
	spinlock_t lock;	/* open, conns, count, places, by_qp */
	bool open;
	struct list_head conns;
	unsigned int count;
	struct ipoib_conn_places places[IPOIB_CONN_BOUNDS];
	unsigned long crowded_until;
};

static_assert(IPOIB_APART(struct ipoib_conn_set, waiting_bytes, idev));
static_assert(IPOIB_APART(struct ipoib_conn_set, waiting_bytes, txs));
static_assert(IPOIB_APART(struct ipoib_conn_set, waiting_bytes, ids));
static_assert(IPOIB_APART(struct ipoib_conn_set, waiting_bytes, by_qp));
static_assert(IPOIB_APART(struct ipoib_conn_set, lock, by_qp));

/* Connections to one port that may have queue pairs at a time, closing ones included */
static inline unsigned int ipoib_conn_set_most(const struct ipoib_conn_set *set)
{
	return set->places[IPOIB_CONN_OURS].limit + IPOIB_CONN_SPARE;
}

/* What connections to a peer send with */
static inline struct ipoib_conn_tx *ipoib_conn_set_tx(const struct ipoib_conn_set *set,
						      const struct ipoib_hwaddr *addr)
{
	return &set->txs[ipoib_bundle_of(addr, set->bundles)];
}

/*
 * Connections of a bundle share one receive queue, perhaps with those of other bundles. NULL if
 * the connection is to have one of its own.
 */
static inline struct ipoib_conn_rx *ipoib_conn_set_rx(const struct ipoib_conn_set *set,
						      const struct ipoib_conn_tx *tx)
{
	return set->rx_count ? &set->rxs[(tx - set->txs) % set->rx_count] : NULL;
}

/*
 * Connections of one bundle that may have many sends under way: twice its part, for the hash does
 * not deal them out evenly.
 */
static inline unsigned int ipoib_conn_set_most_of_bundle(const struct ipoib_conn_set *set)
{
	unsigned int most = ipoib_conn_set_most(set);

	return min(most, 2 * DIV_ROUND_UP(most, set->bundles) + IPOIB_CONN_SPARE);
}

/*
 * ipoib_conn_set_one_way() says whether only the end that sent the REQ sends packets by such a
 * connection. ib_ipoib knows no other way, and the user may want it for RC. On UC, which has no
 * acknowledgments, an end that only sends hears nothing, and makes another connection now and
 * then, see hears_nothing(). In datagram mode it is so all the same: packets that fit into
 * datagrams need no connection, and a stranger who opens one in the name of a peer gets nothing
 * of what is for that.
 */
static inline bool ipoib_conn_set_one_way(const struct ipoib_conn_set *set,
					  enum ib_qp_type type,
					  enum ipoib_service service)
{
	return service == IPOIB_SERVICE_LINUX || !set->opens ||
	       (set->opener_sends && type == IB_QPT_RC);
}

/* May we send packets by the connection, once it is ESTABLISHED? */
static inline bool ipoib_conn_set_sends_by(const struct ipoib_conn *conn)
{
	return conn->active ||
	       !ipoib_conn_set_one_way(conn->set, conn->type, conn->service);
}

unsigned int ipoib_conn_set_limit_max(const struct ib_device *ibdev);
struct ipoib_conn_set *ipoib_conn_set_start(struct ipoib_dev *idev);
void ipoib_conn_set_stop(struct ipoib_conn_set *set);
void ipoib_conn_set_hold(struct ipoib_conn_set *set);
void ipoib_conn_set_put(struct ipoib_conn_set *set);

void ipoib_conn_set_refresh(struct ipoib_conn_set *set, const union ib_gid *gid,
			    unsigned long age);
void ipoib_conn_set_follow(struct ipoib_conn_set *set, const struct ipoib_hwaddr *addr,
			   const struct sa_path_rec *path);
void ipoib_conn_set_walk(struct ipoib_conn_set *set,
			 void (*fn)(void *ctx, const struct ipoib_conn *conn),
			 void *ctx);

struct ipoib_conn *ipoib_conn_peer_want(struct ipoib_conn_set *set,
					struct ipoib_peer *peer, bool urgent);
bool ipoib_conn_peer_stage(struct ipoib_conn_set *set, struct ipoib_peer *peer,
			   struct sk_buff *skb);
void ipoib_conn_tx_send(struct ipoib_conn *conn, struct sk_buff *skb);
void ipoib_conn_tx_flush(struct ipoib_conn_tx *tx);
u32 ipoib_conn_rx_mtu(const struct ib_device *ibdev);
unsigned int ipoib_conn_rx_posted(const struct ipoib_conn_rx *rx);
int ipoib_conn_queues_moderate(struct ipoib_conn_set *set);
unsigned int ipoib_conn_queues_posted(const struct ipoib_conn_set *set);

/* The functions below are for the other files of connections. */
int ipoib_conn_queues_init(struct ipoib_conn_set *set);
void ipoib_conn_queues_exit(struct ipoib_conn_set *set);
int ipoib_conn_queues_get(struct ipoib_conn *conn);
void ipoib_conn_queues_put(struct ipoib_conn *conn);
bool ipoib_conn_set_heard(struct ipoib_conn_set *set, const struct ib_qp *qp,
			  struct ipoib_hwaddr *from);
void ipoib_conn_set_qp_failed(struct ipoib_conn_set *set, const struct ib_qp *qp);
void ipoib_conn_set_cq_failed(struct ipoib_conn_set *set);
void ipoib_conn_set_hash(struct ipoib_conn *conn);
void ipoib_conn_set_unhash(struct ipoib_conn *conn);
struct ipoib_conn *ipoib_conn_set_find(struct ipoib_conn_set *set,
				       const struct ipoib_hwaddr *addr);
unsigned int ipoib_conn_set_find_theirs(struct ipoib_conn_set *set, const struct ipoib_conn *new,
					struct ipoib_conn *found[IPOIB_CONN_THEIRS]);
bool ipoib_conn_set_is_crowded(const struct ipoib_conn_set *set,
			       const struct ipoib_hwaddr *addr);
bool ipoib_conn_set_is_full(const struct ipoib_conn_set *set, const struct ipoib_conn *new);
bool ipoib_conn_set_has_share(const struct ipoib_conn_set *set,
			      const struct ipoib_conn *new);
int ipoib_conn_set_add(struct ipoib_conn_set *set, struct ipoib_conn *conn);
void ipoib_conn_set_leave(struct ipoib_conn_set *set, struct ipoib_conn *conn, int err);
void ipoib_conn_set_remove(struct ipoib_conn *conn);
void ipoib_conn_set_refuse(struct ipoib_conn_set *set, struct ib_cm_id *cm_id,
			   enum ib_cm_rej_reason reason);

#endif /* _IPOIB_CONN_SET_H */
