// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>

#include "../walk.c"

#define PORTS	8

/* A request with this route; at the first switch the pointer is 1. */
static struct ib_smp request(const u8 *route, u8 hops)
{
	struct ib_smp smp = {
		.mgmt_class = IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE,
		.hop_cnt = hops,
		.hop_ptr = 1,
		.dr_slid = cpu_to_be16(IBDS_LID_PERMISSIVE),
		.dr_dlid = cpu_to_be16(IBDS_LID_PERMISSIVE),
	};

	memcpy(smp.initial_path, route, hops + 1);
	return smp;
}

static void request_for_the_switch(struct kunit *test)
{
	static const u8 route[] = { 0, 1 };
	struct ib_smp smp = request(route, 1);
	u8 egress = 0;

	KUNIT_EXPECT_EQ(test, ibds_walk(&smp, 3, PORTS, &egress), IBDS_HOP_HERE);
	KUNIT_EXPECT_EQ(test, smp.return_path[1], 3);
	KUNIT_EXPECT_EQ(test, smp.hop_ptr, 2);
}

static void answer_of_the_switch(struct kunit *test)
{
	static const u8 route[] = { 0, 1 };
	struct ib_smp smp = request(route, 1);
	u8 egress = 0;

	ibds_walk(&smp, 3, PORTS, &egress);
	ibds_walk_turn(&smp);
	KUNIT_EXPECT_EQ(test, ibds_walk(&smp, 0, PORTS, &egress),
			IBDS_HOP_FORWARD);
	KUNIT_EXPECT_EQ(test, egress, 3);
	/* The requester's own step ends it. */
	KUNIT_EXPECT_EQ(test, smp.hop_ptr, 1);
}

static void request_through_the_switch(struct kunit *test)
{
	static const u8 route[] = { 0, 1, 5 };
	struct ib_smp smp = request(route, 2);
	u8 egress = 0;

	KUNIT_EXPECT_EQ(test, ibds_walk(&smp, 2, PORTS, &egress),
			IBDS_HOP_FORWARD);
	KUNIT_EXPECT_EQ(test, egress, 5);
	KUNIT_EXPECT_EQ(test, smp.return_path[1], 2);
	KUNIT_EXPECT_EQ(test, smp.hop_ptr, 2);
}

static void answer_through_the_switch(struct kunit *test)
{
	static const u8 route[] = { 0, 1, 5 };
	struct ib_smp smp = request(route, 2);
	u8 egress = 0;

	ibds_walk(&smp, 2, PORTS, &egress);
	/* The far HCA ends the way there, and begins the one back. */
	smp.return_path[2] = 1;
	smp.hop_ptr = 2;
	ibds_walk_turn(&smp);
	KUNIT_EXPECT_EQ(test, ibds_walk(&smp, 5, PORTS, &egress),
			IBDS_HOP_FORWARD);
	KUNIT_EXPECT_EQ(test, egress, 2);
	KUNIT_EXPECT_EQ(test, smp.hop_ptr, 1);
}

static void ports_that_are_not_there(struct kunit *test)
{
	static const u8 beyond[] = { 0, 1, PORTS + 1 }, zero[] = { 0, 1, 0 };
	struct ib_smp a = request(beyond, 2), b = request(zero, 2);
	u8 egress = 0;

	KUNIT_EXPECT_EQ(test, ibds_walk(&a, 2, PORTS, &egress), IBDS_HOP_DROP);
	KUNIT_EXPECT_EQ(test, ibds_walk(&b, 2, PORTS, &egress), IBDS_HOP_DROP);
}

/* Whatever comes in, the arrays are not left. */
static void every_pointer_and_count(struct kunit *test)
{
	unsigned int ptr, cnt, back;

	for (back = 0; back < 2; back++)
		for (cnt = 0; cnt < 256; cnt++)
			for (ptr = 0; ptr < 256; ptr++) {
				static const u8 route[] = { 0, 1 };
				struct ib_smp smp = request(route, 1);
				enum ibds_hop hop;
				u8 egress = 0;

				memset(smp.initial_path, 1, IB_SMP_MAX_PATH_HOPS);
				memset(smp.return_path, 1, IB_SMP_MAX_PATH_HOPS);
				smp.hop_cnt = cnt;
				smp.hop_ptr = ptr;
				if (back)
					ibds_walk_turn(&smp);
				hop = ibds_walk(&smp, 1, PORTS, &egress);
				if (cnt >= IB_SMP_MAX_PATH_HOPS || ptr > cnt + 1)
					KUNIT_EXPECT_EQ(test, hop, IBDS_HOP_DROP);
				if (hop == IBDS_HOP_FORWARD)
					KUNIT_EXPECT_EQ(test, egress, 1);
			}
}

static void routes_by_lid_are_refused(struct kunit *test)
{
	static const u8 route[] = { 0, 1 };
	struct ib_smp smp = request(route, 1);
	u8 egress = 0;

	smp.dr_slid = cpu_to_be16(1);
	KUNIT_EXPECT_EQ(test, ibds_walk(&smp, 3, PORTS, &egress), IBDS_HOP_DROP);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(request_for_the_switch),
	KUNIT_CASE(answer_of_the_switch),
	KUNIT_CASE(request_through_the_switch),
	KUNIT_CASE(answer_through_the_switch),
	KUNIT_CASE(ports_that_are_not_there),
	KUNIT_CASE(every_pointer_and_count),
	KUNIT_CASE(routes_by_lid_are_refused),
	{ }
};

static struct kunit_suite suite = {
	.name = "ibdevsim_walk",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("Tests of the ways of directed-route packets");
MODULE_LICENSE("GPL");
