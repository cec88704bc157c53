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
