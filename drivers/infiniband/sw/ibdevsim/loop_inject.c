// SPDX-License-Identifier: GPL-2.0
#include "loop_inject.h"

#include <linux/iopoll.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "loop_ends.h"

static int aim(struct loop_pair *pair, const struct loop_datagram *d)
{
	struct ib_device *dev = pair->from.dev;
	struct rdma_ah_attr attr = { .type = rdma_ah_find_type(dev, 1) };

	rdma_ah_set_port_num(&attr, 1);
	rdma_ah_set_dlid(&attr, d->dlid);
	if (memchr_inv(&d->dgid, 0, sizeof(d->dgid))) {
		rdma_ah_set_grh(&attr, NULL, 0, 0, 1, 0);
		rdma_ah_set_dgid_raw(&attr, (void *)d->dgid.raw);
	}
	return loop_aim(pair, &attr, d->qpn, d->qkey);
}

/* IBTA 10.2.5: for a privileged one the queue pair's own is sent. */
static int own_qkey(struct loop_pair *pair, u32 qkey)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RTS, .qkey = qkey };

	return ib_modify_qp(pair->from.qp, &attr, IB_QP_STATE | IB_QP_QKEY);
}

static int send_one(struct loop_pair *pair, u32 len)
{
	struct ib_wc wc;
	int n, err;

	err = loop_post_send(pair, 0, len, 0) ?:
	      read_poll_timeout(ib_poll_cq, n, n, 10,
				LOOP_PATIENCE * USEC_PER_SEC, false,
				pair->from.cq, 1, &wc);
	if (err)
		return err;
	return n == 1 && wc.status == IB_WC_SUCCESS ? 0 : -EIO;
}

static int send_all(struct loop_pair *pair, const struct loop_datagram *d)
{
	u32 i;
	int err = 0;

	memcpy(pair->from.buf, d->data, min_t(u32, d->len, sizeof(d->data)));
	for (i = 0; i < d->count && !err; i++)
		err = fatal_signal_pending(current) ? -EINTR :
						      send_one(pair, d->len);
	return err;
}

/**
 * loop_inject - send datagrams from a queue pair of our own
 * @dev: device to send from
 * @d: what, to whom and how often
 *
 * Return: 0 if all of them were sent, or a negative errno.
 * Context: Process context, may sleep.
 */
int loop_inject(struct ib_device *dev, const struct loop_datagram *d)
{
	struct loop_pair pair = {
		.how.type = IB_QPT_UD,
		.how.size = d->len,
		.from.dev = dev,
		.to.dev = dev,
	};
	int err;

	if (d->len > LOOP_INJECT_MAX)
		return -EINVAL;
	err = loop_connect(&pair) ?: aim(&pair, d) ?:
	      own_qkey(&pair, d->qkey) ?: send_all(&pair, d);
	loop_free(&pair);
	return err;
}
