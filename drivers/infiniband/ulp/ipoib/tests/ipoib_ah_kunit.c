// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

/* The provider: it counts. */
static unsigned int destroyed;

/* How often work was queued */
static unsigned int queued;

#define mod_delayed_work(...)	(queued++, mod_delayed_work(__VA_ARGS__))

static struct ib_ah *create_ah(struct ib_pd *pd, struct rdma_ah_attr *attr, u32 flags)
{
	static struct ib_ah ah;

	return &ah;
}

static int destroy_ah(struct ib_ah *ah, u32 flags)
{
	destroyed++;
	return 0;
}

#define rdma_create_ah create_ah
#define rdma_destroy_ah destroy_ah
#include "../ah.c"
#undef rdma_create_ah
#undef rdma_destroy_ah

#define RINGS	3
#define SLOTS	16

void ipoib_object_created(enum ipoib_object kind)
{
}

void ipoib_object_destroyed(enum ipoib_object kind)
{
}

/* An interface that sends by several rings */
struct sender {
	struct ipoib_usecnt users;
	struct ipoib_ah_bin bin;
	struct ipoib_txring rings[RINGS];
};

static int ah_test_init(struct kunit *test)
{
	struct sender *sender = kunit_kzalloc(test, sizeof(*sender), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, sender);
	destroyed = 0;
	ipoib_usecnt_init(&sender->users);
	sender->bin.users = &sender->users;
	sender->bin.wq = system_long_wq;
	ipoib_ah_bin_init(&sender->bin);
	for (i = 0; i < RINGS; i++) {
		ipoib_ring_init(&sender->rings[i].ring, SLOTS);
		/* The indices wrap in the middle of what follows. */
		sender->rings[i].ring.head = (u32)-3;
		sender->rings[i].ring.tail = (u32)-3;
		ipoib_ah_bin_add_ring(&sender->bin, &sender->rings[i]);
	}
	test->priv = sender;
	return 0;
}

static void ah_test_exit(struct kunit *test)
{
	struct sender *sender = test->priv;
	int i;

	for (i = 0; i < RINGS; i++)
		sender->rings[i].ring.tail = sender->rings[i].ring.head;
	ipoib_ah_bin_reap(&sender->bin);
	ipoib_usecnt_drain(&sender->users);
	ipoib_ah_bin_exit(&sender->bin);
}

static void sends(struct kunit *test, int ring, u32 packets)
{
	struct sender *sender = test->priv;

	ipoib_ring_push(&sender->rings[ring].ring, packets);
}

/* Each poll that takes packets off its ring has the bin reaped. */
static void completes(struct kunit *test, int ring, u32 packets)
{
	struct sender *sender = test->priv;

	ipoib_ring_pop(&sender->rings[ring].ring, packets);
	ipoib_ah_bin_reap(&sender->bin);
	flush_delayed_work(&sender->bin.reap);
}

/* A peer gets another handle, and no sender can find the one that it had. */
static void retires(struct kunit *test)
{
	struct sender *sender = test->priv;
	struct rdma_ah_attr attr = {};
	struct ipoib_ah *ah = ipoib_ah_new(NULL, &attr);

	KUNIT_ASSERT_FALSE(test, IS_ERR(ah));
	ipoib_ah_retire(&sender->bin, ah);
	rcu_barrier();
	flush_delayed_work(&sender->bin.reap);
}

static void handle_that_no_send_uses_goes_at_once(struct kunit *test)
{
	retires(test);
	KUNIT_EXPECT_EQ(test, destroyed, 1u);
}

static void handle_stays_until_its_sends_have_completed(struct kunit *test)
{
	int ring;

	for (ring = 0; ring < RINGS; ring++) {
		destroyed = 0;
		sends(test, ring, 5);
		retires(test);
		completes(test, ring, 4);
		KUNIT_EXPECT_EQ_MSG(test, destroyed, 0u, "ring %d", ring);
		completes(test, ring, 1);
		KUNIT_EXPECT_EQ_MSG(test, destroyed, 1u, "ring %d", ring);
	}
}

static void while_a_handle_waits_not_each_poll_has_it_looked_at(struct kunit *test)
{
	struct sender *sender = test->priv;
	int i;

	sends(test, 0, 1);
	sends(test, 1, 10);
	retires(test);
	queued = 0;
	for (i = 0; i < 10; i++) {
		ipoib_ring_pop(&sender->rings[1].ring, 1);
		ipoib_ah_bin_reap(&sender->bin);
	}
	/* One, but for a CPU that was away. */
	KUNIT_EXPECT_LT(test, queued, 5);
	flush_delayed_work(&sender->bin.reap);
	KUNIT_EXPECT_EQ(test, destroyed, 0u);
	queued = 0;
	completes(test, 0, 1);
	KUNIT_EXPECT_EQ(test, queued, 1);
	KUNIT_EXPECT_EQ(test, destroyed, 1u);
}

static void handle_goes_when_its_sends_are_old_and_nothing_tells_of_them(struct kunit *test)
{
	struct sender *sender = test->priv;

	sends(test, 1, 5);
	sender->rings[1].mute = 2;
	sender->rings[1].asked = jiffies - SEND_TIME - 2;
	retires(test);
	KUNIT_EXPECT_EQ(test, destroyed, 0u);
	/* What is left will have no completion, but may be on its way. */
	sender->rings[1].asked = jiffies;
	completes(test, 1, 3);
	KUNIT_EXPECT_EQ(test, destroyed, 0u);
	sender->rings[1].asked = jiffies - SEND_TIME - 2;
	flush_delayed_work(&sender->bin.reap);
	KUNIT_EXPECT_EQ(test, destroyed, 1u);
}

static void handle_stays_while_any_ring_has_sends(struct kunit *test)
{
	int first;

	for (first = 0; first < RINGS; first++) {
		destroyed = 0;
		sends(test, 0, 2);
		sends(test, 1, 2);
		sends(test, 2, 2);
		retires(test);
		completes(test, first, 2);
		completes(test, (first + 1) % RINGS, 2);
		completes(test, (first + 2) % RINGS, 1);
		KUNIT_EXPECT_EQ_MSG(test, destroyed, 0u, "ring %d first", first);
		completes(test, (first + 2) % RINGS, 1);
		KUNIT_EXPECT_EQ_MSG(test, destroyed, 1u, "ring %d first", first);
	}
}

static void busy_rings_keep_no_handle(struct kunit *test)
{
	int ring;

	for (ring = 0; ring < RINGS; ring++)
		sends(test, ring, 4);
	retires(test);
	for (ring = 0; ring < RINGS; ring++) {
		KUNIT_EXPECT_EQ(test, destroyed, 0u);
		sends(test, ring, 4);
		completes(test, ring, 4);
	}
	KUNIT_EXPECT_EQ(test, destroyed, 1u);
}

static void each_handle_goes_for_itself(struct kunit *test)
{
	sends(test, 1, 1);
	retires(test);
	sends(test, 1, 1);
	retires(test);
	completes(test, 1, 1);
	KUNIT_EXPECT_EQ(test, destroyed, 1u);
	completes(test, 1, 1);
	KUNIT_EXPECT_EQ(test, destroyed, 2u);
}

static struct kunit_case ah_cases[] = {
	KUNIT_CASE(handle_that_no_send_uses_goes_at_once),
	KUNIT_CASE(handle_stays_until_its_sends_have_completed),
	KUNIT_CASE(while_a_handle_waits_not_each_poll_has_it_looked_at),
	KUNIT_CASE(handle_goes_when_its_sends_are_old_and_nothing_tells_of_them),
	KUNIT_CASE(handle_stays_while_any_ring_has_sends),
	KUNIT_CASE(busy_rings_keep_no_handle),
	KUNIT_CASE(each_handle_goes_for_itself),
	{}
};

static struct kunit_suite ah_suite = {
	.name		= "ipoib_ah",
	.init		= ah_test_init,
	.exit		= ah_test_exit,
	.test_cases	= ah_cases,
};

kunit_test_suite(ah_suite);

MODULE_DESCRIPTION("KUnit tests of address handles");
MODULE_LICENSE("GPL");
