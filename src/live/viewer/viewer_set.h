/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewer_set: everything that one reading has attached at a relay: sessions, the traces in them, the streams of
 * these, as the relay lists them. viewer_feed asks for what they have, viewer_outlet passes it on to readers.
 * Members are read by viewer_*.c only.
 */
#ifndef SONDE_LIVE_VIEWER_VIEWER_SET_H
#define SONDE_LIVE_VIEWER_VIEWER_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diag;
struct problem_list;
struct symbols;
struct viewer_head;
struct viewer_session;
struct viewer_stream;
struct viewer_trace;

struct viewer_set_config {
	struct problem_list *problems; /* borrowed */
	struct trace_gaps *
		gaps; /* borrowed: where times are noted in which events are lost; NULL = nowhere */
	struct symbols *symbols; /* borrowed: where what addresses mean is put; NULL = nowhere */
	uint64_t retry_ns; /* until a relay that had nothing is asked again; 0 = by its timer */
	bool keep; /* what was received, so that it can be read from the begin again */
};

/* A session of the relay's: a domain of what people call one. */
struct viewer_attached {
	uint64_t id;
	uint64_t retry_ns;
	bool asked; /* for new streams */
	bool wanted; /* the relay has announced some */
	bool over;
	bool detached;
	uint64_t ask_ns;
};

/* Zeros but for the config, and until_ns INT64_MIN: nothing is attached. */
struct viewer_set {
	struct viewer_set_config config;
	struct viewer_attached *sessions; /* of the current connection */
	size_t session_count;
	struct viewer_trace **traces; /* those that are described come first */
	size_t trace_count;
	size_t described;
	struct viewer_stream **streams;
	size_t stream_count;
	int64_t until_ns; /* the last reported time: it does not go back */
	bool has_streams; /* the relay has ever announced some */
	bool by_process; /* and some are of buffers that one process has for itself */
};

void viewer_set_fini(struct viewer_set *set);
/* The connection is gone: its sessions and traces have no owner until they are attached again. */
void viewer_set_break(struct viewer_set *set);

/* NULL: not found. */
struct viewer_attached *viewer_set_session(const struct viewer_set *set, uint64_t id);
/* When a session that had nothing is to be asked again. */
uint64_t viewer_set_retry(const struct viewer_set *set, uint64_t session, uint64_t now_ns);
/* 0 or -ENOMEM. */
int viewer_set_add_session(struct viewer_set *set, const struct viewer_session *session);
/* Adds streams that the relay lists in a reply. 0, -ENOMEM, -E2BIG, or as viewer_input_new, with
 * the diag. */
int viewer_set_take(struct viewer_set *set, uint64_t session, const struct viewer_head *head,
		    struct diag *diag);
/* Nothing more comes of a trace's streams. */
void viewer_set_end_streams(struct viewer_set *set, const struct viewer_trace *trace);
/* What was received of them can be decoded, now or behind a renewal. */
void viewer_set_show(struct viewer_set *set, const struct viewer_trace *trace);

#endif /* SONDE_LIVE_VIEWER_VIEWER_SET_H */
