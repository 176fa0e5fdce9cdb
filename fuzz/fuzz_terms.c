// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_terms: any bytes as a file of a classic format, said in our own terms, and all reports of that. The
 * events of the file itself come as without; none comes before the one in front of it unless the file's do.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/io.h"
#include "output/report.h"
#include "output/view.h"
#include "schema/source.h"
#include "source/own_terms.h"
#include "source/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int drop(void *ctx, const void *bytes, size_t len)
{
	(void)ctx;
	(void)bytes;
	(void)len;
	return 0;
}

static struct event_source *open_source(int fd)
{
	struct event_source *source = NULL;
	struct diag diag = {.text = ""};
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (source_open(path, &source, &diag) && !diag.text[0])
		abort();
	return source;
}

static size_t count_events(struct event_source *source)
{
	const struct event *events;
	size_t all = 0;
	int count;

	while ((count = source->ops->next(source, &events)) > 0)
		all += (size_t)count;
	source->ops->close(source);
	return all;
}

/* How many of its events are those of the file. */
static size_t report(struct event_source *source, struct view *view, bool json)
{
	const struct report_options options = {.form = json ? REPORT_JSON : REPORT_TEXT,
					       .histograms = true};
	struct event_sink *sink = report_new(view, &options);
	const struct event *events;
	size_t given = 0;
	int count;

	if (!sink)
		abort();
	while ((count = source->ops->next(source, &events)) > 0) {
		for (int i = 0; i < count; i++)
			given += !events[i].class->again;
		(void)sink->ops->batch(sink, events, (size_t)count);
	}
	(void)sink->ops->finish(sink);
	sink->ops->free(sink);
	return given;
}

static size_t run(struct event_source *source, bool json)
{
	struct diag diag = {0};
	struct select select;
	struct output out;
	struct view view;
	size_t given = 0;

	if (own_terms_add(&source))
		abort();
	select_init(&select);
	output_init(&out, -1, false);
	out.put = drop;
	view = (struct view){.analysis.info = source->info,
			     .analysis.select = &select,
			     .analysis.names = task_names_new(source->info),
			     .analysis.known = known_new(source->info),
			     .out = &out};
	if (!view.analysis.names || !view.analysis.known)
		abort();
	if (!select_bind(&select, source->info, &diag))
		given = report(source, &view, json);
	task_names_free(view.analysis.names);
	known_free(view.analysis.known);
	output_fini(&out);
	select_fini(&select);
	source->ops->close(source);
	return given;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_source *source;
	int fd = memfd_create("terms", 0);
	size_t all;

	if (fd < 0 || write_all(fd, data, size))
		abort();
	source = open_source(fd);
	if (source) {
		all = count_events(source);
		for (int json = 0; json < 2; json++) {
			source = open_source(fd);
			if (!source || run(source, json) != all)
				abort();
		}
	}
	(void)fd_close(fd);
	return 0;
}
