/*
 * svg, html, heatmap: a picture in one file that needs nothing else, no network either.
 * The tree is JSON in a <script> and drawn by flame.js as far as it can be seen; an SVG
 * has its boxes drawn, too, for programs that run no scripts. A name from elsewhere
 * gets there by picture_string or markup() and in no other way.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "view/format.h"
#include "view/picture.h"
#include "view/script.h"

#define WIDTH 1200
#define ROW 17				/* as in flame.js */
#define TOP 112				/* as in flame.js */
#define TITLE_COLUMNS 120		/* of WIDTH, in the fonts of picture.css */
#define NOTES_COLUMNS 180
#define STILL_BOXES 4000		/* drawn without a script */

/* Text between tags or in an attribute. */
static void markup(struct buf *b, const char *p, size_t n)
{
	struct buf clean = { 0 };

	if (!n)
		return;
	escape_text(&clean, p, (int)n);
	for (size_t i = 0; i < clean.n; i++)
		switch (clean.p[i]) {
		case '<': buf_puts(b, "&lt;"); break;
		case '>': buf_puts(b, "&gt;"); break;
		case '&': buf_puts(b, "&amp;"); break;
		case '"': buf_puts(b, "&quot;"); break;
		case '\'': buf_puts(b, "&#39;"); break;
		default: buf_putc(b, clean.p[i]);
		}
	buf_fini(&clean);
}

/* The same, cut where the room ends: columns are wide ones. */
static void markup_cut(struct buf *b, const char *p, int n, int columns)
{
	int fit = text_fit(p, n, columns);

	if (fit == n) {
		markup(b, p, (size_t)n);
		return;
	}
	markup(b, p, (size_t)text_fit(p, n, columns - 1));
	buf_puts(b, "\u2026");
}

/* ---- the data ---- */

static bool is_scope(const struct sink *v)
{
	return v->heat && !heat_is_empty(v->heat);
}

static void add_frames(struct buf *b, const struct flame *f, int *number)
{
	int n = 0;

	for (int i = 0; i < f->n_order; i++) {
		int frame = f->nodes[f->order[i]].frame;
		const struct flame_frame *at = frame < 0 ? NULL : &f->frames.v[frame];

		if (!at || number[frame])
			continue;
		buf_puts(b, n ? ",\n[" : "\n[");
		picture_string(b, at->name);
		buf_printf(b, ",%d", at->kind);
		if (at->module) {
			buf_putc(b, ',');
			picture_string(b, at->module);
		}
		buf_putc(b, ']');
		number[frame] = ++n;
	}
}

static void add_nodes(struct sink *v, struct buf *b)
{
	const struct flame *f = &v->flame;
	int *number = xcalloc((size_t)f->frames.n + 1, sizeof(int));	/* and 1 */

	buf_puts(b, ",\"frames\":[");
	add_frames(b, f, number);
	buf_printf(b, "],\n\"stride\":%d,\"nodes\":[", v->diff ? 4 : 3);
	for (int i = 0; i < f->n_order; i++) {
		const struct flame_node *n = &f->nodes[f->order[i]];

		buf_printf(b, "%s%d,%d,", i ? "," : "", n->depth,
			   n->frame < 0 ? -1 : number[n->frame] - 1);
		/* a difference is as wide as the second */
		if (v->diff)
			buf_printf(b, "%" PRIu64 ",%" PRIu64, n->total[1], n->total[0]);
		else
			buf_printf(b, "%" PRIu64, n->total[0]);
	}
	buf_putc(b, ']');
	free(number);
}

static void add_data(struct sink *v, struct buf *b, bool html)
{
	buf_printf(b, "{\"kind\":\"%s\",\"html\":%s,\"unit\":", v->diff ? "diff" : v->icicle ? "icicle" : "flame", html ? "true" : "false");
	picture_string(b, picture_unit(v));
	if (v->diff) {
		buf_puts(b, ",\"sides\":[");
		picture_string(b, v->o.sides[0]);
		buf_putc(b, ',');
		picture_string(b, v->o.sides[1]);
		buf_putc(b, ']');
	}
	if (is_scope(v)) {
		buf_putc(b, ',');
		heat_json(v->heat, b, &v->flame);
		buf_puts(b, ",\"heatName\":");
		picture_string(b, v->heat_name ? v->heat_name : "");
		buf_printf(b, ",\"heatUnit\":\"%s\"", v->heat_unit.kind == TY_DURATION ? "ns" :
			   v->heat_unit.kind == TY_SIZE ? "bytes" : "");
	}
	add_nodes(v, b);
	buf_puts(b, "}\n");
}

/* ---- what a line below the title says ---- */

static void add_total(struct sink *v, struct buf *b, uint64_t total)
{
	const struct cell cell = { .kind = CELL_INT, .i = (int64_t)total };
	const char *unit = picture_unit(v);

	format_cell(b, FORM_ADAPTED, &v->unit, &cell, v->o.names);
	if (v->unit.kind != TY_DURATION && v->unit.kind != TY_SIZE)
		buf_printf(b, " %s", unit);
}

static void about(struct sink *v, struct buf *b)
{
	const struct flame *f = &v->flame;

	if (f->n > 1) {
		add_total(v, b, f->nodes[0].total[0]);
		if (v->diff) {
			buf_puts(b, " to ");
			add_total(v, b, f->nodes[0].total[1]);
			buf_puts(b, ", each as the whole: red has a larger share than before, blue a "
				    "smaller one");
		}
	}
	if (f->left_out)
		buf_printf(b, "; the %d smallest of %d %s are left out", f->left_out, f->n,
			   v->icicle ? "calls and times between" : "frames");
	if (f->cut)
		buf_printf(b, "; %" PRIu64 " stacks are cut at %d frames", f->cut, FLAME_DEPTH);
	if (f->full)
		buf_printf(b, "; %" PRIu64 " frames more than %d found no room", f->full, FLAME_NODES);
	if (v->skipped)
		buf_printf(b, "; %" PRIu64 " %s", v->skipped, v->icicle ?
			   "calls that found no room" : "rows without a value");
}

/* ---- SVG ---- */

static const struct {
	const char *name, *colors[3];
} kinds[] = {
	[FRAME_KERNEL] = { "kernel", { "#f0a080", "#ee9470", "#f2ad92" } },
	[FRAME_USER] = { "user", { "#f7d774", "#f4cf5e", "#f9df8d" } },
	[FRAME_JIT] = { "JIT", { "#9fd490", "#8fcc7e", "#aedba1" } },
	[FRAME_INLINED] = { "inlined", { "#8fd0d4", "#7fc8cd", "#a0d8dc" } },
	[FRAME_MARK] = { "", { "#d2d6dd", "#c9ced6", "#dadde3" } },
};
#define KINDS (int)(sizeof(kinds) / sizeof(kinds[0]))

static const char *color_of(const struct sink *v, const struct flame_node *n)
{
	const struct flame_frame *frame = n->frame < 0 ? NULL : &v->flame.frames.v[n->frame];
	const struct flame_node *all = &v->flame.nodes[0];
	double before, now;

	if (!v->diff)
		return frame ? kinds[frame->kind].colors[hash_bytes(frame->name, (int)strlen(frame->name)) % 3] :
			kinds[FRAME_MARK].colors[0];
	before = all->total[0] ? (double)n->total[0] / (double)all->total[0] : 0;
	now = all->total[1] ? (double)n->total[1] / (double)all->total[1] : 0;
	return now > before ? "#f7b4ac" : now < before ? "#b0c8f5" : "#f2f2f2";
}

static void still_box(const struct sink *v, struct buf *b, const struct flame_node *n, double x,
		      double width, int y)
{
	const char *name = n->frame < 0 ? "all" : v->flame.frames.v[n->frame].name;
	int room = (int)((width - 4) / 7);

	buf_printf(b, "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>\n", x, y,
		   width, ROW - 1, color_of(v, n));
	if (room > 2) {
		buf_printf(b, "<text x=\"%.2f\" y=\"%d\">", x + 4, y + 12);
		markup_cut(b, name, (int)strlen(name), room);
		buf_puts(b, "</text>\n");
	}
}

/* Draws the boxes; returns the height of all. */
static int still_boxes(struct sink *v, struct buf *b)
{
	const struct flame *f = &v->flame;
	int side = v->diff, deepest = 0, left = STILL_BOXES;
	double next[FLAME_DEPTH + 2] = { 0 };
	double scale = f->nodes[0].total[side] ? (double)WIDTH / (double)f->nodes[0].total[side] : 0;

	for (int i = 0; i < f->n_order; i++)
		if ((double)f->nodes[f->order[i]].total[side] * scale >= 1 &&
		    f->nodes[f->order[i]].depth > deepest)
			deepest = f->nodes[f->order[i]].depth;
	for (int i = 0; i < f->n_order; i++) {
		const struct flame_node *n = &f->nodes[f->order[i]];
		double x = next[n->depth], width = (double)n->total[side] * scale;

		next[n->depth] += width;
		next[n->depth + 1] = x;
		if (width >= 1 && (n->frame >= 0 || !n->depth) && left-- > 0)
			still_box(v, b, n, x, width, (v->icicle ? n->depth : deepest - n->depth) * ROW);
	}
	return (deepest + 1) * ROW;
}

static void legend(const struct sink *v, struct buf *b, bool html)
{
	bool used[KINDS] = { false };
	int x = 0;

	for (int i = 0; i < v->flame.n_order; i++)
		if (v->flame.nodes[v->flame.order[i]].frame >= 0)
			used[v->flame.frames.v[v->flame.nodes[v->flame.order[i]].frame].kind] = true;
	for (int i = 0; i < FRAME_MARK && !v->diff && !v->icicle; i++) {
		if (!used[i])
			continue;
		if (html)
			buf_printf(b, "<span class=\"swatch\" style=\"background:%s\"></span>%s",
				   kinds[i].colors[0], kinds[i].name);
		else
			buf_printf(b, "<rect x=\"%d\" y=\"-10\" width=\"11\" height=\"11\" fill=\"%s\"/>"
				   "<text class=\"about\" x=\"%d\">%s</text>\n", x, kinds[i].colors[0],
				   x + 15, kinds[i].name);
		x += 75;
	}
}

static void add_packed(struct buf *b, const struct packed *packed)
{
	buf_pad(b, ' ', (int)packed->text_bytes);
	packed_read(packed, b->p + b->n - packed->text_bytes);
}

static void style(struct buf *b)
{
	buf_puts(b, "<style>\n");
	add_packed(b, &script_style);
	buf_puts(b, "</style>\n");
}

static void script(struct buf *b, const struct packed *text, bool html)
{
	buf_puts(b, html ? "<script>\n" : "<script><![CDATA[\n");
	add_packed(b, text);
	buf_puts(b, html ? "</script>\n" : "]]></script>\n");
}

static void emit_svg(struct sink *v)
{
	struct buf *b = &v->out.line, boxes = { 0 }, words = { 0 };
	int height;

	flame_finish(&v->flame, PICTURE_BOXES);
	height = still_boxes(v, &boxes) + TOP + 10;
	buf_printf(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"flame\" width=\"%d\" height=\"%d\" "
		   "viewBox=\"0 0 %d %d\">\n", WIDTH + 20, height, WIDTH + 20, height);
	style(b);
	buf_puts(b, "<text id=\"title\" x=\"10\" y=\"22\">");
	markup_cut(b, picture_title(v), (int)strlen(picture_title(v)), TITLE_COLUMNS);
	buf_puts(b, "</text>\n<text class=\"about\" x=\"10\" y=\"40\">");
	about(v, &words);
	markup(b, words.p ? words.p : "", words.n);
	buf_puts(b, "</text>\n<text id=\"reset\" class=\"button\" x=\"10\" y=\"58\">reset</text>\n"
		    "<text id=\"flip\" class=\"button\" x=\"60\" y=\"58\">upside down</text>\n"
		    "<text id=\"search\" class=\"button\" x=\"155\" y=\"58\">search (/)</text>\n");
	if (v->diff)
		buf_puts(b, "<text id=\"swap\" class=\"button\" x=\"330\" y=\"58\">other side</text>\n");
	buf_puts(b, "<text id=\"matched\" x=\"430\" y=\"58\"></text>\n"
		    "<text id=\"details\" x=\"10\" y=\"76\"></text>\n"
		    "<text id=\"drawn\" class=\"about\" x=\"10\" y=\"91\"></text>\n"
		    "<g id=\"legend\" transform=\"translate(760 58)\">\n");
	legend(v, b, false);
	buf_puts(b, "</g>\n<text class=\"about\" x=\"10\" y=\"106\"><title>");
	markup(b, v->notes.p, v->notes.n);
	buf_puts(b, "</title>");
	markup_cut(b, v->notes.p ? v->notes.p : "", (int)v->notes.n, NOTES_COLUMNS);
	buf_printf(b, "</text>\n<g id=\"boxes\" transform=\"translate(10 %d)\">\n", TOP);
	buf_add(b, boxes.p ? boxes.p : "", boxes.n);
	buf_puts(b, "</g>\n<script type=\"application/json\" id=\"data\">\n");
	add_data(v, b, false);
	buf_puts(b, "</script>\n");
	script(b, &script_flame, false);
	buf_puts(b, "</svg>\n");
	out_write(&v->out);
	buf_fini(&boxes);
	buf_fini(&words);
}

/* ---- HTML ---- */

static void html_head(struct sink *v, struct buf *b)
{
	buf_puts(b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		    "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
	markup(b, picture_title(v), strlen(picture_title(v)));
	buf_puts(b, "</title>\n");
	style(b);
	buf_puts(b, "</head>\n<body>\n");
}

static void html_heat(struct buf *b)
{
	buf_puts(b, "<section id=\"heatPart\">\n"
		    "<p><button id=\"scale\">linear</button> <span id=\"heatAbout\"></span></p>\n"
		    "<canvas id=\"heat\" tabindex=\"0\" aria-label=\"heat map: arrows move, Enter begins "
		    "and ends a range, Escape leaves it, l changes the scale\"></canvas>\n"
		    "<div id=\"heatDetails\"></div>\n</section>\n");
}

static void html_tools(struct sink *v, struct buf *b)
{
	buf_puts(b, "<div id=\"tools\"><input id=\"search\" type=\"search\" placeholder=\"search (/)\" "
		    "aria-label=\"search\">\n<button id=\"reset\">reset</button>\n"
		    "<button id=\"flip\">upside down</button>\n");
	if (v->diff)
		buf_puts(b, "<button id=\"swap\">other side</button>\n");
	buf_puts(b, "<span id=\"legend\">");
	legend(v, b, true);
	buf_puts(b, "</span> <span id=\"matched\"></span> <span id=\"drawn\"></span></div>\n"
		    "<div id=\"details\"></div>\n");
}

static void emit_html(struct sink *v)
{
	struct buf *b = &v->out.line, words = { 0 };
	bool stacks;

	flame_finish(&v->flame, PICTURE_BOXES);
	stacks = v->flame.n > 1;
	html_head(v, b);
	buf_puts(b, "<header><h1 id=\"title\">");
	markup(b, picture_title(v), strlen(picture_title(v)));
	buf_puts(b, "</h1>\n<p>");
	about(v, &words);
	markup(b, words.p ? words.p : "", words.n);
	if (v->o.run) {
		buf_puts(b, "<br>\n<span id=\"run\">");
		markup(b, v->o.run, strlen(v->o.run));
		buf_puts(b, "</span>");
	}
	if (v->notes.n) {
		buf_puts(b, "<br>");
		markup(b, v->notes.p, v->notes.n);
	}
	buf_puts(b, "</p>\n");
	if (stacks)
		html_tools(v, b);
	buf_puts(b, "</header>\n<main>\n");
	if (is_scope(v))
		html_heat(b);
	if (stacks)
		buf_puts(b, "<svg id=\"flame\"><g id=\"boxes\" transform=\"translate(10 0)\"></g></svg>\n");
	buf_puts(b, "</main>\n<script type=\"application/json\" id=\"data\">\n");
	add_data(v, b, true);
	buf_puts(b, "</script>\n");
	script(b, &script_flame, true);
	if (is_scope(v))
		script(b, &script_heat, true);
	buf_puts(b, "</body>\n</html>\n");
	out_write(&v->out);
	buf_fini(&words);
}

/* ---- rows of the registry ---- */

static struct sink *svg_open(const struct view_options *o)
{
	return picture_open(o, emit_svg);
}

static struct sink *html_open(const struct view_options *o)
{
	struct sink *v = picture_open(o, emit_html);

	v->heat = v->diff ? NULL : heat_open();
	return v;
}

static bool has(const struct sink_query *q, int type)
{
	for (int i = 0; i < q->n_columns; i++)
		if (q->columns[i].type.kind == type)
			return true;
	return false;
}

/* Time by size, of a histogram with intervals or of rows. */
static bool suits_heat(const struct sink_query *q)
{
	return q->is_table ? has(q, TY_HIST) && q->has_interval : has(q, TY_DURATION) || has(q, TY_SIZE);
}

static const char *suits_svg(const struct sink_query *q)
{
	const char *why = q->is_tree ? NULL : picture_needs_stack(q);

	if (!why || !(has(q, TY_HIST) || suits_heat(q)))
		return why;
	return q->is_table && !q->has_interval ?
		"it draws stacks; a heat map of a histogram is .html and needs intervals: -o FILE.html -i 1" :
		"it draws stacks; a heat map is .html: -o FILE.html";
}

static const char *suits_html(const struct sink_query *q)
{
	if (q->is_tree)
		return NULL;
	if (suits_heat(q))
		return NULL;
	if (has(q, TY_HIST) && !has(q, TY_STACK))
		return "a heat map of a histogram needs intervals: -i 1, or `| every 1s` in the query";
	if (!q->is_table && has(q, TY_STACK))
		return NULL;
	if (!has(q, TY_STACK))
		return "it draws stacks (`| count by stack`), or a heat map of a histogram with "
		       "intervals (`| hist(duration) | every 1s`) or of rows (`| print duration`)";
	return picture_needs_stack(q);
}

const struct view_ops view_svg = {
	.name = "svg",
	.help = "a flame graph, of `tree` an icicle, in one file",
	.endings = "svg",
	.open = svg_open,
	.shape = VIEW_PICTURE,
	.suits = suits_svg,
	.sink = { PICTURE_SINK, .tree = picture_tree },
	.close = picture_close,
};

const struct view_ops view_html = {
	.name = "html",
	.help = "a flame graph, an icicle of `tree` or a heatmap in one file",
	.endings = "html htm",
	.open = html_open,
	.shape = VIEW_PICTURE,
	.suits = suits_html,
	.sink = { PICTURE_SINK, .tree = picture_tree },
	.close = picture_close,
};
