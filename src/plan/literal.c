/*
 * Names of errors, signals and states. See literal.h.
 *
 * The C library names those it knows; the rows here are the rest: second names
 * and the numbers that a system call returns only inside the kernel.
 */
#define _GNU_SOURCE
#include "plan/literal.h"

#include <errno.h>
#include <signal.h>

struct row {
	const char *name;
	int value;
};

static const struct row more_errors[] = {
	{ "EWOULDBLOCK", EWOULDBLOCK },
	{ "EDEADLOCK", EDEADLOCK },
	{ "ENOTSUP", EOPNOTSUPP },
	{ "ERESTARTSYS", 512 },		/* linux/errno.h, seen by tracers only */
	{ "ERESTARTNOINTR", 513 },
	{ "ERESTARTNOHAND", 514 },
	{ "ENOIOCTLCMD", 515 },
	{ "ERESTART_RESTARTBLOCK", 516 },
	{ "EPROBE_DEFER", 517 },
	{ "EIOCBQUEUED", 529 },
};

static const struct row more_signals[] = {
	{ "SIGPOLL", SIGPOLL },
	{ "SIGIOT", SIGIOT },
	{ "SIGCLD", SIGCHLD },
	{ "SIGRTMIN", 32 },		/* the kernel's; the C library's is higher */
	{ "SIGRTMAX", 64 },
};

#define ERRNO_MOST 256

static bool find(const struct row *rows, size_t n, struct str name, int64_t *value)
{
	for (size_t i = 0; i < n; i++)
		if (str_is(name, rows[i].name)) {
			*value = rows[i].value;
			return true;
		}
	return false;
}

bool literal_errno(struct str name, int64_t *value)
{
	if (name.n < 3 || name.p[0] != 'E')
		return false;
	for (int i = 1; i < ERRNO_MOST; i++) {
		const char *known = strerrorname_np(i);

		if (known && str_is(name, known)) {
			*value = i;
			return true;
		}
	}
	return find(more_errors, sizeof(more_errors) / sizeof(*more_errors), name, value);
}

bool literal_signal(struct str name, int64_t *value)
{
	if (!str_has_prefix(name, "SIG"))
		return false;
	for (int i = 1; i < NSIG; i++) {
		const char *known = sigabbrev_np(i);

		if (known && str_is(str_sub(name, 3, -1), known)) {
			*value = i;
			return true;
		}
	}
	return find(more_signals, sizeof(more_signals) / sizeof(*more_signals), name, value);
}

bool literal_in_enum(const struct enum_desc *en, struct str name, int64_t *value)
{
	for (int i = 0; en && i < en->n; i++)
		if (en->values[i].name && str_is(name, en->values[i].name)) {
			*value = en->values[i].value;
			return true;
		}
	return false;
}

bool literal_find(struct str name, int64_t *value, struct type *type)
{
	*type = type_bool;
	*value = str_is(name, "true");
	if (*value || str_is(name, "false"))
		return true;
	*type = (struct type){ .kind = TY_ERRNO, .is_signed = true, .size = 8 };
	if (literal_errno(name, value))
		return true;
	type->kind = TY_SIGNAL;
	if (literal_signal(name, value))
		return true;
	*type = type_task_state;
	return literal_in_enum(&task_state_enum, name, value);
}
