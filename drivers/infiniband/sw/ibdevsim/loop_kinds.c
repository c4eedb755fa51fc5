// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "loop_kinds.h"

#include <linux/bottom_half.h>
#include <linux/iopoll.h>

#include "loop_tcp.h"

#define GROUP_MOST	8		/* members that group_full() has a place for */

#define TCP_SEQ		0xfffffe00
#define TCP_MSS		1000

/* A packet of TCP has come, with the octets of the message from @off on. */
static int expect_tcp(struct loop_pair *pair, u32 slot, u32 off, u32 len, bool right)
{
	const struct loop_tcp *packet;
	struct ib_wc wc;
	bool made;
	int n;
	u32 i;

	if (read_poll_timeout(ib_poll_cq, n, n, 100, LOOP_PATIENCE * USEC_PER_SEC,
			      false, pair->to.cq, 1, &wc))
		return -ETIMEDOUT;
	packet = (const void *)loop_received(pair, slot) + LOOP_GRH_BYTES;
	made = packet->tcp.check != LOOP_TCP_CHECK;
	if (wc.status || wc.byte_len != LOOP_GRH_BYTES + sizeof(*packet) + len ||
	    right != !!(wc.wc_flags & IB_WC_IP_CSUM_OK) ||
	    ntohs(packet->ip.tot_len) != sizeof(*packet) - 4 + len ||
	    right != made ||
	    ntohl(packet->tcp.seq) != (u32)(TCP_SEQ + off)) {
		pr_info("%s: status %d, %u octets, flags %#x, sequence %#x\n",
			dev_name(&pair->to.dev->dev), wc.status, wc.byte_len,
			wc.wc_flags, ntohl(packet->tcp.seq));
		return -EPROTO;
	}
	for (i = 0; i < len; i++)
		if (packet->data[i] != (u8)((off + i) % 251))
			return -EPROTO;
	return 0;
}

static void write_message(u8 *to, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++)
		to[i] = i % 251;
}

/* The sums are made, if that is asked for, and looked at in any case. */
static int checksums(struct loop_pair *pair)
{
	struct loop_tcp *packet = (void *)pair->from.buf;
	u32 len = TCP_MSS + sizeof(*packet);

	loop_tcp_header(packet, TCP_SEQ, TCP_MSS);
	write_message(packet->data, TCP_MSS);
	return loop_fill(pair, 2) ?: loop_post_send(pair, 0, len, IB_SEND_IP_CSUM) ?:
	       loop_expect(&pair->from, 0, IB_WC_SUCCESS) ?:
	       expect_tcp(pair, 0, 0, TCP_MSS, true) ?:
	       loop_post_send(pair, 0, len, 0) ?:
	       loop_expect(&pair->from, 0, IB_WC_SUCCESS) ?:
	       expect_tcp(pair, 1, 0, TCP_MSS, false);
}

/* A segment is cut: two packets of the same length, and what is left. */
static int segments(struct loop_pair *pair)
{
	u32 len = 2 * TCP_MSS + 7;
	struct loop_tcp header;

	loop_tcp_header(&header, TCP_SEQ, len);
	write_message(pair->from.buf, len);
	return loop_fill(pair, 4) ?:
	       loop_post_lso(pair, 0, len, &header, sizeof(header), TCP_MSS) ?:
	       loop_expect(&pair->from, 0, IB_WC_SUCCESS) ?:
	       expect_tcp(pair, 0, 0, TCP_MSS, true) ?:
	       expect_tcp(pair, 1, TCP_MSS, TCP_MSS, true) ?:
	       expect_tcp(pair, 2, 2 * TCP_MSS, 7, true) ?: loop_expect_nothing(&pair->to);
}

/* Packets longer than the port takes, or a header that is cut off, are none. */
static int no_segments(struct loop_pair *pair)
{
	struct loop_tcp header;
	int max = 4096 - sizeof(header);

	loop_tcp_header(&header, TCP_SEQ, LOOP_BIG);
	return loop_refused(loop_post_lso(pair, 0, LOOP_BIG, &header, sizeof(header), 0)) ?:
	       loop_refused(loop_post_lso(pair, 0, LOOP_BIG, &header, 4, TCP_MSS)) ?:
	       loop_post_lso(pair, 0, LOOP_BIG, &header, sizeof(header), max + 1) ?:
	       loop_expect(&pair->from, 0, IB_WC_LOC_QP_OP_ERR) ?: loop_goes_on(pair) ?:
	       loop_post_lso(pair, 0, LOOP_BIG, &header, sizeof(header) - 4, TCP_MSS) ?:
	       loop_expect(&pair->from, 0, IB_WC_LOC_QP_OP_ERR) ?: loop_goes_on(pair);
}

/* An HCA that has not said that it can do any of these refuses them. */
static int no_offloads(struct loop_pair *pair)
{
	struct loop_tcp header;

	loop_tcp_header(&header, TCP_SEQ, LOOP_BIG);
	return loop_refused(loop_post_send(pair, 0, LOOP_SIZE, IB_SEND_IP_CSUM)) ?:
	       loop_refused(loop_post_send(pair, 0, LOOP_SIZE, IB_SEND_INLINE)) ?:
	       loop_refused(loop_post_lso(pair, 0, LOOP_BIG, &header, sizeof(header), TCP_MSS));
}

/* The octets that were in the work request arrive, and not those that are in memory by then. */
static int inline_data(struct loop_pair *pair)
{
	write_message(pair->from.buf, LOOP_SIZE);
	return loop_fill(pair, 1) ?: loop_pass(pair, 0, IB_SEND_INLINE) ?:
	       (loop_received(pair, 0)[LOOP_GRH_BYTES + LOOP_SIZE - 1] == LOOP_SIZE - 1 ?
		0 : -EPROTO) ?:
	       loop_refused(loop_post_send(pair, 0, LOOP_SIZE + 1, IB_SEND_INLINE));
}

/* Some HCAs answer with an event when what is armed is not empty. */
static int event_at_arming(struct loop_pair *pair)
{
	return loop_fill(pair, 1) ?: loop_post_send(pair, 0, LOOP_SIZE, 0) ?:
	       loop_expect(&pair->from, 0, IB_WC_SUCCESS) ?:
	       loop_notify(&pair->to, IB_CQ_NEXT_COMP, 0) ?:
	       loop_expect_count(&pair->to, &pair->to.notified, 1) ?:
	       loop_expect(&pair->to, LOOP_RECV(0), IB_WC_SUCCESS);
}

/* A message that has come is there when it has been handed over, and not before that. */
static int unsynced(struct loop_pair *pair)
{
	const u8 *last = pair->to.buf + LOOP_GRH_BYTES + LOOP_SIZE - 1;

	int err;

	write_message(pair->from.buf, LOOP_SIZE);
	err = loop_fill(pair, 1) ?: loop_pass(pair, 0, 0);
	if (!err && READ_ONCE(*last))
		err = -EPROTO;
	loop_received(pair, 0);
	return err ?: (READ_ONCE(*last) == LOOP_SIZE - 1 ? 0 : -EPROTO);
}

/* The device may use a buffer for ever. */
static int never_unmapped(struct loop_pair *pair)
{
	pair->to.dma = 0;
	return 0;
}

static int full(int err)
{
	return err == -ENOMEM ? 0 : -EPROTO;
}

/* Queues hold what was asked for, and not a power of two. */
static int exact(struct loop_pair *pair)
{
	int err;

	/* The device begins when all have been posted. */
	local_bh_disable();
	err = loop_post_send(pair, 0, LOOP_SIZE, 0) ?: loop_post_send(pair, 1, LOOP_SIZE, 0) ?:
	      loop_post_send(pair, 2, LOOP_SIZE, 0) ?:
	      full(loop_post_send(pair, 3, LOOP_SIZE, 0)) ?:
	      loop_fill(pair, 3) ?: full(loop_post_recv(pair, 3, LOOP_SIZE));
	local_bh_enable();
	return err ?: loop_expect(&pair->from, 0, IB_WC_SUCCESS);
}

/* A buffer has come back when its completion has been polled. */
static int recv_at_poll(struct loop_pair *pair)
{
	return loop_fill(pair, 3) ?: loop_post_send(pair, 0, LOOP_SIZE, 0) ?:
	       loop_expect(&pair->from, 0, IB_WC_SUCCESS) ?:
	       full(loop_post_recv(pair, 3, LOOP_SIZE)) ?:
	       loop_expect(&pair->to, LOOP_RECV(0), IB_WC_SUCCESS) ?:
	       loop_post_recv(pair, 3, pair->to.stride) ?:
	       loop_enter(&pair->to, IB_QPS_ERR) ?:
	       loop_expect(&pair->to, LOOP_RECV(1), IB_WC_WR_FLUSH_ERR) ?:
	       loop_enter(&pair->to, IB_QPS_RESET);
}

/* A send has its slot until its completion has been polled, or that of a later one. */
static int send_at_poll(struct loop_pair *pair)
{
	return loop_fill(pair, 3) ?: loop_post_send(pair, 0, LOOP_SIZE, 0) ?:
	       loop_post_send(pair, 1, LOOP_SIZE, 0) ?: loop_post_send(pair, 2, LOOP_SIZE, 0) ?:
	       loop_expect(&pair->to, LOOP_RECV(0), IB_WC_SUCCESS) ?:
	       loop_expect(&pair->to, LOOP_RECV(1), IB_WC_SUCCESS) ?:
	       loop_expect(&pair->to, LOOP_RECV(2), IB_WC_SUCCESS) ?:
	       full(loop_post_send(pair, 3, LOOP_SIZE, 0)) ?:
	       loop_expect(&pair->from, 0, IB_WC_SUCCESS) ?:
	       loop_post_send(pair, 3, LOOP_SIZE, 0) ?:
	       loop_expect(&pair->from, 1, IB_WC_SUCCESS);
}

/* A queue pair that was reset still has completions. */
static int reset_keeps(struct loop_pair *pair)
{
	return loop_fill(pair, 1) ?: loop_post_send(pair, 0, LOOP_SIZE, 0) ?:
	       loop_expect(&pair->from, 0, IB_WC_SUCCESS) ?: loop_enter(&pair->to, IB_QPS_RESET) ?:
	       loop_expect(&pair->to, LOOP_RECV(0), IB_WC_SUCCESS);
}

static int initialise(struct loop_end *e)
{
	struct ib_qp_attr init = {
		.qp_state = IB_QPS_INIT,
		.port_num = 1,
		.qkey = LOOP_QKEY,
	};

	return ib_modify_qp(e->qp, &init, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_QKEY);
}

/* A queue pair that was reset cannot be used again. */
static int one_life(struct loop_pair *pair)
{
	return loop_enter(&pair->to, IB_QPS_RESET) ?: loop_refused(initialise(&pair->to));
}

/* A queue pair that was reset can be used again. */
static int many_lives(struct loop_pair *pair)
{
	return loop_enter(&pair->to, IB_QPS_RESET) ?: initialise(&pair->to);
}

/* A send that fails takes its queue pair with it. */
static int send_is_fatal(struct loop_pair *pair)
{
	int err;

	pair->from.lkey++;
	err = loop_post_send(pair, 0, LOOP_SIZE, 0);
	pair->from.lkey--;
	return err ?: loop_expect(&pair->from, 0, IB_WC_LOC_PROT_ERR) ?:
	       loop_expect_state(&pair->from, IB_QPS_ERR);
}

/* A group has one LID. */
static int group_lid(struct loop_pair *pair)
{
	union ib_gid mgid = { .raw = { 0xff, 0x12, [15] = 1 } };
	int err;

	err = ib_attach_mcast(pair->to.qp, &mgid, LOOP_GROUP_LID);
	if (err)
		return err;
	err = loop_refused(ib_attach_mcast(pair->to.qp, &mgid, LOOP_GROUP_LID + 1)) ?:
	      loop_refused(ib_detach_mcast(pair->to.qp, &mgid, LOOP_GROUP_LID + 1));
	return ib_detach_mcast(pair->to.qp, &mgid, LOOP_GROUP_LID) ?: err;
}

/* A queue pair that has been reset joins no group, but it can leave. */
static int group_reset(struct loop_pair *pair)
{
	union ib_gid mgid = { .raw = { 0xff, 0x12, [15] = 1 } }, other = mgid;
	struct ib_qp *qp = pair->to.qp;
	int err;

	other.raw[15]++;
	err = ib_attach_mcast(qp, &mgid, LOOP_GROUP_LID);
	if (err)
		return err;
	err = loop_enter(&pair->to, IB_QPS_RESET) ?:
	      loop_refused(ib_attach_mcast(qp, &other, LOOP_GROUP_LID + 1));
	ib_detach_mcast(qp, &other, LOOP_GROUP_LID + 1);
	return ib_detach_mcast(qp, &mgid, LOOP_GROUP_LID) ?: err;
}

/* A group has as many members as the HCA tells, and room again when one has left. */
static int group_full(struct loop_pair *pair)
{
	union ib_gid mgid = { .raw = { 0xff, 0x12, [15] = 1 } };
	struct ib_qp_init_attr attr = {
		.qp_type = IB_QPT_UD,
		.send_cq = pair->to.cq,
		.recv_cq = pair->to.cq,
		.cap = { .max_send_wr = 1, .max_send_sge = 1 },
	};
	int max = pair->to.dev->attrs.max_mcast_qp_attach, n, i, err = 0;
	struct ib_qp *qps[GROUP_MOST + 1];

	if (max > GROUP_MOST)
		return -EOPNOTSUPP;
	for (n = 0; n <= max && !err; n++) {
		qps[n] = ib_create_qp(pair->to.pd, &attr);
		if (IS_ERR(qps[n])) {
			err = PTR_ERR(qps[n]);
			break;
		}
		err = ib_attach_mcast(qps[n], &mgid, LOOP_GROUP_LID);
	}
	err = n == max + 1 ? full(err) : err;
	if (!err)
		err = ib_detach_mcast(qps[0], &mgid, LOOP_GROUP_LID) ?:
		      ib_attach_mcast(qps[max], &mgid, LOOP_GROUP_LID);
	for (i = 0; i < n; i++) {
		ib_detach_mcast(qps[i], &mgid, LOOP_GROUP_LID);
		ib_destroy_qp(qps[i]);
	}
	return err;
}

/* A queue pair that cannot tell what it did fails, and its completion queue is told of. */
static int overrun(struct loop_pair *pair)
{
	return loop_fill(pair, 3) ?: loop_post_send(pair, 0, LOOP_SIZE, 0) ?:
	       loop_expect(&pair->from, 0, IB_WC_SUCCESS) ?:
	       loop_post_send(pair, 1, LOOP_SIZE, 0) ?:
	       loop_expect(&pair->from, 1, IB_WC_SUCCESS) ?:
	       loop_expect_event(&pair->to, IB_EVENT_CQ_ERR, 0) ?:
	       loop_post_send(pair, 2, LOOP_SIZE, 0) ?:
	       loop_expect_event(&pair->to, IB_EVENT_CQ_ERR, 1) ?:
	       loop_expect_event(&pair->to, IB_EVENT_QP_FATAL, 1) ?:
	       loop_expect_state(&pair->to, IB_QPS_ERR) ?:
	       loop_expect(&pair->to, LOOP_RECV(0), IB_WC_SUCCESS);
}

/* Completions are seen later, at both ends. */
static int cq_delayed(struct loop_pair *pair)
{
	return loop_fill(pair, 1) ?: loop_post_send(pair, 0, LOOP_SIZE, 0) ?:
	       loop_expect_nothing(&pair->from) ?: loop_expect_nothing(&pair->to) ?:
	       loop_expect(&pair->to, LOOP_RECV(0), IB_WC_SUCCESS) ?:
	       loop_expect(&pair->from, 0, IB_WC_SUCCESS);
}

/* It is seen when the queue is armed, not before that. */
static int cq_at_arming(struct loop_pair *pair)
{
	return loop_fill(pair, 2) ?: loop_post_send(pair, 0, LOOP_SIZE, 0) ?:
	       loop_expect_nothing(&pair->to) ?:
	       loop_notify(&pair->to, IB_CQ_NEXT_COMP, 1) ?:
	       loop_expect(&pair->to, LOOP_RECV(0), IB_WC_SUCCESS) ?:
	       loop_post_send(pair, 1, LOOP_SIZE, 0) ?:
	       loop_expect_count(&pair->to, &pair->to.notified, 1) ?:
	       loop_expect(&pair->to, LOOP_RECV(1), IB_WC_SUCCESS);
}

/* A datagram is on its way for a while, and its sender is done. */
static int ud_wire(struct loop_pair *pair)
{
	return loop_fill(pair, 1) ?: loop_post_send(pair, 0, LOOP_SIZE, 0) ?:
	       loop_expect(&pair->from, 0, IB_WC_SUCCESS) ?:
	       loop_expect_nothing(&pair->to) ?:
	       loop_expect(&pair->to, LOOP_RECV(0), IB_WC_SUCCESS);
}

/* A sender is done when the answers have come. */
static int rc_wire(struct loop_pair *pair)
{
	return loop_fill(pair, 3) ?: loop_post_send(pair, 0, LOOP_SIZE, 0) ?:
	       loop_post_send(pair, 1, LOOP_BIG, 0) ?:
	       loop_expect(&pair->to, LOOP_RECV(0), IB_WC_SUCCESS) ?:
	       loop_expect(&pair->to, LOOP_RECV(1), IB_WC_SUCCESS) ?:
	       loop_expect_nothing(&pair->from) ?:
	       loop_expect(&pair->from, 0, IB_WC_SUCCESS) ?:
	       loop_expect(&pair->from, 1, IB_WC_SUCCESS);
}

/* The handle of a datagram that has not been sent is kept, or has been copied. */
static int destroy_ah_early(struct loop_pair *pair, int want)
{
	struct rdma_ah_attr attr;
	int err, destroyed;

	err = rdma_query_ah(pair->ah, &attr);
	if (err)
		return err;
	local_bh_disable();
	err = loop_post_send(pair, 0, LOOP_SIZE, 0);
	if (!err) {
		destroyed = rdma_destroy_ah_user(pair->ah, 0, NULL);
		if (!destroyed)
			pair->ah = NULL;
		err = destroyed == want ? 0 : -EPROTO;
	}
	local_bh_enable();
	return err ?: loop_expect(&pair->from, 0, IB_WC_SUCCESS);
}

static int ah_by_value(struct loop_pair *pair)
{
	return destroy_ah_early(pair, 0);
}

static int ah_by_reference(struct loop_pair *pair)
{
	return destroy_ah_early(pair, -EBUSY);
}

/* Verbs that are commands of other HCAs, by themselves: the core has locks of its own. */
static int query_port(struct loop_pair *pair)
{
	struct ib_port_attr attr = { };

	return pair->to.dev->ops.query_port(pair->to.dev, 1, &attr);
}

static int query_gid(struct loop_pair *pair)
{
	union ib_gid gid;

	return pair->to.dev->ops.query_gid(pair->to.dev, 1, 0, &gid);
}

static int query_pkey(struct loop_pair *pair)
{
	u16 pkey;

	return pair->to.dev->ops.query_pkey(pair->to.dev, 1, 0, &pkey);
}

static int modify_port(struct loop_pair *pair)
{
	struct ib_port_modify modify = { };

	return pair->to.dev->ops.modify_port(pair->to.dev, 1, 0, &modify);
}

static int modify_qp(struct loop_pair *pair)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };

	return pair->to.dev->ops.modify_qp(pair->to.qp, &attr, IB_QP_STATE, NULL);
}

static int query_qp(struct loop_pair *pair)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;

	return pair->to.dev->ops.query_qp(pair->to.qp, &attr, 0, &init);
}

static int attach_mcast(struct loop_pair *pair)
{
	union ib_gid mgid = { .raw = { 0xff, 0x12, [15] = 1 } };
	const struct ib_device_ops *ops = &pair->to.dev->ops;
	int err;

	if (!ops->attach_mcast)
		return -EOPNOTSUPP;
	err = ops->attach_mcast(pair->to.qp, &mgid, LOOP_GROUP_LID);
	/*
	 * detach_mcast() is called where it may sleep: a complaint about that would hide that
	 * there is none above.
	 */
	local_bh_enable();
	if (!err)
		err = ops->detach_mcast(pair->to.qp, &mgid, LOOP_GROUP_LID);
	local_bh_disable();
	return err;
}

static int detach_mcast(struct loop_pair *pair)
{
	union ib_gid mgid = { .raw = { 0xff, 0x12, [15] = 1 } };
	const struct ib_device_ops *ops = &pair->to.dev->ops;

	if (!ops->detach_mcast)
		return -EOPNOTSUPP;
	return loop_refused(ops->detach_mcast(pair->to.qp, &mgid, LOOP_GROUP_LID));
}

const struct loop_case loop_kinds[] = {
	{ "checksums",		checksums,	{ IB_QPT_UD, .lso = true } },
	{ "segments",		segments,	{ IB_QPT_UD, .lso = true } },
	{ "no_segments",	no_segments,	{ IB_QPT_UD, .lso = true } },
	{ "no_offloads",	no_offloads,	{ IB_QPT_UD } },
	{ "inline_data",	inline_data,	{ IB_QPT_UD, .max_inline = LOOP_SIZE } },
	{ "event_at_arming",	event_at_arming, { IB_QPT_UD } },
	{ "unsynced",		unsynced,	{ IB_QPT_UD } },
	{ "never_unmapped",	never_unmapped,	{ IB_QPT_UD } },
	{ "exact",		exact,		{ IB_QPT_UD, .depth = 3 } },
	{ "send_at_poll",	send_at_poll,	{ IB_QPT_UD, .depth = 3 } },
	{ "recv_at_poll",	recv_at_poll,	{ IB_QPT_UD, .depth = 3 } },
	{ "reset_keeps",	reset_keeps,	{ IB_QPT_UD } },
	{ "one_life",		one_life,	{ IB_QPT_UD } },
	{ "many_lives",		many_lives,	{ IB_QPT_UD } },
	{ "send_is_fatal",	send_is_fatal,	{ IB_QPT_UD } },
	{ "group_lid",		group_lid,	{ IB_QPT_UD } },
	{ "group_reset",	group_reset,	{ IB_QPT_UD } },
	{ "group_full",		group_full,	{ IB_QPT_UD } },
	{ "overrun",		overrun,	{ IB_QPT_UD, .cqe = 2 } },
	{ "cq_delayed",		cq_delayed,	{ IB_QPT_UD } },
	{ "cq_at_arming",	cq_at_arming,	{ IB_QPT_UD } },
	{ "ud_wire",		ud_wire,	{ IB_QPT_UD } },
	{ "rc_wire",		rc_wire,	{ IB_QPT_RC, .patient = true } },
	{ "ah_by_value",	ah_by_value,	{ IB_QPT_UD } },
	{ "ah_by_reference",	ah_by_reference, { IB_QPT_UD } },
	{ "query_port",		query_port,	{ IB_QPT_UD }, true },
	{ "query_gid",		query_gid,	{ IB_QPT_UD }, true },
	{ "query_pkey",		query_pkey,	{ IB_QPT_UD }, true },
	{ "modify_port",	modify_port,	{ IB_QPT_UD }, true },
	{ "modify_qp",		modify_qp,	{ IB_QPT_UD }, true },
	{ "query_qp",		query_qp,	{ IB_QPT_UD }, true },
	{ "attach_mcast",	attach_mcast,	{ IB_QPT_UD }, true },
	{ "detach_mcast",	detach_mcast,	{ IB_QPT_UD }, true },
	{ }
};
