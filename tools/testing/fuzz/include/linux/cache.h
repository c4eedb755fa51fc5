/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_CACHE_H
#define _LINUX_CACHE_H

#define __ro_after_init

#endif /* _LINUX_CACHE_H */
