// SPDX-License-Identifier: BSD-2-Clause
#include "record/code_notes.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "probe/warden.h"
#include "record/notes.h"
#include "wire/measure.h"
#include "wire/record.h"

static const uint8_t uuid[16] = "0123456789abcde";

struct fixture {
	struct notes *notes;
	struct code_notes *code;
	struct warden *warden;
};

static int set_up(void **state)
{
	static struct fixture f;

	assert_int_equal(warden_open_here(&f.warden), 0);
	f.notes = notes_new(uuid);
	f.code = code_notes_new(f.notes, f.warden);
	*state = &f;
	return f.notes && f.code ? 0 : -1;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	code_notes_free(f->code);
	warden_close(f->warden);
	notes_free(f->notes);
	return 0;
}

/* What one mapping's note says. */
struct noted {
	uint64_t start, end, since_ns;
	uint32_t pid;
	char path[PATH_MAX];
};

/* The note at @at, which moves behind it; false at the end of the packet. */
static bool next_note(const uint8_t **at, const uint8_t *end, struct noted *ret)
{
	struct sonde_mapping m;
	size_t len = offsetof(struct sonde_mapping, record_end);

	if (*at == end)
		return false;
	assert_true((size_t)(end - *at) > len);
	memcpy(&m, *at, len);
	assert_int_equal(m.head & RECORD_ID_EXTENDED, SONDE_MAPPING);
	*ret = (struct noted){.start = m.start, .end = m.end, .since_ns = m.age_ns};
	strcpy(ret->path, (const char *)*at + len);
	len = (len + strlen(ret->path) + RECORD_ALIGN) & ~(size_t)(RECORD_ALIGN - 1);
	memcpy(&ret->pid, *at + len, sizeof(ret->pid));
	*at += len + sizeof(ret->pid);
	return true;
}

/* Mappings noted since the last call; the one that @address is in goes to @ret. */
static size_t noted(struct fixture *f, uint64_t address, struct noted *ret)
{
	size_t len, count = 0;
	const uint8_t *packet = notes_packet(f->notes, 0, &len);
	const uint8_t *at = packet ? packet + sizeof(struct packet_head) : NULL;
	struct noted note;

	*ret = (struct noted){0};
	for (; packet && next_note(&at, packet + len, &note); count++) {
		assert_true(note.end > note.start);
		assert_int_equal(note.pid, getpid());
		if (address >= note.start && address < note.end)
			*ret = note;
	}
	return count;
}

static struct process_news own_news(uint64_t program)
{
	return (struct process_news){
		.since_ns = clock_monotonic_ns(),
		.program = program,
		.pid = (uint32_t)getpid(),
	};
}

static void mappings_are_noted_once(void **state)
{
	const uint64_t here = (uint64_t)(uintptr_t)mappings_are_noted_once;
	struct process_news news = own_news(1);
	struct fixture *f = *state;
	char own[PATH_MAX] = "";
	struct noted note;

	assert_true(readlink("/proc/self/exe", own, sizeof(own) - 1) > 0);
	assert_int_equal(code_notes_process(f->code, &news), 0);
	assert_true(noted(f, here, &note) >= 2);
	assert_string_equal(note.path, own);
	assert_int_equal(code_notes_process(f->code, &news), 0);
	assert_int_equal(noted(f, here, &note), 0);
	/* Another program, as after exec, tells all of it. */
	news.program++;
	assert_int_equal(code_notes_process(f->code, &news), 0);
	assert_true(noted(f, here, &note) >= 2);
}

static void what_was_mapped_since_is_noted(void **state)
{
	struct process_news news = own_news(1);
	struct fixture *f = *state;
	struct noted note;
	void *code;

	assert_int_equal(code_notes_process(f->code, &news), 0);
	noted(f, 0, &note);
	code = mmap(NULL, 65536, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_int_equal(code_notes_process(f->code, &news), 0);
	assert_int_equal(noted(f, (uint64_t)(uintptr_t)code, &note), 1);
	assert_string_equal(note.path, "[anonymous]");
	munmap(code, 65536);
}

static void a_process_that_is_gone_is_no_error(void **state)
{
	struct process_news news = own_news(1);
	struct fixture *f = *state;
	struct noted note;

	news.pid = 1u << 23; /* no process has it */
	assert_int_equal(code_notes_process(f->code, &news), 0);
	assert_int_equal(noted(f, 0, &note), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(mappings_are_noted_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_was_mapped_since_is_noted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_process_that_is_gone_is_no_error, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
