// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/prandom.h>

#include "../peer_fsm.c"

#define RANDOM_STEPS	1000000

#define EDGE(_state, _event, _next) \
	{ IPOIB_PEER_##_state, IPOIB_PEER_EV_##_event, IPOIB_PEER_##_next }

/* What a peer does. A pair that is not listed must be refused. */
static const struct known_edge {
	enum ipoib_peer_state state;
	enum ipoib_peer_event event;
	enum ipoib_peer_state next;
} known_edges[] = {
	EDGE(NEW, ASK, RESOLVING),
	EDGE(NEW, REMOVE, DEAD),

	EDGE(RESOLVING, OK, READY),
	EDGE(RESOLVING, FAIL, FAILED),
	EDGE(RESOLVING, LOST, FAILED),
	EDGE(RESOLVING, REMOVE, DEAD),

	/* A group answers whenever it is joined anew, asked or not. */
	EDGE(READY, ASK, REFRESHING),
	EDGE(READY, OK, READY),
	EDGE(READY, FAIL, READY),
	EDGE(READY, LOST, FAILED),
	EDGE(READY, REMOVE, DEAD),

	/* A refresh that fails leaves the old path in use. */
	EDGE(REFRESHING, OK, READY),
	EDGE(REFRESHING, FAIL, READY),
	EDGE(REFRESHING, REMOVE, DEAD),

	EDGE(FAILED, ASK, RESOLVING),
	EDGE(FAILED, OK, READY),
	EDGE(FAILED, LOST, FAILED),
	EDGE(FAILED, REMOVE, DEAD),
};

static const char * const event_names[IPOIB_PEER_EVENTS] = {
	[IPOIB_PEER_EV_ASK]	= "ask",
	[IPOIB_PEER_EV_OK]	= "ok",
	[IPOIB_PEER_EV_FAIL]	= "fail",
	[IPOIB_PEER_EV_LOST]	= "lost",
	[IPOIB_PEER_EV_REMOVE]	= "remove",
};

static const struct known_edge *known_edge(enum ipoib_peer_state state,
					   enum ipoib_peer_event event)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(known_edges); i++)
		if (known_edges[i].state == state &&
		    known_edges[i].event == event)
			return &known_edges[i];
	return NULL;
}

static bool legal(enum ipoib_peer_state state, enum ipoib_peer_event event)
{
	enum ipoib_peer_state next;

	return ipoib_peer_fsm_step(state, event, &next);
}

static void every_documented_edge_is_taken(struct kunit *test)
{
	const struct known_edge *edge;
	enum ipoib_peer_state next;
	int i;

	for (i = 0; i < ARRAY_SIZE(known_edges); i++) {
		edge = &known_edges[i];
		next = IPOIB_PEER_STATES;
		KUNIT_EXPECT_TRUE_MSG(test,
				      ipoib_peer_fsm_step(edge->state,
							  edge->event, &next),
				      "%s in %s", event_names[edge->event],
				      ipoib_peer_state_name(edge->state));
		KUNIT_EXPECT_EQ_MSG(test, next, edge->next, "%s in %s",
				    event_names[edge->event],
				    ipoib_peer_state_name(edge->state));
	}
}

static void every_other_pair_is_refused(struct kunit *test)
{
	enum ipoib_peer_state state;
	enum ipoib_peer_event event;

	for (state = 0; state < IPOIB_PEER_STATES; state++)
		for (event = 0; event < IPOIB_PEER_EVENTS; event++)
			KUNIT_EXPECT_EQ_MSG(test, legal(state, event),
					    !!known_edge(state, event),
					    "%s in %s", event_names[event],
					    ipoib_peer_state_name(state));
}

static void values_out_of_range_are_refused(struct kunit *test)
{
	static const unsigned int beyond[] = { 1, 2, 100, INT_MAX - 100 };
	int i, v;

	for (i = 0; i < ARRAY_SIZE(beyond); i++) {
		for (v = 0; v < IPOIB_PEER_EVENTS; v++) {
			KUNIT_EXPECT_FALSE(test, legal(-beyond[i], v));
			KUNIT_EXPECT_FALSE(test,
					   legal(IPOIB_PEER_STATES - 1 +
						 beyond[i], v));
		}
		for (v = 0; v < IPOIB_PEER_STATES; v++) {
			KUNIT_EXPECT_FALSE(test, legal(v, -beyond[i]));
			KUNIT_EXPECT_FALSE(test,
					   legal(v, IPOIB_PEER_EVENTS - 1 +
						 beyond[i]));
		}
	}
}

static void reach(bool *seen, enum ipoib_peer_state state)
{
	enum ipoib_peer_state next;
	enum ipoib_peer_event event;

	if (seen[state])
		return;
	seen[state] = true;

	for (event = 0; event < IPOIB_PEER_EVENTS; event++)
		if (ipoib_peer_fsm_step(state, event, &next))
			reach(seen, next);
}

static void every_state_is_reached(struct kunit *test)
{
	bool seen[IPOIB_PEER_STATES] = {};
	enum ipoib_peer_state state;

	reach(seen, IPOIB_PEER_NEW);
	for (state = 0; state < IPOIB_PEER_STATES; state++)
		KUNIT_EXPECT_TRUE_MSG(test, seen[state], "%s",
				      ipoib_peer_state_name(state));
}

static void nothing_leads_out_of_dead(struct kunit *test)
{
	enum ipoib_peer_event event;

	for (event = 0; event < IPOIB_PEER_EVENTS; event++)
		KUNIT_EXPECT_FALSE_MSG(test, legal(IPOIB_PEER_DEAD, event),
				       "%s", event_names[event]);
}

static void nothing_leads_back_to_new(struct kunit *test)
{
	enum ipoib_peer_state state, next;
	enum ipoib_peer_event event;

	for (state = 0; state < IPOIB_PEER_STATES; state++)
		for (event = 0; event < IPOIB_PEER_EVENTS; event++)
			if (ipoib_peer_fsm_step(state, event, &next))
				KUNIT_EXPECT_NE(test, next, IPOIB_PEER_NEW);
}

static void every_living_peer_can_be_removed(struct kunit *test)
{
	enum ipoib_peer_state state, next;

	for (state = 0; state < IPOIB_PEER_DEAD; state++) {
		next = state;
		KUNIT_EXPECT_TRUE(test,
				  ipoib_peer_fsm_step(state,
						      IPOIB_PEER_EV_REMOVE,
						      &next));
		KUNIT_EXPECT_EQ(test, next, IPOIB_PEER_DEAD);
	}
}

/* Packets go on while a newer path is asked for, whatever comes of it. */
static void refresh_never_loses_the_path(struct kunit *test)
{
	static const enum ipoib_peer_state with_path[] = {
		IPOIB_PEER_READY, IPOIB_PEER_REFRESHING,
	};
	enum ipoib_peer_state next;
	enum ipoib_peer_event event;
	int i;

	for (i = 0; i < ARRAY_SIZE(with_path); i++)
		for (event = 0; event < IPOIB_PEER_EVENTS; event++) {
			if (event == IPOIB_PEER_EV_REMOVE ||
			    event == IPOIB_PEER_EV_LOST ||
			    !ipoib_peer_fsm_step(with_path[i], event, &next))
				continue;
			KUNIT_EXPECT_TRUE_MSG(test,
					      next == IPOIB_PEER_READY ||
					      next == IPOIB_PEER_REFRESHING,
					      "%s in %s leads to %s",
					      event_names[event],
					      ipoib_peer_state_name(with_path[i]),
					      ipoib_peer_state_name(next));
		}
}

/* Only a path that was found makes a peer ready for the first time. */
static void packets_are_not_sent_without_a_path(struct kunit *test)
{
	static const enum ipoib_peer_state without_path[] = {
		IPOIB_PEER_NEW, IPOIB_PEER_RESOLVING, IPOIB_PEER_FAILED,
	};
	enum ipoib_peer_state next;
	enum ipoib_peer_event event;
	int i;

	for (i = 0; i < ARRAY_SIZE(without_path); i++)
		for (event = 0; event < IPOIB_PEER_EVENTS; event++) {
			if (event == IPOIB_PEER_EV_OK ||
			    !ipoib_peer_fsm_step(without_path[i], event, &next))
				continue;
			KUNIT_EXPECT_NE(test, next, IPOIB_PEER_READY);
			KUNIT_EXPECT_NE(test, next, IPOIB_PEER_REFRESHING);
		}
}

/* From then on a group reports to the peer for as long as the peer lives. */
static void path_is_taken_once_somebody_asked(struct kunit *test)
{
	enum ipoib_peer_state state, next;
	bool asked;

	for (state = 0; state < IPOIB_PEER_STATES; state++) {
		asked = state != IPOIB_PEER_NEW && state != IPOIB_PEER_DEAD;
		KUNIT_EXPECT_EQ_MSG(test, legal(state, IPOIB_PEER_EV_OK),
				    asked, "%s", ipoib_peer_state_name(state));
		if (ipoib_peer_fsm_step(state, IPOIB_PEER_EV_OK, &next))
			KUNIT_EXPECT_EQ(test, next, IPOIB_PEER_READY);
	}
}

/* Its group was joined at last: why wait for the end of the back-off? */
static void failed_peer_takes_a_path_that_turns_up(struct kunit *test)
{
	enum ipoib_peer_state next = IPOIB_PEER_FAILED;

	KUNIT_EXPECT_TRUE(test, ipoib_peer_fsm_step(IPOIB_PEER_FAILED,
						    IPOIB_PEER_EV_OK, &next));
	KUNIT_EXPECT_EQ(test, next, IPOIB_PEER_READY);
}

static void only_a_peer_without_a_path_fails(struct kunit *test)
{
	enum ipoib_peer_state state, next;

	for (state = 0; state < IPOIB_PEER_STATES; state++)
		if (ipoib_peer_fsm_step(state, IPOIB_PEER_EV_FAIL, &next))
			KUNIT_EXPECT_EQ_MSG(test, next == IPOIB_PEER_FAILED,
					    state == IPOIB_PEER_RESOLVING,
					    "%s", ipoib_peer_state_name(state));
}

static void path_is_not_asked_for_twice_at_a_time(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, legal(IPOIB_PEER_RESOLVING,
				       IPOIB_PEER_EV_ASK));
	KUNIT_EXPECT_FALSE(test, legal(IPOIB_PEER_REFRESHING,
				       IPOIB_PEER_EV_ASK));
}

static void failed_peer_is_found_in_the_end(struct kunit *test)
{
	static const enum ipoib_peer_event story[] = {
		IPOIB_PEER_EV_ASK, IPOIB_PEER_EV_FAIL,
		IPOIB_PEER_EV_ASK, IPOIB_PEER_EV_FAIL,
		IPOIB_PEER_EV_ASK, IPOIB_PEER_EV_OK,
	};
	enum ipoib_peer_state state = IPOIB_PEER_NEW;
	int i;

	for (i = 0; i < ARRAY_SIZE(story); i++)
		KUNIT_ASSERT_TRUE(test,
				  ipoib_peer_fsm_step(state, story[i], &state));
	KUNIT_EXPECT_EQ(test, state, IPOIB_PEER_READY);
}

/* Whatever comes, as often and in whatever order: what the path there must have been. */
static void random_events_break_no_promise(struct kunit *test)
{
	enum ipoib_peer_state state = IPOIB_PEER_NEW, next, end;
	bool path = false, removed = false;
	struct rnd_state random;
	int i, event, lives = 0;

	prandom_seed_state(&random, 4391);
	for (i = 0; i < RANDOM_STEPS; i++) {
		event = prandom_u32_state(&random) % (IPOIB_PEER_EVENTS + 1);
		next = state;
		if (ipoib_peer_fsm_step(state, event, &next)) {
			path |= event == IPOIB_PEER_EV_OK;
			path &= event != IPOIB_PEER_EV_LOST;
			removed |= event == IPOIB_PEER_EV_REMOVE;
		} else {
			KUNIT_ASSERT_EQ(test, next, state);
		}
		state = next;
		KUNIT_ASSERT_LT(test, state, IPOIB_PEER_STATES);
		/* One that was found stays until it is lost. */
		KUNIT_ASSERT_EQ(test, state == IPOIB_PEER_READY ||
				state == IPOIB_PEER_REFRESHING, path && !removed);
		KUNIT_ASSERT_EQ(test, state == IPOIB_PEER_DEAD, removed);

		end = state;
		ipoib_peer_fsm_step(end, IPOIB_PEER_EV_REMOVE, &end);
		KUNIT_ASSERT_EQ(test, end, IPOIB_PEER_DEAD);

		/* Answers go on to come for one that was removed. */
		if (removed && prandom_u32_state(&random) % 8 == 0) {
			state = IPOIB_PEER_NEW;
			path = false;
			removed = false;
			lives++;
		}
	}
	KUNIT_EXPECT_GT(test, lives, RANDOM_STEPS / 1000);
}

static void every_state_has_a_name_of_its_own(struct kunit *test)
{
	enum ipoib_peer_state a, b;

	KUNIT_EXPECT_STREQ(test, ipoib_peer_state_name(IPOIB_PEER_NEW), "new");
	KUNIT_EXPECT_STREQ(test, ipoib_peer_state_name(IPOIB_PEER_RESOLVING),
			   "resolving");
	KUNIT_EXPECT_STREQ(test, ipoib_peer_state_name(IPOIB_PEER_READY),
			   "ready");
	KUNIT_EXPECT_STREQ(test, ipoib_peer_state_name(IPOIB_PEER_REFRESHING),
			   "refreshing");
	KUNIT_EXPECT_STREQ(test, ipoib_peer_state_name(IPOIB_PEER_FAILED),
			   "failed");
	KUNIT_EXPECT_STREQ(test, ipoib_peer_state_name(IPOIB_PEER_DEAD),
			   "dead");

	for (a = 0; a < IPOIB_PEER_STATES; a++)
		for (b = 0; b < a; b++)
			KUNIT_EXPECT_STRNEQ(test, ipoib_peer_state_name(a),
					    ipoib_peer_state_name(b));
}

static void name_of_no_state_can_be_printed(struct kunit *test)
{
	KUNIT_EXPECT_STREQ(test, ipoib_peer_state_name(IPOIB_PEER_STATES), "?");
	KUNIT_EXPECT_STREQ(test, ipoib_peer_state_name(-1), "?");
	KUNIT_EXPECT_STREQ(test, ipoib_peer_state_name(INT_MAX), "?");
}

static struct kunit_case ipoib_peer_fsm_cases[] = {
	KUNIT_CASE(every_documented_edge_is_taken),
	KUNIT_CASE(every_other_pair_is_refused),
	KUNIT_CASE(values_out_of_range_are_refused),
	KUNIT_CASE(every_state_is_reached),
	KUNIT_CASE(nothing_leads_out_of_dead),
	KUNIT_CASE(nothing_leads_back_to_new),
	KUNIT_CASE(every_living_peer_can_be_removed),
	KUNIT_CASE(refresh_never_loses_the_path),
	KUNIT_CASE(packets_are_not_sent_without_a_path),
	KUNIT_CASE(path_is_taken_once_somebody_asked),
	KUNIT_CASE(failed_peer_takes_a_path_that_turns_up),
	KUNIT_CASE(only_a_peer_without_a_path_fails),
	KUNIT_CASE(path_is_not_asked_for_twice_at_a_time),
	KUNIT_CASE(failed_peer_is_found_in_the_end),
	KUNIT_CASE(random_events_break_no_promise),
	KUNIT_CASE(every_state_has_a_name_of_its_own),
	KUNIT_CASE(name_of_no_state_can_be_printed),
	{}
};

static struct kunit_suite ipoib_peer_fsm_suite = {
	.name = "ipoib_peer_fsm",
	.test_cases = ipoib_peer_fsm_cases,
};

kunit_test_suite(ipoib_peer_fsm_suite);

MODULE_DESCRIPTION("Tests of the states of an IPoIB peer");
MODULE_LICENSE("GPL");
