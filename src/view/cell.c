// SPDX-License-Identifier: BSD-2-Clause
#include "view/cell.h"

#include "view/escape.h"
#include "view/names.h"
#include "view/table.h"
#include "view/task_names.h"

void cell_task(struct table *table, const struct task_names *names, int32_t tid)
{
	const struct task_name *name = task_names_get(names, tid);
	char text[16 * ESCAPE_FACTOR];

	if (tid < 0) {
		table_add(table, "(others)");
		return;
	}
	*escape_terminal(text, name->text, TASK_NAME_LEN(name)) = '\0';
	table_add(table, "%s:%d", *text ? text : "-", tid);
}

void cell_call(struct table *table, const struct names *names, int64_t nr, bool compat)
{
	const struct name *name = names_call(names, compat, nr);
	const char *suffix = compat ? " (32-bit)" : "";

	if (name)
		table_add(table, "%s%s", name->text, suffix);
	else if (nr >= 0)
		table_add(table, "number %lld%s", (long long)nr, suffix);
	else
		table_add(table, "(others)%s", suffix);
}
