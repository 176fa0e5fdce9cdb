// SPDX-License-Identifier: BSD-2-Clause
/*
 * sonde_open: a source from its opening to its close, its classes, and what it tells beside its events: what is missing, what
 * is damaged, what breaks the standard, and where it was recorded.
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
				.type = type_of(derived_described((enum derived)d)),
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

int source_take_classes(struct sonde_source *source)
{
	const struct trace_info *info = read_session_info(source->session);
	const uint32_t known = derived_known(info);
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

/* As read_request.open, with the struct sonde_credentials as @ctx: a live session is opened once. */
static int open_live(void *ctx, const char *name, bool follow, struct event_source **ret,
		     struct diag *diag)
{
	const struct sonde_credentials *credentials = ctx;
	const struct viewer_options options = {
		.credentials = {{credentials->tls_cert, credentials->tls_key, credentials->tls_ca},
				credentials->token},
	};

	(void)follow;
	return source_open_live(name, &options, ret, diag);
}

/* Takes over the rest of @request. */
static int open_session(struct sonde_source *source, const char *name,
			const struct read_request *request, struct diag *diag)
{
	int err;

	source->name = strdup(name);
	source->request = *request;
	source->request.sources = &source->name;
	source->request.source_count = 1;
	source->request.name = source->name;
	source->request.keeps_classes = true;
	source->request.derives = true; /* as `sonde print` does without --fields */
	select_init(&source->request.select);
	source->session = source->name ? read_session_new(&source->request, NULL) : NULL;
	if (!source->session)
		return -ENOMEM;
	err = read_session_open(source->session, NULL, diag);
	return err ?: source_take_classes(source);
}

static int open_by(const struct read_request *request, const char *name, struct sonde_source **ret,
		   struct sonde_error *error)
{
	struct sonde_source *source = calloc(1, sizeof(*source));
	struct diag diag = {0};
	int err;

	if (!source)
		return sonde_error_take(error, -ENOMEM, &diag);
	source->current.source = source;
	err = open_session(source, name, request, &diag);
	if (err) {
		sonde_close(source);
		return sonde_error_take(error, err, &diag);
	}
	*ret = source;
	return 0;
}

int sonde_open(const char *name, struct sonde_source **ret, struct sonde_error *error)
{
	return open_by(&(struct read_request){0}, name, ret, error);
}

int sonde_follow(const char *name, struct sonde_source **ret, struct sonde_error *error)
{
	return open_by(&(struct read_request){.follow = true}, name, ret, error);
}

int sonde_open_live(const char *name, const struct sonde_credentials *credentials,
		    struct sonde_source **ret, struct sonde_error *error)
{
	const struct read_request request = {
		.open = open_live,
		.open_ctx = (void *)(uintptr_t)credentials,
	};

	return open_by(&request, name, ret, error);
}

void sonde_close(struct sonde_source *source)
{
	if (!source)
		return;
	source_drop_plans(source);
	free_classes(source);
	read_session_free(source->session);
	select_fini(&source->request.select);
	for (size_t i = 0; i < SELECT_PATTERNS; i++)
		free(source->patterns[i]);
	free(source->where_text);
	free(source->name);
	free(source);
}

uint64_t sonde_lost_events(const struct sonde_source *source)
{
	return read_session_select(source->session)->lost;
}

uint64_t sonde_lost_packets(const struct sonde_source *source)
{
	return read_session_select(source->session)->overwritten;
}

const char *sonde_problem(const struct sonde_source *source, size_t i)
{
	return read_session_problem(source->session, i);
}

const char *sonde_warning(const struct sonde_source *source, size_t i)
{
	return trace_info_breach(read_session_info(source->session), i);
}

size_t sonde_env_count(const struct sonde_source *source)
{
	return read_session_info(source->session)->env_count;
}

const char *sonde_env_name(const struct sonde_source *source, size_t i)
{
	return i < sonde_env_count(source) ? read_session_info(source->session)->env[i].name : NULL;
}

const char *sonde_env_text(const struct sonde_source *source, const char *name)
{
	const struct trace_env *env = trace_info_env(read_session_info(source->session), name);

	return env ? env->text : NULL;
}

int sonde_env_number(const struct sonde_source *source, const char *name, int64_t *ret)
{
	const struct trace_env *env = trace_info_env(read_session_info(source->session), name);

	if (!env || env->text)
		return -ENOENT;
	*ret = env->number;
	return 0;
}
