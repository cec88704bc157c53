/* catalog: what can be named in a recorded trace. */
#include "event/calls.h"
#include "lang/plain.h"
#include "trace/impl.h"

static struct rec_form *find_form(struct recorded *r, struct str system, struct str name)
{
	struct buf full = { 0 };
	struct rec_name *n;
	struct rec_form *f;

	if (system.n) {
		buf_add(&full, system.p, (size_t)system.n);
		buf_putc(&full, ':');
	}
	buf_add(&full, name.p, (size_t)name.n);
	n = map_get(&r->names, full.p, (int)full.n);
	f = n ? rec_own_form(r, n) : map_get(&r->live, full.p, (int)full.n);
	buf_fini(&full);
	return f;
}

static const struct cat_event *find_event(void *self, struct str system, struct str name)
{
	struct rec_form *f = find_form(self, system, name);

	if (!f && str_is(name, "cpu@start"))
		return rec_start_event(self);
	if (!f)
		return NULL;
	rec_form_build(self, f);
	return &f->cat;
}

static const struct cat_syscall *find_syscall(void *self, struct str name)
{
	const struct call_row *row = call_row_find(name);
	struct rec_call *c = map_get_str(&((struct recorded *)self)->calls,
					 row ? str_of(row->name) : name);

	if (!c)
		return NULL;
	rec_call_build(self, c);
	return &c->cat;
}

static const struct cat_event *find_syscall_event(void *self, enum cat_kind kind)
{
	struct recorded *r = self;

	return kind == CAT_SYSCALL_ENTER ? &r->enter : &r->exit;
}

static void list_names(const char *const *names, int n, struct str glob,
		       void (*each)(void *arg, const char *name), void *arg)
{
	for (int i = 0; i < n; i++)
		if (str_glob(glob, str_of(names[i])))
			each(arg, names[i]);
}

/* An event has two names: with a system's name in the glob the live ones are meant. */
static void list(void *self, enum cat_list what, struct str glob,
		 void (*each)(void *arg, const char *name), void *arg)
{
	struct recorded *r = self;

	if (what == LIST_SYSCALLS) {
		const struct call_row *row = str_is_glob(glob) ? NULL : call_row_find(glob);

		if (row)
			glob = str_of(row->name);
		list_names(r->call_names.v, r->call_names.n, glob, each, arg);
		return;
	}
	list_names(r->own_names.v, r->own_names.n, glob, each, arg);
	if (glob.n && memchr(glob.p, ':', (size_t)glob.n))
		list_names(r->live_names.v, r->live_names.n, glob, each, arg);
}

/* ---- common fields ---- */

#define LACKING(name_, why) { .name = name_, .loc = LOC_NONE, .unable = why }
#define CONTEXT(types) "not in this trace: no event has it as a context (lttng add-context --type " \
	types ")"

/* Those that a trace may lack, and what it says then. */
static const struct {
	int word, stacks;		/* -1; bits for REC_KERNEL and REC_USER */
	struct cat_field lacking;
} may_lack[] = {
	{ RECORD_PID, 0, LACKING("pid", CONTEXT("pid, of programs vpid")) },
	{ RECORD_TID, 0, LACKING("tid", CONTEXT("tid, of programs vtid")) },
	{ RECORD_PPID, 0, LACKING("ppid", CONTEXT("ppid")) },
	{ RECORD_COMM, 0, LACKING("comm", CONTEXT("procname")) },
	{ RECORD_UID, 0, LACKING("uid", CONTEXT("uid, of programs vuid")) },
	{ RECORD_GID, 0, LACKING("gid", CONTEXT("gid, of programs vgid")) },
	{ RECORD_CGROUP, 0, LACKING("cgroup", "not in a trace") },
	{ -1, 1 << REC_KERNEL, LACKING("kstack", CONTEXT("callstack-kernel")) },
	{ -1, 1 << REC_USER, LACKING("ustack", CONTEXT("callstack-user")) },
	{ -1, 1 << REC_KERNEL | 1 << REC_USER,
	  LACKING("stack", CONTEXT("callstack-kernel and callstack-user")) },
};

static bool is_known(struct recorded *r, int word, int stacks)
{
	if (word >= 0)
		return rec_word_is_known(r, word);
	return (stacks & 1 << REC_KERNEL && rec_stack_is_known(r, REC_KERNEL)) ||
	       (stacks & 1 << REC_USER && rec_stack_is_known(r, REC_USER));
}

static const struct cat_field *find_common(void *self, struct str name)
{
	for (size_t i = 0; i < sizeof(may_lack) / sizeof(*may_lack); i++)
		if (str_is(name, may_lack[i].lacking.name) &&
		    !is_known(self, may_lack[i].word, may_lack[i].stacks))
			return &may_lack[i].lacking;
	return plain_common(self, name);
}

/* ---- constants and enumerators ---- */

static const struct {
	const char *name;
	int64_t number;
} constants[] = {
#define CONSTANT(name_, number_) { name_, number_ },
#include "trace/lttng.def"
};

static bool find_constant(struct str name, int64_t *value, struct type *t)
{
	for (size_t i = 0; i < sizeof(constants) / sizeof(*constants); i++) {
		if (!str_is(name, constants[i].name))
			continue;
		*value = constants[i].number;
		*t = type_int;
		return true;
	}
	return false;
}

static bool find_enumerator(void *self, struct str name, int64_t *value, struct type *t)
{
	struct recorded *r = self;

	for (int i = 0; i < r->enums.n; i++)
		for (int k = 0; k < r->enums.v[i]->n; k++) {
			if (!str_is(name, r->enums.v[i]->values[k].name))
				continue;
			*value = r->enums.v[i]->values[k].value;
			*t = (struct type){ .kind = TY_ENUM, .size = 8, .is_signed = true,
					    .en = r->enums.v[i] };
			return true;
		}
	return find_constant(name, value, t);
}

const struct catalog_ops recorded_catalog_ops = {
	.list_help = "culprit list events --trace PATH shows what the trace has",
	.event = find_event,
	.syscall = find_syscall,
	.syscall_event = find_syscall_event,
	.list = list,
	.enumerator = find_enumerator,
	.told = rec_told,
	.list_told = rec_list_told,
	.valueless = rec_valueless,
	.common = find_common,
	PLAIN_TYPES,
};
