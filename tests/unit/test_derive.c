// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/derive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "schema/event.h"
#include "schema/lost.h"
#include "schema/trace_info.h"

/* What the events of this test carry, all of them. */
struct payload {
	uint32_t nr;
	uint32_t ret;
	uint32_t next_tid;
	uint32_t prev_state;
	uint32_t wake_tid;
	uint32_t request;
	uint32_t bytes;
	uint32_t op;
	uint32_t left;
	uint32_t status;
	uint32_t kind;
	uint32_t cookie;
	uint32_t new_state;
	uint32_t owner_tid;
	uint32_t irq;
	uint32_t vector;
	char disk[16];
};

#define NUMBER(member)                                                        \
	{                                                                     \
		.name = #member, .bits = 32, .count = 1,                      \
		.offset_bits = 8 * (uint32_t)offsetof(struct payload, member) \
	}

static const struct field fields[] = {
	NUMBER(nr),
	NUMBER(ret),
	NUMBER(next_tid),
	NUMBER(prev_state),
	NUMBER(wake_tid),
	NUMBER(request),
	NUMBER(bytes),
	NUMBER(op),
	NUMBER(left),
	NUMBER(status),
	NUMBER(kind),
	NUMBER(cookie),
	NUMBER(new_state),
	NUMBER(owner_tid),
	NUMBER(irq),
	NUMBER(vector),
	{.name = "disk",
	 .kind = FIELD_TEXT,
	 .bits = 8,
	 .count = 16,
	 .offset_bits = 8 * (uint32_t)offsetof(struct payload, disk)},
};
#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static uint32_t offsets[FIELDS];

enum class {
	LOST,
	ENTER,
	EXIT,
	SWITCH,
	WAKING,
	WAKEUP,
	QUEUE,
	ISSUE,
	COMPLETE,
	REQUEUE,
	MERGE,
	ACK,
	SEND,
	STATE,
	DROP,
	IRQ,
	SOFT,
	TIMER,
	OTHER,
	CLASSES,
};

static const char *const names[CLASSES] = {
	[ENTER] = "sys.enter",	    [EXIT] = "sys.exit",
	[SWITCH] = "sched.switch",  [WAKING] = "sched.waking",
	[WAKEUP] = "sched.wakeup",  [QUEUE] = "disk.queue",
	[ISSUE] = "disk.issue",	    [COMPLETE] = "disk.complete",
	[REQUEUE] = "disk.requeue", [MERGE] = "disk.merge",
	[ACK] = "tcp.ack",	    [SEND] = "tcp.send",
	[STATE] = "tcp.state",	    [DROP] = "net.drop",
	[IRQ] = "irq.exit",	    [SOFT] = "irq.soft_enter",
	[TIMER] = "irq.timer",	    [OTHER] = "irq.work_enter",
};

static struct event_class made[CLASSES];
static const struct event_class *classes[CLASSES];
static const struct trace_info info = {.class_count = CLASSES, .classes = classes};
static const struct trace_env env = {.name = "sonde_filtered", .number = 1};
static const struct trace_info filtered = {.class_count = CLASSES,
					   .classes = classes,
					   .env_count = 1,
					   .env = &env};
static struct derive *derive;
static struct event_facts facts;

static int set_up_all(void **state)
{
	(void)state;
	for (size_t i = 0; i < FIELDS; i++)
		offsets[i] = fields[i].offset_bits;
	classes[LOST] = &lost_class;
	for (size_t i = 1; i < CLASSES; i++) {
		made[i] = (struct event_class){.name = names[i],
					       .field_count = FIELDS,
					       .fields = fields,
					       .offsets = offsets,
					       .index = i};
		classes[i] = &made[i];
	}
	return 0;
}

static int set_up(void **state)
{
	(void)state;
	derive = derive_new(&info, (1u << DERIVED_COUNT) - 1);
	assert_non_null(derive);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	derive_free(derive);
	return 0;
}

static void put(enum class class, int64_t time_ns, int32_t tid, struct payload payload)
{
	const struct event event = {.class = classes[class],
				    .payload = (const uint8_t *)&payload,
				    .offsets = classes[class]->offsets,
				    .time_ns = time_ns,
				    .tid = tid};

	if (!payload.disk[0])
		strcpy(payload.disk, "sda");
	derive_event(derive, &event, &facts);
}

static void known(enum derived what, uint64_t ns)
{
	assert_true(facts.has >> what & 1);
	assert_int_equal(facts.derived[what], ns);
}

static void unknown(enum derived what)
{
	assert_false(facts.has >> what & 1);
}

static void calls(void **state)
{
	(void)state;
	put(ENTER, 100, 7, (struct payload){.nr = 3});
	unknown(DERIVED_DUR);
	put(ENTER, 110, 8, (struct payload){.nr = 4});
	put(EXIT, 150, 7, (struct payload){.nr = 3});
	known(DERIVED_DUR, 50);
	put(EXIT, 160, 7, (struct payload){.nr = 3});
	unknown(DERIVED_DUR);
	put(EXIT, 170, 8, (struct payload){.nr = 5}); /* another call */
	unknown(DERIVED_DUR);
	put(ENTER, 180, -1, (struct payload){.nr = 3});
	put(EXIT, 190, -1, (struct payload){.nr = 3}); /* whose is not known */
	unknown(DERIVED_DUR);
}

static void waits(void **state)
{
	(void)state;
	put(WAKING, 100, 1, (struct payload){.wake_tid = 7});
	put(WAKEUP, 110, 1, (struct payload){.wake_tid = 7});
	put(SWITCH, 150, 0, (struct payload){.next_tid = 7});
	known(DERIVED_WAIT, 50);
	put(SWITCH, 200, 7, (struct payload){.next_tid = 8}); /* preempted */
	unknown(DERIVED_WAIT);
	put(SWITCH, 230, 8, (struct payload){.next_tid = 7, .prev_state = 1});
	known(DERIVED_WAIT, 30);
	put(WAKING, 240, 1, (struct payload){.wake_tid = 7}); /* runs on */
	put(SWITCH, 300, 7, (struct payload){.next_tid = 0, .prev_state = 1});
	unknown(DERIVED_WAIT);
	put(SWITCH, 400, 0, (struct payload){.next_tid = 7}); /* nobody saw it wake */
	unknown(DERIVED_WAIT);
	put(WAKEUP, 500, 1, (struct payload){.wake_tid = 9}); /* the first one is missing */
	put(SWITCH, 600, 0, (struct payload){.next_tid = 9});
	unknown(DERIVED_WAIT);
}

static void requests(void **state)
{
	(void)state;
	put(QUEUE, 100, 1, (struct payload){.request = 5});
	put(ISSUE, 150, 1, (struct payload){.request = 5});
	known(DERIVED_QUEUE, 50);
	unknown(DERIVED_SERVICE);
	put(COMPLETE, 200, 1, (struct payload){.request = 5, .left = 8});
	unknown(DERIVED_SERVICE);
	put(COMPLETE, 250, 1, (struct payload){.request = 5});
	known(DERIVED_SERVICE, 100);
	known(DERIVED_TOTAL, 150);
	put(ISSUE, 300, 1, (struct payload){.request = 5}); /* at once */
	unknown(DERIVED_QUEUE);
	put(COMPLETE, 310, 1, (struct payload){.request = 5});
	known(DERIVED_SERVICE, 10);
	known(DERIVED_TOTAL, 10);
	put(COMPLETE, 320, 1, (struct payload){.request = 5});
	unknown(DERIVED_SERVICE);
}

static void owned_by(int32_t tid)
{
	assert_true(facts.has & FACTS_OWNER);
	assert_int_equal(facts.owner, tid);
}

/* A request ends in whatever task was interrupted, a wait in the switch from another. */
static void owners(void **state)
{
	(void)state;
	put(QUEUE, 100, 7, (struct payload){.request = 5});
	put(ISSUE, 110, 8, (struct payload){.request = 5});
	known(DERIVED_QUEUE, 10);
	assert_true(facts.has & FACTS_OWNER);
	assert_int_equal(facts.owner, 7);
	put(COMPLETE, 200, 0, (struct payload){.request = 5});
	known(DERIVED_TOTAL, 100);
	assert_int_equal(facts.owner, 7);
	assert_int_equal(facts.derived[DERIVED_OWNER], 7);
	put(ISSUE, 300, 9, (struct payload){.request = 5}); /* never queued */
	owned_by(9);
	unknown(DERIVED_OWNER); /* the task itself */
	put(COMPLETE, 310, 0, (struct payload){.request = 5});
	known(DERIVED_SERVICE, 10);
	assert_int_equal(facts.owner, 9);
	put(WAKING, 400, 1, (struct payload){.wake_tid = 7});
	put(SWITCH, 450, 3, (struct payload){.next_tid = 7});
	known(DERIVED_WAIT, 50);
	assert_int_equal(facts.owner, 7);
}

/* Of what no beginning was seen, and after a loss, it is not known whose it is: not the interrupted task's. */
static void unknown_owners(void **state)
{
	(void)state;
	put(COMPLETE, 100, 3, (struct payload){.request = 5});
	owned_by(OWNER_UNKNOWN);
	unknown(DERIVED_OWNER);
	put(QUEUE, 110, 7, (struct payload){.request = 5});
	put(LOST, 120, -1, (struct payload){0});
	put(COMPLETE, 130, 3, (struct payload){.request = 5});
	owned_by(OWNER_UNKNOWN);
	put(ACK, 140, 3, (struct payload){.cookie = 77});
	owned_by(OWNER_UNKNOWN);
	put(SEND, 150, 7, (struct payload){.cookie = 77});
	put(LOST, 160, -1, (struct payload){0});
	put(ACK, 170, 3, (struct payload){.cookie = 77});
	owned_by(OWNER_UNKNOWN);
	put(DROP, 180, 3, (struct payload){0}); /* no socket */
	owned_by(OWNER_UNKNOWN);
}

/* A socket is the task's that used it last. */
static void sockets(void **state)
{
	(void)state;
	put(STATE, 100, 7, (struct payload){.cookie = 77, .new_state = 2}); /* connects */
	owned_by(7);
	put(STATE, 110, 3, (struct payload){.cookie = 77, .new_state = 1}); /* in an interrupt */
	owned_by(7);
	put(ACK, 120, 3, (struct payload){.cookie = 77});
	owned_by(7);
	assert_int_equal(facts.derived[DERIVED_OWNER], 7);
	put(ACK, 120, 7, (struct payload){.cookie = 77});
	owned_by(7);
	unknown(DERIVED_OWNER);
	put(SEND, 130, 8, (struct payload){.cookie = 77}); /* another thread */
	put(ACK, 140, 3, (struct payload){.cookie = 77});
	owned_by(8);
	put(ACK, 150, 3, (struct payload){.cookie = 78});
	owned_by(OWNER_UNKNOWN);
	put(DROP, 160, 3, (struct payload){.owner_tid = 8}); /* the kernel half knows it */
	owned_by(8);
}

/* Not the task's that it hits; it has no tid. */
static void interrupts(void **state)
{
	(void)state;
	put(IRQ, 100, 3, (struct payload){.irq = 24});
	owned_by(OWNER_IRQ(24));
	unknown(DERIVED_OWNER);
	put(IRQ, 100, 3, (struct payload){.irq = 4000000000u});
	owned_by(OWNER_INTERRUPT);
	put(SOFT, 110, 3, (struct payload){.vector = 3});
	owned_by(OWNER_VECTOR(3));
	put(SOFT, 120, 3, (struct payload){.vector = OWNER_VECTORS});
	owned_by(OWNER_SOFTIRQ);
	put(TIMER, 130, 3, (struct payload){0});
	owned_by(OWNER_TIMER);
}

static void a_request_that_is_put_back(void **state)
{
	(void)state;
	put(QUEUE, 100, 1, (struct payload){.request = 5});
	put(ISSUE, 110, 1, (struct payload){.request = 5});
	put(REQUEUE, 120, 1, (struct payload){.request = 5});
	put(ISSUE, 150, 1, (struct payload){.request = 5});
	known(DERIVED_QUEUE, 30);
	put(COMPLETE, 160, 1, (struct payload){.request = 5});
	known(DERIVED_SERVICE, 10);
	known(DERIVED_TOTAL, 60);
	put(QUEUE, 200, 1, (struct payload){.request = 6});
	put(MERGE, 210, 1, (struct payload){.request = 6, .kind = 2});
	put(COMPLETE, 220, 1, (struct payload){.request = 6});
	unknown(DERIVED_TOTAL);
}

static void a_loss_forgets_all(void **state)
{
	(void)state;
	put(ENTER, 100, 7, (struct payload){.nr = 3});
	put(WAKING, 100, 1, (struct payload){.wake_tid = 8});
	put(ISSUE, 100, 1, (struct payload){.request = 5});
	put(LOST, 110, -1, (struct payload){0});
	put(EXIT, 120, 7, (struct payload){.nr = 3});
	unknown(DERIVED_DUR);
	put(SWITCH, 120, 0, (struct payload){.next_tid = 8});
	unknown(DERIVED_WAIT);
	put(COMPLETE, 120, 1, (struct payload){.request = 5});
	unknown(DERIVED_SERVICE);
}

static void only_what_is_needed_is_taken(void **state)
{
	struct derive *few = derive_new(&info, 1u << DERIVED_DUR);

	(void)state;
	assert_true(derive_takes(few, classes[ENTER]));
	assert_true(derive_takes(few, classes[LOST]));
	assert_false(derive_takes(few, classes[SWITCH]));
	assert_false(derive_takes(few, classes[ISSUE]));
	assert_false(derive_takes(few, classes[OTHER]));
	assert_true(derive_takes(derive, classes[ISSUE]));
	assert_true(derive_takes(derive, classes[SWITCH]));
	derive_free(few);
}

/* Of a task that the filter left out, only some switches are there. */
static void where_tasks_are_left_out(void **state)
{
	(void)state;
	derive_free(derive);
	derive = derive_new(&filtered, 1u << DERIVED_WAIT);
	put(SWITCH, 200, 7, (struct payload){.next_tid = 8});
	put(SWITCH, 230, 8, (struct payload){.next_tid = 7, .prev_state = 1});
	unknown(DERIVED_WAIT);
	put(WAKING, 300, 1, (struct payload){.wake_tid = 9});
	put(SWITCH, 310, 0, (struct payload){.next_tid = 9});
	known(DERIVED_WAIT, 10);
	put(SWITCH, 320, 9, (struct payload){.next_tid = 0});
	put(SWITCH, 350, 0, (struct payload){.next_tid = 9});
	known(DERIVED_WAIT, 30);
}

/* As when a source that is live has more classes than it had. */
static void what_is_under_way_stays(void **state)
{
	(void)state;
	put(ENTER, 100, 7, (struct payload){.nr = 3});
	put(WAKING, 110, 1, (struct payload){.wake_tid = 9});
	put(QUEUE, 120, 1, (struct payload){.request = 5});
	derive = derive_renew(derive, &info, (1u << DERIVED_COUNT) - 1);
	assert_non_null(derive);
	put(EXIT, 150, 7, (struct payload){.nr = 3});
	known(DERIVED_DUR, 50);
	put(SWITCH, 160, 1, (struct payload){.next_tid = 9});
	known(DERIVED_WAIT, 50);
	put(ISSUE, 170, 1, (struct payload){.request = 5});
	known(DERIVED_QUEUE, 50);
	derive = derive_renew(derive, &info, 1u << DERIVED_DUR);
	put(EXIT, 180, 7, (struct payload){.nr = 3}); /* it has ended */
	unknown(DERIVED_DUR);
}

/* The same numbers in two traces; of one there is more to come when the other is new. */
static void traces_have_tasks_of_their_own(void **state)
{
	static const struct trace_stream streams[] = {{.trace = 1}, {.trace = 2}};
	struct trace_info two = info;

	(void)state;
	put(ENTER, 100, 7, (struct payload){.nr = 3});
	two.stream_count = 2;
	two.streams = streams;
	made[EXIT].stream = 1;
	derive = derive_renew(derive, &two, (1u << DERIVED_COUNT) - 1);
	put(EXIT, 150, 7, (struct payload){.nr = 3}); /* of the other trace */
	unknown(DERIVED_DUR);
	made[EXIT].stream = 0;
	derive = derive_renew(derive, &two, (1u << DERIVED_COUNT) - 1);
	put(EXIT, 160, 7, (struct payload){.nr = 3});
	known(DERIVED_DUR, 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(calls, set_up, tear_down),
		cmocka_unit_test_setup_teardown(waits, set_up, tear_down),
		cmocka_unit_test_setup_teardown(requests, set_up, tear_down),
		cmocka_unit_test_setup_teardown(owners, set_up, tear_down),
		cmocka_unit_test_setup_teardown(unknown_owners, set_up, tear_down),
		cmocka_unit_test_setup_teardown(sockets, set_up, tear_down),
		cmocka_unit_test_setup_teardown(interrupts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_request_that_is_put_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_loss_forgets_all, set_up, tear_down),
		cmocka_unit_test_setup_teardown(only_what_is_needed_is_taken, set_up, tear_down),
		cmocka_unit_test_setup_teardown(where_tasks_are_left_out, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_under_way_stays, set_up, tear_down),
		cmocka_unit_test_setup_teardown(traces_have_tasks_of_their_own, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, set_up_all, NULL);
}
