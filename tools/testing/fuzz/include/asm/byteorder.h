/* SPDX-License-Identifier: GPL-2.0 */
/* Of machines that are little endian, as all are on which this is run. */
#ifndef _FUZZ_ASM_BYTEORDER_H
#define _FUZZ_ASM_BYTEORDER_H

#include_next <asm/byteorder.h>

#ifndef __LITTLE_ENDIAN_BITFIELD
#error written for little endian machines
#endif

#define cpu_to_be16(x)	((__be16)__builtin_bswap16(x))
#define cpu_to_be32(x)	((__be32)__builtin_bswap32(x))
#define cpu_to_be64(x)	((__be64)__builtin_bswap64(x))
#define be16_to_cpu(x)	((__u16)__builtin_bswap16(x))
#define be32_to_cpu(x)	((__u32)__builtin_bswap32(x))
#define be64_to_cpu(x)	((__u64)__builtin_bswap64(x))

#endif /* _FUZZ_ASM_BYTEORDER_H */
