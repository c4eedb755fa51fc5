// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>

#include "../wire.h"

static bool known(unsigned int proto)
{
	return ipoib_proto_known(cpu_to_be16(proto));
}

static void protocols_of_rfc4391_are_known(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, known(0x0800));
	KUNIT_EXPECT_TRUE(test, known(0x86dd));
	KUNIT_EXPECT_TRUE(test, known(0x0806));
	KUNIT_EXPECT_TRUE(test, known(0x8035));
}

static void tipc_is_known_to_linux(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, known(0x88ca));
}

static void nothing_else_is_known(struct kunit *test)
{
	unsigned int count = 0;
	unsigned int proto;

	for (proto = 0; proto <= U16_MAX; proto++)
		count += known(proto);
	KUNIT_EXPECT_EQ(test, count, 5u);
}

static struct kunit_case ipoib_wire_cases[] = {
	KUNIT_CASE(protocols_of_rfc4391_are_known),
	KUNIT_CASE(tipc_is_known_to_linux),
	KUNIT_CASE(nothing_else_is_known),
	{}
};

static struct kunit_suite ipoib_wire_suite = {
	.name = "ipoib_wire",
	.test_cases = ipoib_wire_cases,
};

kunit_test_suite(ipoib_wire_suite);

MODULE_DESCRIPTION("Tests of the EtherTypes that IPoIB carries");
MODULE_LICENSE("GPL");
