/* Lists of processors, from sysfs; what udev is told of them. See cpus.h. */
#include "kern/cpus.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define CPU_MOST 65535

static bool parse_number(struct str text, int *at, int *number)
{
	int from = *at, n = 0;

	for (; *at < text.n && text.p[*at] >= '0' && text.p[*at] <= '9'; ++*at) {
		n = n * 10 + (text.p[*at] - '0');
		if (n > CPU_MOST)
			return false;
	}
	*number = n;
	return *at > from;
}

bool cpus_parse(struct arena *a, struct str text, struct cpus *cpus)
{
	for (int at = 0; at < text.n && text.p[at] != '\n'; at++) {
		int first, last;

		if (!parse_number(text, &at, &first))
			return false;
		last = first;
		if (at < text.n && text.p[at] == '-') {
			at++;
			if (!parse_number(text, &at, &last))
				return false;
		}
		if (last < first || (at < text.n && text.p[at] != ',' && text.p[at] != '\n'))
			return false;
		if (cpus->list.n && first <= vec_last(&cpus->list))
			return false;
		for (int cpu = first; cpu <= last; cpu++)
			vec_push(a, &cpus->list, cpu);
	}
	return cpus->list.n > 0;
}

static bool read_list(struct arena *a, const char *path, struct cpus *cpus)
{
	char text[4096];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));

	if (fd >= 0)
		close(fd);
	return n > 0 && cpus_parse(a, (struct str){ text, (int)n }, cpus);
}

void cpus_online(struct arena *a, struct cpus *cpus)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	cpus->list.n = 0;
	if (read_list(a, "/sys/devices/system/cpu/online", cpus))
		return;
	cpus->list.n = 0;
	for (int cpu = 0; cpu < (n > 0 ? n : 1); cpu++)
		vec_push(a, &cpus->list, cpu);
}

int cpus_possible(void)
{
	struct arena a = { 0 };
	struct cpus cpus = { 0 };
	int n;

	/* the kernel's tables go by the highest number */
	if (read_list(&a, "/sys/devices/system/cpu/possible", &cpus))
		n = vec_last(&cpus.list) + 1;
	else
		n = (int)sysconf(_SC_NPROCESSORS_CONF);
	arena_fini(&a);
	return n > 0 ? n : 1;
}

#define GROUP_KERNEL 1			/* what the kernel says itself */

int cpus_watch(void)
{
	struct sockaddr_nl to = { .nl_family = AF_NETLINK, .nl_groups = GROUP_KERNEL };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);

	if (fd >= 0 && bind(fd, (struct sockaddr *)&to, sizeof(to))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* online@/devices/system/cpu/cpu1 */
bool cpus_changed(int fd, int *cpu)
{
	char text[4096];
	ssize_t n;

	while ((n = recv(fd, text, sizeof(text) - 1, 0)) >= 0) {
		text[n] = 0;
		if (sscanf(text, "%*[a-z]@/devices/system/cpu/cpu%d", cpu) == 1)
			return true;
	}
	*cpu = CPUS_ALL;
	return errno == ENOBUFS;
}
