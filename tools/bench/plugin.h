/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the bench needs of the interface between QEMU and its plugins, as QEMU's
 * documentation describes version 1. Debian has no package with QEMU's own header.
 */
#ifndef PLUGIN_H
#define PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#define PLUGIN_VERSION	1
#define EXPORT	__attribute__((visibility("default")))

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info;
typedef uint64_t plugin_id;

typedef void (*trans_cb)(plugin_id id, struct qemu_plugin_tb *tb);
typedef void (*exec_cb)(unsigned int cpu, void *data);

enum { INLINE_ADD_U64 };
enum { CB_NO_REGS };

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, trans_cb cb);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int op,
					      void *ptr, uint64_t imm);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    exec_cb cb, int flags, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
						 size_t i);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);

#endif /* PLUGIN_H */
