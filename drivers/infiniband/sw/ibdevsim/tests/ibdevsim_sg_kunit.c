// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>

#include "../sg.h"

static char from[12], to[12];

/* Three elements of @memory, of 4, 6 and 2 octets */
static void three(struct ib_sge *list, char *memory)
{
	static const u32 lengths[] = { 4, 6, 2 };
	int i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		list[i].addr = (uintptr_t)memory;
		list[i].length = lengths[i];
		list[i].lkey = IBDS_LKEY_OWN;
		memory += lengths[i];
	}
}

static void skip_stays_in_an_element(struct kunit *test)
{
	struct ib_sge list[3];
	struct ibds_cursor at = { .sge = list };

	three(list, from);
	ibds_sg_skip(&at, 3);
	KUNIT_EXPECT_PTR_EQ(test, at.sge, (const struct ib_sge *)list);
	KUNIT_EXPECT_EQ(test, at.off, 3);
}

static void skip_goes_over_elements(struct kunit *test)
{
	struct ib_sge list[3];
	struct ibds_cursor at = { .sge = list };

	three(list, from);
	ibds_sg_skip(&at, 11);
	KUNIT_EXPECT_PTR_EQ(test, at.sge, (const struct ib_sge *)list + 2);
	KUNIT_EXPECT_EQ(test, at.off, 1);
}

/* What stands behind the list is not looked at: there is nothing. */
static void skip_of_all_ends_behind_the_list(struct kunit *test)
{
	struct ib_sge list[3];
	struct ibds_cursor at = { .sge = list };

	three(list, from);
	ibds_sg_skip(&at, 12);
	KUNIT_EXPECT_PTR_EQ(test, at.sge, (const struct ib_sge *)list + 3);
	KUNIT_EXPECT_EQ(test, at.off, 0);
}

static void copy_takes_no_notice_of_elements(struct kunit *test)
{
	struct ib_sge one[1] = { { .addr = (uintptr_t)to, .length = sizeof(to) } };
	struct ib_sge list[3];
	struct ibds_cursor src = { .sge = list }, dst = { .sge = one };

	three(list, from);
	memcpy(from, "abcdefghijkl", sizeof(from));
	memset(to, '.', sizeof(to));
	ibds_sg_skip(&src, 3);
	ibds_sg_copy(&dst, &src, 8);
	KUNIT_EXPECT_EQ(test, memcmp(to, "defghijk....", sizeof(to)), 0);
	KUNIT_EXPECT_PTR_EQ(test, src.sge, (const struct ib_sge *)list + 2);
	KUNIT_EXPECT_EQ(test, dst.off, 8);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(skip_stays_in_an_element),
	KUNIT_CASE(skip_goes_over_elements),
	KUNIT_CASE(skip_of_all_ends_behind_the_list),
	KUNIT_CASE(copy_takes_no_notice_of_elements),
	{ }
};

static struct kunit_suite suite = {
	.name = "ibdevsim_sg",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("Tests of ibdevsim's scatter/gather lists");
MODULE_LICENSE("GPL");
