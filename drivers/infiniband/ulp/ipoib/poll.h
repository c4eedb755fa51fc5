/* SPDX-License-Identifier: GPL-2.0 */
/* Parts that all NAPI polls of a completion queue share. */
#ifndef _IPOIB_POLL_H
#define _IPOIB_POLL_H

#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>

/* Completions that one ib_poll_cq() may return. */
#define IPOIB_POLL_BATCH	16

/*
 * End a poll that has handled @work completions, and return the value that the poll function
 * has to return. If the budget is not used up, the CQ was empty and is armed for the next
 * completion. No interrupt tells of a completion that came before the CQ was armed, so the
 * poll is scheduled again if there may be one.
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

/* Schedule a poll without a completion. Process context. */
static inline void ipoib_poll_soon(struct napi_struct *napi)
{
	/*
	 * napi_schedule() in process context only raises the softirq, which would then wait
	 * for the next interrupt. local_bh_enable() runs it at once.
	 */
	local_bh_disable();
	napi_schedule(napi);
	local_bh_enable();
}

#endif /* _IPOIB_POLL_H */
