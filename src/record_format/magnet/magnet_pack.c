// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/magnet/magnet_pack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record_format/magnet/magnet_class.h"
#include "record_format/magnet/magnet_event.h"
#include "schema/event.h"
#include "schema/lost.h"
#include "schema/trace_info.h"

#define NO_FIELD (-1)
#define FAMILY_IPV4 2 /* AF_INET and AF_INET6 of Linux: traces are read elsewhere, too */
#define FAMILY_IPV6 10

/* Where the values of one class of events come from. */
struct magnet_plan {
	const struct magnet_event *event; /* NULL: it cannot be a record */
	bool raw; /* the payload is the record */
	bool net; /* the class is one of our own */
	int fields[MAGNET_VALUE_COUNT]; /* NO_FIELD: 0 */
	int flags; /* all of TCP's in one field, as our net group has them */
	int family; /* in place of IP's version, which a record in brief does not have */
};

static bool is_net(const struct magnet_event *event, const struct event_class *class)
{
	return event->net && !strcmp(event->net, class->name);
}

static void find_fields(struct magnet_plan *plan, const struct event_class *class,
			const struct magnet_layout *layout)
{
	bool net = plan->net = is_net(plan->event, class);
	struct field field;

	for (unsigned int value = 0; value < MAGNET_VALUE_COUNT; value++) {
		const char *name;

		magnet_value_describe(value, plan->event, layout, &field);
		name = net ? magnet_values[value].net : field.name;
		plan->fields[value] = NO_FIELD;
		if (name && magnet_event_has(plan->event, layout, value))
			plan->fields[value] = event_class_find_number(class, name);
	}
	plan->flags = plan->family = NO_FIELD;
	if (net && plan->event->member == MAGNET_MEMBER_TCP && layout->data)
		plan->flags = event_class_find_number(class, "flags");
	if (net && plan->event->member == MAGNET_MEMBER_IP && layout->data &&
	    plan->fields[MAGNET_VALUE_VERSION] < 0)
		plan->family = event_class_find_number(class, "family");
}

static void plan_class(struct magnet_plan *plan, const struct event_class *class,
		       const struct magnet_layout *layout)
{
	*plan = (struct magnet_plan){.event = magnet_event_of_class(class->name)};
	if (!plan->event)
		return;
	plan->raw = magnet_class_is_own(class, layout);
	find_fields(plan, class, layout);
}

int magnet_packer_init(struct magnet_packer *packer, const struct trace_info *info,
		       const struct magnet_layout *layout)
{
	*packer = (struct magnet_packer){.layout = *layout, .class_count = info->class_count};
	packer->plans = calloc(info->class_count ?: 1, sizeof(*packer->plans));
	if (!packer->plans)
		return -ENOMEM;
	for (size_t i = 0; i < info->class_count; i++)
		plan_class(&packer->plans[i], info->classes[i], layout);
	return 0;
}

void magnet_packer_fini(struct magnet_packer *packer)
{
	free(packer->plans);
	packer->plans = NULL;
}

bool magnet_pack_holds(const struct event_class *class)
{
	return class->role == EVENT_ROLE_LOST || magnet_event_of_class(class->name);
}

bool magnet_packer_takes(const struct magnet_packer *packer, const struct event_class *class)
{
	return class->role == EVENT_ROLE_LOST ||
	       (class->index < packer->class_count && packer->plans[class->index].event);
}

static bool has_data(const struct magnet_plan *plan)
{
	bool any = plan->event && plan->flags >= 0;

	for (unsigned int value = MAGNET_VALUE_DATA; plan->event && value < MAGNET_VALUE_COUNT;
	     value++)
		any |= plan->fields[value] >= 0;
	return any;
}

bool magnet_has_data(const struct trace_info *info)
{
	static const struct magnet_layout full = {.wide = true, .data = true};
	struct magnet_plan plan;

	for (size_t i = 0; i < info->class_count; i++) {
		plan_class(&plan, info->classes[i], &full);
		if (has_data(&plan))
			return true;
	}
	return false;
}

static void store(const struct magnet_packer *packer, enum magnet_value_id id, uint64_t number,
		  uint8_t *record)
{
	const struct magnet_value *value = &magnet_values[id];
	uint8_t *at = record + magnet_value_at(value, &packer->layout);

	if (value->type != MAGNET_BIT)
		magnet_store(&packer->layout, at, magnet_value_bytes(value, &packer->layout),
			     number);
	else if (number & 1)
		at[0] |= (uint8_t)(packer->layout.big_endian ? 0x80u >> value->bit :
							       1u << value->bit);
}

static void store_flags(const struct magnet_packer *packer, uint64_t flags, uint8_t *record)
{
	for (unsigned int id = 0; id < MAGNET_VALUE_COUNT; id++) {
		if (magnet_values[id].type == MAGNET_BIT)
			store(packer, id, flags >> magnet_values[id].bit, record);
	}
}

static uint64_t version_of(uint64_t family)
{
	if (family == FAMILY_IPV4)
		return 4;
	return family == FAMILY_IPV6 ? 6 : 0;
}

static uint64_t value_of(const struct magnet_plan *plan, const struct event *event,
			 enum magnet_value_id id)
{
	uint64_t number = event_uint(event, (size_t)plan->fields[id]);

	return plan->net && id == MAGNET_VALUE_SRTT ? number << MAGNET_SRTT_SHIFT : number;
}

static void pack_values(const struct magnet_packer *packer, const struct magnet_plan *plan,
			const struct event *event, uint8_t *record)
{
	for (unsigned int id = 0; id < MAGNET_VALUE_COUNT; id++) {
		int field = plan->fields[id];

		if (field >= 0 && event_has(event, (size_t)field))
			store(packer, id, value_of(plan, event, id), record);
	}
	if (plan->flags >= 0 && event_has(event, (size_t)plan->flags))
		store_flags(packer, event_uint(event, (size_t)plan->flags), record);
	if (plan->family >= 0 && event_has(event, (size_t)plan->family))
		store(packer, MAGNET_VALUE_VERSION,
		      version_of(event_uint(event, (size_t)plan->family)), record);
}

/* What it says of its clock goes for the records behind it. */
static void take_sysinfo(struct magnet_packer *packer, uint8_t *record, bool raw)
{
	struct magnet_head head;
	size_t at = packer->layout.wide ? MAGNET_AT_DATA_64 : MAGNET_AT_DATA_32;

	magnet_head_load(&packer->layout, record, &head);
	(void)magnet_clock_take(&packer->clock, &head, 0);
	packer->has_clock = true;
	if (packer->layout.data && !raw)
		memcpy(record + at, MAGNET_MARK, MAGNET_MARK_BYTES);
}

void magnet_pack_sysinfo(struct magnet_packer *packer, int64_t first_ns, uint8_t *record)
{
	struct magnet_head head;

	memset(record, 0, magnet_record_bytes(&packer->layout));
	magnet_clock_make(&packer->clock, first_ns, &head);
	magnet_head_store(&packer->layout, record, &head);
	take_sysinfo(packer, record, false);
}

void magnet_pack_lost(const struct magnet_packer *packer, int64_t time_ns, int32_t count,
		      uint8_t *record)
{
	struct magnet_head head = {
		.timestamp = magnet_clock_ticks(&packer->clock, time_ns),
		.event = MAGNET_LOST_EVENT,
		.size = count,
	};

	memset(record, 0, magnet_record_bytes(&packer->layout));
	magnet_head_store(&packer->layout, record, &head);
}

/* Packets that a flight recorder overwrote: their number of events is unknown. */
static bool pack_loss(const struct magnet_packer *packer, const struct event *event,
		      uint8_t *record, uint64_t *left)
{
	struct lost_payload lost;
	uint64_t count;

	memcpy(&lost, event->payload, sizeof(lost));
	count = *left ?: lost.count;
	if (!count && !lost.packets)
		return false;
	*left = count > INT32_MAX ? count - INT32_MAX : 0;
	magnet_pack_lost(packer, event->time_ns, (int32_t)(count - *left), record);
	return true;
}

/*
 * A timestamp that means the event's time by the clock of this file stays unchanged. So does one that
 * goes back, at which the source's time stands still. Any other is of a clock that this file has not.
 */
static void settle_time(struct magnet_packer *packer, const struct event *event, uint8_t *record)
{
	struct magnet_head head;
	int64_t ns;

	magnet_head_load(&packer->layout, record, &head);
	ns = magnet_clock_ns(&packer->clock, head.timestamp);
	if (head.timestamp &&
	    (ns == event->time_ns || (ns < event->time_ns && event->time_ns == packer->last_ns)))
		return;
	head.timestamp = magnet_clock_ticks(&packer->clock, event->time_ns);
	magnet_head_store(&packer->layout, record, &head);
}

static void pack_event(struct magnet_packer *packer, const struct magnet_plan *plan,
		       const struct event *event, uint8_t *record)
{
	size_t bytes = magnet_record_bytes(&packer->layout);

	if (plan->raw) {
		memcpy(record, event->payload, bytes);
	} else {
		memset(record, 0, bytes);
		if (plan->event->number)
			store(packer, MAGNET_VALUE_EVENT, plan->event->number, record);
		pack_values(packer, plan, event, record);
	}
	if (plan->event->number == MAGNET_SYSINFO)
		take_sysinfo(packer, record, plan->raw);
	else
		settle_time(packer, event, record);
}

bool magnet_pack(struct magnet_packer *packer, const struct event *event, uint8_t *record,
		 uint64_t *left)
{
	bool any = true;

	if (event->class->role == EVENT_ROLE_LOST)
		any = pack_loss(packer, event, record, left);
	else
		pack_event(packer, &packer->plans[event->class->index], event, record);
	packer->last_ns = event->time_ns;
	return any;
}

bool magnet_is_sysinfo(const struct magnet_packer *packer, const struct event_class *class)
{
	const struct magnet_event *event =
		class->index < packer->class_count ? packer->plans[class->index].event : NULL;

	return event && event->number == MAGNET_SYSINFO;
}
