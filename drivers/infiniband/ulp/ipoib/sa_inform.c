// SPDX-License-Identifier: GPL-2.0
#include "sa.h"

#include <linux/bitops.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "ah.h"
#include "backoff.h"
#include "sa_wire.h"
#include "trace.h"

static const struct ipoib_backoff retry_delay = {
	.min_ms = 500,
	.max_ms = 32000,
};

/* The log names the error after this many failures in a row. */
#define TELL_FAILURES	4

/*
 * While another MAD agent on the port has the reports, the driver tries this often to register
 * its own and has the subscribers query the SA themselves.
 */
#define POLL_DELAY	(60 * HZ)

/* Bound of the answers in a second, because each costs an address handle and a MAD. */
#define ANSWER_RATE	1000
#define ANSWER_BURST	256

/* How long ipoib_sa_subscribers_stop() waits for the SA to end the subscriptions. */
#define LEAVE_LIMIT	(HZ / 5)

static void inform_kick(struct ipoib_sa_subscribers *set)
{
	lockdep_assert_held(&set->lock);

	if (!set->stopped)
		mod_delayed_work(set->sa->wq, &set->work, 0);
}

static void inform_step(struct ipoib_sa_subscribers *set,
			enum ipoib_sa_fsm_event event)
{
	const struct ipoib_fsm_edge *edge;

	edge = ipoib_fsm_step(&ipoib_sa_fsm, set->state, event);
	if (!edge)
		return;

	trace_ipoib_sa_state(set->sa->ibdev->name, set->sa->port,
			     ipoib_fsm_name(&ipoib_sa_fsm, set->state),
			     ipoib_fsm_name(&ipoib_sa_fsm, edge->next));
	WRITE_ONCE(set->state, edge->next);
	if (edge->next == IPOIB_SA_OFF)
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

/* Answer a report. If that fails, the SA repeats the report and the driver answers then. */
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

static void queue_report(struct ipoib_sa_subscribers *set, enum ipoib_sa_trap trap,
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
	inform_kick(set);
	spin_unlock_bh(&set->lock);
	kfree(report);
}

/*
 * came_from_sm() returns true if a MAD came from the LID of the SM. Any node may send to QP 1,
 * but only one that forges its LID passes this check.
 */
static bool came_from_sm(struct ipoib_sa_subscribers *set,
			 const struct ib_mad_recv_wc *wc)
{
	u32 lid = ipoib_sa_sm_lid(set->sa);

	return lid && wc->wc->slid == lid;
}

/*
 * Take one answer out of the bucket. A node that forges the LID of the SM can make the driver do
 * no more than the SA of a large fabric would. Nothing is lost, because the SA repeats a
 * report that is not answered.
 */
static bool may_answer(struct ipoib_sa_subscribers *set)
{
	bool may;

	spin_lock_bh(&set->lock);
	may = ipoib_bucket_take(&set->answers, ktime_get_ns());
	spin_unlock_bh(&set->lock);
	return may;
}

/*
 * Receive handler for reports. A report that did not come from the SM is neither answered nor
 * passed on: each answer costs an address handle and a MAD, made by the work that all MADs of
 * the port wait for, and a node that forges its LID could have the driver send MADs to another
 * node. A new SM that the driver does not know yet repeats its reports.
 */
static void reported(struct ib_mad_agent *agent,
		     struct ib_mad_send_buf *send_buf,
		     struct ib_mad_recv_wc *wc)
{
	struct ipoib_sa_subscribers *set = agent->context;
	enum ipoib_sa_trap trap;
	union ib_gid gid;

	if (came_from_sm(set, wc) && may_answer(set)) {
		confirm(agent, wc);
		if (ipoib_sa_wire_report((void *)wc->recv_buf.mad, wc->mad_len,
					 &trap, &gid))
			queue_report(set, trap, &gid);
	}
	ib_free_recv_mad(wc);
}

/*
 * Register the MAD agent for reports. Returns -EINVAL if the method Report of the class has been
 * registered on the port already, for example by a program that uses libibumad.
 */
static int take_reports(struct ipoib_sa_subscribers *set)
{
	struct ib_mad_reg_req req = {
		.mgmt_class		= IB_MGMT_CLASS_SUBN_ADM,
		.mgmt_class_version	= IB_SA_CLASS_VERSION,
	};
	struct ib_mad_agent *agent;

	set_bit(IB_MGMT_METHOD_REPORT, req.method_mask);
	agent = ib_register_mad_agent(set->sa->ibdev, set->sa->port,
				      IB_QPT_GSI, &req, 0, confirmed, reported,
				      set, 0);
	if (IS_ERR(agent))
		return PTR_ERR(agent);

	set->agent = agent;
	return 0;
}

static void drop_reports(struct ipoib_sa_subscribers *set)
{
	struct ipoib_sa_report *report, *next;

	if (set->agent)
		ib_unregister_mad_agent(set->agent);
	set->agent = NULL;

	/*
	 * The agent is unregistered and queue_report() does not run any more, so the lock is not
	 * needed.
	 */
	list_for_each_entry_safe(report, next, &set->reports, node)
		kfree(report);
	INIT_LIST_HEAD(&set->reports);
	set->queued = 0;
}

static void informed(struct ipoib_sa_query *query)
{
	struct ipoib_sa_subscribers *set =
		container_of(query, struct ipoib_sa_subscribers, query);

	spin_lock_bh(&set->lock);
	set->answered = true;
	inform_kick(set);
	spin_unlock_bh(&set->lock);
}

static void inform(struct ipoib_sa_subscribers *set, enum ipoib_sa_trap trap,
		   bool subscribe)
{
	set->trap = trap;
	ipoib_sa_wire_inform(&set->query.ask, trap, subscribe);
	ipoib_sa_ask(&set->query);
}

static void failed(struct ipoib_sa_subscribers *set, int err, u16 status)
{
	u32 ms = ipoib_backoff_ms(&retry_delay, ++set->failures,
				  get_random_u32());

	if (set->failures == TELL_FAILURES)
		dev_info(&set->sa->ibdev->dev,
			 "port %u: no reports of the subnet administrator yet: %pe, status 0x%04x\n",
			 set->sa->port, ERR_PTR(err), status);
	set->next_at = jiffies + msecs_to_jiffies(ms);
	inform_step(set, IPOIB_SA_EV_FAIL);

	/* As long as there are no reports, the subscribers have to query the SA themselves. */
	if (set->failures >= TELL_FAILURES) {
		spin_lock_bh(&set->lock);
		set->missed = true;
		spin_unlock_bh(&set->lock);
	}
}

static void subscribe_next(struct ipoib_sa_subscribers *set)
{
	unsigned int next = find_first_zero_bit(&set->subscribed,
						IPOIB_SA_TRAPS);

	if (next < IPOIB_SA_TRAPS) {
		inform(set, IPOIB_SA_TRAP_FIRST + next, true);
		return;
	}

	set->failures = 0;
	inform_step(set, IPOIB_SA_EV_OK);
	spin_lock_bh(&set->lock);
	set->missed = true;
	spin_unlock_bh(&set->lock);
}

static void unsubscribe_next(struct ipoib_sa_subscribers *set)
{
	unsigned int next = find_first_bit(&set->subscribed, IPOIB_SA_TRAPS);

	if (next < IPOIB_SA_TRAPS) {
		inform(set, IPOIB_SA_TRAP_FIRST + next, false);
		return;
	}

	set->subscribed = 0;
	drop_reports(set);
	inform_step(set, IPOIB_SA_EV_LEFT);
}

static void renew(struct ipoib_sa_subscribers *set)
{
	spin_lock_bh(&set->lock);
	set->stale = false;
	spin_unlock_bh(&set->lock);

	set->subscribed = 0;
	inform_step(set, IPOIB_SA_EV_RENEW);
}

static void tell_of_nobody(struct ipoib_sa_subscribers *set, int err)
{
	struct device *dev = &set->sa->ibdev->dev;

	if (set->logged == err)
		return;
	set->logged = err;
	if (err == -EINVAL)
		dev_info(dev, "port %u: reports of the subnet administrator go to somebody else, groups are looked for every %u seconds\n",
			 set->sa->port, POLL_DELAY / HZ);
	else
		dev_info(dev, "port %u: no reports of the subnet administrator yet: %pe\n",
			 set->sa->port, ERR_PTR(err));
}

static void begin(struct ipoib_sa_subscribers *set)
{
	unsigned long delay = POLL_DELAY;
	int err;

	spin_lock_bh(&set->lock);
	set->stale = false;
	spin_unlock_bh(&set->lock);

	err = take_reports(set);
	if (!err) {
		set->logged = 0;
		set->failures = 0;
		inform_step(set, IPOIB_SA_EV_SUBSCRIBE);
		return;
	}

	/*
	 * -EINVAL lasts until another agent is unregistered, which is rare. Other errors, such
	 * as -ENOMEM, pass sooner, so the next try comes sooner.
	 */
	if (err != -EINVAL)
		delay = msecs_to_jiffies(ipoib_backoff_ms(&retry_delay,
							  ++set->failures,
							  get_random_u32()));
	tell_of_nobody(set, err);
	set->next_at = jiffies + delay;
	inform_step(set, IPOIB_SA_EV_TAKEN);

	spin_lock_bh(&set->lock);
	set->missed = true;
	spin_unlock_bh(&set->lock);
}

static void take_answer(struct ipoib_sa_subscribers *set)
{
	unsigned long bit = set->trap - IPOIB_SA_TRAP_FIRST;
	bool answered;
	u16 status;
	int err;

	spin_lock_bh(&set->lock);
	answered = set->answered;
	set->answered = false;
	spin_unlock_bh(&set->lock);
	if (!answered)
		return;

	/* informed() may not have returned yet. */
	ipoib_sa_cancel(&set->query);
	err = set->query.err;
	status = set->query.status;
	set->trap = 0;
	if (set->state == IPOIB_SA_SUBSCRIBING && !err)
		__set_bit(bit, &set->subscribed);
	else if (set->state == IPOIB_SA_SUBSCRIBING)
		failed(set, err, status);
	/*
	 * LEAVING: after any answer the SA has no such subscription. Without an answer the SA
	 * is not asked for the other traps either.
	 */
	else if (!err || status)
		__clear_bit(bit, &set->subscribed);
	else
		set->subscribed = 0;
}

/*
 * Take one step of the state machine towards @wanted. Returns false if the state did not change,
 * so that there is nothing more to do now.
 */
static bool follow(struct ipoib_sa_subscribers *set)
{
	enum ipoib_sa_state was = set->state;
	bool due = time_after_eq(jiffies, set->next_at);
	bool wanted, stale;

	/* Send one InformInfo at a time, so that the SA gets them in order. */
	if (set->trap)
		return false;

	spin_lock_bh(&set->lock);
	wanted = set->wanted;
	stale = set->stale;
	spin_unlock_bh(&set->lock);

	if (!wanted && was != IPOIB_SA_OFF && was != IPOIB_SA_LEAVING) {
		inform_step(set, IPOIB_SA_EV_UNSUBSCRIBE);
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
		if (stale || due)
			begin(set);
		break;
	case IPOIB_SA_LEAVING:
		unsubscribe_next(set);
		break;
	}
	return set->state != was;
}

static void pass_on_reports(struct ipoib_sa_subscribers *set)
{
	struct ipoib_sa_report *report, *next;
	struct ipoib_sa_subscriber *subscriber;
	LIST_HEAD(reports);

	spin_lock_bh(&set->lock);
	list_splice_init(&set->reports, &reports);
	set->queued = 0;
	spin_unlock_bh(&set->lock);

	/*
	 * The mutex is released after each report, so that ipoib_sa_subscriber_del() waits for one
	 * report and not for all.
	 */
	list_for_each_entry_safe(report, next, &reports, node) {
		mutex_lock(&set->mutex);
		list_for_each_entry(subscriber, &set->list, node)
			subscriber->report(subscriber, report->trap, &report->gid);
		mutex_unlock(&set->mutex);
		kfree(report);
		cond_resched();
	}
}

/* Have the subscribers query the SA themselves if reports may have been missed. */
static void pass_on_missed(struct ipoib_sa_subscribers *set)
{
	struct ipoib_sa_subscriber *subscriber;
	bool missed;

	if (set->state != IPOIB_SA_POLLING && set->state != IPOIB_SA_ON &&
	    set->state != IPOIB_SA_BACKOFF)
		return;

	spin_lock_bh(&set->lock);
	missed = set->missed;
	set->missed = false;
	spin_unlock_bh(&set->lock);
	if (!missed)
		return;

	mutex_lock(&set->mutex);
	list_for_each_entry(subscriber, &set->list, node)
		subscriber->renewed(subscriber);
	mutex_unlock(&set->mutex);
}

static void inform_work(struct work_struct *work)
{
	struct ipoib_sa_subscribers *set =
		container_of(to_delayed_work(work), struct ipoib_sa_subscribers,
			     work);
	unsigned long now;

	take_answer(set);
	while (follow(set))
		cond_resched();
	pass_on_reports(set);
	pass_on_missed(set);

	/*
	 * Only BACKOFF and POLLING wait for a timer. In the other states the next answer,
	 * subscriber or event calls inform_kick().
	 */
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
 * ipoib_sa_subscriber_add - add a subscriber, and subscribe if it is the first
 * @sa: agent of the port
 * @subscriber: the subscriber; @report and @renewed are set. @renewed is called soon
 *
 * Context: Process context, may sleep; not from a function of a subscriber.
 */
void ipoib_sa_subscriber_add(struct ipoib_sa *sa, struct ipoib_sa_subscriber *subscriber)
{
	struct ipoib_sa_subscribers *set = &sa->subscribers;

	mutex_lock(&set->mutex);
	list_add_tail(&subscriber->node, &set->list);
	spin_lock_bh(&set->lock);
	set->wanted = true;
	set->missed = true;
	inform_kick(set);
	spin_unlock_bh(&set->lock);
	mutex_unlock(&set->mutex);
}

/**
 * ipoib_sa_subscriber_del - delete a subscriber, and unsubscribe if it was the last
 * @sa: agent of the port
 * @subscriber: a subscriber that was added; none of its functions runs when this returns
 *
 * Context: Process context, may sleep. Waits for the functions of all subscribers, but not for
 * the SA. Must not be called from such a function, nor with a lock held that one takes.
 */
void ipoib_sa_subscriber_del(struct ipoib_sa *sa, struct ipoib_sa_subscriber *subscriber)
{
	struct ipoib_sa_subscribers *set = &sa->subscribers;

	mutex_lock(&set->mutex);
	list_del(&subscriber->node);
	spin_lock_bh(&set->lock);
	set->wanted = !list_empty(&set->list);
	inform_kick(set);
	spin_unlock_bh(&set->lock);
	mutex_unlock(&set->mutex);
}

/**
 * ipoib_sa_subscribers_init - make an empty set of subscribers
 * @set: result, zeroed
 * @sa: the agent that @set is part of
 */
void ipoib_sa_subscribers_init(struct ipoib_sa_subscribers *set, struct ipoib_sa *sa)
{
	set->sa = sa;
	ipoib_sa_query_init(&set->query, sa, informed);
	INIT_DELAYED_WORK(&set->work, inform_work);
	mutex_init(&set->mutex);
	INIT_LIST_HEAD(&set->list);
	init_waitqueue_head(&set->off);
	set->state = IPOIB_SA_OFF;
	spin_lock_init(&set->lock);
	INIT_LIST_HEAD(&set->reports);
	ipoib_bucket_init(&set->answers, ANSWER_RATE, ANSWER_BURST);
}

/**
 * ipoib_sa_subscribers_renew - subscribe again, because the SA may have lost the subscription
 * @set: the subscribers
 *
 * Context: Any but hard interrupt.
 */
void ipoib_sa_subscribers_renew(struct ipoib_sa_subscribers *set)
{
	spin_lock_bh(&set->lock);
	set->stale = true;
	if (set->wanted)
		inform_kick(set);
	spin_unlock_bh(&set->lock);
}

/**
 * ipoib_sa_subscribers_stop - wait for the end of the subscriptions and receive no reports any more
 * @set: the subscribers, all of which have been deleted
 *
 * Context: Process context, may sleep. Waits for the SA for a fifth of a second at most.
 * Unsubscribing needs queries still.
 */
void ipoib_sa_subscribers_stop(struct ipoib_sa_subscribers *set)
{
	/*
	 * 1. Deleting the last subscriber has started to unsubscribe. If the SA does not answer in
	 * time, it goes on sending reports that nobody answers, and gives up in the end.
	 */
	wait_event_timeout(set->off, READ_ONCE(set->state) == IPOIB_SA_OFF,
			   LEAVE_LIMIT);

	/* 2. An answer that comes from now on does not queue the work. */
	spin_lock_bh(&set->lock);
	set->stopped = true;
	spin_unlock_bh(&set->lock);
	cancel_delayed_work_sync(&set->work);

	/* 3. Free what the work has left behind. */
	ipoib_sa_cancel(&set->query);
	drop_reports(set);
}
