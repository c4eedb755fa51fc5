/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A queue of requests to a fabric, or of CM messages to peers. It bounds how many requests are in
 * flight at a time and how many are started in a second; the others wait. A request in flight has
 * a "turn". The turns are shared out among the interfaces.
 */
#ifndef _IPOIB_TURNS_H
#define _IPOIB_TURNS_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "bucket.h"

/**
 * struct ipoib_turns - limits of the requests in flight
 * @later: starts waiting requests when the rate allows it again
 * @wq: runs @later
 * @lock: protects all that follows, and all shares and turns
 * @left: turns that no request has
 * @rate: bounds how many requests are started in a second
 * @shares: shares with waiting requests; the first one is served next
 */
struct ipoib_turns {
	struct delayed_work later;
	struct workqueue_struct *wq;
	spinlock_t lock;	/* left to shares, every share and turn */
	unsigned int left;
	struct ipoib_bucket rate;
	struct list_head shares;
};

/**
 * struct ipoib_turn_share - the requests of one interface
 * @has: turns that requests of the interface have
 * @from_back: the next turn goes to the oldest waiting request, not to the newest
 * @waiting: waiting requests, the newest in front
 * @node: entry of @shares of struct ipoib_turns while @waiting is not empty
 *
 * Part of an interface and of no more than one struct ipoib_turns, whose lock
 * protects it.
 */
struct ipoib_turn_share {
	unsigned int has;
	bool from_back;
	struct list_head waiting;
	struct list_head node;
};

/* State of one request: it neither has a turn nor waits, it waits, or it has a turn. */
enum ipoib_turn_state {
	IPOIB_TURN_NONE,
	IPOIB_TURN_WAITS,
	IPOIB_TURN_HAS,
};

/**
 * struct ipoib_turn - the place of one request in the queue
 * @wq: runs @work
 * @work: starts the request; queued when the request gets its turn
 * @share: share of the interface that makes the request
 * @state: see enum ipoib_turn_state; lock of struct ipoib_turns
 * @node: entry of @waiting of @share
 *
 * Part of a request. The owner sets @wq, @work and @share; all else is zero at first.
 */
struct ipoib_turn {
	struct workqueue_struct *wq;
	struct work_struct *work;
	struct ipoib_turn_share *share;
	enum ipoib_turn_state state;
	struct list_head node;
};

void ipoib_turns_init(struct ipoib_turns *turns, unsigned int limit,
		      struct workqueue_struct *wq, u32 rate, u32 burst);
void ipoib_turns_exit(struct ipoib_turns *turns);
void ipoib_turn_share_init(struct ipoib_turn_share *share);
void ipoib_turn_ask(struct ipoib_turns *turns, struct ipoib_turn *turn);
void ipoib_turn_end(struct ipoib_turns *turns, struct ipoib_turn *turn);

#endif /* _IPOIB_TURNS_H */
