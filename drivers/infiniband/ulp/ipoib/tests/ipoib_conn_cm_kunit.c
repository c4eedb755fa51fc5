// SPDX-License-Identifier: GPL-2.0
/* Which REQs are taken, what others are answered, and what the CM tells of ours. */
#include <kunit/test.h>
#include <rdma/ib_cm.h>

#include "../conn_set.h"
#include "../device.h"

static struct ib_cm_id *new_id(ib_cm_handler handler, void *context);
static int listen(__be64 service_id);

#define ib_create_cm_id(_dev, _handler, _ctx)	((void)(_dev), new_id(_handler, _ctx))
#define ib_destroy_cm_id(_id)			((void)(_id), world->ids--)
#define ib_cm_listen(_id, _service)		((void)(_id), listen(_service))
#define rdma_mtu_enum_to_int(_dev, _port, _mtu)	((void)(_dev), ib_mtu_enum_to_int(_mtu))

/**
 * struct world - an interface with connections, and a REQ of a peer
 * @idev: the interface
 * @set: its connections
 * @pd: its protection domain
 * @known: the connection that there is with the peer
 * @theirs: connections by which only the peer sends
 * @many: how many
 * @made: the connection that was made for the REQ
 * @no_memory: none can be made
 * @added: it is in the set
 * @full: the set is full
 * @no_share: the port has its share
 * @check: what is known of the peer says so
 * @contested: others ask in its name
 * @asked: we have asked the peer ourselves
 * @left: connections that had to leave
 * @reason: of the last REJ; 0 if there was none
 * @closed: why a connection is closed
 * @pending: what one was told
 * @ids: identifiers that there are
 * @services: those that are listened to
 * @listen_fails: the second one is not
 * @listen_ids: what they are listened to by
 * @gid_attr: the GID that the REQ came to
 * @path: its primary path
 * @alt: its alternate path
 * @event: the REQ
 * @id: its identifier
 * @data: its private data
 */
static struct world {
	struct ipoib_dev *idev;
	struct ipoib_conn_set *set;
	struct ib_pd pd;
	struct ipoib_conn *known;
	struct ipoib_conn *theirs[IPOIB_CONN_THEIRS];
	unsigned int many;
	struct ipoib_conn made;
	bool no_memory;
	bool added;
	bool full;
	bool no_share;
	int check;
	bool contested;
	unsigned int asked;
	unsigned int left;
	enum ib_cm_rej_reason reason;
	int closed;
	unsigned long pending;
	int ids;
	unsigned int services;
	bool listen_fails;
	struct ib_cm_id listen_ids[IPOIB_SERVICE_NONE];
	struct ib_gid_attr gid_attr;
	struct sa_path_rec path;
	struct sa_path_rec alt;
	struct ib_cm_event event;
	struct ib_cm_id id;
	struct ipoib_cm_private data;
} *world;

#include "../conn_cm.c"

#include "../addr.c"
#include "../conn_wire.c"

/* ---- what conn_cm.c calls ---------------------------------------------- */

static struct ib_cm_id *new_id(ib_cm_handler handler, void *context)
{
	struct ib_cm_id *id = &world->listen_ids[world->ids++];

	id->cm_handler = handler;
	id->context = context;
	return id;
}

static int listen(__be64 service_id)
{
	world->services++;
	return world->listen_fails && world->services == 2 ? -EBUSY : 0;
}

void ipoib_object_created(enum ipoib_object kind)
{
}

void ipoib_object_destroyed(enum ipoib_object kind)
{
}

struct ipoib_conn *ipoib_conn_new(struct ipoib_conn_set *set, const struct ipoib_hwaddr *addr,
				  enum ib_qp_type type, enum ipoib_service service, bool active)
{
	struct ipoib_conn *conn = &world->made;

	if (world->no_memory)
		return NULL;
	memset(conn, 0, sizeof(*conn));
	conn->set = set;
	conn->addr = *addr;
	conn->type = type;
	conn->service = service;
	conn->active = active;
	refcount_set(&conn->refs, 1);
	return conn;
}

void ipoib_conn_put(struct ipoib_conn *conn)
{
	conn->set = NULL;
}

void ipoib_conn_close(struct ipoib_conn *conn, int err)
{
	world->closed = err;
}

void ipoib_conn_kick(struct ipoib_conn *conn, enum ipoib_conn_pending what)
{
	world->pending |= BIT(what);
}

bool ipoib_conn_can_migrate(const struct ipoib_conn *conn, const struct sa_path_rec *path,
			    const struct sa_path_rec *alt)
{
	return alt->sl == 1;
}

bool ipoib_conn_same_way(const struct ipoib_conn *conn, const struct ipoib_conn *other)
{
	return conn->path.sl == other->path.sl;
}

int ipoib_conn_peer_check(struct ipoib_conn *conn)
{
	return world->check;
}

void ipoib_conn_peer_ask(const struct ipoib_conn *old)
{
	world->asked++;
}

bool ipoib_conn_peer_is_contested(const struct ipoib_conn *conn)
{
	return world->contested;
}

int ipoib_conn_set_add(struct ipoib_conn_set *set, struct ipoib_conn *conn)
{
	world->added = true;
	return 0;
}

struct ipoib_conn *ipoib_conn_set_find(struct ipoib_conn_set *set, const struct ipoib_hwaddr *addr)
{
	return world->known;
}

unsigned int ipoib_conn_set_find_theirs(struct ipoib_conn_set *set, const struct ipoib_conn *new,
					struct ipoib_conn *found[IPOIB_CONN_THEIRS])
{
	memcpy(found, world->theirs, sizeof(world->theirs));
	return world->many;
}

bool ipoib_conn_set_has_share(const struct ipoib_conn_set *set, const struct ipoib_conn *new)
{
	return !world->no_share;
}

bool ipoib_conn_set_is_full(const struct ipoib_conn_set *set, const struct ipoib_conn *new)
{
	return world->full;
}

void ipoib_conn_set_leave(struct ipoib_conn_set *set, struct ipoib_conn *conn, int err)
{
	conn->leaving = true;
	conn->err = err;
	world->left++;
}

void ipoib_conn_set_refuse(struct ipoib_conn_set *set, struct ib_cm_id *cm_id,
			   enum ib_cm_rej_reason reason)
{
	world->reason = reason;
}

/* ---- a REQ ------------------------------------------------------------- */

static int conn_cm_test_init(struct kunit *test)
{
	struct ib_cm_req_event_param *req;
	struct ipoib_conn_set *set;

	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world);
	world->idev = kunit_kzalloc(test, sizeof(*world->idev), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world->idev);
	set = kunit_kzalloc(test, sizeof(*set), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, set);
	world->set = set;
	world->idev->config.pd = &world->pd;
	world->idev->fabric.port = 1;
	set->idev = world->idev;
	set->qpn = 0x111;
	set->pkey = 0x8001;
	set->offer = IPOIB_OFFER_RC | IPOIB_OFFER_UC;
	set->opens = true;
	set->self.gid[0] = cpu_to_be32(0xfe800000);
	set->self.gid[3] = cpu_to_be32(5);
	set->self.flags_qpn = cpu_to_be32(0x111);
	spin_lock_init(&set->lock);
	world->path.pkey = cpu_to_be16(0x8001);
	world->path.mtu = IB_MTU_2048;
	world->path.dgid.global.subnet_prefix = cpu_to_be64(0xfe80000000000000);
	world->path.dgid.global.interface_id = cpu_to_be64(7);
	ipoib_cm_pack(&world->data, 0x222, 9000, false);
	world->event.event = IB_CM_REQ_RECEIVED;
	world->event.private_data = &world->data;
	req = &world->event.param.req_rcvd;
	req->port = 1;
	req->bth_pkey = 0x8001;
	req->primary_path = &world->path;
	req->qp_type = IB_QPT_RC;
	world->id.service_id = ipoib_service_id(IPOIB_SERVICE_RFC, 0x111);
	world->id.context = set;
	return 0;
}

static void req_is(struct kunit *test, int err, enum ib_cm_rej_reason reason)
{
	world->reason = 0;
	world->added = false;
	world->pending = 0;
	world->id.context = world->set;
	KUNIT_EXPECT_EQ(test, listen_event(&world->id, &world->event), err);
	KUNIT_EXPECT_EQ(test, world->reason, reason);
	KUNIT_EXPECT_EQ(test, world->added, !err);
}

static void taken(struct kunit *test)
{
	req_is(test, 0, 0);
	KUNIT_EXPECT_EQ(test, world->pending, BIT(IPOIB_CONN_PENDING_REQ));
}

static void refused(struct kunit *test, enum ib_cm_rej_reason reason)
{
	req_is(test, -ECONNREFUSED, reason);
}

/* One that is there already: of ours, or of the peer. */
static struct ipoib_conn *conn(struct kunit *test, bool active)
{
	struct ipoib_conn *it = kunit_kzalloc(test, sizeof(*it), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, it);
	it->set = world->set;
	it->active = active;
	it->type = IB_QPT_RC;
	it->service = IPOIB_SERVICE_RFC;
	it->state = IPOIB_CONN_ESTABLISHED;
	it->addr.flags_qpn = cpu_to_be32(0x222);
	it->addr.gid[3] = cpu_to_be32(7);
	it->alive = jiffies;
	it->since = jiffies;
	it->accepted_at = jiffies - 2 * CROSSING_TIME;
	return it;
}

/* ---- REQs of peers ----------------------------------------------------- */

static void a_req_is_taken_with_all_that_it_says(struct kunit *test)
{
	taken(test);
	KUNIT_EXPECT_EQ(test, world->made.theirs.qpn, 0x222);
	KUNIT_EXPECT_EQ(test, world->made.theirs.mtu, 9000);
	KUNIT_EXPECT_EQ(test, world->made.addr.flags_qpn, cpu_to_be32(0x222));
	KUNIT_EXPECT_EQ(test, world->made.addr.gid[3], cpu_to_be32(7));
	KUNIT_EXPECT_PTR_EQ(test, world->made.cm_id, &world->id);
	KUNIT_EXPECT_PTR_EQ(test, world->id.context, (void *)&world->made);
	KUNIT_EXPECT_PTR_EQ(test, world->id.cm_handler, (ib_cm_handler)ipoib_conn_event);
	KUNIT_EXPECT_EQ(test, world->made.alt_state, IPOIB_CONN_ALT_NONE);
	KUNIT_EXPECT_FALSE(test, world->made.active);
	world->event.param.req_rcvd.alternate_path = &world->alt;
	taken(test);
	KUNIT_EXPECT_EQ(test, world->made.alt_state, IPOIB_CONN_ALT_REFUSED);
	world->alt.sl = 1;
	taken(test);
	KUNIT_EXPECT_EQ(test, world->made.alt_state, IPOIB_CONN_ALT_LOADED);
	/* What is no REQ opens none. */
	world->event.event = IB_CM_SIDR_REQ_RECEIVED;
	world->id.context = world->set;
	KUNIT_EXPECT_EQ(test, listen_event(&world->id, &world->event), -EOPNOTSUPP);
}

static void a_req_of_another_link_is_refused(struct kunit *test)
{
	struct ib_cm_req_event_param *req = &world->event.param.req_rcvd;
	struct net_device *lower = (void *)1;

	req->port = 2;
	refused(test, IB_CM_REJ_INVALID_SERVICE_ID);
	req->port = 1;
	world->path.pkey = cpu_to_be16(0x8002);
	refused(test, IB_CM_REJ_INVALID_SERVICE_ID);
	/* A limited member is of the same partition. */
	world->path.pkey = cpu_to_be16(0x0001);
	req->bth_pkey = 0x0001;
	taken(test);
	req->bth_pkey = 0x8002;
	refused(test, IB_CM_REJ_INVALID_SERVICE_ID);
	/* On RoCE the GID tells, and there is but one P_Key. */
	world->idev->fabric.lower = lower;
	refused(test, IB_CM_REJ_INVALID_SERVICE_ID);
	req->ppath_sgid_attr = &world->gid_attr;
	taken(test);
	world->gid_attr.index = 1;
	refused(test, IB_CM_REJ_INVALID_SERVICE_ID);
	KUNIT_EXPECT_EQ(test, atomic_read(&world->idev->refused.foreign), 5);
}

static void only_what_is_offered_is_taken(struct kunit *test)
{
	struct ib_cm_req_event_param *req = &world->event.param.req_rcvd;

	req->qp_type = IB_QPT_XRC_INI;
	refused(test, IB_CM_REJ_INVALID_TRANSPORT_TYPE);
	req->qp_type = IB_QPT_UC;
	taken(test);
	world->set->offer = IPOIB_OFFER_RC;
	refused(test, IB_CM_REJ_INVALID_TRANSPORT_TYPE);
	world->set->offer = 0;
	req->qp_type = IB_QPT_RC;
	refused(test, IB_CM_REJ_INVALID_TRANSPORT_TYPE);
	/* ib_ipoib would send nothing at all. */
	world->id.service_id = ipoib_service_id(IPOIB_SERVICE_LINUX, 0x111);
	taken(test);
	KUNIT_EXPECT_EQ(test, atomic_read(&world->idev->refused.kind), 3);
}

static void a_req_names_a_queue_pair_and_a_receive_mtu(struct kunit *test)
{
	ipoib_cm_pack(&world->data, 0x222, 0, false);
	refused(test, IB_CM_REJ_CONSUMER_DEFINED);
	ipoib_cm_pack(&world->data, 1, 9000, false);
	refused(test, IB_CM_REJ_CONSUMER_DEFINED);
	KUNIT_EXPECT_EQ(test, atomic_read(&world->idev->refused.malformed), 2);
	ipoib_cm_pack(&world->data, 0x222, 9000, false);
	world->path.mtu = 0;
	refused(test, IB_CM_REJ_CONSUMER_DEFINED);
	world->path.mtu = IB_MTU_4096 + 1;
	refused(test, IB_CM_REJ_CONSUMER_DEFINED);
	KUNIT_EXPECT_EQ(test, atomic_read(&world->idev->refused.malformed), 4);
}

static void what_is_known_of_the_peer_may_speak_against_it(struct kunit *test)
{
	world->check = -EHOSTUNREACH;
	refused(test, IB_CM_REJ_INVALID_GID);
	KUNIT_EXPECT_EQ(test, atomic_read(&world->idev->refused.elsewhere), 1);
	world->check = -EPROTONOSUPPORT;
	refused(test, IB_CM_REJ_INVALID_SERVICE_ID);
	KUNIT_EXPECT_EQ(test, atomic_read(&world->idev->refused.kind), 1);
}

static void a_req_that_there_is_no_room_for_is_refused(struct kunit *test)
{
	world->full = true;
	refused(test, IB_CM_REJ_NO_RESOURCES);
	world->full = false;
	world->no_share = true;
	refused(test, IB_CM_REJ_NO_RESOURCES);
	KUNIT_EXPECT_EQ(test, atomic_read(&world->idev->refused.full), 2);
	world->no_share = false;
	world->no_memory = true;
	refused(test, IB_CM_REJ_NO_RESOURCES);
	KUNIT_EXPECT_EQ(test, atomic_read(&world->idev->refused.full), 2);
}

static void of_reqs_that_cross_one_stands(struct kunit *test)
{
	struct ipoib_conn *ours = conn(test, true);

	world->known = ours;
	ours->state = IPOIB_CONN_REQ_SENT;
	/* Our address is the smaller one: we yield, and ours leaves. */
	taken(test);
	KUNIT_EXPECT_TRUE(test, ours->leaving);
	KUNIT_EXPECT_EQ(test, ours->err, 0);
	/* And else the peer's is refused, while ours is under way. */
	world->set->self.flags_qpn = cpu_to_be32(0x333);
	refused(test, IB_CM_REJ_CONSUMER_DEFINED);
	ours->state = IPOIB_CONN_ESTABLISHED;
	ours->accepted_at = jiffies;
	refused(test, IB_CM_REJ_CONSUMER_DEFINED);
	KUNIT_EXPECT_EQ(test, world->left, 1);
	/* One that ends crosses nothing. */
	ours->state = IPOIB_CONN_REQ_SENT;
	ours->pending = BIT(IPOIB_CONN_PENDING_LATE);
	taken(test);
	ours->pending = BIT(IPOIB_CONN_PENDING_CLOSE);
	taken(test);
	ours->pending = 0;
	ours->state = IPOIB_CONN_NEW;
	taken(test);
	KUNIT_EXPECT_EQ(test, world->left, 4);
}

static void a_connection_that_is_alive_stays(struct kunit *test)
{
	struct ipoib_conn *it = conn(test, true);

	world->known = it;
	refused(test, IB_CM_REJ_STALE_CONN);
	KUNIT_EXPECT_EQ(test, atomic_read(&world->idev->refused.stale), 1);
	KUNIT_EXPECT_FALSE(test, it->leaving);
	it->alive = jiffies - PROVEN_TIME - HZ;
	taken(test);
	KUNIT_EXPECT_TRUE(test, it->leaving);
	/* One by the service ID of ib_ipoib is beside it. */
	it->leaving = false;
	it->alive = jiffies;
	it->service = IPOIB_SERVICE_LINUX;
	taken(test);
	KUNIT_EXPECT_FALSE(test, it->leaving);
}

static void an_old_one_of_the_peer_is_contested(struct kunit *test)
{
	struct ipoib_conn *it = conn(test, false);

	world->known = it;
	refused(test, IB_CM_REJ_STALE_CONN);
	KUNIT_EXPECT_EQ(test, world->asked, 0);
	it->since = jiffies - CONTEST_AGE - HZ;
	refused(test, IB_CM_REJ_STALE_CONN);
	KUNIT_EXPECT_EQ(test, world->asked, 1);
	KUNIT_EXPECT_TRUE(test, it->leaving);
	world->contested = true;
	world->known = NULL;
	refused(test, IB_CM_REJ_STALE_CONN);
}

static void two_by_which_only_the_peer_sends_are_taken(struct kunit *test)
{
	struct ipoib_conn *one = conn(test, false), *two = conn(test, false);

	world->id.service_id = ipoib_service_id(IPOIB_SERVICE_LINUX, 0x111);
	world->theirs[0] = one;
	world->theirs[1] = two;
	world->many = 1;
	taken(test);
	KUNIT_EXPECT_EQ(test, world->left, 0);
	world->many = 2;
	refused(test, IB_CM_REJ_STALE_CONN);
	/* One that is not heard any more makes room. */
	two->alive = jiffies - PROVEN_TIME - HZ;
	taken(test);
	KUNIT_EXPECT_TRUE(test, two->leaving);
	KUNIT_EXPECT_EQ(test, two->err, 0);
	KUNIT_EXPECT_FALSE(test, one->leaving);
}

static void one_that_leads_elsewhere_is_not_that_of_the_peer(struct kunit *test)
{
	struct ipoib_conn *it = conn(test, false), *theirs = conn(test, false);

	theirs->from_peer = true;
	world->theirs[0] = it;
	world->many = 1;
	spin_lock_bh(&world->set->lock);
	KUNIT_EXPECT_EQ(test, admit_theirs(world->set, theirs), 0);
	KUNIT_EXPECT_FALSE(test, it->leaving);
	it->path.sl = 3;
	KUNIT_EXPECT_EQ(test, admit_theirs(world->set, theirs), 0);
	spin_unlock_bh(&world->set->lock);
	KUNIT_EXPECT_TRUE(test, it->leaving);
	KUNIT_EXPECT_EQ(test, it->err, -EHOSTUNREACH);
}

static void both_service_ids_are_listened_to(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ipoib_conn_listen(world->set), 0);
	KUNIT_EXPECT_EQ(test, world->services, IPOIB_SERVICE_NONE);
	KUNIT_EXPECT_EQ(test, world->ids, IPOIB_SERVICE_NONE);
	ipoib_conn_unlisten(world->set);
	ipoib_conn_unlisten(world->set);
	KUNIT_EXPECT_EQ(test, world->ids, 0);
	world->services = 0;
	world->listen_fails = true;
	KUNIT_EXPECT_EQ(test, ipoib_conn_listen(world->set), -EBUSY);
	ipoib_conn_unlisten(world->set);
	KUNIT_EXPECT_EQ(test, world->ids, 0);
}

/* ---- answers to ours --------------------------------------------------- */

static void tell(struct ipoib_conn *conn, enum ib_cm_event_type what)
{
	world->pending = 0;
	world->closed = 0;
	world->reason = 0;
	world->event.event = what;
	world->id.context = conn;
	ipoib_conn_event(&world->id, &world->event);
}

static void a_rep_says_what_the_peer_takes(struct kunit *test)
{
	struct ipoib_conn *it = conn(test, true);

	it->alt_state = IPOIB_CONN_ALT_LOADED;
	memset(&world->event.param, 0, sizeof(world->event.param));
	ipoib_cm_pack(&world->data, 0x222, 5000, true);
	tell(it, IB_CM_REP_RECEIVED);
	KUNIT_EXPECT_EQ(test, world->pending, BIT(IPOIB_CONN_PENDING_REP));
	KUNIT_EXPECT_EQ(test, it->theirs.mtu, 5000);
	KUNIT_EXPECT_EQ(test, it->theirs.qpn, 0x222);
	KUNIT_EXPECT_TRUE(test, it->theirs.link_sums);
	KUNIT_EXPECT_EQ(test, it->alt_state, IPOIB_CONN_ALT_LOADED);
	world->event.param.rep_rcvd.failover_accepted = 1;
	tell(it, IB_CM_REP_RECEIVED);
	KUNIT_EXPECT_EQ(test, it->alt_state, IPOIB_CONN_ALT_NONE);
	/* Another interface is not the peer. */
	ipoib_cm_pack(&world->data, 0x223, 5000, true);
	tell(it, IB_CM_REP_RECEIVED);
	KUNIT_EXPECT_EQ(test, world->pending, 0);
	KUNIT_EXPECT_EQ(test, world->closed, -EPROTO);
	KUNIT_EXPECT_EQ(test, world->reason, IB_CM_REJ_CONSUMER_DEFINED);
}

static void a_rej_says_why(struct kunit *test)
{
	static const struct {
		enum ib_cm_rej_reason reason;
		int err;
	} reasons[] = {
		{ IB_CM_REJ_INVALID_SERVICE_ID, -EPROTONOSUPPORT },
		{ IB_CM_REJ_INVALID_TRANSPORT_TYPE, -EPROTOTYPE },
		{ IB_CM_REJ_NO_RESOURCES, -EBUSY },
		{ IB_CM_REJ_INVALID_GID, -ECONNABORTED },
	};
	struct ipoib_conn *it = conn(test, true);
	unsigned int i;

	memset(&world->event.param, 0, sizeof(world->event.param));
	for (i = 0; i < ARRAY_SIZE(reasons); i++) {
		world->event.param.rej_rcvd.reason = reasons[i].reason;
		tell(it, IB_CM_REJ_RECEIVED);
		KUNIT_EXPECT_EQ(test, world->closed, reasons[i].err);
		KUNIT_EXPECT_EQ(test, world->pending, 0);
	}
	world->event.param.rej_rcvd.reason = IB_CM_REJ_STALE_CONN;
	tell(it, IB_CM_REJ_RECEIVED);
	KUNIT_EXPECT_EQ(test, world->pending, BIT(IPOIB_CONN_PENDING_STALE));
	KUNIT_EXPECT_EQ(test, world->closed, 0);
}

static void a_rej_may_mean_that_the_req_of_the_peer_stands(struct kunit *test)
{
	struct ipoib_conn *it = conn(test, true);

	memset(&world->event.param, 0, sizeof(world->event.param));
	world->event.param.rej_rcvd.reason = IB_CM_REJ_CONSUMER_DEFINED;
	tell(it, IB_CM_REJ_RECEIVED);
	KUNIT_EXPECT_EQ(test, world->pending, BIT(IPOIB_CONN_PENDING_YIELD));
	/* Not if that is the CM's own, we do not yield, or nothing can cross. */
	memset(&world->data, 0, sizeof(world->data));
	tell(it, IB_CM_REJ_RECEIVED);
	KUNIT_EXPECT_EQ(test, world->closed, -ECONNREFUSED);
	ipoib_cm_pack(&world->data, 0x222, 9000, false);
	world->set->self.flags_qpn = cpu_to_be32(0x333);
	tell(it, IB_CM_REJ_RECEIVED);
	KUNIT_EXPECT_EQ(test, world->closed, -ECONNREFUSED);
	world->set->self.flags_qpn = cpu_to_be32(0x111);
	it->service = IPOIB_SERVICE_LINUX;
	tell(it, IB_CM_REJ_RECEIVED);
	KUNIT_EXPECT_EQ(test, world->closed, -ECONNREFUSED);
	it->service = IPOIB_SERVICE_RFC;
	it->active = false;
	tell(it, IB_CM_REJ_RECEIVED);
	KUNIT_EXPECT_EQ(test, world->closed, -ECONNREFUSED);
	/* And while the peer is contested it is only early. */
	it->active = true;
	world->contested = true;
	tell(it, IB_CM_REJ_RECEIVED);
	KUNIT_EXPECT_EQ(test, world->pending, BIT(IPOIB_CONN_PENDING_STALE));
}

static void all_else_that_the_cm_tells_is_passed_on(struct kunit *test)
{
	static const struct {
		enum ib_cm_event_type event;
		unsigned long pending;
		int closed;
	} events[] = {
		{ IB_CM_RTU_RECEIVED, BIT(IPOIB_CONN_PENDING_RTU) },
		{ IB_CM_USER_ESTABLISHED, BIT(IPOIB_CONN_PENDING_RTU) },
		{ IB_CM_DREQ_RECEIVED, BIT(IPOIB_CONN_PENDING_DREQ) },
		{ IB_CM_DREP_RECEIVED, BIT(IPOIB_CONN_PENDING_DISCONNECTED) },
		{ IB_CM_DREQ_ERROR, BIT(IPOIB_CONN_PENDING_DISCONNECTED) },
		{ IB_CM_TIMEWAIT_EXIT, BIT(IPOIB_CONN_PENDING_DISCONNECTED) },
		{ IB_CM_REQ_ERROR, 0, -ETIMEDOUT },
		{ IB_CM_REP_ERROR, 0, -ETIMEDOUT },
		{ IB_CM_MRA_RECEIVED, 0 },
	};
	struct ipoib_conn *it = conn(test, true);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		tell(it, events[i].event);
		KUNIT_EXPECT_EQ(test, world->pending, events[i].pending);
		KUNIT_EXPECT_EQ(test, world->closed, events[i].closed);
	}
}

static struct kunit_case conn_cm_test_cases[] = {
	KUNIT_CASE(a_req_is_taken_with_all_that_it_says),
	KUNIT_CASE(a_req_of_another_link_is_refused),
	KUNIT_CASE(only_what_is_offered_is_taken),
	KUNIT_CASE(a_req_names_a_queue_pair_and_a_receive_mtu),
	KUNIT_CASE(what_is_known_of_the_peer_may_speak_against_it),
	KUNIT_CASE(a_req_that_there_is_no_room_for_is_refused),
	KUNIT_CASE(of_reqs_that_cross_one_stands),
	KUNIT_CASE(a_connection_that_is_alive_stays),
	KUNIT_CASE(an_old_one_of_the_peer_is_contested),
	KUNIT_CASE(two_by_which_only_the_peer_sends_are_taken),
	KUNIT_CASE(one_that_leads_elsewhere_is_not_that_of_the_peer),
	KUNIT_CASE(both_service_ids_are_listened_to),
	KUNIT_CASE(a_rep_says_what_the_peer_takes),
	KUNIT_CASE(a_rej_says_why),
	KUNIT_CASE(a_rej_may_mean_that_the_req_of_the_peer_stands),
	KUNIT_CASE(all_else_that_the_cm_tells_is_passed_on),
	{}
};

static struct kunit_suite conn_cm_test_suite = {
	.name = "ipoib_conn_cm",
	.init = conn_cm_test_init,
	.test_cases = conn_cm_test_cases,
};

kunit_test_suite(conn_cm_test_suite);

MODULE_DESCRIPTION("Tests of what IPoIB makes of messages of the CM");
MODULE_LICENSE("GPL");
