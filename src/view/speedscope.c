/* speedscope: the JSON that speedscope.app reads, one profile of weighted stacks. */
#include <inttypes.h>
#include <string.h>

#include "view/picture.h"

static const char *unit(const struct sink *v)
{
	return v->unit.kind == TY_DURATION ? "nanoseconds" : v->unit.kind == TY_SIZE ? "bytes" : "none";
}

static void add_frames(struct buf *b, const struct flame *f)
{
	for (int i = 0; i < f->frames.n; i++) {
		buf_puts(b, i ? ",\n{\"name\":" : "\n{\"name\":");
		picture_string(b, f->frames.v[i].name);
		if (f->frames.v[i].module) {
			buf_puts(b, ",\"file\":");
			picture_string(b, f->frames.v[i].module);
		}
		buf_putc(b, '}');
	}
}

static void add_stack(struct buf *b, const struct flame *f, int node)
{
	int path[FLAME_DEPTH], n = 0;

	for (; f->nodes[node].parent >= 0; node = f->nodes[node].parent)
		path[n++] = f->nodes[node].frame;
	buf_putc(b, '[');
	while (n--)
		buf_printf(b, n ? "%d," : "%d", path[n]);
	buf_putc(b, ']');
}

static void emit(struct sink *v)
{
	struct buf *b = &v->out.line;
	struct flame *f = &v->flame;
	const char *comma = "\n";

	flame_finish(f, f->n);
	buf_puts(b, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		    "\"exporter\":\"culprit\",\"shared\":{\"frames\":[");
	add_frames(b, f);
	buf_puts(b, "]},\n\"profiles\":[{\"type\":\"sampled\",\"name\":");
	picture_string(b, picture_title(v));
	buf_printf(b, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRIu64 ",\n\"samples\":[",
		   unit(v), f->nodes[0].total[0]);
	for (int i = 0; i < f->n_order; i++)
		if (f->nodes[f->order[i]].self[0]) {
			buf_puts(b, comma);
			add_stack(b, f, f->order[i]);
			out_write(&v->out);
			comma = ",\n";
		}
	buf_puts(b, "],\n\"weights\":[");
	comma = "";
	for (int i = 0; i < f->n_order; i++)
		if (f->nodes[f->order[i]].self[0]) {
			buf_printf(b, "%s%" PRIu64, comma, f->nodes[f->order[i]].self[0]);
			comma = ",";
		}
	buf_puts(b, "]}]}\n");
	out_write(&v->out);
}

static struct sink *speedscope_open(const struct view_options *o)
{
	return picture_open_by_path(o, emit);
}

const struct view_ops view_speedscope = {
	.name = "speedscope",
	.help = "stacks for speedscope.app (JSON)",
	.endings = "speedscope",
	.open = speedscope_open,
	.shape = VIEW_PICTURE,
	.suits = picture_needs_path,
	.sink = { PICTURE_SINK, .tree = picture_tree },
	.close = picture_close,
};
