/* SPDX-License-Identifier: GPL-2.0 */
/* Which connection the packets of a peer go by, and what happens while there is none. */
#ifndef _IPOIB_CONN_PEER_H
#define _IPOIB_CONN_PEER_H

#include <linux/skbuff.h>

struct ipoib_conn;
struct ipoib_conn_set;
struct ipoib_peer;

int ipoib_conn_peer_check(struct ipoib_conn *conn);
void ipoib_conn_peer_ask(const struct ipoib_conn *old);
bool ipoib_conn_peer_is_contested(const struct ipoib_conn *conn);
struct ipoib_conn *ipoib_conn_peer_want(struct ipoib_conn_set *set,
					struct ipoib_peer *peer, bool urgent);
bool ipoib_conn_peer_stage(struct ipoib_conn_set *set, struct ipoib_peer *peer,
			   struct sk_buff *skb);
void ipoib_conn_peer_publish(struct ipoib_conn *conn);
void ipoib_conn_peer_unpublish(struct ipoib_conn *conn);
void ipoib_conn_peer_abandon(struct ipoib_conn *conn);
void ipoib_conn_peer_detach(struct ipoib_conn *conn);

#endif /* _IPOIB_CONN_PEER_H */
