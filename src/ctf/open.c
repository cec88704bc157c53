/* Finding the traces below a path, and what is in them. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ctf/impl.h"

#define FOLDER_DEPTH_MOST 16

/* ---- folders ---- */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The entries of a folder in the order of their names; NULL: it cannot be read. */
static const char **entries(struct arena *a, const char *path, int *n)
{
	DIR *d = opendir(path);
	VEC(const char *) names = { 0 };
	struct dirent *e;

	if (!d)
		return NULL;
	while ((e = readdir(d)))
		if (e->d_name[0] != '.')
			vec_push(a, &names, arena_strdup(a, e->d_name));
	closedir(d);
	vec_add(a, &names);
	names.n--;
	qsort(names.v, (size_t)names.n, sizeof(*names.v), by_name);
	*n = names.n;
	return names.v;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISDIR(st.st_mode);
}

/* ---- metadata ---- */

static void parse_text(struct ctf_meta *m, struct str text)
{
	if (text.n && (text.p[0] == '\x1e' || text.p[0] == '{'))
		json_metadata_parse(m, text);
	else
		tsdl_parse(m, text);
}

static bool parse_metadata(struct reader *r, const char *folder, struct trace_group *g)
{
	struct ctf_meta *m = &g->meta;
	const char *path = arena_printf(&r->arena, "%s/metadata", folder), *why;
	bool cut = false;
	size_t bytes = 0;
	struct arena scratch = { 0 };
	char *text = metadata_text(&scratch, path, &bytes, &why, &cut);

	*m = (struct ctf_meta){ .arena = &r->arena, .trace = &g->pub };
	g->pub = (struct ctf_trace){ .path = folder, .meta = m };
	g->metadata_bytes = bytes;
	if (!text) {
		arena_fini(&scratch);
		reader_note(r, "%s cannot be read: %s", path, why);
		return false;
	}
	parse_text(m, (struct str){ text, (int)bytes });
	arena_fini(&scratch);
	g->is_short = m->error || cut;
	if (m->error)
		reader_note(r, "%s, %s: what stands before it is used, other events are not read",
			    path, m->error);
	else if (cut)
		reader_note(r, "%s is cut off or damaged: what stands before that is used, other "
			    "events are not read", path);
	else if (!m->streams.n && !m->classes.n)
		reader_note(r, "%s describes no events", path);
	return m->streams.n || m->classes.n;
}

static struct trace_group *group_of(struct reader *r, const struct ctf_trace *t)
{
	for (int i = 0; i < r->groups.n; i++)
		if (t->has_uuid && r->groups.v[i]->pub.has_uuid &&
		    !memcmp(r->groups.v[i]->pub.uuid, t->uuid, 16))
			return r->groups.v[i];
	return NULL;
}

/* Folders of one uuid are parts of one trace: chunks, snapshots. The longest metadata is
 * the latest. */
static void add_trace(struct reader *r, const char *folder)
{
	struct trace_group *g = arena_new(&r->arena, struct trace_group), *old;

	if (!parse_metadata(r, folder, g))
		return;
	old = group_of(r, &g->pub);
	if (old && g->metadata_bytes > old->metadata_bytes) {
		g->folders.v = old->folders.v;
		g->folders.n = old->folders.n;
		g->folders.cap = old->folders.cap;
		*old = *g;
		old->meta.trace = &old->pub;
		old->pub.meta = &old->meta;
	} else if (!old) {
		vec_push(&r->arena, &r->groups, g);
		old = g;
	}
	vec_push(&r->arena, &old->folders, folder);
}

static void find_traces(struct reader *r, const char *folder, int depth)
{
	const char **names;
	int n = 0;

	names = entries(&r->arena, folder, &n);
	if (!names) {
		reader_note(r, "%s cannot be read: %s", folder, strerror(errno));
		return;
	}
	for (int i = 0; i < n; i++)
		if (!strcmp(names[i], "metadata"))
			add_trace(r, folder);
	for (int i = 0; i < n && depth < FOLDER_DEPTH_MOST; i++) {
		const char *path = arena_printf(&r->arena, "%s/%s", folder, names[i]);

		if (is_folder(path))
			find_traces(r, path, depth + 1);
	}
}

/* ---- streams ---- */

/* Files of which only the index is there. */
static void find_missing(struct reader *r, const char *folder)
{
	const char *index = arena_printf(&r->arena, "%s/index", folder), **names;
	struct stat st;
	int n = 0;

	names = entries(&r->arena, index, &n);
	for (int i = 0; names && i < n; i++) {
		const char *dot = strrchr(names[i], '.'), *path;

		if (!dot || strcmp(dot, ".idx"))
			continue;
		path = arena_printf(&r->arena, "%s/%.*s", folder, (int)(dot - names[i]), names[i]);
		if (stat(path, &st) && index_bytes(&r->arena, path))
			reader_note(r, "%s is missing: its index is there", path);
	}
}

static void find_streams(struct reader *r, struct trace_group *g)
{
	for (int i = 0; i < g->folders.n; i++) {
		const char **names;
		int n = 0;

		names = entries(&r->arena, g->folders.v[i], &n);
		for (int k = 0; k < n; k++) {
			const char *path = arena_printf(&r->arena, "%s/%s", g->folders.v[i],
							names[k]);

			if (strcmp(names[k], "metadata") && !is_folder(path))
				reader_add_file(r, g, path, names[k],
						index_bytes(&r->arena, path));
		}
		find_missing(r, g->folders.v[i]);
	}
}

static void build_heads(struct reader *r, struct ctf_meta *m)
{
	uint64_t modulus = CTF_ALIGN_MOST, residue = 0;

	m->packet_header_program = program_new(&r->arena);
	program_build(&r->arena, m->packet_header_program, &m->packet_header, 0, 1, modulus, 0);
	modulus = m->packet_header_program->modulus;
	residue = m->packet_header_program->residue;
	for (int i = 0; i < m->streams.n; i++) {
		struct ctf_stream_class *s = m->streams.v[i];

		s->packet = program_new(&r->arena);
		s->header = program_new(&r->arena);
		program_build(&r->arena, s->packet, s->scopes, CTF_PACKET_CONTEXT,
			      CTF_EVENT_HEADER, modulus, residue);
		program_build(&r->arena, s->header, s->scopes, CTF_EVENT_HEADER,
			      CTF_STREAM_CONTEXT, 1, 0);
	}
}

/* hostname:procname:(vpid), as far as the environment has them. */
static struct str origin_of(struct reader *r, const struct ctf_trace *t)
{
	const char *host = ctf_env(t, "hostname"), *name = ctf_env(t, "procname");
	const char *pid = ctf_env(t, "vpid");

	if (!host && !name && !pid)
		return (struct str){ "", 0 };
	return str_of(arena_printf(&r->arena, "%s%s%s%s%s%s%s ", host ? host : "",
				   host && name ? ":" : "", name ? name : "",
				   pid && (host || name) ? ":" : "", pid ? "(" : "", pid ? pid : "",
				   pid ? ")" : ""));
}

static void number_all(struct reader *r)
{
	for (int i = 0; i < r->groups.n; i++) {
		struct trace_group *g = r->groups.v[i];

		vec_push(&r->arena, &r->traces, &g->pub);
		g->origin = origin_of(r, &g->pub);
		for (int c = 0; c < g->meta.classes.n; c++) {
			g->meta.classes.v[c]->number = r->classes.n;
			vec_push(&r->arena, &r->classes, g->meta.classes.v[c]);
		}
	}
	for (int i = 0; i < r->streams.n; i++)
		r->streams.v[i]->pub.number = i;
	r->pub.traces = r->traces.v;
	r->pub.n_traces = r->traces.n;
	r->pub.classes = r->classes.v;
	r->pub.n_classes = r->classes.n;
	r->pub.streams = (struct ctf_stream **)r->streams.v;
	r->pub.n_streams = r->streams.n;
}

static void bind_all(struct reader *r)
{
	int regs = 0;

	for (int i = 0; i < r->groups.n; i++) {
		struct ctf_meta *m = &r->groups.v[i]->meta;
		const char *error = m->error;

		m->error = NULL;
		meta_bind(m);
		if (m->error)
			reader_note(r, "%s/metadata: %s", r->groups.v[i]->pub.path, m->error);
		m->error = error;
		if (m->n_header_regs > regs)
			regs = m->n_header_regs;
		if (m->n_most_regs > regs)
			regs = m->n_most_regs;
		build_heads(r, m);
	}
	r->n_scratch_regs = regs + 1;
	r->scratch_regs = arena_array(&r->arena, uint64_t, r->n_scratch_regs);
}

static struct ctf *nothing(struct reader *r, struct err *e, const char *path)
{
	for (int i = 0; i < r->notes.n && i < 3; i++)
		err_push(e, -EINVAL, "%s", arena_strdup(e->arena, r->notes.v[i]));
	err_push(e, -EINVAL, "%s: no trace that can be read", path);
	if (!e->help)
		err_help(e, "a trace is a folder with a file named metadata, as `lttng create -o` "
			 "makes it, or a folder above such folders");
	ctf_close(&r->pub);
	return NULL;
}

struct ctf *ctf_open(struct err *e, const char *path)
{
	struct reader *r = xcalloc(1, sizeof(*r));
	struct stat st;

	reader_watch(r);
	if (stat(path, &st)) {
		reader_note(r, "%s", strerror(errno));
		return nothing(r, e, path);
	}
	if (!S_ISDIR(st.st_mode)) {
		reader_note(r, "it is a file, not a folder");
		return nothing(r, e, path);
	}
	find_traces(r, path, 0);
	bind_all(r);
	for (int i = 0; i < r->groups.n; i++)
		find_streams(r, r->groups.v[i]);
	if (!r->groups.n || (r->n_refused && !r->streams.n))
		return nothing(r, e, path);
	number_all(r);
	return &r->pub;
}

struct ctf *reader_open_bytes(struct str metadata, const void *data, uint64_t bytes)
{
	struct reader *r = xcalloc(1, sizeof(*r));
	struct trace_group *g = arena_new(&r->arena, struct trace_group);

	reader_watch(r);
	g->meta = (struct ctf_meta){ .arena = &r->arena, .trace = &g->pub };
	g->pub = (struct ctf_trace){ .path = "memory", .meta = &g->meta };
	parse_text(&g->meta, metadata);
	if (g->meta.error)
		reader_note(r, "%s", g->meta.error);
	vec_push(&r->arena, &r->groups, g);
	bind_all(r);
	if (bytes)
		reader_add_bytes(r, g, (struct ctf_file){ .path = "memory", .map = data,
							  .bytes = bytes, .fd = -1 }, "memory");
	number_all(r);
	return &r->pub;
}

void ctf_close(struct ctf *t)
{
	struct reader *r = (struct reader *)t;

	if (!r)
		return;
	for (int i = 0; i < r->streams.n; i++) {
		window_free(r, r->streams.v[i]);
		for (int k = 0; k < r->streams.v[i]->files.n; k++)
			file_close(r, &r->streams.v[i]->files.v[k]);
	}
	reader_unwatch(r);
	arena_fini(&r->arena);
	free(r);
}

const char *ctf_env(const struct ctf_trace *trace, const char *name)
{
	for (int i = 0; i < trace->n_env; i++)
		if (!strcmp(trace->env[i].name, name))
			return trace->env[i].text;
	return NULL;
}
