/* Rows of calls as trees. See tree.h. */
#include "table/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

struct thread {
	struct arena arena;			/* of rows and their texts */
	VEC(struct cell *) rows;		/* in the order of their begins */
	int64_t came;				/* rows since nothing was open */
};

/* A row around the next one. */
struct level {
	int64_t depth, end_ns;
};

struct trees {
	struct arena arena;
	struct map threads;			/* by tid */
	VEC(struct thread *) all;
	int levels, n_rows;			/* of all threads */
	struct thread *shown;			/* whose rows are in `table`; or NULL */
	int next;				/* trees_rest: of `all` */
	struct table table;
};

struct trees *trees_open(const struct column *columns, int levels)
{
	struct trees *t = xcalloc(1, sizeof(*t));

	t->levels = levels;
	t->table.n_columns = TREE_COLUMNS;
	t->table.columns = arena_array(&t->arena, struct column, TREE_COLUMNS);
	memcpy(t->table.columns, columns, sizeof(*columns) * TREE_COLUMNS);
	return t;
}

/* What was shown goes. */
static void forget(struct trees *t)
{
	if (!t->shown)
		return;
	t->n_rows -= t->shown->rows.n;
	arena_fini(&t->shown->arena);
	memset(&t->shown->rows, 0, sizeof(t->shown->rows));
	t->shown = NULL;
}

void trees_close(struct trees *t)
{
	if (!t)
		return;
	for (int i = 0; i < t->all.n; i++)
		arena_fini(&t->all.v[i]->arena);
	arena_fini(&t->arena);
	free(t);
}

static struct thread *thread_of(struct trees *t, int64_t tid)
{
	void **slot = map_put(&t->arena, &t->threads, &tid, sizeof(tid));

	if (!*slot) {
		*slot = arena_new(&t->arena, struct thread);
		vec_push(&t->arena, &t->all, *slot);
	}
	return *slot;
}

static struct cell *copy(struct arena *a, const struct cell *cells)
{
	struct cell *own = arena_array(a, struct cell, TREE_COLUMNS);

	memcpy(own, cells, sizeof(*own) * TREE_COLUMNS);
	for (int i = 0; i < TREE_COLUMNS; i++)
		if (own[i].kind == CELL_BYTES)
			own[i].bytes.p = arena_strndup(a, own[i].bytes.p, (size_t)own[i].bytes.n);
	return own;
}

/* Before what is inside of it: all that came last, is deeper and did not begin before. */
static void insert(struct thread *th, struct cell *row)
{
	int at = th->rows.n;

	while (at > 0 && th->rows.v[at - 1][TREE_DEPTH].i > row[TREE_DEPTH].i &&
	       th->rows.v[at - 1][TREE_BEGIN].i >= row[TREE_BEGIN].i)
		at--;
	vec_push(&th->arena, &th->rows, NULL);
	memmove(&th->rows.v[at + 1], &th->rows.v[at],
		sizeof(row) * (size_t)(th->rows.n - 1 - at));
	th->rows.v[at] = row;
}

/* Depths become the number of rows around each: of calls around it some made no row, and what
 * had ended before is none of them. missing: how many, or below 0: what is around them has not ended. */
static const struct table *show(struct trees *t, struct thread *th, int64_t missing)
{
	VEC(struct level) around = { 0 };
	int n = 0;

	if (!th->rows.n)
		return NULL;
	for (int i = 0; i < th->rows.n; i++) {
		struct cell *row = th->rows.v[i];
		int64_t depth = row[TREE_DEPTH].i, begin = row[TREE_BEGIN].i;

		while (around.n && (vec_last(&around).depth >= depth || vec_last(&around).end_ns < begin))
			around.n--;
		row[TREE_DEPTH].i = around.n;
		row[TREE_ROWS] = missing < 0 ? (struct cell){ .kind = CELL_NONE }
				: (struct cell){ .kind = CELL_INT, .i = missing };
		vec_push(&th->arena, &around, ((struct level){ depth, begin + row[TREE_DURATION].i }));
		if (!t->levels || around.n <= t->levels)
			th->rows.v[n++] = row;
	}
	t->shown = th;
	t->table.rows.v = th->rows.v;
	t->table.rows.n = t->table.rows.cap = n;
	return &t->table;
}

const struct table *trees_add(struct trees *t, const struct cell *cells)
{
	struct thread *th;
	bool is_row = cells[TREE_NAME].kind != CELL_NONE;
	int64_t missing;

	forget(t);
	th = thread_of(t, cells[TREE_TID].i);
	if (is_row) {
		insert(th, copy(&th->arena, cells));
		t->n_rows++;
		th->came++;
	}
	if (is_row && cells[TREE_DEPTH].i)
		return t->n_rows < TREE_ROWS_MOST ? NULL : show(t, th, 0);
	missing = cells[TREE_ROWS].i - th->came;
	th->came = 0;
	return show(t, th, missing > 0 ? missing : 0);
}

const struct table *trees_rest(struct trees *t)
{
	forget(t);
	while (t->next < t->all.n) {
		const struct table *rest = show(t, t->all.v[t->next++], -1);

		if (rest)
			return rest;
	}
	return NULL;
}
