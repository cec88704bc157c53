/*
 * Static probes with known arguments, for tests: notes as sys/sdt.h makes them, written
 * out here. Each kind passes its probes N times and prints what it passed.
 *
 *	probes KIND N
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FUNCTION __attribute__((noinline, noclone, used))

volatile int32_t shared_number = -77;

/* One nop, and a note that says where it is, which word counts the listeners ("0": none)
 * and where the arguments are. */
#define PROBE(provider, name, semaphore, args, ...)						\
	__asm__ volatile("990:	nop\n"							\
		"	.pushsection .note.stapsdt,\"\",\"note\"\n"			\
		"	.balign 4\n"							\
		"	.4byte 992f-991f, 994f-993f, 3\n"				\
		"991:	.asciz \"stapsdt\"\n"						\
		"992:	.balign 4\n"							\
		"993:	.8byte 990b, _.stapsdt.base, " semaphore "\n"			\
		"	.asciz \"" provider "\"\n"					\
		"	.asciz \"" name "\"\n"						\
		"	.asciz \"" args "\"\n"						\
		"994:	.balign 4\n"							\
		"	.popsection\n"							\
		"	.ifndef _.stapsdt.base\n"					\
		"	.pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"	\
		"	.weak _.stapsdt.base\n"						\
		"	.hidden _.stapsdt.base\n"					\
		"_.stapsdt.base: .space 1\n"						\
		"	.size _.stapsdt.base, 1\n"					\
		"	.popsection\n"							\
		"	.endif\n" : : __VA_ARGS__)

#ifdef __x86_64__

__attribute__((section(".probes"), used)) volatile uint16_t work_watched_semaphore;

static uint64_t watched;

/* Every form of an argument: registers of each size, constants, memory, an index. */
FUNCTION static void forms(uint64_t i)
{
	int64_t table[4] = { 10, 11, 12, 13 };
	int32_t small[4] = { -1, -2, -3, -4 };
	register uint64_t two __asm__("r8") = 2, three __asm__("r9") = 3;

	PROBE("work", "forms", "0", "8@%%rax -4@%%ecx -1@%%dl 2@%%bx -8@$-9 4@$4294967295 "
	      "8@16(%%rsi) -4@4(%%rdi,%%r8,4) 8@(%%rsi,%%r9,8) -4@shared_number(%%rip)",
	      "a"(i), "c"(-5), "d"(0x1fe), "b"(0x12345), "S"(table), "D"(small),
	      "r"(two), "r"(three), "m"(table), "m"(small));
}

/* One probe at two places that have the argument in different registers. */
FUNCTION static void places(uint64_t i)
{
	if (i % 2)
		PROBE("work", "places", "0", "8@%%rcx", "c"(i));
	else
		PROBE("work", "places", "0", "8@%%rdx", "d"(i));
}

/* What is passed costs something, so it is made only while somebody listens. */
FUNCTION static void listened(uint64_t i)
{
	if (!work_watched_semaphore)
		return;
	watched++;
	PROBE("work", "watched", "work_watched_semaphore", "8@%%rax 8@%%rdx", "a"(i), "d"("a text"));
}

/* Waits for somebody who listens, at most 20 s, and for the end of it. */
FUNCTION static void waited(uint64_t i)
{
	bool heard = false;

	for (int ms = 0; ms < 20000 && (!heard || work_watched_semaphore); ms++) {
		usleep(1000);
		heard |= work_watched_semaphore;
		listened(i);
	}
}

/* As a database server does for each query. */
FUNCTION static void spans(uint64_t i)
{
	PROBE("mysql", "query__start", "0", "8@%%rax 8@%%rdx", "a"("SELECT 1"), "d"(i));
	for (volatile int k = 0; k < 20000; k++)
		;
	PROBE("mysql", "query__done", "0", "4@%%eax", "a"(i));
}

/* A server without probes: its function has the text. */
FUNCTION static void answer(const char *query)
{
	__asm__ volatile("" : : "r"(query) : "memory");
}

FUNCTION static void asks(uint64_t i)
{
	answer(i % 2 ? "SELECT 1" : "SELECT 2");
}

static const struct kind {
	const char *name;
	void (*pass)(uint64_t i);
} kinds[] = {
	{ "forms", forms }, { "places", places }, { "watched", listened }, { "wait", waited }, { "spans", spans },
	{ "asks", asks },
};

int main(int argc, char **argv)
{
	uint64_t n = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;

	for (size_t k = 0; argc > 2 && k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		if (strcmp(argv[1], kinds[k].name))
			continue;
		for (uint64_t i = 0; i < n; i++)
			kinds[k].pass(i);
		printf("%s %llu %llu\n", argv[1], (unsigned long long)n,
		       (unsigned long long)watched);
		return 0;
	}
	fprintf(stderr, "usage: probes KIND N\n");
	return 2;
}

#else

int main(void)
{
	fprintf(stderr, "probes: not on this machine\n");
	return 2;
}

#endif
