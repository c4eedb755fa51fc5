// SPDX-License-Identifier: GPL-2.0
/*
 * Ports of RDMA devices: how they are made and taken apart, which of their interfaces hears of
 * which event, and for which of them a REQ is. The RDMA core and the stack are here.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/inetdevice.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>
#include <rdma/ib_cache.h>

#include "../fabric.h"
#include "../netdev.h"
#include "../netlink.h"
#include "../port.h"
#include "false_net.h"

static struct workqueue_struct *new_wq(const char *name, unsigned int flags, ...);
static void free_wq(struct workqueue_struct *wq);
static struct ib_pd *new_pd(struct ib_device *ibdev);
static void free_pd(struct ib_pd *pd);
static int registers(struct net_device *dev);
static void unregister(struct net_device *dev);
static void opens(struct net_device *dev, bool up);

#undef dev_warn
#define dev_warn(_dev, ...)				(world->complaints++)
#undef alloc_workqueue
#define alloc_workqueue					new_wq
#define destroy_workqueue(_wq)				free_wq(_wq)
#undef ib_alloc_pd
#define ib_alloc_pd(_ibdev, _flags)			new_pd(_ibdev)
#define ib_dealloc_pd(_pd)				free_pd(_pd)
#define register_netdevice(_dev)			registers(_dev)
#define unregister_netdevice_queue(_dev, _head)		unregister(_dev)
#define unregister_netdevice_many(_head)		((void)(_head))
#define msleep(_ms)					(world->slept += (_ms))
#undef dev_open
#define dev_open(_dev, _extack)				opens(_dev, true)
#undef dev_close
#define dev_close(_dev)					opens(_dev, false)
#define ib_get_cached_pkey(_ibdev, _port, _index, _pkey) \
	(*(_pkey) = world->pkey, (_index) ? -EINVAL : world->pkey_error)
#define ib_register_event_handler(_handler)		((void)(_handler), world->handlers++)
#define ib_unregister_event_handler(_handler)		((void)(_handler), world->handlers--)
#define ib_set_client_data(_ibdev, _client, _data)	(world->hca = (_data))
#define queue_delayed_work(_wq, _work, _delay)		((void)(_work), world->later = (_delay))
/* What is in a device for IPv4 is the device itself here. */
#undef __in_dev_get_rcu
#define __in_dev_get_rcu(_dev)				((struct in_device *)(_dev))
#define inet_confirm_addr(_net, _in_dev, _dst, _local, _scope) \
	((void)(_local), (struct net_device *)(_in_dev) == world->addressed)
#define ipv6_chk_addr(_net, _addr, _dev, _strict)	((void)(_addr), (_dev) == world->addressed)
#define netdev_master_upper_dev_get_rcu(_dev)		(world->master)
#define netif_is_l3_master(_dev)			(world->is_vrf)

/* Net_devices that there may be in a case, and work queues */
#define DEVS	8
#define QUEUES	6

/**
 * struct world - an RDMA device, its ports and interfaces, and what all were told
 * @ibdev: the device
 * @bus: the device that it is on
 * @net: its network namespace
 * @data: what the core knows of its ports
 * @hca: what the driver keeps of the device
 * @devs: net_devices: interfaces that have registered, and others
 * @count: how many
 * @fails: which call of the core or of the stack fails from now on, 0 for none
 * @calls: how many there were
 * @wq_count: work queues
 * @queues: what is taken for them, of one port after the other
 * @flags: their flags
 * @most: and how many works at a time they run
 * @pds: protection domains
 * @pd: what is taken for each
 * @turns: the queue that the CM messages of a port wait for, and their limits
 * @limit: that of those unanswered
 * @rate: that of new ones
 * @burst: how many of these at once
 * @uc: the device has UC
 * @word: in which order a port was taken apart, a letter each
 * @complaints: lines in the log
 * @shared: what is made for all interfaces of a port
 * @handlers: of events
 * @register_error: what becomes of what is to be registered
 * @tries: how often that was tried
 * @unregistered: bits of net_devices that were
 * @opened: likewise, of those that were opened last
 * @closed: or closed
 * @renamed: likewise
 * @renamed_to: the P_Key of the last one
 * @doubted: how often paths came to be in doubt
 * @later: delay until the ports are filled again, or -1
 * @slept: milliseconds
 * @pkey: the first P_Key of the port's table
 * @pkey_error: or why there is none
 * @lower: the Ethernet device of a RoCE port
 * @port_events: how many events the fabric was told
 * @held: references that a net_device has by itself
 * @addressed: the net_device that has the address of a REQ
 * @master: of any net_device
 * @is_vrf: @master is no bond
 */
static struct world {
	struct ib_device ibdev;
	struct device bus;
	struct net *net;
	struct ib_port_data data[3];
	void *hca;
	struct net_device *devs[DEVS];
	unsigned int count;
	unsigned int fails;
	unsigned int calls;
	int wq_count;
	char queues[QUEUES];
	unsigned int flags[QUEUES];
	int most[QUEUES];
	int pds;
	char pd;
	struct workqueue_struct *turns;
	unsigned int limit;
	u32 rate;
	u32 burst;
	bool uc;
	char word[16];
	unsigned int complaints;
	int shared;
	int handlers;
	int register_error;
	unsigned int tries;
	unsigned long unregistered;
	unsigned long opened;
	unsigned long closed;
	unsigned long renamed;
	u16 renamed_to;
	unsigned int doubted;
	long later;
	unsigned int slept;
	u16 pkey;
	int pkey_error;
	struct net_device *lower;
	unsigned int port_events;
	int held;
	struct net_device *addressed;
	struct net_device *master;
	bool is_vrf;
} *world;

#include "../port.c"

#include "../backoff.c"

/* ---- the core and the stack -------------------------------------------- */

static bool fails(void)
{
	return ++world->calls == world->fails;
}

static void told(char what)
{
	size_t len = strlen(world->word);

	if (len + 1 < sizeof(world->word))
		world->word[len] = what;
}

static struct workqueue_struct *new_wq(const char *name, unsigned int flags, ...)
{
	int most, i = world->wq_count;
	va_list args;

	if (fails() || WARN_ON(i == QUEUES))
		return NULL;
	va_start(args, flags);
	most = va_arg(args, int);
	va_end(args);
	world->flags[i] = flags;
	world->most[i] = most;
	world->wq_count++;
	return (struct workqueue_struct *)&world->queues[i];
}

static void free_wq(struct workqueue_struct *wq)
{
	told('q');
	world->wq_count--;
}

static struct ib_pd *new_pd(struct ib_device *ibdev)
{
	if (fails())
		return ERR_PTR(-ENOSPC);
	world->pds++;
	return (struct ib_pd *)&world->pd;
}

static void free_pd(struct ib_pd *pd)
{
	told('p');
	world->pds--;
}

static unsigned long bit_of(const struct net_device *dev)
{
	unsigned int i;

	for (i = 0; i < world->count; i++) {
		if (world->devs[i] == dev)
			return BIT(i);
	}
	WARN_ON(1);
	return 0;
}

static int registers(struct net_device *dev)
{
	world->tries++;
	if (world->register_error)
		return world->register_error;
	if (WARN_ON(world->count == DEVS))
		return -ENFILE;
	dev->reg_state = NETREG_REGISTERED;
	world->held = netdev_refcnt_read(dev);
	world->devs[world->count++] = dev;
	return 0;
}

static void unregister(struct net_device *dev)
{
	world->unregistered |= bit_of(dev);
}

static void opens(struct net_device *dev, bool up)
{
	if (up)
		world->opened |= bit_of(dev);
	else
		world->closed |= bit_of(dev);
}

/* ---- the driver -------------------------------------------------------- */

bool ipoib_netdev_is_ours(const struct net_device *dev)
{
	return dev->type == ARPHRD_INFINIBAND;
}

void ipoib_netlink_setup(struct net_device *dev)
{
	struct ipoib_dev *idev = netdev_priv(dev);

	idev->dev = dev;
	dev->type = ARPHRD_INFINIBAND;
}

void ipoib_sysfs_setup(struct net_device *dev)
{
}

void ipoib_debugfs_rename(struct ipoib_dev *idev, u16 pkey)
{
	world->renamed |= bit_of(idev->dev);
	world->renamed_to = pkey;
}

unsigned int ipoib_dev_chans_max(void)
{
	return 2;
}

void ipoib_dev_kick(struct ipoib_dev *idev, enum ipoib_dev_pending what)
{
	idev->pending |= BIT(what);
}

void ipoib_dev_doubt_paths(struct ipoib_dev *idev, unsigned long delay)
{
	world->doubted++;
	idev->paths_at = delay;
}

void ipoib_turns_init(struct ipoib_turns *turns, unsigned int limit, struct workqueue_struct *wq,
		      u32 rate, u32 burst)
{
	world->turns = wq;
	world->limit = limit;
	world->rate = rate;
	world->burst = burst;
}

void ipoib_turns_exit(struct ipoib_turns *turns)
{
	told('t');
}

bool ipoib_qp_type_works(struct ib_pd *pd, enum ib_qp_type type)
{
	return type == IB_QPT_UC && pd == (struct ib_pd *)&world->pd && world->uc;
}

static bool is_on(struct ib_device *ibdev, u32 port, const struct net_device *lower)
{
	return port == 1 && lower == world->lower;
}

static void *open_port(struct ib_device *ibdev, u32 port)
{
	if (fails())
		return ERR_PTR(-EIO);
	world->shared++;
	return world;
}

static void close_port(void *shared)
{
	told('s');
	world->shared -= shared == world;
}

static void told_port_event(void *shared, enum ib_event_type event)
{
	world->port_events++;
}

const struct ipoib_fabric_ops ipoib_fabric_ib_ops = {
	.name = "InfiniBand",
	.open_port = open_port,
	.close_port = close_port,
	.port_event = told_port_event,
};

const struct ipoib_fabric_ops ipoib_fabric_roce_ops = { .name = "RoCE", .is_on = is_on };

/* ---- an RDMA device ---------------------------------------------------- */

static int attach(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	return 0;
}

static void setup_dev(struct net_device *dev)
{
}

static int port_test_init(struct kunit *test)
{
	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world);
	world->ibdev.port_data = world->data;
	world->ibdev.phys_port_cnt = 2;
	world->ibdev.ops.attach_mcast = attach;
	world->net = false_net(test);
	world->net->user_ns = &init_user_ns;
	write_pnet(&world->ibdev.coredev.rdma_net, world->net);
	world->ibdev.dev.parent = &world->bus;
	world->data[1].immutable.core_cap_flags = RDMA_CORE_PORT_IBA_IB;
	world->data[2].immutable.core_cap_flags = RDMA_CORE_PORT_IBA_IB;
	world->pkey = 0xffff;
	world->uc = true;
	world->later = -1;
	return 0;
}

/* Lets go of a net_device, which has left its port by then. */
static void free_dev(unsigned int i)
{
	if (!world->devs[i])
		return;
	world->devs[i]->reg_state = NETREG_UNINITIALIZED;
	dev_net_set(world->devs[i], &init_net);
	free_netdev(world->devs[i]);
	world->devs[i] = NULL;
}

static void free_devs(void)
{
	while (world->count)
		free_dev(--world->count);
}

/* Nothing may be left of its ports. */
static void remove_hca(struct kunit *test)
{
	unsigned int i;

	/* The stack would have: interfaces leave their port when they are unregistered. */
	rtnl_lock();
	for (i = 0; i < world->count; i++) {
		if (world->devs[i] && ipoib_netdev_is_ours(world->devs[i]))
			ipoib_port_detach(netdev_priv(world->devs[i]));
	}
	rtnl_unlock();
	hca_remove(&world->ibdev, world->hca);
	world->hca = NULL;
	KUNIT_EXPECT_EQ(test, world->wq_count, 0);
	KUNIT_EXPECT_EQ(test, world->pds, 0);
	KUNIT_EXPECT_EQ(test, world->shared, 0);
	KUNIT_EXPECT_EQ(test, world->handlers, 0);
}

static void port_test_exit(struct kunit *test)
{
	if (!world)
		return;
	if (world->hca)
		remove_hca(test);
	free_devs();
}

static void is_roce(unsigned int port)
{
	world->data[port].immutable.core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
}

static void carries_nothing(unsigned int port)
{
	world->data[port].immutable.core_cap_flags = RDMA_CORE_PORT_IWARP;
}

static struct ipoib_port *port(unsigned int num)
{
	return hca_port(world->hca, num);
}

/* The work queue that was made as the @i th */
static struct workqueue_struct *queue(unsigned int i)
{
	return (struct workqueue_struct *)&world->queues[i];
}

/* A net_device that is none of ours */
static struct net_device *ethernet(struct kunit *test)
{
	struct net_device *dev = alloc_netdev(0, "eth_of_port%d", NET_NAME_ENUM, setup_dev);

	KUNIT_ASSERT_NOT_NULL(test, dev);
	KUNIT_EXPECT_EQ(test, registers(dev), 0);
	return dev;
}

/* An interface on a port, on an Ethernet device or the child of another, if these are said */
static struct ipoib_dev *add(struct kunit *test, unsigned int num, struct net_device *lower,
			     struct net_device *parent)
{
	struct net_device *dev;
	struct ipoib_dev *idev;

	dev = alloc_netdev(sizeof(*idev), "idev%d", NET_NAME_ENUM, ipoib_netlink_setup);
	KUNIT_ASSERT_NOT_NULL(test, dev);
	idev = netdev_priv(dev);
	rtnl_lock();
	ipoib_port_config(port(num), idev);
	idev->fabric.lower = lower;
	idev->config.parent = parent;
	idev->fabric.pkey = 0xffff;
	KUNIT_EXPECT_EQ(test, ipoib_port_register(idev), 0);
	rtnl_unlock();
	idev->pending = 0;
	return idev;
}

/* The interface of a port, which the driver has made before any other was */
static struct ipoib_dev *parent(unsigned int num)
{
	struct ipoib_dev *idev = netdev_priv(world->devs[num - 1]);

	idev->pending = 0;
	return idev;
}

static void happens(enum ib_event_type type, u32 num)
{
	struct ipoib_hca *hca = world->hca;
	struct ib_event event = { .device = &world->ibdev, .event = type };

	event.element.port_num = num;
	ib_event(&hca->handler, &event);
}

static void happens_to(struct net_device *dev, unsigned long event)
{
	struct netdev_notifier_info info = { .dev = dev };

	rtnl_lock();
	netdev_event(NULL, event, &info);
	rtnl_unlock();
}

/* ---- making and taking apart ------------------------------------------- */

static void each_infiniband_port_has_one_interface(struct kunit *test)
{
	struct ipoib_dev *idev;

	KUNIT_ASSERT_EQ(test, hca_add(&world->ibdev), 0);
	KUNIT_EXPECT_EQ(test, world->count, 2);
	KUNIT_EXPECT_EQ(test, world->later, -1);
	KUNIT_EXPECT_EQ(test, world->wq_count, 6);
	KUNIT_EXPECT_EQ(test, world->pds, 2);
	KUNIT_EXPECT_EQ(test, world->shared, 2);
	KUNIT_EXPECT_EQ(test, world->handlers, 1);
	idev = netdev_priv(world->devs[1]);
	KUNIT_EXPECT_EQ(test, idev->pending, BIT(IPOIB_DEV_QUERY_PORT));
	KUNIT_EXPECT_TRUE(test, ipoib_is_parent(idev));
	KUNIT_EXPECT_EQ(test, idev->fabric.pkey, 0xffff);
	KUNIT_EXPECT_PTR_EQ(test, dev_net(world->devs[1]), world->net);
	KUNIT_EXPECT_PTR_EQ(test, world->devs[1]->dev.parent, &world->bus);
	KUNIT_EXPECT_EQ(test, world->devs[1]->dev_port, 1);
	KUNIT_EXPECT_EQ(test, world->devs[1]->dev_id, 1);
	KUNIT_EXPECT_EQ(test, world->devs[1]->num_tx_queues, 2);
	/* Whoever asks again gets no second one. */
	hca_fill(world->hca);
	KUNIT_EXPECT_EQ(test, world->count, 2);
	remove_hca(test);
	/* Work that waits for its turn has its queue until nothing waits any more. */
	KUNIT_EXPECT_STREQ(test, world->word, "sptqqqsptqqq");
	KUNIT_EXPECT_EQ(test, world->complaints, 0);
}

static void what_all_interfaces_of_a_port_share_is_its(struct kunit *test)
{
	struct ipoib_dev *idev = kunit_kzalloc(test, sizeof(*idev), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, idev);
	KUNIT_ASSERT_EQ(test, hca_add(&world->ibdev), 0);
	rtnl_lock();
	ipoib_port_config(port(2), idev);
	rtnl_unlock();
	KUNIT_EXPECT_PTR_EQ(test, idev->fabric.ops, &ipoib_fabric_ib_ops);
	KUNIT_EXPECT_PTR_EQ(test, idev->fabric.ibdev, &world->ibdev);
	KUNIT_EXPECT_EQ(test, idev->fabric.port, 2);
	KUNIT_EXPECT_PTR_EQ(test, idev->fabric.shared, (void *)world);
	KUNIT_EXPECT_PTR_EQ(test, idev->fabric.wq, queue(3));
	KUNIT_EXPECT_PTR_EQ(test, idev->fabric.ctl_wq, queue(4));
	KUNIT_EXPECT_PTR_EQ(test, idev->config.conn_wq, queue(5));
	KUNIT_EXPECT_PTR_EQ(test, idev->config.conn_turns, &port(2)->conn_turns);
	KUNIT_EXPECT_PTR_EQ(test, idev->config.pd, (struct ib_pd *)&world->pd);
	KUNIT_EXPECT_TRUE(test, idev->config.uc);
	KUNIT_EXPECT_PTR_EQ(test, idev->config.port, port(2));
}

static void work_of_a_port_is_bounded_but_for_closing(struct kunit *test)
{
	int i;

	world->uc = false;
	KUNIT_ASSERT_EQ(test, hca_add(&world->ibdev), 0);
	for (i = 0; i < QUEUES; i++) {
		KUNIT_EXPECT_EQ(test, world->flags[i], WQ_UNBOUND | WQ_MEM_RECLAIM);
		KUNIT_EXPECT_EQ(test, world->most[i], i % 3 == 2 ? 0 : 16);
	}
	/* A receiver has 64 buffers for MADs at the least. */
	KUNIT_EXPECT_PTR_EQ(test, world->turns, queue(5));
	KUNIT_EXPECT_EQ(test, world->limit, 64);
	KUNIT_EXPECT_EQ(test, world->burst, 64);
	KUNIT_EXPECT_EQ(test, world->rate, 640);
	KUNIT_EXPECT_FALSE(test, port(1)->uc);
}

static void on_roce_a_port_has_no_interface_of_its_own(struct kunit *test)
{
	is_roce(1);
	carries_nothing(2);
	KUNIT_ASSERT_EQ(test, hca_add(&world->ibdev), 0);
	KUNIT_EXPECT_EQ(test, world->count, 0);
	KUNIT_EXPECT_EQ(test, world->pds, 1);
	KUNIT_EXPECT_EQ(test, world->flags[0], WQ_UNBOUND);
	KUNIT_EXPECT_EQ(test, world->flags[1], WQ_UNBOUND);
	KUNIT_EXPECT_EQ(test, world->flags[2], WQ_UNBOUND | WQ_MEM_RECLAIM);
	KUNIT_EXPECT_NOT_NULL(test, port(1));
	KUNIT_EXPECT_NULL(test, port(2));
	/* It is found by its Ethernet device. */
	world->lower = ethernet(test);
	rtnl_lock();
	KUNIT_EXPECT_PTR_EQ(test, ipoib_port_find(world->lower), port(1));
	world->lower = NULL;
	KUNIT_EXPECT_NULL(test, ipoib_port_find(world->devs[0]));
	rtnl_unlock();
}

static void a_device_that_carries_no_ipoib_is_left_alone(struct kunit *test)
{
	carries_nothing(1);
	carries_nothing(2);
	KUNIT_EXPECT_EQ(test, hca_add(&world->ibdev), -EOPNOTSUPP);
	KUNIT_EXPECT_NULL(test, world->hca);
	KUNIT_EXPECT_EQ(test, world->handlers, 0);
}

static void a_port_without_multicast_has_no_interface(struct kunit *test)
{
	world->ibdev.ops.attach_mcast = NULL;
	KUNIT_EXPECT_EQ(test, hca_add(&world->ibdev), 0);
	KUNIT_EXPECT_EQ(test, world->tries, 0);
	KUNIT_EXPECT_EQ(test, world->later, -1);
	KUNIT_EXPECT_EQ(test, world->complaints, 2);
}

static void what_fails_is_undone_and_tried_again(struct kunit *test)
{
	unsigned int call;

	/* Three work queues, a protection domain, what the fabric makes */
	for (call = 1; call <= 5; call++) {
		world->calls = 0;
		world->fails = call;
		world->later = -1;
		KUNIT_ASSERT_EQ(test, hca_add(&world->ibdev), 0);
		KUNIT_EXPECT_NULL(test, port(1));
		KUNIT_EXPECT_NOT_NULL(test, port(2));
		KUNIT_EXPECT_EQ(test, world->wq_count, 3);
		KUNIT_EXPECT_EQ(test, world->pds, 1);
		KUNIT_EXPECT_EQ(test, world->shared, 1);
		KUNIT_EXPECT_EQ(test, world->count, 1);
		KUNIT_EXPECT_GE(test, world->later, (long)msecs_to_jiffies(375));
		KUNIT_EXPECT_LE(test, world->later, (long)msecs_to_jiffies(500));
		world->fails = 0;
		hca_fill(world->hca);
		KUNIT_EXPECT_NOT_NULL(test, port(1));
		KUNIT_EXPECT_EQ(test, world->count, 2);
		remove_hca(test);
		free_devs();
	}
}

static void an_interface_that_cannot_be_made_comes_later(struct kunit *test)
{
	int i;

	world->register_error = -ENFILE;
	KUNIT_ASSERT_EQ(test, hca_add(&world->ibdev), 0);
	KUNIT_EXPECT_EQ(test, world->tries, 2);
	KUNIT_EXPECT_EQ(test, world->slept, 0);
	KUNIT_EXPECT_GT(test, world->later, 0);
	/* The longer it fails the longer it takes, up to a minute; and the log says it once. */
	for (i = 0; i < 3; i++)
		hca_fill(world->hca);
	KUNIT_EXPECT_GE(test, world->later, (long)msecs_to_jiffies(3000));
	KUNIT_EXPECT_LE(test, world->later, (long)msecs_to_jiffies(4000));
	for (i = 0; i < 20; i++)
		hca_fill(world->hca);
	KUNIT_EXPECT_GE(test, world->later, (long)msecs_to_jiffies(45000));
	KUNIT_EXPECT_LE(test, world->later, (long)msecs_to_jiffies(60000));
	KUNIT_EXPECT_EQ(test, world->complaints, 2);
	world->register_error = 0;
	hca_fill(world->hca);
	KUNIT_EXPECT_EQ(test, world->count, 2);
}

static void a_gid_that_is_rewritten_is_waited_for(struct kunit *test)
{
	carries_nothing(2);
	world->register_error = -EADDRNOTAVAIL;
	KUNIT_ASSERT_EQ(test, hca_add(&world->ibdev), 0);
	KUNIT_EXPECT_EQ(test, world->tries, 8);
	KUNIT_EXPECT_EQ(test, world->slept, 7 * 50);
	KUNIT_EXPECT_GT(test, world->later, 0);
}

static void the_first_p_key_is_that_of_the_table_or_the_default(struct kunit *test)
{
	static const struct {
		u16 pkey;
		int err;
		u16 expected;
	} cases[] = {
		{ 0x8001, 0, 0x8001 },
		{ 0x0001, 0, 0x8001 },
		{ 0x0000, 0, 0xffff },
		{ 0x8000, 0, 0xffff },
		{ 0x8001, -EINVAL, 0xffff },
	};
	int i;

	KUNIT_ASSERT_EQ(test, hca_add(&world->ibdev), 0);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		world->pkey = cases[i].pkey;
		world->pkey_error = cases[i].err;
		KUNIT_EXPECT_EQ(test, first_pkey(port(1)), cases[i].expected);
	}
}

static void a_port_that_goes_takes_its_interfaces_along(struct kunit *test)
{
	struct ipoib_port *one;

	KUNIT_ASSERT_EQ(test, hca_add(&world->ibdev), 0);
	add(test, 1, NULL, world->devs[0]);
	one = port(1);
	spin_lock_bh(&ports_lock);
	list_del(&one->sibling);
	spin_unlock_bh(&ports_lock);
	port_free(one);
	/* The other port has the second one. */
	KUNIT_EXPECT_EQ(test, world->unregistered, BIT(0) | BIT(2));
	KUNIT_EXPECT_EQ(test, world->wq_count, 3);
	free_dev(0);
	free_dev(2);
}

/* ---- events ------------------------------------------------------------ */

static void events_of_a_port_have_its_interfaces_look(struct kunit *test)
{
	static const struct {
		enum ib_event_type type;
		bool looks;
		bool doubts;
	} cases[] = {
		{ IB_EVENT_PORT_ACTIVE, true, false },
		{ IB_EVENT_PORT_ERR, true, false },
		{ IB_EVENT_PKEY_CHANGE, true, false },
		{ IB_EVENT_GID_CHANGE, true, false },
		{ IB_EVENT_LID_CHANGE, true, true },
		{ IB_EVENT_SM_CHANGE, true, true },
		{ IB_EVENT_CLIENT_REREGISTER, true, true },
		{ IB_EVENT_QP_FATAL, false, false },
		{ IB_EVENT_CQ_ERR, false, false },
	};
	const unsigned long looks = BIT(IPOIB_DEV_QUERY_PORT), never = ULONG_MAX;
	struct ipoib_dev *idev;
	int i;

	KUNIT_ASSERT_EQ(test, hca_add(&world->ibdev), 0);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		idev = parent(1);
		world->doubted = 0;
		world->port_events = 0;
		idev->paths_at = never;
		happens(cases[i].type, 2);
		KUNIT_EXPECT_EQ(test, idev->pending, 0);
		KUNIT_EXPECT_EQ(test, idev->paths_at, never);
		happens(cases[i].type, 1);
		KUNIT_EXPECT_EQ(test, idev->pending, cases[i].looks * looks);
		KUNIT_EXPECT_EQ(test, idev->paths_at != never, cases[i].doubts);
		/* Each port has one, and its fabric is told. */
		KUNIT_EXPECT_EQ(test, world->doubted, cases[i].doubts * 2);
		KUNIT_EXPECT_EQ(test, world->port_events, cases[i].looks * 2);
	}
	parent(2);
	idev = parent(1);
	happens(IB_EVENT_DEVICE_FATAL, 0);
	KUNIT_EXPECT_EQ(test, idev->pending, looks);
	idev = netdev_priv(world->devs[1]);
	KUNIT_EXPECT_EQ(test, idev->pending, looks);
}

static void paths_are_doubted_after_a_random_time(struct kunit *test)
{
	unsigned long longest = 0, shortest = ULONG_MAX;
	struct ipoib_dev *idev;
	int i;

	KUNIT_ASSERT_EQ(test, hca_add(&world->ibdev), 0);
	idev = parent(1);
	for (i = 0; i < 500; i++) {
		happens(IB_EVENT_SM_CHANGE, 1);
		longest = max(longest, idev->paths_at);
		shortest = min(shortest, idev->paths_at);
	}
	KUNIT_EXPECT_LE(test, longest, msecs_to_jiffies(2000));
	KUNIT_EXPECT_GT(test, longest, msecs_to_jiffies(1500));
	KUNIT_EXPECT_LT(test, shortest, msecs_to_jiffies(500));
}

static void events_of_an_ethernet_device_are_for_those_on_it(struct kunit *test)
{
	static const unsigned long looks[] = {
		NETDEV_UP, NETDEV_DOWN, NETDEV_CHANGE, NETDEV_CHANGEMTU, NETDEV_CHANGEADDR,
	};
	struct net_device *lower = ethernet(test), *other = ethernet(test);
	struct inet6_dev *in6 = kunit_kzalloc(test, sizeof(*in6), GFP_KERNEL);
	struct inet6_ifaddr *ifa = kunit_kzalloc(test, sizeof(*ifa), GFP_KERNEL);
	struct ipoib_dev *idev;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, in6);
	KUNIT_ASSERT_NOT_NULL(test, ifa);
	is_roce(1);
	is_roce(2);
	KUNIT_ASSERT_EQ(test, hca_add(&world->ibdev), 0);
	idev = add(test, 2, lower, NULL);
	for (i = 0; i < ARRAY_SIZE(looks); i++) {
		happens_to(other, looks[i]);
		KUNIT_EXPECT_EQ(test, idev->pending, 0);
		happens_to(lower, looks[i]);
		KUNIT_EXPECT_EQ(test, idev->pending, BIT(IPOIB_DEV_QUERY_PORT));
		idev->pending = 0;
	}
	happens_to(lower, NETDEV_FEAT_CHANGE);
	KUNIT_EXPECT_EQ(test, idev->pending, 0);
	ifa->idev = in6;
	in6->dev = lower;
	inet6addr_event(NULL, NETDEV_UP, ifa);
	KUNIT_EXPECT_EQ(test, idev->pending, BIT(IPOIB_DEV_QUERY_PORT));
}

static void an_ethernet_device_takes_along_what_is_on_it(struct kunit *test)
{
	struct net_device *lower = ethernet(test), *other = ethernet(test);
	struct ipoib_dev *going;

	is_roce(1);
	is_roce(2);
	KUNIT_ASSERT_EQ(test, hca_add(&world->ibdev), 0);
	add(test, 1, lower, NULL);
	add(test, 2, other, NULL);
	going = add(test, 1, lower, NULL);
	going->dev->reg_state = NETREG_UNREGISTERING;
	happens_to(lower, NETDEV_UNREGISTER);
	KUNIT_EXPECT_EQ(test, world->unregistered, BIT(2));
}

static void a_carrier_that_came_is_announced(struct kunit *test)
{
	struct ipoib_dev *idev;

	KUNIT_ASSERT_EQ(test, hca_add(&world->ibdev), 0);
	idev = parent(1);
	set_bit(__LINK_STATE_NOCARRIER, &idev->dev->state);
	happens_to(idev->dev, NETDEV_CHANGE);
	KUNIT_EXPECT_EQ(test, idev->pending, 0);
	clear_bit(__LINK_STATE_NOCARRIER, &idev->dev->state);
	happens_to(idev->dev, NETDEV_CHANGEMTU);
	KUNIT_EXPECT_EQ(test, idev->pending, 0);
	happens_to(idev->dev, NETDEV_CHANGE);
	KUNIT_EXPECT_EQ(test, idev->pending, BIT(IPOIB_DEV_ANNOUNCE));
}

static void children_go_up_and_down_with_their_parent(struct kunit *test)
{
	struct ipoib_dev *idev, *going;

	KUNIT_ASSERT_EQ(test, hca_add(&world->ibdev), 0);
	idev = parent(1);
	/* Of port 1 these are the parent (0), a child (2) and one that is going (3). */
	add(test, 1, NULL, idev->dev);
	going = add(test, 1, NULL, idev->dev);
	going->dev->reg_state = NETREG_UNREGISTERING;
	add(test, 2, NULL, world->devs[1]);
	happens_to(idev->dev, NETDEV_UP);
	KUNIT_EXPECT_EQ(test, world->opened, BIT(2));
	KUNIT_EXPECT_EQ(test, world->closed, 0);
	world->opened = 0;
	happens_to(idev->dev, NETDEV_DOWN);
	KUNIT_EXPECT_EQ(test, world->closed, BIT(2));
	KUNIT_EXPECT_EQ(test, world->opened, 0);
	world->closed = 0;
	happens_to(idev->dev, NETDEV_CHANGEMTU);
	KUNIT_EXPECT_EQ(test, world->closed | world->opened, 0);
	idev->children_stay = true;
	happens_to(idev->dev, NETDEV_UP);
	KUNIT_EXPECT_EQ(test, world->opened, 0);
}

static void a_tenant_with_the_parent_takes_no_children_of_others(struct kunit *test)
{
	struct net *net = false_net(test);
	struct ipoib_dev *idev, *own;

	KUNIT_ASSERT_EQ(test, hca_add(&world->ibdev), 0);
	idev = parent(1);
	dev_net_set(idev->dev, net);
	add(test, 1, NULL, idev->dev);
	own = add(test, 1, NULL, idev->dev);
	dev_net_set(own->dev, net);
	happens_to(idev->dev, NETDEV_UP);
	KUNIT_EXPECT_EQ(test, world->opened, BIT(3));
	/* The host's administrator takes all of them. */
	net->user_ns = &init_user_ns;
	happens_to(idev->dev, NETDEV_DOWN);
	KUNIT_EXPECT_EQ(test, world->closed, BIT(2) | BIT(3));
	dev_net_set(own->dev, &init_net);
	dev_net_set(idev->dev, &init_net);
}

static void a_renamed_device_has_the_directories_of_its_interfaces_renamed(struct kunit *test)
{
	struct ib_device *other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, other);
	KUNIT_ASSERT_EQ(test, hca_add(&world->ibdev), 0);
	hca_rename(other, NULL);
	KUNIT_EXPECT_EQ(test, world->renamed, 0);
	parent(1)->fabric.pkey = 0x8001;
	parent(2)->fabric.pkey = 0x8002;
	hca_rename(&world->ibdev, NULL);
	KUNIT_EXPECT_EQ(test, world->renamed, BIT(0) | BIT(1));
	KUNIT_EXPECT_EQ(test, world->renamed_to, 0x8002);
}

/* ---- which interface is meant ------------------------------------------ */

static void an_interface_is_found_by_its_p_key(struct kunit *test)
{
	struct ipoib_dev *idev;

	KUNIT_ASSERT_EQ(test, hca_add(&world->ibdev), 0);
	parent(1)->fabric.pkey = 0xffff;
	idev = add(test, 1, NULL, world->devs[0]);
	idev->fabric.pkey = 0x8001;
	rtnl_lock();
	KUNIT_EXPECT_PTR_EQ(test, ipoib_port_find_dev(port(1), 0x8001), idev);
	KUNIT_EXPECT_NULL(test, ipoib_port_find_dev(port(1), 0x0001));
	KUNIT_EXPECT_NULL(test, ipoib_port_find_dev(port(2), 0x8001));
	rtnl_unlock();
}

/* What the RDMA CM gets, with a reference of it, which is given back */
static struct net_device *asked(struct kunit *test, u32 num, u16 pkey, const union ib_gid *gid,
				sa_family_t family)
{
	struct sockaddr_storage addr = { .ss_family = family };
	struct net_device *dev;

	dev = get_net_dev_by_params(&world->ibdev, num, pkey, gid,
				    family ? (struct sockaddr *)&addr : NULL, world->hca);
	if (dev) {
		KUNIT_EXPECT_EQ(test, netdev_refcnt_read(dev), world->held + 1);
		dev_put(dev);
	}
	return dev;
}

/* Two interfaces of port 1 with P_Key 0x8001, both of which are up */
static void two_of_a_partition(struct kunit *test)
{
	struct ipoib_dev *one, *two;

	KUNIT_ASSERT_EQ(test, hca_add(&world->ibdev), 0);
	one = add(test, 1, NULL, world->devs[0]);
	two = add(test, 1, NULL, world->devs[0]);
	one->fabric.pkey = 0x8001;
	two->fabric.pkey = 0x8001;
	set_bit(__LINK_STATE_START, &one->dev->state);
	set_bit(__LINK_STATE_START, &two->dev->state);
	dev_addr_mod(two->dev, INFINIBAND_ALEN - 1, "\x01", 1);
}

static void a_req_is_for_an_interface_of_its_partition(struct kunit *test)
{
	union ib_gid gid = {};

	two_of_a_partition(test);
	KUNIT_EXPECT_PTR_EQ(test, asked(test, 1, 0x8001, NULL, 0), world->devs[2]);
	KUNIT_EXPECT_PTR_EQ(test, asked(test, 1, 0x0001, NULL, 0), world->devs[2]);
	KUNIT_EXPECT_NULL(test, asked(test, 1, 0x8002, NULL, 0));
	KUNIT_EXPECT_NULL(test, asked(test, 2, 0x8001, NULL, 0));
	KUNIT_EXPECT_NULL(test, get_net_dev_by_params(&world->ibdev, 1, 0x8001, NULL, NULL, NULL));
	/* One that has another GID takes none, nor does one that is down. */
	KUNIT_EXPECT_PTR_EQ(test, asked(test, 1, 0x8001, &gid, 0), world->devs[2]);
	gid.raw[15] = 1;
	KUNIT_EXPECT_PTR_EQ(test, asked(test, 1, 0x8001, &gid, 0), world->devs[3]);
	clear_bit(__LINK_STATE_START, &world->devs[2]->state);
	KUNIT_EXPECT_PTR_EQ(test, asked(test, 1, 0x8001, NULL, 0), world->devs[3]);
	gid.raw[15] = 0;
	KUNIT_EXPECT_NULL(test, asked(test, 1, 0x8001, &gid, 0));
}

static void a_req_is_for_who_has_the_address(struct kunit *test)
{
	two_of_a_partition(test);
	world->addressed = world->devs[3];
	KUNIT_EXPECT_PTR_EQ(test, asked(test, 1, 0x8001, NULL, AF_INET), world->devs[3]);
	KUNIT_EXPECT_PTR_EQ(test, asked(test, 1, 0x8001, NULL, AF_INET6), world->devs[3]);
	KUNIT_EXPECT_PTR_EQ(test, asked(test, 1, 0x8001, NULL, 0), world->devs[2]);
	KUNIT_EXPECT_PTR_EQ(test, asked(test, 1, 0x8001, NULL, AF_PACKET), world->devs[2]);
	world->addressed = NULL;
	KUNIT_EXPECT_PTR_EQ(test, asked(test, 1, 0x8001, NULL, AF_INET), world->devs[2]);
	/* The addresses of ports in a bond are on that, those of a VRF's on the ports. */
	world->master = ethernet(test);
	KUNIT_EXPECT_PTR_EQ(test, asked(test, 1, 0x8001, NULL, AF_INET), world->master);
	world->is_vrf = true;
	KUNIT_EXPECT_PTR_EQ(test, asked(test, 1, 0x8001, NULL, AF_INET), world->devs[2]);
}

static struct kunit_case port_test_cases[] = {
	KUNIT_CASE(each_infiniband_port_has_one_interface),
	KUNIT_CASE(what_all_interfaces_of_a_port_share_is_its),
	KUNIT_CASE(work_of_a_port_is_bounded_but_for_closing),
	KUNIT_CASE(on_roce_a_port_has_no_interface_of_its_own),
	KUNIT_CASE(a_device_that_carries_no_ipoib_is_left_alone),
	KUNIT_CASE(a_port_without_multicast_has_no_interface),
	KUNIT_CASE(what_fails_is_undone_and_tried_again),
	KUNIT_CASE(an_interface_that_cannot_be_made_comes_later),
	KUNIT_CASE(a_gid_that_is_rewritten_is_waited_for),
	KUNIT_CASE(the_first_p_key_is_that_of_the_table_or_the_default),
	KUNIT_CASE(a_port_that_goes_takes_its_interfaces_along),
	KUNIT_CASE(events_of_a_port_have_its_interfaces_look),
	KUNIT_CASE(paths_are_doubted_after_a_random_time),
	KUNIT_CASE(events_of_an_ethernet_device_are_for_those_on_it),
	KUNIT_CASE(an_ethernet_device_takes_along_what_is_on_it),
	KUNIT_CASE(a_carrier_that_came_is_announced),
	KUNIT_CASE(children_go_up_and_down_with_their_parent),
	KUNIT_CASE(a_tenant_with_the_parent_takes_no_children_of_others),
	KUNIT_CASE(a_renamed_device_has_the_directories_of_its_interfaces_renamed),
	KUNIT_CASE(an_interface_is_found_by_its_p_key),
	KUNIT_CASE(a_req_is_for_an_interface_of_its_partition),
	KUNIT_CASE(a_req_is_for_who_has_the_address),
	{}
};

static struct kunit_suite port_test_suite = {
	.name = "ipoib_port",
	.init = port_test_init,
	.exit = port_test_exit,
	.test_cases = port_test_cases,
};

kunit_test_suite(port_test_suite);

MODULE_DESCRIPTION("Tests of IPoIB's ports");
MODULE_LICENSE("GPL");
