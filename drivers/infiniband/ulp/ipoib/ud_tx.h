/* SPDX-License-Identifier: GPL-2.0 */
/* Send ring of a UD QP. */
#ifndef _IPOIB_UD_TX_H
#define _IPOIB_UD_TX_H

#include <linux/netdevice.h>

#include "ah.h"
#include "apart.h"
#include "moder.h"
#include "qp.h"
#include "txring.h"

/* Packets on the ring, unless the user sets a lower number. */
#define IPOIB_UD_TX_SLOTS	256

struct ipoib_conn_tx;

/**
 * enum ipoib_ud_tx_drain - what is waited for
 * @IPOIB_UD_TX_DRAIN_NOT: nothing
 * @IPOIB_UD_TX_DRAIN_TOLD: packets that a completion will tell of
 * @IPOIB_UD_TX_DRAIN_ALL: all packets
 */
enum ipoib_ud_tx_drain {
	IPOIB_UD_TX_DRAIN_NOT,
	IPOIB_UD_TX_DRAIN_TOLD,
	IPOIB_UD_TX_DRAIN_ALL,
};

/**
 * struct ipoib_ud_tx - send ring of one queue
 * @ring: send ring; the producer holds the TX lock, the consumer is @napi
 * @stats: counters; TX lock
 * @to: where the packet goes that is just being put on the ring; TX lock. Its Q_Key, that of the
 *	link, is constant while running
 * @running: packets are accepted; written under the TX lock
 * @unflushed: packets of this queue may wait for the doorbell in that bundle; TX lock
 * @refused_bytes: octets that BQL was told of but the HCA refused
 * @napi: polls the send CQ
 * @wc: completions of one ib_poll_cq(); only @napi uses it
 * @moder: moderation of the send CQ
 * @dev: the interface
 * @txq: queue of @dev
 * @qp: the QP
 * @drops: drop counters of the interface
 * @bin: retired address handles of the interface, which sends on the ring may still use
 * @failure: bit of ipoib_dev.pending that has the QP brought back; constant
 * @failed: the QP has failed; who makes another one clears it; any context
 * @draining: what ipoib_ud_tx_drain() waits for
 * @drained: completed by @napi when that is so
 *
 * Part of an interface. The slots exist only while the interface is running.
 */
struct ipoib_ud_tx {
	struct ipoib_txring ring;
	struct ipoib_tx_stats stats;
	struct ipoib_tx_to to;
	bool running;
	struct ipoib_conn_tx *unflushed;

	atomic_t refused_bytes;

	struct napi_struct napi;
	struct ib_wc wc[IPOIB_POLL_BATCH];
	struct ipoib_moder moder;
	struct net_device *dev;
	struct netdev_queue *txq;
	struct ipoib_qp *qp;
	struct ipoib_drops *drops;
	struct ipoib_ah_bin *bin;
	unsigned int failure;
	bool failed;

	enum ipoib_ud_tx_drain draining;
	struct completion drained;
};

static_assert(IPOIB_HAS_ITS_LINES(struct ipoib_ud_tx));
static_assert(IPOIB_APART(struct ipoib_ud_tx, stats, napi));

void ipoib_ud_tx_init(struct ipoib_ud_tx *tx);
void ipoib_ud_tx_exit(struct ipoib_ud_tx *tx);
int ipoib_ud_tx_alloc(struct ipoib_ud_tx *tx, u32 slots);
void ipoib_ud_tx_free(struct ipoib_ud_tx *tx);
void ipoib_ud_tx_start(struct ipoib_ud_tx *tx, u32 qkey);
void ipoib_ud_tx_stop(struct ipoib_ud_tx *tx);
bool ipoib_ud_tx_drain(struct ipoib_ud_tx *tx, unsigned long deadline);
void ipoib_ud_tx_halt(struct ipoib_ud_tx *tx);
void ipoib_ud_tx_purge(struct ipoib_ud_tx *tx);
void ipoib_ud_tx_failed(struct ipoib_ud_tx *tx);

void ipoib_ud_tx_refused(struct ipoib_ud_tx *tx, struct ipoib_tx_posted posted);
void ipoib_ud_tx_full(struct ipoib_ud_tx *tx);
void ipoib_ud_tx_drop(struct ipoib_ud_tx *tx, struct sk_buff *skb);

/* ipoib_ud_tx_has_room() returns true if a packet can be sent now; the caller holds the TX lock. */
static inline bool ipoib_ud_tx_has_room(const struct ipoib_ud_tx *tx)
{
	return tx->running && ipoib_ring_space(&tx->ring.ring);
}

/*
 * ipoib_ud_tx_flush() posts the batch if there is one; the caller holds the TX lock. A ring that
 * has been stopped may have none: ipoib_peer_answer() flushes even then. If BQL has stopped the
 * queue, it waits for the end of the batch.
 */
static inline void ipoib_ud_tx_flush(struct ipoib_ud_tx *tx)
{
	struct ipoib_tx_posted posted;

	if (!tx->running || !tx->ring.batch->count)
		return;

	/* Tell BQL before posting, because the completion may come at once. */
	netdev_tx_sent_queue(tx->txq, tx->ring.batch->bytes);
	posted = ipoib_txring_post(&tx->ring, netif_xmit_stopped(tx->txq));
	if (unlikely(posted.refused_bytes || !posted.whole))
		ipoib_ud_tx_refused(tx, posted);
}

/**
 * ipoib_ud_tx_send - send a packet
 * @tx: the ring
 * @skb: packet from its encapsulation header on; consumed
 * @ah: address handle of the destination. RCU keeps it valid until the batch is flushed; from
 *	then on ipoib_ah_retire() does not free it before the packet has completed
 * @qpn: QPN of the destination
 *
 * The packet is posted by ipoib_ud_tx_flush(), which this calls if ring or batch is full.
 *
 * Context: TX lock held, bottom halves off, under RCU.
 */
static inline void ipoib_ud_tx_send(struct ipoib_ud_tx *tx, struct sk_buff *skb,
				    struct ipoib_ah *ah, u32 qpn)
{
	if (unlikely(!ipoib_ud_tx_has_room(tx))) {
		ipoib_ud_tx_drop(tx, skb);
		return;
	}
	tx->to.ah = ah->ib;
	tx->to.qpn = qpn;
	if (unlikely(!ipoib_txring_add(&tx->ring, skb, &tx->to)))
		return;
	if (unlikely(tx->ring.batch->count == IPOIB_TX_BATCH ||
		     !ipoib_ring_space(&tx->ring.ring)))
		ipoib_ud_tx_full(tx);
}

#endif /* _IPOIB_UD_TX_H */
