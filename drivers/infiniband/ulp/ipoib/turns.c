// SPDX-License-Identifier: GPL-2.0
#include "turns.h"

#include <linux/timekeeping.h>

/* A share gets another turn while it has less than this many times @left. */
#define SHARE	3

static void turns_later_work(struct work_struct *work);

/**
 * ipoib_turns_init - make an empty queue of requests
 * @turns: result
 * @limit: most requests in flight at a time
 * @wq: runs the work that starts requests when the rate allows it; outlives @turns. May be NULL
 *	if there is no rate
 * @rate: most requests started per second; 0 for any number
 * @burst: most requests started at once after a while in which none was
 *
 * Context: Process context.
 */
void ipoib_turns_init(struct ipoib_turns *turns, unsigned int limit,
		      struct workqueue_struct *wq, u32 rate, u32 burst)
{
	INIT_DELAYED_WORK(&turns->later, turns_later_work);
	turns->wq = wq;
	spin_lock_init(&turns->lock);
	turns->left = limit;
	memset(&turns->rate, 0, sizeof(turns->rate));
	if (rate)
		ipoib_bucket_init(&turns->rate, rate, burst);
	INIT_LIST_HEAD(&turns->shares);
}

/**
 * ipoib_turns_exit - undo ipoib_turns_init()
 * @turns: no request has a turn or waits any more
 *
 * Context: Process context, may sleep.
 */
void ipoib_turns_exit(struct ipoib_turns *turns)
{
	cancel_delayed_work_sync(&turns->later);
}

/**
 * ipoib_turn_share_init - make the empty share of an interface
 * @share: result
 *
 * Context: Any.
 */
void ipoib_turn_share_init(struct ipoib_turn_share *share)
{
	share->has = 0;
	share->from_back = false;
	INIT_LIST_HEAD(&share->waiting);
	INIT_LIST_HEAD(&share->node);
}

/*
 * The share that gets the next turn, or NULL. Shares with waiting requests are served in
 * rotation. A share alone gets no more than three quarters of all turns, so that an interface
 * that comes later finds some left: a request that is never answered keeps its turn for seconds.
 */
static struct ipoib_turn_share *next_share(struct ipoib_turns *turns)
{
	struct ipoib_turn_share *share;

	list_for_each_entry(share, &turns->shares, node)
		if (share->has < SHARE * turns->left)
			return share;
	return NULL;
}

static void turn_unlink(struct ipoib_turn *turn)
{
	list_del(&turn->node);
	if (list_empty(&turn->share->waiting))
		list_del_init(&turn->share->node);
}

/*
 * Take the newest and the oldest waiting request alternately. If the oldest were always first, a
 * request that will be answered would wait behind thousands that never will be. If the
 * newest were always first, a request would wait for ever while others keep coming.
 */
static struct ipoib_turn *next_turn(struct ipoib_turn_share *share)
{
	share->from_back = !share->from_back;
	return share->from_back ?
	       list_first_entry(&share->waiting, struct ipoib_turn, node) :
	       list_last_entry(&share->waiting, struct ipoib_turn, node);
}

static void turns_give(struct ipoib_turns *turns)
{
	struct ipoib_turn_share *share;
	struct ipoib_turn *turn;
	u64 now = ktime_get_ns();

	lockdep_assert_held(&turns->lock);

	while ((share = next_share(turns))) {
		if (!ipoib_bucket_take(&turns->rate, now)) {
			u64 wait = ipoib_bucket_wait(&turns->rate, now);

			queue_delayed_work(turns->wq, &turns->later,
					   nsecs_to_jiffies(wait) + 1);
			return;
		}
		turn = next_turn(share);
		list_move_tail(&share->node, &turns->shares);
		turn_unlink(turn);
		turn->state = IPOIB_TURN_HAS;
		share->has++;
		turns->left--;
		queue_work(turn->wq, turn->work);
	}
}

static void turns_later_work(struct work_struct *work)
{
	struct ipoib_turns *turns = container_of(to_delayed_work(work),
						 struct ipoib_turns, later);

	spin_lock_bh(&turns->lock);
	turns_give(turns);
	spin_unlock_bh(&turns->lock);
}

/**
 * ipoib_turn_ask - start a request now, or when the limits allow it
 * @turns: the queue
 * @turn: a request that has no turn and does not wait for one
 *
 * Context: Any but hard interrupt.
 */
void ipoib_turn_ask(struct ipoib_turns *turns, struct ipoib_turn *turn)
{
	struct ipoib_turn_share *share = turn->share;

	spin_lock_bh(&turns->lock);
	turn->state = IPOIB_TURN_WAITS;
	if (list_empty(&share->waiting))
		list_add_tail(&share->node, &turns->shares);
	list_add(&turn->node, &share->waiting);
	turns_give(turns);
	spin_unlock_bh(&turns->lock);
}

/**
 * ipoib_turn_end - give a turn back, or stop waiting for one
 * @turns: the queue
 * @turn: a request in any state; calling this again does no harm
 *
 * If the work of the request is queued already, it runs all the same. Requests that wait may
 * be started.
 *
 * Context: Any but hard interrupt.
 */
void ipoib_turn_end(struct ipoib_turns *turns, struct ipoib_turn *turn)
{
	spin_lock_bh(&turns->lock);
	if (turn->state == IPOIB_TURN_WAITS) {
		turn_unlink(turn);
	} else if (turn->state == IPOIB_TURN_HAS) {
		turn->share->has--;
		turns->left++;
	}
	turn->state = IPOIB_TURN_NONE;
	turns_give(turns);
	spin_unlock_bh(&turns->lock);
}
