// SPDX-License-Identifier: GPL-2.0
#include "fabric.h"

#include <linux/if_vlan.h>
#include <linux/rtnetlink.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/if_inet6.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>

#include "turns.h"
#include "wire.h"

/*
 * RFC 4391 takes Q_Key, SL, TClass, FlowLabel and HopLimit from the broadcast group. On RoCE
 * nobody administers that group, so all nodes use the constants below. The Q_Key is a
 * controlled one, as section 4.1 recommends: programs without privilege cannot send with it.
 * Packets stay on the link: GIDs are link-local, groups have hop limit 1.
 */
#define ROCE_QKEY		0x80000b1bu
/* 4.096 us * 2^14 = 67 ms: a connection sends a packet again after about this time. */
#define ROCE_LIFE_TIME		14

#define ROCE_TRAFFIC_CLASS	0
#define ROCE_FLOW_LABEL		0
#define ROCE_GROUP_HOP_LIMIT	1
#define ROCE_SL			0

/*
 * rdma_resolve_ip() looks at the neighbour entry and then waits for a notification that the
 * entry has changed. It misses a change between the two, and on a fast link that happens. At
 * its timeout it looks once more. So the first timeout is short, and each further try has
 * twice the timeout of the one before: 5 s in all, where neighbour discovery needs 3 s.
 */
#define ROCE_RESOLVE_MS		20
#define ROCE_RESOLVE_TRIES	8

/*
 * Whenever any neighbour entry changes, the RDMA core looks at all addresses that are being
 * resolved. With thousands of addresses that do not exist this would take minutes, so the
 * number of addresses that the driver resolves at a time for a port is limited. In all there are
 * that many times the RoCE ports with interfaces. There is a limit but no rate: neighbour
 * discovery of the stack limits the rate itself.
 */
#define ROCE_MAX_RESOLVING	128

/**
 * struct roce_request - request of a RoCE fabric
 * @base: common part. Its works run on the queue for work that takes RTNL if the request is for a
 *	group that the interface listens to
 * @tries: how often address resolution was started
 * @status: what has become of the last try, valid when rdma_addr_cancel() has returned;
 *	-ETIMEDOUT before the first one
 * @joined: the Ethernet device has joined the IPv6 group; written by @start of @base, read by
 *	@finish after @start has ended
 * @membership: membership of a group
 * @addr: result of address resolution for a peer
 */
struct roce_request {
	struct ipoib_request base;
	unsigned int tries;
	int status;
	bool joined;
	enum ipoib_membership membership;
	struct rdma_dev_addr addr;
};

/*
 * The limit is of each port, and not one for all: requests of an HCA that hangs keep their turns,
 * and those of other HCAs must not wait for these.
 */
static void *roce_open_port(struct ib_device *ibdev, u32 port)
{
	struct ipoib_turns *turns;

	turns = kzalloc(sizeof(*turns), GFP_KERNEL);
	if (!turns)
		return ERR_PTR(-ENOMEM);
	ipoib_turns_init(turns, ROCE_MAX_RESOLVING, NULL, 0, 0);
	return turns;
}

static void roce_close_port(void *shared)
{
	ipoib_turns_exit(shared);
	kfree(shared);
}

static bool gid_is_link_local(const union ib_gid *gid)
{
	return ipv6_addr_type((const struct in6_addr *)gid->raw) &
	       IPV6_ADDR_LINKLOCAL;
}

static bool gid_on_lower(const struct ib_gid_attr *attr,
			 const struct net_device *lower)
{
	bool same;

	rcu_read_lock();
	same = rcu_access_pointer(attr->ndev) == lower;
	rcu_read_unlock();
	return same;
}

/*
 * A GID of the table can be used only if it is an address of the Ethernet device. Entry 0 is
 * derived from the MAC address whether or not the stack has that address; if it has not,
 * packets to the GID are lost.
 */
static enum ipoib_link_state gid_state(const struct ipoib_fabric *fabric, const union ib_gid *gid)
{
	const struct in6_addr *addr = (const struct in6_addr *)gid->raw;
	struct net *net = dev_net(fabric->lower);

	if (ipv6_chk_addr(net, addr, fabric->lower, 1))
		return IPOIB_LINK_READY;
	if (ipv6_chk_addr_and_flags(net, addr, fabric->lower, false, 1,
				    IFA_F_DADFAILED))
		return IPOIB_LINK_TENTATIVE;
	return IPOIB_LINK_NO_GID;
}

static enum ipoib_link_state entry_state(struct ipoib_fabric *fabric,
					 const struct ib_gid_attr *attr)
{
	union ib_gid gid;

	if (attr->gid_type != IB_GID_TYPE_ROCE_UDP_ENCAP ||
	    !gid_is_link_local(&attr->gid) ||
	    !gid_on_lower(attr, fabric->lower))
		return IPOIB_LINK_NO_GID;
	if (ipoib_fabric_pinned_gid(fabric, &gid) && memcmp(&gid, &attr->gid, sizeof(gid)))
		return IPOIB_LINK_NO_GID;

	return gid_state(fabric, &attr->gid);
}

static bool port_is(struct ib_device *ibdev, u32 port,
		    const struct net_device *dev)
{
	struct ib_device *other;
	struct net_device *own;

	if (ibdev->ops.get_netdev) {
		own = ibdev->ops.get_netdev(ibdev, port);
		dev_put(own);
		return own == dev;
	}

	/* The cast is safe: ib_device_get_by_netdev() does not write to @dev. */
	other = ib_device_get_by_netdev((struct net_device *)dev,
					RDMA_DRIVER_UNKNOWN);
	if (other)
		ib_device_put(other);
	return other == ibdev;
}

/*
 * Is @lower the port's Ethernet device or a VLAN on it, and does the GID table have an entry
 * of @lower? The table alone is no proof: it also has GIDs of bridges and the like above the
 * port's Ethernet device, and the port receives nothing that is sent to those.
 */
static bool roce_is_on(struct ib_device *ibdev, u32 port,
		       const struct net_device *lower)
{
	int len = ibdev->port_data[port].immutable.gid_tbl_len;
	bool found = false;
	int i;

	if (!port_is(ibdev, port, is_vlan_dev(lower) ?
				  vlan_dev_real_dev(lower) : lower))
		return false;

	for (i = 0; i < len && !found; i++) {
		const struct ib_gid_attr *attr;

		attr = rdma_get_gid_attr(ibdev, port, i);
		if (IS_ERR(attr))
			continue;
		found = gid_on_lower(attr, lower);
		rdma_put_gid_attr(attr);
	}
	return found;
}

/*
 * Keep the GID entry that the link uses now if it is still in the table and ready. Returns
 * false, and leaves @link as it is, if not.
 */
static bool keep_gid(struct ipoib_fabric *fabric, struct ipoib_link *link)
{
	const struct ib_gid_attr *used = ipoib_fabric_hold_gid(fabric);
	const struct ib_gid_attr *now;

	if (!used)
		return false;

	now = rdma_get_gid_attr(fabric->ibdev, fabric->port, used->index);
	if (!IS_ERR(now))
		rdma_put_gid_attr(now);
	if (now != used || entry_state(fabric, used) != IPOIB_LINK_READY) {
		rdma_put_gid_attr(used);
		return false;
	}

	link->state = IPOIB_LINK_READY;
	link->gid = used->gid;
	link->gid_attr = used;
	return true;
}

/*
 * Choose the first ready entry of the GID table, or if there is none the first whose address
 * is under duplicate address detection.
 */
static void find_gid(struct ipoib_fabric *fabric, struct ipoib_link *link)
{
	int len = fabric->ibdev->port_data[fabric->port].immutable.gid_tbl_len;
	int i;

	link->state = IPOIB_LINK_NO_GID;
	for (i = 0; i < len && link->state != IPOIB_LINK_READY; i++) {
		const struct ib_gid_attr *attr;
		enum ipoib_link_state state;

		attr = rdma_get_gid_attr(fabric->ibdev, fabric->port, i);
		if (IS_ERR(attr))
			continue;

		state = entry_state(fabric, attr);
		if (state == IPOIB_LINK_READY ||
		    (state == IPOIB_LINK_TENTATIVE && !link->gid_attr)) {
			ipoib_link_put(link);
			link->state = state;
			link->gid = attr->gid;
			link->gid_attr = attr;
		} else {
			rdma_put_gid_attr(attr);
		}
	}
}

/*
 * The port is not queried here, so the MTU is that of the Ethernet device, rounded down to one
 * that RoCE has.
 */
static void find_roce_gid(struct ipoib_fabric *fabric, struct ipoib_link *link)
{
	enum ib_mtu mtu = iboe_get_mtu(READ_ONCE(fabric->lower->mtu));

	memset(link, 0, sizeof(*link));
	link->mtu = max(ib_mtu_enum_to_int(mtu), 256) - IPOIB_HDR_LEN;
	if (!keep_gid(fabric, link))
		find_gid(fabric, link);
	ipoib_link_find_pkey(fabric, link);
}

static void query_roce_port(struct ipoib_fabric *fabric, struct ipoib_link *link)
{
	struct ib_port_attr attr;
	int mtu;

	find_roce_gid(fabric, link);
	link->mtu = 0;

	/*
	 * Do not query a port that cannot be used anyway: the RDMA core logs a warning for
	 * each query while the Ethernet device has no speed.
	 */
	if (!netif_carrier_ok(fabric->lower))
		link->state = IPOIB_LINK_PORT_DOWN;
	if (link->state != IPOIB_LINK_READY)
		return;

	if (ib_query_port(fabric->ibdev, fabric->port, &attr)) {
		link->state = IPOIB_LINK_QUERY;
		return;
	}

	mtu = ib_mtu_enum_to_int(attr.active_mtu);
	if (mtu > 0)
		link->mtu = mtu - IPOIB_HDR_LEN;
	link->pkey_violations = attr.bad_pkey_cntr;
	link->qkey_violations = attr.qkey_viol_cntr;
	link->speed = ipoib_port_speed(&attr);
	if (attr.state != IB_PORT_ACTIVE)
		link->state = IPOIB_LINK_PORT_DOWN;
}

/*
 * The address vector has a GRH although RoCE v2 sends an IPv6 header in its place: the HCA
 * copies TClass, flow label, hop limit and GIDs from it (IBTA A17.3.1.2).
 */
static void roce_route(struct roce_request *req, const u8 *dmac, u8 hop_limit,
		       struct ipoib_route *route)
{
	struct ipoib_fabric *fabric = req->base.fabric;
	struct rdma_ah_attr *attr = &route->attr;

	memset(route, 0, sizeof(*route));
	attr->type = rdma_ah_find_type(fabric->ibdev, fabric->port);
	rdma_ah_set_port_num(attr, fabric->port);
	rdma_ah_set_sl(attr, ROCE_SL);
	ether_addr_copy(attr->roce.dmac, dmac);

	rdma_hold_gid_attr(req->base.sgid_attr);
	rdma_move_grh_sgid_attr(attr, &req->base.gid, ROCE_FLOW_LABEL, hop_limit,
				ROCE_TRAFFIC_CLASS, req->base.sgid_attr);
	route->mtu = ib_mtu_enum_to_int(IB_MTU_4096) - IPOIB_HDR_LEN;
}

/* Build the path record that the CM needs, and that an SA would have answered. */
static void roce_path_record(const struct roce_request *req,
			     struct rdma_dev_addr *addr,
			     struct sa_path_rec *rec)
{
	struct ipoib_fabric *fabric = req->base.fabric;
	unsigned int mtu;

	spin_lock_bh(&fabric->lock);
	mtu = fabric->link.mtu;
	spin_unlock_bh(&fabric->lock);
	memset(rec, 0, sizeof(*rec));
	rec->rec_type = SA_PATH_REC_TYPE_ROCE_V2;
	rec->dgid = req->base.gid;
	rec->sgid = req->base.sgid_attr->gid;
	rec->pkey = cpu_to_be16(READ_ONCE(fabric->pkey));
	rec->hop_limit = addr->hoplimit;
	rec->traffic_class = ROCE_TRAFFIC_CLASS;
	rec->reversible = 1;
	rec->numb_path = 1;
	rec->mtu_selector = IB_SA_EQ;
	rec->mtu = ib_mtu_int_to_enum(mtu + IPOIB_HDR_LEN);
	rec->rate_selector = IB_SA_EQ;
	rec->rate = IB_RATE_PORT_CURRENT;
	rec->packet_life_time_selector = IB_SA_EQ;
	rec->packet_life_time = ROCE_LIFE_TIME;
	rec->roce.route_resolved = true;
	sa_path_set_dmac(rec, addr->dst_dev_addr);
}

/* Another try may find the address. */
static bool path_try_again(const struct roce_request *req)
{
	return req->status == -ETIMEDOUT && req->tries < ROCE_RESOLVE_TRIES;
}

/*
 * This runs on the one queue of the RDMA core for addresses, of all HCAs. The owner makes an
 * address handle, for which it may wait for an HCA that is slow or hangs, and sends what waited:
 * so path_start_work() tells it, and what others resolve does not wait for that.
 */
static void path_resolved(int status, struct sockaddr *src,
			  struct rdma_dev_addr *addr, void *ctx)
{
	struct roce_request *req = ctx;

	/*
	 * The RDMA core may copy the address of a neighbour entry before the stack has written
	 * it. Nobody has the address zero, and a path to it would be kept for minutes.
	 */
	if (!status && is_zero_ether_addr(addr->dst_dev_addr))
		status = -ETIMEDOUT;
	req->status = status;
	if (!path_try_again(req))
		ipoib_turn_end(req->base.turns, &req->base.turn);
	queue_delayed_work(req->base.turn.wq, &req->base.start, 0);
}

/*
 * Resolving the address also proves that there is a route. Without that check a send could
 * stop the interface: soft-RoCE puts the QP into the error state if it finds no route.
 */
static int path_start(struct roce_request *req)
{
	union {
		struct sockaddr any;
		struct sockaddr_in6 in6;
	} src = {}, dst = {};
	unsigned int timeout_ms = ROCE_RESOLVE_MS << req->tries++;

	if (!gid_is_link_local(&req->base.gid))
		return -EADDRNOTAVAIL;

	rdma_gid2ip(&src.any, &req->base.sgid_attr->gid);
	rdma_gid2ip(&dst.any, &req->base.gid);
	req->addr.sgid_attr = req->base.sgid_attr;
	req->addr.net = dev_net(req->base.fabric->lower);
	return rdma_resolve_ip(&src.any, &dst.any, &req->addr, timeout_ms,
			       path_resolved, true, req);
}

static void path_done(struct roce_request *req)
{
	struct sa_path_rec rec;
	struct ipoib_route route;

	roce_route(req, req->addr.dst_dev_addr, req->addr.hoplimit, &route);
	roce_path_record(req, &req->addr, &rec);
	route.path = &rec;
	ipoib_request_done(&req->base, 0, &route);
	rdma_destroy_ah_attr(&route.attr);
}

static void path_step(struct roce_request *req)
{
	int err;

	/*
	 * path_resolved() of the previous try has queued this work and may still be running.
	 * rdma_addr_cancel() waits for it, so that @addr can be used again.
	 */
	if (req->tries)
		rdma_addr_cancel(&req->addr);
	if (READ_ONCE(req->base.ended))
		return;

	err = req->status;
	if (path_try_again(req)) {
		err = path_start(req);
		if (!err)
			return;
	}
	if (err)
		ipoib_request_done(&req->base, err, NULL);
	else
		path_done(req);
}

static void path_start_work(struct work_struct *work)
{
	/* Packets of a block device may wait for the path: no page may wait for those. */
	unsigned int noio = memalloc_noio_save();

	path_step(container_of(to_delayed_work(work), struct roce_request, base.start));
	memalloc_noio_restore(noio);
}

static void path_finish_work(struct work_struct *work)
{
	struct roce_request *req = container_of(work, struct roce_request,
						base.finish);

	/*
	 * 1. End the turn, so that @start is not queued when it is granted. 2. Wait for
	 * @start if it is queued or running. 3. Cancel the resolution under way, or wait for
	 * path_resolved(). 4. Cancel @start once more, because path_resolved() may have queued
	 * it after step 2; it has started nothing, for @ended was set before.
	 */
	ipoib_turn_end(req->base.turns, &req->base.turn);
	cancel_delayed_work_sync(&req->base.start);
	rdma_addr_cancel(&req->addr);
	cancel_delayed_work_sync(&req->base.start);
	ipoib_request_exit(&req->base);
	kfree(req);
}

/*
 * The port receives only what its Ethernet device lets through. So the Ethernet device joins
 * the IPv6 group: that adds the multicast filter entry that an HCA needs, and the membership
 * without which soft-RoCE receives nothing for the group.
 */
static int group_join(struct roce_request *req)
{
	int err;

	if (req->membership == IPOIB_SEND_ONLY)
		return 0;

	rtnl_lock();
	err = ipv6_dev_mc_inc(req->base.fabric->lower,
			      (const struct in6_addr *)req->base.gid.raw);
	rtnl_unlock();
	req->joined = !err;
	return err;
}

static void group_leave(struct roce_request *req)
{
	if (!req->joined)
		return;

	/*
	 * ipv6_dev_mc_dec() fails if IPv6 was turned off meanwhile. The error can be ignored,
	 * because the membership has ended with IPv6.
	 */
	rtnl_lock();
	ipv6_dev_mc_dec(req->base.fabric->lower,
			(const struct in6_addr *)req->base.gid.raw);
	rtnl_unlock();
}

static void group_start_work(struct work_struct *work)
{
	struct roce_request *req = container_of(to_delayed_work(work),
						struct roce_request, base.start);
	struct ipoib_route route;
	u8 dmac[ETH_ALEN];
	int err;

	if (READ_ONCE(req->base.ended))
		return;

	err = group_join(req);
	if (err) {
		ipoib_request_done(&req->base, err, NULL);
		return;
	}

	ipv6_eth_mc_map((const struct in6_addr *)req->base.gid.raw, dmac);
	roce_route(req, dmac, ROCE_GROUP_HOP_LIMIT, &route);
	route.qkey = ROCE_QKEY;
	ipoib_request_done(&req->base, 0, &route);
	rdma_destroy_ah_attr(&route.attr);
}

static void group_finish_work(struct work_struct *work)
{
	struct roce_request *req = container_of(work, struct roce_request,
						base.finish);

	cancel_delayed_work_sync(&req->base.start);
	group_leave(req);
	ipoib_request_exit(&req->base);
	kfree(req);
}

static struct roce_request *
roce_request_new(struct ipoib_fabric *fabric, const union ib_gid *gid,
		 const struct ipoib_request_owner *owner,
		 work_func_t start, work_func_t finish)
{
	struct roce_request *req;
	int err;

	req = kzalloc(sizeof(*req), GFP_ATOMIC | __GFP_NOWARN);
	if (!req)
		return ERR_PTR(-ENOMEM);

	err = ipoib_request_init(&req->base, fabric, owner, start, finish);
	if (err) {
		kfree(req);
		return ERR_PTR(err);
	}

	req->base.gid = *gid;
	req->base.turns = fabric->shared;
	/*
	 * A request for a port that does not exist stays open for 5 s. Ports that were heard
	 * have a share of their own, so that such requests do not delay those for them.
	 */
	req->base.turn.share = ipoib_fabric_has_heard(fabric, gid) ?
			       &fabric->shares[IPOIB_ASK_PATH] : &fabric->doubtful;
	return req;
}

static struct ipoib_request *roce_path(struct ipoib_fabric *fabric,
				       const union ib_gid *dgid,
				       const struct ipoib_request_owner *owner)
{
	struct roce_request *req;

	req = roce_request_new(fabric, dgid, owner, path_start_work, path_finish_work);
	if (IS_ERR(req))
		return ERR_CAST(req);

	req->status = -ETIMEDOUT;
	ipoib_turn_ask(req->base.turns, &req->base.turn);
	return &req->base;
}

static struct ipoib_request *roce_group(struct ipoib_fabric *fabric,
					const union ib_gid *mgid,
					enum ipoib_membership membership, bool create,
					const struct ipoib_request_owner *owner)
{
	struct roce_request *req;

	req = roce_request_new(fabric, mgid, owner, group_start_work, group_finish_work);
	if (IS_ERR(req))
		return ERR_CAST(req);

	/*
	 * A request for sending only joins nothing and so needs no RTNL: it must not wait
	 * behind work that does.
	 */
	req->membership = membership;
	if (membership != IPOIB_SEND_ONLY)
		req->base.turn.wq = fabric->ctl_wq;
	queue_delayed_work(req->base.turn.wq, &req->base.start, 0);
	return &req->base;
}

const struct ipoib_fabric_ops ipoib_fabric_roce_ops = {
	.name		= "RoCE",
	.is_on		= roce_is_on,
	.open_port	= roce_open_port,
	.close_port	= roce_close_port,
	.find_gid	= find_roce_gid,
	.query_port	= query_roce_port,
	.path		= roce_path,
	.group		= roce_group,
};
