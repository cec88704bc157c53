/*
 * The cache of mapped files.
 *
 * A file is known by device, inode and path. As long as it is held open its inode is
 * not given to another file, so that later processes that map it need no look at all.
 */
#include "user/mapped_files.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/map.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define FILES_MOST 65536			/* some 20 MB */
#define HELD_MOST 512			/* files open at once */
#define TABLES_BYTES_MOST ((size_t)256 << 20)
#define LINES_MOST 16			/* files whose source lines are loaded */
#define VDSO_BYTES_MOST (1u << 20)

struct mapped_files {
	struct arena arena;
	struct map known;		/* device, inode, path -> struct mapped_file */
	struct mapped_file *held[HELD_MOST];
	int n_held, held_most;
	size_t table_bytes;
	int n_lines;
	uint64_t clock;
};

struct mapped_files *mapped_files_open(void)
{
	struct mapped_files *f = xcalloc(1, sizeof(*f));
	struct rlimit r;

	f->held_most = HELD_MOST;
	if (!getrlimit(RLIMIT_NOFILE, &r) && r.rlim_cur / 2 < HELD_MOST)
		f->held_most = r.rlim_cur > 16 ? (int)r.rlim_cur / 2 : 8;
	return f;
}

/* ---- what is held ---- */

static void drop_table(struct mapped_files *f, struct mapped_file *file)
{
	if (!file->table)
		return;
	f->table_bytes -= symbol_table_bytes(file->table);
	symbol_table_free(file->table);
	file->table = NULL;
}

static void drop_lines(struct mapped_files *f, struct mapped_file *file)
{
	f->n_lines -= file->lines != NULL;
	source_lines_close(file->lines);
	file->lines = NULL;
}

static void let_go(struct mapped_files *f, int i)
{
	struct mapped_file *file = f->held[i];

	drop_table(f, file);
	drop_lines(f, file);
	close(file->fd);
	file->fd = -1;
	f->held[i] = f->held[--f->n_held];
}

enum with { ANY, TABLE, LINES };

/* The held one that was used longest ago, of those that have it; -1: none. */
static int oldest(const struct mapped_files *f, enum with with)
{
	int found = -1;

	for (int i = 0; i < f->n_held; i++)
		if ((with != TABLE || f->held[i]->table) && (with != LINES || f->held[i]->lines) &&
		    (found < 0 || f->held[i]->used < f->held[found]->used))
			found = i;
	return found;
}

static void hold(struct mapped_files *f, struct mapped_file *file, int fd)
{
	if (f->n_held >= f->held_most)
		let_go(f, oldest(f, ANY));
	file->fd = fd;
	f->held[f->n_held++] = file;
}

void mapped_files_close(struct mapped_files *f)
{
	if (!f)
		return;
	while (f->n_held)
		let_go(f, 0);
	arena_fini(&f->arena);
	free(f);
}

/* ---- opening ---- */

/* This process's vdso as a file: all 64-bit processes have the same. */
static int open_vdso(void)
{
	const Elf64_Ehdr *head = (const void *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	size_t bytes;
	int fd;

	if (!head)
		return -1;
	bytes = head->e_shoff + (size_t)head->e_shnum * head->e_shentsize;
	fd = bytes <= VDSO_BYTES_MOST ? memfd_create("vdso", MFD_CLOEXEC) : -1;
	if (fd >= 0 && write(fd, head, bytes) != (ssize_t)bytes) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool is_mapped(int fd, const struct maps_line *m)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_ino == m->inode;
}

/* Of a process that has ended: what the path means here, if that is it. Devices without a
 * number of their own are told differently by different calls. */
static int open_here(const struct maps_line *m)
{
	int fd = elf_file_open_plain(AT_FDCWD, m->path, false);
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && is_mapped(fd, m) &&
	    (st.st_dev == makedev(m->dev_major, m->dev_minor) || !major(st.st_dev)))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* The very file that is mapped, which its path need not mean any more. *here: found by its
 * path, in this process's root. */
static int open_mapped(uint32_t pid, const struct maps_line *m, bool *here)
{
	char path[96];
	int mapped, fd;

	*here = false;
	if (!strcmp(m->path, "[vdso]"))
		return m->start >> 32 ? open_vdso() : -1;
	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", pid,
		 (unsigned long long)m->start, (unsigned long long)m->end);
	mapped = elf_file_open_plain(AT_FDCWD, path, false);
	if (mapped >= 0 && is_mapped(mapped, m))
		return mapped;
	/* not permitted without CAP_CHECKPOINT_RESTORE, or another file is there by now */
	fd = m->deleted ? -1 : process_open(pid, m->path);
	if (fd >= 0 && !is_mapped(fd, m)) {
		close(fd);
		fd = -1;
	}
	/* an overlay's files have two numbers */
	if (fd < 0 && !m->deleted && mapped >= 0)
		return mapped;
	if (mapped >= 0)
		close(mapped);
	if (fd >= 0)
		return fd;
	*here = true;
	return m->deleted ? -1 : open_here(m);
}

static void remember(struct mapped_file *file, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return;
	file->bytes = (uint64_t)st.st_size;
	file->modified_ns = (uint64_t)st.st_mtim.tv_sec * NS_PER_S + (uint64_t)st.st_mtim.tv_nsec;
}

static struct mapped_file *add_file(struct mapped_files *f, const struct maps_line *m, int fd)
{
	struct mapped_file *file = arena_new(&f->arena, struct mapped_file);
	const char *slash = strrchr(m->path, '/');

	file->path = arena_strdup(&f->arena, m->path);
	file->module = slash ? file->path + (slash - m->path) + 1 : file->path;
	file->dev = (uint64_t)m->dev_major << 32 | m->dev_minor;
	file->inode = m->inode;
	file->fd = -1;
	if (fd >= 0) {
		remember(file, fd);
		hold(f, file, fd);
	}
	return file;
}

struct mapped_file *mapped_files_add(struct mapped_files *f, uint32_t pid, const struct maps_line *m)
{
	struct buf key = { 0 };
	struct mapped_file *file, now = { 0 };
	void **slot;
	bool here;
	int fd;

	buf_printf(&key, "%x:%x %llx %s", m->dev_major, m->dev_minor,
		   (unsigned long long)m->inode, m->path);
	file = map_get(&f->known, key.p, (int)key.n);
	if ((file && file->fd >= 0) || (!file && f->known.n >= FILES_MOST)) {
		buf_fini(&key);
		return file;
	}
	fd = open_mapped(pid, m, &here);
	if (file && fd >= 0) {
		remember(&now, fd);
		if (file->gone || (now.bytes == file->bytes && now.modified_ns == file->modified_ns)) {
			remember(file, fd);
			file->gone = false;
			hold(f, file, fd);
		} else {
			file = NULL;	/* the inode was given to another */
		}
	}
	if (!file) {
		slot = map_put(&f->arena, &f->known, key.p, (int)key.n);
		*slot = file = add_file(f, m, fd);
		if (!here)
			process_root(pid, file->root, sizeof(file->root));
	}
	buf_fini(&key);
	return file;
}

void mapped_files_use(struct mapped_files *f, struct mapped_file *file)
{
	file->used = ++f->clock;
}

/* ---- tables ---- */

/* When it is not held any more: is what the path means now the same file? */
static void open_again(struct mapped_files *f, struct mapped_file *file)
{
	struct mapped_file now = { 0 };
	struct stat st;
	int fd = *file->root || *file->path != '/' ? -1 :
		elf_file_open_plain(AT_FDCWD, file->path, false);

	file->gone = true;
	if (fd < 0)
		return;
	remember(&now, fd);
	if (fstat(fd, &st) || st.st_ino != file->inode || now.bytes != file->bytes ||
	    now.modified_ns != file->modified_ns) {
		close(fd);
		return;
	}
	file->gone = false;
	hold(f, file, fd);
}

/* For what lies beside it; nothing for what is not in a file system. */
static void path_of(const struct mapped_file *file, struct buf *to)
{
	if (*file->path == '/')
		buf_printf(to, "%s%s", file->root, file->path);
}

struct symbol_table *mapped_files_table(struct mapped_files *f, struct mapped_file *file)
{
	struct buf path = { 0 };
	int i;

	mapped_files_use(f, file);
	if (file->table || file->gone || file->no_elf)
		return file->table;
	if (file->fd < 0)
		open_again(f, file);
	if (file->fd < 0)
		return NULL;
	path_of(file, &path);
	file->table = symbol_table_load(file->fd, path.p, file->root);
	buf_fini(&path);
	file->no_elf = !file->table;
	if (file->table)
		f->table_bytes += symbol_table_bytes(file->table);
	while (f->table_bytes > TABLES_BYTES_MOST && (i = oldest(f, TABLE)) >= 0 && f->held[i] != file)
		drop_table(f, f->held[i]);
	return file->table;
}

struct source_lines *mapped_files_lines(struct mapped_files *f, struct mapped_file *file)
{
	struct buf path = { 0 };

	if (file->lines || file->no_lines || file->fd < 0)
		return file->lines;
	if (f->n_lines >= LINES_MOST)
		drop_lines(f, f->held[oldest(f, LINES)]);
	path_of(file, &path);
	file->lines = source_lines_open(file->fd, path.p, file->root);
	buf_fini(&path);
	file->no_lines = !file->lines;
	f->n_lines += file->lines != NULL;
	return file->lines;
}
