// SPDX-License-Identifier: BSD-2-Clause
/*
 * sonde_follow: a trace that is followed has more classes than it had, so it is opened again. The
 * handles that its caller holds stay valid: handles of classes are the old ones, and lead to the classes of the
 * source that they were made from.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/diag.h"
#include "lib/handles.h"
#include "source/source.h"

static void forget_plan(struct sonde_class *of)
{
	of->plan = NULL;
	for (size_t i = 0; i < of->class->field_count; i++)
		if (of->fields[i].items)
			forget_plan(of->fields[i].items);
}

static int bind_where(struct sonde_source *source, struct diag *diag)
{
	int err = 0;

	if (!source->where_text)
		return 0;
	if (!source->where.expr)
		err = where_parse(&source->where, source->where_text, diag);
	return err ?: where_bind(&source->where, source->source->info, diag);
}

static void drop_plans(struct sonde_source *source)
{
	source_drop_view(source);
	for (size_t i = 0; i < source->class_count; i++)
		forget_plan(source->classes[i]);
}

/* Applies all requests again, to the current source. */
static int take_again(struct sonde_source *source)
{
	struct diag diag;
	int err = source_take(source, &diag);

	/* What does not match yet may do so later. */
	if (err == -ENOENT && source->source->ops->renew)
		err = 0;
	err = err ?: bind_where(source, &diag);
	return err ?: source_ask(source);
}

/* Names are not recorded twice, and pairs in progress continue. */
static int renew(struct sonde_source *source)
{
	struct diag diag;
	int err;

	source->old_names = source->view.names;
	source->old_known = source->view.known;
	source->old_derives = source->view.derives;
	source->view.names = NULL;
	source->view.known = NULL;
	source->view.derives = NULL;
	drop_plans(source);
	err = source->source->ops->renew(source->source, false, &diag);
	return err ?: take_again(source);
}

static int open_anew(struct sonde_source *source)
{
	struct event_source **old = realloc(source->old, (source->old_count + 1) * sizeof(*old));
	struct event_source *next;
	struct diag diag;
	int err;

	if (!old)
		return -ENOMEM;
	source->old = old;
	err = source_follow(source->name, &next, &diag);
	if (err)
		return err;
	drop_plans(source);
	where_fini(&source->where); /* all events that it needs come again */
	if (source->source->ops->retire)
		source->source->ops->retire(source->source);
	old[source->old_count++] = source->source;
	source->source = next;
	source->again_ns = source->given_ns;
	return take_again(source);
}

int source_reopen(struct sonde_source *source)
{
	return source->source->ops->renew ? renew(source) : open_anew(source);
}
