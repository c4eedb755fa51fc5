// SPDX-License-Identifier: GPL-2.0
#include "fabric.h"

#include <rdma/ib_cache.h>

#include "stats.h"
#include "wire.h"

static const char * const state_texts[IPOIB_LINK_STATES] = {
	[IPOIB_LINK_READY]	= "none",
	[IPOIB_LINK_UNKNOWN]	= "the port was not queried yet",
	[IPOIB_LINK_QUERY]	= "the port cannot be queried",
	[IPOIB_LINK_PORT_DOWN]	= "port is down",
	[IPOIB_LINK_NO_GID]	= "no GID of the stack on the port",
	[IPOIB_LINK_TENTATIVE]	= "address is tentative (DAD)",
	[IPOIB_LINK_NO_PKEY]	= "P_Key is not in the port's table",
	[IPOIB_LINK_NO_SM]	= "no subnet manager has activated the port",
	[IPOIB_LINK_BOND]	= "the bond still has the address from before",
};

/**
 * ipoib_link_state_text - why a port cannot carry the link, in words
 * @state: any value
 *
 * Return: a constant string.
 */
const char *ipoib_link_state_text(enum ipoib_link_state state)
{
	return state < IPOIB_LINK_STATES ? state_texts[state] : "?";
}

/**
 * ipoib_fabric_init - prepare the network behind an interface for requests
 * @fabric: zeroed but for port, P_Key and GID, see struct ipoib_fabric
 * @users: use count of the interface; each request will hold one
 *
 * Context: Process context.
 */
void ipoib_fabric_init(struct ipoib_fabric *fabric, struct ipoib_usecnt *users)
{
	int i;

	for (i = 0; i < IPOIB_QUESTIONS; i++)
		ipoib_turn_share_init(&fabric->shares[i]);
	ipoib_turn_share_init(&fabric->doubtful);
	netdev_hold(fabric->lower, &fabric->lower_tracker, GFP_KERNEL);
	fabric->users = users;
	spin_lock_init(&fabric->lock);
	fabric->link.state = IPOIB_LINK_UNKNOWN;
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

/* heard_hash() never returns 0, which marks an unused entry of fabric->heard. */
static u32 heard_hash(const void *gid)
{
	return ipoib_gid_hash(gid) ?: 1;
}

/**
 * ipoib_fabric_heard - remember that a packet came from a port
 * @fabric: the fabric
 * @gid: GID that an ARP or neighbour discovery packet names, and that the packet came from
 *
 * Any node on the link can name GIDs that do not exist, and each of them costs a path
 * request that stays open for seconds. On InfiniBand it cannot make packets come from those
 * GIDs; on RoCE its root can. So requests for GIDs that were heard have a share of their own,
 * which requests for GIDs that were only named cannot exhaust. The table is small and a later
 * port may overwrite the entry of an earlier one; that is good enough, because the path is
 * requested right after the packet was received.
 *
 * Context: NAPI.
 */
void ipoib_fabric_heard(struct ipoib_fabric *fabric, const void *gid)
{
	u32 hash = heard_hash(gid);
	u32 *place = &fabric->heard[hash % IPOIB_HEARD_PORTS];

	if (READ_ONCE(*place) != hash)
		WRITE_ONCE(*place, hash);
}

/**
 * ipoib_fabric_has_heard - has a packet come from a port
 * @fabric: the fabric
 * @gid: GID of the port
 *
 * Return: true if ipoib_fabric_heard() was called for @gid and no other port has overwritten
 * the entry since. Two ports with the same hash cannot be told apart.
 * Context: Any.
 */
bool ipoib_fabric_has_heard(const struct ipoib_fabric *fabric, const void *gid)
{
	u32 hash = heard_hash(gid);

	return READ_ONCE(fabric->heard[hash % IPOIB_HEARD_PORTS]) == hash;
}

/**
 * ipoib_link_put - drop the GID reference of a link
 * @link: result of the operations @find_gid or @query_port; its @gid_attr is NULL afterwards
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
 * ipoib_fabric_set_link - replace the link that new requests use
 * @fabric: the fabric
 * @link: copied; its reference on @gid_attr is taken over
 *
 * Requests under way keep the GID that they started with, which they hold a reference of.
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
 * ipoib_fabric_hold_gid - get the GID table entry that the link uses now
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
 * ipoib_fabric_find_pkey - find a P_Key in the table of a port
 * @ibdev: RDMA device
 * @port: port number
 * @pkey: P_Key with the membership bit
 * @index: index in the table, if there is such an entry
 *
 * RFC 4391 section 4 wants full members. But sites make clients limited members, which reach
 * servers and not each other, so an entry with limited membership is as good if there is no
 * other.
 *
 * Return: the entry, without the membership bit if the port is a limited member of the
 * partition; 0 if it is no member.
 * Context: Any.
 */
u16 ipoib_fabric_find_pkey(struct ib_device *ibdev, u32 port, u16 pkey,
			   u16 *index)
{
	u16 found;

	if (ib_find_cached_pkey(ibdev, port, pkey, index) ||
	    ib_get_cached_pkey(ibdev, port, *index, &found))
		return 0;
	/* The table may have changed between the two calls. */
	return (found | IPOIB_PKEY_FULL) == pkey ? found : 0;
}

/**
 * ipoib_fabric_pin_gid - have the link use this GID from now on
 * @fabric: the fabric
 * @gid: the GID; the port need not have it yet
 *
 * The next query of the port follows.
 *
 * Context: Any but hard interrupt.
 */
void ipoib_fabric_pin_gid(struct ipoib_fabric *fabric, const union ib_gid *gid)
{
	spin_lock_bh(&fabric->lock);
	fabric->pinned_gid = *gid;
	spin_unlock_bh(&fabric->lock);
}

/**
 * ipoib_fabric_pinned_gid - get the GID that the user chose
 * @fabric: the fabric
 * @gid: result: the GID
 *
 * Return: false if any GID will do.
 * Context: Any but hard interrupt.
 */
bool ipoib_fabric_pinned_gid(struct ipoib_fabric *fabric, union ib_gid *gid)
{
	spin_lock_bh(&fabric->lock);
	*gid = fabric->pinned_gid;
	spin_unlock_bh(&fabric->lock);
	return memchr_inv(gid, 0, sizeof(*gid));
}

/**
 * ipoib_fabric_find_guid - find a GUID in the GID table of an InfiniBand port
 * @ibdev: RDMA device
 * @port: port number
 * @chosen: a GID with the GUID. Its subnet prefix does not count, which is that of the port's own
 *	GID: the SM may have given the subnet another one since this one was chosen
 *
 * Return: the entry, for the caller to put; a negative errno as a pointer if there is none.
 * Context: Any.
 */
const struct ib_gid_attr *ipoib_fabric_find_guid(struct ib_device *ibdev, u32 port,
						 const union ib_gid *chosen)
{
	const struct ib_gid_attr *own = rdma_get_gid_attr(ibdev, port, 0);
	union ib_gid gid = *chosen;

	if (IS_ERR(own))
		return own;
	gid.global.subnet_prefix = own->gid.global.subnet_prefix;
	rdma_put_gid_attr(own);
	return rdma_find_gid_by_port(ibdev, &gid, IB_GID_TYPE_IB, port, NULL);
}

/**
 * ipoib_fabric_has_guid - is a GUID in the GID table of an InfiniBand port
 * @ibdev: RDMA device
 * @port: port number
 * @chosen: a GID with the GUID
 *
 * Return: true if it is.
 * Context: Any.
 */
bool ipoib_fabric_has_guid(struct ib_device *ibdev, u32 port, const union ib_gid *chosen)
{
	const struct ib_gid_attr *attr = ipoib_fabric_find_guid(ibdev, port, chosen);

	if (IS_ERR(attr))
		return false;
	rdma_put_gid_attr(attr);
	return true;
}

/**
 * ipoib_link_find_pkey - look for the P_Key of the link in the port's table
 * @fabric: the fabric
 * @link: link whose @pkey, @pkey_index and @pkey_entry are set; so is @state, unless the caller
 *	has set it to another reason before
 *
 * Context: Any.
 */
void ipoib_link_find_pkey(const struct ipoib_fabric *fabric,
			  struct ipoib_link *link)
{
	u16 first;

	link->pkey = fabric->pkey;
	if (fabric->first_pkey &&
	    !ib_get_cached_pkey(fabric->ibdev, fabric->port, 0, &first) &&
	    (first & ~IPOIB_PKEY_FULL))
		link->pkey = first | IPOIB_PKEY_FULL;

	link->pkey_entry = ipoib_fabric_find_pkey(fabric->ibdev, fabric->port,
						  link->pkey, &link->pkey_index);
	if (!link->pkey_entry && link->state == IPOIB_LINK_READY)
		link->state = IPOIB_LINK_NO_PKEY;
}

/**
 * ipoib_link_is_limited - is the port a limited member of the link's partition
 * @link: result of the operations @find_gid or @query_port
 *
 * IBTA 10.9.3: a port takes no packets of one limited member if it is another one.
 *
 * Return: true if only full members can be reached.
 * Context: Any.
 */
bool ipoib_link_is_limited(const struct ipoib_link *link)
{
	return link->pkey_entry && !(link->pkey_entry & IPOIB_PKEY_FULL);
}

/**
 * ipoib_port_longest - length of the longest datagram on any link of a port
 * @ibdev: RDMA device
 * @port: port number
 *
 * Return: octets, the encapsulation header included.
 * Context: Any.
 */
u32 ipoib_port_longest(struct ib_device *ibdev, u32 port)
{
	return rdma_core_cap_opa_port(ibdev, port) ? IPOIB_MTU_OPA : IPOIB_MTU_IB;
}

/**
 * ipoib_port_speed - speed of a port
 * @attr: result of ib_query_port()
 *
 * Return: Mbit/s over all lanes, 0 if width or speed has no known value.
 * Context: Any.
 */
u32 ipoib_port_speed(const struct ib_port_attr *attr)
{
	/* Indexed by the bit of enum ib_port_speed; Linux 6.1 has no IB_SPEED_XDR or later. */
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
 * ipoib_request_init - initialise the common part of a request
 * @req: the request, zeroed
 * @fabric: fabric that is asked; a use of its interface is taken
 * @owner: functions and context of the owner; copied
 * @start: asks; a function of &struct ipoib_request.start
 * @finish: likewise of @finish there
 *
 * The caller sets @turns and @share of @turn, and @gid.
 *
 * Return: 0; -ENETDOWN if the link has no GID, and there is nothing to undo.
 * Context: Any but hard interrupt.
 */
int ipoib_request_init(struct ipoib_request *req, struct ipoib_fabric *fabric,
		       const struct ipoib_request_owner *owner,
		       work_func_t start, work_func_t finish)
{
	req->sgid_attr = ipoib_fabric_hold_gid(fabric);
	if (!req->sgid_attr)
		return -ENETDOWN;

	req->fabric = fabric;
	req->owner = *owner;
	INIT_DELAYED_WORK(&req->start, start);
	INIT_WORK(&req->finish, finish);
	req->turn.wq = fabric->wq;
	req->turn.work = &req->start.work;
	ipoib_usecnt_get(fabric->users);
	ipoib_object_created(IPOIB_OBJ_REQUEST);
	return 0;
}

/**
 * ipoib_request_done - let another request begin, and answer the owner unless it has ended this one
 * @req: the request
 * @err: see @done of struct ipoib_request_owner
 * @route: likewise
 *
 * Context: Process context, may sleep.
 */
void ipoib_request_done(struct ipoib_request *req, int err, const struct ipoib_route *route)
{
	ipoib_turn_end(req->turns, &req->turn);
	if (!READ_ONCE(req->ended))
		req->owner.done(req->owner.ctx, err, route);
}

/**
 * ipoib_request_end - give a request back: its owner wants no answer any more, a membership ends
 * @req: the request, which the owner must not use any more
 *
 * Context: Any but hard interrupt.
 */
void ipoib_request_end(struct ipoib_request *req)
{
	WRITE_ONCE(req->ended, true);
	queue_work(req->turn.wq, &req->finish);
}

/**
 * ipoib_request_exit - release the owner of a request that is about to be freed
 * @req: the request, which has no turn; the interface may be gone when this returns
 *
 * Context: Process context, may sleep.
 */
void ipoib_request_exit(struct ipoib_request *req)
{
	rdma_put_gid_attr(req->sgid_attr);
	req->owner.release(req->owner.ctx);
	ipoib_object_destroyed(IPOIB_OBJ_REQUEST);
	ipoib_usecnt_put(req->fabric->users);
}
