/* SPDX-License-Identifier: GPL-2.0 */
/* Packets on their way through a QP: slots, batches, completions. */
#ifndef _IPOIB_TXRING_H
#define _IPOIB_TXRING_H

#include "ah.h"
#include "dma.h"
#include "ring.h"
#include "stats.h"

/* Packets that go out with one doorbell at most. */
#define IPOIB_TX_BATCH	32

/*
 * Every so many-th work request asks for a completion, the last of a batch
 * always does: an idle ring is an empty ring.
 */
#define IPOIB_TX_SIGNAL	16

/**
 * struct ipoib_tx_slot - one packet on its way
 * @skb: the packet
 * @map: its DMA addresses
 */
struct ipoib_tx_slot {
	struct sk_buff *skb;
	u64 map[IPOIB_MAX_SGE];
};

/**
 * struct ipoib_tx_wr - one work request being batched
 * @ud: as the provider takes it; of a connection it reads only @ud.wr
 * @sge: its pieces
 */
struct ipoib_tx_wr {
	struct ib_ud_wr ud;
	struct ib_sge sge[IPOIB_MAX_SGE];
};

/**
 * struct ipoib_tx_batch - work requests that wait for the doorbell
 * @wr: chained
 * @count: how many there are
 * @bytes: their octets
 * @signaled: how many of them ask for a completion
 */
struct ipoib_tx_batch {
	struct ipoib_tx_wr wr[IPOIB_TX_BATCH];
	unsigned int count;
	unsigned int bytes;
	unsigned int signaled;
};

/**
 * struct ipoib_txring - send ring of one QP
 * @ring: producer: TX lock; consumer: NAPI
 * @slots: one per packet
 * @batch: what waits for the doorbell; TX lock. Rings may share one if each
 *	is flushed before the next is used
 * @unsignaled: posted since a completion was last asked for; TX lock
 * @max_sge: pieces that one work request may have; constant
 * @epoch: counts starts, upper half of a wr_id; constant while running
 * @qp: the QP; constant while running
 * @stats: TX lock
 * @drops: drop counters of the interface
 */
struct ipoib_txring {
	struct ipoib_ring ring;
	struct ipoib_tx_slot *slots;
	struct ipoib_tx_batch *batch;
	unsigned int unsignaled;
	unsigned int max_sge;
	u32 epoch;
	struct ib_qp *qp;
	struct ipoib_tx_stats *stats;
	struct ipoib_drops *drops;
};

/**
 * struct ipoib_tx_done - what completions have told
 * @packets: packets that are over
 * @bytes: their octets
 * @bad: one reported an error
 */
struct ipoib_tx_done {
	unsigned int packets;
	unsigned int bytes;
	bool bad;
};

/**
 * struct ipoib_tx_to - where a datagram goes; nothing for a connection
 * @ah: address handle
 * @qpn: QPN
 * @qkey: Q_Key
 */
struct ipoib_tx_to {
	struct ib_ah *ah;
	u32 qpn;
	u32 qkey;
};

bool ipoib_txring_add(struct ipoib_txring *tx, struct sk_buff *skb,
		      const struct ipoib_tx_to *to);
bool ipoib_txring_post(struct ipoib_txring *tx, unsigned int *refused_bytes);
void ipoib_txring_complete(struct ipoib_txring *tx, const struct ib_wc *wc,
			   int budget, struct ipoib_tx_done *done);
void ipoib_txring_purge(struct ipoib_txring *tx, struct ipoib_tx_done *done);

#endif /* _IPOIB_TXRING_H */
