/* SPDX-License-Identifier: GPL-2.0 */
/* The table of what an HCA can do for the RDMA core. */
#ifndef _IBDS_VERBS_H
#define _IBDS_VERBS_H

#include <rdma/ib_verbs.h>

extern const struct ib_device_ops ibds_device_ops;

#endif /* _IBDS_VERBS_H */
