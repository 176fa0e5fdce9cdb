/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * preset_files: where presets are. In this order, the first of a name wins:
 *
 *	$XDG_CONFIG_HOME/sonde/presets, or ~/.config/sonde/presets	the user's own
 *	../share/sonde/presets, seen from the program's directory	as installed
 *	inside the program						as built
 */
#ifndef SONDE_RECORD_PRESET_FILES_H
#define SONDE_RECORD_PRESET_FILES_H

#include "record/preset.h"

#define PRESETS_MAX 256

typedef char preset_name[RECORDER_NAME_BYTES];

/* The names there are, sorted: how many. @names has room for PRESETS_MAX. */
int preset_names(preset_name *names);
/*
 * Reads the preset @name, or, where @name has a slash, that file. @settings as in preset_parse.
 * -ENOENT: not found, and the diag has the nearest name; -EINVAL and the like: it is not valid.
 */
int preset_open(const char *name, const char *const *settings, struct preset **ret,
		struct diag *diag);

#endif /* SONDE_RECORD_PRESET_FILES_H */
