// SPDX-License-Identifier: GPL-2.0
#include "qp.h"

#include "stats.h"

static void qp_event(struct ib_event *event, void *ctx)
{
	struct ipoib_qp *qp = ctx;

	switch (event->event) {
	case IB_EVENT_QP_FATAL:
	case IB_EVENT_QP_REQ_ERR:
	case IB_EVENT_QP_ACCESS_ERR:
		qp->failed(qp->failed_ctx);
		break;
	default:
		break;
	}
}

/* A CQ that overflowed or broke: its QP gets no completions any more. */
static void cq_event(struct ib_event *event, void *ctx)
{
	struct ipoib_qp *qp = ctx;

	qp->failed(qp->failed_ctx);
}

/*
 * Newer soft-RoCE calls these with its CQ lock held and interrupts off: to
 * poll here, or to enable bottom halves, would deadlock.
 */
static void send_done(struct ib_cq *cq, void *ctx)
{
	struct ipoib_qp *qp = ctx;

	napi_schedule(qp->send_napi);
}

static void recv_done(struct ib_cq *cq, void *ctx)
{
	struct ipoib_qp *qp = ctx;

	napi_schedule(qp->recv_napi);
}

static struct ib_cq *cq_new(struct ipoib_qp *qp, ib_comp_handler done, u32 cqe)
{
	struct ib_device *ibdev = qp->pd->device;
	struct ib_cq_init_attr attr = { .cqe = cqe };

	/* Spread the interfaces of a device over its interrupt vectors. */
	attr.comp_vector = get_random_u32_below(ibdev->num_comp_vectors);
	return ib_create_cq(ibdev, done, cq_event, qp, &attr);
}

/**
 * ipoib_qp_init - create the UD QP and its CQs
 * @qp: result
 * @config: sizes, protection domain, up-calls
 *
 * The QP stays in the RESET state until ipoib_qp_arm().
 *
 * Return: 0 or what the provider says.
 * Context: Process context, may sleep.
 */
int ipoib_qp_init(struct ipoib_qp *qp, const struct ipoib_qp_config *config)
{
	struct ib_qp_init_attr attr = {
		.event_handler	= qp_event,
		.qp_context	= qp,
		.qp_type	= IB_QPT_UD,
		.sq_sig_type	= IB_SIGNAL_REQ_WR,
		.port_num	= config->port,
		.cap = {
			.max_send_wr	= config->send_wr,
			.max_recv_wr	= config->recv_wr,
			.max_send_sge	= config->max_send_sge,
			.max_recv_sge	= config->recv_sge,
		},
	};
	int err;

	qp->pd = config->pd;
	qp->port = config->port;
	qp->send_napi = config->send_napi;
	qp->recv_napi = config->recv_napi;
	qp->failed = config->failed;
	qp->failed_ctx = config->failed_ctx;

	qp->send_cq = cq_new(qp, send_done, config->send_wr);
	if (IS_ERR(qp->send_cq))
		return PTR_ERR(qp->send_cq);

	qp->recv_cq = cq_new(qp, recv_done, config->recv_wr);
	if (IS_ERR(qp->recv_cq)) {
		err = PTR_ERR(qp->recv_cq);
		goto err_send_cq;
	}

	attr.send_cq = qp->send_cq;
	attr.recv_cq = qp->recv_cq;
	qp->ib = ib_create_qp(qp->pd, &attr);
	if (IS_ERR(qp->ib)) {
		err = PTR_ERR(qp->ib);
		goto err_recv_cq;
	}

	ipoib_object_created(IPOIB_OBJ_QP);
	return 0;

err_recv_cq:
	ib_destroy_cq(qp->recv_cq);
err_send_cq:
	ib_destroy_cq(qp->send_cq);
	return err;
}

/**
 * ipoib_qp_exit - destroy the UD QP and its CQs
 * @qp: in the RESET state, detached from all groups; no NAPI runs on its CQs
 *
 * Context: Process context, may sleep.
 */
void ipoib_qp_exit(struct ipoib_qp *qp)
{
	ib_destroy_qp(qp->ib);
	ib_destroy_cq(qp->recv_cq);
	ib_destroy_cq(qp->send_cq);
	ipoib_object_destroyed(IPOIB_OBJ_QP);
}

/**
 * ipoib_qp_arm - RESET to INIT: the QP may be attached to groups
 * @qp: in the RESET state
 * @pkey_index: where the P_Key of the link stands in the port's table
 *
 * Until ipoib_qp_start() knows the Q_Key of the link (RFC 4391 section 4.1)
 * the QP receives nothing, so that nobody can use a guessed one.
 *
 * Return: 0 or what the provider says.
 * Context: Process context, may sleep.
 */
int ipoib_qp_arm(struct ipoib_qp *qp, u16 pkey_index)
{
	struct ib_qp_attr attr = {
		.qp_state	= IB_QPS_INIT,
		.pkey_index	= pkey_index,
		.port_num	= qp->port,
		.qkey		= 0,
	};

	return ib_modify_qp(qp->ib, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX |
			    IB_QP_PORT | IB_QP_QKEY);
}

/**
 * ipoib_qp_start - INIT to RTS: the QP sends and receives
 * @qp: in the INIT state
 * @pkey_index: where the P_Key of the link stands in the port's table
 * @qkey: Q_Key of the link
 *
 * Return: 0 or what the provider says.
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
 * ipoib_qp_error - any state to ERR: work requests come back flushed
 * @qp: the QP
 *
 * Return: 0 or what the provider says.
 * Context: Process context, may sleep.
 */
int ipoib_qp_error(struct ipoib_qp *qp)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };

	return ib_modify_qp(qp->ib, &attr, IB_QP_STATE);
}

/**
 * ipoib_qp_reset - any state to RESET: the QP owns no work request any more
 * @qp: the QP
 *
 * Return: 0 or what the provider says.
 * Context: Process context, may sleep.
 */
int ipoib_qp_reset(struct ipoib_qp *qp)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RESET };

	return ib_modify_qp(qp->ib, &attr, IB_QP_STATE);
}

/**
 * ipoib_qp_attach - receive what is sent to a group
 * @qp: in any state but RESET
 * @mgid: the group
 * @mlid: its LID, ignored on RoCE
 *
 * Return: 0 or what the provider says.
 * Context: Process context, may sleep.
 */
int ipoib_qp_attach(struct ipoib_qp *qp, union ib_gid *mgid, u16 mlid)
{
	return ib_attach_mcast(qp->ib, mgid, mlid);
}

/**
 * ipoib_qp_detach - no longer receive what is sent to a group
 * @qp: attached to the group; in any state
 * @mgid: the group
 * @mlid: its LID, ignored on RoCE
 *
 * Return: 0 or what the provider says.
 * Context: Process context, may sleep.
 */
int ipoib_qp_detach(struct ipoib_qp *qp, union ib_gid *mgid, u16 mlid)
{
	return ib_detach_mcast(qp->ib, mgid, mlid);
}
