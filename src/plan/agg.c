/* Which aggregation a name is of. See agg.h. */
#include "plan/agg.h"

#include <stdlib.h>

/* "p99.9": digits, at most one point, 0 < number <= 100. */
static bool parse_percent(struct str name, double *percent)
{
	char text[16];
	int points = 0;

	if (name.n < 2 || name.n > (int)sizeof(text) || name.p[0] != 'p')
		return false;
	for (int i = 1; i < name.n; i++) {
		char c = name.p[i];

		if (c == '.' && i > 1 && i < name.n - 1 && !points++)
			continue;
		if (c < '0' || c > '9')
			return false;
		text[i - 1] = c;
	}
	memcpy(text, name.p + 1, (size_t)name.n - 1);
	text[name.n - 1] = 0;
	*percent = strtod(text, NULL);
	return *percent > 0 && *percent <= 100;
}

const struct agg_ops *agg_find(const struct registry *r, struct str name, double *percent)
{
	double number;
	bool is_percent = parse_percent(name, &number);

	for (const struct agg_ops *const *a = r->aggs; *a; a++) {
		if ((*a)->any_percent ? !is_percent : !str_is(name, (*a)->name))
			continue;
		if ((*a)->any_percent && percent)
			*percent = number;
		return *a;
	}
	return NULL;
}
