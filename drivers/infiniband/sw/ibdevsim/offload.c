// SPDX-License-Identifier: GPL-2.0
#include "offload.h"

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <net/checksum.h>
#include <net/gso.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>

#include "packet.h"
#include "qp.h"

/* RFC 4391 section 6: the EtherType, and two octets of zero. */
#define ENCAP_LEN	4
#define LSO_MAX		65536

static int post_inline(struct ibds_qp *qp, struct ibds_sqe *sqe,
		       struct ibds_extra *extra, const struct ib_send_wr *wr)
{
	u32 len = 0;
	int i;

	if (sqe->len > qp->sq.max_inline)
		return -EINVAL;
	/*
	 * Inline data is not mapped: the addresses are the caller's, and the keys are not looked
	 * at.
	 */
	for (i = 0; i < wr->num_sge; i++) {
		memcpy(extra->data + len, (void *)(uintptr_t)wr->sg_list[i].addr,
		       wr->sg_list[i].length);
		len += wr->sg_list[i].length;
	}
	sqe->fault = IB_WC_SUCCESS;
	sqe->sge[0] = (struct ib_sge) {
		.addr = (uintptr_t)extra->data,
		.length = len,
		.lkey = IBDS_LKEY_OWN,
	};
	return 0;
}

/* Half an offload, sums without the cutting or the reverse, is none. */
static int post_lso(struct ibds_qp *qp, struct ibds_sqe *sqe,
		    struct ibds_extra *extra, const struct ib_send_wr *wr)
{
	int hlen = ud_wr(wr)->hlen, mss = ud_wr(wr)->mss;

	if (!qp->lso || !(wr->send_flags & IB_SEND_IP_CSUM) ||
	    (wr->send_flags & IB_SEND_INLINE) || mss <= 0 || mss > U16_MAX ||
	    hlen <= ENCAP_LEN || hlen > IBDS_HEADER_MAX || !sqe->len ||
	    sqe->len > LSO_MAX)
		return -EINVAL;
	memcpy(extra->data, ud_wr(wr)->header, hlen);
	extra->hlen = hlen;
	extra->mss = mss;
	return 0;
}

/**
 * ibds_offload_post - take over what a work request asks for beside the sending
 * @qp: queue pair that it is posted to
 * @sqe: its entry, the elements of which are filled in
 * @wr: the work request; of a send, or with IB_WR_LSO
 *
 * Return: 0, or -EINVAL if the queue pair, or its HCA, does not do that.
 * Context: Any.
 */
int ibds_offload_post(struct ibds_qp *qp, struct ibds_sqe *sqe,
		      const struct ib_send_wr *wr)
{
	struct ibds_extra *extra = ibds_sqe_extra(&qp->sq, sqe);

	if (!extra)
		return wr->opcode == IB_WR_LSO ||
		       wr->send_flags & (IB_SEND_IP_CSUM | IB_SEND_INLINE) ? -EINVAL : 0;
	extra->csum = wr->send_flags & IB_SEND_IP_CSUM;
	extra->mss = 0;
	extra->hlen = 0;
	if (extra->csum && (qp->ibqp.qp_type != IB_QPT_UD || !qp->hca->profile->csum))
		return -EINVAL;
	if (wr->opcode == IB_WR_LSO)
		return post_lso(qp, sqe, extra, wr);
	return wr->send_flags & IB_SEND_INLINE ? post_inline(qp, sqe, extra, wr) : 0;
}

/* Header and payload as one packet of the stack's. Returns NULL without memory. */
static struct sk_buff *gather(const struct ibds_sqe *sqe,
			      const struct ibds_extra *extra)
{
	u32 left = sqe->len, off = extra->hlen;
	const struct ib_sge *sge = sqe->sge;
	struct sk_buff *skb;
	int err;

	if (extra->hlen) {
		skb = alloc_skb_with_frags(off, left, 0, &err, GFP_ATOMIC);
		if (!skb)
			return NULL;
		skb_put_data(skb, extra->data, off);
		skb->data_len = left;
		skb->len += left;
	} else {
		skb = alloc_skb(left, GFP_ATOMIC);
		if (!skb)
			return NULL;
		skb_put(skb, left);
	}
	for (; left; off += sge->length, left -= sge->length, sge++)
		skb_store_bits(skb, off, ibds_sge_ptr(sge), sge->length);
	skb->protocol = *(__be16 *)skb->data;
	return skb;
}

/* All of IP is there, and as long as it says. */
static bool ip_fits(struct sk_buff *skb)
{
	const struct iphdr *ip = ip_hdr(skb);
	const struct ipv6hdr *ip6 = ipv6_hdr(skb);

	if (skb->protocol == htons(ETH_P_IP))
		return pskb_may_pull(skb, sizeof(*ip)) && ip->version == 4 &&
		       ip->ihl >= 5 && pskb_may_pull(skb, ip->ihl * 4) &&
		       ntohs(ip_hdr(skb)->tot_len) == skb->len;
	return skb->protocol == htons(ETH_P_IPV6) &&
	       pskb_may_pull(skb, sizeof(*ip6)) && ipv6_hdr(skb)->version == 6 &&
	       ntohs(ipv6_hdr(skb)->payload_len) + sizeof(*ip6) == skb->len;
}

/* cuttable() accepts what is TCP and has nothing else in the header that all packets get. */
static bool cuttable(const struct sk_buff *skb, const struct ibds_extra *extra)
{
	return skb->ip_summed == CHECKSUM_PARTIAL &&
	       skb->csum_offset == offsetof(struct tcphdr, check) &&
	       skb_transport_offset(skb) + tcp_hdrlen(skb) + ENCAP_LEN == extra->hlen;
}

static struct sk_buff *cut(struct sk_buff *skb, const struct ibds_extra *extra)
{
	bool v4 = skb->protocol == htons(ETH_P_IP);
	struct sk_buff *list;

	skb_shinfo(skb)->gso_size = extra->mss;
	skb_shinfo(skb)->gso_type = v4 ? SKB_GSO_TCPV4 : SKB_GSO_TCPV6;
	__skb_push(skb, ENCAP_LEN);
	skb_reset_mac_header(skb);
	/* The segments get sums, and each is in one piece. */
	list = __skb_gso_segment(skb, 0, true);
	if (IS_ERR_OR_NULL(list))
		return ERR_PTR(-ENOMEM);
	consume_skb(skb);
	return list;
}

static struct sk_buff *sum(struct sk_buff *skb)
{
	int err = 0;

	if (skb->protocol == htons(ETH_P_IP))
		ip_send_check(ip_hdr(skb));
	if (skb->ip_summed == CHECKSUM_PARTIAL)
		err = skb_checksum_help(skb);
	if (!err)
		err = skb_linearize(skb);
	if (err)
		return ERR_PTR(-ENOMEM);
	__skb_push(skb, ENCAP_LEN);
	return skb;
}

/**
 * ibds_offload_packets - make the packets that a send is to be
 * @sqe: the send
 * @extra: what is to be done with it
 * @mtu: octets that a packet may have
 *
 * The network stack does it, from the lengths that there are: a sum that whoever posted it
 * made in advance, and made wrong, is not in what arrives. What is neither TCP nor UDP
 * is not touched but for the header of IPv4.
 *
 * Return: packets, linked by their next pointers, each in one piece from the encapsulation
 * header on; ERR_PTR(-ENOMEM), or ERR_PTR(-EINVAL) for what is no such packet.
 * Context: Softirq or bottom halves off.
 */
struct sk_buff *ibds_offload_packets(const struct ibds_sqe *sqe,
				     const struct ibds_extra *extra, u32 mtu)
{
	struct sk_buff *skb, *made = ERR_PTR(-EINVAL);
	u32 one = extra->mss ? extra->mss + extra->hlen : sqe->len;

	if (one > mtu || sqe->len + extra->hlen < ENCAP_LEN)
		return made;
	skb = gather(sqe, extra);
	if (!skb)
		return ERR_PTR(-ENOMEM);
	__skb_pull(skb, ENCAP_LEN);
	skb_reset_network_header(skb);
	if (!ip_fits(skb))
		goto out;
	/* skb_checksum_setup() fails for what has no such sum. */
	skb_checksum_setup(skb, true);
	if (extra->mss && !cuttable(skb, extra))
		goto out;
	made = sqe->len > extra->mss && extra->mss ? cut(skb, extra) : sum(skb);
out:
	if (IS_ERR(made))
		kfree_skb(skb);
	return made;
}

static __wsum sum_from(const struct ibds_packet *pkt, u32 off)
{
	struct ibds_cursor at = pkt->payload;
	u32 left = pkt->len - off, done = 0;
	__wsum sum = 0;

	ibds_sg_skip(&at, off);
	while (left) {
		u32 n = min(at.sge->length - at.off, left);

		sum = csum_block_add(sum, csum_partial(ibds_sge_ptr(at.sge) + at.off,
						       n, 0), done);
		done += n;
		left -= n;
		at.sge++;
		at.off = 0;
	}
	return sum;
}

static bool has_sum(u8 protocol)
{
	return protocol == IPPROTO_TCP || protocol == IPPROTO_UDP;
}

static bool right_ipv4(const struct ibds_packet *pkt, const struct iphdr *ip)
{
	u32 hlen = ip->ihl * 4, len = pkt->len - ENCAP_LEN;

	if (ip->version != 4 || ip->ihl < 5 || hlen > len || ntohs(ip->tot_len) != len ||
	    ip_fast_csum(ip, ip->ihl) || ip_is_fragment(ip) || !has_sum(ip->protocol))
		return false;
	return !csum_tcpudp_magic(ip->saddr, ip->daddr, len - hlen, ip->protocol,
				  sum_from(pkt, ENCAP_LEN + hlen));
}

static bool right_ipv6(const struct ibds_packet *pkt, const struct ipv6hdr *ip)
{
	u32 len = pkt->len - ENCAP_LEN - sizeof(*ip);

	if (ip->version != 6 || ntohs(ip->payload_len) != len || !has_sum(ip->nexthdr))
		return false;
	return !csum_ipv6_magic(&ip->saddr, &ip->daddr, len, ip->nexthdr,
				sum_from(pkt, ENCAP_LEN + sizeof(*ip)));
}

/* It has IP in it, with TCP or UDP, and no sum is wrong. A sum of zero in UDP is none: wrong. */
static bool sums_are_right(const struct ibds_packet *pkt)
{
	u8 head[ENCAP_LEN + 60] __aligned(4) = { };
	const void *ip = head + ENCAP_LEN;

	if (pkt->len < ENCAP_LEN + sizeof(struct iphdr))
		return false;
	ibds_sg_read(pkt->payload, head, min_t(u32, pkt->len, sizeof(head)));
	if (*(__be16 *)head == htons(ETH_P_IP))
		return right_ipv4(pkt, ip);
	return *(__be16 *)head == htons(ETH_P_IPV6) &&
	       pkt->len >= ENCAP_LEN + sizeof(struct ipv6hdr) && right_ipv6(pkt, ip);
}

/**
 * ibds_offload_says_right - does the HCA say that the sums of a packet are right?
 * @qp: queue pair that receives it, and tells such things
 * @pkt: the packet
 *
 * Return: true if it does, as with all that have IP with TCP or UDP, and no wrong sum,
 * unless a fault knob has it lie.
 * Context: Any.
 */
bool ibds_offload_says_right(const struct ibds_qp *qp, const struct ibds_packet *pkt)
{
	switch (READ_ONCE(qp->hca->faults.csum_lies)) {
	case IBDS_CSUM_TRUTH:
		return sums_are_right(pkt);
	case IBDS_CSUM_ALL_RIGHT:
		return true;
	default:
		return false;
	}
}
