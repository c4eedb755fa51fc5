/* SPDX-License-Identifier: GPL-2.0 */
/* Completion queues. */
#ifndef _IBDS_CQ_H
#define _IBDS_CQ_H

#include <linux/hrtimer.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "vector.h"

struct ibds_rq;

#define IBDS_CQE_MAX	262144
#define IBDS_RUBBISH	0xa5	/* in what a consumer must not read */

/* News that the interrupt tells the consumer. */
enum ibds_cq_news {
	IBDS_CQ_NOTIFY,		/* it asked for a notification */
	IBDS_CQ_OVERRUN,	/* completions are lost */
};

/**
 * struct ibds_cqe - a completion that was not polled yet
 * @wc: what the consumer gets
 * @polled: of the send queue that has room then; NULL for a receive
 * @sent: what it is set to
 * @rq: receive queue that has room then; NULL for a send
 * @solicited: the sender asked for an event
 * @due: when the consumer may see it
 */
struct ibds_cqe {
	struct ib_wc wc;
	u32 *polled;
	u32 sent;
	struct ibds_rq *rq;
	bool solicited;
	ktime_t due;
};

/**
 * struct ibds_cq - a completion queue
 * @ibcq: the core's part; the core makes and frees the whole
 * @lock: protects all that follows; innermost of all locks
 * @vector: where it interrupts; constant
 * @ring: completions
 * @mask: length of @ring less 1; a power of two less 1
 * @room: completions that it holds, exactly as many as were asked for
 * @head: completions ever pushed
 * @shown: those before it can be polled; the fault knobs hold back the others
 * @tail: completions ever polled
 * @armed: what the next notification waits for, 0 if none is wanted
 * @queued: is in a batch or with its vector, and will be notified
 * @news: bits of enum ibds_cq_news
 * @overrun: a completion had no room, or a fault knob has broken it; nothing is pushed
 *	any more
 * @next: entry of the batch
 * @node: entry of the vector's list
 * @count: completions that make a notification, 0 and 1 for each
 * @usec: time after which fewer make one, too
 * @since: completions since the last notification
 * @timing: @timer is going to look at @since
 * @timer: runs while completions wait for company
 * @show_timer: runs while completions are held back
 *
 * Whoever pushes holds RCU and a queue pair that uses the queue, so that it
 * cannot be destroyed.
 */
struct ibds_cq {
	struct ib_cq ibcq;
	spinlock_t lock;	/* all below */
	struct ibds_vector *vector;
	struct ibds_cqe *ring;
	u32 mask;
	u32 room;
	u32 head;
	u32 shown;
	u32 tail;
	u8 armed;
	bool queued;
	unsigned long news;
	bool overrun;
	struct ibds_cq *next;
	struct llist_node node;
	u32 count;
	u32 usec;
	u32 since;
	bool timing;
	struct hrtimer timer;
	struct hrtimer show_timer;
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

struct ib_wc *ibds_cq_begin(struct ibds_cq *cq, struct ib_qp *ibqp, u64 wr_id,
			    enum ib_wc_status status, unsigned long *flags);
void ibds_cq_frees(struct ib_wc *wc, u32 *polled, u32 sent);
void ibds_cq_frees_recv(struct ib_wc *wc, struct ibds_rq *rq);
void ibds_cq_end(struct ibds_cq *cq, const struct ib_wc *wc, bool solicited,
		 struct ibds_batch *batch, unsigned long flags);
void ibds_cq_purge(struct ibds_cq *cq, const struct ib_qp *ibqp);
void ibds_cq_break(struct ibds_cq *cq);

#endif /* _IBDS_CQ_H */
