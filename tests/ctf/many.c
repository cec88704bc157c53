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
