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

/* Names of several bits first: O_SYNC has O_DSYNC's bit. */
static uint64_t flags_pass(struct buf *b, const struct enum_desc *en, uint64_t rest,
			   bool several, const char **between)
{
	for (int i = 0; i < en->n; i++) {
		uint64_t v = (uint64_t)en->values[i].value;

		if (!v || (rest & v) != v || (__builtin_popcountll(v) > 1) != several)
			continue;
		buf_puts(b, *between);
		buf_puts(b, en->values[i].name);
		*between = "|";
		rest &= ~v;
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

#define REQ_OP_MASK 0xff

/* The numbers that no kernel since 4.10 has changed; en may know more. */
static const struct request_op {
	const char *kernel, *shown;
	int number;
} request_ops[] = {
	{ .kernel = "REQ_OP_READ", .shown = "Read", .number = 0 },
	{ .kernel = "REQ_OP_WRITE", .shown = "Write", .number = 1 },
	{ .kernel = "REQ_OP_FLUSH", .shown = "Flush", .number = 2 },
	{ .kernel = "REQ_OP_DISCARD", .shown = "Discard", .number = 3 },
	{ .kernel = "REQ_OP_SECURE_ERASE", .shown = "SecureErase", .number = 5 },
	{ .kernel = "REQ_OP_WRITE_SAME", .shown = "WriteSame", .number = -1 },
	{ .kernel = "REQ_OP_WRITE_ZEROES", .shown = "WriteZeros", .number = 9 },
	{ .kernel = "REQ_OP_ZONE_OPEN", .shown = "ZoneOpen", .number = -1 },
	{ .kernel = "REQ_OP_ZONE_CLOSE", .shown = "ZoneClose", .number = -1 },
	{ .kernel = "REQ_OP_ZONE_FINISH", .shown = "ZoneFinish", .number = -1 },
	{ .kernel = "REQ_OP_ZONE_APPEND", .shown = "ZoneAppend", .number = -1 },
	{ .kernel = "REQ_OP_ZONE_RESET", .shown = "ZoneReset", .number = -1 },
	{ .kernel = "REQ_OP_ZONE_RESET_ALL", .shown = "ZoneResetAll", .number = -1 },
	{ .kernel = "REQ_OP_DRV_IN", .shown = "DriverIn", .number = 34 },
	{ .kernel = "REQ_OP_DRV_OUT", .shown = "DriverOut", .number = 35 },
};

/* Each is put before what is there: the last one set stands first, as bcc's. */
static const struct {
	const char *kernel, *shown;
} request_flags[] = {
	{ "REQ_SYNC", "Sync-" },
	{ "REQ_META", "Metadata-" },
	{ "REQ_FUA", "FUA-" },
	{ "REQ_PRIO", "Priority-" },
	{ "REQ_PREFLUSH", "PreFlush-" },
	{ "REQ_NOMERGE", "NoMerge-" },
	{ "REQ_IDLE", "Idle-" },
	{ "REQ_RAHEAD", "ReadAhead-" },
	{ "REQ_BACKGROUND", "Background-" },
	{ "REQ_NOWAIT", "NoWait-" },
};

#define REQUEST_OPS (int)(sizeof(request_ops) / sizeof(*request_ops))
#define REQUEST_FLAGS (int)(sizeof(request_flags) / sizeof(*request_flags))

static uint64_t request_mask(const struct enum_desc *en, const char *name)
{
	for (int i = 0; en && i < en->n; i++) {
		const struct enum_value *v = &en->values[i];

		if (!strcmp(v->name, name))
			return (uint64_t)v->value;
		if (!strncmp(v->name, "__", 2) && !strcmp(v->name + 2, name))
			return v->value >= 0 && v->value < 64 ? 1ull << v->value : 0;
	}
	return 0;
}

static const char *request_op(const struct enum_desc *en, int64_t op)
{
	for (int i = 0; en && i < en->n; i++) {
		if (en->values[i].value != op || strncmp(en->values[i].name, "REQ_OP_", 7))
			continue;
		for (int k = 0; k < REQUEST_OPS; k++)
			if (!strcmp(request_ops[k].kernel, en->values[i].name))
				return request_ops[k].shown;
	}
	for (int k = 0; k < REQUEST_OPS; k++)
		if (request_ops[k].number == op)
			return request_ops[k].shown;
	return NULL;
}

void format_request(struct buf *b, const struct enum_desc *en, uint64_t value)
{
	int64_t number = (int64_t)(value & REQ_OP_MASK);
	const char *op = request_op(en, number);

	for (int i = REQUEST_FLAGS - 1; i >= 0; i--)
		if (value & ~(uint64_t)REQ_OP_MASK & request_mask(en, request_flags[i].kernel))
			buf_puts(b, request_flags[i].shown);
	if (op)
		buf_puts(b, op);
	else
		buf_printf(b, "Op%lld", (long long)number);
}
