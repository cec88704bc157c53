/* Expressions over made events: what they become, and the mistakes. */
#include "plan/check.h"
#include "session/compile.h"

#include "made_catalog.h"
#include "test.h"

static struct arena arena;
static struct diag diag;
static struct check_env env;
static struct catalog catalog = { .ops = &made_catalog_ops };
static struct form_use form;
static char got[4096];

enum where { AT_ISSUE, AT_COMPLETE, AT_OPEN_RETURN, IN_PERIOD, IN_CALL, AT_END, IN_PROGRAM };

/* What is kept at the begin: checked there, shown as kept(...). */
static struct px *keep(struct scope *s, const struct ax *e)
{
	struct scope begin = { .env = s->env, .begin = s->begin };
	struct px *x = check_expr(&begin, e), *slot = arena_new(&arena, struct px);

	if (x->type.kind == TY_POISON)
		return x;
	*slot = (struct px){ .op = PX_SLOT, .type = x->type, .loc = e->loc };
	return slot;
}

static const struct cat_field program_params[] = {
	{ .name = "of", .type = { .kind = TY_PTR, .size = 8, .user = true }, .loc = LOC_FUNCARG },
};
static const struct cat_event entry = { .kind = CAT_FUNC_ENTER, .name = "work" };
static const struct cat_function program_function = {
	.name = "work", .path = "/bin/work", .n_params = 1, .params = program_params,
};

/* The program has a struct of a name of the kernel's. */
static uint32_t program_struct(void *self, const char *path, struct str name)
{
	(void)self;
	return !strcmp(path, "/bin/work") && str_is(name, "request") ? KT_DISK : 0;
}

static struct side side_of(const struct cat_event *event)
{
	return (struct side){ .event = event, .form = &form, .name = event->name };
}

static struct side side_of_open(bool is_return)
{
	return (struct side){ .event = is_return ? &sys_exit : &sys_enter, .syscall = &made_open,
			      .is_return = is_return, .name = "open" };
}

static struct scope scope_of(enum where where)
{
	struct scope s = { .env = &env };

	switch (where) {
	case AT_ISSUE: s.end = side_of(&issue); break;
	case AT_COMPLETE: s.end = side_of(&complete); break;
	case AT_OPEN_RETURN: s.end = side_of_open(true); break;
	case IN_PROGRAM:
		s.end = side_of(&entry);
		s.end.function = &program_function;
		break;
	case IN_CALL:
		s.begin = side_of_open(false);
		s.end = side_of_open(true);
		break;
	case IN_PERIOD: case AT_END:
		s.begin = side_of(&issue);
		s.end = side_of(&complete);
		s.in_end = where == AT_END;
		break;
	}
	if (s.begin.event)
		s.keep = keep;
	return s;
}

static struct px *typed(enum where where, const char *text)
{
	struct scope s = scope_of(where);
	struct source_text *t;
	struct ax *e;

	arena_fini(&arena);
	diag = (struct diag){ .arena = &arena };
	env.arena = &arena;
	env.diag = &diag;
	env.catalog = &catalog;
	env.registry = &language;
	form = (struct form_use){ 0 };
	t = arena_new(&arena, struct source_text);
	*t = (struct source_text){ "query", str_of(text) };
	e = parse_expr(&arena, &diag, t);
	if (!e)
		return NULL;
	return check_expr(&s, e);
}

/* "the expression: its type", or the tag of the mistake (with " ..." if more). */
static const char *said(enum where where, const char *text)
{
	struct px *x = typed(where, text);
	struct buf b = { 0 };

	if (diag.items.n) {
		snprintf(got, sizeof(got), "%s%s", diag.items.v[0].tag,
			 diag.items.n > 1 ? " ..." : "");
		return got;
	}
	px_print(x, &b);
	snprintf(got, sizeof(got), "%s: %s", b.p, type_name(&x->type));
	buf_fini(&b);
	return got;
}

static const char *help(void)
{
	return diag.items.n && diag.items.v[0].help ? diag.items.v[0].help : "";
}

TEST(names_of_an_event)
{
	CHECK_STR(said(AT_ISSUE, "sector"), "sector: integer");
	CHECK_STR(said(AT_ISSUE, "pid"), "pid: tid");
	CHECK_STR(said(AT_ISSUE, "current.pid"), "current.pid: pid");
	CHECK_STR(said(AT_ISSUE, "comm"), "current.comm: string");
	CHECK_STR(said(AT_ISSUE, "task"), "current.task: pointer");
	CHECK_STR(said(AT_ISSUE, "sectr"), "no-field");
	CHECK(strstr(help(), "did you mean 'sector'? fields: sector bytes cmd"));
	CHECK_STR(said(AT_ISSUE, "com"), "no-field");
	CHECK_STR(said(AT_ISSUE, "cpus"), "no-field");
	CHECK_STR(help(), "did you mean 'cpu'?");
	CHECK_STR(said(AT_ISSUE, "current.sector"), "no-field");
	CHECK_STR(said(AT_ISSUE, "duration"), "no-period");
	CHECK_STR(said(AT_ISSUE, "begin.sector"), "no-begin");
	CHECK_STR(said(AT_ISSUE, "end.sector"), "no-end");
	CHECK_STR(said(AT_ISSUE, "via.sector"), "no-via");
	CHECK_STR(said(AT_ISSUE, "kstack"), "current.kstack: stack");
}

TEST(names_of_a_period)
{
	CHECK_STR(said(IN_PERIOD, "duration"), "duration: duration");
	CHECK_STR(said(IN_PERIOD, "sector"), "kept[0]: integer");
	CHECK_STR(said(IN_PERIOD, "begin.sector"), "kept[0]: integer");
	CHECK_STR(said(IN_PERIOD, "end.error"), "error: integer");
	CHECK_STR(said(IN_PERIOD, "error"), "error: integer");
	CHECK_STR(said(IN_PERIOD, "rq"), "ambiguous-name");
	CHECK_STR(help(), "write begin.rq or end.rq");
	CHECK_STR(said(IN_PERIOD, "comm"), "kept[0]: string");
	CHECK_STR(said(IN_PERIOD, "time"), "current.time: time");
	CHECK_STR(said(IN_PERIOD, "end.current.comm"), "current.comm: string");
	CHECK_STR(said(IN_PERIOD, "begin.current.comm"), "kept[0]: string");
	CHECK_STR(said(IN_PERIOD, "end.comm"), "interrupt-field");
	CHECK_STR(said(IN_PERIOD, "begin.rq.disk.dev"), "kept[0]: device");
	CHECK_STR(said(IN_PERIOD, "str(begin.rq.label)"), "kept[0]: string");
	CHECK_STR(said(IN_PERIOD, "begin.rq.flags + sector"), "(kept[0] + kept[0]): integer");
	CHECK_STR(said(IN_PERIOD, "disk(begin.rq.disk.dev)"), "disk(kept[0]): device");
	CHECK_STR(said(IN_PERIOD, "begin.sectr"), "no-field");
	CHECK_STR(said(IN_PERIOD, "nothing"), "no-field");
	CHECK_STR(said(AT_END, "rq == begin.rq"), "(rq == kept[0]): bool");
	CHECK_STR(said(AT_END, "sector"), "no-field");
	CHECK_STR(said(AT_END, "duration > 1ms"), "(duration > 1000000ns): bool");
}

TEST(names_of_a_call)
{
	CHECK_STR(said(IN_CALL, "ret < 0"), "(ret < 0): bool");
	CHECK_STR(said(IN_CALL, "fd"), "kept[0]: integer");
	CHECK_STR(said(IN_CALL, "end.fd"), "fd: integer");
	CHECK_STR(said(IN_CALL, "str(filename)"), "kept[0]: string");
	CHECK_STR(said(AT_OPEN_RETURN, "str(filename)"), "str(filename): string");
	CHECK_STR(said(AT_OPEN_RETURN, "ret"), "ret: integer");
	CHECK_STR(said(AT_OPEN_RETURN, "filename"), "filename: pointer");
	CHECK_EQ(typed(AT_OPEN_RETURN, "str(filename, 40)")->type.bytes, 40);
	CHECK_EQ(typed(AT_OPEN_RETURN, "str(filename)")->space, SPACE_USER);
	CHECK_EQ(typed(AT_OPEN_RETURN, "str(ret)")->space, SPACE_EITHER);
}

TEST(interrupts)
{
	CHECK_STR(said(AT_COMPLETE, "comm"), "interrupt-field");
	CHECK_STR(help(), "write current.comm for the thread that was interrupted");
	CHECK_STR(said(AT_COMPLETE, "current.comm"), "current.comm: string");
	CHECK_STR(said(AT_COMPLETE, "cpu"), "current.cpu: integer");
}

TEST(members)
{
	struct px *x;

	CHECK_STR(said(AT_ISSUE, "rq.disk.dev"), "rq.disk.dev: device");
	x = typed(AT_ISSUE, "rq.disk.dev");
	CHECK(x->direct && x->kids[0]->direct);
	x = typed(AT_ISSUE, "rq.in.b");
	CHECK(x->direct && x->op == PX_LOAD && x->offset == 88 && x->kids[0]->op == PX_FIELD);
	CHECK(!typed(AT_ISSUE, "maybe.disk.dev")->direct);
	x = typed(AT_ISSUE, "rq.other.dev");
	CHECK(!x->direct && !x->kids[0]->direct);
	CHECK(!typed(AT_ISSUE, "(rq as struct request).flags")->direct);
	CHECK_EQ(typed(AT_ISSUE, "(rq as struct request).flags")->space, SPACE_KERNEL);
	CHECK_EQ(typed(AT_OPEN_RETURN, "(filename as struct request).flags")->space, SPACE_USER);
	CHECK(typed(AT_ISSUE, "task.tgid")->direct);
	x = typed(AT_ISSUE, "rq.bits");
	CHECK(x->bit_offset == 3 && x->bit_size == 5);
	CHECK_STR(said(AT_ISSUE, "rq.name"), "rq.name: string");
	CHECK_STR(said(AT_ISSUE, "rq.label"), "rq.label: string");
	x = typed(AT_ISSUE, "rq.label");
	CHECK(x->type.bytes == 128 && x->kids[0]->op == PX_LOAD);
	CHECK_STR(said(AT_ISSUE, "rq.nam"), "no-member");
	CHECK(strstr(help(), "did you mean 'name'?"));
	CHECK_STR(said(AT_ISSUE, "rq.flags.x"), "type-mismatch");
	CHECK_STR(said(AT_ISSUE, "rq.in"), "type-mismatch");
	CHECK_STR(diag.items.v[0].message, "a struct is not a value");
	CHECK_STR(help(), "choose a member: rq.in.MEMBER");
	CHECK_STR(said(AT_ISSUE, "rq.ints"), "type-mismatch");
	CHECK_STR(diag.items.v[0].message, "an array is not a value");
	CHECK_STR(help(), "choose an element: rq.ints[0]");
	CHECK_STR(said(AT_ISSUE, "sector as struct disk"), "sector as pointer: pointer");
	CHECK_STR(said(AT_ISSUE, "(sector as struct disk).dev"), "sector as pointer.dev: device");
	CHECK_STR(said(AT_ISSUE, "rq as struct nothing"), "no-struct");
	CHECK_STR(said(AT_ISSUE, "sector as s32"), "sector as s32: integer");
	CHECK_STR(said(AT_ISSUE, "0x1ff as s8"), "-1: integer");
	CHECK_STR(said(AT_ISSUE, "comm as s8"), "not-a-number");
}

/* Who woke is noted only if it is asked. */
TEST(wakers_are_asked_for)
{
	env.wakers = false;
	CHECK_STR(said(AT_ISSUE, "current.comm"), "current.comm: string");
	CHECK(!env.wakers);
	CHECK_STR(said(AT_ISSUE, "waker(current.comm)"), "waker(current.comm): string");
	CHECK(env.wakers);
	env.wakers = false;
}

TEST(struct_of_a_program_before_the_kernels)
{
	struct catalog_ops ops = made_catalog_ops;

	ops.program_struct = program_struct;
	catalog.ops = &ops;
	CHECK_STR(said(IN_PROGRAM, "(of as struct request).dev"), "of as pointer.dev: device");
	CHECK_STR(said(IN_PROGRAM, "(of as struct inner).a"), "of as pointer.a: integer");
	CHECK_STR(said(AT_ISSUE, "(sector as struct request).flags"), "sector as pointer.flags: integer");
	catalog.ops = &made_catalog_ops;
}

TEST(elements)
{
	struct px *x = typed(AT_ISSUE, "rq.ints[2]");

	CHECK(x->op == PX_LOAD && x->offset == 136 && !x->direct && !x->may_none);
	CHECK_STR(said(AT_ISSUE, "rq.ints[4]"), "index-range");
	CHECK_STR(said(AT_ISSUE, "rq.ints[-1]"), "index-range");
	x = typed(AT_ISSUE, "rq.ints[count]");
	REQUIRE(x->op == PX_LOAD && x->kids[0]->op == PX_ELEMENT);
	CHECK(x->may_none && x->kids[0]->number == 4 && x->kids[0]->stride == 4);
	CHECK_EQ(x->kids[0]->kids[0]->offset, 128);
	x = typed(AT_ISSUE, "rq.items[1].b");
	CHECK_EQ(x->offset, 144 + 16 + 8);
	x = typed(AT_ISSUE, "rq.items[count].b");
	CHECK(x->op == PX_LOAD && x->offset == 8 && x->kids[0]->op == PX_ELEMENT);
	x = typed(AT_ISSUE, "rq.flex[count]");
	CHECK_EQ(x->kids[0]->number, -1);
	x = typed(AT_ISSUE, "rq.numbers[3]");
	CHECK(x->offset == 12 && x->type.size == 4);
	x = typed(AT_ISSUE, "rq.name[1]");
	CHECK(x->type.kind == TY_INT && x->type.size == 1 && x->offset == 33);
	CHECK_STR(said(AT_ISSUE, "rq.name[32]"), "index-range");
	CHECK_STR(said(AT_ISSUE, "rq.label[200]"), "rq.label.[+200]: integer");
	CHECK_STR(said(AT_ISSUE, "rq[1]"), "type-mismatch");
	CHECK_STR(said(AT_ISSUE, "sector[1]"), "type-mismatch");
	CHECK_STR(said(AT_ISSUE, "rq.ints[comm]"), "not-a-number");
}

TEST(forms)
{
	struct px *x = typed(AT_ISSUE, "bytes");

	CHECK(x->op == PX_FIELD && x->alt && x->alt->op == PX_LOAD && x->alt->direct);
	CHECK(!form.needs_btf.text && !form.needs_perf.text);
	x = typed(AT_ISSUE, "cmd");
	CHECK(x->alt && x->alt->type.bytes == 16);
	x = typed(AT_ISSUE, "lost + sector");
	CHECK(form.needs_perf.text);
	CHECK_STR(form.perf_what, "lost");
	CHECK(!form.needs_btf.text);
	typed(AT_ISSUE, "rq.flags");
	CHECK_STR(form.btf_what, "rq");
	x = typed(AT_ISSUE, "state");
	REQUIRE(x->n_kids == 1);
	CHECK(x->kids[0]->op == PX_CALL && x->kids[0]->kids[0]->field == &made_raw_state);
	CHECK(form.needs_perf.text);
	CHECK(typed(AT_COMPLETE, "recorded")->may_none);
	CHECK_EQ(diag.items.n, 0);
}

TEST(enums)
{
	CHECK_STR(said(AT_ISSUE, "rq.op == WRITE"), "(rq.op == WRITE): bool");
	CHECK_STR(said(AT_ISSUE, "WRITE == rq.op"), "(WRITE == rq.op): bool");
	CHECK_EQ(typed(AT_ISSUE, "rq.op == (WRITE | pid)")->kids[1]->type.kind, TY_ENUM);
	CHECK_STR(said(AT_ISSUE, "rq.op == pid"), "(rq.op == pid): bool");
	CHECK_EQ(typed(AT_ISSUE, "rq.op == pid")->kids[1]->number, 7);
	CHECK_STR(said(AT_ISSUE, "rq.op == WRIT"), "no-enumerator");
	CHECK(strstr(help(), "did you mean 'WRITE'?"));
	CHECK_STR(said(AT_ISSUE, "rq.op in (READ, WRITE)"), "rq.op in (READ, WRITE): bool");
	CHECK_STR(said(AT_ISSUE, "rq.op ~ \"R*\""), "rq.op in (READ): bool");
	CHECK_STR(said(AT_ISSUE, "state == running"), "(state == running): bool");
	CHECK_STR(said(AT_ISSUE, "state in (disk, sleeping)"), "state in (disk, sleeping): bool");
	CHECK_STR(said(AT_ISSUE, "rq.op == running"), "type-mismatch");
	CHECK_STR(said(AT_ISSUE, "sector == TCP_SYN_RECV"), "(sector == 3): bool");
	CHECK_STR(said(AT_OPEN_RETURN, "ret == -ENOENT"), "(ret == -2): bool");
	CHECK_STR(said(AT_OPEN_RETURN, "errno(ret) == EAGAIN"), "(errno(ret) == 11): bool");
	CHECK_STR(said(AT_ISSUE, "signal(count) == SIGKILL"), "(signal(count) == 9): bool");
}

TEST(units)
{
	CHECK_STR(said(IN_PERIOD, "duration + 1ms * 2"), "(duration + 2000000ns): duration");
	CHECK_STR(said(IN_PERIOD, "duration / 1us"), "(duration / 1000ns): integer");
	CHECK_STR(said(IN_PERIOD, "time - begin.time"), "(current.time - kept[0]): duration");
	CHECK_STR(said(IN_PERIOD, "time + duration"), "(current.time + duration): time");
	CHECK_STR(said(IN_PERIOD, "duration + 1KiB"), "type-mismatch");
	CHECK_STR(said(IN_PERIOD, "duration > 1KiB"), "type-mismatch");
	CHECK_STR(said(IN_PERIOD, "duration * duration"), "type-mismatch");
	CHECK_STR(said(AT_ISSUE, "bytes + 512"), "(bytes + 512): size");
	CHECK_STR(said(AT_ISSUE, "bytes >> 9"), "(bytes >> 9): size");
	CHECK_STR(said(AT_ISSUE, "pid == current.pid"), "pid-tid-compare");
	CHECK_STR(help(), "the kernel's fields named pid hold a thread: write current.tid "
		  "instead of current.pid");
	CHECK_STR(said(AT_ISSUE, "pid == 7"), "(pid == 7): bool");
	CHECK_STR(said(AT_ISSUE, "comm == 7"), "type-mismatch");
	CHECK_STR(said(AT_ISSUE, "comm < \"a\""), "type-mismatch");
	CHECK_STR(said(AT_ISSUE, "comm == bash"), "no-field");
	CHECK_STR(help(), "write a text in quotes: \"bash\"");
	CHECK_STR(said(AT_ISSUE, "comm + 1"), "not-a-number");
	CHECK_STR(said(AT_ISSUE, "comm && 1"), "not-a-number");
	CHECK_STR(said(AT_ISSUE, "comm ~ sector"), "not-a-string");
	CHECK_STR(said(AT_ISSUE, "sector ~ \"x\""), "not-a-string");
	CHECK_STR(said(AT_ISSUE, "rq != 0 && !maybe"), "((rq != 0) && !maybe): bool");
	CHECK_STR(said(AT_ISSUE, "1.5 + sector"), "type-mismatch");
	CHECK_STR(said(AT_ISSUE, "count in (1, sector)"), "type-mismatch");
	CHECK_STR(said(AT_ISSUE, "count ? 1 : \"a\""), "type-mismatch");
}

TEST(signs)
{
	struct px *x = typed(AT_ISSUE, "count < 5");

	CHECK(x->kids[0]->type.is_signed && x->kids[1]->type.is_signed);
	x = typed(AT_ISSUE, "sector < 5");
	CHECK(!x->kids[0]->type.is_signed && !x->kids[1]->type.is_signed);
	CHECK(!typed(AT_ISSUE, "sector + count")->type.is_signed);
	CHECK(typed(AT_ISSUE, "count + 1")->type.is_signed);
	CHECK(typed(AT_ISSUE, "count - cpu")->type.is_signed);
	CHECK(typed(AT_ISSUE, "count - current.pid")->type.is_signed);
	CHECK(typed(AT_ISSUE, "count - uid")->type.is_signed);
	CHECK(!typed(AT_ISSUE, "count - cgroup")->type.is_signed);
}

TEST(comparisons_are_warned_of_in_either_order)
{
	CHECK_STR(said(IN_PERIOD, "duration > 1000"), "bare-number");
	CHECK_STR(said(IN_PERIOD, "1000 < duration"), "bare-number");
	CHECK_STR(said(AT_OPEN_RETURN, "ret == EAGAIN"), "positive-errno");
	CHECK_STR(said(AT_OPEN_RETURN, "EAGAIN == ret"), "positive-errno");
	CHECK_STR(said(AT_ISSUE, "sector < 0"), "never-holds");
	CHECK_STR(said(AT_ISSUE, "0 > sector"), "never-holds");
	CHECK_STR(said(AT_ISSUE, "state == 1"), "type-mismatch");
	CHECK_STR(said(AT_ISSUE, "1 == state"), "type-mismatch");
}

TEST(constants)
{
	CHECK_STR(said(AT_ISSUE, "1 + 2 * 3"), "7: integer");
	CHECK_STR(said(AT_ISSUE, "-7 / 2"), "-3: integer");
	CHECK_STR(said(AT_ISSUE, "-0x8000000000000000 / -1"), "-9223372036854775808: integer");
	CHECK_STR(said(AT_ISSUE, "0x7fffffffffffffff + 1"), "-9223372036854775808: integer");
	CHECK_STR(said(AT_ISSUE, "1 << 65"), "2: integer");
	CHECK_STR(said(AT_ISSUE, "sector / 0"), "out-of-range");
	CHECK_STR(said(AT_ISSUE, "\"abc\" ~ \"a*\""), "1: bool");
	CHECK_STR(said(AT_ISSUE, "\"a\" == \"b\""), "0: bool");
	CHECK_STR(said(AT_ISSUE, "sector && 0"), "0: bool");
	CHECK_STR(said(AT_ISSUE, "sector > 1 || 1 == 2"), "(sector > 1): bool");
	CHECK_STR(said(AT_ISSUE, "true ? sector : 5"), "sector: integer");
	CHECK_STR(said(AT_ISSUE, "3 in (1, 2, 3)"), "1: bool");
	CHECK_STR(said(AT_ISSUE, "min(3, -4)"), "-4: integer");
	CHECK_STR(said(AT_ISSUE, "max(1ms, 5)"), "1000000ns: duration");
	CHECK_STR(said(AT_ISSUE, "abs(-4)"), "4: integer");
	CHECK_STR(said(AT_ISSUE, "port(0x1234)"), "13330: integer");
	CHECK_STR(said(AT_ISSUE, "~0"), "-1: integer");
}

TEST(functions)
{
	struct px *x;

	CHECK_STR(said(AT_ISSUE, "ip(rq.addr4)"), "ip(rq.addr4): ip address");
	CHECK_EQ(typed(AT_ISSUE, "ip(rq.addr4)")->stride, 4);
	CHECK_EQ(typed(AT_ISSUE, "ip(rq.in6)")->stride, 16);
	CHECK_EQ(typed(AT_ISSUE, "ip(count)")->stride, 4);
	CHECK_STR(said(AT_ISSUE, "ip(sector)"), "type-mismatch");
	CHECK_STR(said(AT_ISSUE, "cmdline(task)"), "cmdline(current.task): arguments");
	CHECK_EQ(typed(AT_ISSUE, "cmdline(task, 64)")->type.bytes, 72);
	CHECK_STR(said(AT_ISSUE, "cmdline(rq)"), "type-mismatch");
	CHECK_STR(said(AT_ISSUE, "path(file(count))"), "path(file(count).f_path): path");
	CHECK(typed(AT_ISSUE, "path(file(count))")->may_none);
	CHECK_STR(said(AT_ISSUE, "path(rq)"), "type-mismatch");
	CHECK_STR(said(AT_ISSUE, "sym(rq)"), "sym(rq): address");
	CHECK_STR(said(AT_ISSUE, "usym(rq)"), "usym(rq): user symbol");
	CHECK_STR(said(AT_ISSUE, "bucket(sector)"), "bucket(sector): bucket");
	CHECK_STR(said(AT_ISSUE, "str(comm)"), "current.comm: string");
	CHECK_STR(said(AT_ISSUE, "str(rq, sector)"), "not-a-number");
	CHECK_STR(said(AT_ISSUE, "str(rq, 5000)"), "out-of-range");
	CHECK_STR(said(AT_ISSUE, "dsk(sector)"), "unknown-function");
	CHECK_STR(said(AT_ISSUE, "disk()"), "arg-count");
	CHECK_STR(said(AT_ISSUE, "min(1)"), "arg-count");
	CHECK_STR(said(AT_ISSUE, "share(sector)"), "table-stage-only");
	CHECK_STR(said(AT_ISSUE, "container(cgroup)"), "container(current.cgroup): cgroup");
	x = typed(AT_ISSUE, "reqflags(rq.flags)");
	REQUIRE(x->type.en && x->type.en->n == 1);
	CHECK_STR(x->type.en->values[0].name, "Sync");
	CHECK_EQ(x->type.en->values[0].value, 1 << 11);
}

TEST(several_mistakes)
{
	CHECK_STR(said(AT_ISSUE, "sectr + byts"), "no-field ...");
	CHECK_EQ(diag.items.n, 2);
	CHECK_STR(said(AT_ISSUE, "sectr + 1 == \"a\""), "no-field");
	CHECK_STR(said(AT_ISSUE, "disk(sectr, 1)"), "arg-count ...");
}

static bool others_have(struct scope *s, struct str name, struct type *type)
{
	(void)s;
	*type = type_int;
	return str_is(name, "elsewhere");
}

static struct px *with_elsewhere(const char *text)
{
	struct scope s = scope_of(AT_ISSUE);
	struct source_text *t;

	typed(AT_ISSUE, "1");
	s.elsewhere = others_have;
	t = arena_new(&arena, struct source_text);
	*t = (struct source_text){ "query", str_of(text) };
	return check_expr(&s, parse_expr(&arena, &diag, t));
}

TEST(none)
{
	static const char *const rows[][2] = {
		{ "elsewhere", "none: none" },
		{ "elsewhere == 3", "0: bool" },
		{ "elsewhere != 3", "0: bool" },
		{ "!(elsewhere == 3)", "1: bool" },
		{ "!elsewhere", "1: bool" },
		{ "elsewhere + 1", "none: none" },
		{ "elsewhere || sector > 1", "(sector > 1): bool" },
		{ "elsewhere && sector", "0: bool" },
		{ "elsewhere in (1, 2)", "0: bool" },
		{ "elsewhere ~ \"a\"", "0: bool" },
		{ "elsewhere ? 1 : 2", "2: integer" },
		{ "sector ? elsewhere : 2", "(sector ? none : 2): integer" },
		{ "elsewhere.member[3]", "none: none" },
		{ "disk(elsewhere)", "none: none" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct px *x = with_elsewhere(rows[i][0]);
		struct buf b = { 0 };

		px_print(x, &b);
		buf_printf(&b, ": %s", type_name(&x->type));
		CHECK_STR(b.p, rows[i][1]);
		CHECK_EQ(diag.items.n, 0);
		buf_fini(&b);
	}
}

/* Of what is none a question has an answer: as a key it takes no room for none. */
TEST(questions_are_never_none)
{
	static const char *const texts[] = {
		"(cpu ? sector : elsewhere) == 1", "(cpu ? sector : elsewhere) < 1", "(cpu ? sector : elsewhere) && bytes",
		"(cpu ? sector : elsewhere) || bytes", "!(cpu ? sector : elsewhere)", "(cpu ? sector : elsewhere) in (1, 2)",
		"(cpu ? cmd : elsewhere) == \"a\"", "(cpu ? cmd : elsewhere) ~ \"a*\"",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const struct px *x = with_elsewhere(texts[i]);

		CHECK_EQ(diag.items.n, 0);
		REQUIRE(x->n_kids);
		CHECK(x->kids[0]->may_none && !x->may_none);
	}
}
