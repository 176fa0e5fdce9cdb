// SPDX-License-Identifier: BSD-2-Clause
#include "probe/catalogue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "probe/tracepoint.h"
#include "wire/measure.h"
#include "wire/note.h"
#include "wire/record.h"

static struct catalogue *cat;

/* Once: nothing here changes it. */
static int open_catalogue(void **state)
{
	struct diag diag = {.text = ""};

	(void)state;
	if (catalogue_open(&cat, &diag))
		fail_msg("%s", diag.text);
	return 0;
}

static int close_catalogue(void **state)
{
	(void)state;
	catalogue_close(cat);
	return 0;
}

static const struct measurement *get(const char *name)
{
	for (size_t i = 0; i < cat->count; i++) {
		if (!strcmp(cat->items[i].name, name))
			return &cat->items[i];
	}
	fail_msg("there is no %s", name);
	return NULL;
}

static size_t count_matches(const char *pattern)
{
	size_t count = 0;

	for (size_t i = 0; i < cat->count; i++)
		count += measurement_matches(&cat->items[i], pattern);
	return count;
}

static void every_number_has_its_name(void **state)
{
	static const struct {
		uint32_t id;
		const char *name;
	} wanted[] = {
		{SONDE_TASK, "sonde.task"},
		{SONDE_LOSS, "sonde.loss"},
		{SONDE_STATE, "sonde.state"},
		{SONDE_TRIGGER, "sonde.trigger"},
		{SONDE_COST, "sonde.cost"},
		{SONDE_NAME, "sonde.name"},
		{SONDE_FORGOTTEN, "sonde.forgotten"},
		{SYS_ENTER, "sys.enter"},
		{SYS_EXIT, "sys.exit"},
		{SCHED_SWITCH, "sched.switch"},
		{SCHED_WAKING, "sched.waking"},
		{SCHED_WAKEUP, "sched.wakeup"},
		{SCHED_WAKEUP_NEW, "sched.wakeup_new"},
		{SCHED_MIGRATE, "sched.migrate"},
		{SCHED_FORK, "sched.fork"},
		{SCHED_EXEC, "sched.exec"},
		{SCHED_EXIT, "sched.exit"},
		{CPU_SAMPLE, "cpu.sample"},
		{TCP_ACK, "tcp.ack"},
		{TCP_CWND, "tcp.cwnd"},
		{TCP_RETRANSMIT, "tcp.retransmit"},
		{TCP_LOSS, "tcp.loss"},
		{TCP_STATE, "tcp.state"},
		{TCP_SEND, "tcp.send"},
		{TCP_RECV, "tcp.recv"},
		{TCP_RCVBUF, "tcp.rcvbuf"},
		{TCP_RESET, "tcp.reset"},
		{TCP_CLOSE, "tcp.close"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		assert_int_equal(get(wanted[i].name)->class.id, wanted[i].id);
}

static void ids_ascend_and_fit_the_head(void **state)
{
	(void)state;
	for (size_t i = 0; i < cat->count; i++) {
		const struct event_class *class = &cat->items[i].class;

		assert_int_equal(class->index, i);
		assert_true(class->id < RECORD_ID_EXTENDED);
		if (i)
			assert_true(class->id > cat->items[i - 1].class.id);
	}
}

static void names_are_group_and_word(void **state)
{
	(void)state;
	for (size_t i = 0; i < cat->count; i++) {
		const struct measurement *m = &cat->items[i];
		size_t len = strlen(m->group);

		assert_memory_equal(m->name, m->group, len);
		assert_int_equal(m->name[len], '.');
		assert_int_equal(strspn(m->name, "abcdefghijklmnopqrstuvwxyz_."), strlen(m->name));
		assert_string_equal(m->class.name, m->name);
	}
}

static void everything_is_described(void **state)
{
	(void)state;
	for (size_t i = 0; i < cat->count; i++) {
		const struct measurement *m = &cat->items[i];

		assert_true(m->text && *m->text);
		assert_string_equal(m->class.text, m->text);
		assert_true(m->class.field_count > 0);
		for (size_t f = 0; f < m->class.field_count; f++) {
			const struct field *field = &m->class.fields[f];

			if (!field->text || !*field->text)
				fail_msg("%s: %s has no text", m->name, field->name);
			assert_int_equal(event_class_find(&m->class, field->name), f);
		}
	}
}

static void fields_follow_each_other_without_holes(void **state)
{
	(void)state;
	for (size_t i = 0; i < cat->count; i++) {
		const struct event_class *class = &cat->items[i].class;
		uint32_t at = 0;

		for (size_t f = 0; f < class->field_count; f++) {
			const struct field *field = &class->fields[f];

			if (field->kind == FIELD_STRING) {
				assert_false(class->fixed);
				break;
			}
			assert_int_equal(field->offset_bits, at);
			assert_int_equal(class->offsets[f], at);
			assert_int_equal(at % field->align_bits, 0);
			at += field->bits * field->count;
		}
		if (class->fixed)
			assert_int_equal(class->payload_bytes, (at + 7) / 8);
		assert_true(at / 8 + RECORD_HEAD_BYTES < RECORD_MAX_BYTES);
	}
}

static void a_system_call_is_as_the_kernel_half_has_it(void **state)
{
	const struct event_class *class = &get("sys.enter")->class;
	const struct field *nr = &class->fields[event_class_find(class, "nr")];
	const struct field *args = &class->fields[event_class_find(class, "args")];

	(void)state;
	assert_int_equal(class->payload_bytes, 60);
	assert_int_equal(nr->offset_bits, 56 * 8);
	assert_int_equal(nr->bits, 31);
	assert_int_equal(nr->align_bits, 1);
	assert_true(nr->is_signed);
	assert_int_equal(nr->show, FIELD_SHOW_SYSCALL);
	assert_int_equal(args->count, 6);
	assert_int_equal(args->bits, 64);
	assert_int_equal(args->show, FIELD_SHOW_HEX);
}

static void states_have_their_names(void **state)
{
	const struct event_class *class = &get("tcp.state")->class;
	size_t named = 0;

	(void)state;
	for (size_t f = 0; f < class->field_count; f++) {
		const char *label = field_label(&class->fields[f], 1);

		named += label && !strcmp(label, "ESTABLISHED");
	}
	assert_true(named >= 1);
}

static void the_recorders_notes_are_as_it_writes_them(void **state)
{
	const struct measurement *loss = get("sonde.loss"), *task = get("sonde.task");
	const struct measurement *change = get("sonde.state"), *cost = get("sonde.cost");

	(void)state;
	assert_int_equal(loss->hook_count, 0);
	assert_int_equal(loss->class.payload_bytes, sizeof(struct sonde_loss) - RECORD_HEAD_BYTES);
	assert_int_equal(task->class.payload_bytes, sizeof(struct sonde_task) - RECORD_HEAD_BYTES);
	assert_int_equal(change->class.payload_bytes,
			 sizeof(struct sonde_state) - RECORD_HEAD_BYTES);
	assert_int_equal(cost->class.fields[3].offset_bits,
			 8 * (offsetof(struct sonde_cost, measurements) - RECORD_HEAD_BYTES));
	assert_int_equal(cost->class.fields[3].kind, FIELD_STRING);
	assert_int_equal(task->class.fields[event_class_find(&task->class, "comm")].kind,
			 FIELD_TEXT);
}

static void patterns_are_globs_or_groups(void **state)
{
	(void)state;
	assert_int_equal(count_matches("sys"), 2);
	assert_int_equal(count_matches("sys.*"), 2);
	assert_int_equal(count_matches("sched.wak*"), 3);
	assert_int_equal(count_matches("tcp.ack"), 1);
	assert_int_equal(count_matches("*.e[nx]*"), 6); /* twice enter; thrice exit; exec */
	assert_int_equal(count_matches("tcp."), 0);
	assert_int_equal(count_matches("no.such"), 0);
	assert_int_equal(count_matches(""), 0);
}

static void what_no_kernel_has_is_there_and_says_why(void **state)
{
	const struct measurement *tape = get("disk.tape");

	(void)state;
	assert_true(tape->never);
	assert_false(measurement_usable(tape));
	assert_non_null(strstr(measurement_reason(tape), "cartridge"));
	assert_true(measurement_matches(tape, "disk.tape"));
	assert_false(measurement_matches(tape, "disk"));
	assert_false(measurement_matches(tape, "*"));
}

static void the_recorders_own_are_never_matched(void **state)
{
	(void)state;
	assert_true(measurement_internal(get("sonde.task")));
	assert_false(measurement_internal(get("sys.enter")));
	assert_int_equal(count_matches("sonde"), 0);
	assert_int_equal(count_matches("sonde.*"), 0);
	assert_true(count_matches("*") < cat->count);
}

static void a_hook_that_is_not_usable_says_why(void **state)
{
	(void)state;
	for (size_t i = 0; i < cat->count; i++) {
		const struct measurement *m = &cat->items[i];

		for (size_t h = 0; h < m->hook_count; h++) {
			assert_int_equal(!strchr(m->hooks[h].section, '/'),
					 !hook_is_program(&m->hooks[h]));
			assert_int_equal(m->hooks[h].usable, !*m->hooks[h].reason);
		}
		if (m->hook_count)
			assert_int_equal(measurement_usable(m), !*measurement_reason(m));
	}
}

/* Whose event it is, decided for each measurement: the current task's or a socket's owner (NULL), or of a task that
 * is not the current one, so that a filter by task misses it. One that is not in this table fails. */
static const struct {
	const char *name;
	const char *context;
} contexts[] = {
	{"sys.enter", NULL},
	{"sys.exit", NULL},
	{"sched.switch", NULL}, /* all of sched: the event names its task */
	{"sched.waking", NULL},
	{"sched.wakeup", NULL},
	{"sched.wakeup_new", NULL},
	{"sched.migrate", NULL},
	{"sched.fork", NULL},
	{"sched.exec", NULL},
	{"sched.exit", NULL},
	{"sched.trap", NULL},
	{"cpu.sample", NULL},
	{"irq.work_enter", "worker"},
	{"irq.work_exit", "worker"},
	{"irq.enter", NULL}, /* the task that is interrupted: the manual says so */
	{"irq.exit", NULL},
	{"irq.soft_raise", NULL},
	{"irq.soft_enter", NULL},
	{"irq.soft_exit", NULL},
	{"irq.timer", NULL},
	{"irq.timer_exit", NULL},
	{"irq.work_queue", NULL},
	{"tcp.ack", NULL}, /* all of tcp: the socket has an owner */
	{"tcp.cwnd", NULL},
	{"tcp.retransmit", NULL},
	{"tcp.loss", NULL},
	{"tcp.state", NULL},
	{"tcp.send", NULL},
	{"tcp.recv", NULL},
	{"tcp.rcvbuf", NULL},
	{"tcp.reset", NULL},
	{"tcp.close", NULL},
	{"tcp.poll", NULL},
	{"disk.queue", "worker"},
	{"disk.issue", "worker"},
	{"disk.requeue", "worker"},
	{"disk.bio", "worker"},
	{"disk.merge", "worker"},
	{"disk.complete", "irq"},
	{"disk.tape", NULL},
	{"fs.read", NULL},
	{"fs.readahead", NULL},
	{"fs.write", NULL},
	{"fs.writeback", "worker"},
	{"fs.fsync", NULL},
	{"net.sock_send", NULL}, /* a packet that is sent has its socket */
	{"net.tcp_send", NULL},
	{"net.udp_send", NULL},
	{"net.ip_send", NULL},
	{"net.dev_queue", NULL},
	{"net.qdisc_enqueue", NULL},
	{"net.qdisc_dequeue", NULL},
	{"net.dev_xmit", NULL},
	{"net.dev_recv", "softirq"},
	{"net.ip_recv", "softirq"},
	{"net.tcp_recv", "softirq"},
	{"net.udp_recv", "softirq"},
	{"net.sock_recv", NULL},
	{"net.app_recv", NULL},
	{"net.drop", "softirq"},
	{"rx.stats", NULL}, /* all of rx: a server */
	{"rx.counters", NULL},
	{"rx.conn", NULL},
	{"rx.call", NULL},
	{"rx.peer", NULL},
	{"rx.list", NULL},
	{"rx.silent", NULL},
};

static void each_has_the_context_that_was_decided(void **state)
{
	(void)state;
	for (size_t i = 0; i < cat->count; i++) {
		const struct measurement *m = &cat->items[i];
		size_t n = 0, count = sizeof(contexts) / sizeof(*contexts);

		if (measurement_internal(m))
			continue;
		while (n < count && strcmp(contexts[n].name, m->name))
			n++;
		if (n == count)
			fail_msg("%s: decide whether a filter by task misses some of it", m->name);
		if (!contexts[n].context != !m->context ||
		    (m->context && strcmp(contexts[n].context, m->context)))
			fail_msg("%s: context %s", m->name, m->context ?: "of the task");
		assert_int_equal(!m->context, !m->misses);
	}
}

static void parts_are_all_needed_and_alternatives_are_not(void **state)
{
	struct measurement m = {
		.hook_count = 3,
		.hooks =
			{
				{.part = 0, .usable = false, .reason = "no first"},
				{.part = 0, .usable = true, .reason = "no second"},
				{.part = 1, .usable = true},
			},
	};

	(void)state;
	assert_true(measurement_usable(&m));
	assert_ptr_equal(measurement_hook(&m, 0), &m.hooks[1]);
	assert_ptr_equal(measurement_hook(&m, 1), &m.hooks[2]);
	m.hooks[1].usable = false;
	assert_false(measurement_usable(&m));
	assert_string_equal(measurement_reason(&m), "no second");
	assert_null(measurement_hook(&m, 0));
}

/* The kernel's own answers need no program; everything else is told from what the kernel lacks. */
static void where_programs_are_forbidden_the_rest_remains(void **state)
{
	struct catalogue *less = NULL;
	struct diag diag = {0};

	(void)state;
	assert_int_equal(catalogue_open(&less, &diag), 0);
	catalogue_forbid(less);
	for (size_t i = 0; i < less->count; i++) {
		const struct measurement *m = &less->items[i], *full = &cat->items[i];
		const struct hook *last = &m->hooks[m->hook_count ? m->hook_count - 1 : 0];
		bool asked = m->hook_count && !hook_is_program(last) && last->usable;

		assert_int_equal(measurement_usable(m), asked);
		assert_int_equal(measurement_forbidden(m), measurement_usable(full) && !asked);
		assert_false(measurement_forbidden(full));
	}
	assert_int_equal(catalogue_get(less, TCP_POLL)->hook_count, 2);
	assert_null(catalogue_get(less, 999));
	for (size_t i = 0; i < less->service_count; i++)
		assert_false(less->services[i].hook.usable);
	catalogue_close(less);
}

static void a_stand_in_is_needed_beside_its_program_alone(void **state)
{
	struct measurement m = {
		.hook_count = 3,
		.hooks =
			{
				{.part = 0, .usable = true, .program = "first"},
				{.part = 0, .usable = true, .program = "second"},
				{.part = 1,
				 .usable = true,
				 .program = "nested",
				 .stands_in = "first"},
			},
	};

	(void)state;
	assert_true(measurement_makes(&m, &m.hooks[0]));
	assert_false(measurement_makes(&m, &m.hooks[1]));
	assert_true(measurement_makes(&m, &m.hooks[2]));
	m.hooks[2].usable = false;
	assert_false(measurement_usable(&m));
	m.hooks[0].usable = false;
	assert_true(measurement_usable(&m));
	m.hooks[2].usable = true;
	assert_true(measurement_makes(&m, &m.hooks[1]));
	assert_false(measurement_makes(&m, &m.hooks[2]));
}

/* In a catalogue of its own: it stays so. */
static void brief_classes_end_where_detail_begins(void **state)
{
	struct catalogue *brief = NULL;
	struct diag diag = {.text = ""};
	size_t shorter = 0;

	(void)state;
	assert_int_equal(catalogue_open(&brief, &diag), 0);
	catalogue_leave_out_detail(brief);
	for (size_t i = 0; i < brief->count; i++) {
		const struct event_class *full = &cat->items[i].class;
		const struct event_class *class = &brief->items[i].class;

		assert_int_equal(class->field_count, full->field_count - full->detail_count);
		assert_int_equal(class->detail_count, 0);
		if (!full->detail_count)
			continue;
		shorter++;
		assert_true(class->fixed);
		assert_int_equal(class->payload_bytes * 8, full->offsets[class->field_count]);
	}
	assert_true(shorter > 0);
	catalogue_close(brief);
}

/* The last one: from here on the catalogue has it. */
static void a_tracepoint_gets_the_next_id(void **state)
{
	struct diag diag = {.text = ""};
	size_t before = cat->count, i;

	(void)state;
	assert_true(cat->room >= cat->count + TRACEPOINT_MAX);
	for (i = 0; i < 2; i++) {
		struct measurement m = {.group = TRACEPOINT_GROUP, .hook_count = 1};
		struct tracepoint *tp;

		assert_int_equal(
			tracepoint_new("sched", i ? "b" : "a", strdup("ID: 7\n"), &tp, &diag), 0);
		m.name = tp->name;
		m.class = tp->class;
		m.hooks[0].tracepoint = tp;
		catalogue_add(cat, &m);
	}
	assert_int_equal(cat->count, before + 2);
	for (i = 0; i < 2; i++) {
		assert_int_equal(cat->items[before + i].class.index, before + i);
		assert_int_equal(cat->items[before + i].class.id, TRACEPOINT_FIRST_ID + i);
		assert_int_equal(cat->items[before + i].hooks[0].tracepoint->plan.id,
				 TRACEPOINT_FIRST_ID + i);
	}
	assert_int_equal(count_matches("kernel"), 2);
	assert_int_equal(count_matches("kernel:sched:b"), 1);
}

static void services_are_programs_too(void **state)
{
	(void)state;
	for (size_t i = 0; i < cat->service_count; i++) {
		assert_true(*cat->services[i].name);
		assert_true(*cat->services[i].hook.section);
	}
	assert_true(cat->service_count > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_number_has_its_name),
		cmocka_unit_test(ids_ascend_and_fit_the_head),
		cmocka_unit_test(names_are_group_and_word),
		cmocka_unit_test(everything_is_described),
		cmocka_unit_test(fields_follow_each_other_without_holes),
		cmocka_unit_test(a_system_call_is_as_the_kernel_half_has_it),
		cmocka_unit_test(states_have_their_names),
		cmocka_unit_test(the_recorders_notes_are_as_it_writes_them),
		cmocka_unit_test(patterns_are_globs_or_groups),
		cmocka_unit_test(what_no_kernel_has_is_there_and_says_why),
		cmocka_unit_test(the_recorders_own_are_never_matched),
		cmocka_unit_test(a_hook_that_is_not_usable_says_why),
		cmocka_unit_test(each_has_the_context_that_was_decided),
		cmocka_unit_test(parts_are_all_needed_and_alternatives_are_not),
		cmocka_unit_test(where_programs_are_forbidden_the_rest_remains),
		cmocka_unit_test(a_stand_in_is_needed_beside_its_program_alone),
		cmocka_unit_test(brief_classes_end_where_detail_begins),
		cmocka_unit_test(services_are_programs_too),
		cmocka_unit_test(a_tracepoint_gets_the_next_id),
	};

	return cmocka_run_group_tests(tests, open_catalogue, close_catalogue);
}
