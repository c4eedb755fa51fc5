// SPDX-License-Identifier: GPL-2.0
/*
 * What suites of pure code take from a kernel, so that one of them is a program, see
 * unit-hunt.sh. Compiled with the kernel's headers, as the suite is.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "mutant.h"
#include "unit.h"

int ipoib_mutant;
unsigned char ipoib_mutants_run[IPOIB_MUTANTS];

void kunit_do_failed_assertion(struct kunit *test, const struct kunit_loc *loc,
			       enum kunit_assert_type type, const struct kunit_assert *assert,
			       assert_format_t assert_format, const char *fmt, ...)
{
	unit_failed(loc->file, loc->line);
}

void kunit_binary_assert_format(const struct kunit_assert *assert,
				const struct va_format *message, struct string_stream *stream)
{
}

void kunit_binary_ptr_assert_format(const struct kunit_assert *assert,
				    const struct va_format *message, struct string_stream *stream)
{
}

void kunit_binary_str_assert_format(const struct kunit_assert *assert,
				    const struct va_format *message, struct string_stream *stream)
{
}

void kunit_ptr_not_err_assert_format(const struct kunit_assert *assert,
				     const struct va_format *message, struct string_stream *stream)
{
}

void kunit_unary_assert_format(const struct kunit_assert *assert,
			       const struct va_format *message, struct string_stream *stream)
{
}

void *kunit_kmalloc_array(struct kunit *test, size_t n, size_t size, gfp_t gfp)
{
	return unit_alloc(n * size, gfp & __GFP_ZERO ? 0 : 0xa5);
}

void kunit_kfree(struct kunit *test, const void *p)
{
	unit_free((void *)p);
}

/* Any generator will do; this is xorshift128, of George Marsaglia. */
u32 prandom_u32_state(struct rnd_state *state)
{
	u32 t = state->s1 ^ state->s1 << 11;

	state->s1 = state->s2;
	state->s2 = state->s3;
	state->s3 = state->s4;
	state->s4 ^= state->s4 >> 19 ^ t ^ t >> 8;
	return state->s4;
}

void prandom_bytes_state(struct rnd_state *state, void *buf, size_t bytes)
{
	u8 *p = buf;

	while (bytes--)
		*p++ = prandom_u32_state(state) >> 8;
}

/* Descriptions of parameters are not looked at. */
ssize_t strscpy(char *to, const char *from, size_t size)
{
	return 0;
}

static void run_case(struct kunit_case *test_case)
{
	char desc[KUNIT_PARAM_DESC_SIZE];
	static struct kunit test;

	test.param_value = NULL;
	if (!test_case->generate_params) {
		test_case->run_case(&test);
		return;
	}
	while ((test.param_value = test_case->generate_params(test.param_value, desc)))
		test_case->run_case(&test);
}

void unit_run(int mutant)
{
	struct kunit_case *test_case;

	ipoib_mutant = mutant;
	for (test_case = __start_suites[0]->test_cases; test_case->run_case; test_case++)
		run_case(test_case);
}

int unit_next(int n)
{
	while (++n < IPOIB_MUTANTS)
		if (ipoib_mutants_run[n])
			return n;
	return 0;
}
