/* SPDX-License-Identifier: GPL-2.0 */
/* Slots of a send ring: each has memory and DMA addresses of one packet until that was sent. */
#ifndef _IPOIB_TX_SLOT_H
#define _IPOIB_TX_SLOT_H

#include "dma.h"
#include "stats.h"
#include "wire.h"

/*
 * Packets of up to IPOIB_TX_COPY octets are copied, which is cheaper than to map them, above all
 * where there is an IOMMU. A cell for a copy has room for the address of the destination, too.
 */
#define IPOIB_TX_CELL	128u
#define IPOIB_TX_COPY	(IPOIB_TX_CELL - INFINIBAND_ALEN)

/**
 * struct ipoib_tx_cell - copy of a short packet
 * @daddr: its destination
 * @data: the packet, from its encapsulation header on
 */
struct ipoib_tx_cell {
	struct ipoib_hwaddr daddr;
	u8 data[IPOIB_TX_COPY];
};

static_assert(sizeof(struct ipoib_tx_cell) == IPOIB_TX_CELL);

/**
 * struct ipoib_tx_slot - one packet on the ring
 * @skb: the packet; NULL if it was copied
 * @len: its octets
 * @cell: where a short packet is copied to
 * @cell_dma: DMA address of @cell
 * @map: DMA addresses of @skb
 */
struct ipoib_tx_slot {
	struct sk_buff *skb;
	unsigned int len;
	struct ipoib_tx_cell *cell;
	u64 cell_dma;
	u64 map[IPOIB_MAX_SGE];
};

struct ipoib_tx_slot *ipoib_tx_slots_new(struct ib_device *ibdev, u32 count);
void ipoib_tx_slots_free(struct ib_device *ibdev, struct ipoib_tx_slot *slots, u32 count);
void ipoib_tx_slot_drop(struct ipoib_tx_slot *slot, struct ib_device *ibdev,
			struct ipoib_drops *drops, enum ipoib_drop_reason reason);
void ipoib_tx_slot_daddr(const struct ipoib_tx_slot *slot, struct ipoib_hwaddr *daddr);

/*
 * ipoib_tx_slot_copy() copies a short packet and its destination, which is still in front of it
 * but for odd cases. Returns false if the packet cannot be read.
 */
static inline bool ipoib_tx_slot_copy(struct ipoib_tx_slot *slot, struct ib_device *ibdev,
				      const struct sk_buff *skb)
{
	struct ipoib_tx_cell *cell = slot->cell;

	if (likely(skb_headlen(skb) == skb->len && skb_headroom(skb) >= INFINIBAND_ALEN)) {
		memcpy(cell, skb->data - INFINIBAND_ALEN, INFINIBAND_ALEN + skb->len);
	} else {
		memset(&cell->daddr, 0, sizeof(cell->daddr));
		if (skb_copy_bits(skb, 0, cell->data, skb->len))
			return false;
	}
	ib_dma_sync_single_for_device(ibdev, slot->cell_dma, INFINIBAND_ALEN + skb->len,
				      DMA_TO_DEVICE);
	slot->map[0] = slot->cell_dma + offsetof(struct ipoib_tx_cell, data);
	slot->skb = NULL;
	return true;
}

/*
 * ipoib_tx_slot_fill() has the HCA find @skb, from its encapsulation header on. The slot keeps
 * @skb unless it has copied it. Returns false if @skb cannot be mapped, and it is the caller's.
 */
static inline bool ipoib_tx_slot_fill(struct ipoib_tx_slot *slot, struct ib_device *ibdev,
				      struct sk_buff *skb)
{
	slot->skb = skb;
	slot->len = skb->len;
	return (skb->len <= IPOIB_TX_COPY && !skb_is_gso(skb) &&
		ipoib_tx_slot_copy(slot, ibdev, skb)) ||
	       likely(ipoib_dma_map_skb(ibdev, skb, slot->map));
}

/* ipoib_tx_slot_sent() unmaps and frees a packet that the HCA has read; in NAPI with @budget. */
static inline void ipoib_tx_slot_sent(struct ipoib_tx_slot *slot, struct ib_device *ibdev,
				      int budget)
{
	if (!slot->skb)
		return;
	ipoib_dma_unmap_skb(ibdev, slot->skb, slot->map);
	napi_consume_skb(slot->skb, budget);
	slot->skb = NULL;
}

#endif /* _IPOIB_TX_SLOT_H */
