// SPDX-License-Identifier: GPL-2.0
#include "sma_port.h"

#include "fabric.h"
#include "port.h"
#include "wire.h"

#define VL0_ONLY	1
#define RESPONSE_TIME	16	/* 4.096 usec * 2^16 */
#define WIDTHS		(IB_WIDTH_1X | IB_WIDTH_4X)
#define SPEEDS		(IB_SPEED_SDR | IB_SPEED_DDR | IB_SPEED_QDR)

static void bad_field(struct ibds_sma *sma)
{
	sma->out->status |= cpu_to_be16(IBDS_MAD_BAD_FIELD);
}

/* The key itself is shown to those who know it, or to all if unprotected. */
static bool may_see_mkey(const struct ibds_sma *sma,
			 const struct ibds_port *port)
{
	return sma->trusted || !port->mkey_prot ||
	       be64_to_cpu(sma->in->mkey) == port->mkey;
}

/* fill_managed() fills in what only a port that has a LID and an agent knows. */
static void fill_managed(struct ibds_sma *sma, const struct ibds_port *port,
			 struct ib_port_info *pi)
{
	if (may_see_mkey(sma, port))
		pi->mkey = cpu_to_be64(port->mkey);
	pi->gid_prefix = cpu_to_be64(port->gid_prefix);
	pi->lid = cpu_to_be16(port->lid);
	pi->sm_lid = cpu_to_be16(port->sm_lid);
	pi->cap_mask = cpu_to_be32(port->cap_mask);
	pi->mkey_lease_period = cpu_to_be16(port->mkey_lease);
	pi->mkeyprot_resv_lmc = port->mkey_prot << 6 | port->lmc;
	pi->mkey_violations = cpu_to_be16(port->mkey_violations);
	pi->pkey_violations = cpu_to_be16(port->pkey_violations);
	pi->qkey_violations = cpu_to_be16(port->qkey_violations);
	pi->guid_cap = port->is_switch ? 1 : IBDS_GUIDS;
	pi->clientrereg_resv_subnetto = port->subnet_timeout;
	pi->resv_resptimevalue = RESPONSE_TIME;
}

/**
 * ibds_sma_get_port - Get(PortInfo)
 * @sma: the request, its fabric's lock held
 * @port: port it asks for; NULL if there is no such
 */
void ibds_sma_get_port(struct ibds_sma *sma, const struct ibds_port *port)
{
	struct ib_port_info *pi = (struct ib_port_info *)sma->out->data;

	lockdep_assert_held(sma->node->lock);

	if (!port) {
		bad_field(sma);
		return;
	}
	memset(pi, 0, IB_SMP_DATA_SIZE);
	if (!port->is_switch || !port->num)
		fill_managed(sma, port, pi);
	pi->local_port_num = sma->in_port;
	pi->link_width_enabled = port->width_enabled;
	pi->link_width_supported = WIDTHS;
	pi->link_width_active = IB_WIDTH_4X;
	pi->linkspeed_portstate = SPEEDS << 4 | port->state;
	pi->portphysstate_linkdown = port->phys << 4 | port->link_down_default;
	pi->linkspeedactive_enabled = IB_SPEED_QDR << 4 | port->speed_enabled;
	pi->neighbormtu_mastersmsl = port->mtu << 4 | port->sm_sl;
	pi->vlcap_inittype = VL0_ONLY << 4;
	pi->vl_high_limit = port->vl_high_limit;
	pi->inittypereply_mtucap = port->mtu_cap;
	pi->vlstallcnt_hoqlife = port->vl_hoq;
	pi->operationalvl_pei_peo_fpi_fpo = port->vl_ops;
	pi->localphyerrors_overrunerrors = port->error_limits;
}

/* IBTA 14.2.5.6: to Armed from Initialize, to Active from Armed, or where it is */
static bool may_enter(const struct ibds_port *port, u8 state)
{
	if (state == IB_PORT_ARMED)
		return port->state == IB_PORT_INIT || port->state == IB_PORT_ARMED;
	if (state == IB_PORT_ACTIVE)
		return port->state == IB_PORT_ARMED || port->state == IB_PORT_ACTIVE;
	return state != IB_PORT_INIT && state <= IB_PORT_ACTIVE;
}

/* acceptable() looks at all of it, before any of it is set. */
static bool acceptable(const struct ibds_port *port,
		       const struct ib_port_info *pi)
{
	u8 state = pi->linkspeed_portstate & 15;
	u8 phys = pi->portphysstate_linkdown >> 4;
	u8 mtu = pi->neighbormtu_mastersmsl >> 4;
	u16 lid = be16_to_cpu(pi->lid);

	if (!may_enter(port, state))
		return false;
	if (phys > IBDS_PHYS_DISABLED || phys == 1)
		return false;
	if (mtu > port->mtu_cap)
		return false;
	if (port->is_switch && port->num)
		return true;
	return lid < IBDS_LID_MCAST &&
	       (pi->mkeyprot_resv_lmc & 7) <= IBDS_LMC_MAX;
}

static u32 set_managed(struct ibds_port *port, const struct ib_port_info *pi)
{
	u16 lid = be16_to_cpu(pi->lid), sm_lid = be16_to_cpu(pi->sm_lid);
	u64 prefix = be64_to_cpu(pi->gid_prefix);
	u8 lmc = pi->mkeyprot_resv_lmc & 7;
	u8 sm_sl = pi->neighbormtu_mastersmsl & 15;
	u32 events = 0;

	if (lid && (lid != port->lid || lmc != port->lmc)) {
		WRITE_ONCE(port->lid, lid);
		WRITE_ONCE(port->lmc, lmc);
		events |= BIT(IB_EVENT_LID_CHANGE);
	}
	if (sm_lid && (sm_lid != port->sm_lid || sm_sl != port->sm_sl)) {
		WRITE_ONCE(port->sm_lid, sm_lid);
		port->sm_sl = sm_sl;
		events |= BIT(IB_EVENT_SM_CHANGE);
	}
	if (prefix && prefix != port->gid_prefix) {
		WRITE_ONCE(port->gid_prefix, prefix);
		events |= BIT(IB_EVENT_GID_CHANGE);
	}
	if (pi->clientrereg_resv_subnetto & 0x80)
		events |= BIT(IB_EVENT_CLIENT_REREGISTER);

	port->mkey = be64_to_cpu(pi->mkey);
	port->mkey_lease = be16_to_cpu(pi->mkey_lease_period);
	port->mkey_prot = pi->mkeyprot_resv_lmc >> 6;
	port->subnet_timeout = pi->clientrereg_resv_subnetto & 0x1f;
	/* A subnet manager writes zeros there to start counting anew. */
	if (!pi->mkey_violations)
		port->mkey_violations = 0;
	if (!pi->pkey_violations)
		port->pkey_violations = 0;
	if (!pi->qkey_violations)
		port->qkey_violations = 0;
	return events;
}

/* set_state() returns true if the port has become active. */
static bool set_state(struct ibds_port *port, u8 state)
{
	bool news = state == IB_PORT_ACTIVE && port->state != IB_PORT_ACTIVE;

	if (state == IB_PORT_ARMED || state == IB_PORT_ACTIVE)
		WRITE_ONCE(port->state, state);
	return news;
}

/* A field of enabled things: 0 is no change, and @all says "what there is". */
static void enable(u8 *enabled, u8 want, u8 all, u8 supported)
{
	if (want)
		*enabled = want == all ? supported : want;
}

static u8 link_of(const struct ibds_sma *sma, const struct ibds_port *port)
{
	return sma->hca ? sma->hca->index : port->num;
}

/* set_phys() returns true if the link is to be looked at. */
static bool set_phys(struct ibds_port *port, u8 phys, u8 state)
{
	if (phys && phys != port->phys &&
	    !(phys == IBDS_PHYS_POLLING && port->phys == IBDS_PHYS_LINK_UP)) {
		port->phys = phys;
		return true;
	}
	/* Down without a word on the physical state trains the link again. */
	return state == IB_PORT_DOWN || phys == IBDS_PHYS_POLLING;
}

/**
 * ibds_sma_set_port - Set(PortInfo)
 * @sma: the request, its fabric's lock held
 * @port: port that is meant; NULL if there is no such
 * @link: result, port of the switch whose link is to be looked at; left alone
 *	if none is
 *
 * Return: events to dispatch once the lock is released, as a mask.
 */
u32 ibds_sma_set_port(struct ibds_sma *sma, struct ibds_port *port, u8 *link)
{
	const struct ib_port_info *pi =
		(const struct ib_port_info *)sma->in->data;
	u8 state = pi->linkspeed_portstate & 15;
	u8 phys = pi->portphysstate_linkdown >> 4;
	u32 events = 0;

	lockdep_assert_held(sma->node->lock);

	if (!port || !acceptable(port, pi)) {
		bad_field(sma);
		return 0;
	}
	if (!port->is_switch || !port->num)
		events = set_managed(port, pi);
	if (pi->neighbormtu_mastersmsl >> 4)
		WRITE_ONCE(port->mtu, pi->neighbormtu_mastersmsl >> 4);
	enable(&port->width_enabled, pi->link_width_enabled, 255, WIDTHS);
	enable(&port->speed_enabled, pi->linkspeedactive_enabled & 15, 15, SPEEDS);
	if (pi->portphysstate_linkdown & 15)
		port->link_down_default = pi->portphysstate_linkdown & 15;
	port->vl_high_limit = pi->vl_high_limit;
	port->vl_hoq = pi->vlstallcnt_hoqlife;
	port->error_limits = pi->localphyerrors_overrunerrors;
	port->vl_ops = pi->operationalvl_pei_peo_fpi_fpo & 0xf0 ?
		       pi->operationalvl_pei_peo_fpi_fpo : 1 << 4;

	if (!port->is_switch || port->num) {
		if (set_state(port, state))
			events |= BIT(IB_EVENT_PORT_ACTIVE);
		if ((phys || state == IB_PORT_DOWN) &&
		    set_phys(port, phys, state))
			*link = link_of(sma, port);
	}
	ibds_sma_get_port(sma, port);
	return events;
}
