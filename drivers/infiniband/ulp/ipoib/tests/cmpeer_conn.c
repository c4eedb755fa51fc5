// SPDX-License-Identifier: GPL-2.0
#include "cmpeer.h"

#include <linux/random.h>
#include <linux/string.h>

/* As ipoib has them: a second until our REQ is sent again. */
#define CM_TIMEOUT	18
#define RETRIES		7
#define RNR_TIMER	12
/* RDMA reads at a time, of which we do none: more than any HCA does */
#define READS		255

static const char * const names[CMPEER_STATES] = {
	[CMPEER_NEW]		= "new",
	[CMPEER_LISTENING]	= "listening",
	[CMPEER_REQ_SENT]	= "req_sent",
	[CMPEER_REP_RCVD]	= "rep_rcvd",
	[CMPEER_REQ_RCVD]	= "req_rcvd",
	[CMPEER_REP_SENT]	= "rep_sent",
	[CMPEER_ESTABLISHED]	= "established",
	[CMPEER_DREQ_SENT]	= "dreq_sent",
	[CMPEER_REFUSED]	= "refused",
	[CMPEER_FAILED]		= "failed",
	[CMPEER_ENDED]		= "ended",
	[CMPEER_CLOSED]		= "closed",
	[CMPEER_VANISHED]	= "vanished",
};

static int conn_event(struct ib_cm_id *cm_id, const struct ib_cm_event *event);

/**
 * cmpeer_state_name - a state in words
 * @state: any value
 *
 * Return: a constant string.
 */
const char *cmpeer_state_name(enum cmpeer_state state)
{
	return state < CMPEER_STATES ? names[state] : "?";
}

static void step(struct cmpeer_conn *conn, enum cmpeer_state next)
{
	lockdep_assert_held(&conn->lock);

	/*
	 * What is over stays as it ended. To answer a REP fails if a REJ has
	 * overtaken the answer, and of the REJ the CM tells afterwards.
	 */
	if (conn->state < CMPEER_REFUSED ||
	    (conn->state == CMPEER_FAILED && next == CMPEER_REFUSED))
		WRITE_ONCE(conn->state, next);
}

/* ---- messages ------------------------------------------------------------- */

static int post_recv(struct cmpeer_conn *conn)
{
	struct ib_sge sge = {
		.addr	= conn->dev->in_dma,
		.length	= CMPEER_BUF,
		.lkey	= conn->dev->pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = {
		.wr_cqe		= &conn->recv_cqe,
		.sg_list	= &sge,
		.num_sge	= 1,
	};
	int err;

	err = ib_post_recv(conn->qp, &wr, NULL);
	conn->buffers += !err;
	return err;
}

static int post_send(struct cmpeer_conn *conn)
{
	struct ib_sge sge = {
		.addr	= conn->dev->out_dma,
		.length	= conn->size,
		.lkey	= conn->dev->pd->local_dma_lkey,
	};
	struct ib_send_wr wr = {
		.wr_cqe		= &conn->send_cqe,
		.sg_list	= &sge,
		.num_sge	= 1,
		.opcode		= IB_WR_SEND,
		.send_flags	= IB_SEND_SIGNALED,
	};

	return ib_post_send(conn->qp, &wr, NULL);
}

static void pump(struct cmpeer_conn *conn)
{
	lockdep_assert_held(&conn->ring_lock);

	while (!conn->stopped && conn->to_send &&
	       conn->flying < CMPEER_SENDS) {
		if (post_send(conn)) {
			conn->errors++;
			conn->to_send = 0;
			return;
		}
		conn->to_send--;
		conn->flying++;
	}
}

static bool went_well(struct cmpeer_conn *conn, const struct ib_wc *wc)
{
	if (wc->status == IB_WC_SUCCESS)
		return true;
	if (wc->status != IB_WC_WR_FLUSH_ERR)
		conn->errors++;
	conn->to_send = 0;
	return false;
}

/**
 * cmpeer_recv_done - a message has come
 * @cq: the connection's
 * @wc: what came of it
 *
 * Context: Work of the CQ.
 */
void cmpeer_recv_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct cmpeer_conn *conn = container_of(wc->wr_cqe, struct cmpeer_conn,
						recv_cqe);

	spin_lock(&conn->ring_lock);
	conn->buffers--;
	if (went_well(conn, wc)) {
		conn->received++;
		conn->bytes += wc->byte_len;
		if (!conn->stopped && conn->opt.recv && post_recv(conn))
			conn->errors++;
	}
	spin_unlock(&conn->ring_lock);
}

/**
 * cmpeer_send_done - a message was sent
 * @cq: the connection's
 * @wc: what came of it
 *
 * Context: Work of the CQ.
 */
void cmpeer_send_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct cmpeer_conn *conn = container_of(wc->wr_cqe, struct cmpeer_conn,
						send_cqe);

	spin_lock(&conn->ring_lock);
	conn->flying--;
	if (went_well(conn, wc))
		conn->sent++;
	pump(conn);
	spin_unlock(&conn->ring_lock);
}

/**
 * cmpeer_send - send so many messages more
 * @conn: the connection; nothing happens if it is not established
 * @count: how many
 * @size: octets of each, from the device's buffer
 *
 * Context: Process context.
 */
void cmpeer_send(struct cmpeer_conn *conn, u32 count, u32 size)
{
	mutex_lock(&conn->lock);
	if (conn->state == CMPEER_ESTABLISHED && conn->qp) {
		spin_lock(&conn->ring_lock);
		conn->size = size;
		conn->to_send += count;
		pump(conn);
		spin_unlock(&conn->ring_lock);
	}
	mutex_unlock(&conn->lock);
}

/**
 * cmpeer_take - have buffers for so many messages more
 * @conn: the connection; nothing happens if it is not established
 * @count: how many; those that its queue has no room for are left out
 *
 * Context: Process context.
 */
void cmpeer_take(struct cmpeer_conn *conn, u32 count)
{
	mutex_lock(&conn->lock);
	if (conn->state == CMPEER_ESTABLISHED && conn->qp) {
		spin_lock(&conn->ring_lock);
		while (!conn->stopped && conn->buffers < CMPEER_RECVS && count--)
			if (post_recv(conn))
				conn->errors++;
		spin_unlock(&conn->ring_lock);
	}
	mutex_unlock(&conn->lock);
}

/* ---- the QP --------------------------------------------------------------- */

static int qp_new(struct cmpeer_conn *conn)
{
	struct ib_qp_init_attr attr = {
		.qp_type	= conn->type,
		.sq_sig_type	= IB_SIGNAL_REQ_WR,
		.cap		= {
			.max_send_wr	= CMPEER_SENDS,
			.max_recv_wr	= CMPEER_RECVS,
			.max_send_sge	= 1,
			.max_recv_sge	= 1,
		},
	};
	int err;

	conn->cq = ib_alloc_cq(conn->dev->ibdev, conn,
			       CMPEER_SENDS + CMPEER_RECVS, 0,
			       IB_POLL_WORKQUEUE);
	if (IS_ERR(conn->cq)) {
		err = PTR_ERR(conn->cq);
		conn->cq = NULL;
		return err;
	}
	attr.send_cq = conn->cq;
	attr.recv_cq = conn->cq;
	conn->qp = ib_create_qp(conn->dev->pd, &attr);
	if (IS_ERR(conn->qp)) {
		err = PTR_ERR(conn->qp);
		conn->qp = NULL;
		ib_free_cq(conn->cq);
		conn->cq = NULL;
		return err;
	}
	return 0;
}

static void qp_free(struct cmpeer_conn *conn)
{
	if (!conn->qp)
		return;

	/* 1. Completions post nothing any more. */
	spin_lock(&conn->ring_lock);
	conn->stopped = true;
	spin_unlock(&conn->ring_lock);

	/* 2. No new ones, and the work that looks at them is over. */
	ib_destroy_qp(conn->qp);
	conn->qp = NULL;
	ib_free_cq(conn->cq);
	conn->cq = NULL;
}

static int qp_step(struct cmpeer_conn *conn, enum ib_qp_state state,
		   const u32 *psn)
{
	struct ib_qp_attr attr = { .qp_state = state };
	int mask, err;

	err = ib_cm_init_qp_attr(conn->cm_id, &attr, &mask);
	if (err)
		return err;
	if (state == IB_QPS_RTR && psn)
		attr.rq_psn = *psn;
	if (state == IB_QPS_RTR && conn->type == IB_QPT_RC)
		attr.min_rnr_timer = RNR_TIMER;
	return ib_modify_qp(conn->qp, &attr, mask);
}

/* @psn: what the CM does not know yet of who answers; NULL of who asked. */
static int qp_up(struct cmpeer_conn *conn, const u32 *psn)
{
	int err, i;

	err = qp_step(conn, IB_QPS_INIT, NULL);
	for (i = 0; i < conn->opt.recv && !err; i++)
		err = post_recv(conn);
	return err ?: qp_step(conn, IB_QPS_RTR, psn) ?:
	       qp_step(conn, IB_QPS_RTS, NULL);
}

/* ---- asking, and answering ------------------------------------------------ */

/* Returns its length. */
static u8 own_data(const struct cmpeer_conn *conn, u8 *data)
{
	struct ipoib_cm_private private = {
		.qpn = cpu_to_be32(conn->opt.qpn),
		.mtu = cpu_to_be32(conn->opt.mtu),
	};

	if (conn->opt.data_len >= 0) {
		memcpy(data, conn->opt.data, conn->opt.data_len);
		return conn->opt.data_len;
	}
	memcpy(data, &private, IPOIB_CM_PRIVATE_RFC);
	return IPOIB_CM_PRIVATE_RFC;
}

/**
 * cmpeer_ask - send a REQ
 * @conn: new connection
 * @path: to whom
 *
 * Return: 0 or a negative errno.
 * Context: Process context, may sleep.
 */
int cmpeer_ask(struct cmpeer_conn *conn, const struct cmpeer_path *path)
{
	u8 data[IB_CM_REQ_PRIVATE_DATA_SIZE];
	struct sa_path_rec rec = path->rec;
	struct ib_cm_req_param param = {
		.primary_path			= &rec,
		.ppath_sgid_attr		= path->sgid_attr,
		.service_id			= cpu_to_be64(conn->service),
		/* A number that no other connection has. */
		.qp_num				= 0x800000 | conn->id,
		.qp_type			= conn->type,
		.starting_psn			= get_random_u32() & 0xffffff,
		.private_data			= data,
		.responder_resources		= READS,
		.initiator_depth		= READS,
		.remote_cm_response_timeout	= CM_TIMEOUT,
		.local_cm_response_timeout	= conn->opt.timeout,
		.retry_count			= RETRIES,
		.rnr_retry_count		= conn->opt.rnr,
		.max_cm_retries			= conn->opt.retries,
	};
	int err = 0;

	rec.pkey = cpu_to_be16(conn->opt.pkey);
	if (memchr_inv(&conn->opt.as, 0, sizeof(conn->opt.as)))
		memcpy(&rec.sgid, conn->opt.as.gid, sizeof(rec.sgid));
	param.private_data_len = own_data(conn, data);
	mutex_lock(&conn->lock);
	step(conn, CMPEER_REQ_SENT);
	if (!conn->opt.fake)
		err = qp_new(conn);
	if (conn->qp)
		param.qp_num = conn->qp->qp_num;
	if (!err) {
		conn->cm_id = ib_create_cm_id(conn->dev->ibdev, conn_event,
					      conn);
		if (IS_ERR(conn->cm_id)) {
			err = PTR_ERR(conn->cm_id);
			conn->cm_id = NULL;
		}
	}
	if (!err)
		err = ib_send_cm_req(conn->cm_id, &param);
	if (err)
		step(conn, CMPEER_FAILED);
	mutex_unlock(&conn->lock);
	return err;
}

static int send_rtu(struct cmpeer_conn *conn)
{
	u8 data[IB_CM_REQ_PRIVATE_DATA_SIZE];
	int err = 0;

	if (conn->qp)
		err = qp_up(conn, NULL);
	if (err)
		return err;
	return ib_send_cm_rtu(conn->cm_id, data, own_data(conn, data));
}

static int send_rep(struct cmpeer_conn *conn)
{
	u8 data[IB_CM_REQ_PRIVATE_DATA_SIZE];
	struct ib_cm_rep_param param = {
		.qp_num			= 0x800000 | conn->id,
		.starting_psn		= get_random_u32() & 0xffffff,
		.private_data		= data,
		.responder_resources	= 1,
		.initiator_depth	= 1,
		.rnr_retry_count	= conn->opt.rnr,
	};
	int err = 0;

	if (!conn->opt.fake)
		err = qp_new(conn) ?: qp_up(conn, &param.starting_psn);
	if (err)
		return err;
	if (conn->qp)
		param.qp_num = conn->qp->qp_num;
	param.private_data_len = own_data(conn, data);
	return ib_send_cm_rep(conn->cm_id, &param);
}

static int send_rej(struct cmpeer_conn *conn, u32 reason)
{
	u8 data[IB_CM_REQ_PRIVATE_DATA_SIZE];

	step(conn, CMPEER_REFUSED);
	return ib_send_cm_rej(conn->cm_id, reason, NULL, 0, data,
			      own_data(conn, data));
}

static int reply(struct cmpeer_conn *conn, enum cmpeer_answer answer,
		 u32 reason)
{
	int err;

	lockdep_assert_held(&conn->lock);

	if (answer == CMPEER_SILENT ||
	    (conn->state != CMPEER_REQ_RCVD && conn->state != CMPEER_REP_RCVD))
		return 0;
	if (answer == CMPEER_REJECT)
		return send_rej(conn, reason);

	if (conn->state == CMPEER_REQ_RCVD) {
		step(conn, CMPEER_REP_SENT);
		err = send_rep(conn);
	} else {
		step(conn, CMPEER_ESTABLISHED);
		err = send_rtu(conn);
	}
	if (err)
		step(conn, CMPEER_FAILED);
	return err;
}

/**
 * cmpeer_reply - answer what was left unanswered
 * @conn: connection
 * @answer: what to say
 * @reason: for a REJ
 *
 * Return: 0 or a negative errno.
 * Context: Process context, may sleep.
 */
int cmpeer_reply(struct cmpeer_conn *conn, enum cmpeer_answer answer,
		 u32 reason)
{
	int err;

	mutex_lock(&conn->lock);
	err = reply(conn, answer, reason);
	mutex_unlock(&conn->lock);
	return err;
}

static void came(struct cmpeer_conn *conn, enum cmpeer_came what,
		 const struct ib_cm_event *event)
{
	__set_bit(what, &conn->came);
	memset(conn->got, 0, sizeof(conn->got));
	if (event->private_data)
		memcpy(conn->got, event->private_data, sizeof(conn->got));
}

static void look_at(struct cmpeer_conn *conn, const struct ib_cm_event *event)
{
	switch (event->event) {
	case IB_CM_REP_RECEIVED:
		came(conn, CMPEER_CAME_REP, event);
		step(conn, CMPEER_REP_RCVD);
		reply(conn, conn->opt.answer, conn->opt.reason);
		break;
	case IB_CM_RTU_RECEIVED:
		came(conn, CMPEER_CAME_RTU, event);
		step(conn, CMPEER_ESTABLISHED);
		break;
	case IB_CM_REJ_RECEIVED:
		came(conn, CMPEER_CAME_REJ, event);
		conn->reason = event->param.rej_rcvd.reason;
		step(conn, CMPEER_REFUSED);
		break;
	case IB_CM_DREQ_RECEIVED:
		came(conn, CMPEER_CAME_DREQ, event);
		step(conn, CMPEER_ENDED);
		if (!conn->opt.mute)
			ib_send_cm_drep(conn->cm_id, NULL, 0);
		break;
	case IB_CM_DREP_RECEIVED:
		came(conn, CMPEER_CAME_DREP, event);
		step(conn, CMPEER_CLOSED);
		break;
	case IB_CM_REQ_ERROR:
	case IB_CM_REP_ERROR:
		__set_bit(CMPEER_CAME_TIMEOUT, &conn->came);
		step(conn, CMPEER_FAILED);
		break;
	case IB_CM_DREQ_ERROR:
	case IB_CM_TIMEWAIT_EXIT:
		step(conn, CMPEER_CLOSED);
		break;
	default:
		break;
	}
}

static int conn_event(struct ib_cm_id *cm_id, const struct ib_cm_event *event)
{
	struct cmpeer_conn *conn = cm_id->context;

	mutex_lock(&conn->lock);
	look_at(conn, event);
	mutex_unlock(&conn->lock);
	return 0;
}

/* ---- being asked ---------------------------------------------------------- */

static int listen_event(struct ib_cm_id *cm_id, const struct ib_cm_event *event)
{
	struct cmpeer_conn *listener = cm_id->context;
	struct cmpeer_conn *conn;

	/* The CM frees the identifier of what is no connection. */
	if (event->event != IB_CM_REQ_RECEIVED)
		return -EOPNOTSUPP;

	conn = cmpeer_conn_new(listener->dev, &listener->opt, cm_id);
	if (IS_ERR(conn))
		return PTR_ERR(conn);
	mutex_lock(&conn->lock);
	conn->service = listener->service;
	conn->type = event->param.req_rcvd.qp_type;
	conn->asked = true;
	cm_id->context = conn;
	cm_id->cm_handler = conn_event;
	came(conn, CMPEER_CAME_REQ, event);
	step(conn, CMPEER_REQ_RCVD);
	reply(conn, conn->opt.answer, conn->opt.reason);
	mutex_unlock(&conn->lock);
	/* The identifier lives until cmpeer_end(). */
	return 0;
}

/**
 * cmpeer_listen - be there for REQs
 * @conn: new listener
 *
 * Return: 0 or a negative errno.
 * Context: Process context, may sleep.
 */
int cmpeer_listen(struct cmpeer_conn *conn)
{
	struct ib_cm_id *cm_id;

	cm_id = ib_create_cm_id(conn->dev->ibdev, listen_event, conn);
	if (IS_ERR(cm_id))
		return PTR_ERR(cm_id);
	mutex_lock(&conn->lock);
	conn->cm_id = cm_id;
	step(conn, CMPEER_LISTENING);
	mutex_unlock(&conn->lock);
	return ib_cm_listen(cm_id, cpu_to_be64(conn->service));
}

/**
 * cmpeer_ids - how to name a connection to the CM of the other side
 * @conn: connection
 * @ids: result, zeros as long as there are none
 *
 * Context: Process context, may sleep.
 */
void cmpeer_ids(struct cmpeer_conn *conn, struct cmpeer_ids *ids)
{
	mutex_lock(&conn->lock);
	if (conn->cm_id) {
		ids->ours = conn->cm_id->local_id;
		ids->theirs = conn->cm_id->remote_id;
	}
	mutex_unlock(&conn->lock);
}

/* ---- the end -------------------------------------------------------------- */

/**
 * cmpeer_close - send a DREQ
 * @conn: connection; nothing happens if it is not established
 *
 * Context: Process context, may sleep.
 */
void cmpeer_close(struct cmpeer_conn *conn)
{
	mutex_lock(&conn->lock);
	if (conn->cm_id && conn->state == CMPEER_ESTABLISHED) {
		step(conn, CMPEER_DREQ_SENT);
		ib_send_cm_dreq(conn->cm_id, NULL, 0);
	}
	mutex_unlock(&conn->lock);
}

/**
 * cmpeer_vanish - the QP is gone from one moment to the next
 * @conn: connection; a listener goes on
 *
 * Context: Process context, may sleep.
 */
void cmpeer_vanish(struct cmpeer_conn *conn)
{
	mutex_lock(&conn->lock);
	if (conn->state != CMPEER_LISTENING) {
		conn->opt.mute = 1;
		step(conn, CMPEER_VANISHED);
		qp_free(conn);
	}
	mutex_unlock(&conn->lock);
}

/**
 * cmpeer_end - nothing happens to a connection any more
 * @conn: connection or listener, about to be freed
 *
 * Context: Process context, may sleep, until the CM's callbacks are over.
 */
void cmpeer_end(struct cmpeer_conn *conn)
{
	if (conn->cm_id)
		ib_destroy_cm_id(conn->cm_id);
	conn->cm_id = NULL;
	qp_free(conn);
}
