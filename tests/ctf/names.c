/* What lengths and selectors may be called, and what else TSDL's grammar allows. */
#include "test.h"

#include "base/buf.h"
#include "ctf/impl.h"

#define HEAD "typealias integer { size = 8; } := u8; typealias integer { size = 16; align = 8; } := u16;" \
	"trace { byte_order = le; }; env { three = 3; }; stream { };"

static void expect(const char *metadata, const char *data, size_t bytes, const char *want)
{
	struct ctf *t = reader_open_bytes(str_of(metadata), data, bytes);
	const struct ctf_event *e;
	struct buf out = { 0 };

	ctf_begin(t, &(struct ctf_options){ 0 });
	e = ctf_next(t);
	if (e)
		ctf_print_event(t, e, &out);
	if (!out.p || !strstr(out.p, want) || t->n_notes)
		TEST_FAIL("%s and not %s (%s)", out.p ? out.p : "nothing", want,
			  t->n_notes ? t->notes[0] : "");
	buf_fini(&out);
	ctf_close(t);
}

#define EXPECT(fields, data, want) \
	expect(HEAD "event { fields := struct { " fields " }; };", data, sizeof(data) - 1, want)

/* In a structure that is not yet at its end, also through an array. */
TEST(name_of_what_it_stands_in)
{
	EXPECT("struct { u8 n; u8 a[event.fields.s.n]; } s;", "\2\10\11",
	       "s = { n = 2, a = [ [0] = 8, [1] = 9 ] }");
	EXPECT("struct { u8 n; struct { u8 a[s.n]; } x; } s;", "\1\7",
	       "s = { n = 1, x = { a = [ [0] = 7 ] } }");
	EXPECT("struct { u8 n; struct { u8 a[s.n]; } x[2]; } s;", "\1\7\10",
	       "x = [ [0] = { a = [ [0] = 7 ] }, [1] = { a = [ [0] = 8 ] } ]");
}

/* As lttng-modules 2.9 has network headers: the variant's name, not the option's. */
TEST(name_through_the_variant_it_stands_in)
{
	EXPECT("enum : u8 { ip = 1, none = 2 } kind; variant <kind> { struct { "
	       "enum : u8 { tcp = 6 } protocol; variant <header.protocol> { u8 tcp; } inner; } ip; "
	       "u8 none; } header;", "\1\6\11", "protocol = ( \"tcp\" : container = 6 ), inner = { 9 }");
}

/* What the length is depends on the option that was chosen. */
TEST(name_of_a_variant)
{
#define CHOICE "enum : u8 { x, y } tag; variant <tag> { u8 x; u16 y; } n; u8 a[n];"
	EXPECT(CHOICE, "\0\2\5\6", "n = { 2 }, a = [ [0] = 5, [1] = 6 ]");
	EXPECT(CHOICE, "\1\1\0\5", "n = { 1 }, a = [ [0] = 5 ]");
	EXPECT("enum : u8 { x, y } tag; variant <tag> { struct { u8 k; } x; struct { u16 k; } y; } v;"
	       "integer { size = 8; encoding = UTF8; } a[v.k];", "\1\2\0ab", "a = \"ab\"");
}

TEST(length_of_the_environment)
{
	EXPECT("u8 a[env.three];", "\1\2\3", "a = [ [0] = 1, [1] = 2, [2] = 3 ]");
}

TEST(grammar)
{
	EXPECT("integer { size = 8;; } a;; ; struct { ; u8 b;; } c;;", "\1\2", "a = 1, c = { b = 2 }");
	expect(HEAD "typealias u8 := two[2]; typealias two := six[3];"
	       "event { fields := struct { six a; }; };;", "\1\2\3\4\5\6", 6,
	       "a = [ [0] = [ [0] = 1, [1] = 2 ], [1] = [ [0] = 3, [1] = 4 ], "
	       "[2] = [ [0] = 5, [1] = 6 ] ]");
	expect(HEAD "event { struct pair { u8 a; u8 b; }; enum kind : u8 { one = 1 };;"
	       "variant v <k> { u8 one; }; fields := struct { struct pair p; enum kind k; "
	       "variant v w; }; };", "\4\5\1\7", 4,
	       "p = { a = 4, b = 5 }, k = ( \"one\" : container = 1 ), w = { 7 }");
}
