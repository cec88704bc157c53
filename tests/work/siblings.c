/*
 * siblings FILE: one of each system call that does what a better known one does: five
 * signals to itself, a file made by creat, written to with and without RWF_DSYNC, a statfs, a file system opened and mounted nowhere.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

static void signals(void)
{
	siginfo_t info;
	pid_t pid = getpid();

	memset(&info, 0, sizeof(info));
	info.si_signo = SIGUSR1;
	info.si_code = SI_QUEUE;
	signal(SIGUSR1, SIG_IGN);
	syscall(SYS_kill, pid, SIGUSR1);
	syscall(SYS_tkill, pid, SIGUSR1);
	syscall(SYS_tgkill, pid, pid, SIGUSR1);
	syscall(SYS_rt_sigqueueinfo, pid, SIGUSR1, &info);
	syscall(SYS_rt_tgsigqueueinfo, pid, pid, SIGUSR1, &info);
	syscall(SYS_pidfd_send_signal, syscall(SYS_pidfd_open, pid, 0), SIGUSR1, NULL, 0);
}

static void synced_write(int fd)
{
	struct iovec one = { .iov_base = "x", .iov_len = 1 };

	pwritev2(fd, &one, 1, 0, 0);
	pwritev2(fd, &one, 1, 0, RWF_DSYNC);
}

int main(int argc, char **argv)
{
	struct statfs fs;

	if (argc != 2) {
		fprintf(stderr, "usage: siblings FILE\n");
		return 2;
	}
	signals();
	synced_write((int)syscall(SYS_creat, argv[1], 0600));
	syscall(SYS_statfs, argv[1], &fs);
	syscall(SYS_fsopen, "tmpfs", 0);
	return 0;
}
