// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/prandom.h>

#include "../mcast_fsm.c"

#define RANDOM_STEPS	1000000

#define EDGE(_state, _event, _next) \
	{ IPOIB_MCAST_##_state, IPOIB_MCAST_EV_##_event, IPOIB_MCAST_##_next }

/* What a group does. A pair that is not listed must be refused. */
static const struct known_edge {
	enum ipoib_mcast_state state;
	enum ipoib_mcast_event event;
	enum ipoib_mcast_state next;
} known_edges[] = {
	EDGE(IDLE, START, JOINING),
	EDGE(IDLE, LEAVE, DEAD),

	EDGE(JOINING, OK, JOINED),
	EDGE(JOINING, FAIL, BACKOFF),
	EDGE(JOINING, LEAVE, DEAD),

	EDGE(BACKOFF, START, JOINING),
	EDGE(BACKOFF, LEAVE, DEAD),

	/* The fabric may take away what it gave. */
	EDGE(JOINED, FAIL, BACKOFF),
	EDGE(JOINED, LEAVE, DEAD),
};

static const char * const event_names[IPOIB_MCAST_EVENTS] = {
	[IPOIB_MCAST_EV_START]	= "start",
	[IPOIB_MCAST_EV_OK]	= "ok",
	[IPOIB_MCAST_EV_FAIL]	= "fail",
	[IPOIB_MCAST_EV_LEAVE]	= "leave",
};

static const struct known_edge *known_edge(enum ipoib_mcast_state state,
					   enum ipoib_mcast_event event)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(known_edges); i++)
		if (known_edges[i].state == state &&
		    known_edges[i].event == event)
			return &known_edges[i];
	return NULL;
}

static bool legal(enum ipoib_mcast_state state, enum ipoib_mcast_event event)
{
	enum ipoib_mcast_state next;

	return ipoib_mcast_fsm_step(state, event, &next);
}

static void every_documented_edge_is_taken(struct kunit *test)
{
	const struct known_edge *edge;
	enum ipoib_mcast_state next;
	int i;

	for (i = 0; i < ARRAY_SIZE(known_edges); i++) {
		edge = &known_edges[i];
		next = IPOIB_MCAST_STATES;
		KUNIT_EXPECT_TRUE_MSG(test,
				      ipoib_mcast_fsm_step(edge->state,
							   edge->event, &next),
				      "%s in %s", event_names[edge->event],
				      ipoib_mcast_state_name(edge->state));
		KUNIT_EXPECT_EQ_MSG(test, next, edge->next, "%s in %s",
				    event_names[edge->event],
				    ipoib_mcast_state_name(edge->state));
	}
}

static void every_other_pair_is_refused(struct kunit *test)
{
	enum ipoib_mcast_state state;
	enum ipoib_mcast_event event;

	for (state = 0; state < IPOIB_MCAST_STATES; state++)
		for (event = 0; event < IPOIB_MCAST_EVENTS; event++)
			KUNIT_EXPECT_EQ_MSG(test, legal(state, event),
					    !!known_edge(state, event),
					    "%s in %s", event_names[event],
					    ipoib_mcast_state_name(state));
}

static void values_out_of_range_are_refused(struct kunit *test)
{
	static const unsigned int beyond[] = { 1, 2, 100, INT_MAX - 100 };
	int i, v;

	for (i = 0; i < ARRAY_SIZE(beyond); i++) {
		for (v = 0; v < IPOIB_MCAST_EVENTS; v++) {
			KUNIT_EXPECT_FALSE(test, legal(-beyond[i], v));
			KUNIT_EXPECT_FALSE(test,
					   legal(IPOIB_MCAST_STATES - 1 +
						 beyond[i], v));
		}
		for (v = 0; v < IPOIB_MCAST_STATES; v++) {
			KUNIT_EXPECT_FALSE(test, legal(v, -beyond[i]));
			KUNIT_EXPECT_FALSE(test,
					   legal(v, IPOIB_MCAST_EVENTS - 1 +
						 beyond[i]));
		}
	}
}

static void reach(bool *seen, enum ipoib_mcast_state state)
{
	enum ipoib_mcast_state next;
	enum ipoib_mcast_event event;

	if (seen[state])
		return;
	seen[state] = true;

	for (event = 0; event < IPOIB_MCAST_EVENTS; event++)
		if (ipoib_mcast_fsm_step(state, event, &next))
			reach(seen, next);
}

static void every_state_is_reached(struct kunit *test)
{
	bool seen[IPOIB_MCAST_STATES] = {};
	enum ipoib_mcast_state state;

	reach(seen, IPOIB_MCAST_IDLE);
	for (state = 0; state < IPOIB_MCAST_STATES; state++)
		KUNIT_EXPECT_TRUE_MSG(test, seen[state], "%s",
				      ipoib_mcast_state_name(state));
}

static void nothing_leads_out_of_dead(struct kunit *test)
{
	enum ipoib_mcast_event event;

	for (event = 0; event < IPOIB_MCAST_EVENTS; event++)
		KUNIT_EXPECT_FALSE_MSG(test, legal(IPOIB_MCAST_DEAD, event),
				       "%s", event_names[event]);
}

static void nothing_leads_back_to_idle(struct kunit *test)
{
	enum ipoib_mcast_state state, next;
	enum ipoib_mcast_event event;

	for (state = 0; state < IPOIB_MCAST_STATES; state++)
		for (event = 0; event < IPOIB_MCAST_EVENTS; event++)
			if (ipoib_mcast_fsm_step(state, event, &next))
				KUNIT_EXPECT_NE(test, next, IPOIB_MCAST_IDLE);
}

static void every_living_group_can_be_left(struct kunit *test)
{
	enum ipoib_mcast_state state, next;

	for (state = 0; state < IPOIB_MCAST_DEAD; state++) {
		next = state;
		KUNIT_EXPECT_TRUE(test,
				  ipoib_mcast_fsm_step(state,
						       IPOIB_MCAST_EV_LEAVE,
						       &next));
		KUNIT_EXPECT_EQ(test, next, IPOIB_MCAST_DEAD);
	}
}

/* An answer to a question that was not asked must not join anything. */
static void group_is_joined_only_by_an_answer(struct kunit *test)
{
	enum ipoib_mcast_state state;

	for (state = 0; state < IPOIB_MCAST_STATES; state++)
		KUNIT_EXPECT_EQ_MSG(test, legal(state, IPOIB_MCAST_EV_OK),
				    state == IPOIB_MCAST_JOINING, "%s",
				    ipoib_mcast_state_name(state));
}

static void fabric_is_not_asked_twice_at_a_time(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, legal(IPOIB_MCAST_JOINING,
				       IPOIB_MCAST_EV_START));
	KUNIT_EXPECT_FALSE(test, legal(IPOIB_MCAST_JOINED,
				       IPOIB_MCAST_EV_START));
}

/* Straight back to asking would flood an SM that is in trouble. */
static void every_failure_waits_before_the_next_try(struct kunit *test)
{
	enum ipoib_mcast_state state, next;

	for (state = 0; state < IPOIB_MCAST_STATES; state++)
		if (ipoib_mcast_fsm_step(state, IPOIB_MCAST_EV_FAIL, &next))
			KUNIT_EXPECT_EQ(test, next, IPOIB_MCAST_BACKOFF);
}

static void refused_group_is_joined_in_the_end(struct kunit *test)
{
	static const enum ipoib_mcast_event story[] = {
		IPOIB_MCAST_EV_START, IPOIB_MCAST_EV_FAIL,
		IPOIB_MCAST_EV_START, IPOIB_MCAST_EV_FAIL,
		IPOIB_MCAST_EV_START, IPOIB_MCAST_EV_OK,
	};
	enum ipoib_mcast_state state = IPOIB_MCAST_IDLE;
	int i;

	for (i = 0; i < ARRAY_SIZE(story); i++)
		KUNIT_ASSERT_TRUE(test,
				  ipoib_mcast_fsm_step(state, story[i],
						       &state));
	KUNIT_EXPECT_EQ(test, state, IPOIB_MCAST_JOINED);
}

/* Whatever comes, as often and in whatever order: what the path there must have been. */
static void random_events_break_no_promise(struct kunit *test)
{
	enum ipoib_mcast_state state = IPOIB_MCAST_IDLE, next, end;
	bool asked = false, member = false, left = false;
	struct rnd_state random;
	int i, event, lives = 0;

	prandom_seed_state(&random, 4391);
	for (i = 0; i < RANDOM_STEPS; i++) {
		event = prandom_u32_state(&random) % (IPOIB_MCAST_EVENTS + 1);
		next = state;
		if (ipoib_mcast_fsm_step(state, event, &next)) {
			asked = event == IPOIB_MCAST_EV_START;
			member = event == IPOIB_MCAST_EV_OK;
			left = event == IPOIB_MCAST_EV_LEAVE;
		} else {
			KUNIT_ASSERT_EQ(test, next, state);
		}
		state = next;
		KUNIT_ASSERT_LT(test, state, IPOIB_MCAST_STATES);
		KUNIT_ASSERT_EQ(test, state == IPOIB_MCAST_JOINING, asked);
		KUNIT_ASSERT_EQ(test, state == IPOIB_MCAST_JOINED, member);
		KUNIT_ASSERT_EQ(test, state == IPOIB_MCAST_DEAD, left);

		end = state;
		ipoib_mcast_fsm_step(end, IPOIB_MCAST_EV_LEAVE, &end);
		KUNIT_ASSERT_EQ(test, end, IPOIB_MCAST_DEAD);

		/* Answers go on to come for one that was left. */
		if (left && prandom_u32_state(&random) % 8 == 0) {
			state = IPOIB_MCAST_IDLE;
			left = false;
			lives++;
		}
	}
	KUNIT_EXPECT_GT(test, lives, RANDOM_STEPS / 1000);
}

static void every_state_has_a_name_of_its_own(struct kunit *test)
{
	enum ipoib_mcast_state a, b;

	KUNIT_EXPECT_STREQ(test, ipoib_mcast_state_name(IPOIB_MCAST_IDLE),
			   "idle");
	KUNIT_EXPECT_STREQ(test, ipoib_mcast_state_name(IPOIB_MCAST_JOINING),
			   "joining");
	KUNIT_EXPECT_STREQ(test, ipoib_mcast_state_name(IPOIB_MCAST_BACKOFF),
			   "backoff");
	KUNIT_EXPECT_STREQ(test, ipoib_mcast_state_name(IPOIB_MCAST_JOINED),
			   "joined");
	KUNIT_EXPECT_STREQ(test, ipoib_mcast_state_name(IPOIB_MCAST_DEAD),
			   "dead");

	for (a = 0; a < IPOIB_MCAST_STATES; a++)
		for (b = 0; b < a; b++)
			KUNIT_EXPECT_STRNEQ(test, ipoib_mcast_state_name(a),
					    ipoib_mcast_state_name(b));
}

static void name_of_no_state_can_be_printed(struct kunit *test)
{
	KUNIT_EXPECT_STREQ(test, ipoib_mcast_state_name(IPOIB_MCAST_STATES),
			   "?");
	KUNIT_EXPECT_STREQ(test, ipoib_mcast_state_name(-1), "?");
	KUNIT_EXPECT_STREQ(test, ipoib_mcast_state_name(INT_MAX), "?");
}

static struct kunit_case ipoib_mcast_fsm_cases[] = {
	KUNIT_CASE(every_documented_edge_is_taken),
	KUNIT_CASE(every_other_pair_is_refused),
	KUNIT_CASE(values_out_of_range_are_refused),
	KUNIT_CASE(every_state_is_reached),
	KUNIT_CASE(nothing_leads_out_of_dead),
	KUNIT_CASE(nothing_leads_back_to_idle),
	KUNIT_CASE(every_living_group_can_be_left),
	KUNIT_CASE(group_is_joined_only_by_an_answer),
	KUNIT_CASE(fabric_is_not_asked_twice_at_a_time),
	KUNIT_CASE(every_failure_waits_before_the_next_try),
	KUNIT_CASE(refused_group_is_joined_in_the_end),
	KUNIT_CASE(random_events_break_no_promise),
	KUNIT_CASE(every_state_has_a_name_of_its_own),
	KUNIT_CASE(name_of_no_state_can_be_printed),
	{}
};

static struct kunit_suite ipoib_mcast_fsm_suite = {
	.name = "ipoib_mcast_fsm",
	.test_cases = ipoib_mcast_fsm_cases,
};

kunit_test_suite(ipoib_mcast_fsm_suite);

MODULE_DESCRIPTION("Tests of the states of an IPoIB multicast group");
MODULE_LICENSE("GPL");
