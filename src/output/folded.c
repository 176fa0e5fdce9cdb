// SPDX-License-Identifier: BSD-2-Clause
#include "output/folded.h"

#include <errno.h>
#include <string.h>

#include "analyse/sample_stats.h"
#include "base/buffer.h"

#define FRAMES_MAX 1024u /* no sample has as many */

/* Neither what separates frames and counts, nor what commands a terminal. */
static void write_name(struct buffer *out, const char *name, size_t len)
{
	for (size_t i = 0; i < len && name[i]; i++) {
		unsigned char c = (unsigned char)name[i];

		buffer_char(out, c <= ' ' || c == ';' || c >= 0x7f ? '_' : (char)c);
	}
}

static void write_function(struct buffer *out, const struct function_count *f)
{
	const char *name = f->function ?: f->module;

	if (!f->function && f->module)
		buffer_char(out, '[');
	write_name(out, name ?: "[unknown]", strlen(name ?: "[unknown]"));
	if (!f->function && f->module)
		buffer_char(out, ']');
	if (f->kernel)
		buffer_string(out, "_[k]");
}

static void write_line(const struct sample_stats *stats, uint32_t node, struct buffer *out)
{
	uint32_t path[FRAMES_MAX], depth = 0;

	for (uint32_t i = node; i && depth < FRAMES_MAX; i = stats->nodes[i].parent)
		path[depth++] = i;
	while (depth-- > 0) {
		const struct stack_node *at = &stats->nodes[path[depth]];

		if (at->parent) {
			buffer_char(out, ';');
			write_function(out, &stats->functions[at->label]);
		} else if (at->label < stats->comm_count && *stats->comms[at->label]) {
			write_name(out, stats->comms[at->label], SAMPLE_COMM_BYTES);
		} else {
			buffer_char(out, '-');
		}
	}
	buffer_char(out, ' ');
	buffer_uint(out, stats->nodes[node].self);
	buffer_char(out, '\n');
}

int folded_write(const struct sample_stats *stats, struct buffer *out)
{
	for (uint32_t i = 1; i < stats->node_count; i++) {
		if (stats->nodes[i].self)
			write_line(stats, i, out);
	}
	return buffer_error(out);
}
