// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/prandom.h>

#include "../bucket.h"

#define RATE	100u
#define BURST	10u
#define SECOND	((u64)NSEC_PER_SEC)
#define LATE	(3 * SECOND)	/* Some time after the clock began. */

static struct ipoib_bucket full(void)
{
	struct ipoib_bucket bucket = { .interval = 1, .slack = 1, .paid_until = U64_MAX };

	ipoib_bucket_init(&bucket, RATE, BURST);
	return bucket;
}

/* Takes all that there is; returns how much. */
static unsigned int empty(struct ipoib_bucket *bucket, u64 now)
{
	unsigned int n = 0;

	while (n < 100000 && ipoib_bucket_take(bucket, now))
		n++;
	return n;
}

static void so_many_go_at_once_and_no_more(struct kunit *test)
{
	struct ipoib_bucket bucket = full();

	KUNIT_EXPECT_EQ(test, empty(&bucket, LATE), BURST);
	KUNIT_EXPECT_FALSE(test, ipoib_bucket_take(&bucket, LATE));
}

static void clock_may_begin_with_0(struct kunit *test)
{
	struct ipoib_bucket bucket = full();

	KUNIT_EXPECT_EQ(test, empty(&bucket, 0), BURST);
}

static void one_goes_after_each_interval(struct kunit *test)
{
	struct ipoib_bucket bucket = full();
	u64 now = LATE;
	int i;

	empty(&bucket, now);
	for (i = 0; i < 1000; i++) {
		KUNIT_EXPECT_EQ(test, ipoib_bucket_wait(&bucket, now), SECOND / RATE);
		KUNIT_EXPECT_FALSE(test, ipoib_bucket_take(&bucket, now + SECOND / RATE - 1));
		now += SECOND / RATE;
		KUNIT_EXPECT_EQ(test, ipoib_bucket_wait(&bucket, now), 0ull);
		KUNIT_EXPECT_TRUE(test, ipoib_bucket_take(&bucket, now));
	}
}

static void quiet_times_save_up_one_burst(struct kunit *test)
{
	struct ipoib_bucket bucket = full();

	empty(&bucket, LATE);
	KUNIT_EXPECT_EQ(test, empty(&bucket, LATE + SECOND / RATE * (BURST - 1)), BURST - 1);
	KUNIT_EXPECT_EQ(test, empty(&bucket, LATE + 1000 * SECOND), BURST);
}

static void one_that_may_not_go_costs_nothing(struct kunit *test)
{
	struct ipoib_bucket bucket = full();
	int i;

	empty(&bucket, LATE);
	for (i = 0; i < 1000; i++)
		KUNIT_EXPECT_FALSE(test, ipoib_bucket_take(&bucket, LATE));
	KUNIT_EXPECT_TRUE(test, ipoib_bucket_take(&bucket, LATE + SECOND / RATE));
}

static void no_more_than_the_rate_whenever_they_come(struct kunit *test)
{
	struct ipoib_bucket bucket = full();
	struct rnd_state random;
	unsigned int taken = 0;
	u64 now = LATE;
	int i;

	prandom_seed_state(&random, 4391);
	for (i = 0; i < 100000; i++) {
		now += prandom_u32_state(&random) % (SECOND / RATE / 2);
		taken += ipoib_bucket_take(&bucket, now);
	}
	KUNIT_EXPECT_LE(test, taken, div_u64((now - LATE) * RATE, SECOND) + BURST);
	/* And hardly fewer, for there was always one that wanted to. */
	KUNIT_EXPECT_GE(test, taken, div_u64((now - LATE) * RATE, SECOND));
}

static void a_bucket_of_zeroes_bounds_nothing(struct kunit *test)
{
	struct ipoib_bucket bucket = {};

	KUNIT_EXPECT_EQ(test, empty(&bucket, LATE), 100000u);
	KUNIT_EXPECT_EQ(test, ipoib_bucket_wait(&bucket, LATE), 0ull);
}

static struct kunit_case ipoib_bucket_cases[] = {
	KUNIT_CASE(so_many_go_at_once_and_no_more),
	KUNIT_CASE(clock_may_begin_with_0),
	KUNIT_CASE(one_goes_after_each_interval),
	KUNIT_CASE(quiet_times_save_up_one_burst),
	KUNIT_CASE(one_that_may_not_go_costs_nothing),
	KUNIT_CASE(no_more_than_the_rate_whenever_they_come),
	KUNIT_CASE(a_bucket_of_zeroes_bounds_nothing),
	{}
};

static struct kunit_suite ipoib_bucket_suite = {
	.name = "ipoib_bucket",
	.test_cases = ipoib_bucket_cases,
};

kunit_test_suite(ipoib_bucket_suite);

MODULE_DESCRIPTION("Tests of how IPoIB bounds rates");
MODULE_LICENSE("GPL");
