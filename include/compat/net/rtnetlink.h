/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_NET_RTNETLINK_H
#define _COMPAT_NET_RTNETLINK_H

#include_next <net/rtnetlink.h>

/*
 * 6.15 put the arguments of newlink into a struct. COMPAT_NEWLINK_ARGS are
 * its parameters; COMPAT_NEWLINK_CALL passes on what they say: the namespace
 * that IFLA_LINK counts in, dev, tb, data, extack.
 */
#ifdef HAVE_RTNL_NEWLINK_PARAMS
#define COMPAT_NEWLINK_ARGS						\
	struct net_device *dev, struct rtnl_newlink_params *params,	\
	struct netlink_ext_ack *extack
#define COMPAT_NEWLINK_CALL(fn)						\
	fn(rtnl_newlink_link_net(params), dev, params->tb,		\
	   params->data, extack)
#else
#define COMPAT_NEWLINK_ARGS						\
	struct net *src_net, struct net_device *dev,			\
	struct nlattr *tb[], struct nlattr *data[],			\
	struct netlink_ext_ack *extack
#define COMPAT_NEWLINK_CALL(fn)						\
	fn(src_net, dev, tb, data, extack)
#endif

#endif /* _COMPAT_NET_RTNETLINK_H */
