/*
 * System calls that are not entered like others: `entries KIND N`.
 *
 *	denied	N of getppid that seccomp refuses with EPERM, and N of getuid that it lets pass
 *	i386	N of getpid, number 20, by int $0x80
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static long deny_getppid(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { 4, rules };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &filter);
}

static void denied(void)
{
	syscall(SYS_getppid);
	syscall(SYS_getuid);
}

static void i386(void)
{
#if defined(__x86_64__)
	long number = 20;

	__asm__ volatile("int $0x80" : "+a"(number) : : "memory", "r8", "r9", "r10", "r11");
#endif
}

int main(int argc, char **argv)
{
	int is_denied = argc == 3 && !strcmp(argv[1], "denied");

	if (argc != 3 || (is_denied && deny_getppid()))
		return 1;
	for (long i = atol(argv[2]); i > 0; i--)
		is_denied ? denied() : i386();
	return 0;
}
