/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fd_table: the file descriptors of a process, by what its system calls did to them; tasks that share
 * their descriptors share a table. analyse/descriptors follows the calls.
 *
 * A name is known, or nothing is: a call takes effect at some time between its begin and its end, so a descriptor loses its
 * name when a call begins that may close or replace it, and gets one when the call ends that opened it, unless another
 * call may have changed it in that time.
 */
#ifndef SONDE_ANALYSE_FD_TABLE_H
#define SONDE_ANALYSE_FD_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FD_LIMIT 65536u /* higher descriptors are not followed */
#define FD_SLOTS_MAX (1u << 19) /* of all tables of an account: beyond, descriptors are not known */

/* What a file is called. Shared, and not changed. */
struct file_name {
	uint32_t refs; /* atomic: threads have copies of tables */
	uint32_t len;
	char text[];
};

/* NULL: no memory. */
struct file_name *file_name_new(const char *text, size_t len);
/* Takes a reference; returns @name. NULL is fine for both. */
struct file_name *file_name_ref(struct file_name *name);
void file_name_unref(struct file_name *name);

/* What an exec does with a descriptor. */
enum fd_exec { FD_EXEC_MAYBE, FD_EXEC_KEEPS, FD_EXEC_CLOSES };

struct fd_table;

/* Of all tables with the same account: their slots. */
struct fd_account {
	size_t slots;
};

/* Empty: nothing is known. NULL: no memory. Borrows @account (NULL: there was no memory for it). */
struct fd_table *fd_table_new(struct fd_account *account);
/* A copy of what is known, but for what changed from @since on. NULL: no memory. */
struct fd_table *fd_table_copy(const struct fd_table *table, uint64_t since,
			       struct fd_account *account);
/* The same table once more. NULL: no memory. */
struct fd_table *fd_table_clone(const struct fd_table *table, struct fd_account *account);
struct fd_table *fd_table_ref(struct fd_table *table);
void fd_table_unref(struct fd_table *table);
bool fd_table_is_shared(const struct fd_table *table);

/* Times are those of events, above 0. */

/* The name of @fd, or NULL: not known. Borrowed until the table changes. */
struct file_name *fd_table_get(const struct fd_table *table, int64_t fd);
enum fd_exec fd_table_exec_of(const struct fd_table *table, int64_t fd);
/* A call begins, or ends, that may close or replace @fd. Each begin needs its end. */
void fd_table_remove_begin(struct fd_table *table, int64_t fd, uint64_t now);
void fd_table_remove_end(struct fd_table *table, int64_t fd);
/* The same of those from @first to @last. */
void fd_table_range_begin(struct fd_table *table, uint64_t first, uint64_t last, uint64_t now);
void fd_table_range_end(struct fd_table *table);
/* They are closed. */
void fd_table_remove_range(struct fd_table *table, uint64_t first, uint64_t last, uint64_t now);
/* A call that began at @since has made @fd the file @name (NULL: not known which). */
void fd_table_set(struct fd_table *table, int64_t fd, struct file_name *name, enum fd_exec exec,
		  uint64_t since, uint64_t now);
/* Seen at @now: @fd is @name. Unless a call is in progress that may change it, it stays so. */
void fd_table_note(struct fd_table *table, int64_t fd, struct file_name *name, enum fd_exec exec,
		   uint64_t now);
/* A call that began at @since has changed what an exec does. */
void fd_table_set_exec(struct fd_table *table, int64_t fd, enum fd_exec exec, uint64_t since);
void fd_table_set_exec_range(struct fd_table *table, uint64_t first, uint64_t last,
			     enum fd_exec exec, uint64_t since);
/* The task that has the table alone runs another program. */
void fd_table_exec(struct fd_table *table, uint64_t now);
/* Nothing is known any more. */
void fd_table_forget(struct fd_table *table, uint64_t now);
/* From now on it may change without calls: nothing of it will be known again. */
void fd_table_lose(struct fd_table *table, uint64_t now);
/*
 * @of turns out to be what @table is, or was when it was copied from @since on: @table gets the names of @of
 * for the descriptors that no call of its own changed.
 */
void fd_table_inherit(struct fd_table *table, const struct fd_table *of, uint64_t since);
/* Whether tasks that are not known may share it: then nothing of it is known, and changes are followed all the same. */
void fd_table_set_open(struct fd_table *table, bool open);
bool fd_table_is_open(const struct fd_table *table);
/* What calls changed in @other may have changed in @table too: it is the same one. */
void fd_table_join(struct fd_table *table, const struct fd_table *other, uint64_t now);

#endif /* SONDE_ANALYSE_FD_TABLE_H */
