// SPDX-License-Identifier: GPL-2.0
#include "fabric.h"

#include <linux/hashtable.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>

#include "addr.h"
#include "device.h"
#include "sa.h"
#include "sa_wire.h"
#include "turns.h"
#include "wire.h"

/*
 * How many SA queries of each kind a port has open at a time; further requests wait.
 * Groups have a limit of their own so that they do not wait behind thousands of paths, and
 * lists have one because a list is long.
 */
#define IB_MAX_PATHS		32
#define IB_MAX_GROUPS		32
#define IB_MAX_LISTS		1

/*
 * How many SA queries of a kind a port begins in a second. Anybody who sends forged ARP
 * requests or opens sockets can make us ask, and the SA serves thousands of ports: without
 * this rate one port could take all the time that the SA has.
 */
#define IB_RATE			640
#define IB_BURST		64
#define IB_LIST_RATE		1
#define IB_LIST_BURST		8

/* How long the RDMA core waits for an answer of the SA; it repeats the query meanwhile. */
#define IB_PATH_TIMEOUT_MS	2000

/* After -EAGAIN: gives the RDMA core up to 2 s to find out where the SA is. */
#define IB_AGAIN_DELAY		(HZ / 20)
#define IB_AGAIN_TRIES		40

/* Components that every PathRecord query names. */
#define PATH_MASK	(IB_SA_PATH_REC_DGID | IB_SA_PATH_REC_SGID | \
			 IB_SA_PATH_REC_NUMB_PATH | \
			 IB_SA_PATH_REC_REVERSIBLE | \
			 IB_SA_PATH_REC_TRAFFIC_CLASS | IB_SA_PATH_REC_PKEY)

/* JoinState of an MCMemberRecord, IBTA 15.2.5.17. */
#define JOIN_FULL_MEMBER	BIT(0)
#define JOIN_NON_MEMBER		BIT(1)
#define JOIN_SEND_ONLY		BIT(2)

/* Components that every join names, and those that a join which may create the group adds. */
#define JOIN_MASK	(IB_SA_MCMEMBER_REC_MGID | IB_SA_MCMEMBER_REC_PORT_GID | \
			 IB_SA_MCMEMBER_REC_PKEY | IB_SA_MCMEMBER_REC_JOIN_STATE)
#define CREATE_MASK	(IB_SA_MCMEMBER_REC_QKEY | \
			 IB_SA_MCMEMBER_REC_MTU_SELECTOR | \
			 IB_SA_MCMEMBER_REC_MTU | \
			 IB_SA_MCMEMBER_REC_TRAFFIC_CLASS | \
			 IB_SA_MCMEMBER_REC_RATE_SELECTOR | \
			 IB_SA_MCMEMBER_REC_RATE | \
			 IB_SA_MCMEMBER_REC_SL | \
			 IB_SA_MCMEMBER_REC_FLOW_LABEL | \
			 IB_SA_MCMEMBER_REC_HOP_LIMIT)

/* MTU of a port that was not queried yet: with OpenSM's defaults the link has this one. */
#define GUESS_MTU	(2048 - IPOIB_HDR_LEN)

/**
 * struct ib_shared - what the interfaces of a port share
 * @sa_wq: work queue of @sa; not the one of the interfaces, whose work items wait for those
 *	on this queue
 * @sa: our own agent for SA queries
 * @client: client of the RDMA core's SA agent
 * @turns: limits of requests for a path, for a group, for all groups
 * @members_lock: protects @members
 * @members: requests by which interfaces are full members of groups, by MGID
 */
struct ib_shared {
	struct workqueue_struct *sa_wq;
	struct ipoib_sa *sa;
	struct ib_sa_client client;
	struct ipoib_turns turns[IPOIB_QUESTIONS];
	spinlock_t members_lock;	/* members */
	DECLARE_HASHTABLE(members, 7);
};

/**
 * struct ib_request - request of an InfiniBand fabric
 * @base: common part
 * @question: what is asked; chooses the limit that the turn is part of; constant
 * @slid: our LID on the path, 0 for any
 * @dlid: the peer's LID on the path, 0 for any
 * @joins: a group is joined, not only looked up; constant
 * @membership: membership to join it with
 * @create: the group is created if there is none, with the parameters of the broadcast group
 * @pkey: P_Key of the link when the request was made, or of the group
 * @query: query of our own agent about a group or all groups
 * @lock: protects @path_answered, @joined_err and @joined_rec
 * @path_answered: @path may have been freed, because the RDMA core has called
 *	path_answered()
 * @path: query of the RDMA core's agent
 * @path_id: ID of @path; negative if there was no such query
 * @path_over: completed at the end of path_answered()
 * @tries: how often ib_sa_path_rec_get() has returned -EAGAIN
 * @mcast: membership that the RDMA core keeps; NULL if none was asked for
 * @member: entry of ib_shared.members from before @mcast until after that
 * @joined: work that tells the owner what has become of @mcast
 * @joined_err: what the core has said of it last
 * @joined_rec: the record of the group, if that was 0
 * @told: record of the group as the SA told our own agent; its LID is 0 if that was not asked
 *
 * start_work() and the callbacks that it leads to run one after the other, but for @joined, which
 * runs beside them and writes nothing. finish_work() waits until none of them can run any more, and
 * only then reads the fields that they write: so those need no lock.
 */
struct ib_request {
	struct ipoib_request base;
	enum ipoib_question question;
	u32 slid;
	u32 dlid;
	bool joins;
	enum ipoib_membership membership;
	bool create;
	u16 pkey;
	struct ipoib_sa_query query;
	spinlock_t lock;	/* path_answered, joined_err, joined_rec */
	bool path_answered;
	struct ib_sa_query *path;
	int path_id;
	struct completion path_over;
	unsigned int tries;
	struct ib_sa_multicast *mcast;
	struct hlist_node member;
	struct work_struct joined;
	int joined_err;
	struct ib_sa_mcmember_rec joined_rec;
	struct ib_sa_mcmember_rec told;
};

static struct ib_shared *shared_of(const struct ib_request *req)
{
	return req->base.fabric->shared;
}

/* ---- the port ----------------------------------------------------------- */

static void *ib_open_port(struct ib_device *ibdev, u32 port)
{
	struct ib_shared *shared;
	int err = -ENOMEM;

	shared = kzalloc(sizeof(*shared), GFP_KERNEL);
	if (!shared)
		return ERR_PTR(err);

	shared->sa_wq = alloc_workqueue("ipoib-sa/%u.%u", WQ_UNBOUND | WQ_MEM_RECLAIM, 0,
					ibdev->index, port);
	if (!shared->sa_wq)
		goto err_shared;

	shared->sa = ipoib_sa_open(ibdev, port, shared->sa_wq);
	if (IS_ERR(shared->sa)) {
		err = PTR_ERR(shared->sa);
		goto err_wq;
	}
	ipoib_turns_init(&shared->turns[IPOIB_ASK_PATH], IB_MAX_PATHS,
			 shared->sa_wq, IB_RATE, IB_BURST);
	ipoib_turns_init(&shared->turns[IPOIB_ASK_GROUP], IB_MAX_GROUPS,
			 shared->sa_wq, IB_RATE, IB_BURST);
	ipoib_turns_init(&shared->turns[IPOIB_ASK_LIST], IB_MAX_LISTS,
			 shared->sa_wq, IB_LIST_RATE, IB_LIST_BURST);
	spin_lock_init(&shared->members_lock);
	hash_init(shared->members);
	ib_sa_register_client(&shared->client);
	return shared;

err_wq:
	destroy_workqueue(shared->sa_wq);
err_shared:
	kfree(shared);
	return ERR_PTR(err);
}

static void ib_close_port(void *ctx)
{
	struct ib_shared *shared = ctx;
	int i;

	for (i = 0; i < IPOIB_QUESTIONS; i++)
		ipoib_turns_exit(&shared->turns[i]);
	ib_sa_unregister_client(&shared->client);
	ipoib_sa_close(shared->sa);
	destroy_workqueue(shared->sa_wq);
	kfree(shared);
}

static void ib_port_event(void *ctx, enum ib_event_type event)
{
	struct ib_shared *shared = ctx;

	ipoib_sa_event(shared->sa, event);
}

/* ---- the link ----------------------------------------------------------- */

/* Get the GID whose GUID the user chose, or else entry 0 of the table, which is the port's own. */
static const struct ib_gid_attr *find_gid(struct ipoib_fabric *fabric)
{
	union ib_gid gid;

	if (!ipoib_fabric_pinned_gid(fabric, &gid))
		return rdma_get_gid_attr(fabric->ibdev, fabric->port, 0);

	return ipoib_fabric_find_guid(fabric->ibdev, fabric->port, &gid);
}

static void find_ib_gid(struct ipoib_fabric *fabric, struct ipoib_link *link)
{
	const struct ib_gid_attr *attr = find_gid(fabric);

	memset(link, 0, sizeof(*link));
	link->mtu = GUESS_MTU;
	if (IS_ERR(attr)) {
		link->state = IPOIB_LINK_NO_GID;
	} else {
		link->gid = attr->gid;
		link->gid_attr = attr;
	}
	ipoib_link_find_pkey(fabric, link);
}

static enum ipoib_link_state port_state(const struct ib_port_attr *attr)
{
	if (attr->state == IB_PORT_ACTIVE)
		return IPOIB_LINK_READY;
	if (attr->phys_state == IB_PORT_PHYS_STATE_LINK_UP)
		return IPOIB_LINK_NO_SM;
	return IPOIB_LINK_PORT_DOWN;
}

/*
 * active_mtu has codes up to 4096 octets only, so for an Omni-Path port it says 4096 when
 * the real MTU, phys_mtu, is larger.
 */
static int port_mtu(const struct ipoib_fabric *fabric, const struct ib_port_attr *attr)
{
	if (rdma_core_cap_opa_port(fabric->ibdev, fabric->port))
		return attr->phys_mtu;
	return ib_mtu_enum_to_int(attr->active_mtu);
}

/* Octets for the MTU code of an SA record; negative if the code is unknown. */
static int record_mtu(const struct ipoib_fabric *fabric, u8 code)
{
	return rdma_mtu_enum_to_int(fabric->ibdev, fabric->port, code);
}

static void query_ib_port(struct ipoib_fabric *fabric, struct ipoib_link *link)
{
	struct ib_port_attr attr;
	enum ipoib_link_state state;
	int mtu;

	find_ib_gid(fabric, link);
	link->mtu = 0;

	if (ib_query_port(fabric->ibdev, fabric->port, &attr)) {
		link->state = IPOIB_LINK_QUERY;
		return;
	}

	mtu = port_mtu(fabric, &attr);
	if (mtu > 0)
		link->mtu = mtu - IPOIB_HDR_LEN;
	link->lid = attr.lid;
	link->lmc = attr.lmc;
	link->pkey_violations = attr.bad_pkey_cntr;
	link->qkey_violations = attr.qkey_viol_cntr;
	link->speed = ipoib_port_speed(&attr);

	/*
	 * The state of the port is the better reason: without an SM the port has no P_Keys
	 * either, and "no P_Key" would mislead the administrator.
	 */
	state = port_state(&attr);
	if (state != IPOIB_LINK_READY)
		link->state = state;
}

/* ---- requests ----------------------------------------------------------- */

/*
 * Once a query is answered the RDMA core frees it, and another query, of another user
 * perhaps, may get its memory and its ID: cancelling would hit that one. The core frees the
 * query only after path_answered() has returned, and path_answered() sets @path_answered
 * under @lock; so as long as the flag is not set and we hold the lock, the query is ours.
 */
static void path_cancel(struct ib_request *req)
{
	spin_lock_bh(&req->lock);
	if (!req->path_answered)
		ib_sa_cancel_query(req->path_id, req->path);
	spin_unlock_bh(&req->lock);
}

/* ---- which memberships are ours -------------------------------------------- */

static void member_add(struct ib_request *req)
{
	struct ib_shared *shared = shared_of(req);

	if (req->membership != IPOIB_FULL_MEMBER)
		return;
	spin_lock_bh(&shared->members_lock);
	hash_add(shared->members, &req->member, ipoib_gid_hash(&req->base.gid));
	spin_unlock_bh(&shared->members_lock);
}

/* member_del() does nothing for a request that is not in the table of memberships. */
static void member_del(struct ib_request *req)
{
	struct ib_shared *shared = shared_of(req);

	spin_lock_bh(&shared->members_lock);
	hash_del(&req->member);
	spin_unlock_bh(&shared->members_lock);
}

static bool is_member(struct ib_shared *shared, const union ib_gid *mgid)
{
	const struct ib_request *req;
	bool found = false;

	spin_lock_bh(&shared->members_lock);
	hash_for_each_possible(shared->members, req, member, ipoib_gid_hash(mgid))
		found |= !memcmp(&req->base.gid, mgid, sizeof(*mgid));
	spin_unlock_bh(&shared->members_lock);
	return found;
}

/* The RDMA core has joined for somebody who is no interface of the port: a program by RDMA CM. */
static bool ib_is_users(struct ipoib_fabric *fabric, const union ib_gid *mgid)
{
	struct ib_sa_mcmember_rec known;
	union ib_gid gid = *mgid;

	return !ib_sa_get_mcmember_rec(fabric->ibdev, fabric->port, &gid, &known) &&
	       known.join_state & JOIN_FULL_MEMBER && !is_member(fabric->shared, mgid);
}

/* ---- requests: the end --------------------------------------------------- */

static void finish_work(struct work_struct *work)
{
	struct ib_request *req = container_of(work, struct ib_request, base.finish);

	/* 1. Make sure that @start neither waits for its turn nor runs any more. */
	ipoib_turn_end(req->base.turns, &req->base.turn);
	cancel_delayed_work_sync(&req->base.start);

	/* 2. Wait for our own agent first: sa_answered() may begin a join, see step 4. */
	ipoib_sa_cancel(&req->query);

	/* 3. Wait for path_answered(), which the core calls at once for a cancelled query. */
	if (req->path_id >= 0) {
		path_cancel(req);
		wait_for_completion(&req->path_over);
	}

	/*
	 * 4. Leave the group. ib_sa_free_multicast() waits for a running group_joined(),
	 * but not for the SA, and nothing queues @joined from then on.
	 */
	if (req->mcast)
		ib_sa_free_multicast(req->mcast);
	member_del(req);
	cancel_work_sync(&req->joined);

	/* 5. No callback can run any more: release the owner and free the request. */
	ipoib_request_exit(&req->base);
	kfree(req);
}

static void start_work(struct work_struct *work);
static void joined_work(struct work_struct *work);
static void sa_answered(struct ipoib_sa_query *query);

static struct ib_request *ib_request_new(struct ipoib_fabric *fabric,
					 const struct ipoib_request_owner *owner,
					 enum ipoib_question question)
{
	struct ib_shared *shared = fabric->shared;
	struct ib_request *req;
	int err;

	req = kzalloc(sizeof(*req), GFP_ATOMIC | __GFP_NOWARN);
	if (!req)
		return ERR_PTR(-ENOMEM);

	err = ipoib_request_init(&req->base, fabric, owner, start_work, finish_work);
	if (err) {
		kfree(req);
		return ERR_PTR(err);
	}

	req->base.turns = &shared->turns[question];
	req->base.turn.share = &fabric->shares[question];
	req->question = question;
	req->pkey = READ_ONCE(fabric->pkey);
	ipoib_sa_query_init(&req->query, shared->sa, sa_answered);
	req->path_id = -1;
	spin_lock_init(&req->lock);
	init_completion(&req->path_over);
	INIT_WORK(&req->joined, joined_work);
	return req;
}

/* Queue start_work(), now or when the request has its turn. Passes on the ERR_PTR of no request. */
static struct ipoib_request *request_ask(struct ib_request *req)
{
	if (IS_ERR(req))
		return ERR_CAST(req);
	ipoib_turn_ask(req->base.turns, &req->base.turn);
	return &req->base;
}

/* ---- paths -------------------------------------------------------------- */

/*
 * An SA may say a life time of a packet of up to 4.096 us * 2^63 (IBTA 15.2.5.16). The CM shifts
 * by it what it waits for answers in milliseconds, and shifts a bit out of an int if it believes
 * that. A connection that waits for twice 2^20 * 4.096 us = 4.3 s waits for long enough.
 */
#define MAX_LIFE_TIME	20

/* A path whose MTU has a code that is not known carries what the link does. */
static unsigned int path_mtu(const struct ipoib_fabric *fabric, const struct sa_path_rec *rec)
{
	int mtu = record_mtu(fabric, rec->mtu);

	return mtu > IPOIB_HDR_LEN ? mtu - IPOIB_HDR_LEN : UINT_MAX;
}

static int path_route(struct ib_request *req, struct sa_path_rec *rec,
		      struct ipoib_route *route)
{
	struct ipoib_fabric *fabric = req->base.fabric;

	memset(route, 0, sizeof(*route));
	/*
	 * The REQ for a connection names the SGID of its path: with one that is not ours the peer
	 * would have a connection with nobody, by which it sends nothing.
	 */
	rec->sgid = req->base.sgid_attr->gid;
	rec->rate = ipoib_fabric_rate(rec->rate);
	rec->packet_life_time = min_t(u8, rec->packet_life_time, MAX_LIFE_TIME);
	if (READ_ONCE(fabric->group_sl)) {
		spin_lock_bh(&fabric->lock);
		rec->sl = fabric->broadcast.sl;
		spin_unlock_bh(&fabric->lock);
	}
	route->path = rec;
	route->mtu = path_mtu(fabric, rec);
	return ib_init_ah_attr_from_path(fabric->ibdev, fabric->port, rec,
					 &route->attr, req->base.sgid_attr);
}

static void path_answered(int status, struct sa_path_rec *rec,
			  COMPAT_NUM_PRS num_prs, void *ctx)
{
	struct ib_request *req = ctx;
	struct ipoib_route route;
	int err = status;

	spin_lock_bh(&req->lock);
	req->path_answered = true;
	spin_unlock_bh(&req->lock);

	if (!err)
		err = path_route(req, rec, &route);
	if (err) {
		ipoib_request_done(&req->base, err, NULL);
	} else {
		ipoib_request_done(&req->base, 0, &route);
		rdma_destroy_ah_attr(&route.attr);
	}
	complete(&req->path_over);
}

/* Ask for one path: RFC 4391 section 9.3 leaves the choice between several to the SA. */
static void ask_path(struct ib_request *req)
{
	struct ipoib_fabric *fabric = req->base.fabric;
	struct sa_path_rec rec = {
		.dgid		= req->base.gid,
		.sgid		= req->base.sgid_attr->gid,
		.pkey		= cpu_to_be16(req->pkey),
		.numb_path	= 1,
		.reversible	= 1,
	};
	ib_sa_comp_mask mask = PATH_MASK;
	int id;

	rec.rec_type = rdma_cap_opa_ah(fabric->ibdev, fabric->port) ?
		       SA_PATH_REC_TYPE_OPA : SA_PATH_REC_TYPE_IB;
	spin_lock_bh(&fabric->lock);
	rec.traffic_class = fabric->broadcast.traffic_class;
	spin_unlock_bh(&fabric->lock);
	if (req->slid) {
		sa_path_set_slid(&rec, req->slid);
		sa_path_set_dlid(&rec, req->dlid);
		mask |= IB_SA_PATH_REC_SLID | IB_SA_PATH_REC_DLID;
	}

	id = ib_sa_path_rec_get(&shared_of(req)->client, fabric->ibdev,
				fabric->port, &rec, mask, IB_PATH_TIMEOUT_MS,
				GFP_KERNEL, path_answered, req, &req->path);
	if (id == -EAGAIN && req->tries++ < IB_AGAIN_TRIES) {
		/*
		 * After an event the RDMA core looks for the SM anew, and may find it later
		 * than our own agent does.
		 */
		queue_delayed_work(fabric->wq, &req->base.start, IB_AGAIN_DELAY);
	} else if (id < 0) {
		ipoib_request_done(&req->base, id, NULL);
	} else {
		req->path_id = id;
	}
}

static struct ipoib_request *ib_path(struct ipoib_fabric *fabric,
				     const union ib_gid *dgid,
				     const struct ipoib_request_owner *owner)
{
	struct ib_request *req;

	req = ib_request_new(fabric, owner, IPOIB_ASK_PATH);
	if (!IS_ERR(req))
		req->base.gid = *dgid;
	return request_ask(req);
}

/*
 * The LIDs of a port differ in their lowest LMC bits (IBTA 4.1.3), and an SM routes them over
 * different links where it can. So the alternate path has the LIDs of @path with the lowest
 * bit flipped. For the peer's LID this assumes that the peer's LMC is not 0 either; if that is
 * wrong, the SA knows no such path.
 */
static struct ipoib_request *ib_alt_path(struct ipoib_fabric *fabric,
					 struct sa_path_rec *path,
					 const struct ipoib_request_owner *owner)
{
	struct ib_request *req;
	u8 lmc;

	spin_lock_bh(&fabric->lock);
	lmc = fabric->link.lmc;
	spin_unlock_bh(&fabric->lock);
	if (!lmc || !ipoib_fabric_migrates(fabric))
		return ERR_PTR(-EOPNOTSUPP);

	req = ib_request_new(fabric, owner, IPOIB_ASK_PATH);
	if (!IS_ERR(req)) {
		req->base.gid = path->dgid;
		req->slid = be32_to_cpu(sa_path_get_slid(path)) ^ 1;
		req->dlid = be32_to_cpu(sa_path_get_dlid(path)) ^ 1;
	}
	return request_ask(req);
}

/* ---- groups ------------------------------------------------------------- */

static bool is_broadcast(const struct ib_request *req)
{
	return ipoib_mgid_is_broadcast(&req->base.gid, req->pkey);
}

/*
 * A join as FullMember creates the group if there is none, with the parameters of the
 * broadcast group (RFC 4391 section 5). The broadcast group itself is only joined: creating
 * it is up to the administrator of the link.
 */
static bool may_create(const struct ib_request *req)
{
	return req->create && req->membership == IPOIB_FULL_MEMBER && !is_broadcast(req);
}

/*
 * A group that exists may differ from the broadcast group in all but P_Key and Q_Key: RFC 4391
 * section 5 only recommends the rest. The SA refuses a join that names other parameters than the
 * group has, so it is joined as it is.
 */
static bool joins_as_it_is(const struct ib_request *req)
{
	return req->joins && !req->create && req->membership == IPOIB_FULL_MEMBER &&
	       !is_broadcast(req);
}

/*
 * Check the record of a group before it is used. RFC 4391 section 5: an interface must not
 * join a group whose MTU is larger than what its port can receive.
 */
static int check_record(const struct ib_request *req,
			const struct ib_sa_mcmember_rec *rec)
{
	struct ipoib_fabric *fabric = req->base.fabric;
	int mtu = record_mtu(fabric, rec->mtu);
	unsigned int max;
	__be32 qkey;

	if (mtu < 0 || memcmp(&rec->mgid, &req->base.gid, sizeof(req->base.gid)) ||
	    (be16_to_cpu(rec->pkey) | IPOIB_PKEY_FULL) != req->pkey)
		return -EPROTO;

	spin_lock_bh(&fabric->lock);
	max = fabric->link.mtu;
	qkey = fabric->broadcast.qkey;
	spin_unlock_bh(&fabric->lock);
	/* The queue pair of a member receives what has the Q_Key of the link, and nothing else. */
	if (joins_as_it_is(req) && rec->qkey != qkey)
		return -EPROTO;
	return mtu - IPOIB_HDR_LEN > max ? -EMSGSIZE : 0;
}

static void group_route(const struct ib_request *req,
			const struct ib_sa_mcmember_rec *rec,
			struct ipoib_route *route)
{
	struct ipoib_fabric *fabric = req->base.fabric;
	struct rdma_ah_attr *attr = &route->attr;

	memset(route, 0, sizeof(*route));
	route->qkey = be32_to_cpu(rec->qkey);
	route->mlid = be16_to_cpu(rec->mlid);
	route->mtu = record_mtu(fabric, rec->mtu) - IPOIB_HDR_LEN;

	attr->type = rdma_ah_find_type(fabric->ibdev, fabric->port);
	rdma_ah_set_port_num(attr, fabric->port);
	rdma_ah_set_dlid(attr, route->mlid);
	rdma_ah_set_sl(attr, rec->sl);
	rdma_ah_set_static_rate(attr, ipoib_fabric_rate(rec->rate));
	rdma_hold_gid_attr(req->base.sgid_attr);
	rdma_move_grh_sgid_attr(attr, (union ib_gid *)&req->base.gid,
				be32_to_cpu(rec->flow_label), rec->hop_limit,
				rec->traffic_class, req->base.sgid_attr);
}

/* Do the broadcast group's records agree in what all groups have from it, RFC 4391 section 5? */
static bool is_alike(const struct ib_sa_mcmember_rec *a, const struct ib_sa_mcmember_rec *b)
{
	return a->qkey == b->qkey && a->mtu == b->mtu && a->rate == b->rate && a->sl == b->sl &&
	       a->traffic_class == b->traffic_class && a->flow_label == b->flow_label &&
	       a->hop_limit == b->hop_limit;
}

/* The record of the broadcast group holds for the link from now on. */
static void adopt_broadcast(struct ipoib_fabric *fabric, const struct ib_sa_mcmember_rec *rec)
{
	struct ipoib_dev *idev = container_of(fabric, struct ipoib_dev, fabric);
	bool changed;

	spin_lock_bh(&fabric->lock);
	changed = !memcmp(&fabric->broadcast.mgid, &rec->mgid, sizeof(rec->mgid)) &&
		  !is_alike(&fabric->broadcast, rec);
	fabric->broadcast = *rec;
	spin_unlock_bh(&fabric->lock);
	if (changed)
		ipoib_dev_report(idev, IPOIB_REPORT_LINK, NULL);
}

/*
 * If the LID that the SA told our own agent is not that of the membership, the group was
 * deleted and made again between the two answers, or the core has answered from a membership
 * that it still had. -EAGAIN has the group joined once more. If the LIDs agree, what our own agent
 * was told holds, for the same reason: @rec becomes that.
 */
static int check_joined(struct ib_request *req, struct ib_sa_mcmember_rec *rec)
{
	struct ipoib_fabric *fabric = req->base.fabric;
	int err;

	err = check_record(req, rec);
	if (err)
		return err;
	if (req->told.mlid && req->told.mlid != rec->mlid)
		return -EAGAIN;
	if (req->told.mlid)
		*rec = req->told;

	if (is_broadcast(req) && !READ_ONCE(req->base.ended))
		adopt_broadcast(fabric, rec);
	return 0;
}

/* Answer with the route to the group of the record. */
static void group_done(struct ib_request *req, const struct ib_sa_mcmember_rec *rec)
{
	struct ipoib_route route;

	group_route(req, rec, &route);
	ipoib_request_done(&req->base, 0, &route);
	rdma_destroy_ah_attr(&route.attr);
}

static void joined_work(struct work_struct *work)
{
	struct ib_request *req = container_of(work, struct ib_request, joined);
	unsigned int noio = memalloc_noio_save();
	struct ib_sa_mcmember_rec rec;
	int err;

	spin_lock_bh(&req->lock);
	err = req->joined_err;
	rec = req->joined_rec;
	spin_unlock_bh(&req->lock);

	if (!err)
		err = check_joined(req, &rec);
	if (err)
		ipoib_request_done(&req->base, err, NULL);
	else
		group_done(req, &rec);
	memalloc_noio_restore(noio);
}

/*
 * This runs where the RDMA core handles what the port receives for it, or in its one queue of
 * work for the groups of all HCAs. The owner attaches its QP, for which it may wait for an HCA
 * that is slow or hangs: so it is told on a queue of our own, and not the one that paths are
 * asked for on.
 *
 * Always returns 0: for any other value the RDMA core would free the membership, which
 * finish_work() frees.
 */
static int group_joined(int status, struct ib_sa_multicast *mcast)
{
	struct ib_request *req = mcast->context;

	spin_lock_bh(&req->lock);
	req->joined_err = status;
	if (!status)
		req->joined_rec = mcast->rec;
	spin_unlock_bh(&req->lock);
	queue_work(req->base.fabric->ctl_wq, &req->joined);
	return 0;
}

static const u8 join_states[IPOIB_MEMBERSHIPS] = {
	[IPOIB_SEND_ONLY]	= JOIN_SEND_ONLY,
	[IPOIB_NON_MEMBER]	= JOIN_NON_MEMBER,
	[IPOIB_FULL_MEMBER]	= JOIN_FULL_MEMBER,
};

/*
 * The RDMA core has one membership of the port for all that join a group, and refuses whoever names
 * another GID than the first has. Interfaces of one P_Key may have several. A group that is being
 * left has no member, though it still has the GID of the last one, which the port may have lost.
 */
static union ib_gid member_gid(struct ib_request *req)
{
	const struct ipoib_fabric *fabric = req->base.fabric;
	struct ib_sa_mcmember_rec known;

	if (!ib_sa_get_mcmember_rec(fabric->ibdev, fabric->port, &req->base.gid, &known) &&
	    known.join_state)
		return known.port_gid;
	return req->base.sgid_attr->gid;
}

static ib_sa_comp_mask join_record(struct ib_request *req,
				   struct ib_sa_mcmember_rec *rec)
{
	struct ipoib_fabric *fabric = req->base.fabric;
	ib_sa_comp_mask mask = JOIN_MASK;

	memset(rec, 0, sizeof(*rec));
	if (may_create(req)) {
		spin_lock_bh(&fabric->lock);
		*rec = fabric->broadcast;
		spin_unlock_bh(&fabric->lock);
		rec->mtu_selector = IB_SA_EQ;
		rec->rate_selector = IB_SA_EQ;
		mask |= CREATE_MASK;
	}
	rec->mgid = req->base.gid;
	rec->port_gid = member_gid(req);
	rec->pkey = cpu_to_be16(req->pkey);
	rec->join_state = join_states[req->membership];
	return mask;
}

static void group_join(struct ib_request *req)
{
	struct ipoib_fabric *fabric = req->base.fabric;
	struct ib_sa_mcmember_rec rec;
	struct ib_sa_multicast *mcast;
	ib_sa_comp_mask mask;

	mask = join_record(req, &rec);
	member_add(req);
	mcast = ib_sa_join_multicast(&shared_of(req)->client, fabric->ibdev,
				     fabric->port, &rec, mask, GFP_KERNEL,
				     group_joined, req);
	if (IS_ERR(mcast)) {
		member_del(req);
		ipoib_request_done(&req->base, PTR_ERR(mcast), NULL);
	} else {
		req->mcast = mcast;
	}
}

/* The P_Key of the link may be changing, so the request has that of the group. */
static struct ib_request *group_request(struct ipoib_fabric *fabric,
					const union ib_gid *mgid,
					const struct ipoib_request_owner *owner)
{
	struct ib_request *req = ib_request_new(fabric, owner, IPOIB_ASK_GROUP);

	if (!IS_ERR(req)) {
		req->base.gid = *mgid;
		req->pkey = ipoib_mgid_pkey(mgid);
	}
	return req;
}

static struct ipoib_request *ib_group(struct ipoib_fabric *fabric,
				      const union ib_gid *mgid,
				      enum ipoib_membership membership, bool create,
				      const struct ipoib_request_owner *owner)
{
	struct ib_request *req = group_request(fabric, mgid, owner);

	if (!IS_ERR(req)) {
		req->joins = true;
		req->membership = membership;
		req->create = create;
	}
	return request_ask(req);
}

static struct ipoib_request *ib_find(struct ipoib_fabric *fabric,
				     const union ib_gid *mgid,
				     const struct ipoib_request_owner *owner)
{
	return request_ask(group_request(fabric, mgid, owner));
}

static struct ipoib_request *ib_list(struct ipoib_fabric *fabric,
				     const struct ipoib_request_owner *owner)
{
	return request_ask(ib_request_new(fabric, owner, IPOIB_ASK_LIST));
}

/* ---- our own agent ------------------------------------------------------- */

/* Pass on each group of a table, for which the SA may have sent many segments. */
static int read_list(struct ib_request *req)
{
	const struct ipoib_sa_query *query = &req->query;
	struct ib_sa_mcmember_rec rec;
	struct ib_mad_recv_buf *segment;
	struct ipoib_sa_table table;
	int ret;

	ret = ipoib_sa_table_init(&table, ipoib_sa_answer(query), query->answer->mad_len);
	if (ret)
		return ret;

	list_for_each_entry(segment, &query->answer->rmpp_list, list) {
		const struct ib_sa_mad *mad = (const struct ib_sa_mad *)segment->mad;
		unsigned int pos = 0;

		while ((ret = ipoib_sa_table_next(&table, mad->data, &pos, &rec)) > 0) {
			if (READ_ONCE(req->base.ended))
				return 0;
			req->base.owner.each(req->base.owner.ctx, &rec.mgid);
		}
		if (ret)
			return ret;
		cond_resched();
	}
	return 0;
}

static int read_group(const struct ib_request *req, struct ib_sa_mcmember_rec *rec)
{
	const struct ipoib_sa_query *query = &req->query;

	return ipoib_sa_wire_group(ipoib_sa_answer(query), query->answer->mad_len,
				   &req->base.gid, rec) ?: check_record(req, rec);
}

/*
 * The SA of Omni-Path has a record for each member of a group, and answers the look-up of one with
 * several that there are too many. So much is known then that the group exists: a join tells the
 * rest, and has no LID to compare with.
 */
static void sa_answered(struct ipoib_sa_query *query)
{
	struct ib_request *req = container_of(query, struct ib_request, query);
	bool list = req->question == IPOIB_ASK_LIST;
	struct ib_sa_mcmember_rec rec = {};
	int err = query->err;

	if (!err)
		err = list ? read_list(req) : read_group(req, &rec);
	if (err == -E2BIG && req->joins)
		err = 0;
	if (err || list) {
		ipoib_request_done(&req->base, err, NULL);
	} else if (!req->joins) {
		group_done(req, &rec);
	} else if (!READ_ONCE(req->base.ended)) {
		req->told = rec;
		group_join(req);
	}
}

/* A group that is there may not have the port any more, if the SA is another one than before. */
static void ask_for_member(struct ib_request *req)
{
	union ib_gid gid = member_gid(req);

	ipoib_sa_wire_get_member(&req->query.ask, &req->base.gid, &gid);
}

static void ask_sa(struct ib_request *req)
{
	if (req->question == IPOIB_ASK_LIST)
		ipoib_sa_wire_list_groups(&req->query.ask, req->pkey);
	else if (req->joins)
		ipoib_sa_wire_get_group(&req->query.ask, &req->base.gid);
	else
		ask_for_member(req);
	ipoib_sa_ask(&req->query);
}

/*
 * Our own agent looks up a group that we do not create before it is joined. There are two
 * reasons: the RDMA core reports a group that was left a moment ago as joined still; and no
 * status of a join tells "no such group" from other refusals.
 */
static void start_work(struct work_struct *work)
{
	struct ib_request *req = container_of(to_delayed_work(work),
					      struct ib_request, base.start);
	unsigned int noio;

	if (READ_ONCE(req->base.ended))
		return;

	/* Packets of a block device may wait for the answer: no page may wait for those. */
	noio = memalloc_noio_save();
	if (req->question == IPOIB_ASK_PATH)
		ask_path(req);
	else if (req->joins && may_create(req))
		group_join(req);
	else
		ask_sa(req);
	memalloc_noio_restore(noio);
}

/* ---- reports ------------------------------------------------------------- */

static void report_from_sa(struct ipoib_sa_subscriber *subscriber,
			   enum ipoib_sa_trap trap, const union ib_gid *gid)
{
	struct ipoib_dev *idev = container_of(subscriber, struct ipoib_dev, fabric.subscriber);

	switch (trap) {
	case IPOIB_SA_GID_IN:
		ipoib_dev_report(idev, IPOIB_REPORT_NODE, gid);
		break;
	case IPOIB_SA_GROUP_CREATED:
		ipoib_dev_report(idev, IPOIB_REPORT_GROUP, gid);
		break;
	case IPOIB_SA_GROUP_DELETED:
		ipoib_dev_report(idev, IPOIB_REPORT_NO_GROUP, gid);
		break;
	default:
		break;
	}
}

static void reports_renewed(struct ipoib_sa_subscriber *subscriber)
{
	struct ipoib_dev *idev = container_of(subscriber, struct ipoib_dev, fabric.subscriber);

	ipoib_dev_report(idev, IPOIB_REPORT_MISSED, NULL);
}

static void ib_subscribe(struct ipoib_fabric *fabric)
{
	struct ib_shared *shared = fabric->shared;

	fabric->subscriber.report = report_from_sa;
	fabric->subscriber.renewed = reports_renewed;
	ipoib_sa_subscriber_add(shared->sa, &fabric->subscriber);
}

static void ib_unsubscribe(struct ipoib_fabric *fabric)
{
	struct ib_shared *shared = fabric->shared;

	ipoib_sa_subscriber_del(shared->sa, &fabric->subscriber);
}

const struct ipoib_fabric_ops ipoib_fabric_ib_ops = {
	.name		= "InfiniBand",
	.pkeys_come	= true,
	.rewrites_gids	= true,
	.opens_late	= true,
	.open_port	= ib_open_port,
	.close_port	= ib_close_port,
	.port_event	= ib_port_event,
	.find_gid	= find_ib_gid,
	.query_port	= query_ib_port,
	.path		= ib_path,
	.alt_path	= ib_alt_path,
	.group		= ib_group,
	.is_users	= ib_is_users,
	.find		= ib_find,
	.list		= ib_list,
	.subscribe	= ib_subscribe,
	.unsubscribe	= ib_unsubscribe,
};
