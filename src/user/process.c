/*
 * /proc of one process. It ends whenever it likes, and what it names itself and its
 * files is its own choice: a text is looked at as bytes, and its root's links are
 * followed only inside of that root.
 */
#include "user/process.h"
#include "base/arena.h"
#include "base/buf.h"
#include "user/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAPS_BYTES_MOST (16u << 20)

bool process_identity(uint32_t pid, struct process_identity *out)
{
	char path[64], text[1024], *p;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	p = strrchr(text, ')');		/* the name can have anything in it */
	*out = (struct process_identity){ 0 };
	for (int field = 2; p && *p; p = strchr(p + 1, ' '), field++) {
		if (field == 22)
			out->start_time = strtoull(p, NULL, 10);
		else if (field == 26)
			out->start_code = strtoull(p, NULL, 10);
		else if (field == 28)
			out->start_stack = strtoull(p, NULL, 10);
		if (field == 3 && (p[1] == 'Z' || p[1] == 'X'))
			return false;
	}
	return out->start_time != 0;
}

char *process_maps(uint32_t pid, int *error)
{
	char path[64], piece[16384];
	struct buf text = { 0 };
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	*error = errno;
	if (fd < 0)
		return NULL;
	while ((n = read(fd, piece, sizeof(piece))) > 0 && text.n < MAPS_BYTES_MOST)
		buf_add(&text, piece, (size_t)n);
	*error = n < 0 ? errno : ESRCH;		/* empty: it has ended, or is the kernel's */
	close(fd);
	if (text.n && n >= 0)
		return text.p;
	buf_fini(&text);
	return NULL;
}

bool maps_line_cut_deleted(char *path)
{
	static const char deleted[] = " (deleted)";
	size_t n = strlen(path), end = sizeof(deleted) - 1;

	if (n <= end || strcmp(path + n - end, deleted))
		return false;
	path[n - end] = 0;
	return true;
}

bool maps_line_next(char **at, struct maps_line *out)
{
	char *line, *end, *p;

	for (;;) {
		line = *at;
		if (!*line)
			return false;
		end = strchrnul(line, '\n');
		*at = *end ? end + 1 : end;
		*end = 0;
		*out = (struct maps_line){ 0 };
		out->start = strtoull(line, &p, 16);
		if (*p != '-')
			continue;
		out->end = strtoull(p + 1, &p, 16);
		if (strlen(p) < 6 || out->end <= out->start)
			continue;
		out->executable = p[3] == 'x';
		out->offset = strtoull(p + 5, &p, 16);
		out->dev_major = (uint32_t)strtoul(p, &p, 16);
		if (*p == ':')
			out->dev_minor = (uint32_t)strtoul(p + 1, &p, 16);
		out->inode = strtoull(p, &p, 10);
		while (*p == ' ')
			p++;
		out->deleted = maps_line_cut_deleted(p);
		out->path = p;
		return true;
	}
}

void process_root(uint32_t pid, char *to, int room)
{
	char path[64];
	struct stat theirs, ours, mounts, own_mounts;

	snprintf(path, sizeof(path), "/proc/%u/ns/mnt", pid);
	snprintf(to, (size_t)room, "/proc/%u/root", pid);
	if (!stat(path, &mounts) && !stat("/proc/self/ns/mnt", &own_mounts) &&
	    mounts.st_ino == own_mounts.st_ino && !stat(to, &theirs) && !stat("/", &ours) &&
	    theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino)
		*to = 0;
}

int process_open(uint32_t pid, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	char name[64];
	int root, at, fd;

	snprintf(name, sizeof(name), "/proc/%u/root", pid);
	root = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -errno;
	at = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	fd = at < 0 ? -errno : 0;
	close(root);
	if (at < 0)
		return fd;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", at);
	fd = elf_file_open_plain(AT_FDCWD, name, false);
	close(at);
	return fd;
}
