// SPDX-License-Identifier: BSD-2-Clause
#include "output/cell.h"

#include <stdio.h>

#include "analyse/task_names.h"
#include "base/escape.h"
#include "output/names.h"
#include "schema/derived.h"

struct cell_text cell_text_task(const struct task_names *names, int32_t tid)
{
	const struct task_name *name = task_names_get(names, NULL, tid);
	char text[TASK_NAME_BYTES * ESCAPE_FACTOR + 1];
	struct cell_text cell = {"(others)"};

	if (tid == OWNER_UNKNOWN)
		return cell;
	*escape_terminal(text, name->text, TASK_NAME_LEN(name)) = '\0';
	if (tid < 0)
		(void)snprintf(cell.text, sizeof(cell.text), "%s", *text ? text : "-");
	else
		(void)snprintf(cell.text, sizeof(cell.text), "%s:%d", *text ? text : "-", tid);
	return cell;
}

struct cell_text cell_text_call(const struct names *names, int64_t nr, bool compat)
{
	const struct name *name = names_call(names, compat, nr);
	const char *suffix = compat ? " (32-bit)" : "";
	struct cell_text cell;

	if (name)
		(void)snprintf(cell.text, sizeof(cell.text), "%s%s", name->text, suffix);
	else if (nr >= 0)
		(void)snprintf(cell.text, sizeof(cell.text), "number %lld%s", (long long)nr,
			       suffix);
	else
		(void)snprintf(cell.text, sizeof(cell.text), "(others)%s", suffix);
	return cell;
}
