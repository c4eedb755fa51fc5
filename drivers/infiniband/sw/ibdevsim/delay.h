/* SPDX-License-Identifier: GPL-2.0 */
/* Datagrams that a fault knob holds back. */
#ifndef _IBDS_DELAY_H
#define _IBDS_DELAY_H

#include <linux/types.h>

struct ibds_hca;
struct ibds_packet;

void ibds_delay(struct ibds_hca *from, const struct ibds_packet *pkt, u32 usec);
void ibds_delay_flush(struct ibds_hca *from);

#endif /* _IBDS_DELAY_H */
