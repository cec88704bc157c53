/* Threads that were in a call before the start: see before.h. */
#include "kern/live/before.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/units.h"
#include "event/calls.h"
#include "kern/live/scope.h"

#define FEW_CALLS 16			/* these names mean somebody is after them */
#define NAMED_MOST 3

struct thread {
	struct before_call call;	/* nr -1: it waits for something else */
	char where[256];		/* its line in /proc/PID/syscall */
	uint64_t switches;		/* how often it left a CPU */
	bool still;			/* it did not run since the look before, */
	bool ran;			/* or at any time since the first one */
};

struct before {
	const struct plan *plan;
	const struct plan_options *scope;
	uint64_t since_ns;
	int n;
	bool full;			/* some found no room */
	struct thread *threads;
	int n_calls;
	struct before_call *calls;	/* of those that are left */
};

/* ---- /proc ---- */

static int read_file(int64_t tid, const char *name, char *text, size_t room)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%lld/%s", (long long)tid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, room - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	return (int)n;
}

/* The number behind a word that begins a line; -1: there is none. */
static int64_t number_of(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	return at ? strtoll(at + strlen(word), NULL, 10) : -1;
}

/* "nr arg0 .. arg5 sp pc", "-1 sp pc" of one that is in none, or "running". */
static bool read_where(struct thread *t, int64_t tid)
{
	unsigned long long v[8];
	int n;

	if (read_file(tid, "syscall", t->where, sizeof(t->where)) <= 0 || t->where[0] == 'r')
		return false;
	t->where[strcspn(t->where, "\n")] = 0;
	n = sscanf(t->where, "%d %llx %llx %llx %llx %llx %llx %llx %llx", &t->call.nr, &v[0], &v[1], &v[2],
		   &v[3], &v[4], &v[5], &v[6], &v[7]);
	/* a thread of the kernel has no stack of a program; a call of 32 bits has another's number */
	if (n != 9 || v[6] >> 32 == 0)
		t->call.nr = -1;
	for (int i = 0; i < 6 && t->call.nr >= 0; i++)
		t->call.args[i] = v[i];
	return true;
}

/* Who it is, and how often it left a CPU. False: it does not wait; what is stopped may be behind the end
 * of its call. */
static bool read_status(struct thread *t, int64_t tid)
{
	struct before_call *c = &t->call;
	char text[4096];
	const char *state;
	int n;

	if (read_file(tid, "status", text, sizeof(text)) <= 0)
		return false;
	state = strstr(text, "\nState:\t");
	if (!state || !strchr("SDI", state[8]))
		return false;
	n = (int)strcspn(text + 6, "\n");	/* behind "Name:\t" */
	snprintf(c->comm, sizeof(c->comm), "%.*s", n, text + 6);
	c->tid = tid;
	c->pid = number_of(text, "\nTgid:\t");
	c->ppid = number_of(text, "\nPPid:\t");
	c->uid = number_of(text, "\nUid:\t");
	c->gid = number_of(text, "\nGid:\t");
	t->switches = (uint64_t)number_of(text, "\nvoluntary_ctxt_switches:\t") +
		      (uint64_t)number_of(text, "\nnonvoluntary_ctxt_switches:\t");
	return true;
}

/* ---- who is meant ---- */

static bool is_among(int64_t number, const int64_t *numbers, int n)
{
	for (int i = 0; i < n; i++)
		if (numbers[i] == number)
			return true;
	return n == 0;
}

static bool is_meant(const struct plan_options *o, const struct before_call *c)
{
	return is_among(c->pid, o->pids, o->n_pids) && is_among(c->tid, o->tids, o->n_tids) &&
	       (o->uid < 0 || c->uid == o->uid) && c->pid != o->self_pid &&
	       (!o->comm_glob || str_glob(str_of(o->comm_glob), str_of(c->comm)));
}

/* Does the command line say whose they are? Else all that sleep in peace would be told. */
static bool are_named(const struct plan_options *o)
{
	return o->n_pids || o->n_tids || o->uid >= 0 || o->comm_glob;
}

static bool is_asked(const struct before *b, const struct thread *t)
{
	int nr = t->call.nr;

	if (nr >= 0 && nr < SYSCALL_MOST && b->plan->before_calls.bits[nr / 64] >> (nr % 64) & 1)
		return true;
	return b->plan->before_waits && are_named(b->scope);
}

/* ---- the first look ---- */

static void add_thread(struct before *b, int64_t tid)
{
	struct thread t = { .still = true };

	b->full |= b->n == BEFORE_MOST;
	if (b->full || !read_where(&t, tid) || !is_asked(b, &t) || !read_status(&t, tid) ||
	    !is_meant(b->scope, &t.call))
		return;
	t.call.since_ns = b->since_ns;
	scope_started(&t.call.tid, 1, &t.call.started_ns);
	scope_started(&t.call.pid, 1, &t.call.process_started_ns);
	b->threads[b->n++] = t;
}

static void add_folder(struct before *b, const char *path, void (*each)(struct before *b, int64_t number))
{
	DIR *d = opendir(path);
	const struct dirent *e;

	while (d && (e = readdir(d)))
		if (isdigit((unsigned char)e->d_name[0]))
			each(b, strtoll(e->d_name, NULL, 10));
	if (d)
		closedir(d);
}

static void add_process(struct before *b, int64_t pid)
{
	char path[64];

	if (pid == b->scope->self_pid)
		return;
	snprintf(path, sizeof(path), "/proc/%lld/task", (long long)pid);
	add_folder(b, path, add_thread);
}

static void add_all(struct before *b)
{
	const struct plan_options *o = b->scope;

	for (int i = 0; i < o->n_tids; i++)
		add_thread(b, o->tids[i]);
	for (int i = 0; i < o->n_pids && !o->n_tids; i++)
		add_process(b, o->pids[i]);
	if (!o->n_tids && !o->n_pids)
		add_folder(b, "/proc", add_process);
}

struct before *before_open(const struct plan *plan, const struct plan_options *scope, uint64_t now_ns)
{
	struct before *b;

	if ((!plan->before_calls.n && !plan->before_waits) || !scope || (scope->follow && !scope->children) ||
	    scope->pid_namespaced || scope->cgroup_id)
		return NULL;
	b = xcalloc(1, sizeof(*b));
	b->threads = xcalloc(BEFORE_MOST, sizeof(*b->threads));
	b->plan = plan;
	b->scope = scope;
	b->since_ns = now_ns;
	add_all(b);
	b->calls = xcalloc((size_t)b->n + 1, sizeof(*b->calls));
	return b;
}

void before_close(struct before *b)
{
	if (!b)
		return;
	free(b->threads);
	free(b->calls);
	free(b);
}

/* ---- later looks ---- */

/* In the same call, by its registers? What only waits must not have run. */
static bool is_left(struct thread *t, bool last)
{
	struct thread now = { .still = false };

	if (!read_where(&now, t->call.tid) || strcmp(now.where, t->where) ||
	    !read_status(&now, t->call.tid) || now.call.pid != t->call.pid)
		return false;
	t->still = now.switches == t->switches;
	t->ran |= !t->still;
	t->switches = now.switches;
	return t->still || (t->call.nr >= 0 && !last);
}

void before_look(struct before *b, bool last)
{
	int left = 0;

	if (!b)
		return;
	b->n_calls = 0;
	for (int i = 0; i < b->n; i++) {
		struct thread *t = &b->threads[i];

		if (!is_left(t, last))
			continue;
		if (t->still && t->call.nr >= 0)
			b->calls[b->n_calls++] = t->call;
		b->threads[left++] = *t;
	}
	b->n = left;
}

int before_calls(const struct before *b, const struct before_call **calls)
{
	*calls = b ? b->calls : NULL;
	return b ? b->n_calls : 0;
}

/* ---- what is said of them ---- */

static const char *call_name(int nr)
{
	const struct call_row *row = nr < 0 ? NULL : call_row_by_number(nr);

	return row ? row->name : nr < 0 ? "no system call" : "a system call";
}

static void put_thread(const struct thread *t, struct buf *out)
{
	char at[64];

	buf_printf(out, "%s%s (%lld) in %s", out->n ? ", " : "", t->call.comm, (long long)t->call.tid,
		   call_name(t->call.nr));
	if (read_file(t->call.tid, "wchan", at, sizeof(at)) > 0 && strcmp(at, "0"))
		buf_printf(out, " at %s", at);
}

int before_losses(const struct before *b, uint64_t now_ns, struct arena *a, struct loss *l)
{
	char ago[UNITS_TEXT_BYTES];
	struct buf names = { 0 };
	uint64_t n = 0;

	if (!b || (!are_named(b->scope) && b->plan->before_calls.n > FEW_CALLS))
		return 0;
	for (int i = 0; i < b->n; i++)
		if (!b->threads[i].ran && n++ < NAMED_MOST)
			put_thread(&b->threads[i], &names);
	*l = (struct loss){ LOSS_BEFORE, "", n, true, 0 };
	l->what = arena_printf(a, "threads have waited since before the start, for more than %s: %s%s%s",
			       units_format_duration((int64_t)(now_ns - b->since_ns), ago),
			       names.n ? names.p : "", n > NAMED_MOST ? ", ..." : "",
			       b->full ? "; not all threads found room to be looked at" : "");
	buf_fini(&names);
	return 1;
}
