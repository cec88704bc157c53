/*
 * tracepoint.c: what can be named on the running kernel: tracepoints, system
 * calls, C types.
 *
 * A tracepoint is its format (tracefs), the arguments of its C call (BTF) and what
 * event.def and field.def know of it. Each is read when it is first named. Without
 * tracefs the fields come from BTF's struct trace_event_raw_CLASS: they have types, but
 * only those with a row in field.def can be read.
 */
#include "event/calls.h"
#include "event/facts.h"
#include "kern/catalog/impl.h"
#include "kern/types/cdecl.h"
#include "kern/types/tracefs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Kept also when there is none. */
struct event_found {
	bool exists;
	struct cat_event event;
};

static struct ktypes *types(struct kernel_catalog *kc)
{
	return features_types(kc->features);
}

/* ---- events ---- */

static bool from_tracefs(struct kernel_catalog *kc, struct str system, struct str name,
			 struct cat_event *e)
{
	struct buf text = { 0 };
	bool ok = kc->tracefs && tracefs_format(kc->tracefs, system, name, &text);

	if (ok)
		tracefs_parse(&kc->arena, types(kc), text.p, str_is(system, "syscalls"), e);
	buf_fini(&text);
	return ok;
}

static bool add_args(struct kernel_catalog *kc, struct str name, const struct event_fact *fact,
		     struct cat_event *e)
{
	struct ktypes *k = types(kc);
	struct ktype_call call;
	struct cat_field *args;

	if (!k || !ktype_tracepoint(k, name, &call))
		return false;
	args = arena_array(&kc->arena, struct cat_field, call.n_params + 1);
	for (int i = 0; i < call.n_params; i++) {
		const struct ktype_param *p = &call.params[i];
		struct cat_field *f = &args[e->n_args];

		*f = (struct cat_field){ .name = p->name, .loc = LOC_ARG };
		if (!ktype_is_word(k, p->ktype))
			continue;
		f->opaque = !ktype_is_readable_arg(k, p->ktype);
		f->index = (uint8_t)i;
		f->maybe_null = fact && i < 32 && fact->null_args & 1u << i;
		if (ktype_value_named(k, p->ktype, f->name, &f->type))
			e->n_args++;
	}
	e->args = args;
	e->btf_id = call.id;
	return true;
}

/* Fields of struct trace_event_raw_CLASS: offsets as in the format. */
static void add_raw_fields(struct kernel_catalog *kc, struct str name, const struct event_fact *fact,
			   struct cat_event *e)
{
	static const char data_loc[] = "__data_loc_";
	struct ktypes *k = types(kc);
	VEC(struct cat_field) fields = { 0 };
	struct cat_member m;
	const char *member;
	char text[256];
	uint32_t raw;

	snprintf(text, sizeof(text), "trace_event_raw_%.*s", STR_ARG(name));
	raw = ktype_struct(k, str_of(text));
	if (!raw && fact && fact->class) {
		snprintf(text, sizeof(text), "trace_event_raw_%s", fact->class);
		raw = ktype_struct(k, str_of(text));
	}
	for (int i = 0; raw && ktype_member_at(k, raw, i, &member, &m); i++) {
		struct cat_field f = {
			.name = member, .loc = LOC_FORMAT, .type = m.type, .offset = m.offset,
			.size = m.type.size, .bit_offset = m.bit_offset, .bit_size = m.bit_size,
		};

		if (!strcmp(member, "ent") || !strcmp(member, "__data"))
			continue;
		if (!strncmp(member, data_loc, sizeof(data_loc) - 1)) {
			f.name += sizeof(data_loc) - 1;
			f.data_loc = true;
			f.size = 4;
			f.type = (struct type){ .kind = TY_STRING, .bytes = 128 };
		} else if (!type_is_word(&f.type)) {
			f.size = f.type.bytes;
		} else if (f.type.kind == TY_ARRAY || f.type.kind == TY_STRUCT) {
			f.size = ktype_size(k, f.type.ktype);
		}
		tracefs_meaning(&f);
		vec_push(&kc->arena, &fields, f);
	}
	e->fields = fields.v;
	e->n_fields = fields.n;
}

/* The first row of field.def that this kernel has the names for. */
static const char *from_args(struct kernel_catalog *kc, struct str system, struct str name,
			     const struct cat_event *e, const char *field)
{
	const struct field_fact *row = NULL;

	while ((row = field_fact_next(row, false, system, name, field)))
		if (catalog_expr_resolves(types(kc), e, row->expr))
			return row->expr;
	return NULL;
}

/* Addresses are arrays of bytes in formats; by their names they are what they are. */
static bool is_address(const char *name, uint32_t bytes)
{
	return (bytes == 4 && (!strcmp(name, "saddr") || !strcmp(name, "daddr"))) ||
	       (bytes == 16 && (!strcmp(name, "saddr_v6") || !strcmp(name, "daddr_v6")));
}

/* The value is an expression over what is stored. */
static struct cat_field *add_raw(struct kernel_catalog *kc, struct cat_field *f, const char *expr)
{
	struct cat_field *raw = arena_new(&kc->arena, struct cat_field);

	*raw = *f;
	raw->from_args = NULL;
	f->raw = raw;
	f->from_raw = expr;
	return raw;
}

static void add_stored(struct kernel_catalog *kc, struct str system, struct str name,
		       struct cat_field *f)
{
	const struct field_fact *stored = field_fact_next(NULL, true, system, name, f->name);
	struct cat_field *raw;

	if (stored) {
		add_raw(kc, f, stored->expr);
		if (strstr(stored->expr, "taskstate("))
			f->type = (struct type){ .kind = TY_ENUM, .size = 8, .is_signed = true,
						 .en = &task_state_enum, .dense = STATES };
	} else if (f->type.kind == TY_ARRAY && is_address(f->name, f->size)) {
		raw = add_raw(kc, f, arena_printf(&kc->arena, "ip(%s)", f->name));
		f->type = (struct type){ .kind = TY_IP, .bytes = 16 };
		/* Four bytes are a word, which needs no type of BTF. */
		if (f->size == 4)
			raw->type = (struct type){ .kind = TY_INT, .size = 4 };
	}
}

static void add_field_facts(struct kernel_catalog *kc, struct str system, struct str name,
			    struct cat_event *e)
{
	struct cat_field *fields = (struct cat_field *)e->fields;

	for (int i = 0; i < e->n_fields; i++) {
		struct cat_field *f = &fields[i];

		if (e->btf_id)
			f->from_args = from_args(kc, system, name, e, f->name);
		add_stored(kc, system, name, f);
	}
}

/* Tracepoints without a format (pelt_se_tp) and, without tracefs, all of them. */
static bool may_lack_format(const struct kernel_catalog *kc, struct str name)
{
	return !kc->tracefs || (name.n > 3 && !memcmp(name.p + name.n - 3, "_tp", 3));
}

static bool find_event(struct kernel_catalog *kc, struct str system, struct str name,
		       struct cat_event *e)
{
	const struct event_fact *fact = event_fact(system, name);
	bool format = from_tracefs(kc, system, name, e);
	bool args = (format || may_lack_format(kc, name)) && add_args(kc, name, fact, e);

	if (!format && !args)
		return false;
	if (!format)
		add_raw_fields(kc, name, fact, e);
	e->kind = CAT_TRACEPOINT;
	e->system = arena_strndup(&kc->arena, system.p, (size_t)system.n);
	e->name = arena_strndup(&kc->arena, name.p, (size_t)name.n);
	if (fact) {
		e->interrupt = fact->interrupt;
		e->exclusive = fact->exclusive;
		e->owner = fact->owner;
		e->owner_runs = fact->owner_runs;
		e->in_allocator = fact->in_allocator;
	}
	add_field_facts(kc, system, name, e);
	return true;
}

static const struct cat_event *event(void *self, struct str system, struct str name)
{
	struct kernel_catalog *kc = self;
	struct event_found *found;
	void **slot;
	char key[256];
	int n;

	if (system.n <= 0 || name.n <= 0 || system.n + name.n + 2 > (int)sizeof(key))
		return NULL;
	n = snprintf(key, sizeof(key), "%.*s:%.*s", STR_ARG(system), STR_ARG(name));
	slot = map_put(&kc->arena, &kc->events, key, n);
	found = *slot;
	if (!found) {
		found = arena_new(&kc->arena, struct event_found);
		found->exists = find_event(kc, system, name, &found->event);
		*map_put(&kc->arena, &kc->events, key, n) = found;
	}
	return found->exists ? &found->event : NULL;
}

static const struct cat_event *syscall_event(void *self, enum cat_kind kind)
{
	struct kernel_catalog *kc = self;
	const char *name = kind == CAT_SYSCALL_ENTER ? "sys_enter" : "sys_exit";
	const struct cat_event *e = event(self, str_of("raw_syscalls"), str_of(name));
	void **slot = map_put(&kc->arena, &kc->events, name, (int)strlen(name));
	struct cat_event *copy = *slot;

	if (!e || copy)
		return copy;
	copy = arena_new(&kc->arena, struct cat_event);
	*copy = *e;
	copy->kind = (uint8_t)kind;
	*slot = copy;
	return copy;
}

/* ---- system calls ---- */

static void add_params(struct kernel_catalog *kc, const struct call_row *row, struct cat_syscall *s)
{
	VEC(struct cat_field) params = { 0 };
	struct cdecl d;

	for (const char *p = row->params; *p;) {
		int n = (int)strcspn(p, ",");
		struct cat_field *f;

		if (cdecl_parse((struct str){ p, n }, &d)) {
			f = vec_add(&kc->arena, &params);
			f->name = arena_strndup(&kc->arena, d.name.p, (size_t)d.name.n);
			f->loc = LOC_SYSARG;
			f->index = (uint8_t)(params.n - 1);
			f->type = cdecl_type(types(kc), &d, 0, false, true);
			tracefs_meaning(f);
		}
		p += n + (p[n] == ',');
	}
	s->params = params.v;
	s->n_params = params.n;
}

static const struct cat_syscall *syscall_by_name(void *self, struct str name)
{
	struct kernel_catalog *kc = self;
	const struct call_row *row = call_row_find(name);
	struct cat_syscall *s;
	void **slot;

	if (!row)
		return NULL;
	slot = map_put_str(&kc->arena, &kc->syscalls, str_of(row->name));
	s = *slot;
	if (s)
		return s;
	s = arena_new(&kc->arena, struct cat_syscall);
	s->nr = row->nr;
	s->name = row->name;
	s->facts = row->facts;
	add_params(kc, row, s);
	*slot = s;
	return s;
}

static bool can(void *self, enum cat_can what)
{
	static const enum feature_id features[] = {
		[CAN_FENTRY] = FEATURE_FENTRY, [CAN_KPROBE] = FEATURE_KPROBE,
		[CAN_KPROBE_MULTI] = FEATURE_KPROBE_MULTI,
		[CAN_KPROBE_SESSION] = FEATURE_KPROBE_SESSION,
		[CAN_TELL_MISSED] = FEATURE_PROBE_MISSED, [CAN_UPROBE] = FEATURE_UPROBE,
		[CAN_UPROBE_MULTI] = FEATURE_UPROBE_MULTI,
		[CAN_UPROBE_SESSION] = FEATURE_UPROBE_SESSION,
	};

	return feature_has(((struct kernel_catalog *)self)->features, features[what]);
}

/* What the helpers do not give: the parent. */
static const struct cat_field *common(void *self, struct str name)
{
	static const struct cat_field ppid = {
		.name = "ppid",
		.type = { .kind = TY_PID, .size = 4, .is_signed = true },
		.from_args = "task.real_parent.tgid",
	};

	(void)self;
	return str_is(name, ppid.name) ? &ppid : NULL;
}

/* ---- C types: none without BTF ---- */

static uint32_t struct_type(void *self, struct str name)
{
	struct ktypes *k = types(self);

	return k ? ktype_struct(k, name) : 0;
}

static bool member(void *self, uint32_t ktype, struct str name, struct cat_member *m)
{
	struct ktypes *k = types(self);

	return k && ktype_member(k, ktype, name, m);
}

static bool member_at(void *self, uint32_t ktype, int i, const char **name,
		      struct cat_member *m)
{
	struct ktypes *k = types(self);

	return k && ktype_member_at(k, ktype, i, name, m);
}

static bool element(void *self, uint32_t ktype, struct type *t, uint32_t *bytes, uint32_t *n)
{
	struct ktypes *k = types(self);

	return k && ktype_element(k, ktype, t, bytes, n);
}

static bool pointee(void *self, uint32_t ktype, struct type *t)
{
	struct ktypes *k = types(self);

	return k && ktype_pointee(k, ktype, t);
}

static bool enumerator(void *self, struct str name, int64_t *value, struct type *t)
{
	struct ktypes *k = types(self);

	return k && ktype_enumerator(k, name, value, t);
}

static const char *type_name_of(void *self, uint32_t ktype)
{
	struct ktypes *k = types(self);

	return k ? ktype_name(k, ktype) : "void";
}

/* ---- open and close ---- */

static const struct catalog_ops ops = {
	.event = event, .syscall = syscall_by_name, .syscall_event = syscall_event,
	.list = catalog_list, .common = common, .struct_type = struct_type,
	.program_struct = catalog_program_struct,
	.member = member, .member_at = member_at, .element = element, .pointee = pointee,
	.enumerator = enumerator, .ktype_name = type_name_of,
	.can = can, .functions = catalog_functions, .no_function = catalog_no_function,
	.untraceable = catalog_untraceable,
	.user_functions = catalog_user_functions, .user_untraceable = catalog_user_untraceable,
	.no_user_function = catalog_no_user_function,
	.program = catalog_program,
};

struct kernel_catalog *kernel_catalog_open(struct err *e, struct features *f)
{
	struct kernel_catalog *kc;

	if (!feature_has(f, FEATURE_BTF) && !feature_has(f, FEATURE_TRACEFS)) {
		err_push(e, -ENOENT, "the kernel shows neither its types nor its tracepoints");
		err_help(e, "culprit doctor says what is missing");
		e->unable = true;
		return NULL;
	}
	kc = xcalloc(1, sizeof(*kc));
	kc->features = f;
	kc->tracefs = feature_has(f, FEATURE_TRACEFS) ? tracefs_find(false) : NULL;
	kc->catalog = (struct catalog){ &ops, kc };
	return kc;
}

void kernel_catalog_close(struct kernel_catalog *kc)
{
	if (!kc)
		return;
	catalog_programs_close(kc);
	buf_fini(&kc->functions_text);
	buf_fini(&kc->kallsyms_text);
	arena_fini(&kc->arena);
	free(kc);
}

void kernel_catalog_settle(struct kernel_catalog *kc)
{
	catalog_programs_settle(kc);
}

const struct catalog *kernel_catalog_catalog(const struct kernel_catalog *kc)
{
	return &kc->catalog;
}
