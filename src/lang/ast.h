/*
 * ast: what the parser makes of the text. Names are not resolved, nothing is
 * typed; every node knows its place. Grammar: docs/language.md.
 */
#ifndef LANG_AST_H
#define LANG_AST_H

#include <stdint.h>

#include "base/diag.h"
#include "base/vec.h"
#include "table/op.h"

/* ---- expressions ---- */

enum ax_kind {
	AX_INT,			/* number; unit says duration, size or none */
	AX_REAL,		/* 0.5: table stages only */
	AX_STRING,		/* text, unescaped */
	AX_NAME,		/* text */
	AX_PARAM,		/* $text */
	AX_SIDE,		/* side . text: begin.X via.X end.X current.X */
	AX_MEMBER,		/* kids[0] . text */
	AX_INDEX,		/* kids[0] [ kids[1] ] */
	AX_AS_STRUCT,		/* kids[0] as struct text */
	AX_AS_INT,		/* kids[0] as text: u8 .. s64 */
	AX_UNARY,		/* op kids[0] */
	AX_BINARY,		/* kids[0] op kids[1], also && || ~ */
	AX_COND,		/* kids[0] ? kids[1] : kids[2] */
	AX_IN,			/* kids[0] in (kids[1], ...) */
	AX_CALL			/* text ( kids ) */
};

enum ax_unit { UNIT_NONE, UNIT_DURATION, UNIT_SIZE };
enum ax_side { SIDE_BEGIN, SIDE_VIA, SIDE_END, SIDE_CURRENT };

struct ax {
	uint8_t kind, unit, side, op;
	uint16_t height;	/* the longest way down to a leaf: at most PARSE_HEIGHT_MOST */
	struct loc loc;		/* of the whole expression, with its parentheses */
	struct loc name_loc;	/* of text */
	int64_t number;		/* AX_INT: duration in ns, size in bytes */
	double real;
	struct str text;
	int n_kids;
	struct ax **kids;
};
typedef VEC(struct ax *) ax_list;

/* Are they written alike, whatever their places? */
bool ax_equal(const struct ax *a, const struct ax *b);

/* "if $NAME", "if !$NAME" behind a list's element or a stage. */
struct cond {
	bool present, negated;
	struct str param;
	struct loc loc;
};

struct named_expr {		/* a key, a column, a let */
	struct str name;	/* n == 0: none given */
	struct loc loc;
	struct ax *expr;
	struct cond cond;
};
typedef VEC(struct named_expr) named_exprs;

/* ---- sources ---- */

struct ast_stage;
typedef VEC(struct ast_stage *) ast_stages;

enum as_kind {
	AS_SOURCE,		/* text: an event or call as written */
	AS_TIMER,		/* every interval_ns */
	AS_NAME,		/* an identifier: a definition, or offline an event's name */
	AS_SPAN,		/* from .. via .. to .. */
	AS_GROUP		/* ( sources | row-stages ) */
};

struct ast_source {
	uint8_t kind;
	struct loc loc;
	struct str text;		/* SOURCE: "sched:sched_switch", "vfs_read()",
					 * "syscall:read.enter", "cpu@99hz" (with suffix
					 * and parentheses); NAME: the name */
	bool quoted;			/* the path part was quoted; text is without quotes */
	int64_t interval_ns;		/* TIMER */
	struct ast_span *span;		/* SPAN */
	struct ast_sources *group;	/* GROUP */
	ast_stages stages;	/* GROUP: row stages inside */
	struct ast_source *otherwise;	/* else */
	struct cond cond;
};

struct ast_sources {
	VEC(struct ast_source *) v;	/* the union */
	struct loc loc;
};

struct ast_end {			/* one alternative of a begin, via or end */
	struct ast_source *source;	/* SOURCE, TIMER or NAME, with its else chain */
	struct ast_ends *list;		/* or ( end, end ): then source is NULL */
	struct ax *where;		/* or NULL */
	ax_list on;
	struct cond cond;
	struct loc loc;
};

struct ast_ends {
	VEC(struct ast_end *) v;
};

enum keep { KEEP_LAST, KEEP_FIRST };

struct ast_span {
	struct ast_end *from, *via, *to;	/* via NULL: none; to: its `on` is the next */
	ax_list on;			/* behind the last end: of all without own */
	uint8_t keep;
	struct loc loc;
};

/* ---- stages ---- */

/* Rows of lang/stage.def: which stage this is. */
enum stage_id {
#define STAGE(id, text, class, ...) STAGE_##id,
#include "lang/stage.def"
#undef STAGE
	STAGES
};

struct ast_agg {
	struct str name;		/* n == 0: none */
	struct str func;		/* "count", "p99.9", "$name" of percentiles */
	ax_list args;
	struct ax *where;
	struct cond cond;
	struct loc loc;			/* of all; func_loc of the function's name */
	struct loc func_loc;
};

struct ast_part {
	struct str name;
	struct ast_source *source;
	struct loc loc;
};

struct ast_stage {
	uint8_t id;			/* enum stage_id */
	struct loc loc;
	struct cond cond;		/* of the whole stage */
	struct ax *expr;		/* WHERE; SORT, TOP, WORST by */
	named_exprs list;		/* LET; PRINT and WORST columns; AGGS: by keys */
	int64_t number;			/* FIRST SAMPLE TOP WORST n; LIMIT of PRINT a second
					 * (0: none); EVERY ns; OPEN older ns, IN over ns (0: any) */
	struct ax *number_expr;		/* or the parameter it is given by: top $n */
	bool minus;			/* SORT, TOP by: -COL */
	bool keep;			/* EVERY .. keep */
	struct str format;		/* PRINT "FORMAT"; p == NULL: none */
	struct loc format_loc;
	VEC(struct ast_agg) aggs;	/* AGGS */
	struct ast_source *source;	/* IN */
	ax_list on;		/* IN .. on; SAMPLE .. by */
	VEC(struct ast_part) parts;	/* SPLIT */
	bool split_state;		/* SPLIT: by the thread's states, too */
};

/* ---- programs ---- */

struct ast_param {
	struct str name;
	char letter;			/* 0: none */
	struct str type;		/* flag int duration size string glob errno pid ... */
	struct ax *value;		/* default, or NULL */
	struct str help;
	struct loc loc;
};

struct ast_def {
	struct str name;
	struct ast_sources *sources;
	ast_stages stages;
	struct loc loc;
};

struct ast_query;

struct ast_table {
	struct str name;
	struct ast_query *query;
	struct loc loc;
};

struct ast_query {
	struct ast_sources *sources;	/* or, a table: */
	VEC(struct ast_table) tables;
	ast_stages stages;
	struct loc loc;
};

struct ast {
	const struct source_text *text;
	struct str help;		/* the comments at the head, "# " removed */
	VEC(struct ast_param) params;
	VEC(struct ast_def) defs;
	VEC(struct ast_query *) queries;
	bool readable;			/* all mistakes are inside of `where` stages, which are left out */
};

/* Bounds: of nesting, of an expression's height and an else chain's length, of
 * the text and its parts. Past PARSE_ERRORS_MOST mistakes the rest is not read. */
#define PARSE_DEPTH_MOST 200
#define PARSE_HEIGHT_MOST 1000
#define PARSE_TEXT_BYTES_MOST (16 << 20)
#define PARSE_ERRORS_MOST 100
#define PARSE_QUERIES_MOST 100
#define PARSE_PARAMS_MOST 100
#define PARSE_STAGES_MOST 1000	/* these two: of all queries and definitions */
#define PARSE_COLUMNS_MOST 2000

/* Parses all; mistakes go to diag and parsing goes on behind them. Never
 * NULL; after a mistake the tree is whole, but has placeholders. */
struct ast *parse(struct arena *a, struct diag *d, const struct source_text *text);

/* A single expression: a row of event/field.def, a parameter. NULL after a mistake. */
struct ax *parse_expr(struct arena *a, struct diag *d, const struct source_text *text);
/* What follows `print`, but its limit: format and columns of a stage. NULL after a mistake. */
struct ast_stage *parse_columns(struct arena *a, struct diag *d, const struct source_text *text);

/* Every expression of a program, whole, and every stage, outer before inner. */
struct ast_visitor {
	void (*expr)(void *arg, struct ax *e);
	void (*stage)(void *arg, struct ast_stage *s);		/* or NULL, as those below */
	void (*query)(void *arg, const struct ast_query *q);	/* before what is in it */
	/* False: not what is in it; not what has this condition. */
	bool (*span)(void *arg, const struct ast_span *s);
	bool (*holds)(void *arg, const struct cond *c);
	/* What parameters stand for: in place of a source, and of a split's parts. */
	const struct ast_sources *(*sources)(void *arg, const struct ast_source *s);
	const struct ast_stage *(*parts)(void *arg, const struct ast_stage *s);
	void *arg;
};
void ast_walk(const struct ast *ast, const struct ast_visitor *v);

/* A source, and what stands behind `split`, by themselves: of a parameter. NULL after a mistake. */
struct ast_sources *parse_sources(struct arena *a, struct diag *d, const struct source_text *text);
struct ast_stage *parse_parts(struct arena *a, struct diag *d, const struct source_text *text);

/* explain -dt, -da */
void lex_print(const struct source_text *text, struct buf *out);
void ast_print(const struct ast *ast, struct buf *out);

#endif
