// SPDX-License-Identifier: GPL-2.0
#include "ah.h"

#include <linux/etherdevice.h>
#include <linux/slab.h>

#include "stats.h"

/**
 * ipoib_ah_new - create an address handle
 * @pd: protection domain of the QP that will send with it
 * @attr: address vector, complete; on RoCE the destination MAC is resolved
 *
 * Return: the handle or an ERR_PTR(): -ENOMEM or what the provider says.
 * Context: Process context, may sleep.
 */
struct ipoib_ah *ipoib_ah_new(struct ib_pd *pd, struct rdma_ah_attr *attr)
{
	struct ipoib_ah *ah;
	struct ib_ah *ib;

	ah = kzalloc(sizeof(*ah), GFP_KERNEL);
	if (!ah)
		return ERR_PTR(-ENOMEM);

	ib = rdma_create_ah(pd, attr, RDMA_CREATE_AH_SLEEPABLE);
	if (IS_ERR(ib)) {
		kfree(ah);
		return ERR_CAST(ib);
	}

	ah->ib = ib;
	ah->mtu = UINT_MAX;
	ah->dlid = rdma_ah_get_dlid(attr);
	if (attr->type == RDMA_AH_ATTR_TYPE_ROCE)
		ether_addr_copy(ah->dmac, attr->roce.dmac);
	ipoib_object_created(IPOIB_OBJ_AH);
	return ah;
}

/**
 * ipoib_ah_free - destroy an address handle
 * @ah: handle that no send in flight names; NULL is fine
 *
 * Context: Process context, may sleep.
 */
void ipoib_ah_free(struct ipoib_ah *ah)
{
	if (!ah)
		return;

	rdma_destroy_ah(ah->ib, RDMA_DESTROY_AH_SLEEPABLE);
	kfree(ah);
	ipoib_object_destroyed(IPOIB_OBJ_AH);
}
