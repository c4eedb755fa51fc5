/* SPDX-License-Identifier: GPL-2.0 */
/* Datagrams that arrive altered. */
#ifndef _IBDS_GARBLE_H
#define _IBDS_GARBLE_H

#include "fault.h"

struct ibds_batch;
struct ibds_hca;
struct ibds_packet;

void ibds_garble(struct ibds_hca *from, const struct ibds_packet *pkt,
		 enum ibds_class class, struct ibds_batch *batch);

#endif /* _IBDS_GARBLE_H */
