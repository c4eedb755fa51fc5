// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>

#include "../keys.c"

static void members_of_one_partition(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, ibds_pkey_match(0x8001, 0x8001));
	KUNIT_EXPECT_TRUE(test, ibds_pkey_match(0x8001, 0x0001));
	KUNIT_EXPECT_TRUE(test, ibds_pkey_match(0x0001, 0x8001));
	KUNIT_EXPECT_TRUE(test, ibds_pkey_match(0xffff, 0x7fff));
}

static void limited_members_are_apart(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, ibds_pkey_match(0x0001, 0x0001));
	KUNIT_EXPECT_FALSE(test, ibds_pkey_match(0x7fff, 0x7fff));
}

static void partitions_are_apart(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, ibds_pkey_match(0x8001, 0x8002));
	KUNIT_EXPECT_FALSE(test, ibds_pkey_match(0xffff, 0x8001));
}

static void zero_is_no_partition(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, ibds_pkey_match(0, 0));
	KUNIT_EXPECT_FALSE(test, ibds_pkey_match(0x8000, 0x8000));
	KUNIT_EXPECT_FALSE(test, ibds_pkey_match(0x8000, 0));
}

static void match_is_symmetric(struct kunit *test)
{
	static const u16 keys[] = { 0, 1, 2, 0x7fff, 0x8000, 0x8001, 0x8002,
				    0xffff };
	int i, j;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		for (j = 0; j < ARRAY_SIZE(keys); j++)
			KUNIT_EXPECT_EQ(test, ibds_pkey_match(keys[i], keys[j]),
					ibds_pkey_match(keys[j], keys[i]));
}

static void find_prefers_full_membership(struct kunit *test)
{
	static const u16 table[] = { 0, 0x0001, 0x8002, 0x8001 };

	KUNIT_EXPECT_EQ(test, ibds_pkey_find(table, 4, 0x8001), 3);
	KUNIT_EXPECT_EQ(test, ibds_pkey_find(table, 3, 0x8001), 1);
	KUNIT_EXPECT_EQ(test, ibds_pkey_find(table, 3, 0x0001), -ENOENT);
	KUNIT_EXPECT_EQ(test, ibds_pkey_find(table, 4, 0x0002), 2);
	KUNIT_EXPECT_EQ(test, ibds_pkey_find(table, 4, 0), -ENOENT);
}

static void privileged_qkey_means_own(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ibds_qkey_of_wr(0x1234, 0xb1b), 0x1234u);
	KUNIT_EXPECT_EQ(test, ibds_qkey_of_wr(0x80000000, 0xb1b), 0xb1bu);
	KUNIT_EXPECT_EQ(test, ibds_qkey_of_wr(0x80010000, 0x80010000),
			0x80010000u);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(members_of_one_partition),
	KUNIT_CASE(limited_members_are_apart),
	KUNIT_CASE(partitions_are_apart),
	KUNIT_CASE(zero_is_no_partition),
	KUNIT_CASE(match_is_symmetric),
	KUNIT_CASE(find_prefers_full_membership),
	KUNIT_CASE(privileged_qkey_means_own),
	{ }
};

static struct kunit_suite suite = {
	.name = "ibdevsim_keys",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("Tests of what keys let through");
MODULE_LICENSE("GPL");
