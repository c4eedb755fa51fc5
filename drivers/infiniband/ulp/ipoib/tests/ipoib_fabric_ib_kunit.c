// SPDX-License-Identifier: GPL-2.0
/*
 * What is asked of an SA, and what is made of its answers: paths, groups and lists. The RDMA core
 * and our own agent are this file.
 */
#include <kunit/test.h>
#include <linux/netdevice.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_sa.h>

#include "../device.h"
#include "../sa.h"

static const struct ib_gid_attr *gid_of(bool by_value);
static int query_port(struct ib_port_attr *attr);
static int ask_path_of_core(const struct sa_path_rec *rec, ib_sa_comp_mask mask);
static struct ib_sa_multicast *join(const struct ib_sa_mcmember_rec *rec, ib_sa_comp_mask mask);
static int known_group(struct ib_sa_mcmember_rec *rec);
static bool later(unsigned long delay);

static int clients, works, workqueues, left_groups, cancelled;
static bool opa;

#define queue_work(_wq, _work)			((void)(_work), works++)
#define queue_delayed_work(_wq, _work, _delay)	later(_delay)
#define cancel_delayed_work_sync(_work)		((void)(_work))
#define cancel_work_sync(_work)			((void)(_work))
#undef alloc_workqueue
#define alloc_workqueue(...)			(workqueues++, system_wq)
#define destroy_workqueue(_wq)			((void)(_wq), workqueues--)
#define ib_sa_register_client(_client)		((void)(_client), clients++)
#define ib_sa_unregister_client(_client)	((void)(_client), clients--)
#define ib_query_port(_dev, _port, _attr)	query_port(_attr)
#define rdma_core_cap_opa_port(_dev, _port)	opa
#define rdma_cap_opa_ah(_dev, _port)		opa
#define rdma_mtu_enum_to_int(_dev, _port, _code)	ib_mtu_enum_to_int((enum ib_mtu)(_code))
#define rdma_get_gid_attr(_dev, _port, _index)	gid_of(false)
#define ipoib_fabric_find_guid(_dev, _port, _gid)	((void)(_gid), gid_of(true))
#define rdma_hold_gid_attr(_attr)		((void)(_attr))
#define rdma_destroy_ah_attr(_attr)		((void)(_attr))
#define rdma_ah_find_type(_dev, _port)		RDMA_AH_ATTR_TYPE_IB
#define ib_init_ah_attr_from_path(_dev, _port, _rec, _attr, _gid)	\
	((void)(_attr), (void)(_gid), 0)
#define ib_sa_path_rec_get(_client, _dev, _port, _rec, _mask, _ms, _gfp, _fn, _ctx, _query) \
	((void)(_client), (void)(_fn), ask_path_of_core(_rec, _mask))
#define ib_sa_cancel_query(_id, _query)		(cancelled++)
#define ib_sa_join_multicast(_client, _dev, _port, _rec, _mask, _gfp, _fn, _ctx) \
	((void)(_client), (void)(_dev), (void)(_fn), join(_rec, _mask))
#define ib_sa_free_multicast(_mcast)		((void)(_mcast), left_groups++)
#define ib_sa_get_mcmember_rec(_dev, _port, _gid, _rec)	\
	((void)(_dev), (void)(_gid), known_group(_rec))
#include "../fabric_ib.c"

#include "../addr.c"
#include "../sa_wire.c"

#define PKEY	0x8001

/**
 * struct world - a port and its SA
 * @idev: the interface, of which the fabric is a part
 * @fabric: that part
 * @ibdev: the device
 * @shared: what the interfaces of the port share
 * @gid_attr: the GID of the port
 * @no_gid: it has none
 * @by_value: the GID was looked for that a user has chosen
 * @pinned: there is such a one
 * @port: what a query of the port says
 * @no_port: it cannot be queried
 * @path: the path that the core was asked for
 * @path_mask: the components that it was asked for by
 * @path_id: what it said to that
 * @paths: how often it was asked
 * @rec: the group that the core was to join
 * @rec_mask: likewise
 * @joins: how often
 * @join_error: it cannot
 * @mcast: the membership
 * @known: a membership that the core has already
 * @is_known: it has one
 * @asked: queries of our own agent
 * @mad: the answer of the SA
 * @answer: likewise
 * @later: delay of another try, or -1
 * @done: answers to the owner of a request
 * @err: the last one
 * @route: its route
 * @report: the last report to the interface
 * @reports: how many
 */
static struct world {
	struct ipoib_dev *idev;
	struct ipoib_fabric *fabric;
	struct ib_device ibdev;
	struct ib_shared *shared;
	struct ib_gid_attr gid_attr;
	bool no_gid;
	bool by_value;
	bool pinned;
	struct ib_port_attr port;
	bool no_port;
	struct sa_path_rec path;
	ib_sa_comp_mask path_mask;
	int path_id;
	unsigned int paths;
	struct ib_sa_mcmember_rec rec;
	ib_sa_comp_mask rec_mask;
	unsigned int joins;
	bool join_error;
	struct ib_sa_multicast mcast;
	struct ib_sa_mcmember_rec known;
	bool is_known;
	unsigned int asked;
	struct ib_sa_mad mad;
	struct ib_mad_recv_wc answer;
	long later;
	unsigned int done;
	int err;
	struct ipoib_route route;
	enum ipoib_report report;
	unsigned int reports;
} *world;

/* ---- the RDMA core ----------------------------------------------------- */

static const struct ib_gid_attr *gid_of(bool by_value)
{
	world->by_value = by_value;
	return world->no_gid ? ERR_PTR(-ENOENT) : &world->gid_attr;
}

static int query_port(struct ib_port_attr *attr)
{
	*attr = world->port;
	return world->no_port ? -EIO : 0;
}

static int ask_path_of_core(const struct sa_path_rec *rec, ib_sa_comp_mask mask)
{
	world->path = *rec;
	world->path_mask = mask;
	world->paths++;
	return world->path_id;
}

static struct ib_sa_multicast *join(const struct ib_sa_mcmember_rec *rec, ib_sa_comp_mask mask)
{
	world->rec = *rec;
	world->rec_mask = mask;
	world->joins++;
	return world->join_error ? ERR_PTR(-ENOMEM) : &world->mcast;
}

static int known_group(struct ib_sa_mcmember_rec *rec)
{
	*rec = world->known;
	return world->is_known ? 0 : -EADDRNOTAVAIL;
}

static bool later(unsigned long delay)
{
	world->later = delay;
	return true;
}

/* ---- what fabric_ib.c calls of the driver ------------------------------ */

void ipoib_dev_report(struct ipoib_dev *idev, enum ipoib_report report, const union ib_gid *gid)
{
	world->reports++;
	world->report = report;
}

bool ipoib_fabric_pinned_gid(struct ipoib_fabric *fabric, union ib_gid *gid)
{
	return world->pinned;
}

void ipoib_link_find_pkey(const struct ipoib_fabric *fabric, struct ipoib_link *link)
{
	link->pkey = fabric->pkey;
}

u32 ipoib_port_speed(const struct ib_port_attr *attr)
{
	return 100000;
}

int ipoib_request_init(struct ipoib_request *req, struct ipoib_fabric *fabric,
		       const struct ipoib_request_owner *owner, work_func_t start,
		       work_func_t finish)
{
	if (world->no_gid)
		return -ENETDOWN;
	req->fabric = fabric;
	req->sgid_attr = &world->gid_attr;
	INIT_DELAYED_WORK(&req->start, start);
	INIT_WORK(&req->finish, finish);
	return 0;
}

void ipoib_request_done(struct ipoib_request *req, int err, const struct ipoib_route *route)
{
	world->done++;
	world->err = err;
	if (route)
		world->route = *route;
}

void ipoib_request_exit(struct ipoib_request *req)
{
}

struct ipoib_sa *ipoib_sa_open(struct ib_device *ibdev, u32 port, struct workqueue_struct *wq)
{
	return NULL;
}

void ipoib_sa_close(struct ipoib_sa *sa)
{
}

void ipoib_sa_event(struct ipoib_sa *sa, enum ib_event_type event)
{
}

void ipoib_sa_query_init(struct ipoib_sa_query *query, struct ipoib_sa *sa,
			 void (*done)(struct ipoib_sa_query *query))
{
	query->done = done;
}

void ipoib_sa_ask(struct ipoib_sa_query *query)
{
	world->asked++;
}

void ipoib_sa_cancel(struct ipoib_sa_query *query)
{
}

void ipoib_sa_subscriber_add(struct ipoib_sa *sa, struct ipoib_sa_subscriber *subscriber)
{
}

void ipoib_sa_subscriber_del(struct ipoib_sa *sa, struct ipoib_sa_subscriber *subscriber)
{
}

void ipoib_turns_init(struct ipoib_turns *turns, unsigned int limit, struct workqueue_struct *wq,
		      u32 rate, u32 burst)
{
	turns->left = limit;
}

void ipoib_turns_exit(struct ipoib_turns *turns)
{
	turns->left = 0;
}

void ipoib_turn_ask(struct ipoib_turns *turns, struct ipoib_turn *turn)
{
	turn->state = IPOIB_TURN_HAS;
}

void ipoib_turn_end(struct ipoib_turns *turns, struct ipoib_turn *turn)
{
	turn->state = IPOIB_TURN_NONE;
}

/* ---- requests ---------------------------------------------------------- */

static int fabric_ib_test_init(struct kunit *test)
{
	struct ipoib_fabric *fabric;

	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world);
	world->idev = kunit_kzalloc(test, sizeof(*world->idev), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world->idev);
	works = 0;
	opa = false;
	clients = 0;
	workqueues = 0;
	left_groups = 0;
	cancelled = 0;
	world->later = -1;
	world->shared = ib_open_port(&world->ibdev, 1);
	KUNIT_ASSERT_FALSE(test, IS_ERR(world->shared));
	world->gid_attr.gid.raw[0] = 0xfe;
	world->gid_attr.gid.raw[15] = 1;
	world->port.state = IB_PORT_ACTIVE;
	world->port.active_mtu = IB_MTU_4096;
	world->port.phys_mtu = 8192;
	world->port.lid = 9;
	world->port.lmc = 1;
	fabric = &world->idev->fabric;
	world->fabric = fabric;
	fabric->ibdev = &world->ibdev;
	fabric->port = 1;
	fabric->pkey = PKEY;
	fabric->shared = world->shared;
	fabric->link.mtu = 4092;
	fabric->broadcast.sl = 3;
	fabric->broadcast.traffic_class = 4;
	fabric->broadcast.rate = IB_RATE_40_GBPS;
	spin_lock_init(&fabric->lock);
	return 0;
}

static void fabric_ib_test_exit(struct kunit *test)
{
	unsigned int i;

	if (!world || IS_ERR_OR_NULL(world->shared))
		return;
	for (i = 0; i < IPOIB_QUESTIONS; i++)
		KUNIT_EXPECT_NE(test, world->shared->turns[i].left, 0);
	KUNIT_EXPECT_TRUE(test, hash_empty(world->shared->members));
	KUNIT_EXPECT_EQ(test, clients, 1);
	ib_close_port(world->shared);
	KUNIT_EXPECT_EQ(test, clients, 0);
	KUNIT_EXPECT_EQ(test, workqueues, 0);
}

static const struct ipoib_request_owner owner;

static struct ib_request *begin(struct kunit *test, struct ipoib_request *base)
{
	struct ib_request *req;

	KUNIT_ASSERT_FALSE(test, IS_ERR(base));
	req = container_of(base, struct ib_request, base);
	KUNIT_EXPECT_EQ(test, base->turn.state, IPOIB_TURN_HAS);
	world->done = 0;
	start_work(&base->start.work);
	return req;
}

static void finish(struct ib_request *req)
{
	finish_work(&req->base.finish);
}

/* Group @n of the link; 0 is the broadcast group. */
static union ib_gid mgid_of(unsigned int n)
{
	struct in6_addr group = { .s6_addr = { 0xff, 0x02, [15] = n } };
	union ib_gid mgid;

	if (n)
		ipoib_mgid_ipv6(&mgid, IPOIB_SCOPE_LINK, PKEY, &group);
	else
		ipoib_mgid_broadcast(&mgid, IPOIB_SCOPE_LINK, PKEY);
	return mgid;
}

static struct ib_sa_mcmember_rec record_of(unsigned int n)
{
	return (struct ib_sa_mcmember_rec){
		.mgid		= mgid_of(n),
		.pkey		= cpu_to_be16(PKEY),
		.mtu		= IB_MTU_2048,
		.mlid		= cpu_to_be16(0xc000 + n),
		.qkey		= cpu_to_be32(0xb1b),
		.rate		= IB_RATE_40_GBPS,
		.sl		= 2,
	};
}

/* The core has joined, or says why not. */
static void joined(struct ib_request *req, int err, const struct ib_sa_mcmember_rec *rec)
{
	world->mcast.context = req;
	if (rec)
		world->mcast.rec = *rec;
	group_joined(err, &world->mcast);
	joined_work(&req->joined);
}

/* ---- the link ---------------------------------------------------------- */

static void a_link_is_what_its_port_is(struct kunit *test)
{
	struct ipoib_link link;

	find_ib_gid(world->fabric, &link);
	KUNIT_EXPECT_EQ(test, link.mtu, GUESS_MTU);
	KUNIT_EXPECT_EQ(test, link.gid.raw[15], 1);
	KUNIT_EXPECT_PTR_EQ(test, link.gid_attr, (const struct ib_gid_attr *)&world->gid_attr);
	KUNIT_EXPECT_EQ(test, link.state, IPOIB_LINK_READY);
	KUNIT_EXPECT_FALSE(test, world->by_value);
	world->pinned = true;
	query_ib_port(world->fabric, &link);
	KUNIT_EXPECT_TRUE(test, world->by_value);
	KUNIT_EXPECT_EQ(test, link.mtu, 4092);
	KUNIT_EXPECT_EQ(test, link.lid, 9);
	KUNIT_EXPECT_EQ(test, link.lmc, 1);
	KUNIT_EXPECT_EQ(test, link.speed, 100000);
	opa = true;
	query_ib_port(world->fabric, &link);
	KUNIT_EXPECT_EQ(test, link.mtu, 8188);
	world->port.phys_mtu = 0;
	query_ib_port(world->fabric, &link);
	KUNIT_EXPECT_EQ(test, link.mtu, 0);
}

static void why_there_is_none_is_known(struct kunit *test)
{
	struct ipoib_link link;

	world->no_gid = true;
	query_ib_port(world->fabric, &link);
	KUNIT_EXPECT_EQ(test, link.state, IPOIB_LINK_NO_GID);
	KUNIT_EXPECT_NULL(test, link.gid_attr);
	/* The state of the port is the better reason. */
	world->port.state = IB_PORT_INIT;
	world->port.phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	query_ib_port(world->fabric, &link);
	KUNIT_EXPECT_EQ(test, link.state, IPOIB_LINK_NO_SM);
	world->port.phys_state = IB_PORT_PHYS_STATE_POLLING;
	query_ib_port(world->fabric, &link);
	KUNIT_EXPECT_EQ(test, link.state, IPOIB_LINK_PORT_DOWN);
	world->no_port = true;
	query_ib_port(world->fabric, &link);
	KUNIT_EXPECT_EQ(test, link.state, IPOIB_LINK_QUERY);
	KUNIT_EXPECT_EQ(test, link.mtu, 0);
	KUNIT_EXPECT_TRUE(test, IS_ERR(ib_path(world->fabric, &link.gid, &owner)));
}

/* ---- paths ------------------------------------------------------------- */

static void a_path_is_asked_for_and_its_route_told(struct kunit *test)
{
	union ib_gid gid = { .raw = { 0xfe, 0x80, [15] = 7 } };
	struct ib_request *req = begin(test, ib_path(world->fabric, &gid, &owner));
	struct sa_path_rec rec = {};

	KUNIT_EXPECT_EQ(test, world->paths, 1);
	KUNIT_EXPECT_EQ(test, world->path.dgid.raw[15], 7);
	KUNIT_EXPECT_EQ(test, world->path.sgid.raw[15], 1);
	KUNIT_EXPECT_EQ(test, world->path.pkey, cpu_to_be16(PKEY));
	KUNIT_EXPECT_EQ(test, world->path.traffic_class, 4);
	KUNIT_EXPECT_EQ(test, world->path.rec_type, SA_PATH_REC_TYPE_IB);
	KUNIT_EXPECT_EQ(test, world->path_mask, PATH_MASK);
	rec.mtu = IB_MTU_2048;
	rec.sl = 1;
	rec.packet_life_time = MAX_LIFE_TIME + 1;
	rec.rate = IB_RATE_20_GBPS;
	path_answered(0, &rec, 1, req);
	KUNIT_EXPECT_EQ(test, world->done, 1);
	KUNIT_EXPECT_EQ(test, world->err, 0);
	KUNIT_EXPECT_EQ(test, world->route.mtu, 2044);
	KUNIT_EXPECT_PTR_EQ(test, world->route.path, &rec);
	KUNIT_EXPECT_EQ(test, rec.packet_life_time, MAX_LIFE_TIME);
	KUNIT_EXPECT_EQ(test, rec.sl, 1);
	KUNIT_EXPECT_EQ(test, rec.rate, IB_RATE_20_GBPS);
	KUNIT_EXPECT_EQ(test, rec.sgid.raw[15], 1);
	finish(req);
	KUNIT_EXPECT_EQ(test, cancelled, 0);
}

static void the_user_may_want_the_sl_of_the_group(struct kunit *test)
{
	union ib_gid gid = {};
	struct ib_request *req = begin(test, ib_path(world->fabric, &gid, &owner));
	struct sa_path_rec rec = { .mtu = 77, .rate = 63 };

	world->fabric->group_sl = true;
	path_answered(0, &rec, 1, req);
	KUNIT_EXPECT_EQ(test, rec.sl, 3);
	/* A code that nobody knows is no limit, and that of the port is the fastest rate. */
	KUNIT_EXPECT_EQ(test, world->route.mtu, UINT_MAX);
	KUNIT_EXPECT_EQ(test, rec.rate, IB_RATE_PORT_CURRENT);
	finish(req);
}

static void a_path_that_there_is_not_is_told(struct kunit *test)
{
	union ib_gid gid = {};
	struct ib_request *req = begin(test, ib_path(world->fabric, &gid, &owner));

	path_answered(-ETIMEDOUT, NULL, 0, req);
	KUNIT_EXPECT_EQ(test, world->err, -ETIMEDOUT);
	finish(req);
	world->path_id = -ENOMEM;
	req = begin(test, ib_path(world->fabric, &gid, &owner));
	KUNIT_EXPECT_EQ(test, world->err, -ENOMEM);
	KUNIT_EXPECT_EQ(test, world->done, 1);
	finish(req);
	/* The core looks for the SM: it is asked again, so often. */
	world->path_id = -EAGAIN;
	req = begin(test, ib_path(world->fabric, &gid, &owner));
	KUNIT_EXPECT_EQ(test, world->done, 0);
	KUNIT_EXPECT_EQ(test, world->later, IB_AGAIN_DELAY);
	req->tries = IB_AGAIN_TRIES;
	start_work(&req->base.start.work);
	KUNIT_EXPECT_EQ(test, world->err, -EAGAIN);
	/* One that nobody wants any more is not asked for. */
	world->paths = 0;
	req->base.ended = true;
	start_work(&req->base.start.work);
	KUNIT_EXPECT_EQ(test, world->paths, 0);
	finish(req);
}

static void an_alternate_path_has_the_other_lids(struct kunit *test)
{
	struct sa_path_rec path = { .rec_type = SA_PATH_REC_TYPE_IB };
	struct ib_request *req;

	path.dgid.raw[15] = 7;
	sa_path_set_slid(&path, 8);
	sa_path_set_dlid(&path, 13);
	KUNIT_EXPECT_TRUE(test, IS_ERR(ib_alt_path(world->fabric, &path, &owner)));
	world->fabric->link.lmc = 1;
	KUNIT_EXPECT_TRUE(test, IS_ERR(ib_alt_path(world->fabric, &path, &owner)));
	world->ibdev.attrs.device_cap_flags = IB_DEVICE_AUTO_PATH_MIG;
	req = begin(test, ib_alt_path(world->fabric, &path, &owner));
	KUNIT_EXPECT_EQ(test, world->path.dgid.raw[15], 7);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(sa_path_get_slid(&world->path)), 9);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(sa_path_get_dlid(&world->path)), 12);
	KUNIT_EXPECT_EQ(test, world->path_mask,
			PATH_MASK | IB_SA_PATH_REC_SLID | IB_SA_PATH_REC_DLID);
	path_answered(-EINVAL, NULL, 0, req);
	finish(req);
	world->fabric->link.lmc = 0;
	KUNIT_EXPECT_TRUE(test, IS_ERR(ib_alt_path(world->fabric, &path, &owner)));
}

/* ---- groups ------------------------------------------------------------ */

static void a_member_creates_the_group_with_what_the_link_has(struct kunit *test)
{
	union ib_gid mgid = mgid_of(7);
	struct ib_sa_mcmember_rec rec = record_of(7);
	struct ib_request *req;

	req = begin(test, ib_group(world->fabric, &mgid, IPOIB_FULL_MEMBER, true, &owner));
	KUNIT_EXPECT_EQ(test, world->asked, 0);
	KUNIT_EXPECT_EQ(test, world->joins, 1);
	KUNIT_EXPECT_EQ(test, world->rec_mask, JOIN_MASK | CREATE_MASK);
	KUNIT_EXPECT_EQ(test, world->rec.sl, 3);
	KUNIT_EXPECT_EQ(test, world->rec.mtu_selector, IB_SA_EQ);
	KUNIT_EXPECT_EQ(test, world->rec.rate_selector, IB_SA_EQ);
	KUNIT_EXPECT_EQ(test, world->rec.join_state, JOIN_FULL_MEMBER);
	KUNIT_EXPECT_EQ(test, world->rec.port_gid.raw[15], 1);
	KUNIT_EXPECT_EQ(test, memcmp(&world->rec.mgid, &mgid, sizeof(mgid)), 0);
	KUNIT_EXPECT_EQ(test, world->rec.pkey, cpu_to_be16(PKEY));
	joined(req, 0, &rec);
	KUNIT_EXPECT_EQ(test, world->err, 0);
	KUNIT_EXPECT_EQ(test, world->route.mtu, 2044);
	KUNIT_EXPECT_EQ(test, world->route.qkey, 0xb1b);
	KUNIT_EXPECT_EQ(test, world->route.mlid, 0xc007);
	KUNIT_EXPECT_EQ(test, rdma_ah_get_dlid(&world->route.attr), 0xc007);
	KUNIT_EXPECT_EQ(test, rdma_ah_get_sl(&world->route.attr), 2);
	KUNIT_EXPECT_NULL(test, world->route.path);
	/* It is ours, and no program's. */
	world->is_known = true;
	world->known.join_state = JOIN_FULL_MEMBER;
	KUNIT_EXPECT_FALSE(test, ib_is_users(world->fabric, &mgid));
	finish(req);
	KUNIT_EXPECT_EQ(test, left_groups, 1);
	KUNIT_EXPECT_TRUE(test, ib_is_users(world->fabric, &mgid));
	world->known.join_state = JOIN_SEND_ONLY;
	KUNIT_EXPECT_FALSE(test, ib_is_users(world->fabric, &mgid));
}

static void who_is_a_member_already_keeps_the_gid(struct kunit *test)
{
	union ib_gid mgid = mgid_of(7);
	struct ib_request *req;

	world->is_known = true;
	world->known.port_gid.raw[15] = 2;
	world->known.join_state = JOIN_FULL_MEMBER;
	req = begin(test, ib_group(world->fabric, &mgid, IPOIB_FULL_MEMBER, true, &owner));
	KUNIT_EXPECT_EQ(test, world->rec.port_gid.raw[15], 2);
	finish(req);
	/* One that is being left has nobody. */
	world->known.join_state = 0;
	req = begin(test, ib_group(world->fabric, &mgid, IPOIB_FULL_MEMBER, true, &owner));
	KUNIT_EXPECT_EQ(test, world->rec.port_gid.raw[15], 1);
	finish(req);
	world->join_error = true;
	req = begin(test, ib_group(world->fabric, &mgid, IPOIB_FULL_MEMBER, true, &owner));
	KUNIT_EXPECT_EQ(test, world->err, -ENOMEM);
	KUNIT_EXPECT_TRUE(test, hash_empty(world->shared->members));
	finish(req);
	KUNIT_EXPECT_EQ(test, left_groups, 2);
}

/* The SA answers that there is the group of this record, in a member record as IBTA has it. */
static void found_as(struct ib_request *req, const struct ib_sa_mcmember_rec *rec)
{
	u8 *data = world->mad.data;

	world->mad = req->query.ask;
	memset(data, 0, sizeof(world->mad.data));
	memcpy(data, &rec->mgid, sizeof(rec->mgid));
	memcpy(data + 32, &rec->qkey, sizeof(rec->qkey));
	memcpy(data + 36, &rec->mlid, sizeof(rec->mlid));
	data[38] = 0x80 | rec->mtu;
	memcpy(data + 40, &rec->pkey, sizeof(rec->pkey));
	data[42] = 0x80 | rec->rate;
	data[44] = rec->sl << 4;
	world->answer.recv_buf.mad = (void *)&world->mad;
	world->answer.mad_len = sizeof(world->mad);
	req->query.answer = &world->answer;
	req->query.err = 0;
	sa_answered(&req->query);
	req->query.answer = NULL;
}

static void found(struct ib_request *req, unsigned int n)
{
	struct ib_sa_mcmember_rec rec = record_of(n);

	found_as(req, &rec);
}

static void others_look_for_the_group_before_they_join(struct kunit *test)
{
	static const struct {
		unsigned int group;
		enum ipoib_membership membership;
		u8 join_state;
	} joins[] = {
		{ 0, IPOIB_FULL_MEMBER, JOIN_FULL_MEMBER },
		{ 7, IPOIB_SEND_ONLY, JOIN_SEND_ONLY },
		{ 7, IPOIB_NON_MEMBER, JOIN_NON_MEMBER },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(joins); i++) {
		union ib_gid mgid = mgid_of(joins[i].group);
		struct ib_sa_mcmember_rec rec = record_of(joins[i].group);
		struct ib_request *req;

		world->asked = 0;
		world->joins = 0;
		req = begin(test, ib_group(world->fabric, &mgid, joins[i].membership, true,
					   &owner));
		KUNIT_EXPECT_EQ(test, world->asked, 1);
		KUNIT_EXPECT_EQ(test, world->joins, 0);
		found(req, joins[i].group);
		KUNIT_EXPECT_EQ(test, world->joins, 1);
		KUNIT_EXPECT_EQ(test, world->rec_mask, JOIN_MASK);
		KUNIT_EXPECT_EQ(test, world->rec.join_state, joins[i].join_state);
		KUNIT_EXPECT_EQ(test, world->done, 0);
		joined(req, 0, &rec);
		KUNIT_EXPECT_EQ(test, world->err, 0);
		KUNIT_EXPECT_EQ(test, world->done, 1);
		finish(req);
	}
	/* All others are made as the broadcast group is. */
	KUNIT_EXPECT_EQ(test, world->fabric->broadcast.sl, 2);
}

static void a_group_that_exists_is_joined_as_it_is(struct kunit *test)
{
	union ib_gid mgid = mgid_of(7);
	struct ib_request *req;

	world->fabric->broadcast.qkey = cpu_to_be32(0xb1b);
	req = begin(test, ib_group(world->fabric, &mgid, IPOIB_FULL_MEMBER, false, &owner));
	KUNIT_EXPECT_EQ(test, world->joins, 0);
	found(req, 7);
	KUNIT_EXPECT_EQ(test, world->joins, 1);
	KUNIT_EXPECT_EQ(test, world->rec_mask, JOIN_MASK);
	finish(req);
	/* Of one with another Q_Key nothing would be received. */
	world->fabric->broadcast.qkey = cpu_to_be32(0xb1c);
	req = begin(test, ib_group(world->fabric, &mgid, IPOIB_FULL_MEMBER, false, &owner));
	found(req, 7);
	KUNIT_EXPECT_EQ(test, world->joins, 1);
	KUNIT_EXPECT_EQ(test, world->err, -EPROTO);
	finish(req);
}

/* The SA of Omni-Path answers so, once there are two members. */
static void a_group_with_too_many_records_exists(struct kunit *test)
{
	union ib_gid mgid = mgid_of(0);
	struct ib_sa_mcmember_rec rec = record_of(0);
	struct ib_request *req;

	req = begin(test, ib_group(world->fabric, &mgid, IPOIB_FULL_MEMBER, true, &owner));
	req->query.err = -E2BIG;
	sa_answered(&req->query);
	KUNIT_EXPECT_EQ(test, world->done, 0);
	KUNIT_EXPECT_EQ(test, world->joins, 1);
	joined(req, 0, &rec);
	KUNIT_EXPECT_EQ(test, world->err, 0);
	finish(req);
	req = begin(test, ib_find(world->fabric, &mgid, &owner));
	req->query.err = -E2BIG;
	sa_answered(&req->query);
	KUNIT_EXPECT_EQ(test, world->err, -E2BIG);
	KUNIT_EXPECT_EQ(test, world->joins, 1);
	finish(req);
}

static void broadcast(struct kunit *test, const struct ib_sa_mcmember_rec *rec)
{
	union ib_gid mgid = mgid_of(0);
	struct ib_request *req;

	req = begin(test, ib_group(world->fabric, &mgid, IPOIB_FULL_MEMBER, true, &owner));
	found_as(req, rec);
	world->reports = 0;
	joined(req, 0, rec);
	finish(req);
}

static void a_link_that_changes_is_reported(struct kunit *test)
{
	struct ib_sa_mcmember_rec rec = record_of(0);

	broadcast(test, &rec);
	KUNIT_EXPECT_EQ(test, world->reports, 0);
	broadcast(test, &rec);
	KUNIT_EXPECT_EQ(test, world->reports, 0);
	rec.rate++;
	broadcast(test, &rec);
	KUNIT_EXPECT_EQ(test, world->reports, 1);
	KUNIT_EXPECT_EQ(test, world->report, IPOIB_REPORT_LINK);
	/* It is no longer the same link. */
	rec.mgid.raw[15]++;
	rec.rate++;
	KUNIT_EXPECT_FALSE(test, !memcmp(&rec.mgid, &world->fabric->broadcast.mgid, 16));
	world->reports = 0;
	adopt_broadcast(world->fabric, &rec);
	KUNIT_EXPECT_EQ(test, world->reports, 0);
}

static void a_group_that_there_is_not_is_not_joined(struct kunit *test)
{
	union ib_gid mgid = mgid_of(7);
	struct ib_request *req;

	req = begin(test, ib_group(world->fabric, &mgid, IPOIB_SEND_ONLY, true, &owner));
	req->query.err = -ENOENT;
	sa_answered(&req->query);
	KUNIT_EXPECT_EQ(test, world->err, -ENOENT);
	KUNIT_EXPECT_EQ(test, world->joins, 0);
	finish(req);
	KUNIT_EXPECT_EQ(test, left_groups, 0);
	/* Who only looks for it, and for his port in it, is told where it is. */
	req = begin(test, ib_find(world->fabric, &mgid, &owner));
	KUNIT_EXPECT_EQ(test, (__force u64)req->query.ask.sa_hdr.comp_mask,
			(__force u64)cpu_to_be64(3));
	KUNIT_EXPECT_EQ(test, memcmp(req->query.ask.data, &mgid, sizeof(mgid)), 0);
	KUNIT_EXPECT_EQ(test, req->query.ask.data[31], 1);
	found(req, 7);
	KUNIT_EXPECT_EQ(test, world->done, 1);
	KUNIT_EXPECT_EQ(test, world->err, 0);
	KUNIT_EXPECT_EQ(test, world->route.mlid, 0xc007);
	KUNIT_EXPECT_EQ(test, world->joins, 0);
	/* And who does so no more does not join. */
	finish(req);
	req = begin(test, ib_group(world->fabric, &mgid, IPOIB_SEND_ONLY, true, &owner));
	req->base.ended = true;
	found(req, 7);
	KUNIT_EXPECT_EQ(test, world->joins, 0);
	finish(req);
}

static void a_record_that_cannot_be_is_refused(struct kunit *test)
{
	union ib_gid mgid = mgid_of(7);
	struct ib_sa_mcmember_rec good = record_of(7), rec;
	struct ib_request *req;

	req = begin(test, ib_group(world->fabric, &mgid, IPOIB_FULL_MEMBER, true, &owner));
	rec = good;
	rec.mtu = 77;
	KUNIT_EXPECT_EQ(test, check_record(req, &rec), -EPROTO);
	rec = good;
	rec.mgid.raw[15]++;
	KUNIT_EXPECT_EQ(test, check_record(req, &rec), -EPROTO);
	rec = good;
	rec.pkey = cpu_to_be16(PKEY + 1);
	KUNIT_EXPECT_EQ(test, check_record(req, &rec), -EPROTO);
	rec.pkey = cpu_to_be16(PKEY & ~IPOIB_PKEY_FULL);
	KUNIT_EXPECT_EQ(test, check_record(req, &rec), 0);
	/* One as long as the port can take, and one longer than that. */
	rec = good;
	rec.mtu = IB_MTU_4096;
	KUNIT_EXPECT_EQ(test, check_record(req, &rec), 0);
	world->fabric->link.mtu = 4091;
	KUNIT_EXPECT_EQ(test, check_record(req, &rec), -EMSGSIZE);
	/* Another one has been made meanwhile. */
	req->told.mlid = cpu_to_be16(0xc008);
	joined(req, 0, &good);
	KUNIT_EXPECT_EQ(test, world->err, -EAGAIN);
	joined(req, -ENETRESET, NULL);
	KUNIT_EXPECT_EQ(test, world->err, -ENETRESET);
	finish(req);
}

/* The core may have kept a membership of the port from before the group was made anew. */
static void what_our_own_agent_was_told_holds(struct kunit *test)
{
	struct ib_sa_mcmember_rec old = record_of(7);
	union ib_gid mgid = mgid_of(7);
	struct ib_request *req;

	old.rate = IB_RATE_10_GBPS;
	req = begin(test, ib_group(world->fabric, &mgid, IPOIB_SEND_ONLY, true, &owner));
	found(req, 7);
	KUNIT_EXPECT_EQ(test, world->joins, 1);
	joined(req, 0, &old);
	KUNIT_EXPECT_EQ(test, world->err, 0);
	KUNIT_EXPECT_EQ(test, rdma_ah_get_static_rate(&world->route.attr),
			ipoib_fabric_rate(IB_RATE_40_GBPS));
	finish(req);
}

/* ---- reports ----------------------------------------------------------- */

static void reports_of_the_sa_are_those_of_the_fabric(struct kunit *test)
{
	static const struct {
		enum ipoib_sa_trap trap;
		enum ipoib_report report;
	} reports[] = {
		{ IPOIB_SA_GID_IN, IPOIB_REPORT_NODE },
		{ IPOIB_SA_GROUP_CREATED, IPOIB_REPORT_GROUP },
		{ IPOIB_SA_GROUP_DELETED, IPOIB_REPORT_NO_GROUP },
	};
	union ib_gid gid = {};
	unsigned int i;

	ib_subscribe(world->fabric);
	for (i = 0; i < ARRAY_SIZE(reports); i++) {
		world->fabric->subscriber.report(&world->fabric->subscriber, reports[i].trap,
						 &gid);
		KUNIT_EXPECT_EQ(test, world->report, reports[i].report);
		KUNIT_EXPECT_EQ(test, world->reports, i + 1);
	}
	world->fabric->subscriber.renewed(&world->fabric->subscriber);
	KUNIT_EXPECT_EQ(test, world->report, IPOIB_REPORT_MISSED);
	KUNIT_EXPECT_EQ(test, world->reports, i + 1);
	ib_unsubscribe(world->fabric);
}

static struct kunit_case fabric_ib_test_cases[] = {
	KUNIT_CASE(a_link_is_what_its_port_is),
	KUNIT_CASE(why_there_is_none_is_known),
	KUNIT_CASE(a_path_is_asked_for_and_its_route_told),
	KUNIT_CASE(the_user_may_want_the_sl_of_the_group),
	KUNIT_CASE(a_path_that_there_is_not_is_told),
	KUNIT_CASE(an_alternate_path_has_the_other_lids),
	KUNIT_CASE(a_member_creates_the_group_with_what_the_link_has),
	KUNIT_CASE(who_is_a_member_already_keeps_the_gid),
	KUNIT_CASE(others_look_for_the_group_before_they_join),
	KUNIT_CASE(a_group_that_exists_is_joined_as_it_is),
	KUNIT_CASE(a_group_with_too_many_records_exists),
	KUNIT_CASE(a_link_that_changes_is_reported),
	KUNIT_CASE(a_group_that_there_is_not_is_not_joined),
	KUNIT_CASE(a_record_that_cannot_be_is_refused),
	KUNIT_CASE(what_our_own_agent_was_told_holds),
	KUNIT_CASE(reports_of_the_sa_are_those_of_the_fabric),
	{}
};

static struct kunit_suite fabric_ib_test_suite = {
	.name = "ipoib_fabric_ib",
	.init = fabric_ib_test_init,
	.exit = fabric_ib_test_exit,
	.test_cases = fabric_ib_test_cases,
};

kunit_test_suite(fabric_ib_test_suite);

MODULE_DESCRIPTION("Tests of what IPoIB asks of an SA");
MODULE_LICENSE("GPL");
