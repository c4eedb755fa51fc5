// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/prandom.h>

#include "../sa_fsm.c"

#define RANDOM_STEPS	1000000

#define EDGE(_state, _event, _next) \
	{ IPOIB_SA_##_state, IPOIB_SA_EV_##_event, IPOIB_SA_##_next }

/* What a subscription does. A pair that is not listed must be refused. */
static const struct known_edge {
	enum ipoib_sa_state state;
	enum ipoib_sa_fsm_event event;
	enum ipoib_sa_state next;
} known_edges[] = {
	EDGE(OFF, WATCH, SUBSCRIBING),
	EDGE(OFF, TAKEN, POLLING),

	EDGE(SUBSCRIBING, OK, ON),
	EDGE(SUBSCRIBING, FAIL, BACKOFF),
	EDGE(SUBSCRIBING, RENEW, SUBSCRIBING),
	EDGE(SUBSCRIBING, UNWATCH, LEAVING),

	EDGE(ON, RENEW, SUBSCRIBING),
	EDGE(ON, UNWATCH, LEAVING),

	EDGE(BACKOFF, RENEW, SUBSCRIBING),
	EDGE(BACKOFF, UNWATCH, LEAVING),

	EDGE(POLLING, WATCH, SUBSCRIBING),
	EDGE(POLLING, UNWATCH, OFF),

	/* Who watches again waits until the SA was told, or does not answer. */
	EDGE(LEAVING, LEFT, OFF),
};

static const struct known_edge *known_edge(enum ipoib_sa_state state,
					   enum ipoib_sa_fsm_event event)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(known_edges); i++)
		if (known_edges[i].state == state &&
		    known_edges[i].event == event)
			return &known_edges[i];
	return NULL;
}

static void every_documented_edge_is_taken(struct kunit *test)
{
	const struct known_edge *edge;
	enum ipoib_sa_state next;
	int i;

	for (i = 0; i < ARRAY_SIZE(known_edges); i++) {
		edge = &known_edges[i];
		KUNIT_ASSERT_TRUE_MSG(test,
				      ipoib_sa_fsm_step(edge->state,
							edge->event, &next),
				      "edge %d", i);
		KUNIT_EXPECT_EQ_MSG(test, next, edge->next, "edge %d", i);
	}
}

static void every_other_edge_is_refused(struct kunit *test)
{
	enum ipoib_sa_state next = IPOIB_SA_STATES;
	int state, event;

	for (state = 0; state < IPOIB_SA_STATES; state++) {
		for (event = 0; event < IPOIB_SA_EVENTS; event++) {
			if (known_edge(state, event))
				continue;
			KUNIT_EXPECT_FALSE_MSG(test,
					       ipoib_sa_fsm_step(state, event,
								 &next),
					       "state %d, event %d", state,
					       event);
		}
	}
	KUNIT_EXPECT_EQ(test, (int)next, IPOIB_SA_STATES);
}

static void values_out_of_range_are_refused(struct kunit *test)
{
	enum ipoib_sa_state next;
	int state;

	KUNIT_EXPECT_FALSE(test, ipoib_sa_fsm_step(IPOIB_SA_STATES,
						   IPOIB_SA_EV_WATCH, &next));
	for (state = 0; state < IPOIB_SA_STATES; state++)
		KUNIT_EXPECT_FALSE(test, ipoib_sa_fsm_step(state,
							   IPOIB_SA_EVENTS,
							   &next));
	KUNIT_EXPECT_FALSE(test, ipoib_sa_fsm_step(INT_MAX, INT_MAX, &next));
}

/* Whatever state it is in, it can be left for good. */
static void off_is_reached_from_every_state(struct kunit *test)
{
	enum ipoib_sa_state next;
	int state;

	for (state = 0; state < IPOIB_SA_STATES; state++) {
		next = state;
		ipoib_sa_fsm_step(next, IPOIB_SA_EV_UNWATCH, &next);
		ipoib_sa_fsm_step(next, IPOIB_SA_EV_LEFT, &next);
		KUNIT_EXPECT_EQ_MSG(test, next, IPOIB_SA_OFF, "state %d",
				    state);
	}
}

/* Whatever comes, as often and in whatever order: what the path there must have been. */
static void random_events_break_no_promise(struct kunit *test)
{
	enum ipoib_sa_state state = IPOIB_SA_OFF, next, end;
	bool asked = false, agreed = false;
	struct rnd_state random;
	int i, event, rounds = 0;

	prandom_seed_state(&random, 4391);
	for (i = 0; i < RANDOM_STEPS; i++) {
		event = prandom_u32_state(&random) % (IPOIB_SA_EVENTS + 1);
		next = state;
		if (ipoib_sa_fsm_step(state, event, &next)) {
			asked |= event == IPOIB_SA_EV_WATCH;
			asked &= event != IPOIB_SA_EV_LEFT;
			agreed = event == IPOIB_SA_EV_OK;
			rounds += event == IPOIB_SA_EV_LEFT;
		} else {
			KUNIT_ASSERT_EQ(test, next, state);
		}
		state = next;
		KUNIT_ASSERT_LT(test, state, IPOIB_SA_STATES);
		KUNIT_ASSERT_EQ(test, state == IPOIB_SA_ON, agreed);
		/* What the SA was asked for it is told that nobody wants any more. */
		KUNIT_ASSERT_EQ(test, state == IPOIB_SA_OFF ||
				state == IPOIB_SA_POLLING, !asked);

		end = state;
		ipoib_sa_fsm_step(end, IPOIB_SA_EV_UNWATCH, &end);
		ipoib_sa_fsm_step(end, IPOIB_SA_EV_LEFT, &end);
		KUNIT_ASSERT_EQ(test, end, IPOIB_SA_OFF);
	}
	KUNIT_EXPECT_GT(test, rounds, RANDOM_STEPS / 1000);
}

static void every_state_has_a_name_of_its_own(struct kunit *test)
{
	int a, b;

	for (a = 0; a < IPOIB_SA_STATES; a++)
		for (b = 0; b < a; b++)
			KUNIT_EXPECT_NE(test,
					strcmp(ipoib_sa_state_name(a),
					       ipoib_sa_state_name(b)), 0);
	KUNIT_EXPECT_STREQ(test, ipoib_sa_state_name(IPOIB_SA_STATES), "?");
}

static struct kunit_case ipoib_sa_fsm_cases[] = {
	KUNIT_CASE(every_documented_edge_is_taken),
	KUNIT_CASE(every_other_edge_is_refused),
	KUNIT_CASE(values_out_of_range_are_refused),
	KUNIT_CASE(off_is_reached_from_every_state),
	KUNIT_CASE(random_events_break_no_promise),
	KUNIT_CASE(every_state_has_a_name_of_its_own),
	{}
};

static struct kunit_suite ipoib_sa_fsm_suite = {
	.name = "ipoib_sa_fsm",
	.test_cases = ipoib_sa_fsm_cases,
};

kunit_test_suite(ipoib_sa_fsm_suite);

MODULE_DESCRIPTION("Tests of the subscription to the SA's reports");
MODULE_LICENSE("GPL");
