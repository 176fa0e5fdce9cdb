// SPDX-License-Identifier: BSD-2-Clause
#include "shaper.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "frames.h"

#define MANY 20000u

static void begin(struct shaper *shaper, const char *keys)
{
	shaper_init(shaper, 42);
	assert_int_equal(settings_apply(shaper_settings(shaper, DIRECTION_FORWARD), keys, NULL), 0);
}

static struct verdict decide(struct shaper *shaper, const struct frame *frame, uint64_t now_ns)
{
	struct verdict verdict;

	shaper_decide(shaper, DIRECTION_FORWARD, frame, now_ns, &verdict);
	return verdict;
}

static struct frame data(uint32_t number)
{
	return frames_parsed(1 + number * 1000, TCP_ACK, 1000);
}

static void test_nothing(void **state)
{
	struct shaper shaper;

	(void)state;
	begin(&shaper, "");
	for (uint32_t i = 0; i < 100; i++) {
		struct frame frame = data(i);
		struct verdict verdict = decide(&shaper, &frame, i);

		assert_int_equal(verdict.action, ACTION_PASS);
		assert_int_equal(verdict.due_ns, i);
		assert_false(verdict.is_held || verdict.is_twice || verdict.is_marked ||
			     verdict.is_corrupt);
	}
	shaper_fini(&shaper);
}

/* How many of MANY data segments are lost for @action. */
static unsigned int count(const char *keys, enum action action)
{
	unsigned int found = 0;
	struct shaper shaper;

	begin(&shaper, keys);
	for (uint32_t i = 0; i < MANY; i++) {
		struct frame frame = data(i);

		found += decide(&shaper, &frame, i).action == action;
	}
	shaper_fini(&shaper);
	return found;
}

/* Within five standard deviations; the seed is fixed. */
static void test_chances(void **state)
{
	(void)state;
	assert_in_range(count("loss=1%", ACTION_LOSS), 200 - 71, 200 + 71);
	assert_in_range(count("loss=50%", ACTION_LOSS), 10000 - 354, 10000 + 354);
	assert_int_equal(count("loss=100%", ACTION_LOSS), MANY);
	assert_int_equal(count("loss=0", ACTION_PASS), MANY);
	assert_int_equal(count("ack_loss=100%", ACTION_PASS), MANY);
	assert_int_equal(count("every=100", ACTION_EVERY), MANY / 100);
	assert_int_equal(count("mtu=1039", ACTION_MTU), MANY);
	assert_int_equal(count("mtu=1040", ACTION_MTU), 0);
	assert_int_equal(count("down=1", ACTION_DOWN), MANY);
}

static void test_bursts(void **state)
{
	unsigned int lost = 0, bursts = 0;
	bool before = false;
	struct shaper shaper;

	(void)state;
	begin(&shaper, "burst=1% burst_length=5");
	for (uint32_t i = 0; i < MANY; i++) {
		struct frame frame = data(i);
		bool is_lost = decide(&shaper, &frame, i).action == ACTION_BURST;

		lost += is_lost;
		bursts += is_lost && !before;
		before = is_lost;
	}
	shaper_fini(&shaper);
	assert_in_range(bursts, 150, 235); /* 20000 / (100 + 5) are 190 */
	assert_in_range(lost, bursts * 4, bursts * 6);
}

/* The n-th data segment has its fate whatever is between, and whatever else is set. */
static void test_same_decisions(void **state)
{
	struct frame ack = frames_parsed(1, TCP_ACK, 0);
	struct shaper one, other, back, seeded;
	unsigned int differ = 0;

	(void)state;
	begin(&one, "loss=10%");
	begin(&other, "loss=10% ack_loss=30% jitter=1ms reorder=5% corrupt=5% duplicate=5%");
	begin(&back, "");
	begin(&seeded, "loss=10%");
	seeded.seed++;
	*shaper_settings(&back, DIRECTION_BACK) = *shaper_settings(&one, DIRECTION_FORWARD);
	for (uint32_t i = 0; i < MANY; i++) {
		struct frame frame = data(i);
		enum action action = decide(&one, &frame, i).action;
		struct verdict verdict;

		for (uint32_t j = 0; j < i % 3; j++)
			decide(&other, &ack, i);
		assert_int_equal(decide(&other, &frame, i).action, action);
		shaper_decide(&back, DIRECTION_BACK, &frame, i, &verdict);
		differ += verdict.action != action;
		assert_int_equal(decide(&back, &frame, i).action, ACTION_PASS);
		differ += decide(&seeded, &frame, i).action != action;
	}
	/* Each direction and each seed has decisions of its own: 18 % differ. */
	assert_in_range(differ, 2 * 3200, 2 * 4000);
	shaper_fini(&one);
	shaper_fini(&other);
	shaper_fini(&back);
	shaper_fini(&seeded);
}

static void test_openings(void **state)
{
	struct frame syn = frames_parsed(7, TCP_SYN, 0),
		     synack = frames_parsed(7, TCP_SYN | TCP_ACK, 0);
	struct shaper shaper;

	(void)state;
	begin(&shaper, "syn=2");
	assert_int_equal(decide(&shaper, &syn, 0).action, ACTION_SYN);
	assert_int_equal(decide(&shaper, &syn, 0).action, ACTION_SYN);
	assert_int_equal(decide(&shaper, &syn, 0).action, ACTION_PASS);
	syn.flow.sport++; /* another connection */
	assert_int_equal(decide(&shaper, &syn, 0).action, ACTION_SYN);
	shaper_fini(&shaper);
	begin(&shaper, "synack=1");
	assert_int_equal(decide(&shaper, &syn, 0).action, ACTION_PASS);
	assert_int_equal(decide(&shaper, &synack, 0).action, ACTION_SYNACK);
	assert_int_equal(decide(&shaper, &synack, 0).action, ACTION_PASS);
	shaper_fini(&shaper);
}

/* What is sent again passes. */
static void test_tail(void **state)
{
	struct frame syn = frames_parsed(0, TCP_SYN, 0);
	struct shaper shaper;

	(void)state;
	begin(&shaper, "tail=3000");
	decide(&shaper, &syn, 0);
	for (uint32_t i = 0; i < 5; i++) {
		struct frame frame = data(i);

		assert_int_equal(decide(&shaper, &frame, i).action,
				 i < 3 ? ACTION_PASS : ACTION_TAIL);
	}
	for (uint32_t i = 0; i < 5; i++) {
		struct frame frame = data(i);

		assert_int_equal(decide(&shaper, &frame, i).action, ACTION_PASS);
	}
	shaper_fini(&shaper);
}

/* 1054 bytes take 8.432 ms at 1 Mbit/s; two fit into the queue beside the one that leaves. */
static void test_rate(void **state)
{
	const uint64_t each_ns = 8432000;
	struct frame frame = data(0);
	struct verdict verdict;
	struct shaper shaper;

	(void)state;
	begin(&shaper, "rate=1mbit queue=3162 delay=10ms");
	for (unsigned int i = 0; i < 3; i++) {
		verdict = decide(&shaper, &frame, 1000);
		assert_int_equal(verdict.action, ACTION_PASS);
		assert_int_equal(verdict.due_ns, 1000 + (i + 1) * each_ns + 10 * NS_PER_MS);
		assert_int_equal(verdict.queue_bytes, i * 1054);
	}
	assert_int_equal(decide(&shaper, &frame, 1000).action, ACTION_QUEUE);
	assert_int_equal(decide(&shaper, &frame, 1000 + each_ns - 100000).action, ACTION_QUEUE);
	verdict = decide(&shaper, &frame, 1000 + each_ns);
	assert_int_equal(verdict.action, ACTION_PASS);
	assert_int_equal(verdict.due_ns, 1000 + 4 * each_ns + 10 * NS_PER_MS);
	/* Long after, the queue is empty. */
	verdict = decide(&shaper, &frame, NS_PER_SEC);
	assert_int_equal(verdict.queue_bytes, 0);
	assert_int_equal(verdict.due_ns, NS_PER_SEC + each_ns + 10 * NS_PER_MS);
	shaper_fini(&shaper);
}

/* Jitter keeps the order; what is held back is passed by others. */
static void test_order(void **state)
{
	uint64_t last = 0, least = UINT64_MAX, most = 0;
	unsigned int held = 0, passed = 0;
	struct shaper shaper;

	(void)state;
	begin(&shaper, "delay=5ms jitter=2ms");
	for (uint32_t i = 0; i < MANY; i++) {
		struct frame frame = data(i);
		uint64_t now_ns = i * NS_PER_MS, due_ns = decide(&shaper, &frame, now_ns).due_ns;

		assert_in_range(due_ns - now_ns, 5 * NS_PER_MS, 7 * NS_PER_MS);
		assert_true(due_ns >= last);
		last = due_ns;
		least = due_ns - now_ns < least ? due_ns - now_ns : least;
		most = due_ns - now_ns > most ? due_ns - now_ns : most;
	}
	assert_true(least < 5 * NS_PER_MS + NS_PER_MS / 10 &&
		    most > 7 * NS_PER_MS - NS_PER_MS / 10);
	shaper_fini(&shaper);
	begin(&shaper, "reorder=10% reorder_by=1500us");
	for (uint32_t i = 0; i < MANY; i++) {
		struct frame frame = data(i);
		struct verdict verdict = decide(&shaper, &frame, i * NS_PER_MS);

		held += verdict.is_held;
		passed += i && verdict.due_ns < last;
		assert_int_equal(verdict.due_ns,
				 i * NS_PER_MS + (verdict.is_held ? 1500 * NS_PER_US : 0));
		last = verdict.due_ns;
	}
	assert_in_range(held, 2000 - 212, 2000 + 212);
	assert_in_range(passed, held * 8 / 10, held);
	shaper_fini(&shaper);
}

static void test_changes(void **state)
{
	unsigned int twice = 0, corrupt = 0, marked = 0;
	struct shaper shaper;

	(void)state;
	begin(&shaper, "duplicate=10% corrupt=20% ecn=30%");
	for (uint32_t i = 0; i < MANY; i++) {
		struct frame frame = data(i);
		struct verdict verdict;

		frame.is_ect = i % 2;
		verdict = decide(&shaper, &frame, i);
		twice += verdict.is_twice;
		corrupt += verdict.is_corrupt;
		marked += verdict.is_marked;
		assert_true(frame.is_ect || !verdict.is_marked);
	}
	assert_in_range(twice, 2000 - 212, 2000 + 212);
	assert_in_range(corrupt, 4000 - 283, 4000 + 283);
	assert_in_range(marked, 3000 - 230, 3000 + 230);
	shaper_fini(&shaper);
}

/* Marks where the queue is longer than that. */
static void test_mark_queue(void **state)
{
	struct frame frame = data(0);
	struct shaper shaper;

	(void)state;
	frame.is_ect = true;
	begin(&shaper, "rate=1mbit ecn_queue=2000");
	assert_false(decide(&shaper, &frame, 0).is_marked);
	assert_false(decide(&shaper, &frame, 0).is_marked);
	assert_true(decide(&shaper, &frame, 0).is_marked);
	shaper_fini(&shaper);
}

/* Who has which address is not lost by chance, but where the link is down. */
static void test_other(void **state)
{
	const uint8_t arp[60] = {[12] = 8, [13] = 6};
	struct shaper shaper;
	struct frame frame;

	(void)state;
	frame_parse(&frame, arp, sizeof(arp));
	begin(&shaper, "loss=100% burst=100% mtu=10 corrupt=1 duplicate=1 reorder=1 delay=1ms");
	assert_int_equal(decide(&shaper, &frame, 0).action, ACTION_PASS);
	assert_int_equal(decide(&shaper, &frame, 0).due_ns, NS_PER_MS);
	assert_false(decide(&shaper, &frame, 0).is_corrupt);
	settings_apply(shaper_settings(&shaper, DIRECTION_FORWARD), "down=1", NULL);
	assert_int_equal(decide(&shaper, &frame, 0).action, ACTION_DOWN);
	shaper_fini(&shaper);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing),	 cmocka_unit_test(test_chances),
		cmocka_unit_test(test_bursts),	 cmocka_unit_test(test_same_decisions),
		cmocka_unit_test(test_openings), cmocka_unit_test(test_tail),
		cmocka_unit_test(test_rate),	 cmocka_unit_test(test_order),
		cmocka_unit_test(test_changes),	 cmocka_unit_test(test_mark_queue),
		cmocka_unit_test(test_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
