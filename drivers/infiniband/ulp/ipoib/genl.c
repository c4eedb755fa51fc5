// SPDX-License-Identifier: GPL-2.0
#include "genl.h"

#include <linux/netdevice.h>
#include <net/genetlink.h>
#include <rdma/ipoib_genl.h>

#include "device.h"
#include "netdev.h"

/*
 * Anybody may ask, as anybody may ask rtnetlink for neighbours and addresses; there is no Q_Key in
 * what is answered. No function here may wait for RTNL or for ipoib_dev.lock, which may be held
 * while an HCA is waited for: the core of generic netlink holds a lock meanwhile, for which then
 * every family would wait.
 */

enum {
	GROUP_EVENTS,
};

static const struct genl_multicast_group groups[] = {
	[GROUP_EVENTS] = { .name = IPOIB_GENL_GROUP_EVENTS },
};

/* The attribute of each request; each kind of answer begins with it as well. */
#define REQUEST_IFINDEX	IPOIB_GENL_INTERFACE_IFINDEX

static const struct nla_policy policy[] = {
	[REQUEST_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
};

static struct genl_family family;

/* ---- one interface ----------------------------------------------------- */

static const u32 faults[IPOIB_LINK_STATES] = {
	[IPOIB_LINK_READY]	= IPOIB_GENL_FAULT_NONE,
	[IPOIB_LINK_UNKNOWN]	= IPOIB_GENL_FAULT_UNKNOWN,
	[IPOIB_LINK_QUERY]	= IPOIB_GENL_FAULT_QUERY,
	[IPOIB_LINK_PORT_DOWN]	= IPOIB_GENL_FAULT_PORT_DOWN,
	[IPOIB_LINK_NO_GID]	= IPOIB_GENL_FAULT_NO_GID,
	[IPOIB_LINK_TENTATIVE]	= IPOIB_GENL_FAULT_TENTATIVE_GID,
	[IPOIB_LINK_NO_PKEY]	= IPOIB_GENL_FAULT_NO_PKEY,
	[IPOIB_LINK_NO_SM]	= IPOIB_GENL_FAULT_NO_SM,
	[IPOIB_LINK_BOND]	= IPOIB_GENL_FAULT_BOND,
};

/*
 * All that follows is read without ipoib_dev.lock, so an answer that is made while the interface
 * changes may have some of before and some of after; the event of that change comes later.
 */
static int put_identity(struct sk_buff *skb, const struct ipoib_dev *idev)
{
	const struct ib_device *ibdev = idev->fabric.ibdev;
	char name[IB_DEVICE_NAME_MAX];

	/* The name in struct device may be freed by a rename meanwhile, this array may not. */
	strscpy(name, ibdev->name, sizeof(name));
	if (nla_put_u32(skb, IPOIB_GENL_INTERFACE_IFINDEX, READ_ONCE(idev->dev->ifindex)) ||
	    nla_put_string(skb, IPOIB_GENL_INTERFACE_FABRIC, idev->fabric.ops->name) ||
	    nla_put_string(skb, IPOIB_GENL_INTERFACE_DEVICE, name) ||
	    nla_put_u32(skb, IPOIB_GENL_INTERFACE_PORT, idev->fabric.port) ||
	    nla_put_u16(skb, IPOIB_GENL_INTERFACE_PKEY, READ_ONCE(idev->fabric.pkey)) ||
	    nla_put_u8(skb, IPOIB_GENL_INTERFACE_CONNECTED, READ_ONCE(idev->connected)) ||
	    nla_put_u32(skb, IPOIB_GENL_INTERFACE_QPN, READ_ONCE(idev->qp.qpn)))
		return -EMSGSIZE;
	return 0;
}

static int put_link(struct sk_buff *skb, struct ipoib_dev *idev)
{
	struct ipoib_link link;

	spin_lock_bh(&idev->fabric.lock);
	link = idev->fabric.link;
	spin_unlock_bh(&idev->fabric.lock);

	if (nla_put_u32(skb, IPOIB_GENL_INTERFACE_FAULT, faults[link.state]) ||
	    nla_put_u8(skb, IPOIB_GENL_INTERFACE_LIMITED, ipoib_link_is_limited(&link)) ||
	    nla_put(skb, IPOIB_GENL_INTERFACE_GID, sizeof(link.gid), &link.gid) ||
	    nla_put_u32(skb, IPOIB_GENL_INTERFACE_LID, link.lid) ||
	    nla_put_u32(skb, IPOIB_GENL_INTERFACE_SPEED, link.speed))
		return -EMSGSIZE;
	return 0;
}

static int put_state(struct sk_buff *skb, struct ipoib_dev *idev)
{
	enum ipoib_dev_state state = READ_ONCE(idev->state);
	union ib_gid broadcast;

	__netif_tx_lock_bh(idev->tx.txq);
	broadcast = idev->broadcast;
	__netif_tx_unlock_bh(idev->tx.txq);

	if (nla_put_string(skb, IPOIB_GENL_INTERFACE_STATE,
			   ipoib_fsm_name(&ipoib_dev_fsm, state)) ||
	    nla_put_s32(skb, IPOIB_GENL_INTERFACE_GROUP_ERROR,
			ipoib_mcast_set_error(&idev->mcast)) ||
	    (state != IPOIB_DEV_UP &&
	     nla_put_string(skb, IPOIB_GENL_INTERFACE_REASON, ipoib_dev_reason(idev))) ||
	    nla_put(skb, IPOIB_GENL_INTERFACE_BROADCAST, sizeof(broadcast), &broadcast) ||
	    nla_put_u32(skb, IPOIB_GENL_INTERFACE_MTU, READ_ONCE(idev->max_len)))
		return -EMSGSIZE;
	return 0;
}

static int put_counts(struct sk_buff *skb, struct ipoib_dev *idev)
{
	struct ipoib_conn_set *conns = ipoib_dev_conns_hold(idev);
	unsigned int count = 0;

	if (conns) {
		count = READ_ONCE(conns->count);
		ipoib_conn_set_put(conns);
	}
	if (nla_put_u32(skb, IPOIB_GENL_INTERFACE_PEERS, READ_ONCE(idev->peers.count)) ||
	    nla_put_u32(skb, IPOIB_GENL_INTERFACE_GROUPS, ipoib_mcast_set_count(&idev->mcast)) ||
	    nla_put_u32(skb, IPOIB_GENL_INTERFACE_CONNECTIONS, count) ||
	    nla_put_u32(skb, IPOIB_GENL_INTERFACE_RECOVERIES, READ_ONCE(idev->recoveries)))
		return -EMSGSIZE;
	return 0;
}

static int put_interface(struct sk_buff *skb, struct ipoib_dev *idev, u8 cmd, u32 portid,
			 u32 seq, int flags)
{
	void *hdr = genlmsg_put(skb, portid, seq, &family, flags, cmd);

	if (!hdr)
		return -EMSGSIZE;
	if (put_identity(skb, idev) || put_link(skb, idev) || put_state(skb, idev) ||
	    put_counts(skb, idev)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

/*
 * hold_interface() finds the interface that a request names; the caller gives the reference back.
 */
static struct net_device *hold_interface(struct net *net, const struct nlattr *ifindex,
					 struct netlink_ext_ack *extack)
{
	struct net_device *dev;

	if (!ifindex) {
		NL_SET_ERR_MSG(extack, "of which interface?");
		return ERR_PTR(-EINVAL);
	}
	dev = dev_get_by_index(net, nla_get_u32(ifindex));
	if (!dev) {
		NL_SET_ERR_MSG_ATTR(extack, ifindex, "no such interface");
		return ERR_PTR(-ENODEV);
	}
	if (!ipoib_netdev_is_ours(dev)) {
		dev_put(dev);
		NL_SET_ERR_MSG_ATTR(extack, ifindex, "not an interface of ipoib");
		return ERR_PTR(-EOPNOTSUPP);
	}
	return dev;
}

static int interface_get(struct sk_buff *request, struct genl_info *info)
{
	struct net_device *dev;
	struct sk_buff *skb;
	int err;

	dev = hold_interface(genl_info_net(info), info->attrs[REQUEST_IFINDEX], info->extack);
	if (IS_ERR(dev))
		return PTR_ERR(dev);

	err = -ENOMEM;
	skb = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (skb)
		err = put_interface(skb, netdev_priv(dev), IPOIB_GENL_CMD_INTERFACE_GET,
				    info->snd_portid, info->snd_seq, 0);
	dev_put(dev);
	if (err) {
		nlmsg_free(skb);
		return err;
	}
	return genlmsg_reply(skb, info);
}

/* hold_next() takes a reference of the interface with the lowest index above @ifindex. */
static struct net_device *hold_next(struct net *net, int ifindex)
{
	struct net_device *dev, *next = NULL;

	rcu_read_lock();
	for_each_netdev_rcu(net, dev) {
		if (ipoib_netdev_is_ours(dev) && dev->ifindex > ifindex &&
		    (!next || dev->ifindex < next->ifindex))
			next = dev;
	}
	dev_hold(next);
	rcu_read_unlock();
	return next;
}

/* args[0] is the index of the last interface that was told. */
static int interface_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct net *net = sock_net(skb->sk);
	struct net_device *dev;
	int err = 0;

	while (!err && (dev = hold_next(net, cb->args[0]))) {
		int ifindex = dev->ifindex;

		err = put_interface(skb, netdev_priv(dev), IPOIB_GENL_CMD_INTERFACE_GET,
				    NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				    NLM_F_MULTI);
		if (!err)
			cb->args[0] = ifindex;
		dev_put(dev);
	}
	return skb->len ?: err;
}

static void tell(struct ipoib_dev *idev, struct net *net)
{
	struct sk_buff *skb;

	if (!genl_has_listeners(&family, net, GROUP_EVENTS))
		return;

	skb = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!skb || put_interface(skb, idev, IPOIB_GENL_CMD_INTERFACE_NTF, 0, 0, 0)) {
		nlmsg_free(skb);
		genl_set_err(&family, net, 0, GROUP_EVENTS, -ENOBUFS);
		return;
	}
	genlmsg_multicast_netns(&family, net, skb, 0, GROUP_EVENTS, GFP_KERNEL);
}

/**
 * ipoib_genl_changed - tell who listens if an interface has another state, or another reason
 * @idev: an interface
 *
 * A listener that is too slow loses an event and is told so by the socket (ENOBUFS).
 *
 * Context: Process context; the device's lock is held.
 */
void ipoib_genl_changed(struct ipoib_dev *idev)
{
	struct ipoib_dev_told now = {
		.state = idev->state,
		.link = idev->fabric.link.state,
		.group_error = ipoib_mcast_set_error(&idev->mcast),
	};
	struct net *net;

	lockdep_assert_held(&idev->lock);

	if (now.state == idev->told.state && now.link == idev->told.link &&
	    now.group_error == idev->told.group_error)
		return;
	idev->told = now;

	/* The interface may be leaving a namespace that ends, without waiting for this lock. */
	rcu_read_lock();
	net = maybe_get_net(dev_net(idev->dev));
	rcu_read_unlock();
	if (!net)
		return;
	tell(idev, net);
	put_net(net);
}

/* ---- what an interface knows --------------------------------------------- */

/**
 * struct dump - the part of a table that goes into one message
 * @skb: the message
 * @cb: the dump; its args[0] is the number of entries that earlier parts had
 * @cmd: command of the answers
 * @ifindex: index of the interface
 * @at: number of the next entry
 * @full: @skb has room for none more
 *
 * Entries that come or go between two parts, or change their places, may be missed or told twice.
 */
struct dump {
	struct sk_buff *skb;
	struct netlink_callback *cb;
	u8 cmd;
	u32 ifindex;
	long at;
	bool full;
};

/*
 * entry_begin() returns NULL if an earlier part of the dump had the entry, or a later one has to
 * have it.
 */
static void *entry_begin(struct dump *dump)
{
	void *hdr;

	if (dump->full || dump->at++ < dump->cb->args[0])
		return NULL;
	hdr = genlmsg_put(dump->skb, NETLINK_CB(dump->cb->skb).portid,
			  dump->cb->nlh->nlmsg_seq, &family, NLM_F_MULTI, dump->cmd);
	if (!hdr)
		dump->full = true;
	return hdr;
}

static void entry_end(struct dump *dump, void *hdr, bool fits)
{
	if (!fits) {
		genlmsg_cancel(dump->skb, hdr);
		dump->full = true;
		return;
	}
	genlmsg_end(dump->skb, hdr);
	dump->cb->args[0] = dump->at;
}

static bool put_path(struct sk_buff *skb, const struct ipoib_ah *ah)
{
	if (!ah)
		return true;
	if (ah->dlid && (nla_put_u32(skb, IPOIB_GENL_PEER_DLID, ah->dlid) ||
			 nla_put_u8(skb, IPOIB_GENL_PEER_SL, ah->sl)))
		return false;
	if (!ah->dlid && nla_put(skb, IPOIB_GENL_PEER_DMAC, sizeof(ah->dmac), ah->dmac))
		return false;
	if (ah->rate && nla_put_u32(skb, IPOIB_GENL_PEER_RATE, ah->rate))
		return false;
	if (ah->hop_limit && nla_put_u8(skb, IPOIB_GENL_PEER_HOP_LIMIT, ah->hop_limit))
		return false;
	return ah->mtu == UINT_MAX || !nla_put_u32(skb, IPOIB_GENL_PEER_MTU, ah->mtu);
}

/* ipoib_peertable_walk() calls put_peer() under RCU. */
static void put_peer(void *ctx, const struct ipoib_peer *peer)
{
	struct dump *dump = ctx;
	struct sk_buff *skb = dump->skb;
	void *hdr = entry_begin(dump);

	if (!hdr)
		return;
	entry_end(dump, hdr,
		  !nla_put_u32(skb, IPOIB_GENL_PEER_IFINDEX, dump->ifindex) &&
		  !nla_put(skb, IPOIB_GENL_PEER_ADDRESS, sizeof(peer->addr), &peer->addr) &&
		  !nla_put_string(skb, IPOIB_GENL_PEER_STATE,
				  ipoib_fsm_name(&ipoib_peer_fsm, peer->state)) &&
		  !nla_put_u32(skb, IPOIB_GENL_PEER_IDLE,
			       jiffies_to_msecs(jiffies - READ_ONCE(peer->used))) &&
		  !nla_put_u32(skb, IPOIB_GENL_PEER_WAITING, peer->staged_bytes) &&
		  !nla_put_u32(skb, IPOIB_GENL_PEER_FAILURES, peer->failures) &&
		  put_path(skb, rcu_dereference(peer->ah)));
}

static void put_group(void *ctx, const struct ipoib_mcast *group)
{
	struct dump *dump = ctx;
	struct sk_buff *skb = dump->skb;
	void *hdr = entry_begin(dump);

	if (!hdr)
		return;
	entry_end(dump, hdr,
		  !nla_put_u32(skb, IPOIB_GENL_GROUP_IFINDEX, dump->ifindex) &&
		  !nla_put(skb, IPOIB_GENL_GROUP_MGID, sizeof(group->mgid), &group->mgid) &&
		  !nla_put_string(skb, IPOIB_GENL_GROUP_STATE,
				  ipoib_fsm_name(&ipoib_mcast_fsm, group->state)) &&
		  !nla_put_string(skb, IPOIB_GENL_GROUP_MEMBERSHIP,
				  ipoib_mcast_membership(group)) &&
		  !nla_put_u8(skb, IPOIB_GENL_GROUP_ATTACHED, group->attached) &&
		  !nla_put_u8(skb, IPOIB_GENL_GROUP_ABSENT, ipoib_mcast_is_absent(group)) &&
		  !nla_put_u16(skb, IPOIB_GENL_GROUP_MLID, group->route.mlid) &&
		  !nla_put_u32(skb, IPOIB_GENL_GROUP_FAILURES, group->failures) &&
		  !nla_put_s32(skb, IPOIB_GENL_GROUP_ERROR, group->last_error));
}

static void put_connection(void *ctx, const struct ipoib_conn *conn)
{
	struct dump *dump = ctx;
	struct sk_buff *skb = dump->skb;
	void *hdr = entry_begin(dump);

	if (!hdr)
		return;
	entry_end(dump, hdr,
		  !nla_put_u32(skb, IPOIB_GENL_CONNECTION_IFINDEX, dump->ifindex) &&
		  !nla_put(skb, IPOIB_GENL_CONNECTION_ADDRESS, sizeof(conn->addr), &conn->addr) &&
		  !nla_put_string(skb, IPOIB_GENL_CONNECTION_STATE,
				  ipoib_fsm_name(&ipoib_conn_fsm, READ_ONCE(conn->state))) &&
		  !nla_put_string(skb, IPOIB_GENL_CONNECTION_TRANSPORT,
				  ipoib_conn_type_name(conn)) &&
		  !nla_put_string(skb, IPOIB_GENL_CONNECTION_SERVICE,
				  ipoib_conn_service_name(conn)) &&
		  !nla_put_u8(skb, IPOIB_GENL_CONNECTION_OPENED, conn->active) &&
		  !nla_put_u32(skb, IPOIB_GENL_CONNECTION_QPN, READ_ONCE(conn->qpn)) &&
		  !nla_put_u32(skb, IPOIB_GENL_CONNECTION_MTU, READ_ONCE(conn->mtu)) &&
		  !nla_put_u32(skb, IPOIB_GENL_CONNECTION_AGE,
			       jiffies_to_msecs(jiffies - conn->since)) &&
		  !nla_put_u32(skb, IPOIB_GENL_CONNECTION_IDLE,
			       jiffies_to_msecs(jiffies - READ_ONCE(conn->used))) &&
		  !nla_put_u64_64bit(skb, IPOIB_GENL_CONNECTION_SENT, READ_ONCE(conn->sent),
				     IPOIB_GENL_CONNECTION_PAD) &&
		  !nla_put_u64_64bit(skb, IPOIB_GENL_CONNECTION_RECEIVED,
				     READ_ONCE(conn->received), IPOIB_GENL_CONNECTION_PAD) &&
		  !nla_put_u8(skb, IPOIB_GENL_CONNECTION_ALTERNATE,
			      ipoib_conn_alt_is_loaded(conn)) &&
		  !nla_put_u32(skb, IPOIB_GENL_CONNECTION_MIGRATIONS,
			       READ_ONCE(conn->migrations)) &&
		  !nla_put_u8(skb, IPOIB_GENL_CONNECTION_LINK_CHECKSUMS,
			      READ_ONCE(conn->to.link_sums)));
}

static void walk_connections(struct ipoib_dev *idev, struct dump *dump)
{
	struct ipoib_conn_set *conns = ipoib_dev_conns_hold(idev);

	if (!conns)
		return;
	ipoib_conn_set_walk(conns, put_connection, dump);
	ipoib_conn_set_put(conns);
}

static void put_counter(void *ctx, const char *name, u64 value)
{
	struct dump *dump = ctx;
	struct sk_buff *skb = dump->skb;
	void *hdr = entry_begin(dump);

	if (!hdr)
		return;
	entry_end(dump, hdr,
		  !nla_put_u32(skb, IPOIB_GENL_COUNTER_IFINDEX, dump->ifindex) &&
		  !nla_put_string(skb, IPOIB_GENL_COUNTER_NAME, name) &&
		  !nla_put_u64_64bit(skb, IPOIB_GENL_COUNTER_VALUE, value,
				     IPOIB_GENL_COUNTER_PAD));
}

static int table_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct genlmsghdr *request = nlmsg_data(cb->nlh);
	struct dump dump = { .skb = skb, .cb = cb, .cmd = request->cmd };
	struct net_device *dev;
	struct ipoib_dev *idev;
	int err = 0;

	dev = hold_interface(sock_net(skb->sk),
			     nlmsg_find_attr(cb->nlh, GENL_HDRLEN, REQUEST_IFINDEX),
			     cb->extack);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	idev = netdev_priv(dev);
	dump.ifindex = dev->ifindex;

	switch (dump.cmd) {
	case IPOIB_GENL_CMD_PEER_GET:
		ipoib_peertable_walk(&idev->peers, put_peer, &dump);
		break;
	case IPOIB_GENL_CMD_GROUP_GET:
		ipoib_mcast_set_walk(&idev->mcast, put_group, &dump);
		break;
	case IPOIB_GENL_CMD_CONNECTION_GET:
		walk_connections(idev, &dump);
		break;
	case IPOIB_GENL_CMD_COUNTER_GET:
		err = ipoib_ethtool_walk(idev, put_counter, &dump);
		break;
	}
	dev_put(dev);
	if (!skb->len && dump.full)
		err = -EMSGSIZE;
	return err ?: skb->len;
}

/* ---- the family ---------------------------------------------------------- */

static const struct genl_ops ops[] = {
	{
		.cmd	= IPOIB_GENL_CMD_INTERFACE_GET,
		.doit	= interface_get,
		.dumpit	= interface_dump,
	}, {
		.cmd	= IPOIB_GENL_CMD_PEER_GET,
		.dumpit	= table_dump,
	}, {
		.cmd	= IPOIB_GENL_CMD_GROUP_GET,
		.dumpit	= table_dump,
	}, {
		.cmd	= IPOIB_GENL_CMD_CONNECTION_GET,
		.dumpit	= table_dump,
	}, {
		.cmd	= IPOIB_GENL_CMD_COUNTER_GET,
		.dumpit	= table_dump,
	},
};

static struct genl_family family __ro_after_init = {
	.name		= IPOIB_GENL_NAME,
	.version	= IPOIB_GENL_VERSION,
	.maxattr	= ARRAY_SIZE(policy) - 1,
	.policy		= policy,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.ops		= ops,
	.n_ops		= ARRAY_SIZE(ops),
	.mcgrps		= groups,
	.n_mcgrps	= ARRAY_SIZE(groups),
};

/**
 * ipoib_genl_init - register the family
 *
 * Return: 0, -EEXIST if another module has one of that name, or another error of the core.
 * Context: Process context, module initialisation, before there are interfaces.
 */
int __init ipoib_genl_init(void)
{
	return genl_register_family(&family);
}

/**
 * ipoib_genl_exit - unregister it; waits for requests that are being answered
 *
 * Context: Process context, module exit, when no interface is left.
 */
void ipoib_genl_exit(void)
{
	genl_unregister_family(&family);
}
