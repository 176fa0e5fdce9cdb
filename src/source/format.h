/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * format: the table of what events can be written as: `print --format`, `convert --to`.
 *
 * One entry is one way to write; names, help, completion and the choice by a file's name all come
 * from here. To add one: its sink in a file of its own, and its line in format.c.
 */
#ifndef SONDE_SOURCE_FORMAT_H
#define SONDE_SOURCE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "analyse/stack_weights.h"
#include "output/text.h"
#include "schema/source.h"

struct diag;
struct view;

/* What a sink is made for. Borrowed until the sink is freed. */
struct format_request {
	const struct view *view; /* formats that are one run of bytes write to view->out */
	const char *path; /* of formats that make a directory: its name */
	struct text_options text; /* of text alone */
	bool csv_safe; /* of csv and tsv: texts that a spreadsheet might take for formulas are marked */
	bool compress; /* of directories alone: their packets, with zstd, at `level` */
	int level;
	gid_t group; /* of directories alone: whose members may use them as the umask allows; 0 = not set */
	void (*begin)(void); /* of directories alone: called before it is made; or NULL */
	struct diag *
		note; /* set where what is written differs from what it was once; NULL = not wanted */
	struct stack_weights_request stacks; /* of folded and pprof */
	uint16_t meas_release; /* of meas alone: enum meas_release; 0 = that of the source, or 3.0 */
};

struct format {
	const char *name; /* "json" */
	const char *text; /* "one object a line" */
	const char *extension; /* ".json": of files written so; NULL = none */
	bool directory; /* it makes one at `path`, and cannot go to a pipe */
	/* 0, or -errno with the diag. */
	int (*make_sink)(const struct format_request *request, struct event_sink **ret,
			 struct diag *diag);
	/* What is written of an event is its fields and derived values, and what they are called: parts of a trace
	 * can be written by themselves, one behind the other. */
	bool each_alone;
	/* Whether it can hold events of @class: others are not written. NULL: it holds all. */
	bool (*holds)(const struct event_class *class);
};

/* The @i-th, NULL behind the last. The first is for people; formats of one file come first. */
const struct format *format_get(size_t i);
/* NULL: not found. */
const struct format *format_find(const char *name);
/* The one with the longest extension that @path ends in, or NULL. */
const struct format *format_of_path(const char *path);

#endif /* SONDE_SOURCE_FORMAT_H */
