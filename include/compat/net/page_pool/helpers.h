/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_NET_PAGE_POOL_HELPERS_H
#define _COMPAT_NET_PAGE_POOL_HELPERS_H

/* 6.6 split net/page_pool.h into types.h and helpers.h. */
#ifdef HAVE_PAGE_POOL_HELPERS
#include_next <net/page_pool/helpers.h>
#else
#include <net/page_pool.h>
#endif

/* Since 6.7 every pool can hand out pieces of pages. */
#ifdef PP_FLAG_PAGE_FRAG
#define COMPAT_PP_FLAG_PAGE_FRAG	PP_FLAG_PAGE_FRAG
#else
#define COMPAT_PP_FLAG_PAGE_FRAG	0
#endif

#endif /* _COMPAT_NET_PAGE_POOL_HELPERS_H */
