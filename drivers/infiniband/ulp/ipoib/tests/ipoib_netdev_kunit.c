// SPDX-License-Identifier: GPL-2.0
/* What the stack sees of an interface: headers, features, virtual functions and counters. */
#include <kunit/test.h>
#include <linux/if_link.h>
#include <linux/netdevice.h>
#include <net/neighbour.h>
#include <rdma/ib_cache.h>

#include "../device.h"
#include "../port.h"
#include "false_net.h"

static int vf_told(struct ib_device *ibdev, int vf, u32 port);

#define rdma_query_gid(_ibdev, _port, _index, _gid)			\
	(*(_gid) = world->gid, (_index) ? -EINVAL : world->gid_error)
#define ib_set_vf_link_state(_ibdev, _vf, _port, _state)		\
	(world->vf_state = (_state), vf_told(_ibdev, _vf, _port))
#define ib_get_vf_config(_ibdev, _vf, _port, _info)			\
	((_info)->linkstate = 2, vf_told(_ibdev, _vf, _port))
#define ib_get_vf_stats(_ibdev, _vf, _port, _stats)			\
	((_stats)->rx_packets = 5, vf_told(_ibdev, _vf, _port))
#define ib_get_vf_guid(_ibdev, _vf, _port, _node, _guid)		\
	((_node)->guid = 6, (_guid)->guid = 7, vf_told(_ibdev, _vf, _port))
#define ib_set_vf_guid(_ibdev, _vf, _port, _guid, _type)		\
	(world->vf_guid = (_guid), world->vf_type = (_type), vf_told(_ibdev, _vf, _port))

/* Queues of the interface, of which each has a channel and a bundle */
#define QUEUES	2

/**
 * struct world - an interface, and what it and its device were told
 * @dev: the net_device, whose private part is the interface
 * @idev: the interface
 * @ibdev: its device
 * @tx: channels
 * @qp: their queue pair
 * @bundles: bundles of connections
 * @conn_rx: what connections have received
 * @drops: drops that are counted
 * @gid: the first one of the port
 * @gid_error: or why it cannot be read
 * @set: the link-layer address that was set
 * @word: what the interface was told, a letter each
 * @error: what it said
 * @failed: the channel that was told that it has failed
 * @vf: the virtual function that the device was told of
 * @vf_port: by this port
 * @vf_error: what the device said
 * @vf_state: the state it was given
 * @vf_guid: the GUID it was given
 * @vf_type: of this kind
 */
static struct world {
	struct net_device *dev;
	struct ipoib_dev *idev;
	struct ib_device ibdev;
	struct ipoib_ud_tx tx[QUEUES];
	struct ipoib_qp qp;
	struct ipoib_bundle bundles[QUEUES];
	struct ipoib_rx_stats conn_rx;
	u64 drops[IPOIB_DROP_COUNT];
	union ib_gid gid;
	int gid_error;
	struct ipoib_hwaddr set;
	char word[16];
	int error;
	struct ipoib_ud_tx *failed;
	int vf;
	u32 vf_port;
	int vf_error;
	int vf_state;
	u64 vf_guid;
	int vf_type;
} *world;

#include "../netdev.c"

/* What the stack calls */
static const struct net_device_ops *ops;
static const struct header_ops *headers;

static int vf_told(struct ib_device *ibdev, int vf, u32 port)
{
	if (WARN_ON(ibdev != &world->ibdev))
		return -ENODEV;
	world->vf = vf;
	world->vf_port = port;
	return world->vf_error;
}

/* ---- what netdev.c calls of the driver --------------------------------- */

static int told(char what)
{
	size_t len = strlen(world->word);

	if (len + 1 < sizeof(world->word))
		world->word[len] = what;
	return world->error;
}

/*
 * The interface is initialised (I), killed (K), taken apart (X), opened (O) or stopped (S), has its
 * files made (F) or removed (f), its MTU (M) or address (A) changed, its groups looked at (G).
 */
int ipoib_dev_init(struct ipoib_dev *idev)
{
	return told('I');
}

void ipoib_dev_kill(struct ipoib_dev *idev)
{
	told('K');
}

void ipoib_dev_exit(struct ipoib_dev *idev)
{
	told('X');
}

void ipoib_dev_open(struct ipoib_dev *idev)
{
	told('O');
}

void ipoib_dev_stop(struct ipoib_dev *idev)
{
	told('S');
}

int ipoib_dev_change_mtu(struct ipoib_dev *idev, int mtu)
{
	return told('M');
}

int ipoib_dev_set_addr(struct ipoib_dev *idev, const struct ipoib_hwaddr *addr)
{
	world->set = *addr;
	return told('A');
}

void ipoib_debugfs_add(struct ipoib_dev *idev)
{
	told('F');
}

void ipoib_debugfs_del(struct ipoib_dev *idev)
{
	told('f');
}

void ipoib_ethtool_setup(struct net_device *dev)
{
}

void ipoib_mcast_set_sync(struct ipoib_mcast_set *set)
{
	told('G');
}

bool ipoib_is_parent(const struct ipoib_dev *idev)
{
	return idev->fabric.first_pkey;
}

void ipoib_ud_tx_failed(struct ipoib_ud_tx *tx)
{
	world->failed = tx;
}

netdev_tx_t ipoib_xmit(struct sk_buff *skb, struct net_device *dev)
{
	return NETDEV_TX_OK;
}

u16 ipoib_xmit_queue(struct net_device *dev, struct sk_buff *skb, struct net_device *sb_dev)
{
	return 0;
}

void ipoib_drops_read(const struct ipoib_drops *drops, u64 sum[IPOIB_DROP_COUNT])
{
	memcpy(sum, world->drops, sizeof(world->drops));
}

void ipoib_tx_stats_add(const struct ipoib_tx_stats *stats, u64 sum[IPOIB_TX_COUNTS])
{
	sum[IPOIB_TX_PACKETS] += u64_stats_read(&stats->packets);
	sum[IPOIB_TX_BYTES] += u64_stats_read(&stats->bytes);
}

void ipoib_rx_stats_add(const struct ipoib_rx_stats *stats, u64 sum[IPOIB_RX_COUNTS])
{
	sum[IPOIB_RX_PACKETS] += u64_stats_read(&stats->packets);
	sum[IPOIB_RX_BYTES] += u64_stats_read(&stats->bytes);
	sum[IPOIB_RX_MULTICAST] += u64_stats_read(&stats->multicast);
}

void ipoib_rx_stats_add_cpus(const struct ipoib_rx_stats __percpu *stats, u64 sum[IPOIB_RX_COUNTS])
{
	ipoib_rx_stats_add(&world->conn_rx, sum);
}

/* ---- the interface ----------------------------------------------------- */

static int netdev_test_init(struct kunit *test)
{
	int i;

	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world);
	world->dev = alloc_netdev_mqs(sizeof(struct ipoib_dev), "netdev%d", NET_NAME_ENUM,
				      ipoib_netdev_setup, QUEUES, 1);
	KUNIT_ASSERT_NOT_NULL(test, world->dev);
	ops = world->dev->netdev_ops;
	headers = world->dev->header_ops;
	world->idev = netdev_priv(world->dev);
	for (i = 0; i < QUEUES; i++) {
		u64_stats_init(&world->tx[i].stats.syncp);
		u64_stats_init(&world->bundles[i].stats.syncp);
		world->tx[i].qp = &world->qp;
		world->tx[i].ring.ring.mask = 63;
		world->idev->txs[i] = &world->tx[i];
	}
	u64_stats_init(&world->idev->rx.stats.syncp);
	u64_stats_init(&world->conn_rx.syncp);
	world->idev->bundles = world->bundles;
	world->idev->fabric.ibdev = &world->ibdev;
	world->idev->fabric.port = 2;
	world->idev->fabric.first_pkey = true;
	return 0;
}

static void netdev_test_exit(struct kunit *test)
{
	if (world && world->dev)
		free_netdev(world->dev);
}

/* An address that says by each octet which one it is, from @first on */
static const u8 *address(u8 first)
{
	static u8 octets[INFINIBAND_ALEN];
	int i;

	for (i = 0; i < INFINIBAND_ALEN; i++)
		octets[i] = first + i;
	return octets;
}

/* ---- headers ----------------------------------------------------------- */

static void a_header_is_an_address_and_a_type(struct kunit *test)
{
	struct sk_buff *skb = alloc_skb(128, GFP_KERNEL);
	static const u8 zeros[INFINIBAND_ALEN];

	KUNIT_ASSERT_NOT_NULL(test, skb);
	memset(skb->data, 0xee, 128);
	skb_reserve(skb, 64);
	KUNIT_EXPECT_EQ(test, headers->create(skb, NULL, ETH_P_IPV6, address(1), NULL, 0), 24);
	KUNIT_EXPECT_EQ(test, skb->len, 24);
	KUNIT_EXPECT_EQ(test, memcmp(skb->data, address(1), INFINIBAND_ALEN), 0);
	KUNIT_EXPECT_EQ(test, memcmp(skb->data + INFINIBAND_ALEN, "\x86\xdd\0\0", 4), 0);
	/* As long as the stack does not know where to, it is told so by a negative length. */
	skb_pull(skb, 24);
	KUNIT_EXPECT_EQ(test, headers->create(skb, world->dev, ETH_P_IP, NULL, NULL, 0), -24);
	KUNIT_EXPECT_EQ(test, memcmp(skb->data, zeros, INFINIBAND_ALEN), 0);
	KUNIT_EXPECT_EQ(test, memcmp(skb->data + INFINIBAND_ALEN, "\x08\x00\0\0", 4), 0);
	kfree_skb(skb);
}

static void a_kept_header_is_the_same_and_follows_the_neighbour(struct kunit *test)
{
	struct neighbour *neigh = kunit_kzalloc(test, sizeof(*neigh), GFP_KERNEL);
	struct hh_cache hh;
	const u8 *header = (u8 *)hh.hh_data + HH_DATA_OFF(24);

	KUNIT_ASSERT_NOT_NULL(test, neigh);
	memset(&hh, 0xee, sizeof(hh));
	memcpy(neigh->ha, address(1), INFINIBAND_ALEN);
	KUNIT_EXPECT_EQ(test, headers->cache(neigh, &hh, htons(ETH_P_IPV6)), 0);
	KUNIT_EXPECT_EQ(test, hh.hh_len, 24);
	KUNIT_EXPECT_EQ(test, memcmp(header, address(1), INFINIBAND_ALEN), 0);
	KUNIT_EXPECT_EQ(test, memcmp(header + INFINIBAND_ALEN, "\x86\xdd\0\0", 4), 0);
	headers->cache_update(&hh, world->dev, address(100));
	KUNIT_EXPECT_EQ(test, memcmp(header, address(100), INFINIBAND_ALEN), 0);
	KUNIT_EXPECT_EQ(test, memcmp(header + INFINIBAND_ALEN, "\x86\xdd\0\0", 4), 0);
}

static int parse(const struct sk_buff *skb, u8 *from)
{
#ifdef HAVE_HEADER_PARSE_DEV
	return headers->parse(skb, world->dev, from);
#else
	return headers->parse(skb, from);
#endif
}

static void who_has_sent_a_packet_is_told_in_eight_octets(struct kunit *test)
{
	struct sk_buff *skb = alloc_skb(128, GFP_KERNEL);
	u8 from[9];

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb->dev = world->dev;
	memcpy(skb_put(skb, 24), address(1), INFINIBAND_ALEN);
	skb_reset_mac_header(skb);
	dev_addr_mod(world->dev, 0, address(100), INFINIBAND_ALEN);
	memset(from, 0xee, sizeof(from));
	KUNIT_EXPECT_EQ(test, parse(skb, from), 8);
	KUNIT_EXPECT_EQ(test, memcmp(from, address(1) + 12, 8), 0);
	KUNIT_EXPECT_EQ(test, from[8], 0xee);
	skb->pkt_type = PACKET_OUTGOING;
	KUNIT_EXPECT_EQ(test, parse(skb, from), 8);
	KUNIT_EXPECT_EQ(test, memcmp(from, address(100) + 12, 8), 0);
	skb->pkt_type = PACKET_LOOPBACK;
	memset(from, 0, sizeof(from));
	KUNIT_EXPECT_EQ(test, parse(skb, from), 8);
	KUNIT_EXPECT_EQ(test, memcmp(from, address(100) + 12, 8), 0);
	/* A port without a GUID is nobody. */
	skb->pkt_type = PACKET_HOST;
	memset(skb->data + 12, 0, 8);
	KUNIT_EXPECT_EQ(test, parse(skb, from), 0);
	skb->data[19] = 1;
	KUNIT_EXPECT_EQ(test, parse(skb, from), 8);
	kfree_skb(skb);
}

/* ---- what the stack asks ----------------------------------------------- */

static void a_connection_has_no_offloads_but_may_leave_checksums(struct kunit *test)
{
	const netdev_features_t ud = NETIF_F_IP_CSUM | NETIF_F_TSO, sg = NETIF_F_SG;
	const netdev_features_t all = ud | sg | NETIF_F_HW_CSUM;

	KUNIT_EXPECT_EQ(test, ops->ndo_fix_features(world->dev, all), ud | sg);
	world->idev->link_sums = true;
	KUNIT_EXPECT_EQ(test, ops->ndo_fix_features(world->dev, all), ud | sg);
	world->idev->connected = true;
	KUNIT_EXPECT_EQ(test, ops->ndo_fix_features(world->dev, all), NETIF_F_HW_CSUM | sg);
	world->idev->link_sums = false;
	KUNIT_EXPECT_EQ(test, ops->ndo_fix_features(world->dev, all), sg);
}

static void a_channel_that_timed_out_is_brought_back(struct kunit *test)
{
	ops->ndo_tx_timeout(world->dev, 1);
	KUNIT_EXPECT_PTR_EQ(test, world->failed, &world->tx[1]);
	ops->ndo_tx_timeout(world->dev, 0);
	KUNIT_EXPECT_PTR_EQ(test, world->failed, &world->tx[0]);
	KUNIT_EXPECT_EQ(test, world->idev->tx_timeouts, 2);
}

static void what_the_stack_asks_for_is_done(struct kunit *test)
{
	struct sockaddr_storage ss = {};

	KUNIT_EXPECT_EQ(test, ops->ndo_init(world->dev), 0);
	KUNIT_EXPECT_EQ(test, ops->ndo_open(world->dev), 0);
	KUNIT_EXPECT_EQ(test, ops->ndo_change_mtu(world->dev, 1500), 0);
	ops->ndo_set_rx_mode(world->dev);
	memcpy(ss.__data, address(1), INFINIBAND_ALEN);
	KUNIT_EXPECT_EQ(test, ops->ndo_set_mac_address(world->dev, &ss), 0);
	KUNIT_EXPECT_EQ(test, memcmp(&world->set, address(1), INFINIBAND_ALEN), 0);
	KUNIT_EXPECT_EQ(test, ops->ndo_stop(world->dev), 0);
	ops->ndo_uninit(world->dev);
	world->dev->priv_destructor(world->dev);
	/* Who reads a file must not find an interface that is being killed. */
	KUNIT_EXPECT_STREQ(test, world->word, "IFOMGASfKX");
	KUNIT_EXPECT_PTR_EQ(test, ops->ndo_start_xmit, &ipoib_xmit);
	KUNIT_EXPECT_PTR_EQ(test, ops->ndo_select_queue, &ipoib_xmit_queue);
}

static void what_fails_is_told_the_stack(struct kunit *test)
{
	struct sockaddr_storage ss = {};

	world->error = -EBUSY;
	KUNIT_EXPECT_EQ(test, ops->ndo_init(world->dev), -EBUSY);
	KUNIT_EXPECT_EQ(test, ops->ndo_change_mtu(world->dev, 1500), -EBUSY);
	KUNIT_EXPECT_EQ(test, ops->ndo_set_mac_address(world->dev, &ss), -EBUSY);
	/* What could not be initialised has no files. */
	KUNIT_EXPECT_STREQ(test, world->word, "IMA");
}

static void the_id_of_a_port_is_its_guid(struct kunit *test)
{
	struct netdev_phys_item_id id = {};

	memcpy(world->gid.raw, address(1), sizeof(world->gid.raw));
	KUNIT_EXPECT_EQ(test, ops->ndo_get_phys_port_id(world->dev, &id), 0);
	KUNIT_EXPECT_EQ(test, id.id_len, 8);
	KUNIT_EXPECT_EQ(test, memcmp(id.id, address(9), 8), 0);
	world->gid_error = -ENOENT;
	KUNIT_EXPECT_EQ(test, ops->ndo_get_phys_port_id(world->dev, &id), -EOPNOTSUPP);
	world->gid_error = 0;
	world->idev->fabric.lower = world->dev;
	KUNIT_EXPECT_EQ(test, ops->ndo_get_phys_port_id(world->dev, &id), -EOPNOTSUPP);
}

static void the_link_of_an_interface_is_its_parent_or_lower(struct kunit *test)
{
	struct net_device *link;

	world->dev->ifindex = 5;
	KUNIT_EXPECT_EQ(test, ops->ndo_get_iflink(world->dev), 5);
	link = alloc_netdev(sizeof(struct ipoib_dev), "link%d", NET_NAME_ENUM, ipoib_netdev_setup);
	KUNIT_ASSERT_NOT_NULL(test, link);
	link->ifindex = 6;
	world->idev->config.parent = link;
	KUNIT_EXPECT_EQ(test, ops->ndo_get_iflink(world->dev), 6);
	world->idev->config.parent = NULL;
	world->idev->fabric.lower = link;
	KUNIT_EXPECT_EQ(test, ops->ndo_get_iflink(world->dev), 6);
	free_netdev(link);
}

/* ---- virtual functions ------------------------------------------------- */

static void expect_vf_error(struct kunit *test, int err)
{
	struct ifla_vf_guid node, guid;
	struct ifla_vf_stats stats;
	struct ifla_vf_info info;

	KUNIT_EXPECT_EQ(test, ops->ndo_set_vf_link_state(world->dev, 3, 1), err);
	KUNIT_EXPECT_EQ(test, ops->ndo_get_vf_config(world->dev, 3, &info), err);
	KUNIT_EXPECT_EQ(test, ops->ndo_get_vf_stats(world->dev, 3, &stats), err);
	KUNIT_EXPECT_EQ(test, ops->ndo_get_vf_guid(world->dev, 3, &node, &guid), err);
	KUNIT_EXPECT_EQ(test, ops->ndo_set_vf_guid(world->dev, 3, 1, IFLA_VF_IB_NODE_GUID),
			err);
}

static void the_interface_of_a_port_sets_up_virtual_functions(struct kunit *test)
{
	struct ifla_vf_guid node = {}, guid = {};
	struct ifla_vf_stats stats = {};
	struct ifla_vf_info info = { .vlan = 7 };

	dev_addr_mod(world->dev, 0, address(1), INFINIBAND_ALEN);
	KUNIT_EXPECT_EQ(test, ops->ndo_set_vf_link_state(world->dev, 3, 1), 0);
	KUNIT_EXPECT_EQ(test, world->vf, 3);
	KUNIT_EXPECT_EQ(test, world->vf_port, 2);
	KUNIT_EXPECT_EQ(test, world->vf_state, 1);
	KUNIT_EXPECT_EQ(test, ops->ndo_get_vf_config(world->dev, 4, &info), 0);
	KUNIT_EXPECT_EQ(test, info.vf, 4);
	KUNIT_EXPECT_EQ(test, info.linkstate, 2);
	KUNIT_EXPECT_EQ(test, memcmp(info.mac, address(1), INFINIBAND_ALEN), 0);
	KUNIT_EXPECT_EQ(test, info.vlan, 7);
	KUNIT_EXPECT_EQ(test, ops->ndo_get_vf_stats(world->dev, 5, &stats), 0);
	KUNIT_EXPECT_EQ(test, world->vf, 5);
	KUNIT_EXPECT_EQ(test, stats.rx_packets, 5);
	KUNIT_EXPECT_EQ(test, ops->ndo_get_vf_guid(world->dev, 6, &node, &guid), 0);
	KUNIT_EXPECT_EQ(test, world->vf, 6);
	KUNIT_EXPECT_EQ(test, node.guid, 6);
	KUNIT_EXPECT_EQ(test, guid.guid, 7);
	KUNIT_EXPECT_EQ(test, ops->ndo_set_vf_guid(world->dev, 7, 77, IFLA_VF_IB_NODE_GUID), 0);
	KUNIT_EXPECT_EQ(test, world->vf, 7);
	KUNIT_EXPECT_EQ(test, world->vf_guid, 77);
	KUNIT_EXPECT_EQ(test, world->vf_type, IFLA_VF_IB_NODE_GUID);
	KUNIT_EXPECT_EQ(test, ops->ndo_set_vf_guid(world->dev, 7, 78, IFLA_VF_IB_PORT_GUID), 0);
	KUNIT_EXPECT_EQ(test, world->vf_type, IFLA_VF_IB_PORT_GUID);
	KUNIT_EXPECT_EQ(test, ops->ndo_set_vf_guid(world->dev, 7, 79, IFLA_VF_MAC), -EINVAL);
	KUNIT_EXPECT_EQ(test, world->vf_guid, 78);
	/* What the device says is passed on. */
	world->vf_error = -EBUSY;
	expect_vf_error(test, -EBUSY);
}

static void neither_children_nor_tenants_set_up_virtual_functions(struct kunit *test)
{
	struct net *net = false_net(test);

	world->vf = -1;
	world->idev->fabric.first_pkey = false;
	expect_vf_error(test, -EOPNOTSUPP);
	world->idev->fabric.first_pkey = true;
	dev_net_set(world->dev, net);
	expect_vf_error(test, -EOPNOTSUPP);
	dev_net_set(world->dev, &init_net);
	KUNIT_EXPECT_EQ(test, world->vf, -1);
}

/* ---- counters ---------------------------------------------------------- */

static struct rtnl_link_stats64 counters(void)
{
	struct rtnl_link_stats64 sum = {};

	ops->ndo_get_stats64(world->dev, &sum);
	return sum;
}

static void counters_of_all_channels_and_connections_add_up(struct kunit *test)
{
	struct rtnl_link_stats64 sum;

	u64_stats_set(&world->tx[0].stats.packets, 1);
	u64_stats_set(&world->tx[0].stats.bytes, 100);
	u64_stats_set(&world->tx[1].stats.packets, 2);
	u64_stats_set(&world->tx[1].stats.bytes, 200);
	u64_stats_set(&world->bundles[0].stats.packets, 4);
	u64_stats_set(&world->bundles[0].stats.bytes, 400);
	u64_stats_set(&world->bundles[1].stats.packets, 8);
	u64_stats_set(&world->bundles[1].stats.bytes, 800);
	u64_stats_set(&world->idev->rx.stats.packets, 16);
	u64_stats_set(&world->idev->rx.stats.bytes, 1600);
	u64_stats_set(&world->idev->rx.stats.multicast, 3);
	u64_stats_set(&world->conn_rx.packets, 32);
	u64_stats_set(&world->conn_rx.bytes, 3200);
	sum = counters();
	KUNIT_EXPECT_EQ(test, sum.tx_packets, 15);
	KUNIT_EXPECT_EQ(test, sum.tx_bytes, 1500);
	KUNIT_EXPECT_EQ(test, sum.rx_packets, 48);
	KUNIT_EXPECT_EQ(test, sum.rx_bytes, 4800);
	KUNIT_EXPECT_EQ(test, sum.multicast, 3);
	KUNIT_EXPECT_EQ(test, sum.tx_errors + sum.rx_errors + sum.tx_dropped + sum.rx_dropped, 0);
}

static void each_drop_is_counted_once(struct kunit *test)
{
	static const struct {
		enum ipoib_drop_reason reason;
		struct rtnl_link_stats64 counters;
	} others[] = {
		{ IPOIB_DROP_TX_POST, { .tx_errors = 1 } },
		{ IPOIB_DROP_TX_FLUSHED, { .tx_errors = 1 } },
		{ IPOIB_DROP_RX_RUNT, { .rx_errors = 1, .rx_length_errors = 1 } },
		{ IPOIB_DROP_RX_OVERSIZE, { .rx_errors = 1, .rx_length_errors = 1 } },
		{ IPOIB_DROP_RX_ERROR, { .rx_errors = 1 } },
		/* Nobody has missed these. */
		{ IPOIB_DROP_RX_OWN, {} },
		{ IPOIB_DROP_TX_NO_MEMBER, {} },
	};
	struct rtnl_link_stats64 sum, expected;
	int i, j;

	for (i = 0; i < IPOIB_DROP_COUNT; i++) {
		memset(world->drops, 0, sizeof(world->drops));
		memset(&expected, 0, sizeof(expected));
		world->drops[i] = 1;
		if (i < IPOIB_DROP_RX_RUNT)
			expected.tx_dropped = 1;
		else
			expected.rx_dropped = 1;
		for (j = 0; j < ARRAY_SIZE(others); j++) {
			if (others[j].reason == i)
				expected = others[j].counters;
		}
		sum = counters();
		KUNIT_EXPECT_EQ(test, memcmp(&sum, &expected, sizeof(sum)), 0);
	}
}

static void a_net_device_is_known_by_its_operations(struct kunit *test)
{
	struct net_device *dev = world->dev;

	KUNIT_EXPECT_TRUE(test, ipoib_netdev_is_ours(dev));
	KUNIT_EXPECT_PTR_EQ(test, world->idev->dev, dev);
	KUNIT_EXPECT_EQ(test, dev->type, ARPHRD_INFINIBAND);
	KUNIT_EXPECT_EQ(test, dev->addr_len, INFINIBAND_ALEN);
	KUNIT_EXPECT_EQ(test, dev->hard_header_len, 24);
	KUNIT_EXPECT_EQ(test, dev->min_mtu, 68);
	KUNIT_EXPECT_EQ(test, dev->max_mtu, 4092);
	KUNIT_EXPECT_EQ(test, dev->tx_queue_len, 1000);
	KUNIT_EXPECT_TRUE(test, dev->flags & IFF_BROADCAST);
	KUNIT_EXPECT_TRUE(test, dev->flags & IFF_MULTICAST);
	KUNIT_EXPECT_FALSE(test, dev->priv_flags & IFF_XMIT_DST_RELEASE);
	KUNIT_EXPECT_TRUE(test, dev->priv_flags & IFF_DISABLE_NETPOLL);
	KUNIT_EXPECT_FALSE(test, netif_carrier_ok(dev));
	KUNIT_EXPECT_TRUE(test, dev->needs_free_netdev);
	KUNIT_EXPECT_EQ(test, dev->watchdog_timeo, IPOIB_TX_TIMEOUT);
	KUNIT_EXPECT_TRUE(test, dev->features & NETIF_F_VLAN_CHALLENGED);
	KUNIT_EXPECT_TRUE(test, dev->features & NETIF_F_HIGHDMA);
	dev->netdev_ops = NULL;
	KUNIT_EXPECT_FALSE(test, ipoib_netdev_is_ours(dev));
	dev->netdev_ops = ops;
}

static struct kunit_case netdev_test_cases[] = {
	KUNIT_CASE(a_header_is_an_address_and_a_type),
	KUNIT_CASE(a_kept_header_is_the_same_and_follows_the_neighbour),
	KUNIT_CASE(who_has_sent_a_packet_is_told_in_eight_octets),
	KUNIT_CASE(a_connection_has_no_offloads_but_may_leave_checksums),
	KUNIT_CASE(a_channel_that_timed_out_is_brought_back),
	KUNIT_CASE(what_the_stack_asks_for_is_done),
	KUNIT_CASE(what_fails_is_told_the_stack),
	KUNIT_CASE(the_id_of_a_port_is_its_guid),
	KUNIT_CASE(the_link_of_an_interface_is_its_parent_or_lower),
	KUNIT_CASE(the_interface_of_a_port_sets_up_virtual_functions),
	KUNIT_CASE(neither_children_nor_tenants_set_up_virtual_functions),
	KUNIT_CASE(counters_of_all_channels_and_connections_add_up),
	KUNIT_CASE(each_drop_is_counted_once),
	KUNIT_CASE(a_net_device_is_known_by_its_operations),
	{}
};

static struct kunit_suite netdev_test_suite = {
	.name = "ipoib_netdev",
	.init = netdev_test_init,
	.exit = netdev_test_exit,
	.test_cases = netdev_test_cases,
};

kunit_test_suite(netdev_test_suite);

MODULE_DESCRIPTION("Tests of what the stack sees of IPoIB's interfaces");
MODULE_LICENSE("GPL");
