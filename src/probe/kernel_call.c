// SPDX-License-Identifier: BSD-2-Clause
#include "probe/kernel_call.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/kernel_call.h"

/* The instructions of a program that is not loaded yet are const only by their prototype: libbpf
 * copies them when it loads. */
static struct bpf_insn *code_of(const struct bpf_program *prog)
{
	return (struct bpf_insn *)bpf_program__insns(prog);
}

static void resolve(struct bpf_program *prog, int32_t mark, int32_t id)
{
	struct bpf_insn *code = code_of(prog);

	for (size_t i = 0; i < bpf_program__insn_cnt(prog); i++) {
		if (code[i].code == (BPF_JMP | BPF_CALL) && !code[i].src_reg &&
		    code[i].imm == mark) {
			code[i].src_reg = BPF_PSEUDO_KFUNC_CALL;
			code[i].imm = id;
		}
	}
}

static void resolve_number(struct bpf_program *prog, int32_t mark, int32_t value)
{
	struct bpf_insn *code = code_of(prog);

	for (size_t i = 0; i < bpf_program__insn_cnt(prog); i++) {
		if (code[i].code == (BPF_ALU64 | BPF_MOV | BPF_K) && code[i].imm == mark)
			code[i].imm = value;
	}
}

bool kernel_call_resolve_preempt(const struct btf *kernel, struct bpf_object *obj)
{
	struct bpf_program *prog;
	int off, on;

	if (!kernel)
		return false;
	off = btf__find_by_name_kind(kernel, "bpf_preempt_disable", BTF_KIND_FUNC);
	on = btf__find_by_name_kind(kernel, "bpf_preempt_enable", BTF_KIND_FUNC);
	if (off < 0 || on < 0)
		return false;
	bpf_object__for_each_program(prog, obj)
	{
		resolve(prog, PREEMPT_DISABLE_MARK, off);
		resolve(prog, PREEMPT_ENABLE_MARK, on);
	}
	return true;
}

/* What is cast to. */
static const struct {
	int32_t mark;
	const char *name;
} cast_types[] = {
	{CAST_WORDS_MARK, "seccomp_data"},
	{CAST_PACKET_MARK, "sk_buff"},
	{CAST_HOOK_STATE_MARK, "nf_hook_state"},
	{CAST_SOCKET_MARK, "sock"},
};
#define CAST_TYPES (sizeof(cast_types) / sizeof(cast_types[0]))

bool kernel_call_resolve_cast(const struct btf *kernel, struct bpf_object *obj)
{
	struct bpf_program *prog;
	int cast, types[CAST_TYPES];

	cast = kernel ? btf__find_by_name_kind(kernel, "bpf_rdonly_cast", BTF_KIND_FUNC) : -ENOENT;
	if (cast < 0)
		return false;
	for (size_t i = 0; i < CAST_TYPES; i++) {
		types[i] = btf__find_by_name_kind(kernel, cast_types[i].name, BTF_KIND_STRUCT);
		if (types[i] < 0)
			return false;
	}
	bpf_object__for_each_program(prog, obj)
	{
		resolve(prog, CAST_MARK, cast);
		for (size_t i = 0; i < CAST_TYPES; i++)
			resolve_number(prog, cast_types[i].mark, types[i]);
	}
	return true;
}
