/* SPDX-License-Identifier: GPL-2.0 */
/* One group of an interface: asked for, joined, lost, left. */
#ifndef _IPOIB_MCAST_H
#define _IPOIB_MCAST_H

#include <linux/list.h>

#include "fabric.h"
#include "mcast_fsm.h"

struct ipoib_mcastset;
struct ipoib_peer;

/**
 * struct ipoib_mcast - one group
 * @node: entry of the set's hash
 * @dead: entry of a list of groups to be buried
 * @mgid: the group; constant
 * @membership: what was asked for; constant
 * @set: the set that it is or was in; outlives it
 * @refs: one of the set, one of each request that is not over
 * @state: see mcast_fsm.h
 * @wanted: the stack listens, as far as the running sync knows
 * @listed: the group exists, as far as the fabric told; for multicast routers
 * @fresh: the list of groups that is coming in has it
 * @lent: senders to groups that do not exist use it
 * @absent: the last answer was that there is no such group
 * @attached: the QP receives what is sent to the group, by the LID in @route
 * @routed: @route can be used; it stays while the group is joined anew
 * @answer: @peer is waiting for an answer
 * @peer: who sends to the group, referenced; or NULL
 * @req: the membership or the question about it; or NULL
 * @open: requests for a membership that are not over: while an old one is left
 *	no new one is asked for
 * @check: question whether what was joined is still there; or NULL
 * @doubted: somebody has to ask whether it is still there
 * @deleted: because it is said to be deleted
 * @checked_at: jiffies of the last such question
 * @route: how to send; holds a reference of the GID entry
 * @failures: failed tries in a row
 * @last_error: why the last try failed
 * @retry_at: jiffies of the next try
 * @refused_since: jiffies of the last answer that was no refusal
 *
 * The set's lock protects all that is not constant. Made when the stack joins,
 * a packet is sent or a router hears of the group, buried when nobody needs it
 * any more.
 */
struct ipoib_mcast {
	struct hlist_node node;
	struct list_head dead;
	union ib_gid mgid;
	enum ipoib_membership membership;
	struct ipoib_mcastset *set;
	refcount_t refs;
	enum ipoib_mcast_state state;
	bool wanted;
	bool listed;
	bool fresh;
	bool lent;
	bool absent;
	bool attached;
	bool routed;
	bool answer;
	struct ipoib_peer *peer;
	struct ipoib_request *req;
	unsigned int open;
	struct ipoib_request *check;
	bool doubted;
	bool deleted;
	unsigned long checked_at;
	struct ipoib_route route;
	u32 failures;
	int last_error;
	unsigned long retry_at;
	unsigned long refused_since;
};

struct ipoib_mcast *ipoib_mcast_new(struct ipoib_mcastset *set,
				    const union ib_gid *mgid,
				    enum ipoib_membership membership);
bool ipoib_mcast_due(const struct ipoib_mcast *group);
void ipoib_mcast_start(struct ipoib_mcast *group);
struct ipoib_request *ipoib_mcast_again(struct ipoib_mcast *group);
bool ipoib_mcast_check_due(const struct ipoib_mcast *group, unsigned long *at);
void ipoib_mcast_check_start(struct ipoib_mcast *group);
void ipoib_mcast_check(struct ipoib_mcast *group, bool deleted);
void ipoib_mcast_kill(struct ipoib_mcast *group, struct list_head *dead);
void ipoib_mcast_bury(struct ipoib_mcast *group);

#endif /* _IPOIB_MCAST_H */
