// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/magnet/magnet_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/io.h"
#include "record_format/magnet/magnet_pack.h"
#include "record_format/magnet/magnet_record.h"
#include "schema/lost.h"
#include "schema/source.h"
#include "schema/trace_info.h"

bool magnet_fill_can(const struct magnet_file *file)
{
	return magnet_file_records(file) + 1 < magnet_file_room(file);
}

int magnet_fill_init(struct magnet_fill *fill, struct magnet_file *file,
		     struct event_source *source)
{
	*fill = (struct magnet_fill){.file = file, .source = source};
	return magnet_packer_init(&fill->packer, source->info, magnet_file_layout(file));
}

void magnet_fill_fini(struct magnet_fill *fill)
{
	magnet_packer_fini(&fill->packer);
}

static void begin(struct magnet_fill *fill, int64_t first_ns)
{
	uint8_t record[MAGNET_RECORD_MAX_BYTES];

	magnet_pack_sysinfo(&fill->packer, first_ns, record);
	(void)magnet_file_begin(fill->file, record);
}

static uint64_t losses_of(const struct event *event)
{
	struct lost_payload lost;

	if (event->class->role != EVENT_ROLE_LOST)
		return 0;
	memcpy(&lost, event->payload, sizeof(lost));
	return lost.count;
}

/* @events: the number that it stands for. */
static void turn_away(struct magnet_fill *fill, uint64_t events)
{
	fill->full = true;
	fill->turned_away += events;
}

static void add(struct magnet_fill *fill, const struct event *event)
{
	uint8_t record[MAGNET_RECORD_MAX_BYTES];
	bool is_loss = event->class->role == EVENT_ROLE_LOST;
	uint64_t left = 0;

	fill->lost += losses_of(event);
	fill->last_ns = event->time_ns;
	if (!fill->packer.has_clock && magnet_fill_can(fill->file))
		begin(fill, event->time_ns);
	do {
		uint64_t told = !is_loss ? 1 : left ?: losses_of(event);

		if (magnet_fill_can(fill->file) &&
		    !magnet_pack(&fill->packer, event, record, &left))
			return;
		if (!magnet_fill_can(fill->file) || magnet_file_add(fill->file, record)) {
			turn_away(fill, told);
			fill->lost += !is_loss;
			return;
		}
		fill->added++;
	} while (left);
}

int magnet_fill_step(struct magnet_fill *fill)
{
	const struct event *events;
	int got = fill->full ? 0 : fill->source->ops->next(fill->source, &events);

	if (got == -EAGAIN)
		return 1;
	if (got <= 0)
		return got;
	if (!magnet_file_is_whole(fill->file))
		return -ESTALE;
	for (int i = 0; i < got; i++) {
		if (magnet_packer_takes(&fill->packer, events[i].class))
			add(fill, &events[i]);
	}
	return !fill->full;
}

void magnet_fill_finish(struct magnet_fill *fill)
{
	uint8_t record[MAGNET_RECORD_MAX_BYTES];
	uint64_t count = fill->turned_away;

	if (!count)
		return;
	magnet_pack_lost(&fill->packer, fill->last_ns,
			 count < INT32_MAX ? (int32_t)count : INT32_MAX, record);
	(void)magnet_file_add(fill->file, record);
}

#define TIMESTAMP_BYTES 8u

struct magnet_file {
	int fd;
	uint8_t *map; /* NULL = none */
	size_t size;
	struct magnet_layout layout;
	size_t record_bytes;
	uint64_t room;
	uint64_t next; /* slot */
};

static int write_first(int fd, const struct magnet_layout *layout, int64_t now_ns)
{
	static const struct trace_info nothing;
	uint8_t record[MAGNET_RECORD_MAX_BYTES];
	struct magnet_packer packer;
	int err = magnet_packer_init(&packer, &nothing, layout);

	if (err)
		return err;
	magnet_pack_sysinfo(&packer, now_ns, record);
	magnet_packer_fini(&packer);
	return write_all(fd, record, magnet_record_bytes(layout));
}

static int check_records(const char *name, uint64_t records, size_t record_bytes, struct diag *diag)
{
	if (records < MAGNET_FILE_MIN_RECORDS)
		return diag_set(diag, -EINVAL, "%s: room for %u records is the least", name,
				MAGNET_FILE_MIN_RECORDS);
	if (records > MAGNET_FILE_MAX_BYTES / record_bytes)
		return diag_set(diag, -E2BIG, "%s: more than 1 TiB", name);
	return 0;
}

int magnet_file_create(const char *name, const struct magnet_layout *layout, uint64_t records,
		       bool force, int64_t now_ns, struct diag *diag)
{
	size_t record_bytes = magnet_record_bytes(layout);
	int err = check_records(name, records, record_bytes, diag), fd;

	if (err)
		return err;
	/* A file that another process fills is replaced by a new one; the process keeps its own. */
	if (force && unlink(name) && errno != ENOENT)
		return diag_set(diag, -errno, "%s: cannot be replaced: %s", name, strerror(errno));
	fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return diag_set(diag, -errno, "%s: cannot be made: %s%s", name, strerror(errno),
				errno == EEXIST ? ": replace it with -f" : "");
	err = -posix_fallocate(fd, 0, (off_t)(records * record_bytes));
	err = err ?: write_first(fd, layout, now_ns);
	err = fd_close(fd) ?: err;
	if (!err)
		return 0;
	(void)unlink(name);
	return diag_set(diag, err, "%s: %s", name, strerror(-err));
}

static int map_file(struct magnet_file *file, const char *name, struct diag *diag)
{
	struct stat st;
	void *map;
	int err;

	file->fd = open(name, O_RDWR | O_CLOEXEC);
	if (file->fd < 0)
		return diag_set(diag, -errno, "%s: %s%s", name, strerror(errno),
				errno == ENOENT ? ": mkmagnet makes it" : "");
	if (fstat(file->fd, &st))
		return diag_set(diag, -errno, "%s: %s", name, strerror(errno));
	if (!S_ISREG(st.st_mode) || !st.st_size || (uint64_t)st.st_size > MAGNET_FILE_MAX_BYTES)
		return diag_set(diag, -EBADMSG, "%s: no MAGNeT file that can be filled", name);
	if (flock(file->fd, LOCK_EX | LOCK_NB))
		return diag_set(diag, -EBUSY, "%s: another magnet-read fills it", name);
	err = -posix_fallocate(file->fd, 0, st.st_size);
	if (err)
		return diag_set(diag, err, "%s: %s", name, strerror(-err));
	map = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd, 0);
	if (map == MAP_FAILED)
		return diag_set(diag, -errno, "%s: it cannot be mapped: %s", name, strerror(errno));
	file->map = map;
	file->size = (size_t)st.st_size;
	return 0;
}

static bool is_empty(const struct magnet_file *file, uint64_t slot)
{
	const uint8_t *bytes = file->map + slot * file->record_bytes;

	return !bytes[0] && !memcmp(bytes, bytes + 1, file->record_bytes - 1);
}

/* Files are filled from the front, so halving finds the end; to look at every slot would bring all of the
 * file into memory. Where that is wrong, as after a crash of the machine, take_slot sees. */
static void find_next(struct magnet_file *file)
{
	uint64_t low = 1, high = file->room;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (is_empty(file, middle))
			high = middle;
		else
			low = middle + 1;
	}
	file->next = low;
}

static int look(struct magnet_file *file, const char *name, struct diag *diag)
{
	size_t head = file->size < MAGNET_DETECT_BYTES ? file->size : MAGNET_DETECT_BYTES;
	int err = magnet_detect_layout(file->map, head, file->size, &file->layout);

	if (err)
		return diag_set(diag, err, "%s: does not begin with MAGNET_SYSINFO: no MAGNeT file",
				name);
	file->record_bytes = magnet_record_bytes(&file->layout);
	file->room = file->size / file->record_bytes;
	if (file->room < MAGNET_FILE_MIN_RECORDS)
		return diag_set(diag, -EBADMSG, "%s: has no room for records", name);
	find_next(file);
	return 0;
}

int magnet_file_open(const char *name, struct magnet_file **ret, struct diag *diag)
{
	struct magnet_file *file = calloc(1, sizeof(*file));
	int err;

	if (!file)
		return diag_set(diag, -ENOMEM, "no memory");
	file->fd = -1;
	err = map_file(file, name, diag) ?: look(file, name, diag);
	if (err)
		(void)magnet_file_close(file);
	else
		*ret = file;
	return err;
}

const struct magnet_layout *magnet_file_layout(const struct magnet_file *file)
{
	return &file->layout;
}

uint64_t magnet_file_records(const struct magnet_file *file)
{
	return file->next;
}

uint64_t magnet_file_room(const struct magnet_file *file)
{
	return file->room;
}

static void put(struct magnet_file *file, uint64_t slot, const uint8_t *record)
{
	size_t at = file->layout.wide ? MAGNET_AT_TIMESTAMP_64 : MAGNET_AT_TIMESTAMP_32;
	uint8_t *to = file->map + slot * file->record_bytes;

	memcpy(to, record, at);
	memcpy(to + at + TIMESTAMP_BYTES, record + at + TIMESTAMP_BYTES,
	       file->record_bytes - at - TIMESTAMP_BYTES);
	/* Neither compiler nor CPU may let it go first. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	memcpy(to + at, record + at, TIMESTAMP_BYTES);
}

int magnet_file_begin(struct magnet_file *file, const uint8_t *record)
{
	if (file->next > 1)
		return magnet_file_add(file, record);
	put(file, 0, record);
	return 0;
}

/* Nothing that is there is ever written over. */
static bool take_slot(struct magnet_file *file, uint64_t *ret)
{
	while (file->next < file->room && !is_empty(file, file->next))
		file->next++;
	*ret = file->next;
	return file->next < file->room;
}

int magnet_file_add(struct magnet_file *file, const uint8_t *record)
{
	uint64_t slot;

	if (!take_slot(file, &slot))
		return -ENOSPC;
	put(file, slot, record);
	file->next++;
	return 0;
}

bool magnet_file_is_whole(const struct magnet_file *file)
{
	struct stat st;

	return !fstat(file->fd, &st) && st.st_size >= 0 && (uint64_t)st.st_size >= file->size;
}

int magnet_file_close(struct magnet_file *file)
{
	int err = 0, close_err;

	if (!file)
		return 0;
	if (file->map && msync(file->map, file->size, MS_SYNC))
		err = -errno;
	if (file->map)
		(void)munmap(file->map, file->size);
	close_err = fd_close(file->fd);
	free(file);
	return err ?: close_err;
}
