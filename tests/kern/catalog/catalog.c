/* The catalog of the running kernel: what can be named, with and without tracefs. */
#include "event/calls.h"
#include "event/facts.h"
#include "kern/catalog/impl.h"
#include "kern/types/tracefs.h"
#include "test.h"

static struct features features;
static struct kernel_catalog *kc;
static const struct catalog *c;

static void open_catalog(const char *without)
{
	static struct arena arena;
	struct err e = { .arena = &arena };

	kernel_catalog_close(kc);
	features_fini(&features);
	if (without)
		CHECK(feature_force_off(&features, without));
	kc = kernel_catalog_open(&e, &features);
	if (!kc)
		SKIP("neither BTF nor tracefs here");
	c = kernel_catalog_catalog(kc);
}

static const struct cat_event *event(const char *system, const char *name)
{
	return c->ops->event(c->self, str_of(system), str_of(name));
}

static const struct cat_field *field(const struct cat_event *e, const char *name)
{
	for (int i = 0; e && i < e->n_fields; i++)
		if (!strcmp(e->fields[i].name, name))
			return &e->fields[i];
	return NULL;
}

static const struct cat_field *arg(const struct cat_event *e, const char *name)
{
	for (int i = 0; e && i < e->n_args; i++)
		if (!strcmp(e->args[i].name, name))
			return &e->args[i];
	return NULL;
}

static void need_btf(void)
{
	if (!feature_has(&features, FEATURE_BTF))
		SKIP("no BTF here");
}

TEST(sched_switch)
{
	const struct cat_event *e;
	const struct cat_field *f;

	open_catalog(NULL);
	need_btf();
	e = event("sched", "sched_switch");
	REQUIRE(e && e->btf_id && e->n_args >= 3);
	CHECK(e == event("sched", "sched_switch"));
	CHECK(e->exclusive && !e->interrupt);
	CHECK_STR(e->owner, "prev");
	f = arg(e, "prev");
	REQUIRE(f && f->type.kind == TY_PTR);
	CHECK_STR(c->ops->ktype_name(c->self, f->type.ktype), "task_struct");
	f = field(e, "prev_pid");
	REQUIRE(f);
	CHECK_EQ(f->type.kind, TY_TID);
	CHECK_STR(f->from_args, "prev.pid");
	f = field(e, "prev_comm");
	REQUIRE(f);
	CHECK(f->type.kind == TY_STRING && f->type.bytes == 16);
	f = field(e, "prev_state");
	REQUIRE(f && f->from_args && f->raw && f->from_raw);
	CHECK(f->type.en == &task_state_enum && f->raw->type.kind == TY_INT);
}

TEST(no_such_event)
{
	open_catalog(NULL);
	CHECK(!event("sched", "sched_swatch"));
	CHECK(!event("../events/sched", "sched_switch"));
	CHECK(!event("sched", "../sched/sched_switch"));
	CHECK(!event("", ""));
	CHECK(!c->ops->syscall(c->self, str_of("no_such_call")));
	/* the tracer's own records have formats, and can't be attached to */
	CHECK(!event("ftrace", "function"));
}

TEST(without_tracefs)
{
	const struct cat_event *e;
	const struct cat_field *f;

	open_catalog("tracefs");
	need_btf();
	e = event("sched", "sched_switch");
	REQUIRE(e && e->btf_id && !e->perf_id);
	f = field(e, "prev_comm");
	REQUIRE(f && f->from_args && f->type.kind == TY_STRING);
	e = event("sched", "sched_waking");	/* shares its class */
	f = field(e, "target_cpu");
	REQUIRE(f && f->from_args);
	e = event("sched", "sched_process_exec");
	f = field(e, "filename");
	REQUIRE(f && f->data_loc && f->type.kind == TY_STRING);
	CHECK(!event("sched", "no_such_event"));
}

TEST(without_btf)
{
	const struct cat_event *e;

	open_catalog("btf");
	if (!feature_has(&features, FEATURE_TRACEFS))
		SKIP("no tracefs here");
	e = event("block", "block_rq_issue");
	if (!e)
		SKIP("no block events here");
	CHECK(!e->btf_id && !e->n_args && e->perf_id > 0);
	REQUIRE(field(e, "dev"));
	CHECK_EQ(field(e, "dev")->type.kind, TY_DEVICE);
	CHECK(!field(e, "dev")->from_args);
	CHECK(!c->ops->struct_type(c->self, str_of("task_struct")));
}

/* Both ways of learning the fields must agree. */
TEST(formats_agree_with_btf)
{
	const struct event_fact *fact;
	struct kernel_catalog *first;
	struct features own = { 0 };
	struct err e = { 0 };
	int compared = 0;

	open_catalog("tracefs");
	need_btf();
	if (!feature_has(&own, FEATURE_TRACEFS))
		SKIP("no tracefs here");
	first = kernel_catalog_open(&e, &own);
	REQUIRE(first);
	for (int i = 0; (fact = event_fact_at(i)); i++) {
		const struct catalog *other = kernel_catalog_catalog(first);
		const struct cat_event *a, *b;

		a = other->ops->event(other->self, str_of(fact->system), str_of(fact->name));
		b = event(fact->system, fact->name);
		if (!a || !b || !b->n_fields)
			continue;
		for (int k = 0; k < a->n_fields; k++) {
			const struct cat_field *f = field(b, a->fields[k].name);

			if (!f) {
				TEST_FAIL("%s has no %s", fact->name, a->fields[k].name);
				continue;
			}
			compared++;
			if (a->fields[k].offset != f->offset || a->fields[k].type.kind != f->type.kind)
				TEST_FAIL("%s %s: offset %u %u, kind %d %d", fact->name, f->name,
					  a->fields[k].offset, f->offset, a->fields[k].type.kind,
					  f->type.kind);
		}
	}
	CHECK(compared > 60);
	kernel_catalog_close(first);
	features_fini(&own);
}

TEST(addresses)
{
	const struct cat_event *e;
	const struct cat_field *f;

	open_catalog(NULL);
	if (!feature_has(&features, FEATURE_TRACEFS))
		SKIP("no tracefs here");
	e = event("sock", "inet_sock_set_state");
	REQUIRE(e && e->interrupt);
	f = field(e, "saddr");
	REQUIRE(f && f->raw && f->from_raw);
	CHECK(f->type.kind == TY_IP && f->raw->type.kind == TY_INT && f->raw->size == 4);
	CHECK_STR(f->from_raw, "ip(saddr)");
	f = field(e, "daddr_v6");
	REQUIRE(f && f->raw);
	CHECK(f->type.kind == TY_IP && f->raw->type.kind == TY_ARRAY);
}

/* Every row of field.def whose event and field are here must fit, by one row or another. */
TEST(field_rows_resolve)
{
	const struct field_fact *row;
	int fits = 0;

	open_catalog(NULL);
	need_btf();
	if (!feature_has(&features, FEATURE_TRACEFS))
		SKIP("no tracefs here");
	for (int i = 0; (row = field_fact_at(i)); i++) {
		const struct cat_event *e;
		const struct cat_field *f;

		if (row->raw || str_is_glob(str_of(row->name)))
			continue;
		e = event(row->system, row->name);
		f = field(e, row->field);
		if (f && f->from_args)
			fits++;
		else if (f)
			TEST_FAIL("%s %s: no row fits", row->name, row->field);
	}
	CHECK(fits > 60);
}

TEST(expressions_that_do_not_fit)
{
	const struct cat_event *e;
	struct ktypes *k;

	open_catalog(NULL);
	need_btf();
	k = features_types(&features);
	e = event("sched", "sched_switch");
	CHECK(catalog_expr_resolves(k, e, "prev.pid"));
	CHECK(catalog_expr_resolves(k, e, "(prev as struct task_struct).pid + 1"));
	CHECK(catalog_expr_resolves(k, e, "prev.pid == TCP_CLOSE ? -1 : (next.pid << 2 | 1)"));
	CHECK(!catalog_expr_resolves(k, e, "prev.no_such"));
	CHECK(!catalog_expr_resolves(k, e, "nobody.pid"));
	CHECK(!catalog_expr_resolves(k, e, "(prev as struct nothing).pid"));
	CHECK(!catalog_expr_resolves(k, e, "str(prev.no_such)"));
	CHECK(!catalog_expr_resolves(k, e, "(prev.pid"));
	CHECK(!catalog_expr_resolves(k, e, ""));
}

TEST(format_types)
{
	static const char text[] =
		"name: made_up\nID: 77\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		"\tfield:char old[TASK_COMM_LEN];\toffset:8;\tsize:16;\tsigned:0;\n"
		"\tfield:__data_loc char[] text;\toffset:24;\tsize:4;\tsigned:0;\n"
		"\tfield:pid_t tgid;\toffset:28;\tsize:4;\tsigned:1;\n"
		"\tfield:__u8 saddr[4];\toffset:32;\tsize:4;\tsigned:0;\n"
		"\tfield:__u8 daddr_v6[16];\toffset:36;\tsize:16;\tsigned:0;\n"
		"\tfield:unsigned long v[3];\toffset:56;\tsize:24;\tsigned:0;\n"
		"\tfield:void * function;\toffset:80;\tsize:8;\tsigned:0;\n"
		"\tfield:size_t bytes_req;\toffset:88;\tsize:8;\tsigned:0;\n"
		"\tfield:s8 small;\toffset:96;\tsize:1;\tsigned:1;\n"
		"\tfield:\n\tfield:;\n\tfield:int\n\tfield:int x\n\tfield:[];offset:\n"
		"print fmt: \"\"\n\tfield:int late;\toffset:0;\tsize:4;\tsigned:1;\n";
	struct arena a = { 0 };
	struct cat_event e = { 0 };

	tracefs_parse(&a, NULL, text, false, &e);
	CHECK_EQ(e.perf_id, 77);
	CHECK_EQ(e.n_fields, 10);
	CHECK(!field(&e, "common_type") && !field(&e, "late"));
	CHECK_EQ(field(&e, "comm")->type.bytes, 16);
	CHECK_EQ(field(&e, "old")->type.bytes, 16);
	CHECK(field(&e, "text")->data_loc && field(&e, "text")->offset == 24);
	CHECK_EQ(field(&e, "tgid")->type.kind, TY_PID);
	CHECK_EQ(field(&e, "saddr")->type.kind, TY_ARRAY);
	CHECK_EQ(field(&e, "v")->type.kind, TY_ARRAY);
	CHECK_EQ(field(&e, "function")->type.kind, TY_KADDR);
	CHECK_EQ(field(&e, "bytes_req")->type.kind, TY_SIZE);
	CHECK(field(&e, "small")->type.is_signed && field(&e, "small")->type.size == 1);
	arena_fini(&a);
}

TEST(format_of_a_system_call_says_registers)
{
	static const char text[] =
		"ID: 782\nformat:\n"
		"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n"
		"\tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n"
		"\tfield:umode_t mode;\toffset:40;\tsize:8;\tsigned:0;\n";
	struct arena a = { 0 };
	struct cat_event e = { 0 };

	tracefs_parse(&a, NULL, text, true, &e);
	REQUIRE(e.n_fields == 4);
	CHECK(field(&e, "dfd")->size == 4 && field(&e, "dfd")->type.is_signed);
	CHECK(field(&e, "filename")->size == 8 && field(&e, "filename")->type.user);
	CHECK(field(&e, "mode")->size == 2 && !field(&e, "mode")->type.is_signed);
	arena_fini(&a);
}

TEST(system_calls)
{
	const struct cat_syscall *s;
	struct cat_member m;

	open_catalog(NULL);
	need_btf();
	s = c->ops->syscall(c->self, str_of("openat"));
	REQUIRE(s && s->nr == 257 && s->n_params == 4);
	CHECK_STR(s->params[1].name, "filename");
	CHECK(s->params[1].type.kind == TY_PTR && s->params[1].type.user);
	CHECK_EQ(s->params[1].loc, LOC_SYSARG);
	CHECK_EQ(s->params[1].index, 1);
	s = c->ops->syscall(c->self, str_of("kill"));
	REQUIRE(s && s->n_params == 2);
	CHECK_EQ(s->params[0].type.kind, TY_PID);
	CHECK_EQ(s->params[1].type.kind, TY_SIGNAL);
	s = c->ops->syscall(c->self, str_of("tgkill"));
	REQUIRE(s && s->n_params == 3);
	CHECK_EQ(s->params[0].type.kind, TY_PID);
	CHECK_EQ(s->params[1].type.kind, TY_TID);
	s = c->ops->syscall(c->self, str_of("read"));
	REQUIRE(s && s->nr == 0);
	CHECK_EQ(s->params[2].type.kind, TY_SIZE);
	s = c->ops->syscall(c->self, str_of("newuname"));
	REQUIRE(s);
	CHECK_STR(s->name, "uname");
	s = c->ops->syscall(c->self, str_of("nanosleep"));
	REQUIRE(s && s->params[0].type.ktype);
	CHECK(c->ops->member(c->self, s->params[0].type.ktype, str_of("tv_nsec"), &m));
	s = c->ops->syscall(c->self, str_of("rt_sigtimedwait"));
	REQUIRE(s);
	CHECK(c->ops->member(c->self, s->params[1].type.ktype, str_of("si_signo"), &m));
}

TEST(system_call_table)
{
	const struct call_row *row;
	int last = -1;

	for (int i = 0; (row = call_row_at(i)); i++) {
		if (row->nr <= last || row->nr >= SYSCALL_MOST)
			TEST_FAIL("%s: number %d after %d", row->name, row->nr, last);
		last = row->nr;
		CHECK(call_row_find(str_of(row->name)) == row);
	}
}

static int listed;

static void count(void *last, const char *name)
{
	char *before = last;

	CHECK(strcmp(before, name) < 0);
	snprintf(before, 200, "%s", name);
	listed++;
}

TEST(lists)
{
	char last[200] = "";

	open_catalog(NULL);
	listed = 0;
	c->ops->list(c->self, LIST_SYSCALLS, str_of("open*"), count, last);
	CHECK(listed >= 4);
	listed = *last = 0;
	c->ops->list(c->self, LIST_EVENTS, str_of("sched:sched_wak*"), count, last);
	CHECK_EQ(listed, 3 + (event("sched", "sched_wake_idle_without_ipi") != NULL));
	listed = *last = 0;
	c->ops->list(c->self, LIST_EVENTS, str_of("sched:sched_switch"), count, last);
	CHECK_EQ(listed, 1);
	listed = *last = 0;
	c->ops->list(c->self, LIST_EVENTS, str_of("ftrace:*"), count, last);
	CHECK_EQ(listed, 0);
	open_catalog("tracefs");
	need_btf();
	listed = *last = 0;
	c->ops->list(c->self, LIST_EVENTS, str_of("*:sched_switch"), count, last);
	CHECK_EQ(listed, 1);
}

TEST(raw_system_call_events)
{
	const struct cat_event *e;

	open_catalog(NULL);
	need_btf();
	e = c->ops->syscall_event(c->self, CAT_SYSCALL_ENTER);
	REQUIRE(e && e->btf_id && e->kind == CAT_SYSCALL_ENTER);
	CHECK_STR(e->name, "sys_enter");
	e = c->ops->syscall_event(c->self, CAT_SYSCALL_EXIT);
	REQUIRE(e && e->btf_id && e->kind == CAT_SYSCALL_EXIT && e->exclusive);
	kernel_catalog_close(kc);
	features_fini(&features);
	kc = NULL;
}
