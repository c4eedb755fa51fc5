/* SPDX-License-Identifier: GPL-2.0 */
/* All connections of an interface while it is in connected mode and up. */
#ifndef _IPOIB_CONNSET_H
#define _IPOIB_CONNSET_H

#include <linux/hashtable.h>
#include <linux/netdevice.h>
#include <linux/xarray.h>

#include "cm_rx.h"
#include "conn.h"
#include "conn_tx.h"
#include "peer.h"
#include "users.h"

/* Connections at a time, unless ethtool says otherwise. */
#define IPOIB_CONN_LIMIT	64

/* One that nothing was sent or received by for so long is closed, ms. */
#define IPOIB_CONN_IDLE_MS	300000

/* And those that go while others have come in their place. */
#define IPOIB_CONN_SPARE	16

/* The most of them if each needs receive buffers of its own. */
#define IPOIB_CONN_LIMIT_OWN	32

/* Service IDs listened to: the RFC's and that of ib_ipoib. */
#define IPOIB_LISTENS		2

/* Which transports are offered, and used. */
#define IPOIB_OFFER_RC		BIT(0)
#define IPOIB_OFFER_UC		BIT(1)

/**
 * struct ipoib_connset_config - what ipoib_connset_start() needs
 * @dev: the interface
 * @txq: its send queue
 * @pd: protection domain
 * @fabric: the network
 * @peers: its peers
 * @drops: drop counters of the interface
 * @rx_stats: of what connections receive
 * @tx_stats: of what they send
 * @users: of the interface
 * @self: own address, flags zero
 * @qpn: UD QPN
 * @pkey: P_Key of the link, membership bit set
 * @pkey_index: where it stands in the port's table
 * @gid_index: the same of the GID
 * @offer: IPOIB_OFFER_RC and IPOIB_OFFER_UC
 * @limit: connections at a time
 * @idle_ms: see IPOIB_CONN_IDLE_MS; not owned, tests change it
 * @released: the send queue may go on, for all that connections care. TX lock
 * @too_big: a packet is longer than so many octets of IP, or than UD takes if
 *	that is 0. TX lock
 * @ctx: context of both
 * @wq: runs what may block: that of requests and groups is not for that
 * @fail_alloc: tests: so many page allocations fail; not owned
 */
struct ipoib_connset_config {
	struct net_device *dev;
	struct netdev_queue *txq;
	struct ib_pd *pd;
	struct ipoib_fabric *fabric;
	struct ipoib_peertable *peers;
	struct ipoib_drops *drops;
	struct ipoib_rx_stats __percpu *rx_stats;
	struct ipoib_tx_stats *tx_stats;
	struct ipoib_users *users;
	struct ipoib_hwaddr self;
	u32 qpn;
	u16 pkey;
	u16 pkey_index;
	u32 gid_index;
	unsigned int offer;
	unsigned int limit;
	const u32 *idle_ms;
	void (*released)(void *ctx);
	void (*too_big)(void *ctx, struct sk_buff *skb, unsigned int mtu);
	void *ctx;
	struct workqueue_struct *wq;
	u32 *fail_alloc;
};

/**
 * struct ipoib_connset - the connections of an interface
 * @config: what was asked for; constant
 * @mtu: longest message that we receive, octets; constant
 * @wq: runs the works of connections
 * @tx: what they send with
 * @ids: connections by their number; RCU
 * @next_id: number that is tried first; @lock
 * @by_addr: connections by the address of their peer; @lock
 * @by_qp: connections by the address of their QP; RCU
 * @rx: receive queue that they share, if the device has such; @rings_lock
 * @rings_lock: protects making and freeing of @rx and of the queue of @tx;
 *	RTNL nests in it, so nobody who has RTNL may take it
 * @rings_users: connections that use them; @rings_lock
 * @listens: for the two kinds of service ID
 * @refs: one of the interface, one of each connection
 * @end: frees it, from @wq
 * @gc: closes idle connections
 * @lock: protects what follows, and the lists; BH off
 * @open: connections may be added
 * @conns: connections, oldest first
 * @count: how many
 * @leaving: how many of them have been closed to make room
 *
 * Made when the link comes up in connected mode; when it goes down the
 * interface lets go of it, and the last connection frees it.
 */
struct ipoib_connset {
	struct ipoib_connset_config config;
	u32 mtu;
	struct workqueue_struct *wq;
	struct ipoib_conn_tx tx;
	struct xarray ids;
	u32 next_id;
	DECLARE_HASHTABLE(by_addr, 7);
	DECLARE_HASHTABLE(by_qp, 7);

	struct ipoib_cm_rx rx;
	struct mutex rings_lock;	/* rx, tx.cq, rings_users */
	unsigned int rings_users;

	struct ib_cm_id *listens[IPOIB_LISTENS];
	refcount_t refs;
	struct work_struct end;
	struct delayed_work gc;
	spinlock_t lock;	/* open, conns, count, leaving, by_qp */
	bool open;
	struct list_head conns;
	unsigned int count;
	unsigned int leaving;
};

unsigned int ipoib_connset_limit_max(const struct ib_device *ibdev);
struct ipoib_connset *ipoib_connset_start(const struct ipoib_connset_config *config);
void ipoib_connset_stop(struct ipoib_connset *set);
void ipoib_connset_hold(struct ipoib_connset *set);
void ipoib_connset_put(struct ipoib_connset *set);

void ipoib_connset_refresh(struct ipoib_connset *set, const union ib_gid *gid,
			   unsigned long age);
void ipoib_connset_walk(struct ipoib_connset *set,
			void (*fn)(void *ctx, const struct ipoib_conn *conn),
			void *ctx);

/* For connections */
int ipoib_connset_rings_get(struct ipoib_conn *conn);
void ipoib_connset_rings_put(struct ipoib_conn *conn);
void ipoib_connset_hash(struct ipoib_conn *conn);
void ipoib_connset_unhash(struct ipoib_conn *conn);
struct ipoib_conn *ipoib_connset_find(struct ipoib_connset *set,
				      const struct ipoib_hwaddr *addr);
struct ipoib_conn *ipoib_connset_find_theirs(struct ipoib_connset *set,
					     const struct ipoib_hwaddr *addr);
bool ipoib_connset_is_full(const struct ipoib_connset *set);
int ipoib_connset_add(struct ipoib_connset *set, struct ipoib_conn *conn);
void ipoib_connset_leave(struct ipoib_connset *set, struct ipoib_conn *conn);
void ipoib_connset_remove(struct ipoib_conn *conn);
void ipoib_connset_refuse(struct ipoib_connset *set, struct ib_cm_id *cm_id,
			  enum ib_cm_rej_reason reason);

#endif /* _IPOIB_CONNSET_H */
