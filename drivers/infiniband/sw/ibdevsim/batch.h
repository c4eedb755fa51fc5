/* SPDX-License-Identifier: GPL-2.0 */
/* What is to be told to consumers once no lock is held any more. */
#ifndef _IBDS_BATCH_H
#define _IBDS_BATCH_H

struct ibds_cq;

/**
 * struct ibds_batch - completion queues with news
 * @cqs: the first of them
 *
 * Lives on the stack of an engine's run. One handler call serves all that the
 * run completed.
 */
struct ibds_batch {
	struct ibds_cq *cqs;
};

void ibds_batch_finish(struct ibds_batch *batch);

#endif /* _IBDS_BATCH_H */
