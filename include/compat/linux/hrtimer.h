/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_HRTIMER_H
#define _COMPAT_LINUX_HRTIMER_H

#include_next <linux/hrtimer.h>

/* 6.13 made the function an argument of the initialisation. */
#ifndef HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*fn)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = fn;
}
#endif

#endif /* _COMPAT_LINUX_HRTIMER_H */
