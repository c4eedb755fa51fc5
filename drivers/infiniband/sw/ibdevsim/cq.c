// SPDX-License-Identifier: GPL-2.0
#include "cq.h"

#include <linux/log2.h>
#include <linux/vmalloc.h>

static void call_handler(struct ibds_cq *cq)
{
	cq->ibcq.comp_handler(&cq->ibcq, cq->ibcq.cq_context);
}

/* IBA 10.2.2: the consumer learns that completions are lost, once. */
static void tell_overrun(struct ibds_cq *cq)
{
	struct ib_event event = {
		.event = IB_EVENT_CQ_ERR,
		.device = cq->ibcq.device,
		.element.cq = &cq->ibcq,
	};

	if (cq->ibcq.event_handler)
		cq->ibcq.event_handler(&event, cq->ibcq.cq_context);
}

/**
 * ibds_batch_finish - tell the consumers
 * @batch: what was completed; empty afterwards
 *
 * Context: Softirq or bottom halves off, no lock held, RCU held since the
 * first completion.
 */
void ibds_batch_finish(struct ibds_batch *batch)
{
	while (batch->cqs) {
		struct ibds_cq *cq = batch->cqs;

		batch->cqs = cq->next;
		/*
		 * Who still sees it set is served below: pairs with cq->lock
		 * for completions, and with queue_up()'s barrier for @news.
		 */
		smp_store_mb(cq->queued, false);
		if (unlikely(test_bit(IBDS_CQ_OVERRUN, &cq->news)) &&
		    test_and_clear_bit(IBDS_CQ_OVERRUN, &cq->news))
			tell_overrun(cq);
		if (likely(test_and_clear_bit(IBDS_CQ_NOTIFY, &cq->news)))
			call_handler(cq);
	}
}

static enum hrtimer_restart timer_done(struct hrtimer *timer)
{
	struct ibds_cq *cq = container_of(timer, struct ibds_cq, timer);
	unsigned long flags;
	bool notify;

	spin_lock_irqsave(&cq->lock, flags);
	cq->timing = false;
	notify = cq->armed && cq->since &&
		 !test_bit(IBDS_CQ_NOTIFY, &cq->news);
	if (notify) {
		cq->armed = 0;
		cq->since = 0;
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	if (notify)
		call_handler(cq);
	return HRTIMER_NORESTART;
}

/**
 * ibds_cq_create - make a completion queue
 * @ibcq: result, zeroed by the core
 * @attr: number of entries
 *
 * Return: 0 or a negative errno.
 * Context: Process context, may sleep.
 */
int ibds_cq_create(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr)
{
	struct ibds_cq *cq = to_ibds_cq(ibcq);
	u32 len;

	if (attr->flags || !attr->cqe || attr->cqe > IBDS_CQE_MAX)
		return -EINVAL;

	len = roundup_pow_of_two(attr->cqe + 1);
	cq->ring = vzalloc(array_size(len, sizeof(*cq->ring)));
	if (!cq->ring)
		return -ENOMEM;
	spin_lock_init(&cq->lock);
	cq->mask = len - 1;
	hrtimer_setup(&cq->timer, timer_done, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_SOFT);
	ibcq->cqe = len - 1;
	return 0;
}

/**
 * ibds_destroy_cq - destroy a completion queue
 * @ibcq: no queue pair uses it
 * @udata: unused
 *
 * Return: 0.
 * Context: Process context, may sleep.
 */
int ibds_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct ibds_cq *cq = to_ibds_cq(ibcq);

	hrtimer_cancel(&cq->timer);
	vfree(cq->ring);
	return 0;
}

/**
 * ibds_poll_cq - take completions
 * @ibcq: from here
 * @max: not more than that
 * @wc: result
 *
 * Return: how many.
 * Context: Any.
 */
int ibds_poll_cq(struct ib_cq *ibcq, int max, struct ib_wc *wc)
{
	struct ibds_cq *cq = to_ibds_cq(ibcq);
	unsigned long flags;
	u32 n, i;

	spin_lock_irqsave(&cq->lock, flags);
	n = min_t(u32, cq->head - cq->tail, max);
	for (i = 0; i < n; i++)
		wc[i] = cq->ring[cq->tail++ & cq->mask];
	spin_unlock_irqrestore(&cq->lock, flags);
	return n;
}

/**
 * ibds_req_notify_cq - ask for a notification
 * @ibcq: of this queue
 * @flags: about which completions; whether to tell of those that are there
 *
 * Return: 1 if completions wait and the caller wanted to know, 0 otherwise.
 * Context: Any.
 */
int ibds_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct ibds_cq *cq = to_ibds_cq(ibcq);
	unsigned long irq;
	int missed;

	spin_lock_irqsave(&cq->lock, irq);
	/* Any completion is a weaker wish than a solicited one, and wins. */
	if (cq->armed != IB_CQ_NEXT_COMP)
		cq->armed = flags & IB_CQ_SOLICITED_MASK;
	missed = (flags & IB_CQ_REPORT_MISSED_EVENTS) && cq->head != cq->tail;
	spin_unlock_irqrestore(&cq->lock, irq);
	return missed;
}

/**
 * ibds_modify_cq - set the moderation of notifications
 * @ibcq: the queue
 * @count: completions that make a notification
 * @period: microseconds after which fewer of them make one
 *
 * Return: 0.
 * Context: Any.
 */
int ibds_modify_cq(struct ib_cq *ibcq, u16 count, u16 period)
{
	struct ibds_cq *cq = to_ibds_cq(ibcq);
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	/* Without a time limit the last completions would never be told of. */
	cq->count = period ? count : 0;
	cq->usec = period;
	spin_unlock_irqrestore(&cq->lock, flags);
	return 0;
}

/**
 * ibds_cq_begin - reserve the next entry of a queue
 * @cq: the queue
 * @flags: result, for ibds_cq_end()
 *
 * The caller fills in the fields that it has. The lock of the queue is taken
 * and handed to ibds_cq_end(), which has to be called in any case.
 *
 * Return: the entry, or NULL when the queue is full.
 * Context: Any; RCU held.
 */
struct ib_wc *ibds_cq_begin(struct ibds_cq *cq, unsigned long *flags)
	__acquires(&cq->lock)
{
	spin_lock_irqsave(&cq->lock, *flags);
	if (unlikely(cq->overrun || cq->head - cq->tail > cq->mask))
		return NULL;
	return &cq->ring[cq->head & cq->mask];
}

static bool enough(struct ibds_cq *cq)
{
	if (++cq->since >= cq->count)
		return true;
	/* Not hrtimer_active(): it is while a handler that saw nothing ends. */
	if (!cq->timing) {
		cq->timing = true;
		hrtimer_start(&cq->timer, ns_to_ktime(cq->usec * 1000ULL),
			      HRTIMER_MODE_REL_SOFT);
	}
	return false;
}

static void queue_up(struct ibds_cq *cq, struct ibds_batch *batch)
{
	lockdep_assert_held(&cq->lock);

	/* Pairs with that in ibds_batch_finish(). */
	smp_mb();
	if (READ_ONCE(cq->queued))
		return;
	cq->queued = true;
	cq->next = batch->cqs;
	batch->cqs = cq;
}

/**
 * ibds_cq_end - publish the reserved entry
 * @cq: the queue
 * @wc: what ibds_cq_begin() gave; with NULL the completion is lost
 * @solicited: the sender asked for an event
 * @batch: takes the queue if its consumer is to be notified
 * @flags: of ibds_cq_begin()
 */
void ibds_cq_end(struct ibds_cq *cq, const struct ib_wc *wc, bool solicited,
		 struct ibds_batch *batch, unsigned long flags)
	__releases(&cq->lock)
{
	if (unlikely(!wc)) {
		if (!cq->overrun) {
			cq->overrun = true;
			set_bit(IBDS_CQ_OVERRUN, &cq->news);
			queue_up(cq, batch);
		}
		goto out;
	}
	cq->head++;
	if (cq->armed &&
	    (cq->armed == IB_CQ_NEXT_COMP || solicited ||
	     wc->status != IB_WC_SUCCESS) &&
	    (cq->count <= 1 || enough(cq))) {
		cq->armed = 0;
		cq->since = 0;
		set_bit(IBDS_CQ_NOTIFY, &cq->news);
		queue_up(cq, batch);
	}
out:
	spin_unlock_irqrestore(&cq->lock, flags);
}

/**
 * ibds_cq_purge - take out the completions of a queue pair
 * @cq: the queue
 * @ibqp: queue pair that completes nothing any more
 *
 * Context: Any.
 */
void ibds_cq_purge(struct ibds_cq *cq, const struct ib_qp *ibqp)
{
	unsigned long flags;
	u32 from, to;

	spin_lock_irqsave(&cq->lock, flags);
	for (from = to = cq->tail; from != cq->head; from++) {
		if (cq->ring[from & cq->mask].qp == ibqp)
			continue;
		if (from != to)
			cq->ring[to & cq->mask] = cq->ring[from & cq->mask];
		to++;
	}
	cq->head = to;
	spin_unlock_irqrestore(&cq->lock, flags);
}
