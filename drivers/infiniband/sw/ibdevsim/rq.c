// SPDX-License-Identifier: GPL-2.0
#include "rq.h"

#include <linux/log2.h>
#include <linux/overflow.h>
#include <linux/vmalloc.h>

#include "fabric.h"
#include "fault.h"
#include "hca.h"

/**
 * ibds_rq_init - make a receive queue
 * @rq: result, zeroed
 * @hca: the HCA
 * @wr: buffers that it has to hold; 0 is fine
 * @sge: elements that each may have
 *
 * Return: 0, -EINVAL or -ENOMEM.
 * Context: Process context, may sleep.
 */
int ibds_rq_init(struct ibds_rq *rq, const struct ibds_hca *hca, u32 wr, u32 sge)
{
	u32 len;

	if (wr > IBDS_WR_MAX)
		return -EINVAL;
	spin_lock_init(&rq->lock);
	rq->lkey = hca->ibdev.local_dma_lkey;
	rq->at_poll = hca->profile->slot_at_poll;
	rq->room = wr;
	len = roundup_pow_of_two(max(wr, 1u));
	rq->max_sge = max(sge, 1u);
	rq->stride = struct_size_t(struct ibds_rqe, sge, rq->max_sge);
	rq->ring = vzalloc(array_size(len, rq->stride));
	if (!rq->ring)
		return -ENOMEM;
	rq->mask = len - 1;
	return 0;
}

/**
 * ibds_rq_exit - free what ibds_rq_init() made
 * @rq: queue that nobody uses any more; may be all zeros
 */
void ibds_rq_exit(struct ibds_rq *rq)
{
	vfree(rq->ring);
}

/**
 * ibds_rq_reset - forget the posted buffers
 * @rq: the queue
 */
void ibds_rq_reset(struct ibds_rq *rq)
{
	unsigned long flags;

	spin_lock_irqsave(&rq->lock, flags);
	rq->tail = rq->head;
	spin_unlock_irqrestore(&rq->lock, flags);
}

/**
 * ibds_rq_space - the number of buffers a queue can hold
 * @rq: the queue
 *
 * Return: that.
 */
u32 ibds_rq_space(const struct ibds_rq *rq)
{
	return rq->room;
}

/**
 * ibds_rq_posted - the number of buffers that nobody has taken yet
 * @rq: the queue
 *
 * Return: that.
 * Context: Any.
 */
u32 ibds_rq_posted(struct ibds_rq *rq)
{
	unsigned long flags;
	u32 n;

	spin_lock_irqsave(&rq->lock, flags);
	n = rq->head - rq->tail;
	spin_unlock_irqrestore(&rq->lock, flags);
	return n;
}

static struct ibds_rqe *rqe_at(struct ibds_rq *rq, u32 index)
{
	return rq->ring + (index & rq->mask) * rq->stride;
}

static int post_one(struct ibds_rq *rq, const struct ib_pd *pd, const struct ib_recv_wr *wr)
{
	struct ibds_rqe *rqe = rqe_at(rq, rq->head);
	int i;

	if (rq->head - rq->tail + atomic_read(&rq->held) >= rq->room)
		return ibds_fault_blame(pd->res.kern_name, "buffers", -ENOMEM);
	if (wr->num_sge < 0 || wr->num_sge > rq->max_sge)
		return ibds_fault_blame(pd->res.kern_name, "buffers", -EINVAL);

	rqe->wr_id = wr->wr_id;
	rqe->num_sge = wr->num_sge;
	rqe->bad = false;
	rqe->len = 0;
	for (i = 0; i < wr->num_sge; i++) {
		rqe->sge[i] = wr->sg_list[i];
		rqe->len += wr->sg_list[i].length;
		/* A length of 0 is 2^31 for some HCAs, and the end of the list for others. */
		rqe->bad |= wr->sg_list[i].lkey != rq->lkey ||
			    !wr->sg_list[i].length;
	}
	rq->head++;
	return 0;
}

/**
 * ibds_rq_post - post buffers
 * @rq: to this queue
 * @pd: its protection domain
 * @wr: chain of work requests
 * @bad_wr: result on failure, the first that was not posted
 *
 * Return: 0 or a negative errno.
 * Context: Any.
 */
int ibds_rq_post(struct ibds_rq *rq, const struct ib_pd *pd, const struct ib_recv_wr *wr,
		 const struct ib_recv_wr **bad_wr)
{
	struct ibds_hca *hca = to_ibds_hca(pd->device);
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&rq->lock, flags);
	for (; wr; wr = wr->next) {
		if (ibds_fault_hits(&hca->fab->faults, &hca->faults.post_recv,
				    pd->res.kern_name))
			err = -ENOMEM;
		else
			err = post_one(rq, pd, wr);
		if (err) {
			*bad_wr = wr;
			break;
		}
	}
	spin_unlock_irqrestore(&rq->lock, flags);
	return err;
}

/**
 * ibds_rq_take - take the oldest buffer off a queue
 * @rq: the queue
 * @len: octets that it has to hold; it stays where it is if it cannot
 * @taken: result
 * @low: set when the queue has just fallen below its limit, otherwise left
 *	alone
 *
 * Return: 0, -ENOENT if there is none, or -EMSGSIZE.
 * Context: Any.
 */
int ibds_rq_take(struct ibds_rq *rq, u32 len, struct ibds_rqe_taken *taken,
		 bool *low)
{
	const struct ibds_rqe *rqe;
	unsigned long flags;
	int err = 0;
	u32 i;

	spin_lock_irqsave(&rq->lock, flags);
	rqe = rqe_at(rq, rq->tail);
	if (rq->head == rq->tail)
		err = -ENOENT;
	else if (unlikely(rqe->len < len))
		err = -EMSGSIZE;
	if (err) {
		spin_unlock_irqrestore(&rq->lock, flags);
		return err;
	}
	taken->wr_id = rqe->wr_id;
	taken->len = rqe->len;
	taken->bad = rqe->bad;
	for (i = 0; i < rqe->num_sge; i++)
		taken->sge[i] = rqe->sge[i];
	rq->tail++;
	if (rq->at_poll)
		atomic_inc(&rq->held);
	if (rq->limit && rq->head - rq->tail < rq->limit) {
		rq->limit = 0;
		*low = true;
	}
	spin_unlock_irqrestore(&rq->lock, flags);
	return 0;
}

/**
 * ibds_rq_give_back - a buffer that was taken leaves room for another one
 * @rq: the queue
 *
 * Context: Any.
 */
void ibds_rq_give_back(struct ibds_rq *rq)
{
	if (rq->at_poll)
		atomic_dec(&rq->held);
}

/**
 * ibds_create_srq - make a shared receive queue
 * @ibsrq: result, zeroed by the core
 * @init: its size; what it got is written back
 * @udata: unused
 *
 * Return: 0 or a negative errno.
 * Context: Process context, may sleep.
 */
int ibds_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		    struct ib_udata *udata)
{
	struct ibds_hca *hca = to_ibds_hca(ibsrq->device);
	struct ibds_srq *srq = to_ibds_srq(ibsrq);
	int err;

	err = ibds_command(hca);
	if (err)
		return err;
	if (init->srq_type != IB_SRQT_BASIC || !hca->profile->srq || hca->no_srq)
		return -EOPNOTSUPP;
	if (!init->attr.max_wr || init->attr.max_sge > hca->profile->sges)
		return -EINVAL;
	err = ibds_take(&hca->limits, IBDS_OBJ_SRQ);
	if (err)
		return err;
	err = ibds_rq_init(&srq->rq, hca, init->attr.max_wr, init->attr.max_sge);
	if (err) {
		ibds_give(&hca->limits, IBDS_OBJ_SRQ);
		return err;
	}
	init->attr.max_wr = ibds_rq_space(&srq->rq);
	init->attr.max_sge = srq->rq.max_sge;
	spin_lock_bh(&hca->table_lock);
	list_add_tail(&srq->node, &hca->srqs);
	spin_unlock_bh(&hca->table_lock);
	return 0;
}

/**
 * ibds_modify_srq - set the limit of a shared receive queue
 * @ibsrq: the queue
 * @attr: the limit
 * @mask: what of @attr is meant; a new size is not supported
 * @udata: unused
 *
 * Return: 0 or a negative errno.
 * Context: Process context, may sleep.
 */
int ibds_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		    enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	struct ibds_rq *rq = &to_ibds_srq(ibsrq)->rq;
	unsigned long flags;
	int err;

	err = ibds_command(to_ibds_hca(ibsrq->device));
	if (err)
		return err;
	if (mask & IB_SRQ_MAX_WR)
		return -EOPNOTSUPP;
	if (mask & IB_SRQ_LIMIT) {
		if (attr->srq_limit > ibds_rq_space(rq))
			return -EINVAL;
		spin_lock_irqsave(&rq->lock, flags);
		rq->limit = attr->srq_limit;
		spin_unlock_irqrestore(&rq->lock, flags);
	}
	return 0;
}

/**
 * ibds_query_srq - tell about a shared receive queue
 * @ibsrq: the queue
 * @attr: result
 *
 * Return: 0.
 * Context: Process context, may sleep.
 */
int ibds_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	struct ibds_rq *rq = &to_ibds_srq(ibsrq)->rq;
	unsigned long flags;

	might_sleep();
	attr->max_wr = ibds_rq_space(rq);
	attr->max_sge = rq->max_sge;
	spin_lock_irqsave(&rq->lock, flags);
	attr->srq_limit = rq->limit;
	spin_unlock_irqrestore(&rq->lock, flags);
	return 0;
}

/**
 * ibds_destroy_srq - destroy a shared receive queue
 * @ibsrq: no queue pair uses it
 * @udata: unused
 *
 * Return: 0.
 * Context: Process context, may sleep.
 */
int ibds_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct ibds_hca *hca = to_ibds_hca(ibsrq->device);
	struct ibds_srq *srq = to_ibds_srq(ibsrq);

	might_sleep();
	spin_lock_bh(&hca->table_lock);
	list_del(&srq->node);
	spin_unlock_bh(&hca->table_lock);
	ibds_rq_exit(&srq->rq);
	ibds_give(&hca->limits, IBDS_OBJ_SRQ);
	return 0;
}
