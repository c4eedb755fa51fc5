/* SPDX-License-Identifier: GPL-2.0 */
/* The groups of an interface: those the stack joined, those it sends to. */
#ifndef _IPOIB_MCAST_H
#define _IPOIB_MCAST_H

#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/workqueue.h>

#include "fabric.h"
#include "mcast_fsm.h"
#include "qp.h"

struct ipoib_peer;

/*
 * Groups that an interface listens to, and groups that it only sends to. Of
 * the latter anybody can make more: the idlest go while there is still room,
 * so that newcomers find some.
 */
#define IPOIB_MAX_MEMBER_GROUPS	1024
#define IPOIB_MAX_SEND_GROUPS	512
#define IPOIB_KEEP_SEND_GROUPS	(IPOIB_MAX_SEND_GROUPS * 3 / 4)

/**
 * struct ipoib_mcast - one group
 * @node: entry of the set's hash
 * @dead: entry of a list of groups to be buried
 * @mgid: the group; constant
 * @membership: what was asked for; constant
 * @set: the set that it is or was in; outlives it
 * @refs: one of the set, one of the open request
 * @state: see mcast_fsm.h
 * @wanted: the stack wants to receive, as far as the running sync knows
 * @attached: the QP receives what is sent to the group
 * @answer: @peer is waiting for an answer
 * @peer: who sends to the group, referenced; or NULL
 * @req: the membership or the question about it; or NULL
 * @route: how to send, while joined; holds a reference of the GID entry
 * @failures: failed tries in a row
 * @last_error: why the last try failed
 * @retry_at: jiffies of the next try
 *
 * The set's lock protects all that is not constant. Made when the stack joins
 * or a packet is sent, buried when neither needs it any more.
 */
struct ipoib_mcast {
	struct hlist_node node;
	struct list_head dead;
	union ib_gid mgid;
	enum ipoib_membership membership;
	struct ipoib_mcast_set *set;
	refcount_t refs;
	enum ipoib_mcast_state state;
	bool wanted;
	bool attached;
	bool answer;
	struct ipoib_peer *peer;
	struct ipoib_request *req;
	struct ipoib_route route;
	u32 failures;
	int last_error;
	unsigned long retry_at;
};

/**
 * struct ipoib_mcast_set - all groups of an interface
 * @dev: the interface, whose multicast list is followed
 * @fabric: who is asked to join
 * @qp: what is attached
 * @users: of the interface; each group is one
 * @joined: up-call: the broadcast group has been joined. Process context, no
 *	lock held
 * @ctx: its context
 * @work: compares the groups with what is wanted, starts and answers
 * @attach_lock: whoever attaches or detaches the QP holds it from the moment
 *	that it looks whether it has to; taken outside @lock
 * @lock: protects all that follows, and every group; taken inside a peer's
 *	lock and inside the address list lock of @dev
 * @running: groups may be added
 * @ready: the broadcast group is joined, others may be asked for
 * @broadcast: MGID of the broadcast group
 * @count: groups in @hash, by membership
 * @hash: by MGID
 *
 * Part of an interface and lives as long.
 */
struct ipoib_mcast_set {
	struct net_device *dev;
	struct ipoib_fabric *fabric;
	struct ipoib_qp *qp;
	struct ipoib_users *users;
	void (*joined)(void *ctx);
	void *ctx;
	struct delayed_work work;
	struct mutex attach_lock;	/* attachments of the QP */
	spinlock_t lock;	/* all below */
	bool running;
	bool ready;
	union ib_gid broadcast;
	unsigned int count[IPOIB_MEMBERSHIPS];
	DECLARE_HASHTABLE(hash, 6);
};

void ipoib_mcast_init(struct ipoib_mcast_set *set);
void ipoib_mcast_exit(struct ipoib_mcast_set *set);
int ipoib_mcast_start(struct ipoib_mcast_set *set,
		      const union ib_gid *broadcast);
void ipoib_mcast_stop(struct ipoib_mcast_set *set);
void ipoib_mcast_sync(struct ipoib_mcast_set *set);
bool ipoib_mcast_link(struct ipoib_mcast_set *set, unsigned int *mtu,
		      u32 *qkey);

int ipoib_mcast_ask(struct ipoib_mcast_set *set, struct ipoib_peer *peer);
void ipoib_mcast_forget(struct ipoib_mcast_set *set, struct ipoib_peer *peer);

void ipoib_mcast_walk(struct ipoib_mcast_set *set,
		      void (*fn)(void *ctx, const struct ipoib_mcast *group),
		      void *ctx);

/* Groups of either membership; a look without the lock. */
static inline unsigned int ipoib_mcast_count(const struct ipoib_mcast_set *set)
{
	return READ_ONCE(set->count[IPOIB_SEND_ONLY]) +
	       READ_ONCE(set->count[IPOIB_FULL_MEMBER]);
}

#endif /* _IPOIB_MCAST_H */
