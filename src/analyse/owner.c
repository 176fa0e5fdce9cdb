// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/owner.h"

#include <string.h>

#include "schema/derived.h"
#include "schema/event.h"

#define SOCKETS_MAX (1u << 18) /* beyond them all are forgotten */
#define TCP_SYN_SENT 2 /* include/net/tcp_states.h: the only states that a task itself enters */
#define TCP_LISTEN 10

/* Events of calls in which a task uses a socket: always in its own context. */
static const char *const uses[] = {
	"net.sock_send", "net.tcp_send", "net.udp_send", "net.app_recv", "tcp.send", "tcp.recv",
};

void owners_init(struct owners *owners)
{
	map_init(&owners->sockets, sizeof(uint64_t), sizeof(int32_t), SOCKETS_MAX);
}

void owners_fini(struct owners *owners)
{
	map_fini(&owners->sockets);
}

static bool find(const struct event_class *class, const char *name, size_t *ret)
{
	int i = event_class_find_number(class, name);

	*ret = i < 0 ? 0 : (size_t)i;
	return i >= 0;
}

bool owner_fields_find(struct owner_fields *fields, const struct event_class *class)
{
	*fields = (struct owner_fields){0};
	if ((strncmp(class->name, "net.", 4) && strncmp(class->name, "tcp.", 4)) ||
	    !find(class, "cookie", &fields->cookie))
		return false;
	for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++)
		fields->uses |= !strcmp(class->name, uses[i]);
	fields->has_state = !strcmp(class->name, "tcp.state") &&
			    find(class, "new_state", &fields->new_state);
	fields->has_owner = find(class, "owner_tid", &fields->owner);
	return true;
}

bool owner_irq_find(struct owner_irq *irq, const struct event_class *class)
{
	*irq = (struct owner_irq){OWNER_FIELD_NONE, 0};
	if (!strcmp(class->name, "irq.timer") || !strcmp(class->name, "irq.timer_exit"))
		return true;
	irq->kind = OWNER_FIELD_IRQ;
	if (!strcmp(class->name, "irq.enter") || !strcmp(class->name, "irq.exit"))
		return find(class, "irq", &irq->number);
	irq->kind = OWNER_FIELD_VECTOR;
	return !strncmp(class->name, "irq.soft_", 9) && find(class, "vector", &irq->number);
}

int32_t owner_irq_take(const struct owner_irq *irq, const struct event *event)
{
	const uint64_t number = irq->kind == OWNER_FIELD_NONE ? 0 : event_uint(event, irq->number);

	if (irq->kind == OWNER_FIELD_NONE)
		return OWNER_TIMER;
	if (irq->kind == OWNER_FIELD_VECTOR)
		return number < OWNER_VECTORS ? OWNER_VECTOR(number) : OWNER_SOFTIRQ;
	return number < OWNER_IRQS ? OWNER_IRQ(number) : OWNER_INTERRUPT;
}

static bool is_use(const struct owner_fields *fields, const struct event *event)
{
	uint64_t state = fields->has_state ? event_uint(event, fields->new_state) : 0;

	return fields->uses || state == TCP_SYN_SENT || state == TCP_LISTEN;
}

static void learn(struct owners *owners, uint64_t cookie, int32_t tid)
{
	int32_t *owner = map_at(&owners->sockets, &cookie);

	if (!owner) { /* full, of sockets that are gone */
		owners_fini(owners);
		owners_init(owners);
		owner = map_at(&owners->sockets, &cookie);
	}
	if (owner)
		*owner = tid;
}

int32_t owners_take(struct owners *owners, const struct owner_fields *fields,
		    const struct event *event)
{
	uint64_t cookie = event_uint(event, fields->cookie);
	const int32_t *owner;

	if (is_use(fields, event)) {
		if (cookie)
			learn(owners, cookie, event->tid);
		return event->tid;
	}
	if (fields->has_owner && event_uint(event, fields->owner))
		return (int32_t)event_uint(event, fields->owner);
	owner = cookie ? map_get(&owners->sockets, &cookie) : NULL;
	return owner ? *owner : OWNER_UNKNOWN;
}
