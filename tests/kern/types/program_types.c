/*
 * Parameters out of debug information: of tests/work/typed.c, as several compilers and
 * versions of DWARF tell them, of C++ and Rust; and of files whose debug information is
 * damaged: the child may break, nothing else.
 *
 */
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/folder.h"
#include "test.h"

#include "kern/types/program_types.h"
#include "user/child_reader.h"
#include "user/debug_info.h"
#include "user/elf_functions.h"
#include "user/source_lines.h"

#define BTF "/sys/kernel/btf/vmlinux"
#define DAMAGED 16			/* files, for each way of damage; or $DAMAGED */
#define PARAMS_MOST 8
#define NEEDS_LIBDW if (access(BTF, R_OK) || !debug_info_there()) SKIP("no BTF, or no libdw.so.1")

__attribute__((format(printf, 1, 2)))
static bool run(const char *fmt, ...)
{
	char command[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	return system(command) == 0;
}

/* ---- a program and what is told of its functions ---- */

struct program {
	struct arena arena;
	struct err err;
	struct ktypes *types;
	struct elf_functions *elf;
	struct program_types *told;
};

static bool program_open(struct program *p, const char *path)
{
	*p = (struct program){ .err.arena = &p->arena };
	p->types = ktypes_open(BTF, NULL, &p->err);
	p->elf = elf_functions_open(path, "", &p->err);
	if (p->types && p->elf && elf_functions_dwarf(p->elf) >= 0)
		p->told = program_types_open(p->types, elf_functions_dwarf(p->elf));
	return p->told;
}

static void program_close(struct program *p)
{
	if (p->told)
		program_types_close(p->told);
	elf_functions_close(p->elf);
	if (p->types)
		ktypes_close(p->types);
	arena_fini(&p->arena);
}

static uint64_t address_of(struct program *p, const char *name)
{
	elf_function_list found = { 0 };

	elf_functions_find(p->elf, str_of(name), 100, &p->arena, &found);
	return found.n ? found.v[0].address : 0;
}

static struct program_signature signature_of(struct program *p, const char *name)
{
	struct program_signature s = { 0 };
	uint64_t address = address_of(p, name);

	CHECK(address && program_types_signatures(p->told, &address, 1, &s));
	return s;
}

/* "len=integer:r1 x=real:f -> integer:r0": name, type, place. */
static const char *text_of(struct program *p, const char *name)
{
	static const char letters[] = { 'n', 'r', 'p', 's', 'f', 'v' };
	struct program_signature s = signature_of(p, name);
	struct ktype_call call = { 0 };
	struct buf b = { 0 };
	uint32_t returns = 0;
	const char *text;
	struct type t;

	if (!ktype_signature(p->types, program_types_ktype(p->told, s.proto), &call, &returns))
		return "nothing";
	for (int i = 0; i < call.n_params && i < s.n_params; i++) {
		bool has = ktype_value(p->types, call.params[i].ktype, &t);

		buf_printf(&b, "%s=%s%s:%c%d ", call.params[i].name, has && t.user ? "user " : "",
			   has ? type_name(&t) : "void", letters[s.params[i].place], s.params[i].at);
	}
	buf_printf(&b, "-> %s:%c", returns && ktype_value(p->types, returns, &t) ? type_name(&t) : "void",
		   letters[s.ret]);
	text = arena_strdup(&p->arena, b.p);
	buf_fini(&b);
	return text;
}

static bool member_of(struct program *p, const char *function, int param, const char *name,
		      struct cat_member *m)
{
	struct program_signature s = signature_of(p, function);
	struct ktype_call call = { 0 };
	struct type t = { 0 }, to = { 0 };
	uint32_t returns;

	*m = (struct cat_member){ 0 };
	return ktype_signature(p->types, program_types_ktype(p->told, s.proto), &call, &returns) &&
	       call.n_params > param && ktype_value(p->types, call.params[param].ktype, &t) &&
	       ktype_pointee(p->types, t.ktype, &to) && ktype_member(p->types, to.ktype, str_of(name), m);
}

/* ---- the calling convention ---- */

static void check_typed(const char *path)
{
	struct program p;

	if (!program_open(&p, path)) {
		TEST_FAIL("%s: no debug information", path);
		program_close(&p);
		return;
	}
	CHECK_STR(text_of(&p, "plain"),
		  "text=user pointer:r0 len=integer:r1 kind=integer:r2 step=integer:r3 color=enum:r4 "
		  "big=integer:r5 seventh=integer:s0 eighth=integer:s1 -> integer:r");
	CHECK_STR(text_of(&p, "handle"), "r=user pointer:r0 other=user pointer:r1 -> size:r");
	CHECK_STR(text_of(&p, "scale"), "x=real:f0 n=integer:r0 y=real:f1 m=integer:r1 -> real:f");
	CHECK_STR(text_of(&p, "by_value"), "p=struct:v1 q=struct:v2 x=struct:v2 l=struct:v0 "
		  "last=integer:r3 -> pointer:p");
	CHECK_STR(text_of(&p, "wide"), "w=struct:v0 after=integer:r2 d=real:f0 behind=integer:r3 "
		  "-> integer:r");
	CHECK_STR(text_of(&p, "colored"), "yes=bool:r0 letter=integer:r1 where=user pointer:r2 -> enum:r");
	CHECK_STR(text_of(&p, "nothing"), "-> void:n");
	CHECK(program_types_is_inlined(p.told, str_of("everywhere")));
	CHECK(!program_types_is_inlined(p.told, str_of("plain")));
	CHECK(program_types_struct(p.told, str_of("request")));
	CHECK(!program_types_struct(p.told, str_of("no_such_struct")));
	CHECK(!program_types_trouble(p.told));
	program_close(&p);
}

static const char *typed(void)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/tests/work/typed", getenv("B") ? getenv("B") : "build");
	return path;
}

#ifdef __x86_64__
TEST(places_and_types)
{
	NEEDS_LIBDW;
	check_typed(typed());
}

/* What compilers write differs: offsets of bit fields, references between units. */
TEST(compilers_and_versions)
{
	static const char *const ways[] = {
		"gcc -O2 -gdwarf-4", "gcc -O0 -gdwarf-5", "gcc -O2 -g -gz", "gcc -O3 -gdwarf-3",
		"clang-14 -O2 -gdwarf-5", "clang-14 -O1 -gdwarf-4",
	};
	char path[256];

	NEEDS_LIBDW;
	snprintf(path, sizeof(path), "%s/way", folder());
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (!run("command -v %.*s >/dev/null", (int)strcspn(ways[i], " "), ways[i]))
			continue;
		if (run("%s -w -o %s tests/work/typed.c 2>/dev/null", ways[i], path))
			check_typed(path);
		else
			TEST_FAIL("%s", ways[i]);
	}
}

TEST(debug_file_beside)
{
	char path[256];

	if (access(BTF, R_OK) || !debug_info_there() || !run("command -v gcc objcopy strip >/dev/null"))
		SKIP("no BTF, libdw.so.1 or binutils");
	snprintf(path, sizeof(path), "%s/apart", folder());
	REQUIRE(run("cd %s && gcc -w -O2 -g -o apart $OLDPWD/tests/work/typed.c && "
		    "objcopy --only-keep-debug apart apart.debug && strip apart && "
		    "objcopy --add-gnu-debuglink=apart.debug apart", folder()));
	check_typed(path);
	/* with names of its own, too */
	REQUIRE(run("cd %s && gcc -w -O2 -g -o apart $OLDPWD/tests/work/typed.c && "
		    "objcopy --only-keep-debug apart apart.debug && strip -g apart && "
		    "objcopy --add-gnu-debuglink=apart.debug apart", folder()));
	check_typed(path);
}

TEST(cpp_and_rust)
{
	struct cat_member m;
	struct program p;
	char path[256];

	NEEDS_LIBDW;
	snprintf(path, sizeof(path), "%s/other", folder());
	if (run("command -v g++ >/dev/null")) {
		REQUIRE(run("cat >%s.cc <<'END'\n"
			    "struct owner { long id; ~owner(); };\n"
			    "__attribute__((noinline)) owner::~owner() { asm volatile(\"\" ::: \"memory\"); }\n"
			    "struct base { int low; }; struct other { long x; };\n"
			    "struct three { long a, b; owner c; }; struct plain { ~plain() = default; long v; };\n"
			    "namespace ns { class cart : public other, public base { public: int n;\n"
			    "__attribute__((noinline)) long add(const int &k, owner o, bool b) {\n"
			    "asm volatile(\"\" ::: \"memory\"); return n + k + o.id + b + low; } }; }\n"
			    "__attribute__((noinline)) owner make(three t, plain p, int i) {\n"
			    "asm volatile(\"\" ::: \"memory\"); return owner{t.a + p.v + i}; }\n"
			    "int main() { ns::cart c; c.n = 1; return c.add(2, make(three(), plain(), 1), true); }\n"
			    "END\ng++ -O2 -g -o %s %s.cc", path, path, path));
		REQUIRE(program_open(&p, path));
		CHECK_STR(text_of(&p, "ns::cart::add"), "this=user pointer:r0 k=user pointer:r1 "
			  "o=user pointer:p2 b=bool:r3 -> integer:r");
		CHECK_STR(text_of(&p, "make"), "t=user pointer:p1 p=struct:v2 i=integer:r3 -> pointer:p");
		CHECK(member_of(&p, "ns::cart::add", 0, "low", &m) && m.offset == 8);
		CHECK(member_of(&p, "ns::cart::add", 2, "id", &m) && m.offset == 0);
		program_close(&p);
	}
	if (run("command -v rustc >/dev/null")) {
		REQUIRE(run("cat >%s.rs <<'END'\n"
			    "pub struct Big { a: u64, b: u64, c: u32 }\n"
			    "#[inline(never)] pub fn work(s: &str, big: Big, n: i32) -> i32 {\n"
			    "s.len() as i32 + big.a as i32 + big.b as i32 + big.c as i32 + n }\n"
			    "fn main() { let n = std::env::args().count() as i32;\n"
			    "std::process::exit(work(\"text\", Big { a: 1, b: 2, c: n as u32 }, n)) }\n"
			    "END\nrustc -O -g -o %s %s.rs 2>/dev/null", path, path, path));
		REQUIRE(program_open(&p, path));
		CHECK_STR(text_of(&p, "other::work"),
			  "s=struct:v0 big=user pointer:p2 n=integer:r3 -> integer:r");
		CHECK(member_of(&p, "other::work", 1, "c", &m) && m.type.size == 4);
		program_close(&p);
	}
}
#endif

/* ---- members ---- */

TEST(members)
{
	static const struct {
		const char *name;
		uint8_t kind, size, bit_size;
	} rows[] = {
		{ "next", TY_PTR, 8, 0 }, { "peer", TY_PTR, 8, 0 }, { "own", TY_STRUCT, 8, 0 },
		{ "color", TY_ENUM, 4, 0 }, { "low", TY_INT, 1, 3 }, { "middle", TY_INT, 2, 10 },
		{ "high", TY_INT, 4, 19 }, { "grid", TY_ARRAY, 8, 0 }, { "number", TY_INT, 8, 0 },
		{ "upper", TY_INT, 4, 0 }, { "ratio", TY_REAL, 8, 0 }, { "done", TY_BOOL, 1, 0 },
		{ "call", TY_UADDR, 8, 0 }, { "hidden", TY_PTR, 8, 0 },
	};
	struct cat_member m, lower;
	uint32_t bytes, n;
	struct program p;
	struct type t;

	NEEDS_LIBDW;
	REQUIRE(program_open(&p, typed()));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!member_of(&p, "handle", 0, rows[i].name, &m)) {
			TEST_FAIL("no %s", rows[i].name);
			continue;
		}
		CHECK_EQ(m.type.kind, rows[i].kind);
		CHECK_EQ(m.bit_size, rows[i].bit_size);
		CHECK(m.type.size == rows[i].size);
	}
	CHECK(member_of(&p, "handle", 0, "lower", &lower) && member_of(&p, "handle", 0, "upper", &m));
	CHECK(m.offset == lower.offset + 4 && !lower.via_union);
	CHECK(member_of(&p, "handle", 0, "grid", &m));
	REQUIRE(ktype_element(p.types, m.type.ktype, &t, &bytes, &n));
	CHECK(t.kind == TY_ARRAY && bytes == 12 && n == 2);
	CHECK(ktype_element(p.types, t.ktype, &t, &bytes, &n) && t.is_signed && bytes == 4 && n == 3);
	CHECK(member_of(&p, "handle", 0, "color", &m) && m.type.en->n == 3 && m.type.is_signed);
	CHECK(!member_of(&p, "handle", 0, "nothing", &m));
	CHECK(member_of(&p, "handle", 0, "own", &m) && ktype_member(p.types, m.type.ktype, str_of("label"), &m));
	CHECK(m.type.kind == TY_STRING && m.type.bytes == 16 && m.offset == 8);
	/* the kernel's struct request is another */
	CHECK(ktype_struct(p.types, str_of("request")) >> 24 == 0);
	program_close(&p);
}

/* ---- damage ---- */

struct bytes {
	uint8_t *p;
	size_t n;
};

static struct bytes read_file(const char *path)
{
	struct bytes b = { 0 };
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st))
		return b;
	b.p = malloc((size_t)st.st_size);
	b.n = b.p && read(fd, b.p, (size_t)st.st_size) == st.st_size ? (size_t)st.st_size : 0;
	close(fd);
	return b;
}

static Elf64_Shdr *section(const struct bytes *b, const char *name)
{
	const Elf64_Ehdr *h = (const void *)b->p;
	Elf64_Shdr *s = (void *)(b->p + h->e_shoff);

	for (int i = 0; i < h->e_shnum; i++)
		if (!strcmp((char *)b->p + s[h->e_shstrndx].sh_offset + s[i].sh_name, name))
			return &s[i];
	return NULL;
}

static uint32_t next_random(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;
	return *x;
}

static int memory_file(const struct bytes *b)
{
	int fd = memfd_create("damaged", MFD_CLOEXEC);

	if (write(fd, b->p, b->n) != (ssize_t)b->n)
		exit(1);
	return fd;
}

/* Looks at all that can be asked; true: there was an answer to everything. */
static bool use_types(struct ktypes *k, int fd, const uint64_t *addresses, int n, int *told)
{
	struct program_signature *s = calloc((size_t)n, sizeof(*s));
	struct program_types *u = program_types_open(k, fd);
	struct ktype_call call;
	struct cat_member m;
	struct type t, to;
	const char *name;
	uint32_t returns;
	bool whole = u && program_types_signatures(u, addresses, n, s);

	for (int i = 0; whole && i < n; i++) {
		if (!ktype_signature(k, program_types_ktype(u, s[i].proto), &call, &returns))
			continue;
		++*told;
		for (int p = 0; p < call.n_params && p < PARAMS_MOST; p++)
			if (ktype_value(k, call.params[p].ktype, &t) && t.kind == TY_PTR &&
			    ktype_pointee(k, t.ktype, &to) && to.kind == TY_STRUCT)
				for (int j = 0; j < 40 && ktype_member_at(k, to.ktype, j, &name, &m); j++)
					ktype_name(k, m.type.ktype);
	}
	if (whole) {
		program_types_is_inlined(u, str_of("everywhere"));
		program_types_struct(u, str_of("request"));
	}
	whole = whole && !program_types_trouble(u);
	if (u)
		program_types_close(u);
	free(s);
	return whole;
}

static void use_lines(int fd, const uint64_t *addresses, int n)
{
	struct source_lines *u = source_lines_open(fd, NULL, "");
	struct arena a = { 0 };
	struct source_line found[8];

	for (int i = 0; u && i < n; i++)
		source_lines_find(u, addresses[i] + 5, &a, found, 8);
	source_lines_close(u);
	arena_fini(&a);
}

/* Bytes of these sections become others, in every file in other places. */
static void damage(const char *const *names, int places)
{
	static const char *const functions[] = { "plain", "handle", "scale", "by_value", "wide", "colored" };
	const int n = sizeof(functions) / sizeof(functions[0]);
	uint64_t addresses[sizeof(functions) / sizeof(functions[0])];
	struct bytes whole = read_file(typed()), b = { malloc(whole.n), whole.n };
	int answered = 0, told = 0, files = getenv("DAMAGED") ? atoi(getenv("DAMAGED")) : DAMAGED / test_step(4);
	struct program p;

	REQUIRE(whole.n && program_open(&p, typed()));
	for (int i = 0; i < n; i++)
		addresses[i] = address_of(&p, functions[i]);
	for (int seed = 1; seed <= files; seed++) {
		uint32_t x = (uint32_t)seed * 2654435761u;
		int fd;

		memcpy(b.p, whole.p, whole.n);
		for (const char *const *name = names; *name; name++) {
			const Elf64_Shdr *s = section(&b, *name);

			for (int i = 0; s && s->sh_size && i < places; i++)
				b.p[s->sh_offset + next_random(&x) % s->sh_size] = (uint8_t)next_random(&x);
		}
		fd = memory_file(&b);
		answered += use_types(p.types, fd, addresses, n, &told);
		use_lines(fd, addresses, n);
		close(fd);
	}
	printf("# of %d damaged files %d were answered, with %d of %d functions\n", files, answered,
	       told, files * n);
	program_close(&p);
	free(whole.p);
	free(b.p);
}

TEST(damaged)
{
	static const char *const entries[] = { ".debug_info", NULL }, *const shapes[] = { ".debug_abbrev", NULL };
	static const char *const all[] = { ".debug_info", ".debug_abbrev", ".debug_line", ".debug_str",
					   ".debug_line_str", ".debug_rnglists", ".debug_aranges", NULL };

	NEEDS_LIBDW;
	damage(entries, 3);
	damage(shapes, 1);
	damage(all, 2);
	damage(all, 40);
}

TEST(cut_off)
{
	struct bytes whole = read_file(typed());
	uint64_t address = 1;
	struct err e = { 0 };
	struct ktypes *k;
	int told = 0;

	NEEDS_LIBDW;
	k = ktypes_open(BTF, NULL, &e);
	REQUIRE(whole.n && k);
	for (size_t i = 0; i < 20; i++) {
		struct bytes part = { whole.p, whole.n * i / 20 };
		int fd = memory_file(&part);

		use_types(k, fd, &address, 1, &told);
		close(fd);
	}
	ktypes_close(k);
	free(whole.p);
}

/* ---- the child ---- */

static void *begin_well(int fd, const char **why)
{
	(void)fd, (void)why;
	return (void *)1;
}

static void *begin_not(int fd, const char **why)
{
	(void)fd;
	*why = "is not to be read";
	return NULL;
}

static void answer_oddly(void *self, const char *question, size_t bytes, struct buf *out)
{
	(void)self, (void)bytes;
	switch (*question) {
	case 'e':
		buf_puts(out, "echo");
		break;
	case 'c':
		raise(SIGSEGV);
		break;
	case 't':
		pause();
		break;
	case 'm':
		while (mmap(NULL, 1 << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
		       MAP_FAILED)
			;
		_exit(1);
	case 'l':
		buf_pad(out, 'x', (int)CHILD_READER_ANSWER_MOST + 1);
		break;
	}
}

static const char *trouble_after(const char *questions)
{
	static const struct child_reader_work work = { begin_well, answer_oddly, 1000 };
	static char text[200];
	struct child_reader *c = child_reader_start(&work, 0);
	struct buf answer = { 0 };

	for (; *questions; questions++)
		if (child_reader_ask(c, questions, 1, &answer) && *questions == 'e')
			CHECK_STR(answer.p, "echo");
	snprintf(text, sizeof(text), "%s", child_reader_trouble(c) ? child_reader_trouble(c) : "none");
	buf_fini(&answer);
	child_reader_stop(c);
	return text;
}

TEST(child_breaks)
{
	static const struct child_reader_work refuses = { begin_not, answer_oddly, 1000 };
	struct child_reader *c = child_reader_start(&refuses, 0);

	CHECK_STR(child_reader_trouble(c), "is not to be read");
	child_reader_stop(c);
	CHECK_STR(trouble_after("eee"), "none");
	CHECK_STR(trouble_after("ecee"), "is damaged: what reads it broke (signal 11)");
	CHECK_STR(trouble_after("et"), "takes more than 1 s to read");
	CHECK_STR(trouble_after("em"), "is damaged, or takes more than 4 GiB of memory to read");
	CHECK_STR(trouble_after("el"), "is damaged, or takes more than 4 GiB of memory to read");
}

static uint32_t define_any(void *self, uint32_t id)
{
	(void)self;
	return id * 7 % 100;
}

/* What a child may send: any bytes as types and strings. */
TEST(types_that_are_none)
{
	static const struct ktype_program any = { define_any, NULL };
	uint32_t words[64], x = 1, program;
	struct err e = { 0 };
	struct ktypes *k;

	if (access(BTF, R_OK))
		SKIP("no BTF");
	k = ktypes_open(BTF, NULL, &e);
	program = ktype_add_program(k, &any);
	REQUIRE(program);
	CHECK(!ktype_grow(k, program, words, 3, "", 1));
	CHECK(!ktype_grow(k, program, words, 12, "no end", 6));
	CHECK(!ktype_grow(k, program, words, UINT32_MAX, "", 1));
	for (int round = 0; round < 2000; round++) {
		struct ktype_call call;
		uint32_t returns;
		struct type t;

		for (size_t i = 0; i < 64; i++)
			words[i] = next_random(&x) >> (next_random(&x) % 32);
		ktype_grow(k, program, words, sizeof(words), "a\0b", 4);
		for (uint32_t id = 0; id < 20; id++) {
			uint32_t ktype = program << 24 | next_random(&x) % 4096;

			ktype_value(k, ktype, &t);
			ktype_size(k, ktype);
			ktype_name(k, ktype);
			ktype_signature(k, ktype, &call, &returns);
		}
	}
	ktypes_close(k);
}
