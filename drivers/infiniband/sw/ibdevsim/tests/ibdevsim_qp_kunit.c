// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>

#include "../qpfsm.c"
#include "../psn.c"

static void nothing_in_reset_and_beyond(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ibds_qp_rights(IB_QPS_RESET), 0u);
	KUNIT_EXPECT_EQ(test, ibds_qp_rights(IB_QPS_ERR + 1), 0u);
	KUNIT_EXPECT_EQ(test, ibds_qp_rights(~0u), 0u);
}

static void only_rts_sends(struct kunit *test)
{
	unsigned int state;

	for (state = IB_QPS_RESET; state <= IB_QPS_ERR; state++)
		KUNIT_EXPECT_EQ(test, !!(ibds_qp_rights(state) & IBDS_QP_SEND),
				state == IB_QPS_RTS);
}

static void receives_from_rtr_to_sqe(struct kunit *test)
{
	unsigned int state;

	for (state = IB_QPS_RESET; state <= IB_QPS_ERR; state++)
		KUNIT_EXPECT_EQ(test,
				!!(ibds_qp_rights(state) & IBDS_QP_RECEIVE),
				state >= IB_QPS_RTR && state <= IB_QPS_SQE);
}

/* What is posted is sent, or waits, or is flushed; never lost. */
static void what_is_posted_ends(struct kunit *test)
{
	unsigned int state;

	for (state = IB_QPS_RESET; state <= IB_QPS_ERR; state++) {
		unsigned int r = ibds_qp_rights(state);

		if (!(r & IBDS_QP_POST_SEND) || state == IB_QPS_SQD)
			continue;
		KUNIT_EXPECT_NE(test, r & (IBDS_QP_SEND | IBDS_QP_FLUSH_SEND),
				0u);
	}
	KUNIT_EXPECT_TRUE(test, ibds_qp_rights(IB_QPS_ERR) & IBDS_QP_FLUSH_RECV);
	KUNIT_EXPECT_FALSE(test, ibds_qp_rights(IB_QPS_SQE) & IBDS_QP_FLUSH_RECV);
}

static void psn_wraps(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ibds_psn_diff(0, 0xffffff), 1);
	KUNIT_EXPECT_EQ(test, ibds_psn_diff(0xffffff, 0), -1);
	KUNIT_EXPECT_EQ(test, ibds_psn_diff(5, 5), 0);
	KUNIT_EXPECT_EQ(test, ibds_psn_diff(0x7fffff, 0), 0x7fffff);
	KUNIT_EXPECT_EQ(test, ibds_psn_add(0xffffff, 2), 1u);
	KUNIT_EXPECT_EQ(test, ibds_psn_add(0, -1), 0xffffffu);
}

static void messages_into_packets(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ibds_packets(0, 12), 1u);
	KUNIT_EXPECT_EQ(test, ibds_packets(1, 12), 1u);
	KUNIT_EXPECT_EQ(test, ibds_packets(4096, 12), 1u);
	KUNIT_EXPECT_EQ(test, ibds_packets(4097, 12), 2u);
	KUNIT_EXPECT_EQ(test, ibds_packets(65536, 12), 16u);
	KUNIT_EXPECT_EQ(test, ibds_packets(65536, 8), 256u);
}

static void timers_of_the_specification(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ibds_rnr_nsec(0), 655350000ull);
	KUNIT_EXPECT_EQ(test, ibds_rnr_nsec(1), 10000ull);
	KUNIT_EXPECT_EQ(test, ibds_rnr_nsec(12), 640000ull);
	KUNIT_EXPECT_EQ(test, ibds_rnr_nsec(31), 491520000ull);
	KUNIT_EXPECT_EQ(test, ibds_ack_nsec(0), 0ull);
	KUNIT_EXPECT_EQ(test, ibds_ack_nsec(14), 67108864ull);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(nothing_in_reset_and_beyond),
	KUNIT_CASE(only_rts_sends),
	KUNIT_CASE(receives_from_rtr_to_sqe),
	KUNIT_CASE(what_is_posted_ends),
	KUNIT_CASE(psn_wraps),
	KUNIT_CASE(messages_into_packets),
	KUNIT_CASE(timers_of_the_specification),
	{ }
};

static struct kunit_suite suite = {
	.name = "ibdevsim_qp",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("Tests of queue pair states and sequence numbers");
MODULE_LICENSE("GPL");
