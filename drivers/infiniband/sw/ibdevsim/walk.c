// SPDX-License-Identifier: GPL-2.0
#include "walk.h"

#include <asm/byteorder.h>
#include <rdma/ib_smi.h>

#include "wire.h"

static enum ibds_hop leave_by(u8 port, u8 ports, u8 *egress)
{
	/* Port 0 is the switch itself, and no way out. */
	if (!port || port > ports)
		return IBDS_HOP_DROP;
	*egress = port;
	return IBDS_HOP_FORWARD;
}

static enum ibds_hop walk_out(struct ib_smp *smp, u8 ingress, u8 ports,
			      u8 *egress)
{
	if (!smp->hop_ptr || smp->hop_ptr > smp->hop_cnt)
		return IBDS_HOP_DROP;

	smp->return_path[smp->hop_ptr] = ingress;
	if (smp->hop_ptr == smp->hop_cnt) {
		smp->hop_ptr++;
		return IBDS_HOP_HERE;
	}
	smp->hop_ptr++;
	return leave_by(smp->initial_path[smp->hop_ptr], ports, egress);
}

static enum ibds_hop walk_back(struct ib_smp *smp, u8 ports, u8 *egress)
{
	if (smp->hop_ptr < 2 || smp->hop_ptr > smp->hop_cnt + 1)
		return IBDS_HOP_DROP;

	smp->hop_ptr--;
	return leave_by(smp->return_path[smp->hop_ptr], ports, egress);
}

/**
 * ibds_walk - take a directed-route SMP one step on
 * @smp: the SMP at a switch; its hop pointer and return path are updated
 * @ingress: port by which it came in; of no interest on the way back
 * @ports: number of the switch's external ports
 * @egress: result with IBDS_HOP_FORWARD, the port by which it leaves
 *
 * An answer made by the switch itself starts its way back here, too. Parts of
 * the route by LID are not supported: nobody sends such.
 *
 * Return: what to do with it.
 */
enum ibds_hop ibds_walk(struct ib_smp *smp, u8 ingress, u8 ports, u8 *egress)
{
	if (smp->hop_cnt >= IB_SMP_MAX_PATH_HOPS ||
	    smp->dr_slid != cpu_to_be16(IBDS_LID_PERMISSIVE) ||
	    smp->dr_dlid != cpu_to_be16(IBDS_LID_PERMISSIVE))
		return IBDS_HOP_DROP;

	if (ib_get_smp_direction(smp))
		return walk_back(smp, ports, egress);
	return walk_out(smp, ingress, ports, egress);
}

/**
 * ibds_walk_turn - send a directed-route SMP back to where it came from
 * @smp: answer, whose hop pointer is as the request arrived with
 */
void ibds_walk_turn(struct ib_smp *smp)
{
	smp->status |= IB_SMP_DIRECTION;
}
