/* fuzz: any bytes as the format file of a tracepoint. */
#include <stdlib.h>
#include <string.h>

#include "kern/types/tracefs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1);
	struct arena a = { 0 };
	struct cat_event e = { 0 };

	if (size)
		memcpy(text, data, size);
	tracefs_parse(&a, NULL, text, size % 2, &e);
	free(text);
	/* nothing of it points into the text */
	for (int i = 0; i < e.n_fields; i++)
		if (!*e.fields[i].name || e.fields[i].size > 1u << 30)
			__builtin_trap();
	arena_fini(&a);
	return 0;
}
