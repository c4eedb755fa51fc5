// SPDX-License-Identifier: GPL-2.0
#include "dma.h"

#include "stats.h"

/**
 * ipoib_dma_map_skb - map a packet for sending
 * @ibdev: device that will read the packet
 * @skb: packet with data in its linear part, at most MAX_SKB_FRAGS fragments
 * @map: result, room for IPOIB_MAX_SGE addresses: linear part, then each fragment
 *
 * Return: number of addresses, 0 if mapping failed and nothing is mapped.
 * Context: Any.
 */
unsigned int ipoib_dma_map_skb(struct ib_device *ibdev, struct sk_buff *skb,
			       u64 *map)
{
	const struct skb_shared_info *shinfo = skb_shinfo(skb);
	int i;

	map[0] = ib_dma_map_single(ibdev, skb->data, skb_headlen(skb),
				   DMA_TO_DEVICE);
	if (unlikely(ib_dma_mapping_error(ibdev, map[0])))
		return 0;

	for (i = 0; i < shinfo->nr_frags; i++) {
		const skb_frag_t *frag = &shinfo->frags[i];

		map[i + 1] = ib_dma_map_page(ibdev, skb_frag_page(frag),
					     skb_frag_off(frag),
					     skb_frag_size(frag),
					     DMA_TO_DEVICE);
		if (unlikely(ib_dma_mapping_error(ibdev, map[i + 1])))
			goto err_unmap;
	}
	return i + 1;

err_unmap:
	while (i--)
		ib_dma_unmap_page(ibdev, map[i + 1],
				  skb_frag_size(&shinfo->frags[i]),
				  DMA_TO_DEVICE);
	ib_dma_unmap_single(ibdev, map[0], skb_headlen(skb), DMA_TO_DEVICE);
	return 0;
}

/**
 * ipoib_dma_unmap_skb - undo ipoib_dma_map_skb()
 * @ibdev: device that has read the packet
 * @skb: packet, unchanged since it was mapped
 * @map: the addresses that ipoib_dma_map_skb() has filled in
 *
 * Context: Any.
 */
void ipoib_dma_unmap_skb(struct ib_device *ibdev, struct sk_buff *skb,
			 const u64 *map)
{
	const struct skb_shared_info *shinfo = skb_shinfo(skb);
	int i;

	if (ib_uses_virt_dma(ibdev))
		return;

	ib_dma_unmap_single(ibdev, map[0], skb_headlen(skb), DMA_TO_DEVICE);
	for (i = 0; i < shinfo->nr_frags; i++)
		ib_dma_unmap_page(ibdev, map[i + 1],
				  skb_frag_size(&shinfo->frags[i]),
				  DMA_TO_DEVICE);
}

static struct page_pool *pool_new(struct ib_device *ibdev, u32 pages,
				  unsigned int order, unsigned int flags)
{
	struct page_pool_params params = {
		.flags		= flags,
		.order		= order,
		.pool_size	= pages >> order,
		.nid		= NUMA_NO_NODE,
		.dma_dir	= DMA_FROM_DEVICE,
		.max_len	= PAGE_SIZE << order,
	};

	/* A software device uses kernel addresses, so there is nothing to map. */
	if (!ib_uses_virt_dma(ibdev)) {
		params.flags |= PP_FLAG_DMA_MAP | PP_FLAG_DMA_SYNC_DEV;
		params.dev = ibdev->dma_device;
		params.nid = dev_to_node(ibdev->dma_device);
	}
	return page_pool_create(&params);
}

/*
 * In kernel 6.1 one page_pool cannot hand out both whole pages and pieces, and none can hand out
 * pieces where a long has fewer bits than an address for DMA: shared_new() returns NULL there.
 */
static struct page_pool *shared_new(struct ib_device *ibdev, u32 pages, unsigned int order)
{
	struct page_pool *pool = pool_new(ibdev, pages, order, COMPAT_PP_FLAG_PAGE_FRAG);

	return pool == ERR_PTR(-EINVAL) ? NULL : pool;
}

/**
 * ipoib_rx_pool_init - make a pool of receive pages
 * @pool: result
 * @ibdev: device that will write into them
 * @pages: how many unused pages each of its page_pools may keep
 * @block: octets, a power of two, of a block: pieces are cut out of blocks if a page has room for
 *	one of them at most; 0 if no such pieces are asked for
 *
 * Return: 0 or -ENOMEM.
 * Context: Process context, may sleep.
 */
int ipoib_rx_pool_init(struct ipoib_rx_pool *pool, struct ib_device *ibdev,
		       u32 pages, unsigned int block)
{
	int err;

	memset(pool, 0, sizeof(*pool));
	pool->ibdev = ibdev;

	pool->whole = pool_new(ibdev, pages, 0, 0);
	if (IS_ERR(pool->whole))
		return PTR_ERR(pool->whole);
	if (block > PAGE_SIZE)
		pool->blocks = shared_new(ibdev, pages, get_order(block));
	if (IS_ERR(pool->blocks)) {
		err = PTR_ERR(pool->blocks);
		goto err_whole;
	}

	pool->pieces = shared_new(ibdev, pages, 0);
	if (IS_ERR(pool->pieces)) {
		err = PTR_ERR(pool->pieces);
		goto err_blocks;
	}
	return 0;

err_blocks:
	page_pool_destroy(pool->blocks);
err_whole:
	page_pool_destroy(pool->whole);
	return err;
}

/**
 * ipoib_rx_pool_exit - free a pool
 * @pool: pool; all that was taken from it was put back or given to the stack
 *
 * Context: Process context, may sleep; its NAPI instance does not run.
 */
void ipoib_rx_pool_exit(struct ipoib_rx_pool *pool)
{
	page_pool_destroy(pool->whole);
	page_pool_destroy(pool->blocks);
	page_pool_destroy(pool->pieces);
	ipoib_objects_add(IPOIB_OBJ_RXPAGE, pool->taken, pool->returned);
}

/*
 * What fits into a page twice is cut out of one, what is as long as a page is one, and all else is
 * cut out of a block, or if there are no blocks a page. source_of() returns NULL if there is
 * nothing as long.
 */
static struct page_pool *source_of(const struct ipoib_rx_pool *pool, unsigned int len)
{
	if (len <= PAGE_SIZE / 2 && likely(pool->pieces))
		return pool->pieces;
	if (len != PAGE_SIZE && pool->blocks)
		return pool->blocks;
	return len <= PAGE_SIZE ? pool->whole : NULL;
}

/**
 * ipoib_rx_pool_get - take a receive page, or a piece of one or of a block
 * @pool: pool
 * @out: result
 * @len: octets wanted: at most PAGE_SIZE, or as many as a block has
 *
 * All but whole pages may not be had for want of contiguous memory, or on some kernels at all. What
 * the kernel has in reserve for those that cannot wait is for pages only, as they are what remains
 * then.
 *
 * Return: false if there is no memory; @out is unchanged then.
 * Context: Softirq of the pool's NAPI instance, or bottom halves off while
 * that instance is disabled.
 */
bool ipoib_rx_pool_get(struct ipoib_rx_pool *pool, struct ipoib_rx_page *out,
		       unsigned int len)
{
	struct page_pool *from = source_of(pool, len);
	unsigned int offset = 0;
	struct page *page;
	gfp_t gfp;

	if (unlikely(!from))
		return false;
	if (from == pool->whole) {
		len = PAGE_SIZE;
		page = page_pool_dev_alloc_pages(from);
	} else {
		/* A skb_shared_info may come at the end of the next piece, which is aligned so. */
		len = SKB_DATA_ALIGN(len);
		gfp = from == pool->blocks ? GFP_NOWAIT | __GFP_NOMEMALLOC : GFP_ATOMIC;
		page = page_pool_alloc_frag(from, &offset, len, gfp | __GFP_NOWARN);
	}
	if (unlikely(!page))
		return false;

	out->page = page;
	out->from = from;
	out->offset = offset;
	out->len = len;
	if (ib_uses_virt_dma(pool->ibdev))
		out->dma = (uintptr_t)page_address(page) + offset;
	else
		out->dma = page_pool_get_dma_addr(page) + offset;
	pool->taken++;
	return true;
}

/**
 * ipoib_rx_pool_skb - make a packet that a short one is copied into
 * @pool: pool
 * @napi: the pool's NAPI instance
 * @len: octets that it needs room for
 *
 * Its memory comes back to the pool: kernels that zero each page that they hand out do so once.
 *
 * Return: an empty packet, or NULL if there is no memory.
 * Context: Softirq of @napi.
 */
struct sk_buff *ipoib_rx_pool_skb(struct ipoib_rx_pool *pool, struct napi_struct *napi,
				  unsigned int len)
{
	unsigned int size = SKB_DATA_ALIGN(NET_SKB_PAD + len) +
			    SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
	unsigned int offset;
	struct sk_buff *skb;
	struct page *page;

	if (unlikely(!pool->pieces || size > PAGE_SIZE / 2))
		return napi_alloc_skb(napi, len);
	page = page_pool_dev_alloc_frag(pool->pieces, &offset, size);
	if (unlikely(!page))
		return NULL;
	skb = napi_build_skb(page_address(page) + offset, size);
	if (unlikely(!skb)) {
		page_pool_put_full_page(pool->pieces, page, false);
		return NULL;
	}
	skb_mark_for_recycle(skb);
	skb_reserve(skb, NET_SKB_PAD);
	return skb;
}

/**
 * ipoib_rx_pool_put - give back a page or piece that the stack never saw
 * @pool: pool that the page is from
 * @page: page or piece; nothing happens if it is empty
 *
 * Context: As ipoib_rx_pool_get().
 */
void ipoib_rx_pool_put(struct ipoib_rx_pool *pool, struct ipoib_rx_page *page)
{
	if (!page->page)
		return;

	page_pool_put_full_page(page->from, page->page, false);
	page->page = NULL;
	pool->returned++;
}
