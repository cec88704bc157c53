/*
 * facts.c: the rows of event.def and field.def. To teach culprit about a
 * tracepoint, write rows there; nothing here changes.
 */
#include "event/facts.h"

#include <stddef.h>

static const struct event_fact events[] = {
#define EVENT(system_, name_, ...) { .system = system_, .name = name_, __VA_ARGS__ },
#include "event/event.def"
#undef EVENT
};

static const struct field_fact fields[] = {
#define FIELD(system_, name_, field_, expr_) \
	{ .system = system_, .name = name_, .field = field_, .expr = expr_ },
#define STORED(system_, name_, field_, expr_) \
	{ .system = system_, .name = name_, .field = field_, .expr = expr_, .raw = true },
#include "event/field.def"
#undef FIELD
#undef STORED
};

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

static bool matches(const char *system, const char *glob, struct str in, struct str name)
{
	return (!in.n || str_is(in, system)) && str_glob(str_of(glob), name);
}

const struct event_fact *event_fact(struct str system, struct str name)
{
	for (int i = 0; i < COUNT(events); i++)
		if (matches(events[i].system, events[i].name, system, name))
			return &events[i];
	return NULL;
}

const struct event_fact *event_fact_at(int i)
{
	return i >= 0 && i < COUNT(events) ? &events[i] : NULL;
}

const struct field_fact *field_fact_at(int i)
{
	return i >= 0 && i < COUNT(fields) ? &fields[i] : NULL;
}

const struct field_fact *field_fact_next(const struct field_fact *last, bool raw,
					 struct str system, struct str name, const char *field)
{
	for (int i = last ? (int)(last - fields) + 1 : 0; i < COUNT(fields); i++)
		if (fields[i].raw == raw && !strcmp(fields[i].field, field) &&
		    matches(fields[i].system, fields[i].name, system, name))
			return &fields[i];
	return NULL;
}
