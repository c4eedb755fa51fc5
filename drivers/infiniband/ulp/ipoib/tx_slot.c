// SPDX-License-Identifier: GPL-2.0
#include "tx_slot.h"

#include <linux/vmalloc.h>

/* Cells are in pages of their own, each of which is mapped once. */
#define CELLS	((unsigned int)(PAGE_SIZE / IPOIB_TX_CELL))

/* Gives those of @count slots their cells that begin with @slot, as many as one page has. */
static bool cells_alloc(struct ib_device *ibdev, struct ipoib_tx_slot *slot, u32 count)
{
	struct page *page = alloc_page(GFP_KERNEL);
	u64 dma;
	u32 i;

	if (!page)
		return false;
	dma = ib_dma_map_page(ibdev, page, 0, PAGE_SIZE, DMA_TO_DEVICE);
	if (ib_dma_mapping_error(ibdev, dma)) {
		__free_page(page);
		return false;
	}
	for (i = 0; i < min(CELLS, count); i++) {
		slot[i].cell = page_address(page) + i * IPOIB_TX_CELL;
		slot[i].cell_dma = dma + i * IPOIB_TX_CELL;
	}
	return true;
}

/* The slot that has the first cell of a page frees the page, wherever on the ring it is by now. */
static void cell_free(struct ib_device *ibdev, const struct ipoib_tx_slot *slot)
{
	if (!slot->cell || offset_in_page(slot->cell))
		return;
	ib_dma_unmap_page(ibdev, slot->cell_dma, PAGE_SIZE, DMA_TO_DEVICE);
	free_page((unsigned long)slot->cell);
}

/**
 * ipoib_tx_slots_new - make the slots of a ring
 * @ibdev: device that will read the packets
 * @count: how many
 *
 * Return: empty slots, or NULL if there is no memory.
 * Context: Process context, may sleep.
 */
struct ipoib_tx_slot *ipoib_tx_slots_new(struct ib_device *ibdev, u32 count)
{
	struct ipoib_tx_slot *slots = vcalloc(count, sizeof(*slots));
	u32 i;

	for (i = 0; slots && i < count; i += CELLS) {
		if (!cells_alloc(ibdev, &slots[i], count - i)) {
			ipoib_tx_slots_free(ibdev, slots, count);
			return NULL;
		}
	}
	return slots;
}

/**
 * ipoib_tx_slots_free - undo ipoib_tx_slots_new()
 * @ibdev: device that they were made for
 * @slots: empty, in any order; or NULL
 * @count: how many
 *
 * Context: Process context, may sleep.
 */
void ipoib_tx_slots_free(struct ib_device *ibdev, struct ipoib_tx_slot *slots, u32 count)
{
	u32 i;

	for (i = 0; slots && i < count; i++)
		cell_free(ibdev, &slots[i]);
	vfree(slots);
}

/**
 * ipoib_tx_slot_drop - take out a packet that was not sent
 * @slot: slot with a packet
 * @ibdev: device that the packet was mapped for, which does not read it any more
 * @drops: drop counters of the interface
 * @reason: why
 *
 * Context: Any but hard interrupt.
 */
void ipoib_tx_slot_drop(struct ipoib_tx_slot *slot, struct ib_device *ibdev,
			struct ipoib_drops *drops, enum ipoib_drop_reason reason)
{
	if (!slot->skb) {
		ipoib_drop(drops, reason, slot->len);
		return;
	}
	ipoib_dma_unmap_skb(ibdev, slot->skb, slot->map);
	ipoib_drop_skb(drops, reason, slot->skb);
	slot->skb = NULL;
}

/**
 * ipoib_tx_slot_daddr - to whom does a packet go?
 * @slot: slot with a packet
 * @daddr: result; unchanged if that is not known
 *
 * The link-layer address was pulled off the packet, but it is still in the headroom, unless that
 * has been replaced by a shorter one.
 *
 * Context: Any.
 */
void ipoib_tx_slot_daddr(const struct ipoib_tx_slot *slot, struct ipoib_hwaddr *daddr)
{
	const struct sk_buff *skb = slot->skb;

	if (!skb)
		*daddr = slot->cell->daddr;
	else if (skb_headroom(skb) >= INFINIBAND_ALEN)
		memcpy(daddr, skb->data - INFINIBAND_ALEN, INFINIBAND_ALEN);
}
