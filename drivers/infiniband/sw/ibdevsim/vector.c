// SPDX-License-Identifier: GPL-2.0
#include "vector.h"

#include <linux/cpumask.h>
#include <linux/delay.h>

#include "cq.h"

/* IBTA 10.2.2: the consumer learns that completions are lost, once. */
static void tell_overrun(struct ibds_cq *cq)
{
	struct ib_event event = {
		.event = IB_EVENT_CQ_ERR,
		.device = cq->ibcq.device,
		.element.cq = &cq->ibcq,
	};

	if (cq->ibcq.event_handler)
		cq->ibcq.event_handler(&event, cq->ibcq.cq_context);
}

static void tell(struct ibds_cq *cq)
{
	/* The node has been left, and a CPU that sees @queued cleared may enter it again. */
	smp_store_release(&cq->queued, false);
	/*
	 * A CPU that still sees @queued set is served below: the barrier pairs with cq->lock for
	 * completions, and with the barrier of queue_up() in cq.c for @news.
	 */
	smp_mb();
	if (unlikely(test_bit(IBDS_CQ_OVERRUN, &cq->news)) &&
	    test_and_clear_bit(IBDS_CQ_OVERRUN, &cq->news))
		tell_overrun(cq);
	if (likely(test_and_clear_bit(IBDS_CQ_NOTIFY, &cq->news)))
		cq->ibcq.comp_handler(&cq->ibcq, cq->ibcq.cq_context);
}

static void interrupt(void *info)
{
	struct ibds_vector *vector = info;
	unsigned long flags = ibds_irq_enter();
	struct ibds_cq *cq, *next;
	struct llist_node *list;

	spin_lock(&vector->lock);
	WRITE_ONCE(vector->interrupts, vector->interrupts + 1);
	list = llist_reverse_order(llist_del_all(&vector->cqs));
	llist_for_each_entry_safe(cq, next, list, node)
		tell(cq);
	spin_unlock(&vector->lock);
	ibds_irq_exit(flags);
}

/**
 * ibds_vectors_init - the vectors of an HCA, one CPU after the other
 * @vectors: result
 * @n: how many
 */
void ibds_vectors_init(struct ibds_vector *vectors, unsigned int n)
{
	unsigned int i, cpu = 0;

	for (i = 0; i < n; i++) {
		struct ibds_vector *vector = &vectors[i];

		vector->cpu = cpu;
		init_llist_head(&vector->cqs);
		INIT_CSD(&vector->call, interrupt, vector);
		spin_lock_init(&vector->lock);
		cpu = cpumask_next(cpu, cpu_possible_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_possible_mask);
	}
}

/**
 * ibds_vector_raise - interrupt for a queue
 * @vector: the queue's
 * @cq: queue with news, which nobody else raises: its @queued is set
 *
 * Handlers run before this returns if the vector is this CPU's, so that the caller holds
 * no lock that one of them may want.
 *
 * Context: Softirq or bottom halves off; RCU held.
 */
void ibds_vector_raise(struct ibds_vector *vector, struct ibds_cq *cq)
{
	/* The CPU that was the first has sent the call, which has not been taken yet. */
	if (!llist_add(&cq->node, &vector->cqs))
		return;
	/* If the CPU has gone, this one does it. */
	if (smp_call_function_single_async(READ_ONCE(vector->cpu), &vector->call))
		interrupt(vector);
}

/**
 * ibds_vector_flush - no interrupt is under way for what a queue has completed
 * @vector: the queue's
 * @cq: queue that cannot be destroyed meanwhile; others may complete more in it
 *
 * The caller has waited for the RCU readers that completed what it is about: the queue is
 * on the vector's list, if anywhere. An interrupt takes the whole list, and holds the
 * vector's lock until all handlers have run, so the next one is the last that matters.
 *
 * Context: Process context, sleeps until a call that is under way has been taken.
 */
void ibds_vector_flush(struct ibds_vector *vector, struct ibds_cq *cq)
{
	u64 interrupts;
	bool queued;

	spin_lock_irq(&vector->lock);
	interrupts = vector->interrupts;
	queued = READ_ONCE(cq->queued);
	spin_unlock_irq(&vector->lock);
	while (queued) {
		usleep_range(10, 100);
		spin_lock_irq(&vector->lock);
		queued = READ_ONCE(cq->queued) && vector->interrupts == interrupts;
		spin_unlock_irq(&vector->lock);
	}
}

/**
 * ibds_batch_finish - interrupt for all that were completed
 * @batch: the queues; empty afterwards
 *
 * Context: Softirq or bottom halves off, no lock held, RCU held since the
 * first completion.
 */
void ibds_batch_finish(struct ibds_batch *batch)
{
	while (batch->cqs) {
		struct ibds_cq *cq = batch->cqs;

		batch->cqs = cq->next;
		ibds_vector_raise(cq->vector, cq);
	}
}
