/*
 * base: a random query whose answer is known by its lines, and what it becomes when it is written in
 * another way that must not change them.
 */
#ifndef ORACLE_BASE_H
#define ORACLE_BASE_H

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "oracle/chooser.h"

#define ROWS_OF(table) (int)(sizeof(table) / sizeof(*(table)))
#define MEMBERS_MOST 3
#define NAMES_MOST 8

/* Sources that are told apart by `event`, and what is known of their rows. */
static const struct source_row {
	const char *text, *event;
	bool is_period, has_owner;
	const char *numbers[NAMES_MOST];
	const char *others[NAMES_MOST];	/* that are keys, too */
} source_rows[] = {
	{ "syscall:prctl", "prctl", true, true, { "ret", "duration" }, { "comm" } },
	{ "syscall:read", "read", true, true, { "ret", "fd", "duration", "cpu", "count" }, { "tid", "comm" } },
	{ "syscall:write", "write", true, true, { "ret", "fd", "duration", "count" }, { "tid", "pid", "comm" } },
	{ "syscall:close", "close", true, true, { "ret", "fd", "duration", "cpu" }, { "tid", "comm" } },
	{ "syscall:poll", "poll", true, true, { "ret", "duration" }, { "tid", "comm" } },
	{ "syscall:recvmsg", "recvmsg", true, true, { "ret", "fd", "duration" }, { "tid", "comm" } },
	{ "syscall:sendmsg", "sendmsg", true, true, { "ret", "fd", "duration" }, { "pid", "comm" } },
	{ "syscall:futex", "futex", true, true, { "ret", "op", "duration" }, { "tid", "comm" } },
	{ "syscall:setuid", "setuid", true, true, { "ret", "duration" }, { "tid", "comm" } },
	{ "syscall:read.enter", "read", false, true, { "fd", "count", "cpu" }, { "tid", "comm" } },
	{ "syscall:write.return", "write", false, true, { "ret", "fd", "cpu" }, { "tid" } },
	{ "sched:sched_switch", "sched_switch", false, true, { "cpu", "prev_prio" }, { "prev_pid", "next_pid" } },
	{ "irq:softirq_entry", "softirq_entry", false, false, { "vec", "cpu" }, { "event" } },
	{ "(from irq:softirq_entry to irq:softirq_exit on cpu)", "softirq_entry", true, false,
	  { "begin.vec", "duration", "cpu" }, { "event" } },
	{ "(from sched:sched_switch where prev_pid != 0 on prev_pid to sched:sched_switch on next_pid)",
	  "sched_switch", true, true, { "duration", "cpu", "end.cpu" }, { "begin.prev_pid" } },
	{ "(from sched:sched_wakeup on pid to sched:sched_switch on next_pid)", "sched_wakeup", true, true,
	  { "duration", "cpu", "end.next_prio" }, { "begin.pid" } },
	{ "(from syscall:read.enter to syscall:write.enter)", "write", true, true,
	  { "begin.fd", "end.fd", "duration" }, { "begin.tid" } },
};

enum { RENAMING = 0 };			/* of source_rows */

#define OFF_CPU "(from sched:sched_switch where prev_pid != 0 on prev_pid to sched:sched_switch on next_pid)"
static const struct {
	const char *text;
	bool of_periods, of_threads;
} within[] = {
	{ " | in (from irq:softirq_entry to irq:softirq_exit on cpu) on cpu", false, false },
	{ " | in " OFF_CPU " on cpu", false, false }, { " | in " OFF_CPU " on begin.cpu", true, false },
	{ " | in syscall:read", false, true }, { " | in syscall:poll", false, true },
	{ " | in " OFF_CPU " on tid", false, true },
};

/* With a name in the place of %s. The first ones are those of the halves: they add up. */
#define ADDING 3
static const char *const aggregations[] = {
	"sum(%s)", "count where %s > 1", "sum(%s) where cpu >= 1",
	"max(%s)", "min(%s)", "avg(%s)", "p99(%s)", "distinct(%s)", "last(%s)", "stddev(%s)",
};

/* What the command line selects. Without a begin there is no owner, so that three select all only where
 * nothing is missing, ALL_PIDS only of made events. */
struct option_row {
	const char *text;
	const char *comm;
	int cpus[4], n_cpus;
	int64_t pids[2];
	int n_pids;
	int64_t interval_ns;
};
static const struct option_row no_option = { .text = "" };
static const struct option_row option_rows[] = {
	{ .text = " --comm bash", .comm = "bash" }, { .text = " --comm '*a*'", .comm = "*a*" },
	{ .text = " --cpu 1", .cpus = { 1 }, .n_cpus = 1 },
	{ .text = " --comm '*'", .comm = "*" },
	{ .text = " --cpu 0-3", .cpus = { 0, 1, 2, 3 }, .n_cpus = 4 },
	{ .text = " -p 10,11", .pids = { 10, 11 }, .n_pids = 2 },
	{ .text = " -i 700ms", .interval_ns = 700000000 },
};
enum { ALL_COMMS = 3, ALL_CPUS, ALL_PIDS, EACH_INTERVAL };

struct base {
	struct arena *arena;
	struct chooser *choices;
	bool repeats;			/* only what is the same in each run of one load */
	const struct source_row *members[MEMBERS_MOST + 1];	/* one more: that may be added */
	int n_members;
	bool are_periods, have_owners;	/* all of them */
	const char *names[2 * NAMES_MOST];	/* of the first member that are known of all kinds of members */
	int n_numbers, n_names;		/* the numbers are the first */
	const char *sources, *stages, *sink, *by;
	const char *keys[3];		/* the first is event */
	const struct option_row *option;
	int n_keys, n_columns;		/* n_columns: keys and aggregations, or of print */
	bool is_table, adds_up;
};

static const char *choose_name(struct base *b)
{
	return b->names[below(b->choices, b->n_names)];
}

static const char *choose_number(struct base *b)
{
	return b->names[below(b->choices, b->n_numbers)];
}

static const char *choose_condition(struct base *b)
{
	static const char *const texts[] = { "comm ~ \"*a*\"", "comm == \"bash\"", "!(comm ~ \"o*\")" };
	static const char *const compare[] = { "==", "!=", "!=", "<", ">", "<=", ">=" };
	static const char *const numbers[] = { "-1", "0", "1", "3", "11", "100", "832" };
	static const char *const times[] = { "1us", "10us", "3ms", "50ms" };
	const char *name = choose_name(b), *number, *one;

	if (!strcmp(name, "comm"))
		return texts[below(b->choices, ROWS_OF(texts))];
	number = strcmp(name, "duration") ? numbers[below(b->choices, ROWS_OF(numbers))]
					  : times[below(b->choices, ROWS_OF(times))];
	one = arena_printf(b->arena, "%s %s %s", name, compare[below(b->choices, ROWS_OF(compare))], number);
	if (below(b->choices, 3))
		return one;
	return arena_printf(b->arena, "(%s %s %s)", one, below(b->choices, 2) ? "||" : "&&",
			    choose_condition(b));
}

/* Is what is asked of the members known of the row, too? */
static bool may_be_beside(const struct base *b, const struct source_row *row)
{
	for (int i = 0; i < b->n_members; i++)
		if (!strcmp(b->members[i]->event, row->event))
			return false;
	if (b->repeats && !strstr(row->text, "syscall:"))
		return false;
	return row->is_period >= b->are_periods && row->has_owner >= b->have_owners;
}

static void add_names(struct base *b, const char *const *names)
{
	for (int i = 0; i < NAMES_MOST && names[i]; i++) {
		bool of_period = !strcmp(names[i], "duration") || strchr(names[i], '.');
		bool of_owner = !strcmp(names[i], "tid") || !strcmp(names[i], "pid") || !strcmp(names[i], "comm");

		if (b->repeats && (!strcmp(names[i], "duration") || strstr(names[i], "tid") || !strcmp(names[i], "pid")))
			continue;
		if ((!of_period || b->are_periods) && (!of_owner || b->have_owners))
			b->names[b->n_names++] = names[i];
	}
}

/* Where little differs, what changes the thread's name comes first more often. */
static const struct source_row *choose_source(struct base *b)
{
	const struct source_row *row;

	if (b->repeats && !b->n_members && below(b->choices, 2))
		return &source_rows[RENAMING];
	do
		row = &source_rows[below(b->choices, ROWS_OF(source_rows))];
	while (!may_be_beside(b, row));
	return row;
}

static void choose_members(struct base *b)
{
	b->sources = "";
	for (int n = 1 + below(b->choices, MEMBERS_MOST); b->n_members < n; b->n_members++) {
		const struct source_row *row = choose_source(b);

		b->members[b->n_members] = row;
		b->sources = arena_printf(b->arena, "%s%s%s", b->sources, b->n_members ? ", " : "", row->text);
	}
	b->are_periods = b->have_owners = true;
	for (int i = 0; i < b->n_members; i++) {
		b->are_periods &= b->members[i]->is_period;
		b->have_owners &= b->members[i]->has_owner;
	}
	b->members[b->n_members] = choose_source(b);
	add_names(b, b->members[0]->numbers);
	if (!b->n_names)
		b->names[b->n_names++] = "cpu";
	b->n_numbers = b->n_names;
	add_names(b, b->members[0]->others);
}

static const char *choose_within(struct base *b)
{
	int i = below(b->choices, 5 * ROWS_OF(within));

	if (b->repeats || i >= ROWS_OF(within) || within[i].of_periods > b->are_periods || within[i].of_threads > b->have_owners)
		return "";
	return within[i].text;
}

static void choose_stages(struct base *b)
{
	b->stages = choose_within(b);
	if (!below(b->choices, 3))
		b->stages = arena_printf(b->arena, "%s | let x = %s", b->stages, choose_number(b));
	for (int n = below(b->choices, 3) * below(b->choices, 2); n > 0; n--)
		b->stages = arena_printf(b->arena, "%s | where %s", b->stages, choose_condition(b));
}

static const char *choose_aggregation(struct base *b, int n)
{
	return arena_printf(b->arena, aggregations[below(b->choices, n)], choose_number(b));
}

static void choose_keys(struct base *b)
{
	b->keys[b->n_keys++] = "event";
	for (int n = below(b->choices, 3); n > 0; n--) {
		const char *key = choose_name(b);

		if (strcmp(key, "duration") && strcmp(key, "count") && strcmp(key, b->keys[0]) &&
		    strcmp(key, b->keys[b->n_keys - 1]))
			b->keys[b->n_keys++] = key;
	}
}

static const char *joined(struct base *b, const char *head)
{
	for (int i = 0; i < b->n_keys; i++)
		head = arena_printf(b->arena, "%s%s%s", head, i ? ", " : "", b->keys[i]);
	return head;
}

static void choose_sink(struct base *b)
{
	b->is_table = below(b->choices, 3) > 0;
	b->n_columns = b->n_keys;
	b->by = "";
	if (!b->is_table) {
		b->sink = joined(b, "print ");
		return;
	}
	b->adds_up = below(b->choices, 3) > 0;
	b->sink = "count";
	b->n_columns++;
	if (below(b->choices, 2)) {
		b->sink = arena_printf(b->arena, "count, own = %s",
				       choose_aggregation(b, b->adds_up ? ADDING : ROWS_OF(aggregations)));
		b->n_columns++;
	}
	b->by = joined(b, " by ");
}

static void base_choose(struct base *b, struct arena *a, struct chooser *choices, bool repeats)
{
	*b = (struct base){ .arena = a, .choices = choices, .repeats = repeats };
	choose_members(b);
	choose_stages(b);
	choose_keys(b);
	choose_sink(b);
	b->option = &option_rows[below(choices, repeats ? ALL_COMMS - 1 : ALL_PIDS)];
	if (!below(choices, repeats ? 4 : 2) || (b->option->comm && !b->have_owners))
		b->option = &no_option;
}

/* ---- written in another way ---- */

/* How the lines of the other way are those of the base. */
enum relation {
	SAME,
	BUT_MEMBER,			/* but for lines of the member that was added */
	SECOND,				/* they are those of the second query */
	HALVES,				/* both queries' together */
	KEY_ROW,			/* of the lines that have the chosen key */
	COUNTED,			/* as many lines as the base counts */
	INTERVALS,			/* those of all intervals together */
};

/*
 * Text, in which S is the base's sources, C its stages, K its aggregations or columns, B its keys, Q all
 * of it; A another aggregation or column, O another query, T what is always true, N a number, P a
 * condition, M a member to add, E a condition that chooses one value of a key, F a print of its keys, D what
 * needs each begin; R another condition, H a number, both the same in base and text; V its keys backwards,
 * L its columns.
 */
static const struct change_row {
	const char *text;
	enum relation relation;
	int option;			/* of option_rows; 0: the base's */
	const char *base;		/* what it must be like; NULL: Q */
	bool of_table;			/* only with aggregations */
} change_rows[] = {
	{ .text = "SC | K, more = AB" },
	{ .text = "SC | K, more = A, most = AB" },
	{ .text = "Q; O" },
	{ .text = "O; Q", .relation = SECOND },
	{ .text = "Q; Q" },
	{ .text = "Q; S | print event, N" },
	{ .text = "Q; S | D" },
	{ .text = "S | DB; Q", .relation = SECOND },
	{ .text = "SC | let unread = N | KB" },
	{ .text = "S | let unread = N * 2C | KB" },
	{ .text = "S | where TC | KB" },
	{ .text = "SC | where T | KB" },
	{ .text = "S, MC | KB", .relation = BUT_MEMBER },
	{ .text = "M, SC | KB", .relation = BUT_MEMBER },
	{ .text = "(SC) | KB" },
	{ .text = "def d = S\ndC | KB; d | count" },
	{ .text = "SC | where P | KB; SC | where !(P) | KB", .relation = HALVES },
	{ .text = "SC | where E | KB", .relation = KEY_ROW },
	{ .text = "SC | where E | K, more = AB", .relation = KEY_ROW },
	{ .text = "SC | F", .relation = COUNTED },
	{ .text = "SC | where P | where R | KB", .base = "SC | where P && R | KB" },
	{ .text = "S | where P | where RC | KB", .base = "S | where R && PC | KB" },
	{ .text = "SC | let v = H | where v > 3 | KB", .base = "SC | where H > 3 | KB" },
	{ .text = "S | let v = H | where v > 3C | KB", .base = "S | where H > 3C | KB" },
	{ .text = "def d = S | where P\nd | KB", .base = "S | where P | KB" },
	{ .text = "SC | more = A, KB | print L", .of_table = true },
	{ .text = "SC | KV | print L", .of_table = true },
	{ .text = "SC | KB | sort count", .of_table = true },
	{ .text = "SC | KB | top 100000", .of_table = true },
	{ .text = "SC | KB | every 700ms", .relation = INTERVALS, .of_table = true },
	{ .text = "O; SC | KB | sort -count", .relation = SECOND, .of_table = true },
	{ .text = "Q", .option = ALL_COMMS },
	{ .text = "Q", .option = ALL_CPUS },
	{ .text = "Q", .option = ALL_PIDS },
	{ .text = "Q", .relation = INTERVALS, .option = EACH_INTERVAL, .of_table = true },
};

/* One base in another way: what is chosen for it once. */
struct change {
	const struct change_row *row;
	const char *condition, *other, *number;	/* P, R, H */
	int key;			/* of E: its column */
	const char *value;
};

static const char *choose_true(struct base *b)
{
	static const char *const always[] = { "1 == 1", "!(%s != %s)", "%s == %s || !(%s == %s)", "cpu >= 0 || !(cpu >= 0)" };
	const char *name = choose_name(b);

	return arena_printf(b->arena, always[below(b->choices, ROWS_OF(always))], name, name, name, name);
}

static void put_letter(struct buf *to, struct base *b, const struct change *c, char letter);

static void put_text(struct buf *to, struct base *b, const struct change *c, const char *text)
{
	for (; *text; text++)
		put_letter(to, b, c, *text);
}

static void put_other(struct buf *to, struct base *b)
{
	struct base other;

	base_choose(&other, b->arena, b->choices, b->repeats);
	put_text(to, &other, NULL, "Q");
}

static void put_backwards(struct buf *to, struct base *b)
{
	for (int i = b->n_keys - 1; i >= 0; i--)
		buf_printf(to, "%s%s", i == b->n_keys - 1 ? " by " : ", ", b->keys[i]);
}

static void put_letter(struct buf *to, struct base *b, const struct change *c, char letter)
{
	switch (letter) {
	case 'S': buf_puts(to, b->sources); break;
	case 'C': buf_puts(to, b->stages); break;
	case 'K': buf_puts(to, b->sink); break;
	case 'B': buf_puts(to, b->by); break;
	case 'Q': put_text(to, b, c, "SC | KB"); break;
	case 'A': buf_puts(to, b->is_table ? choose_aggregation(b, ROWS_OF(aggregations)) : choose_name(b)); break;
	case 'O': put_other(to, b); break;
	case 'T': buf_puts(to, choose_true(b)); break;
	case 'N': buf_puts(to, choose_number(b)); break;
	case 'P': buf_puts(to, c->condition); break;
	case 'R': buf_puts(to, c->other); break;
	case 'H': buf_puts(to, c->number); break;
	case 'V': put_backwards(to, b); break;
	case 'L': buf_printf(to, "%s, count%s", joined(b, ""), b->n_columns > b->n_keys + 1 ? ", own" : ""); break;
	case 'M': buf_puts(to, b->members[b->n_members]->text); break;
	case 'E': buf_printf(to, strcmp(b->keys[c->key], "comm") ? "%s == %s" : "%s == \"%s\"", b->keys[c->key],
			     c->value); break;
	case 'D': buf_puts(to, b->are_periods ? "max(duration)" : "count"); break;
	case 'F': buf_puts(to, joined(b, "print ")); break;
	default: buf_putc(to, letter);
	}
}

static const char *base_text(struct base *b, const struct change *c, const char *text)
{
	struct buf to = { 0 };
	const char *all;

	put_text(&to, b, c, text);
	all = arena_strndup(b->arena, to.p, to.n);
	buf_fini(&to);
	return all;
}

#endif
