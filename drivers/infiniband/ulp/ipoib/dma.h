/* SPDX-License-Identifier: GPL-2.0 */
/* Memory that the HCA reads and writes: packets to send, pages to receive into. */
#ifndef _IPOIB_DMA_H
#define _IPOIB_DMA_H

#include <linux/skbuff.h>
#include <net/page_pool/helpers.h>
#include <rdma/ib_verbs.h>

/* Most pieces of a packet: the linear part and the fragments. */
#define IPOIB_MAX_SGE	(MAX_SKB_FRAGS + 1)

/**
 * struct ipoib_rx_page - receive page, or a piece of one or of several
 * @page: the page, the first one of several; NULL if this is empty
 * @from: page_pool that it goes back to
 * @offset: of the piece within the page, octets
 * @len: octets that belong to this, as many as were asked for at least
 * @dma: address of the piece for the HCA
 */
struct ipoib_rx_page {
	struct page *page;
	struct page_pool *from;
	unsigned int offset;
	unsigned int len;
	u64 dma;
};

/**
 * struct ipoib_rx_pool - source of receive pages
 * @whole: page_pool of pages that hold one packet
 * @blocks: page_pool of several pages at once, for buffers that are longer than a page or do not
 *	divide one well, or NULL if none are wanted or there can be none
 * @pieces: page_pool of pages that several packets share, in buffers or as copies, or NULL if
 *	there can be none
 * @ibdev: device that writes into the pages
 * @taken: pages and pieces taken so far
 * @returned: how many of them were given back or went to the stack
 *
 * A pool belongs to one NAPI instance, which serialises its use. Pages that the stack still has
 * when the pool is freed are returned to the page_pool, which lives as long.
 */
struct ipoib_rx_pool {
	struct page_pool *whole;
	struct page_pool *blocks;
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
		       u32 pages, unsigned int block);
void ipoib_rx_pool_exit(struct ipoib_rx_pool *pool);
bool ipoib_rx_pool_get(struct ipoib_rx_pool *pool, struct ipoib_rx_page *out,
		       unsigned int len);
struct sk_buff *ipoib_rx_pool_skb(struct ipoib_rx_pool *pool, struct napi_struct *napi,
				  unsigned int len);
void ipoib_rx_pool_put(struct ipoib_rx_pool *pool, struct ipoib_rx_page *page);

/* ipoib_rx_pool_give() passes @page to the stack, which returns it to its page_pool by itself. */
static inline void ipoib_rx_pool_give(struct ipoib_rx_pool *pool,
				      struct ipoib_rx_page *page)
{
	page->page = NULL;
	pool->returned++;
}

#endif /* _IPOIB_DMA_H */
