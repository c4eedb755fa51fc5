/* SPDX-License-Identifier: GPL-2.0 */
/* These cases show what HCAs of some kinds do, or with some knobs, and others do not. */
#ifndef _LOOP_KINDS_H
#define _LOOP_KINDS_H

#include "loop_expect.h"

/* The last one has no name. */
extern const struct loop_case loop_kinds[];

#endif /* _LOOP_KINDS_H */
