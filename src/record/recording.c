// SPDX-License-Identifier: BSD-2-Clause
#include "record/recording.h"

#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/diag.h"
#include "probe/loader.h"
#include "probe/netfilter.h"
#include "record/address_notes.h"
#include "record/code_notes.h"
#include "record/end_mark.h"
#include "record/host_names.h"
#include "record/notes.h"
#include "record/overhead.h"
#include "record/recording_state.h"
#include "record/rx_poll.h"
#include "record/trigger.h"
#include "record/unwind_tables.h"
#include "record/watch.h"
#include "ring/ring.h"
#include "trace/writer.h"
#include "wire/record.h"

#define QUIET_TRIES 1000
#define QUIET_TRY_US 100
#define NOTES_KEPT_BYTES (16u << 10) /* half of what trace/writer keeps */
#define UNSETTLED_NS 1000000u /* what was made since may lie in its ring behind later ones */

void recording_keep_error(struct recording *rec, int err)
{
	if (err && !rec->err)
		rec->err = err;
}

/* An error ends the recording, and the drain not before: packets that are not written are counted. */
static int give(void *ctx, const void *packet, size_t len, bool late)
{
	struct recording *rec = ctx;

	rec->bytes += len;
	recording_keep_error(rec, packet_fan_packet(&rec->sinks, packet, len, late));
	return 0;
}

/* Of the recorder's own stream. */
static uint64_t notes_lost(const struct recording *rec)
{
	return rec->lost_recursion + rec->poll_missed + rec->poll_incomplete +
	       (rec->rx ? rx_poll_lost(rec->rx) : 0);
}

/* Behind an error they wait for the last packet, as far as the room that is kept for it goes. */
void recording_write_notes(struct recording *rec)
{
	const void *packet;
	size_t len;

	if (rec->err && notes_bytes(rec->notes) <= NOTES_KEPT_BYTES)
		return;
	packet = notes_packet(rec->notes, notes_lost(rec), &len);
	if (packet && rec->watch)
		watch_packet(rec->watch, packet, len);
	if (packet)
		(void)give(rec, packet, len, false);
}

void recording_note_all(struct recording *rec, uint64_t time_ns, bool on, enum state_reason reason)
{
	recording_keep_error(rec, notes_add_state(rec->notes, time_ns, STATE_ALL, on, reason));
	if (on)
		recording_write_notes(rec);
}

/* Every measurement that is not as the trace says: it is since @time_ns. */
void recording_note_states(struct recording *rec, uint64_t time_ns, enum state_reason reason)
{
	const struct catalogue *cat = rec->config.catalogue;

	for (size_t i = 0; i < cat->count; i++) {
		bool on = recording_is_on(rec, i);

		if (on == rec->noted[i])
			continue;
		recording_keep_error(rec, notes_add_state(rec->notes, time_ns, cat->items[i].name,
							  on, reason));
		rec->noted[i] = on;
	}
	recording_write_notes(rec);
}

int recording_start(struct recording *rec, struct diag *diag)
{
	int err = host_names_add_all(rec->names) ?: notes_add_tasks(rec->notes, rec->pids);
	uint64_t now_ns;

	if (err)
		return diag_set(diag, err, "/proc: %s", strerror(-err));
	recording_write_notes(rec);
	rec->attached = true;
	now_ns = clock_monotonic_ns();
	recording_note_all(rec, now_ns, false, STATE_START);
	err = loader_attach(rec->loader, diag);
	if (err)
		return err;
	recording_note_states(rec, now_ns, STATE_START);
	recording_note_all(rec, clock_monotonic_ns(), true, STATE_START);
	overhead_start(rec->overhead);
	return recording_ask_rx(rec) ?
		       diag_set(diag, rec->err, "asking servers: %s", strerror(-rec->err)) :
		       0;
}

bool recording_is_on(const struct recording *rec, size_t i)
{
	const struct measurement *m = &rec->config.catalogue->items[i];

	return rec->attached && !measurement_internal(m) && loader_is_on(rec->loader, m);
}

bool recording_is_held(const struct recording *rec, size_t i)
{
	const struct budget *budget = overhead_budget(rec->overhead);

	return budget && budget->items[i].held;
}

int recording_fd(const struct recording *rec)
{
	return rec->doorbell ? ring_buffer__epoll_fd(rec->doorbell) : -1;
}

/* Viewers of a live trace hear of a stream that begins with a packet of one that they know: there is
 * one, however idle all the others are. */
static void see_stream(struct recording *rec, const void *packet)
{
	if (end_mark_packet(rec->end_mark, packet))
		notes_want_packet(rec->notes);
}

static int take_packet(void *ctx, const void *packet, size_t len, bool late)
{
	struct recording *rec = ctx;

	see_stream(rec, packet);
	address_notes_packet(rec->addresses, packet, len);
	return give(rec, packet, len, late);
}

static void look(struct recording *rec)
{
	if (rec->watch)
		watch_look(rec->watch, clock_monotonic_ns() - UNSETTLED_NS);
}

static void drain(struct recording *rec, uint64_t flush_ns)
{
	if (!rec->ring)
		return;
	look(rec); /* a packet's header will go over what went out before */
	(void)ring_drain(rec->ring, flush_ns, take_packet, rec);
}

/* The bell itself says nothing; what else comes by the same way is taken. */
static void answer_bell(struct recording *rec)
{
	if (rec->doorbell)
		ring_buffer__consume(rec->doorbell);
}

int recording_pump(struct recording *rec)
{
	answer_bell(rec);
	if (!rec->config.overwrite)
		drain(rec, 0);
	return rec->err;
}

int recording_answer(struct recording *rec)
{
	loader_follow(rec->loader, false);
	return recording_pump(rec);
}

/* What a program missed, and which owners had no room, since the last look, as notes at this point of the trace. */
static void note_losses(struct recording *rec)
{
	const char *name, *section;
	uint64_t misses;

	for (size_t i = 0; loader_program(rec->loader, i, &name, &section, &misses); i++) {
		if (misses <= rec->misses[i])
			continue;
		recording_keep_error(rec,
				     notes_add_loss(rec->notes, name, misses - rec->misses[i]));
		rec->lost_recursion += misses - rec->misses[i];
		rec->misses[i] = misses;
	}
	for (unsigned int what = 0; what < OWNER_FORGOTTEN_COUNT; what++) {
		uint64_t forgotten = loader_owners_forgotten(rec->loader, what);

		if (forgotten <= rec->forgotten[what])
			continue;
		recording_keep_error(rec, notes_add_forgotten(rec->notes, what,
							      forgotten - rec->forgotten[what]));
		rec->forgotten[what] = forgotten;
	}
	recording_write_notes(rec);
}

int recording_tick(struct recording *rec)
{
	loader_tick(rec->loader);
	answer_bell(rec);
	loader_follow(rec->loader, true);
	recording_keep_error(rec, host_names_add_new(rec->names));
	recording_keep_error(rec, code_notes_tick(rec->code));
	recording_keep_error(rec, address_notes_tick(rec->addresses));
	note_losses(rec);
	(void)recording_ask_rx(rec); /* its error is kept */
	return recording_flush(rec);
}

uint64_t recording_flush_ns(const struct recording *rec)
{
	return rec->config.flush_ns ?: RECORDING_FLUSH_NS;
}

/* Notes that come late, of what happened before, are dated to where the trace is not complete yet. */
int recording_flush(struct recording *rec)
{
	uint64_t since_ns = clock_monotonic_ns() - recording_flush_ns(rec) / 2;

	if (rec->config.overwrite)
		return rec->err;
	drain(rec, since_ns);
	recording_write_notes(rec);
	rec->complete_ns = rec->ring ? ring_settled_ns(rec->ring) : since_ns;
	notes_not_before(rec->notes, rec->complete_ns);
	if (rec->complete_ns)
		recording_keep_error(rec, packet_fan_complete(&rec->sinks, rec->complete_ns));
	return rec->err;
}

int recording_snapshot(struct recording *rec)
{
	uint64_t complete_ns = clock_monotonic_ns() - UNSETTLED_NS;

	note_losses(rec);
	drain(rec, RING_FLUSH_ALL);
	recording_write_notes(rec);
	notes_not_before(rec->notes, complete_ns);
	recording_keep_error(rec, packet_fan_complete(&rec->sinks, complete_ns));
	recording_keep_error(rec, packet_fan_flush(&rec->sinks));
	return rec->err;
}

/* The note stands where the event does. */
static void note_trigger(struct recording *rec, const struct trigger_event *fired)
{
	int64_t event_ns = fired->time_ns - watch_clock_offset(rec->watch);

	recording_keep_error(rec,
			     notes_add_trigger(rec->notes, event_ns > 0 ? (uint64_t)event_ns : 0,
					       clock_monotonic_ns(), fired));
}

/* What the triggers ask for, of the events that they have seen. */
static void act(struct recording *rec)
{
	struct trigger_event fired[TRIGGERS_MAX];
	size_t count = triggers_take(rec->config.triggers, clock_monotonic_ns(), fired);
	bool snapshot = false;

	for (size_t i = 0; i < count; i++) {
		if (fired[i].action == TRIGGER_STOP && rec->wants_stop)
			continue; /* the first one ends it; others may come until it has ended */
		rec->wants_stop |= fired[i].action == TRIGGER_STOP;
		snapshot |= fired[i].action == TRIGGER_SNAPSHOT;
		note_trigger(rec, &fired[i]);
	}
	if (snapshot)
		(void)recording_snapshot(rec); /* its error is kept */
	recording_write_notes(rec);
}

bool recording_watches(const struct recording *rec)
{
	return rec->watch;
}

int recording_watch(struct recording *rec)
{
	look(rec);
	act(rec);
	return rec->err;
}

bool recording_wants_stop(const struct recording *rec)
{
	return rec->wants_stop;
}

void recording_totals(const struct recording *rec, struct recording_totals *ret)
{
	struct ring_totals rings = {0};
	struct writer_totals written = {.bytes = rec->bytes, .plain_bytes = rec->bytes};
	struct netfilter_refusals refusals;
	struct unwind_refused unwind = {0};

	loader_netns_refused(rec->loader, &refusals);
	if (rec->ring)
		ring_totals(rec->ring, &rings);
	if (rec->writer)
		writer_totals(rec->writer, &written);
	if (rec->code)
		code_notes_refused(rec->code, &unwind);
	*ret = (struct recording_totals){
		.records = rings.records + notes_count(rec->notes),
		.bytes_written = written.bytes,
		.plain_bytes = written.plain_bytes,
		.stored = written.stored,
		.packets = rings.packets,
		.lost_full = rings.lost,
		.lost_nested = rings.nested_lost,
		.lost_recursion = rec->lost_recursion,
		.poll_missed = rec->poll_missed,
		.poll_incomplete = rec->poll_incomplete,
		.rx_lost = rec->rx ? rx_poll_lost(rec->rx) : 0,
		.stacks_failed = rec->stacks ? loader_stacks_failed(rec->loader) : 0,
		.pages_forgotten = rec->forgotten[OWNER_FORGOTTEN_PAGES],
		.unwind_files = unwind.files,
		.unwind_processes = unwind.processes,
		.unseen = rec->watch ? watch_unseen(rec->watch) : 0,
		.poll_forbidden = rec->poll_forbidden,
		.poll_failed = rec->poll_failed,
		.net_refused = {(unsigned int)refusals.count, (unsigned int)refusals.namespaces,
				refusals.err},
		.refused_bytes = written.refused,
		.refused_events = written.refused_events,
		.err = rec->err,
		.fill_percent = rings.fill_percent,
	};
}

enum writer_place recording_place(const struct recording *rec, char *where, size_t room)
{
	*where = 0;
	return rec->writer ? writer_place(rec->writer, where, room) : WRITER_IN_PLACE;
}

uint64_t recording_totals_lost(const struct recording_totals *totals)
{
	return totals->lost_full + totals->lost_nested + totals->lost_recursion +
	       totals->poll_missed + totals->poll_incomplete + totals->rx_lost;
}

bool recording_cpu_lost(const struct recording *rec, uint32_t cpu, uint64_t *full, uint64_t *nested)
{
	if (cpu >= rec->cpus || !rec->ring)
		return false;
	ring_cpu_lost(rec->ring, cpu, full, nested);
	return true;
}

bool recording_program(const struct recording *rec, size_t i, const char **name,
		       const char **section, uint64_t *misses)
{
	return loader_program(rec->loader, i, name, section, misses);
}

bool recording_is_uncounted(const struct recording *rec)
{
	return loader_is_uncounted(rec->loader);
}

/* A program that had begun when its link went may still be writing. */
static void wait_for_quiet(const struct recording *rec)
{
	if (!rec->ring)
		return;
	usleep(RECORDING_QUIET_US);
	for (int i = 0; i < QUIET_TRIES && !ring_is_quiet(rec->ring); i++)
		usleep(QUIET_TRY_US);
}

int recording_meter_fd(const struct recording *rec)
{
	return overhead_fd(rec->overhead);
}

struct cost *recording_cost(const struct recording *rec)
{
	return overhead_cost(rec->overhead);
}

const struct budget *recording_budget(const struct recording *rec)
{
	return overhead_budget(rec->overhead);
}

/* All that was recorded has been handed on, or counted as lost: the trace says so. */
static void write_end(struct recording *rec)
{
	const uint64_t lost = notes_lost(rec);
	const void *packet;
	size_t len;

	recording_keep_error(rec, end_mark_note(rec->end_mark, rec->notes, rec->ring, rec->writer,
						lost, end_reason_of(rec->err)));
	packet = notes_packet(rec->notes, lost, &len);
	if (!packet)
		return;
	rec->bytes += len;
	recording_keep_error(rec, packet_fan_end(&rec->sinks, packet, len));
}

int recording_stop(struct recording *rec)
{
	if (!rec->attached)
		return rec->err;
	recording_keep_error(rec, overhead_finish(rec->overhead, rec->notes));
	recording_finish_rx(rec);
	rec->attached = false;
	recording_note_all(rec, clock_monotonic_ns(), false, STATE_STOP);
	loader_detach(rec->loader);
	wait_for_quiet(rec);
	recording_note_states(rec, clock_monotonic_ns(), STATE_STOP);
	if (rec->watch) {
		watch_look(rec->watch, UINT64_MAX);
		act(rec);
	}
	answer_bell(rec);
	drain(rec, RING_FLUSH_ALL);
	recording_keep_error(rec, address_notes_finish(rec->addresses));
	note_losses(rec);
	recording_keep_error(rec, packet_fan_flush(&rec->sinks));
	write_end(rec);
	recording_keep_error(rec, packet_fan_complete(&rec->sinks, clock_monotonic_ns()));
	recording_keep_error(rec, packet_fan_flush(&rec->sinks));
	return rec->err;
}

void recording_close(struct recording *rec)
{
	if (!rec)
		return;
	recording_stop(rec);
	writer_close(rec->writer);
	watch_free(rec->watch);
	ring_buffer__free(rec->doorbell);
	ring_close(rec->ring);
	if (rec->pids)
		munmap(rec->pids, FILTER_PID_WORDS * sizeof(uint64_t));
	overhead_close(rec->overhead);
	loader_close(rec->loader);
	host_names_free(rec->names);
	address_notes_free(rec->addresses);
	code_notes_free(rec->code);
	rx_poll_close(rec->rx);
	notes_free(rec->notes);
	buffer_fini(&rec->metadata);
	free(rec->described);
	end_mark_free(rec->end_mark);
	free(rec->noted);
	free(rec);
}
