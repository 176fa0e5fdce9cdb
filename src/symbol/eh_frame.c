// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/eh_frame.h"

#include <dwarf.h>
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"

/* Registers by their DWARF numbers, x86-64 psABI 3.6.2. */
#define REG_BP 6u
#define REG_SP 7u
#define REG_COUNT 16u
#define REG_RETURN 16u

#define STATES_MAX 16u /* of DW_CFA_remember_state */
#define CIE_SLOTS 64u /* remembered ones */
#define CIE_SPARE_BYTES \
	(1u << 20) /* of CIEs that are read once more, beside the section's length */
#define SEGMENTS_MAX 64u

enum rule {
	RULE_NONE, /* as the ABI has it */
	RULE_AT_CFA,
	RULE_AT_BP,
	RULE_UNDEFINED,
	RULE_OTHER,
};

struct saved {
	enum rule rule;
	int64_t offset;
};

/* What holds at one instruction, of the registers that unwinding follows. */
struct state {
	bool by_expression; /* then: */
	uint8_t cfa_kind;
	int32_t cfa;
	/* else: */
	uint64_t cfa_register;
	int64_t cfa_offset;
	struct saved bp, sp, ret;
};

/* Common Information Entry (LSB 5.0, 10.6.1.1): what several functions begin with. */
struct cie {
	uint64_t at; /* in the section; of a slot that is not used: UINT64_MAX */
	bool valid;
	bool signal;
	bool sized; /* FDEs have augmentation data */
	uint8_t form; /* of addresses */
	uint64_t code_align;
	int64_t data_align;
	struct state first;
};

/* The rows of one function. */
struct piece {
	uint32_t start, end;
	uint32_t first, count;
};

struct table {
	const uint8_t *data;
	size_t len;
	uint64_t address; /* of the section, as the file has it */
	uint64_t base;
	struct cie cies[CIE_SLOTS];
	size_t cie_bytes; /* read so far */
	struct piece *pieces;
	size_t piece_count, piece_room;
	struct unwind_row *rows;
	size_t row_count, row_room;
};

static int make_room(void **list, size_t *room, size_t count, size_t bytes)
{
	size_t more = *room ? 2 * *room : 256;
	void *moved;

	if (count < *room)
		return 0;
	if (count >= EH_FRAME_ROWS_MAX)
		return -E2BIG;
	moved = realloc(*list, more * bytes);
	if (!moved)
		return -ENOMEM;
	*list = moved;
	*room = more;
	return 0;
}

static uint64_t take_leb(struct cursor *cur, bool is_signed)
{
	uint64_t value;
	int bytes = leb128_get(cur->data + cur->at, cursor_left(cur), is_signed, &value);

	if (bytes < 0) {
		cursor_skip(cur, cursor_left(cur) + 1);
		return 0;
	}
	cur->at += (size_t)bytes;
	return value;
}

static uint64_t take_uleb(struct cursor *cur)
{
	return take_leb(cur, false);
}

static int64_t take_sleb(struct cursor *cur)
{
	return (int64_t)take_leb(cur, true);
}

/* A number in one of the forms DW_EH_PE_* (LSB 5.0, 10.5.1), without what it is relative to. */
static bool take_number(struct cursor *cur, uint8_t form, uint64_t *ret)
{
	switch (form & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		*ret = cursor_le64(cur);
		break;
	case DW_EH_PE_uleb128:
		*ret = take_uleb(cur);
		break;
	case DW_EH_PE_sleb128:
		*ret = (uint64_t)take_sleb(cur);
		break;
	case DW_EH_PE_udata2:
		*ret = cursor_le16(cur);
		break;
	case DW_EH_PE_sdata2:
		*ret = (uint64_t)(int64_t)(int16_t)cursor_le16(cur);
		break;
	case DW_EH_PE_udata4:
		*ret = cursor_le32(cur);
		break;
	case DW_EH_PE_sdata4:
		*ret = (uint64_t)(int64_t)(int32_t)cursor_le32(cur);
		break;
	default:
		return false;
	}
	return !cur->short_read;
}

/* False too where it is relative to something that executables have no use for, or stands elsewhere. */
static bool take_address(const struct table *t, struct cursor *cur, uint8_t form, uint64_t *ret)
{
	const uint64_t here = t->address + (uint64_t)(cur->data - t->data) + cur->at;

	if (!take_number(cur, form, ret))
		return false;
	switch (form & 0xf0) {
	case DW_EH_PE_absptr:
		return true;
	case DW_EH_PE_pcrel:
		*ret += here;
		return true;
	default:
		return false;
	}
}

/* A register's value plus a number: DW_OP_breg*; false: another operation. */
static bool take_register_plus(struct cursor *cur, unsigned int *reg, int64_t *offset)
{
	const uint8_t op = cursor_u8(cur);

	if (op < DW_OP_breg0 || op >= DW_OP_breg0 + REG_COUNT)
		return false;
	*reg = op - DW_OP_breg0;
	*offset = take_sleb(cur);
	return !cur->short_read;
}

/*
 * What linkers write for all entries of a procedure linkage table: the CFA is rsp + 8 until an entry has pushed, at
 * its byte number 10 or 11, and then 8 more.
 */
static bool read_plt(const uint8_t *at, size_t len, struct state *state)
{
	static const uint8_t begin[] = {DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and};
	static const uint8_t end[] = {DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus};
	const uint8_t *middle = at + sizeof(begin);

	if (len != sizeof(begin) + 1 + sizeof(end) || memcmp(at, begin, sizeof(begin)) ||
	    memcmp(middle + 1, end, sizeof(end)) || *middle < DW_OP_lit0 || *middle > DW_OP_lit15)
		return false;
	state->cfa_kind = UNWIND_PLT;
	state->cfa = *middle - DW_OP_lit0;
	return true;
}

/* What compilers write for realigned stacks, and OpenSSL for its assembly: the CFA, or nearly, is in memory. */
static bool read_saved_cfa(const uint8_t *at, size_t len, struct state *state)
{
	int64_t offset, more = 0;
	struct cursor cur;
	unsigned int reg;

	cursor_init(&cur, at, len);
	if (!take_register_plus(&cur, &reg, &offset) || (reg != REG_SP && reg != REG_BP) ||
	    offset != (int16_t)offset || cursor_u8(&cur) != DW_OP_deref)
		return false;
	if (cursor_left(&cur)) {
		if (cursor_u8(&cur) != DW_OP_plus_uconst)
			return false;
		more = (int64_t)take_uleb(&cur);
	}
	if (cur.short_read || cursor_left(&cur) || more != (int16_t)more)
		return false;
	state->cfa_kind = reg == REG_SP ? UNWIND_SP_SAVED : UNWIND_BP_SAVED;
	state->cfa = (int32_t)((uint32_t)more << 16 | (uint16_t)offset);
	return true;
}

static void set_cfa_expression(struct state *state, const uint8_t *at, size_t len)
{
	state->by_expression = true;
	if (!at || (!read_plt(at, len, state) && !read_saved_cfa(at, len, state)))
		state->cfa_kind = UNWIND_UNSUPPORTED;
}

static void set_cfa(struct state *state, uint64_t reg, int64_t offset)
{
	state->by_expression = false;
	state->cfa_register = reg;
	state->cfa_offset = offset;
}

static void set_cfa_offset(struct state *state, int64_t offset)
{
	if (state->by_expression)
		state->cfa_kind = UNWIND_UNSUPPORTED; /* not valid DWARF */
	state->cfa_offset = offset;
}

static void set_cfa_register(struct state *state, uint64_t reg)
{
	if (state->by_expression)
		state->cfa_kind = UNWIND_UNSUPPORTED;
	state->cfa_register = reg;
}

static struct saved *saved_of(struct state *state, uint64_t reg)
{
	switch (reg) {
	case REG_BP:
		return &state->bp;
	case REG_SP:
		return &state->sp;
	case REG_RETURN:
		return &state->ret;
	default:
		return NULL;
	}
}

static void set_rule(struct state *state, uint64_t reg, enum rule rule, int64_t offset)
{
	struct saved *saved = saved_of(state, reg);

	if (saved)
		*saved = (struct saved){rule, offset};
}

static void set_rule_expression(struct state *state, uint64_t reg, const uint8_t *at, size_t len)
{
	unsigned int base = 0;
	struct cursor cur;
	int64_t offset;

	cursor_init(&cur, at, at ? len : 0);
	if (at && take_register_plus(&cur, &base, &offset) && base == REG_BP && !cursor_left(&cur))
		set_rule(state, reg, RULE_AT_BP, offset);
	else
		set_rule(state, reg, RULE_OTHER, 0);
}

static void restore_rule(struct state *state, const struct cie *cie, uint64_t reg)
{
	struct state first = cie->first;
	struct saved *saved = saved_of(state, reg);

	if (saved)
		*saved = *saved_of(&first, reg);
}

static uint8_t cfa_kind(const struct state *state)
{
	if (state->cfa_offset != (int32_t)state->cfa_offset)
		return UNWIND_UNSUPPORTED;
	if (state->cfa_register == REG_SP)
		return UNWIND_SP;
	if (state->cfa_register == REG_BP)
		return UNWIND_BP;
	return state->cfa_register < REG_COUNT ? (uint8_t)(UNWIND_REGISTER + state->cfa_register) :
						 UNWIND_UNSUPPORTED;
}

static void make_bp(const struct saved *bp, struct unwind_row *row)
{
	switch (bp->rule) {
	case RULE_NONE:
		row->bp_kind = UNWIND_BP_SAME;
		return;
	case RULE_AT_CFA:
		row->bp_kind = UNWIND_BP_AT_CFA;
		break;
	case RULE_AT_BP:
		row->bp_kind = UNWIND_BP_AT_BP;
		break;
	case RULE_UNDEFINED:
	case RULE_OTHER:
		row->bp_kind = UNWIND_BP_LOST;
		return;
	}
	row->bp = (int16_t)bp->offset;
	if (row->bp != bp->offset)
		*row = (struct unwind_row){
			.cfa_kind = row->cfa_kind, .cfa = row->cfa, .bp_kind = UNWIND_BP_LOST};
}

static struct unwind_row make_row(const struct cie *cie, const struct state *state)
{
	const struct saved *ret = &state->ret;
	struct unwind_row row = {0};

	if (cie->signal) {
		row.cfa_kind = UNWIND_SIGNAL;
		return row;
	}
	if (ret->rule == RULE_UNDEFINED) {
		row.cfa_kind = UNWIND_END;
		return row;
	}
	row.cfa_kind = state->by_expression ? state->cfa_kind : cfa_kind(state);
	if (ret->rule != RULE_AT_CFA || ret->offset != -8 || state->sp.rule != RULE_NONE)
		row.cfa_kind = UNWIND_UNSUPPORTED;
	if (row.cfa_kind == UNWIND_UNSUPPORTED)
		return row;
	row.cfa = state->by_expression ? state->cfa : (int32_t)state->cfa_offset;
	make_bp(&state->bp, &row);
	return row;
}

/* A run through the instructions of a CIE or an FDE. */
struct run {
	const struct cie *cie;
	struct state state;
	struct state kept[STATES_MAX];
	size_t kept_count;
	uint64_t pc, end; /* from the table's base; an FDE's */
};

static int add_row(struct table *t, const struct run *run)
{
	struct unwind_row row = make_row(run->cie, &run->state);
	int err = make_room((void **)&t->rows, &t->row_room, t->row_count, sizeof(row));

	if (err)
		return err;
	row.pc = (uint32_t)run->pc;
	t->rows[t->row_count++] = row;
	return 0;
}

/* Those that follow are at a later address. */
static int advance(struct table *t, struct run *run, uint64_t bytes)
{
	int err;

	if (!bytes)
		return 0;
	if (bytes >= run->end - run->pc)
		return -EBADMSG;
	err = add_row(t, run);
	run->pc += bytes;
	return err;
}

static int advance_scaled(struct table *t, struct run *run, uint64_t delta)
{
	const uint64_t align = run->cie->code_align;

	if (align && delta > UINT32_MAX / align)
		return -EBADMSG;
	return advance(t, run, delta * align);
}

static int64_t scaled(const struct run *run, uint64_t factored)
{
	return (int64_t)(factored * (uint64_t)run->cie->data_align);
}

static const uint8_t *take_block(struct cursor *cur, size_t *len)
{
	const uint64_t bytes = take_uleb(cur);

	*len = bytes <= cursor_left(cur) ? (size_t)bytes : 0;
	if (bytes > cursor_left(cur)) {
		cursor_skip(cur, cursor_left(cur) + 1);
		return NULL;
	}
	return cursor_bytes(cur, *len);
}

static int run_set_loc(struct table *t, struct run *run, struct cursor *cur)
{
	uint64_t to;

	if (!take_address(t, cur, run->cie->form, &to) || to - t->base < run->pc)
		return -EBADMSG;
	return advance(t, run, to - t->base - run->pc);
}

static int keep_state(struct run *run)
{
	if (run->kept_count == STATES_MAX)
		return -E2BIG;
	run->kept[run->kept_count++] = run->state;
	return 0;
}

static int take_state_back(struct run *run)
{
	if (!run->kept_count)
		return -EBADMSG;
	run->state = run->kept[--run->kept_count];
	return 0;
}

/* Operands are taken in order, each by a statement of its own. */
static int run_rule(struct run *run, uint8_t op, struct cursor *cur)
{
	const uint64_t reg = take_uleb(cur);
	const uint8_t *block;
	size_t len;

	switch (op) {
	case DW_CFA_offset_extended:
		set_rule(&run->state, reg, RULE_AT_CFA, scaled(run, take_uleb(cur)));
		return 0;
	case DW_CFA_offset_extended_sf:
		set_rule(&run->state, reg, RULE_AT_CFA, scaled(run, (uint64_t)take_sleb(cur)));
		return 0;
	case DW_CFA_GNU_negative_offset_extended:
		set_rule(&run->state, reg, RULE_AT_CFA, -scaled(run, take_uleb(cur)));
		return 0;
	case DW_CFA_restore_extended:
		restore_rule(&run->state, run->cie, reg);
		return 0;
	case DW_CFA_undefined:
		set_rule(&run->state, reg, RULE_UNDEFINED, 0);
		return 0;
	case DW_CFA_same_value:
		set_rule(&run->state, reg, RULE_NONE, 0);
		return 0;
	case DW_CFA_register:
	case DW_CFA_val_offset:
		(void)take_uleb(cur);
		set_rule(&run->state, reg, RULE_OTHER, 0);
		return 0;
	case DW_CFA_val_offset_sf:
		(void)take_sleb(cur);
		set_rule(&run->state, reg, RULE_OTHER, 0);
		return 0;
	case DW_CFA_expression:
		block = take_block(cur, &len);
		set_rule_expression(&run->state, reg, block, len);
		return 0;
	case DW_CFA_val_expression:
		(void)take_block(cur, &len);
		set_rule(&run->state, reg, RULE_OTHER, 0);
		return 0;
	default:
		return -ENOTSUP;
	}
}

static int run_cfa(struct run *run, uint8_t op, struct cursor *cur)
{
	const uint8_t *block;
	uint64_t reg;
	size_t len;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = take_uleb(cur);
		set_cfa(&run->state, reg, (int64_t)take_uleb(cur));
		return 0;
	case DW_CFA_def_cfa_sf:
		reg = take_uleb(cur);
		set_cfa(&run->state, reg, scaled(run, (uint64_t)take_sleb(cur)));
		return 0;
	case DW_CFA_def_cfa_register:
		set_cfa_register(&run->state, take_uleb(cur));
		return 0;
	case DW_CFA_def_cfa_offset:
		set_cfa_offset(&run->state, (int64_t)take_uleb(cur));
		return 0;
	case DW_CFA_def_cfa_offset_sf:
		set_cfa_offset(&run->state, scaled(run, (uint64_t)take_sleb(cur)));
		return 0;
	case DW_CFA_def_cfa_expression:
		block = take_block(cur, &len);
		set_cfa_expression(&run->state, block, len);
		return 0;
	default:
		return run_rule(run, op, cur);
	}
}

/* Those that have their operand in the same byte. */
static int run_short(struct table *t, struct run *run, uint8_t op, struct cursor *cur)
{
	const uint8_t low = op & 0x3f;

	switch (op & 0xc0) {
	case DW_CFA_advance_loc:
		return advance_scaled(t, run, low);
	case DW_CFA_offset:
		set_rule(&run->state, low, RULE_AT_CFA, scaled(run, take_uleb(cur)));
		return 0;
	default:
		restore_rule(&run->state, run->cie, low);
		return 0;
	}
}

static int run_one(struct table *t, struct run *run, struct cursor *cur)
{
	const uint8_t op = cursor_u8(cur);

	if (op & 0xc0)
		return run_short(t, run, op, cur);
	switch (op) {
	case DW_CFA_nop:
		return 0;
	case DW_CFA_set_loc:
		return run_set_loc(t, run, cur);
	case DW_CFA_advance_loc1:
		return advance_scaled(t, run, cursor_u8(cur));
	case DW_CFA_advance_loc2:
		return advance_scaled(t, run, cursor_le16(cur));
	case DW_CFA_advance_loc4:
		return advance_scaled(t, run, cursor_le32(cur));
	case DW_CFA_remember_state:
		return keep_state(run);
	case DW_CFA_restore_state:
		return take_state_back(run);
	case DW_CFA_GNU_args_size:
		(void)take_uleb(cur);
		return 0;
	default:
		return run_cfa(run, op, cur);
	}
}

static int run_all(struct table *t, struct run *run, struct cursor *cur)
{
	int err = 0;

	while (!err && cursor_left(cur))
		err = run_one(t, run, cur);
	if (!err && cur->short_read)
		return -EBADMSG;
	return err;
}

/* The letters that follow the 'z' say what is in the augmentation data. */
static bool read_augmentation(const struct table *t, struct cie *cie, const char *letters,
			      struct cursor *cur)
{
	struct cursor data;
	const uint8_t *block;
	uint64_t ignored;
	uint8_t form;
	size_t len;

	if (!*letters)
		return true;
	if (*letters++ != 'z')
		return false;
	cie->sized = true;
	block = take_block(cur, &len);
	if (!block)
		return false;
	cursor_init(&data, block, len);
	for (; *letters; letters++) {
		switch (*letters) {
		case 'R':
			cie->form = cursor_u8(&data);
			break;
		case 'P': /* may be an address of an address, which does not matter here */
			form = cursor_u8(&data);
			if (!take_address(t, &data, form & 0x7f, &ignored))
				return false;
			break;
		case 'L':
			(void)cursor_u8(&data);
			break;
		case 'S':
			cie->signal = true;
			break;
		default:
			return false;
		}
	}
	return !data.short_read;
}

static int read_cie_content(struct table *t, struct cie *cie, struct cursor *cur)
{
	struct run run = {.cie = cie, .state = {.cfa_register = UINT64_MAX}};
	const char *letters;
	size_t most;
	uint8_t version = cursor_u8(cur);
	uint64_t column;

	letters = (const char *)cur->data + cur->at;
	most = cursor_left(cur);
	if ((version != 1 && version != 3) || strnlen(letters, most) == most)
		return -EBADMSG;
	cursor_skip(cur, strlen(letters) + 1);
	cie->code_align = take_uleb(cur);
	cie->data_align = take_sleb(cur);
	column = version == 1 ? cursor_u8(cur) : take_uleb(cur);
	if (!read_augmentation(t, cie, letters, cur) || column != REG_RETURN)
		return -ENOTSUP;
	/* An address at which something changes has no place here: run.end is 0. */
	if (run_all(t, &run, cur))
		return -EBADMSG;
	cie->first = run.state;
	return 0;
}

/* An entry's content; false: none begins at @at. @id_at: where its CIE pointer is. */
static bool entry_at(const struct table *t, uint64_t at, struct cursor *ret, size_t *id_at,
		     size_t *next)
{
	struct cursor cur;
	uint64_t len;

	if (at >= t->len)
		return false;
	cursor_init(&cur, t->data + at, t->len - (size_t)at);
	len = cursor_le32(&cur);
	if (len == UINT32_MAX)
		len = cursor_le64(&cur);
	if (cur.short_read || len < 4 || len > cursor_left(&cur))
		return false;
	*id_at = (size_t)at + cur.at;
	*next = *id_at + (size_t)len;
	cursor_init(ret, t->data + *id_at, (size_t)len);
	return true;
}

/* NULL: it is not valid. -E2BIG: so many CIEs are named in turn that reading them has no end. */
static int find_cie(struct table *t, uint64_t at, const struct cie **ret)
{
	struct cie *cie = &t->cies[at / 8 % CIE_SLOTS];
	size_t id_at, next;
	struct cursor cur;

	*ret = NULL;
	if (cie->at != at) {
		*cie = (struct cie){.at = at};
		if (!entry_at(t, at, &cur, &id_at, &next) || cursor_le32(&cur))
			return 0;
		t->cie_bytes += cur.len;
		if (t->cie_bytes > t->len + CIE_SPARE_BYTES)
			return -E2BIG;
		cie->valid = !read_cie_content(t, cie, &cur);
	}
	if (cie->valid)
		*ret = cie;
	return 0;
}

static int add_piece(struct table *t, const struct run *run, uint32_t start, size_t first_row)
{
	int err =
		make_room((void **)&t->pieces, &t->piece_room, t->piece_count, sizeof(*t->pieces));

	if (err)
		return err;
	t->pieces[t->piece_count++] = (struct piece){
		.start = start,
		.end = (uint32_t)run->end,
		.first = (uint32_t)first_row,
		.count = (uint32_t)(t->row_count - first_row),
	};
	return 0;
}

/* Frame Description Entry (LSB 5.0, 10.6.1.2): one function. What is not valid in it is not covered. */
static int read_fde(struct table *t, const struct cie *cie, struct cursor *cur)
{
	const size_t first_row = t->row_count;
	struct run run = {.cie = cie, .state = cie->first};
	uint64_t start, bytes;
	size_t len;
	int err;

	if (!take_address(t, cur, cie->form, &start) || !take_number(cur, cie->form, &bytes))
		return 0;
	start -= t->base;
	if (start > UINT32_MAX || !bytes || bytes > UINT32_MAX - start)
		return 0;
	if (cie->sized)
		(void)take_block(cur, &len);
	if (cur->short_read)
		return 0;
	run.pc = start;
	run.end = start + bytes;
	err = run_all(t, &run, cur) ?: add_row(t, &run);
	if (err == -ENOMEM || (err == -E2BIG && t->row_count >= EH_FRAME_ROWS_MAX))
		return err;
	if (err) {
		t->row_count = first_row;
		return 0;
	}
	return add_piece(t, &run, (uint32_t)start, first_row);
}

/* In the order of the section, up to its end mark. */
static int read_entries(struct table *t)
{
	size_t at = 0, id_at, next;
	struct cursor cur;
	int err = 0;

	for (; !err && entry_at(t, at, &cur, &id_at, &next); at = next) {
		const uint32_t back = cursor_le32(&cur);
		const struct cie *cie;

		if (!back || back > id_at)
			continue;
		err = find_cie(t, id_at - back, &cie);
		if (!err && cie)
			err = read_fde(t, cie, &cur);
	}
	return err;
}

/* Of functions at the same address the first one counts. */
static int compare_pieces(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

static bool is_same(const struct unwind_row *a, const struct unwind_row *b)
{
	return a->cfa == b->cfa && a->bp == b->bp && a->cfa_kind == b->cfa_kind &&
	       a->bp_kind == b->bp_kind;
}

static void push(struct eh_frame *to, const struct unwind_row *row)
{
	if (to->count && is_same(&to->rows[to->count - 1], row))
		return;
	to->rows[to->count++] = *row;
}

/* Puts the functions in order, with a row of UNWIND_NONE behind each that no other follows. */
static int sort_rows(struct table *t, struct eh_frame *ret)
{
	struct eh_frame to = {.base = t->base};

	if (!t->piece_count)
		return -ENOENT;
	qsort(t->pieces, t->piece_count, sizeof(*t->pieces), compare_pieces);
	to.rows = malloc((t->row_count + t->piece_count) * sizeof(*to.rows));
	if (!to.rows)
		return -ENOMEM;
	for (size_t i = 0, follows; i < t->piece_count; i = follows) {
		const struct piece *piece = &t->pieces[i];
		uint32_t next, end;

		for (follows = i + 1; follows < t->piece_count; follows++) {
			if (t->pieces[follows].start > piece->start)
				break;
		}
		next = follows < t->piece_count ? t->pieces[follows].start : UINT32_MAX;
		end = piece->end < next ? piece->end : next;
		for (uint32_t j = 0; j < piece->count && t->rows[piece->first + j].pc < end; j++)
			push(&to, &t->rows[piece->first + j]);
		if (end < next)
			push(&to, &(struct unwind_row){.pc = end, .cfa_kind = UNWIND_NONE});
	}
	*ret = to;
	return 0;
}

static int read_table(const uint8_t *data, size_t len, uint64_t address, uint64_t base,
		      struct eh_frame *ret)
{
	struct table *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return -ENOMEM;
	t->data = data;
	t->len = len;
	t->address = address;
	t->base = base;
	for (size_t i = 0; i < CIE_SLOTS; i++)
		t->cies[i].at = UINT64_MAX;
	err = read_entries(t) ?: sort_rows(t, ret);
	free(t->pieces);
	free(t->rows);
	free(t);
	return err;
}

/* Where the section is, in the file and in memory. */
struct place {
	uint64_t offset;
	uint64_t bytes;
	uint64_t address;
};

static bool find_section(Elf *elf, struct place *ret)
{
	Elf_Scn *section = NULL;
	GElf_Shdr head;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		const char *name;

		if (!gelf_getshdr(section, &head) || head.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, names, head.sh_name);
		if (!name || strcmp(name, ".eh_frame"))
			continue;
		*ret = (struct place){head.sh_offset, head.sh_size, head.sh_addr};
		return true;
	}
	return false;
}

/* .eh_frame_hdr says where .eh_frame begins, in a file without a table of sections: up to the end of its segment. */
static bool find_by_segment(Elf *elf, const GElf_Phdr *hdr, const GElf_Phdr *loads, size_t count,
			    struct place *ret)
{
	struct table t = {.address = hdr->p_vaddr};
	struct cursor cur;
	Elf_Data *data;
	uint64_t address, first;
	uint8_t form;

	data = elf_getdata_rawchunk(elf, (int64_t)hdr->p_offset, 16, ELF_T_BYTE);
	if (!data)
		return false;
	t.data = data->d_buf;
	cursor_init(&cur, data->d_buf, data->d_size);
	first = cursor_u8(&cur);
	form = cursor_u8(&cur);
	cursor_skip(&cur, 2);
	if (first != 1 || !take_address(&t, &cur, form, &address))
		return false;
	for (size_t i = 0; i < count; i++) {
		const uint64_t in = address - loads[i].p_vaddr;

		if (address < loads[i].p_vaddr || in >= loads[i].p_filesz)
			continue;
		*ret = (struct place){loads[i].p_offset + in, loads[i].p_filesz - in, address};
		return true;
	}
	return false;
}

static int read_elf(Elf *elf, struct eh_frame *ret)
{
	GElf_Phdr loads[SEGMENTS_MAX], hdr = {0}, ph;
	uint64_t base = UINT64_MAX;
	size_t load_count = 0, count = 0;
	struct place place;
	GElf_Ehdr head;
	Elf_Data *data;

	if (!gelf_getehdr(elf, &head))
		return -EBADMSG;
	if (head.e_machine != EM_X86_64 || gelf_getclass(elf) != ELFCLASS64)
		return -ENOTSUP;
	if (elf_getphdrnum(elf, &count))
		return -EBADMSG;
	for (size_t i = 0; i < count && load_count < SEGMENTS_MAX; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph))
			break;
		if (ph.p_type == PT_GNU_EH_FRAME)
			hdr = ph;
		if (ph.p_type != PT_LOAD)
			continue;
		base = ph.p_vaddr < base ? ph.p_vaddr : base;
		loads[load_count++] = ph;
	}
	if (base > UINT64_MAX - UINT32_MAX)
		return -ENOENT; /* nothing of it is loaded, or nowhere */
	if (!find_section(elf, &place) &&
	    (!hdr.p_type || !find_by_segment(elf, &hdr, loads, load_count, &place)))
		return -ENOENT;
	if (place.bytes > EH_FRAME_MAX_BYTES)
		return -E2BIG;
	data = elf_getdata_rawchunk(elf, (int64_t)place.offset, place.bytes, ELF_T_BYTE);
	if (!data || !data->d_buf)
		return -ENOENT;
	return read_table(data->d_buf, data->d_size, place.address, base, ret);
}

static int read_and_end(Elf *elf, struct eh_frame *ret)
{
	int err = elf && elf_kind(elf) == ELF_K_ELF ? read_elf(elf, ret) : -EBADMSG;

	elf_end(elf);
	return err;
}

int eh_frame_read(int fd, struct eh_frame *ret)
{
	if (elf_version(EV_CURRENT) == EV_NONE)
		return -EBADMSG;
	return read_and_end(elf_begin(fd, ELF_C_READ, NULL), ret);
}

int eh_frame_read_image(void *image, size_t len, struct eh_frame *ret)
{
	if (elf_version(EV_CURRENT) == EV_NONE)
		return -EBADMSG;
	return read_and_end(elf_memory(image, len), ret);
}

void eh_frame_fini(struct eh_frame *eh)
{
	free(eh->rows);
	*eh = (struct eh_frame){0};
}

const struct unwind_row *eh_frame_find(const struct eh_frame *eh, uint64_t address)
{
	const uint64_t pc = address - eh->base;
	size_t low = 0, high = eh->count;

	if (address < eh->base || pc > UINT32_MAX)
		return NULL;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (eh->rows[middle].pc <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || eh->rows[low - 1].cfa_kind == UNWIND_NONE)
		return NULL;
	return &eh->rows[low - 1];
}
