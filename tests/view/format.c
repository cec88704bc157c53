/* How each type is shown, harmless text, and print "FORMAT". */
#include <stdint.h>

#include "../table/made.h"
#include "shown.h"
#include "test.h"
#include "view/format.h"

static struct buf out;
static struct arena arena;

static const char *show(enum form form, struct type t, struct cell c)
{
	setenv("TZ", "UTC", 1);
	buf_clear(&out);
	format_cell(&out, form, &t, &c, &fake_names);
	return out.p ? out.p : "";
}

static const char *people(int kind, int64_t v)
{
	return show(FORM_ADAPTED, (struct type){ .kind = (uint8_t)kind, .size = 8 }, INT_CELL(v));
}

static const char *raw(int kind, int64_t v)
{
	return show(FORM_RAW, (struct type){ .kind = (uint8_t)kind, .size = 8 }, INT_CELL(v));
}

TEST(format_numbers)
{
	struct type d = { A_DURATION }, u = { .kind = TY_INT, .size = 8 }, i = { AN_INT };

	CHECK_STR(show(FORM_ADAPTED, i, INT_CELL(-1)), "-1");
	CHECK_STR(show(FORM_ADAPTED, u, INT_CELL(-1)), "18446744073709551615");
	CHECK_STR(show(FORM_ADAPTED, d, INT_CELL(999)), "999 ns");
	CHECK_STR(show(FORM_ADAPTED, d, INT_CELL(1234567)), "1.2 ms");
	CHECK_STR(show(FORM_ADAPTED, d, INT_CELL(999960)), "1.0 ms");
	CHECK_STR(show(FORM_ADAPTED, d, INT_CELL(-1500)), "-1.5 us");
	CHECK_STR(show(FORM_ADAPTED, d, REAL_CELL(1.6)), "2 ns");
	CHECK_STR(show(FORM_ADAPTED, d, REAL_CELL(1e300)), "1e+300 ns");
	CHECK_STR(show(FORM_ADAPTED, d, REAL_CELL(0x1p64)), "1.845e+19 ns");
	CHECK_STR(show(FORM_UNIT, d, INT_CELL(1234567)), "1234.567");
	CHECK_STR(show(FORM_UNIT, d, INT_CELL(-1)), "-0.001");
	CHECK_STR(show(FORM_UNIT, d, INT_CELL(INT64_MIN)), "-9223372036854775.808");
	CHECK_STR(show(FORM_UNIT, d, REAL_CELL(1500.4)), "1.500");
	CHECK_STR(show(FORM_RAW, d, INT_CELL(1234567)), "1234567");
	CHECK_STR(people(TY_SIZE, 4096), "4.0 KiB");
	CHECK_STR(raw(TY_SIZE, 4096), "4096");
	CHECK_STR(show(FORM_ADAPTED, type_real, REAL_CELL(0.25)), "0.2500");
	CHECK_STR(show(FORM_ADAPTED, type_real, REAL_CELL(3)), "3");
	CHECK_STR(show(FORM_ADAPTED, type_real, REAL_CELL(1234.56)), "1234.6");
	CHECK_STR(show(FORM_RAW, type_real, REAL_CELL(0.1)), "0.1");
	CHECK_STR(show(FORM_RAW, type_real, REAL_CELL(1.0 / 3)), "0.3333333333333333");
	CHECK_STR(show(FORM_ADAPTED, type_real, REAL_CELL(__builtin_nan(""))), "-");
	CHECK_STR(show(FORM_RAW, type_real, REAL_CELL(__builtin_inf())), "");
	CHECK_STR(show(FORM_ADAPTED, (struct type){ .kind = TY_SHARE }, REAL_CELL(0.1234)), "12.3%");
	CHECK_STR(show(FORM_ADAPTED, (struct type){ .kind = TY_RATE }, REAL_CELL(2.5)), "2.50/s");
	CHECK_STR(show(FORM_UNIT, (struct type){ .kind = TY_RATE }, REAL_CELL(2.5)), "2.50");
	CHECK_STR(show(FORM_ADAPTED, i, NONE_CELL), "-");
	CHECK_STR(show(FORM_RAW, i, NONE_CELL), "");
}

TEST(format_names)
{
	CHECK_STR(people(TY_TIME, 1234000000), "01:46:41.234");
	CHECK_STR(raw(TY_TIME, 1), "1000000000000000001");
	CHECK_STR(people(TY_BOOL, 1), "true");
	CHECK_STR(people(TY_ERRNO, 2), "ENOENT");
	CHECK_STR(people(TY_ERRNO, 512), "ERESTARTSYS");
	CHECK_STR(people(TY_ERRNO, 0), "0");
	CHECK_STR(people(TY_ERRNO, 9999), "9999");
	CHECK_STR(people(TY_SIGNAL, 15), "SIGTERM");
	CHECK_STR(people(TY_SIGNAL, 36), "SIGRTMIN+2");
	CHECK_STR(people(TY_SIGNAL, 0), "0");
	CHECK_STR(people(TY_DEVICE, 8u << 20), "sda");
	CHECK_STR(people(TY_DEVICE, 8u << 20 | 17), "8:17");
	CHECK_STR(people(TY_UID, 0), "root");
	CHECK_STR(people(TY_UID, 7), "7");
	CHECK_STR(raw(TY_UID, 0), "0");
	CHECK_STR(people(TY_KADDR, 0x1000), "vfs_read+0x12");
	CHECK_STR(people(TY_KADDR, 0x2000), "0x2000");
	CHECK_STR(people(TY_PTR, -1), "0xffffffffffffffff");
	CHECK_STR(people(TY_CGROUP, 77), "77");
	CHECK_STR(people(TY_BUCKET, 8), "8 -> 15");
	CHECK_STR(people(TY_BUCKET, 1), "1");
	CHECK_STR(people(TY_BUCKET, 0), "0");
	CHECK_STR(show(FORM_ADAPTED, (struct type){ .kind = TY_BUCKET, .of = TY_DURATION },
		       INT_CELL(1024)), "1.0 us -> 2.0 us");
	CHECK_STR(raw(TY_BUCKET, 8), "8");
}

TEST(format_enum_and_flags)
{
	struct enum_value v[] = { { "O_RDONLY", 0 }, { "O_WRONLY", 1 }, { "O_DSYNC", 0x1000 },
				  { "O_SYNC", 0x101000 } };
	struct enum_desc en = { "open_flags", v, 4 };
	struct type e = { .kind = TY_ENUM, .en = &task_state_enum }, f = { .kind = TY_FLAGS, .en = &en };

	CHECK_STR(show(FORM_ADAPTED, e, INT_CELL(STATE_DISK)), "disk");
	CHECK_STR(show(FORM_RAW, e, INT_CELL(STATE_DISK)), "disk");
	CHECK_STR(show(FORM_ADAPTED, e, INT_CELL(99)), "99");
	CHECK_STR(show(FORM_ADAPTED, f, INT_CELL(0)), "O_RDONLY");
	CHECK_STR(show(FORM_ADAPTED, f, INT_CELL(0x1001)), "O_WRONLY|O_DSYNC");
	CHECK_STR(show(FORM_ADAPTED, f, INT_CELL(0x101001)), "O_SYNC|O_WRONLY");
	CHECK_STR(show(FORM_ADAPTED, f, INT_CELL(0x80001)), "O_WRONLY|0x80000");
	f.en = NULL;
	CHECK_STR(show(FORM_ADAPTED, f, INT_CELL(0x10)), "0x10");
	CHECK_STR(show(FORM_ADAPTED, f, INT_CELL(0)), "0");
}

TEST(format_request_flags)
{
	struct enum_value v[] = { { "REQ_OP_READ", 0 }, { "REQ_OP_WRITE", 1 }, { "REQ_SYNC", 1 << 11 },
				  { "__REQ_META", 12 }, { "__REQ_PRIO", 13 }, { "REQ_FUA", 1 << 17 },
				  { "REQ_RAHEAD", 1 << 19 }, { "REQ_OP_ZONE_APPEND", 7 } };
	struct enum_desc en = { "req", v, 8 };
	struct type t = { .kind = TY_BLKFLAGS, .en = &en };

	CHECK_STR(show(FORM_ADAPTED, t, INT_CELL(0)), "Read");
	CHECK_STR(show(FORM_ADAPTED, t, INT_CELL(1 | 1 << 11)), "Sync-Write");
	CHECK_STR(show(FORM_ADAPTED, t, INT_CELL(1 << 19)), "ReadAhead-Read");
	CHECK_STR(show(FORM_ADAPTED, t, INT_CELL(3 << 12)), "Priority-Metadata-Read");
	CHECK_STR(show(FORM_ADAPTED, t, INT_CELL(1 | 1 << 17 | 1 << 11)), "FUA-Sync-Write");
	CHECK_STR(show(FORM_ADAPTED, t, INT_CELL(2)), "Flush");
	CHECK_STR(show(FORM_ADAPTED, t, INT_CELL(3)), "Discard");
	CHECK_STR(show(FORM_ADAPTED, t, INT_CELL(7)), "REQ_OP_ZONE_APPEND");
	CHECK_STR(show(FORM_ADAPTED, t, INT_CELL(200)), "Op200");
	t.en = &(struct enum_desc){ "req", (struct enum_value[]){ { "Sync", 1 << 11 }, { "Write", 1 } }, 2 };
	CHECK_STR(show(FORM_ADAPTED, t, INT_CELL(1 | 1 << 11)), "Sync-Write");
	t.en = NULL;
	CHECK_STR(show(FORM_ADAPTED, t, INT_CELL(1 | 1 << 11)), "Write");
}

static const char *escaped(const char *p, int n)
{
	buf_clear(&out);
	escape_text(&out, p, n);
	return out.p ? out.p : "";
}

TEST(format_hostile_text)
{
	CHECK_STR(escaped("a\nb\tc", 5), "a\\nb\\tc");
	CHECK_STR(escaped("\033[2J\007\0", 6), "\\x1b[2J\\x07\\x00");
	CHECK_STR(escaped("\x9b" "2J", 3), "\\x9b2J");
	CHECK_STR(escaped("\xc2\x9b" "2J", 4), "\\xc2\\x9b2J");		/* C1 as UTF-8 */
	CHECK_STR(escaped("\xe2\x80\xae" "x", 4), "\\xe2\\x80\\xaex");	/* right to left */
	CHECK_STR(escaped("\xc3\xa4", 2), "\xc3\xa4");
	CHECK_STR(escaped("\xc0\x80", 2), "\\xc0\\x80");			/* overlong */
	CHECK_STR(escaped("\xed\xa0\x80", 3), "\\xed\\xa0\\x80");		/* surrogate */
	CHECK_STR(escaped("\xf4\x90\x80\x80", 4), "\\xf4\\x90\\x80\\x80");
	CHECK_STR(escaped("\xe2\x82", 2), "\\xe2\\x82");			/* cut */
	CHECK_STR(escaped("\x7f", 1), "\\x7f");
	CHECK_STR(escaped("a\\nb\n", 5), "a\\\\nb\\n");
	CHECK_STR(show(FORM_ADAPTED, (struct type){ A_COMM }, TEXT_CELL("a\\nb")), "a\\\\nb");
	CHECK_STR(show(FORM_ADAPTED, (struct type){ A_COMM }, TEXT_CELL("(other)")), "\\x28other)");
	CHECK_STR(show(FORM_ADAPTED, (struct type){ A_COMM }, TEXT_CELL("\033c")), "\\x1bc");
	CHECK_STR(show(FORM_RAW, (struct type){ A_COMM }, TEXT_CELL("\033c")), "\033c");
}

TEST(format_hostile_name)
{
	struct enum_value v[] = { { "\033[H", 1 } };
	struct enum_desc en = { "e", v, 1 };

	CHECK_STR(show(FORM_ADAPTED, (struct type){ .kind = TY_ENUM, .en = &en }, INT_CELL(1)),
		  "\\x1b[H");
}

TEST(format_json_text)
{
	buf_clear(&out);
	escape_json(&out, "a\"\\\n\001\xff\xc3\xa4\0", 9);
	CHECK_STR(out.p, "a\\\"\\\\\\n\\u0001\\uefff\xc3\xa4\\u0000");
	buf_clear(&out);
	escape_json(&out, "\x80\xff\xee\xbe\x80", 5);		/* and U+EF80 itself */
	CHECK_STR(out.p, "\\uef80\\uefff\\uefee\\uefbe\\uef80");
}

/* What CSV shows as it is and what stands for something else never meet. */
TEST(format_csv_text)
{
	buf_clear(&out);
	escape_csv(&out, "a\\xff\n\xff\033\xc3\xa4", 10);
	CHECK_STR(out.p, "a\\xff\n\xee\xbf\xbf\xee\xbc\x9b\xc3\xa4");
	buf_clear(&out);
	escape_csv(&out, "\xee\xbf\xbf", 3);		/* U+EFFF itself */
	CHECK_STR(out.p, "\xee\xbf\xae\xee\xbe\xbf\xee\xbe\xbf");
	buf_clear(&out);
	escape_csv(&out, "(other)", 7);
	CHECK_STR(out.p, "\xee\xbc\xa8other)");
}

TEST(format_columns_of_text)
{
	CHECK_EQ(text_columns("abc", 3), 3);
	CHECK_EQ(text_columns("\xc3\xa4", 2), 1);
	CHECK_EQ(text_columns("\xe4\xbd\xa0", 3), 2);
	CHECK_EQ(text_columns("e\xcc\x81", 3), 1);
	CHECK_EQ(text_fit("\xe4\xbd\xa0\xe4\xbd\xa0", 6, 3), 3);
	CHECK_EQ(text_fit("abc", 3, 2), 2);
}

/* Every type has a row: a width, and text for any word. */
TEST(format_every_type)
{
	static const int64_t words[] = { 0, 1, -1, INT64_MIN, INT64_MAX, 255, 4096 };
	static const struct names nobody;

	for (int k = 0; k < TY_KINDS; k++)
		for (int sign = 0; sign < 2; sign++)
			for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
				for (int form = 0; form <= FORM_RAW; form++) {
					struct type t = { .kind = (uint8_t)k, .is_signed = sign, .size = 8 };
					struct cell c = INT_CELL(words[i]), r = REAL_CELL((double)words[i]);
					struct cell none = NONE_CELL;

					buf_clear(&out);
					format_cell(&out, form, &t, &c, &nobody);
					CHECK(out.n);
					format_cell(&out, form, &t, &c, NULL);
					format_cell(&out, form, &t, &r, NULL);
					format_cell(&out, form, &t, &none, NULL);
					CHECK(format_width(&t) > 0);
				}
}

/* ---- print "FORMAT" ---- */

static const char *check(const char *format, int n)
{
	const struct column columns[] = { VALUE("n", AN_INT), VALUE("comm", A_COMM),
					  VALUE("took", A_DURATION), VALUE("h", .kind = TY_HIST) };

	return format_check(&arena, str_of(format), columns, n);
}

TEST(printf_check)
{
	CHECK_STR(check("%d %s %x", 2), "the format has more conversions than values");
	CHECK_STR(check("%d", 2), "the format has fewer conversions than values");
	CHECK_STR(check("%d %-16s %5d", 3), NULL);
	CHECK_STR(check("%lld %s %llu", 3), NULL);
	CHECK_STR(check("100%%", 0), NULL);
	CHECK_STR(check("%s %s %s", 3), NULL);
	CHECK(check("%n", 1) && strstr(check("%n", 1), "conversion"));
	CHECK(check("%", 1) && strstr(check("%", 1), "ends inside"));
	CHECK(check("%5", 1) && strstr(check("%5", 1), "ends inside"));
	CHECK(check("%*d", 1) && strstr(check("%*d", 1), "width"));
	CHECK(check("%99999999999d", 1) && strstr(check("%99999999999d", 1), "width"));
	CHECK(check("%.99999d", 1) && strstr(check("%.99999d", 1), "precision"));
	CHECK_STR(check("%d %d", 2), "%d formats a number, but comm has type string: use %s");
	CHECK(check("%d %s %d %s", 4) && strstr(check("%d %s %d %s", 4), "histogram"));
	CHECK(format_check(&arena, (struct str){ "%\0", 2 }, NULL, 1) != NULL);
}

static const char *row(const char *format, struct cell a, struct cell b, struct cell c)
{
	const struct column columns[] = { VALUE("a", .kind = TY_ENUM, .is_signed = true, .size = 4,
						.en = &task_state_enum),
					  VALUE("b", A_COMM), VALUE("c", A_DURATION) };
	const struct cell cells[] = { a, b, c };

	buf_clear(&out);
	format_row(&out, str_of(format), columns, 3, cells, &fake_names);
	return out.p ? out.p : "";
}

TEST(printf_row)
{
	struct cell e = INT_CELL(STATE_DISK), s = TEXT_CELL("ba\nsh"), d = INT_CELL(1500000);

	CHECK_STR(row("[%d|%s|%d]", e, s, d), "[3|ba\\nsh|1500000]");
	CHECK_STR(row("[%s|%-8s|%s]", e, s, d), "[disk|ba\\nsh  |1.5 ms]");
	CHECK_STR(row("[%5d|%8s|%.2s] 100%%", e, s, TEXT_CELL("abc")), "[    3|  ba\\nsh|ab] 100%");
	CHECK_STR(row("%05d %.3s %+lld", e, s, d), "00003 ba\\ +1500000");
	CHECK_STR(row("%x %s %#x", INT_CELL(-1), s, d), "ffffffff ba\\nsh 0x16e360");
	CHECK_STR(row("%u %s %.1f", INT_CELL(-1), s, d), "4294967295 ba\\nsh 1500000.0");
	CHECK_STR(row("%5d %s %-4d|", NONE_CELL, NONE_CELL, NONE_CELL), "    - - -   |");
	CHECK_STR(row("%c %s %p", INT_CELL(27), s, d), "\\x1b ba\\nsh 0x16e360");
	CHECK_STR(row("%f %s %d", e, s, REAL_CELL(2.75)), "3.000000 ba\\nsh 2");
	CHECK_STR(row("%d %s %d", REAL_CELL(1e30), s, REAL_CELL(__builtin_nan(""))),
		  "1000000000000000019884624838656 ba\\nsh 0");
	/* what the checker refuses is still harmless */
	CHECK_STR(row("%n%d %d %d %d", e, s, d), "%n3 ba\\nsh 1500000 ");
	CHECK_STR(row("%", e, s, d), "%");
}

/* Stacks behind the others are not the format's. */
TEST(printf_leaves_stacks)
{
	const struct column columns[] = { VALUE("u", .kind = TY_INT, .size = 8), VALUE("kstack", .kind = TY_STACK),
					  VALUE("ustack", .kind = TY_STACK) };
	const struct cell cells[] = { INT_CELL(7), NONE_CELL, NONE_CELL };

	CHECK(format_check(&arena, str_of("%d"), columns, 3) == NULL);
	CHECK(format_check(&arena, str_of("%d %s"), columns, 3) == NULL);
	CHECK(format_check(&arena, str_of(""), columns, 3) != NULL);
	buf_clear(&out);
	CHECK(format_row(&out, str_of("%d"), columns, 3, cells, NULL) == 1);
	CHECK_STR(out.p, "7");
}

TEST(printf_unsigned_is_not_negative)
{
	const struct column c = VALUE("u", .kind = TY_INT, .size = 8);
	const struct cell v = INT_CELL(-1);

	buf_clear(&out);
	format_row(&out, str_of("%d"), &c, 1, &v, NULL);
	CHECK_STR(out.p, "18446744073709551615");
}

TEST(printf_random_formats)
{
	static const char letters[] = "%%%%%%-0+ #..*123456789hlqjztdiuxXocpfegsn";
	struct cell a = INT_CELL(-7), b = TEXT_CELL("x"), c = REAL_CELL(1e300);
	uint32_t x = 7;

	for (int i = 0; i < 20000; i++) {
		char format[16];
		int n = i % (int)sizeof(format);

		for (int k = 0; k < n; k++) {
			x = x * 1664525 + 1013904223;
			format[k] = letters[(x >> 16) % (sizeof(letters) - 1)];
		}
		format[n] = 0;
		format_check(&arena, str_of(format), NULL, 2);
		row(format, a, b, c);
		CHECK(out.n < 20000);
	}
}
