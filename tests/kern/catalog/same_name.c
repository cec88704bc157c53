/*
 * Functions that exist many times under one name, in the kernel (lists that are made here) and in
 * a program (this one, with its symbols renamed); and processes that end while they are
 * read. No privilege.
 */
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kern/catalog/impl.h"
#include "user/elf_functions.h"
#include "user/program_file.h"
#include "test.h"

#define COPIES 20001			/* one more than a source may have */

/* many_N: each in a place of its own. */
__asm__(".text\n.macro one_more\n.type many_\\@,@function\nmany_\\@: ret\n.size many_\\@,1\n.endm\n"
	".rept 20001\none_more\n.endr\n.purgem one_more\n");

struct found {
	int n, with_btf, stands_for;
	uint64_t last_address, last_offset;
	const char *last_module;
	bool rising;			/* within each module */
};

static void count(void *arg, const struct cat_function *f)
{
	struct found *x = arg;
	bool from_here = !x->n || (f->module && (!x->last_module || strcmp(f->module, x->last_module)));

	x->rising = (!x->n || x->rising) &&
		(from_here || f->address > x->last_address || f->offset > x->last_offset);
	x->last_module = f->module;
	x->last_address = f->address;
	x->last_offset = f->offset;
	x->with_btf += f->btf_id != 0;
	x->stands_for += f->stands_for;
	x->n++;
}

/* ---- the kernel's ---- */

static struct features features;
static struct kernel_catalog kernel;

static void kernel_begin(void)
{
	kernel = (struct kernel_catalog){ .features = &features, .functions_read = true };
}

static void add_function(const char *name, const char *module, uint64_t address)
{
	buf_printf(&kernel.functions_text, "%s%s\n", name, module);
	buf_printf(&kernel.kallsyms_text, "%016llx t %s%s\n", (unsigned long long)address, name, module);
}

static void kernel_end(void)
{
	catalog_programs_close(&kernel);
	buf_fini(&kernel.functions_text);
	buf_fini(&kernel.kallsyms_text);
	arena_fini(&kernel.arena);
	features_fini(&features);
}

static struct found of_kernel(const char *module, const char *name)
{
	struct found x = { 0 };

	catalog_functions(&kernel, str_of(module), str_of(name), count, &x);
	return x;
}

TEST(kernel_has_a_thousand_of_one_name)
{
	struct found x;

	kernel_begin();
	for (uint64_t i = 0; i < 1000; i++)
		add_function("same", i % 4 ? "" : " [extra]", 0xffffffff81000000 + 16 * i);
	add_function("other", "", 0xffffffff82000000);
	x = of_kernel("", "same");
	CHECK_EQ(x.n, 1000);
	CHECK(x.rising && !x.with_btf && x.last_address == 0xffffffff81000000 + 16 * 996);
	x = of_kernel("extra", "same");
	CHECK(x.n == 250 && x.rising);
	x = of_kernel("", "*");
	CHECK_EQ(x.n, 1001);
	x = of_kernel("", "other");
	CHECK(x.n == 1 && !x.last_address);
	kernel_end();
}

/* Then the kernel itself takes one of them by the name. */
TEST(kernel_tells_no_addresses)
{
	kernel_begin();
	add_function("same", "", 0);
	add_function("other", "", 0);
	add_function("same", " [extra]", 0);
	add_function("same", "", 0);
	struct found x = of_kernel("", "same");
	CHECK(x.n == 2 && x.stands_for == 2 + 1);
	x = of_kernel("", "other");
	CHECK(x.n == 1 && x.stands_for == 1);
	kernel_end();
}

TEST(kernel_has_copies_of_the_compiler)
{
	const char *help = NULL;

	kernel_begin();
	add_function("work.isra.0", "", 0x1000);
	add_function("work.constprop.0", "", 0x2000);
	add_function("work.cold", "", 0x3000);
	CHECK_EQ(of_kernel("", "work").n, 2);
	CHECK_EQ(of_kernel("", "wrk").n, 0);
	CHECK_STR(catalog_no_function(&kernel, str_of(""), str_of("wrk"), &help),
		  "the kernel has no function 'wrk'");
	CHECK_STR(help, "did you mean 'work()'?");
	kernel_end();
}

static void add_text(void *arg, const char *why, const char *name)
{
	buf_printf(arg, "%s: %s\n", name, why);
}

/* In kallsyms and not in ftrace's list: by why, each with its name. */
TEST(kernel_has_functions_that_cannot_be_traced)
{
	struct buf text = { 0 };
	const char *help = NULL;

	kernel_begin();
	add_function("do_work", "", 0x1000);
	add_function("do_work", " [extra]", 0x9000);
	buf_printf(&kernel.kallsyms_text, "%s", "0000000000002000 t do_it\n0000000000003000 T _sinittext\n"
		   "0000000000003010 t do_begin\n0000000000004000 T _einittext\n0000000000001000 T do_same\n"
		   "0000000000002010 t do_work.cold\n0000000000001ff0 t __pfx_do_it\n0000000000005000 d do_data\n"
		   "0000000000009010 t do_it [extra]\n");
	catalog_untraceable(&kernel, str_of(""), str_of("*do_*"), add_text, &text);
	CHECK_STR(text.p, "do_same: it has another name, too, which is the one that is traced\n"
			  "do_begin: it ran only while the kernel started (__init)\n"
			  "do_it: it was compiled without a place for a probe (notrace)\n"
			  "do_it: it was compiled without a place for a probe (notrace)\n");
	buf_clear(&text);
	catalog_untraceable(&kernel, str_of("extra"), str_of("do_*"), add_text, &text);
	CHECK_STR(text.p, "do_it: it was compiled without a place for a probe (notrace)\n");
	buf_clear(&text);
	catalog_untraceable(&kernel, str_of(""), str_of("do_work*"), add_text, &text);
	CHECK_EQ(text.n, 0);
	CHECK_STR(catalog_no_function(&kernel, str_of(""), str_of("do_begin"), &help), "'do_begin' is in this "
		  "kernel but cannot be traced: it ran only while the kernel started (__init)");
	buf_fini(&text);
	kernel_end();
}

/* Lines are looked for by what a name begins with: also where it stands elsewhere. */
TEST(kernel_names_that_hold_each_other)
{
	kernel_begin();
	add_function("rework", "", 0xffffffff81000010);
	add_function("work", "", 0xffffffff81000020);
	add_function("workwork", " [work]", 0xffffffff81000030);
	add_function("ffffff", " [work]", 0xffffffff81000040);
	CHECK_EQ(of_kernel("", "work").n, 1);
	CHECK_EQ(of_kernel("", "work*").n, 2);
	CHECK_EQ(of_kernel("", "*work").n, 3);
	CHECK_EQ(of_kernel("work", "work*").n, 1);
	CHECK_EQ(of_kernel("work", "[fw]*").n, 2);
	CHECK_EQ(of_kernel("", "ffffff").n, 1);
	kernel_end();
}

TEST(kernel_has_two_names_of_one_place)
{
	kernel_begin();
	add_function("first", "", 0xffffffff81000010);
	buf_printf(&kernel.kallsyms_text, "ffffffff81000010 T second\nffffffff81000020 T third\n");
	CHECK_EQ(of_kernel("", "second").n, 1);
	CHECK_EQ(of_kernel("", "third").n, 0);
	CHECK_EQ(of_kernel("", "*cond").n, 0);
	kernel_end();
}

/* ---- a program's ---- */

/* This program in a file whose first n copies have one name. */
static int file_with(int n)
{
	int self = open("/proc/self/exe", O_RDONLY), fd = memfd_create("same", 0), renamed = 0;
	struct stat st;
	uint32_t name = 0;
	char *bytes;

	REQUIRE(self >= 0 && fd >= 0 && !fstat(self, &st) && !ftruncate(fd, st.st_size));
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	REQUIRE(bytes != MAP_FAILED && read(self, bytes, (size_t)st.st_size) == st.st_size);
	close(self);
	Elf64_Ehdr *head = (Elf64_Ehdr *)bytes;
	Elf64_Shdr *sections = (Elf64_Shdr *)(bytes + head->e_shoff);

	for (int i = 0; i < head->e_shnum; i++) {
		const Elf64_Shdr *s = &sections[i];
		Elf64_Sym *symbols = (Elf64_Sym *)(bytes + s->sh_offset);

		for (size_t k = 0; s->sh_type == SHT_SYMTAB && k < s->sh_size / sizeof(*symbols); k++) {
			const char *text = bytes + sections[s->sh_link].sh_offset + symbols[k].st_name;

			if (strncmp(text, "many_", 5) || renamed == n)
				continue;
			name = renamed++ ? name : symbols[k].st_name;
			memcpy(bytes + sections[s->sh_link].sh_offset + name, "Same\0", 5);
			symbols[k].st_name = name;
		}
	}
	munmap(bytes, (size_t)st.st_size);
	REQUIRE(renamed == n);
	return fd;
}

static struct found of_program(int fd, const char **complaint, const char **help)
{
	static char text[64];
	struct cat_user u = { .returns = true };
	struct found x = { 0 };

	snprintf(text, sizeof(text), "/proc/self/fd/%d:Same", fd);
	u.text = str_of(text);
	kernel_begin();
	catalog_user_functions(&kernel, &u, count, &x);
	*complaint = catalog_no_user_function(&kernel, &u, help);
	return x;
}

TEST(program_has_many_of_one_name)
{
	static const int copies[] = { 1, 2, 1000, COPIES - 1 };
	const char *complaint, *help;

	for (size_t i = 0; i < sizeof(copies) / sizeof(*copies); i++) {
		int fd = file_with(copies[i]);
		struct found x = of_program(fd, &complaint, &help);

		CHECK_EQ(x.n, copies[i]);
		CHECK(x.rising);
		kernel_end();
		close(fd);
	}
}

TEST(program_has_too_many_of_one_name)
{
	const char *complaint = NULL, *help = NULL;
	int fd = file_with(COPIES);

	CHECK_EQ(of_program(fd, &complaint, &help).n, 0);
	CHECK(complaint && strstr(complaint, "'Same' is more than 20000 functions of /proc/self/fd/"));
	CHECK(help && strstr(help, "fewer"));
	kernel_end();
	close(fd);
}

/* ---- processes that end ---- */

static const char *files_of(struct arena *a, pid_t pid, program_files *out)
{
	struct cat_user u = { .text = str_of(arena_printf(a, "pid:%d:main", (int)pid)) };
	const char *help = NULL;
	struct str name;
	bool all;

	return program_file_find(a, &u, out, &name, &all, &help);
}

TEST(process_ends_while_it_is_read)
{
	struct arena a = { 0 };
	struct err e = { .arena = &a };
	program_files files = { 0 }, none = { 0 };
	struct elf_functions *u;
	siginfo_t info;
	pid_t pid = fork();
	char own[32];
	int read = 0;

	if (!pid)
		for (;;)
			pause();
	CHECK(!files_of(&a, pid, &files) && files.n > 0);
	kill(pid, SIGKILL);
	REQUIRE(!waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT));
	CHECK_STR(files_of(&a, pid, &none), arena_printf(&a, "process %d shows no files: it is the "
			"kernel's own, has ended, or belongs to somebody else", (int)pid));
	waitpid(pid, NULL, 0);
	CHECK_STR(files_of(&a, pid, &none), arena_printf(&a, "there is no process %d", (int)pid));
	CHECK_EQ(none.n, 0);
	/* what was found while it lived */
	snprintf(own, sizeof(own), "/proc/%d/", (int)pid);
	for (int i = 0; i < files.n; i++) {
		u = elf_functions_open(files.v[i].path, files.v[i].root, &e);
		CHECK(!strncmp(files.v[i].path, own, strlen(own)) ? !u : u != NULL || e.causes.n > 0);
		read += u != NULL;
		elf_functions_close(u);
	}
	CHECK(read < files.n && e.causes.n > 0 && strstr(e.causes.v[0], "No such file"));
	arena_fini(&a);
}
