// SPDX-License-Identifier: GPL-2.0
#include "xmit.h"

#include "device.h"
#include "mgid.h"
#include "proto.h"

static bool packet_ok(struct ipoib_dev *idev, struct sk_buff *skb,
		      enum ipoib_drop_reason *reason)
{
	const struct ipoib_hard_hdr *hard;

	if (unlikely(!pskb_may_pull(skb, IPOIB_HARD_LEN))) {
		*reason = IPOIB_DROP_TX_MALFORMED;
		return false;
	}
	if (unlikely(skb->len > IPOIB_HARD_LEN + READ_ONCE(idev->max_len))) {
		*reason = IPOIB_DROP_TX_TOO_LONG;
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
 * A bond shows its slaves its own broadcast address, and a neighbour may be
 * older than the link is now: both may have another P_Key or scope than the
 * link has.
 */
static int group_of_link(struct ipoib_dev *idev, struct sk_buff *skb)
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
 * The first packet to a peer, or one for which there is no path. Returns the
 * peer if it can be sent all the same; otherwise @skb is consumed.
 */
static struct ipoib_peer *xmit_slow(struct ipoib_dev *idev,
				    struct sk_buff *skb)
{
	const struct ipoib_hard_hdr *hard;
	struct ipoib_peer *peer;

	if (group_of_link(idev, skb)) {
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

static void xmit_one(struct ipoib_dev *idev, struct sk_buff *skb)
{
	enum ipoib_drop_reason reason;
	const struct ipoib_hard_hdr *hard;
	struct ipoib_peer *peer;
	struct ipoib_ah *ah = NULL;

	if (unlikely(!packet_ok(idev, skb, &reason))) {
		ipoib_drop_skb(&idev->drops, reason, skb);
		return;
	}

	hard = (const struct ipoib_hard_hdr *)skb->data;
	peer = ipoib_peertable_find(&idev->peers, &hard->daddr);
	if (likely(peer))
		ah = rcu_dereference(peer->ah);
	if (unlikely(!ah)) {
		peer = xmit_slow(idev, skb);
		if (!peer)
			return;
		ah = rcu_dereference(peer->ah);
		if (!ah) {
			/* Killed just now; the next packet makes a new one. */
			ipoib_drop_skb(&idev->drops, IPOIB_DROP_TX_NO_PATH,
				       skb);
			return;
		}
	}

	ipoib_peer_touch(peer);
	__skb_pull(skb, INFINIBAND_ALEN);
	ipoib_ud_tx_send(&idev->tx, skb, ah, peer->qpn);
}

/**
 * ipoib_xmit - ndo_start_xmit
 * @skb: packet with the header that dev_hard_header() built; consumed
 * @dev: the interface
 *
 * Takes no lock but the TX lock that the stack holds. Packets go out in
 * batches for as long as the stack says that there are more.
 *
 * Return: NETDEV_TX_OK.
 * Context: TX lock held, bottom halves off.
 */
netdev_tx_t ipoib_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct ipoib_dev *idev = netdev_priv(dev);
	struct ipoib_ud_tx *tx = &idev->tx;

	rcu_read_lock();
	xmit_one(idev, skb);
	if (!netdev_xmit_more() || netif_xmit_stopped(tx->txq))
		ipoib_ud_tx_flush(tx);
	rcu_read_unlock();
	return NETDEV_TX_OK;
}

static void send_alone(void *ctx, void (*fn)(void *arg), void *arg)
{
	struct ipoib_dev *idev = ctx;
	struct netdev_queue *txq = idev->tx.txq;

	__netif_tx_lock_bh(txq);
	/* As the stack does it, for the sake of its watchdog. */
	txq_trans_cond_update(txq);
	fn(arg);
	ipoib_ud_tx_flush(&idev->tx);
	__netif_tx_unlock_bh(txq);
}

static bool send_one(void *ctx, struct sk_buff *skb, struct ipoib_ah *ah,
		     u32 qpn)
{
	struct ipoib_dev *idev = ctx;

	if (!ipoib_ud_tx_has_room(&idev->tx))
		return false;

	__skb_pull(skb, INFINIBAND_ALEN);
	ipoib_ud_tx_send(&idev->tx, skb, ah, qpn);
	return true;
}

static void requeue(void *ctx, struct sk_buff *skb)
{
	dev_queue_xmit(skb);
}

static void ah_retire(void *ctx, struct ipoib_ah *ah)
{
	struct ipoib_dev *idev = ctx;

	ipoib_ud_tx_retire(&idev->tx, ah);
}

const struct ipoib_peertable_ops ipoib_xmit_peer_ops = {
	.alone		= send_alone,
	.send		= send_one,
	.requeue	= requeue,
	.retire		= ah_retire,
};
