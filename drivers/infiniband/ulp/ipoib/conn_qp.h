/* SPDX-License-Identifier: GPL-2.0 */
/* The QP of a connection: from RESET to RTS, and back. */
#ifndef _IPOIB_CONN_QP_H
#define _IPOIB_CONN_QP_H

#include <linux/types.h>

struct ib_cm_id;
struct ipoib_conn;

/*
 * RFC 4755 section 7.1: what is lost is sent again sooner than TCP would.
 * A receiver that has no buffer for a while is waited for.
 */
#define IPOIB_CONN_RETRIES	7
#define IPOIB_CONN_RNR_RETRIES	7

int ipoib_conn_qp_new(struct ipoib_conn *conn);
int ipoib_conn_qp_connect(struct ipoib_conn *conn, struct ib_cm_id *cm_id,
			  bool answer, u32 rq_psn);
void ipoib_conn_qp_free(struct ipoib_conn *conn);

#endif /* _IPOIB_CONN_QP_H */
