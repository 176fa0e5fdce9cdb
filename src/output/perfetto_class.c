// SPDX-License-Identifier: BSD-2-Clause
#include "output/perfetto_class.h"

#include <stdio.h>
#include <string.h>

#include "analyse/switch_sides.h"
#include "schema/event.h"

#define CONNS_MAX 65536u /* that are kept; further ones get their names and values again */
#define NUMBERS_MAX 999999u /* of tracks: those of others begin behind */
#define SSTHRESH_INFINITE 0x7fffffffu /* include/net/tcp.h, TCP_INFINITE_SSTHRESH */

static const struct {
	const char *field;
	const char *name;
	const char *unit;
} counters[PERFETTO_COUNTERS] = {
	{"snd_cwnd", "cwnd", "segments"},
	{"snd_ssthresh", "ssthresh", "segments"},
	{"packets_out", "in flight", "segments"},
	{"lost_out", "lost", "segments"},
	{"total_retrans", "sent again", "segments"},
	{"srtt_us", "srtt", "us"},
	{"rto_us", "rto", "us"},
	{"snd_wnd", "send window", "bytes"},
	{"rcv_wnd", "receive window", "bytes"},
	{"wmem_queued", "send queue", "bytes"},
	{"rmem_alloc", "receive queue", "bytes"},
};

/* Whose news is the snapshot itself. */
static const char *const plain[] = {"tcp.ack",	"tcp.cwnd",   "tcp.send",
				    "tcp.recv", "tcp.rcvbuf", "tcp.poll"};

void perfetto_conns_init(struct perfetto_conns *conns, struct perfetto_out *po)
{
	*conns = (struct perfetto_conns){.po = po};
	map_init(&conns->conns, sizeof(uint64_t), sizeof(struct perfetto_conn), CONNS_MAX);
}

void perfetto_conns_fini(struct perfetto_conns *conns)
{
	map_fini(&conns->conns);
}

void perfetto_conn_fields_find(struct perfetto_conn_fields *fields, const struct event_class *class)
{
	bool snapshot = false;

	*fields = (struct perfetto_conn_fields){0};
	fields->found = !strncmp(class->name, "tcp.", 4) && conn_id_find(&fields->id, class);
	for (size_t i = 0; i < PERFETTO_COUNTERS; i++) {
		fields->counters[i] = event_class_find_number(class, counters[i].field);
		snapshot |= fields->counters[i] >= 0;
	}
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		fields->counts |= snapshot && !strcmp(class->name, plain[i]);
}

/* NULL: no memory. */
static struct perfetto_conn *conn_at(struct perfetto_conns *conns, uint64_t key)
{
	struct perfetto_conn *conn = map_at(&conns->conns, &key);

	if (!conn) {
		map_fini(&conns->conns);
		conn = map_at(&conns->conns, &key);
	}
	if (conn && !conn->number) {
		if (!conns->count) {
			perfetto_name_process(conns->po, PERFETTO_CONNECTIONS, "TCP connections",
					      15);
			perfetto_sort(conns->po, "process",
				      (struct perfetto_place){PERFETTO_CONNECTIONS,
							      PERFETTO_CONNECTIONS},
				      -2);
		}
		conn->number = 1 + conns->count++ % NUMBERS_MAX;
	}
	return conn;
}

static bool same_ends(const struct conn_id *a, const struct conn_id *b)
{
	return a->lport == b->lport && a->rport == b->rport &&
	       !memcmp(a->saddr, b->saddr, sizeof(a->saddr)) &&
	       !memcmp(a->daddr, b->daddr, sizeof(a->daddr));
}

/* Its ends may become known later: then it is named once more. */
static void learn(struct perfetto_conns *conns, struct perfetto_conn *conn,
		  const struct perfetto_conn_fields *fields, const struct event *event,
		  struct perfetto_place at, bool new)
{
	struct conn_id before = conn->id;
	struct conn_id_text text;

	conn_id_learn(&conn->id, &fields->id, event);
	if (!new &&same_ends(&before, &conn->id))
		return;
	text = conn_id_text(&conn->id);
	perfetto_name_thread(conns->po, at, text.text, strlen(text.text));
	/* Counters belong to their name. */
	conn->shown = 0;
}

static void put_counter(struct perfetto_conns *conns, const struct perfetto_conn *conn, size_t i,
			int64_t time_ns, struct perfetto_place at)
{
	struct conn_id_text id = conn_id_text(&conn->id);
	char name[sizeof(id.text) + 32];

	(void)snprintf(name, sizeof(name), "%s %s", id.text, counters[i].name);
	perfetto_open(conns->po, 'C', time_ns, at);
	perfetto_plain(conns->po, "name", name);
	perfetto_args(conns->po);
	perfetto_number(conns->po, counters[i].unit, (int64_t)(conn->values[i]));
	perfetto_close(conns->po);
}

static void count(struct perfetto_conns *conns, struct perfetto_conn *conn,
		  const struct perfetto_conn_fields *fields, const struct event *event,
		  struct perfetto_place at)
{
	for (size_t i = 0; i < PERFETTO_COUNTERS; i++) {
		uint64_t value;

		if (fields->counters[i] < 0)
			continue;
		value = event_uint(event, (size_t)fields->counters[i]);
		if (conn->shown >> i & 1 && conn->values[i] == value)
			continue;
		/* A threshold that is not set yet would flatten all others. */
		if (!strcmp(counters[i].name, "ssthresh") && value >= SSTHRESH_INFINITE)
			continue;
		conn->values[i] = value;
		conn->shown |= 1u << i;
		put_counter(conns, conn, i, event->time_ns, at);
	}
}

void perfetto_conn_event(struct perfetto_conns *conns, const struct perfetto_conn_fields *fields,
			 const struct event *event)
{
	uint32_t before = conns->count;
	struct perfetto_conn *conn = conn_at(conns, conn_id_key(&fields->id, event));
	struct perfetto_place at = {PERFETTO_CONNECTIONS, PERFETTO_CONNECTIONS};

	if (!conn)
		return;
	at.tid += conn->number;
	learn(conns, conn, fields, event, at, conns->count != before);
	count(conns, conn, fields, event, at);
	if (!fields->counts)
		perfetto_instant(conns->po, event, at);
}

static bool find_number(const struct event_class *class, const char *name, size_t *ret)
{
	int i = event_class_find_number(class, name);

	*ret = i < 0 ? 0 : (size_t)i;
	return i >= 0;
}

/* Its other fields were shown when it came; "nr" and "wchan" are the place where it sleeps. */
static uint64_t leaver_fields(const struct event_class *class)
{
	uint64_t fields = 0;

	for (size_t i = 0; i < class->field_count && i < 64; i++) {
		const char *name = class->fields[i].name;

		if (!strncmp(name, "prev_", 5) || !strcmp(name, "nr") || !strcmp(name, "wchan") ||
		    !strcmp(name, "next_tid"))
			fields |= 1ull << i;
	}
	return fields;
}

static void find_sched(struct perfetto_class *entry, const struct event_class *class,
		       bool has_waking)
{
	const char *name = class->name;

	if (!strcmp(name, "sched.switch") && find_number(class, "next_tid", &entry->tid)) {
		entry->kind = PERFETTO_CLASS_SWITCH;
		entry->state = event_class_find_number(class, "prev_state");
		entry->sides = switch_sides_find(class);
		entry->leaver = leaver_fields(class);
	}
	if (!strcmp(name, "sched.exit"))
		entry->kind = PERFETTO_CLASS_EXIT;
	if (strcmp(name, "sched.waking") && strcmp(name, "sched.wakeup") &&
	    strcmp(name, "sched.wakeup_new"))
		return;
	entry->second = !strcmp(name, "sched.wakeup") && has_waking;
	if (find_number(class, "wake_tid", &entry->tid))
		entry->kind = PERFETTO_CLASS_WAKE;
}

static void find_disk(struct perfetto_class *entry, const struct event_class *class)
{
	size_t i;

	disk_fields_find(&entry->disk, class);
	if (entry->disk.stage != DISK_NONE && find_number(class, "op", &i) &&
	    find_number(class, "request", &i))
		entry->kind = PERFETTO_CLASS_DISK;
}

static bool is_note(const struct event_class *class)
{
	return !strncmp(class->name, "sonde.", 6);
}

static bool is_name(const struct event_class *class)
{
	return class->role != EVENT_ROLE_PLAIN || !strcmp(class->name, "sonde.name");
}

void perfetto_class_find(struct perfetto_class *entry, const struct event_class *class,
			 bool has_waking)
{
	*entry = (struct perfetto_class){0};
	gap_fields_find(&entry->gap, class);
	perfetto_cpu_fields_find(&entry->interrupt, class);
	perfetto_conn_fields_find(&entry->conn, class);
	net_fields_find(&entry->net, class);
	find_sched(entry, class, has_waking);
	find_disk(entry, class);
	if (class->role == EVENT_ROLE_LOST)
		entry->kind = PERFETTO_CLASS_LOST;
	else if (is_note(class))
		entry->kind = is_name(class) ? PERFETTO_CLASS_NAMES : PERFETTO_CLASS_NOTE;
	else if (call_fields_find(&entry->call, class) && entry->call.nr < 64)
		entry->kind = PERFETTO_CLASS_CALL;
	else if (entry->interrupt.kind == PERFETTO_CPU_WORK)
		entry->kind = PERFETTO_CLASS_WORK;
	else if (entry->interrupt.kind != PERFETTO_CPU_NONE)
		entry->kind = PERFETTO_CLASS_INTERRUPT;
	else if (entry->conn.found)
		entry->kind = PERFETTO_CLASS_CONN;
	else if (!strcmp(class->name, "cpu.sample"))
		entry->kind = PERFETTO_CLASS_SAMPLE;
	else if (entry->net.crossing != NET_NONE)
		entry->kind = PERFETTO_CLASS_PACKET;
}
