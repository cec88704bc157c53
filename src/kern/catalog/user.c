/*
 * Functions and static probes of programs in the catalog: from the text to files
 * (program_file.c), from files to functions (elf_functions.c) or probes (usdt.c), and why there are none.
 *
 * Names and types of parameters are from the debug information (params.c).
 */
#include "kern/catalog/impl.h"
#include "user/elf_functions.h"
#include "user/probe_site.h"
#include "user/program_file.h"
#include "user/usdt.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/near.h"

#define CLASSES_MOST 3			/* that help names */
#define FUNCTIONS_MOST 20000		/* of one source */

struct left {
	const char *name, *why;
};

/* One look: what was found, or the sentence why not. */
struct look {
	struct kernel_catalog *kc;
	struct arena *arena;
	const struct cat_user *user;
	struct str name;
	VEC(struct cat_function) found;
	VEC(struct left) left;		/* that match and cannot be traced */
	const char *complaint, *help;
};

#define NO_CALL "is entered or left otherwise than by call and return"
#define ITS_CALLER "looks at the address that it returns to"

/*
 * A return probe writes an address of its own at the top of the stack. Functions that are
 * entered otherwise than by a call have no return address there, others keep or read it: the
 * probe would break the program. Why it would, or NULL.
 */
static const char *return_danger(const char *symbol)
{
	static const struct {
		const char *glob, *why;
	} rows[] = {
		{ "_start", NO_CALL }, { "_dl_start_user", NO_CALL }, { "__restore_rt", NO_CALL },
		{ "__start_context", NO_CALL }, { "_dl_runtime_*", NO_CALL }, { "*setjmp", NO_CALL },
		{ "*getcontext", NO_CALL }, { "*swapcontext", NO_CALL }, { "__morestack*", NO_CALL },
		/* walk their own stack */
		{ "_Unwind_*", NO_CALL }, { "uw_*", NO_CALL },
		/* RTLD_NEXT, $ORIGIN and namespaces are the caller's */
		{ "dlsym", ITS_CALLER }, { "dlvsym", ITS_CALLER }, { "dlopen", ITS_CALLER },
		{ "dlmopen", ITS_CALLER },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (str_glob(str_of(rows[i].glob), str_of(symbol)))
			return rows[i].why;
	return NULL;
}

/* Why a function is not traced. */
struct unfit {
	const char *why;		/* "begins with a LOCK prefix"; NULL: it is */
	const char *so;			/* what follows from that; NULL: nothing */
	bool enters;			/* its calls can be counted */
};

static struct unfit judge(const struct elf_function *f, bool returns)
{
	struct unfit u = { .so = "a probe there would break the program" };

	if (f->ifunc)
		return (struct unfit){ .why = "is not one function: which of several is used is chosen when "
						"the program starts (IFUNC)" };
	switch (probe_site_judge(f->code, &u.why)) {
	case PROBE_SITE_REFUSED:
		u.so = "the kernel takes no probe there";
		return u;
	case PROBE_SITE_MISREAD:
		return u;
	case PROBE_SITE_FINE:
		break;
	}
	return (struct unfit){ returns ? return_danger(f->name) : NULL,
			       "a probe on its return would break the program", true };
}

static void add_found(struct look *l, const struct program_file *t, struct elf_functions *u, elf_function_list *v,
		      bool returns)
{
	/* C++; Rust's panics, which usually end the thread or the program anyway, are not told */
	bool throws = returns && elf_functions_mentions(u, str_of("__cxa_throw"));
	int from = l->found.n, n = 0;
	struct stat file = { 0 };

	stat(t->path, &file);
	for (int i = 0; i < v->n; i++) {
		const struct elf_function *f = &v->v[i];

		struct unfit unfit = judge(f, returns);

		if (unfit.why) {
			*vec_add(l->arena, &l->left) = (struct left){ f->shown, unfit.why };
			continue;
		}
		v->v[n++] = *f;
		*vec_add(l->arena, &l->found) = (struct cat_function){
			.name = f->shown, .symbol = f->name, .path = t->path, .dev = file.st_dev, .inode = file.st_ino, .offset = f->offset,
			.pid = t->pid, .throws = throws,
		};
	}
	if (n)
		catalog_params(l->kc, t, l->user->params ? u : NULL, &l->found.v[from], v->v, n);
}

/* Functions of that name in classes and namespaces, for help; or NULL. */
static const char *in_classes(struct look *l, struct elf_functions *u)
{
	struct str globs[] = { str_of(arena_printf(l->arena, "*::%.*s", STR_ARG(l->name))),
			       str_of(arena_printf(l->arena, "*::%.*s<*>", STR_ARG(l->name))) };
	elf_function_list v = { 0 };
	const char *text = NULL;

	for (int i = 0; i < 2; i++)
		elf_functions_find(u, globs[i], CLASSES_MOST, l->arena, &v);
	for (int i = 0; i < v.n && i < CLASSES_MOST; i++)
		text = arena_printf(l->arena, "%s%s'%s'", text ? text : "", text ? " or " : "", v.v[i].shown);
	return text;
}

static void no_such(struct look *l, const struct program_file *t, struct elf_functions *u)
{
	const char *near, *classes;

	if (str_is_glob(l->name)) {
		l->complaint = arena_printf(l->arena, "no function of %s matches '%.*s'", t->shown,
					    STR_ARG(l->name));
		return;
	}
	l->complaint = arena_printf(l->arena, "%s has no function '%.*s'", t->shown, STR_ARG(l->name));
	near = elf_functions_nearest(u, l->name, l->arena);
	classes = in_classes(l, u);
	if (classes)
		l->help = arena_printf(l->arena, "did you mean %s?", classes);
	else if (elf_functions_imports(u, l->name))
		l->help = arena_printf(l->arena, "it only calls it: write the library that has it, as "
				       "libc.so:%.*s()", STR_ARG(l->name));
	else if (catalog_is_inlined(l->kc, t, u, l->name)) {
		l->complaint = arena_printf(l->arena, "'%.*s' of %s is put into its callers everywhere "
			"(inlined), so it cannot be traced", STR_ARG(l->name), t->shown);
		l->help = "trace a function that calls it";
	} else if (near)
		l->help = arena_printf(l->arena, "did you mean '%s'?", near);
	else if (elf_functions_is_stripped(u))
		l->help = "it was stripped, so only what others can call is known: install its debug "
			  "symbols (-dbgsym)";
	else if (strstr(t->shown, "libpthread.so"))
		l->help = "since glibc 2.34 its functions are in libc.so";
}

/* What is named and cannot be traced so: a wildcard goes without. */
static bool unfit(struct look *l, const struct program_file *t, const elf_function_list *v, bool returns)
{
	for (int i = 0; i < v->n && !str_is_glob(l->name); i++) {
		const struct elf_function *f = &v->v[i];
		struct unfit u = judge(f, returns);

		if (!u.why)
			continue;
		l->complaint = u.so ? arena_printf(l->arena, "%s %s: %s", f->shown, u.why, u.so) :
			arena_printf(l->arena, "%s of %s %s", f->shown, t->shown, u.why);
		l->help = u.enters ? arena_printf(l->arena, "count its calls instead: %.*s().enter",
						  STR_ARG(l->user->text)) :
			f->ifunc ? arena_printf(l->arena, "write the functions that it chooses from, often __%s_*()",
						f->shown) :
			"trace a function that calls it";
		return true;
	}
	return false;
}

/* ---- static probes ---- */

static void no_such_probe(struct look *l, const struct program_file *t, struct elf_functions *u)
{
	VEC(const char *) names = { 0 };
	usdt_probes all = { 0 };
	const char *near;

	usdt_find(elf_functions_image(u), str_of("*"), FUNCTIONS_MOST, l->arena, &all);
	for (int i = 0; i < all.n; i++)
		vec_push(l->arena, &names, all.v[i].name);
	near = str_is_glob(l->name) ? NULL : str_nearest(l->name, names.v, names.n);
	if (!all.n) {
		l->complaint = arena_printf(l->arena, "%s has no static probes", t->shown);
		l->help = "it was built without them: trace its functions";
	} else {
		l->complaint = arena_printf(l->arena, "no static probe of %s %s '%.*s'", t->shown,
					    str_is_glob(l->name) ? "matches" : "is",
					    STR_ARG(l->name));
		l->help = near ? arena_printf(l->arena, "did you mean '%s'?", near) :
			arena_printf(l->arena, "culprit list probes %s shows them", t->shown);
	}
}

/* Looks for probes in one file. True: nobody need look further. */
static bool look_for_probes(struct look *l, const struct program_file *t, struct elf_functions *u)
{
	usdt_probes v = { 0 };

	if (!usdt_find(elf_functions_image(u), l->name, FUNCTIONS_MOST, l->arena, &v)) {
		l->complaint = arena_printf(l->arena, "'%.*s' is more than %d places in %s",
					    STR_ARG(l->name), FUNCTIONS_MOST, t->shown);
		return true;
	}
	for (int i = 0; i < v.n; i++)
		*vec_add(l->arena, &l->found) = (struct cat_function){
			.name = v.v[i].name, .path = t->path, .offset = v.v[i].offset,
			.symbol = arena_printf(l->arena, "%s:%s", v.v[i].provider, v.v[i].name),
			.is_probe = true, .semaphore = v.v[i].semaphore, .pid = t->pid,
			.n_params = v.v[i].n_args, .params = v.v[i].args,
		};
	if (!v.n && !l->complaint)
		no_such_probe(l, t, u);
	return v.n > 0;
}

/* ---- files ---- */

/* Looks for functions in one file. True: it has them, or nobody need look further. */
static bool look_for_functions(struct look *l, const struct program_file *t, struct elf_functions *u)
{
	bool returns = l->user->returns, done = false;
	elf_function_list v = { 0 };

	if (!elf_functions_find(u, l->name, FUNCTIONS_MOST, l->arena, &v)) {
		l->complaint = arena_printf(l->arena, "'%.*s' is more than %d functions of %s",
					    STR_ARG(l->name), FUNCTIONS_MOST, t->shown);
		l->help = "name fewer: write more of the name, or for C++ the parameters";
		done = true;
	} else if (unfit(l, t, &v, returns)) {
		done = true;
	} else if (v.n && returns && elf_functions_is_go(u)) {
		l->complaint = arena_printf(l->arena, "%s is written in Go, which moves its stacks: "
					    "returns cannot be traced", t->shown);
		l->help = arena_printf(l->arena, "count its calls instead: %.*s().enter",
				       STR_ARG(l->user->text));
		done = true;
	} else if (v.n) {
		add_found(l, t, u, &v, returns);
		done = l->found.n > 0;
		if (!done)
			l->complaint = arena_printf(l->arena, "no function of %s that matches '%.*s' can be "
				"traced: %s %s", t->shown, STR_ARG(l->name), l->left.v[0].name, l->left.v[0].why);
	} else if (!elf_functions_symbols(u)) {
		l->complaint = arena_printf(l->arena, "%s has no symbols", t->shown);
		l->help = "it was stripped: install its debug symbols (-dbgsym), or trace a library "
			  "that it uses";
	} else if (!l->complaint) {
		no_such(l, t, u);
	}
	return done;
}

static bool look_into(struct look *l, const struct program_file *t)
{
	struct err e = { .arena = l->arena };
	struct elf_functions *u = elf_functions_open(t->path, t->root, &e);
	bool done = false;

	if (u)
		done = (l->user->probes ? look_for_probes : look_for_functions)(l, t, u);
	else
		l->complaint = arena_printf(l->arena, "%s: %s", t->shown, e.causes.v[0]);
	elf_functions_close(u);
	return done;
}

static void look(struct look *l, struct kernel_catalog *kc, const struct cat_user *u)
{
	program_files targets = { 0 };
	bool all = false;

	*l = (struct look){ .kc = kc, .arena = &kc->arena, .user = u };
	l->complaint = program_file_find(l->arena, u, &targets, &l->name, &all, &l->help);
	if (l->complaint)
		return;
	if (!l->name.n)
		l->complaint = u->probes ? "the probe is missing after the colon"
					 : "the function is missing after the colon";
	for (int i = 0; i < targets.n && l->name.n; i++)
		if (look_into(l, &targets.v[i]) && !all)
			return;
}

void catalog_user_functions(void *self, const struct cat_user *u,
			    void (*each)(void *arg, const struct cat_function *f), void *arg)
{
	struct kernel_catalog *kc = self;
	struct look *l = arena_new(&kc->arena, struct look);

	look(l, kc, u);
	for (int i = 0; i < l->found.n; i++)
		each(arg, &l->found.v[i]);
}

static int by_why(const void *a, const void *b)
{
	const struct left *x = a, *y = b;
	int order = strcmp(x->why, y->why);

	return order ? order : strcmp(x->name, y->name);
}

void catalog_user_untraceable(void *self, const struct cat_user *u,
			      void (*each)(void *arg, const char *why, const char *name), void *arg)
{
	struct kernel_catalog *kc = self;
	struct look l;

	look(&l, kc, u);
	if (l.left.n)
		qsort(l.left.v, (size_t)l.left.n, sizeof(l.left.v[0]), by_why);
	for (int i = 0; i < l.left.n; i++)
		each(arg, l.left.v[i].why, l.left.v[i].name);
}

const char *catalog_no_user_function(void *self, const struct cat_user *u, const char **help)
{
	struct kernel_catalog *kc = self;
	struct look l;

	look(&l, kc, u);
	*help = l.help;
	return l.complaint ? l.complaint : "it can be found now: try again";
}

const char *catalog_program(void *self, int64_t pid)
{
	struct kernel_catalog *kc = self;

	return arena_printf(&kc->arena, "/proc/%lld/exe", (long long)pid);
}
