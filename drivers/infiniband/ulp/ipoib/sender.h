/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the link-layer address of the sender in ARP and neighbour discovery packets. */
#ifndef _IPOIB_SENDER_H
#define _IPOIB_SENDER_H

#include <linux/types.h>

#include "wire.h"

/* Most octets of a packet that ipoib_sender() is given. */
#define IPOIB_SENDER_LEN	128u

bool ipoib_sender(const void *packet, unsigned int len,
		  struct ipoib_hwaddr *addr);

#endif /* _IPOIB_SENDER_H */
