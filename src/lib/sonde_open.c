// SPDX-License-Identifier: BSD-2-Clause
/*
 * sonde_open: a source from its opening to its close, and what can be said of it in words.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "lib/handles.h"
#include "live/viewer/viewer_source.h"
#include "source/source.h"

const char *sonde_version(void)
{
	return SONDE_VERSION;
}

const char *sonde_strerror(int err)
{
	const char *text = strerrordesc_np(err < 0 ? -err : err);

	return text ? text : "unknown error";
}

int sonde_error_take(struct sonde_error *error, int err, const struct diag *diag)
{
	if (!error)
		return err;
	*error = (struct sonde_error){.offset = diag->offset, .line = diag->line};
	snprintf(error->text, sizeof(error->text), "%s",
		 *diag->text ? diag->text : sonde_strerror(err));
	return err;
}

static enum sonde_type type_of(const struct field *field)
{
	switch (field->kind) {
	case FIELD_LIST:
		return SONDE_TYPE_LIST;
	case FIELD_TEXT:
	case FIELD_STRING:
		return SONDE_TYPE_TEXT;
	case FIELD_FLOAT:
		return SONDE_TYPE_DOUBLE;
	default:
		return field->is_signed ? SONDE_TYPE_SIGNED : SONDE_TYPE_UNSIGNED;
	}
}

static void class_fini(struct sonde_class *made)
{
	for (size_t i = 0; made->fields && i < made->class->field_count; i++) {
		if (made->fields[i].items)
			class_fini(made->fields[i].items);
		free(made->fields[i].items);
	}
	free(made->fields);
}

static void add_derived(struct sonde_class *made, uint32_t derived)
{
	for (uint32_t d = 0; d < DERIVED_COUNT; d++) {
		if (derived >> d & 1)
			made->fields[made->field_count++] = (struct sonde_field){
				.owner = made,
				.field = derived_described((enum derived)d),
				.index = d,
				.is_derived = true,
				.type = SONDE_TYPE_UNSIGNED,
			};
	}
}

/* Lists have classes of their own, as deep as the metadata may nest them. @derived: what it has besides. */
static int class_init(struct sonde_class *made, const struct event_class *class, uint32_t derived)
{
	int err = 0;

	made->class = class;
	made->fields = calloc(class->field_count + DERIVED_COUNT, sizeof(*made->fields));
	if (!made->fields)
		return -ENOMEM;
	made->field_count = class->field_count;
	add_derived(made, derived);
	for (uint32_t i = 0; !err && i < class->field_count; i++) {
		struct sonde_field *field = &made->fields[i];

		*field = (struct sonde_field){
			.owner = made,
			.field = &class->fields[i],
			.index = i,
			.type = type_of(&class->fields[i]),
		};
		if (field->type != SONDE_TYPE_LIST)
			continue;
		field->items = calloc(1, sizeof(*field->items));
		if (!field->items)
			return -ENOMEM;
		field->items->is_item = true;
		err = class_init(field->items, class->fields[i].items, 0);
	}
	return err;
}

/* That of an event class which the trace had before it was opened again, or NULL. */
static struct sonde_class *find_same(const struct sonde_source *source,
				     const struct event_class *class)
{
	for (size_t i = 0; i < source->class_count; i++) {
		const struct event_class *known = source->classes[i]->class;

		if (known->id == class->id && known->stream == class->stream &&
		    known->field_count == class->field_count && !strcmp(known->name, class->name))
			return source->classes[i];
	}
	return NULL;
}

static int add_class(struct sonde_source *source, const struct event_class *class, uint32_t derived,
		     struct sonde_class **ret)
{
	struct sonde_class *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->index = source->class_count;
	source->classes[source->class_count++] = made;
	*ret = made;
	return class_init(made, class, derived);
}

static int make_classes(struct sonde_source *source, const struct trace_info *info)
{
	const uint32_t known = derived_known(info->classes, info->class_count);
	const bool again = source->class_count;
	struct sonde_class **classes;
	int err = 0;

	classes = realloc(source->classes, (source->class_count + info->class_count + 1) *
						   sizeof(struct sonde_class *));
	if (!classes)
		return -ENOMEM;
	source->classes = classes;
	free(source->by_index);
	source->by_index = calloc(info->class_count ?: 1, sizeof(struct sonde_class *));
	if (!source->by_index)
		return -ENOMEM;
	for (size_t i = 0; !err && i < info->class_count; i++) {
		if (again)
			source->by_index[i] = find_same(source, info->classes[i]);
		if (!source->by_index[i])
			err = add_class(source, info->classes[i],
					derived_of(info->classes[i], known), &source->by_index[i]);
	}
	return err;
}

static void free_classes(struct sonde_source *source)
{
	for (size_t i = 0; i < source->class_count; i++) {
		class_fini(source->classes[i]);
		free(source->classes[i]);
	}
	free(source->classes);
	free(source->by_index);
}

/* As `sonde print` does without --fields. */
static int add_derives(struct sonde_source *source, const struct trace_info *info)
{
	source->view.derived = derived_known(info->classes, info->class_count);
	if (!source->view.derived)
		return 0;
	source->view.derives =
		derive_view_renew(source->old_derives, info, source->view.derived, false);
	source->old_derives = NULL;
	return source->view.derives ? 0 : -ENOMEM;
}

static int make_view(struct sonde_source *source, const struct trace_info *info)
{
	source->view = (struct analysis){.info = info,
					 .select = &source->select,
					 .names = task_names_renew(source->old_names, info),
					 .known = known_renew(source->old_known, info)};
	source->old_names = NULL;
	source->old_known = NULL;
	return source->view.names && source->view.known ? add_derives(source, info) : -ENOMEM;
}

void source_drop_view(struct sonde_source *source)
{
	if (source->plans)
		plans_free(source->plans, source->source->info->class_count);
	names_free(source->names);
	task_names_free(source->view.names);
	known_free(source->view.known);
	derive_view_free(source->view.derives);
	sieve_fini(&source->sieve);
	source->plans = NULL;
	source->names = NULL;
	source->view = (struct analysis){0};
}

int source_ask(struct sonde_source *source)
{
	/* What the expression needs is read anyway. */
	if (source->view.derives && source->where.derive)
		source->view.derives->exact = true;
	return sieve_init(&source->sieve, &source->view,
			  source->where_text ? &source->where : NULL);
}

int source_take(struct sonde_source *source, struct diag *diag)
{
	const struct trace_info *info = source->source->info;
	int err = make_classes(source, info);

	err = err ?: make_view(source, info);
	return err ?: select_bind(&source->select, info, diag);
}

static int open_stored(const char *name, const struct sonde_credentials *credentials,
		       struct event_source **ret, struct diag *diag)
{
	(void)credentials;
	return source_open(name, ret, diag);
}

static int open_followed(const char *name, const struct sonde_credentials *credentials,
			 struct event_source **ret, struct diag *diag)
{
	(void)credentials;
	return source_follow(name, ret, diag);
}

static int open_live(const char *name, const struct sonde_credentials *credentials,
		     struct event_source **ret, struct diag *diag)
{
	const struct viewer_options options = {
		.credentials = {{credentials->tls_cert, credentials->tls_key, credentials->tls_ca},
				credentials->token},
	};

	return viewer_source_open(name, &options, ret, diag);
}

typedef int (*opener)(const char *name, const struct sonde_credentials *credentials,
		      struct event_source **ret, struct diag *diag);

static int open_by(opener open, const char *name, const struct sonde_credentials *credentials,
		   struct sonde_source **ret, struct sonde_error *error)
{
	struct sonde_source *source = calloc(1, sizeof(*source));
	struct diag diag = {0};
	int err;

	if (!source)
		return sonde_error_take(error, -ENOMEM, &diag);
	source->current.source = source;
	source->given_ns = source->again_ns = INT64_MIN;
	select_init(&source->select);
	err = open(name, credentials, &source->source, &diag);
	err = err ?: source_take(source, &diag);
	if (!err && (open == open_followed || source->source->ops->renew)) {
		source->name = strdup(name);
		err = source->name ? 0 : -ENOMEM;
	}
	if (err) {
		sonde_close(source);
		return sonde_error_take(error, err, &diag);
	}
	*ret = source;
	return 0;
}

int sonde_open(const char *name, struct sonde_source **ret, struct sonde_error *error)
{
	return open_by(open_stored, name, NULL, ret, error);
}

int sonde_follow(const char *name, struct sonde_source **ret, struct sonde_error *error)
{
	return open_by(open_followed, name, NULL, ret, error);
}

int sonde_open_live(const char *name, const struct sonde_credentials *credentials,
		    struct sonde_source **ret, struct sonde_error *error)
{
	return open_by(open_live, name, credentials, ret, error);
}

void sonde_close(struct sonde_source *source)
{
	if (!source)
		return;
	source_drop_view(source);
	where_fini(&source->where);
	task_names_free(source->old_names);
	known_free(source->old_known);
	derive_view_free(source->old_derives);
	select_fini(&source->select);
	for (size_t i = 0; i < SELECT_PATTERNS; i++)
		free(source->patterns[i]);
	free_classes(source);
	if (source->source)
		source->source->ops->close(source->source);
	for (size_t i = 0; i < source->old_count; i++)
		source->old[i]->ops->close(source->old[i]);
	free(source->old);
	free(source->where_text);
	free(source->name);
	free(source);
}
