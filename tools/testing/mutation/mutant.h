/* SPDX-License-Identifier: GPL-2.0 */
/* What mutate.py writes into a driver; included before everything else. */
#ifndef IPOIB_MUTANT_H
#define IPOIB_MUTANT_H

/* More than any driver here has; the compiler warns of a number that is not below it. */
#define IPOIB_MUTANTS 16384

extern int ipoib_mutant;
extern unsigned char ipoib_mutants_run[IPOIB_MUTANTS];

/* Is this the place that is broken now? It was come by in any case. */
static inline int MUTANT(int n)
{
	ipoib_mutants_run[n] = 1;
	return ipoib_mutant == n;
}

#endif
