/* Types from BTF: a made-up file that is right, all its mutilations, and the running
 * kernel's own. */
#include "kern/types/ktype.h"
#include "test.h"

#include <linux/btf.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a file made here ---- */

static uint8_t types[4096], file[8192];
static uint32_t types_n, file_n;
static char strings[2048];
static uint32_t strings_n = 1;
static uint32_t n_types;

static uint32_t text(const char *s)
{
	uint32_t at = strings_n;

	if (!*s)
		return 0;
	for (uint32_t i = 1; i < strings_n; i += (uint32_t)strlen(strings + i) + 1)
		if (!strcmp(strings + i, s))
			return i;
	strcpy(strings + at, s);
	strings_n += (uint32_t)strlen(s) + 1;
	return at;
}

static void put(const void *p, size_t n)
{
	memcpy(types + types_n, p, n);
	types_n += (uint32_t)n;
}

static uint32_t type(const char *name, uint32_t kind, uint32_t vlen, bool flag, uint32_t v)
{
	struct btf_type t = { .name_off = text(name), .size = v };

	t.info = kind << 24 | vlen | (uint32_t)flag << 31;
	put(&t, sizeof(t));
	return ++n_types;
}

static uint32_t integer(const char *name, uint32_t size, uint32_t encoding)
{
	uint32_t id = type(name, BTF_KIND_INT, 0, false, size);

	encoding = encoding << 24 | size * 8;
	put(&encoding, 4);
	return id;
}

static void member(const char *name, uint32_t of, uint32_t bit, uint32_t bits)
{
	struct btf_member m = { .name_off = text(name), .type = of, .offset = bits << 24 | bit };

	put(&m, sizeof(m));
}

static uint32_t array(uint32_t of, uint32_t n)
{
	struct btf_array a = { .type = of, .index_type = 1, .nelems = n };
	uint32_t id = type("", BTF_KIND_ARRAY, 0, false, 0);

	put(&a, sizeof(a));
	return id;
}

/* struct mix { union { char *text; long number; }; union { int small; long large; }; }; */
static void make_mix(uint32_t i, uint32_t l, uint32_t text_p)
{
	uint32_t pointer, word;

	pointer = type("", BTF_KIND_UNION, 2, false, 8);
	member("text", text_p, 0, 0);
	member("number", l, 0, 0);
	word = type("", BTF_KIND_UNION, 2, false, 8);
	member("small", i, 0, 0);
	member("large", l, 0, 0);
	type("mix", BTF_KIND_STRUCT, 2, false, 16);
	member("", pointer, 0, 0);
	member("", word, 64, 0);
}

/*
 *	enum color { RED = -1, GREEN = 5 };
 *	typedef int pid_t;
 *	union u { int a; char name[16]; };
 *	struct box { pid_t pid; pid_t tgid; char *text; char name[16]; long v[3];
 *		     union { u64 both; struct { int low, high; }; };
 *		     u32 f1:3, f2:11; bool done:1; struct later *l; enum color c; };
 *	struct later; struct later { int x; };
 */
static void make(void)
{
	struct btf_header h = { .magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(h) };
	uint32_t i, c, b, l, p, pid, text_p, name, v, in, un, fwd, later, color, u;
	struct btf_enum e;

	types_n = n_types = 0;
	strings_n = 1;
	i = integer("int", 4, BTF_INT_SIGNED);
	c = integer("char", 1, 0);
	b = integer("_Bool", 1, BTF_INT_BOOL);
	l = integer("long", 8, BTF_INT_SIGNED);
	pid = type("pid_t", BTF_KIND_TYPEDEF, 0, false, i);
	p = type("", BTF_KIND_CONST, 0, false, c);
	text_p = type("", BTF_KIND_PTR, 0, false, p);
	name = array(c, 16);
	v = array(l, 3);
	in = type("", BTF_KIND_STRUCT, 2, false, 8);
	member("low", i, 0, 0);
	member("high", i, 32, 0);
	un = type("", BTF_KIND_UNION, 2, false, 8);
	member("both", l, 0, 0);
	member("", in, 0, 0);
	fwd = type("later", BTF_KIND_FWD, 0, false, 0);
	fwd = type("", BTF_KIND_PTR, 0, false, fwd);
	color = type("color", BTF_KIND_ENUM, 2, true, 4);
	e = (struct btf_enum){ text("RED"), -1 };
	put(&e, sizeof(e));
	e = (struct btf_enum){ text("GREEN"), 5 };
	put(&e, sizeof(e));
	type("box", BTF_KIND_STRUCT, 11, true, 96);
	member("pid", pid, 0, 0);
	member("tgid", pid, 32, 0);
	member("text", text_p, 64, 0);
	member("name", name, 128, 0);
	member("v", v, 256, 0);
	member("", un, 448, 0);
	member("f1", i, 512, 3);
	member("f2", i, 515, 11);
	member("done", b, 526, 1);
	member("l", fwd, 576, 0);
	member("c", color, 640, 0);
	later = type("later", BTF_KIND_STRUCT, 1, false, 4);
	member("x", i, 0, 0);
	make_mix(i, l, text_p);
	u = type("u", BTF_KIND_UNION, 2, false, 16);
	member("a", i, 0, 0);
	member("name", name, 0, 0);
	(void)later;
	(void)u;
	h.type_len = types_n;
	h.str_off = types_n;
	h.str_len = strings_n;
	memcpy(file, &h, sizeof(h));
	memcpy(file + sizeof(h), types, types_n);
	memcpy(file + sizeof(h) + types_n, strings, strings_n);
	file_n = (uint32_t)sizeof(h) + types_n + strings_n;
}

static struct err err;

static struct ktypes *open_bytes(const void *bytes, size_t n, struct err *e)
{
	static struct arena arena;
	char path[] = "/tmp/ktypeXXXXXX";
	int fd = mkstemp(path);
	struct ktypes *k;

	arena_fini(&arena);
	*e = (struct err){ .arena = &arena };
	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n)
		abort();
	k = ktypes_open(path, NULL, e);
	close(fd);
	unlink(path);
	return k;
}

TEST(members)
{
	struct ktypes *k;
	struct cat_member m;
	struct type t;
	uint32_t box, bytes, n;

	make();
	k = open_bytes(file, file_n, &err);
	REQUIRE(k);
	box = ktype_struct(k, str_of("box"));
	CHECK_STR(ktype_name(k, box), "box");
	CHECK_EQ(ktype_size(k, box), 96);
	REQUIRE(ktype_member(k, box, str_of("pid"), &m));
	CHECK_EQ(m.type.kind, TY_TID);
	CHECK_EQ(m.offset, 0);
	CHECK(m.type.is_signed && m.type.size == 4);
	REQUIRE(ktype_member(k, box, str_of("tgid"), &m));
	CHECK_EQ(m.type.kind, TY_PID);
	CHECK_EQ(m.offset, 4);
	REQUIRE(ktype_member(k, box, str_of("text"), &m));
	CHECK_EQ(m.type.kind, TY_PTR);
	CHECK(ktype_pointee(k, m.type.ktype, &t) && t.kind == TY_STRING && t.bytes == 128);
	REQUIRE(ktype_member(k, box, str_of("name"), &m));
	CHECK_EQ(m.type.kind, TY_STRING);
	CHECK_EQ(m.type.bytes, 16);
	REQUIRE(ktype_member(k, box, str_of("v"), &m));
	CHECK_EQ(m.type.kind, TY_ARRAY);
	CHECK(ktype_element(k, m.type.ktype, &t, &bytes, &n) && bytes == 8 && n == 3 &&
	      t.kind == TY_INT && t.is_signed);
	REQUIRE(ktype_member(k, box, str_of("high"), &m));
	CHECK_EQ(m.offset, 60);
	CHECK(!m.via_union);
	REQUIRE(ktype_member(k, box, str_of("c"), &m));
	CHECK_EQ(m.type.kind, TY_ENUM);
	CHECK_EQ(m.type.en->n, 2);
	CHECK(!ktype_member(k, box, str_of("nothing"), &m));
	ktypes_close(k);
}

TEST(bit_fields)
{
	struct ktypes *k = open_bytes(file, file_n, &err);
	struct cat_member m;
	uint32_t box = ktype_struct(k, str_of("box"));

	REQUIRE(ktype_member(k, box, str_of("f1"), &m));
	CHECK(m.offset == 64 && m.bit_offset == 0 && m.bit_size == 3 && m.type.size == 1);
	REQUIRE(ktype_member(k, box, str_of("f2"), &m));
	CHECK(m.offset == 64 && m.bit_offset == 3 && m.bit_size == 11 && m.type.size == 2);
	REQUIRE(ktype_member(k, box, str_of("done"), &m));
	CHECK(m.offset == 65 && m.bit_offset == 6 && m.bit_size == 1 && m.type.kind == TY_BOOL);
	ktypes_close(k);
}

TEST(declared_struct_is_found)
{
	struct ktypes *k = open_bytes(file, file_n, &err);
	struct cat_member m;
	struct type t;

	REQUIRE(ktype_member(k, ktype_struct(k, str_of("box")), str_of("l"), &m));
	REQUIRE(ktype_pointee(k, m.type.ktype, &t));
	CHECK(ktype_member(k, t.ktype, str_of("x"), &m));
	CHECK(ktype_member(k, ktype_make_struct(k, str_of("later")), str_of("x"), &m));
	CHECK(!ktype_member(k, ktype_make_struct(k, str_of("never")), str_of("x"), &m));
	ktypes_close(k);
}

/* What the verifier finds there: the first member of a union that reaches so far. */
TEST(members_of_unions)
{
	static const struct {
		const char *name;
		bool via_union;
	} rows[] = { { "text", true }, { "number", true }, { "small", false }, { "large", true } };
	struct ktypes *k = open_bytes(file, file_n, &err);
	uint32_t mix = ktype_struct(k, str_of("mix"));
	struct cat_member m;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK(ktype_member(k, mix, str_of(rows[i].name), &m));
		CHECK_EQ(m.via_union, rows[i].via_union);
	}
	ktypes_close(k);
}

TEST(all_members)
{
	static const char *const names[] = {
		"pid", "tgid", "text", "name", "v", "both", "low", "high", "f1", "f2", "done",
		"l", "c",
	};
	struct ktypes *k = open_bytes(file, file_n, &err);
	uint32_t box = ktype_struct(k, str_of("box"));
	struct cat_member m;
	const char *name;
	int i = 0;

	for (; ktype_member_at(k, box, i, &name, &m); i++) {
		REQUIRE(i < 13);
		CHECK_STR(name, names[i]);
	}
	CHECK_EQ(i, 13);
	ktypes_close(k);
}

TEST(enumerators)
{
	struct ktypes *k = open_bytes(file, file_n, &err);
	struct type t;
	int64_t v = 0;

	CHECK(ktype_enumerator(k, str_of("RED"), &v, &t) && v == -1 && t.kind == TY_ENUM);
	CHECK(ktype_enumerator(k, str_of("GREEN"), &v, &t) && v == 5);
	CHECK(!ktype_enumerator(k, str_of("REEN"), &v, &t));
	CHECK(!ktype_enumerator(k, str_of("box"), &v, &t));
	/* what was found out is kept */
	CHECK(ktype_enumerator(k, str_of("RED"), &v, &t) && v == -1 && t.kind == TY_ENUM);
	CHECK(!ktype_enumerator(k, str_of("REEN"), &v, &t));
	ktypes_close(k);
}

/* Everything that can be asked, so that a wrong access is seen by the sanitisers. */
static void ask_all(struct ktypes *k)
{
	struct ktype_call call;
	struct cat_member m;
	struct type t;
	int64_t v;
	uint32_t bytes, n;
	const char *name;

	ktype_enumerator(k, str_of("GREEN"), &v, &t);
	ktype_tracepoint(k, str_of("box"), &call);
	for (uint32_t id = 0; id < 40; id++) {
		ktype_name(k, id);
		ktype_size(k, id);
		ktype_value_named(k, id, "tgid", &t);
		ktype_pointee(k, id, &t);
		ktype_element(k, id, &t, &bytes, &n);
		ktype_member(k, id, str_of("x"), &m);
		for (int i = 0; i < 20 && ktype_member_at(k, id, i, &name, &m); i++)
			(void)strlen(name);
	}
}

TEST(damaged_files)
{
	uint8_t copy[sizeof(file)];
	uint32_t seed = 1;
	int opened = 0;

	make();
	for (int round = 0; round < 4000; round++) {
		size_t n = file_n;
		struct ktypes *k;

		memcpy(copy, file, file_n);
		for (int i = 0; i < 1 + round % 4; i++) {
			seed = seed * 1103515245 + 12345;
			copy[(seed >> 8) % file_n] = (uint8_t)(seed >> 24);
		}
		if (round % 5 == 0)
			n = (seed >> 4) % file_n;
		k = open_bytes(copy, n, &err);
		if (!k)
			continue;
		opened++;
		ask_all(k);
		ktypes_close(k);
	}
	CHECK(opened > 1000);
}

TEST(missing_file)
{
	struct arena arena = { 0 };
	struct err e = { .arena = &arena };

	CHECK(!ktypes_open("/nonexistent/btf", NULL, &e));
	CHECK(e.unable && e.causes.n == 1);
	arena_fini(&arena);
}

/* ---- the running kernel ---- */

static struct ktypes *live(void)
{
	static struct arena arena;
	struct err e = { .arena = &arena };
	struct ktypes *k = ktypes_open("/sys/kernel/btf/vmlinux", "/sys/kernel/btf", &e);

	if (!k)
		SKIP("no BTF here");
	return k;
}

TEST(live_task_struct)
{
	struct ktypes *k = live();
	uint32_t task = ktype_struct(k, str_of("task_struct"));
	struct cat_member m;

	REQUIRE(task);
	REQUIRE(ktype_member(k, task, str_of("pid"), &m));
	CHECK_EQ(m.type.kind, TY_TID);
	REQUIRE(ktype_member(k, task, str_of("tgid"), &m));
	CHECK_EQ(m.type.kind, TY_PID);
	REQUIRE(ktype_member(k, task, str_of("comm"), &m));
	CHECK(m.type.kind == TY_STRING && m.type.bytes == 16);
	REQUIRE(ktype_member(k, task, str_of("mm"), &m));
	CHECK_EQ(m.type.kind, TY_PTR);
	REQUIRE(ktype_member(k, m.type.ktype, str_of("arg_start"), &m));
	CHECK(m.via_union == false && m.type.size == 8);
	ktypes_close(k);
}

TEST(live_tracepoint)
{
	struct ktypes *k = live();
	struct ktype_call c;
	int n = 0;

	REQUIRE(ktype_tracepoint(k, str_of("block_rq_issue"), &c));
	CHECK_EQ(c.n_params, 1);
	CHECK_STR(c.params[0].name, "rq");
	CHECK(c.id);
	REQUIRE(ktype_tracepoint(k, str_of("sched_switch"), &c));
	CHECK(c.n_params >= 3);
	for (int i = 0; i < c.n_params; i++)
		n += !strcmp(c.params[i].name, "prev") || !strcmp(c.params[i].name, "next");
	CHECK_EQ(n, 2);
	CHECK(!ktype_tracepoint(k, str_of("no_such_event"), &c));
	ktypes_close(k);
}

TEST(live_enumerator)
{
	struct ktypes *k = live();
	struct type t;
	int64_t v = 0;

	CHECK(ktype_enumerator(k, str_of("TCP_SYN_RECV"), &v, &t));
	CHECK_EQ(v, 3);
	ktypes_close(k);
}
