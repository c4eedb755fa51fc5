// SPDX-License-Identifier: GPL-2.0
#include "mad.h"

#include <rdma/ib_smi.h>

#include "hca.h"
#include "pma.h"
#include "sma.h"
#include "walk.h"

static int process_smp(struct ibds_hca *hca, int flags, const struct ib_mad *in,
		       struct ib_mad *out)
{
	const struct ib_smp *smp = (const struct ib_smp *)in;
	struct ibds_sma sma = {
		.fab = hca->fab,
		.node = &hca->node,
		.hca = hca,
		.in_port = 1,
		.trusted = flags & IB_MAD_IGNORE_MKEY,
		.in = smp,
		.out = (struct ib_smp *)out,
	};

	/* The subnet manager on this HCA speaks for itself. */
	if (smp->attr_id == IB_SMP_ATTR_SM_INFO)
		return IB_MAD_RESULT_SUCCESS;
	switch (smp->method) {
	case IB_MGMT_METHOD_GET:
	case IB_MGMT_METHOD_SET:
		break;
	case IB_MGMT_METHOD_TRAP_REPRESS:
		ibds_sma(&sma);
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED;
	default:
		/* Answers and traps are for whoever waits for them. */
		return IB_MAD_RESULT_SUCCESS;
	}
	if (!ibds_sma(&sma))
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED;
	if (smp->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE)
		ibds_walk_turn(sma.out);
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}

/**
 * ibds_process_mad - let an HCA's own agents see a MAD
 * @ibdev: the HCA
 * @flags: whether the M_Key need not fit
 * @port: 1
 * @wc: how it came in; NULL when a sysfs file asks
 * @grh: its GRH
 * @in: the MAD
 * @out: result, the answer
 * @out_size: result, its length; it is always that of a MAD
 * @out_pkey_index: result; the P_Key that it came with, the core's choice
 *
 * Return: a mask of enum ib_mad_result.
 * Context: Process context.
 */
int ibds_process_mad(struct ib_device *ibdev, int flags, u32 port,
		     const struct ib_wc *wc, const struct ib_grh *grh,
		     const struct ib_mad *in, struct ib_mad *out,
		     size_t *out_size, u16 *out_pkey_index)
{
	struct ibds_hca *hca = to_ibds_hca(ibdev);

	switch (in->mad_hdr.mgmt_class) {
	case IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE:
	case IB_MGMT_CLASS_SUBN_LID_ROUTED:
		return process_smp(hca, flags, in, out);
	case IB_MGMT_CLASS_PERF_MGMT:
		if (ibds_pma(&hca->node, in, out))
			return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
		return IB_MAD_RESULT_SUCCESS;
	default:
		return IB_MAD_RESULT_SUCCESS;
	}
}
