/*
 * The loop over an executor. See session/run.h.
 *
 * Time is the executor's. By a clock an interval ends when this is called for it, so that one
 * that was slept through is not made up for, and all that are over end together; by events it
 * ends exactly when it should, also one in which nothing came.
 */
#include "session/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agg/read.h"
#include "vm/open_rows.h"

#define CELLS_KEPT_BYTES 65536u
#define NO_LIMIT (-1)
/* By events: intervals without any that are shown one by one; the rest of a gap is left out. */
#define EMPTY_SHOWN_MOST 100

/* A query with tables, and the interval it is in. */
struct window {
	const struct p_query *query;
	const struct img_table **tables;	/* its own, or one for each part of the join */
	int n_tables;
	int half;			/* of doubled tables: the one in use */
	bool due;			/* the one before has ended and is to be shown */
	int interval;			/* number of the one that runs */
	uint64_t begin_ns;		/* of the one that runs */
	uint64_t ended_begin_ns, ended_ns;	/* of the one before */
	uint64_t deadline_ns;		/* UINT64_MAX: no intervals */
	bool snapshot;			/* of another: it has not ended */
};

struct run {
	struct arena arena;
	struct executor *x;
	struct run_options options;
	struct err *err;
	struct map_source maps;
	const struct img_rows **rows;	/* by query number */
	struct arena cells;		/* of the row that is handed out */
	struct open_rows *open_rows;	/* NULL: no query of `open` */
	VEC(struct window) windows;
	uint64_t deadline_ns;		/* UINT64_MAX: none */
	int64_t intervals_left;		/* NO_LIMIT: no end */
	bool whole;			/* so is the last interval */
	bool stopped, unread, failed;
};

/* ---- rows ---- */

static bool take_row(void *self, const struct img_record *rec, uint32_t bytes)
{
	struct run *r = self;
	const struct img_rows *rows = NULL;
	struct cell *cells;

	if (bytes >= sizeof(*rec) && rec->query < (uint32_t)r->options.plan->queries.n)
		rows = r->rows[rec->query];
	if (!rows || bytes < rows->bytes)
		return false;
	if (!r->options.row)
		return true;
	if (r->cells.bytes > CELLS_KEPT_BYTES)
		arena_fini(&r->cells);
	cells = arena_array(&r->cells, struct cell, rows->query->n_columns);
	record_cells(&r->cells, rows, rec, cells);
	r->options.row(r->options.self, rows->query, rec->time_ns, cells);
	return true;
}

static bool has_first(const struct plan *plan)
{
	for (int i = 0; i < plan->queries.n; i++)
		if (plan->queries.v[i]->first_n)
			return true;
	return false;
}

/* Have all queries their first N rows? False if one has no such end. */
static bool has_enough(void *self)
{
	const struct run *r = self;
	const struct plan *plan = r->options.plan;

	for (int i = 0; i < plan->queries.n; i++) {
		const struct p_query *q = plan->queries.v[i];

		if (!q->is_part && (!q->first_n || r->x->globals[q->g_first] < q->first_n))
			return false;
	}
	return true;
}

/* ---- opening ---- */

static void add_table(struct run *r, struct window *w, const struct p_query *q)
{
	const struct bpf_image *image = r->options.image;

	for (int i = 0; i < image->tables.n; i++)
		if (image->tables.v[i].query == q)
			w->tables[w->n_tables++] = &image->tables.v[i];
}

static void add_window(struct run *r, const struct p_query *q)
{
	struct window *w = vec_add(&r->arena, &r->windows);

	w->query = q;
	w->tables = arena_array(&r->arena, const struct img_table *, q->parts.n + 1);
	for (int i = 0; i < q->parts.n; i++)
		add_table(r, w, q->parts.v[i]);
	if (!q->parts.n)
		add_table(r, w, q);
}

struct run *run_open(struct executor *x, const struct run_options *o, struct err *e)
{
	struct run *r = xcalloc(1, sizeof(*r));
	const struct plan *plan = o->plan;

	r->x = x;
	r->options = *o;
	r->err = e;
	r->maps = (struct map_source){ x, x->ops->read };
	r->intervals_left = o->intervals ? o->intervals : NO_LIMIT;
	r->rows = arena_array(&r->arena, const struct img_rows *, plan->queries.n);
	for (int i = 0; i < o->image->rows.n; i++)
		r->rows[o->image->rows.v[i].query->index] = &o->image->rows.v[i];
	for (int i = 0; i < plan->queries.n; i++)
		if (!plan->queries.v[i]->is_part && p_query_is_table(plan->queries.v[i]))
			add_window(r, plan->queries.v[i]);
	if (o->image->opens.n && !(r->open_rows = open_rows_open(e, o->image, o->checked))) {
		run_close(r);
		return NULL;
	}
	x->sink = r;
	x->row = take_row;
	x->enough = x->globals && has_first(plan) ? has_enough : NULL;
	return r;
}

void run_close(struct run *r)
{
	if (!r)
		return;
	open_rows_close(r->open_rows);
	arena_fini(&r->cells);
	arena_fini(&r->arena);
	free(r);
}

static uint64_t after(uint64_t begin_ns, uint64_t ns)
{
	uint64_t end_ns;

	return !ns || __builtin_add_overflow(begin_ns, ns, &end_ns) ? UINT64_MAX : end_ns;
}

int run_begin(struct run *r)
{
	int code = r->x->ops->begin(r->x, r->err);

	r->deadline_ns = after(r->x->begin_ns, r->options.duration_ns);
	for (int i = 0; i < r->windows.n; i++) {
		struct window *w = &r->windows.v[i];

		w->begin_ns = r->x->begin_ns;
		w->deadline_ns = after(w->begin_ns, w->query->every_ns);
	}
	return code;
}

/* ---- tables ---- */

static void keep_begin(void *arg, const void *key, const void *values, int n, uint32_t stride)
{
	(void)n, (void)stride;
	open_rows_add(arg, key, values);
}

/* Asked before the begins are read, too: who does not run in between has no begin among them, or began
 * before all. */
static int add_before(struct run *r, const struct p_query *q)
{
	const struct before_call *calls = NULL;
	int n = r->x->ops->before ? r->x->ops->before(r->x, &calls) : 0;

	return open_rows_before(r->open_rows, q, calls, n, r->err);
}

/* The begins that are open, as rows. */
static int read_open(struct run *r, const struct window *w, const struct reading *of, struct arena *a,
		     struct table **out)
{
	const struct bpf_image *image = r->options.image;
	const struct before_call *ignored;
	int code;

	if (r->x->ops->before)
		r->x->ops->before(r->x, &ignored);
	for (int i = 0; i < image->opens.n; i++) {
		struct map_part p = { .map = image->opens.v[i].begins };

		if (image->opens.v[i].query != of->t->query)
			continue;
		open_rows_begin(r->open_rows, i);
		code = r->maps.read(r->maps.self, &p, keep_begin, r->open_rows);
		if (code)
			return err_push(r->err, code, "cannot list what is open: %s", strerror(-code));
	}
	code = add_before(r, of->t->query);
	if (code)
		return code;
	/* by a clock it is later than the interval's end: what was listed began before it */
	*out = open_rows_table(r->open_rows, of, r->x->by_events ? w->ended_ns :
			       r->x->ops->now_ns(r->x), a, r->err);
	return *out ? 0 : -EIO;
}

/* The table of the periods that took so long. */
static int read_over(struct run *r, const struct p_query *q, struct arena *a, struct table **out)
{
	const struct bpf_image *image = r->options.image;

	for (int i = 0; i < image->tables.n; i++)
		if (image->tables.v[i].query == q)
			return read_table(&r->maps, &(struct reading){ .image = image, .t = &image->tables.v[i] }, a, out);
	return -ENOENT;
}

static int read_one(struct run *r, const struct window *w, const struct img_table *t,
		    struct alike *alike, struct arena *a, struct table **out)
{
	struct reading of = { .image = r->options.image, .t = t, .alike = alike->names ? alike : NULL,
			      .half = t->doubled ? !w->half : 0,
			      .clear = t->doubled && !r->stopped && !w->snapshot };
	uint64_t begin_ns = t->doubled ? w->ended_begin_ns : r->x->begin_ns;
	struct table *only;
	int code = 0;

	of.seconds = (double)(w->ended_ns - begin_ns) / 1e9;
	if (t->query->over) {
		code = read_over(r, t->query->over, a, &only);
		of.only = code ? NULL : only;
	}
	if (code) {
		err_push(r->err, code, "cannot read a table: %s", strerror(-code));
	} else if (t->query->open) {
		code = read_open(r, w, &of, a, out);
	} else {
		code = read_table(&r->maps, &of, a, out);
		if (code)
			err_push(r->err, code, "cannot read a table: %s", strerror(-code));
	}
	if (code)
		return code;
	(*out)->interval = w->interval - 1;
	(*out)->snapshot = w->snapshot;
	(*out)->begin_ns = wall_ns(&r->x->wall, begin_ns);
	(*out)->end_ns = wall_ns(&r->x->wall, w->ended_ns);
	return 0;
}

/* Nothing was counted: no rows, or the one row without keys is all zero. */
static bool is_empty(const struct table *t)
{
	for (int i = 0; i < t->rows.n; i++)
		for (int c = 0; c < t->n_columns; c++) {
			const struct cell *cell = &t->rows.v[i][c];

			if (t->columns[c].role == COL_KEY || cell->kind == CELL_BYTES ||
			    (cell->kind == CELL_INT && cell->i) ||
			    (cell->kind == CELL_REAL && cell->r != 0) ||
			    (cell->kind == CELL_HIST && cell->hist->n))
				return false;
		}
	return true;
}

static void flush(struct run *r)
{
	if (r->options.flush && !r->options.flush(r->options.self))
		r->unread = true;
}

/* The interval that has ended. Of a clock's that was cut short, a moment in which nothing came
 * is left out. */
static int show(struct run *r, struct window *w)
{
	bool empty = r->stopped && !r->whole && w->query->every_ns && !r->x->by_events;
	struct arena a = { 0 };
	struct table **t = arena_array(&a, struct table *, w->n_tables);
	struct alike alike = { .names = r->options.names };	/* of all parts of a join */
	int code = 0;

	w->due = false;
	for (int i = 0; i < w->n_tables && !code; i++) {
		code = read_one(r, w, w->tables[i], &alike, &a, &t[i]);
		if (!code && (t[i]->end_ns - t[i]->begin_ns > w->query->every_ns / 20 || !is_empty(t[i])))
			empty = false;
	}
	if (!code && !empty && r->options.tables)
		r->options.tables(r->options.self, &a, w->query, t, w->n_tables);
	if (!code)
		flush(r);
	alike_fini(&alike);
	arena_fini(&a);
	return code;
}

int run_snapshot(struct run *r)
{
	uint64_t now_ns = r->x->ops->now_ns(r->x);
	int code = 0;

	for (int i = 0; i < r->windows.n && !code; i++) {
		struct window now = r->windows.v[i];

		/* as if it had ended and the other half were in use */
		now.half = !now.half;
		now.interval++;
		now.ended_begin_ns = now.begin_ns;
		now.ended_ns = now_ns;
		now.snapshot = true;
		code = show(r, &now);
	}
	return code;
}

static int show_due(struct run *r)
{
	int code = 0;

	for (int i = 0; i < r->windows.n && !code; i++)
		if (r->windows.v[i].due)
			code = show(r, &r->windows.v[i]);
	return code;
}

/* ---- intervals ---- */

/* From here on programs use the other half. Whether that is so for all that run is not sure yet. */
static bool end_window(struct run *r, struct window *w, uint64_t end_ns)
{
	bool flips = false;

	for (int i = 0; i < w->n_tables; i++)
		flips |= w->tables[i]->doubled;
	w->half ^= flips;
	for (int i = 0; i < w->n_tables; i++)
		if (w->tables[i]->doubled)
			__atomic_store_n(&r->x->globals[w->tables[i]->switch_word],
					 (uint64_t)w->half, __ATOMIC_SEQ_CST);
	w->ended_begin_ns = w->begin_ns;
	w->ended_ns = w->begin_ns = r->x->by_events ? end_ns : r->x->ops->now_ns(r->x);
	w->interval++;
	w->due = true;
	return flips;
}

static bool is_over(const struct window *w, uint64_t now_ns)
{
	return w->deadline_ns != UINT64_MAX && now_ns >= w->deadline_ns;
}

static bool some_are_over(const struct run *r, uint64_t now_ns)
{
	for (int i = 0; i < r->windows.n; i++)
		if (is_over(&r->windows.v[i], now_ns))
			return true;
	return false;
}

/* Those that are over, or all. */
static void end_windows(struct run *r, uint64_t now_ns, bool all)
{
	bool flipped = false;

	for (int i = 0; i < r->windows.n; i++) {
		struct window *w = &r->windows.v[i];
		uint64_t every_ns = w->query->every_ns;

		if (!all && !is_over(w, now_ns))
			continue;
		flipped |= end_window(r, w, now_ns);
		if (is_over(w, now_ns))
			w->deadline_ns += every_ns * ((now_ns - w->deadline_ns) / every_ns + 1);
	}
	if (flipped && r->x->ops->quiesce)
		r->x->ops->quiesce(r->x);
}

/* By events: each interval of the window that has ended by then. */
static int pass_time(struct run *r, struct window *w, uint64_t now_ns)
{
	uint64_t every_ns = w->query->every_ns;
	int code = 0;

	for (int i = 0; !code && is_over(w, now_ns); i++) {
		if (i <= EMPTY_SHOWN_MOST) {
			end_window(r, w, w->deadline_ns);
			code = show(r, w);
		} else {
			w->begin_ns += (now_ns - w->begin_ns) / every_ns * every_ns;
		}
		w->deadline_ns = after(w->begin_ns, every_ns);
	}
	return code;
}

static int end_intervals(struct run *r, uint64_t now_ns)
{
	int code = 0;

	if (!r->x->by_events) {
		end_windows(r, now_ns, false);
		return show_due(r);
	}
	for (int i = 0; i < r->windows.n && !code; i++)
		code = pass_time(r, &r->windows.v[i], now_ns);
	return code;
}

/* ---- the loop ---- */

static uint64_t next_deadline(const struct run *r)
{
	uint64_t ns = r->deadline_ns;

	for (int i = 0; i < r->windows.n; i++)
		if (r->windows.v[i].deadline_ns < ns)
			ns = r->windows.v[i].deadline_ns;
	return ns;
}

/* Works until something happened or until_ns, then ends what is over. The last interval of a duration or
 * of a number of intervals ends when the run does, so that nothing falls between. */
static int look(struct run *r, uint64_t until_ns, unsigned *happened)
{
	int code = r->x->ops->step(r->x, until_ns, r->err);
	uint64_t now_ns = r->x->ops->now_ns(r->x);
	bool ends = r->deadline_ns != UINT64_MAX && now_ns >= r->deadline_ns, over;

	*happened = 0;
	r->failed = code < 0;
	if (code < 0)
		return code;
	if (code & EXECUTOR_ROWS)
		flush(r);
	if (code & EXECUTOR_ENDS || r->unread) {
		*happened = code & EXECUTOR_ENDS ? (unsigned)code : RUN_TIME;
		return 0;
	}
	over = some_are_over(r, now_ns);
	r->whole = over && (ends || r->intervals_left == 1);
	if (ends || r->whole) {
		*happened = RUN_TIME;
		return 0;
	}
	if (!over)
		return 0;
	code = end_intervals(r, now_ns);
	r->failed = code < 0;
	if (r->unread)
		*happened = RUN_TIME;
	else if (!code && r->intervals_left > 0)
		r->intervals_left--;
	return code;
}

int run_follow(struct run *r, unsigned *happened)
{
	int code;

	do {
		code = look(r, next_deadline(r), happened);
	} while (!code && !*happened);
	*happened &= ~RUN_TIME;
	return code;
}

int run_step(struct run *r, unsigned *happened)
{
	/* by events time only goes on when there is something to do */
	return look(r, r->x->by_events ? next_deadline(r) : 0, happened);
}

int run_wait(const struct run *r, struct pollfd *fds, uint64_t *left_ns)
{
	uint64_t deadline_ns = next_deadline(r), now_ns = r->x->ops->now_ns(r->x);
	int n = 0;

	if (r->x->ops->wait)
		n = r->x->ops->wait(r->x, fds, &deadline_ns);
	else
		deadline_ns = 0;	/* there is more to do at once */
	*left_ns = deadline_ns == UINT64_MAX ? UINT64_MAX : deadline_ns > now_ns ? deadline_ns - now_ns : 0;
	return n;
}

/* The last interval ends as all others do: it does not last as long as the detaching. */
int run_end(struct run *r)
{
	end_windows(r, r->x->ops->now_ns(r->x), true);
	r->x->ops->stop(r->x);
	r->stopped = true;
	return r->failed ? 0 : show_due(r);
}

int run_losses(struct run *r, struct arena *a, struct loss **losses)
{
	const struct plan *plan = r->options.plan;
	uint64_t *counts = arena_array(a, uint64_t, plan->counters.n + 1);
	uint64_t *early = arena_array(a, uint64_t, plan->counters.n + 1);
	struct loss *own, *l;
	int n = plan->counters.n, n_own = r->x->ops->losses(r->x, a, &own);

	r->x->ops->counters(r->x, counts, early);
	l = *losses = arena_array(a, struct loss, n + n_own + 1);
	for (int i = 0; i < n; i++) {
		const struct p_counter *c = &plan->counters.v[i];

		if (r->open_rows)
			counts[i] += open_rows_counter(r->open_rows, i);
		l[i] = (struct loss){ c->id, c->what, counts[i], c->always,
				      c->id != LOSS_UNMATCHED ? 0 : c->of_before ? counts[i] : early[i] };
	}
	for (int i = 0; i < n_own; i++)
		l[n + i] = own[i];
	return n + n_own;
}
