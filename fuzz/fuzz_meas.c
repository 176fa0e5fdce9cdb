// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_meas: any bytes as a measurement-system file. What is read of it is written again, as a file,
 * as integers and as text; where nothing was wrong with it, the file is the same.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file_window.h"
#include "base/io.h"
#include "output/text.h"
#include "output/view.h"
#include "record_format/meas/meas_reader.h"
#include "record_format/meas/meas_sink.h"
#include "record_format/meas/meas_text.h"
#include "wire/meas.h"

#include "memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One way to write them, and what came of it. */
struct way {
	struct output out;
	struct view view;
	struct event_sink *sink;
	struct buffer bytes;
};

static int keep(void *bytes_of, const void *bytes, size_t len)
{
	buffer_append(bytes_of, bytes, len);
	return 0;
}

static void way_init(struct way *way, const struct view *view)
{
	*way = (struct way){.view = *view};
	output_init(&way->out, -1, false);
	way->out.put = keep;
	way->out.put_ctx = &way->bytes;
	way->view.out = &way->out;
	buffer_init(&way->bytes);
}

static void way_fini(struct way *way)
{
	way->sink->ops->free(way->sink);
	output_fini(&way->out);
	buffer_fini(&way->bytes);
}

enum { WAY_FILE, WAY_WORDS, WAY_WIDE, WAY_TEXT, WAYS };

static struct event_source *open_source(const uint8_t *data, size_t size)
{
	struct event_source *source = NULL;
	struct diag diag = {.text = ""};
	struct file_window *file = memory_file(data, size);

	if (!meas_reader_is(data, size))
		file_window_close(file);
	else if (meas_reader_open(file, "it", &source, &diag) && !diag.text[0])
		abort();
	return source;
}

/* A head of more bytes than ours, and what is behind the version's end, is not kept. */
static bool is_plain(const uint8_t *data)
{
	bool big = data[8] == 1;
	size_t end = 24 + strlen((const char *)data + 24);

	if (data[12] != (big ? 0 : MEAS_HEAD_BYTES) || data[13] != (big ? MEAS_HEAD_BYTES : 0) ||
	    data[20] || data[21] || data[22] || data[23])
		return false;
	while (end < MEAS_HEAD_BYTES && !data[end])
		end++;
	return end == MEAS_HEAD_BYTES;
}

static void write_all_ways(struct event_source *source, const struct view *view,
			   const uint8_t *data, size_t size)
{
	const struct text_options options = {0};
	const struct event *events;
	struct way ways[WAYS];
	int count;

	for (size_t i = 0; i < WAYS; i++)
		way_init(&ways[i], view);
	ways[WAY_FILE].sink = meas_sink_new(&ways[WAY_FILE].view.analysis, ways[WAY_FILE].view.out,
					    MEAS_RELEASE_3_0);
	ways[WAY_WORDS].sink =
		meas_text_new(&ways[WAY_WORDS].view.analysis, ways[WAY_WORDS].view.out, false);
	ways[WAY_WIDE].sink =
		meas_text_new(&ways[WAY_WIDE].view.analysis, ways[WAY_WIDE].view.out, true);
	ways[WAY_TEXT].sink = text_new(&ways[WAY_TEXT].view, &options);
	while ((count = source->ops->next(source, &events)) > 0) {
		for (size_t i = 0; i < WAYS; i++)
			ways[i].sink->ops->batch(ways[i].sink, events, (size_t)count);
	}
	for (size_t i = 0; i < WAYS; i++)
		ways[i].sink->ops->finish(ways[i].sink);
	if (!source->ops->problem(source, 0) && is_plain(data) &&
	    (ways[WAY_FILE].bytes.len != size || memcmp(ways[WAY_FILE].bytes.data, data, size)))
		abort();
	for (size_t i = 0; i < WAYS; i++)
		way_fini(&ways[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_source *source = open_source(data, size);
	struct select select;
	struct view view;

	if (!source)
		return 0;
	select_init(&select);
	if (select_bind(&select, source->info, NULL))
		abort();
	view = (struct view){
		.analysis.info = source->info,
		.analysis.select = &select,
		.analysis.names = task_names_new(source->info),
		.analysis.known = known_new(source->info),
	};
	write_all_ways(source, &view, data, size);
	task_names_free(view.analysis.names);
	known_free(view.analysis.known);
	select_fini(&select);
	source->ops->close(source);
	return 0;
}
