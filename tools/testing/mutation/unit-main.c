// SPDX-License-Identifier: GPL-2.0
/* SUITE [MUTANT]: fails if the suite does; without a mutant says which ones it comes by. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

void unit_failed(const char *file, int line)
{
	fprintf(stderr, "not ok: %s:%d\n", file, line);
	_exit(1);
}

void *unit_alloc(unsigned long size, int fill)
{
	void *p = malloc(size);

	return p ? memset(p, fill, size) : p;
}

void unit_free(void *p)
{
	free(p);
}

int main(int argc, char **argv)
{
	int n = 0;

	unit_run(argc > 1 ? atoi(argv[1]) : 0);
	while (argc == 1 && (n = unit_next(n)))
		printf("%d\n", n);
	return 0;
}
