/* SPDX-License-Identifier: GPL-2.0 */
/* Sending datagrams, management ones among them. */
#ifndef _IBDS_UD_TX_H
#define _IBDS_UD_TX_H

#include <rdma/ib_verbs.h>

struct ibds_batch;
struct ibds_hca;
struct ibds_packet;
struct ibds_qp;

bool ibds_ud_tx(struct ibds_qp *qp, unsigned int quantum,
		struct ibds_batch *batch);
void ibds_ud_tx_launch(struct ibds_hca *from, const struct ibds_packet *pkt,
		       struct ibds_batch *batch);
void ibds_ud_tx_depart(struct ibds_hca *from, const struct ibds_packet *pkt,
		       struct ibds_batch *batch);

#endif /* _IBDS_UD_TX_H */
