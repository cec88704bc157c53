/*
 * Functions of the kernel that cannot be traced, and why: what kallsyms calls text and ftrace
 * does not list. A row of `reasons` is one why.
 */
#include "kern/catalog/impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/near.h"

#define NEAR_MOST 2
#define BLACKLIST "/sys/kernel/debug/kprobes/blacklist"

/* ---- one name, and why ---- */

struct none {
	struct kernel_catalog *kc;
	struct str module, glob;
	symbol_list found;
	struct map listed;		/* "module:name" that can be traced */
	struct map places;		/* address -> of one found, &is_traced: another name is listed */
	struct map blacklist;
	struct buf blacklist_text;
	uint64_t init_from, init_to;	/* of vmlinux */
};

static const char is_traced;

static uint64_t address_of(const struct symbol *s)
{
	return s->address.n ? strtoull(s->address.p, NULL, 16) : 0;
}

static bool has_second_name(const struct none *n, const struct symbol *s)
{
	return address_of(s) && map_get_str(&n->places, s->address) == (void *)&is_traced;
}

static bool is_init(const struct none *n, const struct symbol *s)
{
	return address_of(s) >= n->init_from && address_of(s) < n->init_to;
}

static bool is_blacklisted(const struct none *n, const struct symbol *s)
{
	return map_get_str(&n->blacklist, s->name) != NULL;
}

static bool is_any(const struct none *n, const struct symbol *s)
{
	(void)n, (void)s;
	return true;
}

static const struct {
	bool (*is)(const struct none *n, const struct symbol *s);
	const char *why;
} reasons[] = {
	{ has_second_name, "it has another name, too, which is the one that is traced" },
	{ is_init, "it ran only while the kernel started (__init)" },
	{ is_blacklisted, "kprobes must not touch it" },
	{ is_any, "it was compiled without a place for a probe (notrace)" },
};

static int reason_of(const struct none *n, const struct symbol *s)
{
	int i = 0;

	while (!reasons[i].is(n, s))
		i++;
	return i;
}

/* ---- what there is ---- */

static bool matches(const struct none *n, const struct symbol *s)
{
	return (str_glob(n->glob, s->plain) || str_glob(n->glob, s->name)) &&
	       (!n->module.n || str_glob(n->module, s->module));
}

/* Parts of functions and what the compiler puts in front of them have names, too. */
static bool is_function(const struct symbol *s)
{
	return !str_has_prefix(s->name, "__pfx_") && !str_has_prefix(s->name, "__cfi_") &&
	       !memmem(s->name.p, (size_t)s->name.n, ".cold", 5);
}

static void **listed(struct none *n, const struct symbol *s)
{
	return map_put_str(&n->kc->arena, &n->listed, str_of(arena_printf(&n->kc->arena, "%.*s:%.*s",
			   STR_ARG(s->module), STR_ARG(s->name))));
}

static void add_listed(void *arg, const struct symbol *s)
{
	if (matches(arg, s))
		*listed(arg, s) = arg;
}

static void add_found(void *arg, const struct symbol *s)
{
	struct none *n = arg;

	if (!matches(n, s) || !is_function(s) || *listed(n, s))
		return;
	vec_push(&n->kc->arena, &n->found, *s);
	*map_put_str(&n->kc->arena, &n->places, s->address) = n;
}

static void add_other_name(void *arg, const struct symbol *s)
{
	struct none *n = arg;
	struct symbol other = *s;
	void *found[2] = { &other, NULL };

	if (!address_of(s) || !map_get_str(&n->places, s->address))
		return;
	catalog_each_symbol(&n->kc->functions_text, false, other.name, catalog_in_list, found);
	if (found[1])
		*map_put_str(&n->kc->arena, &n->places, s->address) = (void *)&is_traced;
}

static void init_ends(void *arg, const struct symbol *s)
{
	struct none *n = arg;

	if (str_is(s->name, "_sinittext"))
		n->init_from = address_of(s);
	else if (str_is(s->name, "_einittext"))
		n->init_to = address_of(s);
}

/* "0xFROM-0xTO\tname" in each line */
static void read_blacklist(struct none *n)
{
	const char *p, *end, *tab, *nl;

	catalog_read_file(BLACKLIST, &n->blacklist_text);
	for (p = n->blacklist_text.p, end = p + n->blacklist_text.n; p && p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		nl = nl ? nl : end;
		tab = memchr(p, '\t', (size_t)(nl - p));
		if (tab)
			*map_put_str(&n->kc->arena, &n->blacklist,
				     (struct str){ tab + 1, (int)(nl - tab - 1) }) = n;
	}
}

/* Fills found; without ftrace's list nothing is known. */
static void find(struct none *n)
{
	const struct buf *all;

	catalog_traceable(n->kc);
	if (n->kc->functions_kallsyms)
		return;
	catalog_each_symbol(&n->kc->functions_text, false, catalog_begin_of(n->glob), add_listed, n);
	all = catalog_kallsyms(n->kc);
	catalog_each_symbol(all, true, catalog_begin_of(n->glob), add_found, n);
	if (!n->found.n)
		return;
	catalog_each_symbol(all, true, str_of(""), add_other_name, n);
	catalog_each_symbol(all, true, str_of("_sinittext"), init_ends, n);
	catalog_each_symbol(all, true, str_of("_einittext"), init_ends, n);
	read_blacklist(n);
}

/* ---- the operations ---- */

struct left {
	int reason;
	const char *name;
};

static int by_reason(const void *a, const void *b)
{
	const struct left *x = a, *y = b;

	return x->reason != y->reason ? x->reason - y->reason : strcmp(x->name, y->name);
}

void catalog_untraceable(void *self, struct str module, struct str glob,
			 void (*each)(void *arg, const char *why, const char *name), void *arg)
{
	struct none n = { .kc = self, .module = module, .glob = glob };
	struct left *all;

	find(&n);
	all = arena_array(&n.kc->arena, struct left, n.found.n + 1);
	for (int i = 0; i < n.found.n; i++)
		all[i] = (struct left){ reason_of(&n, &n.found.v[i]),
					arena_strndup(&n.kc->arena, n.found.v[i].name.p,
						      (size_t)n.found.v[i].name.n) };
	qsort(all, (size_t)n.found.n, sizeof(*all), by_reason);
	for (int i = 0; i < n.found.n; i++)
		each(arg, reasons[all[i].reason].why, all[i].name);
	buf_fini(&n.blacklist_text);
}

static void nearest(void *arg, const struct symbol *s)
{
	near_look(arg, s->plain);
}

static bool is_loaded(struct str module)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/module/%.*s", STR_ARG(module));
	return str_is_glob(module) || access(path, F_OK) == 0;
}

/* "btrfs_sync_file" -> "btrfs", if that is a module that could be loaded. */
static struct str module_not_loaded(struct str name)
{
	struct buf modules = { 0 };
	struct str found = { "", 0 };
	struct utsname u;
	char path[256], file[128];

	uname(&u);
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", u.release);
	catalog_read_file(path, &modules);
	for (int n = 1; n < name.n && modules.n; n++) {
		int bytes = snprintf(file, sizeof(file), "/%.*s.ko", n, name.p);

		if (name.p[n] == '_' && bytes < (int)sizeof(file) &&
		    memmem(modules.p, modules.n, file, (size_t)bytes) && !is_loaded(str_sub(name, 0, n)))
			found = str_sub(name, 0, n);
	}
	buf_fini(&modules);
	return found;
}

const char *catalog_no_function(void *self, struct str module, struct str glob,
				const char **help)
{
	struct kernel_catalog *kc = self;
	struct none n = { .kc = kc, .module = module, .glob = glob };
	struct near near = { .name = glob, .distance = NEAR_MOST + 1 };
	const char *why = NULL;
	struct str absent;

	if (module.n && !is_loaded(module)) {
		*help = arena_printf(&kc->arena, "load it: modprobe %.*s", STR_ARG(module));
		return arena_printf(&kc->arena, "'%.*s' is no loaded module of the kernel", STR_ARG(module));
	}
	find(&n);
	if (n.found.n)
		why = reasons[reason_of(&n, &n.found.v[0])].why;
	buf_fini(&n.blacklist_text);
	if (why)
		return arena_printf(&kc->arena, "'%.*s' is in this kernel but cannot be traced: %s",
				    STR_ARG(glob), why);
	absent = module_not_loaded(catalog_begin_of(glob));
	if (!module.n && absent.n)
		return arena_printf(&kc->arena, "the kernel has no function%s '%.*s': the module %.*s is not "
				    "loaded (modprobe %.*s)", str_is_glob(glob) ? " that matches" : "",
				    STR_ARG(glob), STR_ARG(absent), STR_ARG(absent));
	catalog_each_symbol(&kc->functions_text, kc->functions_kallsyms, str_of(""), nearest, &near);
	if (near.best.n)
		*help = arena_printf(&kc->arena, "did you mean '%.*s()'?", STR_ARG(near.best));
	else
		*help = "a function that the compiler inlined everywhere cannot be traced: "
			"trace its caller";
	return arena_printf(&kc->arena, "%s has no function%s '%.*s'", module.n ? "this module" : "the kernel",
			    str_is_glob(glob) ? " that matches" : "", STR_ARG(glob));
}
