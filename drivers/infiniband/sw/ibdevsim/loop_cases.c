// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "loop_cases.h"

#include <linux/bottom_half.h>
#include <linux/iopoll.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>

#include "loop_expect.h"
#include "loop_kinds.h"

/* expect_path() looks at which path is in use, and at the state of the other one. */
static int expect_path(struct loop_end *e, enum ib_mig_state state, u16 dlid)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;
	int err = ib_query_qp(e->qp, &attr, IB_QP_AV | IB_QP_PATH_MIG_STATE,
			      &init);

	if (err || (attr.path_mig_state == state &&
		    rdma_ah_get_dlid(&attr.ah_attr) == dlid))
		return err;
	pr_info("%s: migration state %d to LID %u, not %d to %u\n",
		dev_name(&e->dev->dev), attr.path_mig_state,
		rdma_ah_get_dlid(&attr.ah_attr), state, dlid);
	return -EPROTO;
}

static int set_path(struct loop_end *e, enum ib_mig_state state)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTS,
		.path_mig_state = state,
	};

	return ib_modify_qp(e->qp, &attr, IB_QP_STATE | IB_QP_PATH_MIG_STATE);
}

/* The other path that it has once more, with nothing else or with REARM. */
static int load_path(struct loop_end *e, int with)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;
	int err = ib_query_qp(e->qp, &attr, IB_QP_ALT_PATH, &init);

	attr.path_mig_state = IB_MIG_REARM;
	return err ?: ib_modify_qp(e->qp, &attr, IB_QP_ALT_PATH | with);
}

/* A message that does not fit into the buffer ends the connection, at both ends. */
static int rc_too_long(struct loop_pair *pair)
{
	return loop_post_recv(pair, 0, LOOP_SIZE - 1) ?:
	       loop_post_recv(pair, 1, LOOP_SIZE) ?:
	       loop_post_send(pair, 0, LOOP_SIZE, 0) ?:
	       loop_expect(&pair->to, LOOP_RECV(0), IB_WC_LOC_LEN_ERR) ?:
	       loop_expect(&pair->to, LOOP_RECV(1), IB_WC_WR_FLUSH_ERR) ?:
	       loop_expect(&pair->from, 0, IB_WC_REM_INV_REQ_ERR) ?:
	       loop_expect_state(&pair->from, IB_QPS_ERR) ?:
	       loop_expect_state(&pair->to, IB_QPS_ERR);
}

/* A message that does not fit into the buffer is lost, and the buffer is for the next one. */
static int too_long(struct loop_pair *pair)
{
	u32 header = pair->how.type == IB_QPT_UD ? LOOP_GRH_BYTES : 0;

	return loop_post_recv(pair, 0, header + LOOP_SIZE - 1) ?:
	       loop_post_send(pair, 0, LOOP_SIZE, 0) ?:
	       loop_expect(&pair->from, 0, IB_WC_SUCCESS) ?:
	       loop_post_send(pair, 1, LOOP_SIZE - 1, 0) ?:
	       loop_expect(&pair->from, 1, IB_WC_SUCCESS) ?:
	       loop_expect(&pair->to, LOOP_RECV(0), IB_WC_SUCCESS) ?:
	       loop_expect_state(&pair->to, IB_QPS_RTS);
}

/* The key is another's; what was posted after that is flushed. */
static int wrong_key(struct loop_pair *pair)
{
	int err;

	pair->from.lkey++;
	err = loop_post_send(pair, 0, LOOP_SIZE, 0) ?:
	      loop_post_send(pair, 1, LOOP_SIZE, 0);
	pair->from.lkey--;
	return err ?: loop_expect(&pair->from, 0, IB_WC_LOC_PROT_ERR) ?:
	       loop_expect(&pair->from, 1, IB_WC_WR_FLUSH_ERR) ?: loop_goes_on(pair);
}

/* The address handle is of another domain, in fact of another device. */
static int wrong_domain(struct loop_pair *pair)
{
	struct rdma_ah_attr attr;
	int err = rdma_query_ah(pair->ah, &attr);

	swap(pair->from.pd, pair->to.pd);
	err = err ?: loop_aim(pair, &attr, pair->qpn, pair->qkey);
	swap(pair->from.pd, pair->to.pd);
	return err ?: loop_post_send(pair, 0, LOOP_SIZE, 0) ?:
	       loop_expect(&pair->from, 0, IB_WC_LOC_QP_OP_ERR) ?:
	       loop_aim(pair, &attr, pair->qpn, pair->qkey) ?: loop_goes_on(pair);
}

/* A completion of a failure says only the number and the status; IBTA 11.4.2.1. */
static int rubbish(struct loop_pair *pair)
{
	struct ib_wc wc = { .byte_len = LOOP_SIZE };
	int n, err;

	pair->from.lkey++;
	err = loop_post_send(pair, 0, LOOP_SIZE, 0);
	pair->from.lkey--;
	err = err ?: read_poll_timeout(ib_poll_cq, n, n, 100, LOOP_PATIENCE * USEC_PER_SEC,
				       false, pair->from.cq, 1, &wc);
	return err ?: (wc.opcode == IB_WC_SEND || wc.byte_len == LOOP_SIZE ||
		       wc.wc_flags == 0 ? -EPROTO : 0);
}

/* The key of a buffer is another's: that ends the queue pair, and what comes next finds none. */
static int wrong_recv_key(struct loop_pair *pair)
{
	int err;

	pair->to.lkey++;
	err = loop_post_recv(pair, 0, pair->to.stride);
	pair->to.lkey--;
	/* The device begins when both have been posted, and so receives the second one, too. */
	local_bh_disable();
	err = err ?: loop_post_recv(pair, 1, pair->to.stride) ?:
	      loop_post_send(pair, 0, LOOP_SIZE, 0) ?: loop_post_send(pair, 1, LOOP_SIZE, 0);
	local_bh_enable();
	return err ?: loop_expect(&pair->to, LOOP_RECV(0), IB_WC_LOC_PROT_ERR) ?:
	       loop_expect(&pair->to, LOOP_RECV(1), IB_WC_WR_FLUSH_ERR) ?:
	       loop_expect_state(&pair->to, IB_QPS_ERR) ?:
	       loop_expect(&pair->from, 0, IB_WC_SUCCESS) ?:
	       loop_expect(&pair->from, 1, IB_WC_SUCCESS);
}

/* A shared queue is for queue pairs of its own domain. */
static int foreign_srq(struct loop_pair *pair)
{
	struct ib_qp_init_attr attr = {
		.qp_type = pair->how.type,
		.send_cq = pair->to.cq,
		.recv_cq = pair->to.cq,
		.srq = pair->to.srq,
		.cap = { .max_send_wr = 1, .max_send_sge = 1 },
	};
	struct ib_pd *pd = ib_alloc_pd(pair->to.dev, 0);
	struct ib_qp *qp;

	if (IS_ERR(pd))
		return PTR_ERR(pd);
	qp = ib_create_qp(pd, &attr);
	if (!IS_ERR(qp))
		ib_destroy_qp(qp);
	ib_dealloc_pd(pd);
	return loop_refused(PTR_ERR_OR_ZERO(qp));
}

/* There is room for a header that does not come, and nobody says what is in it. */
static int no_header(struct loop_pair *pair)
{
	return loop_fill(pair, 1) ?: loop_pass(pair, 0, 0) ?:
	       memchr_inv(loop_received(pair, 0), 0, LOOP_GRH_BYTES) ? 0 : -EPROTO;
}

/* Nobody answers: retried, given up, and what follows is flushed. */
static int rc_no_answer(struct loop_pair *pair)
{
	return loop_enter(&pair->to, IB_QPS_RESET) ?:
	       loop_post_send(pair, 0, LOOP_SIZE, 0) ?:
	       loop_post_send(pair, 1, LOOP_BIG, 0) ?:
	       loop_expect(&pair->from, 0, IB_WC_RETRY_EXC_ERR) ?:
	       loop_expect(&pair->from, 1, IB_WC_WR_FLUSH_ERR) ?:
	       loop_expect_state(&pair->from, IB_QPS_ERR);
}

/* Packets are longer than the receiver's path has them. */
static int narrow(struct loop_pair *pair)
{
	return loop_fill(pair, 1) ?: loop_post_send(pair, 0, LOOP_BIG, 0) ?:
	       loop_expect(&pair->from, 0, IB_WC_REM_INV_REQ_ERR) ?:
	       loop_expect_state(&pair->from, IB_QPS_ERR);
}

/* Packets that come from elsewhere are not the peer's. */
static int misled(struct loop_pair *pair)
{
	return loop_fill(pair, 1) ?: loop_post_send(pair, 0, LOOP_SIZE, 0) ?:
	       loop_expect(&pair->from, 0, IB_WC_RETRY_EXC_ERR) ?:
	       loop_expect_nothing(&pair->to) ?:
	       loop_expect_state(&pair->to, IB_QPS_RTS);
}

/* Answers are for another queue pair: the message arrives, and nobody who sent it hears that. */
static int misdirected(struct loop_pair *pair)
{
	return loop_fill(pair, 1) ?: loop_post_send(pair, 0, LOOP_SIZE, 0) ?:
	       loop_expect(&pair->to, LOOP_RECV(0), IB_WC_SUCCESS) ?:
	       loop_expect(&pair->from, 0, IB_WC_RETRY_EXC_ERR) ?:
	       loop_expect_state(&pair->to, IB_QPS_RTS);
}

/* Flags lie where a link-layer address has them, and no queue pair's number has more bits. */
static int long_number(struct loop_pair *pair)
{
	u32 qpn = pair->qpn;

	pair->qpn |= BIT(31);
	return loop_fill(pair, 1) ?: loop_post_send(pair, 0, LOOP_SIZE, 0) ?:
	       loop_expect(&pair->from, 0, IB_WC_LOC_QP_OP_ERR) ?:
	       loop_expect_nothing(&pair->to) ?: (pair->qpn = qpn, 0);
}

/* A piece without octets */
static int hollow(struct loop_pair *pair)
{
	return loop_fill(pair, 1) ?: loop_post_send(pair, 0, 0, 0) ?:
	       loop_expect(&pair->from, 0, IB_WC_LOC_PROT_ERR) ?:
	       loop_expect_nothing(&pair->to);
}

/* An alternate path that leads to a group */
static int group_path(struct loop_pair *pair)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;
	int err = ib_query_qp(pair->from.qp, &attr, IB_QP_ALT_PATH, &init);

	rdma_ah_set_dlid(&attr.alt_ah_attr, 0xc001);
	rdma_ah_set_ah_flags(&attr.alt_ah_attr, IB_AH_GRH);
	return err ?: loop_refused(ib_modify_qp(pair->from.qp, &attr, IB_QP_ALT_PATH));
}

/* The receiver never has a buffer. */
static int rc_not_ready(struct loop_pair *pair)
{
	return loop_post_send(pair, 0, LOOP_SIZE, 0) ?:
	       loop_expect(&pair->from, 0, IB_WC_RNR_RETRY_EXC_ERR) ?:
	       loop_expect_state(&pair->from, IB_QPS_ERR) ?:
	       loop_expect_state(&pair->to, IB_QPS_RTS);
}

/* All buffers come back, in order, and what is posted after that as well. */
static int flush(struct loop_pair *pair)
{
	return loop_fill(pair, 3) ?: loop_enter(&pair->to, IB_QPS_ERR) ?:
	       loop_expect(&pair->to, LOOP_RECV(0), IB_WC_WR_FLUSH_ERR) ?:
	       loop_expect(&pair->to, LOOP_RECV(1), IB_WC_WR_FLUSH_ERR) ?:
	       loop_expect(&pair->to, LOOP_RECV(2), IB_WC_WR_FLUSH_ERR) ?:
	       loop_post_recv(pair, 3, LOOP_SIZE) ?:
	       loop_expect(&pair->to, LOOP_RECV(3), IB_WC_WR_FLUSH_ERR) ?:
	       loop_enter(&pair->from, IB_QPS_ERR) ?:
	       loop_post_send(pair, 4, LOOP_SIZE, 0) ?:
	       loop_expect(&pair->from, 4, IB_WC_WR_FLUSH_ERR) ?:
	       loop_expect_event(&pair->to, IB_EVENT_QP_LAST_WQE_REACHED, 0);
}

/* A queue pair that fails keeps no buffer of a shared queue, and says so. */
static int last_wqe(struct loop_pair *pair)
{
	return loop_fill(pair, 3) ?: loop_pass(pair, 0, 0) ?:
	       loop_enter(&pair->to, IB_QPS_ERR) ?:
	       loop_expect_event(&pair->to, IB_EVENT_QP_LAST_WQE_REACHED, 1) ?:
	       loop_expect_nothing(&pair->to);
}

/* The limit is told of when it is passed, once. */
static int srq_limit(struct loop_pair *pair)
{
	struct ib_srq_attr attr = { .srq_limit = LOOP_DEPTH - 2 };

	return loop_fill(pair, LOOP_DEPTH) ?:
	       ib_modify_srq(pair->to.srq, &attr, IB_SRQ_LIMIT) ?:
	       loop_pass(pair, 0, 0) ?: loop_pass(pair, 1, 0) ?:
	       loop_expect_event(&pair->to, IB_EVENT_SRQ_LIMIT_REACHED, 0) ?:
	       loop_pass(pair, 2, 0) ?:
	       loop_expect_event(&pair->to, IB_EVENT_SRQ_LIMIT_REACHED, 1) ?:
	       loop_pass(pair, 3, 0) ?:
	       loop_expect_event(&pair->to, IB_EVENT_SRQ_LIMIT_REACHED, 1);
}

/* A receiver that cannot send yet is told that the connection works, once. */
static int comm_est(struct loop_pair *pair)
{
	return loop_fill(pair, 2) ?: loop_pass(pair, 0, 0) ?: loop_pass(pair, 1, 0) ?:
	       loop_expect_event(&pair->to, IB_EVENT_COMM_EST, 1);
}

static int drain(struct loop_pair *pair, int with)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_SQD,
		.en_sqd_async_notify = 1,
	};

	return ib_modify_qp(pair->from.qp, &attr, IB_QP_STATE | with);
}

/* A consumer that does not ask is not told that all has been sent. */
static int drained(struct loop_pair *pair)
{
	return loop_fill(pair, 2) ?: loop_pass(pair, 0, 0) ?:
	       drain(pair, 0) ?: loop_enter(&pair->from, IB_QPS_RTS) ?: loop_pass(pair, 1, 0) ?:
	       loop_expect_event(&pair->from, IB_EVENT_SQ_DRAINED, 0) ?:
	       drain(pair, IB_QP_EN_SQD_ASYNC_NOTIFY) ?:
	       loop_expect_event(&pair->from, IB_EVENT_SQ_DRAINED, 1);
}

/* Datagrams are counted, and the count wraps. */
static int psn_wraps(struct loop_pair *pair)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;
	int i, err = 0;

	for (i = 0; i < 17 && !err; i++)
		err = loop_fill(pair, 1) ?: loop_pass(pair, 0, 0);
	return err ?: ib_query_qp(pair->from.qp, &attr, IB_QP_SQ_PSN, &init) ?:
	       (attr.sq_psn == 1 ? 0 : -EPROTO);
}

/* Consumers are told in a hard interrupt, whatever it is that they are told of. */
static int hard_irq(struct loop_pair *pair)
{
	return loop_fill(pair, 3) ?: loop_notify(&pair->to, IB_CQ_NEXT_COMP, 0) ?:
	       loop_pass(pair, 0, 0) ?:
	       loop_expect_count(&pair->to, &pair->to.notified, 1) ?:
	       loop_enter(&pair->to, IB_QPS_ERR) ?:
	       loop_expect_event(&pair->to, IB_EVENT_QP_LAST_WQE_REACHED, 1) ?:
	       loop_expect_count(&pair->to, &pair->to.soft, 0);
}

/* A consumer that asks for notification hears of completions that are there already. */
static int missed_events(struct loop_pair *pair)
{
	return loop_fill(pair, 1) ?:
	       loop_post_send(pair, 0, LOOP_SIZE, 0) ?:
	       loop_expect(&pair->from, 0, IB_WC_SUCCESS) ?:
	       loop_notify(&pair->to, IB_CQ_NEXT_COMP, 1) ?:
	       loop_expect(&pair->to, LOOP_RECV(0), IB_WC_SUCCESS) ?:
	       loop_notify(&pair->to, IB_CQ_NEXT_COMP, 0);
}

/* Only what the sender marks is told of. */
static int solicited(struct loop_pair *pair)
{
	return loop_fill(pair, 3) ?: loop_notify(&pair->to, IB_CQ_SOLICITED, 0) ?:
	       loop_pass(pair, 0, 0) ?: loop_pass(pair, 1, 0) ?:
	       loop_expect_count(&pair->to, &pair->to.notified, 0) ?:
	       loop_pass(pair, 2, IB_SEND_SOLICITED) ?:
	       loop_expect_count(&pair->to, &pair->to.notified, 1);
}

/* Moderated, fewer completions than that are told of in time as well. */
static int moderation(struct loop_pair *pair)
{
	return loop_fill(pair, 2) ?: rdma_set_cq_moderation(pair->to.cq, 8, 1000) ?:
	       loop_notify(&pair->to, IB_CQ_NEXT_COMP, 0) ?: loop_pass(pair, 0, 0) ?:
	       loop_expect_count(&pair->to, &pair->to.notified, 1) ?:
	       loop_notify(&pair->to, IB_CQ_NEXT_COMP, 0) ?: loop_pass(pair, 1, 0) ?:
	       loop_expect_count(&pair->to, &pair->to.notified, 2);
}

/* A flag that nobody has promised is an error of the consumer that posts. */
static int unknown_flag(struct loop_pair *pair)
{
	return loop_refused(loop_post_send(pair, 0, LOOP_SIZE, BIT(20)));
}

/* A rate that no link has */
static int unknown_rate(struct loop_pair *pair)
{
	struct rdma_ah_attr attr;
	int err = rdma_query_ah(pair->ah, &attr);

	rdma_ah_set_static_rate(&attr, 63);
	return err ?: loop_refused(loop_aim(pair, &attr, pair->qpn, pair->qkey));
}

/* A timer of more bits than an RNR NAK has for it */
static int unknown_timer(struct loop_pair *pair)
{
	struct ib_qp_attr attr = { .min_rnr_timer = 32 };

	return loop_refused(ib_modify_qp(pair->to.qp, &attr, IB_QP_MIN_RNR_TIMER));
}

static int aim_by_gid(struct loop_pair *pair, const union ib_gid *gid)
{
	struct rdma_ah_attr attr;
	int err = rdma_query_ah(pair->ah, &attr);

	rdma_ah_set_grh(&attr, (union ib_gid *)gid, 0, 0, 1, 0);
	return err ?: loop_aim(pair, &attr, pair->qpn, pair->qkey);
}

/* The LID leads there, but the GID is another one's. */
static int wrong_gid(struct loop_pair *pair)
{
	union ib_gid gid, wrong;
	int err = rdma_query_gid(pair->to.dev, 1, 0, &gid);

	wrong = gid;
	wrong.raw[15] ^= 1;
	return err ?: loop_fill(pair, 1) ?: aim_by_gid(pair, &wrong) ?:
	       loop_post_send(pair, 0, LOOP_SIZE, 0) ?:
	       loop_expect(&pair->from, 0, IB_WC_SUCCESS) ?:
	       loop_expect_nothing(&pair->to) ?:
	       aim_by_gid(pair, &gid) ?: loop_pass(pair, 0, 0);
}

/* next_source() passes a datagram and returns the GID that it comes from. */
static int next_source(struct loop_pair *pair, union ib_gid *gid)
{
	int err = loop_fill(pair, 1) ?: loop_pass(pair, 0, 0);

	*gid = ((const struct ib_grh *)loop_received(pair, 0))->sgid;
	return err;
}

/* A GID is looked up when a datagram is sent: somebody changes it, and the handle stays. */
static int late_gid(struct loop_pair *pair)
{
	unsigned long end = jiffies + LOOP_PATIENCE * HZ;
	union ib_gid gid, first, now;
	struct rdma_ah_attr attr;
	int err;

	err = rdma_query_gid(pair->to.dev, 1, 0, &gid) ?: rdma_query_ah(pair->ah, &attr);
	if (err)
		return err;
	rdma_ah_set_grh(&attr, &gid, 0, 1, 1, 0);
	/* The GID is read before there is the handle that gid_changes() of queues.sh waits for. */
	err = rdma_query_gid(pair->from.dev, 1, 1, &first) ?:
	      loop_aim(pair, &attr, pair->qpn, pair->qkey);
	while (!err) {
		err = next_source(pair, &now);
		if (memcmp(&first, &now, sizeof(now)))
			break;
		if (time_after(jiffies, end))
			return -ETIMEDOUT;
	}
	return err;
}

/* To a group goes what goes to no queue pair, though a member has that number. */
static int group_qpn(struct loop_pair *pair)
{
	union ib_gid mgid = { .raw = { 0xff, 0x12, [15] = 1 } };
	struct rdma_ah_attr attr;
	int err;

	err = rdma_query_ah(pair->ah, &attr) ?:
	      ib_attach_mcast(pair->to.qp, &mgid, LOOP_GROUP_LID);
	if (err)
		return err;
	rdma_ah_set_dlid(&attr, LOOP_GROUP_LID);
	rdma_ah_set_grh(&attr, &mgid, 0, 0, 1, 0);
	err = loop_fill(pair, 1) ?: loop_aim(pair, &attr, pair->qpn, pair->qkey) ?:
	      loop_post_send(pair, 0, LOOP_SIZE, 0) ?:
	      loop_expect(&pair->from, 0, IB_WC_SUCCESS) ?: loop_expect_nothing(&pair->to) ?:
	      loop_aim(pair, &attr, IB_MULTICAST_QPN, pair->qkey) ?: loop_pass(pair, 0, 0);
	return ib_detach_mcast(pair->to.qp, &mgid, LOOP_GROUP_LID) ?: err;
}

/* armed() passes a message and its answer: then both ends have the other path ready. */
static int armed(struct loop_pair *pair)
{
	return loop_fill(pair, LOOP_DEPTH) ?:
	       expect_path(&pair->from, IB_MIG_REARM, pair->to.lid) ?:
	       loop_refused(set_path(&pair->from, IB_MIG_MIGRATED)) ?:
	       loop_pass(pair, 0, 0) ?:
	       expect_path(&pair->from, IB_MIG_ARMED, pair->to.lid) ?:
	       expect_path(&pair->to, IB_MIG_ARMED, pair->from.lid);
}

/* A path that both ends have ready is not replaced behind the other's back. */
static int mig_replaced(struct loop_pair *pair)
{
	return armed(pair) ?: loop_refused(load_path(&pair->from, 0)) ?:
	       expect_path(&pair->from, IB_MIG_ARMED, pair->to.lid) ?:
	       load_path(&pair->from, IB_QP_PATH_MIG_STATE) ?:
	       expect_path(&pair->from, IB_MIG_REARM, pair->to.lid) ?:
	       loop_pass(pair, 1, 0) ?:
	       expect_path(&pair->from, IB_MIG_ARMED, pair->to.lid);
}

static int moved(struct loop_pair *pair)
{
	return loop_expect_event(&pair->from, IB_EVENT_PATH_MIG, 1) ?:
	       expect_path(&pair->from, IB_MIG_MIGRATED, pair->to.lid + 1);
}

/* One end is told to change paths, and the other one goes with it. */
static int mig_commanded(struct loop_pair *pair)
{
	return armed(pair) ?: set_path(&pair->from, IB_MIG_MIGRATED) ?:
	       moved(pair) ?: loop_expect_event(&pair->to, IB_EVENT_PATH_MIG, 0) ?:
	       loop_pass(pair, 1, 0) ?: loop_expect_event(&pair->to, IB_EVENT_PATH_MIG, 1) ?:
	       expect_path(&pair->to, IB_MIG_MIGRATED, pair->from.lid + 1) ?:
	       loop_refused(set_path(&pair->from, IB_MIG_MIGRATED)) ?:
	       loop_refused(set_path(&pair->from, IB_MIG_REARM)) ?:
	       loop_pass(pair, 2, 0);
}

/* The receiver of requests is told to change paths; its acknowledgment says so. */
static int mig_answered(struct loop_pair *pair)
{
	return armed(pair) ?: set_path(&pair->to, IB_MIG_MIGRATED) ?:
	       loop_expect_event(&pair->to, IB_EVENT_PATH_MIG, 1) ?:
	       loop_pass(pair, 1, 0) ?: moved(pair) ?: loop_pass(pair, 2, 0) ?:
	       loop_expect_event(&pair->to, IB_EVENT_PATH_MIG, 1);
}

/* Nobody answers: the other path is tried, as often, and then it is given up. */
static int mig_no_answer(struct loop_pair *pair)
{
	return armed(pair) ?: loop_enter(&pair->to, IB_QPS_RESET) ?:
	       loop_post_send(pair, 1, LOOP_SIZE, 0) ?:
	       loop_post_send(pair, 2, LOOP_BIG, 0) ?:
	       loop_expect(&pair->from, 1, IB_WC_RETRY_EXC_ERR) ?:
	       loop_expect(&pair->from, 2, IB_WC_WR_FLUSH_ERR) ?:
	       moved(pair) ?: loop_expect_state(&pair->from, IB_QPS_ERR);
}

/* A path that the other end does not have is not taken, and it says so. */
static int mig_astray(struct loop_pair *pair)
{
	return armed(pair) ?: set_path(&pair->from, IB_MIG_MIGRATED) ?:
	       moved(pair) ?: loop_post_send(pair, 1, LOOP_SIZE, 0) ?:
	       loop_expect(&pair->from, 1, IB_WC_RETRY_EXC_ERR) ?:
	       loop_expect_event(&pair->to, IB_EVENT_PATH_MIG, 0) ?:
	       expect_path(&pair->to, IB_MIG_ARMED, pair->from.lid) ?:
	       atomic_read(&pair->to.events[IB_EVENT_PATH_MIG_ERR]) ? 0 :
								      -EPROTO;
}

static const struct loop_case cases[] = {
	{ "rc_too_long",	rc_too_long,	{ IB_QPT_RC } },
	{ "uc_too_long",	too_long,	{ IB_QPT_UC } },
	{ "ud_too_long",	too_long,	{ IB_QPT_UD } },
	{ "uc_wrong_key",	wrong_key,	{ IB_QPT_UC } },
	{ "ud_wrong_key",	wrong_key,	{ IB_QPT_UD } },
	{ "rubbish",		rubbish,	{ IB_QPT_UD } },
	{ "wrong_recv_key",	wrong_recv_key,	{ IB_QPT_UD } },
	{ "wrong_domain",	wrong_domain,	{ IB_QPT_UD } },
	{ "foreign_srq",	foreign_srq,	{ IB_QPT_RC, .srq = true } },
	{ "no_header",		no_header,	{ IB_QPT_UD } },
	{ "misled",		misled,		{ IB_QPT_RC, .misled = true } },
	{ "misdirected",	misdirected,	{ IB_QPT_RC, .misdirected = true } },
	{ "long_number",	long_number,	{ IB_QPT_UD } },
	{ "hollow",		hollow,		{ IB_QPT_UD, .hollow = true } },
	{ "group_path",		group_path,	{ IB_QPT_RC, .alternate = true } },
	{ "narrow",		narrow,		{ IB_QPT_RC, .narrow = true } },
	{ "comm_est",		comm_est,	{ IB_QPT_RC, .mute = true } },
	{ "drained",		drained,	{ IB_QPT_RC } },
	{ "psn_wraps",		psn_wraps,	{ IB_QPT_UD } },
	{ "hard_irq",		hard_irq,	{ IB_QPT_RC, .srq = true } },
	{ "rc_no_answer",	rc_no_answer,	{ IB_QPT_RC } },
	{ "rc_not_ready",	rc_not_ready,	{ IB_QPT_RC } },
	{ "rc_flush",		flush,		{ IB_QPT_RC } },
	{ "ud_flush",		flush,		{ IB_QPT_UD } },
	{ "last_wqe",		last_wqe,	{ IB_QPT_RC, .srq = true } },
	{ "srq_limit",		srq_limit,	{ IB_QPT_RC, .srq = true } },
	{ "missed_events",	missed_events,	{ IB_QPT_RC } },
	{ "solicited",		solicited,	{ IB_QPT_UD } },
	{ "moderation",		moderation,	{ IB_QPT_UD } },
	{ "unknown_flag",	unknown_flag,	{ IB_QPT_UD } },
	{ "unknown_rate",	unknown_rate,	{ IB_QPT_UD } },
	{ "unknown_timer",	unknown_timer,	{ IB_QPT_RC } },
	{ "wrong_gid",		wrong_gid,	{ IB_QPT_UD } },
	{ "late_gid",		late_gid,	{ IB_QPT_UD } },
	{ "group_qpn",		group_qpn,	{ IB_QPT_UD } },
	{ "mig_commanded",	mig_commanded,	{ IB_QPT_RC, .alternate = true } },
	{ "mig_replaced",	mig_replaced,	{ IB_QPT_RC, .alternate = true } },
	{ "mig_answered",	mig_answered,	{ IB_QPT_RC, .alternate = true } },
	{ "mig_no_answer",	mig_no_answer,	{ IB_QPT_RC, .alternate = true } },
	{ "mig_astray",		mig_astray,	{ IB_QPT_RC, .alternate = true, .astray = true } },
};

static const struct loop_case *find(const char *name)
{
	const struct loop_case *c;

	for (c = cases; c < cases + ARRAY_SIZE(cases); c++)
		if (!strcmp(c->name, name))
			return c;
	for (c = loop_kinds; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

/**
 * loop_case - see whether devices do what they should in one case
 * @name: which
 * @from: device that sends
 * @to: device that receives
 *
 * Return: 0 if they do, -ENOENT if there is no such case; otherwise the kernel
 * log says what they do instead.
 * Context: Process context, may sleep.
 */
int loop_case(const char *name, struct ib_device *from, struct ib_device *to)
{
	const struct loop_case *c = find(name);
	struct loop_pair *pair;
	int err;

	if (!c)
		return -ENOENT;
	pair = kzalloc(sizeof(*pair), GFP_KERNEL);
	if (!pair)
		return -ENOMEM;
	pair->how = c->how;
	pair->how.size = LOOP_BIG;
	pair->how.retries = 2;
	pair->how.rnr_retries = 2;
	pair->from.dev = from;
	pair->to.dev = to;
	err = loop_connect(pair);
	if (!err) {
		if (c->hurried)
			local_bh_disable();
		err = c->run(pair);
		if (c->hurried)
			local_bh_enable();
	}
	loop_free(pair);
	kfree(pair);
	return err;
}
