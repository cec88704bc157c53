/* The metadata language of CTF 1.8: its blocks. Types: tsdl_type.c. */
#include "ctf/tsdl.h"

#include <stdlib.h>
#include <string.h>

/* ---- what both halves use ---- */

bool tsdl_fail(struct tsdl *p, const char *fmt, ...)
{
	va_list ap;
	const char *what;

	if (p->failed)
		return false;
	va_start(ap, fmt);
	what = arena_vprintf(p->meta->arena, fmt, ap);
	va_end(ap);
	p->failed = true;
	if (p->lex.kind == TSDL_END)
		return meta_error(p->meta, "line %d: it ends in the middle: %s", p->lex.token_line,
				  what);
	return meta_error(p->meta, "line %d, at '%.*s': %s", p->lex.token_line,
			  p->lex.token.n > 40 ? 40 : p->lex.token.n, p->lex.token.p, what);
}

bool tsdl_is(const struct tsdl *p, const char *text)
{
	return (p->lex.kind == TSDL_NAME || p->lex.kind == TSDL_PUNCT) &&
	       str_is(p->lex.token, text);
}

bool tsdl_take(struct tsdl *p, const char *text)
{
	if (!tsdl_is(p, text))
		return false;
	tsdl_next(&p->lex);
	return true;
}

bool tsdl_expect(struct tsdl *p, const char *text)
{
	return tsdl_take(p, text) || tsdl_fail(p, "%s is missing", text);
}

bool tsdl_room(struct tsdl *p)
{
	return !meta_is_large(p->meta) || tsdl_fail(p, CTF_LARGE);
}

void tsdl_enter(struct tsdl *p, struct tsdl_names *scope)
{
	*scope = (struct tsdl_names){ .up = p->names };
	p->names = scope;
}

void tsdl_leave(struct tsdl *p)
{
	p->names = p->names->up;
}

bool tsdl_value(struct tsdl *p, struct tsdl_value *v)
{
	bool minus = false;
	const char *from;

	*v = (struct tsdl_value){ 0 };
	while (tsdl_is(p, "-") || tsdl_is(p, "+")) {
		minus ^= tsdl_is(p, "-");
		tsdl_next(&p->lex);
	}
	v->kind = p->lex.kind;
	v->text = p->lex.token;
	v->u = minus ? -p->lex.value : p->lex.value;
	from = p->lex.token.p;
	if (v->kind != TSDL_INT && v->kind != TSDL_STRING && v->kind != TSDL_NAME)
		return tsdl_fail(p, "a value is missing");
	tsdl_next(&p->lex);
	while (v->kind == TSDL_NAME && tsdl_take(p, ".")) {
		if (p->lex.kind != TSDL_NAME)
			return tsdl_fail(p, "a name is missing behind the dot");
		v->text = (struct str){ from, (int)(p->lex.token.p + p->lex.token.n - from) };
		tsdl_next(&p->lex);
	}
	return true;
}

bool tsdl_truth(const struct tsdl_value *v)
{
	return v->kind == TSDL_INT ? v->u != 0 :
	       str_is(v->text, "true") || str_is(v->text, "TRUE");
}

bool tsdl_big_endian(struct tsdl *p, const struct tsdl_value *v)
{
	if (str_is(v->text, "be") || str_is(v->text, "network"))
		return true;
	if (str_is(v->text, "le"))
		return false;
	if (!str_is(v->text, "native"))
		tsdl_fail(p, "byte orders are be, le, network and native");
	return p->meta->big_endian;
}

/* ---- blocks ---- */

/* What a block may say: name = value or name := type. */
struct block {
	struct tsdl *p;
	int64_t id, stream_id, log_level;
	const char *name;
	bool has_id;
	struct ctf_type *scopes[CTF_SCOPES];
	struct ctf_clock clock;
	int64_t offset;
};

typedef bool assign_fn(struct block *b, struct str name, const struct tsdl_value *v);

static const char *copy(struct block *b, struct str s)
{
	return meta_text(b->p->meta, s);
}

static bool parse_uuid(struct str s, uint8_t uuid[16])
{
	int n = 0;

	for (int i = 0; i < s.n && n < 32; i++) {
		int c = s.p[i] | 0x20, d;

		if (s.p[i] == '-')
			continue;
		d = c >= 'a' && c <= 'f' ? c - 'a' + 10 : c - '0';
		if (d < 0 || d > 15 || (c > '9' && c < 'a'))
			return false;
		uuid[n / 2] = (uint8_t)(uuid[n / 2] << 4 | d);
		n++;
	}
	return n == 32;
}

static bool assign_trace(struct block *b, struct str name, const struct tsdl_value *v)
{
	struct ctf_trace *t = b->p->meta->trace;

	if (str_is(name, "uuid")) {
		t->has_uuid = parse_uuid(v->text, t->uuid);
		return t->has_uuid || tsdl_fail(b->p, "a uuid has 32 hexadecimal digits");
	}
	return true;
}

static bool assign_env(struct block *b, struct str name, const struct tsdl_value *v)
{
	struct ctf_meta *m = b->p->meta;

	vec_push(m->arena, &m->env, ((struct ctf_env){
		.name = copy(b, name), .is_int = v->kind == TSDL_INT,
		.text = v->kind == TSDL_INT ? arena_printf(m->arena, "%lld", (long long)v->u) :
			copy(b, v->text),
	}));
	return true;
}

static bool assign_clock(struct block *b, struct str name, const struct tsdl_value *v)
{
	if (str_is(name, "name"))
		b->name = copy(b, v->text);
	else if (str_is(name, "description"))
		b->clock.description = copy(b, v->text);
	else if (str_is(name, "freq"))
		b->clock.frequency = v->u;
	else if (str_is(name, "offset_s"))
		b->clock.offset_s = (int64_t)v->u;
	else if (str_is(name, "offset"))
		b->offset = (int64_t)v->u;
	else if (str_is(name, "absolute"))
		b->clock.is_absolute = tsdl_truth(v);
	return true;
}

static bool assign_event(struct block *b, struct str name, const struct tsdl_value *v)
{
	if (str_is(name, "name")) {
		b->name = copy(b, v->text);
	} else if (str_is(name, "id")) {
		b->id = (int64_t)v->u;
		b->has_id = true;
	} else if (str_is(name, "stream_id")) {
		b->stream_id = (int64_t)v->u;
	} else if (str_is(name, "loglevel")) {
		b->log_level = (int64_t)v->u;
	}
	return true;
}

static bool assign_nothing(struct block *b, struct str name, const struct tsdl_value *v)
{
	(void)b, (void)name, (void)v;
	return true;
}

static const struct { const char *block, *name; enum ctf_scope scope; } block_scopes[] = {
	{ "trace", "packet.header", CTF_PACKET_HEADER },
	{ "stream", "packet.context", CTF_PACKET_CONTEXT },
	{ "stream", "event.header", CTF_EVENT_HEADER },
	{ "stream", "event.context", CTF_STREAM_CONTEXT },
	{ "event", "context", CTF_EVENT_CONTEXT },
	{ "event", "fields", CTF_PAYLOAD },
};

/* name := type; the type must be a structure. */
static bool assign_type(struct block *b, const char *block, struct str name)
{
	bool is_plain = b->p->names->up == &b->p->global && !b->p->names->types.n;
	struct ctf_type *t;

	tsdl_next(&b->p->lex);
	t = is_plain ? tsdl_share(b->p, &b->p->bodies, tsdl_type) : tsdl_type(b->p);
	if (!t)
		return false;
	if (t->kind != CTF_STRUCT)
		return tsdl_fail(b->p, "%.*s must be a struct", STR_ARG(name));
	for (size_t i = 0; i < sizeof(block_scopes) / sizeof(*block_scopes); i++)
		if (!strcmp(block_scopes[i].block, block) && str_is(name, block_scopes[i].name))
			b->scopes[block_scopes[i].scope] = t;
	return tsdl_expect(b->p, ";");
}

static bool parse_row(struct block *b, const char *block, assign_fn *assign)
{
	struct tsdl_value name, v;

	if (!tsdl_value(b->p, &name))
		return false;
	if (b->p->lex.kind == TSDL_ASSIGN_TYPE)
		return assign_type(b, block, name.text);
	return tsdl_expect(b->p, "=") && tsdl_value(b->p, &v) &&
	       assign(b, name.text, &v) && tsdl_expect(b->p, ";");
}

/* ---- what a block made ---- */

static bool add_trace(struct block *b)
{
	if (b->scopes[CTF_PACKET_HEADER])
		b->p->meta->packet_header = b->scopes[CTF_PACKET_HEADER];
	return true;
}

static bool add_clock(struct block *b)
{
	struct ctf_meta *m = b->p->meta;
	struct ctf_clock *c = &b->clock;
	int64_t frequency;

	if (!c->frequency)
		c->frequency = 1000000000;
	if (c->frequency > INT64_MAX)
		return tsdl_fail(b->p, "a clock's frequency is at most 2^63");
	/* offset is in cycles and may be negative. */
	frequency = (int64_t)c->frequency;
	if (__builtin_add_overflow(c->offset_s, b->offset / frequency, &c->offset_s))
		return tsdl_fail(b->p, "the clock's offset is too large");
	b->offset %= frequency;
	if (b->offset < 0) {
		c->offset_s--;
		b->offset += frequency;
	}
	c->offset_cycles = (uint64_t)b->offset;
	c->name = b->name ? b->name : "";
	if (meta_clock(m, str_of(c->name)) >= 0)
		return tsdl_fail(b->p, "there is a clock of this name already");
	c->is_absolute = true;
	vec_push(m->arena, &m->clocks, *c);
	vec_push(m->arena, &m->clock_ids, c->name);
	tsdl_forget(&b->p->integers);
	tsdl_forget(&b->p->bodies);
	return true;
}

static bool add_stream(struct block *b)
{
	int n_before = b->p->meta->streams.n;
	struct ctf_stream_class *s = meta_stream(b->p->meta, (uint64_t)b->id);

	if (b->p->meta->streams.n == n_before)
		return tsdl_fail(b->p, "there is a stream of this id already");
	for (int i = 0; i < CTF_SCOPES; i++)
		if (b->scopes[i])
			s->scopes[i] = b->scopes[i];
	return true;
}

static bool add_event(struct block *b)
{
	struct ctf_meta *m = b->p->meta;
	struct ctf_class *c = arena_new(m->arena, struct ctf_class);

	c->id = (uint64_t)b->id;
	c->name = b->name ? b->name : "";
	c->log_level = b->log_level;
	memcpy(c->scopes, b->scopes, sizeof(c->scopes));
	vec_push(m->arena, &m->classes, c);
	vec_push(m->arena, &m->class_streams, (uint64_t)b->stream_id);
	return true;
}

static bool add_nothing(struct block *b)
{
	(void)b;
	return true;
}

static const struct block_row {
	const char *word;
	assign_fn *assign;
	bool (*add)(struct block *b);
} blocks[] = {
	{ "trace", assign_trace, add_trace }, { "env", assign_env, add_nothing },
	{ "clock", assign_clock, add_clock }, { "stream", assign_event, add_stream },
	{ "event", assign_event, add_event }, { "callsite", assign_nothing, add_nothing },
};

/* typealias ...; struct x { ... }; */
static bool parse_name(struct tsdl *p)
{
	if (tsdl_is(p, "struct") || tsdl_is(p, "enum") || tsdl_is(p, "variant"))
		return tsdl_type(p) && tsdl_expect(p, ";");
	return tsdl_alias(p);
}

static bool parse_block(struct tsdl *p, const struct block_row *row)
{
	struct block b = { .p = p, .log_level = -1 };
	struct tsdl_names scope;

	if (!tsdl_expect(p, "{"))
		return false;
	tsdl_enter(p, &scope);
	while (!p->failed && tsdl_room(p) && !tsdl_take(p, "}"))
		if (!tsdl_take(p, ";") && !parse_name(p) && !p->failed)
			parse_row(&b, row->word, row->assign);
	tsdl_leave(p);
	return !p->failed && tsdl_expect(p, ";") && row->add(&b);
}

static bool parse_top(struct tsdl *p)
{
	for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); i++)
		if (tsdl_take(p, blocks[i].word))
			return parse_block(p, &blocks[i]);
	if (tsdl_alias(p))
		return true;
	return !p->failed && tsdl_type(p) && tsdl_expect(p, ";");
}

/* The trace's byte order stands behind the aliases that depend on it. */
static void find_order(struct tsdl *p)
{
	struct tsdl_lex start = p->lex;
	int depth = 0;
	bool in_trace = false;

	for (tsdl_next(&p->lex); p->lex.kind != TSDL_END && p->lex.kind != TSDL_BAD;) {
		if (!depth)
			in_trace = tsdl_is(p, "trace") || (in_trace && tsdl_is(p, "{"));
		depth += tsdl_is(p, "{") - tsdl_is(p, "}");
		if (in_trace && depth == 1 && tsdl_take(p, "byte_order")) {
			tsdl_next(&p->lex);
			p->meta->big_endian = tsdl_is(p, "be") || tsdl_is(p, "network");
			p->meta->has_order = true;
			break;
		}
		tsdl_next(&p->lex);
	}
	p->lex = start;
}

void tsdl_open(struct tsdl *p, struct ctf_meta *m, struct str text)
{
	*p = (struct tsdl){ .meta = m, .lex = { .arena = m->arena, .text = text, .line = 1 } };
	m->text_bytes = (size_t)text.n;
	meta_bound(m);
	tsdl_enter(p, &p->global);
	find_order(p);
	m->trace->version = 1;
}

void tsdl_blocks(struct tsdl *p)
{
	for (tsdl_next(&p->lex); !p->failed && p->lex.kind != TSDL_END;)
		if (!tsdl_take(p, ";"))
			parse_top(p);
}

void tsdl_parse(struct ctf_meta *m, struct str text)
{
	struct tsdl p;

	tsdl_open(&p, m, text);
	tsdl_blocks(&p);
	tsdl_forget(&p.integers);
	tsdl_forget(&p.bodies);
}
