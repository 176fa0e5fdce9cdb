// SPDX-License-Identifier: BSD-2-Clause
#include "cli/format_choice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/options.h"
#include "source/format.h"

bool format_choice_any(int id, size_t i, struct option_choice *ret)
{
	const struct format *format = format_get(i);

	(void)id;
	if (format)
		*ret = (struct option_choice){format->name, format->text};
	return format != NULL;
}

/* Directories are the last in the table. */
bool format_choice_stream(int id, size_t i, struct option_choice *ret)
{
	const struct format *format = format_get(i);

	return format && !format->directory && format_choice_any(id, i, ret);
}

int format_choice_parse(const char *option, const char *name, bool directories,
			const struct format **ret, struct diag *diag)
{
	bool (*get)(int, size_t, struct option_choice *) = directories ? format_choice_any :
									 format_choice_stream;
	const struct format *format = format_find(name);
	struct option_choice choice;
	char list[256] = "";
	size_t len = 0;

	if (format && (directories || !format->directory)) {
		*ret = format;
		return 0;
	}
	for (size_t i = 0; len < sizeof(list) && get(0, i, &choice); i++)
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s", i ? ", " : "",
					choice.name);
	if (format)
		return diag_set(diag, -EINVAL,
				"%s: %s is a directory: 'sonde convert' writes it; here are %s",
				option, name, list);
	return diag_set(diag, -EINVAL, "%s: '%s' is not one of %s", option, name, list);
}

int format_choice_check_safe(const struct format *format, bool csv_safe, struct diag *diag)
{
	if (!csv_safe || !strcmp(format->name, "csv") || !strcmp(format->name, "tsv"))
		return 0;
	return diag_set(diag, -EINVAL, "--csv-safe is for csv and tsv, not for %s", format->name);
}
