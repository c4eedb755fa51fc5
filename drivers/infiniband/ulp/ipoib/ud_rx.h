/* SPDX-License-Identifier: GPL-2.0 */
/* Receive ring of the UD QP: buffers, refill, and the way of a packet to the stack. */
#ifndef _IPOIB_UD_RX_H
#define _IPOIB_UD_RX_H

#include <linux/netdevice.h>

#include "apart.h"
#include "dma.h"
#include "moder.h"
#include "qp.h"
#include "ring.h"
#include "stats.h"
#include "wire.h"

/* Buffers on the ring, unless the user sets another number. The HCA drops what finds none. */
#define IPOIB_UD_RX_SLOTS	256

/* The user may set so many. A QP is made for them all: another one would have another address. */
#define IPOIB_UD_RX_SLOTS_MAX	1024

/*
 * So many buffers share contiguous memory: 4.5 KiB each for InfiniBand's MTU, 10.5 for that of
 * Omni-Path, or a little more where an skb has more fragments. One that stays on the ring holds
 * what it shares with others, which may be gone.
 */
#define IPOIB_UD_RX_SHARE	3

/*
 * Most scatter/gather entries of a buffer that is not in one piece: the head page, which also has
 * room for the skb_shared_info, and the tail pages.
 */
#define IPOIB_UD_RX_TAILS	2
#define IPOIB_UD_RX_SGE		(1 + IPOIB_UD_RX_TAILS)

/* Most buffers that are posted with one call of ib_post_recv(). */
#define IPOIB_UD_RX_BATCH	16

/**
 * struct ipoib_ud_rx_slot - one receive buffer
 * @wr: work request that posts the buffer, chained to that of the slot that follows on the ring
 * @sge: the memory for the HCA; @num_sge of @wr says how many are used
 * @page: the same for the CPU; the first one, the head, becomes the linear part of an skb, and the
 *	others hold the rest of a packet that does not fit into it. A buffer that has a head is
 *	complete
 *
 * The head is a piece that has room for the longest packet, or if there was no memory for one, a
 * page that tails are used with.
 */
struct ipoib_ud_rx_slot {
	struct ib_recv_wr wr;
	struct ib_sge sge[IPOIB_UD_RX_SGE];
	struct ipoib_rx_page page[IPOIB_UD_RX_SGE];
};

/**
 * struct ipoib_ud_rx_self - addresses and MTU of the running interface
 * @qpn: QPN of the interface
 * @gid: GID of the interface
 * @broadcast: MGID of the broadcast group
 * @max_len: longest IP packet that may come, octets
 * @lids: the network has LIDs, so the LID of a sender means something
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
 * @ring: indices of the posted buffers. refill() is the producer and rx_complete() the consumer,
 *	both in @napi
 * @slots: one slot per buffer
 * @pool: pool of pages
 * @longest: longest packet that the port can receive, octets; constant
 * @piece: length of the memory of a buffer that is in one piece, octets; constant
 * @tails: tail pages of a buffer that is not; constant
 * @tail_len: length of each tail, octets; constant
 * @self: addresses of the interface; constant while running, except @max_len
 * @epoch: number of starts, upper half of a wr_id; constant while running
 * @running: refill() posts buffers; cleared when the QP has failed or is to be stopped
 * @stats: counters; only @napi writes them
 * @napi: polls the receive CQ
 * @wc: completions of one ib_poll_cq(); only @napi uses it
 * @alone: the present poll has found one completion only; only @napi uses it
 * @moder: moderation of the receive CQ
 * @dev: the interface
 * @qp: the QP
 * @drops: drop counters of the interface
 * @wq: runs @retry
 * @draining: ipoib_ud_rx_drain() waits for @drained
 * @drained: completed by @napi when no buffer is posted any more
 * @retry: schedules a poll after a refill that found no memory
 *
 * Part of an interface. The slots exist only while the interface is running.
 */
struct ipoib_ud_rx {
	struct ipoib_ring ring;
	struct ipoib_ud_rx_slot *slots;
	struct ipoib_rx_pool pool;
	unsigned int longest;
	unsigned int piece;
	unsigned int tails;
	unsigned int tail_len[IPOIB_UD_RX_TAILS];
	struct ipoib_ud_rx_self self;
	u32 epoch;
	bool running;
	struct ipoib_rx_stats stats;

	struct napi_struct napi;
	struct ib_wc wc[IPOIB_POLL_BATCH];
	bool alone;
	struct ipoib_moder moder;
	struct net_device *dev;
	struct ipoib_qp *qp;
	struct ipoib_drops *drops;
	struct workqueue_struct *wq;

	bool draining;
	struct completion drained;
	struct delayed_work retry;
};

static_assert(IPOIB_HAS_ITS_LINES(struct ipoib_ud_rx));

u32 ipoib_ud_rx_most(const struct ib_device *ibdev);
unsigned int ipoib_ud_rx_sges(unsigned int longest);
void ipoib_ud_rx_init(struct ipoib_ud_rx *rx);
void ipoib_ud_rx_exit(struct ipoib_ud_rx *rx);
int ipoib_ud_rx_alloc(struct ipoib_ud_rx *rx, u32 slots);
void ipoib_ud_rx_free(struct ipoib_ud_rx *rx);
void ipoib_ud_rx_start(struct ipoib_ud_rx *rx,
		       const struct ipoib_ud_rx_self *self);
void ipoib_ud_rx_stop(struct ipoib_ud_rx *rx);
bool ipoib_ud_rx_drain(struct ipoib_ud_rx *rx, unsigned long deadline);
void ipoib_ud_rx_halt(struct ipoib_ud_rx *rx);
void ipoib_ud_rx_purge(struct ipoib_ud_rx *rx);

/* Change the link's MTU, also while the ring runs. */
static inline void ipoib_ud_rx_set_max_len(struct ipoib_ud_rx *rx,
					   unsigned int max_len)
{
	WRITE_ONCE(rx->self.max_len, max_len);
}

#endif /* _IPOIB_UD_RX_H */
