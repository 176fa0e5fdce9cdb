/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * source, sink: the two shapes that everything else fills. A source gives events in time order,
 * a batch at a time; a sink takes them. An indirect call is paid per batch, never per event.
 */
#ifndef SONDE_SCHEMA_SOURCE_H
#define SONDE_SCHEMA_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/event.h"
#include "schema/trace_info.h"

struct diag;
struct event_source;
struct stream_chain;

/* The part of a source that is wanted. */
struct source_span {
	int64_t from_ns;
	int64_t to_ns; /* the last */
	/* By event_class.index: classes of which all events before from_ns are wanted too, for what
	 * they teach. NULL: none. */
	const bool *taught;
};

/* Whether the work is to end: Ctrl-C, for example. */
typedef bool source_stop_fn(void);

struct source_ops {
	/* The next events, in time order, borrowed until the next call: their count, 0 at the end,
	 * or -errno. Damage to one stream does not end the others: `problem` reports it. */
	int (*next)(struct event_source *source, const struct event **ret);
	/* The @i-th damage met so far, or NULL: what could not be read, where and why. */
	const char *(*problem)(const struct event_source *source, size_t i);
	/*
	 * From here on `next` ends behind span->to_ns, until the next seek; and what is earlier than
	 * span->from_ns may be left out. It only ever goes forward: events that were given are not given
	 * again, so from_ns rises from call to call. 0 or -ENOMEM. NULL: all events come.
	 */
	int (*seek)(struct event_source *source, const struct source_span *span);
	/*
	 * Moments, ascending, between any two of which lie some @bytes: at most @room of them, 0
	 * if unknown. NULL: never known.
	 */
	size_t (*cut)(struct event_source *source, uint64_t bytes, int64_t *moments, size_t room);
	/* Before the first `next`: adds its stream files to @chain, to be linked with those of other sources that
	 * continue them (trace/stream_chain.h). 0 or -ENOMEM. NULL: it has none. */
	int (*chain)(struct event_source *source, struct stream_chain *chain);
	/*
	 * Behind -ESTALE of `next`: the source continues, from the first of its events again if
	 * @again, else behind those that it gave, with what is described by now. `info` has changed:
	 * classes that it had before are there until close, under other numbers. 0 or -errno with
	 * the diag. NULL: it must be opened again, by its name.
	 */
	int (*renew)(struct event_source *source, bool again, struct diag *diag);
	/*
	 * Behind -EAGAIN of `next`: others need not wait for it with what is up to this;
	 * INT64_MAX: the others need not wait, it is not known when there will be more. NULL: it
	 * never gives -EAGAIN.
	 */
	int64_t (*until)(struct event_source *source);
	/* How long `next` may wait before it gives -EAGAIN; default: a tenth of a second. NULL: as `until`. */
	void (*patience)(struct event_source *source, uint64_t ns);
	/* From here on `next` gives -EINTR when @is_stopped, also from packet to packet that have no events. NULL:
	 * each call of `next` is short. */
	void (*stop_when)(struct event_source *source, source_stop_fn *is_stopped);
	/*
	 * Nothing more is read of it: files and buffers are freed. The data of `info` and of `problem`
	 * stays until close. NULL: nothing to free.
	 */
	void (*retire)(struct event_source *source);
	void (*close)(struct event_source *source);
};

struct event_source {
	const struct source_ops *ops;
	const struct trace_info *info;
};

struct event_sink;

struct sink_ops {
	/* 0, or -errno to stop (for example -EPIPE). */
	int (*batch)(struct event_sink *sink, const struct event *events, size_t count);
	/* All events were seen: totals and whatever is still buffered. */
	int (*finish)(struct event_sink *sink);
	void (*free)(struct event_sink *sink);
	/* Before finish: the events are not all that was asked for, as @sentence says. NULL = does not matter. */
	void (*lacks)(struct event_sink *sink, const char *sentence);
};

struct event_sink {
	const struct sink_ops *ops;
};

#endif /* SONDE_SCHEMA_SOURCE_H */
