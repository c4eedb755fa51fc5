// SPDX-License-Identifier: GPL-2.0
#include "sa_watch.h"

#include <linux/bitops.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "ah.h"
#include "backoff.h"
#include "sa.h"
#include "sa_wire.h"
#include "trace.h"

static const struct ipoib_backoff retry_delay = {
	.min_ms = 500,
	.max_ms = 32000,
};

/* Failures in a row after which the administrator is told. */
#define TELL_FAILURES	4

/* Without reports watches are told to look for themselves so often. */
#define POLL_DELAY	(60 * HZ)

/* How long the SA has to take notice that nobody wants its reports. */
#define LEAVE_LIMIT	(HZ / 5)

static void watches_kick(struct ipoib_sa_watches *set)
{
	lockdep_assert_held(&set->lock);

	if (!set->stopped)
		mod_delayed_work(set->sa->wq, &set->work, 0);
}

static void watches_step(struct ipoib_sa_watches *set,
			 enum ipoib_sa_fsm_event event)
{
	enum ipoib_sa_state next;

	if (!ipoib_sa_fsm_step(set->state, event, &next))
		return;

	trace_ipoib_sa_state(dev_name(&set->sa->ibdev->dev), set->sa->port,
			     ipoib_sa_state_name(set->state),
			     ipoib_sa_state_name(next));
	WRITE_ONCE(set->state, next);
	if (next == IPOIB_SA_OFF)
		wake_up(&set->off);
}

static void confirmed(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	struct ipoib_ah *ah = wc->send_buf->context[0];

	ib_free_send_mad(wc->send_buf);
	ipoib_ah_free(ah);
}

static struct ipoib_ah *handle_of_sender(struct ib_mad_agent *agent,
					 const struct ib_mad_recv_wc *wc)
{
	struct rdma_ah_attr attr;
	struct ipoib_ah *ah;
	int err;

	err = ib_init_ah_attr_from_wc(agent->device, agent->port_num, wc->wc,
				      wc->recv_buf.grh, &attr);
	if (err)
		return ERR_PTR(err);

	ah = ipoib_ah_new(agent->qp->pd, &attr);
	rdma_destroy_ah_attr(&attr);
	return ah;
}

/* Should that fail, the SA repeats the report and we try again. */
static void confirm(struct ib_mad_agent *agent, const struct ib_mad_recv_wc *wc)
{
	struct ib_mad_send_buf *msg;
	struct ipoib_ah *ah;

	ah = handle_of_sender(agent, wc);
	if (IS_ERR(ah))
		return;

	msg = ib_create_send_mad(agent, wc->wc->src_qp, wc->wc->pkey_index, 0,
				 IB_MGMT_SA_HDR, IB_MGMT_SA_DATA, GFP_KERNEL,
				 IB_MGMT_BASE_VERSION);
	if (IS_ERR(msg))
		goto err_free_ah;

	ipoib_sa_wire_report_answer(msg->mad, (void *)wc->recv_buf.mad);
	msg->ah = ah->ib;
	msg->context[0] = ah;
	if (ib_post_send_mad(msg, NULL))
		goto err_free_msg;
	return;

err_free_msg:
	ib_free_send_mad(msg);
err_free_ah:
	ipoib_ah_free(ah);
}

static void queue_report(struct ipoib_sa_watches *set, enum ipoib_sa_trap trap,
			 const union ib_gid *gid)
{
	struct ipoib_sa_report *report;

	report = kmalloc(sizeof(*report), GFP_KERNEL | __GFP_NOWARN);
	if (report) {
		report->trap = trap;
		report->gid = *gid;
	}

	spin_lock_bh(&set->lock);
	if (report && set->queued < IPOIB_SA_MAX_REPORTS) {
		list_add_tail(&report->node, &set->reports);
		set->queued++;
		report = NULL;
	} else {
		set->missed = true;
	}
	watches_kick(set);
	spin_unlock_bh(&set->lock);
	kfree(report);
}

static void reported(struct ib_mad_agent *agent,
		     struct ib_mad_send_buf *send_buf,
		     struct ib_mad_recv_wc *wc)
{
	struct ipoib_sa_watches *set = agent->context;
	enum ipoib_sa_trap trap;
	union ib_gid gid;

	/* Anybody may send to QP 1, but not from the SM's LID. */
	confirm(agent, wc);
	if (wc->wc->slid == ipoib_sa_sm_lid(set->sa) &&
	    ipoib_sa_wire_report((void *)wc->recv_buf.mad, wc->mad_len, &trap,
				 &gid))
		queue_report(agent->context, trap, &gid);
	ib_free_recv_mad(wc);
}

/* Fails if somebody else has the method, a program with libibumad perhaps. */
static bool take_reports(struct ipoib_sa_watches *set)
{
	struct ib_mad_reg_req req = {
		.mgmt_class		= IB_MGMT_CLASS_SUBN_ADM,
		.mgmt_class_version	= IPOIB_SA_CLASS_VERSION,
	};
	struct ib_mad_agent *agent;

	set_bit(IB_MGMT_METHOD_REPORT, req.method_mask);
	agent = ib_register_mad_agent(set->sa->ibdev, set->sa->port,
				      IB_QPT_GSI, &req, 0, confirmed, reported,
				      set, 0);
	if (IS_ERR(agent))
		return false;

	set->agent = agent;
	return true;
}

static void drop_reports(struct ipoib_sa_watches *set)
{
	struct ipoib_sa_report *report, *next;

	if (set->agent)
		ib_unregister_mad_agent(set->agent);
	set->agent = NULL;

	/* Nobody adds any more. */
	list_for_each_entry_safe(report, next, &set->reports, node)
		kfree(report);
	INIT_LIST_HEAD(&set->reports);
	set->queued = 0;
}

static void informed(void *ctx, int err, u16 status,
		     const struct ib_sa_mcmember_rec *rec)
{
	struct ipoib_sa_watches *set = ctx;

	spin_lock_bh(&set->lock);
	set->answered = true;
	set->err = err;
	set->status = status;
	watches_kick(set);
	spin_unlock_bh(&set->lock);
}

/* The set outlives its query: ipoib_sa_close() waits for that. */
static void inform_released(void *ctx)
{
}

static int inform(struct ipoib_sa_watches *set, enum ipoib_sa_trap trap,
		  bool subscribe)
{
	const struct ipoib_sa_owner owner = {
		.ctx		= set,
		.done		= informed,
		.release	= inform_released,
	};
	struct ipoib_sa_query *query;

	query = ipoib_sa_inform(set->sa, trap, subscribe, &owner);
	if (IS_ERR(query))
		return PTR_ERR(query);

	set->trap = trap;
	set->query = query;
	return 0;
}

static void failed(struct ipoib_sa_watches *set, int err, u16 status)
{
	u32 ms = ipoib_backoff_ms(&retry_delay, ++set->failures,
				  get_random_u32());

	if (set->failures == TELL_FAILURES)
		dev_info(&set->sa->ibdev->dev,
			 "port %u: no reports of the subnet administrator yet: %pe, status 0x%04x\n",
			 set->sa->port, ERR_PTR(err), status);
	set->next_at = jiffies + msecs_to_jiffies(ms);
	watches_step(set, IPOIB_SA_EV_FAIL);

	/* As long as there are none, watches look for themselves. */
	if (set->failures >= TELL_FAILURES) {
		spin_lock_bh(&set->lock);
		set->missed = true;
		spin_unlock_bh(&set->lock);
	}
}

static void subscribe_next(struct ipoib_sa_watches *set)
{
	unsigned int next = find_first_zero_bit(&set->subscribed,
						IPOIB_SA_TRAPS);
	int err;

	if (next < IPOIB_SA_TRAPS) {
		err = inform(set, IPOIB_SA_TRAP_FIRST + next, true);
		if (err)
			failed(set, err, 0);
		return;
	}

	set->failures = 0;
	watches_step(set, IPOIB_SA_EV_OK);
	spin_lock_bh(&set->lock);
	set->missed = true;
	spin_unlock_bh(&set->lock);
}

static void unsubscribe_next(struct ipoib_sa_watches *set)
{
	unsigned int next = find_first_bit(&set->subscribed, IPOIB_SA_TRAPS);

	if (next < IPOIB_SA_TRAPS &&
	    !inform(set, IPOIB_SA_TRAP_FIRST + next, false))
		return;

	set->subscribed = 0;
	drop_reports(set);
	watches_step(set, IPOIB_SA_EV_LEFT);
}

static void renew(struct ipoib_sa_watches *set)
{
	spin_lock_bh(&set->lock);
	set->stale = false;
	spin_unlock_bh(&set->lock);

	set->subscribed = 0;
	watches_step(set, IPOIB_SA_EV_RENEW);
}

static void begin(struct ipoib_sa_watches *set)
{
	spin_lock_bh(&set->lock);
	set->stale = false;
	spin_unlock_bh(&set->lock);

	if (take_reports(set)) {
		set->told = false;
		set->failures = 0;
		watches_step(set, IPOIB_SA_EV_WATCH);
		return;
	}

	if (!set->told)
		dev_info(&set->sa->ibdev->dev,
			 "port %u: reports of the subnet administrator go to somebody else, groups are looked for every %u seconds\n",
			 set->sa->port, POLL_DELAY / HZ);
	set->told = true;
	/* At once, then from time to time. */
	set->next_at = jiffies;
	watches_step(set, IPOIB_SA_EV_TAKEN);
}

static void take_answer(struct ipoib_sa_watches *set)
{
	unsigned long bit = set->trap - IPOIB_SA_TRAP_FIRST;
	bool answered;
	u16 status;
	int err;

	spin_lock_bh(&set->lock);
	answered = set->answered;
	set->answered = false;
	err = set->err;
	status = set->status;
	spin_unlock_bh(&set->lock);
	if (!answered)
		return;

	ipoib_sa_cancel(set->query);
	set->query = NULL;
	if (set->state == IPOIB_SA_SUBSCRIBING && !err)
		__set_bit(bit, &set->subscribed);
	else if (set->state == IPOIB_SA_SUBSCRIBING)
		failed(set, err, status);
	/* It did not know of the subscription, which is as well. */
	else if (!err || status)
		__clear_bit(bit, &set->subscribed);
	else
		set->subscribed = 0;
}

/* Take one step towards what is wanted; false if none is left to take. */
static bool follow(struct ipoib_sa_watches *set)
{
	enum ipoib_sa_state was = set->state;
	bool due = time_after_eq(jiffies, set->next_at);
	bool wanted, stale;

	/* One question at a time, so that the SA gets them in order. */
	if (set->query)
		return false;

	spin_lock_bh(&set->lock);
	wanted = set->wanted;
	stale = set->stale;
	spin_unlock_bh(&set->lock);

	if (!wanted && was != IPOIB_SA_OFF && was != IPOIB_SA_LEAVING) {
		watches_step(set, IPOIB_SA_EV_UNWATCH);
		return true;
	}

	switch (was) {
	case IPOIB_SA_OFF:
		if (wanted)
			begin(set);
		break;
	case IPOIB_SA_SUBSCRIBING:
		if (stale)
			renew(set);
		subscribe_next(set);
		break;
	case IPOIB_SA_ON:
		if (stale)
			renew(set);
		break;
	case IPOIB_SA_BACKOFF:
		if (stale || due)
			renew(set);
		break;
	case IPOIB_SA_POLLING:
		if (stale)
			begin(set);
		break;
	case IPOIB_SA_LEAVING:
		unsubscribe_next(set);
		break;
	}
	return set->state != was;
}

static void pass_on_reports(struct ipoib_sa_watches *set)
{
	struct ipoib_sa_report *report, *next;
	struct ipoib_sa_watch *watch;
	LIST_HEAD(reports);

	spin_lock_bh(&set->lock);
	list_splice_init(&set->reports, &reports);
	set->queued = 0;
	spin_unlock_bh(&set->lock);

	/* Whoever ends a watch waits for one report, not for all. */
	list_for_each_entry_safe(report, next, &reports, node) {
		mutex_lock(&set->mutex);
		list_for_each_entry(watch, &set->list, node)
			watch->report(watch, report->trap, &report->gid);
		mutex_unlock(&set->mutex);
		kfree(report);
		cond_resched();
	}
}

/* Tell watches to look for themselves if something may have escaped them. */
static void pass_on_missed(struct ipoib_sa_watches *set)
{
	bool polling = set->state == IPOIB_SA_POLLING;
	struct ipoib_sa_watch *watch;
	bool missed;

	if (!polling && set->state != IPOIB_SA_ON &&
	    set->state != IPOIB_SA_BACKOFF)
		return;

	spin_lock_bh(&set->lock);
	missed = set->missed;
	set->missed = false;
	spin_unlock_bh(&set->lock);
	if (polling && time_after_eq(jiffies, set->next_at)) {
		set->next_at = jiffies + POLL_DELAY;
		missed = true;
	}
	if (!missed)
		return;

	mutex_lock(&set->mutex);
	list_for_each_entry(watch, &set->list, node)
		watch->renewed(watch);
	mutex_unlock(&set->mutex);
}

static void watches_work(struct work_struct *work)
{
	struct ipoib_sa_watches *set =
		container_of(to_delayed_work(work), struct ipoib_sa_watches,
			     work);
	unsigned long now;

	take_answer(set);
	while (follow(set))
		cond_resched();
	pass_on_reports(set);
	pass_on_missed(set);

	/* In the other states something is going to kick the work. */
	if (set->state != IPOIB_SA_BACKOFF && set->state != IPOIB_SA_POLLING)
		return;

	now = jiffies;
	spin_lock_bh(&set->lock);
	if (!set->stopped)
		queue_delayed_work(set->sa->wq, &set->work,
				   time_after(set->next_at, now) ?
				   set->next_at - now : 0);
	spin_unlock_bh(&set->lock);
}

/**
 * ipoib_sa_watch_add - from now on want reports
 * @sa: the way to the SA
 * @watch: @report and @renewed are set; the latter is called soon
 *
 * Context: Process context, may sleep; not from a function of a watch.
 */
void ipoib_sa_watch_add(struct ipoib_sa *sa, struct ipoib_sa_watch *watch)
{
	struct ipoib_sa_watches *set = &sa->watches;

	mutex_lock(&set->mutex);
	list_add_tail(&watch->node, &set->list);
	spin_lock_bh(&set->lock);
	set->wanted = true;
	set->missed = true;
	watches_kick(set);
	spin_unlock_bh(&set->lock);
	mutex_unlock(&set->mutex);
}

/**
 * ipoib_sa_watch_del - want no reports any more
 * @sa: the way to the SA
 * @watch: was added; none of its functions runs when this returns
 *
 * Context: Process context, may sleep: waits for the functions of all watches
 * and not for the SA. Not from such a function, nor with a lock that it takes.
 */
void ipoib_sa_watch_del(struct ipoib_sa *sa, struct ipoib_sa_watch *watch)
{
	struct ipoib_sa_watches *set = &sa->watches;

	mutex_lock(&set->mutex);
	list_del(&watch->node);
	spin_lock_bh(&set->lock);
	set->wanted = !list_empty(&set->list);
	watches_kick(set);
	spin_unlock_bh(&set->lock);
	mutex_unlock(&set->mutex);
}

/**
 * ipoib_sa_watches_init - nobody wants reports yet
 * @set: result, zeroed
 * @sa: what it is part of
 */
void ipoib_sa_watches_init(struct ipoib_sa_watches *set, struct ipoib_sa *sa)
{
	set->sa = sa;
	INIT_DELAYED_WORK(&set->work, watches_work);
	mutex_init(&set->mutex);
	INIT_LIST_HEAD(&set->list);
	init_waitqueue_head(&set->off);
	set->state = IPOIB_SA_OFF;
	spin_lock_init(&set->lock);
	INIT_LIST_HEAD(&set->reports);
}

/**
 * ipoib_sa_watches_renew - the SA may have forgotten us
 * @set: the watches
 *
 * Context: Any but hard interrupt.
 */
void ipoib_sa_watches_renew(struct ipoib_sa_watches *set)
{
	spin_lock_bh(&set->lock);
	set->stale = true;
	if (set->wanted)
		watches_kick(set);
	spin_unlock_bh(&set->lock);
}

/**
 * ipoib_sa_watches_stop - no more watches, no more reports
 * @set: everybody has deleted his watch
 *
 * Context: Process context, may sleep, for a fifth of a second at most on behalf
 * of the SA. Queries can still be made.
 */
void ipoib_sa_watches_stop(struct ipoib_sa_watches *set)
{
	/*
	 * 1. The last one to go had the SA told. If it does not take notice
	 * it sends us reports that nobody answers, and gives up in the end.
	 */
	wait_event_timeout(set->off, READ_ONCE(set->state) == IPOIB_SA_OFF,
			   LEAVE_LIMIT);

	/* 2. An answer that comes now queues nothing. */
	spin_lock_bh(&set->lock);
	set->stopped = true;
	spin_unlock_bh(&set->lock);
	cancel_delayed_work_sync(&set->work);

	/* 3. What the work has left behind. */
	if (set->query)
		ipoib_sa_cancel(set->query);
	drop_reports(set);
}
