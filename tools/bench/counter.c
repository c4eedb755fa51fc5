// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin of QEMU's translator: counts how often each translated block of the
 * guest is executed, between two marks that a program in the guest sets.
 *
 *	qemu-system-x86_64 -plugin counter.so,out=FILE ...
 *
 * A mark is an instruction that does nothing, with an address in it that nobody
 * else would use (mark.h). What was executed since the mark "begin", but for what was
 * between "pause" and "resume", is written at the mark "end":
 *
 *	window
 *	ADDRESS INSTRUCTIONS TIMES	of each block, in hexadecimal the address
 *
 * Who knows where the modules of the guest lay can tell what each of them has
 * executed. A block that an exception leaves early counts as a whole; a string
 * instruction counts once for each element, as it does on the guest's clock.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mark.h"
#include "plugin.h"

/* A block by where it begins and how long it is: it may be translated again. */
struct block {
	struct block *next;
	uint64_t address;
	uint64_t insns;
	uint64_t times;
	uint64_t times_at_pause;
};

#define BUCKETS	65536

static struct block *blocks[BUCKETS];
static FILE *out;

EXPORT int qemu_plugin_version = PLUGIN_VERSION;

static struct block *block_of(uint64_t address, uint64_t insns)
{
	struct block **bucket = &blocks[(address ^ address >> 16) % BUCKETS];
	struct block *b;

	for (b = *bucket; b; b = b->next)
		if (b->address == address && b->insns == insns)
			return b;
	b = calloc(1, sizeof(*b));
	if (!b)
		abort();
	b->address = address;
	b->insns = insns;
	b->next = *bucket;
	*bucket = b;
	return b;
}

static void begin(unsigned int cpu, void *data)
{
	struct block *b;
	int i;

	for (i = 0; i < BUCKETS; i++) {
		for (b = blocks[i]; b; b = b->next) {
			b->times = 0;
			b->times_at_pause = 0;
		}
	}
}

static void pause_count(unsigned int cpu, void *data)
{
	struct block *b;
	int i;

	for (i = 0; i < BUCKETS; i++)
		for (b = blocks[i]; b; b = b->next)
			b->times_at_pause = b->times;
}

/* What was translated meanwhile has counted, too, and nothing before. */
static void resume_count(unsigned int cpu, void *data)
{
	struct block *b;
	int i;

	for (i = 0; i < BUCKETS; i++)
		for (b = blocks[i]; b; b = b->next)
			b->times = b->times_at_pause;
}

static void end(unsigned int cpu, void *data)
{
	const struct block *b;
	int i;

	fprintf(out, "window\n");
	for (i = 0; i < BUCKETS; i++)
		for (b = blocks[i]; b; b = b->next)
			if (b->times)
				fprintf(out, "%lx %lu %lu\n", b->address, b->insns,
					b->times);
	fflush(out);
}

/* The octets of a mark but for its last one are those of every other. */
static bool is_mark(const struct qemu_plugin_insn *insn, uint32_t which)
{
	const uint8_t code[] = { 0x0f, 0x1f, 0x84, 0x00 };
	const uint8_t *data = qemu_plugin_insn_data(insn);

	return qemu_plugin_insn_size(insn) == sizeof(code) + sizeof(which) &&
	       !memcmp(data, code, sizeof(code)) &&
	       !memcmp(data + sizeof(code), &which, sizeof(which));
}

static void mark_cb(struct qemu_plugin_insn *insn)
{
	static const struct {
		uint32_t which;
		void (*cb)(unsigned int cpu, void *data);
	} marks[] = {
		{ MARK_BEGIN,	begin },
		{ MARK_END,	end },
		{ MARK_PAUSE,	pause_count },
		{ MARK_RESUME,	resume_count },
		{ 0,		NULL },
	}, *m;

	for (m = marks; m->cb; m++)
		if (is_mark(insn, m->which))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, m->cb, CB_NO_REGS, NULL);
}

static void translated(plugin_id id, struct qemu_plugin_tb *tb)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb);
	struct block *b = block_of(qemu_plugin_tb_vaddr(tb), n);

	qemu_plugin_register_vcpu_tb_exec_inline(tb, INLINE_ADD_U64, &b->times, 1);
	for (i = 0; i < n; i++)
		mark_cb(qemu_plugin_tb_get_insn(tb, i));
}

EXPORT int qemu_plugin_install(plugin_id id, const struct qemu_info *info, int argc,
			       char **argv)
{
	if (argc != 1 || strncmp(argv[0], "out=", 4))
		return -1;
	out = fopen(argv[0] + 4, "w");
	if (!out)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
