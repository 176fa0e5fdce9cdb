// SPDX-License-Identifier: BSD-2-Clause
#include "probe/constants.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probe/objects.h"
#include "wire/kernel_call.h"

/* Calls of @imm in all programs of @obj, of helpers or of the kernel's own functions. */
static unsigned int calls(const struct bpf_object *obj, unsigned int src_reg, int32_t imm)
{
	struct bpf_program *prog;
	unsigned int count = 0;

	bpf_object__for_each_program(prog, obj)
	{
		const struct bpf_insn *code = bpf_program__insns(prog);

		for (size_t i = 0; i < bpf_program__insn_cnt(prog); i++)
			count += code[i].code == (BPF_JMP | BPF_CALL) &&
				 code[i].src_reg == src_reg && code[i].imm == imm;
	}
	return count;
}

static struct btf *kernel_with(const char *first, const char *second, int ids[2])
{
	struct btf *btf = btf__new_empty();
	int proto = btf__add_func_proto(btf, 0);

	ids[0] = btf__add_func(btf, first, BTF_FUNC_GLOBAL, proto);
	ids[1] = btf__add_func(btf, second, BTF_FUNC_GLOBAL, proto);
	return btf;
}

static void marks_become_calls(void **state)
{
	int ids[2];
	struct btf *kernel = kernel_with("bpf_preempt_disable", "bpf_preempt_enable", ids);
	struct bpf_object *obj = object_open("sys", NULL);
	unsigned int off = calls(obj, 0, PREEMPT_DISABLE_MARK);
	unsigned int on = calls(obj, 0, PREEMPT_ENABLE_MARK);

	(void)state;
	assert_true(off > 0 && on > 0);
	assert_true(kernel_call_resolve_preempt(kernel, obj));
	assert_int_equal(calls(obj, BPF_PSEUDO_KFUNC_CALL, ids[0]), off);
	assert_int_equal(calls(obj, BPF_PSEUDO_KFUNC_CALL, ids[1]), on);
	assert_int_equal(calls(obj, 0, PREEMPT_DISABLE_MARK), 0);
	assert_int_equal(calls(obj, 0, PREEMPT_ENABLE_MARK), 0);
	bpf_object__close(obj);
	btf__free(kernel);
}

static void half_a_pair_is_none(void **state)
{
	int ids[2];
	struct btf *kernel = kernel_with("bpf_preempt_disable", "bpf_other", ids);
	struct bpf_object *obj = object_open("sys", NULL);
	unsigned int off = calls(obj, 0, PREEMPT_DISABLE_MARK);

	(void)state;
	assert_false(kernel_call_resolve_preempt(kernel, obj));
	assert_false(kernel_call_resolve_preempt(NULL, obj));
	assert_int_equal(calls(obj, 0, PREEMPT_DISABLE_MARK), off);
	bpf_object__close(obj);
	btf__free(kernel);
}

/* Instructions that load @imm as a number. */
static unsigned int numbers(const struct bpf_object *obj, int32_t imm)
{
	struct bpf_program *prog;
	unsigned int count = 0;

	bpf_object__for_each_program(prog, obj)
	{
		const struct bpf_insn *code = bpf_program__insns(prog);

		for (size_t i = 0; i < bpf_program__insn_cnt(prog); i++)
			count += code[i].code == (BPF_ALU64 | BPF_MOV | BPF_K) &&
				 code[i].imm == imm;
	}
	return count;
}

static void a_cast_has_its_type(void **state)
{
	struct btf *kernel = btf__new_empty();
	int proto = btf__add_func_proto(kernel, 0);
	int cast = btf__add_func(kernel, "bpf_rdonly_cast", BTF_FUNC_GLOBAL, proto);
	struct bpf_object *obj = object_open("net", NULL);
	unsigned int words, casts = calls(obj, 0, CAST_MARK);
	int type;

	(void)state;
	assert_true(casts > 0);
	assert_int_equal(numbers(obj, CAST_WORDS_MARK) + numbers(obj, CAST_PACKET_MARK) +
				 numbers(obj, CAST_HOOK_STATE_MARK) +
				 numbers(obj, CAST_SOCKET_MARK),
			 casts);
	assert_false(kernel_call_resolve_cast(kernel, obj)); /* to what? */
	assert_false(kernel_call_resolve_cast(NULL, obj));
	assert_int_equal(calls(obj, 0, CAST_MARK), casts);
	btf__add_struct(kernel, "sk_buff", 64);
	btf__add_struct(kernel, "nf_hook_state", 64);
	btf__add_struct(kernel, "sock", 64);
	assert_false(kernel_call_resolve_cast(kernel, obj)); /* one is missing */
	type = btf__add_struct(kernel, "seccomp_data", 64);
	words = numbers(obj, CAST_WORDS_MARK);
	assert_true(words > 0 && !numbers(obj, type));
	assert_true(kernel_call_resolve_cast(kernel, obj));
	assert_int_equal(calls(obj, BPF_PSEUDO_KFUNC_CALL, cast), casts);
	assert_int_equal(calls(obj, 0, CAST_MARK), 0);
	assert_int_equal(numbers(obj, CAST_WORDS_MARK), 0);
	assert_int_equal(numbers(obj, type), words);
	bpf_object__close(obj);
	btf__free(kernel);
}

/* Weak externs would have libbpf read the modules' BTF, which not every permitted user may. What
 * watches can be done without. */
static void no_object_has_an_extern(void **state)
{
	(void)state;
	for (size_t i = 0; i < OBJECT_COUNT; i++) {
		struct bpf_object *obj = object_open(object_name(i), NULL);

		if (strcmp(object_name(i), "watch"))
			assert_int_equal(btf__find_by_name_kind(bpf_object__btf(obj), ".ksyms",
								BTF_KIND_DATASEC),
					 -ENOENT);
		bpf_object__close(obj);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_become_calls),
		cmocka_unit_test(half_a_pair_is_none),
		cmocka_unit_test(a_cast_has_its_type),
		cmocka_unit_test(no_object_has_an_extern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
