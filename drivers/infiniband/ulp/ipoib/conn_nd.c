// SPDX-License-Identifier: GPL-2.0
#include "conn_nd.h"

#include <linux/netdevice.h>
#include <net/addrconf.h>
#include <net/ipv6.h>
#include <net/ndisc.h>
#include <net/neighbour.h>

#include "addr.h"
#include "snoop.h"

/* Most octets of a message without what nobody sends by a connection, such as RFC 3971. */
#define MAX_LEN	(IPOIB_SNOOP_LEN - IPOIB_HDR_LEN)

/* The interface that has the addresses and neighbours: a bond, if there is one. RCU. */
static struct net_device *upper(struct net_device *dev)
{
	struct net_device *master = netdev_master_upper_dev_get_rcu(dev);

	return master && netif_is_lag_master(master) ? master : dev;
}

/* Whose is an IPv6 address? Returns false if that is not known. RCU. */
static bool whose(struct net_device *dev, const struct in6_addr *ip, struct ipoib_hwaddr *known)
{
	const struct neighbour *n = __ipv6_neigh_lookup_noref(dev, ip);

	if (!n || !(READ_ONCE(n->nud_state) & NUD_VALID))
		return false;
	neigh_ha_snapshot((char *)known, n, dev);
	return true;
}

/* Is it the link-local address that a node makes of its GUID, RFC 4391 section 8? */
static bool is_of_guid(const struct in6_addr *ip, const struct ipoib_hwaddr *addr)
{
	struct in6_addr own = { .s6_addr32 = { cpu_to_be32(0xfe800000), 0,
					       addr->gid[2], addr->gid[3] } };

	own.s6_addr[8] |= 2;
	return ipv6_addr_equal(ip, &own);
}

/* Is the address that a message is about as good as known to be the sender's? RCU. */
static bool speaks_for_itself(const struct sk_buff *skb, const struct ipoib_hwaddr *from)
{
	const struct ipv6hdr *ip = (const void *)skb->data;
	const struct nd_msg *msg = (const void *)(ip + 1);
	struct net_device *dev = upper(skb->dev);
	struct ipoib_hwaddr known;

	switch (msg->icmph.icmp6_type) {
	case NDISC_NEIGHBOUR_SOLICITATION:
		/* Without an answer ib_ipoib asks by multicast, which goes by UD. */
		if (!whose(dev, &ip->saddr, &known))
			return is_of_guid(&ip->saddr, from);
		return ipoib_hwaddr_same_qp(&known, from);
	case NDISC_NEIGHBOUR_ADVERTISEMENT:
		/* It may be the answer to a question, so nobody need be known. */
		return !ipv6_chk_addr_and_flags(dev_net(dev), &msg->target, dev, false, 1, 0) &&
		       (!whose(dev, &msg->target, &known) || ipoib_hwaddr_same_qp(&known, from));
	default:
		return false;
	}
}

static bool is_honest(const struct sk_buff *skb, const struct ipoib_hwaddr *from)
{
	struct ipoib_hwaddr claimed;
	bool honest;

	if (skb->len < sizeof(struct ipv6hdr) + sizeof(struct nd_msg) || skb->len > MAX_LEN)
		return false;
	if (ipoib_snoop_sender(skb->data - IPOIB_HDR_LEN, skb->len + IPOIB_HDR_LEN, &claimed) &&
	    !ipoib_hwaddr_same_qp(&claimed, from))
		return false;

	rcu_read_lock();
	honest = speaks_for_itself(skb, from);
	rcu_read_unlock();
	return honest;
}

/**
 * ipoib_conn_nd_ok - may the stack have a packet that came by a connection
 * @skb: IPv6 packet whose first 256 octets are linear, behind its encapsulation header
 * @from: link-layer address of the node that has the other end, but for its flags
 *
 * Neighbour discovery goes by UD (RFC 4755 section 7), but ib_ipoib sends what has one receiver
 * by a connection, if there is one, and needs the answers. A connection takes no privilege, so
 * nobody is believed to be a router that way, nor to have an address that is known to be another
 * node's, or that nobody has asked for.
 *
 * Return: false if the packet is to be dropped.
 * Context: NAPI poll.
 */
bool ipoib_conn_nd_ok(const struct sk_buff *skb, const struct ipoib_hwaddr *from)
{
	const struct ipv6hdr *ip = (const void *)skb->data;
	__be16 frag_off;
	const u8 *type;
	u8 proto, buf;
	int at;

	/* Without IPv6 there is no table of neighbours. */
	if (!ipv6_mod_enabled() || skb->len < sizeof(*ip))
		return true;

	/* Of a fragment that is not the first one this is not ICMPv6 but the fragment header. */
	proto = ip->nexthdr;
	at = ipv6_skip_exthdr(skb, sizeof(*ip), &proto, &frag_off);
	if (likely(at < 0 || proto != IPPROTO_ICMPV6))
		return true;

	type = skb_header_pointer(skb, at, sizeof(buf), &buf);
	if (!type)
		return false;
	if (*type < NDISC_ROUTER_SOLICITATION || *type > NDISC_REDIRECT)
		return true;
	return at == sizeof(*ip) && is_honest(skb, from);
}
