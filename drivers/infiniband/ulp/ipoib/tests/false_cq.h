/* SPDX-License-Identifier: GPL-2.0 */
/* A completion queue, and the provider it is of, for suites that poll what they put there. */
#ifndef _IPOIB_TESTS_FALSE_CQ_H
#define _IPOIB_TESTS_FALSE_CQ_H

#include <rdma/ib_verbs.h>

/**
 * struct false_cq - the completion queue
 * @done: completions that have not been polled, the oldest first
 * @waits: how many
 */
static struct false_cq {
	struct ib_wc done[1024];
	unsigned int waits;
} false_cq;

static int false_poll_cq(struct ib_cq *cq, int n, struct ib_wc *wc)
{
	n = min_t(int, n, false_cq.waits);
	memcpy(wc, false_cq.done, n * sizeof(*wc));
	false_cq.waits -= n;
	memmove(false_cq.done, false_cq.done + n, false_cq.waits * sizeof(*wc));
	return n;
}

static int false_req_notify_cq(struct ib_cq *cq, enum ib_cq_notify_flags flags)
{
	return 0;
}

/* An empty completion queue of a device. */
static void false_cq_init(struct ib_device *ibdev, struct ib_cq *cq)
{
	ibdev->ops.poll_cq = false_poll_cq;
	ibdev->ops.req_notify_cq = false_req_notify_cq;
	cq->device = ibdev;
	false_cq.waits = 0;
}

static void false_cq_add(const struct ib_wc *wc)
{
	if (!WARN_ON(false_cq.waits == ARRAY_SIZE(false_cq.done)))
		false_cq.done[false_cq.waits++] = *wc;
}

#endif /* _IPOIB_TESTS_FALSE_CQ_H */
