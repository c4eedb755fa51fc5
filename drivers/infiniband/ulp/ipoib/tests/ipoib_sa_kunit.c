// SPDX-License-Identifier: GPL-2.0
/*
 * Queries to the SA: sent, answered, cancelled, and sent to another SM. The MAD layer is this file;
 * what is queued runs when the test says so.
 */
#include <kunit/test.h>
#include <linux/workqueue.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_mad.h>

#include "../sa.h"

static int find_pkey(u16 *index);
static struct ib_ah *new_handle(const struct rdma_ah_attr *attr);
static struct ib_mad_send_buf *new_mad(u16 pkey_index);
static int post_mad(struct ib_mad_send_buf *msg);
static int query_port(struct ib_port_attr *attr);
static struct ib_mad_agent *new_agent(void *context);

static bool routed;
static int handles, mads, works, frees, received_freed;

#define queue_work(_wq, _work)			((void)(_work), works++)
#define cancel_work_sync(_work)			((void)(_work))
#define kfree(_what)				(frees++, kfree(_what))
#define ib_query_port(_dev, _port, _attr)	query_port(_attr)
#define ib_find_cached_pkey(_dev, _port, _pkey, _index)	find_pkey(_index)
#define rdma_ah_find_type(_dev, _port)		RDMA_AH_ATTR_TYPE_IB
#define rdma_is_grh_required(_dev, _port)	routed
#define rdma_create_ah(_pd, _attr, _flags)	new_handle(_attr)
#define rdma_destroy_ah(_ah, _flags)		(handles--)
#define ib_create_send_mad(_agent, _qpn, _pkey_index, ...)	new_mad(_pkey_index)
#define ib_post_send_mad(_msg, _bad)		post_mad(_msg)
#define ib_free_send_mad(_msg)			((void)(_msg), mads--)
#define ib_free_recv_mad(_mad)			((void)(_mad), received_freed++)
#define ib_cancel_mad(_msg)			(world->cancelled++)
#define ib_register_mad_agent(_dev, _port, _type, _req, _rmpp, _send, _recv, _ctx, _flags) \
	((void)(_send), (void)(_recv), new_agent(_ctx))
#define ib_unregister_mad_agent(_agent)		((void)(_agent))

static struct world *world;

/**
 * struct world - a port and its SM
 * @sa: the agent
 * @agent: that of the MAD layer
 * @qp: its queue pair
 * @port: what a query of the port says
 * @no_port: it cannot be queried
 * @no_pkey: it is not in the default partition
 * @pkey_index: index of the P_Key that the last MAD has
 * @no_handle: there is no memory for an address handle
 * @attr: where the last handle leads
 * @no_mad: there is no memory for a MAD
 * @not_sent: no MAD can be sent
 * @ah: the handle
 * @msgs: MADs that were sent
 * @data: what is in them
 * @sent: how many
 * @cancelled: how many were cancelled
 * @renewed: how often the subscribers were told of another SM
 * @query: a query
 * @other: another one
 * @done: queries that are over
 */
struct world {
	struct ipoib_sa *sa;
	struct ib_mad_agent agent;
	struct ib_qp qp;
	struct ib_port_attr port;
	bool no_port;
	bool no_pkey;
	u16 pkey_index;
	bool no_handle;
	struct rdma_ah_attr attr;
	bool no_mad;
	bool not_sent;
	struct ib_ah ah;
	struct ib_mad_send_buf msgs[256];
	struct ib_sa_mad data[256];
	unsigned int sent;
	unsigned int cancelled;
	unsigned int renewed;
	struct ipoib_sa_query query;
	struct ipoib_sa_query other;
	unsigned int done;
};

#include "../sa.c"
#undef kfree

#include "../sa_wire.c"

/* ---- what sa.c calls --------------------------------------------------- */

void ipoib_sa_subscribers_init(struct ipoib_sa_subscribers *set, struct ipoib_sa *sa)
{
}

void ipoib_sa_subscribers_renew(struct ipoib_sa_subscribers *set)
{
	world->renewed++;
}

void ipoib_sa_subscribers_stop(struct ipoib_sa_subscribers *set)
{
}

static int find_pkey(u16 *index)
{
	/* Where there is none the RDMA core says so here, too. */
	*index = world->no_pkey ? -1 : 4;
	return world->no_pkey ? -ENOENT : 0;
}

static int query_port(struct ib_port_attr *attr)
{
	*attr = world->port;
	return world->no_port ? -EIO : 0;
}

static struct ib_ah *new_handle(const struct rdma_ah_attr *attr)
{
	if (world->no_handle)
		return ERR_PTR(-ENOMEM);
	world->attr = *attr;
	handles++;
	return &world->ah;
}

static struct ib_mad_send_buf *new_mad(u16 pkey_index)
{
	struct ib_mad_send_buf *msg = &world->msgs[world->sent];

	world->pkey_index = pkey_index;
	if (world->no_mad)
		return ERR_PTR(-ENOMEM);
	mads++;
	msg->mad = &world->data[world->sent];
	return msg;
}

static int post_mad(struct ib_mad_send_buf *msg)
{
	if (world->not_sent)
		return -EIO;
	world->sent++;
	return 0;
}

static struct ib_mad_agent *new_agent(void *context)
{
	world->agent.context = context;
	world->agent.qp = &world->qp;
	world->agent.hi_tid = 7;
	return &world->agent;
}

/* ---- queries ----------------------------------------------------------- */

static void done(struct ipoib_sa_query *query)
{
	world->done++;
}

static int sa_test_init(struct kunit *test)
{
	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world);
	routed = false;
	handles = 0;
	mads = 0;
	works = 0;
	received_freed = 0;
	world->port.state = IB_PORT_ACTIVE;
	world->port.sm_lid = 3;
	world->port.sm_sl = 2;
	world->port.subnet_prefix = 0xfe80000000000000;
	world->sa = ipoib_sa_open(NULL, 1, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(world->sa));
	KUNIT_EXPECT_EQ(test, works, 1);
	ipoib_sa_query_init(&world->query, world->sa, done);
	ipoib_sa_query_init(&world->other, world->sa, done);
	return 0;
}

/* The MAD layer is done with message @n. */
static void end(unsigned int n, enum ib_wc_status status)
{
	struct ib_mad_send_wc wc = { .send_buf = &world->msgs[n], .status = status };

	sa_sent(&world->agent, &wc);
}

static void sa_test_exit(struct kunit *test)
{
	if (!world || IS_ERR_OR_NULL(world->sa))
		return;
	ipoib_sa_cancel(&world->query);
	ipoib_sa_cancel(&world->other);
	KUNIT_EXPECT_TRUE(test, list_empty(&world->sa->waiting));
	KUNIT_EXPECT_TRUE(test, list_empty(&world->sa->sent));
	KUNIT_EXPECT_EQ(test, world->sa->mads, 0);
	KUNIT_EXPECT_EQ(test, mads, 0);
	ipoib_sa_close(world->sa);
	KUNIT_EXPECT_EQ(test, handles, 0);
}

static void run(void)
{
	works = 0;
	sa_work(&world->sa->work);
}

static void ask(struct ipoib_sa_query *query)
{
	ipoib_sa_ask(query);
	run();
}

/* An answer to message @n, and what the query makes of it. */
static void answer(struct ipoib_sa_query *query, unsigned int n, struct ib_mad_recv_wc *recv,
		   struct ib_sa_mad *mad)
{
	*mad = world->data[n];
	mad->mad_hdr.method |= IB_MGMT_METHOD_RESP;
	recv->recv_buf.mad = (void *)mad;
	recv->mad_len = sizeof(*mad);
	sa_received(&world->agent, &world->msgs[n], recv);
	end(n, IB_WC_SUCCESS);
	query_work(&query->work);
}

static void over(struct kunit *test, struct ipoib_sa_query *query, int err)
{
	KUNIT_EXPECT_EQ(test, query->err, err);
	query_work(&query->work);
	KUNIT_EXPECT_EQ(test, query->err, err);
}

/* ---- cases ------------------------------------------------------------- */

static void a_query_is_sent_to_the_sm_and_answered(struct kunit *test)
{
	struct ib_mad_recv_wc recv = {};
	struct ib_sa_mad mad;

	world->query.ask.mad_hdr.method = IB_MGMT_METHOD_GET;
	ipoib_sa_ask(&world->query);
	KUNIT_EXPECT_EQ(test, works, 2);
	KUNIT_EXPECT_EQ(test, ipoib_sa_sm_lid(world->sa), 0);
	run();
	KUNIT_EXPECT_EQ(test, ipoib_sa_sm_lid(world->sa), 3);
	KUNIT_EXPECT_EQ(test, rdma_ah_get_dlid(&world->attr), 3);
	KUNIT_EXPECT_EQ(test, rdma_ah_get_sl(&world->attr), 2);
	KUNIT_EXPECT_EQ(test, rdma_ah_get_port_num(&world->attr), 1);
	KUNIT_EXPECT_FALSE(test, rdma_ah_get_ah_flags(&world->attr) & IB_AH_GRH);
	KUNIT_EXPECT_EQ(test, world->sent, 1);
	KUNIT_EXPECT_PTR_EQ(test, world->msgs[0].ah, &world->ah);
	KUNIT_EXPECT_EQ(test, world->msgs[0].timeout_ms, ANSWER_MS);
	KUNIT_EXPECT_EQ(test, world->msgs[0].retries, ANSWER_TRIES - 1);
	KUNIT_EXPECT_EQ(test, world->data[0].mad_hdr.tid, cpu_to_be64(7ull << 32 | 1));
	answer(&world->query, 0, &recv, &mad);
	KUNIT_EXPECT_EQ(test, world->done, 1);
	KUNIT_EXPECT_NE(test, world->query.err, -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, received_freed, 1);
	KUNIT_EXPECT_NULL(test, world->query.answer);
	/* The next one has another number. */
	ask(&world->query);
	KUNIT_EXPECT_EQ(test, world->data[1].mad_hdr.tid, cpu_to_be64(7ull << 32 | 2));
	end(1, IB_WC_WR_FLUSH_ERR);
}

static void a_list_may_take_its_time(struct kunit *test)
{
	world->query.ask.mad_hdr.method = IB_SA_METHOD_GET_TABLE;
	ask(&world->query);
	KUNIT_EXPECT_EQ(test, world->msgs[0].timeout_ms, LIST_MS);
	KUNIT_EXPECT_EQ(test, world->msgs[0].retries, LIST_TRIES - 1);
	end(0, IB_WC_WR_FLUSH_ERR);
	over(test, &world->query, -ECANCELED);
}

static void a_query_that_fails_says_why(struct kunit *test)
{
	ask(&world->query);
	end(0, IB_WC_RESP_TIMEOUT_ERR);
	over(test, &world->query, -ETIMEDOUT);
	/* The SM may be elsewhere by now. */
	KUNIT_EXPECT_TRUE(test, world->sa->stale);
	ask(&world->query);
	KUNIT_EXPECT_FALSE(test, world->sa->stale);
	end(1, IB_WC_GENERAL_ERR);
	over(test, &world->query, -EIO);
	KUNIT_EXPECT_FALSE(test, world->sa->stale);
	ask(&world->query);
	end(2, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, world->query.err, 0);
	query_work(&world->query.work);
	KUNIT_EXPECT_EQ(test, world->query.err, -EPROTO);
	world->not_sent = true;
	ask(&world->query);
	over(test, &world->query, -EIO);
	world->no_mad = true;
	ask(&world->query);
	over(test, &world->query, -ENOMEM);
	KUNIT_EXPECT_EQ(test, world->done, 5);
}

static void fails_without_sm(struct kunit *test)
{
	int was = frees;

	world->sa->stale = true;
	ask(&world->query);
	over(test, &world->query, -ENETUNREACH);
	KUNIT_EXPECT_EQ(test, ipoib_sa_sm_lid(world->sa), 0);
	/* Where one was begun it is freed. */
	KUNIT_EXPECT_EQ(test, frees, was + world->no_handle);
}

static void without_an_sm_a_query_fails_at_once(struct kunit *test)
{
	world->port.sm_lid = 0;
	fails_without_sm(test);
	world->port.sm_lid = 3;
	world->port.state = IB_PORT_INIT;
	fails_without_sm(test);
	world->port.state = IB_PORT_ACTIVE;
	world->no_port = true;
	fails_without_sm(test);
	world->no_port = false;
	world->no_handle = true;
	fails_without_sm(test);
	KUNIT_EXPECT_EQ(test, world->sent, 0);
	/* The next one looks again. */
	world->no_handle = false;
	ask(&world->query);
	KUNIT_EXPECT_EQ(test, world->sent, 1);
	end(0, IB_WC_WR_FLUSH_ERR);
}

static void a_port_that_is_not_in_the_default_partition_asks_by_its_first_one(struct kunit *test)
{
	ask(&world->query);
	KUNIT_EXPECT_EQ(test, world->pkey_index, 4);
	end(0, IB_WC_WR_FLUSH_ERR);
	world->no_pkey = true;
	world->sa->stale = true;
	ask(&world->other);
	KUNIT_EXPECT_EQ(test, world->sent, 2);
	KUNIT_EXPECT_EQ(test, world->pkey_index, 0);
	end(1, IB_WC_WR_FLUSH_ERR);
}

static void where_there_are_routers_the_sm_has_a_gid(struct kunit *test)
{
	const struct ib_global_route *grh;

	routed = true;
	run();
	KUNIT_EXPECT_TRUE(test, rdma_ah_get_ah_flags(&world->attr) & IB_AH_GRH);
	grh = rdma_ah_read_grh(&world->attr);
	KUNIT_EXPECT_EQ(test, grh->dgid.global.subnet_prefix, cpu_to_be64(0xfe80000000000000));
	KUNIT_EXPECT_EQ(test, grh->dgid.global.interface_id, cpu_to_be64(IB_SA_WELL_KNOWN_GUID));
	KUNIT_EXPECT_EQ(test, grh->sgid_index, 0);
	KUNIT_EXPECT_EQ(test, grh->hop_limit, 0);
	KUNIT_EXPECT_EQ(test, grh->flow_label, 0);
	KUNIT_EXPECT_EQ(test, grh->traffic_class, 0);
}

static void moves(u32 lid)
{
	world->port.sm_lid = lid;
	ipoib_sa_event(world->sa, IB_EVENT_SM_CHANGE);
	run();
}

static void queries_follow_an_sm_that_moves_once(struct kunit *test)
{
	struct ib_mad_recv_wc recv = {};
	struct ib_sa_mad mad;

	ask(&world->query);
	ask(&world->other);
	/* One has its answer already, which will do. */
	mad = world->data[1];
	recv.recv_buf.mad = (void *)&mad;
	recv.mad_len = sizeof(mad);
	sa_received(&world->agent, &world->msgs[1], &recv);
	/* The same SM is no other one. */
	moves(3);
	KUNIT_EXPECT_EQ(test, world->renewed, 1);
	KUNIT_EXPECT_EQ(test, world->cancelled, 0);
	moves(4);
	KUNIT_EXPECT_EQ(test, world->cancelled, 1);
	KUNIT_EXPECT_EQ(test, world->sent, 3);
	KUNIT_EXPECT_EQ(test, ipoib_sa_sm_lid(world->sa), 4);
	/* The handle of the old one stays until the MAD layer has no MAD of it any more. */
	KUNIT_EXPECT_EQ(test, handles, 2);
	end(0, IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, world->done, 0);
	end(1, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, handles, 1);
	query_work(&world->other.work);
	KUNIT_EXPECT_EQ(test, world->done, 1);
	/* It does not follow for ever. */
	moves(5);
	KUNIT_EXPECT_EQ(test, world->cancelled, 1);
	KUNIT_EXPECT_EQ(test, world->sent, 3);
	end(2, IB_WC_RESP_TIMEOUT_ERR);
	over(test, &world->query, -ETIMEDOUT);
}

static void another_sl_or_prefix_is_another_sm(struct kunit *test)
{
	run();
	KUNIT_EXPECT_EQ(test, handles, 1);
	world->port.sm_sl++;
	moves(3);
	KUNIT_EXPECT_EQ(test, rdma_ah_get_sl(&world->attr), 3);
	world->attr.sl = 0;
	world->port.subnet_prefix++;
	moves(3);
	KUNIT_EXPECT_EQ(test, rdma_ah_get_sl(&world->attr), 3);
	KUNIT_EXPECT_EQ(test, handles, 1);
	world->port.sm_lid = 0;
	moves(0);
	KUNIT_EXPECT_EQ(test, handles, 0);
}

static void a_cancelled_query_has_no_answer(struct kunit *test)
{
	struct ib_mad_recv_wc recv = {};
	struct ib_sa_mad mad = {};

	/* One that waits, and one that was sent. */
	ipoib_sa_ask(&world->query);
	ipoib_sa_cancel(&world->query);
	run();
	KUNIT_EXPECT_EQ(test, world->sent, 0);
	KUNIT_EXPECT_EQ(test, world->cancelled, 0);
	ask(&world->query);
	ipoib_sa_cancel(&world->query);
	KUNIT_EXPECT_EQ(test, world->cancelled, 1);
	KUNIT_EXPECT_NULL(test, world->query.msg);
	recv.recv_buf.mad = (void *)&mad;
	sa_received(&world->agent, &world->msgs[0], &recv);
	KUNIT_EXPECT_EQ(test, received_freed, 1);
	KUNIT_EXPECT_NULL(test, world->query.answer);
	works = 0;
	end(0, IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, works, 0);
	KUNIT_EXPECT_EQ(test, world->done, 0);
	/* What nobody has asked for is nobody's. */
	sa_received(&world->agent, NULL, &recv);
	KUNIT_EXPECT_EQ(test, received_freed, 2);
}

static void events_that_may_move_the_sm_have_it_looked_for(struct kunit *test)
{
	static const struct {
		enum ib_event_type event;
		bool looks;
		bool renews;
	} events[] = {
		{ IB_EVENT_PORT_ACTIVE, true, true },
		{ IB_EVENT_LID_CHANGE, true, true },
		{ IB_EVENT_SM_CHANGE, true, true },
		{ IB_EVENT_CLIENT_REREGISTER, true, true },
		{ IB_EVENT_PORT_ERR, true, false },
		{ IB_EVENT_PKEY_CHANGE, true, false },
		{ IB_EVENT_GID_CHANGE, true, false },
		{ IB_EVENT_DEVICE_FATAL, false, false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		run();
		world->renewed = 0;
		ipoib_sa_event(world->sa, events[i].event);
		KUNIT_EXPECT_EQ(test, world->sa->stale, events[i].looks);
		KUNIT_EXPECT_EQ(test, works, events[i].looks);
		KUNIT_EXPECT_EQ(test, world->renewed, events[i].renews);
	}
}

static void so_many_mads_are_sent_at_a_time(struct kunit *test)
{
	world->sa->mads = MAX_MADS;
	run();
	ask(&world->query);
	KUNIT_EXPECT_EQ(test, world->sent, 0);
	world->sa->mads = MAX_MADS - 1;
	run();
	KUNIT_EXPECT_EQ(test, world->sent, 1);
	world->sa->mads = 1;
	end(0, IB_WC_WR_FLUSH_ERR);
}

static struct kunit_case sa_test_cases[] = {
	KUNIT_CASE(a_query_is_sent_to_the_sm_and_answered),
	KUNIT_CASE(a_list_may_take_its_time),
	KUNIT_CASE(a_query_that_fails_says_why),
	KUNIT_CASE(without_an_sm_a_query_fails_at_once),
	KUNIT_CASE(a_port_that_is_not_in_the_default_partition_asks_by_its_first_one),
	KUNIT_CASE(where_there_are_routers_the_sm_has_a_gid),
	KUNIT_CASE(queries_follow_an_sm_that_moves_once),
	KUNIT_CASE(another_sl_or_prefix_is_another_sm),
	KUNIT_CASE(a_cancelled_query_has_no_answer),
	KUNIT_CASE(events_that_may_move_the_sm_have_it_looked_for),
	KUNIT_CASE(so_many_mads_are_sent_at_a_time),
	{}
};

static struct kunit_suite sa_test_suite = {
	.name = "ipoib_sa",
	.init = sa_test_init,
	.exit = sa_test_exit,
	.test_cases = sa_test_cases,
};

kunit_test_suite(sa_test_suite);

MODULE_DESCRIPTION("Tests of queries of IPoIB to the SA");
MODULE_LICENSE("GPL");
