/* SPDX-License-Identifier: GPL-2.0 */
/* Fields of a word, each given by the mask of its bits. */
#ifndef _FUZZ_LINUX_BITFIELD_H
#define _FUZZ_LINUX_BITFIELD_H

#define FIELD_GET(mask, word)	(((word) & (mask)) >> __builtin_ctzl(mask))
#define FIELD_PREP(mask, field)	(((field) * ((mask) & -(mask))) & (mask))

#endif /* _FUZZ_LINUX_BITFIELD_H */
