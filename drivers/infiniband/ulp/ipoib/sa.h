/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The driver's own MAD agent for the subnet administrator (SA) of an InfiniBand port. It offers
 * what ib_sa of the RDMA core does not: queries whether a group exists and which groups exist,
 * and subscriptions to reports (IBTA 13.4.9) about ports that appear and disappear and groups that
 * are created and deleted.
 */
#ifndef _IPOIB_SA_H
#define _IPOIB_SA_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_sa.h>

#include "bucket.h"
#include "fsm.h"
#include "wire.h"

/* Most reports that are queued. If one more comes, it is dropped and @renewed called. */
#define IPOIB_SA_MAX_REPORTS	256

struct ipoib_sa;
struct ipoib_sa_sm;

/**
 * struct ipoib_sa_query - a query to the SA: a MAD and its answer
 * @sa: agent that sends the query
 * @done: called when the query is over and @err, @status and @answer are valid. Process context,
 *	no lock held, no page is waited for (memalloc_noio_save()); may sleep, must not call
 *	ipoib_sa_cancel()
 * @ask: the MAD to send, without transaction ID; set by whoever asks
 * @work: calls @done
 * @node: entry of @waiting or @sent of @sa; empty while neither has the query
 * @restarted: the query went to an SM that has moved, and is sent anew; it is not a second time
 * @msg: the MAD while the MAD layer has it, else NULL
 * @answer: the answer, valid during @done; NULL if there is none. Who has sent it need not be the
 *	SA, so only @err tells whether it can be read
 * @err: 0 or a negative error: -ENOENT if the SA knows no such group, -ETIMEDOUT if it does not
 *	answer, -ENETUNREACH if no SA is known, -EPROTO if the answer is malformed, -EIO or the
 *	error of the MAD layer if the query could not be sent, else see ipoib_sa_wire_status()
 * @status: status of the SA's answer, to be shown to an administrator, or 0 without an answer
 *
 * Part of an object of whoever asks, who sends it with ipoib_sa_ask() and calls ipoib_sa_cancel()
 * before that object is freed. The lock of @sa protects all from @node on; but from when @work is
 * queued until the query is sent again, @answer, @err and @status belong to @work, and after
 * ipoib_sa_cancel() to whoever asks.
 */
struct ipoib_sa_query {
	struct ipoib_sa *sa;
	void (*done)(struct ipoib_sa_query *query);
	struct ib_sa_mad ask;
	struct work_struct work;
	struct list_head node;
	bool restarted;
	struct ib_mad_send_buf *msg;
	struct ib_mad_recv_wc *answer;
	int err;
	u16 status;
};

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
 * @query: the InformInfo; sent and cancelled by @work only
 * @trap: trap that @query is about, or 0 while there is none; only @work uses it
 * @subscribed: traps that the SA has agreed to report, bit 0 for IPOIB_SA_TRAP_FIRST; only
 *	@work uses it
 * @failures: failed tries in a row; only @work uses it
 * @next_at: jiffies of the next try; only @work uses it
 * @logged: last error of take_reports() that the log has named, or 0; only @work uses it
 * @lock: protects all that follows
 * @stopped: @work must not be queued any more
 * @wanted: @list is not empty
 * @stale: the SA may have lost the subscription
 * @answered: @query is over
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
	struct ipoib_sa_query query;
	unsigned int trap;
	unsigned long subscribed;
	u32 failures;
	unsigned long next_at;
	int logged;
	spinlock_t lock;	/* stopped to answers */
	bool stopped;
	bool wanted;
	bool stale;
	bool answered;
	struct list_head reports;
	unsigned int queued;
	bool missed;
	struct ipoib_bucket answers;
};

/**
 * struct ipoib_sa - MAD agent of a port for the subnet administrator
 * @ibdev: RDMA device; outlives the agent
 * @port: port number
 * @wq: runs all work of the agent, its queries and its subscribers; unbound
 * @agent: sends queries and receives answers
 * @work: looks for the SM, sends waiting queries, or fails them if there is no SM
 * @subscribers: subscriptions to reports
 * @lock: protects all that follows, and the queries
 * @stale: @sm may be wrong, so @work has to query the port
 * @sm: address of the SA, referenced; NULL if there is none. Only @work writes it
 * @tid: transaction ID of the last query that was sent
 * @waiting: queries that @work has to send, the longest waiting in front: new ones, and those
 *	whose SM has moved
 * @sent: queries that the MAD layer has. Those who ask bound how many there are: the turns for
 *	groups and for lists, see fabric_ib.c, and one InformInfo
 * @mads: MADs that the MAD layer has, those of cancelled queries included
 *
 * Made when a port appears, shared by the interfaces on the port, freed before the
 * port is. @lock nests inside the locks of those who ask.
 */
struct ipoib_sa {
	struct ib_device *ibdev;
	u32 port;
	struct workqueue_struct *wq;
	struct ib_mad_agent *agent;
	struct work_struct work;
	struct ipoib_sa_subscribers subscribers;
	spinlock_t lock;	/* stale to mads, and the queries */
	bool stale;
	struct ipoib_sa_sm *sm;
	u32 tid;
	struct list_head waiting;
	struct list_head sent;
	unsigned int mads;
};

struct ipoib_sa *ipoib_sa_open(struct ib_device *ibdev, u32 port,
			       struct workqueue_struct *wq);
void ipoib_sa_close(struct ipoib_sa *sa);
void ipoib_sa_event(struct ipoib_sa *sa, enum ib_event_type event);

void ipoib_sa_query_init(struct ipoib_sa_query *query, struct ipoib_sa *sa,
			 void (*done)(struct ipoib_sa_query *query));
void ipoib_sa_ask(struct ipoib_sa_query *query);
void ipoib_sa_cancel(struct ipoib_sa_query *query);

/* The first segment of the answer. */
static inline const struct ib_sa_mad *ipoib_sa_answer(const struct ipoib_sa_query *query)
{
	return (const struct ib_sa_mad *)query->answer->recv_buf.mad;
}

u32 ipoib_sa_sm_lid(struct ipoib_sa *sa);

void ipoib_sa_subscriber_add(struct ipoib_sa *sa, struct ipoib_sa_subscriber *subscriber);
void ipoib_sa_subscriber_del(struct ipoib_sa *sa, struct ipoib_sa_subscriber *subscriber);

void ipoib_sa_subscribers_init(struct ipoib_sa_subscribers *set, struct ipoib_sa *sa);
void ipoib_sa_subscribers_renew(struct ipoib_sa_subscribers *set);
void ipoib_sa_subscribers_stop(struct ipoib_sa_subscribers *set);

#endif /* _IPOIB_SA_H */
