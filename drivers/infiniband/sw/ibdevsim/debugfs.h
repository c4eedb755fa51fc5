/* SPDX-License-Identifier: GPL-2.0 */
/* Control and faults, a file for each. */
#ifndef _IBDS_DEBUGFS_H
#define _IBDS_DEBUGFS_H

struct ibds_fabric;
struct ibds_hca;

void ibds_debugfs_init(struct ibds_fabric *fab);
void ibds_debugfs_exit(struct ibds_fabric *fab);
void ibds_debugfs_add(struct ibds_hca *hca);
void ibds_debugfs_del(struct ibds_hca *hca);

#endif /* _IBDS_DEBUGFS_H */
