/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_RDMA_IB_VERBS_H
#define _COMPAT_RDMA_IB_VERBS_H

#include_next <rdma/ib_verbs.h>

/* 6.11 gave create_cq the attributes of the whole call. */
#ifdef HAVE_CREATE_CQ_ATTRS
#define COMPAT_CREATE_CQ_ARG	struct uverbs_attr_bundle *
#else
#define COMPAT_CREATE_CQ_ARG	struct ib_udata *
#endif

/* 6.17 gave reg_user_mr a DMA handle. */
#ifdef HAVE_IB_DMAH
#define COMPAT_DMAH_ARG		struct ib_dmah *dmah,
#else
#define COMPAT_DMAH_ARG
#endif

#endif /* _COMPAT_RDMA_IB_VERBS_H */
