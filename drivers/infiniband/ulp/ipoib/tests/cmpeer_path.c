// SPDX-License-Identifier: GPL-2.0
#include "cmpeer.h"

#include <linux/completion.h>
#include <net/ipv6.h>
#include <net/net_namespace.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>

#define SA_TIMEOUT_MS	2000
#define SA_TRIES	5

/*
 * Address resolution of the core may miss that the neighbour was found, until
 * its time is up: short times first.
 */
#define RESOLVE_MS	20
#define RESOLVE_TRIES	8

/* 4.096 us * 2^14, 67 ms, as there is nobody to ask. */
#define ROCE_LIFE_TIME	14

static struct ib_sa_client client;

/**
 * struct question - waits for an answer
 * @done: it came
 * @status: 0 or a negative errno
 * @rec: where to put a path record
 */
struct question {
	struct completion done;
	int status;
	struct sa_path_rec *rec;
};

static void sa_answered(int status, struct sa_path_rec *rec,
			COMPAT_NUM_PRS num_prs, void *ctx)
{
	struct question *q = ctx;

	q->status = status;
	if (!status)
		*q->rec = *rec;
	complete(&q->done);
}

static int ask_sa(struct ib_device *ibdev, u32 port, struct cmpeer_path *path)
{
	struct sa_path_rec ask = path->rec;
	struct question q = { .rec = &path->rec };
	struct ib_sa_query *query;
	int err;

	ask.rec_type = SA_PATH_REC_TYPE_IB;
	ask.numb_path = 1;
	ask.reversible = 1;
	init_completion(&q.done);
	err = ib_sa_path_rec_get(&client, ibdev, port, &ask,
				 IB_SA_PATH_REC_DGID | IB_SA_PATH_REC_SGID |
				 IB_SA_PATH_REC_NUMB_PATH |
				 IB_SA_PATH_REC_REVERSIBLE,
				 SA_TIMEOUT_MS, GFP_KERNEL, sa_answered, &q,
				 &query);
	if (err < 0)
		return err;
	/* The timeout above is the deadline. */
	wait_for_completion(&q.done);
	return q.status;
}

static void resolved(int status, struct sockaddr *src,
		     struct rdma_dev_addr *addr, void *ctx)
{
	struct question *q = ctx;

	q->status = status;
	complete(&q->done);
}

static int resolve(struct cmpeer_path *path, struct rdma_dev_addr *addr,
		   int timeout_ms)
{
	union {
		struct sockaddr any;
		struct sockaddr_in6 in6;
	} src = {}, dst = {};
	struct question q = {};
	int err;

	rdma_gid2ip(&src.any, &path->rec.sgid);
	rdma_gid2ip(&dst.any, &path->rec.dgid);
	memset(addr, 0, sizeof(*addr));
	addr->sgid_attr = path->sgid_attr;
	addr->net = &init_net;
	init_completion(&q.done);
	err = rdma_resolve_ip(&src.any, &dst.any, addr, timeout_ms, resolved,
			      true, &q);
	if (err)
		return err;
	wait_for_completion(&q.done);
	/* The callback may still be on its way out. */
	rdma_addr_cancel(addr);
	return q.status;
}

static int ask_neighbour(struct ib_device *ibdev, u32 port,
			 struct cmpeer_path *path)
{
	struct sa_path_rec *rec = &path->rec;
	struct rdma_dev_addr addr;
	struct ib_port_attr attr;
	int err, i;

	err = ib_query_port(ibdev, port, &attr);
	if (err)
		return err;
	err = -ETIMEDOUT;
	for (i = 0; i < RESOLVE_TRIES && err == -ETIMEDOUT; i++)
		err = resolve(path, &addr, RESOLVE_MS << i);
	if (err)
		return err;

	rec->rec_type = SA_PATH_REC_TYPE_ROCE_V2;
	rec->pkey = cpu_to_be16(0xffff);
	rec->hop_limit = addr.hoplimit;
	rec->reversible = 1;
	rec->numb_path = 1;
	rec->mtu_selector = IB_SA_EQ;
	rec->mtu = attr.active_mtu;
	rec->rate_selector = IB_SA_EQ;
	rec->rate = IB_RATE_PORT_CURRENT;
	rec->packet_life_time_selector = IB_SA_EQ;
	rec->packet_life_time = ROCE_LIFE_TIME;
	rec->roce.route_resolved = true;
	sa_path_set_dmac(rec, addr.dst_dev_addr);
	return 0;
}

/* The first on InfiniBand, the first that is link-local on RoCE v2. */
static const struct ib_gid_attr *own_gid(struct ib_device *ibdev, u32 port)
{
	int len = ibdev->port_data[port].immutable.gid_tbl_len;
	int i;

	for (i = 0; i < len; i++) {
		const struct ib_gid_attr *attr;

		attr = rdma_get_gid_attr(ibdev, port, i);
		if (IS_ERR(attr))
			continue;
		if (attr->gid_type == IB_GID_TYPE_IB ||
		    (attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP &&
		     ipv6_addr_type((struct in6_addr *)attr->gid.raw) &
		     IPV6_ADDR_LINKLOCAL))
			return attr;
		rdma_put_gid_attr(attr);
	}
	return NULL;
}

/**
 * cmpeer_path_find - how to get to a port
 * @ibdev: our device
 * @port: its port
 * @to: link-layer address on the other port
 * @path: result; given back by cmpeer_path_put() if 0 is returned
 *
 * Return: 0 or a negative errno, after some seconds at most.
 * Context: Process context, may sleep.
 */
int cmpeer_path_find(struct ib_device *ibdev, u32 port,
		     const struct ipoib_hwaddr *to, struct cmpeer_path *path)
{
	int err = -ETIMEDOUT;
	int i;

	memset(path, 0, sizeof(*path));
	path->sgid_attr = own_gid(ibdev, port);
	if (!path->sgid_attr)
		return -ENETDOWN;
	path->rec.sgid = path->sgid_attr->gid;
	memcpy(path->rec.dgid.raw, to->gid, sizeof(path->rec.dgid));

	if (rdma_protocol_roce(ibdev, port))
		err = ask_neighbour(ibdev, port, path);
	else
		for (i = 0; i < SA_TRIES && err == -ETIMEDOUT; i++)
			err = ask_sa(ibdev, port, path);
	if (err)
		cmpeer_path_put(path);
	return err;
}

/**
 * cmpeer_path_put - a path is not needed any more
 * @path: result of cmpeer_path_find()
 */
void cmpeer_path_put(struct cmpeer_path *path)
{
	rdma_put_gid_attr(path->sgid_attr);
}

/**
 * cmpeer_path_init - before the first path is looked for
 */
void cmpeer_path_init(void)
{
	ib_sa_register_client(&client);
}

/**
 * cmpeer_path_exit - after the last one was found
 */
void cmpeer_path_exit(void)
{
	ib_sa_unregister_client(&client);
}
