// SPDX-License-Identifier: GPL-2.0
/*
 * conn_work() with bits of ipoib_conn.pending in any order, and with calls that fail. What conn.c
 * calls is here: it keeps to what the callee promises, and otherwise to chance.
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_cm.h>

#include "../conn_set.h"
#include "../device.h"
#include "../trace.h"

/* Events for each seed, of which there are four */
#define EVENTS	250000

/* Most events for one connection before it is told to close */
#define EVENTS_OF_ONE	40

/* A connection that closes lets its timer expire in four states at most. */
#define STATES_OF_CLOSING	4

/**
 * struct world - a connection and all that it deals with
 * @test: the running case
 * @random: chance
 * @seed: where @random began
 * @events: how many there were
 * @broken: a rule was broken
 * @conn: the connection
 * @state: its state after the last step that was looked up
 * @bits: the bits of pending that the current run of conn_work() has found
 * @queued: conn_work() is queued
 * @late: the timer of that name is armed
 * @delay: for how long it was armed last
 * @unanswered: likewise
 * @rep_sent: a REP went out
 * @rtu_sent: an RTU went out
 * @published: senders find the connection
 * @removed: the connection has left its set
 * @has_cm_id: @cm_id is its identifier
 * @answers: @owner waits for the answer to the open path request
 * @owner: whom the fabric answers
 * @set_users: references of @set
 * @set: the set of the connection
 * @idev: the interface
 * @ibdev: its device
 * @pd: its protection domain
 * @qp: the queue pair that a connection gets
 * @cm_id: the CM identifier that it gets
 * @gid_attr: the GID of the port
 * @req: the path request
 * @rx: what connections receive by
 * @tx: what they send with
 * @bundle: the one that they are in
 */
static struct world {
	struct kunit *test;
	struct rnd_state random;
	unsigned int seed;
	unsigned int events;
	bool broken;
	struct ipoib_conn *conn;
	unsigned int state;
	unsigned long bits;
	bool queued;
	bool late;
	unsigned long delay;
	bool unanswered;
	bool rep_sent;
	bool rtu_sent;
	bool published;
	bool removed;
	bool has_cm_id;
	bool answers;
	struct ipoib_request_owner owner;
	int set_users;
	struct ipoib_conn_set *set;
	struct ipoib_dev *idev;
	struct ib_device *ibdev;
	struct ib_pd pd;
	struct ib_qp qp;
	struct ib_cm_id cm_id;
	struct ib_gid_attr gid_attr;
	struct ipoib_request req;
	struct ipoib_conn_rx rx;
	struct ipoib_conn_tx tx;
	struct ipoib_bundle bundle;
} *world;

static u32 chance(u32 below)
{
	return prandom_u32_state(&world->random) % below;
}

static int may_fail(void)
{
	return chance(8) ? 0 : -ENOMEM;
}

static void rule(bool holds, const char *what)
{
	if (holds || world->broken)
		return;
	world->broken = true;
	KUNIT_FAIL(world->test, "seed %u, event %u, %s: %s", world->seed, world->events,
		   ipoib_fsm_name(&ipoib_conn_fsm, world->state), what);
}

/* ---- what conn.c calls of the kernel ---------------------------------- */

static const struct ipoib_fsm_edge *watched_step(const struct ipoib_fsm *fsm, unsigned int state,
						 unsigned int event)
{
	const struct ipoib_fsm_edge *edge = ipoib_fsm_step(fsm, state, event);

	rule(state == world->state, "a state that no step led to");
	if (!edge)
		return NULL;

	rule(state != IPOIB_CONN_DEAD, "a way out of dead");
	if (edge->next == IPOIB_CONN_ESTABLISHED && state != edge->next)
		rule(world->conn->active ?
		     world->rtu_sent && world->bits & BIT(IPOIB_CONN_PENDING_REP) :
		     world->rep_sent && world->bits & BIT(IPOIB_CONN_PENDING_RTU),
		     "established without a REP or an RTU");
	world->state = edge->next;
	return edge;
}

static bool queue_run(struct workqueue_struct *wq, struct work_struct *work)
{
	bool fresh = !world->queued;

	world->queued = true;
	return fresh;
}

static bool *timer(const struct delayed_work *work)
{
	return work == &world->conn->late ? &world->late : &world->unanswered;
}

static bool arm(struct workqueue_struct *wq, struct delayed_work *work, unsigned long delay)
{
	bool fresh = !*timer(work);

	rule(!world->removed, "a timer after the end");
	rule(delay <= 30 * HZ, "a timer that nobody waits for");
	if (work == &world->conn->late && world->conn->state == IPOIB_CONN_REP_SENT)
		rule(delay == 5 * HZ, "another time for an answer");
	*timer(work) = true;
	if (work == &world->conn->late)
		world->delay = delay;
	return fresh;
}

static bool disarm(struct delayed_work *work)
{
	bool was = *timer(work);

	*timer(work) = false;
	return was;
}

static struct ib_cm_id *cm_id_new(ib_cm_handler handler, void *ctx)
{
	int err = may_fail();

	rule(!world->removed && !world->has_cm_id, "another CM identifier");
	if (err)
		return ERR_PTR(err);
	world->has_cm_id = true;
	return &world->cm_id;
}

static void cm_id_free(struct ib_cm_id *cm_id)
{
	rule(world->has_cm_id, "a CM identifier destroyed twice");
	world->has_cm_id = false;
}

/* Any message or call that the connection's own CM identifier is needed for. */
static int cm_call(struct ib_cm_id *cm_id)
{
	rule(cm_id == &world->cm_id && world->has_cm_id, "the CM without an identifier");
	return may_fail();
}

static int cm_send(struct ib_cm_id *cm_id, bool *sent)
{
	int err = cm_call(cm_id);

	*sent |= !err;
	return err;
}

/* In the error state a QP gives back what it had, then or later or never. */
static int qp_error(struct ib_qp *qp)
{
	struct ipoib_ring *ring = &world->conn->ring.ring;

	rule(qp == &world->qp, "no queue pair");
	if (chance(2))
		ring->tail = ring->head;
	return may_fail();
}

#define ipoib_fsm_step(_fsm, _state, _event)	watched_step(_fsm, _state, _event)
#define queue_work(_wq, _work)			queue_run(_wq, _work)
#define queue_delayed_work(_wq, _work, _delay)	arm(_wq, _work, _delay)
#define cancel_delayed_work(_work)		disarm(_work)
#define cancel_delayed_work_sync(_work)		disarm(_work)
#define cancel_work_sync(_work)			((void)(_work))
#define ib_create_cm_id(_dev, _handler, _ctx)	((void)(_dev), cm_id_new(_handler, _ctx))
#define ib_destroy_cm_id(_id)			cm_id_free(_id)
#define ib_send_cm_req(_id, _param)		((void)(_param), cm_call(_id))
#define ib_send_cm_rep(_id, _param)		((void)(_param), cm_send(_id, &world->rep_sent))
#define ib_send_cm_rtu(_id, _data, _len)	((void)(_data), cm_send(_id, &world->rtu_sent))
#define ib_send_cm_dreq(_id, _data, _len)	cm_call(_id)
#define ib_send_cm_drep(_id, _data, _len)	cm_call(_id)
#define ib_cm_notify(_id, _event)		cm_call(_id)
#define ib_modify_qp(_qp, _attr, _mask)		((void)(_attr), qp_error(_qp))
#define rdma_put_gid_attr(_attr)		((void)(_attr))
#define trace_ipoib_conn_state(...)		((void)0)
#define trace_ipoib_conn_path(...)		((void)0)
#include "../conn.c"
#undef ipoib_fsm_step

#include "../addr.c"
#include "../conn_wire.c"
#include "../fsm.c"

/* ---- and of the driver ----------------------------------------------- */

void ipoib_object_created(enum ipoib_object kind)
{
}

void ipoib_object_destroyed(enum ipoib_object kind)
{
}

void ipoib_turn_ask(struct ipoib_turns *turns, struct ipoib_turn *turn)
{
	rule(!world->removed, "a turn after the end");
	turn->state = IPOIB_TURN_WAITS;
}

void ipoib_turn_end(struct ipoib_turns *turns, struct ipoib_turn *turn)
{
	turn->state = IPOIB_TURN_NONE;
}

const struct ib_gid_attr *ipoib_fabric_hold_gid(struct ipoib_fabric *fabric)
{
	return may_fail() ? NULL : &world->gid_attr;
}

void ipoib_conn_set_hold(struct ipoib_conn_set *set)
{
	world->set_users++;
}

void ipoib_conn_set_put(struct ipoib_conn_set *set)
{
	world->set_users--;
}

void ipoib_conn_set_remove(struct ipoib_conn *conn)
{
	rule(!world->removed && conn->state == IPOIB_CONN_DEAD, "out of the set before the end");
	world->removed = true;
	ipoib_conn_put(conn);
}

void ipoib_conn_set_refuse(struct ipoib_conn_set *set, struct ib_cm_id *cm_id,
			   enum ib_cm_rej_reason reason)
{
	cm_call(cm_id);
}

/* Nobody calls it: what the CM tells are bits of pending here. */
int ipoib_conn_event(struct ib_cm_id *cm_id, const struct ib_cm_event *event)
{
	return 0;
}

int ipoib_conn_qp_new(struct ipoib_conn *conn)
{
	rule(!world->removed && !conn->qp, "another queue pair");
	if (may_fail())
		return -ENOMEM;
	conn->qp = &world->qp;
	conn->rx = &world->rx;
	return may_fail();
}

int ipoib_conn_qp_connect(struct ipoib_conn *conn, struct ib_cm_id *cm_id, bool answer,
			  u32 rq_psn)
{
	rule(conn->qp, "no queue pair to connect");
	return cm_call(cm_id);
}

void ipoib_conn_qp_free(struct ipoib_conn *conn)
{
	conn->qp = NULL;
}

void ipoib_conn_tx_poll(struct ipoib_conn_tx *tx)
{
}

/* From here on there are packets. */
void ipoib_conn_peer_publish(struct ipoib_conn *conn)
{
	rule(ipoib_conn_is_established(conn), "packets before it is established");
	world->published = true;
	conn->ring.ring.head += chance(3);
	conn->ring.mute = chance(3);
}

void ipoib_conn_peer_unpublish(struct ipoib_conn *conn)
{
	world->published = false;
}

void ipoib_conn_peer_abandon(struct ipoib_conn *conn)
{
}

static struct ipoib_request *ask_fabric(const struct ipoib_request_owner *owner)
{
	rule(!world->removed && !world->conn->req, "another path request");
	if (may_fail())
		return ERR_PTR(-ENOMEM);
	world->owner = *owner;
	world->answers = true;
	return &world->req;
}

static struct ipoib_request *path(struct ipoib_fabric *fabric, const union ib_gid *dgid,
				  const struct ipoib_request_owner *owner)
{
	return ask_fabric(owner);
}

static struct ipoib_request *alt_path(struct ipoib_fabric *fabric, struct sa_path_rec *path,
				      const struct ipoib_request_owner *owner)
{
	return ask_fabric(owner);
}

void ipoib_request_end(struct ipoib_request *req)
{
	world->answers = false;
	world->owner.release(world->owner.ctx);
}

static const struct ipoib_fabric_ops fabric_ops = {
	.path		= path,
	.alt_path	= alt_path,
};

/* ---- events ---------------------------------------------------------- */

static void answer_path(void)
{
	struct sa_path_rec rec = {};
	struct ipoib_route route = { .path = &rec };

	world->answers = false;
	world->owner.done(world->owner.ctx, may_fail(), &route);
}

static void have_turn(struct ipoib_conn *conn)
{
	conn->turn.state = IPOIB_TURN_HAS;
	turn_work(&conn->turn_work);
}

static void expire(struct ipoib_conn *conn)
{
	world->late = false;
	late_work(&conn->late.work);
}

/* Those that we set ourselves need a reason; all others may come at any time. */
static void raise_bit(struct ipoib_conn *conn, enum ipoib_conn_pending what)
{
	switch (what) {
	case IPOIB_CONN_PENDING_WANT:
		if (conn->active)
			ipoib_conn_kick(conn, what);
		break;
	case IPOIB_CONN_PENDING_REQ:
		if (!conn->active)
			ipoib_conn_kick(conn, what);
		break;
	case IPOIB_CONN_PENDING_ROUTE:
		if (world->answers)
			answer_path();
		break;
	case IPOIB_CONN_PENDING_TURN:
		if (conn->turn.state == IPOIB_TURN_WAITS)
			have_turn(conn);
		break;
	case IPOIB_CONN_PENDING_LATE:
		if (world->late)
			expire(conn);
		break;
	case IPOIB_CONN_PENDING_CLOSE:
		/* Otherwise few would live for long. */
		if (chance(4))
			break;
		conn->leaving |= !chance(4);
		ipoib_conn_close(conn, may_fail());
		break;
	case IPOIB_CONN_PENDING_RTU:
		/* The CM tells of none to a REP that it could not send. */
		if (conn->active || world->rep_sent)
			ipoib_conn_kick(conn, what);
		break;
	case IPOIB_CONN_PENDING_DRAINED:
		conn->ring.ring.tail = conn->ring.ring.head;
		fallthrough;
	default:
		ipoib_conn_kick(conn, what);
		break;
	}
}

static void unanswered(struct ipoib_conn *conn)
{
	if (!world->unanswered)
		return;
	world->unanswered = false;
	unanswered_work(&conn->unanswered.work);
}

/* ---- the life of one ------------------------------------------------- */

/* Without an event from outside something happens all the same, unless nothing has to. */
static bool goes_on(const struct ipoib_conn *conn)
{
	switch (conn->state) {
	case IPOIB_CONN_NEW:
	case IPOIB_CONN_ESTABLISHED:
		return true;
	case IPOIB_CONN_DEAD:
		return world->removed && !conn->qp && !conn->cm_id && !world->has_cm_id &&
		       !conn->req && conn->turn.state == IPOIB_TURN_NONE &&
		       !world->late && !world->unanswered && !world->published;
	default:
		return world->late || world->queued;
	}
}

static void run(struct ipoib_conn *conn)
{
	while (world->queued) {
		world->queued = false;
		world->bits = conn->pending;
		conn_work(&conn->work);
		rule(conn->state == world->state, "a state that no step led to");
		rule(goes_on(conn), "it waits for ever, or keeps something");
		rule(conn->state != IPOIB_CONN_DREQ_WAIT || (conn->cm_id && !conn->disconnected),
		     "a turn to tell nobody");
	}
}

static struct ipoib_conn *be_born(void)
{
	static const struct ipoib_hwaddr nobody;
	bool active = chance(2);
	struct ipoib_conn *conn;

	conn = ipoib_conn_new(world->set, &nobody, chance(2) ? IB_QPT_RC : IB_QPT_UC,
			      chance(2) ? IPOIB_SERVICE_RFC : IPOIB_SERVICE_LINUX, active);
	KUNIT_ASSERT_NOT_NULL(world->test, conn);
	KUNIT_EXPECT_TRUE(world->test, time_in_range(conn->since, jiffies - HZ, jiffies));
	world->conn = conn;
	world->state = IPOIB_CONN_NEW;
	world->rep_sent = false;
	world->rtu_sent = false;
	world->removed = false;
	world->set->open = chance(4);
	if (chance(2))
		conn->alt_state = active ? IPOIB_CONN_ALT_WANTED : IPOIB_CONN_ALT_LOADED;
	if (!active) {
		conn->cm_id = &world->cm_id;
		world->has_cm_id = true;
	}
	/* The other reference is that of the set. */
	ipoib_conn_hold(conn);
	ipoib_conn_kick(conn, active ? IPOIB_CONN_PENDING_WANT : IPOIB_CONN_PENDING_REQ);
	return conn;
}

/* Several bits may be set before conn_work() runs. */
static void live(struct ipoib_conn *conn)
{
	unsigned int n = chance(EVENTS_OF_ONE);

	while (n-- && !world->broken) {
		world->events++;
		if (chance(16))
			raise_bit(conn, chance(IPOIB_CONN_PENDING_LATE + 1));
		else
			unanswered(conn);
		if (chance(2))
			run(conn);
	}
}

/* Told to close it does, whatever it is in the middle of, and though nobody says a word. */
static void die(struct ipoib_conn *conn)
{
	int n;

	ipoib_conn_close(conn, 0);
	run(conn);
	for (n = 0; n < STATES_OF_CLOSING && world->late; n++) {
		expire(conn);
		run(conn);
	}
	rule(conn->state == IPOIB_CONN_DEAD, "closed, and not dead");
}

static void any_order_of_events_keeps_the_rules(struct kunit *test)
{
	struct ipoib_conn *conn;

	while (world->events < EVENTS && !world->broken) {
		conn = be_born();
		live(conn);
		die(conn);
		/* Who looked it up before may still set bits. */
		live(conn);
		run(conn);
		rule(refcount_read(&conn->refs) == 1, "somebody holds it for ever");
		ipoib_conn_put(conn);
		rule(!world->set_users, "somebody holds the set for ever");
		cond_resched();
	}
}

/* ---------------------------------------------------------------------- */

static const unsigned int seeds[] = { 4755, 1, 2, 3 };

static void name_seed(const unsigned int *seed, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "seed %u", *seed);
}

KUNIT_ARRAY_PARAM(seeds, seeds, name_seed);

static int conn_test_init(struct kunit *test)
{
	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world);
	world->test = test;
	world->seed = test->param_value ? *(const unsigned int *)test->param_value : 0;
	prandom_seed_state(&world->random, world->seed);
	world->set = kunit_kzalloc(test, sizeof(*world->set), GFP_KERNEL);
	world->idev = kunit_kzalloc(test, sizeof(*world->idev), GFP_KERNEL);
	world->ibdev = kunit_kzalloc(test, sizeof(*world->ibdev), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world->set);
	KUNIT_ASSERT_NOT_NULL(test, world->idev);
	KUNIT_ASSERT_NOT_NULL(test, world->ibdev);

	spin_lock_init(&world->bundle.lock);
	world->tx.bundle = &world->bundle;
	world->pd.device = world->ibdev;
	world->idev->config.pd = &world->pd;
	world->idev->fabric.ops = &fabric_ops;
	world->idev->fabric.ibdev = world->ibdev;
	spin_lock_init(&world->set->lock);
	world->set->idev = world->idev;
	world->set->txs = &world->tx;
	world->set->bundles = 1;
	world->set->opens = true;
	return 0;
}

/* ---- the last packets before the end ----------------------------------- */

/* One that has just posted @packets, of which no completion will tell. */
static struct ipoib_conn *has_posted(unsigned int packets)
{
	struct ipoib_conn *conn = be_born();

	conn->pending = 0;
	conn->state = IPOIB_CONN_ESTABLISHED;
	conn->qp = &world->qp;
	conn->cm_id = &world->cm_id;
	conn->ring.ring.head = packets;
	conn->ring.mute = packets;
	/* However long the test takes. */
	conn->used = jiffies + 10 * HZ;
	world->state = conn->state;
	world->has_cm_id = true;
	world->delay = 0;
	return conn;
}

static void is_over(struct ipoib_conn *conn)
{
	die(conn);
	ipoib_conn_put(conn);
}

static void what_was_posted_just_now_goes_before_the_drep(struct kunit *test)
{
	struct ipoib_conn *conn = has_posted(2);

	ipoib_conn_kick(conn, IPOIB_CONN_PENDING_DREQ);
	run(conn);
	KUNIT_EXPECT_EQ(test, conn->state, IPOIB_CONN_DREQ_RCVD);
	KUNIT_EXPECT_EQ(test, world->delay, IPOIB_TX_TAIL_TIME);
	/* Whatever comes meanwhile, that is once. */
	world->delay = 0;
	ipoib_conn_kick(conn, IPOIB_CONN_PENDING_DRAINED);
	run(conn);
	KUNIT_EXPECT_EQ(test, conn->state, IPOIB_CONN_DREQ_RCVD);
	KUNIT_EXPECT_EQ(test, world->delay, 0);
	expire(conn);
	run(conn);
	KUNIT_EXPECT_GE(test, conn->state, IPOIB_CONN_DISCONNECTING);
	is_over(conn);
}

static void what_was_posted_just_now_goes_before_the_dreq(struct kunit *test)
{
	struct ipoib_conn *conn = has_posted(1);

	ipoib_conn_close(conn, 0);
	run(conn);
	KUNIT_EXPECT_EQ(test, conn->state, IPOIB_CONN_DRAINING);
	KUNIT_EXPECT_EQ(test, world->delay, IPOIB_TX_TAIL_TIME);
	expire(conn);
	run(conn);
	KUNIT_EXPECT_EQ(test, conn->state, IPOIB_CONN_DREQ_WAIT);
	is_over(conn);
}

static void who_was_idle_waits_for_none_of_that(struct kunit *test)
{
	struct ipoib_conn *conn = has_posted(1);

	conn->used = jiffies - HZ;
	ipoib_conn_close(conn, 0);
	run(conn);
	KUNIT_EXPECT_EQ(test, conn->state, IPOIB_CONN_DREQ_WAIT);
	is_over(conn);
}

static void without_packets_nothing_is_waited_for(struct kunit *test)
{
	struct ipoib_conn *conn = has_posted(0);

	ipoib_conn_close(conn, 0);
	run(conn);
	KUNIT_EXPECT_EQ(test, conn->state, IPOIB_CONN_DREQ_WAIT);
	is_over(conn);
	conn = has_posted(0);
	ipoib_conn_kick(conn, IPOIB_CONN_PENDING_DREQ);
	run(conn);
	KUNIT_EXPECT_GE(test, conn->state, IPOIB_CONN_DISCONNECTING);
	is_over(conn);
}

/* ---- which paths may be migrated to ------------------------------------ */

/* Two paths by LIDs 4 and 5 of our port to LIDs 8 and 9 of another one; LMC 1 */
static void two_paths(struct sa_path_rec *path, struct sa_path_rec *alt)
{
	memset(path, 0, sizeof(*path));
	path->rec_type = SA_PATH_REC_TYPE_IB;
	path->sgid.raw[15] = 1;
	path->dgid.raw[15] = 2;
	path->pkey = cpu_to_be16(0xffff);
	path->mtu = IB_MTU_4096;
	path->ib.slid = cpu_to_be16(4);
	path->ib.dlid = cpu_to_be16(8);
	*alt = *path;
	alt->ib.slid = cpu_to_be16(5);
	alt->ib.dlid = cpu_to_be16(9);
}

static void only_paths_between_the_same_ports_may_be_migrated_to(struct kunit *test)
{
	struct ipoib_conn *conn = kunit_kzalloc(test, sizeof(*conn), GFP_KERNEL);
	struct sa_path_rec path, alt;

	KUNIT_ASSERT_NOT_NULL(test, conn);
	conn->set = world->set;
	conn->type = IB_QPT_RC;
	world->ibdev->attrs.device_cap_flags = IB_DEVICE_AUTO_PATH_MIG;
	world->idev->fabric.link.lmc = 1;
	two_paths(&path, &alt);
	KUNIT_EXPECT_TRUE(test, ipoib_conn_can_migrate(conn, &path, &alt));
	alt.ib.slid = path.ib.slid;
	KUNIT_EXPECT_TRUE(test, ipoib_conn_can_migrate(conn, &path, &alt));
	alt.ib.dlid = path.ib.dlid;
	KUNIT_EXPECT_FALSE(test, ipoib_conn_can_migrate(conn, &path, &alt));
	/* Both to LIDs of one port, both with a GRH, or neither */
	two_paths(&path, &alt);
	alt.ib.dlid = cpu_to_be16(10);
	KUNIT_EXPECT_FALSE(test, ipoib_conn_can_migrate(conn, &path, &alt));
	two_paths(&path, &alt);
	alt.hop_limit = 64;
	KUNIT_EXPECT_FALSE(test, ipoib_conn_can_migrate(conn, &path, &alt));
	path.hop_limit = 1;
	KUNIT_EXPECT_TRUE(test, ipoib_conn_can_migrate(conn, &path, &alt));
	/* The same GIDs, P_Key and MTU */
	two_paths(&path, &alt);
	alt.sgid.raw[15] = 3;
	KUNIT_EXPECT_FALSE(test, ipoib_conn_can_migrate(conn, &path, &alt));
	two_paths(&path, &alt);
	alt.dgid.raw[15] = 3;
	KUNIT_EXPECT_FALSE(test, ipoib_conn_can_migrate(conn, &path, &alt));
	two_paths(&path, &alt);
	alt.pkey = cpu_to_be16(0x8001);
	KUNIT_EXPECT_FALSE(test, ipoib_conn_can_migrate(conn, &path, &alt));
	two_paths(&path, &alt);
	alt.mtu = IB_MTU_2048;
	KUNIT_EXPECT_FALSE(test, ipoib_conn_can_migrate(conn, &path, &alt));
	/* Of InfiniBand, by RC, on an HCA that can */
	two_paths(&path, &alt);
	path.rec_type = SA_PATH_REC_TYPE_OPA;
	KUNIT_EXPECT_FALSE(test, ipoib_conn_can_migrate(conn, &path, &alt));
	two_paths(&path, &alt);
	alt.rec_type = SA_PATH_REC_TYPE_OPA;
	KUNIT_EXPECT_FALSE(test, ipoib_conn_can_migrate(conn, &path, &alt));
	two_paths(&path, &alt);
	conn->type = IB_QPT_UC;
	KUNIT_EXPECT_FALSE(test, ipoib_conn_can_migrate(conn, &path, &alt));
	conn->type = IB_QPT_RC;
	world->ibdev->attrs.device_cap_flags = 0;
	KUNIT_EXPECT_FALSE(test, ipoib_conn_can_migrate(conn, &path, &alt));
}

static struct kunit_case ipoib_conn_cases[] = {
	KUNIT_CASE_PARAM(any_order_of_events_keeps_the_rules, seeds_gen_params),
	KUNIT_CASE(what_was_posted_just_now_goes_before_the_drep),
	KUNIT_CASE(what_was_posted_just_now_goes_before_the_dreq),
	KUNIT_CASE(who_was_idle_waits_for_none_of_that),
	KUNIT_CASE(without_packets_nothing_is_waited_for),
	KUNIT_CASE(only_paths_between_the_same_ports_may_be_migrated_to),
	{}
};

static struct kunit_suite ipoib_conn_suite = {
	.name = "ipoib_conn",
	.init = conn_test_init,
	.test_cases = ipoib_conn_cases,
};

kunit_test_suite(ipoib_conn_suite);

MODULE_DESCRIPTION("KUnit tests of what a connection does");
MODULE_LICENSE("GPL");
