// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>

#include "debugfs.h"
#include "netlink.h"
#include "port.h"

/*
 * The link kind first: it tells whether ib_ipoib is loaded. Before there are
 * ports nobody can make an interface of that kind.
 */
static int __init ipoib_init(void)
{
	int err;

	err = ipoib_netlink_init();
	if (err)
		return err;

	ipoib_debugfs_init();
	err = ipoib_port_init();
	if (err)
		goto err_debugfs;
	return 0;

err_debugfs:
	ipoib_debugfs_exit();
	ipoib_netlink_exit();
	return err;
}

static void __exit ipoib_exit(void)
{
	ipoib_port_exit();
	ipoib_debugfs_exit();
	ipoib_netlink_exit();

	/* Peers and address handles were freed by RCU callbacks of ours. */
	rcu_barrier();
}

module_init(ipoib_init);
module_exit(ipoib_exit);

MODULE_DESCRIPTION("IP over InfiniBand and RoCE (RFC 4391)");
MODULE_LICENSE("GPL");
MODULE_ALIAS_RTNL_LINK("ipoib");
