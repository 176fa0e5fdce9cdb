// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/json_metadata_write.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "ctf/metadata.h"
#include "ctf/metadata_write.h"
#include "ctf/trace_class.h"
#include "wire/record.h"

/* As LTTng writes it, and what it has not: paths up and to what lies before. */
static const char tsdl[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 8; align = 8; signed = false; } := u8;\n"
	"typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := text8;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := u32;\n"
	"trace { major = 1; minor = 8; uuid = \"2a6422d0-6cee-11e0-8c08-cb07d7b3a564\";\n"
	"  byte_order = be; packet.header := struct { u32 magic; u8 uuid[16]; u32 stream_id; }; };\n"
	"env { host = \"v\\\"m\"; major = 2; };\n"
	"clock { name = mono; freq = 1000; offset_s = 5; offset = -1; description = \"a\"; };\n"
	"typealias integer { size = 64; align = 8; map = clock.mono.value; } := time;\n"
	"stream { id = 3;\n"
	"  packet.context := struct { time timestamp_begin; time timestamp_end; u32 content_size;\n"
	"    u32 packet_size; u32 events_discarded; u32 packet_seq_num; u32 cpu_id; u8 n; };\n"
	"  event.header := struct { enum : integer { size = 5; } { c = 0 ... 30, x = 31 } id;\n"
	"    variant <id> { struct { integer { size = 27; map = clock.mono.value; } timestamp; } c;\n"
	"      struct { u32 id; time timestamp; } x; } v; } align(8);\n"
	"  event.context := struct { u32 _vtid; u8 len; }; };\n"
	"event { id = 7; stream_id = 3; name = \"e\";\n"
	"  context := struct { u8 k; };\n"
	"  fields := struct { u8 _len; /** [bytes; system; hex] how many */\n"
	"    text8 _text[_len]; u8 far[stream.event.context.len]; u8 farther[stream.packet.context.n];\n"
	"    u8 there[k]; struct { u8 inner[len]; u8 fixed[2][3]; } in; string s; text8 comm[16];\n"
	"    enum : integer { size = 4; signed = true; } { a = -3 ... -1, b = 2, a = 5 } tag;\n"
	"    variant <tag> { string a; u8 b; } v;\n"
	"    floating_point { exp_dig = 8; mant_dig = 24; align = 32; byte_order = le; } f;\n"
	"    integer { size = 12; base = 16; signed = true; byte_order = le; } x; }; };\n";

static struct ctf_trace_class *read_text(const char *text, size_t len)
{
	struct ctf_trace_class *trace = NULL;
	struct diag diag = {.text = ""};

	if (metadata_read(text, len, &trace, &diag))
		fail_msg("%s\n%s", diag.text, text);
	return trace;
}

static void write_text(const struct ctf_trace_class *trace, struct buffer *out)
{
	struct diag diag = {.text = ""};

	buffer_init(out);
	if (json_metadata_write(trace, out, &diag))
		fail_msg("%s", diag.text);
	buffer_char(out, '\0');
	out->len--;
}

static void same_text(const char *a, const char *b)
{
	assert_int_equal(a != NULL, b != NULL);
	if (a)
		assert_string_equal(a, b);
}

static void same_field(const struct field *a, const struct field *b)
{
	assert_string_equal(a->name, b->name);
	same_text(a->text, b->text);
	same_text(a->unit, b->unit);
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->scope, b->scope);
	assert_int_equal(a->show, b->show);
	assert_int_equal(a->is_signed, b->is_signed);
	if (a->bits > 8) /* bytes have no order */
		assert_int_equal(a->big_endian, b->big_endian);
	assert_int_equal(a->optional, b->optional);
	assert_int_equal(a->bits, b->bits);
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->length, b->length);
	assert_int_equal(a->count_at, b->count_at);
	assert_int_equal(a->offset_bits, b->offset_bits);
	for (int64_t i = -10; i < 300; i++)
		same_text(field_label(a, i), field_label(b, i));
}

static void same_classes(const struct ctf_trace_class *a, const struct ctf_trace_class *b)
{
	assert_int_equal(a->class_count, b->class_count);
	for (size_t i = 0; i < a->class_count; i++) {
		assert_string_equal(a->classes[i]->name, b->classes[i]->name);
		same_text(a->classes[i]->text, b->classes[i]->text);
		assert_int_equal(a->classes[i]->fixed, b->classes[i]->fixed);
		assert_int_equal(a->classes[i]->field_count, b->classes[i]->field_count);
		for (size_t j = 0; j < a->classes[i]->field_count; j++)
			same_field(&a->classes[i]->fields[j], &b->classes[i]->fields[j]);
	}
}

static void expect(const struct buffer *text, const char *words)
{
	if (!memmem(text->data, text->len, words, strlen(words)))
		fail_msg("'%s' is not in\n%.*s", words, (int)text->len, text->data);
}

static void tsdl_and_what_it_becomes_are_the_same_trace(void **state)
{
	struct ctf_trace_class *before = read_text(tsdl, sizeof(tsdl) - 1), *after;
	struct buffer text;

	(void)state;
	write_text(before, &text);
	after = read_text(text.data, text.len);
	same_classes(before, after);
	assert_memory_equal(before->uuid, after->uuid, CTF_UUID_BYTES);
	assert_true(before->clocks[0]->offset_ns == after->clocks[0]->offset_ns);
	assert_string_equal(after->env[0].text, "v\"m");
	assert_int_equal(after->env[1].number, 2);
	for (size_t i = 0; i < before->streams[0]->packet_context->member_count; i++)
		assert_int_equal(before->streams[0]->packet_context->members[i].role,
				 after->streams[0]->packet_context->members[i].role);
	ctf_trace_class_free(before);
	ctf_trace_class_free(after);
	buffer_fini(&text);
}

static void what_is_written_twice_is_the_same(void **state)
{
	struct ctf_trace_class *before = read_text(tsdl, sizeof(tsdl) - 1), *after;
	struct buffer once, twice;

	(void)state;
	write_text(before, &once);
	after = read_text(once.data, once.len);
	write_text(after, &twice);
	assert_string_equal(once.data, twice.data);
	ctf_trace_class_free(before);
	ctf_trace_class_free(after);
	buffer_fini(&once);
	buffer_fini(&twice);
}

static void names_become_roles_and_paths_locations(void **state)
{
	struct ctf_trace_class *trace = read_text(tsdl, sizeof(tsdl) - 1);
	struct buffer text;

	(void)state;
	write_text(trace, &text);
	expect(&text, "\x1e{\"type\":\"preamble\",\"version\":2,\"uuid\":[42,100,");
	expect(&text, "\"roles\":[\"packet-magic-number\"]");
	expect(&text, "{\"type\":\"static-length-blob\",\"length\":16,"
		      "\"roles\":[\"metadata-stream-uuid\"]}");
	expect(&text, "\"offset-from-origin\":{\"seconds\":4,\"cycles\":999}");
	expect(&text, "\"roles\":[\"packet-end-default-clock-timestamp\"]");
	expect(&text, "\"selector-field-location\":{\"path\":[\"id\"]}");
	expect(&text, "{\"origin\":\"packet-context\",\"path\":[\"n\"]}");
	expect(&text, "{\"origin\":\"event-record-specific-context\",\"path\":[\"k\"]}");
	expect(&text, "{\"path\":[null,\"len\"]}");
	expect(&text, "\"mappings\":{\"a\":[[-3,-1],[5,5]],\"b\":[[2,2]]}");
	ctf_trace_class_free(trace);
	buffer_fini(&text);
}

/* The example of the specification 5.3.22 and others that TSDL has no words for. */
static void what_only_ctf_2_has_is_kept(void **state)
{
	static const char json[] =
		"\x1e{\"type\":\"preamble\",\"version\":2}\n"
		"\x1e{\"type\":\"data-stream-class\",\"id\":0}\n"
		"\x1e{\"type\":\"event-record-class\",\"data-stream-class-id\":0,\"id\":0,"
		"\"name\":\"e\",\"payload-field-class\":{\"type\":\"structure\",\"member-classes\":["
		"{\"name\":\"has\",\"field-class\":{\"type\":\"fixed-length-boolean\",\"length\":8,"
		"\"byte-order\":\"little-endian\"}},"
		"{\"name\":\"_n\",\"field-class\":{\"type\":\"variable-length-signed-integer\","
		"\"mappings\":{\"low\":[[-9223372036854775808,0]]}}},"
		"{\"name\":\"o\",\"field-class\":{\"type\":\"optional\",\"selector-field-location\":"
		"{\"path\":[\"_n\"]},\"selector-field-ranges\":[[-12,-12],[-5,0]],\"field-class\":"
		"{\"type\":\"static-length-blob\",\"length\":3,\"media-type\":\"image/png\"}}},"
		"{\"name\":\"p\",\"field-class\":{\"type\":\"optional\",\"selector-field-location\":"
		"{\"path\":[\"has\"]},\"field-class\":{\"type\":\"variable-length-unsigned-integer\","
		"\"preferred-display-base\":8,\"mappings\":{\"all\":[[1,18446744073709551615]]}}}}],"
		"\"minimum-alignment\":8}}\n";
	struct ctf_trace_class *trace = read_text(json, sizeof(json) - 1), *after;
	struct buffer text, again;

	(void)state;
	write_text(trace, &text);
	expect(&text, "{\"path\":[\"_n\"]}");
	expect(&text, "\"selector-field-ranges\":[[-12,-12],[-5,0]]");
	expect(&text, "\"media-type\":\"image/png\"");
	expect(&text, "{\"type\":\"fixed-length-boolean\",\"length\":8,"
		      "\"byte-order\":\"little-endian\"}");
	after = read_text(text.data, text.len);
	same_classes(trace, after);
	write_text(after, &again);
	assert_string_equal(text.data, again.data);
	ctf_trace_class_free(trace);
	ctf_trace_class_free(after);
	buffer_fini(&text);
	buffer_fini(&again);
}

/* What TSDL tells in comments of ours. */
static void hidden_and_optional_fields_stay_so(void **state)
{
	static const char source[] =
		"trace { major = 1; minor = 8; byte_order = le; };\n"
		"typealias integer { size = 8; align = 8; signed = false; } := u8;\n"
		"event { name = e; fields := struct {\n"
		"  enum : u8 { none, some } t; /** [; object; hidden] */\n"
		"  variant <t> { struct { } none; u8 some; /** [ns; object; hex] how long */ } o;\n"
		"  /** [; object; optional] */ enum : u8 { a, b } k; variant <k> {\n"
		"    u8 a; /** [us; system; flag] why */ string b; } v; }; };\n";
	struct ctf_trace_class *before = read_text(source, sizeof(source) - 1), *after;
	struct buffer text;

	(void)state;
	write_text(before, &text);
	expect(&text, "{\"type\":\"optional\",\"selector-field-location\":{\"path\":[\"t\"]},"
		      "\"selector-field-ranges\":[[1,1]],");
	expect(&text, "\"show\":\"hidden\"");
	after = read_text(text.data, text.len);
	assert_int_equal(after->classes[1]->field_count, 4);
	same_classes(before, after);
	assert_string_equal(after->classes[1]->fields[2].unit, "us");
	ctf_trace_class_free(before);
	ctf_trace_class_free(after);
	buffer_fini(&text);
}

static void our_own_traces_are_read_by_a_plan(void **state)
{
	static const struct field fields[] = {
		{.name = "n",
		 .text = "how \"many\"",
		 .unit = "bytes",
		 .scope = FIELD_SCOPE_OBJECT,
		 .bits = 32,
		 .align_bits = 32,
		 .count = 1},
		{.name = "comm",
		 .kind = FIELD_TEXT,
		 .scope = FIELD_SCOPE_OBJECT,
		 .bits = 8,
		 .align_bits = 8,
		 .count = 16,
		 .offset_bits = 32},
	};
	static const struct event_class class = {.id = 5,
						 .name = "a.b",
						 .text = "it is",
						 .fixed = true,
						 .field_count = 2,
						 .fields = fields};
	const struct event_class *const classes[] = {&class};
	const struct metadata_spec spec = {
		.wall_offset_ns = 1700000000000000005, .classes = classes, .class_count = 1};
	struct ctf_trace_class *trace;
	struct diag diag = {.text = ""};
	struct buffer own, text;

	(void)state;
	buffer_init(&own);
	buffer_init(&text);
	assert_int_equal(metadata_write(&spec, &own), 0);
	if (json_metadata_translate(own.data, own.len, &text, &diag))
		fail_msg("%s", diag.text);
	buffer_fini(&own);
	trace = read_text(text.data, text.len);
	assert_non_null(ctf_trace_class_stream(trace, STREAM_CLASS_KERNEL)->plan);
	assert_string_equal(trace->classes[1]->name, "a.b");
	assert_string_equal(trace->classes[1]->text, "it is");
	assert_string_equal(trace->classes[1]->fields[0].text, "how \"many\"");
	assert_string_equal(trace->classes[1]->fields[0].unit, "bytes");
	assert_int_equal(trace->classes[1]->fields[1].kind, FIELD_TEXT);
	assert_true(trace->clocks[0]->offset_ns == spec.wall_offset_ns);
	ctf_trace_class_free(trace);
	buffer_fini(&text);
}

/* An event whose variant is chosen by an enumeration with @labels, described in CTF 2; returns as json_metadata_write. */
static int write_variant_of(const char *labels, struct buffer *out, struct diag *diag)
{
	struct ctf_trace_class *trace;
	char text[256];
	int len = snprintf(text, sizeof(text),
			   "trace { major = 1; minor = 8; byte_order = le; };\n"
			   "event { name = e; fields := struct {\n"
			   "enum : integer { size = 8; } { %s } t;\n"
			   "variant <t> { string a; string b; } v; }; };\n",
			   labels);
	int err;

	assert_in_range(len, 1, sizeof(text) - 1);
	trace = read_text(text, (size_t)len);
	err = json_metadata_write(trace, out, diag);
	ctf_trace_class_free(trace);
	return err;
}

/* The first label has what it shares with another: ranges of CTF 2 have to be disjoint. */
static void overlapping_labels_become_disjoint_ranges(void **state)
{
	struct diag diag = {.text = ""};
	struct buffer out;

	(void)state;
	buffer_init(&out);
	assert_int_equal(write_variant_of("b = 2 ... 7, a = 0 ... 3", &out, &diag), 0);
	expect(&out, "\"selector-field-ranges\":[[0,1]],\"name\":\"a\"");
	expect(&out, "\"selector-field-ranges\":[[2,7]],\"name\":\"b\"");
	buffer_fini(&out);
}

static void what_has_no_form_is_told(void **state)
{
	struct diag diag = {.text = ""};
	struct buffer out;

	(void)state;
	buffer_init(&out);
	assert_int_equal(write_variant_of("c = 0 ... 3, d = 3", &out, &diag), -ENOTSUP);
	assert_string_equal(
		diag.text, "metadata line 4: CTF 2 has no form for a variant that nothing selects");
	buffer_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tsdl_and_what_it_becomes_are_the_same_trace),
		cmocka_unit_test(what_is_written_twice_is_the_same),
		cmocka_unit_test(names_become_roles_and_paths_locations),
		cmocka_unit_test(what_only_ctf_2_has_is_kept),
		cmocka_unit_test(hidden_and_optional_fields_stay_so),
		cmocka_unit_test(our_own_traces_are_read_by_a_plan),
		cmocka_unit_test(overlapping_labels_become_disjoint_ranges),
		cmocka_unit_test(what_has_no_form_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
