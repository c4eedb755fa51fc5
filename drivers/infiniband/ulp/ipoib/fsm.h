/* SPDX-License-Identifier: GPL-2.0 */
/* State machines: the state that follows an event, and what has to be done then. */
#ifndef _IPOIB_FSM_H
#define _IPOIB_FSM_H

#include <linux/types.h>

/**
 * struct ipoib_fsm_edge - what an event does in a state
 * @legal: the event can happen in the state; if not, the rest is 0
 * @next: the state that follows
 * @actions: what has to be done, a mask of enum ipoib_dev_action; 0 but for interfaces
 */
struct ipoib_fsm_edge {
	bool legal;
	u8 next;
	u8 actions;
};

/**
 * struct ipoib_fsm - a state machine
 * @edges: one for each state and event, those of a state side by side
 * @names: one for each state
 * @states: how many states there are; the first is 0, that of a new object
 * @events: how many events there are
 */
struct ipoib_fsm {
	const struct ipoib_fsm_edge *edges;
	const char * const *names;
	u8 states;
	u8 events;
};

/**
 * enum ipoib_dev_state - state of an interface
 * @IPOIB_DEV_DOWN: registered, administratively down
 * @IPOIB_DEV_WAITING: up, but the port cannot carry the link yet
 * @IPOIB_DEV_JOINING: the port is ready, the broadcast group is not joined yet
 * @IPOIB_DEV_UP: broadcast group joined; RFC 4391 section 5 allows traffic only now
 * @IPOIB_DEV_DEAD: being unregistered, for good
 */
enum ipoib_dev_state {
	IPOIB_DEV_DOWN,
	IPOIB_DEV_WAITING,
	IPOIB_DEV_JOINING,
	IPOIB_DEV_UP,
	IPOIB_DEV_DEAD,
};

/**
 * enum ipoib_dev_event - what can happen to an interface
 * @IPOIB_DEV_EV_OPEN: ndo_open
 * @IPOIB_DEV_EV_STOP: ndo_stop
 * @IPOIB_DEV_EV_READY: a query of the port found that it can carry the link
 * @IPOIB_DEV_EV_UNREADY: a query of the port found that it cannot carry the link, or an action
 *	failed
 * @IPOIB_DEV_EV_CHANGED: the port can carry the link, but the GID, the P_Key, the index of one,
 *	or the Q_Key or MGID of the broadcast group is another one
 * @IPOIB_DEV_EV_JOINED: the broadcast group is joined
 * @IPOIB_DEV_EV_LOST: the broadcast group is lost, or joining it failed
 * @IPOIB_DEV_EV_KILL: ndo_uninit
 */
enum ipoib_dev_event {
	IPOIB_DEV_EV_OPEN,
	IPOIB_DEV_EV_STOP,
	IPOIB_DEV_EV_READY,
	IPOIB_DEV_EV_UNREADY,
	IPOIB_DEV_EV_CHANGED,
	IPOIB_DEV_EV_JOINED,
	IPOIB_DEV_EV_LOST,
	IPOIB_DEV_EV_KILL,
};

/* Actions, taken in the order of their bits. */
enum ipoib_dev_action {
	IPOIB_DEV_DO_CARRIER_OFF	= 1 << 0,
	IPOIB_DEV_DO_LEAVE		= 1 << 1,	/* forget peers, leave groups */
	IPOIB_DEV_DO_QUERY_PORT		= 1 << 2,	/* query the port */
	IPOIB_DEV_DO_JOIN		= 1 << 3,	/* join the broadcast group */
	IPOIB_DEV_DO_CARRIER_ON		= 1 << 4,
};

/**
 * enum ipoib_mcast_state - state of a group
 * @IPOIB_MCAST_IDLE: in the set, the fabric has not been asked yet
 * @IPOIB_MCAST_JOINING: a request to join is open
 * @IPOIB_MCAST_BACKOFF: the last try failed, or the membership was lost; waits for the next
 *	try
 * @IPOIB_MCAST_JOINED: the route is known, and the QP attached unless the group is only
 *	sent to
 * @IPOIB_MCAST_DEAD: removed from the set; final
 */
enum ipoib_mcast_state {
	IPOIB_MCAST_IDLE,
	IPOIB_MCAST_JOINING,
	IPOIB_MCAST_BACKOFF,
	IPOIB_MCAST_JOINED,
	IPOIB_MCAST_DEAD,
};

/**
 * enum ipoib_mcast_event - what can happen to a group
 * @IPOIB_MCAST_EV_START: the fabric is asked, for the first time or after a back-off
 * @IPOIB_MCAST_EV_OK: joined, and the QP attached unless the group is only sent to
 * @IPOIB_MCAST_EV_FAIL: refused, no answer, attaching failed, or the membership was lost
 * @IPOIB_MCAST_EV_LEAVE: the group has been removed from the set
 */
enum ipoib_mcast_event {
	IPOIB_MCAST_EV_START,
	IPOIB_MCAST_EV_OK,
	IPOIB_MCAST_EV_FAIL,
	IPOIB_MCAST_EV_LEAVE,
};

/**
 * enum ipoib_peer_state - state of a peer
 * @IPOIB_PEER_NEW: in the table, no path has been asked for yet
 * @IPOIB_PEER_RESOLVING: a path was asked for and none is known; packets are staged
 * @IPOIB_PEER_READY: has an address handle; packets are sent
 * @IPOIB_PEER_REFRESHING: as READY, while a request for a newer path is open
 * @IPOIB_PEER_FAILED: no path was found; packets are dropped until an answer brings one, or
 *	until the back-off is over and the next packet asks again
 * @IPOIB_PEER_DEAD: taken out of the table; no event leaves this state
 */
enum ipoib_peer_state {
	IPOIB_PEER_NEW,
	IPOIB_PEER_RESOLVING,
	IPOIB_PEER_READY,
	IPOIB_PEER_REFRESHING,
	IPOIB_PEER_FAILED,
	IPOIB_PEER_DEAD,
};

/**
 * enum ipoib_peer_event - what can happen to a peer
 * @IPOIB_PEER_EV_ASK: a path is asked for: first packet, back-off over, or path old
 * @IPOIB_PEER_EV_OK: a path was found and its address handle made
 * @IPOIB_PEER_EV_FAIL: no path was found
 * @IPOIB_PEER_EV_LOST: a group has no path, and the old one may lead to another group
 * @IPOIB_PEER_EV_REMOVE: taken out of the table
 */
enum ipoib_peer_event {
	IPOIB_PEER_EV_ASK,
	IPOIB_PEER_EV_OK,
	IPOIB_PEER_EV_FAIL,
	IPOIB_PEER_EV_LOST,
	IPOIB_PEER_EV_REMOVE,
};

/**
 * enum ipoib_conn_state - state of a connection
 * @IPOIB_CONN_NEW: made, and nothing done yet
 * @IPOIB_CONN_RESOLVING: the fabric has been asked for the path to the peer
 * @IPOIB_CONN_REQ_WAIT: the path is known; a REQ is to be sent when it has its turn
 * @IPOIB_CONN_REQ_SENT: our REQ has been sent, or is about to be; packets go by UD
 * @IPOIB_CONN_YIELDED: our REQ was rejected because the peer's crossed it and stands; until
 *	that REQ comes packets wait here
 * @IPOIB_CONN_STALE: our REQ was rejected because the peer takes an older connection for alive;
 *	packets wait here until the next REQ
 * @IPOIB_CONN_REP_SENT: our REP is being prepared or has been sent; packets may arrive already
 * @IPOIB_CONN_ESTABLISHED: established: packets may be sent
 * @IPOIB_CONN_DRAINING: closing, as is all that follows: packets have time to arrive
 * @IPOIB_CONN_DREQ_RCVD: the peer has sent a DREQ; ours have time to arrive before the DREP
 * @IPOIB_CONN_DREQ_WAIT: a DREQ is to be sent when it has its turn
 * @IPOIB_CONN_DISCONNECTING: the DREQ is sent, or a DREP if the DREQ was the peer's; packets of
 *	the peer may be under way
 * @IPOIB_CONN_DREP_WAIT: as FLUSHING, and the peer has longer to answer the DREQ
 * @IPOIB_CONN_FLUSHING: the QP, if there is one, is in the error state and gives back packets
 * @IPOIB_CONN_DEAD: the CM identifier and the QP are gone
 */
enum ipoib_conn_state {
	IPOIB_CONN_NEW,
	IPOIB_CONN_RESOLVING,
	IPOIB_CONN_REQ_WAIT,
	IPOIB_CONN_REQ_SENT,
	IPOIB_CONN_YIELDED,
	IPOIB_CONN_STALE,
	IPOIB_CONN_REP_SENT,
	IPOIB_CONN_ESTABLISHED,
	IPOIB_CONN_DRAINING,
	IPOIB_CONN_DREQ_RCVD,
	IPOIB_CONN_DREQ_WAIT,
	IPOIB_CONN_DISCONNECTING,
	IPOIB_CONN_DREP_WAIT,
	IPOIB_CONN_FLUSHING,
	IPOIB_CONN_DEAD,
};

/**
 * enum ipoib_conn_event - what can happen to a connection
 * @IPOIB_CONN_EV_WANT: a connection for sending is wanted
 * @IPOIB_CONN_EV_ROUTE: the path to the peer is known
 * @IPOIB_CONN_EV_TURN: the REQ has its turn, and no REQ of the peer has taken its place
 * @IPOIB_CONN_EV_REP: the peer has sent a REP, and was sent an RTU
 * @IPOIB_CONN_EV_YIELD: the peer has rejected our REQ because its own crossed it
 * @IPOIB_CONN_EV_STALE: the peer has rejected our REQ because it has a connection
 * @IPOIB_CONN_EV_REQ: the REQ of the peer was admitted, a REP can be sent
 * @IPOIB_CONN_EV_RTU: the peer has our REP: an RTU or its first packet came
 * @IPOIB_CONN_EV_CLOSE: the connection failed, was rejected or is not wanted any more
 * @IPOIB_CONN_EV_DREQ: the peer has sent a DREQ
 * @IPOIB_CONN_EV_DRAINED: no packet is under way to the peer, it took too long, or the connection
 *	has failed
 * @IPOIB_CONN_EV_DISCONNECT: it is its turn, it needs none, or none came in time
 * @IPOIB_CONN_EV_UNANSWERED: the peer has not answered the DREQ, and the DREP is worth a wait
 * @IPOIB_CONN_EV_FLUSH: the peer has answered, cannot or need not, or the connection has failed
 * @IPOIB_CONN_EV_DONE: all packets are back, or it took too long
 */
enum ipoib_conn_event {
	IPOIB_CONN_EV_WANT,
	IPOIB_CONN_EV_ROUTE,
	IPOIB_CONN_EV_TURN,
	IPOIB_CONN_EV_REP,
	IPOIB_CONN_EV_YIELD,
	IPOIB_CONN_EV_STALE,
	IPOIB_CONN_EV_REQ,
	IPOIB_CONN_EV_RTU,
	IPOIB_CONN_EV_CLOSE,
	IPOIB_CONN_EV_DREQ,
	IPOIB_CONN_EV_DRAINED,
	IPOIB_CONN_EV_DISCONNECT,
	IPOIB_CONN_EV_UNANSWERED,
	IPOIB_CONN_EV_FLUSH,
	IPOIB_CONN_EV_DONE,
};

/**
 * enum ipoib_sa_state - state of the subscription
 * @IPOIB_SA_OFF: there is no subscriber, and no subscription
 * @IPOIB_SA_SUBSCRIBING: InformInfo is sent for one trap after the other
 * @IPOIB_SA_ON: the SA has agreed to report all traps
 * @IPOIB_SA_BACKOFF: the SA has refused or not answered; the next try waits for a timer
 * @IPOIB_SA_POLLING: the MAD agent for reports could not be registered, because another agent
 *	on the port has them or memory was short; the next try waits for a timer
 * @IPOIB_SA_LEAVING: the last subscriber is gone, and the subscriptions are being ended
 */
enum ipoib_sa_state {
	IPOIB_SA_OFF,
	IPOIB_SA_SUBSCRIBING,
	IPOIB_SA_ON,
	IPOIB_SA_BACKOFF,
	IPOIB_SA_POLLING,
	IPOIB_SA_LEAVING,
};

/**
 * enum ipoib_sa_fsm_event - what can happen to the subscription
 * @IPOIB_SA_EV_SUBSCRIBE: there is a subscriber, and the MAD agent for reports is registered
 * @IPOIB_SA_EV_TAKEN: there is a subscriber, but the MAD agent could not be registered
 * @IPOIB_SA_EV_OK: the SA has agreed to report all traps
 * @IPOIB_SA_EV_FAIL: the SA has refused a trap or not answered
 * @IPOIB_SA_EV_RENEW: the SA may have lost the subscription, or the back-off is over
 * @IPOIB_SA_EV_UNSUBSCRIBE: the last subscriber has been deleted
 * @IPOIB_SA_EV_LEFT: the SA has ended all subscriptions, or it does not answer
 */
enum ipoib_sa_fsm_event {
	IPOIB_SA_EV_SUBSCRIBE,
	IPOIB_SA_EV_TAKEN,
	IPOIB_SA_EV_OK,
	IPOIB_SA_EV_FAIL,
	IPOIB_SA_EV_RENEW,
	IPOIB_SA_EV_UNSUBSCRIBE,
	IPOIB_SA_EV_LEFT,
};

extern const struct ipoib_fsm ipoib_dev_fsm;
extern const struct ipoib_fsm ipoib_mcast_fsm;
extern const struct ipoib_fsm ipoib_peer_fsm;
extern const struct ipoib_fsm ipoib_conn_fsm;
extern const struct ipoib_fsm ipoib_sa_fsm;

const struct ipoib_fsm_edge *ipoib_fsm_step(const struct ipoib_fsm *fsm,
					    unsigned int state, unsigned int event);
const char *ipoib_fsm_name(const struct ipoib_fsm *fsm, unsigned int state);

#endif /* _IPOIB_FSM_H */
