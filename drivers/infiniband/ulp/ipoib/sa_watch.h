/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reports of the subnet administrator (SA), IBTA 13.4.9: ports that come and
 * go, groups that are created and deleted.
 */
#ifndef _IPOIB_SA_WATCH_H
#define _IPOIB_SA_WATCH_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rdma/ib_mad.h>

#include "sa_fsm.h"
#include "sa_trap.h"

struct ipoib_sa;
struct ipoib_sa_query;

/* Reports that wait to be passed on; more are not kept, see @renewed. */
#define IPOIB_SA_MAX_REPORTS	256

/**
 * struct ipoib_sa_watch - somebody who wants to know
 * @node: entry of the list
 * @report: something happened: hints rather than facts, they may come late,
 *	twice, or from anybody who may send to the port's QP 1
 * @renewed: reports may have been missed until now, so look for yourself.
 *	After each subscription, after too many reports at once and, while
 *	there are none because somebody else on the port gets them, from time
 *	to time
 *
 * Both are called in process context with no lock held but that of the list:
 * they may sleep and ask the SA, but not add or delete a watch. One call at a
 * time.
 */
struct ipoib_sa_watch {
	struct list_head node;
	void (*report)(struct ipoib_sa_watch *watch, enum ipoib_sa_trap trap,
		       const union ib_gid *gid);
	void (*renewed)(struct ipoib_sa_watch *watch);
};

/**
 * struct ipoib_sa_report - a report that waits to be passed on
 * @node: entry of the queue
 * @trap: what happened
 * @gid: to whom
 */
struct ipoib_sa_report {
	struct list_head node;
	enum ipoib_sa_trap trap;
	union ib_gid gid;
};

/**
 * struct ipoib_sa_watches - everybody who wants the reports of a port
 * @sa: what they are part of
 * @work: subscribes, passes on reports
 * @mutex: protects @list; held while functions of a watch run, and that is
 *	how ipoib_sa_watch_del() waits for them
 * @list: the watches
 * @off: woken when @state is IPOIB_SA_OFF
 * @state: of the subscription, see sa_fsm.h; written by @work only
 * @agent: receives reports; NULL if nobody wants them or somebody else has
 *	them; @work
 * @query: what the SA is asked now, or NULL; @work
 * @trap: what it is asked about; @work
 * @subscribed: traps that it reports, by their bit from IPOIB_SA_TRAP_FIRST;
 *	@work
 * @failures: failed tries in a row; @work
 * @next_at: jiffies of the next try, or of the next call of @renewed if there
 *	are no reports; @work
 * @told: the administrator knows that there are no reports; @work
 * @lock: protects all that follows
 * @stopped: @work must not be queued any more
 * @wanted: somebody watches
 * @stale: the SA may have forgotten us
 * @answered: @query is answered
 * @err: with this
 * @status: and this status of the SA
 * @reports: queue of struct ipoib_sa_report
 * @queued: how many those are
 * @missed: one had to be dropped
 *
 * Part of struct ipoib_sa and lives as long.
 */
struct ipoib_sa_watches {
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
	bool told;
	spinlock_t lock;	/* all below */
	bool stopped;
	bool wanted;
	bool stale;
	bool answered;
	int err;
	u16 status;
	struct list_head reports;
	unsigned int queued;
	bool missed;
};

void ipoib_sa_watch_add(struct ipoib_sa *sa, struct ipoib_sa_watch *watch);
void ipoib_sa_watch_del(struct ipoib_sa *sa, struct ipoib_sa_watch *watch);

void ipoib_sa_watches_init(struct ipoib_sa_watches *set, struct ipoib_sa *sa);
void ipoib_sa_watches_renew(struct ipoib_sa_watches *set);
void ipoib_sa_watches_stop(struct ipoib_sa_watches *set);

#endif /* _IPOIB_SA_WATCH_H */
