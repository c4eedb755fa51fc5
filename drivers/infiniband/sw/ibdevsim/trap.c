// SPDX-License-Identifier: GPL-2.0
#include "trap.h"

#include <asm/byteorder.h>
#include <rdma/ib_smi.h>

#include "port.h"

#define TRIES		8
#define INTERVAL	HZ

#define DR_PATH		30	/* octets of a return path that a notice holds */

#define URGENT		0x81	/* generic, urgent */
#define SECURITY	0x82	/* generic, security */
#define INFORMATION	0x84	/* generic, informational */

static const struct {
	u16 number;
	u8 type;
} traps[IBDS_TRAPS] = {
	[IBDS_TRAP_LINK]	= { 128, URGENT },
	[IBDS_TRAP_CAP_MASK]	= { 144, INFORMATION },
	[IBDS_TRAP_MKEY]	= { 256, SECURITY },
	[IBDS_TRAP_PKEY]	= { 257, SECURITY },
	[IBDS_TRAP_QKEY]	= { 258, SECURITY },
};

static void trap_work(struct work_struct *work)
{
	struct ibds_node *node = container_of(to_delayed_work(work),
					      struct ibds_node, trap_work);
	unsigned long now = jiffies, next = now + INTERVAL;
	struct ib_mad mad[IBDS_TRAPS];
	bool more = false;
	struct ib_smp *smp;
	int i, n = 0;

	spin_lock_bh(node->lock);
	for (i = 0; i < IBDS_TRAPS; i++) {
		struct ibds_notice *notice = &node->notices[i];

		if (!notice->tries)
			continue;
		more = true;
		/* The time of another notice is no reason to repeat this one early. */
		if (time_after(notice->next_at, now)) {
			if (time_before(notice->next_at, next))
				next = notice->next_at;
			continue;
		}
		notice->tries--;
		notice->next_at = now + INTERVAL;
		smp = (struct ib_smp *)&mad[n++];
		memset(smp, 0, sizeof(*smp));
		smp->base_version = IB_MGMT_BASE_VERSION;
		smp->mgmt_class = IB_MGMT_CLASS_SUBN_LID_ROUTED;
		smp->class_version = 1;
		smp->method = IB_MGMT_METHOD_TRAP;
		smp->tid = cpu_to_be64(notice->tid);
		smp->attr_id = IB_SMP_ATTR_NOTICE;
		memcpy(smp->data, &notice->attr,
		       min(sizeof(smp->data), sizeof(notice->attr)));
	}
	/* The work is set under the lock, because whoever raises a trap sets it to now. */
	if (more)
		schedule_delayed_work(&node->trap_work, next - now);
	spin_unlock_bh(node->lock);

	for (i = 0; i < n; i++)
		node->send(node, &mad[i]);
}

/**
 * ibds_trap_init - a node with no traps
 * @node: the node
 */
void ibds_trap_init(struct ibds_node *node)
{
	INIT_DELAYED_WORK(&node->trap_work, trap_work);
}

/**
 * ibds_trap_exit - send no trap any more
 * @node: node for which nothing raises one any more
 *
 * Context: Process context, may sleep.
 */
void ibds_trap_exit(struct ibds_node *node)
{
	cancel_delayed_work_sync(&node->trap_work);
}

static void fill_mkey(struct ib_mad_notice_attr *attr, const struct ib_smp *smp)
{
	attr->details.ntc_256.method = smp->method;
	attr->details.ntc_256.attr_id = smp->attr_id;
	attr->details.ntc_256.attr_mod = smp->attr_mod;
	attr->details.ntc_256.mkey = smp->mkey;
	if (smp->mgmt_class != IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE)
		return;
	attr->details.ntc_256.dr_slid = smp->dr_slid;
	/* DRNotice, DRPathTruncated and DRHopCount */
	attr->details.ntc_256.dr_trunc_hop = BIT(7) |
		(smp->hop_cnt > DR_PATH ? BIT(6) : 0) | min_t(u8, smp->hop_cnt, DR_PATH);
	memcpy(attr->details.ntc_256.dr_rtn_path, smp->return_path, DR_PATH);
}

static void fill_violation(struct ib_mad_notice_attr *attr,
			   const struct ibds_violation *what)
{
	attr->details.ntc_257_258.lid1 = cpu_to_be16(what->lid1);
	attr->details.ntc_257_258.lid2 = cpu_to_be16(what->lid2);
	attr->details.ntc_257_258.key = cpu_to_be32(what->key);
	attr->details.ntc_257_258.sl_qp1 = cpu_to_be32(what->sl << 28 | what->qp1);
	attr->details.ntc_257_258.qp2 = cpu_to_be32(what->qp2);
}

/**
 * ibds_trap_raise - start to send a trap
 * @node: node that sends it
 * @trap: which
 * @what: for traps about keys, what came in; for that about capabilities, what else has
 *	changed, or NULL
 *
 * While the same trap is still being repeated, it is not started again, so
 * nobody can make a node send much by sending it wrong packets. The one
 * about links is about all of them, and is.
 *
 * A port that has no LID or knows no subnet manager raises none: it has nobody to send
 * it to. Whoever gives it one looks at the subnet first, and what changes between that
 * look and the LID waits for the next one.
 *
 * Context: Any but hard interrupt; the fabric's lock is not held.
 */
void ibds_trap_raise(struct ibds_node *node, enum ibds_trap trap,
		     const struct ibds_violation *what)
{
	struct ibds_notice *notice = &node->notices[trap];
	struct ib_mad_notice_attr *attr = &notice->attr;
	const struct ibds_port *port = ibds_node_port(node);
	__be16 lid;

	spin_lock_bh(node->lock);
	if (!port->lid || !port->sm_lid ||
	    (notice->tries && trap != IBDS_TRAP_LINK))
		goto out;
	notice->tries = TRIES;
	notice->next_at = jiffies;
	notice->tid = ++node->next_tid;
	memset(attr, 0, sizeof(*attr));
	lid = cpu_to_be16(port->lid);
	attr->generic_type = traps[trap].type;
	attr->prod_type_lsb = cpu_to_be16(node->is_switch ? 2 : 1);
	attr->trap_num = cpu_to_be16(traps[trap].number);
	attr->issuer_lid = lid;
	switch (trap) {
	case IBDS_TRAP_LINK:
		/* The LID comes first here, unlike in the ones that follow. */
		memcpy(attr->details.raw_data.details, &lid, sizeof(lid));
		break;
	case IBDS_TRAP_CAP_MASK:
		attr->details.ntc_144.lid = lid;
		attr->details.ntc_144.new_cap_mask = cpu_to_be32(port->cap_mask);
		if (what) {
			attr->details.ntc_144.local_changes = 1;
			attr->details.ntc_144.change_flags = what->changes;
		}
		break;
	case IBDS_TRAP_MKEY:
		attr->details.ntc_256.lid = lid;
		fill_mkey(attr, what->smp);
		break;
	default:
		fill_violation(attr, what);
		break;
	}
	/* The work runs at once, even if repetitions of other traps wait for their time. */
	cancel_delayed_work(&node->trap_work);
	schedule_delayed_work(&node->trap_work, 0);
out:
	spin_unlock_bh(node->lock);
}

/**
 * ibds_trap_repress - the subnet manager has heard
 * @node: the node
 * @mad: what it sent, a TrapRepress
 *
 * Context: Any but hard interrupt.
 */
void ibds_trap_repress(struct ibds_node *node, const struct ib_mad *mad)
{
	const struct ib_smp *smp = (const struct ib_smp *)mad;
	u64 tid = be64_to_cpu(smp->tid);
	int i;

	spin_lock_bh(node->lock);
	for (i = 0; i < IBDS_TRAPS; i++)
		if (node->notices[i].tid == tid)
			node->notices[i].tries = 0;
	spin_unlock_bh(node->lock);
}
