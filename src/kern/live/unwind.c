/*
 * The code of processes: see unwind.h.
 *
 * What a process maps of files that are known is entered by programs (bpf/cg_ranges.c), so that its stacks are
 * whole from its begin on. Files that a notice names first are read at once, for what is traced; else the process is
 * read some ms later, one look at the ten mappings of a program that starts.
 */
#include "kern/live/unwind.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kern/live/notices.h"
#include "kern/live/unwind_tables.h"
#include "kern/sysbpf.h"
#include "user/needed_files.h"
#include "user/process.h"

#define MAPS_BYTES_MOST (4u << 20)	/* of /proc/PID/maps */
#define MAPPED_BYTES (sizeof(uint64_t) * MAPPED_SLOTS)
#define FILES_MOST (1u << 20)		/* new ones in one look: no bound */

struct pids {
	uint32_t *v;
	int n, cap;
};

struct unwind {
	struct unwind_tables *tables;
	int processes_fd;
	struct unwind_process *process;	/* room for one */
	struct pids urgent;		/* to look at behind these notices */
	char *maps;			/* for a process' mappings */
	struct pids changed;		/* to look at */
	struct pids first;		/* what is traced: others' wait, and their binaries */
	bool lost;			/* notices: look at all */
	bool walked;			/* by programs: all was looked at once */
	const uint64_t *mapped;		/* words of processes, as the kernel has them; NULL: none */
	uint64_t dropped;
};

/* ---- one process ---- */

/* One line of /proc/PID/maps into m. NULL: no code. */
static const char *parse_line(const char *line, struct unwind_mapping *m, uint64_t *inode)
{
	char perms[5];
	int name = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %" SCNu64 " %n", &m->begin,
		   &m->end, perms, &m->offset, inode, &name) < 5 || perms[2] != 'x')
		return NULL;
	return m->begin < m->end && name ? line + name : NULL;
}

static bool name_is(const char *name, const char *what)
{
	size_t n = strlen(what);

	return !strncmp(name, what, n) && (!name[n] || name[n] == '\n');
}

static bool is_file(const char *path, uint64_t inode)
{
	struct stat st;

	return !stat(path, &st) && st.st_ino == inode;
}

/* The file itself, whatever its name is by now; else by its name, in the process' root: when another
 * is mapped there by now. An overlay's files have two numbers. */
static const struct unwind_table *find_file(struct unwind_tables *t, const struct unwind_mapping *m, uint64_t inode,
					    const char *files, const char *name)
{
	char mapped[96], path[4200];
	int n = (int)strcspn(name, "\n");
	const struct unwind_table *table;

	snprintf(mapped, sizeof(mapped), "%s/map_files/%" PRIx64 "-%" PRIx64, files, m->begin, m->end);
	table = unwind_tables_file(t, mapped, inode);
	if (table)
		return table;
	snprintf(path, sizeof(path), "%s/root%.*s", files, n < 4096 ? n : 4096, name);
	return unwind_tables_file(t, is_file(path, inode) || access(mapped, R_OK) ? path : mapped, 0);
}

/* For a search that does not look at n. */
static void end_ranges(struct unwind_process *p)
{
	for (uint64_t i = p->n; i < UNWIND_RANGES_MOST; i++)
		p->begins[i] = UNWIND_NOWHERE;
}

uint64_t unwind_ranges(struct unwind_tables *t, const char *maps, const char *files,
		       uint32_t new_most, struct unwind_process *to)
{
	uint32_t files_most = unwind_tables_files(t) + new_most;
	uint64_t dropped = 0;

	to->n = 0;
	for (const char *line = maps; line && *line && unwind_tables_files(t) < files_most;
	     line = strchr(line, '\n')) {
		const struct unwind_table *table = NULL;
		struct unwind_mapping m;
		uint64_t inode;
		const char *name;

		line += *line == '\n';
		name = parse_line(line, &m, &inode);
		if (!name)
			continue;
		if (inode)
			table = find_file(t, &m, inode, files, name);
		else if (name_is(name, "[vdso]"))
			table = unwind_tables_vdso(t);
		if (table)
			dropped += !unwind_table_map(table, &m, to);
	}
	end_ranges(to);
	return dropped;
}

static ssize_t read_maps(struct unwind *u, uint32_t pid)
{
	char path[40];
	ssize_t n, all = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	while ((n = read(fd, u->maps + all, (size_t)(MAPS_BYTES_MOST - 1 - all))) > 0)
		all += n;
	close(fd);
	u->maps[all] = 0;
	return all;
}

static uint64_t mapped_now(const struct unwind *u, uint32_t pid)
{
	return u->mapped ? __atomic_load_n(&u->mapped[mapped_slot(pid)], __ATOMIC_ACQUIRE) : 0;
}

/* What is counted is mapped a little later, and told later still, all under the lock of the address space.
 * A look for a mapping waits for that lock; /proc/PID/maps does not, since 6.17. False: it can't be had. */
static bool wait_for_mapping(uint32_t pid)
{
	char path[48];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/map_files/1-2", pid);
	return !access(path, F_OK) || errno == ENOENT;
}

/* Has it a list, which is in u->process then? */
static bool is_listed(struct unwind *u, uint32_t pid)
{
	uint64_t key = pid;

	return u->mapped && !sysbpf_map_lookup(u->processes_fd, &key, u->process);
}

/* Fills u->process from what the process has now, but for new_most binaries that were not known. False: it is of the
 * kernel, or gone. */
static bool read_process(struct unwind *u, uint32_t pid, uint32_t new_most, uint64_t *dropped)
{
	struct process_identity before, behind;
	char files[32];

	snprintf(files, sizeof(files), "/proc/%" PRIu32, pid);
	if (!process_identity(pid, &before) || read_maps(u, pid) <= 0 || !process_identity(pid, &behind))
		return false;
	*dropped = unwind_ranges(u->tables, u->maps, files, new_most, u->process);
	u->process->space = 0;
	u->process->stack = before.start_stack != behind.start_stack ? 0 : behind.start_stack;
	return true;
}

/* True: up to the last of `new_most` binaries that were not known. */
static bool look_at(struct unwind *u, uint32_t pid, uint32_t new_most)
{
	uint32_t files_most = unwind_tables_files(u->tables) + new_most;
	uint64_t dropped, key = pid, now = mapped_now(u, pid);
	bool listed = is_listed(u, pid), partly;

	/* programs made it from its begin on, and nothing came that they did not know */
	if (listed && u->process->space && u->process->mapped == now)
		return false;
	u->process->mapped = wait_for_mapping(pid) ? now : 0;
	if (!read_process(u, pid, new_most, &dropped))
		return false;		/* what was known of it stands */
	partly = unwind_tables_files(u->tables) == files_most;
	if (partly)
		u->process->stack = 0;
	if (u->walked)			/* before the list: a walker takes frame pointers where rows are missing */
		unwind_tables_flush(u->tables);
	/* What it has mapped meanwhile is in the list by programs, and another's rules may be in this one. */
	if (listed && mapped_now(u, pid) != now)
		return partly;
	u->dropped += (sysbpf_map_update(u->processes_fd, &key, u->process) != 0) + (partly ? 0 : dropped);
	return partly;
}

static void look_at_all(struct unwind *u)
{
	DIR *d = opendir("/proc");
	struct dirent *entry;

	while (d && (entry = readdir(d))) {
		char *end;
		unsigned long pid = strtoul(entry->d_name, &end, 10);

		if (pid && !*end)
			look_at(u, (uint32_t)pid, FILES_MOST);
	}
	if (d)
		closedir(d);
}

/* ---- notices ---- */

static int pids_find(const struct pids *p, uint32_t pid)
{
	for (int i = 0; i < p->n; i++)
		if (p->v[i] == pid)
			return i;
	return -1;
}

static void pids_add(struct pids *p, uint32_t pid)
{
	if (pids_find(p, pid) >= 0)
		return;
	if (p->n == p->cap) {
		p->cap = p->cap ? 2 * p->cap : 64;
		p->v = xrealloc(p->v, sizeof(*p->v) * (size_t)p->cap);
	}
	p->v[p->n++] = pid;
}

static void pids_remove(struct pids *p, int at)
{
	if (at >= 0)
		p->v[at] = p->v[--p->n];
}

static bool is_first(const struct unwind *u, uint32_t pid)
{
	return !u->first.n || pids_find(&u->first, pid) >= 0;
}

void unwind_flush(struct unwind *u)
{
	for (int i = 0; i < u->urgent.n && !u->lost; i++)
		look_at(u, u->urgent.v[i], FILES_MOST);
	u->urgent.n = 0;
}

/* Programs do not know the file before it was read. */
static void mapped(struct unwind *u, const struct notice *n)
{
	struct unwind_mapping m = { n->map.start, n->map.end, n->map.offset };
	uint32_t n_files = unwind_tables_files(u->tables);
	char files[32];

	pids_add(&u->changed, n->pid);
	if (!is_first(u, n->pid) || !n->map.inode)
		return;
	snprintf(files, sizeof(files), "/proc/%" PRIu32, n->pid);
	find_file(u->tables, &m, n->map.inode, files, n->map.path);
	if (unwind_tables_files(u->tables) != n_files)
		pids_add(&u->urgent, n->pid);
}

/* What a program's own child has until it calls exec, where no program gave it that. */
static void forked(struct unwind *u, uint64_t child, uint64_t parent)
{
	if (sysbpf_map_lookup(u->processes_fd, &child, u->process) &&
	    !sysbpf_map_lookup(u->processes_fd, &parent, u->process)) {
		if (u->process->mapped != mapped_now(u, (uint32_t)parent) || u->process->space)
			u->process->stack = 0;
		u->process->mapped = u->process->space = 0;
		sysbpf_map_update(u->processes_fd, &child, u->process);
	}
	if (pids_find(&u->first, (uint32_t)parent) >= 0)
		pids_add(&u->first, (uint32_t)child);
}

void unwind_notice(struct unwind *u, const struct notice *n)
{
	uint64_t pid = n->pid;

	/* outside of the PID namespace all have that number */
	if (!n->pid && n->kind != NOTICE_LOST)
		return;
	switch (n->kind) {
	case NOTICE_FORK:
		forked(u, pid, n->parent);
		break;
	case NOTICE_MAP:
		mapped(u, n);
		break;
	case NOTICE_EXIT:
		sysbpf_map_delete(u->processes_fd, &pid);
		pids_remove(&u->urgent, pids_find(&u->urgent, n->pid));
		pids_remove(&u->changed, pids_find(&u->changed, n->pid));
		pids_remove(&u->first, pids_find(&u->first, n->pid));
		break;
	case NOTICE_EXEC:
	case NOTICE_CODE:
		break;
	case NOTICE_LOST:
		u->lost = true;
		break;
	}
}

bool unwind_changed(const struct unwind *u)
{
	return u->lost || u->changed.n;
}

void unwind_update(struct unwind *u)
{
	int at = u->changed.n - 1;

	if (u->lost) {
		look_at_all(u);
		u->lost = false;
		u->changed.n = 0;
		return;
	}
	for (int i = 0; i < u->changed.n; i++)
		if (pids_find(&u->first, u->changed.v[i]) >= 0)
			at = i;
	if (at < 0)		/* what had changed has ended since */
		return;
	if (!look_at(u, u->changed.v[at], is_first(u, u->changed.v[at]) ? FILES_MOST : 1))
		pids_remove(&u->changed, at);
}

static void read_needed(void *self, const char *path)
{
	struct unwind *u = self;

	unwind_tables_file(u->tables, path, 0);
}

void unwind_first(struct unwind *u, uint32_t pid, const char *program)
{
	needed_files_each(program, read_needed, u);
	unwind_tables_flush(u->tables);
	pids_add(&u->first, pid);
}

struct unwind_size unwind_size(const struct unwind *u)
{
	return (struct unwind_size){ unwind_tables_bytes(u->tables),
				     u->dropped + unwind_tables_dropped(u->tables) };
}

/* ---- open ---- */

struct unwind *unwind_open(const struct unwind_fds *fds)
{
	struct unwind_tables *tables = unwind_tables_open(fds->pieces, fds->chunks, fds->files);
	struct unwind *u;
	void *mapped = fds->mapped < 0 ? NULL :
		mmap(NULL, MAPPED_BYTES, PROT_READ, MAP_SHARED, fds->mapped, 0);

	if (!tables || mapped == MAP_FAILED) {
		unwind_tables_close(tables);
		return NULL;
	}
	u = xcalloc(1, sizeof(*u));
	u->tables = tables;
	u->processes_fd = fds->processes;
	u->process = xcalloc(1, sizeof(*u->process));
	u->maps = xmalloc(MAPS_BYTES_MOST);
	u->mapped = mapped;
	look_at_all(u);
	unwind_tables_flush(tables);
	u->walked = true;
	return u;
}

void unwind_close(struct unwind *u)
{
	if (!u)
		return;
	unwind_tables_close(u->tables);
	if (u->mapped)
		munmap((void *)u->mapped, MAPPED_BYTES);
	free(u->process);
	free(u->maps);
	free(u->changed.v);
	free(u->urgent.v);
	free(u->first.v);
	free(u);
}
