/*
 * System calls that are not entered like others: `entries KIND N`.
 *
 *	denied	N of getppid that seccomp refuses with EPERM, and N of getuid that it lets pass
 *	i386	N of getpid, number 20, by int $0x80
 *	upper	N of getppid with something in the upper half of the number's register
 *	unknown	N of each of the numbers 600, 5000 and -1, which no call has
 *	trapped	N of getppid that seccomp answers with a signal, SIGSYS
 *	moved	a thread that is not the first execs
 *	outlived	the first thread ends, then another ends the process with code 3
 *	broken	N of read from an empty pipe, each until a signal comes
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static long deny_getppid(unsigned how)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, how),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { 4, rules };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &filter);
}

static void refused_or_not(long n)
{
	if (deny_getppid(SECCOMP_RET_ERRNO | 1))
		exit(1);
	for (; n > 0; n--) {
		syscall(SYS_getppid);
		syscall(SYS_getuid);
	}
}

static void i386(long n)
{
#if defined(__x86_64__)
	for (; n > 0; n--) {
		long number = 20;

		__asm__ volatile("int $0x80" : "+a"(number) : : "memory", "r8", "r9", "r10", "r11");
	}
#endif
}

/* The kernel looks at the lower half only. */
static void upper(long n)
{
#if defined(__x86_64__)
	for (; n > 0; n--) {
		long number = 0xdead00000000 | SYS_getppid;

		__asm__ volatile("syscall" : "+a"(number) : : "memory", "rcx", "r11");
	}
#endif
}

static void *exec_from_here(void *arg)
{
	execl("/proc/self/exe", "entries", "unknown", "0", NULL);
	return arg;
}

static void moved(long n)
{
	pthread_t id;

	(void)n;
	if (!pthread_create(&id, NULL, exec_from_here, NULL))
		pthread_join(id, NULL);
	exit(1);
}

static void *end_process(void *first)
{
	pthread_join(*(pthread_t *)first, NULL);
	_exit(3);
}

static void outlived(long n)
{
	static pthread_t first;
	pthread_t id;

	(void)n;
	first = pthread_self();
	if (!pthread_create(&id, NULL, end_process, &first))
		pthread_exit(NULL);
	exit(1);
}

static void unknown(long n)
{
	for (; n > 0; n--) {
		syscall(600);
		syscall(5000);
		syscall(-1);
	}
}

static void ignore(int signal)
{
	(void)signal;
}

static void trapped(long n)
{
	struct sigaction act = { .sa_handler = ignore };

	if (sigaction(SIGSYS, &act, NULL) || deny_getppid(SECCOMP_RET_TRAP))
		exit(1);
	for (; n > 0; n--)
		syscall(SYS_getppid);
}

static void broken(long n)
{
	struct itimerval often = { { 0, 1000 }, { 0, 1000 } };
	struct sigaction act = { .sa_handler = ignore };
	int fds[2];
	char byte;

	if (pipe(fds) || sigaction(SIGALRM, &act, NULL) || setitimer(ITIMER_REAL, &often, NULL))
		exit(1);
	for (; n > 0; n--)
		if (read(fds[0], &byte, 1) >= 0 || errno != EINTR)
			exit(1);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(long n);
	} kinds[] = {
		{ "denied", refused_or_not }, { "i386", i386 }, { "upper", upper }, { "unknown", unknown },
		{ "trapped", trapped },
		{ "broken", broken }, { "moved", moved }, { "outlived", outlived },
	};

	for (size_t i = 0; argc == 3 && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(argv[1], kinds[i].name)) {
			kinds[i].run(atol(argv[2]));
			return 0;
		}
	return 1;
}
