/* made_catalog: what can be named in made events, and handing them out. */
#include <stdlib.h>

#include "lang/plain.h"
#include "replay/made_impl.h"

static const struct cat_event *find_event(void *self, struct str system, struct str name)
{
	struct made *m = self;
	struct buf full = { 0 };
	const struct cat_event *e;

	if (system.n) {
		buf_add(&full, system.p, (size_t)system.n);
		buf_putc(&full, ':');
	}
	buf_add(&full, name.p, (size_t)name.n);
	e = map_get(&m->events, full.p, (int)full.n);
	buf_fini(&full);
	/* Without a system: a trace's own name. */
	for (int i = 0; !e && !system.n && i < m->event_names.n; i++) {
		e = map_get_str(&m->events, str_of(m->event_names.v[i]));
		if (!str_is(name, e->name))
			e = NULL;
	}
	return e;
}

static const struct cat_syscall *find_syscall(void *self, struct str name)
{
	return map_get_str(&((struct made *)self)->syscalls, name);
}

static const struct cat_event *find_syscall_event(void *self, enum cat_kind kind)
{
	struct made *m = self;

	return kind == CAT_SYSCALL_ENTER ? &m->enter : &m->exit;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void list(void *self, enum cat_list what, struct str glob,
		 void (*each)(void *arg, const char *name), void *arg)
{
	struct made *m = self;
	const char **names = what == LIST_EVENTS ? m->event_names.v : m->syscall_names.v;
	int n = what == LIST_EVENTS ? m->event_names.n : m->syscall_names.n;

	if (n)
		qsort(names, (size_t)n, sizeof(*names), compare_names);
	for (int i = 0; i < n; i++)
		if (str_glob(glob, str_of(names[i])))
			each(arg, names[i]);
}

static bool find_enumerator(void *self, struct str name, int64_t *value, struct type *t)
{
	struct made *m = self;

	for (int i = 0; i < m->enums.cap; i++) {
		const struct enum_desc *en = m->enums.slots[i].value;

		for (int k = 0; en && k < en->n; k++) {
			if (!str_is(name, en->values[k].name))
				continue;
			*value = en->values[k].value;
			*t = (struct type){ .kind = TY_ENUM, .size = 4, .is_signed = true, .en = en };
			return true;
		}
	}
	return false;
}

static const struct catalog_ops made_catalog_ops = {
	.event = find_event,
	.syscall = find_syscall,
	.syscall_event = find_syscall_event,
	.list = list,
	.enumerator = find_enumerator,
	.common = plain_common,
	PLAIN_TYPES,
};

struct catalog made_catalog(struct made *m)
{
	return (struct catalog){ &made_catalog_ops, m };
}

const char *made_symbol(void *m, uint64_t address)
{
	return map_get(&((struct made *)m)->symbols, &address, sizeof(address));
}

int made_count(const struct made *m)
{
	return m->records.n;
}

const struct record *made_record(const struct made *m, int i)
{
	return &m->records.v[i];
}

static const struct record *next(void *self)
{
	struct made_reader *r = self;

	return r->at < made_count(r->made) ? made_record(r->made, r->at++) : NULL;
}

struct record_source made_source(struct made_reader *r)
{
	return (struct record_source){ .self = r, .next = next };
}
