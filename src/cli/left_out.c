#include "cli/left_out.h"

#include "plan/source.h"

#define NAMES_MOST 100			/* of one reason */
#define LINE_MOST 70

struct left_out {
	struct buf text;
	const char *why;		/* of the group that is filled */
	struct buf group;
	bool names;
	int n, n_group, column;
};

static void end_group(struct left_out *l)
{
	if (l->n_group && l->names) {
		buf_printf(&l->text, "    %d: %s\n%s", l->n_group, l->why, l->group.p);
		if (l->n_group > NAMES_MOST)
			buf_printf(&l->text, "\n        and %d more: culprit list functions -v shows all", l->n_group - NAMES_MOST);
		buf_putc(&l->text, '\n');
	}
	buf_clear(&l->group);
	l->n_group = l->column = 0;
}

static void add(void *arg, const char *why, const char *name)
{
	struct left_out *l = arg;
	int bytes = (int)strlen(name) + 1;

	if (l->why != why)
		end_group(l);
	l->why = why;
	l->n++;
	if (++l->n_group > NAMES_MOST)
		return;
	if (l->column + bytes > LINE_MOST)
		l->column = 0;
	buf_printf(&l->group, "%s %s", l->column ? "" : l->n_group > 1 ? "\n       " : "       ", name);
	l->column += bytes;
}

static void find(const struct compile *c, struct str glob, bool of_program, bool returns, struct left_out *l)
{
	const char *colon = memchr(glob.p, ':', (size_t)glob.n);
	int at = colon ? (int)(colon - glob.p) : 0;
	const struct cat_user user = { .text = glob, .pids = c->options.pids, .n_pids = c->options.n_pids,
				       .others = c->options.children, .returns = returns };

	if (of_program)
		c->catalog->ops->user_untraceable(c->catalog->self, &user, add, l);
	else
		c->catalog->ops->untraceable(c->catalog->self, str_sub(glob, 0, at),
					     str_sub(glob, colon ? at + 1 : 0, -1), add, l);
	end_group(l);
}

static void print_glob(struct str glob, const char *begin, struct left_out *l, struct buf *out)
{
	if (l->n)
		buf_printf(out, "%s%d function%s of %.*s() cannot be traced%s\n%s", begin, l->n,
			   l->n == 1 ? "" : "s", STR_ARG(glob),
			   l->names ? "" : ": culprit explain lists them", l->text.p ? l->text.p : "");
	buf_fini(&l->text);
	buf_fini(&l->group);
}

void left_out_print(const struct compile *c, const char *begin, bool names, bool kernel, struct buf *out)
{
	struct map seen = { 0 };

	for (int i = 0; c->catalog->ops->untraceable && i < c->plan->events.n; i++) {
		const struct p_event *e = c->plan->events.v[i];
		enum call_end end;
		struct str glob = source_func_name(loc_text(e->loc), &end);
		struct left_out l = { .names = names };
		bool of_program = e->functions.n && e->functions.v[0].function->path;
		void **slot;

		if (!e->functions.n || e->functions.v[0].function->is_probe || !str_is_glob(glob) ||
		    (!of_program && !kernel))
			continue;
		slot = map_put_str(c->arena, &seen, glob);
		if (!*slot) {
			find(c, glob, of_program, end != CALL_ENTER, &l);
			print_glob(glob, begin, &l, out);
		}
		*slot = (void *)e;
	}
}
