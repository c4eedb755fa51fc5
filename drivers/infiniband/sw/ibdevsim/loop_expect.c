// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "loop_expect.h"

#include <linux/iopoll.h>

/**
 * loop_expect - wait for the next completion
 * @e: end whose it is
 * @wr_id: work request that it must be of
 * @status: what must have become of it
 *
 * Return: 0, -ETIMEDOUT if there is none, or -EPROTO if it is another one.
 * Context: Process context; busy for so long.
 */
int loop_expect(struct loop_end *e, u64 wr_id, enum ib_wc_status status)
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

/**
 * loop_expect_nothing - nothing has completed
 * @e: end that would know
 *
 * Return: 0, or -EPROTO.
 * Context: Any.
 */
int loop_expect_nothing(struct loop_end *e)
{
	struct ib_wc wc;

	if (!ib_poll_cq(e->cq, 1, &wc))
		return 0;
	pr_info("%s: %llx completes with %s, unexpectedly\n",
		dev_name(&e->dev->dev), wc.wr_id, ib_wc_status_msg(wc.status));
	return -EPROTO;
}

/**
 * loop_expect_count - wait until an end has been told something as often as that
 * @e: the end
 * @count: how often it has been
 * @want: how often it must be
 *
 * Return: 0, or -EPROTO if it is not, or more often.
 * Context: Process context; busy for so long.
 */
int loop_expect_count(struct loop_end *e, atomic_t *count, int want)
{
	int n;

	read_poll_timeout(atomic_read, n, n >= want, 100,
			  LOOP_PATIENCE * USEC_PER_SEC, false, count);
	if (n == want)
		return 0;
	pr_info("%s: told %d times, not %d\n", dev_name(&e->dev->dev), n, want);
	return -EPROTO;
}

/**
 * loop_expect_event - wait for events
 * @e: end that hears of them
 * @type: which
 * @want: how many there must be
 *
 * Return: as loop_expect_count().
 * Context: as loop_expect_count().
 */
int loop_expect_event(struct loop_end *e, enum ib_event_type type, int want)
{
	return loop_expect_count(e, &e->events[type], want);
}

/**
 * loop_expect_state - look at the state of a queue pair
 * @e: end that has it
 * @want: what it must be
 *
 * Return: 0, -EPROTO, or what the query returns.
 * Context: Process context, may sleep.
 */
int loop_expect_state(struct loop_end *e, enum ib_qp_state want)
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

/**
 * loop_enter - bring a queue pair into another state
 * @e: end that has it
 * @state: which
 *
 * Return: 0 or a negative errno.
 * Context: Process context, may sleep.
 */
int loop_enter(struct loop_end *e, enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state };

	return ib_modify_qp(e->qp, &attr, IB_QP_STATE);
}

/**
 * loop_fill - give the receiver buffers
 * @pair: both ends
 * @n: how many, from the first slot on
 *
 * Return: 0 or a negative errno.
 * Context: Any.
 */
int loop_fill(struct loop_pair *pair, u32 n)
{
	int err = 0;
	u32 i;

	for (i = 0; i < n && !err; i++)
		err = loop_post_recv(pair, i, pair->to.stride);
	return err;
}

/**
 * loop_pass - one message there, and both ends hear of it
 * @pair: both ends
 * @slot: of the message, and of its buffer
 * @flags: enum ib_send_flags
 *
 * Return: 0 or a negative errno.
 * Context: Process context, may sleep.
 */
int loop_pass(struct loop_pair *pair, u32 slot, int flags)
{
	return loop_post_send(pair, slot, LOOP_SIZE, flags) ?:
	       loop_expect(&pair->from, slot, IB_WC_SUCCESS) ?:
	       loop_expect(&pair->to, LOOP_RECV(slot), IB_WC_SUCCESS);
}

/**
 * loop_goes_on - only the sending side is stuck, and can be brought to go on
 * @pair: both ends
 *
 * Return: 0 or a negative errno.
 * Context: Process context, may sleep.
 */
int loop_goes_on(struct loop_pair *pair)
{
	return loop_expect_state(&pair->from, IB_QPS_SQE) ?: loop_fill(pair, 1) ?:
	       loop_enter(&pair->from, IB_QPS_RTS) ?: loop_pass(pair, 0, 0);
}

/**
 * loop_notify - arm a completion queue
 * @e: end that has it
 * @flags: enum ib_cq_notify_flags
 * @want: what that must return about completions that are there already
 *
 * Return: 0, or -EPROTO if it is something else.
 * Context: Any.
 */
int loop_notify(struct loop_end *e, int flags, int want)
{
	int missed = ib_req_notify_cq(e->cq, flags | IB_CQ_REPORT_MISSED_EVENTS);

	if (missed == want)
		return 0;
	pr_info("%s: missed events: %d, not %d\n", dev_name(&e->dev->dev),
		missed, want);
	return -EPROTO;
}
