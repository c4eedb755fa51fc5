/* SPDX-License-Identifier: GPL-2.0 */
/* Packets that are longer than the MTU of the path to their peer. */
#ifndef _IPOIB_PMTU_H
#define _IPOIB_PMTU_H

#include <linux/skbuff.h>
#include <linux/workqueue.h>

#include "bucket.h"
#include "stats.h"
#include "wire.h"

/**
 * struct ipoib_pmtu - queue of packets that are too long
 * @list: the packets, link-layer header still on; has its own lock
 * @work: fragments each packet or tells its sender the MTU
 * @daddr: link-layer destination of the packet that is being fragmented; only @work uses it
 * @told: bounds the rate at which senders are told; only @work uses it
 * @wq: runs @work
 * @drops: drop counters of the interface
 *
 * Part of an interface. A work item is needed because icmp_send() and ip_do_fragment() would
 * take the locks of the transmit path again.
 */
struct ipoib_pmtu {
	struct sk_buff_head list;
	struct work_struct work;
	struct ipoib_hwaddr daddr;
	struct ipoib_bucket told;
	struct workqueue_struct *wq;
	struct ipoib_drops *drops;
};

void ipoib_pmtu_init(struct ipoib_pmtu *pmtu);
void ipoib_pmtu_exit(struct ipoib_pmtu *pmtu);
void ipoib_pmtu_add(struct ipoib_pmtu *pmtu, struct sk_buff *skb,
		    unsigned int mtu);

#endif /* _IPOIB_PMTU_H */
