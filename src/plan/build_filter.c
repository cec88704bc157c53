/*
 * The command line's filters (-p --comm --cgroup ...), as conditions of the rows
 * and begins that they select. They are texts of the language over the event's
 * owner, so that they need no code of their own.
 */
#include "plan/build_period.h"

#include "lang/diag_tags.h"
#include "plan/build_scope.h"

/* The expression of the task that owns the event; NULL: the running thread. */
static const char *owner_of(const struct b_action *e)
{
	const struct cat_event *c = e->event->plan->cat;

	if (c->owner && e->on.n == 1 && str_is(loc_text(e->on.v[0]->loc), "next_pid"))
		return "next";
	return c->owner;
}

struct filter_text {
	struct buf buf;
};

static void term_begin(struct filter_text *t)
{
	buf_puts(&t->buf, t->buf.n ? " && " : "");
}

static void add_numbers(struct filter_text *t, const char *what, const int64_t *v, int n)
{
	if (!n)
		return;
	term_begin(t);
	buf_printf(&t->buf, "((%s) as s64 in (", what);
	for (int i = 0; i < n; i++)
		buf_printf(&t->buf, "%s%lld", i ? ", " : "", (long long)v[i]);
	buf_puts(&t->buf, "))");
}

/* The same of a process or thread, which began then: its number may be another's by now. */
static void add_tasks(struct filter_text *t, const char *what, const char *task, const int64_t *v,
		      const uint64_t *began_ns, int n)
{
	bool known = false;

	for (int i = 0; began_ns && i < n; i++)
		known |= began_ns[i] != 0;
	if (!known) {
		add_numbers(t, what, v, n);
		return;
	}
	term_begin(t);
	for (int i = 0; i < n; i++) {
		unsigned long long ns = began_ns[i];

		buf_printf(&t->buf, "%s(%s) as s64 == %lld", i ? " || " : "(", what, (long long)v[i]);
		if (ns)
			buf_printf(&t->buf, " && %s.start_boottime >= %llu && %s.start_boottime < %llu", task, ns,
				   task, ns + PLAN_TICK_NS);
	}
	buf_puts(&t->buf, ")");
}

static void add_processes(struct filter_text *t, const struct plan_options *o, struct arena *a, const char *pid,
			  const char *task)
{
	add_tasks(t, pid, arena_printf(a, "%s.group_leader", task), o->pids, o->pids_began_ns, o->n_pids);
}

static void add_quoted(struct buf *out, const char *s)
{
	buf_putc(out, '"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			buf_putc(out, '\\');
		buf_putc(out, *s);
	}
	buf_putc(out, '"');
}

/* The process that a source names itself (pid:1234:work()); 0: none. A kernel that attaches
 * to its memory still runs the program for whoever shares that. */
static int64_t named_pid(const struct b_action *e)
{
	return e->side.function ? e->side.function->pid : 0;
}

/* The number of a task in culprit's own PID namespace: of its own one, or of one that it is nested in, so deep
 * at most. 0: it is in another. */
static const char *number_here(struct build *b, const char *task, int nested)
{
	const char *text = "0";

	for (int up = nested; up >= 0; up--)
		text = arena_printf(b->arena, "(%s.thread_pid.level >= %d && "
			"%s.thread_pid.numbers[%s.thread_pid.level - %d].ns.ns.inum == %llu"
			" ? %s.thread_pid.numbers[%s.thread_pid.level - %d].nr as s64 : %s)", task, up, task, task, up,
			(unsigned long long)b->options->pid_ns_inode, task, task, up, text);
	return text;
}

/* Numbers of the running thread are those of culprit's own PID namespace: a call of the kernel, where to follow
 * members up to there costs its verifier 50 ms for each program. */
static void number_here_of_running(struct px *e)
{
	if (e->op == PX_COMMON && (e->common == COMMON_PID || e->common == COMMON_TID))
		e->op = PX_HERE;
	for (int i = 0; i < e->n_kids; i++)
		number_here_of_running(e->kids[i]);
}

/* -p -t --comm --uid and "not culprit itself" as text over the owner; pid: see above. */
static void owner_text(struct build *b, struct filter_text *t, const char *owner, int64_t pid_named)
{
	const struct plan_options *o = b->options;
	const char *task = owner ? owner : "current.task";
	const char *pid = owner ? arena_printf(b->arena, "%s.tgid", owner) : "current.pid";
	const char *tid = owner ? arena_printf(b->arena, "%s.pid", owner) : "current.tid";

	int nested = pid_named ? PLAN_NESTED_MOST : o->nested;

	if (o->pid_namespaced && (owner || nested)) {
		tid = number_here(b, task, nested);
		pid = number_here(b, arena_printf(b->arena, "%s.group_leader", task), nested);
	}
	if (!o->children)
		add_processes(t, o, b->arena, pid, task);
	add_tasks(t, tid, task, o->tids, o->tids_began_ns, o->n_tids);
	if (pid_named && (o->n_pids != 1 || o->pids[0] != pid_named))
		add_numbers(t, pid, &pid_named, 1);
	if (!o->n_pids && !o->n_tids && o->self_pid && !pid_named) {
		term_begin(t);
		buf_printf(&t->buf, "(%s) as s64 != %lld", pid, (long long)o->self_pid);
	}
	if (o->uid >= 0) {
		term_begin(t);
		buf_printf(&t->buf, "(%s%s) as u32 == %lld", owner ? owner : "current",
			   owner ? ".cred.uid.val" : ".uid", (long long)o->uid);
	}
	if (o->comm_glob) {
		term_begin(t);
		buf_printf(&t->buf, "%s.comm ~ ", owner ? owner : "current");
		add_quoted(&t->buf, o->comm_glob);
	}
}

/* A cgroup and all below it: its ancestor at the level is the one. */
static struct px *cgroup_filter(struct build *b, struct b_action *e, const char *task)
{
	static const char *const forms[] = {
		"%s.cgroups.dfl_cgrp.level >= %d"
		" && %s.cgroups.dfl_cgrp.ancestors[%d].kn.id == %llu",	/* 6.1 on */
		"%s.cgroups.dfl_cgrp.level >= %d"
		" && %s.cgroups.dfl_cgrp.ancestor_ids[%d] == %llu",	/* before */
	};
	int level = b->options->cgroup_level;
	unsigned long long id = b->options->cgroup_id;

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		const char *text = i == 0
			? arena_printf(b->arena, forms[0], task, level, task, level, id)
			: arena_printf(b->arena, forms[1], task, level, task, level, id);
		struct px *px = build_text(b, e, true, text);

		if (px)
			return px;
	}
	diag_error(b->diag, DIAG_NO_OWNER, e->loc, "--cgroup does not work on this kernel: its types have no such member");
	return NULL;
}

static struct px *followed_filter(struct build *b, struct b_action *e, const char *task)
{
	struct px *kid = build_text(b, e, false, task);

	return px_truth(b->env, PX_FOLLOWED, e->loc, 1, &kid);
}

/* -p --children: of these processes, or followed since one of them made it. */
static struct px *children_filter(struct build *b, struct b_action *e, const char *owner)
{
	struct px *kid = followed_filter(b, e, owner ? owner : "current.task"), *px;
	struct filter_text t = { 0 };

	add_processes(&t, b->options, b->arena, owner ? arena_printf(b->arena, "%s.tgid", owner) : "current.pid",
		      owner ? owner : "current.task");
	px = build_text(b, e, false, arena_strdup(b->arena, t.buf.p));
	buf_fini(&t.buf);
	return px_both(b->env, OP_OR, px, kid);
}

static struct px *cpu_filter(struct build *b, struct b_action *e)
{
	struct filter_text t = { 0 };
	int64_t *cpus = arena_array(b->arena, int64_t, b->options->n_cpus);
	struct px *px = NULL;

	for (int i = 0; i < b->options->n_cpus; i++)
		cpus[i] = b->options->cpus[i];
	add_numbers(&t, "current.cpu", cpus, b->options->n_cpus);
	if (t.buf.n)
		px = build_text(b, e, false, arena_strdup(b->arena, t.buf.p));
	buf_fini(&t.buf);
	return px;
}

/* text is over the event's owner, of which a trace does not tell everything. */
static struct px *owner_filter(struct build *b, struct b_action *e, const char *owner,
			       const char *text)
{
	bool recorded = owner && e->event->plan->attach == ATTACH_RECORD;
	struct px *px = build_text(b, e, recorded, text);

	if (px && b->options->pid_namespaced && !owner)
		number_here_of_running(px);
	if (!px && recorded) {
		diag_error(b->diag, DIAG_NO_OWNER, e->loc,
			   "the trace does not record the process of %s, which the options select",
			   e->event->plan->name);
		diag_help(b->diag, "to select by the thread that ran then: | where current.pid == ...");
	}
	return px;
}

/* What the command line selects, at this row or begin. */
static struct px *filter(struct build *b, struct b_action *e)
{
	const struct plan_options *o = b->options;
	bool wanted = o->n_pids || o->n_tids || o->uid >= 0 || o->comm_glob || o->cgroup_id;
	const char *owner = owner_of(e);
	struct filter_text t = { 0 };
	struct px *all = cpu_filter(b, e);

	if (e->event->plan->cat->interrupt) {
		if (wanted) {
			diag_error(b->diag, DIAG_NO_OWNER, e->loc,
				   "%s runs in an interrupt: it belongs to no process that an option can select",
				   e->event->plan->name);
			diag_help(b->diag, "leave the option out; --cpu works");
		}
		return all;
	}
	if (owner && e->event->plan->attach == ATTACH_TP_PERF) {
		if (wanted || o->follow)
			diag_error(b->diag, DIAG_MIXED_FORMS, e->loc,
				   "%s cannot be selected by process together with these fields: leave them or the option out",
				   e->event->plan->name);
		return all;
	}
	owner_text(b, &t, owner, named_pid(e));
	if (t.buf.n)
		all = px_both(b->env, OP_AND, all, owner_filter(b, e, owner, arena_strdup(b->arena, t.buf.p)));
	buf_fini(&t.buf);
	if (o->cgroup_id)
		all = px_both(b->env, OP_AND, all, cgroup_filter(b, e, owner ? owner : "current.task"));
	if (o->children)
		all = px_both(b->env, OP_AND, all, children_filter(b, e, owner));
	else if (o->follow)
		all = px_both(b->env, OP_AND, all, followed_filter(b, e, owner ? owner : "current.task"));
	return all;
}

static void add_filter(struct build *b, struct b_action *e)
{
	if (e->plan)
		e->plan->guard = px_both(b->env, OP_AND, filter(b, e), e->plan->guard);
}

/* What is selected may be another at each call of a thread. See build_early.c. */
static void add_left_out(struct build *b, const struct p_period *p, struct b_action *e)
{
	if (e->plan && e->side.syscall && p->is_call && p->store != STORE_ELIDED)
		e->plan->left_out_ends |= !build_end_tells_begin(b->options);
}

/* The ends of culprit's own periods would be counted as having no begin. */
static void add_not_self(struct build *b, struct b_action *e)
{
	const struct plan_options *o = b->options;

	if (!e->plan || o->n_pids || o->n_tids || !o->self_pid || o->pid_namespaced)
		return;
	e->plan->guard = px_both(b->env, OP_AND, build_text(b, e, false,
		arena_printf(b->arena, "current.pid as s64 != %lld", (long long)o->self_pid)),
		e->plan->guard);
}

/* A call that seccomp denies has no entry, only a return with an error, or with its own number where
 * SECCOMP_RET_TRAP has put back what the program had in the register. What was open before the start has
 * none either: the errors that such calls end with when they have waited are no denial. */
static void add_denied(struct build *b, const struct p_period *p, struct b_action *e)
{
	struct px *denied;

	if (!e->plan || !e->side.syscall || p->store == STORE_ELIDED || b->options->has.replay)
		return;
	denied = build_text(b, e, true, "current.task.seccomp.mode == 2 && (ret as s64 == event as s64 || (ret < 0 && "
			    "!(ret in (-EINTR, -EAGAIN, -ETIMEDOUT, -ERESTARTSYS, -ERESTARTNOINTR, "
			    "-ERESTARTNOHAND, -ERESTART_RESTARTBLOCK))))");
	if (denied)
		e->plan->denied = px_both(b->env, OP_AND, filter(b, e), denied);
}

/* A row of a call that began before the start, or in a gap of the trace. */
static void add_alone(struct build *b, const struct p_period *p, struct b_action *e)
{
	if (!e->plan || !p->may_lack_begin || p->split || p->tree || p->store == STORE_ELIDED)
		return;
	if (!b->plan->watches && !b->options->has.replay) {
		b->plan->watches = true;
		b->plan->g_watching = b->plan->n_globals++;
	}
	e->plan->alone = true;
	e->plan->alone_guard = filter(b, e);
}

void build_filters(struct build *b)
{
	for (int i = 0; i < b->periods.n; i++) {
		struct b_period *p = b->periods.v[i];

		for (int k = 0; k < p->begins.n; k++) {
			add_filter(b, &p->begins.v[k]);
			add_left_out(b, p->plan, &p->begins.v[k]);
		}
		for (int k = 0; p->plan->store == STORE_ELIDED && k < p->ends.n; k++)
			add_filter(b, &p->ends.v[k]);
		for (int k = 0; p->plan->is_call && k < p->ends.n; k++) {
			add_denied(b, p->plan, &p->ends.v[k]);
			add_alone(b, p->plan, &p->ends.v[k]);
		}
		for (int k = 0; p->same_thread && p->plan->store == STORE_HASH && k < p->ends.n; k++)
			add_not_self(b, &p->ends.v[k]);
	}
	for (int i = 0; i < b->rows.n; i++)
		add_filter(b, b->rows.v[i]);
}
