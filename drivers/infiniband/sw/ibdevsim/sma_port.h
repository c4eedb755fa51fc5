/* SPDX-License-Identifier: GPL-2.0 */
/* The PortInfo attribute. */
#ifndef _IBDS_SMA_PORT_H
#define _IBDS_SMA_PORT_H

#include "sma.h"

struct ibds_port;

void ibds_sma_get_port(struct ibds_sma *sma, const struct ibds_port *port);
u32 ibds_sma_set_port(struct ibds_sma *sma, struct ibds_port *port, u8 *link);

#endif /* _IBDS_SMA_PORT_H */
