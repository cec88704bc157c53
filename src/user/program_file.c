/*
 * From the text of a user function to files.
 *
 * A process sees files by its own root and mounts: with -p, and for `pid:`, paths go
 * through /proc/PID/root, and a file that was deleted or replaced since it was mapped is
 * reached through /proc/PID/map_files. Processes end whenever they like: whatever is not
 * there any more ends in a sentence.
 */
#include "user/program_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "user/elf_file.h"

#define MAPS_BYTES_MOST (64u << 20)
#define CACHE_BYTES_MOST (16u << 20)
#define CACHE "/etc/ld.so.cache"
#define LINKS_MOST 40			/* followed, as the kernel does */

static bool read_file(const char *path, size_t most, struct buf *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char piece[16384];
	ssize_t n;

	if (fd < 0)
		return false;
	while ((n = read(fd, piece, sizeof(piece))) > 0 && out->n < most)
		buf_add(out, piece, (size_t)n);
	close(fd);
	return n >= 0 && out->n > 0;
}

static void add(struct arena *a, program_files *out, struct program_file t)
{
	struct stat st, other;

	for (int i = 0; i < out->n && !stat(t.path, &st); i++)
		if (out->v[i].pid == t.pid && !stat(out->v[i].path, &other) &&
		    st.st_dev == other.st_dev && st.st_ino == other.st_ino)
			return;
	vec_push(a, out, t);
}

/* ---- processes ---- */

static bool same_link(const char *x, const char *y)
{
	char a[256], b[256];
	ssize_t n = readlink(x, a, sizeof(a)), m = readlink(y, b, sizeof(b));

	return n > 0 && n == m && !memcmp(a, b, (size_t)n);
}

/* "" when the process sees the files that this one sees. */
static const char *root_of(struct arena *a, int64_t pid)
{
	const char *root = arena_printf(a, "/proc/%lld/root", (long long)pid);
	const char *mounts = arena_printf(a, "/proc/%lld/ns/mnt", (long long)pid);
	struct stat theirs, ours;

	if (same_link(mounts, "/proc/self/ns/mnt") && !stat(root, &theirs) && !stat("/", &ours) &&
	    theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino)
		return "";
	return root;
}

struct mapped {
	const char *range, *path;	/* "7f00-7f10", "/usr/lib/libc.so.6" */
	uint64_t inode;
	bool deleted;
};

/* The next file that is mapped to be executed; false at the end. */
static bool maps_next(struct arena *a, const char **at, struct mapped *m)
{
	static const char deleted[] = " (deleted)";

	while (**at) {
		const char *line = *at, *end = strchrnul(line, '\n'), *path;
		size_t n;
		char range[64], perms[8];
		unsigned long long inode;
		int from = 0;

		*at = *end ? end + 1 : end;
		if (sscanf(line, "%63s %7s %*s %*s %llu%n", range, perms, &inode, &from) != 3 ||
		    strlen(perms) < 3 || perms[2] != 'x' || line + from >= end)
			continue;
		path = memchr(line + from, '/', (size_t)(end - line - from));
		if (!path)
			continue;
		n = (size_t)(end - path);
		m->deleted = n > sizeof(deleted) - 1 &&
			!memcmp(end - (sizeof(deleted) - 1), deleted, sizeof(deleted) - 1);
		m->path = arena_strndup(a, path, m->deleted ? n - (sizeof(deleted) - 1) : n);
		m->range = arena_strdup(a, range);
		m->inode = inode;
		return true;
	}
	return false;
}

static struct program_file mapped_target(struct arena *a, int64_t pid, const char *root,
					 const struct mapped *m)
{
	const char *path = arena_printf(a, "%s%s", root, m->path);
	struct stat st;

	if (m->deleted || stat(path, &st) || st.st_ino != m->inode)
		path = arena_printf(a, "/proc/%lld/map_files/%s", (long long)pid, m->range);
	return (struct program_file){ path, root, m->path, pid };
}

/* Is the file the library: "libc.so" is also libc.so.6, "libc.so.6" only that. */
static bool is_library(struct str library, const char *file)
{
	return !strncmp(file, library.p, (size_t)library.n) &&
	       (!file[library.n] || file[library.n] == '.');
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const char *no_process(struct arena *a, int64_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%lld", (long long)pid);
	if (access(path, F_OK))
		return arena_printf(a, "there is no process %lld", (long long)pid);
	return arena_printf(a, "process %lld shows no files: it is the kernel's own, has ended, or "
			    "belongs to somebody else", (long long)pid);
}

/* Adds what the process has mapped and is this library (n 0: everything). */
static const char *add_mapped(struct arena *a, int64_t pid, struct str library, program_files *out)
{
	char path[64];
	struct buf text = { 0 };
	const char *at, *root = root_of(a, pid);
	struct mapped m;
	bool ok;

	snprintf(path, sizeof(path), "/proc/%lld/maps", (long long)pid);
	ok = read_file(path, MAPS_BYTES_MOST, &text);
	for (at = ok ? text.p : ""; maps_next(a, &at, &m);)
		if (!library.n || is_library(library, base_name(m.path)))
			add(a, out, mapped_target(a, pid, root, &m));
	buf_fini(&text);
	return ok ? NULL : no_process(a, pid);
}

static const char *of_process(struct arena *a, struct str text, program_files *out, struct str *name,
			      const char **help)
{
	const char *exe, *complaint;
	int64_t pid = 0;
	int i = 4;

	for (; i < text.n && text.p[i] >= '0' && text.p[i] <= '9' && pid < INT32_MAX; i++)
		pid = pid * 10 + (text.p[i] - '0');
	if (i == 4 || i >= text.n || text.p[i] != ':' || pid > INT32_MAX) {
		*help = "write pid:1234:NAME()";
		return "after 'pid:' write the number of a process, a colon and a function";
	}
	*name = str_sub(text, i + 1, -1);
	exe = arena_printf(a, "/proc/%lld/exe", (long long)pid);
	if (!access(exe, F_OK))
		vec_push(a, out, ((struct program_file){ exe, root_of(a, pid), exe, pid }));
	complaint = add_mapped(a, pid, (struct str){ "", 0 }, out);
	return out->n ? NULL : complaint ? complaint : no_process(a, pid);
}

/* ---- scripts ---- */

/* How the file begins, up to its first line's end. */
static struct str first_line(struct arena *a, const char *path)
{
	char head[256];
	int fd = elf_file_open_plain(AT_FDCWD, path, false);
	ssize_t n = fd >= 0 ? read(fd, head, sizeof(head)) : -1;
	const char *end = n > 0 ? memchr(head, '\n', (size_t)n) : NULL;

	if (fd >= 0)
		close(fd);
	if (end)
		n = end - head;
	return (struct str){ arena_strndup(a, head, n > 0 ? (size_t)n : 0), n > 0 ? (int)n : 0 };
}

static bool is_elf(struct arena *a, const char *path)
{
	return str_has_prefix(first_line(a, path), ELFMAG);
}

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, R_OK);
}

/* A program as a shell finds it, or the first that is no script. */
static const char *in_path(struct arena *a, struct str program, bool elf)
{
	const char *at = getenv("PATH");

	while (at && *at && program.n) {
		int n = (int)strcspn(at, ":");
		const char *path = arena_printf(a, "%.*s/%.*s", n, at, STR_ARG(program));

		if (*at == '/' && is_file(path) && (!elf || is_elf(a, path)))
			return path;
		at += n + (at[n] == ':');
	}
	return NULL;
}

/* What runs is the script's interpreter, or what that starts: which, only the user knows. NULL: it is
 * no script. */
static const char *script(struct arena *a, const char *path, const char **help)
{
	struct str line = first_line(a, path);
	const char *slash = strrchr(path, '/'), *other;

	if (!str_has_prefix(line, "#!"))
		return NULL;
	other = slash ? in_path(a, str_of(slash + 1), true) : NULL;
	*help = other ? arena_printf(a, "write %s, if it is that which it starts", other) :
		"write the path of its interpreter, or of what it starts";
	line.p += 2 + strspn(line.p + 2, " \t");
	return arena_printf(a, "%s is a script, run by %s", path, line.p);
}

/* ---- paths ---- */

/* Where the path ends: at a colon that is not of a "::", the first that leaves a file. */
static int path_end(struct arena *a, struct str text)
{
	int first = -1;

	for (int i = 1; i < text.n - 1; i++) {
		if (text.p[i] != ':' || text.p[i - 1] == ':' || text.p[i + 1] == ':')
			continue;
		if (first < 0)
			first = i;
		if (!access(arena_strndup(a, text.p, (size_t)i), F_OK))
			return i;
	}
	return first;
}

/*
 * The path of a process without the links that are in it, below its root: opened with that
 * before it an absolute link would lead to this process's files. NULL: too many links.
 */
static const char *without_links(struct arena *a, const char *root, const char *path)
{
	const char *done = "", *rest = path;

	for (int links = 0; *rest;) {
		int n = (int)strcspn(rest, "/");
		const char *next = arena_printf(a, "%s/%.*s", done, n, rest);
		char link[4096];
		ssize_t bytes;

		rest += n + (rest[n] == '/');
		if (!n || (n == 1 && next[strlen(done) + 1] == '.'))
			continue;
		if (!strcmp(next + strlen(done), "/..")) {
			done = arena_strndup(a, done, *done ? (size_t)(strrchr(done, '/') - done) : 0);
			continue;
		}
		bytes = readlink(arena_printf(a, "%s%s", root, next), link, sizeof(link));
		if (bytes < 0) {
			done = next;
			continue;
		}
		if (++links > LINKS_MOST)
			return NULL;
		rest = arena_printf(a, "%.*s/%s", (int)bytes, link, rest);
		if (*rest == '/')
			done = "";
	}
	return done;
}

/* The file at the process's path as this process opens it; NULL: there is none. */
static const char *inside_of(struct arena *a, const char *root, const char *path)
{
	const char *plain = *root ? without_links(a, root, path) : path;

	path = plain ? arena_printf(a, "%s%s", root, plain) : NULL;
	return path && !access(path, F_OK) ? path : NULL;
}

static const char *of_path(struct arena *a, const struct cat_user *u, program_files *out,
			   struct str *name, bool *all, const char **help)
{
	int end = path_end(a, u->text), code = ENOENT;
	const char *path, *complaint;

	if (end < 0) {
		*help = u->probes ? "culprit list probes PATH shows them"
				  : "write /usr/bin/bash:readline()";
		return u->probes ? "after the path write a colon and a probe"
				 : "after the path write a colon and a function";
	}
	path = arena_strndup(a, u->text.p, (size_t)end);
	*name = str_sub(u->text, end + 1, -1);
	*all = true;
	for (int i = 0; i < u->n_pids; i++) {
		const char *root = root_of(a, u->pids[i]);
		const char *inside = *path == '/' ? inside_of(a, root, path) : NULL;

		if (inside)
			add(a, out, (struct program_file){ inside, root, path,
						      u->n_pids == 1 && !u->others ? u->pids[i] : 0 });
	}
	if (out->n)
		return NULL;
	if (is_file(path) && (complaint = script(a, path, help)))
		return complaint;
	if (!access(path, F_OK)) {
		add(a, out, (struct program_file){ path, "", path, 0 });
		return NULL;
	}
	code = errno;
	if (strpbrk(path, "*?["))
		*help = "wildcards are possible only in the function's name, not in the path";
	return arena_printf(a, "%s: %s", path, strerror(code));
}

/* ---- libraries ---- */

struct cache_head {
	char magic[20];
	uint32_t n, strings_bytes, flags[5];
};

struct cache_entry {
	int32_t flags;
	uint32_t key, value, os;
	uint64_t hwcap;
};

/* Libraries of 64-bit programs: ELF and libc6, in the second byte the machine. */
static bool cache_flags_fit(int32_t flags)
{
#ifdef __x86_64__
	return (flags & 0xffff) == 0x0303;
#else
	return (flags & 0xff) == 3;
#endif
}

static const char *cache_text(const char *cache, size_t bytes, uint32_t at)
{
	return at < bytes && memchr(cache + at, 0, bytes - at) ? cache + at : NULL;
}

const char *program_file_in_cache(struct arena *a, const void *cache, size_t bytes, struct str library,
				  const char **several)
{
	static const char magic[] = "glibc-ld.so.cache1.1";
	const char *begin = memmem(cache, bytes, magic, sizeof(magic) - 1), *found = NULL;
	const char *found_key = NULL;
	struct cache_head head;
	struct cache_entry entry;

	if (!begin)
		return NULL;
	bytes -= (size_t)(begin - (const char *)cache);
	if (bytes < sizeof(head))
		return NULL;
	memcpy(&head, begin, sizeof(head));
	for (uint32_t i = 0; i < head.n; i++) {
		size_t at = sizeof(head) + (size_t)i * sizeof(entry);
		const char *key, *value;

		if (at + sizeof(entry) > bytes)
			break;
		memcpy(&entry, begin + at, sizeof(entry));
		key = cache_text(begin, bytes, entry.key);
		value = cache_text(begin, bytes, entry.value);
		if (!key || !value || !cache_flags_fit(entry.flags) || !is_library(library, key))
			continue;
		if ((size_t)library.n == strlen(key)) {
			*several = NULL;
			return arena_strdup(a, value);
		}
		if (found && strcmp(found_key, key))
			*several = arena_printf(a, "%s and %s", found_key, key);
		if (!found) {
			found = arena_strdup(a, value);
			found_key = key;
		}
	}
	return found;
}

static const char *in_folders(struct arena *a, struct str library)
{
	static const char *const folders[] = {
		"/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib",
		"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu",
	};

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		const char *path = arena_printf(a, "%s/%.*s", folders[i], STR_ARG(library));

		if (is_file(path))
			return path;
	}
	return NULL;
}

static const char *in_cache(struct arena *a, struct str library, const char **several)
{
	struct buf cache = { 0 };
	const char *path = read_file(CACHE, CACHE_BYTES_MOST, &cache)
		? program_file_in_cache(a, cache.p, cache.n, library, several) : NULL;

	buf_fini(&cache);
	return path;
}

const char *program_file_of_loader(struct arena *a, struct str library)
{
	const char *several = NULL, *path = in_cache(a, library, &several);

	return path ? path : in_folders(a, library);
}

static const char *of_library(struct arena *a, const struct cat_user *u, program_files *out,
			      struct str *name, bool *all, const char **help)
{
	const char *colon = memchr(u->text.p, ':', (size_t)u->text.n), *complaint = NULL;
	const char *path, *several = NULL;
	struct str library = str_sub(u->text, 0, colon ? (int)(colon - u->text.p) : u->text.n);

	*name = str_sub(u->text, library.n + !!colon, -1);
	*all = true;
	for (int i = 0; i < u->n_pids; i++)
		complaint = add_mapped(a, u->pids[i], library, out);
	for (int i = 0; (u->n_pids > 1 || u->others) && i < out->n; i++)
		out->v[i].pid = 0;
	if (u->n_pids) {
		*help = "the process may load it later: write its path";
		return out->n ? NULL : complaint ? complaint :
			arena_printf(a, "process %lld has no library %.*s", (long long)u->pids[0],
				     STR_ARG(library));
	}
	path = in_cache(a, library, &several);
	if (several) {
		*help = "write one of them, or its path";
		return arena_printf(a, "'%.*s' can be %s", STR_ARG(library), several);
	}
	if (!path)
		path = in_folders(a, library);
	if (!path)
		path = in_path(a, library, false);
	if (!path) {
		*help = "write its path; with -p PID it is the one that the process has loaded";
		return arena_printf(a, "there is no library '%.*s'", STR_ARG(library));
	}
	complaint = script(a, path, help);
	if (complaint)
		return complaint;
	add(a, out, (struct program_file){ path, "", path, 0 });
	return NULL;
}

const char *program_file_find(struct arena *a, const struct cat_user *u, program_files *out,
			      struct str *name, bool *all, const char **help)
{
	const char *colon = memchr(u->text.p, ':', (size_t)u->text.n);

	*all = false;
	*help = NULL;
	if (str_has_prefix(u->text, "pid:"))
		return of_process(a, u->text, out, name, help);
	if (memchr(u->text.p, '/', colon ? (size_t)(colon - u->text.p) : (size_t)u->text.n))
		return of_path(a, u, out, name, all, help);
	return of_library(a, u, out, name, all, help);
}
