/* SPDX-License-Identifier: GPL-2.0 */
/* Sending datagrams, management ones among them. */
#ifndef _IBDS_UD_TX_H
#define _IBDS_UD_TX_H

#include <rdma/ib_verbs.h>

struct ibds_batch;
struct ibds_qp;

bool ibds_ud_tx(struct ibds_qp *qp, unsigned int quantum,
		struct ibds_batch *batch);

#endif /* _IBDS_UD_TX_H */
