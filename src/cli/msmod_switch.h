/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * msmod_switch: turns measurements of the measurement system on and off, and notifies the collecting iscan.
 */
#ifndef SONDE_CLI_MSMOD_SWITCH_H
#define SONDE_CLI_MSMOD_SWITCH_H

#include <stdbool.h>

struct verb_spec;

/* Those of @which (meas_switch.h), for every iscan from now on. An enum exit_status; changes are
 * printed, and errors reported under the name of @spec. */
int msmod_switch(const struct verb_spec *spec, const bool *which, bool on);
/* The same for the measurements that they are made of, only in the recorder called @who. */
int msmod_tell_recorder(const struct verb_spec *spec, const char *who, const bool *which, bool on);

#endif /* SONDE_CLI_MSMOD_SWITCH_H */
