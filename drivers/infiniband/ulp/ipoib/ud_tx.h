/* SPDX-License-Identifier: GPL-2.0 */
/* Sending over the UD QP: ring, batches, completions. */
#ifndef _IPOIB_UD_TX_H
#define _IPOIB_UD_TX_H

#include <linux/netdevice.h>

#include "qp.h"
#include "txring.h"
#include "users.h"

/* Packets on the ring. */
#define IPOIB_UD_TX_SLOTS	256

/**
 * struct ipoib_ud_tx - send ring of one queue
 * @ring: producer: TX lock; consumer: @napi
 * @qkey: Q_Key of the link; constant while running
 * @running: sends are accepted; written under the TX lock
 * @held: does somebody else hold the queue? TX lock
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
	struct ipoib_txring ring;
	u32 qkey;
	bool running;
	bool (*held)(void *ctx);
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
	return tx->running && ipoib_ring_space(&tx->ring.ring);
}

#endif /* _IPOIB_UD_TX_H */
