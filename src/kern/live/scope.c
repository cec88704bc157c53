/* What the command line selects by: see scope.h. */
#include "kern/live/scope.h"

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "kern/clock.h"
#include "plan/plan.h"

/* PROC_PID_INIT_INO of include/linux/proc_ns.h: the first namespace's number (3.8). */
#define FIRST_PID_NAMESPACE "pid:[4026531836]"
#define CGROUP_ROOT "/sys/fs/cgroup"

bool scope_pid_namespaced(void)
{
	char name[64];
	ssize_t n = readlink("/proc/self/ns/pid", name, sizeof(name) - 1);

	if (n < 0)
		return false;
	name[n] = 0;
	return strcmp(name, FIRST_PID_NAMESPACE) != 0;
}

void scope_pid_namespace(uint64_t *dev, uint64_t *inode)
{
	struct stat st;
	bool known = !stat("/proc/self/ns/pid", &st);

	*dev = known ? (uint64_t)major(st.st_dev) << 20 | minor(st.st_dev) : 0;
	*inode = known ? st.st_ino : 0;
}

/* The line of a thread's status that begins so. */
static bool status_line(int64_t tid, const char *name, char *line, int size)
{
	bool found = false;
	FILE *f;

	snprintf(line, (size_t)size, "/proc/%lld/status", (long long)tid);
	f = fopen(line, "re");
	while (f && !found && fgets(line, size, f))
		found = !strncmp(line, name, strlen(name));
	if (f)
		fclose(f);
	return found;
}

/* The process of a thread; 0: not known. */
static int64_t process_of(int64_t tid)
{
	char line[256];

	return status_line(tid, "Tgid:", line, sizeof(line)) ? strtoll(line + strlen("Tgid:"), NULL, 10) : 0;
}

int scope_nested(const int64_t *numbers, int n, int least)
{
	for (int i = 0; i < n; i++) {
		int deep = -1;		/* a tab stands before each number */
		char line[512];

		if (status_line(numbers[i], "NSpid:", line, sizeof(line)))
			for (const char *at = line; (at = strchr(at, '\t')); at++)
				deep++;
		least = deep > least ? deep : least;
	}
	return least < PLAN_NESTED_MOST ? least : PLAN_NESTED_MOST;
}

/* Of the number of a thread that is not its process's first nothing would ever come. */
static int scope_is_process(int64_t number, struct err *e)
{
	int64_t process = process_of(number);

	if (!process || process == number)
		return 0;
	err_help(e, "write -t %lld for the thread, -p %lld for its process", (long long)number,
		 (long long)process);
	return err_push(e, -EINVAL, "-p %lld: this is a thread of process %lld", (long long)number,
			(long long)process);
}

int scope_exist(const char *option, const int64_t *numbers, int n, struct err *e)
{
	for (int i = 0; i < n; i++)
		if (kill((pid_t)numbers[i], 0) && errno == ESRCH) {
			err_help(e, "`ps -e` lists processes, `ps -eL` their threads (LWP)");
			return err_push(e, -ESRCH, "%s %lld: there is no such %s", option,
					(long long)numbers[i], option[1] == 'p' ? "process" : "thread");
		}
	for (int i = 0; i < n && option[1] == 'p'; i++)
		if (scope_is_process(numbers[i], e))
			return -EINVAL;
	return 0;
}

/* The 22nd field of /proc/PID/stat; the second is a name with anything in it. 0: not known. */
static uint64_t started_ticks(int64_t number)
{
	unsigned long long ticks = 0;
	char path[64], line[1024];
	char *at = NULL;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)number);
	f = fopen(path, "re");
	if (f && fgets(line, sizeof(line), f))
		at = strrchr(line, ')');
	if (f)
		fclose(f);
	for (int i = 0; at && i < 20; i++)
		at = strchr(at + 1, ' ');
	return at && sscanf(at, "%llu", &ticks) == 1 ? ticks : 0;
}

void scope_started(const int64_t *numbers, int n, uint64_t *started_ns)
{
	struct arena a = { 0 };
	struct err e = { .arena = &a };
	int64_t ahead_ns;
	bool known = sysconf(_SC_CLK_TCK) == NS_PER_S / PLAN_TICK_NS &&
		     !clock_ahead("boottime", &ahead_ns, &e);

	for (int i = 0; i < n; i++) {
		uint64_t ticks = known ? started_ticks(numbers[i]) : 0;

		started_ns[i] = ticks ? ticks * PLAN_TICK_NS - (uint64_t)ahead_ns : 0;
	}
	arena_fini(&a);
}

static bool is_cgroup(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && (unsigned long)fs.f_type == CGROUP2_SUPER_MAGIC;
}

/* How many folders the cgroup is below the root of its hierarchy. */
static int cgroup_level(char *path, dev_t dev)
{
	struct stat st;
	int level = 0;
	char *slash;

	while ((slash = strrchr(path, '/')) && slash != path) {
		*slash = 0;
		if (stat(path, &st) || st.st_dev != dev || !is_cgroup(path))
			break;
		level++;
	}
	return level;
}

int scope_cgroup(const char *path, uint64_t *id, int *level, struct err *e)
{
	char real[PATH_MAX], below[PATH_MAX];
	struct stat st;

	snprintf(below, sizeof(below), CGROUP_ROOT "/%s", path + strspn(path, "/"));
	if (!realpath(path, real) || !is_cgroup(real))
		if (!realpath(below, real) || !is_cgroup(real))
			return err_push(e, -ENOENT, "neither %s nor %s is a cgroup (v2)", path, below);
	if (stat(real, &st))
		return err_push(e, -errno, "cannot look at %s: %s", real, strerror(errno));
	*id = st.st_ino;		/* kernfs: the id of the cgroup on 64-bit machines */
	*level = cgroup_level(real, st.st_dev);
	return 0;
}

const char *scope_own_program(void)
{
	return "/proc/self/exe";
}

double scope_meminfo(void *self, const char *name)
{
	FILE *f = fopen("/proc/meminfo", "re");
	size_t n = strlen(name);
	double bytes = -1;
	char line[256];

	(void)self;
	while (f && bytes < 0 && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, n) && line[n] == ':') {
			char *end;

			bytes = strtod(line + n + 1, &end);
			bytes *= strstr(end, "kB") ? 1024 : 1;
		}
	if (f)
		fclose(f);
	return bytes;
}
