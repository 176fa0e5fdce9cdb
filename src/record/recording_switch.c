// SPDX-License-Identifier: BSD-2-Clause
#include "record/recording.h"
#include "record/recording_state.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "ctf/metadata_write.h"
#include "probe/loader.h"
#include "record/address_notes.h"
#include "record/notes.h"
#include "record/overhead.h"
#include "schema/calls.h"

#define JOB_PUMP_NS 1000000u

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
int recording_work_while_draining(struct recording *rec, int (*work)(void *ctx), void *ctx)
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

/* All classes of a measurement: they may share types. */
static int describe_measurement(struct recording *rec, const struct measurement *m)
{
	/* Its own, those of calls, and behind them NULL. */
	const struct event_class **classes = calloc(calls_count() + 2, sizeof(*classes));
	unsigned int stream;
	size_t count = 1;
	int err;

	if (!classes)
		return -ENOMEM;
	classes[0] = recording_class_of(rec, m, &stream);
	while ((classes[count] = measurement_class(m, count)))
		count++;
	err = metadata_write_events(&rec->metadata, classes, count, stream);
	free(classes);
	return err;
}

/* Metadata grows at its end, and is there before the first event that needs it. */
static int describe(struct recording *rec, const bool *which)
{
	const struct catalogue *cat = rec->config.catalogue;
	size_t old_len = rec->metadata.len;
	int err = 0;

	for (size_t i = 0; !err && i < cat->count; i++) {
		if (which[i] && !rec->described[i] && measurement_usable(&cat->items[i]))
			err = describe_measurement(rec, &cat->items[i]);
	}
	if (rec->metadata.len == old_len)
		return err;
	err = err ?: buffer_error(&rec->metadata);
	err = err ?: address_notes_describe(rec->addresses, rec->metadata.data, rec->metadata.len);
	err = err ?: packet_fan_metadata(&rec->sinks, rec->metadata.data, rec->metadata.len);
	if (err) {
		rec->metadata.len = old_len;
		return err;
	}
	for (size_t i = 0; i < cat->count; i++)
		rec->described[i] |= which[i] && measurement_usable(&cat->items[i]);
	return recording_describe_watch(rec, NULL);
}

static int load(void *ctx)
{
	return loader_load(ctx);
}

static void switch_on(struct recording *rec, const bool *which, enum state_reason reason)
{
	uint64_t now_ns = clock_monotonic_ns();

	recording_note_all(rec, now_ns, false, reason);
	loader_switch(rec->loader, which, true);
	recording_note_states(rec, now_ns, reason);
	recording_note_all(rec, clock_monotonic_ns(), true, reason);
	overhead_restart(rec->overhead);
}

static void switch_off(struct recording *rec, const bool *which, enum state_reason reason)
{
	uint64_t now_ns = clock_monotonic_ns();

	recording_note_all(rec, now_ns, false, reason);
	loader_switch(rec->loader, which, false);
	/* A record in the making has its time already; a program that has only begun, not yet. */
	usleep(RECORDING_QUIET_US);
	now_ns = clock_monotonic_ns();
	recording_note_states(rec, now_ns, reason);
	recording_note_all(rec, now_ns, true, reason);
	overhead_restart(rec->overhead);
}

int recording_enable(struct recording *rec, const bool *which)
{
	int err = loader_want(rec->loader, which);

	overhead_restart(rec->overhead); /* others' programs should not be timed while it loads */
	if (!err && !loader_is_loaded(rec->loader))
		err = recording_work_while_draining(rec, load, rec->loader) ?: rec->err;
	err = err ?: recording_listen_to_sampler(rec) ?: describe(rec, which);
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

int recording_measure(struct recording *rec)
{
	enum budget_verdict verdict;
	const bool *which;

	recording_keep_error(rec, overhead_pump(rec->overhead, rec->notes, &verdict, &which));
	if (verdict == BUDGET_OFF)
		switch_off(rec, which, STATE_BUDGET);
	if (verdict == BUDGET_ON)
		switch_on(rec, which, STATE_BUDGET);
	recording_write_notes(rec);
	return rec->err;
}
