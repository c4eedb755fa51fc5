// SPDX-License-Identifier: GPL-2.0
#include "pma.h"

#include <rdma/ib_pma.h>

#include "node.h"
#include "port.h"
#include "wire.h"

#define ALL_PORTS	255
#define RESPONSE_TIME	16

/* collect() adds up what has been counted since the last reset, of one port or of all. */
static void collect(const struct ibds_node *node, u8 num,
		    struct ibds_counters *sum)
{
	u8 from = num == ALL_PORTS ? !node->is_switch : num;
	u8 to = num == ALL_PORTS ? node->nports : num;
	unsigned int i, c;

	memset(sum, 0, sizeof(*sum));
	spin_lock_bh(node->lock);
	for (i = from; i <= to; i++) {
		const struct ibds_port *port = node->ports[i];
		struct ibds_counters one;

		ibds_port_read(port, &one);
		for (c = 0; c < IBDS_COUNTERS; c++)
			sum->n[c] += one.n[c] - port->base.n[c];
	}
	spin_unlock_bh(node->lock);
}

/* Counters stop at their largest value rather than wrap. */
static u32 stop_at(u64 value, u32 limit)
{
	return min_t(u64, value, limit);
}

static void get_counters(const struct ibds_node *node, u8 num, void *data)
{
	struct ib_pma_portcounters *to = data;
	struct ibds_counters sum;

	collect(node, num, &sum);
	to->link_downed_counter = stop_at(sum.n[IBDS_LINK_DOWNED], U8_MAX);
	to->port_rcv_errors = cpu_to_be16(stop_at(sum.n[IBDS_RCV_ERRORS], U16_MAX));
	to->port_rcv_switch_relay_errors =
		cpu_to_be16(stop_at(sum.n[IBDS_RCV_RELAY], U16_MAX));
	to->port_xmit_discards =
		cpu_to_be16(stop_at(sum.n[IBDS_XMIT_DISCARDS], U16_MAX));
	to->port_rcv_constraint_errors = stop_at(sum.n[IBDS_RCV_CONSTRAINT], U8_MAX);
	to->vl15_dropped = cpu_to_be16(stop_at(sum.n[IBDS_VL15_DROPPED], U16_MAX));
	to->port_xmit_data = cpu_to_be32(stop_at(sum.n[IBDS_XMIT_BYTES] / 4, U32_MAX));
	to->port_rcv_data = cpu_to_be32(stop_at(sum.n[IBDS_RCV_BYTES] / 4, U32_MAX));
	to->port_xmit_packets = cpu_to_be32(stop_at(sum.n[IBDS_XMIT_PACKETS], U32_MAX));
	to->port_rcv_packets = cpu_to_be32(stop_at(sum.n[IBDS_RCV_PACKETS], U32_MAX));
}

static void get_extended(const struct ibds_node *node, u8 num, void *data)
{
	struct ib_pma_portcounters_ext *to = data;
	struct ibds_counters sum;

	collect(node, num, &sum);
	to->port_xmit_data = cpu_to_be64(sum.n[IBDS_XMIT_BYTES] / 4);
	to->port_rcv_data = cpu_to_be64(sum.n[IBDS_RCV_BYTES] / 4);
	to->port_xmit_packets = cpu_to_be64(sum.n[IBDS_XMIT_PACKETS]);
	to->port_rcv_packets = cpu_to_be64(sum.n[IBDS_RCV_PACKETS]);
	to->port_unicast_xmit_packets =
		cpu_to_be64(sum.n[IBDS_XMIT_PACKETS] - sum.n[IBDS_XMIT_MCAST]);
	to->port_unicast_rcv_packets =
		cpu_to_be64(sum.n[IBDS_RCV_PACKETS] - sum.n[IBDS_RCV_MCAST]);
	to->port_multicast_xmit_packets = cpu_to_be64(sum.n[IBDS_XMIT_MCAST]);
	to->port_multicast_rcv_packets = cpu_to_be64(sum.n[IBDS_RCV_MCAST]);
}

/* Which bit of CounterSelect resets what. */
struct selection {
	u16 select;
	u8 what;
};

static const struct selection counters[] = {
	{ BIT(2),	IBDS_LINK_DOWNED },
	{ BIT(3),	IBDS_RCV_ERRORS },
	{ BIT(5),	IBDS_RCV_RELAY },
	{ BIT(6),	IBDS_XMIT_DISCARDS },
	{ BIT(8),	IBDS_RCV_CONSTRAINT },
	{ BIT(11),	IBDS_VL15_DROPPED },
	{ BIT(12),	IBDS_XMIT_BYTES },
	{ BIT(13),	IBDS_RCV_BYTES },
	{ BIT(14),	IBDS_XMIT_PACKETS },
	{ BIT(14),	IBDS_XMIT_MCAST },
	{ BIT(15),	IBDS_RCV_PACKETS },
	{ BIT(15),	IBDS_RCV_MCAST },
	{ }
};

static const struct selection extended[] = {
	{ BIT(0),	IBDS_XMIT_BYTES },
	{ BIT(1),	IBDS_RCV_BYTES },
	{ BIT(2),	IBDS_XMIT_PACKETS },
	{ BIT(3),	IBDS_RCV_PACKETS },
	{ BIT(6),	IBDS_XMIT_MCAST },
	{ BIT(7),	IBDS_RCV_MCAST },
	{ }
};

static void reset(struct ibds_node *node, u8 num, u16 select,
		  const struct selection *all)
{
	u8 from = num == ALL_PORTS ? !node->is_switch : num;
	u8 to = num == ALL_PORTS ? node->nports : num;
	const struct selection *s;
	unsigned int i;

	spin_lock_bh(node->lock);
	for (i = from; i <= to; i++) {
		struct ibds_port *port = node->ports[i];
		struct ibds_counters now;

		ibds_port_read(port, &now);
		for (s = all; s->select; s++)
			if (select & s->select)
				port->base.n[s->what] = now.n[s->what];
	}
	spin_unlock_bh(node->lock);
}

static void get_class(void *data)
{
	struct ib_class_port_info *info = data;

	memset(info, 0, sizeof(*info));
	info->base_version = IB_MGMT_BASE_VERSION;
	info->class_version = 1;
	info->capability_mask = IB_PMA_CLASS_CAP_ALLPORTSELECT |
				IB_PMA_CLASS_CAP_EXT_WIDTH;
	ib_set_cpi_resp_time(info, RESPONSE_TIME);
}

static bool valid_port(const struct ibds_node *node, u8 num)
{
	if (num == ALL_PORTS)
		return true;
	return num <= node->nports && (num || node->is_switch);
}

/**
 * ibds_pma - answer a request
 * @node: node that is asked
 * @in: the request
 * @out: result, the answer
 *
 * Return: false if there is nothing to answer.
 * Context: Any but hard interrupt.
 */
bool ibds_pma(struct ibds_node *node, const struct ib_mad *in,
	      struct ib_mad *out)
{
	struct ib_pma_mad *mad = (struct ib_pma_mad *)out;
	bool set = in->mad_hdr.method == IB_MGMT_METHOD_SET;
	struct ib_pma_portcounters *head = (struct ib_pma_portcounters *)mad->data;
	__be16 attr = in->mad_hdr.attr_id;
	bool ext = attr == IB_PMA_PORT_COUNTERS_EXT;

	if (!set && in->mad_hdr.method != IB_MGMT_METHOD_GET)
		return false;

	*out = *in;
	mad->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	mad->mad_hdr.status = 0;
	if (attr == IB_PMA_CLASS_PORT_INFO && !set) {
		get_class(mad->data);
	} else if (!ext && attr != IB_PMA_PORT_COUNTERS) {
		mad->mad_hdr.status = cpu_to_be16(IBDS_MAD_BAD_ATTR);
	} else if (!valid_port(node, head->port_select)) {
		mad->mad_hdr.status = cpu_to_be16(IBDS_MAD_BAD_FIELD);
	} else {
		u8 num = head->port_select;
		__be16 select = head->counter_select;

		if (set)
			reset(node, num, be16_to_cpu(select),
			      ext ? extended : counters);
		memset(mad->data, 0, sizeof(mad->data));
		head->port_select = num;
		head->counter_select = select;
		if (ext)
			get_extended(node, num, mad->data);
		else
			get_counters(node, num, mad->data);
	}
	return true;
}
