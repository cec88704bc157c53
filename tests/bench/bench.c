/*
 * bench: what tracing costs, culprit beside its peers in the same run, as Markdown.
 *
 * Three ways of measuring, each the median of several rounds in which the tracers take
 * turns: `added`, the time that a known piece of work takes more when it is traced;
 * `run`, the kernel's BPF statistics, all run time of all the tracer's programs during
 * the work; `start`, from spawn to the first run of the last of its programs, with its
 * largest resident memory. A new measurement is a row of `rows`. A tracer is any command:
 * its programs are those that were not there before it started.
 *
 *	bench CULPRIT WORK DISK-FILE ROUNDS [ROW ...]
 *
 * Rows of kernel functions are measured only when they are named: they need a kernel that
 * lets them be traced (tests/bench/guest.sh). `tools` names all rows of tools.def; what
 * cannot run on this kernel has none there.
 *
 * The exit status is 0 when all was measured and culprit kept every bar.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CULPRIT, LIBBPF, BPFTRACE, TRACERS, MAX_PROGS = 256, MAX_ROUNDS = 99 };
#define RUNQLAT_BT							\
	"-e 'tracepoint:sched:sched_wakeup, tracepoint:sched:sched_wakeup_new "	\
	"{ @q[args->pid] = nsecs; } tracepoint:sched:sched_switch { "	\
	"if (args->prev_state == 0 || args->prev_state == 256) "	\
	"{ @q[args->prev_pid] = nsecs; } $b = @q[args->next_pid]; "	\
	"if ($b) { @ = hist((nsecs - $b) / 1000); } delete(@q[args->next_pid]); }'"
#define BIOLATENCY_BT							\
	"-e 'tracepoint:block:block_rq_issue { @b[args->dev, args->sector] = nsecs; } "	\
	"tracepoint:block:block_rq_complete /@b[args->dev, args->sector]/ "	\
	"{ @ = hist((nsecs - @b[args->dev, args->sector]) / 1000); "	\
	"delete(@b[args->dev, args->sector]); }'"
#define HARDIRQS_BT							\
	"-e 'tracepoint:irq:irq_handler_entry { @b[cpu] = nsecs; } "	\
	"tracepoint:irq:irq_handler_exit /@b[cpu]/ "			\
	"{ @[args->irq] = sum(nsecs - @b[cpu]); delete(@b[cpu]); }'"

#define CALL_BT								\
	"-e 'uprobe:WORK:part0 { @b[tid] = nsecs; } uretprobe:WORK:part0 /@b[tid]/ "	\
	"{ @ = hist(nsecs - @b[tid]); delete(@b[tid]); }'"

enum how { ADDED, RUN, START };

static const struct row {
	const char *name, *title;
	enum how how;
	const char *work;		/* KIND N of tests/work; the disk file is appended */
	long n;				/* operations of the work */
	int calls;			/* in each operation, if the cost of one is wanted */
	const char *tracer[TRACERS];	/* NULL: none; WORK: the path of tests/work */
	double bar[TRACERS];		/* culprit / that tracer, at most; 0: no bar */
	bool named;			/* only when it is named */
	bool tool;			/* a row of tools.def */
} rows[] = {
	{
		.name = "count", .title = "count by system call", .how = ADDED,
		.work = "getppid", .n = 1000000,
		.tracer = { "run 'syscall:* | count by event'", "syscount",
			"-e 'tracepoint:raw_syscalls:sys_enter { @[args->id] = count(); }'" },
		.bar = { [LIBBPF] = 0.5 },
	}, {
		.name = "time", .title = "time by system call", .how = ADDED,
		.work = "getppid", .n = 1000000,
		.tracer = { "run 'syscall:* | count, sum(duration) by event'", "syscount -L",
			"-e 'tracepoint:raw_syscalls:sys_enter { @s[tid] = nsecs; } "
			"tracepoint:raw_syscalls:sys_exit /@s[tid]/ "
			"{ @[args->id] = sum(nsecs - @s[tid]); delete(@s[tid]); }'" },
		.bar = { [LIBBPF] = 0.6 },
	}, {
		.name = "switch", .title = "run queue latency, a round trip of two switches",
		.how = ADDED, .work = "pingpong", .n = 100000,
		.tracer = { "runqlat", "runqlat", RUNQLAT_BT },
	}, {
		.name = "runqlat", .title = "runqlat, a round trip of two switches", .how = RUN,
		.work = "pingpong", .n = 100000,
		.tracer = { "runqlat", "runqlat", RUNQLAT_BT },
		.bar = { [LIBBPF] = 0.6 },
	}, {
		.name = "offcputime", .title = "offcputime, a round trip of two switches",
		.how = RUN, .work = "pingpong", .n = 100000,
		.tracer = { "offcputime", "offcputime" },
		.bar = { [LIBBPF] = 1.0 },
	}, {
		.name = "biolatency", .title = "biolatency, a read of 4 KiB", .how = RUN,
		.work = "disk", .n = 4000,
		.tracer = { "biolatency", "biolatency", BIOLATENCY_BT },
		.bar = { [LIBBPF] = 1.0 },
	}, {
		.name = "opensnoop", .title = "opensnoop, an open", .how = RUN,
		.work = "open", .n = 50000,
		.tracer = { "opensnoop", "opensnoop", "/usr/sbin/opensnoop.bt" },
		.bar = { [LIBBPF] = 1.0 },
	}, {
		.name = "execsnoop", .title = "execsnoop, a process", .how = RUN,
		.work = "exec", .n = 500,
		.tracer = { "execsnoop", "execsnoop", "/usr/sbin/execsnoop.bt" },
		.bar = { [LIBBPF] = 1.0 },
	}, {
		.name = "hardirqs", .title = "hardirqs, a read of 4 KiB", .how = RUN,
		.work = "disk", .n = 4000,
		.tracer = { "hardirqs", "hardirqs", HARDIRQS_BT },
		.bar = { [LIBBPF] = 1.0 },
	}, {
		.name = "uprobe", .title = "the duration of a user function's call",
		.how = ADDED, .work = "call", .n = 100000,
		.tracer = { "run 'WORK:part0() | hist(duration)'", NULL, CALL_BT },
		.bar = { [BPFTRACE] = 0.6 },
	}, {
		.name = "uprobe-run", .title = "the same, what the programs need of it",
		.how = RUN, .work = "call", .n = 100000,
		.tracer = { "run 'WORK:part0() | hist(duration)'", NULL, CALL_BT },
		.bar = { [BPFTRACE] = 0.6 },
	}, {
		.name = "split", .title = "split with 10 children, a child's call", .how = RUN,
		.work = "parts", .n = 20000, .calls = 10,
		.tracer = { "run 'WORK:whole() | split WORK:part0(), WORK:part1(), WORK:part2(), "
			"WORK:part3(), WORK:part4(), WORK:part5(), WORK:part6(), WORK:part7(), "
			"WORK:part8(), WORK:part9() | count, sum(duration), sum(parts)'" },
	}, {
		.name = "funclatency", .title = "funclatency, a call of vfs_read", .how = RUN,
		.work = "read", .n = 20000, .named = true,
		.tracer = { "funclatency vfs_read", "funclatency vfs_read",
			"-e 'kprobe:vfs_read { @b[tid] = nsecs; } kretprobe:vfs_read /@b[tid]/ "
			"{ @ = hist(nsecs - @b[tid]); delete(@b[tid]); }'" },
		.bar = { [LIBBPF] = 1.0 },
	}, {
		.name = "start", .title = "start to attached", .how = START,
		.tracer = { "run 'syscall:* | count by event'", "syscount",
			"-e 'tracepoint:raw_syscalls:sys_enter { @[args->id] = count(); }'" },
		.bar = { [LIBBPF] = 0.5, [BPFTRACE] = 0.1 },
	},
#define TOOL_ROW(peer, arguments, own, work_, n_, among_tools) {			\
		.name = "tool-" peer, .title = own, .how = RUN, .work = work_, .n = n_,	\
		.tracer = { own, peer " " arguments }, .bar = { [LIBBPF] = 1.0 },		\
		.named = true, .tool = among_tools },
#define TOOL(peer, arguments, own, work, n) TOOL_ROW(peer, arguments, own, work, n, true)
#define TOOL_6_1(peer, arguments, own, work, n) TOOL_ROW(peer, arguments, own, work, n, false)
#define UNMEASURED(peer, why)
#include "tools.def"
#undef TOOL
#undef TOOL_6_1
#undef UNMEASURED
};

static const char *const unmeasured[][2] = {
#define TOOL(peer, arguments, own, work, n)
#define TOOL_6_1(peer, arguments, own, work, n)
#define UNMEASURED(peer, why) { peer, why },
#include "tools.def"
};

static const char *const tracer_dir[TRACERS] = {
	[LIBBPF] = "/usr/sbin/", [BPFTRACE] = "/usr/bin/bpftrace ",
};

struct setup {
	const char *culprit, *work, *disk;
	int rounds;
};

struct prog {
	uint32_t id;
	uint64_t runs, run_ns;
	double first_run_ms;		/* since the tracer's start; 0: not yet */
};

struct progs {
	struct prog p[MAX_PROGS];
	int n;
};

/* One tracer in one row: a value for each round. */
struct samples {
	double v[MAX_ROUNDS], kb[MAX_ROUNDS];
	int n;
};

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int sys_bpf(int cmd, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

/* Statistics are on until the file descriptor is closed. */
static int stats_on(void)
{
	union bpf_attr attr = { .enable_stats.type = BPF_STATS_RUN_TIME };

	return sys_bpf(BPF_ENABLE_STATS, &attr);
}

static bool prog_read(uint32_t id, struct prog *p)
{
	struct bpf_prog_info info = { 0 };
	union bpf_attr attr = { .prog_id = id };
	int fd = sys_bpf(BPF_PROG_GET_FD_BY_ID, &attr), failed;

	if (fd < 0)
		return false;
	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = sizeof(info);
	attr.info.info = (uintptr_t)&info;
	failed = sys_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
	close(fd);
	p->id = id;
	p->runs = info.run_cnt;
	p->run_ns = info.run_time_ns;
	return !failed;
}

/* The programs loaded now whose number is above `after`. */
static void progs_read(struct progs *s, uint32_t after)
{
	union bpf_attr attr = { .start_id = after };

	s->n = 0;
	while (s->n < MAX_PROGS && !sys_bpf(BPF_PROG_GET_NEXT_ID, &attr)) {
		memset(&s->p[s->n], 0, sizeof(s->p[0]));
		if (prog_read(attr.next_id, &s->p[s->n]))
			s->n++;
		attr.start_id = attr.next_id;
	}
}

static uint32_t last_link_id(void)
{
	union bpf_attr attr = { 0 };

	while (!sys_bpf(BPF_LINK_GET_NEXT_ID, &attr))
		attr.start_id = attr.next_id;
	return attr.start_id;
}

/* Whether all are attached: by a link each, or, of a tracer that makes none (bpftrace), one ran. */
static bool progs_attached(const struct progs *s, uint32_t link_before)
{
	union bpf_attr attr = { .start_id = link_before };
	int links = 0;

	for (; !sys_bpf(BPF_LINK_GET_NEXT_ID, &attr); links++)
		attr.start_id = attr.next_id;
	for (int i = 0; !links && i < s->n; i++)
		if (s->p[i].runs)
			return true;
	return links && links >= s->n;
}

static uint32_t last_prog_id(void)
{
	static struct progs s;

	progs_read(&s, 0);
	return s.n ? s.p[s.n - 1].id : 0;
}

/* Splits at blanks; '..' keeps them. Writes into text. */
static void split(char *text, char **argv, int max)
{
	int n = 0;

	while (*text && n < max - 1) {
		char end = ' ';

		while (*text == ' ')
			text++;
		if (*text == '\'')
			end = *text++;
		if (*text)
			argv[n++] = text;
		text += strcspn(text, (char[]){ end, 0 });
		if (*text)
			*text++ = 0;
	}
	argv[n] = NULL;
}

static pid_t spawn(const char *command)
{
	char text[2048], *argv[64];
	pid_t pid = fork();

	if (pid)
		return pid;
	snprintf(text, sizeof(text), "%s", command);
	split(text, argv, 64);
	int null = open("/dev/null", O_RDWR);

	dup2(null, 0);
	dup2(null, 1);
	dup2(null, 2);
	execv(argv[0], argv);
	_exit(127);
}

static void tracer_stop(pid_t pid)
{
	kill(pid, SIGINT);
	for (double end = now_ms() + 5000; now_ms() < end; usleep(1000))
		if (waitpid(pid, NULL, WNOHANG) == pid)
			return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/*
 * Waits until the tracer's programs have been the same for 400 ms, with statistics on;
 * each poll makes system calls, so a program that watches them runs at once. Where not all
 * are attached, that may be on its way, or the tracer reads names first: 5 s.
 */
static bool tracer_ready(pid_t pid, uint32_t before, uint32_t link_before, struct progs *s, double start_ms)
{
	double changed_ms = now_ms();
	static struct progs now;

	for (s->n = 0; now_ms() < start_ms + 20000; usleep(200)) {
		bool same = true;

		if (waitpid(pid, NULL, WNOHANG) == pid)
			return false;
		progs_read(&now, before);
		for (int i = 0; i < now.n; i++) {
			struct prog *p = &now.p[i];

			if (i >= s->n || s->p[i].id != p->id)
				same = false;
			else
				p->first_run_ms = s->p[i].first_run_ms;
			if (p->runs && !p->first_run_ms)
				p->first_run_ms = now_ms() - start_ms;
		}
		if (!same || now.n != s->n)
			changed_ms = now_ms();
		*s = now;
		if (s->n && now_ms() - changed_ms > (progs_attached(s, link_before) ? 400 : 5000))
			return true;
	}
	return false;
}

static double hwm_kb(pid_t pid)
{
	char path[64], line[256];
	double kb = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	FILE *f = fopen(path, "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %lf", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb;
}

/* Runs the work; the ns of one operation by its own clock (0: it tells none), or -1. */
static double work_run(const struct setup *u, const struct row *r)
{
	static const char *const on_disk[] = { "fsync", "again", "brief" };
	const char *chore = strncmp(r->work, "chores ", 7) ? NULL : r->work + 7;
	const char *made = strcmp(r->work, "disk") ? "" : u->disk;
	char command[1024], line[256], file[512];
	double ns = 0;

	snprintf(file, sizeof(file), "%s.made", u->disk);
	for (size_t i = 0; i < sizeof(on_disk) / sizeof(on_disk[0]); i++)
		if (!strcmp(r->work, on_disk[i]))
			made = file;
	if (chore)
		snprintf(command, sizeof(command), "%.*schores %ld %s.chore %s",
			 (int)(strlen(u->work) - strlen("work")), u->work, r->n, u->disk, chore);
	else
		snprintf(command, sizeof(command), "%s %s %ld %s", u->work, r->work, r->n, made);
	FILE *f = popen(command, "r");

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "%*s %*d %lf", &ns);
	return f && !pclose(f) ? ns : -1;
}

static double total_run_ns(uint32_t before)
{
	static struct progs s;
	double ns = 0;

	progs_read(&s, before);
	for (int i = 0; i < s.n; i++)
		ns += (double)s.p[i].run_ns;
	return ns;
}

/* One tracer, one round: false if it could not be measured. */
static bool measure(const struct setup *u, const struct row *r, const char *command,
		    struct samples *out)
{
	static struct progs s;
	uint32_t before = last_prog_id(), link_before = last_link_id();
	double start = now_ms(), v = 0, ran;
	int stats = stats_on();
	pid_t pid = spawn(command);
	bool ok = stats >= 0 && pid > 0 && tracer_ready(pid, before, link_before, &s, start);

	if (!ok && pid > 0)
		tracer_stop(pid);
	if (!ok)
		goto out;
	switch (r->how) {
	case ADDED:
		close(stats);
		stats = -1;
		v = work_run(u, r);
		break;
	case RUN:
		ran = total_run_ns(before);
		ok = work_run(u, r) >= 0;
		v = (total_run_ns(before) - ran) / (double)r->n / (r->calls ? r->calls : 1);
		break;
	case START:
		for (int i = 0; i < s.n; i++)
			if (s.p[i].first_run_ms > v)
				v = s.p[i].first_run_ms;
		break;
	}
	ok = ok && v > 0;
	out->kb[out->n] = hwm_kb(pid);
	out->v[out->n] = v;
	out->n += ok;
	tracer_stop(pid);
out:
	if (stats >= 0)
		close(stats);
	return ok;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const double *v, int n)
{
	double sorted[MAX_ROUNDS];

	memcpy(sorted, v, (size_t)n * sizeof(*v));
	qsort(sorted, (size_t)n, sizeof(*sorted), compare);
	return n ? (sorted[(n - 1) / 2] + sorted[n / 2]) / 2 : -1;
}

static void print_value(const struct row *r, const struct samples *s, double base)
{
	double v = median(s->v, s->n);

	if (!s->n)
		printf(" - |");
	else if (r->how == START)
		printf(" %.0f ms, %.1f MB |", v, median(s->kb, s->n) / 1e3);
	else
		printf(" %s%.0f |", r->how == ADDED ? "+" : "", v - base);
}

/* The row's line; false when culprit missed a bar or could not be measured. */
static bool print_row(const struct row *r, const struct samples *s, const struct samples *base)
{
	double b = r->how == ADDED ? median(base->v, base->n) : 0;
	double own = median(s[CULPRIT].v, s[CULPRIT].n) - b;
	bool kept = s[CULPRIT].n > 0;

	printf("| %s |", r->title);
	if (r->how == ADDED)
		printf(" %.0f |", b);
	else
		printf("  |");
	for (int t = 0; t < TRACERS; t++)
		print_value(r, &s[t], b);
	for (int t = LIBBPF; t < TRACERS; t++) {
		double ratio = own / (median(s[t].v, s[t].n) - b);

		if (!s[CULPRIT].n || !s[t].n) {
			printf(" - |");
			continue;
		}
		printf(" %.2f", ratio);
		if (r->bar[t] > 0)
			printf(" (bar %.1f%s)", r->bar[t], ratio > r->bar[t] ? ", missed" : "");
		printf(" |");
		kept = kept && (r->bar[t] <= 0 || ratio <= r->bar[t]);
	}
	printf("\n");
	fflush(stdout);
	return kept;
}

/* The tracer's command line, with the path of the work in it. */
static void put_command(const struct setup *u, const char *text, char *out, size_t room)
{
	char *work = realpath(u->work, NULL);
	size_t n = strlen(out);

	while (*text && n + 1 < room) {
		const char *next = strstr(text, "WORK");
		size_t before = next ? (size_t)(next - text) : strlen(text);

		n += (size_t)snprintf(out + n, room - n, "%.*s%s", (int)before, text,
				      next && work ? work : "");
		text += before + (next ? 4 : 0);
	}
	free(work);
}

static bool bench_row(const struct setup *u, const struct row *r)
{
	struct samples s[TRACERS] = { 0 }, base = { 0 };
	char command[1024];

	for (int round = 0; round < u->rounds; round++) {
		if (r->how == ADDED)
			base.v[base.n++] = work_run(u, r);
		for (int t = 0; t < TRACERS; t++) {
			if (!r->tracer[t])
				continue;
			snprintf(command, sizeof(command), "%s%s",
				 t == CULPRIT ? u->culprit : r->tracer[t][0] == '/' ?
				 "" : tracer_dir[t], t == CULPRIT ? " " : "");
			put_command(u, r->tracer[t], command, sizeof(command));
			if (t == CULPRIT && access(u->culprit, X_OK))
				continue;
			if (!measure(u, r, command, &s[t]))
				fprintf(stderr, "bench: cannot measure: %s\n", command);
		}
	}
	return print_row(r, s, &base);
}

static bool wanted(const struct row *r, char **names)
{
	if (!*names)
		return !r->named;
	for (; *names; names++)
		if (!strcmp(*names, r->name) || (r->tool && !strcmp(*names, "tools")))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	bool kept = true;

	if (argc < 5) {
		fprintf(stderr, "usage: bench CULPRIT WORK DISK-FILE ROUNDS [ROW ...]\n");
		return 2;
	}
	struct setup u = { argv[1], argv[2], argv[3], atoi(argv[4]) };

	if (u.rounds < 1 || u.rounds > MAX_ROUNDS)
		return 2;
	printf("| | untraced ns | culprit | libbpf-tools | bpftrace | of libbpf-tools "
	       "| of bpftrace |\n| --- | --- | --- | --- | --- | --- | --- |\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (wanted(&rows[i], argv + 5))
			kept &= bench_row(&u, &rows[i]);
	for (char **name = argv + 5; *name; name++)
		for (size_t i = 0; !strcmp(*name, "tools") && i < sizeof(unmeasured) / sizeof(unmeasured[0]); i++)
			printf("%s%s: %s.\n", i ? "" : "\nNot measured:\n\n", unmeasured[i][0], unmeasured[i][1]);
	return kept ? 0 : 1;
}
