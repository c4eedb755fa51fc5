/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interface to the network behind a port: it tells whether the port can carry the
 * link, finds the path to a peer, and joins groups. InfiniBand and RoCE implement the
 * same operations, so the callers of this header need not know whether there is an SA.
 */
#ifndef _IPOIB_FABRIC_H
#define _IPOIB_FABRIC_H

#include <linux/etherdevice.h>
#include <linux/jhash.h>
#include <linux/netdevice.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_sa.h>
#include <rdma/ib_verbs.h>

#include "addr.h"
#include "sa.h"
#include "turns.h"
#include "usecnt.h"

struct ipoib_fabric;

/* Can a port carry the link? If not, why? Words are in ipoib_link_state_text(). */
enum ipoib_link_state {
	IPOIB_LINK_READY,
	IPOIB_LINK_UNKNOWN,
	IPOIB_LINK_QUERY,
	IPOIB_LINK_PORT_DOWN,
	IPOIB_LINK_NO_GID,
	IPOIB_LINK_TENTATIVE,
	IPOIB_LINK_NO_PKEY,
	IPOIB_LINK_NO_SM,
	IPOIB_LINK_BOND,
	IPOIB_LINK_STATES
};

/* IPOIB_LIMITED_TEXT says what a limited member of a partition can do, for log and debugfs. */
#define IPOIB_LIMITED_TEXT \
	"only full members of the partition can be reached (RFC 4391 section 4)"

/**
 * struct ipoib_link - state of a port, as the operations @find_gid and @query_port find it
 * @state: IPOIB_LINK_READY, or why the port cannot carry the link
 * @gid: GID of the port that the link-layer address names
 * @gid_attr: entry of @gid in the port's table, referenced; NULL if there is none
 * @pkey: P_Key of the link, membership bit set
 * @pkey_index: index of @pkey in the port's table
 * @pkey_entry: the entry there, see ipoib_fabric_find_pkey(); 0 if there is none
 * @lid: LID of the port, 0 on RoCE
 * @lmc: the port has 2^@lmc LIDs, beginning with @lid
 * @mtu: largest IP packet that the port can send, octets; 0 if unknown
 * @speed: speed of the port, Mbit/s; 0 if unknown
 * @pkey_violations: P_Key violations that the port counted
 * @qkey_violations: Q_Key violations that the port counted
 */
struct ipoib_link {
	enum ipoib_link_state state;
	union ib_gid gid;
	const struct ib_gid_attr *gid_attr;
	u16 pkey;
	u16 pkey_index;
	u16 pkey_entry;
	u32 lid;
	u8 lmc;
	unsigned int mtu;
	u32 speed;
	u32 pkey_violations;
	u32 qkey_violations;
};

/**
 * struct ipoib_route - how to reach a peer or a group
 * @attr: address vector
 * @qkey: Q_Key of the group; 0 for a peer, to which packets have the Q_Key of the link
 * @mlid: LID of the group for ipoib_qp_attach(); 0 for a peer and on RoCE
 * @mtu: largest IP packet that the path carries, octets; may be more than the link allows
 * @opening: a group that was joined a moment ago, which switches may not know yet; only set for
 *	ipoib_peer_answer()
 * @path: path record for the CM, valid as long as the route itself; NULL for a group
 */
struct ipoib_route {
	struct rdma_ah_attr attr;
	u32 qkey;
	u16 mlid;
	unsigned int mtu;
	bool opening;
	struct sa_path_rec *path;
};

struct ipoib_request;

/* Entries of the table of ports that ipoib_fabric_heard() remembers; a power of two. */
#define IPOIB_HEARD_PORTS	256

/* Kinds of requests, each of which has a limit and a rate of its own (turns.h). */
enum ipoib_question {
	IPOIB_ASK_PATH,
	IPOIB_ASK_GROUP,
	IPOIB_ASK_LIST,
	IPOIB_QUESTIONS
};

/**
 * struct ipoib_request_owner - functions and context of the owner of a request
 * @ctx: argument of all functions
 * @done: called with the answer: @err is 0 and @route is valid during the call (NULL
 *	for a list of groups), or @err is negative: -ENOENT if there is no such group,
 *	-ETIMEDOUT if there is no answer. If a membership that was granted is lost,
 *	@done is called a second time, with -ENETRESET; after an error it is not called
 *	again. Process context, may sleep, may call the fabric. The owner may have called
 *	ipoib_request_end() already: a late call is possible until @release
 * @each: called for each group of a list; NULL for other requests. Process context,
 *	must not sleep
 * @release: called exactly once, as the last of these functions: the request is over
 *	and the fabric no longer uses @ctx. Process context, may sleep
 */
struct ipoib_request_owner {
	void *ctx;
	void (*done)(void *ctx, int err, const struct ipoib_route *route);
	void (*each)(void *ctx, const union ib_gid *mgid);
	void (*release)(void *ctx);
};

/**
 * struct ipoib_request - a request to the fabric, or a membership that it led to
 * @fabric: fabric that was asked
 * @owner: functions and context of the owner
 * @gid: GID of the peer or of the group
 * @sgid_attr: the link's GID when the request was made, referenced
 * @ended: the owner has called ipoib_request_end() and wants no answer any more
 * @turns: limits of requests of this kind
 * @turn: place of the request among those; its @wq runs @start and @finish
 * @start: work that asks; queued when @turn is granted
 * @finish: work that undoes what @start began, and frees the request
 *
 * Made by the operations @path, @alt_path, @group, @find and @list. The owner gives it back with
 * ipoib_request_end(), which never waits. A membership lasts as long as its request.
 */
struct ipoib_request {
	struct ipoib_fabric *fabric;
	struct ipoib_request_owner owner;
	union ib_gid gid;
	const struct ib_gid_attr *sgid_attr;
	bool ended;
	struct ipoib_turns *turns;
	struct ipoib_turn turn;
	struct delayed_work start;
	struct work_struct finish;
};

/**
 * enum ipoib_membership - JoinState that an interface asks for
 * @IPOIB_SEND_ONLY: SendOnlyNonMember: the interface only sends to the group
 * @IPOIB_NON_MEMBER: NonMember: the interface receives what is sent to the group, but does
 *	not keep the group alive; for multicast routers
 * @IPOIB_FULL_MEMBER: FullMember: the interface receives, and the group is made if there
 *	is none (but not the broadcast group)
 */
enum ipoib_membership {
	IPOIB_SEND_ONLY,
	IPOIB_NON_MEMBER,
	IPOIB_FULL_MEMBER,
};

#define IPOIB_MEMBERSHIPS	(IPOIB_FULL_MEMBER + 1)

/**
 * enum ipoib_report - events that the fabric reports
 * @IPOIB_REPORT_GROUP: a group was created
 * @IPOIB_REPORT_NO_GROUP: a group was deleted
 * @IPOIB_REPORT_NODE: a port can be reached now
 * @IPOIB_REPORT_MISSED: reports may have been lost
 * @IPOIB_REPORT_LINK: the broadcast group has other parameters
 */
enum ipoib_report {
	IPOIB_REPORT_GROUP,
	IPOIB_REPORT_NO_GROUP,
	IPOIB_REPORT_NODE,
	IPOIB_REPORT_MISSED,
	IPOIB_REPORT_LINK,
};

/**
 * struct ipoib_fabric_ops - operations of one kind of network
 * @name: name for messages and debugfs
 * @pkeys_come: an interface may be made before its P_Key is in the port's table
 * @rewrites_gids: GIDs of a port may disappear from its table for a moment, while the
 *	RDMA core writes them anew
 * @opens_late: a join is answered before all switches know the group
 * @is_on: tell whether the port belongs to this Ethernet device; NULL if ports of this
 *	kind have no Ethernet device. Any context but hard interrupt
 * @open_port: make what the interfaces of a port share, for @shared of
 *	struct ipoib_fabric; NULL if they share nothing. Process context
 * @close_port: undo @open_port after the last interface has gone. Process
 *	context, may sleep
 * @port_event: take notice of an event of the RDMA device. Atomic
 * @find_gid: find only GID and P_Key index, without a query of the port; atomic, any
 *	context but hard interrupt
 * @query_port: fill in the whole link. Process context, sleeps, RTNL not held:
 *	soft-RoCE takes RTNL when a port is queried
 * @path: ask for the path to a port. Any context but hard interrupt
 * @alt_path: ask for an alternate path (IBTA 17.2.8): to the same port as a given path,
 *	by other LIDs of both ports. -EOPNOTSUPP if the local port has one LID only or the
 *	device cannot migrate paths; NULL if this kind of network has no alternate paths.
 *	Any context but hard interrupt
 * @group: ask to join a group; if @create, and there is none, a FullMember creates it. Any context
 *	but hard interrupt
 * @is_users: has a program joined the group, by the RDMA core, and none of our interfaces on the
 *	port? NULL if this kind of network cannot tell. Any context but hard interrupt
 * @find: ask whether a group exists that the port is in, and for the route to it,
 *	without joining it; NULL if this kind of network cannot tell. Any context but hard
 *	interrupt
 * @list: ask for all groups of the partition; NULL if this kind of network cannot tell.
 *	Any context but hard interrupt
 * @subscribe: begin to call ipoib_dev_report(); NULL if this kind of network has no
 *	reports. Process context
 * @unsubscribe: stop calling it; waits for a call under way. Process context
 */
struct ipoib_fabric_ops {
	const char *name;
	bool pkeys_come;
	bool rewrites_gids;
	bool opens_late;
	bool (*is_on)(struct ib_device *ibdev, u32 port,
		      const struct net_device *lower);
	void *(*open_port)(struct ib_device *ibdev, u32 port);
	void (*close_port)(void *shared);
	void (*port_event)(void *shared, enum ib_event_type event);
	void (*find_gid)(struct ipoib_fabric *fabric, struct ipoib_link *link);
	void (*query_port)(struct ipoib_fabric *fabric, struct ipoib_link *link);
	struct ipoib_request *(*path)(struct ipoib_fabric *fabric,
				      const union ib_gid *dgid,
				      const struct ipoib_request_owner *owner);
	struct ipoib_request *(*alt_path)(struct ipoib_fabric *fabric,
					  struct sa_path_rec *path,
					  const struct ipoib_request_owner *owner);
	struct ipoib_request *(*group)(struct ipoib_fabric *fabric,
				       const union ib_gid *mgid,
				       enum ipoib_membership membership, bool create,
				       const struct ipoib_request_owner *owner);
	bool (*is_users)(struct ipoib_fabric *fabric, const union ib_gid *mgid);
	struct ipoib_request *(*find)(struct ipoib_fabric *fabric,
				      const union ib_gid *mgid,
				      const struct ipoib_request_owner *owner);
	struct ipoib_request *(*list)(struct ipoib_fabric *fabric,
				      const struct ipoib_request_owner *owner);
	void (*subscribe)(struct ipoib_fabric *fabric);
	void (*unsubscribe)(struct ipoib_fabric *fabric);
};

/**
 * struct ipoib_fabric - the network behind one interface
 * @ops: operations of its kind of network
 * @ibdev: RDMA device
 * @port: port number
 * @lower: Ethernet device of a RoCE port, referenced; NULL on InfiniBand
 * @lower_tracker: tracks the reference of @lower
 * @shared: what @open_port of @ops made
 * @first_pkey: the P_Key of the link is the first one of the port's table
 * @pkey: P_Key of the link, membership bit set; changes only if @first_pkey is set,
 *	under RTNL and ipoib_dev.lock; any context reads it
 * @pinned_gid: GID that the user chose; all zero if any GID will do; see
 *	ipoib_fabric_pin_gid()
 * @group_sl: paths get the service level of the broadcast group instead of the one that
 *	the SA answers; written under RTNL, read when a path is found
 * @wq: work queue that runs requests; unbound, shared by all interfaces of the port
 * @ctl_wq: work queue for work that takes RTNL or queries the port; unbound and shared
 *	likewise
 * @users: use count of the interface; each request holds one
 * @shares: shares of the interface in the limits of turns.h, by enum ipoib_question
 * @doubtful: on RoCE, share for paths to ports that ipoib_fabric_heard() does not know
 * @heard: hashes of GIDs that packets came from, see ipoib_fabric_heard()
 * @subscriber: subscription to reports of the SA, for @subscribe on InfiniBand
 * @lock: protects @link, @broadcast and @pinned_gid
 * @link: the link as it is used now, see ipoib_fabric_set_link()
 * @broadcast: MCMemberRecord of the broadcast group, whose parameters all groups get;
 *	only used on InfiniBand
 *
 * Part of struct ipoib_dev, with the same lifetime. What is constant, @pkey and @pinned_gid are
 * set by whoever makes the interface, the rest by ipoib_fabric_init().
 */
struct ipoib_fabric {
	const struct ipoib_fabric_ops *ops;
	struct ib_device *ibdev;
	u32 port;
	struct net_device *lower;
	netdevice_tracker lower_tracker;
	void *shared;
	bool first_pkey;
	u16 pkey;
	union ib_gid pinned_gid;
	bool group_sl;
	struct workqueue_struct *wq;
	struct workqueue_struct *ctl_wq;
	struct ipoib_usecnt *users;
	struct ipoib_turn_share shares[IPOIB_QUESTIONS];
	struct ipoib_turn_share doubtful;
	u32 heard[IPOIB_HEARD_PORTS];
	struct ipoib_sa_subscriber subscriber;
	spinlock_t lock;	/* link, broadcast, pinned_gid */
	struct ipoib_link link;
	struct ib_sa_mcmember_rec broadcast;
};

/* InfiniBand, where the SA knows paths and groups. */
extern const struct ipoib_fabric_ops ipoib_fabric_ib_ops;
/* RoCE v2, which has no SA: neighbour discovery on Ethernet finds paths. */
extern const struct ipoib_fabric_ops ipoib_fabric_roce_ops;

void ipoib_fabric_init(struct ipoib_fabric *fabric, struct ipoib_usecnt *users);
void ipoib_fabric_exit(struct ipoib_fabric *fabric);

/* Can the HCA migrate connections to an alternate path? IBTA 17.2.8. */
static inline bool ipoib_fabric_migrates(const struct ipoib_fabric *fabric)
{
	/* READ_ONCE() because ibdevsim can change the flag while it is read. */
	return READ_ONCE(fabric->ibdev->attrs.device_cap_flags) &
	       IB_DEVICE_AUTO_PATH_MIG;
}

/*
 * An SA, or the REQ of a peer, may say the rate of a link that is newer than this kernel. qib,
 * hfi1 and, for connections, mlx5 refuse an address with a rate that they do not know. With the
 * rate of the port instead, packets for a slower link wait in the switch before it.
 */
static inline u8 ipoib_fabric_rate(u8 code)
{
	return ib_rate_to_mbps(code) < 0 ? IB_RATE_PORT_CURRENT : code;
}

/*
 * ipoib_gid_hash() takes a GID at any alignment. Nodes and programs choose GIDs, but do not know
 * which of them share a bucket, because ipoib_init() has chosen the seed.
 */
static inline u32 ipoib_gid_hash(const void *gid)
{
	return jhash(gid, sizeof(union ib_gid), ipoib_hwaddr_factors[0] >> 32);
}

/* sa_path_get_dlid() takes no record that is constant. */
static inline u32 ipoib_path_dlid(const struct sa_path_rec *path)
{
	return path->rec_type == SA_PATH_REC_TYPE_OPA ? be32_to_cpu(path->opa.dlid) :
							be16_to_cpu(path->ib.dlid);
}

/* The same of sa_path_get_slid(). */
static inline u32 ipoib_path_slid(const struct sa_path_rec *path)
{
	return path->rec_type == SA_PATH_REC_TYPE_OPA ? be32_to_cpu(path->opa.slid) :
							be16_to_cpu(path->ib.slid);
}

/*
 * Do both LIDs belong to one port? The function assumes that every port of the subnet has
 * the LMC of ours.
 */
static inline bool ipoib_fabric_same_port(const struct ipoib_fabric *fabric,
					  u32 lid, u32 other)
{
	/*
	 * Read without @lock: ipoib_fabric_set_link() may replace the link meanwhile, and
	 * a change of the LMC is then seen a little late.
	 */
	return !((lid ^ other) >> data_race(fabric->link.lmc));
}

/* Does a path lead to a port? On RoCE its MAC address says that, and else its LID. */
static inline bool ipoib_path_leads_to(const struct ipoib_fabric *fabric,
				       const struct sa_path_rec *path, const u8 *dmac, u32 dlid)
{
	if (fabric->lower)
		return ether_addr_equal_unaligned(path->roce.dmac, dmac);
	return ipoib_fabric_same_port(fabric, ipoib_path_dlid(path), dlid);
}

void ipoib_fabric_heard(struct ipoib_fabric *fabric, const void *gid);
bool ipoib_fabric_has_heard(const struct ipoib_fabric *fabric, const void *gid);

void ipoib_fabric_set_link(struct ipoib_fabric *fabric,
			   const struct ipoib_link *link);
const struct ib_gid_attr *ipoib_fabric_hold_gid(struct ipoib_fabric *fabric);
void ipoib_link_put(struct ipoib_link *link);

void ipoib_link_find_pkey(const struct ipoib_fabric *fabric,
			  struct ipoib_link *link);
bool ipoib_link_is_limited(const struct ipoib_link *link);
u16 ipoib_fabric_find_pkey(struct ib_device *ibdev, u32 port, u16 pkey,
			   u16 *index);
void ipoib_fabric_pin_gid(struct ipoib_fabric *fabric, const union ib_gid *gid);
bool ipoib_fabric_pinned_gid(struct ipoib_fabric *fabric, union ib_gid *gid);
const struct ib_gid_attr *ipoib_fabric_find_guid(struct ib_device *ibdev, u32 port,
						 const union ib_gid *chosen);
bool ipoib_fabric_has_guid(struct ib_device *ibdev, u32 port, const union ib_gid *chosen);
u32 ipoib_port_longest(struct ib_device *ibdev, u32 port);
u32 ipoib_port_speed(const struct ib_port_attr *attr);
const char *ipoib_link_state_text(enum ipoib_link_state state);

int ipoib_request_init(struct ipoib_request *req, struct ipoib_fabric *fabric,
		       const struct ipoib_request_owner *owner,
		       work_func_t start, work_func_t finish);
void ipoib_request_done(struct ipoib_request *req, int err, const struct ipoib_route *route);
void ipoib_request_end(struct ipoib_request *req);
void ipoib_request_exit(struct ipoib_request *req);

#endif /* _IPOIB_FABRIC_H */
