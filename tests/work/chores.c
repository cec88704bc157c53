/*
 * A known number of small things that a system does all day, for the tools that show them
 * one by one: `chores N FILE [KIND]` makes N of each, or of one kind, and prints what cannot
 * be known before.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SENT 1000
#define ANSWERED 5000

static void die(const char *what)
{
	fprintf(stderr, "chores: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void move(int fd, size_t bytes, bool out)
{
	static char data[ANSWERED];

	for (size_t done = 0; done < bytes;) {
		ssize_t n = out ? send(fd, data + done, bytes - done, 0)
				: recv(fd, data + done, bytes - done, 0);

		if (n <= 0)
			die(out ? "send" : "recv");
		done += (size_t)n;
	}
}

struct server {
	int fd, n;
};

static void *serve(void *arg)
{
	const struct server *s = arg;

	for (int i = 0; i < s->n; i++) {
		int fd = accept(s->fd, NULL, NULL);

		if (fd < 0)
			die("accept");
		move(fd, SENT, false);
		move(fd, ANSWERED, true);
		close(fd);
	}
	return NULL;
}

/* Over the loopback: SENT bytes to the server, ANSWERED back. Prints its port. */
static void connections(int n, const char *path)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	struct server s = { .fd = socket(AF_INET, SOCK_STREAM, 0), .n = n };
	socklen_t bytes = sizeof(at);
	pthread_t thread;

	(void)path;
	if (bind(s.fd, (struct sockaddr *)&at, bytes) || listen(s.fd, 7) ||
	    getsockname(s.fd, (struct sockaddr *)&at, &bytes) ||
	    pthread_create(&thread, NULL, serve, &s))
		die("server");
	printf("port %d\n", ntohs(at.sin_port));
	for (int i = 0; i < n; i++) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);
		char end;

		if (connect(fd, (struct sockaddr *)&at, sizeof(at)))
			die("connect");
		move(fd, SENT, true);
		move(fd, ANSWERED, false);
		while (recv(fd, &end, 1, 0) > 0)
			;
		close(fd);
	}
	pthread_join(thread, NULL);
	close(s.fd);
}

/* n that end with 3, n that are killed. */
static void children(int n, const char *path)
{
	(void)path;
	for (int i = 0; i < 2 * n; i++) {
		pid_t pid = fork();
		int status;

		if (!pid && i < n)
			_exit(3);
		if (!pid)
			pause();
		if (i >= n)
			kill(pid, SIGKILL);
		if (waitpid(pid, &status, 0) != pid)
			die("wait");
	}
}

static void files(int n, const char *path)
{
	struct stat st;
	int fd = open(path, O_CREAT | O_RDWR, 0600);

	for (int i = 0; i < n; i++) {
		if (write(fd, "x", 1) != 1 || fsync(fd))
			die(path);
		if (!stat("/nonexistent/chores", &st))
			die("stat");
	}
	close(fd);
	unlink(path);
}

static void mounts(int n, const char *path)
{
	mkdir(path, 0700);
	for (int i = 0; i < n; i++)
		if (mount("chores", path, "tmpfs", 0, NULL) || umount(path))
			die("mount");
	rmdir(path);
}

/* Made, attached, detached and removed, n times. */
static void shared_memory(int n, const char *path)
{
	(void)path;
	for (int i = 0; i < n; i++) {
		int id = shmget(IPC_PRIVATE, 12345, IPC_CREAT | 0600);
		void *at = shmat(id, NULL, 0);

		if (id < 0 || at == (void *)-1 || shmdt(at) || shmctl(id, IPC_RMID, NULL))
			die("shm");
	}
}

/* Waits of 2 ms for a lock that nobody gives, and sleeps of 2 ms. */
static void waits(int n, const char *path)
{
	static int lock;
	struct timespec t = { .tv_nsec = 2000000 };

	(void)path;
	printf("lock %p\n", (void *)&lock);
	for (int i = 0; i < n; i++) {
		if (!syscall(SYS_futex, &lock, FUTEX_WAIT, 0, &t, NULL, 0))
			die("futex");
		clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
	}
}

/* n names that are not there, to open, and as many to look for. */
static void absent(int n, const char *path)
{
	char name[4096];

	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%s.open.%d", path, i);
		if (open(name, O_RDONLY) >= 0)
			die(name);
		snprintf(name, sizeof(name), "%s.find.%d", path, i);
		if (!access(name, F_OK))
			die(name);
	}
}

/* n times another name. */
static void names(int n, const char *path)
{
	char to[4096];

	snprintf(to, sizeof(to), "%s.to", path);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	for (int i = 0; i < n; i++)
		if (rename(path, to) || rename(to, path))
			die(to);
	unlink(path);
}

static void signals(int n, const char *path)
{
	(void)path;
	signal(SIGUSR1, SIG_IGN);
	for (int i = 0; i < n; i++)
		kill(getpid(), SIGUSR1);
}

/* n times to another CPU, where there are two. How often it was moved at all, the kernel says. */
static void moves(int n, const char *path)
{
	cpu_set_t all, one;
	char line[128];
	FILE *f = fopen("/proc/self/sched", "r");
	int cpus[2], found = 0;
	unsigned long moved;

	(void)path;
	sched_getaffinity(0, sizeof(all), &all);
	for (int cpu = 0; cpu < CPU_SETSIZE && found < 2; cpu++)
		if (CPU_ISSET(cpu, &all))
			cpus[found++] = cpu;
	for (int i = 0; i < n && found == 2; i++) {
		CPU_ZERO(&one);
		CPU_SET(cpus[i & 1], &one);
		if (sched_setaffinity(0, sizeof(one), &one))
			die("sched_setaffinity");
	}
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "se.nr_migrations : %lu", &moved) == 1)
			printf("migrations %lu\n", moved);
	if (f)
		fclose(f);
}

/* A child that sleeps n times: how often the CPU was taken from it and given back, in all its life. */
static void sleeps(int n, const char *path)
{
	struct timespec t = { .tv_nsec = 2000000 };
	struct rusage r;
	pid_t pid = fork();
	int status;

	(void)path;
	for (int i = 0; !pid && i < n; i++)
		nanosleep(&t, NULL);
	if (!pid)
		_exit(0);
	if (wait4(pid, &status, 0, &r) != pid)
		die("wait4");
	printf("slept %d %ld %ld\n", pid, r.ru_nivcsw, r.ru_nvcsw);
}

static const struct {
	const char *name;
	void (*make)(int n, const char *path);
} kinds[] = {
	{ "connections", connections }, { "children", children }, { "files", files },
	{ "mounts", mounts }, { "shared_memory", shared_memory }, { "waits", waits },
	{ "names", names }, { "absent", absent }, { "signals", signals },
	{ "moves", moves }, { "sleeps", sleeps },
};

int main(int argc, char **argv)
{
	int n;

	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: chores N FILE [KIND]\n");
		return 2;
	}
	n = atoi(argv[1]);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (argc == 3 || !strcmp(argv[3], kinds[i].name))
			kinds[i].make(n, argv[2]);
	return 0;
}
