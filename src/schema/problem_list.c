// SPDX-License-Identifier: BSD-2-Clause
#include "schema/problem_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void problem_list_init(struct problem_list *list)
{
	*list = (struct problem_list){0};
}

void problem_list_fini(struct problem_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->texts[i]);
	free(list->texts);
}

void problem_list_add(struct problem_list *list, const char *format, ...)
{
	char **texts, *text = NULL;
	va_list args;
	int len;

	if (list->count > PROBLEM_LIST_MAX)
		return;
	texts = realloc(list->texts, (list->count + 1) * sizeof(*texts));
	if (!texts)
		return;
	list->texts = texts;
	va_start(args, format);
	if (list->count == PROBLEM_LIST_MAX)
		text = strdup("more damage was found, but is not listed");
	else
		len = vasprintf(&text, format, args), text = len < 0 ? NULL : text;
	va_end(args);
	if (text)
		texts[list->count++] = text;
}

void problem_list_take(struct problem_list *list, const struct problem_list *from, size_t *at,
		       const char *name)
{
	for (; *at < from->count; (*at)++)
		problem_list_add(list, "%s%s%s", name ? name : "", name ? ": " : "",
				 from->texts[*at]);
}

const char *problem_list_get(const struct problem_list *list, size_t i)
{
	return i < list->count ? list->texts[i] : NULL;
}
