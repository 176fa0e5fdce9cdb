// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_library: any bytes as a trace, read through the library: metadata up to the first NUL, and a
 * stream behind it. Of each event every field is asked for everything, and a copy has to tell the same.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sonde/sonde.h>

#include "base/io.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define EVENTS_MAX 5000u /* of one input: metadata may make events of a few bits */
#define ELEMENTS_MAX 4u /* of an array: what is between lies between */

/* Of one input: libFuzzer ends without a word, and should leave nothing behind. */
struct trace_dir {
	char name[256];
	int fd;
};

static void make_dir(struct trace_dir *dir)
{
	*dir = (struct trace_dir){.fd = -1};
	snprintf(dir->name, sizeof(dir->name), "%s/sonde-fuzz-XXXXXX", getenv("TMPDIR") ?: "/tmp");
	if (!mkdtemp(dir->name))
		abort();
	dir->fd = open(dir->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir->fd < 0)
		abort();
}

static void remove_dir(const struct trace_dir *dir)
{
	(void)unlinkat(dir->fd, "metadata", 0);
	(void)unlinkat(dir->fd, "stream", 0);
	(void)rmdir(dir->name);
	(void)fd_close(dir->fd);
}

static void put_file(const struct trace_dir *dir, const char *name, const void *bytes, size_t len)
{
	int fd = openat(dir->fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write_all(fd, bytes, len) || fd_close(fd))
		abort();
}

static uint64_t add(uint64_t sum, const void *bytes, size_t len)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < len; i++)
		sum = (sum ^ p[i]) * 0x100000001b3ull;
	return sum;
}

static uint64_t add_text(uint64_t sum, const char *text)
{
	return text ? add(sum, text, strlen(text) + 1) : sum + 1;
}

/* All that there is to know of element @i. */
static uint64_t add_element(uint64_t sum, const struct sonde_event *event,
			    const struct sonde_field *field, size_t i)
{
	uint64_t whole = sonde_value_uint_at(event, field, i);
	int64_t number = sonde_value_int_at(event, field, i);
	double real = sonde_value_double_at(event, field, i);

	sum = add(sum, &whole, sizeof(whole));
	sum = add(sum, &number, sizeof(number));
	sum = add(sum, &real, sizeof(real));
	return add_text(sum, sonde_value_label_at(event, field, i));
}

static uint64_t look_at(const struct sonde_event *event);

/* Items without fields have nothing to look at, and there may be millions. */
static uint64_t add_items(uint64_t sum, const struct sonde_event *event,
			  const struct sonde_field *list)
{
	size_t count = sonde_value_count(event, list);
	struct sonde_item room;

	if (!sonde_class_field_count(sonde_field_items(list)))
		return sum;
	for (size_t i = 0; i < count; i++) {
		uint64_t item = look_at(sonde_value_item(event, list, i, &room));

		sum = add(sum, &item, sizeof(item));
	}
	return sum;
}

static uint64_t add_field(uint64_t sum, const struct sonde_event *event,
			  const struct sonde_field *field)
{
	size_t count = sonde_value_count(event, field), len = 0;
	const char *bytes;

	sum = add(sum, &count, sizeof(count));
	for (size_t i = 0; i < count && i < ELEMENTS_MAX; i++)
		sum = add_element(sum, event, field, i);
	if (count)
		sum = add_element(sum, event, field, count - 1);
	bytes = sonde_value_text(event, field, &len);
	sum = add(sum, bytes, len);
	bytes = sonde_value_bytes(event, field, &len);
	sum = add(sum, bytes, len);
	return sonde_field_items(field) ? add_items(sum, event, field) : sum;
}

static uint64_t look_at(const struct sonde_event *event)
{
	const struct sonde_class *of = sonde_event_class(event);
	int64_t time_ns = sonde_event_time_ns(event);
	uint64_t sum = add(1, &time_ns, sizeof(time_ns));

	sum = add_text(sum, sonde_event_name(event));
	sum = add_text(sum, sonde_event_comm(event));
	sum = add_text(sum, sonde_event_cgroup(event));
	sum += (uint64_t)sonde_event_cpu(event) * 3 + (uint64_t)sonde_event_tid(event) * 5 +
	       sonde_event_is_lost(event);
	for (size_t i = 0; i < sonde_class_field_count(of); i++)
		sum = add_field(sum, event, sonde_class_field_get(of, i));
	return sum;
}

/* What is asked of @event by handles of another class is nothing. */
static void look_past(const struct sonde_event *event, const struct sonde_class *other)
{
	if (other == sonde_event_class(event))
		return;
	for (size_t i = 0; i < sonde_class_field_count(other); i++) {
		const struct sonde_field *field = sonde_class_field_get(other, i);

		if (sonde_value_is_present(event, field) || sonde_value_count(event, field) ||
		    sonde_value_uint(event, field) || sonde_value_label(event, field))
			abort();
	}
}

static void read_events(struct sonde_source *source)
{
	size_t classes = sonde_class_count(source);
	const struct sonde_event *event;
	struct sonde_event *copy;
	uint64_t sum;

	for (size_t i = 0; i < EVENTS_MAX && sonde_next(source, &event, NULL) > 0; i++) {
		sum = look_at(event);
		look_past(event, sonde_class_get(source, i % classes));
		copy = sonde_event_copy(event);
		if (copy && look_at(copy) != sum)
			abort();
		sonde_event_free(copy);
	}
}

static void describe(const struct sonde_class *of)
{
	int64_t first, last;
	size_t len = 0;

	for (size_t i = 0; i < sonde_class_field_count(of); i++) {
		const struct sonde_field *field = sonde_class_field_get(of, i);

		len += strlen(sonde_field_name(field)) + strlen(sonde_field_show(field)) +
		       sonde_field_bits(field) + (size_t)sonde_field_scope(field);
		for (size_t j = 0; j < sonde_field_label_count(field); j++)
			len += strlen(sonde_field_label_get(field, j, &first, &last));
	}
	if (!len && sonde_class_field_count(of) && !sonde_class_name(of))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = memchr(data, 0, size);
	size_t len = end ? (size_t)(end - data) : size;
	struct sonde_source *source;
	struct sonde_error error;
	struct trace_dir dir;
	const char *problem;

	make_dir(&dir);
	put_file(&dir, "metadata", data, len);
	put_file(&dir, "stream", data + len + (end != NULL), size - len - (end != NULL));
	if (sonde_open(dir.name, &source, &error)) {
		if (!*error.text)
			abort();
		remove_dir(&dir);
		return 0;
	}
	for (size_t i = 0; i < sonde_class_count(source); i++)
		describe(sonde_class_get(source, i));
	read_events(source);
	for (size_t i = 0; (problem = sonde_problem(source, i)); i++)
		if (!*problem)
			abort();
	sonde_close(source);
	remove_dir(&dir);
	return 0;
}
