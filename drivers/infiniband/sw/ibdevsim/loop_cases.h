/* SPDX-License-Identifier: GPL-2.0 */
/* What the specification wants of queues, case by case. */
#ifndef _LOOP_CASES_H
#define _LOOP_CASES_H

struct ib_device;

int loop_case(const char *name, struct ib_device *from, struct ib_device *to);

#endif /* _LOOP_CASES_H */
