/* Events as JSON, an object a line: ctf_json_event. Whatever is read, it is JSON. */
#include <inttypes.h>
#include <string.h>

#include "ctf/impl.h"

/* Reads and prints in one go, as text.c does; out is NULL in what is hidden. */
struct walk {
	struct bits b;
	uint64_t *regs;
	struct buf *out;
	ctf_escape *escape;
	uint64_t empty;			/* elements that took no bits */
	bool failed;			/* nothing more can be read: all is null */
};

#define EMPTY_MOST 4096

static void walk_type(struct walk *w, const struct ctf_type *t);

static void put(struct walk *w, const char *text)
{
	if (w->out)
		buf_puts(w->out, text);
}

static void put_string(struct walk *w, const char *p, int n)
{
	if (!w->out)
		return;
	buf_putc(w->out, '"');
	w->escape(w->out, p, n);
	buf_putc(w->out, '"');
}

/* With a comma unless it is the first in its object. */
static void put_key(struct walk *w, const char *name)
{
	struct buf *out = w->out;

	if (!out)
		return;
	if (out->p[out->n - 1] != '{')
		buf_putc(out, ',');
	put_string(w, name, (int)strlen(name));
	buf_putc(out, ':');
}

static void fail(struct walk *w)
{
	w->failed = true;
	put(w, "null");
}

/* ---- scalars ---- */

static const char *label_of(const struct ctf_type *t, uint64_t v)
{
	for (int i = 0; t->is_enum && i < t->n_labels; i++)
		if (range_has(&t->labels[i].range, v, t->kind == CTF_SINT))
			return t->labels[i].name;
	return NULL;
}

/* A bit map is its number: a name could stand for a part of it only. */
static void put_int(struct walk *w, const struct ctf_type *t, uint64_t v)
{
	const char *label = t->is_flags ? NULL : label_of(t, v);

	if (!w->out)
		return;
	if (t->is_bool)
		put(w, v ? "true" : "false");
	else if (label)
		put_string(w, label, (int)strlen(label));
	else if (t->kind == CTF_SINT)
		buf_printf(w->out, "%" PRId64, (int64_t)v);
	else
		buf_printf(w->out, "%" PRIu64, v);
}

static void walk_int(struct walk *w, const struct ctf_type *t)
{
	uint64_t v;

	if (!bits_int(&w->b, t, &v)) {
		fail(w);
		return;
	}
	if (t->reg >= 0)
		w->regs[t->reg] = v;
	put_int(w, t, v);
}

static void walk_real(struct walk *w, const struct ctf_type *t)
{
	double v;

	if (t->bits > w->b.end - w->b.pos) {
		fail(w);
		return;
	}
	v = bits_real(&w->b, w->b.pos, t);
	w->b.pos += t->bits;
	if (!w->out)
		return;
	if (v - v == 0)
		buf_printf(w->out, "%.17g", v);
	else
		put(w, "null");		/* JSON has no infinity */
}

static void walk_bytes(struct walk *w, const struct ctf_type *t)
{
	uint64_t bytes = t->from_reg >= 0 ? w->regs[t->from_reg] : t->count;
	struct buf utf8 = { 0 };
	struct str s;

	if (!bits_text(&w->b, t, bytes, &s)) {
		fail(w);
		return;
	}
	if (!w->out)
		return;
	if (t->kind == CTF_TEXT) {
		ctf_text_utf8(t, s, &utf8);
		put_string(w, utf8.p ? utf8.p : "", (int)utf8.n);
		buf_fini(&utf8);
		return;
	}
	put(w, "[");
	for (int i = 0; i < s.n; i++)
		buf_printf(w->out, "%s%u", i ? "," : "", (unsigned char)s.p[i]);
	put(w, "]");
}

/* ---- what has parts ---- */

static void walk_array(struct walk *w, const struct ctf_type *t)
{
	uint64_t n = t->from_reg >= 0 ? w->regs[t->from_reg] : t->count;

	put(w, "[");
	for (uint64_t i = 0; i < n && !w->failed; i++) {
		uint64_t from = w->b.pos;

		put(w, i ? "," : "");
		walk_type(w, t->element);
		w->failed |= w->b.pos == from && ++w->empty > EMPTY_MOST;
	}
	put(w, "]");
}

static void walk_members(struct walk *w, const struct ctf_type *t)
{
	struct buf *out = w->out;

	for (int i = 0; i < t->n_members && !w->failed; i++) {
		w->out = t->members[i].type->hidden ? NULL : out;
		put_key(w, t->members[i].name);
		walk_type(w, t->members[i].type);
	}
	w->out = out;
}

static void walk_struct(struct walk *w, const struct ctf_type *t)
{
	put(w, "{");
	walk_members(w, t);
	put(w, "}");
}

/* A variant by the name of what it is; an option that is none is null. */
static void walk_choice(struct walk *w, const struct ctf_type *t)
{
	const struct ctf_member *m = type_choice(t, w->regs[t->from_reg]);
	bool named = m && t->kind == CTF_VARIANT;

	if (!m && t->kind == CTF_VARIANT) {
		fail(w);
		return;
	}
	if (!m) {
		put(w, "null");
		return;
	}
	if (named) {
		put(w, "{");
		put_key(w, m->name);
	}
	walk_type(w, m->type);
	put(w, named ? "}" : "");
}

static void walk_type(struct walk *w, const struct ctf_type *t)
{
	static void (*const walks[CTF_KINDS])(struct walk *w, const struct ctf_type *t) = {
		[CTF_UINT] = walk_int, [CTF_SINT] = walk_int, [CTF_REAL] = walk_real,
		[CTF_TEXT] = walk_bytes, [CTF_BLOB] = walk_bytes, [CTF_ARRAY] = walk_array,
		[CTF_STRUCT] = walk_struct, [CTF_VARIANT] = walk_choice,
		[CTF_OPTION] = walk_choice,
	};

	w->b.pos = (w->b.pos + t->align_bits - 1) & ~(uint64_t)(t->align_bits - 1);
	if (w->failed || w->b.pos > w->b.end)
		fail(w);
	else
		walks[t->kind](w, t);
}

/* ---- events ---- */

/* The scopes from `from` up to `to` in one object; those that are not there are none. */
static void put_scopes(struct walk *w, const char *key, const struct ctf_class *c, int from, int to)
{
	put_key(w, key);
	put(w, "{");
	for (int i = from; i <= to; i++)
		if (c->scopes[i] && c->scopes[i]->kind == CTF_STRUCT && !w->failed) {
			w->b.pos = (w->b.pos + c->scopes[i]->align_bits - 1) &
				   ~(uint64_t)(c->scopes[i]->align_bits - 1);
			walk_members(w, c->scopes[i]);
		}
	put(w, "}");
}

void ctf_json_event(struct ctf *t, const struct ctf_event *e, ctf_escape *escape, struct buf *out)
{
	struct reader *r = (struct reader *)t;
	const struct stream *s = r->heap[0];
	struct walk w = { .b = s->bits, .regs = s->regs, .out = out, .escape = escape };
	struct walk packet = { .b = file_packet(s), .regs = s->regs, .out = out, .escape = escape };

	w.b.pos = r->given_at;
	packet.b.pos = s->context_at;
	put(&w, "{");
	put_key(&w, "time");
	if (e->has_time)
		buf_printf(out, "%" PRId64, e->time_ns);
	else
		put(&w, "null");
	put_key(&w, "event");
	put_string(&w, e->class->name, (int)strlen(e->class->name));
	put_key(&w, "origin");
	put_string(&w, s->group->origin.p, s->group->origin.n - (s->group->origin.n > 0));
	put_scopes(&packet, "packet", e->class, CTF_PACKET_CONTEXT, CTF_PACKET_CONTEXT);
	put_scopes(&w, "context", e->class, CTF_STREAM_CONTEXT, CTF_EVENT_CONTEXT);
	put_scopes(&w, "fields", e->class, CTF_PAYLOAD, CTF_PAYLOAD);
	put(&w, "}\n");
}
