/*
 * Words with names: errors, signals, flags, and the flags of disk requests.
 * See format.h.
 */
#define _GNU_SOURCE	/* strerrorname_np, sigabbrev_np */
#include <string.h>

#include "view/format.h"

/* The kernel's own, which user space should not see but a tracer does. */
static const struct enum_value kernel_errors[] = {
	{ "ERESTARTSYS", 512 }, { "ERESTARTNOINTR", 513 }, { "ERESTARTNOHAND", 514 },
	{ "ENOIOCTLCMD", 515 }, { "ERESTART_RESTARTBLOCK", 516 }, { "EPROBE_DEFER", 517 },
	{ "EOPENSTALE", 518 }, { "ENOPARAM", 519 }, { "ENOTSUPP", 524 },
	{ "EIOCBQUEUED", 529 },
};

void format_errno(struct buf *b, int64_t value)
{
	const char *name = NULL;

	if (value > 0 && value < 512)
		name = strerrorname_np((int)value);
	for (size_t i = 0; i < sizeof(kernel_errors) / sizeof(*kernel_errors); i++)
		if (kernel_errors[i].value == value)
			name = kernel_errors[i].name;
	if (name)
		buf_puts(b, name);
	else
		buf_printf(b, "%lld", (long long)value);
}

void format_signal(struct buf *b, int64_t value)
{
	const char *name = value > 0 && value < 32 ? sigabbrev_np((int)value) : NULL;

	if (name)
		buf_printf(b, "SIG%s", name);
	else if (value >= 34 && value <= 64)	/* as `kill -l` counts them */
		buf_printf(b, value > 34 ? "SIGRTMIN+%lld" : "SIGRTMIN", (long long)value - 34);
	else
		buf_printf(b, "%lld", (long long)value);
}

/* Names of several bits first: O_SYNC has O_DSYNC's bit. A name of each of several bits is
 * written once. */
static uint64_t flags_pass(struct buf *b, const struct enum_desc *en, uint64_t rest,
			   bool several, const char **between)
{
	const char *last = NULL;

	for (int i = 0; i < en->n; i++) {
		uint64_t v = (uint64_t)en->values[i].value;

		if (!v || (rest & v) != v || (__builtin_popcountll(v) > 1) != several)
			continue;
		rest &= ~v;
		if (last == en->values[i].name)
			continue;
		last = en->values[i].name;
		buf_puts(b, *between);
		buf_puts(b, last);
		*between = "|";
	}
	return rest;
}

void format_flags(struct buf *b, const struct enum_desc *en, uint64_t value)
{
	const char *between = "", *zero = value ? NULL : enum_name(en, 0);

	if (!value) {
		buf_puts(b, zero ? zero : "0");
		return;
	}
	if (en) {
		value = flags_pass(b, en, value, true, &between);
		value = flags_pass(b, en, value, false, &between);
	}
	if (value)
		buf_printf(b, "%s0x%llx", between, (unsigned long long)value);
}

/* ---- disk requests ---- */

#define REQ_OP_BITS 8

/* The kernel's names and bcc's. number: what no kernel since 4.10 has changed, for
 * when en does not say. */
static const struct request_name {
	const char *kernel, *shown;
	int number;
} request_names[] = {
	{ .kernel = "REQ_OP_READ", .shown = "Read", .number = 0 },
	{ .kernel = "REQ_OP_WRITE", .shown = "Write", .number = 1 },
	{ .kernel = "REQ_OP_FLUSH", .shown = "Flush", .number = 2 },
	{ .kernel = "REQ_OP_DISCARD", .shown = "Discard", .number = 3 },
	{ .kernel = "REQ_OP_SECURE_ERASE", .shown = "SecureErase", .number = 5 },
	{ .kernel = "REQ_OP_WRITE_ZEROES", .shown = "WriteZeros", .number = 9 },
	{ .kernel = "REQ_OP_DRV_IN", .shown = "DriverIn", .number = 34 },
	{ .kernel = "REQ_OP_DRV_OUT", .shown = "DriverOut", .number = 35 },
	{ .kernel = "REQ_SYNC", .shown = "Sync", .number = -1 },
	{ .kernel = "REQ_META", .shown = "Metadata", .number = -1 },
	{ .kernel = "REQ_PRIO", .shown = "Priority", .number = -1 },
	{ .kernel = "REQ_NOMERGE", .shown = "NoMerge", .number = -1 },
	{ .kernel = "REQ_IDLE", .shown = "Idle", .number = -1 },
	{ .kernel = "REQ_FUA", .shown = "FUA", .number = -1 },
	{ .kernel = "REQ_PREFLUSH", .shown = "PreFlush", .number = -1 },
	{ .kernel = "REQ_RAHEAD", .shown = "ReadAhead", .number = -1 },
	{ .kernel = "REQ_BACKGROUND", .shown = "Background", .number = -1 },
	{ .kernel = "REQ_NOWAIT", .shown = "NoWait", .number = -1 },
};

#define REQUEST_NAMES (int)(sizeof(request_names) / sizeof(*request_names))

static const char *request_shown(const char *name)
{
	if (!strncmp(name, "__", 2))
		name += 2;
	for (int i = 0; i < REQUEST_NAMES; i++)
		if (!strcmp(request_names[i].kernel, name))
			return request_names[i].shown;
	return name;
}

static const char *request_op(const struct enum_desc *en, int64_t op)
{
	for (int i = 0; en && i < en->n; i++)
		if (en->values[i].value == op && strncmp(en->values[i].name, "__", 2))
			return request_shown(en->values[i].name);
	for (int i = 0; i < REQUEST_NAMES; i++)
		if (request_names[i].number == op)
			return request_names[i].shown;
	return NULL;
}

/* A flag is there by its mask, or by its bit if its name begins with two lines. */
static const char *request_flag(const struct enum_desc *en, int bit)
{
	for (int i = 0; en && i < en->n; i++) {
		const struct enum_value *v = &en->values[i];
		bool is_bit = !strncmp(v->name, "__", 2);

		if (is_bit ? v->value == bit : (uint64_t)v->value == 1ull << bit)
			return request_shown(v->name);
	}
	return NULL;
}

/* What is behind a flag's name was there before it, as in bcc's. */
void format_request(struct buf *b, const struct enum_desc *en, uint64_t value)
{
	int64_t number = (int64_t)(value & ((1 << REQ_OP_BITS) - 1));
	const char *op = request_op(en, number);

	for (int bit = 63; bit >= REQ_OP_BITS; bit--) {
		const char *flag = value >> bit & 1 ? request_flag(en, bit) : NULL;

		if (flag)
			buf_printf(b, "%s-", flag);
	}
	if (op)
		buf_puts(b, op);
	else
		buf_printf(b, "Op%lld", (long long)number);
}
