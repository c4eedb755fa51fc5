// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "netlink.h"

#include <linux/if_arp.h>
#include <net/rtnetlink.h>

#include "addr.h"
#include "log.h"
#include "netdev.h"
#include "port.h"

/* Tell the user why a request is refused, and which attribute is wrong. */
#define REFUSE(extack, attr, msg) \
	NL_SET_ERR_MSG_ATTR(extack, attr, KBUILD_MODNAME ": " msg)

static const struct nla_policy policy[IFLA_IPOIB_MAX + 1] = {
	[IFLA_IPOIB_PKEY]	= { .type = NLA_U16 },
	[IFLA_IPOIB_MODE]	= { .type = NLA_U16 },
	[IFLA_IPOIB_UMCAST]	= { .type = NLA_U16 },
};

/*
 * chosen_address() returns NULL if the user leaves the GID to the driver. Programs that always
 * send an address say that with zeros, which ib_ipoib takes the same way.
 */
static const struct nlattr *chosen_address(struct nlattr *tb[])
{
	const struct nlattr *attr = tb[IFLA_ADDRESS];

	if (attr && nla_len(attr) == sizeof(struct ipoib_hwaddr) &&
	    !memchr_inv(nla_data(attr), 0, nla_len(attr)))
		return NULL;
	return attr;
}

static int check_addresses(struct nlattr *tb[], struct netlink_ext_ack *extack)
{
	const struct nlattr *chosen = chosen_address(tb);
	struct ipoib_hwaddr addr;

	if (chosen) {
		if (nla_len(chosen) != sizeof(addr)) {
			REFUSE(extack, chosen,
			       "malformed address, 20 octets are needed");
			return -EINVAL;
		}
		nla_memcpy(&addr, chosen, sizeof(addr));
		if (ipoib_hwaddr_is_mcast(&addr) ||
		    !(addr.gid[2] | addr.gid[3])) {
			REFUSE(extack, chosen,
			       "malformed address, its last 16 octets are the GID of no port");
			return -EADDRNOTAVAIL;
		}
	}
	if (tb[IFLA_BROADCAST] &&
	    nla_len(tb[IFLA_BROADCAST]) != sizeof(addr)) {
		REFUSE(extack, tb[IFLA_BROADCAST],
		       "malformed broadcast address, 20 octets are needed");
		return -EINVAL;
	}
	return 0;
}

/*
 * The P_Key of a link has the membership bit set (RFC 4391 section 4), also where the user left
 * it out and where the port is a limited member.
 */
static u16 pkey_of(const struct nlattr *attr)
{
	return nla_get_u16(attr) | IPOIB_PKEY_FULL;
}

static int check_settings(struct nlattr *data[], struct netlink_ext_ack *extack)
{
	if (!data)
		return 0;

	if (data[IFLA_IPOIB_PKEY] &&
	    pkey_of(data[IFLA_IPOIB_PKEY]) == IPOIB_PKEY_FULL) {
		REFUSE(extack, data[IFLA_IPOIB_PKEY],
		       "0 and 0x8000 are P_Keys of no partition");
		return -EINVAL;
	}
	if (data[IFLA_IPOIB_MODE]) {
		switch (nla_get_u16(data[IFLA_IPOIB_MODE])) {
		case IPOIB_MODE_DATAGRAM:
		case IPOIB_MODE_CONNECTED:
			break;
		default:
			REFUSE(extack, data[IFLA_IPOIB_MODE],
			       "mode must be datagram or connected mode");
			return -EINVAL;
		}
	}
	if (data[IFLA_IPOIB_UMCAST] &&
	    nla_get_u16(data[IFLA_IPOIB_UMCAST]) > 1) {
		REFUSE(extack, data[IFLA_IPOIB_UMCAST],
		       "umcast must be 0 or 1");
		return -EINVAL;
	}
	return 0;
}

static int link_validate(struct nlattr *tb[], struct nlattr *data[],
			 struct netlink_ext_ack *extack)
{
	return check_addresses(tb, extack) ?: check_settings(data, extack);
}

static bool is_connected(const struct nlattr *mode)
{
	return nla_get_u16(mode) == IPOIB_MODE_CONNECTED;
}

static int link_change(struct net_device *dev, struct nlattr *tb[],
		       struct nlattr *data[], struct netlink_ext_ack *extack)
{
	struct ipoib_dev *idev = netdev_priv(dev);

	if (!data)
		return 0;

	if (data[IFLA_IPOIB_PKEY] &&
	    pkey_of(data[IFLA_IPOIB_PKEY]) != READ_ONCE(idev->fabric.pkey)) {
		REFUSE(extack, data[IFLA_IPOIB_PKEY],
		       "the P_Key of an interface cannot be changed");
		return -EOPNOTSUPP;
	}
	if (data[IFLA_IPOIB_MODE])
		ipoib_dev_conns_set_mode(idev, is_connected(data[IFLA_IPOIB_MODE]));
	if (data[IFLA_IPOIB_UMCAST]) {
		WRITE_ONCE(idev->umcast, nla_get_u16(data[IFLA_IPOIB_UMCAST]));
		ipoib_mcast_set_sync(&idev->mcast);
	}
	return 0;
}

static struct net_device *find_link(struct net *link_net, struct nlattr *tb[],
				    struct netlink_ext_ack *extack)
{
	struct net_device *link;

	if (!tb[IFLA_LINK]) {
		NL_SET_ERR_MSG_MOD(extack,
				   "a link to an Ethernet device is needed, or to an interface of an InfiniBand port");
		return ERR_PTR(-EINVAL);
	}

	link = __dev_get_by_index(link_net, nla_get_u32(tb[IFLA_LINK]));
	if (!link) {
		REFUSE(extack, tb[IFLA_LINK],
		       "no such link");
		return ERR_PTR(-ENODEV);
	}
	return link;
}

/* Configure an interface on RoCE, whose link is an Ethernet device. */
static int config_on_lower(struct ipoib_dev *idev, struct net_device *lower,
			   struct nlattr *tb[], struct nlattr *data[],
			   struct netlink_ext_ack *extack)
{
	struct ipoib_port *port = ipoib_port_find(lower);

	if (!port) {
		REFUSE(extack, tb[IFLA_LINK],
		       "the link carries no RDMA device");
		return -ENODEV;
	}
	if (!ipoib_port_has_mcast(port)) {
		REFUSE(extack, tb[IFLA_LINK],
		       "the link's RDMA device has no multicast");
		return -EOPNOTSUPP;
	}

	ipoib_port_config(port, idev);
	idev->fabric.lower = lower;
	idev->fabric.pkey = 0xffff;
	if (data && data[IFLA_IPOIB_PKEY])
		idev->fabric.pkey = pkey_of(data[IFLA_IPOIB_PKEY]);
	return 0;
}

/* Configure a child, whose link is another interface of this driver. */
static int config_child(struct ipoib_dev *idev, struct ipoib_dev *parent,
			struct nlattr *tb[], struct nlattr *data[],
			struct netlink_ext_ack *extack)
{
	u16 pkey = parent->fabric.pkey;

	if (!ipoib_is_parent(parent)) {
		REFUSE(extack, tb[IFLA_LINK],
		       "the link is an IPoIB interface that cannot have children");
		return -EINVAL;
	}
	if (data && data[IFLA_IPOIB_PKEY])
		pkey = pkey_of(data[IFLA_IPOIB_PKEY]);
	ipoib_child_config(idev, parent, pkey);
	return 0;
}

static int check_pkey(struct ipoib_port *port, struct net_device *parent, u16 pkey,
		      struct netlink_ext_ack *extack)
{
	u16 index;

	if (!port->fabric_ops->pkeys_come &&
	    !ipoib_fabric_find_pkey(port->ibdev, port->num, pkey, &index)) {
		NL_SET_ERR_MSG_MOD(extack, "the P_Key is not in the port's table");
		return -ENOENT;
	}
	/* Children may share a P_Key: to each pod that ipoib-cni serves it gives one. */
	if (parent)
		return ipoib_child_check(netdev_priv(parent), pkey, extack);
	if (ipoib_port_find_dev(port, pkey)) {
		NL_SET_ERR_MSG_MOD(extack,
				   "the port already has an IPoIB interface with this P_Key");
		return -EEXIST;
	}
	/* There is one for all devices on the port, and it uses the host's RDMA device. */
	if (!capable(CAP_NET_ADMIN)) {
		NL_SET_ERR_MSG_MOD(extack,
				   "only the host's administrator may make a port's interface");
		return -EPERM;
	}
	return 0;
}

/*
 * A child whose GID the port does not have gets the port's, with a warning. systemd-networkd makes
 * up an address for each child, unless it is told not to, and would else have none.
 */
static void check_gid(struct ipoib_fabric *fabric, const struct nlattr *chosen,
		      struct netlink_ext_ack *extack)
{
	if (ipoib_fabric_has_guid(fabric->ibdev, fabric->port, &fabric->pinned_gid))
		return;
	memset(&fabric->pinned_gid, 0, sizeof(fabric->pinned_gid));
	REFUSE(extack, chosen, "the address is not a GID of the port, which has another");
}

/*
 * The user chooses the GID with the GID in IFLA_ADDRESS, and the scope with that in
 * IFLA_BROADCAST.
 */
static int choose_addresses(struct ipoib_dev *idev, struct nlattr *tb[],
			    struct netlink_ext_ack *extack)
{
	struct ipoib_dev_config *config = &idev->config;
	const struct nlattr *chosen = chosen_address(tb);
	struct ipoib_hwaddr addr;
	union ib_gid mgid;

	if (chosen) {
		nla_memcpy(&addr, chosen, sizeof(addr));
		ipoib_hwaddr_gid(&addr, &idev->fabric.pinned_gid);
		if (config->parent)
			check_gid(&idev->fabric, chosen, extack);
	}

	if (tb[IFLA_BROADCAST]) {
		nla_memcpy(&addr, tb[IFLA_BROADCAST], sizeof(addr));
		ipoib_hwaddr_gid(&addr, &mgid);
		if (!ipoib_mgid_is_broadcast(&mgid, idev->fabric.pkey)) {
			REFUSE(extack, tb[IFLA_BROADCAST],
			       "malformed broadcast address, not that of the P_Key");
			return -EINVAL;
		}
		config->scope = ipoib_mgid_scope(&mgid);
		if (config->scope < IPOIB_SCOPE_LINK ||
		    config->scope > IPOIB_SCOPE_GLOBAL) {
			REFUSE(extack, tb[IFLA_BROADCAST],
			       "malformed broadcast address, its scope is not from 2 to 14");
			return -EINVAL;
		}
	}
	return 0;
}

static void explain_register(int err, const union ib_gid *pinned, struct nlattr *tb[],
			     struct netlink_ext_ack *extack)
{
	static const union ib_gid any;

	if (err == -EADDRNOTAVAIL && memcmp(pinned, &any, sizeof(any)))
		REFUSE(extack, tb[IFLA_ADDRESS],
		       "the address is not a GID of the port");
	else if (err == -EADDRNOTAVAIL)
		NL_SET_ERR_MSG_MOD(extack,
				   "the link has no IPv6 link-local GID; bring it up with IPv6 enabled");
}

/*
 * rtnetlink has compared the MTU with the max_mtu of link_setup(), which is that of connected
 * mode, because it does not know the mode. In datagram mode the limit is lower.
 */
static int check_mtu(struct net_device *dev, struct nlattr *tb[],
		     struct nlattr *data[], struct netlink_ext_ack *extack)
{
	const struct ipoib_dev *idev = netdev_priv(dev);
	u32 longest = min_t(u32, IPOIB_MTU_SENT,
			    ipoib_port_longest(idev->fabric.ibdev, idev->fabric.port));

	if (!data || !data[IFLA_IPOIB_MODE] || !is_connected(data[IFLA_IPOIB_MODE]))
		dev->max_mtu = longest - IPOIB_HDR_LEN;
	if (dev->mtu <= dev->max_mtu)
		return 0;
	if (longest == IPOIB_MTU_IB)
		REFUSE(extack, tb[IFLA_MTU],
		       "an MTU above 4092 needs connected mode");
	else
		REFUSE(extack, tb[IFLA_MTU],
		       "an MTU above 8188 needs connected mode");
	return -EINVAL;
}

/* Each queue of the stack is a channel, see dev_chans.h. */
static int check_queues(const struct net_device *dev, struct nlattr *tb[],
			struct netlink_ext_ack *extack)
{
	if (dev->num_tx_queues > IPOIB_MAX_CHANNELS) {
		REFUSE(extack, tb[IFLA_NUM_TX_QUEUES],
		       "an interface has at most 8 channels, numtxqueues is more");
		return -EINVAL;
	}
	if (dev->num_rx_queues != 1) {
		REFUSE(extack, tb[IFLA_NUM_RX_QUEUES],
		       "one queue receives, numrxqueues must be 1");
		return -EINVAL;
	}
	return 0;
}

static int link_new(struct net *link_net, struct net_device *dev,
		    struct nlattr *tb[], struct nlattr *data[],
		    struct netlink_ext_ack *extack)
{
	struct ipoib_dev *idev = netdev_priv(dev);
	struct net_device *link;
	int err;

	link = find_link(link_net, tb, extack);
	if (IS_ERR(link))
		return PTR_ERR(link);

	if (ipoib_netdev_is_ours(link))
		err = config_child(idev, netdev_priv(link), tb, data, extack);
	else
		err = config_on_lower(idev, link, tb, data, extack);
	if (err)
		return err;

	err = check_pkey(idev->config.port, idev->config.parent, idev->fabric.pkey, extack);
	if (err)
		return err;
	err = check_queues(dev, tb, extack) ?:
	      check_mtu(dev, tb, data, extack) ?:
	      choose_addresses(idev, tb, extack);
	if (err)
		return err;

	if (tb[IFLA_NUM_TX_QUEUES])
		idev->config.channels = dev->num_tx_queues;
	if (data && data[IFLA_IPOIB_UMCAST])
		idev->umcast = nla_get_u16(data[IFLA_IPOIB_UMCAST]);
	if (tb[IFLA_MTU]) {
		idev->user_mtu = dev->mtu == dev->max_mtu ? 0 : dev->mtu;
		idev->unsaid_mtu = dev->mtu;
	}

	err = ipoib_port_register(idev);
	if (err) {
		explain_register(err, &idev->fabric.pinned_gid, tb, extack);
		return err;
	}
	if (data && data[IFLA_IPOIB_MODE])
		ipoib_dev_conns_set_mode(idev, is_connected(data[IFLA_IPOIB_MODE]));
	return 0;
}

static int link_newlink(COMPAT_NEWLINK_ARGS)
{
	return COMPAT_NEWLINK_CALL(link_new);
}

static size_t link_get_size(const struct net_device *dev)
{
	return 3 * nla_total_size(sizeof(u16));
}

static int link_fill_info(struct sk_buff *skb, const struct net_device *dev)
{
	const struct ipoib_dev *idev = netdev_priv(dev);

	if (nla_put_u16(skb, IFLA_IPOIB_PKEY,
			READ_ONCE(idev->fabric.pkey)) ||
	    nla_put_u16(skb, IFLA_IPOIB_MODE, READ_ONCE(idev->connected) ?
			IPOIB_MODE_CONNECTED : IPOIB_MODE_DATAGRAM) ||
	    nla_put_u16(skb, IFLA_IPOIB_UMCAST, READ_ONCE(idev->umcast)))
		return -EMSGSIZE;
	return 0;
}

static struct net *link_get_net(const struct net_device *dev)
{
	const struct ipoib_dev *idev = netdev_priv(dev);
	const struct net_device *lower = idev->fabric.lower ?: idev->config.parent;

	return lower ? dev_net(lower) : dev_net(dev);
}

/*
 * Only the port deletes a parent. dellink cannot return an error, so the user is told in the
 * log.
 */
static void link_del(struct net_device *dev, struct list_head *head)
{
	if (!ipoib_is_parent(netdev_priv(dev)))
		unregister_netdevice_queue(dev, head);
	else if (ipoib_may_log())
		netdev_info(dev, "not deleted: it belongs to its port\n");
}

static void link_setup(struct net_device *dev)
{
	ipoib_netlink_setup(dev);
	dev->max_mtu = IPOIB_CONN_MAX_MESSAGE - IPOIB_HDR_LEN;
}

static struct rtnl_link_ops link_ops = {
	.maxtype	= IFLA_IPOIB_MAX,
	.policy		= policy,
	.priv_size	= sizeof(struct ipoib_dev),
	.setup		= link_setup,
	.get_num_tx_queues = ipoib_dev_chans_max,
	.netns_refund	= true,
	.validate	= link_validate,
	.newlink	= link_newlink,
	.changelink	= link_change,
	.dellink	= link_del,
	.get_size	= link_get_size,
	.fill_info	= link_fill_info,
	.get_link_net	= link_get_net,
};

/**
 * ipoib_netlink_setup - initialise a new net_device, link kind included
 * @dev: net_device from alloc_netdev(), with room for a struct ipoib_dev
 *
 * Context: Process context.
 */
void ipoib_netlink_setup(struct net_device *dev)
{
	ipoib_netdev_setup(dev);
	dev->rtnl_link_ops = &link_ops;
}

/*
 * ends_with() says whether an interface ends with its namespace. Because of link_ops.netns_refund
 * the stack moves what is left to the initial namespace: parents, and children as with ib_ipoib.
 * Interfaces on RoCE have no port that they could return to, for the Ethernet device never left.
 * From a tenant's namespace no children return, whoever made them: those of the tenant would take
 * the places of the next one's.
 */
static bool ends_with(const struct ipoib_dev *idev, const struct net *net)
{
	if (ipoib_is_parent(idev))
		return false;
	return !idev->config.parent || net->user_ns != &init_user_ns;
}

static void net_exit_batch(struct list_head *nets)
{
	struct net_device *dev;
	struct net *net;
	LIST_HEAD(kill);

	rtnl_lock();
	list_for_each_entry(net, nets, exit_list) {
		for_each_netdev(net, dev) {
			if (ipoib_netdev_is_ours(dev) && ends_with(netdev_priv(dev), net))
				unregister_netdevice_queue(dev, &kill);
		}
	}
	unregister_netdevice_many(&kill);
	rtnl_unlock();
}

static struct pernet_operations net_ops = {
	.exit_batch = net_exit_batch,
};

/**
 * ipoib_netlink_init - register the link kind
 * @kind: its name; not copied
 *
 * Return: 0; -EEXIST if another driver, such as ib_ipoib, has registered it; or another
 * error of the stack.
 * Context: Process context, module initialisation.
 */
int ipoib_netlink_init(const char *kind)
{
	int err;

	link_ops.kind = kind;
	err = rtnl_link_register(&link_ops);
	if (err == -EEXIST)
		pr_err("link kind %s is taken: unload ib_ipoib first\n", kind);
	if (err)
		return err;

	err = register_pernet_device(&net_ops);
	if (err)
		rtnl_link_unregister(&link_ops);
	return err;
}

/**
 * ipoib_netlink_exit - unregister the link kind, which deletes the interfaces that are left
 *
 * Context: Process context, module exit.
 */
void ipoib_netlink_exit(void)
{
	unregister_pernet_device(&net_ops);
	rtnl_link_unregister(&link_ops);
}
