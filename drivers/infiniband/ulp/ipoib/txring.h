/* SPDX-License-Identifier: GPL-2.0 */
/* Send ring of a QP: its order of packets, batches of work requests, completions. */
#ifndef _IPOIB_TXRING_H
#define _IPOIB_TXRING_H

#include <rdma/ib_verbs.h>

#include "apart.h"
#include "ring.h"
#include "stats.h"
#include "tx_slot.h"

/* Most packets that are posted with one call of ib_post_send(). */
#define IPOIB_TX_BATCH	32

/*
 * Every IPOIB_TX_SIGNAL-th work request asks for a completion, and the last of a batch if somebody
 * waits for the end of one of its packets. What nobody waits for stays on an idle ring until more
 * is sent: that many packets at most, with less than this memory and one more packet.
 */
#define IPOIB_TX_SIGNAL		16
#define IPOIB_TX_LIGHT_BYTES	16384u

/*
 * What no completion tells of is short and little: in this time the HCA has sent it, or has said
 * that it is flushed.
 */
#define IPOIB_TX_TAIL_TIME	(msecs_to_jiffies(4))

/**
 * struct ipoib_tx_wr - one work request of a batch
 * @ud: the work request; for a connection the provider reads only @ud.wr
 * @sge: scatter/gather entries of @ud
 * @held: somebody waits for the end of the packet
 */
struct ipoib_tx_wr {
	struct ib_ud_wr ud;
	struct ib_sge sge[IPOIB_MAX_SGE];
	bool held;
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
 * @light_bytes: memory of those of their packets that nobody waits for, truesize; TX lock
 * @asked: jiffies when a completion was asked for last; TX lock
 * @mute: @unsignaled of what has been posted: so many of the youngest packets on the ring no
 *	completion covers as yet; written under the TX lock
 * @held: somebody waits for one of those packets. Once they are posted that is so only if
 *	the HCA has refused the work request that asked for a completion; TX lock
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
	unsigned int light_bytes;
	unsigned long asked;
	unsigned int mute;
	bool held;
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
 * @whole: false if the HCA refused to tell of the end of packets that it took and somebody waits
 *	for, so that the QP has to be reset
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

int ipoib_txring_alloc(struct ipoib_txring *tx, u32 slots);
void ipoib_txring_free(struct ipoib_txring *tx);
bool ipoib_txring_add(struct ipoib_txring *tx, struct sk_buff *skb,
		      const struct ipoib_tx_to *to);
struct ipoib_tx_posted ipoib_txring_post(struct ipoib_txring *tx, bool ask);
void ipoib_txring_complete(struct ipoib_txring *tx, const struct ib_wc *wc,
			   int budget, struct ipoib_tx_done *done);
void ipoib_txring_purge(struct ipoib_txring *tx, struct ipoib_tx_done *done);

/*
 * ipoib_txring_waits() returns true if packets are on the ring whose completion will come. Those
 * that stay on it without one were posted after all these. Whoever does not keep the producer off
 * gets a hint only.
 */
static inline bool ipoib_txring_waits(const struct ipoib_txring *tx)
{
	return ipoib_ring_used(&tx->ring) > READ_ONCE(tx->mute);
}

/* A ring whose QP has been reset begins anew; it is empty, and nothing is being added. */
static inline void ipoib_txring_restart(struct ipoib_txring *tx)
{
	tx->epoch++;
	tx->unsignaled = 0;
	tx->light_bytes = 0;
	tx->mute = 0;
	tx->held = false;
	memset(&tx->culprit, 0, sizeof(tx->culprit));
}

#endif /* _IPOIB_TXRING_H */
