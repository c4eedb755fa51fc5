// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/delay.h>

#include "../turns.c"

#define LIMIT		32u
#define QUESTIONS	100

/* One interface and what it wants to know. */
struct asker {
	struct ipoib_turn_share share;
	struct ipoib_turn turns[QUESTIONS];
	struct work_struct works[QUESTIONS];
};

static void asked(struct work_struct *work)
{
}

static struct asker *asker(struct kunit *test)
{
	struct asker *asker = kunit_kzalloc(test, sizeof(*asker), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, asker);
	ipoib_turn_share_init(&asker->share);
	for (i = 0; i < QUESTIONS; i++) {
		INIT_WORK(&asker->works[i], asked);
		asker->turns[i].wq = system_wq;
		asker->turns[i].work = &asker->works[i];
		asker->turns[i].share = &asker->share;
	}
	return asker;
}

/* So many a second may begin, and as many at once. */
static struct ipoib_turns *turns(struct kunit *test, unsigned int limit, u32 rate)
{
	struct ipoib_turns *turns = kunit_kzalloc(test, sizeof(*turns), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, turns);
	/* Without a rate there is none, whatever was there before. */
	turns->rate.interval = NSEC_PER_SEC;
	turns->rate.paid_until = U64_MAX;
	ipoib_turns_init(turns, limit, system_wq, rate, rate);
	return turns;
}

static void ask_all(struct ipoib_turns *turns, struct asker *asker)
{
	int i;

	for (i = 0; i < QUESTIONS; i++)
		ipoib_turn_ask(turns, &asker->turns[i]);
}

/* Nothing of a test may run after it. */
static void end_all(struct ipoib_turns *turns, struct asker *asker)
{
	int i;

	for (i = 0; i < QUESTIONS; i++) {
		ipoib_turn_end(turns, &asker->turns[i]);
		cancel_work_sync(&asker->works[i]);
	}
}

static bool has(const struct asker *asker, int i)
{
	return asker->turns[i].state == IPOIB_TURN_HAS;
}

/* The first question that has a turn. */
static struct ipoib_turn *open_one(struct asker *asker)
{
	int i;

	for (i = 0; i < QUESTIONS; i++)
		if (has(asker, i))
			return &asker->turns[i];
	return NULL;
}

static void asks_for_all(struct kunit *test, u32 rate)
{
	struct ipoib_turns *t = turns(test, LIMIT, rate);
	struct asker *greedy = asker(test);

	ask_all(t, greedy);
	KUNIT_EXPECT_EQ(test, greedy->share.has, LIMIT / 4 * 3);
	KUNIT_EXPECT_EQ(test, t->left, LIMIT / 4);

	end_all(t, greedy);
	KUNIT_EXPECT_EQ(test, t->left, LIMIT);
	ipoib_turns_exit(t);
}

/* Whoever asks a thousand times must not have all that there is. */
static void one_alone_leaves_a_quarter(struct kunit *test)
{
	asks_for_all(test, 1000);
}

static void without_a_rate_nobody_waits_for_it(struct kunit *test)
{
	asks_for_all(test, 0);
}

static void who_comes_later_need_not_wait(struct kunit *test)
{
	struct ipoib_turns *t = turns(test, LIMIT, 1000);
	struct asker *greedy = asker(test);
	struct asker *modest = asker(test);

	ask_all(t, greedy);
	ipoib_turn_ask(t, &modest->turns[0]);
	KUNIT_EXPECT_TRUE(test, has(modest, 0));

	end_all(t, greedy);
	end_all(t, modest);
	ipoib_turns_exit(t);
}

/* Where there is one turn, as for lists, it can be had. */
static void a_single_turn_goes_round(struct kunit *test)
{
	struct ipoib_turns *t = turns(test, 1, 1000);
	struct asker *greedy = asker(test);
	struct asker *modest = asker(test);

	ask_all(t, greedy);
	KUNIT_EXPECT_EQ(test, greedy->share.has, 1u);
	ipoib_turn_ask(t, &modest->turns[0]);
	KUNIT_EXPECT_FALSE(test, has(modest, 0));
	ipoib_turn_end(t, open_one(greedy));
	if (!has(modest, 0))
		ipoib_turn_end(t, open_one(greedy));
	KUNIT_EXPECT_TRUE(test, has(modest, 0));

	end_all(t, greedy);
	end_all(t, modest);
	ipoib_turns_exit(t);
}

/* Neither those that come later nor those that were there before go first for ever. */
static void newest_and_oldest_go_by_turns(struct kunit *test)
{
	struct ipoib_turns *t = turns(test, 1, 1000);
	struct asker *one = asker(test);

	ask_all(t, one);
	KUNIT_EXPECT_TRUE(test, has(one, 0));
	ipoib_turn_end(t, &one->turns[0]);
	KUNIT_EXPECT_TRUE(test, has(one, 1));
	ipoib_turn_end(t, &one->turns[1]);
	KUNIT_EXPECT_TRUE(test, has(one, QUESTIONS - 1));
	ipoib_turn_end(t, &one->turns[QUESTIONS - 1]);
	KUNIT_EXPECT_TRUE(test, has(one, 2));

	end_all(t, one);
	ipoib_turns_exit(t);
}

static void no_more_begin_than_the_rate(struct kunit *test)
{
	struct ipoib_turns *t = turns(test, LIMIT, 3);
	struct asker *one = asker(test);

	ask_all(t, one);
	KUNIT_EXPECT_EQ(test, one->share.has, 3u);
	KUNIT_EXPECT_TRUE(test, delayed_work_pending(&t->later));
	/* Answers make room for others, but not before it is time. */
	ipoib_turn_end(t, open_one(one));
	KUNIT_EXPECT_EQ(test, one->share.has, 2u);

	end_all(t, one);
	ipoib_turns_exit(t);
}

static void those_that_wait_for_the_rate_get_their_turn(struct kunit *test)
{
	struct ipoib_turns *t = turns(test, LIMIT, 20);
	struct asker *one = asker(test);

	ask_all(t, one);
	KUNIT_EXPECT_EQ(test, one->share.has, 20u);
	/* One twentieth of a second later, and a tick. */
	flush_delayed_work(&t->later);
	msleep(100);
	flush_delayed_work(&t->later);
	KUNIT_EXPECT_GT(test, one->share.has, 20u);

	end_all(t, one);
	ipoib_turns_exit(t);
}

static void who_gives_up_waiting_leaves_nothing_behind(struct kunit *test)
{
	struct ipoib_turns *t = turns(test, LIMIT, 1000);
	struct asker *one = asker(test);

	ask_all(t, one);
	end_all(t, one);
	end_all(t, one);
	KUNIT_EXPECT_EQ(test, t->left, LIMIT);
	KUNIT_EXPECT_EQ(test, one->share.has, 0u);
	KUNIT_EXPECT_TRUE(test, list_empty(&one->share.waiting));
	KUNIT_EXPECT_TRUE(test, list_empty(&t->shares));
	ipoib_turns_exit(t);
}

static struct kunit_case ipoib_turns_cases[] = {
	KUNIT_CASE(one_alone_leaves_a_quarter),
	KUNIT_CASE(without_a_rate_nobody_waits_for_it),
	KUNIT_CASE(who_comes_later_need_not_wait),
	KUNIT_CASE(a_single_turn_goes_round),
	KUNIT_CASE(newest_and_oldest_go_by_turns),
	KUNIT_CASE(no_more_begin_than_the_rate),
	KUNIT_CASE(those_that_wait_for_the_rate_get_their_turn),
	KUNIT_CASE(who_gives_up_waiting_leaves_nothing_behind),
	{}
};

static struct kunit_suite ipoib_turns_suite = {
	.name = "ipoib_turns",
	.test_cases = ipoib_turns_cases,
};

kunit_test_suite(ipoib_turns_suite);

MODULE_DESCRIPTION("Tests of the turns in which IPoIB asks");
MODULE_LICENSE("GPL");
