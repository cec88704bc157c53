/*
 * Static probes out of notes: operands in every form, and a program of the tests, whole and
 * damaged. No privilege.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

#include "user/usdt.h"

static void put_operand(const struct cat_field *f, char *out, size_t room)
{
	const struct cat_operand *o = f->operand;

	snprintf(out, room, "%s%d %d %d %d %d %lld", f->type.is_signed ? "-" : "", f->type.size,
		 o->kind, o->base, o->index, o->scale, (long long)o->number);
}

#ifdef __x86_64__

TEST(usdt_knows_operands_in_each_form)
{
	/* size and sign; number, register or memory; base, index, scale; number */
	static const struct {
		const char *text, *means;
	} rows[] = {
		{ "8@%rax", "8 1 0 0 0 0" },
		{ "-4@%ecx", "-4 1 1 0 0 0" },
		{ "1@%dil", "1 1 7 0 0 0" },
		{ "-2@%r15w", "-2 1 15 0 0 0" },
		{ "4@$5", "4 0 0 0 0 5" },
		{ "-8@$-9", "-8 0 0 0 0 -9" },
		{ "8@$0x7f", "8 0 0 0 0 127" },
		{ "8@$-9223372036854775808", "8 0 0 0 0 -9223372036854775808" },
		{ "-4@8(%rbp)", "-4 2 5 -1 1 8" },
		{ "-4@-20(%rsp)", "-4 2 4 -1 1 -20" },
		{ "8@(%r12)", "8 2 12 -1 1 0" },
		{ "2@16(%rdi,%rsi)", "2 2 7 6 1 16" },
		{ "1@(%rdi,%rsi,8)", "1 2 7 6 8 0" },
		{ "8@-8(,%rax,4)", "8 2 -1 0 4 -8" },
		{ "8@8(%rip)", NULL }, { "8@here(%rip)", NULL }, { "8@here", NULL },
		{ "3@%rax", NULL }, { "-9@%rax", NULL }, { "8f@%xmm0", NULL },
		{ "8@%xmm0", NULL }, { "8@%rip", NULL }, { "8@%ah", NULL }, { "8@%", NULL },
		{ "8@%rax junk", NULL }, { "8@(%eax)", NULL }, { "8@(%rax", NULL },
		{ "8@(%rax,%rip)", NULL }, { "8@(%rax,%rbx,3)", NULL }, { "8@()", NULL },
		{ "8@4294967296(%rax)", NULL }, { "8@$", NULL }, { "8@", NULL }, { "@", NULL },
		{ "", NULL }, { "-", NULL }, { "8", NULL }, { "8@$1$2", NULL },
	};
	struct arena a = { 0 };
	struct cat_field f;
	char is[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool known = usdt_argument(str_of(rows[i].text), &a, &f);

		if (known != (rows[i].means != NULL)) {
			TEST_FAIL("%s is %sknown", rows[i].text, known ? "" : "not ");
			continue;
		}
		if (!known)
			continue;
		put_operand(&f, is, sizeof(is));
		CHECK_STR(is, rows[i].means);
	}
	arena_fini(&a);
}

/* ---- the program of the tests ---- */

static bool image_of(struct elf_file *m, const char *path)
{
	if (elf_file_open(m, path) || elf_file_head(m)) {
		elf_file_close(m);
		return false;
	}
	elf_file_sections(m);
	return true;
}

static const char *program(char *path, size_t room)
{
	const char *b = getenv("B");

	snprintf(path, room, "%s/tests/work/probes", b ? b : "build");
	return path;
}

TEST(usdt_finds_probes)
{
	static const struct {
		const char *pattern;
		int n;
	} rows[] = {
		{ "*", 6 }, { "*:*", 6 }, { "work:*", 4 }, { "places", 2 }, { "work:places", 2 },
		{ "my*l:query__*", 2 }, { "other:places", 0 }, { "place", 0 }, { "", 0 }, { ":", 0 },
	};
	struct arena a = { 0 };
	struct elf_file m = { .fd = -1 };
	char path[256];

	REQUIRE(image_of(&m, program(path, sizeof(path))));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		usdt_probes found = { 0 };

		CHECK(usdt_find(&m, str_of(rows[i].pattern), 100, &a, &found));
		if (found.n != rows[i].n)
			TEST_FAIL("%s: %d, not %d", rows[i].pattern, found.n, rows[i].n);
		for (int k = 0; k < found.n; k++) {
			uint8_t nop = 0;

			CHECK(elf_file_read(&m, found.v[k].offset, &nop, 1) && nop == 0x90);
			CHECK((found.v[k].semaphore != 0) == !strcmp(found.v[k].name, "watched"));
		}
	}
	elf_file_close(&m);
	arena_fini(&a);
}

TEST(usdt_says_when_there_are_more)
{
	struct arena a = { 0 };
	struct elf_file m = { .fd = -1 };
	usdt_probes found = { 0 };
	char path[256];

	REQUIRE(image_of(&m, program(path, sizeof(path))));
	CHECK(!usdt_find(&m, str_of("*"), 5, &a, &found) && found.n == 5);
	elf_file_close(&m);
	arena_fini(&a);
}

TEST(usdt_knows_what_is_passed)
{
	struct arena a = { 0 };
	struct elf_file m = { .fd = -1 };
	usdt_probes found = { 0 };
	char path[256], is[64];

	REQUIRE(image_of(&m, program(path, sizeof(path))));
	REQUIRE(usdt_find(&m, str_of("forms"), 5, &a, &found) && found.n == 1);
	CHECK(found.v[0].n_args == 10);
	CHECK_STR(found.v[0].args[9].name, "arg9");
	put_operand(&found.v[0].args[9], is, sizeof(is));
	CHECK(!strncmp(is, "-4 2 16 -1 1 ", 13));	/* so far from the probe */
	elf_file_close(&m);
	arena_fini(&a);
}

/* Each word of the notes in turn is something else: nothing outside is ever read. */
TEST(usdt_reads_damaged_notes)
{
	static const uint32_t words[] = { 0, 1, 7, 0x7fffffff, 0xffffffff, 0x20202020, 0x25252525 };
	struct arena a = { 0 };
	struct elf_file m = { .fd = -1 };
	const Elf64_Shdr *s;
	char path[256], *bytes;
	int fd = memfd_create("damaged", MFD_CLOEXEC);
	uint64_t n;

	REQUIRE(image_of(&m, program(path, sizeof(path))));
	s = elf_file_section(&m, ".note.stapsdt");
	REQUIRE(s);
	n = m.bytes;
	bytes = elf_file_copy(&m, 0, n, n);
	REQUIRE(bytes && fd >= 0 && pwrite(fd, bytes, n, 0) == (ssize_t)n);
	for (uint64_t at = s->sh_offset; at < s->sh_offset + s->sh_size; at += 4)
		for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++) {
			struct elf_file damaged = { .fd = -1 };
			usdt_probes found = { 0 };
			char own[64];

			REQUIRE(pwrite(fd, &words[w], 4, (off_t)at) == 4);
			snprintf(own, sizeof(own), "/proc/self/fd/%d", fd);
			REQUIRE(image_of(&damaged, own));
			usdt_find(&damaged, str_of("*"), 100, &a, &found);
			CHECK(found.n <= 6);
			for (int i = 0; i < found.n; i++)
				CHECK(found.v[i].offset < n && found.v[i].semaphore < n);
			elf_file_close(&damaged);
			REQUIRE(pwrite(fd, bytes + at, 4, (off_t)at) == 4);
			arena_fini(&a);
		}
	free(bytes);
	close(fd);
	elf_file_close(&m);
}

#endif
