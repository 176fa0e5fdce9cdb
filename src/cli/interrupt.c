// SPDX-License-Identifier: BSD-2-Clause
#include "cli/interrupt.h"

#include <signal.h>

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

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

bool interrupt_seen(void)
{
	return interrupted;
}
