/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interrupt: Ctrl-C, and SIGTERM, while a trace is read: once ends the reading, with all that was read
 * whole; twice ends the program.
 */
#ifndef SONDE_CLI_INTERRUPT_H
#define SONDE_CLI_INTERRUPT_H

#include <stdbool.h>

/* From here on. */
void interrupt_catch(void);
bool interrupt_seen(void);

#endif /* SONDE_CLI_INTERRUPT_H */
