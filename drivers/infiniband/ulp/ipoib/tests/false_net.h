/* SPDX-License-Identifier: GPL-2.0 */
/* A network namespace of a tenant, for suites that look at who may do what where. */
#ifndef _IPOIB_TESTS_FALSE_NET_H
#define _IPOIB_TESTS_FALSE_NET_H

#include <kunit/test.h>
#include <linux/user_namespace.h>
#include <net/net_namespace.h>

/*
 * Its user namespace is another than the host's. A net_device has to have left it before it is
 * freed, for the stack knows nothing of it.
 */
static struct net *false_net(struct kunit *test)
{
	struct net *net = kunit_kzalloc(test, sizeof(*net), GFP_KERNEL);
	struct user_namespace *user_ns = kunit_kzalloc(test, sizeof(*user_ns), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, net);
	KUNIT_ASSERT_NOT_NULL(test, user_ns);
	net->user_ns = user_ns;
	return net;
}

#endif /* _IPOIB_TESTS_FALSE_NET_H */
