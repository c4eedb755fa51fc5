// SPDX-License-Identifier: GPL-2.0
#include "ah.h"

#include <rdma/ib_verbs.h>

#include "fault.h"
#include "hca.h"
#include "port.h"
#include "wire.h"

#define NEXT_HEADER_IBA	0x1b

static void make_grh(struct ib_grh *grh, const struct ibds_port *port,
		     const struct ib_global_route *route)
{
	grh->version_tclass_flow =
		cpu_to_be32(6 << 28 | route->traffic_class << 20 |
			    (route->flow_label & 0xfffff));
	grh->paylen = 0;
	grh->next_hdr = NEXT_HEADER_IBA;
	grh->hop_limit = route->hop_limit;
	grh->sgid.global.subnet_prefix =
		cpu_to_be64(READ_ONCE(port->gid_prefix));
	grh->sgid.global.interface_id =
		cpu_to_be64(READ_ONCE(port->guids[route->sgid_index]));
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
	if (attr->type != RDMA_AH_ATTR_TYPE_IB)
		return -EINVAL;

	av->dlid = rdma_ah_get_dlid(attr);
	av->path_bits = rdma_ah_get_path_bits(attr) &
			((1 << IBDS_LMC_MAX) - 1);
	av->sl = rdma_ah_get_sl(attr) & 15;
	av->has_grh = rdma_ah_get_ah_flags(attr) & IB_AH_GRH;
	if (av->has_grh) {
		if (attr->grh.sgid_index >= IBDS_GUIDS)
			return -EINVAL;
		make_grh(&av->grh, port, &attr->grh);
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
 * Context: Any.
 */
int ibds_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		   struct ib_udata *udata)
{
	struct ibds_hca *hca = to_ibds_hca(ibah->device);

	if (ibds_fault_nth(&hca->faults.create_ah))
		return -ENOMEM;
	return ibds_modify_ah(ibah, init->ah_attr);
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
	/* The core counts the references on it in its own copy. */
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
 * @ibah: the handle; nothing is being sent to it
 * @flags: unused, it never sleeps
 *
 * Return: 0.
 * Context: Any.
 */
int ibds_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	return 0;
}
