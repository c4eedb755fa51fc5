// SPDX-License-Identifier: GPL-2.0
/*
 * Subscriptions to reports of the SA: with an SA that answers when it is told to, and reports that
 * come from wherever the test says.
 */
#include <kunit/test.h>
#include <rdma/ib_mad.h>

#include "../sa.h"
#include "../trace.h"

/* The work is due after that time; -1 if it is not. */
static long next_run;

static bool queue(unsigned long delay)
{
	if (next_run < 0 || delay < next_run)
		next_run = delay;
	return true;
}

static struct ib_mad_agent *new_agent(void);
static void end_agent(struct ib_mad_agent *agent);
static struct ib_mad_send_buf *new_answer(void);
static int post_answer(struct ib_mad_send_buf *msg);
static void free_answer(struct ib_mad_send_buf *msg);
static int attr_of(const struct ib_wc *wc);

#define mod_delayed_work(_wq, _work, _delay)	queue(_delay)
#define queue_delayed_work(_wq, _work, _delay)	queue(_delay)
#define trace_ipoib_sa_state(...)		((void)0)
#define ib_register_mad_agent(...)		new_agent()
#define ib_unregister_mad_agent(_agent)		end_agent(_agent)
#define ib_create_send_mad(...)			new_answer()
#define ib_post_send_mad(_msg, _bad)		post_answer(_msg)
#define ib_free_send_mad(_msg)			free_answer(_msg)
#define ib_free_recv_mad(_wc)			(received_freed++)
#define ib_init_ah_attr_from_wc(_dev, _port, _wc, _grh, _attr)	attr_of(_wc)
#define rdma_destroy_ah_attr(_attr)		((void)(_attr))

static unsigned int received_freed;

#include "../sa_inform.c"

#include "../backoff.c"
#include "../fsm.c"
#include "../sa_wire.c"

#define SM_LID	3

/**
 * struct world - a port, and what it has asked the SA
 * @sa: the agent of the port; the subscribers are part of it
 * @wait: an InformInfo has not been answered
 * @asked: how many were sent
 * @agent: gets the reports
 * @qp: its queue pair
 * @registered: there is one
 * @error: why there cannot be one
 * @answers: reports that were answered
 * @messages: answers that have not been freed
 * @handles: address handles that have not been freed
 * @no_handle: none can be made
 * @not_sent: no answer can be sent
 * @msg: an answer
 * @mad: what it says
 * @ah: its address handle
 * @one: a subscriber
 * @two: another one
 * @reports: reports that one of them got
 * @trap: the last one
 * @renewed: how often it was told that it may have missed some
 */
static struct world {
	struct ipoib_sa sa;
	bool wait;
	unsigned int asked;
	struct ib_mad_agent agent;
	struct ib_qp qp;
	bool registered;
	int error;
	unsigned int answers;
	int messages;
	int handles;
	bool no_handle;
	bool not_sent;
	struct ib_mad_send_buf msg;
	u8 mad[IB_MGMT_MAD_SIZE];
	struct ipoib_ah ah;
	struct ipoib_sa_subscriber one;
	struct ipoib_sa_subscriber two;
	unsigned int reports;
	enum ipoib_sa_trap trap;
	unsigned int renewed;
} *world;

static struct ipoib_sa_subscribers *set;

/* ---- what sa_inform.c calls -------------------------------------------- */

static struct ib_mad_agent *new_agent(void)
{
	if (world->error)
		return ERR_PTR(world->error);
	world->registered = true;
	world->agent.context = set;
	world->agent.qp = &world->qp;
	return &world->agent;
}

static void end_agent(struct ib_mad_agent *agent)
{
	world->registered = false;
}

static struct ib_mad_send_buf *new_answer(void)
{
	world->messages++;
	world->msg.mad = world->mad;
	return &world->msg;
}

static int post_answer(struct ib_mad_send_buf *msg)
{
	if (world->not_sent)
		return -ENOMEM;
	world->answers++;
	return 0;
}

static void free_answer(struct ib_mad_send_buf *msg)
{
	world->messages--;
}

static int attr_of(const struct ib_wc *wc)
{
	return wc->vendor_err ? -EINVAL : 0;
}

struct ipoib_ah *ipoib_ah_new(struct ib_pd *pd, struct rdma_ah_attr *attr)
{
	if (world->no_handle)
		return ERR_PTR(-ENOMEM);
	world->handles++;
	return &world->ah;
}

void ipoib_ah_free(struct ipoib_ah *ah)
{
	world->handles--;
}

u32 ipoib_sa_sm_lid(struct ipoib_sa *sa)
{
	return SM_LID;
}

void ipoib_sa_query_init(struct ipoib_sa_query *query, struct ipoib_sa *sa,
			 void (*done)(struct ipoib_sa_query *query))
{
	query->sa = sa;
	query->done = done;
}

void ipoib_sa_ask(struct ipoib_sa_query *query)
{
	world->asked++;
	world->wait = true;
}

void ipoib_sa_cancel(struct ipoib_sa_query *query)
{
	world->wait = false;
}

/* ---- subscribers, answers and reports ---------------------------------- */

static void report(struct ipoib_sa_subscriber *subscriber, enum ipoib_sa_trap trap,
		   const union ib_gid *gid)
{
	world->reports++;
	world->trap = trap;
}

static void renewed(struct ipoib_sa_subscriber *subscriber)
{
	world->renewed++;
}

static int sa_inform_test_init(struct kunit *test)
{
	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world);
	next_run = -1;
	received_freed = 0;
	set = &world->sa.subscribers;
	world->sa.ibdev = kunit_kzalloc(test, sizeof(*world->sa.ibdev), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world->sa.ibdev);
	world->one.report = report;
	world->one.renewed = renewed;
	world->two.report = report;
	world->two.renewed = renewed;
	ipoib_sa_subscribers_init(set, &world->sa);
	return 0;
}

static void sa_inform_test_exit(struct kunit *test)
{
	if (!world || !set->sa)
		return;
	/* Nothing more is to be waited for. */
	set->state = IPOIB_SA_OFF;
	ipoib_sa_subscribers_stop(set);
	KUNIT_EXPECT_FALSE(test, world->registered);
	KUNIT_EXPECT_EQ(test, world->messages, 0);
	KUNIT_EXPECT_EQ(test, world->handles, 0);
	KUNIT_EXPECT_EQ(test, set->queued, 0);
	next_run = -1;
	ipoib_sa_subscribers_renew(set);
	KUNIT_EXPECT_EQ(test, next_run, -1);
}

static void run(void)
{
	next_run = -1;
	inform_work(&set->work.work);
}

static void answer(int err, u16 status)
{
	set->query.err = err;
	set->query.status = status;
	set->query.done(&set->query);
	run();
}

/* All traps are subscribed to. */
static void subscribe(struct kunit *test)
{
	unsigned int i;

	ipoib_sa_subscriber_add(&world->sa, &world->one);
	KUNIT_EXPECT_EQ(test, next_run, 0);
	run();
	for (i = 1; i <= IPOIB_SA_TRAPS; i++) {
		KUNIT_EXPECT_EQ(test, set->state, IPOIB_SA_SUBSCRIBING);
		KUNIT_EXPECT_EQ(test, world->asked, i);
		answer(0, 0);
	}
	KUNIT_EXPECT_EQ(test, set->state, IPOIB_SA_ON);
}

/* A report of a new group, from @lid. */
static void receive(u16 lid, bool from_nowhere)
{
	struct ib_wc wc = { .slid = lid, .vendor_err = from_nowhere };
	struct ib_sa_mad mad = {};
	struct ib_mad_recv_wc recv = { .wc = &wc };
	u8 *notice = mad.data;

	/* A notice of a generic trap 66, and the GID of the group. */
	mad.mad_hdr.base_version = IB_MGMT_BASE_VERSION;
	mad.mad_hdr.mgmt_class = IB_MGMT_CLASS_SUBN_ADM;
	mad.mad_hdr.class_version = IB_SA_CLASS_VERSION;
	mad.mad_hdr.method = IB_MGMT_METHOD_REPORT;
	mad.mad_hdr.attr_id = cpu_to_be16(2);
	notice[0] = 0x80 | 3;
	notice[5] = 66;
	notice[16] = 0xff;
	recv.mad_len = sizeof(mad);
	recv.recv_buf.mad = (void *)&mad;
	reported(&world->agent, NULL, &recv);
}

/* ---- cases ------------------------------------------------------------- */

static void the_first_subscriber_subscribes_to_all_traps(struct kunit *test)
{
	subscribe(test);
	KUNIT_EXPECT_TRUE(test, world->registered);
	KUNIT_EXPECT_EQ(test, world->renewed, 1);
	KUNIT_EXPECT_EQ(test, next_run, -1);
	KUNIT_EXPECT_EQ(test, set->failures, 0);
	/* Another one is told that it may have missed some, as all are. */
	ipoib_sa_subscriber_add(&world->sa, &world->two);
	run();
	KUNIT_EXPECT_EQ(test, world->renewed, 3);
	KUNIT_EXPECT_EQ(test, world->asked, IPOIB_SA_TRAPS);
}

static void the_last_one_ends_the_subscriptions(struct kunit *test)
{
	unsigned int i;

	subscribe(test);
	ipoib_sa_subscriber_add(&world->sa, &world->two);
	run();
	ipoib_sa_subscriber_del(&world->sa, &world->two);
	run();
	KUNIT_EXPECT_EQ(test, set->state, IPOIB_SA_ON);
	ipoib_sa_subscriber_del(&world->sa, &world->one);
	run();
	for (i = 0; i < IPOIB_SA_TRAPS; i++) {
		KUNIT_EXPECT_EQ(test, set->state, IPOIB_SA_LEAVING);
		KUNIT_EXPECT_TRUE(test, world->registered);
		/* That it has none is an answer, too. */
		answer(i ? -EINVAL : 0, i ? 0x0300 : 0);
	}
	KUNIT_EXPECT_EQ(test, set->state, IPOIB_SA_OFF);
	KUNIT_EXPECT_FALSE(test, world->registered);
	KUNIT_EXPECT_EQ(test, world->asked, 2 * IPOIB_SA_TRAPS);
}

static void an_sa_that_does_not_answer_is_left_at_once(struct kunit *test)
{
	subscribe(test);
	ipoib_sa_subscriber_del(&world->sa, &world->one);
	run();
	answer(-ETIMEDOUT, 0);
	KUNIT_EXPECT_EQ(test, set->state, IPOIB_SA_OFF);
	KUNIT_EXPECT_EQ(test, world->asked, IPOIB_SA_TRAPS + 1);
}

static void a_refused_subscription_is_tried_again(struct kunit *test)
{
	unsigned int i;

	ipoib_sa_subscriber_add(&world->sa, &world->one);
	run();
	for (i = 1; i < TELL_FAILURES; i++) {
		answer(-ETIMEDOUT, 0);
		KUNIT_EXPECT_EQ(test, set->state, IPOIB_SA_BACKOFF);
		KUNIT_EXPECT_EQ(test, set->failures, i);
		KUNIT_EXPECT_GT(test, next_run, 0);
		/* Before its time nothing happens. */
		run();
		KUNIT_EXPECT_EQ(test, set->state, IPOIB_SA_BACKOFF);
		set->next_at = jiffies;
		run();
		KUNIT_EXPECT_EQ(test, world->asked, i + 1);
	}
	/* Subscribers look for themselves when that goes on. */
	i = world->renewed;
	answer(-ETIMEDOUT, 0);
	KUNIT_EXPECT_EQ(test, world->renewed, i + 1);
}

static void a_new_sm_is_subscribed_to_again(struct kunit *test)
{
	subscribe(test);
	ipoib_sa_subscribers_renew(set);
	KUNIT_EXPECT_EQ(test, next_run, 0);
	run();
	KUNIT_EXPECT_EQ(test, set->state, IPOIB_SA_SUBSCRIBING);
	KUNIT_EXPECT_FALSE(test, set->stale);
	KUNIT_EXPECT_EQ(test, set->subscribed, 0);
	answer(0, 0);
	/* It changes meanwhile: all traps once more. */
	ipoib_sa_subscribers_renew(set);
	answer(0, 0);
	KUNIT_EXPECT_EQ(test, set->trap, IPOIB_SA_TRAP_FIRST);
}

static void reports_that_somebody_else_has_are_looked_for_now_and_then(struct kunit *test)
{
	world->error = -EINVAL;
	ipoib_sa_subscriber_add(&world->sa, &world->one);
	run();
	KUNIT_EXPECT_EQ(test, set->state, IPOIB_SA_POLLING);
	KUNIT_EXPECT_EQ(test, world->renewed, 1);
	KUNIT_EXPECT_GT(test, next_run, POLL_DELAY - HZ);
	KUNIT_EXPECT_LE(test, next_run, POLL_DELAY);
	KUNIT_EXPECT_EQ(test, set->failures, 0);
	set->next_at = jiffies;
	run();
	KUNIT_EXPECT_EQ(test, world->renewed, 2);
	/* Without memory it is tried sooner. */
	world->error = -ENOMEM;
	set->next_at = jiffies;
	run();
	KUNIT_EXPECT_EQ(test, set->failures, 1);
	KUNIT_EXPECT_LT(test, next_run, HZ);
	world->error = 0;
	set->next_at = jiffies;
	run();
	KUNIT_EXPECT_EQ(test, set->state, IPOIB_SA_SUBSCRIBING);
	KUNIT_EXPECT_EQ(test, set->failures, 0);
}

static void a_report_of_the_sm_is_answered_and_passed_on(struct kunit *test)
{
	struct ib_mad_send_wc sent = { .send_buf = &world->msg };

	subscribe(test);
	receive(SM_LID, false);
	KUNIT_EXPECT_EQ(test, world->answers, 1);
	KUNIT_EXPECT_EQ(test, received_freed, 1);
	KUNIT_EXPECT_EQ(test, world->mad[3], IB_MGMT_METHOD_REPORT_RESP);
	confirmed(&world->agent, &sent);
	KUNIT_EXPECT_EQ(test, next_run, 0);
	run();
	KUNIT_EXPECT_EQ(test, world->reports, 1);
	KUNIT_EXPECT_EQ(test, world->trap, 66);
	KUNIT_EXPECT_EQ(test, set->queued, 0);
	/* That of anybody else is not. */
	receive(SM_LID + 1, false);
	KUNIT_EXPECT_EQ(test, world->answers, 1);
	KUNIT_EXPECT_EQ(test, received_freed, 2);
	run();
	KUNIT_EXPECT_EQ(test, world->reports, 1);
}

static void a_report_that_cannot_be_answered_counts(struct kunit *test)
{
	subscribe(test);
	receive(SM_LID, true);
	world->no_handle = true;
	receive(SM_LID, false);
	world->no_handle = false;
	world->not_sent = true;
	receive(SM_LID, false);
	KUNIT_EXPECT_EQ(test, world->answers, 0);
	run();
	KUNIT_EXPECT_EQ(test, world->reports, 3);
	KUNIT_EXPECT_EQ(test, received_freed, 3);
}

static void too_many_reports_are_missed_ones(struct kunit *test)
{
	unsigned int i, was;
	union ib_gid gid = {};

	subscribe(test);
	was = world->renewed;
	for (i = 0; i < IPOIB_SA_MAX_REPORTS; i++)
		queue_report(set, 66, &gid);
	KUNIT_EXPECT_FALSE(test, set->missed);
	queue_report(set, 66, &gid);
	KUNIT_EXPECT_TRUE(test, set->missed);
	run();
	KUNIT_EXPECT_EQ(test, world->reports, IPOIB_SA_MAX_REPORTS);
	KUNIT_EXPECT_EQ(test, world->renewed, was + 1);
	/* What nobody has taken is freed with the subscription. */
	queue_report(set, 66, &gid);
}

static struct kunit_case sa_inform_test_cases[] = {
	KUNIT_CASE(the_first_subscriber_subscribes_to_all_traps),
	KUNIT_CASE(the_last_one_ends_the_subscriptions),
	KUNIT_CASE(an_sa_that_does_not_answer_is_left_at_once),
	KUNIT_CASE(a_refused_subscription_is_tried_again),
	KUNIT_CASE(a_new_sm_is_subscribed_to_again),
	KUNIT_CASE(reports_that_somebody_else_has_are_looked_for_now_and_then),
	KUNIT_CASE(a_report_of_the_sm_is_answered_and_passed_on),
	KUNIT_CASE(a_report_that_cannot_be_answered_counts),
	KUNIT_CASE(too_many_reports_are_missed_ones),
	{}
};

static struct kunit_suite sa_inform_test_suite = {
	.name = "ipoib_sa_inform",
	.init = sa_inform_test_init,
	.exit = sa_inform_test_exit,
	.test_cases = sa_inform_test_cases,
};

kunit_test_suite(sa_inform_test_suite);

MODULE_DESCRIPTION("Tests of subscriptions of IPoIB to the SA");
MODULE_LICENSE("GPL");
