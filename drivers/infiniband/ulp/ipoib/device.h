/* SPDX-License-Identifier: GPL-2.0 */
/* One interface: all its parts, and what state they are in together. */
#ifndef _IPOIB_DEVICE_H
#define _IPOIB_DEVICE_H

#include <linux/mutex.h>
#include <linux/netdevice.h>

#include "connset.h"
#include "dev_fsm.h"
#include "fabric.h"
#include "mcastset.h"
#include "peertable.h"
#include "qp.h"
#include "stats.h"
#include "toobig.h"
#include "ud_rx.h"
#include "ud_tx.h"
#include "users.h"
#include "wire.h"

/* Bits of ipoib_dev.pending: what the control work has to see to. */
enum ipoib_dev_pending {
	IPOIB_DEV_LOOK,		/* look at the port */
	IPOIB_DEV_GROUP,	/* the broadcast group has news */
	IPOIB_DEV_QP_FAILED,	/* the QP does not work any more */
	IPOIB_DEV_CONNS,	/* connections are wanted, and failed to start */
	IPOIB_DEV_ANNOUNCE,	/* the stack knows that there is a carrier */
	IPOIB_DEV_PATHS,	/* paths may lead elsewhere now */
};

struct ipoib_dev;

/**
 * struct ipoib_dev_config - what an interface is made of
 * @fabric_ops: kind of network
 * @fabric: port, P_Key and so on
 * @conn_wq: runs what connections do, which may block
 * @pd: protection domain of the port
 * @parent: interface that this one is a child of, or NULL; referenced from
 *	ipoib_dev_init() on
 * @scope: scope of the link's groups, 0 if it has to be found
 * @acquire: the interface uses the port from now on. RTNL held
 * @detach: the interface is going, tell it of no more events. RTNL held
 * @claim: may the interface have this P_Key from now on? Not if another one of the
 *	port has it. RTNL held
 * @release: the interface no longer uses the port; called last
 * @port: context of these four
 */
struct ipoib_dev_config {
	const struct ipoib_fabric_ops *fabric_ops;
	struct ipoib_fabric_config fabric;
	struct workqueue_struct *conn_wq;
	struct ib_pd *pd;
	struct net_device *parent;
	u8 scope;
	void (*acquire)(void *port);
	void (*detach)(void *port, struct ipoib_dev *idev);
	bool (*claim)(void *port, struct ipoib_dev *idev, u16 pkey);
	void (*release)(void *port);
	void *port;
};

/**
 * struct ipoib_dev - one interface, netdev_priv() of its net_device
 * @peers: destinations; first because every packet needs them
 * @tx: send ring of the UD QP
 * @rx: receive ring of the UD QP
 * @conns: connections, NULL in datagram mode and while the link is down; TX
 *	lock
 * @dev: the net_device
 * @max_len: longest IP packet of the link, octets; any context reads it
 * @drops: why packets were dropped
 * @config: what was asked for; constant
 * @users: what still needs the interface
 * @qp: the UD QP
 * @fabric: the network behind the port
 * @mcast: groups
 * @broadcast: MGID of the broadcast group; follows P_Key and scope. Written under
 *	@lock and the TX lock
 * @parent_tracker: tracks the reference of the parent
 * @on_port: entry of the port's list of interfaces; the port's
 * @debugfs: directory with read-only views
 * @umcast: user space joins groups by itself; RTNL
 * @connected: connections are wanted; RTNL, any context reads it
 * @offer: IPOIB_OFFER_RC and IPOIB_OFFER_UC; RTNL, any context reads it
 * @conn_limit: connections at a time; RTNL, any context reads it
 * @conn_idle_ms: connections idle for so long are closed, ms; any context
 * @conn_rx: what connections have received
 * @conn_tx: what they have sent
 * @toobig: packets that are too long for their peers
 * @conns_failed: connections are wanted, and there can be none for now; @lock,
 *	senders read it
 * @user_mtu: MTU the user asked for, 0 to follow the link; RTNL
 * @mtu_is_ours: a change of MTU under way is the driver's; RTNL
 * @announce: neighbours do not know our address yet; RTNL, @ctl looks first
 * @looked_at: jiffies of the last look at the port; any context
 * @paths_at: jiffies when paths were last said to lead elsewhere; any context
 * @pending: bits of enum ipoib_dev_pending
 * @ctl: sees to them
 * @later: queues @ctl when something is worth another try
 * @lock: protects what follows, the state of @qp, and starting and stopping
 *	of @tx, @rx, @peers and @mcast; nests inside RTNL, never the reverse
 * @state: see dev_fsm.h
 * @unfit: why there is no link, as it was last logged since going up
 * @armed: the QP is in the INIT state or beyond
 * @rings: @tx and @rx have slots and NAPI enabled
 * @group_mtu: of the broadcast group, as MTU of IP, octets
 * @group_error: why it was not joined when that was last logged
 * @qkey: of the broadcast group
 * @later_at: jiffies when @later runs, if it is queued
 * @gid_away: the GID of the link, on InfiniBand, was not there at the last look
 * @gid_away_since: jiffies of the first look at which it was not
 * @retries: looks in a row after which there was no link
 * @recoveries: times the QP was brought back
 * @recover_failures: recoveries in close succession
 * @recover_at: jiffies before which the QP is not brought back again
 *
 * Made by ipoib_dev_init() under RTNL when the net_device is registered,
 * taken apart by ipoib_dev_exit() when its last reference is gone.
 */
struct ipoib_dev {
	struct ipoib_peertable peers;
	struct ipoib_ud_tx tx;
	struct ipoib_ud_rx rx;
	struct ipoib_connset *conns;
	struct net_device *dev;
	unsigned int max_len;
	struct ipoib_drops drops;

	struct ipoib_dev_config config;
	struct ipoib_users users;
	struct ipoib_qp qp;
	struct ipoib_fabric fabric;
	struct ipoib_mcastset mcast;
	union ib_gid broadcast;
	netdevice_tracker parent_tracker;
	struct list_head on_port;
	struct dentry *debugfs;
	bool umcast;
	bool connected;
	unsigned int offer;
	unsigned int conn_limit;
	u32 conn_idle_ms;
	struct ipoib_rx_stats __percpu *conn_rx;
	struct ipoib_tx_stats conn_tx;
	struct ipoib_toobig toobig;
	bool conns_failed;
	unsigned int user_mtu;
	bool mtu_is_ours;
	bool announce;
	unsigned long looked_at;
	unsigned long paths_at;

	unsigned long pending;
	struct work_struct ctl;
	struct delayed_work later;
	struct mutex lock;	/* state, QP, start and stop of the rest */
	enum ipoib_dev_state state;
	enum ipoib_unfit unfit;
	bool armed;
	bool rings;
	unsigned int group_mtu;
	int group_error;
	u32 qkey;
	unsigned long later_at;
	bool gid_away;
	unsigned long gid_away_since;
	u32 retries;
	u32 recoveries;
	u32 recover_failures;
	unsigned long recover_at;
};

int ipoib_dev_init(struct ipoib_dev *idev);
void ipoib_dev_kill(struct ipoib_dev *idev);
void ipoib_dev_exit(struct ipoib_dev *idev);

void ipoib_dev_open(struct ipoib_dev *idev);
void ipoib_dev_stop(struct ipoib_dev *idev);
void ipoib_dev_kick(struct ipoib_dev *idev, enum ipoib_dev_pending what);
void ipoib_dev_kick_later(struct ipoib_dev *idev, enum ipoib_dev_pending what,
			  unsigned long delay);
void ipoib_dev_refresh(struct ipoib_dev *idev, const union ib_gid *gid,
		       unsigned long age);
void ipoib_dev_look_soon(struct ipoib_dev *idev);
unsigned int ipoib_dev_link_mtu(const struct ipoib_dev *idev);
void ipoib_dev_follow_mode(struct ipoib_dev *idev, unsigned int mtu);
int ipoib_dev_change_mtu(struct ipoib_dev *idev, int mtu);

#endif /* _IPOIB_DEVICE_H */
