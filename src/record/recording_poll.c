// SPDX-License-Identifier: BSD-2-Clause
#include "record/recording.h"
#include "record/recording_state.h"

#include <bpf/bpf.h>

#include "probe/loader.h"
#include "record/notes.h"
#include "record/tcp_poll.h"

struct poll_by_program {
	const struct recording *rec;
	struct tcp_poll_result result;
};

static int run_poll(void *ctx)
{
	struct poll_by_program *poll = ctx;

	return tcp_poll_run(poll->rec->loader, poll->rec->config.warden, poll->rec->config.filter,
			    &poll->result);
}

static int poll_by_program(struct recording *rec, struct tcp_poll_result *result)
{
	struct poll_by_program poll = {.rec = rec};
	int fd = loader_map(rec->loader, "poll_round");
	uint32_t key = 0;
	int err;

	err = bpf_map_update_elem(fd, &key, &rec->poll_round, BPF_ANY);
	err = err ?: recording_work_while_draining(rec, run_poll, &poll);
	*result = poll.result;
	return err;
}

static void flush_poll(void *ctx)
{
	struct recording *rec = ctx;

	recording_write_notes(rec);
	(void)recording_pump(rec); /* its error is kept */
}

static int poll_by_asking(struct recording *rec, struct tcp_poll_result *result)
{
	const struct tcp_poll_question question = {
		.filter = rec->config.filter,
		.warden = rec->config.warden,
		.pids = rec->pids,
		.find_children = rec->config.filter->follow && !rec->ring,
		.record = &rec->poll_record,
		.notes = rec->notes,
		.flush = flush_poll,
		.ctx = rec,
	};

	return tcp_poll_ask(&question, rec->poll_round, result);
}

/* Rounds that were not made, or not for all: a note at this point of the trace. */
static void note_missed(struct recording *rec, uint64_t missed, uint64_t incomplete)
{
	if (missed + incomplete)
		recording_keep_error(rec, notes_add_loss(rec->notes, rec->poll->name,
							 missed + incomplete));
	rec->poll_missed += missed;
	rec->poll_incomplete += incomplete;
	recording_write_notes(rec);
}

/* Those that could not be looked into; @err: the whole round could not be made. */
static void keep_failed(struct recording *rec, const struct tcp_poll_result *result, int err)
{
	const struct recording_netns failed = {
		.count = result->failed + !!err,
		.all = result->namespaces + result->forbidden + result->failed,
		.err = result->err ?: err,
	};

	if (failed.count > rec->poll_failed.count)
		rec->poll_failed = failed;
}

int recording_poll(struct recording *rec, uint64_t periods)
{
	struct tcp_poll_result result = {0};
	int err;

	rec->poll_round += periods;
	if (!recording_is_on(rec, rec->poll->class.index))
		return rec->err;
	err = recording_poll_asks(rec) ? poll_by_asking(rec, &result) :
					 poll_by_program(rec, &result);
	rec->poll_forbidden = result.forbidden;
	keep_failed(rec, &result, err);
	note_missed(rec, periods - 1, result.failed + !!err);
	return rec->err;
}
