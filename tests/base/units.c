/* Durations and sizes: what is read, what is refused, what is shown. */
#include <stdio.h>

#include "base/units.h"

static int failures;

static void check(bool ok, const char *what)
{
	printf("%s %s\n", ok ? "ok" : "not ok", what);
	failures += !ok;
}

typedef bool parse_fn(struct str, int64_t *);

static bool reads(parse_fn *f, const char *text, int64_t want)
{
	int64_t v = -1;

	return f(str_of(text), &v) && v == want;
}

static bool refuses(parse_fn *f, const char *text)
{
	int64_t v;

	return !f(str_of(text), &v);
}

static void test_durations(void)
{
	parse_fn *d = units_parse_duration;
	const char *bad[] = { "", "s", "1", "1x", "1.s", ".5s", "-1s", "+1s", "1 s", "0.1ns", "1.5.5s",
			      "9223372036854775808ns", "2562048h", "1e3s", "1S", "0x1s",
			      "0.1234567890123456789s" };

	check(reads(d, "10us", 10000) && reads(d, "1.5ms", 1500000) && reads(d, "2s", 2000000000) &&
	      reads(d, "1m", 60000000000) && reads(d, "1h", 3600000000000) && reads(d, "100ns", 100),
	      "durations are read");
	check(reads(d, "9223372036854775807ns", INT64_MAX) && reads(d, "9223372036.854775807s", INT64_MAX) &&
	      reads(d, "0.000000001s", 1) && reads(d, "0s", 0) && reads(d, "1.50000000000000000000000s", 1500000000),
	      "durations are exact");
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check(refuses(d, bad[i]), bad[i]);
	check(reads(units_parse_time_option, "5", 5000000000) && reads(units_parse_time_option, "0.25", 250000000) &&
	      reads(units_parse_time_option, "5ms", 5000000) && refuses(units_parse_time_option, "inf"),
	      "a bare number of an option is seconds");
}

static void test_sizes(void)
{
	parse_fn *s = units_parse_size;

	check(reads(s, "4KiB", 4096) && reads(s, "1MB", 1000000) && reads(s, "1k", 1000) && reads(s, "17", 17) &&
	      reads(s, "1.5GiB", 1610612736) && reads(s, "2TiB", 2199023255552) && reads(s, "3B", 3),
	      "sizes are read");
	check(refuses(s, "1.5B") && refuses(s, "9999999TiB") && refuses(s, "1KIB") && refuses(s, "KB"),
	      "bad sizes are refused");
}

static bool shows(bool duration, int64_t v, const char *want)
{
	char buf[UNITS_TEXT_BYTES];

	return !strcmp(duration ? units_format_duration(v, buf) : units_format_size(v, buf), want);
}

static void test_format(void)
{
	check(shows(true, 0, "0 ns") && shows(true, 999, "999 ns") && shows(true, 1000, "1.0 us") &&
	      shows(true, 1234567, "1.2 ms") && shows(true, 999949, "999.9 us") && shows(true, 999950, "1.0 ms") &&
	      shows(true, 59940000000, "59.9 s") && shows(true, 90000000000, "1.5 m") &&
	      shows(true, 93600000000000, "26.0 h") && shows(true, -1500, "-1.5 us") &&
	      shows(true, INT64_MIN, "-2562047.8 h"), "durations are shown");
	check(shows(false, 0, "0 B") && shows(false, 1023, "1023 B") && shows(false, 4096, "4.0 KiB") &&
	      shows(false, 1048575, "1.0 MiB") && shows(false, INT64_MAX, "8388608.0 TiB") &&
	      shows(false, -5, "-5 B"), "sizes are shown");
}

int main(void)
{
	test_durations();
	test_sizes();
	test_format();
	return failures != 0;
}
