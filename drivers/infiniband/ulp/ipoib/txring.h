/* SPDX-License-Identifier: GPL-2.0 */
/* Send ring of a QP: slots of packets, batches of work requests, completions. */
#ifndef _IPOIB_TXRING_H
#define _IPOIB_TXRING_H

#include <rdma/ib_verbs.h>

#include "apart.h"
#include "dma.h"
#include "ring.h"
#include "stats.h"
#include "wire.h"

/* Most packets that are posted with one call of ib_post_send(). */
#define IPOIB_TX_BATCH	32

/*
 * Every IPOIB_TX_SIGNAL-th work request asks for a completion. The last of a batch always does,
 * so that all slots are free when the ring is idle.
 */
#define IPOIB_TX_SIGNAL	16

/**
 * struct ipoib_tx_slot - one packet on the ring
 * @skb: the packet
 * @map: DMA addresses of @skb
 */
struct ipoib_tx_slot {
	struct sk_buff *skb;
	u64 map[IPOIB_MAX_SGE];
};

/**
 * struct ipoib_tx_wr - one work request of a batch
 * @ud: the work request; for a connection the provider reads only @ud.wr
 * @sge: scatter/gather entries of @ud
 */
struct ipoib_tx_wr {
	struct ib_ud_wr ud;
	struct ib_sge sge[IPOIB_MAX_SGE];
};

/**
 * struct ipoib_tx_batch - work requests that wait for the doorbell
 * @wr: the work requests, chained
 * @count: work requests in @wr
 * @bytes: octets of their packets
 * @signaled: work requests in @wr that ask for a completion
 * @segmented: work requests in @wr whose packets the HCA cuts into segments
 * @more_packets: how many more packets than @count leave the HCA for that
 * @more_bytes: how many more octets than @bytes they have, by their headers
 */
struct ipoib_tx_batch {
	struct ipoib_tx_wr wr[IPOIB_TX_BATCH];
	unsigned int count;
	unsigned int bytes;
	unsigned int signaled;
	unsigned int segmented;
	unsigned int more_packets;
	unsigned int more_bytes;
};

/**
 * struct ipoib_txring - send ring of one QP
 * @ring: indices; the producer holds the TX lock, the consumer is the NAPI instance
 * @slots: one slot per packet
 * @batch: work requests that wait for the doorbell; TX lock. Several rings may share a batch
 *	if each flushes it before the next one uses it
 * @unsignaled: work requests since the last one that asked for a completion; TX lock
 * @mute: number of the youngest packets on the ring that no completion will cover, because the
 *	HCA refused the work request that asked for one; 0 again once a later batch has been
 *	posted; written under the TX lock
 * @max_sge: most scatter/gather entries of a work request; constant
 * @epoch: upper half of a wr_id, constant while running: number of starts, or of the connection
 * @qp: the QP; constant while running
 * @ibdev: RDMA device that the packets on the ring are mapped for
 * @stats: counters; TX lock
 * @drops: drop counters of the interface
 * @culprit: destination address of the last send that failed and was not merely flushed; zero
 *	if there is none. NAPI writes it; it may be read once NAPI has been stopped;
 *	for a connection nobody does
 *
 * What is called TX lock here is for the ring of a connection the lock of its bundle.
 */
struct ipoib_txring {
	struct ipoib_ring ring;
	struct ipoib_tx_slot *slots;
	struct ipoib_tx_batch *batch;
	unsigned int max_sge;
	u32 epoch;
	struct ib_qp *qp;
	struct ib_device *ibdev;
	struct ipoib_tx_stats *stats;
	struct ipoib_drops *drops;

	/* The producer writes @unsignaled for each packet, and the consumer reads what is above. */
	unsigned int unsignaled ____cacheline_aligned_in_smp;
	unsigned int mute;
	struct ipoib_hwaddr culprit;
};

static_assert(IPOIB_HAS_ITS_LINES(struct ipoib_txring));
static_assert(IPOIB_APART(struct ipoib_txring, unsignaled, slots));
static_assert(IPOIB_APART(struct ipoib_txring, unsignaled, epoch));
static_assert(IPOIB_APART(struct ipoib_txring, unsignaled, ibdev));

/**
 * struct ipoib_tx_done - sum of what completions have reported
 * @packets: packets that have left the ring
 * @bytes: octets of @packets
 * @bad: a completion has reported an error
 */
struct ipoib_tx_done {
	unsigned int packets;
	unsigned int bytes;
	bool bad;
};

/**
 * struct ipoib_tx_posted - what became of a batch
 * @refused_bytes: octets of packets that the HCA refused
 * @whole: false if the HCA took only some of the batch, so that the QP has to be reset
 */
struct ipoib_tx_posted {
	unsigned int refused_bytes;
	bool whole;
};

/**
 * struct ipoib_tx_to - destination of a packet
 * @ah: address handle of a datagram; NULL by a connection
 * @qpn: QPN of a datagram
 * @qkey: Q_Key of a datagram
 * @link_sums: checksums are left to the link of the connection
 */
struct ipoib_tx_to {
	struct ib_ah *ah;
	u32 qpn;
	u32 qkey;
	bool link_sums;
};

bool ipoib_txring_add(struct ipoib_txring *tx, struct sk_buff *skb,
		      const struct ipoib_tx_to *to);
struct ipoib_tx_posted ipoib_txring_post(struct ipoib_txring *tx);
void ipoib_txring_complete(struct ipoib_txring *tx, const struct ib_wc *wc,
			   int budget, struct ipoib_tx_done *done);
void ipoib_txring_purge(struct ipoib_txring *tx, struct ipoib_tx_done *done);

#endif /* _IPOIB_TXRING_H */
