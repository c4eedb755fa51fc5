// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that a real HCA reads and writes, without one: a kernel with DMA_API_DEBUG complains
 * of what is not unmapped as it was mapped. It does not say what is not unmapped at all, so that
 * is counted.
 */
#include <kunit/test.h>
#include <linux/dma-mapping.h>
#include <linux/platform_device.h>

/* How many are mapped, and after how many more the device has no room for one. */
static int mapped, room;

#define dma_map_single_attrs(...) \
	(mapped++, dma_map_single_attrs(__VA_ARGS__))
#define dma_map_page_attrs(...) \
	(mapped++, dma_map_page_attrs(__VA_ARGS__))
#define dma_unmap_single_attrs(...) \
	(mapped--, dma_unmap_single_attrs(__VA_ARGS__))
#define dma_unmap_page_attrs(...) \
	(mapped--, dma_unmap_page_attrs(__VA_ARGS__))
#define dma_mapping_error(dev, addr) \
	(dma_mapping_error(dev, addr) || (!room-- && mapped--))

#include "../dma.c"

#define LINEAR	100
#define PIECE	300

/* What the driver counts; here it has no list of them. */
static u64 pages_taken, pages_returned;

void ipoib_objects_add(enum ipoib_object kind, u64 created, u64 destroyed)
{
	pages_taken += created;
	pages_returned += destroyed;
}

struct hca {
	struct platform_device *pdev;
	struct ib_device ibdev;
};

static int dma_test_init(struct kunit *test)
{
	struct hca *hca = kunit_kzalloc(test, sizeof(*hca), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, hca);
	hca->pdev = platform_device_register_simple("ipoib_dma_test", -1, NULL, 0);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, hca->pdev);
	hca->ibdev.dma_device = &hca->pdev->dev;
	pages_taken = 0;
	pages_returned = 0;
	mapped = 0;
	room = INT_MAX;
	test->priv = hca;
	return dma_set_mask_and_coherent(hca->ibdev.dma_device,
					 DMA_BIT_MASK(64));
}

static void dma_test_exit(struct kunit *test)
{
	struct hca *hca = test->priv;

	if (hca)
		platform_device_unregister(hca->pdev);
}

static struct sk_buff *packet(struct kunit *test, int frags)
{
	struct sk_buff *skb = alloc_skb(LINEAR, GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_put(skb, LINEAR);
	for (i = 0; i < frags; i++) {
		struct page *page = alloc_page(GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, page);
		skb_add_rx_frag(skb, i, page, 64 * i, PIECE, PAGE_SIZE);
	}
	return skb;
}

static void packet_is_mapped_where_it_lies(struct kunit *test)
{
	struct hca *hca = test->priv;
	struct sk_buff *skb = packet(test, 2);
	u64 map[IPOIB_MAX_SGE];
	int i;

	KUNIT_EXPECT_EQ(test, ipoib_dma_map_skb(&hca->ibdev, skb, map), 3);
	KUNIT_EXPECT_EQ(test, map[0], (u64)virt_to_phys(skb->data));
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, map[i + 1],
				(u64)page_to_phys(skb_frag_page(&skb_shinfo(skb)->frags[i])) +
				64 * i);
	KUNIT_EXPECT_EQ(test, mapped, 3);
	ipoib_dma_unmap_skb(&hca->ibdev, skb, map);
	KUNIT_EXPECT_EQ(test, mapped, 0);
	kfree_skb(skb);
}

static void packet_for_which_there_is_no_room_is_not_mapped(struct kunit *test)
{
	struct hca *hca = test->priv;
	struct sk_buff *skb = packet(test, 2);
	u64 map[IPOIB_MAX_SGE];
	int i;

	for (i = 0; i < 3; i++) {
		room = i;
		KUNIT_EXPECT_EQ(test, ipoib_dma_map_skb(&hca->ibdev, skb, map), 0);
		KUNIT_EXPECT_EQ(test, mapped, 0);
	}
	kfree_skb(skb);
}

static void packet_without_fragments_has_one_address(struct kunit *test)
{
	struct hca *hca = test->priv;
	struct sk_buff *skb = packet(test, 0);
	u64 map[IPOIB_MAX_SGE];

	KUNIT_EXPECT_EQ(test, ipoib_dma_map_skb(&hca->ibdev, skb, map), 1);
	KUNIT_EXPECT_EQ(test, mapped, 1);
	ipoib_dma_unmap_skb(&hca->ibdev, skb, map);
	KUNIT_EXPECT_EQ(test, mapped, 0);
	kfree_skb(skb);
}

static void receive_memory_is_mapped(struct kunit *test)
{
	static const unsigned int lengths[] = { PAGE_SIZE, PIECE, PIECE, PAGE_SIZE + PIECE,
						PAGE_SIZE + PIECE };
	struct ipoib_rx_page got[ARRAY_SIZE(lengths)] = {};
	struct hca *hca = test->priv;
	struct ipoib_rx_pool pool;
	int i;

	KUNIT_ASSERT_EQ(test, ipoib_rx_pool_init(&pool, &hca->ibdev, 8, 4 * PAGE_SIZE), 0);
	local_bh_disable();
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		KUNIT_EXPECT_TRUE(test, ipoib_rx_pool_get(&pool, &got[i],
							  lengths[i]));
		KUNIT_EXPECT_EQ(test, got[i].dma,
				(u64)page_to_phys(got[i].page) + got[i].offset);
	}
	/* Pieces share a page or a block, and do not overlap. */
	for (i = 1; i < ARRAY_SIZE(lengths); i += 2) {
		KUNIT_EXPECT_PTR_EQ(test, got[i].page, got[i + 1].page);
		KUNIT_EXPECT_GE(test, abs((int)got[i].offset - (int)got[i + 1].offset),
				(int)lengths[i]);
	}
	for (i = 0; i < ARRAY_SIZE(lengths); i++)
		ipoib_rx_pool_put(&pool, &got[i]);
	local_bh_enable();
	ipoib_rx_pool_exit(&pool);
	KUNIT_EXPECT_EQ(test, pages_taken, ARRAY_SIZE(lengths));
	KUNIT_EXPECT_EQ(test, pages_returned, ARRAY_SIZE(lengths));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(packet_is_mapped_where_it_lies),
	KUNIT_CASE(packet_for_which_there_is_no_room_is_not_mapped),
	KUNIT_CASE(packet_without_fragments_has_one_address),
	KUNIT_CASE(receive_memory_is_mapped),
	{ }
};

static struct kunit_suite suite = {
	.name = "ipoib_dma",
	.init = dma_test_init,
	.exit = dma_test_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("Tests of what IPOIB maps for DMA");
MODULE_LICENSE("GPL");
