// SPDX-License-Identifier: GPL-2.0
/*
 * ud_inject - send crafted IPoIB packets from a UD queue pair of our own
 *
 * A network driver sends only what is well formed, so runts, unknown
 * EtherTypes, wrong Q_Keys and the like have to come from somebody else. This
 * program is that somebody: it opens a queue pair next to the interface on the
 * same RDMA device and sends the bytes it is told to send.
 *
 *	ud_inject -d rxe0 -a 00:00:00:11:fe:80:...:01 -t 0x1234 -l 64 -n 1000
 */

#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <infiniband/verbs.h>

#define LLADDR_LEN	20
#define HEADER_LEN	4
#define MAX_PAYLOAD	4096
#define ROCE_QKEY	0x80000b1b
#define PORT		1
#define DEADLINE_S	20

struct request {
	const char *device;
	unsigned char lladdr[LLADDR_LEN];
	int have_lladdr;
	unsigned int qkey;
	int sgid_index;
	unsigned int count;
	int counter;
	unsigned char payload[MAX_PAYLOAD];
	unsigned int len;
	unsigned long long seed;	/* 0: each is what was said */
	unsigned char said[MAX_PAYLOAD];
	unsigned int said_len;
};

struct sender {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	struct ibv_qp *qp;
	struct ibv_ah *ah;
};

static const char usage[] =
	"usage: ud_inject -d DEVICE -a LLADDR [options] (-x HEX | -t TYPE)\n"
	"  -d DEVICE   RDMA device to send from, e.g. rxe0\n"
	"  -a LLADDR   20-octet IPoIB address, as ip link and ip neigh print it\n"
	"  -x HEX      the whole payload, IPoIB header included\n"
	"  -t TYPE     EtherType of the IPoIB header, followed by zero octets\n"
	"  -r VALUE    reserved field of the IPoIB header (default 0)\n"
	"  -l LEN      payload length with -t, header included (default 64)\n"
	"  -k QKEY     Q_Key to send with (default 0x80000b1b)\n"
	"  -i INDEX    source GID index (default: first link-local RoCE v2 GID)\n"
	"  -n COUNT    number of packets (default 1)\n"
	"  -S SEED     up to eight octets of each are altered, every eighth has another\n"
	"              length, as follows from the seed, which is not 0\n"
	"  -u OFFSET   the two octets there, counted from 0, count up\n";

static unsigned long parse_number(const char *what, const char *text,
				  unsigned long max)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 0);
	if (errno || end == text || *end || value > max)
		errx(1, "%s '%s' is not a number up to %lu", what, text, max);
	return value;
}

/* Octets in hex, with or without colons; returns how many there are. */
static unsigned int parse_octets(const char *what, const char *text,
				 unsigned char *out, unsigned int max)
{
	unsigned int n = 0;
	int used;

	while (*text) {
		if (n == max)
			errx(1, "%s is longer than %u octets", what, max);
		if (sscanf(text, "%2hhx%n", &out[n], &used) != 1 || used != 2)
			errx(1, "%s: no two hex digits at '%s'", what, text);
		text += used;
		n++;
		if (*text == ':' && text[1])
			text++;
	}
	return n;
}

static void parse_args(int argc, char **argv, struct request *req)
{
	unsigned int type = 0, reserved = 0, len = 64;
	int opt, have_type = 0, have_hex = 0;

	while ((opt = getopt(argc, argv, "d:a:x:t:r:l:k:i:n:S:u:h")) != -1) {
		switch (opt) {
		case 'd':
			req->device = optarg;
			break;
		case 'a':
			if (parse_octets("address", optarg, req->lladdr,
					 LLADDR_LEN) != LLADDR_LEN)
				errx(1, "address '%s' has not 20 octets", optarg);
			req->have_lladdr = 1;
			break;
		case 'x':
			req->len = parse_octets("payload", optarg, req->payload,
						MAX_PAYLOAD);
			have_hex = 1;
			break;
		case 't':
			type = parse_number("EtherType", optarg, 0xffff);
			have_type = 1;
			break;
		case 'r':
			reserved = parse_number("reserved field", optarg, 0xffff);
			break;
		case 'l':
			len = parse_number("length", optarg, MAX_PAYLOAD);
			break;
		case 'k':
			req->qkey = parse_number("Q_Key", optarg, 0xffffffff);
			break;
		case 'i':
			req->sgid_index = parse_number("GID index", optarg, 0xffff);
			break;
		case 'n':
			req->count = parse_number("count", optarg, 1000000);
			break;
		case 'S':
			req->seed = parse_number("seed", optarg, 0xffffffff);
			break;
		case 'u':
			req->counter = parse_number("offset", optarg, MAX_PAYLOAD - 2);
			break;
		case 'h':
			fputs(usage, stdout);
			exit(0);
		default:
			fputs(usage, stderr);
			exit(1);
		}
	}
	if (!req->device || !req->have_lladdr || have_hex == have_type) {
		fputs(usage, stderr);
		exit(1);
	}
	if (have_type) {
		unsigned char header[HEADER_LEN] = {
			type >> 8, type, reserved >> 8, reserved
		};

		memcpy(req->payload, header,
		       len < HEADER_LEN ? len : HEADER_LEN);
		req->len = len;
	}
}

static struct ibv_context *open_device(const char *name)
{
	struct ibv_context *ctx = NULL;
	struct ibv_device **list;
	int i, n;

	list = ibv_get_device_list(&n);
	if (!list)
		err(1, "no list of RDMA devices (is ib_uverbs loaded?)");
	for (i = 0; i < n; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			ctx = ibv_open_device(list[i]);
	ibv_free_device_list(list);
	if (!ctx)
		errx(1, "cannot open '%s' (%d RDMA devices)", name, n);
	return ctx;
}

static int find_gid(struct ibv_context *ctx)
{
	struct ibv_gid_entry entries[64];
	ssize_t i, n;

	n = ibv_query_gid_table(ctx, entries, 64, 0);
	if (n < 0)
		errx(1, "cannot read the GID table: %s", strerror(-n));
	for (i = 0; i < n; i++)
		if (entries[i].gid_type == IBV_GID_TYPE_ROCE_V2 &&
		    entries[i].gid.raw[0] == 0xfe &&
		    entries[i].gid.raw[1] == 0x80)
			return entries[i].gid_index;
	errx(1, "no link-local RoCE v2 GID among %zd", n);
}

static void move_qp(struct ibv_qp *qp, enum ibv_qp_state state, int mask,
		    unsigned int qkey)
{
	struct ibv_qp_attr attr = {
		.qp_state = state,
		.port_num = PORT,
		.qkey = qkey,
	};
	int ret = ibv_modify_qp(qp, &attr, IBV_QP_STATE | mask);

	if (ret)
		errx(1, "queue pair does not reach state %d: %s", state,
		     strerror(ret));
}

static void open_sender(struct sender *s, struct request *req)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_UD,
		.cap = { .max_send_wr = 4, .max_recv_wr = 1,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_ah_attr av = {
		.is_global = 1,
		.port_num = PORT,
		.grh = { .hop_limit = 1 },
	};

	s->ctx = open_device(req->device);
	s->pd = ibv_alloc_pd(s->ctx);
	if (!s->pd)
		err(1, "no protection domain");
	s->mr = ibv_reg_mr(s->pd, req->payload, sizeof(req->payload), 0);
	if (!s->mr)
		err(1, "cannot register memory");
	s->cq = ibv_create_cq(s->ctx, 4, NULL, NULL, 0);
	if (!s->cq)
		err(1, "no completion queue");

	init.send_cq = s->cq;
	init.recv_cq = s->cq;
	s->qp = ibv_create_qp(s->pd, &init);
	if (!s->qp)
		err(1, "no UD queue pair");
	move_qp(s->qp, IBV_QPS_INIT,
		IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY, req->qkey);
	move_qp(s->qp, IBV_QPS_RTR, 0, 0);
	move_qp(s->qp, IBV_QPS_RTS, IBV_QP_SQ_PSN, 0);

	memcpy(av.grh.dgid.raw, req->lladdr + 4, sizeof(av.grh.dgid.raw));
	av.grh.sgid_index = req->sgid_index < 0 ? find_gid(s->ctx)
						: req->sgid_index;
	s->ah = ibv_create_ah(s->pd, &av);
	if (!s->ah)
		err(1, "no address handle, peer does not resolve");
}

static void count_up(struct request *req)
{
	unsigned char *at = &req->payload[req->counter];

	if (!++at[1])
		at[0]++;
}

static void wait_sent(struct ibv_cq *cq)
{
	time_t end = time(NULL) + DEADLINE_S;
	struct ibv_wc wc;
	int n;

	do {
		n = ibv_poll_cq(cq, 1, &wc);
		if (n < 0)
			errx(1, "cannot poll the completion queue");
		if (n && wc.status != IBV_WC_SUCCESS)
			errx(1, "send failed: %s", ibv_wc_status_str(wc.status));
	} while (!n && time(NULL) < end);
	if (!n)
		errx(1, "send not completed after %d s", DEADLINE_S);
}

static void send_one(struct sender *s, struct request *req)
{
	struct ibv_sge sge = {
		.addr = (unsigned long)req->payload,
		.length = req->len,
		.lkey = s->mr->lkey,
	};
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = req->len ? 1 : 0,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.ud = {
			.ah = s->ah,
			.remote_qpn = req->lladdr[1] << 16 |
				      req->lladdr[2] << 8 | req->lladdr[3],
			.remote_qkey = req->qkey,
		},
	};
	struct ibv_send_wr *bad;
	int ret = ibv_post_send(s->qp, &wr, &bad);

	if (ret)
		errx(1, "cannot post a send: %s", strerror(ret));
	wait_sent(s->cq);
}

/* xorshift*, as the simulator of InfiniBand has it */
static unsigned long long next_random(struct request *req)
{
	unsigned long long x = req->seed;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	req->seed = x;
	return x * 0x2545f4914f6cdd1dULL;
}

static void alter(struct request *req)
{
	unsigned long long r = next_random(req);
	unsigned int n = 1 + r % 8;

	memcpy(req->payload, req->said, MAX_PAYLOAD);
	req->len = req->said_len;
	if (!(r >> 32 & 7))
		req->len = (r >> 35) % (MAX_PAYLOAD / 2);
	while (n-- && req->len) {
		r = next_random(req);
		req->payload[(unsigned int)r % req->len] = r >> 40;
	}
}

int main(int argc, char **argv)
{
	static struct request req = {
		.qkey = ROCE_QKEY, .sgid_index = -1, .count = 1,
		.counter = -1,
	};
	struct sender s = {};
	unsigned int i;

	parse_args(argc, argv, &req);
	memcpy(req.said, req.payload, MAX_PAYLOAD);
	req.said_len = req.len;
	open_sender(&s, &req);
	for (i = 0; i < req.count; i++) {
		if (req.seed)
			alter(&req);
		send_one(&s, &req);
		if (req.counter >= 0)
			count_up(&req);
	}
	printf("%u packets of %u octets sent\n", req.count, req.said_len);

	ibv_destroy_ah(s.ah);
	ibv_destroy_qp(s.qp);
	ibv_destroy_cq(s.cq);
	ibv_dereg_mr(s.mr);
	ibv_dealloc_pd(s.pd);
	ibv_close_device(s.ctx);
	return 0;
}
