/* A tree of calls as text. See tree.h. */
#include "view/tree.h"

#include "view/format.h"

#define INDENT 2

/* ftrace's marks: which durations stand out. */
static const struct {
	int64_t above_ns;
	char mark;
} marks[] = {
	{ 1000000000, '$' }, { 100000000, '@' }, { 10000000, '*' },
	{ 1000000, '#' }, { 100000, '!' }, { 10000, '+' }, { -1, ' ' },
};

static char mark_of(int64_t ns)
{
	int i = 0;

	while (ns <= marks[i].above_ns)
		i++;
	return marks[i].mark;
}

void tree_header(struct buf *b)
{
	buf_puts(b, " CPU   DURATION                  FUNCTION CALLS\n");
}

void tree_thread(struct buf *b, const struct cell *row)
{
	buf_puts(b, " ------ ");
	if (row[TREE_COMM].kind == CELL_BYTES)
		escape_text(b, row[TREE_COMM].bytes.p, row[TREE_COMM].bytes.n);
	buf_printf(b, "-%lld ------\n", (long long)row[TREE_TID].i);
}

/* What stands before the calls; without a duration where one only begins. */
static void margin(struct buf *b, const struct cell *cpu, const struct cell *duration, int64_t depth)
{
	if (cpu->kind == CELL_INT)
		buf_printf(b, " %3lld) ", (long long)cpu->i);
	else
		buf_puts(b, "   -) ");
	if (duration)
		buf_printf(b, "%c %10.3f us |  ", mark_of(duration->i), (double)duration->i / 1000);
	else
		buf_puts(b, "                |  ");
	buf_pad(b, ' ', (int)(depth < 64 ? depth : 64) * INDENT);
}

static void name(struct buf *b, const struct table *t, const struct cell *row,
		 const struct names *names)
{
	struct buf text = { 0 };

	format_cell(&text, FORM_ADAPTED, &t->columns[TREE_NAME].type, &row[TREE_NAME], names);
	buf_puts(b, text.p ? text.p : "");
	buf_fini(&text);
}

static int64_t depth_at(const struct table *t, int i)
{
	return i < t->rows.n ? t->rows.v[i][TREE_DEPTH].i : 0;
}

/* The rows around row i and itself end, from the inside, down to the next row's depth. */
static void ends(struct buf *b, const struct table *t, int i)
{
	int64_t least = depth_at(t, i + 1), depth = depth_at(t, i);

	for (; i >= 0 && depth > least; i--) {
		const struct cell *row = t->rows.v[i];

		if (row[TREE_DEPTH].i >= depth)
			continue;
		depth = row[TREE_DEPTH].i;
		margin(b, &row[TREE_END_CPU], &row[TREE_DURATION], depth);
		buf_puts(b, "}\n");
	}
}

void tree_lines(struct buf *b, const struct table *t, int i, const struct names *names)
{
	const struct cell *row = t->rows.v[i];
	bool inside = depth_at(t, i + 1) > row[TREE_DEPTH].i;

	if (!i && row[TREE_ROWS].kind == CELL_NONE)
		buf_puts(b, "                       |  /* what is around these has not ended */\n");
	else if (!i && row[TREE_ROWS].i > 0)
		buf_printf(b, "                       |  /* %lld of this tree were lost */\n",
			   (long long)row[TREE_ROWS].i);
	margin(b, &row[inside ? TREE_CPU : TREE_END_CPU], inside ? NULL : &row[TREE_DURATION],
	       row[TREE_DEPTH].i);
	name(b, t, row, names);
	buf_puts(b, inside ? "() {\n" : "();\n");
	if (!inside)
		ends(b, t, i);
}
