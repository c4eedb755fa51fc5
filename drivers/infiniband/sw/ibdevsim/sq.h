/* SPDX-License-Identifier: GPL-2.0 */
/* How work ends: completions of sends, flushes of both queues. */
#ifndef _IBDS_SQ_H
#define _IBDS_SQ_H

#include <rdma/ib_verbs.h>

struct ibds_batch;
struct ibds_qp;

void ibds_sq_complete(struct ibds_qp *qp, enum ib_wc_status status,
		      struct ibds_batch *batch);
enum ib_wc_status ibds_sq_fault(struct ibds_qp *qp);
void ibds_qp_flush(struct ibds_qp *qp, struct ibds_batch *batch);
void ibds_qp_fail(struct ibds_qp *qp);
void ibds_qp_send_failed(struct ibds_qp *qp);

#endif /* _IBDS_SQ_H */
