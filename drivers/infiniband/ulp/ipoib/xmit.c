// SPDX-License-Identifier: GPL-2.0
#include "xmit.h"

#include <linux/icmpv6.h>
#include <linux/ipv6.h>
#include <net/gso.h>
#include <net/ndisc.h>

#include "addr.h"
#include "conn_set.h"
#include "device.h"
#include "wire.h"

static inline bool packet_ok(struct sk_buff *skb, enum ipoib_drop_reason *reason)
{
	const struct ipoib_hard_hdr *hard;

	if (unlikely(!pskb_may_pull(skb, IPOIB_HARD_LEN))) {
		*reason = IPOIB_DROP_TX_MALFORMED;
		return false;
	}
	hard = (const struct ipoib_hard_hdr *)skb->data;
	if (unlikely(!ipoib_proto_known(hard->hdr.proto))) {
		*reason = IPOIB_DROP_TX_UNKNOWN_PROTO;
		return false;
	}
	return true;
}

/*
 * Correct the address of a group that is not of this link. A bond gives its slaves its own
 * broadcast address, and a neighbour entry may be older than the present link, so that the MGID
 * has another P_Key or scope than the link. Returns 0 or -ENOMEM.
 */
static int group_to_link(struct ipoib_dev *idev, struct sk_buff *skb)
{
	struct ipoib_hard_hdr *hard = (struct ipoib_hard_hdr *)skb->data;
	union ib_gid mgid;

	ipoib_hwaddr_gid(&hard->daddr, &mgid);
	if (!ipoib_hwaddr_is_mcast(&hard->daddr) ||
	    ipoib_mgid_on_link(&mgid, &idev->broadcast) ||
	    !ipoib_mgid_to_link(&mgid, &idev->broadcast))
		return 0;
	if (skb_cow_head(skb, 0))
		return -ENOMEM;

	hard = (struct ipoib_hard_hdr *)skb->data;
	memcpy(hard->daddr.gid, &mgid, sizeof(mgid));
	return 0;
}

/*
 * Handle the first packet to a peer, or one for whose peer there is no path. Returns the peer if
 * it has got a path meanwhile and @skb can be sent; otherwise @skb is consumed.
 */
static noinline struct ipoib_peer *xmit_slow(struct ipoib_dev *idev, struct sk_buff *skb)
{
	const struct ipoib_hard_hdr *hard;
	struct ipoib_peer *peer;

	if (group_to_link(idev, skb)) {
		ipoib_drop_skb(&idev->drops, IPOIB_DROP_TX_NO_MEMORY, skb);
		return NULL;
	}

	hard = (const struct ipoib_hard_hdr *)skb->data;
	peer = ipoib_peertable_get(&idev->peers, &hard->daddr);
	if (!peer) {
		ipoib_drop_skb(&idev->drops, IPOIB_DROP_TX_NO_PEER, skb);
		return NULL;
	}
	ipoib_peer_touch(peer);
	return ipoib_peer_stage(peer, skb) ? NULL : peer;
}

/* Returns the type of an ICMPv6 message, or 0, which is none, for any other packet. */
static u8 icmpv6_type(const struct sk_buff *skb)
{
	const struct ipoib_hard_hdr *hard = (const void *)skb->data;
	const struct ipv6hdr *ip = (const void *)(hard + 1);
	const struct icmp6hdr *icmp = (const void *)(ip + 1);

	if (hard->hdr.proto != cpu_to_be16(ETH_P_IPV6) ||
	    skb_headlen(skb) < IPOIB_HARD_LEN + sizeof(*ip) + sizeof(*icmp) ||
	    ip->nexthdr != IPPROTO_ICMPV6)
		return 0;
	return icmp->icmp6_type;
}

/*
 * is_control() returns true for packets that always go by UD: ARP, RARP and neighbour discovery,
 * because with them peers find out whether there is a way at all. All other unicast packets go by
 * a connection, whether they are IP or not. The caller tells groups by their address.
 */
static bool is_control(const struct sk_buff *skb)
{
	const struct ipoib_hard_hdr *hard = (const void *)skb->data;
	u8 type;

	switch (hard->hdr.proto) {
	case cpu_to_be16(ETH_P_ARP):
	case cpu_to_be16(ETH_P_RARP):
		return true;
	case cpu_to_be16(ETH_P_IPV6):
		type = icmpv6_type(skb);
		return type >= NDISC_ROUTER_SOLICITATION && type <= NDISC_REDIRECT;
	default:
		return false;
	}
}

/* Longest IP packet that goes to the peer, or to nobody known, as a datagram. Under RCU. */
static unsigned int ud_mtu(const struct ipoib_dev *idev, const struct ipoib_peer *peer)
{
	const struct ipoib_ah *ah = peer ? rcu_dereference(peer->ah) : NULL;
	unsigned int max_len = READ_ONCE(idev->max_len);

	return ah ? min(ah->mtu, max_len) : max_len;
}

/* Is an IP packet longer than @mtu, or each of the segments that the HCA will cut it into? */
static bool is_longer(const struct sk_buff *skb, unsigned int mtu)
{
	if (unlikely(skb->len - IPOIB_HARD_LEN > mtu))
		return !skb_is_gso(skb) || !skb_gso_validate_network_len(skb, mtu);
	return false;
}

static bool too_long_for_ud(const struct ipoib_dev *idev, const struct ipoib_peer *peer,
			    const struct sk_buff *skb)
{
	return is_longer(skb, ud_mtu(idev, peer));
}

/* Send or stage a packet on a connection of a bundle, whose lock is held. */
static bool send_in_bundle(struct ipoib_conn_tx *conn_tx, struct ipoib_peer *peer,
			   struct sk_buff *skb)
{
	struct ipoib_conn_set *set = conn_tx->set;
	struct ipoib_conn *conn = peer->conn;

	if (!conn) {
		bool too_long = too_long_for_ud(set->idev, peer, skb);

		conn = ipoib_conn_peer_want(set, peer, too_long);
		if (!conn)
			return too_long && ipoib_conn_peer_stage(set, peer, skb);
	}
	if (unlikely(skb->len > IPOIB_HARD_LEN + conn->mtu)) {
		if (!too_long_for_ud(set->idev, peer, skb))
			return false;
		ipoib_xmit_too_big(set->idev, skb, conn->mtu);
		return true;
	}
	ipoib_peer_touch(peer);
	__skb_pull(skb, INFINIBAND_ALEN);
	ipoib_conn_tx_send(conn, skb);
	return true;
}

static void xmit_flush_bundle(struct ipoib_ud_tx *tx)
{
	struct ipoib_conn_tx *conn_tx = tx->unflushed;

	spin_lock(&conn_tx->bundle->lock);
	ipoib_conn_tx_flush(conn_tx);
	spin_unlock(&conn_tx->bundle->lock);
	tx->unflushed = NULL;
}

/*
 * Send or stage a packet on a connection. Returns false if the packet has to go by UD. Packets for
 * one bundle wait for the doorbell until the @last one, a packet for another bundle, or
 * xmit_flush().
 */
static bool xmit_connected(struct ipoib_conn_set *set, struct ipoib_ud_tx *tx,
			   struct ipoib_peer *peer, struct sk_buff *skb, bool last)
{
	struct ipoib_conn_tx *conn_tx;
	bool sent;

	/*
	 * The mode may have changed since the stack left the cutting to the HCA, which does it
	 * for datagrams only.
	 */
	if (is_control(skb) || unlikely(skb_is_gso(skb)) || !ipoib_hwaddr_flags(&peer->addr) ||
	    ipoib_hwaddr_is_mcast(&peer->addr))
		return false;

	conn_tx = &set->txs[peer->bundle];
	if (tx->unflushed && tx->unflushed != conn_tx)
		xmit_flush_bundle(tx);
	spin_lock(&conn_tx->bundle->lock);
	sent = send_in_bundle(conn_tx, peer, skb);
	if (last)
		ipoib_conn_tx_flush(conn_tx);
	spin_unlock(&conn_tx->bundle->lock);
	if (last)
		tx->unflushed = NULL;
	else if (sent)
		tx->unflushed = conn_tx;
	return sent;
}

/*
 * Handle a packet that is too long for UD and that no connection has taken. In connected mode the
 * first such packet to an address makes the peer and the connection, and is staged on that. In
 * datagram mode there are such packets, too: the MTU of a route, or of a bond, may be larger than
 * that of the link.
 */
static void xmit_too_long(struct ipoib_dev *idev, struct ipoib_ud_tx *tx,
			  struct ipoib_peer *peer, struct sk_buff *skb, bool last)
{
	const struct ipoib_hard_hdr *hard = (const void *)skb->data;
	struct ipoib_conn_set *conns = READ_ONCE(idev->conns);

	if (!peer && conns) {
		peer = ipoib_peertable_get(&idev->peers, &hard->daddr);
		if (peer && xmit_connected(conns, tx, peer, skb, last))
			return;
	}
	ipoib_xmit_too_big(idev, skb, 0);
}

/*
 * The doorbell of a connection is rung for the @last packet; that of the ring, by xmit_flush(). It
 * is inlined for the sake of ipoib_xmit(), where each packet of the stack comes by.
 */
static __always_inline void xmit_one(struct ipoib_dev *idev, struct ipoib_ud_tx *tx,
				     struct sk_buff *skb, bool last)
{
	enum ipoib_drop_reason reason;
	const struct ipoib_hard_hdr *hard;
	struct ipoib_conn_set *conns;
	struct ipoib_peer *peer;
	struct ipoib_ah *ah = NULL;

	if (unlikely(!packet_ok(skb, &reason))) {
		ipoib_drop_skb(&idev->drops, reason, skb);
		return;
	}

	hard = (const struct ipoib_hard_hdr *)skb->data;
	peer = ipoib_peertable_find(&idev->peers, &hard->daddr);
	conns = READ_ONCE(idev->conns);
	if (conns && peer && xmit_connected(conns, tx, peer, skb, last))
		return;
	if (unlikely(is_longer(skb, READ_ONCE(idev->max_len)))) {
		xmit_too_long(idev, tx, peer, skb, last);
		return;
	}
	if (likely(peer))
		ah = rcu_dereference(peer->ah);
	if (unlikely(!ah)) {
		peer = xmit_slow(idev, skb);
		if (!peer)
			return;
		ah = rcu_dereference(peer->ah);
		if (!ah) {
			/* The peer has been killed just now. The next packet makes a new peer. */
			ipoib_drop_skb(&idev->drops, IPOIB_DROP_TX_NO_PATH,
				       skb);
			return;
		}
	}

	ipoib_peer_touch(peer);
	if (unlikely(is_longer(skb, ah->mtu))) {
		ipoib_xmit_too_big(idev, skb, 0);
		return;
	}
	__skb_pull(skb, INFINIBAND_ALEN);
	ipoib_ud_tx_send(tx, skb, ah, peer->qpn);
}

static inline void xmit_flush(struct ipoib_ud_tx *tx)
{
	ipoib_ud_tx_flush(tx);
	if (tx->unflushed)
		xmit_flush_bundle(tx);
}

/*
 * Can a packet go by a channel but the first, which alone sends to groups? Whoever fills queues
 * himself may ask for any.
 */
static bool suits_channel(const struct ipoib_ud_tx *tx, const struct sk_buff *skb)
{
	const struct ipoib_hard_hdr *hard = (const void *)skb->data;

	/* packet_ok() drops what is shorter, whoever asks. */
	return READ_ONCE(tx->running) && skb_headlen(skb) >= sizeof(*hard) &&
	       !ipoib_hwaddr_is_mcast(&hard->daddr);
}

/*
 * Send a packet by the first channel that came by the queue of another one, whose TX lock is held.
 * Nobody takes these locks in the other order. The first channel may have stopped its queue, which
 * the stack was not told of here.
 */
static noinline void xmit_by_main(struct ipoib_dev *idev, struct sk_buff *skb)
{
	struct netdev_queue *txq = idev->tx.txq;

	spin_lock_nested(&txq->_xmit_lock, SINGLE_DEPTH_NESTING);
	WRITE_ONCE(txq->xmit_lock_owner, smp_processor_id());
	if (!netif_xmit_stopped(txq))
		txq_trans_cond_update(txq);
	xmit_one(idev, &idev->tx, skb, true);
	xmit_flush(&idev->tx);
	__netif_tx_unlock(txq);
}

/**
 * ipoib_xmit - ndo_start_xmit
 * @skb: packet with the header that dev_hard_header() built; consumed
 * @dev: the interface
 *
 * The fast path takes no lock but the TX lock, which the stack holds, and by a connection that of
 * its bundle. Packets are batched as long as the stack announces more.
 *
 * Return: NETDEV_TX_OK.
 * Context: TX lock of the packet's queue held, bottom halves off.
 */
netdev_tx_t ipoib_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct ipoib_dev *idev = netdev_priv(dev);
	struct ipoib_ud_tx *tx = idev->txs[skb_get_queue_mapping(skb)];
	bool last = !netdev_xmit_more();

	/* The TX lock of @txq alone protects the producer side of the ring. */
	lockdep_assert_held(&tx->txq->_xmit_lock);
	rcu_read_lock();
	if (likely(tx == &idev->tx) || suits_channel(tx, skb))
		xmit_one(idev, tx, skb, last);
	else
		xmit_by_main(idev, skb);
	if (last || netif_xmit_stopped(tx->txq))
		xmit_flush(tx);
	rcu_read_unlock();
	return NETDEV_TX_OK;
}

/**
 * ipoib_xmit_queue - ndo_select_queue
 * @dev: an interface with more than one queue
 * @skb: packet with the header that dev_hard_header() built
 * @sb_dev: subordinate device, or NULL
 *
 * ARP, neighbour discovery and groups go by the QP whose number is in the link-layer address.
 * Others tell by the number of the QP whether a packet to a group is their own. In connected mode
 * all packets to a peer come by one queue, so that CPUs do not wait for each other in its bundle.
 *
 * Return: number of a queue.
 * Context: Bottom halves off, under RCU.
 */
u16 ipoib_xmit_queue(struct net_device *dev, struct sk_buff *skb, struct net_device *sb_dev)
{
	const struct ipoib_hard_hdr *hard = (const void *)skb->data;
	struct ipoib_dev *idev = netdev_priv(dev);
	u16 queue;

	if (skb_headlen(skb) < IPOIB_HARD_LEN || is_control(skb))
		return 0;
	if (READ_ONCE(idev->conns))
		queue = ipoib_bundle_of(&hard->daddr, dev->num_tx_queues) %
			READ_ONCE(dev->real_num_tx_queues);
	else
		queue = netdev_pick_tx(dev, skb, sb_dev);
	return suits_channel(idev->txs[queue], skb) ? queue : 0;
}

/**
 * ipoib_xmit_too_big - handle a packet that is longer than the MTU of the path to its peer
 * @idev: the interface
 * @skb: packet, link-layer header on; consumed
 * @mtu: IP MTU of the connection to the peer, octets; 0 if there is none
 *
 * The sender is told the MTU of UD to that peer if that is larger than @mtu, because packets up
 * to that length can always go by UD.
 *
 * Context: Any but hard interrupt.
 */
void ipoib_xmit_too_big(struct ipoib_dev *idev, struct sk_buff *skb, unsigned int mtu)
{
	const struct ipoib_hard_hdr *hard = (const void *)skb->data;
	struct ipoib_peer *peer;

	rcu_read_lock();
	peer = ipoib_peertable_find(&idev->peers, &hard->daddr);
	mtu = max(mtu, ud_mtu(idev, peer));
	rcu_read_unlock();
	ipoib_pmtu_add(&idev->pmtu, skb, mtu);
}

/**
 * ipoib_xmit_lock - send packets that come from elsewhere than the stack
 * @idev: an interface
 *
 * By the first channel nothing else is sent until ipoib_xmit_unlock().
 *
 * Context: Any but hard interrupt. Takes the TX lock and RCU, bottom halves are off.
 */
void ipoib_xmit_lock(struct ipoib_dev *idev)
	__acquires(&idev->tx.txq->_xmit_lock) __acquires(RCU)
{
	struct netdev_queue *txq = idev->tx.txq;

	__netif_tx_lock_bh(txq);
	rcu_read_lock();
	/*
	 * Update trans_start as the stack does before it sends, or its watchdog could report a
	 * timeout. Not if the queue is stopped because the ring is full: then the watchdog has
	 * to notice an HCA that sends nothing, however many peers are answered meanwhile.
	 */
	if (!netif_xmit_stopped(txq))
		txq_trans_cond_update(txq);
}

/**
 * ipoib_xmit_unlock - hand to the HCA what was sent since ipoib_xmit_lock()
 * @idev: an interface
 *
 * Context: Under ipoib_xmit_lock(), which it undoes.
 */
void ipoib_xmit_unlock(struct ipoib_dev *idev)
	__releases(RCU) __releases(&idev->tx.txq->_xmit_lock)
{
	xmit_flush(&idev->tx);
	rcu_read_unlock();
	__netif_tx_unlock_bh(idev->tx.txq);
}

/**
 * ipoib_xmit_staged - send a packet whose peer has got a path
 * @idev: an interface
 * @skb: packet, link-layer header on
 * @ah: the path; it stays valid until ipoib_xmit_unlock()
 * @qpn: QP number of the peer
 *
 * Return: true if @skb was consumed; false if the ring has no room, and @skb is the caller's.
 * Context: Under ipoib_xmit_lock().
 */
bool ipoib_xmit_staged(struct ipoib_dev *idev, struct sk_buff *skb, struct ipoib_ah *ah, u32 qpn)
{
	/*
	 * ipoib_conn_peer_stage() has staged a packet that is too long for UD until the peer has
	 * a path, because the path tells whether a connection leads to the peer. Others turn
	 * out now to be too long for the path.
	 */
	if (unlikely(is_longer(skb, min(ah->mtu, READ_ONCE(idev->max_len))))) {
		xmit_one(idev, &idev->tx, skb, false);
		return true;
	}
	if (!ipoib_ud_tx_has_room(&idev->tx))
		return false;

	__skb_pull(skb, INFINIBAND_ALEN);
	ipoib_ud_tx_send(&idev->tx, skb, ah, qpn);
	return true;
}

/**
 * ipoib_xmit_for_all - copy a question for a neighbour, for the broadcast group to carry
 * @idev: an interface
 * @skb: packet to a group, link-layer header on
 *
 * All nodes hear the copy, and the stack of each takes it by its IPv6 address. No other packet than
 * a neighbour solicitation is copied, for programs would get theirs twice.
 *
 * Return: the copy, for dev_queue_xmit(); NULL if @skb is no neighbour solicitation, or without
 * memory.
 * Context: Under ipoib_xmit_lock().
 */
struct sk_buff *ipoib_xmit_for_all(const struct ipoib_dev *idev, const struct sk_buff *skb)
{
	struct ipoib_hard_hdr *hard;
	struct sk_buff *copy;

	lockdep_assert_held(&idev->tx.txq->_xmit_lock);

	if (icmpv6_type(skb) != NDISC_NEIGHBOUR_SOLICITATION)
		return NULL;
	copy = skb_copy(skb, GFP_ATOMIC | __GFP_NOWARN);
	if (!copy)
		return NULL;

	hard = (struct ipoib_hard_hdr *)copy->data;
	memcpy(hard->daddr.gid, &idev->broadcast, sizeof(idev->broadcast));
	return copy;
}
