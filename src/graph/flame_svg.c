// SPDX-License-Identifier: BSD-2-Clause
/*
 * The flame graph as SVG: boxes that a script inside of it (flame.js) zooms and searches. Where no script
 * runs it is a picture whose boxes say what they are where the reader points at them.
 */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "analyse/stack_weights.h"
#include "base/buffer.h"
#include "base/utf8.h"
#include "graph/canvas.h"
#include "graph/canvas_svg.h"
#include "graph/flame.h"
#include "graph/picture.h"

#define MARGIN 10.0
#define HEAD 52.0
#define FOOT 52.0
#define ROW 17.0
#define LETTER 6.63 /* pixels, of a monospaced font of 11: as in flame.js */
#define LETTERS_LEAST 3 /* fewer say nothing */

/* flame.js, by tools/embed.py. */
extern const unsigned char flame_script[];
extern const size_t flame_script_size;

static void write_style(const struct picture *picture, struct buffer *out)
{
	const bool dark = picture->theme == THEME_DARK;

	buffer_format(
		out,
		"<style>\n"
		"text{font:11px 'DejaVu Sans Mono','Liberation Mono',Menlo,Consolas,monospace}\n"
		".title{font:600 15px Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif}\n"
		".paper{fill:#%06x}\n.title,.details,.found{fill:#%06x}\n.faint{fill:#%06x}\n",
		palette_rgb(INK_PAPER, dark), palette_rgb(INK_TEXT, dark),
		palette_rgb(INK_FAINT, dark));
	if (picture->theme == THEME_AUTO)
		buffer_format(out,
			      "@media (prefers-color-scheme:dark){.paper{fill:#%06x}"
			      ".title,.details,.found{fill:#%06x}.faint{fill:#%06x}}\n",
			      palette_rgb(INK_PAPER, true), palette_rgb(INK_TEXT, true),
			      palette_rgb(INK_FAINT, true));
	for (unsigned int ink = INK_LETTERS; ink < INK_COUNT; ink++)
		buffer_format(out, ".f%u{fill:#%06x}\n", ink, palette_rgb((enum ink)ink, false));
	buffer_format(out,
		      ".boxes text{fill:#%06x;pointer-events:none}\n"
		      ".boxes g,.link{cursor:pointer}\n"
		      ".boxes g:hover rect,.boxes g:focus rect{stroke:#%06x;stroke-width:1.2}\n"
		      ".boxes g:focus,.link:focus{outline:none}\n"
		      ".link{text-decoration:underline}\n.link:focus{font-weight:bold}\n"
		      ".boxes .below{opacity:.55}\n.boxes .hit rect{fill:#c77dff}\n"
		      "</style>\n",
		      palette_rgb(INK_LETTERS, false), palette_rgb(INK_LETTERS, false));
}

/* As much of @name as there is room for. */
static void write_fitting(struct buffer *out, const char *name, double width)
{
	const size_t letters = (size_t)((width - 6) / LETTER);
	const char *at = name, *cut = name;
	char text[FLAME_TEXT_BYTES];
	size_t count = 0;

	while (count <= letters && utf8_next(&at)) {
		if (++count == letters - 1)
			cut = at;
	}
	if (count <= letters) {
		canvas_svg_escape(out, name);
		return;
	}
	(void)snprintf(text, sizeof(text), "%.*s", (int)(cut - name), name);
	canvas_svg_escape(out, text);
	buffer_string(out, "\u2026");
}

static void write_box(const struct flame *flame, const struct flame_box *box, double wide,
		      struct buffer *out)
{
	const double x = MARGIN + box->x * wide, width = fmax(box->width * wide, 0.1);
	const double y = HEAD + ROW * (double)(flame->rows - 1 - box->depth);
	char about[FLAME_TEXT_BYTES];

	flame_describe(flame, box, about);
	buffer_format(out, "<g role=\"treeitem\" aria-level=\"%u\" tabindex=\"%d\"><title>",
		      box->depth + 1, box->depth ? -1 : 0);
	canvas_svg_escape(out, flame_name(flame, box));
	buffer_char(out, '\n');
	canvas_svg_escape(out, about);
	buffer_format(out,
		      "</title><rect class=\"f%u\" x=\"%.7g\" y=\"%g\" width=\"%.6g\" "
		      "height=\"%g\"/>",
		      (unsigned int)flame_ink(flame, box), x, y, width, ROW - 1);
	if (width >= 6 + LETTERS_LEAST * LETTER) {
		buffer_format(out, "<text x=\"%.7g\" y=\"%g\">", x + 3, y + ROW - 1 - 4.5);
		write_fitting(out, flame_name(flame, box), width);
		buffer_string(out, "</text>");
	}
	buffer_string(out, "</g>\n");
}

static void write_text(struct buffer *out, const char *class, double y, const char *text)
{
	buffer_format(out, "<text class=\"%s\" x=\"%g\" y=\"%g\">", class, MARGIN, y);
	canvas_svg_escape(out, text);
	buffer_string(out, "</text>\n");
}

int flame_svg(const struct flame *flame, const struct picture *picture, struct buffer *out)
{
	const double width = picture->width, wide = width - 2 * MARGIN;
	const double foot = HEAD + ROW * (double)flame->rows, height = foot + FOOT;

	buffer_format(out,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"group\" width=\"%g\" "
		      "height=\"%g\" viewBox=\"0 0 %g %g\">\n<title>",
		      width, height, width, height);
	canvas_svg_escape(out, flame->title ?: "Flame graph");
	buffer_string(out, "</title>\n<desc>Flame graph: each box is a function, on top of its "
			   "caller, as wide as its share. ");
	canvas_svg_escape(out, flame->about);
	buffer_string(out, ". Click, or Enter: zoom. Arrow keys: move. / or Ctrl-F: search. "
			   "Escape: clear, zoom out.</desc>\n");
	write_style(picture, out);
	buffer_string(out, "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
	if (flame->title)
		write_text(out, "title", 22, flame->title);
	buffer_format(out,
		      "<text class=\"faint link reset\" role=\"button\" tabindex=\"0\" "
		      "display=\"none\" x=\"%g\" y=\"42\">Zoom out</text>\n"
		      "<text class=\"faint link search\" role=\"button\" tabindex=\"0\" "
		      "display=\"none\" x=\"%g\" y=\"22\" text-anchor=\"end\">Search</text>\n"
		      "<text class=\"found\" role=\"status\" x=\"%g\" y=\"42\" "
		      "text-anchor=\"end\"></text>\n<g class=\"boxes\" role=\"tree\">\n",
		      MARGIN, width - MARGIN, width - MARGIN);
	for (size_t i = 0; i < flame->count; i++)
		write_box(flame, &flame->boxes[i], wide, out);
	buffer_string(out, "</g>\n");
	buffer_format(out, "<text class=\"details\" x=\"%g\" y=\"%g\"></text>\n", MARGIN,
		      foot + 14);
	write_text(out, "faint", foot + 30, flame->about);
	if (flame->note)
		write_text(out, "faint", foot + 45, flame->note);
	buffer_string(out, "<script><![CDATA[\n");
	buffer_append(out, flame_script, flame_script_size);
	buffer_string(out, "]]></script>\n</svg>\n");
	return buffer_error(out);
}
