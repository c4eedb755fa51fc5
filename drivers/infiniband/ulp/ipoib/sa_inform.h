/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Subscriptions to the reports of the subnet administrator (SA), IBTA 13.4.9, about ports that
 * appear and disappear and groups that are created and deleted.
 */
#ifndef _IPOIB_SA_INFORM_H
#define _IPOIB_SA_INFORM_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rdma/ib_mad.h>

#include "bucket.h"
#include "fsm.h"
#include "wire.h"

struct ipoib_sa;
struct ipoib_sa_query;

/* Most reports that are queued. If one more comes, it is dropped and @renewed called. */
#define IPOIB_SA_MAX_REPORTS	256

/**
 * struct ipoib_sa_subscriber - a user of the reports of a port
 * @node: entry of the list of subscribers
 * @report: the SA has reported a trap. This is a hint and not a fact: a report may come
 *	late, twice, or from a node that forges the LID of the SM
 * @renewed: reports may have been missed until now, so the user has to query the SA itself.
 *	Called after each subscription, after too many reports at once and, as long as the
 *	driver gets no reports, from time to time
 *
 * Both are called in process context, and @mutex of struct ipoib_sa_subscribers is the only lock
 * that is held. They may sleep and send queries to the SA, but must not add or delete a
 * subscriber. No two calls run at a time.
 */
struct ipoib_sa_subscriber {
	struct list_head node;
	void (*report)(struct ipoib_sa_subscriber *subscriber, enum ipoib_sa_trap trap,
		       const union ib_gid *gid);
	void (*renewed)(struct ipoib_sa_subscriber *subscriber);
};

/**
 * struct ipoib_sa_report - a report in the queue
 * @node: entry of the queue
 * @trap: the trap that the SA has reported
 * @gid: GID of the port or MGID of the group that the report is about
 */
struct ipoib_sa_report {
	struct list_head node;
	enum ipoib_sa_trap trap;
	union ib_gid gid;
};

/**
 * struct ipoib_sa_subscribers - the subscribers of a port and its subscription
 * @sa: the agent that this is part of
 * @work: subscribes, passes on reports
 * @mutex: protects @list; held while functions of a subscriber run, so that
 *	ipoib_sa_subscriber_del() waits for them by taking it
 * @list: the subscribers
 * @off: woken when @state becomes IPOIB_SA_OFF
 * @state: state of the subscription, see enum ipoib_sa_state; only @work writes it
 * @agent: MAD agent that receives reports; NULL if there is no subscriber or the agent could not
 *	be registered; only @work uses it
 * @query: InformInfo that is being sent, or NULL; only @work uses it
 * @trap: trap that @query is about; only @work uses it
 * @subscribed: traps that the SA has agreed to report, bit 0 for IPOIB_SA_TRAP_FIRST; only
 *	@work uses it
 * @failures: failed tries in a row; only @work uses it
 * @next_at: jiffies of the next try; only @work uses it
 * @told: last error of take_reports() that the log has named, or 0; only @work uses it
 * @lock: protects all that follows
 * @stopped: @work must not be queued any more
 * @wanted: @list is not empty
 * @stale: the SA may have lost the subscription
 * @answered: informed() has stored the answer to @query in @err and @status
 * @err: 0 or a negative error of @query
 * @status: status of the SA's answer to @query
 * @reports: queue of struct ipoib_sa_report
 * @queued: length of @reports
 * @missed: reports may have been missed, so @renewed of all subscribers has to be called
 * @answers: bounds the rate of answers to reports
 *
 * Part of struct ipoib_sa, whose lifetime it shares.
 */
struct ipoib_sa_subscribers {
	struct ipoib_sa *sa;
	struct delayed_work work;
	struct mutex mutex;	/* list */
	struct list_head list;
	wait_queue_head_t off;
	enum ipoib_sa_state state;
	struct ib_mad_agent *agent;
	struct ipoib_sa_query *query;
	enum ipoib_sa_trap trap;
	unsigned long subscribed;
	u32 failures;
	unsigned long next_at;
	int told;
	spinlock_t lock;	/* stopped to answers */
	bool stopped;
	bool wanted;
	bool stale;
	bool answered;
	int err;
	u16 status;
	struct list_head reports;
	unsigned int queued;
	bool missed;
	struct ipoib_bucket answers;
};

void ipoib_sa_subscriber_add(struct ipoib_sa *sa, struct ipoib_sa_subscriber *subscriber);
void ipoib_sa_subscriber_del(struct ipoib_sa *sa, struct ipoib_sa_subscriber *subscriber);

void ipoib_sa_subscribers_init(struct ipoib_sa_subscribers *set, struct ipoib_sa *sa);
void ipoib_sa_subscribers_renew(struct ipoib_sa_subscribers *set);
void ipoib_sa_subscribers_stop(struct ipoib_sa_subscribers *set);

#endif /* _IPOIB_SA_INFORM_H */
