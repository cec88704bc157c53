/*
 * Functions of programs in the catalog: from the text to files (utarget.c), from files
 * to functions (uelf.c), and why there are none.
 *
 * Parameters have no names before DWARF is read: arg0 .. arg5 are the registers in
 * which the machine's calling convention passes integers and pointers.
 */
#include "kern/catalog_impl.h"
#include "kern/uelf.h"
#include "kern/utarget.h"

#include <stdio.h>

#define FUNCTIONS_MOST 20000		/* of one source */
#define ARGS 6

/* One look: what was found, or the sentence why not. */
struct look {
	struct arena *arena;
	struct str name;
	VEC(struct cat_function) found;
	const char *complaint, *help;
};

/*
 * Functions that are entered otherwise than by a call, or keep the address that they
 * return to: what is at the top of their stack is not, or not only, a return address, and
 * a return probe, which writes its own there, would break the program.
 */
static bool returns_oddly(const char *symbol)
{
	static const char *const globs[] = {
		"_start", "_dl_start_user", "__restore_rt", "__start_context", "_dl_runtime_*",
		"*setjmp", "*getcontext", "*swapcontext", "__morestack*",
		"_Unwind_*", "uw_*",	/* walk their own stack */
	};

	for (size_t i = 0; i < sizeof(globs) / sizeof(globs[0]); i++)
		if (str_glob(str_of(globs[i]), str_of(symbol)))
			return true;
	return false;
}

/*
 * Does the function begin with a vector instruction that kernels take for a branch, a push
 * or a nop? They look at the opcode without the VEX or EVEX prefix before it, and do
 * in its place what the byte means without (6.18: uprobe on __strchrnul_evex).
 */
static bool misread(const uint8_t *code)
{
	uint8_t op = 0;

#ifdef __x86_64__
	op = code[0] == 0x62 ? code[4] : code[0] == 0xc4 ? code[3] : code[0] == 0xc5 ? code[2] : 0;
#else
	(void)code;
#endif
	return (op >= 0x50 && op <= 0x57) || (op >= 0x70 && op <= 0x7f) || op == 0x0f ||
	       op == 0x90 || op == 0xe8 || op == 0xe9 || op == 0xeb;
}

/* Why a probe would break the program; NULL: it does not. */
static const char *danger(const struct ufunction *f, bool returns)
{
	if (misread(f->code))
		return "begins with a vector instruction that the kernel takes for a branch: "
		       "a probe there would break the program";
	if (returns && returns_oddly(f->name))
		return "is entered or left otherwise than by call and return: a probe on its return "
		       "would break the program";
	return NULL;
}

static void add_found(struct look *l, const struct utarget *t, struct uelf *u, const ufunctions *v,
		      bool returns)
{
	static const struct cat_field args[ARGS] = {
#define ARG(n) [n] = { .name = "arg" #n, .loc = LOC_FUNCARG, .index = n, \
		       .type = { .kind = TY_INT, .is_signed = true, .size = 8 } }
		ARG(0), ARG(1), ARG(2), ARG(3), ARG(4), ARG(5),
#undef ARG
	};
	static const struct cat_field ret = {
		.name = "ret", .loc = LOC_FUNCRET,
		.type = { .kind = TY_INT, .is_signed = true, .size = 8 },
	};
	/* C++; Rust's panics, which usually end the thread or the program anyway, are not told */
	bool throws = returns && uelf_mentions(u, str_of("__cxa_throw"));

	for (int i = 0; i < v->n; i++) {
		const struct ufunction *f = &v->v[i];

		if (f->ifunc || danger(f, returns))
			continue;
		*vec_add(l->arena, &l->found) = (struct cat_function){
			.name = f->shown, .symbol = f->name, .path = t->path, .offset = f->offset,
			.pid = t->pid, .throws = throws, .n_params = ARGS, .params = args, .ret = &ret,
		};
	}
}

static void no_such(struct look *l, const struct utarget *t, struct uelf *u)
{
	const char *near;

	if (str_is_glob(l->name)) {
		l->complaint = arena_printf(l->arena, "no function of %s matches '%.*s'", t->shown,
					    STR_ARG(l->name));
		return;
	}
	l->complaint = arena_printf(l->arena, "%s has no function '%.*s'", t->shown, STR_ARG(l->name));
	near = uelf_nearest(u, l->name, l->arena);
	if (uelf_imports(u, l->name))
		l->help = arena_printf(l->arena, "it only calls it: name the library that has it, as "
				       "libc.so:%.*s()", STR_ARG(l->name));
	else if (near)
		l->help = arena_printf(l->arena, "did you mean '%s'?", near);
	else if (uelf_is_stripped(u))
		l->help = "it was stripped, only what others may call is known: install its debug "
			  "symbols (-dbgsym)";
	else if (strstr(t->shown, "libpthread.so"))
		l->help = "since glibc 2.34 its functions are in libc.so";
}

/* What is named and cannot be traced so: a wildcard goes without. */
static bool unfit(struct look *l, const struct utarget *t, const ufunctions *v, bool returns)
{
	for (int i = 0; i < v->n && !str_is_glob(l->name); i++) {
		const char *why = danger(&v->v[i], returns);

		if (why) {
			l->complaint = arena_printf(l->arena, "%s %s", v->v[i].shown, why);
			if (!danger(&v->v[i], false))
				l->help = arena_printf(l->arena, "its calls can be counted: %.*s().enter",
						       STR_ARG(l->name));
			return true;
		}
		if (v->v[i].ifunc) {
			l->complaint = arena_printf(l->arena, "%s of %s is not one function: which of "
				"several is taken is chosen when the program starts (IFUNC)",
				v->v[i].shown, t->shown);
			l->help = arena_printf(l->arena, "name the ones behind it, often __%s_*()",
					       v->v[i].shown);
			return true;
		}
	}
	return false;
}

/* Looks into one file. True: it has the function, or nobody need look further. */
static bool look_into(struct look *l, const struct utarget *t, bool returns)
{
	struct err e = { .arena = l->arena };
	struct uelf *u = uelf_open(t->path, t->root, &e);
	ufunctions v = { 0 };
	bool done = false;

	if (!u) {
		l->complaint = arena_printf(l->arena, "%s: %s", t->shown, e.causes.v[0]);
		return false;
	}
	if (!uelf_find(u, l->name, FUNCTIONS_MOST, l->arena, &v)) {
		l->complaint = arena_printf(l->arena, "'%.*s' is more than %d functions of %s",
					    STR_ARG(l->name), FUNCTIONS_MOST, t->shown);
		done = true;
	} else if (unfit(l, t, &v, returns)) {
		done = true;
	} else if (v.n && returns && uelf_is_go(u)) {
		l->complaint = arena_printf(l->arena, "%s is written in Go, which moves its stacks: "
					    "returns cannot be traced", t->shown);
		l->help = arena_printf(l->arena, "its calls can be counted: %.*s().enter",
				       STR_ARG(l->name));
		done = true;
	} else if (v.n) {
		add_found(l, t, u, &v, returns);
		done = l->found.n > 0;
	} else if (!uelf_symbols(u)) {
		l->complaint = arena_printf(l->arena, "%s has no symbols", t->shown);
		l->help = "it was stripped: install its debug symbols (-dbgsym), or trace a library "
			  "that it uses";
	} else if (!l->complaint) {
		no_such(l, t, u);
	}
	uelf_close(u);
	return done;
}

static void look(struct look *l, struct arena *a, const struct cat_user *u)
{
	utargets targets = { 0 };
	bool all = false;

	*l = (struct look){ .arena = a };
	l->complaint = utarget_find(a, u, &targets, &l->name, &all, &l->help);
	if (l->complaint)
		return;
	if (!l->name.n)
		l->complaint = "behind the colon belongs a function";
	for (int i = 0; i < targets.n && l->name.n; i++)
		if (look_into(l, &targets.v[i], u->returns) && !all)
			return;
}

void catalog_user_functions(void *self, const struct cat_user *u,
			    void (*each)(void *arg, const struct cat_function *f), void *arg)
{
	struct kcatalog *kc = self;
	struct look *l = arena_new(&kc->arena, struct look);

	look(l, &kc->arena, u);
	for (int i = 0; i < l->found.n; i++)
		each(arg, &l->found.v[i]);
}

const char *catalog_no_user_function(void *self, const struct cat_user *u, const char **help)
{
	struct kcatalog *kc = self;
	struct look l;

	look(&l, &kc->arena, u);
	*help = l.help;
	return l.complaint ? l.complaint : "it can be found now: try again";
}
