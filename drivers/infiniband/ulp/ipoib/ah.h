/* SPDX-License-Identifier: GPL-2.0 */
/* Address handles, which are made and destroyed only here. */
#ifndef _IPOIB_AH_H
#define _IPOIB_AH_H

#include <linux/if_ether.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <rdma/ib_verbs.h>

/**
 * struct ipoib_ah - address handle of one peer
 * @ib: the verbs object
 * @dlid: LID that it leads to; 0 on RoCE
 * @dmac: MAC address that it leads to, on RoCE only
 * @mtu: longest IP packet that the path carries, octets; UINT_MAX by ipoib_ah_new(), and
 *	constant once the handle is published
 * @rcu: waits for a grace period, after which no send can pick the handle up
 * @retired: entry of the send ring's list of retired handles
 * @index: the ring may free the handle when its tail has come this far
 * @ring: the send ring that retires it
 *
 * A peer makes a handle by ipoib_ah_new(), publishes it under RCU, and passes it to the send
 * ring when it has a newer one. A provider may read the handle until the last send that names
 * it has completed (soft-RoCE does).
 */
struct ipoib_ah {
	struct ib_ah *ib;
	u32 dlid;
	u8 dmac[ETH_ALEN];
	unsigned int mtu;
	struct rcu_head rcu;
	struct list_head retired;
	u32 index;
	void *ring;
};

struct ipoib_ah *ipoib_ah_new(struct ib_pd *pd, struct rdma_ah_attr *attr);
void ipoib_ah_free(struct ipoib_ah *ah);

#endif /* _IPOIB_AH_H */
