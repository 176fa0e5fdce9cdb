// SPDX-License-Identifier: BSD-2-Clause
#include "source/own_terms.h"

#include <errno.h>
#include <stdlib.h>

#include "base/diag.h"
#include "record_format/magnet/magnet_terms.h"
#include "record_format/meas/meas_terms.h"
#include "record_format/pm/pm_terms.h"
#include "schema/class_table.h"
#include "schema/source.h"
#include "schema/terms.h"

static const terms_new_fn formats[] = {pm_terms_new, magnet_terms_new, meas_terms_new};

#define FORMAT_COUNT (sizeof(formats) / sizeof(formats[0]))
#define EACH_EVENTS (1 + FORMAT_COUNT * TERMS_EVENTS_MAX)
#define EACH_SLOTS (FORMAT_COUNT * TERMS_SLOTS_MAX)
#define BATCH 256u /* events of the source at most */

struct own_terms {
	struct event_source source; /* first: the vtable's functions get this */
	struct event_source *inner;
	struct trace_info info; /* that of the inner one, with more classes */
	struct class_table *table;
	struct terms *terms[FORMAT_COUNT]; /* NULL: nothing of that format */
	const struct event *given; /* by the inner one, and not passed on yet */
	size_t given_count;
	bool ended;
	struct event events[BATCH * EACH_EVENTS];
	uint64_t slots[BATCH * EACH_SLOTS];
};

static void take(struct own_terms *own, const struct event *event, struct terms_out *out)
{
	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		if (own->terms[i])
			own->terms[i]->ops->take(own->terms[i], event, out);
	}
}

/* What the inner source has found out of itself since. */
static void tell(struct own_terms *own)
{
	own->info = *own->inner->info;
	class_table_tell(own->table, &own->info);
}

static int own_next(struct event_source *source, const struct event **ret)
{
	struct own_terms *own = (struct own_terms *)source;
	struct terms_out out = {.events = own->events, .slots = own->slots};
	int got;

	if (!own->given_count && !own->ended) {
		got = own->inner->ops->next(own->inner, &own->given);
		if (got < 0)
			return got;
		own->given_count = (size_t)got;
		own->ended = !got;
		tell(own);
		if (own->ended)
			take(own, NULL, &out);
	}
	for (size_t i = 0; i < BATCH && own->given_count; i++, own->given_count--) {
		/* What it becomes may have waited for it: that is earlier. */
		take(own, own->given, &out);
		out.events[out.count++] = *own->given++;
	}
	*ret = own->events;
	return (int)out.count;
}

static const char *own_problem(const struct event_source *source, size_t i)
{
	const struct own_terms *own = (const struct own_terms *)source;

	return own->inner->ops->problem(own->inner, i);
}

static int own_seek(struct event_source *source, const struct source_span *span)
{
	struct own_terms *own = (struct own_terms *)source;

	own->ended = false;
	return own->inner->ops->seek ? own->inner->ops->seek(own->inner, span) : 0;
}

static void own_stop_when(struct event_source *source, source_stop_fn *is_stopped)
{
	struct event_source *inner = ((struct own_terms *)source)->inner;

	if (inner->ops->stop_when)
		inner->ops->stop_when(inner, is_stopped);
}

static void own_retire(struct event_source *source)
{
	struct own_terms *own = (struct own_terms *)source;

	if (own->inner->ops->retire)
		own->inner->ops->retire(own->inner);
}

static void free_terms(struct own_terms *own)
{
	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		if (own->terms[i])
			own->terms[i]->ops->free(own->terms[i]);
		own->terms[i] = NULL;
	}
	class_table_free(own->table);
	own->table = NULL;
}

/* All but the inner source. */
static void free_own(struct own_terms *own)
{
	free_terms(own);
	free(own);
}

static void own_close(struct event_source *source)
{
	struct own_terms *own = (struct own_terms *)source;

	own->inner->ops->close(own->inner);
	free_own(own);
}

/* How many formats there is something of, or -ENOMEM. */
static int find_formats(struct own_terms *own, const struct trace_info *info)
{
	int found = 0, err;

	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		err = formats[i](info, &own->terms[i]);
		if (!err && own->terms[i])
			err = own->terms[i]->ops->classes(own->terms[i], own->table);
		if (err)
			return err;
		found += own->terms[i] != NULL;
	}
	return found;
}

/* As find_formats. */
static int make_terms(struct own_terms *own, const struct trace_info *info)
{
	own->table = class_table_new_behind(info->classes, info->class_count);
	return own->table ? find_formats(own, info) : -ENOMEM;
}

/* The state of a format is built again from the events, and cannot be kept without them. */
static int own_renew(struct event_source *source, bool again, struct diag *diag)
{
	struct own_terms *own = (struct own_terms *)source;
	int err;

	if (!again)
		return diag_set(diag, -ENOTSUP,
				"normalized events can only be made from the first event on");
	free_terms(own);
	err = own->inner->ops->renew(own->inner, again, diag);
	if (err)
		return err;
	if (make_terms(own, own->inner->info) < 0)
		return diag_set(diag, -ENOMEM, "no memory");
	tell(own);
	own->given_count = 0;
	own->ended = false;
	return 0;
}

static const struct source_ops own_ops = {
	.next = own_next,
	.problem = own_problem,
	.seek = own_seek,
	.stop_when = own_stop_when,
	.retire = own_retire,
	.close = own_close,
};

static const struct source_ops renewed_ops = {
	.next = own_next,
	.problem = own_problem,
	.seek = own_seek,
	.stop_when = own_stop_when,
	.renew = own_renew,
	.retire = own_retire,
	.close = own_close,
};

int own_terms_add(struct event_source **source)
{
	struct own_terms *own = calloc(1, sizeof(*own));
	const bool renews = (*source)->ops->renew;
	int found;

	if (!own)
		return -ENOMEM;
	found = make_terms(own, (*source)->info);
	if (found < 0 || (!found && !renews)) { /* of one that renews there may be some yet */
		free_own(own);
		return found;
	}
	own->inner = *source;
	tell(own);
	own->source = (struct event_source){renews ? &renewed_ops : &own_ops, &own->info};
	*source = &own->source;
	return 0;
}
