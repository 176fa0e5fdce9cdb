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

/* Lists have classes of their own, as deep as the metadata may nest them. */
static int class_init(struct sonde_class *made, const struct event_class *class)
{
	int err = 0;

	made->class = class;
	made->fields = calloc(class->field_count ?: 1, sizeof(*made->fields));
	if (!made->fields)
		return -ENOMEM;
	for (uint32_t i = 0; !err && i < class->field_count; i++) {
		struct sonde_field *field = &made->fields[i];

		*field = (struct sonde_field){made, &class->fields[i], i,
					      type_of(&class->fields[i]), NULL};
		if (field->type != SONDE_TYPE_LIST)
			continue;
		field->items = calloc(1, sizeof(*field->items));
		if (!field->items)
			return -ENOMEM;
		field->items->is_item = true;
		err = class_init(field->items, class->fields[i].items);
	}
	return err;
}

static int make_classes(struct sonde_source *source, const struct trace_info *info)
{
	int err = 0;

	source->classes = calloc(info->class_count ?: 1, sizeof(*source->classes));
	if (!source->classes)
		return -ENOMEM;
	for (size_t i = 0; !err && i < info->class_count; i++)
		err = class_init(&source->classes[i], info->classes[i]);
	return err;
}

static void free_classes(struct sonde_source *source)
{
	for (size_t i = 0; source->classes && i < sonde_class_count(source); i++)
		class_fini(&source->classes[i]);
	free(source->classes);
}

static int make_view(struct sonde_source *source, const struct trace_info *info)
{
	source->view = (struct view){.info = info,
				     .select = &source->select,
				     .names = task_names_new(info),
				     .known = known_new(info)};
	return source->view.names && source->view.known ? 0 : -ENOMEM;
}

int sonde_open(const char *name, struct sonde_source **ret, struct sonde_error *error)
{
	struct sonde_source *source = calloc(1, sizeof(*source));
	struct diag diag = {0};
	int err;

	if (!source)
		return sonde_error_take(error, -ENOMEM, &diag);
	source->current.source = source;
	select_init(&source->select);
	err = source_open(name, &source->source, &diag);
	err = err ?: make_classes(source, source->source->info);
	err = err ?: make_view(source, source->source->info);
	err = err ?: select_bind(&source->select, source->source->info, &diag);
	if (err) {
		sonde_close(source);
		return sonde_error_take(error, err, &diag);
	}
	*ret = source;
	return 0;
}

void sonde_close(struct sonde_source *source)
{
	if (!source)
		return;
	if (source->plans)
		plans_free(source->plans, source->source->info->class_count);
	names_free(source->names);
	task_names_free(source->view.names);
	known_free(source->view.known);
	sieve_fini(&source->sieve);
	where_fini(&source->where);
	select_fini(&source->select);
	for (size_t i = 0; i < SELECT_PATTERNS; i++)
		free(source->patterns[i]);
	free_classes(source);
	if (source->source)
		source->source->ops->close(source->source);
	free(source);
}
