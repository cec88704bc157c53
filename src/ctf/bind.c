/*
 * Binding: each scope of each class gets a tree of its own, in which every length and
 * selector names the register of the integer it depends on.
 *
 * A name is searched where it stands: members before it in its structure, then in the
 * structures around it, then in the scopes that are decoded before. A way through a variant
 * leads to an integer of each of its options, which share a register. Registers are given
 * out per stream class: those of the packet and the event's header first, those of an
 * event class behind them, so that a stream needs as many as its largest class.
 */
#include <stdlib.h>
#include <string.h>

#include "ctf/impl.h"

/* A structure or variant that is being copied. */
struct frame {
	const struct frame *up;
	struct ctf_type *node;
	int n_done;			/* members that a name can refer to */
};

struct binder {
	struct ctf_meta *m;
	struct ctf_type **scopes;	/* what was bound before */
	enum ctf_scope scope;
	int n_regs;
	int nodes;			/* of this scope */
	bool failed;
};

static const char *const scope_words[CTF_SCOPES] = {
	"trace.packet.header", "stream.packet.context", "stream.event.header",
	"stream.event.context", "event.context", "event.fields",
};

/* ---- names ---- */

/* The integers that a name means: several where the way leads through a variant. */
struct leaves {
	VEC(struct ctf_type *) types;
};

static const struct frame *frame_of(const struct frame *f, const struct ctf_type *node)
{
	while (f && f->node != node)
		f = f->up;
	return f;
}

/* What is being copied inside of `outer`; NULL: nothing. */
static const struct frame *frame_inside(const struct frame *f, const struct frame *outer)
{
	while (f && f->up != outer)
		f = f->up;
	return f;
}

static void collect(struct binder *b, const struct frame *at, struct ctf_type **place,
		    const char **parts, int n, struct leaves *out);

/* Of what is being copied, which is nobody else's. */
static void collect_inside(struct binder *b, const struct frame *at, const struct frame *of,
			   const char **parts, int n, struct leaves *out)
{
	struct ctf_type *t = of->node;

	collect(b, at, &t, parts, n, out);
}

/* Of a variant that is being copied the option that the name stands in. */
static void collect_options(struct binder *b, const struct frame *at, struct ctf_type *t,
			    const char **parts, int n, struct leaves *out)
{
	const struct frame *f = frame_of(at, t), *inside = f ? frame_inside(at, f) : NULL;

	if (inside)
		collect_inside(b, at, inside, parts, n, out);
	for (int i = 0; !f && i < t->n_members; i++)
		collect(b, at, &t->members[i].type, parts, n, out);
}

/* What parts name from the type in place on. at: where they stand; only what is before that has a
 * name. */
static void collect(struct binder *b, const struct frame *at, struct ctf_type **place,
		    const char **parts, int n, struct leaves *out)
{
	struct ctf_type *t = *place;
	const struct frame *f = frame_of(at, t), *inside = f ? frame_inside(at, f) : NULL;
	int known = f ? f->n_done : t->n_members;

	if (++b->m->nodes > CTF_NODES_MOST)
		return;
	if (t->kind == CTF_VARIANT || t->kind == CTF_OPTION) {
		collect_options(b, at, t, parts, n, out);
		return;
	}
	if (!n) {
		vec_push(b->m->arena, &out->types, meta_own(b->m->arena, place));
		return;
	}
	for (int i = 0; t->kind == CTF_STRUCT && i < known; i++)
		if (!strcmp(t->members[i].raw_name, parts[0])) {
			collect(b, at, &t->members[i].type, parts + 1, n - 1, out);
			return;
		}
	if (inside && t->kind == CTF_STRUCT && !strcmp(t->members[known].raw_name, parts[0]))
		collect_inside(b, at, inside, parts + 1, n - 1, out);
}

static void in_frames(struct binder *b, const struct frame *at, const char **parts, int n,
		      struct leaves *out)
{
	for (const struct frame *f = at; f && !out->types.n; f = f->up)
		if (f->node->kind == CTF_STRUCT)
			collect_inside(b, at, f, parts, n, out);
}

static void in_scope(struct binder *b, const struct frame *at, int scope, const char **parts,
		     int n, struct leaves *out)
{
	const struct frame *f = at;

	while (f && f->up)
		f = f->up;
	if (scope == (int)b->scope && f)
		collect_inside(b, at, f, parts, n, out);
	else if (scope < (int)b->scope && b->scopes[scope])
		collect(b, at, &b->scopes[scope], parts, n, out);
}

/* CTF 2: from the structure around it, some structures up. */
static void by_location(struct binder *b, const struct frame *at, const struct ctf_path *path,
			struct leaves *out)
{
	int up = path->up;

	if (path->scope >= 0) {
		in_scope(b, at, path->scope, path->parts, path->n_parts, out);
		return;
	}
	for (const struct frame *f = at; f; f = f->up)
		if (f->node->kind == CTF_STRUCT && !up--)
			collect_inside(b, at, f, path->parts, path->n_parts, out);
}

/* TSDL: "event.fields.x", or "x" wherever it is first found, outwards. */
static void by_name(struct binder *b, const struct frame *at, const struct ctf_path *path,
		    struct leaves *out)
{
	struct buf name = { 0 };

	in_frames(b, at, path->parts, path->n_parts, out);
	for (int s = (int)b->scope - 1; !out->types.n && s >= 0; s--)
		in_scope(b, at, s, path->parts, path->n_parts, out);
	for (int i = 0; !out->types.n && i < path->n_parts - 1; i++) {
		buf_printf(&name, "%s%s", i ? "." : "", path->parts[i]);
		for (int s = 0; !out->types.n && s < CTF_SCOPES; s++)
			if (!strcmp(name.p, scope_words[s]))
				in_scope(b, at, s, path->parts + i + 1, path->n_parts - i - 1, out);
	}
	buf_fini(&name);
}

static const char *path_text(struct ctf_meta *m, const struct ctf_path *path)
{
	const char *s = path->parts[0];

	for (int i = 1; i < path->n_parts && i < 8; i++)
		s = arena_printf(m->arena, "%s.%s", s, path->parts[i]);
	return s;
}

/* ---- one type ---- */

static const char too_many[] = "the types are too many or too deep";

static bool fail(struct binder *b, const char *what, const char *name)
{
	if (!b->failed)
		meta_error(b->m, "%s%s%s%s", what, name ? " '" : "", name ? name : "",
			   name ? "'" : "");
	b->failed = true;
	return false;
}

/* TSDL: env.NAME as a length. */
static bool is_constant(const struct binder *b, const struct ctf_path *path, struct ctf_type *t)
{
	for (int i = 0; path->n_parts == 2 && !strcmp(path->parts[0], "env") && i < b->m->env.n; i++) {
		const struct ctf_env *env = &b->m->env.v[i];

		if (!env->is_int || strcmp(env->name, path->parts[1]) || env->text[0] == '-')
			continue;
		t->count = strtoull(env->text, NULL, 10);
		return true;
	}
	return false;
}

static const char *wrong_leaf(const struct ctf_type *to, const struct ctf_type *t, int reg)
{
	if (to->kind != CTF_UINT && to->kind != CTF_SINT)
		return "a length or selector is not an integer:";
	if (to->kind == CTF_SINT && t->kind != CTF_VARIANT && t->kind != CTF_OPTION)
		return "a length is not an unsigned integer:";
	if (to->reg != CTF_NO_REGISTER && to->reg != reg)
		return "fields of a variant are the lengths of several others:";
	return NULL;
}

/* Gives the integers that t's length or selector is one register; the first of them. */
static struct ctf_type *bind_to(struct binder *b, const struct frame *f, struct ctf_type *t)
{
	const struct ctf_path *path = t->unbound;
	const char *what = NULL;
	struct leaves leaves = { 0 };
	int reg;

	if (path->up < 0)
		by_name(b, f, path, &leaves);
	else
		by_location(b, f, path, &leaves);
	if (b->m->nodes > CTF_NODES_MOST) {
		fail(b, too_many, NULL);
		return NULL;
	}
	if (!leaves.types.n) {
		fail(b, "no field before the one that depends on it has the name",
		     path_text(b->m, path));
		return NULL;
	}
	/* One of them may be what another field depends on as well. */
	reg = CTF_NO_REGISTER;
	for (int i = 0; i < leaves.types.n && reg == CTF_NO_REGISTER; i++)
		reg = leaves.types.v[i]->reg;
	if (reg == CTF_NO_REGISTER)
		reg = b->n_regs++;
	for (int i = 0; i < leaves.types.n && !what; i++) {
		what = wrong_leaf(leaves.types.v[i], t, reg);
		leaves.types.v[i]->reg = reg;
	}
	if (what) {
		fail(b, what, path_text(b->m, path));
		return NULL;
	}
	t->from_reg = reg;
	t->from_signed = leaves.types.v[0]->kind == CTF_SINT;
	t->unbound = NULL;
	return leaves.types.v[0];
}

/* TSDL: an option is there where the selector's label has its name. */
static bool set_ranges(struct binder *b, struct ctf_type *t, const struct ctf_type *selector)
{
	for (int i = 0; i < t->n_members; i++) {
		struct ctf_member *m = &t->members[i];
		VEC(struct ctf_range) ranges = { 0 };

		if (m->ranges)
			continue;
		for (int l = 0; l < selector->n_labels; l++)
			if (!strcmp(selector->labels[l].name, m->raw_name))
				vec_push(b->m->arena, &ranges, selector->labels[l].range);
		m->ranges = ranges.v;
		m->n_ranges = ranges.n;
	}
	return true;
}

/* Where the type stands, and whether what it is in is a copy: then what it has is another's, too. */
struct place {
	const struct frame *up;
	int depth;
	bool in_copy;
};

static struct ctf_type *bind_type(struct binder *b, struct place at, struct ctf_type *from);

static bool bind_members(struct binder *b, struct place at, struct ctf_type *t)
{
	struct ctf_member *own = t->members;
	struct frame f = { at.up, t, 0 };

	if (at.in_copy && t->n_members) {
		own = arena_array(b->m->arena, struct ctf_member, t->n_members);
		memcpy(own, t->members, sizeof(*own) * (size_t)t->n_members);
		t->members = own;
	}
	for (; f.n_done < t->n_members; f.n_done++) {
		own[f.n_done].type = bind_type(b, (struct place){ &f, at.depth + 1, at.in_copy },
					       own[f.n_done].type);
		if (!own[f.n_done].type)
			return false;
	}
	return true;
}

/* CTF 2: what a field can tell, where. */
static const uint16_t scope_roles[CTF_SCOPES] = {
	[CTF_PACKET_HEADER] = ROLE_BIT(ROLE_MAGIC) | ROLE_BIT(ROLE_UUID) |
		ROLE_BIT(ROLE_STREAM_CLASS) | ROLE_BIT(ROLE_STREAM),
	[CTF_PACKET_CONTEXT] = ROLE_BIT(ROLE_TIME) | ROLE_BIT(ROLE_PACKET_END) |
		ROLE_BIT(ROLE_CONTENT_SIZE) | ROLE_BIT(ROLE_PACKET_SIZE) |
		ROLE_BIT(ROLE_SEQUENCE) | ROLE_BIT(ROLE_DISCARDED),
	[CTF_EVENT_HEADER] = ROLE_BIT(ROLE_EVENT_CLASS) | ROLE_BIT(ROLE_TIME),
};

/* A type of an event that binding does not change: it stays where it is until somebody does. */
static bool stays(const struct binder *b, const struct ctf_type *t)
{
	return b->scope >= CTF_EVENT_CONTEXT && t->kind != CTF_STRUCT && t->kind != CTF_VARIANT &&
	       !t->members && !t->element && !t->unbound && !t->roles;
}

/* What a type depends on; false: that is not there. */
static bool bind_unbound(struct binder *b, const struct frame *up, struct ctf_type *t)
{
	struct ctf_type *to;

	if (t->unbound && is_constant(b, t->unbound, t))
		t->unbound = NULL;
	if (!t->unbound)
		return t->kind != CTF_VARIANT || fail(b, "a variant has no selector", NULL);
	to = bind_to(b, up, t);
	if (!to || (t->kind == CTF_VARIANT && !set_ranges(b, t, to)))
		return false;
	return t->kind != CTF_OPTION || to->is_bool || t->members[0].n_ranges ||
	       fail(b, "an optional field needs the ranges of its selector", NULL);
}

static struct ctf_type *bind_type(struct binder *b, struct place at, struct ctf_type *from)
{
	struct ctf_type *t = from;

	if (++b->nodes > CTF_SCOPE_NODES_MOST || ++b->m->nodes > CTF_NODES_MOST ||
	    meta_is_large(b->m) || at.depth > CTF_DEPTH_MOST) {
		fail(b, too_many, NULL);
		return NULL;
	}
	at.in_copy |= from->shared || b->scope < CTF_EVENT_CONTEXT;
	if (stays(b, from)) {
		from->shared |= at.in_copy;
		return from;
	}
	if (at.in_copy) {
		t = arena_new(b->m->arena, struct ctf_type);
		*t = *from;
		t->shared = false;
	}
	t->roles &= scope_roles[b->scope];
	t->hidden = t->roles;
	if (!bind_unbound(b, at.up, t))
		return NULL;
	if (t->members || t->kind == CTF_STRUCT)
		return bind_members(b, at, t) ? t : NULL;
	if (t->element) {
		/* The frame of an array has no members: names are found outside. */
		at.depth++;
		t->element = bind_type(b, at, t->element);
		return t->element ? t : NULL;
	}
	return t;
}

/* ---- roles by name: CTF 1.8 ---- */

static const struct {
	enum ctf_scope scope;
	const char *name;
	enum ctf_role role;
	bool shown;
} named_roles[] = {
	{ CTF_PACKET_HEADER, "magic", ROLE_MAGIC, false },
	{ CTF_PACKET_HEADER, "uuid", ROLE_UUID, false },
	{ CTF_PACKET_HEADER, "stream_id", ROLE_STREAM_CLASS, false },
	{ CTF_PACKET_HEADER, "stream_instance_id", ROLE_STREAM, false },
	{ CTF_PACKET_CONTEXT, "timestamp_begin", ROLE_TIME, false },
	{ CTF_PACKET_CONTEXT, "timestamp_end", ROLE_PACKET_END, false },
	{ CTF_PACKET_CONTEXT, "content_size", ROLE_CONTENT_SIZE, false },
	{ CTF_PACKET_CONTEXT, "packet_size", ROLE_PACKET_SIZE, false },
	{ CTF_PACKET_CONTEXT, "packet_seq_num", ROLE_SEQUENCE, false },
	{ CTF_PACKET_CONTEXT, "events_discarded", ROLE_DISCARDED, false },
	{ CTF_EVENT_HEADER, "id", ROLE_EVENT_CLASS, false },
	{ CTF_EVENT_HEADER, "timestamp", ROLE_TIME, false },
};

/* Also of CTF 2: the processor's number has no role there. */
static void set_roles(const struct ctf_meta *m, enum ctf_scope scope, struct ctf_type *t)
{
	for (int i = 0; i < t->n_members; i++) {
		struct ctf_type *of = t->members[i].type;
		const char *name = t->members[i].raw_name;

		if (of->members)
			set_roles(m, scope, of);
		if (of->kind == CTF_STRUCT || of->kind == CTF_VARIANT || of->roles)
			continue;
		if (scope == CTF_PACKET_CONTEXT && !strcmp(name, "cpu_id"))
			of->roles = ROLE_BIT(ROLE_CPU);
		for (size_t r = 0; m->trace->version == 1 &&
		     r < sizeof(named_roles) / sizeof(*named_roles); r++)
			if (named_roles[r].scope == scope && !strcmp(named_roles[r].name, name)) {
				of->roles = ROLE_BIT(named_roles[r].role);
				of->hidden = !named_roles[r].shown;
			}
		if (scope == CTF_EVENT_HEADER && of->clock >= 0)
			of->roles = ROLE_BIT(ROLE_TIME);
	}
}

/* ---- all of them ---- */

static bool bind_scope(struct binder *b, enum ctf_scope scope)
{
	b->scope = scope;
	b->nodes = 0;
	if (!b->scopes[scope])
		return true;
	b->scopes[scope] = bind_type(b, (struct place){ 0 }, b->scopes[scope]);
	if (!b->scopes[scope])
		return false;
	if (scope <= CTF_EVENT_HEADER)
		set_roles(b->m, scope, b->scopes[scope]);
	return true;
}

/* The clock that a scope's time is of, or -1. */
static int clock_of(const struct ctf_type *t)
{
	int clock = t->clock;

	for (int i = 0; clock < 0 && i < t->n_members; i++)
		clock = clock_of(t->members[i].type);
	return clock;
}

static bool has_time(const struct ctf_type *t)
{
	bool has = t->roles & ROLE_BIT(ROLE_TIME);

	for (int i = 0; !has && i < t->n_members; i++)
		has = has_time(t->members[i].type);
	return has;
}

/* CTF 1.8: what the timestamps say; where they say nothing and there is one clock, it. */
static void set_clock(const struct ctf_meta *m, struct ctf_stream_class *s)
{
	const enum ctf_scope from[] = { CTF_EVENT_HEADER, CTF_PACKET_CONTEXT };

	for (int i = 0; s->clock < 0 && i < 2; i++)
		if (s->scopes[from[i]])
			s->clock = clock_of(s->scopes[from[i]]);
	for (int i = 0; s->clock < 0 && m->trace->version == 1 && m->clocks.n == 1 && i < 2; i++)
		if (s->scopes[from[i]] && has_time(s->scopes[from[i]]))
			s->clock = 0;
}

static bool bind_stream(struct ctf_meta *m, struct ctf_stream_class *s)
{
	struct binder b = { .m = m, .scopes = s->scopes, .n_regs = m->n_header_regs };
	bool ok;

	s->trace = m->trace;
	s->scopes[CTF_PACKET_HEADER] = m->packet_header;
	ok = bind_scope(&b, CTF_PACKET_CONTEXT) && bind_scope(&b, CTF_EVENT_HEADER) &&
	     bind_scope(&b, CTF_STREAM_CONTEXT);
	s->n_regs = b.n_regs;
	set_clock(m, s);
	s->form = program_header_form(s->scopes[CTF_EVENT_HEADER]);
	if (s->form != HEADER_GENERAL)
		s->id_reg = s->scopes[CTF_EVENT_HEADER]->members[0].type->reg;
	return ok;
}

#define DENSE_MOST 65536

/* Which of two of one id an event is, nothing tells: it is read as the first. */
static bool link_class(struct ctf_meta *m, struct ctf_stream_class *s, struct ctf_class *c)
{
	const struct ctf_class *first = stream_class_of_id(s, c->id);
	struct ctf_class **dense;
	int n;

	if (first)
		return meta_error(m, "event class '%s' has the id %llu, which '%s' has: events of this "
				  "id are read as '%s'", c->name, (unsigned long long)c->id,
				  first->name, first->name);
	vec_push(m->arena, &s->classes, c);
	if (c->id >= DENSE_MOST) {
		*map_put(m->arena, &s->far, &c->id, sizeof(c->id)) = c;
		return true;
	}
	if ((int)c->id >= s->n_by_id) {
		for (n = s->n_by_id ? s->n_by_id : 64; n <= (int)c->id; n *= 2)
			;
		dense = arena_array(m->arena, struct ctf_class *, n);
		if (s->n_by_id)
			memcpy(dense, s->by_id, sizeof(*dense) * (size_t)s->n_by_id);
		s->by_id = dense;
		s->n_by_id = n;
	}
	s->by_id[c->id] = c;
	return true;
}

/* Classes of one stream whose types are the same ones have one copy of them. */
struct bound_key {
	struct ctf_stream_class *of;
	struct ctf_type *context, *payload;
};

static bool is_shared(const struct ctf_type *t)
{
	return !t || t->shared;
}

static bool bind_body(struct binder *b, struct ctf_class *c)
{
	struct bound_key key = { c->of, c->scopes[CTF_EVENT_CONTEXT], c->scopes[CTF_PAYLOAD] };
	bool can_be_known = is_shared(key.context) && is_shared(key.payload);
	const struct ctf_class *known = can_be_known ? map_get(&b->m->bound, &key, sizeof(key)) : NULL;

	if (!known) {
		if (!bind_scope(b, CTF_EVENT_CONTEXT) || !bind_scope(b, CTF_PAYLOAD))
			return false;
		c->bare = program_new(b->m->arena);
		if (can_be_known)
			*map_put(b->m->arena, &b->m->bound, &key, sizeof(key)) = c;
		return true;
	}
	c->scopes[CTF_EVENT_CONTEXT] = known->scopes[CTF_EVENT_CONTEXT];
	c->scopes[CTF_PAYLOAD] = known->scopes[CTF_PAYLOAD];
	c->bare = known->bare;
	return true;
}

static bool bind_class(struct ctf_meta *m, struct ctf_class *c, uint64_t stream_id)
{
	struct ctf_stream_class *s = NULL;
	struct binder b = { .m = m, .scopes = c->scopes };
	bool ok;

	for (int i = 0; i < m->streams.n; i++)
		if (m->streams.v[i]->id == stream_id)
			s = m->streams.v[i];
	if (!s)
		return meta_error(m, "event class '%s' belongs to stream class %llu, which is missing",
				  c->name, (unsigned long long)stream_id);
	c->of = s;
	c->trace = m->trace;
	memcpy(c->scopes, s->scopes, sizeof(*c->scopes) * CTF_EVENT_CONTEXT);
	/* A field of an event may depend on one of the stream's scopes, which then gets its
	 * register late: all numbers stay below n_class_regs. */
	b.n_regs = s->n_class_regs > s->n_regs ? s->n_class_regs : s->n_regs;
	ok = bind_body(&b, c);
	s->n_class_regs = b.n_regs;
	if (b.n_regs > m->n_most_regs)
		m->n_most_regs = b.n_regs;
	return ok && link_class(m, s, c);
}

void meta_bind(struct ctf_meta *m)
{
	struct ctf_type *scopes[CTF_SCOPES] = { m->packet_header };
	struct binder b = { .m = m, .scopes = scopes };
	int n = 0;

	meta_bound(m);
	if (!bind_scope(&b, CTF_PACKET_HEADER))
		scopes[CTF_PACKET_HEADER] = NULL;
	m->packet_header = scopes[CTF_PACKET_HEADER];
	m->n_header_regs = b.n_regs;
	/* LTTng writes events before their stream: one of no block has the id 0. */
	for (int i = 0; !m->streams.n && i < m->class_streams.n; i++)
		meta_stream(m, m->class_streams.v[i]);
	for (int i = 0; i < m->streams.n; i++)
		if (bind_stream(m, m->streams.v[i])) {
			if (m->streams.v[i]->n_regs > m->n_most_regs)
				m->n_most_regs = m->streams.v[i]->n_regs;
			m->streams.v[n++] = m->streams.v[i];
		}
	m->streams.n = n;
	n = 0;
	for (int i = 0; i < m->classes.n; i++)
		if (bind_class(m, m->classes.v[i], m->class_streams.v[i]))
			m->classes.v[n++] = m->classes.v[i];
	m->classes.n = n;
	m->trace->clocks = m->clocks.v;
	m->trace->n_clocks = m->clocks.n;
	m->trace->env = m->env.v;
	m->trace->n_env = m->env.n;
	m->trace->stream_classes = m->streams.v;
	m->trace->n_stream_classes = m->streams.n;
}
