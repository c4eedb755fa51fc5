// SPDX-License-Identifier: GPL-2.0
#include "mcast_set.h"

#include <linux/sched/mm.h>
#include <net/addrconf.h>

#include "addr.h"
#include "backoff.h"
#include "device.h"
#include "log.h"
#include "peer.h"

/* Delay before a group is added for which there was no room, and before a list is asked anew. */
#define NO_ROOM_DELAY	(2 * HZ)

/*
 * With umcast, mcast_set_work() looks after this time whether a program still has the group that
 * was left to it: nothing tells when the program leaves the group.
 */
#define LEFT_DELAY	(4 * HZ)

/* Time after a join in which switches may not know the group yet, see is_opening(). */
#define OPENING_TIME	(2 * HZ)

/* Shortest time between two lists of all groups. */
#define RELIST_DELAY	(2 * HZ)

static const struct ipoib_backoff list_delay = {
	.min_ms = 500,
	.max_ms = 16000,
};

static const unsigned int limits[IPOIB_MEMBERSHIPS] = {
	[IPOIB_SEND_ONLY]	= IPOIB_MAX_SEND_GROUPS,
	[IPOIB_NON_MEMBER]	= IPOIB_MAX_HEARD_GROUPS,
	[IPOIB_FULL_MEMBER]	= IPOIB_MAX_MEMBER_GROUPS,
};

/*
 * sweep() walks the stack's list of groups with bottom halves off, and programs can make that list
 * as long as they like. Once it is longer than MANY_LISTED, ipoib_mcast_set_sync() has sweep() run
 * once in MANY_DELAY at most, so that joining and leaving keeps no CPU from its softirqs.
 */
#define MANY_LISTED	(4 * IPOIB_MAX_MEMBER_GROUPS)
#define MANY_DELAY	(HZ / 4)

/* Scopes in which RFC 4391 section 5 looks for the broadcast group, in this order. */
static const u8 scopes[] = {
	IPOIB_SCOPE_LINK, IPOIB_SCOPE_SITE, IPOIB_SCOPE_ORG, IPOIB_SCOPE_GLOBAL,
};

static void mcast_set_work(struct work_struct *work);

/**
 * ipoib_mcast_set_init - initialise an empty set, which is stopped
 * @set: part of an interface; zeroed
 *
 * Context: Process context.
 */
void ipoib_mcast_set_init(struct ipoib_mcast_set *set)
{
	INIT_DELAYED_WORK(&set->work, mcast_set_work);
	mutex_init(&set->attach_lock);
	spin_lock_init(&set->lock);
	hash_init(set->hash);
	INIT_LIST_HEAD(&set->groups);
}

/**
 * ipoib_mcast_set_sync - have mcast_set_work() run soon
 * @set: the set; nothing happens while it is stopped
 *
 * To be called when the multicast list of the interface, a group or a sender has changed.
 *
 * Context: Any but hard interrupt.
 */
void ipoib_mcast_set_sync(struct ipoib_mcast_set *set)
{
	const struct ipoib_dev *idev = ipoib_mcast_set_dev(set);
	long delay = 0;

	if (!READ_ONCE(set->running))
		return;
	/* The list may change meanwhile: that is told here, too. */
	if (data_race(netdev_mc_count(idev->dev)) > MANY_LISTED)
		delay = READ_ONCE(set->swept_at) + MANY_DELAY - jiffies;
	mod_delayed_work(idev->fabric.wq, &set->work, clamp(delay, 0l, (long)MANY_DELAY));
}

/* ---- finding and making -------------------------------------------------- */

static bool is_broadcast(const struct ipoib_mcast *group)
{
	return !memcmp(&group->mgid, &group->set->broadcast,
		       sizeof(group->mgid));
}

static struct ipoib_mcast *find(struct ipoib_mcast_set *set,
				const union ib_gid *mgid)
{
	struct ipoib_mcast *group;

	lockdep_assert_held(&set->lock);

	hash_for_each_possible(set->hash, group, node, ipoib_gid_hash(mgid)) {
		if (!memcmp(&group->mgid, mgid, sizeof(*mgid)))
			return group;
	}
	return NULL;
}

/*
 * Is a group the solicited-node group of an IPv6 address of the interface? Only as many
 * addresses count as there are places kept for them, the first ones of the list.
 */
static bool is_own(struct ipoib_mcast_set *set, const union ib_gid *mgid)
{
	const struct inet6_dev *in6_dev;
	const struct inet6_ifaddr *ifa;
	unsigned int n = 0;
	bool own = false;

	rcu_read_lock();
	in6_dev = __in6_dev_get(ipoib_mcast_set_dev(set)->dev);
	if (in6_dev) {
		list_for_each_entry_rcu(ifa, &in6_dev->addr_list, if_list) {
			struct in6_addr group;
			union ib_gid solicited;

			if (own || n++ >= IPOIB_KEPT_OWN_GROUPS)
				break;
			addrconf_addr_solict_mult(&ifa->addr, &group);
			ipoib_mgid_ipv6(&solicited, ipoib_mgid_scope(mgid),
					ipoib_mgid_pkey(mgid), &group);
			own = !memcmp(&solicited, mgid, sizeof(*mgid));
		}
	}
	rcu_read_unlock();
	return own;
}

static bool has_room(struct ipoib_mcast_set *set, const union ib_gid *mgid,
		     enum ipoib_membership membership)
{
	unsigned int count = set->count[membership];

	lockdep_assert_held(&set->lock);

	/* The broadcast group always has room: there is one, and without it there is no link. */
	if (!memcmp(mgid, &set->broadcast, sizeof(*mgid)))
		return true;
	if (membership != IPOIB_FULL_MEMBER ||
	    count + IPOIB_KEPT_OWN_GROUPS + IPOIB_KEPT_LOW_GROUPS < limits[membership])
		return count < limits[membership];

	if (count < limits[membership] && !is_own(set, mgid)) {
		count += IPOIB_KEPT_OWN_GROUPS;
		/* In the lowest 256 groups all of the 80 bits but the last 8 are zero. */
		if (memchr_inv(mgid->raw + 6, 0, 9))
			count += IPOIB_KEPT_LOW_GROUPS;
	}
	return count < limits[membership];
}

/* add() returns NULL if there is no room, which sets set->full, or no memory. */
static struct ipoib_mcast *add(struct ipoib_mcast_set *set,
			       const union ib_gid *mgid,
			       enum ipoib_membership membership)
{
	struct ipoib_mcast *group;

	lockdep_assert_held(&set->lock);

	if (!has_room(set, mgid, membership)) {
		set->full |= BIT(membership);
		return NULL;
	}

	group = ipoib_mcast_new(set, mgid, membership);
	if (!group)
		return NULL;

	hash_add(set->hash, &group->node, ipoib_gid_hash(mgid));
	list_add_tail(&group->entry, &set->groups);
	WRITE_ONCE(set->count[membership], set->count[membership] + 1);
	return group;
}

static void remove(struct ipoib_mcast *group, struct list_head *dead)
{
	struct ipoib_mcast_set *set = group->set;

	lockdep_assert_held(&set->lock);

	hash_del(&group->node);
	WRITE_ONCE(set->count[group->membership],
		   set->count[group->membership] - 1);
	ipoib_mcast_kill(group, dead);
}

static void leave_all(struct list_head *dead)
{
	struct ipoib_mcast *group, *next;

	list_for_each_entry_safe(group, next, dead, entry)
		ipoib_mcast_leave(group);
}

/* ---- what is wanted -------------------------------------------------------- */

/*
 * With umcast, a group is left to the program that has joined it. Interfaces on the same port do
 * not count, which ib_ipoib takes for programs, nor what this one has joined already.
 */
static bool leave_to_user(struct ipoib_mcast_set *set, const struct ipoib_mcast *group,
			  const union ib_gid *mgid)
{
	struct ipoib_dev *idev = ipoib_mcast_set_dev(set);
	struct ipoib_fabric *fabric = &idev->fabric;

	if (!READ_ONCE(idev->umcast) || !fabric->ops->is_users ||
	    (group && group->membership == IPOIB_FULL_MEMBER) ||
	    !fabric->ops->is_users(fabric, mgid))
		return false;
	set->left = true;
	return true;
}

/*
 * Mark the groups that are on the interface's multicast list, and add those that are missing.
 * The stack may have made the list when the link had another scope or P_Key, so the MGIDs are
 * converted. Returns false if there was no room or no memory for a group.
 */
static bool mark_wanted(struct ipoib_mcast_set *set)
{
	struct ipoib_mcast *group;
	struct netdev_hw_addr *ha;
	bool room = true;

	lockdep_assert_held(&set->lock);

	set->left = false;
	list_for_each_entry(group, &set->groups, entry) {
		if (is_broadcast(group))
			group->reasons |= IPOIB_WHY_WANTED;
		else
			group->reasons &= ~IPOIB_WHY_WANTED;
	}

	netdev_for_each_mc_addr(ha, ipoib_mcast_set_dev(set)->dev) {
		union ib_gid mgid;

		memcpy(&mgid, ha->addr + 4, sizeof(mgid));
		if (!ipoib_mgid_to_link(&mgid, &set->broadcast))
			continue;

		group = find(set, &mgid);
		if (leave_to_user(set, group, &mgid))
			continue;
		if (!group)
			group = add(set, &mgid, IPOIB_FULL_MEMBER);
		if (group)
			group->reasons |= IPOIB_WHY_WANTED;
		else
			room = false;
	}
	return room;
}

/*
 * Mark the all-routers groups, and add them, if somebody sends to a group that does not exist:
 * find_route() has such packets go to all routers.
 */
static void mark_fallback(struct ipoib_mcast_set *set)
{
	struct ipoib_mcast *group;
	union ib_gid routers[2];
	unsigned int n = 0;

	lockdep_assert_held(&set->lock);

	list_for_each_entry(group, &set->groups, entry) {
		union ib_gid mgid;

		group->reasons &= ~IPOIB_WHY_FALLBACK;
		if (!ipoib_mcast_is_absent(group) || !group->peer)
			continue;
		ipoib_mgid_all_routers(&mgid, &group->mgid);
		if (n < 2 && (!n || memcmp(&routers[0], &mgid, sizeof(mgid))))
			routers[n++] = mgid;
	}

	/* One for IPv4 and one for IPv6. If there is no room, find_route() does without. */
	while (n--) {
		group = find(set, &routers[n]);
		if (!group)
			group = add(set, &routers[n], IPOIB_SEND_ONLY);
		if (group)
			group->reasons |= IPOIB_WHY_FALLBACK;
	}
}

/*
 * Multicast routers set IFF_ALLMULTI, and have to hear all groups. Programs that capture packets
 * set IFF_PROMISC, and get those that arrive: in a large fabric joining every group for each
 * tcpdump would keep the SA busy.
 */
static void mark_router(struct ipoib_mcast_set *set)
{
	/*
	 * The flags are written under RTNL; ndo_set_rx_mode() has the work run again after a
	 * change.
	 */
	bool router = data_race(ipoib_mcast_set_dev(set)->dev->flags) & IFF_ALLMULTI;

	lockdep_assert_held(&set->lock);

	if (router && !set->router) {
		set->relist = true;
		set->list_failures = 0;
		set->list_at = jiffies;
	}
	set->router = router;
}

static bool needed(const struct ipoib_mcast *group,
		   enum ipoib_membership *membership)
{
	*membership = IPOIB_SEND_ONLY;
	if (group->reasons & IPOIB_WHY_WANTED)
		*membership = IPOIB_FULL_MEMBER;
	else if (group->set->router && (group->reasons & IPOIB_WHY_LISTED))
		*membership = IPOIB_NON_MEMBER;
	else
		return group->peer || (group->reasons & IPOIB_WHY_FALLBACK);
	return true;
}

/*
 * Remove a group that nobody needs. If another membership of a group is needed, replace the
 * group by a successor that is joined anew; the sender passes to the successor, and uses its
 * old address handle until that is joined. If sweep() comes by the successor, too, it leaves it as
 * it is: its membership is the one that is needed. Returns false if there was no room or no memory
 * for the successor; the group stays as it is then.
 */
static bool sweep_one(struct ipoib_mcast *group, struct list_head *dead)
{
	enum ipoib_membership membership;
	struct ipoib_mcast *successor;

	lockdep_assert_held(&group->set->lock);

	if (!needed(group, &membership)) {
		remove(group, dead);
		return true;
	}
	if (membership == group->membership)
		return true;

	successor = add(group->set, &group->mgid, membership);
	if (!successor)
		return false;

	successor->reasons = group->reasons;
	successor->listed_in = group->listed_in;
	successor->peer = group->peer;
	group->peer = NULL;
	remove(group, dead);
	return true;
}

/*
 * Make the set follow what is needed: add groups, replace them, and move those that nobody
 * needs to @dead. Returns false if there was no room or no memory for a group. @full returns
 * the memberships, as bits, for which there was no room.
 */
static bool sweep(struct ipoib_mcast_set *set, struct list_head *dead,
		  unsigned int *full)
{
	struct ipoib_dev *idev = ipoib_mcast_set_dev(set);
	struct ipoib_mcast *group, *next;
	bool room = true;

	netif_addr_lock_bh(idev->dev);
	spin_lock(&set->lock);
	if (set->running) {
		mark_router(set);
		room = mark_wanted(set);
		mark_fallback(set);
	}
	list_for_each_entry_safe(group, next, &set->groups, entry)
		room &= sweep_one(group, dead);
	*full = set->full;
	set->full = 0;
	WRITE_ONCE(set->swept_at, jiffies);
	spin_unlock(&set->lock);
	netif_addr_unlock_bh(idev->dev);
	return room;
}

/*
 * Who sends to groups that do not exist, which any program can do at any rate, makes room before
 * all others, and else who has been idle for longer.
 */
static bool is_idler(const struct ipoib_mcast *group, const struct ipoib_mcast *other)
{
	if (ipoib_mcast_is_absent(group) != ipoib_mcast_is_absent(other))
		return ipoib_mcast_is_absent(group);
	return time_before(READ_ONCE(group->peer->used), READ_ONCE(other->peer->used));
}

/* Find the idlest sender. @senders returns how many senders there are. */
static struct ipoib_peer *idlest_sender(struct ipoib_mcast_set *set,
					unsigned int *senders)
{
	struct ipoib_mcast *group, *idlest = NULL;

	lockdep_assert_held(&set->lock);

	*senders = 0;
	list_for_each_entry(group, &set->groups, entry) {
		if (group->membership != IPOIB_SEND_ONLY || !group->peer)
			continue;

		++*senders;
		if (!idlest || is_idler(group, idlest))
			idlest = group;
	}
	return idlest ? idlest->peer : NULL;
}

/*
 * Remove the idlest senders if there are more than IPOIB_KEEP_SEND_GROUPS, so that there is
 * room when a new sender comes. A peer that is removed from its table leaves its group
 * (ipoib_mcast_set_forget()), and sweep() removes the group. If somebody sends to that group
 * again, a new peer is made.
 */
static void evict_senders(struct ipoib_mcast_set *set)
{
	struct ipoib_peer *peer;
	unsigned int senders;
	bool again;

	do {
		spin_lock_bh(&set->lock);
		peer = idlest_sender(set, &senders);
		again = senders > IPOIB_KEEP_SEND_GROUPS;
		if (again)
			ipoib_peer_hold(peer);
		spin_unlock_bh(&set->lock);

		if (again) {
			/*
			 * If somebody else is removing the peer, ipoib_mcast_set_forget() has
			 * the work run again after that.
			 */
			again = ipoib_peertable_remove(peer->table, peer);
			ipoib_peer_put(peer);
		}
		cond_resched();
	} while (again);
}

/* ---- the broadcast group --------------------------------------------------- */

static bool is_last_scope(const struct ipoib_mcast_set *set)
{
	return ipoib_mgid_scope(&set->broadcast) == scopes[ARRAY_SIZE(scopes) - 1];
}

static u8 next_scope(const struct ipoib_mcast_set *set)
{
	u8 scope = ipoib_mgid_scope(&set->broadcast);
	int i;

	for (i = 0; i < ARRAY_SIZE(scopes); i++) {
		if (scopes[i] > scope)
			return scopes[i];
	}
	return scopes[0];
}

/* Replace a broadcast group that does not exist by that of the next scope, RFC 4391 section 5. */
static void search_scope(struct ipoib_mcast_set *set, struct list_head *dead)
{
	struct ipoib_mcast *group, *next;
	union ib_gid old;
	u8 scope;

	spin_lock_bh(&set->lock);
	old = set->broadcast;
	group = find(set, &old);
	if (!set->running || !set->search || !group || group->routed ||
	    group->state != IPOIB_MCAST_BACKOFF || !ipoib_mcast_is_absent(group))
		goto out_unlock;

	/*
	 * All scopes are tried one right after the other. After the last the search starts
	 * again, but only when the back-off of the group is over.
	 */
	if (is_last_scope(set) && !ipoib_mcast_due(group))
		goto out_unlock;

	scope = next_scope(set);
	ipoib_mgid_broadcast(&set->broadcast, scope,
			     ipoib_mgid_pkey(&set->broadcast));
	next = add(set, &set->broadcast, IPOIB_FULL_MEMBER);
	if (!next) {
		set->broadcast = old;
		goto out_unlock;
	}
	next->reasons = IPOIB_WHY_WANTED;
	next->failures = group->failures;
	next->last_error = group->last_error;
	remove(group, dead);
out_unlock:
	spin_unlock_bh(&set->lock);
}

/**
 * ipoib_mcast_set_link - get the parameters of the link from the broadcast group
 * @set: the set
 * @link: parameters, written if the function returns true
 *
 * RFC 4391 section 5: the parameters of the broadcast group are those of the whole link.
 *
 * Return: false if the broadcast group has not been joined since ipoib_mcast_set_start(), or
 * has been lost and its old route is not used any more.
 * Context: Any but hard interrupt.
 */
bool ipoib_mcast_set_link(struct ipoib_mcast_set *set,
			  struct ipoib_mcast_set_link *link)
{
	struct ipoib_mcast *group;
	bool routed;

	spin_lock_bh(&set->lock);
	group = set->running ? find(set, &set->broadcast) : NULL;
	routed = group && group->routed;
	if (routed) {
		link->broadcast = set->broadcast;
		link->mtu = group->route.mtu;
		link->qkey = group->route.qkey;
	}
	spin_unlock_bh(&set->lock);
	return routed;
}

/**
 * ipoib_mcast_set_error - get the reason why the broadcast group is not joined
 * @set: the set
 *
 * Return: the negative error of the last try; 0 if there was no failure yet, or the group
 * is joined.
 * Context: Any but hard interrupt.
 */
int ipoib_mcast_set_error(struct ipoib_mcast_set *set)
{
	struct ipoib_mcast *group;
	int err = 0;

	spin_lock_bh(&set->lock);
	group = find(set, &set->broadcast);
	if (group)
		err = group->last_error;
	spin_unlock_bh(&set->lock);
	return err;
}

/**
 * ipoib_mcast_set_error_text - why the broadcast group is not joined, in words
 * @err: what ipoib_mcast_set_error() has returned, not 0
 *
 * Return: a constant string.
 */
const char *ipoib_mcast_set_error_text(int err)
{
	switch (err) {
	case -ENOENT:
		return "broadcast group: the SA knows no such group";
	case -ETIMEDOUT:
		return "broadcast group: the SA does not answer";
	case -ENETUNREACH:
		return "broadcast group: the port knows no SM";
	case -EMSGSIZE:
		return "broadcast group: its MTU is more than the port can take";
	case -EPROTO:
		return "broadcast group: the SA describes it wrongly, or it has another Q_Key";
	case -EINVAL:
		return "broadcast group: the join is refused";
	case -ENOMEM:
		return "broadcast group: no memory";
	default:
		return "broadcast group: it could not be joined";
	}
}

/**
 * ipoib_mcast_set_changed - take notice that a group has been joined, refused or lost
 * @set: the set
 * @group: the group, referenced; may be dead
 *
 * Context: Process context; no lock of the driver is held.
 */
void ipoib_mcast_set_changed(struct ipoib_mcast_set *set,
			     struct ipoib_mcast *group)
{
	struct ipoib_mcast *other;
	bool broadcast;

	spin_lock_bh(&set->lock);
	broadcast = group->state != IPOIB_MCAST_DEAD && is_broadcast(group);
	if (group->reasons & IPOIB_WHY_FALLBACK) {
		/* Senders to groups that do not exist use the route of this group. */
		list_for_each_entry(other, &set->groups, entry)
			if (ipoib_mcast_is_absent(other))
				ipoib_mcast_answer(other);
	}
	if (ipoib_mcast_is_absent(group))
		group->reasons &= ~IPOIB_WHY_LISTED;
	spin_unlock_bh(&set->lock);

	if (broadcast)
		ipoib_dev_kick(ipoib_mcast_set_dev(set), IPOIB_DEV_GROUP);
	ipoib_mcast_set_sync(set);
}

/**
 * ipoib_mcast_set_renew - the broadcast group has other parameters than before
 * @set: the set
 *
 * Groups of which the interface is a full member may have been created with the parameters from
 * before, RFC 4391 section 5. They are left, and joined anew, as are those whose join may have
 * named these parameters. A group that another member keeps stays as it is.
 *
 * Context: Process context; no lock of the driver is held.
 */
void ipoib_mcast_set_renew(struct ipoib_mcast_set *set)
{
	struct ipoib_request *req;
	struct ipoib_mcast *group;

	do {
		req = NULL;
		spin_lock_bh(&set->lock);
		list_for_each_entry(group, &set->groups, entry) {
			if (group->membership != IPOIB_FULL_MEMBER || is_broadcast(group))
				continue;
			req = ipoib_mcast_renew(group);
			if (req)
				break;
		}
		spin_unlock_bh(&set->lock);
		if (req)
			ipoib_request_end(req);
	} while (req);
	ipoib_mcast_set_sync(set);
}

/**
 * ipoib_mcast_set_doubt - there may be another SM, which need not know what ports have joined
 * @set: the set
 * @since: jiffies when that was seen; what was joined later is known
 *
 * The SA is asked for each group whether the port is in it, because not every SM has ports
 * register anew, on which the RDMA core ends all memberships. Those that it lacks are joined once
 * more; it opens no way to the port else. Groups that we only send to are looked at when the SA has
 * agreed to report (IPOIB_REPORT_MISSED).
 *
 * Context: Process context; no lock of the driver is held.
 */
void ipoib_mcast_set_doubt(struct ipoib_mcast_set *set, unsigned long since)
{
	struct ipoib_mcast *group;

	spin_lock_bh(&set->lock);
	list_for_each_entry(group, &set->groups, entry)
		if (group->membership == IPOIB_FULL_MEMBER &&
		    !time_after(group->joined_at, since))
			ipoib_mcast_check(group, false);
	spin_unlock_bh(&set->lock);
	ipoib_mcast_set_sync(set);
}

/* ---- asking and answering --------------------------------------------------- */

/*
 * May groups be asked for? The parameters of a group that a join creates are those of the broadcast
 * group, RFC 4391 section 5. Where that is being joined anew, they may be others soon.
 */
static bool is_ready(struct ipoib_mcast_set *set)
{
	const struct ipoib_mcast *group = find(set, &set->broadcast);

	return group && group->state == IPOIB_MCAST_JOINED;
}

/*
 * Start all requests that are due. Returns true if another will be due later, at @next, in
 * jiffies.
 */
static bool start_due(struct ipoib_mcast_set *set, unsigned long *next)
{
	struct ipoib_mcast *group;
	bool ready = is_ready(set);
	bool again = false;

	lockdep_assert_held(&set->lock);

	list_for_each_entry(group, &set->groups, entry) {
		unsigned long at;

		if (!ready && !is_broadcast(group))
			continue;

		if (ipoib_mcast_due(group))
			ipoib_mcast_start(group);
		ipoib_mcast_check_start(group);
		if (ipoib_mcast_check_due(group, &at) &&
		    (!again || time_before(at, *next))) {
			*next = at;
			again = true;
		}

		/* While an old request is open there is no retry; mcast_release() runs the work. */
		if (group->state == IPOIB_MCAST_BACKOFF && !group->open &&
		    (!again || time_before(group->retry_at, *next))) {
			*next = group->retry_at;
			again = true;
		}
	}
	return again;
}

/*
 * Find the group by whose route packets for @group are sent: @group itself, or, if the SA has
 * said that it does not exist, the all-routers group, because routers know about listeners on
 * other links (section 9 of the draft that led to RFC 4391). If that does not exist either, it
 * is the broadcast group, if the user wants that. Returns NULL if there is none.
 */
static struct ipoib_mcast *find_route(struct ipoib_mcast *group)
{
	struct ipoib_mcast_set *set = group->set;
	struct ipoib_mcast *other;
	union ib_gid routers;

	lockdep_assert_held(&set->lock);

	if (group->routed || !ipoib_mcast_is_absent(group))
		return group->routed ? group : NULL;

	ipoib_mgid_all_routers(&routers, &group->mgid);
	other = find(set, &routers);
	if (other && other->routed)
		return other;

	other = set->to_broadcast ? find(set, &set->broadcast) : NULL;
	return other && other->routed ? other : NULL;
}

/*
 * May switches still be without a way to a group? The SA answers a join first and tells them then.
 * The broadcast group is the one that ipoib_peer_answer() turns to meanwhile, so it has no other.
 */
static bool is_opening(const struct ipoib_mcast *group)
{
	return ipoib_mcast_set_dev(group->set)->fabric.ops->opens_late && group->routed &&
	       !is_broadcast(group) && time_before(jiffies, group->joined_at + OPENING_TIME);
}

/*
 * Answer one sender that waits; returns false if none does. Only one, because the answer is
 * given without @lock: the set may change meanwhile.
 */
static bool answer_one(struct ipoib_mcast_set *set)
{
	struct ipoib_mcast *group, *by = NULL;
	struct ipoib_peer *peer = NULL;
	struct ipoib_route route;
	int err = 0;

	spin_lock_bh(&set->lock);
	list_for_each_entry(group, &set->groups, entry) {
		if (!(group->pending & IPOIB_MCAST_PENDING_ANSWER))
			continue;

		group->pending &= ~IPOIB_MCAST_PENDING_ANSWER;
		peer = group->peer;
		ipoib_peer_hold(peer);
		by = find_route(group);
		if (by) {
			route = by->route;
			rdma_copy_ah_attr(&route.attr, &by->route.attr);
			route.opening = is_opening(group);
		} else {
			err = group->last_error ?: -ENETRESET;
		}
		break;
	}
	spin_unlock_bh(&set->lock);

	if (!peer)
		return false;

	ipoib_peer_answer(peer, err, &route);
	ipoib_peer_put(peer);
	if (!err)
		rdma_destroy_ah_attr(&route.attr);
	return true;
}

/* ---- the list of all groups -------------------------------------------------- */

/*
 * A router joins a group that was listed or reported. If there is no memory for the group, or no
 * room, the list is asked for again, for nothing else would tell of it: soon, or when there are
 * fewer groups.
 */
static void hear(struct ipoib_mcast_set *set, const union ib_gid *mgid)
{
	struct ipoib_mcast *group;

	lockdep_assert_held(&set->lock);

	if (!set->running || !set->router ||
	    !ipoib_mgid_on_link(mgid, &set->broadcast))
		return;

	group = find(set, mgid);
	if (!group)
		group = add(set, mgid, IPOIB_NON_MEMBER);
	if (group) {
		group->reasons |= IPOIB_WHY_LISTED;
		group->listed_in = set->lists;
	} else if (has_room(set, mgid, IPOIB_NON_MEMBER)) {
		set->relist = true;
	} else {
		set->unheard = true;
	}
}

static void list_each(void *ctx, const union ib_gid *mgid)
{
	struct ipoib_mcast_set *set = ctx;

	spin_lock_bh(&set->lock);
	hear(set, mgid);
	spin_unlock_bh(&set->lock);
}

static void list_done(void *ctx, int err, const struct ipoib_route *route)
{
	struct ipoib_mcast_set *set = ctx;
	struct ipoib_request *req;
	struct ipoib_mcast *group;

	spin_lock_bh(&set->lock);
	req = set->list;
	set->list = NULL;
	if (err) {
		set->relist = true;
		set->list_failures++;
		set->list_at = jiffies +
			msecs_to_jiffies(ipoib_backoff_ms(&list_delay,
							  set->list_failures,
							  get_random_u32()));
	} else {
		set->list_failures = 0;
		set->list_at = jiffies + RELIST_DELAY;
		list_for_each_entry(group, &set->groups, entry)
			if (group->listed_in != set->lists)
				group->reasons &= ~IPOIB_WHY_LISTED;
	}
	spin_unlock_bh(&set->lock);

	if (req)
		ipoib_request_end(req);
	ipoib_mcast_set_sync(set);
}

static void list_release(void *ctx)
{
	struct ipoib_mcast_set *set = ctx;

	spin_lock_bh(&set->lock);
	set->listing = false;
	spin_unlock_bh(&set->lock);
}

/* Ask for the list of all groups if it is time. Returns true if it is due later, at list_at. */
static bool start_list(struct ipoib_mcast_set *set)
{
	struct ipoib_dev *idev = ipoib_mcast_set_dev(set);
	const struct ipoib_request_owner owner = {
		.ctx		= set,
		.done		= list_done,
		.each		= list_each,
		.release	= list_release,
	};

	lockdep_assert_held(&set->lock);

	if (set->unheard &&
	    READ_ONCE(set->count[IPOIB_NON_MEMBER]) < limits[IPOIB_NON_MEMBER] * 3 / 4) {
		set->unheard = false;
		set->relist = true;
	}
	if (!is_ready(set) || !set->router || !set->relist || set->list ||
	    !idev->fabric.ops->list)
		return false;
	if (time_before(jiffies, set->list_at))
		return true;
	if (set->listing) {
		/*
		 * ipoib_mcast_set_stop() has ended an earlier request, and list_each() may
		 * still be called for it. It must not mix with a new list.
		 */
		set->list_at = jiffies + NO_ROOM_DELAY;
		return true;
	}

	set->lists++;
	set->listing = true;
	set->list = idev->fabric.ops->list(&idev->fabric, &owner);
	if (IS_ERR(set->list)) {
		set->list = NULL;
		set->listing = false;
		set->list_at = jiffies + NO_ROOM_DELAY;
		return true;
	}
	set->relist = false;
	return false;
}

/**
 * ipoib_mcast_set_report - handle a report of the fabric about a group
 * @set: the set
 * @report: what happened; IPOIB_REPORT_NODE is ignored
 * @mgid: MGID of the group; unused for IPOIB_REPORT_MISSED
 *
 * Anybody can forge a report, so it ends no membership by itself: the SA is asked.
 *
 * Context: Process context.
 */
void ipoib_mcast_set_report(struct ipoib_mcast_set *set,
			    enum ipoib_report report, const union ib_gid *mgid)
{
	struct ipoib_mcast *group;

	spin_lock_bh(&set->lock);
	switch (report) {
	case IPOIB_REPORT_GROUP:
		hear(set, mgid);
		group = find(set, mgid);
		if (group && group->state != IPOIB_MCAST_JOINED)
			ipoib_mcast_again(group);
		break;
	case IPOIB_REPORT_NO_GROUP:
		group = find(set, mgid);
		/* A joined group is given up only if the SA confirms that it is gone. */
		if (group && group->state == IPOIB_MCAST_JOINED)
			ipoib_mcast_check(group, true);
		else if (group)
			group->reasons &= ~IPOIB_WHY_LISTED;
		break;
	case IPOIB_REPORT_MISSED:
		set->relist = true;
		/* The SA may be there again: do not wait for the end of a long back-off. */
		if (time_after(set->list_at, jiffies + RELIST_DELAY))
			set->list_at = jiffies + RELIST_DELAY;
		list_for_each_entry(group, &set->groups, entry) {
			if (ipoib_mcast_is_absent(group) || group->state == IPOIB_MCAST_JOINING)
				ipoib_mcast_again(group);
			else if (group->membership != IPOIB_FULL_MEMBER)
				ipoib_mcast_check(group, false);
		}
		break;
	default:
		break;
	}
	spin_unlock_bh(&set->lock);

	ipoib_mcast_set_sync(set);
}

/* ---- the work ------------------------------------------------------------------ */

/*
 * Log once that a limit has been reached, and not again before a quarter of the places has
 * been free: groups that come and go at the limit would fill the log. The limit of groups that
 * are only sent to is not logged, because evict_senders() makes room for new ones.
 */
static void tell_full(struct ipoib_mcast_set *set, unsigned int full)
{
	static const char * const what[IPOIB_MEMBERSHIPS] = {
		[IPOIB_NON_MEMBER]	= "heard",
		[IPOIB_FULL_MEMBER]	= "joined",
	};
	int i;

	for (i = 0; i < IPOIB_MEMBERSHIPS; i++) {
		if (READ_ONCE(set->count[i]) < limits[i] * 3 / 4)
			set->logged &= ~BIT(i);
		if (!what[i] || !(full & ~set->logged & BIT(i)) || !ipoib_may_log())
			continue;
		netdev_warn(ipoib_mcast_set_dev(set)->dev, "more than %u groups, some are not %s\n",
			    READ_ONCE(set->count[i]), what[i]);
		set->logged |= BIT(i);
	}
}

static void mcast_set_work(struct work_struct *work)
{
	struct ipoib_mcast_set *set =
		container_of(to_delayed_work(work), struct ipoib_mcast_set,
			     work);
	unsigned long next = 0;
	unsigned int full;
	unsigned int noio = memalloc_noio_save();
	bool room, left, again;
	LIST_HEAD(dead);

	/* 1. Add groups that are needed, remove those that are not. */
	evict_senders(set);
	search_scope(set, &dead);
	room = sweep(set, &dead, &full);
	tell_full(set, full);

	/* 2. Detach from removed groups, before step 3 lets a successor attach to the same MGID. */
	leave_all(&dead);

	/* 3. Start requests that are due, then answer senders that wait. */
	spin_lock_bh(&set->lock);
	left = set->running && set->left;
	again = set->running && start_due(set, &next);
	if (set->running && start_list(set) &&
	    (!again || time_before(set->list_at, next))) {
		next = set->list_at;
		again = true;
	}
	spin_unlock_bh(&set->lock);
	while (answer_one(set))
		cond_resched();
	memalloc_noio_restore(noio);

	if (!room && (!again || time_after(next, jiffies + NO_ROOM_DELAY))) {
		next = jiffies + NO_ROOM_DELAY;
		again = true;
	}
	if (left && (!again || time_after(next, jiffies + LEFT_DELAY))) {
		next = jiffies + LEFT_DELAY;
		again = true;
	}
	/*
	 * queue_delayed_work() does nothing if ipoib_mcast_set_sync() has queued the work
	 * meanwhile: it runs soon.
	 */
	if (again)
		queue_delayed_work(ipoib_mcast_set_dev(set)->fabric.wq, &set->work,
				   time_after(next, jiffies) ?
				   next - jiffies : 0);
}

/**
 * ipoib_mcast_set_start - join the broadcast group, and then all others
 * @set: the set, which is stopped
 * @broadcast: MGID of the broadcast group. RFC 4391 section 5: without it the interface is
 *	not part of the link
 * @search: if there is no broadcast group of this scope, look for one in wider scopes
 *
 * Return: 0 or -ENOMEM.
 * Context: Process context; the device's lock is held.
 */
int ipoib_mcast_set_start(struct ipoib_mcast_set *set,
			  const union ib_gid *broadcast, bool search)
{
	struct ipoib_mcast *group;

	spin_lock_bh(&set->lock);
	set->broadcast = *broadcast;
	set->search = search;
	set->router = false;
	group = add(set, broadcast, IPOIB_FULL_MEMBER);
	if (group)
		group->reasons = IPOIB_WHY_WANTED;
	WRITE_ONCE(set->running, group);
	spin_unlock_bh(&set->lock);
	if (!group)
		return -ENOMEM;

	ipoib_mcast_set_sync(set);
	return 0;
}

/**
 * ipoib_mcast_set_stop - leave all groups
 * @set: the set, started or stopped
 *
 * The function does not wait until the fabric has ended the memberships.
 *
 * Context: Process context, may sleep; the device's lock is held, RTNL may be.
 */
void ipoib_mcast_set_stop(struct ipoib_mcast_set *set)
{
	struct ipoib_request *list;
	struct ipoib_mcast *group, *next;
	LIST_HEAD(dead);

	/* 1. Empty the set: no group is found any more; @running keeps others from adding one. */
	spin_lock_bh(&set->lock);
	WRITE_ONCE(set->running, false);
	list = set->list;
	set->list = NULL;
	list_for_each_entry_safe(group, next, &set->groups, entry)
		remove(group, &dead);
	spin_unlock_bh(&set->lock);

	/* 2. Safe although we may hold RTNL and the device's lock: the work takes neither. */
	cancel_delayed_work_sync(&set->work);

	/* 3. Leave the groups. Answers that are under way find them dead. */
	leave_all(&dead);
	if (list)
		ipoib_request_end(list);
}

/**
 * ipoib_mcast_set_exit - undo ipoib_mcast_set_init()
 * @set: the set, which is stopped; the interface has no other users any more
 *
 * A caller of ipoib_mcast_set_sync() that has seen @running just before it was cleared may
 * have queued the work after ipoib_mcast_set_stop() had cancelled it.
 *
 * Context: Process context, may sleep.
 */
void ipoib_mcast_set_exit(struct ipoib_mcast_set *set)
{
	cancel_delayed_work_sync(&set->work);
}

/**
 * ipoib_mcast_set_to_broadcast - choose where packets for groups that do not exist go
 * @set: the set
 * @to_broadcast: true: without an all-routers group they go to the broadcast group; false:
 *	they are dropped
 *
 * Context: Any but hard interrupt.
 */
void ipoib_mcast_set_to_broadcast(struct ipoib_mcast_set *set, bool to_broadcast)
{
	struct ipoib_mcast *group;

	spin_lock_bh(&set->lock);
	set->to_broadcast = to_broadcast;
	list_for_each_entry(group, &set->groups, entry)
		if (ipoib_mcast_is_absent(group))
			ipoib_mcast_answer(group);
	spin_unlock_bh(&set->lock);
	ipoib_mcast_set_sync(set);
}

/* ---- senders --------------------------------------------------------------------- */

/**
 * ipoib_mcast_set_ask - ask for the route of a peer that sends to a group
 * @set: the set
 * @peer: peer whose address is that of a group, referenced
 *
 * mcast_set_work() calls ipoib_peer_answer() when the group is joined or refused, and again
 * whenever it is joined anew, until ipoib_mcast_set_forget() is called.
 *
 * Return: 0; -ENETDOWN while the set is stopped; -EADDRNOTAVAIL for a group of another link;
 * -ENOMEM without room or memory.
 * Context: Any but hard interrupt; the peer's lock is held.
 */
int ipoib_mcast_set_ask(struct ipoib_mcast_set *set, struct ipoib_peer *peer)
{
	struct ipoib_peer *old = NULL;
	struct ipoib_mcast *group;
	union ib_gid mgid;
	int err = 0;

	lockdep_assert_held(&peer->lock);

	ipoib_hwaddr_gid(&peer->addr, &mgid);
	spin_lock_bh(&set->lock);
	if (!set->running) {
		err = -ENETDOWN;
		goto out_unlock;
	}
	if (!ipoib_mgid_on_link(&mgid, &set->broadcast)) {
		err = -EADDRNOTAVAIL;
		goto out_unlock;
	}

	group = find(set, &mgid);
	if (!group)
		group = add(set, &mgid, IPOIB_SEND_ONLY);
	if (!group) {
		err = -ENOMEM;
		goto out_unlock;
	}

	if (group->peer != peer) {
		old = group->peer;
		group->peer = peer;
		ipoib_peer_hold(peer);
	}
	/* An answer from before would not be one to this question. */
	group->pending &= ~IPOIB_MCAST_PENDING_ANSWER;
	if (group->routed || group->state == IPOIB_MCAST_BACKOFF)
		ipoib_mcast_answer(group);
out_unlock:
	spin_unlock_bh(&set->lock);
	if (old)
		ipoib_peer_put(old);
	if (!err)
		ipoib_mcast_set_sync(set);
	return err;
}

/**
 * ipoib_mcast_set_forget - undo ipoib_mcast_set_ask()
 * @set: the set
 * @peer: peer that no longer sends to its group
 *
 * Context: Any but hard interrupt.
 */
void ipoib_mcast_set_forget(struct ipoib_mcast_set *set,
			    struct ipoib_peer *peer)
{
	struct ipoib_mcast *group;
	union ib_gid mgid;
	bool found;

	ipoib_hwaddr_gid(&peer->addr, &mgid);
	spin_lock_bh(&set->lock);
	group = find(set, &mgid);
	found = group && group->peer == peer;
	if (found) {
		group->peer = NULL;
		group->pending &= ~IPOIB_MCAST_PENDING_ANSWER;
	}
	spin_unlock_bh(&set->lock);

	if (found) {
		ipoib_peer_put(peer);
		ipoib_mcast_set_sync(set);
	}
}

/**
 * ipoib_mcast_set_walk - call a function for every group
 * @set: the set
 * @fn: function to call, with the set's lock held
 * @ctx: argument of @fn
 *
 * Context: Any but hard interrupt.
 */
void ipoib_mcast_set_walk(struct ipoib_mcast_set *set,
			  void (*fn)(void *ctx, const struct ipoib_mcast *group),
			  void *ctx)
{
	struct ipoib_mcast *group;

	spin_lock_bh(&set->lock);
	list_for_each_entry(group, &set->groups, entry)
		fn(ctx, group);
	spin_unlock_bh(&set->lock);
}
