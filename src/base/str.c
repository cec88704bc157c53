/*
 * Text slices: globs and near misses. See str.h.
 */
#include "base/str.h"

#include <ctype.h>
#include <strings.h>

#define LONGEST_NAME 128

struct str str_sub(struct str s, int from, int n)
{
	if (from > s.n)
		from = s.n;
	if (n < 0 || n > s.n - from)
		n = s.n - from;
	return (struct str){ s.p + from, n };
}

struct str str_trimmed(struct str s)
{
	while (s.n && isspace((unsigned char)*s.p))
		s = str_sub(s, 1, -1);
	while (s.n && isspace((unsigned char)s.p[s.n - 1]))
		s.n--;
	return s;
}

bool str_is_glob(struct str pattern)
{
	for (int i = 0; i < pattern.n; i++) {
		if (pattern.p[i] == '\\')
			i++;
		else if (strchr("*?[", pattern.p[i]) && pattern.p[i])
			return true;
	}
	return false;
}

/* Matches the set at p[*i] == '[' against c; moves *i past its ']'. A set that
 * is not closed is a plain '['. */
static bool set_matches(struct str p, int *i, unsigned char c)
{
	int k = *i + 1, first;
	bool invert = false, hit = false;

	if (k < p.n && (p.p[k] == '!' || p.p[k] == '^')) {
		invert = true;
		k++;
	}
	for (first = k; k < p.n && (p.p[k] != ']' || k == first); k++) {
		unsigned char lo = (unsigned char)p.p[k], hi = lo;

		if (k + 2 < p.n && p.p[k + 1] == '-' && p.p[k + 2] != ']') {
			hi = (unsigned char)p.p[k + 2];
			k += 2;
		}
		hit |= lo <= c && c <= hi;
	}
	if (k >= p.n) {
		(*i)++;
		return c == '[';
	}
	*i = k + 1;
	return hit != invert;
}

bool str_glob(struct str p, struct str t)
{
	int i = 0, j = 0, star = -1, retry = 0;

	while (j < t.n) {
		if (i < p.n && p.p[i] == '*') {
			star = i++;
			retry = j;
			continue;
		}
		if (i < p.n) {
			int next = i;
			bool ok;

			if (p.p[i] == '[') {
				ok = set_matches(p, &next, (unsigned char)t.p[j]);
			} else {
				if (p.p[i] == '\\' && i + 1 < p.n)
					next++;
				ok = (p.p[i] == '?') || p.p[next] == t.p[j];
				next++;
			}
			if (ok) {
				i = next;
				j++;
				continue;
			}
		}
		if (star < 0)
			return false;
		i = star + 1;
		j = ++retry;
	}
	while (i < p.n && p.p[i] == '*')
		i++;
	return i == p.n;
}

int str_glob_least(struct str p)
{
	int n = 0;

	for (int i = 0; i < p.n; n++) {
		if (p.p[i] == '*') {
			i++;
			n--;
		} else if (p.p[i] == '[') {
			set_matches(p, &i, 0);
		} else {
			i += p.p[i] == '\\' && i + 1 < p.n ? 2 : 1;
		}
	}
	return n;
}

static int least_of(int a, int b)
{
	return a < b ? a : b;
}

int str_distance(struct str a, struct str b, int limit)
{
	int rows[3][LONGEST_NAME + 1];

	if (a.n > LONGEST_NAME || b.n > LONGEST_NAME || a.n - b.n > limit || b.n - a.n > limit)
		return limit + 1;
	for (int j = 0; j <= b.n; j++)
		rows[0][j] = j;
	for (int i = 1; i <= a.n; i++) {
		const int *above = rows[(i - 1) % 3], *before = rows[(i + 1) % 3];
		int *row = rows[i % 3], least;

		least = row[0] = i;
		for (int j = 1; j <= b.n; j++) {
			int change = above[j - 1] + (a.p[i - 1] != b.p[j - 1]);

			row[j] = least_of(change, least_of(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1])
				row[j] = least_of(row[j], before[j - 2] + 1);
			least = least_of(least, row[j]);
		}
		if (least > limit)
			return limit + 1;
	}
	return rows[a.n % 3][b.n];
}
