// SPDX-License-Identifier: BSD-2-Clause
#include "probe/describe.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/diag.h"
#include "wire/record.h"

#define FIELD_MAX 128
#define LABEL_MAX 256
#define MEMBER_HEAD "head"
#define MEMBER_END "record_end"
#define MEMBER_BRIEF_END "brief_end"

/* Blocks are freed together; there are a few hundred, made once. */
struct block {
	struct block *next;
	uint64_t bytes[];
};

struct describe {
	struct block *blocks;
};

/* One record struct while its members are walked. */
struct walk {
	struct describe *describe;
	const struct btf *btf;
	const struct btf *kernel;
	const char *record;
	struct field fields[FIELD_MAX];
	size_t count;
	uint32_t end_bits; /* of the last member, from the start of the struct */
	bool varying; /* behind MEMBER_END */
	size_t brief; /* fields before MEMBER_BRIEF_END; 0 = none */
	struct diag *diag;
};

struct describe *describe_new(void)
{
	return calloc(1, sizeof(struct describe));
}

void describe_free(struct describe *d)
{
	if (!d)
		return;
	while (d->blocks) {
		struct block *next = d->blocks->next;

		free(d->blocks);
		d->blocks = next;
	}
	free(d);
}

static void *block_take(struct describe *d, size_t len)
{
	struct block *block = calloc(1, sizeof(*block) + len);

	if (!block)
		return NULL;
	block->next = d->blocks;
	d->blocks = block;
	return block->bytes;
}

char *describe_copy(struct describe *d, const char *text)
{
	size_t len = strlen(text) + 1;
	char *copy = block_take(d, len);

	return copy ? memcpy(copy, text, len) : NULL;
}

const char *describe_tag(const struct btf *btf, uint32_t id, int component, const char *prefix,
			 unsigned int n)
{
	uint32_t count = btf__type_cnt(btf);
	size_t len = strlen(prefix);

	for (uint32_t i = 1; i < count; i++) {
		const struct btf_type *t = btf__type_by_id(btf, i);
		const char *text;

		if (!btf_is_decl_tag(t) || t->type != id ||
		    btf_decl_tag(t)->component_idx != component)
			continue;
		text = btf__name_by_offset(btf, t->name_off);
		if (!strncmp(text, prefix, len) && !n--)
			return text + len;
	}
	return NULL;
}

int describe_enum_value(const struct btf *btf, const char *type, const char *name, int64_t *ret)
{
	int id = btf__find_by_name_kind(btf, type, BTF_KIND_ENUM);
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;

	for (int i = 0; t && i < btf_vlen(t); i++) {
		const struct btf_enum *e = btf_enum(t) + i;

		if (!strcmp(btf__name_by_offset(btf, e->name_off), name)) {
			*ret = e->val;
			return 0;
		}
	}
	return -ENOENT;
}

static const struct btf_type *strip(const struct btf *btf, uint32_t id, uint32_t *ret)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (btf_is_mod(t) || btf_is_typedef(t)) {
		id = t->type;
		t = btf__type_by_id(btf, id);
	}
	*ret = id;
	return t;
}

/* What all names have in common, up to and with its last underscore: "TCP_". */
static size_t common_prefix(const struct btf *btf, const struct btf_type *t)
{
	const char *first = btf__name_by_offset(btf, btf_enum(t)->name_off);
	size_t len = strlen(first);

	for (int i = 1; i < btf_vlen(t); i++) {
		const char *name = btf__name_by_offset(btf, btf_enum(t)[i].name_off);
		size_t same = 0;

		while (same < len && name[same] == first[same])
			same++;
		len = same;
	}
	while (len && first[len - 1] != '_')
		len--;
	return len;
}

/* Whether @name begins as the enumeration is called: SKB_DROP_REASON_NO_SOCKET of skb_drop_reason,
 * which has some that begin otherwise. */
static bool has_own_prefix(const char *name, const char *enumeration)
{
	size_t len = strlen(enumeration);

	return !strncasecmp(name, enumeration, len) && name[len] == '_' && name[len + 1];
}

/* Labels without the common prefix, or that of the enumeration's own name, and without the underscore that keeps C names apart. */
static int take_labels(struct walk *w, const struct btf *btf, const struct btf_type *t,
		       struct field *field)
{
	int count = btf_vlen(t) < LABEL_MAX ? btf_vlen(t) : LABEL_MAX;
	const char *own = btf__name_by_offset(btf, t->name_off);
	struct field_label *labels;
	size_t skip;

	if (!count)
		return 0;
	labels = block_take(w->describe, (size_t)count * sizeof(*labels));
	if (!labels)
		return -ENOMEM;
	skip = common_prefix(btf, t);
	for (int i = 0; i < count; i++) {
		const struct btf_enum *e = btf_enum(t) + i;
		const char *whole = btf__name_by_offset(btf, e->name_off);
		size_t start = has_own_prefix(whole, own) ? strlen(own) + 1 : skip;
		char *name = describe_copy(w->describe, whole + start);
		size_t len = name ? strlen(name) : 0;

		if (!name)
			return -ENOMEM;
		if (len > 1 && name[len - 1] == '_')
			name[len - 1] = 0;
		labels[i] = (struct field_label){.first = e->val, .last = e->val, .name = name};
	}
	field->labels = labels;
	field->label_count = (size_t)count;
	return 0;
}

static int take_integer(const struct btf_type *t, struct field *field)
{
	field->kind = FIELD_INT;
	field->bits = (uint16_t)(t->size * 8);
	field->big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	field->is_signed = btf_is_int(t) && btf_int_encoding(t) & BTF_INT_SIGNED;
	return 0;
}

static int take_type(struct walk *w, uint32_t id, struct field *field)
{
	uint32_t element_id;
	const struct btf_type *t = strip(w->btf, id, &id);

	if (btf_is_enum(t)) {
		take_integer(t, field);
		return take_labels(w, w->btf, t, field);
	}
	if (btf_is_int(t))
		return take_integer(t, field);
	if (btf_is_array(t)) {
		uint32_t count = btf_array(t)->nelems;
		const struct btf_type *element = strip(w->btf, btf_array(t)->type, &element_id);

		if (!btf_is_int(element))
			return -EINVAL;
		take_integer(element, field);
		field->count = count;
		/* char is a text, __u8 an array of numbers. */
		if (!strcmp(btf__name_by_offset(w->btf, element->name_off), "char"))
			field->kind = FIELD_TEXT;
		return 0;
	}
	return -EINVAL;
}

static enum field_scope parse_scope(const char *name)
{
	for (int i = 0; name && i <= FIELD_SCOPE_OBJECT; i++) {
		if (!strcmp(field_scope_name((enum field_scope)i), name))
			return (enum field_scope)i;
	}
	return FIELD_SCOPE_OBJECT;
}

static int take_kernel_names(struct walk *w, const char *enumeration, struct field *field)
{
	int id = w->kernel ? btf__find_by_name_kind(w->kernel, enumeration, BTF_KIND_ENUM) : -1;

	if (id < 0)
		return 0; /* an older kernel: the numbers have to do */
	return take_labels(w, w->kernel, btf__type_by_id(w->kernel, (uint32_t)id), field);
}

static void take_tags(const struct btf *btf, uint32_t record_id, int member, struct field *field)
{
	const char *show = describe_tag(btf, record_id, member, "show:", 0);

	field->text = describe_tag(btf, record_id, member, "text:", 0);
	field->unit = describe_tag(btf, record_id, member, "unit:", 0);
	field->scope = parse_scope(describe_tag(btf, record_id, member, "scope:", 0));
	field->show = show ? field_show_parse(show, strlen(show)) : FIELD_SHOW_DECIMAL;
}

/* The field that counts the elements of a sequence; 0 = not found. */
static uint32_t find_length(const struct walk *w, const char *name)
{
	for (uint32_t i = 0; i + 1 < w->count; i++) {
		if (!strcmp(w->fields[i].name, name) && w->fields[i].kind == FIELD_INT &&
		    !field_is_many(&w->fields[i]))
			return i + 1;
	}
	return 0;
}

/* An array without a count of its own: a sequence where @length names what counts it, else texts
 * are strings. */
static int take_varying(struct walk *w, const char *length, struct field *field)
{
	if (length)
		field->length = find_length(w, length);
	else if (field->kind == FIELD_TEXT)
		field->kind = FIELD_STRING;
	if (!w->varying || !field_varies(field))
		return diag_set(w->diag, -EINVAL, "struct %s: %s has no length", w->record,
				field->name);
	if (field->kind == FIELD_STRING)
		field->count = 1;
	return 0;
}

static int walk_struct(struct walk *w, uint32_t id, uint32_t base_bits);

static int walk_member(struct walk *w, uint32_t id, int i, uint32_t base_bits)
{
	const struct btf_type *t = btf__type_by_id(w->btf, id);
	const struct btf_member *m = btf_members(t) + i;
	const char *name = btf__name_by_offset(w->btf, m->name_off);
	uint32_t at = base_bits + btf_member_bit_offset(t, (uint32_t)i);
	const char *names = describe_tag(w->btf, id, i, "names:", 0);
	uint32_t bits = btf_member_bitfield_size(t, (uint32_t)i);
	uint32_t inner_id;
	struct field *field;

	if (!strcmp(name, MEMBER_HEAD))
		return 0;
	if (!strcmp(name, MEMBER_END)) {
		w->varying = !base_bits || w->varying;
		return 0;
	}
	if (!strcmp(name, MEMBER_BRIEF_END)) {
		w->brief = w->count;
		return 0;
	}
	if (btf_is_struct(strip(w->btf, m->type, &inner_id)))
		return walk_struct(w, inner_id, at);
	if (!w->varying && at != w->end_bits)
		return diag_set(w->diag, -EINVAL, "struct %s: %u bits of padding before %s",
				w->record, at - w->end_bits, name);
	if (w->count == FIELD_MAX)
		return diag_set(w->diag, -E2BIG, "struct %s: too many members", w->record);
	field = &w->fields[w->count++];
	*field = (struct field){.name = name, .count = 1, .offset_bits = at};
	if (take_type(w, m->type, field))
		return diag_set(w->diag, -EINVAL, "struct %s: %s has a type that traces lack",
				w->record, name);
	if (bits)
		field->bits = (uint16_t)bits;
	field->align_bits = bits ? 1 : field->bits < 32 ? field->bits : 32;
	take_tags(w->btf, id, i, field);
	if (!field->count)
		return take_varying(w, describe_tag(w->btf, id, i, "length:", 0), field);
	w->end_bits = at + field->bits * field->count;
	return names ? take_kernel_names(w, names, field) : 0;
}

/* Members of a struct inside are members of the record: tcp_cwnd has all of tcp_snapshot. */
static int walk_struct(struct walk *w, uint32_t id, uint32_t base_bits)
{
	const struct btf_type *t = btf__type_by_id(w->btf, id);

	for (int i = 0; i < btf_vlen(t); i++) {
		int err = walk_member(w, id, i, base_bits);

		if (err)
			return err;
	}
	return 0;
}

static int finish_class(struct walk *w, struct event_class *class)
{
	struct field *fields = block_take(w->describe, w->count * sizeof(*fields));
	uint32_t *offsets = block_take(w->describe, w->count * sizeof(*offsets));

	if (!fields || !offsets)
		return -ENOMEM;
	class->fixed = true;
	for (size_t i = 0; i < w->count; i++) {
		fields[i] = w->fields[i];
		fields[i].offset_bits -= RECORD_HEAD_BYTES * 8;
		offsets[i] = fields[i].offset_bits;
		if (field_varies(&fields[i]))
			class->fixed = false;
	}
	class->fields = fields;
	class->offsets = offsets;
	class->field_count = w->count;
	class->detail_count = w->brief ? w->count - w->brief : 0;
	class->payload_bytes = class->fixed ? (w->end_bits + 7) / 8 - RECORD_HEAD_BYTES : 0;
	return 0;
}

/*
 * What is last ends where a record may end. Behind a text there would be padding that only the next
 * record explains, and behind the last one of a packet readers would take it for a record.
 */
static int check_end(const struct walk *w)
{
	const struct field *last = w->count ? &w->fields[w->count - 1] : NULL;

	if (!last || !field_varies(last) || last->bits >= RECORD_ALIGN * 8)
		return 0;
	return diag_set(w->diag, -EINVAL, "struct %s: nothing behind %s aligns the end", w->record,
			last->name);
}

int describe_record(struct describe *d, const struct btf *btf, const struct btf *kernel,
		    const char *record, struct event_class *class, struct diag *diag)
{
	int id = btf__find_by_name_kind(btf, record, BTF_KIND_STRUCT);
	struct walk *w;
	int err;

	if (id < 0)
		return diag_set(diag, -EINVAL, "no struct %s in the BTF: RECORD(%s) is missing",
				record, record);
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	*w = (struct walk){
		.describe = d,
		.btf = btf,
		.kernel = kernel,
		.record = record,
		.end_bits = RECORD_HEAD_BYTES * 8,
		.diag = diag,
	};
	err = walk_struct(w, (uint32_t)id, 0) ?: check_end(w);
	if (!err)
		err = finish_class(w, class);
	free(w);
	return err;
}

int describe_add_first(struct describe *d, struct event_class *class, const struct field *field)
{
	const size_t count = class->field_count + 1;
	struct field *fields = block_take(d, count * sizeof(*fields));
	uint32_t *offsets = block_take(d, count * sizeof(*offsets));

	if (!fields || !offsets)
		return -ENOMEM;
	fields[0] = *field;
	for (size_t i = 1; i < count; i++) {
		fields[i] = class->fields[i - 1];
		fields[i].offset_bits += field->bits;
		fields[i].length += fields[i].length != 0;
		offsets[i] = class->offsets[i - 1] + field->bits;
	}
	class->fields = fields;
	class->offsets = offsets;
	class->field_count = count;
	if (class->fixed)
		class->payload_bytes += field->bits / 8u;
	return 0;
}
