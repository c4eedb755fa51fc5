// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/prandom.h>

#include "../conn_fsm.c"

#define RANDOM_STEPS	1000000

/* The state that follows, IPOIB_CONN_STATES if the event means nothing. */
static enum ipoib_conn_state after(enum ipoib_conn_state state,
				   enum ipoib_conn_event event)
{
	enum ipoib_conn_state next;

	return ipoib_conn_fsm_step(state, event, &next) ? next :
							  IPOIB_CONN_STATES;
}

static void who_wants_one_asks_for_it(struct kunit *test)
{
	enum ipoib_conn_state state = IPOIB_CONN_NEW;

	state = after(state, IPOIB_CONN_EV_WANT);
	KUNIT_EXPECT_EQ(test, state, IPOIB_CONN_ROUTING);
	state = after(state, IPOIB_CONN_EV_ROUTE);
	KUNIT_EXPECT_EQ(test, state, IPOIB_CONN_ASKED);
	state = after(state, IPOIB_CONN_EV_REP);
	KUNIT_EXPECT_EQ(test, state, IPOIB_CONN_LIVE);
}

static void who_is_asked_answers(struct kunit *test)
{
	enum ipoib_conn_state state = IPOIB_CONN_NEW;

	state = after(state, IPOIB_CONN_EV_REQ);
	KUNIT_EXPECT_EQ(test, state, IPOIB_CONN_ANSWERED);
	state = after(state, IPOIB_CONN_EV_RTU);
	KUNIT_EXPECT_EQ(test, state, IPOIB_CONN_LIVE);
	/* The RTU after the first packet. */
	state = after(state, IPOIB_CONN_EV_RTU);
	KUNIT_EXPECT_EQ(test, state, IPOIB_CONN_LIVE);
}

static void expect_to_wait(struct kunit *test, enum ipoib_conn_event refusal,
			   enum ipoib_conn_state state)
{
	int event;

	KUNIT_EXPECT_EQ(test, after(IPOIB_CONN_ASKED, refusal), state);
	for (event = 0; event < IPOIB_CONN_EVENTS; event++)
		KUNIT_EXPECT_EQ_MSG(test, after(state, event),
				    event == IPOIB_CONN_EV_CLOSE ?
				    IPOIB_CONN_CLOSING : IPOIB_CONN_STATES,
				    "event %d", event);
	KUNIT_EXPECT_EQ(test, after(IPOIB_CONN_LIVE, refusal), IPOIB_CONN_STATES);
}

/*
 * RFC 4755 section 3.3: the peer's own request comes in its place. Or ours does, when
 * the peer has found out that it has no other.
 */
static void who_is_refused_for_another_waits_for_its_end(struct kunit *test)
{
	expect_to_wait(test, IPOIB_CONN_EV_YIELD, IPOIB_CONN_YIELDED);
	expect_to_wait(test, IPOIB_CONN_EV_STALE, IPOIB_CONN_STALE);
}

/* Crossing requests are two connections, one of which is closed. */
static void one_that_asked_is_not_asked(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, after(IPOIB_CONN_ROUTING, IPOIB_CONN_EV_REQ),
			IPOIB_CONN_STATES);
	KUNIT_EXPECT_EQ(test, after(IPOIB_CONN_ASKED, IPOIB_CONN_EV_REQ),
			IPOIB_CONN_STATES);
}

static void every_living_one_can_be_closed(struct kunit *test)
{
	int state;

	for (state = 0; state < IPOIB_CONN_CLOSING; state++)
		KUNIT_EXPECT_EQ_MSG(test, after(state, IPOIB_CONN_EV_CLOSE),
				    IPOIB_CONN_CLOSING, "state %d", state);
	KUNIT_EXPECT_EQ(test, after(IPOIB_CONN_CLOSING, IPOIB_CONN_EV_DONE),
			IPOIB_CONN_DEAD);
}

static void no_way_leads_back(struct kunit *test)
{
	int state, event;

	for (event = 0; event < IPOIB_CONN_EVENTS; event++) {
		KUNIT_EXPECT_EQ_MSG(test, after(IPOIB_CONN_DEAD, event),
				    IPOIB_CONN_STATES, "event %d", event);
		for (state = 0; state < IPOIB_CONN_STATES; state++)
			KUNIT_EXPECT_GE_MSG(test, after(state, event), state,
					    "event %d in state %d", event,
					    state);
	}
}

static void values_out_of_range_are_refused(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, after(IPOIB_CONN_STATES, IPOIB_CONN_EV_CLOSE),
			IPOIB_CONN_STATES);
	KUNIT_EXPECT_EQ(test, after(IPOIB_CONN_NEW, IPOIB_CONN_EVENTS),
			IPOIB_CONN_STATES);
	KUNIT_EXPECT_EQ(test, after(INT_MAX, INT_MAX), IPOIB_CONN_STATES);
}

/* Whatever comes, as often and in whatever order: what the path there must have been. */
static void random_events_break_no_promise(struct kunit *test)
{
	enum ipoib_conn_state state = IPOIB_CONN_NEW, next, end;
	bool accepted = false, closed = false;
	struct rnd_state random;
	int i, event, lives = 0;

	prandom_seed_state(&random, 4755);
	for (i = 0; i < RANDOM_STEPS; i++) {
		event = prandom_u32_state(&random) % (IPOIB_CONN_EVENTS + 1);
		next = state;
		if (ipoib_conn_fsm_step(state, event, &next)) {
			accepted |= event == IPOIB_CONN_EV_REP ||
				    event == IPOIB_CONN_EV_RTU;
			closed |= event == IPOIB_CONN_EV_CLOSE;
		} else {
			KUNIT_ASSERT_EQ(test, next, state);
		}
		state = next;
		KUNIT_ASSERT_LT(test, state, IPOIB_CONN_STATES);
		if (state == IPOIB_CONN_LIVE)
			KUNIT_ASSERT_TRUE(test, accepted);
		KUNIT_ASSERT_EQ(test, state >= IPOIB_CONN_CLOSING, closed);

		end = state;
		ipoib_conn_fsm_step(end, IPOIB_CONN_EV_CLOSE, &end);
		ipoib_conn_fsm_step(end, IPOIB_CONN_EV_DONE, &end);
		KUNIT_ASSERT_EQ(test, end, IPOIB_CONN_DEAD);

		/* Events go on to come for one that is dead. */
		if (state == IPOIB_CONN_DEAD && prandom_u32_state(&random) % 8 == 0) {
			state = IPOIB_CONN_NEW;
			accepted = false;
			closed = false;
			lives++;
		}
	}
	KUNIT_EXPECT_GT(test, lives, RANDOM_STEPS / 1000);
}

static void every_state_has_a_name_of_its_own(struct kunit *test)
{
	int a, b;

	for (a = 0; a < IPOIB_CONN_STATES; a++)
		for (b = 0; b < a; b++)
			KUNIT_EXPECT_NE(test,
					strcmp(ipoib_conn_state_name(a),
					       ipoib_conn_state_name(b)), 0);
	KUNIT_EXPECT_STREQ(test, ipoib_conn_state_name(IPOIB_CONN_STATES), "?");
}

static struct kunit_case ipoib_conn_fsm_cases[] = {
	KUNIT_CASE(who_wants_one_asks_for_it),
	KUNIT_CASE(who_is_asked_answers),
	KUNIT_CASE(who_is_refused_for_another_waits_for_its_end),
	KUNIT_CASE(one_that_asked_is_not_asked),
	KUNIT_CASE(every_living_one_can_be_closed),
	KUNIT_CASE(no_way_leads_back),
	KUNIT_CASE(values_out_of_range_are_refused),
	KUNIT_CASE(random_events_break_no_promise),
	KUNIT_CASE(every_state_has_a_name_of_its_own),
	{}
};

static struct kunit_suite ipoib_conn_fsm_suite = {
	.name = "ipoib_conn_fsm",
	.test_cases = ipoib_conn_fsm_cases,
};

kunit_test_suite(ipoib_conn_fsm_suite);

MODULE_DESCRIPTION("Tests of the states of a connection");
MODULE_LICENSE("GPL");
