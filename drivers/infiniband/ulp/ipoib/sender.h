/* SPDX-License-Identifier: GPL-2.0 */
/* Who sent a packet, as ARP and neighbour discovery tell. */
#ifndef _IPOIB_SENDER_H
#define _IPOIB_SENDER_H

#include <linux/types.h>

#include "wire.h"

/* As much of a packet as ipoib_sender() ever looks at, octets. */
#define IPOIB_SENDER_LEN	128u

bool ipoib_sender(const void *packet, unsigned int len,
		  struct ipoib_hwaddr *addr);

#endif /* _IPOIB_SENDER_H */
