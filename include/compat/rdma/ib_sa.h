/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_RDMA_IB_SA_H
#define _COMPAT_RDMA_IB_SA_H

#include_next <rdma/ib_sa.h>

/* Type of the number of path records that a callback gets. */
#ifdef HAVE_UNSIGNED_NUM_PRS
#define COMPAT_NUM_PRS	unsigned int
#else
#define COMPAT_NUM_PRS	int
#endif

#endif /* _COMPAT_RDMA_IB_SA_H */
