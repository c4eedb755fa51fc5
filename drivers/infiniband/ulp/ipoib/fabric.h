/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an interface asks of the network behind its port: is the port fit, how
 * is a peer reached, may a group be joined. Answers look the same whoever
 * gives them; above this header nobody knows whether there is an SA.
 */
#ifndef _IPOIB_FABRIC_H
#define _IPOIB_FABRIC_H

#include <linux/netdevice.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_sa.h>
#include <rdma/ib_verbs.h>

#include "sa_watch.h"
#include "users.h"

struct ipoib_fabric;

/* Why a port cannot carry the link; 0 is: it can. */
enum ipoib_unfit {
	IPOIB_FIT,
	IPOIB_UNFIT_UNKNOWN,
	IPOIB_UNFIT_QUERY,
	IPOIB_UNFIT_PORT_DOWN,
	IPOIB_UNFIT_NO_GID,
	IPOIB_UNFIT_TENTATIVE,
	IPOIB_UNFIT_NO_PKEY,
	IPOIB_UNFIT_LIMITED,
	IPOIB_UNFIT_TAKEN,
	IPOIB_UNFIT_NO_SM,
	IPOIB_UNFIT_COUNT
};

/**
 * struct ipoib_link - what a look at the port told
 * @unfit: IPOIB_FIT, or why the rest must not be used
 * @gid: GID of the port that the link-layer address names
 * @gid_attr: its entry in the port's table, referenced; NULL without one
 * @pkey: P_Key of the link, membership bit set
 * @pkey_index: where it stands in the port's table
 * @lid: LID of the port, 0 where there are none
 * @lmc: the port answers to 2^@lmc LIDs from @lid on
 * @mtu: largest IP packet that the port can send, octets; 0 if unknown
 * @speed: of the port, Mbit/s; 0 if unknown
 * @pkey_violations: P_Key violations that the port counted
 * @qkey_violations: Q_Key violations that the port counted
 */
struct ipoib_link {
	enum ipoib_unfit unfit;
	union ib_gid gid;
	const struct ib_gid_attr *gid_attr;
	u16 pkey;
	u16 pkey_index;
	u16 lid;
	u8 lmc;
	unsigned int mtu;
	u32 speed;
	u32 pkey_violations;
	u32 qkey_violations;
};

/**
 * struct ipoib_route - how to reach a peer or a group
 * @attr: address vector
 * @qkey: Q_Key of the group; 0 for a peer, which is sent the link's
 * @mlid: LID of the group for ipoib_qp_attach(); 0 for a peer and on RoCE
 * @mtu: largest IP packet that goes through, octets
 * @path: the same for the CM, valid as long as the rest; NULL for a group
 */
struct ipoib_route {
	struct rdma_ah_attr attr;
	u32 qkey;
	u16 mlid;
	unsigned int mtu;
	struct sa_path_rec *path;
};

struct ipoib_request;

/**
 * struct ipoib_request_owner - who asked
 * @ctx: given to both functions
 * @done: the answer: @err 0 and @route, valid during the call, or a negative
 *	@err: -ENOENT if there is no such group, -ETIMEDOUT if nobody answers.
 *	After a membership was granted it may be taken away again, by a second
 *	call with -ENETRESET; after an error there is none. In process context,
 *	may sleep, may call the fabric; a late call is possible until @release
 * @each: a list of groups was asked for, and this is one of them; NULL
 *	otherwise. Process context, must not sleep
 * @release: the request is over and @ctx no longer used; called exactly once
 *	and last. Process context, may sleep
 */
struct ipoib_request_owner {
	void *ctx;
	void (*done)(void *ctx, int err, const struct ipoib_route *route);
	void (*each)(void *ctx, const union ib_gid *mgid);
	void (*release)(void *ctx);
};

/**
 * struct ipoib_request - a question to the fabric, or a membership
 * @fabric: who was asked
 * @owner: who asked
 *
 * Made by the @path and @group operations, given back by @end, which never
 * waits. A group is joined for as long as its request lives.
 */
struct ipoib_request {
	struct ipoib_fabric *fabric;
	struct ipoib_request_owner owner;
};

/**
 * enum ipoib_membership - what an interface wants of a group
 * @IPOIB_SEND_ONLY: to send to it: SendOnlyNonMember
 * @IPOIB_NON_MEMBER: to hear it without keeping it alive, as multicast
 *	routers do: NonMember
 * @IPOIB_FULL_MEMBER: to hear it, and have it made if there is none
 */
enum ipoib_membership {
	IPOIB_SEND_ONLY,
	IPOIB_NON_MEMBER,
	IPOIB_FULL_MEMBER,
};

#define IPOIB_MEMBERSHIPS	(IPOIB_FULL_MEMBER + 1)

/**
 * enum ipoib_report - what the fabric tells of itself
 * @IPOIB_REPORT_GROUP: a group was made
 * @IPOIB_REPORT_NO_GROUP: a group was deleted
 * @IPOIB_REPORT_NODE: a port can be reached now
 * @IPOIB_REPORT_MISSED: reports may have been lost
 */
enum ipoib_report {
	IPOIB_REPORT_GROUP,
	IPOIB_REPORT_NO_GROUP,
	IPOIB_REPORT_NODE,
	IPOIB_REPORT_MISSED,
};

/**
 * struct ipoib_fabric_ops - one kind of network
 * @name: for messages and debugfs
 * @pkeys_come: an interface may be made before its P_Key is there
 * @rewrites_gids: the GIDs of a port go out of its table and come back now and then
 * @is_on: does the port belong to this Ethernet device; NULL if to none. Any
 *	context but hard interrupt
 * @open_port: make what the interfaces of a port share, for @shared of
 *	struct ipoib_fabric; NULL if that is nothing. Process context
 * @close_port: the end of it; there are no interfaces any more. Process
 *	context, may sleep
 * @port_event: the RDMA device told of something. Atomic
 * @locate: find GID and P_Key index only; atomic, no port query, any context
 * @look: fill in the whole link. Process context, sleeps, not under RTNL:
 *	soft-RoCE takes it to query a port
 * @path: ask how to reach a port. Any context but hard interrupt
 * @other_path: ask how to reach the port that a path leads to by other
 *	addresses of both ports, for when that path fails. -EOPNOTSUPP if the
 *	port has no other address or the device no use for it; NULL if no port
 *	has. Any context but hard interrupt
 * @group: ask to join a group. Any context but hard interrupt
 * @find: ask whether a group exists, and how it is reached, without joining
 *	it; NULL if nobody knows. Any context but hard interrupt
 * @list: ask for all groups of the partition; NULL if nobody knows them. Any
 *	context but hard interrupt
 * @end: the owner is no longer interested. Any context but hard interrupt
 * @watch: from now on call @report of the fabric; NULL if nobody reports.
 *	Process context
 * @unwatch: call it no more; waits for a call under way. Process context
 */
struct ipoib_fabric_ops {
	const char *name;
	bool pkeys_come;
	bool rewrites_gids;
	bool (*is_on)(struct ib_device *ibdev, u32 port,
		      const struct net_device *lower);
	void *(*open_port)(struct ib_device *ibdev, u32 port);
	void (*close_port)(void *shared);
	void (*port_event)(void *shared, enum ib_event_type event);
	void (*locate)(struct ipoib_fabric *fabric, struct ipoib_link *link);
	void (*look)(struct ipoib_fabric *fabric, struct ipoib_link *link);
	struct ipoib_request *(*path)(struct ipoib_fabric *fabric,
				      const union ib_gid *dgid,
				      const struct ipoib_request_owner *owner);
	struct ipoib_request *(*other_path)(struct ipoib_fabric *fabric,
					    struct sa_path_rec *path,
					    const struct ipoib_request_owner *owner);
	struct ipoib_request *(*group)(struct ipoib_fabric *fabric,
				       const union ib_gid *mgid,
				       enum ipoib_membership membership,
				       const struct ipoib_request_owner *owner);
	struct ipoib_request *(*find)(struct ipoib_fabric *fabric,
				      const union ib_gid *mgid,
				      const struct ipoib_request_owner *owner);
	struct ipoib_request *(*list)(struct ipoib_fabric *fabric,
				      const struct ipoib_request_owner *owner);
	void (*end)(struct ipoib_request *req);
	void (*watch)(struct ipoib_fabric *fabric);
	void (*unwatch)(struct ipoib_fabric *fabric);
};

/**
 * struct ipoib_fabric - the network behind one interface
 * @ops: what kind it is
 * @ibdev: RDMA device
 * @port: port number
 * @lower: Ethernet device of a RoCE port, referenced; NULL on InfiniBand
 * @lower_tracker: tracks that reference
 * @shared: what @open_port of @ops made
 * @first_pkey: the link's P_Key is whatever stands first in the port's table
 * @pkey: P_Key of the link, membership bit set; changes only if @first_pkey,
 *	under RTNL and the device's lock; any context reads it
 * @pinned_gid: GID that the user chose; all zero: any
 * @group_sl: paths have the service level of the broadcast group, whatever the
 *	SA says; written under RTNL, read when a path is found
 * @wq: runs requests; unbound
 * @users: of the interface; each request is one
 * @report: up-call of @watch. Process context, must not wait for the interface
 * @report_ctx: its context
 * @watcher: of the provider's @watch
 * @lock: protects all below
 * @link: the link as it is used now, see ipoib_fabric_set_link()
 * @broadcast: record of the broadcast group, whose parameters are those of all
 *	groups; only where there is an SA
 *
 * Part of an interface and lives as long.
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
	struct ipoib_users *users;
	void (*report)(void *ctx, enum ipoib_report report,
		       const union ib_gid *gid);
	void *report_ctx;
	struct ipoib_sa_watch watcher;
	spinlock_t lock;	/* link, broadcast */
	struct ipoib_link link;
	struct ib_sa_mcmember_rec broadcast;
};

/* Fixed properties of a fabric, for ipoib_fabric_init(). */
struct ipoib_fabric_config {
	struct ib_device *ibdev;
	u32 port;
	struct net_device *lower;
	void *shared;
	bool first_pkey;
	u16 pkey;
	union ib_gid pinned_gid;
	struct workqueue_struct *wq;
	void (*report)(void *ctx, enum ipoib_report report,
		       const union ib_gid *gid);
	void *report_ctx;
};

void ipoib_fabric_init(struct ipoib_fabric *fabric,
		       const struct ipoib_fabric_ops *ops,
		       const struct ipoib_fabric_config *config,
		       struct ipoib_users *users);
void ipoib_fabric_exit(struct ipoib_fabric *fabric);

/* Can connections of the device change to another path? IBA 17.2.8 */
static inline bool ipoib_fabric_migrates(const struct ipoib_fabric *fabric)
{
	/* The simulator has a knob for it. */
	return READ_ONCE(fabric->ibdev->attrs.device_cap_flags) &
	       IB_DEVICE_AUTO_PATH_MIG;
}

void ipoib_fabric_set_link(struct ipoib_fabric *fabric,
			   const struct ipoib_link *link);
const struct ib_gid_attr *ipoib_fabric_hold_gid(struct ipoib_fabric *fabric);
void ipoib_link_put(struct ipoib_link *link);

void ipoib_link_find_pkey(const struct ipoib_fabric *fabric,
			  struct ipoib_link *link);
bool ipoib_fabric_find_pkey(struct ib_device *ibdev, u32 port, u16 pkey,
			    u16 *index);
u32 ipoib_port_speed(const struct ib_port_attr *attr);
const char *ipoib_unfit_text(enum ipoib_unfit unfit);

void ipoib_request_init(struct ipoib_request *req, struct ipoib_fabric *fabric,
			const struct ipoib_request_owner *owner);
void ipoib_request_exit(struct ipoib_request *req);

#endif /* _IPOIB_FABRIC_H */
