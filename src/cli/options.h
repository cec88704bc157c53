/*
 * options: the command line as data. Nothing here asks the system: names of users,
 * cgroups and CPUs stay text until scope.c looks them up.
 *
 * Three kinds of rows are searched in order: a command's own (explain -d LETTERS), the
 * common ones (cli/options.def), the parameters of the tool or query. So a common option
 * wins over a tool's letter; `culprit check` reports such a clash.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "base/buf.h"
#include "base/err.h"
#include "plan/param.h"

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct options {
	struct arena *arena;
	VEC(int64_t) pids, tids;
	const char *comm, *user, *cgroup, *cpus;	/* as given, or NULL */
	bool children, self, timestamp, lines, cost, no_header, quiet, verbose, help;
	int64_t duration_ns, interval_ns;		/* 0: not given */
	int64_t intervals;				/* 0: no end */
	const char *output, *format;
	const char *trace, *begin, *end;		/* as given, or NULL */
	uint64_t table_rows, max_open;
	double budget_percent;				/* 0: none */
	enum color color;
	VEC(const char *) without;			/* features to do without */
	const char *dump;				/* explain -d */
	const char *file;				/* run -f */
	const char *unit, *title;			/* flame */
	bool diff, halves;
	uint64_t top;					/* diff; 0: all */
	VEC(struct param_value) params;
	VEC(const char *) words;			/* plain arguments */
	char **command;					/* behind --, or NULL */
};

struct option_row {
	char letter;
	const char *name, *argument;
	const char *help;				/* @formats, @lines, @pictures: the names of such views */
	/* NULL, or what is wrong with the value. */
	const char *(*set)(struct options *o, const char *value);
};

/* What a command takes besides the common options. */
struct option_set {
	const struct option_row *own;			/* ends with a NULL name; or NULL */
	bool only_own;					/* not the common ones */
	bool one_word;					/* a second plain argument is -i, a third -n */
	/* The tool or query, whose parameters are options. word() is called with the
	 * first plain argument (and after -f with NULL) and may set it. */
	const struct ast *ast;
	const char *tool;				/* its name, or NULL */
	int (*word)(void *self, const char *word, struct err *e);
	void *self;
};

void options_init(struct options *o, struct arena *a);
/* argv ends with NULL; argv[0] is the first argument. 0, or -EINVAL and e filled. */
int options_parse(struct options *o, struct option_set *set, char **argv, struct err *e);

extern const struct option_row option_common[];		/* ends with a NULL name */
extern const struct option_row option_file[], option_dump[], option_flame[], option_diff[], option_list[],
			       option_doctor[];

/* The common row that takes this parameter's letter or name for itself, or NULL. */
const struct option_row *option_clash(const struct ast_param *p);

/* For help: a line for each row, for each parameter. */
void options_print(const struct option_row *rows, struct buf *out);
void options_print_params(const struct ast *ast, struct buf *out);

#endif
