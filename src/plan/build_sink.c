/*
 * Sinks: `print` and aggregations. Each expression is checked once for each kind
 * of rows (branch); columns, keys and aggregations of all are then made alike.
 */
#include "plan/build_sink.h"

#include <ctype.h>

#include "base/near.h"
#include "lang/diag_tags.h"
#include "lang/habit.h"
#include "plan/build_stage.h"

#define KEYS_MOST 16
#define KEY_STRING_BYTES 64
#define COLUMNS_MOST 60

const char *build_column_name(struct build *b, struct str given, const struct ax *e)
{
	struct str text = given.n ? given : loc_text(e->loc);
	char *name = arena_alloc(b->arena, (size_t)text.n + 1);
	int n = 0;

	for (int i = 0; i < text.n; i++)
		if (!isspace((unsigned char)text.p[i]) && text.p[i] != '`')
			name[n++] = text.p[i];
	return name;
}

/* ---- making branches alike ---- */

static bool printable(const struct type *t)
{
	return t->kind != TY_STRUCT && t->kind != TY_ARRAY && t->kind != TY_REAL;
}

void build_unify(struct build *b, struct type *t, const struct px *e, bool first)
{
	if (e->type.kind == TY_POISON || e->op == PX_NONE)
		return;
	if (!printable(&e->type)) {
		diag_error(b->diag, DIAG_TYPE_MISMATCH, e->loc, "a %s cannot be shown: choose a member",
			   type_name(&e->type));
		return;
	}
	if (first || t->kind == TY_NONE || t->kind == TY_POISON) {
		*t = e->type;
		return;
	}
	if (!type_comparable(t, &e->type) || type_is_word(t) != type_is_word(&e->type)) {
		diag_error(b->diag, DIAG_TYPE_MISMATCH, e->loc, "this has type %s in one source and type %s in another",
			   type_name(t), type_name(&e->type));
		return;
	}
	if (e->type.bytes > t->bytes)
		t->bytes = e->type.bytes;
	if (t->kind == TY_INT)
		t->is_signed |= e->type.is_signed;
	t->dense = t->dense && e->type.dense ? (t->dense > e->type.dense ? t->dense : e->type.dense)
					     : 0;
}

static void check_names(struct build *b, const struct column *c, int n, const struct loc *locs)
{
	for (int i = 0; i < n; i++)
		for (int k = 0; k < i; k++)
			if (!strcmp(c[i].name, c[k].name)) {
				diag_error(b->diag, DIAG_DUPLICATE_COLUMN, locs[i],
					   "two columns have the name '%s'", c[i].name);
				diag_help(b->diag, "name one of them: NAME = ...");
			}
}

/* ---- print ---- */

/* Columns as text, with commas. */
static void add_columns(struct build *b, const char *text, named_exprs *out)
{
	while (text && *text) {
		size_t n = strcspn(text, ",");
		struct source_text *src = arena_new(b->arena, struct source_text);
		struct ax *e;

		*src = (struct source_text){ "columns", str_of(arena_strndup(b->arena, text, n)) };
		e = parse_expr(b->arena, b->diag, src);
		if (e)
			vec_push(b->arena, out, ((struct named_expr){ .expr = e, .loc = e->loc }));
		text += n + (text[n] == ',');
	}
}

static bool is_split(const struct b_branch *w)
{
	return w->period && w->period->plan->split && w->scope.part_value;
}

/* The texts of all columns of the parts, a comma behind each. */
static void split_columns(const struct b_branch *w, struct buf *out)
{
	const struct p_split *split = w->period->plan->split;

	for (int i = 0; i <= split->n_parts; i++) {
		if (i == split->n_own && split->other >= 0)
			buf_puts(out, split->overlap >= 0 ? "other,overlap," : "other,");
		if (i < split->n_parts)
			buf_printf(out, "`%s`.time,`%s`.count,", split->parts[i].name, split->parts[i].name);
	}
}

/* `parts`: all columns of the split; `bars`: the same, to be drawn. */
static bool add_parts(struct build *b, const b_branches *all, const struct ax *e, const char *word,
		      named_exprs *out)
{
	struct buf text = { 0 };

	if (!e || e->kind != AX_NAME || !str_is(e->text, word) || !is_split(all->v[0]))
		return false;
	split_columns(all->v[0], &text);
	add_columns(b, text.p, out);
	buf_fini(&text);
	return true;
}

/* A column of a part of this name. Returns enum column_part. */
static uint8_t name_part(struct build *b, const struct p_split *split, struct column *c, const char *name)
{
	const char *dot = strrchr(name, '.');
	uint8_t part = !dot ? !strcmp(name, "other") ? PART_OTHER : PART_OVERLAP
		: !strcmp(dot, ".time") ? PART_TIME : PART_COUNT;

	c->part_name = arena_strndup(b->arena, name, dot ? (size_t)(dot - name) : strlen(name));
	for (int i = split->n_own; i < split->n_parts && part == PART_TIME; i++)
		if (!strcmp(split->parts[i].name, c->part_name))
			part = PART_STATE;
	return part;
}

/* The parameters, of one function, and what it returned. */
static void function_columns(const struct b_branch *w, struct buf *text)
{
	const struct side *enter = w->period ? &w->scope.begin : &w->scope.end;
	const struct side *leave = &w->scope.end;
	const struct cat_function *f = enter->function;	/* NULL: the begin is no function's */

	for (int i = 0; f && !enter->many_functions && !enter->is_return && i < f->n_params - f->n_spare; i++)
		if (!f->params[i].unable && printable(&f->params[i].type))
			buf_printf(text, ",`%s`", f->params[i].name);
	if (leave->is_return && leave->function->ret && printable(&leave->function->ret->type))
		buf_printf(text, ",`ret`");
}

/* A field of the event goes by its name, so what is of every event by current.NAME. Left out
 * where a trace lacks it. */
static void usual_common(struct buf *text, const struct scope *s, const char *name)
{
	const struct catalog *c = s->env->catalog;
	const struct cat_field *f = c && c->ops->common ? c->ops->common(c->self, str_of(name)) : NULL;
	struct type t;
	bool taken = check_side_has(s, &s->end, str_of(name), &t) ||
		     check_side_has(s, &s->begin, str_of(name), &t);

	if (f && f->unable)
		return;
	buf_printf(text, "%s%s%s", text->n ? "," : "", taken ? "current." : "", name);
}

/* What `print` without a list shows: the usual columns of the sources. */
static void usual_columns(struct build *b, const b_branches *all, named_exprs *out)
{
	struct buf text = { 0 };
	const struct b_branch *w = all->v[0];
	bool interrupt = w->scope.interrupt;

	usual_common(&text, &w->scope, "time");
	if (!interrupt) {
		usual_common(&text, &w->scope, "pid");
		usual_common(&text, &w->scope, "comm");
	}
	if (all->n > 1 || w->scope.end.many_syscalls || w->scope.end.many_functions)
		buf_puts(&text, ",event");
	if (w->period)
		buf_puts(&text, ",duration");
	if (w->scope.end.function && all->n == 1)
		function_columns(w, &text);
	else if (w->scope.end.syscall && !w->scope.end.many_syscalls && all->n == 1) {
		const struct cat_syscall *c = w->scope.end.syscall;

		for (int i = 0; i < c->n_params; i++)
			buf_printf(&text, ",`%s`", c->params[i].name);
		if (w->scope.end.is_return && !w->open)
			buf_puts(&text, ",`ret`");
	} else if (all->n == 1 && !w->period) {
		const struct cat_event *e = w->scope.end.event;

		for (int i = 0; i < e->n_fields && i < COLUMNS_MOST - 8; i++)
			if (printable(&e->fields[i].type))
				buf_printf(&text, ",`%s`", e->fields[i].name);
	}
	if (is_split(w)) {
		buf_putc(&text, ',');
		split_columns(w, &text);
	}
	add_columns(b, text.p, out);
	buf_fini(&text);
}

void build_check_format(struct build *b, const struct ast_stage *st, struct p_query *q)
{
	const char *complaint;

	q->format = arena_strndup(b->arena, st->format.p, (size_t)st->format.n);
	complaint = b->env->check_format
		? b->env->check_format(b->arena, st->format, q->out, q->n_out) : NULL;
	if (complaint)
		diag_error(b->diag, DIAG_FORMAT_MISMATCH, st->format_loc, "%s", complaint);
}

/* The columns of rows that are printed or kept; none given: the usual ones. */
static void build_columns(struct build *b, struct p_query *q, const b_branches *all,
			  const struct ast_stage *st)
{
	named_exprs list = { 0 }, drawn = { 0 };
	struct loc *locs;
	int plain, brief = 0, n_brief = 0;

	for (int i = 0; st && i < st->list.n; i++) {
		int before = list.n;

		if (!cond_holds(b->env, &st->list.v[i].cond))
			continue;
		if (add_parts(b, all, st->list.v[i].expr, "parts", &list)) {
			brief = before;
			n_brief = list.n - before;
		} else if (!add_parts(b, all, st->list.v[i].expr, "bars", &drawn)) {
			vec_push(b->arena, &list, st->list.v[i]);
		}
	}
	plain = list.n;
	for (int i = 0; i < drawn.n; i++)
		vec_push(b->arena, &list, drawn.v[i]);
	if (!list.n && !(st && st->format.p))
		usual_columns(b, all, &list);
	if (list.n > COLUMNS_MOST) {
		diag_error(b->diag, DIAG_LIMIT_REACHED, st->loc, "too many columns: at most %d are possible", COLUMNS_MOST);
		return;
	}
	q->n_columns = list.n;
	q->columns = arena_array(b->arena, struct column, list.n);
	locs = arena_array(b->arena, struct loc, list.n);
	for (int i = 0; i < list.n; i++) {
		struct column *c = &q->columns[i];

		if (!list.v[i].expr)
			continue;
		c->name = build_column_name(b, list.v[i].name, list.v[i].expr);
		c->type = type_none;
		if (i >= plain && drawn.n)
			c->part = name_part(b, all->v[0]->period->plan->split, c, c->name);
		if (i >= brief && i < brief + n_brief)
			c->brief = name_part(b, all->v[0]->period->plan->split, c, c->name);
		locs[i] = list.v[i].loc;
		for (int k = 0; k < all->n; k++) {
			struct p_branch *br = all->v[k]->plan;

			if (!br->columns)
				br->columns = arena_array(b->arena, struct px *, list.n);
			br->columns[i] = check_expr(&all->v[k]->scope, list.v[i].expr);
			if (!k && st)
				check_column(&all->v[k]->scope, list.v[i].expr, br->columns[i]);
			build_unify(b, &c->type, br->columns[i], k == 0);
		}
	}
	check_names(b, q->columns, list.n, locs);
	/* `top` orders a table by its first value. */
	for (int i = 0; i < list.n && p_query_is_table(q); i++)
		if (q->columns[i].type.kind == TY_DURATION || q->columns[i].type.kind == TY_SIZE ||
		    q->columns[i].type.kind == TY_INT)
			q->columns[i].role = COL_VALUE;
	q->out = q->columns;
	q->n_out = q->n_columns;
}

void build_worst(struct build *b, struct p_query *q, const b_branches *all, const struct ast_stage *st)
{
	struct type rank = type_none;
	struct source_text *src = arena_new(b->arena, struct source_text);
	struct ax *by = st->expr;
	int64_t n;

	q->sink = SINK_WORST;
	build_columns(b, q, all, st);
	n = build_stage_number(b, st);
	if (n > WORST_MOST)
		diag_error(b->diag, DIAG_OUT_OF_RANGE, st->loc, "'worst' keeps at most %d rows",
			   WORST_MOST);
	q->worst_n = (int)n;
	*src = (struct source_text){ "worst", str_of("duration") };
	if (!by)
		by = parse_expr(b->arena, b->diag, src);
	for (int k = 0; k < all->n; k++) {
		struct px *e = check_expr(&all->v[k]->scope, by);

		all->v[k]->plan->rank = e;
		build_unify(b, &rank, e, k == 0);
		if (e->type.kind != TY_POISON && !type_is_word(&e->type))
			diag_error(b->diag, DIAG_NOT_A_NUMBER, e->loc,
				   "'worst' needs a number, but this has type %s", type_name(&e->type));
		q->worst_signed |= e->type.is_signed;
	}
}

void build_print(struct build *b, struct p_query *q, const b_branches *all,
		 const struct ast_stage *st)
{
	q->sink = SINK_PRINT;
	build_columns(b, q, all, st);
	if (st && st->number > 0) {
		q->limit_per_s = (uint64_t)st->number;
		q->g_limit = b->plan->n_globals;
		b->plan->n_globals += 2;
	}
	if (st && st->format.p)
		build_check_format(b, st, q);
}

/* ---- aggregations ---- */

static void check_keys(struct build *b, struct p_query *q, const b_branches *all,
		       const named_exprs *keys, struct loc *locs)
{
	for (int i = 0; i < keys->n; i++) {
		struct column *c = &q->keys[i];

		c->name = build_column_name(b, keys->v[i].name, keys->v[i].expr);
		c->type = type_none;
		c->role = COL_KEY;
		locs[i] = keys->v[i].loc;
		for (int k = 0; k < all->n; k++) {
			struct px *e = check_expr(&all->v[k]->scope, keys->v[i].expr);
			uint32_t most = KEY_STRING_BYTES + type_head_bytes(&e->type);

			if (!k)
				check_column(&all->v[k]->scope, keys->v[i].expr, e);
			if (!type_is_word(&e->type) && e->type.bytes > most
			    && !(e->op == PX_CALL && e->n_kids > 1)) {
				e = px_copy(b->env, e);
				e->type.bytes = most;
			}
			if (e->op == PX_COMMON && e->common == COMMON_CPU)
				e->type.dense = b->options->cpus_possible;
			all->v[k]->plan->keys[i] = e;
			build_unify(b, &c->type, e, k == 0);
		}
	}
}

static void agg_args(struct build *b, struct p_query *q, const b_branches *all,
		     const struct ast_agg *st, int i)
{
	struct p_agg *a = &q->aggs[i];
	bool checked = false;

	for (int k = 0; k < all->n; k++) {
		struct b_branch *w = all->v[k];
		struct px **args = arena_array(b->arena, struct px *, st->args.n);
		bool usable = true;

		for (int n = 0; n < st->args.n; n++) {
			args[n] = check_expr(&w->scope, st->args.v[n]);
			usable &= args[n]->op != PX_NONE && args[n]->type.kind != TY_POISON;
			if (n < 4 && usable && (!checked || args[n]->type.bytes > a->arg[n].bytes))
				a->arg[n] = args[n]->type;
		}
		if (st->where) {
			struct ax *where = where_prune(b->env, st->where);

			w->plan->agg_where[i] = where ? check_cond(&w->scope, where) : NULL;
			a->has_where |= where != NULL;
		}
		w->plan->agg_args[i] = args;
		if (usable && !checked)
			checked = a->ops->check(b->diag, a, args, st->loc);
	}
	/* each source has some of the fields, none all that this takes */
	if (all->n && !checked && !b->diag->errors)
		diag_error(b->diag, DIAG_NO_FIELD, st->loc, "no source has all fields that this needs: "
			   "it would always be empty");
}

/* Its word may be a stage's, too. */
void build_unknown_aggregation(struct build *b, const struct ast_agg *st)
{
	static const char *const stages[STAGES] = {
#define STAGE(id, text, class, ...) text,
#include "lang/stage.def"
#undef STAGE
	};
	const char *names[64], *near;
	struct buf all = { 0 };
	int n = 0;

	for (; b->env->registry->aggs[n] && n < 64 - STAGES; n++) {
		names[n] = b->env->registry->aggs[n]->name;
		buf_printf(&all, " %s", strcmp(names[n], "p") ? names[n] : "p99");
	}
	memcpy(names + n, stages, sizeof(stages));
	near = str_nearest(st->func, names, n + STAGES);
	diag_error(b->diag, DIAG_UNKNOWN_FUNCTION, st->func_loc, "no aggregation '%.*s'", STR_ARG(st->func));
	if (!habit_help(b->diag, HABIT_CALL, st->func))
		diag_help(b->diag, near ? "did you mean '%s'?" : "aggregations:%s", near ? near : all.p);
	buf_fini(&all);
}

static void one_agg(struct build *b, struct p_query *q, const b_branches *all,
		    const struct ast_agg *st, int i)
{
	struct p_agg *a = &q->aggs[i];
	double percent = 0;

	a->buckets = -1;
	a->func = st->func;
	a->loc = st->loc;
	a->n_args = st->args.n;
	a->ops = agg_find(b->env->registry, st->func, &percent);
	a->number[0] = percent;
	a->column.role = COL_VALUE;
	a->column.type = type_poison;
	if (st->name.n) {
		a->column.name = arena_strndup(b->arena, st->name.p, (size_t)st->name.n);
	} else {
		struct buf t = { 0 };

		buf_printf(&t, "%.*s", STR_ARG(st->func));
		for (int k = 0; k < st->args.n; k++)
			buf_printf(&t, "%s%s", k ? "," : "(",
				   build_column_name(b, (struct str){ 0 }, st->args.v[k]));
		buf_puts(&t, st->args.n ? ")" : "");
		a->column.name = arena_strdup(b->arena, t.p);
		buf_fini(&t);
	}
	if (!a->ops) {
		build_unknown_aggregation(b, st);
		return;
	}
	if (st->args.n < a->ops->min_args || st->args.n > a->ops->max_args) {
		diag_error(b->diag, DIAG_ARG_COUNT, st->loc, "%.*s takes %d argument%s", STR_ARG(st->func),
			   a->ops->max_args, a->ops->max_args == 1 ? "" : "s");
		if (!habit_help(b->diag, HABIT_CALL, st->func))
			diag_help(b->diag, "write %s%s", a->ops->name, a->ops->takes ? a->ops->takes : "");
		return;
	}
	agg_args(b, q, all, st, i);
}

/* in .. over: the period's begin and thread. */
static void hidden_keys(struct p_query *q, const b_branches *all)
{
	static const char *const names[HIDDEN_KEYS] = { "(begin)", "(thread)" };

	if (!q->over)
		return;
	q->n_hidden = HIDDEN_KEYS;
	for (int i = 0; i < HIDDEN_KEYS; i++)
		for (int k = 0; k < all->n; k++) {
			struct px *e = all->v[k]->hidden[i];

			all->v[k]->plan->keys[q->n_keys + i] = e;
			if (e)
				q->keys[q->n_keys + i] = (struct column){
					.name = names[i], .type = e->type, .role = COL_KEY };
		}
}

typedef VEC(const struct ast_agg *) agg_list;

/* avg(parts): one for each column of the split; they are behind the others. */
static bool add_agg_parts(struct build *b, const b_branches *all, const struct ast_agg *st,
			  agg_list *out)
{
	named_exprs parts = { 0 };

	if (st->args.n != 1 || !all->n || !add_parts(b, all, st->args.v[0], "parts", &parts))
		return false;
	for (int i = 0; i < parts.n; i++) {
		struct ast_agg *one = arena_new(b->arena, struct ast_agg);

		*one = *st;
		one->args.v = &parts.v[i].expr;
		if (st->name.n)
			one->name = str_of(arena_printf(b->arena, "%.*s.%s", STR_ARG(st->name),
				build_column_name(b, (struct str){ 0 }, parts.v[i].expr)));
		vec_push(b->arena, out, one);
	}
	return true;
}

/* Of these the parts add up to the duration. */
static bool adds_up(const struct ast_agg *st)
{
	return !st->where && (str_is(st->func, "sum") || str_is(st->func, "avg"));
}

static bool counts_all(const struct ast_agg *st)
{
	return !st->where && str_is(st->func, "count");
}

void build_aggs(struct build *b, struct p_query *q, const b_branches *all,
		const struct ast_stage *st)
{
	named_exprs keys = { 0 };
	agg_list aggs = { 0 }, parts = { 0 };
	struct column *out;
	int plain;
	struct loc *locs;

	for (int i = 0; i < st->list.n; i++)
		if (cond_holds(b->env, &st->list.v[i].cond))
			vec_push(b->arena, &keys, st->list.v[i]);
	for (int i = 0; i < st->aggs.n; i++)
		if (cond_holds(b->env, &st->aggs.v[i].cond)
		    && !add_agg_parts(b, all, &st->aggs.v[i], &parts))
			vec_push(b->arena, &aggs, &st->aggs.v[i]);
	plain = aggs.n;
	for (int i = 0; i < parts.n; i++)
		vec_push(b->arena, &aggs, parts.v[i]);
	if (keys.n > KEYS_MOST || aggs.n > COLUMNS_MOST - KEYS_MOST) {
		diag_error(b->diag, DIAG_LIMIT_REACHED, st->loc, "too many columns: at most %d keys and %d aggregations are possible",
			   KEYS_MOST, COLUMNS_MOST - KEYS_MOST);
		return;
	}
	q->sink = SINK_AGGS;
	q->n_keys = keys.n;
	q->keys = arena_array(b->arena, struct column, keys.n + HIDDEN_KEYS);
	q->n_aggs = aggs.n;
	q->aggs = arena_array(b->arena, struct p_agg, aggs.n);
	locs = arena_array(b->arena, struct loc, keys.n + aggs.n);
	for (int k = 0; k < all->n; k++) {
		struct p_branch *br = all->v[k]->plan;

		br->keys = arena_array(b->arena, struct px *, keys.n + HIDDEN_KEYS);
		br->agg_args = arena_array(b->arena, struct px **, aggs.n);
		br->agg_where = arena_array(b->arena, struct px *, aggs.n);
	}
	check_keys(b, q, all, &keys, locs);
	hidden_keys(q, all);
	out = arena_array(b->arena, struct column, keys.n + aggs.n);
	for (int i = 0; i < keys.n; i++)
		out[i] = q->keys[i];
	for (int i = 0; i < aggs.n; i++) {
		one_agg(b, q, all, aggs.v[i], i);
		q->aggs[i].column.of_parts = parts.n && str_is(parts.v[0]->func, "sum") && counts_all(aggs.v[i]);
		if (i >= plain && adds_up(aggs.v[i]))
			q->aggs[i].column.part = name_part(b, all->v[0]->period->plan->split, &q->aggs[i].column,
								   build_column_name(b, (struct str){ 0 }, aggs.v[i]->args.v[0]));
		out[keys.n + i] = q->aggs[i].column;
		locs[keys.n + i] = aggs.v[i]->loc;
	}
	check_names(b, out, keys.n + aggs.n, locs);
	q->out = out;
	q->n_out = keys.n + aggs.n;
}
