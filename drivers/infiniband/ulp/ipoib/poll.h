/* SPDX-License-Identifier: GPL-2.0 */
/* What all polls of a completion queue by NAPI have in common. */
#ifndef _IPOIB_POLL_H
#define _IPOIB_POLL_H

#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>

/* Completions taken off a CQ in one go. */
#define IPOIB_POLL_BATCH	16

/*
 * The end of a poll that took @work completions, and what it returns. When it has
 * seen the CQ empty the next completion is announced; one that came in between
 * never will be, so there is another poll.
 */
static inline int ipoib_poll_end(struct napi_struct *napi, struct ib_cq *cq,
				 int work, int budget)
{
	if (work >= budget)
		return budget;

	if (napi_complete_done(napi, work) &&
	    ib_req_notify_cq(cq, IB_CQ_NEXT_COMP |
				 IB_CQ_REPORT_MISSED_EVENTS) > 0)
		napi_schedule(napi);
	return work;
}

/* A poll that no completion asks for. Process context. */
static inline void ipoib_poll_soon(struct napi_struct *napi)
{
	/* To enable them runs the softirq that was raised meanwhile. */
	local_bh_disable();
	napi_schedule(napi);
	local_bh_enable();
}

#endif /* _IPOIB_POLL_H */
