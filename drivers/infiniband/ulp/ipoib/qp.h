/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The UD QP of an interface and its two completion queues, the address handles that it sends
 * with, and what all polls of a completion queue share.
 */
#ifndef _IPOIB_QP_H
#define _IPOIB_QP_H

#include <linux/if_ether.h>
#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/rcupdate.h>
#include <rdma/ib_verbs.h>

/**
 * struct ipoib_qp - UD QP with its CQs
 * @ib: the QP. Its number is part of the link-layer address, so the QP lives as long as the
 *	interface, unless ipoib_qp_renew() has to replace it
 * @qpn: number of the QP
 * @pd: protection domain
 * @send_cq: completions of sends
 * @recv_cq: completions of receives
 *
 * A part of the interface, ipoib_qp_dev(): made in ndo_init and destroyed with the net_device.
 * The device changes its state, under the device's lock.
 */
struct ipoib_qp {
	struct ib_qp *ib;
	u32 qpn;
	struct ib_pd *pd;
	struct ib_cq *send_cq;
	struct ib_cq *recv_cq;
};

/**
 * struct ipoib_ah - address handle of one peer
 * @ib: the verbs object
 * @dlid: LID that it leads to; 0 on RoCE
 * @dmac: MAC address that it leads to, on RoCE only
 * @sl: service level
 * @hop_limit: that of the GRH; 0 without one
 * @rate: packets go no faster, Mbit/s; 0 if only the port limits them
 * @mtu: longest IP packet that the path carries, octets; UINT_MAX by ipoib_ah_new(), and
 *	constant once the handle is published
 * @rcu: waits for a grace period, after which no send can pick the handle up
 * @retired: entry of the send ring's list of retired handles
 * @index: the ring may free the handle when its tail has come this far
 * @ring: the send ring that retires it
 *
 * A peer makes a handle by ipoib_ah_new(), publishes it under RCU, and passes it to the send
 * ring when it has a newer one. A provider may read the handle until the last send that names
 * it has completed (soft-RoCE does).
 */
struct ipoib_ah {
	struct ib_ah *ib;
	u32 dlid;
	u8 dmac[ETH_ALEN];
	u8 sl;
	u8 hop_limit;
	u32 rate;
	unsigned int mtu;
	struct rcu_head rcu;
	struct list_head retired;
	u32 index;
	void *ring;
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
int ipoib_qp_error(struct ipoib_qp *qp);
int ipoib_qp_reset(struct ipoib_qp *qp);

int ipoib_qp_attach(struct ipoib_qp *qp, union ib_gid *mgid, u16 mlid);
int ipoib_qp_detach(struct ipoib_qp *qp, union ib_gid *mgid, u16 mlid);

struct ipoib_ah *ipoib_ah_new(struct ib_pd *pd, struct rdma_ah_attr *attr);
void ipoib_ah_free(struct ipoib_ah *ah);

#endif /* _IPOIB_QP_H */
