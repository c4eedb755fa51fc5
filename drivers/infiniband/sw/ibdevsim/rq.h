/* SPDX-License-Identifier: GPL-2.0 */
/* Receive queues, a queue pair's own and shared ones. */
#ifndef _IBDS_RQ_H
#define _IBDS_RQ_H

#include <linux/atomic.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

struct ibds_hca;

#define IBDS_WR_MAX	16384
#define IBDS_SGE_MAX	32

/**
 * struct ibds_rqe - a posted buffer
 * @wr_id: the consumer's
 * @len: octets of all elements
 * @num_sge: elements
 * @bad: an element has a wrong key, or no length
 * @sge: elements
 */
struct ibds_rqe {
	u64 wr_id;
	u32 len;
	u16 num_sge;
	bool bad;
	struct ib_sge sge[];
};

/* This is a receive that has been taken off its queue, so that the queue may go on. */
struct ibds_rqe_taken {
	u64 wr_id;
	u32 len;
	bool bad;
	struct ib_sge sge[IBDS_SGE_MAX];
};

/**
 * struct ibds_rq - a receive queue
 * @lkey: key that the elements of buffers must have; constant
 * @lock: protects all that follows; nests inside the receiver's lock
 * @ring: buffers, @stride apart; NULL if the queue has no room at all
 * @stride: octets of an entry
 * @mask: length of the ring less 1; a power of two less 1
 * @room: buffers that it holds, exactly as many as were asked for
 * @at_poll: a buffer that has been taken leaves room only when its completion has been
 *	polled; constant
 * @held: taken, and not polled
 * @max_sge: elements that an entry can hold
 * @head: buffers ever posted
 * @tail: buffers ever taken
 * @limit: of a shared queue: fewer buffers make an event, 0 for none
 */
struct ibds_rq {
	u32 lkey;
	spinlock_t lock;	/* all below */
	void *ring;
	u32 stride;
	u32 mask;
	u32 room;
	bool at_poll;
	atomic_t held;
	u32 max_sge;
	u32 head;
	u32 tail;
	u32 limit;
};

int ibds_rq_init(struct ibds_rq *rq, const struct ibds_hca *hca, u32 wr, u32 sge);
void ibds_rq_exit(struct ibds_rq *rq);
void ibds_rq_reset(struct ibds_rq *rq);
int ibds_rq_post(struct ibds_rq *rq, const struct ib_pd *pd, const struct ib_recv_wr *wr,
		 const struct ib_recv_wr **bad_wr);
int ibds_rq_take(struct ibds_rq *rq, u32 len, struct ibds_rqe_taken *taken,
		 bool *low);
void ibds_rq_give_back(struct ibds_rq *rq);
u32 ibds_rq_space(const struct ibds_rq *rq);
u32 ibds_rq_posted(struct ibds_rq *rq);

/**
 * struct ibds_srq - a shared receive queue
 * @ibsrq: the core's part; the core makes and frees the whole
 * @rq: the queue
 * @node: entry of the HCA's list
 */
struct ibds_srq {
	struct ib_srq ibsrq;
	struct ibds_rq rq;
	struct list_head node;
};

static inline struct ibds_srq *to_ibds_srq(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct ibds_srq, ibsrq);
}

int ibds_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		    struct ib_udata *udata);
int ibds_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		    enum ib_srq_attr_mask mask, struct ib_udata *udata);
int ibds_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr);
int ibds_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata);

#endif /* _IBDS_RQ_H */
