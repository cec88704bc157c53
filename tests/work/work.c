/*
 * work: known work for tests and benchmarks. Each kind does exactly N operations and
 * prints one line, `KIND N NS`, the wall time of one operation in nanoseconds by its own
 * clock. Static and small, so that it runs in a virtual machine too. A new kind is a
 * function and a row of `kinds`.
 *
 *	work KIND N [ARGUMENT]
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

struct job {
	long n;
	const char *arg;	/* "" when not given */
};

static void die(const char *what)
{
	fprintf(stderr, "work: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Operations that fail are part of the work; what the result is does not matter. */
static void *getppid_loop(void *arg)
{
	for (long i = *(long *)arg; i > 0; i--)
		syscall(SYS_getppid);
	return NULL;
}

/* N calls altogether, shared out among ARGUMENT threads. */
static uint64_t work_getppid(const struct job *j)
{
	int threads = j->arg[0] ? atoi(j->arg) : 1;
	pthread_t id[64];
	long share[64];
	uint64_t start;

	if (threads < 1 || threads > 64)
		die("1 to 64 threads");
	start = now_ns();
	for (int i = 0; i < threads; i++)
		share[i] = j->n / threads + (i < j->n % threads);
	for (int i = 1; i < threads; i++)
		if (pthread_create(&id[i], NULL, getppid_loop, &share[i]))
			die("pthread_create");
	getppid_loop(&share[0]);
	for (int i = 1; i < threads; i++)
		pthread_join(id[i], NULL);
	return now_ns() - start;
}

/*
 * N round trips of a byte between two processes on one CPU, this one and "pong". As batch processes none
 * preempts who wakes it: each read waits, and a round trip is two switches and two wake-ups.
 */
static uint64_t work_pingpong(const struct job *j)
{
	const struct sched_param none = { 0 };
	int there[2], back[2];
	uint64_t start;
	char c = 0;
	pid_t pid;

	pin(j->arg[0] ? atoi(j->arg) : 0);
	if (pipe(there) || pipe(back) || sched_setscheduler(0, SCHED_BATCH, &none))
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		prctl(PR_SET_NAME, "pong");
		close(there[1]);
		while (read(there[0], &c, 1) == 1)
			if (write(back[1], &c, 1) != 1)
				break;
		_exit(0);
	}
	start = now_ns();
	for (long i = 0; i < j->n; i++)
		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			die("pipe");
	start = now_ns() - start;
	close(there[1]);
	waitpid(pid, NULL, 0);
	return start;
}

/* openat and close of ARGUMENT (/dev/null), N times. */
static uint64_t work_open(const struct job *j)
{
	const char *path = j->arg[0] ? j->arg : "/dev/null";
	uint64_t start = now_ns();

	for (long i = 0; i < j->n; i++) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);

		if (fd >= 0)
			close(fd);
	}
	return now_ns() - start;
}

/* N processes, one after the other, that execute this program to do nothing. */
static uint64_t work_exec(const struct job *j)
{
	char *argv[] = { "nop", "nop", (char *)(j->arg[0] ? j->arg : "0"), NULL };
	uint64_t start = now_ns();
	pid_t pid;

	for (long i = 0; i < j->n; i++) {
		if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ))
			die("posix_spawn");
		waitpid(pid, NULL, 0);
	}
	return now_ns() - start;
}

static uint64_t work_nop(const struct job *j)
{
	(void)j;
	return 0;
}

/* N reads of 4 KiB past the page cache, spread over the first 16 MiB of ARGUMENT. */
static uint64_t work_disk(const struct job *j)
{
	enum { BLOCK = 4096, BLOCKS = 4096 };
	int fd = open(j->arg, O_RDONLY | O_DIRECT);
	uint64_t start;
	void *buffer;

	if (fd < 0 || posix_memalign(&buffer, BLOCK, BLOCK))
		die(j->arg);
	start = now_ns();
	for (long i = 0; i < j->n; i++)
		if (pread(fd, buffer, BLOCK, i * 769 % BLOCKS * BLOCK) != BLOCK)
			die(j->arg);
	start = now_ns() - start;
	free(buffer);
	close(fd);
	return start;
}

/* N sleeps of ARGUMENT ns (10 ms). */
static uint64_t work_sleep(const struct job *j)
{
	long ns = j->arg[0] ? atol(j->arg) : 10000000;
	struct timespec t = { ns / 1000000000, ns % 1000000000 };
	uint64_t start = now_ns();

	for (long i = 0; i < j->n; i++)
		syscall(SYS_nanosleep, &t, NULL);
	return now_ns() - start;
}

/* N times 1 ms of computing: mostly here, not in the clock that tells when it is over. */
static uint64_t work_spin(const struct job *j)
{
	uint64_t start = now_ns(), end = start + (uint64_t)j->n * 1000000;

	while (now_ns() < end)
		for (volatile int i = 0; i < 10000; i++)
			;
	return now_ns() - start;
}

/* close of N different descriptors that are not open, from 1,000,000 on. */
static uint64_t work_keys(const struct job *j)
{
	uint64_t start = now_ns();

	for (long i = 0; i < j->n; i++)
		syscall(SYS_close, 1000000 + (int)i);
	return now_ns() - start;
}

/* openat of ARGUMENT.0 .. ARGUMENT.N-1, as fast as it goes. */
static uint64_t work_paths(const struct job *j)
{
	char path[256];
	uint64_t start = now_ns();

	for (long i = 0; i < j->n; i++) {
		snprintf(path, sizeof(path), "%s.%ld", j->arg, i);
		syscall(SYS_openat, AT_FDCWD, path, O_RDONLY, 0);
	}
	return now_ns() - start;
}

/* N processes, one after the other: ARGUMENT0 .. ARGUMENTN-1, links to this program that it makes
 * first, run as `ARGUMENTi nop 0`. */
static uint64_t work_named(const struct job *j)
{
	char path[256], own[256] = "", *argv[] = { path, "nop", "0", NULL };
	uint64_t start;
	pid_t pid;

	if (readlink("/proc/self/exe", own, sizeof(own) - 1) < 0)
		die("/proc/self/exe");
	for (long i = 0; i < j->n; i++) {
		snprintf(path, sizeof(path), "%s%ld", j->arg, i);
		if (symlink(own, path) && errno != EEXIST)
			die(path);
	}
	start = now_ns();
	for (long i = 0; i < j->n; i++) {
		snprintf(path, sizeof(path), "%s%ld", j->arg, i);
		if (posix_spawn(&pid, path, NULL, NULL, argv, environ))
			die(path);
		waitpid(pid, NULL, 0);
	}
	return now_ns() - start;
}

struct spinner { uint64_t ms, begin, end; };
static void *spin_ms(void *arg)
{
	struct spinner *s = arg;

	for (s->begin = s->end = now_ns(); s->end - s->begin < s->ms * 1000000; s->end = now_ns())
		;
	return NULL;
}

/* Two threads that want CPU ARGUMENT (0), N ms. Before the result `switches FORCED OWN`, how
 * often the kernel took the CPU from them and how often they gave it, `used NS`, and `waited NS NS`:
 * their time without it, and that without the new one's wait for its first turn. */
static uint64_t work_compete(const struct job *j)
{
	struct spinner own = { .ms = (uint64_t)j->n }, other = own;
	uint64_t start = now_ns(), end, used;
	pthread_t id;
	struct rusage r;

	pin(j->arg[0] ? atoi(j->arg) : 0);
	if (pthread_create(&id, NULL, spin_ms, &other))
		die("pthread_create");
	spin_ms(&own);
	pthread_join(id, NULL);
	getrusage(RUSAGE_SELF, &r);
	used = (uint64_t)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000000000 +
	       (uint64_t)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1000;
	printf("switches %ld %ld\nused %ld\n", r.ru_nivcsw, r.ru_nvcsw, (long)used);
	end = now_ns() - start - used;
	printf("waited %ld %ld\n", (long)(end + other.end - start), (long)(end + other.end - other.begin));
	return now_ns() - start;
}

/* N writes of 4 KiB past the page cache, one after the other from the begin of ARGUMENT;
 * after every tenth a flush (fdatasync). */
static uint64_t work_write(const struct job *j)
{
	enum { BLOCK = 4096 };
	int fd = open(j->arg, O_WRONLY | O_DIRECT);
	uint64_t start;
	void *buffer;

	if (fd < 0 || posix_memalign(&buffer, BLOCK, BLOCK))
		die(j->arg);
	memset(buffer, 1, BLOCK);
	start = now_ns();
	for (long i = 0; i < j->n; i++) {
		if (pwrite(fd, buffer, BLOCK, i * BLOCK) != BLOCK)
			die(j->arg);
		if (i % 10 == 9 && fdatasync(fd))
			die("fdatasync");
	}
	start = now_ns() - start;
	free(buffer);
	close(fd);
	return start;
}

/* N appends of 4 KiB to the file ARGUMENT, each with an fsync, and one more that finds nothing
 * to do. */
static uint64_t work_fsync(const struct job *j)
{
	int fd = open(j->arg, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	static const char block[4096];
	uint64_t start = now_ns();

	if (fd < 0)
		die(j->arg);
	for (long i = 0; i < j->n; i++)
		if (write(fd, block, sizeof(block)) != sizeof(block) || fsync(fd) || fsync(fd))
			die(j->arg);
	start = now_ns() - start;
	close(fd);
	return start;
}

struct appender {
	int fd, number;
	long n;
};

static void *append_loop(void *arg)
{
	enum { BLOCK = 4096, THREADS = 4 };
	const struct appender *a = arg;
	void *buffer;

	if (posix_memalign(&buffer, BLOCK, BLOCK))
		die("posix_memalign");
	memset(buffer, 1, BLOCK);
	for (long i = 0; i < a->n; i++)
		if (pwrite(a->fd, buffer, BLOCK, (i * THREADS + a->number) * BLOCK) != BLOCK)
			die("pwrite");
	free(buffer);
	return NULL;
}

/* Four threads that append N blocks of 4 KiB each to the file ARGUMENT, past the page cache:
 * the file system lets one in at a time. */
static uint64_t work_convoy(const struct job *j)
{
	int fd = open(j->arg, O_WRONLY | O_CREAT | O_TRUNC | O_DIRECT, 0600);
	struct appender a[4];
	pthread_t id[4];
	uint64_t start = now_ns();

	if (fd < 0)
		die(j->arg);
	for (int i = 0; i < 4; i++) {
		a[i] = (struct appender){ fd, i, j->n };
		if (pthread_create(&id[i], NULL, append_loop, &a[i]))
			die("pthread_create");
	}
	for (int i = 0; i < 4; i++)
		pthread_join(id[i], NULL);
	start = now_ns() - start;
	close(fd);
	return start;
}

/* Both ends of a TCP connection over the loopback device. */
static void connected(int *from, int *to)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(a);
	int l = socket(AF_INET, SOCK_STREAM, 0);

	*from = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(l, (struct sockaddr *)&a, size) || listen(l, 1) ||
	    getsockname(l, (struct sockaddr *)&a, &size) ||
	    connect(*from, (struct sockaddr *)&a, size))
		die("connect");
	*to = accept(l, NULL, NULL);
	close(l);
	getsockname(*from, (struct sockaddr *)&a, &size);
	printf("ports %d", ntohs(a.sin_port));
	getpeername(*from, (struct sockaddr *)&a, &size);
	printf(" %d\n", ntohs(a.sin_port));
}

/* Sends a byte to a socket that drops all it gets, until the kernel has sent it N more
 * times. Lines before the result: `ports LOCAL REMOTE`, `resent N` as TCP_INFO has it. */
static uint64_t work_resend(const struct job *j)
{
	struct sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, 0);
	struct sock_fprog drop = { .len = 1, .filter = &nothing };
	struct linger reset = { .l_onoff = 1 };
	struct tcp_info info = { 0 };
	socklen_t size = sizeof(info);
	uint64_t start = now_ns();
	int from, to;

	connected(&from, &to);
	if (setsockopt(to, SOL_SOCKET, SO_ATTACH_FILTER, &drop, sizeof(drop)) ||
	    write(from, "x", 1) != 1)
		die("socket");
	while (info.tcpi_total_retrans < j->n) {
		usleep(1000);
		if (getsockopt(from, IPPROTO_TCP, TCP_INFO, &info, &size))
			die("TCP_INFO");
	}
	setsockopt(from, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	close(from);
	close(to);
	printf("resent %u\n", info.tcpi_total_retrans);
	return now_ns() - start;
}

/*
 * A chain of four epoll files. To see that it is no ring the kernel calls its function
 * ep_loop_check_proc for the file that is added, and from there for those below it: N
 * times three calls, of which two call another and one of these a third.
 */
static uint64_t work_nest(const struct job *j)
{
	uint64_t begin = now_ns();

	for (long i = 0; i < j->n; i++) {
		int fds[4];

		for (int k = 0; k < 4; k++) {
			struct epoll_event e = { .events = EPOLLIN };

			fds[k] = epoll_create1(0);
			if (fds[k] < 0 || (k && epoll_ctl(fds[k], EPOLL_CTL_ADD, fds[k - 1], &e)))
				die("epoll");
		}
		for (int k = 3; k >= 0; k--)
			close(fds[k]);
	}
	return now_ns() - begin;
}

/* Reads of 64 bytes that take no time. */
static uint64_t work_read(const struct job *j)
{
	int fd = open("/dev/zero", O_RDONLY);
	char bytes[64];
	uint64_t begin = now_ns();

	for (long i = 0; i < j->n; i++)
		if (read(fd, bytes, sizeof(bytes)) != sizeof(bytes))
			die("read");
	close(fd);
	return now_ns() - begin;
}

/* N reads of 4 KiB through the page cache, which does not have the file ARGUMENT at first: it is
 * written here. */
static uint64_t work_again(const struct job *j)
{
	int fd = open(j->arg, O_RDWR | O_CREAT | O_TRUNC, 0600);
	char block[4096] = "";
	uint64_t begin;

	if (fd < 0)
		die(j->arg);
	for (long i = 0; i < j->n; i++)
		if (write(fd, block, sizeof(block)) != sizeof(block))
			die(j->arg);
	if (fsync(fd) || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
		die(j->arg);
	begin = now_ns();
	for (long i = 0; i < j->n; i++)
		if (pread(fd, block, sizeof(block), i * (long)sizeof(block)) != sizeof(block))
			die(j->arg);
	begin = now_ns() - begin;
	close(fd);
	unlink(j->arg);
	return begin;
}

/* N sockets, of the protocol ARGUMENT (a number), that get a port and wait for connections. */
static uint64_t work_listen(const struct job *j)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	uint64_t begin = now_ns();

	for (long i = 0; i < j->n; i++) {
		int fd = socket(AF_INET, SOCK_STREAM, atoi(j->arg));

		if (bind(fd, (struct sockaddr *)&a, sizeof(a)) || listen(fd, 1))
			die("listen");
		close(fd);
	}
	return now_ns() - begin;
}

/* N times the file ARGUMENT is made and removed. */
static uint64_t work_brief(const struct job *j)
{
	uint64_t begin = now_ns();

	for (long i = 0; i < j->n; i++) {
		close(open(j->arg, O_CREAT | O_WRONLY, 0600));
		unlink(j->arg);
	}
	return now_ns() - begin;
}

/* As most functions do, each begins by saving a register, and calls another. */
#define FUNCTION __attribute__((noinline, noclone, used, \
				optimize("no-omit-frame-pointer"))) void
FUNCTION leaf(void) { __asm__ volatile("" : : : "memory"); }
#define PART(n) FUNCTION part##n(void) { leaf(); __asm__ volatile("" : : "i"(n) : "memory"); }
PART(0) PART(1) PART(2) PART(3) PART(4) PART(5) PART(6) PART(7) PART(8) PART(9)

FUNCTION whole(void)
{
	part0(), part1(), part2(), part3(), part4(), part5(), part6(), part7(), part8(), part9();
	__asm__ volatile("" : : : "memory");
}

static uint64_t calls(const struct job *j, void (*function)(void))
{
	uint64_t begin = now_ns();

	for (long i = 0; i < j->n; i++)
		function();
	return now_ns() - begin;
}

static uint64_t work_call(const struct job *j)
{
	return calls(j, part0);
}

/* Ten calls in each. */
static uint64_t work_parts(const struct job *j)
{
	return calls(j, whole);
}

static const struct kind {
	const char *name;
	uint64_t (*run)(const struct job *j);	/* ns of all operations */
} kinds[] = {
	{ .name = "getppid",	.run = work_getppid },
	{ .name = "pingpong",	.run = work_pingpong },
	{ .name = "open",	.run = work_open },
	{ .name = "exec",	.run = work_exec },
	{ .name = "nop",	.run = work_nop },
	{ .name = "disk",	.run = work_disk },
	{ .name = "sleep",	.run = work_sleep },
	{ .name = "spin",	.run = work_spin },
	{ .name = "keys",	.run = work_keys },
	{ .name = "paths",	.run = work_paths },
	{ .name = "named",	.run = work_named },
	{ .name = "compete",	.run = work_compete },
	{ .name = "write",	.run = work_write },
	{ .name = "fsync",	.run = work_fsync },
	{ .name = "convoy",	.run = work_convoy },
	{ .name = "resend",	.run = work_resend },
	{ .name = "nest",	.run = work_nest },
	{ .name = "read",	.run = work_read },
	{ .name = "again",	.run = work_again },
	{ .name = "listen",	.run = work_listen },
	{ .name = "brief",	.run = work_brief },
	{ .name = "call",	.run = work_call },
	{ .name = "parts",	.run = work_parts },
};

int main(int argc, char **argv)
{
	struct job j = { .arg = argc > 3 ? argv[3] : "" };

	if (argc < 3) {
		fprintf(stderr, "usage: work KIND N [ARGUMENT]\n");
		return 2;
	}
	j.n = atol(argv[2]);
	if (getenv("WORK_STOPPED"))	/* until somebody has had a look at it */
		raise(SIGSTOP);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, argv[1]))
			continue;
		uint64_t ns = kinds[i].run(&j);

		if (j.n > 0)
			printf("%s %ld %.1f\n", argv[1], j.n, (double)ns / (double)j.n);
		return 0;
	}
	fprintf(stderr, "work: no kind %s\n", argv[1]);
	return 2;
}
