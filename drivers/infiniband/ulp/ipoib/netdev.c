// SPDX-License-Identifier: GPL-2.0
#include "netdev.h"

#include <linux/if_arp.h>
#include <net/neighbour.h>
#include <net/pkt_sched.h>
#include <rdma/ib_cache.h>

#include "device.h"
#include "log.h"
#include "port.h"
#include "xmit.h"

static int hard_header(struct sk_buff *skb, struct net_device *dev,
		       unsigned short type, const void *daddr,
		       const void *saddr, unsigned int len)
{
	struct ipoib_hard_hdr *hard = skb_push(skb, sizeof(*hard));

	hard->hdr.proto = htons(type);
	hard->hdr.reserved = 0;
	if (!daddr) {
		memset(&hard->daddr, 0, sizeof(hard->daddr));
		return -IPOIB_HARD_LEN;
	}

	memcpy(&hard->daddr, daddr, sizeof(hard->daddr));
	return IPOIB_HARD_LEN;
}

static int hard_header_cache(const struct neighbour *neigh, struct hh_cache *hh,
			     __be16 type)
{
	struct ipoib_hard_hdr *hard;

	hard = (void *)((u8 *)hh->hh_data + HH_DATA_OFF(IPOIB_HARD_LEN));
	hard->hdr.proto = type;
	hard->hdr.reserved = 0;
	memcpy(&hard->daddr, neigh->ha, sizeof(hard->daddr));

	/* Publish the header before its length; pairs with the reader of hh_len. */
	smp_store_release(&hh->hh_len, IPOIB_HARD_LEN);
	return 0;
}

static void hard_header_cache_update(struct hh_cache *hh,
				     const struct net_device *dev,
				     const unsigned char *haddr)
{
	memcpy((u8 *)hh->hh_data + HH_DATA_OFF(IPOIB_HARD_LEN), haddr,
	       sizeof(struct ipoib_hwaddr));
}

/*
 * hard_header_parse() tells the port that has sent a packet by its GUID, the last octets of the
 * link-layer address. Packet sockets would take all of that. But nfnetlink_queue and
 * nfnetlink_log have buffers of eight octets for what this function writes, and do not say how
 * long they are. The private area of the net_device must not be used, because a bond has another
 * one.
 */
static int hard_header_parse(COMPAT_PARSE_ARGS)
{
	const u8 *from = skb_mac_header(skb);

	/* In a packet that this host sends, the header has the address of the receiver. */
	if (skb->pkt_type == PACKET_OUTGOING || skb->pkt_type == PACKET_LOOPBACK)
		from = skb->dev->dev_addr;
	from += INFINIBAND_ALEN - IPOIB_GUID_LEN;
	if (!memchr_inv(from, 0, IPOIB_GUID_LEN))
		return 0;
	memcpy(haddr, from, IPOIB_GUID_LEN);
	return IPOIB_GUID_LEN;
}

static const struct header_ops header_ops = {
	.create		= hard_header,
	.parse		= hard_header_parse,
	.cache		= hard_header_cache,
	.cache_update	= hard_header_cache_update,
};

static int ndo_init(struct net_device *dev)
{
	struct ipoib_dev *idev = netdev_priv(dev);
	int err;

	err = ipoib_dev_init(idev);
	if (!err)
		ipoib_debugfs_add(idev);
	return err;
}

static void ndo_uninit(struct net_device *dev)
{
	struct ipoib_dev *idev = netdev_priv(dev);

	ipoib_debugfs_del(idev);
	ipoib_dev_kill(idev);
}

static void priv_destructor(struct net_device *dev)
{
	ipoib_dev_exit(netdev_priv(dev));
}

static int ndo_open(struct net_device *dev)
{
	ipoib_dev_open(netdev_priv(dev));
	return 0;
}

static int ndo_stop(struct net_device *dev)
{
	ipoib_dev_stop(netdev_priv(dev));
	return 0;
}

static void ndo_set_rx_mode(struct net_device *dev)
{
	struct ipoib_dev *idev = netdev_priv(dev);

	ipoib_mcast_set_sync(&idev->mcast);
}

static int ndo_change_mtu(struct net_device *dev, int mtu)
{
	return ipoib_dev_change_mtu(netdev_priv(dev), mtu);
}

/*
 * A connection has none of the HCA's offloads, but may do without checksums. What was sent to the
 * stack's queue under other features is dealt with when it is put on a ring: see sum_settled() of
 * txring.c.
 */
static netdev_features_t ndo_fix_features(struct net_device *dev, netdev_features_t features)
{
	const struct ipoib_dev *idev = netdev_priv(dev);

	if (READ_ONCE(idev->connected))
		features &= ~(NETIF_F_IP_CSUM | NETIF_F_TSO);
	if (!READ_ONCE(idev->connected) || !READ_ONCE(idev->link_sums))
		features &= ~NETIF_F_HW_CSUM;
	return features;
}

/*
 * The stack has logged that a queue timed out, but not what the HCA still has. ctl_work() recovers
 * the queue pair, which takes that back.
 */
static void ndo_tx_timeout(struct net_device *dev, unsigned int queue)
{
	struct ipoib_dev *idev = netdev_priv(dev);
	struct ipoib_ud_tx *tx = idev->txs[queue];
	const struct ipoib_ring *ring = &tx->ring.ring;

	WRITE_ONCE(idev->tx_timeouts, idev->tx_timeouts + 1);
	if (ipoib_may_log())
		netdev_warn(dev, "the HCA has had %u of %u datagrams for too long: QP 0x%06x is brought back\n",
			    ipoib_ring_used(ring), ipoib_ring_size(ring),
			    READ_ONCE(tx->qp->qpn));
	ipoib_ud_tx_failed(tx);
}

/* The stack has made @sa long enough for addresses of this length. */
static int ndo_set_mac_address(struct net_device *dev, void *sa)
{
	const struct sockaddr_storage *ss = sa;
	struct ipoib_hwaddr addr;

	memcpy(&addr, ss->__data, sizeof(addr));
	return ipoib_dev_set_addr(netdev_priv(dev), &addr);
}

static int ndo_get_phys_port_id(struct net_device *dev, struct netdev_phys_item_id *id)
{
	const struct ipoib_dev *idev = netdev_priv(dev);
	union ib_gid gid;

	/*
	 * On RoCE the interface is one of the Ethernet device, which may have an ID itself. On
	 * InfiniBand the core takes the GID out of its table for a moment whenever it reads that
	 * anew; the stack would drop the whole message for another error.
	 */
	if (idev->fabric.lower ||
	    rdma_query_gid(idev->fabric.ibdev, idev->fabric.port, 0, &gid))
		return -EOPNOTSUPP;
	id->id_len = IPOIB_GUID_LEN;
	memcpy(id->id, &gid.global.interface_id, IPOIB_GUID_LEN);
	return 0;
}

/*
 * The device may have virtual functions, which the host's administrator sets up by the interface
 * of the port. A child, and an interface on RoCE, stands for none; nor does one that was lent to a
 * tenant, who would change the machines of others.
 */
static struct ib_device *vf_device(struct net_device *dev, u32 *port)
{
	const struct ipoib_dev *idev = netdev_priv(dev);

	*port = idev->fabric.port;
	if (!ipoib_is_parent(idev) || dev_net(dev)->user_ns != &init_user_ns)
		return NULL;
	return idev->fabric.ibdev;
}

static int ndo_set_vf_link_state(struct net_device *dev, int vf, int state)
{
	u32 port;
	struct ib_device *ibdev = vf_device(dev, &port);

	return ibdev ? ib_set_vf_link_state(ibdev, vf, port, state) : -EOPNOTSUPP;
}

static int ndo_get_vf_config(struct net_device *dev, int vf, struct ifla_vf_info *info)
{
	u32 port;
	struct ib_device *ibdev = vf_device(dev, &port);
	int err;

	err = ibdev ? ib_get_vf_config(ibdev, vf, port, info) : -EOPNOTSUPP;
	if (err)
		return err;

	/*
	 * The whole address is copied, as ib_ipoib does: ip prints as many octets of it as the
	 * interface has.
	 */
	BUILD_BUG_ON(sizeof(info->mac) < INFINIBAND_ALEN);
	memcpy(info->mac, dev->dev_addr, INFINIBAND_ALEN);
	info->vf = vf;
	return 0;
}

static int ndo_get_vf_stats(struct net_device *dev, int vf, struct ifla_vf_stats *stats)
{
	u32 port;
	struct ib_device *ibdev = vf_device(dev, &port);

	return ibdev ? ib_get_vf_stats(ibdev, vf, port, stats) : -EOPNOTSUPP;
}

static int ndo_get_vf_guid(struct net_device *dev, int vf, struct ifla_vf_guid *node,
			   struct ifla_vf_guid *port_guid)
{
	u32 port;
	struct ib_device *ibdev = vf_device(dev, &port);

	return ibdev ? ib_get_vf_guid(ibdev, vf, port, node, port_guid) : -EOPNOTSUPP;
}

static int ndo_set_vf_guid(struct net_device *dev, int vf, u64 guid, int type)
{
	u32 port;
	struct ib_device *ibdev = vf_device(dev, &port);

	if (type != IFLA_VF_IB_NODE_GUID && type != IFLA_VF_IB_PORT_GUID)
		return -EINVAL;
	return ibdev ? ib_set_vf_guid(ibdev, vf, port, guid, type) : -EOPNOTSUPP;
}

static int ndo_get_iflink(const struct net_device *dev)
{
	const struct ipoib_dev *idev = netdev_priv(dev);
	const struct net_device *lower = idev->fabric.lower ?: idev->config.parent;

	return lower ? READ_ONCE(lower->ifindex) : READ_ONCE(dev->ifindex);
}

/* Each dropped packet is counted once, as an error or as a drop. */
static void add_drops(const struct ipoib_dev *idev, struct rtnl_link_stats64 *sum)
{
	u64 drops[IPOIB_DROP_COUNT];
	int i;

	ipoib_drops_read(&idev->drops, drops);
	for (i = 0; i < IPOIB_DROP_COUNT; i++) {
		switch (i) {
		case IPOIB_DROP_TX_FLUSHED:
		case IPOIB_DROP_TX_POST:
			sum->tx_errors += drops[i];
			break;
		case IPOIB_DROP_RX_RUNT:
		case IPOIB_DROP_RX_OVERSIZE:
			sum->rx_length_errors += drops[i];
			fallthrough;
		case IPOIB_DROP_RX_ERROR:
			sum->rx_errors += drops[i];
			break;
		case IPOIB_DROP_RX_OWN:
		case IPOIB_DROP_TX_NO_MEMBER:
			/*
			 * Our own multicast packet came back, or there was nobody to miss it:
			 * dropping it loses nothing.
			 */
			break;
		default:
			if (i < IPOIB_DROP_RX_RUNT)
				sum->tx_dropped += drops[i];
			else
				sum->rx_dropped += drops[i];
		}
	}
}

static void ndo_get_stats64(struct net_device *dev,
			    struct rtnl_link_stats64 *sum)
{
	const struct ipoib_dev *idev = netdev_priv(dev);
	u64 tx[IPOIB_TX_COUNTS] = {}, rx[IPOIB_RX_COUNTS] = {};
	int i;

	for (i = 0; i < dev->num_tx_queues; i++) {
		ipoib_tx_stats_add(&idev->txs[i]->stats, tx);
		ipoib_tx_stats_add(&idev->bundles[i].stats, tx);
	}
	ipoib_rx_stats_add(&idev->rx.stats, rx);
	ipoib_rx_stats_add_cpus(idev->conn_rx, rx);
	sum->tx_packets = tx[IPOIB_TX_PACKETS];
	sum->tx_bytes = tx[IPOIB_TX_BYTES];
	sum->rx_packets = rx[IPOIB_RX_PACKETS];
	sum->rx_bytes = rx[IPOIB_RX_BYTES];
	sum->multicast = rx[IPOIB_RX_MULTICAST];
	add_drops(idev, sum);
}

static const struct net_device_ops netdev_ops = {
	.ndo_init		= ndo_init,
	.ndo_uninit		= ndo_uninit,
	.ndo_open		= ndo_open,
	.ndo_stop		= ndo_stop,
	.ndo_start_xmit		= ipoib_xmit,
	.ndo_select_queue	= ipoib_xmit_queue,
	.ndo_set_rx_mode	= ndo_set_rx_mode,
	.ndo_change_mtu		= ndo_change_mtu,
	.ndo_fix_features	= ndo_fix_features,
	.ndo_tx_timeout		= ndo_tx_timeout,
	.ndo_set_mac_address	= ndo_set_mac_address,
	.ndo_get_phys_port_id	= ndo_get_phys_port_id,
	.ndo_set_vf_link_state	= ndo_set_vf_link_state,
	.ndo_get_vf_config	= ndo_get_vf_config,
	.ndo_get_vf_stats	= ndo_get_vf_stats,
	.ndo_get_vf_guid	= ndo_get_vf_guid,
	.ndo_set_vf_guid	= ndo_set_vf_guid,
	.ndo_get_iflink		= ndo_get_iflink,
	.ndo_get_stats64	= ndo_get_stats64,
};

/**
 * ipoib_netdev_is_ours - does a net_device belong to this driver
 * @dev: any net_device; its type is no proof, because those of ib_ipoib have the same
 *
 * Context: Any.
 * Return: true if netdev_priv() is a struct ipoib_dev.
 */
bool ipoib_netdev_is_ours(const struct net_device *dev)
{
	return dev->netdev_ops == &netdev_ops;
}

/**
 * ipoib_netdev_setup - fill in a new net_device
 * @dev: from alloc_netdev(), with room for a struct ipoib_dev
 *
 * Context: Process context.
 */
void ipoib_netdev_setup(struct net_device *dev)
{
	struct ipoib_dev *idev = netdev_priv(dev);

	idev->dev = dev;
	dev->netdev_ops = &netdev_ops;
	dev->header_ops = &header_ops;
	dev->needs_free_netdev = true;
	dev->priv_destructor = priv_destructor;
	ipoib_ethtool_setup(dev);

	dev->type = ARPHRD_INFINIBAND;
	dev->addr_len = INFINIBAND_ALEN;
	dev->hard_header_len = IPOIB_HARD_LEN;
	dev->flags |= IFF_BROADCAST | IFF_MULTICAST;
	/* Without a length alloc_netdev() would set IFF_NO_QUEUE: no qdisc by default. */
	dev->tx_queue_len = DEFAULT_TX_QUEUE_LEN;
	/*
	 * netpoll writes Ethernet headers, so none of its packets would go out. And it polls with
	 * interrupts off, where tx_poll() may wait for a lock of the CPU that is interrupted.
	 */
	dev->priv_flags |= IFF_DISABLE_NETPOLL;
	dev->watchdog_timeo = IPOIB_TX_TIMEOUT;
	dev->min_mtu = IPOIB_MIN_MTU;
	dev->max_mtu = IPOIB_UD_MAX_MTU;
	dev->features |= NETIF_F_VLAN_CHALLENGED | NETIF_F_HIGHDMA;
	/*
	 * pmtu_work() finds the sender of a packet that is too long by the route in its skb, so
	 * the stack must keep that. A bond keeps routes if its slaves do.
	 */
	netif_keep_dst(dev);
	netif_carrier_off(dev);
}
