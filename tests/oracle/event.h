/*
 * event: random made events.
 */
#ifndef ORACLE_EVENT_H
#define ORACLE_EVENT_H

#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "oracle/chooser.h"

#define EVENTS 100
#define NS_PER_S UINT64_C(1000000000)

/* ---- values ---- */

struct value {
	bool none;
	uint64_t bits;
	struct str text;
};

#define NUMBERS 4			/* fields that are numbers, before the texts */
#define FIELDS 6
#define THREADS 3
#define CPUS 4

enum kind { KIND_V, KIND_W, KINDS };

/* One event as it was made. */
struct moment {
	uint8_t kind;			/* enum kind */
	int cpu, tid, call;		/* call: live, its number */
	uint64_t time_ns;
	struct value fields[FIELDS];	/* none, too, of what its kind lacks */
};

static const struct value no_value = { .none = true };

static const struct {
	const char *name;
	int bits;
	bool is_signed;
	const char *type;
	bool in_w;
	const char *live;		/* the field that a live event has it in */
} fields[FIELDS] = {
	{ "fa", 64, true, "s64", true, "value" }, { "fb", 64, false, "u64", false, "size" },
	{ "fc", 32, true, "s32", true, "flags" }, { "fd", 8, false, "u8", true, "" },
	{ "fs", 0, false, "string", true, "pathname" }, { "ft", 0, false, "cstr", false, "name" },
};

/* How queries speak of the events and their fields, behind what says of which event. */
struct dialect {
	const char *kinds[KINDS];
	const char *fields[FIELDS];
	const char *part;		/* of the last field as many bytes */
	bool live;			/* times are not known before, and there is one thread */
};

static const struct dialect made_dialect = {
	{ "n:v", "n:w" }, { "%sfa", "%sfb", "%sfc", "%sfd", "%sfs", "str(%sft)" }, "str(%sft, %d)", false,
};

/* Equal up to some byte, at the borders of words and of what a key keeps. */
static const char *const texts[] = {
	"", "a", "b", "ab", "abc", "abcdefg", "abcdefgh", "abcdefgi", "abcdefghi", "abcdefghabcdefg",
	"abcdefghabcdefgh", "abcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefg",
	"abcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefgh", "[*]", "a*c",
};
#define TEXTS (int)(sizeof(texts) / sizeof(texts[0]))
static const char *const globs[] = {
	"*", "a*", "*h", "*c*", "?", "??c", "[a-b]", "[^a]*", "abcdefgh?", "*gh*g*", "", "a*b*c*i", "\\\\[*",
};
#define GLOBS (int)(sizeof(globs) / sizeof(globs[0]))

static struct value number(uint64_t bits)
{
	return (struct value){ .bits = bits };
}

static uint64_t cut(uint64_t x, int bits, bool is_signed)
{
	uint64_t top = 1ull << (bits - 1), mask = top | (top - 1);

	x &= mask;
	return is_signed && (x & top) ? x | ~mask : x;
}

/* Numbers at borders more often than others. */
static uint64_t draw_number(struct chooser *c)
{
	static const uint64_t borders[] = { 0, 0, 1, 2, UINT64_MAX, INT64_MAX, 1ull << 63,
					    UINT32_MAX, INT32_MAX, 1ull << 31, 1ull << 32, 255 };
	int kind = below(c, 5);

	if (kind == 4)
		return 0;
	if (kind == 0)
		return borders[below(c, 12)];
	if (kind == 1)
		return 1ull << below(c, 64);
	return kind == 2 ? draw(c) : (uint64_t)(below(c, 20) - 6);
}

#endif
