// SPDX-License-Identifier: GPL-2.0
/* Which way a packet goes, and which goes none. */
#include <kunit/test.h>
#include <linux/netdevice.h>
#include <linux/tcp.h>
#include <net/ndisc.h>

#include "../conn_set.h"
#include "../device.h"

/* The queue that the stack would choose. */
static u16 picked;

#define netdev_pick_tx(_dev, _skb, _sb_dev)	((void)(_sb_dev), picked)
#include "../xmit.c"

#include "../addr.c"

/* Longest packet of the link, of the path to the peer, and of a connection. */
#define LINK_MTU	2044
#define PATH_MTU	1500
#define CONN_MTU	60000

/* What became of the last packet. */
enum fate {
	NOTHING,
	DATAGRAM,
	CONNECTION,
	STAGED,
	STAGED_ON_CONNECTION,
	TOO_BIG,
	DROPPED,
};

/**
 * struct world - an interface with one peer that it knows, and what it does with a packet
 * @idev: the interface
 * @batch: what is in a ring, of which one is used at a time
 * @second: send ring of its second channel
 * @peer: the peer
 * @ah: its path
 * @set: the connections of the interface
 * @conn_txs: what they send with
 * @bundles: those that they are in
 * @conn: the connection to the peer
 * @other: a peer that the table makes; NULL if it makes none
 * @fate: of the packet
 * @by: the ring that has sent it; NULL for none
 * @to: where, if by a datagram
 * @by_first: the TX lock of the first channel was held
 * @reason: why it was dropped
 * @told: the MTU that its sender was told
 * @wanted: a connection was asked for
 * @urgent: for a packet that goes by no datagram
 * @asked: the path was asked for again
 * @flushed: what is in the rings was handed to the HCA
 * @rung: what is in a bundle was
 * @rung_last: in that one
 * @rung_before: how often, before the last packet was sent
 */
static struct world {
	struct ipoib_dev *idev;
	struct ipoib_tx_batch batch;
	struct ipoib_ud_tx second;
	struct ipoib_peer peer;
	struct ipoib_ah ah;
	struct ipoib_conn_set *set;
	struct ipoib_conn_tx conn_txs[2];
	struct ipoib_bundle bundles[2];
	struct ipoib_conn conn;
	struct ipoib_peer *other;
	enum fate fate;
	const struct ipoib_ud_tx *by;
	struct ipoib_tx_to to;
	bool by_first;
	enum ipoib_drop_reason reason;
	unsigned int told;
	unsigned int wanted;
	bool urgent;
	unsigned int asked;
	unsigned int flushed;
	unsigned int rung;
	const struct ipoib_conn_tx *rung_last;
	unsigned int rung_before;
} *world;

static struct ib_ah handle;

static struct ipoib_hwaddr address(u8 flags, u32 node)
{
	struct ipoib_hwaddr addr = { .flags_qpn = cpu_to_be32((u32)flags << 24 | 0x100) };

	addr.gid[3] = cpu_to_be32(node);
	return addr;
}

/* The bundle of a node, of the two that there are. */
static unsigned int bundle(u32 node)
{
	struct ipoib_hwaddr addr = address(IPOIB_FLAG_RC, node);

	return ipoib_bundle_of(&addr, 2);
}

static void end(struct sk_buff *skb, enum fate fate)
{
	world->fate = fate;
	world->by_first = READ_ONCE(world->idev->tx.txq->xmit_lock_owner) != -1;
	kfree_skb(skb);
}

/* ---- what xmit.c calls of the driver ----------------------------------- */

void ipoib_drop_skb(struct ipoib_drops *drops, enum ipoib_drop_reason reason, struct sk_buff *skb)
{
	world->reason = reason;
	end(skb, DROPPED);
}

void ipoib_pmtu_add(struct ipoib_pmtu *pmtu, struct sk_buff *skb, unsigned int mtu)
{
	world->told = mtu;
	end(skb, TOO_BIG);
}

bool ipoib_txring_add(struct ipoib_txring *tx, struct sk_buff *skb, const struct ipoib_tx_to *to)
{
	world->by = container_of(tx, struct ipoib_ud_tx, ring);
	world->to = *to;
	tx->batch->count++;
	end(skb, DATAGRAM);
	return true;
}

struct ipoib_tx_posted ipoib_txring_post(struct ipoib_txring *tx, bool ask)
{
	tx->batch->count = 0;
	world->flushed++;
	return (struct ipoib_tx_posted) { .whole = true };
}

void ipoib_ud_tx_refused(struct ipoib_ud_tx *tx, struct ipoib_tx_posted posted)
{
}

void ipoib_ud_tx_full(struct ipoib_ud_tx *tx)
{
}

void ipoib_ud_tx_drop(struct ipoib_ud_tx *tx, struct sk_buff *skb)
{
	end(skb, DROPPED);
}

void ipoib_conn_tx_send(struct ipoib_conn *conn, struct sk_buff *skb)
{
	lockdep_assert_held(&world->bundles[bundle(1)].lock);
	world->rung_before = world->rung;
	end(skb, CONNECTION);
}

void ipoib_conn_tx_flush(struct ipoib_conn_tx *tx)
{
	lockdep_assert_held(&tx->bundle->lock);
	world->rung_last = tx;
	world->rung++;
}

struct ipoib_conn *ipoib_conn_peer_want(struct ipoib_conn_set *set, struct ipoib_peer *peer,
					bool urgent)
{
	world->wanted++;
	world->urgent = urgent;
	return NULL;
}

bool ipoib_conn_peer_stage(struct ipoib_conn_set *set, struct ipoib_peer *peer,
			   struct sk_buff *skb)
{
	end(skb, STAGED_ON_CONNECTION);
	return true;
}

bool ipoib_peer_stage(struct ipoib_peer *peer, struct sk_buff *skb)
{
	end(skb, STAGED);
	return true;
}

void ipoib_peer_ask_anew(struct ipoib_peer *peer)
{
	world->asked++;
}

struct ipoib_peer *ipoib_peertable_get(struct ipoib_peertable *table,
				       const struct ipoib_hwaddr *addr)
{
	return world->other;
}

/* ---- packets ----------------------------------------------------------- */

static void setup_dev(struct net_device *dev)
{
}

static void add_channel(struct ipoib_dev *idev, unsigned int queue, struct ipoib_ud_tx *tx)
{
	tx->txq = netdev_get_tx_queue(idev->dev, queue);
	tx->running = true;
	tx->ring.batch = &world->batch;
	ipoib_ring_init(&tx->ring.ring, 8);
	idev->txs[queue] = tx;
}

static void connections(struct ipoib_conn_set *set)
{
	int i;

	set->idev = world->idev;
	set->txs = world->conn_txs;
	set->bundles = ARRAY_SIZE(world->bundles);
	for (i = 0; i < set->bundles; i++) {
		spin_lock_init(&world->bundles[i].lock);
		set->txs[i].set = set;
		set->txs[i].bundle = &world->bundles[i];
	}
}

static int xmit_test_init(struct kunit *test)
{
	struct net_device *dev;
	struct ipoib_dev *idev;

	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world);
	dev = alloc_netdev_mqs(sizeof(*idev), "xmit%d", NET_NAME_ENUM, setup_dev, 2, 1);
	KUNIT_ASSERT_NOT_NULL(test, dev);
	idev = netdev_priv(dev);
	idev->dev = dev;
	world->idev = idev;
	world->set = kunit_kzalloc(test, sizeof(*world->set), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world->set);
	KUNIT_ASSERT_EQ(test, rhashtable_init(&idev->peers.hash, &ipoib_peer_params), 0);
	connections(world->set);
	idev->max_len = LINK_MTU;
	ipoib_mgid_broadcast(&idev->broadcast, IPOIB_SCOPE_LINK, 0xffff);
	add_channel(idev, 0, &idev->tx);
	add_channel(idev, 1, &world->second);
	world->peer.table = &idev->peers;
	world->peer.addr = address(IPOIB_FLAG_RC, 1);
	world->peer.bundle = bundle(1);
	world->peer.qpn = 0x100;
	world->ah.ib = &handle;
	world->ah.mtu = LINK_MTU;
	rcu_assign_pointer(world->peer.ah, &world->ah);
	world->conn.mtu = CONN_MTU;
	return rhashtable_insert_fast(&idev->peers.hash, &world->peer.node, ipoib_peer_params);
}

static void xmit_test_exit(struct kunit *test)
{
	if (!world || !world->idev)
		return;
	rhashtable_destroy(&world->idev->peers.hash);
	free_netdev(world->idev->dev);
}

/* An IP packet of @len octets, with as much of it in reach as it has header. */
static struct sk_buff *packet(struct kunit *test, u32 node, u16 proto, unsigned int len)
{
	struct sk_buff *skb = alloc_skb(IPOIB_HARD_LEN + len, GFP_ATOMIC);
	struct ipoib_hard_hdr *hard;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	hard = skb_put_zero(skb, IPOIB_HARD_LEN + len);
	hard->daddr = address(IPOIB_FLAG_RC, node);
	hard->hdr.proto = cpu_to_be16(proto);
	return skb;
}

/* Is that a moment ago? What is old here is so by seconds. */
static bool is_now(unsigned long at)
{
	return time_after(at, jiffies - HZ);
}

static void goes(struct kunit *test, struct sk_buff *skb, enum fate fate)
{
	world->fate = NOTHING;
	rcu_read_lock();
	xmit_one(world->idev, &world->idev->tx, skb, true);
	rcu_read_unlock();
	KUNIT_EXPECT_EQ(test, world->fate, fate);
}

static void dropped(struct kunit *test, struct sk_buff *skb, enum ipoib_drop_reason reason)
{
	goes(test, skb, DROPPED);
	KUNIT_EXPECT_EQ(test, world->reason, reason);
}

/* ---- datagrams --------------------------------------------------------- */

static void who_has_a_path_is_sent_datagrams(struct kunit *test)
{
	goes(test, packet(test, 1, ETH_P_IP, 100), DATAGRAM);
	KUNIT_EXPECT_PTR_EQ(test, world->to.ah, world->ah.ib);
	KUNIT_EXPECT_EQ(test, world->to.qpn, 0x100);
	goes(test, packet(test, 1, ETH_P_IP, LINK_MTU), DATAGRAM);
	goes(test, packet(test, 1, ETH_P_IP, LINK_MTU + 1), TOO_BIG);
	KUNIT_EXPECT_EQ(test, world->told, LINK_MTU);
	KUNIT_EXPECT_EQ(test, world->wanted, 0);
	/* The path may carry less than the link. */
	world->ah.mtu = PATH_MTU;
	goes(test, packet(test, 1, ETH_P_IP, PATH_MTU), DATAGRAM);
	goes(test, packet(test, 1, ETH_P_IP, PATH_MTU + 1), TOO_BIG);
	KUNIT_EXPECT_EQ(test, world->told, PATH_MTU);
	world->ah.mtu = UINT_MAX;
	goes(test, packet(test, 1, ETH_P_IP, LINK_MTU + 1), TOO_BIG);
	KUNIT_EXPECT_EQ(test, world->told, LINK_MTU);
}

static void what_the_hca_cuts_is_as_long_as_its_segments(struct kunit *test)
{
	struct sk_buff *skb;
	unsigned int size;

	for (size = LINK_MTU; size <= LINK_MTU + 1; size++) {
		skb = packet(test, 1, ETH_P_IP, 9000);
		skb_shinfo(skb)->gso_type = SKB_GSO_TCPV4;
		skb_set_network_header(skb, IPOIB_HARD_LEN);
		skb_set_transport_header(skb, IPOIB_HARD_LEN + 20);
		tcp_hdr(skb)->doff = 5;
		skb_shinfo(skb)->gso_size = size - 40;
		skb_shinfo(skb)->gso_segs = DIV_ROUND_UP(9000 - 40, size - 40);
		goes(test, skb, size > LINK_MTU ? TOO_BIG : DATAGRAM);
	}
}

static void the_first_packet_makes_the_peer(struct kunit *test)
{
	struct ipoib_peer *other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, other);
	other->table = &world->idev->peers;
	dropped(test, packet(test, 2, ETH_P_IP, 100), IPOIB_DROP_TX_NO_PEER);
	world->other = other;
	other->used = jiffies - 9 * HZ;
	goes(test, packet(test, 2, ETH_P_IP, 100), STAGED);
	KUNIT_EXPECT_TRUE(test, is_now(other->used));
	/* In datagram mode nobody makes one for a packet that is too long for all. */
	goes(test, packet(test, 2, ETH_P_IP, LINK_MTU + 1), TOO_BIG);
}

static void a_peer_that_is_sent_to_is_in_use(struct kunit *test)
{
	world->peer.used = jiffies - 9 * HZ;
	goes(test, packet(test, 1, ETH_P_IP, 100), DATAGRAM);
	KUNIT_EXPECT_TRUE(test, is_now(world->peer.used));
	KUNIT_EXPECT_EQ(test, world->asked, 0);
	/* And a path in doubt is asked for when it is. */
	world->peer.used = jiffies - 9 * HZ;
	world->idev->peers.paths++;
	goes(test, packet(test, 1, ETH_P_IP, 100), DATAGRAM);
	KUNIT_EXPECT_EQ(test, world->asked, 1);
}

static void what_ipoib_does_not_carry_is_dropped(struct kunit *test)
{
	struct sk_buff *skb = packet(test, 1, ETH_P_IP, 0);

	skb_trim(skb, IPOIB_HARD_LEN - 1);
	dropped(test, skb, IPOIB_DROP_TX_MALFORMED);
	dropped(test, packet(test, 1, ETH_P_8021Q, 100), IPOIB_DROP_TX_UNKNOWN_PROTO);
	goes(test, packet(test, 1, ETH_P_IP, 0), DATAGRAM);
}

/* ---- connections ------------------------------------------------------- */

/* Connected mode, with a connection or before. */
static void connect(bool there)
{
	world->idev->conns = world->set;
	world->peer.conn = there ? &world->conn : NULL;
}

static void what_is_too_long_for_a_datagram_waits_for_a_connection(struct kunit *test)
{
	connect(false);
	goes(test, packet(test, 1, ETH_P_IP, LINK_MTU), DATAGRAM);
	KUNIT_EXPECT_EQ(test, world->wanted, 1);
	KUNIT_EXPECT_FALSE(test, world->urgent);
	goes(test, packet(test, 1, ETH_P_IP, LINK_MTU + 1), STAGED_ON_CONNECTION);
	KUNIT_EXPECT_EQ(test, world->wanted, 2);
	KUNIT_EXPECT_TRUE(test, world->urgent);
}

static void all_goes_by_the_connection_that_fits(struct kunit *test)
{
	connect(true);
	world->peer.used = jiffies - 9 * HZ;
	goes(test, packet(test, 1, ETH_P_IP, 100), CONNECTION);
	KUNIT_EXPECT_TRUE(test, is_now(world->peer.used));
	goes(test, packet(test, 1, ETH_P_IP, CONN_MTU), CONNECTION);
	goes(test, packet(test, 1, ETH_P_IP, CONN_MTU + 1), TOO_BIG);
	KUNIT_EXPECT_EQ(test, world->told, CONN_MTU);
	/* A peer may take less by it than by datagrams. */
	world->conn.mtu = 1000;
	goes(test, packet(test, 1, ETH_P_IP, 1000), CONNECTION);
	goes(test, packet(test, 1, ETH_P_IP, 1001), DATAGRAM);
	goes(test, packet(test, 1, ETH_P_IP, LINK_MTU + 1), TOO_BIG);
	KUNIT_EXPECT_EQ(test, world->told, LINK_MTU);
	KUNIT_EXPECT_EQ(test, world->wanted, 0);
}

static struct sk_buff *icmpv6(struct kunit *test, u8 next, u8 type, unsigned int len)
{
	struct sk_buff *skb = packet(test, 1, ETH_P_IPV6, len);
	struct ipv6hdr *ip = (void *)(skb->data + IPOIB_HARD_LEN);

	ip->nexthdr = next;
	if (len > sizeof(*ip))
		((struct icmp6hdr *)(ip + 1))->icmp6_type = type;
	return skb;
}

static void addresses_are_asked_for_by_datagrams(struct kunit *test)
{
	const unsigned int least = sizeof(struct ipv6hdr) + sizeof(struct icmp6hdr);
	u8 type;

	connect(true);
	goes(test, packet(test, 1, ETH_P_ARP, 56), DATAGRAM);
	goes(test, packet(test, 1, ETH_P_RARP, 56), DATAGRAM);
	for (type = NDISC_ROUTER_SOLICITATION; type <= NDISC_REDIRECT; type++)
		goes(test, icmpv6(test, IPPROTO_ICMPV6, type, least), DATAGRAM);
	/* Others go by the connection, and so does what is no ICMP, or not whole. */
	goes(test, icmpv6(test, IPPROTO_ICMPV6, NDISC_ROUTER_SOLICITATION - 1, least), CONNECTION);
	goes(test, icmpv6(test, IPPROTO_ICMPV6, NDISC_REDIRECT + 1, least), CONNECTION);
	goes(test, icmpv6(test, IPPROTO_UDP, NDISC_REDIRECT, least), CONNECTION);
	goes(test, icmpv6(test, IPPROTO_ICMPV6, NDISC_REDIRECT, least - 1), CONNECTION);
}

/* ---- groups, and what has waited --------------------------------------- */

static void a_group_of_another_scope_becomes_that_of_the_link(struct kunit *test)
{
	struct sk_buff *skb = packet(test, 1, ETH_P_IP, 100);
	struct ipoib_hard_hdr *hard = (void *)skb->data;
	union ib_gid mgid;

	ipoib_mgid_broadcast(&mgid, IPOIB_SCOPE_SITE, 0x8001);
	memcpy(hard->daddr.gid, &mgid, sizeof(mgid));
	KUNIT_EXPECT_EQ(test, group_to_link(world->idev, skb), 0);
	KUNIT_EXPECT_EQ(test, memcmp(hard->daddr.gid, &world->idev->broadcast, sizeof(mgid)), 0);
	kfree_skb(skb);
	/* The address of a node is left alone. */
	skb = packet(test, 1, ETH_P_IP, 100);
	KUNIT_EXPECT_EQ(test, group_to_link(world->idev, skb), 0);
	hard = (void *)skb->data;
	KUNIT_EXPECT_EQ(test, hard->daddr.gid[3], cpu_to_be32(1));
	kfree_skb(skb);
}

static bool staged(struct kunit *test, unsigned int len)
{
	struct sk_buff *skb = packet(test, 1, ETH_P_IP, len);
	bool taken;

	world->fate = NOTHING;
	rcu_read_lock();
	taken = ipoib_xmit_staged(world->idev, skb, &world->ah, 0x100);
	rcu_read_unlock();
	if (!taken)
		kfree_skb(skb);
	return taken;
}

static void what_has_waited_goes_if_there_is_room_and_it_fits(struct kunit *test)
{
	struct ipoib_ud_tx *tx = &world->idev->tx;

	KUNIT_EXPECT_TRUE(test, staged(test, 100));
	KUNIT_EXPECT_EQ(test, world->fate, DATAGRAM);
	world->ah.mtu = PATH_MTU;
	KUNIT_EXPECT_TRUE(test, staged(test, PATH_MTU));
	KUNIT_EXPECT_EQ(test, world->fate, DATAGRAM);
	KUNIT_EXPECT_TRUE(test, staged(test, PATH_MTU + 1));
	KUNIT_EXPECT_EQ(test, world->fate, TOO_BIG);
	tx->running = false;
	KUNIT_EXPECT_FALSE(test, staged(test, 100));
	tx->running = true;
	tx->ring.ring.head = tx->ring.ring.tail + 8;
	KUNIT_EXPECT_FALSE(test, staged(test, 100));
	KUNIT_EXPECT_EQ(test, world->fate, NOTHING);
}

/* Returns the copy of a packet that the broadcast group is to carry, or NULL; frees the packet. */
static struct sk_buff *for_all(struct sk_buff *skb)
{
	struct netdev_queue *txq = world->idev->tx.txq;
	struct sk_buff *copy;

	__netif_tx_lock_bh(txq);
	copy = ipoib_xmit_for_all(world->idev, skb);
	__netif_tx_unlock_bh(txq);
	kfree_skb(skb);
	return copy;
}

static void all_may_be_asked_for_a_neighbour(struct kunit *test)
{
	struct sk_buff *skb = icmpv6(test, IPPROTO_ICMPV6, NDISC_NEIGHBOUR_SOLICITATION, 88), *copy;
	const struct ipoib_hard_hdr *hard;
	u8 *was = kunit_kzalloc(test, skb->len, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, was);
	((struct ipoib_hard_hdr *)skb->data)->daddr.flags_qpn = cpu_to_be32(IB_MULTICAST_QPN);
	memcpy(was, skb->data, skb->len);
	skb_get(skb);
	copy = for_all(skb);
	KUNIT_ASSERT_NOT_NULL(test, copy);
	KUNIT_EXPECT_EQ(test, memcmp(skb->data, was, skb->len), 0);
	hard = (const void *)copy->data;
	KUNIT_EXPECT_EQ(test, hard->daddr.flags_qpn, cpu_to_be32(IB_MULTICAST_QPN));
	KUNIT_EXPECT_EQ(test, memcmp(hard->daddr.gid, &world->idev->broadcast, 16), 0);
	KUNIT_EXPECT_EQ(test, copy->len, skb->len);
	KUNIT_EXPECT_EQ(test, memcmp(copy->data + INFINIBAND_ALEN, was + INFINIBAND_ALEN,
				     copy->len - INFINIBAND_ALEN), 0);
	kfree_skb(copy);
	kfree_skb(skb);
}

static void nothing_else_is_sent_to_all(struct kunit *test)
{
	const unsigned int least = sizeof(struct ipv6hdr) + sizeof(struct icmp6hdr);
	const u8 question = NDISC_NEIGHBOUR_SOLICITATION;

	KUNIT_EXPECT_NULL(test, for_all(packet(test, 1, ETH_P_IP, 88)));
	KUNIT_EXPECT_NULL(test, for_all(packet(test, 1, ETH_P_ARP, 56)));
	KUNIT_EXPECT_NULL(test, for_all(icmpv6(test, IPPROTO_ICMPV6, question - 1, least)));
	KUNIT_EXPECT_NULL(test, for_all(icmpv6(test, IPPROTO_ICMPV6, question + 1, least)));
	KUNIT_EXPECT_NULL(test, for_all(icmpv6(test, IPPROTO_UDP, question, least)));
	KUNIT_EXPECT_NULL(test, for_all(icmpv6(test, IPPROTO_ICMPV6, question, least - 1)));
}

/* ---- channels ------------------------------------------------------------------------ */

/* The stack sends a packet by a queue, whose lock it holds. */
static void comes_by(struct kunit *test, unsigned int queue, struct sk_buff *skb, enum fate fate)
{
	struct netdev_queue *txq = netdev_get_tx_queue(world->idev->dev, queue);

	world->fate = NOTHING;
	world->by = NULL;
	skb_set_queue_mapping(skb, queue);
	__netif_tx_lock_bh(txq);
	KUNIT_EXPECT_EQ(test, ipoib_xmit(skb, world->idev->dev), NETDEV_TX_OK);
	__netif_tx_unlock_bh(txq);
	KUNIT_EXPECT_EQ(test, world->fate, fate);
}

static struct sk_buff *to_group(struct kunit *test)
{
	struct sk_buff *skb = packet(test, 1, ETH_P_IP, 100);
	struct ipoib_hard_hdr *hard = (void *)skb->data;

	ipoib_hwaddr_set(&hard->daddr, 0, IB_MULTICAST_QPN, &world->idev->broadcast);
	return skb;
}

static struct sk_buff *runt(struct kunit *test)
{
	struct sk_buff *skb = packet(test, 1, ETH_P_IP, 0);

	skb_trim(skb, INFINIBAND_ALEN - 1);
	return skb;
}

static void each_queue_has_a_ring(struct kunit *test)
{
	comes_by(test, 0, packet(test, 1, ETH_P_IP, 100), DATAGRAM);
	KUNIT_EXPECT_PTR_EQ(test, world->by, &world->idev->tx);
	comes_by(test, 1, packet(test, 1, ETH_P_IP, 100), DATAGRAM);
	KUNIT_EXPECT_PTR_EQ(test, world->by, &world->second);
	KUNIT_EXPECT_FALSE(test, world->by_first);
	KUNIT_EXPECT_EQ(test, world->flushed, 2);
	comes_by(test, 1, packet(test, 1, ETH_P_IP, LINK_MTU + 1), TOO_BIG);
}

static void the_first_channel_sends_what_others_cannot(struct kunit *test)
{
	/* To a group; the watchdog hears of it */
	WRITE_ONCE(world->idev->tx.txq->trans_start, jiffies - HZ);
	comes_by(test, 1, to_group(test), DROPPED);
	KUNIT_EXPECT_TRUE(test, world->by_first);
	KUNIT_EXPECT_TRUE(test, time_after(READ_ONCE(world->idev->tx.txq->trans_start),
					   jiffies - HZ));
	/* What has no address */
	comes_by(test, 1, runt(test), DROPPED);
	KUNIT_EXPECT_TRUE(test, world->by_first);
	/* While the other one has no queue pair */
	world->second.running = false;
	comes_by(test, 1, packet(test, 1, ETH_P_IP, 100), DATAGRAM);
	KUNIT_EXPECT_PTR_EQ(test, world->by, &world->idev->tx);
	KUNIT_EXPECT_TRUE(test, world->by_first);
	KUNIT_EXPECT_EQ(test, world->idev->tx.txq->xmit_lock_owner, -1);
}

static void chosen(struct kunit *test, struct sk_buff *skb, u16 queue)
{
	picked = 1;
	rcu_read_lock();
	KUNIT_EXPECT_EQ(test, ipoib_xmit_queue(world->idev->dev, skb, NULL), queue);
	rcu_read_unlock();
	kfree_skb(skb);
}

static void the_stack_chooses_among_those_that_can(struct kunit *test)
{
	chosen(test, packet(test, 1, ETH_P_IP, 100), 1);
	chosen(test, to_group(test), 0);
	chosen(test, packet(test, 1, ETH_P_ARP, 56), 0);
	chosen(test, runt(test), 0);
	world->second.running = false;
	chosen(test, packet(test, 1, ETH_P_IP, 100), 0);
}

static void packets_to_a_peer_come_by_one_queue(struct kunit *test)
{
	unsigned int node, second = 0;

	connect(true);
	for (node = 1; node <= 64; node++) {
		chosen(test, packet(test, node, ETH_P_IP, 100), bundle(node));
		second += bundle(node);
	}
	KUNIT_EXPECT_GT(test, second, 8);
	KUNIT_EXPECT_LT(test, second, 56);
	/* The flags may differ, and there may be fewer queues in use. */
	world->peer.addr = address(0, 1);
	KUNIT_EXPECT_EQ(test, ipoib_bundle_of(&world->peer.addr, 2), bundle(1));
	world->idev->dev->real_num_tx_queues = 1;
	for (node = 1; node <= 64; node++)
		chosen(test, packet(test, node, ETH_P_IP, 100), 0);
}

static void any_queue_may_send_by_a_connection(struct kunit *test)
{
	unsigned int queue;

	connect(true);
	for (queue = 0; queue < 2; queue++) {
		comes_by(test, queue, packet(test, 1, ETH_P_IP, 100), CONNECTION);
		KUNIT_EXPECT_EQ(test, world->by_first, !queue);
		KUNIT_EXPECT_EQ(test, world->rung, queue + 1);
		KUNIT_EXPECT_NULL(test, world->idev->txs[queue]->unflushed);
	}
}

/* One of several packets, of which the stack announces more. */
static void another_goes(struct kunit *test, enum fate fate)
{
	rcu_read_lock();
	xmit_one(world->idev, &world->idev->tx, packet(test, 1, ETH_P_IP, 100), false);
	rcu_read_unlock();
	KUNIT_EXPECT_EQ(test, world->fate, fate);
}

static void the_doorbell_of_a_bundle_rings_before_the_next_is_used(struct kunit *test)
{
	struct ipoib_conn_tx *own = &world->conn_txs[bundle(1)];
	struct ipoib_conn_tx *other = &world->conn_txs[1 - bundle(1)];
	struct ipoib_ud_tx *tx = &world->idev->tx;

	connect(true);
	tx->unflushed = other;
	another_goes(test, CONNECTION);
	KUNIT_EXPECT_EQ(test, world->rung_before, 1);
	KUNIT_EXPECT_PTR_EQ(test, world->rung_last, other);
	KUNIT_EXPECT_PTR_EQ(test, tx->unflushed, own);
	another_goes(test, CONNECTION);
	KUNIT_EXPECT_EQ(test, world->rung, 1);
	/* The last packet needs no other call. */
	goes(test, packet(test, 1, ETH_P_IP, 100), CONNECTION);
	KUNIT_EXPECT_EQ(test, world->rung, 2);
	KUNIT_EXPECT_PTR_EQ(test, world->rung_last, own);
	KUNIT_EXPECT_NULL(test, tx->unflushed);
	/* A datagram leaves nothing in the bundle. */
	world->peer.conn = NULL;
	another_goes(test, DATAGRAM);
	KUNIT_EXPECT_NULL(test, tx->unflushed);
}

static struct kunit_case xmit_test_cases[] = {
	KUNIT_CASE(who_has_a_path_is_sent_datagrams),
	KUNIT_CASE(what_the_hca_cuts_is_as_long_as_its_segments),
	KUNIT_CASE(the_first_packet_makes_the_peer),
	KUNIT_CASE(a_peer_that_is_sent_to_is_in_use),
	KUNIT_CASE(what_ipoib_does_not_carry_is_dropped),
	KUNIT_CASE(what_is_too_long_for_a_datagram_waits_for_a_connection),
	KUNIT_CASE(all_goes_by_the_connection_that_fits),
	KUNIT_CASE(addresses_are_asked_for_by_datagrams),
	KUNIT_CASE(a_group_of_another_scope_becomes_that_of_the_link),
	KUNIT_CASE(what_has_waited_goes_if_there_is_room_and_it_fits),
	KUNIT_CASE(all_may_be_asked_for_a_neighbour),
	KUNIT_CASE(nothing_else_is_sent_to_all),
	KUNIT_CASE(each_queue_has_a_ring),
	KUNIT_CASE(the_first_channel_sends_what_others_cannot),
	KUNIT_CASE(the_stack_chooses_among_those_that_can),
	KUNIT_CASE(packets_to_a_peer_come_by_one_queue),
	KUNIT_CASE(any_queue_may_send_by_a_connection),
	KUNIT_CASE(the_doorbell_of_a_bundle_rings_before_the_next_is_used),
	{}
};

static struct kunit_suite xmit_test_suite = {
	.name = "ipoib_xmit",
	.init = xmit_test_init,
	.exit = xmit_test_exit,
	.test_cases = xmit_test_cases,
};

kunit_test_suite(xmit_test_suite);

MODULE_DESCRIPTION("Tests of the transmit function of IPoIB");
MODULE_LICENSE("GPL");
