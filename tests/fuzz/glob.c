/*
 * fuzz: globs of users against hostile names. The first byte splits the input into
 * pattern and text.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1 || size > 4096)
		return 0;
	int rest = (int)size - 1, split = data[0] % (rest + 1);
	struct str pattern = { (const char *)data + 1, split };
	struct str text = { (const char *)data + 1 + split, rest - split };

	/* Text without anything special matches itself. */
	if (!str_is_glob(pattern) && !memchr(pattern.p, '\\', (size_t)pattern.n) &&
	    !str_glob(pattern, pattern))
		__builtin_trap();
	str_glob(pattern, text);
	str_distance(pattern, text, 3);
	return 0;
}
