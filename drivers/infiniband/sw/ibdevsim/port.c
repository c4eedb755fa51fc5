// SPDX-License-Identifier: GPL-2.0
#include "port.h"

#include <rdma/ib_mad.h>

#include "keys.h"

#define DEFAULT_PREFIX	0xfe80000000000000ULL

static const char * const counter_names[IBDS_COUNTERS] = {
	[IBDS_XMIT_BYTES]	= "xmit_bytes",
	[IBDS_XMIT_PACKETS]	= "xmit_packets",
	[IBDS_XMIT_MCAST]	= "xmit_mcast",
	[IBDS_RCV_BYTES]	= "rcv_bytes",
	[IBDS_RCV_PACKETS]	= "rcv_packets",
	[IBDS_RCV_MCAST]	= "rcv_mcast",
	[IBDS_XMIT_DISCARDS]	= "xmit_discards",
	[IBDS_RCV_ERRORS]	= "rcv_errors",
	[IBDS_RCV_RELAY]	= "rcv_relay_errors",
	[IBDS_RCV_CONSTRAINT]	= "rcv_constraint",
	[IBDS_VL15_DROPPED]	= "vl15_dropped",
	[IBDS_LINK_DOWNED]	= "link_downed",
};

/**
 * ibds_port_reset - forget what a subnet manager has set
 * @port: the port
 *
 * Counters and the state of the link stay.
 *
 * Context: The port's lock is held, or nobody knows the port yet.
 */
void ibds_port_reset(struct ibds_port *port)
{
	memset(port->guids, 0, sizeof(port->guids));
	memset(port->pkeys, 0, sizeof(port->pkeys));
	port->guids[0] = port->guid;
	port->pkeys[0] = IBDS_PKEY_FULL | IBDS_PKEY_BASE;
	port->gid_prefix = DEFAULT_PREFIX;
	port->mtu = port->mtu_cap;
	port->width_enabled = IB_WIDTH_1X | IB_WIDTH_4X;
	port->speed_enabled = IB_SPEED_SDR | IB_SPEED_DDR | IB_SPEED_QDR;
	port->link_down_default = IBDS_PHYS_POLLING;
	port->vl_ops = 1 << 4;
	port->lid = 0;
	port->lmc = 0;
	port->sm_lid = 0;
	port->mkey = 0;
	port->mkey_prot = 0;
}

/**
 * ibds_port_has_gid - is it one of the port's?
 * @port: the port
 * @gid: GID, with the subnet's prefix or the default one (IBTA 4.1.1)
 *
 * Return: true if it is.
 * Context: Any.
 */
bool ibds_port_has_gid(const struct ibds_port *port, const union ib_gid *gid)
{
	u64 prefix = be64_to_cpu(gid->global.subnet_prefix);
	u64 guid = be64_to_cpu(gid->global.interface_id);
	int i;

	if (prefix != READ_ONCE(port->gid_prefix) && prefix != DEFAULT_PREFIX)
		return false;
	for (i = 0; i < IBDS_GUIDS; i++)
		if (guid && READ_ONCE(port->guids[i]) == guid)
			return true;
	return false;
}

/**
 * ibds_port_init - make a port whose link is down
 * @port: result
 * @lock: what protects it
 * @num: number at its node
 * @is_switch: belongs to the switch
 * @guid: port GUID; 0 for external ports of a switch
 * @npkeys: entries of its P_Key table
 * @mtu: the largest that it can have, in octets
 *
 * Return: 0 or -ENOMEM.
 * Context: Process context, may sleep.
 */
int ibds_port_init(struct ibds_port *port, spinlock_t *lock, u8 num,
		   bool is_switch, u64 guid, u16 npkeys, u16 mtu)
{
	port->lock = lock;
	port->num = num;
	port->is_switch = is_switch;
	port->guid = guid;
	port->npkeys = npkeys;
	port->cabled = true;
	port->mtu_cap = opa_mtu_int_to_enum(mtu);
	port->state = IB_PORT_DOWN;
	port->phys = IBDS_PHYS_POLLING;
	port->subnet_timeout = 18;
	port->cap_mask = IB_PORT_TRAP_SUP | IB_PORT_SYS_IMAGE_GUID_SUP |
			 IB_PORT_CLIENT_REG_SUP;
	if (is_switch && !num) {
		port->state = IB_PORT_ACTIVE;
		port->phys = IBDS_PHYS_LINK_UP;
	}
	ibds_port_reset(port);

	port->counters = alloc_percpu(struct ibds_counters);
	return port->counters ? 0 : -ENOMEM;
}

/**
 * ibds_port_exit - free what ibds_port_init() made
 * @port: a port that nothing passes any more; may be all zeros
 */
void ibds_port_exit(struct ibds_port *port)
{
	free_percpu(port->counters);
}

/**
 * ibds_port_read - add up the counters of all CPUs
 * @port: the port
 * @sum: result, since the port was made
 *
 * Context: Any.
 */
void ibds_port_read(const struct ibds_port *port, struct ibds_counters *sum)
{
	int cpu, i;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		const struct ibds_counters *one = per_cpu_ptr(port->counters, cpu);

		for (i = 0; i < IBDS_COUNTERS; i++)
			sum->n[i] += READ_ONCE(one->n[i]);
	}
}

/**
 * ibds_counter_name - the name of a counter
 * @what: which
 *
 * Return: a constant string.
 */
const char *ibds_counter_name(enum ibds_counter what)
{
	return counter_names[what];
}
