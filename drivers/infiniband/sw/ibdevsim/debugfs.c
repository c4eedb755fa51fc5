// SPDX-License-Identifier: GPL-2.0
#include "debugfs.h"

#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "fabric.h"
#include "qp.h"
#include "rq.h"

#define WORD_MAX	32

/* Reads what a user has written into a terminated string. */
static ssize_t get_words(char words[WORD_MAX], const char __user *from,
			 size_t len)
{
	if (len >= WORD_MAX)
		return -EINVAL;
	if (copy_from_user(words, from, len))
		return -EFAULT;
	words[len] = '\0';
	return len;
}

/* --- the fabric ---------------------------------------------------------- */

static int seed_get(void *data, u64 *value)
{
	struct ibds_fabric *fab = data;

	*value = fab->faults.seed;
	return 0;
}

static int seed_set(void *data, u64 value)
{
	struct ibds_fabric *fab = data;

	ibds_faults_seed(&fab->faults, value);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(seed_fops, seed_get, seed_set, "%llu\n");

/* A rate's file has the rate for its data, and not the fabric. */
static struct ibds_fabric *the_fabric;

static int rate_get(void *data, u64 *value)
{
	*value = READ_ONCE(*(u32 *)data);
	return 0;
}

static int rate_set(void *data, u64 value)
{
	if (value > 1000000)
		return -EINVAL;
	WRITE_ONCE(*(u32 *)data, value);
	ibds_faults_rearm(&the_fabric->faults);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(rate_fops, rate_get, rate_set, "%llu\n");

static int dlid_set(void *data, u64 value)
{
	if (value >= IBDS_LID_MCAST)
		return -EINVAL;
	WRITE_ONCE(*(u32 *)data, value);
	ibds_faults_rearm(&the_fabric->faults);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(dlid_fops, rate_get, dlid_set, "%llu\n");

/* Of each class one, by the name of "drop_rc_ppm" and the like. */
static void add_knobs(struct ibds_fabric *fab, const char *what, u32 *values,
		      const char *unit, const struct file_operations *fops)
{
	char name[32];
	int i;

	for (i = 0; i < IBDS_CLASS_COUNT; i++) {
		snprintf(name, sizeof(name), "%s_%s_%s", what,
			 ibds_class_name(i), unit);
		debugfs_create_file_unsafe(name, 0600, fab->debugfs, &values[i],
					   fops);
	}
}

static int switch_show(struct seq_file *seq, void *unused)
{
	struct ibds_fabric *fab = seq->private;
	unsigned int i;

	spin_lock_bh(&fab->lock);
	for (i = 0; i <= fab->sw.node.nports; i++) {
		const struct ibds_port *port = ibds_switch_port(fab, i);

		seq_printf(seq, "%u state %u phys %u mtu %u lid %u\n", i,
			   port->state, port->phys,
			   ib_mtu_enum_to_int(port->mtu), port->lid);
	}
	spin_unlock_bh(&fab->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(switch);

/**
 * ibds_debugfs_init - make the module's directory
 * @fab: the fabric
 *
 * Context: Process context, module initialisation.
 */
void ibds_debugfs_init(struct ibds_fabric *fab)
{
	the_fabric = fab;
	fab->debugfs = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("seed", 0600, fab->debugfs, fab, &seed_fops);
	debugfs_create_u32("delay_usec", 0600, fab->debugfs,
			   &fab->faults.delay_usec);
	debugfs_create_bool("no_srq", 0600, fab->debugfs, &fab->no_srq);
	debugfs_create_file("switch", 0400, fab->debugfs, fab, &switch_fops);
	add_knobs(fab, "drop", fab->faults.drop, "ppm", &rate_fops);
	add_knobs(fab, "drop", fab->faults.drop_dlid, "dlid", &dlid_fops);
	add_knobs(fab, "dup", fab->faults.dup, "ppm", &rate_fops);
	add_knobs(fab, "delay", fab->faults.delay, "ppm", &rate_fops);
}

/**
 * ibds_debugfs_exit - remove the module's directory
 * @fab: the fabric
 *
 * Context: Process context, module exit; waits for readers and writers.
 */
void ibds_debugfs_exit(struct ibds_fabric *fab)
{
	debugfs_remove_recursive(fab->debugfs);
}

/* --- one HCA -------------------------------------------------------------- */

static int link_get(void *data, u64 *value)
{
	struct ibds_hca *hca = data;

	*value = READ_ONCE(hca->port.cabled);
	return 0;
}

static int link_set(void *data, u64 value)
{
	struct ibds_hca *hca = data;
	struct ibds_fabric *fab = hca->fab;
	enum ibds_link how;

	if (value > 1)
		return -EINVAL;
	spin_lock_bh(&fab->lock);
	WRITE_ONCE(hca->port.cabled, value);
	how = ibds_link_update(fab, hca->index, false);
	spin_unlock_bh(&fab->lock);
	ibds_link_changed(fab, hca->index, how);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(link_fops, link_get, link_set, "%llu\n");

static int lid_get(void *data, u64 *value)
{
	struct ibds_hca *hca = data;

	*value = READ_ONCE(hca->port.lid);
	return 0;
}

static int lid_set(void *data, u64 value)
{
	struct ibds_hca *hca = data;
	struct ibds_fabric *fab = hca->fab;
	u16 old, i;

	if (!value || value >= IBDS_LID_MCAST)
		return -EINVAL;
	spin_lock_bh(&fab->lock);
	old = hca->port.lid;
	value &= ~0ULL << hca->port.lmc;
	if (!value) {
		spin_unlock_bh(&fab->lock);
		return -EINVAL;
	}
	WRITE_ONCE(hca->port.lid, value);
	/* The switch knows the new ones, and for a while the old ones, too. */
	for (i = 0; i < 1 << hca->port.lmc; i++)
		WRITE_ONCE(fab->sw.lft[value + i], hca->index);
	spin_unlock_bh(&fab->lock);
	if (old != value)
		ibds_hca_event(hca, IB_EVENT_LID_CHANGE);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(lid_fops, lid_get, lid_set, "%llu\n");

static int migration_get(void *data, u64 *value)
{
	*value = ibds_hca_migrates(data);
	return 0;
}

static int migration_set(void *data, u64 value)
{
	struct ibds_hca *hca = data;
	struct ib_device_attr *attrs = &hca->ibdev.attrs;
	u64 flags;

	if (value > 1)
		return -EINVAL;
	spin_lock_bh(&hca->fab->lock);
	flags = attrs->device_cap_flags & ~(u64)IB_DEVICE_AUTO_PATH_MIG;
	if (value)
		flags |= IB_DEVICE_AUTO_PATH_MIG;
	WRITE_ONCE(attrs->device_cap_flags, flags);
	spin_unlock_bh(&hca->fab->lock);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(migration_fops, migration_get, migration_set, "%llu\n");

static int mtu_cap_get(void *data, u64 *value)
{
	struct ibds_hca *hca = data;

	*value = ib_mtu_enum_to_int(READ_ONCE(hca->port.mtu_cap));
	return 0;
}

/* A subnet manager learns of it when it looks at the port the next time. */
static int mtu_cap_set(void *data, u64 value)
{
	struct ibds_hca *hca = data;
	struct ibds_port *port = &hca->port;
	enum ib_mtu cap;

	for (cap = IB_MTU_256; ib_mtu_enum_to_int(cap) != value; cap++)
		if (cap == IBDS_MTU_CAP)
			return -EINVAL;
	spin_lock_bh(port->lock);
	WRITE_ONCE(port->mtu_cap, cap);
	WRITE_ONCE(port->mtu, min_t(u8, port->mtu, cap));
	spin_unlock_bh(port->lock);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(mtu_cap_fops, mtu_cap_get, mtu_cap_set, "%llu\n");

static int pkeys_show(struct seq_file *seq, void *unused)
{
	struct ibds_hca *hca = seq->private;
	int i;

	for (i = 0; i < IBDS_PKEYS; i++)
		if (READ_ONCE(hca->port.pkeys[i]))
			seq_printf(seq, "%d 0x%04x\n", i,
				   READ_ONCE(hca->port.pkeys[i]));
	return 0;
}

static int pkeys_open(struct inode *inode, struct file *file)
{
	return single_open(file, pkeys_show, inode->i_private);
}

/* "INDEX PKEY"; 0 empties an entry. */
static ssize_t pkeys_write(struct file *file, const char __user *from,
			   size_t len, loff_t *pos)
{
	struct ibds_hca *hca = file_inode(file)->i_private;
	unsigned int index, pkey;
	char words[WORD_MAX];
	ssize_t n = get_words(words, from, len);

	if (n < 0)
		return n;
	if (sscanf(words, "%u %i", &index, &pkey) != 2 ||
	    index >= IBDS_PKEYS || pkey > U16_MAX)
		return -EINVAL;
	spin_lock_bh(hca->port.lock);
	WRITE_ONCE(hca->port.pkeys[index], pkey);
	spin_unlock_bh(hca->port.lock);
	ibds_hca_event(hca, IB_EVENT_PKEY_CHANGE);
	return n;
}

static int guids_show(struct seq_file *seq, void *unused)
{
	struct ibds_hca *hca = seq->private;
	int i;

	for (i = 0; i < IBDS_GUIDS; i++)
		if (READ_ONCE(hca->port.guids[i]))
			seq_printf(seq, "%d 0x%016llx\n", i,
				   READ_ONCE(hca->port.guids[i]));
	return 0;
}

static int guids_open(struct inode *inode, struct file *file)
{
	return single_open(file, guids_show, inode->i_private);
}

/* "INDEX GUID"; 0 empties an entry. The first one is the port's own. */
static ssize_t guids_write(struct file *file, const char __user *from,
			   size_t len, loff_t *pos)
{
	struct ibds_hca *hca = file_inode(file)->i_private;
	char words[WORD_MAX];
	ssize_t n = get_words(words, from, len);
	unsigned int index;
	u64 guid;

	if (n < 0)
		return n;
	if (sscanf(words, "%u %lli", &index, &guid) != 2 ||
	    !index || index >= IBDS_GUIDS)
		return -EINVAL;
	spin_lock_bh(hca->port.lock);
	WRITE_ONCE(hca->port.guids[index], guid);
	spin_unlock_bh(hca->port.lock);
	ibds_hca_event(hca, IB_EVENT_GID_CHANGE);
	return n;
}

static const struct file_operations guids_fops = {
	.owner		= THIS_MODULE,
	.open		= guids_open,
	.read		= seq_read,
	.write		= guids_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static const struct file_operations pkeys_fops = {
	.owner		= THIS_MODULE,
	.open		= pkeys_open,
	.read		= seq_read,
	.write		= pkeys_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

/* Does something to a queue pair named by its number. */
static int with_qp(struct ibds_hca *hca, u64 qpn, enum ibds_todo todo)
{
	struct ibds_qp *qp;

	rcu_read_lock();
	qp = qpn <= IBDS_QPN_MASK ? ibds_qp_find(hca, qpn) : NULL;
	if (qp)
		ibds_qp_todo(qp, todo);
	rcu_read_unlock();
	return qp ? 0 : -ENOENT;
}

static int qp_fatal_set(void *data, u64 value)
{
	return with_qp(data, value, IBDS_TODO_FATAL);
}
DEFINE_DEBUGFS_ATTRIBUTE(qp_fatal_fops, NULL, qp_fatal_set, "%llu\n");

static int qp_error_set(void *data, u64 value)
{
	return with_qp(data, value, IBDS_TODO_ERROR);
}
DEFINE_DEBUGFS_ATTRIBUTE(qp_error_fops, NULL, qp_error_set, "%llu\n");

static int qps_show(struct seq_file *seq, void *unused)
{
	struct ibds_hca *hca = seq->private;
	struct ibds_qp *qp;
	int i;

	rcu_read_lock();
	for (i = 0; i < IBDS_QP_HASH; i++)
		hlist_for_each_entry_rcu(qp, &hca->qps[i], hash)
			seq_printf(seq, "%u type %u state %u\n",
				   qp->ibqp.qp_num, qp->ibqp.qp_type,
				   READ_ONCE(qp->state));
	rcu_read_unlock();
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(qps);

static int srqs_show(struct seq_file *seq, void *unused)
{
	struct ibds_hca *hca = seq->private;
	struct ibds_srq *srq;

	spin_lock_bh(&hca->table_lock);
	list_for_each_entry(srq, &hca->srqs, node)
		seq_printf(seq, "room %u posted %u\n", ibds_rq_space(&srq->rq),
			   ibds_rq_posted(&srq->rq));
	spin_unlock_bh(&hca->table_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(srqs);

static int counters_show(struct seq_file *seq, void *unused)
{
	struct ibds_hca *hca = seq->private;
	struct ibds_counters sum;
	int i;

	ibds_port_read(&hca->port, &sum);
	for (i = 0; i < IBDS_COUNTERS; i++)
		seq_printf(seq, "%s %llu\n", ibds_counter_name(i), sum.n[i]);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counters);

/**
 * ibds_debugfs_add - make an HCA's directory
 * @hca: the HCA
 *
 * Context: Process context.
 */
void ibds_debugfs_add(struct ibds_hca *hca)
{
	struct ibds_hca_faults *faults = &hca->faults;
	struct dentry *dir;

	dir = debugfs_create_dir(dev_name(&hca->ibdev.dev), hca->fab->debugfs);
	hca->debugfs = dir;
	debugfs_create_file("link", 0600, dir, hca, &link_fops);
	debugfs_create_file("lid", 0600, dir, hca, &lid_fops);
	debugfs_create_file("migration", 0600, dir, hca, &migration_fops);
	debugfs_create_file("mtu_cap", 0600, dir, hca, &mtu_cap_fops);
	debugfs_create_file("pkeys", 0600, dir, hca, &pkeys_fops);
	debugfs_create_file("guids", 0600, dir, hca, &guids_fops);
	debugfs_create_file("qps", 0400, dir, hca, &qps_fops);
	debugfs_create_file("srqs", 0400, dir, hca, &srqs_fops);
	debugfs_create_file("counters", 0400, dir, hca, &counters_fops);
	debugfs_create_file("qp_fatal", 0200, dir, hca, &qp_fatal_fops);
	debugfs_create_file("qp_error", 0200, dir, hca, &qp_error_fops);
	debugfs_create_atomic_t("fail_post_send", 0600, dir, &faults->post_send);
	debugfs_create_atomic_t("fail_post_recv", 0600, dir, &faults->post_recv);
	debugfs_create_atomic_t("fail_create_ah", 0600, dir, &faults->create_ah);
	debugfs_create_atomic_t("fail_create_qp", 0600, dir, &faults->create_qp);
	debugfs_create_atomic_t("rnr", 0600, dir, &faults->rnr);
	debugfs_create_atomic_t("fail_send", 0600, dir, &faults->send_error);
	debugfs_create_u32("fail_send_status", 0600, dir, &faults->send_status);
}

/**
 * ibds_debugfs_del - remove an HCA's directory
 * @hca: the HCA
 *
 * Context: Process context; waits for readers and writers.
 */
void ibds_debugfs_del(struct ibds_hca *hca)
{
	debugfs_remove_recursive(hca->debugfs);
}
