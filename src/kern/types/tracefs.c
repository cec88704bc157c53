/*
 * tracefs.c: finding tracefs, and reading formats of tracepoints. Without it culprit
 * still works: fields come from BTF then, see tracepoint.c.
 */
#define _GNU_SOURCE	/* memmem */
#include "kern/types/tracefs.h"
#include "kern/types/cdecl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <unistd.h>

#define FORMAT_BYTES_MOST (1u << 20)

static const struct {
	const char *name;
	uint8_t kind;
} field_means[] = {
#define FIELD_MEANS(name_, kind_) { .name = name_, .kind = TY_##kind_ },
#include "event/meaning.def"
};

static bool usable(const char *root)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/events", root);
	return access(path, R_OK | X_OK) == 0;
}

const char *tracefs_find(bool do_mount)
{
	static const char *const roots[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

	for (int i = 0; i < 2; i++)
		if (usable(roots[i]))
			return roots[i];
	if (do_mount && !mount("tracefs", roots[0], "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
			       NULL) && usable(roots[0]))
		return roots[0];
	return NULL;
}

/* A name of one folder: no path out of events/. */
static bool is_plain(struct str s)
{
	return s.n > 0 && s.n < 128 && !memchr(s.p, '/', (size_t)s.n) &&
	       !memchr(s.p, 0, (size_t)s.n) && s.p[0] != '.';
}

/* The tracer's own records have a format, too, but they are no events to attach to. */
static bool has_events(struct str system)
{
	return !str_is(system, "ftrace");
}

bool tracefs_format(const char *root, struct str system, struct str name, struct buf *text)
{
	char path[512], chunk[4096];
	ssize_t n = 1;
	int fd;

	if (!is_plain(system) || !is_plain(name) || !has_events(system))
		return false;
	snprintf(path, sizeof(path), "%s/events/%.*s/%.*s/format", root, STR_ARG(system),
		 STR_ARG(name));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	while (n > 0 && text->n < FORMAT_BYTES_MOST) {
		n = read(fd, chunk, sizeof(chunk));
		if (n > 0)
			buf_add(text, chunk, (size_t)n);
		else if (n < 0 && errno == EINTR)
			n = 1;
	}
	close(fd);
	return text->n > 0;
}

void tracefs_meaning(struct cat_field *f)
{
	bool word = f->type.kind == TY_INT || f->type.kind == TY_TID ||
		    (f->type.kind == TY_PTR && !f->type.ktype);

	for (size_t i = 0; word && i < sizeof(field_means) / sizeof(field_means[0]); i++)
		if (!strcmp(field_means[i].name, f->name))
			f->type.kind = field_means[i].kind;
}

/* The number after `key` in the line, or 0. */
static uint32_t number_after(struct str line, const char *key)
{
	const char *at = memmem(line.p, (size_t)line.n, key, strlen(key));
	const char *end = line.p + line.n;
	uint32_t n = 0;

	if (!at)
		return 0;
	for (at += strlen(key); at < end && *at >= '0' && *at <= '9' && n < 100000000; at++)
		n = n * 10 + (uint32_t)(*at - '0');
	return n;
}

static bool parse_field(struct arena *a, struct ktypes *k, struct str line, bool call,
			struct cat_field *f)
{
	const char *semicolon = memchr(line.p, ';', (size_t)line.n);
	struct cdecl d;

	if (!semicolon || !cdecl_parse(str_sub(line, 0, (int)(semicolon - line.p)), &d))
		return false;
	if (str_has_prefix(d.name, "common_"))
		return false;
	*f = (struct cat_field){
		.name = arena_strndup(a, d.name.p, (size_t)d.name.n),
		.loc = LOC_FORMAT, .data_loc = d.data_loc,
		.offset = number_after(line, "offset:"), .size = number_after(line, "size:"),
	};
	/* Some kernels (5.17) say char comm[TASK_COMM_LEN]. */
	if (d.array && !d.data_loc && !d.n && !(str_is(d.type, "char") && f->size))
		return false;
	f->type = cdecl_type(k, &d, call ? 0 : f->size, number_after(line, "signed:") != 0, call);
	if (call && f->type.size)
		f->size = f->type.size;
	if (f->type.kind == TY_STRING && !d.data_loc)
		f->type.bytes = f->size;
	tracefs_meaning(f);
	return true;
}

void tracefs_parse(struct arena *a, struct ktypes *k, const char *text, bool call,
		   struct cat_event *e)
{
	VEC(struct cat_field) fields = { 0 };
	struct cat_field f;

	while (*text) {
		struct str line = { text, (int)strcspn(text, "\n") };

		text += line.n + (text[line.n] == '\n');
		if (str_has_prefix(line, "ID: "))
			e->perf_id = (int)number_after(line, "ID: ");
		else if (str_has_prefix(line, "print fmt:"))
			break;
		else if (str_has_prefix(line, "\tfield:") &&
			 parse_field(a, k, str_sub(line, 7, -1), call, &f))
			vec_push(a, &fields, f);
	}
	e->fields = fields.v;
	e->n_fields = fields.n;
}

static void each_of_system(const char *root, const char *system, struct str glob,
			   void (*each)(void *arg, const char *system, const char *name),
			   void *arg)
{
	char path[512], full[512];
	DIR *d;

	snprintf(path, sizeof(path), "%s/events/%s", root, system);
	d = opendir(path);
	if (!d)
		return;
	for (struct dirent *e = readdir(d); e; e = readdir(d)) {
		if (e->d_name[0] == '.' || e->d_type == DT_REG)
			continue;
		snprintf(full, sizeof(full), "%s:%s", system, e->d_name);
		if (str_glob(glob, str_of(full)))
			each(arg, system, e->d_name);
	}
	closedir(d);
}

/* Is there a chance that this system matches? Its folder need not be read else. */
static bool system_may_match(struct str glob, const char *system)
{
	const char *colon = memchr(glob.p, ':', (size_t)glob.n);

	return !colon || str_glob(str_sub(glob, 0, (int)(colon - glob.p)), str_of(system)) ||
	       memchr(glob.p, '*', (size_t)(colon - glob.p));
}

void tracefs_each(const char *root, struct str glob,
		  void (*each)(void *arg, const char *system, const char *name), void *arg)
{
	char path[64];
	DIR *d;

	snprintf(path, sizeof(path), "%s/events", root);
	d = opendir(path);
	if (!d)
		return;
	for (struct dirent *e = readdir(d); e; e = readdir(d))
		if (e->d_name[0] != '.' && e->d_type != DT_REG && has_events(str_of(e->d_name)) &&
		    system_may_match(glob, e->d_name))
			each_of_system(root, e->d_name, glob, each, arg);
	closedir(d);
}
