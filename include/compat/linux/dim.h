/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_DIM_H
#define _COMPAT_LINUX_DIM_H

#include_next <linux/dim.h>

#ifndef HAVE_NET_DIM_POINTER
/* Until 6.13 net_dim() took the sample itself. */
static inline void compat_net_dim(struct dim *dim, const struct dim_sample *end_sample)
{
	net_dim(dim, *end_sample);
}

#define net_dim compat_net_dim
#endif

#endif /* _COMPAT_LINUX_DIM_H */
