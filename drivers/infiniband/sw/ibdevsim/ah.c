// SPDX-License-Identifier: GPL-2.0
#include "ah.h"

#include <rdma/ib_verbs.h>

#include "fabric.h"
#include "fault.h"
#include "hca.h"
#include "port.h"
#include "wire.h"

#define NEXT_HEADER_IBA	0x1b

/**
 * ibds_av_source - the GRH of a packet, with the source GID that the port has now
 * @grh: result
 * @av: where the packet goes; it has a GRH
 * @port: port that sends
 *
 * Context: Any.
 */
void ibds_av_source(struct ib_grh *grh, const struct ibds_av *av,
		    const struct ibds_port *port)
{
	*grh = av->grh;
	grh->sgid.global.subnet_prefix =
		cpu_to_be64(READ_ONCE(port->gid_prefix));
	grh->sgid.global.interface_id =
		cpu_to_be64(READ_ONCE(port->guids[av->sgid_index]));
}

static void make_grh(struct ib_grh *grh, const struct ib_global_route *route)
{
	grh->version_tclass_flow =
		cpu_to_be32(6 << 28 | route->traffic_class << 20 |
			    route->flow_label);
	grh->paylen = 0;
	grh->next_hdr = NEXT_HEADER_IBA;
	grh->hop_limit = route->hop_limit;
	grh->dgid = route->dgid;
}

/**
 * ibds_av_init - turn address attributes into headers
 * @av: result
 * @port: port that sends
 * @attr: attributes
 *
 * Return: 0 or -EINVAL.
 * Context: Any.
 */
int ibds_av_init(struct ibds_av *av, const struct ibds_port *port,
		 const struct rdma_ah_attr *attr)
{
	u8 rate = rdma_ah_get_static_rate(attr);

	/*
	 * rvt_check_ah() refuses such a rate, too, and mlx5 does for connections: the HCA has no
	 * such timing.
	 */
	if (rate != IB_RATE_PORT_CURRENT && ib_rate_to_mbps(rate) < 0)
		return -EINVAL;
	/* Management here knows only LIDs of 16 bits, whatever the address has room for. */
	if ((attr->type != RDMA_AH_ATTR_TYPE_IB && attr->type != RDMA_AH_ATTR_TYPE_OPA) ||
	    rdma_ah_get_dlid(attr) > U16_MAX)
		return -EINVAL;

	av->dlid = rdma_ah_get_dlid(attr);
	if (rdma_ah_get_path_bits(attr) >> IBDS_LMC_MAX || rdma_ah_get_sl(attr) > 15)
		return -EINVAL;
	av->path_bits = rdma_ah_get_path_bits(attr);
	av->sl = rdma_ah_get_sl(attr);
	av->has_grh = rdma_ah_get_ah_flags(attr) & IB_AH_GRH;
	if (av->has_grh) {
		if (attr->grh.sgid_index >= IBDS_GUIDS || attr->grh.flow_label >> 20)
			return -EINVAL;
		av->sgid_index = attr->grh.sgid_index;
		make_grh(&av->grh, &attr->grh);
		ibds_av_source(&av->grh, av, port);
	} else if (av->dlid >= IBDS_LID_MCAST &&
		   av->dlid != IBDS_LID_PERMISSIVE) {
		return -EINVAL;
	}
	return 0;
}

/**
 * ibds_create_ah - make an address handle
 * @ibah: result, zeroed by the core
 * @init: attributes
 * @udata: unused
 *
 * Return: 0 or a negative errno.
 * Context: Any, as far as the caller says that it may sleep.
 */
int ibds_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		   struct ib_udata *udata)
{
	struct ibds_hca *hca = to_ibds_hca(ibah->device);

	unsigned long flags;
	int err;

	might_sleep_if(init->flags & RDMA_CREATE_AH_SLEEPABLE);
	if (init->flags & RDMA_CREATE_AH_SLEEPABLE)
		ibds_fault_count_io(&hca->fab->faults, &hca->faults.with_io,
				    ibah->pd->res.kern_name);
	if (ibds_fault_hits(&hca->fab->faults, &hca->faults.create_ah,
			    ibah->pd->res.kern_name))
		return -ENOMEM;
	err = ibds_take(&hca->limits, IBDS_OBJ_AH);
	if (err)
		return err;
	err = ibds_modify_ah(ibah, init->ah_attr);
	if (err) {
		ibds_give(&hca->limits, IBDS_OBJ_AH);
		return err;
	}
	spin_lock_irqsave(&hca->ah_lock, flags);
	list_add_tail(&to_ibds_ah(ibah)->node, &hca->ahs);
	spin_unlock_irqrestore(&hca->ah_lock, flags);
	return 0;
}

/**
 * ibds_modify_ah - give an address handle another address
 * @ibah: the handle
 * @attr: attributes
 *
 * Return: 0 or a negative errno.
 * Context: Any; nothing is being sent to the handle.
 */
int ibds_modify_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	struct ibds_ah *ah = to_ibds_ah(ibah);
	int err;

	err = ibds_av_init(&ah->av, &to_ibds_hca(ibah->device)->port, attr);
	if (err)
		return err;
	ah->attr = *attr;
	/* The core counts the references on the GID in its own copy. */
	ah->attr.grh.sgid_attr = NULL;
	return 0;
}

/**
 * ibds_query_ah - tell what an address handle was made of
 * @ibah: the handle
 * @attr: result
 *
 * The MAD layer drops every answer to a client without this.
 *
 * Return: 0.
 * Context: Any.
 */
int ibds_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	*attr = to_ibds_ah(ibah)->attr;
	return 0;
}

/**
 * ibds_destroy_ah - destroy an address handle
 * @ibah: the handle
 * @flags: enum rdma_destroy_ah_flags
 *
 * Return: 0, or -EBUSY for a handle that sends refer to: an HCA that looks at it when it
 * sends would send them anywhere.
 * Context: Any, as far as the caller says that it may sleep.
 */
int ibds_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	struct ibds_hca *hca = to_ibds_hca(ibah->device);
	unsigned long irq;

	might_sleep_if(flags & RDMA_DESTROY_AH_SLEEPABLE);
	/* The core complains of who asked for it. */
	if (atomic_read(&to_ibds_ah(ibah)->sends))
		return -EBUSY;
	spin_lock_irqsave(&hca->ah_lock, irq);
	list_del(&to_ibds_ah(ibah)->node);
	spin_unlock_irqrestore(&hca->ah_lock, irq);
	ibds_give(&hca->limits, IBDS_OBJ_AH);
	return 0;
}
