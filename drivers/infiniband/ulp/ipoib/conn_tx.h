/* SPDX-License-Identifier: GPL-2.0 */
/* Sending by connections: the send queue that they share, and who holds it up. */
#ifndef _IPOIB_CONN_TX_H
#define _IPOIB_CONN_TX_H

#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>

#include "txring.h"

struct ipoib_conn;
struct ipoib_connset;

/**
 * struct ipoib_conn_tx - what the connections of an interface send with
 * @batch: work requests that wait for the doorbell; TX lock
 * @batching: connection that @batch belongs to, or NULL; TX lock
 * @full: connection whose ring is full and holds the send queue, or NULL;
 *	written under the TX lock
 * @release: lets the send queue go on without it
 * @cq: completions of all sends; exists while there are connections with a QP
 * @napi: polls @cq
 *
 * Part of a set of connections.
 */
struct ipoib_conn_tx {
	struct ipoib_tx_batch *batch;
	struct ipoib_conn *batching;
	struct ipoib_conn *full;
	struct delayed_work release;
	struct ib_cq *cq;
	struct napi_struct napi;
};

int ipoib_conn_tx_init(struct ipoib_connset *set);
void ipoib_conn_tx_exit(struct ipoib_connset *set);
int ipoib_conn_tx_open(struct ipoib_connset *set);
void ipoib_conn_tx_close(struct ipoib_connset *set);
unsigned int ipoib_conn_tx_max(const struct ib_device *ibdev);

void ipoib_conn_tx_send(struct ipoib_conn *conn, struct sk_buff *skb);
void ipoib_conn_tx_flush(struct ipoib_connset *set);
void ipoib_conn_tx_forget(struct ipoib_connset *set,
			  const struct ipoib_conn *conn);
void ipoib_conn_tx_poll(struct ipoib_connset *set);

#endif /* _IPOIB_CONN_TX_H */
