/*
 * The code of processes: see unwind.h.
 *
 * What a notice says is entered at once, so that a program's stack is whole from its begin
 * on. Some ms later the process is read, one look at the ten mappings of a program that
 * starts, so that nothing depends on the order of notices nor on what they do not tell.
 */
#include "kern/unwind.h"

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

#include "kern/notices.h"
#include "kern/sysbpf.h"
#include "kern/uspace.h"
#include "kern/utable.h"

#define MAPS_BYTES_MOST (4u << 20)	/* of /proc/PID/maps */
#define FILES_MOST (1u << 20)		/* new ones in one look: no bound */

struct pids {
	uint32_t *v;
	int n, cap;
};

struct unwind {
	struct utables *tables;
	int processes_fd;
	struct unwind_process *process;	/* room for one */
	struct unwind_process *told;	/* the one that notices are about: not yet in the kernel */
	uint64_t told_pid;		/* 0: none is */
	struct pids all_told;		/* since the begin of these notices */
	char *maps;			/* for a process' mappings */
	struct pids changed;		/* to look at */
	struct pids first;		/* what is traced: others' wait, and their binaries */
	bool lost;			/* notices: look at all */
	bool walked;			/* by programs: all was looked at once */
	const uint64_t *mapped;		/* words of processes, as the kernel has them; NULL: none */
	uint64_t begun[MAPPED_SLOTS];	/* what of them the notices that are read now tell all of; 0: not known */
	uint64_t dropped;
};

/* ---- one process ---- */

/* One line of /proc/PID/maps into m. NULL: no code. */
static const char *parse_line(const char *line, struct umapping *m, uint64_t *inode)
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
static const struct utable *find_file(struct utables *t, const struct umapping *m, uint64_t inode,
				      const char *files, const char *name)
{
	char mapped[96], path[4200];
	int n = (int)strcspn(name, "\n");
	const struct utable *table;

	snprintf(mapped, sizeof(mapped), "%s/map_files/%" PRIx64 "-%" PRIx64, files, m->begin, m->end);
	table = utables_file(t, mapped, inode);
	if (table)
		return table;
	snprintf(path, sizeof(path), "%s/root%.*s", files, n < 4096 ? n : 4096, name);
	return utables_file(t, is_file(path, inode) || access(mapped, R_OK) ? path : mapped, 0);
}

/* For a search that does not look at n. */
static void end_ranges(struct unwind_process *p)
{
	for (uint64_t i = p->n; i < UNWIND_RANGES_MOST; i++)
		p->begins[i] = UNWIND_NOWHERE;
}

uint64_t unwind_ranges(struct utables *t, const char *maps, const char *files,
		       uint32_t new_most, struct unwind_process *to)
{
	uint32_t files_most = utables_files(t) + new_most;
	uint64_t dropped = 0;

	to->n = 0;
	for (const char *line = maps; line && *line && utables_files(t) < files_most;
	     line = strchr(line, '\n')) {
		const struct utable *table = NULL;
		struct umapping m;
		uint64_t inode;
		const char *name;

		line += *line == '\n';
		name = parse_line(line, &m, &inode);
		if (!name)
			continue;
		if (inode)
			table = find_file(t, &m, inode, files, name);
		else if (name_is(name, "[vdso]"))
			table = utables_vdso(t);
		if (table)
			dropped += !utable_map(table, &m, to);
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

/* Behind the rows of its binaries: where the kernel lacks them, a walker takes frame pointers. */
static void put_process(struct unwind *u, uint64_t pid, const struct unwind_process *p)
{
	if (u->walked)
		utables_flush(u->tables);
	if (sysbpf_map_update(u->processes_fd, &pid, p))
		u->dropped++;
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

/* True: up to the last of `new_most` binaries that were not known. */
static bool look_at(struct unwind *u, uint32_t pid, uint32_t new_most)
{
	uint32_t files_most = utables_files(u->tables) + new_most;
	char files[32];
	struct uspace_identity before, behind;
	uint64_t dropped;
	bool partly;

	snprintf(files, sizeof(files), "/proc/%" PRIu32, pid);
	u->process->mapped = mapped_now(u, pid);
	if (!wait_for_mapping(pid))
		u->process->mapped = 0;
	if (!uspace_identity(pid, &before) || read_maps(u, pid) <= 0 || !uspace_identity(pid, &behind))
		return false;		/* of the kernel, or gone: what was known of it stands */
	dropped = unwind_ranges(u->tables, u->maps, files, new_most, u->process);
	partly = utables_files(u->tables) == files_most;
	u->process->stack = partly || before.start_stack != behind.start_stack ? 0 : behind.start_stack;
	put_process(u, pid, u->process);
	if (partly)
		return true;
	u->dropped += dropped;
	return false;
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

void unwind_begin(struct unwind *u)
{
	for (uint32_t i = 0; u->mapped && i < MAPPED_SLOTS; i++) {
		uint64_t word = __atomic_load_n(&u->mapped[i], __ATOMIC_ACQUIRE);

		if (word != u->begun[i])
			u->begun[i] = wait_for_mapping((uint32_t)(word >> 32)) ? word : 0;
	}
}

static void put_told(struct unwind *u)
{
	if (u->told_pid)
		put_process(u, u->told_pid, u->told);
	u->told_pid = 0;
}

/* u->told = what is known of the process. */
static void tell(struct unwind *u, uint64_t pid)
{
	if (u->told_pid == pid)
		return;
	put_told(u);
	u->told_pid = pid;
	pids_add(&u->all_told, (uint32_t)pid);
	if (sysbpf_map_lookup(u->processes_fd, &pid, u->told))
		u->told->n = u->told->stack = 0;
}

void unwind_flush(struct unwind *u)
{
	for (int i = 0; i < u->all_told.n && !u->lost; i++) {
		tell(u, u->all_told.v[i]);
		u->told->mapped = u->begun[mapped_slot(u->told_pid)];
	}
	put_told(u);
	u->all_told.n = 0;
}

bool unwind_put(struct unwind_process *p, uint64_t begin, uint64_t end,
		const struct unwind_process *with)
{
	uint64_t at = 0, rest, n_behind, behind;

	while (at < p->n && p->ranges[at].base + p->ranges[at].bytes <= begin)
		at++;
	for (rest = at; rest < p->n && p->begins[rest] < end;)
		rest++;
	n_behind = p->n - rest;
	behind = at + with->n;
	if (behind + n_behind > UNWIND_RANGES_MOST)
		return false;
	memmove(p->ranges + behind, p->ranges + rest, n_behind * sizeof(*p->ranges));
	memmove(p->begins + behind, p->begins + rest, n_behind * sizeof(*p->begins));
	memcpy(p->ranges + at, with->ranges, with->n * sizeof(*p->ranges));
	memcpy(p->begins + at, with->begins, with->n * sizeof(*p->begins));
	p->n = behind + n_behind;
	end_ranges(p);
	return true;
}

static void mapped(struct unwind *u, const struct notice *n)
{
	struct umapping m = { n->map.start, n->map.end, n->map.offset };
	const struct utable *table = NULL;
	char files[32];

	snprintf(files, sizeof(files), "/proc/%" PRIu32, n->pid);
	if (n->map.inode)
		table = find_file(u->tables, &m, n->map.inode, files, n->map.path);
	else if (!strcmp(n->map.path, "[vdso]"))
		table = utables_vdso(u->tables);
	u->process->n = 0;
	if (table)
		utable_map(table, &m, u->process);
	tell(u, n->pid);
	unwind_put(u->told, m.begin, m.end, u->process);
}

/* What a program's own child has until it calls exec. */
static void forked(struct unwind *u, uint64_t child, uint64_t parent)
{
	put_told(u);
	if (sysbpf_map_lookup(u->processes_fd, &child, u->process) &&
	    !sysbpf_map_lookup(u->processes_fd, &parent, u->process)) {
		u->process->mapped = u->begun[mapped_slot(child)];
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
	case NOTICE_EXEC:
		tell(u, pid);
		u->told->n = u->told->stack = 0;
		break;
	case NOTICE_MAP:
		pids_add(&u->changed, n->pid);
		if (is_first(u, n->pid))
			mapped(u, n);
		break;
	case NOTICE_EXIT:
		if (u->told_pid == pid)
			u->told_pid = 0;
		sysbpf_map_delete(u->processes_fd, &pid);
		pids_remove(&u->all_told, pids_find(&u->all_told, n->pid));
		pids_remove(&u->changed, pids_find(&u->changed, n->pid));
		pids_remove(&u->first, pids_find(&u->first, n->pid));
		break;
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

void unwind_first(struct unwind *u, uint32_t pid, const char *program)
{
	utables_file(u->tables, program, 0);
	utables_flush(u->tables);
	pids_add(&u->first, pid);
}

struct unwind_size unwind_size(const struct unwind *u)
{
	return (struct unwind_size){ utables_bytes(u->tables),
				     u->dropped + utables_dropped(u->tables) };
}

/* ---- open ---- */

struct unwind *unwind_open(const struct unwind_fds *fds)
{
	struct utables *tables = utables_open(fds->pieces, fds->chunks);
	struct unwind *u;
	void *mapped = fds->mapped < 0 ? NULL :
		mmap(NULL, sizeof(u->begun), PROT_READ, MAP_SHARED, fds->mapped, 0);

	if (!tables || mapped == MAP_FAILED) {
		utables_close(tables);
		return NULL;
	}
	u = xcalloc(1, sizeof(*u));
	u->tables = tables;
	u->processes_fd = fds->processes;
	u->process = xcalloc(1, sizeof(*u->process));
	u->told = xcalloc(1, sizeof(*u->told));
	u->maps = xmalloc(MAPS_BYTES_MOST);
	u->mapped = mapped;
	look_at_all(u);
	utables_flush(tables);
	u->walked = true;
	return u;
}

void unwind_close(struct unwind *u)
{
	if (!u)
		return;
	utables_close(u->tables);
	if (u->mapped)
		munmap((void *)u->mapped, sizeof(u->begun));
	free(u->process);
	free(u->told);
	free(u->maps);
	free(u->changed.v);
	free(u->all_told.v);
	free(u->first.v);
	free(u);
}
