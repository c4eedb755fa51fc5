/* SPDX-License-Identifier: GPL-2.0 */
/* Whether the socket that sent a packet stays charged for it. */
#ifndef _IPOIB_CHARGE_H
#define _IPOIB_CHARGE_H

#include <net/sock.h>

/*
 * TCP relies on the charge to keep queues short; for what is short itself, or without pages, a send
 * ring ends it nevertheless. A socket of another family may learn from the end of the charge that
 * it can use memory again that it lent to the packet.
 */
static inline bool ipoib_charge_is_needed(const struct sock *sk)
{
	return !sk_fullsock(sk) || !sk_is_inet(sk) || sk_is_tcp(sk);
}

/**
 * ipoib_uncharge_sent - end the charge for a packet that is on the ring
 * @skb: the packet
 *
 * A socket is charged for its packet until that is freed, which may be after a poll that comes
 * when a whole burst was received: the one socket that answers all echo requests would refuse
 * the rest of them.
 *
 * Context: Any but hard interrupt.
 */
static inline void ipoib_uncharge_sent(struct sk_buff *skb)
{
	const struct sock *sk = skb->sk;

	if (sk && !ipoib_charge_is_needed(sk))
		skb_orphan(skb);
}

/**
 * ipoib_uncharge_waiting - end the charge for a packet that waits for its destination
 * @skb: the packet; the number of packets that wait with it must be bounded
 *
 * A connected socket sends to nobody else, and is better held up than made to lose packets.
 * Another one, as that which answers echo requests, must not be held up for all its
 * destinations by a slow one. The packet of a sender that wants a time stamp keeps its socket.
 *
 * Context: Any but hard interrupt.
 */
static inline void ipoib_uncharge_waiting(struct sk_buff *skb)
{
	const struct sock *sk = skb->sk;

	if (sk && !ipoib_charge_is_needed(sk) && READ_ONCE(sk->sk_state) != TCP_ESTABLISHED &&
	    !(skb_shinfo(skb)->tx_flags & SKBTX_ANY_TSTAMP))
		skb_orphan(skb);
}

#endif /* _IPOIB_CHARGE_H */
