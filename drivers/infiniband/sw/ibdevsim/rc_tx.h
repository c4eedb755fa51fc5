/* SPDX-License-Identifier: GPL-2.0 */
/* The sending side of connected queue pairs, reliable and unreliable. */
#ifndef _IBDS_RC_TX_H
#define _IBDS_RC_TX_H

#include <linux/types.h>

struct ibds_batch;
struct ibds_qp;

bool ibds_rc_tx(struct ibds_qp *qp, unsigned int quantum,
		struct ibds_batch *batch);

#endif /* _IBDS_RC_TX_H */
