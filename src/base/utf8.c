/* Characters as bytes. See utf8.h. */
#include "base/utf8.h"

int utf8_put(char to[UTF8_BYTES], uint32_t c)
{
	int n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	if (n == 1) {
		to[0] = (char)c;
		return 1;
	}
	for (int i = n - 1; i > 0; i--, c >>= 6)
		to[i] = (char)(0x80 | (c & 0x3f));
	to[0] = (char)(0xf00u >> n | c);	/* as many ones as bytes */
	return n;
}
