// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/block_parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "ctf/arena.h"
#include "ctf/metadata_field.h"
#include "ctf/parser.h"
#include "ctf/trace_class.h"
#include "ctf/type_parse.h"
#include "wire/ctf.h"

/* One "name = value;" or "name := type;" of a block; exactly one of the two is given. */
struct attribute {
	const char *name;
	struct parser_value value;
	const struct ctf_type *type;
};

typedef int take_fn(struct parser *parser, const struct attribute *attr, void *object);

static int fail_value(struct parser *parser, const struct attribute *attr)
{
	return parser_fail(parser, -EBADMSG, "not a value for '%s'", attr->name);
}

static int parse_attribute(struct parser *parser, struct parser_attributes *attributes,
			   take_fn *take, void *object)
{
	const unsigned int line = parser->token.line;
	struct attribute attr = {0};
	int err = parser_path(parser, &attr.name);

	if (err)
		return err;
	if (attributes)
		parser_check_attribute(parser, attributes, attr.name, line);
	if (parser->token.kind == TOKEN_ASSIGN_TYPE) {
		err = parser_advance(parser);
		err = err ? err : type_parse(parser, &attr.type);
	} else {
		err = parser_expect(parser, '=');
		err = err ? err : parser_value(parser, &attr.value);
	}
	err = err ? err : take(parser, &attr, object);
	return err ? err : parser_expect(parser, ';');
}

/* "{ ... };". @attributes: those it may have; NULL = any. @doc, if given, gets the first doc comment that stands
 * on its own inside. */
static int parse_block(struct parser *parser, struct parser_attributes *attributes, take_fn *take,
		       void *object, const char **doc)
{
	struct scope scope;
	struct ctf_doc parsed;
	int err = parser_enter(parser, &scope);

	if (err)
		return err;
	err = parser_expect(parser, '{');
	while (!err) {
		if (doc && !*doc && parser->token.doc) {
			if (ctf_doc_parse(parser->token.doc, parser->token.doc_len,
					  &parser->trace->arena, &parsed))
				err = parser_no_memory(parser);
			else
				*doc = parsed.text;
		}
		if (err || parser_is_mark(parser, '}'))
			break;
		if (type_parse_is_declaration(parser))
			err = type_parse_declaration(parser);
		else
			err = parse_attribute(parser, attributes, take, object);
	}
	parser_leave(parser);
	err = err ? err : parser_advance(parser);
	return err ? err : parser_expect(parser, ';');
}

static int take_number(struct parser *parser, const struct attribute *attr, uint64_t *ret)
{
	if (!attr->value.is_number || attr->value.negative)
		return fail_value(parser, attr);
	*ret = attr->value.number;
	return 0;
}

static int take_signed(struct parser *parser, const struct attribute *attr, int64_t *ret)
{
	if (!attr->value.is_number)
		return fail_value(parser, attr);
	*ret = (int64_t)attr->value.number;
	return 0;
}

/* Headers, contexts and payloads are structures. */
static int take_struct(struct parser *parser, const struct attribute *attr,
		       const struct ctf_type **ret)
{
	if (!attr->type || attr->type->kind != CTF_STRUCT)
		return parser_fail(parser, -EBADMSG, "'%s' has to be a structure", attr->name);
	*ret = attr->type;
	return 0;
}

static void check_uuid(struct parser *parser, const struct attribute *attr)
{
	if (!metadata_is_uuid(attr->value.text))
		parser_breach(parser, "'uuid' is not a UUID in the form 8-4-4-4-12");
}

static int take_uuid(struct parser *parser, const struct attribute *attr, uint8_t *uuid)
{
	const char *text = attr->value.text;

	for (size_t i = 0; i < CTF_UUID_BYTES; i++) {
		char digits[3] = {0};
		char *end;

		if (text && *text == '-')
			text++;
		if (!text || !text[0] || !text[1])
			return fail_value(parser, attr);
		memcpy(digits, text, 2);
		uuid[i] = (uint8_t)strtoul(digits, &end, 16);
		if (end != digits + 2)
			return fail_value(parser, attr);
		text += 2;
	}
	if (*text)
		return fail_value(parser, attr);
	check_uuid(parser, attr);
	return 0;
}

static int take_order(struct parser *parser, const struct attribute *attr,
		      struct ctf_trace_class *trace)
{
	const char *text = attr->value.text;

	if (!text)
		return fail_value(parser, attr);
	if (!strcmp(text, "be") || !strcmp(text, "network"))
		trace->big_endian = true;
	else if (!strcmp(text, "le"))
		trace->big_endian = false;
	else
		return fail_value(parser, attr);
	trace->has_order = true;
	return 0;
}

static int take_trace(struct parser *parser, const struct attribute *attr, void *object)
{
	struct ctf_trace_class *trace = object;
	uint64_t number = 0;
	int err = 0;

	if (!strcmp(attr->name, "major")) {
		err = take_number(parser, attr, &number);
		if (!err && number != 1)
			err = parser_fail(parser, -ENOTSUP, "only CTF 1.8 can be read");
	} else if (!strcmp(attr->name, "minor")) {
		err = take_number(parser, attr, &number);
		if (!err && number != 8)
			err = parser_fail(parser, -ENOTSUP, "only CTF 1.8 can be read");
	} else if (!strcmp(attr->name, "uuid")) {
		err = take_uuid(parser, attr, trace->uuid);
		trace->has_uuid = !err;
	} else if (!strcmp(attr->name, "byte_order")) {
		err = take_order(parser, attr, trace);
	} else if (!strcmp(attr->name, "packet.header")) {
		err = take_struct(parser, attr, &trace->packet_header);
	}
	return err;
}

static int take_env(struct parser *parser, const struct attribute *attr, void *object)
{
	struct ctf_trace_class *trace = object;
	void *array = trace->env;
	struct trace_env *env;

	if (attr->type)
		return fail_value(parser, attr);
	if (trace->env_count >= CTF_ENV_MAX)
		return parser_fail(parser, -E2BIG, "the environment has more than %u entries",
				   CTF_ENV_MAX);
	env = arena_push(&trace->arena, &array, &trace->env_count, sizeof(*env));
	if (!env)
		return parser_no_memory(parser);
	trace->env = array;
	env->name = attr->name;
	env->text = attr->value.is_number ? NULL : attr->value.text;
	env->number = (int64_t)attr->value.number;
	return 0;
}

static bool is_bool(const struct parser_value *value)
{
	if (value->is_number)
		return value->number <= 1;
	return value->text &&
	       (!strcasecmp(value->text, "true") || !strcasecmp(value->text, "false"));
}

static int take_clock(struct parser *parser, const struct attribute *attr, void *object)
{
	struct ctf_clock *clock = object;

	if (!strcmp(attr->name, "name")) {
		if (!attr->value.text)
			return fail_value(parser, attr);
		clock->name = attr->value.text;
	} else if (!strcmp(attr->name, "freq")) {
		if (!attr->value.number)
			return fail_value(parser, attr);
		return take_number(parser, attr, &clock->freq);
	} else if (!strcmp(attr->name, "uuid")) {
		check_uuid(parser, attr);
		clock->uid = attr->value.text;
	} else if (!strcmp(attr->name, "description")) {
		if (!attr->value.text)
			parser_breach(parser, "'description' is not a string");
		clock->text = attr->value.text;
	} else if (!strcmp(attr->name, "precision")) {
		return take_number(parser, attr, &clock->precision);
	} else if (!strcmp(attr->name, "offset_s")) {
		return take_signed(parser, attr, &clock->offset_s);
	} else if (!strcmp(attr->name, "offset")) {
		if (attr->value.negative)
			parser_breach(parser, "'offset' is negative");
		return take_signed(parser, attr, &clock->offset);
	} else if (!strcmp(attr->name, "absolute") && !is_bool(&attr->value)) {
		parser_breach(parser, "'absolute' is neither true nor false");
	}
	return 0;
}

static int parse_clock(struct parser *parser)
{
	static const char *const names[] = {"name",   "uuid",	   "description",
					    "freq",   "precision", "offset_s",
					    "offset", "absolute",  NULL};
	struct parser_attributes attributes = {.what = "clock", .names = names};
	struct ctf_trace_class *trace = parser->trace;
	struct ctf_clock *clock = arena_alloc(&trace->arena, sizeof(*clock)), **slot;
	void *array = trace->clocks;
	int err;

	if (!clock)
		return parser_no_memory(parser);
	if (trace->clock_count >= CTF_CLOCKS_MAX)
		return parser_fail(parser, -E2BIG, "there are more than %u clocks", CTF_CLOCKS_MAX);
	clock->freq = NS_PER_SEC;
	clock->line = parser->token.line;
	err = parse_block(parser, &attributes, take_clock, clock, NULL);
	if (err)
		return err;
	if (!clock->name)
		return parser_fail(parser, -EBADMSG, "the clock has no name");
	slot = arena_push(&trace->arena, &array, &trace->clock_count, sizeof(*slot));
	if (!slot)
		return parser_no_memory(parser);
	*slot = clock;
	trace->clocks = (struct ctf_clock **)array;
	return 0;
}

static int take_stream(struct parser *parser, const struct attribute *attr, void *object)
{
	struct ctf_stream_class *stream = object;

	if (!strcmp(attr->name, "id"))
		return take_number(parser, attr, &stream->id);
	if (!strcmp(attr->name, "packet.context"))
		return take_struct(parser, attr, &stream->packet_context);
	if (!strcmp(attr->name, "event.header"))
		return take_struct(parser, attr, &stream->event_header);
	if (!strcmp(attr->name, "event.context"))
		return take_struct(parser, attr, &stream->event_context);
	return 0;
}

static int add_stream(struct parser *parser, struct ctf_stream_class *stream)
{
	struct ctf_trace_class *trace = parser->trace;
	void *array = trace->streams;
	struct ctf_stream_class **slot;

	if (ctf_trace_class_stream(trace, stream->id))
		return parser_fail(parser, -EBADMSG, "there are two streams with id %llu",
				   (unsigned long long)stream->id);
	if (trace->stream_count >= CTF_STREAMS_MAX)
		return parser_fail(parser, -E2BIG, "there are more than %u streams",
				   CTF_STREAMS_MAX);
	slot = arena_push(&trace->arena, &array, &trace->stream_count, sizeof(*slot));
	if (!slot)
		return parser_no_memory(parser);
	*slot = stream;
	trace->streams = (struct ctf_stream_class **)array;
	return 0;
}

static int parse_stream(struct parser *parser)
{
	static const char *const names[] = {"id", "packet.context", "event.header", "event.context",
					    NULL};
	struct parser_attributes attributes = {.what = "stream", .names = names};
	struct ctf_stream_class *stream = arena_alloc(&parser->trace->arena, sizeof(*stream));
	int err;

	if (!stream)
		return parser_no_memory(parser);
	stream->line = parser->token.line;
	err = parse_block(parser, &attributes, take_stream, stream, NULL);
	return err ? err : add_stream(parser, stream);
}

static int take_event(struct parser *parser, const struct attribute *attr, void *object)
{
	struct ctf_event_decl *event = object;

	if (!strcmp(attr->name, "id"))
		return take_number(parser, attr, &event->id);
	if (!strcmp(attr->name, "stream_id")) {
		event->has_stream_id = true;
		return take_number(parser, attr, &event->stream_id);
	}
	if (!strcmp(attr->name, "name")) {
		if (!attr->value.text)
			return fail_value(parser, attr);
		event->name = attr->value.text;
	} else if (!strcmp(attr->name, "context")) {
		return take_struct(parser, attr, &event->context);
	} else if (!strcmp(attr->name, "fields")) {
		return take_struct(parser, attr, &event->fields);
	}
	return 0;
}

/* "{ ... };", whatever is in it. */
static int skip_block(struct parser *parser)
{
	unsigned int depth = 0;
	int err = 0;

	if (!parser_is_mark(parser, '{'))
		return parser_expect(parser, '{');
	do {
		depth += parser_is_mark(parser, '{');
		depth -= parser_is_mark(parser, '}');
		if (parser->token.kind == TOKEN_END)
			return parser_expect(parser, '}');
		err = parser_advance(parser);
	} while (!err && depth);
	return err ? err : parser_expect(parser, ';');
}

static int skip_event(struct parser *parser)
{
	int err = skip_block(parser);

	parser->trace->skipped_events += !err;
	return err;
}

static int parse_event(struct parser *parser)
{
	static const char *const names[] = {"id",     "stream_id", "name",	    "context",
					    "fields", "loglevel",  "model.emf.uri", NULL};
	struct parser_attributes attributes = {.what = "event", .names = names};
	struct ctf_trace_class *trace = parser->trace;
	struct ctf_event_decl *event, **slot;
	void *array = trace->events;
	int err;

	if (trace->without_events)
		return skip_event(parser);
	event = arena_alloc(&trace->arena, sizeof(*event));
	if (!event)
		return parser_no_memory(parser);
	if (trace->event_count >= CTF_EVENTS_MAX)
		return parser_fail(parser, -E2BIG, "there are more than %u events", CTF_EVENTS_MAX);
	event->line = parser->token.line;
	err = parse_block(parser, &attributes, take_event, event, &event->text);
	if (err)
		return err;
	if (!event->name)
		return parser_fail(parser, -EBADMSG, "the event has no name");
	if (event->id > UINT32_MAX)
		return parser_fail(parser, -E2BIG, "the event's id does not fit 32 bits");
	slot = arena_push(&trace->arena, &array, &trace->event_count, sizeof(*slot));
	if (!slot)
		return parser_no_memory(parser);
	*slot = event;
	trace->events = (struct ctf_event_decl **)array;
	return 0;
}

static int take_nothing(struct parser *parser, const struct attribute *attr, void *object)
{
	(void)parser;
	(void)attr;
	(void)object;
	return 0;
}

typedef int parse_fn(struct parser *parser);

static int parse_trace(struct parser *parser)
{
	static const char *const names[] = {"major",	  "minor",	   "uuid",
					    "byte_order", "packet.header", NULL};
	struct parser_attributes attributes = {.what = "trace", .names = names};
	const unsigned int line = parser->token.line;
	int err;

	if (parser->has_trace)
		parser_breach(parser, "there is another trace block before this one");
	parser->has_trace = true;
	err = parse_block(parser, &attributes, take_trace, parser->trace, NULL);
	for (size_t i = 0; !err && i < 2; i++) {
		if (!parser_has_attribute(&attributes, names[i]))
			ctf_trace_class_breach(parser->trace, line, "the trace has no '%s'",
					       names[i]);
	}
	return err;
}

static int parse_env(struct parser *parser)
{
	return parse_block(parser, NULL, take_env, parser->trace, NULL);
}

static int parse_callsite(struct parser *parser)
{
	return parse_block(parser, NULL, take_nothing, NULL, NULL);
}

int block_parse(struct parser *parser)
{
	static const struct {
		const char *word;
		parse_fn *parse;
	} blocks[] = {
		{"trace", parse_trace},	  {"env", parse_env},	  {"clock", parse_clock},
		{"stream", parse_stream}, {"event", parse_event}, {"callsite", parse_callsite},
	};

	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		int err;

		if (!parser_is_word(parser, blocks[i].word))
			continue;
		err = parser_advance(parser);
		return err ? err : blocks[i].parse(parser);
	}
	return parser_fail(parser, -EBADMSG,
			   "a declaration is expected (trace, env, clock, stream, event, ...), "
			   "not '%.*s'",
			   parser->token.len > 40 ? 40 : (int)parser->token.len,
			   parser->token.start);
}
