/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_NETDEVICE_H
#define _COMPAT_LINUX_NETDEVICE_H

#include_next <linux/netdevice.h>

/*
 * Whether packets wait in GRO, or shall, when a poll is over. Since 6.13 how long is a
 * setting of each NAPI instance; since 6.15 what waits is in a struct of its own.
 */
static inline bool compat_napi_gro_waits(const struct napi_struct *napi)
{
#ifdef HAVE_NAPI_CONFIG
	unsigned long timeout = READ_ONCE(napi->gro_flush_timeout);
#else
	unsigned long timeout = READ_ONCE(napi->dev->gro_flush_timeout);
#endif
#ifdef HAVE_GRO_NODE
	return timeout || napi->gro.bitmask;
#else
	return timeout || napi->gro_bitmask;
#endif
}

/* Parameters of header_ops.parse, one of which came in 7.0. */
#ifdef HAVE_HEADER_PARSE_DEV
#define COMPAT_PARSE_ARGS						\
	const struct sk_buff *skb, const struct net_device *dev, unsigned char *haddr
#else
#define COMPAT_PARSE_ARGS						\
	const struct sk_buff *skb, unsigned char *haddr
#endif

#endif /* _COMPAT_LINUX_NETDEVICE_H */
