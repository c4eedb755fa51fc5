// SPDX-License-Identifier: GPL-2.0
#include "fabric.h"

#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "trap.h"

/* The second least significant bit of the first octet: an address of our own. */
#define SWITCH_GUID	0x0269620100000000ULL

static void free_ports(struct ibds_node *node)
{
	int i;

	for (i = 0; node->ports && i <= node->nports; i++) {
		if (!node->ports[i])
			continue;
		ibds_port_exit(node->ports[i]);
		kfree(node->ports[i]);
	}
	kfree(node->ports);
}

static int new_ports(struct ibds_fabric *fab, u8 num)
{
	struct ibds_node *node = &fab->sw.node;
	int i, err;

	node->nports = num;
	node->ports = kcalloc(num + 1, sizeof(*node->ports), GFP_KERNEL);
	if (!node->ports)
		return -ENOMEM;
	for (i = 0; i <= num; i++) {
		node->ports[i] = kzalloc(sizeof(*node->ports[i]), GFP_KERNEL);
		if (!node->ports[i])
			return -ENOMEM;
		err = ibds_port_init(node->ports[i], &fab->lock, i, true,
				     i ? 0 : SWITCH_GUID, IBDS_PKEYS, IBDS_MTU_MAX);
		if (err)
			return err;
	}
	return 0;
}

static int new_switch(struct ibds_fabric *fab, u8 ports)
{
	struct ibds_switch *sw = &fab->sw;
	struct ibds_switch_info *info = &sw->info;

	sw->lft = vmalloc(IBDS_LFT_LEN);
	sw->mft = vzalloc(array_size(IBDS_MFT_LEN, sizeof(*sw->mft)));
	if (!sw->lft || !sw->mft)
		return -ENOMEM;
	memset(sw->lft, IBDS_LFT_NONE, IBDS_LFT_LEN);

	info->lft_cap = cpu_to_be16(IBDS_LFT_LEN - 1);
	info->mft_cap = cpu_to_be16(IBDS_MFT_LEN);
	info->lids_per_port = 0;
	/* No enforcement by port, or each would get P_Keys of its own. */
	info->enforcement_cap = 0;

	sw->node.is_switch = true;
	sw->node.guid = SWITCH_GUID;
	sw->node.lock = &fab->lock;
	strscpy(sw->node.desc, "ibdevsim switch", sizeof(sw->node.desc));
	return new_ports(fab, ports);
}

/**
 * ibds_fabric_free - free a fabric
 * @fab: fabric that no HCA is cabled to
 *
 * Context: Process context, may sleep.
 */
void ibds_fabric_free(struct ibds_fabric *fab)
{
	ibds_trap_exit(&fab->sw.node);
	free_ports(&fab->sw.node);
	vfree(fab->sw.lft);
	vfree(fab->sw.mft);
	kfree(fab);
}

/**
 * ibds_fabric_new - make a switch with nothing cabled to it
 * @ports: external ports of the switch
 *
 * Return: the fabric or an ERR_PTR().
 * Context: Process context, may sleep.
 */
struct ibds_fabric *ibds_fabric_new(u8 ports)
{
	struct ibds_fabric *fab = kzalloc(sizeof(*fab), GFP_KERNEL);
	int err;

	if (!fab)
		return ERR_PTR(-ENOMEM);
	spin_lock_init(&fab->lock);
	mutex_init(&fab->topology);
	spin_lock_init(&fab->delayed_lock);
	INIT_LIST_HEAD(&fab->delayed);
	ibds_faults_init(&fab->faults);
	ibds_rules_init(&fab->rules);
	ibds_trap_init(&fab->sw.node);
	err = new_switch(fab, ports);
	if (err) {
		ibds_fabric_free(fab);
		return ERR_PTR(err);
	}
	return fab;
}

/**
 * ibds_hca_event - tell the consumers of an HCA about its port
 * @hca: the HCA
 * @type: what happened; it has been done already
 *
 * Context: Any but hard interrupt; no lock held.
 */
void ibds_hca_event(struct ibds_hca *hca, enum ib_event_type type)
{
	struct ib_event event = {
		.device = &hca->ibdev,
		.element.port_num = 1,
		.event = type,
	};

	rcu_read_lock();
	if (READ_ONCE(hca->registered))
		ib_dispatch_event(&event);
	rcu_read_unlock();
}

static void set_link(struct ibds_port *port, bool up)
{
	lockdep_assert_held(port->lock);

	if (up) {
		port->phys = IBDS_PHYS_LINK_UP;
		WRITE_ONCE(port->state, IB_PORT_INIT);
		return;
	}
	if (port->phys != IBDS_PHYS_DISABLED)
		port->phys = IBDS_PHYS_POLLING;
	WRITE_ONCE(port->state, IB_PORT_DOWN);
}

/**
 * ibds_link_update - bring both ends of a link into the state it must have
 * @fab: the fabric, its lock held
 * @num: port of the switch
 * @retrain: bring a link that is up down, and up again
 *
 * Return: what became of it, for ibds_link_changed() without the lock.
 */
enum ibds_link ibds_link_update(struct ibds_fabric *fab, u8 num, bool retrain)
{
	struct ibds_port *there = ibds_switch_port(fab, num);
	struct ibds_hca *hca;
	bool up, was;

	lockdep_assert_held(&fab->lock);

	hca = rcu_dereference_protected(fab->hcas[num],
					lockdep_is_held(&fab->lock));
	was = there->phys == IBDS_PHYS_LINK_UP;
	up = hca && hca->port.cabled && there->phys != IBDS_PHYS_DISABLED &&
	     hca->port.phys != IBDS_PHYS_DISABLED;
	if (up == was && !(up && retrain))
		return IBDS_LINK_SAME;

	set_link(there, up);
	if (hca)
		set_link(&hca->port, up);
	if (was) {
		ibds_count(there, IBDS_LINK_DOWNED);
		if (hca)
			ibds_count(&hca->port, IBDS_LINK_DOWNED);
	}
	fab->sw.info.life_change |= IBDS_SWITCH_STATE_CHANGE;
	return was ? IBDS_LINK_LOST : IBDS_LINK_CAME;
}

/**
 * ibds_link_changed - tell everybody about a link
 * @fab: the fabric, no lock held
 * @num: port of the switch
 * @how: what became of it
 *
 * Context: Any but hard interrupt.
 */
void ibds_link_changed(struct ibds_fabric *fab, u8 num, enum ibds_link how)
{
	struct ibds_hca *hca;

	if (how == IBDS_LINK_SAME)
		return;
	ibds_trap_raise(&fab->sw.node, IBDS_TRAP_LINK, NULL);

	rcu_read_lock();
	hca = rcu_dereference(fab->hcas[num]);
	/* A link that comes up is of interest only when it becomes active. */
	if (hca && how == IBDS_LINK_LOST)
		ibds_hca_event(hca, IB_EVENT_PORT_ERR);
	rcu_read_unlock();
}

/**
 * ibds_fabric_cable - connect an HCA to its port of the switch
 * @hca: the HCA
 *
 * Context: Process context; the topology mutex is held.
 */
void ibds_fabric_cable(struct ibds_hca *hca)
{
	struct ibds_fabric *fab = hca->fab;
	enum ibds_link how;

	lockdep_assert_held(&fab->topology);

	spin_lock_bh(&fab->lock);
	rcu_assign_pointer(fab->hcas[hca->index], hca);
	how = ibds_link_update(fab, hca->index, false);
	spin_unlock_bh(&fab->lock);
	ibds_link_changed(fab, hca->index, how);
}

/**
 * ibds_fabric_unplug - disconnect an HCA, for good
 * @hca: the HCA; no packet reaches it any more on return
 *
 * Context: Process context, may sleep; the topology mutex is held.
 */
void ibds_fabric_unplug(struct ibds_hca *hca)
{
	struct ibds_fabric *fab = hca->fab;
	enum ibds_link how;

	lockdep_assert_held(&fab->topology);

	spin_lock_bh(&fab->lock);
	hca->port.cabled = false;
	how = ibds_link_update(fab, hca->index, false);
	RCU_INIT_POINTER(fab->hcas[hca->index], NULL);
	spin_unlock_bh(&fab->lock);
	ibds_link_changed(fab, hca->index, how);
	synchronize_rcu_expedited();
}

/* From the port of ingress on, NULL for the switch's own packets. */
static struct ibds_hca *forward(struct ibds_fabric *fab,
				const struct ibds_port *in,
				const struct ibds_packet *pkt, bool vl15,
				bool *to_switch)
{
	u16 dlid = pkt->dlid;
	struct ibds_port *out;
	struct ibds_hca *hca;
	u32 len;
	u8 num;

	num = dlid < IBDS_LFT_LEN ? READ_ONCE(fab->sw.lft[dlid]) :
				    IBDS_LFT_NONE;
	if (unlikely(!num)) {
		*to_switch = ibds_port_owns(ibds_switch_port(fab, 0), dlid);
		return NULL;
	}
	if (unlikely(num > fab->sw.node.nports)) {
		if (in)
			ibds_count(in, IBDS_RCV_RELAY);
		return NULL;
	}

	out = ibds_switch_port(fab, num);
	hca = rcu_dereference(fab->hcas[num]);
	if (unlikely(!hca || !(vl15 ? ibds_port_up(out) :
				      ibds_port_active(out)) ||
		     !ibds_packet_fits(pkt, out))) {
		ibds_count(out, IBDS_XMIT_DISCARDS);
		return NULL;
	}
	len = ibds_wire_bytes(pkt);
	ibds_count_xmit(out, len, false);
	if (unlikely(!ibds_packet_fits(pkt, &hca->port))) {
		ibds_count(&hca->port, IBDS_RCV_ERRORS);
		return NULL;
	}
	ibds_count_rcv(&hca->port, len, false);
	return likely(ibds_port_owns(&hca->port, dlid)) ? hca : NULL;
}

static struct ibds_hca *route(struct ibds_hca *from,
			      const struct ibds_packet *pkt, bool vl15,
			      bool *to_switch)
{
	struct ibds_fabric *fab = from->fab;
	struct ibds_port *in;
	u32 len;

	*to_switch = false;
	if (unlikely(!(vl15 ? ibds_port_up(&from->port) :
			      ibds_port_active(&from->port)) ||
		     !ibds_packet_fits(pkt, &from->port) ||
		     (!vl15 && !ibds_sl_passes(fab, pkt)))) {
		ibds_count(&from->port, IBDS_XMIT_DISCARDS);
		return NULL;
	}
	if (unlikely(ibds_port_owns(&from->port, pkt->dlid)))
		return from;

	len = ibds_wire_bytes(pkt);
	ibds_count_xmit(&from->port, len, false);
	in = ibds_switch_port(fab, from->index);
	ibds_count_rcv(in, len, false);
	if (unlikely(!vl15 && !ibds_port_active(in)))
		return NULL;
	return forward(fab, in, pkt, vl15, to_switch);
}

/**
 * ibds_route - the HCA that a unicast packet gets to
 * @from: HCA that sends it
 * @pkt: the packet
 * @to_switch: result, it is for the switch itself
 *
 * Return: the HCA, or NULL.
 * Context: RCU held, bottom halves off.
 */
struct ibds_hca *ibds_route(struct ibds_hca *from, const struct ibds_packet *pkt,
			    bool *to_switch)
{
	return route(from, pkt, false, to_switch);
}

/**
 * ibds_route_vl15 - the HCA that an SMP routed by LID gets to
 * @from: HCA that sends it
 * @pkt: the SMP
 * @to_switch: result, it is for the switch itself
 *
 * Return: the HCA, or NULL.
 * Context: RCU held, bottom halves off.
 */
struct ibds_hca *ibds_route_vl15(struct ibds_hca *from,
				 const struct ibds_packet *pkt, bool *to_switch)
{
	return route(from, pkt, true, to_switch);
}

/**
 * ibds_route_from_switch - the HCA that a packet of the switch's own gets to
 * @fab: the fabric
 * @pkt: the packet
 * @vl15: it is an SMP
 *
 * Return: the HCA, or NULL.
 * Context: RCU held, bottom halves off.
 */
struct ibds_hca *ibds_route_from_switch(struct ibds_fabric *fab,
					const struct ibds_packet *pkt, bool vl15)
{
	bool to_switch;

	if (ibds_fault_lost(&fab->faults, vl15 ? IBDS_CLASS_SMP : IBDS_CLASS_UD))
		return NULL;
	return forward(fab, NULL, pkt, vl15, &to_switch);
}
