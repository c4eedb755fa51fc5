// SPDX-License-Identifier: GPL-2.0
/* Packets whose fragments are merged: what is in them, and what became of the pages. */
#include <kunit/test.h>
#include <linux/sizes.h>
#include <linux/skbuff.h>

/* How many pieces there are before one fails; what is a clone cannot be made another thing. */
static unsigned int room;
static bool stays_clone;

#define skb_unclone(_skb, _gfp) (stays_clone ? -ENOMEM : skb_unclone(_skb, _gfp))
#define skb_copy_bits(...) (room ? room--, skb_copy_bits(__VA_ARGS__) : -EFAULT)
#include "../pieces.c"
#undef skb_copy_bits

#define HEAD	44
/* Where pages are larger, none of these is full. */
#define FRAG	SZ_4K

static u8 octet(unsigned int at)
{
	return at * 7 + at / 256;
}

/* A packet of a head, and so many fragments of 4 KiB each but for the last, which has 100. */
static struct sk_buff *packet(struct kunit *test, unsigned int frags)
{
	struct sk_buff *skb = alloc_skb(HEAD, GFP_KERNEL);
	unsigned int i, j, at = HEAD;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	for (i = 0; i < HEAD; i++)
		*(u8 *)skb_put(skb, 1) = octet(i);
	for (i = 0; i < frags; i++) {
		unsigned int len = i + 1 < frags ? FRAG : 100;
		struct page *page = alloc_page(GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, page);
		for (j = 0; j < len; j++)
			((u8 *)page_address(page))[j] = octet(at++);
		skb_add_rx_frag(skb, i, page, 0, len, PAGE_SIZE);
	}
	return skb;
}

static void is_whole(struct kunit *test, const struct sk_buff *skb, unsigned int frags)
{
	unsigned int i, wrong = 0, len = HEAD + (frags - 1) * FRAG + 100;
	u8 *data = kunit_kmalloc(test, len, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, data);
	KUNIT_EXPECT_EQ(test, skb->len, len);
	KUNIT_EXPECT_EQ(test, skb_copy_bits(skb, 0, data, len), 0);
	for (i = 0; i < len; i++)
		wrong += data[i] != octet(i);
	KUNIT_EXPECT_EQ(test, wrong, 0);
}

static int pieces_test_init(struct kunit *test)
{
	room = UINT_MAX;
	stays_clone = false;
	return 0;
}

static void as_few_as_possible_are_copied(struct kunit *test)
{
	struct sk_buff *skb = packet(test, 16);
	struct page *first = skb_frag_page(&skb_shinfo(skb)->frags[0]);
	unsigned int truesize = skb->truesize;

	KUNIT_EXPECT_TRUE(test, ipoib_pieces_merge(skb, 12));
	is_whole(test, skb, 16);
	KUNIT_EXPECT_EQ(test, skb_shinfo(skb)->nr_frags, 12);
	KUNIT_EXPECT_PTR_EQ(test, skb_frag_page(&skb_shinfo(skb)->frags[0]), first);
	KUNIT_EXPECT_EQ(test, skb_frag_size(&skb_shinfo(skb)->frags[10]), FRAG);
	KUNIT_EXPECT_EQ(test, skb_frag_size(&skb_shinfo(skb)->frags[11]), 4 * FRAG + 100);
	KUNIT_EXPECT_EQ(test, skb->truesize, truesize);
	kfree_skb(skb);
}

static void a_long_end_takes_several(struct kunit *test)
{
	struct sk_buff *skb = packet(test, 16);

	KUNIT_EXPECT_TRUE(test, ipoib_pieces_merge(skb, 3));
	is_whole(test, skb, 16);
	KUNIT_EXPECT_LE(test, skb_shinfo(skb)->nr_frags, 3);
	KUNIT_EXPECT_EQ(test, skb_headlen(skb), HEAD);
	kfree_skb(skb);
}

static void what_cannot_be_merged_into_so_few_is_made_linear(struct kunit *test)
{
	struct sk_buff *skb = packet(test, 5);

	KUNIT_EXPECT_TRUE(test, ipoib_pieces_merge(skb, 0));
	is_whole(test, skb, 5);
	KUNIT_EXPECT_EQ(test, skb_shinfo(skb)->nr_frags, 0);
	kfree_skb(skb);
}

static void a_clone_keeps_its_own(struct kunit *test)
{
	struct sk_buff *skb = packet(test, 8), *clone = skb_clone(skb, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, clone);
	KUNIT_EXPECT_TRUE(test, ipoib_pieces_merge(clone, 2));
	is_whole(test, clone, 8);
	KUNIT_EXPECT_EQ(test, skb_shinfo(clone)->nr_frags, 2);
	kfree_skb(clone);
	is_whole(test, skb, 8);
	KUNIT_EXPECT_EQ(test, skb_shinfo(skb)->nr_frags, 8);
	kfree_skb(skb);
}

static void an_end_of_nothing_is_left_out(struct kunit *test)
{
	struct sk_buff *skb = packet(test, 3);
	skb_frag_t *last = &skb_shinfo(skb)->frags[2];

	skb->len -= 100;
	skb->data_len -= 100;
	skb_frag_size_set(last, 0);
	KUNIT_EXPECT_TRUE(test, ipoib_pieces_merge(skb, 2));
	KUNIT_EXPECT_EQ(test, skb_shinfo(skb)->nr_frags, 2);
	KUNIT_EXPECT_EQ(test, skb->len, HEAD + 2 * FRAG);
	kfree_skb(skb);
}

static void what_cannot_be_copied_stays_as_it_was(struct kunit *test)
{
	struct sk_buff *skb = packet(test, 16);

	for (room = 0; room < 2; room++) {
		unsigned int had = room;

		KUNIT_EXPECT_FALSE(test, ipoib_pieces_merge(skb, 3));
		KUNIT_EXPECT_EQ(test, skb_shinfo(skb)->nr_frags, 16);
		is_whole(test, skb, 16);
		room = had;
	}
	room = UINT_MAX;
	stays_clone = true;
	KUNIT_EXPECT_FALSE(test, ipoib_pieces_merge(skb, 3));
	KUNIT_EXPECT_EQ(test, skb_shinfo(skb)->nr_frags, 16);
	kfree_skb(skb);
}

static struct kunit_case pieces_test_cases[] = {
	KUNIT_CASE(as_few_as_possible_are_copied),
	KUNIT_CASE(a_long_end_takes_several),
	KUNIT_CASE(what_cannot_be_merged_into_so_few_is_made_linear),
	KUNIT_CASE(a_clone_keeps_its_own),
	KUNIT_CASE(an_end_of_nothing_is_left_out),
	KUNIT_CASE(what_cannot_be_copied_stays_as_it_was),
	{}
};

static struct kunit_suite pieces_test_suite = {
	.name = "ipoib_pieces",
	.init = pieces_test_init,
	.test_cases = pieces_test_cases,
};

kunit_test_suite(pieces_test_suite);

MODULE_DESCRIPTION("Tests of merging the fragments of packets");
MODULE_LICENSE("GPL");
