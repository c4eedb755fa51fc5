// SPDX-License-Identifier: GPL-2.0
#include "cq.h"

#include <linux/log2.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "fabric.h"
#include "hca.h"
#include "rq.h"

static void queue_up(struct ibds_cq *cq, struct ibds_batch *batch)
{
	lockdep_assert_held(&cq->lock);

	/* The barrier pairs with that of tell() in vector.c. */
	smp_mb();
	/* The acquire pairs with the release in tell(): @next and @node are ours to write. */
	if (smp_load_acquire(&cq->queued))
		return;
	WRITE_ONCE(cq->queued, true);
	cq->next = batch->cqs;
	batch->cqs = cq;
}

/* notify() is called when what the queue was armed for has come. */
static void notify(struct ibds_cq *cq, struct ibds_batch *batch)
{
	cq->armed = 0;
	cq->since = 0;
	set_bit(IBDS_CQ_NOTIFY, &cq->news);
	queue_up(cq, batch);
}

static bool enough(struct ibds_cq *cq)
{
	if (++cq->since >= cq->count)
		return true;
	/* hrtimer_active() would not do: it is true, too, while a handler that saw nothing ends. */
	if (!cq->timing) {
		cq->timing = true;
		hrtimer_start(&cq->timer, ns_to_ktime(cq->usec * 1000ULL),
			      HRTIMER_MODE_REL_SOFT);
	}
	return false;
}

static const struct ibds_hca_faults *faults_of(const struct ibds_cq *cq)
{
	return &to_ibds_hca(cq->ibcq.device)->faults;
}

/* The consumer may poll the next one. */
static void show_one(struct ibds_cq *cq, struct ibds_batch *batch)
{
	const struct ibds_cqe *cqe = &cq->ring[cq->shown++ & cq->mask];

	lockdep_assert_held(&cq->lock);

	if (cq->armed &&
	    (cq->armed == IB_CQ_NEXT_COMP || cqe->solicited ||
	     cqe->wc.status != IB_WC_SUCCESS) &&
	    (cq->count <= 1 || enough(cq)))
		notify(cq, batch);
}

static void show_later(struct ibds_cq *cq)
{
	ktime_t due = cq->ring[cq->shown & cq->mask].due;

	lockdep_assert_held(&cq->lock);

	if (due != KTIME_MAX)
		hrtimer_start(&cq->show_timer, due, HRTIMER_MODE_ABS_HARD);
}

/* A completion that was held back holds back all that came after it. */
static void show_due(struct ibds_cq *cq, struct ibds_batch *batch)
{
	ktime_t now = ktime_get();

	lockdep_assert_held(&cq->lock);

	while (cq->shown != cq->head &&
	       !ktime_after(cq->ring[cq->shown & cq->mask].due, now))
		show_one(cq, batch);
	if (cq->shown != cq->head)
		show_later(cq);
}

/*
 * show_timer_done() runs in hard interrupt: between any two instructions of a consumer that polls
 * and arms.
 */
static enum hrtimer_restart show_timer_done(struct hrtimer *timer)
{
	struct ibds_cq *cq = container_of(timer, struct ibds_cq, show_timer);
	struct ibds_batch batch = { };
	unsigned long flags;

	rcu_read_lock();
	spin_lock_irqsave(&cq->lock, flags);
	show_due(cq, &batch);
	spin_unlock_irqrestore(&cq->lock, flags);
	ibds_batch_finish(&batch);
	rcu_read_unlock();
	return HRTIMER_NORESTART;
}

static enum hrtimer_restart timer_done(struct hrtimer *timer)
{
	struct ibds_cq *cq = container_of(timer, struct ibds_cq, timer);
	struct ibds_batch batch = { };
	unsigned long flags;

	rcu_read_lock();
	spin_lock_irqsave(&cq->lock, flags);
	cq->timing = false;
	if (cq->armed && cq->since)
		notify(cq, &batch);
	spin_unlock_irqrestore(&cq->lock, flags);
	ibds_batch_finish(&batch);
	rcu_read_unlock();
	return HRTIMER_NORESTART;
}

/**
 * ibds_cq_create - make a completion queue
 * @ibcq: result, zeroed by the core
 * @attr: number of entries, and where to interrupt
 *
 * Return: 0 or a negative errno.
 * Context: Process context, may sleep.
 */
int ibds_cq_create(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr)
{
	struct ibds_cq *cq = to_ibds_cq(ibcq);
	struct ibds_hca *hca = to_ibds_hca(ibcq->device);
	u32 len;
	int err;

	err = ibds_command(hca);
	if (err)
		return err;
	if (attr->flags || !attr->cqe || attr->cqe > IBDS_CQE_MAX ||
	    attr->comp_vector >= ibcq->device->num_comp_vectors)
		return -EINVAL;
	cq->vector = &hca->vectors[attr->comp_vector];

	ibds_fault_count_io(&hca->fab->faults, &hca->faults.with_io, ibcq->res.kern_name);
	err = ibds_take(&hca->limits, IBDS_OBJ_CQ);
	if (err)
		return err;
	len = roundup_pow_of_two(attr->cqe);
	cq->ring = vzalloc(array_size(len, sizeof(*cq->ring)));
	if (!cq->ring) {
		ibds_give(&hca->limits, IBDS_OBJ_CQ);
		return -ENOMEM;
	}
	spin_lock_init(&cq->lock);
	cq->mask = len - 1;
	cq->room = attr->cqe;
	hrtimer_setup(&cq->timer, timer_done, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_SOFT);
	hrtimer_setup(&cq->show_timer, show_timer_done, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_HARD);
	ibcq->cqe = attr->cqe;
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

	might_sleep();
	hrtimer_cancel(&cq->show_timer);
	hrtimer_cancel(&cq->timer);
	ibds_vector_flush(cq->vector, cq);
	vfree(cq->ring);
	ibds_give(&to_ibds_hca(ibcq->device)->limits, IBDS_OBJ_CQ);
	return 0;
}

/* With its completion a work request is off its queue, as far as the profile has it so. */
static void free_slot(const struct ibds_cqe *cqe)
{
	if (cqe->rq)
		ibds_rq_give_back(cqe->rq);
	if (!cqe->polled)
		return;
	/* The release pairs with the acquire in first_taken() of qp.c: the entry has been read. */
	smp_store_release(cqe->polled, cqe->sent);
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
	n = min_t(u32, cq->shown - cq->tail, max);
	for (i = 0; i < n; i++) {
		const struct ibds_cqe *cqe = &cq->ring[cq->tail++ & cq->mask];

		wc[i] = cqe->wc;
		free_slot(cqe);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	return n;
}

/* Completions that have waited for the arming had no chance to be polled. */
static void show_at_arming(struct ibds_cq *cq)
{
	lockdep_assert_held(&cq->lock);

	while (cq->shown != cq->head &&
	       cq->ring[cq->shown & cq->mask].due == KTIME_MAX)
		cq->shown++;
	if (cq->shown != cq->head)
		show_later(cq);
}

/**
 * ibds_req_notify_cq - ask for a notification
 * @ibcq: of this queue
 * @flags: about which completions; whether to tell of those that are there
 *
 * Return: 1 if completions wait and the caller wanted to know, unless the profile has an
 * event for that; 0 otherwise.
 * Context: Any.
 */
int ibds_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct ibds_cq *cq = to_ibds_cq(ibcq);
	unsigned long irq;
	int missed;

	spin_lock_irqsave(&cq->lock, irq);
	show_at_arming(cq);
	/* Any completion is a weaker wish than a solicited one, and wins. */
	if (cq->armed != IB_CQ_NEXT_COMP)
		cq->armed = flags & IB_CQ_SOLICITED_MASK;
	missed = (flags & IB_CQ_REPORT_MISSED_EVENTS) && cq->shown != cq->tail;
	if (cq->shown != cq->tail && to_ibds_hca(ibcq->device)->profile->arm_event) {
		/* The timer notifies soon, but not from here: the caller may hold any lock. */
		missed = 0;
		cq->since++;
		hrtimer_start(&cq->timer, 0, HRTIMER_MODE_REL_SOFT);
	}
	spin_unlock_irqrestore(&cq->lock, irq);
	return missed;
}

/**
 * ibds_modify_cq - set the moderation of notifications
 * @ibcq: the queue
 * @count: completions that make a notification
 * @period: microseconds after which fewer of them make one
 *
 * Return: 0, or -EIO from a dead HCA.
 * Context: Process context, may sleep.
 */
int ibds_modify_cq(struct ib_cq *ibcq, u16 count, u16 period)
{
	struct ibds_cq *cq = to_ibds_cq(ibcq);
	unsigned long flags;
	int err;

	err = ibds_command(to_ibds_hca(ibcq->device));
	if (err)
		return err;
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
 * @ibqp: queue pair that has completed something
 * @wr_id: what
 * @status: how it went
 * @flags: result, for ibds_cq_end()
 *
 * The entry has what is valid of any completion. All else in it is rubbish unless the
 * caller fills it in, which it does only of a success: of an error IBTA 11.4.2.1 promises
 * no more, and no HCA gives more. The lock of the queue is taken and handed to
 * ibds_cq_end(), which has to be called in any case.
 *
 * Return: the entry, or NULL when the queue is full.
 * Context: Any; RCU held.
 */
struct ib_wc *ibds_cq_begin(struct ibds_cq *cq, struct ib_qp *ibqp, u64 wr_id,
			    enum ib_wc_status status, unsigned long *flags)
	__acquires(&cq->lock)
{
	struct ibds_cqe *cqe;
	struct ib_wc *wc;

	spin_lock_irqsave(&cq->lock, *flags);
	if (unlikely(cq->overrun || cq->head - cq->tail >= cq->room))
		return NULL;
	cqe = &cq->ring[cq->head & cq->mask];
	cqe->polled = NULL;
	cqe->rq = NULL;
	wc = &cqe->wc;
	memset(wc, IBDS_RUBBISH, sizeof(*wc));
	wc->qp = ibqp;
	wc->wr_id = wr_id;
	wc->status = status;
	wc->vendor_err = 0;
	return wc;
}

/**
 * ibds_cq_frees - the reserved entry is one of a send
 * @wc: what ibds_cq_begin() gave
 * @polled: of its queue pair, which is to know when it has been polled
 * @sent: up to which there is room then
 */
void ibds_cq_frees(struct ib_wc *wc, u32 *polled, u32 sent)
{
	struct ibds_cqe *cqe = container_of(wc, struct ibds_cqe, wc);

	cqe->polled = polled;
	cqe->sent = sent;
}

/**
 * ibds_cq_frees_recv - the reserved entry is one of a receive
 * @wc: what ibds_cq_begin() gave; with NULL nobody is going to poll it
 * @rq: queue that has room when it has been polled
 */
void ibds_cq_frees_recv(struct ib_wc *wc, struct ibds_rq *rq)
{
	if (likely(wc))
		container_of(wc, struct ibds_cqe, wc)->rq = rq;
	else
		ibds_rq_give_back(rq);
}

/* IBTA 10.2.2: of a queue that cannot be written its consumer hears, once. */
static void fail(struct ibds_cq *cq, struct ibds_batch *batch)
{
	lockdep_assert_held(&cq->lock);

	if (cq->overrun)
		return;
	cq->overrun = true;
	set_bit(IBDS_CQ_OVERRUN, &cq->news);
	queue_up(cq, batch);
}

/* hold_back() says whether a fault knob holds back what is pushed now, and until when. */
static bool hold_back(const struct ibds_cq *cq, struct ibds_cqe *cqe)
{
	const struct ibds_hca_faults *faults = faults_of(cq);
	u32 usec = READ_ONCE(faults->cq_delay_usec);

	lockdep_assert_held(&cq->lock);

	if (unlikely(READ_ONCE(faults->cq_at_arming)) && !cq->armed) {
		cqe->due = KTIME_MAX;
		return true;
	}
	if (likely(!usec && cq->shown == cq->head))
		return false;
	cqe->due = ktime_add_us(ktime_get(), usec);
	return true;
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
	struct ibds_cqe *cqe = &cq->ring[cq->head & cq->mask];
	bool held;

	if (unlikely(!wc)) {
		fail(cq, batch);
		goto out;
	}
	cqe->solicited = solicited;
	held = hold_back(cq, cqe);
	cq->head++;
	if (likely(!held))
		show_one(cq, batch);
	else
		show_due(cq, batch);
out:
	spin_unlock_irqrestore(&cq->lock, flags);
}

/**
 * ibds_cq_break - a completion queue fails
 * @cq: queue that cannot be destroyed meanwhile
 *
 * Context: Softirq or bottom halves off, RCU held.
 */
void ibds_cq_break(struct ibds_cq *cq)
{
	struct ibds_batch batch = { };
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	fail(cq, &batch);
	spin_unlock_irqrestore(&cq->lock, flags);
	ibds_batch_finish(&batch);
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
	u32 from, to, shown;

	spin_lock_irqsave(&cq->lock, flags);
	shown = cq->shown;
	for (from = to = cq->tail; from != cq->head; from++) {
		if (from == cq->shown)
			shown = to;
		if (cq->ring[from & cq->mask].wc.qp == ibqp) {
			free_slot(&cq->ring[from & cq->mask]);
			continue;
		}
		if (from != to)
			cq->ring[to & cq->mask] = cq->ring[from & cq->mask];
		to++;
	}
	cq->shown = cq->shown == cq->head ? to : shown;
	cq->head = to;
	/* A timer that is still to come has nothing to tell of. */
	if (cq->shown == cq->tail)
		cq->since = 0;
	spin_unlock_irqrestore(&cq->lock, flags);
}
