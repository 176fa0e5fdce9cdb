// SPDX-License-Identifier: BSD-2-Clause
#include "record/recording.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
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
#include "record/address_notes.h"
#include "record/code_notes.h"
#include "record/host.h"
#include "record/host_names.h"
#include "record/notes.h"
#include "record/overhead.h"
#include "record/poll_record.h"
#include "record/tcp_poll.h"
#include "record/trigger.h"
#include "record/watch.h"
#include "ring/ring.h"
#include "trace/writer.h"
#include "wire/measure.h"
#include "wire/record.h"

#define SUBS_PER_RING 64u /* 256 KiB each in a ring of 16 MiB; larger writes are dearer */
#define QUIET_US 1000 /* a program takes microseconds */
#define QUIET_TRIES 1000
#define QUIET_TRY_US 100
#define QUEUE_LEAST_BYTES (4u << 20)
#define JOB_PUMP_NS 1000000u
#define UNSETTLED_NS 1000000u /* what was made since may lie in its ring behind later ones */

struct recording {
	struct recording_config config;
	struct loader *loader;
	struct ring *ring; /* NULL, and no doorbell: without programs in the kernel */
	struct writer *writer;
	struct notes *notes;
	struct watch *watch; /* NULL: no triggers */
	bool wants_stop; /* a trigger does */
	struct host_names *names;
	struct overhead *overhead;
	struct address_notes *addresses;
	struct code_notes *code;
	struct ring_buffer *doorbell; /* and what the sampler tells of processes */
	uint64_t *pids; /* the map filter_pids, or our own without programs; NULL unless by_pid */
	struct poll_record poll_record; /* tcp.poll, where it is us who ask */
	const struct measurement *poll;
	uint64_t poll_round; /* the last one */
	uint64_t poll_missed; /* and those incomplete */
	unsigned int poll_forbidden; /* network namespaces in the last one */
	uint64_t misses[LOADER_PROGRAMS_MAX]; /* told so far, by program */
	struct buffer metadata; /* as it is in the file */
	bool *described; /* the classes in it, by class.index */
	bool *noted; /* which measurements are on, as the trace says */
	uint64_t lost_recursion;
	uint32_t cpus;
	uint32_t sub_shift;
	uint32_t sub_count;
	uint8_t uuid[16];
	bool attached;
	int err; /* first error of writing */
};

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
		.start_ns = clock_monotonic_ns(),
	};

	if (config.control_fd < 0)
		return 0; /* no program was loaded that would need them */
	memcpy(config.uuid, rec->uuid, sizeof(config.uuid));
	return ring_open(&config, &rec->ring);
}

static void keep_error(struct recording *rec, int err)
{
	if (err && !rec->err)
		rec->err = err;
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

/* Once it is loaded. */
static int listen_to_sampler(struct recording *rec)
{
	int news = loader_map(rec->loader, "sample_news");

	if (code_notes_listens(rec->code) || news < 0)
		return 0;
	return code_notes_listen(rec->code, rec->doorbell, news);
}

/* Whether tcp.poll is what the kernel answers to us, as there may be no program. */
static bool poll_asks(const struct recording *rec)
{
	const struct hook *hook = measurement_hook(rec->poll, rec->poll->hooks[0].part);

	return hook && !hook_is_program(hook);
}

/* As it is recorded here, and in which stream. */
static const struct event_class *class_of(const struct recording *rec, const struct measurement *m,
					  unsigned int *stream)
{
	bool asked = m == rec->poll && poll_asks(rec);

	*stream = asked ? STREAM_CLASS_RECORDER : STREAM_CLASS_KERNEL;
	return asked ? &rec->poll_record.class : &m->class;
}

/* Describes what runs; the notes, which programs write too, are in both kinds of stream. */
static void collect_classes(struct recording *rec, const struct event_class **all, size_t *count,
			    const struct event_class **notes, size_t *note_count)
{
	const struct catalogue *cat = rec->config.catalogue;
	unsigned int stream;

	for (size_t i = 0; i < cat->count; i++) {
		const struct measurement *m = &cat->items[i];
		const struct event_class *class = class_of(rec, m, &stream);

		if (measurement_internal(m))
			notes[(*note_count)++] = class;
		rec->described[i] = measurement_internal(m) ||
				    (measurement_usable(m) && rec->config.wanted[i]);
		if (rec->described[i] && stream == STREAM_CLASS_RECORDER)
			notes[(*note_count)++] = class;
		else if (rec->described[i])
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
		.compress = rec->config.compress,
		.level = rec->config.level,
		.queue_bytes = ring_bytes > QUEUE_LEAST_BYTES ? ring_bytes : QUEUE_LEAST_BYTES,
		.patient = rec->config.overwrite,
	};

	return writer_create(rec->config.path, &config, &rec->writer, diag);
}

static int create_trace(struct recording *rec, struct diag *diag)
{
	size_t items = rec->config.catalogue->room;
	const struct event_class **classes = calloc(2 * items, sizeof(*classes));
	struct metadata_spec spec = {.wall_offset_ns = clock_wall_offset_ns()};
	struct host host;
	int err = -ENOMEM;

	rec->described = calloc(items, sizeof(*rec->described));
	rec->noted = calloc(items, sizeof(*rec->noted));
	if (!classes || !rec->described || !rec->noted)
		goto out;
	host_init(&host);
	host_add(&host, "sonde_mode", rec->config.overwrite ? "overwrite" : "discard", 0);
	host_add(&host, "sonde_filtered", NULL, rec->config.filter->tasks);
	host_add(&host, "sonde_sample_hz", NULL, rec->config.sample_hz);
	memcpy(spec.uuid, rec->uuid, sizeof(spec.uuid));
	spec.clock_uuid = *host.boot_id ? host.boot_id : NULL;
	spec.env = host.env;
	spec.env_count = host.env_count;
	spec.classes = classes;
	spec.notes = classes + items;
	collect_classes(rec, classes, &spec.class_count, classes + items, &spec.note_count);
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
	err = open_writer(rec, diag);

out:
	free(classes);
	return err;
}

/* What the metadata says, as it is. */
static int describe_watch(struct recording *rec, struct diag *diag)
{
	if (!rec->watch)
		return 0;
	return watch_describe(rec->watch, rec->metadata.data, rec->metadata.len, diag);
}

static int open_watch(struct recording *rec, struct diag *diag)
{
	if (!rec->config.triggers || !triggers_count(rec->config.triggers))
		return 0;
	rec->watch = watch_new(rec->ring, &triggers_watch_ops, rec->config.triggers);
	if (!rec->watch)
		return diag_set(diag, -ENOMEM, "no memory");
	return describe_watch(rec, diag);
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
		.sample_hz = rec->config.sample_hz,
		.packet_key = make_key(),
		.filter = rec->config.filter,
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
	rec->sub_shift = choose_sub_shift(buffer);
	rec->sub_count = choose_sub_count(buffer, rec->sub_shift);
	make_uuid(rec->uuid);
	if (!config->detail)
		catalogue_leave_out_detail(config->catalogue);
	rec->notes = notes_new(rec->uuid);
	rec->names = rec->notes ? host_names_new(rec->notes) : NULL;
	rec->addresses = address_notes_new(rec->notes);
	rec->code = code_notes_new(rec->notes);
	err = rec->names && rec->addresses && rec->code ? open_loader(rec, diag) : -ENOMEM;
	if (err)
		goto fail;
	err = open_ring(rec) ?: open_doorbell(rec) ?: listen_to_sampler(rec) ?: map_pids(rec);
	if (err) {
		diag_set(diag, err, "the rings cannot be mapped: %s", strerror(-err));
		goto fail;
	}
	err = overhead_open(config->catalogue, rec->loader, rec->cpus, config->budget, &rec->overhead, diag) ?:
		      create_trace(rec, diag) ?:
						open_watch(rec, diag);
	if (err)
		goto fail;
	*ret = rec;
	return 0;

fail:
	recording_close(rec);
	return err;
}

static void write_notes(struct recording *rec)
{
	size_t len;
	uint64_t lost = rec->lost_recursion + rec->poll_missed;
	const void *packet = notes_packet(rec->notes, lost, &len);

	if (packet && rec->watch)
		watch_packet(rec->watch, packet, len);
	if (packet)
		keep_error(rec, writer_packet(rec->writer, packet, len, false));
}

/* Every measurement that is not as the trace says: it is since @time_ns. */
static void note_states(struct recording *rec, uint64_t time_ns, enum state_reason reason)
{
	const struct catalogue *cat = rec->config.catalogue;

	for (size_t i = 0; i < cat->count; i++) {
		bool on = recording_is_on(rec, i);

		if (on == rec->noted[i])
			continue;
		keep_error(rec,
			   notes_add_state(rec->notes, time_ns, cat->items[i].name, on, reason));
		rec->noted[i] = on;
	}
	write_notes(rec);
}

int recording_start(struct recording *rec, struct diag *diag)
{
	int err = host_names_add_all(rec->names) ?: notes_add_tasks(rec->notes, rec->pids);
	uint64_t now_ns;

	if (err)
		return diag_set(diag, err, "/proc: %s", strerror(-err));
	write_notes(rec);
	rec->attached = true;
	now_ns = clock_monotonic_ns();
	err = loader_attach(rec->loader, diag);
	if (err)
		return err;
	note_states(rec, now_ns, STATE_START);
	overhead_start(rec->overhead);
	return 0;
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

/* After an error of writing: what still comes is counted as refused, packet by packet. */
static int refuse_packet(void *writer, const void *packet, size_t len, bool late)
{
	(void)writer_packet(writer, packet, len, late);
	return 0;
}

static int write_packet(void *ctx, const void *packet, size_t len, bool late)
{
	struct recording *rec = ctx;

	address_notes_packet(rec->addresses, packet, len);
	return writer_packet(rec->writer, packet, len, late);
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
	if (rec->err)
		(void)ring_drain(rec->ring, flush_ns, refuse_packet, rec->writer);
	else
		keep_error(rec, ring_drain(rec->ring, flush_ns, write_packet, rec));
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

/* What a program missed since the last look, as a note at this point of the trace. */
static void note_losses(struct recording *rec)
{
	const char *name, *section;
	uint64_t misses;

	for (size_t i = 0; loader_program(rec->loader, i, &name, &section, &misses); i++) {
		if (misses <= rec->misses[i])
			continue;
		keep_error(rec, notes_add_loss(rec->notes, name, misses - rec->misses[i]));
		rec->lost_recursion += misses - rec->misses[i];
		rec->misses[i] = misses;
	}
	write_notes(rec);
}

int recording_tick(struct recording *rec)
{
	loader_tick(rec->loader);
	answer_bell(rec);
	loader_follow(rec->loader, true);
	if (!rec->config.overwrite)
		drain(rec, clock_monotonic_ns() - RECORDING_TICK_NS);
	keep_error(rec, host_names_add_new(rec->names));
	keep_error(rec, code_notes_error(rec->code));
	keep_error(rec, address_notes_tick(rec->addresses));
	note_losses(rec);
	return rec->err;
}

int recording_snapshot(struct recording *rec)
{
	note_losses(rec);
	drain(rec, RING_FLUSH_ALL);
	keep_error(rec, writer_flush(rec->writer));
	return rec->err;
}

/* The note stands where the event does. */
static void note_trigger(struct recording *rec, const struct trigger_event *fired)
{
	int64_t event_ns = fired->time_ns - watch_clock_offset(rec->watch);

	keep_error(rec, notes_add_trigger(rec->notes, event_ns > 0 ? (uint64_t)event_ns : 0,
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
	write_notes(rec);
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
	struct writer_totals written;

	if (rec->ring)
		ring_totals(rec->ring, &rings);
	writer_totals(rec->writer, &written);
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
		.unseen = rec->watch ? watch_unseen(rec->watch) : 0,
		.poll_forbidden = rec->poll_forbidden,
		.net_refused = loader_netns_refused(rec->loader),
		.refused_bytes = written.refused,
		.fill_percent = rings.fill_percent,
	};
}

uint64_t recording_totals_lost(const struct recording_totals *totals)
{
	return totals->lost_full + totals->lost_nested + totals->lost_recursion +
	       totals->poll_missed;
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
	usleep(QUIET_US);
	for (int i = 0; i < QUIET_TRIES && !ring_is_quiet(rec->ring); i++)
		usleep(QUIET_TRY_US);
}

/* Metadata grows at its end, and is there before the first event that needs it. */
static int describe(struct recording *rec, const bool *which)
{
	const struct catalogue *cat = rec->config.catalogue;
	size_t old_len = rec->metadata.len;
	unsigned int stream;
	int err = 0;

	for (size_t i = 0; !err && i < cat->count; i++) {
		const struct event_class *class = class_of(rec, &cat->items[i], &stream);

		if (which[i] && !rec->described[i] && measurement_usable(&cat->items[i]))
			err = metadata_write_event(&rec->metadata, class, stream);
	}
	if (rec->metadata.len == old_len)
		return err;
	err = err ?: buffer_error(&rec->metadata);
	err = err ?: address_notes_describe(rec->addresses, rec->metadata.data, rec->metadata.len);
	err = err ?: writer_metadata(rec->writer, rec->metadata.data, rec->metadata.len);
	if (err) {
		rec->metadata.len = old_len;
		return err;
	}
	for (size_t i = 0; i < cat->count; i++)
		rec->described[i] |= which[i] && measurement_usable(&cat->items[i]);
	return describe_watch(rec, NULL);
}

/* What a thread does while we drain the rings. */
struct job {
	int (*work)(void *ctx);
	void *ctx;
	int err;
};

static void *do_job(void *arg)
{
	struct job *job = arg;

	job->err = job->work(job->ctx);
	return NULL;
}

static bool join_soon(pthread_t thread)
{
	uint64_t end_ns = clock_monotonic_ns() + JOB_PUMP_NS;
	struct timespec end = {(time_t)(end_ns / NS_PER_SEC), (long)(end_ns % NS_PER_SEC)};

	return !pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &end);
}

/* In a thread, for what takes longer than a ring lasts at full rate. */
static int work_while_draining(struct recording *rec, int (*work)(void *ctx), void *ctx)
{
	struct job job = {.work = work, .ctx = ctx};
	pthread_t thread;
	int err;

	err = -pthread_create(&thread, NULL, do_job, &job);
	if (err)
		return err;
	while (!join_soon(thread))
		(void)recording_pump(rec); /* its error is kept */
	return job.err;
}

static int load(void *ctx)
{
	return loader_load(ctx);
}

static void switch_on(struct recording *rec, const bool *which, enum state_reason reason)
{
	uint64_t now_ns = clock_monotonic_ns();

	loader_switch(rec->loader, which, true);
	note_states(rec, now_ns, reason);
	overhead_restart(rec->overhead);
}

static void switch_off(struct recording *rec, const bool *which, enum state_reason reason)
{
	loader_switch(rec->loader, which, false);
	/* A record in the making has its time already; a program that has only begun, not yet. */
	usleep(QUIET_US);
	note_states(rec, clock_monotonic_ns(), reason);
	overhead_restart(rec->overhead);
}

int recording_enable(struct recording *rec, const bool *which)
{
	int err = loader_want(rec->loader, which);

	overhead_restart(rec->overhead); /* others' programs should not be timed while it loads */
	if (!err && !loader_is_loaded(rec->loader))
		err = work_while_draining(rec, load, rec->loader) ?: rec->err;
	err = err ?: listen_to_sampler(rec) ?: describe(rec, which);
	if (err)
		return err;
	overhead_release(rec->overhead, which);
	switch_on(rec, which, STATE_ENABLED);
	return rec->err;
}

int recording_disable(struct recording *rec, const bool *which)
{
	overhead_release(rec->overhead, which);
	switch_off(rec, which, STATE_DISABLED);
	return rec->err;
}

struct poll_by_program {
	const struct recording *rec;
	struct tcp_poll_result result;
};

static int run_poll(void *ctx)
{
	struct poll_by_program *poll = ctx;

	return tcp_poll_run(poll->rec->loader, poll->rec->config.filter, &poll->result);
}

static int poll_by_program(struct recording *rec, struct tcp_poll_result *result)
{
	struct poll_by_program poll = {.rec = rec};
	int fd = loader_map(rec->loader, "poll_round");
	uint32_t key = 0;
	int err;

	err = bpf_map_update_elem(fd, &key, &rec->poll_round, BPF_ANY);
	err = err ?: work_while_draining(rec, run_poll, &poll);
	*result = poll.result;
	return err;
}

static void flush_poll(void *ctx)
{
	struct recording *rec = ctx;

	write_notes(rec);
	(void)recording_pump(rec); /* its error is kept */
}

static int poll_by_asking(struct recording *rec, struct tcp_poll_result *result)
{
	const struct tcp_poll_question question = {
		.filter = rec->config.filter,
		.pids = rec->pids,
		.find_children = rec->config.filter->follow && !rec->ring,
		.record = &rec->poll_record,
		.notes = rec->notes,
		.flush = flush_poll,
		.ctx = rec,
	};

	return tcp_poll_ask(&question, rec->poll_round, result);
}

/* Rounds that were not made, or not for all: a note at this point of the trace. */
static void note_missed(struct recording *rec, uint64_t missed)
{
	if (missed)
		keep_error(rec, notes_add_loss(rec->notes, rec->poll->name, missed));
	rec->poll_missed += missed;
	write_notes(rec);
}

int recording_poll(struct recording *rec, uint64_t periods)
{
	struct tcp_poll_result result = {0};
	int err;

	rec->poll_round += periods;
	if (!recording_is_on(rec, rec->poll->class.index))
		return rec->err;
	err = poll_asks(rec) ? poll_by_asking(rec, &result) : poll_by_program(rec, &result);
	rec->poll_forbidden = result.forbidden;
	note_missed(rec, periods - 1 + result.failed + !!err);
	return rec->err;
}

int recording_meter_fd(const struct recording *rec)
{
	return overhead_fd(rec->overhead);
}

int recording_measure(struct recording *rec)
{
	enum budget_verdict verdict;
	const bool *which;

	keep_error(rec, overhead_pump(rec->overhead, rec->notes, &verdict, &which));
	if (verdict == BUDGET_OFF)
		switch_off(rec, which, STATE_BUDGET);
	if (verdict == BUDGET_ON)
		switch_on(rec, which, STATE_BUDGET);
	write_notes(rec);
	return rec->err;
}

struct cost *recording_cost(const struct recording *rec)
{
	return overhead_cost(rec->overhead);
}

const struct budget *recording_budget(const struct recording *rec)
{
	return overhead_budget(rec->overhead);
}

int recording_stop(struct recording *rec)
{
	if (!rec->attached)
		return rec->err;
	keep_error(rec, overhead_finish(rec->overhead, rec->notes));
	rec->attached = false;
	loader_detach(rec->loader);
	wait_for_quiet(rec);
	note_states(rec, clock_monotonic_ns(), STATE_STOP);
	if (rec->watch) {
		watch_look(rec->watch, UINT64_MAX);
		act(rec);
	}
	answer_bell(rec);
	drain(rec, RING_FLUSH_ALL);
	keep_error(rec, address_notes_finish(rec->addresses));
	note_losses(rec);
	keep_error(rec, writer_flush(rec->writer));
	return rec->err;
}

void recording_close(struct recording *rec)
{
	if (!rec)
		return;
	if (rec->writer)
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
	notes_free(rec->notes);
	buffer_fini(&rec->metadata);
	free(rec->described);
	free(rec->noted);
	free(rec);
}
