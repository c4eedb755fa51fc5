// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/prandom.h>

#include "../ring.h"

#define MAX_SLOTS	16
#define RANDOM_STEPS	100000

/* Where rings start: fresh, about to wrap in several ways, and past it. */
static const u32 starts[] = {
	0, 1, 7, U32_MAX - MAX_SLOTS, U32_MAX - 1, U32_MAX, S32_MAX, BIT(31),
};

/* A ring of which @start slots have been filled and emptied again. */
static struct ipoib_ring ring_after(u32 slots, u32 start)
{
	struct ipoib_ring ring;

	ipoib_ring_init(&ring, slots);
	ring.head = start;
	ring.tail = start;
	return ring;
}

static void expect_filled(struct kunit *test, const struct ipoib_ring *ring,
			  u32 filled)
{
	u32 slots = ipoib_ring_size(ring);

	KUNIT_EXPECT_EQ_MSG(test, ipoib_ring_used(ring), filled,
			    "%u slots, head %u", slots, ring->head);
	KUNIT_EXPECT_EQ_MSG(test, ipoib_ring_ready(ring), filled,
			    "%u slots, head %u", slots, ring->head);
	KUNIT_EXPECT_EQ_MSG(test, ipoib_ring_space(ring), slots - filled,
			    "%u slots, head %u", slots, ring->head);
}

static void new_ring_is_empty(struct kunit *test)
{
	struct ipoib_ring ring;
	u32 slots;

	for (slots = 1; slots; slots <<= 1) {
		memset(&ring, 0xa5, sizeof(ring));
		ipoib_ring_init(&ring, slots);
		KUNIT_EXPECT_EQ(test, ipoib_ring_size(&ring), slots);
		expect_filled(test, &ring, 0);
	}
}

static void an_empty_ring_gets_another_size_wherever_it_stands(struct kunit *test)
{
	struct ipoib_ring ring;
	u32 slots;

	ipoib_ring_init(&ring, 64);
	ipoib_ring_push(&ring, 37);
	ipoib_ring_pop(&ring, 37);
	for (slots = 1; slots; slots <<= 1) {
		ipoib_ring_resize(&ring, slots);
		KUNIT_EXPECT_EQ(test, ipoib_ring_size(&ring), slots);
		expect_filled(test, &ring, 0);
		KUNIT_EXPECT_EQ(test, ipoib_ring_slot(&ring, ring.head), 37 & (slots - 1));
	}
}

static void full_ring_has_no_space(struct kunit *test)
{
	struct ipoib_ring ring;
	u32 slots;

	for (slots = 1; slots; slots <<= 1) {
		ipoib_ring_init(&ring, slots);
		ipoib_ring_push(&ring, slots);
		expect_filled(test, &ring, slots);
		KUNIT_EXPECT_EQ(test, ipoib_ring_space(&ring), 0u);
	}
}

static void emptied_ring_has_all_its_space_again(struct kunit *test)
{
	struct ipoib_ring ring;
	u32 slots;

	for (slots = 1; slots; slots <<= 1) {
		ipoib_ring_init(&ring, slots);
		ipoib_ring_push(&ring, slots);
		ipoib_ring_pop(&ring, slots);
		expect_filled(test, &ring, 0);
	}
}

static void full_and_empty_differ_at_every_start(struct kunit *test)
{
	struct ipoib_ring ring;
	int i;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		ring = ring_after(MAX_SLOTS, starts[i]);
		expect_filled(test, &ring, 0);
		ipoib_ring_push(&ring, MAX_SLOTS);
		expect_filled(test, &ring, MAX_SLOTS);
		ipoib_ring_pop(&ring, MAX_SLOTS);
		expect_filled(test, &ring, 0);
	}
}

static void ring_of_one_slot_alternates(struct kunit *test)
{
	struct ipoib_ring ring = ring_after(1, U32_MAX - 1);
	int i;

	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, ipoib_ring_slot(&ring, ring.head), 0u);
		ipoib_ring_push(&ring, 1);
		expect_filled(test, &ring, 1);
		ipoib_ring_pop(&ring, 1);
		expect_filled(test, &ring, 0);
	}
}

/*
 * Whatever the fill, any number that fits is pushed and any number that is
 * there is popped, across the wrap as well.
 */
static void every_push_and_pop_counts(struct kunit *test)
{
	struct ipoib_ring ring, before;
	u32 slots, filled, n;
	int i;

	for (slots = 1; slots <= MAX_SLOTS; slots <<= 1)
		for (i = 0; i < ARRAY_SIZE(starts); i++)
			for (filled = 0; filled <= slots; filled++) {
				before = ring_after(slots, starts[i]);
				ipoib_ring_push(&before, filled);

				for (n = 0; n <= slots - filled; n++) {
					ring = before;
					ipoib_ring_push(&ring, n);
					expect_filled(test, &ring, filled + n);
				}
				for (n = 0; n <= filled; n++) {
					ring = before;
					ipoib_ring_pop(&ring, n);
					expect_filled(test, &ring, filled - n);
				}
			}
}

static void push_and_pop_leave_the_other_index_alone(struct kunit *test)
{
	struct ipoib_ring ring = ring_after(MAX_SLOTS, U32_MAX);

	ipoib_ring_push(&ring, 3);
	KUNIT_EXPECT_EQ(test, ring.head, 2u);
	KUNIT_EXPECT_EQ(test, ring.tail, U32_MAX);
	ipoib_ring_pop(&ring, 2);
	KUNIT_EXPECT_EQ(test, ring.head, 2u);
	KUNIT_EXPECT_EQ(test, ring.tail, 1u);
	KUNIT_EXPECT_EQ(test, ipoib_ring_size(&ring), (u32)MAX_SLOTS);
}

/* The slot after U32_MAX is the one after its own: no slot is left out. */
static void slots_follow_each_other_across_the_wrap(struct kunit *test)
{
	struct ipoib_ring ring;
	u32 slots, index, slot;
	int i;

	for (slots = 1; slots <= MAX_SLOTS; slots <<= 1) {
		ipoib_ring_init(&ring, slots);
		index = U32_MAX - 2 * slots;
		slot = ipoib_ring_slot(&ring, index);
		for (i = 0; i < 4 * slots; i++) {
			KUNIT_EXPECT_LT(test, slot, slots);
			KUNIT_EXPECT_EQ(test, ipoib_ring_slot(&ring, ++index),
					(slot + 1) % slots);
			slot = ipoib_ring_slot(&ring, index);
		}
	}
}

/*
 * A producer and a consumer that take turns at random, against a plain count
 * of what went in and came out.
 */
static void consumer_gets_what_the_producer_put_in_order(struct kunit *test)
{
	u32 slots = MAX_SLOTS / 2, n, slot;
	struct ipoib_ring ring = ring_after(slots, U32_MAX - RANDOM_STEPS);
	u64 put = 0, taken = 0, wrong = 0;
	u64 store[MAX_SLOTS / 2];
	struct rnd_state random;
	int step;

	prandom_seed_state(&random, 4391);
	for (step = 0; step < RANDOM_STEPS; step++) {
		n = prandom_u32_state(&random) % (slots + 1);
		if (prandom_u32_state(&random) % 2) {
			n = min(n, ipoib_ring_space(&ring));
			for (; n; n--) {
				slot = ipoib_ring_slot(&ring, ring.head);
				store[slot] = put++;
				ipoib_ring_push(&ring, 1);
			}
		} else {
			n = min(n, ipoib_ring_ready(&ring));
			for (; n; n--) {
				slot = ipoib_ring_slot(&ring, ring.tail);
				wrong += store[slot] != taken++;
				ipoib_ring_pop(&ring, 1);
			}
		}
		expect_filled(test, &ring, put - taken);
	}

	KUNIT_EXPECT_EQ(test, wrong, 0ull);
	KUNIT_EXPECT_LT_MSG(test, ring.tail, (u32)S32_MAX,
			    "the run was too short to wrap");
}

static void batches_count_like_single_slots(struct kunit *test)
{
	struct ipoib_ring one, many;
	struct rnd_state random;
	u32 n, i;
	int step;

	prandom_seed_state(&random, 4755);
	one = ring_after(MAX_SLOTS, U32_MAX - RANDOM_STEPS / 100);
	many = one;
	for (step = 0; step < RANDOM_STEPS / 100; step++) {
		n = prandom_u32_state(&random) % (MAX_SLOTS + 1);
		n = min(n, ipoib_ring_space(&many));
		ipoib_ring_push(&many, n);
		for (i = 0; i < n; i++)
			ipoib_ring_push(&one, 1);

		n = prandom_u32_state(&random) % (MAX_SLOTS + 1);
		n = min(n, ipoib_ring_ready(&many));
		ipoib_ring_pop(&many, n);
		for (i = 0; i < n; i++)
			ipoib_ring_pop(&one, 1);

		KUNIT_EXPECT_EQ(test, one.head, many.head);
		KUNIT_EXPECT_EQ(test, one.tail, many.tail);
	}
}

static void what_is_taken_back_was_never_there(struct kunit *test)
{
	struct ipoib_ring ring = ring_after(MAX_SLOTS, U32_MAX - 1);

	ipoib_ring_push(&ring, 5);
	ipoib_ring_unpush(&ring, 3);
	expect_filled(test, &ring, 2);
	ipoib_ring_unpush(&ring, 2);
	expect_filled(test, &ring, 0);
	KUNIT_EXPECT_EQ(test, ring.head, U32_MAX - 1);
}

static struct kunit_case ipoib_ring_cases[] = {
	KUNIT_CASE(new_ring_is_empty),
	KUNIT_CASE(an_empty_ring_gets_another_size_wherever_it_stands),
	KUNIT_CASE(full_ring_has_no_space),
	KUNIT_CASE(emptied_ring_has_all_its_space_again),
	KUNIT_CASE(full_and_empty_differ_at_every_start),
	KUNIT_CASE(ring_of_one_slot_alternates),
	KUNIT_CASE(every_push_and_pop_counts),
	KUNIT_CASE(push_and_pop_leave_the_other_index_alone),
	KUNIT_CASE(slots_follow_each_other_across_the_wrap),
	KUNIT_CASE(consumer_gets_what_the_producer_put_in_order),
	KUNIT_CASE(batches_count_like_single_slots),
	KUNIT_CASE(what_is_taken_back_was_never_there),
	{}
};

static struct kunit_suite ipoib_ring_suite = {
	.name = "ipoib_ring",
	.test_cases = ipoib_ring_cases,
};

kunit_test_suite(ipoib_ring_suite);

MODULE_DESCRIPTION("Tests of IPoIB ring indices");
MODULE_LICENSE("GPL");
