// SPDX-License-Identifier: BSD-2-Clause
#include "probe/call_classes.h"
#include "record/recording.h"
#include "record/recording_state.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/diag.h"
#include "ctf/metadata_write.h"
#include "probe/inet_diag.h"
#include "probe/loader.h"
#include "probe/stacks.h"
#include "record/address_notes.h"
#include "record/code_notes.h"
#include "record/end_mark.h"
#include "record/host.h"
#include "record/host_names.h"
#include "record/notes.h"
#include "record/overhead.h"
#include "record/poll_record.h"
#include "record/trigger.h"
#include "record/watch.h"
#include "ring/ring.h"
#include "schema/calls.h"
#include "schema/derived.h"
#include "trace/writer.h"
#include "wire/filter.h"
#include "wire/measure.h"
#include "wire/note.h"
#include "wire/record.h"

#define SUBS_PER_RING 64u /* 256 KiB each in a ring of 16 MiB; larger writes cost more */
#define QUEUE_LEAST_BYTES (4u << 20)
/* A stack and the event that has it are in one sub-buffer, so it has room for two of the longest records. */
#define STACK_SUB_SHIFT (RING_MIN_SUB_SHIFT + 1)

/* Whether its records come from replies to the recorder's requests, and not from a program. */
static bool is_asked(const struct measurement *m)
{
	const struct hook *hook = m->hook_count ? measurement_hook(m, m->hooks[0].part) : NULL;

	return hook && !hook_is_program(hook);
}

bool recording_poll_asks(const struct recording *rec)
{
	return is_asked(rec->poll);
}

/* As it is recorded here, and in which stream. */
const struct event_class *recording_class_of(const struct recording *rec,
					     const struct measurement *m, unsigned int *stream)
{
	bool asked = is_asked(m);

	*stream = asked ? STREAM_CLASS_RECORDER : STREAM_CLASS_KERNEL;
	return asked && m == rec->poll ? &rec->poll_record.class : &m->class;
}

/* Passes on the current metadata. */
int recording_describe_watch(struct recording *rec, struct diag *diag)
{
	if (!rec->watch)
		return 0;
	return watch_describe(rec->watch, rec->metadata.data, rec->metadata.len, diag);
}

/* Once it is loaded. */
int recording_listen_to_sampler(struct recording *rec)
{
	int news = loader_map(rec->loader, "sample_news");
	int tasks = loader_map(rec->loader, "unwind_tasks");
	int chunks = loader_map(rec->loader, "unwind_chunks");
	int err = 0;

	if (code_notes_listens(rec->code) || news < 0)
		return 0;
	if (tasks >= 0 && chunks >= 0 && stacks_unwind(rec->config.catalogue, rec->config.detail))
		err = code_notes_unwind(rec->code, tasks, chunks);
	return err ?: code_notes_listen(rec->code, rec->doorbell, news);
}

static uint32_t log2_floor(uint64_t value)
{
	return 63 - (uint32_t)__builtin_clzll(value);
}

static uint64_t default_buffer(uint32_t cpus)
{
	uint64_t share = RECORDING_BUFFER_ALL / cpus;

	if (share < RECORDING_BUFFER_LEAST)
		return RECORDING_BUFFER_LEAST;
	return share > RECORDING_BUFFER_BYTES ? RECORDING_BUFFER_BYTES : share;
}

/* Within what sub-buffers may be. */
static uint32_t choose_sub_shift(uint64_t buffer_bytes)
{
	uint32_t shift = log2_floor(buffer_bytes / SUBS_PER_RING);

	if (shift < RING_MIN_SUB_SHIFT)
		return RING_MIN_SUB_SHIFT;
	return shift > RING_MAX_SUB_SHIFT ? RING_MAX_SUB_SHIFT : shift;
}

static uint32_t choose_sub_count(uint64_t buffer_bytes, uint32_t shift)
{
	uint64_t count = 1ull << log2_floor(buffer_bytes >> shift);

	if (count < 2)
		return 2;
	return count > RING_MAX_SUBS ? RING_MAX_SUBS : (uint32_t)count;
}

static void make_uuid(uint8_t uuid[16])
{
	if (getrandom(uuid, 16, 0) != 16)
		memset(uuid, 0x5d, 16);
	uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x40);
	uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
}

static int map_pids(struct recording *rec)
{
	int fd = loader_map(rec->loader, "filter_pids");
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	void *map;

	if (!rec->config.filter->by_pid)
		return 0;
	map = mmap(NULL, FILTER_PID_WORDS * sizeof(uint64_t), PROT_READ | PROT_WRITE, flags,
		   fd < 0 ? -1 : fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	rec->pids = map;
	for (size_t i = 0; i < rec->config.pid_count; i++)
		recording_want_pid(rec, rec->config.pids[i]);
	return 0;
}

void recording_want_pid(struct recording *rec, uint32_t pid)
{
	if (rec->pids && pid / 64 < FILTER_PID_WORDS)
		__atomic_fetch_or(&rec->pids[pid / 64], 1ull << (pid % 64), __ATOMIC_SEQ_CST);
}

static int open_ring(struct recording *rec)
{
	struct ring_config config = {
		.control_fd = loader_map(rec->loader, "ring_control"),
		.data_fd = loader_map(rec->loader, "ring_data"),
		.cpus = rec->cpus,
		.sub_shift = rec->sub_shift,
		.sub_count = rec->sub_count,
		.overwrite = rec->config.overwrite,
		.compact = rec->config.compress,
		.stacks = rec->stacks,
		.start_ns = clock_monotonic_ns(),
	};

	if (config.control_fd < 0)
		return 0; /* no program was loaded that would need them */
	memcpy(config.uuid, rec->uuid, sizeof(config.uuid));
	return ring_open(&config, &rec->ring);
}

static int ignore_bell(void *ctx, void *data, size_t len)
{
	(void)ctx;
	(void)data;
	(void)len;
	return 0;
}

static int open_doorbell(struct recording *rec)
{
	if (!rec->ring)
		return 0;
	rec->doorbell =
		ring_buffer__new(loader_map(rec->loader, "ring_doorbell"), ignore_bell, NULL, NULL);
	return rec->doorbell ? 0 : -errno;
}

/* Whether all is recorded that changes descriptors (schema/derived.h); 0: some of it is not. */
static int64_t descriptors_recorded(const struct recording *rec)
{
	const struct filter_config *filter = rec->config.filter;
	const struct measurement *enter = catalogue_get(rec->config.catalogue, SYS_ENTER);

	if (filter->by_syscall || !enter || !enter->calls || !call_classes_all_chosen(enter->calls))
		return 0;
	return filter->comm_count || filter->uid_count || filter->netns_count ? 2 : 1;
}

/* Whether what is open at the start is recorded: it has names, and threads that are not recorded may change it. */
static bool descriptors_noted(const struct recording *rec)
{
	return rec->config.texts && descriptors_recorded(rec) == 1;
}

static bool is_described(const struct recording *rec, size_t i)
{
	const struct recording_config *config = &rec->config;
	const struct measurement *m = &config->catalogue->items[i];

	if (m->class.id == SONDE_STACK)
		return rec->stacks;
	if (m->class.id == SONDE_DESCRIPTOR)
		return descriptors_noted(rec);
	return measurement_internal(m) ||
	       (measurement_usable(m) &&
		(config->wanted[i] || (config->later && config->later[i])));
}

/* Describes what runs or may run; the notes, which programs write too, are in both kinds of stream. */
static void collect_classes(struct recording *rec, const struct event_class **all, size_t *count,
			    const struct event_class **notes, size_t *note_count)
{
	const struct catalogue *cat = rec->config.catalogue;
	unsigned int stream;

	for (size_t i = 0; i < cat->count; i++) {
		const struct measurement *m = &cat->items[i];
		const struct event_class *class = recording_class_of(rec, m, &stream);

		rec->described[i] = is_described(rec, i);
		if (measurement_internal(m) && rec->described[i])
			notes[(*note_count)++] = class;
		if (rec->described[i] && stream == STREAM_CLASS_RECORDER)
			notes[(*note_count)++] = class;
		else if (rec->described[i])
			all[(*count)++] = class;
		for (size_t k = 1; rec->described[i] && (class = measurement_class(m, k)); k++)
			all[(*count)++] = class;
	}
}

/* Packets wait to be compressed in as much memory as one ring has. */
static int open_writer(struct recording *rec, struct diag *diag)
{
	const uint64_t ring_bytes = (uint64_t)rec->sub_count << rec->sub_shift;
	const struct writer_config config = {
		.metadata = rec->metadata.data,
		.metadata_len = rec->metadata.len,
		.cpus = rec->cpus,
		.group = rec->config.group,
		.compress = rec->config.compress,
		.level = rec->config.level,
		.queue_bytes = ring_bytes > QUEUE_LEAST_BYTES ? ring_bytes : QUEUE_LEAST_BYTES,
		.patient = rec->config.overwrite,
	};

	if (!rec->config.path)
		return 0;
	return writer_create(rec->config.path, &config, &rec->writer, diag) ?:
		       packet_fan_add(&rec->sinks, writer_sink(rec->writer));
}

/* The disk comes first. */
static int open_sinks(struct recording *rec, struct diag *diag)
{
	struct packet_sink *const *more = rec->config.sinks;
	int err = open_writer(rec, diag);

	for (; !err && more && *more; more++) {
		const struct packet_sink_ops *ops = (*more)->ops;

		err = packet_fan_add(&rec->sinks, *more);
		if (!err && ops->metadata)
			err = ops->metadata(*more, rec->metadata.data, rec->metadata.len);
		if (err)
			diag_set(diag, err, "it cannot be handed on: %s", strerror(-err));
	}
	return err;
}

static int create_trace(struct recording *rec, struct diag *diag)
{
	size_t items = rec->config.catalogue->room, calls = calls_count();
	const struct event_class **classes = calloc(2 * items + calls, sizeof(*classes));
	struct metadata_spec spec = {.wall_offset_ns = clock_wall_offset_ns()};
	struct host host;
	int err = -ENOMEM;

	rec->described = calloc(items, sizeof(*rec->described));
	rec->noted = calloc(items, sizeof(*rec->noted));
	rec->end_mark = end_mark_new(rec->cpus);
	if (!classes || !rec->described || !rec->noted || !rec->end_mark)
		goto out;
	host_init(&host);
	host_add(&host, "sonde_mode", rec->config.overwrite ? "overwrite" : "discard", 0);
	host_add(&host, "sonde_format", NULL, TRACE_FORMAT);
	host_add(&host, "sonde_filtered", NULL, rec->config.filter->tasks);
	if (descriptors_recorded(rec))
		host_add(&host, DERIVED_FILES_ENV, NULL, descriptors_recorded(rec));
	host_add(&host, "sonde_sample_hz", NULL, rec->config.sample_hz);
	memcpy(spec.uuid, rec->uuid, sizeof(spec.uuid));
	spec.clock_uuid = *host.boot_id ? host.boot_id : NULL;
	spec.env = host.env;
	spec.env_count = host.env_count;
	spec.classes = classes;
	spec.notes = classes + items + calls;
	collect_classes(rec, classes, &spec.class_count, classes + items + calls, &spec.note_count);
	err = metadata_write(&spec, &rec->metadata);
	if (err) {
		diag_set(diag, err, "metadata cannot be written: %s", strerror(-err));
		goto out;
	}
	err = address_notes_describe(rec->addresses, rec->metadata.data, rec->metadata.len);
	if (err) {
		diag_set(diag, err, "metadata cannot be read: %s", strerror(-err));
		goto out;
	}
	err = open_sinks(rec, diag);

out:
	free(classes);
	return err;
}

static int open_watch(struct recording *rec, struct diag *diag)
{
	if (!rec->config.triggers || !triggers_count(rec->config.triggers))
		return 0;
	rec->watch = watch_new(rec->ring, &triggers_watch_ops, rec->config.triggers);
	if (!rec->watch)
		return diag_set(diag, -ENOMEM, "no memory");
	return recording_describe_watch(rec, diag);
}

static uint64_t make_key(void)
{
	uint64_t key = clock_monotonic_ns();

	(void)!getrandom(&key, sizeof(key), 0);
	return key | 1;
}

static int open_loader(struct recording *rec, struct diag *diag)
{
	struct loader_config config = {
		.cpus = rec->cpus,
		.sub_shift = rec->sub_shift,
		.sub_count = rec->sub_count,
		.overwrite = rec->config.overwrite,
		.detail = rec->config.detail,
		.open_files = descriptors_noted(rec),
		.sample_hz = rec->config.sample_hz,
		.stack_frames = rec->config.stack_frames,
		.stack_key = make_key(),
		.packet_key = make_key(),
		.filter = rec->config.filter,
		.warden = rec->config.warden,
	};

	return loader_open(rec->config.catalogue, rec->config.wanted, &config, &rec->loader, diag);
}

static int init_poll(struct recording *rec)
{
	rec->poll = catalogue_get(rec->config.catalogue, TCP_POLL);
	return poll_record_init(&rec->poll_record, &rec->poll->class, inet_diag_info_bytes());
}

int recording_open(const struct recording_config *config, struct recording **ret, struct diag *diag)
{
	struct recording *rec = calloc(1, sizeof(*rec));
	int cpus = libbpf_num_possible_cpus();
	uint64_t buffer;
	int err;

	if (!rec)
		return -ENOMEM;
	if (cpus < 1) {
		err = diag_set(diag, cpus, "the number of CPUs is unknown: %s", strerror(-cpus));
		goto fail;
	}
	buffer_init(&rec->metadata);
	rec->config = *config;
	err = init_poll(rec);
	if (err) {
		diag_set(diag, err, "what the kernel answers does not fit tcp.poll");
		goto fail;
	}
	rec->cpus = (uint32_t)cpus;
	buffer = config->buffer_bytes ?: default_buffer(rec->cpus);
	rec->stacks = stacks_any(config->catalogue);
	rec->sub_shift = choose_sub_shift(buffer);
	if (rec->stacks && rec->sub_shift < STACK_SUB_SHIFT)
		rec->sub_shift = STACK_SUB_SHIFT;
	rec->sub_count = choose_sub_count(buffer, rec->sub_shift);
	make_uuid(rec->uuid);
	if (!config->detail)
		catalogue_leave_out_detail(config->catalogue);
	if (!config->texts)
		catalogue_leave_out_texts(config->catalogue);
	err = stacks_describe(config->catalogue);
	if (err)
		goto fail;
	rec->notes = notes_new(rec->uuid);
	rec->names = rec->notes ? host_names_new(rec->notes) : NULL;
	rec->addresses = address_notes_new(rec->notes, config->warden);
	rec->code = code_notes_new(rec->notes, config->warden);
	err = rec->names && rec->addresses && rec->code ? open_loader(rec, diag) : -ENOMEM;
	if (err)
		goto fail;
	err = open_ring(rec)			       ?:
		      open_doorbell(rec)	       ?:
		      recording_listen_to_sampler(rec) ?:
							 map_pids(rec);
	if (err) {
		diag_set(diag, err, "the rings cannot be mapped: %s", strerror(-err));
		goto fail;
	}
	err = overhead_open(config->catalogue, rec->loader, config->warden, rec->cpus, config->budget, &rec->overhead, diag) ?:
		      recording_open_rx(rec, diag) ?:
		      create_trace(rec, diag)	   ?:
						     open_watch(rec, diag);
	if (err)
		goto fail;
	*ret = rec;
	return 0;

fail:
	recording_close(rec);
	return err;
}
