// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/inlines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"

#define UNITS_MAX (1u << 20)
#define RANGES_MAX (4u << 20) /* of all units, and of the functions of one */
#define RANGES_OF_ONE 4096u /* of one unit or function: more are not real */
#define ENTRIES_MAX (8u << 20) /* of one unit that are looked at */
#define DEPTH_MAX 64u /* of entries in each other */
#define FIRST_ROOM 64u

/* Code of a unit, or of a function in it. */
struct range {
	uint64_t low, high;
	uint32_t which; /* number of the unit; of a function: how deep it is in others */
	Dwarf_Off entry; /* of the function */
};

struct ranges {
	struct range *list;
	size_t count, room;
};

struct unit {
	Dwarf_Off entry;
	bool looked; /* its functions are there */
	struct ranges functions; /* by `low` */
};

struct inlines {
	int fd;
	Dwarf *dwarf;
	struct unit *units;
	size_t unit_count, unit_room;
	struct ranges code; /* of all units, by `low` */
};

static bool grow(void **items, size_t count, size_t *room, size_t most, size_t bytes)
{
	const size_t larger = *room ? 2 * *room : FIRST_ROOM;
	void *moved;

	if (count < *room)
		return true;
	moved = count < most ? realloc(*items, larger * bytes) : NULL;
	if (!moved)
		return false;
	*items = moved;
	*room = larger;
	return true;
}

/* All ranges of @die; false: no room. */
static bool add_ranges(struct ranges *ranges, Dwarf_Die *die, uint32_t which)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	for (unsigned int i = 0; i < RANGES_OF_ONE; i++) {
		at = dwarf_ranges(die, at, &base, &low, &high);
		if (at <= 0)
			return true;
		if (low >= high || !low) /* code that the linker has dropped */
			continue;
		if (!grow((void **)&ranges->list, ranges->count, &ranges->room, RANGES_MAX,
			  sizeof(*ranges->list)))
			return false;
		ranges->list[ranges->count++] =
			(struct range){low, high, which, dwarf_dieoffset(die)};
	}
	return true;
}

static int compare(const void *left, const void *right)
{
	const struct range *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return (a->which > b->which) - (a->which < b->which);
}

static void sort(struct ranges *ranges)
{
	if (ranges->count)
		qsort(ranges->list, ranges->count, sizeof(*ranges->list), compare);
}

static void find_units(struct inlines *in)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;

	while (!dwarf_get_units(in->dwarf, cu, &cu, NULL, &type, &die, NULL)) {
		if (type != DW_UT_compile)
			continue;
		if (!grow((void **)&in->units, in->unit_count, &in->unit_room, UNITS_MAX,
			  sizeof(*in->units)))
			break;
		in->units[in->unit_count] = (struct unit){.entry = dwarf_dieoffset(&die)};
		if (!add_ranges(&in->code, &die, (uint32_t)in->unit_count))
			break;
		in->unit_count++;
	}
	sort(&in->code);
}

int inlines_open(int fd, struct inlines **ret)
{
	struct inlines *in = calloc(1, sizeof(*in));

	if (!in) {
		(void)fd_close(fd);
		return -ENOMEM;
	}
	in->fd = fd;
	in->dwarf = dwarf_begin(fd, DWARF_C_READ);
	if (in->dwarf)
		find_units(in);
	if (!in->code.count) {
		inlines_free(in);
		return -ENOENT;
	}
	*ret = in;
	return 0;
}

void inlines_free(struct inlines *in)
{
	if (!in)
		return;
	for (size_t i = 0; i < in->unit_count; i++)
		free(in->units[i].functions.list);
	free(in->units);
	free(in->code.list);
	if (in->dwarf)
		(void)dwarf_end(in->dwarf);
	(void)fd_close(in->fd);
	free(in);
}

/* Whether functions can be in such an entry. */
static bool may_hold(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
	       tag == DW_TAG_lexical_block || tag == DW_TAG_namespace || tag == DW_TAG_module ||
	       tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_call_site || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

static bool is_function(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/* Entries below @parent, @depth functions deep. False: there are too many. */
static bool find_functions(struct unit *unit, Dwarf_Die *parent, uint32_t depth, unsigned int level,
			   size_t *left)
{
	Dwarf_Die die;

	if (level >= DEPTH_MAX || dwarf_child(parent, &die))
		return true;
	do {
		const int tag = dwarf_tag(&die);

		if (!(*left)--)
			return false;
		if (is_function(tag) && !add_ranges(&unit->functions, &die, depth))
			return false;
		if (may_hold(tag) &&
		    !find_functions(unit, &die, depth + is_function(tag), level + 1, left))
			return false;
	} while (!dwarf_siblingof(&die, &die));
	return true;
}

static void read_unit(struct inlines *in, struct unit *unit)
{
	size_t left = ENTRIES_MAX;
	Dwarf_Die die;

	unit->looked = true;
	if (dwarf_offdie(in->dwarf, unit->entry, &die) && !find_functions(unit, &die, 0, 0, &left))
		unit->functions.count = 0; /* half of them would be wrong */
	sort(&unit->functions);
}

/* How many of @ranges begin at @address or before. */
static size_t count_up_to(const struct ranges *ranges, uint64_t address)
{
	size_t low = 0, high = ranges->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (ranges->list[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct unit *unit_at(struct inlines *in, uint64_t address)
{
	size_t i = count_up_to(&in->code, address);

	/* Code of two units does not overlap, but for the mistakes of linkers. */
	for (size_t looked = 0; i-- > 0 && looked < 8; looked++) {
		if (address < in->code.list[i].high)
			return &in->units[in->code.list[i].which];
	}
	return NULL;
}

/* The entries of the functions at @address, the innermost first. */
static size_t functions_at(const struct unit *unit, uint64_t address, Dwarf_Off *ret, size_t most)
{
	const struct ranges *functions = &unit->functions;
	const size_t end = count_up_to(functions, address);
	uint32_t depths[DEPTH_MAX];
	size_t count = 0;

	if (most > DEPTH_MAX)
		most = DEPTH_MAX;
	/* Outer ones stand before inner ones. Function 0 deep that contains it begins a new list. */
	for (size_t i = end; i-- > 0 && count < most;) {
		const struct range *range = &functions->list[i];

		if (address >= range->high)
			continue;
		if (count && range->which >= depths[count - 1])
			continue;
		ret[count] = range->entry;
		depths[count++] = range->which;
		if (!range->which)
			break;
	}
	return count;
}

static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
		name = dwarf_formstring(&attribute);
	if (!name && dwarf_attr_integrate(die, DW_AT_name, &attribute))
		name = dwarf_formstring(&attribute);
	return name;
}

static uint64_t number_of(Dwarf_Die *die, unsigned int which)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!dwarf_attr(die, which, &attribute) || dwarf_formudata(&attribute, &value))
		return 0;
	return value;
}

/* Where the function of @die was called from. */
static void find_call(Dwarf_Die *unit, Dwarf_Die *die, struct inline_place *ret)
{
	const uint64_t file = number_of(die, DW_AT_call_file),
		       line = number_of(die, DW_AT_call_line);
	Dwarf_Files *files;
	size_t count;

	ret->line = line > UINT32_MAX ? 0 : (uint32_t)line;
	if (!dwarf_getsrcfiles(unit, &files, &count) && file < count)
		ret->file = dwarf_filesrc(files, file, NULL, NULL);
}

static void find_line(Dwarf_Die *unit, uint64_t address, struct inline_place *ret)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, address);
	int number = 0;

	if (!line)
		return;
	ret->file = dwarf_linesrc(line, NULL, NULL);
	if (!dwarf_lineno(line, &number) && number > 0)
		ret->line = (uint32_t)number;
}

size_t inlines_find(struct inlines *in, uint64_t address, struct inline_place *ret, size_t most)
{
	struct unit *unit = unit_at(in, address);
	Dwarf_Off entries[DEPTH_MAX];
	Dwarf_Die unit_die, die;
	size_t count;

	if (!unit || !most || !dwarf_offdie(in->dwarf, unit->entry, &unit_die))
		return 0;
	if (!unit->looked)
		read_unit(in, unit);
	count = functions_at(unit, address, entries, most);
	for (size_t i = 0; i < count; i++)
		ret[i] = (struct inline_place){0};
	for (size_t i = 0; i < count; i++) {
		if (!dwarf_offdie(in->dwarf, entries[i], &die))
			continue;
		ret[i].function = name_of(&die);
		if (!i)
			find_line(&unit_die, address, &ret[0]);
		if (i + 1 < count)
			find_call(&unit_die, &die, &ret[i + 1]);
	}
	return count;
}
