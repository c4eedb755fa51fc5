// SPDX-License-Identifier: GPL-2.0
/* How the queue pair of a connection is made, connected and freed: the HCA is this file. */
#include <kunit/test.h>
#include <rdma/ib_cm.h>

#include "../conn_set.h"
#include "../device.h"

static struct ib_qp *create_qp(const struct ib_qp_init_attr *attr);
static int modify_qp(const struct ib_qp_attr *attr, int mask);
static int attr_of(struct ib_qp_attr *attr, int *mask);

#define ib_create_qp(_pd, _attr)		((void)(_pd), create_qp(_attr))
#define ib_destroy_qp(_qp)			(world->qps--)
#define ib_modify_qp(_qp, _attr, _mask)		((void)(_qp), modify_qp(_attr, _mask))
#define ib_cm_init_qp_attr(_id, _attr, _mask)	((void)(_id), attr_of(_attr, _mask))

/**
 * struct world - a connection and its HCA
 * @idev: the interface
 * @set: its connections
 * @rx: what they receive by
 * @tx: what they send with
 * @bundle: the one that they are in
 * @send_cq: completions of what they send
 * @conn: the connection
 * @ibdev: the HCA
 * @pd: its protection domain
 * @qp: the queue pair
 * @srq: the shared receive queue
 * @qps: queue pairs that there are
 * @rings: users of the queues
 * @slots: slots of its send ring
 * @hashed: connections that completions find
 * @running: receive queues of their own that run
 * @drained: how often one was drained
 * @created: what the queue pair was made with
 * @attrs: what it was changed to, in order
 * @masks: which of it
 * @changes: how often
 * @fails_at: which change fails
 * @cm_fails: the CM does not say where the other end is
 * @ah: address of the other end, as the CM has it
 * @rd_atomic: RDMA reads that the peer wants at a time
 * @no_qp: there is no room for another one
 * @kicked: what the connection was told
 * @closed: why it is closed
 */
static struct world {
	struct ipoib_dev *idev;
	struct ipoib_conn_set *set;
	struct ipoib_conn_rx rx;
	struct ipoib_conn_tx tx;
	struct ipoib_bundle bundle;
	struct ib_cq send_cq;
	struct ipoib_conn conn;
	struct ib_device ibdev;
	struct ib_pd pd;
	struct ib_qp qp;
	struct ib_srq srq;
	int qps;
	int rings;
	unsigned int slots;
	int hashed;
	int running;
	unsigned int drained;
	struct ib_qp_init_attr created;
	struct ib_qp_attr attrs[8];
	int masks[8];
	unsigned int changes;
	unsigned int fails_at;
	bool cm_fails;
	struct rdma_ah_attr ah;
	u8 rd_atomic;
	bool no_qp;
	unsigned long kicked;
	int closed;
} *world;

#include "../conn_qp.c"

static struct ib_qp *create_qp(const struct ib_qp_init_attr *attr)
{
	if (world->no_qp)
		return ERR_PTR(-ENOSPC);
	world->created = *attr;
	world->qps++;
	return &world->qp;
}

static int modify_qp(const struct ib_qp_attr *attr, int mask)
{
	if (world->changes == world->fails_at)
		return -EIO;
	world->attrs[world->changes] = *attr;
	world->masks[world->changes++] = mask;
	/* The HCA has let go of the shared queue. */
	if (attr->qp_state == IB_QPS_ERR)
		complete(&world->conn.last_wqe);
	return 0;
}

/* The CM knows an alternate path, and what the peer has chosen. */
static int attr_of(struct ib_qp_attr *attr, int *mask)
{
	if (world->cm_fails)
		return -EINVAL;
	attr->rq_psn = 7;
	attr->max_rd_atomic = world->rd_atomic;
	attr->max_dest_rd_atomic = world->rd_atomic;
	attr->ah_attr = world->ah;
	attr->alt_ah_attr = world->ah;
	attr->timeout = 20;
	attr->alt_timeout = 20;
	attr->retry_cnt = 1;
	attr->rnr_retry = 1;
	*mask = IB_QP_STATE | (attr->qp_state == IB_QPS_RTR ? IB_QP_ALT_PATH :
							      IB_QP_PATH_MIG_STATE);
	return 0;
}

/* ---- what conn_qp.c calls of the driver -------------------------------- */

void ipoib_object_created(enum ipoib_object kind)
{
}

void ipoib_object_destroyed(enum ipoib_object kind)
{
}

void ipoib_conn_close(struct ipoib_conn *conn, int err)
{
	world->closed = err;
}

void ipoib_conn_kick(struct ipoib_conn *conn, enum ipoib_conn_pending what)
{
	world->kicked |= BIT(what);
}

int ipoib_conn_queues_get(struct ipoib_conn *conn)
{
	world->rings++;
	conn->rx = &world->rx;
	return 0;
}

void ipoib_conn_queues_put(struct ipoib_conn *conn)
{
	world->rings--;
	conn->rx = NULL;
}

void ipoib_conn_set_hash(struct ipoib_conn *conn)
{
	world->hashed++;
}

void ipoib_conn_set_unhash(struct ipoib_conn *conn)
{
	world->hashed--;
}

void ipoib_conn_rx_run(struct ipoib_conn_rx *rx, struct ib_qp *qp)
{
	world->running++;
}

void ipoib_conn_rx_halt(struct ipoib_conn_rx *rx)
{
	world->running--;
}

void ipoib_conn_rx_drain(struct ipoib_conn_rx *rx)
{
	world->drained++;
}

int ipoib_txring_alloc(struct ipoib_txring *tx, u32 slots)
{
	world->slots += slots;
	return 0;
}

void ipoib_txring_free(struct ipoib_txring *tx)
{
	world->slots = 0;
}

void ipoib_txring_purge(struct ipoib_txring *tx, struct ipoib_tx_done *done)
{
}

/* ---- cases ------------------------------------------------------------- */

static int conn_qp_test_init(struct kunit *test)
{
	struct ipoib_conn *conn;

	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world);
	world->idev = kunit_kzalloc(test, sizeof(*world->idev), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world->idev);
	world->set = kunit_kzalloc(test, sizeof(*world->set), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world->set);
	world->fails_at = UINT_MAX;
	world->ibdev.attrs.max_send_sge = 5;
	world->pd.device = &world->ibdev;
	world->idev->config.pd = &world->pd;
	world->idev->fabric.port = 2;
	world->set->idev = world->idev;
	world->set->pkey_index = 3;
	world->tx.bundle = &world->bundle;
	world->tx.cq = &world->send_cq;
	world->set->opens = true;
	world->rx.srq = &world->srq;
	world->rx.nslots = 16;
	world->rx.pages = 9;
	world->qp.qp_num = 0x321;
	conn = &world->conn;
	conn->set = world->set;
	conn->tx = &world->tx;
	conn->id = 77;
	conn->type = IB_QPT_RC;
	conn->active = true;
	init_completion(&conn->last_wqe);
	return 0;
}

static void conn_qp_test_exit(struct kunit *test)
{
	if (!world || !world->set)
		return;
	ipoib_conn_qp_free(&world->conn);
	KUNIT_EXPECT_EQ(test, world->qps, 0);
	KUNIT_EXPECT_EQ(test, world->rings, 0);
	KUNIT_EXPECT_EQ(test, world->hashed, 0);
	KUNIT_EXPECT_EQ(test, world->running, 0);
	KUNIT_EXPECT_NULL(test, world->conn.qp);
}

static void a_queue_pair_is_made_for_what_goes_by_it(struct kunit *test)
{
	struct ipoib_conn *conn = &world->conn;

	KUNIT_EXPECT_EQ(test, ipoib_conn_qp_new(conn), 0);
	KUNIT_EXPECT_EQ(test, world->created.qp_type, IB_QPT_RC);
	KUNIT_EXPECT_PTR_EQ(test, world->created.send_cq, &world->send_cq);
	KUNIT_EXPECT_PTR_EQ(test, conn->ring.stats, &world->bundle.stats);
	KUNIT_EXPECT_EQ(test, world->created.cap.max_send_wr, IPOIB_CONN_SLOTS);
	KUNIT_EXPECT_EQ(test, world->created.cap.max_send_sge, 5);
	KUNIT_EXPECT_EQ(test, world->created.cap.max_recv_wr, 0);
	KUNIT_EXPECT_PTR_EQ(test, world->created.srq, &world->srq);
	KUNIT_EXPECT_EQ(test, conn->qpn, 0x321);
	KUNIT_EXPECT_EQ(test, conn->ring.epoch, 77);
	KUNIT_EXPECT_EQ(test, conn->ring.max_sge, 5);
	KUNIT_EXPECT_EQ(test, world->slots, IPOIB_CONN_SLOTS);
	KUNIT_EXPECT_EQ(test, world->running, 0);
	KUNIT_EXPECT_EQ(test, world->attrs[0].qp_state, IB_QPS_INIT);
	KUNIT_EXPECT_EQ(test, world->attrs[0].pkey_index, 3);
	KUNIT_EXPECT_EQ(test, world->attrs[0].port_num, 2);
	KUNIT_EXPECT_EQ(test, world->masks[0], IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT |
					       IB_QP_ACCESS_FLAGS);
}

static void one_by_which_only_the_peer_sends_needs_no_ring(struct kunit *test)
{
	world->conn.active = false;
	world->conn.service = IPOIB_SERVICE_LINUX;
	KUNIT_EXPECT_EQ(test, ipoib_conn_qp_new(&world->conn), 0);
	KUNIT_EXPECT_EQ(test, world->created.cap.max_send_wr, 1);
	KUNIT_EXPECT_EQ(test, world->slots, 0);
}

static void without_a_shared_queue_it_has_its_own(struct kunit *test)
{
	world->rx.srq = NULL;
	KUNIT_EXPECT_EQ(test, ipoib_conn_qp_new(&world->conn), 0);
	KUNIT_EXPECT_EQ(test, world->created.cap.max_recv_wr, 16);
	KUNIT_EXPECT_EQ(test, world->created.cap.max_recv_sge, 9);
	KUNIT_EXPECT_EQ(test, world->running, 1);
}

static void the_hca_gives_back_buffers_of_a_shared_queue_first(struct kunit *test)
{
	struct ipoib_conn *conn = &world->conn;

	/* One that was never connected has none. */
	KUNIT_EXPECT_EQ(test, ipoib_conn_qp_new(conn), 0);
	ipoib_conn_qp_free(conn);
	KUNIT_EXPECT_EQ(test, world->drained, 0);
	KUNIT_EXPECT_EQ(test, world->attrs[1].qp_state, IB_QPS_RESET);
	KUNIT_EXPECT_EQ(test, ipoib_conn_qp_new(conn), 0);
	conn->connected = true;
	ipoib_conn_qp_free(conn);
	KUNIT_EXPECT_EQ(test, world->drained, 1);
	/* It was waited for. */
	KUNIT_EXPECT_FALSE(test, completion_done(&conn->last_wqe));
	KUNIT_EXPECT_EQ(test, world->attrs[3].qp_state, IB_QPS_ERR);
	KUNIT_EXPECT_EQ(test, world->attrs[4].qp_state, IB_QPS_RESET);
	KUNIT_EXPECT_EQ(test, world->changes, 5);
	/* A queue of its own goes with it. */
	world->rx.srq = NULL;
	KUNIT_EXPECT_EQ(test, ipoib_conn_qp_new(conn), 0);
	ipoib_conn_qp_free(conn);
	KUNIT_EXPECT_EQ(test, world->drained, 1);
	KUNIT_EXPECT_EQ(test, world->changes, 7);
}

static void one_that_cannot_be_made_leaves_nothing(struct kunit *test)
{
	world->no_qp = true;
	KUNIT_EXPECT_EQ(test, ipoib_conn_qp_new(&world->conn), -ENOSPC);
	KUNIT_EXPECT_EQ(test, world->rings, 0);
	KUNIT_EXPECT_EQ(test, world->slots, 0);
	/* Or does not become what it should. */
	world->no_qp = false;
	world->fails_at = 0;
	KUNIT_EXPECT_EQ(test, ipoib_conn_qp_new(&world->conn), -EIO);
}

static void our_own_times_and_counts_are_used(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, ipoib_conn_qp_new(&world->conn), 0);
	KUNIT_EXPECT_EQ(test, ipoib_conn_qp_connect(&world->conn, NULL, false, 9), 0);
	KUNIT_EXPECT_EQ(test, world->changes, 3);
	KUNIT_EXPECT_EQ(test, world->attrs[1].qp_state, IB_QPS_RTR);
	KUNIT_EXPECT_EQ(test, world->attrs[1].rq_psn, 7);
	KUNIT_EXPECT_EQ(test, world->attrs[1].min_rnr_timer, RNR_TIMER);
	KUNIT_EXPECT_EQ(test, world->attrs[1].alt_timeout, ACK_TIMEOUT);
	/* There is no alternate path, whatever the CM says. */
	KUNIT_EXPECT_EQ(test, world->masks[1], IB_QP_STATE | IB_QP_MIN_RNR_TIMER);
	KUNIT_EXPECT_TRUE(test, world->conn.connected);
	KUNIT_EXPECT_EQ(test, world->attrs[2].qp_state, IB_QPS_RTS);
	KUNIT_EXPECT_EQ(test, world->attrs[2].timeout, ACK_TIMEOUT);
	KUNIT_EXPECT_EQ(test, world->attrs[2].retry_cnt, IPOIB_CONN_RETRIES);
	KUNIT_EXPECT_EQ(test, world->attrs[2].rnr_retry, IPOIB_CONN_RNR_RETRIES);
	KUNIT_EXPECT_EQ(test, world->masks[2], IB_QP_STATE);
}

static void who_answers_knows_the_first_packet_of_the_peer(struct kunit *test)
{
	world->conn.type = IB_QPT_UC;
	world->conn.alt_state = IPOIB_CONN_ALT_LOADED;
	KUNIT_ASSERT_EQ(test, ipoib_conn_qp_new(&world->conn), 0);
	KUNIT_EXPECT_EQ(test, ipoib_conn_qp_connect(&world->conn, NULL, true, 9), 0);
	KUNIT_EXPECT_EQ(test, world->attrs[1].rq_psn, 9);
	KUNIT_EXPECT_EQ(test, world->attrs[1].min_rnr_timer, 0);
	KUNIT_EXPECT_EQ(test, world->masks[1], IB_QP_STATE | IB_QP_ALT_PATH);
	KUNIT_EXPECT_EQ(test, world->masks[2], IB_QP_STATE | IB_QP_PATH_MIG_STATE);
}

static void what_a_peer_may_not_choose_it_does_not(struct kunit *test)
{
	struct ipoib_conn *conn = &world->conn;

	conn->active = false;
	conn->path.rec_type = SA_PATH_REC_TYPE_IB;
	conn->path.ib.dlid = cpu_to_be16(5);
	world->rd_atomic = 255;
	world->ah.type = RDMA_AH_ATTR_TYPE_IB;
	world->ah.static_rate = 63;
	rdma_ah_set_dlid(&world->ah, 6);
	KUNIT_ASSERT_EQ(test, ipoib_conn_qp_new(conn), 0);
	KUNIT_EXPECT_EQ(test, ipoib_conn_qp_connect(conn, NULL, true, 0), 0);
	/* Packets go where datagrams go, to the LID that the REQ came from. */
	KUNIT_EXPECT_EQ(test, rdma_ah_get_dlid(&world->attrs[1].ah_attr), 5);
	KUNIT_EXPECT_EQ(test, world->attrs[1].ah_attr.static_rate, IB_RATE_PORT_CURRENT);
	KUNIT_EXPECT_EQ(test, world->attrs[1].alt_ah_attr.static_rate, IB_RATE_PORT_CURRENT);
	KUNIT_EXPECT_EQ(test, world->attrs[1].max_dest_rd_atomic, 1);
	KUNIT_EXPECT_EQ(test, world->attrs[2].max_rd_atomic, 1);
}

static void what_the_fabric_says_of_a_peer_is_believed(struct kunit *test)
{
	struct ipoib_conn *conn = &world->conn;

	conn->path.rec_type = SA_PATH_REC_TYPE_IB;
	conn->path.ib.dlid = cpu_to_be16(5);
	world->ah.type = RDMA_AH_ATTR_TYPE_IB;
	world->ah.static_rate = IB_RATE_25_GBPS;
	rdma_ah_set_dlid(&world->ah, 6);
	KUNIT_ASSERT_EQ(test, ipoib_conn_qp_new(conn), 0);
	KUNIT_EXPECT_EQ(test, ipoib_conn_qp_connect(conn, NULL, false, 0), 0);
	KUNIT_EXPECT_EQ(test, rdma_ah_get_dlid(&world->attrs[1].ah_attr), 6);
	KUNIT_EXPECT_EQ(test, world->attrs[1].ah_attr.static_rate, IB_RATE_25_GBPS);
	KUNIT_EXPECT_EQ(test, world->attrs[2].max_rd_atomic, 0);
}

static void a_connection_that_cannot_be_made_says_why(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, ipoib_conn_qp_new(&world->conn), 0);
	world->cm_fails = true;
	KUNIT_EXPECT_EQ(test, ipoib_conn_qp_connect(&world->conn, NULL, false, 0), -EINVAL);
	world->cm_fails = false;
	world->fails_at = 1;
	KUNIT_EXPECT_EQ(test, ipoib_conn_qp_connect(&world->conn, NULL, false, 0), -EIO);
	KUNIT_EXPECT_FALSE(test, world->conn.connected);
	world->fails_at = 2;
	KUNIT_EXPECT_EQ(test, ipoib_conn_qp_connect(&world->conn, NULL, false, 0), -EIO);
	world->fails_at = UINT_MAX;
}

static void what_the_hca_says_of_it_is_passed_on(struct kunit *test)
{
	struct ib_event event = { .event = IB_EVENT_COMM_EST };
	struct ipoib_conn *conn = &world->conn;

	conn_qp_event(&event, conn);
	KUNIT_EXPECT_EQ(test, world->kicked, BIT(IPOIB_CONN_PENDING_DATA));
	event.event = IB_EVENT_PATH_MIG;
	conn_qp_event(&event, conn);
	KUNIT_EXPECT_EQ(test, world->kicked, BIT(IPOIB_CONN_PENDING_DATA) |
					     BIT(IPOIB_CONN_PENDING_PATH));
	event.event = IB_EVENT_PATH_MIG_ERR;
	conn_qp_event(&event, conn);
	KUNIT_EXPECT_EQ(test, world->closed, 0);
	KUNIT_EXPECT_FALSE(test, completion_done(&conn->last_wqe));
	event.event = IB_EVENT_QP_LAST_WQE_REACHED;
	conn_qp_event(&event, conn);
	KUNIT_EXPECT_TRUE(test, completion_done(&conn->last_wqe));
	event.event = IB_EVENT_QP_FATAL;
	conn_qp_event(&event, conn);
	KUNIT_EXPECT_EQ(test, world->closed, -EIO);
}

static struct kunit_case conn_qp_test_cases[] = {
	KUNIT_CASE(a_queue_pair_is_made_for_what_goes_by_it),
	KUNIT_CASE(one_by_which_only_the_peer_sends_needs_no_ring),
	KUNIT_CASE(without_a_shared_queue_it_has_its_own),
	KUNIT_CASE(the_hca_gives_back_buffers_of_a_shared_queue_first),
	KUNIT_CASE(one_that_cannot_be_made_leaves_nothing),
	KUNIT_CASE(our_own_times_and_counts_are_used),
	KUNIT_CASE(who_answers_knows_the_first_packet_of_the_peer),
	KUNIT_CASE(what_a_peer_may_not_choose_it_does_not),
	KUNIT_CASE(what_the_fabric_says_of_a_peer_is_believed),
	KUNIT_CASE(a_connection_that_cannot_be_made_says_why),
	KUNIT_CASE(what_the_hca_says_of_it_is_passed_on),
	{}
};

static struct kunit_suite conn_qp_test_suite = {
	.name = "ipoib_conn_qp",
	.init = conn_qp_test_init,
	.exit = conn_qp_test_exit,
	.test_cases = conn_qp_test_cases,
};

kunit_test_suite(conn_qp_test_suite);

MODULE_DESCRIPTION("Tests of the queue pairs of IPoIB connections");
MODULE_LICENSE("GPL");
