/* SPDX-License-Identifier: GPL-2.0 */
/* The QP of a connection: making it, bringing it to RTS, destroying it. */
#ifndef _IPOIB_CONN_QP_H
#define _IPOIB_CONN_QP_H

#include <linux/types.h>

struct ib_cm_id;
struct ipoib_conn;

/*
 * RFC 4755 section 7.1: the HCA repeats a lost packet sooner than TCP would. An RNR retry count
 * of 7 is no limit: the sender waits for a receiver that has no buffer for a while.
 */
#define IPOIB_CONN_RETRIES	7
#define IPOIB_CONN_RNR_RETRIES	7

int ipoib_conn_qp_new(struct ipoib_conn *conn);
int ipoib_conn_qp_connect(struct ipoib_conn *conn, struct ib_cm_id *cm_id,
			  bool answer, u32 rq_psn);
void ipoib_conn_qp_free(struct ipoib_conn *conn);

#endif /* _IPOIB_CONN_QP_H */
