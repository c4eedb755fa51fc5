// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>

#include "../migfsm.c"

#define STATES	(IB_MIG_ARMED + 1)

static enum ibds_mig_verdict step(u8 *state, enum ibds_mig_event event)
{
	return ibds_migfsm_step(*state, event, state);
}

static void both_ends_get_ready_and_go(struct kunit *test)
{
	u8 state = IB_MIG_MIGRATED;

	KUNIT_EXPECT_EQ(test, step(&state, IBDS_MIG_EV_REARM), IBDS_MIG_STAY);
	KUNIT_EXPECT_EQ(test, state, IB_MIG_REARM);
	KUNIT_EXPECT_EQ(test, step(&state, IBDS_MIG_EV_READY), IBDS_MIG_STAY);
	KUNIT_EXPECT_EQ(test, state, IB_MIG_ARMED);
	KUNIT_EXPECT_EQ(test, step(&state, IBDS_MIG_EV_LOST), IBDS_MIG_GO);
	KUNIT_EXPECT_EQ(test, state, IB_MIG_MIGRATED);
}

/* Whoever lost its path, was told to, or follows its peer: only when armed. */
static void only_armed_goes(struct kunit *test)
{
	static const enum ibds_mig_event events[] = {
		IBDS_MIG_EV_MOVE, IBDS_MIG_EV_MOVED, IBDS_MIG_EV_LOST,
	};
	u8 state, next;
	int i;

	for (state = 0; state < STATES; state++)
		for (i = 0; i < ARRAY_SIZE(events); i++)
			KUNIT_EXPECT_EQ(test, state == IB_MIG_ARMED,
					ibds_migfsm_step(state, events[i],
							 &next) == IBDS_MIG_GO);
}

static void there_is_no_third_path(struct kunit *test)
{
	u8 state = IB_MIG_ARMED;

	step(&state, IBDS_MIG_EV_MOVED);
	KUNIT_EXPECT_EQ(test, step(&state, IBDS_MIG_EV_LOST), IBDS_MIG_NOT);
	KUNIT_EXPECT_EQ(test, step(&state, IBDS_MIG_EV_MOVE), IBDS_MIG_NOT);
	KUNIT_EXPECT_EQ(test, state, IB_MIG_MIGRATED);
}

/* Before it is armed it cannot know what MigReq 1 from its peer is about. */
static void only_armed_refuses(struct kunit *test)
{
	u8 state, next;

	for (state = 0; state < STATES; state++) {
		KUNIT_EXPECT_EQ(test, state == IB_MIG_ARMED,
				ibds_migfsm_step(state, IBDS_MIG_EV_ASTRAY,
						 &next) == IBDS_MIG_REFUSE);
		KUNIT_EXPECT_EQ(test, state, next);
	}
}

static void a_peer_alone_arms_nobody(struct kunit *test)
{
	u8 state = IB_MIG_MIGRATED;

	KUNIT_EXPECT_EQ(test, step(&state, IBDS_MIG_EV_READY), IBDS_MIG_STAY);
	KUNIT_EXPECT_EQ(test, state, IB_MIG_MIGRATED);
	KUNIT_EXPECT_EQ(test, step(&state, IBDS_MIG_EV_REARM), IBDS_MIG_STAY);
	KUNIT_EXPECT_EQ(test, step(&state, IBDS_MIG_EV_MOVED), IBDS_MIG_STAY);
	KUNIT_EXPECT_EQ(test, state, IB_MIG_REARM);
}

static void a_new_path_is_armed_anew(struct kunit *test)
{
	u8 state = IB_MIG_ARMED;

	KUNIT_EXPECT_EQ(test, step(&state, IBDS_MIG_EV_REARM), IBDS_MIG_STAY);
	KUNIT_EXPECT_EQ(test, state, IB_MIG_REARM);
}

static void nonsense_changes_nothing(struct kunit *test)
{
	u8 next;

	KUNIT_EXPECT_EQ(test, IBDS_MIG_NOT,
			ibds_migfsm_step(STATES, IBDS_MIG_EV_REARM, &next));
	KUNIT_EXPECT_EQ(test, next, STATES);
	KUNIT_EXPECT_EQ(test, IBDS_MIG_NOT,
			ibds_migfsm_step(IB_MIG_ARMED, IBDS_MIG_EVENTS, &next));
	KUNIT_EXPECT_EQ(test, next, IB_MIG_ARMED);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(both_ends_get_ready_and_go),
	KUNIT_CASE(only_armed_goes),
	KUNIT_CASE(there_is_no_third_path),
	KUNIT_CASE(only_armed_refuses),
	KUNIT_CASE(a_peer_alone_arms_nobody),
	KUNIT_CASE(a_new_path_is_armed_anew),
	KUNIT_CASE(nonsense_changes_nothing),
	{ }
};

static struct kunit_suite suite = {
	.name = "ibdevsim_mig",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("Tests of the states of path migration");
MODULE_LICENSE("GPL");
