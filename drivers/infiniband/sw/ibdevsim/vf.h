/* SPDX-License-Identifier: GPL-2.0 */
/* Virtual functions: what an administrator may set of each, without any behind it. */
#ifndef _IBDS_VF_H
#define _IBDS_VF_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

struct ibds_hca;
struct seq_file;

#define IBDS_VFS_MAX	4

/**
 * struct ibds_vf - one virtual function
 * @node_guid: its GUID as a node
 * @port_guid: the GUID of its port
 * @state: IFLA_VF_LINK_STATE_AUTO or another one
 *
 * All are zero to begin with, and written under RTNL.
 */
struct ibds_vf {
	u64 node_guid;
	u64 port_guid;
	int state;
};

extern const struct ib_device_ops ibds_vf_ops;

void ibds_vf_show(struct ibds_hca *hca, struct seq_file *seq);

#endif /* _IBDS_VF_H */
