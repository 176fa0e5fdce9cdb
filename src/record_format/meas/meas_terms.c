// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/meas/meas_terms.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "record_format/meas/meas_class.h"
#include "record_format/meas/meas_making.h"
#include "record_format/meas/meas_run.h"
#include "schema/class_table.h"
#include "schema/terms.h"
#include "schema/trace_info.h"

#define CALLS_MAX (1u << 18) /* tasks in a call */
#define DISK_BYTES 16u
#define DISK_SLOTS (DISK_BYTES / 8)
#define OP_READ 0u /* probe/disk.bpf.c */
#define OP_WRITE 1u

enum own { OWN_ENTER, OWN_EXIT, OWN_SAMPLE, OWN_QUEUE, OWN_ISSUE, OWN_COMPLETE, OWN_COUNT };

/* What a record is, beside those of the scheduler (meas_run). */
enum kind_does {
	DOES_START,
	DOES_EXIT,
	DOES_SAMPLE,
	DOES_QUEUE,
	DOES_ISSUE,
	DOES_COMPLETE,
	DOES_TRANSFER, /* either end of one, up to release 2.0 */
};

enum disc_field { DISC_SIZE, DISC_DEVICE, DISC_BLOCK, DISC_CYLINDER, DISC_READ, DISC_REQUEST };

#define DISC_FIELDS                                                      \
	{                                                                \
		"size", "device", "block", "cylinder", "read", "request" \
	}
#define DISC(name, does)                  \
	{                                 \
		{name, DISC_FIELDS}, does \
	}

static const struct {
	struct meas_kind kind;
	enum kind_does does;
} table[] = {
	{{"meas.syscallstart", {"pid", "syscall_num", "?compat"}}, DOES_START},
	{{"meas.syscallexit", {"pid", "val1", "?syscall_num", "?compat"}}, DOES_EXIT},
	{{"meas.sampler", {"pid", "pc", "state", "?missed"}}, DOES_SAMPLE},
	DISC("meas.disc_io_queue", DOES_QUEUE),
	DISC("meas.disc2_io_queue", DOES_QUEUE),
	DISC("meas.disc_io_issue", DOES_ISSUE),
	DISC("meas.disc2_io_issue", DOES_ISSUE),
	DISC("meas.disc_io_complete", DOES_COMPLETE),
	DISC("meas.disc2_io_complete", DOES_COMPLETE),
	DISC("meas.disc_io_id", DOES_TRANSFER),
	DISC("meas.disc2_io_id", DOES_TRANSFER),
	DISC("meas.disc_ctd_id", DOES_TRANSFER),
};

#define KIND_COUNT (sizeof(table) / sizeof(table[0]))

/* Slots of the payloads. */
enum { CALL_NR, CALL_COMPAT, CALL_RET, CALL_SLOTS };
enum { SAMPLE_PC, SAMPLE_PID, SAMPLE_STATE, SAMPLE_MISSED, SAMPLE_SLOTS };
enum {
	IO_REQUEST,
	IO_BYTES,
	IO_OP,
	IO_LEFT,
	IO_STATUS,
	IO_DISK,
	IO_SLOTS = IO_DISK + DISK_SLOTS,
};

static const struct field call_fields[] = {
	TERMS_INT("nr", CALL_NR), TERMS_UINT("compat", CALL_COMPAT), TERMS_INT("ret", CALL_RET)};
static const struct field sample_fields[] = {TERMS_UINT("pc", SAMPLE_PC),
					     TERMS_INT("pid", SAMPLE_PID),
					     TERMS_UINT("state", SAMPLE_STATE),
					     TERMS_UINT("missed", SAMPLE_MISSED)};
static const struct field io_fields[] = {
	TERMS_UINT("request", IO_REQUEST),
	TERMS_UINT("bytes", IO_BYTES),
	TERMS_UINT("op", IO_OP),
	TERMS_UINT("left", IO_LEFT),
	TERMS_INT("status", IO_STATUS),
	{.name = "disk",
	 .kind = FIELD_TEXT,
	 .bits = 8,
	 .align_bits = 8,
	 .count = DISK_BYTES,
	 .offset_bits = 64 * IO_DISK},
};

#define CLASS(called, list, slots)                                                               \
	{                                                                                        \
		.name = called, .fields = list, .field_count = sizeof(list) / sizeof((list)[0]), \
		.payload_bytes = 8 * (slots)                                                     \
	}

static const struct class_plan plans[OWN_COUNT] = {
	[OWN_ENTER] = CLASS("sys.enter", call_fields, CALL_SLOTS),
	[OWN_EXIT] = CLASS("sys.exit", call_fields, CALL_SLOTS),
	[OWN_SAMPLE] = CLASS("cpu.sample", sample_fields, SAMPLE_SLOTS),
	[OWN_QUEUE] = CLASS("disk.queue", io_fields, IO_SLOTS),
	[OWN_ISSUE] = CLASS("disk.issue", io_fields, IO_SLOTS),
	[OWN_COMPLETE] = CLASS("disk.complete", io_fields, IO_SLOTS),
};

/* The call that a process is in. */
struct call {
	int64_t nr;
	uint64_t compat;
};

struct meas_terms {
	struct terms terms; /* first: the vtable's functions get this */
	struct meas_kind_class *classes; /* by event_class.index */
	size_t class_count; /* of the source: the added ones are not counted */
	bool wide;
	const struct event_class *own[OWN_COUNT];
	struct map calls; /* struct call, by pid */
	struct meas_run *run;
};

static uint64_t value(const struct event *event, const int *fields, size_t field)
{
	return meas_making_uint(event, fields[field]);
}

/* An own event of process @pid. */
static uint64_t *put(struct meas_terms *mt, struct terms_out *out, enum own own,
		     const struct event *event, int32_t pid)
{
	struct event like = *event;

	like.tid = pid;
	return terms_put(out, mt->own[own], plans[own].payload_bytes / 8, &like);
}

static void take_start(struct meas_terms *mt, const struct event *event, const int *fields,
		       struct terms_out *out)
{
	int32_t pid = (int32_t)value(event, fields, 0);
	struct call *call = map_at(&mt->calls, &pid);
	uint64_t *slots = put(mt, out, OWN_ENTER, event, pid);

	slots[CALL_NR] = value(event, fields, 1);
	slots[CALL_COMPAT] = value(event, fields, 2);
	if (call)
		*call = (struct call){(int64_t)slots[CALL_NR], slots[CALL_COMPAT]};
}

/* The wide part has the number of the call; else it is the one that began. */
static void take_exit(struct meas_terms *mt, const struct event *event, const int *fields,
		      struct terms_out *out)
{
	int32_t pid = (int32_t)value(event, fields, 0);
	const struct call *begun = map_get(&mt->calls, &pid);
	struct call call = begun ? *begun : (struct call){-1, 0};
	uint64_t *slots = put(mt, out, OWN_EXIT, event, pid);

	if (mt->wide)
		call = (struct call){(int64_t)value(event, fields, 2), value(event, fields, 3)};
	slots[CALL_NR] = (uint64_t)call.nr;
	slots[CALL_COMPAT] = call.compat;
	slots[CALL_RET] = value(event, fields, 1);
	map_remove(&mt->calls, &pid);
}

static void take_sample(struct meas_terms *mt, const struct event *event, const int *fields,
			struct terms_out *out)
{
	int32_t pid = (int32_t)value(event, fields, 0);
	uint64_t *slots = put(mt, out, OWN_SAMPLE, event, pid < 0 ? 0 : pid);

	slots[SAMPLE_PC] = value(event, fields, 1);
	slots[SAMPLE_PID] = pid < 0 ? 0 : (uint64_t)pid;
	slots[SAMPLE_STATE] = value(event, fields, 2);
	slots[SAMPLE_MISSED] = value(event, fields, 3);
}

/* Without the request's number the block stands for it: no two transfers of one are on their way. */
static void put_io(struct meas_terms *mt, enum own own, const struct event *event,
		   const int *fields, struct terms_out *out)
{
	uint64_t *slots = put(mt, out, own, event, event->tid);
	uint64_t device = value(event, fields, DISC_DEVICE);

	slots[IO_REQUEST] = value(event, fields, mt->wide ? DISC_REQUEST : DISC_BLOCK);
	slots[IO_BYTES] = value(event, fields, DISC_SIZE);
	slots[IO_OP] = value(event, fields, DISC_READ) ? OP_READ : OP_WRITE;
	(void)snprintf((char *)&slots[IO_DISK], DISK_BYTES, "c%ud%us%u",
		       (unsigned int)(device >> 8 & 0xff), (unsigned int)(device >> 5 & 7),
		       (unsigned int)(device & 0xf));
}

static void take(struct terms *terms, const struct event *event, struct terms_out *out)
{
	struct meas_terms *mt = (struct meas_terms *)terms;
	const struct meas_kind_class *class;

	meas_run_take(mt->run, event, out);
	if (!event || event->class->index >= mt->class_count)
		return;
	if (event->class->role == EVENT_ROLE_LOST) {
		map_fini(&mt->calls);
		map_init(&mt->calls, sizeof(int32_t), sizeof(struct call), CALLS_MAX);
	}
	class = &mt->classes[event->class->index];
	if (class->kind == MEAS_KIND_NONE)
		return;
	switch (table[class->kind].does) {
	case DOES_START:
		take_start(mt, event, class->fields, out);
		break;
	case DOES_EXIT:
		take_exit(mt, event, class->fields, out);
		break;
	case DOES_SAMPLE:
		take_sample(mt, event, class->fields, out);
		break;
	case DOES_QUEUE:
		put_io(mt, OWN_QUEUE, event, class->fields, out);
		break;
	case DOES_ISSUE:
		put_io(mt, OWN_ISSUE, event, class->fields, out);
		break;
	case DOES_COMPLETE:
		put_io(mt, OWN_COMPLETE, event, class->fields, out);
		break;
	case DOES_TRANSFER:
		put_io(mt, value(event, class->fields, DISC_CYLINDER) ? OWN_COMPLETE : OWN_ISSUE,
		       event, class->fields, out);
		break;
	}
}

static int classes(struct terms *terms, struct class_table *to)
{
	struct meas_terms *mt = (struct meas_terms *)terms;

	for (size_t i = 0; i < OWN_COUNT; i++) {
		mt->own[i] = class_table_add(to, &plans[i]);
		if (!mt->own[i])
			return -ENOMEM;
	}
	return meas_run_classes(mt->run, to);
}

static void free_terms(struct terms *terms)
{
	struct meas_terms *mt = (struct meas_terms *)terms;

	if (!mt)
		return;
	map_fini(&mt->calls);
	meas_run_free(mt->run);
	free(mt->classes);
	free(mt);
}

static const struct terms_ops meas_terms_ops = {classes, take, free_terms};

/* Records without a wide part have zeros there. */
static bool is_wide(const struct trace_info *info)
{
	const struct trace_env *env = trace_info_env(info, "meas_wide");

	return !env || env->text || env->number;
}

static bool has_any(const struct trace_info *info, const struct meas_terms *mt)
{
	for (size_t i = 0; i < info->class_count; i++) {
		if (mt->classes[i].kind != MEAS_KIND_NONE)
			return true;
	}
	return meas_run_has_any(mt->run);
}

int meas_terms_new(const struct trace_info *info, struct terms **ret)
{
	struct meas_terms *mt = calloc(1, sizeof(*mt));
	struct meas_kind kinds[KIND_COUNT];

	if (!mt)
		return -ENOMEM;
	for (size_t i = 0; i < KIND_COUNT; i++)
		kinds[i] = table[i].kind;
	map_init(&mt->calls, sizeof(int32_t), sizeof(struct call), CALLS_MAX);
	mt->terms.ops = &meas_terms_ops;
	mt->wide = is_wide(info);
	mt->class_count = info->class_count;
	mt->classes = meas_kinds_find(info, kinds, KIND_COUNT);
	mt->run = meas_run_new(info);
	if (!mt->classes || !mt->run || !has_any(info, mt)) {
		int err = mt->classes && mt->run ? 0 : -ENOMEM;

		free_terms(&mt->terms);
		return err;
	}
	*ret = &mt->terms;
	return 0;
}
