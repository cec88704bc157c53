/*
 * The parser's core and the outermost rules: programs, definitions, parameters, queries, table
 * joins. The grammar is docs/language.md's; the other files are listed in parse_impl.h.
 */
#include <stdio.h>

#include "lang/habit.h"
#include "lang/parse_impl.h"

#define FOUND_BYTES_MOST 40	/* of a token, in a message */
#define PARAM_HELP "a parameter is written so: param min: duration = 10ms \"only calls of at least this\""
#define DEFINITION_END_HELP "indent the lines that continue a definition"

/* ---- the token in hand ---- */

struct loc parser_token_loc(const struct parser *p, struct token t)
{
	return (struct loc){ p->text, t.at, t.n };
}

struct loc parser_loc(const struct parser *p)
{
	return parser_token_loc(p, p->tok);
}

struct loc parser_since(const struct parser *p, int at)
{
	return (struct loc){ p->text, at, p->last_end > at ? p->last_end - at : 0 };
}

static bool is_definition(const struct lex *behind, struct token t)
{
	struct lex copy = *behind;

	return t.id == T_NAME && !t.quoted && (str_is(t.text, "def") || str_is(t.text, "param")) &&
	       lex_next(&copy).id == T_NAME;
}

/* The next token; in a definition a line that is not indented ends it. */
static struct token next_token(const struct parser *p, struct lex *l)
{
	struct lex before = *l;
	struct token t = lex_next(l);

	if (p->in_definition && t.first_on_line && t.id != T_EOF && (!t.column || is_definition(l, t))) {
		*l = before;
		t.id = T_DEF_END;
		t.n = 0;
	}
	return t;
}

static void read_token(struct parser *p)
{
	p->before = p->lex;
	p->tok = next_token(p, &p->lex);
}

static void trace_token(struct parser *p)
{
	struct str s = loc_text(parser_loc(p));

	if (!p->trace || p->stopped)
		return;
	buf_printf(p->trace, "%5d  %-16s ", p->tok.at, token_description[p->tok.id]);
	buf_add(p->trace, s.p, (size_t)s.n);
	buf_putc(p->trace, '\n');
}

void parser_advance(struct parser *p)
{
	if (p->tok.id == T_DEF_END || p->stopped)
		return;
	trace_token(p);
	p->last_end = p->tok.at + p->tok.n;
	read_token(p);
}

void parser_read_source(struct parser *p)
{
	if (p->tok.id == T_DEF_END || p->tok.id == T_EOF)
		return;
	p->lex = p->before;
	p->tok = lex_source(&p->lex);
}

struct token parser_peek(const struct parser *p)
{
	struct lex copy = p->lex;

	return next_token(p, &copy);
}

bool parser_at_word(const struct parser *p, const char *word)
{
	return p->tok.id == T_NAME && !p->tok.quoted && str_is(p->tok.text, word);
}

bool parser_take_word(struct parser *p, const char *word)
{
	if (!parser_at_word(p, word))
		return false;
	parser_advance(p);
	return true;
}

bool parser_take(struct parser *p, int id)
{
	if (p->tok.id != id)
		return false;
	parser_advance(p);
	return true;
}

bool parser_at_naming(const struct parser *p)
{
	return p->tok.id == T_NAME && parser_peek(p).id == T_ASSIGN;
}

bool parser_at_end(const struct parser *p)
{
	switch (p->tok.id) {
	case T_EOF:
	case T_DEF_END:
	case T_BAR:
	case T_SEMI:
	case T_COMMA:
	case T_RPAREN:
		return true;
	}
	return parser_at_word(p, "if");
}

/* ---- mistakes ---- */

static void stop(struct parser *p)
{
	p->stopped = p->panic = true;
	p->lex.at = p->text->text.n;
	p->tok = lex_next(&p->lex);
}

bool parser_error(struct parser *p, const char *tag, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	if (p->panic)
		return false;
	p->panic = true;
	va_start(ap, fmt);
	diag_error(p->diag, tag, loc, "%s", arena_vprintf(p->arena, fmt, ap));
	va_end(ap);
	if (p->diag->errors >= PARSE_ERRORS_MOST)
		stop(p);
	return true;
}

/* What is in hand up to the blank behind it; of a word, the word. */
static struct str written(const struct parser *p)
{
	struct str s = str_sub(p->text->text, p->tok.at, -1);
	int n = 0;

	if (p->tok.id == T_NAME || !p->tok.n)
		return p->tok.text;
	while (n < s.n && !strchr(" \t\r\n", s.p[n]))
		n++;
	return str_sub(s, 0, n);
}

bool parser_at_habit(const struct parser *p)
{
	return habit_find(p->arena, HABIT_WORD, written(p));
}

bool parser_unexpected(struct parser *p, const char *tag, const char *what)
{
	struct token t = p->tok;
	struct str s = str_sub(loc_text(parser_loc(p)), 0, FOUND_BYTES_MOST);
	bool reserved = t.id == T_NAME && !t.quoted && lex_is_reserved(t.text);
	bool said, block = habit_is_block(str_sub(p->text->text, t.at, -1));

	if (t.id == T_BAD)
		said = parser_error(p, t.bad_tag, parser_loc(p), "'%.*s' %s", STR_ARG(s), t.bad_message);
	else if (t.id == T_EOF || t.id == T_DEF_END)
		said = parser_error(p, tag, parser_loc(p), "expected %s, found %s", what,
				    token_description[t.id]);
	else
		said = parser_error(p, tag, parser_loc(p), "expected %s, found %s'%.*s'", what,
				    reserved ? "the reserved word " : "", STR_ARG(s));
	if (said && t.id == T_DEF_END)
		diag_help(p->diag, DEFINITION_END_HELP);
	else if (said && t.id == T_BAD && t.bad_help)
		diag_help(p->diag, "%s", t.bad_help);
	else if (said && !(block && habit_help_program(p->diag, p->text->text)))
		habit_help(p->diag, HABIT_WORD, block ? str_of("{") : written(p));
	if (said && block)	/* told once: what follows is not read */
		stop(p);
	return said && t.id != T_BAD && !block;
}

void parser_sync(struct parser *p)
{
	int open = 0;

	for (;; parser_advance(p)) {
		switch (p->tok.id) {
		case T_EOF:
		case T_DEF_END:
		case T_SEMI:
			return;
		case T_LPAREN:
		case T_LBRACKET:
			open++;
			break;
		case T_RPAREN:
			if (!open)
				return;
			open--;
			break;
		case T_RBRACKET:
			if (open)
				open--;
			break;
		case T_COMMA:
		case T_BAR:
			if (!open && !(p->tok.id == T_BAR && p->parens))
				return;
			break;
		}
	}
}

bool parser_enter(struct parser *p)
{
	if (++p->depth <= PARSE_DEPTH_MOST)
		return !p->stopped;
	parser_too_deep(p, parser_loc(p));
	return false;
}

void parser_leave(struct parser *p)
{
	p->depth--;
}

void parser_too_deep(struct parser *p, struct loc loc)
{
	if (!p->stopped) {
		p->panic = false;
		parser_error(p, DIAG_TOO_DEEP, loc, "this is nested too deep or too long");
		diag_help(p->diag, "at most %d levels of parentheses and %d operators in a chain",
			  PARSE_DEPTH_MOST, PARSE_HEIGHT_MOST);
	}
	stop(p);
}

void parser_bound(struct parser *p, int n, int most, const char *what)
{
	if (n <= most || p->stopped)
		return;
	p->panic = false;
	parser_error(p, DIAG_TOO_LARGE, parser_loc(p), "too many %s: at most %d are possible", what, most);
	stop(p);
}

bool parser_expect(struct parser *p, int id, const char *what)
{
	if (parser_take(p, id))
		return true;
	parser_unexpected(p, DIAG_EXPECTED_TOKEN, what ? what : token_description[id]);
	return false;
}

bool parser_expect_word(struct parser *p, const char *word)
{
	char what[32];

	if (parser_take_word(p, word))
		return true;
	snprintf(what, sizeof(what), "'%s'", word);
	parser_unexpected(p, DIAG_EXPECTED_TOKEN, what);
	return false;
}

/* Skips to the `)` that closes what is open, or the end. */
static void skip_to_close(struct parser *p)
{
	parser_sync(p);
	while (p->tok.id == T_COMMA || p->tok.id == T_BAR) {
		parser_advance(p);
		parser_sync(p);
	}
}

void parser_close(struct parser *p, struct token open, int id)
{
	if (p->tok.id != id) {
		if (p->tok.id != T_EOF && p->tok.id != T_SEMI && p->tok.id != T_DEF_END) {
			if (parser_unexpected(p, DIAG_EXPECTED_TOKEN, token_description[id]))
				habit_help(p->diag, HABIT_WORD, parser_word_before(p));
		} else if (parser_error(p, DIAG_UNCLOSED, parser_token_loc(p, open), "%s is not closed",
					token_description[open.id]) && p->tok.id == T_DEF_END) {
			diag_help(p->diag, DEFINITION_END_HELP);
		}
		skip_to_close(p);
	}
	if (p->tok.id == id) {
		p->panic = p->stopped;
		parser_advance(p);
	}
}

/* ---- queries ---- */

static void table_list(struct parser *p, struct ast_query *q)
{
	parser_advance(p);
	do {
		struct ast_table *t = vec_add(p->arena, &q->tables);
		int at = p->tok.at;
		struct token open;

		t->name = p->tok.text;
		if (parser_expect(p, T_NAME, "a table's name"))
			parser_expect(p, T_ASSIGN, NULL);
		open = p->tok;
		parser_expect(p, T_LPAREN, NULL);
		t->query = parser_query(p);
		parser_close(p, open, T_RPAREN);
		t->loc = parser_since(p, at);
	} while (parser_take(p, T_COMMA));
}

/* Something stands where a pipe or a query should go on or end. */
static void unexpected_behind(struct parser *p)
{
	if (is_definition(&p->lex, p->tok)) {
		parser_error(p, DIAG_DEFINITION_PLACE, parser_loc(p),
			     "a definition must come before the first query");
	} else if (p->tok.id == T_RPAREN) {
		parser_error(p, DIAG_UNCLOSED, parser_loc(p), "this ')' has no '(' before it");
	} else if (parser_unexpected(p, DIAG_EXPECTED_TOKEN, "'|' or the end")) {
		parser_help_left_out(p);
	}
}

/* Behind a source or a stage: skips what does not belong to it. False when
 * the pipe ends. */
static bool pipe_goes_on(struct parser *p)
{
	if (p->tok.id != T_BAR && (!parser_at_end(p) || p->tok.id == T_COMMA || parser_at_word(p, "if")))
		unexpected_behind(p);
	while (p->panic && !p->stopped) {
		parser_sync(p);
		if (p->tok.id != T_COMMA) {
			p->panic = false;
			break;
		}
		parser_advance(p);
	}
	return parser_take(p, T_BAR);
}

struct ast_query *parser_query(struct parser *p)
{
	struct ast_query *q = arena_new(p->arena, struct ast_query);
	int at = p->tok.at, parens = p->parens;
	struct lex copy = p->lex;

	if (!parser_enter(p)) {
		q->sources = arena_new(p->arena, struct ast_sources);
		parser_leave(p);
		return q;
	}
	parser_bound(p, ++p->queries, PARSE_QUERIES_MOST, "queries");
	p->parens = 0;
	if (parser_at_word(p, "table") && lex_next(&copy).id == T_NAME && lex_next(&copy).id == T_ASSIGN)
		table_list(p, q);
	else
		q->sources = parser_sources(p);
	while (pipe_goes_on(p))
		vec_push(p->arena, &q->stages, parser_stage(p));
	q->loc = parser_since(p, at);
	p->parens = parens;
	parser_leave(p);
	return q;
}

struct ast_stage *parser_next_row_stage(struct parser *p, const char *where)
{
	static const bool rows[STAGES] = {
#define ROW true
#define BOTH true
#define SINK false
#define TABLE false
#define STAGE(id, text, class, ...) class,
#include "lang/stage.def"
#undef STAGE
#undef ROW
#undef BOTH
#undef SINK
#undef TABLE
	};
	struct ast_stage *s;

	if (!pipe_goes_on(p))
		return NULL;
	s = parser_stage(p);
	if (!rows[s->id] && !p->panic) {
		if (parser_error(p, DIAG_ROW_STAGE_ONLY, s->loc, "this stage is not possible inside %s",
				 where))
			diag_help(p->diag, "possible there: where let sample first in split open");
		p->panic = p->stopped;
	}
	return s;
}

/* ---- definitions ---- */

static void end_definition(struct parser *p)
{
	while (p->tok.id != T_SEMI && p->tok.id != T_DEF_END && p->tok.id != T_EOF) {
		bool habit = parser_at_habit(p);

		if (parser_unexpected(p, DIAG_EXPECTED_TOKEN, "the end of the definition") && !habit)
			diag_help(p->diag, "end a definition with ';', or begin a line that is not indented");
		parser_sync(p);
		if (p->tok.id == T_COMMA || p->tok.id == T_BAR || p->tok.id == T_RPAREN)
			parser_advance(p);
	}
	p->in_definition = false;
	p->panic = p->stopped;
	if (p->tok.id == T_DEF_END)
		read_token(p);
	else
		parser_take(p, T_SEMI);
}

static void definition(struct parser *p, struct ast *ast)
{
	struct ast_def *def = vec_add(p->arena, &ast->defs);
	int at = p->tok.at;
	struct ast_stage *s;

	p->in_definition = true;
	parser_advance(p);
	def->name = p->tok.text;
	if (!p->tok.quoted && lex_is_reserved(p->tok.text))
		parser_error(p, DIAG_RESERVED_WORD, parser_loc(p), "'%.*s' is a reserved word: choose another name",
			     STR_ARG(p->tok.text));
	if (parser_expect(p, T_NAME, "a name"))
		parser_expect(p, T_ASSIGN, NULL);
	def->sources = parser_sources(p);
	while ((s = parser_next_row_stage(p, "a definition")))
		vec_push(p->arena, &def->stages, s);
	def->loc = parser_since(p, at);
	end_definition(p);
}

static void parameter(struct parser *p, struct ast *ast)
{
	struct ast_param *param = vec_add(p->arena, &ast->params);
	int at = p->tok.at;

	parser_bound(p, ast->params.n, PARSE_PARAMS_MOST, "parameters");
	p->in_definition = true;
	parser_advance(p);
	param->name = p->tok.text;
	parser_expect(p, T_NAME, "a name");
	if (p->tok.id == T_NAME && p->tok.n == 1) {
		param->letter = p->tok.text.p[0];
		parser_advance(p);
	} else if (p->tok.id == T_NAME) {
		parser_unexpected(p, DIAG_EXPECTED_TOKEN, "one letter or ':'");
	}
	if (!parser_take(p, T_COLON) && parser_unexpected(p, DIAG_EXPECTED_TOKEN, "':'"))
		diag_help(p->diag, PARAM_HELP);
	param->type = p->tok.text;
	if (!parser_take(p, T_NAME) && parser_unexpected(p, DIAG_EXPECTED_TOKEN, "a type"))
		diag_help(p->diag, PARAM_HELP);
	if (parser_take(p, T_ASSIGN))
		param->value = parser_literal(p);
	if (p->tok.id == T_STRING)
		param->help = parser_string(p);
	param->loc = parser_since(p, at);
	end_definition(p);
}

static void definition_or_parameter(struct parser *p, struct ast *ast)
{
	if (parser_at_word(p, "def"))
		definition(p, ast);
	else
		parameter(p, ast);
}

/* ---- programs ---- */

/* The comments at the head, line by line without their "# ". */
static struct str head_comments(struct arena *a, struct str text)
{
	char *p = arena_alloc(a, (size_t)text.n + 1);
	int n = 0, i = 0;

	if (str_has_prefix(text, "#!"))
		while (i < text.n && text.p[i++] != '\n')
			;
	while (i < text.n && text.p[i] == '#') {
		i++;
		if (i < text.n && text.p[i] == ' ')
			i++;
		while (i < text.n && text.p[i] != '\n')
			p[n++] = text.p[i++];
		p[n++] = '\n';
		i++;
	}
	return (struct str){ p, n };
}

static void program(struct parser *p, struct ast *ast)
{
	while (is_definition(&p->lex, p->tok))
		definition_or_parameter(p, ast);
	do {
		if (p->tok.id == T_EOF && ast->queries.n)
			return;
		while (is_definition(&p->lex, p->tok)) {
			unexpected_behind(p);
			p->panic = p->stopped;
			definition_or_parameter(p, ast);
		}
		vec_push(p->arena, &ast->queries, parser_query(p));
		while (p->tok.id != T_SEMI && p->tok.id != T_EOF) {
			unexpected_behind(p);
			parser_advance(p);
			parser_sync(p);
		}
		p->panic = p->stopped;
	} while (parser_take(p, T_SEMI));
}

/* Text that is too long or has bytes no query has isn't read at all. */
static bool check_text(struct diag *d, const struct source_text *text)
{
	const char *why;
	int at;

	if (text->text.n > PARSE_TEXT_BYTES_MOST) {
		diag_error(d, DIAG_TOO_LARGE, (struct loc){ NULL, 0, 0 }, "%s: more than %d MiB of text",
			   text->name, PARSE_TEXT_BYTES_MOST >> 20);
		return false;
	}
	at = lex_bad_byte(text->text, &why);
	if (at < 0)
		return true;
	diag_error(d, DIAG_BAD_CHARACTER, (struct loc){ text, at, 1 }, "%s (0x%02x)", why,
		   (unsigned char)text->text.p[at]);
	return false;
}

bool parser_start(struct parser *p, struct arena *a, struct diag *d, const struct source_text *text,
		  struct buf *trace)
{
	if (!check_text(d, text))
		return false;
	*p = (struct parser){ .arena = a, .diag = d, .text = text };
	p->lex.text = text->text;
	read_token(p);
	p->trace = trace;
	return true;
}

static struct ast *parse_traced(struct arena *a, struct diag *d, const struct source_text *text, struct buf *trace)
{
	struct ast *ast = arena_new(a, struct ast);
	struct parser p;

	ast->text = text;
	if (!parser_start(&p, a, d, text, trace))
		return ast;
	ast->help = head_comments(a, text->text);
	program(&p, ast);
	ast->readable = d->errors == p.in_where;
	return ast;
}

struct ast *parse(struct arena *a, struct diag *d, const struct source_text *text)
{
	return parse_traced(a, d, text, NULL);
}

void lex_print(const struct source_text *text, struct buf *out)
{
	struct arena a = { 0 };
	struct diag d = { .arena = &a };

	parse_traced(&a, &d, text, out);
	arena_fini(&a);
}
