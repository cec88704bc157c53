/* Words of other tools: see habit.h. A new one is a row of habit.def or other_option.def. */
#include "lang/habit.h"

#define WRITTEN_BYTES_MOST 60	/* in a help */

static const struct habit {
	enum habit_place place;
	const char *written, *help;
} habits[] = {
#define HABIT(place, written, help) { HABIT_##place, written, help },
#include "lang/habit.def"
#undef HABIT
};

static const struct other {
	const char *tools, *options, *help;
} others[] = {
#define OTHER_OPTION(tools, options, help) { tools, options, help },
#include "lang/other_option.def"
#undef OTHER_OPTION
};

/* Is it one of the patterns? */
static bool is_among(const char *patterns, struct str word)
{
	for (const char *p = patterns; *p;) {
		int n = (int)strcspn(p, " ");

		if (str_glob((struct str){ p, n }, word))
			return true;
		p += n + (p[n] == ' ');
	}
	return false;
}

const char *habit_of_tool(const char *tool, struct str option)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]) && tool; i++)
		if (is_among(others[i].tools, str_of(tool)) && is_among(others[i].options, option))
			return others[i].help;
	return NULL;
}

/* The help with the rest of what was written, a function's without its () and what is behind them,
 * for each %. */
static const char *filled(struct arena *a, const char *help, struct str rest)
{
	const char *call = memmem(rest.p, (size_t)rest.n, "()", 2);
	int name_n = call ? (int)(call - rest.p) : rest.n;
	struct buf b = { 0 };
	const char *text;

	for (; *help; help++)
		if (*help == '%')
			buf_add(&b, rest.p, (size_t)name_n);
		else
			buf_putc(&b, *help);
	text = arena_strndup(a, b.p, b.n);
	buf_fini(&b);
	return text;
}

const char *habit_find(struct arena *a, enum habit_place place, struct str written)
{
	for (size_t i = 0; i < sizeof(habits) / sizeof(habits[0]); i++) {
		const struct habit *h = &habits[i];
		int fixed = (int)strlen(h->written) - 1;

		if (h->place != place || !str_glob(str_of(h->written), written))
			continue;
		return h->written[fixed] == '*' ?
			filled(a, h->help, str_sub(written, fixed, WRITTEN_BYTES_MOST)) : h->help;
	}
	return NULL;
}

bool habit_help(struct diag *d, enum habit_place place, struct str written)
{
	const char *help = habit_find(d->arena, place, written);

	if (help)
		diag_help(d, "%s", help);
	return help;
}

bool habit_is_block(struct str rest)
{
	return rest.n && strchr("{/", rest.p[0]) && memchr(rest.p, '{', (size_t)rest.n);
}
