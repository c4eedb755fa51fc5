// SPDX-License-Identifier: GPL-2.0
/*
 * What an interface makes of its port, its broadcast group and its settings. All parts that it has
 * are here, and only count what they are told.
 */
#include <kunit/test.h>
#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/bonding.h>

#include "../device.h"
#include "../genl.h"
#include "../port.h"
#include "../trace.h"

static int set_mtu(struct net_device *dev, unsigned int mtu);
static bool later(struct delayed_work *work, unsigned long delay);

static unsigned int works, notices[64];
static bool carrier;

#define queue_work(_wq, _work)				((void)(_work), works++)
#define queue_delayed_work(_wq, _work, _delay)		later(_work, _delay)
#define mod_delayed_work(_wq, _work, _delay)		later(_work, _delay)
#undef delayed_work_pending
#define delayed_work_pending(_work)			(world->later >= 0)
#define trace_ipoib_dev_state(...)			((void)0)
#define call_netdevice_notifiers(_event, _dev)		(notices[_event]++)
#define dev_set_mtu(_dev, _mtu)				set_mtu(_dev, _mtu)
#define netif_carrier_on(_dev)				(carrier = true)
#define netif_carrier_off(_dev)				(carrier = false)
#define netif_is_bond_slave(_dev)			(!!world->bond)
#define netif_is_bond_master(_dev)			true
#define netdev_master_upper_dev_get_rcu(_dev)		(world->bond)
#define netdev_master_upper_dev_get(_dev)		(world->bond)
#undef netdev_info
#define netdev_info(_dev, ...)				((void)(_dev), world->said++)
#define bond_option_active_slave_get_rcu(_bond)		((void)(_bond), world->active)

/**
 * struct world - an interface, its port, and what its parts were told
 * @dev: the net_device, whose private part is the interface
 * @idev: the interface
 * @ops: its fabric
 * @ibdev: its device
 * @txq: the queue of the stack
 * @gid_attr: the GID of the port
 * @shared: the port, which its interface keeps
 * @port: what the port is found to be
 * @links: references of links that were given back
 * @queries: how often the port was queried
 * @group: what the broadcast group says, if @joined
 * @joined: there is one
 * @group_error: why not
 * @sets: set of groups: how often started since it was stopped
 * @search: it is to look in other scopes
 * @scope: where it begins
 * @peers: likewise of the table of peers
 * @conns: likewise of connections
 * @rings: likewise of rings
 * @armed: likewise of the queue pair
 * @subscribed: likewise of subscriptions
 * @error: of what cannot be started
 * @recovers: what it says to a recovery
 * @recovered: how many there were
 * @must_wait: none is due
 * @told: how often listeners were told
 * @said: lines in the log
 * @reports: reports to the set
 * @chooses: an address that the user sets while the port is queried
 * @renewals: how often groups were to be joined anew
 * @doubts: how often paths came to be in doubt
 * @doubted_groups: how long before groups came to be
 * @refreshed: how often those of connections did
 * @refreshed_age: those older than that
 * @pinned: the GID that a user has chosen
 * @killed: the interface has left its port
 * @named: the P_Key by which debugfs was told to know it
 * @resizes: what rings say to another size
 * @moderates: what the provider says to moderation
 * @moderated: how often it was told
 * @later: delay of the work that comes later, or -1
 * @bond: the bond that the interface is in
 * @active: its active port
 */
static struct world {
	struct net_device *dev;
	struct ipoib_dev *idev;
	struct ipoib_fabric_ops ops;
	struct ib_device ibdev;
	struct netdev_queue txq;
	struct ib_gid_attr gid_attr;
	struct ipoib_port shared;
	struct ipoib_link port;
	unsigned int links;
	unsigned int queries;
	struct ipoib_mcast_set_link group;
	bool joined;
	int group_error;
	int sets;
	bool search;
	union ib_gid scope;
	int peers;
	int conns;
	int rings;
	int armed;
	int subscribed;
	int error;
	int recovers;
	unsigned int recovered;
	bool must_wait;
	unsigned int told;
	unsigned int said;
	unsigned int reports;
	unsigned int renewals;
	const struct ipoib_hwaddr *chooses;
	unsigned int doubts;
	unsigned long doubted_groups;
	unsigned int refreshed;
	unsigned long refreshed_age;
	union ib_gid pinned;
	bool killed;
	u16 named;
	int resizes;
	int moderates;
	unsigned int moderated;
	long later;
	struct net_device *bond;
	struct net_device *active;
} *world;

#include "../device.c"

#include "../addr.c"
#include "../backoff.c"
#include "../fsm.c"

static bool later(struct delayed_work *work, unsigned long delay)
{
	world->later = delay;
	return true;
}

static int set_mtu(struct net_device *dev, unsigned int mtu)
{
	return ipoib_dev_change_mtu(netdev_priv(dev), mtu);
}

/* ---- the parts of an interface ----------------------------------------- */

void ipoib_object_created(enum ipoib_object kind)
{
}

void ipoib_object_destroyed(enum ipoib_object kind)
{
}

int ipoib_drops_init(struct ipoib_drops *drops, const char *name)
{
	return 0;
}

void ipoib_drops_exit(struct ipoib_drops *drops)
{
}

void ipoib_fabric_init(struct ipoib_fabric *fabric, struct ipoib_usecnt *users)
{
	fabric->link.state = IPOIB_LINK_UNKNOWN;
	spin_lock_init(&fabric->lock);
}

void ipoib_fabric_exit(struct ipoib_fabric *fabric)
{
}

void ipoib_fabric_set_link(struct ipoib_fabric *fabric, const struct ipoib_link *link)
{
	fabric->link = *link;
}

void ipoib_link_put(struct ipoib_link *link)
{
	world->links++;
}

const char *ipoib_link_state_text(enum ipoib_link_state state)
{
	return state == IPOIB_LINK_NO_SM ? "no SM" : "other";
}

bool ipoib_link_is_limited(const struct ipoib_link *link)
{
	return link->pkey_entry && !(link->pkey_entry & IPOIB_PKEY_FULL);
}

void ipoib_fabric_pin_gid(struct ipoib_fabric *fabric, const union ib_gid *gid)
{
	world->pinned = *gid;
}

bool ipoib_fabric_pinned_gid(struct ipoib_fabric *fabric, union ib_gid *gid)
{
	*gid = world->pinned;
	return gid->global.interface_id;
}

int ipoib_dev_conns_init(struct ipoib_dev *idev)
{
	return 0;
}

void ipoib_dev_conns_exit(struct ipoib_dev *idev)
{
}

u8 ipoib_dev_conns_flags(const struct ipoib_dev *idev)
{
	return IPOIB_FLAG_RC;
}

void ipoib_dev_conns_start(struct ipoib_dev *idev)
{
	world->conns++;
}

void ipoib_dev_conns_stop(struct ipoib_dev *idev)
{
	world->conns = 0;
}

void ipoib_dev_conns_check(struct ipoib_dev *idev)
{
}

void ipoib_dev_conns_refresh(struct ipoib_dev *idev, const union ib_gid *gid, unsigned long age)
{
	world->refreshed++;
	world->refreshed_age = age;
}

u32 ipoib_conn_rx_mtu(const struct ib_device *ibdev)
{
	return IPOIB_CONN_MAX_MESSAGE;
}

int ipoib_conn_queues_moderate(struct ipoib_conn_set *set)
{
	world->moderated++;
	return 0;
}

int ipoib_moder_apply(struct ipoib_moder *moder)
{
	world->moderated++;
	return world->moderates;
}

int ipoib_dev_qp_init(struct ipoib_dev *idev)
{
	return 0;
}

void ipoib_dev_qp_exit(struct ipoib_dev *idev)
{
}

int ipoib_dev_qp_arm(struct ipoib_dev *idev)
{
	world->armed += !world->error;
	return world->error;
}

void ipoib_dev_qp_disarm(struct ipoib_dev *idev)
{
	world->armed = 0;
}

void ipoib_qp_exit(struct ipoib_qp *qp)
{
}

int ipoib_dev_rings_init(struct ipoib_dev *idev)
{
	return 0;
}

void ipoib_dev_rings_exit(struct ipoib_dev *idev)
{
}

int ipoib_dev_rings_start(struct ipoib_dev *idev)
{
	if (world->error)
		return world->error;
	world->rings++;
	idev->rings = true;
	return 0;
}

int ipoib_dev_rings_resize(struct ipoib_dev *idev, u32 rx_slots, u32 tx_slots)
{
	idev->rx_slots = rx_slots;
	idev->tx_slots = tx_slots;
	if (!world->resizes)
		return 0;
	ipoib_dev_rings_stop(idev);
	return world->resizes;
}

void ipoib_dev_rings_stop(struct ipoib_dev *idev)
{
	world->rings = 0;
	idev->rings = false;
}

void ipoib_dev_rings_recover_chans(struct ipoib_dev *idev)
{
}

void ipoib_dev_chans_open(struct ipoib_dev *idev)
{
}

int ipoib_dev_chans_moderate(struct ipoib_dev *idev)
{
	return 0;
}

bool ipoib_dev_rings_must_wait(struct ipoib_dev *idev)
{
	return world->must_wait;
}

int ipoib_dev_rings_recover(struct ipoib_dev *idev)
{
	world->recovered++;
	return world->recovers;
}

void ipoib_genl_changed(struct ipoib_dev *idev)
{
	world->told++;
}

int ipoib_mcast_set_error(struct ipoib_mcast_set *set)
{
	return world->group_error;
}

const char *ipoib_mcast_set_error_text(int err)
{
	return err == -ETIMEDOUT ? "broadcast group: no answer" : "other";
}

void ipoib_mcast_set_init(struct ipoib_mcast_set *set)
{
}

void ipoib_mcast_set_exit(struct ipoib_mcast_set *set)
{
}

bool ipoib_mcast_set_link(struct ipoib_mcast_set *set, struct ipoib_mcast_set_link *link)
{
	*link = world->group;
	return world->joined;
}

void ipoib_mcast_set_report(struct ipoib_mcast_set *set, enum ipoib_report report,
			    const union ib_gid *mgid)
{
	world->reports++;
}

void ipoib_mcast_set_renew(struct ipoib_mcast_set *set)
{
	world->renewals++;
}

void ipoib_mcast_set_doubt(struct ipoib_mcast_set *set, unsigned long since)
{
	world->doubted_groups = jiffies - since;
}

int ipoib_mcast_set_start(struct ipoib_mcast_set *set, const union ib_gid *broadcast, bool search)
{
	world->sets++;
	world->scope = *broadcast;
	world->search = search;
	return 0;
}

void ipoib_mcast_set_stop(struct ipoib_mcast_set *set)
{
	world->sets = 0;
}

int ipoib_peertable_init(struct ipoib_peertable *table)
{
	return 0;
}

void ipoib_peertable_exit(struct ipoib_peertable *table)
{
}

void ipoib_peertable_open(struct ipoib_peertable *table)
{
	world->peers++;
}

void ipoib_peertable_close(struct ipoib_peertable *table)
{
	world->peers = 0;
}

void ipoib_peertable_doubt(struct ipoib_peertable *table, const union ib_gid *gid)
{
	world->doubts++;
}

void ipoib_pmtu_init(struct ipoib_pmtu *pmtu)
{
}

void ipoib_pmtu_exit(struct ipoib_pmtu *pmtu)
{
}

void ipoib_port_detach(struct ipoib_dev *idev)
{
	world->killed = true;
}

void ipoib_debugfs_rename(struct ipoib_dev *idev, u16 pkey)
{
	world->named = pkey;
}

static void query(struct ipoib_fabric *fabric, struct ipoib_link *link)
{
	world->queries++;
	*link = world->port;
	if (world->chooses) {
		rtnl_lock();
		ipoib_dev_set_addr(world->idev, world->chooses);
		rtnl_unlock();
		world->chooses = NULL;
	}
}

static void subscribe(struct ipoib_fabric *fabric)
{
	world->subscribed++;
}

static void unsubscribe(struct ipoib_fabric *fabric)
{
	world->subscribed--;
}

/* ---- the interface ----------------------------------------------------- */

static void setup_dev(struct net_device *dev)
{
	dev->addr_len = INFINIBAND_ALEN;
}

static int device_test_init(struct kunit *test)
{
	struct net_device *dev;
	struct ipoib_dev *idev;
	int err;

	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world);
	dev = alloc_netdev(sizeof(*idev), "device%d", NET_NAME_ENUM, setup_dev);
	KUNIT_ASSERT_NOT_NULL(test, dev);
	idev = netdev_priv(dev);
	works = 0;
	carrier = false;
	memset(notices, 0, sizeof(notices));
	world->later = -1;
	world->dev = dev;
	world->idev = idev;
	world->ops.find_gid = query;
	world->ops.query_port = query;
	world->ops.subscribe = subscribe;
	world->ops.unsubscribe = unsubscribe;
	world->ops.rewrites_gids = true;
	world->port.state = IPOIB_LINK_READY;
	world->port.gid.raw[0] = 0xfe;
	world->port.gid.raw[15] = 1;
	world->port.gid_attr = &world->gid_attr;
	world->port.pkey = 0x8001;
	world->port.pkey_entry = 0x8001;
	world->port.mtu = 4092;
	world->group.mtu = 2044;
	world->group.qkey = 0xb1b;
	ipoib_mgid_broadcast(&world->group.broadcast, IPOIB_SCOPE_LINK, 0x8001);
	spin_lock_init(&world->txq._xmit_lock);
	idev->dev = dev;
	idev->tx.txq = &world->txq;
	idev->rx.longest = IPOIB_MTU_IB;
	idev->qp.qpn = 0x123;
	ipoib_usecnt_init(&world->shared.users);
	idev->config.port = &world->shared;
	idev->fabric.ops = &world->ops;
	idev->fabric.ibdev = &world->ibdev;
	idev->fabric.pkey = 0x8001;
	rtnl_lock();
	err = ipoib_dev_init(idev);
	rtnl_unlock();
	KUNIT_ASSERT_EQ(test, err, 0);
	/* What the stack makes of it when it registers it. */
	dev->reg_state = NETREG_REGISTERED;
	set_bit(__LINK_STATE_START, &dev->state);
	return 0;
}

/* The work runs for as long as it kicks itself. */
static void run(void)
{
	do {
		works = 0;
		ctl_work(&world->idev->ctl);
	} while (works);
}

static void kick(enum ipoib_dev_pending what)
{
	ipoib_dev_kick(world->idev, what);
	run();
}

static void open(void)
{
	rtnl_lock();
	ipoib_dev_open(world->idev);
	rtnl_unlock();
	run();
}

static void stop(void)
{
	rtnl_lock();
	ipoib_dev_stop(world->idev);
	rtnl_unlock();
}

/* Up, with a carrier. */
static void bring_up(struct kunit *test)
{
	open();
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_JOINING);
	world->joined = true;
	kick(IPOIB_DEV_GROUP);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_UP);
	KUNIT_EXPECT_TRUE(test, carrier);
}

static void device_test_exit(struct kunit *test)
{
	if (!world || !world->idev)
		return;
	if (world->idev->state != IPOIB_DEV_DOWN && world->idev->state != IPOIB_DEV_DEAD)
		stop();
	if (world->idev->state != IPOIB_DEV_DEAD) {
		rtnl_lock();
		ipoib_dev_kill(world->idev);
		rtnl_unlock();
	}
	KUNIT_EXPECT_TRUE(test, world->killed);
	KUNIT_EXPECT_FALSE(test, carrier);
	KUNIT_EXPECT_EQ(test, world->sets, 0);
	KUNIT_EXPECT_EQ(test, world->peers, 0);
	KUNIT_EXPECT_EQ(test, world->conns, 0);
	KUNIT_EXPECT_EQ(test, world->rings, 0);
	KUNIT_EXPECT_EQ(test, world->armed, 0);
	KUNIT_EXPECT_EQ(test, world->subscribed, 0);
	/* A dead one does nothing any more. */
	world->queries = 0;
	kick(IPOIB_DEV_QUERY_PORT);
	KUNIT_EXPECT_EQ(test, world->queries, 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&world->shared.users.count), 2);
	ipoib_dev_exit(world->idev);
	KUNIT_EXPECT_EQ(test, refcount_read(&world->shared.users.count), 1);
	world->dev->reg_state = NETREG_UNINITIALIZED;
	free_netdev(world->dev);
}

/* Is this the GUID of the address of the interface? */
static bool address_is(u8 guid)
{
	return world->dev->dev_addr[19] == guid;
}

static void reason_is(struct kunit *test, const char *text)
{
	KUNIT_EXPECT_STREQ(test, ipoib_dev_reason(world->idev), text);
}

/* ---- up and down ------------------------------------------------------- */

static void an_interface_has_the_address_and_the_mtu_of_its_port(struct kunit *test)
{
	const struct ipoib_hwaddr *addr = (const void *)world->dev->dev_addr;

	KUNIT_EXPECT_EQ(test, addr->flags_qpn, cpu_to_be32((u32)IPOIB_FLAG_RC << 24 | 0x123));
	KUNIT_EXPECT_TRUE(test, address_is(1));
	addr = (const void *)world->dev->broadcast;
	KUNIT_EXPECT_EQ(test, addr->flags_qpn, cpu_to_be32(IB_MULTICAST_QPN));
	KUNIT_EXPECT_EQ(test, memcmp(addr->gid, &world->group.broadcast, 16), 0);
	KUNIT_EXPECT_EQ(test, world->dev->mtu, 4092);
	KUNIT_EXPECT_EQ(test, world->dev->max_mtu, IPOIB_MTU_IB - IPOIB_HDR_LEN);
	KUNIT_EXPECT_EQ(test, world->links, 1);
	reason_is(test, "interface is administratively down");
}

static void it_comes_up_when_its_group_is_joined(struct kunit *test)
{
	/* What there was before is over. */
	world->idev->group_error = -EIO;
	open();
	KUNIT_EXPECT_EQ(test, world->idev->group_error, 0);
	KUNIT_EXPECT_EQ(test, world->armed, 1);
	KUNIT_EXPECT_EQ(test, world->subscribed, 1);
	KUNIT_EXPECT_EQ(test, world->peers, 1);
	KUNIT_EXPECT_EQ(test, world->sets, 1);
	KUNIT_EXPECT_TRUE(test, world->search);
	KUNIT_EXPECT_EQ(test, ipoib_mgid_scope(&world->scope), IPOIB_SCOPE_LINK);
	KUNIT_EXPECT_FALSE(test, carrier);
	reason_is(test, "broadcast group is being joined");
	world->group_error = -ETIMEDOUT;
	kick(IPOIB_DEV_GROUP);
	KUNIT_EXPECT_EQ(test, world->idev->group_error, -ETIMEDOUT);
	reason_is(test, "broadcast group: no answer");
	world->group_error = 0;
	kick(IPOIB_DEV_GROUP);
	KUNIT_EXPECT_EQ(test, world->idev->group_error, 0);

	world->joined = true;
	world->told = 0;
	kick(IPOIB_DEV_GROUP);
	KUNIT_EXPECT_EQ(test, world->told, 1);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_UP);
	KUNIT_EXPECT_TRUE(test, carrier);
	KUNIT_EXPECT_EQ(test, world->rings, 1);
	KUNIT_EXPECT_EQ(test, world->conns, 1);
	KUNIT_EXPECT_EQ(test, world->idev->qkey, 0xb1b);
	KUNIT_EXPECT_EQ(test, world->dev->mtu, 2044);
	KUNIT_EXPECT_EQ(test, world->idev->max_len, 2044);
	KUNIT_EXPECT_EQ(test, world->idev->rx.self.max_len, 2044);
}

static void a_scope_that_was_chosen_is_the_only_one(struct kunit *test)
{
	world->idev->config.scope = IPOIB_SCOPE_SITE;
	open();
	KUNIT_EXPECT_FALSE(test, world->search);
	KUNIT_EXPECT_EQ(test, ipoib_mgid_scope(&world->scope), IPOIB_SCOPE_SITE);
}

static void it_goes_down_with_its_port_and_comes_back(struct kunit *test)
{
	bring_up(test);
	world->port.state = IPOIB_LINK_NO_SM;
	kick(IPOIB_DEV_QUERY_PORT);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_WAITING);
	KUNIT_EXPECT_FALSE(test, carrier);
	KUNIT_EXPECT_EQ(test, world->rings, 0);
	KUNIT_EXPECT_EQ(test, world->idev->group_mtu, 0);
	KUNIT_EXPECT_EQ(test, world->idev->logged, IPOIB_LINK_NO_SM);
	reason_is(test, "no SM");
	/* It looks again, ever later. */
	KUNIT_EXPECT_EQ(test, world->idev->retries, 1);
	KUNIT_EXPECT_GT(test, world->later, 0);
	KUNIT_EXPECT_LE(test, world->later, msecs_to_jiffies(100));
	world->later = -1;
	kick(IPOIB_DEV_QUERY_PORT);
	KUNIT_EXPECT_EQ(test, world->idev->retries, 2);
	world->port.state = IPOIB_LINK_READY;
	kick(IPOIB_DEV_QUERY_PORT);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_JOINING);
	kick(IPOIB_DEV_GROUP);
	KUNIT_EXPECT_TRUE(test, carrier);
	KUNIT_EXPECT_EQ(test, world->idev->retries, 0);
	KUNIT_EXPECT_EQ(test, world->idev->logged, IPOIB_LINK_READY);
}

static void what_cannot_be_started_is_tried_again(struct kunit *test)
{
	world->error = -ENOMEM;
	open();
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_WAITING);
	KUNIT_EXPECT_EQ(test, world->sets, 0);
	KUNIT_EXPECT_EQ(test, world->idev->retries, 1);
	reason_is(test, "the link could not be started, it is tried again");
	KUNIT_EXPECT_EQ(test, world->subscribed, 0);
	world->error = 0;
	kick(IPOIB_DEV_QUERY_PORT);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_JOINING);
	world->joined = true;
	world->error = -ENOMEM;
	kick(IPOIB_DEV_GROUP);
	KUNIT_EXPECT_FALSE(test, carrier);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_WAITING);
	KUNIT_EXPECT_EQ(test, world->sets, 0);
}

static void another_link_is_started_anew(struct kunit *test)
{
	bring_up(test);
	/* The same once more changes nothing. */
	kick(IPOIB_DEV_QUERY_PORT);
	kick(IPOIB_DEV_GROUP);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_UP);
	world->port.pkey_index = 3;
	kick(IPOIB_DEV_QUERY_PORT);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_JOINING);
	KUNIT_EXPECT_EQ(test, world->sets, 1);
	kick(IPOIB_DEV_GROUP);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_UP);
	world->gid_attr.index = 2;
	world->port.gid_attr = kunit_kzalloc(test, sizeof(struct ib_gid_attr), GFP_KERNEL);
	kick(IPOIB_DEV_QUERY_PORT);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_JOINING);
	kick(IPOIB_DEV_GROUP);
	world->port.pkey = 0x8002;
	kick(IPOIB_DEV_QUERY_PORT);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_JOINING);
	KUNIT_EXPECT_EQ(test, world->idev->fabric.pkey, 0x8002);
	KUNIT_EXPECT_EQ(test, world->named, 0x8002);
}

static void another_broadcast_group_is_another_link(struct kunit *test)
{
	bring_up(test);
	world->group.qkey++;
	kick(IPOIB_DEV_GROUP);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_JOINING);
	KUNIT_EXPECT_EQ(test, world->idev->qkey, 0xb1c);
	kick(IPOIB_DEV_GROUP);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_UP);
	notices[NETDEV_CHANGEADDR] = 0;
	ipoib_mgid_broadcast(&world->group.broadcast, IPOIB_SCOPE_SITE, 0x8001);
	kick(IPOIB_DEV_GROUP);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_JOINING);
	/* The stack is told of it when it is joined. */
	kick(IPOIB_DEV_GROUP);
	KUNIT_EXPECT_EQ(test, memcmp(world->dev->broadcast + 4, &world->group.broadcast, 16), 0);
	KUNIT_EXPECT_GT(test, notices[NETDEV_CHANGEADDR], 0);
	/* One that is lost is no link. */
	world->joined = false;
	world->group_error = -ENOENT;
	kick(IPOIB_DEV_GROUP);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_JOINING);
	KUNIT_EXPECT_FALSE(test, carrier);
}

static void why_a_group_is_lost_is_said_once(struct kunit *test)
{
	bring_up(test);
	world->said = 0;
	world->joined = false;
	world->group_error = -ENOENT;
	kick(IPOIB_DEV_GROUP);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_JOINING);
	KUNIT_EXPECT_EQ(test, world->said, 1);
	kick(IPOIB_DEV_GROUP);
	KUNIT_EXPECT_EQ(test, world->said, 1);
	/* Another reason is said, too, and the same one after the group was there. */
	world->group_error = -ETIMEDOUT;
	kick(IPOIB_DEV_GROUP);
	kick(IPOIB_DEV_GROUP);
	KUNIT_EXPECT_EQ(test, world->said, 2);
	world->joined = true;
	kick(IPOIB_DEV_GROUP);
	world->joined = false;
	kick(IPOIB_DEV_GROUP);
	kick(IPOIB_DEV_GROUP);
	KUNIT_EXPECT_EQ(test, world->said, 3);
}

/* ---- addresses --------------------------------------------------------- */

static void the_address_follows_the_port_and_neighbours_are_told(struct kunit *test)
{
	unsigned int i;

	bring_up(test);
	KUNIT_EXPECT_EQ(test, world->idev->announce, 0);
	notices[NETDEV_CHANGEADDR] = 0;
	world->port.gid.raw[15] = 2;
	kick(IPOIB_DEV_QUERY_PORT);
	KUNIT_EXPECT_TRUE(test, address_is(2));
	KUNIT_EXPECT_EQ(test, notices[NETDEV_CHANGEADDR], 1);
	KUNIT_EXPECT_EQ(test, world->idev->announce, ANNOUNCEMENTS);
	/* Not before there is a carrier. */
	kick(IPOIB_DEV_ANNOUNCE);
	KUNIT_EXPECT_EQ(test, notices[NETDEV_NOTIFY_PEERS], 0);
	kick(IPOIB_DEV_GROUP);
	for (i = 1; i <= ANNOUNCEMENTS; i++) {
		world->later = -1;
		kick(IPOIB_DEV_ANNOUNCE);
		KUNIT_EXPECT_EQ(test, notices[NETDEV_NOTIFY_PEERS], i);
		if (i == ANNOUNCEMENTS)
			break;
		KUNIT_EXPECT_GT(test, world->later, (ANNOUNCE_DELAY << (i - 1)) - HZ / 2);
		KUNIT_EXPECT_LE(test, world->later, ANNOUNCE_DELAY << (i - 1));
		/* One that comes early says nothing. */
		kick(IPOIB_DEV_ANNOUNCE);
		KUNIT_EXPECT_EQ(test, notices[NETDEV_NOTIFY_PEERS], i);
		world->idev->announce_at = jiffies;
	}
	KUNIT_EXPECT_EQ(test, world->later, -1);
	kick(IPOIB_DEV_ANNOUNCE);
	KUNIT_EXPECT_EQ(test, notices[NETDEV_NOTIFY_PEERS], ANNOUNCEMENTS);
}

static void neighbours_are_told_when_the_port_has_another_lid(struct kunit *test)
{
	world->port.lid = 3;
	bring_up(test);
	KUNIT_EXPECT_EQ(test, world->idev->announce, 0);
	kick(IPOIB_DEV_QUERY_PORT);
	KUNIT_EXPECT_EQ(test, world->idev->announce, 0);
	world->later = -1;
	world->port.lid = 5;
	kick(IPOIB_DEV_QUERY_PORT);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_UP);
	/* All others may have to tell theirs, so it waits for a while. */
	if (!notices[NETDEV_NOTIFY_PEERS]) {
		KUNIT_EXPECT_EQ(test, world->idev->announce, ANNOUNCEMENTS);
		KUNIT_EXPECT_GE(test, world->later, 0);
		KUNIT_EXPECT_LT(test, world->later, ANNOUNCE_DELAY);
		world->idev->announce_at = jiffies;
		kick(IPOIB_DEV_ANNOUNCE);
	}
	KUNIT_EXPECT_EQ(test, notices[NETDEV_NOTIFY_PEERS], 1);
	KUNIT_EXPECT_EQ(test, world->idev->announce, ANNOUNCEMENTS - 1);

	/* While the port is not ready its LID says nothing, but it is not forgotten either. */
	world->idev->announce = 0;
	world->port.state = IPOIB_LINK_NO_SM;
	world->port.lid = 0;
	kick(IPOIB_DEV_QUERY_PORT);
	world->port.state = IPOIB_LINK_READY;
	world->port.lid = 5;
	kick(IPOIB_DEV_QUERY_PORT);
	KUNIT_EXPECT_EQ(test, world->idev->announce, 0);
	world->port.state = IPOIB_LINK_NO_SM;
	kick(IPOIB_DEV_QUERY_PORT);
	world->port.state = IPOIB_LINK_READY;
	world->port.lid = 7;
	kick(IPOIB_DEV_QUERY_PORT);
	KUNIT_EXPECT_EQ(test, world->idev->announce, ANNOUNCEMENTS);
}

static void a_gid_that_is_away_for_a_moment_is_waited_for(struct kunit *test)
{
	bring_up(test);
	world->port.state = IPOIB_LINK_NO_GID;
	world->port.gid_attr = NULL;
	world->links = 0;
	world->later = -1;
	kick(IPOIB_DEV_QUERY_PORT);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_UP);
	KUNIT_EXPECT_EQ(test, world->links, 1);
	KUNIT_EXPECT_GE(test, world->later, GID_AWAY_QUERY);
	world->idev->gid_away_since = jiffies - GID_AWAY_TIME - 2;
	kick(IPOIB_DEV_QUERY_PORT);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_WAITING);
	world->port.state = IPOIB_LINK_READY;
	world->port.gid_attr = &world->gid_attr;
	kick(IPOIB_DEV_QUERY_PORT);
	KUNIT_EXPECT_FALSE(test, world->idev->gid_away);
	kick(IPOIB_DEV_GROUP);
	/* Where nobody rewrites them, it is gone. */
	world->ops.rewrites_gids = false;
	world->port.state = IPOIB_LINK_NO_GID;
	kick(IPOIB_DEV_QUERY_PORT);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_WAITING);
}

static void a_bond_is_waited_for_that_has_the_address_from_before(struct kunit *test)
{
	world->bond = alloc_netdev(0, "bond%d", NET_NAME_ENUM, setup_dev);
	KUNIT_ASSERT_NOT_NULL(test, world->bond);
	bring_up(test);
	world->active = world->dev;
	dev_addr_set(world->bond, world->dev->dev_addr);
	world->port.gid.raw[15] = 2;
	world->later = -1;
	kick(IPOIB_DEV_QUERY_PORT);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_WAITING);
	KUNIT_EXPECT_EQ(test, world->idev->fabric.link.state, IPOIB_LINK_BOND);
	KUNIT_EXPECT_GT(test, world->later, 0);
	/* However late other queries come, there is one when its time is over. */
	world->idev->retries = 20;
	world->idev->left_at -= 3 * HZ;
	world->later = -1;
	kick(IPOIB_DEV_QUERY_PORT);
	KUNIT_EXPECT_GT(test, world->later, 0);
	KUNIT_EXPECT_LE(test, world->later, BOND_TIME - 3 * HZ);
	/* Another port is the active one: it has noticed. */
	world->active = NULL;
	kick(IPOIB_DEV_QUERY_PORT);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_JOINING);
	KUNIT_EXPECT_FALSE(test, world->idev->bond_due);
	kick(IPOIB_DEV_GROUP);
	/* It is not waited for without end. */
	world->active = world->dev;
	dev_addr_set(world->bond, world->dev->dev_addr);
	world->port.gid.raw[15] = 3;
	kick(IPOIB_DEV_QUERY_PORT);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_WAITING);
	world->idev->left_at = jiffies - BOND_TIME - HZ;
	kick(IPOIB_DEV_QUERY_PORT);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_JOINING);
	/* Nor is it one whose port is down. */
	world->port.gid.raw[15] = 4;
	dev_addr_set(world->bond, world->dev->dev_addr);
	world->port.state = IPOIB_LINK_PORT_DOWN;
	kick(IPOIB_DEV_QUERY_PORT);
	KUNIT_EXPECT_EQ(test, world->idev->fabric.link.state, IPOIB_LINK_PORT_DOWN);
	free_netdev(world->bond);
	world->bond = NULL;
}

static void neighbours_are_told_for_the_bond_that_goes_by_us(struct kunit *test)
{
	static const u8 another[INFINIBAND_ALEN] = { 1 };

	world->bond = alloc_netdev(0, "bond%d", NET_NAME_ENUM, setup_dev);
	KUNIT_ASSERT_NOT_NULL(test, world->bond);
	bring_up(test);
	dev_addr_set(world->bond, world->dev->dev_addr);
	world->idev->announce = ANNOUNCEMENTS;
	world->idev->announce_at = jiffies;
	kick(IPOIB_DEV_ANNOUNCE);
	KUNIT_EXPECT_EQ(test, notices[NETDEV_NOTIFY_PEERS], 2);
	/* It goes by another port, or has the address from before. */
	dev_addr_set(world->bond, another);
	world->idev->announce_at = jiffies;
	kick(IPOIB_DEV_ANNOUNCE);
	KUNIT_EXPECT_EQ(test, notices[NETDEV_NOTIFY_PEERS], 3);
	free_netdev(world->bond);
	world->bond = NULL;
}

static int set_addr(const struct ipoib_hwaddr *addr)
{
	int err;

	rtnl_lock();
	err = ipoib_dev_set_addr(world->idev, addr);
	rtnl_unlock();
	return err;
}

static void a_user_may_choose_the_guid_while_it_is_down(struct kunit *test)
{
	struct ipoib_hwaddr addr;

	memcpy(&addr, world->dev->dev_addr, sizeof(addr));
	addr.gid[3] = cpu_to_be32(9);
	KUNIT_EXPECT_EQ(test, set_addr(&addr), -EBUSY);
	clear_bit(__LINK_STATE_START, &world->dev->state);
	KUNIT_EXPECT_EQ(test, set_addr(&addr), 0);
	KUNIT_EXPECT_TRUE(test, address_is(9));
	KUNIT_EXPECT_EQ(test, world->pinned.raw[15], 9);
	KUNIT_EXPECT_TRUE(test, test_bit(IPOIB_DEV_QUERY_PORT, &world->idev->pending));
	addr.gid[0] = 0;
	KUNIT_EXPECT_EQ(test, set_addr(&addr), -EINVAL);
	memcpy(&addr, world->dev->dev_addr, sizeof(addr));
	addr.gid[2] = 0;
	addr.gid[3] = 0;
	KUNIT_EXPECT_EQ(test, set_addr(&addr), -EINVAL);
	KUNIT_EXPECT_TRUE(test, address_is(9));
}

static void what_a_user_chooses_is_newer_than_a_query_that_has_begun(struct kunit *test)
{
	struct ipoib_hwaddr addr;

	memcpy(&addr, world->dev->dev_addr, sizeof(addr));
	addr.gid[3] = cpu_to_be32(9);
	clear_bit(__LINK_STATE_START, &world->dev->state);
	world->chooses = &addr;
	kick(IPOIB_DEV_QUERY_PORT);
	KUNIT_EXPECT_NULL(test, world->chooses);
	KUNIT_EXPECT_TRUE(test, address_is(9));
	/* The port has it at the next query, and another QPN. */
	world->port.gid.raw[15] = 9;
	WRITE_ONCE(world->idev->qp.qpn, 0x124);
	kick(IPOIB_DEV_QUERY_PORT);
	memcpy(&addr, world->dev->dev_addr, sizeof(addr));
	KUNIT_EXPECT_EQ(test, ipoib_hwaddr_qpn(&addr), 0x124);
}

/* ---- MTU --------------------------------------------------------------- */

static int change_mtu(int mtu)
{
	int err;

	rtnl_lock();
	err = ipoib_dev_change_mtu(world->idev, mtu);
	rtnl_unlock();
	return err;
}

static void the_mtu_of_the_user_is_remembered(struct kunit *test)
{
	bring_up(test);
	KUNIT_EXPECT_EQ(test, change_mtu(1500), 0);
	KUNIT_EXPECT_EQ(test, world->dev->mtu, 1500);
	/* The link can do less, and then more. */
	world->group.mtu = 1000;
	kick(IPOIB_DEV_GROUP);
	KUNIT_EXPECT_EQ(test, world->dev->mtu, 1000);
	KUNIT_EXPECT_EQ(test, world->idev->user_mtu, 1500);
	world->group.mtu = 4092;
	kick(IPOIB_DEV_GROUP);
	KUNIT_EXPECT_EQ(test, world->dev->mtu, 1500);
	/* More than the link can do is said once. */
	world->group.mtu = 2044;
	kick(IPOIB_DEV_GROUP);
	KUNIT_EXPECT_EQ(test, change_mtu(3000), 0);
	KUNIT_EXPECT_EQ(test, world->dev->mtu, 2044);
	KUNIT_EXPECT_EQ(test, world->idev->unsaid_mtu, 0);
	/* The largest follows the link. */
	KUNIT_EXPECT_EQ(test, change_mtu(world->dev->max_mtu), 0);
	KUNIT_EXPECT_EQ(test, world->idev->user_mtu, 0);
	world->group.mtu = 3000;
	kick(IPOIB_DEV_GROUP);
	KUNIT_EXPECT_EQ(test, world->dev->mtu, 3000);
}

static void longer_packets_are_received_than_an_hca_sends(struct kunit *test)
{
	world->idev->rx.longest = IPOIB_MTU_OPA;
	world->port.mtu = 10236;
	world->group.mtu = 10236;
	bring_up(test);
	KUNIT_EXPECT_EQ(test, world->dev->mtu, 8188);
	KUNIT_EXPECT_EQ(test, world->dev->max_mtu, 8188);
	KUNIT_EXPECT_EQ(test, world->idev->max_len, 8188);
	KUNIT_EXPECT_EQ(test, world->idev->rx.self.max_len, 10236);
	world->group.mtu = 4092;
	kick(IPOIB_DEV_GROUP);
	KUNIT_EXPECT_EQ(test, world->dev->mtu, 4092);
	KUNIT_EXPECT_EQ(test, world->idev->rx.self.max_len, 4092);
}

/* Before it has a carrier, too. */
static void a_new_interface_of_omni_path_sends_no_longer_packets(struct kunit *test)
{
	struct ipoib_link link = world->port;

	world->idev->rx.longest = IPOIB_MTU_OPA;
	link.mtu = 10236;
	rtnl_lock();
	adopt_first_link(world->idev, &link);
	rtnl_unlock();
	KUNIT_EXPECT_EQ(test, world->dev->mtu, 8188);
	KUNIT_EXPECT_EQ(test, world->dev->max_mtu, 8188);
	KUNIT_EXPECT_EQ(test, world->idev->max_len, 8188);
}

static void connected_mode_has_the_mtu_of_connections(struct kunit *test)
{
	bring_up(test);
	world->idev->connected = true;
	rtnl_lock();
	ipoib_dev_follow_mode(world->idev, 2044);
	rtnl_unlock();
	KUNIT_EXPECT_EQ(test, world->dev->mtu, IPOIB_CONN_MAX_MESSAGE - IPOIB_HDR_LEN);
	KUNIT_EXPECT_EQ(test, world->dev->max_mtu, IPOIB_CONN_MAX_MESSAGE - IPOIB_HDR_LEN);
	KUNIT_EXPECT_EQ(test, change_mtu(9000), 0);
	KUNIT_EXPECT_EQ(test, world->dev->mtu, 9000);
	KUNIT_EXPECT_EQ(test, world->idev->unsaid_mtu, 0);
	world->idev->connected = false;
	rtnl_lock();
	ipoib_dev_follow_mode(world->idev, 0);
	rtnl_unlock();
	KUNIT_EXPECT_EQ(test, world->dev->mtu, 2044);
}

/* ---- failures, reports and settings ------------------------------------ */

static void a_queue_pair_that_fails_recovers_and_the_port_is_queried(struct kunit *test)
{
	kick(IPOIB_DEV_QP_FAILED);
	KUNIT_EXPECT_EQ(test, world->recovered, 0);
	bring_up(test);
	world->must_wait = true;
	kick(IPOIB_DEV_QP_FAILED);
	KUNIT_EXPECT_EQ(test, world->recovered, 0);
	world->must_wait = false;
	world->queries = 0;
	kick(IPOIB_DEV_QP_FAILED);
	KUNIT_EXPECT_EQ(test, world->recovered, 1);
	KUNIT_EXPECT_EQ(test, world->queries, 1);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_UP);
	world->recovers = -EIO;
	world->port.state = IPOIB_LINK_PORT_DOWN;
	kick(IPOIB_DEV_QP_FAILED);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_WAITING);
}

static void after_a_failed_cq_all_is_made_anew(struct kunit *test)
{
	bring_up(test);
	/* Nobody waits for completions of the old one. */
	set_bit(IPOIB_DEV_QP_FAILED, &world->idev->pending);
	kick(IPOIB_DEV_CQ_FAILED);
	KUNIT_EXPECT_EQ(test, world->recovered, 0);
	KUNIT_EXPECT_TRUE(test, world->idev->renewal_due);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_JOINING);
	/* With the address of a new queue pair, the group waits for the next query. */
	world->idev->renewed = true;
	set_bit(IPOIB_DEV_GROUP, &world->idev->pending);
	works = 0;
	ctl_work(&world->idev->ctl);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_JOINING);
	kick(IPOIB_DEV_QUERY_PORT);
	KUNIT_EXPECT_FALSE(test, world->idev->renewed);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_UP);
}

static void reports_reach_groups_or_paths(struct kunit *test)
{
	union ib_gid gid = {};

	ipoib_dev_report(world->idev, IPOIB_REPORT_GROUP, &gid);
	ipoib_dev_report(world->idev, IPOIB_REPORT_MISSED, NULL);
	KUNIT_EXPECT_EQ(test, world->reports, 2);
	KUNIT_EXPECT_EQ(test, world->doubts, 0);
	ipoib_dev_report(world->idev, IPOIB_REPORT_NODE, &gid);
	KUNIT_EXPECT_EQ(test, world->reports, 2);
	KUNIT_EXPECT_EQ(test, world->doubts, 1);
	KUNIT_EXPECT_EQ(test, world->refreshed, 1);
	ipoib_dev_report(world->idev, IPOIB_REPORT_LINK, NULL);
	KUNIT_EXPECT_EQ(test, world->renewals, 1);
	KUNIT_EXPECT_EQ(test, world->later, 0);
	ipoib_dev_doubt_paths(world->idev, 7 * HZ);
	KUNIT_EXPECT_EQ(test, world->later, 7 * HZ);
	world->idev->paths_at = jiffies - 7 * HZ;
	paths_work(&world->idev->paths.work);
	KUNIT_EXPECT_EQ(test, world->doubts, 2);
	KUNIT_EXPECT_GE(test, world->refreshed_age, 7 * HZ);
	KUNIT_EXPECT_LT(test, world->refreshed_age, 8 * HZ);
	KUNIT_EXPECT_GE(test, world->doubted_groups, 7 * HZ);
	KUNIT_EXPECT_LT(test, world->doubted_groups, 8 * HZ);
}

static void what_comes_later_comes(struct kunit *test)
{
	struct ipoib_dev *idev = world->idev;

	mutex_lock(&idev->lock);
	ipoib_dev_kick_later(idev, IPOIB_DEV_ANNOUNCE, 5 * HZ);
	KUNIT_EXPECT_EQ(test, world->later, 5 * HZ);
	/* What is earlier counts, and what is later has to wait no longer. */
	ipoib_dev_kick_later(idev, IPOIB_DEV_ANNOUNCE, 9 * HZ);
	KUNIT_EXPECT_EQ(test, world->later, 5 * HZ);
	ipoib_dev_kick_later(idev, IPOIB_DEV_ANNOUNCE, HZ);
	KUNIT_EXPECT_EQ(test, world->later, HZ);
	mutex_unlock(&idev->lock);
	KUNIT_EXPECT_EQ(test, idev->pending, BIT(IPOIB_DEV_ANNOUNCE));
	works = 0;
	idev->later.work.func(&idev->later.work);
	KUNIT_EXPECT_EQ(test, works, 1);
	idev->ctl.func(&idev->ctl);
	KUNIT_EXPECT_EQ(test, idev->pending, 0);
	idev->paths.work.func(&idev->paths.work);
	KUNIT_EXPECT_EQ(test, world->doubts, 1);
}

static void who_asks_often_has_one_query_a_second(struct kunit *test)
{
	world->idev->queried_at = jiffies - QUERY_PERIOD - HZ;
	ipoib_dev_query_port(world->idev);
	KUNIT_EXPECT_EQ(test, works, 1);
	run();
	ipoib_dev_query_port(world->idev);
	KUNIT_EXPECT_EQ(test, works, 0);
}

static int moderate(u16 usecs)
{
	const struct ipoib_coalesce rx = { .usecs = usecs, .frames = 2 };
	const struct ipoib_coalesce tx = { .usecs = usecs + 1, .adaptive = true };
	int err;

	world->moderated = 0;
	rtnl_lock();
	err = ipoib_dev_moderate(world->idev, &rx, &tx);
	rtnl_unlock();
	return err;
}

static void moderation_that_is_refused_stays_what_it_was(struct kunit *test)
{
	struct ipoib_dev *idev = world->idev;

	KUNIT_EXPECT_EQ(test, moderate(5), 0);
	KUNIT_EXPECT_EQ(test, world->moderated, 2);
	idev->conn_set = (void *)1;
	KUNIT_EXPECT_EQ(test, moderate(5), 0);
	KUNIT_EXPECT_EQ(test, world->moderated, 3);
	world->moderates = -EINVAL;
	KUNIT_EXPECT_EQ(test, moderate(50), -EINVAL);
	KUNIT_EXPECT_EQ(test, idev->rx_moder.usecs, 5);
	KUNIT_EXPECT_EQ(test, idev->rx_moder.frames, 2);
	KUNIT_EXPECT_FALSE(test, idev->rx_moder.adaptive);
	KUNIT_EXPECT_EQ(test, idev->tx_moder.usecs, 6);
	KUNIT_EXPECT_EQ(test, idev->tx_moder.frames, 0);
	KUNIT_EXPECT_TRUE(test, idev->tx_moder.adaptive);
	idev->conn_set = NULL;
}

static int resize(u32 rx_slots)
{
	int err;

	rtnl_lock();
	err = ipoib_dev_resize_rings(world->idev, rx_slots, 64);
	rtnl_unlock();
	return err;
}

static void rings_that_could_not_be_resized_are_started_anew(struct kunit *test)
{
	bring_up(test);
	world->queries = 0;
	KUNIT_EXPECT_EQ(test, resize(512), 0);
	KUNIT_EXPECT_EQ(test, world->idev->rx_slots, 512);
	KUNIT_EXPECT_EQ(test, world->idev->tx_slots, 64);
	run();
	KUNIT_EXPECT_EQ(test, world->queries, 0);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_UP);
	world->resizes = -ENOMEM;
	KUNIT_EXPECT_EQ(test, resize(1024), -ENOMEM);
	KUNIT_EXPECT_NE(test, world->idev->state, IPOIB_DEV_UP);
	run();
	KUNIT_EXPECT_EQ(test, world->queries, 1);
}

static void that_it_is_a_limited_member_is_said_once(struct kunit *test)
{
	bring_up(test);
	KUNIT_EXPECT_FALSE(test, world->idev->limited);
	world->port.pkey_entry = 1;
	kick(IPOIB_DEV_QUERY_PORT);
	KUNIT_EXPECT_TRUE(test, world->idev->limited);
	KUNIT_EXPECT_EQ(test, world->idev->state, IPOIB_DEV_UP);
	world->port.pkey_entry = 0x8001;
	kick(IPOIB_DEV_QUERY_PORT);
	KUNIT_EXPECT_FALSE(test, world->idev->limited);
}

/* Features that an interface gets by itself */
static netdev_features_t features(void)
{
	world->dev->hw_features = 0;
	world->dev->features = 0;
	set_features(world->idev);
	return world->dev->features == world->dev->hw_features ? world->dev->features : 0;
}

static void offloads_are_those_of_the_hca_but_not_on_ethernet(struct kunit *test)
{
	const netdev_features_t sums = NETIF_F_IP_CSUM | NETIF_F_RXCSUM;
	struct ib_device_attr *attrs = &world->ibdev.attrs;

	world->idev->tx.ring.max_sge = 1;
	KUNIT_EXPECT_EQ(test, features(), 0);
	world->idev->tx.ring.max_sge = 2;
	KUNIT_EXPECT_EQ(test, features(), NETIF_F_SG);
	attrs->device_cap_flags |= IB_DEVICE_UD_IP_CSUM;
	KUNIT_EXPECT_EQ(test, features(), NETIF_F_SG | sums);
	attrs->kernel_cap_flags |= IBK_UD_TSO;
	KUNIT_EXPECT_EQ(test, features(), NETIF_F_SG | sums | NETIF_F_TSO);
	attrs->device_cap_flags &= ~IB_DEVICE_UD_IP_CSUM;
	KUNIT_EXPECT_EQ(test, features(), NETIF_F_SG | NETIF_F_TSO);
	attrs->device_cap_flags |= IB_DEVICE_UD_IP_CSUM;
	world->idev->fabric.lower = world->dev;
	KUNIT_EXPECT_EQ(test, features(), NETIF_F_SG);
	world->idev->fabric.lower = NULL;
}

static struct kunit_case device_test_cases[] = {
	KUNIT_CASE(an_interface_has_the_address_and_the_mtu_of_its_port),
	KUNIT_CASE(it_comes_up_when_its_group_is_joined),
	KUNIT_CASE(a_scope_that_was_chosen_is_the_only_one),
	KUNIT_CASE(it_goes_down_with_its_port_and_comes_back),
	KUNIT_CASE(what_cannot_be_started_is_tried_again),
	KUNIT_CASE(another_link_is_started_anew),
	KUNIT_CASE(another_broadcast_group_is_another_link),
	KUNIT_CASE(why_a_group_is_lost_is_said_once),
	KUNIT_CASE(the_address_follows_the_port_and_neighbours_are_told),
	KUNIT_CASE(neighbours_are_told_when_the_port_has_another_lid),
	KUNIT_CASE(a_gid_that_is_away_for_a_moment_is_waited_for),
	KUNIT_CASE(a_bond_is_waited_for_that_has_the_address_from_before),
	KUNIT_CASE(neighbours_are_told_for_the_bond_that_goes_by_us),
	KUNIT_CASE(a_user_may_choose_the_guid_while_it_is_down),
	KUNIT_CASE(what_a_user_chooses_is_newer_than_a_query_that_has_begun),
	KUNIT_CASE(the_mtu_of_the_user_is_remembered),
	KUNIT_CASE(longer_packets_are_received_than_an_hca_sends),
	KUNIT_CASE(a_new_interface_of_omni_path_sends_no_longer_packets),
	KUNIT_CASE(connected_mode_has_the_mtu_of_connections),
	KUNIT_CASE(a_queue_pair_that_fails_recovers_and_the_port_is_queried),
	KUNIT_CASE(after_a_failed_cq_all_is_made_anew),
	KUNIT_CASE(reports_reach_groups_or_paths),
	KUNIT_CASE(what_comes_later_comes),
	KUNIT_CASE(who_asks_often_has_one_query_a_second),
	KUNIT_CASE(moderation_that_is_refused_stays_what_it_was),
	KUNIT_CASE(rings_that_could_not_be_resized_are_started_anew),
	KUNIT_CASE(that_it_is_a_limited_member_is_said_once),
	KUNIT_CASE(offloads_are_those_of_the_hca_but_not_on_ethernet),
	{}
};

static struct kunit_suite device_test_suite = {
	.name = "ipoib_device",
	.init = device_test_init,
	.exit = device_test_exit,
	.test_cases = device_test_cases,
};

kunit_test_suite(device_test_suite);

MODULE_DESCRIPTION("Tests of IPoIB interfaces without their parts");
MODULE_LICENSE("GPL");
