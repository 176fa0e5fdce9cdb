// SPDX-License-Identifier: BSD-2-Clause
#include "base/gate.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"

#define THREADS 4u
#define PARTS 40u
#define LINES 30u
#define LINE_BYTES 8u

struct writer {
	struct gate *gate;
	size_t first;
	pthread_t thread;
	int err;
};

/* Parts first, first + THREADS, ...; some writers are slower than the others. */
static void *write_parts(void *arg)
{
	struct writer *writer = arg;
	struct gate_part part = {.gate = writer->gate};

	for (size_t i = writer->first; i < PARTS && !writer->err; i += THREADS) {
		part.number = i;
		for (size_t k = 0; k < LINES && !writer->err; k++) {
			char line[LINE_BYTES + 1];

			(void)snprintf(line, sizeof(line), "%03zu %03zu\n", i, k);
			writer->err = gate_put(&part, line, LINE_BYTES);
		}
		(void)nanosleep(&(struct timespec){.tv_nsec = (long)(i % 3) * 200000}, NULL);
		writer->err = writer->err ? writer->err : gate_end(&part);
	}
	buffer_fini(&part.held);
	return NULL;
}

static void write_all_parts(struct gate *gate, struct writer *writers)
{
	for (size_t i = 0; i < THREADS; i++) {
		writers[i] = (struct writer){.gate = gate, .first = i};
		assert_int_equal(pthread_create(&writers[i].thread, NULL, write_parts, &writers[i]),
				 0);
	}
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(writers[i].thread, NULL), 0);
}

/* Whatever may be held back: nothing, less than a part, all. */
static void parts_come_out_in_their_order(void **state)
{
	static const size_t holds[] = {0, 20, 100, 1 << 20};

	(void)state;
	for (size_t h = 0; h < sizeof(holds) / sizeof(holds[0]); h++) {
		struct writer writers[THREADS];
		char got[PARTS * LINES * LINE_BYTES + 1], want[LINE_BYTES + 1];
		int fd = memfd_create("gate", MFD_CLOEXEC);
		struct gate gate;

		gate_init(&gate, fd, holds[h]);
		write_all_parts(&gate, writers);
		gate_fini(&gate);
		assert_int_equal(read_at(fd, got, sizeof(got), 0), sizeof(got) - 1);
		for (size_t i = 0; i < PARTS * LINES; i++) {
			(void)snprintf(want, sizeof(want), "%03zu %03zu\n", i / LINES, i % LINES);
			assert_memory_equal(got + i * LINE_BYTES, want, LINE_BYTES);
		}
		assert_int_equal(fd_close(fd), 0);
	}
}

static void a_closed_gate_lets_nobody_wait(void **state)
{
	struct gate_part due = {.number = 0}, later = {.number = 1};
	int fd = memfd_create("gate", MFD_CLOEXEC);
	struct gate gate;

	(void)state;
	gate_init(&gate, fd, 4);
	due.gate = later.gate = &gate;
	assert_int_equal(gate_put(&later, "abcd", 4), 0);
	assert_int_equal(gate_put(&due, "efgh", 4), 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), 4);
	gate_close(&gate, 0);
	assert_int_equal(gate_put(&later, "x", 1), -ECANCELED);
	assert_int_equal(gate_end(&due), -ECANCELED);
	gate_close(&gate, -EIO); /* the first word counts */
	assert_int_equal(gate_end(&due), -ECANCELED);
	buffer_fini(&later.held);
	gate_fini(&gate);
	assert_int_equal(fd_close(fd), 0);
}

static void a_failed_write_is_told(void **state)
{
	struct gate_part part = {.number = 0};
	struct gate gate;

	(void)state;
	gate_init(&gate, -1, 100);
	part.gate = &gate;
	assert_int_equal(gate_put(&part, "x", 1), -EBADF);
	gate_close(&gate, -EBADF);
	assert_int_equal(gate_put(&part, "x", 1), -EBADF);
	gate_fini(&gate);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_come_out_in_their_order),
		cmocka_unit_test(a_closed_gate_lets_nobody_wait),
		cmocka_unit_test(a_failed_write_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
