// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/pm/pm_terms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "record_format/pm/pm_columns.h"
#include "schema/class_table.h"
#include "schema/terms.h"
#include "schema/trace_info.h"

#define ADDRESS_BYTES 16u
#define CONNECTIONS_MAX (1u << 20)

/* What an own snapshot may have, and where in its payload: a slot for each. */
enum own {
	OWN_COOKIE,
	OWN_LPORT,
	OWN_RPORT,
	OWN_BYTES_ACKED,
	OWN_BYTES_RECEIVED,
	OWN_NETNS,
	OWN_SND_UNA,
	OWN_SND_NXT,
	OWN_WRITE_SEQ,
	OWN_SND_CWND,
	OWN_SND_WND,
	OWN_RCV_NXT,
	OWN_COPIED_SEQ,
	OWN_MSS,
	OWN_SRTT_US,
	OWN_MDEV_US,
	OWN_RTO_US,
	OWN_PACKETS_OUT,
	OWN_SACKED_OUT,
	OWN_LOST_OUT,
	OWN_RETRANS_OUT,
	OWN_TOTAL_RETRANS,
	OWN_SNDBUF,
	OWN_WMEM_QUEUED,
	OWN_STATE,
	OWN_CA_STATE,
	OWN_COUNT,
};

/* The addresses lie behind these. */
#define SADDR_SLOT OWN_COUNT
#define DADDR_SLOT (OWN_COUNT + ADDRESS_BYTES / 8)
#define SLOTS (OWN_COUNT + 2 * ADDRESS_BYTES / 8)

_Static_assert(SLOTS <= TERMS_SLOTS_MAX, "one snapshot of each");

/* Its name, and the column that is the same if that has another one. */
static const struct {
	const char *name;
	const char *column;
} own[OWN_COUNT] = {
	[OWN_COOKIE] = {"cookie", NULL},
	[OWN_LPORT] = {"lport", NULL},
	[OWN_RPORT] = {"rport", NULL},
	[OWN_BYTES_ACKED] = {"bytes_acked", NULL},
	[OWN_BYTES_RECEIVED] = {"bytes_received", NULL},
	[OWN_NETNS] = {"netns", NULL},
	[OWN_SND_UNA] = {"snd_una", NULL},
	[OWN_SND_NXT] = {"snd_nxt", "snd_max"},
	[OWN_WRITE_SEQ] = {"write_seq", NULL},
	[OWN_SND_CWND] = {"snd_cwnd", NULL},
	[OWN_SND_WND] = {"snd_wnd", NULL},
	[OWN_RCV_NXT] = {"rcv_nxt", NULL},
	[OWN_COPIED_SEQ] = {"copied_seq", NULL},
	[OWN_MSS] = {"mss", NULL},
	[OWN_SRTT_US] = {"srtt_us", NULL},
	[OWN_MDEV_US] = {"mdev_us", NULL},
	[OWN_RTO_US] = {"rto_us", NULL},
	[OWN_PACKETS_OUT] = {"packets_out", NULL},
	[OWN_SACKED_OUT] = {"sacked_out", NULL},
	[OWN_LOST_OUT] = {"lost_out", NULL},
	[OWN_RETRANS_OUT] = {"retrans_out", NULL},
	[OWN_TOTAL_RETRANS] = {"total_retrans", NULL},
	[OWN_SNDBUF] = {"sndbuf", "sb_hiwat"},
	[OWN_WMEM_QUEUED] = {"wmem_queued", NULL},
	[OWN_STATE] = {"state", NULL},
	[OWN_CA_STATE] = {"ca_state", NULL},
};

/* A class of snapshots: where it has what, -1 = nowhere. */
struct snapshot_class {
	bool is;
	int from[OWN_COUNT];
	int snd_fack, snd_sb_cc, rcv_sb_cc, saddr, daddr;
	const struct event_class *to;
};

/* How far a connection was acknowledged, where no column counts it. */
struct acked {
	uint32_t seq;
	bool known;
	uint64_t bytes;
};

struct pm_terms {
	struct terms terms; /* first: the vtable's functions get this */
	const struct trace_info *info; /* for `classes` only */
	struct snapshot_class *classes; /* by event_class.index */
	size_t class_count;
	struct map acked; /* by cookie, or by ports */
};

static bool has(const struct snapshot_class *class, enum own what)
{
	return class->from[what] >= 0;
}

static uint64_t column(const struct event *event, int field)
{
	return field < 0 ? 0 : event_uint(event, (size_t)field);
}

/* The other way of RECORD_RULE_DISTANCE: what lies in a buffer ends so far behind where it begins. */
static void take_buffers(const struct snapshot_class *class, const struct event *event,
			 uint64_t *slots)
{
	if (!has(class, OWN_SND_UNA))
		slots[OWN_SND_UNA] = column(event, class->snd_fack);
	if (!has(class, OWN_WRITE_SEQ))
		slots[OWN_WRITE_SEQ] =
			(uint32_t)(slots[OWN_SND_UNA] + column(event, class->snd_sb_cc));
	if (!has(class, OWN_RCV_NXT) || !has(class, OWN_COPIED_SEQ)) {
		slots[OWN_COPIED_SEQ] = 0;
		slots[OWN_RCV_NXT] = column(event, class->rcv_sb_cc);
	}
}

/* Sequence numbers are modulo 2^32, and go back where snapshots of two CPUs change places. */
static void count_acked(struct pm_terms *pt, const struct snapshot_class *class, uint64_t *slots)
{
	uint64_t key = has(class, OWN_COOKIE) ? slots[OWN_COOKIE] :
						slots[OWN_LPORT] << 16 | slots[OWN_RPORT];
	uint32_t seq = (uint32_t)slots[OWN_SND_UNA];
	struct acked *acked = map_at(&pt->acked, &key);

	if (!acked)
		return;
	if (!acked->known || seq - acked->seq < 1u << 31) {
		acked->bytes += acked->known ? seq - acked->seq : 0;
		acked->seq = seq;
		acked->known = true;
	}
	slots[OWN_BYTES_ACKED] = acked->bytes;
}

static void put_address(const struct event *event, int field, uint64_t *slots)
{
	if (field >= 0)
		memcpy(slots, event_bytes(event, (size_t)field), ADDRESS_BYTES);
}

static void take(struct terms *terms, const struct event *event, struct terms_out *out)
{
	struct pm_terms *pt = (struct pm_terms *)terms;
	const struct snapshot_class *class;
	uint64_t *slots;

	if (!event || event->class->index >= pt->class_count)
		return;
	class = &pt->classes[event->class->index];
	if (!class->is)
		return;
	slots = terms_put(out, class->to, SLOTS, event);
	for (size_t i = 0; i < OWN_COUNT; i++)
		slots[i] = column(event, class->from[i]);
	if (slots[OWN_MSS])
		slots[OWN_SND_CWND] /= slots[OWN_MSS];
	take_buffers(class, event, slots);
	if (!has(class, OWN_BYTES_ACKED))
		count_acked(pt, class, slots);
	put_address(event, class->saddr, &slots[SADDR_SLOT]);
	put_address(event, class->daddr, &slots[DADDR_SLOT]);
}

/* Whether it is there, or follows from others. */
static bool is_known(const struct snapshot_class *class, enum own what)
{
	bool acked = has(class, OWN_SND_UNA) || class->snd_fack >= 0;

	switch (what) {
	case OWN_BYTES_ACKED:
	case OWN_SND_UNA:
		return has(class, what) || acked;
	case OWN_WRITE_SEQ:
		return has(class, what) || (acked && class->snd_sb_cc >= 0);
	case OWN_RCV_NXT:
	case OWN_COPIED_SEQ:
		return has(class, what) || class->rcv_sb_cc >= 0;
	default:
		return has(class, what);
	}
}

static void describe(const struct snapshot_class *class, const struct event_class *source,
		     enum own what, struct field *field)
{
	*field = (struct field)TERMS_UINT(own[what].name, what);
	if (what == OWN_SND_CWND && !has(class, OWN_MSS))
		field->unit = "bytes";
	if (!has(class, what))
		return;
	field->labels = source->fields[class->from[what]].labels;
	field->label_count = source->fields[class->from[what]].label_count;
}

static struct field address_field(const char *name, size_t slot)
{
	return (struct field){
		.name = name,
		.kind = FIELD_INT,
		.show = FIELD_SHOW_ADDRESS,
		.bits = 8,
		.align_bits = 8,
		.count = ADDRESS_BYTES,
		.offset_bits = (uint32_t)(64 * slot),
	};
}

static int make_class(struct snapshot_class *class, const struct event_class *source,
		      struct class_table *table)
{
	struct field fields[OWN_COUNT + 2];
	struct class_plan plan = {
		.name = "tcp.snapshot", .fields = fields, .payload_bytes = 8 * SLOTS};

	for (size_t i = 0; i < OWN_COUNT; i++) {
		if (is_known(class, (enum own)i))
			describe(class, source, (enum own)i, &fields[plan.field_count++]);
	}
	if (class->saddr >= 0 && class->daddr >= 0) {
		fields[plan.field_count++] = address_field("saddr", SADDR_SLOT);
		fields[plan.field_count++] = address_field("daddr", DADDR_SLOT);
	}
	class->to = class_table_add(table, &plan);
	return class->to ? 0 : -ENOMEM;
}

static int classes(struct terms *terms, struct class_table *table)
{
	struct pm_terms *pt = (struct pm_terms *)terms;

	for (size_t i = 0; i < pt->class_count; i++) {
		if (pt->classes[i].is && make_class(&pt->classes[i], pt->info->classes[i], table))
			return -ENOMEM;
	}
	return 0;
}

static void free_terms(struct terms *terms)
{
	struct pm_terms *pt = (struct pm_terms *)terms;

	if (!pt)
		return;
	map_fini(&pt->acked);
	free(pt->classes);
	free(pt);
}

static const struct terms_ops pm_terms_ops = {classes, take, free_terms};

static int find_address(const struct event_class *class, const char *name)
{
	int i = event_class_find(class, name);
	const struct field *field = i < 0 ? NULL : &class->fields[i];

	return field && field->kind == FIELD_INT && field->bits == 8 &&
			       field->count == ADDRESS_BYTES && !field->length ?
		       i :
		       -1;
}

static void find_columns(struct snapshot_class *found, const struct event_class *class)
{
	for (size_t i = 0; i < OWN_COUNT; i++)
		found->from[i] = event_class_find_number(class, own[i].column ?: own[i].name);
	found->snd_fack = event_class_find_number(class, "snd_fack");
	found->snd_sb_cc = event_class_find_number(class, "snd_sb_cc");
	found->rcv_sb_cc = event_class_find_number(class, "rcv_sb_cc");
	found->saddr = find_address(class, "saddr");
	found->daddr = find_address(class, "daddr");
	found->is = !strcmp(class->name, PM_CLASS_NAME) && has(found, OWN_LPORT) &&
		    has(found, OWN_RPORT);
}

int pm_terms_new(const struct trace_info *info, struct terms **ret)
{
	struct pm_terms *pt = calloc(1, sizeof(*pt));
	bool any = false;

	if (!pt)
		return -ENOMEM;
	map_init(&pt->acked, sizeof(uint64_t), sizeof(struct acked), CONNECTIONS_MAX);
	pt->terms.ops = &pm_terms_ops;
	pt->info = info;
	pt->class_count = info->class_count;
	pt->classes = calloc(info->class_count ?: 1, sizeof(*pt->classes));
	if (!pt->classes) {
		free_terms(&pt->terms);
		return -ENOMEM;
	}
	for (size_t i = 0; i < info->class_count; i++) {
		find_columns(&pt->classes[i], info->classes[i]);
		any |= pt->classes[i].is;
	}
	if (any)
		*ret = &pt->terms;
	else
		free_terms(&pt->terms);
	return 0;
}
