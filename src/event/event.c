/*
 * The kinds of event sources. To add one: event/x.c with a struct source_ops,
 * and a row here; rows are asked in order which of them a text belongs to.
 */
#include "event/event.h"

extern const struct source_ops source_timer, source_syscall, source_usdt, source_ufunc,
	source_function, source_sample, source_tracepoint;

const struct source_ops *const source_registry[] = {
	&source_timer, &source_syscall, &source_usdt, &source_ufunc, &source_function,
	&source_sample, &source_tracepoint, NULL
};
