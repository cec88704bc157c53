/*
 * x86-64's, as arch_uprobe_analyze_insn of 5.15 to 6.18 judges. It looks at prefixes and at the
 * first byte of the opcode: a second one (behind 0x0f) it takes whatever it is. The byte behind a
 * VEX or EVEX prefix it takes for one without.
 */
#include "user/probe_site.h"

#include <stdbool.h>
#include <stddef.h>

#define PREFIXES_MOST 5			/* and an opcode and what is behind it */

#ifdef __x86_64__

static bool is_one_of(uint8_t byte, const char *set)
{
	for (; *set; set++)
		if ((uint8_t)*set == byte)
			return true;
	return false;
}

static const struct {
	const char *bytes, *why;
} bad_prefixes[] = {
	{ "\xf0", "begins with a LOCK prefix" },
	{ "\x26\x2e\x36\x3e", "begins with a segment prefix (as of `notrack jmp`)" },
};

#define N_OF(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

struct opcodes {
	uint8_t first, last;
};

/* That have no probe. */
static const struct opcodes refused[] = {
	{ 0x06, 0x07 }, { 0x0e, 0x0e }, { 0x16, 0x17 }, { 0x1e, 0x1f }, { 0x27, 0x27 }, { 0x2f, 0x2f },
	{ 0x37, 0x37 }, { 0x3f, 0x3f }, { 0x60, 0x62 }, { 0x6c, 0x6f }, { 0x82, 0x82 }, { 0x9a, 0x9a },
	{ 0xcc, 0xcf }, { 0xd4, 0xd4 }, { 0xd6, 0xd6 }, { 0xe4, 0xe7 }, { 0xea, 0xea }, { 0xec, 0xef }, { 0xf1, 0xf1 },
	{ 0xf4, 0xf4 }, { 0xfa, 0xfb },
};

/* And those that it does in the program's place, or as a nop: branches, pushes. */
static const struct opcodes emulated[] = {
	{ 0x50, 0x57 }, { 0x70, 0x7f }, { 0x0f, 0x0f }, { 0x90, 0x90 }, { 0xe8, 0xe9 }, { 0xeb, 0xeb },
};

static bool is_in(const struct opcodes *rows, int n, uint8_t op)
{
	for (int i = 0; i < n; i++)
		if (op >= rows[i].first && op <= rows[i].last)
			return true;
	return false;
}

static enum probe_site judge_vector(uint8_t op, const char **why)
{
	if (is_in(emulated, N_OF(emulated), op)) {
		*why = "begins with a vector instruction that the kernel takes for a branch";
		return PROBE_SITE_MISREAD;
	}
	*why = "begins with a vector instruction that the kernel takes for another";
	return is_in(refused, N_OF(refused), op) ? PROBE_SITE_REFUSED : PROBE_SITE_FINE;
}

/* Behind a VEX or EVEX prefix; NULL: there is none. */
static const uint8_t *vector_opcode(const uint8_t *code)
{
	return code[0] == 0x62 ? code + 4 : code[0] == 0xc4 ? code + 3 : code[0] == 0xc5 ? code + 2 : NULL;
}

enum probe_site probe_site_judge(const uint8_t code[PROBE_SITE_BYTES], const char **why)
{
	const uint8_t *at = code, *vector = vector_opcode(code);

	if (vector)
		return judge_vector(*vector, why);
	for (; at < code + PREFIXES_MOST; at++) {
		for (int i = 0; i < N_OF(bad_prefixes); i++)
			if (is_one_of(*at, bad_prefixes[i].bytes)) {
				*why = bad_prefixes[i].why;
				return PROBE_SITE_REFUSED;
			}
		if (!is_one_of(*at, "\x64\x65\x66\x67\xf2\xf3"))
			break;
	}
	at += *at >= 0x40 && *at <= 0x4f;	/* REX */
	*why = "begins with an instruction that the kernel cannot step over";
	/* mov to ss, too, which holds back what steps */
	return is_in(refused, N_OF(refused), at[0]) || (at[0] == 0x8e && (at[1] >> 3 & 7) == 2) ?
		PROBE_SITE_REFUSED : PROBE_SITE_FINE;
}

#else

enum probe_site probe_site_judge(const uint8_t code[PROBE_SITE_BYTES], const char **why)
{
	(void)code, (void)why;
	return PROBE_SITE_FINE;
}

#endif
