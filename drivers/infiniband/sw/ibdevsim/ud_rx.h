/* SPDX-License-Identifier: GPL-2.0 */
/* Datagrams that have arrived at an HCA. */
#ifndef _IBDS_UD_RX_H
#define _IBDS_UD_RX_H

#include <linux/types.h>

#include "node.h"

struct ibds_batch;
struct ibds_hca;
struct ibds_packet;
struct ibds_qp;

void ibds_ud_rx(struct ibds_hca *hca, const struct ibds_packet *pkt,
		struct ibds_batch *batch);
void ibds_ud_rx_mcast(struct ibds_hca *hca, const struct ibds_packet *pkt,
		      const struct ibds_hca *from, struct ibds_batch *batch);
void ibds_key_violation(struct ibds_hca *hca, const struct ibds_packet *pkt,
			enum ibds_trap trap);
bool ibds_starved(struct ibds_qp *qp);

#endif /* _IBDS_UD_RX_H */
