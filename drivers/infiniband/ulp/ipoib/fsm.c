// SPDX-License-Identifier: GPL-2.0
#include "fsm.h"

#include <linux/build_bug.h>
#include <linux/kernel.h>

#define DO(_state, _actions)	{ true, IPOIB_##_state, _actions }
#define GO(_state)		DO(_state, 0)

/* The table of states and events must have a name for each state, and none besides. */
#define FSM(_machine)						\
	static_assert(ARRAY_SIZE(_machine##_names) ==		\
		      ARRAY_SIZE(_machine##_edges));		\
	const struct ipoib_fsm ipoib_##_machine##_fsm = {	\
		.edges	= _machine##_edges[0],			\
		.names	= _machine##_names,			\
		.states	= ARRAY_SIZE(_machine##_edges),		\
		.events	= ARRAY_SIZE(_machine##_edges[0]),	\
	}

#define OFF	IPOIB_DEV_DO_CARRIER_OFF
#define LEAVE	IPOIB_DEV_DO_LEAVE
#define QUERY	IPOIB_DEV_DO_QUERY_PORT
#define JOIN	IPOIB_DEV_DO_JOIN
#define ON	IPOIB_DEV_DO_CARRIER_ON

/*
 * Reports of the fabric may come late, so each state accepts them and ignores those that it
 * does not wait for. Edges that only an error of the driver could take are missing: the stack
 * closes a device before it unregisters it, and never opens it twice.
 */
static const struct ipoib_fsm_edge dev_edges[IPOIB_DEV_DEAD + 1][IPOIB_DEV_EV_KILL + 1] = {
	[IPOIB_DEV_DOWN] = {
		[IPOIB_DEV_EV_OPEN]	= DO(DEV_WAITING, QUERY),
		[IPOIB_DEV_EV_READY]	= GO(DEV_DOWN),
		[IPOIB_DEV_EV_UNREADY]	= GO(DEV_DOWN),
		[IPOIB_DEV_EV_CHANGED]	= GO(DEV_DOWN),
		[IPOIB_DEV_EV_JOINED]	= GO(DEV_DOWN),
		[IPOIB_DEV_EV_LOST]	= GO(DEV_DOWN),
		[IPOIB_DEV_EV_KILL]	= GO(DEV_DEAD),
	},
	[IPOIB_DEV_WAITING] = {
		[IPOIB_DEV_EV_STOP]	= GO(DEV_DOWN),
		[IPOIB_DEV_EV_READY]	= DO(DEV_JOINING, JOIN),
		[IPOIB_DEV_EV_UNREADY]	= GO(DEV_WAITING),
		[IPOIB_DEV_EV_CHANGED]	= DO(DEV_JOINING, JOIN),
		[IPOIB_DEV_EV_JOINED]	= GO(DEV_WAITING),
		[IPOIB_DEV_EV_LOST]	= GO(DEV_WAITING),
	},
	[IPOIB_DEV_JOINING] = {
		[IPOIB_DEV_EV_STOP]	= DO(DEV_DOWN, LEAVE),
		[IPOIB_DEV_EV_READY]	= GO(DEV_JOINING),
		[IPOIB_DEV_EV_UNREADY]	= DO(DEV_WAITING, LEAVE),
		[IPOIB_DEV_EV_CHANGED]	= DO(DEV_JOINING, LEAVE | JOIN),
		[IPOIB_DEV_EV_JOINED]	= DO(DEV_UP, ON),
		[IPOIB_DEV_EV_LOST]	= GO(DEV_JOINING),
	},
	[IPOIB_DEV_UP] = {
		[IPOIB_DEV_EV_STOP]	= DO(DEV_DOWN, OFF | LEAVE),
		[IPOIB_DEV_EV_READY]	= GO(DEV_UP),
		[IPOIB_DEV_EV_UNREADY]	= DO(DEV_WAITING, OFF | LEAVE),
		[IPOIB_DEV_EV_CHANGED]	= DO(DEV_JOINING, OFF | LEAVE | JOIN),
		[IPOIB_DEV_EV_JOINED]	= GO(DEV_UP),
		[IPOIB_DEV_EV_LOST]	= DO(DEV_JOINING, OFF | LEAVE | JOIN),
	},
	[IPOIB_DEV_DEAD] = {
		[IPOIB_DEV_EV_READY]	= GO(DEV_DEAD),
		[IPOIB_DEV_EV_UNREADY]	= GO(DEV_DEAD),
		[IPOIB_DEV_EV_CHANGED]	= GO(DEV_DEAD),
		[IPOIB_DEV_EV_JOINED]	= GO(DEV_DEAD),
		[IPOIB_DEV_EV_LOST]	= GO(DEV_DEAD),
	},
};

static const char * const dev_names[] = {
	[IPOIB_DEV_DOWN]	= "down",
	[IPOIB_DEV_WAITING]	= "waiting",
	[IPOIB_DEV_JOINING]	= "joining",
	[IPOIB_DEV_UP]		= "up",
	[IPOIB_DEV_DEAD]	= "dead",
};

FSM(dev);

static const struct ipoib_fsm_edge mcast_edges[IPOIB_MCAST_DEAD + 1][IPOIB_MCAST_EV_LEAVE + 1] = {
	[IPOIB_MCAST_IDLE] = {
		[IPOIB_MCAST_EV_START]	= GO(MCAST_JOINING),
		[IPOIB_MCAST_EV_LEAVE]	= GO(MCAST_DEAD),
	},
	[IPOIB_MCAST_JOINING] = {
		[IPOIB_MCAST_EV_OK]	= GO(MCAST_JOINED),
		[IPOIB_MCAST_EV_FAIL]	= GO(MCAST_BACKOFF),
		[IPOIB_MCAST_EV_LEAVE]	= GO(MCAST_DEAD),
	},
	[IPOIB_MCAST_BACKOFF] = {
		[IPOIB_MCAST_EV_START]	= GO(MCAST_JOINING),
		[IPOIB_MCAST_EV_LEAVE]	= GO(MCAST_DEAD),
	},
	[IPOIB_MCAST_JOINED] = {
		/* The membership was lost, or the group was deleted: it is asked for anew. */
		[IPOIB_MCAST_EV_FAIL]	= GO(MCAST_BACKOFF),
		[IPOIB_MCAST_EV_LEAVE]	= GO(MCAST_DEAD),
	},
};

static const char * const mcast_names[] = {
	[IPOIB_MCAST_IDLE]	= "idle",
	[IPOIB_MCAST_JOINING]	= "joining",
	[IPOIB_MCAST_BACKOFF]	= "backoff",
	[IPOIB_MCAST_JOINED]	= "joined",
	[IPOIB_MCAST_DEAD]	= "dead",
};

FSM(mcast);

static const struct ipoib_fsm_edge peer_edges[IPOIB_PEER_DEAD + 1][IPOIB_PEER_EV_REMOVE + 1] = {
	[IPOIB_PEER_NEW] = {
		[IPOIB_PEER_EV_ASK]	= GO(PEER_RESOLVING),
		[IPOIB_PEER_EV_REMOVE]	= GO(PEER_DEAD),
	},
	[IPOIB_PEER_RESOLVING] = {
		[IPOIB_PEER_EV_OK]	= GO(PEER_READY),
		[IPOIB_PEER_EV_FAIL]	= GO(PEER_FAILED),
		[IPOIB_PEER_EV_LOST]	= GO(PEER_FAILED),
		[IPOIB_PEER_EV_REMOVE]	= GO(PEER_DEAD),
	},
	[IPOIB_PEER_READY] = {
		[IPOIB_PEER_EV_ASK]	= GO(PEER_REFRESHING),
		/*
		 * A group that is joined again calls ipoib_peer_answer() unasked. If a node's
		 * path was not found, the one in use stays.
		 */
		[IPOIB_PEER_EV_OK]	= GO(PEER_READY),
		[IPOIB_PEER_EV_FAIL]	= GO(PEER_READY),
		[IPOIB_PEER_EV_LOST]	= GO(PEER_FAILED),
		[IPOIB_PEER_EV_REMOVE]	= GO(PEER_DEAD),
	},
	/* Groups are not refreshed, so their EV_LOST cannot come here. */
	[IPOIB_PEER_REFRESHING] = {
		[IPOIB_PEER_EV_OK]	= GO(PEER_READY),
		/* The old path is kept, because it may still work. */
		[IPOIB_PEER_EV_FAIL]	= GO(PEER_READY),
		[IPOIB_PEER_EV_REMOVE]	= GO(PEER_DEAD),
	},
	[IPOIB_PEER_FAILED] = {
		[IPOIB_PEER_EV_ASK]	= GO(PEER_RESOLVING),
		/* A group that is joined late calls ipoib_peer_answer() unasked. */
		[IPOIB_PEER_EV_OK]	= GO(PEER_READY),
		[IPOIB_PEER_EV_LOST]	= GO(PEER_FAILED),
		[IPOIB_PEER_EV_REMOVE]	= GO(PEER_DEAD),
	},
};

static const char * const peer_names[] = {
	[IPOIB_PEER_NEW]	= "new",
	[IPOIB_PEER_RESOLVING]	= "resolving",
	[IPOIB_PEER_READY]	= "ready",
	[IPOIB_PEER_REFRESHING]	= "refreshing",
	[IPOIB_PEER_FAILED]	= "failed",
	[IPOIB_PEER_DEAD]	= "dead",
};

FSM(peer);

static const struct ipoib_fsm_edge conn_edges[IPOIB_CONN_DEAD + 1][IPOIB_CONN_EV_DONE + 1] = {
	[IPOIB_CONN_NEW] = {
		[IPOIB_CONN_EV_WANT]	= GO(CONN_RESOLVING),
		[IPOIB_CONN_EV_REQ]	= GO(CONN_REP_SENT),
		[IPOIB_CONN_EV_CLOSE]	= GO(CONN_DRAINING),
	},
	[IPOIB_CONN_RESOLVING] = {
		[IPOIB_CONN_EV_ROUTE]	= GO(CONN_REQ_WAIT),
		[IPOIB_CONN_EV_CLOSE]	= GO(CONN_DRAINING),
	},
	[IPOIB_CONN_REQ_WAIT] = {
		[IPOIB_CONN_EV_TURN]	= GO(CONN_REQ_SENT),
		[IPOIB_CONN_EV_CLOSE]	= GO(CONN_DRAINING),
	},
	[IPOIB_CONN_REQ_SENT] = {
		[IPOIB_CONN_EV_REP]	= GO(CONN_ESTABLISHED),
		[IPOIB_CONN_EV_YIELD]	= GO(CONN_YIELDED),
		[IPOIB_CONN_EV_STALE]	= GO(CONN_STALE),
		[IPOIB_CONN_EV_CLOSE]	= GO(CONN_DRAINING),
	},
	[IPOIB_CONN_YIELDED] = {
		[IPOIB_CONN_EV_CLOSE]	= GO(CONN_DRAINING),
	},
	[IPOIB_CONN_STALE] = {
		[IPOIB_CONN_EV_CLOSE]	= GO(CONN_DRAINING),
	},
	[IPOIB_CONN_REP_SENT] = {
		[IPOIB_CONN_EV_RTU]	= GO(CONN_ESTABLISHED),
		[IPOIB_CONN_EV_CLOSE]	= GO(CONN_DRAINING),
	},
	[IPOIB_CONN_ESTABLISHED] = {
		/*
		 * A connection may get two of these events: for its first packet, then for the
		 * RTU.
		 */
		[IPOIB_CONN_EV_RTU]	= GO(CONN_ESTABLISHED),
		[IPOIB_CONN_EV_CLOSE]	= GO(CONN_DRAINING),
	},
	[IPOIB_CONN_DRAINING] = {
		[IPOIB_CONN_EV_DREQ]		= GO(CONN_DREQ_RCVD),
		[IPOIB_CONN_EV_DRAINED]		= GO(CONN_DREQ_WAIT),
		[IPOIB_CONN_EV_DISCONNECT]	= GO(CONN_DISCONNECTING),
	},
	/* The DREP needs no turn: the peer has seen to it that there are not too many. */
	[IPOIB_CONN_DREQ_RCVD] = {
		[IPOIB_CONN_EV_DISCONNECT]	= GO(CONN_DISCONNECTING),
	},
	[IPOIB_CONN_DREQ_WAIT] = {
		[IPOIB_CONN_EV_DISCONNECT]	= GO(CONN_DISCONNECTING),
	},
	[IPOIB_CONN_DISCONNECTING] = {
		[IPOIB_CONN_EV_UNANSWERED]	= GO(CONN_DREP_WAIT),
		[IPOIB_CONN_EV_FLUSH]		= GO(CONN_FLUSHING),
	},
	[IPOIB_CONN_DREP_WAIT] = {
		[IPOIB_CONN_EV_FLUSH]	= GO(CONN_FLUSHING),
		[IPOIB_CONN_EV_DONE]	= GO(CONN_DEAD),
	},
	[IPOIB_CONN_FLUSHING] = {
		[IPOIB_CONN_EV_DONE]	= GO(CONN_DEAD),
	},
};

static const char * const conn_names[] = {
	[IPOIB_CONN_NEW]		= "new",
	[IPOIB_CONN_RESOLVING]		= "resolving",
	[IPOIB_CONN_REQ_WAIT]		= "req_wait",
	[IPOIB_CONN_REQ_SENT]		= "req_sent",
	[IPOIB_CONN_YIELDED]		= "yielded",
	[IPOIB_CONN_STALE]		= "stale",
	[IPOIB_CONN_REP_SENT]		= "rep_sent",
	[IPOIB_CONN_ESTABLISHED]	= "established",
	[IPOIB_CONN_DRAINING]		= "draining",
	[IPOIB_CONN_DREQ_RCVD]		= "dreq_rcvd",
	[IPOIB_CONN_DREQ_WAIT]		= "dreq_wait",
	[IPOIB_CONN_DISCONNECTING]	= "disconnecting",
	[IPOIB_CONN_DREP_WAIT]		= "drep_wait",
	[IPOIB_CONN_FLUSHING]		= "flushing",
	[IPOIB_CONN_DEAD]		= "dead",
};

FSM(conn);

static const struct ipoib_fsm_edge sa_edges[IPOIB_SA_LEAVING + 1][IPOIB_SA_EV_LEFT + 1] = {
	[IPOIB_SA_OFF] = {
		[IPOIB_SA_EV_SUBSCRIBE]		= GO(SA_SUBSCRIBING),
		[IPOIB_SA_EV_TAKEN]		= GO(SA_POLLING),
	},
	[IPOIB_SA_SUBSCRIBING] = {
		[IPOIB_SA_EV_OK]		= GO(SA_ON),
		[IPOIB_SA_EV_FAIL]		= GO(SA_BACKOFF),
		/* Start over with the first trap, because the SM may be another one. */
		[IPOIB_SA_EV_RENEW]		= GO(SA_SUBSCRIBING),
		[IPOIB_SA_EV_UNSUBSCRIBE]	= GO(SA_LEAVING),
	},
	[IPOIB_SA_ON] = {
		[IPOIB_SA_EV_RENEW]		= GO(SA_SUBSCRIBING),
		[IPOIB_SA_EV_UNSUBSCRIBE]	= GO(SA_LEAVING),
	},
	[IPOIB_SA_BACKOFF] = {
		[IPOIB_SA_EV_RENEW]		= GO(SA_SUBSCRIBING),
		[IPOIB_SA_EV_UNSUBSCRIBE]	= GO(SA_LEAVING),
	},
	[IPOIB_SA_POLLING] = {
		/* The MAD agent for reports could be registered this time. */
		[IPOIB_SA_EV_SUBSCRIBE]		= GO(SA_SUBSCRIBING),
		[IPOIB_SA_EV_UNSUBSCRIBE]	= GO(SA_OFF),
	},
	[IPOIB_SA_LEAVING] = {
		[IPOIB_SA_EV_LEFT]		= GO(SA_OFF),
	},
};

static const char * const sa_names[] = {
	[IPOIB_SA_OFF]		= "off",
	[IPOIB_SA_SUBSCRIBING]	= "subscribing",
	[IPOIB_SA_ON]		= "on",
	[IPOIB_SA_BACKOFF]	= "backoff",
	[IPOIB_SA_POLLING]	= "polling",
	[IPOIB_SA_LEAVING]	= "leaving",
};

FSM(sa);

/**
 * ipoib_fsm_step - look up what an event does
 * @fsm: state machine
 * @state: state now
 * @event: what happened
 *
 * Return: the edge, NULL if @event cannot happen in @state.
 * Context: Any; pure.
 */
const struct ipoib_fsm_edge *ipoib_fsm_step(const struct ipoib_fsm *fsm,
					    unsigned int state, unsigned int event)
{
	const struct ipoib_fsm_edge *edge;

	if (state >= fsm->states || event >= fsm->events)
		return NULL;

	edge = &fsm->edges[state * fsm->events + event];
	return edge->legal ? edge : NULL;
}

/**
 * ipoib_fsm_name - name a state for traces and debugfs
 * @fsm: state machine
 * @state: any value
 *
 * Return: a constant string.
 * Context: Any; pure.
 */
const char *ipoib_fsm_name(const struct ipoib_fsm *fsm, unsigned int state)
{
	return state < fsm->states ? fsm->names[state] : "?";
}
