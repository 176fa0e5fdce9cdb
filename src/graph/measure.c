// SPDX-License-Identifier: BSD-2-Clause
#include "graph/measure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyse/analysis.h"
#include "analyse/derive.h"
#include "graph/conn_pick.h"
#include "schema/lost.h"

static void find_place(struct measure *measure, const struct event_class *class,
		       struct measure_place *place)
{
	const struct group_choice conns = {GROUP_CONN, NULL};
	const struct measure_request *request = &measure->request;

	place->field = field_pick_place(request->pick, class);
	place->wanted = place->field.kind != PLACE_NONE &&
			select_shows(measure->analysis->select, class) &&
			group_place_find(&request->by, class, &place->group) &&
			(!request->conn_count || group_place_find(&conns, class, &place->conn));
	if (place->wanted && place->field.kind == PLACE_FLOAT)
		measure->whole = false;
	place->derives = measure->derive && derive_takes(measure->derive, class);
}

int measure_init(struct measure *measure, const struct analysis *analysis,
		 const struct measure_request *request)
{
	const struct trace_info *info = analysis->info;
	uint32_t needs;

	*measure = (struct measure){.analysis = analysis, .request = *request, .whole = true};
	measure->unit = unit_find(field_pick_unit(request->pick));
	measure->factor = measure->unit.factor * request->pick->factor;
	needs = request->pick->field ? 0 : 1u << request->pick->derived;
	needs |= group_choice_needs(&request->by, info);
	if (needs) {
		measure->derive = derive_new(info, needs);
		if (!measure->derive)
			return -ENOMEM;
	}
	measure->places = calloc(info->class_count ?: 1, sizeof(*measure->places));
	if (!measure->places)
		return -ENOMEM;
	for (size_t i = 0; i < info->class_count; i++)
		find_place(measure, info->classes[i], &measure->places[i]);
	return 0;
}

void measure_fini(struct measure *measure)
{
	derive_free(measure->derive);
	free(measure->places);
	*measure = (struct measure){0};
}

/* Whether it is of a connection that was asked for. */
static bool is_wanted(const struct measure *measure, const struct group_place *place,
		      const struct event *event)
{
	const struct measure_request *request = &measure->request;
	struct conn_id id = {0};

	if (place->has_addresses) {
		conn_id_learn(&id, &place->conn, event);
	} else {
		id.lport = (uint16_t)event_uint(event, (size_t)place->conn.lport);
		id.rport = (uint16_t)event_uint(event, (size_t)place->conn.rport);
	}
	for (size_t i = 0; i < request->conn_count; i++)
		if (conn_pick_matches(&request->conns[i], &id))
			return true;
	return false;
}

static bool get_value(struct measure *measure, const struct measure_place *place,
		      const struct event *event, const struct event_facts *facts, double *value)
{
	const struct field_place *field = &place->field;

	if (measure->request.conn_count && !is_wanted(measure, &place->conn, event))
		return false;
	if (!field_place_get(field, event, facts, value)) {
		measure->limitless += field->none &&
				      (!field->optional || event_has(event, field->index));
		return false;
	}
	*value *= measure->factor;
	return fabs(*value) <= MEASURE_MOST; /* nor is it a number else */
}

static void note_time(struct measure *measure, int64_t time_ns)
{
	if (!measure->count || time_ns < measure->first_ns)
		measure->first_ns = time_ns;
	if (!measure->count || time_ns > measure->last_ns)
		measure->last_ns = time_ns;
	measure->count++;
}

const struct measure_place *measure_take(struct measure *measure, const struct event *event,
					 bool shown, double *value)
{
	const struct measure_place *place = &measure->places[event->class->index];
	struct event_facts *facts = &measure->facts;

	facts->has = 0;
	if (place->derives)
		derive_event(measure->derive, event, facts);
	if (__builtin_expect(event->class->role == EVENT_ROLE_LOST, 0))
		measure->lost += event_uint(event, LOST_COUNT);
	if (!shown || !place->wanted || !get_value(measure, place, event, facts, value))
		return NULL;
	note_time(measure, event->time_ns);
	measure->tid = owner_of_event(facts, event->tid);
	return place;
}

void measure_merge(struct measure *into, const struct measure *from)
{
	into->limitless += from->limitless;
	into->lost += from->lost;
	if (!from->count)
		return;
	if (!into->count || from->first_ns < into->first_ns)
		into->first_ns = from->first_ns;
	if (!into->count || from->last_ns > into->last_ns)
		into->last_ns = from->last_ns;
	into->count += from->count;
}

double measure_step(const struct measure *measure)
{
	return measure->whole ? fabs(measure->factor) : 0;
}
