/* SPDX-License-Identifier: GPL-2.0 */
/* Packets that are longer than the way to their peer takes. */
#ifndef _IPOIB_TOOBIG_H
#define _IPOIB_TOOBIG_H

#include <linux/skbuff.h>
#include <linux/workqueue.h>

#include "stats.h"
#include "wire.h"

/**
 * struct ipoib_toobig - packets whose senders have to be told
 * @list: the packets, link-layer header still on; its own lock
 * @work: tells the senders
 * @daddr: link-layer destination of the packet that is being cut; @work
 * @wq: runs @work
 * @drops: drop counters of the interface
 *
 * Part of an interface. The stack must not be called from within its own
 * transmit path, hence the detour.
 */
struct ipoib_toobig {
	struct sk_buff_head list;
	struct work_struct work;
	struct ipoib_hwaddr daddr;
	struct workqueue_struct *wq;
	struct ipoib_drops *drops;
};

void ipoib_toobig_init(struct ipoib_toobig *toobig);
void ipoib_toobig_exit(struct ipoib_toobig *toobig);
void ipoib_toobig_add(struct ipoib_toobig *toobig, struct sk_buff *skb,
		      unsigned int mtu);

#endif /* _IPOIB_TOOBIG_H */
