/* SPDX-License-Identifier: GPL-2.0 */
/* What every target here has use for. */
#ifndef _FUZZ_H
#define _FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>

/* One input; the script that compiles this has the name that libFuzzer knows. */
int fuzz_one(const u8 *data, size_t len);

#define expect(cond) do {						\
	if (!(cond)) {							\
		fprintf(stderr, "%s:%d: not so: %s\n", __FILE__,	\
			__LINE__, #cond);				\
		abort();						\
	}								\
} while (0)

/* A copy with nothing behind it: AddressSanitizer sees each octet read beyond. */
static inline void *exact(const void *data, size_t len)
{
	void *copy = malloc(len);

	expect(copy);
	memcpy(copy, data, len);
	return copy;
}

/* Takes the next octets of the input; where it is too short zeros take their place. */
static inline void take(const u8 **data, size_t *len, void *to, size_t n)
{
	size_t have = *len < n ? *len : n;

	memcpy(to, *data, have);
	memset((u8 *)to + have, 0, n - have);
	*data += have;
	*len -= have;
}

#endif /* _FUZZ_H */
