// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/json_doc.h"

#include <string.h>

#include "ctf/json_reader.h"
#include "ctf/type.h"

static const json_t *our_attributes(const json_t *object)
{
	return json_object_get(json_object_get(object, "attributes"), JSON_DOC_NAMESPACE);
}

static int copy_text(struct json_reader *reader, const json_t *attributes, const char *name,
		     const char **ret)
{
	const char *text = json_reader_string(attributes, name);

	return text && *text ? json_reader_copy(reader, text, ret) : 0;
}

int json_doc_read_text(struct json_reader *reader, const json_t *object, const char **ret)
{
	return copy_text(reader, our_attributes(object), "text", ret);
}

int json_doc_read(struct json_reader *reader, const json_t *object, struct ctf_doc *ret)
{
	const json_t *attributes = our_attributes(object);
	const char *scope = json_reader_string(attributes, "scope");
	const char *show = json_reader_string(attributes, "show");
	int err = copy_text(reader, attributes, "text", &ret->text);

	err = err ? err : copy_text(reader, attributes, "unit", &ret->unit);
	for (int i = FIELD_SCOPE_MONITOR; scope && i <= FIELD_SCOPE_OBJECT; i++) {
		if (!strcmp(field_scope_name((enum field_scope)i), scope))
			ret->scope = (enum field_scope)i;
	}
	if (show)
		ctf_doc_show(ret, show, strlen(show));
	return err;
}
