/*
 * Expressions, by precedence climbing over op.def, and the lists made of
 * them: keys, columns, conditions. A new binary or unary operator is a row of
 * op.def (and its sign one of token.def); nothing here changes.
 */
#include "lang/habit.h"
#include "lang/parse_impl.h"

#define PREC_IN 6	/* `in ( ... )`, as == and ~ */

static const struct {
	const char *word;
	int side;
} sides[] = {
	{ "begin", SIDE_BEGIN }, { "via", SIDE_VIA }, { "end", SIDE_END }, { "current", SIDE_CURRENT },
};

static const char *const int_types[] = { "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64" };

/* The operator of this sign and arity, or -1. */
static int find_op(int token, int arity)
{
	const char *text = token_text[token];

	return *text ? op_find(text, arity) : -1;
}

/* ---- nodes ---- */

static struct ax *node(struct parser *p, int kind, struct loc loc)
{
	struct ax *x = arena_new(p->arena, struct ax);

	x->kind = (uint8_t)kind;
	x->loc = x->name_loc = loc;
	return x;
}

static struct ax *placeholder(struct parser *p)
{
	return node(p, AX_INT, parser_loc(p));
}

static void set_kids(struct parser *p, struct ax *x, struct ax *const *kids, int n)
{
	x->n_kids = n;
	x->kids = arena_array(p->arena, struct ax *, n);
	for (int i = 0; i < n; i++) {
		x->kids[i] = kids[i];
		if (kids[i]->height >= x->height)
			x->height = kids[i]->height + 1;
	}
	if (x->height > PARSE_HEIGHT_MOST)
		parser_too_deep(p, x->loc);
}

/* A node over kids, from the begin of the first to the last token. */
static struct ax *over(struct parser *p, int kind, struct ax *a, struct ax *b, struct ax *c)
{
	struct ax *kids[] = { a, b, c }, *x = node(p, kind, parser_since(p, a->loc.at));

	set_kids(p, x, kids, c ? 3 : b ? 2 : 1);
	return x;
}

/* ---- atoms ---- */

struct str parser_string(struct parser *p)
{
	const char *why = NULL;
	struct str s = lex_unescape(p->arena, p->tok.text, &why);

	if (why) {
		if (parser_error(p, DIAG_BAD_STRING, parser_loc(p), "an unknown escape in a string"))
			diag_help(p->diag, "%s", why);
		p->panic = p->stopped;
		s = (struct str){ "", 0 };
	}
	parser_advance(p);
	return s;
}

/* Takes the token as a leaf's text. */
static struct ax *leaf(struct parser *p, int kind)
{
	struct ax *x = node(p, kind, parser_loc(p));

	x->text = p->tok.text;
	x->number = p->tok.number;
	x->real = p->tok.real;
	x->unit = p->tok.unit;
	if (kind == AX_STRING)
		x->text = parser_string(p);
	else
		parser_advance(p);
	return x;
}

/* The name behind a dot; reserved words are fine there. */
static void member_name(struct parser *p, struct ax *x)
{
	x->text = p->tok.text;
	x->name_loc = parser_loc(p);
	if (p->tok.id != T_NAME)
		x->text = (struct str){ "", 0 };
	parser_expect(p, T_NAME, "a field's name");
	x->loc = parser_since(p, x->loc.at);
}

/* expr { "," expr } up to the closing parenthesis of open. */
static void expr_list(struct parser *p, struct token open, ax_list *list)
{
	p->parens++;
	do {
		vec_push(p->arena, list, parser_expr(p));
		if (p->panic && !p->stopped) {
			parser_sync(p);
			p->panic = p->tok.id != T_COMMA && p->tok.id != T_RPAREN;
		}
	} while (parser_take(p, T_COMMA));
	parser_close(p, open, T_RPAREN);
	p->parens--;
}

static struct ax *call(struct parser *p)
{
	struct ax *x = leaf(p, AX_CALL);
	struct token open = p->tok;
	ax_list args = { 0 };

	parser_advance(p);
	if (!parser_take(p, T_RPAREN))
		expr_list(p, open, &args);
	x->loc = parser_since(p, x->loc.at);
	set_kids(p, x, args.v, args.n);
	return x;
}

static struct ax *parenthesised(struct parser *p)
{
	struct token open = p->tok;
	struct ax *x;

	parser_advance(p);
	p->parens++;
	x = parser_expr(p);
	parser_close(p, open, T_RPAREN);
	p->parens--;
	x->loc = parser_since(p, open.at);
	return x;
}

/* Used as in another language, or as a field's name? */
static void help_reserved(struct parser *p)
{
	int next = parser_peek(p).id;
	bool word = next == T_NAME || next == T_LPAREN || next == T_MINUS;

	if (!word || !habit_help(p->diag, HABIT_WORD, p->tok.text))
		diag_help(p->diag, "a field of this name needs back-quotes: `%.*s`", STR_ARG(p->tok.text));
}

static struct ax *name(struct parser *p)
{
	int next = parser_peek(p).id;

	for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++)
		if (next == T_DOT && parser_at_word(p, sides[i].word)) {
			struct ax *x = node(p, AX_SIDE, parser_loc(p));

			x->side = (uint8_t)sides[i].side;
			parser_advance(p);
			parser_advance(p);
			member_name(p, x);
			return x;
		}
	if (!p->tok.quoted && lex_is_reserved(p->tok.text)) {
		if (parser_error(p, DIAG_RESERVED_WORD, parser_loc(p),
				 "expected an expression, found the reserved word '%.*s'", STR_ARG(p->tok.text)))
			help_reserved(p);
		return placeholder(p);
	}
	if (next == T_LPAREN && !p->tok.quoted)
		return call(p);
	return leaf(p, AX_NAME);
}

static struct ax *atom(struct parser *p)
{
	switch (p->tok.id) {
	case T_INT:	return leaf(p, AX_INT);
	case T_REAL:	return leaf(p, AX_REAL);
	case T_STRING:	return leaf(p, AX_STRING);
	case T_PARAM:	return leaf(p, AX_PARAM);
	case T_NAME:	return name(p);
	case T_LPAREN:	return parenthesised(p);
	}
	parser_unexpected(p, DIAG_EXPECTED_EXPR, "an expression");
	if (p->tok.id == T_BAD) {		/* it stood for a value: go on behind it */
		parser_advance(p);
		p->panic = p->stopped;
	}
	return placeholder(p);
}

/* ---- postfix, unary, binary ---- */

static bool is_int_type(struct str s)
{
	for (size_t i = 0; i < sizeof(int_types) / sizeof(int_types[0]); i++)
		if (str_is(s, int_types[i]))
			return true;
	return false;
}

static struct ax *cast(struct parser *p, struct ax *e)
{
	bool to_struct;
	struct ax *x;

	parser_advance(p);
	to_struct = parser_take_word(p, "struct");
	x = over(p, to_struct ? AX_AS_STRUCT : AX_AS_INT, e, NULL, NULL);
	x->text = p->tok.text;
	x->name_loc = parser_loc(p);
	if (p->tok.id != T_NAME || (!to_struct && !is_int_type(p->tok.text))) {
		if (parser_unexpected(p, DIAG_BAD_CAST, to_struct ? "a structure's name" : "a type"))
			diag_help(p->diag, "after 'as' write struct NAME or one of u8 u16 u32 u64 s8 s16 s32 s64; "
				  "to name a column: bytes = sum(ret)");
		if (p->tok.id != T_NAME)
			return x;
		p->panic = p->stopped;
	}
	parser_advance(p);
	x->loc = parser_since(p, x->loc.at);
	return x;
}

static struct ax *member(struct parser *p, struct ax *e)
{
	struct ax *x;

	if (p->tok.id == T_ARROW) {
		if (parser_error(p, DIAG_EXPECTED_TOKEN, parser_loc(p), "expected '.', found '->'"))
			diag_help(p->diag, "write '.': it also follows pointers");
		p->panic = p->stopped;
	}
	parser_advance(p);
	x = over(p, AX_MEMBER, e, NULL, NULL);
	member_name(p, x);
	return x;
}

static struct ax *element(struct parser *p, struct ax *e)
{
	struct token open = p->tok;
	struct ax *index, *x;

	parser_advance(p);
	p->parens++;
	index = parser_expr(p);
	parser_close(p, open, T_RBRACKET);
	p->parens--;
	x = over(p, AX_INDEX, e, index, NULL);
	return x;
}

static struct ax *postfix(struct parser *p, struct ax *e)
{
	while (!p->panic) {
		if (p->tok.id == T_DOT || p->tok.id == T_ARROW)
			e = member(p, e);
		else if (p->tok.id == T_LBRACKET)
			e = element(p, e);
		else if (parser_at_word(p, "as"))
			e = cast(p, e);
		else
			break;
	}
	return e;
}

static struct ax *unary(struct parser *p)
{
	int op = find_op(p->tok.id, 1), at = p->tok.at;
	struct ax *x;

	if (op < 0)
		return postfix(p, atom(p));
	if (!parser_enter(p)) {
		parser_leave(p);
		return placeholder(p);
	}
	parser_advance(p);
	x = over(p, AX_UNARY, unary(p), NULL, NULL);
	x->op = (uint8_t)op;
	x->loc = parser_since(p, at);
	parser_leave(p);
	return x;
}

/* e in ( a, b, ... ) */
static struct ax *membership(struct parser *p, struct ax *e)
{
	struct ax *x = node(p, AX_IN, e->loc);
	struct token open;
	ax_list kids = { 0 };

	parser_advance(p);
	open = p->tok;
	vec_push(p->arena, &kids, e);
	if (parser_expect(p, T_LPAREN, "'(' and the values"))
		expr_list(p, open, &kids);
	x->loc = parser_since(p, e->loc.at);
	set_kids(p, x, kids.v, kids.n);
	return x;
}

static struct ax *binary(struct parser *p, struct ax *left, int least)
{
	while (!p->panic) {
		int op = find_op(p->tok.id, 2);
		struct ax *right;

		if (least <= PREC_IN && parser_at_word(p, "in")) {
			left = membership(p, left);
			continue;
		}
		if (op < 0 || op_table[op].prec < least || (op == OP_BOR && !p->parens))
			break;
		parser_advance(p);
		right = binary(p, unary(p), op_table[op].prec + 1);
		left = over(p, AX_BINARY, left, right, NULL);
		left->op = (uint8_t)op;
	}
	return left;
}

/* What follows a first operand that was read already. */
static struct ax *rest(struct parser *p, struct ax *first)
{
	struct ax *e = binary(p, postfix(p, first), 1), *yes, *no;

	if (p->panic || !parser_take(p, T_QUESTION))
		return e;
	yes = parser_expr(p);
	parser_expect(p, T_COLON, "':' of '?:'");
	no = parser_expr(p);
	return over(p, AX_COND, e, yes, no);
}

struct ax *parser_expr(struct parser *p)
{
	struct ax *e;

	if (parser_enter(p)) {
		e = rest(p, unary(p));
		if (p->tok.id == T_ASSIGN)
			parser_unexpected(p, DIAG_EXPECTED_TOKEN, "the end of the expression");
	} else {
		e = placeholder(p);
	}
	parser_leave(p);
	return e;
}

/* ---- literals, keys, columns ---- */

struct ax *parser_literal(struct parser *p)
{
	int at = p->tok.at;
	struct ax *x;

	if (parser_take(p, T_MINUS)) {
		if (p->tok.id != T_INT && p->tok.id != T_REAL) {
			parser_unexpected(p, DIAG_EXPECTED_TOKEN, "a number");
			return placeholder(p);
		}
		x = over(p, AX_UNARY, atom(p), NULL, NULL);
		x->op = OP_NEG;
		x->loc = parser_since(p, at);
		return x;
	}
	if (p->tok.id == T_INT || p->tok.id == T_REAL || p->tok.id == T_STRING || p->tok.id == T_BAD)
		return atom(p);
	if (p->tok.id == T_NAME)
		return leaf(p, AX_NAME);
	parser_unexpected(p, DIAG_EXPECTED_TOKEN, "a literal");
	return placeholder(p);
}

struct cond parser_cond(struct parser *p)
{
	struct cond c = { 0 };
	int at = p->tok.at;

	if (p->panic || !parser_take_word(p, "if"))
		return c;
	c.present = true;
	c.negated = parser_take(p, T_BANG);
	if (p->tok.id == T_PARAM)
		c.param = p->tok.text;
	parser_expect(p, T_PARAM, "a parameter, $NAME");
	c.loc = parser_since(p, at);
	return c;
}

void parser_keys(struct parser *p, ax_list *keys)
{
	struct token open = p->tok;
	struct ax *first;

	if (p->tok.id != T_LPAREN) {
		vec_push(p->arena, keys, parser_expr(p));
		return;
	}
	parser_advance(p);
	p->parens++;
	first = parser_expr(p);
	if (p->tok.id == T_COMMA && !p->panic) {
		parser_advance(p);
		vec_push(p->arena, keys, first);
		expr_list(p, open, keys);
		p->parens--;
		return;
	}
	parser_close(p, open, T_RPAREN);
	p->parens--;
	first->loc = parser_since(p, open.at);
	vec_push(p->arena, keys, rest(p, first));
}

void parser_named_exprs(struct parser *p, named_exprs *list, bool must_name)
{
	do {
		struct named_expr *e = vec_add(p->arena, list);
		int at = p->tok.at;

		parser_bound(p, ++p->columns, PARSE_COLUMNS_MOST, "columns and keys");
		if (parser_at_naming(p)) {
			e->name = p->tok.text;
			parser_advance(p);
			parser_advance(p);
		} else if (must_name) {
			parser_unexpected(p, DIAG_EXPECTED_TOKEN, "NAME =");
		}
		e->expr = p->panic ? placeholder(p) : parser_expr(p);
		e->cond = parser_cond(p);
		e->loc = parser_since(p, at);
		if (p->panic && !p->stopped) {
			parser_sync(p);
			p->panic = false;
		}
	} while (parser_take(p, T_COMMA));
}
