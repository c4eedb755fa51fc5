/* SPDX-License-Identifier: GPL-2.0 */
/* The C library's: AddressSanitizer looks at what memcpy() and memcmp() touch. */
#include <string.h>
