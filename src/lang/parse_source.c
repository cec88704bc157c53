/*
 * Sources: events and calls as they are written, timers, spans with their
 * ends, groups in parentheses, unions. What a source's text means (an event, a
 * function, samples) is the business of event/; here it is one token.
 */
#include "lang/parse_impl.h"

#define HELP_BYTES_MOST 60	/* of the query, in a help */

static struct str shortened(struct str s)
{
	return str_sub(s, 0, HELP_BYTES_MOST);
}

static const char *dots(struct str s)
{
	return s.n > HELP_BYTES_MOST ? "..." : "";
}

static struct ast_source *source_new(struct parser *p, int kind)
{
	struct ast_source *s = arena_new(p->arena, struct ast_source);

	s->kind = (uint8_t)kind;
	s->loc = parser_loc(p);
	return s;
}

/* ---- events, calls, names, timers ---- */

static bool begins_source(struct str s)
{
	return lex_is_word_byte(s.p[0]) || strchr("/*?[.\"~$", s.p[0]);
}

/* vfs_read(x): what stands in the parentheses is skipped. */
static void arguments_of_source(struct parser *p)
{
	struct token open = p->tok;

	if (parser_error(p, DIAG_EXPECTED_SOURCE, parser_loc(p), "a function that is traced has empty parentheses"))
		diag_help(p->diag, "write name(); for one of several in C++ \"name(int)\"()");
	parser_advance(p);
	parser_close(p, open, T_RPAREN);
}

static struct ast_source *written_source(struct parser *p)
{
	struct ast_source *s;

	parser_read_source(p);
	s = source_new(p, AS_NAME);
	if (p->tok.id != T_SOURCE || !begins_source(p->tok.text) || lex_is_reserved(p->tok.text)) {
		parser_unexpected(p, DIAG_EXPECTED_SOURCE, "a source");
		if (p->tok.id == T_BAD)
			parser_advance(p);
		return s;
	}
	s->text = lex_unquote(p->arena, p->tok);
	s->quoted = p->tok.quoted;
	if (s->quoted || !lex_is_identifier(s->text))
		s->kind = AS_SOURCE;
	parser_advance(p);
	if (p->tok.id == T_LPAREN && p->tok.at == p->last_end)
		arguments_of_source(p);
	return s;
}

static bool at_timer(const struct parser *p)
{
	struct token next = parser_peek(p);

	return parser_at_word(p, "every") && (next.id == T_INT || next.id == T_REAL ||
					      (next.id == T_BAD && next.bad_tag == DIAG_BAD_NUMBER));
}

static struct ast_source *timer(struct parser *p)
{
	struct ast_source *s = source_new(p, AS_TIMER);

	parser_advance(p);
	s->interval_ns = p->tok.number;
	if (p->tok.id != T_INT || p->tok.unit != UNIT_DURATION) {
		if (parser_unexpected(p, DIAG_BAD_NUMBER, "a duration"))
			diag_help(p->diag, "with its unit: 10us 1.5ms 2s 1m");
		p->panic = p->stopped;
	}
	parser_advance(p);
	s->loc = parser_since(p, s->loc.at);
	return s;
}

/* ---- spans ---- */

/* Does what follows the comma in hand look like a source and not like a key? */
static bool source_follows(const struct parser *p)
{
	struct lex copy = p->lex;
	struct token t = lex_source(&copy);

	return t.id != T_SOURCE || str_is(t.text, "from") || memchr(t.text.p, ':', (size_t)t.text.n) ||
	       memchr(t.text.p, '(', (size_t)t.text.n) || memchr(t.text.p, '@', (size_t)t.text.n);
}

static void keys_need_parens(struct parser *p, const ax_list *on)
{
	struct str first = shortened(loc_text(on->v[0]->loc));

	if (parser_error(p, DIAG_KEYS_PARENS, parser_loc(p), "several keys need parentheses"))
		diag_help(p->diag, "write on (%.*s, ...)", STR_ARG(first));
	p->panic = p->stopped;
	while (parser_take(p, T_COMMA) && !p->panic)
		parser_expr(p);
}

static struct ast_source *end_source(struct parser *p)
{
	struct ast_source *first, *s;
	int n = 0;

	if (parser_at_word(p, "from")) {
		parser_error(p, DIAG_SPAN_PARENS, parser_loc(p), "'from', 'via' and 'to' take an event, not a period");
		return source_new(p, AS_NAME);
	}
	first = s = at_timer(p) ? timer(p) : written_source(p);
	for (; !p->panic && parser_take_word(p, "else"); s = s->otherwise) {
		if (++n > PARSE_DEPTH_MOST)
			parser_too_deep(p, s->loc);
		s->otherwise = at_timer(p) ? timer(p) : written_source(p);
	}
	return first;
}

static struct ast_end *span_end(struct parser *p, bool last);

static struct ast_ends *end_list(struct parser *p)
{
	struct ast_ends *ends = arena_new(p->arena, struct ast_ends);
	struct token open = p->tok;
	int parens = p->parens;

	parser_advance(p);
	p->parens = 0;
	if (parser_enter(p))
		do {
			vec_push(p->arena, &ends->v, span_end(p, false));
			if (p->panic && !p->stopped) {
				parser_sync(p);
				p->panic = p->tok.id != T_COMMA && p->tok.id != T_RPAREN;
			}
		} while (parser_take(p, T_COMMA));
	parser_leave(p);
	parser_close(p, open, T_RPAREN);
	p->parens = parens;
	return ends;
}

/* last: an `on` belongs to the span, not to this end alone. */
static struct ast_end *span_end(struct parser *p, bool last)
{
	struct ast_end *e = arena_new(p->arena, struct ast_end);
	int at = p->tok.at;

	if (p->tok.id == T_LPAREN)
		e->list = end_list(p);
	else
		e->source = end_source(p);
	if (!p->panic && parser_take_word(p, "where"))
		e->where = parser_expr(p);
	if (!p->panic && !last && parser_take_word(p, "on")) {
		parser_keys(p, &e->on);
		if (parser_at_word(p, "where") &&
		    parser_error(p, DIAG_EXPECTED_TOKEN, parser_loc(p), "'where' must come before 'on'"))
			diag_help(p->diag, "write EVENT where EXPR on KEY");
	}
	if (!last)
		e->cond = parser_cond(p);
	e->loc = parser_since(p, at);
	return e;
}

/* A begin or via: a list of them without parentheses is told and skipped. */
static struct ast_end *first_end(struct parser *p, const char *word)
{
	struct ast_end *e = span_end(p, false);
	struct str text = shortened(loc_text(e->loc));

	if (p->panic || p->tok.id != T_COMMA)
		return e;
	if (e->on.n && !source_follows(p)) {
		keys_need_parens(p, &e->on);
		return e;
	}
	if (parser_error(p, DIAG_ENDS_PARENS, parser_loc(p), "several events need parentheses"))
		diag_help(p->diag, "write %s (%.*s, ...)", word, STR_ARG(text));
	p->panic = p->stopped;
	while (!p->panic && parser_take(p, T_COMMA))
		span_end(p, false);
	return e;
}

/* Several vias are one list: the last that happens counts, whichever it is. */
static void add_via(struct parser *p, struct ast_span *span)
{
	struct ast_end *via = first_end(p, "via"), *both;

	if (!span->via) {
		span->via = via;
		return;
	}
	both = arena_new(p->arena, struct ast_end);
	both->list = arena_new(p->arena, struct ast_ends);
	both->loc = loc_join(span->via->loc, via->loc);
	vec_push(p->arena, &both->list->v, span->via);
	vec_push(p->arena, &both->list->v, via);
	span->via = both;
}

static void span_keep(struct parser *p, struct ast_span *span)
{
	if (p->panic || !parser_take_word(p, "keep"))
		return;
	if (parser_take_word(p, "first"))
		span->keep = KEEP_FIRST;
	else if (!parser_take_word(p, "last"))
		parser_unexpected(p, DIAG_EXPECTED_TOKEN, "'first' or 'last'");
}

static struct ast_source *span(struct parser *p)
{
	struct ast_source *s = source_new(p, AS_SPAN);
	struct ast_span *span = arena_new(p->arena, struct ast_span);

	s->span = span;
	parser_advance(p);
	span->from = first_end(p, "from");
	while (!p->panic && parser_take_word(p, "via"))
		add_via(p, span);
	if (!p->panic && parser_expect_word(p, "to"))
		span->to = span_end(p, true);
	else
		span->to = arena_new(p->arena, struct ast_end);
	if (!span->to->source && !span->to->list)
		span->to->source = source_new(p, AS_NAME);
	if (!p->panic && parser_take_word(p, "on")) {
		parser_keys(p, &span->on);
		if (parser_at_word(p, "where") &&
		    parser_error(p, DIAG_EXPECTED_TOKEN, parser_loc(p), "'where' must come before 'on'"))
			diag_help(p->diag, "write EVENT where EXPR on KEY");
	}
	s->cond = parser_cond(p);
	span_keep(p, span);
	s->loc = span->loc = parser_since(p, s->loc.at);
	if (!p->panic && p->tok.id == T_COMMA && span->on.n && !source_follows(p))
		keys_need_parens(p, &span->on);
	return s;
}

/* ---- groups, alternatives, unions ---- */

static struct ast_source *group(struct parser *p)
{
	struct ast_source *s = source_new(p, AS_GROUP);
	struct token open = p->tok;
	int parens = p->parens;
	struct ast_stage *stage;

	parser_advance(p);
	p->parens = 0;
	s->group = parser_sources(p);
	while ((stage = parser_next_row_stage(p, "a source in parentheses")))
		vec_push(p->arena, &s->stages, stage);
	parser_close(p, open, T_RPAREN);
	p->parens = parens;
	s->loc = parser_since(p, open.at);
	return s;
}

static struct ast_source *primary(struct parser *p)
{
	struct ast_source *s;

	if (!parser_enter(p)) {
		parser_leave(p);
		return source_new(p, AS_NAME);
	}
	if (p->tok.id == T_LPAREN)
		s = group(p);
	else if (parser_at_word(p, "from"))
		s = span(p);
	else if (at_timer(p))
		s = timer(p);
	else
		s = written_source(p);
	parser_leave(p);
	return s;
}

struct ast_source *parser_alt(struct parser *p, bool with_cond)
{
	struct ast_source *first = primary(p), *s = first;
	int n = 0;

	for (; !p->panic && parser_take_word(p, "else"); s = s->otherwise) {
		if (++n > PARSE_DEPTH_MOST)
			parser_too_deep(p, s->loc);
		s->otherwise = primary(p);
	}
	if (with_cond && !first->cond.present)
		first->cond = parser_cond(p);
	return first;
}

void parser_check_element(struct parser *p, const struct ast_source *s)
{
	struct str text = loc_text(s->loc);

	if (p->panic || s->kind != AS_SPAN)
		return;
	if (parser_error(p, DIAG_SPAN_PARENS, s->loc, "a period in a list needs parentheses"))
		diag_help(p->diag, "write (%.*s%s)", STR_ARG(shortened(text)), dots(text));
	p->panic = p->stopped;
}

struct ast_sources *parser_sources(struct parser *p)
{
	struct ast_sources *all = arena_new(p->arena, struct ast_sources);
	int at = p->tok.at;

	do {
		struct ast_source *s = parser_alt(p, true);

		if (all->v.n || p->tok.id == T_COMMA)
			parser_check_element(p, s);
		vec_push(p->arena, &all->v, s);
		if (p->panic && !p->stopped) {
			parser_sync(p);
			p->panic = false;
		}
	} while (parser_take(p, T_COMMA));
	all->loc = parser_since(p, at);
	return all;
}
