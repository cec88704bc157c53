/*
 * Threads and processes that wake each other in a known order, for tests.
 *
 *	wake relay|mutex|udp N
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void futex(int *word, int op, int value)
{
	syscall(SYS_futex, word, op, value, NULL, NULL, 0);
}

/* How the hops of `relay` wait for the one before: a pipe, a futex, a socket. */
struct relay {
	int pipes[4][2], sockets[2], *word;
};

static void relay_wait(const struct relay *r, int hop, long round)
{
	char c;
	long n = 1;

	if (hop == 1)
		usleep(5000);
	else if (hop == 3)
		for (int v; (v = __atomic_load_n(r->word, __ATOMIC_ACQUIRE)) <= round;)
			futex(r->word, FUTEX_WAIT, v);
	else
		n = read(hop == 4 ? r->sockets[1] : r->pipes[hop - 2][0], &c, 1);
	if (n != 1)
		die("relay");
}

static void relay_wake(const struct relay *r, int hop)
{
	long n = 1;

	if (hop == 2) {
		__atomic_add_fetch(r->word, 1, __ATOMIC_RELEASE);
		futex(r->word, FUTEX_WAKE, 1);
	} else if (hop < 5) {
		n = write(hop == 3 ? r->sockets[0] : r->pipes[hop - 1][1], "x", 1);
	}
	if (n != 1)
		die("relay");
}

/* Processes hop1 .. hop5, N rounds: the first sleeps and wakes the second by a pipe, that the third
 * by a futex, that the fourth by a socket, that the fifth by a pipe. */
static void relay(long rounds)
{
	struct relay r;

	r.word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r.word == MAP_FAILED || socketpair(AF_UNIX, SOCK_STREAM, 0, r.sockets))
		die("relay");
	for (int i = 0; i < 4; i++)
		if (pipe(r.pipes[i]))
			die("pipe");
	for (int hop = 5; hop > 0; hop--) {
		char name[] = { 'h', 'o', 'p', (char)('0' + hop), 0 };

		if (fork())
			continue;
		prctl(PR_SET_NAME, name);
		for (long i = 0; i < rounds; i++) {
			relay_wait(&r, hop, i);
			relay_wake(&r, hop);
		}
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
}

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for_mutex(void *rounds)
{
	prctl(PR_SET_NAME, "waiter");
	for (long i = *(long *)rounds; i > 0; i--) {
		pthread_mutex_lock(&held);
		pthread_mutex_unlock(&held);
		usleep(1000);
	}
	return NULL;
}

/* A thread holds a mutex for 5 ms, N times, for which another, `waiter`, waits. */
static void mutex(long rounds)
{
	pthread_t id;

	pthread_mutex_lock(&held);
	pthread_create(&id, NULL, wait_for_mutex, &rounds);
	for (long i = 0; i < rounds; i++) {
		usleep(5000);
		pthread_mutex_unlock(&held);
		usleep(500);
		pthread_mutex_lock(&held);
	}
	pthread_mutex_unlock(&held);
	pthread_join(id, NULL);
}

/* A process sends N datagrams over the loopback, one each 5 ms, to another, `receiver`. */
static void udp(long rounds)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t n = sizeof(at);
	int to = socket(AF_INET, SOCK_DGRAM, 0), from = socket(AF_INET, SOCK_DGRAM, 0);
	char c = 0;

	if (bind(to, (void *)&at, n) || getsockname(to, (void *)&at, &n))
		die("udp");
	if (!fork()) {
		prctl(PR_SET_NAME, "receiver");
		while (rounds-- && recv(to, &c, 1, 0) == 1)
			;
		_exit(0);
	}
	prctl(PR_SET_NAME, "sender");
	for (long i = 0; i < rounds; i++) {
		usleep(5000);
		if (sendto(from, &c, 1, 0, (void *)&at, n) != 1)
			die("sendto");
	}
	wait(NULL);
}

static const struct kind {
	const char *name;
	void (*run)(long rounds);
} kinds[] = { { "relay", relay }, { "mutex", mutex }, { "udp", udp } };

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 2 && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(argv[1], kinds[i].name)) {
			kinds[i].run(atol(argv[2]));
			return 0;
		}
	return 2;
}
