/* SPDX-License-Identifier: GPL-2.0 */
/* Completion vectors: where an HCA interrupts for its completion queues. */
#ifndef _IBDS_VECTOR_H
#define _IBDS_VECTOR_H

#include <linux/hardirq.h>
#include <linux/llist.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

#define IBDS_VECTORS_MAX	16

struct ibds_cq;

/**
 * struct ibds_vector - one completion vector
 * @cpu: CPU that it interrupts; may change at any time, read once
 * @cqs: queues with news
 * @call: brings them to @cpu, if it has not been sent there already
 * @lock: held while consumers are told; one handler of a vector at a time
 * @interrupts: times that consumers were told; written under @lock
 */
struct ibds_vector {
	unsigned int cpu;
	struct llist_head cqs;
	call_single_data_t call;
	spinlock_t lock;	/* handlers, interrupts */
	u64 interrupts;
};

/**
 * struct ibds_batch - completion queues with news
 * @cqs: the first of them
 *
 * Lives on the stack of an engine's run. One interrupt serves all that the
 * run completed.
 */
struct ibds_batch {
	struct ibds_cq *cqs;
};

/**
 * ibds_irq_enter - begin what the driver of an HCA does in its interrupt handler
 *
 * For consumers, and for lockdep, it is one, whatever this runs in.
 *
 * Return: what ibds_irq_exit() wants.
 * Context: Any; interrupts are off from here on.
 */
static inline unsigned long ibds_irq_enter(void)
{
	unsigned long flags;

	local_irq_save(flags);
	__irq_enter_raw();
	return flags;
}

/**
 * ibds_irq_exit - the end of it
 * @flags: from ibds_irq_enter()
 */
static inline void ibds_irq_exit(unsigned long flags)
{
	__irq_exit_raw();
	local_irq_restore(flags);
}

void ibds_vectors_init(struct ibds_vector *vectors, unsigned int n);
void ibds_vector_raise(struct ibds_vector *vector, struct ibds_cq *cq);
void ibds_vector_flush(struct ibds_vector *vector, struct ibds_cq *cq);
void ibds_batch_finish(struct ibds_batch *batch);

#endif /* _IBDS_VECTOR_H */
