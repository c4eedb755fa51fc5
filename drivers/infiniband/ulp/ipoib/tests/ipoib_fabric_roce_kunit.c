// SPDX-License-Identifier: GPL-2.0
/*
 * Links, paths and groups of a RoCE port: its table of GIDs, its Ethernet device and the stack's
 * neighbours are this file.
 */
#include <kunit/test.h>
#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>

#include "../device.h"

/* What the stack knows of an address. */
enum address {
	NONE,
	TENTATIVE,
	READY,
};

static const struct ib_gid_attr *entry(int index);
static enum address state_of(const struct in6_addr *addr);
static int resolve(int timeout_ms);
static int query_port(struct ib_port_attr *attr);
static int join(void);

static int held, resolving, members, cancels, starts;
static unsigned long start_delay;

#define rdma_get_gid_attr(_dev, _port, _index)	entry(_index)
#define rdma_put_gid_attr(_attr)		((void)(_attr), held--)
#define rdma_hold_gid_attr(_attr)		((void)(_attr), held++)
#define rdma_destroy_ah_attr(_attr)		(held--)
#define rdma_ah_find_type(_dev, _port)		RDMA_AH_ATTR_TYPE_ROCE
#define ipv6_chk_addr(_net, _addr, _dev, _strict)	\
	((void)(_net), state_of(_addr) == READY)
#define ipv6_chk_addr_and_flags(_net, _addr, _dev, _skip, _strict, _flags)	\
	(state_of(_addr) == TENTATIVE)
#define ipv6_dev_mc_inc(_dev, _addr)		join()
#define ipv6_dev_mc_dec(_dev, _addr)		(members--)
#define ib_query_port(_dev, _port, _attr)	query_port(_attr)
#define rdma_resolve_ip(_src, _dst, _addr, _ms, _fn, _force, _ctx)	\
	((void)(_src), (void)(_dst), (void)(_fn), resolve(_ms))
#define rdma_addr_cancel(_addr)			((void)(_addr), resolving = 0, cancels++)
#define cancel_delayed_work_sync(_work)		((void)(_work))
#define queue_delayed_work(_wq, _work, _delay)	(start_delay = (_delay), starts++)
#include "../fabric_roce.c"

#define ENTRIES	4

/**
 * struct world - a port and its Ethernet device
 * @lower: the Ethernet device
 * @ibdev: the RDMA device
 * @ports: its ports, of which the second one is ours
 * @fabric: the fabric
 * @turns: what the requests of the port share
 * @table: its GIDs
 * @empty: entries that are not there, as bits
 * @addresses: what the stack knows of each
 * @used: the entry that the link uses
 * @pinned: the user has chosen that of entry 2
 * @port: what a query of the port says
 * @no_port: it cannot be queried
 * @no_route: nothing leads to an address
 * @timeout_ms: how long one was to be looked for
 * @resolved: how often
 * @no_member: no group can be joined
 * @heard: the port was heard
 * @done: answers to the owner of a request
 * @err: the last one
 * @route: its route
 * @rec: the path record of that
 * @ended: how often a turn was given back
 */
static struct world {
	struct net_device *lower;
	struct ib_device ibdev;
	struct ib_port_data ports[2];
	struct ipoib_fabric fabric;
	struct ipoib_turns *turns;
	struct ib_gid_attr table[ENTRIES];
	unsigned long empty;
	enum address addresses[ENTRIES];
	const struct ib_gid_attr *used;
	bool pinned;
	struct ib_port_attr port;
	bool no_port;
	bool no_route;
	int timeout_ms;
	unsigned int resolved;
	bool no_member;
	bool heard;
	unsigned int done;
	int err;
	struct ipoib_route route;
	struct sa_path_rec rec;
	unsigned int ended;
} *world;

/* ---- the kernel -------------------------------------------------------- */

static const struct ib_gid_attr *entry(int index)
{
	if (world->empty & BIT(index))
		return ERR_PTR(-ENODATA);
	held++;
	return &world->table[index];
}

static enum address state_of(const struct in6_addr *addr)
{
	return world->addresses[addr->s6_addr[15]];
}

static int resolve(int timeout_ms)
{
	world->timeout_ms = timeout_ms;
	world->resolved++;
	if (world->no_route)
		return -ENETUNREACH;
	resolving = 1;
	return 0;
}

static int query_port(struct ib_port_attr *attr)
{
	*attr = world->port;
	return world->no_port ? -EIO : 0;
}

static int join(void)
{
	if (world->no_member)
		return -ENOMEM;
	members++;
	return 0;
}

/* ---- what fabric_roce.c calls of the driver ---------------------------- */

void ipoib_link_put(struct ipoib_link *link)
{
	held -= !!link->gid_attr;
	link->gid_attr = NULL;
}

void ipoib_link_find_pkey(const struct ipoib_fabric *fabric, struct ipoib_link *link)
{
	link->pkey = fabric->pkey;
}

bool ipoib_fabric_pinned_gid(struct ipoib_fabric *fabric, union ib_gid *gid)
{
	*gid = world->table[2].gid;
	return world->pinned;
}

const struct ib_gid_attr *ipoib_fabric_hold_gid(struct ipoib_fabric *fabric)
{
	held += !!world->used;
	return world->used;
}

bool ipoib_fabric_has_heard(const struct ipoib_fabric *fabric, const void *gid)
{
	return world->heard;
}

u32 ipoib_port_speed(const struct ib_port_attr *attr)
{
	return 25000;
}

int ipoib_request_init(struct ipoib_request *req, struct ipoib_fabric *fabric,
		       const struct ipoib_request_owner *owner, work_func_t start,
		       work_func_t finish)
{
	if (!world->used)
		return -ENETDOWN;
	req->fabric = fabric;
	req->sgid_attr = world->used;
	req->turn.wq = fabric->wq;
	INIT_DELAYED_WORK(&req->start, start);
	INIT_WORK(&req->finish, finish);
	return 0;
}

void ipoib_request_done(struct ipoib_request *req, int err, const struct ipoib_route *route)
{
	world->done++;
	world->err = err;
	if (!route)
		return;
	world->route = *route;
	if (route->path)
		world->rec = *route->path;
}

void ipoib_request_exit(struct ipoib_request *req)
{
}

void ipoib_turns_init(struct ipoib_turns *turns, unsigned int limit, struct workqueue_struct *wq,
		      u32 rate, u32 burst)
{
	turns->left = limit;
}

void ipoib_turns_exit(struct ipoib_turns *turns)
{
}

void ipoib_turn_ask(struct ipoib_turns *turns, struct ipoib_turn *turn)
{
	turn->state = IPOIB_TURN_HAS;
}

void ipoib_turn_end(struct ipoib_turns *turns, struct ipoib_turn *turn)
{
	world->ended++;
	turn->state = IPOIB_TURN_NONE;
}

/* ---- the port ---------------------------------------------------------- */

static int fabric_roce_test_init(struct kunit *test)
{
	struct ipoib_fabric *fabric;
	unsigned int i;

	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world);
	world->lower = alloc_etherdev(0);
	KUNIT_ASSERT_NOT_NULL(test, world->lower);
	held = 0;
	resolving = 0;
	members = 0;
	cancels = 0;
	starts = 0;
	world->lower->mtu = 2200;
	for (i = 0; i < ENTRIES; i++) {
		struct ib_gid_attr *attr = &world->table[i];

		attr->index = i;
		attr->gid.raw[0] = 0xfe;
		attr->gid.raw[1] = 0x80;
		attr->gid.raw[15] = i;
		attr->gid_type = IB_GID_TYPE_ROCE_UDP_ENCAP;
		rcu_assign_pointer(attr->ndev, world->lower);
		world->addresses[i] = READY;
	}
	world->ports[1].immutable.gid_tbl_len = ENTRIES;
	world->ibdev.port_data = world->ports;
	world->port.state = IB_PORT_ACTIVE;
	world->port.active_mtu = IB_MTU_1024;
	fabric = &world->fabric;
	fabric->ibdev = &world->ibdev;
	fabric->port = 1;
	fabric->lower = world->lower;
	fabric->pkey = 0xffff;
	fabric->link.mtu = 2044;
	fabric->wq = system_wq;
	fabric->ctl_wq = system_long_wq;
	spin_lock_init(&fabric->lock);
	world->turns = roce_open_port(&world->ibdev, 1);
	KUNIT_ASSERT_FALSE(test, IS_ERR(world->turns));
	KUNIT_EXPECT_EQ(test, world->turns->left, ROCE_MAX_RESOLVING);
	fabric->shared = world->turns;
	return 0;
}

static void fabric_roce_test_exit(struct kunit *test)
{
	if (!world || !world->turns)
		return;
	roce_close_port(world->turns);
	free_netdev(world->lower);
	KUNIT_EXPECT_EQ(test, held, 0);
	KUNIT_EXPECT_EQ(test, resolving, 0);
	KUNIT_EXPECT_EQ(test, members, 0);
}

/* The entry that a link is found to have, or -1; and why not. */
static void finds(struct kunit *test, int index, enum ipoib_link_state state)
{
	struct ipoib_link link;

	/* It may be what another one was. */
	memset(&link, 0xee, sizeof(link));
	find_roce_gid(&world->fabric, &link);
	KUNIT_EXPECT_EQ(test, link.state, state);
	KUNIT_EXPECT_EQ(test, link.lid, 0);
	KUNIT_EXPECT_EQ(test, link.speed, 0);
	KUNIT_EXPECT_EQ(test, link.gid_attr ? (int)link.gid_attr->index : -1, index);
	KUNIT_EXPECT_EQ(test, link.gid.raw[15], index < 0 ? 0 : index);
	KUNIT_EXPECT_EQ(test, link.mtu, 2044);
	KUNIT_EXPECT_EQ(test, link.pkey, 0xffff);
	ipoib_link_put(&link);
	KUNIT_EXPECT_EQ(test, held, 0);
}

static void the_first_address_of_the_stack_is_used(struct kunit *test)
{
	finds(test, 0, IPOIB_LINK_READY);
	world->addresses[0] = NONE;
	world->empty = BIT(1);
	finds(test, 2, IPOIB_LINK_READY);
	/* One under detection is better than none, and no better than one that is ready. */
	world->addresses[2] = TENTATIVE;
	finds(test, 3, IPOIB_LINK_READY);
	world->addresses[3] = TENTATIVE;
	finds(test, 2, IPOIB_LINK_TENTATIVE);
	world->addresses[2] = NONE;
	world->addresses[3] = NONE;
	finds(test, -1, IPOIB_LINK_NO_GID);
}

static void only_link_local_ones_of_the_ethernet_device_are(struct kunit *test)
{
	world->table[0].gid_type = IB_GID_TYPE_IB;
	world->table[1].gid.raw[0] = 0x20;
	rcu_assign_pointer(world->table[2].ndev, NULL);
	finds(test, 3, IPOIB_LINK_READY);
	rcu_assign_pointer(world->table[2].ndev, world->lower);
	world->table[0].gid_type = IB_GID_TYPE_ROCE_UDP_ENCAP;
	finds(test, 0, IPOIB_LINK_READY);
	world->pinned = true;
	finds(test, 2, IPOIB_LINK_READY);
}

static void the_one_in_use_is_kept_while_it_is_good(struct kunit *test)
{
	world->used = &world->table[2];
	finds(test, 2, IPOIB_LINK_READY);
	world->addresses[2] = NONE;
	finds(test, 0, IPOIB_LINK_READY);
	world->addresses[2] = READY;
	world->empty = BIT(2);
	finds(test, 0, IPOIB_LINK_READY);
}

static void a_port_is_what_its_query_says(struct kunit *test)
{
	struct ipoib_link link;

	query_roce_port(&world->fabric, &link);
	KUNIT_EXPECT_EQ(test, link.state, IPOIB_LINK_READY);
	KUNIT_EXPECT_EQ(test, link.mtu, 1020);
	KUNIT_EXPECT_EQ(test, link.speed, 25000);
	KUNIT_EXPECT_EQ(test, link.lid, 0);
	ipoib_link_put(&link);
	world->port.state = IB_PORT_DOWN;
	query_roce_port(&world->fabric, &link);
	KUNIT_EXPECT_EQ(test, link.state, IPOIB_LINK_PORT_DOWN);
	ipoib_link_put(&link);
	/* Some say no MTU then. */
	world->port.active_mtu = 0;
	query_roce_port(&world->fabric, &link);
	KUNIT_EXPECT_EQ(test, link.mtu, 0);
	ipoib_link_put(&link);
	world->no_port = true;
	query_roce_port(&world->fabric, &link);
	KUNIT_EXPECT_EQ(test, link.state, IPOIB_LINK_QUERY);
	KUNIT_EXPECT_EQ(test, link.mtu, 0);
	ipoib_link_put(&link);
	set_bit(__LINK_STATE_NOCARRIER, &world->lower->state);
	query_roce_port(&world->fabric, &link);
	KUNIT_EXPECT_EQ(test, link.state, IPOIB_LINK_PORT_DOWN);
	ipoib_link_put(&link);
}

/* ---- paths ------------------------------------------------------------- */

static const struct ipoib_request_owner owner;

static struct roce_request *ask(struct kunit *test, u8 node)
{
	union ib_gid gid = { .raw = { 0xfe, 0x80, [15] = node } };
	struct ipoib_request *base;
	struct roce_request *req;

	world->used = &world->table[1];
	base = roce_path(&world->fabric, &gid, &owner);
	KUNIT_ASSERT_FALSE(test, IS_ERR(base));
	req = container_of(base, struct roce_request, base);
	KUNIT_EXPECT_EQ(test, base->turn.state, IPOIB_TURN_HAS);
	world->resolved = 0;
	world->done = 0;
	world->ended = 0;
	cancels = 0;
	path_start_work(&base->start.work);
	return req;
}

/* The RDMA core knows the MAC address, or says why not. */
static void answer(struct roce_request *req, int status, u8 mac)
{
	memset(req->addr.dst_dev_addr, 0, sizeof(req->addr.dst_dev_addr));
	req->addr.dst_dev_addr[5] = mac;
	req->addr.hoplimit = 7;
	resolving = 0;
	starts = 0;
	path_resolved(status, NULL, &req->addr, req);
}

static void a_path_leads_to_a_mac_address(struct kunit *test)
{
	struct roce_request *req = ask(test, 9);

	KUNIT_EXPECT_EQ(test, world->resolved, 1);
	KUNIT_EXPECT_EQ(test, world->timeout_ms, ROCE_RESOLVE_MS);
	KUNIT_EXPECT_PTR_EQ(test, req->addr.sgid_attr, world->used);
	answer(req, 0, 5);
	KUNIT_EXPECT_EQ(test, starts, 1);
	KUNIT_EXPECT_EQ(test, start_delay, 0);
	KUNIT_EXPECT_EQ(test, world->ended, 1);
	KUNIT_EXPECT_EQ(test, world->done, 0);
	path_start_work(&req->base.start.work);
	KUNIT_EXPECT_EQ(test, world->done, 1);
	KUNIT_EXPECT_EQ(test, world->err, 0);
	KUNIT_EXPECT_EQ(test, world->route.attr.type, RDMA_AH_ATTR_TYPE_ROCE);
	KUNIT_EXPECT_EQ(test, world->route.attr.roce.dmac[5], 5);
	KUNIT_EXPECT_EQ(test, world->route.attr.grh.hop_limit, 7);
	KUNIT_EXPECT_EQ(test, world->route.attr.grh.dgid.raw[15], 9);
	KUNIT_EXPECT_EQ(test, rdma_ah_get_sl(&world->route.attr), ROCE_SL);
	KUNIT_EXPECT_EQ(test, rdma_ah_get_port_num(&world->route.attr), 1);
	KUNIT_EXPECT_EQ(test, world->route.mtu, 4092);
	KUNIT_EXPECT_EQ(test, world->rec.rec_type, SA_PATH_REC_TYPE_ROCE_V2);
	KUNIT_EXPECT_EQ(test, world->rec.dgid.raw[15], 9);
	KUNIT_EXPECT_EQ(test, world->rec.sgid.raw[15], 1);
	KUNIT_EXPECT_EQ(test, world->rec.pkey, cpu_to_be16(0xffff));
	KUNIT_EXPECT_EQ(test, world->rec.mtu, IB_MTU_2048);
	KUNIT_EXPECT_EQ(test, world->rec.rate, IB_RATE_PORT_CURRENT);
	KUNIT_EXPECT_EQ(test, world->rec.packet_life_time, ROCE_LIFE_TIME);
	KUNIT_EXPECT_EQ(test, world->rec.hop_limit, 7);
	KUNIT_EXPECT_EQ(test, world->rec.traffic_class, ROCE_TRAFFIC_CLASS);
	KUNIT_EXPECT_TRUE(test, world->rec.roce.route_resolved);
	KUNIT_EXPECT_EQ(test, sa_path_get_dmac(&world->rec)[5], 5);
	path_finish_work(&req->base.finish);
}

static void an_address_is_looked_for_so_often(struct kunit *test)
{
	struct roce_request *req = ask(test, 9);
	unsigned int i;

	for (i = 1; i < ROCE_RESOLVE_TRIES; i++) {
		/* An address of zeros is none. */
		answer(req, i == 1 ? 0 : -ETIMEDOUT, 0);
		KUNIT_EXPECT_EQ(test, world->ended, 0);
		path_start_work(&req->base.start.work);
		KUNIT_EXPECT_EQ(test, world->resolved, i + 1);
		KUNIT_EXPECT_EQ(test, world->timeout_ms, ROCE_RESOLVE_MS << i);
		KUNIT_EXPECT_EQ(test, cancels, i);
	}
	answer(req, -ETIMEDOUT, 0);
	KUNIT_EXPECT_EQ(test, world->ended, 1);
	path_start_work(&req->base.start.work);
	KUNIT_EXPECT_EQ(test, world->done, 1);
	KUNIT_EXPECT_EQ(test, world->err, -ETIMEDOUT);
	path_finish_work(&req->base.finish);
}

static void what_cannot_be_reached_is_told_at_once(struct kunit *test)
{
	struct roce_request *req = ask(test, 9);
	union ib_gid gid = { .raw = { 0x20, 0x01 } };

	answer(req, -EHOSTUNREACH, 0);
	KUNIT_EXPECT_EQ(test, world->ended, 1);
	path_start_work(&req->base.start.work);
	KUNIT_EXPECT_EQ(test, world->err, -EHOSTUNREACH);
	path_finish_work(&req->base.finish);
	world->no_route = true;
	req = ask(test, 9);
	KUNIT_EXPECT_EQ(test, world->err, -ENETUNREACH);
	path_finish_work(&req->base.finish);
	world->no_route = false;
	/* Only link-local addresses are on the link. */
	req = container_of(roce_path(&world->fabric, &gid, &owner), struct roce_request, base);
	path_start_work(&req->base.start.work);
	KUNIT_EXPECT_EQ(test, world->err, -EADDRNOTAVAIL);
	path_finish_work(&req->base.finish);
	world->used = NULL;
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(roce_path(&world->fabric, &gid, &owner)),
			-ENETDOWN);
}

static void who_gives_a_path_back_waits_for_nobody(struct kunit *test)
{
	struct roce_request *req = ask(test, 9);

	KUNIT_EXPECT_EQ(test, resolving, 1);
	req->base.ended = true;
	path_finish_work(&req->base.finish);
	KUNIT_EXPECT_EQ(test, resolving, 0);
	KUNIT_EXPECT_EQ(test, cancels, 1);
	KUNIT_EXPECT_EQ(test, world->ended, 1);
	KUNIT_EXPECT_EQ(test, world->done, 0);
}

static void those_that_were_heard_have_a_share_of_their_own(struct kunit *test)
{
	struct roce_request *req = ask(test, 9);

	KUNIT_EXPECT_PTR_EQ(test, req->base.turn.share, &world->fabric.doubtful);
	path_finish_work(&req->base.finish);
	world->heard = true;
	req = ask(test, 9);
	KUNIT_EXPECT_PTR_EQ(test, req->base.turn.share, &world->fabric.shares[IPOIB_ASK_PATH]);
	path_finish_work(&req->base.finish);
}

/* ---- groups ------------------------------------------------------------ */

static struct roce_request *group(struct kunit *test, enum ipoib_membership membership)
{
	union ib_gid mgid = { .raw = { 0xff, 0x12, 0x60, 0x1b, [14] = 1, [15] = 2 } };
	struct ipoib_request *base;

	world->used = &world->table[1];
	starts = 0;
	world->done = 0;
	base = roce_group(&world->fabric, &mgid, membership, true, &owner);
	KUNIT_ASSERT_FALSE(test, IS_ERR(base));
	KUNIT_EXPECT_EQ(test, starts, 1);
	group_start_work(&base->start.work);
	KUNIT_EXPECT_EQ(test, world->done, 1);
	return container_of(base, struct roce_request, base);
}

static void the_ethernet_device_joins_what_is_listened_to(struct kunit *test)
{
	struct roce_request *req = group(test, IPOIB_FULL_MEMBER);

	KUNIT_EXPECT_EQ(test, members, 1);
	KUNIT_EXPECT_PTR_EQ(test, req->base.turn.wq, world->fabric.ctl_wq);
	KUNIT_EXPECT_EQ(test, world->route.qkey, ROCE_QKEY);
	KUNIT_EXPECT_EQ(test, world->route.attr.roce.dmac[0], 0x33);
	KUNIT_EXPECT_EQ(test, world->route.attr.roce.dmac[5], 2);
	KUNIT_EXPECT_EQ(test, world->route.attr.grh.hop_limit, ROCE_GROUP_HOP_LIMIT);
	group_finish_work(&req->base.finish);
	KUNIT_EXPECT_EQ(test, members, 0);
	req = group(test, IPOIB_SEND_ONLY);
	KUNIT_EXPECT_EQ(test, members, 0);
	KUNIT_EXPECT_EQ(test, world->err, 0);
	KUNIT_EXPECT_PTR_EQ(test, req->base.turn.wq, world->fabric.wq);
	group_finish_work(&req->base.finish);
	world->no_member = true;
	req = group(test, IPOIB_FULL_MEMBER);
	KUNIT_EXPECT_EQ(test, world->err, -ENOMEM);
	group_finish_work(&req->base.finish);
	KUNIT_EXPECT_EQ(test, members, 0);
}

static struct kunit_case fabric_roce_test_cases[] = {
	KUNIT_CASE(the_first_address_of_the_stack_is_used),
	KUNIT_CASE(only_link_local_ones_of_the_ethernet_device_are),
	KUNIT_CASE(the_one_in_use_is_kept_while_it_is_good),
	KUNIT_CASE(a_port_is_what_its_query_says),
	KUNIT_CASE(a_path_leads_to_a_mac_address),
	KUNIT_CASE(an_address_is_looked_for_so_often),
	KUNIT_CASE(what_cannot_be_reached_is_told_at_once),
	KUNIT_CASE(who_gives_a_path_back_waits_for_nobody),
	KUNIT_CASE(those_that_were_heard_have_a_share_of_their_own),
	KUNIT_CASE(the_ethernet_device_joins_what_is_listened_to),
	{}
};

static struct kunit_suite fabric_roce_test_suite = {
	.name = "ipoib_fabric_roce",
	.init = fabric_roce_test_init,
	.exit = fabric_roce_test_exit,
	.test_cases = fabric_roce_test_cases,
};

kunit_test_suite(fabric_roce_test_suite);

MODULE_DESCRIPTION("Tests of IPoIB on RoCE ports");
MODULE_LICENSE("GPL");
