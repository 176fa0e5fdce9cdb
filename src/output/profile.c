// SPDX-License-Identifier: BSD-2-Clause
#include "output/profile.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "analyse/stack_weights.h"
#include "base/buffer.h"
#include "base/diag.h"
#include "output/view.h"
#include "schema/source.h"

#define FRAMES_MAX 8192u /* no stack has as many, inlined functions included */
#define GZIP_WINDOW (15 + 16) /* of zlib: the largest, with gzip's head */

/* Neither what separates frames and counts, nor what commands a terminal. */
static void write_name(struct buffer *out, const char *name)
{
	for (; *name; name++) {
		unsigned char c = (unsigned char)*name;

		buffer_char(out, c <= ' ' || c == ';' || c == 0x7f ? '_' : (char)c);
	}
}

static void write_line(const struct stack_tree *tree, uint32_t node, struct buffer *out)
{
	uint32_t path[FRAMES_MAX], depth = 0;

	for (uint32_t i = node; i && depth < FRAMES_MAX; i = tree->nodes[i].parent)
		path[depth++] = i;
	for (uint32_t i = depth; i-- > 0;) {
		const struct stack_label *label = stack_tree_label_of(tree, path[i]);

		write_name(out, stack_tree_text(tree, label->text));
		if (label->kind == STACK_KERNEL)
			buffer_string(out, "_[k]");
		buffer_char(out, i ? ';' : ' ');
	}
	buffer_uint(out, tree->nodes[node].self[0]);
	buffer_char(out, '\n');
}

static int write_folded(const struct stack_weights *weights, struct buffer *out)
{
	const struct stack_tree *tree = &weights->tree;

	for (size_t i = 1; i < tree->node_count; i++) {
		if (tree->nodes[i].self[0])
			write_line(tree, (uint32_t)i, out);
	}
	return buffer_error(out);
}

/*
 * Protocol buffers (protobuf.dev/programming-guides/encoding), as far as profile.proto needs them: fields
 * of whole numbers, and of bytes. Numbers of fields are those of github.com/google/pprof/proto/profile.proto.
 */
enum { WIRE_VARINT = 0, WIRE_BYTES = 2 };

enum profile_field {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING,
	PROFILE_TIME = 9,
	PROFILE_DURATION,
};
enum { TYPE_TYPE = 1, TYPE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_TEXT };
enum { MAPPING_ID = 1, MAPPING_FILE = 5, MAPPING_HAS_FUNCTIONS = 7 };
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };

static void put_varint(struct buffer *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		buffer_char(out, (char)(value | 0x80));
	buffer_char(out, (char)value);
}

static void put_number(struct buffer *out, unsigned int field, uint64_t value)
{
	put_varint(out, field << 3 | WIRE_VARINT);
	put_varint(out, value);
}

static void put_bytes(struct buffer *out, unsigned int field, const void *bytes, size_t len)
{
	put_varint(out, field << 3 | WIRE_BYTES);
	put_varint(out, len);
	buffer_append(out, bytes, len);
}

/* A message that was written into @part, which is empty behind this. */
static void put_message(struct buffer *out, unsigned int field, struct buffer *part)
{
	put_bytes(out, field, part->data, part->len);
	buffer_reset(part);
}

struct pprof {
	const struct stack_weights *weights;
	const struct stack_tree *tree;
	struct buffer out, part, inner; /* the profile, a message of it, a message of that */
	struct map strings; /* place in stack_tree.texts -> number */
	struct buffer table; /* the strings, as fields of the profile */
	uint64_t string_count;
	struct map mappings; /* number of the string of a file -> number */
};

static uint64_t add_text(struct pprof *pprof, const char *text)
{
	put_bytes(&pprof->table, PROFILE_STRING, text, strlen(text));
	return pprof->string_count++;
}

/* The number of a text of the tree; 0 = "". */
static uint64_t string_of(struct pprof *pprof, uint32_t text)
{
	uint64_t *at = text ? map_at(&pprof->strings, &text) : NULL;

	if (at && !*at)
		*at = add_text(pprof, stack_tree_text(pprof->tree, text));
	return at ? *at : 0;
}

/* The number of the mapping of a file; 0 = none. */
static uint64_t mapping_of(struct pprof *pprof, uint32_t module)
{
	uint64_t *at = module ? map_at(&pprof->mappings, &module) : NULL;

	if (!at)
		return 0;
	if (!*at) {
		*at = pprof->mappings.count;
		put_number(&pprof->part, MAPPING_ID, *at);
		put_number(&pprof->part, MAPPING_FILE, string_of(pprof, module));
		put_number(&pprof->part, MAPPING_HAS_FUNCTIONS, 1);
		put_message(&pprof->out, PROFILE_MAPPING, &pprof->part);
	}
	return *at;
}

/* A function and a location for each label, both with its number. */
static void put_label(struct pprof *pprof, uint32_t number)
{
	const struct stack_label *label = &pprof->tree->labels[number];
	const uint64_t name = string_of(pprof, label->text);
	const uint64_t mapping = mapping_of(pprof, label->module);

	put_number(&pprof->part, FUNCTION_ID, number);
	put_number(&pprof->part, FUNCTION_NAME, name);
	put_number(&pprof->part, FUNCTION_SYSTEM_NAME, name);
	put_number(&pprof->part, FUNCTION_FILE, string_of(pprof, label->source));
	put_message(&pprof->out, PROFILE_FUNCTION, &pprof->part);
	put_number(&pprof->part, LOCATION_ID, number);
	if (mapping)
		put_number(&pprof->part, LOCATION_MAPPING, mapping);
	put_number(&pprof->inner, LINE_FUNCTION, number);
	put_message(&pprof->part, LOCATION_LINE, &pprof->inner);
	put_message(&pprof->out, PROFILE_LOCATION, &pprof->part);
}

/* From the innermost frame; the task is a label, as pprof shows by -tagroot task. */
static void put_sample(struct pprof *pprof, const struct stack_tree_node *node, uint64_t task_key)
{
	const struct stack_tree *tree = pprof->tree;
	const struct stack_tree_node *at = node;

	for (; at->parent; at = &tree->nodes[at->parent])
		put_varint(&pprof->inner, at->label);
	put_message(&pprof->part, SAMPLE_LOCATION, &pprof->inner);
	put_varint(&pprof->inner, node->self[0]);
	put_message(&pprof->part, SAMPLE_VALUE, &pprof->inner);
	put_number(&pprof->inner, LABEL_KEY, task_key);
	put_number(&pprof->inner, LABEL_TEXT, string_of(pprof, tree->labels[at->label].text));
	put_message(&pprof->part, SAMPLE_LABEL, &pprof->inner);
	put_message(&pprof->out, PROFILE_SAMPLE, &pprof->part);
}

static void put_type(struct pprof *pprof)
{
	const struct stack_weights *sw = pprof->weights;
	const bool time = sw->unit && !strcmp(sw->unit, "ns");
	const char *what = sw->request.weight ?: time ? "time" : sw->unit ?: "events";
	const char *unit = time ? "nanoseconds" : sw->unit ?: "count";

	if (!strcmp(unit, "samples") || !strcmp(unit, "events"))
		unit = "count";
	put_number(&pprof->part, TYPE_TYPE, add_text(pprof, what));
	put_number(&pprof->part, TYPE_UNIT, add_text(pprof, unit));
	put_message(&pprof->out, PROFILE_SAMPLE_TYPE, &pprof->part);
}

static void put_profile(struct pprof *pprof)
{
	const struct stack_weights *sw = pprof->weights;
	uint64_t task_key;

	(void)add_text(pprof, ""); /* number 0 has to be that */
	put_type(pprof);
	task_key = add_text(pprof, "task");
	for (size_t i = 1; i < pprof->tree->label_count; i++) {
		if (pprof->tree->labels[i].kind != STACK_TASK)
			put_label(pprof, (uint32_t)i);
	}
	for (size_t i = 1; i < pprof->tree->node_count; i++) {
		if (pprof->tree->nodes[i].self[0])
			put_sample(pprof, &pprof->tree->nodes[i], task_key);
	}
	put_number(&pprof->out, PROFILE_TIME, (uint64_t)sw->first_ns);
	put_number(&pprof->out, PROFILE_DURATION, (uint64_t)(sw->last_ns - sw->first_ns));
	buffer_append(&pprof->out, pprof->table.data, pprof->table.len);
}

/* Behind what is in @out. */
static int compress_into(struct buffer *out, const struct buffer *plain)
{
	z_stream stream = {.next_in = (Bytef *)plain->data, .avail_in = (uInt)plain->len};
	size_t room;
	int ret;

	if (plain->len > UINT32_MAX / 2)
		return -E2BIG;
	if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	room = deflateBound(&stream, plain->len);
	stream.next_out = (Bytef *)buffer_reserve(out, room);
	stream.avail_out = (uInt)room;
	ret = stream.next_out ? deflate(&stream, Z_FINISH) : Z_MEM_ERROR;
	if (ret == Z_STREAM_END)
		buffer_advance(out, stream.total_out);
	(void)deflateEnd(&stream);
	return ret == Z_STREAM_END ? 0 : -ENOMEM;
}

static int write_pprof(const struct stack_weights *weights, struct buffer *out)
{
	struct pprof pprof = {.weights = weights, .tree = &weights->tree};
	int err;

	buffer_init(&pprof.out);
	buffer_init(&pprof.part);
	buffer_init(&pprof.inner);
	buffer_init(&pprof.table);
	map_init(&pprof.strings, sizeof(uint32_t), sizeof(uint64_t), 0);
	map_init(&pprof.mappings, sizeof(uint32_t), sizeof(uint64_t), 0);
	put_profile(&pprof);
	err = buffer_error(&pprof.out)		 ?:
		      buffer_error(&pprof.part)	 ?:
		      buffer_error(&pprof.inner) ?:
						   buffer_error(&pprof.table);
	err = err ?: compress_into(out, &pprof.out);
	buffer_fini(&pprof.out);
	buffer_fini(&pprof.part);
	buffer_fini(&pprof.inner);
	buffer_fini(&pprof.table);
	map_fini(&pprof.strings);
	map_fini(&pprof.mappings);
	return err;
}

int profile_write(const struct stack_weights *weights, enum profile_form form, struct buffer *out)
{
	return form == PROFILE_PPROF ? write_pprof(weights, out) : write_folded(weights, out);
}

struct profile_sink {
	struct event_sink sink; /* first: the vtable's functions get this */
	const struct view *view;
	enum profile_form form;
	struct stack_weights weights;
};

static int profile_batch(struct event_sink *sink, const struct event *events, size_t count)
{
	struct profile_sink *ps = (struct profile_sink *)sink;
	int err = 0;

	for (size_t i = 0; i < count && !err; i++)
		err = stack_weights_take(&ps->weights, &events[i],
					 analysis_takes(&ps->view->analysis, &events[i]));
	return err;
}

static int profile_finish(struct event_sink *sink)
{
	struct profile_sink *ps = (struct profile_sink *)sink;
	int err;

	stack_weights_end(&ps->weights);
	err = profile_write(&ps->weights, ps->form, &ps->view->out->buf);
	return err ?: output_flush(ps->view->out);
}

static void profile_free(struct event_sink *sink)
{
	struct profile_sink *ps = (struct profile_sink *)sink;

	stack_weights_fini(&ps->weights);
	free(ps);
}

static const struct sink_ops profile_ops = {
	.batch = profile_batch,
	.finish = profile_finish,
	.free = profile_free,
};

int profile_sink_new(const struct view *view, enum profile_form form,
		     const struct stack_weights_request *request, struct event_sink **ret,
		     struct diag *diag)
{
	struct profile_sink *ps = calloc(1, sizeof(*ps));
	int err;

	if (!ps)
		return diag_set(diag, -ENOMEM, "no memory");
	ps->sink.ops = &profile_ops;
	ps->view = view;
	ps->form = form;
	err = stack_weights_init(&ps->weights, &view->analysis, request, diag);
	if (err)
		profile_free(&ps->sink);
	else
		*ret = &ps->sink;
	return err;
}
