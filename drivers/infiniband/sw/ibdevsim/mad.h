/* SPDX-License-Identifier: GPL-2.0 */
/* Management datagrams that the core hands to an HCA's own agents. */
#ifndef _IBDS_MAD_H
#define _IBDS_MAD_H

#include <rdma/ib_mad.h>

int ibds_process_mad(struct ib_device *ibdev, int flags, u32 port,
		     const struct ib_wc *wc, const struct ib_grh *grh,
		     const struct ib_mad *in, struct ib_mad *out,
		     size_t *out_size, u16 *out_pkey_index);

#endif /* _IBDS_MAD_H */
