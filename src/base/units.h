/*
 * units: durations and sizes as people write and read them.
 *
 * Durations: a number and one of ns us ms s m h; kept in ns.
 * Sizes: a number and one of B, k KB KiB, M MB MiB, G GB GiB, T TB TiB
 * (k = kB = K = KB = 1000, KiB = 1024, the others alike); kept in bytes.
 * The number is decimal, with or without a fraction. All are exact: what
 * overflows, or is finer than 1 ns or 1 byte, is refused.
 */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

bool units_parse_duration(struct str text, int64_t *ns);
/* An option's time: as above, and a bare number is seconds. */
bool units_parse_time_option(struct str text, int64_t *ns);
/* A bare number is bytes. */
bool units_parse_size(struct str text, int64_t *bytes);

/* Is the word a unit of durations, of sizes? ("ms", "KiB") */
bool units_is_duration(struct str unit);
bool units_is_size(struct str unit);

#define UNITS_TEXT_BYTES 32

/* "999 ns" "1.2 ms" "59.9 s" "1.5 m" "26.0 h"; "512 B" "4.0 KiB". Return buf. */
const char *units_format_duration(int64_t ns, char buf[UNITS_TEXT_BYTES]);
const char *units_format_size(int64_t bytes, char buf[UNITS_TEXT_BYTES]);

#endif
