// SPDX-License-Identifier: BSD-2-Clause
#include <stdio.h>

#include "base/clock.h"
#include "cli/asking.h"
#include "record/answer.h"

static const struct option_spec options[] = {
	ASKING_RECORDER_OPTION,
	{0},
};

static const struct verb_spec spec = {
	.name = "snapshot",
	.synopsis = "[-r RECORDER]",
	.summary = "Have a flight recorder write what it holds in memory.",
	.notes = "It is appended to the recorder's trace, each event once. A recorder that writes\n"
		 "everything as it comes (--mode discard) writes what it has not written yet.\n\n"
		 "Exit status: 0; 1 error; 2 usage; 4 no recorder; 5 not permitted.",
	.examples = "sonde record -e sched,tcp --mode overwrite -o T &\nsonde snapshot",
	.options = options,
};

static int take(struct asking *ask, char **rest)
{
	int status = asking_ask(ask, 0, "snapshot", ASKING_PATIENCE_MS);
	char output[400], size[32];
	uint64_t written = 0;

	(void)rest;
	if (status >= 0)
		return status;
	asking_text(ask, "output", 0, output, sizeof(output));
	answer_number(ask->answer.data, "written", &written);
	printf("%s written to %s\n", size_format(size, sizeof(size), written), output);
	return STATUS_COMPLETE;
}

static int run_snapshot(int argc, char **argv)
{
	return asking_run(&spec, argc, argv, RECORDER_LIST_RECORDERS, false, take);
}

const struct verb verb_snapshot = {&spec, run_snapshot};
