/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_WORKQUEUE_H
#define _COMPAT_LINUX_WORKQUEUE_H

#include_next <linux/workqueue.h>

/* Until 6.17 it was called otherwise; since then the old name has the log warn. */
#ifndef HAVE_SYSTEM_DFL_WQ
#define system_dfl_wq system_unbound_wq
#endif

#endif /* _COMPAT_LINUX_WORKQUEUE_H */
