/*
 * calls.c: system calls by name. To add one, write a row in syscall.def or
 * syscall_i386.def.
 */
#include "event/calls.h"

#include <stddef.h>
#include <string.h>

static const struct call_row rows[] = {
#ifdef __x86_64__
#define SYSCALL(nr_, name_, params_, ...) { .nr = nr_, .name = name_, .params = params_, __VA_ARGS__ },
#define SYSCALL_ALIAS(name_, other_)
#include "event/syscall.def"
#undef SYSCALL
#undef SYSCALL_ALIAS
#define I386(nr_, name_, ...) { .nr = CALL_I386 + nr_, .name = "i386_" name_, .params = "", __VA_ARGS__ },
#include "event/syscall_i386.def"
#undef I386
#endif
	{ .nr = -1 },
};

static const struct {
	const char *name, *other;
} aliases[] = {
#define SYSCALL(...)
#define SYSCALL_ALIAS(name_, other_) { .name = name_, .other = other_ },
#include "event/syscall.def"
#undef SYSCALL
#undef SYSCALL_ALIAS
};

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

const struct call_row *call_row_at(int i)
{
	return i >= 0 && i < COUNT(rows) - 1 ? &rows[i] : NULL;
}

const struct call_row *call_row_by_number(int nr)
{
	for (int i = 0; i < COUNT(rows) - 1; i++)
		if (rows[i].nr == nr)
			return &rows[i];
	return NULL;
}

static const struct call_row *by_name(struct str name)
{
	if (name.n <= 0 || name.n >= (int)sizeof(rows->name))
		return NULL;
	for (int i = 0; i < COUNT(rows) - 1; i++)
		if (rows[i].name[0] == name.p[0] && !rows[i].name[name.n] &&
		    !memcmp(rows[i].name, name.p, (size_t)name.n))
			return &rows[i];
	return NULL;
}

const struct call_row *call_row_find(struct str name)
{
	const struct call_row *row = by_name(name);

	for (int i = 0; !row && i < COUNT(aliases); i++)
		if (str_is(name, aliases[i].other))
			row = by_name(str_of(aliases[i].name));
	return row;
}

uint8_t call_facts(struct str name)
{
	const struct call_row *row = call_row_find(name);

	return row ? row->facts : 0;
}

int call_number(struct str name, int *free_nr)
{
	const struct call_row *row = call_row_find(name);

	if (row)
		return row->nr;
	while (*free_nr >= 0 && call_row_by_number(*free_nr))
		--*free_nr;
	return (*free_nr)--;
}
