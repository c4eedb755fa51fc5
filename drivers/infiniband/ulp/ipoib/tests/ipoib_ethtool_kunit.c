// SPDX-License-Identifier: GPL-2.0
/* What ethtool is told, each counter under its name, and what it may set. */
#include <kunit/test.h>
#include <linux/ethtool.h>
#include <linux/netdevice.h>

#include "../device.h"

#define ib_get_device_fw_str(_dev, _str)	((void)(_dev), strscpy(_str, "1.2", 4))
#include "../ethtool.c"

/* More than there are counters. */
#define COUNTERS	128

/**
 * struct world - an interface
 * @dev: the net_device, whose private part is the interface
 * @idev: the interface
 * @ibdev: its device
 * @txq: the queue of the stack
 * @bundle: all its connections
 * @err: what is said to a setting
 * @offer: what was set
 * @opener_sends: likewise
 * @link_sums: likewise
 * @fallback: likewise
 * @limit: likewise
 * @channels: likewise
 * @rx: likewise
 * @tx: likewise
 * @sets: how often something was set
 * @doubts: how often paths came to be in doubt
 * @queries: how often the port was queried
 * @moderates: the device can moderate
 */
static struct world {
	struct net_device *dev;
	struct ipoib_dev *idev;
	struct ib_device ibdev;
	struct netdev_queue txq;
	struct ipoib_bundle bundle;
	int err;
	unsigned int offer;
	bool opener_sends;
	bool link_sums;
	bool fallback;
	unsigned int limit;
	unsigned int channels;
	struct ipoib_coalesce rx;
	struct ipoib_coalesce tx;
	unsigned int sets;
	unsigned int doubts;
	unsigned int queries;
	bool moderates;
} *world;

/* ---- what ethtool.c calls of the driver -------------------------------- */

int ipoib_dev_conns_set_offer(struct ipoib_dev *idev, unsigned int offer, bool opener_sends,
			      bool link_sums)
{
	if (world->err)
		return world->err;
	world->sets++;
	world->offer = offer;
	world->opener_sends = opener_sends;
	world->link_sums = link_sums;
	return 0;
}

unsigned int ipoib_conn_set_limit_max(const struct ib_device *ibdev)
{
	return 4096;
}

int ipoib_dev_conns_set_limit(struct ipoib_dev *idev, unsigned int limit)
{
	world->limit = limit;
	return 0;
}

int ipoib_dev_chans_set(struct ipoib_dev *idev, unsigned int count)
{
	world->channels = count;
	return 0;
}

void ipoib_dev_doubt_paths(struct ipoib_dev *idev, unsigned long delay)
{
	world->doubts++;
}

u32 ipoib_ud_rx_most(const struct ib_device *ibdev)
{
	return 512;
}

int ipoib_dev_resize_rings(struct ipoib_dev *idev, u32 rx_slots, u32 tx_slots)
{
	world->sets++;
	idev->rx_slots = rx_slots;
	idev->tx_slots = tx_slots;
	return world->err;
}

int ipoib_dev_moderate(struct ipoib_dev *idev, const struct ipoib_coalesce *rx,
		       const struct ipoib_coalesce *tx)
{
	world->sets++;
	world->rx = *rx;
	world->tx = *tx;
	return 0;
}

void ipoib_dev_query_port(struct ipoib_dev *idev)
{
	world->queries++;
}

bool ipoib_moder_possible(const struct ib_device *ibdev)
{
	return world->moderates;
}

void ipoib_mcast_set_to_broadcast(struct ipoib_mcast_set *set, bool to_broadcast)
{
	world->fallback = to_broadcast;
}

const char *ipoib_drop_name(enum ipoib_drop_reason reason)
{
	static char name[16];

	snprintf(name, sizeof(name), "reason%u", reason);
	return name;
}

/* 1000 and more. */
void ipoib_drops_read(const struct ipoib_drops *drops, u64 sum[IPOIB_DROP_COUNT])
{
	unsigned int i;

	for (i = 0; i < IPOIB_DROP_COUNT; i++)
		sum[i] = 1000 + i;
}

/* The counters of a queue are @first and those after it, in the order of their names. */
static void fill(u64_stats_t *count, unsigned int n, u64 first)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		u64_stats_set(&count[i], first + i);
}

void ipoib_tx_stats_add(const struct ipoib_tx_stats *stats, u64 sum[IPOIB_TX_COUNTS])
{
	unsigned int i;

	for (i = 0; i < IPOIB_TX_COUNTS; i++)
		sum[i] += u64_stats_read(&stats->count[i]);
}

void ipoib_rx_stats_add(const struct ipoib_rx_stats *stats, u64 sum[IPOIB_RX_COUNTS])
{
	unsigned int i;

	for (i = 0; i < IPOIB_RX_COUNTS; i++)
		sum[i] += u64_stats_read(&stats->count[i]);
}

void ipoib_rx_stats_add_cpus(const struct ipoib_rx_stats __percpu *stats, u64 sum[IPOIB_RX_COUNTS])
{
	unsigned int i;

	for (i = 0; i < IPOIB_RX_COUNTS; i++)
		sum[i] += 400 + i;
}

/* ---- the interface ----------------------------------------------------- */

static void setup_dev(struct net_device *dev)
{
}

static int ethtool_test_init(struct kunit *test)
{
	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world);
	world->dev = alloc_netdev(sizeof(*world->idev), "ethtool%d", NET_NAME_ENUM, setup_dev);
	KUNIT_ASSERT_NOT_NULL(test, world->dev);
	world->idev = netdev_priv(world->dev);
	spin_lock_init(&world->txq._xmit_lock);
	world->moderates = true;
	world->ibdev.attrs.cq_caps.max_cq_moderation_period = 100;
	world->ibdev.attrs.cq_caps.max_cq_moderation_count = 50;
	world->idev->dev = world->dev;
	world->idev->fabric.ibdev = &world->ibdev;
	world->idev->tx.txq = &world->txq;
	world->idev->bundles = &world->bundle;
	world->idev->txs[0] = &world->idev->tx;
	return 0;
}

static void ethtool_test_exit(struct kunit *test)
{
	if (world && world->dev)
		free_netdev(world->dev);
}

/* The counter of that name, which there has to be. */
static u64 counter(struct kunit *test, const char *name)
{
	int n = get_sset_count(world->dev, ETH_SS_STATS), i;
	char *names;
	u64 *data;

	KUNIT_ASSERT_GT(test, n, 0);
	KUNIT_ASSERT_LE(test, n, COUNTERS);
	names = kunit_kzalloc(test, COUNTERS * ETH_GSTRING_LEN, GFP_KERNEL);
	data = kunit_kzalloc(test, COUNTERS * sizeof(*data), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, names);
	KUNIT_ASSERT_NOT_NULL(test, data);
	get_strings(world->dev, ETH_SS_STATS, names);
	memset(data, 0xff, n * sizeof(*data));
	get_ethtool_stats(world->dev, NULL, data);
	KUNIT_EXPECT_EQ(test, names[n * ETH_GSTRING_LEN], 0);
	KUNIT_EXPECT_EQ(test, data[n], 0);
	for (i = 0; i < n; i++)
		if (!strcmp(names + i * ETH_GSTRING_LEN, name))
			return data[i];
	KUNIT_FAIL(test, "nothing is called %s", name);
	return U64_MAX;
}

/* ---- cases ------------------------------------------------------------- */

static void each_counter_is_shown_under_its_name(struct kunit *test)
{
	static const char * const tx[] = {
		"packets", "bytes", "doorbells", "signaled", "stops", "segmented",
	};
	static const char * const rx[] = {
		"packets", "bytes", "multicast", "polls", "posts", "copied", "alloc_failed",
		"unsummed",
	};
	char name[32];
	unsigned int i;

	fill(world->idev->tx.stats.count, IPOIB_TX_COUNTS, 100);
	fill(world->idev->rx.stats.count, IPOIB_RX_COUNTS, 200);
	fill(world->bundle.stats.count, IPOIB_TX_COUNTS, 300);
	for (i = 0; i < ARRAY_SIZE(tx); i++) {
		snprintf(name, sizeof(name), "tx0_%s", tx[i]);
		KUNIT_EXPECT_EQ(test, counter(test, name), 100 + i);
		snprintf(name, sizeof(name), "conn_tx_%s", tx[i]);
		KUNIT_EXPECT_EQ(test, counter(test, name), 300 + i);
	}
	for (i = 0; i < ARRAY_SIZE(rx); i++) {
		snprintf(name, sizeof(name), "rx0_%s", rx[i]);
		KUNIT_EXPECT_EQ(test, counter(test, name), 200 + i);
		snprintf(name, sizeof(name), "conn_rx_%s", rx[i]);
		KUNIT_EXPECT_EQ(test, counter(test, name), 400 + i);
	}
	KUNIT_EXPECT_EQ(test, counter(test, "drop_reason0"), 1000);
	KUNIT_EXPECT_EQ(test, counter(test, "drop_reason7"), 1007);
}

static void what_there_is_of_each_is_counted(struct kunit *test)
{
	struct ipoib_dev *idev = world->idev;
	struct ipoib_conn_set *set = kunit_kzalloc(test, sizeof(*set), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, set);
	KUNIT_EXPECT_EQ(test, counter(test, "connections"), 0);
	KUNIT_EXPECT_EQ(test, world->queries, 1);
	idev->recoveries = 1;
	idev->peers.count = 2;
	idev->mcast.count[IPOIB_FULL_MEMBER] = 3;
	idev->fabric.link.qkey_violations = 4;
	idev->fabric.link.pkey_violations = 5;
	idev->conn_set = set;
	set->count = 6;
	atomic_set(&idev->refused.stale, 7);
	atomic_set(&idev->refused.elsewhere, 8);
	atomic_set(&idev->refused.full, 9);
	atomic_set(&idev->refused.foreign, 10);
	atomic_set(&idev->refused.kind, 11);
	atomic_set(&idev->refused.malformed, 12);
	idev->tx_timeouts = 13;
	KUNIT_EXPECT_EQ(test, counter(test, "qp_recoveries"), 1);
	KUNIT_EXPECT_EQ(test, counter(test, "peers"), 2);
	KUNIT_EXPECT_EQ(test, counter(test, "groups"), 3);
	KUNIT_EXPECT_EQ(test, counter(test, "port_qkey_violations"), 4);
	KUNIT_EXPECT_EQ(test, counter(test, "port_pkey_violations"), 5);
	KUNIT_EXPECT_EQ(test, counter(test, "connections"), 6);
	KUNIT_EXPECT_EQ(test, counter(test, "conn_refused_stale"), 7);
	KUNIT_EXPECT_EQ(test, counter(test, "conn_refused_elsewhere"), 8);
	KUNIT_EXPECT_EQ(test, counter(test, "conn_refused_full"), 9);
	KUNIT_EXPECT_EQ(test, counter(test, "conn_refused_foreign"), 10);
	KUNIT_EXPECT_EQ(test, counter(test, "conn_refused_kind"), 11);
	KUNIT_EXPECT_EQ(test, counter(test, "conn_refused_malformed"), 12);
	KUNIT_EXPECT_EQ(test, counter(test, "tx_timeouts"), 13);
}

/* That flag is set, and no other one is. */
static void flag_is(struct kunit *test, enum flag flag, bool on)
{
	KUNIT_EXPECT_EQ(test, get_priv_flags(world->dev), on ? BIT(flag) : 0);
}

static void each_private_flag_is_that_of_a_setting(struct kunit *test)
{
	struct ipoib_dev *idev = world->idev;
	char names[ARRAY_SIZE(flag_names) * ETH_GSTRING_LEN];

	KUNIT_EXPECT_EQ(test, get_sset_count(world->dev, ETH_SS_PRIV_FLAGS),
			ARRAY_SIZE(flag_names));
	KUNIT_EXPECT_EQ(test, get_sset_count(world->dev, ETH_SS_FEATURES), -EOPNOTSUPP);
	get_strings(world->dev, ETH_SS_PRIV_FLAGS, names);
	KUNIT_EXPECT_STREQ(test, names + FLAG_UC * ETH_GSTRING_LEN, "uc");

	flag_is(test, FLAG_CHILDREN_FOLLOW, true);
	idev->children_stay = true;
	flag_is(test, FLAG_CHILDREN_FOLLOW, false);
	idev->mcast.to_broadcast = true;
	flag_is(test, FLAG_MCAST_TO_BROADCAST, true);
	idev->mcast.to_broadcast = false;
	idev->fabric.group_sl = true;
	flag_is(test, FLAG_SL_OF_BROADCAST, true);
	idev->fabric.group_sl = false;
	idev->offer = IPOIB_OFFER_RC;
	flag_is(test, FLAG_RC, true);
	idev->offer = IPOIB_OFFER_UC;
	flag_is(test, FLAG_UC, true);
	idev->offer = 0;
	idev->opener_sends = true;
	flag_is(test, FLAG_OPENER_SENDS, true);
	idev->opener_sends = false;
	idev->link_sums = true;
	flag_is(test, FLAG_LINK_CHECKSUMS, true);
}

static void each_private_flag_sets_its_own(struct kunit *test)
{
	struct ipoib_dev *idev = world->idev;

	KUNIT_EXPECT_EQ(test, set_priv_flags(world->dev, BIT(FLAG_RC)), 0);
	KUNIT_EXPECT_EQ(test, world->offer, IPOIB_OFFER_RC);
	KUNIT_EXPECT_FALSE(test, world->opener_sends || world->link_sums || world->fallback);
	KUNIT_EXPECT_TRUE(test, idev->children_stay);
	KUNIT_EXPECT_EQ(test, world->doubts, 1);
	KUNIT_EXPECT_EQ(test, set_priv_flags(world->dev, BIT(FLAG_UC) |
						       BIT(FLAG_OPENER_SENDS)), 0);
	KUNIT_EXPECT_EQ(test, world->offer, IPOIB_OFFER_UC);
	KUNIT_EXPECT_TRUE(test, world->opener_sends);
	KUNIT_EXPECT_EQ(test, set_priv_flags(world->dev, BIT(FLAG_CHILDREN_FOLLOW) |
						       BIT(FLAG_MCAST_TO_BROADCAST) |
						       BIT(FLAG_SL_OF_BROADCAST) |
						       BIT(FLAG_LINK_CHECKSUMS)), 0);
	KUNIT_EXPECT_EQ(test, world->offer, 0);
	KUNIT_EXPECT_FALSE(test, idev->children_stay);
	KUNIT_EXPECT_TRUE(test, world->fallback && world->link_sums && idev->fabric.group_sl);
	/* What is refused changes nothing. */
	world->err = -EOPNOTSUPP;
	KUNIT_EXPECT_EQ(test, set_priv_flags(world->dev, 0), -EOPNOTSUPP);
	KUNIT_EXPECT_FALSE(test, idev->children_stay);
	KUNIT_EXPECT_TRUE(test, idev->fabric.group_sl);
}

static int set_moderation(u32 usecs, u32 frames)
{
	struct ethtool_coalesce coal = {
		.rx_coalesce_usecs = usecs,
		.rx_max_coalesced_frames = frames,
		.use_adaptive_tx_coalesce = 1,
		.tx_coalesce_usecs = 1,
	};

	return set_coalesce(world->dev, &coal, NULL, NULL);
}

static void moderation_is_what_the_device_can(struct kunit *test)
{
	struct ethtool_coalesce coal = {};

	KUNIT_EXPECT_EQ(test, set_moderation(100, 50), 0);
	KUNIT_EXPECT_EQ(test, world->rx.usecs, 100);
	KUNIT_EXPECT_EQ(test, world->rx.frames, 50);
	KUNIT_EXPECT_FALSE(test, world->rx.adaptive);
	KUNIT_EXPECT_EQ(test, world->tx.usecs, 1);
	KUNIT_EXPECT_TRUE(test, world->tx.adaptive);
	KUNIT_EXPECT_EQ(test, set_moderation(101, 50), -ERANGE);
	KUNIT_EXPECT_EQ(test, set_moderation(100, 51), -ERANGE);
	KUNIT_EXPECT_EQ(test, set_moderation(0, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, set_moderation(0, 1), 0);
	KUNIT_EXPECT_EQ(test, world->sets, 2);
	world->idev->rx_moder = (struct ipoib_coalesce){ 1, 2, true };
	world->idev->tx_moder = (struct ipoib_coalesce){ 3, 4, false };
	memset(&coal, 0xff, sizeof(coal));
	KUNIT_EXPECT_EQ(test, get_coalesce(world->dev, &coal, NULL, NULL), 0);
	KUNIT_EXPECT_EQ(test, coal.rx_coalesce_usecs, 1);
	KUNIT_EXPECT_EQ(test, coal.rx_max_coalesced_frames, 2);
	KUNIT_EXPECT_EQ(test, coal.use_adaptive_rx_coalesce, 1);
	KUNIT_EXPECT_EQ(test, coal.tx_coalesce_usecs, 3);
	KUNIT_EXPECT_EQ(test, coal.tx_max_coalesced_frames, 4);
	KUNIT_EXPECT_EQ(test, coal.use_adaptive_tx_coalesce, 0);
	world->moderates = false;
	KUNIT_EXPECT_EQ(test, set_moderation(0, 0), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, get_coalesce(world->dev, &coal, NULL, NULL), -EOPNOTSUPP);
}

static void rings_and_channels_are_told(struct kunit *test)
{
	struct ethtool_ringparam ring = {};
	struct ethtool_channels channels = {};

	world->idev->rx_slots = 128;
	world->idev->tx_slots = 64;
	get_ringparam(world->dev, &ring, NULL, NULL);
	KUNIT_EXPECT_EQ(test, ring.rx_pending, 128);
	KUNIT_EXPECT_EQ(test, ring.rx_max_pending, 512);
	KUNIT_EXPECT_EQ(test, ring.tx_pending, 64);
	KUNIT_EXPECT_EQ(test, ring.tx_max_pending, IPOIB_UD_TX_SLOTS);
	world->idev->conn_limit = 64;
	get_channels(world->dev, &channels);
	KUNIT_EXPECT_EQ(test, channels.combined_count, 1);
	KUNIT_EXPECT_EQ(test, channels.max_combined, 1);
	KUNIT_EXPECT_EQ(test, channels.other_count, 64);
	KUNIT_EXPECT_EQ(test, channels.max_other, 4096);
	channels.other_count = 99;
	KUNIT_EXPECT_EQ(test, set_channels(world->dev, &channels), 0);
	KUNIT_EXPECT_EQ(test, world->limit, 99);
	KUNIT_EXPECT_EQ(test, world->channels, 1);
	channels.combined_count = 0;
	KUNIT_EXPECT_EQ(test, set_channels(world->dev, &channels), -EINVAL);
}

static int set_sizes(u32 rx, u32 tx)
{
	struct ethtool_ringparam ring = { .rx_pending = rx, .tx_pending = tx };

	return set_ringparam(world->dev, &ring, NULL, NULL);
}

static void sizes_of_rings_are_powers_of_two(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, set_sizes(512, 256), 0);
	KUNIT_EXPECT_EQ(test, world->idev->rx_slots, 512);
	KUNIT_EXPECT_EQ(test, world->idev->tx_slots, 256);
	KUNIT_EXPECT_EQ(test, set_sizes(65, 64), 0);
	KUNIT_EXPECT_EQ(test, world->idev->rx_slots, 128);
	KUNIT_EXPECT_EQ(test, world->idev->tx_slots, 64);
	world->sets = 0;
	KUNIT_EXPECT_EQ(test, set_sizes(63, 64), -EINVAL);
	KUNIT_EXPECT_EQ(test, set_sizes(64, 63), -EINVAL);
	KUNIT_EXPECT_EQ(test, world->sets, 0);
	world->err = -ENOMEM;
	KUNIT_EXPECT_EQ(test, set_sizes(256, 256), -ENOMEM);
}

static void the_speed_is_known_while_there_is_a_carrier(struct kunit *test)
{
	struct ethtool_link_ksettings settings = {};

	world->idev->fabric.link.speed = 100000;
	set_bit(__LINK_STATE_NOCARRIER, &world->dev->state);
	KUNIT_EXPECT_EQ(test, get_link_ksettings(world->dev, &settings), 0);
	KUNIT_EXPECT_EQ(test, settings.base.speed, (u32)SPEED_UNKNOWN);
	KUNIT_EXPECT_EQ(test, settings.base.duplex, DUPLEX_UNKNOWN);
	KUNIT_EXPECT_EQ(test, settings.base.port, PORT_OTHER);
	clear_bit(__LINK_STATE_NOCARRIER, &world->dev->state);
	KUNIT_EXPECT_EQ(test, get_link_ksettings(world->dev, &settings), 0);
	KUNIT_EXPECT_EQ(test, settings.base.speed, 100000);
	KUNIT_EXPECT_EQ(test, settings.base.duplex, DUPLEX_FULL);
	world->idev->fabric.link.speed = 0;
	KUNIT_EXPECT_EQ(test, get_link_ksettings(world->dev, &settings), 0);
	KUNIT_EXPECT_EQ(test, settings.base.speed, (u32)SPEED_UNKNOWN);
}

static struct kunit_case ethtool_test_cases[] = {
	KUNIT_CASE(each_counter_is_shown_under_its_name),
	KUNIT_CASE(what_there_is_of_each_is_counted),
	KUNIT_CASE(each_private_flag_is_that_of_a_setting),
	KUNIT_CASE(each_private_flag_sets_its_own),
	KUNIT_CASE(moderation_is_what_the_device_can),
	KUNIT_CASE(rings_and_channels_are_told),
	KUNIT_CASE(sizes_of_rings_are_powers_of_two),
	KUNIT_CASE(the_speed_is_known_while_there_is_a_carrier),
	{}
};

static struct kunit_suite ethtool_test_suite = {
	.name = "ipoib_ethtool",
	.init = ethtool_test_init,
	.exit = ethtool_test_exit,
	.test_cases = ethtool_test_cases,
};

kunit_test_suite(ethtool_test_suite);

MODULE_DESCRIPTION("Tests of what IPoIB tells ethtool");
MODULE_LICENSE("GPL");
