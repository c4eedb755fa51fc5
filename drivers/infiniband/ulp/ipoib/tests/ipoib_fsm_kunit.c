// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/limits.h>

#include "../fsm.c"

/* ---- of every machine ------------------------------------------------ */

static const struct machine {
	const char *name;
	const struct ipoib_fsm *fsm;
	unsigned int end;
	bool final;	/* it does not begin again */
} machines[] = {
	{ "interface",		&ipoib_dev_fsm,		IPOIB_DEV_DEAD,		true },
	{ "group",		&ipoib_mcast_fsm,	IPOIB_MCAST_DEAD,	true },
	{ "peer",		&ipoib_peer_fsm,	IPOIB_PEER_DEAD,	true },
	{ "connection",		&ipoib_conn_fsm,	IPOIB_CONN_DEAD,	true },
	{ "subscription",	&ipoib_sa_fsm,		IPOIB_SA_OFF,		false },
};

static void name_machine(const struct machine *machine, char *desc)
{
	strscpy(desc, machine->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(machines, machines, name_machine);

/* The states that some sequence of events leads to, from @state on. */
static u32 reached_from(const struct ipoib_fsm *fsm, unsigned int state)
{
	const struct ipoib_fsm_edge *edge;
	u32 before, seen = BIT(state);
	unsigned int event;

	do {
		before = seen;
		for (state = 0; state < fsm->states; state++)
			for (event = 0; event < fsm->events; event++) {
				edge = ipoib_fsm_step(fsm, state, event);
				if (edge && seen & BIT(state))
					seen |= BIT(edge->next);
			}
	} while (seen != before);
	return seen;
}

static void every_state_is_reached(struct kunit *test)
{
	const struct machine *machine = test->param_value;

	KUNIT_EXPECT_EQ(test, reached_from(machine->fsm, 0),
			GENMASK(machine->fsm->states - 1, 0));
}

static void every_state_has_a_way_to_the_end(struct kunit *test)
{
	const struct machine *machine = test->param_value;
	const struct ipoib_fsm *fsm = machine->fsm;
	unsigned int state;

	for (state = 0; state < fsm->states; state++)
		KUNIT_EXPECT_TRUE_MSG(test, reached_from(fsm, state) & BIT(machine->end),
				      "%s", ipoib_fsm_name(fsm, state));
}

static void nothing_leads_out_of_the_end(struct kunit *test)
{
	const struct machine *machine = test->param_value;
	const struct ipoib_fsm_edge *edge;
	bool begins_again = false;
	unsigned int event;

	for (event = 0; event < machine->fsm->events; event++) {
		edge = ipoib_fsm_step(machine->fsm, machine->end, event);
		if (edge)
			begins_again |= edge->next != machine->end || edge->actions;
	}
	KUNIT_EXPECT_EQ(test, begins_again, !machine->final);
}

static void every_event_leads_somewhere(struct kunit *test)
{
	const struct machine *machine = test->param_value;
	const struct ipoib_fsm *fsm = machine->fsm;
	const struct ipoib_fsm_edge *edge;
	unsigned int state, event;
	bool leads;

	for (event = 0; event < fsm->events; event++) {
		leads = false;
		for (state = 0; state < fsm->states; state++) {
			edge = ipoib_fsm_step(fsm, state, event);
			leads |= edge && edge->next != state;
		}
		KUNIT_EXPECT_TRUE_MSG(test, leads, "event %u", event);
	}
}

static void values_out_of_range_are_refused(struct kunit *test)
{
	static const unsigned int beyond[] = { 0, 1, 100, INT_MAX, UINT_MAX - 100 };
	const struct machine *machine = test->param_value;
	const struct ipoib_fsm *fsm = machine->fsm;
	unsigned int i, v;

	for (i = 0; i < ARRAY_SIZE(beyond); i++) {
		for (v = 0; v < fsm->events; v++)
			KUNIT_EXPECT_NULL(test, ipoib_fsm_step(fsm, fsm->states + beyond[i], v));
		for (v = 0; v < fsm->states; v++)
			KUNIT_EXPECT_NULL(test, ipoib_fsm_step(fsm, v, fsm->events + beyond[i]));
		KUNIT_EXPECT_STREQ(test, ipoib_fsm_name(fsm, fsm->states + beyond[i]), "?");
	}
}

static void every_state_has_a_name_of_its_own(struct kunit *test)
{
	const struct machine *machine = test->param_value;
	const struct ipoib_fsm *fsm = machine->fsm;
	unsigned int a, b;

	for (a = 0; a < fsm->states; a++) {
		KUNIT_ASSERT_NOT_NULL(test, ipoib_fsm_name(fsm, a));
		for (b = 0; b < a; b++)
			KUNIT_EXPECT_STRNEQ(test, ipoib_fsm_name(fsm, a), ipoib_fsm_name(fsm, b));
	}
}

/* ---- promises of one ------------------------------------------------- */

#define DEV(_x)		BIT(IPOIB_DEV_##_x)
#define MCAST(_x)	BIT(IPOIB_MCAST_##_x)
#define PEER(_x)	BIT(IPOIB_PEER_##_x)
#define CONN(_x)	BIT(IPOIB_CONN_##_x)
#define SA(_x)		BIT(IPOIB_SA_##_x)

/*
 * From outside of @states only the events @in lead there, and from there outside only the events
 * @out do.
 */
static const struct border {
	const char *promise;
	const struct ipoib_fsm *fsm;
	u32 states, in, out;
} borders[] = {
	{ "interface: carrier comes with the broadcast group", &ipoib_dev_fsm, DEV(UP),
	  DEV(EV_JOINED), DEV(EV_STOP) | DEV(EV_UNREADY) | DEV(EV_CHANGED) | DEV(EV_LOST) },
	{ "interface: the administrator opens and closes it", &ipoib_dev_fsm,
	  DEV(WAITING) | DEV(JOINING) | DEV(UP), DEV(EV_OPEN), DEV(EV_STOP) },
	{ "interface: dies by being unregistered", &ipoib_dev_fsm, DEV(DEAD), DEV(EV_KILL), 0 },
	{ "group: one question at a time", &ipoib_mcast_fsm, MCAST(JOINING),
	  MCAST(EV_START), MCAST(EV_OK) | MCAST(EV_FAIL) | MCAST(EV_LEAVE) },
	{ "group: joined by an answer", &ipoib_mcast_fsm, MCAST(JOINED),
	  MCAST(EV_OK), MCAST(EV_FAIL) | MCAST(EV_LEAVE) },
	{ "group: never new again", &ipoib_mcast_fsm, MCAST(IDLE),
	  0, MCAST(EV_START) | MCAST(EV_LEAVE) },
	{ "group: dies by being left", &ipoib_mcast_fsm, MCAST(DEAD), MCAST(EV_LEAVE), 0 },
	/* Packets go on while a newer path is asked for, whatever comes of it. */
	{ "peer: found, a path stays until it is lost", &ipoib_peer_fsm,
	  PEER(READY) | PEER(REFRESHING), PEER(EV_OK), PEER(EV_LOST) | PEER(EV_REMOVE) },
	{ "peer: without a path, it fails", &ipoib_peer_fsm, PEER(FAILED),
	  PEER(EV_FAIL) | PEER(EV_LOST), PEER(EV_ASK) | PEER(EV_OK) | PEER(EV_REMOVE) },
	{ "peer: never new again", &ipoib_peer_fsm, PEER(NEW), 0, PEER(EV_ASK) | PEER(EV_REMOVE) },
	{ "peer: dies by being removed", &ipoib_peer_fsm, PEER(DEAD), PEER(EV_REMOVE), 0 },
	{ "connection: established by both", &ipoib_conn_fsm, CONN(ESTABLISHED),
	  CONN(EV_REP) | CONN(EV_RTU), CONN(EV_CLOSE) },
	{ "connection: closing is never taken back", &ipoib_conn_fsm,
	  CONN(DRAINING) | CONN(DREQ_RCVD) | CONN(DREQ_WAIT) | CONN(DISCONNECTING) |
	  CONN(DREP_WAIT) | CONN(FLUSHING) | CONN(DEAD),
	  CONN(EV_CLOSE), 0 },
	/* A peer that is not told would send by UC for ever. */
	{ "connection: ends after the peer is told", &ipoib_conn_fsm,
	  CONN(DISCONNECTING) | CONN(DREP_WAIT) | CONN(FLUSHING) | CONN(DEAD),
	  CONN(EV_DISCONNECT), 0 },
	/* RFC 4755 section 3.3: the other request stands in its place. */
	{ "connection: whose REQ was refused for another waits", &ipoib_conn_fsm,
	  CONN(YIELDED) | CONN(STALE), CONN(EV_YIELD) | CONN(EV_STALE), CONN(EV_CLOSE) },
	/* Crossing requests are two connections, of which one is closed. */
	{ "connection: opened by one of the two", &ipoib_conn_fsm,
	  CONN(RESOLVING) | CONN(REQ_WAIT) | CONN(REQ_SENT), CONN(EV_WANT),
	  CONN(EV_REP) | CONN(EV_YIELD) | CONN(EV_STALE) | CONN(EV_CLOSE) },
	{ "connection: dies when all is back", &ipoib_conn_fsm, CONN(DEAD), CONN(EV_DONE), 0 },
	{ "subscription: on when the SA says so", &ipoib_sa_fsm, SA(ON),
	  SA(EV_OK), SA(EV_RENEW) | SA(EV_UNSUBSCRIBE) },
	{ "subscription: the SA is told of the end", &ipoib_sa_fsm, SA(OFF) | SA(POLLING),
	  SA(EV_LEFT), SA(EV_SUBSCRIBE) },
};

static void name_border(const struct border *border, char *desc)
{
	strscpy(desc, border->promise, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(borders, borders, name_border);

static void borders_are_crossed_by_these_events_only(struct kunit *test)
{
	const struct border *border = test->param_value;
	const struct ipoib_fsm *fsm = border->fsm;
	const struct ipoib_fsm_edge *edge;
	unsigned int state, event;
	bool inside, stays;
	u32 in = 0, out = 0;

	for (state = 0; state < fsm->states; state++)
		for (event = 0; event < fsm->events; event++) {
			edge = ipoib_fsm_step(fsm, state, event);
			if (!edge)
				continue;
			inside = border->states & BIT(state);
			stays = border->states & BIT(edge->next);
			if (!inside && stays)
				in |= BIT(event);
			if (inside && !stays)
				out |= BIT(event);
		}
	KUNIT_EXPECT_EQ(test, in, border->in);
	KUNIT_EXPECT_EQ(test, out, border->out);
}

/* The event is taken in exactly @states, and leads from all of them to one of @next. */
static const struct rule {
	const char *promise;
	const struct ipoib_fsm *fsm;
	unsigned int event;
	u32 states, next;
} rules[] = {
	/* Otherwise its groups and its carrier would outlive it. */
	{ "interface: dies only when it is closed", &ipoib_dev_fsm,
	  IPOIB_DEV_EV_KILL, DEV(DOWN), DEV(DEAD) },
	{ "interface: can be closed whenever it is open", &ipoib_dev_fsm,
	  IPOIB_DEV_EV_STOP, DEV(WAITING) | DEV(JOINING) | DEV(UP), DEV(DOWN) },
	/* An answer to a question that was not asked must not join anything. */
	{ "group: takes what it asked for", &ipoib_mcast_fsm,
	  IPOIB_MCAST_EV_OK, MCAST(JOINING), MCAST(JOINED) },
	/* To ask again at once would flood an SM that is in trouble. */
	{ "group: waits after each failure", &ipoib_mcast_fsm,
	  IPOIB_MCAST_EV_FAIL, MCAST(JOINING) | MCAST(JOINED), MCAST(BACKOFF) },
	{ "group: can be left while it lives", &ipoib_mcast_fsm,
	  IPOIB_MCAST_EV_LEAVE, MCAST(DEAD) - 1, MCAST(DEAD) },
	/* A group that is joined late, or anew, answers unasked. */
	{ "peer: takes a path once somebody has asked", &ipoib_peer_fsm, IPOIB_PEER_EV_OK,
	  PEER(RESOLVING) | PEER(READY) | PEER(REFRESHING) | PEER(FAILED), PEER(READY) },
	{ "peer: asks one question at a time", &ipoib_peer_fsm, IPOIB_PEER_EV_ASK,
	  PEER(NEW) | PEER(READY) | PEER(FAILED), PEER(RESOLVING) | PEER(REFRESHING) },
	{ "peer: keeps its path if no newer one is found", &ipoib_peer_fsm, IPOIB_PEER_EV_FAIL,
	  PEER(RESOLVING) | PEER(READY) | PEER(REFRESHING), PEER(FAILED) | PEER(READY) },
	/* Only a group loses its path, and it is never refreshed. */
	{ "peer: has no path when its group is lost", &ipoib_peer_fsm, IPOIB_PEER_EV_LOST,
	  PEER(RESOLVING) | PEER(READY) | PEER(FAILED), PEER(FAILED) },
	{ "peer: can be removed while it lives", &ipoib_peer_fsm,
	  IPOIB_PEER_EV_REMOVE, PEER(DEAD) - 1, PEER(DEAD) },
	{ "connection: can be closed until it is", &ipoib_conn_fsm,
	  IPOIB_CONN_EV_CLOSE, CONN(DRAINING) - 1, CONN(DRAINING) },
	/* One that has no turn to wait for skips that. */
	{ "connection: tells the peer once", &ipoib_conn_fsm, IPOIB_CONN_EV_DISCONNECT,
	  CONN(DRAINING) | CONN(DREQ_RCVD) | CONN(DREQ_WAIT), CONN(DISCONNECTING) },
	{ "connection: sends a REQ when it is its turn", &ipoib_conn_fsm, IPOIB_CONN_EV_TURN,
	  CONN(REQ_WAIT), CONN(REQ_SENT) },
	{ "connection: answers as a new one", &ipoib_conn_fsm,
	  IPOIB_CONN_EV_REQ, CONN(NEW), CONN(REP_SENT) },
	/* The RTU comes after the first packet, or before it. */
	{ "connection: hears twice of the other's consent", &ipoib_conn_fsm,
	  IPOIB_CONN_EV_RTU, CONN(REP_SENT) | CONN(ESTABLISHED), CONN(ESTABLISHED) },
	{ "subscription: starts over when the SM may be another", &ipoib_sa_fsm,
	  IPOIB_SA_EV_RENEW, SA(SUBSCRIBING) | SA(ON) | SA(BACKOFF), SA(SUBSCRIBING) },
	{ "subscription: is over when the SA knows", &ipoib_sa_fsm,
	  IPOIB_SA_EV_LEFT, SA(LEAVING), SA(OFF) },
	{ "subscription: can be given up", &ipoib_sa_fsm, IPOIB_SA_EV_UNSUBSCRIBE,
	  SA(SUBSCRIBING) | SA(ON) | SA(BACKOFF) | SA(POLLING), SA(LEAVING) | SA(OFF) },
};

static void name_rule(const struct rule *rule, char *desc)
{
	strscpy(desc, rule->promise, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(rules, rules, name_rule);

static void events_are_taken_where_they_belong(struct kunit *test)
{
	const struct rule *rule = test->param_value;
	const struct ipoib_fsm_edge *edge;
	u32 states = 0, next = 0;
	unsigned int state;

	for (state = 0; state < rule->fsm->states; state++) {
		edge = ipoib_fsm_step(rule->fsm, state, rule->event);
		if (!edge)
			continue;
		states |= BIT(state);
		next |= BIT(edge->next);
	}
	KUNIT_EXPECT_EQ(test, states, rule->states);
	KUNIT_EXPECT_EQ(test, next, rule->next);
}

/* ---- what becomes of one --------------------------------------------- */

#define STORY_LENGTH	9

/* Events, and the states that they lead to, until the first 0, which is no state but the first. */
static const struct story {
	const char *name;
	const struct ipoib_fsm *fsm;
	struct {
		u8 event, state;
	} steps[STORY_LENGTH];
} stories[] = {
	{ "a port goes and comes back", &ipoib_dev_fsm, {
		{ IPOIB_DEV_EV_OPEN,	IPOIB_DEV_WAITING },
		{ IPOIB_DEV_EV_READY,	IPOIB_DEV_JOINING },
		{ IPOIB_DEV_EV_JOINED,	IPOIB_DEV_UP },
		{ IPOIB_DEV_EV_UNREADY,	IPOIB_DEV_WAITING },
		{ IPOIB_DEV_EV_JOINED,	IPOIB_DEV_WAITING },
		{ IPOIB_DEV_EV_READY,	IPOIB_DEV_JOINING },
		{ IPOIB_DEV_EV_JOINED,	IPOIB_DEV_UP },
	} },
	{ "the P_Key changes, then the group is lost", &ipoib_dev_fsm, {
		{ IPOIB_DEV_EV_OPEN,	IPOIB_DEV_WAITING },
		{ IPOIB_DEV_EV_READY,	IPOIB_DEV_JOINING },
		{ IPOIB_DEV_EV_JOINED,	IPOIB_DEV_UP },
		{ IPOIB_DEV_EV_CHANGED,	IPOIB_DEV_JOINING },
		{ IPOIB_DEV_EV_JOINED,	IPOIB_DEV_UP },
		{ IPOIB_DEV_EV_LOST,	IPOIB_DEV_JOINING },
		{ IPOIB_DEV_EV_JOINED,	IPOIB_DEV_UP },
	} },
	{ "a group is refused, joined in the end, and lost", &ipoib_mcast_fsm, {
		{ IPOIB_MCAST_EV_START,	IPOIB_MCAST_JOINING },
		{ IPOIB_MCAST_EV_FAIL,	IPOIB_MCAST_BACKOFF },
		{ IPOIB_MCAST_EV_START,	IPOIB_MCAST_JOINING },
		{ IPOIB_MCAST_EV_OK,	IPOIB_MCAST_JOINED },
		{ IPOIB_MCAST_EV_FAIL,	IPOIB_MCAST_BACKOFF },
		{ IPOIB_MCAST_EV_START,	IPOIB_MCAST_JOINING },
	} },
	{ "a node is found at the second try", &ipoib_peer_fsm, {
		{ IPOIB_PEER_EV_ASK,	IPOIB_PEER_RESOLVING },
		{ IPOIB_PEER_EV_FAIL,	IPOIB_PEER_FAILED },
		{ IPOIB_PEER_EV_ASK,	IPOIB_PEER_RESOLVING },
		{ IPOIB_PEER_EV_OK,	IPOIB_PEER_READY },
		{ IPOIB_PEER_EV_ASK,	IPOIB_PEER_REFRESHING },
		{ IPOIB_PEER_EV_FAIL,	IPOIB_PEER_READY },
	} },
	{ "we open a connection", &ipoib_conn_fsm, {
		{ IPOIB_CONN_EV_WANT,	IPOIB_CONN_RESOLVING },
		{ IPOIB_CONN_EV_ROUTE,	IPOIB_CONN_REQ_WAIT },
		{ IPOIB_CONN_EV_TURN,	IPOIB_CONN_REQ_SENT },
		{ IPOIB_CONN_EV_REP,	IPOIB_CONN_ESTABLISHED },
		{ IPOIB_CONN_EV_CLOSE,	IPOIB_CONN_DRAINING },
		{ IPOIB_CONN_EV_DRAINED,	IPOIB_CONN_DREQ_WAIT },
		{ IPOIB_CONN_EV_DISCONNECT,	IPOIB_CONN_DISCONNECTING },
		{ IPOIB_CONN_EV_FLUSH,	IPOIB_CONN_FLUSHING },
		{ IPOIB_CONN_EV_DONE,	IPOIB_CONN_DEAD },
	} },
	{ "the peer opens a connection", &ipoib_conn_fsm, {
		{ IPOIB_CONN_EV_REQ,	IPOIB_CONN_REP_SENT },
		{ IPOIB_CONN_EV_RTU,	IPOIB_CONN_ESTABLISHED },
		{ IPOIB_CONN_EV_CLOSE,	IPOIB_CONN_DRAINING },
		{ IPOIB_CONN_EV_DREQ,	IPOIB_CONN_DREQ_RCVD },
		{ IPOIB_CONN_EV_DISCONNECT,	IPOIB_CONN_DISCONNECTING },
		{ IPOIB_CONN_EV_FLUSH,	IPOIB_CONN_FLUSHING },
		{ IPOIB_CONN_EV_DONE,	IPOIB_CONN_DEAD },
	} },
	{ "ours yields to the peer's", &ipoib_conn_fsm, {
		{ IPOIB_CONN_EV_WANT,	IPOIB_CONN_RESOLVING },
		{ IPOIB_CONN_EV_ROUTE,	IPOIB_CONN_REQ_WAIT },
		{ IPOIB_CONN_EV_TURN,	IPOIB_CONN_REQ_SENT },
		{ IPOIB_CONN_EV_YIELD,	IPOIB_CONN_YIELDED },
	} },
	{ "ours is refused for an older one", &ipoib_conn_fsm, {
		{ IPOIB_CONN_EV_WANT,	IPOIB_CONN_RESOLVING },
		{ IPOIB_CONN_EV_ROUTE,	IPOIB_CONN_REQ_WAIT },
		{ IPOIB_CONN_EV_TURN,	IPOIB_CONN_REQ_SENT },
		{ IPOIB_CONN_EV_STALE,	IPOIB_CONN_STALE },
	} },
	{ "the SA refuses at first", &ipoib_sa_fsm, {
		{ IPOIB_SA_EV_SUBSCRIBE,	IPOIB_SA_SUBSCRIBING },
		{ IPOIB_SA_EV_FAIL,	IPOIB_SA_BACKOFF },
		{ IPOIB_SA_EV_RENEW,	IPOIB_SA_SUBSCRIBING },
		{ IPOIB_SA_EV_OK,	IPOIB_SA_ON },
		{ IPOIB_SA_EV_UNSUBSCRIBE,	IPOIB_SA_LEAVING },
	} },
	{ "another gets the reports", &ipoib_sa_fsm, {
		{ IPOIB_SA_EV_TAKEN,	IPOIB_SA_POLLING },
		{ IPOIB_SA_EV_SUBSCRIBE,	IPOIB_SA_SUBSCRIBING },
		{ IPOIB_SA_EV_OK,	IPOIB_SA_ON },
	} },
};

static void name_story(const struct story *story, char *desc)
{
	strscpy(desc, story->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(stories, stories, name_story);

static void stories_end_as_they_should(struct kunit *test)
{
	const struct story *story = test->param_value;
	const struct ipoib_fsm_edge *edge;
	unsigned int i, state = 0;

	for (i = 0; i < STORY_LENGTH && story->steps[i].state; i++) {
		edge = ipoib_fsm_step(story->fsm, state, story->steps[i].event);
		KUNIT_ASSERT_NOT_NULL_MSG(test, edge, "step %u", i);
		KUNIT_ASSERT_EQ_MSG(test, edge->next, story->steps[i].state, "step %u", i);
		state = edge->next;
	}
	KUNIT_EXPECT_GT(test, i, 0);
}

/* ---- actions of an interface ----------------------------------------- */

/* The fabric and the port do not know what state we are in. */
static void reports_are_taken_in_every_state(struct kunit *test)
{
	static const enum ipoib_dev_event reports[] = {
		IPOIB_DEV_EV_READY, IPOIB_DEV_EV_UNREADY, IPOIB_DEV_EV_CHANGED,
		IPOIB_DEV_EV_JOINED, IPOIB_DEV_EV_LOST,
	};
	unsigned int state, i;

	for (state = 0; state < ipoib_dev_fsm.states; state++)
		for (i = 0; i < ARRAY_SIZE(reports); i++)
			KUNIT_EXPECT_NOT_NULL_MSG(test, ipoib_fsm_step(&ipoib_dev_fsm, state,
								       reports[i]),
						  "event %u in state %u", reports[i], state);
}

/*
 * Actions run in the order of their bits: nothing is sent while groups are left, and nothing is
 * joined before the old groups are.
 */
static void actions_are_in_the_order_that_is_needed(struct kunit *test)
{
	KUNIT_EXPECT_LT(test, OFF, LEAVE);
	KUNIT_EXPECT_LT(test, LEAVE, QUERY);
	KUNIT_EXPECT_LT(test, LEAVE, JOIN);
	KUNIT_EXPECT_LT(test, JOIN, ON);
}

/* What the actions on the way to a state have left, whichever way that was. */
static bool has_carrier(unsigned int state)
{
	return state == IPOIB_DEV_UP;
}

static bool has_joined(unsigned int state)
{
	return state == IPOIB_DEV_JOINING || state == IPOIB_DEV_UP;
}

static void carrier_and_groups_are_what_the_state_says(struct kunit *test)
{
	const struct ipoib_fsm_edge *edge;
	unsigned int state, event;
	bool carrier, joined;

	for (state = 0; state < ipoib_dev_fsm.states; state++)
		for (event = 0; event < ipoib_dev_fsm.events; event++) {
			edge = ipoib_fsm_step(&ipoib_dev_fsm, state, event);
			if (!edge)
				continue;
			carrier = has_carrier(state) && !(edge->actions & OFF);
			joined = has_joined(state) && !(edge->actions & LEAVE);
			/* Nothing is taken that is not there, or given twice. */
			KUNIT_EXPECT_TRUE(test, has_carrier(state) || !(edge->actions & OFF));
			KUNIT_EXPECT_TRUE(test, has_joined(state) || !(edge->actions & LEAVE));
			KUNIT_EXPECT_FALSE(test, joined && edge->actions & JOIN);
			KUNIT_EXPECT_FALSE(test, carrier && edge->actions & ON);

			KUNIT_EXPECT_EQ_MSG(test, carrier || edge->actions & ON,
					    has_carrier(edge->next),
					    "event %u in state %u", event, state);
			KUNIT_EXPECT_EQ_MSG(test, joined || edge->actions & JOIN,
					    has_joined(edge->next),
					    "event %u in state %u", event, state);
		}
}

/* A change is joined anew: the old groups belong to another P_Key, or GID. */
static void change_leaves_the_old_groups(struct kunit *test)
{
	const struct ipoib_fsm_edge *edge;
	unsigned int state;

	for (state = IPOIB_DEV_JOINING; state <= IPOIB_DEV_UP; state++) {
		edge = ipoib_fsm_step(&ipoib_dev_fsm, state, IPOIB_DEV_EV_CHANGED);
		KUNIT_EXPECT_EQ(test, edge->actions & (LEAVE | JOIN), LEAVE | JOIN);
	}
}

static void opened_interface_looks_at_the_port(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ipoib_fsm_step(&ipoib_dev_fsm, IPOIB_DEV_DOWN,
					     IPOIB_DEV_EV_OPEN)->actions, QUERY);
}

static struct kunit_case ipoib_fsm_cases[] = {
	KUNIT_CASE_PARAM(every_state_is_reached, machines_gen_params),
	KUNIT_CASE_PARAM(every_state_has_a_way_to_the_end, machines_gen_params),
	KUNIT_CASE_PARAM(nothing_leads_out_of_the_end, machines_gen_params),
	KUNIT_CASE_PARAM(every_event_leads_somewhere, machines_gen_params),
	KUNIT_CASE_PARAM(values_out_of_range_are_refused, machines_gen_params),
	KUNIT_CASE_PARAM(every_state_has_a_name_of_its_own, machines_gen_params),
	KUNIT_CASE_PARAM(borders_are_crossed_by_these_events_only, borders_gen_params),
	KUNIT_CASE_PARAM(events_are_taken_where_they_belong, rules_gen_params),
	KUNIT_CASE_PARAM(stories_end_as_they_should, stories_gen_params),
	KUNIT_CASE(reports_are_taken_in_every_state),
	KUNIT_CASE(actions_are_in_the_order_that_is_needed),
	KUNIT_CASE(carrier_and_groups_are_what_the_state_says),
	KUNIT_CASE(change_leaves_the_old_groups),
	KUNIT_CASE(opened_interface_looks_at_the_port),
	{}
};

static struct kunit_suite ipoib_fsm_suite = {
	.name = "ipoib_fsm",
	.test_cases = ipoib_fsm_cases,
};

kunit_test_suite(ipoib_fsm_suite);

MODULE_DESCRIPTION("Tests of the state machines");
MODULE_LICENSE("GPL");
