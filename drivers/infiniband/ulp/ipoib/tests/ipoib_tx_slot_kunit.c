// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>

#include "../tx_slot.h"

/* Pages that cells are in, and how many there may be */
static unsigned int pages, most;

static struct page *page_take(gfp_t flags)
{
	struct page *page = pages < most ? alloc_page(flags) : NULL;

	pages += !!page;
	return page;
}

static void page_give(unsigned long addr)
{
	pages--;
	free_page(addr);
}

#undef alloc_page
#undef free_page
#define alloc_page page_take
#define free_page page_give
#include "../tx_slot.c"

#define PAGES	3
/* The last page has one cell only. */
#define SLOTS	((PAGES - 1) * CELLS + 1)

unsigned int ipoib_dma_map_skb(struct ib_device *ibdev, struct sk_buff *skb, u64 *map)
{
	return 0;
}

void ipoib_dma_unmap_skb(struct ib_device *ibdev, struct sk_buff *skb, const u64 *map)
{
}

void ipoib_drop(struct ipoib_drops *drops, enum ipoib_drop_reason reason, unsigned int len)
{
}

void ipoib_drop_skb(struct ipoib_drops *drops, enum ipoib_drop_reason reason, struct sk_buff *skb)
{
}

/* A device that finds memory where the kernel does. */
static struct ib_device ibdev;

static int tx_slot_test_init(struct kunit *test)
{
	pages = 0;
	most = PAGES;
	return 0;
}

/* The cells are where the HCA finds them, one for each slot. */
static void slots_have_cells_of_their_own(struct kunit *test)
{
	struct ipoib_tx_slot *slots = ipoib_tx_slots_new(&ibdev, SLOTS);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, slots);
	KUNIT_EXPECT_EQ(test, pages, PAGES);
	for (i = 0; i < SLOTS; i++) {
		struct ipoib_tx_slot *slot = &slots[i];

		KUNIT_EXPECT_PTR_EQ(test, (void *)(uintptr_t)slot->cell_dma, (void *)slot->cell);
		KUNIT_EXPECT_EQ(test, offset_in_page(slot->cell), i % CELLS * IPOIB_TX_CELL);
		KUNIT_EXPECT_TRUE(test, i % CELLS == 0 ||
				  (void *)slot->cell == (void *)slot[-1].cell + IPOIB_TX_CELL);
	}
	ipoib_tx_slots_free(&ibdev, slots, SLOTS);
	KUNIT_EXPECT_EQ(test, pages, 0);
}

static void slots_that_changed_places_are_freed(struct kunit *test)
{
	struct ipoib_tx_slot *slots = ipoib_tx_slots_new(&ibdev, SLOTS);

	KUNIT_ASSERT_NOT_NULL(test, slots);
	swap(slots[0], slots[1]);
	swap(slots[1], slots[SLOTS - 1]);
	ipoib_tx_slots_free(&ibdev, slots, SLOTS);
	KUNIT_EXPECT_EQ(test, pages, 0);
}

static void without_memory_for_all_there_are_no_slots(struct kunit *test)
{
	for (most = 0; most < PAGES; most++) {
		KUNIT_EXPECT_NULL(test, ipoib_tx_slots_new(&ibdev, SLOTS));
		KUNIT_EXPECT_EQ(test, pages, 0);
	}
	ipoib_tx_slots_free(&ibdev, NULL, SLOTS);
}

static struct kunit_case tx_slot_test_cases[] = {
	KUNIT_CASE(slots_have_cells_of_their_own),
	KUNIT_CASE(slots_that_changed_places_are_freed),
	KUNIT_CASE(without_memory_for_all_there_are_no_slots),
	{}
};

static struct kunit_suite tx_slot_test_suite = {
	.name = "ipoib_tx_slot",
	.init = tx_slot_test_init,
	.test_cases = tx_slot_test_cases,
};

kunit_test_suite(tx_slot_test_suite);

MODULE_DESCRIPTION("Tests of the slots of IPoIB send rings");
MODULE_LICENSE("GPL");
