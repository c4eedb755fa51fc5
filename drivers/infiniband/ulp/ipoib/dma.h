/* SPDX-License-Identifier: GPL-2.0 */
/* Memory the HCA reads and writes: packets to send, pages to receive into. */
#ifndef _IPOIB_DMA_H
#define _IPOIB_DMA_H

#include <linux/skbuff.h>
#include <net/page_pool/helpers.h>
#include <rdma/ib_verbs.h>

/* Linear part and fragments of a packet. */
#define IPOIB_MAX_SGE	(MAX_SKB_FRAGS + 1)

/**
 * struct ipoib_rx_page - receive page, or a piece of one
 * @page: the page; NULL if there is none
 * @from: where it goes back to
 * @offset: of the piece within the page
 * @dma: address of the piece as the HCA wants it
 */
struct ipoib_rx_page {
	struct page *page;
	struct page_pool *from;
	unsigned int offset;
	u64 dma;
};

/**
 * struct ipoib_rx_pool - where receive pages come from and go back to
 * @whole: recycles pages that hold one packet
 * @pieces: recycles pages that are shared by several packets
 * @ibdev: writes into them
 * @taken: pages and pieces taken so far
 * @returned: of them: given back, or handed to the stack
 *
 * Belongs to one NAPI instance, whose serialisation it relies on. Pages that
 * the stack still has when the pool goes are the page_pool's business.
 */
struct ipoib_rx_pool {
	struct page_pool *whole;
	struct page_pool *pieces;
	struct ib_device *ibdev;
	u64 taken;
	u64 returned;
};

unsigned int ipoib_dma_map_skb(struct ib_device *ibdev, struct sk_buff *skb,
			       u64 *map);
void ipoib_dma_unmap_skb(struct ib_device *ibdev, struct sk_buff *skb,
			 const u64 *map);

int ipoib_rx_pool_init(struct ipoib_rx_pool *pool, struct ib_device *ibdev,
		       u32 pages);
void ipoib_rx_pool_exit(struct ipoib_rx_pool *pool);
bool ipoib_rx_pool_get(struct ipoib_rx_pool *pool, struct ipoib_rx_page *out,
		       unsigned int len);
void ipoib_rx_pool_put(struct ipoib_rx_pool *pool, struct ipoib_rx_page *page);

/* The stack has @page now and returns it to its page_pool by itself. */
static inline void ipoib_rx_pool_give(struct ipoib_rx_pool *pool,
				      struct ipoib_rx_page *page)
{
	page->page = NULL;
	pool->returned++;
}

#endif /* _IPOIB_DMA_H */
