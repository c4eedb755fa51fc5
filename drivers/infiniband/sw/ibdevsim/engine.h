/* SPDX-License-Identifier: GPL-2.0 */
/* The engine of an HCA: does what its queue pairs have been given to do. */
#ifndef _IBDS_ENGINE_H
#define _IBDS_ENGINE_H

#include <linux/types.h>

struct ibds_hca;

void ibds_engine_init(struct ibds_hca *hca);
void ibds_engine_stall(struct ibds_hca *hca, bool stalled);
void ibds_engine_kill(struct ibds_hca *hca);
void ibds_engine_exit(struct ibds_hca *hca);

#endif /* _IBDS_ENGINE_H */
