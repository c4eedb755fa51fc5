/* SPDX-License-Identifier: GPL-2.0 */
/* REQs of peers: listening for them, checking, accepting or rejecting them. */
#ifndef _IPOIB_CONN_LISTEN_H
#define _IPOIB_CONN_LISTEN_H

struct ipoib_conn;
struct ipoib_conn_set;

int ipoib_conn_listen(struct ipoib_conn_set *set);
void ipoib_conn_listen_no_more(struct ipoib_conn_set *set);

#endif /* _IPOIB_CONN_LISTEN_H */
