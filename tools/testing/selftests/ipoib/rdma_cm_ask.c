// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_cm_ask - a listener of RDMA CM and who asks it, without a queue pair
 *
 * ibdevsim has no verbs for programs, without which librdmacm does nothing, so this
 * one talks to the kernel itself. Nothing gets connected: a listener refuses what it
 * is asked, and says with that what the kernel told it about the request.
 *
 *	rdma_cm_ask listen 10.0.0.1 fd00::1		until it is ended
 *	rdma_cm_ask ask 10.0.0.1			10.0.0.2 10.0.0.1 ffff
 *	rdma_cm_ask join 10.0.0.1 239.0.0.1		until it is ended
 *	rdma_cm_ask connect ADDRESS ADDRESS		accepted, or refused 10
 *
 * The last one asks IPoIB for a connection, RFC 4755, from one link-layer address to
 * another: for that it takes the GID only, and no privilege.
 */

#include <arpa/inet.h>
#include <endian.h>
#include <err.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rdma/rdma_user_cm.h>

#define PORT		7471
#define DEADLINE_MS	60000
/* rdma/rdma_cm.h, which is not for programs */
#define ADDR_RESOLVED	0
#define ROUTE_RESOLVED	2
#define CONNECT_REQUEST	4
#define CONNECT_RESPONSE	5
#define REJECTED	8
#define MULTICAST_JOIN	12

/* rdma/ib.h, neither */
struct sockaddr_ib {
	unsigned short sib_family;
	unsigned short sib_pkey;
	unsigned int sib_flowinfo;
	unsigned char sib_addr[16];
	unsigned long long sib_sid;
	unsigned long long sib_sid_mask;
	unsigned long long sib_scope_id;
};

#define RC		2
#define SERVICE		0x0100000000000000ull
#define MTU		65524

static int fd;

static void command(const char *what, unsigned int cmd, const void *in,
		    size_t in_len, size_t out_len)
{
	struct {
		struct rdma_ucm_cmd_hdr hdr;
		unsigned char in[1024];
	} msg = { .hdr = { cmd, in_len, out_len } };
	ssize_t len = sizeof(msg.hdr) + in_len;

	memcpy(msg.in, in, in_len);
	if (write(fd, &msg, len) != len)
		err(1, "%s", what);
}

static unsigned int create_id(unsigned int port_space)
{
	struct rdma_ucm_create_id_resp resp;
	struct rdma_ucm_create_id cmd = {
		.uid = 1,	/* without one it has no events */
		.response = (unsigned long)&resp,
		.ps = port_space,
		.qp_type = RC,
	};

	command("create an id", RDMA_USER_CM_CMD_CREATE_ID, &cmd, sizeof(cmd),
		sizeof(resp));
	return resp.id;
}

/* -1: none, for who listens may wait for ever */
static struct rdma_ucm_event_resp next_event(int deadline_ms)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	struct rdma_ucm_event_resp event;
	struct rdma_ucm_get_event cmd = { .response = (unsigned long)&event };

	if (poll(&pollfd, 1, deadline_ms) != 1)
		errx(1, "no event after %d ms", deadline_ms);
	command("get an event", RDMA_USER_CM_CMD_GET_EVENT, &cmd, sizeof(cmd),
		sizeof(event));
	return event;
}

static struct rdma_ucm_event_resp expect(const char *what, unsigned int type)
{
	struct rdma_ucm_event_resp event = next_event(DEADLINE_MS);

	if (event.event != type)
		errx(1, "%s: event %u, status %d", what, event.event,
		     (int)event.status);
	return event;
}

static int parse_address(const char *text, struct __kernel_sockaddr_storage *addr)
{
	struct sockaddr_in6 *in6 = (void *)addr;
	struct sockaddr_in *in = (void *)addr;

	in->sin_port = htons(PORT);
	if (inet_pton(AF_INET, text, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		return sizeof(*in);
	}
	if (inet_pton(AF_INET6, text, &in6->sin6_addr) == 1) {
		in6->sin6_family = AF_INET6;
		return sizeof(*in6);
	}
	errx(1, "'%s' is no IP address", text);
}

static const char *address_text(const struct __kernel_sockaddr_storage *addr,
				char *text)
{
	const struct sockaddr_in6 *in6 = (const void *)addr;
	const struct sockaddr_in *in = (const void *)addr;
	const void *octets = in->sin_family == AF_INET6 ?
			     (const void *)&in6->sin6_addr : &in->sin_addr;

	return inet_ntop(in->sin_family, octets, text, INET6_ADDRSTRLEN) ?: "?";
}

static void listen_on(const char *address)
{
	struct rdma_ucm_bind bind = { .id = create_id(RDMA_PS_TCP) };
	struct rdma_ucm_listen cmd = { .id = bind.id, .backlog = 4 };

	bind.addr_size = parse_address(address, &bind.addr);
	command(address, RDMA_USER_CM_CMD_BIND, &bind, sizeof(bind), 0);
	command("listen", RDMA_USER_CM_CMD_LISTEN, &cmd, sizeof(cmd), 0);
}

/* Who asks for what, and the P_Key of the interface that it is taken to be for */
static void refuse(unsigned int id)
{
	char from[INET6_ADDRSTRLEN], to[INET6_ADDRSTRLEN];
	struct rdma_ucm_query_addr_resp resp;
	struct rdma_ucm_query query = {
		.response = (unsigned long)&resp,
		.id = id,
		.option = RDMA_USER_CM_QUERY_ADDR,
	};
	struct rdma_ucm_reject cmd = { .id = id };

	command("query addresses", RDMA_USER_CM_CMD_QUERY, &query, sizeof(query),
		sizeof(resp));
	cmd.private_data_len = snprintf((char *)cmd.private_data,
					sizeof(cmd.private_data), "%s %s %04x",
					address_text(&resp.dst_addr, from),
					address_text(&resp.src_addr, to),
					ntohs(resp.pkey));
	command("reject", RDMA_USER_CM_CMD_REJECT, &cmd, sizeof(cmd), 0);
}

/* What comes of it; private data may be in @conn already */
static struct rdma_ucm_event_resp connect_to(struct rdma_ucm_resolve_addr *addr,
					     struct rdma_ucm_connect *conn)
{
	struct rdma_ucm_resolve_route route = {
		.id = addr->id, .timeout_ms = DEADLINE_MS,
	};

	addr->timeout_ms = DEADLINE_MS;
	command("resolve the address", RDMA_USER_CM_CMD_RESOLVE_ADDR, addr, sizeof(*addr), 0);
	expect("resolve the address", ADDR_RESOLVED);
	command("resolve the route", RDMA_USER_CM_CMD_RESOLVE_ROUTE, &route,
		sizeof(route), 0);
	expect("resolve the route", ROUTE_RESOLVED);

	/* The CM knows a peer by its QPN: another one each time, and not 0 or 1. */
	conn->id = addr->id;
	conn->conn_param.qp_num = getpid() + 2;
	conn->conn_param.valid = 1;
	command("connect", RDMA_USER_CM_CMD_CONNECT, conn, sizeof(*conn), 0);
	return next_event(DEADLINE_MS);
}

static void ask(const char *address)
{
	struct rdma_ucm_resolve_addr addr = { .id = create_id(RDMA_PS_TCP) };
	struct rdma_ucm_connect cmd = {};
	struct rdma_ucm_event_resp event;

	addr.dst_size = parse_address(address, &addr.dst_addr);
	event = connect_to(&addr, &cmd);
	if (event.event != REJECTED)
		errx(1, "connect: event %u, status %d", event.event, (int)event.status);

	/* The CM refuses for those who are not there, and has nothing to say. */
	puts(event.param.conn.private_data[0] ?
	     (char *)event.param.conn.private_data : "nobody");
}

/* 20 octets as ip prints them; returns the QPN */
static unsigned int parse_link(const char *text, struct sockaddr_ib *ib)
{
	unsigned char octets[20];
	int i, n;

	for (i = 0; i < 20; i++, text += n)
		if (sscanf(text, i < 19 ? "%2hhx:%n" : "%2hhx%n", &octets[i], &n) != 1)
			errx(1, "no link-layer address");
	ib->sib_family = AF_IB;
	ib->sib_pkey = htons(0xffff);
	memcpy(ib->sib_addr, octets + 4, 16);
	return octets[1] << 16 | octets[2] << 8 | octets[3];
}

static void connect_as(const char *from, const char *to)
{
	struct rdma_ucm_resolve_addr addr = { .id = create_id(RDMA_PS_IB) };
	struct sockaddr_ib *dst = (void *)&addr.dst_addr;
	struct rdma_ucm_connect cmd = {};
	struct rdma_ucm_event_resp event;
	unsigned int data[2];

	data[0] = htonl(parse_link(from, (void *)&addr.src_addr));
	data[1] = htonl(MTU);
	dst->sib_sid = htobe64(SERVICE | parse_link(to, dst));
	addr.src_size = sizeof(*dst);
	addr.dst_size = sizeof(*dst);
	memcpy(cmd.conn_param.private_data, data, sizeof(data));
	cmd.conn_param.private_data_len = sizeof(data);
	event = connect_to(&addr, &cmd);
	if (event.event == REJECTED)
		printf("refused %d\n", (int)event.status);
	else if (event.event == CONNECT_RESPONSE)
		puts("accepted");
	else
		errx(1, "connect: event %u, status %d", event.event, (int)event.status);
}

static void join(const char *address, const char *group)
{
	struct rdma_ucm_bind bind = { .id = create_id(RDMA_PS_IPOIB) };
	struct rdma_ucm_create_id_resp resp;
	struct rdma_ucm_join_mcast cmd = {
		.response = (unsigned long)&resp,
		.uid = 2,
		.id = bind.id,
		.join_flags = RDMA_MC_JOIN_FLAG_FULLMEMBER,
	};

	bind.addr_size = parse_address(address, &bind.addr);
	command(address, RDMA_USER_CM_CMD_BIND, &bind, sizeof(bind), 0);
	cmd.addr_size = parse_address(group, &cmd.addr);
	command("join", RDMA_USER_CM_CMD_JOIN_MCAST, &cmd, sizeof(cmd), sizeof(resp));
	expect("join", MULTICAST_JOIN);
	puts("joined");
	fflush(stdout);
	pause();
}

int main(int argc, char **argv)
{
	struct rdma_ucm_event_resp event;
	int i;

	fd = open("/dev/infiniband/rdma_cm", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		err(1, "/dev/infiniband/rdma_cm (is rdma_ucm loaded?)");
	if (argc == 3 && !strcmp(argv[1], "ask")) {
		ask(argv[2]);
		return 0;
	}
	if (argc == 4 && !strcmp(argv[1], "join"))
		join(argv[2], argv[3]);
	if (argc == 4 && !strcmp(argv[1], "connect")) {
		connect_as(argv[2], argv[3]);
		return 0;
	}
	if (argc < 3 || strcmp(argv[1], "listen"))
		errx(1, "usage: rdma_cm_ask listen ADDRESS... | ask ADDRESS | %s",
		     "join ADDRESS GROUP | connect FROM TO");

	for (i = 2; i < argc; i++)
		listen_on(argv[i]);
	puts("listening");
	fflush(stdout);
	for (;;) {
		event = next_event(-1);
		if (event.event == CONNECT_REQUEST)
			refuse(event.id);
	}
}
