/* SPDX-License-Identifier: GPL-2.0 */
/* Completion queues. */
#ifndef _IBDS_CQ_H
#define _IBDS_CQ_H

#include <linux/hrtimer.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "batch.h"

#define IBDS_CQE_MAX	65536

/* What the consumer is to be told when the batch is finished. */
enum ibds_cq_news {
	IBDS_CQ_NOTIFY,		/* it asked for a notification */
	IBDS_CQ_OVERRUN,	/* completions are lost */
};

/**
 * struct ibds_cq - a completion queue
 * @ibcq: the core's part; the core makes and frees the whole
 * @lock: protects all that follows; innermost of all locks
 * @ring: completions
 * @mask: length of @ring less 1; a power of two less 1
 * @head: completions ever pushed
 * @tail: completions ever polled
 * @armed: what the next notification waits for, 0 if none is wanted
 * @queued: is in a batch and will be notified
 * @news: bits of enum ibds_cq_news
 * @overrun: a completion had no room; nothing is pushed any more
 * @next: entry of the batch
 * @count: completions that make a notification, 0 and 1 for each
 * @usec: time after which fewer make one, too
 * @since: completions since the last notification
 * @timing: @timer is going to look at @since
 * @timer: runs while completions wait for company
 *
 * Whoever pushes holds RCU and a queue pair that uses the queue, so that it
 * cannot be destroyed.
 */
struct ibds_cq {
	struct ib_cq ibcq;
	spinlock_t lock;	/* all below */
	struct ib_wc *ring;
	u32 mask;
	u32 head;
	u32 tail;
	u8 armed;
	bool queued;
	unsigned long news;
	bool overrun;
	struct ibds_cq *next;
	u32 count;
	u32 usec;
	u32 since;
	bool timing;
	struct hrtimer timer;
};

static inline struct ibds_cq *to_ibds_cq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct ibds_cq, ibcq);
}

int ibds_cq_create(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr);
int ibds_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int ibds_poll_cq(struct ib_cq *ibcq, int max, struct ib_wc *wc);
int ibds_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);
int ibds_modify_cq(struct ib_cq *ibcq, u16 count, u16 period);

struct ib_wc *ibds_cq_begin(struct ibds_cq *cq, unsigned long *flags);
void ibds_cq_end(struct ibds_cq *cq, const struct ib_wc *wc, bool solicited,
		 struct ibds_batch *batch, unsigned long flags);
void ibds_cq_purge(struct ibds_cq *cq, const struct ib_qp *ibqp);

#endif /* _IBDS_CQ_H */
