// SPDX-License-Identifier: GPL-2.0
#include "turns.h"

/**
 * ipoib_turns_init - nobody asks, nobody waits
 * @turns: result
 * @limit: how many may ask at a time
 *
 * Context: Process context.
 */
void ipoib_turns_init(struct ipoib_turns *turns, unsigned int limit)
{
	spin_lock_init(&turns->lock);
	turns->left = limit;
	INIT_LIST_HEAD(&turns->waiting);
}

static void turn_take(struct ipoib_turns *turns, struct ipoib_turn *turn)
{
	lockdep_assert_held(&turns->lock);

	turn->state = IPOIB_TURN_HAS;
	turns->left--;
	queue_work(turn->wq, turn->work);
}

/**
 * ipoib_turn_ask - queue the work now, or when another's turn is over
 * @turns: whose turns
 * @turn: has none and waits for none
 *
 * The newest goes first: a question that will be answered must not stand
 * behind thousands that never will be.
 *
 * Context: Any but hard interrupt.
 */
void ipoib_turn_ask(struct ipoib_turns *turns, struct ipoib_turn *turn)
{
	spin_lock_bh(&turns->lock);
	if (turns->left) {
		turn_take(turns, turn);
	} else {
		turn->state = IPOIB_TURN_WAITS;
		list_add(&turn->node, &turns->waiting);
	}
	spin_unlock_bh(&turns->lock);
}

/**
 * ipoib_turn_end - done, or no longer interested: the next one's turn
 * @turns: whose turns
 * @turn: any; may be repeated
 *
 * Work that is queued already is not taken back.
 *
 * Context: Any but hard interrupt.
 */
void ipoib_turn_end(struct ipoib_turns *turns, struct ipoib_turn *turn)
{
	struct ipoib_turn *next;

	spin_lock_bh(&turns->lock);
	if (turn->state == IPOIB_TURN_WAITS)
		list_del(&turn->node);
	if (turn->state == IPOIB_TURN_HAS) {
		turns->left++;
		next = list_first_entry_or_null(&turns->waiting,
						struct ipoib_turn, node);
		if (next) {
			list_del(&next->node);
			turn_take(turns, next);
		}
	}
	turn->state = IPOIB_TURN_NONE;
	spin_unlock_bh(&turns->lock);
}
