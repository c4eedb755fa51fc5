// SPDX-License-Identifier: GPL-2.0
#include "qp.h"

#include <linux/etherdevice.h>
#include <linux/slab.h>

#include "device.h"
#include "stats.h"

static void qp_event(struct ib_event *event, void *ctx)
{
	switch (event->event) {
	case IB_EVENT_QP_FATAL:
	case IB_EVENT_QP_REQ_ERR:
	case IB_EVENT_QP_ACCESS_ERR:
		ipoib_dev_kick(ctx, IPOIB_DEV_QP_FAILED);
		break;
	default:
		break;
	}
}

/* A CQ has overflowed or failed. It delivers no completions of its QP any more. */
static void qp_cq_event(struct ib_event *event, void *ctx)
{
	ipoib_dev_kick(ctx, IPOIB_DEV_CQ_FAILED);
}

/*
 * Newer versions of soft-RoCE call send_done() and recv_done() with the lock of the CQ held and
 * interrupts off. Polling the CQ here, or enabling bottom halves, would deadlock.
 */
static void send_done(struct ib_cq *cq, void *ctx)
{
	struct ipoib_dev *idev = ctx;

	napi_schedule(&idev->tx.napi);
}

static void recv_done(struct ib_cq *cq, void *ctx)
{
	struct ipoib_dev *idev = ctx;

	napi_schedule(&idev->rx.napi);
}

/**
 * ipoib_qp_vector - choose the completion vector of the next CQ
 * @ibdev: the device
 *
 * Vectors are taken in turn rather than at random, so that the two CQs of an interface, and the
 * two that its connections share, interrupt different CPUs if the device has more than one
 * vector.
 *
 * Return: a completion vector.
 * Context: Any.
 */
u32 ipoib_qp_vector(const struct ib_device *ibdev)
{
	static atomic_t queues;

	return (u32)atomic_inc_return(&queues) % ibdev->num_comp_vectors;
}

static struct ib_cq *cq_new(struct ipoib_qp *qp, ib_comp_handler done, u32 cqe)
{
	struct ib_device *ibdev = qp->pd->device;
	struct ib_cq_init_attr attr = {
		.cqe = cqe,
		.comp_vector = ipoib_qp_vector(ibdev),
	};

	return ib_create_cq(ibdev, done, qp_cq_event, ipoib_qp_dev(qp), &attr);
}

/**
 * ipoib_qp_type_works - find out whether a device has queue pairs of a type
 * @pd: a protection domain of the device
 * @type: the type
 *
 * Makes one to find out, since no attribute of a device tells. irdma, for one, has no UC.
 *
 * Return: true if a queue pair could be made, or if memory was too short to try.
 * Context: Process context, may sleep.
 */
bool ipoib_qp_type_works(struct ib_pd *pd, enum ib_qp_type type)
{
	struct ib_cq_init_attr cq_attr = { .cqe = 2 };
	struct ib_qp_init_attr attr = {
		.qp_type	= type,
		.sq_sig_type	= IB_SIGNAL_REQ_WR,
		.cap = {
			.max_send_wr	= 1,
			.max_recv_wr	= 1,
			.max_send_sge	= 1,
			.max_recv_sge	= 1,
		},
	};
	struct ib_qp *qp;
	struct ib_cq *cq;

	cq = ib_create_cq(pd->device, NULL, NULL, NULL, &cq_attr);
	if (IS_ERR(cq))
		return true;

	attr.send_cq = cq;
	attr.recv_cq = cq;
	qp = ib_create_qp(pd, &attr);
	if (!IS_ERR(qp))
		ib_destroy_qp(qp);
	ib_destroy_cq(cq);
	return !IS_ERR(qp) || PTR_ERR(qp) == -ENOMEM;
}

/*
 * Create QP and CQs and store them in @qp. On failure @qp is not changed, so that
 * ipoib_qp_renew() still has the old ones.
 */
static int objects_new(struct ipoib_qp *qp)
{
	struct ipoib_dev *idev = ipoib_qp_dev(qp);
	struct ib_cq *send_cq, *recv_cq;
	struct ib_qp_init_attr attr = {
		.event_handler	= qp_event,
		.qp_context	= idev,
		.qp_type	= IB_QPT_UD,
		.sq_sig_type	= IB_SIGNAL_REQ_WR,
		.port_num	= idev->fabric.port,
		.cap = {
			.max_send_wr	= IPOIB_UD_TX_SLOTS,
			.max_recv_wr	= IPOIB_UD_RX_SLOTS,
			.max_send_sge	= idev->tx.ring.max_sge,
			.max_recv_sge	= ipoib_ud_rx_sges(idev->rx.longest),
		},
	};
	struct ib_qp *ib;
	int err;

	send_cq = cq_new(qp, send_done, IPOIB_UD_TX_SLOTS);
	if (IS_ERR(send_cq))
		return PTR_ERR(send_cq);

	recv_cq = cq_new(qp, recv_done, IPOIB_UD_RX_SLOTS);
	if (IS_ERR(recv_cq)) {
		err = PTR_ERR(recv_cq);
		goto err_send_cq;
	}

	attr.send_cq = send_cq;
	attr.recv_cq = recv_cq;
	/*
	 * A provider may refuse to create a QP with a flag that it does not know, so each flag
	 * is set only if the device has the capability. Without UD_LSO mlx5 looks at no
	 * checksum either.
	 */
	if (qp->pd->device->attrs.kernel_cap_flags & IBK_BLOCK_MULTICAST_LOOPBACK)
		attr.create_flags |= IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK;
	if (!idev->fabric.lower && (qp->pd->device->attrs.kernel_cap_flags & IBK_UD_TSO))
		attr.create_flags |= IB_QP_CREATE_IPOIB_UD_LSO;
	ib = ib_create_qp(qp->pd, &attr);
	if (IS_ERR(ib)) {
		err = PTR_ERR(ib);
		goto err_recv_cq;
	}

	qp->ib = ib;
	qp->send_cq = send_cq;
	qp->recv_cq = recv_cq;
	ipoib_moder_set_cq(&idev->tx.moder, send_cq);
	ipoib_moder_set_cq(&idev->rx.moder, recv_cq);
	WRITE_ONCE(qp->qpn, ib->qp_num);
	ipoib_object_created(IPOIB_OBJ_QP);
	return 0;

err_recv_cq:
	ib_destroy_cq(recv_cq);
err_send_cq:
	ib_destroy_cq(send_cq);
	return err;
}

static void objects_free(struct ib_qp *ib, struct ib_cq *send_cq,
			 struct ib_cq *recv_cq)
{
	ib_destroy_qp(ib);
	ib_destroy_cq(recv_cq);
	ib_destroy_cq(send_cq);
	ipoib_object_destroyed(IPOIB_OBJ_QP);
}

/**
 * ipoib_qp_init - create the UD QP and its CQs
 * @qp: result; a part of an interface that knows its port, how long a packet it may receive, and
 *	how many pieces of one it may send
 *
 * The HCA is told not to loop the QP's own multicast back, if it can do that. Otherwise the
 * receive ring drops those packets.
 *
 * The QP stays in the RESET state until ipoib_qp_arm().
 *
 * Return: 0 or the error of the provider.
 * Context: Process context, may sleep.
 */
int ipoib_qp_init(struct ipoib_qp *qp)
{
	qp->pd = ipoib_qp_dev(qp)->config.pd;
	return objects_new(qp);
}

/**
 * ipoib_qp_renew - replace a QP and CQs that cannot be brought back
 * @qp: in any state, detached from all groups; no NAPI runs on its CQs
 *
 * After success the HCA owns no work request that was posted to the old QP. The new QP has
 * another number and is in the RESET state.
 *
 * Return: 0; or the error of the provider, and @qp still has the old QP and CQs.
 * Context: Process context, may sleep.
 */
int ipoib_qp_renew(struct ipoib_qp *qp)
{
	struct ib_cq *send_cq = qp->send_cq, *recv_cq = qp->recv_cq;
	struct ib_qp *ib = qp->ib;
	int err;

	err = objects_new(qp);
	if (err)
		return err;
	objects_free(ib, send_cq, recv_cq);
	return 0;
}

/**
 * ipoib_qp_exit - destroy the UD QP and its CQs
 * @qp: in the RESET state, detached from all groups; no NAPI runs on its CQs
 *
 * Context: Process context, may sleep.
 */
void ipoib_qp_exit(struct ipoib_qp *qp)
{
	struct ipoib_dev *idev = ipoib_qp_dev(qp);

	ipoib_moder_set_cq(&idev->tx.moder, NULL);
	ipoib_moder_set_cq(&idev->rx.moder, NULL);
	objects_free(qp->ib, qp->send_cq, qp->recv_cq);
}

/**
 * ipoib_qp_arm - move the QP from RESET to INIT, so that it may be attached to groups
 * @qp: in the RESET state
 * @pkey_index: index of the link's P_Key in the table of the port
 *
 * In the INIT state the QP receives nothing, so the Q_Key of 0 that is set here lets no packet
 * in. ipoib_qp_start() sets the Q_Key of the link (RFC 4391 section 4.1).
 *
 * Return: 0 or the error of the provider.
 * Context: Process context, may sleep.
 */
int ipoib_qp_arm(struct ipoib_qp *qp, u16 pkey_index)
{
	struct ib_qp_attr attr = {
		.qp_state	= IB_QPS_INIT,
		.pkey_index	= pkey_index,
		.port_num	= ipoib_qp_dev(qp)->fabric.port,
		.qkey		= 0,
	};

	return ib_modify_qp(qp->ib, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX |
			    IB_QP_PORT | IB_QP_QKEY);
}

/**
 * ipoib_qp_start - move the QP from INIT to RTS, so that it sends and receives
 * @qp: in the INIT state
 * @pkey_index: index of the link's P_Key in the table of the port
 * @qkey: Q_Key of the link
 *
 * Return: 0 or the error of the provider.
 * Context: Process context, may sleep.
 */
int ipoib_qp_start(struct ipoib_qp *qp, u16 pkey_index, u32 qkey)
{
	struct ib_qp_attr attr = {
		.qp_state	= IB_QPS_RTR,
		.pkey_index	= pkey_index,
		.qkey		= qkey,
	};
	int err;

	err = ib_modify_qp(qp->ib, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX |
			   IB_QP_QKEY);
	if (err)
		return err;

	attr.qp_state = IB_QPS_RTS;
	attr.sq_psn = 0;
	return ib_modify_qp(qp->ib, &attr, IB_QP_STATE | IB_QP_SQ_PSN);
}

/**
 * ipoib_qp_only_sends_failed - find out whether the QP is in the SQE state
 * @qp: the QP, which has failed
 *
 * IBTA 10.3.1.7: a datagram send that fails stops the send queue only, and the QP still
 * receives. soft-RoCE and irdma move the whole QP to the error state
 * instead.
 *
 * Return: true if ipoib_qp_resume() may bring the send queue back.
 * Context: Process context, may sleep.
 */
bool ipoib_qp_only_sends_failed(struct ipoib_qp *qp)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;

	return !ib_query_qp(qp->ib, &attr, IB_QP_STATE, &init) &&
	       attr.qp_state == IB_QPS_SQE;
}

/**
 * ipoib_qp_resume - move the QP from SQE to RTS, so that it sends again
 * @qp: in the SQE state; all sends that were posted have completed
 *
 * Return: 0 or the error of the provider.
 * Context: Process context, may sleep.
 */
int ipoib_qp_resume(struct ipoib_qp *qp)
{
	struct ib_qp_attr attr = {
		.qp_state	= IB_QPS_RTS,
		.cur_qp_state	= IB_QPS_SQE,
	};

	return ib_modify_qp(qp->ib, &attr, IB_QP_STATE | IB_QP_CUR_STATE);
}

/**
 * ipoib_qp_error - move the QP to the error state, which flushes its work requests
 * @qp: the QP, in any state
 *
 * Return: 0 or the error of the provider.
 * Context: Process context, may sleep.
 */
int ipoib_qp_error(struct ipoib_qp *qp)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };

	return ib_modify_qp(qp->ib, &attr, IB_QP_STATE);
}

/**
 * ipoib_qp_reset - move the QP to RESET, where the HCA owns no work request any more
 * @qp: the QP, in any state
 *
 * Return: 0 or the error of the provider.
 * Context: Process context, may sleep.
 */
int ipoib_qp_reset(struct ipoib_qp *qp)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RESET };

	return ib_modify_qp(qp->ib, &attr, IB_QP_STATE);
}

/**
 * ipoib_qp_attach - let the QP receive packets to a group
 * @qp: in any state but RESET
 * @mgid: MGID of the group
 * @mlid: LID of the group, ignored on RoCE
 *
 * Return: 0 or the error of the provider.
 * Context: Process context, may sleep.
 */
int ipoib_qp_attach(struct ipoib_qp *qp, union ib_gid *mgid, u16 mlid)
{
	return ib_attach_mcast(qp->ib, mgid, mlid);
}

/**
 * ipoib_qp_detach - undo ipoib_qp_attach()
 * @qp: attached to the group; in any state
 * @mgid: MGID of the group
 * @mlid: LID of the group, ignored on RoCE
 *
 * Return: 0 or the error of the provider.
 * Context: Process context, may sleep.
 */
int ipoib_qp_detach(struct ipoib_qp *qp, union ib_gid *mgid, u16 mlid)
{
	return ib_detach_mcast(qp->ib, mgid, mlid);
}

/**
 * ipoib_ah_new - create an address handle
 * @pd: protection domain of the QP that will send with it
 * @attr: address vector, complete; on RoCE the destination MAC is resolved
 *
 * Return: the handle or an ERR_PTR(): -ENOMEM or what the provider says.
 * Context: Process context, may sleep.
 */
struct ipoib_ah *ipoib_ah_new(struct ib_pd *pd, struct rdma_ah_attr *attr)
{
	struct ipoib_ah *ah;
	struct ib_ah *ib;

	ah = kzalloc(sizeof(*ah), GFP_KERNEL);
	if (!ah)
		return ERR_PTR(-ENOMEM);

	ib = rdma_create_ah(pd, attr, RDMA_CREATE_AH_SLEEPABLE);
	if (IS_ERR(ib)) {
		kfree(ah);
		return ERR_CAST(ib);
	}

	ah->ib = ib;
	ah->mtu = UINT_MAX;
	ah->dlid = rdma_ah_get_dlid(attr);
	ah->sl = rdma_ah_get_sl(attr);
	ah->rate = max(ib_rate_to_mbps(rdma_ah_get_static_rate(attr)), 0);
	if (rdma_ah_get_ah_flags(attr) & IB_AH_GRH)
		ah->hop_limit = rdma_ah_read_grh(attr)->hop_limit;
	if (attr->type == RDMA_AH_ATTR_TYPE_ROCE)
		ether_addr_copy(ah->dmac, attr->roce.dmac);
	ipoib_object_created(IPOIB_OBJ_AH);
	return ah;
}

/**
 * ipoib_ah_free - destroy an address handle
 * @ah: handle that no send in flight names; NULL is fine
 *
 * Context: Process context, may sleep.
 */
void ipoib_ah_free(struct ipoib_ah *ah)
{
	if (!ah)
		return;

	rdma_destroy_ah(ah->ib, RDMA_DESTROY_AH_SLEEPABLE);
	kfree(ah);
	ipoib_object_destroyed(IPOIB_OBJ_AH);
}
