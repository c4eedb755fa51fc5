/* SPDX-License-Identifier: GPL-2.0 */
/* Sending by connections: batch and completion queue of a bundle, and backlogs. */
#ifndef _IPOIB_CONN_TX_H
#define _IPOIB_CONN_TX_H

#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>

#include "apart.h"
#include "moder.h"
#include "qp.h"
#include "txring.h"

struct ipoib_bundle;
struct ipoib_conn;
struct ipoib_conn_set;

/**
 * struct ipoib_conn_tx - what the connections of a set in one bundle send with
 * @set: the set; constant
 * @bundle: the bundle; constant
 * @behind: connections with a backlog; bundle's lock, but catch_up() looks without it whether there
 *	are any
 * @cq: completions of all sends; exists while a connection has a QP
 * @count: connections that may have room for many sends in @cq; the set's lock
 * @users: connections that use @cq; the set's @rings_lock
 * @napi: polls @cq
 * @wc: completions of a poll; @napi
 * @moder: moderation of @cq
 * @batch: work requests that wait for the doorbell; exists as long as @cq; bundle's lock
 * @batching: connection that @batch belongs to, or NULL; bundle's lock
 */
struct ipoib_conn_tx {
	struct ipoib_conn_set *set;
	struct ipoib_bundle *bundle;
	struct list_head behind;
	struct ib_cq *cq;
	unsigned int count;
	unsigned int users;

	/* The poll writes these, and senders read what is above. */
	struct napi_struct napi ____cacheline_aligned_in_smp;
	struct ib_wc wc[IPOIB_POLL_BATCH];
	struct ipoib_moder moder;

	/* Senders write these, and the poll does not look at them. */
	struct ipoib_tx_batch *batch ____cacheline_aligned_in_smp;
	struct ipoib_conn *batching;
};

static_assert(IPOIB_HAS_ITS_LINES(struct ipoib_conn_tx));
static_assert(IPOIB_APART(struct ipoib_conn_tx, napi, bundle));
static_assert(IPOIB_APART(struct ipoib_conn_tx, batching, bundle));
static_assert(IPOIB_APART(struct ipoib_conn_tx, batching, moder));

int ipoib_conn_txs_init(struct ipoib_conn_set *set);
void ipoib_conn_txs_exit(struct ipoib_conn_set *set);
int ipoib_conn_txs_moderate(struct ipoib_conn_set *set);
int ipoib_conn_tx_get(struct ipoib_conn_tx *tx);
void ipoib_conn_tx_put(struct ipoib_conn_tx *tx);
unsigned int ipoib_conn_tx_max(const struct ib_device *ibdev);

bool ipoib_conn_tx_may_wait(const struct ipoib_conn_tx *tx, unsigned int own,
			    unsigned int more);
void ipoib_conn_tx_forget(struct ipoib_conn *conn);
void ipoib_conn_tx_poll(struct ipoib_conn_tx *tx);

#endif /* _IPOIB_CONN_TX_H */
