/* Histograms: bcc's text to the byte, durations by unit, linear ones. */
#include "../table/made.h"
#include "test.h"
#include "view/hist.h"

static struct buf out;

static const char *draw_as(const char *name, int of, const struct hist_row *rows, int n)
{
	struct hist h = { .n = n, .rows = (struct hist_row *)rows };
	struct column c = VALUE(name, .kind = TY_HIST, .of = (uint8_t)of);

	buf_clear(&out);
	hist_text(&out, &h, &c);
	return out.p;
}

#define ROWS(...) (struct hist_row[]){ __VA_ARGS__ }, \
	(int)(sizeof((struct hist_row[]){ __VA_ARGS__ }) / sizeof(struct hist_row))

/* What bcc's print_log2_hist prints for these slots. */
TEST(hist_bcc)
{
	CHECK_STR(draw_as("hist(bytes)", 0,
			  ROWS({ 8, 15, 3 }, { 16, 31, 0 }, { 32, 63, 300 }, { 64, 127, 7 })),
"     bytes               : count     distribution\n"
"         0 -> 1          : 0        |                                        |\n"
"         2 -> 3          : 0        |                                        |\n"
"         4 -> 7          : 0        |                                        |\n"
"         8 -> 15         : 3        |                                        |\n"
"        16 -> 31         : 0        |                                        |\n"
"        32 -> 63         : 300      |****************************************|\n"
"        64 -> 127        : 7        |                                        |\n");
}

TEST(hist_zero_and_one_are_a_row)
{
	CHECK_STR(draw_as("x", 0, ROWS({ 0, 1, 4 }, { 2, 3, 2 })),
"     x                   : count     distribution\n"
"         0 -> 1          : 4        |****************************************|\n"
"         2 -> 3          : 2        |********************                    |\n");
	CHECK_STR(draw_as("x", 0, ROWS({ 0, 1, 1 })),
"     x                   : count     distribution\n"
"         0 -> 1          : 1        |****************************************|\n");
}

TEST(hist_wide)
{
	const char *text = draw_as("hist(v)", 0, ROWS({ 1ll << 40, (2ll << 40) - 1, 1 }));
	int lines = 0;

	CHECK(!strncmp(text, "               v                             : count     distribution\n"
			     "                   0 -> 1                    : 0        |                    |\n",
		       70 + 78));
	CHECK(strstr(text, "       1099511627776 -> 2199023255551        : 1        |********************|\n"));
	for (; *text; text++)
		lines += *text == '\n';
	CHECK_EQ(lines, 1 + 41);
}

TEST(hist_durations)
{
	CHECK_STR(draw_as("hist(duration)", TY_DURATION,
			  ROWS({ 1024, 2047, 1 }, { 2048, 4095, 4 }, { 4096, 8191, 0 }, { 8192, 16383, 2 })),
"     usecs               : count     distribution\n"
"      1.02 -> 2.05       : 1        |**********                              |\n"
"      2.05 -> 4.10       : 4        |****************************************|\n"
"      4.10 -> 8.19       : 0        |                                        |\n"
"      8.19 -> 16.4       : 2        |********************                    |\n");
	CHECK_STR(draw_as("hist(duration)", TY_DURATION,
			  ROWS({ 512, 1023, 1 }, { 1024, 2047, 1 })),
"     usecs               : count     distribution\n"
"     0.512 -> 1.02       : 1        |****************************************|\n"
"      1.02 -> 2.05       : 1        |****************************************|\n");
	CHECK_STR(draw_as("hist(duration)", TY_DURATION, ROWS({ 512, 1023, 1 })),
"     nsecs               : count     distribution\n"
"       512 -> 1023       : 1        |****************************************|\n");
	CHECK_STR(draw_as("hist(duration)", TY_DURATION,
			  ROWS({ 1 << 29, (1 << 30) - 1, 1 }, { 1 << 30, (2ll << 30) - 1, 1 })),
"     usecs               : count     distribution\n"
"    536871 -> 1073742    : 1        |****************************************|\n"
"   1073742 -> 2147484    : 1        |****************************************|\n");
}

TEST(hist_linear)
{
	CHECK_STR(draw_as("lhist(len, 0, 3, 1)", 0, ROWS({ 0, 0, 1 }, { 1, 1, 2 })),
"     len           : count     distribution\n"
"        0          : 1        |********************                    |\n"
"        1          : 2        |****************************************|\n");
	CHECK_STR(draw_as("lhist(len,0,3,1)", 0,
			  ROWS({ HIST_BELOW, -1, 1 }, { 0, 0, 1 }, { 1, HIST_ABOVE, 1 })),
"     len           : count     distribution\n"
"        < 0        : 1        |****************************************|\n"
"        0          : 1        |****************************************|\n"
"        >= 1       : 1        |****************************************|\n");
	CHECK_STR(draw_as("lhist(max(a,b),0,30,10)", 0,
			  ROWS({ HIST_BELOW, -1, 1 }, { 0, 9, 2 }, { 10, HIST_ABOVE, 1 })),
"     max(a,b)            : count     distribution\n"
"       ... -> -1         : 1        |********************                    |\n"
"         0 -> 9          : 2        |****************************************|\n"
"        10 -> ...        : 1        |********************                    |\n");
}

TEST(hist_linear_durations)
{
	CHECK_STR(draw_as("lhist(duration,0,10ms,1ms)", TY_DURATION,
			  ROWS({ 0, 999999, 1 }, { 1000000, 1999999, 2 }, { 2000000, HIST_ABOVE, 0 })),
"     msecs               : count     distribution\n"
"         0 -> 1          : 1        |********************                    |\n"
"         1 -> 2          : 2        |****************************************|\n"
"         2 -> ...        : 0        |                                        |\n");
}

TEST(hist_odd_ones)
{
	CHECK_STR(draw_as("hist(x)", 0, NULL, 0), "     x                   : no values\n");
	CHECK_STR(draw_as("hist(x)", 0, ROWS({ 0, 1, 0 })),
		  "     x                   : no values\n");
	CHECK_STR(draw_as("\033[2J", 0, NULL, 0), "     \\x1b[2J             : no values\n");
	/* the borders of the type */
	CHECK(draw_as("x", 0, ROWS({ 1ll << 62, INT64_MAX, UINT64_MAX })));
	CHECK(strstr(out.p, " 4611686018427387904 -> 9223372036854775807  :"));
	CHECK(strstr(out.p, "2305843009213693952 -> 4611686018427387903"));
	CHECK(draw_as("x", 0, ROWS({ (__int128)1 << 63, UINT64_MAX, 1 })));
	CHECK(strstr(out.p, " 4611686018427387904 -> 9223372036854775807  : 0 "));
	CHECK(strstr(out.p, " 9223372036854775808 -> 18446744073709551615 : 1 "));
	CHECK(draw_as("x", TY_DURATION, ROWS({ 1ll << 62, INT64_MAX, UINT64_MAX })));
	CHECK(draw_as("x", TY_DURATION, ROWS({ HIST_BELOW, HIST_ABOVE, 1 })));
	CHECK(draw_as("x", 0, ROWS({ HIST_BELOW, HIST_ABOVE, 1 })));
	CHECK(draw_as("x", 0, ROWS({ 1ll << 62, INT64_MAX - 1, 1 })));
	CHECK(draw_as("x", 0, ROWS({ HIST_BELOW, -1, 1 }, { 0, 1, 5 })));
	CHECK_STR(draw_as("hist(", 0, NULL, 0), "     hist(               : no values\n");
	CHECK_STR(draw_as("", 0, NULL, 0), "                         : no values\n");
}
