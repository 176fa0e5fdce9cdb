// SPDX-License-Identifier: BSD-2-Clause
/*
 * sonde_filter: which events of a source its caller wants.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/where.h"
#include "base/diag.h"
#include "lib/handles.h"

/* Whether it can still be asked for something. */
static int check_early(const struct sonde_source *source, struct diag *diag)
{
	return source->started ? diag_set(diag, -EBUSY,
					  "events have been read already: choose "
					  "before the first of them") :
				 0;
}

static int add_patterns(struct sonde_source *source, const char *patterns, struct diag *diag)
{
	struct select *select = &source->request.select;
	const size_t count = select->pattern_count;
	char *copy = strdup(patterns);
	int err;

	if (!copy)
		return -ENOMEM;
	err = select_add_pattern(select, copy, diag);
	err = err ?: select_bind(select, read_session_info(source->session), diag);
	if (!err) {
		source->patterns[count] = copy;
		return 0;
	}
	free(copy);
	if (select->pattern_count > count) {
		select->pattern_count = count;
		(void)select_bind(select, read_session_info(source->session), NULL);
	}
	return err;
}

int sonde_filter_events(struct sonde_source *source, const char *patterns,
			struct sonde_error *error)
{
	struct diag diag = {0};
	int err = check_early(source, &diag);

	err = err ?: add_patterns(source, patterns, &diag);
	return err ? sonde_error_take(error, err, &diag) : 0;
}

int sonde_filter_where(struct sonde_source *source, const char *expression,
		       struct sonde_error *error)
{
	struct where where = {0};
	struct diag diag = {0};
	int err = check_early(source, &diag);

	if (!err && source->where_text)
		err = diag_set(&diag, -EEXIST, "there is an expression already: join them by &&");
	err = err ?: where_parse(&where, expression, &diag);
	err = err ?: where_bind(&where, read_session_info(source->session), &diag);
	if (!err)
		source->where_text = strdup(expression);
	if (!err && !source->where_text)
		err = -ENOMEM;
	where_fini(&where);
	if (err)
		return sonde_error_take(error, err, &diag);
	source->request.where = source->where_text;
	return 0;
}

int sonde_filter_cpus(struct sonde_source *source, const char *cpus, struct sonde_error *error)
{
	struct cpu_set more = {0};
	struct diag diag = {0};
	int err = check_early(source, &diag);

	/* Tried first: the earlier choice must not be half changed. */
	if (!err && cpu_set_parse(&more, cpus))
		err = diag_set(
			&diag, -EINVAL,
			"cpus: '%s' is not a list of CPUs below %u: give numbers and spans with commas between them, as in 0,2-5",
			cpus, CPU_SET_CPUS);
	cpu_set_fini(&more);
	err = err ?: select_parse_cpus(&source->request.select, cpus, &diag);
	return err ? sonde_error_take(error, err, &diag) : 0;
}

static int set_time(struct sonde_source *source, const char *what, const char *time,
		    struct time_point *point, struct sonde_error *error)
{
	struct diag diag = {0};
	int err = check_early(source, &diag);

	err = err ?: select_parse_time(what, time, point, &diag);
	return err ? sonde_error_take(error, err, &diag) : 0;
}

int sonde_filter_from(struct sonde_source *source, const char *time, struct sonde_error *error)
{
	return set_time(source, "from", time, &source->request.select.from, error);
}

int sonde_filter_to(struct sonde_source *source, const char *time, struct sonde_error *error)
{
	return set_time(source, "to", time, &source->request.select.to, error);
}

int sonde_filter_span(struct sonde_source *source, int64_t from_ns, int64_t to_ns,
		      struct sonde_error *error)
{
	struct diag diag = {0};

	if (check_early(source, &diag))
		return sonde_error_take(error, -EBUSY, &diag);
	source->request.select.from = (struct time_point){TIME_POINT_EPOCH, from_ns};
	source->request.select.to = (struct time_point){TIME_POINT_EPOCH, to_ns};
	return 0;
}
