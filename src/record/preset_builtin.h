/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * preset_builtin: the presets that the program brings along, data/presets/ as they were when it
 * was built (tools/embed_texts.py). preset_files.c takes them if no file has that name.
 */
#ifndef SONDE_RECORD_PRESET_BUILTIN_H
#define SONDE_RECORD_PRESET_BUILTIN_H

struct embedded_text {
	const char *name; /* NULL: the end of the table */
	const char *text;
};

extern const struct embedded_text preset_builtin[];

#endif /* SONDE_RECORD_PRESET_BUILTIN_H */
