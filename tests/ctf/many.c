/* Metadata of many event classes: what is written alike is one, and says the same as alone. */
#include "test.h"

#include "base/buf.h"
#include "ctf/impl.h"

#define HEAD "/* CTF 1.8 */ trace { byte_order = le; };" \
	"typealias integer { size = 8; } := u8; typealias integer { size = 16; } := u16;" \
	"typealias integer { size = 32; } := a;" \
	"stream { event.header := struct { u16 id; }; };"

static struct ctf *open_text(const char *text)
{
	return reader_open_bytes(str_of(text), NULL, 0);
}

static uint32_t bits_of(const struct ctf *t, int class, const char *field)
{
	const struct ctf_type *type = ctf_field(t->classes[class], CTF_PAYLOAD, field);

	return type ? type->bits : 0;
}

#define N 5000

static size_t bytes_of(const char *payload)
{
	struct buf text = { 0 };
	struct ctf *t;
	size_t bytes;

	buf_printf(&text, "%s", HEAD);
	for (int i = 0; i < N; i++)
		buf_printf(&text, "event { name = \"event_%d\"; id = %d; fields := struct { %s }; };\n", i, i,
			   payload);
	t = open_text(text.p);
	CHECK_EQ(t->n_classes, N);
	CHECK_EQ(t->n_notes, 0);
	ctf_begin(t, &(struct ctf_options){ 0 });
	CHECK_EQ(bits_of(t, N - 1, "y"), 8);
	bytes = ((struct reader *)t)->arena.bytes;
	ctf_close(t);
	buf_fini(&text);
	return bytes;
}

TEST(many_of_one_payload)
{
	size_t one = bytes_of("u8 y;");
	size_t most = bytes_of("u8 y; integer { size = 32; align = 8; signed = 1; } b;"
			       "enum e : u8 { none, some = 4 ... 9 } c; string d; u8 e[4];");

	CHECK(most < one + 10000);
}

/* Payloads that all differ, as LTTng writes them in both languages. */
static const char *const differing[] = {
	"event {\n\tname = \"prov:event_%d\";\n\tid = %d;\n\tloglevel = 13;\n\tfields := struct {\n"
	"\t\tinteger { size = 32; align = 8; signed = 1; encoding = none; base = 10; } _a%d;\n"
	"\t\tinteger { size = 8; align = 8; signed = 0; encoding = none; base = 10; } _b%d;\n\t};\n};\n\n",
	"\x1e{\"type\":\"event-record-class\",\"name\":\"prov:event_%d\",\"id\":%d,\"payload-field-class\":"
	"{\"type\":\"structure\",\"member-classes\":[{\"name\":\"a%d\",\"field-class\":"
	"{\"type\":\"fixed-length-signed-integer\",\"length\":32,\"byte-order\":\"little-endian\",\"alignment\":8}},"
	"{\"name\":\"b%d\",\"field-class\":"
	"{\"type\":\"fixed-length-unsigned-integer\",\"length\":8,\"byte-order\":\"little-endian\",\"alignment\":8}}]}}\n",
};

TEST(many_that_differ)
{
	static const char *const heads[] = {
		HEAD, "\x1e{\"type\":\"preamble\",\"version\":2}\n\x1e{\"type\":\"data-stream-class\",\"id\":0}\n",
	};

	for (int kind = 0; kind < 2; kind++) {
		struct buf text = { 0 };
		struct ctf *t;

		buf_printf(&text, "%s", heads[kind]);
		for (int i = 0; i < N; i++)
			buf_printf(&text, differing[kind], i, i, i, i);
		t = open_text(text.p);
		CHECK_EQ(t->n_classes, N);
		CHECK_EQ(t->n_notes, 0);
		CHECK_EQ(bits_of(t, N - 1, "b4999"), 8);
		if (((struct reader *)t)->arena.bytes > text.n * 5 / 2)
			TEST_FAIL("%zu bytes for %zu", ((struct reader *)t)->arena.bytes, (size_t)text.n);
		ctf_close(t);
		buf_fini(&text);
	}
}

/* One type of text, but each field has its own value and is the length of its own array. */
TEST(many_places_of_one_type)
{
	static const uint8_t data[] = { 0, 0, 1, 2, 9, 7, 8, 5, 6 };
	struct ctf *t = reader_open_bytes(str_of(HEAD "event { id = 0; fields := struct {"
						 " u8 n, m; u8 x[n]; u8 y[m]; u8 p; u8 q; }; };"), data, sizeof(data));
	const struct ctf_event *e;
	uint64_t y[4];
	int m, n, p, q, at_y;

	n = ctf_want(t, t->classes[0], CTF_PAYLOAD, "n");
	m = ctf_want(t, t->classes[0], CTF_PAYLOAD, "m");
	at_y = ctf_want(t, t->classes[0], CTF_PAYLOAD, "y");
	p = ctf_want(t, t->classes[0], CTF_PAYLOAD, "p");
	q = ctf_want(t, t->classes[0], CTF_PAYLOAD, "q");
	ctf_begin(t, &(struct ctf_options){ 0 });
	e = ctf_next(t);
	REQUIRE(e);
	CHECK_EQ(ctf_value(e, n)->u, 1);
	CHECK_EQ(ctf_value(e, m)->u, 2);
	CHECK_EQ(ctf_value(e, p)->u, 5);
	CHECK_EQ(ctf_value(e, q)->u, 6);
	REQUIRE(ctf_integers(t, ctf_value(e, at_y), y, 4) == 2);
	CHECK_EQ(y[1], 8);
	ctf_close(t);
}

/* What little text can make large has an end, and says so. */
TEST(many_labels)
{
	struct buf text = { 0 };
	struct ctf *t;

	buf_printf(&text, "%s", HEAD "event { id = 0; fields := struct { u8 x; }; };"
		   "event { id = 1; fields := struct { enum : u8 {");
	for (int i = 0; i < 3000000; i++)
		buf_add(&text, "a,", 2);
	buf_printf(&text, "} x; }; };");
	t = open_text(text.p);
	CHECK_EQ(t->n_classes, 1);
	CHECK_EQ(t->n_notes, 1);
	CHECK(strstr(t->notes[0], "the types take more memory than metadata of this size may") != NULL);
	ctf_close(t);
	buf_fini(&text);
}

/* What a name means where it stands is not what it means later. */
TEST(many_with_other_names)
{
	struct ctf *t = open_text(HEAD
		"event { id = 0; fields := struct { a x; }; };"
		"typealias integer { size = 64; } := a;"
		"event { id = 1; fields := struct { a x; }; };"
		"event { id = 2; typealias integer { size = 16; } := a; fields := struct { a x; }; };"
		"event { id = 3; fields := struct { a x; }; };"
		"event { id = 4; fields := struct { a x; struct s { u8 y; } z; }; };"
		"event { id = 5; fields := struct { a x; /* } */ struct s { u8 y; } z; }; };"
		"event { id = 6; fields := struct { a x; /* } */ u8 y; }; };"
		"event { id = 7; fields := struct { a x; /* } */ u16 y; }; };");

	CHECK_EQ(t->n_notes, 0);
	CHECK_EQ(t->n_classes, 8);
	CHECK_EQ(bits_of(t, 0, "x"), 32);
	CHECK_EQ(bits_of(t, 1, "x"), 64);
	CHECK_EQ(bits_of(t, 2, "x"), 16);
	CHECK_EQ(bits_of(t, 3, "x"), 64);
	CHECK_EQ(bits_of(t, 5, "z.y"), 8);
	CHECK_EQ(bits_of(t, 6, "y"), 8);
	CHECK_EQ(bits_of(t, 7, "y"), 16);
	ctf_close(t);
}

TEST(many_with_a_later_clock)
{
	struct ctf *t = open_text(HEAD
		"event { id = 0; fields := struct { integer { size = 64; map = clock.c.value; } x; }; };"
		"clock { name = c; };"
		"event { id = 1; fields := struct { integer { size = 64; map = clock.c.value; } x; }; };");

	CHECK_EQ(ctf_field(t->classes[0], CTF_PAYLOAD, "x")->clock, -1);
	CHECK_EQ(ctf_field(t->classes[1], CTF_PAYLOAD, "x")->clock, 0);
	ctf_close(t);
}

/* Of a payload that is known, too, the line is counted. */
TEST(many_lines)
{
	struct ctf *t = open_text(HEAD "\n"
		"event { id = 0; fields := struct {\n u8 x;\n}; };\n"
		"event { id = 1; fields := struct {\n u8 x;\n}; };\n"
		"event { id = 2; fields := struct {\n u7 x;\n}; };\n");

	CHECK_EQ(t->n_classes, 2);
	CHECK_EQ(t->n_notes, 1);
	CHECK(strstr(t->notes[0], "line 9, at 'x': no type 'u7'") != NULL);
	ctf_close(t);
}
