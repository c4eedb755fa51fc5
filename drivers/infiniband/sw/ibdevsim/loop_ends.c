// SPDX-License-Identifier: GPL-2.0
#include "loop_ends.h"

#include <linux/bottom_half.h>
#include <linux/hardirq.h>
#include <linux/slab.h>

/* The 17th packet has number 0, so that each run passes the wrap. */
#define FIRST_PSN	0xfffff0

/* IBTA 9.7.6.1.3: 4 milliseconds until an acknowledgment is missed. */
#define TIMEOUT		10
/* 4 seconds */
#define LONG_TIMEOUT	20

static void on_completion(struct ib_cq *cq, void *context)
{
	struct loop_end *e = context;

	atomic_inc(&e->notified);
	if (!in_hardirq())
		atomic_inc(&e->soft);
}

static void on_event(struct ib_event *event, void *context)
{
	struct loop_end *e = context;

	if (!in_hardirq())
		atomic_inc(&e->soft);
	if (event->event < LOOP_EVENTS)
		atomic_inc(&e->events[event->event]);
}

static void end_stop(struct loop_end *e)
{
	if (!IS_ERR_OR_NULL(e->qp))
		ib_destroy_qp(e->qp);
	e->qp = NULL;
}

static void end_exit(struct loop_end *e)
{
	if (!IS_ERR_OR_NULL(e->srq))
		ib_destroy_srq(e->srq);
	if (!IS_ERR_OR_NULL(e->cq))
		ib_destroy_cq(e->cq);
	if (!IS_ERR_OR_NULL(e->pd))
		ib_dealloc_pd(e->pd);
	if (e->dma)
		ib_dma_unmap_single(e->dev, e->dma, e->stride * LOOP_DEPTH,
				    DMA_BIDIRECTIONAL);
	kfree(e->buf);
}

static int end_memory(struct loop_end *e, u32 size)
{
	u64 dma;

	e->stride = ALIGN(size + LOOP_GRH_BYTES, 64);
	e->buf = kzalloc(e->stride * LOOP_DEPTH, GFP_KERNEL);
	if (!e->buf)
		return -ENOMEM;
	dma = ib_dma_map_single(e->dev, e->buf, e->stride * LOOP_DEPTH,
				DMA_BIDIRECTIONAL);
	if (ib_dma_mapping_error(e->dev, dma))
		return -ENOMEM;
	e->dma = dma;
	return 0;
}

static int end_srq(struct loop_end *e)
{
	struct ib_srq_init_attr attr = {
		.event_handler = on_event,
		.srq_context = e,
		.attr = {
			.max_wr = LOOP_DEPTH,
			.max_sge = 1,
		},
		.srq_type = IB_SRQT_BASIC,
	};

	e->srq = ib_create_srq(e->pd, &attr);
	return PTR_ERR_OR_ZERO(e->srq);
}

static int end_init(struct loop_end *e, const struct loop_pair *pair, bool srq)
{
	struct ib_cq_init_attr cq_attr = { .cqe = pair->how.cqe ?: 4 * LOOP_DEPTH };
	u32 depth = pair->how.depth ?: LOOP_DEPTH;
	struct ib_qp_init_attr attr = {
		.event_handler = on_event,
		.qp_context = e,
		.qp_type = pair->how.type,
		.sq_sig_type = IB_SIGNAL_ALL_WR,
		.cap = {
			.max_send_wr = depth,
			.max_recv_wr = srq ? 0 : depth,
			.max_send_sge = 1,
			.max_recv_sge = 1,
			.max_inline_data = pair->how.max_inline,
		},
		.create_flags = pair->how.lso ? IB_QP_CREATE_IPOIB_UD_LSO : 0,
	};
	struct ib_port_attr port;
	int err;

	err = ib_query_port(e->dev, 1, &port) ?: end_memory(e, pair->how.size);
	if (err)
		return err;
	e->lid = port.lid;
	e->lmc = port.lmc;
	if (pair->how.alternate && !port.lmc)
		return -EOPNOTSUPP;
	e->pd = ib_alloc_pd(e->dev, 0);
	if (IS_ERR(e->pd))
		return PTR_ERR(e->pd);
	e->lkey = e->pd->local_dma_lkey;
	e->cq = ib_create_cq(e->dev, on_completion, on_event, e, &cq_attr);
	if (IS_ERR(e->cq))
		return PTR_ERR(e->cq);
	if (srq) {
		err = end_srq(e);
		if (err)
			return err;
	}
	attr.send_cq = e->cq;
	attr.recv_cq = e->cq;
	attr.srq = e->srq;
	e->qp = ib_create_qp(e->pd, &attr);
	return PTR_ERR_OR_ZERO(e->qp);
}

static int to_init(struct loop_end *e, const struct loop_pair *pair)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = 1,
		.qkey = LOOP_QKEY,
	};
	int mask = IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT;

	return ib_modify_qp(e->qp, &attr, mask | (pair->how.type == IB_QPT_UD ?
				IB_QP_QKEY : IB_QP_ACCESS_FLAGS));
}

static void set_way(const struct loop_end *e, struct rdma_ah_attr *attr,
		    u16 dlid, u8 path_bits)
{
	attr->type = rdma_ah_find_type(e->dev, 1);
	rdma_ah_set_port_num(attr, 1);
	rdma_ah_set_dlid(attr, dlid);
	rdma_ah_set_path_bits(attr, path_bits);
}

static int to_rtr(struct loop_end *e, const struct loop_end *peer,
		  const struct loop_pair *pair)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTR,
		.path_mtu = pair->how.narrow && e == &pair->to ? IB_MTU_1024 : IB_MTU_2048,
		.dest_qp_num = peer->qp->qp_num +
			       (pair->how.misdirected && e == &pair->to),
		.min_rnr_timer = 1,
		.rq_psn = FIRST_PSN,
	};
	int mask = IB_QP_STATE;

	if (pair->how.type != IB_QPT_UD)
		mask |= IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN |
			IB_QP_RQ_PSN;
	if (pair->how.type == IB_QPT_RC)
		mask |= IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER;
	set_way(e, &attr.ah_attr,
		peer->lid + (pair->how.misled && e == &pair->to), 0);
	if (pair->how.alternate) {
		bool astray = pair->how.astray && e == &pair->to;

		mask |= IB_QP_ALT_PATH;
		attr.alt_port_num = 1;
		attr.alt_timeout = TIMEOUT;
		set_way(e, &attr.alt_ah_attr, peer->lid + !astray, 1);
	}
	return ib_modify_qp(e->qp, &attr, mask);
}

static int to_rts(struct loop_end *e, const struct loop_pair *pair)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTS,
		.timeout = pair->how.patient ? LONG_TIMEOUT : TIMEOUT,
		.retry_cnt = pair->how.retries,
		.rnr_retry = pair->how.rnr_retries,
		.sq_psn = FIRST_PSN,
		.path_mig_state = IB_MIG_REARM,
	};
	int mask = IB_QP_STATE | IB_QP_SQ_PSN;

	if (pair->how.alternate)
		mask |= IB_QP_PATH_MIG_STATE;

	if (pair->how.type == IB_QPT_RC)
		mask |= IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
			IB_QP_MAX_QP_RD_ATOMIC;
	return ib_modify_qp(e->qp, &attr, mask);
}

/**
 * loop_connect - make both ends, ready to send and receive
 * @pair: what is wanted
 *
 * Return: 0 or a negative errno.
 * Context: Process context, may sleep.
 */
int loop_connect(struct loop_pair *pair)
{
	struct loop_end *from = &pair->from, *to = &pair->to;
	struct rdma_ah_attr attr = { };
	int err;

	err = end_init(from, pair, false) ?: end_init(to, pair, pair->how.srq) ?:
	      to_init(from, pair) ?: to_init(to, pair) ?:
	      to_rtr(from, to, pair) ?: to_rtr(to, from, pair) ?:
	      to_rts(from, pair) ?: (pair->how.mute ? 0 : to_rts(to, pair));
	if (err || pair->how.type != IB_QPT_UD)
		return err;

	attr.type = rdma_ah_find_type(from->dev, 1);
	rdma_ah_set_port_num(&attr, 1);
	rdma_ah_set_dlid(&attr, to->lid);
	return loop_aim(pair, &attr, to->qp->qp_num, LOOP_QKEY);
}

/**
 * loop_aim - say where the datagrams of a pair go
 * @pair: connected pair
 * @attr: the way
 * @qpn: queue pair to send to
 * @qkey: Q_Key to send with
 *
 * Return: 0 or a negative errno.
 * Context: Process context.
 */
int loop_aim(struct loop_pair *pair, struct rdma_ah_attr *attr, u32 qpn,
	     u32 qkey)
{
	if (!IS_ERR_OR_NULL(pair->ah))
		rdma_destroy_ah(pair->ah, 0);
	pair->qpn = qpn;
	pair->qkey = qkey;
	pair->ah = rdma_create_ah(pair->from.pd, attr, 0);
	return PTR_ERR_OR_ZERO(pair->ah);
}

/**
 * loop_free - free what loop_connect() made
 * @pair: as much of it as there is
 *
 * Context: Process context, may sleep.
 */
void loop_free(struct loop_pair *pair)
{
	/* A datagram that was not sent needs its address until its end has been stopped. */
	end_stop(&pair->from);
	end_stop(&pair->to);
	if (!IS_ERR_OR_NULL(pair->ah))
		rdma_destroy_ah(pair->ah, 0);
	end_exit(&pair->from);
	end_exit(&pair->to);
}

/**
 * loop_post_recv - give the receiver a buffer
 * @pair: both ends
 * @slot: which buffer
 * @len: octets of it
 *
 * Return: 0 or a negative errno.
 * Context: Any.
 */
int loop_post_recv(struct loop_pair *pair, u32 slot, u32 len)
{
	struct loop_end *e = &pair->to;
	struct ib_sge sge = {
		.addr = e->dma + slot * e->stride,
		.length = len,
		.lkey = e->lkey,
	};
	struct ib_recv_wr wr = {
		.wr_id = LOOP_RECV_ID | slot,
		.sg_list = &sge,
		.num_sge = 1,
	};

	ib_dma_sync_single_for_device(e->dev, sge.addr, e->stride,
				      DMA_BIDIRECTIONAL);

	if (e->srq)
		return ib_post_srq_recv(e->srq, &wr, NULL);
	return ib_post_recv(e->qp, &wr, NULL);
}

/**
 * loop_received - what has come in a buffer
 * @pair: both ends
 * @slot: which buffer
 *
 * Return: its octets, to be read until it is posted again.
 * Context: Any.
 */
const u8 *loop_received(struct loop_pair *pair, u32 slot)
{
	struct loop_end *e = &pair->to;

	ib_dma_sync_single_for_cpu(e->dev, e->dma + slot * e->stride, e->stride,
				   DMA_BIDIRECTIONAL);
	return e->buf + slot * e->stride;
}

/* The softirq that a post schedules runs at once and not in a thread of its own. */
static int post(struct loop_end *e, const struct ib_send_wr *wr)
{
	int err;

	local_bh_disable();
	err = ib_post_send(e->qp, wr, NULL);
	local_bh_enable();
	return err;
}

/**
 * loop_post_send - send what is in a buffer
 * @pair: both ends
 * @slot: which buffer
 * @len: octets of it
 * @flags: enum ib_send_flags; what is inline is not there any more when it is sent
 *
 * Return: 0 or a negative errno.
 * Context: Process context.
 */
int loop_post_send(struct loop_pair *pair, u32 slot, u32 len, int flags)
{
	struct loop_end *e = &pair->from;
	u8 *data = e->buf + slot * e->stride;
	bool as_is = flags & IB_SEND_INLINE;
	struct ib_sge sge = {
		.addr = as_is ? (uintptr_t)data : e->dma + slot * e->stride,
		.length = len,
		.lkey = as_is ? 0 : e->lkey,
	};
	struct ib_ud_wr wr = {
		.wr = {
			.wr_id = slot,
			.sg_list = &sge,
			.num_sge = len || pair->how.hollow ? 1 : 0,
			.opcode = IB_WR_SEND,
			.send_flags = flags,
		},
		.ah = pair->ah,
		.remote_qpn = pair->qpn,
		.remote_qkey = pair->qkey,
	};
	int err;

	ib_dma_sync_single_for_device(e->dev, e->dma + slot * e->stride, e->stride,
				      DMA_BIDIRECTIONAL);
	local_bh_disable();
	err = post(e, &wr.wr);
	if (as_is)
		memset(data, 0, len);
	local_bh_enable();
	return err;
}

/**
 * loop_post_lso - send what is in a buffer as several packets of TCP
 * @pair: both ends, with @lso
 * @slot: which buffer
 * @len: octets of it
 * @header: what each packet begins with
 * @hlen: octets of that
 * @mss: octets of the buffer that are in a packet
 *
 * Return: 0 or a negative errno.
 * Context: Process context.
 */
int loop_post_lso(struct loop_pair *pair, u32 slot, u32 len, void *header, int hlen, int mss)
{
	struct loop_end *e = &pair->from;
	struct ib_sge sge = {
		.addr = e->dma + slot * e->stride,
		.length = len,
		.lkey = e->lkey,
	};
	struct ib_ud_wr wr = {
		.wr = {
			.wr_id = slot,
			.sg_list = &sge,
			.num_sge = 1,
			.opcode = IB_WR_LSO,
			.send_flags = IB_SEND_IP_CSUM,
		},
		.ah = pair->ah,
		.header = header,
		.hlen = hlen,
		.mss = mss,
		.remote_qpn = pair->qpn,
		.remote_qkey = pair->qkey,
	};

	ib_dma_sync_single_for_device(e->dev, sge.addr, e->stride, DMA_BIDIRECTIONAL);
	return post(e, &wr.wr);
}
