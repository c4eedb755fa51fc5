/* SPDX-License-Identifier: GPL-2.0 */
/* Address handles. Nothing else creates or destroys one. */
#ifndef _IPOIB_AH_H
#define _IPOIB_AH_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <rdma/ib_verbs.h>

/**
 * struct ipoib_ah - address handle of one peer
 * @ib: the verbs object
 * @dlid: LID that it leads to, 0 where there are none
 * @rcu: grace period after which no send can pick the handle up any more
 * @retired: entry of the send ring's list of handles that wait for it
 * @index: the ring may free the handle once its tail has come this far
 * @ring: the send ring that retires it
 *
 * Made by ipoib_ah_new() for a peer, which publishes it by RCU and hands it
 * to the send ring when it has a better one: a provider may read the handle
 * until the last send that names it has completed (soft-RoCE does).
 */
struct ipoib_ah {
	struct ib_ah *ib;
	u16 dlid;
	struct rcu_head rcu;
	struct list_head retired;
	u32 index;
	void *ring;
};

struct ipoib_ah *ipoib_ah_new(struct ib_pd *pd, struct rdma_ah_attr *attr);
void ipoib_ah_free(struct ipoib_ah *ah);

#endif /* _IPOIB_AH_H */
