/* What was lost, for people. See losses.h. */
#include "view/losses.h"

static bool is_told(const struct loss *l, uint64_t count, uint64_t rows, enum tell tell)
{
	if (!count || (tell == TELL_LESS && loss_is_quiet(l->id)))
		return false;
	return l->always || tell == TELL_ALL || count > rows / 1000;
}

void losses_print(FILE *out, const char *begin, const struct loss *l, int n, uint64_t rows, enum tell tell)
{
	bool any = false;

	for (int i = 0; i < n; i++) {
		uint64_t count = tell == TELL_ALL ? l[i].count : l[i].count - l[i].usual;

		if (!is_told(&l[i], count, rows, tell))
			continue;
		fprintf(out, "%sculprit: %llu %s (%s)\n", begin, (unsigned long long)count, l[i].what,
			loss_name(l[i].id));
		any = true;
	}
	if (any)
		fprintf(out, "%shelp: `culprit help losses` says what each means for the answer\n", begin);
}

bool losses_sum(const struct loss *l, int n, int i, uint64_t *count)
{
	*count = 0;
	for (int k = 0; k < n; k++) {
		if (l[k].id != l[i].id)
			continue;
		if (k < i)
			return false;
		*count += l[k].count;
	}
	return true;
}
