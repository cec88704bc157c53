/*
 * trouble: the faults of docs/recipes.md, made on purpose.
 *
 *	trouble lazyread N		N times gives a buffer back to the kernel and reads into it
 *	trouble lossy N			sends N segments to a socket that loses some, in a
 *					network namespace of its own
 *	trouble deaf COMMAND ...	a command whose DNS server never answers
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(const char *what)
{
	fprintf(stderr, "trouble: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* A network of its own, with nothing but a loopback device that is up. */
static void own_network(int more)
{
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_LOOPBACK };
	int fd;

	if (unshare(CLONE_NEWNET | more))
		die("unshare");
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &lo))
		die("lo");
	close(fd);
}

static int bound(int type, struct sockaddr_in *a)
{
	socklen_t size = sizeof(*a);
	int fd = socket(AF_INET, type, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)a, sizeof(*a)) ||
	    getsockname(fd, (struct sockaddr *)a, &size))
		die("bind");
	return fd;
}

/* ---- lazyread ---- */

#define BUFFER_BYTES (4 << 20)

static int lazyread(char **argv)
{
	long n = argv[0] ? atol(argv[0]) : 100;
	int fd = memfd_create("data", 0);
	char *buffer = mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rusage used;

	if (fd < 0 || ftruncate(fd, BUFFER_BYTES) || buffer == MAP_FAILED)
		die("memory");
	madvise(buffer, BUFFER_BYTES, MADV_NOHUGEPAGE);
	for (long i = 0; i < n; i++) {
		if (madvise(buffer, BUFFER_BYTES, MADV_DONTNEED) ||
		    pread(fd, buffer, BUFFER_BYTES, 0) != BUFFER_BYTES)
			die("pread");
	}
	getrusage(RUSAGE_SELF, &used);
	printf("faults %ld, user %ld ms, system %ld ms\n", used.ru_minflt,
	       used.ru_utime.tv_sec * 1000 + used.ru_utime.tv_usec / 1000,
	       used.ru_stime.tv_sec * 1000 + used.ru_stime.tv_usec / 1000);
	return 0;
}

/* ---- lossy ---- */

/* The receiver drops about one segment of 16, as a bad cable would. */
static void lose(int fd)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(SKF_AD_OFF + SKF_AD_RANDOM)),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 15, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 0xffffffff),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog filter = { .len = 4, .filter = code };

	if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)))
		die("filter");
}

static void drain(int listening)
{
	char bytes[65536];
	int fd = accept(listening, NULL, NULL);

	if (fd < 0)
		die("accept");
	lose(fd);
	while (read(fd, bytes, sizeof(bytes)) > 0)
		;
	_exit(0);
}

static int lossy(char **argv)
{
	long n = argv[0] ? atol(argv[0]) : 200;
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(8080),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	char segment[1000] = "";
	struct tcp_info info;
	socklen_t size = sizeof(info);
	int one = 1, left, listening, fd;

	own_network(0);
	listening = bound(SOCK_STREAM, &a);
	if (listen(listening, 1))
		die("listen");
	if (!fork())
		drain(listening);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a)) ||
	    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)))
		die("connect");
	for (long i = 0; i < n; i++) {
		if (write(fd, segment, sizeof(segment)) != sizeof(segment))
			die("write");
		usleep(500);
	}
	do {
		usleep(1000);
		if (ioctl(fd, SIOCOUTQ, &left))
			die("SIOCOUTQ");
	} while (left);
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size))
		die("TCP_INFO");
	printf("sent again %u\n", info.tcpi_total_retrans);
	return 0;
}

/* ---- deaf ---- */

static int deaf(char **argv)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(53),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	static const char text[] = "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n";
	char path[] = "/tmp/resolv.XXXXXX";
	int fd = mkstemp(path);

	own_network(CLONE_NEWNS);
	bound(SOCK_DGRAM, &a);		/* what comes stays in its queue */
	if (!argv[0] || fd < 0 || write(fd, text, sizeof(text) - 1) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount(path, "/etc/resolv.conf", NULL, MS_BIND, NULL))
		die("resolv.conf");
	close(fd);
	unlink(path);
	execvp(argv[0], argv);
	die(argv[0]);
	return 1;
}

static const struct {
	const char *name;
	int (*run)(char **argv);
} faults[] = {
	{ .name = "lazyread",	.run = lazyread },
	{ .name = "lossy",	.run = lossy },
	{ .name = "deaf",	.run = deaf },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(faults) / sizeof(faults[0]); i++)
		if (!strcmp(faults[i].name, argv[1]))
			return faults[i].run(argv + 2);
	fprintf(stderr, "usage: trouble lazyread [N] | lossy [N] | deaf COMMAND ...\n");
	return 2;
}
