/*
 * names: from the classes of a trace to events and system calls with fields, by
 * the rows of lttng.def. To teach culprit about an event of LTTng, write a row there.
 */
#include <stdio.h>
#include <stdlib.h>

#include "event/calls.h"
#include "event/facts.h"
#include "lang/plain.h"
#include "trace/impl.h"

static const struct live_row {
	char system[12], live[24], trace[28];
} live_rows[] = {
#define LIVE(system_, live_, trace_) { system_, live_, trace_ },
#include "trace/lttng.def"
};

static const struct rec_field_row field_rows[] = {
#define FIELD(system_, event_, field_, from_, kind_, how_) \
	{ system_, event_, field_, from_, TY_##kind_, how_ },
#include "trace/lttng.def"
};

static const struct {
	char system[8], event[20], argument[8], tid[12];
} task_rows[] = {
#define TASK(system_, event_, argument_, tid_) { system_, event_, argument_, tid_ },
#include "trace/lttng.def"
};

static const struct {
	char name[24];
	uint8_t kind, how;
} member_rows[] = {
#define MEMBER(name_, kind_, how_) { name_, TY_##kind_, how_ },
#include "trace/lttng.def"
};

static const struct param_row {
	char call[8], param[8], from[8];
} param_rows[] = {
#define PARAM(call_, param_, from_) { call_, param_, from_ },
#include "trace/lttng.def"
};

static const struct meaning_row {
	char name[24];
	uint8_t kind;
} meaning_rows[] = {
#define MEANS(name_, kind_) { name_, TY_##kind_ },
#include "trace/lttng.def"
};

static const struct meaning_row typedef_rows[] = {
#define TYPE_MEANS(name_, kind_) { name_, TY_##kind_ },
#include "event/meaning.def"
};

#define STRING_BYTES 128		/* as strings have live */
#define FLAGS_MOST 4096
#define ROWS(table) (int)(sizeof(table) / sizeof((table)[0]))

/* ---- types ---- */

static const struct enum_desc *make_enum(struct recorded *r, const struct ctf_type *t)
{
	struct enum_desc *en = arena_new(&r->arena, struct enum_desc);
	struct enum_value *values = arena_array(&r->arena, struct enum_value, t->n_labels);

	for (int i = 0; i < t->n_labels; i++)
		if (t->labels[i].range.low == t->labels[i].range.high)
			values[en->n++] = (struct enum_value){ t->labels[i].name,
							       (int64_t)t->labels[i].range.low };
	en->name = "";
	en->values = values;
	vec_push(&r->arena, &r->enums, en);
	return en;
}

/* A label has a range of bits: it is the name of all of them and of each. */
static const struct enum_desc *make_flags(struct recorded *r, const struct ctf_type *t)
{
	struct enum_desc *en = arena_new(&r->arena, struct enum_desc);
	VEC(struct enum_value) list = { 0 };

	for (int i = 0; i < t->n_labels; i++) {
		const char *name = t->labels[i].name;
		uint64_t low = t->labels[i].range.low, high = t->labels[i].range.high;

		high = high < 63 ? high : 63;
		for (uint64_t bit = low; bit <= high && list.n < FLAGS_MOST; bit++) {
			uint64_t all = (~0ull >> (63 - high)) & (~0ull << low);

			if (bit == low)
				vec_push(&r->arena, &list, ((struct enum_value){ name, (int64_t)all }));
			if (low < high)
				vec_push(&r->arena, &list, ((struct enum_value){ name, (int64_t)(1ull << bit) }));
		}
	}
	*en = (struct enum_desc){ .name = "", .values = list.v, .n = list.n };
	vec_push(&r->arena, &r->enums, en);
	return en;
}

static uint8_t int_bytes(uint32_t bits)
{
	return !bits || bits > 32 ? 8 : bits > 16 ? 4 : bits > 8 ? 2 : 1;
}

/* False: what the language has no values for (a structure, an array). */
bool rec_type(struct recorded *r, const struct ctf_type *t, const char *name, struct type *to)
{
	if (t->kind == CTF_TEXT) {
		bool is_comm = !t->until_zero && t->count == RECORD_COMM_BYTES &&
			t->encoding == CTF_UTF8;

		*to = (struct type){ .kind = TY_STRING,
				     .bytes = is_comm ? RECORD_COMM_BYTES : STRING_BYTES };
		return true;
	}
	if (t->kind != CTF_UINT && t->kind != CTF_SINT)
		return false;
	*to = (struct type){ .kind = TY_INT, .is_signed = t->kind == CTF_SINT,
			     .size = int_bytes(t->bits) };
	if (t->is_bool) {
		to->kind = TY_BOOL;
		return true;
	}
	if (t->n_labels) {
		to->kind = t->is_flags ? TY_FLAGS : TY_ENUM;
		to->en = t->is_flags ? make_flags(r, t) : make_enum(r, t);
		return true;
	}
	if (t->base == 16 && t->bits == 64 && t->kind == CTF_UINT)
		to->kind = TY_PTR;
	for (int i = 0; i < ROWS(meaning_rows); i++)
		if (str_glob(str_of(meaning_rows[i].name), str_of(name))) {
			to->kind = meaning_rows[i].kind;
			break;
		}
	return true;
}

/* ---- events ---- */

const struct ctf_type *rec_find(const struct rec_name *n, const char *field, uint8_t *scope)
{
	static const uint8_t scopes[] = { CTF_PAYLOAD, CTF_EVENT_CONTEXT, CTF_STREAM_CONTEXT };

	for (size_t s = 0; s < sizeof(scopes); s++)
		for (int i = 0; i < n->classes.n; i++) {
			const struct ctf_type *t = ctf_field(n->classes.v[i], scopes[s], field);

			*scope = scopes[s];
			if (t)
				return t;
		}
	return NULL;
}

static bool has_field(const struct rec_form *f, const char *name)
{
	for (int i = 0; i < f->fields.n; i++)
		if (!strcmp(f->fields.v[i].name, name))
			return true;
	return false;
}

static void add_field(struct recorded *r, struct rec_form *f, const char *name, struct type type,
		      struct rec_field from)
{
	struct cat_field field = { .name = name, .type = type, .loc = LOC_RECORD,
				   .index = (uint8_t)f->fields.n, .size = type.size };

	if (f->fields.n >= RECORD_FIELDS_MOST || has_field(f, name))
		return;
	from.word = field.index;
	vec_push(&r->arena, &f->fields, field);
	vec_push(&r->arena, &f->from, from);
}

bool rec_field_row(int i, struct rec_field_row *row)
{
	int member = i - ROWS(field_rows), task = member / ROWS(member_rows);

	if (member < 0) {
		*row = field_rows[i];
		return true;
	}
	if (task >= ROWS(task_rows))
		return false;
	member %= ROWS(member_rows);
	*row = (struct rec_field_row){ .kind = member_rows[member].kind,
				       .how = member_rows[member].how };
	strcpy(row->system, task_rows[task].system);
	strcpy(row->event, task_rows[task].event);
	strcpy(row->from, task_rows[task].tid);
	snprintf(row->field, sizeof(row->field), "%s.%s", task_rows[task].argument,
		 member_rows[member].name);
	return true;
}

bool rec_row_applies(struct recorded *r, const struct rec_form *f, const struct rec_field_row *row,
		     struct rec_field *from, struct type *type)
{
	const struct ctf_type *t;

	*from = (struct rec_field){ .how = row->how };
	if (!f->live || strcmp(row->system, f->cat.system) ||
	    !str_glob(str_of(row->event), str_of(f->cat.name)) || !rec_how_is_known(r, row->how))
		return false;
	t = rec_find(f->of, row->from, &from->scope);
	if (!t || from->scope != CTF_PAYLOAD || !rec_type(r, t, row->field, type))
		return false;
	from->from = arena_strdup(&r->arena, row->from);
	if (row->kind == TY_STRING && type->kind != TY_STRING)
		*type = (struct type){ .kind = TY_STRING,
				       .bytes = row->how == HOW_NAME || row->how == HOW_LEADER_NAME
						? RECORD_COMM_BYTES : STRING_BYTES };
	type->kind = row->kind;
	if (row->how == HOW_START || row->how == HOW_EXIT_CODE)
		*type = type_uint;
	if (row->how == HOW_STATE)
		*type = type_task_state;
	return true;
}

/* The live names of its fields. */
static void add_live_fields(struct recorded *r, struct rec_form *f)
{
	for (int i = 0; i < ROWS(field_rows); i++) {
		const struct rec_field_row *row = &field_rows[i];
		struct rec_field from;
		struct type type;

		if (!strchr(row->field, '.') && rec_row_applies(r, f, row, &from, &type))
			add_field(r, f, row->field, type, from);
	}
}

/* In the live form what was renamed is there by its live name only, and a number of a
 * thread or process that the live event does not have is not there. */
static bool is_hidden(const struct rec_form *f, const char *name)
{
	static const char *const numbers[] = { "tid", "pid", "ppid" };

	for (size_t i = 0; f->live && i < sizeof(numbers) / sizeof(*numbers); i++)
		if (!strcmp(name, numbers[i]))
			return true;
	for (int i = 0; f->live && i < f->from.n; i++)
		if (f->from.v[i].how == HOW_AS_IS && !strcmp(f->from.v[i].from, name) &&
		    strcmp(f->fields.v[i].name, name))
			return true;
	return false;
}

static void add_scope(struct recorded *r, struct rec_form *f, const struct ctf_class *c,
		      enum ctf_scope scope)
{
	const struct ctf_type *t = c->scopes[scope];

	for (int i = 0; t && i < t->n_members; i++) {
		const char *name = t->members[i].name;
		struct type type;

		if (t->members[i].type->hidden || is_hidden(f, name) ||
		    (scope != CTF_PAYLOAD && plain_common(NULL, str_of(name))) ||
		    !rec_type(r, ctf_present(t->members[i].type), name, &type))
			continue;
		add_field(r, f, name, type, (struct rec_field){ .from = name,
								.scope = (uint8_t)scope });
	}
}

void rec_form_build(struct recorded *r, struct rec_form *f)
{
	if (f->is_built)
		return;
	f->is_built = true;
	if (f->live)
		add_live_fields(r, f);
	for (int i = 0; i < f->of->classes.n; i++)
		add_scope(r, f, f->of->classes.v[i], CTF_PAYLOAD);
	for (int i = 0; i < f->of->classes.n; i++) {
		add_scope(r, f, f->of->classes.v[i], CTF_EVENT_CONTEXT);
		add_scope(r, f, f->of->classes.v[i], CTF_STREAM_CONTEXT);
	}
	f->cat.fields = f->fields.v;
	f->cat.n_fields = f->fields.n;
}

/* ---- system calls ---- */

/* What "const char *filename" says of a value that was recorded as t. */
static bool param_type(struct recorded *r, const struct ctf_type *t, struct str declared,
		       const char *name, struct type *to)
{
	if (t->kind == CTF_TEXT) {
		*to = (struct type){ .kind = TY_PTR, .size = 8, .user = true,
				     .ktype = PLAIN_CHAR_TYPE };
		return true;
	}
	if (!rec_type(r, t, name, to))
		return false;
	if (declared.n && memchr(declared.p, '*', (size_t)declared.n)) {
		*to = (struct type){ .kind = TY_PTR, .size = 8, .user = true };
		return true;
	}
	for (int i = 0; i < ROWS(typedef_rows); i++)
		if (str_is(declared, typedef_rows[i].name))
			to->kind = typedef_rows[i].kind;
	/* A descriptor is recorded without its sign. */
	if (str_is(declared, "int") && to->kind == TY_INT) {
		to->is_signed = true;
		to->size = to->size > 4 ? 4 : to->size;
	}
	return true;
}

/* Cuts "const char *filename" off the list: "const char *" and the name. */
static struct str next_param(struct str *list, struct str *type)
{
	int end = 0, name;
	struct str one;

	while (end < list->n && list->p[end] != ',')
		end++;
	one = str_sub(*list, 0, end);
	*list = str_sub(*list, end < list->n ? end + 2 : end, -1);
	for (name = one.n; name > 0 && one.p[name - 1] != ' ' && one.p[name - 1] != '*';)
		name--;
	*type = str_sub(one, 0, name);
	while (type->n && type->p[type->n - 1] == ' ')
		type->n--;
	return str_sub(one, name, -1);
}

const struct ctf_type *rec_call_field(const struct rec_call *c, const char *name, bool *of_return)
{
	const struct ctf_type *t = c->enter ? ctf_field(c->enter, CTF_PAYLOAD, name) : NULL;

	*of_return = !t;
	return t || !c->exit ? t : ctf_field(c->exit, CTF_PAYLOAD, name);
}

static void add_param(struct recorded *r, struct rec_call *c, const char *name, const char *from,
		      struct str declared, int index)
{
	bool of_return;
	const struct ctf_type *t = rec_call_field(c, from, &of_return);
	struct cat_field f = { .name = name, .loc = LOC_RECORD,
			       .index = (uint8_t)(RECORD_SYSARG + index) };

	for (int i = 0; i < c->params.n; i++)
		if (!strcmp(c->params.v[i].name, name) || c->params.v[i].index == f.index)
			return;
	if (!t || (of_return && !strcmp(from, "ret")) || index >= 6 || !param_type(r, t, declared, name, &f.type))
		return;
	f.size = f.type.size;
	f.of_return = of_return;
	vec_push(&r->arena, &c->params, f);
	vec_push(&r->arena, &c->from, ((struct rec_field){ .from = from,
		.scope = CTF_PAYLOAD, .word = f.index }));
}

/* The kernel's parameters at their places, then what LTTng has besides where one is free. */
void rec_call_build(struct recorded *r, struct rec_call *c)
{
	const struct call_row *row = call_row_find(str_of(c->cat.name));
	struct str list = str_of(row ? row->params : ""), type, name;
	const struct ctf_type *t = c->enter ? c->enter->scopes[CTF_PAYLOAD] : NULL;

	if (c->is_built)
		return;
	c->is_built = true;
	for (int i = 0; list.n; i++) {
		const char *own, *from;

		name = next_param(&list, &type);
		own = from = arena_strndup(&r->arena, name.p, (size_t)name.n);
		for (int k = 0; k < ROWS(param_rows); k++)
			if (!strcmp(param_rows[k].call, c->cat.name) &&
			    !strcmp(param_rows[k].param, own))
				from = param_rows[k].from;
		add_param(r, c, own, from, type, i);
	}
	for (int i = 0; t && i < t->n_members; i++)
		for (int index = 0; index < 6; index++)
			add_param(r, c, t->members[i].name, t->members[i].name,
				  (struct str){ 0 }, index);
	c->cat.params = c->params.v;
	c->cat.n_params = c->params.n;
}

static struct rec_call *call_named(struct recorded *r, struct str name)
{
	void **slot = map_put_str(&r->arena, &r->calls, name);
	const struct call_row *row = call_row_find(name);
	struct rec_call *c = *slot;
	int nr;

	if (c)
		return c;
	nr = call_number(name, &r->free_nr);
	if (nr < 0 || r->by_number[nr])
		return NULL;
	c = arena_new(&r->arena, struct rec_call);
	c->cat.nr = nr;
	c->cat.name = row ? row->name : arena_strndup(&r->arena, name.p, (size_t)name.n);
	c->cat.facts = row ? row->facts : 0;
	r->by_number[nr] = c;
	*slot = c;
	if (row)
		*map_put_str(&r->arena, &r->calls, str_of(row->name)) = c;
	vec_push(&r->arena, &r->call_names, c->cat.name);
	return c;
}

static void name_call(struct recorded *r, struct ctf_class *class, struct rec_class *c)
{
	static const struct {
		const char *prefix;
		enum rec_end end;
	} rows[] = { { "syscall_entry_", CALL_ENTERS }, { "syscall_exit_", CALL_RETURNS } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct str name = str_of(class->name);

		if (!str_has_prefix(name, rows[i].prefix))
			continue;
		name = str_sub(name, (int)strlen(rows[i].prefix), -1);
		if (str_is(name, "unknown")) {
			r->has_unknown = true;
			c->end = (uint8_t)rows[i].end;
			return;
		}
		c->call = call_named(r, name);
		if (!c->call)
			return;
		c->end = (uint8_t)rows[i].end;
		if (rows[i].end == CALL_ENTERS)
			c->call->enter = class;
		else
			c->call->exit = class;
	}
}

/* ---- names ---- */

/* "sched_*" and "sched_switch": what stands for the star; n < 0: it does not match. */
static struct str star_of(const char *pattern, struct str text)
{
	struct str p = str_of(pattern);

	if (p.n && p.p[p.n - 1] == '*') {
		p.n--;
		if (text.n >= p.n && !memcmp(text.p, p.p, (size_t)p.n))
			return str_sub(text, p.n, -1);
	} else if (str_eq(p, text)) {
		return (struct str){ "", 0 };
	}
	return (struct str){ "", -1 };
}

static void add_live_name(struct recorded *r, struct rec_name *n)
{
	for (int i = 0; i < ROWS(live_rows); i++) {
		const struct live_row *row = &live_rows[i];
		struct str star = star_of(row->trace, str_of(n->name));
		int fixed = (int)strcspn(row->live, "*");
		const struct event_fact *fact;
		struct rec_form *f;

		if (star.n < 0)
			continue;
		f = arena_new(&r->arena, struct rec_form);
		f->of = n;
		f->live = true;
		f->cat.system = row->system;
		f->cat.name = arena_printf(&r->arena, "%.*s%.*s", fixed, row->live, STR_ARG(star));
		fact = event_fact(str_of(f->cat.system), str_of(f->cat.name));
		f->cat.interrupt = fact && fact->interrupt;
		f->cat.owner = fact ? fact->owner : NULL;
		f->cat.owner_runs = fact && fact->owner_runs;
		f->full = arena_printf(&r->arena, "%s:%s", f->cat.system, f->cat.name);
		vec_push(&r->arena, &n->live, f);
		*map_put_str(&r->arena, &r->live, str_of(f->full)) = f;
		vec_push(&r->arena, &r->live_names, f->full);
		return;
	}
}

struct rec_form *rec_own_form(struct recorded *r, struct rec_name *n)
{
	if (n->own)
		return n->own;
	n->own = arena_new(&r->arena, struct rec_form);
	n->own->of = n;
	/* With the provider of a user-space event: two have events of one name. */
	n->own->cat.name = n->name;
	n->own->cat.system = "";
	return n->own;
}

static struct rec_name *name_of(struct recorded *r, const struct ctf_class *class)
{
	void **slot = map_put_str(&r->arena, &r->names, str_of(class->name));
	struct rec_name *n = *slot;

	if (n)
		return n;
	*slot = n = arena_new(&r->arena, struct rec_name);
	n->name = class->name;
	vec_push(&r->arena, &r->own_names, n->name);
	add_live_name(r, n);
	return n;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void rec_names_make(struct recorded *r)
{
	r->free_nr = SYSCALL_MOST - 1;
	for (int i = 0; i < r->trace->n_classes; i++) {
		struct ctf_class *class = r->trace->classes[i];
		struct rec_class *c = &r->classes[class->number];
		const char *domain = ctf_env(class->trace, "domain");

		c->name = name_of(r, class);
		vec_push(&r->arena, &c->name->classes, class);
		c->is_kernel = !domain || !strcmp(domain, "kernel");
		c->process = i && r->trace->classes[i - 1]->trace == class->trace ?
			r->classes[r->trace->classes[i - 1]->number].process :
			rec_process_of(r, class->trace);
		name_call(r, class, c);
	}
	for (int i = 0; r->has_unknown && call_row_at(i); i++)
		call_named(r, str_of(call_row_at(i)->name));
	if (r->own_names.n)
		qsort(r->own_names.v, (size_t)r->own_names.n, sizeof(char *), compare_names);
	if (r->live_names.n)
		qsort(r->live_names.v, (size_t)r->live_names.n, sizeof(char *), compare_names);
	if (r->call_names.n)
		qsort(r->call_names.v, (size_t)r->call_names.n, sizeof(char *), compare_names);
}
