// SPDX-License-Identifier: GPL-2.0
#include "dev_fsm.h"

#define OFF	IPOIB_DEV_DO_CARRIER_OFF
#define LEAVE	IPOIB_DEV_DO_LEAVE
#define LOOK	IPOIB_DEV_DO_LOOK
#define JOIN	IPOIB_DEV_DO_JOIN
#define ON	IPOIB_DEV_DO_CARRIER_ON

struct edge {
	bool legal;
	enum ipoib_dev_state next;
	unsigned int actions;
};

#define GO(_next, _actions)	{ true, IPOIB_DEV_##_next, _actions }
#define STAY(_state)		{ true, IPOIB_DEV_##_state, 0 }

/*
 * Reports of the fabric may come late, so each state accepts them and ignores those that it
 * does not wait for. Edges that only an error of the driver could take are missing: the stack
 * closes a device before it unregisters it, and never opens it twice.
 */
static const struct edge edges[IPOIB_DEV_STATES][IPOIB_DEV_EVENTS] = {
	[IPOIB_DEV_DOWN] = {
		[IPOIB_DEV_EV_OPEN]	= GO(WAITING, LOOK),
		[IPOIB_DEV_EV_FIT]	= STAY(DOWN),
		[IPOIB_DEV_EV_UNFIT]	= STAY(DOWN),
		[IPOIB_DEV_EV_CHANGED]	= STAY(DOWN),
		[IPOIB_DEV_EV_JOINED]	= STAY(DOWN),
		[IPOIB_DEV_EV_LOST]	= STAY(DOWN),
		[IPOIB_DEV_EV_KILL]	= GO(DEAD, 0),
	},
	[IPOIB_DEV_WAITING] = {
		[IPOIB_DEV_EV_STOP]	= GO(DOWN, 0),
		[IPOIB_DEV_EV_FIT]	= GO(JOINING, JOIN),
		[IPOIB_DEV_EV_UNFIT]	= STAY(WAITING),
		[IPOIB_DEV_EV_CHANGED]	= GO(JOINING, JOIN),
		[IPOIB_DEV_EV_JOINED]	= STAY(WAITING),
		[IPOIB_DEV_EV_LOST]	= STAY(WAITING),
	},
	[IPOIB_DEV_JOINING] = {
		[IPOIB_DEV_EV_STOP]	= GO(DOWN, LEAVE),
		[IPOIB_DEV_EV_FIT]	= STAY(JOINING),
		[IPOIB_DEV_EV_UNFIT]	= GO(WAITING, LEAVE),
		[IPOIB_DEV_EV_CHANGED]	= GO(JOINING, LEAVE | JOIN),
		[IPOIB_DEV_EV_JOINED]	= GO(UP, ON),
		[IPOIB_DEV_EV_LOST]	= STAY(JOINING),
	},
	[IPOIB_DEV_UP] = {
		[IPOIB_DEV_EV_STOP]	= GO(DOWN, OFF | LEAVE),
		[IPOIB_DEV_EV_FIT]	= STAY(UP),
		[IPOIB_DEV_EV_UNFIT]	= GO(WAITING, OFF | LEAVE),
		[IPOIB_DEV_EV_CHANGED]	= GO(JOINING, OFF | LEAVE | JOIN),
		[IPOIB_DEV_EV_JOINED]	= STAY(UP),
		[IPOIB_DEV_EV_LOST]	= GO(JOINING, OFF | LEAVE | JOIN),
	},
	[IPOIB_DEV_DEAD] = {
		[IPOIB_DEV_EV_FIT]	= STAY(DEAD),
		[IPOIB_DEV_EV_UNFIT]	= STAY(DEAD),
		[IPOIB_DEV_EV_CHANGED]	= STAY(DEAD),
		[IPOIB_DEV_EV_JOINED]	= STAY(DEAD),
		[IPOIB_DEV_EV_LOST]	= STAY(DEAD),
	},
};

static const char * const names[IPOIB_DEV_STATES] = {
	[IPOIB_DEV_DOWN]	= "down",
	[IPOIB_DEV_WAITING]	= "waiting",
	[IPOIB_DEV_JOINING]	= "joining",
	[IPOIB_DEV_UP]		= "up",
	[IPOIB_DEV_DEAD]	= "dead",
};

/**
 * ipoib_dev_fsm_step - look up what an event does
 * @state: state now
 * @event: what happened
 * @step: the next state and what to do, valid if true is returned
 *
 * Return: false if @event is impossible in @state.
 * Context: Any; pure.
 */
bool ipoib_dev_fsm_step(enum ipoib_dev_state state, enum ipoib_dev_event event,
			struct ipoib_dev_step *step)
{
	const struct edge *edge;

	if (state >= IPOIB_DEV_STATES || event >= IPOIB_DEV_EVENTS)
		return false;

	edge = &edges[state][event];
	step->next = edge->next;
	step->actions = edge->actions;
	return edge->legal;
}

/**
 * ipoib_dev_state_name - name of a state for traces and debugfs
 * @state: any value
 *
 * Return: a constant string.
 */
const char *ipoib_dev_state_name(enum ipoib_dev_state state)
{
	return state < IPOIB_DEV_STATES ? names[state] : "?";
}
