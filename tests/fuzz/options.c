/* fuzz: lines as the arguments of a tool that has parameters of every type. */
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define WORDS_MOST 64

static const char tool[] =
	"param latency L: flag \"total time\"\n"
	"param errno   e: errno \"calls that failed with this only\"\n"
	"param top:       int = 10 \"so many rows\"\n"
	"param min:       duration = 10ms \"slower than this only\"\n"
	"param size:      size = 4KiB \"larger than this only\"\n"
	"param name:      string = \"*\" \"of this name only\"\n"
	"param what:      source = syscall:read \"of this\"\n"
	"param ranks:     percentiles = \"50,99\" \"these\"\n"
	"$what | where duration > $min | count\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = { 0 };
	struct err e = { .arena = &a };
	struct diag d = { .arena = &a };
	struct source_text text = { "tool", str_of(tool) };
	struct option_set set = { .ast = parse(&a, &d, &text) };
	char *words = arena_strndup(&a, (const char *)data, size), *argv[WORDS_MOST + 1];
	struct options o;
	int n = 0;

	for (char *p = words; n < WORDS_MOST && *p; n++) {
		argv[n] = p;
		p += strcspn(p, "\n");
		if (*p)
			*p++ = 0;
	}
	argv[n] = NULL;
	options_init(&o, &a);
	if (options_parse(&o, &set, argv, &e) && !e.causes.n)
		__builtin_trap();
	arena_fini(&a);
	return 0;
}
