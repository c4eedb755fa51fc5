// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>
#include <linux/moduleparam.h>

#include "debugfs.h"
#include "netlink.h"
#include "port.h"

/* So much the kernel's own users of link kinds have room for. */
#define MAX_KIND	16

static char *kind = "ipoib";
module_param(kind, charp, 0444);
MODULE_PARM_DESC(kind, "link kind, to run beside ib_ipoib in a test (ipoib)");

/*
 * The link kind first: it tells whether ib_ipoib is loaded. Before there are
 * ports nobody can make an interface of that kind.
 */
static int __init ipoib_init(void)
{
	int err;

	if (!*kind || strlen(kind) >= MAX_KIND || strchr(kind, '/')) {
		pr_err(KBUILD_MODNAME ": kind: not a name of up to %d characters\n",
		       MAX_KIND - 1);
		return -EINVAL;
	}

	err = ipoib_netlink_init(kind);
	if (err)
		return err;

	ipoib_debugfs_init(kind);
	err = ipoib_port_init(kind);
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
