/* SPDX-License-Identifier: GPL-2.0 */
/* An interface: its parts, and the state that they are in together. */
#ifndef _IPOIB_DEVICE_H
#define _IPOIB_DEVICE_H

#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>

#include "ah.h"
#include "apart.h"
#include "conn_set.h"
#include "dev_chans.h"
#include "fabric.h"
#include "fsm.h"
#include "mcast_set.h"
#include "moder.h"
#include "peer.h"
#include "pmtu.h"
#include "qp.h"
#include "stats.h"
#include "ud_rx.h"
#include "ud_tx.h"
#include "usecnt.h"
#include "wire.h"

/* Bits of ipoib_dev.pending: events for ctl_work(). */
enum ipoib_dev_pending {
	IPOIB_DEV_QUERY_PORT,	/* query the port */
	IPOIB_DEV_GROUP,	/* the broadcast group was joined, refused or lost */
	IPOIB_DEV_QP_FAILED,	/* the UD QP that receives has failed */
	IPOIB_DEV_CHAN_FAILED,	/* the UD QP of another channel has failed */
	IPOIB_DEV_CQ_FAILED,	/* one of the CQs of the UD QP has failed */
	IPOIB_DEV_CONNS,	/* a CQ of connections failed, or they could not be started */
	IPOIB_DEV_ANNOUNCE,	/* tell neighbours our address, if they do not know it */
};

struct ipoib_dev;
struct ipoib_port;

/* The stack's watchdog calls ndo_tx_timeout() if the queue has been stopped for longer. */
#define IPOIB_TX_TIMEOUT	(10 * HZ)

/**
 * struct ipoib_dev_config - what an interface is made of
 * @conn_wq: work queue of connections, whose works may block
 * @conn_turns: limits of CM messages of the port
 * @pd: protection domain of the port
 * @uc: the device has UC queue pairs, too
 * @parent: interface that this one is a child of, or NULL; referenced from
 *	ipoib_dev_init() on
 * @by_sysfs: a child that create_child has made; delete_child takes it before others
 * @channels: how many channels the user wants; 0 if he has not said
 * @scope: scope of the groups of the link; 0 if it has to be searched for
 * @port: the port; one of its @users from ipoib_dev_init() on
 */
struct ipoib_dev_config {
	struct workqueue_struct *conn_wq;
	struct ipoib_turns *conn_turns;
	struct ib_pd *pd;
	bool uc;
	struct net_device *parent;
	bool by_sysfs;
	unsigned int channels;
	u8 scope;
	struct ipoib_port *port;
};

/**
 * struct ipoib_dev_told - what the last event of an interface said
 * @state: its state
 * @link: whether the port could carry the link, and why not
 * @group_error: why the broadcast group was not joined
 */
struct ipoib_dev_told {
	enum ipoib_dev_state state;
	enum ipoib_link_state link;
	int group_error;
};

/**
 * struct ipoib_dev - one interface, netdev_priv() of its net_device
 * @peers: table of destinations; first because every packet needs it
 * @txs: send ring of each channel, by the number of its queue; constant. The first is @tx, whose
 *	TX lock is meant where no queue is named
 * @tx: send ring of the UD QP that receives
 * @rx: receive ring of the UD QP
 * @conns: @conn_set if packets are sent by it, which is connected mode; otherwise NULL; written
 *	under @lock and the TX lock. What was read under the TX lock of any queue may be used
 *	until that is given up, see set_conn_set()
 * @dev: the net_device
 * @max_len: longest IP packet that goes as a datagram, octets; any context reads it
 * @drops: drop counters
 * @config: what the interface is made of; constant
 * @users: use count of the interface, for which ipoib_dev_exit() waits
 * @qp: the UD QP that receives
 * @ah_bin: retired address handles
 * @chans: the channels after the first; constant
 * @chan_count: how many channels send, the first included; @lock
 * @spread: CPUs have been spread over the channels; RTNL
 * @fabric: the fabric as this interface sees it
 * @mcast: set of groups
 * @broadcast: MGID of the broadcast group; follows P_Key and scope. Written under
 *	@lock and the TX lock
 * @parent_tracker: tracks the reference of the parent
 * @on_port: entry of ipoib_port.devs; RTNL and ports_lock of port.c
 * @debugfs: directory of the interface in debugfs
 * @children_stay: children do not go up and down with the interface; RTNL
 * @rx_slots: buffers on @rx; RTNL and @lock
 * @tx_slots: packets on the send ring of each channel; likewise
 * @rx_moder: moderation of all queues that packets are received by
 * @tx_moder: moderation of all queues of sends
 * @umcast: groups that programs have joined are left to them; RTNL
 * @connected: connected mode is set; RTNL, any context reads it
 * @offer: IPOIB_OFFER_RC, IPOIB_OFFER_UC, both or none; RTNL, any context reads it
 * @opener_sends: on RC we send only by connections that we have opened; RTNL, any context reads
 *	it
 * @link_sums: checksums are left to the link where the peer of a connection agrees; likewise
 * @conn_limit: how many connections there may be at a time; RTNL, any context reads it
 * @conn_idle_ms: idle time after which a connection is closed, ms; any context
 * @conn_rx: counters of packets received by connections
 * @bundles: the bundles of its connections, as many as it could have queues; constant
 * @refused: counters of rejected REQs
 * @pmtu: packets that are too long for their peers
 * @conn_set: connections, which peers may open in either mode; NULL while the link is down, and
 *	if @offer is none; written under @lock and the TX lock
 * @conn_sets: how many there are, those that are ending included
 * @conn_share: share of their connections in the turns of the port
 * @conns_failed: connections could not be started; @lock
 * @user_mtu: MTU that the user has set, 0 to follow the link; RTNL
 * @unsaid_mtu: MTU that the user has set last, 0 once the log has said that it is too much; RTNL
 * @adopted_mtu: MTU of the link that the net_device was given last, 0 for none; RTNL, but @ctl
 *	reads it before it takes that
 * @mtu_is_ours: the driver itself is changing the MTU; RTNL
 * @left_addr: a link-layer address from before the present one: that which a bond still has if
 *	@bond_due; @ctl
 * @left_at: jiffies when it was left; @ctl
 * @bond_due: a bond is to notice that it was; @ctl
 * @lid: LID that the port had when it was ready last; 0 on RoCE, and before; @ctl
 * @announce: how often neighbours have still to be told our address; @ctl
 * @announce_at: jiffies of the next time; @ctl
 * @queried_at: jiffies of the last query of the port; any context
 * @paths_at: jiffies when paths were last put in doubt; any context
 * @paths: paths_work(), which has paths queried again a little later
 * @pending: bits of enum ipoib_dev_pending
 * @ctl: ctl_work(), which handles @pending
 * @later: dev_later_work(), which queues @ctl for another try
 * @lock: protects what follows, the state of @qp, and starting and stopping
 *	of @tx, @rx, @peers and @mcast; nests inside RTNL, never the reverse
 * @state: see enum ipoib_dev_state
 * @logged: the last logged reason for having no link; IPOIB_LINK_READY after going up
 * @limited: the log has said that the port is a limited member of the partition; false after
 *	going up
 * @told: what listeners were last told, see ipoib_genl_changed()
 * @armed: the QP is in the INIT state or beyond
 * @reset_due: the QP has to be reset before it is armed, because the provider has refused
 *	something
 * @renewal_due: the QP and its CQs have to be replaced before it is armed, because a CQ has
 *	failed, or the QP cannot be used again
 * @renewed: the QP was replaced, and the link-layer address may be that of the one before; only
 *	ctl_work()
 * @rings: @tx and @rx have slots, and their NAPI instances are enabled
 * @rings_held: @tx and @rx have slots that the HCA may still use; nothing runs
 * @group_mtu: MTU of IP that the broadcast group allows, octets; 0 if unknown
 * @group_error: the last logged reason for not having joined the broadcast group
 * @qkey: Q_Key of the broadcast group
 * @later_at: jiffies when @later runs, if it is queued
 * @gid_away: InfiniBand: the last query found the GID of the link missing
 * @gid_away_since: jiffies of the first query that found it missing
 * @retries: queries of the port in a row that ended without a link
 * @recoveries: how often recovering the QP was tried
 * @tx_timeouts: times the stack's watchdog found that nothing was sent; only it writes
 * @recover_failures: recoveries that followed each other closely
 * @recover_at: jiffies before which the QP is not recovered again
 *
 * ipoib_dev_init() makes it under RTNL when the net_device is registered; ipoib_dev_exit()
 * takes it apart when the last reference to that is gone.
 */
struct ipoib_dev {
	struct ipoib_peertable peers;
	struct ipoib_ud_tx *txs[IPOIB_MAX_CHANNELS];
	struct ipoib_ud_tx tx;
	struct ipoib_ud_rx rx;
	struct ipoib_conn_set *conns;
	struct net_device *dev;
	unsigned int max_len;
	struct ipoib_drops drops;

	struct ipoib_dev_config config;
	struct ipoib_usecnt users;
	struct ipoib_qp qp;
	struct ipoib_ah_bin ah_bin;
	struct ipoib_chan *chans;
	unsigned int chan_count;
	bool spread;
	struct ipoib_fabric fabric;
	struct ipoib_mcast_set mcast;
	union ib_gid broadcast;
	netdevice_tracker parent_tracker;
	struct list_head on_port;
	struct dentry *debugfs;
	bool children_stay;
	u32 rx_slots;
	u32 tx_slots;
	struct ipoib_coalesce rx_moder;
	struct ipoib_coalesce tx_moder;
	bool umcast;
	bool connected;
	unsigned int offer;
	bool opener_sends;
	bool link_sums;
	unsigned int conn_limit;
	u32 conn_idle_ms;
	struct ipoib_rx_stats __percpu *conn_rx;
	struct ipoib_bundle *bundles;
	struct ipoib_refused refused;
	struct ipoib_pmtu pmtu;
	struct ipoib_conn_set *conn_set;
	atomic_t conn_sets;
	struct ipoib_turn_share conn_share;
	bool conns_failed;
	unsigned int user_mtu;
	unsigned int unsaid_mtu;
	unsigned int adopted_mtu;
	bool mtu_is_ours;
	struct ipoib_hwaddr left_addr;
	unsigned long left_at;
	bool bond_due;
	u32 lid;
	unsigned int announce;
	unsigned long announce_at;
	unsigned long queried_at;
	unsigned long paths_at;
	struct delayed_work paths;

	unsigned long pending;
	struct work_struct ctl;
	struct delayed_work later;
	struct mutex lock;	/* state, QP, start and stop of the rest */
	enum ipoib_dev_state state;
	enum ipoib_link_state logged;
	bool limited;
	struct ipoib_dev_told told;
	bool armed;
	bool reset_due;
	bool renewal_due;
	bool renewed;
	bool rings;
	bool rings_held;
	unsigned int group_mtu;
	int group_error;
	u32 qkey;
	unsigned long later_at;
	bool gid_away;
	unsigned long gid_away_since;
	u32 retries;
	u32 recoveries;
	u32 tx_timeouts;
	u32 recover_failures;
	unsigned long recover_at;
};

/*
 * The first channel writes @tx and @rx for each packet. What all channels read for each packet lies
 * before and behind the two, and must have no cache line in common with them, nor with @users. That
 * is so if netdev_priv() begins with a line, as it does but for Linux 6.8 to 6.10.
 */
static_assert(IPOIB_APART(struct ipoib_dev, txs, tx));
static_assert(IPOIB_APART(struct ipoib_dev, conns, rx));
static_assert(IPOIB_APART(struct ipoib_dev, conns, users));

static inline struct ipoib_dev *ipoib_peertable_dev(struct ipoib_peertable *table)
{
	return container_of(table, struct ipoib_dev, peers);
}

static inline struct ipoib_dev *ipoib_mcast_set_dev(struct ipoib_mcast_set *set)
{
	return container_of(set, struct ipoib_dev, mcast);
}

int ipoib_dev_init(struct ipoib_dev *idev);
void ipoib_dev_kill(struct ipoib_dev *idev);
void ipoib_dev_exit(struct ipoib_dev *idev);

void ipoib_dev_open(struct ipoib_dev *idev);
void ipoib_dev_stop(struct ipoib_dev *idev);
void ipoib_dev_kick(struct ipoib_dev *idev, enum ipoib_dev_pending what);
void ipoib_dev_kick_later(struct ipoib_dev *idev, enum ipoib_dev_pending what,
			  unsigned long delay);
void ipoib_dev_report(struct ipoib_dev *idev, enum ipoib_report report,
		      const union ib_gid *gid);
void ipoib_dev_doubt_paths(struct ipoib_dev *idev, unsigned long delay);
const char *ipoib_dev_reason(struct ipoib_dev *idev);
void ipoib_dev_query_port(struct ipoib_dev *idev);
unsigned int ipoib_dev_rx_mtu(const struct ipoib_dev *idev);
unsigned int ipoib_dev_link_mtu(const struct ipoib_dev *idev);
int ipoib_dev_set_addr(struct ipoib_dev *idev, const struct ipoib_hwaddr *addr);
void ipoib_dev_follow_mode(struct ipoib_dev *idev, unsigned int mtu);
int ipoib_dev_change_mtu(struct ipoib_dev *idev, int mtu);
int ipoib_dev_resize_rings(struct ipoib_dev *idev, u32 rx_slots, u32 tx_slots);
int ipoib_dev_moderate(struct ipoib_dev *idev, const struct ipoib_coalesce *rx,
		       const struct ipoib_coalesce *tx);

/* Connections of an interface: their settings, and when there may be some. */
int ipoib_dev_conns_init(struct ipoib_dev *idev);
void ipoib_dev_conns_exit(struct ipoib_dev *idev);

void ipoib_dev_conns_start(struct ipoib_dev *idev);
void ipoib_dev_conns_stop(struct ipoib_dev *idev);
void ipoib_dev_conns_check(struct ipoib_dev *idev);
void ipoib_dev_conns_refresh(struct ipoib_dev *idev, const union ib_gid *gid,
			     unsigned long age);
void ipoib_dev_conns_follow(struct ipoib_dev *idev, const struct ipoib_hwaddr *addr,
			    const struct sa_path_rec *path);
struct ipoib_conn_set *ipoib_dev_conns_hold(struct ipoib_dev *idev);
u8 ipoib_dev_conns_flags(const struct ipoib_dev *idev);

void ipoib_dev_conns_set_mode(struct ipoib_dev *idev, bool connected);
int ipoib_dev_conns_set_offer(struct ipoib_dev *idev, unsigned int offer, bool opener_sends,
			      bool link_sums);
int ipoib_dev_conns_set_limit(struct ipoib_dev *idev, unsigned int limit);

#endif /* _IPOIB_DEVICE_H */
