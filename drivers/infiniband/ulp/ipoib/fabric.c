// SPDX-License-Identifier: GPL-2.0
#include "fabric.h"

#include <rdma/ib_cache.h>

#include "stats.h"
#include "wire.h"

static const char * const unfit_texts[IPOIB_UNFIT_COUNT] = {
	[IPOIB_FIT]		= "none",
	[IPOIB_UNFIT_UNKNOWN]	= "the port was not looked at yet",
	[IPOIB_UNFIT_QUERY]	= "the port cannot be queried",
	[IPOIB_UNFIT_PORT_DOWN]	= "port is down",
	[IPOIB_UNFIT_NO_GID]	= "no GID of the stack on the port",
	[IPOIB_UNFIT_TENTATIVE]	= "address is tentative (DAD)",
	[IPOIB_UNFIT_NO_PKEY]	= "P_Key is not in the port's table",
	[IPOIB_UNFIT_LIMITED]	= "port is only a limited member of the partition",
	[IPOIB_UNFIT_TAKEN]	= "another interface of the port has its first P_Key",
	[IPOIB_UNFIT_NO_SM]	= "no subnet manager has activated the port",
};

/**
 * ipoib_unfit_text - why a port cannot carry the link, in words
 * @unfit: any value
 *
 * Return: a constant string.
 */
const char *ipoib_unfit_text(enum ipoib_unfit unfit)
{
	return unfit < IPOIB_UNFIT_COUNT ? unfit_texts[unfit] : "?";
}

/**
 * ipoib_fabric_init - describe the network behind an interface
 * @fabric: result
 * @ops: its kind
 * @config: port, P_Key and so on; copied
 * @users: of the interface
 *
 * Context: Process context.
 */
void ipoib_fabric_init(struct ipoib_fabric *fabric,
		       const struct ipoib_fabric_ops *ops,
		       const struct ipoib_fabric_config *config,
		       struct ipoib_users *users)
{
	fabric->ops = ops;
	fabric->ibdev = config->ibdev;
	fabric->port = config->port;
	fabric->lower = config->lower;
	netdev_hold(fabric->lower, &fabric->lower_tracker, GFP_KERNEL);
	fabric->shared = config->shared;
	fabric->first_pkey = config->first_pkey;
	fabric->pkey = config->pkey;
	fabric->pinned_gid = config->pinned_gid;
	fabric->wq = config->wq;
	fabric->users = users;
	fabric->report = config->report;
	fabric->report_ctx = config->report_ctx;
	spin_lock_init(&fabric->lock);
	memset(&fabric->link, 0, sizeof(fabric->link));
	memset(&fabric->broadcast, 0, sizeof(fabric->broadcast));
	fabric->link.unfit = IPOIB_UNFIT_UNKNOWN;
}

/**
 * ipoib_fabric_exit - undo ipoib_fabric_init()
 * @fabric: a fabric that has no requests any more
 *
 * Context: Process context.
 */
void ipoib_fabric_exit(struct ipoib_fabric *fabric)
{
	ipoib_link_put(&fabric->link);
	netdev_put(fabric->lower, &fabric->lower_tracker);
}

/**
 * ipoib_link_put - drop what a link refers to
 * @link: result of a look; its @gid_attr is invalid afterwards
 *
 * Context: Any but hard interrupt.
 */
void ipoib_link_put(struct ipoib_link *link)
{
	if (link->gid_attr)
		rdma_put_gid_attr(link->gid_attr);
	link->gid_attr = NULL;
}

/**
 * ipoib_fabric_set_link - from now on use this link
 * @fabric: the fabric
 * @link: copied; its reference on @gid_attr is taken over
 *
 * Requests that are under way finish with the link they started with.
 *
 * Context: Process context.
 */
void ipoib_fabric_set_link(struct ipoib_fabric *fabric,
			   const struct ipoib_link *link)
{
	struct ipoib_link old;

	spin_lock_bh(&fabric->lock);
	old = fabric->link;
	fabric->link = *link;
	spin_unlock_bh(&fabric->lock);

	ipoib_link_put(&old);
}

/**
 * ipoib_fabric_hold_gid - the GID table entry that the link uses now
 * @fabric: the fabric
 *
 * Return: the entry, referenced, for rdma_put_gid_attr(); or NULL.
 * Context: Any but hard interrupt.
 */
const struct ib_gid_attr *ipoib_fabric_hold_gid(struct ipoib_fabric *fabric)
{
	const struct ib_gid_attr *attr;

	spin_lock_bh(&fabric->lock);
	attr = fabric->link.gid_attr;
	if (attr)
		rdma_hold_gid_attr(attr);
	spin_unlock_bh(&fabric->lock);
	return attr;
}

/**
 * ipoib_link_find_pkey - look for the P_Key of the link in the port's table
 * @fabric: the fabric
 * @link: result: @pkey, @pkey_index and, if there is nothing worse, @unfit
 *
 * Context: Any.
 */
void ipoib_link_find_pkey(const struct ipoib_fabric *fabric,
			  struct ipoib_link *link)
{
	enum ipoib_unfit unfit = IPOIB_FIT;
	u16 first, found;

	link->pkey = fabric->pkey;
	if (fabric->first_pkey &&
	    !ib_get_cached_pkey(fabric->ibdev, fabric->port, 0, &first) &&
	    (first & ~IPOIB_PKEY_FULL))
		link->pkey = first | IPOIB_PKEY_FULL;

	/* The core's search settles for a limited member. */
	if (ib_find_cached_pkey(fabric->ibdev, fabric->port, link->pkey,
				&link->pkey_index) ||
	    ib_get_cached_pkey(fabric->ibdev, fabric->port, link->pkey_index,
			       &found))
		unfit = IPOIB_UNFIT_NO_PKEY;
	else if (found != link->pkey)
		unfit = IPOIB_UNFIT_LIMITED;

	if (link->unfit == IPOIB_FIT)
		link->unfit = unfit;
}

/**
 * ipoib_fabric_find_pkey - find a P_Key in the table of a port
 * @ibdev: RDMA device
 * @port: port number
 * @pkey: P_Key with the membership bit
 * @index: result
 *
 * The core's search settles for a limited member, which RFC 4391 section 4
 * does not allow on an IPoIB link.
 *
 * Return: true if the port is a full member of the partition.
 * Context: Any.
 */
bool ipoib_fabric_find_pkey(struct ib_device *ibdev, u32 port, u16 pkey,
			    u16 *index)
{
	u16 found;

	return !ib_find_cached_pkey(ibdev, port, pkey, index) &&
	       !ib_get_cached_pkey(ibdev, port, *index, &found) &&
	       found == pkey;
}

/**
 * ipoib_port_speed - speed of a port
 * @attr: what the port was queried for
 *
 * Return: Mbit/s over all lanes, 0 if the provider tells nonsense.
 * Context: Any.
 */
u32 ipoib_port_speed(const struct ib_port_attr *attr)
{
	/* By bit of enum ib_port_speed; IB_SPEED_XDR and later are not in 6.1. */
	static const u32 lane[] = {
		2500, 5000, 10000, 10000, 14000, 25000, 50000, 100000, 200000,
	};
	int width = ib_width_enum_to_int(attr->active_width);
	unsigned int bit = ffs(attr->active_speed);

	if (width <= 0 || !bit || bit > ARRAY_SIZE(lane))
		return 0;
	return width * lane[bit - 1];
}

/**
 * ipoib_request_init - what requests of all fabrics have in common
 * @req: result
 * @fabric: who is asked
 * @owner: who asks; copied
 *
 * Context: Any but hard interrupt.
 */
void ipoib_request_init(struct ipoib_request *req, struct ipoib_fabric *fabric,
			const struct ipoib_request_owner *owner)
{
	req->fabric = fabric;
	req->owner = *owner;
	ipoib_users_get(fabric->users);
	ipoib_object_created(IPOIB_OBJ_REQUEST);
}

/**
 * ipoib_request_exit - a request is over, its memory about to be freed
 * @req: the request; the interface may be gone when this returns
 *
 * Context: Process context, may sleep.
 */
void ipoib_request_exit(struct ipoib_request *req)
{
	req->owner.release(req->owner.ctx);
	ipoib_object_destroyed(IPOIB_OBJ_REQUEST);
	ipoib_users_put(req->fabric->users);
}
