// SPDX-License-Identifier: GPL-2.0
/* How UD queue pairs are made, replaced and brought from state to state: the HCA is this file. */
#include <kunit/test.h>
#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>

/* What ipoib_poll_end() is told, and what it does about that */
static unsigned int armed, scheduled;
static bool polls_on;
static int missed;

#define napi_complete_done(_napi, _work)	((void)(_napi), (void)(_work), !polls_on)
#define napi_schedule(_napi)			((void)(_napi), scheduled++)
#define ib_req_notify_cq(_cq, _flags)		((void)(_cq), armed += (_flags), missed)

#include "../device.h"

static struct ib_cq *create_cq(const struct ib_cq_init_attr *attr);
static struct ib_qp *create_qp(const struct ib_qp_init_attr *attr);
static int modify_qp(const struct ib_qp_attr *attr, int mask);
static int query_qp(struct ib_qp_attr *attr);
static int poll_cq(const struct ib_cq *cq, int most, const struct ib_wc *wc);

#undef ib_create_cq
#define ib_create_cq(_dev, _done, _event, _ctx, _attr)	((void)(_dev), create_cq(_attr))
#define ib_destroy_cq(_cq)				((void)(_cq), world->cqs--)
#define ib_create_qp(_pd, _attr)			((void)(_pd), create_qp(_attr))
#define ib_destroy_qp(_qp)				((void)(_qp), world->qps--)
#define ib_modify_qp(_qp, _attr, _mask)			((void)(_qp), modify_qp(_attr, _mask))
#define ib_poll_cq(_cq, _most, _wc)			poll_cq(_cq, _most, _wc)
#define ib_query_qp(_qp, _attr, _mask, _init)		((void)(_init), query_qp(_attr))

/**
 * struct world - an interface, a queue pair and its HCA
 * @idev: the interface
 * @ibdev: the HCA
 * @pd: its protection domain
 * @tx: ring of sends
 * @rx: ring of receives
 * @qp: the queue pair
 * @ib: what the HCA makes: queue pairs, one after the other
 * @made: how many
 * @cq: completion queues, likewise
 * @cqs_made: how many
 * @qps: queue pairs that there are
 * @cqs: completion queues that there are
 * @no_cq_after: there is no room for more of these
 * @no_qp: why there can be no queue pair
 * @created: what the last one was made with
 * @cqes: places of each completion queue
 * @left: completions that are in each of them
 * @attrs: what the queue pair was changed to, in order
 * @masks: which of it
 * @changes: how often
 * @fails_at: which change fails
 * @state: what it says of its state
 * @mute: it says nothing
 * @tx_failed: the ring was told that it has failed
 * @kicked: what the interface was told
 */
static struct world {
	struct ipoib_dev *idev;
	struct ib_device ibdev;
	struct ib_pd pd;
	struct ipoib_ud_tx tx;
	struct ipoib_ud_rx rx;
	struct ipoib_qp qp;
	struct ib_qp ib[4];
	unsigned int made;
	struct ib_cq cq[8];
	unsigned int cqs_made;
	int qps;
	int cqs;
	unsigned int no_cq_after;
	int no_qp;
	struct ib_qp_init_attr created;
	u32 cqes[8];
	int left[8];
	struct ib_qp_attr attrs[4];
	int masks[4];
	unsigned int changes;
	unsigned int fails_at;
	enum ib_qp_state state;
	bool mute;
	unsigned int tx_failed;
	unsigned long kicked;
} *world;

#include "../qp.c"

static struct ib_cq *create_cq(const struct ib_cq_init_attr *attr)
{
	if (world->cqs_made == world->no_cq_after)
		return ERR_PTR(-ENOSPC);
	world->cqes[world->cqs_made] = attr->cqe;
	world->cqs++;
	return &world->cq[world->cqs_made++];
}

static struct ib_qp *create_qp(const struct ib_qp_init_attr *attr)
{
	if (world->no_qp)
		return ERR_PTR(world->no_qp);
	world->created = *attr;
	world->qps++;
	world->ib[world->made].qp_num = 0x100 + world->made;
	return &world->ib[world->made++];
}

static int modify_qp(const struct ib_qp_attr *attr, int mask)
{
	if (world->changes == world->fails_at)
		return -EIO;
	world->attrs[world->changes] = *attr;
	world->masks[world->changes++] = mask;
	return 0;
}

static int query_qp(struct ib_qp_attr *attr)
{
	attr->qp_state = world->state;
	return world->mute ? -EIO : 0;
}

static int poll_cq(const struct ib_cq *cq, int most, const struct ib_wc *wc)
{
	int *left = cq ? &world->left[cq - world->cq] : NULL;
	int n = left ? min(*left, most) : 0;

	if (wc != world->tx.wc || most != ARRAY_SIZE(world->tx.wc))
		return -EINVAL;
	if (left)
		*left -= n;
	return n;
}

/* ---- what qp.c calls of the driver ------------------------------------------------------- */

void ipoib_object_created(enum ipoib_object kind)
{
}

void ipoib_object_destroyed(enum ipoib_object kind)
{
}

void ipoib_ud_tx_failed(struct ipoib_ud_tx *tx)
{
	world->tx_failed++;
}

u32 ipoib_ud_rx_most(const struct ib_device *ibdev)
{
	return 512;
}

unsigned int ipoib_ud_rx_sges(unsigned int longest)
{
	return longest / 1000;
}

void ipoib_dev_kick(struct ipoib_dev *idev, enum ipoib_dev_pending what)
{
	world->kicked |= BIT(what);
}

void ipoib_moder_set_cq(struct ipoib_moder *moder, struct ib_cq *cq)
{
	moder->cq = cq;
}

/* ---- the interface ----------------------------------------------------------------------- */

static int qp_test_init(struct kunit *test)
{
	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world);
	world->idev = kunit_kzalloc(test, sizeof(*world->idev), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world->idev);
	world->no_cq_after = UINT_MAX;
	world->fails_at = UINT_MAX;
	world->ibdev.num_comp_vectors = 3;
	world->pd.device = &world->ibdev;
	world->idev->config.pd = &world->pd;
	world->idev->fabric.port = 2;
	world->tx.ring.max_sge = 5;
	world->rx.longest = 4000;
	world->qp.pd = &world->pd;
	world->qp.idev = world->idev;
	world->qp.tx = &world->tx;
	world->qp.rx = &world->rx;
	return 0;
}

static void nothing_is_left(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, world->qps, 0);
	KUNIT_EXPECT_EQ(test, world->cqs, 0);
}

/* ---- cases ------------------------------------------------------------------------------- */

static void one_that_receives_has_two_completion_queues(struct kunit *test)
{
	struct ipoib_qp *qp = &world->qp;

	KUNIT_ASSERT_EQ(test, ipoib_qp_init(qp), 0);
	KUNIT_EXPECT_EQ(test, world->cqs, 2);
	KUNIT_EXPECT_EQ(test, world->cqes[0], IPOIB_UD_TX_SLOTS);
	KUNIT_EXPECT_EQ(test, world->cqes[1], 512);
	KUNIT_EXPECT_EQ(test, world->created.qp_type, IB_QPT_UD);
	KUNIT_EXPECT_EQ(test, world->created.sq_sig_type, IB_SIGNAL_REQ_WR);
	KUNIT_EXPECT_EQ(test, world->created.port_num, 2);
	KUNIT_EXPECT_PTR_EQ(test, world->created.send_cq, &world->cq[0]);
	KUNIT_EXPECT_PTR_EQ(test, world->created.recv_cq, &world->cq[1]);
	KUNIT_EXPECT_EQ(test, world->created.cap.max_send_wr, IPOIB_UD_TX_SLOTS);
	KUNIT_EXPECT_EQ(test, world->created.cap.max_send_sge, 5);
	KUNIT_EXPECT_EQ(test, world->created.cap.max_recv_wr, 512);
	KUNIT_EXPECT_EQ(test, world->created.cap.max_recv_sge, 4);
	KUNIT_EXPECT_EQ(test, qp->qpn, 0x100);
	KUNIT_EXPECT_PTR_EQ(test, world->tx.moder.cq, &world->cq[0]);
	KUNIT_EXPECT_PTR_EQ(test, world->rx.moder.cq, &world->cq[1]);
	ipoib_qp_exit(qp);
	KUNIT_EXPECT_NULL(test, world->tx.moder.cq);
	KUNIT_EXPECT_NULL(test, world->rx.moder.cq);
	nothing_is_left(test);
}

static void one_that_only_sends_has_one(struct kunit *test)
{
	world->qp.rx = NULL;
	KUNIT_ASSERT_EQ(test, ipoib_qp_init(&world->qp), 0);
	KUNIT_EXPECT_EQ(test, world->cqs, 1);
	KUNIT_EXPECT_PTR_EQ(test, world->created.recv_cq, world->created.send_cq);
	KUNIT_EXPECT_EQ(test, world->created.cap.max_recv_wr, 0);
	KUNIT_EXPECT_EQ(test, world->created.cap.max_recv_sge, 0);
	ipoib_qp_exit(&world->qp);
	nothing_is_left(test);
}

static u32 flags(struct kunit *test, u64 caps)
{
	world->ibdev.attrs.kernel_cap_flags = caps;
	world->made = 0;
	world->cqs_made = 0;
	KUNIT_ASSERT_EQ(test, ipoib_qp_init(&world->qp), 0);
	ipoib_qp_exit(&world->qp);
	return world->created.create_flags;
}

static void it_is_asked_for_what_the_hca_can_do(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, flags(test, 0), 0);
	KUNIT_EXPECT_EQ(test, flags(test, IBK_BLOCK_MULTICAST_LOOPBACK),
			IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK);
	KUNIT_EXPECT_EQ(test, flags(test, IBK_UD_TSO), IB_QP_CREATE_IPOIB_UD_LSO);
	/* RoCE has none of that for UD. */
	world->idev->fabric.lower = (void *)world;
	KUNIT_EXPECT_EQ(test, flags(test, IBK_UD_TSO), 0);
	world->idev->fabric.lower = NULL;
	/* To what does not receive nothing loops back. */
	world->qp.rx = NULL;
	KUNIT_EXPECT_EQ(test, flags(test, IBK_BLOCK_MULTICAST_LOOPBACK), 0);
}

static void what_cannot_be_made_leaves_nothing(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		world->cqs_made = 0;
		world->no_cq_after = i;
		KUNIT_EXPECT_EQ(test, ipoib_qp_init(&world->qp), -ENOSPC);
		nothing_is_left(test);
	}
	world->cqs_made = 0;
	world->no_cq_after = UINT_MAX;
	world->no_qp = -EPERM;
	KUNIT_EXPECT_EQ(test, ipoib_qp_init(&world->qp), -EPERM);
	nothing_is_left(test);
}

static void another_one_takes_its_place_or_it_stays(struct kunit *test)
{
	struct ipoib_qp *qp = &world->qp;

	KUNIT_ASSERT_EQ(test, ipoib_qp_init(qp), 0);
	KUNIT_EXPECT_EQ(test, ipoib_qp_renew(qp), 0);
	KUNIT_EXPECT_EQ(test, qp->qpn, 0x101);
	KUNIT_EXPECT_PTR_EQ(test, qp->send_cq, &world->cq[2]);
	KUNIT_EXPECT_EQ(test, world->qps, 1);
	KUNIT_EXPECT_EQ(test, world->cqs, 2);
	world->no_qp = -ENOMEM;
	KUNIT_EXPECT_EQ(test, ipoib_qp_renew(qp), -ENOMEM);
	KUNIT_EXPECT_EQ(test, qp->qpn, 0x101);
	KUNIT_EXPECT_PTR_EQ(test, qp->send_cq, &world->cq[2]);
	KUNIT_EXPECT_PTR_EQ(test, world->tx.moder.cq, &world->cq[2]);
	KUNIT_EXPECT_EQ(test, world->cqs, 2);
	ipoib_qp_exit(qp);
	nothing_is_left(test);
}

/* The last change was to this state, with no more than that. */
static void changed(struct kunit *test, enum ib_qp_state state, int mask)
{
	const struct ib_qp_attr *attr = &world->attrs[world->changes - 1];

	KUNIT_EXPECT_EQ(test, attr->qp_state, state);
	KUNIT_EXPECT_EQ(test, world->masks[world->changes - 1], IB_QP_STATE | mask);
}

static void no_packet_comes_in_before_it_has_its_qkey(struct kunit *test)
{
	struct ipoib_qp *qp = &world->qp;

	KUNIT_EXPECT_EQ(test, ipoib_qp_arm(qp, 7), 0);
	changed(test, IB_QPS_INIT, IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_QKEY);
	KUNIT_EXPECT_EQ(test, world->attrs[0].pkey_index, 7);
	KUNIT_EXPECT_EQ(test, world->attrs[0].port_num, 2);
	KUNIT_EXPECT_EQ(test, world->attrs[0].qkey, 0);
	KUNIT_EXPECT_EQ(test, ipoib_qp_start(qp, 7, 0xb1b), 0);
	KUNIT_EXPECT_EQ(test, world->changes, 3);
	KUNIT_EXPECT_EQ(test, world->attrs[1].qp_state, IB_QPS_RTR);
	KUNIT_EXPECT_EQ(test, world->masks[1], IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_QKEY);
	KUNIT_EXPECT_EQ(test, world->attrs[1].pkey_index, 7);
	KUNIT_EXPECT_EQ(test, world->attrs[1].qkey, 0xb1b);
	changed(test, IB_QPS_RTS, IB_QP_SQ_PSN);
}

static void completions_from_before_the_reset_take_no_room(struct kunit *test)
{
	struct ipoib_qp *qp = &world->qp;

	KUNIT_ASSERT_EQ(test, ipoib_qp_init(qp), 0);
	world->left[0] = IPOIB_UD_TX_SLOTS;
	world->left[1] = 511;
	KUNIT_EXPECT_EQ(test, ipoib_qp_arm(qp, 7), 0);
	KUNIT_EXPECT_EQ(test, world->left[0], 0);
	KUNIT_EXPECT_EQ(test, world->left[1], 0);
	/* An HCA that has more than there is room for is sick, and waited for no longer. */
	world->left[1] = INT_MAX;
	KUNIT_EXPECT_EQ(test, ipoib_qp_arm(qp, 7), 0);
	KUNIT_EXPECT_EQ(test, world->left[1], INT_MAX - 512);
	ipoib_qp_exit(qp);
}

static void the_first_refusal_is_the_answer(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		world->changes = 0;
		world->fails_at = i;
		KUNIT_EXPECT_EQ(test, ipoib_qp_start(&world->qp, 7, 0xb1b), -EIO);
		KUNIT_EXPECT_EQ(test, world->changes, i);
	}
}

static void other_states_need_no_more_than_their_name(struct kunit *test)
{
	struct ipoib_qp *qp = &world->qp;

	KUNIT_EXPECT_EQ(test, ipoib_qp_resume(qp), 0);
	changed(test, IB_QPS_RTS, IB_QP_CUR_STATE);
	KUNIT_EXPECT_EQ(test, world->attrs[0].cur_qp_state, IB_QPS_SQE);
	KUNIT_EXPECT_EQ(test, ipoib_qp_move(qp, IB_QPS_ERR), 0);
	changed(test, IB_QPS_ERR, 0);
	KUNIT_EXPECT_EQ(test, ipoib_qp_move(qp, IB_QPS_RESET), 0);
	changed(test, IB_QPS_RESET, 0);
}

static void only_sends_have_failed_if_the_hca_says_so(struct kunit *test)
{
	world->state = IB_QPS_SQE;
	KUNIT_EXPECT_TRUE(test, ipoib_qp_only_sends_failed(&world->qp));
	world->mute = true;
	KUNIT_EXPECT_FALSE(test, ipoib_qp_only_sends_failed(&world->qp));
	world->mute = false;
	world->state = IB_QPS_ERR;
	KUNIT_EXPECT_FALSE(test, ipoib_qp_only_sends_failed(&world->qp));
}

static void a_kind_works_unless_the_hca_refuses_it(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, ipoib_qp_type_works(&world->pd, IB_QPT_UC));
	KUNIT_EXPECT_EQ(test, world->created.qp_type, IB_QPT_UC);
	nothing_is_left(test);
	world->no_qp = -EOPNOTSUPP;
	KUNIT_EXPECT_FALSE(test, ipoib_qp_type_works(&world->pd, IB_QPT_UC));
	/* Without memory nobody knows. */
	world->no_qp = -ENOMEM;
	KUNIT_EXPECT_TRUE(test, ipoib_qp_type_works(&world->pd, IB_QPT_UC));
	world->no_qp = -EOPNOTSUPP;
	world->no_cq_after = world->cqs_made;
	KUNIT_EXPECT_TRUE(test, ipoib_qp_type_works(&world->pd, IB_QPT_UC));
	nothing_is_left(test);
}

static void event(enum ib_event_type type)
{
	struct ib_event event = { .event = type };

	qp_event(&event, &world->qp);
}

static void who_has_it_is_told_that_it_has_failed(struct kunit *test)
{
	static const enum ib_event_type bad[] = {
		IB_EVENT_QP_FATAL, IB_EVENT_QP_REQ_ERR, IB_EVENT_QP_ACCESS_ERR,
	};
	unsigned int i;

	event(IB_EVENT_COMM_EST);
	event(IB_EVENT_SQ_DRAINED);
	KUNIT_EXPECT_EQ(test, world->tx_failed, 0);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		event(bad[i]);
		KUNIT_EXPECT_EQ(test, world->tx_failed, i + 1);
	}
	/* A completion queue that fails takes the address along, or a channel only. */
	qp_cq_event(NULL, &world->qp);
	KUNIT_EXPECT_EQ(test, world->kicked, BIT(IPOIB_DEV_CQ_FAILED));
	KUNIT_EXPECT_EQ(test, world->tx_failed, i);
	world->kicked = 0;
	world->qp.rx = NULL;
	qp_cq_event(NULL, &world->qp);
	KUNIT_EXPECT_EQ(test, world->kicked, 0);
	KUNIT_EXPECT_EQ(test, world->tx_failed, i + 1);
}

static void vectors_are_taken_in_turn(struct kunit *test)
{
	u32 first = ipoib_qp_vector(&world->ibdev);
	unsigned int i;

	KUNIT_EXPECT_LT(test, first, 3);
	for (i = 1; i < 7; i++)
		KUNIT_EXPECT_EQ(test, ipoib_qp_vector(&world->ibdev), (first + i) % 3);
	/* Another device takes no turn of this one. */
	world->ibdev.index = 1;
	ipoib_qp_vector(&world->ibdev);
	world->ibdev.index = 0;
	KUNIT_EXPECT_EQ(test, ipoib_qp_vector(&world->ibdev), (first + i) % 3);
}

/* No interrupt tells of a completion that came before the queue was armed. */
static void what_came_before_the_queue_was_armed_is_polled(struct kunit *test)
{
	armed = 0;
	scheduled = 0;
	missed = 1;
	KUNIT_EXPECT_EQ(test, ipoib_poll_end(NULL, NULL, 3, 3), 3);
	polls_on = true;
	KUNIT_EXPECT_EQ(test, ipoib_poll_end(NULL, NULL, 2, 3), 2);
	polls_on = false;
	KUNIT_EXPECT_EQ(test, armed, 0);
	missed = 0;
	KUNIT_EXPECT_EQ(test, ipoib_poll_end(NULL, NULL, 2, 3), 2);
	KUNIT_EXPECT_EQ(test, armed, IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS);
	KUNIT_EXPECT_EQ(test, scheduled, 0);
	missed = 1;
	KUNIT_EXPECT_EQ(test, ipoib_poll_end(NULL, NULL, 0, 3), 0);
	KUNIT_EXPECT_EQ(test, scheduled, 1);
}

static struct kunit_case qp_test_cases[] = {
	KUNIT_CASE(one_that_receives_has_two_completion_queues),
	KUNIT_CASE(one_that_only_sends_has_one),
	KUNIT_CASE(it_is_asked_for_what_the_hca_can_do),
	KUNIT_CASE(what_cannot_be_made_leaves_nothing),
	KUNIT_CASE(another_one_takes_its_place_or_it_stays),
	KUNIT_CASE(no_packet_comes_in_before_it_has_its_qkey),
	KUNIT_CASE(completions_from_before_the_reset_take_no_room),
	KUNIT_CASE(the_first_refusal_is_the_answer),
	KUNIT_CASE(other_states_need_no_more_than_their_name),
	KUNIT_CASE(only_sends_have_failed_if_the_hca_says_so),
	KUNIT_CASE(a_kind_works_unless_the_hca_refuses_it),
	KUNIT_CASE(who_has_it_is_told_that_it_has_failed),
	KUNIT_CASE(vectors_are_taken_in_turn),
	KUNIT_CASE(what_came_before_the_queue_was_armed_is_polled),
	{}
};

static struct kunit_suite qp_test_suite = {
	.name = "ipoib_qp",
	.init = qp_test_init,
	.test_cases = qp_test_cases,
};

kunit_test_suite(qp_test_suite);

MODULE_DESCRIPTION("Tests of the UD queue pairs of IPoIB");
MODULE_LICENSE("GPL");
