/*
 * Functions of the running kernel in the catalog.
 *
 * What can be traced is the list that ftrace keeps (available_filter_functions), read
 * when the first function is named; without tracefs it is what kallsyms calls text, and
 * then attaching says what cannot be traced. Names of parameters are BTF's.
 *
 * The compiler makes changed copies of a function: f.isra.0, f.constprop.0, f.part.0.
 * They are found under the plain name f, and their parameters are not told.
 */
#include "kern/catalog/impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PARAMS_MOST 6			/* in registers */
#define FENTRY_PARAMS_MOST 12		/* MAX_BPF_FUNC_ARGS */
#define BTF_INDEX_FROM 8		/* functions of one source: look names up in an index */

/* ---- lists ---- */

void catalog_read_file(const char *path, struct buf *out)
{
	char chunk[65536];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = 1;

	while (fd >= 0 && n > 0) {
		n = read(fd, chunk, sizeof(chunk));
		if (n > 0)
			buf_add(out, chunk, (size_t)n);
		else if (n < 0 && errno == EINTR)
			n = 1;
	}
	if (fd >= 0)
		close(fd);
}

/* "f.isra.0.cold" -> "f"; names of data and of other kinds of copies stay. */
static struct str plain_name(struct str name)
{
	static const char *const copies[] = { ".isra.", ".constprop.", ".part.", ".llvm." };
	const char *dot = memchr(name.p, '.', (size_t)name.n);

	for (size_t i = 0; dot && i < sizeof(copies) / sizeof(copies[0]); i++)
		if (str_has_prefix(str_sub(name, (int)(dot - name.p), -1), copies[i]))
			return str_sub(name, 0, (int)(dot - name.p));
	return name;
}

static struct str word(const char **p, const char *end)
{
	const char *from;

	while (*p < end && (unsigned char)**p <= ' ')
		++*p;
	for (from = *p; *p < end && (unsigned char)**p > ' ';)
		++*p;
	return (struct str){ from, (int)(*p - from) };
}

/* "name" or "name [module]" */
static void each_line(struct str line, bool kallsyms, catalog_symbol_fn *each, void *arg)
{
	const char *p = line.p, *end = line.p + line.n;
	struct symbol s = { 0 };

	if (kallsyms) {
		struct str type;

		s.address = word(&p, end);
		type = word(&p, end);
		if (type.n != 1 || !strchr("tTwW", type.p[0]))
			return;
	}
	s.name = word(&p, end);
	s.module = word(&p, end);
	if (s.module.n > 2 && s.module.p[0] == '[')
		s.module = str_sub(s.module, 1, s.module.n - 2);
	else
		s.module.n = 0;
	if (!s.name.n || str_has_prefix(s.name, "__ftrace_invalid_address"))
		return;
	s.plain = plain_name(s.name);
	each(arg, &s);
}

static const char *line_of(const struct buf *list, const char *at)
{
	while (at > list->p && at[-1] != '\n')
		at--;
	return at;
}

/* Only lines in which a word begins so are taken apart. There are 60,000 that can be traced, and
 * 200,000 in all. */
void catalog_each_symbol(const struct buf *list, bool kallsyms, struct str begins,
			 catalog_symbol_fn *each, void *arg)
{
	const char *p = list->p, *end = list->p + list->n, *at;

	while (p && p < end &&
	       (at = begins.n ? memmem(p, (size_t)(end - p), begins.p, (size_t)begins.n) : p)) {
		const char *line = line_of(list, at);
		const char *nl = memchr(at, '\n', (size_t)(end - at));
		const char *stop = nl ? nl : end;

		p = at + 1;
		if (at > line && (unsigned char)at[-1] > ' ')
			continue;	/* within a word */
		each_line((struct str){ line, (int)(stop - line) }, kallsyms, each, arg);
		p = stop + 1;
	}
}

struct str catalog_begin_of(struct str glob)
{
	int n = 0;

	while (n < glob.n && !strchr("*?[\\", glob.p[n]))
		n++;
	return str_sub(glob, 0, n);
}

void catalog_traceable(struct kernel_catalog *kc)
{
	char path[128];

	if (kc->functions_read)
		return;
	kc->functions_read = true;
	if (kc->tracefs) {
		snprintf(path, sizeof(path), "%s/available_filter_functions", kc->tracefs);
		catalog_read_file(path, &kc->functions_text);
	}
	kc->functions_kallsyms = !kc->functions_text.n;
	if (kc->functions_kallsyms)
		catalog_read_file("/proc/kallsyms", &kc->functions_text);
}

const struct buf *catalog_kallsyms(struct kernel_catalog *kc)
{
	if (kc->functions_kallsyms)
		return &kc->functions_text;
	if (!kc->kallsyms_text.n)
		catalog_read_file("/proc/kallsyms", &kc->kallsyms_text);
	return &kc->kallsyms_text;
}

/* 0: not told. */
static uint64_t address_of(const struct symbol *s)
{
	return s->address.n ? strtoull(s->address.p, NULL, 16) : 0;
}

/* ---- one function ---- */

struct indexing {
	struct kernel_catalog *kc;
	struct map *index;
};

static void index_add(void *arg, const char *name, uint32_t ktype)
{
	struct indexing *i = arg;
	void **slot = map_put_str(&i->kc->arena, i->index, str_of(name));

	if (!*slot)
		*slot = (void *)(uintptr_t)ktype;
}

/* Names of the functions in one BTF -> their numbers; made when first asked for. */
static const struct map *btf_index(struct kernel_catalog *kc, struct ktypes *k, struct str module)
{
	void **slot = map_put_str(&kc->arena, &kc->btf_functions, module);
	struct indexing i = { kc, *slot };

	if (!i.index) {
		i.index = arena_new(&kc->arena, struct map);
		*slot = i.index;
		ktype_each_function(k, module.n ? arena_strndup(&kc->arena, module.p,
								(size_t)module.n) : NULL,
				    index_add, &i);
	}
	return i.index;
}

static uint32_t btf_of(struct kernel_catalog *kc, const struct symbol *s, bool many)
{
	struct ktypes *k = features_types(kc->features);

	if (!k)
		return 0;
	if (!s->module.n && !many)
		return ktype_function(k, s->name);
	return (uint32_t)(uintptr_t)map_get_str(btf_index(kc, k, s->module), s->name);
}

bool catalog_in_register(const struct type *t)
{
	return type_is_word(t) && t->kind != TY_STRUCT && t->kind != TY_ARRAY;
}

static struct cat_field *add_return(struct kernel_catalog *kc, int index, const struct type *t)
{
	struct cat_field *f = arena_new(&kc->arena, struct cat_field);

	*f = (struct cat_field){ .name = "ret", .loc = LOC_FUNCRET, .index = (uint8_t)index,
				 .type = *t };
	return f;
}

/* gcc leaves __user out of BTF. */
static struct type of_caller(struct type t)
{
	t.maybe_user = t.kind == TY_PTR && !t.user;
	return t;
}

static bool add_signature(struct kernel_catalog *kc, uint32_t btf, struct cat_function *f)
{
	struct ktypes *k = features_types(kc->features);
	struct ktype_call call;
	struct cat_field *params;
	struct type t;
	uint32_t returns;
	bool whole = true;

	if (!btf || !ktype_signature(k, btf, &call, &returns))
		return false;
	params = arena_array(&kc->arena, struct cat_field, PARAMS_MOST);
	if (call.n_params > PARAMS_MOST)
		whole = call.n_params <= FENTRY_PARAMS_MOST &&
			feature_has(kc->features, FEATURE_FENTRY_STACK);
	for (int i = 0; i < call.n_params; i++) {
		if (!ktype_value_named(k, call.params[i].ktype, call.params[i].name, &t) ||
		    !catalog_in_register(&t)) {
			whole = false;
			break;
		}
		if (i < PARAMS_MOST)
			params[f->n_params++] = (struct cat_field){ .name = call.params[i].name,
				.loc = LOC_FUNCARG, .index = (uint8_t)i,
				.type = of_caller(t) };
	}
	f->params = params;
	if (!returns || !ktype_value(k, returns, &t))
		f->btf_id = whole ? call.id : 0;
	else if (catalog_in_register(&t)) {
		f->ret = add_return(kc, call.n_params, &t);
		f->btf_id = whole ? call.id : 0;
	}
	return true;
}

/* Not known by name: the registers. */
static void add_registers(struct kernel_catalog *kc, struct cat_function *f)
{
	struct cat_field *params = arena_array(&kc->arena, struct cat_field, PARAMS_MOST);

	for (int i = 0; i < PARAMS_MOST; i++)
		params[i] = (struct cat_field){ .name = arena_printf(&kc->arena, "arg%d", i),
			.loc = LOC_FUNCARG, .index = (uint8_t)i, .type = type_int };
	f->params = params;
	f->n_params = PARAMS_MOST;
	f->ret = add_return(kc, 0, &type_int);
}

static struct cat_function *function_of(struct kernel_catalog *kc, const struct symbol *s,
					bool many)
{
	uint64_t address = s->several ? address_of(s) : 0;
	char key[512];
	int n = snprintf(key, sizeof(key), "%.*s:%.*s:%llx", STR_ARG(s->module), STR_ARG(s->name),
			 (unsigned long long)address);
	void **slot = map_put(&kc->arena, &kc->functions, key,
			      n < (int)sizeof(key) ? n : (int)sizeof(key) - 1);
	struct cat_function *f = *slot;

	if (f)
		return f;
	*slot = f = arena_new(&kc->arena, struct cat_function);
	f->name = arena_strndup(&kc->arena, s->plain.p, (size_t)s->plain.n);
	f->symbol = arena_strndup(&kc->arena, s->name.p, (size_t)s->name.n);
	if (s->module.n)
		f->module = arena_strndup(&kc->arena, s->module.p, (size_t)s->module.n);
	if (s->plain.n != s->name.n || !add_signature(kc, btf_of(kc, s, many), f))
		add_registers(kc, f);
	f->address = address;
	if (s->several || (f->module && !feature_has(kc->features, FEATURE_CAP_ADMIN)))
		f->btf_id = 0;		/* fentry goes by the name, and by the module's BTF */
	return f;
}

/* ---- the operations ---- */

struct match {
	struct kernel_catalog *kc;
	struct str module, glob;
	symbol_list found;
	struct map names;		/* symbol -> how many have it, in whatever module */
};

static void match_symbol(void *arg, const struct symbol *s)
{
	struct match *m = arg;
	void **count;

	if (!str_glob(m->glob, s->plain) && !str_glob(m->glob, s->name))
		return;
	count = map_put_str(&m->kc->arena, &m->names, s->name);
	*count = (void *)((uintptr_t)*count + 1);
	if (!m->module.n || str_glob(m->module, s->module))
		vec_push(&m->kc->arena, &m->found, *s);
}

/* ---- several of one name ---- */

struct twins {
	const struct match *m;
	struct map wanted;
	symbol_list found;
};

static void add_twin(void *arg, const struct symbol *s)
{
	struct twins *t = arg;
	struct symbol twin = *s;

	if (!map_get_str(&t->wanted, s->name) || !address_of(s) ||
	    (t->m->module.n && !str_glob(t->m->module, s->module)))
		return;
	twin.several = true;
	vec_push(&t->m->kc->arena, &t->found, twin);
}

/* Functions of several files can have one name: each goes by its address, where these are
 * told, else the name stands for one of them. */
static void tell_apart(struct match *m)
{
	struct kernel_catalog *kc = m->kc;
	struct twins t = { .m = m };
	int n = 0;

	for (int i = 0; i < m->found.n; i++)
		if ((uintptr_t)map_get_str(&m->names, m->found.v[i].name) > 1)
			*map_put_str(&kc->arena, &t.wanted, m->found.v[i].name) = m;
	if (!t.wanted.n)
		return;
	catalog_each_symbol(catalog_kallsyms(kc), true, catalog_begin_of(m->glob), add_twin, &t);
	for (int i = 0; i < m->found.n; i++)
		if (!t.found.n || !map_get_str(&t.wanted, m->found.v[i].name))
			m->found.v[n++] = m->found.v[i];
	m->found.n = n;
	for (int i = 0; i < t.found.n; i++)
		vec_push(&kc->arena, &m->found, t.found.v[i]);
}

/* ---- a second name of the same place ---- */

struct alias {
	struct match *m;
	struct symbol asked;
	bool traceable;
};

static void alias_asked(void *arg, const struct symbol *s)
{
	struct alias *a = arg;

	if (!a->asked.name.n && str_eq(s->name, a->m->glob) &&
	    (!a->m->module.n || str_eq(s->module, a->m->module)))
		a->asked = *s;
}

void catalog_in_list(void *arg, const struct symbol *s)
{
	void **names = arg;
	struct symbol *wanted = names[0];

	if (str_eq(s->name, wanted->name) && str_eq(s->module, wanted->module))
		names[1] = wanted;
}

static void alias_other(void *arg, const struct symbol *s)
{
	struct alias *a = arg;
	struct symbol other = *s;
	void *found[2] = { &other, NULL };

	if (a->traceable || !str_eq(s->address, a->asked.address))
		return;
	catalog_each_symbol(&a->m->kc->functions_text, false, other.name, catalog_in_list, found);
	a->traceable = found[1];
}

/* ftrace's list has one name for each place: system calls have others there. */
static void find_alias(struct match *m)
{
	struct alias a = { .m = m };
	const struct buf *all;

	if (m->kc->functions_kallsyms || str_is_glob(m->glob))
		return;
	all = catalog_kallsyms(m->kc);
	catalog_each_symbol(all, true, m->glob, alias_asked, &a);
	if (!a.asked.name.n || !memchr("123456789abcdef", a.asked.address.p[0], 15))
		return;
	catalog_each_symbol(all, true, a.asked.address, alias_other, &a);
	if (a.traceable)
		vec_push(&m->kc->arena, &m->found, a.asked);
}

static int by_name(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;
	int n = x->name.n < y->name.n ? x->name.n : y->name.n;
	int d = memcmp(x->name.p, y->name.p, (size_t)n);

	d = d ? d : x->name.n - y->name.n;
	n = x->module.n < y->module.n ? x->module.n : y->module.n;
	d = d || !n ? d : memcmp(x->module.p, y->module.p, (size_t)n);
	return d ? d : x->module.n - y->module.n;
}

void catalog_functions(void *self, struct str module, struct str glob,
		       void (*each)(void *arg, const struct cat_function *f), void *arg)
{
	struct match m = { .kc = self, .module = module, .glob = glob };
	struct cat_function *f = NULL, *last = NULL;

	catalog_traceable(m.kc);
	catalog_each_symbol(&m.kc->functions_text, m.kc->functions_kallsyms, catalog_begin_of(glob), match_symbol, &m);
	if (!m.found.n)
		find_alias(&m);
	tell_apart(&m);
	if (m.found.n)
		qsort(m.found.v, (size_t)m.found.n, sizeof(*m.found.v), by_name);
	/* of several with one name, not told apart, the kernel attaches to one only */
	for (int i = 0; i <= m.found.n; i++) {
		f = i < m.found.n ? function_of(m.kc, &m.found.v[i], m.found.n >= BTF_INDEX_FROM) : NULL;
		if (last && f != last)
			each(arg, last);
		if (f)
			f->stands_for = f == last ? f->stands_for + 1 : 1;
		last = f;
	}
}
