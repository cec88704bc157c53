/* utf8: characters as bytes. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdint.h>

#define UTF8_BYTES 4		/* of the longest */

/* Writes c, which is below 0x200000, also half of a pair of UTF-16; returns how many bytes it takes. */
int utf8_put(char to[UTF8_BYTES], uint32_t c);

#endif
