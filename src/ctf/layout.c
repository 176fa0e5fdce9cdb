// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/layout.h"

#include <errno.h>
#include <string.h>

#include "base/diag.h"
#include "ctf/arena.h"
#include "ctf/flatten.h"
#include "ctf/trace_class.h"
#include "ctf/type.h"

static enum event_role role_of(const char *name)
{
	static const struct {
		const char *name;
		enum event_role role;
	} roles[] = {
		{"sonde.task", EVENT_ROLE_TASK},     {"sonde.name", EVENT_ROLE_NAME},
		{"sonde.symbol", EVENT_ROLE_SYMBOL}, {"sonde.mapping", EVENT_ROLE_MAPPING},
		{"sonde.stream", EVENT_ROLE_STREAM}, {"sonde.end", EVENT_ROLE_END},
	};

	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		if (!strcmp(roles[i].name, name))
			return roles[i].role;
	}
	return EVENT_ROLE_PLAIN;
}

static void set_task(struct ctf_layout *layout, const struct flatten *flatten)
{
	if (!flatten->tid)
		return;
	layout->tid_bits = (uint8_t)flatten->tid->size;
	layout->tid_big_endian = flatten->tid->big_endian;
	layout->tid_signed = flatten->tid->is_signed;
	layout->tid_slot = flatten->tid_slot;
	layout->tid_offset = (uint32_t)flatten->tid_offset;
}

static uint32_t first_align(const struct ctf_layout *layout)
{
	return layout->steps.count ? layout->steps.steps[0].align : 1;
}

static int add_scopes(struct flatten *flatten, struct event_class *class,
		      struct ctf_steps *packet_steps)
{
	const struct ctf_event_decl *decl = flatten->decl;
	int err = 0;

	if (flatten->stream->shows_packet)
		err = flatten_packet(flatten, flatten->stream->packet_context, packet_steps);
	if (!err && !flatten->stream->head_has_context)
		err = flatten_context(flatten, "stream.event.context",
				      flatten->stream->event_context);
	err = err ?: flatten_context(flatten, "event.context", decl->context);
	class->context_count = flatten->frame.count;
	class->tells_task = flatten->task_is_no_field;
	err = err ?: flatten_scope(flatten, "event.fields", decl->fields);
	return err ?: flatten_finish(flatten, class);
}

static void fit_steps(struct arena *arena, struct ctf_steps *steps)
{
	void *array = steps->steps;

	arena_fit(arena, &array, steps->count, sizeof(*steps->steps));
	steps->steps = array;
}

int ctf_layout_make(struct ctf_trace_class *trace, const struct ctf_stream_class *stream,
		    const struct ctf_event_decl *decl, struct ctf_layout **ret, struct diag *diag)
{
	struct ctf_layout *layout = arena_alloc(&trace->arena, sizeof(*layout));
	struct flatten flatten;
	int err;

	if (!layout)
		return diag_set(diag, -ENOMEM, "out of memory");
	layout->class = (struct event_class){
		.id = (uint32_t)decl->id,
		.name = decl->name,
		.text = decl->text,
		.role = role_of(decl->name),
	};
	flatten_init(&flatten, trace, stream, decl, &layout->steps, diag);
	err = add_scopes(&flatten, &layout->class, &layout->packet_steps);
	if (err)
		return err;
	fit_steps(&trace->arena, &layout->steps);
	fit_steps(&trace->arena, &layout->packet_steps);
	layout->class.fixed = flatten.fixed;
	layout->class.payload_bytes = flatten.fixed ? (uint32_t)((flatten.offset + 7) / 8) : 0;
	layout->bits = (uint32_t)flatten.offset;
	layout->align = first_align(layout);
	layout->align_max = flatten.align > 8 ? flatten.align : 8;
	set_task(layout, &flatten);
	*ret = layout;
	return 0;
}
