/*
 * file: which file is behind a process's file descriptors: from the state dump, and
 * from the calls that open, copy and close. A path is the one by which the file was opened;
 * one below a directory's descriptor is put behind that one's, where it is known. What
 * else makes descriptors (sockets, pipes) has no path; of a socket that much is known.
 */
#include <stdio.h>
#include <stdlib.h>

#include "trace/impl.h"

#define FILES_MOST 65536		/* of a process */
#define PATH_BYTES 4096
#define AT_FDCWD (-100)
#define CLOSE_ON_EXEC 02000000		/* O_CLOEXEC */
#define DUPLICATE 0			/* F_DUPFD */
#define DUPLICATE_CLOSE_ON_EXEC 1030

struct rec_file {
	char *path;			/* NULL: not known */
	bool ends_at_exec;
	bool is_socket;			/* without a path */
};

struct rec_files {
	struct rec_file *v;
	int64_t n;
};

enum call_kind { CALL_NONE, CALL_OPEN, CALL_COPY, CALL_CLOSE, CALL_SOCKET };

struct rec_file_call {
	uint8_t kind;			/* enum call_kind */
	bool ends_at_exec;
	int64_t fd;
	char *path;			/* OPEN */
};

/* ---- tables ---- */

static void files_free(struct rec_files *f)
{
	for (int64_t i = 0; f && i < f->n; i++)
		free(f->v[i].path);
	if (f)
		free(f->v);
	free(f);
}

void rec_files_free(struct rec_thread *t)
{
	files_free(t->files);
	if (t->file_call)
		free(t->file_call->path);
	free(t->file_call);
	t->files = NULL;
	t->file_call = NULL;
}

/* The first thread of t's process. */
static struct rec_thread *process_of(const struct recorded *r, const struct rec_thread *t)
{
	if (!t || !(t->valid & RECORD_BIT(RECORD_PID)))
		return NULL;
	return rec_thread_find(r, (int64_t)t->words[RECORD_PID - RECORD_FIELDS_MOST], 0);
}

static struct rec_file *file_at(const struct rec_files *f, int64_t fd)
{
	return f && fd >= 0 && fd < f->n ? &f->v[fd] : NULL;
}

/* What is behind a descriptor from now on: file's path is copied. */
static void file_put(struct rec_thread *process, int64_t fd, struct rec_file file)
{
	struct rec_files *f = process->files;
	char *copy;

	if (fd < 0 || fd >= FILES_MOST)
		return;
	copy = file.path ? strcpy(xmalloc(strlen(file.path) + 1), file.path) : NULL;
	if (!f)
		f = process->files = xcalloc(1, sizeof(*f));
	if (fd >= f->n) {
		int64_t n = fd + 16;
		struct rec_file *v = xcalloc((size_t)n, sizeof(*v));

		if (f->n)
			memcpy(v, f->v, (size_t)f->n * sizeof(*v));
		free(f->v);
		f->v = v;
		f->n = n;
	}
	free(f->v[fd].path);
	f->v[fd] = file;
	f->v[fd].path = copy;
}

static void file_set(struct rec_thread *process, int64_t fd, char *path, bool ends_at_exec)
{
	file_put(process, fd, (struct rec_file){ .path = path, .ends_at_exec = ends_at_exec });
}

bool rec_file_is_socket(const struct recorded *r, const struct rec_thread *t, int64_t fd)
{
	const struct rec_thread *process = process_of(r, t);
	const struct rec_file *file = process ? file_at(process->files, fd) : NULL;

	return file && file->is_socket;
}

const char *rec_file_path(const struct recorded *r, const struct rec_thread *t, int64_t fd)
{
	const struct rec_thread *process = process_of(r, t);
	const struct rec_file *file = process ? file_at(process->files, fd) : NULL;

	return file ? file->path : NULL;
}

/* ---- the state dump ---- */

/* tid pid file_table_address */
static void learn_table(struct recorded *r, uint32_t cpu, const struct ctf_value *const *v)
{
	void **slot;

	(void)cpu;
	if (!v[1]->has || !v[2]->has)
		return;
	slot = map_put(&r->arena, &r->tasks.tables, &v[2]->u, sizeof(v[2]->u));
	if (!*slot)
		*slot = (void *)(uintptr_t)(v[1]->u + 1);
}

/* file_table_address or pid; fd flags filename */
static void learn_file(struct recorded *r, uint32_t cpu, const struct ctf_value *const *v)
{
	uint64_t pid = v[1]->u;
	char path[PATH_BYTES];

	if (!v[2]->has || !v[4]->has || v[4]->kind != CTF_TEXT || !(v[0]->has || v[1]->has))
		return;
	if (v[0]->has)
		pid = (uint64_t)(uintptr_t)map_get(&r->tasks.tables, &v[0]->u,
						   sizeof(v[0]->u)) - 1;
	if (pid >= UINT32_MAX)
		return;
	snprintf(path, sizeof(path), "%.*s", STR_ARG(v[4]->text));
	file_set(rec_thread_of(r, (int64_t)pid, cpu), v[2]->i, path, v[3]->u & CLOSE_ON_EXEC);
}

/* ---- calls ---- */

static struct rec_file_call *call_of(struct recorded *r, enum call_kind kind)
{
	struct rec_thread *t = r->thread;

	if (!t)
		return NULL;
	if (!t->file_call)
		t->file_call = xcalloc(1, sizeof(*t->file_call));
	free(t->file_call->path);
	*t->file_call = (struct rec_file_call){ .kind = (uint8_t)kind };
	return t->file_call;
}

/* filename flags dfd */
static void enter_open(struct recorded *r, uint32_t cpu, const struct ctf_value *const *v)
{
	struct rec_file_call *c = call_of(r, CALL_OPEN);
	const char *below = NULL;
	char path[PATH_BYTES];
	size_t bytes;

	(void)cpu;
	if (!c)
		return;
	if (!v[0]->has || v[0]->kind != CTF_TEXT) {
		c->kind = CALL_NONE;
		return;
	}
	if (v[2]->has && v[2]->i != AT_FDCWD && !(v[0]->text.n && v[0]->text.p[0] == '/'))
		below = rec_file_path(r, r->thread, v[2]->i);
	snprintf(path, sizeof(path), "%s%s%.*s", below ? below : "", below ? "/" : "",
		 STR_ARG(v[0]->text));
	bytes = strlen(path) + 1;
	c->path = memcpy(xmalloc(bytes), path, bytes);
	c->ends_at_exec = v[1]->has && v[1]->u & CLOSE_ON_EXEC;
}

/* fd flags */
static void enter_copy(struct recorded *r, uint32_t cpu, const struct ctf_value *const *v)
{
	struct rec_file_call *c = call_of(r, CALL_COPY);

	(void)cpu;
	if (!c)
		return;
	c->fd = v[0]->has ? v[0]->i : -1;
	c->ends_at_exec = v[1]->has && v[1]->u & CLOSE_ON_EXEC;
}

/* fd cmd */
static void enter_fcntl(struct recorded *r, uint32_t cpu, const struct ctf_value *const *v)
{
	bool ends = v[1]->has && v[1]->u == DUPLICATE_CLOSE_ON_EXEC;
	struct rec_file_call *c = call_of(r, ends || (v[1]->has && v[1]->u == DUPLICATE) ?
					     CALL_COPY : CALL_NONE);

	(void)cpu;
	if (!c)
		return;
	c->fd = v[0]->has ? v[0]->i : -1;
	c->ends_at_exec = ends;
}

/* fd */
static void enter_close(struct recorded *r, uint32_t cpu, const struct ctf_value *const *v)
{
	struct rec_file_call *c = call_of(r, CALL_CLOSE);

	(void)cpu;
	if (c)
		c->fd = v[0]->has ? v[0]->i : -1;
}

/* ret */
static void return_fd(struct recorded *r, uint32_t cpu, const struct ctf_value *const *v)
{
	struct rec_file_call *c = r->thread ? r->thread->file_call : NULL;
	struct rec_thread *process = process_of(r, r->thread);
	const struct rec_file *of;
	struct rec_file copy;

	(void)cpu;
	if (c && process && v[0]->has && v[0]->i >= 0) {
		of = file_at(process->files, c->fd);
		copy = of ? *of : (struct rec_file){ 0 };
		copy.ends_at_exec = c->ends_at_exec;
		if (c->kind == CALL_COPY && v[0]->i != c->fd)
			file_put(process, v[0]->i, copy);
		else if (c->kind == CALL_OPEN)
			file_set(process, v[0]->i, c->path, c->ends_at_exec);
		else if (c->kind == CALL_CLOSE)
			file_set(process, c->fd, NULL, false);
	}
	if (c)
		call_of(r, CALL_NONE);
}

/* ret: the descriptor of something without a path */
static void return_other(struct recorded *r, uint32_t cpu, const struct ctf_value *const *v)
{
	struct rec_thread *process = process_of(r, r->thread);

	(void)cpu;
	if (process && v[0]->has && v[0]->i >= 0)
		file_set(process, v[0]->i, NULL, false);
}

/* type of a socket, flags of an accepted one */
static void enter_socket(struct recorded *r, uint32_t cpu, const struct ctf_value *const *v)
{
	struct rec_file_call *c = call_of(r, CALL_SOCKET);

	(void)cpu;
	if (c)
		c->ends_at_exec = ((v[0]->has ? v[0]->u : 0) | (v[1]->has ? v[1]->u : 0)) & CLOSE_ON_EXEC;
}

/* ret */
static void return_socket(struct recorded *r, uint32_t cpu, const struct ctf_value *const *v)
{
	struct rec_file_call *c = r->thread ? r->thread->file_call : NULL;
	struct rec_thread *process = process_of(r, r->thread);
	bool ends = c && c->kind == CALL_SOCKET && c->ends_at_exec;

	(void)cpu;
	if (process && v[0]->has && v[0]->i >= 0)
		file_put(process, v[0]->i, (struct rec_file){ .is_socket = true, .ends_at_exec = ends });
	if (c)
		call_of(r, CALL_NONE);
}

/* ---- processes ---- */

/* child_tid child_pid parent_pid: a new process has its parent's files */
static void learn_copy(struct recorded *r, uint32_t cpu, const struct ctf_value *const *v)
{
	struct rec_thread *child, *parent;

	if (!v[0]->has || !v[1]->has || !v[2]->has || v[0]->i != v[1]->i)
		return;
	parent = rec_thread_find(r, v[2]->i, cpu);
	child = rec_thread_of(r, v[1]->i, cpu);
	for (int64_t fd = 0; parent && parent->files && fd < parent->files->n; fd++)
		if (parent->files->v[fd].path || parent->files->v[fd].is_socket)
			file_put(child, fd, parent->files->v[fd]);
}

/* tid */
static void learn_exec(struct recorded *r, uint32_t cpu, const struct ctf_value *const *v)
{
	struct rec_thread *process = v[0]->has ? process_of(r, rec_thread_find(r, v[0]->i, cpu))
					       : NULL;

	for (int64_t fd = 0; process && process->files && fd < process->files->n; fd++)
		if (process->files->v[fd].ends_at_exec)
			file_set(process, fd, NULL, false);
}

/* tid: the table goes with the last thread; here with the first, which is seldom earlier */
static void learn_free(struct recorded *r, uint32_t cpu, const struct ctf_value *const *v)
{
	struct rec_thread *t = v[0]->has ? rec_thread_find(r, v[0]->i, cpu) : NULL;

	if (t)
		rec_files_free(t);
}

#define ENTRY "syscall_entry_"
#define EXIT "syscall_exit_"

const struct rec_role rec_file_roles[] = {
	{ "lttng_statedump_process_state", "tid pid file_table_address", WHEN_FIRST, false,
	  MODEL_FILES, learn_table },
	{ "lttng_statedump_file_descriptor", "file_table_address pid fd flags filename",
	  WHEN_FIRST, false, MODEL_FILES, learn_file },
	{ ENTRY "open " ENTRY "openat " ENTRY "openat2", "filename flags dfd", WHEN_KNOWN, false,
	  MODEL_FILES, enter_open },
	{ ENTRY "creat", "pathname", WHEN_KNOWN, false, MODEL_FILES, enter_open },
	{ ENTRY "dup", "fildes", WHEN_KNOWN, false, MODEL_FILES, enter_copy },
	{ ENTRY "dup2 " ENTRY "dup3", "oldfd flags", WHEN_KNOWN, false, MODEL_FILES, enter_copy },
	{ ENTRY "fcntl", "fd cmd", WHEN_KNOWN, false, MODEL_FILES, enter_fcntl },
	{ ENTRY "close", "fd", WHEN_KNOWN, false, MODEL_FILES, enter_close },
	{ EXIT "open " EXIT "openat " EXIT "openat2 " EXIT "creat " EXIT "dup " EXIT "dup2 "
	  EXIT "dup3 " EXIT "fcntl", "ret", WHEN_KNOWN, false, MODEL_FILES, return_fd },
	{ EXIT "close", "ret", WHEN_DONE, false, MODEL_FILES, return_fd },
	{ ENTRY "socket " ENTRY "accept " ENTRY "accept4", "type flags", WHEN_KNOWN, false,
	  MODEL_FILES, enter_socket },
	{ EXIT "socket " EXIT "accept " EXIT "accept4", "ret", WHEN_KNOWN, false, MODEL_FILES,
	  return_socket },
	{ EXIT "epoll_create " EXIT "epoll_create1 " EXIT "eventfd " EXIT "eventfd2 "
	  EXIT "timerfd_create " EXIT "signalfd4 "
	  EXIT "inotify_init1 " EXIT "memfd_create " EXIT "open_by_handle_at "
	  EXIT "perf_event_open " EXIT "userfaultfd", "ret", WHEN_KNOWN, false, MODEL_FILES,
	  return_other },
	{ "sched_process_fork", "child_tid child_pid parent_pid", WHEN_KNOWN, false, MODEL_FILES,
	  learn_copy },
	{ "sched_process_exec", "tid", WHEN_DONE, false, MODEL_FILES, learn_exec },
	{ "sched_process_free", "tid", WHEN_DONE, false, MODEL_FILES, learn_free },
	{ 0 }
};
