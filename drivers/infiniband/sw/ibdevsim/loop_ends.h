/* SPDX-License-Identifier: GPL-2.0 */
/* Two ends that messages go between: a queue pair on each of two devices. */
#ifndef _LOOP_ENDS_H
#define _LOOP_ENDS_H

#include <rdma/ib_verbs.h>

#define LOOP_DEPTH	16		/* of each queue */
#define LOOP_GRH_BYTES	40
#define LOOP_RECV_ID	BIT(31)		/* in the wr_id of a receive */
#define LOOP_QKEY	0x1bde0001
#define LOOP_PATIENCE	5		/* seconds */
#define LOOP_EVENTS	(IB_EVENT_WQ_FATAL + 1)

/**
 * struct loop_end - one end
 * @dev: device
 * @lid: of its port
 * @lmc: the port has 2^@lmc of them
 * @pd: protection domain
 * @lkey: key that is sent and received with
 * @cq: completions of both queues; polled
 * @srq: shared receive queue, if it was asked for
 * @qp: queue pair
 * @buf: LOOP_DEPTH buffers, @stride apart
 * @stride: octets of a buffer, GRH included
 * @dma: where the device finds @buf
 * @notified: calls of the completion handler
 * @soft: calls of either handler elsewhere than in a hard interrupt
 * @events: events of queue pair, completion queue and shared receive queue, by type
 */
struct loop_end {
	struct ib_device *dev;
	u16 lid;
	u8 lmc;
	struct ib_pd *pd;
	u32 lkey;
	struct ib_cq *cq;
	struct ib_srq *srq;
	struct ib_qp *qp;
	u8 *buf;
	u32 stride;
	u64 dma;
	atomic_t notified;
	atomic_t soft;
	atomic_t events[LOOP_EVENTS];
};

/**
 * struct loop_how - how two ends are connected
 * @type: of the queue pairs
 * @size: octets that a message may have
 * @srq: the receiver uses a shared receive queue
 * @retries: RC: times that a lost packet is sent again
 * @rnr_retries: RC: times that a receiver may be not ready, 7 for ever
 * @alternate: connected: there is another path, by the second LID of each port
 * @astray: the receiver takes it for one by other LIDs than the sender does
 * @misled: the receiver expects another LID than the sender's
 * @misdirected: the receiver's peer has another number than the sender
 * @narrow: the receiver's path has a smaller MTU than the sender's
 * @hollow: messages of no octets have a piece that has none
 * @mute: the receiver is not made ready to send
 * @lso: datagrams: both cut TCP segments
 * @max_inline: octets that the sender can have in a work request
 * @depth: of each queue of work, 0 for LOOP_DEPTH
 * @cqe: of each completion queue, 0 for room for all
 * @patient: RC: an answer may take seconds
 */
struct loop_how {
	enum ib_qp_type type;
	u32 size;
	bool srq;
	u8 retries;
	u8 rnr_retries;
	bool alternate;
	bool astray;
	bool misled;
	bool misdirected;
	bool narrow;
	bool hollow;
	bool mute;
	bool lso;
	u32 max_inline;
	u32 depth;
	u32 cqe;
	bool patient;
};

/**
 * struct loop_pair - two ends
 * @how: they are connected
 * @from: sender
 * @to: receiver
 * @ah: datagrams: the way
 * @qpn: datagrams: queue pair to send to
 * @qkey: datagrams: Q_Key to send with
 *
 * Whoever makes it zeroes it, sets @how and the devices of both ends, and frees
 * it with loop_free() even if loop_connect() failed.
 */
struct loop_pair {
	struct loop_how how;
	struct loop_end from;
	struct loop_end to;
	struct ib_ah *ah;
	u32 qpn;
	u32 qkey;
};

int loop_connect(struct loop_pair *pair);
int loop_aim(struct loop_pair *pair, struct rdma_ah_attr *attr, u32 qpn,
	     u32 qkey);
void loop_free(struct loop_pair *pair);
int loop_post_recv(struct loop_pair *pair, u32 slot, u32 len);
const u8 *loop_received(struct loop_pair *pair, u32 slot);
int loop_post_send(struct loop_pair *pair, u32 slot, u32 len, int flags);
int loop_post_lso(struct loop_pair *pair, u32 slot, u32 len, void *header, int hlen, int mss);

#endif /* _LOOP_ENDS_H */
