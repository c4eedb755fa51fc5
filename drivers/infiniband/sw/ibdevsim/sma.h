/* SPDX-License-Identifier: GPL-2.0 */
/* The subnet management agent of HCAs and switch. */
#ifndef _IBDS_SMA_H
#define _IBDS_SMA_H

#include <rdma/ib_smi.h>

struct ibds_fabric;
struct ibds_hca;
struct ibds_node;

/**
 * struct ibds_sma - one request
 * @fab: the fabric
 * @node: node that is asked
 * @hca: the HCA it is, NULL for the switch
 * @in_port: port by which the request came in
 * @trusted: the M_Key need not fit
 * @in: the request
 * @out: room for the answer
 */
struct ibds_sma {
	struct ibds_fabric *fab;
	struct ibds_node *node;
	struct ibds_hca *hca;
	u8 in_port;
	bool trusted;
	const struct ib_smp *in;
	struct ib_smp *out;
};

bool ibds_sma(struct ibds_sma *sma);

#endif /* _IBDS_SMA_H */
