/*
 * same: what must not change an answer, tried on random queries: each is asked alone and in each way of
 * base.h, over the same events.
 */
#ifndef ORACLE_SAME_H
#define ORACLE_SAME_H

#include <inttypes.h>
#include <stdlib.h>

#include "oracle/ask.h"
#include "oracle/base.h"

#define TRIES_MOST 100

struct same {
	struct arena *arena;
	uint64_t queries, comparisons, lines, refused;
	struct buf wrong;		/* nothing: nothing */
};

/* ---- lines ---- */

/* Where the line's column ends. */
static const char *column_end(const char *line, int column)
{
	for (;; line++) {
		line += strcspn(line, ",");
		if (!*line || !column--)
			return line;
	}
}

static char *columns_of(struct arena *a, const char *line, int n)
{
	return arena_strndup(a, line, (size_t)(column_end(line, n - 1) - line));
}

static const char *column_of(struct arena *a, const char *line, int column)
{
	const char *begin = column ? column_end(line, column - 1) + 1 : line;

	return arena_strndup(a, begin, (size_t)(column_end(line, column) - begin));
}

/* The lines' first n columns, of those that have the value there; NULL: of all but those of the event. */
static struct answer lines_with(struct arena *a, const struct answer *of, int n, int column, const char *value,
				const char *but_event)
{
	struct answer to = { .mistake = NULL };

	for (int i = 0; i < of->lines.n; i++) {
		const char *line = of->lines.v[i];

		if (value && strcmp(column_of(a, line, column), value))
			continue;
		if (but_event && !strcmp(column_of(a, line, 0), but_event))
			continue;
		vec_push(a, &to.lines, columns_of(a, line, n));
	}
	answer_sort(&to);
	return to;
}

/* Lines of the same keys as one, with the sums of what stands behind those; or, counted: with how many
 * they are. */
static struct answer lines_added(struct arena *a, const struct answer *of, int n_keys, int n_sums, bool counted)
{
	struct answer to = { .mistake = NULL };

	for (int i = 0, next; i < of->lines.n; i = next) {
		char *line = columns_of(a, of->lines.v[i], n_keys);

		for (next = i + 1; next < of->lines.n; next++)
			if (strcmp(columns_of(a, of->lines.v[next], n_keys), line))
				break;
		for (int s = 0; s < n_sums; s++) {
			int64_t sum = 0;

			for (int j = i; j < next; j++)
				sum += counted ? 1 : strtoll(column_of(a, of->lines.v[j], n_keys + s), NULL, 10);
			line = arena_printf(a, "%s,%" PRId64, line, sum);
		}
		vec_push(a, &to.lines, line);
	}
	answer_sort(&to);
	return to;
}

static void drop_first_column(struct answer *a)
{
	for (int i = 0; i < a->lines.n; i++)
		a->lines.v[i] += strcspn(a->lines.v[i], ",") + 1;
	answer_sort(a);
}

static bool lines_differ(const struct answer *a, const struct answer *b)
{
	for (int i = 0; i < a->lines.n && i < b->lines.n; i++)
		if (strcmp(a->lines.v[i], b->lines.v[i]))
			return true;
	return a->lines.n != b->lines.n;
}

/* ---- one way ---- */

static void tell(struct same *s, const struct option_row *option, const char *text, const struct answer *a)
{
	buf_printf(&s->wrong, "%s%s\n# gives %d lines\n", text, option->text, a->lines.n);
	for (int i = 0; i < a->lines.n && i < 12; i++)
		buf_printf(&s->wrong, "#   %s\n", a->lines.v[i]);
}

/* Both as they are compared. */
static void as_related(struct same *s, const struct base *b, const struct change *c, struct answer *is,
		       struct answer *other)
{
	enum relation relation = c->row->relation;
	bool chosen = relation == KEY_ROW;
	int sums = b->n_columns - b->n_keys;

	if (relation == COUNTED) {
		*is = lines_with(s->arena, is, b->n_keys + 1, 0, NULL, NULL);
		*other = lines_added(s->arena, other, b->n_keys, 1, true);
		return;
	}
	if (relation == INTERVALS)
		drop_first_column(other);
	*is = lines_with(s->arena, is, b->n_columns, c->key, chosen ? c->value : NULL, NULL);
	*other = lines_with(s->arena, other, b->n_columns, 0, NULL,
			    relation == BUT_MEMBER ? b->members[b->n_members]->event : NULL);
	if ((relation == HALVES || relation == INTERVALS) && b->is_table)
		*other = lines_added(s->arena, other, b->n_keys, sums, false);
}

/* Is there something to compare? */
static bool change_suits(struct same *s, const struct world *w, struct base *b, struct change *c,
			 const struct answer *is)
{
	if (c->row->of_table && !b->is_table)
		return false;
	if (c->row->option && b->option != &no_option)
		return false;
	if (c->row->option && c->row->option != EACH_INTERVAL && !w->whole)
		return false;
	if (c->row->option == ALL_PIDS && !w->made)
		return false;
	switch (c->row->relation) {
	case KEY_ROW:
		if (b->n_keys < 2 || !is->lines.n)
			return false;
		c->key = 1 + below(b->choices, b->n_keys - 1);
		c->value = column_of(s->arena, is->lines.v[below(b->choices, is->lines.n)], c->key);
		return *c->value != 0;		/* none is equal to nothing */
	case HALVES:
		return !b->is_table || b->adds_up;
	case INTERVALS:			/* live nothing tells them apart */
		return b->adds_up && !w->live;
	case COUNTED:
		return b->is_table;
	default:
		return true;
	}
}

static struct answer ask_with(struct same *s, const struct world *w, const char *text,
			      const struct option_row *option, enum relation relation)
{
	struct answer a = ask(s->arena, w, &(struct ask){
		.program = text, .comm = option->comm, .cpus = option->cpus, .n_cpus = option->n_cpus,
		.pids = option->pids, .n_pids = option->n_pids, .interval_ns = option->interval_ns,
		.query = relation == SECOND, .both = relation == HALVES });

	s->refused += a.mistake != NULL;
	if (a.mistake && getenv("SEED"))
		printf("# %s%s: %s\n", text, option->text, a.mistake);
	return a;
}

static void try_change(struct same *s, const struct world *w, struct base *b, const struct change_row *row,
		       const struct answer *alone)
{
	struct change c = { .row = row, .condition = choose_condition(b), .other = choose_condition(b),
			    .number = choose_number(b) };
	const struct option_row *option = row->option ? &option_rows[row->option] : b->option;
	struct answer is = *alone, other;
	const char *text, *base = base_text(b, &c, row->base ? row->base : "Q");

	if (!change_suits(s, w, b, &c, alone))
		return;
	if (row->base)
		is = ask_with(s, w, base, b->option, SAME);
	text = base_text(b, &c, row->text);
	other = ask_with(s, w, text, option, row->relation);
	if (is.mistake || other.mistake)
		return;
	as_related(s, b, &c, &is, &other);
	s->comparisons++;
	s->lines += (uint64_t)is.lines.n;
	if (!lines_differ(&is, &other))
		return;
	tell(s, b->option, base, &is);
	tell(s, option, text, &other);
}

/* A random query, in each way; one that gives nothing is worth nothing. */
static void same_try(struct same *s, const struct world *w, struct chooser *choices)
{
	struct base b;
	struct answer alone = { .mistake = NULL };

	for (int i = 0; i < TRIES_MOST && !alone.lines.n; i++) {
		base_choose(&b, s->arena, choices, w->live != NULL);
		alone = ask_with(s, w, base_text(&b, NULL, "Q"), b.option, SAME);
	}
	if (!alone.lines.n) {
		buf_puts(&s->wrong, "no query gives a line");
		return;
	}
	if (getenv("SEED"))
		printf("# %s%s\n", base_text(&b, NULL, "Q"), b.option->text);
	s->queries++;
	for (int i = 0; i < ROWS_OF(change_rows) && !s->wrong.n; i++)
		try_change(s, w, &b, &change_rows[i], &alone);
}

#endif
