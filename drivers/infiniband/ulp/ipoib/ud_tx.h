/* SPDX-License-Identifier: GPL-2.0 */
/* Sending over the UD QP: ring, batches, completions. */
#ifndef _IPOIB_UD_TX_H
#define _IPOIB_UD_TX_H

#include <linux/netdevice.h>

#include "ah.h"
#include "dma.h"
#include "qp.h"
#include "ring.h"
#include "stats.h"
#include "users.h"

/* Packets on the ring; and how many go out with one doorbell at most. */
#define IPOIB_UD_TX_SLOTS	256
#define IPOIB_UD_TX_BATCH	32

/*
 * Every so many-th work request asks for a completion, the last of a batch
 * always does: an idle ring is an empty ring.
 */
#define IPOIB_UD_TX_SIGNAL	16

/**
 * struct ipoib_ud_tx_slot - one packet on its way
 * @skb: the packet
 * @map: its DMA addresses
 */
struct ipoib_ud_tx_slot {
	struct sk_buff *skb;
	u64 map[IPOIB_MAX_SGE];
};

/**
 * struct ipoib_ud_tx_wr - one work request being batched
 * @ud: as the provider takes it
 * @sge: its pieces
 */
struct ipoib_ud_tx_wr {
	struct ib_ud_wr ud;
	struct ib_sge sge[IPOIB_MAX_SGE];
};

/**
 * struct ipoib_ud_tx - send ring of one queue
 * @ring: producer: TX lock; consumer: @napi
 * @slots: one per packet
 * @batch: work requests that wait for the doorbell; TX lock
 * @batched: how many there are; TX lock
 * @batched_bytes: their octets, for BQL; TX lock
 * @batched_signaled: how many of them ask for a completion; TX lock
 * @unsignaled: posted since a completion was last asked for; TX lock
 * @max_sge: pieces that one work request may have; constant
 * @qkey: Q_Key of the link; constant while running
 * @epoch: counts starts, upper half of a wr_id; constant while running
 * @running: sends are accepted; written under the TX lock
 * @stats: TX lock
 * @refused_bytes: octets that BQL was told of but the HCA refused
 * @napi: completions
 * @dev: the interface
 * @txq: its queue
 * @qp: the QP
 * @drops: drop counters of the interface
 * @users: of the interface; each retired address handle is one
 * @wq: frees address handles
 * @failed: up-call: a send completed with an error, the QP is suspect
 * @ctx: its context
 * @draining: somebody waits for @drained
 * @drained: completed by @napi when the ring has run empty
 * @retired_lock: protects @retired
 * @retired: address handles that sends on the ring may name
 * @reap: frees those that none does any more
 *
 * Part of an interface; slots exist while it is running.
 */
struct ipoib_ud_tx {
	struct ipoib_ring ring;
	struct ipoib_ud_tx_slot *slots;
	struct ipoib_ud_tx_wr *batch;
	unsigned int batched;
	unsigned int batched_bytes;
	unsigned int batched_signaled;
	unsigned int unsignaled;
	unsigned int max_sge;
	u32 qkey;
	u32 epoch;
	bool running;
	struct ipoib_tx_stats stats;

	atomic_t refused_bytes;

	struct napi_struct napi;
	struct net_device *dev;
	struct netdev_queue *txq;
	struct ipoib_qp *qp;
	struct ipoib_drops *drops;
	struct ipoib_users *users;
	struct workqueue_struct *wq;
	void (*failed)(void *ctx);
	void *ctx;

	bool draining;
	struct completion drained;
	spinlock_t retired_lock;	/* retired */
	struct list_head retired;
	struct work_struct reap;
};

void ipoib_ud_tx_init(struct ipoib_ud_tx *tx);
void ipoib_ud_tx_exit(struct ipoib_ud_tx *tx);
int ipoib_ud_tx_alloc(struct ipoib_ud_tx *tx);
void ipoib_ud_tx_free(struct ipoib_ud_tx *tx);
void ipoib_ud_tx_start(struct ipoib_ud_tx *tx, u32 qkey);
void ipoib_ud_tx_stop(struct ipoib_ud_tx *tx);
bool ipoib_ud_tx_drain(struct ipoib_ud_tx *tx, unsigned long deadline);
void ipoib_ud_tx_purge(struct ipoib_ud_tx *tx);

void ipoib_ud_tx_send(struct ipoib_ud_tx *tx, struct sk_buff *skb,
		      struct ipoib_ah *ah, u32 qpn);
void ipoib_ud_tx_flush(struct ipoib_ud_tx *tx);
void ipoib_ud_tx_retire(struct ipoib_ud_tx *tx, struct ipoib_ah *ah);

/* Whether a packet can be sent now; TX lock held. */
static inline bool ipoib_ud_tx_has_room(const struct ipoib_ud_tx *tx)
{
	return tx->running && ipoib_ring_space(&tx->ring);
}

#endif /* _IPOIB_UD_TX_H */
