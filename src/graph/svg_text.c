// SPDX-License-Identifier: BSD-2-Clause
#include "graph/svg_text.h"

#include <stdint.h>

#include "base/buffer.h"
#include "base/utf8.h"

/* U+FFFE and U+FFFF are no characters of XML (1.0, 2.2). */
static uint32_t of_xml(uint32_t character)
{
	return (character & ~1u) == 0xfffe ? UTF8_REPLACEMENT : character;
}

static void escape_one(struct buffer *out, uint32_t character)
{
	char bytes[UTF8_BYTES];

	switch (character) {
	case '&':
		buffer_string(out, "&amp;");
		break;
	case '<':
		buffer_string(out, "&lt;");
		break;
	case '>':
		buffer_string(out, "&gt;");
		break;
	case '"':
		buffer_string(out, "&quot;");
		break;
	default:
		buffer_append(out, bytes, (size_t)(utf8_put(bytes, character) - bytes));
	}
}

void svg_escape(struct buffer *out, const char *text)
{
	uint32_t character;

	while ((character = utf8_next(&text)))
		escape_one(out, of_xml(character));
}
