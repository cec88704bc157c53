/* fuzz: any bytes as /proc/PID/maps. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "user/process.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1), *at = text;
	struct maps_line line;

	if (size)
		memcpy(text, data, size);
	while (maps_line_next(&at, &line))
		if (line.end <= line.start || line.path < text || line.path > text + size)
			__builtin_trap();
	free(text);
	return 0;
}
