// SPDX-License-Identifier: GPL-2.0
#include "debugfs.h"

#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "cq.h"
#include "engine.h"
#include "fabric.h"
#include "qp.h"
#include "rq.h"
#include "vf.h"

#define WORD_MAX	32

/* get_words() reads what a user has written into a terminated string. */
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

#define ALL_CLASSES	GENMASK(IBDS_CLASS_COUNT - 1, 0)
/* An SMP goes by one hop after the other, which there is no holding back. */
#define NOT_SMP		(ALL_CLASSES & ~BIT(IBDS_CLASS_SMP))
/* Each packet of a connection is guarded by its CRC. */
#define DATAGRAMS	(BIT(IBDS_CLASS_UD) | BIT(IBDS_CLASS_SA) | BIT(IBDS_CLASS_CM))

/* add_knobs() adds a file for each of these classes, by the name of "drop_rc_ppm" and the like. */
static void add_knobs(struct ibds_fabric *fab, const char *what, u32 *values,
		      const char *unit, const struct file_operations *fops,
		      unsigned long classes)
{
	char name[32];
	int i;

	for_each_set_bit(i, &classes, IBDS_CLASS_COUNT) {
		snprintf(name, sizeof(name), "%s_%s_%s", what,
			 ibds_class_name(i), unit);
		debugfs_create_file_unsafe(name, 0600, fab->debugfs, &values[i],
					   fops);
	}
}

static int rules_show(struct seq_file *seq, void *unused)
{
	struct ibds_fabric *fab = seq->private;

	ibds_rules_show(&fab->rules, seq);
	return 0;
}

static int rules_open(struct inode *inode, struct file *file)
{
	return single_open(file, rules_show, inode->i_private);
}

/* rules_write() adds a rule; with nothing but white space it removes all rules. */
static ssize_t rules_write(struct file *file, const char __user *from, size_t len,
			   loff_t *pos)
{
	struct ibds_fabric *fab = file_inode(file)->i_private;
	char text[IBDS_RULE_TEXT];
	int err;

	if (len >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, from, len))
		return -EFAULT;
	text[len] = '\0';
	if (*skip_spaces(text)) {
		err = ibds_rules_add(&fab->rules, text);
		return err ?: len;
	}
	ibds_rules_clear(&fab->rules);
	return len;
}

static const struct file_operations rules_fops = {
	.owner		= THIS_MODULE,
	.open		= rules_open,
	.read		= seq_read,
	.write		= rules_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int victim_show(struct seq_file *seq, void *unused)
{
	struct ibds_fabric *fab = seq->private;
	char victim[IBDS_VICTIM_MAX];
	unsigned long flags;

	spin_lock_irqsave(&fab->faults.lock, flags);
	strscpy(victim, fab->faults.victim, sizeof(victim));
	spin_unlock_irqrestore(&fab->faults.lock, flags);
	seq_printf(seq, "%s\n", victim);
	return 0;
}

static int victim_open(struct inode *inode, struct file *file)
{
	return single_open(file, victim_show, inode->i_private);
}

/* The user writes a module's name; an empty line is for all but the RDMA core. */
static ssize_t victim_write(struct file *file, const char __user *from,
			    size_t len, loff_t *pos)
{
	struct ibds_fabric *fab = file_inode(file)->i_private;
	char words[WORD_MAX];
	ssize_t n = get_words(words, from, len);

	if (n < 0)
		return n;
	ibds_fault_aim(&fab->faults, strim(words));
	return n;
}

static const struct file_operations victim_fops = {
	.owner		= THIS_MODULE,
	.open		= victim_open,
	.read		= seq_read,
	.write		= victim_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int switch_show(struct seq_file *seq, void *unused)
{
	struct ibds_fabric *fab = seq->private;
	unsigned int i;

	spin_lock_bh(&fab->lock);
	for (i = 0; i <= fab->sw.node.nports; i++) {
		const struct ibds_port *port = ibds_switch_port(fab, i);

		seq_printf(seq, "%u state %u phys %u mtu %u lid %u\n", i,
			   port->state, port->phys,
			   ibds_port_mtu(port), port->lid);
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
	debugfs_create_u32("vfs", 0600, fab->debugfs, &fab->vfs);
	debugfs_create_file("mad_rules", 0600, fab->debugfs, fab, &rules_fops);
	debugfs_create_x32("sls", 0600, fab->debugfs, &fab->faults.sls);
	debugfs_create_u32("wire_usec", 0600, fab->debugfs, &fab->faults.wire_usec);
	debugfs_create_file("victim", 0600, fab->debugfs, fab, &victim_fops);
	debugfs_create_file("switch", 0400, fab->debugfs, fab, &switch_fops);
	add_knobs(fab, "drop", fab->faults.drop, "ppm", &rate_fops, ALL_CLASSES);
	add_knobs(fab, "drop", fab->faults.drop_dlid, "dlid", &dlid_fops, ALL_CLASSES);
	add_knobs(fab, "dup", fab->faults.dup, "ppm", &rate_fops, NOT_SMP);
	add_knobs(fab, "delay", fab->faults.delay, "ppm", &rate_fops, NOT_SMP);
	add_knobs(fab, "garble", fab->faults.garble, "ppm", &rate_fops, DATAGRAMS);
	debugfs_create_atomic_t("garbled", 0400, fab->debugfs, &fab->faults.garbled);
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

static int next_qpn_get(void *data, u64 *value)
{
	struct ibds_hca *hca = data;

	spin_lock_bh(&hca->table_lock);
	*value = hca->next_qpn;
	spin_unlock_bh(&hca->table_lock);
	return 0;
}

static int next_qpn_set(void *data, u64 value)
{
	struct ibds_hca *hca = data;

	if (value < IBDS_QPN_LEAST || value >= IBDS_QPN_MCAST)
		return -EINVAL;
	spin_lock_bh(&hca->table_lock);
	hca->next_qpn = value;
	spin_unlock_bh(&hca->table_lock);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(next_qpn_fops, next_qpn_get, next_qpn_set, "%llu\n");

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

	*value = opa_mtu_enum_to_int(READ_ONCE(hca->port.mtu_cap));
	return 0;
}

/* A subnet manager learns of it when it looks at the port the next time. */
static int mtu_cap_set(void *data, u64 value)
{
	struct ibds_hca *hca = data;
	struct ibds_port *port = &hca->port;
	enum opa_mtu cap;

	if (value < 256 || value > hca->profile->mtu)
		return -EINVAL;
	cap = opa_mtu_int_to_enum(value);
	if (opa_mtu_enum_to_int(cap) != value)
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

	for (i = 0; i < hca->port.npkeys; i++)
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
	    index >= hca->port.npkeys || pkey > U16_MAX)
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

/* with_qp() has the engine see to @todo of the queue pair with this number. */
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

/* The timer looks as if it had run out on one CPU while another one started it again. */
static int stale_timer_set(void *data, u64 value)
{
	return with_qp(data, value, IBDS_TODO_TIMER);
}
DEFINE_DEBUGFS_ATTRIBUTE(stale_timer_fops, NULL, stale_timer_set, "%llu\n");

/* The queue that a queue pair's sends, or its receives, complete in */
static int break_cq(struct ibds_hca *hca, u64 qpn, bool recv)
{
	struct ibds_qp *qp;

	local_bh_disable();
	rcu_read_lock();
	qp = qpn <= IBDS_QPN_MASK ? ibds_qp_find(hca, qpn) : NULL;
	if (qp)
		ibds_cq_break(to_ibds_cq(recv ? qp->ibqp.recv_cq : qp->ibqp.send_cq));
	rcu_read_unlock();
	local_bh_enable();
	return qp ? 0 : -ENOENT;
}

static int send_cq_error_set(void *data, u64 value)
{
	return break_cq(data, value, false);
}
DEFINE_DEBUGFS_ATTRIBUTE(send_cq_error_fops, NULL, send_cq_error_set, "%llu\n");

static int recv_cq_error_set(void *data, u64 value)
{
	return break_cq(data, value, true);
}
DEFINE_DEBUGFS_ATTRIBUTE(recv_cq_error_fops, NULL, recv_cq_error_set, "%llu\n");

static int stall_get(void *data, u64 *value)
{
	struct ibds_hca *hca = data;

	*value = READ_ONCE(hca->faults.stalled);
	return 0;
}

static int stall_set(void *data, u64 value)
{
	struct ibds_hca *hca = data;

	if (value > 1 || READ_ONCE(hca->faults.dead))
		return -EINVAL;
	ibds_engine_stall(hca, value);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(stall_fops, stall_get, stall_set, "%llu\n");

static int dead_get(void *data, u64 *value)
{
	struct ibds_hca *hca = data;

	*value = READ_ONCE(hca->faults.dead);
	return 0;
}

/* There is no way back: a user who wants another HCA takes this one out. */
static int dead_set(void *data, u64 value)
{
	if (value != 1)
		return -EINVAL;
	ibds_engine_kill(data);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(dead_fops, dead_get, dead_set, "%llu\n");

static int objects_show(struct seq_file *seq, void *unused)
{
	struct ibds_hca *hca = seq->private;
	int i;

	for (i = 0; i < IBDS_OBJECTS; i++)
		seq_printf(seq, "%s %d\n", ibds_object_name(i),
			   atomic_read(&hca->limits.used[i]));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(objects);

/* ahs_show() shows what no fabric in software judges, for tests to look at. */
static int ahs_show(struct seq_file *seq, void *unused)
{
	struct ibds_hca *hca = seq->private;
	struct ibds_ah *ah;

	spin_lock_irq(&hca->ah_lock);
	list_for_each_entry(ah, &hca->ahs, node) {
		const struct ib_global_route *grh = rdma_ah_read_grh(&ah->attr);

		seq_printf(seq, "%s dlid %u sl %u rate %u", ah->ibah.pd->res.kern_name,
			   ah->av.dlid, ah->av.sl, rdma_ah_get_static_rate(&ah->attr));
		if (ah->av.has_grh)
			seq_printf(seq, " dgid %pI6c hop_limit %u", grh->dgid.raw,
				   grh->hop_limit);
		seq_putc(seq, '\n');
	}
	spin_unlock_irq(&hca->ah_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(ahs);

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

/* vectors_show() shows the CPU of each vector, and the interrupts there. */
static int vectors_show(struct seq_file *seq, void *unused)
{
	struct ibds_hca *hca = seq->private;
	int i;

	for (i = 0; i < hca->ibdev.num_comp_vectors; i++)
		seq_printf(seq, "%d cpu %u interrupts %llu\n", i,
			   READ_ONCE(hca->vectors[i].cpu),
			   READ_ONCE(hca->vectors[i].interrupts));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(vectors);

static int vector_cpu_get(void *data, u64 *value)
{
	struct ibds_vector *vector = data;

	*value = READ_ONCE(vector->cpu);
	return 0;
}

/* An interrupt that is on its way to the CPU before still gets there. */
static int vector_cpu_set(void *data, u64 value)
{
	struct ibds_vector *vector = data;

	if (value >= nr_cpu_ids || !cpu_online(value))
		return -EINVAL;
	WRITE_ONCE(vector->cpu, value);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(vector_cpu_fops, vector_cpu_get, vector_cpu_set, "%llu\n");

static int vfs_show(struct seq_file *seq, void *unused)
{
	ibds_vf_show(seq->private, seq);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(vfs);

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
	char name[32];
	int i;

	/* The directory has the first name of the device: by now somebody may have renamed it. */
	snprintf(name, sizeof(name), "ibdevsim%u", hca->index - 1);
	dir = debugfs_create_dir(name, hca->fab->debugfs);
	hca->debugfs = dir;
	debugfs_create_file("link", 0600, dir, hca, &link_fops);
	debugfs_create_file("lid", 0600, dir, hca, &lid_fops);
	debugfs_create_file("next_qpn", 0600, dir, hca, &next_qpn_fops);
	debugfs_create_file("migration", 0600, dir, hca, &migration_fops);
	debugfs_create_file("mtu_cap", 0600, dir, hca, &mtu_cap_fops);
	debugfs_create_file("pkeys", 0600, dir, hca, &pkeys_fops);
	debugfs_create_file("guids", 0600, dir, hca, &guids_fops);
	debugfs_create_file("ahs", 0400, dir, hca, &ahs_fops);
	debugfs_create_file("qps", 0400, dir, hca, &qps_fops);
	debugfs_create_file("srqs", 0400, dir, hca, &srqs_fops);
	debugfs_create_file("vfs", 0400, dir, hca, &vfs_fops);
	debugfs_create_file("vectors", 0400, dir, hca, &vectors_fops);
	for (i = 0; i < hca->ibdev.num_comp_vectors; i++) {
		snprintf(name, sizeof(name), "vector%d_cpu", i);
		debugfs_create_file_unsafe(name, 0600, dir, &hca->vectors[i],
					   &vector_cpu_fops);
	}
	debugfs_create_file("counters", 0400, dir, hca, &counters_fops);
	debugfs_create_file("qp_fatal", 0200, dir, hca, &qp_fatal_fops);
	debugfs_create_file("qp_error", 0200, dir, hca, &qp_error_fops);
	debugfs_create_file("stale_timer", 0200, dir, hca, &stale_timer_fops);
	debugfs_create_atomic_t("fail_post_send", 0600, dir, &faults->post_send);
	debugfs_create_atomic_t("fail_post_recv", 0600, dir, &faults->post_recv);
	debugfs_create_atomic_t("fail_create_ah", 0600, dir, &faults->create_ah);
	debugfs_create_atomic_t("fail_create_qp", 0600, dir, &faults->create_qp);
	debugfs_create_atomic_t("fail_modify_qp", 0600, dir, &faults->modify_qp);
	debugfs_create_atomic_t("fail_attach_mcast", 0600, dir, &faults->attach_mcast);
	debugfs_create_atomic_t("fail_detach_mcast", 0600, dir, &faults->detach_mcast);
	debugfs_create_atomic_t("rnr", 0600, dir, &faults->rnr);
	debugfs_create_atomic_t("fail_send", 0600, dir, &faults->send_error);
	debugfs_create_u32("fail_send_status", 0600, dir, &faults->send_status);
	debugfs_create_bool("fail_query_port", 0600, dir, &faults->query_fails);
	debugfs_create_bool("fail_commands", 0600, dir, &faults->commands_fail);
	debugfs_create_bool("hang_commands", 0600, dir, &faults->commands_hang);
	debugfs_create_bool("hang_attach_mcast", 0600, dir, &faults->attach_hangs);
	debugfs_create_u32("command_usec", 0600, dir, &faults->command_usec);
	debugfs_create_bool("fail_reset", 0600, dir, &faults->reset_fails);
	debugfs_create_bool("refuse_init", 0600, dir, &faults->init_refused);
	debugfs_create_u32("cq_delay_usec", 0600, dir, &faults->cq_delay_usec);
	debugfs_create_bool("cq_at_arming", 0600, dir, &faults->cq_at_arming);
	debugfs_create_u32("csum_lies", 0600, dir, &faults->csum_lies);
	debugfs_create_file("send_cq_error", 0200, dir, hca, &send_cq_error_fops);
	debugfs_create_file("recv_cq_error", 0200, dir, hca, &recv_cq_error_fops);
	debugfs_create_file("stall", 0600, dir, hca, &stall_fops);
	debugfs_create_file("dead", 0600, dir, hca, &dead_fops);
	debugfs_create_file("objects", 0400, dir, hca, &objects_fops);
	for (i = 0; i < IBDS_OBJECTS; i++) {
		snprintf(name, sizeof(name), "max_%s", ibds_object_name(i));
		debugfs_create_u32(name, 0600, dir, &hca->limits.max[i]);
	}
	debugfs_create_atomic_t("with_io", 0600, dir, &faults->with_io);
	debugfs_create_atomic_t("hanging", 0400, dir, &faults->hanging);
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
