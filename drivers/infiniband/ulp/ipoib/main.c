// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/random.h>

#include "addr.h"
#include "genl.h"
#include "netdev.h"
#include "netlink.h"
#include "port.h"
#include "stats.h"

/*
 * IFNAMSIZ: rtnetlink makes the default name of an interface from its kind, and cuts off what
 * does not fit.
 */
#define MAX_KIND	16

static char *kind = "ipoib";
module_param(kind, charp, 0444);
MODULE_PARM_DESC(kind, "link kind, to run beside ib_ipoib in a test (ipoib)");

/*
 * The link kind is registered first because this fails if ib_ipoib is loaded, before any
 * interface appears. That users can name the kind so early does no harm: until
 * ipoib_port_init() has run there are no ports, and without one no interface can be made.
 */
static int __init ipoib_init(void)
{
	int err, i;

	if (!*kind || strlen(kind) >= MAX_KIND || strchr(kind, '/')) {
		pr_err(KBUILD_MODNAME ": kind: not a name of up to %d characters\n",
		       MAX_KIND - 1);
		return -EINVAL;
	}

	get_random_bytes(ipoib_hwaddr_factors, sizeof(ipoib_hwaddr_factors));
	/* The product with an even number says less of its last bits. */
	for (i = 0; i < ARRAY_SIZE(ipoib_hwaddr_factors); i++)
		ipoib_hwaddr_factors[i] |= 1;
	err = ipoib_netlink_init(kind);
	if (err)
		return err;

	err = ipoib_genl_init();
	if (err)
		goto err_netlink;

	ipoib_debugfs_init(kind);
	err = ipoib_port_init(kind);
	if (err)
		goto err_debugfs;
	return 0;

err_debugfs:
	ipoib_debugfs_exit();
	ipoib_genl_exit();
err_netlink:
	ipoib_netlink_exit();
	/* There may have been interfaces for a moment. */
	rcu_barrier();
	return err;
}

static void __exit ipoib_exit(void)
{
	ipoib_port_exit();
	ipoib_debugfs_exit();
	ipoib_netlink_exit();
	ipoib_genl_exit();

	/* Wait for the RCU callbacks that free peers and address handles: their code goes now. */
	rcu_barrier();
	ipoib_objects_exit();
}

module_init(ipoib_init);
module_exit(ipoib_exit);

MODULE_DESCRIPTION("IP over InfiniBand and RoCE (RFC 4391)");
MODULE_AUTHOR("the ipoib maintainers");
MODULE_VERSION("0.1");
MODULE_LICENSE("GPL");
MODULE_ALIAS_RTNL_LINK("ipoib");
