/* SPDX-License-Identifier: GPL-2.0 */
/* Ports of RDMA devices, and the interfaces on them. */
#ifndef _IPOIB_PORT_H
#define _IPOIB_PORT_H

#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>

#include "device.h"
#include "usecnt.h"

/**
 * struct ipoib_port - one port of an RDMA device that can carry interfaces
 * @node: entry of the list of all ports
 * @sibling: entry of the list of ports of its RDMA device
 * @parent: parent_add() has succeeded, so hca_fill() need not call it again; only
 *	hca_fill() uses the field
 * @ibdev: the RDMA device
 * @num: port number
 * @fabric_ops: operations of the kind of network behind the port
 * @shared: result of @fabric_ops->open_port(), shared by the interfaces
 * @pd: protection domain that the interfaces share
 * @uc: the device has UC queue pairs, so that connections may use them
 * @wq: work of requests, groups and so on; no work item here waits for RTNL
 * @ctl_wq: work that takes RTNL, and work that queries the port, for which an HCA may take
 *	long. A context that holds RTNL must not wait for such work that has not started yet
 * @conn_wq: work of connections, which may wait for the HCA as well
 * @conn_turns: limits of CM messages that wait for an answer
 * @users: one user for the RDMA device, one for each interface
 * @devs: interfaces on the port
 *
 * Made when the RDMA device appears; freed when the device and the last interface have gone.
 * The lists of @node and @devs are changed under RTNL and ports_lock of port.c, so either of
 * the two is enough to read them. @sibling is protected by ports_lock alone.
 */
struct ipoib_port {
	struct list_head node;
	struct list_head sibling;
	bool parent;
	struct ib_device *ibdev;
	u32 num;
	const struct ipoib_fabric_ops *fabric_ops;
	void *shared;
	struct ib_pd *pd;
	bool uc;
	struct workqueue_struct *wq;
	struct workqueue_struct *ctl_wq;
	struct workqueue_struct *conn_wq;
	struct ipoib_turns conn_turns;
	struct ipoib_usecnt users;
	struct list_head devs;
};

/*
 * IPoIB needs multicast, because its broadcast is a multicast group (RFC 4391 section 4). Some
 * devices that carry the InfiniBand transport over Ethernet have none.
 */
static inline bool ipoib_port_has_mcast(const struct ipoib_port *port)
{
	return port->ibdev->ops.attach_mcast;
}

int ipoib_port_init(const char *kind);
void ipoib_port_exit(void);

struct ipoib_port *ipoib_port_find(const struct net_device *lower);
struct ipoib_dev *ipoib_port_find_dev(const struct ipoib_port *port, u16 pkey);
bool ipoib_is_parent(const struct ipoib_dev *idev);
void ipoib_port_config(struct ipoib_port *port, struct ipoib_dev *idev);
int ipoib_port_register(struct ipoib_dev *idev);
void ipoib_port_detach(struct ipoib_dev *idev);

/* Children: interfaces on other partitions of the port, see child.c. */
void ipoib_child_config(struct ipoib_dev *idev, struct ipoib_dev *parent, u16 pkey);
int ipoib_child_check(const struct ipoib_dev *parent, u16 pkey,
		      struct netlink_ext_ack *extack);
int ipoib_child_create(struct ipoib_dev *parent, u16 pkey,
		       struct netlink_ext_ack *extack);
int ipoib_child_delete(struct ipoib_dev *parent, u16 pkey,
		       struct netlink_ext_ack *extack);

#endif /* _IPOIB_PORT_H */
