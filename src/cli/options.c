/*
 * The command line. To add a common option: a row in cli/options.def and its set_ function
 * here; a tool's option is a `param` of its query file.
 */
#include "cli/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/near.h"
#include "base/units.h"
#include "lang/habit.h"
#include "plan/check.h"

#define ROWS_MOST (1 << 28)

void options_init(struct options *o, struct arena *a)
{
	*o = (struct options){
		.arena = a, .max_open = PLAN_ROWS,
	};
}

/* ---- values ---- */

static bool parse_whole(const char *text, int64_t least, int64_t most, int64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoll(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno && *value >= least &&
	       *value <= most;
}

static const char *set_time(int64_t *ns, const char *value)
{
	if (units_parse_time_option(str_of(value), ns) && *ns > 0)
		return NULL;
	return "write a time: 10us, 1.5ms, 2s or 1m";
}

static const char *set_rows(uint64_t *rows, const char *value)
{
	int64_t n;

	if (!parse_whole(value, 1, ROWS_MOST, &n))
		return "write a number from 1 to 268435456";
	*rows = (uint64_t)n;
	return NULL;
}

/* "12,34": adds to what other -p gave. */
static const char *add_numbers(struct options *o, const char *value, bool threads)
{
	char *copy = arena_strdup(o->arena, value), *word;
	int64_t n;

	if (!*value)
		return "write a number";
	while ((word = strsep(&copy, ","))) {
		if (!parse_whole(word, 1, 4194304, &n))
			return "write numbers up to 4194304, with commas between them; "
			       "for names use --comm";
		if (threads)
			vec_push(o->arena, &o->tids, n);
		else
			vec_push(o->arena, &o->pids, n);
	}
	return NULL;
}

/* ---- the common options ---- */

static const char *set_pid(struct options *o, const char *v)
{
	return add_numbers(o, v, false);
}

static const char *set_tid(struct options *o, const char *v)
{
	return add_numbers(o, v, true);
}

static const char *set_duration(struct options *o, const char *v)
{
	return set_time(&o->duration_ns, v);
}

static const char *set_interval(struct options *o, const char *v)
{
	return set_time(&o->interval_ns, v) || o->interval_ns < INTERVAL_LEAST_NS ?
		"write a time of 1ms or longer: 10ms, 1.5s, 1m" : NULL;
}

static const char *set_count(struct options *o, const char *v)
{
	return parse_whole(v, 1, INT64_MAX, &o->intervals) ? NULL :
		"write how many intervals, a number above 0; for names use --comm";
}

static const char *set_budget(struct options *o, const char *v)
{
	char *end;

	o->budget_percent = strtod(v, &end);
	if (end != v && *end == '%')
		end++;
	if (end == v || *end || !(o->budget_percent > 0) || o->budget_percent > 100)
		return "write a percentage above 0, at most 100";
	return NULL;
}

static const char *set_comm(struct options *o, const char *v)
{
	size_t n = strlen(v);

	if (strchr(v, ','))
		return "write one name or pattern; several are a stage: | where comm in (\"cat\", \"dd\")";
	if (str_glob_least(str_of(v)) > 15)
		return "the kernel keeps 15 bytes of a thread's name: write those, or a pattern";
	o->comm = v;
	return n && n <= GLOB_BYTES_MOST ? NULL : "write a thread's name or a pattern";
}

static const char *set_color(struct options *o, const char *v)
{
	static const char *const names[] = {
		[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never",
	};

	for (int i = COLOR_AUTO; i <= COLOR_NEVER; i++)
		if (!strcmp(v, names[i])) {
			o->color = (enum color)i;
			return NULL;
		}
	return "write auto, always or never";
}

#define SET_FLAG(field) \
	static const char *set_##field(struct options *o, const char *v) \
	{ \
		(void)v; \
		o->field = true; \
		return NULL; \
	}
#define SET_TEXT(option, field) \
	static const char *set_##option(struct options *o, const char *v) \
	{ \
		o->field = v; \
		return *v ? NULL : "the value is empty"; \
	}

static const char *set_output(struct options *o, const char *v)
{
	o->output = v;
	if (!*v)
		return "the value is empty";
	return v[strspn(v, "0123456789")] ? NULL :
		"write a file, one of such a name as ./10";
}

#define SET_ROWS(field) \
	static const char *set_##field(struct options *o, const char *v) \
	{ \
		return set_rows(&o->field, v); \
	}

SET_ROWS(table_rows)
SET_ROWS(top)
SET_ROWS(max_open)
SET_FLAG(children)
SET_FLAG(self)
SET_FLAG(timestamp)
SET_FLAG(lines)
SET_FLAG(cost)
SET_FLAG(no_header)
SET_FLAG(quiet)
SET_FLAG(verbose)
SET_FLAG(help)
SET_TEXT(uid, user)
SET_TEXT(cgroup, cgroup)
SET_TEXT(cpu, cpus)
SET_TEXT(format, format)
SET_TEXT(begin, begin)
SET_TEXT(end, end)
SET_TEXT(dump, dump)
SET_TEXT(file, file)
SET_TEXT(unit, unit)
SET_TEXT(title, title)
SET_FLAG(diff)
SET_FLAG(halves)

static const char *set_trace(struct options *o, const char *v)
{
	if (o->trace)
		return "one is given already; traces below one folder are read together";
	o->trace = v;
	return *v ? NULL : "the value is empty";
}

static const char *add_without(struct options *o, const char *v)
{
	vec_push(o->arena, &o->without, v);
	return NULL;
}

const struct option_row option_common[] = {
#define OPTION(field, option_letter, option_name, option_argument, option_help) \
	{ .letter = option_letter, .name = option_name, .argument = option_argument, \
	  .help = option_help, .set = set_##field },
#include "cli/options.def"
#undef OPTION
	{ 0 }
};

/* Not in any help. */
static const struct option_row hidden[] = {
	{ .letter = 'h', .name = "help", .argument = "", .set = set_help },
	{ .name = "without", .argument = "FEATURE", .set = add_without },
	{ 0 }
};

const struct option_row option_file[] = {
	{ .letter = 'f', .name = "file", .argument = "FILE", .help = "the query is in FILE",
	  .set = set_file },
	{ 0 }
};

const struct option_row option_dump[] = {
	{ .letter = 'd', .name = "dump", .argument = "LETTERS",
	  .help = "dump what passes made: t tokens, a ast, y types, p plan, b bytecode; also v f s c m", .set = set_dump },
	{ .letter = 'f', .name = "file", .argument = "FILE", .help = "the query is in FILE",
	  .set = set_file },
	{ 0 }
};

const struct option_row option_doctor[] = {
	{ .name = "trace", .argument = "PATH", .help = "of a recorded trace", .set = set_trace },
	{ 0 }
};

const struct option_row option_list[] = {
	{ .letter = 'v', .name = "verbose", .argument = "", .help = "with the fields of each",
	  .set = set_verbose },
	{ .name = "trace", .argument = "PATH", .help = "the events of a recorded trace, or the tools that it can feed",
	  .set = set_trace },
	{ 0 }
};

const struct option_row option_flame[] = {
	{ .letter = 'o', .name = "output", .argument = "FILE",
	  .help = "write to FILE, whose ending gives the format", .set = set_output },
	{ .name = "format", .argument = "FORMAT",
	  .help = "@pictures", .set = set_format },
	{ .name = "diff", .argument = "", .help = "what the second FILE has more of and less of",
	  .set = set_diff },
	{ .name = "unit", .argument = "UNIT", .help = "of the numbers: samples, ns, us, ms, s or bytes",
	  .set = set_unit },
	{ .name = "title", .argument = "TEXT", .help = "above the picture", .set = set_title },
	{ .letter = 'q', .name = "quiet", .argument = "", .help = "say less on standard error",
	  .set = set_quiet },
	{ 0 }
};

const struct option_row option_diff[] = {
	{ .letter = 'o', .name = "output", .argument = "FILE",
	  .help = "write to FILE, whose ending gives the format", .set = set_output },
	{ .name = "format", .argument = "FORMAT", .help = "@lines", .set = set_format },
	{ .name = "top", .argument = "N", .help = "only the N rows that differ most", .set = set_top },
	{ 0 }
};

/* ---- finding a row ---- */

/* One option as written: a letter or a name, and the value in the same word, or NULL. */
struct written {
	char letter;
	struct str name;
	const char *value;
	char shown[64];				/* "--top" "-L", for messages */
};

static const struct option_row *find_row(const struct option_row *rows, const struct written *w)
{
	for (; rows && rows->name; rows++)
		if (w->letter ? rows->letter == w->letter : str_is(w->name, rows->name))
			return rows;
	return NULL;
}

/* A parameter's name on the command line has - where the file has _. */
static bool same_name(struct str param, struct str option)
{
	if (param.n != option.n)
		return false;
	for (int i = 0; i < param.n; i++)
		if ((param.p[i] == '_' ? '-' : param.p[i]) != option.p[i])
			return false;
	return true;
}

static const struct ast_param *find_param(const struct ast *ast, const struct written *w)
{
	struct written top = { .name = str_of("top") };

	for (int i = 0; ast && i < ast->params.n; i++) {
		const struct ast_param *p = &ast->params.v[i];

		if (w->letter ? p->letter == w->letter : same_name(p->name, w->name))
			return p;
	}
	/* others call it so, and tools did */
	return !w->letter && str_is(w->name, "rows") ? find_param(ast, &top) : NULL;
}

const struct option_row *option_clash(const struct ast_param *p)
{
	struct written letter = { .letter = p->letter };

	for (const struct option_row *r = option_common; r->name; r++)
		if (same_name(p->name, str_of(r->name)))
			return r;
	for (const struct option_row *r = hidden; r->name; r++)
		if (same_name(p->name, str_of(r->name)))
			return r;
	return p->letter ? find_row(option_common, &letter) : NULL;
}

static const char *nearest_name(const struct option_set *set, const struct written *w,
				struct arena *a)
{
	VEC(const char *) names = { 0 };

	for (const struct option_row *r = set->own; r && r->name; r++)
		vec_push(a, &names, r->name);
	for (const struct option_row *r = option_common; !set->only_own && r->name; r++)
		vec_push(a, &names, r->name);
	for (int i = 0; set->ast && i < set->ast->params.n; i++) {
		struct str s = set->ast->params.v[i].name;
		char *name = arena_strndup(a, s.p, (size_t)s.n);

		for (char *c = name; *c; c++)
			*c = *c == '_' ? '-' : *c;
		vec_push(a, &names, name);
	}
	return w->letter ? NULL : str_nearest(w->name, names.v, names.n);
}

static int unknown_option(const struct options *o, const struct option_set *set,
			  const struct written *w, struct err *e)
{
	const char *habit = habit_of_tool(set->tool, str_of(w->shown));
	const char *near = nearest_name(set, w, o->arena);

	if (!habit)
		habit = habit_find(o->arena, HABIT_OPTION, str_of(w->shown));
	if (habit)
		err_help(e, "%s", habit);
	else if (near)
		err_help(e, "did you mean --%s?", near);
	else
		err_help(e, "--help shows the options");
	return err_push(e, -EINVAL, "there is no option %s", w->shown);
}

/* ---- the walk ---- */

struct walk {
	struct options *o;
	struct option_set *set;
	char **at;				/* next argument */
	struct err *e;
};

static const struct option_row *row_of(const struct walk *k, const struct written *w)
{
	const struct option_row *row = find_row(k->set->own, w);

	if (!row && !k->set->only_own)
		row = find_row(option_common, w);
	return row ? row : find_row(hidden, w);
}

/* Is a word, where a value belongs, one of the options? -5 is a number. */
static bool is_option(const struct walk *k, const char *word)
{
	struct written w = { .letter = word[0] == '-' && word[1] != '-' ? word[1] : 0 };

	if (!w.letter && !strncmp(word, "--", 2))
		w.name = (struct str){ word + 2, (int)strcspn(word + 2, "=") };
	return (w.letter || w.name.n) && (row_of(k, &w) || find_param(k->set->ast, &w));
}

/* It may mean something else in the tool of this name elsewhere. */
static void help_value(struct walk *k, const struct written *w)
{
	const char *help = habit_of_tool(k->set->tool, str_of(w->shown));

	if (help)
		err_help(k->e, "%s", help);
}

/* The value of an option that takes one. */
static int take_value(struct walk *k, struct written *w, const char *argument)
{
	if (w->value)
		return 0;
	if (!*k->at || !strcmp(*k->at, "--") || is_option(k, *k->at)) {
		help_value(k, w);
		return err_push(k->e, -EINVAL, "%s needs %s", w->shown, argument);
	}
	w->value = *k->at++;
	return 0;
}

static int apply_row(struct walk *k, const struct option_row *row, struct written *w)
{
	const char *wrong;

	if (*row->argument && take_value(k, w, row->argument))
		return -EINVAL;
	if (!*row->argument && w->value)
		return err_push(k->e, -EINVAL, "%s takes no value", w->shown);
	wrong = row->set(k->o, w->value);
	if (wrong) {
		help_value(k, w);
		return err_push(k->e, -EINVAL, "%s %s: %s", w->shown, w->value, wrong);
	}
	if (row->set == set_file && k->set->word)
		return k->set->word(k->set->self, NULL, k->e);
	return 0;
}

static int apply_param(struct walk *k, const struct ast_param *p, struct written *w)
{
	const struct param_type *t = param_type_find(p->type);

	if (t && t->value && take_value(k, w, t->value))
		return -EINVAL;
	if (t && !t->value && w->value)
		return err_push(k->e, -EINVAL, "%s takes no value", w->shown);
	*vec_add(k->o->arena, &k->o->params) = (struct param_value){
		.name = arena_strndup(k->o->arena, p->name.p, (size_t)p->name.n),
		.value = w->value,
	};
	return 0;
}

/* Does the option take a value? For a cluster of letters. */
static int apply(struct walk *k, struct written *w, bool *took)
{
	const struct option_row *row = row_of(k, w);
	const struct ast_param *p;

	p = row ? NULL : find_param(k->set->ast, w);
	if (!row && !p)
		return unknown_option(k->o, k->set, w, k->e);
	*took = row ? *row->argument != 0 :
		param_type_find(p->type) && param_type_find(p->type)->value;
	if (w->letter && !*took)
		w->value = NULL;
	return row ? apply_row(k, row, w) : apply_param(k, p, w);
}

static int long_option(struct walk *k, char *arg)
{
	struct written w = { .name = str_of(arg + 2) };
	char *equals = strchr(arg, '=');
	bool took;

	if (equals) {
		w.name.n = (int)(equals - arg - 2);
		w.value = equals + 1;
	}
	snprintf(w.shown, sizeof(w.shown), "--%.*s", STR_ARG(w.name));
	return apply(k, &w, &took);
}

/* -PL, -p12, -p 12 */
static int letters(struct walk *k, char *arg)
{
	for (char *c = arg + 1; *c; c++) {
		struct written w = { .letter = *c, .value = c[1] ? c + 1 : NULL };
		bool took = false;
		int code;

		snprintf(w.shown, sizeof(w.shown), "-%c", *c);
		code = apply(k, &w, &took);
		if (code || took)
			return code;
	}
	return 0;
}

/* The parameter that this plain argument is for, which is counted from 0: what is traced
 * as in funccount, a time as in the *slower tools. Arguments of others are counted off. */
static const struct ast_param *plain_param(const struct ast *ast, int *number)
{
	for (int i = 0; ast && i < ast->params.n; i++) {
		const struct ast_param *p = &ast->params.v[i];
		const struct param_type *t = param_type_find(p->type);

		if (p->letter || !t || !t->plain || (t->plain == PLAIN_FIRST && i))
			return NULL;
		if (t->plain == PLAIN_REST || !*number)
			return p;
		*number += t->plain == PLAIN_FIRST ? 1 : -1;	/* behind a threshold stands none */
	}
	return NULL;
}

/* One more of a list. */
static const char *behind(struct walk *k, const struct ast_param *p, const char *word)
{
	for (int i = k->o->params.n - 1; i >= 0; i--)
		if (str_is(p->name, k->o->params.v[i].name))
			return arena_printf(k->o->arena, "%s, %s", k->o->params.v[i].value, word);
	return word;
}

/* A number, or what the tool of this name takes elsewhere. */
static bool is_no_source(struct walk *k, const char *word)
{
	size_t digits = strspn(word, "0123456789");
	const char *help = digits && word[digits] ? NULL : habit_of_tool(k->set->tool, str_of(word));

	if (help)
		err_help(k->e, "%s", help);
	return help;
}

/* bcc's plain arguments: what is traced, or a threshold, the interval, the number of intervals. */
static int number_word(struct walk *k, int number, const char *word)
{
	const struct ast_param *p = plain_param(k->set->ast, &number);
	struct written w = { .value = word };
	const char *wrong;

	if (p && param_type_find(p->type)->source && is_no_source(k, word))
		return err_push(k->e, -EINVAL, "'%s' is not a source", word);
	if (p && param_type_find(p->type)->plain == PLAIN_REST)
		w.value = behind(k, p, word);
	if (p)
		return apply_param(k, p, &w);
	if (number > 1) {
		err_help(k->e, "put the query in quotes, so that it is one argument; write a command "
			 "after `--`");
		return err_push(k->e, -EINVAL, "'%s' is one argument too many", word);
	}
	wrong = number ? set_count(k->o, word) : set_interval(k->o, word);
	if (wrong && k->set->one_word && strchr(word, '|')) {
		err_help(k->e, "put all queries into one argument, with ; between them");
		return err_push(k->e, -EINVAL, "'%s' is a second query", word);
	}
	if (wrong) {
		err_help(k->e, "arguments without a name are [INTERVAL [COUNT]]; write a command after "
			 "`--`");
		return err_push(k->e, -EINVAL, "'%s': %s", word, wrong);
	}
	return 0;
}

static int plain_word(struct walk *k, const char *word)
{
	bool text_first = k->set->one_word && !k->o->file;
	int n = k->o->words.n;

	vec_push(k->o->arena, &k->o->words, word);
	if (!k->set->word && !k->set->one_word && !k->set->ast)
		return 0;
	if (text_first && n == 0)
		return k->set->word(k->set->self, word, k->e);
	return number_word(k, n - text_first, word);
}

int options_parse(struct options *o, struct option_set *set, char **argv, struct err *e)
{
	struct walk k = { o, set, argv, e };

	while (*k.at) {
		char *arg = *k.at++;
		int code;

		if (!strcmp(arg, "--")) {
			o->command = *k.at ? k.at : NULL;
			return o->command ? 0 : err_push(e, -EINVAL, "write a command after --");
		}
		if (!strncmp(arg, "--", 2))
			code = long_option(&k, arg);
		else if (arg[0] == '-' && arg[1])
			code = letters(&k, arg);
		else
			code = plain_word(&k, arg);
		if (code || o->help)
			return code;
	}
	return 0;
}
