/* SPDX-License-Identifier: GPL-2.0 */
/* Send ring of the UD QP, and the address handles that its sends use. */
#ifndef _IPOIB_UD_TX_H
#define _IPOIB_UD_TX_H

#include <linux/netdevice.h>

#include "moder.h"
#include "qp.h"
#include "txring.h"
#include "usecnt.h"

/* Most packets on the ring. */
#define IPOIB_UD_TX_SLOTS	256

/**
 * struct ipoib_ud_tx - send ring of one queue
 * @ring: send ring; the producer holds the TX lock, the consumer is @napi
 * @qkey: Q_Key of the link; constant while running
 * @running: packets are accepted; written under the TX lock
 * @stats: counters; TX lock
 * @refused_bytes: octets that BQL was told of but the HCA refused
 * @napi: polls the send CQ
 * @wc: completions of one ib_poll_cq(); only @napi uses it
 * @moder: moderation of the send CQ
 * @dev: the interface
 * @txq: queue of @dev
 * @qp: the QP
 * @drops: drop counters of the interface
 * @users: users of the interface; each retired address handle counts as one
 * @wq: runs @reap
 * @draining: ipoib_ud_tx_drain() waits for @drained
 * @drained: completed by @napi when every packet that can complete has done so
 * @retired_lock: protects @retired
 * @retired: retired address handles that sends on the ring may still use
 * @reap: frees those of @retired that no send uses any more
 *
 * Part of an interface. The slots exist only while the interface is running.
 */
struct ipoib_ud_tx {
	struct ipoib_txring ring;
	u32 qkey;
	bool running;
	struct ipoib_tx_stats stats;

	atomic_t refused_bytes;

	struct napi_struct napi;
	struct ib_wc wc[IPOIB_POLL_BATCH];
	struct ipoib_moder moder;
	struct net_device *dev;
	struct netdev_queue *txq;
	struct ipoib_qp *qp;
	struct ipoib_drops *drops;
	struct ipoib_usecnt *users;
	struct workqueue_struct *wq;

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
void ipoib_ud_tx_halt(struct ipoib_ud_tx *tx);
void ipoib_ud_tx_purge(struct ipoib_ud_tx *tx);

void ipoib_ud_tx_send(struct ipoib_ud_tx *tx, struct sk_buff *skb,
		      struct ipoib_ah *ah, u32 qpn);
void ipoib_ud_tx_flush(struct ipoib_ud_tx *tx);
void ipoib_ud_tx_retire(struct ipoib_ud_tx *tx, struct ipoib_ah *ah);

/* ipoib_ud_tx_has_room() returns true if a packet can be sent now; the caller holds the TX lock. */
static inline bool ipoib_ud_tx_has_room(const struct ipoib_ud_tx *tx)
{
	return tx->running && ipoib_ring_space(&tx->ring.ring);
}

#endif /* _IPOIB_UD_TX_H */
