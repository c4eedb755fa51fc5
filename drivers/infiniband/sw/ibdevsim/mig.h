/* SPDX-License-Identifier: GPL-2.0 */
/* Both paths of a connected queue pair, and the change from one to the other. */
#ifndef _IBDS_MIG_H
#define _IBDS_MIG_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

#include "qp.h"

struct ibds_packet;

bool ibds_mig_may(const struct ibds_qp *qp, const struct ib_qp_attr *attr,
		  int mask);
void ibds_mig_set(struct ibds_qp *qp, const struct ib_qp_attr *attr, int mask);
void ibds_mig_reset(struct ibds_qp *qp);
bool ibds_mig_arrived(struct ibds_qp *qp, const struct ibds_packet *pkt);
bool ibds_mig_fits(const struct ibds_qp *qp, const struct ibds_packet *pkt);
bool ibds_mig_lost(struct ibds_qp *qp);

/*
 * ibds_mig_news() says whether a packet can change anything. Hardly any can, and so most need no
 * lock.
 */
static inline bool ibds_mig_news(const struct ibds_qp *qp, bool armed)
{
	u8 state = READ_ONCE(qp->paths.state);

	return unlikely((state == IB_MIG_REARM && armed) ||
			(state == IB_MIG_ARMED && !armed));
}

/* MigReq of what the queue pair sends is the opposite of ibds_mig_armed(). */
static inline bool ibds_mig_armed(const struct ibds_qp *qp)
{
	return READ_ONCE(qp->paths.state) != IB_MIG_MIGRATED;
}

#endif /* _IBDS_MIG_H */
