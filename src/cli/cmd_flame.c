/*
 * culprit flame: stacks from files as a picture: folded ones, of culprit or of other
 * tools, or culprit's JSON. With --diff of two files, or of one whose lines have two
 * values.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/folded.h"
#include "cli/options.h"

struct flame_run {
	struct arena arena;
	struct err err;
	struct options options;
	const struct view_ops *ops;
	struct folded folded;
};

static const struct unit {
	const char *name;
	uint8_t kind;
	uint64_t scale;
} units[] = {
	{ "samples", TY_INT, 1 }, { "ns", TY_DURATION, 1 }, { "us", TY_DURATION, 1000 },
	{ "ms", TY_DURATION, 1000000 }, { "s", TY_DURATION, 1000000000 }, { "bytes", TY_SIZE, 1 },
	{ NULL, 0, 0 },
};

static const struct unit *find_unit(const char *name)
{
	const struct unit *u = units;

	while (name && u->name && strcmp(u->name, name))
		u++;
	return u->name ? u : NULL;
}

static int choose_view(struct flame_run *r)
{
	const struct options *o = &r->options;
	struct buf names = { 0 };

	r->ops = o->format ? view_find(o->format) : o->output ? view_for_file(o->output) : NULL;
	if (!r->ops && !o->format)
		r->ops = &view_svg;
	if (r->ops && r->ops->shape == VIEW_PICTURE)
		return 0;
	view_names(&names, VIEW_PICTURE);
	err_help(&r->err, "formats:%s", names.p);
	buf_fini(&names);
	return err_push(&r->err, -EINVAL, "%s is not a format of a flame graph",
			r->ops ? r->ops->name : o->format);
}

static int check(struct flame_run *r)
{
	const struct options *o = &r->options;

	if (!o->words.n) {
		err_help(&r->err, "as in: culprit flame -o out.svg stacks.folded; - is standard input");
		return err_push(&r->err, -EINVAL, "the FILE of stacks is missing");
	}
	if (o->diff && o->words.n > 2)
		return err_push(&r->err, -EINVAL, "--diff needs two files, before and after");
	if (!find_unit(o->unit)) {
		err_help(&r->err, "units: samples ns us ms s bytes");
		return err_push(&r->err, -EINVAL, "--unit %s: there is no such unit", o->unit);
	}
	return choose_view(r);
}

static int read_file(struct flame_run *r, const char *path)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "re") : stdin;
	int code = file ? folded_read(&r->folded, file) : -errno;

	if (file && file != stdin)
		fclose(file);
	if (code == -EBADMSG) {
		err_help(&r->err, "a line must be: outermost;...;innermost NUMBER");
		return err_push(&r->err, code, "%s is not a file of stacks: more than half of it, and more than %u MiB, "
				"are none", path, FOLDED_WRONG_BYTES >> 20);
	}
	return code ? err_push(&r->err, code, "cannot read %s: %s", path, strerror(-code)) : 0;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void set_title(struct flame_run *r, struct view_options *v)
{
	const struct options *o = &r->options;
	const char *first = base_name(o->words.v[0]);
	const char *last = base_name(o->words.v[o->words.n - 1]);

	v->title = o->title ? o->title : first;
	if (!o->diff)
		return;
	v->diff = VIEW_DIFF_QUERIES;
	v->sides[0] = o->words.n > 1 ? first : "before";
	v->sides[1] = o->words.n > 1 ? last : "after";
	if (!o->title && o->words.n > 1)
		v->title = arena_printf(&r->arena, "%s to %s", first, last);
}

static int read_all(struct flame_run *r)
{
	const struct options *o = &r->options;
	int code = 0;

	r->folded.by_names = o->diff;
	r->folded.pairs = o->diff && o->words.n == 1;
	for (int i = 0; i < o->words.n && !code; i++) {
		r->folded.query.index = o->diff && i;
		code = read_file(r, o->words.v[i]);
	}
	if (!code && !r->folded.stacks) {
		err_help(&r->err, "a line must be: outermost;...;innermost NUMBER");
		code = err_push(&r->err, -EINVAL, "there are no stacks in %s", o->words.v[0]);
	}
	if (!code && r->folded.wrong && !o->quiet)
		fprintf(stderr, "culprit: %llu lines are not stacks and were left out\n",
			(unsigned long long)r->folded.wrong);
	return code;
}

/* 0 or -errno */
static int write_out(const char *path, const char *text, size_t n)
{
	FILE *out = path ? fopen(path, "we") : stdout;
	int error;

	if (!out)
		return -errno;
	errno = 0;
	error = fwrite(text, 1, n, out) != n || fflush(out) ? -errno : 0;
	if (path && fclose(out) && !error)
		error = -errno;
	return error;
}

/* The file is written when the picture is done: of a mistake none is left. */
static int draw(struct flame_run *r)
{
	const struct options *o = &r->options;
	const struct unit *unit = find_unit(o->unit);
	const struct names names = { 0 };
	struct view_options v = { .header = true, .names = &names };
	struct type type = { .kind = unit->kind, .size = 8 };
	struct sink *view;
	char *text = NULL;
	size_t n = 0;
	int code, written = 0;

	set_title(r, &v);
	v.out = open_memstream(&text, &n);
	if (!v.out)
		return err_push(&r->err, -errno, "cannot draw: %s", strerror(errno));
	view = r->ops->open(&v);
	folded_init(&r->folded, r->ops, view, type, unit->scale);
	code = read_all(r);
	written = r->ops->close(view);
	folded_fini(&r->folded);
	if ((fclose(v.out) || written) && !code)
		code = err_push(&r->err, -ENOMEM, "the picture is too large for the memory");
	if (!code)
		written = write_out(o->output, text, n);
	free(text);
	if (!code && written && written != -EPIPE)
		code = err_push(&r->err, written, "cannot write%s%s: %s", o->output ? " " : "",
				o->output ? o->output : "", strerror(-written));
	return code;
}

int cmd_flame(char **argv)
{
	struct flame_run r = { .err.arena = &r.arena };
	struct option_set set = { .own = option_flame, .only_own = true };
	int status = END_DONE;

	options_init(&r.options, &r.arena);
	if (options_parse(&r.options, &set, argv, &r.err) ||
	    (!r.options.help && check(&r)))
		status = err_print(&r.err, END_WRONG);
	else if (r.options.help)
		status = cmd_help((char *[]){ "flame", NULL });
	else if (draw(&r))
		status = err_print(&r.err, END_FAILED);
	arena_fini(&r.arena);
	return put_end(status);
}
