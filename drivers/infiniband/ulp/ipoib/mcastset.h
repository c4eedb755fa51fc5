/* SPDX-License-Identifier: GPL-2.0 */
/* The groups of an interface: those it listens to, those it sends to. */
#ifndef _IPOIB_MCASTSET_H
#define _IPOIB_MCASTSET_H

#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/workqueue.h>

#include "fabric.h"
#include "mcast.h"
#include "qp.h"

/*
 * Groups that an interface listens to, those that a multicast router hears as
 * well, and those that are only sent to. Of the last anybody can make more:
 * the idlest go while there is still room, so that newcomers find some.
 */
#define IPOIB_MAX_MEMBER_GROUPS	1024
#define IPOIB_MAX_HEARD_GROUPS	1024
#define IPOIB_MAX_SEND_GROUPS	512
#define IPOIB_KEEP_SEND_GROUPS	(IPOIB_MAX_SEND_GROUPS * 3 / 4)

/**
 * struct ipoib_mcastset - all groups of an interface
 * @dev: the interface, whose multicast list is followed
 * @fabric: who is asked to join
 * @qp: what is attached
 * @users: of the interface; each group is one
 * @changed: up-call: ipoib_mcastset_link() has news. Process context, no lock
 *	held
 * @ctx: its context
 * @work: compares the groups with what is wanted, starts and answers
 * @attach_lock: whoever attaches or detaches the QP holds it from the moment
 *	that it looks whether it has to; taken outside @lock
 * @lock: protects all that follows, and every group; taken inside a peer's
 *	lock and inside the address list lock of @dev
 * @running: groups may be added
 * @ready: the broadcast group was joined, others may be asked for
 * @search: the scope of the link is not known for sure, RFC 4391 section 5
 * @to_broadcast: what is for a group that does not exist, nor one of all
 *	routers, goes to the broadcast group rather than nowhere
 * @broadcast: MGID of the broadcast group
 * @count: groups in @hash, by membership
 * @hash: by MGID
 * @router: the stack wants to hear all groups
 * @relist: the list of groups has to be asked for
 * @list: it is being asked for, or NULL
 * @listing: the last such question is not over yet
 * @list_failures: failed tries in a row
 * @list_at: jiffies of the next try
 *
 * Part of an interface and lives as long.
 */
struct ipoib_mcastset {
	struct net_device *dev;
	struct ipoib_fabric *fabric;
	struct ipoib_qp *qp;
	struct ipoib_users *users;
	void (*changed)(void *ctx);
	void *ctx;
	struct delayed_work work;
	struct mutex attach_lock;	/* attachments of the QP */
	spinlock_t lock;	/* all below */
	bool running;
	bool ready;
	bool search;
	bool to_broadcast;
	union ib_gid broadcast;
	unsigned int count[IPOIB_MEMBERSHIPS];
	DECLARE_HASHTABLE(hash, 7);
	bool router;
	bool relist;
	struct ipoib_request *list;
	bool listing;
	u32 list_failures;
	unsigned long list_at;
};

/**
 * struct ipoib_mcastset_link - what the broadcast group says about the link
 * @broadcast: its MGID
 * @mtu: MTU of IP, octets
 * @qkey: Q_Key
 */
struct ipoib_mcastset_link {
	union ib_gid broadcast;
	unsigned int mtu;
	u32 qkey;
};

void ipoib_mcastset_init(struct ipoib_mcastset *set);
void ipoib_mcastset_exit(struct ipoib_mcastset *set);
int ipoib_mcastset_start(struct ipoib_mcastset *set,
			 const union ib_gid *broadcast, bool search);
void ipoib_mcastset_stop(struct ipoib_mcastset *set);
void ipoib_mcastset_sync(struct ipoib_mcastset *set);
bool ipoib_mcastset_link(struct ipoib_mcastset *set,
			 struct ipoib_mcastset_link *link);
int ipoib_mcastset_error(struct ipoib_mcastset *set);
const char *ipoib_mcastset_error_text(int err);
void ipoib_mcastset_set_fallback(struct ipoib_mcastset *set,
				 bool to_broadcast);
void ipoib_mcastset_report(struct ipoib_mcastset *set,
			   enum ipoib_report report, const union ib_gid *mgid);
void ipoib_mcastset_changed(struct ipoib_mcastset *set,
			    struct ipoib_mcast *group);

int ipoib_mcastset_ask(struct ipoib_mcastset *set, struct ipoib_peer *peer);
void ipoib_mcastset_forget(struct ipoib_mcastset *set,
			   struct ipoib_peer *peer);

void ipoib_mcastset_walk(struct ipoib_mcastset *set,
			 void (*fn)(void *ctx, const struct ipoib_mcast *group),
			 void *ctx);

/* Groups of any membership; a look without the lock. */
static inline unsigned int
ipoib_mcastset_count(const struct ipoib_mcastset *set)
{
	return READ_ONCE(set->count[IPOIB_SEND_ONLY]) +
	       READ_ONCE(set->count[IPOIB_NON_MEMBER]) +
	       READ_ONCE(set->count[IPOIB_FULL_MEMBER]);
}

#endif /* _IPOIB_MCASTSET_H */
