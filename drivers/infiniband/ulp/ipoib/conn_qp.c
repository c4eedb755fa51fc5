// SPDX-License-Identifier: GPL-2.0
#include "conn_set.h"

#include <linux/slab.h>
#include <rdma/ib_cm.h>

#include "device.h"

/* IBTA 9.7.5.2.8: a sender that found no buffer here tries again after 0.64 ms. */
#define RNR_TIMER	12

/*
 * IBTA 9.7.6.1.3: 67 ms until an acknowledgment is missed, at most. With the
 * retries that is half a second: less than the second that TCP waits at first.
 */
#define ACK_TIMEOUT	14

/*
 * RDMA reads and atomics at a time, which nobody needs here. An HCA refuses more than it can do;
 * the peer may say any number.
 */
#define RD_ATOMIC	1

/* How long a QP in error has to let go of the receive queue that it shares. */
#define LAST_WQE_TIMEOUT	(HZ / 10)

static void conn_qp_event(struct ib_event *event, void *ctx)
{
	struct ipoib_conn *conn = ctx;

	switch (event->event) {
	case IB_EVENT_COMM_EST:
		ipoib_conn_kick(conn, IPOIB_CONN_PENDING_DATA);
		break;
	case IB_EVENT_PATH_MIG:
		ipoib_conn_kick(conn, IPOIB_CONN_PENDING_PATH);
		break;
	case IB_EVENT_QP_LAST_WQE_REACHED:
		complete(&conn->last_wqe);
		break;
	case IB_EVENT_QP_FATAL:
	case IB_EVENT_QP_REQ_ERR:
	case IB_EVENT_QP_ACCESS_ERR:
		ipoib_conn_close(conn, -EIO);
		break;
	default:
		break;
	}
}

static void ring_set(struct ipoib_conn *conn, unsigned int max_sge)
{
	struct ipoib_txring *ring = &conn->ring;

	ring->qp = conn->qp;
	ring->max_sge = max_sge;
	ring->epoch = conn->id;
	ring->batch = conn->tx->batch;
	ring->stats = &conn->tx->bundle->stats;
	ring->drops = &conn->set->idev->drops;
}

/* If the connection only receives, its ring has no slots, and its QP room for one send. */
static int create(struct ipoib_conn *conn)
{
	struct ipoib_conn_set *set = conn->set;
	struct ib_device *ibdev = set->idev->config.pd->device;
	bool sends = ipoib_conn_set_sends_by(conn);
	struct ib_qp_init_attr attr = {
		.event_handler	= conn_qp_event,
		.qp_context	= conn,
		.qp_type	= conn->type,
		.sq_sig_type	= IB_SIGNAL_REQ_WR,
		.cap		= {
			.max_send_wr	= sends ? IPOIB_CONN_SLOTS : 1,
			.max_send_sge	= min_t(u32, ibdev->attrs.max_send_sge,
						IPOIB_MAX_SGE),
		},
	};
	struct ib_qp *qp;
	int err;

	err = ipoib_conn_queues_get(conn);
	if (err)
		return err;

	conn->ring.ibdev = ibdev;
	err = sends ? ipoib_txring_alloc(&conn->ring, IPOIB_CONN_SLOTS) : 0;
	if (err)
		goto err_queues;

	attr.send_cq = conn->tx->cq;
	attr.recv_cq = conn->rx->cq;
	attr.srq = conn->rx->srq;
	if (!attr.srq) {
		attr.cap.max_recv_wr = conn->rx->nslots;
		attr.cap.max_recv_sge = conn->rx->pages;
	}
	qp = ib_create_qp(set->idev->config.pd, &attr);
	if (IS_ERR(qp)) {
		err = PTR_ERR(qp);
		goto err_slots;
	}

	conn->qp = qp;
	WRITE_ONCE(conn->qpn, qp->qp_num);
	ring_set(conn, attr.cap.max_send_sge);
	ipoib_object_created(IPOIB_OBJ_QP);
	ipoib_conn_set_hash(conn);
	return 0;

err_slots:
	ipoib_txring_free(&conn->ring);
err_queues:
	ipoib_conn_queues_put(conn);
	return err;
}

static int init(struct ipoib_conn *conn)
{
	struct ib_qp_attr attr = {
		.qp_state		= IB_QPS_INIT,
		.pkey_index		= conn->set->pkey_index,
		.port_num		= conn->set->idev->fabric.port,
		.qp_access_flags	= 0,
	};
	int err;

	err = ib_modify_qp(conn->qp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX |
			   IB_QP_PORT | IB_QP_ACCESS_FLAGS);
	if (!err && !conn->rx->srq)
		ipoib_conn_rx_run(conn->rx, conn->qp);
	return err;
}

/* ipoib_conn_qp_free() is needed even if ipoib_conn_qp_new() has failed. */
int ipoib_conn_qp_new(struct ipoib_conn *conn)
{
	return create(conn) ?: init(conn);
}

/*
 * correct_way() replaces what the peer has chosen of the way to it, if an HCA may refuse it. In
 * a REQ a peer also names the LID that packets are to go to: they go to the LID that the REQ
 * came from, which ipoib_conn_peer_check() has compared with that of datagrams.
 */
static void correct_way(const struct ipoib_conn *conn, struct ib_qp_attr *attr)
{
	struct rdma_ah_attr *ah = &attr->ah_attr;

	if (!conn->active && ah->type == RDMA_AH_ATTR_TYPE_IB)
		rdma_ah_set_dlid(ah, ipoib_path_dlid(&conn->path));
	rdma_ah_set_static_rate(ah, ipoib_fabric_rate(rdma_ah_get_static_rate(ah)));
	ah = &attr->alt_ah_attr;
	rdma_ah_set_static_rate(ah, ipoib_fabric_rate(rdma_ah_get_static_rate(ah)));
	attr->alt_timeout = min_t(u8, attr->alt_timeout, ACK_TIMEOUT);
}

/**
 * ipoib_conn_qp_connect - bring the QP to RTS
 * @conn: the connection, its QP in INIT
 * @cm_id: its CM identifier, which knows the other end
 * @answer: true if we answer a REQ
 * @rq_psn: first PSN that the peer will send if @answer, as in our REP; otherwise the CM knows
 *	it
 *
 * Return: 0, or what the CM or the provider says.
 * Context: Process context, the connection's work.
 */
int ipoib_conn_qp_connect(struct ipoib_conn *conn, struct ib_cm_id *cm_id,
			  bool answer, u32 rq_psn)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RTR };
	int mask, err;

	err = ib_cm_init_qp_attr(cm_id, &attr, &mask);
	if (err)
		return err;
	if (answer)
		attr.rq_psn = rq_psn;
	if (conn->type == IB_QPT_RC) {
		attr.min_rnr_timer = RNR_TIMER;
		mask |= IB_QP_MIN_RNR_TIMER;
	}
	attr.max_dest_rd_atomic = min_t(u8, attr.max_dest_rd_atomic, RD_ATOMIC);
	correct_way(conn, &attr);
	/* The CM fills in the alternate path even if one end has refused it. */
	if (!ipoib_conn_alt_is_loaded(conn))
		mask &= ~IB_QP_ALT_PATH;
	err = ib_modify_qp(conn->qp, &attr, mask);
	if (err)
		return err;
	conn->connected = true;

	attr.qp_state = IB_QPS_RTS;
	err = ib_cm_init_qp_attr(cm_id, &attr, &mask);
	if (err)
		return err;
	attr.timeout = min_t(u8, attr.timeout, ACK_TIMEOUT);
	attr.max_rd_atomic = min_t(u8, attr.max_rd_atomic, RD_ATOMIC);
	/* The retry counts in the CM may be the choice of the peer: use our own. */
	attr.retry_cnt = IPOIB_CONN_RETRIES;
	attr.rnr_retry = IPOIB_CONN_RNR_RETRIES;
	if (!ipoib_conn_alt_is_loaded(conn))
		mask &= ~IB_QP_PATH_MIG_STATE;
	return ib_modify_qp(conn->qp, &attr, mask);
}

/*
 * IBTA 10.3.1 and 11.6.3.2: a QP in error may keep a buffer of its shared receive queue, with
 * half a message, until it reports IB_EVENT_QP_LAST_WQE_REACHED. Some providers never report
 * it, so the wait has a limit.
 */
static void give_back_buffers(struct ipoib_conn *conn)
{
	struct ib_qp_attr error = { .qp_state = IB_QPS_ERR };

	if (!conn->connected)
		return;
	if (!ib_modify_qp(conn->qp, &error, IB_QP_STATE))
		wait_for_completion_timeout(&conn->last_wqe, LAST_WQE_TIMEOUT);
	ipoib_conn_rx_drain(conn->rx);
}

void ipoib_conn_qp_free(struct ipoib_conn *conn)
{
	struct ib_qp_attr reset = { .qp_state = IB_QPS_RESET };
	struct ipoib_tx_done done = {};

	if (!conn->qp)
		return;

	if (conn->rx->srq)
		give_back_buffers(conn);
	ipoib_conn_set_unhash(conn);
	/* A poll that found the connection under RCU has ended before its QP and ring go. */
	ib_modify_qp(conn->qp, &reset, IB_QP_STATE);
	synchronize_rcu();
	if (!conn->rx->srq)
		ipoib_conn_rx_halt(conn->rx);
	/*
	 * Destroy the QP before its packets are freed: an HCA that has not reset it may still
	 * be sending them.
	 */
	ib_destroy_qp(conn->qp);
	ipoib_txring_purge(&conn->ring, &done);
	ipoib_txring_free(&conn->ring);
	conn->qp = NULL;
	WRITE_ONCE(conn->qpn, 0);
	ipoib_conn_queues_put(conn);
	ipoib_object_destroyed(IPOIB_OBJ_QP);
}
