// SPDX-License-Identifier: GPL-2.0
#include "netdev.h"

#include <linux/debugfs.h>
#include <linux/rtnetlink.h>
#include <linux/seq_file.h>

#include "device.h"

/*
 * No file here may wait for RTNL, because ipoib_debugfs_del() waits for readers while RTNL is
 * held.
 */

static struct dentry *root;

static int objects_show(struct seq_file *seq, void *unused)
{
	int i;

	for (i = 0; i < IPOIB_OBJECTS; i++) {
		u64 created, destroyed;
		const char *name;

		ipoib_objects_read(i, &name, &created, &destroyed);
		seq_printf(seq, "%s %llu %llu\n", name, created, destroyed);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(objects);

static void show_link(struct seq_file *seq, const struct ipoib_dev *idev)
{
	const struct ipoib_link *link = &idev->fabric.link;

	lockdep_assert_held(&idev->lock);

	seq_printf(seq, "gid: %pI6c\n", link->gid.raw);
	if (link->gid_attr)
		seq_printf(seq, "gid_index: %u\n", link->gid_attr->index);
	seq_printf(seq, "lid: %u\n", link->lid);
	seq_printf(seq, "qpn: 0x%06x\n", READ_ONCE(idev->qp.qpn));
	seq_printf(seq, "pkey: 0x%04x\n", idev->fabric.pkey);
	if (ipoib_link_is_limited(link))
		seq_printf(seq, "membership: limited, %s\n", IPOIB_LIMITED_TEXT);
	else
		seq_printf(seq, "membership: %s\n", link->pkey_entry ? "full" : "none");
	seq_printf(seq, "qkey: 0x%08x\n", idev->qkey);
	seq_printf(seq, "broadcast: %pI6c\n", idev->broadcast.raw);
	seq_printf(seq, "mtu: %u\n", idev->max_len);
	seq_printf(seq, "user_mtu: %u\n", READ_ONCE(idev->user_mtu));
	seq_printf(seq, "speed: %u\n", link->speed);
	seq_printf(seq, "port_qkey_violations: %u\n", link->qkey_violations);
	seq_printf(seq, "port_pkey_violations: %u\n", link->pkey_violations);
}

static void show_moder(struct seq_file *seq, const char *name, const struct ipoib_moder *moder)
{
	seq_printf(seq, "%s: %u us, %u frames\n", name, READ_ONCE(moder->usecs),
		   READ_ONCE(moder->frames));
}

static int status_show(struct seq_file *seq, void *unused)
{
	struct ipoib_dev *idev = seq->private;

	mutex_lock(&idev->lock);
	seq_printf(seq, "interface: %s\n", idev->dev->name);
	seq_printf(seq, "fabric: %s\n", idev->fabric.ops->name);
	seq_printf(seq, "state: %s\n", ipoib_fsm_name(&ipoib_dev_fsm, idev->state));
	seq_printf(seq, "reason: %s\n", ipoib_dev_reason(idev));
	show_link(seq, idev);
	seq_printf(seq, "peers: %u\n", READ_ONCE(idev->peers.count));
	seq_printf(seq, "peer_limit: %u\n", IPOIB_MAX_PEERS);
	seq_printf(seq, "groups: %u\n", ipoib_mcast_set_count(&idev->mcast));
	seq_printf(seq, "group_limit: %u\n", IPOIB_MAX_MEMBER_GROUPS);
	seq_printf(seq, "send_group_limit: %u\n", IPOIB_MAX_SEND_GROUPS);
	seq_printf(seq, "qp_recoveries: %u\n", idev->recoveries);
	show_moder(seq, "rx_moderation", &idev->rx.moder);
	show_moder(seq, "tx_moderation", &idev->tx.moder);
	seq_printf(seq, "conn_buffers_posted: %u\n",
		   idev->conn_set ? ipoib_conn_queues_posted(idev->conn_set) : 0);
	mutex_unlock(&idev->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(status);

static void show_peer(void *ctx, const struct ipoib_peer *peer)
{
	struct seq_file *seq = ctx;

	seq_printf(seq, "%20phC state=%s idle_ms=%u staged=%u failures=%u\n",
		   &peer->addr, ipoib_fsm_name(&ipoib_peer_fsm, peer->state),
		   jiffies_to_msecs(jiffies - READ_ONCE(peer->used)),
		   peer->staged_bytes, peer->failures);
}

static int peers_show(struct seq_file *seq, void *unused)
{
	struct ipoib_dev *idev = seq->private;

	ipoib_peertable_walk(&idev->peers, show_peer, seq);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(peers);

static void show_conn(void *ctx, const struct ipoib_conn *conn)
{
	struct seq_file *seq = ctx;

	seq_printf(seq, "%20phC qpn=0x%06x transport=%s service=%s opened_by=%s state=%s mtu=%u peer_receives=%u age_ms=%u idle_ms=%u sent=%llu received=%llu alternate=%s migrations=%u link_checksums=%s bundle=%u\n",
		   &conn->addr, READ_ONCE(conn->qpn), ipoib_conn_type_name(conn),
		   ipoib_conn_service_name(conn), conn->active ? "us" : "peer",
		   ipoib_fsm_name(&ipoib_conn_fsm, READ_ONCE(conn->state)),
		   READ_ONCE(conn->mtu), READ_ONCE(conn->theirs.mtu),
		   jiffies_to_msecs(jiffies - conn->since),
		   jiffies_to_msecs(jiffies - READ_ONCE(conn->used)),
		   READ_ONCE(conn->sent),
		   READ_ONCE(conn->received),
		   ipoib_conn_alt_is_loaded(conn) ? "yes" : "no",
		   READ_ONCE(conn->migrations), READ_ONCE(conn->to.link_sums) ? "yes" : "no",
		   (unsigned int)(conn->tx - conn->set->txs));
}

static int connections_show(struct seq_file *seq, void *unused)
{
	struct ipoib_dev *idev = seq->private;

	mutex_lock(&idev->lock);
	if (idev->conn_set)
		ipoib_conn_set_walk(idev->conn_set, show_conn, seq);
	mutex_unlock(&idev->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(connections);

static void show_group(void *ctx, const struct ipoib_mcast *group)
{
	struct seq_file *seq = ctx;

	seq_printf(seq, "%pI6c state=%s flags=%s%s%s mlid=0x%04x failures=%u error=%d\n",
		   group->mgid.raw, ipoib_fsm_name(&ipoib_mcast_fsm, group->state),
		   ipoib_mcast_membership(group),
		   group->attached ? ",attached" : "",
		   ipoib_mcast_is_absent(group) ? ",absent" : "", group->route.mlid,
		   group->failures, group->last_error);
}

static int groups_show(struct seq_file *seq, void *unused)
{
	struct ipoib_dev *idev = seq->private;

	ipoib_mcast_set_walk(&idev->mcast, show_group, seq);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(groups);

/**
 * ipoib_debugfs_init - make the directory of the module
 * @kind: its name
 *
 * Context: Process context, module initialisation.
 */
void ipoib_debugfs_init(const char *kind)
{
	root = debugfs_create_dir(kind, NULL);
	debugfs_create_file("objects", 0400, root, NULL, &objects_fops);
}

/**
 * ipoib_debugfs_exit - remove the directory of the module
 *
 * Context: Process context, module exit.
 */
void ipoib_debugfs_exit(void)
{
	debugfs_remove_recursive(root);
}

#define DIR_NAME_MAX	(IB_DEVICE_NAME_MAX + 32)

/*
 * Port and P_Key name an interface, but children may share a P_Key, and devices in two network
 * namespaces may have the same name if they are not shared. So name_dir() appends the first
 * number from 2 on that makes another name. There are fewer interfaces than numbers to try.
 */
static void name_dir(char *name, const struct ipoib_dev *idev, u16 pkey)
{
	struct dentry *taken;
	unsigned int n;
	int len;

	ASSERT_RTNL();
	len = scnprintf(name, DIR_NAME_MAX, "%s.%u.%04x", idev->fabric.ibdev->name,
			idev->fabric.port, pkey);
	for (n = 2; n <= U16_MAX; n++) {
		taken = debugfs_lookup(name, root);
		if (IS_ERR_OR_NULL(taken))
			return;
		dput(taken);
		if (taken == idev->debugfs)
			return;
		scnprintf(name + len, DIR_NAME_MAX - len, ".%u", n);
	}
}

/**
 * ipoib_debugfs_add - make the directory of an interface
 * @idev: the interface
 *
 * The directory is named after port and P_Key, because the names of interfaces may be the same
 * in two network namespaces.
 *
 * Context: Process context, RTNL held.
 */
void ipoib_debugfs_add(struct ipoib_dev *idev)
{
	char name[DIR_NAME_MAX];

	name_dir(name, idev, idev->fabric.pkey);
	idev->debugfs = debugfs_create_dir(name, root);
	debugfs_create_file("status", 0400, idev->debugfs, idev, &status_fops);
	debugfs_create_file("peers", 0400, idev->debugfs, idev, &peers_fops);
	debugfs_create_file("connections", 0400, idev->debugfs, idev, &connections_fops);
	debugfs_create_file("groups", 0400, idev->debugfs, idev, &groups_fops);
	debugfs_create_u32("conn_idle_ms", 0600, idev->debugfs,
			   &idev->conn_idle_ms);
}

/**
 * ipoib_debugfs_rename - rename the directory of an interface after its port and P_Key
 * @idev: the interface; one that is not registered has no directory
 * @pkey: P_Key of the interface from now on
 *
 * Context: Process context, RTNL held; the caller holds no lock that readers take.
 */
void ipoib_debugfs_rename(struct ipoib_dev *idev, u16 pkey)
{
	char name[DIR_NAME_MAX];

	ASSERT_RTNL();
	if (idev->dev->reg_state != NETREG_REGISTERED)
		return;
	name_dir(name, idev, pkey);
	debugfs_change_name(idev->debugfs, "%s", name);
}

/**
 * ipoib_debugfs_del - remove the directory of an interface
 * @idev: the interface
 *
 * Waits for readers of its files.
 *
 * Context: Process context, may sleep.
 */
void ipoib_debugfs_del(struct ipoib_dev *idev)
{
	debugfs_remove_recursive(idev->debugfs);
}
