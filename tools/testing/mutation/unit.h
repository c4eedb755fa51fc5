/* SPDX-License-Identifier: GPL-2.0 */
/* Between unit.c, which sees the kernel's headers, and unit-main.c, which sees libc's. */
#ifndef IPOIB_UNIT_H
#define IPOIB_UNIT_H

struct kunit_suite;

/* The linker knows where the section is in which kunit_test_suite() has put it. */
extern struct kunit_suite *__start_suites[];

/* A suite, while this mutant lives; it ends at the first failure. */
void unit_run(int mutant);

/* The first mutant after @n that was come by, 0 at the end */
int unit_next(int n);

void unit_failed(const char *file, int line);
void *unit_alloc(unsigned long size, int fill);
void unit_free(void *p);

#endif
