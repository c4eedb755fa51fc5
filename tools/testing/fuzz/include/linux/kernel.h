/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _FUZZ_LINUX_KERNEL_H
#define _FUZZ_LINUX_KERNEL_H

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#endif /* _FUZZ_LINUX_KERNEL_H */
