/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Receiving over connections: one shared receive queue for all of them, or one
 * for each if the RDMA device has none to share.
 */
#ifndef _IPOIB_CM_RX_H
#define _IPOIB_CM_RX_H

#include <linux/mutex.h>
#include <linux/netdevice.h>

#include "dma.h"
#include "stats.h"

/* Messages that find a buffer before one of them has been taken away. */
#define IPOIB_CM_RX_SLOTS	64

/* The same of a connection that shares with nobody. */
#define IPOIB_CM_RX_OWN_SLOTS	16

/* RFC 4755 section 5.1: 65520 octets of IP and the encapsulation header. */
#define IPOIB_CM_MAX_MESSAGE	65524u

/* Pieces of a buffer, each a page. */
#define IPOIB_CM_RX_PAGES	DIV_ROUND_UP(IPOIB_CM_MAX_MESSAGE, PAGE_SIZE)

/* Buffers posted with one call. */
#define IPOIB_CM_RX_BATCH	8

/**
 * struct ipoib_cm_rx_slot - one receive buffer
 * @page: its pieces
 */
struct ipoib_cm_rx_slot {
	struct ipoib_rx_page page[IPOIB_CM_RX_PAGES];
};

/**
 * struct ipoib_cm_rx - receive queue of all connections of an interface, or one
 * @slots: one per buffer
 * @nslots: how many; constant
 * @free: numbers of those that are not posted
 * @nfree: how many
 * @pages: pieces that a buffer has; constant
 * @wr: what refill posts, chained
 * @sge: of each
 * @pool: pages
 * @stats: counters, one set per CPU; not owned
 * @srq: the queue, if it is shared; NULL while it is not open
 * @srq_lock: protects @srq from being destroyed while its limit is set
 * @qp: the one QP that it belongs to; NULL if it is shared
 * @running: the poll may run, and post
 * @flushed: @qp is in error and gives its buffers back: no refill
 * @emptied: times that @cq was seen empty
 * @cq: its completions
 * @napi: polls @cq
 * @dev: the interface
 * @pd: protection domain
 * @drops: drop counters of the interface
 * @wq: runs @retry
 * @fail_alloc: tests: so many page allocations fail; not owned
 * @heard: up-call: a message came by this QP. NAPI context
 * @failed: up-call: this QP has failed. NAPI context
 * @ctx: their context
 * @retry: polls again after a refill without memory, and asks for the limit event
 *
 * All but the constant fields belong to @napi while it is enabled; @nfree and
 * @emptied are looked at by others, too.
 */
struct ipoib_cm_rx {
	struct ipoib_cm_rx_slot *slots;
	unsigned int nslots;
	u16 free[IPOIB_CM_RX_SLOTS];
	unsigned int nfree;
	unsigned int pages;
	struct ib_recv_wr wr[IPOIB_CM_RX_BATCH];
	struct ib_sge sge[IPOIB_CM_RX_BATCH][IPOIB_CM_RX_PAGES];
	struct ipoib_rx_pool pool;
	struct ipoib_rx_stats __percpu *stats;

	struct ib_srq *srq;
	struct mutex srq_lock;	/* srq, but for posting */
	struct ib_qp *qp;
	bool running;
	bool flushed;
	u32 emptied;
	struct ib_cq *cq;
	struct napi_struct napi;
	struct net_device *dev;
	struct ib_pd *pd;
	struct ipoib_drops *drops;
	struct workqueue_struct *wq;
	u32 *fail_alloc;
	void (*heard)(void *ctx, const struct ib_qp *qp);
	void (*failed)(void *ctx, const struct ib_qp *qp);
	void *ctx;
	struct delayed_work retry;
};

u32 ipoib_cm_rx_mtu(const struct ib_device *ibdev);
bool ipoib_cm_rx_shared(const struct ib_device *ibdev);
int ipoib_cm_rx_open(struct ipoib_cm_rx *rx);
void ipoib_cm_rx_run(struct ipoib_cm_rx *rx, struct ib_qp *qp);
void ipoib_cm_rx_drain(struct ipoib_cm_rx *rx);
void ipoib_cm_rx_halt(struct ipoib_cm_rx *rx);
unsigned int ipoib_cm_rx_posted(const struct ipoib_cm_rx *rx);
void ipoib_cm_rx_close(struct ipoib_cm_rx *rx);

#endif /* _IPOIB_CM_RX_H */
