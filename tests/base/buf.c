/* Numbers and formatted pieces, of all lengths. */
#include "base/buf.h"

#include <stdio.h>
#include <string.h>

#include "test.h"

TEST(buf_numbers)
{
	static const uint64_t some[] = { 0, 9, 10, 15, 16, 255, 4294967295, 9999999999999999999ull, UINT64_MAX };
	struct buf b = { 0 };
	char text[64];

	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		buf_clear(&b);
		buf_number(&b, some[i]);
		buf_putc(&b, ' ');
		buf_hex(&b, some[i]);
		snprintf(text, sizeof(text), "%llu %llx", (unsigned long long)some[i], (unsigned long long)some[i]);
		CHECK_STR(b.p, text);
	}
	buf_fini(&b);
}

/* What fits is formatted in place, what does not a second time. */
TEST(buf_printf_lengths)
{
	for (int n = 0; n < 300; n++) {
		struct buf b = { 0 };

		buf_printf(&b, "%d.%*s.", n, n, "x");
		buf_printf(&b, "%s", "");
		CHECK(b.n == strlen(b.p) && b.n == (size_t)snprintf(NULL, 0, "%d.%*s.", n, n, "x"));
		CHECK(b.p[b.n - 1] == '.' && b.p[b.n - 2] == 'x');
		buf_fini(&b);
	}
}
