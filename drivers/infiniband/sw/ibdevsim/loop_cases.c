// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "loop_cases.h"

#include <linux/bottom_half.h>
#include <linux/iopoll.h>
#include <linux/ip.h>
#include <linux/slab.h>
#include <linux/tcp.h>
#include <rdma/ib_cache.h>

#include "loop_ends.h"

#define SIZE		64
#define BIG		4096
#define RECV(_slot)	(LOOP_RECV_ID | (_slot))
#define GROUP_LID	0xc001
#define GROUP_MOST	8		/* members that group_full() has a place for */

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

/* What does not fit into the buffer is lost, and the buffer is for the next one. */
static int too_long(struct loop_pair *pair)
{
	u32 header = pair->type == IB_QPT_UD ? LOOP_GRH_BYTES : 0;

	return loop_post_recv(pair, 0, header + SIZE - 1) ?:
	       loop_post_send(pair, 0, SIZE, 0) ?:
	       expect(&pair->from, 0, IB_WC_SUCCESS) ?:
	       loop_post_send(pair, 1, SIZE - 1, 0) ?:
	       expect(&pair->from, 1, IB_WC_SUCCESS) ?:
	       expect(&pair->to, RECV(0), IB_WC_SUCCESS) ?:
	       expect_state(&pair->to, IB_QPS_RTS);
}

/* Only the sending side is stuck, and can be brought to go on. */
static int goes_on(struct loop_pair *pair)
{
	return expect_state(&pair->from, IB_QPS_SQE) ?: fill(pair, 1) ?:
	       enter(&pair->from, IB_QPS_RTS) ?: pass(pair, 0, 0);
}

/* The key is another's; what was posted after that is flushed. */
static int wrong_key(struct loop_pair *pair)
{
	int err;

	pair->from.lkey++;
	err = loop_post_send(pair, 0, SIZE, 0) ?:
	      loop_post_send(pair, 1, SIZE, 0);
	pair->from.lkey--;
	return err ?: expect(&pair->from, 0, IB_WC_LOC_PROT_ERR) ?:
	       expect(&pair->from, 1, IB_WC_WR_FLUSH_ERR) ?: goes_on(pair);
}

/* The address handle is of another domain, in fact of another device. */
static int wrong_domain(struct loop_pair *pair)
{
	struct rdma_ah_attr attr;
	int err = rdma_query_ah(pair->ah, &attr);

	swap(pair->from.pd, pair->to.pd);
	err = err ?: loop_aim(pair, &attr, pair->qpn, pair->qkey);
	swap(pair->from.pd, pair->to.pd);
	return err ?: loop_post_send(pair, 0, SIZE, 0) ?:
	       expect(&pair->from, 0, IB_WC_LOC_QP_OP_ERR) ?:
	       loop_aim(pair, &attr, pair->qpn, pair->qkey) ?: goes_on(pair);
}

/* Of a failure only the number and the status are said; IBA 11.4.2.1. */
static int rubbish(struct loop_pair *pair)
{
	struct ib_wc wc = { .byte_len = SIZE };
	int n, err;

	pair->from.lkey++;
	err = loop_post_send(pair, 0, SIZE, 0);
	pair->from.lkey--;
	err = err ?: read_poll_timeout(ib_poll_cq, n, n, 100, LOOP_PATIENCE * USEC_PER_SEC,
				       false, pair->from.cq, 1, &wc);
	return err ?: (wc.opcode == IB_WC_SEND || wc.byte_len == SIZE ||
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
	      loop_post_send(pair, 0, SIZE, 0) ?: loop_post_send(pair, 1, SIZE, 0);
	local_bh_enable();
	return err ?: expect(&pair->to, RECV(0), IB_WC_LOC_PROT_ERR) ?:
	       expect(&pair->to, RECV(1), IB_WC_WR_FLUSH_ERR) ?:
	       expect_state(&pair->to, IB_QPS_ERR) ?:
	       expect(&pair->from, 0, IB_WC_SUCCESS) ?:
	       expect(&pair->from, 1, IB_WC_SUCCESS);
}

/* A shared queue is for queue pairs of its own domain. */
static int foreign_srq(struct loop_pair *pair)
{
	struct ib_qp_init_attr attr = {
		.qp_type = pair->type,
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
	return refused(PTR_ERR_OR_ZERO(qp));
}

/* There is room for a header that does not come, and nobody says what is in it. */
static int no_header(struct loop_pair *pair)
{
	return fill(pair, 1) ?: pass(pair, 0, 0) ?:
	       memchr_inv(loop_received(pair, 0), 0, LOOP_GRH_BYTES) ? 0 : -EPROTO;
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

/* Packets are longer than the receiver's path has them. */
static int narrow(struct loop_pair *pair)
{
	return fill(pair, 1) ?: loop_post_send(pair, 0, BIG, 0) ?:
	       expect(&pair->from, 0, IB_WC_REM_INV_REQ_ERR) ?:
	       expect_state(&pair->from, IB_QPS_ERR);
}

/* Packets that come from elsewhere are not the peer's. */
static int misled(struct loop_pair *pair)
{
	return fill(pair, 1) ?: loop_post_send(pair, 0, SIZE, 0) ?:
	       expect(&pair->from, 0, IB_WC_RETRY_EXC_ERR) ?:
	       expect_nothing(&pair->to) ?:
	       expect_state(&pair->to, IB_QPS_RTS);
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

/* A receiver that cannot send yet is told that the connection works, once. */
static int comm_est(struct loop_pair *pair)
{
	return fill(pair, 2) ?: pass(pair, 0, 0) ?: pass(pair, 1, 0) ?:
	       expect_event(&pair->to, IB_EVENT_COMM_EST, 1);
}

static int drain(struct loop_pair *pair, int with)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_SQD,
		.en_sqd_async_notify = 1,
	};

	return ib_modify_qp(pair->from.qp, &attr, IB_QP_STATE | with);
}

/* Who does not ask is not told that all has been sent. */
static int drained(struct loop_pair *pair)
{
	return fill(pair, 2) ?: pass(pair, 0, 0) ?:
	       drain(pair, 0) ?: enter(&pair->from, IB_QPS_RTS) ?: pass(pair, 1, 0) ?:
	       expect_event(&pair->from, IB_EVENT_SQ_DRAINED, 0) ?:
	       drain(pair, IB_QP_EN_SQD_ASYNC_NOTIFY) ?:
	       expect_event(&pair->from, IB_EVENT_SQ_DRAINED, 1);
}

/* Datagrams are counted, and the count wraps. */
static int psn_wraps(struct loop_pair *pair)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;
	int i, err = 0;

	for (i = 0; i < 17 && !err; i++)
		err = fill(pair, 1) ?: pass(pair, 0, 0);
	return err ?: ib_query_qp(pair->from.qp, &attr, IB_QP_SQ_PSN, &init) ?:
	       (attr.sq_psn == 1 ? 0 : -EPROTO);
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

/* Whatever consumers are told of, they are told in a hard interrupt. */
static int hard_irq(struct loop_pair *pair)
{
	return fill(pair, 3) ?: notify(&pair->to, IB_CQ_NEXT_COMP, 0) ?: pass(pair, 0, 0) ?:
	       expect_count(&pair->to, &pair->to.notified, 1) ?:
	       enter(&pair->to, IB_QPS_ERR) ?:
	       expect_event(&pair->to, IB_EVENT_QP_LAST_WQE_REACHED, 1) ?:
	       expect_count(&pair->to, &pair->to.soft, 0);
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

/* As IPoIB has it: TCP, and no sum in it is right. */
struct tcp_packet {
	__be16 proto;
	__be16 reserved;
	struct iphdr ip;
	struct tcphdr tcp;
	u8 data[];
};

#define TCP_SEQ		0xfffffe00
#define TCP_MSS		1000
/* What stands where the HCA is to put a sum. */
#define TCP_CHECK	((__force __sum16)htons(0x1234))

static void tcp_header(struct tcp_packet *packet, u32 len)
{
	memset(packet, 0, sizeof(*packet));
	packet->proto = htons(ETH_P_IP);
	packet->ip = (struct iphdr) {
		.version = 4,
		.ihl = 5,
		.ttl = 64,
		.protocol = IPPROTO_TCP,
		.tot_len = htons(len + sizeof(*packet) - 4),
		.check = TCP_CHECK,
		.saddr = htonl(0x0a000001),
		.daddr = htonl(0x0a000002),
	};
	packet->tcp.seq = htonl(TCP_SEQ);
	packet->tcp.doff = sizeof(packet->tcp) / 4;
	packet->tcp.check = TCP_CHECK;
}

/* A packet of TCP has come, with the octets of the message from @off on. */
static int expect_tcp(struct loop_pair *pair, u32 slot, u32 off, u32 len, bool right)
{
	const struct tcp_packet *packet;
	struct ib_wc wc;
	bool made;
	int n;
	u32 i;

	if (read_poll_timeout(ib_poll_cq, n, n, 100, LOOP_PATIENCE * USEC_PER_SEC,
			      false, pair->to.cq, 1, &wc))
		return -ETIMEDOUT;
	packet = (const void *)loop_received(pair, slot) + LOOP_GRH_BYTES;
	made = packet->tcp.check != TCP_CHECK;
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
	struct tcp_packet *packet = (void *)pair->from.buf;
	u32 len = TCP_MSS + sizeof(*packet);

	tcp_header(packet, TCP_MSS);
	write_message(packet->data, TCP_MSS);
	return fill(pair, 2) ?: loop_post_send(pair, 0, len, IB_SEND_IP_CSUM) ?:
	       expect(&pair->from, 0, IB_WC_SUCCESS) ?:
	       expect_tcp(pair, 0, 0, TCP_MSS, true) ?:
	       loop_post_send(pair, 0, len, 0) ?:
	       expect(&pair->from, 0, IB_WC_SUCCESS) ?:
	       expect_tcp(pair, 1, 0, TCP_MSS, false);
}

/* A segment is cut: two packets of the same length, and what is left. */
static int segments(struct loop_pair *pair)
{
	u32 len = 2 * TCP_MSS + 7;
	struct tcp_packet header;

	tcp_header(&header, len);
	write_message(pair->from.buf, len);
	return fill(pair, 4) ?:
	       loop_post_lso(pair, 0, len, &header, sizeof(header), TCP_MSS) ?:
	       expect(&pair->from, 0, IB_WC_SUCCESS) ?:
	       expect_tcp(pair, 0, 0, TCP_MSS, true) ?:
	       expect_tcp(pair, 1, TCP_MSS, TCP_MSS, true) ?:
	       expect_tcp(pair, 2, 2 * TCP_MSS, 7, true) ?: expect_nothing(&pair->to);
}

/* Packets longer than the port takes, or a header that is cut off, are none. */
static int no_segments(struct loop_pair *pair)
{
	struct tcp_packet header;
	int max = 4096 - sizeof(header);

	tcp_header(&header, BIG);
	return refused(loop_post_lso(pair, 0, BIG, &header, sizeof(header), 0)) ?:
	       refused(loop_post_lso(pair, 0, BIG, &header, 4, TCP_MSS)) ?:
	       loop_post_lso(pair, 0, BIG, &header, sizeof(header), max + 1) ?:
	       expect(&pair->from, 0, IB_WC_LOC_QP_OP_ERR) ?: goes_on(pair) ?:
	       loop_post_lso(pair, 0, BIG, &header, sizeof(header) - 4, TCP_MSS) ?:
	       expect(&pair->from, 0, IB_WC_LOC_QP_OP_ERR) ?: goes_on(pair);
}

/* Nobody said that it could. */
static int no_offloads(struct loop_pair *pair)
{
	struct tcp_packet header;

	tcp_header(&header, BIG);
	return refused(loop_post_send(pair, 0, SIZE, IB_SEND_IP_CSUM)) ?:
	       refused(loop_post_send(pair, 0, SIZE, IB_SEND_INLINE)) ?:
	       refused(loop_post_lso(pair, 0, BIG, &header, sizeof(header), TCP_MSS));
}

/* What was in the work request arrives, and not what is in memory by then. */
static int inline_data(struct loop_pair *pair)
{
	write_message(pair->from.buf, SIZE);
	return fill(pair, 1) ?: pass(pair, 0, IB_SEND_INLINE) ?:
	       (loop_received(pair, 0)[LOOP_GRH_BYTES + SIZE - 1] == SIZE - 1 ?
		0 : -EPROTO) ?:
	       refused(loop_post_send(pair, 0, SIZE + 1, IB_SEND_INLINE));
}

/* Some HCAs answer with an event when what is armed is not empty. */
static int event_at_arming(struct loop_pair *pair)
{
	return fill(pair, 1) ?: loop_post_send(pair, 0, SIZE, 0) ?:
	       expect(&pair->from, 0, IB_WC_SUCCESS) ?:
	       notify(&pair->to, IB_CQ_NEXT_COMP, 0) ?:
	       expect_count(&pair->to, &pair->to.notified, 1) ?:
	       expect(&pair->to, RECV(0), IB_WC_SUCCESS);
}

/* A flag that nobody has promised is an error of who posts. */
static int unknown_flag(struct loop_pair *pair)
{
	return refused(loop_post_send(pair, 0, SIZE, BIT(20)));
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
	return err ?: fill(pair, 1) ?: aim_by_gid(pair, &wrong) ?:
	       loop_post_send(pair, 0, SIZE, 0) ?:
	       expect(&pair->from, 0, IB_WC_SUCCESS) ?:
	       expect_nothing(&pair->to) ?:
	       aim_by_gid(pair, &gid) ?: pass(pair, 0, 0);
}

/* The source of what comes next. */
static int next_source(struct loop_pair *pair, union ib_gid *gid)
{
	int err = fill(pair, 1) ?: pass(pair, 0, 0);

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
	/* Before there is the handle that gid_changes() of queues.sh waits for. */
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

/* What has come is there when it has been handed over, and not before that. */
static int unsynced(struct loop_pair *pair)
{
	const u8 *last = pair->to.buf + LOOP_GRH_BYTES + SIZE - 1;

	int err;

	write_message(pair->from.buf, SIZE);
	err = fill(pair, 1) ?: pass(pair, 0, 0);
	if (!err && READ_ONCE(*last))
		err = -EPROTO;
	loop_received(pair, 0);
	return err ?: (READ_ONCE(*last) == SIZE - 1 ? 0 : -EPROTO);
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
	err = loop_post_send(pair, 0, SIZE, 0) ?: loop_post_send(pair, 1, SIZE, 0) ?:
	      loop_post_send(pair, 2, SIZE, 0) ?:
	      full(loop_post_send(pair, 3, SIZE, 0)) ?:
	      fill(pair, 3) ?: full(loop_post_recv(pair, 3, SIZE));
	local_bh_enable();
	return err ?: expect(&pair->from, 0, IB_WC_SUCCESS);
}

/* A buffer has come back when its completion has been polled. */
static int recv_at_poll(struct loop_pair *pair)
{
	return fill(pair, 3) ?: loop_post_send(pair, 0, SIZE, 0) ?:
	       expect(&pair->from, 0, IB_WC_SUCCESS) ?:
	       full(loop_post_recv(pair, 3, SIZE)) ?:
	       expect(&pair->to, RECV(0), IB_WC_SUCCESS) ?:
	       loop_post_recv(pair, 3, pair->to.stride) ?:
	       enter(&pair->to, IB_QPS_ERR) ?:
	       expect(&pair->to, RECV(1), IB_WC_WR_FLUSH_ERR) ?:
	       enter(&pair->to, IB_QPS_RESET);
}

/* A send has its slot until its completion has been polled, or that of a later one. */
static int send_at_poll(struct loop_pair *pair)
{
	return fill(pair, 3) ?: loop_post_send(pair, 0, SIZE, 0) ?:
	       loop_post_send(pair, 1, SIZE, 0) ?: loop_post_send(pair, 2, SIZE, 0) ?:
	       expect(&pair->to, RECV(0), IB_WC_SUCCESS) ?:
	       expect(&pair->to, RECV(1), IB_WC_SUCCESS) ?:
	       expect(&pair->to, RECV(2), IB_WC_SUCCESS) ?:
	       full(loop_post_send(pair, 3, SIZE, 0)) ?:
	       expect(&pair->from, 0, IB_WC_SUCCESS) ?: loop_post_send(pair, 3, SIZE, 0) ?:
	       expect(&pair->from, 1, IB_WC_SUCCESS);
}

/* Of a queue pair that was reset there are still completions. */
static int reset_keeps(struct loop_pair *pair)
{
	return fill(pair, 1) ?: loop_post_send(pair, 0, SIZE, 0) ?:
	       expect(&pair->from, 0, IB_WC_SUCCESS) ?: enter(&pair->to, IB_QPS_RESET) ?:
	       expect(&pair->to, RECV(0), IB_WC_SUCCESS);
}

/* A group has one LID. */
static int group_lid(struct loop_pair *pair)
{
	union ib_gid mgid = { .raw = { 0xff, 0x12, [15] = 1 } };
	int err;

	err = ib_attach_mcast(pair->to.qp, &mgid, GROUP_LID);
	if (err)
		return err;
	err = refused(ib_attach_mcast(pair->to.qp, &mgid, GROUP_LID + 1));
	return ib_detach_mcast(pair->to.qp, &mgid, GROUP_LID) ?: err;
}

/* To a group goes what goes to no queue pair, though a member has that number. */
static int group_qpn(struct loop_pair *pair)
{
	union ib_gid mgid = { .raw = { 0xff, 0x12, [15] = 1 } };
	struct rdma_ah_attr attr;
	int err;

	err = rdma_query_ah(pair->ah, &attr) ?:
	      ib_attach_mcast(pair->to.qp, &mgid, GROUP_LID);
	if (err)
		return err;
	rdma_ah_set_dlid(&attr, GROUP_LID);
	rdma_ah_set_grh(&attr, &mgid, 0, 0, 1, 0);
	err = fill(pair, 1) ?: loop_aim(pair, &attr, pair->qpn, pair->qkey) ?:
	      loop_post_send(pair, 0, SIZE, 0) ?:
	      expect(&pair->from, 0, IB_WC_SUCCESS) ?: expect_nothing(&pair->to) ?:
	      loop_aim(pair, &attr, IB_MULTICAST_QPN, pair->qkey) ?: pass(pair, 0, 0);
	return ib_detach_mcast(pair->to.qp, &mgid, GROUP_LID) ?: err;
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
		err = ib_attach_mcast(qps[n], &mgid, GROUP_LID);
	}
	err = n == max + 1 ? full(err) : err;
	if (!err)
		err = ib_detach_mcast(qps[0], &mgid, GROUP_LID) ?:
		      ib_attach_mcast(qps[max], &mgid, GROUP_LID);
	for (i = 0; i < n; i++) {
		ib_detach_mcast(qps[i], &mgid, GROUP_LID);
		ib_destroy_qp(qps[i]);
	}
	return err;
}

/* A queue pair that cannot tell what it did fails, and its completion queue is told of. */
static int overrun(struct loop_pair *pair)
{
	return fill(pair, 3) ?: loop_post_send(pair, 0, SIZE, 0) ?:
	       expect(&pair->from, 0, IB_WC_SUCCESS) ?:
	       loop_post_send(pair, 1, SIZE, 0) ?:
	       expect(&pair->from, 1, IB_WC_SUCCESS) ?:
	       expect_event(&pair->to, IB_EVENT_CQ_ERR, 0) ?:
	       loop_post_send(pair, 2, SIZE, 0) ?:
	       expect_event(&pair->to, IB_EVENT_CQ_ERR, 1) ?:
	       expect_event(&pair->to, IB_EVENT_QP_FATAL, 1) ?:
	       expect_state(&pair->to, IB_QPS_ERR) ?:
	       expect(&pair->to, RECV(0), IB_WC_SUCCESS);
}

/* What happens is seen later, at both ends. */
static int cq_delayed(struct loop_pair *pair)
{
	return fill(pair, 1) ?: loop_post_send(pair, 0, SIZE, 0) ?:
	       expect_nothing(&pair->from) ?: expect_nothing(&pair->to) ?:
	       expect(&pair->to, RECV(0), IB_WC_SUCCESS) ?:
	       expect(&pair->from, 0, IB_WC_SUCCESS);
}

/* It is seen when the queue is armed, not before that. */
static int cq_at_arming(struct loop_pair *pair)
{
	return fill(pair, 2) ?: loop_post_send(pair, 0, SIZE, 0) ?:
	       expect_nothing(&pair->to) ?:
	       notify(&pair->to, IB_CQ_NEXT_COMP, 1) ?:
	       expect(&pair->to, RECV(0), IB_WC_SUCCESS) ?:
	       loop_post_send(pair, 1, SIZE, 0) ?:
	       expect_count(&pair->to, &pair->to.notified, 1) ?:
	       expect(&pair->to, RECV(1), IB_WC_SUCCESS);
}

/* A datagram is on its way for a while, and its sender is done. */
static int ud_wire(struct loop_pair *pair)
{
	return fill(pair, 1) ?: loop_post_send(pair, 0, SIZE, 0) ?:
	       expect(&pair->from, 0, IB_WC_SUCCESS) ?:
	       expect_nothing(&pair->to) ?:
	       expect(&pair->to, RECV(0), IB_WC_SUCCESS);
}

/* A sender is done when the answers have come. */
static int rc_wire(struct loop_pair *pair)
{
	return fill(pair, 3) ?: loop_post_send(pair, 0, SIZE, 0) ?:
	       loop_post_send(pair, 1, BIG, 0) ?:
	       expect(&pair->to, RECV(0), IB_WC_SUCCESS) ?:
	       expect(&pair->to, RECV(1), IB_WC_SUCCESS) ?:
	       expect_nothing(&pair->from) ?:
	       expect(&pair->from, 0, IB_WC_SUCCESS) ?:
	       expect(&pair->from, 1, IB_WC_SUCCESS);
}

/* The handle of a datagram that has not been sent is kept, or has been copied. */
static int destroy_ah_early(struct loop_pair *pair, int want)
{
	struct rdma_ah_attr attr;
	int err;

	err = rdma_query_ah(pair->ah, &attr);
	if (err)
		return err;
	local_bh_disable();
	err = loop_post_send(pair, 0, SIZE, 0) ?:
	      (rdma_destroy_ah_user(pair->ah, 0, NULL) == want ? 0 : -EPROTO);
	if (!want)
		pair->ah = NULL;
	local_bh_enable();
	return err ?: expect(&pair->from, 0, IB_WC_SUCCESS);
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
	int err = ops->attach_mcast(pair->to.qp, &mgid, GROUP_LID);

	/* Undone where it may sleep: a complaint about that would hide that there is none above. */
	local_bh_enable();
	if (!err)
		err = ops->detach_mcast(pair->to.qp, &mgid, GROUP_LID);
	local_bh_disable();
	return err;
}

static int detach_mcast(struct loop_pair *pair)
{
	union ib_gid mgid = { .raw = { 0xff, 0x12, [15] = 1 } };

	return refused(pair->to.dev->ops.detach_mcast(pair->to.qp, &mgid, GROUP_LID));
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
	bool misled;
	bool narrow;
	bool mute;
	bool lso;
	u32 max_inline;
	u32 depth;
	u32 cqe;
	bool patient;
	bool hurried;		/* where nobody may sleep */
} cases[] = {
	{ "rc_too_long",	rc_too_long,	IB_QPT_RC },
	{ "uc_too_long",	too_long,	IB_QPT_UC },
	{ "ud_too_long",	too_long,	IB_QPT_UD },
	{ "uc_wrong_key",	wrong_key,	IB_QPT_UC },
	{ "ud_wrong_key",	wrong_key,	IB_QPT_UD },
	{ "rubbish",		rubbish,	IB_QPT_UD },
	{ "wrong_recv_key",	wrong_recv_key,	IB_QPT_UD },
	{ "wrong_domain",	wrong_domain,	IB_QPT_UD },
	{ "foreign_srq",	foreign_srq,	IB_QPT_RC, true },
	{ "no_header",		no_header,	IB_QPT_UD },
	{ "misled",		misled,		IB_QPT_RC, .misled = true },
	{ "narrow",		narrow,		IB_QPT_RC, .narrow = true },
	{ "comm_est",		comm_est,	IB_QPT_RC, .mute = true },
	{ "drained",		drained,	IB_QPT_RC },
	{ "psn_wraps",		psn_wraps,	IB_QPT_UD },
	{ "hard_irq",		hard_irq,	IB_QPT_RC, true },
	{ "rc_no_answer",	rc_no_answer,	IB_QPT_RC },
	{ "rc_not_ready",	rc_not_ready,	IB_QPT_RC },
	{ "rc_flush",		flush,		IB_QPT_RC },
	{ "ud_flush",		flush,		IB_QPT_UD },
	{ "last_wqe",		last_wqe,	IB_QPT_RC, true },
	{ "srq_limit",		srq_limit,	IB_QPT_RC, true },
	{ "missed_events",	missed_events,	IB_QPT_RC },
	{ "solicited",		solicited,	IB_QPT_UD },
	{ "moderation",		moderation,	IB_QPT_UD },
	{ "checksums",		checksums,	IB_QPT_UD, .lso = true },
	{ "segments",		segments,	IB_QPT_UD, .lso = true },
	{ "no_segments",	no_segments,	IB_QPT_UD, .lso = true },
	{ "no_offloads",	no_offloads,	IB_QPT_UD },
	{ "inline_data",	inline_data,	IB_QPT_UD, .max_inline = SIZE },
	{ "event_at_arming",	event_at_arming, IB_QPT_UD },
	{ "unknown_flag",	unknown_flag,	IB_QPT_UD },
	{ "wrong_gid",		wrong_gid,	IB_QPT_UD },
	{ "late_gid",		late_gid,	IB_QPT_UD },
	{ "unsynced",		unsynced,	IB_QPT_UD },
	{ "never_unmapped",	never_unmapped,	IB_QPT_UD },
	{ "exact",		exact,		IB_QPT_UD, .depth = 3 },
	{ "send_at_poll",	send_at_poll,	IB_QPT_UD, .depth = 3 },
	{ "recv_at_poll",	recv_at_poll,	IB_QPT_UD, .depth = 3 },
	{ "reset_keeps",	reset_keeps,	IB_QPT_UD },
	{ "group_lid",		group_lid,	IB_QPT_UD },
	{ "group_qpn",		group_qpn,	IB_QPT_UD },
	{ "group_full",		group_full,	IB_QPT_UD },
	{ "overrun",		overrun,	IB_QPT_UD, .cqe = 2 },
	{ "cq_delayed",		cq_delayed,	IB_QPT_UD },
	{ "cq_at_arming",	cq_at_arming,	IB_QPT_UD },
	{ "ud_wire",		ud_wire,	IB_QPT_UD },
	{ "rc_wire",		rc_wire,	IB_QPT_RC, .patient = true },
	{ "ah_by_value",	ah_by_value,	IB_QPT_UD },
	{ "ah_by_reference",	ah_by_reference, IB_QPT_UD },
	{ "query_port",		query_port,	IB_QPT_UD, .hurried = true },
	{ "query_gid",		query_gid,	IB_QPT_UD, .hurried = true },
	{ "query_pkey",		query_pkey,	IB_QPT_UD, .hurried = true },
	{ "modify_port",	modify_port,	IB_QPT_UD, .hurried = true },
	{ "modify_qp",		modify_qp,	IB_QPT_UD, .hurried = true },
	{ "query_qp",		query_qp,	IB_QPT_UD, .hurried = true },
	{ "attach_mcast",	attach_mcast,	IB_QPT_UD, .hurried = true },
	{ "detach_mcast",	detach_mcast,	IB_QPT_UD, .hurried = true },
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
	pair->misled = cases[i].misled;
	pair->narrow = cases[i].narrow;
	pair->mute = cases[i].mute;
	pair->lso = cases[i].lso;
	pair->max_inline = cases[i].max_inline;
	pair->depth = cases[i].depth;
	pair->cqe = cases[i].cqe;
	pair->patient = cases[i].patient;
	pair->size = BIG;
	pair->retries = 2;
	pair->rnr_retries = 2;
	pair->from.dev = from;
	pair->to.dev = to;
	err = loop_connect(pair);
	if (!err) {
		if (cases[i].hurried)
			local_bh_disable();
		err = cases[i].run(pair);
		if (cases[i].hurried)
			local_bh_enable();
	}
	loop_free(pair);
	kfree(pair);
	return err;
}
