// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/prandom.h>

#include "../dev_fsm.c"

#define RANDOM_STEPS	1000000

#define DO(_action)	IPOIB_DEV_DO_##_action
#define EDGE(_state, _event, _next, _actions) \
	{ IPOIB_DEV_##_state, IPOIB_DEV_EV_##_event, IPOIB_DEV_##_next, \
	  _actions }

/* What an interface does. A pair that is not listed must be refused. */
static const struct known_edge {
	enum ipoib_dev_state state;
	enum ipoib_dev_event event;
	enum ipoib_dev_state next;
	unsigned int actions;
} known_edges[] = {
	/* Down, an interface waits for its administrator. */
	EDGE(DOWN, OPEN, WAITING, DO(LOOK)),
	EDGE(DOWN, FIT, DOWN, 0),
	EDGE(DOWN, UNFIT, DOWN, 0),
	EDGE(DOWN, CHANGED, DOWN, 0),
	EDGE(DOWN, JOINED, DOWN, 0),
	EDGE(DOWN, LOST, DOWN, 0),
	EDGE(DOWN, KILL, DEAD, 0),

	/* Waiting for the port: there is nothing to leave yet. */
	EDGE(WAITING, STOP, DOWN, 0),
	EDGE(WAITING, FIT, JOINING, DO(JOIN)),
	EDGE(WAITING, UNFIT, WAITING, 0),
	EDGE(WAITING, CHANGED, JOINING, DO(JOIN)),
	EDGE(WAITING, JOINED, WAITING, 0),
	EDGE(WAITING, LOST, WAITING, 0),

	/* Joining: what was begun is left when the port or its address goes. */
	EDGE(JOINING, STOP, DOWN, DO(LEAVE)),
	EDGE(JOINING, FIT, JOINING, 0),
	EDGE(JOINING, UNFIT, WAITING, DO(LEAVE)),
	EDGE(JOINING, CHANGED, JOINING, DO(LEAVE) | DO(JOIN)),
	EDGE(JOINING, JOINED, UP, DO(CARRIER_ON)),
	EDGE(JOINING, LOST, JOINING, 0),

	/* Up: whatever ends it takes the carrier first. */
	EDGE(UP, STOP, DOWN, DO(CARRIER_OFF) | DO(LEAVE)),
	EDGE(UP, FIT, UP, 0),
	EDGE(UP, UNFIT, WAITING, DO(CARRIER_OFF) | DO(LEAVE)),
	EDGE(UP, CHANGED, JOINING, DO(CARRIER_OFF) | DO(LEAVE) | DO(JOIN)),
	EDGE(UP, JOINED, UP, 0),
	EDGE(UP, LOST, JOINING, DO(CARRIER_OFF) | DO(LEAVE) | DO(JOIN)),

	/* Dead: late reports change nothing. */
	EDGE(DEAD, FIT, DEAD, 0),
	EDGE(DEAD, UNFIT, DEAD, 0),
	EDGE(DEAD, CHANGED, DEAD, 0),
	EDGE(DEAD, JOINED, DEAD, 0),
	EDGE(DEAD, LOST, DEAD, 0),
};

static const char * const event_names[IPOIB_DEV_EVENTS] = {
	[IPOIB_DEV_EV_OPEN]	= "open",
	[IPOIB_DEV_EV_STOP]	= "stop",
	[IPOIB_DEV_EV_FIT]	= "fit",
	[IPOIB_DEV_EV_UNFIT]	= "unfit",
	[IPOIB_DEV_EV_CHANGED]	= "changed",
	[IPOIB_DEV_EV_JOINED]	= "joined",
	[IPOIB_DEV_EV_LOST]	= "lost",
	[IPOIB_DEV_EV_KILL]	= "kill",
};

static const struct known_edge *known_edge(enum ipoib_dev_state state,
					   enum ipoib_dev_event event)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(known_edges); i++)
		if (known_edges[i].state == state &&
		    known_edges[i].event == event)
			return &known_edges[i];
	return NULL;
}

static bool legal(enum ipoib_dev_state state, enum ipoib_dev_event event)
{
	struct ipoib_dev_step step;

	return ipoib_dev_fsm_step(state, event, &step);
}

static void every_documented_edge_is_taken(struct kunit *test)
{
	const struct known_edge *edge;
	struct ipoib_dev_step step;
	int i;

	for (i = 0; i < ARRAY_SIZE(known_edges); i++) {
		edge = &known_edges[i];
		KUNIT_EXPECT_TRUE_MSG(test,
				      ipoib_dev_fsm_step(edge->state,
							 edge->event, &step),
				      "%s in %s", event_names[edge->event],
				      ipoib_dev_state_name(edge->state));
		KUNIT_EXPECT_EQ_MSG(test, step.next, edge->next, "%s in %s",
				    event_names[edge->event],
				    ipoib_dev_state_name(edge->state));
		KUNIT_EXPECT_EQ_MSG(test, step.actions, edge->actions,
				    "%s in %s", event_names[edge->event],
				    ipoib_dev_state_name(edge->state));
	}
}

static void every_other_pair_is_refused(struct kunit *test)
{
	enum ipoib_dev_state state;
	enum ipoib_dev_event event;

	for (state = 0; state < IPOIB_DEV_STATES; state++)
		for (event = 0; event < IPOIB_DEV_EVENTS; event++)
			KUNIT_EXPECT_EQ_MSG(test, legal(state, event),
					    !!known_edge(state, event),
					    "%s in %s", event_names[event],
					    ipoib_dev_state_name(state));
}

static void values_out_of_range_are_refused(struct kunit *test)
{
	static const unsigned int beyond[] = { 1, 2, 100, INT_MAX - 100 };
	int i, v;

	for (i = 0; i < ARRAY_SIZE(beyond); i++) {
		for (v = 0; v < IPOIB_DEV_EVENTS; v++) {
			KUNIT_EXPECT_FALSE(test, legal(-beyond[i], v));
			KUNIT_EXPECT_FALSE(test,
					   legal(IPOIB_DEV_STATES - 1 +
						 beyond[i], v));
		}
		for (v = 0; v < IPOIB_DEV_STATES; v++) {
			KUNIT_EXPECT_FALSE(test, legal(v, -beyond[i]));
			KUNIT_EXPECT_FALSE(test,
					   legal(v, IPOIB_DEV_EVENTS - 1 +
						 beyond[i]));
		}
	}
}

/* The fabric and the port do not know what state we are in. */
static void reports_are_taken_in_every_state(struct kunit *test)
{
	enum ipoib_dev_state state;

	for (state = 0; state < IPOIB_DEV_STATES; state++) {
		KUNIT_EXPECT_TRUE(test, legal(state, IPOIB_DEV_EV_FIT));
		KUNIT_EXPECT_TRUE(test, legal(state, IPOIB_DEV_EV_UNFIT));
		KUNIT_EXPECT_TRUE(test, legal(state, IPOIB_DEV_EV_CHANGED));
		KUNIT_EXPECT_TRUE(test, legal(state, IPOIB_DEV_EV_JOINED));
		KUNIT_EXPECT_TRUE(test, legal(state, IPOIB_DEV_EV_LOST));
	}
}

static void nothing_leads_out_of_dead(struct kunit *test)
{
	struct ipoib_dev_step step;
	enum ipoib_dev_event event;

	for (event = 0; event < IPOIB_DEV_EVENTS; event++) {
		if (!ipoib_dev_fsm_step(IPOIB_DEV_DEAD, event, &step))
			continue;
		KUNIT_EXPECT_EQ(test, step.next, IPOIB_DEV_DEAD);
		KUNIT_EXPECT_EQ_MSG(test, step.actions, 0u, "%s",
				    event_names[event]);
	}
}

static void every_open_interface_can_be_closed(struct kunit *test)
{
	static const enum ipoib_dev_state open[] = {
		IPOIB_DEV_WAITING, IPOIB_DEV_JOINING, IPOIB_DEV_UP,
	};
	struct ipoib_dev_step step;
	int i;

	for (i = 0; i < ARRAY_SIZE(open); i++) {
		KUNIT_EXPECT_TRUE(test,
				  ipoib_dev_fsm_step(open[i],
						     IPOIB_DEV_EV_STOP, &step));
		KUNIT_EXPECT_EQ(test, step.next, IPOIB_DEV_DOWN);
	}
}

/* Otherwise its groups and its carrier would outlive it. */
static void only_a_closed_interface_dies(struct kunit *test)
{
	enum ipoib_dev_state state;

	for (state = 0; state < IPOIB_DEV_STATES; state++)
		KUNIT_EXPECT_EQ_MSG(test, legal(state, IPOIB_DEV_EV_KILL),
				    state == IPOIB_DEV_DOWN, "%s",
				    ipoib_dev_state_name(state));
}

/*
 * Actions run in the order of their bits: nothing is sent while groups are
 * left, and nothing is joined before the old groups are.
 */
static void actions_are_in_the_order_that_is_needed(struct kunit *test)
{
	KUNIT_EXPECT_LT(test, DO(CARRIER_OFF), DO(LEAVE));
	KUNIT_EXPECT_LT(test, DO(LEAVE), DO(LOOK));
	KUNIT_EXPECT_LT(test, DO(LEAVE), DO(JOIN));
	KUNIT_EXPECT_LT(test, DO(JOIN), DO(CARRIER_ON));
}

/* An interface with what its actions have done to it so far. */
struct iface {
	enum ipoib_dev_state state;
	bool carrier;
	bool joined;
};

/* Every iface that some sequence of events, of any length, leads to. */
static bool seen[IPOIB_DEV_STATES][2][2];

static void act(struct kunit *test, struct iface *iface, unsigned int actions)
{
	if (actions & DO(CARRIER_OFF)) {
		KUNIT_EXPECT_TRUE_MSG(test, iface->carrier,
				      "carrier taken twice");
		iface->carrier = false;
	}
	if (actions & DO(LEAVE)) {
		KUNIT_EXPECT_TRUE_MSG(test, iface->joined, "left twice");
		KUNIT_EXPECT_FALSE_MSG(test, iface->carrier,
				       "left with the carrier on");
		iface->joined = false;
	}
	if (actions & DO(JOIN)) {
		KUNIT_EXPECT_FALSE_MSG(test, iface->joined, "joined twice");
		iface->joined = true;
	}
	if (actions & DO(CARRIER_ON)) {
		KUNIT_EXPECT_TRUE_MSG(test, iface->joined,
				      "carrier without a group");
		KUNIT_EXPECT_FALSE_MSG(test, iface->carrier,
				       "carrier given twice");
		iface->carrier = true;
	}
}

static void walk(struct kunit *test, struct iface iface)
{
	struct ipoib_dev_step step;
	enum ipoib_dev_event event;
	struct iface next;

	if (seen[iface.state][iface.carrier][iface.joined])
		return;
	seen[iface.state][iface.carrier][iface.joined] = true;

	for (event = 0; event < IPOIB_DEV_EVENTS; event++) {
		if (!ipoib_dev_fsm_step(iface.state, event, &step))
			continue;
		next = iface;
		act(test, &next, step.actions);
		next.state = step.next;
		walk(test, next);
	}
}

static void walk_all(struct kunit *test)
{
	const struct iface registered = { .state = IPOIB_DEV_DOWN };

	memset(seen, 0, sizeof(seen));
	walk(test, registered);
}

static bool seen_with(enum ipoib_dev_state state, bool carrier, bool joined)
{
	return seen[state][carrier][joined];
}

static void every_state_is_reached(struct kunit *test)
{
	enum ipoib_dev_state state;

	walk_all(test);
	for (state = 0; state < IPOIB_DEV_STATES; state++)
		KUNIT_EXPECT_TRUE_MSG(test,
				      seen_with(state, false, false) ||
				      seen_with(state, false, true) ||
				      seen_with(state, true, false) ||
				      seen_with(state, true, true),
				      "%s", ipoib_dev_state_name(state));
}

static void carrier_is_on_exactly_while_up(struct kunit *test)
{
	enum ipoib_dev_state state;
	bool up;

	walk_all(test);
	for (state = 0; state < IPOIB_DEV_STATES; state++) {
		up = state == IPOIB_DEV_UP;
		KUNIT_EXPECT_FALSE_MSG(test,
				       seen_with(state, !up, false) ||
				       seen_with(state, !up, true),
				       "%s", ipoib_dev_state_name(state));
	}
}

static void groups_are_left_exactly_when_joining_ends(struct kunit *test)
{
	enum ipoib_dev_state state;
	bool joined;

	walk_all(test);
	for (state = 0; state < IPOIB_DEV_STATES; state++) {
		joined = state == IPOIB_DEV_JOINING || state == IPOIB_DEV_UP;
		KUNIT_EXPECT_FALSE_MSG(test,
				       seen_with(state, false, !joined) ||
				       seen_with(state, true, !joined),
				       "%s", ipoib_dev_state_name(state));
	}
}

/* The way it usually goes, and goes back. */
static void link_comes_and_goes_with_the_port(struct kunit *test)
{
	static const struct {
		enum ipoib_dev_event event;
		enum ipoib_dev_state state;
		bool carrier;
	} story[] = {
		{ IPOIB_DEV_EV_OPEN,	IPOIB_DEV_WAITING,	false },
		{ IPOIB_DEV_EV_UNFIT,	IPOIB_DEV_WAITING,	false },
		{ IPOIB_DEV_EV_FIT,	IPOIB_DEV_JOINING,	false },
		{ IPOIB_DEV_EV_JOINED,	IPOIB_DEV_UP,		true },
		{ IPOIB_DEV_EV_FIT,	IPOIB_DEV_UP,		true },
		{ IPOIB_DEV_EV_UNFIT,	IPOIB_DEV_WAITING,	false },
		{ IPOIB_DEV_EV_JOINED,	IPOIB_DEV_WAITING,	false },
		{ IPOIB_DEV_EV_FIT,	IPOIB_DEV_JOINING,	false },
		{ IPOIB_DEV_EV_JOINED,	IPOIB_DEV_UP,		true },
		{ IPOIB_DEV_EV_CHANGED,	IPOIB_DEV_JOINING,	false },
		{ IPOIB_DEV_EV_JOINED,	IPOIB_DEV_UP,		true },
		{ IPOIB_DEV_EV_LOST,	IPOIB_DEV_JOINING,	false },
		{ IPOIB_DEV_EV_JOINED,	IPOIB_DEV_UP,		true },
		{ IPOIB_DEV_EV_STOP,	IPOIB_DEV_DOWN,		false },
		{ IPOIB_DEV_EV_JOINED,	IPOIB_DEV_DOWN,		false },
		{ IPOIB_DEV_EV_KILL,	IPOIB_DEV_DEAD,		false },
		{ IPOIB_DEV_EV_FIT,	IPOIB_DEV_DEAD,		false },
	};
	struct iface iface = { .state = IPOIB_DEV_DOWN };
	struct ipoib_dev_step step;
	int i;

	for (i = 0; i < ARRAY_SIZE(story); i++) {
		KUNIT_ASSERT_TRUE_MSG(test,
				      ipoib_dev_fsm_step(iface.state,
							 story[i].event,
							 &step),
				      "line %d", i);
		act(test, &iface, step.actions);
		iface.state = step.next;
		KUNIT_EXPECT_EQ_MSG(test, iface.state, story[i].state,
				    "line %d", i);
		KUNIT_EXPECT_EQ_MSG(test, iface.carrier, story[i].carrier,
				    "line %d", i);
	}
}

/* Whatever comes, as often and in whatever order: what all actions together have done. */
static void random_events_break_no_promise(struct kunit *test)
{
	struct iface iface = { .state = IPOIB_DEV_DOWN };
	struct ipoib_dev_step step;
	struct rnd_state random;
	int i, event, lives = 0;

	prandom_seed_state(&random, 4391);
	for (i = 0; i < RANDOM_STEPS; i++) {
		event = prandom_u32_state(&random) % (IPOIB_DEV_EVENTS + 1);
		if (!ipoib_dev_fsm_step(iface.state, event, &step))
			continue;
		if (iface.state == IPOIB_DEV_DEAD)
			KUNIT_ASSERT_EQ(test, step.next, IPOIB_DEV_DEAD);
		act(test, &iface, step.actions);
		iface.state = step.next;
		KUNIT_ASSERT_LT(test, iface.state, IPOIB_DEV_STATES);
		KUNIT_ASSERT_EQ(test, iface.state == IPOIB_DEV_UP, iface.carrier);
		KUNIT_ASSERT_EQ(test, iface.state == IPOIB_DEV_UP ||
				iface.state == IPOIB_DEV_JOINING, iface.joined);

		/* Reports go on to come for one that is dead. */
		if (iface.state == IPOIB_DEV_DEAD && prandom_u32_state(&random) % 8 == 0) {
			iface.state = IPOIB_DEV_DOWN;
			lives++;
		}
	}
	KUNIT_EXPECT_GT(test, lives, RANDOM_STEPS / 1000);
}

static void every_state_has_a_name_of_its_own(struct kunit *test)
{
	enum ipoib_dev_state a, b;

	KUNIT_EXPECT_STREQ(test, ipoib_dev_state_name(IPOIB_DEV_DOWN), "down");
	KUNIT_EXPECT_STREQ(test, ipoib_dev_state_name(IPOIB_DEV_WAITING),
			   "waiting");
	KUNIT_EXPECT_STREQ(test, ipoib_dev_state_name(IPOIB_DEV_JOINING),
			   "joining");
	KUNIT_EXPECT_STREQ(test, ipoib_dev_state_name(IPOIB_DEV_UP), "up");
	KUNIT_EXPECT_STREQ(test, ipoib_dev_state_name(IPOIB_DEV_DEAD), "dead");

	for (a = 0; a < IPOIB_DEV_STATES; a++)
		for (b = 0; b < a; b++)
			KUNIT_EXPECT_STRNEQ(test, ipoib_dev_state_name(a),
					    ipoib_dev_state_name(b));
}

static void name_of_no_state_can_be_printed(struct kunit *test)
{
	KUNIT_EXPECT_STREQ(test, ipoib_dev_state_name(IPOIB_DEV_STATES), "?");
	KUNIT_EXPECT_STREQ(test, ipoib_dev_state_name(-1), "?");
	KUNIT_EXPECT_STREQ(test, ipoib_dev_state_name(INT_MAX), "?");
}

static struct kunit_case ipoib_dev_fsm_cases[] = {
	KUNIT_CASE(every_documented_edge_is_taken),
	KUNIT_CASE(every_other_pair_is_refused),
	KUNIT_CASE(values_out_of_range_are_refused),
	KUNIT_CASE(reports_are_taken_in_every_state),
	KUNIT_CASE(nothing_leads_out_of_dead),
	KUNIT_CASE(every_open_interface_can_be_closed),
	KUNIT_CASE(only_a_closed_interface_dies),
	KUNIT_CASE(actions_are_in_the_order_that_is_needed),
	KUNIT_CASE(every_state_is_reached),
	KUNIT_CASE(carrier_is_on_exactly_while_up),
	KUNIT_CASE(groups_are_left_exactly_when_joining_ends),
	KUNIT_CASE(link_comes_and_goes_with_the_port),
	KUNIT_CASE(random_events_break_no_promise),
	KUNIT_CASE(every_state_has_a_name_of_its_own),
	KUNIT_CASE(name_of_no_state_can_be_printed),
	{}
};

static struct kunit_suite ipoib_dev_fsm_suite = {
	.name = "ipoib_dev_fsm",
	.test_cases = ipoib_dev_fsm_cases,
};

kunit_test_suite(ipoib_dev_fsm_suite);

MODULE_DESCRIPTION("Tests of the states of an IPoIB interface");
MODULE_LICENSE("GPL");
