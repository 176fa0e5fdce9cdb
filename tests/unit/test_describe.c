// SPDX-License-Identifier: BSD-2-Clause
#include "probe/describe.h"

#include <bpf/btf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"

/* BTF made by hand: a record struct "r" that each test gives its members. */
struct fixture {
	struct describe *describe;
	struct btf *btf;
	int u64, u32, s32, u8, character, text; /* ids of types; text is char[16] */
	int record;
	struct event_class class;
	struct diag diag;
};

static int set_up(void **state)
{
	static struct fixture fix;
	fix = (struct fixture){.describe = describe_new(), .btf = btf__new_empty()};
	fix.u64 = btf__add_int(fix.btf, "u64", 8, 0);
	fix.u32 = btf__add_int(fix.btf, "u32", 4, 0);
	fix.s32 = btf__add_int(fix.btf, "s32", 4, BTF_INT_SIGNED);
	fix.u8 = btf__add_int(fix.btf, "u8", 1, 0);
	fix.character = btf__add_int(fix.btf, "char", 1, BTF_INT_SIGNED);
	fix.text = btf__add_array(fix.btf, fix.u32, fix.character, 16);
	*state = &fix;
	return fix.text > 0 ? 0 : -1;
}

static int tear_down(void **state)
{
	struct fixture *fix = *state;

	describe_free(fix->describe);
	btf__free(fix->btf);
	return 0;
}

/* struct r { u64 head; ... }; add_member follows. */
static void begin_record(struct fixture *fix)
{
	fix->record = btf__add_struct(fix->btf, "r", 64);
	assert_true(fix->record > 0);
	assert_int_equal(btf__add_field(fix->btf, "head", fix->u64, 0, 0), 0);
}

static void add_member(struct fixture *fix, const char *name, int type, uint32_t at, uint32_t bits)
{
	assert_int_equal(btf__add_field(fix->btf, name, type, at, bits), 0);
}

static void add_tag(struct fixture *fix, int member, const char *text)
{
	assert_true(btf__add_decl_tag(fix->btf, text, fix->record, member) > 0);
}

static int describe(struct fixture *fix)
{
	return describe_record(fix->describe, fix->btf, NULL, "r", &fix->class, &fix->diag);
}

static void members_become_fields(void **state)
{
	struct fixture *fix = *state;

	begin_record(fix);
	add_member(fix, "a", fix->u64, 64, 0);
	add_member(fix, "b", fix->s32, 128, 0);
	add_member(fix, "comm", fix->text, 160, 0);
	assert_int_equal(describe(fix), 0);
	assert_int_equal(fix->class.field_count, 3);
	assert_true(fix->class.fixed);
	assert_int_equal(fix->class.payload_bytes, 28);
	assert_string_equal(fix->class.fields[0].name, "a");
	assert_int_equal(fix->class.fields[0].bits, 64);
	assert_int_equal(fix->class.fields[0].align_bits, 32);
	assert_false(fix->class.fields[0].is_signed);
	assert_int_equal(fix->class.fields[1].offset_bits, 64);
	assert_true(fix->class.fields[1].is_signed);
	assert_int_equal(fix->class.fields[2].kind, FIELD_TEXT);
	assert_int_equal(fix->class.fields[2].count, 16);
	assert_int_equal(fix->class.offsets[2], 96);
}

static void tags_describe_them(void **state)
{
	struct fixture *fix = *state;
	const struct field *field;

	begin_record(fix);
	add_member(fix, "a", fix->u64, 64, 0);
	add_member(fix, "b", fix->u64, 128, 0);
	add_tag(fix, 1, "text:how long");
	add_tag(fix, 1, "unit:ns");
	add_tag(fix, 1, "scope:system");
	add_tag(fix, 1, "show:hex");
	add_tag(fix, -1, "text:of the struct");
	assert_int_equal(describe(fix), 0);
	field = &fix->class.fields[0];
	assert_string_equal(field->text, "how long");
	assert_string_equal(field->unit, "ns");
	assert_int_equal(field->scope, FIELD_SCOPE_SYSTEM);
	assert_int_equal(field->show, FIELD_SHOW_HEX);
	field = &fix->class.fields[1];
	assert_null(field->text);
	assert_null(field->unit);
	assert_int_equal(field->scope, FIELD_SCOPE_OBJECT);
	assert_int_equal(field->show, FIELD_SHOW_DECIMAL);
}

static void bit_fields_are_packed(void **state)
{
	struct fixture *fix = *state;

	begin_record(fix);
	add_member(fix, "nr", fix->s32, 64, 31);
	add_member(fix, "compat", fix->u32, 95, 1);
	add_member(fix, "behind", fix->u32, 96, 0);
	assert_int_equal(describe(fix), 0);
	assert_int_equal(fix->class.fields[0].bits, 31);
	assert_int_equal(fix->class.fields[0].align_bits, 1);
	assert_int_equal(fix->class.fields[1].offset_bits, 31);
	assert_int_equal(fix->class.fields[1].bits, 1);
	assert_int_equal(fix->class.fields[2].offset_bits, 32);
}

static void padding_is_refused(void **state)
{
	struct fixture *fix = *state;

	begin_record(fix);
	add_member(fix, "a", fix->u8, 64, 0);
	add_member(fix, "b", fix->u32, 96, 0);
	assert_int_equal(describe(fix), -EINVAL);
	assert_string_equal(fix->diag.text, "struct r: 24 bits of padding before b");
}

static void types_that_traces_lack_are_refused(void **state)
{
	struct fixture *fix = *state;
	int pointer = btf__add_ptr(fix->btf, fix->u32);

	begin_record(fix);
	add_member(fix, "p", pointer, 64, 0);
	assert_int_equal(describe(fix), -EINVAL);
	assert_non_null(strstr(fix->diag.text, "struct r: p "));
}

static void enumerations_name_values_without_their_prefix(void **state)
{
	struct fixture *fix = *state;
	int enumeration = btf__add_enum(fix->btf, "tcp", 4);

	assert_int_equal(btf__add_enum_value(fix->btf, "TCP_OPEN", 1), 0);
	assert_int_equal(btf__add_enum_value(fix->btf, "TCP_CLOSE_", 5), 0);
	begin_record(fix);
	add_member(fix, "state", enumeration, 64, 0);
	assert_int_equal(describe(fix), 0);
	assert_int_equal(fix->class.fields[0].label_count, 2);
	assert_string_equal(field_label(&fix->class.fields[0], 1), "OPEN");
	assert_string_equal(field_label(&fix->class.fields[0], 5), "CLOSE");
	assert_null(field_label(&fix->class.fields[0], 2));
}

static void a_struct_inside_gives_its_members(void **state)
{
	struct fixture *fix = *state;
	int inner = btf__add_struct(fix->btf, "inner", 8);

	add_member(fix, "x", fix->u32, 0, 0);
	add_member(fix, "y", fix->u32, 32, 0);
	begin_record(fix);
	add_member(fix, "base", inner, 64, 0);
	add_member(fix, "z", fix->u32, 128, 0);
	assert_int_equal(describe(fix), 0);
	assert_int_equal(fix->class.field_count, 3);
	assert_string_equal(fix->class.fields[1].name, "y");
	assert_int_equal(fix->class.fields[1].offset_bits, 32);
	assert_string_equal(fix->class.fields[2].name, "z");
}

static void texts_behind_the_end_are_strings(void **state)
{
	struct fixture *fix = *state;
	int nothing = btf__add_array(fix->btf, fix->u32, fix->u32, 0);
	int string = btf__add_array(fix->btf, fix->u32, fix->character, 0);

	begin_record(fix);
	add_member(fix, "a", fix->u32, 64, 0);
	add_member(fix, "record_end", nothing, 96, 0);
	add_member(fix, "path", string, 96, 0);
	assert_int_equal(describe(fix), -EINVAL);
	assert_non_null(strstr(fix->diag.text, "nothing behind path aligns the end"));
	add_member(fix, "path_bytes", fix->u32, 96, 0);
	assert_int_equal(describe(fix), 0);
	assert_int_equal(fix->class.field_count, 3);
	assert_false(fix->class.fixed);
	assert_int_equal(fix->class.fields[1].kind, FIELD_STRING);
	assert_int_equal(fix->class.fields[1].count, 1);
}

static void arrays_behind_the_end_have_a_length(void **state)
{
	struct fixture *fix = *state;
	int nothing = btf__add_array(fix->btf, fix->u32, fix->u64, 0);

	begin_record(fix);
	add_member(fix, "depth", fix->u32, 64, 0);
	add_member(fix, "record_end", nothing, 96, 0);
	add_member(fix, "stack", nothing, 96, 0);
	assert_int_equal(describe(fix), -EINVAL);
	assert_non_null(strstr(fix->diag.text, "stack has no length"));
	add_tag(fix, 3, "length:depth");
	assert_int_equal(describe(fix), 0);
	assert_int_equal(fix->class.field_count, 2);
	assert_false(fix->class.fixed);
	assert_int_equal(fix->class.fields[1].length, 1);
	assert_int_equal(fix->class.fields[1].count, 0);
	assert_int_equal(fix->class.fields[1].bits, 64);
}

static void an_enumeration_may_be_its_own_prefix(void **state)
{
	struct fixture *fix = *state;
	int reason = btf__add_enum(fix->btf, "skb_drop_reason", 4);

	assert_int_equal(btf__add_enum_value(fix->btf, "SKB_NOT_DROPPED_YET", 0), 0);
	assert_int_equal(btf__add_enum_value(fix->btf, "SKB_DROP_REASON_NO_SOCKET", 1), 0);
	begin_record(fix);
	add_member(fix, "reason", reason, 64, 0);
	assert_int_equal(describe(fix), 0);
	assert_string_equal(field_label(&fix->class.fields[0], 0), "NOT_DROPPED_YET");
	assert_string_equal(field_label(&fix->class.fields[0], 1), "NO_SOCKET");
}

static void what_is_behind_the_brief_end_is_detail(void **state)
{
	struct fixture *fix = *state;
	int nothing = btf__add_array(fix->btf, fix->u32, fix->u32, 0);

	begin_record(fix);
	add_member(fix, "a", fix->u32, 64, 0);
	add_member(fix, "brief_end", nothing, 96, 0);
	add_member(fix, "b", fix->u64, 96, 0);
	add_member(fix, "c", fix->u32, 160, 0);
	add_member(fix, "record_end", nothing, 192, 0);
	assert_int_equal(describe(fix), 0);
	assert_int_equal(fix->class.field_count, 3);
	assert_int_equal(fix->class.detail_count, 2);
	assert_int_equal(fix->class.payload_bytes, 16);
}

static void a_record_that_is_not_there_is_told(void **state)
{
	struct fixture *fix = *state;

	assert_int_equal(describe(fix), -EINVAL);
	assert_non_null(strstr(fix->diag.text, "RECORD(r)"));
}

static void values_of_enumerations_are_found(void **state)
{
	struct fixture *fix = *state;
	int64_t value = 0;

	assert_true(btf__add_enum(fix->btf, "ids", 4) > 0);
	assert_int_equal(btf__add_enum_value(fix->btf, "ONE", 1), 0);
	assert_int_equal(btf__add_enum_value(fix->btf, "TEN", 10), 0);
	assert_int_equal(describe_enum_value(fix->btf, "ids", "TEN", &value), 0);
	assert_int_equal(value, 10);
	assert_int_equal(describe_enum_value(fix->btf, "ids", "TWO", &value), -ENOENT);
	assert_int_equal(describe_enum_value(fix->btf, "others", "ONE", &value), -ENOENT);
	assert_int_equal(value, 10);
}

#define DESCRIBE_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESCRIBE_TEST(members_become_fields),
		DESCRIBE_TEST(tags_describe_them),
		DESCRIBE_TEST(bit_fields_are_packed),
		DESCRIBE_TEST(padding_is_refused),
		DESCRIBE_TEST(types_that_traces_lack_are_refused),
		DESCRIBE_TEST(enumerations_name_values_without_their_prefix),
		DESCRIBE_TEST(a_struct_inside_gives_its_members),
		DESCRIBE_TEST(texts_behind_the_end_are_strings),
		DESCRIBE_TEST(arrays_behind_the_end_have_a_length),
		DESCRIBE_TEST(an_enumeration_may_be_its_own_prefix),
		DESCRIBE_TEST(what_is_behind_the_brief_end_is_detail),
		DESCRIBE_TEST(a_record_that_is_not_there_is_told),
		DESCRIBE_TEST(values_of_enumerations_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
