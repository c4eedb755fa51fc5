// SPDX-License-Identifier: GPL-2.0
/* What both kinds of fabrics have in common: links, P_Keys, requests, and who was heard. */
#include <kunit/test.h>
#include <linux/workqueue.h>
#include <rdma/ib_cache.h>

static int holds;
static u16 pkeys[4];

static int find_pkey(u16 pkey, u16 *index);
static int get_pkey(int index, u16 *pkey);
static const struct ib_gid_attr *own_gid(void);
static const struct ib_gid_attr *find_gid(const union ib_gid *gid);

static void run_at_once(struct work_struct *work)
{
	work->func(work);
}

#define rdma_hold_gid_attr(_attr)			((void)(_attr), holds++)
#define rdma_put_gid_attr(_attr)			((void)(_attr), holds--)
#define rdma_get_gid_attr(_dev, _port, _index)		own_gid()
#define rdma_find_gid_by_port(_dev, _gid, _type, _port, _ndev)	find_gid(_gid)
#define ib_find_cached_pkey(_dev, _port, _pkey, _index)	((void)(_dev), find_pkey(_pkey, _index))
#define ib_get_cached_pkey(_dev, _port, _index, _pkey)	((void)(_dev), get_pkey(_index, _pkey))
#define queue_work(_wq, _work)				run_at_once(_work)
#include "../fabric.c"
#include "../addr.c"
#undef queue_work
#include "../turns.c"

/* A full member's entry is preferred, as the RDMA core does. */
static int find_pkey(u16 pkey, u16 *index)
{
	int i, limited = -1;

	for (i = 0; i < ARRAY_SIZE(pkeys); i++) {
		if (pkeys[i] == pkey) {
			*index = i;
			return 0;
		}
		if (pkeys[i] == (pkey & ~IPOIB_PKEY_FULL))
			limited = i;
	}
	*index = limited;
	return limited < 0 ? -ENOENT : 0;
}

static int get_pkey(int index, u16 *pkey)
{
	*pkey = pkeys[index];
	return 0;
}

static int requests, done, done_err, released, finished;

void ipoib_object_created(enum ipoib_object kind)
{
	requests++;
}

void ipoib_object_destroyed(enum ipoib_object kind)
{
	requests--;
}

/* A fabric and its users. */
static struct world {
	struct ipoib_fabric fabric;
	struct ipoib_fabric_ops ops;
	struct ipoib_usecnt users;
	struct ib_gid_attr gid_attr;
	struct ipoib_turns turns;
} *world;

static int fabric_test_init(struct kunit *test)
{
	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world);
	holds = 0;
	requests = 0;
	done = 0;
	released = 0;
	finished = 0;
	memset(pkeys, 0, sizeof(pkeys));
	ipoib_usecnt_init(&world->users);
	ipoib_turns_init(&world->turns, 1, system_wq, 100, 100);
	world->fabric.ops = &world->ops;
	world->fabric.port = 3;
	world->fabric.pkey = 0x8001;
	ipoib_fabric_init(&world->fabric, &world->users);
	return 0;
}

static void fabric_test_exit(struct kunit *test)
{
	if (!world)
		return;
	ipoib_fabric_exit(&world->fabric);
	KUNIT_EXPECT_EQ(test, holds, 0);
	KUNIT_EXPECT_EQ(test, requests, 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&world->users.count), 1);
	ipoib_turns_exit(&world->turns);
}

static void a_port_that_was_heard_is_known(struct kunit *test)
{
	union ib_gid one = { .raw = { 0xfe, 0x80, [15] = 1 } };
	union ib_gid two = { .raw = { 0xfe, 0x80, [15] = 2 } };

	KUNIT_EXPECT_FALSE(test, ipoib_fabric_has_heard(&world->fabric, &one));
	ipoib_fabric_heard(&world->fabric, &one);
	KUNIT_EXPECT_TRUE(test, ipoib_fabric_has_heard(&world->fabric, &one));
	KUNIT_EXPECT_FALSE(test, ipoib_fabric_has_heard(&world->fabric, &two));
	ipoib_fabric_heard(&world->fabric, &two);
	KUNIT_EXPECT_TRUE(test, ipoib_fabric_has_heard(&world->fabric, &two));
}

static void a_link_has_the_pkey_that_was_chosen_or_the_first(struct kunit *test)
{
	struct ipoib_link link = { .state = IPOIB_LINK_READY };

	ipoib_link_find_pkey(&world->fabric, &link);
	KUNIT_EXPECT_EQ(test, link.state, IPOIB_LINK_NO_PKEY);
	KUNIT_EXPECT_EQ(test, link.pkey, 0x8001);
	KUNIT_EXPECT_EQ(test, link.pkey_entry, 0);
	/* Another reason stays what it is. */
	link.state = IPOIB_LINK_PORT_DOWN;
	ipoib_link_find_pkey(&world->fabric, &link);
	KUNIT_EXPECT_EQ(test, link.state, IPOIB_LINK_PORT_DOWN);

	pkeys[0] = 0xffff;
	pkeys[1] = 0x8001;
	link.state = IPOIB_LINK_READY;
	ipoib_link_find_pkey(&world->fabric, &link);
	KUNIT_EXPECT_EQ(test, link.state, IPOIB_LINK_READY);
	KUNIT_EXPECT_EQ(test, link.pkey_index, 1);
	KUNIT_EXPECT_FALSE(test, ipoib_link_is_limited(&link));
	world->fabric.first_pkey = true;
	ipoib_link_find_pkey(&world->fabric, &link);
	KUNIT_EXPECT_EQ(test, link.pkey, 0xffff);
	KUNIT_EXPECT_EQ(test, link.pkey_index, 0);
	/* An empty table has no first one: it stays what it was. */
	pkeys[0] = 0;
	ipoib_link_find_pkey(&world->fabric, &link);
	KUNIT_EXPECT_EQ(test, link.pkey, 0x8001);
}

static void a_limited_member_is_one_if_there_is_no_full_one(struct kunit *test)
{
	struct ipoib_link link = { .state = IPOIB_LINK_READY };

	pkeys[2] = 0x0001;
	ipoib_link_find_pkey(&world->fabric, &link);
	KUNIT_EXPECT_EQ(test, link.state, IPOIB_LINK_READY);
	KUNIT_EXPECT_EQ(test, link.pkey, 0x8001);
	KUNIT_EXPECT_EQ(test, link.pkey_index, 2);
	KUNIT_EXPECT_TRUE(test, ipoib_link_is_limited(&link));
	pkeys[3] = 0x8001;
	ipoib_link_find_pkey(&world->fabric, &link);
	KUNIT_EXPECT_EQ(test, link.pkey_index, 3);
	KUNIT_EXPECT_FALSE(test, ipoib_link_is_limited(&link));
	KUNIT_EXPECT_FALSE(test, ipoib_link_is_limited(&(struct ipoib_link){}));
}

static void a_new_link_lets_go_of_the_gid_of_the_old_one(struct kunit *test)
{
	struct ipoib_link link = { .gid_attr = &world->gid_attr }, none = {};

	KUNIT_EXPECT_NULL(test, ipoib_fabric_hold_gid(&world->fabric));
	holds = 1;
	ipoib_fabric_set_link(&world->fabric, &link);
	KUNIT_EXPECT_EQ(test, holds, 1);
	KUNIT_EXPECT_PTR_EQ(test, ipoib_fabric_hold_gid(&world->fabric),
			    (const struct ib_gid_attr *)&world->gid_attr);
	KUNIT_EXPECT_EQ(test, holds, 2);
	ipoib_fabric_set_link(&world->fabric, &none);
	KUNIT_EXPECT_EQ(test, holds, 1);
	holds = 0;
}

static void a_gid_that_was_chosen_is_known(struct kunit *test)
{
	union ib_gid gid = { .raw = { [15] = 1 } }, got;

	KUNIT_EXPECT_FALSE(test, ipoib_fabric_pinned_gid(&world->fabric, &got));
	ipoib_fabric_pin_gid(&world->fabric, &gid);
	KUNIT_EXPECT_TRUE(test, ipoib_fabric_pinned_gid(&world->fabric, &got));
	KUNIT_EXPECT_EQ(test, memcmp(&gid, &got, sizeof(gid)), 0);
}

static void lanes_and_their_speed_make_that_of_the_port(struct kunit *test)
{
	struct ib_port_attr attr = { .active_width = IB_WIDTH_4X, .active_speed = IB_SPEED_SDR };

	KUNIT_EXPECT_EQ(test, ipoib_port_speed(&attr), 10000);
	attr.active_speed = IB_SPEED_HDR;
	KUNIT_EXPECT_EQ(test, ipoib_port_speed(&attr), 200000);
	attr.active_speed = 256;
	KUNIT_EXPECT_EQ(test, ipoib_port_speed(&attr), 800000);
	attr.active_speed = 512;
	KUNIT_EXPECT_EQ(test, ipoib_port_speed(&attr), 0);
	attr.active_speed = 0;
	KUNIT_EXPECT_EQ(test, ipoib_port_speed(&attr), 0);
	attr.active_speed = IB_SPEED_SDR;
	attr.active_width = 0;
	KUNIT_EXPECT_EQ(test, ipoib_port_speed(&attr), 0);
}

static void every_reason_has_words(struct kunit *test)
{
	unsigned int state;

	for (state = 0; state < IPOIB_LINK_STATES; state++)
		KUNIT_EXPECT_NOT_NULL(test, ipoib_link_state_text(state));
	KUNIT_EXPECT_STREQ(test, ipoib_link_state_text(IPOIB_LINK_STATES), "?");
	KUNIT_EXPECT_STREQ(test, ipoib_link_state_text(IPOIB_LINK_BOND),
			   "the bond still has the address from before");
}

/* ---- requests ---------------------------------------------------------- */

static void owner_done(void *ctx, int err, const struct ipoib_route *route)
{
	done++;
	done_err = err;
}

static void owner_release(void *ctx)
{
	released++;
}

static const struct ipoib_request_owner owner = {
	.done		= owner_done,
	.release	= owner_release,
};

static void start(struct work_struct *work)
{
}

static void finish(struct work_struct *work)
{
	struct ipoib_request *req = container_of(work, struct ipoib_request, finish);

	finished++;
	ipoib_turn_end(req->turns, &req->turn);
	cancel_delayed_work_sync(&req->start);
	ipoib_request_exit(req);
}

static struct ipoib_request *request(struct kunit *test)
{
	struct ipoib_request *req = kunit_kzalloc(test, sizeof(*req), GFP_KERNEL);
	struct ipoib_link link = { .gid_attr = &world->gid_attr };

	KUNIT_ASSERT_NOT_NULL(test, req);
	world->fabric.wq = system_wq;
	KUNIT_EXPECT_EQ(test, ipoib_request_init(req, &world->fabric, &owner, start, finish),
			-ENETDOWN);
	holds++;
	ipoib_fabric_set_link(&world->fabric, &link);
	KUNIT_ASSERT_EQ(test, ipoib_request_init(req, &world->fabric, &owner, start, finish), 0);
	req->turns = &world->turns;
	req->turn.share = &world->fabric.doubtful;
	KUNIT_EXPECT_PTR_EQ(test, req->fabric, &world->fabric);
	KUNIT_EXPECT_EQ(test, requests, 1);
	KUNIT_EXPECT_EQ(test, holds, 2);
	KUNIT_EXPECT_EQ(test, refcount_read(&world->users.count), 2);
	return req;
}

static void an_answer_ends_the_turn_and_reaches_the_owner(struct kunit *test)
{
	struct ipoib_request *req = request(test);

	ipoib_turn_ask(req->turns, &req->turn);
	ipoib_request_done(req, -ENOENT, NULL);
	KUNIT_EXPECT_EQ(test, req->turn.state, IPOIB_TURN_NONE);
	KUNIT_EXPECT_EQ(test, done, 1);
	KUNIT_EXPECT_EQ(test, done_err, -ENOENT);
	KUNIT_EXPECT_EQ(test, released, 0);
	ipoib_request_end(req);
	KUNIT_EXPECT_EQ(test, released, 1);
	KUNIT_EXPECT_EQ(test, finished, 1);
}

static void who_has_given_a_request_back_gets_no_answer(struct kunit *test)
{
	struct ipoib_request *req = request(test);

	req->ended = true;
	ipoib_turn_ask(req->turns, &req->turn);
	ipoib_request_done(req, 0, NULL);
	KUNIT_EXPECT_EQ(test, req->turn.state, IPOIB_TURN_NONE);
	KUNIT_EXPECT_EQ(test, done, 0);
	ipoib_request_end(req);
}

static const struct ib_gid_attr *own_gid(void)
{
	holds++;
	return &world->gid_attr;
}

static const struct ib_gid_attr *find_gid(const union ib_gid *gid)
{
	if (gid->global.subnet_prefix != world->gid_attr.gid.global.subnet_prefix ||
	    gid->global.interface_id != cpu_to_be64(5))
		return ERR_PTR(-ENOENT);
	holds++;
	return &world->gid_attr;
}

static void a_guid_is_found_under_the_prefix_of_today(struct kunit *test)
{
	union ib_gid chosen = { .global.interface_id = cpu_to_be64(5) };
	const struct ib_gid_attr *attr;

	world->gid_attr.gid.global.subnet_prefix = cpu_to_be64(0xfe80000000000077);
	chosen.global.subnet_prefix = cpu_to_be64(0xfe80000000000000);
	attr = ipoib_fabric_find_guid(NULL, 1, &chosen);
	KUNIT_EXPECT_PTR_EQ(test, attr, (const struct ib_gid_attr *)&world->gid_attr);
	KUNIT_EXPECT_EQ(test, holds, 1);
	holds = 0;
	KUNIT_EXPECT_TRUE(test, ipoib_fabric_has_guid(NULL, 1, &chosen));
	chosen.global.interface_id = cpu_to_be64(6);
	KUNIT_EXPECT_FALSE(test, ipoib_fabric_has_guid(NULL, 1, &chosen));
	KUNIT_EXPECT_EQ(test, holds, 0);
}

static struct kunit_case fabric_test_cases[] = {
	KUNIT_CASE(a_port_that_was_heard_is_known),
	KUNIT_CASE(a_link_has_the_pkey_that_was_chosen_or_the_first),
	KUNIT_CASE(a_limited_member_is_one_if_there_is_no_full_one),
	KUNIT_CASE(a_new_link_lets_go_of_the_gid_of_the_old_one),
	KUNIT_CASE(a_gid_that_was_chosen_is_known),
	KUNIT_CASE(a_guid_is_found_under_the_prefix_of_today),
	KUNIT_CASE(lanes_and_their_speed_make_that_of_the_port),
	KUNIT_CASE(every_reason_has_words),
	KUNIT_CASE(an_answer_ends_the_turn_and_reaches_the_owner),
	KUNIT_CASE(who_has_given_a_request_back_gets_no_answer),
	{}
};

static struct kunit_suite fabric_test_suite = {
	.name = "ipoib_fabric",
	.init = fabric_test_init,
	.exit = fabric_test_exit,
	.test_cases = fabric_test_cases,
};

kunit_test_suite(fabric_test_suite);

MODULE_DESCRIPTION("Tests of what the fabrics of IPoIB have in common");
MODULE_LICENSE("GPL");
