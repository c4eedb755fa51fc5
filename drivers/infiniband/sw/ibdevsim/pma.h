/* SPDX-License-Identifier: GPL-2.0 */
/* The performance management agent of HCAs and switch. */
#ifndef _IBDS_PMA_H
#define _IBDS_PMA_H

#include <rdma/ib_mad.h>

struct ibds_node;

bool ibds_pma(struct ibds_node *node, const struct ib_mad *in,
	      struct ib_mad *out);

#endif /* _IBDS_PMA_H */
