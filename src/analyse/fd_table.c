// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/fd_table.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_FIRST 16u

struct fd_slot {
	struct file_name *name; /* NULL: not known, or not open */
	uint64_t changed; /* when it last changed from or to something that is not known; 0: never */
	uint32_t removers; /* calls in progress that may close or replace it */
	enum fd_exec exec;
};

/* Slots behind the last one are as a slot of zeros. */
struct fd_table {
	uint32_t refs;
	uint32_t room;
	bool lost; /* it changes without calls: nothing of it will be known */
	bool open; /* others may change it, whose calls are taken for those of another table */
	uint32_t ranges; /* calls in progress that may close any of several */
	bool settled; /* what it began with is known, or will not be: an exec, a range of descriptors */
	uint64_t forgotten; /* when all of it last changed */
	struct fd_account *account;
	struct fd_slot *slots;
};

struct file_name *file_name_new(const char *text, size_t len)
{
	struct file_name *name = malloc(sizeof(*name) + len + 1);

	if (!name)
		return NULL;
	name->refs = 1;
	name->len = (uint32_t)len;
	memcpy(name->text, text, len);
	name->text[len] = 0;
	return name;
}

struct file_name *file_name_ref(struct file_name *name)
{
	if (name)
		(void)__atomic_add_fetch(&name->refs, 1, __ATOMIC_RELAXED);
	return name;
}

void file_name_unref(struct file_name *name)
{
	if (name && !__atomic_sub_fetch(&name->refs, 1, __ATOMIC_ACQ_REL))
		free(name);
}

struct fd_table *fd_table_new(struct fd_account *account)
{
	struct fd_table *table = account ? calloc(1, sizeof(*table)) : NULL;

	if (!table)
		return NULL;
	table->refs = 1;
	table->account = account;
	return table;
}

struct fd_table *fd_table_ref(struct fd_table *table)
{
	if (table)
		table->refs++;
	return table;
}

void fd_table_unref(struct fd_table *table)
{
	if (!table || --table->refs)
		return;
	for (uint32_t i = 0; i < table->room; i++)
		file_name_unref(table->slots[i].name);
	table->account->slots -= table->room;
	free(table->slots);
	free(table);
}

bool fd_table_is_shared(const struct fd_table *table)
{
	return table->refs > 1;
}

static struct fd_slot *slot_get(const struct fd_table *table, int64_t fd)
{
	return fd >= 0 && fd < table->room ? &table->slots[fd] : NULL;
}

/* NULL: beyond what is followed, or no memory. */
static struct fd_slot *slot_at(struct fd_table *table, int64_t fd)
{
	uint32_t room = table->room ?: SLOTS_FIRST;
	struct fd_slot *slots;

	if (fd < 0 || fd >= FD_LIMIT)
		return NULL;
	if (fd < table->room)
		return &table->slots[fd];
	while (room <= fd)
		room *= 2;
	if (table->account->slots - table->room + room > FD_SLOTS_MAX)
		return NULL;
	slots = realloc(table->slots, room * sizeof(*slots));
	if (!slots)
		return NULL;
	memset(slots + table->room, 0, (room - table->room) * sizeof(*slots));
	table->account->slots += room - table->room;
	table->slots = slots;
	table->room = room;
	return &slots[fd];
}

static void slot_drop(struct fd_slot *slot)
{
	file_name_unref(slot->name);
	slot->name = NULL;
	slot->exec = FD_EXEC_MAYBE;
}

struct fd_table *fd_table_copy(const struct fd_table *table, uint64_t since,
			       struct fd_account *account)
{
	struct fd_table *copy = fd_table_new(account);

	if (!copy || !table->room || table->lost || table->forgotten >= since)
		return copy;
	if (!slot_at(copy, table->room - 1))
		return copy;
	for (uint32_t i = 0; i < table->room; i++) {
		const struct fd_slot *slot = &table->slots[i];

		if (slot->changed >= since || slot->removers)
			continue;
		copy->slots[i].name = file_name_ref(slot->name);
		copy->slots[i].exec = slot->exec;
	}
	return copy;
}

struct fd_table *fd_table_clone(const struct fd_table *table, struct fd_account *account)
{
	struct fd_table *clone = fd_table_new(account);

	if (!clone)
		return NULL;
	if (table->room && !slot_at(clone, table->room - 1)) {
		fd_table_unref(clone);
		return NULL;
	}
	for (uint32_t i = 0; i < table->room; i++) {
		clone->slots[i] = table->slots[i];
		(void)file_name_ref(clone->slots[i].name);
	}
	clone->lost = table->lost;
	clone->open = table->open;
	clone->ranges = table->ranges;
	clone->settled = table->settled;
	clone->forgotten = table->forgotten;
	return clone;
}

struct file_name *fd_table_get(const struct fd_table *table, int64_t fd)
{
	const struct fd_slot *slot = slot_get(table, fd);

	return slot ? slot->name : NULL;
}

enum fd_exec fd_table_exec_of(const struct fd_table *table, int64_t fd)
{
	const struct fd_slot *slot = slot_get(table, fd);

	return slot ? slot->exec : FD_EXEC_MAYBE;
}

/* That what is known to be open is closed says when another call can have opened it: after that. */
void fd_table_remove_begin(struct fd_table *table, int64_t fd, uint64_t now)
{
	struct fd_slot *slot = slot_at(table, fd);

	if (!slot)
		return;
	if (!slot->name || slot->removers)
		slot->changed = now;
	slot_drop(slot);
	slot->removers++;
}

void fd_table_remove_end(struct fd_table *table, int64_t fd)
{
	struct fd_slot *slot = slot_get(table, fd);

	if (slot && slot->removers)
		slot->removers--;
}

void fd_table_range_begin(struct fd_table *table, uint64_t first, uint64_t last, uint64_t now)
{
	table->settled = true;
	table->ranges++;
	fd_table_remove_range(table, first, last, now);
}

void fd_table_range_end(struct fd_table *table)
{
	if (table->ranges)
		table->ranges--;
}

void fd_table_remove_range(struct fd_table *table, uint64_t first, uint64_t last, uint64_t now)
{
	table->settled = true;
	for (uint64_t fd = first; fd < table->room && fd <= last; fd++) {
		slot_drop(&table->slots[fd]);
		table->slots[fd].changed = now;
	}
}

void fd_table_set(struct fd_table *table, int64_t fd, struct file_name *name, enum fd_exec exec,
		  uint64_t since, uint64_t now)
{
	struct fd_slot *slot = slot_at(table, fd);
	bool known;

	if (!slot)
		return;
	known = name && !slot->removers && !table->ranges && !table->lost && !table->open &&
		slot->changed < since && table->forgotten < since;
	slot_drop(slot);
	slot->changed = now;
	if (!known)
		return;
	slot->name = file_name_ref(name);
	slot->exec = exec;
}

void fd_table_note(struct fd_table *table, int64_t fd, struct file_name *name, enum fd_exec exec,
		   uint64_t now)
{
	struct fd_slot *slot = slot_at(table, fd);

	if (!slot || slot->name || slot->removers || table->ranges || table->lost || table->open ||
	    slot->changed >= now || table->forgotten >= now)
		return;
	slot->name = file_name_ref(name);
	slot->exec = exec;
}

void fd_table_set_exec(struct fd_table *table, int64_t fd, enum fd_exec exec, uint64_t since)
{
	struct fd_slot *slot = slot_get(table, fd);

	if (slot && slot->name)
		slot->exec = slot->changed < since ? exec : FD_EXEC_MAYBE;
}

void fd_table_set_exec_range(struct fd_table *table, uint64_t first, uint64_t last,
			     enum fd_exec exec, uint64_t since)
{
	table->settled = true;
	for (uint64_t fd = first; fd < table->room && fd <= last; fd++)
		fd_table_set_exec(table, (int64_t)fd, exec, since);
}

void fd_table_exec(struct fd_table *table, uint64_t now)
{
	table->settled = true;
	table->open = false;
	for (uint32_t i = 0; i < table->room; i++) {
		struct fd_slot *slot = &table->slots[i];

		slot->removers = 0; /* the tasks that shared it are gone */
		if (slot->exec == FD_EXEC_KEEPS)
			continue;
		slot_drop(slot);
		slot->changed = now;
	}
}

void fd_table_forget(struct fd_table *table, uint64_t now)
{
	table->settled = true;
	table->forgotten = now;
	for (uint32_t i = 0; i < table->room; i++) {
		slot_drop(&table->slots[i]);
		table->slots[i].changed = now;
	}
}

void fd_table_lose(struct fd_table *table, uint64_t now)
{
	fd_table_forget(table, now);
	table->lost = true;
}

void fd_table_inherit(struct fd_table *table, const struct fd_table *of, uint64_t since)
{
	if (table->settled || table->lost || of->lost || of->forgotten >= since)
		return;
	for (uint32_t i = 0; i < of->room; i++) {
		const struct fd_slot *from = &of->slots[i];
		struct fd_slot *slot;

		if (!from->name || from->changed >= since || from->removers)
			continue;
		slot = slot_at(table, i);
		if (!slot || slot->changed)
			continue;
		slot->name = file_name_ref(from->name);
		slot->exec = from->exec;
	}
	table->settled = true;
}

void fd_table_join(struct fd_table *table, const struct fd_table *other, uint64_t now)
{
	if (other->settled || other->lost) {
		fd_table_forget(table, now);
		return;
	}
	for (uint32_t i = 0; i < other->room; i++) {
		struct fd_slot *slot;

		if (!other->slots[i].changed)
			continue;
		slot = slot_at(table, i);
		if (!slot)
			continue;
		slot_drop(slot);
		slot->changed = now;
	}
}

void fd_table_set_open(struct fd_table *table, bool open)
{
	for (uint32_t i = 0; open && i < table->room; i++)
		slot_drop(&table->slots[i]);
	table->open = open;
}

bool fd_table_is_open(const struct fd_table *table)
{
	return table->open;
}
