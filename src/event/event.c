/*
 * The kinds of event sources. To add one: event/x.c with a struct source_ops,
 * and a row here; rows are asked in order which of them a text belongs to.
 */
#include "plan/source.h"

extern const struct source_ops source_timer, source_syscall, source_usdt, source_ufunc,
	source_function, source_sample, source_tracepoint;

const struct source_ops *const source_registry[] = {
	&source_timer, &source_syscall, &source_usdt, &source_ufunc, &source_function,
	&source_sample, &source_tracepoint, NULL
};

const struct source_ops *source_find_ops(const struct ast_source *s)
{
	for (int i = 0; source_registry[i]; i++)
		if (source_registry[i]->recognise(s))
			return source_registry[i];
	return NULL;
}
