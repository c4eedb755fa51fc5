/* SPDX-License-Identifier: GPL-2.0 */
/* Counters: packets per queue, drops per reason, objects per kind. */
#ifndef _IPOIB_STATS_H
#define _IPOIB_STATS_H

#include <linux/atomic.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/u64_stats_sync.h>

/*
 * Reasons to drop a packet, with their names in ethtool -S and in the ipoib_drop tracepoint. TX
 * reasons come first. RX_OWN is no loss: the filter for the interface's own multicast works.
 */
#define IPOIB_DROP_REASONS(R)					\
	R(TX_MALFORMED, tx_malformed)	/* no link-layer header */	\
	R(TX_UNKNOWN_PROTO, tx_unknown_proto)	/* EtherType that IPoIB does not carry */	\
	R(TX_TOO_LONG, tx_too_long)	/* longer than the MTU of the path */	\
	R(TX_NO_PEER, tx_no_peer)	/* invalid address, closed table or no memory */	\
	R(TX_NO_PATH, tx_no_path)	/* the peer cannot be reached */	\
	R(TX_NO_MEMBER, tx_no_member)	/* nobody has joined the group */	\
	R(TX_QUEUE_FULL, tx_queue_full)	/* too much waits for a path or connection */	\
	R(TX_NO_MEMORY, tx_no_memory)	/* copy, linearisation or pull failed */	\
	R(TX_MAP, tx_map)		/* DMA mapping failed */	\
	R(TX_POST, tx_post)		/* the HCA refused the work request */	\
	R(TX_FLUSHED, tx_flushed)	/* the QP was stopped or failed first */	\
	R(TX_STALLED, tx_stalled)	/* the peer of a connection is too slow */	\
	R(TX_DOWN, tx_down)		/* interface not running */	\
	R(RX_RUNT, rx_runt)		/* shorter than its headers */	\
	R(RX_OVERSIZE, rx_oversize)	/* longer than the MTU of link or connection */	\
	R(RX_UNKNOWN_PROTO, rx_unknown_proto)	/* EtherType that IPoIB does not carry */	\
	R(RX_CONN_ARP, rx_conn_arp)	/* ARP, or ND that is not believed, by a connection */	\
	R(RX_NO_GRH, rx_no_grh)		/* IPv4 header in place of a GRH */	\
	R(RX_OWN, rx_own)		/* own multicast looped back */	\
	R(RX_NO_MEMORY, rx_no_memory)	/* no memory for an skb */	\
	R(RX_ERROR, rx_error)		/* receive completed with error */	\
	R(RX_DOWN, rx_down)		/* interface was stopped */

#define IPOIB_DROP_ENUM(_upper, _lower)	IPOIB_DROP_##_upper,
enum ipoib_drop_reason {
	IPOIB_DROP_REASONS(IPOIB_DROP_ENUM)
	IPOIB_DROP_COUNT
};

#undef IPOIB_DROP_ENUM

/* Counters of a send queue, with their names in ethtool -S. */
#define IPOIB_TX_COUNTERS(C)					\
	C(PACKETS, packets)	/* packets posted */		\
	C(BYTES, bytes)		/* octets of these, encapsulation header included */	\
	C(DOORBELLS, doorbells)	/* calls of ib_post_send() */	\
	C(SIGNALED, signaled)	/* work requests that asked for a completion */	\
	C(STOPS, stops)		/* times the queue was full */	\
	C(SEGMENTED, segmented)	/* packets that the HCA cut; the segments count as packets, too */

/* Counters of a receive queue, likewise. */
#define IPOIB_RX_COUNTERS(C)					\
	C(PACKETS, packets)	/* packets given to the stack */	\
	C(BYTES, bytes)		/* octets of these, encapsulation header included */	\
	C(MULTICAST, multicast)	/* those of the packets that were sent to a group */	\
	C(POLLS, polls)		/* NAPI polls */		\
	C(POSTS, posts)		/* calls of ib_post_recv() */	\
	C(COPIED, copied)	/* packets that were copied, so that their buffer stayed */	\
	C(ALLOC_FAILED, alloc_failed)	/* failed allocations of receive pages */	\
	C(UNSUMMED, unsummed)	/* packets whose checksum the peer has left to the link */

#define IPOIB_TX_COUNT(_upper, _lower)	IPOIB_TX_##_upper,
#define IPOIB_RX_COUNT(_upper, _lower)	IPOIB_RX_##_upper,
enum ipoib_tx_counter {
	IPOIB_TX_COUNTERS(IPOIB_TX_COUNT)
	IPOIB_TX_COUNTS
};

enum ipoib_rx_counter {
	IPOIB_RX_COUNTERS(IPOIB_RX_COUNT)
	IPOIB_RX_COUNTS
};

/*
 * Counters of a send queue, each by its name and by its number in enum ipoib_tx_counter. Written
 * only under the TX lock of the queue, or for connections under the lock of their bundle. @syncp
 * lets 32-bit readers see whole values.
 */
#define IPOIB_COUNTER_FIELD(_upper, _lower)	u64_stats_t _lower;
struct ipoib_tx_stats {
	union {
		struct { IPOIB_TX_COUNTERS(IPOIB_COUNTER_FIELD) };
		u64_stats_t count[IPOIB_TX_COUNTS];
	};
	struct u64_stats_sync syncp;
};

/*
 * Counters of a receive queue, likewise. Written only by the NAPI instance of the queue. The
 * counters of connections exist once per CPU, because the connections without a shared receive
 * queue have a NAPI instance each.
 */
struct ipoib_rx_stats {
	union {
		struct { IPOIB_RX_COUNTERS(IPOIB_COUNTER_FIELD) };
		u64_stats_t count[IPOIB_RX_COUNTS];
	};
	struct u64_stats_sync syncp;
};

#undef IPOIB_TX_COUNT
#undef IPOIB_RX_COUNT
#undef IPOIB_COUNTER_FIELD

/**
 * struct ipoib_drops_cpu - drops counted by one CPU
 * @count: packets, by reason
 * @syncp: lets 32-bit readers see whole values
 */
struct ipoib_drops_cpu {
	u64_stats_t count[IPOIB_DROP_COUNT];
	struct u64_stats_sync syncp;
};

/**
 * struct ipoib_drops - drop counters of an interface
 * @name: name of the interface, for the tracepoint; points into net_device
 * @cpu: one set of counters per CPU
 */
struct ipoib_drops {
	const char *name;
	struct ipoib_drops_cpu __percpu *cpu;
};

int ipoib_drops_init(struct ipoib_drops *drops, const char *name);
void ipoib_drops_exit(struct ipoib_drops *drops);
void ipoib_drops_read(const struct ipoib_drops *drops,
		      u64 sum[IPOIB_DROP_COUNT]);
void ipoib_tx_stats_add(const struct ipoib_tx_stats *stats, u64 sum[IPOIB_TX_COUNTS]);
void ipoib_rx_stats_add(const struct ipoib_rx_stats *stats, u64 sum[IPOIB_RX_COUNTS]);
void ipoib_rx_stats_add_cpus(const struct ipoib_rx_stats __percpu *stats,
			     u64 sum[IPOIB_RX_COUNTS]);

const char *ipoib_drop_name(enum ipoib_drop_reason reason);

void ipoib_drop(struct ipoib_drops *drops, enum ipoib_drop_reason reason,
		unsigned int len);
void ipoib_drop_skb(struct ipoib_drops *drops, enum ipoib_drop_reason reason,
		    struct sk_buff *skb);

/**
 * struct ipoib_refused - counts of REQs that were refused, by reason
 * @stale: there is a connection to the peer, and the peer is known to have it
 * @elsewhere: the connection leads to another port than that of the node that it names; counts
 *	established connections that are closed for this reason, too
 * @full: there are as many connections as allowed, in total or for that port
 * @foreign: the REQ is of another partition, or on RoCE for another GID of the port
 * @kind: RC, UC or the service ID is one that is not taken, or not from that peer
 * @malformed: its private data names no receive MTU or no queue pair of an interface
 */
struct ipoib_refused {
	atomic_t stale;
	atomic_t elsewhere;
	atomic_t full;
	atomic_t foreign;
	atomic_t kind;
	atomic_t malformed;
};

/* Kinds of objects whose creation and destruction is counted. */
enum ipoib_object {
	IPOIB_OBJ_DEV,
	IPOIB_OBJ_QP,
	IPOIB_OBJ_AH,
	IPOIB_OBJ_PEER,
	IPOIB_OBJ_CONN,
	IPOIB_OBJ_MCAST,
	IPOIB_OBJ_REQUEST,
	IPOIB_OBJ_RXPAGE,
	IPOIB_OBJ_CONN_SET,
	IPOIB_OBJ_CM_ID,
	IPOIB_OBJECTS
};

void ipoib_object_created(enum ipoib_object kind);
void ipoib_object_destroyed(enum ipoib_object kind);
void ipoib_objects_add(enum ipoib_object kind, u64 created, u64 destroyed);
void ipoib_objects_read(enum ipoib_object kind, const char **name,
			u64 *created, u64 *destroyed);
void ipoib_objects_exit(void);

/* Packets that @skb is on the wire: each segment that the HCA would cut it into. */
static inline unsigned int ipoib_skb_packets(const struct sk_buff *skb)
{
	return skb_is_gso(skb) ? max_t(unsigned int, skb_shinfo(skb)->gso_segs, 1) : 1;
}

#endif /* _IPOIB_STATS_H */
