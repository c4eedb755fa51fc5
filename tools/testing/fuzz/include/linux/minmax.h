/* SPDX-License-Identifier: GPL-2.0 */
/* Both sides of one type, as the kernel wants it, which is not checked here. */
#ifndef _FUZZ_LINUX_MINMAX_H
#define _FUZZ_LINUX_MINMAX_H

#define min(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a < _b ? _a : _b; })
#define min_t(type, a, b) ({ type _g = (a); type _h = (b); _g < _h ? _g : _h; })
#define max(a, b) ({ __typeof__(a) _c = (a); __typeof__(b) _d = (b); _c > _d ? _c : _d; })
#define min3(a, b, c) \
	({ __typeof__(a) _e = min(a, b); __typeof__(c) _f = (c); min(_e, _f); })

#endif /* _FUZZ_LINUX_MINMAX_H */
