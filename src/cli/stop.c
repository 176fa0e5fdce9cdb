// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "cli/asking.h"
#include "cli/relay_table.h"
#include "record/answer.h"

#define EXIT_PATIENCE_MS 10000 /* its trace is complete by then; only the process is left */

static const struct option_spec options[] = {
	ASKING_RECORDER_OPTION,
	{0},
};

static const struct verb_spec spec = {
	.name = "stop",
	.synopsis = "[-r NAME | -r PID]",
	.summary = "End a running recorder, and wait until its trace is complete.",
	.notes =
		"With -r a relay too, which is a 'sonde serve': what it stores is complete then.\n\n"
		"Exit status: 0; 1 error; 2 usage; 3 the recorder has lost events; 4 no recorder;\n"
		"5 not permitted; 6 the recorder could not measure all that was wanted.",
	.examples = "sonde stop\nsonde stop -r web",
	.options = options,
};

static int say_relay(const struct asking *ask)
{
	uint64_t elapsed_ns = 0;
	char time[32];

	answer_number(ask->answer.data, "elapsed_ns", &elapsed_ns);
	printf("relay %s, after %s", ask->list[0].name,
	       duration_format(time, sizeof(time), elapsed_ns));
	relay_table_print(ask);
	return STATUS_COMPLETE;
}

static int say_end(const struct asking *ask)
{
	uint64_t events = 0, bytes = 0, lost = 0, elapsed_ns = 0;
	char output[400], count[32], size[32], time[32], missing[32];
	const char *json = ask->answer.data;

	answer_number(json, "events", &events);
	answer_number(json, "bytes", &bytes);
	answer_number(json, "lost", &lost);
	answer_number(json, "elapsed_ns", &elapsed_ns);
	asking_text(ask, "output", 0, output, sizeof(output));
	printf("%s events in %s, %s in %s, %s lost\n", count_format(count, sizeof(count), events),
	       duration_format(time, sizeof(time), elapsed_ns),
	       size_format(size, sizeof(size), bytes), output,
	       count_format(missing, sizeof(missing), lost));
	if (lost)
		return STATUS_LOST;
	return answer_flag(json, "partial") ? STATUS_PARTIAL : STATUS_COMPLETE;
}

/* How long the rest takes to be written depends on the disk: no limit but Ctrl-C. */
static int end(struct asking *ask, char **rest)
{
	int pid_fd = (int)syscall(SYS_pidfd_open, ask->list[0].pid, 0);
	int status = asking_ask(ask, 0, "stop", -1);

	(void)rest;
	if (status < 0) {
		status = ask->list[0].kind == CONTROL_RELAY ? say_relay(ask) : say_end(ask);
		if (pid_fd >= 0)
			recorder_wait(pid_fd, EXIT_PATIENCE_MS);
	}
	fd_close(pid_fd);
	return status;
}

static int run_stop(int argc, char **argv)
{
	return asking_run(&spec, argc, argv, RECORDER_LIST_RECORDERS | RECORDER_LIST_RELAYS, false,
			  end);
}

const struct verb verb_stop = {&spec, run_stop};
