// SPDX-License-Identifier: GPL-2.0
#include "pmtu.h"

#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/ip.h>
#include <linux/netdevice.h>
#include <net/dst.h>
#include <net/gso.h>
#include <net/icmp.h>
#include <net/ip.h>

#include "device.h"

/*
 * Most packets in the queue. Dropping the rest is harmless, because a sender needs to be told only
 * once.
 */
#define MAX_WAITING	64

/*
 * Senders that are told, in a second and at once. The stack limits the rate of other ICMP messages,
 * but not of these. A sender that is not told now is told for a later packet.
 */
#define TELL_RATE	200
#define TELL_BURST	MAX_WAITING

/* The MTU of a packet in the queue is kept in skb->cb, which the stack does not use now. */
static unsigned int *mtu_of(struct sk_buff *skb)
{
	return (unsigned int *)skb->cb;
}

static int send_fragment(struct net *net, struct sock *sk, struct sk_buff *skb)
{
	struct ipoib_dev *idev = netdev_priv(skb->dev);
	struct ipoib_hard_hdr *hard;

	/* fragment() counts the whole packet. */
	if (skb_cow_head(skb, IPOIB_HARD_LEN)) {
		kfree_skb(skb);
		return -ENOMEM;
	}
	hard = skb_push(skb, sizeof(*hard));
	hard->daddr = idev->pmtu.daddr;
	hard->hdr.proto = skb->protocol;
	hard->hdr.reserved = 0;
	skb_reset_mac_header(skb);
	return dev_queue_xmit(skb);
}

/*
 * A socket that allows fragments still sets DF in a packet that fits the interface's MTU, because
 * no fragments seem to be needed. It sets skb->ignore_df to say that fragments are allowed.
 */
static bool may_fragment(const struct sk_buff *skb)
{
	return skb_dst(skb) &&
	       (skb->ignore_df || !(ip_hdr(skb)->frag_off & htons(IP_DF)));
}

static void fragment(struct ipoib_pmtu *pmtu, struct sk_buff *skb,
		     unsigned int mtu)
{
	unsigned int len = skb->len;

	if (skb_cow_head(skb, 0)) {
		ipoib_drop_skb(pmtu->drops, IPOIB_DROP_TX_NO_MEMORY, skb);
		return;
	}
	ip_hdr(skb)->frag_off &= ~htons(IP_DF);
	IPCB(skb)->frag_max_size = mtu;
	if (ip_do_fragment(dev_net(skb->dev), skb->sk, skb, send_fragment))
		ipoib_drop(pmtu->drops, IPOIB_DROP_TX_TOO_LONG, len);
}

/* The HCA would have cut the packet into segments, each of which is too long. */
static void fragment_segments(struct ipoib_pmtu *pmtu, struct sk_buff *skb,
			      unsigned int mtu)
{
	struct sk_buff *segment, *next;
	struct sk_buff *segments = skb_gso_segment(skb, 0);

	if (IS_ERR_OR_NULL(segments)) {
		ipoib_drop_skb(pmtu->drops, IPOIB_DROP_TX_NO_MEMORY, skb);
		return;
	}
	consume_skb(skb);
	skb_list_walk_safe(segments, segment, next) {
		skb_mark_not_on_list(segment);
		fragment(pmtu, segment, mtu);
	}
}

/* Only pmtu_work() takes from the bucket, and never runs twice at a time: no lock is needed. */
static bool may_tell(struct ipoib_pmtu *pmtu)
{
	return ipoib_bucket_take(&pmtu->told, ktime_get_ns());
}

/*
 * Send the packet in fragments if its sender allows that, RFC 791; otherwise tell the sender the
 * MTU, RFC 1191.
 */
static void tell_ipv4(struct ipoib_pmtu *pmtu, struct sk_buff *skb,
		      unsigned int mtu)
{
	if (!pskb_may_pull(skb, sizeof(struct iphdr))) {
		ipoib_drop_skb(pmtu->drops, IPOIB_DROP_TX_MALFORMED, skb);
		return;
	}
	/* Either way the route learns the MTU, and IP fragments later packets itself. */
	skb_dst_update_pmtu_no_confirm(skb, mtu);
	if (may_fragment(skb)) {
		if (skb_is_gso(skb))
			fragment_segments(pmtu, skb, mtu);
		else
			fragment(pmtu, skb, mtu);
		return;
	}
	if (may_tell(pmtu))
		icmp_ndo_send(skb, ICMP_DEST_UNREACH, ICMP_FRAG_NEEDED, htonl(mtu));
	ipoib_drop_skb(pmtu->drops, IPOIB_DROP_TX_TOO_LONG, skb);
}

static void tell_ipv6(struct ipoib_pmtu *pmtu, struct sk_buff *skb,
		      unsigned int mtu)
{
	skb_dst_update_pmtu_no_confirm(skb, mtu);
	if (may_tell(pmtu))
		icmpv6_ndo_send(skb, ICMPV6_PKT_TOOBIG, 0, mtu);
	ipoib_drop_skb(pmtu->drops, IPOIB_DROP_TX_TOO_LONG, skb);
}

static void tell(struct ipoib_pmtu *pmtu, struct sk_buff *skb)
{
	const struct ipoib_hard_hdr *hard = (const void *)skb->data;
	unsigned int mtu = *mtu_of(skb);

	memset(skb->cb, 0, sizeof(skb->cb));
	pmtu->daddr = hard->daddr;
	skb->protocol = hard->hdr.proto;
	__skb_pull(skb, IPOIB_HARD_LEN);
	skb_reset_network_header(skb);
	if (skb->protocol == htons(ETH_P_IP))
		tell_ipv4(pmtu, skb, mtu);
	else if (skb->protocol == htons(ETH_P_IPV6))
		tell_ipv6(pmtu, skb, mtu);
	else
		ipoib_drop_skb(pmtu->drops, IPOIB_DROP_TX_TOO_LONG, skb);
}

static void pmtu_work(struct work_struct *work)
{
	struct ipoib_pmtu *pmtu = container_of(work, struct ipoib_pmtu,
					       work);
	struct sk_buff *skb;

	while ((skb = skb_dequeue(&pmtu->list))) {
		local_bh_disable();
		rcu_read_lock();
		tell(pmtu, skb);
		rcu_read_unlock();
		local_bh_enable();
		cond_resched();
	}
}

/**
 * ipoib_pmtu_init - make an empty queue
 * @pmtu: @wq and @drops are set
 */
void ipoib_pmtu_init(struct ipoib_pmtu *pmtu)
{
	skb_queue_head_init(&pmtu->list);
	INIT_WORK(&pmtu->work, pmtu_work);
	ipoib_bucket_init(&pmtu->told, TELL_RATE, TELL_BURST);
}

/**
 * ipoib_pmtu_exit - drop all packets of the queue
 * @pmtu: the queue, to which no packet is added any more
 *
 * Context: Process context, may sleep.
 */
void ipoib_pmtu_exit(struct ipoib_pmtu *pmtu)
{
	struct sk_buff *skb;

	cancel_work_sync(&pmtu->work);
	while ((skb = skb_dequeue(&pmtu->list)))
		ipoib_drop_skb(pmtu->drops, IPOIB_DROP_TX_TOO_LONG, skb);
}

/**
 * ipoib_pmtu_add - queue a packet that is too long
 * @pmtu: queue of the interface
 * @skb: the packet, link-layer header on; consumed
 * @mtu: length of the longest IP packet that could have been sent, octets
 *
 * The work of the queue sends the packet in fragments or tells its sender the MTU, unless many
 * senders were told just now.
 *
 * Context: Any but hard interrupt.
 */
void ipoib_pmtu_add(struct ipoib_pmtu *pmtu, struct sk_buff *skb,
		    unsigned int mtu)
{
	if (skb_queue_len_lockless(&pmtu->list) >= MAX_WAITING) {
		ipoib_drop_skb(pmtu->drops, IPOIB_DROP_TX_TOO_LONG, skb);
		return;
	}
	*mtu_of(skb) = mtu;
	skb_queue_tail(&pmtu->list, skb);
	queue_work(pmtu->wq, &pmtu->work);
}
