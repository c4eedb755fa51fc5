// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/prandom.h>

#include "../backoff.c"

#define RANDOM_TRIES	10000
#define NO_JITTER	0

static const struct ipoib_backoff usual = { .min_ms = 1000, .max_ms = 16000 };

/* Limits that somebody may come up with, sensible or not. */
static const struct ipoib_backoff limits[] = {
	{ .min_ms = 1000,	.max_ms = 16000 },
	{ .min_ms = 1000,	.max_ms = 15999 },
	{ .min_ms = 1,		.max_ms = 1 },
	{ .min_ms = 3,		.max_ms = 1000 },
	{ .min_ms = 5000,	.max_ms = 1000 },
	{ .min_ms = 1,		.max_ms = U32_MAX },
	{ .min_ms = U32_MAX,	.max_ms = U32_MAX },
	{ .min_ms = U32_MAX,	.max_ms = 1 },
};

static const u32 failure_counts[] = {
	0, 1, 2, 3, 4, 5, 6, 16, 31, 32, 33, 34, 63, 64, 65, 1000, S32_MAX,
	BIT(31), U32_MAX - 1, U32_MAX,
};

static void first_failure_waits_the_shortest_delay(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ipoib_backoff_ms(&usual, 1, NO_JITTER), 1000u);
}

static void no_failure_counts_as_one(struct kunit *test)
{
	struct rnd_state random;
	u32 r;
	int i;

	prandom_seed_state(&random, 4391);
	for (i = 0; i < RANDOM_TRIES; i++) {
		r = prandom_u32_state(&random);
		KUNIT_EXPECT_EQ(test, ipoib_backoff_ms(&usual, 0, r),
				ipoib_backoff_ms(&usual, 1, r));
	}
}

static void every_failure_doubles_the_delay(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ipoib_backoff_ms(&usual, 2, NO_JITTER), 2000u);
	KUNIT_EXPECT_EQ(test, ipoib_backoff_ms(&usual, 3, NO_JITTER), 4000u);
	KUNIT_EXPECT_EQ(test, ipoib_backoff_ms(&usual, 4, NO_JITTER), 8000u);
	KUNIT_EXPECT_EQ(test, ipoib_backoff_ms(&usual, 5, NO_JITTER), 16000u);
}

static void doubling_ends_at_the_cap(struct kunit *test)
{
	static const struct ipoib_backoff odd = {
		.min_ms = 1000, .max_ms = 5000,
	};
	u32 failures;

	KUNIT_EXPECT_EQ(test, ipoib_backoff_ms(&odd, 3, NO_JITTER), 4000u);
	for (failures = 4; failures < 200; failures++)
		KUNIT_EXPECT_EQ(test,
				ipoib_backoff_ms(&odd, failures, NO_JITTER),
				5000u);
}

/* The delay must not fall back to a short one by an overflow. */
static void delay_never_shrinks_with_failures(struct kunit *test)
{
	u32 delay, last;
	int i, j;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		last = 0;
		for (j = 0; j < ARRAY_SIZE(failure_counts); j++) {
			delay = ipoib_backoff_ms(&limits[i], failure_counts[j],
						 NO_JITTER);
			KUNIT_EXPECT_GE_MSG(test, delay, last,
					    "%u to %u ms, %u failures",
					    limits[i].min_ms, limits[i].max_ms,
					    failure_counts[j]);
			last = delay;
		}
	}
}

/* However far the limits are apart: 1 << 32 is more than any of them. */
static void enough_failures_reach_the_cap(struct kunit *test)
{
	static const u32 enough[] = { 33, 34, 64, 65, 1000, U32_MAX };
	u32 delay;
	int i, j;

	for (i = 0; i < ARRAY_SIZE(limits); i++)
		for (j = 0; j < ARRAY_SIZE(enough); j++) {
			delay = ipoib_backoff_ms(&limits[i], enough[j],
						 NO_JITTER);
			KUNIT_EXPECT_EQ_MSG(test, delay, limits[i].max_ms,
					    "%u to %u ms, %u failures",
					    limits[i].min_ms, limits[i].max_ms,
					    enough[j]);
		}
}

static void cap_below_the_shortest_delay_wins(struct kunit *test)
{
	static const struct ipoib_backoff swapped = {
		.min_ms = 5000, .max_ms = 1000,
	};

	KUNIT_EXPECT_EQ(test, ipoib_backoff_ms(&swapped, 1, NO_JITTER), 1000u);
	KUNIT_EXPECT_EQ(test, ipoib_backoff_ms(&swapped, 9, NO_JITTER), 1000u);
}

static void expect_jitter_bounds(struct kunit *test,
				 const struct ipoib_backoff *b, u32 failures,
				 u32 random)
{
	u32 full = ipoib_backoff_ms(b, failures, NO_JITTER);
	u32 delay = ipoib_backoff_ms(b, failures, random);

	KUNIT_EXPECT_LE_MSG(test, delay, full, "%u to %u ms, %u failures, %08x",
			    b->min_ms, b->max_ms, failures, random);
	KUNIT_EXPECT_GE_MSG(test, delay, full - full / 4,
			    "%u to %u ms, %u failures, %08x", b->min_ms,
			    b->max_ms, failures, random);
}

static void jitter_takes_off_a_quarter_at_most(struct kunit *test)
{
	static const u32 extremes[] = {
		0, 1, S32_MAX, BIT(31), U32_MAX - 1, U32_MAX,
	};
	struct rnd_state random;
	int i, j, k;

	prandom_seed_state(&random, 4391);
	for (i = 0; i < ARRAY_SIZE(limits); i++)
		for (j = 0; j < ARRAY_SIZE(failure_counts); j++) {
			for (k = 0; k < ARRAY_SIZE(extremes); k++)
				expect_jitter_bounds(test, &limits[i],
						     failure_counts[j],
						     extremes[k]);
			for (k = 0; k < 100; k++)
				expect_jitter_bounds(test, &limits[i],
						     failure_counts[j],
						     prandom_u32_state(&random));
		}
}

static void any_failure_count_stays_within_the_limits(struct kunit *test)
{
	struct rnd_state random;
	u32 failures, delay;
	int i;

	prandom_seed_state(&random, 4391);
	for (i = 0; i < RANDOM_TRIES; i++) {
		failures = prandom_u32_state(&random) >> (i % 32);
		delay = ipoib_backoff_ms(&usual, failures,
					 prandom_u32_state(&random));
		KUNIT_EXPECT_GE(test, delay, usual.min_ms * 3 / 4);
		KUNIT_EXPECT_LE(test, delay, usual.max_ms);
	}
}

static void jitter_uses_the_whole_quarter(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ipoib_backoff_ms(&usual, 1, 0), 1000u);
	KUNIT_EXPECT_EQ(test, ipoib_backoff_ms(&usual, 1, BIT(31)), 875u);
	KUNIT_EXPECT_EQ(test, ipoib_backoff_ms(&usual, 1, U32_MAX), 751u);
}

static void jitter_is_spread_evenly(struct kunit *test)
{
	unsigned int fill[5] = {};
	struct rnd_state random;
	u32 delay;
	int i;

	prandom_seed_state(&random, 4391);
	for (i = 0; i < RANDOM_TRIES; i++) {
		delay = ipoib_backoff_ms(&usual, 1, prandom_u32_state(&random));
		fill[min((1000 - delay) / 50, 4u)]++;
	}

	/* 2000 are due; 200 are five standard deviations. */
	for (i = 0; i < ARRAY_SIZE(fill); i++) {
		KUNIT_EXPECT_GT_MSG(test, fill[i], 1800u, "from %d ms",
				    1000 - 50 * i);
		KUNIT_EXPECT_LT_MSG(test, fill[i], 2200u, "from %d ms",
				    1000 - 50 * i);
	}
}

/* A delay of 0 would be a busy loop. */
static void delay_is_never_zero(struct kunit *test)
{
	struct rnd_state random;
	u32 delay;
	int i, j;

	prandom_seed_state(&random, 4391);
	for (i = 0; i < ARRAY_SIZE(limits); i++)
		for (j = 0; j < ARRAY_SIZE(failure_counts); j++) {
			delay = ipoib_backoff_ms(&limits[i], failure_counts[j],
						 U32_MAX);
			KUNIT_EXPECT_GT(test, delay, 0u);
			delay = ipoib_backoff_ms(&limits[i], failure_counts[j],
						 prandom_u32_state(&random));
			KUNIT_EXPECT_GT(test, delay, 0u);
		}
}

static void periods_are_spread_by_a_quarter_each_way(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ipoib_backoff_spread(300000, 0), 225000ul);
	KUNIT_EXPECT_EQ(test, ipoib_backoff_spread(300000, BIT(31)), 300000ul);
	KUNIT_EXPECT_EQ(test, ipoib_backoff_spread(300000, U32_MAX), 374999ul);
	KUNIT_EXPECT_EQ(test, ipoib_backoff_spread(1, U32_MAX), 1ul);
}

static struct kunit_case ipoib_backoff_cases[] = {
	KUNIT_CASE(first_failure_waits_the_shortest_delay),
	KUNIT_CASE(no_failure_counts_as_one),
	KUNIT_CASE(every_failure_doubles_the_delay),
	KUNIT_CASE(doubling_ends_at_the_cap),
	KUNIT_CASE(delay_never_shrinks_with_failures),
	KUNIT_CASE(enough_failures_reach_the_cap),
	KUNIT_CASE(cap_below_the_shortest_delay_wins),
	KUNIT_CASE(jitter_takes_off_a_quarter_at_most),
	KUNIT_CASE(any_failure_count_stays_within_the_limits),
	KUNIT_CASE(jitter_uses_the_whole_quarter),
	KUNIT_CASE(jitter_is_spread_evenly),
	KUNIT_CASE(delay_is_never_zero),
	KUNIT_CASE(periods_are_spread_by_a_quarter_each_way),
	{}
};

static struct kunit_suite ipoib_backoff_suite = {
	.name = "ipoib_backoff",
	.test_cases = ipoib_backoff_cases,
};

kunit_test_suite(ipoib_backoff_suite);

MODULE_DESCRIPTION("Tests of IPoIB retry delays");
MODULE_LICENSE("GPL");
