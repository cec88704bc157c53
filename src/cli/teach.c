/* What the language has, taken from its tables. See cli/teach.h. */
#define _GNU_SOURCE	/* strcasestr */
#include "cli/teach.h"

#include <string.h>

#include "base/near.h"
#include "lang/lex.h"
#include "plan/agg.h"
#include "plan/func.h"
#include "plan/param.h"
#include "plan/source.h"
#include "session/compile.h"

#define FORM_COLUMN 26
#define NAMES_MOST 512			/* of all parts and rows: what may be meant by a typo */

/* ---- the parts, each of a table ---- */

/* Rows as texts, five each, every one ended by NUL: pointers to them would take more room
 * than most of them do. */
#define TEXTS 5

static bool row_of(const char *rows, size_t bytes, int i, struct teach_row *r)
{
	const char *texts[TEXTS], *at = rows;

	for (int skip = i * TEXTS; skip && at < rows + bytes; skip--)
		at += strlen(at) + 1;
	if (at >= rows + bytes)
		return false;
	for (int k = 0; k < TEXTS; k++) {
		texts[k] = at;
		at += strlen(at) + 1;
	}
	*r = (struct teach_row){ texts[0], texts[1], texts[2], texts[3], *texts[4] ? texts[4] : NULL };
	return true;
}
#define ROW_OF(rows, i, r) row_of(rows, sizeof(rows) - 1, i, r)
#define TEXT(name, form, takes, help, example) name "\0" form "\0" takes "\0" help "\0" example "\0"

static bool source_row(int i, struct teach_row *r)
{
	const struct source_ops *s = language.sources[i];

	if (s)
		*r = (struct teach_row){ s->name, s->form, "", s->help, s->example };
	return s;
}

static bool word_row(int i, struct teach_row *r)
{
	static const char rows[] =
#define WORD(text, form, help, example) TEXT(text, form, "", help, example)
#include "lang/word.def"
#undef WORD
	;

	return ROW_OF(rows, i, r);
}

static bool stage_row(int i, struct teach_row *r)
{
	static const char rows[] =
#define STAGE(id, text, class, takes, help, example) TEXT(text, text, " " takes, help, example)
#include "lang/stage.def"
#undef STAGE
	;

	return ROW_OF(rows, i, r);
}

static bool agg_row(int i, struct teach_row *r)
{
	const struct agg_ops *a = language.aggs[i];

	if (a)
		*r = (struct teach_row){ a->name, a->name, a->takes ? a->takes : "", a->help, a->example };
	return a;
}

static bool func_row(int i, struct teach_row *r)
{
	const struct func_ops *f = language.funcs[i];

	if (f)
		*r = (struct teach_row){ f->name, f->name, f->takes, f->help, f->example };
	return f;
}

static bool field_row(int i, struct teach_row *r)
{
	static const char rows[] =
#define COMMON(id, name, kind, help, example) TEXT(name, name, "", help, example)
#include "lang/common.def"
#undef COMMON
	;

	return ROW_OF(rows, i, r);
}

static bool operator_row(int i, struct teach_row *r)
{
	static const char rows[] =
#define OP(id, text, prec, arity, class, value, help, example) TEXT(text, text, "", help, example)
#include "table/op.def"
#undef OP
	;

	return ROW_OF(rows, i, r);
}

static bool param_row(int i, struct teach_row *r)
{
	const struct param_type *t = &param_types[i];

	if (t->name)
		*r = (struct teach_row){ t->name, t->name, "", t->help, t->example };
	return t->name;
}

static bool loss_row(int i, struct teach_row *r)
{
	static const char rows[] =
#define LOSS(id, name, quiet, means) TEXT(name, name, "", means, "")
#include "table/loss.def"
#undef LOSS
	;

	return ROW_OF(rows, i, r);
}

static bool message_row(int i, struct teach_row *r)
{
	static const char rows[] =
#define DIAG(id, tag, meaning) TEXT(tag, tag, "", meaning, "")
#include "lang/diag.def"
#undef DIAG
	;

	return ROW_OF(rows, i, r);
}

const struct teach_part teach_parts[] = {
	{ "sources", "what can be watched: with commas several, with * ? [a-z] all of such a name",
	  "What there is: culprit list events '*tcp*', culprit list syscalls, culprit list functions 'vfs_*'.\n"
	  "What one of them has: culprit help syscall:read, culprit help sched:sched_switch.\n", source_row },
	{ "periods", "from .. to .. on: anything with a begin and an end; and the other reserved words",
	  "A period has `duration`, `begin.FIELD`, `end.FIELD` and with a via `via.FIELD`. System calls and\n"
	  "functions are periods by themselves; syscall:read.enter and syscall:read.return are such ends.\n", word_row },
	{ "stages", "what is done with the rows, one stage after the other, each after a |", NULL, stage_row },
	{ "aggregations", "what a table can have in its columns",
	  "Write several with commas: count, avg(duration). `NAME = ` before one names its column, `where`\n"
	  "after one takes only some of the rows. `by KEY, ...` makes a row for each key.\n", agg_row },
	{ "functions", "what computes a value from others",
	  "env, meminfo, delta and share work only after the aggregation; min, max and abs there, too.\n", func_row },
	{ "fields", "what every row knows, besides its source's own fields",
	  "A period also has `duration`, a system call its parameters by name and `ret`, a function `depth`.\n"
	  "current.comm is the running thread's where the source has its own comm.\n", field_row },
	{ "operators", "C's, loose ones first, and ~",
	  "Also CONDITION ? a : b, MEMBER.MEMBER, ARRAY[i]; `in` and `as`: culprit help periods.\n"
	  "Numbers have units: 10us 1.5ms 2s 1m 1h; 512B 4KiB 1MB. Names of errors, signals and enums are\n"
	  "numbers: ENOENT, SIGKILL.\n", operator_row },
	{ "parameters", "what makes a tool of a file: `param NAME LETTER: TYPE = DEFAULT \"help\"`, then $NAME",
	  "In a file: culprit ./FILE.q --NAME VALUE; culprit ./FILE.q --help shows them. A `where` whose\n"
	  "parameter was not given does not apply.\n", param_row },
	{ "losses", "what is counted when a result is not complete, and what that means for the answer", NULL,
	  loss_row },
	{ "messages", "what is wrong with a query, by the [name] at the end of the message",
	  "The message shows the place, and a line `help:` what to write instead.\n", message_row },
	{ .name = NULL },
};

/* ---- first queries ---- */

static const struct {
	const char *question, *query;
} first[] = {
	{ "which programs read, and how often?", "syscall:read | count by comm" },
	{ "which reads are slow, and of which files?",
	  "syscall:read | where duration > 10ms | print comm, path(file(fd)), duration" },
	{ "how long do threads wait for locks?", "syscall:futex | count, p99(duration) by comm | top 5" },
	{ "which files are written most?",
	  "syscall:write | bytes = sum(ret) where ret > 0 by path(file(fd)) | top 10 by bytes" },
	{ "how long do disks take?", "from block:block_rq_issue to block:block_rq_complete on rq | hist(duration)" },
};

void teach_first(struct buf *b)
{
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		buf_printf(b, "  %s\n      culprit run '%s'\n", first[i].question, first[i].query);
}

void teach_language(struct buf *b)
{
	buf_puts(b, "A query says what to watch, which of it to keep, and what to make of it:\n\n"
		 "    SOURCE | STAGE | STAGE ...\n\n"
		 "It runs in the kernel until Ctrl-C, for -d TIME, or until the end of `-- COMMAND`. All that\n"
		 "takes time (a call, a wait, a disk's request) is a period and knows its `duration`.\n\n"
		 "Five first queries:\n");
	teach_first(b);
	buf_puts(b, "\nIts parts, each with an example of all that is in it:\n");
	for (const struct teach_part *p = teach_parts; p->name; p++) {
		buf_printf(b, "  culprit help %s", p->name);
		buf_pad(b, ' ', 13 - (int)strlen(p->name));
		buf_printf(b, " %s\n", p->about);
	}
	buf_puts(b, "\nOf one thing: culprit help hist, culprit help syscall:read.\n"
		 "What a query will do: culprit explain 'QUERY'.\n");
}

/* ---- parts and rows ---- */

static void add_row(struct buf *b, const struct teach_row *r)
{
	const char *takes = r->takes + (!*r->form && *r->takes == ' ');
	int n = (int)(strlen(r->form) + strlen(takes));

	buf_printf(b, "  %s%s", r->form, takes);
	buf_pad(b, ' ', FORM_COLUMN - n);
	buf_printf(b, "  %s\n", r->help);
	if (r->example)
		buf_printf(b, "      %s\n", r->example);
}

bool teach_part(struct buf *b, const char *name)
{
	const struct teach_part *p = teach_parts;
	struct teach_row r;

	while (p->name && strcmp(p->name, name))
		p++;
	if (!p->name)
		return false;
	buf_printf(b, "%s: %s\n\n", p->name, p->about);
	for (int i = 0; p->row(i, &r); i++)
		add_row(b, &r);
	if (p->more)
		buf_printf(b, "\n%s", p->more);
	return true;
}

/* Is this what the row is of? Percentiles have one row. */
static bool is_row(const struct teach_part *p, const struct teach_row *r, const char *name)
{
	const struct agg_ops *agg = p->row == agg_row ? agg_find(&language, str_of(name), NULL) : NULL;

	return !strcmp(r->name, name) || (agg && agg->any_percent && !strcmp(r->name, agg->name));
}

bool teach_rows(struct buf *b, const char *name)
{
	struct teach_row r;
	bool found = false;

	for (const struct teach_part *p = teach_parts; *name && p->name; p++)
		for (int i = 0; p->row(i, &r); i++)
			if (is_row(p, &r, name)) {
				add_row(b, &r);
				buf_printf(b, "      more: culprit help %s\n", p->name);
				found = true;
			}
	return found;
}

void teach_mention(struct buf *b, const char *command, const char *name, struct str about,
		   const char *word)
{
	size_t from = b->n, named;

	buf_printf(b, "  %s ", command);
	named = b->n;
	buf_printf(b, "%-*s %.*s\n", FORM_COLUMN - (int)strlen(command), name, STR_ARG(about));
	if (!strcasestr(b->p + named, word))
		b->n = from;
}

void teach_mentions(struct buf *b, const char *word)
{
	struct teach_row r;

	for (const struct teach_part *p = teach_parts; p->name; p++) {
		teach_mention(b, "culprit help", p->name, str_of(p->about), word);
		for (int i = 0; p->row(i, &r); i++)
			if (*r.name)
				teach_mention(b, "culprit help", r.name, str_of(r.help), word);
	}
}

const char *teach_nearest(const char *name)
{
	const char *names[NAMES_MOST];
	struct teach_row r;
	int n = 0;

	for (const struct teach_part *p = teach_parts; p->name; p++) {
		names[n++] = p->name;
		for (int i = 0; n < NAMES_MOST - 16 && p->row(i, &r); i++)
			if (*r.name)
				names[n++] = r.name;
	}
	return str_nearest(str_of(name), names, n);
}
