/*
 * made_catalog: what can be named in made events. It has no C types but char, so that
 * str() of a pointer with a text works; members of structures do not.
 */
#include <stdlib.h>

#include "replay/made_impl.h"

/* The common fields are the same words of every record. */
static const struct cat_field commons[] = {
	{ .name = "pid", .type = { .kind = TY_PID, .is_signed = true, .size = 4 },
	  .loc = LOC_RECORD, .index = RECORD_PID },
	{ .name = "tid", .type = { .kind = TY_TID, .is_signed = true, .size = 4 },
	  .loc = LOC_RECORD, .index = RECORD_TID },
	{ .name = "ppid", .type = { .kind = TY_PID, .is_signed = true, .size = 4 },
	  .loc = LOC_RECORD, .index = RECORD_PPID },
	{ .name = "comm", .type = { .kind = TY_STRING, .bytes = RECORD_COMM_BYTES },
	  .loc = LOC_RECORD, .index = RECORD_COMM },
	{ .name = "uid", .type = { .kind = TY_UID, .size = 4 },
	  .loc = LOC_RECORD, .index = RECORD_UID },
	{ .name = "gid", .type = { .kind = TY_GID, .size = 4 },
	  .loc = LOC_RECORD, .index = RECORD_GID },
	{ .name = "cgroup", .type = { .kind = TY_CGROUP, .size = 8 },
	  .loc = LOC_RECORD, .index = RECORD_CGROUP },
};

static const struct cat_field *find_common(void *self, struct str name)
{
	(void)self;
	for (size_t i = 0; i < sizeof(commons) / sizeof(*commons); i++)
		if (str_is(name, commons[i].name))
			return &commons[i];
	return NULL;
}

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

static uint32_t no_struct(void *self, struct str name)
{
	(void)self;
	(void)name;
	return 0;
}

static bool no_member(void *self, uint32_t ktype, struct str name, struct cat_member *m)
{
	(void)self;
	(void)ktype;
	(void)name;
	(void)m;
	return false;
}

static bool no_member_at(void *self, uint32_t ktype, int i, const char **name,
			 struct cat_member *m)
{
	(void)i;
	*name = NULL;
	return no_member(self, ktype, (struct str){ 0 }, m);
}

static bool no_element(void *self, uint32_t ktype, struct type *t, uint32_t *bytes, uint32_t *n)
{
	(void)self;
	(void)ktype;
	(void)t;
	(void)bytes;
	(void)n;
	return false;
}

static bool pointee(void *self, uint32_t ktype, struct type *t)
{
	(void)self;
	if (ktype != MADE_CHAR_TYPE)
		return false;
	*t = (struct type){ .kind = TY_STRING, .bytes = 128 };
	return true;
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

static const char *type_text(void *self, uint32_t ktype)
{
	(void)self;
	return ktype == MADE_CHAR_TYPE ? "char" : NULL;
}

const struct catalog_ops made_catalog_ops = {
	.event = find_event,
	.syscall = find_syscall,
	.syscall_event = find_syscall_event,
	.list = list,
	.common = find_common,
	.struct_type = no_struct,
	.member = no_member,
	.member_at = no_member_at,
	.element = no_element,
	.pointee = pointee,
	.enumerator = find_enumerator,
	.ktype_name = type_text,
};
