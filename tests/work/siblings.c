/*
 * siblings FILE: one of each system call that does what a better known one does: six
 * signals to itself, a file made by creat and opened by openat2, written to with and without RWF_DSYNC, copied by
 * sendfile, a statfs, a file system configured and mounted nowhere, waits for a futex and for time.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <time.h>
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
	syscall(SYS_pidfd_send_signal, eventfd(0, 0), SIGUSR1, NULL, 0);
}

static void opened(const char *name)
{
	uint64_t how[3] = { O_WRONLY, 0, 0 };

	syscall(SYS_openat2, AT_FDCWD, name, how, sizeof(how));
}

static void copied(const char *name, int to)
{
	off_t at = 0;
	int from = open(name, O_RDONLY);

	sendfile(to, from, &at, 1);
}

static void mounts(void)
{
	uint64_t attr[4] = { 1 };	/* MOUNT_ATTR_RDONLY */
	int fs = (int)syscall(SYS_fsopen, "tmpfs", 0), mount;

	syscall(SYS_fsconfig, fs, 1, "source", "siblings", 0);	/* FSCONFIG_SET_STRING */
	syscall(SYS_fsconfig, fs, 6, NULL, NULL, 0);	/* FSCONFIG_CMD_CREATE */
	mount = (int)syscall(SYS_fsmount, fs, 0, 0);
	syscall(SYS_mount_setattr, mount, "", AT_EMPTY_PATH, attr, sizeof(attr));
	syscall(SYS_fspick, AT_FDCWD, "/nowhere", 0);
	syscall(467, AT_FDCWD, "/nowhere", 0, NULL, 0);	/* open_tree_attr */
	syscall(SYS_pivot_root, "/nowhere", "/old");
}

static void waits(void)
{
	struct timespec short_time = { .tv_nsec = 1000 };
	static uint32_t word[3];
	uint64_t waiter[3] = { 1, (uintptr_t)&word[1], 2 };	/* FUTEX2_SIZE_U32 */

	syscall(SYS_futex, &word[0], 13, 0, NULL, NULL, 0);	/* FUTEX_LOCK_PI2: free, so taken */
	syscall(449, waiter, 1, 0, NULL, 0);	/* futex_waitv: another value */
	syscall(455, &word[2], 1L, 1L, 2, NULL, 0);	/* futex_wait, since 6.7 */
	select(0, NULL, NULL, NULL, &(struct timeval){ .tv_usec = 1 });
	ppoll(NULL, 0, &short_time, NULL);
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
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: siblings FILE\n");
		return 2;
	}
	signals();
	fd = (int)syscall(SYS_creat, argv[1], 0600);
	synced_write(fd);
	copied(argv[1], fd);
	opened(argv[1]);
	syscall(SYS_statfs, argv[1], &fs);
	mounts();
	waits();
	return 0;
}
