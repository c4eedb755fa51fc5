/* SPDX-License-Identifier: GPL-2.0 */
/* Subnet management packets on their way, and the switch's agents. */
#ifndef _IBDS_SMP_H
#define _IBDS_SMP_H

struct ib_mad;
struct ibds_batch;
struct ibds_hca;
struct ibds_node;
struct ibds_packet;

void ibds_smp_tx(struct ibds_hca *from, const struct ibds_packet *pkt,
		 struct ibds_batch *batch);
void ibds_gsi_switch(struct ibds_hca *from, const struct ibds_packet *pkt,
		     struct ibds_batch *batch);
void ibds_smp_send_hca(struct ibds_node *node, const struct ib_mad *mad);
void ibds_smp_send_switch(struct ibds_node *node, const struct ib_mad *mad);

#endif /* _IBDS_SMP_H */
