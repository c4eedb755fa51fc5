/* SPDX-License-Identifier: GPL-2.0 */
/* Receiving over the UD QP: buffers, refill, from completion to stack. */
#ifndef _IPOIB_UD_RX_H
#define _IPOIB_UD_RX_H

#include <linux/netdevice.h>

#include "dma.h"
#include "qp.h"
#include "ring.h"
#include "stats.h"
#include "wire.h"

/* Buffers posted; an HCA drops what finds none. */
#define IPOIB_UD_RX_SLOTS	256

/* Pieces of a buffer: what fits beside an skb in one page, and the rest. */
#define IPOIB_UD_RX_SGE		2

/* Buffers posted with one call. */
#define IPOIB_UD_RX_BATCH	16

/**
 * struct ipoib_ud_rx_slot - one receive buffer
 * @head: page whose data become the linear part of an skb
 * @tail: where a packet goes on that is longer than that
 */
struct ipoib_ud_rx_slot {
	struct ipoib_rx_page head;
	struct ipoib_rx_page tail;
};

/**
 * struct ipoib_ud_rx_batch - receive work requests that go out together
 * @wr: chained
 * @sge: of each: head and tail
 */
struct ipoib_ud_rx_batch {
	struct ib_recv_wr wr[IPOIB_UD_RX_BATCH];
	struct ib_sge sge[IPOIB_UD_RX_BATCH][IPOIB_UD_RX_SGE];
};

/**
 * struct ipoib_ud_rx_self - what the interface is called while it runs
 * @qpn: own QPN
 * @gid: own GID
 * @broadcast: MGID of the broadcast group
 * @max_len: longest IP packet of the link, octets
 * @lids: senders are worth a look: the port has a LID and so have they
 */
struct ipoib_ud_rx_self {
	u32 qpn;
	union ib_gid gid;
	union ib_gid broadcast;
	unsigned int max_len;
	bool lids;
};

/**
 * struct ipoib_ud_rx - receive ring of one queue
 * @ring: buffers posted: produced by refill, consumed by completions, both
 *	in @napi
 * @slots: one per buffer
 * @batch: what refill posts; prepared when the ring gets its slots
 * @pool: pages
 * @self: constant while running, but for @max_len
 * @epoch: counts starts, upper half of a wr_id; constant while running
 * @running: buffers are posted; cleared when the QP has to be stopped
 * @fail_alloc: tests: so many page allocations fail
 * @stats: @napi
 * @napi: completions
 * @dev: the interface
 * @qp: the QP
 * @drops: drop counters of the interface
 * @wq: runs @retry
 * @heard: up-call: a node told its address, from this LID. NAPI context
 * @failed: up-call: buffers come back flushed, the QP is dead
 * @ctx: its context
 * @draining: somebody waits for @drained
 * @drained: completed by @napi when no buffer is posted any more
 * @retry: polls again after a refill without memory
 *
 * Part of an interface; slots exist while it is running.
 */
struct ipoib_ud_rx {
	struct ipoib_ring ring;
	struct ipoib_ud_rx_slot *slots;
	struct ipoib_ud_rx_batch batch;
	struct ipoib_rx_pool pool;
	struct ipoib_ud_rx_self self;
	u32 epoch;
	bool running;
	u32 fail_alloc;
	struct ipoib_rx_stats stats;

	struct napi_struct napi;
	struct net_device *dev;
	struct ipoib_qp *qp;
	struct ipoib_drops *drops;
	struct workqueue_struct *wq;
	void (*heard)(void *ctx, const struct ipoib_hwaddr *addr, u32 slid);
	void (*failed)(void *ctx);
	void *ctx;

	bool draining;
	struct completion drained;
	struct delayed_work retry;
};

void ipoib_ud_rx_init(struct ipoib_ud_rx *rx);
void ipoib_ud_rx_exit(struct ipoib_ud_rx *rx);
int ipoib_ud_rx_alloc(struct ipoib_ud_rx *rx);
void ipoib_ud_rx_free(struct ipoib_ud_rx *rx);
void ipoib_ud_rx_start(struct ipoib_ud_rx *rx,
		       const struct ipoib_ud_rx_self *self);
void ipoib_ud_rx_stop(struct ipoib_ud_rx *rx);
bool ipoib_ud_rx_drain(struct ipoib_ud_rx *rx, unsigned long deadline);
void ipoib_ud_rx_purge(struct ipoib_ud_rx *rx);

/* The link's MTU changed while the ring runs. */
static inline void ipoib_ud_rx_set_max_len(struct ipoib_ud_rx *rx,
					   unsigned int max_len)
{
	WRITE_ONCE(rx->self.max_len, max_len);
}

#endif /* _IPOIB_UD_RX_H */
