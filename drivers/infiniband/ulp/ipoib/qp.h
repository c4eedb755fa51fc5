/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The UD QPs of an interface and their completion queues, and what all polls of a completion queue
 * share.
 */
#ifndef _IPOIB_QP_H
#define _IPOIB_QP_H

#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>

struct ipoib_dev;
struct ipoib_ud_rx;
struct ipoib_ud_tx;

/**
 * struct ipoib_qp - UD QP with its CQs
 * @ib: the QP
 * @qpn: number of the QP
 * @pd: protection domain
 * @send_cq: completions of sends
 * @recv_cq: completions of receives; @send_cq if there are none
 * @idev: the interface
 * @tx: the ring of sends
 * @rx: the ring of receives; NULL if the QP only sends
 *
 * The QP that receives is a part of the interface. Its number is in the link-layer address, so it
 * is made in ndo_init and destroyed with the net_device, unless ipoib_qp_renew() has to replace
 * it. QPs that only send are parts of channels, and exist only while packets are sent.
 *
 * The device changes the state, under the device's lock.
 */
struct ipoib_qp {
	struct ib_qp *ib;
	u32 qpn;
	struct ib_pd *pd;
	struct ib_cq *send_cq;
	struct ib_cq *recv_cq;
	struct ipoib_dev *idev;
	struct ipoib_ud_tx *tx;
	struct ipoib_ud_rx *rx;
};

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

u32 ipoib_qp_vector(const struct ib_device *ibdev);
bool ipoib_qp_type_works(struct ib_pd *pd, enum ib_qp_type type);
int ipoib_qp_init(struct ipoib_qp *qp);
int ipoib_qp_renew(struct ipoib_qp *qp);
void ipoib_qp_exit(struct ipoib_qp *qp);

int ipoib_qp_arm(struct ipoib_qp *qp, u16 pkey_index);
int ipoib_qp_start(struct ipoib_qp *qp, u16 pkey_index, u32 qkey);
bool ipoib_qp_only_sends_failed(struct ipoib_qp *qp);
int ipoib_qp_resume(struct ipoib_qp *qp);
int ipoib_qp_move(struct ipoib_qp *qp, enum ib_qp_state state);

int ipoib_qp_attach(struct ipoib_qp *qp, union ib_gid *mgid, u16 mlid);
int ipoib_qp_detach(struct ipoib_qp *qp, union ib_gid *mgid, u16 mlid);

#endif /* _IPOIB_QP_H */
