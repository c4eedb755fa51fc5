// SPDX-License-Identifier: GPL-2.0
/*
 * Receive pages of a device that is software: what is taken is given back, each page to where it
 * was taken, and nothing stays when the pool goes. Where one maps memory, ipoib_dma_kunit.c looks.
 */
#include <kunit/test.h>
#include <net/page_pool/helpers.h>

/* How many pools there are, and pages that were given back; a pool that fails to be made. */
static int pools, back, fails_at, error;

static struct page_pool *create(const struct page_pool_params *params)
{
	if (pools == fails_at)
		return ERR_PTR(error);
	pools++;
	return page_pool_create(params);
}

static void destroy(struct page_pool *pool)
{
	pools -= pool ? 1 : 0;
	page_pool_destroy(pool);
}

#define page_pool_create(_params)	create(_params)
#define page_pool_destroy(_pool)	destroy(_pool)
#define page_pool_put_full_page(...)	(back++, page_pool_put_full_page(__VA_ARGS__))
#include "../dma.c"

/* What the driver counts; here it has no list of them. */
static u64 taken, returned;

void ipoib_objects_add(enum ipoib_object kind, u64 created, u64 destroyed)
{
	taken += created;
	returned += destroyed;
}

static int rx_pool_test_init(struct kunit *test)
{
	pools = 0;
	back = 0;
	fails_at = -1;
	error = -ENOMEM;
	taken = 0;
	returned = 0;
	return 0;
}

/* A pool of a software device. */
static void open_pool(struct kunit *test, struct ipoib_rx_pool *pool, u32 pages,
		      unsigned int block)
{
	struct ib_device *ibdev = kunit_kzalloc(test, sizeof(*ibdev), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ibdev);
	KUNIT_ASSERT_EQ(test, ipoib_rx_pool_init(pool, ibdev, pages, block), 0);
}

static void what_is_taken_is_given_back(struct kunit *test)
{
	static const unsigned int lengths[] = { PAGE_SIZE, PAGE_SIZE / 2 + 1, PAGE_SIZE / 2, 300 };
	struct ipoib_rx_page got[ARRAY_SIZE(lengths)] = {};
	struct ipoib_rx_pool pool;
	int i;

	/* It may be one that was used before. */
	memset(&pool, 0xee, sizeof(pool));
	open_pool(test, &pool, 8, 0);
	KUNIT_EXPECT_EQ(test, pools, 2);
	local_bh_disable();
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		KUNIT_EXPECT_TRUE(test, ipoib_rx_pool_get(&pool, &got[i], lengths[i]));
		KUNIT_EXPECT_PTR_EQ(test, got[i].from, i < 2 ? pool.whole : pool.pieces);
		KUNIT_EXPECT_EQ(test, got[i].len, i < 2 ? PAGE_SIZE : SKB_DATA_ALIGN(lengths[i]));
		KUNIT_EXPECT_EQ(test, got[i].dma,
				(uintptr_t)page_address(got[i].page) + got[i].offset);
	}
	/* The stack has the first one, and gives it back by itself. */
	(page_pool_put_full_page)(pool.whole, got[0].page, false);
	ipoib_rx_pool_give(&pool, &got[0]);
	for (i = 0; i < ARRAY_SIZE(lengths); i++)
		ipoib_rx_pool_put(&pool, &got[i]);
	ipoib_rx_pool_put(&pool, &got[1]);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, back, ARRAY_SIZE(lengths) - 1);
	ipoib_rx_pool_exit(&pool);
	KUNIT_EXPECT_EQ(test, pools, 0);
	KUNIT_EXPECT_EQ(test, taken, ARRAY_SIZE(lengths));
	KUNIT_EXPECT_EQ(test, returned, ARRAY_SIZE(lengths));
}

static void a_copy_gives_its_memory_back_to_the_pool(struct kunit *test)
{
	struct napi_struct napi = {};
	struct ipoib_rx_pool pool;
	struct sk_buff *skb[2];
	int i;

	open_pool(test, &pool, 8, 0);
	local_bh_disable();
	for (i = 0; i < ARRAY_SIZE(skb); i++) {
		skb[i] = ipoib_rx_pool_skb(&pool, &napi, 300);
		KUNIT_ASSERT_NOT_NULL(test, skb[i]);
		KUNIT_EXPECT_TRUE(test, skb[i]->pp_recycle);
		KUNIT_EXPECT_EQ(test, skb[i]->len, 0);
		KUNIT_EXPECT_GE(test, skb_tailroom(skb[i]), 300);
		memset(skb_put(skb[i], 300), i, 300);
	}
	KUNIT_EXPECT_NULL(test, memchr_inv(skb[0]->data, 0, 300));
	kfree_skb(skb[0]);
	kfree_skb(skb[1]);
	local_bh_enable();
	ipoib_rx_pool_exit(&pool);
	KUNIT_EXPECT_EQ(test, taken, 0);
}

static void blocks_are_pages_in_one_piece(struct kunit *test)
{
	struct ipoib_rx_page got = {};
	struct ipoib_rx_pool pool;

	open_pool(test, &pool, 8, 4 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, pools, 3);
	local_bh_disable();
	KUNIT_ASSERT_TRUE(test, ipoib_rx_pool_get(&pool, &got, 4 * PAGE_SIZE));
	KUNIT_EXPECT_PTR_EQ(test, got.from, pool.blocks);
	KUNIT_EXPECT_EQ(test, compound_nr(got.page), 4);
	KUNIT_EXPECT_EQ(test, got.offset, 0);
	KUNIT_EXPECT_EQ(test, got.len, 4 * PAGE_SIZE);
	memset(page_address(got.page), 7, 4 * PAGE_SIZE);
	ipoib_rx_pool_put(&pool, &got);
	local_bh_enable();
	ipoib_rx_pool_exit(&pool);
	KUNIT_EXPECT_EQ(test, pools, 0);
	KUNIT_EXPECT_EQ(test, taken, returned);
}

/* What is at @got, a buffer of @len octets, and is in a block of eight pages. */
static void expect_piece(struct kunit *test, const struct ipoib_rx_pool *pool,
			 const struct ipoib_rx_page *got, unsigned int len)
{
	KUNIT_EXPECT_PTR_EQ(test, got->from, pool->blocks);
	KUNIT_EXPECT_EQ(test, compound_nr(got->page), 8);
	KUNIT_EXPECT_EQ(test, got->len, SKB_DATA_ALIGN(len));
	KUNIT_EXPECT_LE(test, got->offset + len, 8 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, got->dma, (uintptr_t)page_address(got->page) + got->offset);
}

static void pieces_share_a_block(struct kunit *test)
{
	const unsigned int len = SKB_DATA_ALIGN(PAGE_SIZE + PAGE_SIZE / 8);
	struct ipoib_rx_page got[8] = {};
	struct ipoib_rx_pool pool;
	struct page *first;
	struct sk_buff *skb;
	int i;

	open_pool(test, &pool, 16, 8 * PAGE_SIZE);
	local_bh_disable();
	for (i = 0; i < ARRAY_SIZE(got); i++) {
		KUNIT_ASSERT_TRUE(test, ipoib_rx_pool_get(&pool, &got[i], len));
		expect_piece(test, &pool, &got[i], len);
		memset(page_address(got[i].page) + got[i].offset, i, len);
	}
	for (i = 0; i < ARRAY_SIZE(got); i++)
		KUNIT_EXPECT_NULL(test, memchr_inv(page_address(got[i].page) + got[i].offset,
						   i, len));
	/* Seven have room in it. */
	KUNIT_EXPECT_PTR_EQ(test, got[0].page, got[6].page);
	KUNIT_EXPECT_PTR_NE(test, got[0].page, got[7].page);
	/* A piece that has become a packet comes back like the others. */
	skb = napi_build_skb(page_address(got[3].page) + got[3].offset, got[3].len);
	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_mark_for_recycle(skb);
	ipoib_rx_pool_give(&pool, &got[3]);
	kfree_skb(skb);
	first = got[0].page;
	for (i = 0; i < ARRAY_SIZE(got); i++)
		ipoib_rx_pool_put(&pool, &got[i]);
	/* Six more are in the second block; then all of the first one is free again. */
	for (i = 0; i < ARRAY_SIZE(got); i++)
		KUNIT_EXPECT_TRUE(test, ipoib_rx_pool_get(&pool, &got[i], len));
	KUNIT_EXPECT_PTR_NE(test, got[5].page, first);
	KUNIT_EXPECT_PTR_EQ(test, got[6].page, first);
	for (i = 0; i < ARRAY_SIZE(got); i++)
		ipoib_rx_pool_put(&pool, &got[i]);
	local_bh_enable();
	ipoib_rx_pool_exit(&pool);
	KUNIT_EXPECT_EQ(test, pools, 0);
	KUNIT_EXPECT_EQ(test, taken, 2 * ARRAY_SIZE(got));
	KUNIT_EXPECT_EQ(test, returned, 2 * ARRAY_SIZE(got));
}

/* Of what takes more than half of a page a block holds more than its pages do. */
static void what_would_waste_a_page_is_in_a_block(struct kunit *test)
{
	struct ipoib_rx_page got = {};
	struct ipoib_rx_pool pool;

	open_pool(test, &pool, 16, 8 * PAGE_SIZE);
	local_bh_disable();
	KUNIT_ASSERT_TRUE(test, ipoib_rx_pool_get(&pool, &got, PAGE_SIZE / 2 + 1));
	expect_piece(test, &pool, &got, PAGE_SIZE / 2 + 1);
	ipoib_rx_pool_put(&pool, &got);
	KUNIT_ASSERT_TRUE(test, ipoib_rx_pool_get(&pool, &got, PAGE_SIZE / 2));
	KUNIT_EXPECT_PTR_EQ(test, got.from, pool.pieces);
	ipoib_rx_pool_put(&pool, &got);
	KUNIT_ASSERT_TRUE(test, ipoib_rx_pool_get(&pool, &got, PAGE_SIZE));
	KUNIT_EXPECT_PTR_EQ(test, got.from, pool.whole);
	ipoib_rx_pool_put(&pool, &got);
	local_bh_enable();
	ipoib_rx_pool_exit(&pool);
	KUNIT_EXPECT_EQ(test, taken, returned);
}

/* As on 6.1 of 32 bits with addresses for DMA of 64: each piece is a page there, and no longer. */
static void without_pieces_there_are_pages(struct kunit *test)
{
	struct ipoib_rx_page got = {};
	struct ipoib_rx_pool pool;

	fails_at = 1;
	error = -EINVAL;
	open_pool(test, &pool, 8, 8 * PAGE_SIZE);
	local_bh_disable();
	KUNIT_EXPECT_TRUE(test, ipoib_rx_pool_get(&pool, &got, 300));
	KUNIT_EXPECT_PTR_EQ(test, got.from, pool.whole);
	KUNIT_EXPECT_EQ(test, got.len, PAGE_SIZE);
	ipoib_rx_pool_put(&pool, &got);
	KUNIT_EXPECT_FALSE(test, ipoib_rx_pool_get(&pool, &got, PAGE_SIZE + 1));
	KUNIT_EXPECT_NULL(test, got.page);
	local_bh_enable();
	ipoib_rx_pool_exit(&pool);
	KUNIT_EXPECT_EQ(test, back, 1);
}

static void a_pool_that_cannot_be_made_leaves_nothing(struct kunit *test)
{
	struct ib_device *ibdev;
	struct ipoib_rx_pool pool;

	ibdev = kunit_kzalloc(test, sizeof(*ibdev), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ibdev);
	for (fails_at = 0; fails_at < 3; fails_at++) {
		KUNIT_EXPECT_EQ(test, ipoib_rx_pool_init(&pool, ibdev, 8, 4 * PAGE_SIZE), -ENOMEM);
		KUNIT_EXPECT_EQ(test, pools, 0);
	}
}

static struct kunit_case rx_pool_test_cases[] = {
	KUNIT_CASE(what_is_taken_is_given_back),
	KUNIT_CASE(a_copy_gives_its_memory_back_to_the_pool),
	KUNIT_CASE(blocks_are_pages_in_one_piece),
	KUNIT_CASE(pieces_share_a_block),
	KUNIT_CASE(what_would_waste_a_page_is_in_a_block),
	KUNIT_CASE(without_pieces_there_are_pages),
	KUNIT_CASE(a_pool_that_cannot_be_made_leaves_nothing),
	{}
};

static struct kunit_suite rx_pool_test_suite = {
	.name = "ipoib_rx_pool",
	.init = rx_pool_test_init,
	.test_cases = rx_pool_test_cases,
};

kunit_test_suite(rx_pool_test_suite);

MODULE_DESCRIPTION("Tests of receive pages of IPoIB");
MODULE_LICENSE("GPL");
