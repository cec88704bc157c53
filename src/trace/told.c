/*
 * told: expressions that live follow pointers, as words of a record: by the rows
 * of lttng.def, or what is inside of a recorded structure. A word is given when somebody
 * asks; of system calls one to all calls, because what several calls are asked
 * together is one program.
 */
#include "trace/impl.h"

static const struct call_row {
	const char *begin, *end;
	uint8_t kind, how;
} call_rows[] = {
#define CALL(begin_, end_, kind_, how_) { begin_, end_, TY_##kind_, how_ },
#include "trace/lttng.def"
};

#define STRING_BYTES 128

static struct cat_field *new_field(struct recorded *r, struct str text, struct type type,
				   uint8_t word)
{
	struct cat_field *f = arena_new(&r->arena, struct cat_field);

	*f = (struct cat_field){ .name = arena_strndup(&r->arena, text.p, (size_t)text.n),
				 .type = type, .loc = LOC_RECORD, .index = word,
				 .size = type.size };
	return f;
}

/* ---- of events ---- */

static bool find_row(struct recorded *r, const struct rec_form *f, struct str text,
		     struct rec_field *from, struct type *type)
{
	struct rec_field_row row;

	for (int i = 0; rec_field_row(i, &row); i++)
		if (str_is(text, row.field) && rec_row_applies(r, f, &row, from, type))
			return true;
	return false;
}

/* A member of a recorded structure. */
static bool find_member(struct recorded *r, const struct rec_form *f, const char *text,
			struct rec_field *from, struct type *type)
{
	const struct ctf_type *t = rec_find(f->of, text, &from->scope);

	from->from = text;
	from->how = HOW_AS_IS;
	return t && rec_type(r, t, strrchr(text, '.') ? strrchr(text, '.') + 1 : text, type);
}

/* Not one of those that all system calls have together. */
static bool is_form(const struct recorded *r, const struct cat_event *event)
{
	return event && event != &r->enter && event != &r->exit && event->kind == CAT_TRACEPOINT;
}

static struct rec_form *form_of(const struct cat_event *event)
{
	return (struct rec_form *)((char *)event - offsetof(struct rec_form, cat));
}

static const struct cat_field *tell_form(struct recorded *r, struct rec_form *f, struct str text)
{
	const char *name = arena_strndup(&r->arena, text.p, (size_t)text.n);
	struct rec_field from = { 0 };
	struct type type = { 0 };

	for (int i = 0; i < f->told.n; i++)
		if (str_is(text, f->told.v[i]->name))
			return f->told.v[i];
	if (f->from.n >= RECORD_FIELDS_MOST || (!find_row(r, f, text, &from, &type) &&
						!find_member(r, f, name, &from, &type)))
		return NULL;
	from.word = (uint8_t)f->from.n;
	vec_push(&r->arena, &f->from, from);
	vec_push(&r->arena, &f->told, new_field(r, text, type, from.word));
	return vec_last(&f->told);
}

/* ---- of system calls ---- */

/* "path(file(fd))": the row, and "fd". */
static const struct call_row *call_row_of(struct str text, struct str *inside)
{
	for (size_t i = 0; i < sizeof(call_rows) / sizeof(*call_rows); i++) {
		int begin = (int)strlen(call_rows[i].begin), end = (int)strlen(call_rows[i].end);

		*inside = str_sub(text, begin, text.n - begin - end);
		if (text.n > begin + end && !memcmp(text.p, call_rows[i].begin, (size_t)begin) &&
		    !memcmp(text.p + text.n - end, call_rows[i].end, (size_t)end))
			return &call_rows[i];
	}
	return NULL;
}

static bool find_in_call(struct recorded *r, struct rec_call *c, struct str text,
			 struct rec_field *from, struct type *type, bool *of_return)
{
	struct str inside;
	const struct call_row *row = call_row_of(text, &inside);
	const struct ctf_type *t;

	if (!row)
		inside = text;
	*from = (struct rec_field){ .from = arena_strndup(&r->arena, inside.p, (size_t)inside.n),
				    .scope = CTF_PAYLOAD, .how = row ? row->how : HOW_AS_IS };
	for (int i = 0; row && i < c->params.n; i++)	/* the parameter's name in the trace */
		if (str_is(inside, c->params.v[i].name))
			from->from = c->from.v[i].from;
	t = rec_call_field(c, from->from, of_return);
	if (!t || !rec_type(r, t, from->from, type) || (row && type->kind == TY_STRING))
		return false;
	if (row)
		*type = (struct type){ .kind = row->kind, .bytes = STRING_BYTES };
	return true;
}

/* The word of the expression, a new one when it is asked first; -1: there is none left. */
static int call_word(struct recorded *r, struct str text)
{
	int word = RECORD_SYSRET + 1 + r->call_told.n;

	for (int i = 0; i < r->call_told.n; i++)
		if (str_is(text, r->call_told.v[i].text))
			return r->call_told.v[i].word;
	if (word >= RECORD_FIELDS_MOST)
		return -1;
	vec_push(&r->arena, &r->call_told, ((struct rec_told){
		arena_strndup(&r->arena, text.p, (size_t)text.n), (uint8_t)word }));
	return word;
}

static const struct cat_field *tell_call(struct recorded *r, struct rec_call *c, struct str text)
{
	struct rec_field from;
	struct cat_field *f;
	struct type type;
	bool of_return;
	int word;

	for (int i = 0; i < c->told.n; i++)
		if (str_is(text, c->told.v[i]->name))
			return c->told.v[i];
	if (!find_in_call(r, c, text, &from, &type, &of_return))
		return NULL;
	word = call_word(r, text);
	if (word < 0)
		return NULL;
	f = new_field(r, text, type, (uint8_t)word);
	f->of_return = of_return;
	vec_push(&r->arena, &c->told, f);
	return f;
}

void rec_call_tell(struct recorded *r, struct rec_call *c)
{
	for (int i = 0; i < r->call_told.n; i++) {
		const struct rec_told *told = &r->call_told.v[i];
		struct rec_field from;
		struct type type;
		bool has = false, of_return;

		for (int k = 0; k < c->from.n; k++)
			has |= c->from.v[k].word == told->word;
		if (has || !find_in_call(r, c, str_of(told->text), &from, &type, &of_return))
			continue;
		from.word = told->word;
		vec_push(&r->arena, &c->from, from);
	}
}

/* ---- the catalog's questions ---- */

const struct cat_field *rec_told(void *self, const struct cat_event *event,
				 const struct cat_syscall *call, struct str text)
{
	struct recorded *r = self;

	if (call)
		return tell_call(r, (struct rec_call *)((char *)call -
							offsetof(struct rec_call, cat)), text);
	return is_form(r, event) ? tell_form(r, form_of(event), text) : NULL;
}

const char *rec_valueless(void *self, const struct cat_event *event,
			  const struct cat_syscall *call, struct str text)
{
	static const char *const kinds[CTF_KINDS] = {
		[CTF_REAL] = "a floating-point number", [CTF_BLOB] = "a row of bytes",
		[CTF_ARRAY] = "an array", [CTF_STRUCT] = "a structure", [CTF_VARIANT] = "a variant",
	};
	struct recorded *r = self;
	const char *name = arena_strndup(&r->arena, text.p, (size_t)text.n);
	const struct ctf_type *t = NULL;
	bool of_return;
	uint8_t scope;

	if (call)
		t = rec_call_field((const struct rec_call *)((const char *)call -
						offsetof(struct rec_call, cat)), name, &of_return);
	else if (is_form(r, event))
		t = rec_find(form_of(event)->of, name, &scope);
	return t ? kinds[t->kind] : NULL;
}

struct listing {
	struct recorded *r;
	struct str begin;
	void (*each)(void *arg, const char *text);
	void *arg;
};

/* The leaves below t, whose own name is text. */
static void list_members(const struct listing *l, const struct ctf_type *t, const char *text)
{
	struct str name = str_of(text);
	struct type type;

	t = ctf_present(t);
	for (int i = 0; i < t->n_members; i++)
		list_members(l, t->members[i].type,
			     arena_printf(&l->r->arena, "%s%s%s", text, *text ? "." : "",
					  t->members[i].name));
	if (name.n > l->begin.n && !memcmp(name.p, l->begin.p, (size_t)l->begin.n) &&
	    rec_type(l->r, t, text, &type))
		l->each(l->arg, text);
}

void rec_list_told(void *self, const struct cat_event *event, const struct cat_syscall *call,
		   struct str begin, void (*each)(void *arg, const char *text), void *arg)
{
	struct listing l = { self, begin, each, arg };
	struct rec_field_row row;
	const struct rec_form *f;

	if (call) {
		const struct rec_call *c = (const struct rec_call *)((const char *)call -
						offsetof(struct rec_call, cat));

		if (c->enter && c->enter->scopes[CTF_PAYLOAD])
			list_members(&l, c->enter->scopes[CTF_PAYLOAD], "");
		if (c->exit && c->exit->scopes[CTF_PAYLOAD])
			list_members(&l, c->exit->scopes[CTF_PAYLOAD], "");
		return;
	}
	if (!event || event->kind != CAT_TRACEPOINT)
		return;
	f = form_of(event);
	for (int i = 0; rec_field_row(i, &row); i++) {
		struct rec_field from;
		struct type type;

		if (!strncmp(row.field, begin.p, (size_t)begin.n) &&
		    rec_row_applies(l.r, f, &row, &from, &type))
			each(arg, row.field);
	}
	for (int i = 0; i < f->of->classes.n; i++)
		if (f->of->classes.v[i]->scopes[CTF_PAYLOAD])
			list_members(&l, f->of->classes.v[i]->scopes[CTF_PAYLOAD], "");
}
