/* SPDX-License-Identifier: GPL-2.0 */
/* These cases show what the specification wants of queues. */
#ifndef _LOOP_CASES_H
#define _LOOP_CASES_H

struct ib_device;

int loop_case(const char *name, struct ib_device *from, struct ib_device *to);

#endif /* _LOOP_CASES_H */
