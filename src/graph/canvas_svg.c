// SPDX-License-Identifier: BSD-2-Clause
#include "graph/canvas_svg.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "graph/canvas.h"

#define FAR 1e6 /* pixels from the page; SVG's readers have floats */

/* Widths to be written: a class each would be more than they are worth. */
static const char *const dashes[DASH_COUNT] = {
	[DASH_LONG] = "7 3",
	[DASH_SHORT] = "2 2.5",
	[DASH_MIXED] = "7 2.5 2 2.5",
};
static const char *const anchors[] = {
	[TEXT_START] = NULL,
	[TEXT_MIDDLE] = "middle",
	[TEXT_END] = "end",
};

/* Rounded, and within what any picture can need: also if @value is not a number. */
static int64_t tenths_of(double value)
{
	if (value > FAR)
		value = FAR;
	else if (!(value >= -FAR)) /* nor is it a number */
		value = -FAR;
	return llround(value * 10);
}

/* Behind a letter, a quote, or another number. */
static void put_number(struct buffer *out, int64_t tenths)
{
	char last = out->len ? out->data[out->len - 1] : 0;
	uint64_t size = tenths < 0 ? -(uint64_t)tenths : (uint64_t)tenths;

	if (tenths < 0)
		buffer_char(out, '-');
	else if ((last >= '0' && last <= '9') || last == '.')
		buffer_char(out, ' ');
	if (size >= 10 || !(size % 10))
		buffer_uint(out, size / 10);
	if (size % 10) {
		buffer_char(out, '.');
		buffer_char(out, (char)('0' + size % 10));
	}
}

static void put_pair(struct buffer *out, int64_t x_tenths, int64_t y_tenths)
{
	put_number(out, x_tenths);
	put_number(out, y_tenths);
}

/* U+FFFE and U+FFFF are not characters of XML (1.0, 2.2). */
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

void canvas_svg_escape(struct buffer *out, const char *text)
{
	uint32_t character;

	while ((character = utf8_next(&text)))
		escape_one(out, of_xml(character));
}

struct canvas_svg {
	struct canvas canvas; /* first: the vtable's functions get this */
	struct buffer *out;
	struct buffer body; /* all that follows the style sheet */
	struct buffer path; /* of the path that is being made */
	int64_t x, y; /* where it is, as it was written: rounding must not add up */
	int64_t start_x, start_y; /* where its piece began */
	enum theme theme;
	char command; /* the last in the path: it need not be repeated */
	bool stroked[INK_COUNT]; /* what the style sheet has to tell */
	bool filled[INK_COUNT];
	bool lettered[FONT_COUNT];
};

static struct canvas_svg *svg_of(struct canvas *canvas)
{
	return (struct canvas_svg *)canvas;
}

static void command(struct canvas_svg *svg, char letter)
{
	/* Pairs behind an m are an l. */
	if (svg->command != letter && !(svg->command == 'm' && letter == 'l'))
		buffer_char(&svg->path, letter);
	svg->command = letter;
}

static void svg_move(struct canvas *canvas, double x, double y)
{
	struct canvas_svg *svg = svg_of(canvas);
	int64_t to_x = tenths_of(x), to_y = tenths_of(y);

	svg->command = 0; /* a pair behind an m would be a line */
	command(svg, 'm');
	put_pair(&svg->path, to_x - svg->x, to_y - svg->y);
	svg->x = svg->start_x = to_x;
	svg->y = svg->start_y = to_y;
}

static void svg_line(struct canvas *canvas, double x, double y)
{
	struct canvas_svg *svg = svg_of(canvas);
	int64_t dx = tenths_of(x) - svg->x, dy = tenths_of(y) - svg->y;

	if (!dy && dx) {
		command(svg, 'h');
		put_number(&svg->path, dx);
	} else if (!dx) { /* and the line of a dot, which has no length */
		command(svg, 'v');
		put_number(&svg->path, dy);
	} else {
		command(svg, 'l');
		put_pair(&svg->path, dx, dy);
	}
	svg->x += dx;
	svg->y += dy;
}

static void svg_close(struct canvas *canvas)
{
	struct canvas_svg *svg = svg_of(canvas);

	command(svg, 'z');
	svg->x = svg->start_x;
	svg->y = svg->start_y;
}

/* The path is written, and a new one begins. */
static void end_path(struct canvas_svg *svg)
{
	buffer_string(&svg->body, "\" d=\"");
	buffer_append(&svg->body, svg->path.data, svg->path.len);
	buffer_string(&svg->body, "\"/>\n");
	buffer_reset(&svg->path);
	svg->x = svg->y = 0;
	svg->command = 0;
}

static void opacity(struct canvas_svg *svg, const char *name, double value)
{
	if (value > 0 && value < 1)
		buffer_format(&svg->body, "\" %s=\"%.2g", name, value);
}

static void svg_stroke(struct canvas *canvas, const struct pen *pen)
{
	struct canvas_svg *svg = svg_of(canvas);

	if (!svg->path.len)
		return;
	svg->stroked[pen->ink] = true;
	buffer_format(&svg->body, "<path class=\"s%d\" stroke-width=\"%.3g", (int)pen->ink,
		      pen->width);
	if (pen->dash)
		buffer_format(&svg->body, "\" stroke-dasharray=\"%s", dashes[pen->dash]);
	if (pen->round)
		buffer_string(&svg->body, "\" stroke-linecap=\"round");
	opacity(svg, "stroke-opacity", pen->opacity);
	end_path(svg);
}

static void svg_fill(struct canvas *canvas, enum ink ink, double part)
{
	struct canvas_svg *svg = svg_of(canvas);

	if (!svg->path.len)
		return;
	svg->filled[ink] = true;
	buffer_format(&svg->body, "<path class=\"f%d", (int)ink);
	opacity(svg, "fill-opacity", part);
	end_path(svg);
}

static void attribute(struct canvas_svg *svg, const char *name, double value)
{
	buffer_format(&svg->body, " %s=\"", name);
	put_number(&svg->body, tenths_of(value));
	buffer_char(&svg->body, '"');
}

static void svg_write_text(struct canvas *canvas, double x, double y, const char *text,
			   const struct text_style *style)
{
	struct canvas_svg *svg = svg_of(canvas);
	/* Half the height of a capital letter: the middle of the line becomes its base. */
	double base = font_size(style->font) * 0.36;

	svg->filled[style->ink] = svg->lettered[style->font] = true;
	buffer_format(&svg->body, "<text class=\"t%d f%d\"", (int)style->font, (int)style->ink);
	attribute(svg, "x", style->upwards ? x + base : x);
	attribute(svg, "y", style->upwards ? y : y + base);
	if (anchors[style->anchor])
		buffer_format(&svg->body, " text-anchor=\"%s\"", anchors[style->anchor]);
	if (style->upwards) {
		buffer_string(&svg->body, " transform=\"rotate(-90 ");
		put_pair(&svg->body, tenths_of(x + base), tenths_of(y));
		buffer_string(&svg->body, ")\"");
	}
	buffer_char(&svg->body, '>');
	canvas_svg_escape(&svg->body, text);
	buffer_string(&svg->body, "</text>\n");
}

static double svg_text_width(const struct canvas *canvas, const char *text, enum font font)
{
	(void)canvas;
	return font_width(text, font);
}

/* A picture within the picture is clipped by itself, and needs no name that must be unique in the page
 * that it is put into. */
static void svg_clip(struct canvas *canvas, const struct canvas_rect *rect)
{
	struct canvas_svg *svg = svg_of(canvas);

	buffer_string(&svg->body, "<svg");
	attribute(svg, "x", rect->x);
	attribute(svg, "y", rect->y);
	attribute(svg, "width", rect->width);
	attribute(svg, "height", rect->height);
	buffer_string(&svg->body, " viewBox=\"");
	put_pair(&svg->body, tenths_of(rect->x), tenths_of(rect->y));
	buffer_char(&svg->body, ' ');
	put_pair(&svg->body, tenths_of(rect->width), tenths_of(rect->height));
	buffer_string(&svg->body, "\">\n");
}

static void svg_unclip(struct canvas *canvas)
{
	buffer_string(&svg_of(canvas)->body, "</svg>\n");
}

static void svg_group(struct canvas *canvas, const char *title)
{
	struct canvas_svg *svg = svg_of(canvas);

	buffer_string(&svg->body, "<g><title>");
	canvas_svg_escape(&svg->body, title);
	buffer_string(&svg->body, "</title>\n");
}

static void svg_ungroup(struct canvas *canvas)
{
	buffer_string(&svg_of(canvas)->body, "</g>\n");
}

static void write_colours(const struct canvas_svg *svg, bool dark)
{
	for (unsigned int i = 0; i < INK_COUNT; i++) {
		if (svg->stroked[i])
			buffer_format(svg->out, ".s%u{stroke:#%06x}\n", i,
				      palette_rgb((enum ink)i, dark));
		if (svg->filled[i])
			buffer_format(svg->out, ".f%u{fill:#%06x}\n", i,
				      palette_rgb((enum ink)i, dark));
	}
}

static void write_fonts(const struct canvas_svg *svg)
{
	for (unsigned int i = 0; i < FONT_COUNT; i++)
		if (svg->lettered[i])
			buffer_format(svg->out, ".t%u{font-size:%gpx%s}\n", i,
				      font_size((enum font)i),
				      font_is_bold((enum font)i) ? ";font-weight:600" : "");
}

static void write_style(const struct canvas_svg *svg)
{
	buffer_string(
		svg->out,
		"<style>\n"
		"text{font-family:Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif}\n"
		"path{fill:none;stroke-linejoin:round}\n");
	write_fonts(svg);
	write_colours(svg, svg->theme == THEME_DARK);
	if (svg->theme == THEME_AUTO) {
		buffer_string(svg->out, "@media (prefers-color-scheme:dark){\n");
		write_colours(svg, true);
		buffer_string(svg->out, "}\n");
	}
	buffer_string(svg->out, "</style>\n");
}

static int svg_end(struct canvas *canvas)
{
	struct canvas_svg *svg = svg_of(canvas);
	int err;

	write_style(svg);
	buffer_append(svg->out, svg->body.data, svg->body.len);
	buffer_string(svg->out, "</svg>\n");
	err = buffer_error(&svg->body);
	err = err ? err : buffer_error(&svg->path);
	return err ? err : buffer_error(svg->out);
}

static void svg_free(struct canvas *canvas)
{
	struct canvas_svg *svg = svg_of(canvas);

	buffer_fini(&svg->body);
	buffer_fini(&svg->path);
	free(svg);
}

static const struct canvas_ops svg_ops = {
	.move = svg_move,
	.line = svg_line,
	.close = svg_close,
	.stroke = svg_stroke,
	.fill = svg_fill,
	.text = svg_write_text,
	.text_width = svg_text_width,
	.clip = svg_clip,
	.unclip = svg_unclip,
	.group = svg_group,
	.ungroup = svg_ungroup,
	.end = svg_end,
	.free = svg_free,
};

static void element(struct buffer *out, const char *name, const char *text)
{
	if (!text)
		return;
	buffer_format(out, "<%s>", name);
	canvas_svg_escape(out, text);
	buffer_format(out, "</%s>\n", name);
}

struct canvas *canvas_svg_new(const struct canvas_page *page, struct buffer *out)
{
	struct canvas_svg *svg = calloc(1, sizeof(*svg));

	if (!svg)
		return NULL;
	*svg = (struct canvas_svg){
		.canvas = {.ops = &svg_ops,
			   .width = page->width,
			   .height = page->height,
			   .pitch = 1,
			   .line_height = 18},
		.out = out,
		.theme = page->theme,
	};
	buffer_init(&svg->body);
	buffer_init(&svg->path);
	buffer_format(out,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%g\" "
		      "height=\"%g\" viewBox=\"0 0 %g %g\">\n",
		      page->width, page->height, page->width, page->height);
	element(out, "title", page->title);
	element(out, "desc", page->text);
	return &svg->canvas;
}
