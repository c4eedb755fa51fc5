/* SPDX-License-Identifier: GPL-2.0 */
/* Neighbour discovery that comes by a connection, and how much of it is believed. */
#ifndef _IPOIB_CONN_ND_H
#define _IPOIB_CONN_ND_H

#include <linux/skbuff.h>

#include "wire.h"

bool ipoib_conn_nd_ok(const struct sk_buff *skb, const struct ipoib_hwaddr *from);

#endif /* _IPOIB_CONN_ND_H */
