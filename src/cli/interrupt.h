/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interrupt: Ctrl-C, and SIGTERM, while a trace is read: once ends the reading, with all that was read
 * whole; twice ends the program.
 */
#ifndef SONDE_CLI_INTERRUPT_H
#define SONDE_CLI_INTERRUPT_H

#include <stdbool.h>
#include <stdint.h>

struct verb_spec;

#define INTERRUPT_UNKNOWN INT64_MAX /* how far the reading came */

/* From here on; before something is made that must not be left half-made. */
void interrupt_catch(void);
bool interrupt_seen(void);
/* Says on stderr that what was made of @name is a part, and that @last_ns was the last time in it:
 * INT64_MIN = no event came. An enum exit_status. */
int interrupt_tell(const struct verb_spec *spec, const char *name, int64_t last_ns);

#endif /* SONDE_CLI_INTERRUPT_H */
