// SPDX-License-Identifier: BSD-2-Clause
#include "record/notes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/io.h"
#include "record/cgroups.h"
#include "record/cost.h"
#include "record/trigger.h"
#include "wire/measure.h"
#include "wire/record.h"

struct notes {
	struct buffer packet; /* header space, then records */
	uint8_t uuid[16];
	uint64_t begin_ns;
	uint64_t last_ns;
	uint64_t sequence;
	uint64_t name_packets;
	bool names; /* the packet has some */
	uint64_t count;
};

static void start_packet(struct notes *notes)
{
	buffer_reset(&notes->packet);
	buffer_pad(&notes->packet, 0, sizeof(struct packet_head));
	notes->begin_ns = 0;
}

struct notes *notes_new(const uint8_t uuid[16])
{
	struct notes *notes = calloc(1, sizeof(*notes));

	if (!notes)
		return NULL;
	memcpy(notes->uuid, uuid, sizeof(notes->uuid));
	buffer_init(&notes->packet);
	start_packet(notes);
	return notes;
}

void notes_free(struct notes *notes)
{
	if (!notes)
		return;
	buffer_fini(&notes->packet);
	free(notes);
}

/* The head as the kernel half makes it. A packet is sent within seconds, so times fit. */
static uint64_t head_make(struct notes *notes, uint32_t id, uint32_t tid, uint64_t now_ns)
{
	if (now_ns > notes->last_ns)
		notes->last_ns = now_ns;
	if (!notes->begin_ns) {
		start_packet(notes); /* the one before was borrowed until now */
		notes->begin_ns = notes->last_ns;
	}
	notes->count++;
	notes->names |= id == SONDE_TASK || id == SONDE_NAME;
	return id | (uint64_t)(uint32_t)notes->last_ns << RECORD_TIME_SHIFT |
	       (uint64_t)(tid & RECORD_TID_MASK) << RECORD_TID_SHIFT;
}

/* "/proc/PID/task/TID/comm", without its newline. */
static bool read_comm(int dir, const char *tid, char comm[16])
{
	char path[32], text[32] = "";
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "%s/comm", tid);
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false; /* it has ended by now */
	len = read_at(fd, text, sizeof(text) - 1, 0);
	fd_close(fd);
	if (len <= 0)
		return false;
	text[strcspn(text, "\n")] = 0;
	memset(comm, 0, 16);
	memcpy(comm, text, strnlen(text, 15));
	return true;
}

static void add_threads(struct notes *notes, int cgroups, int proc, const char *pid)
{
	struct sonde_task record = {.pid = (uint32_t)atol(pid)};
	struct dirent *entry;
	char path[32];
	int fd;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/task", pid);
	fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		fd_close(fd);
		return;
	}
	record.cgroup = cgroups_of_process(cgroups, proc, pid);
	while ((entry = readdir(dir))) {
		record.tid = (uint32_t)atol(entry->d_name);
		if (!record.tid || !read_comm(fd, entry->d_name, record.comm))
			continue;
		record.head = head_make(notes, SONDE_TASK, record.tid, clock_monotonic_ns());
		buffer_append(&notes->packet, &record, sizeof(record));
	}
	closedir(dir);
}

int notes_add_tasks(struct notes *notes, const uint64_t *pids)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int cgroups;

	if (!proc)
		return -errno;
	cgroups = cgroups_open();
	while ((entry = readdir(proc))) {
		unsigned long pid = strtoul(entry->d_name, NULL, 10);

		if (!pid || pid / 64 >= FILTER_PID_WORDS)
			continue;
		if (!pids || pids[pid / 64] >> (pid % 64) & 1)
			add_threads(notes, cgroups, dirfd(proc), entry->d_name);
	}
	fd_close(cgroups);
	closedir(proc);
	return buffer_error(&notes->packet);
}

/* With a NUL at least behind it, to where the next record may begin. */
static void append_string(struct notes *notes, const char *text, size_t max)
{
	size_t len = strnlen(text, max - 1);

	buffer_append(&notes->packet, text, len);
	buffer_pad(&notes->packet, 0, RECORD_ALIGN - len % RECORD_ALIGN);
}

int notes_add_name(struct notes *notes, enum name_kind kind, uint64_t key, uint32_t dev,
		   const char *text)
{
	struct sonde_name record = {
		.key = key,
		.major = (uint16_t)(dev >> 20),
		.minor = (uint16_t)(dev & 0xfffff),
		.kind = kind,
	};
	uint32_t bytes = (uint32_t)strnlen(text, NAME_TEXT_MAX - 1) + 1;

	record.head = head_make(notes, SONDE_NAME, 0, clock_monotonic_ns());
	buffer_append(&notes->packet, &record, record_bytes(sonde_name));
	append_string(notes, text, NAME_TEXT_MAX);
	buffer_append(&notes->packet, &bytes, sizeof(bytes));
	return buffer_error(&notes->packet);
}

int notes_add_loss(struct notes *notes, const char *measurement, uint64_t count)
{
	struct sonde_loss record = {.count = count};

	record.head = head_make(notes, SONDE_LOSS, 0, clock_monotonic_ns());
	strncpy(record.measurement, measurement, sizeof(record.measurement) - 1);
	buffer_append(&notes->packet, &record, sizeof(record));
	return buffer_error(&notes->packet);
}

int notes_add_forgotten(struct notes *notes, enum owner_forgotten what, uint64_t count)
{
	struct sonde_forgotten record = {.count = count, .what = what};

	record.head = head_make(notes, SONDE_FORGOTTEN, 0, clock_monotonic_ns());
	buffer_append(&notes->packet, &record, record_bytes(sonde_forgotten));
	return buffer_error(&notes->packet);
}

int notes_add_state(struct notes *notes, uint64_t time_ns, const char *measurement, bool on,
		    enum state_reason reason)
{
	struct sonde_state record = {.on = on, .reason = reason};

	record.head = head_make(notes, SONDE_STATE, 0, time_ns);
	strncpy(record.measurement, measurement, sizeof(record.measurement) - 1);
	buffer_append(&notes->packet, &record, sizeof(record));
	return buffer_error(&notes->packet);
}

int notes_add_trigger(struct notes *notes, uint64_t event_ns, uint64_t now_ns,
		      const struct trigger_event *fired)
{
	struct sonde_trigger record = {
		.reaction = now_ns > event_ns ? now_ns - event_ns : 0,
		.matched = fired->matched,
	};
	const uint32_t action = fired->action;

	record.head = head_make(notes, SONDE_TRIGGER, (uint32_t)fired->tid, event_ns);
	memcpy(record.measurement, fired->event, sizeof(record.measurement));
	buffer_append(&notes->packet, &record, record_bytes(sonde_trigger));
	append_string(notes, fired->text, NOTE_EXPRESSION_MAX);
	buffer_append(&notes->packet, &action, sizeof(action));
	return buffer_error(&notes->packet);
}

int notes_add_record(struct notes *notes, uint64_t time_ns, uint32_t id, uint32_t tid,
		     const void *payload, size_t len)
{
	uint64_t head = head_make(notes, id, tid, time_ns);

	buffer_append(&notes->packet, &head, sizeof(head));
	buffer_append(&notes->packet, payload, len);
	return buffer_error(&notes->packet);
}

size_t notes_bytes(const struct notes *notes)
{
	return notes->begin_ns ? notes->packet.len : 0;
}

/* A record that ends with a text and a number, which also ends it where the next one may begin. */
static int add_with_text(struct notes *notes, const void *record, size_t len, const char *text,
			 size_t text_len, uint32_t last)
{
	size_t room = RECORD_MAX_BYTES - len - RECORD_ALIGN - sizeof(last);

	text_len = text_len < room ? text_len : room;
	buffer_append(&notes->packet, record, len);
	buffer_append(&notes->packet, text, text_len);
	buffer_pad(&notes->packet, 0, RECORD_ALIGN - (len + text_len) % RECORD_ALIGN);
	buffer_append(&notes->packet, &last, sizeof(last));
	return buffer_error(&notes->packet);
}

int notes_add_cost(struct notes *notes, const char *label, const struct cost_sum *sum,
		   uint32_t cpus)
{
	struct sonde_cost record = {
		.window_ns = sum->window_ns,
		.runs = sum->runs,
		.run_ns = sum->run_ns,
	};

	record.head = head_make(notes, SONDE_COST, 0, clock_monotonic_ns());
	return add_with_text(notes, &record, offsetof(struct sonde_cost, measurements), label,
			     strlen(label), cpus);
}

int notes_add_symbol(struct notes *notes, uint64_t start, uint64_t size, const char *name)
{
	struct sonde_symbol record = {.start = start};

	record.head = head_make(notes, SONDE_SYMBOL, 0, clock_monotonic_ns());
	return add_with_text(notes, &record, offsetof(struct sonde_symbol, record_end), name,
			     strlen(name), size < UINT32_MAX ? (uint32_t)size : UINT32_MAX);
}

int notes_add_mapping(struct notes *notes, struct sonde_mapping *mapping, uint32_t pid,
		      uint64_t since_ns, const char *path, size_t path_len)
{
	mapping->head = head_make(notes, SONDE_MAPPING, 0, clock_monotonic_ns());
	mapping->age_ns = notes->last_ns - since_ns;
	return add_with_text(notes, mapping, offsetof(struct sonde_mapping, record_end), path,
			     path_len, pid);
}

void notes_want_packet(struct notes *notes)
{
	if (notes->begin_ns)
		return;
	start_packet(notes);
	notes->begin_ns = notes->last_ns;
}

const void *notes_packet(struct notes *notes, uint64_t lost, size_t *len)
{
	struct packet_head head = {
		.magic = PACKET_MAGIC,
		.stream_id = STREAM_CLASS_RECORDER,
		.begin_ns = notes->begin_ns,
		.end_ns = notes->last_ns,
		.content_bits = notes->packet.len * 8,
		.packet_bits = notes->packet.len * 8,
		.discarded = lost,
		.discarded_nested = lost, /* discarded_recursion in this stream */
		.sequence = notes->sequence,
		.name_packets = notes->name_packets + notes->names,
	};

	if (!notes->begin_ns || buffer_error(&notes->packet))
		return NULL;
	memcpy(head.uuid, notes->uuid, sizeof(head.uuid));
	memcpy(notes->packet.data, &head, sizeof(head));
	notes->sequence++;
	notes->name_packets = head.name_packets;
	notes->names = false;
	notes->begin_ns = 0;
	*len = notes->packet.len;
	return notes->packet.data;
}

void notes_not_before(struct notes *notes, uint64_t time_ns)
{
	if (time_ns > notes->last_ns)
		notes->last_ns = time_ns;
}

uint64_t notes_packets(const struct notes *notes)
{
	return notes->sequence;
}

uint64_t notes_count(const struct notes *notes)
{
	return notes->count;
}
