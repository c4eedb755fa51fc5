/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ipoib_snoop_sender() finds the link-layer address of the sender in ARP and neighbour discovery
 * packets.
 */
#ifndef _IPOIB_SNOOP_H
#define _IPOIB_SNOOP_H

#include <linux/types.h>

#include "wire.h"

/* Most octets of a packet that ipoib_snoop_sender() is given. */
#define IPOIB_SNOOP_LEN	128u

bool ipoib_snoop_sender(const void *packet, unsigned int len,
			struct ipoib_hwaddr *addr);

#endif /* _IPOIB_SNOOP_H */
