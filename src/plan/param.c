/*
 * Parameters of query files: their types are rows here, their values come from
 * the command line or the default. See param.h.
 */

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "plan/param.h"
#include "base/units.h"
#include "lang/diag_tags.h"
#include "plan/agg.h"

#define ERRNO_MOST 4095			/* the kernel's MAX_ERRNO */

static void set_number(struct px *out, int64_t v, struct type t)
{
	out->op = PX_NUMBER;
	out->number = v;
	out->type = t;
}

static bool parse_int(struct check_env *env, struct str text, struct px *out)
{
	char tmp[32], *end;
	int64_t v;

	(void)env;
	if (!text.n || text.n >= (int)sizeof(tmp))
		return false;
	memcpy(tmp, text.p, (size_t)text.n);
	tmp[text.n] = 0;
	errno = 0;
	v = strtoll(tmp, &end, 0);
	set_number(out, v, type_int);
	return !errno && !*end && !isspace((unsigned char)tmp[0]);
}

static bool parse_pid(struct check_env *env, struct str text, struct px *out)
{
	bool ok = parse_int(env, text, out) && out->number >= 0;

	out->type = (struct type){ .kind = TY_PID, .is_signed = true, .size = 4 };
	return ok;
}

static bool parse_tid(struct check_env *env, struct str text, struct px *out)
{
	bool ok = parse_pid(env, text, out);

	out->type.kind = TY_TID;
	return ok;
}

static bool parse_duration(struct check_env *env, struct str text, struct px *out)
{
	int64_t ns;

	(void)env;
	if (!units_parse_time_option(text, &ns))
		return false;
	set_number(out, ns, type_duration);
	return true;
}

static bool parse_size(struct check_env *env, struct str text, struct px *out)
{
	int64_t bytes;

	if (!units_parse_size(text, &bytes)) {
		if (!parse_int(env, text, out))
			return false;
		bytes = out->number;
	}
	set_number(out, bytes, type_size);
	return true;
}

static bool parse_string(struct check_env *env, struct str text, struct px *out)
{
	out->op = PX_TEXT;
	out->text = (struct str){ arena_strndup(env->arena, text.p, (size_t)text.n), text.n };
	out->type = (struct type){ .kind = TY_STRING, .bytes = (uint32_t)text.n + 1 };
	return true;
}

/* A number or a name of an error, with or without its sign: 2, ENOENT, -2. */
static bool parse_errno(struct check_env *env, struct str text, struct px *out)
{
	struct source_text *source = arena_new(env->arena, struct source_text);
	struct diag mistakes = { .arena = env->arena };
	struct check_env quiet = *env;
	const struct px *v;
	struct ax *e;

	if (!text.n)
		return false;
	*source = (struct source_text){ "parameter", text };
	quiet.diag = &mistakes;
	e = parse_expr(env->arena, &mistakes, source);
	v = e ? check_const(&quiet, e) : NULL;
	if (!v || mistakes.errors || v->op != PX_NUMBER || !v->number ||
	    v->number < -ERRNO_MOST || v->number > ERRNO_MOST)
		return false;
	set_number(out, v->number < 0 ? -v->number : v->number, type_int);
	return true;
}

/* "50,99,99.9" */
static bool parse_percentiles(struct check_env *env, struct str text, struct px *out)
{
	for (struct str rest = text, one; params_next(&rest, &one);) {
		double percent = 0;

		if (!one.n || one.n > 6 ||
		    !agg_find(env->registry, str_of(arena_printf(env->arena, "p%.*s", STR_ARG(one))), &percent))
			return false;
		if (percent <= 0)
			return false;
	}
	return text.n && parse_string(env, text, out);
}

static bool parse_flag(struct check_env *env, struct str text, struct px *out)
{
	(void)env;
	(void)text;
	set_number(out, 1, type_bool);
	return true;
}

static void read_expression(struct check_env *env, struct param *p, const struct source_text *text)
{
	p->expr = parse_expr(env->arena, env->diag, text);
}

static void read_columns(struct check_env *env, struct param *p, const struct source_text *text)
{
	p->columns = parse_columns(env->arena, env->diag, text);
}

const struct param_type param_types[] = {
	{ .name = "flag", .value = NULL, .parse = parse_flag,
	  .help = "given or not",
	  .example = "param failed x: flag; syscall:* | where ret < 0 if $failed | count by event" },
	{ .name = "int", .value = "N", .parse = parse_int,
	  .help = "a number",
	  .example = "param n: int = 5; syscall:* | count by event | top $n" },
	{ .name = "duration", .value = "TIME", .parse = parse_duration, .plain = PLAIN_FIRST,
	  .help = "10us 1.5ms 2s; a number without unit has that of the default",
	  .example = "param min: duration = 1ms; syscall:read | where duration >= $min | count by comm" },
	{ .name = "size", .value = "SIZE", .parse = parse_size,
	  .help = "4KiB; a number without unit is bytes",
	  .example = "param least: size = 64KiB; syscall:read | where ret >= $least | count by comm" },
	{ .name = "string", .value = "TEXT", .parse = parse_string,
	  .help = "a text",
	  .example = "param name: string = \"sshd\"; syscall:* | where comm == $name | count by event" },
	{ .name = "glob", .value = "GLOB", .parse = parse_string,
	  .help = "a pattern with * ? [a-z]",
	  .example = "param call: glob = \"*stat*\"; syscall:* | where event ~ $call | count by event" },
	{ .name = "source", .value = "SOURCE", .parse = parse_string, .plain = PLAIN_ONE, .source = true,
	  .help = "a source, or a part of its text",
	  .example = "param what: source = \"syscall:read\"; $what | count by comm" },
	{ .name = "sources", .value = "SOURCE", .parse = parse_string, .plain = PLAIN_REST, .source = true,
	  .help = "one source or several",
	  .example = "param what: sources = \"syscall:read, syscall:write\"; $what | count by event" },
	{ .name = "parts", .value = "PART", .parse = parse_string, .plain = PLAIN_REST,
	  .help = "what may follow split",
	  .example = "param made_of: parts = \"state\"; syscall:read | split $made_of | print comm, duration, bars" },
	{ .name = "expression", .value = "EXPR", .parse = parse_string, .read = read_expression,
	  .help = "an expression",
	  .example = "param filter: expression = \"ret < 0\"; syscall:read | where $filter | count by comm" },
	{ .name = "columns", .value = "COLUMNS", .parse = parse_string, .read = read_columns,
	  .help = "what may follow print",
	  .example = "param show: columns = \"fd, ret\"; syscall:read | print comm, $show" },
	{ .name = "percentiles", .value = "P,P,...", .parse = parse_percentiles,
	  .help = "50,99,99.9",
	  .example = "param p: percentiles = \"50,99\"; syscall:read | count, $p(duration) by comm" },
	{ .name = "errno", .value = "ERROR", .parse = parse_errno,
	  .help = "ENOENT, 2 or -2, up to 4095",
	  .example = "param error: errno = ENOENT; syscall:* | where ret == -$error | count by event" },
	{ .name = "pid", .value = "PID", .parse = parse_pid,
	  .help = "a process's number",
	  .example = "param parent: pid = 1; syscall:* | where ppid == $parent | count by comm" },
	{ .name = "tid", .value = "TID", .parse = parse_tid,
	  .help = "a thread's number",
	  .example = "param thread: tid = 1; syscall:* | where tid == $thread | count by event" },
	{ .name = NULL },
};

const struct param_type *param_type_find(struct str name)
{
	for (const struct param_type *t = param_types; t->name; t++)
		if (str_is(name, t->name))
			return t;
	return NULL;
}

bool param_type_is_source(struct str name)
{
	const struct param_type *t = param_type_find(name);

	return t && t->source;
}

static const struct param_value *given_find(const struct ast_param *p,
					    const struct param_value *given, int n)
{
	char letter[2] = { p->letter, 0 };

	for (int i = n - 1; i >= 0; i--)
		if (str_is(p->name, given[i].name) || (p->letter && !strcmp(letter, given[i].name)))
			return &given[i];
	return NULL;
}

/* A bare number has the unit of the default: `ext4slower 1` is 1 ms, as people know it. */
static const char *with_unit(struct check_env *env, const struct ast_param *p, const char *value)
{
	struct str unit;
	int n = 0;

	if (!p->value || p->value->kind != AX_INT || p->value->unit != UNIT_DURATION
	    || value[strspn(value, "0123456789.")])
		return value;
	unit = loc_text(p->value->loc);
	while (n < unit.n && !isalpha((unsigned char)unit.p[n]))
		n++;
	return arena_printf(env->arena, "%s%.*s", value, unit.n - n, unit.p + n);
}

/* A mistake in what was given has its place there. */
static struct source_text *given_text(struct check_env *env, const struct param *p, struct str value)
{
	struct source_text *given = arena_new(env->arena, struct source_text);

	*given = (struct source_text){ arena_printf(env->arena, "--%.*s", STR_ARG(p->name)), value };
	return given;
}

static void bind_value(struct check_env *env, struct param *out, const struct param_type *t,
		       const char *value)
{
	struct px *v = arena_new(env->arena, struct px);
	struct source_text *given = given_text(env, out, str_of(value ? value : ""));

	v->loc = (struct loc){ given, 0, given->text.n };
	if (!t->parse(env, given->text, v)) {
		diag_error(env->diag, DIAG_PARAM_VALUE, v->loc, "'%s' is not of type %s, which %s needs", value,
			   t->name, given->name);
		diag_help(env->diag, "write %s", t->help);
		return;
	}
	out->given = true;
	out->value = v;
}

/* Its text is a part of the program. */
static void read_text(struct check_env *env, const struct param_type *t, struct param *p)
{
	if (p->value->op != PX_TEXT) {
		diag_error(env->diag, DIAG_PARAM_VALUE, p->loc, "the default of '%.*s' must be a text in quotes",
			   STR_ARG(p->name));
		return;
	}
	t->read(env, p, given_text(env, p, p->value->text));
}

/* A text where a number is needed, a size for a duration. */
static void check_default(struct check_env *env, const struct ast_param *p, const struct param_type *t,
			  const struct px *value)
{
	struct px v = { .op = PX_NUMBER };
	struct str text = value->op == PX_TEXT ? value->text : loc_text(p->value->loc);

	if ((p->value->kind != AX_INT && p->value->kind != AX_STRING) ||
	    value->type.kind == TY_POISON || t->read)
		return;
	if (t->parse(env, text, &v) && v.op == value->op)
		return;
	diag_error(env->diag, DIAG_PARAM_VALUE, p->value->loc, "the default of '%.*s' is not of type %s",
		   STR_ARG(p->name), t->name);
}

static void bind(struct check_env *env, const struct ast_param *p, const struct param_value *given)
{
	const struct param_type *t = param_type_find(p->type);
	struct param *out = vec_add(env->arena, &env->params);

	out->name = p->name;
	out->letter = p->letter;
	out->type_name = p->type;
	out->help = arena_strndup(env->arena, p->help.p ? p->help.p : "", (size_t)p->help.n);
	out->loc = p->loc;
	if (!t) {
		diag_error(env->diag, DIAG_PARAM_TYPE, p->loc, "'%.*s' is not a type of parameters",
			   STR_ARG(p->type));
		diag_help(env->diag,
			  "types: flag int duration size string glob source sources parts expression columns percentiles "
			  "errno pid tid");
		return;
	}
	if (given) {
		bind_value(env, out, t, given->value ? with_unit(env, p, given->value) : NULL);
	} else if (p->value) {
		out->value = check_const(env, p->value);
		out->given = true;
		check_default(env, p, t, out->value);
	}
	if (t->read && out->value)
		read_text(env, t, out);
}

void params_bind(struct check_env *env, const struct ast *ast, const struct param_value *given,
		 int n_given)
{
	for (int i = 0; i < ast->params.n; i++) {
		const struct ast_param *p = &ast->params.v[i];

		for (int k = 0; k < i; k++) {
			const struct ast_param *q = &ast->params.v[k];

			if (str_eq(p->name, q->name) || (p->letter && p->letter == q->letter)) {
				diag_error(env->diag, DIAG_DUPLICATE_PARAM, p->loc,
					   "another parameter has the same name or letter");
				break;
			}
		}
		bind(env, p, given_find(p, given, n_given));
	}
}

static const struct param *text_param(struct check_env *env, struct str name, struct loc loc)
{
	for (int i = 0; i < env->params.n; i++) {
		const struct param *p = &env->params.v[i];

		if (!str_eq(p->name, name))
			continue;
		if (p->value && p->value->op == PX_TEXT && p->value->text.n)
			return p;
		if (p->value)
			diag_error(env->diag, DIAG_PARAM_TYPE, loc,
				   "$%.*s is not a text that names a source", STR_ARG(name));
		else
			diag_error(env->diag, DIAG_PARAM_VALUE, loc, "$%.*s has no value",
				   STR_ARG(name));
		diag_help(env->diag, "give it: --%.*s VALUE", STR_ARG(name));
		return NULL;
	}
	diag_error(env->diag, DIAG_UNKNOWN_PARAM, loc, "no parameter '$%.*s'", STR_ARG(name));
	return NULL;
}

static int name_bytes(struct str s)
{
	int n = 0;

	while (n < s.n && (isalnum((unsigned char)s.p[n]) || s.p[n] == '_'))
		n++;
	return n;
}

const struct param *params_whole(const struct check_env *env, struct str text, const char *type)
{
	for (int i = 0; i < env->params.n && text.n > 1 && text.p[0] == '$'; i++)
		if (str_eq(env->params.v[i].name, str_sub(text, 1, -1)) &&
		    str_is(env->params.v[i].type_name, type))
			return &env->params.v[i];
	return NULL;
}

bool params_in_source(struct str text)
{
	const char *p = memchr(text.p, '$', (size_t)text.n);

	return p && (p == text.p || p[-1] != '@');
}

bool params_expand(struct check_env *env, struct str text, struct loc loc, struct str *out)
{
	struct buf all = { 0 };
	bool ok = true;

	for (int i = 0; i < text.n && ok;) {
		struct str name = str_sub(text, i + 1, -1);
		const struct param *p;

		name.n = text.p[i] == '$' ? name_bytes(name) : 0;
		if (!name.n || (i && text.p[i - 1] == '@')) {
			buf_putc(&all, text.p[i++]);
			continue;
		}
		p = text_param(env, name, loc);
		ok = p != NULL;
		if (ok)
			buf_add(&all, p->value->text.p, (size_t)p->value->text.n);
		i += 1 + name.n;
		/* its own parentheses are not doubled */
		if (ok && all.n > 2 && all.p[all.n - 1] == ')' && i + 1 < text.n &&
		    text.p[i] == '(' && text.p[i + 1] == ')')
			i += 2;
	}
	*out = str_of(arena_strdup(env->arena, all.p ? all.p : ""));
	buf_fini(&all);
	return ok;
}
