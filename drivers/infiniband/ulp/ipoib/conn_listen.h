/* SPDX-License-Identifier: GPL-2.0 */
/* REQs of peers: listening for them, checking, accepting or rejecting them. */
#ifndef _IPOIB_CONN_LISTEN_H
#define _IPOIB_CONN_LISTEN_H

struct ipoib_conn;
struct ipoib_connset;

int ipoib_conn_listen(struct ipoib_connset *set);
void ipoib_conn_listen_no_more(struct ipoib_connset *set);

#endif /* _IPOIB_CONN_LISTEN_H */
