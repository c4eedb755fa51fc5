// SPDX-License-Identifier: GPL-2.0
#include "netdev.h"

#include <linux/capability.h>
#include <linux/ethtool.h>
#include <linux/log2.h>
#include <linux/slab.h>

#include "device.h"

/* Lowest size of a ring that can be set: some batches of work requests fit into it. */
#define SLOTS_MIN	64

/*
 * The counters of a queue are shown with "tx0_" and so on for the send queue of each channel, with
 * "rx0_" for the one receive queue of datagrams, and with "conn_tx_" or "conn_rx_" for the sum over
 * all connections.
 */
#define COUNTER_NAME(_upper, _lower)	#_lower,
static const char * const tx_names[] = { IPOIB_TX_COUNTERS(COUNTER_NAME) };
static const char * const rx_names[] = { IPOIB_RX_COUNTERS(COUNTER_NAME) };

static const char * const control_names[] = {
	"qp_recoveries", "peers", "groups", "port_qkey_violations",
	"port_pkey_violations", "connections", "conn_refused_stale",
	"conn_refused_elsewhere", "conn_refused_full", "conn_refused_foreign",
	"conn_refused_kind", "conn_refused_malformed", "tx_timeouts",
};

/* Bit numbers of the private flags; the order is that of flag_names. */
enum flag {
	FLAG_MCAST_TO_BROADCAST,
	FLAG_SL_OF_BROADCAST,
	FLAG_RC,
	FLAG_UC,
	FLAG_OPENER_SENDS,
	FLAG_CHILDREN_FOLLOW,
	FLAG_LINK_CHECKSUMS,
};

static const char * const flag_names[] = {
	[FLAG_MCAST_TO_BROADCAST]	= "multicast-to-broadcast",
	[FLAG_SL_OF_BROADCAST]		= "sl-of-broadcast",
	[FLAG_RC]			= "rc",
	[FLAG_UC]			= "uc",
	[FLAG_OPENER_SENDS]		= "opener-sends",
	[FLAG_CHILDREN_FOLLOW]		= "children-follow",
	[FLAG_LINK_CHECKSUMS]		= "link-checksums",
};

/*
 * read_control() does not take @lock, which is held while the HCA is waited for: all others would
 * wait for RTNL.
 */
static u64 *read_control(struct ipoib_dev *idev, u64 *data)
{
	data[0] = READ_ONCE(idev->recoveries);
	data[1] = READ_ONCE(idev->peers.count);
	data[2] = ipoib_mcast_set_count(&idev->mcast);
	/* ipoib_fabric_set_link() may replace the link meanwhile: old and new ones will do. */
	data[3] = data_race(idev->fabric.link.qkey_violations);
	/* For this counter, too, old and new ones will do. */
	data[4] = data_race(idev->fabric.link.pkey_violations);
	__netif_tx_lock_bh(idev->tx.txq);
	data[5] = idev->conn_set ? READ_ONCE(idev->conn_set->count) : 0;
	__netif_tx_unlock_bh(idev->tx.txq);
	data[6] = (u32)atomic_read(&idev->refused.stale);
	data[7] = (u32)atomic_read(&idev->refused.elsewhere);
	data[8] = (u32)atomic_read(&idev->refused.full);
	data[9] = (u32)atomic_read(&idev->refused.foreign);
	data[10] = (u32)atomic_read(&idev->refused.kind);
	data[11] = (u32)atomic_read(&idev->refused.malformed);
	data[12] = READ_ONCE(idev->tx_timeouts);
	return data + ARRAY_SIZE(control_names);
}

static unsigned int count_counters(const struct net_device *dev)
{
	return (dev->num_tx_queues + 1) * ARRAY_SIZE(tx_names) + 2 * ARRAY_SIZE(rx_names) +
	       ARRAY_SIZE(control_names) + IPOIB_DROP_COUNT;
}

static int get_sset_count(struct net_device *dev, int sset)
{
	switch (sset) {
	case ETH_SS_STATS:
		return count_counters(dev);
	case ETH_SS_PRIV_FLAGS:
		return ARRAY_SIZE(flag_names);
	default:
		return -EOPNOTSUPP;
	}
}

static void get_flag_strings(u8 *data)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(flag_names); i++)
		ethtool_sprintf(&data, "%s", flag_names[i]);
}

static void get_stats_strings(const struct net_device *dev, u8 *data)
{
	int i, queue;

	for (queue = 0; queue < dev->num_tx_queues; queue++)
		for (i = 0; i < ARRAY_SIZE(tx_names); i++)
			ethtool_sprintf(&data, "tx%d_%s", queue, tx_names[i]);
	for (i = 0; i < ARRAY_SIZE(rx_names); i++)
		ethtool_sprintf(&data, "rx0_%s", rx_names[i]);
	for (i = 0; i < ARRAY_SIZE(tx_names); i++)
		ethtool_sprintf(&data, "conn_tx_%s", tx_names[i]);
	for (i = 0; i < ARRAY_SIZE(rx_names); i++)
		ethtool_sprintf(&data, "conn_rx_%s", rx_names[i]);
	for (i = 0; i < ARRAY_SIZE(control_names); i++)
		ethtool_sprintf(&data, "%s", control_names[i]);
	for (i = 0; i < IPOIB_DROP_COUNT; i++)
		ethtool_sprintf(&data, "drop_%s", ipoib_drop_name(i));
}

static void get_strings(struct net_device *dev, u32 sset, u8 *data)
{
	if (sset == ETH_SS_STATS)
		get_stats_strings(dev, data);
	else if (sset == ETH_SS_PRIV_FLAGS)
		get_flag_strings(data);
}

static u32 get_priv_flags(struct net_device *dev)
{
	const struct ipoib_dev *idev = netdev_priv(dev);
	u32 flags = 0;

	if (READ_ONCE(idev->mcast.to_broadcast))
		flags |= BIT(FLAG_MCAST_TO_BROADCAST);
	if (READ_ONCE(idev->fabric.group_sl))
		flags |= BIT(FLAG_SL_OF_BROADCAST);
	if (READ_ONCE(idev->offer) & IPOIB_OFFER_RC)
		flags |= BIT(FLAG_RC);
	if (READ_ONCE(idev->offer) & IPOIB_OFFER_UC)
		flags |= BIT(FLAG_UC);
	if (READ_ONCE(idev->opener_sends))
		flags |= BIT(FLAG_OPENER_SENDS);
	if (!READ_ONCE(idev->children_stay))
		flags |= BIT(FLAG_CHILDREN_FOLLOW);
	if (READ_ONCE(idev->link_sums))
		flags |= BIT(FLAG_LINK_CHECKSUMS);
	return flags;
}

static int set_priv_flags(struct net_device *dev, u32 flags)
{
	struct ipoib_dev *idev = netdev_priv(dev);
	unsigned int offer = 0;
	int err;

	if (flags & BIT(FLAG_RC))
		offer |= IPOIB_OFFER_RC;
	if (flags & BIT(FLAG_UC))
		offer |= IPOIB_OFFER_UC;
	err = ipoib_dev_conns_set_offer(idev, offer, flags & BIT(FLAG_OPENER_SENDS),
					flags & BIT(FLAG_LINK_CHECKSUMS));
	if (err)
		return err;

	WRITE_ONCE(idev->children_stay, !(flags & BIT(FLAG_CHILDREN_FOLLOW)));
	ipoib_mcast_set_to_broadcast(&idev->mcast,
				     flags & BIT(FLAG_MCAST_TO_BROADCAST));

	/* Have existing paths asked for anew, so that they get the other service level, too. */
	WRITE_ONCE(idev->fabric.group_sl, flags & BIT(FLAG_SL_OF_BROADCAST));
	ipoib_dev_doubt_paths(idev, 0);
	return 0;
}

/*
 * The port cannot be queried here, because soft-RoCE would take RTNL for that and RTNL is
 * held. So the counters of the port are those of the last query, and ipoib_dev_query_port()
 * requests the next one.
 */
static void read_counters(struct ipoib_dev *idev, u64 *data)
{
	unsigned int queues = idev->dev->num_tx_queues, i;

	memset(data, 0, count_counters(idev->dev) * sizeof(*data));
	for (i = 0; i < queues; i++, data += IPOIB_TX_COUNTS)
		ipoib_tx_stats_add(&idev->txs[i]->stats, data);
	ipoib_rx_stats_add(&idev->rx.stats, data);
	data += IPOIB_RX_COUNTS;
	/* Of all bundles together: which of them a peer is in nobody needs to know. */
	for (i = 0; i < queues; i++)
		ipoib_tx_stats_add(&idev->bundles[i].stats, data);
	data += IPOIB_TX_COUNTS;
	ipoib_rx_stats_add_cpus(idev->conn_rx, data);
	data = read_control(idev, data + IPOIB_RX_COUNTS);
	ipoib_drops_read(&idev->drops, data);
	ipoib_dev_query_port(idev);
}

static void get_ethtool_stats(struct net_device *dev,
			      struct ethtool_stats *stats, u64 *data)
{
	read_counters(netdev_priv(dev), data);
}

/**
 * ipoib_ethtool_walk - call a function for each counter of ethtool -S
 * @idev: an interface; it may be going, if it is referenced
 * @fn: the function
 * @ctx: its first argument
 *
 * Return: 0 or -ENOMEM.
 * Context: Process context, may sleep, but waits neither for RTNL nor for an HCA.
 */
int ipoib_ethtool_walk(struct ipoib_dev *idev,
		       void (*fn)(void *ctx, const char *name, u64 value), void *ctx)
{
	unsigned int i, count = count_counters(idev->dev);
	u64 *values;
	char *names;

	values = kvcalloc(count, sizeof(*values) + ETH_GSTRING_LEN, GFP_KERNEL);
	if (!values)
		return -ENOMEM;
	names = (char *)(values + count);
	get_stats_strings(idev->dev, (u8 *)names);
	read_counters(idev, values);
	for (i = 0; i < count; i++)
		fn(ctx, names + i * ETH_GSTRING_LEN, values[i]);
	kvfree(values);
	return 0;
}

static void get_drvinfo(struct net_device *dev, struct ethtool_drvinfo *info)
{
	struct ipoib_dev *idev = netdev_priv(dev);
	struct ib_device *ibdev = idev->fabric.ibdev;

	strscpy(info->driver, KBUILD_MODNAME, sizeof(info->driver));
	ib_get_device_fw_str(ibdev, info->fw_version);
	strscpy(info->bus_info,
		ibdev->dev.parent ? dev_name(ibdev->dev.parent) :
				    ibdev->name,
		sizeof(info->bus_info));
}

static void get_ringparam(struct net_device *dev,
			  struct ethtool_ringparam *ring,
			  struct kernel_ethtool_ringparam *kernel_ring,
			  struct netlink_ext_ack *extack)
{
	const struct ipoib_dev *idev = netdev_priv(dev);

	ring->rx_max_pending = ipoib_ud_rx_most(idev->fabric.ibdev);
	ring->rx_pending = idev->rx_slots;
	ring->tx_max_pending = IPOIB_UD_TX_SLOTS;
	ring->tx_pending = idev->tx_slots;
}

/*
 * Buffers are memory of the host. So a user who administers only the network namespace of the
 * interface may have no more than by default, or than the administrator of the host has set.
 */
static int set_ringparam(struct net_device *dev,
			 struct ethtool_ringparam *ring,
			 struct kernel_ethtool_ringparam *kernel_ring,
			 struct netlink_ext_ack *extack)
{
	struct ipoib_dev *idev = netdev_priv(dev);
	u32 rx, tx;

	if (ring->rx_pending < SLOTS_MIN || ring->tx_pending < SLOTS_MIN) {
		NL_SET_ERR_MSG_MOD(extack, "a ring has 64 slots at least");
		return -EINVAL;
	}
	rx = roundup_pow_of_two(ring->rx_pending);
	tx = roundup_pow_of_two(ring->tx_pending);
	if (rx > max_t(u32, IPOIB_UD_RX_SLOTS, idev->rx_slots) && !capable(CAP_NET_ADMIN))
		return -EPERM;
	return ipoib_dev_resize_rings(idev, rx, tx);
}

static bool can_moderate(const struct ipoib_dev *idev, struct netlink_ext_ack *extack)
{
	if (ipoib_moder_possible(idev->fabric.ibdev))
		return true;
	NL_SET_ERR_MSG_MOD(extack, "the RDMA device cannot moderate its interrupts");
	return false;
}

static int get_coalesce(struct net_device *dev, struct ethtool_coalesce *coal,
			struct kernel_ethtool_coalesce *kernel_coal,
			struct netlink_ext_ack *extack)
{
	const struct ipoib_dev *idev = netdev_priv(dev);

	if (!can_moderate(idev, extack))
		return -EOPNOTSUPP;

	coal->rx_coalesce_usecs = idev->rx_moder.usecs;
	coal->rx_max_coalesced_frames = idev->rx_moder.frames;
	coal->use_adaptive_rx_coalesce = idev->rx_moder.adaptive;
	coal->tx_coalesce_usecs = idev->tx_moder.usecs;
	coal->tx_max_coalesced_frames = idev->tx_moder.frames;
	coal->use_adaptive_tx_coalesce = idev->tx_moder.adaptive;
	return 0;
}

/* @coalesce is what the user wants of one direction, if the device can do it. */
static int check_coalesce(const struct ipoib_dev *idev, u32 usecs, u32 frames, u32 adaptive,
			  struct ipoib_coalesce *coalesce, struct netlink_ext_ack *extack)
{
	const struct ib_cq_caps *caps = &idev->fabric.ibdev->attrs.cq_caps;

	if (usecs > caps->max_cq_moderation_period) {
		NL_SET_ERR_MSG_MOD(extack, "the RDMA device cannot wait for so many usecs");
		return -ERANGE;
	}
	if (frames > caps->max_cq_moderation_count) {
		NL_SET_ERR_MSG_MOD(extack, "the RDMA device cannot wait for so many frames");
		return -ERANGE;
	}
	/* Without a time the HCA would wait for ever for frames that do not come. */
	if (frames > 1 && !usecs) {
		NL_SET_ERR_MSG_MOD(extack, "more than one frame needs a time, in usecs, too");
		return -EINVAL;
	}
	coalesce->usecs = usecs;
	coalesce->frames = frames;
	coalesce->adaptive = adaptive;
	return 0;
}

static int set_coalesce(struct net_device *dev, struct ethtool_coalesce *coal,
			struct kernel_ethtool_coalesce *kernel_coal,
			struct netlink_ext_ack *extack)
{
	struct ipoib_dev *idev = netdev_priv(dev);
	struct ipoib_coalesce rx, tx;
	int err;

	if (!can_moderate(idev, extack))
		return -EOPNOTSUPP;

	err = check_coalesce(idev, coal->rx_coalesce_usecs, coal->rx_max_coalesced_frames,
			     coal->use_adaptive_rx_coalesce, &rx, extack);
	if (!err)
		err = check_coalesce(idev, coal->tx_coalesce_usecs, coal->tx_max_coalesced_frames,
				     coal->use_adaptive_tx_coalesce, &tx, extack);
	return err ?: ipoib_dev_moderate(idev, &rx, &tx);
}

/*
 * A combined channel is a queue of datagrams. The first one receives, too, for the HCA brings all
 * datagrams to the QP whose number is in the link-layer address. Other channels are connections.
 */
static void get_channels(struct net_device *dev,
			 struct ethtool_channels *channels)
{
	const struct ipoib_dev *idev = netdev_priv(dev);

	channels->max_combined = dev->num_tx_queues;
	channels->combined_count = dev->real_num_tx_queues;
	channels->max_other = ipoib_conn_set_limit_max(idev->fabric.ibdev);
	channels->other_count = READ_ONCE(idev->conn_limit);
}

/*
 * Each connection takes a queue pair and buffers from the host. So a user who administers
 * only the network namespace of the interface may not exceed the default limit, or the
 * present one if the administrator of the host has set a higher one.
 */
static int set_channels(struct net_device *dev,
			struct ethtool_channels *channels)
{
	struct ipoib_dev *idev = netdev_priv(dev);
	unsigned int allowed = max_t(unsigned int, IPOIB_CONN_LIMIT,
				     idev->conn_limit);
	int err;

	if (!channels->combined_count)
		return -EINVAL;
	if (channels->other_count > allowed && !capable(CAP_NET_ADMIN))
		return -EPERM;
	if (!channels->other_count ||
	    channels->other_count > ipoib_conn_set_limit_max(idev->fabric.ibdev))
		return -EINVAL;
	/* In this order: a new limit makes new connections, for as many channels as there are. */
	err = ipoib_dev_chans_set(idev, channels->combined_count);
	return err ?: ipoib_dev_conns_set_limit(idev, channels->other_count);
}

static int get_link_ksettings(struct net_device *dev,
			      struct ethtool_link_ksettings *settings)
{
	struct ipoib_dev *idev = netdev_priv(dev);
	/* An old speed will do as well as a new one, see read_control(). */
	u32 speed = data_race(idev->fabric.link.speed);

	settings->base.port = PORT_OTHER;
	settings->base.autoneg = AUTONEG_ENABLE;
	settings->base.speed = SPEED_UNKNOWN;
	settings->base.duplex = DUPLEX_UNKNOWN;
	if (netif_carrier_ok(dev) && speed) {
		settings->base.speed = speed;
		settings->base.duplex = DUPLEX_FULL;
	}
	return 0;
}

static const struct ethtool_ops ethtool_ops = {
	.supported_coalesce_params = ETHTOOL_COALESCE_USECS | ETHTOOL_COALESCE_MAX_FRAMES |
				     ETHTOOL_COALESCE_USE_ADAPTIVE,
	.get_coalesce		= get_coalesce,
	.set_coalesce		= set_coalesce,
	.get_drvinfo		= get_drvinfo,
	.get_link		= ethtool_op_get_link,
	.get_ringparam		= get_ringparam,
	.set_ringparam		= set_ringparam,
	.get_channels		= get_channels,
	.set_channels		= set_channels,
	.get_link_ksettings	= get_link_ksettings,
	.get_ts_info		= ethtool_op_get_ts_info,
	.get_sset_count		= get_sset_count,
	.get_strings		= get_strings,
	.get_priv_flags		= get_priv_flags,
	.set_priv_flags		= set_priv_flags,
	.get_ethtool_stats	= get_ethtool_stats,
};

/**
 * ipoib_ethtool_setup - set the ethtool operations of a new net_device
 * @dev: a net_device that is not registered yet
 *
 * Context: Process context.
 */
void ipoib_ethtool_setup(struct net_device *dev)
{
	dev->ethtool_ops = &ethtool_ops;
}
