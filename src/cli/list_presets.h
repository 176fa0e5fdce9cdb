/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * list_presets: `sonde list --presets`: what 'sonde record -p' can be given, and what is in it.
 */
#ifndef SONDE_CLI_LIST_PRESETS_H
#define SONDE_CLI_LIST_PRESETS_H

#include <stdbool.h>

struct buffer;
struct catalogue;
struct verb_spec;

struct preset_request {
	bool verbose;
	bool json;
	bool names;
	char **patterns; /* globs over names */
	int pattern_count; /* 0: all */
};

/* Writes the list to @out; errors in presets to stderr. The exit status. */
int list_presets(const struct verb_spec *spec, struct catalogue *cat,
		 const struct preset_request *req, struct buffer *out);

#endif /* SONDE_CLI_LIST_PRESETS_H */
