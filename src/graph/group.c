// SPDX-License-Identifier: BSD-2-Clause
#include "graph/group.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyse/analysis.h"
#include "analyse/derive.h"
#include "analyse/select.h"
#include "analyse/task_names.h"
#include "base/diag.h"
#include "base/emit.h"
#include "base/escape.h"
#include "base/nearest.h"
#include "schema/event.h"
#include "schema/origin.h"
#include "schema/syscalls.h"
#include "schema/trace_info.h"

#define LABEL_TEXT_BYTES 64 /* of a text; the rest would not fit into a legend */

struct group_word {
	const char *word;
	enum group_by by;
};

static const struct group_word words[] = {
	{"none", GROUP_NONE}, {"conn", GROUP_CONN},   {"tid", GROUP_TID},
	{"pid", GROUP_PID},   {"comm", GROUP_COMM},   {"cpu", GROUP_CPU},
	{"dev", GROUP_DEV},   {"event", GROUP_EVENT}, {"container", GROUP_CONTAINER},
};

void group_choice_parse(const char *text, struct group_choice *ret)
{
	*ret = (struct group_choice){GROUP_FIELD, text};
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(text, words[i].word))
			*ret = (struct group_choice){words[i].by, NULL};
}

uint32_t group_choice_needs(const struct group_choice *choice, const struct trace_info *info)
{
	bool tasks = choice->by == GROUP_TID || choice->by == GROUP_PID ||
		     choice->by == GROUP_COMM || choice->by == GROUP_CONTAINER;

	if (choice->by == GROUP_FIELD && !strcmp(choice->field, derived_fields[DERIVED_FILE].name))
		return derived_known(info) & 1u << DERIVED_FILE;
	return tasks && derive_knows_owners(info) ? 1u << DERIVED_OWNER : 0;
}

/* A number, a text, or an address. */
static bool can_group(const struct field *field)
{
	if (field->kind == FIELD_TEXT || field->kind == FIELD_STRING)
		return true;
	if (field->show == FIELD_SHOW_ADDRESS)
		return field->kind == FIELD_INT && field->count == 16 && field->bits == 8;
	return field->kind == FIELD_INT && !field_is_many(field);
}

static bool find_field(const char *name, const struct event_class *class, struct group_place *ret)
{
	int index = event_class_find_any(class, name);

	if (index < 0 || !can_group(&class->fields[index]))
		return false;
	ret->by = GROUP_FIELD;
	ret->field = (size_t)index;
	return true;
}

static bool find_origin(const char *name, const struct event_class *class, struct group_place *ret)
{
	for (int part = 0; part < ORIGIN_PART_COUNT; part++) {
		if (strcmp(name, origin_names[part]) ||
		    !origin_has(class->origin, (enum origin_part)part))
			continue;
		ret->by = GROUP_ORIGIN;
		ret->field = (size_t)part;
		return true;
	}
	return false;
}

/* The file of a descriptor, or of an inode. */
static bool find_file(const char *name, const struct event_class *class, struct group_place *ret)
{
	if (strcmp(name, derived_fields[DERIVED_FILE].name) != 0)
		return false;
	ret->inode = event_class_find_inode(class);
	ret->major = event_class_find_number(class, "major");
	ret->minor = event_class_find_number(class, "minor");
	if (ret->inode < 0 && !derived_has(DERIVED_FILE, class->name))
		return false;
	ret->by = GROUP_FILE;
	return true;
}

int group_choice_check(const struct group_choice *choice, const struct trace_info *info,
		       const struct select *select, struct diag *diag)
{
	struct group_place place;
	struct nearest near;

	if (choice->by != GROUP_FIELD)
		return 0;
	nearest_init(&near, choice->field);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		nearest_offer(&near, words[i].word);
	for (size_t i = 0; i < info->class_count; i++) {
		const struct event_class *class = info->classes[i];

		if (!select_shows(select, class))
			continue;
		if (find_field(choice->field, class, &place) ||
		    find_file(choice->field, class, &place) ||
		    find_origin(choice->field, class, &place))
			return 0;
		for (size_t f = 0; f < class->field_count; f++)
			if (can_group(&class->fields[f]))
				nearest_offer(&near, class->fields[f].name);
	}
	if (near.name)
		return diag_set(diag, -ENOENT,
				"no event that is chosen has a field '%s': did you mean '%s'?",
				choice->field, escape_name(near.name).text);
	return diag_set(diag, -ENOENT,
			"no event that is chosen has a field '%s'; there are also conn, tid, pid, "
			"comm, container, cpu, dev, event, none",
			choice->field);
}

static bool find_conn(const struct event_class *class, struct group_place *ret)
{
	ret->has_addresses = conn_id_find(&ret->conn, class);
	if (ret->conn.lport < 0 || ret->conn.rport < 0)
		return false;
	ret->by = GROUP_CONN;
	return true;
}

/* The disk's name, where events have it; else its numbers. */
static bool find_dev(const struct event_class *class, struct group_place *ret)
{
	if (find_field("disk", class, ret))
		return true;
	ret->major = event_class_find_number(class, "major");
	ret->minor = event_class_find_number(class, "minor");
	ret->by = GROUP_DEV;
	return ret->major >= 0 && ret->minor >= 0;
}

bool group_place_find(const struct group_choice *choice, const struct event_class *class,
		      struct group_place *ret)
{
	*ret = (struct group_place){.by = choice->by, .class = class};
	switch (choice->by) {
	case GROUP_AUTO:
		if (!find_conn(class, ret))
			ret->by = GROUP_NONE;
		return true;
	case GROUP_CONN:
		return find_conn(class, ret);
	case GROUP_DEV:
		return find_dev(class, ret);
	case GROUP_FIELD:
		return find_field(choice->field, class, ret) ||
		       find_file(choice->field, class, ret) ||
		       find_origin(choice->field, class, ret);
	default:
		return true;
	}
}

/* FNV-1a, 64 bits. */
static uint64_t hash(const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	uint64_t ret = 0xcbf29ce484222325u;

	for (size_t i = 0; i < len; i++)
		ret = (ret ^ p[i]) * 0x100000001b3u;
	return ret;
}

static uint64_t number(const struct event *event, int field)
{
	return event_uint(event, (size_t)field);
}

static uint64_t conn_key(const struct group_place *place, const struct event *event)
{
	if (place->has_addresses)
		return conn_id_key(&place->conn, event);
	return number(event, place->conn.lport) << 16 | number(event, place->conn.rport);
}

static uint64_t field_key(const struct group_place *place, const struct event *event)
{
	const struct field *field = &place->class->fields[place->field];
	const char *text;
	size_t len;

	if (field->kind == FIELD_INT && field->count == 16)
		return hash(event_bytes(event, place->field), 16);
	if (field->kind == FIELD_INT)
		return event_uint(event, place->field);
	text = event_text(event, place->field, &len);
	return hash(text, len);
}

static const struct task_name *name_of(const struct event *event, const struct analysis *analysis)
{
	return task_names_get(analysis->names, event->class, event->tid);
}

static uint64_t origin_key(const struct group_place *place)
{
	const struct origin *origin = place->class->origin;

	if (place->field == ORIGIN_VPID)
		return (uint64_t)origin->vpid;
	if (place->field == ORIGIN_PROCNAME)
		return hash(origin->procname, strlen(origin->procname));
	return hash(origin->hostname, strlen(origin->hostname));
}

/* Its length; *@ret borrowed until the next event, or the next name that is asked for. */
static size_t file_of(const struct group_place *place, const struct event *event,
		      const struct analysis *analysis, const struct event_facts *facts,
		      const char **ret)
{
	*ret = NULL;
	if (place->inode >= 0) {
		*ret = known_get(analysis->known, event->class, NAME_FILE,
				 number(event, place->inode), (uint16_t)number(event, place->major),
				 (uint16_t)number(event, place->minor));
	} else if (facts->has & 1u << DERIVED_FILE) {
		*ret = facts->files[0].name;
		return facts->files[0].len;
	}
	*ret = *ret ?: "unknown";
	return strlen(*ret);
}

bool group_key_get(const struct group_place *place, const struct event *event,
		   const struct analysis *analysis, const struct event_facts *facts,
		   struct group_key *ret)
{
	const char *container, *file;
	size_t len;

	ret->kind = place->by;
	switch (place->by) {
	case GROUP_CONN:
		ret->value = conn_key(place, event);
		return true;
	case GROUP_TID:
		ret->value = (uint32_t)event->tid; /* OWNER_UNKNOWN is a group too */
		return true;
	case GROUP_PID:
		ret->value = task_names_pid(analysis->names, event->class, event->tid);
		if (event->tid < 0) /* unknown, or no task */
			ret->value = (uint32_t)event->tid;
		return ret->value != 0;
	case GROUP_COMM:
		ret->value = hash(name_of(event, analysis)->text,
				  TASK_NAME_LEN(name_of(event, analysis)));
		return true;
	case GROUP_CONTAINER:
		container = analysis_container(analysis, event->class, event->tid);
		ret->value = hash(container ?: "", container ? strlen(container) : 0);
		return true;
	case GROUP_CPU:
		ret->value = (uint64_t)event->cpu;
		return event->cpu >= 0;
	case GROUP_DEV:
		ret->value = number(event, place->major) << 32 | number(event, place->minor);
		return true;
	case GROUP_EVENT:
		ret->value = event->class->index;
		return true;
	case GROUP_FIELD:
		ret->value = field_key(place, event);
		return event_has(event, place->field);
	case GROUP_FILE:
		len = file_of(place, event, analysis, facts, &file);
		ret->value = hash(file, len);
		return true;
	case GROUP_ORIGIN:
		ret->value = origin_key(place);
		return true;
	default:
		ret->value = 0;
		return true;
	}
}

static void label_text(char *label, const char *text, size_t len)
{
	(void)snprintf(label, GROUP_LABEL_BYTES, "%.*s",
		       (int)(len < LABEL_TEXT_BYTES ? len : LABEL_TEXT_BYTES), text);
}

/* The end of a long path says most. */
static void label_file(char *label, const char *text, size_t len)
{
	if (len > LABEL_TEXT_BYTES)
		(void)snprintf(label, GROUP_LABEL_BYTES, "...%.*s", LABEL_TEXT_BYTES - 3,
			       text + len - (LABEL_TEXT_BYTES - 3));
	else
		label_text(label, text, len);
}

void group_label_task(const struct analysis *analysis, uint32_t number,
		      char label[GROUP_LABEL_BYTES])
{
	const struct task_name *name = task_names_get(analysis->names, NULL, (int32_t)number);

	if ((int32_t)number == OWNER_UNKNOWN)
		(void)snprintf(label, GROUP_LABEL_BYTES, "unknown");
	else if ((int32_t)number < 0)
		(void)snprintf(label, GROUP_LABEL_BYTES, "%.*s", (int)TASK_NAME_LEN(name),
			       name->text);
	else if (TASK_NAME_LEN(name))
		(void)snprintf(label, GROUP_LABEL_BYTES, "%.*s:%u", (int)TASK_NAME_LEN(name),
			       name->text, number);
	else
		(void)snprintf(label, GROUP_LABEL_BYTES, "%u", number);
}

static void label_number(const struct field *field, uint64_t value, const struct syscalls *calls,
			 char *label)
{
	const char *name = field_label(field, (int64_t)value);

	if (field->show == FIELD_SHOW_SYSCALL && calls)
		name = syscalls_name(calls, false, (int64_t)value);

	if (name)
		label_text(label, name, strlen(name));
	else if (field->show == FIELD_SHOW_HEX)
		(void)snprintf(label, GROUP_LABEL_BYTES, "%s 0x%llx", field->name,
			       (unsigned long long)value);
	else if (field->is_signed)
		(void)snprintf(label, GROUP_LABEL_BYTES, "%s %lld", field->name, (long long)value);
	else
		(void)snprintf(label, GROUP_LABEL_BYTES, "%s %llu", field->name,
			       (unsigned long long)value);
}

static void label_field(const struct group_place *place, const struct event *event,
			const struct syscalls *calls, char *label)
{
	const struct field *field = &place->class->fields[place->field];
	char address[EMIT_ADDRESS_BYTES + EMIT_SLACK_BYTES];
	const char *text;
	size_t len;

	if (field->kind == FIELD_INT && field->count == 16) {
		*emit_address(address, event_bytes(event, place->field), 0) = '\0';
		label_text(label, address, strlen(address));
	} else if (field->kind == FIELD_INT) {
		label_number(field, event_uint(event, place->field), calls, label);
	} else {
		text = event_text(event, place->field, &len);
		label_text(label, len ? text : "-", len ? len : 1);
	}
}

static void label_origin(const struct group_place *place, char *label)
{
	const struct origin *origin = place->class->origin;
	const char *name = place->field == ORIGIN_PROCNAME ? origin->procname : origin->hostname;

	if (place->field == ORIGIN_VPID)
		(void)snprintf(label, GROUP_LABEL_BYTES, "vpid %lld", (long long)origin->vpid);
	else
		label_text(label, name, strlen(name));
}

void group_learn_conn(const struct group_place *place, const struct event *event,
		      struct conn_id *conn)
{
	if (place->has_addresses) {
		conn_id_learn(conn, &place->conn, event);
		return;
	}
	conn->lport = (uint16_t)event_uint(event, (size_t)place->conn.lport);
	conn->rport = (uint16_t)event_uint(event, (size_t)place->conn.rport);
}

void group_label_conn(const struct conn_id *id, bool has_addresses, char label[GROUP_LABEL_BYTES])
{
	static const char arrow[] = " -> ";
	struct conn_id_text ends;
	char *at;

	if (!has_addresses) {
		(void)snprintf(label, GROUP_LABEL_BYTES, "%u.%u", id->lport, id->rport);
		return;
	}
	ends = conn_id_text(id);
	at = strstr(ends.text, arrow);
	*at = '\0';
	(void)snprintf(label, GROUP_LABEL_BYTES, "%s \u2192 %s", ends.text, at + strlen(arrow));
}

void group_label(const struct group_place *place, const struct event *event,
		 const struct analysis *analysis, const struct event_facts *facts,
		 const struct syscalls *calls, char label[GROUP_LABEL_BYTES])
{
	const struct task_name *name;
	const char *container, *file;
	size_t len;

	*label = '\0';
	switch (place->by) {
	case GROUP_COMM:
		name = name_of(event, analysis);
		if (TASK_NAME_LEN(name))
			label_text(label, name->text, TASK_NAME_LEN(name));
		else
			label_text(label, "unknown", strlen("unknown"));
		return;
	case GROUP_CONTAINER:
		container = analysis_container(analysis, event->class, event->tid) ?: "(none)";
		label_text(label, container, strlen(container));
		return;
	case GROUP_CPU:
		(void)snprintf(label, GROUP_LABEL_BYTES, "CPU %d", event->cpu);
		return;
	case GROUP_DEV:
		(void)snprintf(label, GROUP_LABEL_BYTES, "%llu:%llu",
			       (unsigned long long)number(event, place->major),
			       (unsigned long long)number(event, place->minor));
		return;
	case GROUP_EVENT:
		label_text(label, event->class->name, strlen(event->class->name));
		return;
	case GROUP_FIELD:
		label_field(place, event, calls, label);
		return;
	case GROUP_FILE:
		len = file_of(place, event, analysis, facts, &file);
		label_file(label, file, len);
		return;
	case GROUP_ORIGIN:
		label_origin(place, label);
		return;
	default:
		return;
	}
}
