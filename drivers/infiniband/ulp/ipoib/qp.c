// SPDX-License-Identifier: GPL-2.0
#include "qp.h"

#include "device.h"
#include "stats.h"

static void qp_event(struct ib_event *event, void *ctx)
{
	struct ipoib_qp *qp = ctx;

	switch (event->event) {
	case IB_EVENT_QP_FATAL:
	case IB_EVENT_QP_REQ_ERR:
	case IB_EVENT_QP_ACCESS_ERR:
		ipoib_ud_tx_failed(qp->tx);
		break;
	default:
		break;
	}
}

/* A CQ has overflowed or failed. It delivers no completions of its QP any more. */
static void qp_cq_event(struct ib_event *event, void *ctx)
{
	struct ipoib_qp *qp = ctx;

	if (qp->rx)
		ipoib_dev_kick(qp->idev, IPOIB_DEV_CQ_FAILED);
	else
		ipoib_ud_tx_failed(qp->tx);
}

/*
 * Newer versions of soft-RoCE call send_done() and recv_done() with the lock of the CQ held and
 * interrupts off. Polling the CQ here, or enabling bottom halves, would deadlock.
 */
static void send_done(struct ib_cq *cq, void *ctx)
{
	struct ipoib_qp *qp = ctx;

	napi_schedule(&qp->tx->napi);
}

static void recv_done(struct ib_cq *cq, void *ctx)
{
	struct ipoib_qp *qp = ctx;

	napi_schedule(&qp->rx->napi);
}

/**
 * ipoib_qp_vector - choose the completion vector of the next CQ
 * @ibdev: the device
 *
 * Vectors are taken in turn rather than at random, so that the CQs of an interface and those that
 * its connections share interrupt different CPUs, as far as the device has vectors. Each device
 * has a turn of its own, but for those whose numbers differ by sixteen: what begins on two at once,
 * as at both ends of a connection, would otherwise get every second vector.
 *
 * Return: a completion vector.
 * Context: Any.
 */
u32 ipoib_qp_vector(const struct ib_device *ibdev)
{
	static atomic_t queues[16];
	u32 turn = atomic_inc_return(&queues[ibdev->index % ARRAY_SIZE(queues)]);

	return turn % ibdev->num_comp_vectors;
}

static struct ib_cq *cq_new(struct ipoib_qp *qp, ib_comp_handler done, u32 cqe)
{
	struct ib_device *ibdev = qp->pd->device;
	struct ib_cq_init_attr attr = {
		.cqe = cqe,
		.comp_vector = ipoib_qp_vector(ibdev),
	};

	return ib_create_cq(ibdev, done, qp_cq_event, qp, &attr);
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

/* The receive CQ of a QP that only sends is never used: verbs want one all the same. */
static struct ib_cq *recv_cq_new(struct ipoib_qp *qp, struct ib_cq *send_cq)
{
	if (!qp->rx)
		return send_cq;
	return cq_new(qp, recv_done, ipoib_ud_rx_most(qp->pd->device));
}

static void cqs_free(struct ib_cq *send_cq, struct ib_cq *recv_cq)
{
	if (recv_cq != send_cq)
		ib_destroy_cq(recv_cq);
	ib_destroy_cq(send_cq);
}

/*
 * A provider may refuse to create a QP with a flag that it does not know, so each flag is set only
 * if the device has the capability. Without UD_LSO mlx5 looks at no checksum either.
 */
static u32 create_flags(const struct ipoib_qp *qp)
{
	u64 caps = qp->pd->device->attrs.kernel_cap_flags;
	u32 flags = 0;

	if (qp->rx && (caps & IBK_BLOCK_MULTICAST_LOOPBACK))
		flags |= IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK;
	if (!qp->idev->fabric.lower && (caps & IBK_UD_TSO))
		flags |= IB_QP_CREATE_IPOIB_UD_LSO;
	return flags;
}

static struct ib_qp *ib_new(struct ipoib_qp *qp, struct ib_cq *send_cq, struct ib_cq *recv_cq)
{
	struct ib_qp_init_attr attr = {
		.event_handler	= qp_event,
		.qp_context	= qp,
		.qp_type	= IB_QPT_UD,
		.sq_sig_type	= IB_SIGNAL_REQ_WR,
		.port_num	= qp->idev->fabric.port,
		.send_cq	= send_cq,
		.recv_cq	= recv_cq,
		.create_flags	= create_flags(qp),
		.cap = {
			.max_send_wr	= IPOIB_UD_TX_SLOTS,
			.max_send_sge	= qp->tx->ring.max_sge,
		},
	};

	if (qp->rx) {
		attr.cap.max_recv_wr = ipoib_ud_rx_most(qp->pd->device);
		attr.cap.max_recv_sge = ipoib_ud_rx_sges(qp->rx->longest);
	}
	return ib_create_qp(qp->pd, &attr);
}

/*
 * Create QP and CQs and store them in @qp. On failure @qp is not changed, so that
 * ipoib_qp_renew() still has the old ones.
 */
static int objects_new(struct ipoib_qp *qp)
{
	struct ib_cq *send_cq, *recv_cq;
	struct ib_qp *ib;

	send_cq = cq_new(qp, send_done, IPOIB_UD_TX_SLOTS);
	if (IS_ERR(send_cq))
		return PTR_ERR(send_cq);

	recv_cq = recv_cq_new(qp, send_cq);
	if (IS_ERR(recv_cq)) {
		ib_destroy_cq(send_cq);
		return PTR_ERR(recv_cq);
	}

	ib = ib_new(qp, send_cq, recv_cq);
	if (IS_ERR(ib)) {
		cqs_free(send_cq, recv_cq);
		return PTR_ERR(ib);
	}

	qp->ib = ib;
	qp->send_cq = send_cq;
	qp->recv_cq = recv_cq;
	ipoib_moder_set_cq(&qp->tx->moder, send_cq);
	if (qp->rx)
		ipoib_moder_set_cq(&qp->rx->moder, recv_cq);
	WRITE_ONCE(qp->qpn, ib->qp_num);
	ipoib_object_created(IPOIB_OBJ_QP);
	return 0;
}

static void objects_free(struct ib_qp *ib, struct ib_cq *send_cq,
			 struct ib_cq *recv_cq)
{
	/*
	 * Only groups use the QP. If the HCA refused to detach it from one, the RDMA core would
	 * take it for in use, and not even ask the HCA to destroy it.
	 */
	atomic_set(&ib->usecnt, 0);
	ib_destroy_qp(ib);
	cqs_free(send_cq, recv_cq);
	ipoib_object_destroyed(IPOIB_OBJ_QP);
}

/**
 * ipoib_qp_init - create a UD QP and its CQs
 * @qp: @idev, @tx and @rx are set; the interface knows its port, and the rings how long a packet
 *	they may receive, and how many pieces of one they may send
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
	qp->pd = qp->idev->config.pd;
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
	/* A poll that has ended for napi_disable() may still be about to arm the old CQ. */
	synchronize_net();
	objects_free(ib, send_cq, recv_cq);
	return 0;
}

/**
 * ipoib_qp_exit - destroy a UD QP and its CQs
 * @qp: detached from all groups; no NAPI runs on its CQs
 *
 * After this the HCA owns no work request that was posted to @qp.
 *
 * Context: Process context, may sleep.
 */
void ipoib_qp_exit(struct ipoib_qp *qp)
{
	ipoib_moder_set_cq(&qp->tx->moder, NULL);
	if (qp->rx)
		ipoib_moder_set_cq(&qp->rx->moder, NULL);
	objects_free(qp->ib, qp->send_cq, qp->recv_cq);
}

/* An HCA that has more than the @most completions a queue was made for is sick: do not wait. */
static void forget_completions(struct ipoib_qp *qp, struct ib_cq *cq, u32 most)
{
	u32 done = 0;
	int n;

	do {
		n = ib_poll_cq(cq, IPOIB_POLL_BATCH, qp->tx->wc);
		done += max(n, 0);
	} while (n == IPOIB_POLL_BATCH && done < most);
}

/**
 * ipoib_qp_arm - move the QP from RESET to INIT, so that it may be attached to groups
 * @qp: in the RESET state; no NAPI runs on its CQs
 * @pkey_index: index of the link's P_Key in the table of the port
 *
 * In the INIT state the QP receives nothing, so the Q_Key of 0 that is set here lets no packet
 * in. ipoib_qp_start() sets the Q_Key of the link (RFC 4391 section 4.1).
 *
 * rdmavt, which qib and hfi1 are made with, leaves completions from before a reset in the CQs, as
 * many as the QP did not give back in time. CQs have room for what is posted at a time, so these
 * are taken out before anything is posted.
 *
 * Return: 0 or the error of the provider.
 * Context: Process context, may sleep.
 */
int ipoib_qp_arm(struct ipoib_qp *qp, u16 pkey_index)
{
	struct ib_qp_attr attr = {
		.qp_state	= IB_QPS_INIT,
		.pkey_index	= pkey_index,
		.port_num	= qp->idev->fabric.port,
		.qkey		= 0,
	};

	forget_completions(qp, qp->send_cq, IPOIB_UD_TX_SLOTS);
	if (qp->rx)
		forget_completions(qp, qp->recv_cq, ipoib_ud_rx_most(qp->pd->device));
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
 * ipoib_qp_move - move the QP to a state that may follow any other
 * @qp: the QP, in any state
 * @state: IB_QPS_ERR, which flushes its work requests; or IB_QPS_RESET, where the HCA owns none
 *	of them any more
 *
 * Return: 0 or the error of the provider.
 * Context: Process context, may sleep.
 */
int ipoib_qp_move(struct ipoib_qp *qp, enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state };

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
