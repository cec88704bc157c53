/* Metadata of CTF 2: a sequence of JSON texts, each a fragment. Field classes:
 * meta2_type.c. */
#include "ctf/meta2.h"

#include <stdlib.h>

#define RECORD_SEPARATOR '\x1e'

bool meta2_fail(struct meta2 *p, const char *fmt, ...)
{
	va_list ap;
	const char *what;

	if (p->failed)
		return false;
	va_start(ap, fmt);
	what = arena_vprintf(p->meta->arena, fmt, ap);
	va_end(ap);
	p->failed = true;
	return meta_error(p->meta, "the fragment of line %d: %s", p->line, what);
}

static const char *text_of(struct meta2 *p, const struct json *j, const char *name)
{
	const struct json *v = json_member(j, name);

	return v && v->kind == JSON_TEXT ?
	       meta_text(p->meta, v->text) : NULL;
}

static uint64_t int_of(const struct json *j, const char *name, uint64_t otherwise)
{
	const struct json *v = json_member(j, name);

	return v && v->kind == JSON_INT ? v->u : otherwise;
}

/* The structure that the fragment's property is; NULL when it has none. */
static bool scope_of(struct meta2 *p, const struct json *j, const char *name,
		     struct ctf_type **t)
{
	const struct json *v = json_member(j, name);

	if (!v)
		return true;
	*t = meta2_type(p, v);
	return *t && ((*t)->kind == CTF_STRUCT || meta2_fail(p, "%s must be a structure", name));
}

/* ---- fragments ---- */

static bool add_preamble(struct meta2 *p, const struct json *j)
{
	struct ctf_trace *t = p->meta->trace;
	const struct json *uuid = json_member(j, "uuid"), *extensions = json_member(j, "extensions");
	int n = 0;

	if (int_of(j, "version", 0) != 2)
		return meta2_fail(p, "the version of the format is not 2");
	for (const struct json *e = extensions ? extensions->first : NULL; e; e = e->next)
		if (e->first)
			return meta2_fail(p, "it needs the extension %.*s/%.*s, which is not known "
					  "here", STR_ARG(e->name), STR_ARG(e->first->name));
	for (const struct json *b = uuid ? uuid->first : NULL; b && n < 16; b = b->next)
		t->uuid[n++] = (uint8_t)b->u;
	t->has_uuid = n == 16;
	return true;
}

static bool add_alias(struct meta2 *p, const struct json *j)
{
	const struct json *name = json_member(j, "name");
	struct ctf_type *t = meta2_type(p, json_member(j, "field-class"));

	if (!t || !name || name->kind != JSON_TEXT)
		return meta2_fail(p, "a field class alias needs a name and a field-class");
	if (map_get_str(&p->aliases, name->text))
		return meta2_fail(p, "a second field class alias '%.*s'", STR_ARG(name->text));
	t->shared = true;
	*map_put_str(p->meta->arena, &p->aliases, name->text) = t;
	return true;
}

static bool add_trace(struct meta2 *p, const struct json *j)
{
	struct ctf_meta *m = p->meta;
	const struct json *env = json_member(j, "environment");

	for (const struct json *e = env ? env->first : NULL; e; e = e->next)
		vec_push(m->arena, &m->env, ((struct ctf_env){
			.name = meta_text(m, e->name),
			.is_int = e->kind == JSON_INT,
			.text = e->kind == JSON_INT && !e->negative ?
				arena_printf(m->arena, "%llu", (unsigned long long)e->u) :
				e->kind == JSON_INT ?
				arena_printf(m->arena, "%lld", (long long)e->u) :
				meta_text(m, e->text),
		}));
	return scope_of(p, j, "packet-header-field-class", &m->packet_header);
}

static bool add_clock(struct meta2 *p, const struct json *j)
{
	struct ctf_meta *m = p->meta;
	const struct json *offset = json_member(j, "offset-from-origin");
	const char *id = text_of(p, j, "id"), *name = text_of(p, j, "name");
	struct ctf_clock c = {
		.name = name ? name : "", .description = text_of(p, j, "description"),
		.frequency = int_of(j, "frequency", 0),
		.offset_s = (int64_t)int_of(offset, "seconds", 0),
		.offset_cycles = int_of(offset, "cycles", 0),
		.is_absolute = json_is(json_member(j, "origin"), "unix-epoch"),
	};

	if (!c.frequency || c.offset_cycles >= c.frequency)
		return meta2_fail(p, "a clock needs a frequency, and its offset in cycles is less");
	if (id && meta_clock(m, str_of(id)) >= 0)
		return meta2_fail(p, "a second clock class of id '%s'", id);
	vec_push(m->arena, &m->clocks, c);
	vec_push(m->arena, &m->clock_ids, id ? id : "");
	return true;
}

static bool add_stream(struct meta2 *p, const struct json *j)
{
	int n_before = p->meta->streams.n;
	struct ctf_stream_class *s = meta_stream(p->meta, int_of(j, "id", 0));
	const struct json *clock = json_member(j, "default-clock-class-id");

	if (p->meta->streams.n == n_before)
		return meta2_fail(p, "a second data stream class of id %llu",
				  (unsigned long long)s->id);
	s->name = text_of(p, j, "name");
	if (clock) {
		s->clock = clock->kind == JSON_TEXT ? meta_clock(p->meta, clock->text) : -1;
		if (s->clock < 0)
			return meta2_fail(p, "no clock class '%.*s'", STR_ARG(clock->text));
	}
	return scope_of(p, j, "packet-context-field-class", &s->scopes[CTF_PACKET_CONTEXT]) &&
	       scope_of(p, j, "event-record-header-field-class", &s->scopes[CTF_EVENT_HEADER]) &&
	       scope_of(p, j, "event-record-common-context-field-class",
			&s->scopes[CTF_STREAM_CONTEXT]);
}

/* LTTng keeps the log level as an attribute of its own name space. */
static int64_t log_level(const struct json *j)
{
	const struct json *attributes = json_member(j, "attributes");
	const struct json *lttng = json_member(attributes, "lttng.org,2009");
	const struct json *v = json_member(lttng, "log-level");

	return v && v->kind == JSON_INT ? (int64_t)v->u : -1;
}

static bool add_event(struct meta2 *p, const struct json *j)
{
	struct ctf_meta *m = p->meta;
	struct ctf_class *c = arena_new(m->arena, struct ctf_class);
	const char *name = text_of(p, j, "name");

	c->id = int_of(j, "id", 0);
	c->name = name ? name : "";
	c->log_level = log_level(j);
	if (!scope_of(p, j, "specific-context-field-class", &c->scopes[CTF_EVENT_CONTEXT]) ||
	    !scope_of(p, j, "payload-field-class", &c->scopes[CTF_PAYLOAD]))
		return false;
	vec_push(m->arena, &m->classes, c);
	vec_push(m->arena, &m->class_streams, int_of(j, "data-stream-class-id", 0));
	return true;
}

static const struct {
	const char *type;
	bool (*add)(struct meta2 *p, const struct json *j);
} fragments[] = {
	{ "preamble", add_preamble }, { "field-class-alias", add_alias },
	{ "trace-class", add_trace }, { "clock-class", add_clock },
	{ "data-stream-class", add_stream }, { "event-record-class", add_event },
};

static bool add_fragment(struct meta2 *p, const struct json *j)
{
	const struct json *type = json_member(j, "type");

	if (!p->n_fragments++ != json_is(type, "preamble"))
		return meta2_fail(p, p->n_fragments == 1 ? "the first fragment is not a preamble" :
				  "a second preamble");
	for (size_t i = 0; i < sizeof(fragments) / sizeof(*fragments); i++)
		if (json_is(type, fragments[i].type))
			return fragments[i].add(p, j);
	return meta2_fail(p, "an unknown type of fragment");
}

void json_metadata_parse(struct ctf_meta *m, struct str text)
{
	struct meta2 p = { .meta = m, .line = 1 };
	struct arena scratch = { 0 };

	m->text_bytes = (size_t)text.n;
	meta_bound(m);
	m->trace->version = 2;
	for (int at = 0; at < text.n && !p.failed;) {
		const struct json *j;
		const char *why;
		int used;

		if (text.p[at] == RECORD_SEPARATOR || text.p[at] == '\n' || text.p[at] == ' ') {
			p.line += text.p[at++] == '\n';
			continue;
		}
		j = json_parse(&scratch, str_sub(text, at, -1), &used, &why);
		if (!j)
			meta2_fail(&p, "%s", at + used >= text.n ? "it ends in the middle" : why);
		else
			add_fragment(&p, j);
		for (int i = 0; i < used; i++)
			p.line += text.p[at + i] == '\n';
		at += used;
		arena_reset(&scratch);
	}
	arena_fini(&scratch);
}
