/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_NET_RTNETLINK_H
#define _COMPAT_NET_RTNETLINK_H

#include_next <net/rtnetlink.h>

/*
 * 6.15 put the arguments of newlink into a struct. The function given takes
 * the namespace that IFLA_LINK counts in, as both tell it.
 */
#ifdef HAVE_RTNL_NEWLINK_PARAMS
#define COMPAT_NEWLINK(name, fn)					\
static int name(struct net_device *dev,					\
		struct rtnl_newlink_params *params,			\
		struct netlink_ext_ack *extack)				\
{									\
	return fn(rtnl_newlink_link_net(params), dev, params->tb,	\
		  params->data, extack);				\
}
#else
#define COMPAT_NEWLINK(name, fn)					\
static int name(struct net *src_net, struct net_device *dev,		\
		struct nlattr *tb[], struct nlattr *data[],		\
		struct netlink_ext_ack *extack)				\
{									\
	return fn(src_net, dev, tb, data, extack);			\
}
#endif

#endif /* _COMPAT_NET_RTNETLINK_H */
