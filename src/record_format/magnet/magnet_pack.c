// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/magnet/magnet_pack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "record_format/magnet/magnet_record.h"
#include "schema/event.h"
#include "schema/lost.h"
#include "schema/trace_info.h"
#include "wire/magnet.h"

int magnet_clock_take(struct magnet_clock *clock, const struct magnet_head *sysinfo,
		      uint64_t rate_hz)
{
	bool good = rate_hz || sysinfo->size > 0;

	clock->start = sysinfo->timestamp;
	/* Seconds that 64 bits of ns cannot hold are ignored. */
	clock->wall_ns = sysinfo->sockid < (uint64_t)INT64_MAX / NS_PER_SEC ?
				 (int64_t)(sysinfo->sockid * NS_PER_SEC) :
				 0;
	if (rate_hz)
		clock->rate_hz = rate_hz;
	else if (!good)
		clock->rate_hz = MAGNET_RATE_HZ;
	else if (sysinfo->size < MAGNET_RATE_IS_KHZ_BELOW)
		clock->rate_hz = (uint64_t)sysinfo->size * 1000;
	else
		clock->rate_hz = (uint64_t)sysinfo->size;
	return good ? 0 : -EBADMSG;
}

/* Floor, also below 0. */
static int64_t second_of(int64_t ns)
{
	int64_t second = ns / (int64_t)NS_PER_SEC;

	return ns % (int64_t)NS_PER_SEC < 0 ? second - 1 : second;
}

void magnet_clock_make(struct magnet_clock *clock, int64_t first_ns, struct magnet_head *sysinfo)
{
	int64_t second = second_of(first_ns) - 1;

	if (second < 0)
		second = 0;
	*sysinfo = (struct magnet_head){
		.sockid = (uint64_t)second,
		.event = MAGNET_SYSINFO,
		.size = MAGNET_RATE_HZ,
	};
	(void)magnet_clock_take(clock, sysinfo, 0);
}

int64_t magnet_clock_ns(const struct magnet_clock *clock, uint64_t timestamp)
{
	/* A record may be from before the start: another CPU's counter. */
	int64_t delta = (int64_t)(timestamp - clock->start);
	__int128 ns = (__int128)delta * (int64_t)NS_PER_SEC;
	__int128 rate = (__int128)clock->rate_hz;

	ns = ns < 0 ? -((-ns + rate - 1) / rate) : ns / rate;
	ns += clock->wall_ns;
	if (ns > INT64_MAX)
		return INT64_MAX;
	return ns < INT64_MIN ? INT64_MIN : (int64_t)ns;
}

uint64_t magnet_clock_ticks(const struct magnet_clock *clock, int64_t ns)
{
	__int128 delta = (__int128)ns - clock->wall_ns;
	__int128 scaled = delta * (__int128)clock->rate_hz;
	__int128 ticks;
	uint64_t timestamp;

	ticks = scaled < 0 ? -(-scaled / (int64_t)NS_PER_SEC) :
			     (scaled + (int64_t)NS_PER_SEC - 1) / (int64_t)NS_PER_SEC;
	timestamp = clock->start + (uint64_t)ticks;
	return timestamp ?: 1;
}

#define NO_FIELD (-1)
#define FAMILY_IPV4 2 /* AF_INET and AF_INET6 of Linux: traces are read elsewhere, too */
#define FAMILY_IPV6 10

/* A value that events of a class have. */
struct magnet_have {
	const struct record_field *value;
	struct record_source from;
};

/* Where the values of one class of events come from. */
struct magnet_plan {
	const struct magnet_event *event; /* NULL: it cannot be a record */
	bool raw; /* the payload is the record */
	bool data; /* some of them are in the data field */
	size_t count; /* of `have`; other values are 0 */
	struct magnet_have have[MAGNET_VALUE_COUNT];
	int flags; /* all of TCP's in one field, as our net group has them */
	int family; /* in place of IP's version, which a record in brief does not have */
};

static bool is_net(const struct magnet_event *event, const struct event_class *class)
{
	return event->net && !strcmp(event->net, class->name);
}

static void find_values(struct magnet_plan *plan, const struct event_class *class,
			const struct magnet_layout *layout)
{
	bool net = is_net(plan->event, class), version = false;

	for (unsigned int id = 0; id < MAGNET_VALUE_COUNT; id++) {
		struct magnet_have *have = &plan->have[plan->count];

		have->value = magnet_value(id, plan->event);
		if (!magnet_event_has(plan->event, layout, id) ||
		    !(net ? record_find : record_find_same)(&have->from, have->value, class))
			continue;
		plan->count++;
		plan->data |= id >= MAGNET_VALUE_DATA;
		version |= id == MAGNET_VALUE_VERSION;
	}
	plan->flags = plan->family = NO_FIELD;
	if (net && plan->event->member == MAGNET_MEMBER_TCP && layout->data)
		plan->flags = event_class_find_number(class, "flags");
	if (net && plan->event->member == MAGNET_MEMBER_IP && layout->data && !version)
		plan->family = event_class_find_number(class, "family");
}

static void plan_class(struct magnet_plan *plan, const struct event_class *class,
		       const struct magnet_layout *layout)
{
	*plan = (struct magnet_plan){.event = magnet_event_of_class(class->name)};
	if (!plan->event)
		return;
	plan->raw = magnet_class_is_own(class, layout);
	find_values(plan, class, layout);
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

bool magnet_has_data(const struct trace_info *info)
{
	static const struct magnet_layout full = {.wide = true, .data = true};
	struct magnet_plan plan;

	for (size_t i = 0; i < info->class_count; i++) {
		plan_class(&plan, info->classes[i], &full);
		if (plan.event && (plan.data || plan.flags >= 0))
			return true;
	}
	return false;
}

static void store(const struct magnet_packer *packer, enum magnet_value_id id, uint64_t number,
		  uint8_t *record)
{
	const struct record_layout places = magnet_places(&packer->layout);

	record_store(magnet_value(id, NULL), &places, record, number);
}

static void store_flags(const struct magnet_packer *packer, uint64_t flags, uint8_t *record)
{
	for (unsigned int id = 0; id < MAGNET_VALUE_COUNT; id++) {
		const struct record_field *value = magnet_value(id, NULL);

		if (value->kind == RECORD_BIT)
			store(packer, id, flags >> value->place[0].shift, record);
	}
}

static uint64_t version_of(uint64_t family)
{
	if (family == FAMILY_IPV4)
		return 4;
	return family == FAMILY_IPV6 ? 6 : 0;
}

static void pack_values(const struct magnet_packer *packer, const struct magnet_plan *plan,
			const struct event *event, uint8_t *record)
{
	const struct record_layout places = magnet_places(&packer->layout);

	for (size_t i = 0; i < plan->count; i++) {
		const struct magnet_have *have = &plan->have[i];

		if (event_has(event, have->from.a))
			record_store(have->value, &places, record,
				     record_value(&have->from, event));
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

	magnet_head_load(&packer->layout, record, &head);
	(void)magnet_clock_take(&packer->clock, &head, 0);
	packer->has_clock = true;
	if (packer->layout.data && !raw)
		memcpy(record + magnet_data_at(&packer->layout), MAGNET_MARK, MAGNET_MARK_BYTES);
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
