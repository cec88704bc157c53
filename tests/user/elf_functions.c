/*
 * Functions out of ELF files: this program's own, which has names of all kinds, and the
 * same file damaged in every way that a header can be. No privilege.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "test.h"

#include "user/elf_functions.h"
#include "user/function_name.h"
#include "user/program_file.h"

/* Names as compilers of other languages make them. */
__attribute__((noinline, used)) int plain_function(int x)
{
	return x + (int)getpid();
}

__attribute__((noinline, used)) int copied(int x) __asm__("copied.constprop.0");
int copied(int x)
{
	return x + (int)getuid();
}

__attribute__((noinline, used)) int cold(int x) __asm__("copied.cold");
int cold(int x)
{
	return x + (int)getgid();
}

__attribute__((noinline, used)) int overload_int(int x) __asm__("_ZN2ns4callEi");
int overload_int(int x)
{
	return x + (int)getppid();
}

__attribute__((noinline, used)) int overload_text(int x) __asm__("_ZN2ns4callEPKc");
int overload_text(int x)
{
	return x + (int)geteuid();
}

__attribute__((noinline, used)) int rust(int x)
	__asm__("_ZN5crate6module4work17h0123456789abcdefE");
int rust(int x)
{
	return x + (int)getegid();
}

static int chosen(int x)
{
	return x;
}

/* It runs before the sanitisers are ready. */
__attribute__((no_sanitize("address", "undefined"))) static int (*choose(void))(int)
{
	return chosen;
}

__attribute__((used)) int by_choice(int x) __attribute__((ifunc("choose")));

static elf_function_list find(struct arena *a, const char *path, const char *pattern)
{
	struct err e = { .arena = a };
	struct elf_functions *u = elf_functions_open(path, "", &e);
	elf_function_list found = { 0 };

	if (u)
		elf_functions_find(u, str_of(pattern), 1000, a, &found);
	elf_functions_close(u);
	return found;
}

static int count(const char *pattern)
{
	struct arena a = { 0 };
	int n = find(&a, "/proc/self/exe", pattern).n;

	arena_fini(&a);
	return n;
}

/* Is what is in the file at the offset what is in memory at the address? */
static bool is_code_of(uint64_t offset, const void *code)
{
	char bytes[16];
	int fd = open("/proc/self/exe", O_RDONLY);
	bool same = pread(fd, bytes, sizeof(bytes), (off_t)offset) == sizeof(bytes);

	close(fd);
	return same && !memcmp(bytes, code, sizeof(bytes));
}

TEST(elf_functions_finds_the_place)
{
	struct arena a = { 0 };
	elf_function_list f = find(&a, "/proc/self/exe", "plain_function");

	REQUIRE(f.n == 1);
	CHECK_STR(f.v[0].name, "plain_function");
	CHECK(is_code_of(f.v[0].offset, (const void *)(uintptr_t)plain_function));
	CHECK(f.v[0].bytes > 0 && !f.v[0].ifunc);
	f = find(&a, "/proc/self/exe", "by_choice");
	CHECK(f.n == 1 && f.v[0].ifunc);
	arena_fini(&a);
}

TEST(elf_functions_knows_names_in_each_form)
{
	static const struct {
		const char *pattern;
		int n;
	} rows[] = {
		{ "plain_*", 1 }, { "plain_func", 0 }, { "no_such", 0 }, { "", 0 },
		{ "copied", 1 }, { "copied.constprop.0", 1 }, { "copied.cold", 0 }, { "copied*", 1 },
		{ "ns::call", 2 }, { "ns::*", 2 }, { "ns::call(int)", 1 }, { "ns::call(*)", 2 },
		{ "ns::call(char const*)", 1 }, { "ns::call(long)", 0 }, { "_ZN2ns4callEi", 1 },
		{ "call", 0 }, { "crate::module::work", 1 }, { "crate::*", 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (count(rows[i].pattern) != rows[i].n)
			TEST_FAIL("%s: %d, not %d", rows[i].pattern, count(rows[i].pattern), rows[i].n);
}

TEST(elf_functions_says_when_there_are_more)
{
	struct arena a = { 0 };
	struct err e = { .arena = &a };
	struct elf_functions *u = elf_functions_open("/proc/self/exe", "", &e);
	elf_function_list found = { 0 };

	REQUIRE(u);
	CHECK(!elf_functions_find(u, str_of("*"), 10, &a, &found));
	CHECK(found.n <= 10);
	CHECK(elf_functions_symbols(u) > 10);
	CHECK_STR(elf_functions_nearest(u, str_of("plain_functoin"), &a), "plain_function");
	CHECK(elf_functions_imports(u, str_of("getpid")) && !elf_functions_imports(u, str_of("plain_function")));
	CHECK(!elf_functions_is_go(u));
	elf_functions_close(u);
	arena_fini(&a);
}

/* Some hundred bytes that stand for gigabytes of text: each part is the last one twice. */
TEST(function_name_is_bounded)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[1000] = "_Z1fSt4pairIiiE", *scratch = malloc(FUNCTION_NAME_BYTES_MOST);
	struct function_name u = function_name_pattern(str_of("f*"));
	struct arena a = { 0 };

	for (int i = 0; i < 30; i++)
		sprintf(name + strlen(name), "S_IS%c_S%c_E", digits[i], digits[i]);
	CHECK(function_name_matches(&u, str_of(name), scratch));
	u = function_name_pattern(str_of("f(int*"));
	CHECK(!function_name_matches(&u, str_of(name), scratch));
	CHECK(strlen(function_name_shown(&a, str_of(name))) < FUNCTION_NAME_BYTES_MOST);
	free(scratch);
	arena_fini(&a);
}

/* ---- damaged files ---- */

struct file {
	char *bytes;
	size_t n;
	int fd;
	char path[64];
};

static void file_open(struct file *f)
{
	struct stat st;
	int fd = open("/proc/self/exe", O_RDONLY);

	REQUIRE(fd >= 0 && !fstat(fd, &st));
	f->n = (size_t)st.st_size;
	f->bytes = malloc(f->n);
	REQUIRE(read(fd, f->bytes, f->n) == (ssize_t)f->n);
	close(fd);
	f->fd = memfd_create("elf", 0);
	snprintf(f->path, sizeof(f->path), "/proc/self/fd/%d", f->fd);
}

static void file_close(struct file *f)
{
	close(f->fd);
	free(f->bytes);
}

/* The first n bytes are the file. Returns how many functions it has, -1: none is read. */
static int functions_of(struct file *f, size_t n)
{
	struct arena a = { 0 };
	struct err e = { .arena = &a };
	elf_function_list found = { 0 };
	struct elf_functions *u;

	if (ftruncate(f->fd, 0) || pwrite(f->fd, f->bytes, n, 0) != (ssize_t)n)
		return -2;
	u = elf_functions_open(f->path, "", &e);
	if (u)
		elf_functions_find(u, str_of("plain_*"), 10, &a, &found);
	CHECK(u || e.causes.n == 1);
	for (int i = 0; i < found.n; i++)
		CHECK(found.v[i].offset < n);
	elf_functions_close(u);
	arena_fini(&a);
	return u ? found.n : -1;
}

TEST(elf_functions_reads_files_that_are_cut_off)
{
	struct file f;

	file_open(&f);
	CHECK_EQ(functions_of(&f, f.n), 1);
	for (size_t n = 0; n < sizeof(Elf64_Ehdr); n++)
		CHECK_EQ(functions_of(&f, n), -1);
	for (size_t n = sizeof(Elf64_Ehdr); n < f.n; n += f.n / 16)
		functions_of(&f, n);
	file_close(&f);
}

TEST(elf_functions_reads_damaged_heads)
{
	static const unsigned char values[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct file f;

	file_open(&f);
	for (size_t at = 0; at < sizeof(Elf64_Ehdr); at++)
		for (size_t i = 0; i < sizeof(values); i++) {
			char old = f.bytes[at];

			f.bytes[at] = (char)values[i];
			functions_of(&f, f.n);
			f.bytes[at] = old;
		}
	file_close(&f);
}

/* Every word of every section header, large and at the edge. */
TEST(elf_functions_reads_damaged_sections)
{
	struct file f;
	Elf64_Ehdr *h;
	char *all;

	file_open(&f);
	h = (Elf64_Ehdr *)f.bytes;
	all = f.bytes + h->e_shoff;
	for (int i = 0; i < h->e_shnum; i++) {
		Elf64_Shdr *s = (Elf64_Shdr *)(all + (size_t)i * sizeof(*s)), old = *s;

		if (s->sh_type != SHT_SYMTAB && s->sh_type != SHT_STRTAB && s->sh_type != SHT_NOTE)
			continue;
		for (size_t at = 0; at + 4 <= sizeof(*s); at += 4)
			for (int k = 0; k < 3; k++) {
				uint32_t v = k == 0 ? UINT32_MAX : k == 1 ? (uint32_t)f.n : 1;

				memcpy((char *)s + at, &v, sizeof(v));
				functions_of(&f, f.n);
				*s = old;
			}
	}
	file_close(&f);
}

TEST(elf_functions_says_what_a_file_is)
{
	static const struct {
		const char *path, *says;
	} rows[] = {
		{ "/no/such/file", "No such file or directory" },
		{ "/dev/null", "it is not a plain file" },
		{ "/", "Is a directory" },
		{ "/etc/passwd", "it is not a program (ELF)" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena a = { 0 };
		struct err e = { .arena = &a };

		CHECK(!elf_functions_open(rows[i].path, "", &e));
		REQUIRE(e.causes.n == 1);
		CHECK(strstr(e.causes.v[0], rows[i].says) != NULL);
		arena_fini(&a);
	}
}

/* ---- scripts ---- */

static const char *wrong_with(struct arena *a, const char *text, const char **help, program_files *out)
{
	struct cat_user u = { .text = str_of(text), .probes = true };
	struct str name;
	bool all;

	return program_file_find(a, &u, out, &name, &all, help);
}

/* Which program a script of its name starts, only the user knows. */
TEST(program_file_says_whose_a_script_is)
{
	struct arena a = { 0 };
	const char *path = folder(), *was = arena_strdup(&a, getenv("PATH")), *help;
	const char *prog = arena_printf(&a, "%s/scripts/culprit-prog", path);
	program_files found = { 0 };

	REQUIRE(!system(arena_printf(&a, "cd %s && mkdir scripts programs && "
				     "printf '#! /usr/bin/env bash\\nexec x\\n' >scripts/culprit-prog && "
				     "cp scripts/culprit-prog scripts/culprit-alone && "
				     "ln -s %s programs/culprit-prog", path,
				     realpath("/proc/self/exe", arena_alloc(&a, 4096)))));
	setenv("PATH", arena_printf(&a, "%s/scripts:%s/programs", path, path), 1);
	CHECK_STR(wrong_with(&a, "culprit-prog:*", &help, &found),
		  arena_printf(&a, "%s is a script, run by /usr/bin/env bash", prog));
	CHECK_STR(help, arena_printf(&a, "write %s/programs/culprit-prog, if it is that which it starts", path));
	CHECK(wrong_with(&a, arena_printf(&a, "%s:f", prog), &help, &found) != NULL);
	CHECK(wrong_with(&a, "culprit-alone:*", &help, &found) != NULL);
	CHECK_STR(help, "write the path of its interpreter, or of what it starts");
	setenv("PATH", arena_printf(&a, "%s/programs", path), 1);
	CHECK(!wrong_with(&a, "culprit-prog:*", &help, &found));
	REQUIRE(found.n == 1);
	setenv("PATH", was, 1);
	arena_fini(&a);
}

/* ---- the loader's cache ---- */

struct entry {
	int32_t flags;
	uint32_t key, value, os;
	uint64_t hwcap;
};

TEST(program_file_reads_the_cache)
{
	static const char strings[] = "libx.so.1\0/lib/libx.so.1\0libx.so.2\0/lib/libx.so.2\0";
	struct {
		char magic[20];
		uint32_t n, bytes, rest[5];
		struct entry e[2];
		char strings[sizeof(strings)];
	} c = { "glibc-ld.so.cache1.1", 2, sizeof(strings), { 0 }, { { 0 }, { 0 } }, "" };
	uint32_t at = (uint32_t)((char *)c.strings - (char *)&c);
	const char *several = NULL;
	struct arena a = { 0 };

	memcpy(c.strings, strings, sizeof(strings));
	c.e[0] = (struct entry){ 0x303, at, at + 10, 0, 0 };
	c.e[1] = (struct entry){ 0x303, at + 25, at + 35, 0, 0 };
	CHECK_STR(program_file_in_cache(&a, &c, sizeof(c), str_of("libx.so.2"), &several), "/lib/libx.so.2");
	CHECK(!several);
	program_file_in_cache(&a, &c, sizeof(c), str_of("libx.so"), &several);
	CHECK(several && strstr(several, "libx.so.1 and libx.so.2"));
	CHECK(!program_file_in_cache(&a, &c, sizeof(c), str_of("liby.so"), &several));
	/* offsets and a number past the end */
	c.n = UINT32_MAX;
	c.e[0].key = UINT32_MAX;
	c.e[1].value = (uint32_t)sizeof(c);
	CHECK(!program_file_in_cache(&a, &c, sizeof(c), str_of("libx.so.2"), &several));
	for (size_t n = 0; n < sizeof(c); n++)
		program_file_in_cache(&a, &c, n, str_of("libx.so"), &several);
	arena_fini(&a);
}
