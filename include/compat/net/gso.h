/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_NET_GSO_H
#define _COMPAT_NET_GSO_H

/* Until 6.5 it was a part of linux/netdevice.h. */
#ifdef HAVE_GSO
#include_next <net/gso.h>
#else
#include <linux/netdevice.h>
#endif

#endif /* _COMPAT_NET_GSO_H */
