/* SPDX-License-Identifier: GPL-2.0 */
/* One multicast group of an interface: joining, rejoining, checking and leaving it. */
#ifndef _IPOIB_MCAST_H
#define _IPOIB_MCAST_H

#include <linux/list.h>

#include "fabric.h"
#include "fsm.h"

struct ipoib_mcast_set;
struct ipoib_peer;

/*
 * Why a group is needed. WANTED: it is on the interface's multicast list, as the last run of
 * mcast_set_work() saw it, or it is the broadcast group. LISTED: the SA has said that it exists,
 * which is a reason for a multicast router. FALLBACK: it is an all-routers group that stands in
 * for groups that do not exist.
 */
#define IPOIB_WHY_WANTED	BIT(0)
#define IPOIB_WHY_LISTED	BIT(1)
#define IPOIB_WHY_FALLBACK	BIT(2)

/*
 * These bits say what is to be done about a group. ANSWER: mcast_set_work() has to answer @peer.
 * CHECK: the SA has to be asked whether the joined group still exists. DELETED: a report says
 * that the group was deleted, and the SA has not confirmed or refuted it yet.
 */
#define IPOIB_MCAST_PENDING_ANSWER	BIT(0)
#define IPOIB_MCAST_PENDING_CHECK	BIT(1)
#define IPOIB_MCAST_PENDING_DELETED	BIT(2)

/**
 * struct ipoib_mcast - one group
 * @node: entry of the set's hash, while the group is in the set
 * @entry: entry of the list of all groups of the set; of one that is dead, of a list of groups for
 *	ipoib_mcast_leave()
 * @mgid: MGID of the group; constant
 * @membership: membership that the interface asks for; constant
 * @set: set that the group is or was in; outlives the group
 * @refs: one reference of the set, and one of each request that is not over
 * @state: state of the group, see enum ipoib_mcast_state
 * @reasons: why the group is needed, besides @peer; bits of IPOIB_WHY_*
 * @listed_in: number of the last list of the set that named the group
 * @pending: what is to be done about it, bits of IPOIB_MCAST_PENDING_*; ANSWER only with a @peer
 * @attached: the QP is attached to the group, by the LID in @route
 * @routed: @route can be used; stays set while the group is joined anew
 * @peer: peer whose packets go to the group, referenced; or NULL
 * @req: request to join, or the membership that it led to; or NULL
 * @open: requests to join that are not over; the group is not asked for again before an
 *	earlier request has been released
 * @check: request that asks whether the joined group still exists; or NULL
 * @checked_at: jiffies of the last such request
 * @route: how to send to the group; holds a reference of the GID entry
 * @failures: failed tries in a row
 * @last_error: why the last try failed; 0 if it did not, or the membership was lost since. -ENOENT:
 *	there is no such group
 * @retry_at: jiffies of the next try
 * @refused_since: jiffies of the last answer that was no refusal
 * @joined_at: jiffies when it was joined last
 *
 * The lock of @set protects all fields that are not constant, but @refs; @attached and the
 * LID in @route are written with attach_lock of @set held as well. A group is made when the
 * stack joins it, a packet is sent to it, a multicast router hears of it, or it has to stand
 * in for a group that does not exist. It is left when nobody needs it any more.
 */
struct ipoib_mcast {
	struct hlist_node node;
	struct list_head entry;
	union ib_gid mgid;
	enum ipoib_membership membership;
	struct ipoib_mcast_set *set;
	refcount_t refs;
	enum ipoib_mcast_state state;
	unsigned int reasons;
	u32 listed_in;
	unsigned int pending;
	bool attached;
	bool routed;
	struct ipoib_peer *peer;
	struct ipoib_request *req;
	unsigned int open;
	struct ipoib_request *check;
	unsigned long checked_at;
	struct ipoib_route route;
	u32 failures;
	int last_error;
	unsigned long retry_at;
	unsigned long refused_since;
	unsigned long joined_at;
};

struct ipoib_mcast *ipoib_mcast_new(struct ipoib_mcast_set *set,
				    const union ib_gid *mgid,
				    enum ipoib_membership membership);
/* The SA has said that there is no such group, and has not been heard to say otherwise. */
static inline bool ipoib_mcast_is_absent(const struct ipoib_mcast *group)
{
	return group->last_error == -ENOENT;
}

/* Have mcast_set_work() answer the sender of a group, if it has one; the set's lock is held. */
static inline void ipoib_mcast_answer(struct ipoib_mcast *group)
{
	if (group->peer)
		group->pending |= IPOIB_MCAST_PENDING_ANSWER;
}

bool ipoib_mcast_due(const struct ipoib_mcast *group);
void ipoib_mcast_start(struct ipoib_mcast *group);
struct ipoib_request *ipoib_mcast_renew(struct ipoib_mcast *group);
struct ipoib_request *ipoib_mcast_again(struct ipoib_mcast *group);
bool ipoib_mcast_check_due(const struct ipoib_mcast *group, unsigned long *at);
void ipoib_mcast_check_start(struct ipoib_mcast *group);
void ipoib_mcast_check(struct ipoib_mcast *group, bool deleted);
void ipoib_mcast_kill(struct ipoib_mcast *group, struct list_head *dead);
void ipoib_mcast_leave(struct ipoib_mcast *group);

#endif /* _IPOIB_MCAST_H */
