/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Receiving over connections: a few receive queues that they share, or one for each if the RDMA
 * device has none to share.
 */
#ifndef _IPOIB_CONN_RX_H
#define _IPOIB_CONN_RX_H

#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/sizes.h>

#include "apart.h"
#include "dma.h"
#include "moder.h"
#include "qp.h"
#include "stats.h"

/*
 * Number of buffers that connections share; of each queue half the least number will do where there
 * are several. A peer may send the beginning of a message on each connection and so hold a buffer
 * for as long as it likes; IPOIB_CONN_RX_SPARE more are for messages that are completed. That is so
 * on average of several queues, and where connections are not too many; in any case those to one
 * port leave buffers to others, see has_room_for().
 */
#define IPOIB_CONN_RX_SPARE	16u
#define IPOIB_CONN_RX_SLOTS_MIN	64
#define IPOIB_CONN_RX_SLOTS_MAX	256

/* Number of buffers of a connection without a shared receive queue. */
#define IPOIB_CONN_RX_OWN_SLOTS	16

/* RFC 4755 section 5.1: 65520 octets of IP and the encapsulation header. */
#define IPOIB_CONN_MAX_MESSAGE	65524u

/* Pages of a buffer. */
#define IPOIB_CONN_RX_PAGES	DIV_ROUND_UP(IPOIB_CONN_MAX_MESSAGE, PAGE_SIZE)

/*
 * Pages that are one piece of a buffer, but for as many at its beginning: a message that is not
 * long should not take so much along. If there is no memory for a block, its pages are pieces.
 */
#define IPOIB_CONN_RX_BLOCK	DIV_ROUND_UP(SZ_16K, PAGE_SIZE)

/* Number of buffers that are posted with one call. */
#define IPOIB_CONN_RX_BATCH	8

struct ipoib_conn_set;

/**
 * struct ipoib_conn_rx_slot - one receive buffer
 * @page: pages of the buffer; of a block only the first is used
 * @blocks: which parts of the buffer, of IPOIB_CONN_RX_BLOCK pages each, are a block
 * @sge: the pieces for the HCA
 * @pieces: how many entries of @sge are used
 * @complete: no piece is missing: none has gone up with a packet, and all were allocated
 */
struct ipoib_conn_rx_slot {
	struct ipoib_rx_page page[IPOIB_CONN_RX_PAGES];
	unsigned int blocks;
	struct ib_sge sge[IPOIB_CONN_RX_PAGES];
	unsigned int pieces;
	bool complete;
};

/**
 * struct ipoib_conn_rx - receive queue of connections of an interface, or of one
 * @set: the set of the connections; constant while the queue is open
 * @users: connections that use the queue, if it is shared; the set's @rings_lock
 * @slots: array of buffers
 * @nslots: number of @slots; constant
 * @free: numbers of the slots that are not posted
 * @nfree: number of entries in @free
 * @pages: pages of a buffer; constant
 * @wr: work requests for one batch of buffers, chained
 * @pool: pool of receive pages
 * @stats: counters of the interface, one set per CPU
 * @srq: the shared receive queue; NULL if the device has none or @rx is not open
 * @srq_lock: protects @srq from being destroyed while its limit is set
 * @qp: the one QP that the queue belongs to; NULL if it is shared
 * @running: the poll may run, and post
 * @flushed: @qp is in error and flushes its buffers: refill() posts none
 * @emptied: how often a poll found @cq empty
 * @cq: completion queue
 * @napi: polls @cq
 * @wc: completions of one batch of a poll
 * @alone: the poll has only one completion
 * @moder: moderation of @cq
 * @retry: retry_work(): polls again after a refill without memory, and arms the limit event
 *
 * While @napi is enabled, all but the constant fields and @moder belong to it; others read @nfree
 * and @emptied, too. @moder is ready before the queue is opened, until after it is closed.
 */
struct ipoib_conn_rx {
	struct ipoib_conn_set *set;
	unsigned int users;
	struct ipoib_conn_rx_slot *slots;
	unsigned int nslots;
	u16 free[IPOIB_CONN_RX_SLOTS_MAX];
	unsigned int nfree;
	unsigned int pages;
	struct ib_recv_wr wr[IPOIB_CONN_RX_BATCH];
	struct ipoib_rx_pool pool;
	struct ipoib_rx_stats __percpu *stats;

	struct ib_srq *srq;
	struct mutex srq_lock;	/* keeps srq; not needed to post */
	struct ib_qp *qp;
	bool running;
	bool flushed;
	u32 emptied;
	struct ib_cq *cq;
	struct napi_struct napi;
	struct ib_wc wc[IPOIB_POLL_BATCH];
	bool alone;
	struct ipoib_moder moder;
	struct delayed_work retry;
} ____cacheline_aligned_in_smp;

static_assert(IPOIB_HAS_ITS_LINES(struct ipoib_conn_rx));

bool ipoib_conn_rx_shared(const struct ib_device *ibdev);
unsigned int ipoib_conn_rx_slots(const struct ipoib_conn_set *set);
int ipoib_conn_rx_open(struct ipoib_conn_rx *rx, struct ipoib_conn_set *set);
void ipoib_conn_rx_run(struct ipoib_conn_rx *rx, struct ib_qp *qp);
void ipoib_conn_rx_drain(struct ipoib_conn_rx *rx);
void ipoib_conn_rx_halt(struct ipoib_conn_rx *rx);
void ipoib_conn_rx_close(struct ipoib_conn_rx *rx);

#endif /* _IPOIB_CONN_RX_H */
