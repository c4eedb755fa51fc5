/* SPDX-License-Identifier: GPL-2.0 */
/* Sending by connections: shared batch and completion queue, and backlogs. */
#ifndef _IPOIB_CONN_TX_H
#define _IPOIB_CONN_TX_H

#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>

#include "moder.h"
#include "qp.h"
#include "txring.h"

struct ipoib_conn;
struct ipoib_conn_set;

/**
 * struct ipoib_conn_tx - what the connections of an interface send with
 * @batch: work requests that wait for the doorbell; TX lock
 * @batching: connection that @batch belongs to, or NULL; TX lock
 * @behind: connections with a backlog; TX lock, but catch_up() looks without it whether there
 *	are any
 * @waiting_bytes: truesize of all packets in backlogs and of all staged ones; TX lock
 * @cq: completions of all sends; exists while a connection of the set has a QP
 * @napi: polls @cq
 * @wc: completions of a poll; @napi
 * @moder: moderation of @cq
 *
 * Part of a set of connections.
 */
struct ipoib_conn_tx {
	struct ipoib_tx_batch *batch;
	struct ipoib_conn *batching;
	struct list_head behind;
	unsigned int waiting_bytes;
	struct ib_cq *cq;
	struct napi_struct napi;
	struct ib_wc wc[IPOIB_POLL_BATCH];
	struct ipoib_moder moder;
};

int ipoib_conn_tx_init(struct ipoib_conn_set *set);
void ipoib_conn_tx_exit(struct ipoib_conn_set *set);
int ipoib_conn_tx_open(struct ipoib_conn_set *set);
void ipoib_conn_tx_close(struct ipoib_conn_set *set);
unsigned int ipoib_conn_tx_max(const struct ib_device *ibdev);

bool ipoib_conn_tx_may_wait(const struct ipoib_conn_set *set, unsigned int own,
			    unsigned int more);
void ipoib_conn_tx_forget(struct ipoib_conn *conn);
void ipoib_conn_tx_poll(struct ipoib_conn_set *set);

#endif /* _IPOIB_CONN_TX_H */
