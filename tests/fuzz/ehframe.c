/* Any bytes as a program's frames, or as the text of a process' mappings. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "kern/live/unwind.h"
#include "kern/live/unwind_tables.h"
#include "user/ehframe.h"

static void mappings(const uint8_t *data, size_t bytes)
{
	struct unwind_process *p = xcalloc(1, sizeof(*p));
	struct unwind_tables *t = unwind_tables_open(-1, -1, -1);
	char *text = xmalloc(bytes + 1);

	memcpy(text, data, bytes);
	text[bytes] = 0;
	unwind_ranges(t, text, "/nowhere", 9, p);
	for (uint64_t i = 0; i < p->n; i++)
		if (p->begins[i] - p->ranges[i].base >= p->ranges[i].bytes)
			__builtin_trap();
	unwind_tables_close(t);
	free(text);
	free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct ehframe f;

	if (!bytes || data[0] != 0x7f) {
		mappings(data, bytes);
		return 0;
	}
	if (ehframe_read_memory(data, bytes, &f)) {
		for (size_t i = 1; i < f.n; i++)
			if (f.rows[i].address <= f.rows[i - 1].address ||
			    f.rows[i].rule == f.rows[i - 1].rule)
				__builtin_trap();
		ehframe_rule(&f, f.rows[0].address);
		ehframe_free(&f);
	}
	return 0;
}
