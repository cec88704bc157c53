/*
 * CTF 2: the examples of its specification, which are in spec2.examples, each put into the
 * smallest metadata that it makes sense in; and what the specification says besides them.
 */
#include "test.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "ctf/impl.h"

#define PREAMBLE "\x1e{\"type\":\"preamble\",\"version\":2}"
#define STREAM "\x1e{\"type\":\"data-stream-class\"}"
#define STRUCT(members) "{\"type\":\"structure\",\"member-classes\":[" members "]}"
#define MEMBER(name, class) "{\"name\":\"" name "\",\"field-class\":" class "}"
#define VARINT "{\"type\":\"variable-length-unsigned-integer\"}"
#define ROLE(role) "{\"type\":\"variable-length-unsigned-integer\",\"roles\":[\"" role "\"]}"
#define BLOB "{\"type\":\"dynamic-length-blob\",\"length-field-location\":@}"
#define EVENT(rest) "\x1e{\"type\":\"event-record-class\"" rest "}"
#define PAYLOAD(members) EVENT(",\"payload-field-class\":" STRUCT(members))
#define CONTEXT ",\"specific-context-field-class\":" STRUCT(MEMBER("sel", VARINT))
#define LABELS(ranges, class) "{\"type\":\"" class "\",\"mappings\":{\"in\":" ranges "}}"
#define U8 "{\"type\":\"field-class-alias\",\"name\":\"u8\",\"field-class\":" \
	"{\"type\":\"fixed-length-unsigned-integer\",\"length\":8,\"byte-order\":\"big-endian\"}}"
#define CLOCK(clock) PREAMBLE "\x1e" clock "\x1e{\"type\":\"data-stream-class\"," \
	"\"default-clock-class-id\":\"my clock class\",\"event-record-header-field-class\":" \
	STRUCT(MEMBER("t", ROLE("default-clock-timestamp"))) "}" EVENT("")
#define NS_CLOCK(rest) CLOCK("{\"type\":\"clock-class\",\"id\":\"my clock class\"," \
	"\"frequency\":1000000000," rest "}")
#define BEHIND(bits) PREAMBLE "\x1e{\"type\":\"data-stream-class\"," \
	"\"packet-context-field-class\":" STRUCT(MEMBER("n", "{\"type\":" \
	"\"fixed-length-unsigned-integer\",\"length\":" #bits ",\"byte-order\":\"big-endian\"," \
	"\"roles\":[\"packet-content-length\"]}")) "}" \
	EVENT(",\"payload-field-class\":{\"type\":\"structure\",\"member-classes\":@}")
#define OPTIONS(class) MEMBER("sel", class) ",{\"name\":\"x\",\"field-class\":{\"type\":" \
	"\"variant\",\"selector-field-location\":{\"path\":[\"sel\"]},\"options\":[@]}}"

/* @: the example; +: the members before it. */
static const struct { const char *name, *metadata; } kinds[] = {
	{ "fragments", "@" },
	{ "class", PREAMBLE STREAM PAYLOAD("+" MEMBER("x", "@")) },
	{ "payload", PREAMBLE STREAM EVENT(",\"payload-field-class\":@") },
	{ "event", PREAMBLE STREAM EVENT(",@") },
	{ "member", PREAMBLE STREAM PAYLOAD("@") },
	{ "inside", PREAMBLE STREAM PAYLOAD("+" MEMBER("x", STRUCT(MEMBER("y", "@")))) },
	{ "with-context", PREAMBLE STREAM EVENT(CONTEXT ",\"payload-field-class\":"
						STRUCT(MEMBER("x", "@"))) },
	{ "payload-with-context", PREAMBLE STREAM EVENT(CONTEXT ",\"payload-field-class\":@") },
	{ "payload-with-common-context", PREAMBLE "\x1e{\"type\":\"data-stream-class\","
	  "\"event-record-common-context-field-class\":" STRUCT(MEMBER("sel", VARINT)) "}"
	  EVENT(",\"payload-field-class\":@") },
	{ "behind-16", BEHIND(16) },
	{ "behind-32", BEHIND(32) },
	{ "length", PREAMBLE STREAM PAYLOAD("+" MEMBER("x", BLOB)) },
	{ "length-deep", PREAMBLE STREAM PAYLOAD("+" MEMBER("x",
	  STRUCT(MEMBER("y", STRUCT(MEMBER("z", BLOB)))))) },
	{ "length-by-header", PREAMBLE "\x1e{\"type\":\"data-stream-class\","
	  "\"event-record-header-field-class\":" STRUCT(MEMBER("id", ROLE("event-record-class-id")))
	  "}" EVENT(",\"id\":2,\"payload-field-class\":" STRUCT(MEMBER("x", BLOB))) },
	{ "range", PREAMBLE STREAM
	  PAYLOAD(MEMBER("x", LABELS("[@]", "variable-length-signed-integer"))) },
	{ "ranges", PREAMBLE STREAM
	  PAYLOAD(MEMBER("x", LABELS("@", "variable-length-signed-integer"))) },
	{ "mappings", PREAMBLE STREAM PAYLOAD(MEMBER("x",
	  "{\"type\":\"variable-length-signed-integer\",\"mappings\":@}")) },
	{ "flags", PREAMBLE STREAM PAYLOAD(MEMBER("x", "{\"type\":\"fixed-length-bit-map\","
	  "\"length\":8,\"byte-order\":\"little-endian\",\"flags\":@}")) },
	{ "option", PREAMBLE STREAM
	  PAYLOAD(OPTIONS("{\"type\":\"variable-length-signed-integer\"}")) },
	{ "attributes", PREAMBLE STREAM PAYLOAD("{\"attributes\":@,\"name\":\"x\",\"field-class\":"
	  VARINT "}") },
	{ "preamble", "\x1e@" STREAM PAYLOAD(MEMBER("x", VARINT)) },
	{ "preamble-extensions", "\x1e{\"type\":\"preamble\",\"version\":2,\"extensions\":@}" STREAM },
	{ "with-u8", PREAMBLE "\x1e@" STREAM PAYLOAD(MEMBER("x", "\"u8\"")) },
	{ "with-uint8", PREAMBLE "\x1e" U8 "\x1e@" STREAM PAYLOAD(MEMBER("x", "\"uint8\"")) },
	{ "clock", CLOCK("@") },
	{ "origin", NS_CLOCK("\"origin\":@") },
	{ "offset", NS_CLOCK("\"offset-from-origin\":@") },
};

struct example {
	struct buf head, text, before, bytes;
	bool is_read;			/* its bytes were shown to the reader */
	struct buf seen, notes;
};

static void fill(struct buf *out, const char *metadata, const struct example *x)
{
	for (; *metadata; metadata++)
		if (*metadata == '@')
			buf_add(out, x->text.p, x->text.n);
		else if (*metadata == '+')
			buf_add(out, x->before.p ? x->before.p : "", x->before.n);
		else
			buf_putc(out, *metadata);
}

/* All that is told of a trace of these bytes: the event, the uuid, the clock; the notes. */
static void read_trace(struct str metadata, const struct buf *bytes, struct buf *out,
		       struct buf *notes)
{
	struct ctf *t = reader_open_bytes(metadata, bytes->p, bytes->n);
	const struct ctf_trace *trace = t->traces[0];
	const struct ctf_event *e;

	ctf_begin(t, &(struct ctf_options){ 0 });
	while ((e = ctf_next(t)))
		ctf_print_event(t, e, out);
	for (int i = 0; trace->has_uuid && i < 16; i++)
		buf_printf(out, "%s%02x", i ? "" : "uuid ", trace->uuid[i]);
	for (int i = 0; i < trace->n_clocks; i++)
		buf_printf(out, "clock %" PRIu64 " Hz from %s %" PRId64 " s + %" PRIu64 "\n",
			   trace->clocks[i].frequency,
			   trace->clocks[i].is_absolute ? "1970" : "its own",
			   trace->clocks[i].offset_s, trace->clocks[i].offset_cycles);
	buf_puts(out, "");
	buf_puts(notes, "");
	for (int i = 0; i < t->n_notes; i++)
		buf_printf(notes, "%s\n", t->notes[i]);
	ctf_close(t);
}

static void read_example(struct example *x)
{
	const char *kind = strrchr(x->head.p, ' ') + 1;
	struct buf metadata = { 0 };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].name, kind))
			fill(&metadata, kinds[i].metadata, x);
	if (!metadata.n)
		TEST_FAIL("%s: no such kind", x->head.p);
	buf_clear(&x->seen);
	buf_clear(&x->notes);
	read_trace((struct str){ metadata.p, (int)metadata.n }, &x->bytes, &x->seen, &x->notes);
	buf_fini(&metadata);
	x->is_read = true;
}

/* "05 00*3": in hexadecimal, some several times. */
static void parse_bytes(struct buf *out, const char *text)
{
	unsigned byte;
	int used, n;

	buf_clear(out);
	for (; sscanf(text, " %x%n", &byte, &used) == 1; text += used) {
		text += used;
		n = 1;
		used = 0;
		if (*text == '*')
			sscanf(text, "*%d%n", &n, &used);
		while (n--)
			buf_putc(out, (char)byte);
	}
}

static void check_line(struct example *x, char mark, const char *want)
{
	if (!x->is_read)
		read_example(x);
	if (!strstr(mark == '>' ? x->seen.p : x->notes.p, want))
		TEST_FAIL("example %s: no '%s' in '%s', notes '%s'", x->head.p, want, x->seen.p,
			  x->notes.p);
	if (mark == '>' && x->notes.n)
		TEST_FAIL("example %s: %s", x->head.p, x->notes.p);
}

static void take_line(struct example *x, const char *line)
{
	bool begins = line[0] == '@';

	if (begins) {
		buf_clear(&x->head);
		buf_clear(&x->text);
		buf_clear(&x->before);
		buf_clear(&x->bytes);
		buf_puts(&x->head, line + 2);
	} else if (line[0] == '>' || line[0] == '!') {
		check_line(x, line[0], line + 2);
		return;
	} else if (line[0] == '<') {
		parse_bytes(&x->bytes, line + 2);
	} else if (line[0] == '+') {
		buf_printf(&x->before, "%s\n", line + 2);
	} else if (line[0]) {
		buf_printf(&x->text, "%s\n", line);
	}
	x->is_read = false;
}

TEST(examples_of_the_specification)
{
	FILE *f = fopen("tests/ctf/spec2.examples", "re");
	struct example x = { 0 };
	char line[1024];
	int n = 0;

	if (!f)
		TEST_FAIL("no tests/ctf/spec2.examples");
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		n += line[0] == '@';
		if (line[0] != '#')
			take_line(&x, line);
	}
	if (n < 103)
		TEST_FAIL("only %d examples", n);
	fclose(f);
	for (struct buf *b = &x.head; b <= &x.bytes; b++)
		buf_fini(b);
	buf_fini(&x.seen);
	buf_fini(&x.notes);
}

/* ---- what has no example ---- */

static void expect(const char *metadata, const char *data, size_t bytes, const char *want,
		   const char *note)
{
	struct buf seen = { 0 }, notes = { 0 }, b = { 0 };

	buf_add(&b, data, bytes);
	read_trace(str_of(metadata), &b, &seen, &notes);
	if (!strstr(seen.p, want) || !strstr(notes.p, note) || (!*note && notes.n))
		TEST_FAIL("%s and not %s; notes %s", seen.p, want, notes.p);
	buf_fini(&seen);
	buf_fini(&notes);
	buf_fini(&b);
}

#define EXPECT(metadata, data, want) expect(metadata, data, sizeof(data) - 1, want, "")

/* A time of variable length is the low part of the clock's, as long as it is. */
TEST(times_of_variable_length)
{
	EXPECT(NS_CLOCK("\"offset-from-origin\":{}"), "\xe8\x07\x05", "[0.000001029] ");
	EXPECT(NS_CLOCK("\"offset-from-origin\":{}"), "\xe8\x07\x85\x01", "[0.000016517] ");
}

/* One field, several roles; and several fields of one role, the last of which holds. */
TEST(roles)
{
	EXPECT(PREAMBLE "\x1e{\"type\":\"data-stream-class\",\"packet-context-field-class\":"
	       STRUCT(MEMBER("a", ROLE("packet-content-length\",\"packet-total-length"))) "}"
	       PAYLOAD(MEMBER("x", VARINT)), "\x10\x05\x18\x06\x07",
	       "{ x = 5 }\n<unknown>: { x = 6 }\n<unknown>: { x = 7 }");
	EXPECT(PREAMBLE "\x1e{\"type\":\"data-stream-class\",\"event-record-header-field-class\":"
	       STRUCT(MEMBER("a", ROLE("event-record-class-id")) ","
		      MEMBER("b", ROLE("event-record-class-id"))) "}"
	       EVENT(",\"id\":7,\"name\":\"seven\"") EVENT(",\"id\":8,\"name\":\"eight\""),
	       "\7\10", "eight: ");
}

/* A role says nothing where it has no place: such a field is as any other. */
TEST(roles_elsewhere)
{
	EXPECT(PREAMBLE STREAM PAYLOAD(MEMBER("x", ROLE("event-record-class-id"))), "\5",
	       "{ x = 5 }");
	EXPECT(PREAMBLE "\x1e{\"type\":\"data-stream-class\",\"packet-context-field-class\":"
	       STRUCT(MEMBER("a", ROLE("event-record-class-id"))) "}"
	       PAYLOAD(MEMBER("x", VARINT)), "\1\5", "{ a = 1 }, { x = 5 }");
}

/* null leaves a structure, also one that the path went into. */
TEST(null_behind_a_name)
{
	EXPECT(PREAMBLE STREAM PAYLOAD(MEMBER("n", VARINT) "," MEMBER("s", STRUCT(MEMBER("m", VARINT)))
	       "," MEMBER("x", "{\"type\":\"dynamic-length-string\",\"length-field-location\":"
	       "{\"path\":[\"s\",null,\"n\"]}}")), "\1\7a", "n = 1, s = { m = 7 }, x = \"a\"");
}

/* More than 64 bits, in and between bytes. */
TEST(large_numbers)
{
#define WIDE(type, bits) "{\"type\":\"fixed-length-" type "\",\"length\":" #bits \
	",\"byte-order\":\"little-endian\"}"
	EXPECT(PREAMBLE STREAM PAYLOAD(MEMBER("b", WIDE("unsigned-integer", 4)) ","
	       MEMBER("x", WIDE("bit-array", 72)) "," MEMBER("e", WIDE("unsigned-integer", 4))),
	       "\x21\x43\0\0\0\0\0\0\0\x65", "b = 1, x = [ [0] = 0x32, [1] = 0x4, ");
	EXPECT(PREAMBLE STREAM PAYLOAD(MEMBER("x", WIDE("bit-array", 65)) ","
	       MEMBER("e", WIDE("unsigned-integer", 7))), "\1\0\0\0\0\0\0\0\7",
	       "[63] = 0x0, [64] = 0x1 ], e = 3");
}

/* What the specification calls an error is one. */
TEST(errors)
{
	expect(STREAM PAYLOAD(MEMBER("x", VARINT)), "\5", 1, "",
	       "the first fragment is not a preamble");
	expect(PREAMBLE PREAMBLE STREAM, "\5", 1, "", "a second preamble");
	expect(PREAMBLE STREAM STREAM, "\5", 1, "", "a second data stream class of id 0");
	expect("\x1e" U8, "\5", 1, "", "the first fragment is not a preamble");
	expect(PREAMBLE "\x1e" U8 "\x1e" U8, "\5", 1, "", "a second field class alias 'u8'");
}
