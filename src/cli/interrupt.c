// SPDX-License-Identifier: BSD-2-Clause
#include "cli/interrupt.h"

#include <signal.h>

#include "base/diag.h"
#include "base/emit.h"
#include "cli/verb.h"
#include "output/time_text.h"

/* Process-wide because signals are. */
static volatile sig_atomic_t interrupted;

static void note_interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

void interrupt_catch(void)
{
	struct sigaction action = {.sa_handler = note_interrupt, .sa_flags = (int)SA_RESETHAND};

	if (interrupted) /* the second one is not for us */
		return;
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

bool interrupt_seen(void)
{
	return interrupted;
}

int interrupt_tell(const struct verb_spec *spec, const char *name, int64_t last_ns)
{
	char at[TIME_TEXT_BYTES + EMIT_SLACK_BYTES];
	struct time_text time;
	struct diag diag;

	if (last_ns == INT64_MIN) {
		(void)diag_set(&diag, 0, "%s: interrupted before the first event", name);
	} else if (last_ns == INTERRUPT_UNKNOWN) {
		(void)diag_set(&diag, 0, "%s: interrupted: a part of it is missing", name);
	} else {
		time_text_init(&time, TIME_STYLE_ABS);
		*time_text_write(&time, at, last_ns) = '\0';
		(void)diag_set(&diag, 0, "%s: interrupted: events later than %s are missing", name,
			       at);
	}
	return verb_fail(spec, STATUS_ERROR, &diag);
}
