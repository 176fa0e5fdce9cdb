// SPDX-License-Identifier: BSD-2-Clause
#include "trace/stream_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/diag.h"
#include "base/io.h"
#include "ctf/decoder.h"
#include "ctf/packet.h"
#include "ctf/trace_class.h"
#include "schema/lost.h"
#include "schema/source.h"
#include "schema/trace_info.h"
#include "trace/end_notes.h"
#include "trace/index_walk.h"
#include "trace/stream_ends.h"
#include "trace/stream_input.h"
#include "trace/stream_seek.h"
#include "wire/ctf.h"
#include "wire/note.h"

/* Packet heads are small; where metadata says otherwise, the window grows up to the event limit. */
#define WINDOW_MIN_BYTES 4096u

/* What the last packet said of losses. */
struct account {
	bool any;
	bool partial; /* how many of the discarded events were nested, or recursion, is not known */
	uint64_t discarded;
	uint64_t nested;
	uint64_t recursion;
	uint64_t sequence;
};

struct stream_reader {
	struct stream_input *input;
	struct stream_seek *seek; /* NULL until it is needed */
	const struct ctf_trace_class *trace;
	struct problem_list *problems;
	struct problem_list *breaches; /* NULL: not wanted */
	struct trace_gaps *gaps; /* NULL: not wanted */
	size_t gap; /* with gap_open: its number there */
	bool gap_open; /* it ends where the next packet begins */
	int64_t ended_ns; /* the last event of the packet before; INT64_MIN: none was read */
	source_stop_fn *is_stopped;
	enum stream_state state;
	bool in_packet;
	bool broken; /* its end is for good */
	bool told_early; /* that a packet ends before it begins */
	bool told_foreign; /* that packets have the UUID of another trace */
	uint64_t packet_at; /* offset of the packet in the input */
	uint64_t next_at; /* of the one behind it */
	uint64_t told; /* up to here it was said what is missing */
	uint64_t size; /* of the input, as it was at the last look */
	uint64_t packets;
	uint64_t name_packets; /* as the last packet counts them */
	bool tells_names; /* this packet does */
	uint8_t *window; /* NULL: nothing is read of it now */
	bool saves; /* the window goes as soon as nothing is to be read */
	size_t window_room;
	uint64_t window_at; /* offset in the input of what is in the window */
	size_t window_bytes; /* that can be used again; 0: none */
	struct account account;
	bool has_lost; /* lost_event goes out before the packet's events */
	bool lost_given; /* and is in the last batch */
	struct lost_payload lost;
	struct event lost_event;
	const struct stream_total *total; /* of the end mark; NULL = none */
	struct problem_list *missing;
	bool at_total; /* lost_event is the last of all, and no packet's */
	bool total_told;
	struct diag diag; /* here, as to clear one for each run would cost more than most runs */
	struct decoder decoder;
};

struct stream_reader *stream_reader_new(struct stream_input *input,
					const struct ctf_trace_class *trace, size_t window_bytes,
					struct problem_list *problems)
{
	struct stream_reader *reader = calloc(1, sizeof(*reader));

	if (!reader) {
		input->ops->close(input);
		return NULL;
	}
	reader->input = input;
	reader->trace = trace;
	reader->problems = problems;
	reader->ended_ns = INT64_MIN;
	reader->state = STREAM_HUNGRY;
	reader->window_room = window_bytes > WINDOW_MIN_BYTES ? window_bytes : WINDOW_MIN_BYTES;
	decoder_init(&reader->decoder, trace);
	reader->window = malloc(reader->window_room);
	if (!reader->window) {
		stream_reader_free(reader);
		return NULL;
	}
	return reader;
}

void stream_reader_free(struct stream_reader *reader)
{
	if (!reader)
		return;
	stream_seek_free(reader->seek);
	reader->input->ops->close(reader->input);
	decoder_fini(&reader->decoder);
	free(reader->window);
	free(reader);
}

const char *stream_reader_name(const struct stream_reader *reader)
{
	return reader->input->name;
}

bool stream_reader_ends(struct stream_reader *reader, struct stream_ends *ret)
{
	return stream_ends_read(reader->input, reader->trace, ret);
}

void stream_reader_continue(struct stream_reader *reader, const struct stream_before *before)
{
	reader->account = (struct account){
		.any = true,
		.partial = true,
		.sequence = before->sequence,
		.discarded = before->discarded,
	};
}

void stream_reader_note_gaps(struct stream_reader *reader, struct trace_gaps *gaps)
{
	reader->gaps = gaps;
}

void stream_reader_note_breaches(struct stream_reader *reader, struct problem_list *breaches)
{
	reader->breaches = breaches;
}

void stream_reader_expect(struct stream_reader *reader, const struct stream_total *total,
			  struct problem_list *missing)
{
	reader->total = total;
	reader->missing = missing;
	if (reader->state == STREAM_END &&
	    !reader->broken) /* of a live stream, the total comes last */
		reader->state = STREAM_HUNGRY;
}

enum stream_state stream_reader_state(const struct stream_reader *reader)
{
	return reader->state;
}

int64_t stream_reader_next_ns(const struct stream_reader *reader)
{
	return reader->decoder.next_ns;
}

uint64_t stream_reader_packets(const struct stream_reader *reader)
{
	return reader->packets;
}

/* The input itself fails: nothing more can be had of it. */
static void end_by_error(struct stream_reader *reader, int err, uint64_t offset)
{
	problem_list_add(reader->problems, "%s: cannot be read at offset %" PRIu64 ": %s",
			 reader->input->name, offset,
			 err == -EBADMSG ? reader->input->diag.text : strerror(-err));
	reader->broken = true;
	reader->state = STREAM_END;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Fills the window from @offset, with no more than @most bytes. The count, or -errno. */
static ssize_t fill_window(struct stream_reader *reader, uint64_t offset, uint64_t most)
{
	size_t want = (size_t)smaller(reader->window_room, most);
	ssize_t got;

	if (!reader->window)
		reader->window = malloc(reader->window_room);
	if (!reader->window)
		return -ENOMEM;
	got = reader->input->ops->read(reader->input, reader->window, want, offset);
	reader->window_at = offset;
	reader->window_bytes = got > 0 ? (size_t)got : 0;
	return got;
}

static int grow_window(struct stream_reader *reader)
{
	size_t room = reader->window_room * 2;
	uint8_t *window;

	if (room > CTF_EVENT_MAX_BYTES)
		return -E2BIG;
	window = realloc(reader->window, room);
	if (!window)
		return -ENOMEM;
	reader->window = window;
	reader->window_room = room;
	return 0;
}

static uint64_t rise(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

/* What @packet says of losses since the packet before. */
static struct lost_payload account_add(struct account *account, const struct packet *packet)
{
	struct lost_payload lost = {.level = packet->level};

	if (packet->has_discarded) {
		lost.count = rise(account->discarded, packet->discarded);
		lost.nested = rise(account->nested, packet->nested);
		lost.recursion = rise(account->recursion, packet->recursion);
		if (account->partial) {
			account->nested = packet->nested;
			account->recursion = packet->recursion;
			account->partial = false;
			lost.nested = lost.recursion = 0;
		}
		/* Where two threads close packets at once, LTTng's count may be of a moment before. */
		account->discarded += lost.count;
		account->nested += lost.nested;
		account->recursion += lost.recursion;
	}
	if (packet->has_sequence) {
		if (account->any && packet->sequence > account->sequence)
			lost.packets = packet->sequence - account->sequence - 1;
		account->sequence = packet->sequence;
		account->any = true;
	}
	return lost;
}

/*
 * What is lost before a packet lies before its begin. A packet without events reports what was lost by the time it was
 * written, which may be long after its begin.
 */
static void note_gap(struct stream_reader *reader)
{
	const int64_t begin_ns = reader->lost_event.time_ns;
	const bool empty = reader->decoder.pos >= reader->decoder.end;

	if (reader->gap_open)
		trace_gaps_shorten(reader->gaps, reader->gap, begin_ns);
	reader->gap_open = false;
	if (!reader->has_lost || !reader->gaps)
		return;
	reader->gap = reader->gaps->count;
	trace_gaps_add(reader->gaps, reader->ended_ns, empty ? INT64_MAX : begin_ns);
	reader->gap_open = empty && reader->gaps->count > reader->gap;
}

/* Makes the event that reports losses before the packet. */
static void account_lost(struct stream_reader *reader)
{
	const struct packet *packet = &reader->decoder.packet;

	reader->lost = account_add(&reader->account, packet);
	reader->lost.stream = packet->stream->index;
	reader->has_lost = reader->lost.count || reader->lost.packets;
	reader->lost_event = (struct event){
		.class = &lost_class,
		.payload = (const uint8_t *)&reader->lost,
		.offsets = lost_class.offsets,
		.time_ns = ctf_clock_ns(packet->stream->clock, reader->decoder.clock),
		.cpu = packet->cpu,
		.tid = -1,
	};
	note_gap(reader);
}

/* Bytes of the packet that the input has. */
static uint64_t packet_available(const struct stream_reader *reader)
{
	return smaller(reader->next_at, reader->size) - reader->packet_at;
}

/* Each once for a stream: the same fault is in many packets. */
static void check_packet(struct stream_reader *reader)
{
	const struct packet *packet = &reader->decoder.packet;

	if (packet->is_foreign && !reader->told_foreign)
		problem_list_add(reader->problems,
				 "%s: packet at offset %" PRIu64
				 ": its UUID is that of another trace; the events of this "
				 "stream may be wrong",
				 reader->input->name, reader->packet_at);
	if (packet->ends_early && !reader->told_early && reader->breaches)
		problem_list_add(reader->breaches,
				 "%s: packet at offset %" PRIu64
				 ": its timestamp_end is before its timestamp_begin",
				 reader->input->name, reader->packet_at);
	reader->told_foreign |= packet->is_foreign;
	reader->told_early |= packet->ends_early;
}

static void begin_packet(struct stream_reader *reader)
{
	const uint64_t left = reader->size - reader->packet_at;
	const uint64_t bytes = reader->decoder.packet.packet_bits / 8;

	reader->next_at = reader->size;
	if (reader->decoder.packet.packet_bits != UINT64_MAX) {
		reader->told = reader->packet_at + bytes;
		if (bytes > left)
			problem_list_add(reader->problems,
					 "%s: packet at offset %" PRIu64 " is cut off: %" PRIu64
					 " of %" PRIu64 " bytes are there",
					 reader->input->name, reader->packet_at, left, bytes);
		else
			reader->next_at = reader->packet_at + bytes;
	}
	check_packet(reader);
	reader->packets++;
	reader->tells_names = reader->decoder.packet.name_packets != reader->name_packets;
	reader->name_packets = reader->decoder.packet.name_packets;
	reader->in_packet = true;
	reader->state = STREAM_READY;
	account_lost(reader);
}

/* No packet can be read at packet_at: reports it, and continues where the input knows of another. */
static void skip_damage(struct stream_reader *reader, const struct diag *diag)
{
	const struct stream_input_ops *ops = reader->input->ops;
	uint64_t at = reader->packet_at, next = 0;
	int known = ops->seek ? ops->seek(reader->input, at, &next) : 0;

	if (known > 0 && next < reader->size) {
		problem_list_add(reader->problems,
				 "%s: packet at offset %" PRIu64
				 ": %s; reading continues at offset "
				 "%" PRIu64,
				 reader->input->name, at, diag->text, next);
		reader->next_at = next;
		return;
	}
	problem_list_add(reader->problems,
			 "%s: packet at offset %" PRIu64 ": %s; the last %" PRIu64
			 " bytes of the file cannot be read",
			 reader->input->name, at, diag->text, reader->size - at);
	reader->broken = true;
	reader->state = STREAM_END;
}

/* Reads the packet's head; the window grows as long as the head may be longer than it. */
static int open_packet(struct stream_reader *reader, struct diag *diag)
{
	const uint64_t left = reader->size - reader->packet_at;

	for (;;) {
		ssize_t got = fill_window(reader, reader->packet_at, left);
		int err;

		if (got == -EBADMSG)
			*diag = reader->input->diag;
		if (got < 0)
			return (int)got;
		err = decoder_open(&reader->decoder, reader->window, (size_t)got, left, diag);
		if (err != -ENODATA)
			return err ? -EBADMSG : 0;
		if ((uint64_t)got < reader->window_room || (uint64_t)got == left) {
			(void)diag_set(diag, -ENODATA,
				       "is cut off: only %" PRIu64 " bytes are there", left);
			return -ENODATA;
		}
		err = grow_window(reader);
		if (err)
			return err == -E2BIG ? -EBADMSG : err;
	}
}

/* Whether only a part of the packet is there yet. */
static bool is_coming(const struct stream_reader *reader, int err)
{
	const uint64_t bits = reader->decoder.packet.packet_bits;

	if (err)
		return err == -ENODATA;
	return bits != UINT64_MAX && bits / 8 > reader->size - reader->packet_at;
}

/* The end of the input by its index; 0 if unknown. */
static uint64_t indexed_end(const struct stream_reader *reader)
{
	const struct stream_input_ops *ops = reader->input->ops;
	int fd = ops->open_index ? ops->open_index(reader->input) : -ENOENT;
	struct index_packet last = {0};
	struct stat st;

	if (fd < 0)
		return 0;
	if (fstat(fd, &st) || index_last(fd, st.st_size, &last) ||
	    last.packet_bytes > UINT64_MAX - last.offset)
		last = (struct index_packet){0};
	(void)fd_close(fd);
	return last.offset + last.packet_bytes;
}

/*
 * A file that lost its last packets looks like any other, but for its index, which gets an entry
 * when the packet is there. Who still writes may have added both: so the size is asked for again.
 */
static void end_by_size(struct stream_reader *reader)
{
	uint64_t end = reader->input->follow ? 0 : indexed_end(reader);

	reader->state = STREAM_END;
	if (end <= reader->size || end <= reader->told ||
	    reader->input->ops->size(reader->input, &reader->size) || end <= reader->size)
		return;
	problem_list_add(reader->problems,
			 "%s: ends at offset %" PRIu64 ", and by its index at %" PRIu64
			 ": packets are missing",
			 reader->input->name, reader->size, end);
}

/* Whether the last packets are there, by their numbers. */
static void check_last(struct stream_reader *reader)
{
	const struct stream_total *total = reader->total;

	if (reader->account.any && reader->account.sequence < total->last_packet)
		problem_list_add(reader->missing,
				 "%s: ends with packet number %" PRIu64
				 ", and by the end mark of the trace with %" PRIu64,
				 reader->input->name, reader->account.sequence, total->last_packet);
}

/*
 * Losses after the last packet, and packets that a full disk did not take, are only in the end mark: an
 * event at its time. True: it is made.
 */
static bool begin_total(struct stream_reader *reader)
{
	const struct stream_total *total = reader->total;

	if (!total || reader->total_told)
		return false;
	reader->total_told = true;
	check_last(reader);
	if (total->lost <= reader->account.discarded)
		return false;
	reader->lost = (struct lost_payload){
		.count = total->lost - reader->account.discarded,
		.level = total->level,
		.stream = total->stream,
	};
	reader->lost_event = (struct event){
		.class = &lost_class,
		.payload = (const uint8_t *)&reader->lost,
		.offsets = lost_class.offsets,
		.time_ns = total->end_ns,
		.cpu = total->cpu == STREAM_OF_RECORDER ? -1 : (int32_t)total->cpu,
		.tid = -1,
	};
	reader->decoder.next_ns = total->end_ns;
	reader->has_lost = reader->at_total = true;
	if (reader->gaps)
		trace_gaps_add(reader->gaps, reader->ended_ns, INT64_MAX);
	reader->state = STREAM_READY;
	return true;
}

bool stream_reader_look(struct stream_reader *reader, bool grows)
{
	struct stream_input *input = reader->input;
	uint64_t size = 0;
	int err;

	input->follow = grows;
	input->look = true;
	err = input->ops->size(input, &size);
	input->look = false;
	if (!err && !reader->broken && reader->state == STREAM_END && size > reader->next_at)
		reader->state = STREAM_HUNGRY;
	return reader->state != STREAM_END;
}

/* Leaves out packets from @at on that are not needed for what was sought. */
static void skip_packets(struct stream_reader *reader, uint64_t at)
{
	struct stream_spot spot;

	if (!reader->seek || !stream_seek_next(reader->seek, at, reader->name_packets, &spot))
		return;
	reader->account = (struct account){.any = false};
	(void)account_add(&reader->account, &spot.before);
	reader->name_packets = spot.before.name_packets;
	reader->total_told &= !reader->at_total; /* it is reported once its turn comes */
	reader->at_total = false;
	reader->has_lost = false;
	reader->in_packet = false;
	reader->next_at = spot.offset;
	reader->state = STREAM_HUNGRY;
}

static void drop_window(struct stream_reader *reader)
{
	free(reader->window);
	reader->window = NULL;
	reader->window_bytes = 0;
	decoder_set_window(&reader->decoder, 0, NULL, 0);
}

void stream_reader_save(struct stream_reader *reader)
{
	reader->saves = true;
	drop_window(reader);
}

/* The events of a packet may be far ahead of what is shown now: its head, which has their begin
 * time, is enough. */
static bool can_wait(const struct stream_reader *reader)
{
	return reader->state == STREAM_END ||
	       (reader->in_packet && reader->decoder.packet.has_begin);
}

static int read_packet(struct stream_reader *reader)
{
	struct diag diag = {.text = ""};
	int err = reader->input->ops->size(reader->input, &reader->size);

	skip_packets(reader, reader->next_at);
	reader->in_packet = false;
	reader->packet_at = reader->next_at;
	if (err) {
		end_by_error(reader, err, reader->packet_at);
		return 0;
	}
	if (reader->packet_at >= reader->size) {
		if (!begin_total(reader))
			end_by_size(reader);
		return 0;
	}
	err = open_packet(reader, &diag);
	if (reader->input->follow && is_coming(reader, err)) {
		reader->state = STREAM_END;
	} else if (!err) {
		begin_packet(reader);
	} else if (err == -ENODATA) {
		problem_list_add(reader->problems, "%s: packet at offset %" PRIu64 " %s",
				 reader->input->name, reader->packet_at, diag.text);
		reader->state = STREAM_END;
	} else if (err == -EBADMSG) {
		skip_damage(reader, &diag);
	} else if (err == -ENOMEM) {
		return err;
	} else {
		end_by_error(reader, err, reader->packet_at);
	}
	return 0;
}

/*
 * The next packet, where the window has all of it: a read for each of many small packets would fetch the same bytes
 * again and again. False: the caller reads it, and that finds faults in it.
 */
static bool take_packet(struct stream_reader *reader)
{
	const struct packet *packet = &reader->decoder.packet;
	uint64_t at, skipped, left;

	skip_packets(reader, reader->next_at);
	at = reader->next_at;
	skipped = at - reader->window_at;
	if (at < reader->window_at || skipped >= reader->window_bytes)
		return false;
	left = reader->window_bytes - skipped;
	if (decoder_open(&reader->decoder, reader->window + skipped, (size_t)left,
			 reader->size - at, NULL) ||
	    packet->packet_bits / 8 > left)
		return false;
	reader->packet_at = at;
	begin_packet(reader);
	return true;
}

static int next_packet(struct stream_reader *reader)
{
	int err = take_packet(reader) ? 0 : read_packet(reader);

	if (reader->saves && can_wait(reader))
		drop_window(reader);
	return err;
}

/* The rest of the packet cannot be read; the next packet can. */
static void skip_rest(struct stream_reader *reader, const char *why)
{
	problem_list_add(reader->problems,
			 "%s: packet at offset %" PRIu64 ": %s; the rest of the packet is skipped",
			 reader->input->name, reader->packet_at, why);
	reader->in_packet = false;
	reader->state = STREAM_HUNGRY;
}

/* Moves the window on, to where the decoder stands. */
static int next_window(struct stream_reader *reader)
{
	const uint64_t at = decoder_byte(&reader->decoder);
	const uint64_t available = packet_available(reader);
	ssize_t got;
	int err;

	/* The event begins where the window does and does not fit: only a larger one helps. */
	if (at * 8 == reader->decoder.window_begin) {
		err = grow_window(reader);
		if (err == -E2BIG) {
			skip_rest(reader, "an event is larger than can be read");
			return 0;
		}
		if (err)
			return err;
	}
	got = fill_window(reader, reader->packet_at + at, available - at);
	if (got == -EBADMSG) { /* of the packet, the begin could be read */
		skip_rest(reader, reader->input->diag.text);
		return 0;
	}
	if (got < 0) {
		end_by_error(reader, (int)got, reader->packet_at + at);
		return 0;
	}
	if ((uint64_t)got < smaller(reader->window_room, available - at)) {
		skip_rest(reader, "the file became shorter while it was read");
		return 0;
	}
	decoder_set_window(&reader->decoder, at, reader->window, (size_t)got);
	reader->state = STREAM_READY;
	return 0;
}

bool stream_reader_advance(struct stream_reader *reader)
{
	return !reader->in_packet && !reader->lost_given && !reader->saves && take_packet(reader);
}

int stream_reader_refill(struct stream_reader *reader)
{
	int err = 0;

	reader->lost_given = false;
	/* Behind damage, next_packet leaves it hungry: the next one is tried at once. */
	while (!err && reader->state == STREAM_HUNGRY) {
		if (reader->is_stopped && reader->is_stopped())
			return -EINTR;
		err = reader->in_packet ? next_window(reader) : next_packet(reader);
	}
	return err;
}

void stream_reader_stop_when(struct stream_reader *reader, source_stop_fn *is_stopped)
{
	reader->is_stopped = is_stopped;
	if (reader->seek)
		stream_seek_stop_when(reader->seek, is_stopped);
}

void stream_reader_run(struct stream_reader *reader, int64_t limit_ns, struct event_batch *batch)
{
	int err;

	if (reader->has_lost) {
		reader->decoder.next_ns = reader->lost_event.time_ns;
		if (reader->lost_event.time_ns > limit_ns)
			return;
		batch->events[batch->count++] = reader->lost_event;
		reader->has_lost = false;
		reader->lost_given = true;
	}
	if (reader->at_total) {
		reader->at_total = false;
		reader->state = STREAM_HUNGRY;
		return;
	}
	err = decoder_run(&reader->decoder, limit_ns, batch, &reader->diag);
	if (err > 0)
		return;
	reader->state = STREAM_HUNGRY;
	reader->ended_ns = reader->decoder.next_ns;
	if (err == 0)
		reader->in_packet = false;
	else if (err != -EAGAIN)
		skip_rest(reader, reader->diag.text);
}

void stream_reader_renew(struct stream_reader *reader, const struct ctf_trace_class *trace)
{
	reader->trace = trace;
	if (decoder_renew(&reader->decoder, trace))
		skip_rest(reader, "new metadata does not describe its stream any more");
	else if (reader->has_lost)
		reader->lost.stream = reader->decoder.packet.stream->index;
}

static struct stream_seek *get_seek(struct stream_reader *reader)
{
	if (!reader->seek)
		reader->seek = stream_seek_new(reader->input, reader->trace);
	if (reader->seek)
		stream_seek_stop_when(reader->seek, reader->is_stopped);
	return reader->seek;
}

const struct packet_map *stream_reader_map(struct stream_reader *reader)
{
	struct stream_seek *seek = get_seek(reader);

	return seek ? stream_seek_map(seek) : NULL;
}

int stream_reader_seek(struct stream_reader *reader, const struct source_span *span)
{
	const uint64_t at = reader->in_packet ? reader->packet_at : reader->next_at;
	struct stream_seek *seek;

	if (reader->state == STREAM_END)
		return 0;
	seek = get_seek(reader);
	if (!seek)
		return -ENOMEM;
	stream_seek_set(seek, at, span);
	if (!reader->in_packet || !stream_seek_needs(seek, reader->tells_names))
		skip_packets(reader, at);
	return 0;
}
