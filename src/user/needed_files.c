/* The files that a program needs: see needed_files.h. ELF files are read as elf_file.h says. */
#include "user/needed_files.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "user/elf_file.h"
#include "user/program_file.h"

#define FILES_MOST 1024
#define DYNAMIC_MOST 4096		/* entries, of a file */
#define STRINGS_MOST (4u << 20)
#define HEAD_BYTES 256

struct needed {
	struct arena arena;
	VEC(const char *) files;	/* each path once, in the order they are found */
	const char *program_folders;	/* its RPATH or RUNPATH, which libraries' own searches may use */
};

static bool add(struct needed *n, const char *path)
{
	if (!path || access(path, R_OK))
		return false;
	for (int i = 0; i < n->files.n; i++)
		if (!strcmp(n->files.v[i], path))
			return true;
	if (n->files.n < FILES_MOST)
		vec_push(&n->arena, &n->files, arena_strdup(&n->arena, path));
	return true;
}

/* The library in the first of these folders that has it; $ORIGIN is the folder of `file`. */
static bool add_below(struct needed *n, const char *folders, const char *file, const char *library)
{
	static const char *const origins[] = { "$ORIGIN", "${ORIGIN}" };
	const char *slash = strrchr(file, '/');
	const char *origin = slash ? arena_strndup(&n->arena, file, (size_t)(slash - file)) : ".";

	for (const char *at = folders; at && *at; at += *at == ':') {
		size_t bytes = strcspn(at, ":"), cut = 0;

		for (size_t i = 0; i < sizeof(origins) / sizeof(origins[0]); i++)
			if (!strncmp(at, origins[i], strlen(origins[i])))
				cut = strlen(origins[i]);
		if (bytes >= cut && bytes < PATH_MAX &&
		    add(n, arena_printf(&n->arena, "%s%.*s/%s", cut ? origin : "", (int)(bytes - cut), at + cut,
					library)))
			return true;
		at += bytes;
	}
	return false;
}

static void add_library(struct needed *n, const char *file, const char *folders, const char *library)
{
	if (strchr(library, '/'))
		add(n, library);
	else if (!add_below(n, folders, file, library) &&
		 !add_below(n, n->program_folders, n->files.v[0], library) &&
		 !add_below(n, getenv("LD_LIBRARY_PATH"), file, library))
		add(n, program_file_of_loader(&n->arena, (struct str){ library, (int)strlen(library) }));
}

/* ---- ELF ---- */

struct dynamic {
	Elf64_Dyn entries[DYNAMIC_MOST];
	int n;
	char *strings;
	uint64_t strings_bytes;
};

static const char *string_of(const struct dynamic *d, int64_t tag)
{
	for (int i = 0; i < d->n; i++)
		if (d->entries[i].d_tag == tag && d->entries[i].d_un.d_val < d->strings_bytes)
			return d->strings + d->entries[i].d_un.d_val;
	return NULL;
}

static bool read_dynamic(const struct elf_file *m, const Elf64_Phdr *p, struct dynamic *d)
{
	uint64_t at = 0, offset;

	d->n = p->p_filesz / sizeof(Elf64_Dyn) < DYNAMIC_MOST ? (int)(p->p_filesz / sizeof(Elf64_Dyn)) : DYNAMIC_MOST;
	if (!elf_file_read(m, p->p_offset, d->entries, (uint64_t)d->n * sizeof(Elf64_Dyn)))
		return false;
	for (int i = 0; i < d->n; i++) {
		if (d->entries[i].d_tag == DT_STRTAB)
			at = d->entries[i].d_un.d_ptr;
		if (d->entries[i].d_tag == DT_STRSZ)
			d->strings_bytes = d->entries[i].d_un.d_val;
	}
	if (!elf_file_file_offset(m, at, &offset))
		return false;
	d->strings = elf_file_copy(m, offset, d->strings_bytes, STRINGS_MOST);
	return d->strings;
}

static void add_needed(struct needed *n, const char *file, const struct elf_file *m, const Elf64_Phdr *p)
{
	struct dynamic *d = xcalloc(1, sizeof(*d));
	const char *folders;

	if (read_dynamic(m, p, d)) {
		folders = string_of(d, DT_RUNPATH) ? string_of(d, DT_RUNPATH) : string_of(d, DT_RPATH);
		if (!n->program_folders && folders && file == n->files.v[0])
			n->program_folders = arena_strdup(&n->arena, folders);
		for (int i = 0; i < d->n; i++)
			if (d->entries[i].d_tag == DT_NEEDED && d->entries[i].d_un.d_val < d->strings_bytes)
				add_library(n, file, folders, d->strings + d->entries[i].d_un.d_val);
	}
	free(d->strings);
	free(d);
}

static void of_elf(struct needed *n, const char *file, const struct elf_file *m)
{
	for (int i = 0; i < m->head.e_phnum; i++) {
		Elf64_Phdr p;
		char *path;

		if (!elf_file_read(m, m->head.e_phoff + (uint64_t)i * sizeof(p), &p, sizeof(p)))
			return;
		if (p.p_type == PT_DYNAMIC)
			add_needed(n, file, m, &p);
		if (p.p_type != PT_INTERP)
			continue;
		path = elf_file_copy(m, p.p_offset, p.p_filesz, PATH_MAX);
		if (path)
			add(n, path);
		free(path);
	}
}

/* ---- files ---- */

static bool of_script(struct needed *n, const char *file)
{
	char head[HEAD_BYTES + 1], *path;
	int fd = elf_file_open_plain(AT_FDCWD, file, false);
	ssize_t bytes = fd >= 0 ? read(fd, head, HEAD_BYTES) : -1;

	if (fd >= 0)
		close(fd);
	if (bytes < 2 || head[0] != '#' || head[1] != '!')
		return false;
	head[bytes] = 0;
	path = head + 2 + strspn(head + 2, " \t");
	path[strcspn(path, " \t\n")] = 0;
	add(n, path);
	return true;
}

static void preloaded(struct needed *n)
{
	const char *at = getenv("LD_PRELOAD");

	while (at && *at) {
		size_t bytes = strcspn(at, ": ");

		if (bytes)
			add_library(n, "", NULL, arena_strndup(&n->arena, at, bytes));
		at += bytes + (at[bytes] != 0);
	}
}

void needed_files_each(const char *program, void (*each)(void *self, const char *path), void *self)
{
	struct needed n = { .program_folders = NULL };

	add(&n, program);
	if (n.files.n)
		preloaded(&n);
	for (int i = 0; i < n.files.n; i++) {
		struct elf_file m;

		each(self, n.files.v[i]);
		if (of_script(&n, n.files.v[i]))
			continue;
		if (!elf_file_open(&m, n.files.v[i]) && !elf_file_head(&m))
			of_elf(&n, n.files.v[i], &m);
		elf_file_close(&m);
	}
	arena_fini(&n.arena);
}
