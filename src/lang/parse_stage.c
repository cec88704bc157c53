/*
 * Stages and sinks. A new stage is a row of stage.def and a function here in
 * `readers`. A stage that begins with no stage's word is a list of
 * aggregations. What may follow what is checked later.
 */
#include <ctype.h>

#include "base/near.h"
#include "lang/habit.h"
#include "lang/parse_impl.h"

static const char *const stage_texts[STAGES] = {
#define STAGE(id, text, class, ...) text,
#include "lang/stage.def"
#undef STAGE
};

/* ---- numbers of stages ---- */

static void number_or_param(struct parser *p, struct ast_stage *s, int unit, const char *what)
{
	if (p->tok.id == T_PARAM) {
		s->number_expr = parser_expr(p);
		return;
	}
	if (p->tok.id == T_INT && p->tok.unit == unit && p->tok.number >= 0) {
		s->number = p->tok.number;
		parser_advance(p);
		return;
	}
	if (p->tok.id != T_INT && p->tok.id != T_REAL) {
		parser_unexpected(p, DIAG_EXPECTED_TOKEN, what);
		return;
	}
	parser_unexpected(p, DIAG_BAD_NUMBER, what);
	if (unit == UNIT_DURATION && (p->tok.id == T_REAL || p->tok.unit == UNIT_NONE))
		diag_help(p->diag, "write the unit: %.*ss or %.*sms", STR_ARG(p->tok.text), STR_ARG(p->tok.text));
	parser_advance(p);
	p->panic = p->stopped;
}

static void count(struct parser *p, struct ast_stage *s)
{
	number_or_param(p, s, UNIT_NONE, "a whole number or $NAME");
}

static void duration(struct parser *p, struct ast_stage *s)
{
	number_or_param(p, s, UNIT_DURATION, "a duration as 1s or $NAME");
}

/* ---- row stages ---- */

static void read_where(struct parser *p, struct ast_stage *s)
{
	s->expr = parser_expr(p);
}

static void read_let(struct parser *p, struct ast_stage *s)
{
	parser_named_exprs(p, &s->list, true);
}

static void read_sample(struct parser *p, struct ast_stage *s)
{
	count(p, s);
	if (!p->panic && parser_take_word(p, "by"))
		parser_keys(p, &s->on);
}

static void read_first(struct parser *p, struct ast_stage *s)
{
	count(p, s);
}

static void read_in(struct parser *p, struct ast_stage *s)
{
	s->source = parser_alt(p, false);
	if (!p->panic && parser_take_word(p, "on"))
		parser_keys(p, &s->on);
	if (!p->panic && parser_take_word(p, "over"))
		duration(p, s);
}

static void read_open(struct parser *p, struct ast_stage *s)
{
	if (parser_take_word(p, "older"))
		duration(p, s);
}

/* Is it the part `state`, not a source's beginning? */
static bool at_state(const struct parser *p)
{
	struct parser next = *p;

	if (!parser_at_word(p, "state"))
		return false;
	next.trace = NULL;
	parser_advance(&next);
	return parser_at_end(&next) || next.tok.id == T_COMMA;
}

void parser_parts(struct parser *p, struct ast_stage *s)
{
	do {
		struct ast_part *part;
		int at = p->tok.at;

		if (at_state(p)) {
			parser_advance(p);
			s->split_state = true;
			continue;
		}
		part = vec_add(p->arena, &s->parts);
		if (parser_at_naming(p)) {
			part->name = p->tok.text;
			parser_advance(p);
			parser_advance(p);
		}
		part->source = parser_alt(p, true);
		part->loc = parser_since(p, at);
		if (s->parts.n > 1 || p->tok.id == T_COMMA)
			parser_check_element(p, part->source);
		if (p->panic && !p->stopped) {
			parser_sync(p);
			p->panic = false;
		}
	} while (parser_take(p, T_COMMA));
}

/* ---- sinks ---- */

/* limit N/s */
static bool at_limit(const struct parser *p)
{
	int next = parser_peek(p).id;

	return parser_at_word(p, "limit") && (next == T_INT || next == T_PARAM);
}

static void read_limit(struct parser *p, struct ast_stage *s)
{
	if (p->panic || !at_limit(p))
		return;
	parser_advance(p);
	if (p->tok.id == T_INT && p->tok.number > 0)
		count(p, s);
	else
		parser_unexpected(p, DIAG_BAD_NUMBER, "a whole number above 0: limit 10/s");
	if (!p->panic && (!parser_take(p, T_SLASH) || !parser_take_word(p, "s")))
		parser_unexpected(p, DIAG_EXPECTED_TOKEN, "'/s'");
}

/* Is the string in hand a format, not the begin of an expression? */
static bool at_format(const struct parser *p)
{
	struct parser next = *p;

	if (p->tok.id != T_STRING)
		return false;
	next.trace = NULL;
	parser_advance(&next);
	return parser_at_end(&next) || at_limit(&next);
}

void parser_columns(struct parser *p, struct ast_stage *s)
{
	bool more = true;

	if (at_format(p)) {
		s->format_loc = parser_loc(p);
		s->format = parser_string(p);
		more = parser_take(p, T_COMMA);
	}
	if (more)
		parser_named_exprs(p, &s->list, false);
}

static void read_print(struct parser *p, struct ast_stage *s)
{
	parser_columns(p, s);
	read_limit(p, s);
}

static void read_worst(struct parser *p, struct ast_stage *s)
{
	count(p, s);
	if (!p->panic && parser_take_word(p, "by"))
		s->expr = parser_expr(p);
	if (!p->panic && parser_take_word(p, "print"))
		parser_named_exprs(p, &s->list, false);
}

static void read_tree(struct parser *p, struct ast_stage *s)
{
	if (!parser_at_end(p) && !parser_at_word(p, "if"))
		count(p, s);
}

static void aggregation(struct parser *p, struct ast_agg *agg)
{
	int at = p->tok.at;

	if (parser_at_naming(p)) {
		agg->name = p->tok.text;
		parser_advance(p);
		parser_advance(p);
	}
	agg->func_loc = parser_loc(p);
	if (p->tok.id == T_NAME && !p->tok.quoted && lex_is_reserved(p->tok.text)) {
		parser_unexpected(p, DIAG_EXPECTED_TOKEN, "an aggregation");
	} else if (p->tok.id == T_NAME && parser_peek(p).id == T_LPAREN) {
		struct ax *call = parser_expr(p);

		agg->func = call->text;
		for (int i = 0; i < call->n_kids; i++)
			vec_push(p->arena, &agg->args, call->kids[i]);
		if (call->kind != AX_CALL &&
		    parser_error(p, DIAG_EXPECTED_TOKEN, call->loc, "expected an aggregation, found an expression"))
			diag_help(p->diag, "name what you calculate with: s = sum(ret), n = count | let mean = s / n");
	} else if (p->tok.id == T_PARAM) {
		agg->func = loc_text(parser_loc(p));
		parser_advance(p);
		parser_expect(p, T_LPAREN, "'('");
		vec_push(p->arena, &agg->args, parser_expr(p));
		parser_expect(p, T_RPAREN, "')'");
	} else {
		agg->func = p->tok.text;
		parser_expect(p, T_NAME, "an aggregation");
	}
	if (!p->panic && parser_take_word(p, "where"))
		agg->where = parser_expr(p);
	agg->cond = parser_cond(p);
	agg->loc = parser_since(p, at);
}

static void read_aggs(struct parser *p, struct ast_stage *s)
{
	do {
		aggregation(p, vec_add(p->arena, &s->aggs));
		if (p->panic && !p->stopped) {
			parser_sync(p);
			p->panic = false;
		}
	} while (parser_take(p, T_COMMA));
	if (parser_take_word(p, "by"))
		parser_named_exprs(p, &s->list, false);
}

/* ---- table stages ---- */

static void read_sort(struct parser *p, struct ast_stage *s)
{
	s->minus = parser_take(p, T_MINUS);
	s->expr = parser_expr(p);
}

static void read_top(struct parser *p, struct ast_stage *s)
{
	count(p, s);
	if (!p->panic && parser_take_word(p, "by"))
		read_sort(p, s);
}

static void read_every(struct parser *p, struct ast_stage *s)
{
	duration(p, s);
	s->keep = !p->panic && parser_take_word(p, "keep");
}

/* ---- which stage ---- */

static void (*const readers[STAGES])(struct parser *, struct ast_stage *) = {
	[STAGE_WHERE] = read_where,
	[STAGE_LET] = read_let,
	[STAGE_SAMPLE] = read_sample,
	[STAGE_FIRST] = read_first,
	[STAGE_IN] = read_in,
	[STAGE_SPLIT] = parser_parts,
	[STAGE_OPEN] = read_open,
	[STAGE_PRINT] = read_print,
	[STAGE_WORST] = read_worst,
	[STAGE_TREE] = read_tree,
	[STAGE_AGGS] = read_aggs,
	[STAGE_SORT] = read_sort,
	[STAGE_TOP] = read_top,
	[STAGE_EVERY] = read_every,
};

static int find_text(struct str word)
{
	for (int i = 0; i < STAGES; i++)
		if (*stage_texts[i] && str_is(word, stage_texts[i]))
			return i;
	return STAGE_AGGS;
}

static int find_stage(const struct parser *p)
{
	return p->tok.id == T_NAME && !p->tok.quoted ? find_text(p->tok.text) : STAGE_AGGS;
}

/* Can it be an aggregation, by what follows its name? */
static bool agg_follows(const struct parser *p)
{
	struct parser next = *p;

	next.trace = NULL;
	parser_advance(&next);
	return parser_at_end(&next) || next.tok.id == T_LPAREN || next.tok.id == T_ASSIGN ||
	       parser_at_word(&next, "by") || parser_at_word(&next, "where");
}

/* `count }`, `count group by comm`: what is wrong is behind the name. */
static bool habit_follows(struct parser *p)
{
	struct parser next = *p;

	next.trace = NULL;
	parser_advance(&next);
	if (!parser_at_habit(&next))
		return false;
	parser_advance(p);
	parser_unexpected(p, DIAG_EXPECTED_TOKEN, "'|' or the end");
	return true;
}

struct str parser_word_before(const struct parser *p)
{
	struct str text = p->text->text;
	int at = p->tok.at, end, begin;

	while (at && strchr(" \t\n", text.p[at - 1]))
		at--;
	for (begin = end = at; begin && (isalnum((unsigned char)text.p[begin - 1]) || text.p[begin - 1] == '_');)
		begin--;
	return str_sub(text, begin, end - begin);
}

/* The stage that what is in hand stands in; -1: it stands in the source. */
static int stage_before(struct str text, int at)
{
	int begin = at, end;

	while (begin && text.p[begin - 1] != '|')
		begin--;
	if (!begin)
		return -1;
	while (begin < at && strchr(" \t\n", text.p[begin]))
		begin++;
	for (end = begin; end < at && isalpha((unsigned char)text.p[end]);)
		end++;
	return find_text(str_sub(text, begin, end - begin));
}

void parser_help_left_out(struct parser *p)
{
	struct str text = p->text->text, before = parser_word_before(p);
	int stage = stage_before(text, p->tok.at);
	const char *blank = memchr(text.p, ' ', (size_t)p->tok.at);

	if (parser_at_habit(p) || (stage >= 0 && habit_help(p->diag, HABIT_WORD, before)))
		return;
	if (find_text(before) != STAGE_AGGS && stage != find_text(before))
		diag_help(p->diag, "a stage begins with '|': write | %.*s", STR_ARG(before));
	else if (stage == STAGE_WHERE && p->tok.id == T_COMMA)
		diag_help(p->diag, "conditions are joined with && or ||");
	else if (stage == STAGE_SORT && p->tok.id == T_COMMA)
		diag_help(p->diag, "a table is sorted by one column: sort count, sort -count (largest first)");
	else if (stage < 0 && blank && habit_help(p->diag, HABIT_SOURCE, str_sub(text, 0, (int)(blank - text.p))))
		return;
	else if (p->tok.id != T_NAME)
		return;
	else if (stage < 0)
		diag_help(p->diag, "a stage begins with '|': SOURCE | where CONDITION | count by comm");
	else if (find_stage(p) != STAGE_AGGS)
		diag_help(p->diag, "a stage begins with '|': write | %.*s", STR_ARG(p->tok.text));
	else if (stage == STAGE_TOP || stage == STAGE_WORST)
		diag_help(p->diag, "write by: %s 3 by %.*s", stage_texts[stage], STR_ARG(p->tok.text));
	else
		diag_help(p->diag, "columns have commas between them: comm, pid; an aggregation stands before by: "
			  "count, p99(duration) by comm");
}

static void help_stages(struct parser *p)
{
	struct buf names = { 0 };

	for (int i = 0; i < STAGES; i++)
		if (*stage_texts[i])
			buf_printf(&names, " %s", stage_texts[i]);
	diag_help(p->diag, "stages:%s; an aggregation has its value in parentheses: hist(duration)", names.p);
	buf_fini(&names);
}

static void unknown_stage(struct parser *p)
{
	struct str name = p->tok.text;
	const char *near = str_nearest(name, stage_texts, STAGES);

	if (!parser_error(p, DIAG_STAGE_UNKNOWN, parser_loc(p), "no stage '%.*s'", STR_ARG(str_sub(name, 0, 40))) ||
	    habit_help(p->diag, HABIT_CALL, name))
		return;
	if (near && *near && str_distance(name, str_of(near), 2) <= (name.n < 5 ? 1 : 2))
		diag_help(p->diag, "did you mean '%s'?", near);
	else
		help_stages(p);
}

/* What is written behind it does not depend on it. */
static void leave_out(struct parser *p, struct ast_stage *s, int mistakes)
{
	s->expr = arena_new(p->arena, struct ax);
	*s->expr = (struct ax){ .kind = AX_INT, .number = 1, .loc = s->loc, .name_loc = s->loc };
	p->in_where += mistakes;
}

struct ast_stage *parser_stage(struct parser *p)
{
	int errors = p->diag->errors;
	struct ast_stage *s = arena_new(p->arena, struct ast_stage);
	int at = p->tok.at;

	parser_bound(p, ++p->stages, PARSE_STAGES_MOST, "stages");
	s->id = STAGE_AGGS;
	if (p->tok.id != T_NAME) {
		parser_unexpected(p, DIAG_EXPECTED_TOKEN, "a stage or an aggregation");
	} else if (parser_at_naming(p)) {
		read_aggs(p, s);
	} else {
		s->id = (uint8_t)find_stage(p);
		if (s->id != STAGE_AGGS)
			parser_advance(p);
		else if (!lex_is_reserved(p->tok.text) && !agg_follows(p) && !habit_follows(p))
			unknown_stage(p);
		if (!p->panic)
			readers[s->id](p, s);
	}
	s->cond = parser_cond(p);
	s->loc = parser_since(p, at);
	if (s->id == STAGE_WHERE && p->diag->errors > errors)
		leave_out(p, s, p->diag->errors - errors);
	return s;
}
