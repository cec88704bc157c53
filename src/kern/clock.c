/*
 * A time namespace's offsets are in timens_offsets of each process whose children are to be
 * in it. That is this process, but for one that called unshare itself or was started by
 * one: then it is another, first of all its parent.
 */
#include "kern/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"

#define NAMESPACE_BYTES 64

static bool read_namespace(const char *pid, const char *which, char out[NAMESPACE_BYTES])
{
	char path[NAME_MAX + 64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%s/ns/%s", pid, which);
	n = readlink(path, out, NAMESPACE_BYTES - 1);
	out[n > 0 ? n : 0] = 0;
	return n > 0;
}

static bool read_offset(const char *pid, const char *clock, int64_t *ahead_ns)
{
	char path[NAME_MAX + 64], name[16];
	int64_t s, ns;
	FILE *f;
	bool ok = false;

	snprintf(path, sizeof(path), "/proc/%s/timens_offsets", pid);
	f = fopen(path, "re");
	while (f && !ok && fscanf(f, "%15s %" SCNd64 " %" SCNd64, name, &s, &ns) == 3)
		ok = !strcmp(name, clock);
	if (f)
		fclose(f);
	if (ok)
		*ahead_ns = s * NS_PER_S + ns;
	return ok;
}

static bool tells(const char *pid, const char *ours, const char *clock, int64_t *ahead_ns)
{
	char theirs[NAMESPACE_BYTES];

	return read_namespace(pid, "time_for_children", theirs) && !strcmp(theirs, ours) &&
	       read_offset(pid, clock, ahead_ns);
}

int clock_ahead(const char *clock, int64_t *ahead_ns, struct err *e)
{
	char ours[NAMESPACE_BYTES];
	struct dirent *entry;
	bool told;
	DIR *d;

	*ahead_ns = 0;
	if (!read_namespace("self", "time", ours))
		return 0;		/* the kernel has no time namespaces */
	told = tells("self", ours, clock, ahead_ns);
	d = told ? NULL : opendir("/proc");
	while (!told && d && (entry = readdir(d)))
		told = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
		       tells(entry->d_name, ours, clock, ahead_ns);
	if (d)
		closedir(d);
	if (told)
		return 0;
	err_help(e, "start culprit from outside of it, or behind `unshare --time --fork`");
	return err_push(e, -ENODATA, "no process tells the offsets of this time namespace (%s)", ours);
}

/* It never fires by itself. */
void clock_watched(int fd)
{
	const struct itimerspec never = { .it_value.tv_sec = INT_MAX };
	uint64_t n;

	if (read(fd, &n, sizeof(n)) < 0 && errno != ECANCELED && errno != EAGAIN)
		return;
	timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
}

int clock_watch(void)
{
	int fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);

	if (fd >= 0)
		clock_watched(fd);
	return fd;
}
