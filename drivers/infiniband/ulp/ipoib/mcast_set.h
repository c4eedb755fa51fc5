/* SPDX-License-Identifier: GPL-2.0 */
/* All multicast groups of an interface: those that it listens to, and those that it sends to. */
#ifndef _IPOIB_MCAST_SET_H
#define _IPOIB_MCAST_SET_H

#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/workqueue.h>

#include "fabric.h"
#include "mcast.h"

/*
 * Limits of the number of groups: those that the stack listens to (MEMBER), those that a
 * multicast router hears besides (HEARD), and those that are only sent to (SEND).
 *
 * Any program can join groups with setsockopt(), so places of the first kind are kept for
 * groups that the host cannot do without: the solicited-node groups of its own IPv6 addresses
 * (OWN), and the lowest 256 groups of each protocol, 224.0.0.0/24 and ff02::/120 (LOW), which
 * contain those of routing and discovery protocols.
 *
 * Any program can also send to any group, so mcast_set_work() removes the senders that have
 * been idle for longest once there are more than IPOIB_KEEP_SEND_GROUPS: a new sender then
 * finds room.
 */
#define IPOIB_MAX_MEMBER_GROUPS	1024
#define IPOIB_KEPT_OWN_GROUPS	64
#define IPOIB_KEPT_LOW_GROUPS	64
#define IPOIB_MAX_HEARD_GROUPS	1024
#define IPOIB_MAX_SEND_GROUPS	512
#define IPOIB_KEEP_SEND_GROUPS	(IPOIB_MAX_SEND_GROUPS * 3 / 4)

/**
 * struct ipoib_mcast_set - all groups of an interface
 * @work: compares the groups with those that are needed, asks for groups, answers senders
 * @attach_lock: held while the QP is attached or detached, and from before the check whether
 *	that is necessary; taken outside @lock
 * @lock: protects all fields that follow, but @logged, and the fields of every group; taken
 *	inside ipoib_peer.lock and inside the address list lock of the net_device
 * @running: the set is started, groups may be added; read without @lock, too
 * @search: look for the broadcast group in wider scopes, too (RFC 4391 section 5), because
 *	the user has not chosen the scope of the link
 * @to_broadcast: packets for a group that does not exist go to the broadcast group, and not
 *	nowhere, if the all-routers group does not exist either
 * @broadcast: MGID of the broadcast group
 * @count: groups in it, by membership; read without @lock, too
 * @full: memberships, as bits, for which there was no room since the last run of sweep()
 * @left: the last run of sweep() left a group to a program
 * @hash: groups by MGID
 * @groups: all groups, the oldest first; a successor counts as new
 * @router: the stack wants to hear all groups
 * @relist: the list of all groups has to be asked for
 * @list: request for that list, or NULL
 * @listing: the last such request has not been released yet
 * @lists: number of such requests so far, which is the number of the last one
 * @list_failures: requests for the list that have failed in a row
 * @unheard: there was no room for a group of that list
 * @list_at: jiffies of the next try
 * @swept_at: when sweep() last looked at all groups, jiffies; read without @lock, too
 * @logged: memberships, as bits, for which a lack of room has been logged; only used by @work,
 *	without @lock
 *
 * Part of struct ipoib_dev, see ipoib_mcast_set_dev(), with the same lifetime.
 */
struct ipoib_mcast_set {
	struct delayed_work work;
	struct mutex attach_lock;	/* attachments of the QP */
	spinlock_t lock;	/* all below but logged, and the groups */
	bool running;
	bool search;
	bool to_broadcast;
	union ib_gid broadcast;
	unsigned int count[IPOIB_MEMBERSHIPS];
	unsigned int full;
	bool left;
	DECLARE_HASHTABLE(hash, 7);
	struct list_head groups;
	bool router;
	bool relist;
	bool unheard;
	struct ipoib_request *list;
	bool listing;
	u32 lists;
	u32 list_failures;
	unsigned long list_at;
	unsigned long swept_at;
	unsigned int logged;
};

/**
 * struct ipoib_mcast_set_link - what the broadcast group says about the link
 * @broadcast: MGID of the broadcast group
 * @mtu: MTU of IP that the group allows, octets
 * @qkey: Q_Key of the link
 */
struct ipoib_mcast_set_link {
	union ib_gid broadcast;
	unsigned int mtu;
	u32 qkey;
};

void ipoib_mcast_set_init(struct ipoib_mcast_set *set);
void ipoib_mcast_set_exit(struct ipoib_mcast_set *set);
int ipoib_mcast_set_start(struct ipoib_mcast_set *set,
			  const union ib_gid *broadcast, bool search);
void ipoib_mcast_set_stop(struct ipoib_mcast_set *set);
void ipoib_mcast_set_sync(struct ipoib_mcast_set *set);
bool ipoib_mcast_set_link(struct ipoib_mcast_set *set,
			  struct ipoib_mcast_set_link *link);
int ipoib_mcast_set_error(struct ipoib_mcast_set *set);
const char *ipoib_mcast_set_error_text(int err);
const char *ipoib_mcast_membership(const struct ipoib_mcast *group);
void ipoib_mcast_set_to_broadcast(struct ipoib_mcast_set *set,
				  bool to_broadcast);
void ipoib_mcast_set_report(struct ipoib_mcast_set *set,
			    enum ipoib_report report, const union ib_gid *mgid);
void ipoib_mcast_set_doubt(struct ipoib_mcast_set *set, unsigned long since);
void ipoib_mcast_set_renew(struct ipoib_mcast_set *set);
void ipoib_mcast_set_changed(struct ipoib_mcast_set *set,
			     struct ipoib_mcast *group);

int ipoib_mcast_set_ask(struct ipoib_mcast_set *set, struct ipoib_peer *peer);
void ipoib_mcast_set_forget(struct ipoib_mcast_set *set,
			    struct ipoib_peer *peer);

void ipoib_mcast_set_walk(struct ipoib_mcast_set *set,
			  void (*fn)(void *ctx, const struct ipoib_mcast *group),
			  void *ctx);

/* Number of groups of any membership; read without @lock, so the sum may be a little off. */
static inline unsigned int
ipoib_mcast_set_count(const struct ipoib_mcast_set *set)
{
	return READ_ONCE(set->count[IPOIB_SEND_ONLY]) +
	       READ_ONCE(set->count[IPOIB_NON_MEMBER]) +
	       READ_ONCE(set->count[IPOIB_FULL_MEMBER]);
}

#endif /* _IPOIB_MCAST_SET_H */
