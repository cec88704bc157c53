/*
 * same N: N calls that are the same in each run, of one thread on the first CPU, whose name changes.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static ssize_t call(long k, int zero, long i)
{
	static const char *const names[] = { "bash", "other", "cat" };
	int fd = k >> 16 & 3 ? zero : -1;
	size_t bytes = (size_t)(k >> 24 & 3);
	char some[8] = "";

	switch (k >> 20 & 7) {
	case 0: case 1: case 2:
		return read(fd, some, bytes);
	case 3: case 4:
		return write(fd, some, bytes);
	case 5:
		return close(99);
	case 6:
		return poll(NULL, 0, 0);
	default:
		return prctl(PR_SET_NAME, names[i % 3]);
	}
}

int main(int argc, char **argv)
{
	int zero = open("/dev/zero", O_RDWR);
	cpu_set_t first;
	long n = argc > 1 ? atol(argv[1]) : 0;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (zero < 0 || sched_setaffinity(0, sizeof(first), &first))
		return 1;
	for (long i = 0, k = 1; i < n; i++) {
		k = (k * 1103515245 + 12345) & 0x7fffffff;
		(void)call(k, zero, i);
	}
	return 0;
}
