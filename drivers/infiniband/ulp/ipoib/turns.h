/* SPDX-License-Identifier: GPL-2.0 */
/* Bounds how many questions are open at a time; the others wait their turn. */
#ifndef _IPOIB_TURNS_H
#define _IPOIB_TURNS_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

/**
 * struct ipoib_turns - how many may ask at a time
 * @lock: protects all below and each turn
 * @left: turns that nobody has
 * @waiting: those that wait, the next one in front
 */
struct ipoib_turns {
	spinlock_t lock;	/* all below, and each turn */
	unsigned int left;
	struct list_head waiting;
};

/* Whether a question may be asked. */
enum ipoib_turn_state {
	IPOIB_TURN_NONE,
	IPOIB_TURN_WAITS,
	IPOIB_TURN_HAS,
};

/**
 * struct ipoib_turn - one who wants to ask
 * @wq: runs @work
 * @work: asks; queued when it is its turn
 * @state: of the turns' lock
 * @node: entry of the list of those that wait
 *
 * Part of a request, zeroed but for @wq and @work.
 */
struct ipoib_turn {
	struct workqueue_struct *wq;
	struct work_struct *work;
	enum ipoib_turn_state state;
	struct list_head node;
};

void ipoib_turns_init(struct ipoib_turns *turns, unsigned int limit);
void ipoib_turn_ask(struct ipoib_turns *turns, struct ipoib_turn *turn);
void ipoib_turn_end(struct ipoib_turns *turns, struct ipoib_turn *turn);

#endif /* _IPOIB_TURNS_H */
