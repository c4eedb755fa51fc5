// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "loop_cases.h"

#include <linux/iopoll.h>
#include <linux/slab.h>

#include "loop_ends.h"

#define SIZE		64
#define BIG		4096
#define RECV(_slot)	(LOOP_RECV_ID | (_slot))

/* Waits for the next completion: it must be this one. */
static int expect(struct loop_end *e, u64 wr_id, enum ib_wc_status status)
{
	struct ib_wc wc;
	int n;

	if (read_poll_timeout(ib_poll_cq, n, n, 100,
			      LOOP_PATIENCE * USEC_PER_SEC, false,
			      e->cq, 1, &wc)) {
		pr_info("%s: nothing completes, not %llx with %s\n",
			dev_name(&e->dev->dev), wr_id,
			ib_wc_status_msg(status));
		return -ETIMEDOUT;
	}
	if (n == 1 && wc.wr_id == wr_id && wc.status == status)
		return 0;
	pr_info("%s: %llx completes with %s, not %llx with %s\n",
		dev_name(&e->dev->dev), wc.wr_id, ib_wc_status_msg(wc.status),
		wr_id, ib_wc_status_msg(status));
	return -EPROTO;
}

static int expect_nothing(struct loop_end *e)
{
	struct ib_wc wc;

	if (!ib_poll_cq(e->cq, 1, &wc))
		return 0;
	pr_info("%s: %llx completes with %s, unexpectedly\n",
		dev_name(&e->dev->dev), wc.wr_id, ib_wc_status_msg(wc.status));
	return -EPROTO;
}

static int expect_count(struct loop_end *e, atomic_t *count, int want)
{
	int n;

	read_poll_timeout(atomic_read, n, n >= want, 100,
			  LOOP_PATIENCE * USEC_PER_SEC, false, count);
	if (n == want)
		return 0;
	pr_info("%s: told %d times, not %d\n", dev_name(&e->dev->dev), n, want);
	return -EPROTO;
}

static int expect_event(struct loop_end *e, enum ib_event_type type, int want)
{
	return expect_count(e, &e->events[type], want);
}

static int expect_state(struct loop_end *e, enum ib_qp_state want)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;
	int err = ib_query_qp(e->qp, &attr, IB_QP_STATE, &init);

	if (err || attr.qp_state == want)
		return err;
	pr_info("%s: in state %d, not %d\n", dev_name(&e->dev->dev),
		attr.qp_state, want);
	return -EPROTO;
}

/* What is in use, and what of the other path. */
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

static int refused(int err)
{
	return err == -EINVAL ? 0 : -EPROTO;
}

static int enter(struct loop_end *e, enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state };

	return ib_modify_qp(e->qp, &attr, IB_QP_STATE);
}

static int fill(struct loop_pair *pair, u32 n)
{
	int err = 0;
	u32 i;

	for (i = 0; i < n && !err; i++)
		err = loop_post_recv(pair, i, pair->to.stride);
	return err;
}

/* One message there, and both ends hear of it. */
static int pass(struct loop_pair *pair, u32 slot, int flags)
{
	return loop_post_send(pair, slot, SIZE, flags) ?:
	       expect(&pair->from, slot, IB_WC_SUCCESS) ?:
	       expect(&pair->to, RECV(slot), IB_WC_SUCCESS);
}

/* What does not fit into the buffer ends the connection, at both ends. */
static int rc_too_long(struct loop_pair *pair)
{
	return loop_post_recv(pair, 0, SIZE - 1) ?:
	       loop_post_recv(pair, 1, SIZE) ?:
	       loop_post_send(pair, 0, SIZE, 0) ?:
	       expect(&pair->to, RECV(0), IB_WC_LOC_LEN_ERR) ?:
	       expect(&pair->to, RECV(1), IB_WC_WR_FLUSH_ERR) ?:
	       expect(&pair->from, 0, IB_WC_REM_INV_REQ_ERR) ?:
	       expect_state(&pair->from, IB_QPS_ERR) ?:
	       expect_state(&pair->to, IB_QPS_ERR);
}

/* Nobody answers: retried, given up, and what follows is flushed. */
static int rc_no_answer(struct loop_pair *pair)
{
	return enter(&pair->to, IB_QPS_RESET) ?:
	       loop_post_send(pair, 0, SIZE, 0) ?:
	       loop_post_send(pair, 1, BIG, 0) ?:
	       expect(&pair->from, 0, IB_WC_RETRY_EXC_ERR) ?:
	       expect(&pair->from, 1, IB_WC_WR_FLUSH_ERR) ?:
	       expect_state(&pair->from, IB_QPS_ERR);
}

/* The receiver never has a buffer. */
static int rc_not_ready(struct loop_pair *pair)
{
	return loop_post_send(pair, 0, SIZE, 0) ?:
	       expect(&pair->from, 0, IB_WC_RNR_RETRY_EXC_ERR) ?:
	       expect_state(&pair->from, IB_QPS_ERR) ?:
	       expect_state(&pair->to, IB_QPS_RTS);
}

/* All buffers come back, in order, and what is posted after that as well. */
static int flush(struct loop_pair *pair)
{
	return fill(pair, 3) ?: enter(&pair->to, IB_QPS_ERR) ?:
	       expect(&pair->to, RECV(0), IB_WC_WR_FLUSH_ERR) ?:
	       expect(&pair->to, RECV(1), IB_WC_WR_FLUSH_ERR) ?:
	       expect(&pair->to, RECV(2), IB_WC_WR_FLUSH_ERR) ?:
	       loop_post_recv(pair, 3, SIZE) ?:
	       expect(&pair->to, RECV(3), IB_WC_WR_FLUSH_ERR) ?:
	       enter(&pair->from, IB_QPS_ERR) ?:
	       loop_post_send(pair, 4, SIZE, 0) ?:
	       expect(&pair->from, 4, IB_WC_WR_FLUSH_ERR) ?:
	       expect_event(&pair->to, IB_EVENT_QP_LAST_WQE_REACHED, 0);
}

/* A queue pair that fails keeps no buffer of a shared queue, and says so. */
static int last_wqe(struct loop_pair *pair)
{
	return fill(pair, 3) ?: pass(pair, 0, 0) ?:
	       enter(&pair->to, IB_QPS_ERR) ?:
	       expect_event(&pair->to, IB_EVENT_QP_LAST_WQE_REACHED, 1) ?:
	       expect_nothing(&pair->to);
}

/* The limit is told of when it is passed, once. */
static int srq_limit(struct loop_pair *pair)
{
	struct ib_srq_attr attr = { .srq_limit = LOOP_DEPTH - 2 };

	return fill(pair, LOOP_DEPTH) ?:
	       ib_modify_srq(pair->to.srq, &attr, IB_SRQ_LIMIT) ?:
	       pass(pair, 0, 0) ?: pass(pair, 1, 0) ?:
	       expect_event(&pair->to, IB_EVENT_SRQ_LIMIT_REACHED, 0) ?:
	       pass(pair, 2, 0) ?:
	       expect_event(&pair->to, IB_EVENT_SRQ_LIMIT_REACHED, 1) ?:
	       pass(pair, 3, 0) ?:
	       expect_event(&pair->to, IB_EVENT_SRQ_LIMIT_REACHED, 1);
}

static int notify(struct loop_end *e, int flags, int want)
{
	int missed = ib_req_notify_cq(e->cq, flags | IB_CQ_REPORT_MISSED_EVENTS);

	if (missed == want)
		return 0;
	pr_info("%s: missed events: %d, not %d\n", dev_name(&e->dev->dev),
		missed, want);
	return -EPROTO;
}

/* Who asks for notification hears of what is there already. */
static int missed_events(struct loop_pair *pair)
{
	return fill(pair, 1) ?:
	       loop_post_send(pair, 0, SIZE, 0) ?:
	       expect(&pair->from, 0, IB_WC_SUCCESS) ?:
	       notify(&pair->to, IB_CQ_NEXT_COMP, 1) ?:
	       expect(&pair->to, RECV(0), IB_WC_SUCCESS) ?:
	       notify(&pair->to, IB_CQ_NEXT_COMP, 0);
}

/* Only what the sender marks is told of. */
static int solicited(struct loop_pair *pair)
{
	return fill(pair, 3) ?: notify(&pair->to, IB_CQ_SOLICITED, 0) ?:
	       pass(pair, 0, 0) ?: pass(pair, 1, 0) ?:
	       expect_count(&pair->to, &pair->to.notified, 0) ?:
	       pass(pair, 2, IB_SEND_SOLICITED) ?:
	       expect_count(&pair->to, &pair->to.notified, 1);
}

/* Moderated, fewer completions than that are told of in time as well. */
static int moderation(struct loop_pair *pair)
{
	return fill(pair, 2) ?: rdma_set_cq_moderation(pair->to.cq, 8, 1000) ?:
	       notify(&pair->to, IB_CQ_NEXT_COMP, 0) ?: pass(pair, 0, 0) ?:
	       expect_count(&pair->to, &pair->to.notified, 1) ?:
	       notify(&pair->to, IB_CQ_NEXT_COMP, 0) ?: pass(pair, 1, 0) ?:
	       expect_count(&pair->to, &pair->to.notified, 2);
}

/* A message over it, and its answer: then both ends have the other path ready. */
static int armed(struct loop_pair *pair)
{
	return fill(pair, LOOP_DEPTH) ?:
	       expect_path(&pair->from, IB_MIG_REARM, pair->to.lid) ?:
	       refused(set_path(&pair->from, IB_MIG_MIGRATED)) ?:
	       pass(pair, 0, 0) ?:
	       expect_path(&pair->from, IB_MIG_ARMED, pair->to.lid) ?:
	       expect_path(&pair->to, IB_MIG_ARMED, pair->from.lid);
}

/* What both have ready is not replaced behind the other's back. */
static int mig_replaced(struct loop_pair *pair)
{
	return armed(pair) ?: refused(load_path(&pair->from, 0)) ?:
	       expect_path(&pair->from, IB_MIG_ARMED, pair->to.lid) ?:
	       load_path(&pair->from, IB_QP_PATH_MIG_STATE) ?:
	       expect_path(&pair->from, IB_MIG_REARM, pair->to.lid) ?:
	       pass(pair, 1, 0) ?:
	       expect_path(&pair->from, IB_MIG_ARMED, pair->to.lid);
}

static int moved(struct loop_pair *pair)
{
	return expect_event(&pair->from, IB_EVENT_PATH_MIG, 1) ?:
	       expect_path(&pair->from, IB_MIG_MIGRATED, pair->to.lid + 1);
}

/* One end is told to, and the other one goes with it. */
static int mig_commanded(struct loop_pair *pair)
{
	return armed(pair) ?: set_path(&pair->from, IB_MIG_MIGRATED) ?:
	       moved(pair) ?: expect_event(&pair->to, IB_EVENT_PATH_MIG, 0) ?:
	       pass(pair, 1, 0) ?: expect_event(&pair->to, IB_EVENT_PATH_MIG, 1) ?:
	       expect_path(&pair->to, IB_MIG_MIGRATED, pair->from.lid + 1) ?:
	       refused(set_path(&pair->from, IB_MIG_MIGRATED)) ?:
	       refused(set_path(&pair->from, IB_MIG_REARM)) ?:
	       pass(pair, 2, 0);
}

/* The receiver of requests is told to; its acknowledgment says so. */
static int mig_answered(struct loop_pair *pair)
{
	return armed(pair) ?: set_path(&pair->to, IB_MIG_MIGRATED) ?:
	       expect_event(&pair->to, IB_EVENT_PATH_MIG, 1) ?:
	       pass(pair, 1, 0) ?: moved(pair) ?: pass(pair, 2, 0) ?:
	       expect_event(&pair->to, IB_EVENT_PATH_MIG, 1);
}

/* Nobody answers: the other path is tried, as often, and then it is given up. */
static int mig_no_answer(struct loop_pair *pair)
{
	return armed(pair) ?: enter(&pair->to, IB_QPS_RESET) ?:
	       loop_post_send(pair, 1, SIZE, 0) ?:
	       loop_post_send(pair, 2, BIG, 0) ?:
	       expect(&pair->from, 1, IB_WC_RETRY_EXC_ERR) ?:
	       expect(&pair->from, 2, IB_WC_WR_FLUSH_ERR) ?:
	       moved(pair) ?: expect_state(&pair->from, IB_QPS_ERR);
}

/* A path that the other end does not have is not taken, and it says so. */
static int mig_astray(struct loop_pair *pair)
{
	return armed(pair) ?: set_path(&pair->from, IB_MIG_MIGRATED) ?:
	       moved(pair) ?: loop_post_send(pair, 1, SIZE, 0) ?:
	       expect(&pair->from, 1, IB_WC_RETRY_EXC_ERR) ?:
	       expect_event(&pair->to, IB_EVENT_PATH_MIG, 0) ?:
	       expect_path(&pair->to, IB_MIG_ARMED, pair->from.lid) ?:
	       atomic_read(&pair->to.events[IB_EVENT_PATH_MIG_ERR]) ? 0 :
								      -EPROTO;
}

static const struct {
	const char *name;
	int (*run)(struct loop_pair *pair);
	enum ib_qp_type type;
	bool srq;
	bool alternate;
	bool astray;
} cases[] = {
	{ "rc_too_long",	rc_too_long,	IB_QPT_RC },
	{ "rc_no_answer",	rc_no_answer,	IB_QPT_RC },
	{ "rc_not_ready",	rc_not_ready,	IB_QPT_RC },
	{ "rc_flush",		flush,		IB_QPT_RC },
	{ "ud_flush",		flush,		IB_QPT_UD },
	{ "last_wqe",		last_wqe,	IB_QPT_RC, true },
	{ "srq_limit",		srq_limit,	IB_QPT_RC, true },
	{ "missed_events",	missed_events,	IB_QPT_RC },
	{ "solicited",		solicited,	IB_QPT_UD },
	{ "moderation",		moderation,	IB_QPT_UD },
	{ "mig_commanded",	mig_commanded,	IB_QPT_RC, .alternate = true },
	{ "mig_replaced",	mig_replaced,	IB_QPT_RC, .alternate = true },
	{ "mig_answered",	mig_answered,	IB_QPT_RC, .alternate = true },
	{ "mig_no_answer",	mig_no_answer,	IB_QPT_RC, .alternate = true },
	{ "mig_astray",		mig_astray,	IB_QPT_RC, .alternate = true,
	  .astray = true },
};

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
	struct loop_pair *pair;
	int i, err;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		if (!strcmp(cases[i].name, name))
			break;
	if (i == ARRAY_SIZE(cases))
		return -ENOENT;
	pair = kzalloc(sizeof(*pair), GFP_KERNEL);
	if (!pair)
		return -ENOMEM;
	pair->type = cases[i].type;
	pair->srq = cases[i].srq;
	pair->alternate = cases[i].alternate;
	pair->astray = cases[i].astray;
	pair->size = BIG;
	pair->retries = 2;
	pair->rnr_retries = 2;
	pair->from.dev = from;
	pair->to.dev = to;
	err = loop_connect(pair) ?: cases[i].run(pair);
	loop_free(pair);
	kfree(pair);
	return err;
}
