/*
 * list.c: all names that match. Without tracefs the tracepoints are BTF's
 * typedefs, which do not say their system: event.def does for some, the others are listed
 * under the first word of their name.
 */
#include "event/calls.h"
#include "event/facts.h"
#include "kern/catalog/impl.h"
#include "kern/types/tracefs.h"

#include <stdio.h>
#include <stdlib.h>

struct list {
	struct arena arena;
	struct str glob;
	VEC(const char *) names;
};

static void add(struct list *l, const char *name)
{
	if (str_glob(l->glob, str_of(name)))
		vec_push(&l->arena, &l->names, arena_strdup(&l->arena, name));
}

static void add_format(void *arg, const char *system, const char *name)
{
	struct list *l = arg;
	char full[512];

	/* Their raw events are there; a system call is named syscall:NAME. */
	if (!strcmp(system, "syscalls"))
		return;
	snprintf(full, sizeof(full), "%s:%s", system, name);
	add(l, full);
}

static const char *system_of(const char *name)
{
	const struct event_fact *f;

	for (int i = 0; (f = event_fact_at(i)); i++)
		if (!strcmp(f->name, name))
			return f->system;
	return NULL;
}

static void add_typedef(void *arg, const char *name)
{
	const char *system = system_of(name);
	char full[256];

	if (system)
		snprintf(full, sizeof(full), "%s:%s", system, name);
	else
		snprintf(full, sizeof(full), "%.*s:%s", (int)strcspn(name, "_"), name, name);
	add(arg, full);
}

static void add_calls(struct list *l)
{
	const struct call_row *row;

	if (!str_is_glob(l->glob)) {
		row = call_row_find(l->glob);
		if (row)
			vec_push(&l->arena, &l->names, row->name);
		return;
	}
	for (int i = 0; (row = call_row_at(i)); i++)
		add(l, row->name);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void catalog_list(void *self, enum cat_list what, struct str glob,
		  void (*each)(void *arg, const char *name), void *arg)
{
	struct kernel_catalog *kc = self;
	struct list l = { .glob = glob };
	struct ktypes *k;

	if (what == LIST_SYSCALLS)
		add_calls(&l);
	else if (kc->tracefs)
		tracefs_each(kc->tracefs, glob, add_format, &l);
	else if ((k = features_types(kc->features)) != NULL)
		ktype_each_tracepoint(k, add_typedef, &l);
	if (l.names.n)
		qsort(l.names.v, (size_t)l.names.n, sizeof(*l.names.v), by_text);
	for (int i = 0; i < l.names.n; i++)
		each(arg, l.names.v[i]);
	arena_fini(&l.arena);
}
