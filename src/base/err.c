/* Cause chains: see err.h. */
#include "base/err.h"

int err_push(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vec_push(e->arena, &e->causes, arena_vprintf(e->arena, fmt, ap));
	va_end(ap);
	return code;
}

void err_help(struct err *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	e->help = arena_vprintf(e->arena, fmt, ap);
	va_end(ap);
}

void err_join(struct err *e, const struct err *other)
{
	for (int i = 0; i < other->causes.n; i++)
		err_push(e, 0, "%s", other->causes.v[i]);
	if (other->help)
		err_help(e, "%s", other->help);
	e->unable |= other->unable;
}
