/*
 * The tree as text, for explain -da and the tests: one line a node, two blanks
 * a level, expressions in prefix form: `(> duration 10000000ns)`.
 */
#include <inttypes.h>

#include "lang/ast.h"

static const char *const stage_texts[STAGES] = {
#define STAGE(id, text, class, ...) text,
#include "lang/stage.def"
#undef STAGE
};

static const char *const unit_texts[] = { "", "ns", "B" };
static const char *const side_texts[] = { "begin.", "via.", "end.", "current." };

static void print_str(struct buf *out, struct str s)
{
	buf_add(out, s.p, (size_t)s.n);
}

static void print_quoted(struct buf *out, struct str s)
{
	buf_putc(out, '"');
	for (int i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c == '"' || c == '\\')
			buf_putc(out, '\\');
		if (c < ' ' || c > '~')
			buf_printf(out, "\\x%02x", c);
		else
			buf_putc(out, (char)c);
	}
	buf_putc(out, '"');
}

/* ---- expressions ---- */

/* What stands before the kids of a node that has some. */
static void print_head(struct buf *out, const struct ax *x)
{
	switch (x->kind) {
	case AX_MEMBER:		buf_puts(out, "."); break;
	case AX_INDEX:		buf_puts(out, "[]"); break;
	case AX_AS_STRUCT:	buf_puts(out, "as-struct"); break;
	case AX_AS_INT:		buf_puts(out, "as"); break;
	case AX_UNARY:
	case AX_BINARY:		buf_puts(out, op_text(x->op)); break;
	case AX_COND:		buf_puts(out, "?:"); break;
	case AX_IN:		buf_puts(out, "in"); break;
	case AX_CALL:		buf_puts(out, "call "); print_str(out, x->text); break;
	}
}

static void print_expr(struct buf *out, const struct ax *x)
{
	switch (x->kind) {
	case AX_INT:
		buf_printf(out, "%" PRId64 "%s", x->number, unit_texts[x->unit]);
		return;
	case AX_REAL:
		buf_printf(out, "%.17g", x->real);
		return;
	case AX_STRING:
		print_quoted(out, x->text);
		return;
	case AX_PARAM:
		buf_putc(out, '$');
		print_str(out, x->text);
		return;
	case AX_SIDE:
		buf_puts(out, side_texts[x->side]);
		print_str(out, x->text);
		return;
	case AX_NAME:
		print_str(out, x->text);
		return;
	}
	buf_putc(out, '(');
	print_head(out, x);
	for (int i = 0; i < x->n_kids; i++) {
		buf_putc(out, ' ');
		print_expr(out, x->kids[i]);
	}
	if (x->kind == AX_MEMBER || x->kind == AX_AS_INT || x->kind == AX_AS_STRUCT) {
		buf_putc(out, ' ');
		print_str(out, x->text);
	}
	buf_putc(out, ')');
}

static void indent(struct buf *out, int level)
{
	buf_pad(out, ' ', level * 2);
}

static void print_cond(struct buf *out, const struct cond *c)
{
	if (!c->present)
		return;
	buf_printf(out, " if %s$", c->negated ? "!" : "");
	print_str(out, c->param);
}

static void print_labelled(struct buf *out, int level, const char *label, const struct ax *x)
{
	if (!x)
		return;
	indent(out, level);
	buf_printf(out, "%s ", label);
	print_expr(out, x);
	buf_putc(out, '\n');
}

static void print_exprs(struct buf *out, int level, const char *label, const ax_list *list)
{
	for (int i = 0; i < list->n; i++)
		print_labelled(out, level, label, list->v[i]);
}

static void print_name(struct buf *out, struct str name)
{
	if (!name.n)
		return;
	print_str(out, name);
	buf_puts(out, " = ");
}

static void print_named(struct buf *out, int level, const char *label, const named_exprs *list)
{
	for (int i = 0; i < list->n; i++) {
		indent(out, level);
		buf_printf(out, "%s ", label);
		print_name(out, list->v[i].name);
		print_expr(out, list->v[i].expr);
		print_cond(out, &list->v[i].cond);
		buf_putc(out, '\n');
	}
}

/* ---- sources ---- */

static void print_source(struct buf *out, int level, const char *label, const struct ast_source *s);
static void print_stages(struct buf *out, int level, const ast_stages *stages);

static void print_end(struct buf *out, int level, const char *label, const struct ast_end *e)
{
	if (!e)
		return;
	if (e->source) {
		print_source(out, level, label, e->source);
	} else {
		indent(out, level);
		buf_printf(out, "%s list\n", label);
		for (int i = 0; e->list && i < e->list->v.n; i++)
			print_end(out, level + 1, "end", e->list->v.v[i]);
	}
	print_labelled(out, level + 1, "where", e->where);
	print_exprs(out, level + 1, "on", &e->on);
	if (e->cond.present) {
		indent(out, level);
		print_cond(out, &e->cond);
		buf_putc(out, '\n');
	}
}

static void print_span(struct buf *out, int level, const struct ast_span *s)
{
	print_end(out, level, "from", s->from);
	print_end(out, level, "via", s->via);
	print_end(out, level, "to", s->to);
	print_exprs(out, level, "on", &s->on);
	if (s->keep == KEEP_FIRST) {
		indent(out, level);
		buf_puts(out, "keep first\n");
	}
}

static void print_sources(struct buf *out, int level, const struct ast_sources *s)
{
	for (int i = 0; s && i < s->v.n; i++)
		print_source(out, level, "source", s->v.v[i]);
}

static void print_source(struct buf *out, int level, const char *label, const struct ast_source *s)
{
	for (; s; s = s->otherwise, label = "else") {
		indent(out, level);
		buf_printf(out, "%s ", label);
		if (s->kind == AS_SPAN)
			buf_puts(out, "span");
		else if (s->kind == AS_GROUP)
			buf_puts(out, "group");
		else if (s->kind == AS_TIMER)
			buf_printf(out, "every %" PRId64 "ns", s->interval_ns);
		else
			buf_puts(out, s->kind == AS_NAME ? "name " : "");
		print_str(out, s->text);
		buf_puts(out, s->quoted ? " quoted" : "");
		print_cond(out, &s->cond);
		buf_putc(out, '\n');
		if (s->span)
			print_span(out, level + 1, s->span);
		print_sources(out, level + 1, s->group);
		print_stages(out, level + 1, &s->stages);
	}
}

/* ---- stages ---- */

static void print_agg(struct buf *out, int level, const struct ast_agg *agg)
{
	indent(out, level);
	buf_puts(out, "agg ");
	print_name(out, agg->name);
	print_str(out, agg->func);
	print_cond(out, &agg->cond);
	buf_putc(out, '\n');
	print_exprs(out, level + 1, "arg", &agg->args);
	print_labelled(out, level + 1, "where", agg->where);
}

static void print_stage(struct buf *out, int level, const struct ast_stage *s)
{
	indent(out, level);
	buf_printf(out, "| %s", s->id == STAGE_AGGS ? "aggregations" : stage_texts[s->id]);
	if (s->number)
		buf_printf(out, " %" PRId64, s->number);
	buf_puts(out, s->minus ? " descending" : "");
	buf_puts(out, s->keep ? " keep" : "");
	buf_puts(out, s->split_state ? " state" : "");
	print_cond(out, &s->cond);
	buf_putc(out, '\n');
	level++;
	print_labelled(out, level, "number", s->number_expr);
	if (s->format.p) {
		indent(out, level);
		buf_puts(out, "format ");
		print_quoted(out, s->format);
		buf_putc(out, '\n');
	}
	print_labelled(out, level, "expr", s->expr);
	if (s->source)
		print_source(out, level, "source", s->source);
	print_exprs(out, level, "on", &s->on);
	for (int i = 0; i < s->aggs.n; i++)
		print_agg(out, level, &s->aggs.v[i]);
	print_named(out, level, s->id == STAGE_AGGS ? "by" : "column", &s->list);
	for (int i = 0; i < s->parts.n; i++) {
		indent(out, level);
		buf_puts(out, "part");
		if (s->parts.v[i].name.n)
			buf_putc(out, ' ');
		print_str(out, s->parts.v[i].name);
		buf_putc(out, '\n');
		print_source(out, level + 1, "source", s->parts.v[i].source);
	}
}

static void print_stages(struct buf *out, int level, const ast_stages *stages)
{
	for (int i = 0; i < stages->n; i++)
		print_stage(out, level, stages->v[i]);
}

/* ---- programs ---- */

static void print_query(struct buf *out, int level, const struct ast_query *q)
{
	indent(out, level);
	buf_puts(out, "query\n");
	print_sources(out, level + 1, q->sources);
	for (int i = 0; i < q->tables.n; i++) {
		indent(out, level + 1);
		buf_puts(out, "table ");
		print_str(out, q->tables.v[i].name);
		buf_putc(out, '\n');
		print_query(out, level + 2, q->tables.v[i].query);
	}
	print_stages(out, level + 1, &q->stages);
}

static void print_param(struct buf *out, const struct ast_param *p)
{
	buf_puts(out, "param ");
	print_str(out, p->name);
	if (p->letter)
		buf_printf(out, " %c", p->letter);
	buf_puts(out, ": ");
	print_str(out, p->type);
	if (p->value) {
		buf_puts(out, " = ");
		print_expr(out, p->value);
	}
	if (p->help.p) {
		buf_putc(out, ' ');
		print_quoted(out, p->help);
	}
	buf_putc(out, '\n');
}

void ast_print(const struct ast *ast, struct buf *out)
{
	if (ast->help.n) {
		buf_puts(out, "help ");
		print_quoted(out, ast->help);
		buf_putc(out, '\n');
	}
	for (int i = 0; i < ast->params.n; i++)
		print_param(out, &ast->params.v[i]);
	for (int i = 0; i < ast->defs.n; i++) {
		buf_puts(out, "def ");
		print_str(out, ast->defs.v[i].name);
		buf_putc(out, '\n');
		print_sources(out, 1, ast->defs.v[i].sources);
		print_stages(out, 1, &ast->defs.v[i].stages);
	}
	for (int i = 0; i < ast->queries.n; i++)
		print_query(out, 0, ast->queries.v[i]);
}
