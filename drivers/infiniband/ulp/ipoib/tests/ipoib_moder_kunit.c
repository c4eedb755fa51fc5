// SPDX-License-Identifier: GPL-2.0
/* What a completion queue is set to, without one. */
#include <kunit/test.h>
#include <rdma/ib_verbs.h>

static int set_cq(struct ib_cq *cq, u16 frames, u16 usecs);

#define rdma_set_cq_moderation(_cq, _frames, _usecs)	set_cq(_cq, _frames, _usecs)
#include "../moder.c"

#define MOST_FRAMES	1000
#define MOST_USECS	4000

/* A queue, what it has been set to, and how often. */
static struct queue {
	struct ib_device ibdev;
	struct ib_cq cq;
	struct ipoib_coalesce coalesce;
	struct ipoib_moder moder;
	u16 frames;
	u16 usecs;
	unsigned int times;
	int error;
} *queue;

static int set_cq(struct ib_cq *cq, u16 frames, u16 usecs)
{
	if (queue->error)
		return queue->error;
	queue->frames = frames;
	queue->usecs = usecs;
	queue->times++;
	return 0;
}

static int modify_cq(struct ib_cq *cq, u16 frames, u16 usecs)
{
	return 0;
}

static int moder_test_init(struct kunit *test)
{
	queue = kunit_kzalloc(test, sizeof(*queue), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, queue);
	queue->ibdev.ops.modify_cq = modify_cq;
	queue->ibdev.attrs.cq_caps.max_cq_moderation_count = MOST_FRAMES;
	queue->ibdev.attrs.cq_caps.max_cq_moderation_period = MOST_USECS;
	queue->cq.device = &queue->ibdev;
	ipoib_moder_init(&queue->moder, &queue->coalesce, false);
	return 0;
}

static void moder_test_exit(struct kunit *test)
{
	if (!queue)
		return;
	ipoib_moder_set_cq(&queue->moder, NULL);
	ipoib_moder_exit(&queue->moder);
}

static void becomes(struct kunit *test, u16 usecs, u16 frames)
{
	KUNIT_EXPECT_EQ(test, ipoib_moder_apply(&queue->moder), 0);
	KUNIT_EXPECT_EQ(test, queue->usecs, usecs);
	KUNIT_EXPECT_EQ(test, queue->frames, frames);
}

static void a_queue_becomes_what_is_wished(struct kunit *test)
{
	queue->coalesce.usecs = 30;
	queue->coalesce.frames = 7;
	becomes(test, 0, 0);
	ipoib_moder_set_cq(&queue->moder, &queue->cq);
	KUNIT_EXPECT_EQ(test, queue->times, 1);
	becomes(test, 30, 7);
	/* It is not told what it knows. */
	KUNIT_EXPECT_EQ(test, queue->times, 1);
	queue->coalesce.frames = 8;
	becomes(test, 30, 8);
	queue->coalesce.usecs = 31;
	becomes(test, 31, 8);
	KUNIT_EXPECT_EQ(test, queue->times, 3);
	/* A new one knows nothing. */
	ipoib_moder_set_cq(&queue->moder, &queue->cq);
	KUNIT_EXPECT_EQ(test, queue->times, 4);
	KUNIT_EXPECT_FALSE(test, ipoib_moder_adapts(&queue->moder));
}

static void only_a_time_means_as_many_as_there_are_until_then(struct kunit *test)
{
	ipoib_moder_set_cq(&queue->moder, &queue->cq);
	queue->coalesce.usecs = 30;
	becomes(test, 30, MOST_FRAMES);
	queue->coalesce.usecs = 0;
	becomes(test, 0, 0);
	queue->coalesce.frames = 7;
	becomes(test, 0, 7);
}

static void no_more_is_asked_than_the_device_can(struct kunit *test)
{
	ipoib_moder_set_cq(&queue->moder, &queue->cq);
	queue->coalesce.usecs = MOST_USECS + 1;
	queue->coalesce.frames = MOST_FRAMES + 1;
	becomes(test, MOST_USECS, MOST_FRAMES);
}

static void a_device_that_cannot_is_asked_nothing(struct kunit *test)
{
	struct ib_cq_caps *caps = &queue->ibdev.attrs.cq_caps;

	KUNIT_EXPECT_TRUE(test, ipoib_moder_possible(&queue->ibdev));
	caps->max_cq_moderation_period = 0;
	KUNIT_EXPECT_FALSE(test, ipoib_moder_possible(&queue->ibdev));
	ipoib_moder_set_cq(&queue->moder, &queue->cq);
	queue->coalesce.usecs = 30;
	becomes(test, 0, 0);
	caps->max_cq_moderation_period = 9;
	caps->max_cq_moderation_count = 0;
	KUNIT_EXPECT_FALSE(test, ipoib_moder_possible(&queue->ibdev));
	caps->max_cq_moderation_count = 9;
	queue->ibdev.ops.modify_cq = NULL;
	KUNIT_EXPECT_FALSE(test, ipoib_moder_possible(&queue->ibdev));
	KUNIT_EXPECT_EQ(test, queue->times, 0);
}

static void what_the_device_refuses_is_tried_again(struct kunit *test)
{
	ipoib_moder_set_cq(&queue->moder, &queue->cq);
	queue->coalesce.usecs = 30;
	queue->coalesce.frames = 7;
	queue->error = -EINVAL;
	KUNIT_EXPECT_EQ(test, ipoib_moder_apply(&queue->moder), -EINVAL);
	queue->error = 0;
	becomes(test, 30, 7);
}

static void net_dim_chooses_where_it_is_to(struct kunit *test)
{
	struct dim_cq_moder tx, rx;

	queue->coalesce.usecs = 1;
	queue->coalesce.frames = 1;
	queue->coalesce.adaptive = true;
	ipoib_moder_set_cq(&queue->moder, &queue->cq);
	KUNIT_EXPECT_TRUE(test, ipoib_moder_adapts(&queue->moder));
	queue->moder.dim.profile_ix = 3;
	moder_work(&queue->moder.dim.work);
	KUNIT_EXPECT_TRUE(test, queue->moder.applied);
	rx = net_dim_get_rx_moderation(MODE, 3);
	KUNIT_EXPECT_EQ(test, queue->usecs, rx.usec);
	KUNIT_EXPECT_EQ(test, queue->frames, rx.pkts);
	queue->moder.tx = true;
	tx = net_dim_get_tx_moderation(MODE, 3);
	becomes(test, tx.usec, tx.pkts);
	queue->coalesce.adaptive = false;
	becomes(test, 1, 1);
	KUNIT_EXPECT_FALSE(test, ipoib_moder_adapts(&queue->moder));
}

static void only_a_poll_that_found_the_queue_empty_is_a_sample(struct kunit *test)
{
	struct ipoib_moder *moder = &queue->moder;

	ipoib_moder_sample(moder, 5, 500, false);
	KUNIT_EXPECT_EQ(test, moder->events, 0);
	ipoib_moder_sample(moder, 2, 200, true);
	KUNIT_EXPECT_EQ(test, moder->events, 1);
	KUNIT_EXPECT_EQ(test, moder->packets, 7);
	KUNIT_EXPECT_EQ(test, moder->bytes, 700);
	KUNIT_EXPECT_EQ(test, moder->dim.start_sample.pkt_ctr, 7);
	/* While what was chosen has not been applied, nothing is measured. */
	moder->dim.state = DIM_APPLY_NEW_PROFILE;
	ipoib_moder_sample(moder, 1, 100, true);
	KUNIT_EXPECT_EQ(test, moder->dim.state, DIM_APPLY_NEW_PROFILE);
	moder->applied = true;
	ipoib_moder_sample(moder, 1, 100, true);
	KUNIT_EXPECT_EQ(test, moder->dim.state, DIM_MEASURE_IN_PROGRESS);
	KUNIT_EXPECT_FALSE(test, moder->applied);
	KUNIT_EXPECT_EQ(test, moder->dim.start_sample.pkt_ctr, 9);
}

static struct kunit_case moder_test_cases[] = {
	KUNIT_CASE(a_queue_becomes_what_is_wished),
	KUNIT_CASE(only_a_time_means_as_many_as_there_are_until_then),
	KUNIT_CASE(no_more_is_asked_than_the_device_can),
	KUNIT_CASE(a_device_that_cannot_is_asked_nothing),
	KUNIT_CASE(what_the_device_refuses_is_tried_again),
	KUNIT_CASE(net_dim_chooses_where_it_is_to),
	KUNIT_CASE(only_a_poll_that_found_the_queue_empty_is_a_sample),
	{}
};

static struct kunit_suite moder_test_suite = {
	.name = "ipoib_moder",
	.init = moder_test_init,
	.exit = moder_test_exit,
	.test_cases = moder_test_cases,
};

kunit_test_suite(moder_test_suite);

MODULE_DESCRIPTION("Tests of the moderation of completion queues of IPoIB");
MODULE_LICENSE("GPL");
