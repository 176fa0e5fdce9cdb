/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * magnet_fixture: classes as our net group has them, and MAGNeT files that are in memory.
 */
#ifndef SONDE_TESTS_MAGNET_FIXTURE_H
#define SONDE_TESTS_MAGNET_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/file_window.h"
#include "base/io.h"
#include "record_format/magnet/magnet_record.h"
#include "record_format/magnet/magnet_source.h"
#include "schema/class_table.h"
#include "schema/lost.h"
#include "schema/source.h"

#define FIXTURE_LAYOUTS 8u

static const char *const layout_names[FIXTURE_LAYOUTS] = {
	"le32", "le64", "be32", "be64", "le32+data", "le64+data", "be32+data", "be64+data"};

static inline struct magnet_layout layout_at(unsigned int i)
{
	struct magnet_layout layout;

	assert_int_equal(magnet_layout_parse(layout_names[i], &layout), 0);
	return layout;
}

/* A source of the @len bytes, which is closed by its ops. */
static inline int open_bytes(const void *bytes, size_t len, struct event_source **ret)
{
	struct diag diag = {0};
	struct file_window *file;
	char name[32];
	int fd = memfd_create("magnet", 0);

	assert_true(fd >= 0);
	assert_int_equal(write_all(fd, bytes, len), 0);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	assert_int_equal(file_window_open(name, &file), 0);
	close(fd);
	return magnet_open(file, "file", ret, &diag);
}

/* Number of events of the source, up to its end; NULL or the name of the last. */
static inline size_t read_all(struct event_source *source, struct event *last)
{
	const struct event *events;
	size_t count = 0;
	int got;

	while ((got = source->ops->next(source, &events)) > 0) {
		count += (size_t)got;
		*last = events[got - 1];
	}
	assert_int_equal(got, 0);
	return count;
}

#endif /* SONDE_TESTS_MAGNET_FIXTURE_H */
