// SPDX-License-Identifier: GPL-2.0
#include "sma.h"

#include "fabric.h"
#include "keys.h"
#include "sma_port.h"
#include "trap.h"
#include "wire.h"

#define LFT_BLOCK	64
#define MFT_BLOCK	32	/* LIDs, 16 ports each */
#define PKEY_BLOCK	32
#define GUID_BLOCK	8
#define VENDOR_ID	0x026962
#define DEVICE_ID	0x1bde

static bool bad_field(struct ibds_sma *sma)
{
	sma->out->status |= cpu_to_be16(IBDS_MAD_BAD_FIELD);
	return false;
}

static void get_node_desc(struct ibds_sma *sma)
{
	memcpy(sma->out->data, sma->node->desc, sizeof(sma->node->desc));
}

static void get_node_info(struct ibds_sma *sma)
{
	struct ib_node_info *info = (struct ib_node_info *)sma->out->data;
	const struct ibds_node *node = sma->node;
	u8 num = node->is_switch ? 0 : sma->in_port;

	memset(info, 0, IB_SMP_DATA_SIZE);
	info->base_version = IB_MGMT_BASE_VERSION;
	info->class_version = 1;
	info->node_type = node->is_switch ? RDMA_NODE_IB_SWITCH : RDMA_NODE_IB_CA;
	info->num_ports = node->nports;
	info->sys_guid = cpu_to_be64(node->guid);
	info->node_guid = cpu_to_be64(node->guid);
	info->port_guid = cpu_to_be64(node->ports[num]->guid);
	info->partition_cap = cpu_to_be16(node->ports[num]->npkeys);
	info->device_id = cpu_to_be16(DEVICE_ID);
	info->revision = cpu_to_be32(1);
	info->local_port_num = sma->in_port;
	info->vendor_id[0] = VENDOR_ID >> 16;
	info->vendor_id[1] = VENDOR_ID >> 8 & 0xff;
	info->vendor_id[2] = VENDOR_ID & 0xff;
}

static void get_switch_info(struct ibds_sma *sma)
{
	memset(sma->out->data, 0, IB_SMP_DATA_SIZE);
	memcpy(sma->out->data, &sma->fab->sw.info, sizeof(sma->fab->sw.info));
}

static void set_switch_info(struct ibds_sma *sma)
{
	const struct ibds_switch_info *want =
		(const struct ibds_switch_info *)sma->in->data;
	struct ibds_switch_info *info = &sma->fab->sw.info;
	u8 change = info->life_change & IBDS_SWITCH_STATE_CHANGE;

	info->lft_top = want->lft_top;
	info->mft_top = want->mft_top;
	info->default_port = want->default_port;
	info->default_mcast_primary = want->default_mcast_primary;
	info->default_mcast_other = want->default_mcast_other;
	/* Writing a one clears it. */
	change &= ~want->life_change;
	info->life_change = (want->life_change & IBDS_SWITCH_LIFE_TIME) | change;
	get_switch_info(sma);
}

/* The port that the upper or lower bits of the modifier mean. */
static struct ibds_port *port_of(struct ibds_sma *sma, u32 num)
{
	if (!sma->node->is_switch)
		return num <= 1 ? sma->node->ports[1] : NULL;
	return num <= sma->node->nports ? sma->node->ports[num] : NULL;
}

static u64 *guid_block(struct ibds_sma *sma)
{
	u32 block = be32_to_cpu(sma->in->attr_mod);

	if (sma->node->is_switch ? block > 0 : block >= IBDS_GUIDS / GUID_BLOCK)
		return NULL;
	return &ibds_node_port(sma->node)->guids[block * GUID_BLOCK];
}

static bool get_guids(struct ibds_sma *sma)
{
	const u64 *guids = guid_block(sma);
	__be64 *out = (__be64 *)sma->out->data;
	int i;

	if (!guids)
		return bad_field(sma);
	for (i = 0; i < GUID_BLOCK; i++)
		out[i] = cpu_to_be64(guids[i]);
	return true;
}

static u32 set_guids(struct ibds_sma *sma)
{
	u64 *guids = guid_block(sma);
	const __be64 *in = (const __be64 *)sma->in->data;
	bool changed = false;
	int i;

	if (!guids)
		return bad_field(sma);
	/* The first one of all is the port's own. */
	for (i = guids == ibds_node_port(sma->node)->guids; i < GUID_BLOCK; i++) {
		changed |= guids[i] != be64_to_cpu(in[i]);
		WRITE_ONCE(guids[i], be64_to_cpu(in[i]));
	}
	get_guids(sma);
	return changed ? BIT(IB_EVENT_GID_CHANGE) : 0;
}

/* @n: result, entries of the block that the port has */
static u16 *pkey_block(struct ibds_sma *sma, unsigned int *n)
{
	u32 mod = be32_to_cpu(sma->in->attr_mod);
	u32 first = (mod & 0xffff) * PKEY_BLOCK;
	struct ibds_port *port = port_of(sma, mod >> 16);

	if (!port || first >= port->npkeys)
		return NULL;
	*n = min_t(u32, port->npkeys - first, PKEY_BLOCK);
	return &port->pkeys[first];
}

static bool get_pkeys(struct ibds_sma *sma)
{
	__be16 *out = (__be16 *)sma->out->data;
	const u16 *pkeys;
	unsigned int i, n;

	pkeys = pkey_block(sma, &n);
	if (!pkeys)
		return bad_field(sma);
	memset(out, 0, IB_SMP_DATA_SIZE);
	for (i = 0; i < n; i++)
		out[i] = cpu_to_be16(pkeys[i]);
	return true;
}

static u32 set_pkeys(struct ibds_sma *sma)
{
	const __be16 *in = (const __be16 *)sma->in->data;
	bool changed = false;
	unsigned int i, n;
	u16 *pkeys;

	pkeys = pkey_block(sma, &n);
	if (!pkeys)
		return bad_field(sma);
	for (i = 0; i < n; i++) {
		changed |= pkeys[i] != be16_to_cpu(in[i]);
		WRITE_ONCE(pkeys[i], be16_to_cpu(in[i]));
	}
	get_pkeys(sma);
	/* Subnet managers rewrite tables as they are: that is no news. */
	return changed ? BIT(IB_EVENT_PKEY_CHANGE) : 0;
}

static u8 *lft_block(struct ibds_sma *sma)
{
	u32 block = be32_to_cpu(sma->in->attr_mod);

	if (!sma->node->is_switch || block >= IBDS_LFT_LEN / LFT_BLOCK)
		return NULL;
	return &sma->fab->sw.lft[block * LFT_BLOCK];
}

static bool get_lft(struct ibds_sma *sma)
{
	const u8 *lft = lft_block(sma);

	if (!lft)
		return bad_field(sma);
	memcpy(sma->out->data, lft, LFT_BLOCK);
	return true;
}

static void set_lft(struct ibds_sma *sma)
{
	u8 *lft = lft_block(sma);
	int i;

	if (!lft) {
		bad_field(sma);
		return;
	}
	for (i = 0; i < LFT_BLOCK; i++)
		WRITE_ONCE(lft[i], sma->in->data[i]);
	get_lft(sma);
}

/* Position is which 16 ports, block which 32 LIDs. */
static bool mft_place(struct ibds_sma *sma, u32 *pos, u32 *lid)
{
	u32 mod = be32_to_cpu(sma->in->attr_mod);

	*pos = mod >> 28;
	*lid = (mod & 0x1ff) * MFT_BLOCK;
	if (!sma->node->is_switch || *pos >= IBDS_MFT_WORDS ||
	    *lid >= IBDS_MFT_LEN)
		return bad_field(sma);
	return true;
}

static void get_mft(struct ibds_sma *sma)
{
	__be16 *out = (__be16 *)sma->out->data;
	u32 pos, lid;
	int i;

	if (!mft_place(sma, &pos, &lid))
		return;
	for (i = 0; i < MFT_BLOCK; i++)
		out[i] = cpu_to_be16(sma->fab->sw.mft[lid + i][pos]);
}

static void set_mft(struct ibds_sma *sma)
{
	const __be16 *in = (const __be16 *)sma->in->data;
	u32 pos, lid;
	int i;

	if (!mft_place(sma, &pos, &lid))
		return;
	for (i = 0; i < MFT_BLOCK; i++)
		WRITE_ONCE(sma->fab->sw.mft[lid + i][pos], be16_to_cpu(in[i]));
	get_mft(sma);
}

/* There is one service level and one lane: everything maps to lane 0. */
static void get_zeros(struct ibds_sma *sma)
{
	memset(sma->out->data, 0, IB_SMP_DATA_SIZE);
}

static void get(struct ibds_sma *sma)
{
	lockdep_assert_held(&sma->fab->lock);

	switch (sma->in->attr_id) {
	case IB_SMP_ATTR_NODE_DESC:
		get_node_desc(sma);
		break;
	case IB_SMP_ATTR_NODE_INFO:
		get_node_info(sma);
		break;
	case IB_SMP_ATTR_SWITCH_INFO:
		if (!sma->node->is_switch)
			goto bad;
		get_switch_info(sma);
		break;
	case IB_SMP_ATTR_GUID_INFO:
		get_guids(sma);
		break;
	case IB_SMP_ATTR_PORT_INFO:
		ibds_sma_get_port(sma,
				  port_of(sma, be32_to_cpu(sma->in->attr_mod)));
		break;
	case IB_SMP_ATTR_PKEY_TABLE:
		get_pkeys(sma);
		break;
	case IB_SMP_ATTR_SL_TO_VL_TABLE:
	case IB_SMP_ATTR_VL_ARB_TABLE:
		get_zeros(sma);
		break;
	case IB_SMP_ATTR_LINEAR_FORWARD_TABLE:
		get_lft(sma);
		break;
	case IB_SMP_ATTR_MCAST_FORWARD_TABLE:
		get_mft(sma);
		break;
	default:
		goto bad;
	}
	return;
bad:
	sma->out->status |= cpu_to_be16(IBDS_MAD_BAD_ATTR);
}

/* set() returns a mask of events; *link is a port whose link is to be looked at. */
static u32 set(struct ibds_sma *sma, u8 *link)
{
	lockdep_assert_held(&sma->fab->lock);

	switch (sma->in->attr_id) {
	case IB_SMP_ATTR_GUID_INFO:
		return set_guids(sma);
	case IB_SMP_ATTR_PORT_INFO:
		return ibds_sma_set_port(sma,
			port_of(sma, be32_to_cpu(sma->in->attr_mod)), link);
	case IB_SMP_ATTR_PKEY_TABLE:
		return set_pkeys(sma);
	case IB_SMP_ATTR_SL_TO_VL_TABLE:
	case IB_SMP_ATTR_VL_ARB_TABLE:
		get_zeros(sma);
		return 0;
	case IB_SMP_ATTR_SWITCH_INFO:
		if (!sma->node->is_switch)
			break;
		set_switch_info(sma);
		return 0;
	case IB_SMP_ATTR_LINEAR_FORWARD_TABLE:
		set_lft(sma);
		return 0;
	case IB_SMP_ATTR_MCAST_FORWARD_TABLE:
		set_mft(sma);
		return 0;
	}
	sma->out->status |= cpu_to_be16(IBDS_MAD_BAD_ATTR);
	return 0;
}

/* IBTA 14.2.4: who does not know the key may read, if that. */
static bool mkey_fits(const struct ibds_sma *sma)
{
	struct ibds_port *port = ibds_node_port(sma->node);

	lockdep_assert_held(&sma->fab->lock);

	if (sma->trusted || !port->mkey ||
	    be64_to_cpu(sma->in->mkey) == port->mkey)
		return true;
	if (sma->in->method == IB_MGMT_METHOD_GET && port->mkey_prot < 2)
		return true;
	if (port->mkey_violations != U16_MAX)
		port->mkey_violations++;
	return false;
}

static void dispatch(struct ibds_sma *sma, u32 events)
{
	unsigned long mask = events;
	int type;

	if (!sma->hca)
		return;
	for_each_set_bit(type, &mask, 32)
		ibds_hca_event(sma->hca, type);
}

/**
 * ibds_sma - answer a request
 * @sma: the request; @sma->out is filled in
 *
 * What changes, consumers are told of before this returns.
 *
 * Return: false if there is nothing to answer.
 * Context: Any but hard interrupt; no lock held.
 */
bool ibds_sma(struct ibds_sma *sma)
{
	struct ibds_fabric *fab = sma->fab;
	enum ibds_link how = IBDS_LINK_SAME;
	bool fits;
	u8 link = 0;
	u32 events = 0;

	if (sma->in->method == IB_MGMT_METHOD_TRAP_REPRESS) {
		ibds_trap_repress(sma->node, (const struct ib_mad *)sma->in);
		return false;
	}
	if (sma->in->method != IB_MGMT_METHOD_GET &&
	    sma->in->method != IB_MGMT_METHOD_SET)
		return false;

	*sma->out = *sma->in;
	sma->out->method = IB_MGMT_METHOD_GET_RESP;
	sma->out->status = 0;
	if (sma->in->class_version != 1) {
		sma->out->status = cpu_to_be16(IBDS_MAD_BAD_METHOD);
		return true;
	}

	spin_lock_bh(&fab->lock);
	fits = mkey_fits(sma);
	if (!fits) {
		spin_unlock_bh(&fab->lock);
		ibds_trap_raise(sma->node, IBDS_TRAP_MKEY,
				&(struct ibds_violation){ .smp = sma->in });
		return false;
	}
	if (sma->in->method == IB_MGMT_METHOD_GET) {
		get(sma);
	} else {
		events = set(sma, &link);
		if (link)
			how = ibds_link_update(fab, link, true);
	}
	spin_unlock_bh(&fab->lock);

	ibds_link_changed(fab, link, how);
	dispatch(sma, events);
	return true;
}
