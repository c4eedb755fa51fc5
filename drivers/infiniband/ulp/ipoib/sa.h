/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Our own way to the subnet administrator (SA) of an InfiniBand port, for what
 * the core's does not offer: does a group exist, which are there, and reports
 * of their coming and going (for those see sa_watch.h).
 */
#ifndef _IPOIB_SA_H
#define _IPOIB_SA_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_sa.h>

#include "sa_trap.h"
#include "sa_watch.h"
#include "users.h"

/* Questions of a port that are open, and those among them that are asked. */
#define IPOIB_SA_MAX_QUERIES	4096
#define IPOIB_SA_MAX_SENT	8

/* Longest list of groups. */
#define IPOIB_SA_MAX_GROUPS	16384

struct ipoib_sa_query;
struct ipoib_sa_sm;

/**
 * struct ipoib_sa_owner - who asks the SA
 * @ctx: given to all functions
 * @group: one group of a list; only for ipoib_sa_list_groups(). @rec is valid
 *	during the call. Process context, no lock held, may sleep
 * @done: the end: @err is 0 and, for ipoib_sa_get_group(), @rec the group; or
 *	@err is negative: -ENOENT if the SA knows no such group, -ETIMEDOUT if
 *	it does not answer, -ENETUNREACH if none is known, -EPROTO if it talks
 *	nonsense, -E2BIG after IPOIB_SA_MAX_GROUPS groups of a list, else see
 *	ipoib_sa_wire_status(). @status is that of the SA's answer, 0 without
 *	one, to be shown to an administrator; @rec is NULL unless said. Called
 *	at most once, in process context with no lock held, may sleep, may
 *	ask and cancel; a late call is possible until @release
 * @release: the query is over and neither it nor @ctx used any longer; called
 *	exactly once and last. Process context, may sleep
 */
struct ipoib_sa_owner {
	void *ctx;
	void (*group)(void *ctx, const struct ib_sa_mcmember_rec *rec);
	void (*done)(void *ctx, int err, u16 status,
		     const struct ib_sa_mcmember_rec *rec);
	void (*release)(void *ctx);
};

/**
 * struct ipoib_sa - the way from a port to its subnet administrator
 * @ibdev: RDMA device; outlives this
 * @port: port number
 * @wq: runs everything here; unbound
 * @agent: sends questions and receives answers
 * @users: one for each query
 * @work: looks for the SM, asks what waits, ends what waited too long
 * @watches: whoever wants reports
 * @lock: protects all that follows, and the queries
 * @closing: no more queries
 * @stale: @sm may be wrong, the port has to be looked at
 * @sm: where the SA is, referenced; NULL if there is none
 * @tid: transaction ID of the last question
 * @queries: all of them
 * @count: how many those are
 * @waiting: those to be asked yet, by the time they were made
 * @sent: how many are asked
 *
 * Made when a port appears, shared by the interfaces on it, gone before the
 * port is. Its lock nests inside the locks of whoever asks.
 */
struct ipoib_sa {
	struct ib_device *ibdev;
	u32 port;
	struct workqueue_struct *wq;
	struct ib_mad_agent *agent;
	struct ipoib_users users;
	struct delayed_work work;
	struct ipoib_sa_watches watches;
	spinlock_t lock;	/* all below, and the queries */
	bool closing;
	bool stale;
	struct ipoib_sa_sm *sm;
	u32 tid;
	struct list_head queries;
	unsigned int count;
	struct list_head waiting;
	unsigned int sent;
};

struct ipoib_sa *ipoib_sa_open(struct ib_device *ibdev, u32 port,
			       struct workqueue_struct *wq);
void ipoib_sa_close(struct ipoib_sa *sa);
void ipoib_sa_event(struct ipoib_sa *sa, enum ib_event_type event);

struct ipoib_sa_query *ipoib_sa_get_group(struct ipoib_sa *sa,
					  const union ib_gid *mgid,
					  const struct ipoib_sa_owner *owner);
struct ipoib_sa_query *ipoib_sa_list_groups(struct ipoib_sa *sa, u16 pkey,
					    const struct ipoib_sa_owner *owner);
struct ipoib_sa_query *ipoib_sa_inform(struct ipoib_sa *sa,
				       enum ipoib_sa_trap trap, bool subscribe,
				       const struct ipoib_sa_owner *owner);
void ipoib_sa_cancel(struct ipoib_sa_query *query);

u32 ipoib_sa_sm_lid(struct ipoib_sa *sa);

#endif /* _IPOIB_SA_H */
