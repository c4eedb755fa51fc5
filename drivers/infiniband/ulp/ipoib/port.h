/* SPDX-License-Identifier: GPL-2.0 */
/* Ports of RDMA devices, and the interfaces on them. */
#ifndef _IPOIB_PORT_H
#define _IPOIB_PORT_H

#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>

#include "device.h"
#include "users.h"

/**
 * struct ipoib_port - one port of an RDMA device that can carry interfaces
 * @node: entry of the list of all ports
 * @sibling: entry of its RDMA device's list of ports; only add and remove
 * @ibdev: the RDMA device
 * @num: port number
 * @fabric_ops: kind of network behind it
 * @shared: what the interfaces share of that network
 * @pd: protection domain that its interfaces share
 * @users: one for the RDMA device, one for each interface
 * @devs: interfaces on the port
 *
 * Made when the RDMA device appears, freed when it has gone and the last
 * interface with it. Its lists are changed under RTNL and a lock of port.c,
 * so that either is enough to read them.
 */
struct ipoib_port {
	struct list_head node;
	struct list_head sibling;
	struct ib_device *ibdev;
	u32 num;
	const struct ipoib_fabric_ops *fabric_ops;
	void *shared;
	struct ib_pd *pd;
	struct ipoib_users users;
	struct list_head devs;
};

int ipoib_port_init(const char *kind);
void ipoib_port_exit(void);

struct ipoib_port *ipoib_port_find(const struct net_device *lower);
struct ipoib_dev *ipoib_port_find_dev(const struct ipoib_port *port, u16 pkey);
void ipoib_port_describe(struct ipoib_port *port, struct ipoib_dev_config *config);
void ipoib_port_dress(const struct ipoib_port *port, struct net_device *dev);
void ipoib_port_attach(struct ipoib_port *port, struct ipoib_dev *idev);

#endif /* _IPOIB_PORT_H */
