/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * msmod_switch: turns measurements of the measurement system on and off, and tells those who collect.
 */
#ifndef SONDE_CLI_MSMOD_SWITCH_H
#define SONDE_CLI_MSMOD_SWITCH_H

#include <stdbool.h>

struct verb_spec;

/* Those of @which (meas_switch.h), for every iscan from now on. An enum exit_status; what has changed is
 * printed, and what went wrong said in the name of @spec. */
int msmod_switch(const struct verb_spec *spec, const bool *which, bool on);
/* What they are made of, in the recorder called @who and nowhere else. Likewise. */
int msmod_tell_recorder(const struct verb_spec *spec, const char *who, const bool *which, bool on);

#endif /* SONDE_CLI_MSMOD_SWITCH_H */
