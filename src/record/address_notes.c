// SPDX-License-Identifier: BSD-2-Clause
#include "record/address_notes.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/io.h"
#include "base/map.h"
#include "ctf/decoder.h"
#include "ctf/metadata.h"
#include "ctf/trace_class.h"
#include "probe/warden.h"
#include "record/notes.h"
#include "schema/event.h"
#include "symbol/kernel_symbols.h"
#include "symbol/symbol_table.h"

#define BATCH_EVENTS 512u
#define BATCH_OFFSETS (4u * CTF_FIELDS_MAX)
#define ADDRESSES_MAX (1u << 20) /* different ones; functions of more are not looked for */

/* The fields of one class that are addresses of code. */
struct code_fields {
	size_t *fields;
	size_t count;
};

struct address_notes {
	struct notes *notes;
	struct warden *warden; /* opens the kernel's symbols */
	struct ctf_trace_class *trace; /* NULL: nothing in it is an address of code */
	struct code_fields *classes; /* by class.index */
	struct event_batch batch;
	struct map seen; /* addresses met, with nothing */
	struct map noted; /* functions noted, by start, with nothing */
	struct buffer fresh; /* addresses that are not noted yet */
	struct symbol_table kernel; /* the thread's alone until it is loaded */
	pthread_t thread;
	bool started;
	bool loaded;
	bool joined;
};

struct address_notes *address_notes_new(struct notes *notes, struct warden *warden)
{
	struct address_notes *an = calloc(1, sizeof(*an));

	if (!an)
		return NULL;
	an->notes = notes;
	an->warden = warden;
	map_init(&an->seen, sizeof(uint64_t), 1, ADDRESSES_MAX);
	map_init(&an->noted, sizeof(uint64_t), 1, 0);
	buffer_init(&an->fresh);
	symbol_table_init(&an->kernel);
	an->batch = (struct event_batch){
		.events = calloc(BATCH_EVENTS, sizeof(*an->batch.events)),
		.room = BATCH_EVENTS,
		.offsets = calloc(BATCH_OFFSETS, sizeof(*an->batch.offsets)),
		.offset_room = BATCH_OFFSETS,
	};
	if (!an->batch.events || !an->batch.offsets) {
		address_notes_free(an);
		return NULL;
	}
	return an;
}

static void forget_classes(struct address_notes *an)
{
	for (size_t i = 0; an->trace && i < an->trace->class_count; i++)
		free(an->classes[i].fields);
	free(an->classes);
	an->classes = NULL;
	ctf_trace_class_free(an->trace);
	an->trace = NULL;
}

static void wait_for_thread(struct address_notes *an)
{
	if (an->started && !an->joined)
		pthread_join(an->thread, NULL);
	an->joined = true;
}

void address_notes_free(struct address_notes *an)
{
	if (!an)
		return;
	wait_for_thread(an);
	forget_classes(an);
	free(an->batch.events);
	free(an->batch.offsets);
	map_fini(&an->seen);
	map_fini(&an->noted);
	buffer_fini(&an->fresh);
	symbol_table_fini(&an->kernel);
	free(an);
}

static bool is_code(const struct field *field)
{
	return field->show == FIELD_SHOW_SYMBOL && field->kind == FIELD_INT && field->bits == 64;
}

static int find_fields(struct code_fields *found, const struct event_class *class)
{
	found->fields = calloc(class->field_count ?: 1, sizeof(*found->fields));
	if (!found->fields)
		return -ENOMEM;
	for (size_t i = 0; i < class->field_count; i++) {
		if (is_code(&class->fields[i]))
			found->fields[found->count++] = i;
	}
	return 0;
}

int address_notes_describe(struct address_notes *an, const char *metadata, size_t len)
{
	size_t count = 0;
	int err;

	forget_classes(an);
	err = metadata_read(metadata, len, &an->trace, NULL);
	if (err)
		return err;
	an->classes = calloc(an->trace->class_count ?: 1, sizeof(*an->classes));
	if (!an->classes)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < an->trace->class_count; i++) {
		err = find_fields(&an->classes[i], an->trace->classes[i]);
		count += an->classes[i].count;
	}
	if (err || !count)
		forget_classes(an);
	return err;
}

static void take_address(struct address_notes *an, uint64_t address)
{
	uint8_t *seen;

	if (!kernel_symbols_has(address))
		return;
	seen = map_at(&an->seen, &address);
	if (!seen || *seen)
		return;
	*seen = 1;
	buffer_append(&an->fresh, &address, sizeof(address));
}

static void take_event(struct address_notes *an, const struct event *event)
{
	const struct code_fields *code = &an->classes[event->class->index];

	for (size_t i = 0; i < code->count; i++) {
		uint32_t count = event_count(event, code->fields[i]);

		for (uint32_t j = 0; j < count; j++)
			take_address(an, event_element_fast(event, code->fields[i], j));
	}
}

void address_notes_packet(struct address_notes *an, const void *packet, size_t len)
{
	struct decoder decoder;
	int more = 1;

	if (!an->trace)
		return;
	decoder_init(&decoder, an->trace);
	if (decoder_open(&decoder, packet, len, len, NULL))
		return;
	while (more == 1) {
		an->batch.count = 0;
		an->batch.offset_count = 0;
		an->batch.full = false;
		more = decoder_run(&decoder, INT64_MAX, &an->batch, NULL);
		for (size_t i = 0; i < an->batch.count; i++)
			take_event(an, &an->batch.events[i]);
	}
}

/* Where the kernel hides its addresses the table stays empty. */
static void *load(void *arg)
{
	struct address_notes *an = arg;
	int fd = -1;

	if (!warden_kallsyms(an->warden, &fd))
		(void)kernel_symbols_load(fd, &an->kernel);
	fd_close(fd);
	__atomic_store_n(&an->loaded, true, __ATOMIC_RELEASE);
	return NULL;
}

static int note(struct address_notes *an, uint64_t address)
{
	struct symbol symbol;
	uint8_t *noted;

	if (!symbol_table_find(&an->kernel, address, &symbol))
		return 0;
	noted = map_at(&an->noted, &symbol.start);
	if (!noted)
		return -ENOMEM;
	if (*noted)
		return 0;
	*noted = 1;
	return notes_add_symbol(an->notes, symbol.start, symbol.size, symbol.name);
}

static int note_fresh(struct address_notes *an)
{
	const uint64_t *fresh = (const uint64_t *)an->fresh.data;
	size_t count = an->fresh.len / sizeof(*fresh);
	int err = buffer_error(&an->fresh);

	for (size_t i = 0; !err && i < count; i++)
		err = note(an, fresh[i]);
	buffer_reset(&an->fresh);
	return err;
}

int address_notes_tick(struct address_notes *an)
{
	if (!an->fresh.len)
		return 0;
	if (!an->started)
		an->started = !pthread_create(&an->thread, NULL, load, an);
	if (!__atomic_load_n(&an->loaded, __ATOMIC_ACQUIRE))
		return 0;
	return note_fresh(an);
}

int address_notes_finish(struct address_notes *an)
{
	(void)address_notes_tick(an);
	wait_for_thread(an);
	return address_notes_tick(an);
}
