// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/json_metadata.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "ctf/metadata.h"
#include "ctf/trace_class.h"

#define RS "\x1e"
#define PREAMBLE RS "{'type':'preamble','version':2}\n"
#define STREAM RS "{'type':'data-stream-class'}\n"
#define U8 "{'type':'fixed-length-unsigned-integer','length':8,'byte-order':'little-endian'}"
#define S8 "{'type':'fixed-length-signed-integer','length':8,'byte-order':'little-endian'}"
#define BOOL "{'type':'fixed-length-boolean','length':8,'byte-order':'little-endian'}"
#define STRING "{'type':'null-terminated-string'}"
/* A payload of the given members; M is one of them. */
#define EVENT(members)                                                                          \
	RS "{'type':'event-record-class','name':'e','payload-field-class':{'type':'structure'," \
	   "'member-classes':[" members "]}}\n"
#define M(name, class) "{'name':'" name "','field-class':" class "}"
#define PATH(names) "{'path':[" names "]}"

/* Single quotes stand for double ones. */
static size_t quote(const char *text, char *ret, size_t room)
{
	size_t len = strlen(text);

	assert_true(len < room);
	for (size_t i = 0; i <= len; i++)
		ret[i] = text[i] == '\'' ? '"' : text[i];
	return len;
}

static struct ctf_trace_class *read_text(const char *text)
{
	struct ctf_trace_class *trace = NULL;
	struct diag diag = {.text = ""};
	char quoted[8192];
	size_t len = quote(text, quoted, sizeof(quoted));

	if (metadata_read(quoted, len, &trace, &diag))
		fail_msg("%s", diag.text);
	return trace;
}

static void expect_error(const char *text, int err, unsigned int fragment, const char *words)
{
	struct ctf_trace_class *trace = NULL;
	struct diag diag = {.text = ""};
	char quoted[8192];
	size_t len = quote(text, quoted, sizeof(quoted));

	assert_int_equal(metadata_read(quoted, len, &trace, &diag), err);
	assert_null(trace);
	if (!strstr(diag.text, words))
		fail_msg("'%s' is not in '%s'", words, diag.text);
	assert_int_equal(diag.line, fragment);
}

static const struct field *field_of(const struct ctf_trace_class *trace, const char *name)
{
	const struct event_class *class = trace->classes[1];
	int i = event_class_find_any(class, name);

	if (i < 0)
		fail_msg("there is no field '%s'", name);
	return &class->fields[i];
}

/* CTF2-SPEC-2.0, 5.3.8, examples 21 to 24, with their alignments and mappings. */
static void integers_are_as_the_specification_has_them(void **state)
{
	struct ctf_trace_class *trace = read_text(PREAMBLE STREAM EVENT(M(
		"a",
		"{'type':'fixed-length-unsigned-integer','length':16,"
		"'byte-order':'little-endian'}") "," M("b",
						       "{'type':'fixed-length-signed-integer','length':48,"
						       "'byte-order':'big-endian','alignment':32}") "," M("c",
													  "{'type':'fixed-length-unsigned-integer','length':48,"
													  "'byte-order':'big-endian','preferred-display-base':16}") "," M("d",
																					  "{'type':'fixed-length-signed-integer','length':32,"
																					  "'byte-order':'little-endian','mappings':{"
																					  "'banana':[[-27399,-1882],[8,199],[101,101]],'orange':[[67,67],[43,1534]]}}")));
	const struct field *d = field_of(trace, "d");

	(void)state;
	assert_int_equal(field_of(trace, "a")->bits, 16);
	assert_false(field_of(trace, "a")->is_signed);
	assert_int_equal(field_of(trace, "b")->offset_bits, 32);
	assert_true(field_of(trace, "b")->big_endian);
	assert_true(field_of(trace, "b")->is_signed);
	assert_int_equal(field_of(trace, "c")->offset_bits, 80);
	assert_int_equal(field_of(trace, "c")->show, FIELD_SHOW_HEX);
	assert_int_equal(d->label_count, 5);
	assert_string_equal(field_label(d, -1882), "banana");
	assert_string_equal(field_label(d, 67), "banana"); /* the first that has it */
	assert_string_equal(field_label(d, 200), "orange");
	assert_null(field_label(d, -1881));
	ctf_trace_class_free(trace);
}

static void unsigned_labels_reach_the_largest_number(void **state)
{
	struct ctf_trace_class *trace = read_text(PREAMBLE STREAM EVENT(
		M("n", "{'type':'variable-length-unsigned-integer',"
		       "'mappings':{'low':[[-5,3]],'top':[[1000,18446744073709551615]]}}")));
	const struct field *n = field_of(trace, "n");

	(void)state;
	assert_int_equal(n->bits, 0);
	assert_true(field_varies(n));
	assert_string_equal(field_label(n, 0), "low");
	assert_string_equal(field_label(n, -1), "top"); /* UINT64_MAX */
	assert_string_equal(field_label(n, INT64_MAX), "top");
	assert_null(field_label(n, 999));
	ctf_trace_class_free(trace);
}

/* 5.3.12 to 5.3.17: examples 33, 37, 40, 44 and 46. */
static void strings_and_blobs_are_bytes(void **state)
{
	struct ctf_trace_class *trace = read_text(PREAMBLE STREAM EVENT(
		M("length", U8) "," M("nt", STRING) "," M("sl", "{'type':'static-length-string','length':100}") "," M(
			"dl",
			"{'type':'dynamic-length-string','length-field-location':"
			"{'origin':'event-record-payload','path':['length']}}") "," M("image",
										      "{'type':'static-length-blob','length':5112,"
										      "'media-type':'image/tiff'}") "," M("blob",
															  "{'type':'dynamic-length-blob','length-field-location':"
															  "{'origin':'event-record-payload','path':['length']}}")));

	(void)state;
	assert_int_equal(field_of(trace, "nt")->kind, FIELD_STRING);
	assert_int_equal(field_of(trace, "sl")->kind, FIELD_TEXT);
	assert_int_equal(field_of(trace, "sl")->count, 100);
	assert_int_equal(field_of(trace, "dl")->kind, FIELD_TEXT);
	assert_int_equal(field_of(trace, "dl")->length, 1);
	assert_int_equal(field_of(trace, "image")->kind, FIELD_INT);
	assert_int_equal(field_of(trace, "image")->count, 5112);
	assert_string_equal(field_of(trace, "image")->text, "image/tiff");
	assert_int_equal(field_of(trace, "blob")->length, 1);
	ctf_trace_class_free(trace);
}

/* 5.3.18, example 50, and 6.4.1: the largest of what is inside, and no less than the minimum. */
static void structures_have_a_least_alignment(void **state)
{
	struct ctf_trace_class *trace = read_text(PREAMBLE STREAM EVENT(M("x", U8) "," M(
		"s",
		"{'type':'structure','minimum-alignment':64,'member-classes':[" M(
			"a",
			U8) "]}") "," M("list",
					"{'type':'static-length-array','length':2,'minimum-alignment':32,"
					"'element-field-class':" U8 "}")));

	(void)state;
	assert_int_equal(field_of(trace, "s.a")->offset_bits, 64);
	assert_int_equal(field_of(trace, "list")->offset_bits, 96);
	ctf_trace_class_free(trace);
}

static void locations_lead_through_parents(void **state)
{
	struct ctf_trace_class *trace = read_text(PREAMBLE STREAM EVENT(M("_n", U8) "," M(
		"in",
		"{'type':'structure','member-classes':[" M("_k", U8) "," M(
			"up",
			"{'type':'dynamic-length-blob','length-field-location':" PATH(
				"null,'_n'") "}") "," M("near",
							"{'type':'dynamic-length-blob','length-field-location':" PATH(
								"'_k'") "}") "]}") "," M("down",
											 "{'type':'dynamic-length-blob','length-field-location':" PATH(
												 "'in','_k'") "}")));

	(void)state;
	assert_int_equal(field_of(trace, "in.up")->length, 1);
	assert_int_equal(field_of(trace, "in.near")->length, 2);
	assert_int_equal(field_of(trace, "down")->length, 2);
	ctf_trace_class_free(trace);
}

/* A field further in that has the name of the one that is meant. */
static void locations_are_exact_where_names_repeat(void **state)
{
	struct ctf_trace_class *trace = read_text(PREAMBLE STREAM EVENT(M("n", U8) "," M(
		"in", "{'type':'structure','member-classes':[" M("n", U8) "," M(
			      "up", "{'type':'dynamic-length-blob',"
				    "'length-field-location':" PATH("null,'n'") "}") "]}")));

	(void)state;
	assert_int_equal(field_of(trace, "in.up")->length, 1);
	ctf_trace_class_free(trace);
}

/* 5.3.22 and 5.3.23: examples 60, 61, 63. */
static void optional_fields_and_variants_may_be_absent(void **state)
{
	struct ctf_trace_class *trace = read_text(PREAMBLE STREAM EVENT(M("has", BOOL) "," M("sel", S8) "," M(
		"ip",
		"{'type':'optional','selector-field-location':"
		"{'origin':'event-record-payload','path':['has']},'field-class':"
		"{'type':'static-length-array','length':16,'element-field-class':" U8
		"}}") "," M("opt",
			    "{'type':'optional','selector-field-location':" PATH(
				    "'sel'") ",'selector-field-ranges':[[-12,-12],[-5,0],[15,35]],'field-class':" STRING
					     "}") "," M("both",
							"{'type':'optional','selector-field-location':" PATH(
								"'sel'") ",'selector-field-ranges':[[1,255]],'field-class':{'type':'variant',"
									 "'selector-field-location':" PATH(
										 "'sel'") ",'options':["
											  "{'selector-field-ranges':[[1,1]],'field-class':" STRING
											  "},"
											  "{'name':'two','selector-field-ranges':[[2,2]],'field-class':" U8
											  "}]}}")));

	(void)state;
	assert_string_equal(field_label(field_of(trace, "has"), 0), "false");
	assert_string_equal(field_label(field_of(trace, "has"), 255), "true");
	assert_true(field_of(trace, "ip")->optional);
	assert_true(field_of(trace, "opt")->optional);
	assert_int_equal(field_of(trace, "both.0")->kind, FIELD_STRING);
	assert_int_equal(field_of(trace, "both.two")->kind, FIELD_INT);
	assert_false(trace->classes[1]->fixed);
	ctf_trace_class_free(trace);
}

/* 5.5, examples 70 and 71. An alias with a role means another role in each place. */
static void aliases_stand_for_classes(void **state)
{
	struct ctf_trace_class *trace = read_text(
		PREAMBLE RS
		"{'type':'field-class-alias','name':'u8','field-class':" U8 "}\n" RS
		"{'type':'field-class-alias','name':'uint8','field-class':'u8'}\n" RS
		"{'type':'field-class-alias','name':'ts','field-class':{'type':"
		"'fixed-length-unsigned-integer','length':64,'byte-order':'little-endian',"
		"'roles':['default-clock-timestamp']}}\n" RS
		"{'type':'clock-class','id':'c','frequency':1000}\n" RS
		"{'type':'data-stream-class','default-clock-class-id':'c',"
		"'packet-context-field-class':{'type':'structure','member-classes':[" M("begin", "'ts'") "," M(
			"cpu_id",
			"'uint8'") "]},"
				   "'event-record-header-field-class':{'type':'structure','member-classes':[" M(
					   "when", "'ts'") "]}}\n" EVENT(M("a", "'uint8'")));
	const struct ctf_stream_class *stream = trace->streams[0];

	(void)state;
	assert_int_equal(field_of(trace, "a")->bits, 8);
	assert_int_equal(stream->packet_context->members[0].role, CTF_ROLE_BEGIN);
	assert_int_equal(stream->packet_context->members[1].role, CTF_ROLE_CPU);
	assert_int_equal(stream->event_header->members[0].role, CTF_ROLE_TIME);
	assert_ptr_equal(stream->event_header->members[0].type->clock, stream->clock);
	assert_ptr_equal(stream->clock, trace->clocks[0]);
	ctf_trace_class_free(trace);
}

/* 5.6.1, example 72; 5.7, examples 75, 77, 86. */
static void the_trace_and_its_clocks_are_kept(void **state)
{
	struct ctf_trace_class *trace = read_text(
		RS
		"{'type':'preamble','version':2,'uuid':"
		"[30,201,100,148,228,2,69,70,147,219,233,34,43,238,108,199]}\n" RS
		"{'type':'trace-class','uid':'x','environment':{'host':'vm','major':2},"
		"'packet-header-field-class':{'type':'structure','member-classes':[" M(
			"the magic!",
			"{'type':'fixed-length-unsigned-integer','length':32,"
			"'byte-order':'little-endian','roles':['packet-magic-number']}") "," M("the UUID",
											       "{'type':'static-length-blob','length':16,"
											       "'roles':['metadata-stream-uuid']}") "," M("class",
																	  "{'type':'fixed-length-unsigned-integer','length':8,"
																	  "'byte-order':'little-endian','roles':['data-stream-class-id']}") "," M("id",
																										  "{'type':'variable-length-unsigned-integer',"
																										  "'roles':['data-stream-id']}") "]}}\n" RS
																														 "{'type':'clock-class','id':'c','namespace':'n','name':'hot','uid':'wheels.28',"
																														 "'frequency':80000000,'precision':100,'accuracy':1500,'origin':'unix-epoch',"
																														 "'offset-from-origin':{'seconds':-18003,'cycles':11928547}}\n" STREAM
																															 EVENT(""));
	const struct ctf_type *header = trace->packet_header;

	(void)state;
	assert_int_equal(trace->uuid[0], 30);
	assert_int_equal(trace->env_count, 2);
	assert_string_equal(trace->env[0].text, "vm");
	assert_int_equal(trace->env[1].number, 2);
	assert_int_equal(header->members[0].role, CTF_ROLE_MAGIC);
	assert_int_equal(header->members[1].role, CTF_ROLE_UUID);
	assert_int_equal(header->members[2].role, CTF_ROLE_STREAM);
	assert_int_equal(header->members[3].role, CTF_ROLE_INSTANCE);
	assert_string_equal(trace->clocks[0]->name, "hot");
	assert_string_equal(trace->clocks[0]->uid, "wheels.28");
	assert_true(trace->clocks[0]->offset_ns == -18003 * 1000000000ll + 149106837);
	ctf_trace_class_free(trace);
}

static void our_own_attributes_describe(void **state)
{
	struct ctf_trace_class *trace = read_text(
		PREAMBLE STREAM RS
		"{'type':'event-record-class','id':5,'attributes':{'sonde':{'text':'it happens'},"
		"'other':1},'payload-field-class':{'type':'structure','member-classes':["
		"{'name':'a','field-class':" U8 ",'attributes':{'sonde':{'text':'how much',"
		"'unit':'bytes','scope':'system','show':'hex'}}}]}}\n");
	const struct field *a = field_of(trace, "a");

	(void)state;
	assert_string_equal(trace->classes[1]->name, "event_5");
	assert_string_equal(trace->classes[1]->text, "it happens");
	assert_string_equal(a->text, "how much");
	assert_string_equal(a->unit, "bytes");
	assert_int_equal(a->scope, FIELD_SCOPE_SYSTEM);
	assert_int_equal(a->show, FIELD_SHOW_HEX);
	ctf_trace_class_free(trace);
}

static void fragments_come_in_their_order(void **state)
{
	(void)state;
	expect_error(STREAM, -EBADMSG, 1, "preamble");
	expect_error(PREAMBLE PREAMBLE, -EBADMSG, 2, "only the first");
	expect_error(RS "{'type':'preamble','version':3}", -ENOTSUP, 1, "CTF 3");
	expect_error(RS "{'type':'preamble','version':2,'extensions':{'my.tracer':{'piano':1}}}",
		     -ENOTSUP, 1, "extensions.my.tracer: the trace needs the extension 'piano'");
	expect_error(PREAMBLE, -ENODATA, 0, "no data stream class");
	expect_error(PREAMBLE STREAM STREAM, -EBADMSG, 3, "the id 0");
	expect_error(PREAMBLE EVENT(""), -EBADMSG, 2, "data-stream-class-id");
	expect_error(PREAMBLE STREAM EVENT("") EVENT(""), -EBADMSG, 4, "the id of 'e'");
	expect_error(PREAMBLE STREAM RS "{'type':'trace-class'}", -EBADMSG, 3, "one trace class");
	expect_error(PREAMBLE RS "{'type':'surprise'}", -EBADMSG, 2, "'surprise'");
	expect_error(PREAMBLE RS "[]", -EBADMSG, 2, "an object");
	expect_error(PREAMBLE RS "{'type':'data-stream-class','default-clock-class-id':'c'}",
		     -EBADMSG, 2, "default-clock-class-id");
}

static void errors_name_the_property(void **state)
{
	(void)state;
	expect_error(PREAMBLE STREAM EVENT(M("a", "{'type':'structure','member-classes':[" M(
							  "b", "{'type':'nothing'}") "]}")),
		     -EBADMSG, 3,
		     "fragment 3, payload-field-class.member-classes[0].field-class."
		     "member-classes[0].field-class: unknown field class 'nothing'");
	expect_error(PREAMBLE STREAM EVENT("{'name':'a'}"), -EBADMSG, 3,
		     "member-classes[0]: 'field-class' is missing");
	expect_error(PREAMBLE STREAM EVENT(M("a", U8) "," M("a", U8)), -EBADMSG, 3,
		     "member-classes[1]: another one is called 'a'");
	expect_error(PREAMBLE STREAM EVENT(M("a", "'no'")), -EBADMSG, 3, "'no'");
	expect_error(PREAMBLE STREAM EVENT(M("a", "{'type':'null-terminated-string','size':1}")),
		     -EBADMSG, 3, "field-class.size: CTF 2 has no such property here");
	expect_error(PREAMBLE STREAM EVENT(M("a", "{'type':'null-terminated-string',"
						  "'extensions':{'x':{}}}")),
		     -EBADMSG, 3, "extensions");
	expect_error(PREAMBLE STREAM EVENT(M("a", "{'type':'fixed-length-unsigned-integer',"
						  "'length':-1,'byte-order':'little-endian'}")),
		     -EBADMSG, 3, "field-class.length: this has to be an integer");
	expect_error(PREAMBLE STREAM EVENT(M("a", "{'type':'fixed-length-boolean','length':1,"
						  "'byte-order':'native'}")),
		     -EBADMSG, 3, "byte-order");
	expect_error(PREAMBLE STREAM EVENT(M("a", "{'type':'null-terminated-string',"
						  "'encoding':'utf-16le'}")),
		     -ENOTSUP, 3, "encoding");
	expect_error(PREAMBLE STREAM EVENT(M("a", "{'type':'fixed-length-floating-point-number',"
						  "'length':16,'byte-order':'big-endian'}")),
		     -ENOTSUP, 3, "32 and 64 bits");
	expect_error(PREAMBLE "{", -EBADMSG, 1, "fragment 1, at byte 1: line 2");
}

static void locations_and_ranges_are_checked(void **state)
{
#define BLOB(location) "{'type':'dynamic-length-blob','length-field-location':" location "}"
	(void)state;
	expect_error(PREAMBLE STREAM EVENT(M("b", BLOB(PATH("'n'"))) "," M("n", U8)), -EBADMSG, 3,
		     "no field 'n' stands there");
	expect_error(PREAMBLE STREAM EVENT(M("n", S8) "," M("b", BLOB(PATH("'n'")))), -EBADMSG, 3,
		     "not an unsigned integer");
	expect_error(PREAMBLE STREAM EVENT(M("n", U8) "," M("b", BLOB(PATH("null,'n'")))), -EBADMSG,
		     3, "path[0]: no structure");
	expect_error(PREAMBLE STREAM EVENT(M("n", U8) "," M("b", BLOB(PATH("'n',null")))), -EBADMSG,
		     3, "end with a name");
	expect_error(PREAMBLE STREAM EVENT(M("b", BLOB("{'origin':'packet-context',"
						       "'path':['n']}"))),
		     -EBADMSG, 3, "no packet-context");
	expect_error(PREAMBLE STREAM EVENT(M("b", BLOB("{'origin':'here','path':['n']}"))),
		     -EBADMSG, 3, "unknown origin 'here'");
#define CHOICE(ranges)                                                                             \
	M("n", U8)                                                                                 \
	"," M("v",                                                                                 \
	      "{'type':'variant','selector-field-location':" PATH(                                 \
		      "'n'") ",'options':[{'field-class':" U8 ",'selector-field-ranges':[[1,3]]}," \
			     "{'field-class':" U8 ",'selector-field-ranges':" ranges "}]}")
	expect_error(PREAMBLE STREAM EVENT(CHOICE("[[3,4]]")), -EBADMSG, 3, "of another option");
	expect_error(PREAMBLE STREAM EVENT(CHOICE("[]")), -EBADMSG, 3, "one or more ranges");
	expect_error(PREAMBLE STREAM EVENT(CHOICE("[[5,4]]")), -EBADMSG, 3, "ends before");
	expect_error(PREAMBLE STREAM EVENT(CHOICE("[[5]]")), -EBADMSG, 3, "two integers");
}

/* What a variant may choose is a length only where it always is. */
static void options_of_a_length_are_alike(void **state)
{
#define LENGTH(class)                                                                              \
	M("n", U8)                                                                                 \
	"," M("v",                                                                                 \
	      "{'type':'variant','selector-field-location':" PATH(                                 \
		      "'n'") ",'options':[{'field-class':" U8 ",'selector-field-ranges':[[1,3]]}," \
			     "{'field-class':" class                                               \
	      ",'selector-field-ranges':[[4,9]]}]}") "," M("b", BLOB(PATH("'v'")))
	struct ctf_trace_class *trace = read_text(PREAMBLE STREAM EVENT(LENGTH(U8)));

	(void)state;
	assert_int_equal(field_of(trace, "b")->length, 0);
	assert_true(field_of(trace, "b")->count_at > trace->classes[1]->field_count);
	ctf_trace_class_free(trace);
	expect_error(PREAMBLE STREAM EVENT(LENGTH(STRING)), -EBADMSG, 3, "not an integer");
	expect_error(PREAMBLE STREAM EVENT(LENGTH(S8)), -EBADMSG, 3, "other kinds");
}

static void roles_have_their_places(void **state)
{
#define ROLE(role)                                                                         \
	"{'type':'fixed-length-unsigned-integer','length':8,'byte-order':'little-endian'," \
	"'roles':['" role "']}"
#define HEADER(class)                                                                \
	PREAMBLE RS "{'type':'data-stream-class','event-record-header-field-class':" \
		    "{'type':'structure','member-classes':[" M("a", class) "]}}"
	(void)state;
	expect_error(HEADER(ROLE("packet-magic-number")), -EBADMSG, 2, "not valid here");
	expect_error(HEADER(ROLE("king")), -EBADMSG, 2, "roles[0]: unknown role 'king'");
	expect_error(HEADER(ROLE("default-clock-timestamp")), -EBADMSG, 2, "default clock");
	expect_error(PREAMBLE STREAM EVENT(M("a", ROLE("event-record-class-id"))), -EBADMSG, 3,
		     "not valid here");
	expect_error(PREAMBLE RS "{'type':'trace-class','packet-header-field-class':"
				 "{'type':'structure','member-classes':[" M(
					 "u", "{'type':'static-length-blob','length':16,"
					      "'roles':['metadata-stream-uuid']}") "]}}",
		     -EBADMSG, 2, "'uuid'");
}

static void a_cut_sequence_keeps_whole_fragments(void **state)
{
	struct ctf_trace_class *trace =
		read_text(PREAMBLE STREAM EVENT(M("a", U8)) RS "{'type':'event-rec");

	(void)state;
	assert_true(trace->cut);
	assert_non_null(strstr(trace->cut_text, "fragment 4"));
	assert_int_equal(trace->class_count, 2);
	ctf_trace_class_free(trace);
	expect_error(PREAMBLE RS "{'type':" STREAM, -EBADMSG, 2, "breaks off");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_are_as_the_specification_has_them),
		cmocka_unit_test(unsigned_labels_reach_the_largest_number),
		cmocka_unit_test(strings_and_blobs_are_bytes),
		cmocka_unit_test(structures_have_a_least_alignment),
		cmocka_unit_test(locations_lead_through_parents),
		cmocka_unit_test(locations_are_exact_where_names_repeat),
		cmocka_unit_test(optional_fields_and_variants_may_be_absent),
		cmocka_unit_test(aliases_stand_for_classes),
		cmocka_unit_test(the_trace_and_its_clocks_are_kept),
		cmocka_unit_test(our_own_attributes_describe),
		cmocka_unit_test(fragments_come_in_their_order),
		cmocka_unit_test(errors_name_the_property),
		cmocka_unit_test(locations_and_ranges_are_checked),
		cmocka_unit_test(options_of_a_length_are_alike),
		cmocka_unit_test(roles_have_their_places),
		cmocka_unit_test(a_cut_sequence_keeps_whole_fragments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
