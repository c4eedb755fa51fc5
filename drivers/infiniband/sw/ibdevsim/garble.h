/* SPDX-License-Identifier: GPL-2.0 */
/* Datagrams that arrive altered. */
#ifndef _IBDS_GARBLE_H
#define _IBDS_GARBLE_H

#include "delay.h"
#include "fault.h"

void ibds_garble(struct ibds_hca *from, const struct ibds_packet *pkt,
		 enum ibds_class class, ibds_launch_fn launch,
		 struct ibds_batch *batch);

#endif /* _IBDS_GARBLE_H */
